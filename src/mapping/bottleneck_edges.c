/*
 * Edges of a graph for the bottleneck problem. Only lines with more elements than the steps need an edge. If they are
 * few, few edges are examined: all edges of the rows that need one, and in the other rows the edges to the columns that
 * need one.
 *
 * Time: O(edges) for one query in the worst case. Memory: O(columns) and the edges found.
 */
#include "mapping/bottleneck.h"

#include "base/integer.h"
#include "base/memory.h"

/* One lookup of an edge takes as long as scanning this number of edges. */
enum { SCANNED_PER_LOOKUP = 16 };

/* A search for the edges to some columns, row by row. */
typedef struct {
    const scalay_edges *edges;
    int *cols; /* shape [count] */
    int count;
    int64_t *floor; /* shape [cols of the edges]: only heavier edges are searched for; INT64_MAX: none */
    int64_t *found; /* shape [cols of the edges]: edges found in the current row */
} column_query;

static scalay_status query_allocate(const scalay_edges *edges, column_query *query)
{
    scalay_status status = SCALAY_SUCCESS;
    *query = (column_query){.edges = edges};
    SCALAY_TRY(SCALAY_NEW(query->cols, edges->cols));
    SCALAY_TRY(SCALAY_NEW(query->floor, edges->cols));
    SCALAY_TRY(SCALAY_NEW(query->found, edges->cols));
    for (int j = 0; j < edges->cols; j++) query->floor[j] = INT64_MAX;
cleanup:
    return status;
}

static void query_free(column_query *query)
{
    scalay_release(query->cols);
    scalay_release(query->floor);
    scalay_release(query->found);
}

static void query_add(column_query *query, int col, int64_t floor)
{
    query->cols[query->count++] = col;
    query->floor[col] = scalay_max_int64(floor, 0);
}

static int64_t look_up(column_query *query, int i)
{
    int64_t count = 0;
    for (int k = 0; k < query->count; k++) {
        const int64_t e = scalay_edges_find(query->edges, i, query->cols[k]);
        if (e >= 0 && query->edges->weight[e] > query->floor[query->cols[k]]) query->found[count++] = e;
    }
    return count;
}

static int64_t scan(column_query *query, int i)
{
    const scalay_edges *edges = query->edges;
    int64_t count = 0, end = 0;
    for (int64_t first = edges->start[i]; first < edges->start[i + 1]; first = end) {
        end = scalay_edges_block_end(edges, i, first);
        if (!scalay_edges_block_exceeds_sum(edges, first, end, 0, query->floor)) continue;
        for (int64_t e = first; e < end; e++)
            if (edges->weight[e] > query->floor[edges->col[e]]) query->found[count++] = e;
    }
    return count;
}

/* Finds edges of a row; returns their number. */
static int64_t query_row(column_query *query, int i)
{
    const int64_t degree = query->edges->start[i + 1] - query->edges->start[i];
    return (int64_t)query->count * SCANNED_PER_LOOKUP < degree ? look_up(query, i) : scan(query, i);
}

/* ------------------------------------------------------------------------------------------------ useful */

typedef struct {
    const scalay_bottleneck *problem;
    int64_t steps;
    scalay_edges edges;
    int64_t count, col_capacity, weight_capacity;
} gatherer;

static scalay_status keep_edge(gatherer *gather, int i, int64_t e)
{
    scalay_status status = SCALAY_SUCCESS;
    const scalay_edges *edges = gather->problem->context;
    if (scalay_bottleneck_cost(gather->problem, i, edges->col[e], edges->weight[e]) > gather->steps) return status;
    SCALAY_TRY(SCALAY_GROW(gather->edges.col, gather->col_capacity, gather->count + 1));
    SCALAY_TRY(SCALAY_GROW(gather->edges.weight, gather->weight_capacity, gather->count + 1));
    gather->edges.col[gather->count] = edges->col[e];
    gather->edges.weight[gather->count++] = edges->weight[e];
cleanup:
    return status;
}

/* The weight that an edge of a row has to exceed for at most `steps` steps. */
static int64_t floor_of_row(const scalay_bottleneck *problem, int64_t steps, int i)
{
    return scalay_max_int64(problem->held[i] - steps - 1, 0);
}

static scalay_status gather_row(gatherer *gather, int i)
{
    scalay_status status = SCALAY_SUCCESS;
    const scalay_edges *edges = gather->problem->context;
    const int64_t floor = floor_of_row(gather->problem, gather->steps, i);
    int64_t end = 0;
    for (int64_t first = edges->start[i]; first < edges->start[i + 1]; first = end) {
        end = scalay_edges_block_end(edges, i, first);
        if (!scalay_edges_block_exceeds(edges, first, end, floor)) continue;
        for (int64_t e = first; e < end; e++)
            if (edges->weight[e] > floor) SCALAY_TRY(keep_edge(gather, i, e));
    }
cleanup:
    return status;
}

