/* Compute routines of an unchanged program: ScaLAPACK's routine and the one that stands in its place, alternately, on
   good and bad layouts. "best" is ScaLAPACK's time on its best grid and block of the same processes. A ratio above 1
   says that the call takes longer with ScaLAY. Usage:
   mpirun -n 2 --bind-to core bench_dropin_compute [gemm|geqrf|getrf|potrf|gesv|posv|gels|syevd|all] [N ...] */

#include "timing.h"

#include <dlfcn.h>
#include <mpi.h>

enum { REPEATS = 5, MAX_REAL = 3 };

void Cblacs_pinfo(int *rank, int *size);
void Cblacs_get(int ctxt, int what, int *value);
void Cblacs_gridinit(int *ctxt, const char *order, int nprow, int npcol);
void Cblacs_gridinfo(int ctxt, int *nprow, int *npcol, int *row, int *col);
void Cblacs_gridexit(int ctxt);
int numroc_(const int *n, const int *nb, const int *iproc, const int *isrcproc, const int *nprocs);
void descinit_(int *desc, const int *m, const int *n, const int *mb, const int *nb, const int *irsrc, const int *icsrc,
               const int *ictxt, const int *lld, int *info);

typedef void any(void);
any pdgemm_, pdgeqrf_, pdgetrf_, pdpotrf_, pdgesv_, pdposv_, pdgels_, pdsyevd_;

typedef void qr(int *, int *, double *, int *, int *, int *, double *, double *, int *, int *);
typedef void lu(int *, int *, double *, int *, int *, int *, int *, int *);
typedef void cholesky(const char *, int *, double *, int *, int *, int *, int *, size_t);
typedef void product(const char *, const char *, int *, int *, int *, double *, double *, int *, int *, int *, double *,
                     int *, int *, int *, double *, double *, int *, int *, int *, size_t, size_t);
typedef void solve(int *, int *, double *, int *, int *, int *, int *, double *, int *, int *, int *, int *);
typedef void definite(const char *, int *, int *, double *, int *, int *, int *, double *, int *, int *, int *, int *,
                      size_t);
typedef void squares(const char *, int *, int *, int *, double *, int *, int *, int *, double *, int *, int *, int *,
                     double *, int *, int *, size_t);
typedef void eigen(const char *, const char *, int *, double *, int *, int *, int *, double *, double *, int *, int *,
                   int *, double *, int *, int *, int *, int *, size_t, size_t);

static const struct {
    const char *name;
    any *ours;
} routines[] = {{"gemm", pdgemm_}, {"geqrf", pdgeqrf_}, {"getrf", pdgetrf_}, {"potrf", pdpotrf_},
                {"gesv", pdgesv_}, {"posv", pdposv_},   {"gels", pdgels_},   {"syevd", pdsyevd_}};

static int rank, ranks;

typedef struct {
    const char *name;
    any *function;
    int n, nb, nprow, npcol, desc[9], lwork, liwork, right_sides;
    size_t elements;
    double *given, *a, *b, *c, *vector, *work;
    int *ipiv, *iwork;
} job;

static double *numbers(size_t count)
{
    double *array = malloc((count + 1) * sizeof *array);
    for (size_t k = 0; k < count; k++) array[k] = rand() / (double)RAND_MAX - 0.5;
    return array;
}

