#ifndef SCALAY_FACTOR_H
#define SCALAY_FACTOR_H

/**
 * @file
 * Kernels on a matrix that may be anywhere: products (multiply.h), stencils (stencil.h), and QR factorisation.
 *
 * QR factorisation, in two forms:
 *   - in one call, scalay_pdgeqrf() and its s, c, z siblings: the matrix is moved to where p?geqrf is fast, factored,
 *     and R, the reflectors and tau come back to where the matrix was;
 *   - step by step, scalay_qr_create() factors and keeps the result on its grid: an ordinary BLACS context with an
 *     ordinary descriptor, on which p?orgqr, p?ormqr, p?trsm and all others run unchanged; scalay_qr_bring_back()
 *     when, and if, the result is wanted in the old place.
 *
 * Either way grid shape and block size are chosen by the model (model.h) unless the caller says, and the processes of
 * the grid by the mapping (mapping.h) that moves least. Ranks that the choice leaves idle only hand over what they
 * hold.
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

/** How to factor; start from scalay_qr_options_default(). The same on every rank. */
typedef struct {
    int nprow;                  /**< rows of the grid; 0: choose */
    int npcol;                  /**< columns of the grid; 0: choose */
    int nb;                     /**< block extent; 0: choose */
    scalay_objective objective; /**< of the mapping; default SCALAY_MIN_STEPS_THEN_VOLUME; SCALAY_MIN_TIME with unit
                                     link costs is the volume */
    const char *transport;      /**< of the redistribution, as in scalay_plan_options; NULL: "auto" */
    const scalay_machine
        *machine; /**< to predict with, and as in scalay_plan_options; NULL: scalay_machine_typical() */
} scalay_qr_options;

/** Options that suit most callers: everything is chosen. */
SCALAY_API scalay_qr_options scalay_qr_options_default(void);

/** What a factorisation did; the same on every rank. Seconds are those of the slowest rank. */
typedef struct {
    int processes;                   /**< ranks of the communicator */
    int nprow;                       /**< rows of the grid */
    int npcol;                       /**< columns of the grid */
    int nb;                          /**< block extent */
    int64_t volume;                  /**< elements that changed process on the way there */
    int64_t steps;                   /**< one-port element steps of that */
    int64_t canonical_volume;        /**< the volume with part j on process j */
    int64_t canonical_steps;         /**< the steps with part j on process j */
    double plan_seconds;             /**< choosing, mapping, planning, making the grid */
    double move_seconds;             /**< there */
    double kernel_seconds;           /**< p?geqrf */
    double back_seconds;             /**< back again; 0 as long as nothing was brought back */
    double predicted_move_seconds;   /**< model.h's, there */
    double predicted_kernel_seconds; /**< model.h's */
} scalay_qr_statistics;

/** A QR factorisation on its grid. */
typedef struct scalay_qr scalay_qr;

/**
 * Factors a double precision matrix, A = Q R, wherever it is. Collective over comm; the ranks agree on the status.
 * @param[in]     comm        the ranks
 * @param[in]     layout      where the matrix is; every process of it is a rank of comm
 * @param[in]     options     NULL: the default
 * @param[in,out] a           the local array, scalay_layout_local_size() elements: A on entry; R and the reflectors, in
 *                            the same layout, on exit, as p?geqrf leaves them. NULL when empty.
 * @param[out]    tau         shape [min(m, n)], on every rank the scalar factors of all reflectors; NULL: not wanted
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

/** scalay_pdgeqrf() for complex numbers in single precision: a and tau hold pairs of floats. */
SCALAY_API scalay_status scalay_pcgeqrf(scalay_comm *comm, const scalay_layout *layout,
                                        const scalay_qr_options *options, void *a, void *tau,
                                        scalay_qr_statistics *statistics);

/** scalay_pdgeqrf() for complex numbers in double precision: a and tau hold pairs of doubles. */
SCALAY_API scalay_status scalay_pzgeqrf(scalay_comm *comm, const scalay_layout *layout,
                                        const scalay_qr_options *options, void *a, void *tau,
                                        scalay_qr_statistics *statistics);

/**
 * Moves a matrix to a grid and factors it there. Collective over comm; the ranks agree on the status.
 * @param[in]  comm     the ranks; kept alive by the factorisation
 * @param[in]  layout   where the matrix is; every process of it is a rank of comm; need not outlive the call
 * @param[in]  type     SCALAY_FLOAT, _DOUBLE, _COMPLEX_FLOAT or _COMPLEX_DOUBLE
 * @param[in]  options  NULL: the default
 * @param[in]  a        the local array, scalay_layout_local_size() elements; unchanged; NULL when empty
 * @param[out] qr       to be released with scalay_qr_destroy()
 * @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT, SCALAY_ERROR_INFEASIBLE (more grid than ranks), SCALAY_ERROR_MISMATCH
 *         (the ranks disagree), SCALAY_ERROR_RANGE (an extent or a local array does not fit ScaLAPACK's 32 bits),
 *         SCALAY_ERROR_MEMORY, SCALAY_ERROR_MPI, SCALAY_ERROR_BLACS
 */
