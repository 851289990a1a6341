/*
 * Traffic matrices from lists of entries, from layouts, and as sums.
 *
 * Layouts are products of a row axis and a column axis. Cell (r, c) of the source and cell (r', c') of the target have
 * overlap_rows[r][r'] * overlap_cols[c][c'] elements in common. Between two grids the traffic is therefore the
 * Kronecker product of two small sparse matrices. No element or block is visited.
 *
 * Time: O(entries) for grids; O(list + processes + parts) for lists (radix sort). Memory: O(entries).
 */
#include "mapping/traffic.h"

#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "base/integer.h"
#include "base/memory.h"
#include "layout/layout.h"
#include "mapping/edges.h"

/* A traffic matrix without entries. */
static scalay_status allocate(int processes, int parts, scalay_traffic **traffic)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_traffic *new_traffic = NULL;
    *traffic = NULL;
    SCALAY_TRY(SCALAY_NEW(new_traffic, 1));
    new_traffic->processes = processes;
    new_traffic->parts = parts;
    SCALAY_TRY(SCALAY_NEW(new_traffic->start, (int64_t)processes + 1));
    SCALAY_TRY(SCALAY_NEW(new_traffic->held, processes));
    SCALAY_TRY(SCALAY_NEW(new_traffic->wanted, parts));
    *traffic = new_traffic;
    new_traffic = NULL;
cleanup:
    scalay_traffic_destroy(&new_traffic);
    return status;
}

/* Sets elements, held and wanted from the entries. */
static scalay_status sum_entries(scalay_traffic *traffic, const char *function)
{
    for (int i = 0; i < traffic->processes; i++)
        for (int64_t e = traffic->start[i]; e < traffic->start[i + 1]; e++) {
            if (!scalay_add_int64(traffic->elements, traffic->count[e], &traffic->elements))
                return scalay_fail(SCALAY_ERROR_RANGE, function,
                                   "the sum of all entries exceeds 2^63 - 1; it must fit. Use a larger unit.");
            traffic->held[i] += traffic->count[e];
            traffic->wanted[traffic->part[e]] += traffic->count[e];
        }
    return SCALAY_SUCCESS;
}

void scalay_traffic_destroy(scalay_traffic **traffic)
{
    if (traffic == NULL || *traffic == NULL) return;
    scalay_release((*traffic)->start);
    scalay_release((*traffic)->part);
    scalay_release((*traffic)->count);
    scalay_release((*traffic)->held);
    scalay_release((*traffic)->wanted);
    scalay_release(*traffic);
    *traffic = NULL;
}

int scalay_compare_ints(const void *a, const void *b)
{
    return scalay_compare_int64(*(const int *)a, *(const int *)b);
}

/* ---------------------------------------------------------------------------------------- from a list */

static const char from_entries[] = "scalay_traffic_from_entries";

typedef struct {
    int64_t count;
    const int *process;
    const int *part;
    const int64_t *elements;
} entry_list;

static scalay_status check_entries(int processes, int parts, const entry_list *list)
{
    for (int64_t e = 0; e < list->count; e++) {
        if (list->process[e] < 0 || list->process[e] >= processes)
            return scalay_fail(SCALAY_ERROR_ARGUMENT, from_entries, "process[%lld] is %d; it must be in [0, %d)",
                               (long long)e, list->process[e], processes);
        if (list->part[e] < 0 || list->part[e] >= parts)
            return scalay_fail(SCALAY_ERROR_ARGUMENT, from_entries, "part[%lld] is %d; it must be in [0, %d)",
                               (long long)e, list->part[e], parts);
        if (list->elements[e] < 0)
            return scalay_fail(SCALAY_ERROR_ARGUMENT, from_entries, "elements[%lld] is %lld; it must be at least 0",
                               (long long)e, (long long)list->elements[e]);
    }
    return SCALAY_SUCCESS;
}

