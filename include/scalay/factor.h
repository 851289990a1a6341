#ifndef SCALAY_FACTOR_H
#define SCALAY_FACTOR_H

/**
 * @file
 * QR, LU and Cholesky factorisations of a distributed matrix in any layout.
 *
 *   - scalay_pdgeqrf(), scalay_pdgetrf(), scalay_pdpotrf() and their siblings factor a matrix in one call. The result
 * is in the layout of the matrix. For a block-cyclic layout, the arrays are those of ScaLAPACK's routine, so p?ormqr,
 *     p?getrs, p?potrs and all others continue from there.
 *   - scalay_factor_create() plans a factorisation on any owner map, for processes of any speeds. It is executed as
 * often as needed. It does not use ScaLAPACK.
 *   - scalay_qr_create() moves a matrix to a process grid and keeps the QR factorisation there, with an ordinary BLACS
 *     context and descriptor. scalay_qr_bring_back() moves it to the layout of the matrix.
 *
 * A one-call routine stays if the layout is block-cyclic and the model (model.h) predicts that moving does not pay.
 * Otherwise it moves the matrix to the grid and block size with the smallest predicted time, and back. If the processes
 * have different speeds (a profile), or the rates of the machine are known, it also weighs the engine of
 * scalay_factor_create().
 */

#include "scalay/context.h"
#include "scalay/layout.h"
#include "scalay/mapping.h"
#include "scalay/model.h"
#include "scalay/multiply.h"
#include "scalay/partition.h"
#include "scalay/profile.h"
#include "scalay/stencil.h"
#include "scalay/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* --------------------------------------------------------------------------------------------- in one call */

/** Where a one-call factorisation computes. */
typedef enum {
    SCALAY_PLACEMENT_CHOOSE = 0, /**< where the predicted time is smaller. A one-call routine stays in first calls of
                                      small matrices, for which a prediction takes longer than the call */
    SCALAY_PLACEMENT_STAY = 1,   /**< in the layout of the matrix */
    SCALAY_PLACEMENT_MOVE = 2,   /**< on a grid chosen by the model or the options */
    SCALAY_PLACEMENT_ENGINE = 3  /**< by the engine of scalay_factor_create(), on the owners of the matrix or on a
                                      1D-1D map. One-call routines only */
} scalay_placement;

/** Options of a one-call factorisation. The same on every rank. Start from scalay_one_call_options_default(). */
typedef struct {
    size_t size;                   /**< set by scalay_one_call_options_default(): sizeof(scalay_one_call_options) */
    scalay_placement placement;    /**< default: SCALAY_PLACEMENT_CHOOSE */
    int nprow;                     /**< rows of the grid to move to. 0 (default): chosen by the library */
    int npcol;                     /**< columns of that grid. 0 (default): chosen by the library */
    int nb;                        /**< block size on that grid. 0 (default): chosen by the library */
    scalay_objective objective;    /**< of the mapping (default: SCALAY_MIN_STEPS_THEN_VOLUME). If the ranks are on
                                        several nodes, the canonical mapping or a mapping onto one node is taken instead
                                        where move and routine together are predicted to be faster */
    const char *transport;         /**< of the redistribution, as in scalay_plan_options. NULL (default): "auto" */
    const scalay_machine *machine; /**< rates for predictions and for scalay_plan_options. NULL (default): those of the
                                        communicator */
    void *replicated;              /**< output, shape [min(m, n)] on every rank, for any layout. NULL (default): not
                                        wanted.
                                        - QR: all scalar factors tau, of the type of the matrix;
                                        - LU: all pivots, int: row i was interchanged with row replicated[i], 1-based
                                          within the m x n matrix;
                                        - Cholesky: not used */
    const scalay_profile *profile; /**< speeds of the ranks, as in scalay_factor_options. NULL (default): the file that
                                        the environment variable SCALAY_PROFILE of rank 0 names; if it is not set, equal
                                        speeds */
} scalay_one_call_options;

/**
 * Sets options to their defaults. Not collective. C programs call scalay_one_call_options_default().
 * @param[out] options  caller-owned
 * @param[in]  size     sizeof *options as the caller knows it, in bytes
 */
SCALAY_API void scalay_one_call_options_init(scalay_one_call_options *options, size_t size);

/** Returns default options. Not collective. */
static inline scalay_one_call_options scalay_one_call_options_default(void)
{
    scalay_one_call_options options;
    scalay_one_call_options_init(&options, sizeof options);
    return options;
}

