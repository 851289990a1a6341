/* The traffic between two layouts. Both are products of a row axis and a column axis, so what cell (r, c) of the source
 * shares with cell (r', c') of the target is overlap_rows[r][r'] * overlap_cols[c][c']: between two grids the traffic
 * is the Kronecker product of two small sparse matrices, and no element or block is ever visited. */
#include "base/integer.h"
#include "base/memory.h"
#include "layout/layout.h"
#include "mapping/traffic_rows.h"

typedef struct {
    const scalay_layout *source;
    const scalay_layout *target;
    scalay_axis_overlap rows;
    scalay_axis_overlap cols;
    scalay_traffic_rows made;
} builder;

static void add_share(builder *build, int64_t row_entry, int64_t col_entry)
{
    int part = scalay_layout_cell_part(build->target, build->rows.class_b[row_entry], build->cols.class_b[col_entry]);
    scalay_traffic_rows_add(&build->made, part, build->rows.count[row_entry] * build->cols.count[col_entry]);
}

/* The loops are nested such that the parts of a grid are met in ascending order. */
static void add_cell(builder *build, const scalay_cell *cell)
{
    const int64_t *row = build->rows.start + cell->row_class;
    const int64_t *col = build->cols.start + cell->col_class;
    if (scalay_layout_is_grid(build->target) && build->target->order == SCALAY_COLUMN_MAJOR) {
        for (int64_t c = col[0]; c < col[1]; c++)
            for (int64_t r = row[0]; r < row[1]; r++) add_share(build, r, c);
        return;
    }
    for (int64_t r = row[0]; r < row[1]; r++)
        for (int64_t c = col[0]; c < col[1]; c++) add_share(build, r, c);
}

static scalay_status fill_rows(builder *build, int processes)
{
    scalay_status status = SCALAY_SUCCESS;
    for (int i = 0; i < processes; i++) {
        int part = scalay_layout_part_of_process(build->source, i);
        int64_t cells = part >= 0 ? scalay_layout_cells(build->source, part) : 0;
        for (int64_t k = 0; k < cells; k++) {
            scalay_cell cell = scalay_layout_cell(build->source, part, k);
            add_cell(build, &cell);
        }
        SCALAY_TRY(scalay_traffic_rows_append(&build->made, i));
    }
cleanup:
    return status;
}

/* Between grids the entries are known at once: room for exactly those, or none, before any work. */
static scalay_status reserve(builder *build)
{
    int64_t entries = 0;
    if (!scalay_layout_is_grid(build->source) || !scalay_layout_is_grid(build->target)) return SCALAY_SUCCESS;
    if (!scalay_multiply_int64(build->rows.start[build->rows.classes_a], build->cols.start[build->cols.classes_a],
                               &entries) ||
        entries == 0)
        return SCALAY_SUCCESS;
    return scalay_traffic_rows_reserve(&build->made, entries);
}

scalay_status scalay_traffic_check_layouts(const scalay_layout *source, const scalay_layout *target)
{
    if (source == NULL || target == NULL)
        return scalay_fail(SCALAY_ERROR_ARGUMENT, "scalay_traffic_create",
                           "source or target is NULL; create both layouts first");
    int64_t m = scalay_layout_rows(source);
    int64_t n = scalay_layout_cols(source);
    if (m != scalay_layout_rows(target) || n != scalay_layout_cols(target))
        return scalay_fail(SCALAY_ERROR_MISMATCH, "scalay_traffic_create",
                           "the source is %lld x %lld, the target %lld x %lld; give both the same extents",
                           (long long)m, (long long)n, (long long)scalay_layout_rows(target),
                           (long long)scalay_layout_cols(target));
    return SCALAY_SUCCESS;
}

scalay_status scalay_traffic_create(const scalay_layout *source, const scalay_layout *target, scalay_traffic **traffic)
{
    scalay_status status = SCALAY_SUCCESS;
    builder build = {.source = source, .target = target};
    scalay_traffic *made = NULL;
    if (traffic == NULL) return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "traffic is NULL; pass where to put it");
    *traffic = NULL;
    SCALAY_TRY(scalay_traffic_check_layouts(source, target));
    SCALAY_TRY(scalay_traffic_allocate(scalay_layout_processes(source), scalay_layout_parts(target), &made));
    SCALAY_TRY(scalay_traffic_rows_create(made, &build.made));
    SCALAY_TRY(scalay_axis_overlap_create(&source->row, &target->row, &build.rows));
    SCALAY_TRY(scalay_axis_overlap_create(&source->col, &target->col, &build.cols));
    SCALAY_TRY(reserve(&build));
    SCALAY_TRY(fill_rows(&build, made->processes));
    SCALAY_TRY(scalay_traffic_sum(made));
    *traffic = made;
    made = NULL;
cleanup:
    scalay_axis_overlap_free(&build.rows);
    scalay_axis_overlap_free(&build.cols);
    scalay_traffic_rows_free(&build.made);
    scalay_traffic_destroy(&made);
    return status;
}
