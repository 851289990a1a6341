#ifndef SCALAY_MAPPING_NODE_ASSIGNMENT_H
#define SCALAY_MAPPING_NODE_ASSIGNMENT_H

/**
 * @file
 * Assignment of parts to nodes: an assignment problem in which the processes of a node are equal except for the
 * elements that they hold themselves.
 *
 * The capacity of a node is its number of processes that may take a part. A part is assigned to a node, to any process
 * of it, or to one process of it, where the part saves more than on the others. Nodes and processes are called sites. A
 * process without a part of its own costs the price of its node. The gain of a part is its saving at a site minus the
 * price of the site; an unassigned part gains 0.
 */

#include "mapping/deadline.h"
#include "mapping/edges.h"
#include "mapping/node_links.h"

/** The state of an assignment. */
typedef struct {
    const scalay_node_members *members; /* not owned */
    const int *node; /* shape [processes]: node of each process, not owned; nodes without members take no part */
    int nodes, processes, parts;
    scalay_edges offers; /* savings of parts (rows) at sites (columns): nodes, then processes */
    int64_t *price; /* shape [nodes + processes + 1]: of sites; of a process only while it is held; of no assignment */
    int *occupant;  /* shape [members]: parts on each node, a heap with the lowest bid first */
    int64_t *occupants; /* shape [nodes]: number of parts on each node */
    int *holder;        /* shape [processes]: part that is assigned to exactly this process, -1: none */
    int64_t *choice;    /* shape [parts]: offer that each part has taken, -1: unassigned */
    int64_t *position;  /* shape [parts]: in the heap, -1: unassigned */
    int64_t *bid;       /* shape [parts]: price up to which the part stays */
} scalay_node_assignment;

/** Creates an assignment without parts, with prices 0 and no offers. Offers that the caller sets are owned by it.
 *  Release with scalay_node_assignment_free(), also on failure. */
scalay_status scalay_node_assignment_create(const scalay_node_members *members, const int *node, int nodes,
                                            int processes, int parts, scalay_node_assignment *state);

/** Releases the arrays of an assignment. A zeroed one is allowed. */
void scalay_node_assignment_free(scalay_node_assignment *state);

/** Returns the sum of the savings of all assigned parts. */
int64_t scalay_node_assignment_saved(const scalay_node_assignment *state);

/**
 * Assigns all parts by an auction that starts with no assignment and with prices a few steps below the current ones. A
 * part bids for the site where it gains most, up to a price at which the next best site is better by a step. The part
 * of the lowest bid is displaced. At the end no part gains more than a step elsewhere.
 * @param[in,out] bids  increased by the number of bids
 * @param[out]    late  1: the deadline passed first
 *
 * Source: Bertsekas and Castanon, The auction algorithm for the transportation problem, Annals of Operations Research
 * 20 (1989).
 */
scalay_status scalay_node_assignment_auction(scalay_node_assignment *state, int64_t step, scalay_deadline deadline,
                                             int64_t *bids, int *late);

/**
 * Raises prices until no part gains more elsewhere, as longest paths between sites. If a path closes a cycle, its parts
 * change sites along the cycle and save more together. At the end the assignment is optimal, and free capacity costs as
 * much as no assignment.
 * @param[in]  effort  limit on the number of parts examined, each as expensive as a bid; INT64_MAX: no limit
 * @param[out] done    0: the effort was too small, or the deadline passed first
 */
scalay_status scalay_node_assignment_refine(scalay_node_assignment *state, int64_t effort, scalay_deadline deadline,
                                            int *done);

#endif
