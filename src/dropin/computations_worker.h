/* The compute routines of one type, included by computations.c: LETTER, REAL, SCALAR(pointer), IS_ZERO(pointer). */

#define QR JOIN(p, LETTER, geqrf)
#define QR_OF_SCALAPACK JOIN(p, LETTER, geqrf_)
#define LU JOIN(p, LETTER, getrf)
#define LU_OF_SCALAPACK JOIN(p, LETTER, getrf_)
#define CHOLESKY JOIN(p, LETTER, potrf)
#define CHOLESKY_OF_SCALAPACK JOIN(p, LETTER, potrf_)
#define PRODUCT JOIN(p, LETTER, gemm)
#define PRODUCT_OF_PBLAS JOIN(p, LETTER, gemm_)

void QR_OF_SCALAPACK(const int *m, const int *n, REAL *a, const int *ia, const int *ja, const int *desca, REAL *tau,
                     REAL *work, const int *lwork, int *info);
void LU_OF_SCALAPACK(const int *m, const int *n, REAL *a, const int *ia, const int *ja, const int *desca, int *ipiv,
                     int *info);
void CHOLESKY_OF_SCALAPACK(const char *uplo, const int *n, REAL *a, const int *ia, const int *ja, const int *desca,
                           int *info);
void PRODUCT_OF_PBLAS(const char *transa, const char *transb, const int *m, const int *n, const int *k,
                      const REAL *alpha, const REAL *a, const int *ia, const int *ja, const int *desca, const REAL *b,
                      const int *ib, const int *jb, const int *descb, const REAL *beta, REAL *c, const int *ic,
                      const int *jc, const int *descc);

/* ScaLAPACK's workspace query checks the arguments and sets WORK(1). */
void JOIN(scalay_p, LETTER, geqrf_)(const int *m, const int *n, REAL *a, const int *ia, const int *ja, const int *desca,
                                    REAL *tau, REAL *work, const int *lwork, int *info)
{
    const submatrix matrix = {*m, *n, ia, ja, desca};
    const int query = -1;
    computation c;
    QR_OF_SCALAPACK(m, n, a, ia, ja, desca, tau, work, &query, info);
    if (*info != 0 || *lwork == query || *m == 0 || *n == 0) return;
    if ((REAL)*lwork >= work[0] && start(TEXT(QR), 1, &matrix, &c) &&
        finish(&c, JOIN(scalay_p, LETTER, geqrf)(c.comm, c.layout[0], NULL, a, tau, NULL)))
        return;
    QR_OF_SCALAPACK(m, n, a, ia, ja, desca, tau, work, lwork, info);
}

void JOIN(scalay_p, LETTER, getrf_)(const int *m, const int *n, REAL *a, const int *ia, const int *ja, const int *desca,
                                    int *ipiv, int *info)
{
    const submatrix matrix = {*m, *n, ia, ja, desca};
    computation c;
    if (*m > 0 && *n > 0 && start(TEXT(LU), 1, &matrix, &c) &&
        finish(&c, JOIN(scalay_p, LETTER, getrf)(c.comm, c.layout[0], NULL, a, ipiv, info, NULL)))
        return;
    LU_OF_SCALAPACK(m, n, a, ia, ja, desca, ipiv, info);
}

void JOIN(scalay_p, LETTER, potrf_)(const char *uplo, const int *n, REAL *a, const int *ia, const int *ja,
                                    const int *desca, int *info)
{
    const submatrix matrix = {*n, *n, ia, ja, desca};
    const int triangle = read_uplo(*uplo);
    computation c;
    if (triangle >= 0 && *n > 0 && start(TEXT(CHOLESKY), 1, &matrix, &c) &&
        finish(&c, JOIN(scalay_p, LETTER, potrf)(c.comm, (scalay_uplo)triangle, c.layout[0], NULL, a, info, NULL)))
        return;
    CHOLESKY_OF_SCALAPACK(uplo, n, a, ia, ja, desca, info);
}

void JOIN(scalay_p, LETTER, gemm_)(const char *transa, const char *transb, const int *m, const int *n, const int *k,
                                   const REAL *alpha, const REAL *a, const int *ia, const int *ja, const int *desca,
                                   const REAL *b, const int *ib, const int *jb, const int *descb, const REAL *beta,
                                   REAL *c, const int *ic, const int *jc, const int *descc)
{
    const int op_a = read_op(*transa), op_b = read_op(*transb);
    const submatrix matrix[3] = {
        {op_a == SCALAY_NO_TRANSPOSE ? *m : *k, op_a == SCALAY_NO_TRANSPOSE ? *k : *m, ia, ja, desca},
        {op_b == SCALAY_NO_TRANSPOSE ? *k : *n, op_b == SCALAY_NO_TRANSPOSE ? *n : *k, ib, jb, descb},
        {*m, *n, ic, jc, descc}};
    computation p;
    if (op_a >= 0 && op_b >= 0 && *m > 0 && *n > 0 && *k > 0 && !IS_ZERO(alpha) &&
        start(TEXT(PRODUCT), 3, matrix, &p) &&
        finish(&p, JOIN(scalay_p, LETTER, gemm)(p.comm, (scalay_op)op_a, (scalay_op)op_b, SCALAR(alpha), p.layout[0], a,
                                                p.layout[1], b, SCALAR(beta), p.layout[2], c, NULL, NULL)))
        return;
    PRODUCT_OF_PBLAS(transa, transb, m, n, k, alpha, a, ia, ja, desca, b, ib, jb, descb, beta, c, ic, jc, descc);
}

#undef QR
#undef QR_OF_SCALAPACK
#undef LU
#undef LU_OF_SCALAPACK
#undef CHOLESKY
#undef CHOLESKY_OF_SCALAPACK
#undef PRODUCT
#undef PRODUCT_OF_PBLAS
#undef LETTER
#undef REAL
#undef SCALAR
#undef IS_ZERO
