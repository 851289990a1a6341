#ifndef SCALAY_LAYOUT_PIECES_H
#define SCALAY_LAYOUT_PIECES_H

/** @file The dense arrays in which the parts of an owner map are stored: each a product of row and column classes. */

#include <stdint.h>

#include "base/status.h"
#include "scalay/layout.h"

/** A dense array. Its rows are those of its row classes, one class after the other; its columns likewise. */
typedef struct {
    scalay_subarray shape;
    int64_t first;       /* its row classes are class[first] .. */
    int64_t row_classes; /* ... and then come its column classes */
    int64_t col_classes;
} scalay_class_subarray;

/** The dense arrays of all parts. Zeroed is empty, once start is there. */
typedef struct {
    int64_t *start; /* shape [parts + 1]: those of part p are piece[start[p]] .. piece[start[p + 1] - 1] */
    int64_t pieces;
    int64_t room;
    scalay_class_subarray *piece; /* shape [room] */
    int64_t classes;
    int64_t class_room;
    int64_t *class; /* shape [class_room] */
} scalay_subarray_list;

/** Two lists of classes whose product a part owns. */
typedef struct {
    int64_t rows;
    const int64_t *row; /* shape [rows] */
    int64_t cols;
    const int64_t *col; /* shape [cols] */
} scalay_class_product;

/**
 * Adds a product of classes to the pieces of an owner map's layout, whose table says where its cells are: one piece,
 * or several where a window has cut something out between its classes. The pieces of a part come one after the other,
 * parts ascending; whoever adds them fills start.
 * @param[in,out] layout  its axes and cells are complete
 * @return SCALAY_SUCCESS, SCALAY_ERROR_MEMORY
 */
scalay_status scalay_subarray_list_add(scalay_layout *layout, const scalay_class_product *product);

/**
 * The classes of a piece of a process, in the order of its lines.
 * @param[in]  k        0 <= k < scalay_layout_subarray_count(layout, process)
 * @param[out] one      shape [2]: for the classes of a piece that has one of each
 * @param[out] product  its lists are the layout's, or one[]
 */
void scalay_layout_subarray_classes(const scalay_layout *layout, int process, int64_t k, int64_t *one,
                                    scalay_class_product *product);

/** Releases what a list holds. */
void scalay_subarray_list_free(scalay_subarray_list *list);

#endif
