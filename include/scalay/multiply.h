#ifndef SCALAY_MULTIPLY_H
#define SCALAY_MULTIPLY_H

/**
 * @file
 * Products of distributed matrices, C := alpha op(A) op(B) + beta C.
 *
 *   - scalay_pdgemm() and its siblings compute one product, for any layouts of A, B and C.
 *   - scalay_gemm_create() plans a product for any layouts. The plan moves A and B to the owner map on which the
 *     product is computed, multiplies by SUMMA or by p?gemm, and brings the product to C.
 *   - scalay_summa_create() plans a product without moving A, B or C. It accepts layouts that PBLAS does not, such as
 *     those of partitions for processes of different speeds (partition.h).
 *   - scalay_gemm_check() checks a product in O(m k + k n + m n) operations.
 */

#include "scalay/context.h"
#include "scalay/layout.h"
#include "scalay/mapping.h"
#include "scalay/model.h"
#include "scalay/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ------------------------------------------------------------------------------------------------ SUMMA */

/** Options of scalay_summa_create(). The same on every rank. Start from scalay_summa_options_default(). */
typedef struct {
    size_t size;           /**< set by scalay_summa_options_default(): sizeof(scalay_summa_options) */
    int64_t panel;         /**< maximum width of a panel: columns of op(A) and rows of op(B), at least 0. 0 (default):
                                chosen by the library */
    int64_t memory_bytes;  /**< limit on the workspace of a rank, in bytes, at least 0; narrower panels need less.
                                0 (default): no limit */
    const char *transport; /**< transport of panels:
                                - "auto" or NULL (default): chosen by the library. The choice may wait for the arrays of
                                  the first execution, which agrees on it once;
                                - "messages": one message per source, destination and matrix. On several nodes, a
                                  message goes to each node once, and is passed on there;
                                - "broadcast": MPI_Ibcast on one communicator per set of owners;
                                - "shared": each rank reads the memory of the owners; all ranks are on one node */
    int no_overlap;     /**< 1: a panel is sent after the panel before it has been multiplied. 0 (default): earlier */
    int no_computation; /**< 1: panels are sent, nothing is multiplied, and C is not written. 0 (default): off */
} scalay_summa_options;

/**
 * Sets options to their defaults. Not collective. C programs call scalay_summa_options_default().
 * @param[out] options  caller-owned
 * @param[in]  size     sizeof *options as the caller knows it, in bytes
 */
SCALAY_API void scalay_summa_options_init(scalay_summa_options *options, size_t size);

/** Returns default options. Not collective. */
static inline scalay_summa_options scalay_summa_options_default(void)
{
    scalay_summa_options options;
    scalay_summa_options_init(&options, sizeof options);
    return options;
}

/** Statistics of the last execution on the calling rank, unless stated otherwise. */
typedef struct {
    int64_t volume;             /**< elements sent in an execution, all ranks together; known before the first one */
    int64_t panel;              /**< width of the widest panel */
    int64_t panels;             /**< number of panels */
    int64_t gemm_calls;         /**< calls of gemm */
    int64_t messages_sent;      /**< with those passed on; a broadcast counts once per receiver; 0 with "shared" */
    int64_t elements_sent;      /**< counted once per receiver, by the rank that sends; 0 with "shared" */
    int64_t elements_received;  /**< needed elements that other ranks hold */
    int64_t elements_copied;    /**< elements packed, or copied into panel buffers, on this rank */
    int64_t segments_read;      /**< segments of other processes' memory read by system calls */
    int64_t workspace_bytes;    /**< panel buffers, message buffers and gathered tiles */
    double seconds;             /**< elapsed time of the execution */
    double compute_seconds;     /**< of these, in gemm and in copying tiles to and from it */
    double communicate_seconds; /**< of these, packing, waiting and reading */
    double cpu_seconds;         /**< CPU time of the calling thread in gemm; less than compute_seconds if ranks share
                                     cores. Calls of fewer than 1e7 flops count with their duration */
} scalay_summa_statistics;

/** Plan of a product by SUMMA. */
typedef struct scalay_summa scalay_summa;

