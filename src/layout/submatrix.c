#include "base/integer.h"
#include "base/memory.h"
#include "layout/layout.h"
#include "layout/owner_layout.h"

static scalay_status check_window(const char *function, const char *first_name, const char *extent_name,
                                  const scalay_axis *axis, int64_t first, int64_t extent)
{
    if (first < 0 || first > axis->extent)
        return scalay_fail(SCALAY_ERROR_ARGUMENT, function, "%s = %lld is outside the layout; pass 0 to %lld",
                           first_name, (long long)first, (long long)axis->extent);
    if (extent < 0 || extent > axis->extent - first)
        return scalay_fail(SCALAY_ERROR_ARGUMENT, function, "%s = %lld from %s = %lld on; pass 0 to %lld", extent_name,
                           (long long)extent, first_name, (long long)first, (long long)(axis->extent - first));
    return SCALAY_SUCCESS;
}

static scalay_axis window(const scalay_axis *axis, int64_t first, int64_t extent)
{
    scalay_axis part = *axis;
    part.first += first;
    part.extent = extent;
    part.runs = NULL; /* those of the whole are the whole's */
    return part;
}

/* A tile axis without the tiles that lie outside its window; returns how many went before it. */
static int64_t crop(scalay_axis *axis)
{
    int64_t before = axis->first / axis->block;
    int64_t behind = (axis->first + axis->extent - 1) / axis->block + 1;
    axis->whole -= before * axis->block;
    axis->first -= before * axis->block;
    axis->classes = behind - before;
    if (axis->whole / axis->block >= axis->classes) axis->whole = axis->classes * axis->block;
    return before;
}

/* A table of the tiles that meet the window, each where it was in the local array of the whole. */
static scalay_status crop_tiles(const scalay_layout *layout, scalay_layout *submatrix)
{
    scalay_status status = SCALAY_SUCCESS;
    int empty = submatrix->row.extent == 0 || submatrix->col.extent == 0;
    int64_t rows_before = 0, cols_before = 0;
    if (empty) {
        submatrix->row.classes = submatrix->col.classes = 1;
    } else {
        rows_before = crop(&submatrix->row);
        cols_before = crop(&submatrix->col);
    }
    int64_t rows = submatrix->row.classes, cols = submatrix->col.classes;
    SCALAY_TRY(scalay_tile_table_create(rows, cols, layout->parts, &submatrix->tiles));
    for (int part = 0; part < layout->parts; part++) submatrix->tiles->size[part] = layout->tiles->size[part];
    if (empty) goto cleanup;
    for (int64_t r = 0; r < rows; r++)
        for (int64_t c = 0; c < cols; c++) {
            int64_t from = (r + rows_before) * layout->col.classes + c + cols_before;
            submatrix->tiles->part[r * cols + c] = layout->tiles->part[from];
            submatrix->tiles->offset[r * cols + c] = layout->tiles->offset[from];
        }
    scalay_tile_table_list(submatrix->tiles, rows, cols, layout->parts);
cleanup:
    return status;
}

scalay_status scalay_layout_submatrix(const scalay_layout *layout, int64_t row, int64_t col, int64_t m, int64_t n,
                                      scalay_layout **submatrix)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_layout *made = NULL;
    if (submatrix == NULL) return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "submatrix is NULL; pass an address");
    *submatrix = NULL;
    if (layout == NULL) return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "layout is NULL; pass a layout");
    SCALAY_TRY(check_window(__func__, "row", "m", &layout->row, row, m));
    SCALAY_TRY(check_window(__func__, "col", "n", &layout->col, col, n));
    SCALAY_TRY(SCALAY_NEW(made, 1));
    *made = *layout;
    made->process = made->part = NULL;
    made->tiles = NULL;
    made->row = window(&layout->row, row, m);
    made->col = window(&layout->col, col, n);
    SCALAY_TRY(scalay_layout_set_processes(__func__, made, layout->processes, layout->process));
    if (layout->tiles != NULL)
        SCALAY_TRY(layout->tiles->ld != NULL ? scalay_owner_layout_cut(layout, row, col, made)
                                             : crop_tiles(layout, made));
    *submatrix = made;
    made = NULL;
cleanup:
    scalay_layout_destroy(&made);
    return status;
}
