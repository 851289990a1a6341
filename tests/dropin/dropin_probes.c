/* The cases in which other replacements of p?gemr2d go wrong, each against its definition: whoever owns element (i, j)
   of the target has the number of (i, j) there. And local offsets beyond 2^31, on which ScaLAPACK's own crashes. */

#include <limits.h>
#include <sys/mman.h>

#include "calls.h"
#include "dropin/plan_cache.h"
#include "support/check.h"

enum { N = 37 };

static double number(int i, int j)
{
    return 1 + i + 1000.0 * j;
}

/* A matrix of N x N in blocks of mb x nb, each element its number, or all of it zero. */
static matrix numbered(const grid *g, int mb, int nb, int zero)
{
    matrix made = {.i = 1, .j = 1, .desc = {0, -1}};
    if (g->ctxt < 0) return made;
    const int rows = local_extent(N, mb, g->row, 0, g->p), cols = local_extent(N, nb, g->col, 0, g->q);
    const int desc[DLEN_] = {1, g->ctxt, N, N, mb, nb, 0, 0, rows > 0 ? rows : 1};
    memcpy(made.desc, desc, sizeof desc);
    double *data = calloc((size_t)rows * (size_t)cols + 1, sizeof *data);
    for (int j = 0; j < N; j++)
        for (int i = 0; i < N; i++) {
            if (i / mb % g->p != g->row || j / nb % g->q != g->col) continue;
            const int row = i / mb / g->p * mb + i % mb, col = j / nb / g->q * nb + j % nb;
            data[row + (size_t)col * (size_t)desc[LLD_]] = zero ? 0 : number(i, j);
        }
    made.data = (unsigned char *)data;
    made.bytes = (size_t)rows * (size_t)cols * sizeof *data;
    return made;
}

static void probe(const char *what, grid *a, grid *b, const grid *all)
{
    matrix from = numbered(a, 3, 5, 0), to = numbered(b, 4, 2, 1), wanted = numbered(b, 4, 2, 0);
    if (all->ctxt >= 0) {
        for (int repeat = 0; repeat < 2; repeat++)
            Cpdgemr2d(N, N, (double *)(void *)from.data, 1, 1, from.desc, (double *)(void *)to.data, 1, 1, to.desc,
                      all->ctxt);
        if (!CHECK(to.bytes == 0 || memcmp(to.data, wanted.data, to.bytes) == 0)) fprintf(stderr, "%s\n", what);
    }
    free(from.data);
    free(to.data);
    free(wanted.data);
    if (b->ctxt != a->ctxt) free_grid(b);
    free_grid(a);
}

/* Ranks first, first + step, ...; `step` may be negative. */
static int *sequence(int first, int step)
{
    static int ranks[64];
    for (int k = 0; k < 64; k++) ranks[k] = first + k * step;
    return ranks;
}

/* p x q with processes numbered along rows instead of columns. */
static int *by_rows(int p, int q)
{
    static int ranks[64];
    for (int k = 0; k < p * q; k++) ranks[k] = k % p * q + k / p;
    return ranks;
}

static void probe_grids(int size)
{
    const int p = size % 2 == 0 ? 2 : 1, q = size / p;
    grid all = make_grid(1, size, sequence(0, 1)), square = make_grid(p, q, sequence(0, 1)), a, b;
    a = make_grid(p, q, sequence(0, 1));
    b = a;
    probe("one grid for both matrices, a context of one row", &a, &b, &all);
    a = make_grid(p, q, sequence(0, 1));
    b = a;
    probe("one grid for both matrices, itself the context", &a, &b, &a);
    a = make_grid(p, q, sequence(0, 1)), b = make_grid(1, size, sequence(0, 1));
    probe("p x q to 1 x P", &a, &b, &all);
    a = make_grid(1, size, sequence(0, 1)), b = make_grid(size, 1, sequence(0, 1));
    probe("1 x P to P x 1", &a, &b, &square);
    a = make_grid(p, q, by_rows(p, q)), b = make_grid(p, q, sequence(0, 1));
    probe("row-major to column-major", &a, &b, &all);
    a = make_grid(q, p, sequence(size - 1, -1)), b = make_grid(p, q, by_rows(p, q));
    probe("an arbitrary map to row-major", &a, &b, &square);
    free_grid(&square);
    free_grid(&all);
}