/**
 * Plans C := alpha op(A) op(B) + beta C without moving A, B or C. Collective over comm; the ranks agree on the status.
 *
 * A rank that owns elements in row i of C needs row i of op(A). A rank that owns elements in column j of C needs column
 * j of op(B). It receives the elements that other ranks hold, each once, panel by panel. The volume is
 * scalay_multiply_cost_volume() of the three owner maps.
 *
 * Workspace of a rank, in elements, for panels of width w:
 *   - at most 2 w (rows + columns) for panels, where rows and columns are those in which the rank owns elements of C;
 *   - the packed messages of two panels;
 *   - at most 512 x 512 for tiles that are multiplied together.
 *
 * A panel that lies in the array of its owner in the right order needs no buffer.
 * @param[in]  comm     communicator; the plan keeps it alive
 * @param[in]  type     SCALAY_FLOAT, SCALAY_DOUBLE, SCALAY_COMPLEX_FLOAT or SCALAY_COMPLEX_DOUBLE
 * @param[in]  op_a     op(A) is m x k
 * @param[in]  op_b     op(B) is k x n
 * @param[in]  a, b, c  layouts of the matrices as stored (A is k x m if it is transposed). Every process is a rank of
 *                      comm. They need not outlive the call
 * @param[in]  options  NULL: defaults
 * @param[out] summa    release with scalay_summa_destroy()
 * @return SCALAY_SUCCESS; SCALAY_ERROR_ARGUMENT; SCALAY_ERROR_MISMATCH (extents do not fit, or the ranks disagree);
 *         SCALAY_ERROR_RANGE (rows, columns or a leading dimension exceed 32 bits); SCALAY_ERROR_UNSUPPORTED (the
 *         transport cannot be used); SCALAY_ERROR_MEMORY (or memory_bytes is too small for panels of width 1);
 *         SCALAY_ERROR_MPI
 * @par Source
 * van de Geijn, Watts, SUMMA (1997). Malik, Lastovetsky (2021), section VI, for shapes other than grids.
 */
SCALAY_API scalay_status scalay_summa_create(scalay_comm *comm, scalay_type type, scalay_op op_a, scalay_op op_b,
                                             const scalay_layout *a, const scalay_layout *b, const scalay_layout *c,
                                             const scalay_summa_options *options, scalay_summa **summa);

/**
 * Computes the product. Collective over the communicator of the plan. The ranks do not agree on the status. Each
 * execution may use other arrays. Transport "auto" suits arrays like those of the first execution.
 * @param[in]     summa  a plan
 * @param[in]     alpha  one element, the same on every rank. If it is 0, A and B are not read
 * @param[in]     a, b   local arrays, scalay_layout_local_size() elements; NULL if empty
 * @param[in]     beta   one element, the same on every rank. If it is 0, C is not read
 * @param[in,out] c      local array, disjoint from a and b; NULL if empty. Only elements of this rank are written
 * @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT, SCALAY_ERROR_MPI
 */
SCALAY_API scalay_status scalay_summa_execute(scalay_summa *summa, const void *alpha, const void *a, const void *b,
                                              const void *beta, void *c);

/**
 * Copies the statistics of a plan. Not collective.
 * @param[in]  summa       a plan
 * @param[out] statistics  caller-owned; times and counts are 0 before the first execution
 * @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT
 */
SCALAY_API scalay_status scalay_summa_get_statistics(const scalay_summa *summa, scalay_summa_statistics *statistics);

/**
 * Describes a plan in one sentence, with measured times after an execution. Not collective.
 * @param[in]  summa  a plan
 * @param[out] text   shape [size], caller-owned, terminated; truncated if too short. NULL if size is 0
 * @param[in]  size   in bytes
 * @return the length of the whole text, as snprintf
 */
SCALAY_API int scalay_summa_describe(const scalay_summa *summa, char *text, size_t size);

/** Releases a plan and sets it to NULL. Collective over its communicator. NULL is allowed. */
SCALAY_API void scalay_summa_destroy(scalay_summa **summa);

/* --------------------------------------------------------------------------------- products of any layouts */

/** Options of scalay_gemm_create() and the one-call products. The same on every rank. Start from
 *  scalay_gemm_options_default(). */
