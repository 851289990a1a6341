#ifndef SCALAY_MULTIPLY_SUMMA_PANELS_H
#define SCALAY_MULTIPLY_SUMMA_PANELS_H

/**
 * @file
 * Panels: how the inner index of a product is cut up.
 *
 * The order in which a sum is formed is free. Indices that are alike both in A and in B (the same class of the columns
 * of op(A) and of the rows of op(B)) therefore go into the same panel even when they are scattered, as those of a
 * block-cyclic matrix are: then a panel has one owner for each line, and lies in that owner's memory as it is needed.
 * Panels of different classes take turns, and with them the ranks that send. Classes with less than a panel share one.
 */

#include "layout/axis.h"

/** Inner indices that lie one after the other in both matrices' memories. */
typedef struct {
    int64_t place[2]; /* in the class of A and of B */
    int64_t count;
} scalay_summa_inner;

/** Inner indices of one class of A and one class of B. */
typedef struct {
    int64_t class[2];
    int64_t position; /* of the first in the panel */
    int64_t width;
    int64_t first; /* its runs are inner[first] .. inner[end - 1] */
    int64_t end;
} scalay_summa_segment;

/** A panel. */
typedef struct {
    int64_t first; /* its segments are segment[first] .. segment[end - 1] */
    int64_t end;
    int64_t width;
} scalay_summa_panel;

/** All panels, and what they are made of; the same on every rank. Zeroed is empty. */
typedef struct {
    int64_t extent; /* of the inner index */
    int64_t widest;
    int64_t panels;
    scalay_summa_panel *panel;
    int64_t panel_room;
    int64_t segments;
    scalay_summa_segment *segment;
    int64_t segment_room;
    int64_t runs;
    scalay_summa_inner *inner;
    int64_t run_room;
} scalay_summa_panels;

/**
 * The classes of the inner index: one panel with a segment for each pair of classes.
 * @param[in]  a, b     the axis of each matrix
 * @param[out] classes  to be released with scalay_summa_panels_free(), also on failure
 * @return SCALAY_SUCCESS, SCALAY_ERROR_MEMORY
 */
scalay_status scalay_summa_classes_create(const scalay_axis *a, const scalay_axis *b, scalay_summa_panels *classes);

/**
 * Cuts the classes into panels.
 * @param[in]  most    the widest panel, at least 1
 * @param[out] panels  as in scalay_summa_classes_create()
 * @return SCALAY_SUCCESS, SCALAY_ERROR_MEMORY
 */
scalay_status scalay_summa_panels_create(const scalay_summa_panels *classes, int64_t most, scalay_summa_panels *panels);

/** Releases what panels hold. */
void scalay_summa_panels_free(scalay_summa_panels *panels);

#endif
