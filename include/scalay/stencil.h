#ifndef SCALAY_STENCIL_H
#define SCALAY_STENCIL_H

/**
 * @file
 * Three-point stencils on items 0 .. n-1 on a circle that may be anywhere: what iterations cost on a distribution of
 * the items, the distribution that makes moving there and iterating cheapest (both pure, without MPI), and the kernel
 * that iterates.
 */

#include "scalay/context.h"
#include "scalay/layout.h"
#include "scalay/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* --------------------------------------------------------------------------------------------------- model */

/** How what is communicated adds up. */
typedef enum {
    SCALAY_STENCIL_VOLUME = 0, /**< one item at a time in the whole machine: all that is sent counts */
    SCALAY_STENCIL_STEPS = 1   /**< one-port: the most that a process sends or receives counts */
} scalay_stencil_model;

/**
 * Iterations of a three-point stencil on items 0 .. n-1 on a circle, and what they cost; start from
 * scalay_stencil_problem_default() or scalay_stencil_problem_on(). Units of time are the caller's.
 */
typedef struct {
    scalay_stencil_model model;        /**< how communications add up */
    int64_t iterations;                /**< K, at least 0 */
    double seconds_per_item_moved;     /**< tau_comm of the redistribution; count twice what has to come back */
    double seconds_per_item_exchanged; /**< tau_comm of an iteration */
    double seconds_per_message; /**< of a message, in either: a process sends no more of them than items, and one to
                                   each other process at most. 0 in the paper */
    double seconds_per_update;  /**< tau_calc: of one item */
    int processes;              /**< that may get items; 0: as many as the source layout has, else at least that */
    uint64_t seed;              /**< of the local search: the same seed gives the same result everywhere */
} scalay_stencil_problem;

/** The paper's problem: one tau_comm for both, no time per message, all processes, seed 1. Not collective. */
SCALAY_API scalay_stencil_problem scalay_stencil_problem_default(scalay_stencil_model model, double tau_comm,
                                                                 double tau_calc, int64_t iterations);

/**
 * The problem on a machine, one-port: an item that moves takes its bytes at the rate of a link and is packed and
 * unpacked, one that is exchanged too; a message takes its latency; an update takes five operations at the level-2
 * rate. Not collective.
 * @param[in] machine     NULL: scalay_machine_typical()
 * @param[in] type        of the items
 * @param[in] iterations  K, at least 0
 */
SCALAY_API scalay_stencil_problem scalay_stencil_problem_on(const scalay_machine *machine, scalay_type type,
                                                            int64_t iterations);

/** What it costs to move items and to iterate on them where they are then. */
typedef struct {
    int64_t volume;           /**< items that change process */
    int64_t steps;            /**< one-port steps of that: most items that a process sends or receives */
    int64_t exchanged;        /**< items sent in an iteration: one to each process that owns a neighbour of it */
    int64_t exchange_steps;   /**< most items that a process sends or receives in an iteration */
    int64_t load;             /**< most items of a process */
    double move_seconds;      /**< volume or steps, by the model, times seconds_per_item_moved, and so many messages */
    double iteration_seconds; /**< exchanged or exchange_steps times seconds_per_item_exchanged, so many messages, and
                                 load times seconds_per_update */
    double seconds;           /**< move_seconds + iterations * iteration_seconds */
} scalay_stencil_cost;

/**
 * What a distribution costs, by definition. Not collective. O(r log r) in the runs of both layouts.
 * @param[in]  problem  the stencil
 * @param[in]  source   where the items are: a layout of any kind with one row or one column; items by index
 * @param[in]  target   where they are to be; the same extents
 * @param[out] cost     caller-owned
 * @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT, SCALAY_ERROR_MISMATCH (extents), SCALAY_ERROR_MEMORY
 * @par Source
 * Herrmann et al., Parallel Computing 52 (2016), section 5.1. N_ij counts an item once for each process that needs it
 * (definition and table there); the proofs count it once for each neighbour.
 */
SCALAY_API scalay_status scalay_model_stencil(const scalay_stencil_problem *problem, const scalay_layout *source,
                                              const scalay_layout *target, scalay_stencil_cost *cost);

/** A distribution to run a stencil on, with its prediction. */
typedef struct {
    const char
        *name; /**< "owner" (nothing moves), "canonical" (one block for each process, in order), "volume" and "steps"
                  (these blocks, mapped), "blocks" (as many blocks as is best), "search" (local search) */
    int processes;            /**< that get items */
    int64_t runs;             /**< of consecutive items of one owner, from item 0 to item n-1 */
    scalay_stencil_cost cost; /**< predicted */
} scalay_stencil_candidate;

