/*
 * Operations of one element type, included by engine_arithmetic.c. Defined before: ENTRY, its REAL type, TYPED(name)
 * for functions, BLAS(name) for Fortran names, IS_COMPLEX, SMALL and LARGE (squares of numbers in between neither
 * underflow nor overflow), TINY (least normal number).
 */

void BLAS(gemm)(const char *, const char *, const int *, const int *, const int *, const ENTRY *, const ENTRY *,
                const int *, const ENTRY *, const int *, const ENTRY *, ENTRY *, const int *, size_t, size_t);
void BLAS(trsm)(const char *, const char *, const char *, const char *, const int *, const int *, const ENTRY *,
                const ENTRY *, const int *, ENTRY *, const int *, size_t, size_t, size_t, size_t);
void BLAS(trmm)(const char *, const char *, const char *, const char *, const int *, const int *, const ENTRY *,
                const ENTRY *, const int *, ENTRY *, const int *, size_t, size_t, size_t, size_t);
void BLAS(gemv)(const char *, const int *, const int *, const ENTRY *, const ENTRY *, const int *, const ENTRY *,
                const int *, const ENTRY *, ENTRY *, const int *, size_t);
void BLAS(geqr2)(const int *, const int *, ENTRY *, const int *, ENTRY *, ENTRY *, int *);
void BLAS(larft)(const char *, const char *, const int *, const int *, const ENTRY *, const int *, const ENTRY *,
                 ENTRY *, const int *, size_t, size_t);
void BLAS(getrf)(const int *, const int *, ENTRY *, const int *, int *, int *);
void BLAS(potrf)(const char *, const int *, ENTRY *, const int *, int *, size_t);
#if IS_COMPLEX
void BLAS(herk)(const char *, const char *, const int *, const int *, const REAL *, const ENTRY *, const int *,
                const REAL *, ENTRY *, const int *, size_t, size_t);
void BLAS(geru)(const int *, const int *, const ENTRY *, const ENTRY *, const int *, const ENTRY *, const int *,
                ENTRY *, const int *);
#define RANK_ONE BLAS(geru)
#define RANK_K BLAS(herk)
#define RE(x) ((REAL)creal(x))
#define IM(x) ((REAL)cimag(x))
#define CONJ(x) ((ENTRY)conj(x))
#else
void BLAS(syrk)(const char *, const char *, const int *, const int *, const REAL *, const ENTRY *, const int *,
                const REAL *, ENTRY *, const int *, size_t, size_t);
void BLAS(ger)(const int *, const int *, const ENTRY *, const ENTRY *, const int *, const ENTRY *, const int *, ENTRY *,
               const int *);
#define RANK_ONE BLAS(ger)
#define RANK_K BLAS(syrk)
#define RE(x) (x)
#define IM(x) ((REAL)0)
#define CONJ(x) (x)
#endif

/* --------------------------------------------------------------------------------------------------- level 3 */

static void TYPED(gemm)(char op_a, char op_b, int m, int n, int k, int sign, const void *a, int lda, const void *b,
                        int ldb, int overwrite, void *c, int ldc)
{
    const ENTRY alpha = (ENTRY)sign, beta = (ENTRY)!overwrite;
    BLAS(gemm)(&op_a, &op_b, &m, &n, &k, &alpha, a, &lda, b, &ldb, &beta, c, &ldc, 1, 1);
}

/* Is an element so small that its size is no reason to solve instead of multiplying? NaN is not. */
static int TYPED(is_small)(ENTRY x)
{
    return fabs((double)RE(x)) + fabs((double)IM(x)) < LARGE_INVERSE;
}

/* Inverts an upper triangle of at most INVERSE_LEAF columns, of which only the part above the diagonal is changed if
 * the diagonal is `unit`. Backward substitution for each column of the identity. */