typedef struct {
    size_t size;                 /**< set by scalay_gemm_options_default(): sizeof(scalay_gemm_options) */
    const scalay_owner_map *map; /**< owner map of C, m x n, on which the product is computed; at most as many parts as
                                      ranks. Need not outlive the call. NULL (default): the layout of C */
    scalay_objective objective;  /**< how parts of the map are assigned to ranks:
                                      - SCALAY_CANONICAL (default): part j to rank j, for whose speed it was made;
                                      - others: the mapping that minimises the movement of A, B and C */
    const int *group;            /**< shape [ranks]: kind of processor of each rank. Part j is assigned to a rank of the
                                      kind of rank j. NULL (default): all ranks are of one kind */
    int nprow;                   /**< above 0: compute by p?gemm on a grid of nprow x npcol. 0 (default): by SUMMA */
    int npcol;                   /**< columns of that grid */
    int nb;                      /**< block size on that grid. 0 (default): 64 */
    const char *transport;       /**< of the redistribution, as in scalay_plan_options. NULL (default): "auto" */
    const scalay_summa_options *summa; /**< options of SUMMA. NULL (default): its defaults */
    const scalay_machine *machine;     /**< rates for predictions and for scalay_plan_options. NULL (default):
                                            scalay_machine_typical() */
    const double *seconds_per_flop; /**< shape [ranks]: for predictions, as in scalay_multiply_options. NULL (default):
                                         the rate of the machine */
} scalay_gemm_options;

/**
 * Sets options to their defaults. Not collective. C programs call scalay_gemm_options_default().
 * @param[out] options  caller-owned
 * @param[in]  size     sizeof *options as the caller knows it, in bytes
 */
SCALAY_API void scalay_gemm_options_init(scalay_gemm_options *options, size_t size);

/** Returns default options. Not collective. */
static inline scalay_gemm_options scalay_gemm_options_default(void)
{
    scalay_gemm_options options;
    scalay_gemm_options_init(&options, sizeof options);
    return options;
}

/** Statistics of a planned product. Volumes and predictions are the same on every rank. Times are those of the calling
 *  rank in the last execution, and 0 before it. */
typedef struct {
    int processes;                        /**< ranks of the communicator */
    int moves_a;                          /**< 1: A is moved; 0: A is used in its layout */
    int moves_b;                          /**< 1: B is moved; 0: B is used in its layout */
    int moves_c;                          /**< 1: the product is computed elsewhere and moved to C; 0: computed in C */
    int64_t move_volume;                  /**< elements of A and B that change process before the product */
    int64_t move_steps;                   /**< one-port steps of that move */
    int64_t back_volume;                  /**< elements of C that change process after the product */
    int64_t multiply_volume;              /**< elements sent in the product; a lower bound for p?gemm */
    int64_t elements_sent;                /**< by this rank in the product; 0 for p?gemm (unknown) */
    int64_t elements_received;            /**< by this rank in the product; 0 for p?gemm (unknown) */
    int64_t copy_bytes;                   /**< copies of moved matrices on this rank */
    double plan_seconds;                  /**< mapping and planning */
    double move_seconds;                  /**< moving A and B */
    double multiply_seconds;              /**< SUMMA or p?gemm */
    double compute_seconds;               /**< of these, in BLAS; all of them for p?gemm */
    double communicate_seconds;           /**< multiply_seconds - compute_seconds */
    double back_seconds;                  /**< moving the product to C */
    double predicted_move_seconds;        /**< predicted: both moves */
    double predicted_compute_seconds;     /**< predicted: computing, of the slowest process */
    double predicted_communicate_seconds; /**< predicted: communication of the product, of the slowest process */
    double predicted_multiply_seconds;    /**< predicted: product */
} scalay_gemm_statistics;

/** A planned product. */
typedef struct scalay_gemm scalay_gemm;

/**
 * Plans C := alpha op(A) op(B) + beta C for any layouts. Collective over comm; the ranks agree on the status.
 *
 * A and B are moved to the owner map of the product, resized to their extents, in one round of communication, and
 * transposed at the same time if necessary. The product is computed there. If C is elsewhere, the product is moved to
 * C. A matrix that is not moved:
 *   - a matrix that has the owners of the map;
 *   - without options->map, a matrix on the grid of C whose rows (A) or columns (B) are distributed like those of C,
 *     as in a ScaLAPACK program with one grid and one block size, unless it is transposed.
 *
 * The plan owns copies of the moved matrices, in memory shared by the node.
 * @param[in]  comm        communicator; the plan keeps it alive
 * @param[in]  type        SCALAY_FLOAT, SCALAY_DOUBLE, SCALAY_COMPLEX_FLOAT or SCALAY_COMPLEX_DOUBLE
 * @param[in]  op_a, op_b  operations on A and B
 * @param[in]  a           layout of A as stored: m x k, or k x m if it is transposed. Every process is a rank of comm.
 *                         Need not outlive the call
 * @param[in]  b           layout of B as stored: k x n, or n x k if it is transposed; as a
 * @param[in]  c           layout of C: m x n; as a
 * @param[in]  options     NULL: defaults
 * @param[out] gemm        release with scalay_gemm_destroy()
 * @return SCALAY_SUCCESS; SCALAY_ERROR_ARGUMENT; SCALAY_ERROR_INFEASIBLE (the grid or the map has more parts than there
 *         are ranks); SCALAY_ERROR_MISMATCH (extents do not fit, or the ranks disagree); SCALAY_ERROR_RANGE;
 *         SCALAY_ERROR_UNSUPPORTED; SCALAY_ERROR_MEMORY; SCALAY_ERROR_MPI; SCALAY_ERROR_BLACS
 */
