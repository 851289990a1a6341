/* Compute routines of an unchanged program: ScaLAPACK's routine and the one that stands in its place, alternately, on
   good and bad layouts. Calls of both alternate (ABBA) until the 95% interval of the median ratio is within 1% of the
   median, or for --seconds (60). "best" is ScaLAPACK's routine on its best grid and block of the same processes, called
   in the same rounds. A ratio above 1 says that the call takes longer with ScaLAY. --warm S: calls of ours for S
   seconds, at most 300, come before, so that those that wait are not counted. --grids prints ScaLAPACK's times on
   all grids and blocks that were tried, and nothing else. --nb N: only the layouts with this block. --right-sides R:
   columns of B in solves (64; p?trsm: N). --dominant: p?getrf and p?gesv interchange no rows. --ops TN: p?gemm
   transposes A, and so on. --overhead: what a small call that goes to ScaLAPACK takes longer, medians of differences.
   --first CALLS: the first calls of shapes, each in a
   new context, over ScaLAPACK's, and the totals of the first 2, 3, ... of them, in blocks of 1 and 64 and in slabs;
   medians of 3 to 9 shapes in --seconds. --shapes 1 --nprow P: one shape on one grid, for the first calls of a process.
   --nb N --nprow P: one layout, without the best one.
   --memory: the most memory that calls in --seconds need besides the arrays of the caller, of the process that needs
   most: arrays of the library, and what the kernel counts with an even share of shared memory (redist_memory.h).
   Parts are bytes of the matrix per process. On 1 x P or --nprow, in blocks of 1 and 64 and in slabs.
   --predicted FILE: ScaLAPACK's times of drivers in each layout beside those that scalay_model_driver() predicts by the
   rates in FILE (scalay calibrate --machine FILE), medians of 3. --peer LIBRARY PREFIX times a peer, too, whose
   routines are named PREFIXpdgemm_ and so on, such as COSMA's. --blas: the peer of pdgemm is a dgemm of each process
   for its part of C, which communicates nothing.
     mpirun -n 2 --bind-to core bench_dropin_compute [--seconds S] [--warm S]
         [--grids | --overhead | --memory | --first CALLS | --predicted FILE]
         [--nb N] [--nprow P] [--shapes K] [--right-sides R] [--ops NN] [--dominant] [--blas | --peer LIBRARY PREFIX]
         [ROUTINE|all] [N ...]
 */

#include "timing.h"

#include <dlfcn.h>
#include <math.h>
#include <mpi.h>

#include "base/memory.h"
#include "redist_memory.h"
#include "scalay/measure.h"
#include "scalay/model.h"

enum { MIN_PAIRS = 8, MAX_WARM = 300, MAX_PAIRS = 2000, TRIES = 3, MAX_RANKS = 1024, SHAPES = 9, MAX_CALLS = 100 };

void Cblacs_pinfo(int *rank, int *size);
void Cblacs_get(int ctxt, int what, int *value);
void Cblacs_gridinit(int *ctxt, const char *order, int nprow, int npcol);
void Cblacs_gridinfo(int ctxt, int *nprow, int *npcol, int *row, int *col);
void Cblacs_gridexit(int ctxt);
int numroc_(const int *n, const int *nb, const int *iproc, const int *isrcproc, const int *nprocs);
void dgemm_(const char *, const char *, const int *, const int *, const int *, const double *, const double *,
            const int *, const double *, const int *, const double *, double *, const int *);
void descinit_(int *desc, const int *m, const int *n, const int *mb, const int *nb, const int *irsrc, const int *icsrc,
               const int *ictxt, const int *lld, int *info);

typedef void any(void);
any pdgemm_, pdgeqrf_, pdgetrf_, pdpotrf_, pdgesv_, pdposv_, pdgels_, pdgetrs_, pdpotrs_, pdtrsm_, pdgetri_, pdpotri_,
    pdormqr_, pdorgqr_, pdsyev_, pdsyevd_, pdgesvd_, pdsyevx_, pdsyevr_, pdsygvx_;

static int rank, ranks;
static int only_nb;     /* 0: all layouts */
static int right_sides; /* 0: 64, and for p?trsm the order */
static int is_dominant;
static int first_calls;          /* of a shape; 0: --first is not given */
static int most_shapes = SHAPES; /* of --first */
static int only_nprow;           /* 0: all grids, with --first 1 and the number of processes */
static double warm_seconds;      /* of --warm */
static int has_blas_peer;
static void *peer_library;
static const char *peer_prefix;

typedef struct routine routine;

/* Arrays of a call. Matrices are n x n; b has right_sides columns in use. */
typedef struct {
    const routine *routine;
    int n, nb, nprow, npcol, desc[9], lwork, liwork, right_sides;
    size_t elements;
    double *given, *given_b, *a, *b, *c, *vector, *work;
    int *ipiv, *iwork, info;
} job;