static void TYPED(invert_leaf)(int n, int unit, ENTRY *u, int ldu)
{
    ENTRY x[INVERSE_LEAF * INVERSE_LEAF];
    for (int j = 0; j < n; j++) {
        ENTRY *column = x + j * INVERSE_LEAF;
        column[j] = unit ? 1 : 1 / u[j + (int64_t)j * ldu];
        for (int i = 0; i < j; i++) column[i] = -u[i + (int64_t)j * ldu] * column[j];
        for (int i = j - 1; i >= 0; i--) {
            const ENTRY *from = u + (int64_t)i * ldu, factor = column[i] * x[i + i * INVERSE_LEAF];
            column[i] = factor;
            for (int k = 0; k < i; k++) column[k] -= from[k] * factor;
        }
    }
    for (int j = 0; j < n; j++)
        memcpy(u + (int64_t)j * ldu, x + j * INVERSE_LEAF, sizeof *u * (size_t)(unit ? j : j + 1));
}

/* Inverts an upper triangle in place, by recursion over columns: in .4 of the time of OpenBLAS's trtri with 32 to 256
 * columns. A zero on the diagonal leads to elements that are not finite. */
static void TYPED(invert_upper)(int n, int unit, ENTRY *u, int ldu)
{
    if (n <= INVERSE_LEAF) {
        TYPED(invert_leaf)(n, unit, u, ldu);
        return;
    }
    const ENTRY one = 1, minus = -1;
    const char *diagonal = unit ? "U" : "N";
    const int left = INVERSE_LEAF * ((n + INVERSE_LEAF - 1) / INVERSE_LEAF / 2), right = n - left;
    ENTRY *above = u + (int64_t)left * ldu, *last = above + left;
    TYPED(invert_upper)(left, unit, u, ldu);
    TYPED(invert_upper)(right, unit, last, ldu);
    BLAS(trmm)("L", "U", "N", diagonal, &left, &right, &minus, u, &ldu, above, &ldu, 1, 1, 1, 1);
    BLAS(trmm)("R", "U", "N", diagonal, &left, &right, &one, last, &ldu, above, &ldu, 1, 1, 1, 1);
}

static void TYPED(invert_unit)(int n, void *l, int ldl)
{
    ENTRY *x = l;
    int is_usable = 1;
    for (int j = 0; j < n; j++)
        for (int i = j + 1; i < n; i++) x[j + (int64_t)i * ldl] = x[i + (int64_t)j * ldl];
    TYPED(invert_upper)(n, 1, x, ldl);
    for (int j = 0; j < n && is_usable; j++)
        for (int i = 0; i < j; i++)
            if (!TYPED(is_small)(x[i + (int64_t)j * ldl])) is_usable = 0;
    if (n > 0) x[0] = (ENTRY)is_usable;
}

static void TYPED(solve_left)(int m, int n, const void *l, int ldl, void *b, int ldb)
{
    const ENTRY one = 1;
    if (m > 0 && *(const ENTRY *)l == one)
        BLAS(trmm)("L", "U", "T", "U", &m, &n, &one, l, &ldl, b, &ldb, 1, 1, 1, 1);
    else
        BLAS(trsm)("L", "L", "N", "U", &m, &n, &one, l, &ldl, b, &ldb, 1, 1, 1, 1);
}

static void TYPED(solve_right)(int m, int n, const void *l, int ldl, void *b, int ldb, void *work)
{
    const ENTRY one = 1, *from = l;
    ENTRY *inverse = work; /* of L^H */
    int is_usable = 1;
    if (m <= 0) return;
    for (int j = 0; j < n; j++)
        for (int i = j; i < n; i++) inverse[j + (int64_t)i * n] = CONJ(from[i + (int64_t)j * ldl]);
    TYPED(invert_upper)(n, 0, inverse, n);
    for (int j = 0; j < n; j++) /* relative to A: rows of the inverse times the diagonal of L */
        for (int i = j; i < n && is_usable; i++)
            if (!TYPED(is_small)(inverse[j + (int64_t)i * n] * from[j * (int64_t)(ldl + 1)])) is_usable = 0;
    if (is_usable)
        BLAS(trmm)("R", "U", "N", "N", &m, &n, &one, inverse, &n, b, &ldb, 1, 1, 1, 1);
    else
        BLAS(trsm)("R", "L", "C", "N", &m, &n, &one, l, &ldl, b, &ldb, 1, 1, 1, 1);
}