static scalay_status check_list(int processes, int parts, const entry_list *list)
{
    scalay_status status = SCALAY_SUCCESS;
    if (processes < 1 || parts < 1 || list->count < 0)
        return scalay_fail(SCALAY_ERROR_ARGUMENT, from_entries,
                           "processes is %d, parts %d, entries %lld; they must be at least 1, 1 and 0", processes,
                           parts, (long long)list->count);
    if (list->count == 0) return SCALAY_SUCCESS;
    SCALAY_TRY(scalay_check_not_null(list->process, from_entries, "process"));
    SCALAY_TRY(scalay_check_not_null(list->part, from_entries, "part"));
    SCALAY_TRY(scalay_check_not_null(list->elements, from_entries, "elements"));
    status = check_entries(processes, parts, list);
cleanup:
    return status;
}

static int entries_ascend(const entry_list *list)
{
    for (int64_t e = 1; e < list->count; e++)
        if (list->process[e] < list->process[e - 1] ||
            (list->process[e] == list->process[e - 1] && list->part[e] < list->part[e - 1]))
            return 0;
    return 1;
}

/* order[] = the entries, stably sorted by a key in [0, keys); `before` is the previous order (NULL: as listed). */
static scalay_status sort_by_key(const entry_list *list, const int *key, int keys, const int64_t *before,
                                 int64_t *order)
{
    scalay_status status = SCALAY_SUCCESS;
    int64_t *next = NULL;
    SCALAY_TRY(SCALAY_NEW(next, (int64_t)keys + 1));
    for (int64_t e = 0; e < list->count; e++) next[key[e] + 1]++;
    for (int k = 0; k < keys; k++) next[k + 1] += next[k];
    for (int64_t k = 0; k < list->count; k++) {
        const int64_t e = before != NULL ? before[k] : k;
        order[next[key[e]]++] = e;
    }
cleanup:
    scalay_release(next);
    return status;
}

/* *order = the entries by process and, in each process, by part; NULL: they are listed in this order. */
static scalay_status sort_entries(int processes, int parts, const entry_list *list, int64_t **order)
{
    scalay_status status = SCALAY_SUCCESS;
    int64_t *by_part = NULL;
    *order = NULL;
    if (entries_ascend(list)) return SCALAY_SUCCESS;
    SCALAY_TRY(SCALAY_NEW(by_part, list->count));
    SCALAY_TRY(SCALAY_NEW(*order, list->count));
    SCALAY_TRY(sort_by_key(list, list->part, parts, NULL, by_part));
    SCALAY_TRY(sort_by_key(list, list->process, processes, by_part, *order));
cleanup:
    scalay_release(by_part);
    return status;
}

static scalay_status add_counts(int64_t a, int64_t b, int64_t *sum)
{
    if (scalay_add_int64(a, b, sum)) return SCALAY_SUCCESS;
    return scalay_fail(SCALAY_ERROR_RANGE, from_entries,
                       "the sum of entries of one process and part exceeds 2^63 - 1; it must fit. Use a larger unit.");
}

/* Appends the sorted entries. Entries of the same process and part are added; empty entries are skipped. */
static scalay_status gather_entries(const entry_list *list, const int64_t *order, scalay_traffic *traffic)
{
    scalay_status status = SCALAY_SUCCESS;
    int64_t filled = 0;
    for (int64_t k = 0; k < list->count; k++) {
        const int64_t e = order != NULL ? order[k] : k;
        const int i = list->process[e];
        if (list->elements[e] == 0) continue;
        const int in_row = traffic->start[i + 1] > 0;
        if (in_row && traffic->part[filled - 1] == list->part[e]) {
            SCALAY_TRY(add_counts(traffic->count[filled - 1], list->elements[e], &traffic->count[filled - 1]));
            continue;
        }
        traffic->part[filled] = list->part[e];
        traffic->count[filled++] = list->elements[e];
        traffic->start[i + 1]++;
    }
    for (int i = 0; i < traffic->processes; i++) traffic->start[i + 1] += traffic->start[i];
cleanup:
    return status;
}

