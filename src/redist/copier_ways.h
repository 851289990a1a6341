#ifndef SCALAY_REDIST_COPIER_WAYS_H
#define SCALAY_REDIST_COPIER_WAYS_H

/**
 * @file
 * The ways in which the copier moves a patch, by one thread. Elements have 1, 2, 4, 8 or 16 bytes, or are not
 * calculated with and go by scalay_copier_by_runs() or scalay_copier_by_elements().
 */

#include "redist/copier.h"

/** Run by run. Elements as they are, row strides of 1. `streams`: past the caches. */
void scalay_copier_by_runs(const scalay_patch *patch, size_t size, int streams);

/**
 * Tile by tile, through a stage that stays in the first cache: gathered into it in the order of the target, calculated
 * with, and written from there. Strides and scalars are any; at most 16 bytes an element.
 */
void scalay_copier_by_tiles(const scalay_copier *copier, const scalay_patch *patch, int streams);

/** Element by element: as they are, of any size, with any strides. */
void scalay_copier_by_elements(const scalay_patch *patch, size_t size);

/** Elements one step apart. */
typedef struct {
    int64_t offset; /* of the first, in bytes */
    int64_t count;
} scalay_span;

/**
 * y := alpha x + beta y, x conjugated before, as the copier says. The only place where elements are calculated with,
 * so that all ways give the same bits.
 * @param[in]     spans   shape [count]: of y
 * @param[in]     x       the elements of all spans, one after the other
 * @param[in,out] y       what the spans' offsets count from
 * @param[in]     stride  elements from one to the next in a span
 */
void scalay_copier_combine(const scalay_copier *copier, const scalay_span *spans, int64_t count, const char *x, char *y,
                           int64_t stride);

/** The place of a run in units of the row stride; `packed` is the number of rows before it. */
static inline int64_t scalay_place_of(const scalay_common_run *run, scalay_places places, int64_t packed)
{
    return places == SCALAY_AT_PACKED ? packed : places == SCALAY_AT_NEAR ? run->local_a : run->local_b;
}

#endif
