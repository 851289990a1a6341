#ifndef SCALAY_LAYOUT_OWNER_LAYOUT_H
#define SCALAY_LAYOUT_OWNER_LAYOUT_H

/** @file What the layouts of owner maps need beyond those of tile maps. */

#include "layout/layout.h"

/**
 * Completes a window of the layout of an owner map: runs, cells and pieces.
 * @param[in]     row, col  where it starts in the window that `whole` is
 * @param[in,out] window    its axes have extent, first and whole; what else they have is replaced
 * @return SCALAY_SUCCESS, SCALAY_ERROR_MEMORY
 */
scalay_status scalay_owner_layout_cut(const scalay_layout *whole, int64_t row, int64_t col, scalay_layout *window);

/** Fills the table's rectangles; the axes and the list of cells are complete. */
void scalay_layout_count_rectangles(scalay_layout *layout);

#endif
