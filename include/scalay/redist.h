#ifndef SCALAY_REDIST_H
#define SCALAY_REDIST_H

/**
 * @file
 * Redistribution: moving a matrix from one layout to another.
 *
 * A plan holds everything that is needed to move; make it once and execute it as often as the layouts stay. The ways
 * to move ("transports") are chosen by name:
 *   - "mpi": one message per pair of processes, all under way at once, packing overlapped with sending;
 *   - "blacs": Cdgesd2d / Cdgerv2d and their siblings along an optimal one-port schedule, in exactly as many item
 *     steps as the mapping has steps;
 *   - "auto" (default): the best of them that can carry out the plan; scalay_plan_describe() tells which and why.
 *
 * A plan is built from one-dimensional tables, by each rank for itself: O(n / nb + partners) for block-cyclic layouts,
 * O(tiles of the rank) besides for tile maps. Only "blacs" needs the traffic of all ranks, for its schedule.
 *
 * Source and target may be on different, overlapping or disjoint sets of processes, and a rank may be in neither.
 */

#include "scalay/layout.h"
#include "scalay/mapping.h"
#include "scalay/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Everything needed to move a matrix from one layout to another and back. */
typedef struct scalay_plan scalay_plan;

/** How to move; start from scalay_plan_options_default(). */
typedef struct {
    const char *transport; /**< "auto", "mpi" or "blacs"; NULL: "auto" */
} scalay_plan_options;

/** Options that suit most callers. */
SCALAY_API scalay_plan_options scalay_plan_options_default(void);

/** What a plan moves, in one execution; of the calling rank unless said otherwise. */
typedef struct {
    int64_t bytes_sent;        /**< to other ranks: what the traffic predicts */
    int64_t bytes_received;    /**< from other ranks */
    int64_t bytes_kept;        /**< copied locally */
    int64_t messages_sent;     /**< messages to other ranks: one per peer with "mpi" (more above 2^30 bytes), one per
                                    slice of the schedule with "blacs" */
    int64_t messages_received; /**< likewise */
    int64_t extra_bytes;  /**< buffers that an execution needs besides the two matrices: made with the plan, so that
                               no execution fails for memory, but not touched before the first one */
    int64_t plan_bytes;   /**< the plan's own memory */
    int64_t volume;       /**< elements that change process, all ranks together */
    int64_t steps;        /**< one-port element steps, all ranks together */
    int64_t global_steps; /**< rounds of communication: 1 with "mpi", the schedule's steps with "blacs"; 0 when
                               nothing moves */
} scalay_plan_statistics;

/**
 * Plans a redistribution. Collective over comm: a plan exists on every rank or on none.
 * @param[in]  comm     the ranks; kept alive by the plan
 * @param[in]  source   where the matrix is; every process of it is a rank of comm
 * @param[in]  target   where it goes; same extents. Neither layout needs to outlive the call.
 * @param[in]  mapping  who takes which part of the target, as scalay_mapping_apply() would have it: local leading
 *                      dimensions are max(1, local rows), also when the target comes from a descriptor.
 *                      NULL: the target layout as it is
 * @param[in]  type     the element type
 * @param[in]  options  NULL: the default
 * @param[out] plan     to be released with scalay_plan_destroy()
 * @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT, SCALAY_ERROR_MISMATCH (extents, parts, or the ranks disagree),
 *         SCALAY_ERROR_UNSUPPORTED (the transport cannot carry out this plan), SCALAY_ERROR_RANGE,
 *         SCALAY_ERROR_MEMORY, SCALAY_ERROR_MPI
 */
SCALAY_API scalay_status scalay_plan_create(scalay_comm *comm, const scalay_layout *source, const scalay_layout *target,
                                            const scalay_mapping *mapping, scalay_type type,
                                            const scalay_plan_options *options, scalay_plan **plan);

