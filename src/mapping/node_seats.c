#include "mapping/node_seats.h"

#include "core/memory.h"

scalay_status scalay_node_seats_create(const scalay_node_members *members, const int *node, int nodes, int processes,
                                       int parts, scalay_node_seats *seats)
{
    scalay_status status = SCALAY_SUCCESS;
    *seats =
        (scalay_node_seats){.members = members, .node = node, .nodes = nodes, .processes = processes, .parts = parts};
    SCALAY_TRY(SCALAY_NEW(seats->price, (int64_t)nodes + processes + 1));
    SCALAY_TRY(SCALAY_NEW(seats->seat, members->start[nodes]));
    SCALAY_TRY(SCALAY_NEW(seats->taken, nodes));
    SCALAY_TRY(SCALAY_NEW(seats->holder, processes));
    SCALAY_TRY(SCALAY_NEW(seats->choice, parts));
    SCALAY_TRY(SCALAY_NEW(seats->position, parts));
    SCALAY_TRY(SCALAY_NEW(seats->bid, parts));
    for (int k = 0; k < processes; k++) seats->holder[k] = -1;
    for (int j = 0; j < parts; j++) seats->choice[j] = -1;
cleanup:
    return status;
}

void scalay_node_seats_free(scalay_node_seats *seats)
{
    scalay_edges_free(&seats->offers);
    scalay_release(seats->price);
    scalay_release(seats->seat);
    scalay_release(seats->taken);
    scalay_release(seats->holder);
    scalay_release(seats->choice);
    scalay_release(seats->position);
    scalay_release(seats->bid);
}

/* ------------------------------------------------------------------------------------------------- heap */

static void put(scalay_node_seats *seats, int *heap, int at, int part)
{
    heap[at] = part;
    seats->position[part] = at;
}

static void sift_up(scalay_node_seats *seats, int *heap, int at)
{
    const int part = heap[at];
    for (; at > 0 && seats->bid[heap[(at - 1) / 2]] > seats->bid[part]; at = (at - 1) / 2)
        put(seats, heap, at, heap[(at - 1) / 2]);
    put(seats, heap, at, part);
}

static void sift_down(scalay_node_seats *seats, int *heap, int count, int at)
{
    const int part = heap[at];
    for (int child = 2 * at + 1; child < count; child = 2 * at + 1) {
        if (child + 1 < count && seats->bid[heap[child + 1]] < seats->bid[heap[child]]) child++;
        if (seats->bid[heap[child]] >= seats->bid[part]) break;
        put(seats, heap, at, heap[child]);
        at = child;
    }
    put(seats, heap, at, part);
}

void scalay_seats_sit(scalay_node_seats *seats, int part, int64_t offer, int64_t bid)
{
    const int place = seats->offers.col[offer], node = scalay_seats_node(seats, place);
    int *heap = seats->seat + seats->members->start[node];
    const int at = seats->taken[node]++;
    seats->choice[part] = offer;
    seats->bid[part] = bid;
    if (place >= seats->nodes) {
        seats->holder[place - seats->nodes] = part;
        seats->price[place] = bid;
    }
    heap[at] = part;
    sift_up(seats, heap, at);
}

void scalay_seats_leave(scalay_node_seats *seats, int part)
{
    const int place = seats->offers.col[seats->choice[part]], node = scalay_seats_node(seats, place);
    int *heap = seats->seat + seats->members->start[node];
    const int at = seats->position[part], count = --seats->taken[node];
    if (place >= seats->nodes) seats->holder[place - seats->nodes] = -1;
    seats->choice[part] = -1;
    if (at == count) return;
    const int last = heap[count];
    put(seats, heap, at, last);
    sift_up(seats, heap, at);
    sift_down(seats, heap, count, seats->position[last]);
}

int64_t scalay_seats_saved(const scalay_node_seats *seats)
{
    int64_t saved = 0;
    for (int j = 0; j < seats->parts; j++)
        if (seats->choice[j] >= 0) saved += seats->offers.weight[seats->choice[j]];
    return saved;
}
