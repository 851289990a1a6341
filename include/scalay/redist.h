#ifndef SCALAY_REDIST_H
#define SCALAY_REDIST_H

/**
 * @file
 * Redistribution: moving a matrix from one layout to another.
 *
 * A plan holds everything that is needed to move; make it once and execute it as often as the layouts stay. On the way
 * a matrix may be transposed, scaled and added to what is there, C := alpha op(A) + beta C, on all of it or on a
 * trapezoid; several matrices may go in one round; source and target may share memory.
 *
 * The ways to move ("transports") are chosen by name:
 *   - "shared": the ranks of a node read each other's memory, arrays of scalay_alloc() without any copy in between;
 *     what goes to other nodes goes by "mpi";
 *   - "mpi": messages, packing overlapped with sending;
 *   - "blacs": Cdgesd2d / Cdgerv2d and their siblings along a one-port schedule, whose messages are cut
 *     only as far as that saves time on the machine at hand (options.machine);
 *   - "alltoallv": MPI_Alltoallv in rounds;
 *   - "reference": element by element, everything checked; slow, to compare with;
 *   - "auto" (default): the best of them that can carry out the plan; scalay_plan_describe() tells which and why.
 * They agree bit for bit.
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

/** How to move; start from scalay_plan_options_default(). The same on every rank. */
typedef struct {
    size_t size;           /**< set by scalay_plan_options_default(): sizeof(scalay_plan_options) */
    const char *transport; /**< "auto", "shared", "mpi", "blacs", "alltoallv" or "reference"; NULL: "auto" */
    int64_t memory_bytes;  /**< what an execution may need besides the matrices, on every rank: it moves in as many
                              rounds as that takes. 0: in place what it takes, else a quarter of the larger local matrix,
                              less the plan's own tables, of the rank that has least, but at least 256 KiB. At least 4096
                              and two  elements */
    int in_place;          /**< 1: the two arrays may share memory. Needs buffers for all that changes its place */
    int threads; /**< that pack and unpack; 0: as many as OpenMP would take, and the rank has processors for */
    const scalay_machine *machine; /**< for "blacs", what starting a message takes against what sending takes: from
                                      scalay_machine_calibrate() or scalay_machine_measure() (measure.h); NULL: as long
                                      as sending 16 KiB. Not needed after the call */
} scalay_plan_options;

/**
 * Sets options to their defaults. Not collective. C programs call scalay_plan_options_default().
 * @param[out] options  caller-owned
 * @param[in]  size     sizeof *options as the caller knows it, in bytes
 */
SCALAY_API void scalay_plan_options_init(scalay_plan_options *options, size_t size);

/** Returns default options. Not collective. */
static inline scalay_plan_options scalay_plan_options_default(void)
{
    scalay_plan_options options;
    scalay_plan_options_init(&options, sizeof options);
    return options;
}

/** One of the matrices that a plan moves; start from zeros. */
typedef struct {
    const scalay_layout *source;   /**< where A is; every process of it is a rank of the communicator */
    const scalay_layout *target;   /**< where C is; extents of op(A). Neither layout needs to outlive the call. */
    const scalay_mapping *mapping; /**< who takes which part of the target, as scalay_mapping_apply() would have it:
                                      local leading dimensions are max(1, local rows), also when the target comes from a
                                        descriptor. NULL: the target layout as it is */
    scalay_type type;              /**< of the elements */
    scalay_op op;     /**< what becomes of A; SCALAY_CONJUGATE_TRANSPOSE transposes elements that are not complex */
    scalay_uplo uplo; /**< what part of op(A) and of C; the rest is neither read nor written */
    scalay_diag diag; /**< whether that part has a diagonal */
} scalay_plan_matrix;

/** Which way a plan is gone. */
typedef enum {
    SCALAY_FORWARD = 0, /**< from the source layout to the target layout: C := alpha op(A) + beta C */
    SCALAY_BACKWARD = 1 /**< from the target layout to the source layout: A := alpha op(C) + beta A */
} scalay_direction;

/** What a plan is executed with, for each matrix. Scalars are one element of the matrix' type. */
typedef struct {
    const void *alpha; /**< NULL: 1. Raw elements and integers take no other */
    const void *a;     /**< local array in the source layout; NULL when empty. Written when going back */
    const void *beta;  /**< NULL or 0: what is in the way is overwritten and not read. Raw elements and integers take
                          only  NULL; arrays that share memory only 0, on pain of an error on their rank alone */
    void *b;           /**< local array in the target layout; NULL when empty. Not written when going back */
} scalay_operands;

