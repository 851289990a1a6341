/* p?tran, p?tranu and p?tranc. */

#include "dropin/transpose.h"
#include "scalay/scalapack.h"

void pstran_(const int *m, const int *n, const float *alpha, const float *a, const int *ia, const int *ja,
             const int *desca, const float *beta, float *c, const int *ic, const int *jc, const int *descc)
{
    static const scalay_transposition pstran = {"pstran", "pstran_", SCALAY_FLOAT, SCALAY_TRANSPOSE};
    scalay_pblas_transpose(&pstran, m, n, alpha, a, ia, ja, desca, beta, c, ic, jc, descc);
}

void pdtran_(const int *m, const int *n, const double *alpha, const double *a, const int *ia, const int *ja,
             const int *desca, const double *beta, double *c, const int *ic, const int *jc, const int *descc)
{
    static const scalay_transposition pdtran = {"pdtran", "pdtran_", SCALAY_DOUBLE, SCALAY_TRANSPOSE};
    scalay_pblas_transpose(&pdtran, m, n, alpha, a, ia, ja, desca, beta, c, ic, jc, descc);
}

void pctranu_(const int *m, const int *n, const float *alpha, const float *a, const int *ia, const int *ja,
              const int *desca, const float *beta, float *c, const int *ic, const int *jc, const int *descc)
{
    static const scalay_transposition pctranu = {"pctranu", "pctranu_", SCALAY_COMPLEX_FLOAT, SCALAY_TRANSPOSE};
    scalay_pblas_transpose(&pctranu, m, n, alpha, a, ia, ja, desca, beta, c, ic, jc, descc);
}

void pztranu_(const int *m, const int *n, const double *alpha, const double *a, const int *ia, const int *ja,
              const int *desca, const double *beta, double *c, const int *ic, const int *jc, const int *descc)
{
    static const scalay_transposition pztranu = {"pztranu", "pztranu_", SCALAY_COMPLEX_DOUBLE, SCALAY_TRANSPOSE};
    scalay_pblas_transpose(&pztranu, m, n, alpha, a, ia, ja, desca, beta, c, ic, jc, descc);
}

void pctranc_(const int *m, const int *n, const float *alpha, const float *a, const int *ia, const int *ja,
              const int *desca, const float *beta, float *c, const int *ic, const int *jc, const int *descc)
{
    static const scalay_transposition pctranc = {"pctranc", "pctranc_", SCALAY_COMPLEX_FLOAT,
                                                 SCALAY_CONJUGATE_TRANSPOSE};
    scalay_pblas_transpose(&pctranc, m, n, alpha, a, ia, ja, desca, beta, c, ic, jc, descc);
}

void pztranc_(const int *m, const int *n, const double *alpha, const double *a, const int *ia, const int *ja,
              const int *desca, const double *beta, double *c, const int *ic, const int *jc, const int *descc)
{
    static const scalay_transposition pztranc = {"pztranc", "pztranc_", SCALAY_COMPLEX_DOUBLE,
                                                 SCALAY_CONJUGATE_TRANSPOSE};
    scalay_pblas_transpose(&pztranc, m, n, alpha, a, ia, ja, desca, beta, c, ic, jc, descc);
}