/* Calls a function with the arrays of a job. */
typedef void caller(job *x, any *function);

struct routine {
    const char *name;
    any *ours;
    caller *call;
};

static int one = 1;
static double unit = 1.0;
static const char *gemm_ops = "NN";

/* The arguments A, IA, JA, DESCA. */
#define MATRIX(array) x->array, &one, &one, x->desc
#define FOUR double *, int *, int *, int *

static void call_gemm(job *x, any *f)
{
    ((void (*)(const char *, const char *, int *, int *, int *, double *, FOUR, FOUR, double *, FOUR))f)(
        gemm_ops, gemm_ops + 1, &x->n, &x->n, &x->n, &unit, MATRIX(a), MATRIX(b), &unit, MATRIX(c));
}

static void call_qr(job *x, any *f)
{
    ((void (*)(int *, int *, FOUR, double *, double *, int *, int *))f)(&x->n, &x->n, MATRIX(a), x->vector, x->work,
                                                                        &x->lwork, &x->info);
}

static void call_lu(job *x, any *f)
{
    ((void (*)(int *, int *, FOUR, int *, int *))f)(&x->n, &x->n, MATRIX(a), x->ipiv, &x->info);
}

static void call_cholesky(job *x, any *f)
{
    ((void (*)(const char *, int *, FOUR, int *))f)("L", &x->n, MATRIX(a), &x->info);
}

static void call_gesv(job *x, any *f)
{
    ((void (*)(int *, int *, FOUR, int *, FOUR, int *))f)(&x->n, &x->right_sides, MATRIX(a), x->ipiv, MATRIX(b),
                                                          &x->info);
}

static void call_posv(job *x, any *f)
{
    ((void (*)(const char *, int *, int *, FOUR, FOUR, int *))f)("L", &x->n, &x->right_sides, MATRIX(a), MATRIX(b),
                                                                 &x->info);
}

static void call_gels(job *x, any *f)
{
    ((void (*)(const char *, int *, int *, int *, FOUR, FOUR, double *, int *, int *))f)(
        "N", &x->n, &x->n, &x->right_sides, MATRIX(a), MATRIX(b), x->work, &x->lwork, &x->info);
}

static void call_getrs(job *x, any *f)
{
    ((void (*)(const char *, int *, int *, FOUR, int *, FOUR, int *))f)("N", &x->n, &x->right_sides, MATRIX(a), x->ipiv,
                                                                        MATRIX(b), &x->info);
}

static void call_trsm(job *x, any *f)
{
    ((void (*)(const char *, const char *, const char *, const char *, int *, int *, double *, FOUR, FOUR))f)(
        "L", "L", "N", "N", &x->n, &x->right_sides, &unit, MATRIX(a), MATRIX(b));
}

static void call_getri(job *x, any *f)
{
    ((void (*)(int *, FOUR, int *, double *, int *, int *, int *, int *))f)(&x->n, MATRIX(a), x->ipiv, x->work,
                                                                            &x->lwork, x->iwork, &x->liwork, &x->info);
}

static void call_ormqr(job *x, any *f)
{
    ((void (*)(const char *, const char *, int *, int *, int *, FOUR, double *, FOUR, double *, int *, int *))f)(
        "L", "T", &x->n, &x->n, &x->n, MATRIX(a), x->vector, MATRIX(b), x->work, &x->lwork, &x->info);
}

static void call_orgqr(job *x, any *f)
{
    ((void (*)(int *, int *, int *, FOUR, double *, double *, int *, int *))f)(&x->n, &x->n, &x->n, MATRIX(a),
                                                                               x->vector, x->work, &x->lwork, &x->info);
}

static void call_syev(job *x, any *f)
{
    ((void (*)(const char *, const char *, int *, FOUR, double *, FOUR, double *, int *, int *))f)(
        "V", "L", &x->n, MATRIX(a), x->vector, MATRIX(c), x->work, &x->lwork, &x->info);
}

static void call_syevd(job *x, any *f)
{
    ((void (*)(const char *, const char *, int *, FOUR, double *, FOUR, double *, int *, int *, int *, int *))f)(
        "V", "L", &x->n, MATRIX(a), x->vector, MATRIX(c), x->work, &x->lwork, x->iwork, &x->liwork, &x->info);
}

