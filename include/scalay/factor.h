#ifndef SCALAY_FACTOR_H
#define SCALAY_FACTOR_H

/**
 * @file
 * Factorisations of a distributed matrix in any layout.
 *
 *   - scalay_pdgeqrf() and its siblings compute a QR factorisation in one call. R, the reflectors and tau are returned
 *     in the layout of the matrix.
 *   - scalay_qr_create() moves the matrix to a process grid and factors it there. The result has an ordinary BLACS
 *     context and descriptor, for p?orgqr, p?ormqr, p?trsm and all other routines of ScaLAPACK.
 *     scalay_qr_bring_back() moves it to the layout of the matrix.
 *
 * The grid shape and block size are those with the smallest predicted time (model.h), unless the options set them. A
 * mapping (mapping.h) assigns the processes of the grid. Ranks outside the grid only send and receive the matrix.
 */

#include "scalay/context.h"
#include "scalay/layout.h"
#include "scalay/mapping.h"
#include "scalay/model.h"
#include "scalay/multiply.h"
#include "scalay/stencil.h"
#include "scalay/types.h"

#ifdef __cplusplus
extern "C" {
#endif

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
 * Factors a double precision matrix, A = Q R, in any layout. Collective over comm; the ranks agree on the status.
 * @param[in]     comm        communicator
 * @param[in]     layout      of the matrix; every process is a rank of comm
 * @param[in]     options     NULL: defaults
 * @param[in,out] a           local array, scalay_layout_local_size() elements: on entry A; on exit R and the
 * reflectors, in the same layout, as p?geqrf returns them. NULL if empty
 * @param[out]    tau         shape [min(m, n)]: scalar factors of all reflectors, on every rank. NULL: not wanted
 * @param[out]    statistics  caller-owned; NULL: not wanted
 * @return as scalay_qr_create()
 */
SCALAY_API scalay_status scalay_pdgeqrf(scalay_comm *comm, const scalay_layout *layout,
                                        const scalay_qr_options *options, double *a, double *tau,
                                        scalay_qr_statistics *statistics);

/** scalay_pdgeqrf() in single precision. */
SCALAY_API scalay_status scalay_psgeqrf(scalay_comm *comm, const scalay_layout *layout,
                                        const scalay_qr_options *options, float *a, float *tau,
                                        scalay_qr_statistics *statistics);

/** scalay_pdgeqrf() in single precision complex. a and tau hold pairs of floats. */
SCALAY_API scalay_status scalay_pcgeqrf(scalay_comm *comm, const scalay_layout *layout,
                                        const scalay_qr_options *options, void *a, void *tau,
                                        scalay_qr_statistics *statistics);

/** scalay_pdgeqrf() in double precision complex. a and tau hold pairs of doubles. */
SCALAY_API scalay_status scalay_pzgeqrf(scalay_comm *comm, const scalay_layout *layout,
                                        const scalay_qr_options *options, void *a, void *tau,
                                        scalay_qr_statistics *statistics);

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
