/*
 * Where drivers compute. By rates of a machine with fast messages, p?syevd leaves slabs, which descriptors alone do not
 * leave. If bytes take seconds, it stays with blocks of 1, which descriptors alone leave. The eigenvalues are those of
 * ScaLAPACK's routine. If wide products are fast, the target has one block per process, for which ScaLAPACK's query is
 * too short.
 *
 * dropin_drivers fast|slow|none|fixed (2 processes)
 * dropin_drivers wide (4 processes)
 */
#include <stdio.h>

#include "dropin/compute.h"
#include "dropin/plan_cache.h"
#include "operands.h"
#include "support/check.h"
#include "support/machine.h"

void pdsyevd_(const char *, const char *, const int *, void *, const int *, const int *, const int *, double *, void *,
              const int *, const int *, const int *, double *, const int *, int *, const int *, int *);

void pdsymm_(const char *, const char *, const int *, const int *, const double *, const void *, const int *,
             const int *, const int *, const void *, const int *, const int *, const int *, const double *, void *,
             const int *, const int *, const int *);

enum { DOUBLE = 1, ORDER = 128, CALLS = 3 };

static const char jobz[] = "V", uplo[] = "L";

typedef void driver(const char *, const char *, const int *, void *, const int *, const int *, const int *, double *,
                    void *, const int *, const int *, const int *, double *, const int *, int *, const int *, int *);

/* What is known of p?syevd; NULL: it was not called. */
static const scalay_compute_routine *record_of_driver(void)
{
    const scalay_compute_routine *record = scalay_compute_routines();
    while (record != NULL && strcmp(record->name, "pdsyevd") != 0) record = record->older;
    return record;
}

/* Whether A Z = Z W in the elements of this process. */
static int has_vectors(const grid *g, const operand *a, const operand *z, const double *w)
{
    const double one = 1.0, zero = 0.0;
    const int n = ORDER, nb = a->desc[NB_];
    operand product = operand_copy(a, DOUBLE);
    const double *const x = (double *)product.data, *const y = (double *)z->data;
    int fits = 1;
    pdsymm_("L", uplo, &n, &n, &one, a->data, &a->i, &a->j, a->desc, y, &z->i, &z->j, z->desc, &zero, product.data,
            &product.i, &product.j, product.desc);
    for (int col = 0; col < n; col++)
        for (int row = 0; row < n; row++) {
            if (col / nb % g->q != g->col || row / nb % g->p != g->row) continue;
            const int place = row / nb / g->p * nb + row % nb + (col / nb / g->q * nb + col % nb) * product.desc[LLD_];
            if (!(fabs(x[place] - w[col] * y[place]) < 1e-10 * n)) fits = 0;
        }
    free(product.data);
    return fits;
}

/* Eigenvalues of a matrix with some blocks. Checks the vectors. */
static void solve(const grid *g, int nb, driver *routine, double *w)
{
    const int n = ORDER, sources[2] = {0, 0};
    int info = -1, lwork = -1, liwork = -1, query = 0;
    double size = 0.0;
    operand a = placed_operand(g, DOUBLE, n, n, nb, 0, sources, 1), z = operand_copy(&a, DOUBLE),
            before = operand_copy(&a, DOUBLE);
    routine(jobz, uplo, &n, a.data, &a.i, &a.j, a.desc, w, z.data, &z.i, &z.j, z.desc, &size, &lwork, &query, &liwork,
            &info);
    CHECK(info == 0);
    lwork = (int)size;
    liwork = query;
    double *work = malloc((size_t)lwork * sizeof *work);
    int *iwork = malloc((size_t)liwork * sizeof *iwork);
    routine(jobz, uplo, &n, a.data, &a.i, &a.j, a.desc, w, z.data, &z.i, &z.j, z.desc, work, &lwork, iwork, &liwork,
            &info);
    CHECK(info == 0 && has_vectors(g, &before, &z, w));
    free(work);
    free(iwork);
    free(before.data);
    free(a.data);
    free(z.data);
}

/* Calls with some blocks. All calls move, or none. */
static void expect(const grid *g, int nb, int moves)
{
    double expected[ORDER], w[ORDER];
    for (int k = 0; k < CALLS; k++) {
        const scalay_compute_routine *record = record_of_driver();
        const int64_t answered = record != NULL ? record->answered : 0;
        solve(g, nb, pdsyevd_, w);
        record = record_of_driver();
        CHECK(record->answered == answered + moves);
        solve(g, nb, (driver *)record->next, expected);
        CHECK(is_close(DOUBLE, w, expected, ORDER, fabs(expected[ORDER - 1])));
    }
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    const char *const name = argc > 1 ? argv[1] : "none";
    const int ranks[] = {0, 1, 2, 3}, is_wide = strcmp(name, "wide") == 0, is_fast = strcmp(name, "fast") == 0,
              is_slow = strcmp(name, "slow") == 0;
    char path[64];
    scalay_machine machine = even_machine();
    if (is_slow) machine.seconds_per_byte = machine.seconds_per_byte_copied = 1.0;
    for (int k = 0; is_wide && k < SCALAY_GEMM_CURVE; k++) machine.gemm_curve[k] = k < 6 ? 1e-8 : 1e-12;
    (void)snprintf(path, sizeof path, "dropin_drivers_%s.txt", name);
    setenv("SCALAY_MACHINE", path, 1);
    if (strcmp(name, "none") != 0) write_machine(path, &machine);
    grid g = make_grid(is_wide ? 2 : 1, 2, (int *)ranks);
    if (!is_wide) {
        expect(&g, ORDER / 2, is_fast);
        expect(&g, 32, 0);
    }
    expect(&g, 1, !is_slow);
    scalay_plan_caches_release();
    free_grid(&g);
    if (check_rank() == 0) (void)remove(path);
    return check_verdict();
}
