#include "partition/exact_counts.h"

#include <stdlib.h>

#include "base/integer.h"
#include "base/memory.h"
#include "partition/exact_counts_trade.h"
#include "partition/queue.h"

/* Two neighbours, and what the first gives to the second in the end. */
typedef struct {
    int part[2];
    int64_t flow;
    int64_t cells; /* that a new line for the taker has room for, about */
} border;

/* The parts as a graph. */
typedef struct {
    int parts;
    border *list; /* shape [borders] */
    int64_t borders;
    int64_t room;
    int64_t *first;  /* shape [parts + 1]: borders of a part are at[first[part]] .. */
    int64_t *at;     /* shape [2 * borders] */
    int64_t *excess; /* shape [parts]: count - target, what is not on its way yet */
    int64_t *via;    /* shape [parts]: the border by which a search came; -1: not met */
    double *lines;   /* shape [parts]: new lines on the way there */
    int *met;        /* shape [parts]: those that the search has met */
    scalay_queue queue;
} trade_graph;

static int compare_borders(const void *left, const void *right)
{
    const border *a = left, *b = right;
    if (a->part[0] != b->part[0]) return a->part[0] < b->part[0] ? -1 : 1;
    return (a->part[1] > b->part[1]) - (a->part[1] < b->part[1]);
}

static scalay_status add_border(trade_graph *graph, int a, int b)
{
    const border added = {{a < b ? a : b, a < b ? b : a}, 0, 0};
    if (a == b) return SCALAY_SUCCESS;
    if (graph->borders > 0 && compare_borders(&graph->list[graph->borders - 1], &added) == 0) return SCALAY_SUCCESS;
    scalay_status status = SCALAY_GROW(graph->list, graph->room, graph->borders + 1);
    if (status == SCALAY_SUCCESS) graph->list[graph->borders++] = added;
    return status;
}

/* Who is next to whom: right of and below each cell. */
static scalay_status find_borders(const scalay_map_builder *quilt, trade_graph *graph)
{
    scalay_status status = SCALAY_SUCCESS;
    int64_t *row_cut = NULL, *col_cut = NULL, kept = 0;
    int *owner = NULL;
    const int64_t rows = quilt->bands[SCALAY_BUILDER_ROWS].count, cols = quilt->bands[SCALAY_BUILDER_COLUMNS].count;
    SCALAY_TRY(scalay_map_builder_cells(quilt, &row_cut, &col_cut, &owner));
    for (int64_t r = 0; r < rows; r++)
        for (int64_t c = 0; c + 1 < cols; c++)
            SCALAY_TRY(add_border(graph, owner[r * cols + c], owner[r * cols + c + 1]));
    for (int64_t r = 0; r + 1 < rows; r++)
        for (int64_t c = 0; c < cols; c++)
            SCALAY_TRY(add_border(graph, owner[r * cols + c], owner[(r + 1) * cols + c]));
    if (graph->borders > 0) qsort(graph->list, (size_t)graph->borders, sizeof *graph->list, compare_borders);
    for (int64_t k = 0; k < graph->borders; k++)
        if (k == 0 || compare_borders(&graph->list[k], &graph->list[kept - 1]) != 0)
            graph->list[kept++] = graph->list[k];
    graph->borders = kept;
cleanup:
    scalay_release(row_cut);
    scalay_release(col_cut);
    scalay_release(owner);
    return status;
}