/** Statistics of a one-call factorisation. Times are those of the calling rank; other fields are the same on every
 *  rank. Predictions are by the rates of the machine. If they are not known, or were not read for a first call of a
 *  small matrix, predictions are those of a typical machine. */
typedef struct {
    int processes;                   /**< ranks of the communicator */
    int stays;                       /**< 1: computed in the layout of the matrix; 0: moved */
    int nprow;                       /**< rows of the grid */
    int npcol;                       /**< columns of the grid */
    int nb;                          /**< block size (of columns) */
    int64_t volume;                  /**< elements that change process in the move to the grid; 0 if stays */
    int64_t steps;                   /**< one-port steps of that move; 0 if stays */
    double plan_seconds;             /**< choosing, mapping, planning, creating the grid */
    double move_seconds;             /**< moving the matrix to the grid */
    double kernel_seconds;           /**< p?geqrf, p?getrf or p?potrf */
    double back_seconds;             /**< moving the result back */
    double predicted_stay_seconds;   /**< predicted: staying; 0: staying is not possible */
    double predicted_move_seconds;   /**< predicted: both moves; 0 if stays */
    double predicted_kernel_seconds; /**< predicted: the routine on the chosen grid, or the engine */
    int engine;                      /**< 1: computed by the engine of scalay_factor_create(); nprow = npcol = 0, nb is
                                          the tile extent, steps is 0, and stays is 1 if nothing moved */
    int settled;                     /**< 1: repeated calls go on computing where this one did; 0: a later call may
                                          compute elsewhere, where it is predicted or measured to be faster */
    int trial;                       /**< 1: this call measures another way to compute than the one chosen so far */
} scalay_one_call_statistics;

/**
 * Returns the number of entries of the local array TAU: LOCc(ja + min(m, n) - 1) of the distributed matrix. Not
 * collective.
 * @param[in] layout   block-cyclic; others: 0
 * @param[in] process  a process
 */
SCALAY_API int64_t scalay_tau_size(const scalay_layout *layout, int process);

/**
 * Returns the number of entries of the local array IPIV: LOCr(m_a) + mb_a of the distributed matrix. Not collective.
 * @param[in] layout   block-cyclic; others: 0
 * @param[in] process  a process
 */
SCALAY_API int64_t scalay_ipiv_size(const scalay_layout *layout, int process);

/**
 * Factors a double precision matrix, A = Q R, in any layout. Collective over comm; the ranks agree on the status.
 *
 * Staying requires a block-cyclic layout, possibly a submatrix. Ranks outside its grid take part in the call and
 * return.
 * @param[in]     comm        communicator
 * @param[in]     layout      of the matrix; every process is a rank of comm
 * @param[in]     options     NULL: defaults
 * @param[in,out] a           local array, scalay_layout_local_size() elements: on entry A; on exit R and the
 * reflectors, as p?geqrf returns them. Other elements of the array are not written. NULL if empty
 * @param[out]    tau         local array of scalay_tau_size() entries, as p?geqrf returns it: entries are aligned with
 *                            the columns of the distributed matrix and equal on all process rows. Other entries are not
 *                            written. NULL: not wanted. Must be NULL if the layout is not block-cyclic
 * @param[out]    statistics  caller-owned; NULL: not wanted
 * @return SCALAY_SUCCESS; SCALAY_ERROR_ARGUMENT; SCALAY_ERROR_INFEASIBLE (the grid has more processes than ranks);
 *         SCALAY_ERROR_UNSUPPORTED (tau for a layout that is not block-cyclic, or staying is not possible);
 *         SCALAY_ERROR_MISMATCH (the ranks disagree); SCALAY_ERROR_RANGE (an extent or a local array exceeds the 32
 * bits of ScaLAPACK); SCALAY_ERROR_MEMORY; SCALAY_ERROR_MPI; SCALAY_ERROR_BLACS
 */
SCALAY_API scalay_status scalay_pdgeqrf(scalay_comm *comm, const scalay_layout *layout,
                                        const scalay_one_call_options *options, double *a, double *tau,
                                        scalay_one_call_statistics *statistics);

/** scalay_pdgeqrf() in single precision. */
SCALAY_API scalay_status scalay_psgeqrf(scalay_comm *comm, const scalay_layout *layout,
                                        const scalay_one_call_options *options, float *a, float *tau,
                                        scalay_one_call_statistics *statistics);