/** Distributions to run a stencil on, the best first. */
typedef struct scalay_stencil_choice scalay_stencil_choice;

/**
 * Decides where items should go before K iterations of a stencil: the sum of moving them and iterating is to be small.
 * Not collective. The problem is strongly NP-complete. The candidates are: staying; one block for each process, in
 * order and mapped for volume and for steps; k blocks, k up to the number of processes, in up to eight rotations,
 * mapped (above 64 blocks not every k); and the best that a seeded local search finds from these and from distributions
 * that are optimal under prices for load and messages. The search works on runs and is bounded; it is a heuristic, and
 * never worse than the other candidates. At most a few seconds, for a million runs too.
 * @param[in]  problem  the stencil
 * @param[in]  source   as in scalay_model_stencil()
 * @param[out] choice   to be released with scalay_stencil_choice_destroy()
 * @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT, SCALAY_ERROR_MEMORY
 * @par Source
 * Herrmann et al., Parallel Computing 52 (2016), section 5.
 */
SCALAY_API scalay_status scalay_model_stencil_choose(const scalay_stencil_problem *problem, const scalay_layout *source,
                                                     scalay_stencil_choice **choice);

/** The number of candidates, at least 1; 0 for NULL. Not collective. */
SCALAY_API int scalay_stencil_choice_count(const scalay_stencil_choice *choice);

/**
 * One of the candidates. Not collective.
 * @param[in]  choice     a choice
 * @param[in]  k          0 <= k < scalay_stencil_choice_count(choice), by ascending seconds; 0 is the one chosen
 * @param[out] candidate  caller-owned; its name is a static string
 * @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT, SCALAY_ERROR_MEMORY
 */
SCALAY_API scalay_status scalay_stencil_choice_get_candidate(const scalay_stencil_choice *choice, int k,
                                                             scalay_stencil_candidate *candidate);

/**
 * Who owns what in a candidate. Not collective.
 * @param[in]  choice  a choice
 * @param[in]  k       as in scalay_stencil_choice_get_candidate()
 * @param[out] first   shape [runs]: the first item of each run, ascending from 0; owned by the choice
 * @param[out] owner   shape [runs]: its process; owned by the choice
 * @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT
 */
SCALAY_API scalay_status scalay_stencil_choice_runs(const scalay_stencil_choice *choice, int k, const int64_t **first,
                                                    const int **owner);

/**
 * A candidate as a layout of the source's extents, to move to (redist.h) and to iterate on. Not
 * collective. Local storage is that of scalay_layout_from_owner_map(), also for "owner", whose owners are the source's.
 * @param[in]  choice  a choice
 * @param[in]  k       as in scalay_stencil_choice_get_candidate()
 * @param[out] layout  to be released with scalay_layout_destroy()
 * @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT, SCALAY_ERROR_RANGE, SCALAY_ERROR_MEMORY
 */
SCALAY_API scalay_status scalay_stencil_choice_layout(const scalay_stencil_choice *choice, int k,
                                                      scalay_layout **layout);

/**
 * The candidates in a table, a line each: what moves, what is exchanged, loads, seconds. Not collective.
 * @param[in]  choice  a choice
 * @param[out] text    caller-owned, terminated; NULL when size is 0
 * @param[in]  size    in bytes
 * @return the length of the whole text, as snprintf
 */
SCALAY_API int scalay_stencil_choice_describe(const scalay_stencil_choice *choice, char *text, size_t size);

/** Releases a choice and sets it to NULL; NULL is fine. Not collective. */
SCALAY_API void scalay_stencil_choice_destroy(scalay_stencil_choice **choice);

/* -------------------------------------------------------------------------------------------------- kernel */

/** How to iterate; start from scalay_stencil_options_default(). */
typedef struct {
    int no_overlap; /**< 1: what comes from other ranks is waited for first, and then everything is computed */
} scalay_stencil_options;

/** Options that suit most callers: what needs nothing of other ranks is computed while messages travel. */
SCALAY_API scalay_stencil_options scalay_stencil_options_default(void);