static void TYPED(multiply_right)(int m, int n, const void *t, int ldt, void *b, int ldb)
{
    const ENTRY one = 1;
    BLAS(trmm)("R", "U", "N", "N", &m, &n, &one, t, &ldt, b, &ldb, 1, 1, 1, 1);
}

static void TYPED(update_lower)(int n, int k, const void *a, int lda, void *c, int ldc)
{
    const REAL minus = -1, one = 1;
    RANK_K("L", "N", &n, &k, &minus, a, &lda, &one, c, &ldc, 1, 1);
}

static void TYPED(add)(int m, int n, const void *x, int ldx, void *y, int ldy)
{
    for (int j = 0; j < n; j++) {
        const ENTRY *from = (const ENTRY *)x + (int64_t)j * ldx;
        ENTRY *to = (ENTRY *)y + (int64_t)j * ldy;
        for (int i = 0; i < m; i++) to[i] += from[i];
    }
}

static void TYPED(copy_rows)(int rows, int cols, const int *from_row, const void *x, int ldx, const int *to_row,
                             void *y, int ldy)
{
    for (int j = 0; j < cols; j++) {
        const ENTRY *from = (const ENTRY *)x + (int64_t)j * ldx;
        ENTRY *to = (ENTRY *)y + (int64_t)j * ldy;
        if (to_row == NULL)
            for (int i = 0; i < rows; i++) to[i] = from[from_row[i]];
        else if (from_row == NULL)
            for (int i = 0; i < rows; i++) to[to_row[i]] = from[i];
        else
            for (int i = 0; i < rows; i++) to[to_row[i]] = from[from_row[i]];
    }
}

/* ------------------------------------------------------------------------------------- panels of one process */

/* b := Q^H b for the reflectors of the m x k panel `v` and their T, with w as scratch (k x n, like t). */
static void TYPED(apply_reflectors)(int m, int n, int k, const ENTRY *v, const ENTRY *t, ENTRY *b, int ld, ENTRY *w,
                                    int ldt)
{
    const ENTRY one = 1;
    for (int j = 0; j < n; j++) memcpy(w + (int64_t)j * ldt, b + (int64_t)j * ld, sizeof(ENTRY) * (size_t)k);
    BLAS(trmm)("L", "L", "C", "U", &k, &n, &one, v, &ld, w, &ldt, 1, 1, 1, 1);
    TYPED(gemm)('C', 'N', k, n, m - k, 1, v + k, ld, b + k, ld, 0, w, ldt);
    BLAS(trmm)("L", "U", "C", "N", &k, &n, &one, t, &ldt, w, &ldt, 1, 1, 1, 1);
    TYPED(gemm)('N', 'N', m - k, n, k, -1, v + k, ld, w, ldt, 0, b + k, ld);
    BLAS(trmm)("L", "L", "N", "U", &k, &n, &one, v, &ld, w, &ldt, 1, 1, 1, 1);
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = 0; i < k; i++) b[i + j * ld] -= w[i + j * ldt];
}

/* Completes T of an m x (k + n) panel whose first k columns and last n columns have theirs: -T1 V1^H V2 T2. */
static void TYPED(join)(int m, int n, int k, const ENTRY *v, int ld, ENTRY *t, int ldt)
{
    const ENTRY one = 1, minus = -1, *v2 = v + k + (int64_t)k * ld, *t2 = t + k + (int64_t)k * ldt;
    ENTRY *w = t + (int64_t)k * ldt;
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = 0; i < k; i++) w[i + j * ldt] = CONJ(v[k + j + i * ld]);
    BLAS(trmm)("R", "L", "N", "U", &k, &n, &one, v2, &ld, w, &ldt, 1, 1, 1, 1);
    TYPED(gemm)('C', 'N', k, n, m - k - n, 1, v + k + n, ld, v2 + n, ld, 0, w, ldt);
    BLAS(trmm)("L", "U", "N", "N", &k, &n, &minus, t, &ldt, w, &ldt, 1, 1, 1, 1);
    BLAS(trmm)("R", "U", "N", "N", &k, &n, &one, t2, &ldt, w, &ldt, 1, 1, 1, 1);
}