/* A quarter of the vectors, as in electronic structure. */
static void call_syevx(job *x, any *f)
{
    int first = 1, last = (x->n + 3) / 4, found = 0, clusters[2 * MAX_RANKS];
    double zero = 0.0, orfac = -1.0, gaps[MAX_RANKS];
    ((void (*)(const char *, const char *, const char *, int *, FOUR, double *, double *, int *, int *, double *, int *,
               int *, double *, double *, FOUR, double *, int *, int *, int *, int *, int *, double *, int *))f)(
        "V", "I", "L", &x->n, MATRIX(a), &zero, &zero, &first, &last, &zero, &found, &found, x->vector, &orfac,
        MATRIX(c), x->work, &x->lwork, x->iwork, &x->liwork, x->ipiv, clusters, gaps, &x->info);
}

static void call_syevr(job *x, any *f)
{
    int first = 1, last = x->n, found = 0;
    double zero = 0.0;
    ((void (*)(const char *, const char *, const char *, int *, FOUR, double *, double *, int *, int *, int *, int *,
               double *, FOUR, double *, int *, int *, int *, int *))f)(
        "V", "A", "L", &x->n, MATRIX(a), &zero, &zero, &first, &last, &found, &found, x->vector, MATRIX(c), x->work,
        &x->lwork, x->iwork, &x->liwork, &x->info);
}

/* A quarter of the vectors. */
static void call_sygvx(job *x, any *f)
{
    int type = 1, first = 1, last = (x->n + 3) / 4, found = 0, clusters[2 * MAX_RANKS];
    double zero = 0.0, orfac = -1.0, gaps[MAX_RANKS];
    ((void (*)(int *, const char *, const char *, const char *, int *, FOUR, FOUR, double *, double *, int *, int *,
               double *, int *, int *, double *, double *, FOUR, double *, int *, int *, int *, int *, int *, double *,
               int *))f)(&type, "V", "I", "L", &x->n, MATRIX(a), MATRIX(b), &zero, &zero, &first, &last, &zero, &found,
                         &found, x->vector, &orfac, MATRIX(c), x->work, &x->lwork, x->iwork, &x->liwork, x->ipiv,
                         clusters, gaps, &x->info);
}

static void call_gesvd(job *x, any *f)
{
    ((void (*)(const char *, const char *, int *, int *, FOUR, double *, FOUR, FOUR, double *, int *, int *))f)(
        "V", "V", &x->n, &x->n, MATRIX(a), x->vector, MATRIX(b), MATRIX(c), x->work, &x->lwork, &x->info);
}

static const routine routines[] = {
    {"gemm", pdgemm_, call_gemm},       {"geqrf", pdgeqrf_, call_qr},    {"getrf", pdgetrf_, call_lu},
    {"potrf", pdpotrf_, call_cholesky}, {"gesv", pdgesv_, call_gesv},    {"posv", pdposv_, call_posv},
    {"gels", pdgels_, call_gels},       {"getrs", pdgetrs_, call_getrs}, {"potrs", pdpotrs_, call_posv},
    {"trsm", pdtrsm_, call_trsm},       {"getri", pdgetri_, call_getri}, {"potri", pdpotri_, call_cholesky},
    {"ormqr", pdormqr_, call_ormqr},    {"orgqr", pdorgqr_, call_orgqr}, {"syev", pdsyev_, call_syev},
    {"syevd", pdsyevd_, call_syevd},    {"gesvd", pdgesvd_, call_gesvd}, {"syevx", pdsyevx_, call_syevx},
    {"syevr", pdsyevr_, call_syevr},    {"sygvx", pdsygvx_, call_sygvx},
};

enum { ROUTINES = sizeof routines / sizeof *routines };

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

static double *numbers(size_t count)
{
    double *array = malloc((count + 1) * sizeof *array);
    for (size_t k = 0; k < count; k++) array[k] = rand() / (double)RAND_MAX - 0.5;
    return array;
}

/* C += A B for the part of C of this process: as many flops as in pdgemm, with all of A and B that they need at hand.
 */
static void call_blas(job *x, any *f)
{
    static double *left, *right;
    static size_t known;
    int zero = 0, nprow, npcol, row, col;
    (void)f;
    Cblacs_gridinfo(x->desc[1], &nprow, &npcol, &row, &col);
    const int rows = numroc_(&x->n, &x->nb, &row, &zero, &nprow), cols = numroc_(&x->n, &x->nb, &col, &zero, &npcol);
    const size_t needed = (size_t)x->n * (size_t)x->n;
    if (known < needed) {
        free(left);
        free(right);
        left = numbers(needed);
        right = numbers(needed);
        known = needed;
    }
    dgemm_("N", "N", &rows, &cols, &x->n, &unit, left, &rows, right, &x->n, &unit, x->c, &x->desc[8]);
}

/* The routine of the peer; NULL: there is none. */
static any *peer_of(const char *name)
{
    char symbol[80];
    any *function = NULL;
    if (has_blas_peer && strcmp(name, "gemm") == 0) return pdgemm_;
    if (peer_library == NULL) return NULL;
    (void)snprintf(symbol, sizeof symbol, "%spd%s_", peer_prefix, name);
    void *address = dlsym(peer_library, symbol);
    memcpy(&function, &address, sizeof function);
    return function;
}

