/*
 * Exact counts: surplus cells are transferred to parts with a deficit.
 *
 * Routing: each surplus is sent along the shortest path in new lines (Dijkstra on the graph of neighbouring parts). The
 * transfers between two neighbours are transfer where they add the fewest owners to lines: along lines that the two
 * parts share.
 */
#include "partition/exact_counts.h"

#include <math.h>
#include <stdlib.h>

#include "base/compare.h"
#include "base/integer.h"
#include "base/memory.h"

/* -------------------------------------------------------------------------------------- transfers between two parts */

/* Reusable memory, zeroed at first. */
typedef struct {
    int64_t capacity;
    int64_t *band; /* shape [capacity] */
} trade_scratch;

/* A way to transfer cells: from lines of one band, in some of the crossing bands. */
typedef struct {
    int direction;
    int64_t band;       /* -1: none */
    int64_t max_cells;  /* cells that one line can give */
    double cost;        /* owners added to lines, per cell */
    int64_t distance;   /* distance from the receiver, in lines */
    int is_shared_only; /* 1: only in crossing bands in which the receiver owns cells */
} offer;

/* Computes the range of lines from the first one to the last one in which a part owns cells. */
static void find_range(const scalay_map_builder *builder, int direction, int part, int64_t *first, int64_t *end)
{
    const scalay_map_builder_list *list = &builder->list[direction][part];
    const scalay_map_builder_bands *bands = &builder->bands[direction];
    *first = *end = 0;
    for (int64_t k = 0; k < list->count; k++) {
        const int64_t at = bands->first[list->band[k]], behind = at + bands->lines[list->band[k]];
        *first = k == 0 ? at : scalay_min_int64(*first, at);
        *end = k == 0 ? behind : scalay_max_int64(*end, behind);
    }
}

/* Returns how many cells of a line belong to a part, in the crossing bands of a list. */
static int64_t cells_of(const scalay_map_builder *builder, int direction, int64_t band, int part,
                        const scalay_map_builder_list *list)
{
    int64_t cells = 0;
    for (int64_t k = 0; k < list->count; k++)
        if (scalay_map_builder_owner(builder, direction, band, list->band[k]) == part)
            cells += builder->bands[1 - direction].lines[list->band[k]];
    return cells;
}

static int is_better(const offer *a, const offer *b)
{
    if (b->band < 0) return 1;
    if (a->cost != b->cost) return a->cost < b->cost;
    if (a->max_cells != b->max_cells) return a->max_cells > b->max_cells;
    return a->distance < b->distance;
}

/*
 * Evaluates the cells of a band in crossing bands in which the receiver owns cells: the only line that may get a new
 * owner is the line itself.
 */
static void consider(const scalay_map_builder *builder, const offer *common, int giver, int receiver, int64_t cells,
                     offer *best)
{
    const int across = 1 - common->direction;
    const scalay_map_builder_list *taken = &builder->list[across][receiver], *given = &builder->list[across][giver];
    offer transfer = *common;
    transfer.max_cells = cells_of(builder, transfer.direction, transfer.band, giver, taken);
    if (transfer.max_cells == 0) return;
    const int is_new = cells_of(builder, transfer.direction, transfer.band, receiver, taken) == 0;
    const int leaves = cells >= transfer.max_cells &&
                       cells_of(builder, transfer.direction, transfer.band, giver, given) == transfer.max_cells;
    transfer.max_cells = scalay_min_int64(transfer.max_cells, cells);
    transfer.cost = (double)(is_new - leaves) / (double)transfer.max_cells;
    if (is_better(&transfer, best)) *best = transfer;
}

static offer best_offer(const scalay_map_builder *builder, int giver, int receiver, int64_t cells)
{
    offer best = {.band = -1};
    for (int direction = 0; direction < 2; direction++) {
        const scalay_map_builder_list *list = &builder->list[direction][giver];
        const scalay_map_builder_bands *bands = &builder->bands[direction];
        int64_t first, end;
        find_range(builder, direction, receiver, &first, &end);
        for (int64_t k = 0; k < list->count; k++) {
            const int64_t band = list->band[k], at = bands->first[band];
            const int64_t gap = scalay_max_int64(first - at - bands->lines[band], at - end);
            const offer common = {
                .direction = direction, .band = band, .distance = scalay_max_int64(0, gap), .is_shared_only = 1};
            consider(builder, &common, giver, receiver, cells, &best);
        }
    }
    return best;
}