/* Recursion over columns, as LAPACK's geqrt3. It ends at QR_LEAF columns instead of at one: 1.7 times as fast. */
static void TYPED(factor_columns)(int m, int n, ENTRY *a, int lda, ENTRY *t, int ldt)
{
    if (n <= QR_LEAF) {
        ENTRY tau[QR_LEAF], work[QR_LEAF];
        int info = 0;
        BLAS(geqr2)(&m, &n, a, &lda, tau, work, &info);
        BLAS(larft)("F", "C", &m, &n, a, &lda, tau, t, &ldt, 1, 1);
        return;
    }
    const int left = QR_LEAF * ((n + QR_LEAF - 1) / QR_LEAF / 2), right = n - left;
    ENTRY *b = a + (int64_t)left * lda, *w = t + (int64_t)left * ldt;
    TYPED(factor_columns)(m, left, a, lda, t, ldt);
    TYPED(apply_reflectors)(m, right, left, a, t, b, lda, w, ldt);
    TYPED(factor_columns)(m - left, right, b + left, lda, w + left, ldt);
    TYPED(join)(m, right, left, a, lda, t, ldt);
}

static void TYPED(factor_qr)(int m, int n, void *a, int lda, void *t, int ldt)
{
    memset(t, 0, sizeof(ENTRY) * (size_t)n * (size_t)ldt);
    if (n > 0) TYPED(factor_columns)(m, n, a, lda, t, ldt);
}

static int TYPED(factor_lu)(int m, int n, void *a, int lda, int *pivot)
{
    int info = 0;
    BLAS(getrf)(&m, &n, a, &lda, pivot, &info);
    for (int j = 0; j < n; j++) { /* NaN may lead to any pivot */
        pivot[j]--;
        if (pivot[j] < j || pivot[j] >= m) pivot[j] = j;
    }
    return info;
}

static int TYPED(factor_cholesky)(int n, void *a, int lda)
{
    int info = 0;
    BLAS(potrf)("L", &n, a, &lda, &info, 1);
    const int end = info > 0 ? info - 1 : n;
    for (int j = 0; j < end; j++)
        if (isnan(RE(((ENTRY *)a)[(int64_t)j * (lda + 1)]))) return j + 1;
    return info;
}

/* --------------------------------------------------------------------------------- panels of several processes */

static REAL TYPED(modulus)(ENTRY x)
{
    return (REAL)(fabs((double)RE(x)) + fabs((double)IM(x))); /* as i?amax */
}

/* The largest modulus; NaN does not count. Independent maxima are computed with vectors: one after the other took 2.2
 * ns for each element, ten times as long. */
static REAL TYPED(largest)(int rows, const ENTRY *x)
{
    REAL best[MAXIMA] = {0};
    int i = 0;
    for (; i + MAXIMA <= rows; i += MAXIMA)
        for (int l = 0; l < MAXIMA; l++) {
            const REAL value = TYPED(modulus)(x[i + l]);
            best[l] = value > best[l] ? value : best[l];
        }
    for (; i < rows; i++)
        if (TYPED(modulus)(x[i]) > best[0]) best[0] = TYPED(modulus)(x[i]);
    for (int l = 1; l < MAXIMA; l++)
        if (best[l] > best[0]) best[0] = best[l];
    return best[0];
}