static double timed_call(job *x, caller *call, any *f)
{
    memcpy(x->a, x->given, x->elements * sizeof *x->a);
    memcpy(x->b, x->given_b, x->elements * sizeof *x->b);
    MPI_Barrier(MPI_COMM_WORLD);
    const double began = MPI_Wtime();
    call(x, f);
    double seconds = MPI_Wtime() - began;
    MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return seconds;
}

static double timed(job *x, any *f)
{
    return timed_call(x, x->routine->call, f);
}

/* Returns a row that row `row` of n is interchanged with, 1-based: a random one that is not above it. */
static int pivot_of(int row, int n)
{
    const unsigned mixed = ((unsigned)row + 1U) * 2654435761U;
    return row + 1 + (int)((mixed >> 8) % (unsigned)(n - row));
}

/* Fills the matrices. p?getrf and p?gesv get a random matrix, whose rows are interchanged, unless --dominant is given.
 * For the other routines the diagonal dominates, so that A is positive definite, and a good factor. */
static void fill(job *x, int rows, int cols, int row, int col)
{
    const int interchanges = !is_dominant && (x->routine->call == call_lu || x->routine->call == call_gesv);
    for (int i = 0; i < rows; i++) {
        const int global = (i / x->nb * x->nprow + row) * x->nb + i % x->nb;
        x->ipiv[i] = is_dominant ? global + 1 : pivot_of(global, x->n);
    }
    for (int j = 0; j < cols && !interchanges; j++)
        for (int i = 0; i < rows; i++)
            if ((i / x->nb * x->nprow + row) * x->nb + i % x->nb == (j / x->nb * x->npcol + col) * x->nb + j % x->nb)
                x->given[(size_t)i + (size_t)j * (size_t)x->desc[8]] = x->n;
    for (size_t k = 0; k < x->elements && x->routine->call == call_sygvx; k++)
        if (x->given[k] == x->n) x->given_b[k] = x->n;   /* B is positive definite, too */
    for (int k = 0; k < x->n; k++) x->vector[k] *= 1e-6; /* TAU of p?ormqr: nearly the identity */
}

/* Creates the workspaces that ScaLAPACK asks for. */
static void query(job *x)
{
    x->work = numbers(100);
    x->iwork = calloc(100, sizeof *x->iwork);
    x->lwork = x->liwork = -1;
    caller *const with_work[] = {call_qr,    call_gels,  call_getri, call_ormqr, call_orgqr, call_syev,
                                 call_syevd, call_gesvd, call_syevx, call_syevr, call_sygvx};
    int has_work = 0;
    for (size_t k = 0; k < sizeof with_work / sizeof *with_work; k++) has_work |= x->routine->call == with_work[k];
    if (!has_work) return;
    x->routine->call(x, scalapack(x->routine->name));
    x->lwork = (int)x->work[0] + 8 * x->n; /* p?syev and p?gesvd ask for too little on some grids */
    x->liwork = x->iwork[0] + 8 * x->n;
    free(x->work);
    free(x->iwork);
    x->work = numbers((size_t)x->lwork);
    x->iwork = calloc((size_t)x->liwork, sizeof *x->iwork);
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
    const int usual = x->routine->call == call_trsm ? x->n : 64, wanted = right_sides > 0 ? right_sides : usual;
    x->right_sides = x->n < wanted ? x->n : wanted;
    x->given = numbers(x->elements);
    x->given_b = numbers(x->elements);
    x->a = numbers(x->elements);
    x->b = numbers(x->elements);
    x->c = numbers(x->elements);
    x->vector = numbers((size_t)x->n + 1);
    x->ipiv = calloc((size_t)(x->n + x->nb), sizeof *x->ipiv); /* IFAIL of p?syevx has n entries */
    fill(x, rows, cols, row, col);
    query(x);
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
    free(x->given_b);
    free(x->given);
}

/* The grid and block on which ScaLAPACK is fastest. */
static job find_best(const routine *r, int n, int prints)
{
    const int blocks[] = {16, 32, 64, 128};
    job best = {.routine = r, .n = n};
    double least = 1e30;
    for (int p = 1; p <= ranks; p++)
        for (int k = 0; k < 4 && ranks % p == 0; k++) {
            job x = {.routine = r, .n = n, .nprow = p, .npcol = ranks / p, .nb = blocks[k]};
            double seconds[TRIES];
            if (x.nb * (p > x.npcol ? p : x.npcol) > n) continue;
            prepare(&x);
            for (int t = 0; t < TRIES; t++) seconds[t] = timed(&x, scalapack(r->name));
            finish(&x);
            const double median = timing_median(seconds, TRIES);
            if (rank == 0 && prints)
                printf("pd%-6s %5d %2d x %-2d %5d %10.2f\n", r->name, n, x.nprow, x.npcol, x.nb, 1e3 * median);
            if (median >= least) continue;
            least = median;
            best = (job){.routine = r, .n = n, .nprow = x.nprow, .npcol = x.npcol, .nb = x.nb};
        }
    return best;
}

