/* The routines of one type, included by computations.c: LETTER, TYPE, REAL, SCALAR(pointer), IS_ZERO(pointer). */

#define QR JOIN(p, LETTER, geqrf)
#define LU JOIN(p, LETTER, getrf)
#define CHOLESKY JOIN(p, LETTER, potrf)
#define PRODUCT JOIN(p, LETTER, gemm)
#define QR_ROUTINE JOIN(LETTER, _, qr)
#define LU_ROUTINE JOIN(LETTER, _, lu)
#define CHOLESKY_ROUTINE JOIN(LETTER, _, cholesky)
#define PRODUCT_ROUTINE JOIN(LETTER, _, product)

static scalay_compute_routine QR_ROUTINE = {.name = TEXT(QR)};
static scalay_compute_routine LU_ROUTINE = {.name = TEXT(LU)};
static scalay_compute_routine CHOLESKY_ROUTINE = {.name = TEXT(CHOLESKY)};
static scalay_compute_routine PRODUCT_ROUTINE = {.name = TEXT(PRODUCT)};

typedef void JOIN(LETTER, _qr, _function)(const int *, const int *, REAL *, const int *, const int *, const int *,
                                          REAL *, REAL *, const int *, int *);
typedef void JOIN(LETTER, _lu, _function)(const int *, const int *, REAL *, const int *, const int *, const int *,
                                          int *, int *);
typedef void JOIN(LETTER, _cholesky, _function)(const char *, const int *, REAL *, const int *, const int *,
                                                const int *, int *);
typedef void JOIN(LETTER, _product, _function)(const char *, const char *, const int *, const int *, const int *,
                                               const REAL *, const REAL *, const int *, const int *, const int *,
                                               const REAL *, const int *, const int *, const int *, const REAL *,
                                               REAL *, const int *, const int *, const int *);
#define QR_OF_SCALAPACK ((JOIN(LETTER, _qr, _function) *)QR_ROUTINE.next)
#define LU_OF_SCALAPACK ((JOIN(LETTER, _lu, _function) *)LU_ROUTINE.next)
#define CHOLESKY_OF_SCALAPACK ((JOIN(LETTER, _cholesky, _function) *)CHOLESKY_ROUTINE.next)
#define PRODUCT_OF_PBLAS ((JOIN(LETTER, _product, _function) *)PRODUCT_ROUTINE.next)

/* p?geqrf. ScaLAPACK's workspace query checks the arguments and sets WORK(1). */
static void JOIN(LETTER, _, factor_qr)(const void *caller, const int *m, const int *n, REAL *a, const int *ia,
                                       const int *ja, const int *desca, REAL *tau, REAL *work, const int *lwork,
                                       int *info)
{
    const scalay_submatrix matrix = {*m, *n, ia, ja, desca};
    const int query = -1;
    const double multiplications = (double)*m * *n * (*m < *n ? *m : *n);
    scalay_computation c;
    if (!scalay_computation_begin(&QR_ROUTINE, caller, 1, &matrix, multiplications, &c)) goto scalapack;
    if (caller != NULL) c.may_lose = scalay_computation_may_lose(&matrix, multiplications / SCALAY_FACTOR_RATE, 1);
    QR_OF_SCALAPACK(m, n, a, ia, ja, desca, tau, work, &query, info);
    if (*info != 0 || *lwork == query || *m == 0 || *n == 0) goto end;
    if (scalay_computation_start(TEXT(QR), 1, &matrix, (REAL)*lwork >= work[0], &c) &&
        scalay_computation_finish(
            &c, scalay_geqrf_with_work(c.comm, TYPE, c.layout[0], &c.options, a, tau, work, *lwork, &c.statistics)))
        goto end;
scalapack:
    QR_OF_SCALAPACK(m, n, a, ia, ja, desca, tau, work, lwork, info);
end:
    scalay_computation_end(&QR_ROUTINE, &matrix, &c);
}

SCALAY_SCALAPACK_API void JOIN(p, LETTER, geqrf_)(const int *m, const int *n, REAL *a, const int *ia, const int *ja,
                                                  const int *desca, REAL *tau, REAL *work, const int *lwork, int *info)
{
    JOIN(LETTER, _, factor_qr)(__builtin_return_address(0), m, n, a, ia, ja, desca, tau, work, lwork, info);
}

