/*
 * Bipartite graphs by compressed sparse rows. Scans of many edges of which few matter work by blocks: a block is tested
 * by the sign bits of all its differences, which compilers vectorise.
 */
#include "mapping/edges.h"

#include <string.h>

#include "base/integer.h"
#include "base/memory.h"
#include "mapping/traffic.h"

scalay_edges scalay_edges_view(const scalay_traffic *traffic)
{
    return (scalay_edges){traffic->processes, traffic->parts, traffic->start, traffic->part, traffic->count};
}

scalay_status scalay_edges_select(const scalay_edges *edges, scalay_edge_filter keep, const void *context,
                                  scalay_edges *selected)
{
    scalay_status status = SCALAY_SUCCESS;
    int64_t cols_capacity = 0;
    int64_t weights_capacity = 0;
    int64_t filled = 0;
    *selected = (scalay_edges){.rows = edges->rows, .cols = edges->cols};
    SCALAY_TRY(SCALAY_NEW(selected->start, (int64_t)edges->rows + 1));
    for (int i = 0; i < edges->rows; i++) {
        const int64_t end = edges->start[i + 1];
        SCALAY_TRY(SCALAY_GROW(selected->col, cols_capacity, filled + end - edges->start[i]));
        SCALAY_TRY(SCALAY_GROW(selected->weight, weights_capacity, filled + end - edges->start[i]));
        for (int64_t e = edges->start[i]; e < end; e++)
            if (keep(context, i, edges->col[e], edges->weight[e])) {
                selected->col[filled] = edges->col[e];
                selected->weight[filled++] = edges->weight[e];
            }
        selected->start[i + 1] = filled;
    }
cleanup:
    if (status != SCALAY_SUCCESS) scalay_edges_free(selected);
    return status;
}

/* Lines, and edges, between checks of the deadline. */
enum { LINES_PER_CHECK = 1 << 12, EDGES_PER_CHECK = 1 << 16 };

static int is_late(scalay_deadline deadline, int64_t count, int per_check)
{
    return count % per_check == 0 && scalay_deadline_passed(deadline);
}

scalay_status scalay_edges_transpose(const scalay_edges *edges, int *number, scalay_deadline deadline,
                                     scalay_edges *transposed)
{
    scalay_status status = SCALAY_SUCCESS;
    const int64_t count = edges->start[edges->rows];
    *transposed = (scalay_edges){.rows = edges->cols, .cols = edges->rows};
    SCALAY_TRY(SCALAY_NEW(transposed->start, (int64_t)edges->cols + 1));
    SCALAY_TRY(SCALAY_NEW(transposed->col, count));
    int64_t *start = transposed->start;
    for (int64_t e = 0; e < count && !is_late(deadline, e, EDGES_PER_CHECK); e++) start[edges->col[e] + 1]++;
    for (int j = 0; j < edges->cols; j++) start[j + 1] += start[j];
    for (int i = 0; i < edges->rows && !is_late(deadline, i, LINES_PER_CHECK); i++)
        for (int64_t e = edges->start[i]; e < edges->start[i + 1]; e++) {
            const int64_t at = start[edges->col[e]]++;
            transposed->col[at] = i;
            if (number != NULL) number[at] = (int)e;
        }
    /* start[j] is the end of column j now. */
    memmove(start + 1, start, (size_t)edges->cols * sizeof *start);
    start[0] = 0;
cleanup:
    if (status != SCALAY_SUCCESS) scalay_edges_free(transposed);
    return status;
}

int64_t scalay_edges_find(const scalay_edges *edges, int i, int j)
{
    int64_t low = edges->start[i], high = edges->start[i + 1];
    if (low == high || j < edges->col[low] || j > edges->col[high - 1]) return -1;
    if (edges->col[high - 1] - edges->col[low] == high - 1 - low) return low + j - edges->col[low];
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (edges->col[middle] < j)
            low = middle + 1;
        else
            high = middle;
    }
    return edges->col[low] == j ? low : -1;
}

int64_t scalay_edges_heaviest(const scalay_edges *edges, int i)
{
    int64_t max = 0;
    for (int64_t e = edges->start[i]; e < edges->start[i + 1]; e++) max = scalay_max_int64(max, edges->weight[e]);
    return max;
}

/* The columns of edges first .. end-1 of a row ascend. */
static int are_consecutive(const scalay_edges *edges, int64_t first, int64_t end)
{
    return first < end && edges->col[end - 1] - edges->col[first] == end - 1 - first;
}