SCALAY_API scalay_status scalay_gemm_create(scalay_comm *comm, scalay_type type, scalay_op op_a, scalay_op op_b,
                                            const scalay_layout *a, const scalay_layout *b, const scalay_layout *c,
                                            const scalay_gemm_options *options, scalay_gemm **gemm);

/**
 * Computes the product. Collective over the communicator of the plan. The ranks do not agree on the status.
 * @param[in]     gemm   a plan
 * @param[in]     alpha  one element, the same on every rank; NULL: 1. If it is 0, A and B are not read
 * @param[in]     a      local array in the layout of A; NULL if empty. Arrays of scalay_alloc() are fastest
 * @param[in]     b      local array in the layout of B; as a
 * @param[in]     beta   one element, the same on every rank; NULL: 0. If it is 0, C is not read
 * @param[in,out] c      local array in the layout of C; as a
 * @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT, SCALAY_ERROR_MEMORY, SCALAY_ERROR_MPI
 */
SCALAY_API scalay_status scalay_gemm_execute(scalay_gemm *gemm, const void *alpha, const void *a, const void *b,
                                             const void *beta, void *c);

/**
 * Copies the statistics of a plan. Not collective.
 * @param[in]  gemm        a plan
 * @param[out] statistics  caller-owned
 * @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT
 */
SCALAY_API scalay_status scalay_gemm_get_statistics(const scalay_gemm *gemm, scalay_gemm_statistics *statistics);

/** Returns the layout of C in which the product is computed, owned by the plan. Not collective. NULL if `gemm` is NULL
 *  or C is empty. */
SCALAY_API const scalay_layout *scalay_gemm_layout(const scalay_gemm *gemm);

/**
 * Describes a plan: moves, method, predicted times, and measured times after an execution. Not collective.
 * @param[in]  gemm  a plan
 * @param[out] text  shape [size], caller-owned, terminated; truncated if too short. NULL if size is 0
 * @param[in]  size  in bytes
 * @return the length of the whole text, as snprintf
 */
SCALAY_API int scalay_gemm_describe(const scalay_gemm *gemm, char *text, size_t size);

/** Releases a plan and sets it to NULL. Collective over its communicator. NULL is allowed. */
SCALAY_API void scalay_gemm_destroy(scalay_gemm **gemm);

/* --------------------------------------------------------------------------------------------- in one call */

/**
 * Computes C := alpha op(A) op(B) + beta C in double precision. Collective over comm; the ranks agree on the status of
 * the arguments and of the plan.
 *
 * The communicator keeps the plans of its last calls, at most 16 objects and 64 MiB per rank, so that a repeated call
 * needs no planning. Plans with options that point to arrays are not kept; those with an owner map are. The first
 * products of small matrices on one process grid are computed by p?gemm in their layouts. If the call is repeated,
 * SUMMA is planned: on one node with narrow panels, which need little new memory, and after more calls with wide ones.
 *
 * Small products (below 512^3 multiplications per process) by p?gemm, on a grid of all ranks, begin without a reduction
 * if scalay_layout_from_desc() has read a descriptor of the grid on comm, and its context still exists. Then the ranks
 * do not compare their arguments. A rank without an array returns an error; the other ranks return, and their part of
 * C is undefined. Other differences between ranks, such as a layout that is NULL on one rank, act as in p?gemm: ranks
 * may wait. The predicted times in the statistics are 0.
 * @param[in]     comm           communicator
 * @param[in]     op_a, op_b     as in scalay_gemm_create()
 * @param[in]     alpha          the same on every rank
 * @param[in]     layout_a, a    layout and local array of A; the array is NULL if empty
 * @param[in]     layout_b, b    layout and local array of B
 * @param[in]     beta           the same on every rank
 * @param[in]     layout_c       layout of C
 * @param[in,out] c              local array of C
 * @param[in]     options        NULL: defaults
 * @param[out]    statistics     caller-owned; NULL: not wanted
 * @return as scalay_gemm_create() and scalay_gemm_execute()
 */