scalay_status scalay_traffic_from_entries(int processes, int parts, int64_t entries, const int *process,
                                          const int *part, const int64_t *elements, scalay_traffic **traffic)
{
    scalay_status status = SCALAY_SUCCESS;
    const entry_list list = {entries, process, part, elements};
    scalay_traffic *new_traffic = NULL;
    int64_t *order = NULL;
    SCALAY_TRY(scalay_check_not_null(traffic, from_entries, "traffic"));
    *traffic = NULL;
    SCALAY_TRY(check_list(processes, parts, &list));
    SCALAY_TRY(allocate(processes, parts, &new_traffic));
    SCALAY_TRY(SCALAY_NEW(new_traffic->part, entries));
    SCALAY_TRY(SCALAY_NEW(new_traffic->count, entries));
    SCALAY_TRY(sort_entries(processes, parts, &list, &order));
    SCALAY_TRY(gather_entries(&list, order, new_traffic));
    SCALAY_TRY(sum_entries(new_traffic, from_entries));
    *traffic = new_traffic;
    new_traffic = NULL;
cleanup:
    scalay_release(order);
    scalay_traffic_destroy(&new_traffic);
    return status;
}

/* ---------------------------------------------------------------------------------------------- row by row */

/* Builds a traffic matrix row by row. The entries of a row are added in any order. */
typedef struct {
    scalay_traffic *traffic; /* not owned */
    int64_t part_capacity;
    int64_t count_capacity;
    int64_t *elements; /* shape [parts]: of the current row; zero between rows */
    int *visited;      /* shape [parts]: parts with elements in the current row */
    int visited_count;
} row_builder;

static scalay_status row_builder_create(scalay_traffic *traffic, row_builder *rows)
{
    scalay_status status = SCALAY_SUCCESS;
    *rows = (row_builder){.traffic = traffic};
    SCALAY_TRY(SCALAY_NEW(rows->elements, traffic->parts));
    SCALAY_TRY(SCALAY_NEW(rows->visited, traffic->parts));
cleanup:
    return status;
}

static void row_builder_free(row_builder *rows)
{
    scalay_release(rows->elements);
    scalay_release(rows->visited);
}

/* Adds elements, at least 1, to a part of the current row; the sum must fit. */
static void add_elements(row_builder *rows, int part, int64_t elements)
{
    if (rows->elements[part] == 0) rows->visited[rows->visited_count++] = part;
    rows->elements[part] += elements;
}

static int ascends(const int *list, int count)
{
    for (int k = 1; k < count; k++)
        if (list[k] < list[k - 1]) return 0;
    return 1;
}

/* If more than one of this number of parts is visited, a scan of all parts is faster than sorting. */
enum { SCANNED_PARTS = 16 };

static void sort_visited(row_builder *rows)
{
    int k = 0;
    if (ascends(rows->visited, rows->visited_count)) return;
    if (rows->visited_count < rows->traffic->parts / SCANNED_PARTS) {
        qsort(rows->visited, (size_t)rows->visited_count, sizeof *rows->visited, scalay_compare_ints);
        return;
    }
    for (int j = 0; j < rows->traffic->parts; j++)
        if (rows->elements[j] > 0) rows->visited[k++] = j;
}

/* Ends the row of process i and begins the next. */
static scalay_status append_row(row_builder *rows, int i)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_traffic *traffic = rows->traffic;
    int64_t filled = traffic->start[i];
    sort_visited(rows);
    SCALAY_TRY(SCALAY_GROW(traffic->part, rows->part_capacity, filled + rows->visited_count));
    SCALAY_TRY(SCALAY_GROW(traffic->count, rows->count_capacity, filled + rows->visited_count));
    for (int k = 0; k < rows->visited_count; k++) {
        const int part = rows->visited[k];
        traffic->part[filled] = part;
        traffic->count[filled++] = rows->elements[part];
        rows->elements[part] = 0;
    }
    rows->visited_count = 0;
    traffic->start[i + 1] = filled;