static void TYPED(combine_sum)(int64_t bytes, const void *lower, const void *upper, void *result)
{
    const ENTRY *x = lower, *y = upper;
    ENTRY *z = result;
    for (int64_t k = 0; k < bytes / (int64_t)sizeof *z; k++) z[k] = x[k] + y[k];
}

static void TYPED(scale_column)(int rows, double factor, ENTRY *x)
{
    for (int i = 0; i < rows; i++) x[i] *= (REAL)factor;
}

/* Scales columns by powers of 2 if squares might overflow or underflow; V and tau do not depend on that. */
static scalay_status TYPED(scale_columns)(const scalay_engine_share *s, double *scale)
{
    const int w = s->width;
    for (int j = 0; j < w; j++) scale[j] = (double)TYPED(largest)(s->rows, (const ENTRY *)s->a + (int64_t)j * s->ld);
    const scalay_status status = s->reduce(s->context, scale, (int64_t)sizeof *scale * w, combine_max);
    for (int j = 0; status == SCALAY_SUCCESS && j < w; j++) {
        int exponent = 0;
        const int is_safe = scale[j] == 0 || !isfinite(scale[j]) || (scale[j] > SMALL && scale[j] < LARGE);
        if (!is_safe) (void)frexp(scale[j], &exponent);
        scale[j] = ldexp(1.0, -exponent / 2); /* twice: 2^-exponent itself may overflow */
        if (is_safe) continue;
        TYPED(scale_column)(s->rows, scale[j], (ENTRY *)s->a + (int64_t)j * s->ld);
        TYPED(scale_column)(s->rows, scale[j], (ENTRY *)s->a + (int64_t)j * s->ld);
    }
    return status;
}

/* R back to the scale of A. */
static void TYPED(unscale)(const scalay_engine_share *s, const double *scale)
{
    for (int j = 0; j < s->width && s->has_top; j++) {
        if (scale[j] == 1) continue;
        TYPED(scale_column)(j + 1, 1 / scale[j], (ENTRY *)s->a + (int64_t)j * s->ld);
        TYPED(scale_column)(j + 1, 1 / scale[j], (ENTRY *)s->a + (int64_t)j * s->ld);
    }
}

/* One reflector: x^H A and the row at the top summed over the owners in one reduction (LAPACK's larfg and larf). */
static scalay_status TYPED(reflect)(const scalay_engine_share *s, int j, ENTRY *sum, ENTRY *tau)
{
    const int w = s->width - j, from = s->has_top ? j + 1 : 0, rows = s->rows - from, unit = 1, ld = s->ld;
    const ENTRY one = 1, zero = 0, minus = -1;
    ENTRY *x = (ENTRY *)s->a + (int64_t)j * ld, *top = sum + w;
    memset(sum, 0, sizeof *sum * 2 * (size_t)w);
    if (rows > 0) BLAS(gemv)("C", &rows, &w, &one, x + from, &ld, x + from, &unit, &zero, sum, &unit, 1);
    for (int l = 0; l < w; l++) sum[l] = CONJ(sum[l]);
    for (int l = 0; l < w && s->has_top; l++) top[l] = x[j + (int64_t)l * ld];
    const scalay_status status = s->reduce(s->context, sum, (int64_t)sizeof *sum * 2 * w, TYPED(combine_sum));
    if (status != SCALAY_SUCCESS) return status;
    const ENTRY alpha = top[0];
    const double square = (double)RE(sum[0]), re = (double)RE(alpha), im = (double)IM(alpha);
    if (square == 0 && im == 0) {
        *tau = 0;
        return SCALAY_SUCCESS;
    }
    const double beta = -copysign(sqrt(re * re + im * im + square), re);
    const ENTRY none = (ENTRY)(beta - beta); /* 0, or NaN: a quotient of complex infinities may be finite */
    const ENTRY scale = 1 / (alpha - (ENTRY)beta) + none;
    *tau = ((ENTRY)beta - alpha) / (ENTRY)beta + none;
    for (int l = 1; l < w; l++) sum[l] = CONJ(*tau) * (top[l] + CONJ(scale) * sum[l]);
    for (int i = from; i < s->rows; i++) x[i] *= scale;
    const int right = w - 1;
    if (rows > 0 && right > 0) RANK_ONE(&rows, &right, &minus, x + from, &unit, sum + 1, &unit, x + ld + from, &ld);
    for (int l = 1; l < w && s->has_top; l++) x[j + (int64_t)l * ld] -= sum[l];
    if (s->has_top) x[j] = (ENTRY)beta;
    return SCALAY_SUCCESS;
}

