/* The edges that matter to a number of steps. Only rows and columns with more items than that need one, and where few
 * do, few edges are looked at: those of the rows, and in the other rows those to the columns, each by itself. */
#include "mapping/bottleneck.h"

#include "base/integer.h"
#include "base/memory.h"

/* Looking one edge up in a row takes as long as passing so many by. */
enum { PASSED_PER_LOOKUP = 16 };

/* Columns whose edges are asked for, row after row. */
typedef struct {
    const scalay_edges *edges;
    int *cols; /* shape [count] */
    int count;
    int64_t *floor; /* shape [cols of the edges]: only heavier edges are wanted; INT64_MAX: none of this column */
    int64_t *found; /* shape [cols of the edges]: edges of the row at hand */
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

static int64_t pass_by(column_query *query, int i)
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

/* Finds the wanted edges of a row; returns their number. */
static int64_t query_row(column_query *query, int i)
{
    const int64_t degree = query->edges->start[i + 1] - query->edges->start[i];
    return (int64_t)query->count * PASSED_PER_LOOKUP < degree ? look_up(query, i) : pass_by(query, i);
}

/* ------------------------------------------------------------------------------------------------ useful */

typedef struct {
    const scalay_bottleneck *problem;
    int64_t steps;
    scalay_edges made;
    int64_t count, capacity_col, capacity_weight;
} gatherer;

static scalay_status keep_edge(gatherer *gather, int i, int64_t e)
{
    scalay_status status = SCALAY_SUCCESS;
    const scalay_edges *edges = gather->problem->context;
    if (scalay_bottleneck_cost(gather->problem, i, edges->col[e], edges->weight[e]) > gather->steps) return status;
    SCALAY_TRY(SCALAY_GROW(gather->made.col, gather->capacity_col, gather->count + 1));
    SCALAY_TRY(SCALAY_GROW(gather->made.weight, gather->capacity_weight, gather->count + 1));
    gather->made.col[gather->count] = edges->col[e];
    gather->made.weight[gather->count++] = edges->weight[e];
cleanup:
    return status;
}

/* An edge of few enough steps leaves the row no more than those, whatever the column. */
static int64_t least_useful(const scalay_bottleneck *problem, int64_t steps, int i)
{
    return scalay_max_int64(problem->held[i] - steps - 1, 0);
}

static scalay_status gather_row(gatherer *gather, int i)
{
    scalay_status status = SCALAY_SUCCESS;
    const scalay_edges *edges = gather->problem->context;
    const int64_t least = least_useful(gather->problem, gather->steps, i);
    int64_t end = 0;
    for (int64_t first = edges->start[i]; first < edges->start[i + 1]; first = end) {
        end = scalay_edges_block_end(edges, i, first);
        if (!scalay_edges_block_exceeds(edges, first, end, least)) continue;
        for (int64_t e = first; e < end; e++)
            if (edges->weight[e] > least) SCALAY_TRY(keep_edge(gather, i, e));
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
    gatherer gather = {.problem = problem, .steps = steps, .made = {.rows = edges->rows, .cols = edges->cols}};
    column_query query = {0};
    SCALAY_TRY(SCALAY_NEW(gather.made.start, (int64_t)edges->rows + 1));
    SCALAY_TRY(query_allocate(edges, &query));
    for (int j = 0; j < edges->cols; j++)
        if (needs->col[j]) query_add(&query, j, problem->wanted[j] - steps - 1);
    for (int i = 0; i < edges->rows; i++) {
        SCALAY_TRY(needs->row[i] ? gather_row(&gather, i) : gather_columns(&gather, &query, i));
        gather.made.start[i + 1] = gather.count;
    }
    *useful = gather.made;
    gather.made = (scalay_edges){0};
cleanup:
    query_free(&query);
    scalay_edges_free(&gather.made);
    return status;
}

/* ------------------------------------------------------------------------------------------------- hopes */

static int64_t hope_of_row(const scalay_bottleneck *problem, int64_t steps, int i)
{
    const scalay_edges *edges = problem->context;
    int64_t hope = scalay_bottleneck_alone(problem, 0, i);
    for (int64_t e = edges->start[i]; e < edges->start[i + 1]; e++) {
        const int64_t cost = scalay_bottleneck_cost(problem, i, edges->col[e], edges->weight[e]);
        if (cost > steps && cost < hope) hope = cost;
    }
    return hope;
}

/* The edges found in a row. An edge gives its column hope only if it leaves it less than what it hopes for now. */
static void hopes_through_row(const scalay_bottleneck *problem, int64_t steps, int i, column_query *query,
                              int64_t count, int64_t *hope)
{
    const scalay_edges *edges = problem->context;
    for (int64_t k = 0; k < count; k++) {
        const int64_t e = query->found[k];
        const int j = edges->col[e];
        const int64_t cost = scalay_bottleneck_cost(problem, i, j, edges->weight[e]);
        if (cost <= steps || cost >= hope[j]) continue;
        hope[j] = cost;
        query->floor[j] = scalay_max_int64(problem->wanted[j] - cost, 0);
    }
}

static scalay_status hopes_of_columns(const scalay_bottleneck *problem, int64_t steps, const int *cols, int count,
                                      int64_t *hope)
{
    scalay_status status = SCALAY_SUCCESS;
    column_query query = {0};
    int64_t *of_col = NULL;
    SCALAY_TRY(query_allocate(problem->context, &query));
    SCALAY_TRY(SCALAY_NEW(of_col, problem->cols));
    for (int k = 0; k < count; k++) {
        of_col[cols[k]] = scalay_bottleneck_alone(problem, 1, cols[k]);
        query_add(&query, cols[k], problem->wanted[cols[k]] - of_col[cols[k]]);
    }
    for (int i = 0; i < problem->rows; i++) hopes_through_row(problem, steps, i, &query, query_row(&query, i), of_col);
    for (int k = 0; k < count; k++) hope[k] = of_col[cols[k]];
cleanup:
    query_free(&query);
    scalay_release(of_col);
    return status;
}

static scalay_status find_hopes(const scalay_bottleneck *problem, int64_t steps, int of_parts, const int *lines,
                                int count, int64_t *hope)
{
    if (of_parts) return hopes_of_columns(problem, steps, lines, count, hope);
    for (int k = 0; k < count; k++) hope[k] = hope_of_row(problem, steps, lines[k]);
    return SCALAY_SUCCESS;
}

static int row_serves(const scalay_bottleneck *problem, int64_t steps, int i)
{
    const scalay_edges *edges = problem->context;
    const int64_t least = least_useful(problem, steps, i);
    int64_t end = 0;
    for (int64_t first = edges->start[i]; first < edges->start[i + 1]; first = end) {
        end = scalay_edges_block_end(edges, i, first);
        if (!scalay_edges_block_exceeds(edges, first, end, least)) continue;
        for (int64_t e = first; e < end; e++)
            if (scalay_bottleneck_cost(problem, i, edges->col[e], edges->weight[e]) <= steps) return 1;
    }
    return 0;
}

const scalay_bottleneck_source scalay_bottleneck_edges = {
    .useful = find_useful, .hopes = find_hopes, .row_serves = row_serves};
