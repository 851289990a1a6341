/* Peer: the algorithm of Jonker and Volgenant for dense assignments, with all its parts: column reduction, reduction
 * transfer, two passes of augmenting row reduction, and shortest augmenting paths for the rows that are left (A
 * shortest augmenting path algorithm for dense and sparse linear assignment problems, Computing 38, 1987). Written from
 * the description, with 32-bit costs, for which compilers vectorise the scans of a row. */
#include <stdlib.h>
#include <string.h>

#include "../tests/summaries.h"
#include "mapping_runs.h"

enum { MOST_COST = 1 << 29, LARGEST_EXTENT = 1 << 15, PASSES = 2, PATIENCE = 20 };

typedef struct {
    int extent;
    int32_t *cost;  /* shape [extent][extent]: minus the items */
    int32_t *price; /* of each column */
    int *column;    /* of each row; -1: free */
    int *row;       /* of each column; -1: free */
    int *free_rows;
    int free_count;
    int32_t *distance; /* of each column */
    int *before;       /* of each column: the row that comes before it */
    int *order;        /* columns: scanned, then at the least distance, then the others */
} assignment;

static const int32_t *costs_of(const assignment *state, int row)
{
    return state->cost + (int64_t)row * state->extent;
}

/* The least reduced cost among columns begin .. end-1. */
static int32_t least_reduced(const int32_t *cost, const int32_t *price, int begin, int end)
{
    int32_t least = MOST_COST * 2 - 1;
    for (int j = begin; j < end; j++) {
        const int32_t reduced = cost[j] - price[j];
        least = reduced < least ? reduced : least;
    }
    return least;
}

static int32_t least_beside(const assignment *state, int row, int column)
{
    const int32_t *cost = costs_of(state, row);
    const int32_t left = least_reduced(cost, state->price, 0, column);
    const int32_t right = least_reduced(cost, state->price, column + 1, state->extent);
    return left < right ? left : right;
}

/* The first column of this reduced cost, but `beside`. */
static int find_reduced(const assignment *state, int row, int32_t reduced, int beside)
{
    const int32_t *cost = costs_of(state, row);
    int j = 0;
    while (j == beside || cost[j] - state->price[j] != reduced) j++;
    return j;
}

/* Every column takes its cheapest row; a row that several want goes to the first. */
static void reduce_columns(assignment *state)
{
    const int n = state->extent;
    memcpy(state->price, state->cost, (size_t)n * sizeof *state->price);
    for (int j = 0; j < n; j++) state->before[j] = 0;
    for (int i = 1; i < n; i++) {
        const int32_t *cost = costs_of(state, i);
        for (int j = 0; j < n; j++) {
            const int less = cost[j] < state->price[j];
            state->price[j] = less ? cost[j] : state->price[j];
            state->before[j] = less ? i : state->before[j];
        }
    }
    for (int i = 0; i < n; i++) state->column[i] = -1;
    for (int j = n - 1; j >= 0; j--) {
        const int i = state->before[j];
        state->row[j] = -1;
        state->distance[i] = state->column[i] >= 0; /* is it wanted by others, too? */
        if (state->column[i] >= 0) continue;
        state->column[i] = j;
        state->row[j] = i;
    }
}

/* Rows that one column alone wants hand their slack on to it. */
static void transfer_reductions(assignment *state)
{
    for (int i = 0; i < state->extent; i++) {
        if (state->column[i] < 0)
            state->free_rows[state->free_count++] = i;
        else if (!state->distance[i])
            state->price[state->column[i]] -= least_beside(state, i, state->column[i]);
    }
}

/* Free rows take their best column, and pay for it what the second best is worse; who held it is free then. */
static void reduce_rows(assignment *state)
{
    const int waiting = state->free_count;
    int64_t patience = (int64_t)PATIENCE * state->extent;
    state->free_count = 0;
    for (int k = 0; k < waiting;) {
        const int i = state->free_rows[k++];
        const int32_t first = least_reduced(costs_of(state, i), state->price, 0, state->extent);
        int j = find_reduced(state, i, first, -1);
        const int32_t second = least_beside(state, i, j);
        if (first < second)
            state->price[j] -= second - first;
        else if (state->row[j] >= 0)
            j = find_reduced(state, i, second, j);
        const int holder = state->row[j];
        state->column[i] = j;
        state->row[j] = i;
        if (holder < 0) continue;
        state->column[holder] = -1;
        if (first < second && patience-- > 0)
            state->free_rows[--k] = holder;
        else
            state->free_rows[state->free_count++] = holder;
    }
}

static void swap_to(int *order, int from, int to)
{
    const int column = order[from];
    order[from] = order[to];
    order[to] = column;
}