void JOIN(scalay_p, LETTER, geqrf_)(const int *m, const int *n, REAL *a, const int *ia, const int *ja, const int *desca,
                                    REAL *tau, REAL *work, const int *lwork, int *info)
{
    JOIN(LETTER, _, factor_qr)(NULL, m, n, a, ia, ja, desca, tau, work, lwork, info);
}

static void JOIN(LETTER, _, factor_lu)(const void *caller, const int *m, const int *n, REAL *a, const int *ia,
                                       const int *ja, const int *desca, int *ipiv, int *info)
{
    const scalay_submatrix matrix = {*m, *n, ia, ja, desca};
    const double work = (double)*m * *n * (*m < *n ? *m : *n) / 2.0;
    scalay_computation c;
    const int is_ours = scalay_computation_begin(&LU_ROUTINE, caller, 1, &matrix, work, &c);
    if (caller != NULL && is_ours) c.may_lose = scalay_computation_may_lose(&matrix, work / SCALAY_FACTOR_RATE, 1);
    if (!is_ours || *m <= 0 || *n <= 0 ||
        !scalay_computation_start(TEXT(LU), 1, &matrix, has_whole_blocks(&matrix), &c) ||
        !scalay_computation_finish(
            &c, JOIN(scalay_p, LETTER, getrf)(c.comm, c.layout[0], &c.options, a, ipiv, info, &c.statistics)))
        LU_OF_SCALAPACK(m, n, a, ia, ja, desca, ipiv, info);
    scalay_computation_end(&LU_ROUTINE, &matrix, &c);
}

SCALAY_SCALAPACK_API void JOIN(p, LETTER, getrf_)(const int *m, const int *n, REAL *a, const int *ia, const int *ja,
                                                  const int *desca, int *ipiv, int *info)
{
    JOIN(LETTER, _, factor_lu)(__builtin_return_address(0), m, n, a, ia, ja, desca, ipiv, info);
}

void JOIN(scalay_p, LETTER, getrf_)(const int *m, const int *n, REAL *a, const int *ia, const int *ja, const int *desca,
                                    int *ipiv, int *info)
{
    JOIN(LETTER, _, factor_lu)(NULL, m, n, a, ia, ja, desca, ipiv, info);
}

static void JOIN(LETTER, _, factor_cholesky)(const void *caller, const char *uplo, const int *n, REAL *a, const int *ia,
                                             const int *ja, const int *desca, int *info)
{
    const scalay_submatrix matrix = {*n, *n, ia, ja, desca};
    const int triangle = read_uplo(*uplo);
    const double work = (double)*n * *n * *n / 6.0;
    scalay_computation c;
    const int is_ours = scalay_computation_begin(&CHOLESKY_ROUTINE, caller, 1, &matrix, work, &c);
    if (caller != NULL && is_ours) c.may_lose = scalay_computation_may_lose(&matrix, work / SCALAY_FACTOR_RATE, 0);
    if (!is_ours || triangle < 0 || *n <= 0 ||
        !scalay_computation_start(TEXT(CHOLESKY), 1, &matrix, has_whole_blocks(&matrix), &c) ||
        !scalay_computation_finish(&c, JOIN(scalay_p, LETTER, potrf)(c.comm, (scalay_uplo)triangle, c.layout[0],
                                                                     &c.options, a, info, &c.statistics)))
        CHOLESKY_OF_SCALAPACK(uplo, n, a, ia, ja, desca, info);
    scalay_computation_end(&CHOLESKY_ROUTINE, &matrix, &c);
}

SCALAY_SCALAPACK_API void JOIN(p, LETTER, potrf_)(const char *uplo, const int *n, REAL *a, const int *ia, const int *ja,
                                                  const int *desca, int *info)
{
    JOIN(LETTER, _, factor_cholesky)(__builtin_return_address(0), uplo, n, a, ia, ja, desca, info);
}

void JOIN(scalay_p, LETTER, potrf_)(const char *uplo, const int *n, REAL *a, const int *ia, const int *ja,
                                    const int *desca, int *info)
{
    JOIN(LETTER, _, factor_cholesky)(NULL, uplo, n, a, ia, ja, desca, info);
}

