#ifndef SCALAY_REDIST_COPIER_H
#define SCALAY_REDIST_COPIER_H

/**
 * @file
 * Moving stretches of one column: between a local array and a packed message, and between two local arrays.
 *
 * Only the size of an element matters. The usual sizes have functions of their own, in which the compiler knows the
 * size, so that short runs are plain loads and stores.
 */

#include <stddef.h>
#include <stdint.h>

#include "layout/axis.h"

/** How elements of one size are moved. `column` points to place 0 of a column; runs are row runs of a share. */
typedef struct {
    size_t size;
    /** Appends the runs (place_a) of a column to a packed message; the end of what was written. */
    char *(*gather)(size_t size, const scalay_run *runs, int64_t count, const char *column, char *packed);
    /** Takes the runs (place_a) of a column out of a packed message; the end of what was read. */
    const char *(*scatter)(size_t size, const scalay_run *runs, int64_t count, const char *packed, char *column);
    /** Copies the runs of a column (place_a) to another (place_b). */
    void (*copy)(size_t size, const scalay_run *runs, int64_t count, const char *from, char *to);
} scalay_copier;

/** The copier for elements of a size of at least 1. */
scalay_copier scalay_copier_for(size_t size);

#endif