/** scalay_pdgeqrf() in single precision complex. a and tau hold pairs of floats. */
SCALAY_API scalay_status scalay_pcgeqrf(scalay_comm *comm, const scalay_layout *layout,
                                        const scalay_one_call_options *options, void *a, void *tau,
                                        scalay_one_call_statistics *statistics);

/** scalay_pdgeqrf() in double precision complex. a and tau hold pairs of doubles. */
SCALAY_API scalay_status scalay_pzgeqrf(scalay_comm *comm, const scalay_layout *layout,
                                        const scalay_one_call_options *options, void *a, void *tau,
                                        scalay_one_call_statistics *statistics);

/**
 * Factors a double precision matrix, P A = L U with partial pivoting, in any layout. Collective over comm; the ranks
 * agree on the status.
 *
 * p?getrf requires square blocks and a submatrix that starts at a block. For other layouts, the matrix is moved.
 * @param[in]     comm        communicator
 * @param[in]     layout      of the matrix; every process is a rank of comm
 * @param[in]     options     NULL: defaults
 * @param[in,out] a           local array, scalay_layout_local_size() elements: on entry A; on exit L and U, as p?getrf
 *                            returns them. Other elements of the array are not written. NULL if empty
 * @param[out]    ipiv        local array of scalay_ipiv_size() entries, as p?getrf returns it: entries are aligned with
 *                            the rows of the distributed matrix, equal on all process columns, and hold 1-based row
 *                            indices of the distributed matrix. Entries of other rows are not written by a move. NULL:
 *                            not wanted. Must be NULL if the layout is not block-cyclic
 * @param[out]    info        0, or i > 0 if U(i, i) is exactly zero; the same on every rank. NULL: i > 0 is
 *                            SCALAY_ERROR_INFEASIBLE
 * @param[out]    statistics  caller-owned; NULL: not wanted
 * @return as scalay_pdgeqrf()
 */
SCALAY_API scalay_status scalay_pdgetrf(scalay_comm *comm, const scalay_layout *layout,
                                        const scalay_one_call_options *options, double *a, int *ipiv, int *info,
                                        scalay_one_call_statistics *statistics);

/** scalay_pdgetrf() in single precision. */
SCALAY_API scalay_status scalay_psgetrf(scalay_comm *comm, const scalay_layout *layout,
                                        const scalay_one_call_options *options, float *a, int *ipiv, int *info,
                                        scalay_one_call_statistics *statistics);

/** scalay_pdgetrf() in single precision complex. a holds pairs of floats. */
SCALAY_API scalay_status scalay_pcgetrf(scalay_comm *comm, const scalay_layout *layout,
                                        const scalay_one_call_options *options, void *a, int *ipiv, int *info,
                                        scalay_one_call_statistics *statistics);

/** scalay_pdgetrf() in double precision complex. a holds pairs of doubles. */
SCALAY_API scalay_status scalay_pzgetrf(scalay_comm *comm, const scalay_layout *layout,
                                        const scalay_one_call_options *options, void *a, int *ipiv, int *info,
                                        scalay_one_call_statistics *statistics);

/**
 * Factors a double precision symmetric positive definite matrix, A = U^T U or A = L L^T, in any layout. Collective over
 * comm; the ranks agree on the status.
 *
 * p?potrf requires square blocks and a submatrix that starts at a block. For other layouts, the matrix is moved.
 * @param[in]     comm        communicator
 * @param[in]     uplo        SCALAY_UPPER or SCALAY_LOWER: the triangle that is read and written
 * @param[in]     layout      of the matrix, n x n; every process is a rank of comm
 * @param[in]     options     NULL: defaults
 * @param[in,out] a           local array, scalay_layout_local_size() elements: on entry a triangle of A; on exit U or
 * L. Other elements of the array are not written. NULL if empty
 * @param[out]    info        0, or i > 0 if the leading minor of order i is not positive definite; the same on every
 *                            rank. NULL: i > 0 is SCALAY_ERROR_INFEASIBLE
 * @param[out]    statistics  caller-owned; NULL: not wanted
 * @return as scalay_pdgeqrf()
 */
SCALAY_API scalay_status scalay_pdpotrf(scalay_comm *comm, scalay_uplo uplo, const scalay_layout *layout,
                                        const scalay_one_call_options *options, double *a, int *info,
                                        scalay_one_call_statistics *statistics);