/**
 * Moves a matrix. Collective over the ranks that send or receive something; others may call it. Allocates nothing.
 * Errors are not agreed upon: a rank that returns an error tells only of itself, and its partners wait for its data.
 * @param[in]  plan  a plan with nothing under way
 * @param[in]  a     the local array in the source layout, at least scalay_layout_local_size() elements; NULL when empty
 * @param[out] b     the local array in the target layout; only the rank's own elements are written. What lies between
 *                   the rank's first and last element must not overlap what lies between those of a.
 * @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT (NULL with elements to move, overlap, something is under way),
 *         SCALAY_ERROR_MPI
 */
SCALAY_API scalay_status scalay_plan_execute(scalay_plan *plan, const void *a, void *b);

/** scalay_plan_execute() the other way round: from b in the target layout to a in the source layout. */
SCALAY_API scalay_status scalay_plan_execute_back(scalay_plan *plan, const void *b, void *a);

/**
 * Starts to move a matrix; scalay_plan_end() finishes. a must stay unchanged and b untouched in between. Several
 * plans may be under way at a time when all ranks begin them in the same order; they may end in any. As
 * scalay_plan_execute() otherwise. With "mpi" it returns when everything is packed and on its way; the BLACS have no
 * non-blocking receive, so with "blacs" it returns when this rank's data has come.
 */
SCALAY_API scalay_status scalay_plan_begin(scalay_plan *plan, const void *a, void *b);

/** scalay_plan_begin() the other way round. */
SCALAY_API scalay_status scalay_plan_begin_back(scalay_plan *plan, const void *b, void *a);

/**
 * Finishes what scalay_plan_begin() or scalay_plan_begin_back() started. Collective as scalay_plan_execute().
 * @param[in] plan  a plan with a move under way
 * @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT (nothing is under way), SCALAY_ERROR_MPI
 */
SCALAY_API scalay_status scalay_plan_end(scalay_plan *plan);

/**
 * What the plan moves. Not collective.
 * @param[in]  plan        a plan
 * @param[out] statistics  caller-owned
 * @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT
 */
SCALAY_API scalay_status scalay_plan_get_statistics(const scalay_plan *plan, scalay_plan_statistics *statistics);

/**
 * A sentence about a plan: transport and why, volume, steps, memory. Not collective.
 * @param[in]  plan  a plan
 * @param[out] text  shape [size], NUL-terminated, cut when it does not fit; may be NULL when size is 0
 * @param[in]  size  in bytes
 * @return the length of the whole sentence, as snprintf
 */
SCALAY_API int scalay_plan_describe(const scalay_plan *plan, char *text, size_t size);

/** Releases a plan and sets it to NULL; NULL is fine; what is under way is finished first. Collective over its ranks.
 */
SCALAY_API void scalay_plan_destroy(scalay_plan **plan);

/**
 * A BLACS context whose grid is permuted by a mapping, and the descriptor that goes with it: what ScaLAPACK routines
 * need to run on the target layout unchanged. Collective over comm.
 * @param[in]  comm     the ranks; release the context with scalay_grid_release() (context.h)
 * @param[in]  target   a block-cyclic layout, not a submatrix; its extents and blocks fit an int
 * @param[in]  mapping  who takes which part; NULL: where the target layout has it
 * @param[out] ctxt     the context; -1 on ranks outside the grid
 * @param[out] desc     shape [9], caller-owned; its LLD is what a plan with this target and mapping expects;
 *                      outside the grid its context is -1
 * @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT (a submatrix, a process that is no rank), SCALAY_ERROR_UNSUPPORTED (not
 *         block-cyclic), SCALAY_ERROR_RANGE, SCALAY_ERROR_MISMATCH (parts, or the ranks disagree), SCALAY_ERROR_MEMORY,
 *         SCALAY_ERROR_MPI
 */
SCALAY_API scalay_status scalay_grid_create(scalay_comm *comm, const scalay_layout *target,
                                            const scalay_mapping *mapping, int *ctxt, int *desc);

#ifdef __cplusplus
}
#endif

#endif