/* One call of a function with the arrays of a job. */
static void call(job *x, any *f)
{
    int one = 1, info = 0, *n = &x->n, *r = &x->right_sides;
    double unit = 1.0;
    if (strcmp(x->name, "gemm") == 0)
        ((product *)f)("N", "N", n, n, n, &unit, x->a, &one, &one, x->desc, x->b, &one, &one, x->desc, &unit, x->c,
                       &one, &one, x->desc, 1, 1);
    else if (strcmp(x->name, "geqrf") == 0)
        ((qr *)f)(n, n, x->a, &one, &one, x->desc, x->vector, x->work, &x->lwork, &info);
    else if (strcmp(x->name, "getrf") == 0)
        ((lu *)f)(n, n, x->a, &one, &one, x->desc, x->ipiv, &info);
    else if (strcmp(x->name, "potrf") == 0)
        ((cholesky *)f)("L", n, x->a, &one, &one, x->desc, &info, 1);
    else if (strcmp(x->name, "gesv") == 0)
        ((solve *)f)(n, r, x->a, &one, &one, x->desc, x->ipiv, x->b, &one, &one, x->desc, &info);
    else if (strcmp(x->name, "posv") == 0)
        ((definite *)f)("L", n, r, x->a, &one, &one, x->desc, x->b, &one, &one, x->desc, &info, 1);
    else if (strcmp(x->name, "gels") == 0)
        ((squares *)f)("N", n, n, r, x->a, &one, &one, x->desc, x->b, &one, &one, x->desc, x->work, &x->lwork, &info,
                       1);
    else
        ((eigen *)f)("V", "L", n, x->a, &one, &one, x->desc, x->vector, x->c, &one, &one, x->desc, x->work, &x->lwork,
                     x->iwork, &x->liwork, &info, 1, 1);
}

static double timed(job *x, any *f)
{
    memcpy(x->a, x->given, x->elements * sizeof *x->a);
    MPI_Barrier(MPI_COMM_WORLD);
    const double began = MPI_Wtime();
    call(x, f);
    double seconds = MPI_Wtime() - began;
    MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return seconds;
}

static void prepare(job *x)
{
    int zero = 0, ctxt, row, col, info;
    Cblacs_get(-1, 0, &ctxt);
    Cblacs_gridinit(&ctxt, "Row", x->nprow, x->npcol);
    Cblacs_gridinfo(ctxt, &x->nprow, &x->npcol, &row, &col);
    const int rows = numroc_(&x->n, &x->nb, &row, &zero, &x->nprow);
    const int cols = numroc_(&x->n, &x->nb, &col, &zero, &x->npcol), lld = rows > 1 ? rows : 1;
    descinit_(x->desc, &x->n, &x->n, &x->nb, &x->nb, &zero, &zero, &ctxt, &lld, &info);
    x->elements = (size_t)rows * (size_t)cols;
    x->right_sides = x->n < 64 ? x->n : 64;
    x->lwork = 4 * x->nb * (rows + cols + 2 * x->nb) + 8 * x->n + 3 * (rows + x->nb) * (cols + x->nb) + 1000;
    x->liwork = 7 * x->n + 8 * x->npcol + 1000;
    x->given = numbers(x->elements);
    x->a = numbers(x->elements);
    x->b = numbers(x->elements);
    x->c = numbers(x->elements);
    x->vector = numbers((size_t)x->n);
    x->work = numbers((size_t)x->lwork);
    x->ipiv = malloc((size_t)(rows + x->nb) * sizeof *x->ipiv);
    x->iwork = malloc((size_t)x->liwork * sizeof *x->iwork);
    for (int j = 0; j < cols; j++) /* diagonally dominant: positive definite for Cholesky */
        for (int i = 0; i < rows; i++)
            if ((i / x->nb * x->nprow + row) * x->nb + i % x->nb == (j / x->nb * x->npcol + col) * x->nb + j % x->nb)
                x->given[i + (size_t)j * (size_t)lld] = x->n;
}

static void finish(job *x)
{
    Cblacs_gridexit(x->desc[1]);
    free(x->iwork);
    free(x->ipiv);
    free(x->work);
    free(x->vector);
    free(x->c);
    free(x->b);
    free(x->a);
    free(x->given);
}

static any *scalapack(const char *name)
{
    char symbol[24];
    any *function = NULL;
    (void)snprintf(symbol, sizeof symbol, "pd%s_", name);
    void *library = dlopen(SCALAPACK_FILE, RTLD_LAZY | RTLD_NOLOAD);
    void *address = library != NULL ? dlsym(library, symbol) : NULL;
    memcpy(&function, &address, sizeof function);
    return function;
}

