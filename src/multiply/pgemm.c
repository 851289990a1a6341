#include "multiply/pgemm.h"

#include "multiply/summa_gemm.h"
#include "parallel/scalapack.h"

void scalay_pgemm(scalay_type type, const scalay_pgemm_arguments *g)
{
    const char a[] = {g->op_a, '\0'}, b[] = {g->op_b, '\0'};
    const int *m = &g->m, *n = &g->n, *k = &g->k, *da = g->desc_a, *db = g->desc_b, *dc = g->desc_c, i = 1;
    switch (type) {
    case SCALAY_FLOAT:
        psgemm_(a, b, m, n, k, g->alpha, g->a, &i, &i, da, g->b, &i, &i, db, g->beta, g->c, &i, &i, dc);
        break;
    case SCALAY_DOUBLE:
        pdgemm_(a, b, m, n, k, g->alpha, g->a, &i, &i, da, g->b, &i, &i, db, g->beta, g->c, &i, &i, dc);
        break;
    case SCALAY_COMPLEX_FLOAT:
        pcgemm_(a, b, m, n, k, g->alpha, g->a, &i, &i, da, g->b, &i, &i, db, g->beta, g->c, &i, &i, dc);
        break;
    default:
        pzgemm_(a, b, m, n, k, g->alpha, g->a, &i, &i, da, g->b, &i, &i, db, g->beta, g->c, &i, &i, dc);
    }
}

const void *scalay_pgemm_one(scalay_type type)
{
    return scalay_summa_gemm_of(type)->one;
}

const void *scalay_pgemm_zero(void)
{
    static const double zero[2] = {0.0, 0.0};
    return zero;
}
