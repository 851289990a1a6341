#ifndef SCALAY_MAPPING_NODE_SEATS_H
#define SCALAY_MAPPING_NODE_SEATS_H

/**
 * @file
 * Parts on the seats of nodes: an assignment where processes of a node are alike but for what they hold themselves.
 *
 * A node has as many seats as processes that may take a part. A part sits on a node, whichever process that will be, or
 * holds one process of it, where it saves more than on the others. Places are the nodes and the processes; a process
 * that nobody holds costs what a seat of its node does. A part gains what it saves on a place less the price of that,
 * and nothing when it stays out.
 */

#include "mapping/deadline.h"
#include "mapping/edges.h"
#include "mapping/links.h"

/** Who sits where, and prices. */
typedef struct {
    const scalay_node_members *members; /* not owned; likewise node */
    const int *node;                    /* shape [processes]: of each; where it has no members nobody sits */
    int nodes, processes, parts;
    scalay_edges offers; /* what parts (the rows) save on places: nodes, then processes */
    int64_t *price;  /* shape [nodes + processes + 1]: of places; of a process only while it is held; of staying out */
    int *seat;       /* shape [members]: who sits on each node: a heap, the lowest bid first */
    int *taken;      /* shape [nodes]: how many */
    int *holder;     /* shape [processes]: the part that holds each, -1: none */
    int64_t *choice; /* shape [parts]: the offer that each has taken, -1: it is out */
    int *position;   /* shape [parts]: in the heap, -1: in none */
    int64_t *bid;    /* shape [parts]: up to which price it stays */
} scalay_node_seats;

/** Seats on which nobody sits, free of charge, and no offers yet: these become the seats' own. To be released with
 * scalay_node_seats_free(), also on failure. */
scalay_status scalay_node_seats_create(const scalay_node_members *members, const int *node, int nodes, int processes,
                                       int parts, scalay_node_seats *seats);

/** Releases what seats hold. Zeroed ones are fine. */
void scalay_node_seats_free(scalay_node_seats *seats);

/** The place whose price is paid for a place: a process that nobody holds is as good as its node. */
static inline int scalay_seats_place(const scalay_node_seats *seats, int place)
{
    const int process = place - seats->nodes;
    return process < 0 || seats->holder[process] >= 0 ? place : seats->node[process];
}

/** The node of a place. */
static inline int scalay_seats_node(const scalay_node_seats *seats, int place)
{
    return place < seats->nodes ? place : seats->node[place - seats->nodes];
}

/** The seats of a node. */
static inline int scalay_seats_room(const scalay_node_seats *seats, int node)
{
    return seats->members->start[node + 1] - seats->members->start[node];
}

/** A part that is out takes an offer; there is a seat, and nobody holds the process. That then costs the bid. */
void scalay_seats_sit(scalay_node_seats *seats, int part, int64_t offer, int64_t bid);

/** A part gets up. */
void scalay_seats_leave(scalay_node_seats *seats, int part);

/** What all save that sit. */
int64_t scalay_seats_saved(const scalay_node_seats *seats);

/**
 * Everybody gets up and bids: a part takes the place where it gains most, at a price at which the next best is better
 * by a step. Who bids less gives way. In the end nobody gains more elsewhere than by a step. Prices begin where they
 * are, less a few steps.
 * @param[in,out] bids  is raised by how many there have been
 * @param[out]    late  1: the deadline came first
 *
 * Source: Bertsekas and Castanon, The auction algorithm for the transportation problem, Annals of Operations Research
 * 20 (1989), for parts that find the processes of a node alike.
 */
scalay_status scalay_seats_auction(scalay_node_seats *seats, int64_t step, scalay_deadline deadline, int64_t *bids,
                                   int *late);

/**
 * Raises prices until nobody gains more elsewhere; where that would never end, parts change places in a circle, and
 * together save more. Then no seats are better: seats that are left cost as much as staying out.
 * @param[in]  effort  how many parts to ask, which takes as long as a bid each; INT64_MAX: until it is done
 * @param[out] done    0: the effort was not enough, or the deadline came first
 */
scalay_status scalay_seats_refine(scalay_node_seats *seats, int64_t effort, scalay_deadline deadline, int *done);

#endif