/* Some or all processes are outside of one grid or both. */
static void probe_subsets(int size)
{
    const int half = size > 1 ? size / 2 : 1, rest = size > 1 ? size - half : 1;
    grid all = make_grid(1, size, sequence(0, 1)), few = make_grid(half, 1, sequence(0, 1)), a, b;
    a = make_grid(1, half, sequence(0, 1)), b = make_grid(size, 1, sequence(0, 1));
    probe("ranks missing from the first grid", &a, &b, &all);
    a = make_grid(size, 1, sequence(0, 1)), b = make_grid(1, half, sequence(size - 1, -1));
    probe("ranks missing from the second grid", &a, &b, &all);
    a = make_grid(1, half, sequence(0, 1)), b = make_grid(rest, 1, sequence(size - rest, 1));
    probe("disjoint grids", &a, &b, &all);
    a = make_grid(1, 1, sequence(size - 1, 1)), b = make_grid(1, 1, sequence(0, 1));
    probe("ranks in neither grid", &a, &b, &all);
    a = make_grid(half, 1, sequence(0, 1)), b = make_grid(1, half, sequence(0, 1));
    probe("a context without some of the program's processes", &a, &b, &few);
    free_grid(&few);
    free_grid(&all);
}

/* Nothing happens, whatever the other arguments are, and nobody communicates: one process calls alone. */
static void probe_empty(void)
{
    const int zero = 0, one = 1, bad = -7;
    pdgemr2d_(&zero, &one, NULL, &bad, &bad, NULL, NULL, &bad, &bad, NULL, &bad);
    pztrmr2d_("?", "?", &one, &zero, NULL, &bad, &bad, NULL, NULL, &bad, &bad, NULL, &bad);
}

/* A large submatrix to where it overlaps itself: what arrives is what was there before. */
static void probe_overlap(int size)
{
    enum { WHOLE = 1200, SHIFT = 100, NB = 32 };
    grid g = make_grid(1, size, sequence(0, 1));
    const int cols = local_extent(WHOLE, NB, g.col, 0, size),
              desc[DLEN_] = {1, g.ctxt, WHOLE, WHOLE, NB, NB, 0, 0, WHOLE};
    double *a = calloc((size_t)WHOLE * (size_t)cols + 1, sizeof *a);
    int wrong = 0;
    for (int pass = 0; pass < 2; pass++) {
        for (int c = 0; c < cols; c++)
            for (int i = 0; i < WHOLE; i++) {
                const int j = (c / NB * size + g.col) * NB + c % NB, moved = i >= SHIFT && j >= SHIFT;
                if (pass == 0)
                    a[i + (size_t)c * WHOLE] = number(i, j);
                else
                    wrong += a[i + (size_t)c * WHOLE] != (moved ? number(i - SHIFT, j - SHIFT) : number(i, j));
            }
        if (pass == 0) Cpdgemr2d(WHOLE - SHIFT, WHOLE - SHIFT, a, 1, 1, desc, a, 1 + SHIFT, 1 + SHIFT, desc, g.ctxt);
    }
    CHECK(wrong == 0);
    free(a);
    free_grid(&g);
}

/* What PBLAS has and no layout of ours is left to ScaLAPACK: a first block of its own. */
static void probe_first_block(int size)
{
    enum { M = 11, BLOCK = 3, TYPE_2 = 11 };
    grid g = make_grid(size, 1, sequence(0, 1));
    const int m = M, one = 1, first = 2, rows = local_extent(M, BLOCK, g.row, 0, size);
    const int desca[TYPE_2] = {2, g.ctxt, M, M, first, BLOCK, BLOCK, BLOCK, 0, 0, M};
    const int descc[DLEN_] = {1, g.ctxt, M, M, BLOCK, BLOCK, 0, 0, rows > 0 ? rows : 1};
    const double alpha = 2, beta = 0;
    double a[M * M], ours[M * M] = {0}, theirs[M * M] = {0};
    any_function *stock = stock_function("pdtran_");
    for (int k = 0; k < M * M; k++) a[k] = 100 * g.row + k;
    pdtran_(&m, &m, &alpha, a, &one, &one, desca, &beta, ours, &one, &one, descc);
    if (CHECK(stock != NULL))
        ((transpose_fortran *)stock)(&m, &m, &alpha, a, &one, &one, desca, &beta, theirs, &one, &one, descc);
    CHECK(memcmp(ours, theirs, sizeof ours) == 0 && (rows == 0 || ours[0] != 0 || g.row == 0));
    free_grid(&g);
}

