#ifndef SCALAY_REDIST_REFERENCE_H
#define SCALAY_REDIST_REFERENCE_H

/** @file What the transport "reference" knows of single elements: where they are, and what is calculated with them. */

#include "redist/copier.h"
#include "scalay/layout.h"

/** The rectangles that a process owns in a layout, by column and row. */
typedef struct {
    scalay_rectangle *rectangles; /* shape [count] */
    int64_t count;
    int64_t widest; /* columns of one */
} scalay_place_table;

/**
 * Asks a layout for its rectangles.
 * @param[in]  layout  any layout
 * @param[in]  rank    the process
 * @param[out] table   to be released with scalay_place_table_free(), also on failure
 * @return SCALAY_SUCCESS, SCALAY_ERROR_MEMORY
 */
scalay_status scalay_place_table_create(const scalay_layout *layout, int rank, scalay_place_table *table);

/** The offset of element (row, col) in the process' local array; -1 when no rectangle has it. */
int64_t scalay_place_table_find(const scalay_place_table *table, int64_t row, int64_t col);

/** Releases what a table holds. A zeroed table is fine. */
void scalay_place_table_free(scalay_place_table *table);

/** One element by the definition, y := alpha x + beta y: every operation rounded once, in the textbook's order. */
void scalay_reference_combine(const scalay_copier *how, const char *x, char *y);

#endif
