#ifndef SCALAY_STENCIL_H
#define SCALAY_STENCIL_H

/**
 * @file
 * Three-point stencils on items 0 .. n-1 that lie on a circle.
 *
 *   - scalay_stencil_create() iterates on any layout of the items.
 *   - scalay_model_stencil() predicts the time of moving the items to another layout and iterating there.
 *   - scalay_model_stencil_choose() searches the layout with the smallest predicted time.
 *
 * The predictions are pure: they use no MPI.
 */

#include "scalay/context.h"
#include "scalay/layout.h"
#include "scalay/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* --------------------------------------------------------------------------------------------------- model */

/** Cost of a set of transfers. */
typedef enum {
    SCALAY_STENCIL_VOLUME = 0, /**< items sent, all processes together: one transfer at a time */
    SCALAY_STENCIL_STEPS = 1   /**< one-port model: maximum over the processes of max(items sent, items received) */
} scalay_stencil_model;

/**
 * Iterations of a stencil and their cost per item. Start from scalay_stencil_problem_default() or
 * scalay_stencil_problem_on(). The caller chooses the unit of time.
 */
typedef struct {
    size_t size;                       /**< set by the two functions: sizeof(scalay_stencil_problem) */
    scalay_stencil_model model;        /**< cost of a set of transfers */
    int64_t iterations;                /**< K, at least 0 */
    double seconds_per_item_moved;     /**< tau_comm of the redistribution. Double it if the items move back */
    double seconds_per_item_exchanged; /**< tau_comm of an iteration */
    double seconds_per_message;        /**< time of a message. A process sends at most one message to each other
                                            process, and at most as many as items. 0 in the paper */
    double seconds_per_update;         /**< tau_calc: time to update one item */
    int processes;                     /**< processes that may get items, at least those of the source layout.
                                            0 (default): the processes of the source layout */
    uint64_t seed;                     /**< of the local search (default: 1). Equal seeds give equal results */
} scalay_stencil_problem;

/**
 * Sets a problem to its defaults: model SCALAY_STENCIL_VOLUME, all times 0. Not collective. C programs call
 * scalay_stencil_problem_default().
 * @param[out] problem  caller-owned
 * @param[in]  size     sizeof *problem as the caller knows it, in bytes
 */
SCALAY_API void scalay_stencil_problem_init(scalay_stencil_problem *problem, size_t size);

/** Returns the problem of the paper: one tau_comm for moving and exchanging, no time per message. Not collective. */
static inline scalay_stencil_problem scalay_stencil_problem_default(scalay_stencil_model model, double tau_comm,
                                                                    double tau_calc, int64_t iterations)
{
    scalay_stencil_problem problem;
    scalay_stencil_problem_init(&problem, sizeof problem);
    problem.model = model;
    problem.seconds_per_item_moved = problem.seconds_per_item_exchanged = tau_comm;
    problem.seconds_per_update = tau_calc;
    problem.iterations = iterations;
    return problem;
}

/**
 * Sets the times of a problem from the rates of a machine, one-port. Not collective. C programs call
 * scalay_stencil_problem_on(). Times:
 *   - an item: its bytes at the rate of a link, plus packing and unpacking;
 *   - a message: the latency;
 *   - an update: five operations at the level-2 rate.
 * @param[in,out] problem     with its size set
 * @param[in]     machine     NULL: scalay_machine_typical()
 * @param[in]     type        of the items
 */
SCALAY_API void scalay_stencil_problem_set_rates(scalay_stencil_problem *problem, const scalay_machine *machine,
                                                 scalay_type type);

/**
 * Returns the problem on a machine, one-port. Not collective.
 * @param[in] machine     NULL: scalay_machine_typical()
 * @param[in] type        of the items
 * @param[in] iterations  K, at least 0
 */
static inline scalay_stencil_problem scalay_stencil_problem_on(const scalay_machine *machine, scalay_type type,
                                                               int64_t iterations)
{
    scalay_stencil_problem problem = scalay_stencil_problem_default(SCALAY_STENCIL_STEPS, 0.0, 0.0, iterations);
    scalay_stencil_problem_set_rates(&problem, machine, type);
    return problem;
}

/** Predicted cost of moving items and iterating on them. */
typedef struct {
    int64_t volume;           /**< items that change process in the move */
    int64_t steps;            /**< one-port steps of the move */
    int64_t exchanged;        /**< items sent in an iteration: each once to each process that owns a neighbour */
    int64_t exchange_steps;   /**< one-port steps of an iteration */
    int64_t load;             /**< maximum number of items of a process */
    double move_seconds;      /**< volume or steps, by the model, times seconds_per_item_moved, plus messages */
    double iteration_seconds; /**< exchanged or exchange_steps times seconds_per_item_exchanged, plus messages, plus
                                   load times seconds_per_update */
    double seconds;           /**< move_seconds + iterations * iteration_seconds */
} scalay_stencil_cost;