/* V^H V, summed over the owners. */
static scalay_status TYPED(find_gram)(const scalay_engine_share *s, ENTRY *gram, ENTRY *top)
{
    const int w = s->width, below = s->has_top ? w : 0, rows = s->rows - below;
    const ENTRY *a = (const ENTRY *)s->a;
    memset(gram, 0, sizeof *gram * (size_t)w * (size_t)w);
    if (rows > 0) TYPED(gemm)('C', 'N', w, w, rows, 1, a + below, s->ld, a + below, s->ld, 1, gram, w);
    if (s->has_top) {
        for (int j = 0; j < w; j++)
            for (int i = 0; i < w; i++) top[i + j * w] = i > j ? a[i + (int64_t)j * s->ld] : (ENTRY)(i == j);
        TYPED(gemm)('C', 'N', w, w, w, 1, top, w, top, w, 0, gram, w);
    }
    return s->reduce(s->context, gram, (int64_t)sizeof *gram * w * w, TYPED(combine_sum));
}

static scalay_status TYPED(share_qr)(const scalay_engine_share *s, void *t_of_all)
{
    scalay_status status = SCALAY_SUCCESS;
    const int w = s->width;
    double *scale = (double *)s->work;
    ENTRY *t = t_of_all, *sum = (ENTRY *)(scale + w), *gram = sum + 3 * w, *top = gram + w * w;
    memset(t, 0, sizeof *t * (size_t)w * (size_t)w);
    SCALAY_TRY(TYPED(scale_columns)(s, scale));
    for (int j = 0; j < w; j++) SCALAY_TRY(TYPED(reflect)(s, j, sum, &t[j + j * w]));
    TYPED(unscale)(s, scale);
    SCALAY_TRY(TYPED(find_gram)(s, gram, top));
    for (int j = 1; j < w; j++) { /* LAPACK's larft: T(0:j, j) = -tau T(0:j, 0:j) V^H v */
        for (int i = 0; i < j; i++) sum[i] = -t[j + j * w] * gram[i + j * w];
        for (int i = 0; i < j; i++) {
            ENTRY x = 0;
            for (int l = i; l < j; l++) x += t[i + l * w] * sum[l];
            t[i + j * w] = x;
        }
    }
cleanup:
    return status;
}

/* This owner's candidate for pivot j, with its row and with the row at the top. */
static void TYPED(find_candidate)(const scalay_engine_share *s, int j, pivot_candidate *mine)
{
    const int from = s->has_top ? j : 0;
    const ENTRY *a = (const ENTRY *)s->a, *x = a + (int64_t)j * s->ld;
    ENTRY *row = (ENTRY *)(mine + 1), *top = row + s->width;
    const REAL largest = TYPED(largest)(s->rows - from, x + from);
    int best = from;
    *mine = (pivot_candidate){.value = -1, .row = INT32_MAX, .has_top = s->has_top};
    while (best < s->rows && TYPED(modulus)(x[best]) != largest) best++;
    if (best >= s->rows) best = from; /* all are NaN */
    if (s->rows > from) mine->value = (double)TYPED(modulus)(x[best]);
    if (s->rows > from) mine->row = s->line[best];
    for (int l = 0; l < s->width; l++) {
        row[l] = s->rows > from ? a[best + (int64_t)l * s->ld] : 0;
        top[l] = s->has_top ? a[j + (int64_t)l * s->ld] : 0;
    }
}

