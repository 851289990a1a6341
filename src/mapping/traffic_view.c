/* The traffic as checks read it. Memory: O(processes + parts) for pairs of grids. */
#include "base/integer.h"
#include "base/memory.h"
#include "layout/layout.h"
#include "mapping/certificate.h"
#include "mapping/traffic.h"

scalay_traffic_view scalay_view_of_traffic(const scalay_traffic *traffic)
{
    return (scalay_traffic_view){.processes = traffic->processes,
                                 .parts = traffic->parts,
                                 .elements = traffic->elements,
                                 .held = traffic->held,
                                 .wanted = traffic->wanted,
                                 .traffic = traffic};
}

void scalay_view_free(scalay_traffic_view *view)
{
    for (int k = 0; k < view->pairs && view->pair != NULL; k++) {
        scalay_axis_overlap_free(&view->pair[k].row);
        scalay_axis_overlap_free(&view->pair[k].col);
        scalay_release(view->pair[k].max_of_col);
    }
    scalay_release(view->pair);
    scalay_release(view->sums);
    scalay_release(view->part);
    scalay_release(view->count);
    scalay_release(view->sum);
    scalay_release(view->min_price);
}

/* ------------------------------------------------------------------------------------------------ pairs */

static scalay_status overlap_axes(scalay_view_pair *pair)
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(scalay_axis_overlap_create(&pair->source->row, &pair->target->row, &pair->row));
    SCALAY_TRY(scalay_axis_overlap_create(&pair->source->col, &pair->target->col, &pair->col));
    SCALAY_TRY(SCALAY_NEW(pair->max_of_col, pair->col.classes_a));
    for (int64_t c = 0; c < pair->col.classes_a; c++)
        for (int64_t e = pair->col.start[c]; e < pair->col.start[c + 1]; e++)
            pair->max_of_col[c] = scalay_max_int64(pair->max_of_col[c], pair->col.count[e]);
cleanup:
    return status;
}

static int64_t elements_of_part(const scalay_layout *layout, int part)
{
    const scalay_cell cell = scalay_layout_cell(layout, part, 0);
    return scalay_axis_count(&layout->row, cell.row_class) * scalay_axis_count(&layout->col, cell.col_class);
}

/* All sums are at most the number of elements, which fits. */
static void add_elements(const scalay_view_pair *pair, int64_t *held, int64_t *wanted)
{
    for (int part = 0; part < scalay_layout_parts(pair->source); part++)
        held[scalay_layout_process_of_part(pair->source, part)] += pair->weight * elements_of_part(pair->source, part);
    for (int part = 0; part < scalay_layout_parts(pair->target); part++)
        wanted[part] += pair->weight * elements_of_part(pair->target, part);
}

static scalay_status count_elements(scalay_traffic_view *view)
{
    for (int k = 0; k < view->pairs; k++) {
        const scalay_view_pair *pair = &view->pair[k];
        const int64_t elements = scalay_layout_rows(pair->source) * scalay_layout_cols(pair->source);
        int64_t weighted = 0;
        if (!scalay_multiply_int64(elements, pair->weight, &weighted) ||
            !scalay_add_int64(view->elements, weighted, &view->elements))
            return scalay_fail(SCALAY_ERROR_RANGE, "scalay_mapping_check_layouts",
                               "the weighted sum of the elements exceeds 2^63 - 1; it must fit. Use a larger unit.");
    }
    return SCALAY_SUCCESS;
}

scalay_status scalay_view_of_grids(int pairs, const scalay_layout *const *source, const scalay_layout *const *target,
                                   const int64_t *weight, scalay_traffic_view *view)
{
    scalay_status status = SCALAY_SUCCESS;
    *view = (scalay_traffic_view){.pairs = pairs, .parts = scalay_layout_parts(target[0])};
    SCALAY_TRY(SCALAY_NEW(view->pair, pairs));
    for (int k = 0; k < pairs; k++) {
        view->pair[k] = (scalay_view_pair){source[k], target[k], weight != NULL ? weight[k] : 1, {0}, {0}, NULL};
        view->processes = (int)scalay_max_int64(view->processes, scalay_layout_processes(source[k]));
        SCALAY_TRY(overlap_axes(&view->pair[k]));
    }
    SCALAY_TRY(count_elements(view));
    SCALAY_TRY(SCALAY_NEW(view->sums, (int64_t)view->processes + view->parts));
    SCALAY_TRY(SCALAY_NEW(view->part, view->parts));
    SCALAY_TRY(SCALAY_NEW(view->count, view->parts));
    if (pairs > 1) SCALAY_TRY(SCALAY_NEW(view->sum, view->parts));
    for (int k = 0; k < pairs; k++) add_elements(&view->pair[k], view->sums, view->sums + view->processes);
    view->held = view->sums;
    view->wanted = view->sums + view->processes;
cleanup:
    return status;
}