/**
 * Evaluates the cost of a layout. Not collective. Time: O(r log r) for r runs in both layouts.
 * @param[in]  problem  the stencil
 * @param[in]  source   current layout of the items: any layout with one row or one column
 * @param[in]  target   layout to iterate on, of the same extents
 * @param[out] cost     caller-owned
 * @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT, SCALAY_ERROR_MISMATCH (extents), SCALAY_ERROR_MEMORY
 * @par Source
 * Herrmann et al., Parallel Computing 52 (2016), section 5.1. N_ij counts an item once for each process that needs it,
 * as the definition and the table there do. The proofs there count it once for each neighbour.
 */
SCALAY_API scalay_status scalay_model_stencil(const scalay_stencil_problem *problem, const scalay_layout *source,
                                              const scalay_layout *target, scalay_stencil_cost *cost);

/** A candidate layout with its predicted cost. */
typedef struct {
    const char *name;         /**< static string:
                                   - "owner": nothing moves;
                                   - "canonical": one block per process, in order;
                                   - "volume", "steps": these blocks, mapped for least volume or fewest steps;
                                   - "blocks": the best number of blocks, mapped;
                                   - "search": result of the local search */
    int processes;            /**< processes that own items */
    int64_t runs;             /**< maximal sets of consecutive items with one owner, from item 0 to item n-1 */
    scalay_stencil_cost cost; /**< predicted */
} scalay_stencil_candidate;

/** Candidate layouts by ascending cost. */
typedef struct scalay_stencil_choice scalay_stencil_choice;

/**
 * Searches the layout that minimises the cost of moving and iterating. Not collective. The problem is strongly
 * NP-complete, so "search" is a heuristic. It is at most as expensive as every other candidate.
 *
 * The local search starts from the other candidates and from layouts that are optimal under prices for load and
 * messages. It works on runs. Time: bounded, a few seconds for 10^6 runs.
 * @param[in]  problem  the stencil
 * @param[in]  source   as in scalay_model_stencil()
 * @param[out] choice   release with scalay_stencil_choice_destroy()
 * @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT, SCALAY_ERROR_MEMORY
 * @par Source
 * Herrmann et al., Parallel Computing 52 (2016), section 5.
 */
SCALAY_API scalay_status scalay_model_stencil_choose(const scalay_stencil_problem *problem, const scalay_layout *source,
                                                     scalay_stencil_choice **choice);

/** Returns the number of candidates, at least 1; 0 for NULL. Not collective. */
SCALAY_API int scalay_stencil_choice_count(const scalay_stencil_choice *choice);

/**
 * Copies a candidate. Not collective.
 * @param[in]  choice     a choice
 * @param[in]  k          0 <= k < scalay_stencil_choice_count(choice); candidate 0 has the smallest cost
 * @param[out] candidate  caller-owned
 * @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT, SCALAY_ERROR_MEMORY
 */
SCALAY_API scalay_status scalay_stencil_choice_get_candidate(const scalay_stencil_choice *choice, int k,
                                                             scalay_stencil_candidate *candidate);

/**
 * Returns the runs of a candidate. Not collective.
 * @param[in]  choice  a choice
 * @param[in]  k       as in scalay_stencil_choice_get_candidate()
 * @param[out] first   shape [runs]: first item of each run, ascending from 0; owned by the choice
 * @param[out] owner   shape [runs]: process of each run; owned by the choice
 * @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT
 */
SCALAY_API scalay_status scalay_stencil_choice_runs(const scalay_stencil_choice *choice, int k, const int64_t **first,
                                                    const int **owner);

/**
 * Creates the layout of a candidate, with the extents of the source. Not collective. Its local arrays are those of
 * scalay_layout_from_owner_map(), for "owner" too.
 * @param[in]  choice  a choice
 * @param[in]  k       as in scalay_stencil_choice_get_candidate()
 * @param[out] layout  release with scalay_layout_destroy()
 * @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT, SCALAY_ERROR_RANGE, SCALAY_ERROR_MEMORY
 */
SCALAY_API scalay_status scalay_stencil_choice_layout(const scalay_stencil_choice *choice, int k,
                                                      scalay_layout **layout);

/**
 * Writes a table of the candidates, one line each. Not collective.
 * @param[in]  choice  a choice
 * @param[out] text    shape [size], caller-owned, terminated; truncated if too short. NULL if size is 0
 * @param[in]  size    in bytes
 * @return the length of the whole text, as snprintf
 */
SCALAY_API int scalay_stencil_choice_describe(const scalay_stencil_choice *choice, char *text, size_t size);

/** Releases a choice and sets it to NULL. Not collective. NULL is allowed. */
SCALAY_API void scalay_stencil_choice_destroy(scalay_stencil_choice **choice);

/* -------------------------------------------------------------------------------------------------- kernel */

/** Options of scalay_stencil_create(). Start from scalay_stencil_options_default(). */
typedef struct {
    size_t size;    /**< set by scalay_stencil_options_default(): sizeof(scalay_stencil_options) */
    int no_overlap; /**< 1: all updates wait for messages. 0 (default): items that need no message are updated first */
} scalay_stencil_options;

