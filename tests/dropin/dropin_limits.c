/*
 * Limits and agreement of compute routines under ScaLAPACK's names:
 *   - if one process may not take the memory of a move, or if its allocations fail, all processes stay, and the results
 * are ScaLAPACK's bit by bit;
 *   - a move takes at most the part of the matrix on the target and a quarter of the local matrix;
 *   - a call that has stayed often makes no reduction of ours;
 *   - different arguments of the processes are found in every call.
 *
 * dropin_limits memory|malloc|peak|peak-lu|stays|differ
 */
#include <stdio.h>
#include <sys/resource.h>

#include "collectives.h"
#include "dropin/compute.h"
#include "dropin/plan_cache.h"
#include "operands.h"
#include "support/check.h"

any_function pdgesv_, pdgetrf_;

typedef void lu_function(const int *, const int *, void *, const int *, const int *, const int *, int *, int *);
typedef void solve_function(const int *, const int *, void *, const int *, const int *, const int *, int *, void *,
                            const int *, const int *, const int *, int *);

enum { DOUBLE = 1, RIGHT_SIDES = 20 };

/* The calls of a routine that were answered. */
static int answered(const char *name)
{
    const scalay_compute_routine *r = scalay_compute_routines();
    while (r != NULL && strcmp(r->name, name) != 0) r = r->older;
    return r != NULL ? (int)r->answered : 0;
}

static void solve(any_function *f, operand *a, operand *b, int *ipiv)
{
    int info = -1;
    ((solve_function *)f)(&a->n, &b->n, a->data, &a->i, &a->j, a->desc, ipiv, b->data, &b->i, &b->j, b->desc, &info);
    CHECK(info == 0);
}

static void factor(any_function *f, operand *a, int *ipiv)
{
    int info = -1;
    ((lu_function *)f)(&a->m, &a->n, a->data, &a->i, &a->j, a->desc, ipiv, &info);
    CHECK(info == 0);
}

/* A field of /proc/self/status, in bytes. */
static double status_of(const char *field)
{
    char line[200];
    double bytes = 0.0;
    FILE *file = fopen("/proc/self/status", "r");
    while (file != NULL && fgets(line, sizeof line, file) != NULL)
        if (strncmp(line, field, strlen(field)) == 0) bytes = 1024.0 * strtod(line + strlen(field), NULL);
    if (file != NULL) (void)fclose(file);
    return bytes;
}

/* Limits the address space of this process to what it has and less than a copy of a matrix of order 1600 needs on 3
 * processes; or no longer. MPI needs some of it for messages that arrive early: Open MPI crashes without memory. */
static void limit_memory(int is_limited)
{
    struct rlimit limit;
    const double slack = 5 << 20;
    getrlimit(RLIMIT_AS, &limit);
    limit.rlim_cur = is_limited ? (rlim_t)(status_of("VmSize:") + slack) : limit.rlim_max;
    setrlimit(RLIMIT_AS, &limit);
}

/* Drivers, and factorisations if there are two routines, of order n on blocks of 1, which would move, beside
 * ScaLAPACK's. is_limited: allocations of this process fail. */
static void stay_if_one_has_no_memory(const grid *g, int routines, int n, int is_limited)
{
    const int sources[2] = {0, 0};
    int *ipiv = calloc((size_t)n + 100, sizeof *ipiv);
    for (int routine = 0; routine < routines; routine++) {
        operand a[2], b[2];
        for (int k = 1; k >= 0; k--) { /* first ScaLAPACK, so that the BLAS have their buffers */
            a[k] = placed_operand(g, DOUBLE, n, n, 1, 0, sources, 1);
            b[k] = placed_operand(g, DOUBLE, n, RIGHT_SIDES, 1, 0, sources, 0);
            if (k == 0 && is_limited) limit_memory(1);
            if (routine == 0) solve(k == 0 ? pdgesv_ : stock_function("pdgesv_"), &a[k], &b[k], ipiv);
            if (routine == 1) factor(k == 0 ? pdgetrf_ : stock_function("pdgetrf_"), &a[k], ipiv);
            if (is_limited) limit_memory(0);
        }
        CHECK(memcmp(a[0].data, a[1].data, (a[0].elements + GUARD) * sizeof(double)) == 0);
        CHECK(memcmp(b[0].data, b[1].data, (b[0].elements + GUARD) * sizeof(double)) == 0);
        for (int k = 0; k < 2; k++) {
            free(a[k].data);
            free(b[k].data);
        }
    }
    CHECK(answered("pdgesv") == 0 && answered("pdgetrf") == 0);
    free(ipiv);
}