/* Order statistics of the 95% interval of a median of `count` sorted values: ranks of a binomial distribution. */
static int interval_of(int count)
{
    const int low = (int)floor(0.5 * (count - 1.96 * sqrt(count)));
    return low > 0 ? low : 0;
}

/* Whether the interval of the ratios is narrow. Rank 0 decides. */
static int is_enough(const double *ratio, int count, double seconds_left)
{
    static double sorted[MAX_PAIRS];
    memcpy(sorted, ratio, (size_t)count * sizeof *ratio);
    const double median = timing_median(sorted, count);
    const int low = interval_of(count);
    int ends = count >= 6 && sorted[count - 1 - low] < 1.01 * median && sorted[low] > 0.99 * median;
    ends |= seconds_left < 0.0 || count == MAX_PAIRS;
    MPI_Bcast(&ends, 1, MPI_INT, 0, MPI_COMM_WORLD);
    return ends;
}

/* Whether rank 0 has still time. */
static int has_time(double end)
{
    int has = MPI_Wtime() < end;
    MPI_Bcast(&has, 1, MPI_INT, 0, MPI_COMM_WORLD);
    return has;
}

static void measure(job *x, job *best, double limit)
{
    static double theirs[MAX_PAIRS], ours[MAX_PAIRS], least[MAX_PAIRS], ratio[MAX_PAIRS], over_best[MAX_PAIRS];
    static double peers[MAX_PAIRS], over_peer[MAX_PAIRS], theirs_over_peer[MAX_PAIRS];
    any *stock = scalapack(x->routine->name), *peer = peer_of(x->routine->name);
    if (only_nb > 0 && x->nb != only_nb) return;
    prepare(x);
    const double warm = timed(x, stock), first = timed(x, x->routine->ours);
    const double end = MPI_Wtime() + warm_seconds;
    for (int calls = 0; calls < MAX_WARM && has_time(end); calls++) (void)timed(x, x->routine->ours);
    const double began = MPI_Wtime();
    int count = 0;
    do {
        if (count % 2 == 0) theirs[count] = timed(x, stock);
        ours[count] = timed(x, x->routine->ours);
        if (count % 2 == 1) theirs[count] = timed(x, stock);
        least[count] = timed(best, stock);
        peers[count] = peer != NULL ? timed_call(x, has_blas_peer ? call_blas : x->routine->call, peer) : 1.0;
        over_peer[count] = ours[count] / peers[count];
        theirs_over_peer[count] = theirs[count] / peers[count];
        ratio[count] = ours[count] / theirs[count];
        over_best[count] = ours[count] / least[count];
        count++;
    } while (count < MIN_PAIRS || !is_enough(ratio, count, limit - (MPI_Wtime() - began)));
    const int low = interval_of(count), middle = count / 2;
    timing_median(ratio, count);
    timing_median(over_best, count);
    timing_median(over_peer, count);
    timing_median(theirs_over_peer, count);
    if (rank == 0)
        printf("pd%-6s %5d %2d x %-2d %5d %9.2f %9.2f %6.3f [%.3f, %.3f] %5d %6.2f %9.2f %6.2f  %d x %d, %d\n",
               x->routine->name, x->n, x->nprow, x->npcol, x->nb, 1e3 * timing_median(theirs, count),
               1e3 * timing_median(ours, count), ratio[middle], ratio[low], ratio[count - 1 - low], count, first / warm,
               1e3 * timing_median(least, count), over_best[middle], best->nprow, best->npcol, best->nb);
    if (rank == 0 && peer != NULL)
        printf("   the peer takes %.2f ms; ours over the peer's %.3f [%.3f, %.3f], theirs %.3f\n",
               1e3 * timing_median(peers, count), over_peer[middle], over_peer[low], over_peer[count - 1 - low],
               theirs_over_peer[middle]);
    fflush(stdout);
    finish(x);
}