/** What a plan moves, in one execution; of the calling rank unless said otherwise. */
typedef struct {
    int64_t bytes_sent;     /**< to other ranks: what the traffic predicts */
    int64_t bytes_received; /**< from other ranks */
    int64_t bytes_kept;     /**< copied locally */
    int64_t messages_sent;  /**< messages to other ranks: as many per peer as buffers take with "mpi", one per slice of
                                 the schedule at least with "blacs", none to ranks whose memory is shared */
    int64_t messages_received; /**< likewise */
    int64_t extra_bytes;       /**< buffers that an execution needs besides the matrices: made with the plan, so that
                                    no execution fails for memory, but not touched before the first one */
    int64_t plan_bytes;        /**< the plan's own memory */
    int64_t volume;            /**< elements that change process, all ranks together */
    int64_t steps;             /**< one-port element steps, all ranks together */
    int64_t rounds; /**< rounds of communication: the schedule's steps with "blacs", the calls of MPI_Alltoallv,
                               else 1; 0 when nothing moves */
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
 * Plans to move several matrices in one round of communication. Collective over comm; as scalay_plan_create()
 * otherwise.
 * @param[in]  comm      the ranks; kept alive by the plan
 * @param[in]  count     matrices, 1 to 64
 * @param[in]  matrices  shape [count], caller-owned
 * @param[in]  options   NULL: the default
 * @param[out] plan      to be released with scalay_plan_destroy(); executed with scalay_plan_execute_with()
 * @return as scalay_plan_create()
 */
SCALAY_API scalay_status scalay_plan_create_many(scalay_comm *comm, int count, const scalay_plan_matrix *matrices,
                                                 const scalay_plan_options *options, scalay_plan **plan);

/**
 * Moves a matrix. Collective over the ranks that send or receive something; others may call it. Allocates nothing.
 * Errors are not agreed upon: a rank that returns an error tells only of itself, and its partners wait for its data.
 * After SCALAY_ERROR_MPI the plans of the communicator can only be destroyed.
 * @param[in]  plan  a plan with nothing under way
 * @param[in]  a     the local array in the source layout, at least scalay_layout_local_size() elements; NULL when empty
 * @param[out] b     the local array in the target layout; only the rank's own elements are written. What lies between
 *                   the rank's first and last element must not overlap what lies between those of a, unless the plan
 *                   was made to move in place.
 * @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT (NULL with elements to move, overlap, something is under way),
 *         SCALAY_ERROR_MPI
 */
SCALAY_API scalay_status scalay_plan_execute(scalay_plan *plan, const void *a, void *b);

/** scalay_plan_execute() the other way round: from b in the target layout to a in the source layout. */
SCALAY_API scalay_status scalay_plan_execute_back(scalay_plan *plan, const void *b, void *a);

/**
 * scalay_plan_execute() with scalars, in either direction, and for plans of several matrices. Collective as it is.
 * @param[in] plan       a plan with nothing under way
 * @param[in] direction  which way
 * @param[in] operands   one per matrix of the plan; the scalars are the same on every rank
 * @return as scalay_plan_execute(); SCALAY_ERROR_ARGUMENT, too, for scalars that the elements do not take
 */
SCALAY_API scalay_status scalay_plan_execute_with(scalay_plan *plan, scalay_direction direction,
                                                  const scalay_operands *operands);

/**
 * Starts to move a matrix; scalay_plan_end() finishes. a must stay unchanged and b untouched in between. Several
 * plans of a communicator may be under way at a time when all ranks begin them in the same order; they may end in any,
 * and whichever is waited for, all of them go on. As scalay_plan_execute() otherwise. What does not fit into the
 * buffers, or is to be read from a rank that has not begun, moves when scalay_plan_test() or scalay_plan_end() is
 * called. The BLACS have no non-blocking receive: with "blacs", and with "reference", it returns when this rank's data
 * has come, and what was under way before has moved, too.
 */
SCALAY_API scalay_status scalay_plan_begin(scalay_plan *plan, const void *a, void *b);

/** scalay_plan_begin() the other way round. */
SCALAY_API scalay_status scalay_plan_begin_back(scalay_plan *plan, const void *b, void *a);

/** scalay_plan_begin() with scalars, in either direction, and for plans of several matrices. The operands are copied.
 */
SCALAY_API scalay_status scalay_plan_begin_with(scalay_plan *plan, scalay_direction direction,
                                                const scalay_operands *operands);

/**
 * Moves what can be moved without waiting: progress in between scalay_plan_begin() and scalay_plan_end(). Not
 * collective.
 * @param[in]  plan  a plan with a move under way
 * @param[out] done  1: scalay_plan_end() will not wait; may be NULL
 * @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT (nothing is under way), SCALAY_ERROR_MPI
 */
SCALAY_API scalay_status scalay_plan_test(scalay_plan *plan, int *done);

/**
 * Finishes what scalay_plan_begin() or its like started. Collective as scalay_plan_execute().
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