SCALAY_API scalay_status scalay_qr_create(scalay_comm *comm, const scalay_layout *layout, scalay_type type,
                                          const scalay_qr_options *options, const void *a, scalay_qr **qr);

/** Releases a factorisation with its grid and sets it to NULL; NULL is fine. Collective over its ranks. */
SCALAY_API void scalay_qr_destroy(scalay_qr **qr);

/** The BLACS context, owned by the factorisation; -1 on idle ranks and for NULL. Not collective. */
SCALAY_API int scalay_qr_context(const scalay_qr *qr);

/** The descriptor of the factored matrix, shape [9], owned by the factorisation; NULL for NULL; on idle ranks its
 *  context is -1. Not collective. */
SCALAY_API const int *scalay_qr_descriptor(const scalay_qr *qr);

/** The local part of the factored matrix, R and reflectors, as p?geqrf left it; owned by the factorisation, but may be
 *  written to (p?orgqr does). NULL for NULL. Not collective. */
SCALAY_API void *scalay_qr_local(scalay_qr *qr);

/** The scalar factors that belong to the local columns, as p?geqrf left them; owned by the factorisation; NULL for
 *  NULL. Not collective. */
SCALAY_API const void *scalay_qr_local_tau(const scalay_qr *qr);

/** The number of reflectors, min(m, n); 0 for NULL. Not collective. */
SCALAY_API int64_t scalay_qr_reflectors(const scalay_qr *qr);

/**
 * All scalar factors, on every rank. Collective.
 * @param[in]  qr   a factorisation
 * @param[out] tau  shape [min(m, n)], of its type; caller-owned; NULL when there are none
 * @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT, SCALAY_ERROR_MEMORY, SCALAY_ERROR_MPI
 */
SCALAY_API scalay_status scalay_qr_gather_tau(scalay_qr *qr, void *tau);

/**
 * Brings what scalay_qr_local() holds back to where the matrix was. Collective.
 * @param[in]  qr  a factorisation
 * @param[out] a   the local array in the original layout; only the rank's own elements are written; NULL when empty
 * @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT, SCALAY_ERROR_MEMORY, SCALAY_ERROR_MPI
 */
SCALAY_API scalay_status scalay_qr_bring_back(scalay_qr *qr, void *a);

/**
 * The first min(m, n) columns of Q, by p?orgqr or p?ungqr, in the original layout. Collective.
 * @param[in]  qr  a factorisation whose local part nobody has written to
 * @param[out] q   a local array as the matrix's: Q is written over columns 0 .. min(m, n) - 1, other columns stay;
 *                 NULL when empty
 * @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT, SCALAY_ERROR_RANGE, SCALAY_ERROR_MEMORY, SCALAY_ERROR_MPI,
 *         SCALAY_ERROR_BLACS
 */
SCALAY_API scalay_status scalay_qr_form_q(scalay_qr *qr, void *q);

/**
 * How good a factorisation is: both numbers are of the order of 1 or below when all is well. Collective. All work is
 * done on the grid; needs twice the local part as memory.
 * @param[in]  qr             a factorisation whose local part nobody has written to
 * @param[in]  a              the local array of the matrix before it was factored, in the original layout; NULL when
 *                            empty
 * @param[out] residual       ||A - Q R||_F / (||A||_F max(m, n) eps); 0 when A is empty or zero and Q R is too
 * @param[out] orthogonality  ||Q^H Q - I||_F / (max(m, n) eps), of the first min(m, n) columns of Q
 * @return as scalay_qr_form_q()
 */
SCALAY_API scalay_status scalay_qr_verify(scalay_qr *qr, const void *a, double *residual, double *orthogonality);

/** What was done so far. Not collective. @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT */
SCALAY_API scalay_status scalay_qr_get_statistics(const scalay_qr *qr, scalay_qr_statistics *statistics);

/** The grids that were considered, the chosen one first; owned by the factorisation; NULL for NULL. Not collective. */
SCALAY_API const scalay_qr_choice *scalay_qr_get_choice(const scalay_qr *qr);

/**
 * Why it was done so: grid and block, idle ranks, mapping, what moved. Not collective.
 * @param[in]  qr    a factorisation
 * @param[out] text  caller-owned, terminated; NULL when size is 0
 * @param[in]  size  in bytes
 * @return the length of the whole text, as snprintf
 */
SCALAY_API int scalay_qr_describe(const scalay_qr *qr, char *text, size_t size);

#ifdef __cplusplus
}
#endif

#endif