/**
 * Sets options to their defaults. Not collective. C programs call scalay_stencil_options_default().
 * @param[out] options  caller-owned
 * @param[in]  size     sizeof *options as the caller knows it, in bytes
 */
SCALAY_API void scalay_stencil_options_init(scalay_stencil_options *options, size_t size);

/** Returns default options. Not collective. */
static inline scalay_stencil_options scalay_stencil_options_default(void)
{
    scalay_stencil_options options;
    scalay_stencil_options_init(&options, sizeof options);
    return options;
}

/** Statistics of the calling rank. */
typedef struct {
    int64_t items;             /**< of this rank */
    int64_t runs;              /**< maximal sets of consecutive items of this rank */
    int64_t messages_sent;     /**< per iteration: one to each rank that owns a neighbour of an item */
    int64_t messages_received; /**< per iteration */
    int64_t items_sent;        /**< per iteration: each item once to each such rank */
    int64_t items_received;    /**< per iteration */
    int64_t iterations;        /**< of the last execution */
    double seconds;            /**< elapsed time of the last execution */
    double compute_seconds;    /**< of these, updating items */
    double wait_seconds;       /**< of these, waiting for messages */
} scalay_stencil_statistics;

/** A stencil on a layout. */
typedef struct scalay_stencil scalay_stencil;

/**
 * Plans x'[i] = f(x[i-1], x[i], x[i+1]) for items 0 .. n-1 on a circle. Collective over comm: a stencil exists on every
 * rank or on none.
 *
 * In each iteration, a rank sends one message to each rank that owns a neighbour of its items. Items whose neighbours
 * are on the same rank are updated while messages travel.
 * @param[in]  comm     communicator; the stencil keeps it alive
 * @param[in]  layout   layout of the items: any layout with one row or one column, whose processes are ranks of comm.
 *                      Need not outlive the call
 * @param[in]  type     element type of the items: any
 * @param[in]  options  NULL: defaults
 * @param[out] stencil  release with scalay_stencil_destroy(). Memory: two copies of the rank's items and their
 * neighbours
 * @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT, SCALAY_ERROR_MISMATCH (the ranks disagree), SCALAY_ERROR_RANGE (more
 *         than 2^31 - 1 items in a message), SCALAY_ERROR_MEMORY, SCALAY_ERROR_MPI
 * @par Source
 * Herrmann et al., Parallel Computing 52 (2016), section 5.1, algorithm 3.
 */
SCALAY_API scalay_status scalay_stencil_create(scalay_comm *comm, const scalay_layout *layout, scalay_type type,
                                               const scalay_stencil_options *options, scalay_stencil **stencil);

/**
 * Iterates x'[i] = (c[0] x[i-1] + c[1] x[i]) + c[2] x[i+1]. Collective over the ranks that own items; others may call
 * it. The result is the same, bit for bit, for every layout. Allocates no memory. The ranks do not agree on the status.
 * @param[in]     stencil       of type SCALAY_FLOAT or SCALAY_DOUBLE
 * @param[in]     coefficients  shape [3]: c, the same on every rank; rounded to the type
 * @param[in]     iterations    at least 0, the same on every rank
 * @param[in,out] x             local array, at least scalay_layout_local_size() elements. Only elements of this rank
 * are read and written. NULL if empty
 * @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT, SCALAY_ERROR_MPI
 */
SCALAY_API scalay_status scalay_stencil_execute(scalay_stencil *stencil, const double *coefficients, int64_t iterations,
                                                void *x);

/**
 * Computes the new values of consecutive items.
 * @param[in]  count    items, at least 1
 * @param[in]  x        shape [-1 .. count]: old values of the items and of their two neighbours
 * @param[out] y        shape [count]: new values
 * @param[in]  context  passed through from scalay_stencil_execute_with()
 */
typedef void (*scalay_stencil_update)(int64_t count, const void *x, void *y, void *context);

/**
 * Iterates with a user function, for items of any type. Collective as scalay_stencil_execute(). In an iteration, each
 * rank calls the function for its own items, each once, in any order.
 * @param[in]     stencil     of any type
 * @param[in]     update      computes new values
 * @param[in]     context     passed to update
 * @param[in]     iterations  as in scalay_stencil_execute()
 * @param[in,out] x           as in scalay_stencil_execute()
 * @return as scalay_stencil_execute()
 */
SCALAY_API scalay_status scalay_stencil_execute_with(scalay_stencil *stencil, scalay_stencil_update update,
                                                     void *context, int64_t iterations, void *x);

/**
 * Copies the statistics of a stencil. Not collective.
 * @param[in]  stencil     a stencil
 * @param[out] statistics  caller-owned
 * @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT
 */
SCALAY_API scalay_status scalay_stencil_get_statistics(const scalay_stencil *stencil,
                                                       scalay_stencil_statistics *statistics);

/** Releases a stencil and sets it to NULL. Collective over its communicator. NULL is allowed. */
SCALAY_API void scalay_stencil_destroy(scalay_stencil **stencil);

#ifdef __cplusplus
}
#endif

#endif
