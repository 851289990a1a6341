/*
 * The kernels of one type, included by scalapack_kernels.c once per type. Defined before: ENTRY (element type),
 * EPSILON, TYPED(name), and the names of the ScaLAPACK routines: GEQRF, GETRF, POTRF, ORGQR, ORMQR, GEMM, LANGE, LASET,
 * LACPY, TRMM, SWAP.
 */

static int TYPED(geqrf)(const scalay_kernel_arguments *x)
{
    int info = 0;
    GEQRF(&x->m, &x->n, x->a, &x->ia, &x->ja, x->desc, x->vector, x->work, &x->lwork, &info);
    return info;
}

static int TYPED(getrf)(const scalay_kernel_arguments *x)
{
    int info = 0;
    GETRF(&x->m, &x->n, x->a, &x->ia, &x->ja, x->desc, x->vector, &info);
    return info;
}

static int TYPED(potrf)(const scalay_kernel_arguments *x)
{
    int info = 0;
    POTRF(&x->uplo, &x->n, x->a, &x->ia, &x->ja, x->desc, &info, 1);
    return info;
}

static int TYPED(form_q)(const scalay_qr_factors *f, void *q)
{
    const int one = 1;
    int info = 0;
    ORGQR(&f->m, &f->k, &f->k, q, &one, &one, f->desc, f->tau, f->work, &f->lwork, &info);
    return info;
}

static int TYPED(multiply)(const scalay_qr_factors *f, void *c)
{
    const int one = 1;
    const ENTRY zero = 0;
    int info = 0;
    LASET("A", &f->m, &f->n, &zero, &zero, c, &one, &one, f->desc, 1);
    LACPY("U", &f->m, &f->n, f->a, &one, &one, f->desc, c, &one, &one, f->desc, 1);
    ORMQR("L", "N", &f->m, &f->n, &f->k, f->a, &one, &one, f->desc, f->tau, c, &one, &one, f->desc, f->work, &f->lwork,
          &info, 1, 1);
    return info;
}

static void TYPED(test_orthogonality)(const scalay_qr_factors *f, const void *q, void *g, const int *desc_g)
{
    const int one = 1;
    const ENTRY zero = 0, plus = 1, minus = -1;
    LASET("A", &f->k, &f->k, &zero, &plus, g, &one, &one, desc_g, 1);
    GEMM("C", "N", &f->k, &f->k, &f->m, &plus, q, &one, &one, f->desc, q, &one, &one, f->desc, &minus, g, &one, &one,
         desc_g);
}

static double TYPED(norm)(int m, int n, const void *a, const int *desc)
{
    const int one = 1;
    return LANGE("F", &m, &n, a, &one, &one, desc, NULL, 1); /* "F" needs no workspace */
}

static void TYPED(subtract)(int64_t count, const void *x, void *y)
{
    const ENTRY *from = x;
    ENTRY *to = y;
    for (int64_t k = 0; k < count; k++) to[k] = from[k] - to[k];
}

/* Row swaps of LU in reverse order: afterwards P^T of the matrix is where the matrix was. */
static void TYPED(swap_back)(int n, int k, const int *pivot, void *a, const int *desc)
{
    const int one = 1;
    for (int i = k; i >= 1; i--)
        if (pivot[i - 1] != i) SWAP(&n, a, &i, &one, desc, &desc[M_], a, &pivot[i - 1], &one, desc, &desc[M_]);
}

static void TYPED(copy_triangle)(char uplo, int unit, int m, int n, const void *a, void *b, const int *desc)
{
    const int one = 1;
    const ENTRY zero = 0, plus = 1;
    LASET("A", &m, &n, &zero, &zero, b, &one, &one, desc, 1);
    LACPY(&uplo, &m, &n, a, &one, &one, desc, b, &one, &one, desc, 1);
    if (unit) LASET(uplo == 'L' ? "U" : "L", &m, &n, &zero, &plus, b, &one, &one, desc, 1);
}

static void TYPED(multiply_triangle)(const char *mode, int m, int n, const void *a, void *b, const int *desc)
{
    const int one = 1;
    const ENTRY plus = 1;
    TRMM(&mode[0], &mode[1], &mode[2], &mode[3], &m, &n, &plus, a, &one, &one, desc, b, &one, &one, desc);
}

static void TYPED(clear_triangle)(char uplo, int n, void *a, const int *desc)
{
    const int one = 1, two = 2, less = n - 1;
    const ENTRY zero = 0;
    if (n < 2) return;
    LASET(&uplo, &less, &less, &zero, &zero, a, uplo == 'L' ? &two : &one, uplo == 'L' ? &one : &two, desc, 1);
}

static const scalay_scalapack_kernels TYPED(kernels) = {
    .factor = {[SCALAY_GEQRF] = TYPED(geqrf), [SCALAY_GETRF] = TYPED(getrf), [SCALAY_POTRF] = TYPED(potrf)},
    .form_q = TYPED(form_q),
    .multiply = TYPED(multiply),
    .test_orthogonality = TYPED(test_orthogonality),
    .norm = TYPED(norm),
    .subtract = TYPED(subtract),
    .swap_back = TYPED(swap_back),
    .copy_triangle = TYPED(copy_triangle),
    .multiply_triangle = TYPED(multiply_triangle),
    .clear_triangle = TYPED(clear_triangle),
    .epsilon = EPSILON,
    .size = sizeof(ENTRY),
};

#undef ENTRY
#undef EPSILON
#undef TYPED
#undef GEQRF
#undef GETRF
#undef POTRF
#undef ORGQR
#undef ORMQR
#undef GEMM
#undef LANGE
#undef LASET
#undef LACPY
#undef TRMM
#undef SWAP
