#include "base/integer.h"
#include "layout/layout.h"

/* Where a process' cell begins and ends: the first element that the window has of it, and how many lines. */
static scalay_subarray cell_piece(const scalay_layout *layout, const scalay_cell *cell)
{
    scalay_subarray piece = {.rows = scalay_axis_count(&layout->row, cell->row_class),
                             .cols = scalay_axis_count(&layout->col, cell->col_class),
                             .ld = cell->ld};
    piece.offset = cell->offset;
    if (piece.rows > 0) piece.offset += scalay_axis_get_run(&layout->row, cell->row_class, 0).local;
    if (piece.cols > 0) piece.offset += scalay_axis_get_run(&layout->col, cell->col_class, 0).local * cell->ld;
    return piece;
}

static int has_pieces(const scalay_layout *layout)
{
    return layout->tiles != NULL && layout->tiles->ld != NULL;
}

int64_t scalay_layout_subarray_count(const scalay_layout *layout, int process)
{
    const int part = scalay_layout_part_of_process(layout, process);
    if (part < 0) return 0;
    if (has_pieces(layout)) return layout->tiles->pieces.start[part + 1] - layout->tiles->pieces.start[part];
    if (layout->tiles != NULL) return scalay_layout_cells(layout, part);
    return scalay_layout_rectangle_count(layout, process) > 0;
}

static scalay_status check_piece(const char *function, const scalay_layout *layout, int process, int64_t k)
{
    const int64_t pieces = scalay_layout_subarray_count(layout, process);
    if (layout == NULL) return scalay_fail(SCALAY_ERROR_ARGUMENT, function, "layout is NULL; pass a layout");
    if (k < 0 || k >= pieces)
        return scalay_fail(SCALAY_ERROR_ARGUMENT, function, "k = %lld: process %d has %lld pieces; pass less",
                           (long long)k, process, (long long)pieces);
    return SCALAY_SUCCESS;
}

scalay_status scalay_layout_subarray(const scalay_layout *layout, int process, int64_t k, scalay_subarray *piece)
{
    const scalay_status status = check_piece(__func__, layout, process, k);
    if (status != SCALAY_SUCCESS) return status;
    if (piece == NULL) return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "piece is NULL; pass an address");
    const int part = scalay_layout_part_of_process(layout, process);
    if (has_pieces(layout)) {
        *piece = layout->tiles->pieces.piece[layout->tiles->pieces.start[part] + k].shape;
    } else {
        const scalay_cell cell = scalay_layout_cell(layout, part, k);
        *piece = cell_piece(layout, &cell);
    }
    return SCALAY_SUCCESS;
}

/* Writes the window's indices of a class; returns where the next class goes. */
static int64_t *write_class(const scalay_axis *axis, int64_t class, int64_t *line)
{
    const int64_t stretches = scalay_axis_run_count(axis, class);
    for (int64_t k = 0; k < stretches; k++) {
        const scalay_axis_run stretch = scalay_axis_get_run(axis, class, k);
        for (int64_t i = 0; i < stretch.count; i++) *line++ = stretch.index + i;
    }
    return line;
}

void scalay_layout_subarray_classes(const scalay_layout *layout, int process, int64_t k, int64_t *one,
                                    scalay_class_product *product)
{
    const int part = scalay_layout_part_of_process(layout, process);
    if (has_pieces(layout)) {
        const scalay_subarray_list *list = &layout->tiles->pieces;
        const scalay_class_subarray *piece = &list->piece[list->start[part] + k];
        const int64_t *class = list->class + piece->first;
        *product = (scalay_class_product){piece->row_classes, class, piece->col_classes, class + piece->row_classes};
        return;
    }
    const scalay_cell cell = scalay_layout_cell(layout, part, k);
    one[0] = cell.row_class;
    one[1] = cell.col_class;
    *product = (scalay_class_product){1, &one[0], 1, &one[1]};
}

scalay_status scalay_layout_subarray_indices(const scalay_layout *layout, int process, int64_t k, int64_t *row,
                                             int64_t *col)
{
    int64_t one[2];
    scalay_class_product product;
    const scalay_status status = check_piece(__func__, layout, process, k);
    if (status != SCALAY_SUCCESS) return status;
    scalay_layout_subarray_classes(layout, process, k, one, &product);
    for (int64_t r = 0; row != NULL && r < product.rows; r++) row = write_class(&layout->row, product.row[r], row);
    for (int64_t c = 0; col != NULL && c < product.cols; c++) col = write_class(&layout->col, product.col[c], col);
    return SCALAY_SUCCESS;
}
