/* Peers for the least steps, on the complete graph of processes and parts with weights max(sent, received): the
 * published Algorithm 2 of Herrmann et al. (2016), and bisection. Both match by Hopcroft and Karp (An n^5/2 algorithm
 * for maximum matchings in bipartite graphs, 1973). */
#include <stdlib.h>
#include <string.h>

#include "../tests/summaries.h"
#include "mapping_runs.h"

enum { LARGEST_EXTENT = 4096 };

typedef struct {
    int64_t weight;
    int row;
    int column;
} weighted_edge;

typedef struct {
    int extent;
    int64_t *weight;     /* shape [extent][extent] */
    weighted_edge *edge; /* shape [extent * extent], by ascending weight; only for the published algorithm */
    int64_t *start;      /* of each row in `column` */
    int64_t *count;      /* edges of each row that are there */
    int *column;
    int *of_row; /* what it is matched with; -1: free */
    int *of_column;
    int *level; /* of each row; -1: not reached */
    int *queue;
    int64_t *next; /* of each row: the edge to try next */
} graph;

/* ------------------------------------------------------------------------------------- Hopcroft and Karp */

/* Levels of the rows from the free ones on; whether a free column can be reached. */
static int set_levels(graph *g)
{
    int filled = 0, reached = 0;
    for (int i = 0; i < g->extent; i++) {
        g->level[i] = g->of_row[i] < 0 ? 0 : -1;
        if (g->of_row[i] < 0) g->queue[filled++] = i;
    }
    for (int k = 0; k < filled; k++) {
        const int i = g->queue[k];
        const int *column = g->column + g->start[i];
        if (reached && g->level[i] > g->level[g->queue[reached - 1]]) break;
        for (int64_t e = 0; e < g->count[i]; e++) {
            const int holder = g->of_column[column[e]];
            if (holder < 0) {
                reached = k + 1;
            } else if (g->level[holder] < 0) {
                g->level[holder] = g->level[i] + 1;
                g->queue[filled++] = holder;
            }
        }
    }
    return reached > 0;
}

static int extend_path(graph *g, int row)
{
    while (g->next[row] < g->count[row]) {
        const int j = g->column[g->start[row] + g->next[row]++];
        const int holder = g->of_column[j];
        if (holder >= 0 && (g->level[holder] != g->level[row] + 1 || !extend_path(g, holder))) continue;
        g->of_row[row] = j;
        g->of_column[j] = row;
        return 1;
    }
    return 0;
}

/* From the matching that is there to a maximum one; returns how many rows are matched. */
static int match(graph *g)
{
    int matched = 0;
    for (int i = 0; i < g->extent; i++) matched += g->of_row[i] >= 0;
    while (matched < g->extent && set_levels(g)) {
        memset(g->next, 0, (size_t)g->extent * sizeof *g->next);
        for (int i = 0; i < g->extent; i++)
            if (g->of_row[i] < 0) matched += extend_path(g, i);
    }
    return matched;
}

static void clear_matching(graph *g)
{
    for (int i = 0; i < g->extent; i++) g->of_row[i] = g->of_column[i] = -1;
}

/* ------------------------------------------------------------------------------------------------- graph */

/* Weights as in Algorithm 2: what process i would have to send or receive with part j. */
static void fill_weights(const scalay_traffic *traffic, graph *g)
{
    const int n = g->extent;
    int64_t *held = mapping_room(n, sizeof *held), *wanted = mapping_room(n, sizeof *wanted);
    const int *part = NULL;
    const int64_t *items = NULL;
    int64_t count = 0;
    for (int i = 0; i < n; i++) {
        mapping_must(scalay_traffic_row(traffic, i, &count, &part, &items));
        for (int64_t e = 0; e < count; e++) {
            held[i] += items[e];
            wanted[part[e]] += items[e];
        }
    }
    for (int i = 0; i < n; i++) {
        int64_t *weight = g->weight + (int64_t)i * n;
        for (int j = 0; j < n; j++) weight[j] = held[i] > wanted[j] ? held[i] : wanted[j];
        mapping_must(scalay_traffic_row(traffic, i, &count, &part, &items));
        for (int64_t e = 0; e < count; e++) weight[part[e]] -= items[e];
    }
    free(held);
    free(wanted);
}

static graph graph_of(const scalay_traffic *traffic)
{
    const int64_t n = traffic_summary(traffic).parts;
    graph g = {.extent = (int)n,
               .weight = mapping_room(n * n, sizeof(int64_t)),
               .start = mapping_room(n, sizeof(int64_t)),
               .count = mapping_room(n, sizeof(int64_t)),
               .column = mapping_room(n * n, sizeof(int)),
               .of_row = mapping_room(n, sizeof(int)),
               .of_column = mapping_room(n, sizeof(int)),
               .level = mapping_room(n, sizeof(int)),
               .queue = mapping_room(n, sizeof(int)),
               .next = mapping_room(n, sizeof(int64_t))};
    for (int64_t i = 0; i < n; i++) g.start[i] = i * n;
    fill_weights(traffic, &g);
    clear_matching(&g);
    return g;
}