/* Starts the peak of the resident memory anew. */
static void reset_peak(void)
{
    FILE *file = fopen("/proc/self/clear_refs", "w");
    if (file == NULL) return;
    (void)fputs("5", file);
    (void)fclose(file);
}

/* The second call, so that libraries have their own memory. Four MiB are for these and for the ends of huge pages. */
static void memory_is_bounded(const grid *g, const char *name)
{
    const int n = 2000, sources[2] = {0, 0}, is_lu = strcmp(name, "pdgetrf") == 0;
    int *ipiv = calloc((size_t)n + 100, sizeof *ipiv);
    double more = 0.0;
    const double part = (double)n * n * sizeof(double) / (g->p * g->q), slack = 4 << 20;
    for (int k = 0; k < 2; k++) {
        operand a = placed_operand(g, DOUBLE, n, n, 1, 0, sources, 1);
        operand b = placed_operand(g, DOUBLE, n, RIGHT_SIDES, 1, 0, sources, 0);
        reset_peak();
        const double before = status_of("VmRSS:");
        if (is_lu)
            factor(pdgetrf_, &a, ipiv);
        else
            solve(pdgesv_, &a, &b, ipiv);
        more = status_of("VmHWM:") - before;
        free(a.data);
        free(b.data);
    }
    CHECK(answered(name) == 2);
    if (!CHECK(more <= 1.25 * part + slack))
        fprintf(stderr, "%s: %.1f MiB besides the matrix, its part is %.1f MiB\n", name, more / (1 << 20),
                part / (1 << 20));
    free(ipiv);
}

/* Calls wait, one is decided, and its decision is kept. The first and the last make as many collective calls as
 * ScaLAPACK's routine. */
static void stays_are_kept(const grid *g)
{
    const int sources[2] = {0, 0}, calls = 150;
    int *ipiv = calloc(1000, sizeof *ipiv), before = 0, ours = 0, first = 0, most = 0;
    for (int k = 0; k <= calls; k++) {
        operand a = placed_operand(g, DOUBLE, 400, 400, 32, 0, sources, 1);
        before = collectives;
        factor(k < calls ? pdgetrf_ : stock_function("pdgetrf_"), &a, ipiv);
        if (k == 0) first = collectives - before;
        if (collectives - before > most) most = collectives - before;
        if (k == calls - 1) ours = collectives - before;
        free(a.data);
    }
    CHECK(ours == collectives - before && first == ours && most > ours);
    CHECK(answered("pdgetrf") == 0);
    free(ipiv);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int size, rank, ranks[64];
    const char *mode = argc > 1 ? argv[1] : "memory";
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int k = 0; k < size; k++) ranks[k] = k;
    if (strcmp(mode, "memory") == 0 && rank == size - 1) (void)setenv("SCALAY_MEMORY", "1K", 1);
    grid g = make_grid(1, size, ranks);
    if (strcmp(mode, "memory") == 0) stay_if_one_has_no_memory(&g, 2, 300, 0);
    if (strcmp(mode, "malloc") == 0) stay_if_one_has_no_memory(&g, 1, 1600, rank == size - 1);
    if (strcmp(mode, "peak") == 0) memory_is_bounded(&g, "pdgesv");
    if (strcmp(mode, "peak-lu") == 0) memory_is_bounded(&g, "pdgetrf");
    if (strcmp(mode, "stays") == 0) stays_are_kept(&g);
    if (strcmp(mode, "differ") == 0) {
        const int sources[2] = {0, 0};
        int ipiv[100];
        operand a = placed_operand(&g, DOUBLE, 20, 20, 4, 0, sources, 1);
        a.n -= rank == size - 1;
        factor(pdgetrf_, &a, ipiv);
    }
    free_grid(&g);
    scalay_plan_caches_release();
    return check_verdict();
}