/* --------------------------------------------------------------------------------------------- reading */

/* Finds the cell of the source that a process holds; returns 0 if there is none. */
static int find_cell(const scalay_view_pair *pair, int i, scalay_cell *cell)
{
    const int part = i < scalay_layout_processes(pair->source) ? scalay_layout_part_of_process(pair->source, i) : -1;
    if (part >= 0) *cell = scalay_layout_cell(pair->source, part, 0);
    return part >= 0;
}

/* The entries of a process, of a single pair. A row class of the target is skipped if no entry can exceed
 * base + extra[class]; NULL: base. */
static int64_t read_pair(scalay_traffic_view *view, int i, int64_t base, const int64_t *extra)
{
    const scalay_view_pair *pair = view->pair;
    scalay_cell cell;
    int64_t found = 0;
    if (!find_cell(pair, i, &cell)) return 0;
    const int64_t first = pair->col.start[cell.col_class], end = pair->col.start[cell.col_class + 1];
    for (int64_t r = pair->row.start[cell.row_class]; r < pair->row.start[cell.row_class + 1]; r++) {
        const int64_t weight = pair->weight * pair->row.count[r], class = pair->row.class_b[r];
        int64_t floor = base;
        if (extra != NULL && !scalay_add_int64(base, extra[class], &floor)) floor = base < 0 ? INT64_MIN : INT64_MAX;
        if (weight * pair->max_of_col[cell.col_class] <= floor) continue;
        for (int64_t c = first; c < end && weight > 0; c++) {
            view->part[found] = scalay_layout_cell_part(pair->target, class, pair->col.class_b[c]);
            view->count[found++] = weight * pair->col.count[c];
        }
    }
    return found;
}

/* Adds the entries of a process, of one of several pairs; returns the number of parts found so far. */
static int64_t add_pair(scalay_traffic_view *view, const scalay_view_pair *pair, int i, int64_t found)
{
    scalay_cell cell;
    if (pair->weight == 0 || !find_cell(pair, i, &cell)) return found;
    for (int64_t r = pair->row.start[cell.row_class]; r < pair->row.start[cell.row_class + 1]; r++)
        for (int64_t c = pair->col.start[cell.col_class]; c < pair->col.start[cell.col_class + 1]; c++) {
            const int to = scalay_layout_cell_part(pair->target, pair->row.class_b[r], pair->col.class_b[c]);
            if (view->sum[to] == 0) view->part[found++] = to;
            view->sum[to] += pair->weight * pair->row.count[r] * pair->col.count[c];
        }
    return found;
}

static scalay_view_row read_row(scalay_traffic_view *view, int i, int64_t base, const int64_t *extra)
{
    const scalay_traffic *traffic = view->traffic;
    if (traffic != NULL)
        return (scalay_view_row){traffic->start[i + 1] - traffic->start[i], traffic->part + traffic->start[i],
                                 traffic->count + traffic->start[i]};
    scalay_view_row row = {0, view->part, view->count};
    if (view->pairs == 1) row.entries = read_pair(view, i, base, extra);
    for (int k = 0; k < view->pairs && view->pairs > 1; k++)
        row.entries = add_pair(view, &view->pair[k], i, row.entries);
    for (int64_t e = 0; e < row.entries && view->pairs > 1; e++) {
        view->count[e] = view->sum[view->part[e]];
        view->sum[view->part[e]] = 0;
    }
    return row;
}

scalay_view_row scalay_view_read(scalay_traffic_view *view, int i, int64_t floor)
{
    return read_row(view, i, floor, NULL);
}

scalay_status scalay_view_set_prices(scalay_traffic_view *view, const int64_t *price)
{
    scalay_status status = SCALAY_SUCCESS;
    if (view->pairs != 1) return SCALAY_SUCCESS;
    const scalay_layout *target = view->pair->target;
    const int64_t classes = target->row.classes;
    scalay_release(view->min_price);
    SCALAY_TRY(SCALAY_NEW(view->min_price, classes));
    for (int64_t r = 0; r < classes; r++) view->min_price[r] = INT64_MAX;
    for (int part = 0; part < view->parts; part++) {
        const int64_t r = scalay_layout_cell(target, part, 0).row_class;
        view->min_price[r] = scalay_min_int64(view->min_price[r], price[part]);
    }
cleanup:
    return status;
}

scalay_view_row scalay_view_read_above(scalay_traffic_view *view, int i, int64_t base)
{
    return read_row(view, i, base, view->min_price);
}
