#ifndef SCALAY_MAPPING_TIME_NODES_H
#define SCALAY_MAPPING_TIME_NODES_H

/**
 * @file
 * Least time between nodes. Whoever shares a node finds a part equally far away, but for what it holds itself: what
 * part j costs on process k of node n is T[n][j] less the way of k's own items within the node.
 */

#include "mapping/links.h"
#include "mapping/node_seats.h"
#include "mapping/time_problem.h"

/** The problem, and what has been found so far. */
typedef struct {
    const scalay_mapping_problem *problem;
    const scalay_traffic *traffic;
    const scalay_node_links *links;
    scalay_node_members members; /* that may take a part */
    int exponent;
    int apart;           /* 1: nodes differ only in whether they are the same */
    int64_t *worst;      /* shape [parts], in units */
    scalay_edges saving; /* of nodes and parts: worst less what the part costs there, in units; until it is offered */
    int64_t *here;       /* shape [parts]: of the node at hand; zero between nodes */
    int *node;           /* shape [processes]: of each */
    scalay_node_seats seats;
    scalay_assignment assignment;
} scalay_node_solver;

/** Finds worst, exponent and saving of a solver whose problem, members and apart are set. @return SCALAY_SUCCESS,
 * SCALAY_ERROR_ARGUMENT (a distance is negative or not finite), SCALAY_ERROR_RANGE, SCALAY_ERROR_MEMORY */
scalay_status scalay_node_savings(scalay_node_solver *s);

/** What a process saves on its own items of an entry of the traffic, besides what its node does. */
int64_t scalay_node_own_saving(const scalay_node_solver *s, int node, int64_t entry);

#endif
