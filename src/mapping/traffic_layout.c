/* The traffic between two layouts. Both are products of a row axis and a column axis, so what cell (r, c) of the source
 * shares with cell (r', c') of the target is overlap_rows[r][r'] * overlap_cols[c][c']: between two grids the traffic
 * is the Kronecker product of two small sparse matrices, and no element or block is ever visited. */
#include <stdlib.h>

#include "core/integer.h"
#include "core/memory.h"
#include "layout/layout.h"
#include "mapping/traffic.h"

typedef struct {
    const scalay_layout *source;
    const scalay_layout *target;
    scalay_axis_overlap rows;
    scalay_axis_overlap cols;
    int64_t *sum; /* shape [parts of the target]: of the row at hand; zero between rows */
    int *met;     /* shape [parts of the target]: the parts whose sum is positive */
    int met_count;
    int64_t capacity_part;
    int64_t capacity_count;
} builder;

static void add_share(builder *build, int64_t row_entry, int64_t col_entry)
{
    int part = scalay_layout_cell_part(build->target, build->rows.class_b[row_entry], build->cols.class_b[col_entry]);
    if (build->sum[part] == 0) build->met[build->met_count++] = part;
    build->sum[part] += build->rows.count[row_entry] * build->cols.count[col_entry];
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

static int ascends(const int *list, int count)
{
    for (int k = 1; k < count; k++)
        if (list[k] < list[k - 1]) return 0;
    return 1;
}

/* Puts the met parts in order: by walking through all parts when many are met, otherwise by sorting. */
static void sort_met(builder *build, int parts)
{
    int k = 0;
    if (ascends(build->met, build->met_count)) return;
    if (build->met_count < parts / 16) {
        qsort(build->met, (size_t)build->met_count, sizeof *build->met, scalay_compare_ints);
        return;
    }
    for (int j = 0; j < parts; j++)
        if (build->sum[j] > 0) build->met[k++] = j;
}

/* Appends the sums of process i as its row and sets them back to zero. */
static scalay_status append_row(builder *build, scalay_traffic *traffic, int i)
{
    scalay_status status = SCALAY_SUCCESS;
    int64_t filled = traffic->start[i];
    sort_met(build, traffic->parts);
    SCALAY_TRY(SCALAY_GROW(traffic->part, build->capacity_part, filled + build->met_count));
    SCALAY_TRY(SCALAY_GROW(traffic->count, build->capacity_count, filled + build->met_count));
    for (int k = 0; k < build->met_count; k++) {
        int part = build->met[k];
        traffic->part[filled] = part;
        traffic->count[filled++] = build->sum[part];
        build->sum[part] = 0;
    }
    build->met_count = 0;
    traffic->start[i + 1] = filled;
cleanup:
    return status;
}

static scalay_status fill_rows(builder *build, scalay_traffic *traffic)
{
    scalay_status status = SCALAY_SUCCESS;
    for (int i = 0; i < traffic->processes; i++) {
        int part = scalay_layout_part_of_process(build->source, i);
        int64_t cells = part >= 0 ? scalay_layout_cells(build->source, part) : 0;
        for (int64_t k = 0; k < cells; k++) {
            scalay_cell cell = scalay_layout_cell(build->source, part, k);
            add_cell(build, &cell);
        }
        SCALAY_TRY(append_row(build, traffic, i));
    }
cleanup:
    return status;
}

/* Between grids the entries are known at once: room for exactly those, or none, before any work. */
static scalay_status reserve(builder *build, scalay_traffic *traffic)
{
    scalay_status status = SCALAY_SUCCESS;
    int64_t entries = 0;
    if (!scalay_layout_is_grid(build->source) || !scalay_layout_is_grid(build->target)) return SCALAY_SUCCESS;
    if (!scalay_multiply_int64(build->rows.start[build->rows.classes_a], build->cols.start[build->cols.classes_a],
                               &entries) ||
        entries == 0)
        return SCALAY_SUCCESS;
    SCALAY_TRY(SCALAY_NEW(traffic->part, entries));
    SCALAY_TRY(SCALAY_NEW(traffic->count, entries));
    build->capacity_part = build->capacity_count = entries;
cleanup:
    return status;
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
    SCALAY_TRY(SCALAY_NEW(build.sum, made->parts));
    SCALAY_TRY(SCALAY_NEW(build.met, made->parts));
    SCALAY_TRY(scalay_axis_overlap_create(&source->row, &target->row, &build.rows));
    SCALAY_TRY(scalay_axis_overlap_create(&source->col, &target->col, &build.cols));
    SCALAY_TRY(reserve(&build, made));
    SCALAY_TRY(fill_rows(&build, made));
    SCALAY_TRY(scalay_traffic_sum(made));
    *traffic = made;
    made = NULL;
cleanup:
    scalay_axis_overlap_free(&build.rows);
    scalay_axis_overlap_free(&build.cols);
    scalay_release(build.sum);
    scalay_release(build.met);
    scalay_traffic_destroy(&made);
    return status;
}
