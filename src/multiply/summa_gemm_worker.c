/* Included by summa_gemm.c for each element type: ENTRY, the names GEMM, MULTIPLY and ONE. */

void GEMM(const char *transa, const char *transb, const int *m, const int *n, const int *k, const ENTRY *alpha,
          const ENTRY *a, const int *lda, const ENTRY *b, const int *ldb, const ENTRY *beta, ENTRY *c, const int *ldc,
          size_t transa_length, size_t transb_length);

static void MULTIPLY(const scalay_gemm_arguments *g)
{
    GEMM(&g->op_a, &g->op_b, &g->m, &g->n, &g->k, g->alpha, g->a, &g->lda, g->b, &g->ldb, g->beta, g->c, &g->ldc, 1, 1);
}

static const ENTRY ONE = 1;

#undef ENTRY
#undef GEMM
#undef MULTIPLY
#undef ONE