/* Columns at the least distance among order[begin ..] come to its front; returns where they end. */
static int collect_nearest(assignment *state, int begin, int32_t *least)
{
    int *order = state->order;
    int end = begin;
    *least = state->distance[order[begin]];
    for (int k = begin; k < state->extent; k++) {
        const int32_t distance = state->distance[order[k]];
        if (distance > *least) continue;
        if (distance < *least) {
            *least = distance;
            end = begin;
        }
        swap_to(order, k, end++);
    }
    return end;
}

static int find_free_column(const assignment *state, int begin, int end)
{
    for (int k = begin; k < end; k++)
        if (state->row[state->order[k]] < 0) return state->order[k];
    return -1;
}

/* Goes on from the row that holds a column at the least distance; returns a free column that is as near, or -1. */
static int relax_row(assignment *state, int column, int32_t least, int *end)
{
    const int i = state->row[column];
    const int32_t *cost = costs_of(state, i);
    const int32_t base = cost[column] - state->price[column] - least;
    for (int k = *end; k < state->extent; k++) {
        const int j = state->order[k];
        const int32_t distance = cost[j] - state->price[j] - base;
        if (distance >= state->distance[j]) continue;
        state->distance[j] = distance;
        state->before[j] = i;
        if (distance > least) continue;
        if (state->row[j] < 0) return j;
        swap_to(state->order, k, (*end)++);
    }
    return -1;
}

/* The free column that is nearest to a row; prices of columns that are nearer change. */
static int find_path(assignment *state, int root)
{
    const int32_t *cost = costs_of(state, root);
    int32_t least = 0;
    int scanned = 0, end = 0, ready = 0, found = -1;
    for (int j = 0; j < state->extent; j++) {
        state->distance[j] = cost[j] - state->price[j];
        state->before[j] = root;
        state->order[j] = j;
    }
    while (found < 0) {
        if (scanned == end) {
            ready = scanned;
            end = collect_nearest(state, scanned, &least);
            found = find_free_column(state, scanned, end);
        }
        if (found < 0) found = relax_row(state, state->order[scanned++], least, &end);
    }
    for (int k = 0; k < ready; k++) state->price[state->order[k]] += state->distance[state->order[k]] - least;
    return found;
}

static void augment(assignment *state, int root)
{
    int j = find_path(state, root), i = -1;
    while (i != root) {
        i = state->before[j];
        const int next = state->column[i];
        state->row[j] = i;
        state->column[i] = j;
        j = next;
    }
}

static void solve(assignment *state)
{
    reduce_columns(state);
    transfer_reductions(state);
    for (int pass = 0; pass < PASSES; pass++) reduce_rows(state);
    for (int k = 0; k < state->free_count; k++) augment(state, state->free_rows[k]);
}

/* Sets the costs; whether they fit. */
static int fill_costs(const scalay_traffic *traffic, assignment *state)
{
    for (int i = 0; i < state->extent; i++) {
        const int *part = NULL;
        const int64_t *items = NULL;
        int64_t count = 0;
        mapping_must(scalay_traffic_row(traffic, i, &count, &part, &items));
        for (int64_t e = 0; e < count; e++) {
            if (items[e] >= MOST_COST) return 0;
            state->cost[(int64_t)i * state->extent + part[e]] = (int32_t)-items[e];
        }
    }
    return 1;
}

static void release(assignment *state)
{
    free(state->cost);
    free(state->price);
    free(state->column);
    free(state->row);
    free(state->free_rows);
    free(state->distance);
    free(state->before);
    free(state->order);
}

double mapping_jonker_volgenant(const void *context, int64_t *value)
{
    const scalay_traffic *traffic = context;
    const int n = traffic_summary(traffic).parts;
    double seconds = -1.0;
    if (n > LARGEST_EXTENT) return seconds;
    assignment state = {.extent = n,
                        .cost = mapping_room((int64_t)n * n, sizeof(int32_t)),
                        .price = mapping_room(n, sizeof(int32_t)),
                        .column = mapping_room(n, sizeof(int)),
                        .row = mapping_room(n, sizeof(int)),
                        .free_rows = mapping_room(n, sizeof(int)),
                        .distance = mapping_room(n, sizeof(int32_t)),
                        .before = mapping_room(n, sizeof(int)),
                        .order = mapping_room(n, sizeof(int))};
    if (fill_costs(traffic, &state)) {
        const double start = mapping_now();
        solve(&state);
        seconds = mapping_now() - start;
        value[0] = 0;
        for (int i = 0; i < n; i++) value[0] += scalay_traffic_get_entry(traffic, i, state.column[i]);
    }
    release(&state);
    return seconds;
}