/* ScaLAPACK's least time over grids and blocks. */
static double best_seconds(const char *name, int n)
{
    const int blocks[] = {32, 64, 128};
    double best = 1e30;
    for (int p = 1; p <= ranks; p++)
        for (int k = 0; k < 3 && ranks % p == 0; k++) {
            job x = {.name = name, .n = n, .nprow = p, .npcol = ranks / p, .nb = blocks[k]};
            double seconds[MAX_REAL];
            prepare(&x);
            for (int r = 0; r < MAX_REAL; r++) seconds[r] = timed(&x, scalapack(name));
            const double median = timing_median(seconds, MAX_REAL);
            if (median < best) best = median;
            finish(&x);
        }
    return best;
}

static void measure(job *x, any *ours, double best)
{
    double theirs_seconds[REPEATS], our_seconds[REPEATS];
    any *theirs = scalapack(x->name);
    prepare(x);
    (void)timed(x, theirs);
    const double first = timed(x, ours);
    for (int r = 0; r < REPEATS; r++) {
        theirs_seconds[r] = timed(x, theirs);
        our_seconds[r] = timed(x, ours);
    }
    const double t = timing_median(theirs_seconds, REPEATS), o = timing_median(our_seconds, REPEATS);
    if (rank == 0)
        printf("pd%-6s %5d %2d x %-2d %5d %10.2f %10.2f %6.2f %6.2f %10.2f %6.2f\n", x->name, x->n, x->nprow, x->npcol,
               x->nb, 1e3 * t, 1e3 * o, o / t, first / t, 1e3 * best, o / best);
    fflush(stdout);
    finish(x);
}

static void measure_layouts(const char *name, any *ours, int n)
{
    const int tall = ranks >= 4 ? 2 : 1, slab = (n + ranks - 1) / ranks, blocks[] = {1, 8, 64};
    const double best = best_seconds(name, n);
    for (int k = 0; k < 3; k++) {
        job x = {.name = name, .n = n, .nprow = tall, .npcol = ranks / tall, .nb = blocks[k]};
        measure(&x, ours, best);
    }
    job columns = {.name = name, .n = n, .nprow = 1, .npcol = ranks, .nb = slab};
    job rows = {.name = name, .n = n, .nprow = ranks, .npcol = 1, .nb = slab};
    measure(&columns, ours, best);
    measure(&rows, ours, best);
}

int main(int argc, char **argv)
{
    const int usual[] = {128, 512, 1024, 2048};
    MPI_Init(&argc, &argv);
    Cblacs_pinfo(&rank, &ranks);
    if (argc > 1 && argv[1][0] == '-') {
        if (rank == 0) printf("usage: mpirun -n 2 %s [ROUTINE|all] [N ...]\n", argv[0]);
        MPI_Finalize();
        return strcmp(argv[1], "--help") == 0 ? 0 : 2;
    }
    const char *wanted = argc > 1 ? argv[1] : "all";
    if (rank == 0)
        printf("%-8s %5s %-7s %5s %10s %10s %6s %6s %10s %6s\n", "routine", "n", "grid", "nb", "theirs ms", "ours ms",
               "ratio", "first", "best ms", "ratio");
    for (size_t r = 0; r < sizeof routines / sizeof *routines; r++) {
        if (strcmp(wanted, "all") != 0 && strcmp(wanted, routines[r].name) != 0) continue;
        for (int k = 2; k < argc; k++) measure_layouts(routines[r].name, routines[r].ours, atoi(argv[k]));
        for (int k = 0; argc <= 2 && k < 4; k++) measure_layouts(routines[r].name, routines[r].ours, usual[k]);
    }
    MPI_Finalize();
    return 0;
}