cleanup:
    return status;
}

/* ------------------------------------------------------------------------------------------------ sums */

static const char add_name[] = "scalay_traffic_add";

static scalay_status add_row(const scalay_traffic *traffic, int64_t weight, int i, row_builder *rows)
{
    for (int64_t e = traffic->start[i]; e < traffic->start[i + 1] && weight > 0; e++) {
        const int j = traffic->part[e];
        int64_t weighted = 0;
        if (!scalay_multiply_int64(traffic->count[e], weight, &weighted) || weighted > INT64_MAX - rows->elements[j])
            return scalay_fail(SCALAY_ERROR_RANGE, add_name,
                               "%lld elements of weight %lld exceed 2^63 - 1 in the sum; it must fit. Use a larger "
                               "unit.",
                               (long long)traffic->count[e], (long long)weight);
        add_elements(rows, j, weighted);
    }
    return SCALAY_SUCCESS;
}

static scalay_status check_sum(int count, const scalay_traffic *const *traffic, const int64_t *weight)
{
    if (count < 1 || traffic == NULL)
        return scalay_fail(SCALAY_ERROR_ARGUMENT, add_name, "count is %d; it must be at least 1, with as many matrices",
                           count);
    for (int k = 0; k < count; k++) {
        if (traffic[k] == NULL)
            return scalay_fail(SCALAY_ERROR_ARGUMENT, add_name, "traffic[%d] is NULL; it must not be NULL", k);
        if (weight != NULL && weight[k] < 0)
            return scalay_fail(SCALAY_ERROR_ARGUMENT, add_name, "weight[%d] is %lld; it must be at least 0", k,
                               (long long)weight[k]);
        if (traffic[k]->parts != traffic[0]->parts)
            return scalay_fail(SCALAY_ERROR_MISMATCH, add_name,
                               "traffic[%d] has %d parts; it must have %d, as traffic[0]", k, traffic[k]->parts,
                               traffic[0]->parts);
    }
    return SCALAY_SUCCESS;
}

scalay_status scalay_traffic_add(int count, const scalay_traffic *const *traffic, const int64_t *weight,
                                 scalay_traffic **sum)
{
    scalay_status status = SCALAY_SUCCESS;
    row_builder rows = {0};
    scalay_traffic *new_traffic = NULL;
    int processes = 1;
    SCALAY_TRY(scalay_check_not_null(sum, add_name, "sum"));
    *sum = NULL;
    SCALAY_TRY(check_sum(count, traffic, weight));
    for (int k = 0; k < count; k++)
        if (traffic[k]->processes > processes) processes = traffic[k]->processes;
    SCALAY_TRY(allocate(processes, traffic[0]->parts, &new_traffic));
    SCALAY_TRY(row_builder_create(new_traffic, &rows));
    for (int i = 0; i < processes; i++) {
        for (int k = 0; k < count; k++)
            if (i < traffic[k]->processes) SCALAY_TRY(add_row(traffic[k], weight != NULL ? weight[k] : 1, i, &rows));
        SCALAY_TRY(append_row(&rows, i));
    }
    SCALAY_TRY(sum_entries(new_traffic, add_name));
    *sum = new_traffic;
    new_traffic = NULL;
cleanup:
    row_builder_free(&rows);
    scalay_traffic_destroy(&new_traffic);
    return status;
}

/* ------------------------------------------------------------------------------------------ between layouts */

static const char create_name[] = "scalay_traffic_create";

typedef struct {
    const scalay_layout *source;
    const scalay_layout *target;
    scalay_axis_overlap row;
    scalay_axis_overlap col;
    row_builder rows;
} layout_builder;

