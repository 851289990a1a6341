/*
 * Operations of one element type, included by product.c once per type. Defined before: ENTRY (element type), REAL (1 if
 * real), MODULUS(x), EPSILON, SMALLEST, FLOPS, GEMM, PGEMM (routine names) and TYPED(name).
 */

void GEMM(const char *transa, const char *transb, const int *m, const int *n, const int *k, const ENTRY *alpha,
          const ENTRY *a, const int *lda, const ENTRY *b, const int *ldb, const ENTRY *beta, ENTRY *c, const int *ldc,
          size_t transa_length, size_t transb_length);

static void TYPED(multiply)(const scalay_gemm_arguments *g)
{
    GEMM(&g->op_a, &g->op_b, &g->m, &g->n, &g->k, g->alpha, g->a, &g->lda, g->b, &g->ldb, g->beta, g->c, &g->ldc, 1, 1);
}

static void TYPED(multiply_on_grid)(const scalay_pgemm_arguments *g)
{
    const char a[] = {g->op_a, '\0'}, b[] = {g->op_b, '\0'};
    const int ia = g->first_a[0] + 1, ja = g->first_a[1] + 1, ib = g->first_b[0] + 1, jb = g->first_b[1] + 1;
    const int ic = g->first_c[0] + 1, jc = g->first_c[1] + 1;
    PGEMM(a, b, &g->m, &g->n, &g->k, g->alpha, g->a, &ia, &ja, g->desc_a, g->b, &ib, &jb, g->desc_b, g->beta, g->c, &ic,
          &jc, g->desc_c);
}

/* Adds a column times an entry of x to y. */
static void TYPED(add_column)(const scalay_check_subarray *s, const ENTRY *column, int64_t col,
                              const scalay_check_vector *x, scalay_check_vector *y)
{
    for (int64_t i = 0; i < s->at.rows; i++) {
        y->value[s->row[i]] += (double _Complex)column[i] * x->value[col];
        y->scale[s->row[i]] += MODULUS(column[i]) * x->scale[col];
    }
}

/* Adds the dot product of a column and x to an entry of y. */
static void TYPED(add_dot)(const scalay_check_subarray *s, const ENTRY *column, int64_t col, int conjugates,
                           const scalay_check_vector *x, scalay_check_vector *y)
{
    double _Complex sum = 0.0;
    double scale = 0.0;
    for (int64_t i = 0; i < s->at.rows; i++) {
        const double _Complex entry = column[i];
        sum += (conjugates ? conj(entry) : entry) * x->value[s->row[i]];
        scale += MODULUS(column[i]) * x->scale[s->row[i]];
    }
    y->value[col] += sum;
    y->scale[col] += scale;
}

static void TYPED(add_product)(const scalay_check_subarray *s, scalay_op op, const scalay_check_vector *x,
                               scalay_check_vector *y)
{
    const ENTRY *first = (const ENTRY *)s->local + s->at.offset;
    for (int64_t j = 0; j < s->at.cols; j++) {
        const ENTRY *column = first + j * s->at.ld;
        if (op == SCALAY_NO_TRANSPOSE)
            TYPED(add_column)(s, column, s->col[j], x, y);
        else
            TYPED(add_dot)(s, column, s->col[j], !REAL && op == SCALAY_CONJUGATE_TRANSPOSE, x, y);
    }
}

static const ENTRY TYPED(one) = 1, TYPED(zero) = 0;

static const scalay_gemm_operations TYPED(operations) = {.multiply = TYPED(multiply),
                                                         .multiply_on_grid = TYPED(multiply_on_grid),
                                                         .add_product = TYPED(add_product),
                                                         .one = &TYPED(one),
                                                         .zero = &TYPED(zero),
                                                         .flops = FLOPS,
                                                         .epsilon = EPSILON,
                                                         .smallest = SMALLEST};

#undef ENTRY
#undef REAL
#undef MODULUS
#undef EPSILON
#undef SMALLEST
#undef FLOPS
#undef GEMM
#undef PGEMM
#undef TYPED
