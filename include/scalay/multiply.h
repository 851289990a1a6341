#ifndef SCALAY_MULTIPLY_H
#define SCALAY_MULTIPLY_H

/**
 * @file
 * Products of matrices that may be anywhere.
 *
 * scalay_summa_create(): C := alpha op(A) op(B) + beta C where C is, on layouts of any kind, among them those of
 * partitions for processes of different speeds (partition.h), on which PBLAS cannot work. scalay_gemm_create(): from
 * anywhere to anywhere, with what has to be moved first, by SUMMA or by p?gemm; scalay_gemm_check() checks a product.
 */

#include "scalay/context.h"
#include "scalay/layout.h"
#include "scalay/mapping.h"
#include "scalay/model.h"
#include "scalay/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/** How to multiply; start from scalay_summa_options_default(). The same on every rank. */
typedef struct {
    int64_t panel;         /**< the most rows of op(B), and columns of op(A), in a panel; 0: choose */
    int64_t memory_bytes;  /**< the most workspace of a rank; 0: no limit. Panels get narrower until they fit */
    const char *transport; /**< how panels travel; NULL: "auto". "messages": one for each source, destination and
                                matrix; "broadcast": on a communicator for each set of owners; "shared": read from
                                the memory of their owners, for ranks of one node */
    int no_overlap;        /**< 1: a panel is not sent before the one before it has been multiplied */
    int no_computation;    /**< 1: panels travel and nothing is multiplied, to measure communication; C stays */
} scalay_summa_options;

/** Options that suit most callers: everything is chosen. */
SCALAY_API scalay_summa_options scalay_summa_options_default(void);

/** What the last execution did on the calling rank. */
typedef struct {
    int64_t panel;              /**< width of the widest panel */
    int64_t panels;             /**< their number */
    int64_t multiplications;    /**< calls of gemm */
    int64_t messages_sent;      /**< a broadcast counts as one for each other rank in it; 0 when memory is read */
    int64_t elements_sent;      /**< to each of their users: one that goes to three counts three times. 0 when memory
                                     is read, by others */
    int64_t elements_received;  /**< that this rank needed and did not hold */
    int64_t elements_copied;    /**< besides, on this rank: packed, or put together to panels */
    int64_t segments_read;      /**< of others' memory, by the operating system: so many times something contiguous */
    int64_t workspace_bytes;    /**< panels, messages under way and tiles that are multiplied together */
    double seconds;             /**< all of it */
    double compute_seconds;     /**< in gemm, and copying small tiles to and from it */
    double communicate_seconds; /**< packing, waiting, reading */
    double processor_seconds;   /**< of the calling thread, in gemm: less than compute_seconds where ranks share
                                   processors */
} scalay_summa_statistics;

/** A multiplication that is planned: SUMMA over any layouts. */
typedef struct scalay_summa scalay_summa;

/**
 * Plans C := alpha op(A) op(B) + beta C. C stays where it is; a rank gets the rows of op(A) and the columns of op(B)
 * in which it owns anything of C, a panel at a time. Collective over comm; the ranks agree on the status.
 *
 * What travels is scalay_multiply_cost_volume() of the three maps, no element more. A rank needs at most twice the
 * panel's width times (its rows plus its columns) of workspace, besides what it is sending; what it holds itself is
 * used where it is, if one array has all of the panel. Small tiles of a tile map are multiplied together where a rank
 * has all tiles of some rows and columns, in at most 512 x 512 elements more.
 * @param[in]  comm     the ranks; kept alive by the plan
 * @param[in]  type     SCALAY_FLOAT, _DOUBLE, _COMPLEX_FLOAT or _COMPLEX_DOUBLE
 * @param[in]  op_a     op(A) is m x k
 * @param[in]  op_b     op(B) is k x n
 * @param[in]  a, b, c  where the matrices are, any layouts, with the extents of A, B and C as they are stored: A is k x
 * m when it is transposed. Every process of them is a rank of comm. Need not outlive the call
 * @param[in]  options  NULL: the default
 * @param[out] summa    to be released with scalay_summa_destroy()
 * @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT, SCALAY_ERROR_MISMATCH (extents do not fit; the ranks disagree),
 *         SCALAY_ERROR_RANGE (a rank's rows, columns or leading dimension do not fit the 32 bits of BLAS),
 *         SCALAY_ERROR_UNSUPPORTED (memory of other ranks cannot be read; too many sets of owners to broadcast to),
 *         SCALAY_ERROR_MEMORY (also: a panel of width 1 needs more than memory_bytes), SCALAY_ERROR_MPI
 * @par Source
 * Van de Geijn, Watts, SUMMA (1997); Malik, Lastovetsky (2021), section VI, for shapes that are no grids.
 */