/** scalay_pdpotrf() in single precision. */
SCALAY_API scalay_status scalay_pspotrf(scalay_comm *comm, scalay_uplo uplo, const scalay_layout *layout,
                                        const scalay_one_call_options *options, float *a, int *info,
                                        scalay_one_call_statistics *statistics);

/** scalay_pdpotrf() for a Hermitian matrix in single precision complex. a holds pairs of floats. */
SCALAY_API scalay_status scalay_pcpotrf(scalay_comm *comm, scalay_uplo uplo, const scalay_layout *layout,
                                        const scalay_one_call_options *options, void *a, int *info,
                                        scalay_one_call_statistics *statistics);

/** scalay_pdpotrf() for a Hermitian matrix in double precision complex. a holds pairs of doubles. */
SCALAY_API scalay_status scalay_pzpotrf(scalay_comm *comm, scalay_uplo uplo, const scalay_layout *layout,
                                        const scalay_one_call_options *options, void *a, int *info,
                                        scalay_one_call_statistics *statistics);

/* --------------------------------------------------------------------- factorisations on any owner map, repeated */

/** Processes that factor a panel. */
typedef enum {
    SCALAY_PANELS_CHOOSE = 0,      /**< the rule with the smaller predicted time */
    SCALAY_PANELS_ONE_PROCESS = 1, /**< the fastest owner receives the panel and factors it */
    SCALAY_PANELS_TOGETHER = 2     /**< the owners factor the panel column by column, with one reduction per column */
} scalay_factor_panels;

/** Options of a factorisation. The same on every rank. Start from scalay_factor_options_default(). */
typedef struct {
    size_t size;                 /**< set by scalay_factor_options_default(): sizeof(scalay_factor_options) */
    scalay_uplo uplo;            /**< Cholesky: triangle that is read and written (default: SCALAY_LOWER) */
    scalay_placement placement;  /**< where to compute. SCALAY_PLACEMENT_CHOOSE (default): on `map` if it is given,
                                      otherwise where the predicted time is smaller. SCALAY_PLACEMENT_STAY: on the
                                      owners of the layout. SCALAY_PLACEMENT_MOVE: on `map`, or on a 1D-1D map */
    const scalay_owner_map *map; /**< owners on which to compute: part j is on rank j. NULL (default): chosen */
    const double *speeds; /**< shape [ranks]: relative speeds, finite, at least 0, not all 0. NULL (default): from
                               the profile */
    const scalay_profile *profile; /**< one processor per rank; a size x means x columns of the matrix. Speeds are those
                                       at the size nearest to n / ranks. NULL (default): the file that the environment
                                       variable SCALAY_PROFILE of rank 0 names; if it is not set, equal speeds */
    int nb;                        /**< tile extent. 0 (default): chosen by the library */
    scalay_factor_panels panels;   /**< default: SCALAY_PANELS_CHOOSE */
    const char *transport; /**< of the redistribution, as in scalay_plan_options. "mpi": panels are sent, and not
                                read in shared memory. NULL (default): "auto" */
    const scalay_machine *machine; /**< rates for the choice. NULL (default): those kept in the cache of the user, or
                                      scalay_machine_typical() */
} scalay_factor_options;

/**
 * Sets options to their defaults. Not collective. C programs call scalay_factor_options_default().
 * @param[out] options  caller-owned
 * @param[in]  size     sizeof *options as the caller knows it, in bytes
 */
SCALAY_API void scalay_factor_options_init(scalay_factor_options *options, size_t size);

/** Returns default options. Not collective. */
static inline scalay_factor_options scalay_factor_options_default(void)
{
    scalay_factor_options options;
    scalay_factor_options_init(&options, sizeof options);
    return options;
}

/** Statistics of a factorisation. Times, messages and bytes are those of the calling rank in the last execution. Other
 *  fields are the same on every rank. */