/** What a stencil does on the calling rank. */
typedef struct {
    int64_t items;             /**< of this rank */
    int64_t runs;              /**< of consecutive items */
    int64_t messages_sent;     /**< in an iteration: one to each rank that owns a neighbour of an item */
    int64_t messages_received; /**< in an iteration */
    int64_t items_sent;        /**< in an iteration: each item once to each such rank */
    int64_t items_received;    /**< in an iteration */
    int64_t iterations;        /**< of the last execution */
    double seconds;            /**< of the last execution, elapsed */
    double compute_seconds;    /**< of that: updating items */
    double wait_seconds;       /**< of that: waiting for messages */
} scalay_stencil_statistics;

/** A three-point stencil on items that may be anywhere: everything needed to iterate. */
typedef struct scalay_stencil scalay_stencil;

/**
 * Plans a three-point stencil on items 0 .. n-1 on a circle, x'[i] = f(x[i-1], x[i], x[i+1]). Collective over comm: a
 * stencil exists on every rank or on none. Where the items should be is another question: scalay_model_stencil_choose()
 * above.
 *
 * Ranks exchange what their neighbours need, in one message for each pair of them, and nothing where both neighbours
 * are their own; items that need nothing of others are computed in between.
 * @param[in]  comm     the ranks; kept alive by the stencil
 * @param[in]  layout   where the items are: any layout with one row or one column, its processes ranks of comm; need
 * not outlive the call
 * @param[in]  type     of the items: any
 * @param[in]  options  NULL: the default
 * @param[out] stencil  to be released with scalay_stencil_destroy(). Memory: two copies of the rank's items and of
 * their neighbours.
 * @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT, SCALAY_ERROR_MISMATCH (the ranks disagree), SCALAY_ERROR_RANGE (more
 *         than 2^31 - 1 items in a message), SCALAY_ERROR_MEMORY, SCALAY_ERROR_MPI
 * @par Source
 * Herrmann et al., Parallel Computing 52 (2016), section 5.1, algorithm 3.
 */
SCALAY_API scalay_status scalay_stencil_create(scalay_comm *comm, const scalay_layout *layout, scalay_type type,
                                               const scalay_stencil_options *options, scalay_stencil **stencil);

/**
 * Iterates x'[i] = (c[0] x[i-1] + c[1] x[i]) + c[2] x[i+1]. Collective over the ranks that hold items; others may call
 * it. The result is the same, bit for bit, for every layout. Allocates nothing. Errors are not agreed upon: the
 * partners of a rank that returns one wait.
 * @param[in]     stencil       of type SCALAY_FLOAT or SCALAY_DOUBLE
 * @param[in]     coefficients  shape [3]: c; the same on every rank; rounded to the type
 * @param[in]     iterations    at least 0, the same on every rank
 * @param[in,out] x             the local array, at least scalay_layout_local_size() elements; only the rank's own items
 * are read and written; NULL when empty
 * @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT, SCALAY_ERROR_MPI
 */
SCALAY_API scalay_status scalay_stencil_execute(scalay_stencil *stencil, const double *coefficients, int64_t iterations,
                                                void *x);

/**
 * The new values of consecutive items.
 * @param[in]  count    items, at least 1
 * @param[in]  x        shape [-1 .. count]: their old values, and those of the neighbours on either side
 * @param[out] y        shape [count]: their new values
 * @param[in]  context  the caller's
 */
typedef void (*scalay_stencil_update)(int64_t count, const void *x, void *y, void *context);

/**
 * scalay_stencil_execute() with a function of the caller's, for items of any type. It is called on each rank for its
 * own items, each once in an iteration, in any order.
 * @param[in]     stencil     of any type
 * @param[in]     update      computes new values; does not know which items they are
 * @param[in]     context     handed to update
 * @param[in]     iterations  as in scalay_stencil_execute()
 * @param[in,out] x           as in scalay_stencil_execute()
 * @return as scalay_stencil_execute()
 */
SCALAY_API scalay_status scalay_stencil_execute_with(scalay_stencil *stencil, scalay_stencil_update update,
                                                     void *context, int64_t iterations, void *x);

/** What a stencil does, and did last. Not collective. @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT */
SCALAY_API scalay_status scalay_stencil_get_statistics(const scalay_stencil *stencil,
                                                       scalay_stencil_statistics *statistics);

/** Releases a stencil and sets it to NULL; NULL is fine. Collective over its ranks. */
SCALAY_API void scalay_stencil_destroy(scalay_stencil **stencil);

#ifdef __cplusplus
}
#endif

#endif
