#ifndef SCALAY_MAPPING_PROBLEM_H
#define SCALAY_MAPPING_PROBLEM_H

/** @file A mapping problem: traffic, options and grid, and the functions that its solvers share. */

#include "mapping/assignment.h"
#include "mapping/bottleneck.h"
#include "mapping/mapping.h"

/** The problem. */
typedef struct {
    const scalay_traffic *traffic; /* NULL: a product of factors instead */
    int processes;                 /* parts are assigned to 0 .. processes-1 */
    const unsigned char *barred;   /* shape [processes]: 1: takes no part; NULL: none is barred */
    const int *canonical;          /* shape [parts]: process in the target layout; NULL: part j on process j */
    scalay_link_cost link_cost;
    void *link_context;
    const scalay_process_grid *grid; /* canonical grid; NULL: none */
    int64_t seed;
    scalay_deadline deadline;
    scalay_edges edges;     /* of the processes that may take a part; a view of the traffic if row_out is NULL */
    unsigned char *row_out; /* shape [processes of the traffic]: 1: may take no part; NULL: all may */
} scalay_mapping_problem;

/**
 * Creates a problem without a traffic matrix. Nothing is allocated.
 * @param[in]  canonical  shape [parts]; kept; NULL: part j on process j
 * @param[in]  processes  number of processes if the options do not set one
 * @return SCALAY_SUCCESS, SCALAY_ERROR_INFEASIBLE (fewer processes than parts)
 */
scalay_status scalay_mapping_problem_set(int parts, const int *canonical, int processes,
                                         const scalay_mapping_options *options, scalay_mapping_problem *problem);

/** Creates a problem with a traffic matrix; release with scalay_mapping_problem_free(), also on failure. */
scalay_status scalay_mapping_problem_create(const scalay_traffic *traffic, const int *canonical, int processes,
                                            const scalay_mapping_options *options, scalay_mapping_problem *problem);

/** Releases the arrays of a problem. */
void scalay_mapping_problem_free(scalay_mapping_problem *problem);

/** Returns the process of a part in the target layout. */
int scalay_mapping_problem_canonical(const scalay_mapping_problem *problem, int part);

/** Returns 1 if a process may take a part. */
int scalay_mapping_problem_may_take(const scalay_mapping_problem *problem, int process);

/** Returns the canonical process of each part (owned by the caller), and the number of processes of both layouts. */
scalay_status scalay_mapping_problem_find_canonical(const scalay_layout *source, const scalay_layout *target,
                                                    int **canonical, int *processes);

/** Creates the grid of a layout's parts; canonical[j] is the process of part j. NULL layout: a grid of `rows` rows,
 * part j on process j. Release with scalay_process_grid_free(). */
scalay_status scalay_process_grid_create(const scalay_layout *layout, const int *canonical, int rows, int parts,
                                         scalay_process_grid *grid);

/** Releases the arrays of a grid. A zeroed grid is allowed. */
void scalay_process_grid_free(scalay_process_grid *grid);

/* --------------------------------------------------------------------------------------- parts of solutions */

/**
 * Assigns every part to the process of a matching. A part without one is assigned to its canonical process, or if that
 * is taken, to the first free process.
 * @param[in]     of_part  shape [parts]: process of each part; -1: none
 * @param[in,out] mapping  process is set
 */
scalay_status scalay_mapping_problem_place(const scalay_mapping_problem *problem, const int *of_part,
                                           scalay_mapping *mapping);

/** Returns the bottleneck problem of the least steps on some edges, which must be those of the problem or fewer. */
scalay_bottleneck scalay_mapping_problem_bottleneck(const scalay_mapping_problem *problem, const scalay_edges *edges);

/** Finds the lines that must use an edge: those of more than `steps` elements. Release with scalay_cover_free(), also
 * on failure. */
scalay_status scalay_mapping_problem_cover_heavy(const scalay_bottleneck *bottleneck, int64_t steps,
                                                 scalay_cover *cover);

/** Finds the lines that every mapping of least volume matches: those of a positive optimal dual, and heavy ones (NULL:
 *  none). Release with scalay_cover_free(), also on failure. */
scalay_status scalay_mapping_problem_cover_positive(int rows, int cols, const scalay_assignment *assignment,
                                                    const scalay_cover *heavy, scalay_cover *cover);

/** Moves the Hall violator of a solution to a mapping, with its bound. */
void scalay_mapping_problem_take_hall_violator(scalay_bottleneck_solution *solution, scalay_mapping *mapping);

/** Moves the duals of an assignment to a mapping: those of `processes` processes and of all parts. */
void scalay_mapping_problem_take_duals(scalay_assignment *assignment, int processes, scalay_mapping *mapping);

/* ----------------------------------------------------------------------------------------------- solvers */

/**
 * Finds the least volume among the mappings of at most `steps` steps, then the least steps.
 * @param[in]     steps     INT64_MAX: any number; else some mapping has at most this number
 * @param[in]     feasible  matching of such a mapping; NULL for any number
 * @param[in,out] mapping   process and certificate are set
 */
scalay_status scalay_mapping_problem_solve_within(const scalay_mapping_problem *problem, int64_t steps,
                                                  const scalay_matching *feasible, scalay_mapping *mapping);

/** Solves for SCALAY_MIN_GRID_VOLUME; process, proof, bound and certificate are set. */
scalay_status scalay_mapping_problem_solve_grid(const scalay_mapping_problem *problem, scalay_mapping *mapping);

/** Solves for SCALAY_MIN_TIME with a link cost; process, time and certificate are set. */
scalay_status scalay_mapping_problem_solve_time(const scalay_mapping_problem *problem, scalay_mapping *mapping);

#endif