typedef struct {
    int processes;            /**< ranks of the communicator */
    int stays;                /**< 1: on the owners of the layout; 0: on another map */
    int in_place;             /**< 1: in the array of the caller; 0: in a copy */
    int nb;                   /**< tile extent */
    int panels_together;      /**< panels that their owners factor together */
    double balance;           /**< trailing balance of the map for the speeds, in (0, 1] */
    double predicted_seconds; /**< predicted: one execution, with moves */
    int64_t workspace_bytes;  /**< memory of this rank besides the local array of the map */
    int64_t volume;           /**< elements that change process in the move to the map */
    double create_seconds;    /**< scalay_factor_create() */
    double move_seconds;      /**< moving the matrix to the map */
    double kernel_seconds;    /**< factorisation */
    double back_seconds;      /**< moving the result back */
    double panel_seconds;     /**< of kernel_seconds: factoring panels */
    double wait_seconds;      /**< of kernel_seconds: waiting for messages */
    int64_t messages;         /**< sent in the factorisation; panels in shared memory do not count */
    int64_t bytes;            /**< sent in the factorisation, likewise */
} scalay_factor_statistics;

/** A factorisation that can be executed many times. */
typedef struct scalay_factor scalay_factor;

/**
 * Plans a factorisation and allocates all its memory. Collective over comm: the object exists on every rank or on none.
 *
 * The result of an execution is that of p?geqrf, p?getrf or p?potrf: the same reflectors and tau, the same pivots, the
 * same factors up to rounding. The matrix may have any layout and any shape (Cholesky: square).
 * @param[in]  comm     communicator; the factorisation keeps it alive
 * @param[in]  kind     factorisation
 * @param[in]  layout   of the matrix; every process is a rank of comm. Need not outlive the call
 * @param[in]  type     SCALAY_FLOAT, SCALAY_DOUBLE, SCALAY_COMPLEX_FLOAT or SCALAY_COMPLEX_DOUBLE
 * @param[in]  options  NULL: defaults. Nothing it points to needs to outlive the call
 * @param[out] factor   release with scalay_factor_destroy()
 * @return SCALAY_SUCCESS; SCALAY_ERROR_ARGUMENT; SCALAY_ERROR_MISMATCH (the ranks disagree, or the map has other
 *         extents); SCALAY_ERROR_RANGE (an extent or a panel exceeds 2^31 - 1); SCALAY_ERROR_FILE, SCALAY_ERROR_FORMAT
 *         (SCALAY_PROFILE); SCALAY_ERROR_MEMORY; SCALAY_ERROR_MPI
 * @par Source
 * Choi et al., The design and implementation of the ScaLAPACK LU, QR and Cholesky factorization routines (1996);
 * Beaumont, Boudet, Petitet, Rastello, Robert (2001) for maps on unequal processors
 */
SCALAY_API scalay_status scalay_factor_create(scalay_comm *comm, scalay_factor_kind kind, const scalay_layout *layout,
                                              scalay_type type, const scalay_factor_options *options,
                                              scalay_factor **factor);

/**
 * Factors a matrix. Collective over the communicator of the factorisation; the ranks agree on `info`. Allocates nothing
 * and does not check that the ranks agree.
 * @param[in]     factor  a factorisation
 * @param[in,out] a       local array in the layout of the matrix: on entry A; on exit its factors, as p?geqrf, p?getrf
 * or p?potrf return them. Elements of other matrices and of the other triangle are not written. NULL if empty
 * @param[out]    info    0. LU: i > 0 if U(i, i) is exactly zero; the factorisation is complete. Cholesky: i > 0 if the
 *                        leading minor of order i is not positive definite. NULL: i > 0 is SCALAY_ERROR_INFEASIBLE
 * @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT, SCALAY_ERROR_INFEASIBLE, SCALAY_ERROR_MPI
 */
SCALAY_API scalay_status scalay_factor_execute(scalay_factor *factor, void *a, int *info);

/** Releases a factorisation and sets it to NULL. Collective over its communicator. NULL is allowed. */
SCALAY_API void scalay_factor_destroy(scalay_factor **factor);

/**
 * Returns tau (QR) or the pivots (LU) of the last execution. Not collective.
 * @param[in]  factor  a factorisation
 * @param[out] all     shape [min(m, n)], caller-owned, the same on every rank. QR: tau, of the type of the matrix. LU:
 *                     int: row i was interchanged with row all[i], 1-based within the m x n matrix
 * @return SCALAY_SUCCESS; SCALAY_ERROR_ARGUMENT (also for Cholesky)
 */
SCALAY_API scalay_status scalay_factor_get_vector(const scalay_factor *factor, void *all);

/**
 * Returns tau (QR) or the pivots (LU) of the last execution as the local array of ScaLAPACK, so that p?ormqr, p?getrs
 * and others continue from there. Not collective.
 * @param[in]  factor  a factorisation of a matrix in a block-cyclic layout
 * @param[out] vector  shape [scalay_tau_size()] or [scalay_ipiv_size()], caller-owned. Other entries are not written
 * @return SCALAY_SUCCESS; SCALAY_ERROR_ARGUMENT (also for Cholesky); SCALAY_ERROR_UNSUPPORTED (another layout)
 */
