#ifndef SCALAY_MAPPING_SOLVE_H
#define SCALAY_MAPPING_SOLVE_H

/** @file A mapping problem with its options resolved, and what its solvers share. */

#include "mapping/assignment.h"
#include "mapping/mapping.h"

/** What to map, and where parts may go. */
typedef struct {
    const scalay_traffic *traffic;
    int processes;               /* parts may go to 0 .. processes-1 */
    const unsigned char *barred; /* shape [processes]; NULL: nobody is */
    const int *canonical;        /* shape [parts]: where each part sits; NULL: part j on process j */
    scalay_link_cost link_cost;
    void *link_context;
    scalay_edges edges;     /* of the processes that may take a part; a view of the traffic unless row_out is there */
    unsigned char *row_out; /* shape [processes of the traffic]: may take no part; NULL: all may */
} scalay_mapping_problem;

/** Whether a process may take a part. */
int scalay_problem_may_take(const scalay_mapping_problem *problem, int process);

/**
 * Puts every part where a matching has it, and those that it leaves out on their canonical process where that is free,
 * otherwise on the first free one.
 * @param[in]     of_part  shape [parts]: the process of each part; -1: none
 * @param[in,out] mapping  its process is filled in
 */
scalay_status scalay_problem_place(const scalay_mapping_problem *problem, const int *of_part, scalay_mapping *mapping);

/** Solves for SCALAY_MIN_TIME with a link cost; fills process, time and the certificate in. */
scalay_status scalay_problem_solve_time(const scalay_mapping_problem *problem, scalay_mapping *mapping);

#endif
