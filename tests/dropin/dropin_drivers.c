/*
 * Where drivers compute. By rates of a machine with fast messages, p?syevd leaves slabs, which descriptors alone do not
 * leave. If bytes take seconds, it stays with blocks of 1, which descriptors alone leave. The eigenvalues are those of
 * ScaLAPACK's routine.
 *
 * dropin_drivers fast|slow|none|fixed (2 processes)
 */
#include <stdio.h>

#include "dropin/compute.h"
#include "dropin/plan_cache.h"
#include "operands.h"
#include "support/check.h"
#include "support/machine.h"

void pdsyevd_(const char *, const char *, const int *, void *, const int *, const int *, const int *, double *, void *,
              const int *, const int *, const int *, double *, const int *, int *, const int *, int *);

enum { DOUBLE = 1, ORDER = 192, CALLS = 3 };

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

/* Eigenvalues of a matrix with some blocks. */
static void solve(const grid *g, int nb, driver *routine, double *w)
{
    const int n = ORDER, sources[2] = {0, 0};
    int info = -1, lwork = -1, liwork = -1, query = 0;
    double size = 0.0;
    operand a = placed_operand(g, DOUBLE, n, n, nb, 0, sources, 1), z = operand_copy(&a, DOUBLE);
    routine(jobz, uplo, &n, a.data, &a.i, &a.j, a.desc, w, z.data, &z.i, &z.j, z.desc, &size, &lwork, &query, &liwork,
            &info);
    CHECK(info == 0);
    lwork = (int)size;
    liwork = query;
    double *work = malloc((size_t)lwork * sizeof *work);
    int *iwork = malloc((size_t)liwork * sizeof *iwork);
    routine(jobz, uplo, &n, a.data, &a.i, &a.j, a.desc, w, z.data, &z.i, &z.j, z.desc, work, &lwork, iwork, &liwork,
            &info);
    CHECK(info == 0);
    free(work);
    free(iwork);
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
    const int ranks[] = {0, 1}, is_fast = strcmp(name, "fast") == 0, is_slow = strcmp(name, "slow") == 0;
    char path[64];
    scalay_machine machine = even_machine();
    if (is_slow) machine.seconds_per_byte = machine.seconds_per_byte_copied = 1.0;
    (void)snprintf(path, sizeof path, "dropin_drivers_%s.txt", name);
    setenv("SCALAY_MACHINE", path, 1);
    if (strcmp(name, "none") != 0) write_machine(path, &machine);
    grid g = make_grid(1, check_size(), (int *)ranks);
    expect(&g, ORDER / 2, is_fast);
    expect(&g, 32, 0);
    expect(&g, 1, !is_slow);
    scalay_plan_caches_release();
    free_grid(&g);
    if (check_rank() == 0) (void)remove(path);
    return check_verdict();
}
