#ifndef SCALAY_PARALLEL_SCALAPACK_H
#define SCALAY_PARALLEL_SCALAPACK_H

/**
 * @file
 * Prototypes of the ScaLAPACK and PBLAS routines that the library calls. ScaLAPACK has no header for them. Fortran
 * routines take the lengths of their character arguments last. PBLAS routines are written in C and do not.
 */

#include <complex.h>
#include <stddef.h>

int numroc_(const int *n, const int *nb, const int *iproc, const int *isrcproc, const int *nprocs);

void psgetrs_(const char *trans, const int *n, const int *nrhs, const float *a, const int *ia, const int *ja,
              const int *desca, const int *ipiv, float *b, const int *ib, const int *jb, const int *descb, int *info,
              size_t trans_length);
void psgetrf_(const int *m, const int *n, float *a, const int *ia, const int *ja, const int *desca, int *ipiv,
              int *info);
void pspotrf_(const char *uplo, const int *n, float *a, const int *ia, const int *ja, const int *desca, int *info,
              size_t uplo_length);
void psgeqrf_(const int *m, const int *n, float *a, const int *ia, const int *ja, const int *desca, float *tau,
              float *work, const int *lwork, int *info);
void psorgqr_(const int *m, const int *n, const int *k, float *a, const int *ia, const int *ja, const int *desca,
              const float *tau, float *work, const int *lwork, int *info);
void psormqr_(const char *side, const char *trans, const int *m, const int *n, const int *k, const float *a,
              const int *ia, const int *ja, const int *desca, const float *tau, float *c, const int *ic, const int *jc,
              const int *descc, float *work, const int *lwork, int *info, size_t side_length, size_t trans_length);
void psgemm_(const char *transa, const char *transb, const int *m, const int *n, const int *k, const float *alpha,
             const float *a, const int *ia, const int *ja, const int *desca, const float *b, const int *ib,
             const int *jb, const int *descb, const float *beta, float *c, const int *ic, const int *jc,
             const int *descc);
void pstrmm_(const char *side, const char *uplo, const char *transa, const char *diag, const int *m, const int *n,
             const float *alpha, const float *a, const int *ia, const int *ja, const int *desca, float *b,
             const int *ib, const int *jb, const int *descb);
void psswap_(const int *n, float *x, const int *ix, const int *jx, const int *descx, const int *incx, float *y,
             const int *iy, const int *jy, const int *descy, const int *incy);
float pslange_(const char *norm, const int *m, const int *n, const float *a, const int *ia, const int *ja,
               const int *desca, float *work, size_t norm_length);
void pslaset_(const char *uplo, const int *m, const int *n, const float *alpha, const float *beta, float *a,
              const int *ia, const int *ja, const int *desca, size_t uplo_length);
void pslacpy_(const char *uplo, const int *m, const int *n, const float *a, const int *ia, const int *ja,
              const int *desca, float *b, const int *ib, const int *jb, const int *descb, size_t uplo_length);

void pdgetrs_(const char *trans, const int *n, const int *nrhs, const double *a, const int *ia, const int *ja,
              const int *desca, const int *ipiv, double *b, const int *ib, const int *jb, const int *descb, int *info,
              size_t trans_length);
void pdgetrf_(const int *m, const int *n, double *a, const int *ia, const int *ja, const int *desca, int *ipiv,
              int *info);
void pdpotrf_(const char *uplo, const int *n, double *a, const int *ia, const int *ja, const int *desca, int *info,
              size_t uplo_length);
void pdgeqrf_(const int *m, const int *n, double *a, const int *ia, const int *ja, const int *desca, double *tau,
              double *work, const int *lwork, int *info);
void pdorgqr_(const int *m, const int *n, const int *k, double *a, const int *ia, const int *ja, const int *desca,
              const double *tau, double *work, const int *lwork, int *info);
void pdormqr_(const char *side, const char *trans, const int *m, const int *n, const int *k, const double *a,
              const int *ia, const int *ja, const int *desca, const double *tau, double *c, const int *ic,
              const int *jc, const int *descc, double *work, const int *lwork, int *info, size_t side_length,
              size_t trans_length);
void pdgemm_(const char *transa, const char *transb, const int *m, const int *n, const int *k, const double *alpha,
             const double *a, const int *ia, const int *ja, const int *desca, const double *b, const int *ib,
             const int *jb, const int *descb, const double *beta, double *c, const int *ic, const int *jc,
             const int *descc);
void pdtrmm_(const char *side, const char *uplo, const char *transa, const char *diag, const int *m, const int *n,
             const double *alpha, const double *a, const int *ia, const int *ja, const int *desca, double *b,
             const int *ib, const int *jb, const int *descb);
void pdswap_(const int *n, double *x, const int *ix, const int *jx, const int *descx, const int *incx, double *y,
             const int *iy, const int *jy, const int *descy, const int *incy);
double pdlange_(const char *norm, const int *m, const int *n, const double *a, const int *ia, const int *ja,
                const int *desca, double *work, size_t norm_length);
void pdlaset_(const char *uplo, const int *m, const int *n, const double *alpha, const double *beta, double *a,
              const int *ia, const int *ja, const int *desca, size_t uplo_length);
void pdlacpy_(const char *uplo, const int *m, const int *n, const double *a, const int *ia, const int *ja,
              const int *desca, double *b, const int *ib, const int *jb, const int *descb, size_t uplo_length);