static void release(graph *g)
{
    free(g->weight);
    free(g->edge);
    free(g->start);
    free(g->count);
    free(g->column);
    free(g->of_row);
    free(g->of_column);
    free(g->level);
    free(g->queue);
    free(g->next);
}

/* -------------------------------------------------------------------------------------------- algorithms */

static int compare_edges(const void *a, const void *b)
{
    const weighted_edge *x = a, *y = b;
    return (x->weight > y->weight) - (x->weight < y->weight);
}

/* All edges, those of a row by ascending weight. */
static void sort_edges(graph *g)
{
    const int64_t n = g->extent;
    g->edge = mapping_room(n * n, sizeof *g->edge);
    for (int64_t e = 0; e < n * n; e++) g->edge[e] = (weighted_edge){g->weight[e], (int)(e / n), (int)(e % n)};
    qsort(g->edge, (size_t)(n * n), sizeof *g->edge, compare_edges);
    for (int64_t e = 0; e < n * n; e++) {
        const int i = g->edge[e].row;
        g->column[g->start[i] + g->count[i]++] = g->edge[e].column;
    }
}

/* Takes the heaviest edges away, out of the matching too; returns how many are left. */
static int64_t remove_heaviest(graph *g, int64_t edges)
{
    const int64_t heaviest = g->edge[edges - 1].weight;
    for (; edges > 0 && g->edge[edges - 1].weight == heaviest; edges--) {
        const weighted_edge *gone = &g->edge[edges - 1];
        g->count[gone->row]--;
        if (g->of_row[gone->row] != gone->column) continue;
        g->of_row[gone->row] = -1;
        g->of_column[gone->column] = -1;
    }
    return edges;
}

/* Algorithm 2: takes the heaviest edges away and matches again, until there is no perfect matching. */
static int64_t remove_and_match(graph *g, int keeps_matching)
{
    int64_t edges = (int64_t)g->extent * g->extent, least = 0;
    sort_edges(g);
    while (match(g) == g->extent) {
        least = g->edge[edges - 1].weight;
        edges = remove_heaviest(g, edges);
        if (edges == 0) break;
        if (!keeps_matching) clear_matching(g);
    }
    return least;
}

/* Whether edges of at most so much weight are enough. */
static int is_feasible(graph *g, int64_t most)
{
    const int n = g->extent;
    for (int i = 0; i < n; i++) {
        const int64_t *weight = g->weight + g->start[i];
        int *column = g->column + g->start[i];
        int64_t count = 0;
        for (int j = 0; j < n; j++) {
            column[count] = j;
            count += weight[j] <= most;
        }
        g->count[i] = count;
    }
    clear_matching(g);
    return match(g) == n;
}

/* Between the heaviest of the rows' lightest edges and the heaviest edge on the diagonal. */
static int64_t bisect(graph *g)
{
    const int n = g->extent;
    int64_t low = 0, high = 0;
    for (int i = 0; i < n; i++) {
        const int64_t *weight = g->weight + g->start[i];
        int64_t least = weight[0];
        for (int j = 1; j < n; j++) least = weight[j] < least ? weight[j] : least;
        low = least > low ? least : low;
        high = weight[i] > high ? weight[i] : high;
    }
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (is_feasible(g, middle))
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

double mapping_published_steps(const void *traffic, int64_t *value)
{
    if (traffic_summary(traffic).parts > LARGEST_EXTENT) return -1.0;
    graph g = graph_of(traffic);
    const double start = mapping_now();
    value[0] = remove_and_match(&g, 0);
    const double seconds = mapping_now() - start;
    release(&g);
    return seconds;
}

double mapping_published_steps_kept(const void *traffic, int64_t *value)
{
    if (traffic_summary(traffic).parts > LARGEST_EXTENT) return -1.0;
    graph g = graph_of(traffic);
    const double start = mapping_now();
    value[0] = remove_and_match(&g, 1);
    const double seconds = mapping_now() - start;
    release(&g);
    return seconds;
}

double mapping_bisected_steps(const void *traffic, int64_t *value)
{
    if (traffic_summary(traffic).parts > LARGEST_EXTENT) return -1.0;
    graph g = graph_of(traffic);
    const double start = mapping_now();
    value[0] = bisect(&g);
    const double seconds = mapping_now() - start;
    release(&g);
    return seconds;
}
