#ifndef SCALAY_MAPPING_SOLVE_H
#define SCALAY_MAPPING_SOLVE_H

/** @file A mapping problem with its options resolved, and what its solvers share. */

#include "mapping/assignment.h"
#include "mapping/bottleneck.h"
#include "mapping/deadline.h"
#include "mapping/mapping.h"

/** What to map, and where parts may go. */
typedef struct {
    const scalay_traffic *traffic;
    int processes;               /* parts may go to 0 .. processes-1 */
    const unsigned char *barred; /* shape [processes]; NULL: nobody is */
    const int *canonical;        /* shape [parts]: where each part sits; NULL: part j on process j */
    scalay_link_cost link_cost;
    void *link_context;
    const scalay_process_grid *grid; /* that the parts sit on; NULL: none */
    int64_t seed;
    scalay_deadline deadline;
    scalay_edges edges;     /* of the processes that may take a part; a view of the traffic unless row_out is there */
    unsigned char *row_out; /* shape [processes of the traffic]: may take no part; NULL: all may */
} scalay_mapping_problem;

/** SCALAY_ERROR_ARGUMENT for options that make no sense. NULL is fine. */
scalay_status scalay_mapping_options_check(const scalay_mapping_options *options);

/** Also for an objective that is none. */
scalay_status scalay_mapping_check_request(scalay_objective objective, const scalay_mapping_options *options);

/** What the solver has not said itself: it is optimal, and so is the volume where that decided. A mapping that meets
 * its bounds is optimal whenever it was found. */
void scalay_mapping_conclude(const scalay_mapping_problem *problem, scalay_mapping *made);

/** Every part stays where it is. */
scalay_status scalay_problem_solve_canonical(const scalay_mapping_problem *problem, scalay_mapping *mapping);

/** The best mapping for a traffic matrix; canonical and most as in scalay_mapping_problem_create(); grid: that the
 * parts sit on. */
scalay_status scalay_mapping_solve(const scalay_traffic *traffic, const int *canonical, int most,
                                   const scalay_process_grid *grid, scalay_objective objective,
                                   const scalay_mapping_options *options, scalay_mapping **mapping);

/** Where the target layout has each part (owned by the caller), and how many processes the two layouts have. */
scalay_status scalay_canonical_processes(const scalay_layout *source, const scalay_layout *target, int **canonical,
                                         int *most);

/** A problem with its options resolved, for so many parts and without a traffic: nothing is to be released. The rest
 * as in scalay_mapping_problem_create(). */
scalay_status scalay_mapping_problem_resolve(int parts, const int *canonical, int most,
                                             const scalay_mapping_options *options, scalay_mapping_problem *problem);

/**
 * The same with a traffic.
 * @param[in]  canonical  shape [parts]: where each part sits; kept; NULL: part j on process j
 * @param[in]  most       the number of processes when the options leave it open
 * @param[out] problem    to be released with scalay_mapping_problem_free(), also on failure
 * @return SCALAY_SUCCESS, SCALAY_ERROR_INFEASIBLE (fewer processes than parts), SCALAY_ERROR_MEMORY
 */
scalay_status scalay_mapping_problem_create(const scalay_traffic *traffic, const int *canonical, int most,
                                            const scalay_mapping_options *options, scalay_mapping_problem *problem);

/** Where the target layout has a part. */
int scalay_problem_canonical(const scalay_mapping_problem *problem, int part);

/** Releases what a problem holds. */
void scalay_mapping_problem_free(scalay_mapping_problem *problem);

/**
 * Least volume among the mappings of at most so many steps, then least steps.
 * @param[in]     steps     INT64_MAX: any number; otherwise some mapping has no more
 * @param[in]     feasible  the matching of such a mapping; NULL for any number
 * @param[in,out] mapping   process and certificate are filled in
 */
scalay_status scalay_problem_solve_within(const scalay_mapping_problem *problem, int64_t steps,
                                          const scalay_matching *feasible, scalay_mapping *mapping);

/** What must use an edge where there are so many steps: whoever has more items. To be released with
 * scalay_cover_free(), also on failure. */
scalay_status scalay_problem_cover_heavy(const scalay_bottleneck *bottleneck, int64_t steps, scalay_cover *cover);

/** What every mapping of least volume matches, given optimal duals: whatever has a positive one, and what is heavy
 * (NULL: nothing is). To be released with scalay_cover_free(), also on failure. */
scalay_status scalay_problem_cover_positive(int rows, int cols, const scalay_assignment *assignment,
                                            const scalay_cover *heavy, scalay_cover *cover);

/** Hands the crowd of a solution over to a mapping, with the bound that it proves. */
void scalay_problem_take_crowd(scalay_bottleneck_solution *solution, scalay_mapping *mapping);

/** Hands the duals of an assignment over to a mapping: `processes` of processes, and those of all parts. */
void scalay_problem_take_duals(scalay_assignment *assignment, int processes, scalay_mapping *mapping);

/** The bottleneck problem of the least steps, until the deadline of the problem. */
scalay_bottleneck scalay_problem_bottleneck(const scalay_mapping_problem *problem, const scalay_edges *edges);

/** Solves for SCALAY_MIN_GRID_VOLUME; fills process, proof, bound and the certificate in. */
scalay_status scalay_problem_solve_grid(const scalay_mapping_problem *problem, scalay_mapping *mapping);

/** The grid that the parts of a layout sit on, canonical[j] being the process of part j; owned by the caller. NULL
 * layout: rows of parts 0, 1, .. one after the other, part j on process j. */
scalay_status scalay_process_grid_create(const scalay_layout *layout, const int *canonical, int rows, int parts,
                                         scalay_process_grid *grid);

/** Releases what a grid holds. A zeroed one is fine. */
void scalay_process_grid_free(scalay_process_grid *grid);

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