/* And a matrix that every process row has. */
static void probe_replicated(int size)
{
    enum { M = 11, BLOCK = 3 };
    grid g = make_grid(size, 1, sequence(0, 1));
    const int m = M, one = 1, rows = local_extent(M, BLOCK, g.row, 0, size);
    const int desca[DLEN_] = {1, g.ctxt, M, M, BLOCK, BLOCK, -1, 0, M};
    const int descc[DLEN_] = {1, g.ctxt, M, M, BLOCK, BLOCK, 0, 0, rows > 0 ? rows : 1};
    const double alpha = 2, beta = 0;
    double a[M * M], c[M * M] = {0};
    int right = 0;
    for (int k = 0; k < M * M; k++) a[k] = number(k % M, k / M);
    pdtran_(&m, &m, &alpha, a, &one, &one, desca, &beta, c, &one, &one, descc);
    for (int j = 0; j < M; j++)
        for (int r = 0; r < rows; r++) {
            const int i = (r / BLOCK * size + g.row) * BLOCK + r % BLOCK;
            right += c[r + j * descc[LLD_]] == 2 * number(j, i);
        }
    CHECK(right == rows * M);
    free_grid(&g);
}

/* Blocks and matrices without an end, which some programs say as HUGE(1), on some of the processes. */
static void probe_huge(int size)
{
    enum { PART = 5 };
    const int few = size > 1 ? size - 1 : 1;
    grid all = make_grid(1, size, sequence(0, 1)), from = make_grid(1, few, sequence(size - few, 1)),
         to = make_grid(few, 1, sequence(0, 1));
    const int has_a = from.ctxt >= 0 && from.col == 0, has_b = to.ctxt >= 0 && to.row == 0;
    const int desca[DLEN_] = {1, from.ctxt, PART, INT_MAX, INT_MAX, INT_MAX, 0, 0, PART};
    const int descb[DLEN_] = {1, to.ctxt, INT_MAX, PART, INT_MAX, INT_MAX, 0, 0, INT_MAX};
    double a[PART * PART], b[PART] = {0};
    int right = 0;
    for (int k = 0; k < PART * PART; k++) a[k] = has_a ? number(k % PART, k / PART) : 0;
    Cpdgemr2d(PART, 1, a, 1, 2, desca, b, 1, 1, descb, all.ctxt);
    for (int i = 0; i < PART; i++) right += b[i] == (has_b ? number(i, 1) : 0);
    CHECK(right == PART);
    free_grid(&to);
    free_grid(&from);
    free_grid(&all);
}

/* The last columns of 2^32 elements on each process. The memory is promised only; what is used of it is little. */
static void probe_offsets(int size)
{
    enum { ROWS = 1 << 22, COLS = 1 << 10, PART = 20 };
    const size_t bytes = (size_t)ROWS * COLS * sizeof(float);
    float *local = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    int possible = local != MAP_FAILED, everywhere = 0;
    MPI_Allreduce(&possible, &everywhere, 1, MPI_INT, MPI_LAND, MPI_COMM_WORLD);
    grid g = make_grid(1, size, sequence(0, 1));
    int desc[DLEN_] = {1, g.ctxt, ROWS, size * COLS, ROWS, COLS, 0, 0, ROWS};
    if (everywhere) {
        const int j = size * COLS - PART + 1; /* on the last process */
        for (int c = 0; c < PART; c++)
            for (int r = 0; r < PART && g.col == size - 1; r++)
                local[(size_t)(COLS - PART + c) * ROWS + ROWS - PART + r] = (float)number(r, c);
        Cpsgemr2d(PART, PART, local, ROWS - PART + 1, j, desc, local, ROWS - 3 * PART, COLS - 2 * PART, desc, g.ctxt);
        for (int c = 0; c < PART && g.col == 0; c++)
            for (int r = 0; r < PART; r++)
                if (local[(size_t)(COLS - 2 * PART - 1 + c) * ROWS + ROWS - 3 * PART - 1 + r] != (float)number(r, c))
                    CHECK(!"an element beyond 2^31 is wrong");
        Cpsgemr2d(PART, PART, local, ROWS - 3 * PART, COLS - 2 * PART, desc, local, 1, j, desc, g.ctxt);
        for (int c = 0; c < PART && g.col == size - 1; c++)
            for (int r = 0; r < PART; r++)
                if (local[(size_t)(COLS - PART + c) * ROWS + r] != (float)number(r, c))
                    CHECK(!"an element that comes from beyond 2^31 is wrong");
    } else if (check_rank() == 0) {
        printf("no address space for offsets beyond 2^31: skipped\n");
    }
    free_grid(&g);
    if (possible) munmap(local, bytes);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int size = 0, world = 0;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    Cblacs_get(0, 0, &world);
    grid everybody = make_grid(1, size, sequence(0, 1));
    if (check_rank() == 0) probe_empty();
    probe_grids(size);
    probe_subsets(size);
    probe_overlap(size);
    probe_first_block(size);
    probe_replicated(size);
    probe_huge(size);
    probe_offsets(size);
    free_grid(&everybody);
    scalay_plan_caches_release();
    return check_verdict();
}