static scalay_status gather_columns(gatherer *gather, column_query *query, int i)
{
    scalay_status status = SCALAY_SUCCESS;
    const int64_t count = query_row(query, i);
    for (int64_t k = 0; k < count; k++) SCALAY_TRY(keep_edge(gather, i, query->found[k]));
cleanup:
    return status;
}

static scalay_status find_useful(const scalay_bottleneck *problem, int64_t steps, const scalay_cover *needs,
                                 scalay_edges *useful)
{
    scalay_status status = SCALAY_SUCCESS;
    const scalay_edges *edges = problem->context;
    gatherer gather = {.problem = problem, .steps = steps, .edges = {.rows = edges->rows, .cols = edges->cols}};
    column_query query = {0};
    SCALAY_TRY(SCALAY_NEW(gather.edges.start, (int64_t)edges->rows + 1));
    SCALAY_TRY(query_allocate(edges, &query));
    for (int j = 0; j < edges->cols; j++)
        if (needs->col[j]) query_add(&query, j, problem->wanted[j] - steps - 1);
    for (int i = 0; i < edges->rows; i++) {
        SCALAY_TRY(needs->row[i] ? gather_row(&gather, i) : gather_columns(&gather, &query, i));
        gather.edges.start[i + 1] = gather.count;
    }
    *useful = gather.edges;
    gather.edges = (scalay_edges){0};
cleanup:
    query_free(&query);
    scalay_edges_free(&gather.edges);
    return status;
}

/* ---------------------------------------------------------------------------------------------- next steps */

static int64_t next_steps_of_row(const scalay_bottleneck *problem, int64_t steps, int i)
{
    const scalay_edges *edges = problem->context;
    int64_t next_steps = scalay_bottleneck_unmatched_cost(problem, 0, i);
    for (int64_t e = edges->start[i]; e < edges->start[i + 1]; e++) {
        const int64_t cost = scalay_bottleneck_cost(problem, i, edges->col[e], edges->weight[e]);
        if (cost > steps && cost < next_steps) next_steps = cost;
    }
    return next_steps;
}

/* Applies the edges found in a row. Later edges of a column matter only if they cost less. */
static void lower_next_steps(const scalay_bottleneck *problem, int64_t steps, int i, column_query *query, int64_t count,
                             int64_t *next_steps)
{
    const scalay_edges *edges = problem->context;
    for (int64_t k = 0; k < count; k++) {
        const int64_t e = query->found[k];
        const int j = edges->col[e];
        const int64_t cost = scalay_bottleneck_cost(problem, i, j, edges->weight[e]);
        if (cost <= steps || cost >= next_steps[j]) continue;
        next_steps[j] = cost;
        query->floor[j] = scalay_max_int64(problem->wanted[j] - cost, 0);
    }
}

static scalay_status next_steps_of_columns(const scalay_bottleneck *problem, int64_t steps, const int *cols, int count,
                                           int64_t *next_steps)
{
    scalay_status status = SCALAY_SUCCESS;
    column_query query = {0};
    int64_t *of_col = NULL;
    SCALAY_TRY(query_allocate(problem->context, &query));
    SCALAY_TRY(SCALAY_NEW(of_col, problem->cols));
    for (int k = 0; k < count; k++) {
        of_col[cols[k]] = scalay_bottleneck_unmatched_cost(problem, 1, cols[k]);
        query_add(&query, cols[k], problem->wanted[cols[k]] - of_col[cols[k]]);
    }
    for (int i = 0; i < problem->rows; i++) lower_next_steps(problem, steps, i, &query, query_row(&query, i), of_col);
    for (int k = 0; k < count; k++) next_steps[k] = of_col[cols[k]];
cleanup:
    query_free(&query);
    scalay_release(of_col);
    return status;
}

static scalay_status find_next_steps(const scalay_bottleneck *problem, int64_t steps, int of_parts, const int *lines,
                                     int count, int64_t *next_steps)
{
    if (of_parts) return next_steps_of_columns(problem, steps, lines, count, next_steps);
    for (int k = 0; k < count; k++) next_steps[k] = next_steps_of_row(problem, steps, lines[k]);
    return SCALAY_SUCCESS;
}

static int row_serves(const scalay_bottleneck *problem, int64_t steps, int i)
{
    const scalay_edges *edges = problem->context;
    const int64_t floor = floor_of_row(problem, steps, i);
    int64_t end = 0;
    for (int64_t first = edges->start[i]; first < edges->start[i + 1]; first = end) {
        end = scalay_edges_block_end(edges, i, first);
        if (!scalay_edges_block_exceeds(edges, first, end, floor)) continue;
        for (int64_t e = first; e < end; e++)
            if (scalay_bottleneck_cost(problem, i, edges->col[e], edges->weight[e]) <= steps) return 1;
    }
    return 0;
}

const scalay_bottleneck_source scalay_bottleneck_edges = {
    .useful = find_useful, .next_steps = find_next_steps, .row_serves = row_serves};