static scalay_status make_graph(const scalay_map_builder *quilt, const int64_t *target, trade_graph *graph)
{
    scalay_status status = SCALAY_SUCCESS;
    graph->parts = quilt->parts;
    SCALAY_TRY(find_borders(quilt, graph));
    SCALAY_TRY(SCALAY_NEW(graph->first, (int64_t)graph->parts + 1));
    SCALAY_TRY(SCALAY_NEW(graph->at, 2 * graph->borders));
    SCALAY_TRY(SCALAY_NEW(graph->excess, graph->parts));
    SCALAY_TRY(SCALAY_NEW(graph->via, graph->parts));
    SCALAY_TRY(SCALAY_NEW(graph->lines, graph->parts));
    SCALAY_TRY(SCALAY_NEW(graph->met, graph->parts));
    SCALAY_TRY(SCALAY_NEW(graph->queue.entry, 2 * graph->borders + 1));
    for (int part = 0; part < graph->parts; part++) graph->excess[part] = quilt->count[part] - target[part];
    for (int64_t k = 0; k < graph->borders; k++)
        for (int end = 0; end < 2; end++) graph->first[graph->list[k].part[end]]++;
    for (int part = 0; part < graph->parts; part++) graph->first[part + 1] += graph->first[part];
    for (int64_t k = graph->borders - 1; k >= 0; k--)
        for (int end = 0; end < 2; end++) graph->at[--graph->first[graph->list[k].part[end]]] = k;
cleanup:
    return status;
}

static void free_graph(trade_graph *graph)
{
    scalay_release(graph->list);
    scalay_release(graph->first);
    scalay_release(graph->at);
    scalay_release(graph->excess);
    scalay_release(graph->via);
    scalay_release(graph->lines);
    scalay_release(graph->met);
    scalay_release(graph->queue.entry);
}

/* ------------------------------------------------------------------------------------------------ routing */

/* The lines of a direction that two parts share; marks[] are those of the first. */
static int64_t shared_lines(const scalay_map_builder *quilt, int direction, int part, const char *marks)
{
    const scalay_map_builder_list *list = &quilt->list[direction][part];
    int64_t lines = 0;
    for (int64_t k = 0; k < list->count; k++)
        if (marks[list->band[k]]) lines += quilt->bands[direction].lines[list->band[k]];
    return lines;
}

static void mark_bands(const scalay_map_builder_list *list, char *marks, char mark)
{
    for (int64_t k = 0; k < list->count; k++) marks[list->band[k]] = mark;
}

/* How many cells a line takes over each border: neighbours that share many rows trade columns, and the other way. */
static scalay_status measure_borders(const scalay_map_builder *quilt, trade_graph *graph)
{
    scalay_status status = SCALAY_SUCCESS;
    char *marks = NULL;
    for (int direction = 0; direction < 2; direction++) {
        SCALAY_TRY(SCALAY_NEW(marks, quilt->bands[direction].count));
        for (int64_t k = 0; k < graph->borders; k++) {
            border *at = &graph->list[k];
            mark_bands(&quilt->list[direction][at->part[0]], marks, 1);
            at->cells = scalay_max_int64(at->cells, shared_lines(quilt, direction, at->part[1], marks));
            mark_bands(&quilt->list[direction][at->part[0]], marks, 0);
        }
        scalay_release(marks);
        marks = NULL;
    }
cleanup:
    scalay_release(marks);
    return status;
}

static int other_end(const border *at, int part)
{
    return at->part[0] == part ? at->part[1] : at->part[0];
}

/* Comes to a part by a border, unless it was nearer before. */
static void come(trade_graph *graph, int part, int64_t via, double lines, int64_t *met)
{
    if (graph->via[part] < 0)
        graph->met[(*met)++] = part;
    else if (graph->lines[part] <= lines)
        return;
    graph->via[part] = via;
    graph->lines[part] = lines;
    scalay_queue_put(&graph->queue, lines, part);
}

/* The part that lacks cells to which the surplus of another one comes over the fewest new lines (Dijkstra); -1 when
   there is none. Leaves via[] behind for the way. */