/* Returns an offer for parts that share no line: the first row of a square, where the giver has max_cells cells. */
static offer new_corner(const scalay_map_builder *builder, int giver, int64_t cells)
{
    offer best = {.band = -1};
    const scalay_map_builder_list *list = &builder->list[SCALAY_BUILDER_ROWS][giver];
    for (int64_t k = 0; k < list->count; k++) {
        const int64_t max_cells =
            cells_of(builder, SCALAY_BUILDER_ROWS, list->band[k], giver, &builder->list[SCALAY_BUILDER_COLUMNS][giver]);
        if (max_cells > best.max_cells)
            best = (offer){.direction = SCALAY_BUILDER_ROWS, .band = list->band[k], .max_cells = max_cells};
    }
    best.max_cells = scalay_min_int64(best.max_cells, (int64_t)ceil(sqrt((double)cells)));
    return best;
}

/* Lists the crossing bands of an offer, in the order of their lines. */
static scalay_status list_across(const scalay_map_builder *builder, const offer *transfer, int giver, int receiver,
                                 trade_scratch *scratch, int64_t *count)
{
    scalay_status status = SCALAY_SUCCESS;
    const scalay_map_builder_bands *bands = &builder->bands[1 - transfer->direction];
    const scalay_map_builder_list *list =
        &builder->list[1 - transfer->direction][transfer->is_shared_only ? receiver : giver];
    *count = 0;
    SCALAY_TRY(SCALAY_GROW(scratch->band, scratch->capacity, list->count));
    for (int64_t k = 0; k < list->count; k++) {
        int64_t at = *count;
        if (scalay_map_builder_owner(builder, transfer->direction, transfer->band, list->band[k]) != giver) continue;
        for (; at > 0 && bands->first[scratch->band[at - 1]] > bands->first[list->band[k]]; at--)
            scratch->band[at] = scratch->band[at - 1];
        scratch->band[at] = list->band[k];
        (*count)++;
    }
cleanup:
    return status;
}

/* Returns 1 if the middle of a part is before the middle of a band. */
static int lies_before(const scalay_map_builder *builder, int direction, int64_t band, int part)
{
    int64_t first, end;
    find_range(builder, direction, part, &first, &end);
    return first + end < 2 * builder->bands[direction].first[band] + builder->bands[direction].lines[band];
}

static scalay_status accept(scalay_map_builder *builder, const offer *transfer, int giver, int receiver, int64_t *cells,
                            trade_scratch *scratch)
{
    scalay_status status = SCALAY_SUCCESS;
    const int across = 1 - transfer->direction;
    const int64_t max_cells = transfer->max_cells;
    const int64_t lines =
        scalay_min_int64(builder->bands[transfer->direction].lines[transfer->band], *cells / max_cells);
    int64_t count, line, left = max_cells, part;
    SCALAY_TRY(list_across(builder, transfer, giver, receiver, scratch, &count));
    SCALAY_TRY(scalay_map_builder_split(builder, transfer->direction, transfer->band, lines,
                                        lies_before(builder, transfer->direction, transfer->band, receiver), &line));
    for (int64_t k = 0; k < count && left > 0; k++) {
        const int64_t taken = scalay_min_int64(left, builder->bands[across].lines[scratch->band[k]]);
        SCALAY_TRY(scalay_map_builder_split(builder, across, scratch->band[k], taken, 1, &part));
        SCALAY_TRY(scalay_map_builder_set_owner(builder, transfer->direction, line, part, receiver));
        left -= taken;
    }
    *cells -= (max_cells - left) * lines;
cleanup:
    return status;
}

/* Transfers cells from one part to another one; the giver has at least that many. */
static scalay_status trade(scalay_map_builder *builder, int giver, int receiver, int64_t cells, trade_scratch *scratch)
{
    scalay_status status = SCALAY_SUCCESS;
    while (cells > 0) {
        offer transfer = best_offer(builder, giver, receiver, cells);
        if (transfer.band < 0) transfer = new_corner(builder, giver, cells);
        SCALAY_TRY(accept(builder, &transfer, giver, receiver, &cells, scratch));
    }
cleanup:
    return status;
}

/* ----------------------------------------------------------------------------------------------- graph of the parts */

typedef struct {
    double lines;
    int64_t part;
} queue_entry;

#define BINARY_HEAP_NAME queue
#define BINARY_HEAP_ENTRY queue_entry
#define BINARY_HEAP_OWNER void
#define BINARY_HEAP_BEFORE(owner, a, b) ((a).lines < (b).lines || ((a).lines == (b).lines && (a).part < (b).part))
#include "base/binary_heap_worker.h"

/* Two neighbouring parts, and the number of cells that the first one transfers to the second one. */
typedef struct {
    int part[2];
    int64_t flow;
    int64_t cells; /* cells that fit into one new line of the receiver, approximately */
} border;