SCALAY_API scalay_status scalay_factor_get_local_vector(const scalay_factor *factor, void *vector);

/**
 * Copies the statistics of a factorisation. Not collective.
 * @param[in]  factor      a factorisation
 * @param[out] statistics  caller-owned
 * @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT
 */
SCALAY_API scalay_status scalay_factor_get_statistics(const scalay_factor *factor,
                                                      scalay_factor_statistics *statistics);

/* ------------------------------------------------------------------------------------- QR, kept on its grid */

/** Options of a QR factorisation. The same on every rank. Start from scalay_qr_options_default(). */
typedef struct {
    size_t size;                   /**< set by scalay_qr_options_default(): sizeof(scalay_qr_options) */
    int nprow;                     /**< rows of the grid. 0 (default): chosen by the library */
    int npcol;                     /**< columns of the grid. 0 (default): chosen by the library */
    int nb;                        /**< block size. 0 (default): chosen by the library */
    scalay_objective objective;    /**< of the mapping (default: SCALAY_MIN_STEPS_THEN_VOLUME) */
    const char *transport;         /**< of the redistribution, as in scalay_plan_options. NULL (default): "auto" */
    const scalay_machine *machine; /**< rates for predictions and for scalay_plan_options. NULL (default):
                                        scalay_machine_typical() */
} scalay_qr_options;

/**
 * Sets options to their defaults. Not collective. C programs call scalay_qr_options_default().
 * @param[out] options  caller-owned
 * @param[in]  size     sizeof *options as the caller knows it, in bytes
 */
SCALAY_API void scalay_qr_options_init(scalay_qr_options *options, size_t size);

/** Returns default options. Not collective. */
static inline scalay_qr_options scalay_qr_options_default(void)
{
    scalay_qr_options options;
    scalay_qr_options_init(&options, sizeof options);
    return options;
}

/** Statistics of a factorisation; the same on every rank. Times are those of the slowest rank. */
typedef struct {
    int processes;                   /**< ranks of the communicator */
    int nprow;                       /**< rows of the grid */
    int npcol;                       /**< columns of the grid */
    int nb;                          /**< block size */
    int64_t volume;                  /**< elements that change process in the move to the grid */
    int64_t steps;                   /**< one-port steps of that move */
    int64_t canonical_volume;        /**< volume with part j on process j */
    int64_t canonical_steps;         /**< steps with part j on process j */
    double plan_seconds;             /**< choosing, mapping, planning, creating the grid */
    double move_seconds;             /**< moving the matrix to the grid */
    double kernel_seconds;           /**< p?geqrf */
    double back_seconds;             /**< moving the result back; 0 before scalay_qr_bring_back() */
    double predicted_move_seconds;   /**< predicted: move to the grid */
    double predicted_kernel_seconds; /**< predicted: p?geqrf */
} scalay_qr_statistics;

/** A QR factorisation on its grid. */
typedef struct scalay_qr scalay_qr;

/**
 * Moves a matrix to a grid and factors it there. Collective over comm; the ranks agree on the status.
 * @param[in]  comm     communicator; the factorisation keeps it alive
 * @param[in]  layout   of the matrix; every process is a rank of comm. Need not outlive the call
 * @param[in]  type     SCALAY_FLOAT, SCALAY_DOUBLE, SCALAY_COMPLEX_FLOAT or SCALAY_COMPLEX_DOUBLE
 * @param[in]  options  NULL: defaults
 * @param[in]  a        local array, scalay_layout_local_size() elements; NULL if empty
 * @param[out] qr       release with scalay_qr_destroy()
 * @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT, SCALAY_ERROR_INFEASIBLE (the grid has more processes than ranks),
 *         SCALAY_ERROR_MISMATCH (the ranks disagree), SCALAY_ERROR_RANGE (an extent or a local array exceeds the 32
 * bits of ScaLAPACK), SCALAY_ERROR_MEMORY, SCALAY_ERROR_MPI, SCALAY_ERROR_BLACS
 */
SCALAY_API scalay_status scalay_qr_create(scalay_comm *comm, const scalay_layout *layout, scalay_type type,
                                          const scalay_qr_options *options, const void *a, scalay_qr **qr);