int64_t scalay_edges_max_gain(const scalay_edges *edges, int i, const int64_t *price)
{
    const int64_t first = edges->start[i], end = edges->start[i + 1];
    int64_t max = 0;
    if (are_consecutive(edges, first, end)) {
        const int64_t *next = price + edges->col[first], *weight = edges->weight + first;
        for (int64_t k = 0; k < end - first; k++) max = scalay_max_int64(max, weight[k] - next[k]);
    } else {
        for (int64_t e = first; e < end; e++) max = scalay_max_int64(max, edges->weight[e] - price[edges->col[e]]);
    }
    return max;
}

void scalay_edges_raise_prices(const scalay_edges *edges, int i, int64_t dual, int64_t *price)
{
    const int64_t first = edges->start[i], end = edges->start[i + 1];
    if (are_consecutive(edges, first, end)) {
        int64_t *next = price + edges->col[first];
        const int64_t *weight = edges->weight + first;
        for (int64_t k = 0; k < end - first; k++) next[k] = scalay_max_int64(next[k], weight[k] - dual);
    } else {
        for (int64_t e = first; e < end; e++)
            price[edges->col[e]] = scalay_max_int64(price[edges->col[e]], edges->weight[e] - dual);
    }
}

int64_t scalay_edges_block_end(const scalay_edges *edges, int i, int64_t first)
{
    return scalay_min_int64(first + SCALAY_EDGE_BLOCK, edges->start[i + 1]);
}

int scalay_edges_block_exceeds(const scalay_edges *edges, int64_t first, int64_t end, int64_t least)
{
    int64_t sign = 0;
    for (int64_t e = first; e < end; e++) sign |= least - edges->weight[e];
    return sign < 0;
}

int scalay_edges_block_exceeds_sum(const scalay_edges *edges, int64_t first, int64_t end, int64_t base,
                                   const int64_t *extra)
{
    int64_t sign = 0;
    const int64_t *weight = edges->weight;
    if (are_consecutive(edges, first, end)) {
        const int64_t *next = extra + edges->col[first];
        for (int64_t e = first; e < end; e++) sign |= base + next[e - first] - weight[e];
    } else {
        for (int64_t e = first; e < end; e++) sign |= base + extra[edges->col[e]] - weight[e];
    }
    return sign < 0;
}

void scalay_edges_free(scalay_edges *edges)
{
    scalay_release(edges->start);
    scalay_release(edges->col);
    scalay_release(edges->weight);
    *edges = (scalay_edges){0};
}

scalay_status scalay_matching_allocate(int rows, int cols, scalay_matching *matching)
{
    scalay_status status = SCALAY_SUCCESS;
    *matching = (scalay_matching){0};
    SCALAY_TRY(SCALAY_NEW(matching->of_row, rows));
    SCALAY_TRY(SCALAY_NEW(matching->of_col, cols));
    scalay_matching_clear(matching, rows, cols);
cleanup:
    if (status != SCALAY_SUCCESS) scalay_matching_free(matching);
    return status;
}

void scalay_matching_clear(scalay_matching *matching, int rows, int cols)
{
    for (int i = 0; i < rows; i++) matching->of_row[i] = -1;
    for (int j = 0; j < cols; j++) matching->of_col[j] = -1;
}

void scalay_matching_flip_path(const int *from, int *of_row, int *of_col, int col)
{
    while (col >= 0) {
        const int row = from[col], before = of_row[row]; /* -1 at the first row */
        of_row[row] = col;
        of_col[col] = row;
        col = before;
    }
}

void scalay_matching_free(scalay_matching *matching)
{
    scalay_release(matching->of_row);
    scalay_release(matching->of_col);
    *matching = (scalay_matching){0};
}

void scalay_cover_free(scalay_cover *cover)
{
    scalay_release(cover->row);
    scalay_release(cover->col);
    *cover = (scalay_cover){0};
}

/* ------------------------------------------------------------------------------------------------------ core */

/* Numbers of edges become positions: row i is filled from start[i + 1] on. */
static scalay_status allocate_counted(scalay_edges *edges)
{
    scalay_status status = SCALAY_SUCCESS;
    for (int i = 0; i < edges->rows; i++) edges->start[i + 2] += edges->start[i + 1];
    SCALAY_TRY(SCALAY_NEW(edges->col, edges->start[edges->rows + 1]));
    SCALAY_TRY(SCALAY_NEW(edges->weight, edges->start[edges->rows + 1]));
cleanup:
    return status;
}

static void add_edge(scalay_edges *edges, int from, int to, int64_t weight)
{
    const int64_t at = edges->start[from + 1]++;
    edges->col[at] = to;
    edges->weight[at] = weight;
}