SCALAY_API scalay_status scalay_pdgemm(scalay_comm *comm, scalay_op op_a, scalay_op op_b, double alpha,
                                       const scalay_layout *layout_a, const double *a, const scalay_layout *layout_b,
                                       const double *b, double beta, const scalay_layout *layout_c, double *c,
                                       const scalay_gemm_options *options, scalay_gemm_statistics *statistics);

/** scalay_pdgemm() in single precision. */
SCALAY_API scalay_status scalay_psgemm(scalay_comm *comm, scalay_op op_a, scalay_op op_b, float alpha,
                                       const scalay_layout *layout_a, const float *a, const scalay_layout *layout_b,
                                       const float *b, float beta, const scalay_layout *layout_c, float *c,
                                       const scalay_gemm_options *options, scalay_gemm_statistics *statistics);

/** scalay_pdgemm() in single precision complex. Arrays hold pairs of floats. alpha and beta point to one pair. */
SCALAY_API scalay_status scalay_pcgemm(scalay_comm *comm, scalay_op op_a, scalay_op op_b, const void *alpha,
                                       const scalay_layout *layout_a, const void *a, const scalay_layout *layout_b,
                                       const void *b, const void *beta, const scalay_layout *layout_c, void *c,
                                       const scalay_gemm_options *options, scalay_gemm_statistics *statistics);

/** scalay_pdgemm() in double precision complex. Arrays hold pairs of doubles. alpha and beta point to one pair. */
SCALAY_API scalay_status scalay_pzgemm(scalay_comm *comm, scalay_op op_a, scalay_op op_b, const void *alpha,
                                       const scalay_layout *layout_a, const void *a, const scalay_layout *layout_b,
                                       const void *b, const void *beta, const scalay_layout *layout_c, void *c,
                                       const scalay_gemm_options *options, scalay_gemm_statistics *statistics);

/* ---------------------------------------------------------------------------------------------- checking */

/** A product to be checked. Initialise with zeros. */
typedef struct {
    scalay_type type;              /**< SCALAY_FLOAT, _DOUBLE, _COMPLEX_FLOAT or _COMPLEX_DOUBLE */
    scalay_op op_a;                /**< operation on A */
    scalay_op op_b;                /**< operation on B */
    const scalay_layout *layout_a; /**< of A as stored */
    const scalay_layout *layout_b; /**< of B as stored */
    const scalay_layout *layout_c; /**< of C */
    const void *alpha;             /**< one element; NULL: 1 */
    const void *a;                 /**< local array; NULL if empty */
    const void *b;                 /**< local array; NULL if empty */
    const void *beta;              /**< one element; NULL: 0 */
    const void *before;            /**< local array of C before the product; NULL if empty or if beta is NULL */
    const void *c;                 /**< local array of C after the product; NULL if empty */
} scalay_gemm_product;

/**
 * Checks a product with a random vector x: C x must equal alpha op(A) (op(B) x) + beta C0 x. Collective over comm; the
 * ranks agree on the status.
 *
 * Time: O(m k + k n + m n) operations, distributed like the matrices. Memory: O(m + k + n) per rank. A wrong product
 * passes with probability 0, apart from rounding.
 * @param[in]  comm     communicator
 * @param[in]  product  the product
 * @param[in]  seed     of x
 * @param[out] error    maximum over the entries of the difference, in units of its rounding error bound; below 1 if the
 *                      product is correct. The same on all ranks. The bound of an entry is
 *                      (k + n + 1) eps (|alpha| |op(A)| |op(B)| |x| + |beta C0| |x|), plus the underflow of products.
 *                      NaN if a matrix contains NaN or the product overflows
 * @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT, SCALAY_ERROR_MISMATCH (extents), SCALAY_ERROR_MEMORY, SCALAY_ERROR_MPI
 * @par Source
 * Freivalds, Probabilistic machines can use less running time (1977).
 */
SCALAY_API scalay_status scalay_gemm_check(scalay_comm *comm, const scalay_gemm_product *product, uint64_t seed,
                                           double *error);

#ifdef __cplusplus
}
#endif

#endif
