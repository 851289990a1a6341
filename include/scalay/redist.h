#ifndef SCALAY_REDIST_H
#define SCALAY_REDIST_H

/**
 * @file
 * Redistribution: moves a matrix from one layout to another.
 *
 * A plan holds everything that is required to move. Create it once, execute it any number of times, destroy it. An
 * execution computes C := alpha op(A) + beta C on the whole matrix or on a trapezoid. One plan can move several
 * matrices together. Source and target arrays may share memory (options.in_place).
 *
 * Source and target may be on different, overlapping or disjoint sets of processes. A rank may be in neither.
 *
 * A transport is an implementation of the data movement, chosen by name (options.transport):
 *   - "shared": shared memory within a node; messages between nodes;
 *   - "mpi": messages; packing, sending and unpacking overlap;
 *   - "auto" (default): the one with the shortest predicted time. scalay_plan_describe() tells which.
 * All transports produce the same bits.
 *
 * Threads: under MPI_THREAD_MULTIPLE, threads may use plans of different communicators at the same time. Plans of one
 * communicator are for one thread at a time.
 *
 * Each rank creates its part of a plan from one-dimensional tables, in O(n / nb + peers) for block-cyclic layouts, plus
 * O(tiles of the rank) for tile maps.
 */

#include "scalay/layout.h"
#include "scalay/mapping.h"
#include "scalay/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/** A plan to move one or several matrices, in both directions. */
typedef struct scalay_plan scalay_plan;