scalay_status scalay_edge_core_start_pass(scalay_edge_core *core, int pass, int rows, int cols)
{
    scalay_status status = SCALAY_SUCCESS;
    core->mode = pass == 0 ? SCALAY_CORE_COUNT : SCALAY_CORE_LIST;
    if (pass > 0) return allocate_counted(&core->edges);
    core->edges = (scalay_edges){.rows = rows, .cols = cols};
    SCALAY_TRY(SCALAY_NEW(core->edges.start, (int64_t)rows + 2));
cleanup:
    return status;
}

scalay_status scalay_edge_core_add(scalay_edge_core *core, int from, int to, int64_t weight)
{
    scalay_status status = SCALAY_SUCCESS;
    if (core->mode == SCALAY_CORE_COUNT) {
        core->edges.start[from + 2]++;
    } else if (core->mode == SCALAY_CORE_LIST) {
        add_edge(&core->edges, from, to, weight);
    } else {
        SCALAY_TRY(SCALAY_GROW(core->added, core->capacity, core->count + 1));
        core->added[core->count++] = (scalay_core_edge){from, to, weight};
    }
cleanup:
    return status;
}

static scalay_status resize(scalay_edges *edges, int64_t count)
{
    int *col = scalay_reallocate(edges->col, count, sizeof *col);
    if (col == NULL) return scalay_no_memory(__func__, "col", count, sizeof *col);
    edges->col = col;
    int64_t *weight = scalay_reallocate(edges->weight, count, sizeof *weight);
    if (weight == NULL) return scalay_no_memory(__func__, "weight", count, sizeof *weight);
    edges->weight = weight;
    return SCALAY_SUCCESS;
}

/* Makes space behind the edges of each row, in place: row i is filled from start[i + 1] on. */
static scalay_status make_space(scalay_edge_core *core, int rows, int cols)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_edges *edges = &core->edges;
    int64_t *added = NULL, shift = core->count;
    if (edges->start == NULL) SCALAY_TRY(scalay_edge_core_start_pass(core, 0, rows, cols));
    const int64_t old = edges->start[rows];
    SCALAY_TRY(SCALAY_NEW(added, rows));
    SCALAY_TRY(resize(edges, old + core->count));
    for (int64_t k = 0; k < core->count; k++) added[core->added[k].from]++;
    for (int i = rows - 1; i >= 0 && !is_late(core->deadline, i, LINES_PER_CHECK); i--) {
        const int64_t first = edges->start[i], count = edges->start[i + 1] - first;
        shift -= added[i];
        memmove(edges->col + first + shift, edges->col + first, (size_t)count * sizeof *edges->col);
        memmove(edges->weight + first + shift, edges->weight + first, (size_t)count * sizeof *edges->weight);
        edges->start[i + 1] += shift;
    }
cleanup:
    scalay_release(added);
    return status;
}

/* Keeps each edge of a row once. visited: shape [cols], zero. */
static void drop_duplicates(scalay_edges *edges, scalay_deadline deadline, int *visited)
{
    int64_t kept = 0, read = 0;
    for (int i = 0; i < edges->rows && !is_late(deadline, i, LINES_PER_CHECK); i++) {
        const int64_t end = edges->start[i + 1];
        for (edges->start[i] = kept; read < end; read++) {
            const int j = edges->col[read];
            if (visited[j] == i + 1) continue;
            visited[j] = i + 1;
            edges->col[kept] = j;
            edges->weight[kept++] = edges->weight[read];
        }
    }
    edges->start[edges->rows] = kept;
}

scalay_status scalay_edge_core_grow(scalay_edge_core *core, int rows, int cols)
{
    scalay_status status = SCALAY_SUCCESS;
    int *visited = NULL;
    if (core->mode == SCALAY_CORE_KEEP) SCALAY_TRY(make_space(core, rows, cols));
    core->mode = SCALAY_CORE_KEEP;
    for (int64_t k = 0; k < core->count && !is_late(core->deadline, k, EDGES_PER_CHECK); k++)
        add_edge(&core->edges, core->added[k].from, core->added[k].to, core->added[k].weight);
    scalay_release(core->added);
    core->added = NULL;
    core->count = core->capacity = 0;
    SCALAY_TRY(SCALAY_NEW(visited, cols));
    drop_duplicates(&core->edges, core->deadline, visited);
cleanup:
    scalay_release(visited);
    return status;
}

void scalay_edge_core_free(scalay_edge_core *core)
{
    scalay_release(core->added);
    scalay_edges_free(&core->edges);
    *core = (scalay_edge_core){0};
}
