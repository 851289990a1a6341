#include "layout/pieces.h"

#include "base/memory.h"
#include "layout/layout.h"

/* Where the first element of a cell lies that the window has. */
static int64_t first_element(const scalay_layout *layout, int64_t row_class, int64_t col_class)
{
    const int64_t cell = row_class * layout->col.classes + col_class;
    return layout->tiles->offset[cell] + scalay_axis_get_run(&layout->row, row_class, 0).local +
           scalay_axis_get_run(&layout->col, col_class, 0).local * layout->tiles->ld[cell];
}

/* The end of the classes from k on whose rows follow each other in memory. */
static int64_t end_of_rows(const scalay_layout *layout, const scalay_class_product *product, int64_t k)
{
    const int64_t col = product->col[0];
    int64_t at = first_element(layout, product->row[k], col);
    for (; k + 1 < product->rows; k++) {
        at += scalay_axis_count(&layout->row, product->row[k]);
        if (first_element(layout, product->row[k + 1], col) != at) break;
    }
    return k + 1;
}

static int64_t end_of_cols(const scalay_layout *layout, const scalay_class_product *product, int64_t k)
{
    const int64_t row = product->row[0];
    const int64_t ld = layout->tiles->ld[row * layout->col.classes + product->col[k]];
    int64_t at = first_element(layout, row, product->col[k]);
    for (; k + 1 < product->cols; k++) {
        at += scalay_axis_count(&layout->col, product->col[k]) * ld;
        if (first_element(layout, row, product->col[k + 1]) != at) break;
    }
    return k + 1;
}

static scalay_status add_classes(const scalay_axis *axis, const int64_t *class, int64_t count,
                                 scalay_subarray_list *list, int64_t *lines)
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(SCALAY_GROW(list->class, list->class_room, list->classes + count));
    *lines = 0;
    for (int64_t k = 0; k < count; k++) {
        list->class[list->classes++] = class[k];
        *lines += scalay_axis_count(axis, class[k]);
    }
cleanup:
    return status;
}

static scalay_status add_piece(scalay_layout *layout, const scalay_class_product *dense)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_subarray_list *list = &layout->tiles->pieces;
    scalay_class_subarray made = {.first = list->classes, .row_classes = dense->rows, .col_classes = dense->cols};
    SCALAY_TRY(SCALAY_GROW(list->piece, list->room, list->pieces + 1));
    SCALAY_TRY(add_classes(&layout->row, dense->row, dense->rows, list, &made.shape.rows));
    SCALAY_TRY(add_classes(&layout->col, dense->col, dense->cols, list, &made.shape.cols));
    made.shape.offset = first_element(layout, dense->row[0], dense->col[0]);
    made.shape.ld = layout->tiles->ld[dense->row[0] * layout->col.classes + dense->col[0]];
    list->piece[list->pieces++] = made;
cleanup:
    return status;
}

scalay_status scalay_subarray_list_add(scalay_layout *layout, const scalay_class_product *product)
{
    scalay_status status = SCALAY_SUCCESS;
    for (int64_t c = 0, right; c < product->cols; c = right) {
        right = end_of_cols(layout, product, c);
        for (int64_t r = 0, bottom; r < product->rows; r = bottom) {
            bottom = end_of_rows(layout, product, r);
            const scalay_class_product dense = {bottom - r, product->row + r, right - c, product->col + c};
            SCALAY_TRY(add_piece(layout, &dense));
        }
    }
cleanup:
    return status;
}

void scalay_subarray_list_free(scalay_subarray_list *list)
{
    scalay_release(list->start);
    scalay_release(list->piece);
    scalay_release(list->class);
    *list = (scalay_subarray_list){0};
}