static scalay_status JOIN(LETTER, _, move_and_multiply)(scalay_computation *p, int op_a, int op_b, int terms,
                                                        const REAL *alpha, const REAL *a, const REAL *b,
                                                        const REAL *beta, REAL *c)
{
    scalay_gemm_options options = scalay_gemm_options_default();
    options.map = scalay_computation_map(p, terms);
    options.machine = p->options.machine;
    return JOIN(scalay_p, LETTER, gemm)(p->comm, (scalay_op)op_a, (scalay_op)op_b, SCALAR(alpha), p->layout[1], a,
                                        p->layout[2], b, SCALAR(beta), p->layout[0], c, &options, NULL);
}

static void JOIN(LETTER, _, multiply)(const void *caller, const char *transa, const char *transb, const int *m,
                                      const int *n, const int *k, const REAL *alpha, const REAL *a, const int *ia,
                                      const int *ja, const int *desca, const REAL *b, const int *ib, const int *jb,
                                      const int *descb, const REAL *beta, REAL *c, const int *ic, const int *jc,
                                      const int *descc)
{
    const int op_a = read_op(*transa), op_b = read_op(*transb);
    const scalay_submatrix matrix[3] = {
        {*m, *n, ic, jc, descc},
        {op_a == SCALAY_NO_TRANSPOSE ? *m : *k, op_a == SCALAY_NO_TRANSPOSE ? *k : *m, ia, ja, desca},
        {op_b == SCALAY_NO_TRANSPOSE ? *k : *n, op_b == SCALAY_NO_TRANSPOSE ? *n : *k, ib, jb, descb}};
    const double work = (double)*m * *n * *k;
    scalay_computation p;
    const int is_ours = scalay_computation_begin(&PRODUCT_ROUTINE, caller, 3, matrix, work, &p);
    if (caller != NULL && is_ours) p.may_lose = scalay_computation_product_may_lose(3, matrix, work / rate_of_product);
    if (!is_ours || op_a < 0 || op_b < 0 || *m <= 0 || *n <= 0 || *k <= 0 || IS_ZERO(alpha) ||
        !scalay_computation_start(TEXT(PRODUCT), 3, matrix, 1, &p) ||
        !scalay_computation_finish(&p, JOIN(LETTER, _, move_and_multiply)(&p, op_a, op_b, *k, alpha, a, b, beta, c)))
        PRODUCT_OF_PBLAS(transa, transb, m, n, k, alpha, a, ia, ja, desca, b, ib, jb, descb, beta, c, ic, jc, descc);
    scalay_computation_end(&PRODUCT_ROUTINE, matrix, &p);
}

SCALAY_SCALAPACK_API void JOIN(p, LETTER, gemm_)(const char *transa, const char *transb, const int *m, const int *n,
                                                 const int *k, const REAL *alpha, const REAL *a, const int *ia,
                                                 const int *ja, const int *desca, const REAL *b, const int *ib,
                                                 const int *jb, const int *descb, const REAL *beta, REAL *c,
                                                 const int *ic, const int *jc, const int *descc)
{
    JOIN(LETTER, _, multiply)
    (__builtin_return_address(0), transa, transb, m, n, k, alpha, a, ia, ja, desca, b, ib, jb, descb, beta, c, ic, jc,
     descc);
}

void JOIN(scalay_p, LETTER, gemm_)(const char *transa, const char *transb, const int *m, const int *n, const int *k,
                                   const REAL *alpha, const REAL *a, const int *ia, const int *ja, const int *desca,
                                   const REAL *b, const int *ib, const int *jb, const int *descb, const REAL *beta,
                                   REAL *c, const int *ic, const int *jc, const int *descc)
{
    JOIN(LETTER, _, multiply)
    (NULL, transa, transb, m, n, k, alpha, a, ia, ja, desca, b, ib, jb, descb, beta, c, ic, jc, descc);
}

#undef QR
#undef LU
#undef CHOLESKY
#undef PRODUCT
#undef QR_ROUTINE
#undef LU_ROUTINE
#undef CHOLESKY_ROUTINE
#undef PRODUCT_ROUTINE
#undef QR_OF_SCALAPACK
#undef LU_OF_SCALAPACK
#undef CHOLESKY_OF_SCALAPACK
#undef PRODUCT_OF_PBLAS
#undef LETTER
#undef TYPE
#undef REAL
#undef SCALAR
#undef IS_ZERO
