#ifndef SCALAY_MAPPING_NODE_LINKS_H
#define SCALAY_MAPPING_NODE_LINKS_H

/** @file Link costs of processes on nodes, and times as multiples of a unit, for the solvers of least time. */

#include "base/status.h"
#include "mapping/problem.h"

/** Returns the node of a process; -1: it has none. */
int scalay_node_of(const scalay_node_links *links, int process);

/** Returns the cost of an element between different processes of nodes a and b. */
double scalay_node_distance(const scalay_node_links *links, int a, int b);

/** Returns 1 if all pairs of different nodes have the same distance, which is not less than that within a node. */
int scalay_nodes_are_uniform(const scalay_node_links *links);

/** The processes of each node. */
typedef struct {
    int *start;   /* shape [nodes + 1] */
    int *process; /* shape [start[nodes]], ascending in each node */
} scalay_node_members;

/** Creates the lists; release with scalay_node_members_free(), also on failure. @return SCALAY_SUCCESS,
 *  SCALAY_ERROR_ARGUMENT (a process has no node), SCALAY_ERROR_MEMORY */
scalay_status scalay_node_members_create(const scalay_node_links *links, int processes, scalay_node_members *members);

/** Releases the lists. Zeroed ones are allowed. */
void scalay_node_members_free(scalay_node_members *members);

/* ------------------------------------------------------------------------------------- parts of solvers */

/** Finds the unit of times, 2^-exponent, for a sum of times in the worst case.
 *  @return SCALAY_SUCCESS, SCALAY_ERROR_RANGE (the sum is not finite) */
scalay_status scalay_time_exponent(double sum, int *exponent);

/** Returns a time in units. */
int64_t scalay_time_in_units(double time, int exponent);

/** Returns SCALAY_ERROR_ARGUMENT if a link cost is negative or not finite. */
scalay_status scalay_time_check_link(double link, int from, int to);

/**
 * Sets time, bound, proof and certificate of a mapping.
 * @param[in]     worst       shape [parts], in units: the saving of a part on a process is worst minus its cost
 * @param[in,out] assignment  of savings, with feasible duals, which are moved to the mapping
 * @param[in]     time        of the mapping
 */
void scalay_time_set(const int64_t *worst, int exponent, scalay_assignment *assignment, double time,
                     scalay_mapping *mapping);

/** Solves for scalay_node_link_cost() without a matrix of processes and parts, as scalay_mapping_problem_solve_time().
 */
scalay_status scalay_mapping_problem_solve_nodes(const scalay_mapping_problem *problem, scalay_mapping *mapping);

#endif
