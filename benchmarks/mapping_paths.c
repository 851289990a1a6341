/* Peer: successive shortest paths on the non-zeros with a binary heap, row after row, without initialisation. */
#include <stdlib.h>

#include "mapping/traffic.h"
#include "mapping_runs.h"

typedef struct {
    int64_t distance;
    int column;
} heap_entry;

typedef struct {
    const scalay_traffic *traffic;
    int *of_row;
    int *of_col;
    int64_t *u;
    int64_t *v;
    int64_t *distance;
    int *from;
    int *touched;
    int touched_count;
    heap_entry *heap;
    int64_t heap_count;
} ssp;

static void ssp_push(ssp *peer, int64_t distance, int column)
{
    int64_t k = peer->heap_count++;
    for (; k > 0 && peer->heap[(k - 1) / 2].distance > distance; k = (k - 1) / 2)
        peer->heap[k] = peer->heap[(k - 1) / 2];
    peer->heap[k] = (heap_entry){distance, column};
}

static heap_entry ssp_pop(ssp *peer)
{
    heap_entry top = peer->heap[0];
    heap_entry last = peer->heap[--peer->heap_count];
    int64_t k = 0;
    for (;;) {
        int64_t child = 2 * k + 1;
        if (child >= peer->heap_count) break;
        if (child + 1 < peer->heap_count && peer->heap[child + 1].distance < peer->heap[child].distance) child++;
        if (peer->heap[child].distance >= last.distance) break;
        peer->heap[k] = peer->heap[child];
        k = child;
    }
    peer->heap[k] = last;
    return top;
}

/* Columns 0 .. parts-1 are the parts; column parts + i is the private way of row i to stay unmatched, weight 0. */
static void ssp_relax(ssp *peer, int row, int64_t base, int column, int64_t weight)
{
    int64_t distance = base + peer->u[row] + peer->v[column] - weight;
    if (distance >= peer->distance[column]) return;
    if (peer->distance[column] == INT64_MAX) peer->touched[peer->touched_count++] = column;
    peer->distance[column] = distance;
    peer->from[column] = row;
    ssp_push(peer, distance, column);
}

/* Grows a tree of shortest paths from a row until it meets a free column, which is returned. */
static int ssp_search(ssp *peer, int root, int64_t *distance)
{
    const scalay_traffic *traffic = peer->traffic;
    int row = root;
    *distance = 0;
    for (;;) {
        for (int64_t e = traffic->start[row]; e < traffic->start[row + 1]; e++)
            ssp_relax(peer, row, *distance, traffic->part[e], traffic->count[e]);
        ssp_relax(peer, row, *distance, traffic->parts + row, 0);
        heap_entry next = ssp_pop(peer);
        while (next.distance > peer->distance[next.column]) next = ssp_pop(peer);
        *distance = next.distance;
        if (peer->of_col[next.column] < 0) return next.column;
        row = peer->of_col[next.column];
    }
}

static void ssp_update_duals(ssp *peer, int root, int64_t distance)
{
    for (int k = 0; k < peer->touched_count; k++) {
        int column = peer->touched[k];
        int64_t gain = distance - peer->distance[column];
        peer->distance[column] = INT64_MAX;
        if (gain <= 0) continue;
        peer->v[column] += gain;
        if (peer->of_col[column] >= 0) peer->u[peer->of_col[column]] -= gain;
    }
    peer->u[root] -= distance;
    peer->touched_count = 0;
    peer->heap_count = 0;
}

static void ssp_add_row(ssp *peer, int root)
{
    const scalay_traffic *traffic = peer->traffic;
    int64_t distance = 0;
    peer->u[root] = 0;
    for (int64_t e = traffic->start[root]; e < traffic->start[root + 1]; e++) {
        int64_t gain = traffic->count[e] - peer->v[traffic->part[e]];
        if (gain > peer->u[root]) peer->u[root] = gain;
    }
    int end = ssp_search(peer, root, &distance);
    ssp_update_duals(peer, root, distance);
    while (end >= 0) {
        int holder = peer->from[end];
        int before = holder == root ? -1 : peer->of_row[holder];
        peer->of_row[holder] = end;
        peer->of_col[end] = holder;
        end = before;
    }
}

static int64_t ssp_solve(const scalay_traffic *traffic)
{
    const int64_t rows = traffic->processes;
    const int64_t cols = traffic->parts + rows;
    ssp peer = {.traffic = traffic,
                .of_row = mapping_room(rows, sizeof(int)),
                .of_col = mapping_room(cols, sizeof(int)),
                .u = mapping_room(rows, sizeof(int64_t)),
                .v = mapping_room(cols, sizeof(int64_t)),
                .distance = mapping_room(cols, sizeof(int64_t)),
                .from = mapping_room(cols, sizeof(int)),
                .touched = mapping_room(cols, sizeof(int)),
                .heap = mapping_room(traffic->start[rows] + rows + 1, sizeof(heap_entry))};
    int64_t kept = 0;
    for (int64_t j = 0; j < cols; j++) {
        peer.of_col[j] = -1;
        peer.distance[j] = INT64_MAX;
    }
    for (int64_t i = 0; i < rows; i++) ssp_add_row(&peer, (int)i);
    for (int64_t i = 0; i < rows; i++) kept += scalay_traffic_get_entry(traffic, (int)i, peer.of_row[i]);
    free(peer.of_row);
    free(peer.of_col);
    free(peer.u);
    free(peer.v);
    free(peer.distance);
    free(peer.from);
    free(peer.touched);
    free(peer.heap);
    return kept;
}

double mapping_shortest_paths(const void *context, int64_t *value)
{
    const double start = mapping_now();
    value[0] = ssp_solve(context);
    return mapping_now() - start;
}