SCALAY_API scalay_status scalay_summa_create(scalay_comm *comm, scalay_type type, scalay_op op_a, scalay_op op_b,
                                             const scalay_layout *a, const scalay_layout *b, const scalay_layout *c,
                                             const scalay_summa_options *options, scalay_summa **summa);

/**
 * Multiplies. Collective; no agreement on errors is added. The arrays may be others in each execution.
 * @param[in]     summa  a plan
 * @param[in]     alpha  one element of the type, the same on every rank; when it is 0, A and B are not read
 * @param[in]     a, b   the local arrays, scalay_layout_local_size() elements; not written; NULL when empty
 * @param[in]     beta   likewise; when it is 0, C is not read: it may hold anything
 * @param[in,out] c      the local array, not overlapping a and b; only the rank's own elements are written. NULL when
 *                       empty
 * @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT, SCALAY_ERROR_MPI
 */
SCALAY_API scalay_status scalay_summa_execute(scalay_summa *summa, const void *alpha, const void *a, const void *b,
                                              const void *beta, void *c);

/** What the last execution did on this rank; seconds are 0 before the first. Not collective. @return SCALAY_SUCCESS,
 *  SCALAY_ERROR_ARGUMENT */
SCALAY_API scalay_status scalay_summa_get_statistics(const scalay_summa *summa, scalay_summa_statistics *statistics);

/** The elements that travel in an execution, of all ranks; 0 for NULL. Not collective. */
SCALAY_API int64_t scalay_summa_volume(const scalay_summa *summa);

/**
 * How it will be multiplied and, after an execution, how long that took on this rank. Not collective.
 * @param[in]  summa  a plan
 * @param[out] text   caller-owned, terminated; NULL when size is 0
 * @param[in]  size   in bytes
 * @return the length of the whole text, as snprintf
 */
SCALAY_API int scalay_summa_describe(const scalay_summa *summa, char *text, size_t size);

/** Releases a plan and sets it to NULL; NULL is fine. Collective over its ranks. */
SCALAY_API void scalay_summa_destroy(scalay_summa **summa);

/* ---------------------------------------------------------------------------------- multiplying, from anywhere */

/** How to multiply matrices that are anywhere; start from scalay_gemm_options_default(). The same on every rank. */
typedef struct {
    const scalay_owner_map *map; /**< of C, m x n: where to multiply, part j on rank j; at most as many parts as ranks.
                                    NULL: where C is. Need not outlive the call */
    scalay_objective objective;  /**< SCALAY_CANONICAL: part j of the map stays on rank j, which is the default: a part
                                    was cut for a processor. Others: parts are mapped to ranks so that little moves. */
    const int *group; /**< shape [ranks]: what kind of processor each rank is; a part goes to ranks of the kind of its
                         own rank only. NULL: all are alike. Of no account for SCALAY_CANONICAL. */
    int nprow;        /**< above 0: multiply by p?gemm on an nprow x npcol grid, not by SUMMA on a map */
    int npcol;        /**< columns of that grid */
    int nb;           /**< its block extent; 0: 64 */
    const char *transport;      /**< of the redistribution, as in scalay_plan_options; NULL: "auto" */
    scalay_summa_options summa; /**< of the multiplication, when SUMMA does it */
    const scalay_machine
        *machine; /**< to predict with, and as in scalay_plan_options; NULL: scalay_machine_typical() */
    const double *seconds_per_flop; /**< shape [ranks]: to predict with, as in scalay_multiply_options; NULL: the
                                       machine's */
} scalay_gemm_options;

/** Where C is, nothing is mapped, the defaults of SUMMA. */
SCALAY_API scalay_gemm_options scalay_gemm_options_default(void);

/** What a multiplication does and has done. Volumes and predictions are the same on every rank; seconds are those of
 *  the calling rank in the last execution, 0 before it. */
