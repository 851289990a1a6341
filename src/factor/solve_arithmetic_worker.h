/* Operations of one element type for solves, included by solve_arithmetic.c: ENTRY, TYPED(name), BLAS(name), CONJ(x).
 */

void BLAS(trsm)(const char *, const char *, const char *, const char *, const int *, const int *, const ENTRY *,
                const ENTRY *, const int *, ENTRY *, const int *, size_t, size_t, size_t, size_t);

/* X(row[i], col[j]) := alpha B(i, j). op is not N: row and col change places, and C conjugates; a few columns of B at a
 * time, so that both arrays are passed through in lines of the cache. */
static void TYPED(load)(int rows, int cols, const void *alpha, const void *b, int64_t ldb, scalay_op op, const int *row,
                        const int *col, void *x, int64_t ldx)
{
    enum { SOME = 8 };
    const ENTRY factor = *(const ENTRY *)alpha, *from = b;
    ENTRY *to = x;
    for (int j = 0; j < cols && op == SCALAY_NO_TRANSPOSE; j++)
        for (int i = 0; i < rows; i++) to[row[i] + col[j] * ldx] = factor * from[i + j * ldb];
    for (int first = 0; first < cols && op != SCALAY_NO_TRANSPOSE; first += SOME)
        for (int i = 0; i < rows; i++)
            for (int j = first; j < cols && j < first + SOME; j++) {
                const ENTRY entry = factor * from[i + j * ldb];
                to[col[j] + row[i] * ldx] = op == SCALAY_TRANSPOSE ? entry : CONJ(entry);
            }
}

/* B(i, j) := X(row[i], col[j]), as load(). */
static void TYPED(store)(int rows, int cols, void *b, int64_t ldb, scalay_op op, const int *row, const int *col,
                         const void *x, int64_t ldx)
{
    enum { SOME = 8 };
    const ENTRY *from = x;
    ENTRY *to = b;
    for (int j = 0; j < cols && op == SCALAY_NO_TRANSPOSE; j++)
        for (int i = 0; i < rows; i++) to[i + j * ldb] = from[row[i] + col[j] * ldx];
    for (int first = 0; first < cols && op != SCALAY_NO_TRANSPOSE; first += SOME)
        for (int i = 0; i < rows; i++)
            for (int j = first; j < cols && j < first + SOME; j++) {
                const ENTRY entry = from[col[j] + row[i] * ldx];
                to[i + j * ldb] = op == SCALAY_TRANSPOSE ? entry : CONJ(entry);
            }
}

/* Row to[i] of T := that row + row i of S; NULL: row i. */
static void TYPED(add_rows)(int rows, int cols, const int *to, const void *s, int64_t lds, void *t, int ldt)
{
    for (int j = 0; j < cols; j++) {
        const ENTRY *from = (const ENTRY *)s + j * lds;
        ENTRY *sum = (ENTRY *)t + (int64_t)j * ldt;
        if (to == NULL)
            for (int i = 0; i < rows; i++) sum[i] += from[i];
        else
            for (int i = 0; i < rows; i++) sum[to[i]] += from[i];
    }
}

static void TYPED(solve)(const scalay_triangle *triangle, int m, int n, const void *d, int ldd, void *t, int ldt)
{
    const ENTRY one = 1;
    BLAS(trsm)
    ("L", triangle->uplo == SCALAY_UPPER ? "U" : "L", &"NTC"[triangle->op], triangle -> is_unit ? "U" : "N", &m, &n,
     &one, d, &ldd, t, &ldt, 1, 1, 1, 1);
}

static const scalay_solve_arithmetic TYPED(arithmetic) = {TYPED(load), TYPED(store), TYPED(add_rows), TYPED(solve)};

#undef ENTRY
#undef TYPED
#undef BLAS
#undef CONJ
