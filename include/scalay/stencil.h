#ifndef SCALAY_STENCIL_H
#define SCALAY_STENCIL_H

/**
 * @file
 * Three-point stencils on items 0 .. n-1 that lie on a circle.
 *
 * scalay_stencil_create() iterates on any layout of the items. scalay_model_stencil() (model.h) predicts the time of
 * moving the items to another layout and iterating there. scalay_model_stencil_choose() (model.h) searches the layout
 * with the smallest predicted time.
 */

#include "scalay/context.h"
#include "scalay/layout.h"
#include "scalay/model.h"
#include "scalay/types.h"

#ifdef __cplusplus
extern "C" {
#endif

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
