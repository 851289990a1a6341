#ifndef SCALAY_SCALAPACK_H
#define SCALAY_SCALAPACK_H

/**
 * @file
 * The library scalay_scalapack: ScaLAPACK's routines under ScaLAPACK's names.
 *
 * A program gets them in two cases:
 *   - the library comes before ScaLAPACK on the link line;
 *   - the program is started with `scalay-run PROGRAM`, which adds the library to LD_PRELOAD.
 * The program does not change: same arguments, same descriptors, any BLACS contexts. Plans are kept between calls.
 * Contexts over the same processes in the same order share them. Contexts may be left in any order. The manual page
 * scalay-run(1) lists the environment variables, docs/dropin.md lists the routines.
 *
 * This header declares the routines that move and transpose matrices, and the names with the prefix scalay_. The
 * compute routines have ScaLAPACK's own prototypes, which ScaLAPACK's users declare themselves.
 *
 * Errors are printed to the standard error output and end the program by Cblacs_abort, as in PBLAS.
 *
 * Calls come from one thread at a time, as the BLACS require.
 *
 * The prototypes are for C and C++. A complex element is two numbers. Fortran programs need no declarations.
 */

#include "scalay/export.h"

#ifdef __cplusplus
extern "C" {
#endif

/** In front of what the library scalay_scalapack exports. */
#define SCALAY_SCALAPACK_API SCALAY_API

/**
 * Whether the program's calls of p?gemr2d and its kin come to ScaLAY. Not collective.
 * @return 1 when they do; 0 when ScaLAPACK's own come first, because it stands first on the link line
 */
SCALAY_SCALAPACK_API int scalay_scalapack_active(void);

/** scalay_scalapack_active() for Fortran 77: INTEGER SCALAY_SCALAPACK_ACTIVE, without arguments. Not collective. */
SCALAY_SCALAPACK_API int scalay_scalapack_active_(void);

/* ---------------------------------------------------------------------------------------------- copies */

/**
 * p?gemr2d: B(ib : ib + m - 1, jb : jb + n - 1) := A(ia : ia + m - 1, ja : ja + n - 1), each on the grid of its own
 * descriptor. Collective over ctxt, which has every process of both grids; a process that is outside of a grid passes a
 * descriptor with context -1, and of that matrix nothing else is looked at. Nothing happens when m or n is 0. A and B
 * may be parts of one array; where the two submatrices themselves overlap, B gets what A was.
 */
SCALAY_SCALAPACK_API void psgemr2d_(const int *m, const int *n, const float *a, const int *ia, const int *ja,
                                    const int *desca, float *b, const int *ib, const int *jb, const int *descb,
                                    const int *ctxt);
/** psgemr2d_() for floats, called from C. */
SCALAY_SCALAPACK_API void Cpsgemr2d(int m, int n, const float *a, int ia, int ja, const int *desca, float *b, int ib,
                                    int jb, const int *descb, int ctxt);
/** psgemr2d_() for doubles. */
SCALAY_SCALAPACK_API void pdgemr2d_(const int *m, const int *n, const double *a, const int *ia, const int *ja,
                                    const int *desca, double *b, const int *ib, const int *jb, const int *descb,
                                    const int *ctxt);
/** psgemr2d_() for doubles, called from C. */
SCALAY_SCALAPACK_API void Cpdgemr2d(int m, int n, const double *a, int ia, int ja, const int *desca, double *b, int ib,
                                    int jb, const int *descb, int ctxt);
/** psgemr2d_() for complex floats. */
SCALAY_SCALAPACK_API void pcgemr2d_(const int *m, const int *n, const float *a, const int *ia, const int *ja,
                                    const int *desca, float *b, const int *ib, const int *jb, const int *descb,
                                    const int *ctxt);
/** psgemr2d_() for complex floats, called from C. */
SCALAY_SCALAPACK_API void Cpcgemr2d(int m, int n, const float *a, int ia, int ja, const int *desca, float *b, int ib,
                                    int jb, const int *descb, int ctxt);
/** psgemr2d_() for complex doubles. */
SCALAY_SCALAPACK_API void pzgemr2d_(const int *m, const int *n, const double *a, const int *ia, const int *ja,
                                    const int *desca, double *b, const int *ib, const int *jb, const int *descb,
                                    const int *ctxt);
/** psgemr2d_() for complex doubles, called from C. */
SCALAY_SCALAPACK_API void Cpzgemr2d(int m, int n, const double *a, int ia, int ja, const int *desca, double *b, int ib,
                                    int jb, const int *descb, int ctxt);
/** psgemr2d_() for ints. */
SCALAY_SCALAPACK_API void pigemr2d_(const int *m, const int *n, const int *a, const int *ia, const int *ja,
                                    const int *desca, int *b, const int *ib, const int *jb, const int *descb,
                                    const int *ctxt);
/** psgemr2d_() for ints, called from C. */
SCALAY_SCALAPACK_API void Cpigemr2d(int m, int n, const int *a, int ia, int ja, const int *desca, int *b, int ib,
                                    int jb, const int *descb, int ctxt);

/**
 * p?trmr2d: as p?gemr2d for a trapezoid of the submatrix; the rest of B stays as it is. uplo is 'U' or 'L'; diag is 'N'
 * (with the diagonal) or 'U' (without). The diagonal of an upper trapezoid that is taller than wide, and of a lower one
 * that is wider than tall, ends in the last corner (scalay_uplo in types.h).
 */
SCALAY_SCALAPACK_API void pstrmr2d_(const char *uplo, const char *diag, const int *m, const int *n, const float *a,
                                    const int *ia, const int *ja, const int *desca, float *b, const int *ib,
                                    const int *jb, const int *descb, const int *ctxt);
/** pstrmr2d_() for floats, called from C. */
SCALAY_SCALAPACK_API void Cpstrmr2d(const char *uplo, const char *diag, int m, int n, const float *a, int ia, int ja,
                                    const int *desca, float *b, int ib, int jb, const int *descb, int ctxt);
/** pstrmr2d_() for doubles. */
SCALAY_SCALAPACK_API void pdtrmr2d_(const char *uplo, const char *diag, const int *m, const int *n, const double *a,
                                    const int *ia, const int *ja, const int *desca, double *b, const int *ib,
                                    const int *jb, const int *descb, const int *ctxt);
/** pstrmr2d_() for doubles, called from C. */
SCALAY_SCALAPACK_API void Cpdtrmr2d(const char *uplo, const char *diag, int m, int n, const double *a, int ia, int ja,
                                    const int *desca, double *b, int ib, int jb, const int *descb, int ctxt);
/** pstrmr2d_() for complex floats. */
SCALAY_SCALAPACK_API void pctrmr2d_(const char *uplo, const char *diag, const int *m, const int *n, const float *a,
                                    const int *ia, const int *ja, const int *desca, float *b, const int *ib,
                                    const int *jb, const int *descb, const int *ctxt);
/** pstrmr2d_() for complex floats, called from C. */
SCALAY_SCALAPACK_API void Cpctrmr2d(const char *uplo, const char *diag, int m, int n, const float *a, int ia, int ja,
                                    const int *desca, float *b, int ib, int jb, const int *descb, int ctxt);
/** pstrmr2d_() for complex doubles. */
SCALAY_SCALAPACK_API void pztrmr2d_(const char *uplo, const char *diag, const int *m, const int *n, const double *a,
                                    const int *ia, const int *ja, const int *desca, double *b, const int *ib,
                                    const int *jb, const int *descb, const int *ctxt);
/** pstrmr2d_() for complex doubles, called from C. */
SCALAY_SCALAPACK_API void Cpztrmr2d(const char *uplo, const char *diag, int m, int n, const double *a, int ia, int ja,
                                    const int *desca, double *b, int ib, int jb, const int *descb, int ctxt);
/** pstrmr2d_() for ints. */
SCALAY_SCALAPACK_API void pitrmr2d_(const char *uplo, const char *diag, const int *m, const int *n, const int *a,
                                    const int *ia, const int *ja, const int *desca, int *b, const int *ib,
                                    const int *jb, const int *descb, const int *ctxt);
/** pstrmr2d_() for ints, called from C. */
SCALAY_SCALAPACK_API void Cpitrmr2d(const char *uplo, const char *diag, int m, int n, const int *a, int ia, int ja,
                                    const int *desca, int *b, int ib, int jb, const int *descb, int ctxt);

/* ---------------------------------------------------------------------------------------------- transposes */

/**
 * p?tran, p?tranu: C(ic : ic + m - 1, jc : jc + n - 1) := beta C(..) + alpha A(ia : ia + n - 1, ja : ja + m - 1)^T, and
 * p?tranc with the transposed conjugated. Collective over the one context of both descriptors. With beta = 0 C is not
 * read, with alpha = 0 A is not. Replicated matrices and descriptors with a first block of its own (type 2) are left to
 * ScaLAPACK.
 */
SCALAY_SCALAPACK_API void pstran_(const int *m, const int *n, const float *alpha, const float *a, const int *ia,
                                  const int *ja, const int *desca, const float *beta, float *c, const int *ic,
                                  const int *jc, const int *descc);
/** pstran_() for doubles. */
SCALAY_SCALAPACK_API void pdtran_(const int *m, const int *n, const double *alpha, const double *a, const int *ia,
                                  const int *ja, const int *desca, const double *beta, double *c, const int *ic,
                                  const int *jc, const int *descc);
/** pstran_() for complex floats. */
SCALAY_SCALAPACK_API void pctranu_(const int *m, const int *n, const float *alpha, const float *a, const int *ia,
                                   const int *ja, const int *desca, const float *beta, float *c, const int *ic,
                                   const int *jc, const int *descc);
/** pstran_() for complex doubles. */
SCALAY_SCALAPACK_API void pztranu_(const int *m, const int *n, const double *alpha, const double *a, const int *ia,
                                   const int *ja, const int *desca, const double *beta, double *c, const int *ic,
                                   const int *jc, const int *descc);
/** pstran_() for complex floats, with the transposed conjugated. */
SCALAY_SCALAPACK_API void pctranc_(const int *m, const int *n, const float *alpha, const float *a, const int *ia,
                                   const int *ja, const int *desca, const float *beta, float *c, const int *ic,
                                   const int *jc, const int *descc);
/** pstran_() for complex doubles, with the transposed conjugated. */
SCALAY_SCALAPACK_API void pztranc_(const int *m, const int *n, const double *alpha, const double *a, const int *ia,
                                   const int *ja, const int *desca, const double *beta, double *c, const int *ic,
                                   const int *jc, const int *descc);

/* ------------------------------------------------------------------------------------------------ prefix */

/*
 * The same routines with the prefix scalay_, for programs that call both ScaLAPACK's routines and these. They do not
 * depend on the order of libraries or on SCALAY_SCALAPACK. From Fortran 77: CALL SCALAY_PDGEMR2D(...).
 */
/** As psgemr2d_(). */
SCALAY_SCALAPACK_API void scalay_psgemr2d_(const int *m, const int *n, const float *a, const int *ia, const int *ja,
                                           const int *desca, float *b, const int *ib, const int *jb, const int *descb,
                                           const int *ctxt);
/** As pdgemr2d_(). */
SCALAY_SCALAPACK_API void scalay_pdgemr2d_(const int *m, const int *n, const double *a, const int *ia, const int *ja,
                                           const int *desca, double *b, const int *ib, const int *jb, const int *descb,
                                           const int *ctxt);
/** As pcgemr2d_(). */
SCALAY_SCALAPACK_API void scalay_pcgemr2d_(const int *m, const int *n, const float *a, const int *ia, const int *ja,
                                           const int *desca, float *b, const int *ib, const int *jb, const int *descb,
                                           const int *ctxt);
/** As pzgemr2d_(). */
SCALAY_SCALAPACK_API void scalay_pzgemr2d_(const int *m, const int *n, const double *a, const int *ia, const int *ja,
                                           const int *desca, double *b, const int *ib, const int *jb, const int *descb,
                                           const int *ctxt);
/** As pigemr2d_(). */
SCALAY_SCALAPACK_API void scalay_pigemr2d_(const int *m, const int *n, const int *a, const int *ia, const int *ja,
                                           const int *desca, int *b, const int *ib, const int *jb, const int *descb,
                                           const int *ctxt);
/** As pstrmr2d_(). */
SCALAY_SCALAPACK_API void scalay_pstrmr2d_(const char *uplo, const char *diag, const int *m, const int *n,
                                           const float *a, const int *ia, const int *ja, const int *desca, float *b,
                                           const int *ib, const int *jb, const int *descb, const int *ctxt);
/** As pdtrmr2d_(). */
SCALAY_SCALAPACK_API void scalay_pdtrmr2d_(const char *uplo, const char *diag, const int *m, const int *n,
                                           const double *a, const int *ia, const int *ja, const int *desca, double *b,
                                           const int *ib, const int *jb, const int *descb, const int *ctxt);
/** As pctrmr2d_(). */
SCALAY_SCALAPACK_API void scalay_pctrmr2d_(const char *uplo, const char *diag, const int *m, const int *n,
                                           const float *a, const int *ia, const int *ja, const int *desca, float *b,
                                           const int *ib, const int *jb, const int *descb, const int *ctxt);
/** As pztrmr2d_(). */
SCALAY_SCALAPACK_API void scalay_pztrmr2d_(const char *uplo, const char *diag, const int *m, const int *n,
                                           const double *a, const int *ia, const int *ja, const int *desca, double *b,
                                           const int *ib, const int *jb, const int *descb, const int *ctxt);
/** As pitrmr2d_(). */
SCALAY_SCALAPACK_API void scalay_pitrmr2d_(const char *uplo, const char *diag, const int *m, const int *n, const int *a,
                                           const int *ia, const int *ja, const int *desca, int *b, const int *ib,
                                           const int *jb, const int *descb, const int *ctxt);
/** As pstran_(). */
SCALAY_SCALAPACK_API void scalay_pstran_(const int *m, const int *n, const float *alpha, const float *a, const int *ia,
                                         const int *ja, const int *desca, const float *beta, float *c, const int *ic,
                                         const int *jc, const int *descc);
/** As pdtran_(). */
SCALAY_SCALAPACK_API void scalay_pdtran_(const int *m, const int *n, const double *alpha, const double *a,
                                         const int *ia, const int *ja, const int *desca, const double *beta, double *c,
                                         const int *ic, const int *jc, const int *descc);
/** As pctranu_(). */
SCALAY_SCALAPACK_API void scalay_pctranu_(const int *m, const int *n, const float *alpha, const float *a, const int *ia,
                                          const int *ja, const int *desca, const float *beta, float *c, const int *ic,
                                          const int *jc, const int *descc);
/** As pztranu_(). */
SCALAY_SCALAPACK_API void scalay_pztranu_(const int *m, const int *n, const double *alpha, const double *a,
                                          const int *ia, const int *ja, const int *desca, const double *beta, double *c,
                                          const int *ic, const int *jc, const int *descc);
/** As pctranc_(). */
SCALAY_SCALAPACK_API void scalay_pctranc_(const int *m, const int *n, const float *alpha, const float *a, const int *ia,
                                          const int *ja, const int *desca, const float *beta, float *c, const int *ic,
                                          const int *jc, const int *descc);
/** As pztranc_(). */
SCALAY_SCALAPACK_API void scalay_pztranc_(const int *m, const int *n, const double *alpha, const double *a,
                                          const int *ia, const int *ja, const int *desca, const double *beta, double *c,
                                          const int *ic, const int *jc, const int *descc);

/* ---------------------------------------------------------------------------------------------- the end */

/**
 * BLACS_EXIT: releases what is kept for all contexts, then calls that of BLACS, which ends MPI when go_on is 0.
 * Collective over all processes that calls were made on.
 */
SCALAY_SCALAPACK_API void blacs_exit_(const int *go_on);
/** blacs_exit_(), called from C. */
SCALAY_SCALAPACK_API void Cblacs_exit(int go_on);

/* ---------------------------------------------------------------------------------------------- computations */

/**
 * p?geqrf by the one call scalay_pdgeqrf() of factor.h. Fortran 77: CALL SCALAY_PDGEQRF with the arguments of PDGEQRF.
 * Collective over the context of the descriptor. WORK is checked and WORK(1) is set as by ScaLAPACK, but not used if
 * the matrix is moved.
 *
 * A call that ScaLAPACK refuses is passed to ScaLAPACK's routine, which reports it.
 */
SCALAY_SCALAPACK_API void scalay_pdgeqrf_(const int *m, const int *n, double *a, const int *ia, const int *ja,
                                          const int *desca, double *tau, double *work, const int *lwork, int *info);
/** scalay_pdgeqrf_() in single precision. */
SCALAY_SCALAPACK_API void scalay_psgeqrf_(const int *m, const int *n, float *a, const int *ia, const int *ja,
                                          const int *desca, float *tau, float *work, const int *lwork, int *info);
/** scalay_pdgeqrf_() in single precision complex. */
SCALAY_SCALAPACK_API void scalay_pcgeqrf_(const int *m, const int *n, float *a, const int *ia, const int *ja,
                                          const int *desca, float *tau, float *work, const int *lwork, int *info);
/** scalay_pdgeqrf_() in double precision complex. */
SCALAY_SCALAPACK_API void scalay_pzgeqrf_(const int *m, const int *n, double *a, const int *ia, const int *ja,
                                          const int *desca, double *tau, double *work, const int *lwork, int *info);

/**
 * p?getrf by the one call scalay_pdgetrf() of factor.h. Fortran 77: CALL SCALAY_PDGETRF with the arguments of PDGETRF.
 * Collective over the context of the descriptor. Blocks need not be square.
 */
SCALAY_SCALAPACK_API void scalay_pdgetrf_(const int *m, const int *n, double *a, const int *ia, const int *ja,
                                          const int *desca, int *ipiv, int *info);
/** scalay_pdgetrf_() in single precision. */
SCALAY_SCALAPACK_API void scalay_psgetrf_(const int *m, const int *n, float *a, const int *ia, const int *ja,
                                          const int *desca, int *ipiv, int *info);
/** scalay_pdgetrf_() in single precision complex. */
SCALAY_SCALAPACK_API void scalay_pcgetrf_(const int *m, const int *n, float *a, const int *ia, const int *ja,
                                          const int *desca, int *ipiv, int *info);
/** scalay_pdgetrf_() in double precision complex. */
SCALAY_SCALAPACK_API void scalay_pzgetrf_(const int *m, const int *n, double *a, const int *ia, const int *ja,
                                          const int *desca, int *ipiv, int *info);

/**
 * p?potrf by the one call scalay_pdpotrf() of factor.h. Fortran 77: CALL SCALAY_PDPOTRF with the arguments of PDPOTRF.
 * Collective over the context of the descriptor. Blocks need not be square.
 */
SCALAY_SCALAPACK_API void scalay_pdpotrf_(const char *uplo, const int *n, double *a, const int *ia, const int *ja,
                                          const int *desca, int *info);
/** scalay_pdpotrf_() in single precision. */
SCALAY_SCALAPACK_API void scalay_pspotrf_(const char *uplo, const int *n, float *a, const int *ia, const int *ja,
                                          const int *desca, int *info);
/** scalay_pdpotrf_() in single precision complex. */
SCALAY_SCALAPACK_API void scalay_pcpotrf_(const char *uplo, const int *n, float *a, const int *ia, const int *ja,
                                          const int *desca, int *info);
/** scalay_pdpotrf_() in double precision complex. */
SCALAY_SCALAPACK_API void scalay_pzpotrf_(const char *uplo, const int *n, double *a, const int *ia, const int *ja,
                                          const int *desca, int *info);

/**
 * p?gemm by the one call scalay_pdgemm() of multiply.h. Fortran 77: CALL SCALAY_PDGEMM with the arguments of PDGEMM.
 * Collective over the context of the descriptors. Submatrices need not be aligned with each other.
 */
SCALAY_SCALAPACK_API void scalay_pdgemm_(const char *transa, const char *transb, const int *m, const int *n,
                                         const int *k, const double *alpha, const double *a, const int *ia,
                                         const int *ja, const int *desca, const double *b, const int *ib, const int *jb,
                                         const int *descb, const double *beta, double *c, const int *ic, const int *jc,
                                         const int *descc);
/** scalay_pdgemm_() in single precision. */
SCALAY_SCALAPACK_API void scalay_psgemm_(const char *transa, const char *transb, const int *m, const int *n,
                                         const int *k, const float *alpha, const float *a, const int *ia, const int *ja,
                                         const int *desca, const float *b, const int *ib, const int *jb,
                                         const int *descb, const float *beta, float *c, const int *ic, const int *jc,
                                         const int *descc);
/** scalay_pdgemm_() in single precision complex. */
SCALAY_SCALAPACK_API void scalay_pcgemm_(const char *transa, const char *transb, const int *m, const int *n,
                                         const int *k, const float *alpha, const float *a, const int *ia, const int *ja,
                                         const int *desca, const float *b, const int *ib, const int *jb,
                                         const int *descb, const float *beta, float *c, const int *ic, const int *jc,
                                         const int *descc);
/** scalay_pdgemm_() in double precision complex. */
SCALAY_SCALAPACK_API void scalay_pzgemm_(const char *transa, const char *transb, const int *m, const int *n,
                                         const int *k, const double *alpha, const double *a, const int *ia,
                                         const int *ja, const int *desca, const double *b, const int *ib, const int *jb,
                                         const int *descb, const double *beta, double *c, const int *ic, const int *jc,
                                         const int *descc);

#ifdef __cplusplus
}
#endif

#endif