/** Releases a factorisation with its grid and sets it to NULL. Collective over its communicator. NULL is allowed. */
SCALAY_API void scalay_qr_destroy(scalay_qr **qr);

/** A factored matrix on its grid, as p?geqrf returned it. Arrays are owned by the factorisation. */
typedef struct {
    int ctxt;           /**< BLACS context; -1 on idle ranks */
    const int *desc;    /**< shape [9]: descriptor; its context is -1 on idle ranks */
    void *local;        /**< local array: R and the reflectors. May be overwritten, for example by p?orgqr */
    const void *tau;    /**< scalar factors of the local columns */
    int64_t reflectors; /**< min(m, n) */
} scalay_qr_matrix;

/**
 * Returns the factored matrix on its grid. Not collective.
 * @param[in]  qr      a factorisation
 * @param[out] matrix  caller-owned
 * @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT
 */
SCALAY_API scalay_status scalay_qr_get_matrix(const scalay_qr *qr, scalay_qr_matrix *matrix);

/**
 * Gathers all scalar factors on every rank. Collective; the ranks agree on the status.
 * @param[in]  qr   a factorisation
 * @param[out] tau  shape [min(m, n)], of its type; caller-owned; NULL if empty
 * @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT, SCALAY_ERROR_MEMORY, SCALAY_ERROR_MPI
 */
SCALAY_API scalay_status scalay_qr_gather_tau(scalay_qr *qr, void *tau);

/**
 * Moves the local array of scalay_qr_get_matrix() to the layout of the matrix. Collective; the ranks agree on the
 * status.
 * @param[in]  qr  a factorisation
 * @param[out] a   local array in the layout of the matrix; NULL if empty. Only elements of this rank are written
 * @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT, SCALAY_ERROR_MEMORY, SCALAY_ERROR_MPI
 */
SCALAY_API scalay_status scalay_qr_bring_back(scalay_qr *qr, void *a);

/**
 * Computes the first min(m, n) columns of Q by p?orgqr or p?ungqr, in the layout of the matrix. Collective; the ranks
 * agree on the status.
 * @param[in]  qr  a factorisation whose local array was not overwritten
 * @param[out] q   local array in the layout of the matrix: columns 0 .. min(m, n) - 1 become Q, others are not written.
 *                 NULL if empty
 * @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT, SCALAY_ERROR_RANGE, SCALAY_ERROR_MEMORY, SCALAY_ERROR_MPI,
 *         SCALAY_ERROR_BLACS
 */
SCALAY_API scalay_status scalay_qr_form_q(scalay_qr *qr, void *q);

/**
 * Verifies a factorisation. Collective; the ranks agree on the status. Memory: two copies of the matrix on the grid.
 * @param[in]  qr             a factorisation whose local array was not overwritten
 * @param[in]  a              local array of the matrix before the factorisation, in its layout; NULL if empty
 * @param[out] residual       ||A - Q R||_F / (||A||_F max(m, n) eps), about 1 or less if correct; 0 if A and Q R are 0
 * @param[out] orthogonality  ||Q^H Q - I||_F / (max(m, n) eps) for the first min(m, n) columns of Q, about 1 or less
 * @return as scalay_qr_form_q()
 */
SCALAY_API scalay_status scalay_qr_verify(scalay_qr *qr, const void *a, double *residual, double *orthogonality);

/**
 * Copies the statistics of a factorisation. Not collective.
 * @param[in]  qr          a factorisation
 * @param[out] statistics  caller-owned
 * @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT
 */
SCALAY_API scalay_status scalay_qr_get_statistics(const scalay_qr *qr, scalay_qr_statistics *statistics);

/** Returns the candidate grids, the chosen one first, owned by the factorisation; NULL for NULL. Not collective. */
SCALAY_API const scalay_qr_choice *scalay_qr_get_choice(const scalay_qr *qr);

/**
 * Describes a factorisation: grid, block size, idle ranks, mapping, moves and times. Not collective.
 * @param[in]  qr    a factorisation
 * @param[out] text  shape [size], caller-owned, terminated; truncated if too short. NULL if size is 0
 * @param[in]  size  in bytes
 * @return the length of the whole text, as snprintf
 */
SCALAY_API int scalay_qr_describe(const scalay_qr *qr, char *text, size_t size);

#ifdef __cplusplus
}
#endif

#endif