static void measure_layouts(const routine *r, int n, double limit, int only_grids)
{
    const int tall = ranks >= 4 ? 2 : 1, slab = (n + ranks - 1) / ranks, blocks[] = {1, 8, 64};
    job given = {
        .routine = r, .n = n, .nprow = only_nprow, .npcol = only_nprow > 0 ? ranks / only_nprow : 0, .nb = only_nb};
    const int is_given = only_nprow > 0 && only_nb > 0;
    job best = is_given ? given : find_best(r, n, only_grids);
    if (only_grids) return;
    prepare(&best);
    if (is_given) {
        measure(&given, &best, limit);
        finish(&best);
        return;
    }
    for (int k = 0; k < 3; k++) {
        job x = {.routine = r, .n = n, .nprow = tall, .npcol = ranks / tall, .nb = blocks[k]};
        measure(&x, &best, limit);
        job column = {.routine = r, .n = n, .nprow = ranks, .npcol = 1, .nb = blocks[k]};
        measure(&column, &best, limit);
    }
    job same = {.routine = r, .n = n, .nprow = best.nprow, .npcol = best.npcol, .nb = best.nb};
    job columns = {.routine = r, .n = n, .nprow = 1, .npcol = ranks, .nb = slab};
    job rows = {.routine = r, .n = n, .nprow = ranks, .npcol = 1, .nb = slab};
    measure(&same, &best, limit);
    measure(&columns, &best, limit);
    measure(&rows, &best, limit);
    finish(&best);
}

/* Times of the first calls of one shape, in a new context; ScaLAPACK's routine and ours alternately. */
static void time_first(job x, double *theirs, double *ours)
{
    prepare(&x);
    (void)timed(&x, scalapack(x.routine->name));
    for (int c = 0; c < first_calls; c++) {
        theirs[c] = timed(&x, scalapack(x.routine->name));
        ours[c] = timed(&x, x.routine->ours);
    }
    finish(&x);
}

/* The median over the shapes of the times of calls first .. last over ScaLAPACK's. */
static double ratio_of_calls(int shapes, double theirs[][MAX_CALLS], double ours[][MAX_CALLS], int first, int last)
{
    double ratio[SHAPES];
    for (int s = 0; s < shapes; s++) {
        double sum[2] = {0.0, 0.0};
        for (int c = first; c <= last; c++) {
            sum[0] += theirs[s][c];
            sum[1] += ours[s][c];
        }
        ratio[s] = sum[1] / sum[0];
    }
    return timing_median(ratio, shapes);
}

/* Prints the first calls of shapes: orders n, n - 8, ... in blocks of nb; 0: slabs. */
static void measure_first(const routine *r, int n, int nb, double limit)
{
    enum { STEP = 8 };
    static double theirs[SHAPES][MAX_CALLS], ours[SHAPES][MAX_CALLS];
    if (only_nb > 0 && only_nb != (nb > 0 ? nb : (n + ranks - 1) / ranks)) return;
    for (int p = 1; p <= ranks; p += ranks > 1 ? ranks - 1 : 1) {
        if (only_nprow > 0 && only_nprow != p) continue;
        const double end = MPI_Wtime() + limit;
        double first[SHAPES];
        int count = 0;
        for (; count < most_shapes && (count < TRIES || has_time(end)); count++) {
            const int order = n - STEP * count, slab = (order + ranks - 1) / ranks;
            time_first((job){.routine = r, .n = order, .nb = nb > 0 ? nb : slab, .nprow = p, .npcol = ranks / p},
                       theirs[count], ours[count]);
            first[count] = theirs[count][0];
        }
        if (rank != 0) continue;
        printf("pd%-6s %5d %2d x %-2d %5d: %d shapes, theirs %8.2f ms  calls", r->name, n, p, ranks / p,
               nb > 0 ? nb : (n + ranks - 1) / ranks, count, 1e3 * timing_median(first, count));
        for (int c = 0; c < first_calls; c++) printf(" %5.2f", ratio_of_calls(count, theirs, ours, c, c));
        printf("  total");
        for (int c = 1; c < first_calls; c++) printf(" %5.2f", ratio_of_calls(count, theirs, ours, 0, c));
        printf("\n");
        fflush(stdout);
    }
}

/* The kernel's bytes of calls until `end`, at least one, of the process that needs most; -1: unknown. */
static double memory_of_calls(job *x, any *f, double end, int *calls)
{
    const memory_mark mark = memory_start();
    *calls = 0;
    do {
        (void)timed(x, f);
        ++*calls;
    } while (has_time(end));
    return memory_peak(MPI_COMM_WORLD, mark);
}