static void add_intersection(layout_builder *build, int64_t row_entry, int64_t col_entry)
{
    const int part =
        scalay_layout_cell_part(build->target, build->row.class_b[row_entry], build->col.class_b[col_entry]);
    add_elements(&build->rows, part, build->row.count[row_entry] * build->col.count[col_entry]);
}

/* The loops are nested such that the parts of a grid ascend. */
static void add_cell(layout_builder *build, const scalay_cell *cell)
{
    const int64_t *row = build->row.start + cell->row_class;
    const int64_t *col = build->col.start + cell->col_class;
    if (scalay_layout_is_grid(build->target) && build->target->order == SCALAY_COLUMN_MAJOR) {
        for (int64_t c = col[0]; c < col[1]; c++)
            for (int64_t r = row[0]; r < row[1]; r++) add_intersection(build, r, c);
        return;
    }
    for (int64_t r = row[0]; r < row[1]; r++)
        for (int64_t c = col[0]; c < col[1]; c++) add_intersection(build, r, c);
}

static scalay_status fill_rows(layout_builder *build, int processes)
{
    scalay_status status = SCALAY_SUCCESS;
    for (int i = 0; i < processes; i++) {
        const int part = scalay_layout_part_of_process(build->source, i);
        const int64_t cells = part >= 0 ? scalay_layout_cells(build->source, part) : 0;
        for (int64_t k = 0; k < cells; k++) {
            const scalay_cell cell = scalay_layout_cell(build->source, part, k);
            add_cell(build, &cell);
        }
        SCALAY_TRY(append_row(&build->rows, i));
    }
cleanup:
    return status;
}

/* Between grids the number of entries is known in advance. */
static scalay_status reserve(layout_builder *build)
{
    scalay_status status = SCALAY_SUCCESS;
    row_builder *rows = &build->rows;
    int64_t entries = 0;
    if (!scalay_layout_is_grid(build->source) || !scalay_layout_is_grid(build->target)) return SCALAY_SUCCESS;
    if (!scalay_multiply_int64(build->row.start[build->row.classes_a], build->col.start[build->col.classes_a],
                               &entries) ||
        entries == 0)
        return SCALAY_SUCCESS;
    SCALAY_TRY(SCALAY_NEW(rows->traffic->part, entries));
    SCALAY_TRY(SCALAY_NEW(rows->traffic->count, entries));
    rows->part_capacity = rows->count_capacity = entries;
cleanup:
    return status;
}

static scalay_status check_layouts(const scalay_layout *source, const scalay_layout *target, const char *function)
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(scalay_check_not_null(source, function, "source"));
    SCALAY_TRY(scalay_check_not_null(target, function, "target"));
    const int64_t m = scalay_layout_rows(source), n = scalay_layout_cols(source);
    if (m != scalay_layout_rows(target) || n != scalay_layout_cols(target))
        return scalay_fail(SCALAY_ERROR_MISMATCH, function,
                           "the source is %lld x %lld and the target %lld x %lld; their extents must be equal",
                           (long long)m, (long long)n, (long long)scalay_layout_rows(target),
                           (long long)scalay_layout_cols(target));
cleanup:
    return status;
}

scalay_status scalay_traffic_create(const scalay_layout *source, const scalay_layout *target, scalay_traffic **traffic)
{
    scalay_status status = SCALAY_SUCCESS;
    layout_builder build = {.source = source, .target = target};
    scalay_traffic *new_traffic = NULL;
    SCALAY_TRY(scalay_check_not_null(traffic, create_name, "traffic"));
    *traffic = NULL;
    SCALAY_TRY(check_layouts(source, target, create_name));
    SCALAY_TRY(allocate(scalay_layout_processes(source), scalay_layout_parts(target), &new_traffic));
    SCALAY_TRY(row_builder_create(new_traffic, &build.rows));
    SCALAY_TRY(scalay_axis_overlap_create(&source->row, &target->row, &build.row));
    SCALAY_TRY(scalay_axis_overlap_create(&source->col, &target->col, &build.col));
    SCALAY_TRY(reserve(&build));
    SCALAY_TRY(fill_rows(&build, new_traffic->processes));
    SCALAY_TRY(sum_entries(new_traffic, create_name));
    *traffic = new_traffic;
    new_traffic = NULL;
cleanup:
    scalay_axis_overlap_free(&build.row);
    scalay_axis_overlap_free(&build.col);
    row_builder_free(&build.rows);
    scalay_traffic_destroy(&new_traffic);
    return status;
}