typedef struct {
    int processes;                        /**< ranks of the communicator */
    int moves_a;                          /**< 1: A is moved; 0: it is multiplied where it is */
    int moves_b;                          /**< likewise */
    int moves_c;                          /**< 1: the product is brought to where C is; 0: it is made there */
    int64_t move_volume;                  /**< elements of A and B that change process on the way there */
    int64_t move_steps;                   /**< one-port element steps of that */
    int64_t back_volume;                  /**< elements of C that change process on the way back */
    int64_t multiply_volume;              /**< elements that travel in the multiplication; with p?gemm on a grid what
                                             it takes at least */
    int64_t elements_sent;                /**< by this rank in the last multiplication; 0 with p?gemm: not known */
    int64_t elements_received;            /**< likewise */
    int64_t copy_bytes;                   /**< of this rank's copies of what moves */
    double plan_seconds;                  /**< mapping and planning */
    double move_seconds;                  /**< A and B there */
    double multiply_seconds;              /**< SUMMA or p?gemm */
    double compute_seconds;               /**< in BLAS, as part of that; all of it with p?gemm */
    double communicate_seconds;           /**< the rest of it */
    double back_seconds;                  /**< the product to where C is */
    double predicted_move_seconds;        /**< of model.h: there and back */
    double predicted_compute_seconds;     /**< likewise, of the slowest process */
    double predicted_communicate_seconds; /**< likewise */
    double predicted_multiply_seconds;    /**< likewise, both */
} scalay_gemm_statistics;

/** A planned multiplication. */
typedef struct scalay_gemm scalay_gemm;

/**
 * Plans C := alpha op(A) op(B) + beta C for matrices that are anywhere. Collective over comm; the ranks agree.
 *
 * A and B are moved, in one round and transposed on the way, to the owner map of the product stretched to their
 * extents; the product is computed there, and where C is not, brought to it. A matrix that lies there already is used
 * as it is; without a map so is one on C's grid whose rows (A) or columns (B) are dealt out as C's, as those of a
 * ScaLAPACK program with one grid and one block size are, unless it is transposed. Copies of what moves live as long as
 * the object, in memory that the node shares.
 * @param[in]  comm        the ranks; kept alive by the object
 * @param[in]  type        SCALAY_FLOAT, _DOUBLE, _COMPLEX_FLOAT or _COMPLEX_DOUBLE
 * @param[in]  op_a, op_b  what becomes of A and B
 * @param[in]  a           where A is as it is stored: m x k, or k x m when it is transposed; every process of it is a
 *                         rank of comm; need not outlive the call
 * @param[in]  b           where B is as it is stored: k x n, or n x k; likewise
 * @param[in]  c           where C is: m x n; likewise
 * @param[in]  options     NULL: the default
 * @param[out] gemm        to be released with scalay_gemm_destroy()
 * @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT, SCALAY_ERROR_INFEASIBLE (more grid, or more parts, than ranks),
 *         SCALAY_ERROR_MISMATCH (extents, or the ranks disagree), SCALAY_ERROR_RANGE, SCALAY_ERROR_UNSUPPORTED,
 *         SCALAY_ERROR_MEMORY, SCALAY_ERROR_MPI, SCALAY_ERROR_BLACS
 */
SCALAY_API scalay_status scalay_gemm_create(scalay_comm *comm, scalay_type type, scalay_op op_a, scalay_op op_b,
                                            const scalay_layout *a, const scalay_layout *b, const scalay_layout *c,
                                            const scalay_gemm_options *options, scalay_gemm **gemm);

/**
 * Multiplies. Collective over the ranks of the object. Errors are not agreed upon: a rank that returns an error tells
 * only of itself.
 * @param[in]     gemm   a planned multiplication
 * @param[in]     alpha  one element, the same on every rank; 0: A and B are not read; NULL: 1
 * @param[in]     a      the local array in A's layout; NULL when empty. For speed from scalay_alloc(), as b and c
 * @param[in]     b      likewise
 * @param[in]     beta   one element, the same on every rank; 0: C is not read; NULL: 0
 * @param[in,out] c      likewise
 * @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT, SCALAY_ERROR_MEMORY, SCALAY_ERROR_MPI
 */
SCALAY_API scalay_status scalay_gemm_execute(scalay_gemm *gemm, const void *alpha, const void *a, const void *b,
                                             const void *beta, void *c);

/** What it does and has done. Not collective. @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT */
SCALAY_API scalay_status scalay_gemm_get_statistics(const scalay_gemm *gemm, scalay_gemm_statistics *statistics);

/** Where C is multiplied, on the processes that take part; owned by the object; NULL for NULL, and when C has no
 * elements. Not collective. */
SCALAY_API const scalay_layout *scalay_gemm_layout(const scalay_gemm *gemm);