void pcgetrs_(const char *trans, const int *n, const int *nrhs, const float _Complex *a, const int *ia, const int *ja,
              const int *desca, const int *ipiv, float _Complex *b, const int *ib, const int *jb, const int *descb,
              int *info, size_t trans_length);
void pcgetrf_(const int *m, const int *n, float _Complex *a, const int *ia, const int *ja, const int *desca, int *ipiv,
              int *info);
void pcpotrf_(const char *uplo, const int *n, float _Complex *a, const int *ia, const int *ja, const int *desca,
              int *info, size_t uplo_length);
void pcgeqrf_(const int *m, const int *n, float _Complex *a, const int *ia, const int *ja, const int *desca,
              float _Complex *tau, float _Complex *work, const int *lwork, int *info);
void pcungqr_(const int *m, const int *n, const int *k, float _Complex *a, const int *ia, const int *ja,
              const int *desca, const float _Complex *tau, float _Complex *work, const int *lwork, int *info);
void pcunmqr_(const char *side, const char *trans, const int *m, const int *n, const int *k, const float _Complex *a,
              const int *ia, const int *ja, const int *desca, const float _Complex *tau, float _Complex *c,
              const int *ic, const int *jc, const int *descc, float _Complex *work, const int *lwork, int *info,
              size_t side_length, size_t trans_length);
void pcgemm_(const char *transa, const char *transb, const int *m, const int *n, const int *k,
             const float _Complex *alpha, const float _Complex *a, const int *ia, const int *ja, const int *desca,
             const float _Complex *b, const int *ib, const int *jb, const int *descb, const float _Complex *beta,
             float _Complex *c, const int *ic, const int *jc, const int *descc);
void pctrmm_(const char *side, const char *uplo, const char *transa, const char *diag, const int *m, const int *n,
             const float _Complex *alpha, const float _Complex *a, const int *ia, const int *ja, const int *desca,
             float _Complex *b, const int *ib, const int *jb, const int *descb);
void pcswap_(const int *n, float _Complex *x, const int *ix, const int *jx, const int *descx, const int *incx,
             float _Complex *y, const int *iy, const int *jy, const int *descy, const int *incy);
float pclange_(const char *norm, const int *m, const int *n, const float _Complex *a, const int *ia, const int *ja,
               const int *desca, float *work, size_t norm_length);
void pclaset_(const char *uplo, const int *m, const int *n, const float _Complex *alpha, const float _Complex *beta,
              float _Complex *a, const int *ia, const int *ja, const int *desca, size_t uplo_length);
void pclacpy_(const char *uplo, const int *m, const int *n, const float _Complex *a, const int *ia, const int *ja,
              const int *desca, float _Complex *b, const int *ib, const int *jb, const int *descb, size_t uplo_length);

void pzgetrs_(const char *trans, const int *n, const int *nrhs, const double _Complex *a, const int *ia, const int *ja,
              const int *desca, const int *ipiv, double _Complex *b, const int *ib, const int *jb, const int *descb,
              int *info, size_t trans_length);
void pzgetrf_(const int *m, const int *n, double _Complex *a, const int *ia, const int *ja, const int *desca, int *ipiv,
              int *info);
void pzpotrf_(const char *uplo, const int *n, double _Complex *a, const int *ia, const int *ja, const int *desca,
              int *info, size_t uplo_length);
void pzgeqrf_(const int *m, const int *n, double _Complex *a, const int *ia, const int *ja, const int *desca,
              double _Complex *tau, double _Complex *work, const int *lwork, int *info);
void pzungqr_(const int *m, const int *n, const int *k, double _Complex *a, const int *ia, const int *ja,
              const int *desca, const double _Complex *tau, double _Complex *work, const int *lwork, int *info);
void pzunmqr_(const char *side, const char *trans, const int *m, const int *n, const int *k, const double _Complex *a,
              const int *ia, const int *ja, const int *desca, const double _Complex *tau, double _Complex *c,
              const int *ic, const int *jc, const int *descc, double _Complex *work, const int *lwork, int *info,
              size_t side_length, size_t trans_length);
void pzgemm_(const char *transa, const char *transb, const int *m, const int *n, const int *k,
             const double _Complex *alpha, const double _Complex *a, const int *ia, const int *ja, const int *desca,
             const double _Complex *b, const int *ib, const int *jb, const int *descb, const double _Complex *beta,
             double _Complex *c, const int *ic, const int *jc, const int *descc);
void pztrmm_(const char *side, const char *uplo, const char *transa, const char *diag, const int *m, const int *n,
             const double _Complex *alpha, const double _Complex *a, const int *ia, const int *ja, const int *desca,
             double _Complex *b, const int *ib, const int *jb, const int *descb);
void pzswap_(const int *n, double _Complex *x, const int *ix, const int *jx, const int *descx, const int *incx,
             double _Complex *y, const int *iy, const int *jy, const int *descy, const int *incy);
double pzlange_(const char *norm, const int *m, const int *n, const double _Complex *a, const int *ia, const int *ja,
                const int *desca, double *work, size_t norm_length);
void pzlaset_(const char *uplo, const int *m, const int *n, const double _Complex *alpha, const double _Complex *beta,
              double _Complex *a, const int *ia, const int *ja, const int *desca, size_t uplo_length);
void pzlacpy_(const char *uplo, const int *m, const int *n, const double _Complex *a, const int *ia, const int *ja,
              const int *desca, double _Complex *b, const int *ib, const int *jb, const int *descb, size_t uplo_length);

#endif