/* The graph of the parts. Its edges are the borders. */
typedef struct {
    int parts;
    border *list; /* shape [borders] */
    int64_t borders;
    int64_t capacity;
    int64_t *first;  /* shape [parts + 1]: part p has the borders at[first[p]] .. */
    int64_t *at;     /* shape [2 * borders] */
    int64_t *excess; /* shape [parts]: count - target, without the cells that are already routed */
    int64_t *via;    /* shape [parts]: border on the shortest path; -1: not visited */
    double *lines;   /* shape [parts]: length of the shortest path, in new lines */
    int *visited;    /* shape [parts]: parts visited by the search */
    int64_t queued;
    queue_entry *queue; /* shape [2 * borders + 1] */
} trade_graph;

static int compare_borders(const void *left, const void *right)
{
    const border *a = left, *b = right;
    if (a->part[0] != b->part[0]) return scalay_compare_int64(a->part[0], b->part[0]);
    return scalay_compare_int64(a->part[1], b->part[1]);
}

static scalay_status add_border(trade_graph *graph, int a, int b)
{
    const border added = {{a < b ? a : b, a < b ? b : a}, 0, 0};
    if (a == b) return SCALAY_SUCCESS;
    if (graph->borders > 0 && compare_borders(&graph->list[graph->borders - 1], &added) == 0) return SCALAY_SUCCESS;
    scalay_status status = SCALAY_GROW(graph->list, graph->capacity, graph->borders + 1);
    if (status == SCALAY_SUCCESS) graph->list[graph->borders++] = added;
    return status;
}

/* Finds the pairs of parts with neighbouring cells. */
static scalay_status find_borders(const scalay_map_builder *builder, trade_graph *graph)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_cell_grid grid = {0};
    int64_t kept = 0;
    SCALAY_TRY(scalay_map_builder_get_grid(builder, &grid));
    for (int64_t r = 0; r < grid.rows; r++)
        for (int64_t c = 0; c + 1 < grid.cols; c++)
            SCALAY_TRY(add_border(graph, grid.owner[r * grid.cols + c], grid.owner[r * grid.cols + c + 1]));
    for (int64_t r = 0; r + 1 < grid.rows; r++)
        for (int64_t c = 0; c < grid.cols; c++)
            SCALAY_TRY(add_border(graph, grid.owner[r * grid.cols + c], grid.owner[(r + 1) * grid.cols + c]));
    if (graph->borders > 0) qsort(graph->list, (size_t)graph->borders, sizeof *graph->list, compare_borders);
    for (int64_t k = 0; k < graph->borders; k++)
        if (k == 0 || compare_borders(&graph->list[k], &graph->list[kept - 1]) != 0)
            graph->list[kept++] = graph->list[k];
    graph->borders = kept;
cleanup:
    scalay_cell_grid_free(&grid);
    return status;
}

static scalay_status make_graph(const scalay_map_builder *builder, const int64_t *target, trade_graph *graph)
{
    scalay_status status = SCALAY_SUCCESS;
    graph->parts = builder->parts;
    SCALAY_TRY(find_borders(builder, graph));
    SCALAY_TRY(SCALAY_NEW(graph->first, (int64_t)graph->parts + 1));
    SCALAY_TRY(SCALAY_NEW(graph->at, 2 * graph->borders));
    SCALAY_TRY(SCALAY_NEW(graph->excess, graph->parts));
    SCALAY_TRY(SCALAY_NEW(graph->via, graph->parts));
    SCALAY_TRY(SCALAY_NEW(graph->lines, graph->parts));
    SCALAY_TRY(SCALAY_NEW(graph->visited, graph->parts));
    SCALAY_TRY(SCALAY_NEW(graph->queue, 2 * graph->borders + 1));
    for (int part = 0; part < graph->parts; part++) graph->excess[part] = builder->count[part] - target[part];
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
    scalay_release(graph->visited);
    scalay_release(graph->queue);
}

/* Returns the number of lines that two parts share; marks[] are those of the first. */
static int64_t shared_lines(const scalay_map_builder *builder, int direction, int part, const char *marks)
{
    const scalay_map_builder_list *list = &builder->list[direction][part];
    int64_t lines = 0;
    for (int64_t k = 0; k < list->count; k++)
        if (marks[list->band[k]]) lines += builder->bands[direction].lines[list->band[k]];
    return lines;
}

static void mark_bands(const scalay_map_builder_list *list, char *marks, char mark)
{
    for (int64_t k = 0; k < list->count; k++) marks[list->band[k]] = mark;
}

