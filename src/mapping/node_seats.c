#include "mapping/node_seats.h"

#include "base/memory.h"
#include "mapping/heap.h"

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
    for (int j = 0; j < parts; j++) seats->choice[j] = seats->position[j] = -1;
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

/* Who sits on a node, the lowest bid first. */
static scalay_heap heap_of(const scalay_node_seats *seats, int node)
{
    return (scalay_heap){.key = seats->bid,
                         .member = seats->seat + seats->members->start[node],
                         .place = seats->position,
                         .count = seats->taken[node]};
}

void scalay_seats_sit(scalay_node_seats *seats, int part, int64_t offer, int64_t bid)
{
    const int place = seats->offers.col[offer], node = scalay_seats_node(seats, place);
    scalay_heap heap = heap_of(seats, node);
    seats->choice[part] = offer;
    seats->bid[part] = bid;
    if (place >= seats->nodes) {
        seats->holder[place - seats->nodes] = part;
        seats->price[place] = bid;
    }
    scalay_heap_raise(&heap, part);
    seats->taken[node] = heap.count;
}

void scalay_seats_leave(scalay_node_seats *seats, int part)
{
    const int place = seats->offers.col[seats->choice[part]], node = scalay_seats_node(seats, place);
    scalay_heap heap = heap_of(seats, node);
    if (place >= seats->nodes) seats->holder[place - seats->nodes] = -1;
    seats->choice[part] = -1;
    scalay_heap_remove(&heap, part);
    seats->taken[node] = heap.count;
}

int64_t scalay_seats_saved(const scalay_node_seats *seats)
{
    int64_t saved = 0;
    for (int j = 0; j < seats->parts; j++)
        if (seats->choice[j] >= 0) saved += seats->offers.weight[seats->choice[j]];
    return saved;
}