/* Prints the memory of repeated calls in blocks of nb; 0: slabs. The first call creates ScaLAPACK's buffers. */
static void measure_memory(const routine *r, int n, int nb, double limit)
{
    const int slab = (n + ranks - 1) / ranks, nprow = only_nprow > 0 ? only_nprow : 1;
    const double part = 8.0 * n * n / ranks;
    job x = {.routine = r, .n = n, .nb = nb > 0 ? nb : slab, .nprow = nprow, .npcol = ranks / nprow};
    int calls;
    if (only_nb > 0 && only_nb != x.nb) return;
    prepare(&x);
    (void)timed(&x, scalapack(r->name));
    const double theirs = memory_of_calls(&x, scalapack(r->name), 0.0, &calls);
    const int64_t before = scalay_memory_bytes();
    scalay_memory_reset_peak();
    const double ours = memory_of_calls(&x, r->ours, MPI_Wtime() + limit, &calls);
    double arrays = (double)(scalay_memory_peak() - before);
    MPI_Allreduce(MPI_IN_PLACE, &arrays, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    finish(&x);
    if (rank == 0)
        printf("pd%-6s %5d %2d x %-2d %5d  a part %6.2f MiB  theirs %5.2f parts  ours %5.2f  arrays %5.2f  calls %5d\n",
               r->name, n, x.nprow, x.npcol, x.nb, part / 1048576.0, theirs / part, ours / part, arrays / part, calls);
    fflush(stdout);
}

/* Prints what a call of a small well-placed problem takes longer than ScaLAPACK's routine. */
static void measure_overhead(const routine *r, int n)
{
    static double theirs[MAX_PAIRS], ours[MAX_PAIRS], more[MAX_PAIRS];
    job x = {.routine = r, .n = n, .nprow = 1, .npcol = ranks, .nb = n < 32 ? 4 : 16};
    any *stock = scalapack(r->name);
    prepare(&x);
    for (int k = 0; k < MAX_PAIRS; k++) {
        if (k % 2 == 0) theirs[k] = timed(&x, stock);
        ours[k] = timed(&x, r->ours);
        if (k % 2 == 1) theirs[k] = timed(&x, stock);
        more[k] = ours[k] - theirs[k];
    }
    finish(&x);
    const double median = 1e6 * timing_median(more, MAX_PAIRS);
    if (rank == 0)
        printf("pd%-6s %5d  theirs %8.2f us  ours %8.2f us  difference %5.2f us\n", r->name, n,
               1e6 * timing_median(theirs, MAX_PAIRS), 1e6 * timing_median(ours, MAX_PAIRS), median);
}

/* The driver that a routine is predicted as; -1: none. */
static int driver_of(const routine *r)
{
    static const char *const names[] = {"getri", "syev", "syevd", "syevr", "syevx", "sygvx", "gesvd"};
    for (int k = SCALAY_DRIVER_GETRI; k <= SCALAY_DRIVER_GESVD; k++)
        if (strcmp(names[k], r->name) == 0) return k;
    return -1;
}

/* Prints ScaLAPACK's time in a layout, and the predicted one. */
static void compare_prediction(const scalay_machine *machine, job x)
{
    const int driver = driver_of(x.routine),
              has_quarter = driver == SCALAY_DRIVER_SYEVX || driver == SCALAY_DRIVER_SYGVX;
    double seconds[TRIES];
    prepare(&x);
    for (int t = 0; t < TRIES; t++) seconds[t] = timed(&x, scalapack(x.routine->name));
    finish(&x);
    const double median = timing_median(seconds, TRIES);
    const double predicted = scalay_model_driver(machine, (scalay_driver)driver, SCALAY_DOUBLE, x.n, x.n,
                                                 has_quarter ? (x.n + 3) / 4 : x.n, x.nprow, x.npcol, x.nb);
    if (rank == 0)
        printf("pd%-6s %5d %2d x %-2d %5d  theirs %9.2f ms  predicted %9.2f ms  ratio %5.2f\n", x.routine->name, x.n,
               x.nprow, x.npcol, x.nb, 1e3 * median, 1e3 * predicted, predicted / median);
    fflush(stdout);
}

/* Reads the rates of --predicted. Returns 0 if there are none. */
static int read_rates(const char *path, scalay_machine *machine)
{
    scalay_calibration_options options = scalay_calibration_options_default();
    options.path = path;
    return scalay_machine_read(0, &options, machine) == SCALAY_SUCCESS;
}

static void compare_predictions(const routine *r, int n, const scalay_machine *machine)
{
    const int slab = (n + ranks - 1) / ranks, blocks[] = {64, 32, 8, 1, slab};
    if (driver_of(r) < 0) return;
    for (int k = 0; k < 5; k++)
        for (int nprow = 1; nprow <= ranks; nprow++)
            if (ranks % nprow == 0)
                compare_prediction(
                    machine, (job){.routine = r, .n = n, .nprow = nprow, .npcol = ranks / nprow, .nb = blocks[k]});
}

static void print_head(void)
{
    if (rank == 0)
        printf("%-8s %5s %-7s %5s %9s %9s %6s %-14s %5s %6s %9s %6s\n", "routine", "n", "grid", "nb", "theirs ms",
               "ours ms", "ratio", "95% interval", "pairs", "first", "best ms", "ratio");
}

static int help(const char *program, int code)
{
    if (rank == 0)
        printf("usage: mpirun -n 2 %s [--seconds S] [--warm S] [--grids | --overhead | --memory | --first CALLS | "
               "--predicted FILE] "
               "[--nb N] [--nprow P] [--shapes K] [--right-sides R] [--ops NN] [--dominant] "
               "[--blas | --peer LIBRARY PREFIX] [ROUTINE|all] [N ...]\n",
               program);
    MPI_Finalize();
    return code;
}

int main(int argc, char **argv)
{
    const int usual[] = {128, 512, 1024, 2048}, first_blocks[] = {1, 64, 0};
    double limit = 60.0;
    int only_grids = 0, only_overhead = 0, only_memory = 0, predicts = 0, at = 1;
    scalay_machine machine;
    MPI_Init(&argc, &argv);
    Cblacs_pinfo(&rank, &ranks);
    srand((unsigned)rank + 1); /* equal columns on two processes would make a singular matrix */
    for (; at < argc && argv[at][0] == '-'; at++) {
        if (strcmp(argv[at], "--seconds") == 0 && at + 1 < argc)
            limit = atof(argv[++at]);
        else if (strcmp(argv[at], "--grids") == 0)
            only_grids = 1;
        else if (strcmp(argv[at], "--warm") == 0 && at + 1 < argc)
            warm_seconds = atof(argv[++at]);
        else if (strcmp(argv[at], "--overhead") == 0)
            only_overhead = 1;
        else if (strcmp(argv[at], "--memory") == 0)
            only_memory = 1;
        else if (strcmp(argv[at], "--first") == 0 && at + 1 < argc) {
            first_calls = atoi(argv[++at]);
            if (first_calls < 1 || first_calls > MAX_CALLS) return help(argv[0], 2);
        } else if (strcmp(argv[at], "--shapes") == 0 && at + 1 < argc) {
            most_shapes = atoi(argv[++at]);
            if (most_shapes < 1 || most_shapes > SHAPES) return help(argv[0], 2);
        } else if (strcmp(argv[at], "--nprow") == 0 && at + 1 < argc)
            only_nprow = atoi(argv[++at]);
        else if (strcmp(argv[at], "--dominant") == 0)
            is_dominant = 1;
        else if (strcmp(argv[at], "--ops") == 0 && at + 1 < argc) {
            gemm_ops = argv[++at];
            if (strlen(gemm_ops) != 2 || strspn(gemm_ops, "NT") != 2) return help(argv[0], 2);
        } else if (strcmp(argv[at], "--predicted") == 0 && at + 1 < argc) {
            predicts = read_rates(argv[++at], &machine);
            if (!predicts) return help(scalay_error_message(), 2);
        } else if (strcmp(argv[at], "--blas") == 0)
            has_blas_peer = 1;
        else if (strcmp(argv[at], "--nb") == 0 && at + 1 < argc)
            only_nb = atoi(argv[++at]);
        else if (strcmp(argv[at], "--right-sides") == 0 && at + 1 < argc)
            right_sides = atoi(argv[++at]);
        else if (strcmp(argv[at], "--peer") == 0 && at + 2 < argc) {
            peer_library = dlopen(argv[++at], RTLD_NOW | RTLD_LOCAL);
            peer_prefix = argv[++at];
            if (peer_library == NULL) return help(dlerror(), 2);
        } else
            return help(argv[0], strcmp(argv[at], "--help") == 0 ? 0 : 2);
    }
    const char *wanted = at < argc ? argv[at++] : "all";
    if (!only_grids && !only_overhead && !only_memory && !first_calls && !predicts) print_head();
    for (int r = 0; r < ROUTINES; r++) {
        if (strcmp(wanted, "all") != 0 && strcmp(wanted, routines[r].name) != 0) continue;
        for (int k = at; k < argc && only_overhead; k++) measure_overhead(&routines[r], atoi(argv[k]));
        for (int k = at; k < argc && (first_calls || only_memory); k++)
            for (int b = 0; b < 3; b++)
                (only_memory ? measure_memory : measure_first)(&routines[r], atoi(argv[k]), first_blocks[b], limit);
        for (int k = at; k < argc && predicts; k++) compare_predictions(&routines[r], atoi(argv[k]), &machine);
        if (only_overhead || only_memory || first_calls || predicts) continue;
        for (int k = at; k < argc; k++) measure_layouts(&routines[r], atoi(argv[k]), limit, only_grids);
        for (int k = 0; argc == at && k < 4; k++) measure_layouts(&routines[r], usual[k], limit, only_grids);
    }
    MPI_Finalize();
    return 0;
}