/* --------------------------------------------------------------------------------------- several matrices */

scalay_status scalay_traffic_check_layouts(int count, const scalay_layout *const *source,
                                           const scalay_layout *const *target, const int64_t *weight,
                                           const char *function)
{
    scalay_status status = SCALAY_SUCCESS;
    if (count < 1) return scalay_fail(SCALAY_ERROR_ARGUMENT, function, "count is %d; it must be at least 1", count);
    SCALAY_TRY(scalay_check_not_null(source, function, "source"));
    SCALAY_TRY(scalay_check_not_null(target, function, "target"));
    for (int k = 0; k < count; k++) {
        SCALAY_TRY(check_layouts(source[k], target[k], function));
        if (weight != NULL && weight[k] < 0)
            return scalay_fail(SCALAY_ERROR_ARGUMENT, function, "weight[%d] is %lld; it must be at least 0", k,
                               (long long)weight[k]);
        if (scalay_layout_parts(target[k]) != scalay_layout_parts(target[0]))
            return scalay_fail(SCALAY_ERROR_MISMATCH, function,
                               "target[%d] has %d parts; it must have %d, as target[0]", k,
                               scalay_layout_parts(target[k]), scalay_layout_parts(target[0]));
    }
cleanup:
    return status;
}

int scalay_traffic_are_grids(int count, const scalay_layout *const *source, const scalay_layout *const *target)
{
    for (int k = 0; k < count; k++)
        if (!scalay_layout_is_grid(source[k]) || !scalay_layout_is_grid(target[k])) return 0;
    return 1;
}

scalay_status scalay_traffic_create_sum(int count, const scalay_layout *const *source,
                                        const scalay_layout *const *target, const int64_t *weight, scalay_traffic **sum)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_traffic **each = NULL;
    if (count == 1 && weight == NULL) return scalay_traffic_create(source[0], target[0], sum);
    SCALAY_TRY(SCALAY_NEW(each, count));
    for (int k = 0; k < count; k++) SCALAY_TRY(scalay_traffic_create(source[k], target[k], &each[k]));
    SCALAY_TRY(scalay_traffic_add(count, (const scalay_traffic *const *)each, weight, sum));
cleanup:
    for (int k = 0; k < count && each != NULL; k++) scalay_traffic_destroy(&each[k]);
    scalay_release(each);
    return status;
}

/* ---------------------------------------------------------------------------------------------- queries */

scalay_status scalay_traffic_get_summary(const scalay_traffic *traffic, scalay_traffic_summary *summary)
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(scalay_check_not_null(traffic, __func__, "traffic"));
    SCALAY_TRY(scalay_check_not_null(summary, __func__, "summary"));
    *summary = (scalay_traffic_summary){traffic->processes, traffic->parts, traffic->start[traffic->processes],
                                        traffic->elements};
cleanup:
    return status;
}

int64_t scalay_traffic_find(const scalay_traffic *traffic, int process, int part)
{
    if (process < 0 || process >= traffic->processes) return -1;
    const scalay_edges edges = scalay_edges_view(traffic);
    return scalay_edges_find(&edges, process, part);
}

int64_t scalay_traffic_get_entry(const scalay_traffic *traffic, int process, int part)
{
    const int64_t entry = traffic != NULL ? scalay_traffic_find(traffic, process, part) : -1;
    return entry >= 0 ? traffic->count[entry] : 0;
}