/* Computes how many cells a line takes over each border. Parts that share rows trade columns, and vice versa. */
static scalay_status measure_borders(const scalay_map_builder *builder, trade_graph *graph)
{
    scalay_status status = SCALAY_SUCCESS;
    char *marks = NULL;
    for (int direction = 0; direction < 2; direction++) {
        SCALAY_TRY(SCALAY_NEW(marks, builder->bands[direction].count));
        for (int64_t k = 0; k < graph->borders; k++) {
            border *at = &graph->list[k];
            mark_bands(&builder->list[direction][at->part[0]], marks, 1);
            at->cells = scalay_max_int64(at->cells, shared_lines(builder, direction, at->part[1], marks));
            mark_bands(&builder->list[direction][at->part[0]], marks, 0);
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

/* Reaches a part over a border, unless a shorter path is known. */
static void reach_part(trade_graph *graph, int part, int64_t via, double lines, int64_t *visited)
{
    if (graph->via[part] < 0)
        graph->visited[(*visited)++] = part;
    else if (graph->lines[part] <= lines)
        return;
    graph->via[part] = via;
    graph->lines[part] = lines;
    queue_sift_up(NULL, graph->queue, graph->queued++, (queue_entry){lines, part});
}

/* Finds the part with a deficit that is nearest in new lines (Dijkstra); -1: none. via[] has the path. */
static int nearest_lack(trade_graph *graph, int from, int64_t *visited)
{
    *visited = 0;
    graph->queued = 0;
    reach_part(graph, from, graph->borders, 0, visited);
    while (graph->queued > 0) {
        const queue_entry at = queue_pop(NULL, graph->queue, &graph->queued);
        const int part = (int)at.part;
        if (at.lines > graph->lines[part]) continue;
        if (graph->excess[part] < 0) return part;
        for (int64_t k = graph->first[part]; k < graph->first[part + 1]; k++) {
            const border *over = &graph->list[graph->at[k]];
            const double lines = (double)scalay_ceil_div(graph->excess[from], scalay_max_int64(1, over->cells));
            reach_part(graph, other_end(over, part), graph->at[k], at.lines + lines, visited);
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
            int64_t visited;
            const int lack = nearest_lack(graph, part, &visited);
            if (lack >= 0) send(graph, part, lack);
            for (int64_t k = 0; k < visited; k++) graph->via[graph->visited[k]] = -1;
            if (lack < 0) return;
        }
}

/* Transfers in rounds. A part that passes cells on keeps one cell of its own, unless its target is 0. */
static scalay_status trade_all(trade_graph *graph, const int64_t *target, scalay_map_builder *builder,
                               trade_scratch *scratch)
{
    scalay_status status = SCALAY_SUCCESS;
    for (int traded = 1; traded;) {
        traded = 0;
        for (int64_t k = 0; k < graph->borders; k++) {
            border *at = &graph->list[k];
            const int forth = at->flow > 0, giver = at->part[!forth], receiver = at->part[forth];
            const int64_t wanted = forth ? at->flow : -at->flow;
            const int64_t cells = scalay_min_int64(wanted, builder->count[giver] - (target[giver] > 0));
            if (cells <= 0) continue;
            SCALAY_TRY(trade(builder, giver, receiver, cells, scratch));
            at->flow -= forth ? cells : -cells;
            traded = 1;
        }
    }
cleanup:
    return status;
}

/* Returns the part with the largest surplus that can give a cell. It gives its last cell only if its target is 0. */
static int richest(const scalay_map_builder *builder, const int64_t *target)
{
    int rich = -1;
    for (int part = 0; part < builder->parts; part++)
        if (builder->count[part] > (target[part] > 0) &&
            (rich < 0 || builder->count[part] - target[part] > builder->count[rich] - target[rich]))
            rich = part;
    return rich;
}

/* Gives a first cell to each part that has none and needs some, so that all parts have neighbours. */
static scalay_status found_parts(const int64_t *target, scalay_map_builder *builder, trade_scratch *scratch)
{
    scalay_status status = SCALAY_SUCCESS;
    for (int part = 0; part < builder->parts; part++) {
        if (target[part] == 0 || builder->count[part] > 0) continue;
        SCALAY_TRY(trade(builder, richest(builder, target), part, 1, scratch));
    }
cleanup:
    return status;
}

scalay_status scalay_exact_counts(const int64_t *target, scalay_map_builder *builder)
{
    scalay_status status = SCALAY_SUCCESS;
    trade_graph graph = {0};
    trade_scratch scratch = {0};
    SCALAY_TRY(found_parts(target, builder, &scratch));
    SCALAY_TRY(make_graph(builder, target, &graph));
    SCALAY_TRY(measure_borders(builder, &graph));
    route(&graph);
    SCALAY_TRY(trade_all(&graph, target, builder, &scratch));
cleanup:
    free_graph(&graph);
    scalay_release(scratch.band);
    return status;
}