static int nearest_lack(trade_graph *graph, int from, int64_t *met)
{
    *met = 0;
    graph->queue.count = 0;
    come(graph, from, graph->borders, 0, met);
    while (graph->queue.count > 0) {
        const scalay_queue_entry at = scalay_queue_take(&graph->queue);
        const int part = (int)at.number;
        if (at.due > graph->lines[part]) continue;
        if (graph->excess[part] < 0) return part;
        for (int64_t k = graph->first[part]; k < graph->first[part + 1]; k++) {
            const border *over = &graph->list[graph->at[k]];
            const double lines = (double)scalay_ceil_div(graph->excess[from], scalay_max_int64(1, over->cells));
            come(graph, other_end(over, part), graph->at[k], at.due + lines, met);
        }
    }
    return -1;
}

static void send(trade_graph *graph, int from, int to)
{
    const int64_t cells = scalay_min_int64(graph->excess[from], -graph->excess[to]);
    graph->excess[from] -= cells;
    graph->excess[to] += cells;
    for (int part = to; part != from;) {
        border *at = &graph->list[graph->via[part]];
        at->flow += at->part[1] == part ? cells : -cells;
        part = other_end(at, part);
    }
}

static void route(trade_graph *graph)
{
    for (int part = 0; part < graph->parts; part++) graph->via[part] = -1;
    for (int part = 0; part < graph->parts; part++)
        while (graph->excess[part] > 0) {
            int64_t met;
            const int lack = nearest_lack(graph, part, &met);
            if (lack >= 0) send(graph, part, lack);
            for (int64_t k = 0; k < met; k++) graph->via[graph->met[k]] = -1;
            if (lack < 0) return;
        }
}

/* Trades in rounds: who passes cells on keeps one of its own all the time, unless it should have none. */
static scalay_status trade_all(trade_graph *graph, const int64_t *target, scalay_map_builder *quilt,
                               scalay_trade_scratch *scratch)
{
    scalay_status status = SCALAY_SUCCESS;
    for (int traded = 1; traded;) {
        traded = 0;
        for (int64_t k = 0; k < graph->borders; k++) {
            border *at = &graph->list[k];
            const int forth = at->flow > 0, giver = at->part[!forth], taker = at->part[forth];
            const int64_t wanted = forth ? at->flow : -at->flow;
            const int64_t cells = scalay_min_int64(wanted, quilt->count[giver] - (target[giver] > 0));
            if (cells <= 0) continue;
            SCALAY_TRY(scalay_trade(quilt, giver, taker, cells, scratch));
            at->flow -= forth ? cells : -cells;
            traded = 1;
        }
    }
cleanup:
    return status;
}

/* --------------------------------------------------------------------------------------------- empty parts */

/* The part with most cells too many that can spare one: its last one only if it should have none. */
static int richest(const scalay_map_builder *quilt, const int64_t *target)
{
    int rich = -1;
    for (int part = 0; part < quilt->parts; part++)
        if (quilt->count[part] > (target[part] > 0) &&
            (rich < 0 || quilt->count[part] - target[part] > quilt->count[rich] - target[rich]))
            rich = part;
    return rich;
}

/* A first cell for every part that should have some, so that all have neighbours. */
static scalay_status found_parts(const int64_t *target, scalay_map_builder *quilt, scalay_trade_scratch *scratch)
{
    scalay_status status = SCALAY_SUCCESS;
    for (int part = 0; part < quilt->parts; part++) {
        if (target[part] == 0 || quilt->count[part] > 0) continue;
        SCALAY_TRY(scalay_trade(quilt, richest(quilt, target), part, 1, scratch));
    }
cleanup:
    return status;
}

scalay_status scalay_exact_counts(const int64_t *target, scalay_map_builder *quilt)
{
    scalay_status status = SCALAY_SUCCESS;
    trade_graph graph = {0};
    scalay_trade_scratch scratch = {0};
    SCALAY_TRY(found_parts(target, quilt, &scratch));
    SCALAY_TRY(make_graph(quilt, target, &graph));
    SCALAY_TRY(measure_borders(quilt, &graph));
    route(&graph);
    SCALAY_TRY(trade_all(&graph, target, quilt, &scratch));
cleanup:
    free_graph(&graph);
    scalay_release(scratch.band);
    return status;
}