/** Options of a plan, equal on all ranks. Start from scalay_plan_options_default(). */
typedef struct {
    size_t size;           /**< sizeof(scalay_plan_options), set by scalay_plan_options_default() */
    const char *transport; /**< a name of scalay_transport_name(), or "auto"; NULL (default): "auto" */
    int64_t memory_bytes;  /**< limit on buffer memory per rank, in bytes, at least 4096 and at least two elements. An
                              execution uses as many rounds as the limit requires. 0 (default): if in place, as much as
                              required; otherwise the minimum over the ranks of (a quarter of the larger local matrix
                              minus the tables of the plan), and at least 1 MiB */
    int in_place;          /**< 1: source and target array may overlap in memory. Requires buffers for all elements that
                              change their position. A large matrix releases pages of the array and of the buffers while
                              it moves. 0 (default): they are disjoint */
    int threads; /**< OpenMP threads that pack and unpack; 0 (default): the number that OpenMP would use, at most
                    the processors per rank */
    const scalay_machine *machine; /**< rates by which "auto" chooses: seconds per message, per byte and per byte
                                      copied; from scalay_machine_calibrate() or scalay_machine_measure() (measure.h).
                                      Not used after the call. NULL (default): scalay_machine_typical() (model.h) */
    int consume; /**< 1: the plan also executes by scalay_plan_execute_consume(), for which source, target and buffers
                    together need about one local matrix. Requires one matrix, SCALAY_NO_TRANSPOSE and SCALAY_WHOLE.
                    Default of memory_bytes: a 64th of the larger local matrix instead of a quarter. 0 (default): not
                    possible */
    int verify;  /**< 1: each message carries a checksum, and the rank that receives a damaged one returns
                    SCALAY_ERROR_MISMATCH at the end of the execution. Elements that are read from the memory of another
                    rank have no checksum. 0 (default): no checksums */
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

/**
 * Returns the name of a transport. Not collective.
 * @param[in] k  0, 1, ...
 * @return a static string; NULL if k is not the number of a transport
 */
SCALAY_API const char *scalay_transport_name(int k);

/** One matrix of a plan. Start from zeros. */
typedef struct {
    const scalay_layout *source;   /**< layout of A. Each of its processes is a rank of the communicator */
    const scalay_layout *target;   /**< layout of C, with the extents of op(A) */
    const scalay_mapping *mapping; /**< process of each part of the target, as in scalay_mapping_apply(). Local leading
                                      dimensions are then max(1, local rows), also if the target comes from a
                                      descriptor. NULL: the target layout as it is */
    scalay_type type;              /**< element type */
    scalay_op op;                  /**< operation on A. SCALAY_CONJUGATE_TRANSPOSE transposes real elements */
    scalay_uplo uplo;              /**< part of op(A) and of C; the rest is neither read nor written */
    scalay_diag diag;              /**< whether the diagonal belongs to that part */
} scalay_plan_matrix;

/** Direction of an execution. */
typedef enum {
    SCALAY_FORWARD = 0, /**< from the source layout to the target layout: C := alpha op(A) + beta C */
    SCALAY_BACKWARD = 1 /**< from the target layout to the source layout: A := alpha op(C) + beta A */
} scalay_direction;

/** Arrays and scalars of one matrix. A scalar is one element of the type of the matrix. */
typedef struct {
    const void *alpha; /**< NULL: 1. Must be NULL for integers and raw elements */
    void *a;           /**< local array in the source layout; NULL if empty. Forward: only read. Backward: written */
    const void *beta;  /**< NULL or 0: the written array is not read. Must be NULL for integers and raw elements, and 0
                          if  the arrays overlap in memory */
    void *b;           /**< local array in the target layout; NULL if empty. Forward: written. Backward: only read */
} scalay_operands;

/** Statistics of one forward execution; of the calling rank unless stated otherwise. */
typedef struct {
    int64_t bytes_sent;        /**< to other ranks */
    int64_t bytes_received;    /**< from other ranks */
    int64_t bytes_kept;        /**< copied within the rank */
    int64_t messages_sent;     /**< to other ranks; none to ranks whose memory is shared */
    int64_t messages_received; /**< from other ranks; likewise */
    int64_t extra_bytes;       /**< buffer memory, allocated with the plan and not touched before the first execution */
    int64_t plan_bytes;        /**< other memory of the plan */
    int64_t volume;            /**< elements that change process, over all ranks */
    int64_t steps;             /**< one-port steps: max over the ranks of max(elements sent, elements received) */
} scalay_plan_statistics;

/**
 * Creates a plan for one matrix. Collective over comm: the plan exists on every rank or on none.
 * @param[in]  comm     ranks; the plan holds a reference
 * @param[in]  source   layout of A. Each of its processes is a rank of comm
 * @param[in]  target   layout of C, with the same extents. Neither layout is used after the call
 * @param[in]  mapping  process of each part of the target, as in scalay_mapping_apply(). Local leading dimensions are
 *                      then max(1, local rows), also if the target comes from a descriptor. NULL: the target as it is
 * @param[in]  type     element type
 * @param[in]  options  NULL: defaults
 * @param[out] plan     release with scalay_plan_destroy()
 * @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT, SCALAY_ERROR_MISMATCH (extents, number of parts, or the ranks
 *         disagree), SCALAY_ERROR_UNSUPPORTED (the transport cannot execute the plan), SCALAY_ERROR_RANGE,
 *         SCALAY_ERROR_MEMORY, SCALAY_ERROR_MPI
 */
SCALAY_API scalay_status scalay_plan_create(scalay_comm *comm, const scalay_layout *source, const scalay_layout *target,
                                            const scalay_mapping *mapping, scalay_type type,
                                            const scalay_plan_options *options, scalay_plan **plan);

/**
 * Creates a plan for several matrices, which are moved together. Collective over comm. Otherwise as
 * scalay_plan_create().
 * @param[in]  comm      ranks; the plan holds a reference
 * @param[in]  count     number of matrices, 1 to 64
 * @param[in]  matrices  shape [count], caller-owned
 * @param[in]  options   NULL: defaults
 * @param[out] plan      execute it with scalay_plan_execute_with()
 * @return as scalay_plan_create()
 */
SCALAY_API scalay_status scalay_plan_create_many(scalay_comm *comm, int count, const scalay_plan_matrix *matrices,
                                                 const scalay_plan_options *options, scalay_plan **plan);

/**
 * Moves a matrix forward. Collective over the ranks that send or receive something; other ranks may call it. Allocates
 * nothing. Errors are not agreed upon: an error is returned on its rank only, and the peers wait for the data of that
 * rank. After SCALAY_ERROR_MPI, the plans of the communicator can only be destroyed. If the communicator of the caller
 * has the error handler MPI_ERRORS_ARE_FATAL, the default of MPI, messages may then still use a and b: do not release
 * them. A program that goes on after errors sets MPI_ERRORS_RETURN before scalay_comm_create().
 * @param[in]  plan  a plan for one matrix, without a pending execution
 * @param[in]  a     local array in the source layout, scalay_layout_local_size() elements; NULL if empty
 * @param[out] b     local array in the target layout; NULL if empty. Only elements of the rank are written. The memory
 *                   between the first and the last element of the rank must not overlap that of a, unless
 *                   options.in_place is 1
 * @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT, SCALAY_ERROR_MPI
 */
SCALAY_API scalay_status scalay_plan_execute(scalay_plan *plan, const void *a, void *b);

/**
 * Moves a matrix forward and consumes the source: the pages of a are returned to the system after their elements were
 * sent. Source, target and buffers together then need about one local matrix, if b was not touched before. Collective
 * as scalay_plan_execute(). Allocates nothing.
 *
 * Pages are released in private anonymous memory (malloc(), ALLOCATE, mmap()) and in arrays of scalay_alloc(). A page
 * is released if all its bytes are elements that the plan moves. Shared memory of others, files, devices, huge pages,
 * locked memory and read-only memory keep their pages; the matrix still moves. scalay_plan_describe() tells how many
 * bytes were released, or why none. The array remains allocated: the caller frees it as usual, or writes new elements.
 * @param[in]     plan  a plan that was created with options.consume = 1, without a pending execution
 * @param[in,out] a     local array in the source layout; NULL if empty. Its elements are undefined afterwards. Memory
 *                      between its elements that does not belong to the layout keeps its content
 * @param[out]    b     local array in the target layout; NULL if empty. Must not overlap a
 * @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT, SCALAY_ERROR_UNSUPPORTED (options.consume is 0), SCALAY_ERROR_MPI
 */
SCALAY_API scalay_status scalay_plan_execute_consume(scalay_plan *plan, void *a, void *b);

/** As scalay_plan_execute(), backward: from b in the target layout to a in the source layout. */
SCALAY_API scalay_status scalay_plan_execute_back(scalay_plan *plan, const void *b, void *a);

/**
 * As scalay_plan_execute(), with scalars, in either direction, and for any number of matrices.
 * @param[in] plan       a plan without a pending execution
 * @param[in] direction  the same on every rank
 * @param[in] operands   one per matrix of the plan; the scalars are equal on all ranks
 */
SCALAY_API scalay_status scalay_plan_execute_with(scalay_plan *plan, scalay_direction direction,
                                                  const scalay_operands *operands);

/**
 * Starts to move a matrix forward. Collective as scalay_plan_execute(). Until scalay_plan_end() returns, a must not
 * change and b must not be used.
 *
 * Several plans of a communicator may be pending if all ranks start them in the same order. They may be completed in
 * any order. While the library waits for one plan, it advances all pending plans. Data beyond the buffers moves only
 * inside scalay_plan_test() and scalay_plan_end().
 * @return as scalay_plan_execute()
 */
SCALAY_API scalay_status scalay_plan_begin(scalay_plan *plan, const void *a, void *b);

/** As scalay_plan_begin(), backward. */
SCALAY_API scalay_status scalay_plan_begin_back(scalay_plan *plan, const void *b, void *a);

/** As scalay_plan_begin(), with scalars, in either direction, and for any number of matrices. Copies the operands. */
SCALAY_API scalay_status scalay_plan_begin_with(scalay_plan *plan, scalay_direction direction,
                                                const scalay_operands *operands);

/**
 * Advances a pending execution without waiting. Not collective.
 * @param[in]  plan  a plan with a pending execution
 * @param[out] done  1: scalay_plan_end() will not wait; NULL is allowed
 * @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT (nothing is pending), SCALAY_ERROR_MPI
 */
SCALAY_API scalay_status scalay_plan_test(scalay_plan *plan, int *done);

/**
 * Completes a pending execution. Collective as scalay_plan_execute().
 * @param[in] plan  a plan with a pending execution
 * @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT (nothing is pending), SCALAY_ERROR_MPI
 */
SCALAY_API scalay_status scalay_plan_end(scalay_plan *plan);

/**
 * Returns the statistics of a plan. Not collective.
 * @param[in]  plan        a plan
 * @param[out] statistics  caller-owned
 * @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT
 */
SCALAY_API scalay_status scalay_plan_get_statistics(const scalay_plan *plan, scalay_plan_statistics *statistics);

/**
 * Describes a plan in one sentence: transport and reason, volume, steps, memory. Not collective.
 * @param[in]  plan  a plan
 * @param[out] text  shape [size], NUL-terminated, truncated if too long; may be NULL if size is 0
 * @param[in]  size  in bytes
 * @return length of the complete sentence, as snprintf
 */
SCALAY_API int scalay_plan_describe(const scalay_plan *plan, char *text, size_t size);

/**
 * Destroys a plan and sets the pointer to NULL; NULL is allowed. Completes a pending execution first. Collective over
 * the ranks of the plan.
 */
SCALAY_API void scalay_plan_destroy(scalay_plan **plan);

/**
 * Creates a BLACS context and a descriptor for a block-cyclic layout after a mapping, so that ScaLAPACK routines run on
 * the layout unchanged. Collective over comm.
 * @param[in]  comm     ranks
 * @param[in]  target   block-cyclic layout, not a submatrix; extents and blocks fit an int
 * @param[in]  mapping  process of each part; NULL: the layout as it is
 * @param[out] ctxt     BLACS context, -1 outside the grid; release with scalay_grid_release() (context.h)
 * @param[out] desc     shape [9], caller-owned. LLD is that of a plan with this target and mapping. CTXT is -1 outside
 *                      the grid
 * @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT, SCALAY_ERROR_UNSUPPORTED (not block-cyclic), SCALAY_ERROR_RANGE,
 *         SCALAY_ERROR_MISMATCH (number of parts, or the ranks disagree), SCALAY_ERROR_MEMORY, SCALAY_ERROR_MPI
 */
SCALAY_API scalay_status scalay_grid_create(scalay_comm *comm, const scalay_layout *target,
                                            const scalay_mapping *mapping, int *ctxt, int *desc);

#ifdef __cplusplus
}
#endif

#endif