scalay_status scalay_traffic_row(const scalay_traffic *traffic, int process, int64_t *count, const int **part,
                                 const int64_t **elements)
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(scalay_check_not_null(traffic, __func__, "traffic"));
    SCALAY_TRY(scalay_check_not_null(count, __func__, "count"));
    SCALAY_TRY(scalay_check_not_null(part, __func__, "part"));
    SCALAY_TRY(scalay_check_not_null(elements, __func__, "elements"));
    if (process < 0 || process >= traffic->processes)
        return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "process is %d; it must be in [0, %d)", process, traffic->processes);
    *count = traffic->start[process + 1] - traffic->start[process];
    *part = traffic->part + traffic->start[process];
    *elements = traffic->count + traffic->start[process];
cleanup:
    return status;
}

/* ------------------------------------------------------------------------------------------------ cost */

scalay_status scalay_processes_check(const int *process, int parts, const char *function)
{
    scalay_status status = SCALAY_SUCCESS;
    int *sorted = NULL;
    SCALAY_TRY(scalay_check_not_null(process, function, "process"));
    SCALAY_TRY(SCALAY_NEW(sorted, parts));
    memcpy(sorted, process, (size_t)parts * sizeof *sorted);
    qsort(sorted, (size_t)parts, sizeof *sorted, scalay_compare_ints);
    if (sorted[0] < 0)
        status = scalay_fail(SCALAY_ERROR_ARGUMENT, function, "the process of a part is %d; it must be at least 0",
                             sorted[0]);
    for (int j = 1; j < parts && status == SCALAY_SUCCESS; j++)
        if (sorted[j] == sorted[j - 1])
            status = scalay_fail(SCALAY_ERROR_ARGUMENT, function,
                                 "two parts are on process %d; each part must have a process of its own", sorted[j]);
cleanup:
    scalay_release(sorted);
    return status;
}

/* A process without a part sends all its elements. */
static int64_t largest_without_part(const scalay_traffic *traffic, const unsigned char *has_part)
{
    int64_t largest = 0;
    for (int i = 0; i < traffic->processes; i++)
        if (!has_part[i]) largest = scalay_max_int64(largest, traffic->held[i]);
    return largest;
}

scalay_status scalay_traffic_count(const scalay_traffic *traffic, const int *process, int64_t *volume, int64_t *steps)
{
    scalay_status status = SCALAY_SUCCESS;
    unsigned char *has_part = NULL;
    int64_t kept = 0, most = 0;
    SCALAY_TRY(SCALAY_NEW(has_part, traffic->processes));
    for (int j = 0; j < traffic->parts; j++) {
        const int64_t own = scalay_traffic_get_entry(traffic, process[j], j);
        kept += own;
        most = scalay_max_int64(most, traffic->wanted[j] - own);
        if (process[j] >= traffic->processes) continue;
        has_part[process[j]] = 1;
        most = scalay_max_int64(most, traffic->held[process[j]] - own);
    }
    *volume = traffic->elements - kept;
    *steps = scalay_max_int64(most, largest_without_part(traffic, has_part));
cleanup:
    scalay_release(has_part);
    return status;
}

scalay_status scalay_traffic_cost(const scalay_traffic *traffic, const int *process, int64_t *volume, int64_t *steps)
{
    scalay_status status = SCALAY_SUCCESS;
    int64_t counted[2] = {0, 0};
    SCALAY_TRY(scalay_check_not_null(traffic, __func__, "traffic"));
    SCALAY_TRY(scalay_processes_check(process, traffic->parts, __func__));
    SCALAY_TRY(scalay_traffic_count(traffic, process, &counted[0], &counted[1]));
    if (volume != NULL) *volume = counted[0];
    if (steps != NULL) *steps = counted[1];
cleanup:
    return status;
}