/* The place of a global row among the owner's rows; -1: another owner has it. */
static int TYPED(find_row)(const scalay_engine_share *s, int row)
{
    int low = 0, end = s->rows;
    while (low < end) {
        const int middle = low + (end - low) / 2;
        if (s->line[middle] < row)
            low = middle + 1;
        else
            end = middle;
    }
    return low < s->rows && s->line[low] == row ? low : -1;
}

/* Swaps row j with the pivot's and eliminates column j below. */
static void TYPED(eliminate)(const scalay_engine_share *s, int j, const pivot_candidate *best)
{
    const ENTRY *row = (const ENTRY *)(best + 1), *top = row + s->width, minus = -1, pivot = row[j];
    const int place = TYPED(find_row)(s, best->row), from = s->has_top ? j + 1 : 0, rows = s->rows - from;
    const int right = s->width - j - 1, unit = 1;
    ENTRY *a = (ENTRY *)s->a, *x = a + (int64_t)j * s->ld;
    for (int l = 0; l < s->width; l++) {
        if (place >= 0) a[place + (int64_t)l * s->ld] = top[l];
        if (s->has_top) a[j + (int64_t)l * s->ld] = row[l];
    }
    if (pivot == 0 || rows <= 0) return;
    const int is_tiny = TYPED(modulus)(pivot) < TINY;
    const ENTRY inverse = is_tiny ? 1 : 1 / pivot;
    for (int i = from; i < s->rows; i++) x[i] = is_tiny ? x[i] / pivot : x[i] * inverse;
    if (right > 0) RANK_ONE(&rows, &right, &minus, x + from, &unit, row + j + 1, &unit, x + s->ld + from, &s->ld);
}

static scalay_status TYPED(share_lu)(const scalay_engine_share *s, int *pivot, void *top_of_all, int *info)
{
    const int w = s->width;
    ENTRY *top = top_of_all;
    pivot_candidate *best = (pivot_candidate *)s->work;
    *info = 0;
    for (int j = 0; j < w; j++) {
        TYPED(find_candidate)(s, j, best);
        const int64_t bytes = (int64_t)sizeof *best + 2 * (int64_t)sizeof(ENTRY) * w;
        const scalay_status status = s->reduce(s->context, best, bytes, combine_pivots);
        if (status != SCALAY_SUCCESS) return status;
        if (best->value < 0 || best->row < s->first + j) best->row = s->first + j; /* cannot be: NaN is no reason */
        const ENTRY *row = (const ENTRY *)(best + 1);
        pivot[j] = best->row;
        for (int l = 0; l < w; l++) top[j + l * w] = row[l];
        if (row[j] == 0 && *info == 0) *info = j + 1;
        TYPED(eliminate)(s, j, best);
    }
    return SCALAY_SUCCESS;
}

static const scalay_engine_arithmetic TYPED(arithmetic) = {
    .size = sizeof(ENTRY),
    .flops = IS_COMPLEX ? 8 : 2,
    .gemm = TYPED(gemm),
    .invert_unit = TYPED(invert_unit),
    .solve_left = TYPED(solve_left),
    .solve_right = TYPED(solve_right),
    .multiply_right = TYPED(multiply_right),
    .update_lower = TYPED(update_lower),
    .add = TYPED(add),
    .combine_sum = TYPED(combine_sum),
    .copy_rows = TYPED(copy_rows),
    .factor_qr = TYPED(factor_qr),
    .factor_lu = TYPED(factor_lu),
    .factor_cholesky = TYPED(factor_cholesky),
    .share_qr = TYPED(share_qr),
    .share_lu = TYPED(share_lu),
};

#undef ENTRY
#undef REAL
#undef TYPED
#undef BLAS
#undef IS_COMPLEX
#undef SMALL
#undef LARGE
#undef TINY
#undef RANK_ONE
#undef RANK_K
#undef RE
#undef IM
#undef CONJ