/**
 * How it multiplies: what moves, where, what is predicted and was measured. Not collective.
 * @param[in]  gemm  a planned multiplication
 * @param[out] text  caller-owned, terminated; NULL when size is 0
 * @param[in]  size  in bytes
 * @return the length of the whole text, as snprintf
 */
SCALAY_API int scalay_gemm_describe(const scalay_gemm *gemm, char *text, size_t size);

/** Releases a multiplication and sets it to NULL; NULL is fine. Collective over its ranks. */
SCALAY_API void scalay_gemm_destroy(scalay_gemm **gemm);

/**
 * C := alpha op(A) op(B) + beta C in double precision, in one call: plans, multiplies, releases. Collective over comm;
 * the ranks agree on the status.
 * @param[in]     comm           the ranks
 * @param[in]     op_a, op_b     as in scalay_gemm_create()
 * @param[in]     alpha          the same on every rank
 * @param[in]     layout_a, a    where A is, and the local array; NULL when empty
 * @param[in]     layout_b, b    likewise
 * @param[in]     beta           the same on every rank
 * @param[in]     layout_c       where C is
 * @param[in,out] c              its local array
 * @param[in]     options        NULL: the default
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

/** scalay_pdgemm() for complex numbers in single precision: all arrays hold pairs of floats, alpha and beta point to
 *  such a pair. */
SCALAY_API scalay_status scalay_pcgemm(scalay_comm *comm, scalay_op op_a, scalay_op op_b, const void *alpha,
                                       const scalay_layout *layout_a, const void *a, const scalay_layout *layout_b,
                                       const void *b, const void *beta, const scalay_layout *layout_c, void *c,
                                       const scalay_gemm_options *options, scalay_gemm_statistics *statistics);

/** scalay_pdgemm() for complex numbers in double precision: all arrays hold pairs of doubles, alpha and beta point to
 *  such a pair. */
SCALAY_API scalay_status scalay_pzgemm(scalay_comm *comm, scalay_op op_a, scalay_op op_b, const void *alpha,
                                       const scalay_layout *layout_a, const void *a, const scalay_layout *layout_b,
                                       const void *b, const void *beta, const scalay_layout *layout_c, void *c,
                                       const scalay_gemm_options *options, scalay_gemm_statistics *statistics);

/** A product to be checked: what was multiplied, and what came out. Start from zeros. */
typedef struct {
    scalay_type type;              /**< SCALAY_FLOAT, _DOUBLE, _COMPLEX_FLOAT or _COMPLEX_DOUBLE */
    scalay_op op_a;                /**< what became of A */
    scalay_op op_b;                /**< what became of B */
    const scalay_layout *layout_a; /**< where A is as stored */
    const scalay_layout *layout_b; /**< where B is as stored */
    const scalay_layout *layout_c; /**< where C is */
    const void *alpha;             /**< one element; NULL: 1 */
    const void *a;                 /**< local array; NULL when empty */
    const void *b;                 /**< local array; NULL when empty */
    const void *beta;              /**< one element; NULL: 0 */
    const void *before;            /**< local array of C before; NULL when empty, and when beta is NULL */
    const void *c;                 /**< local array of C after; NULL when empty */
} scalay_gemm_product;

/**
 * Checks a product without multiplying: with a random vector x, C x must be alpha op(A) (op(B) x) + beta C0 x.
 * Collective over comm; the ranks agree. All work is O(m k + k n + m n), shared as the matrices are; memory O(m + k +
 * n) on every rank; nothing of the matrices is copied. A product that is wrong anywhere passes with probability 0,
 * apart from rounding.
 * @param[in]  comm     the ranks
 * @param[in]  product  what is checked
 * @param[in]  seed     of x
 * @param[out] error    the largest entry of the difference, as a multiple of what rounding may amount to in that entry,
 *                      (k + n + 1) eps (|alpha| |op(A)| |op(B)| |x| + |beta C0| |x|), and of what is lost by products
 *                      below the smallest normal number: below 1 all is well. NaN when there is NaN in the matrices, or
 *                      the product overflows. The same on all ranks
 * @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT, SCALAY_ERROR_MISMATCH (extents), SCALAY_ERROR_MEMORY, SCALAY_ERROR_MPI
 */
SCALAY_API scalay_status scalay_gemm_check(scalay_comm *comm, const scalay_gemm_product *product, uint64_t seed,
                                           double *error);

#ifdef __cplusplus
}
#endif

#endif
