/*
 * With SCALAY_REPRODUCIBLE=1, the choices of compute routines depend on arguments only: on a machine with other
 * measured rates, a product and a factorisation have the same bits. Without it, the rates choose.
 *
 * dropin_reproducible (2 processes)
 */
#include <stdio.h>

#include "dropin/plan_cache.h"
#include "operands.h"
#include "support/check.h"
#include "support/machine.h"

void pdgemm_(const char *, const char *, const int *, const int *, const int *, const double *, const void *,
             const int *, const int *, const int *, const void *, const int *, const int *, const int *, const double *,
             void *, const int *, const int *, const int *);
void pdgetrf_(const int *, const int *, void *, const int *, const int *, const int *, int *, int *);

enum { DOUBLE = 1, PRODUCT_ORDER = 700, LU_ORDER = 300, MACHINES = 2 };

/* Without SCALAY_REPRODUCIBLE, the first calls stay. */
enum { PRODUCTS = 12, FACTORISATIONS = 100 };

/* A machine with fast messages on which narrow panels cost much, or one with slow messages on which they cost nothing.
 */
static scalay_machine machine_of(int is_fast)
{
    scalay_machine machine = even_machine();
    if (!is_fast) machine.seconds_per_message = 1.0;
    for (int k = 0; k <= 5 && is_fast; k++) machine.gemm_curve[k] = 1e-8;
    return machine;
}

static operand product(const grid *g)
{
    const int n = PRODUCT_ORDER, nb = 32, sources[2] = {0, 0};
    const double third = 1.0 / 3.0; /* products of the operands are exact without it */
    operand a = placed_operand(g, DOUBLE, n, n, nb, 0, sources, 0), b = operand_copy(&a, DOUBLE);
    operand c = {0};
    for (int call = 0; call < PRODUCTS; call++) {
        free(c.data);
        c = operand_copy(&a, DOUBLE);
        pdgemm_("N", "N", &n, &n, &n, &third, a.data, &a.i, &a.j, a.desc, b.data, &b.i, &b.j, b.desc, &third, c.data,
                &c.i, &c.j, c.desc);
    }
    free(a.data);
    free(b.data);
    return c;
}

static operand factor(const grid *g)
{
    const int sources[2] = {0, 0};
    int info = -1, *ipiv = calloc(2 * LU_ORDER, sizeof *ipiv);
    operand a = {0};
    for (int call = 0; call < FACTORISATIONS; call++) {
        free(a.data);
        a = placed_operand(g, DOUBLE, LU_ORDER, LU_ORDER, 8, 0, sources, 0);
        pdgetrf_(&a.m, &a.n, a.data, &a.i, &a.j, a.desc, ipiv, &info);
        CHECK(info == 0);
    }
    free(ipiv);
    return a;
}

/* Whether all processes have the same bits. */
static int is_same(const operand *x)
{
    int same = memcmp(x[0].data, x[1].data, x[0].elements * sizeof(double)) == 0;
    MPI_Allreduce(MPI_IN_PLACE, &same, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    return same;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    const int ranks[] = {0, 1, 2, 3}, is_reproducible = getenv("SCALAY_REPRODUCIBLE") != NULL;
    const char *machine_path = is_reproducible ? "dropin_reproducible_yes.txt" : "dropin_reproducible_no.txt";
    operand c[MACHINES], lu[MACHINES];
    setenv("SCALAY_MACHINE", machine_path, 1);
    for (int k = 0; k < MACHINES; k++) {
        const scalay_machine machine = machine_of(k);
        write_machine(machine_path, &machine);
        grid g = make_grid(1, check_size(), (int *)ranks);
        c[k] = product(&g);
        lu[k] = factor(&g);
        free_grid(&g);
        scalay_plan_caches_release(); /* the next context reads the rates again */
    }
    CHECK(is_same(c) == is_reproducible);
    CHECK(is_same(lu) == is_reproducible);
    for (int k = 0; k < MACHINES; k++) {
        free(c[k].data);
        free(lu[k].data);
    }
    if (check_rank() == 0) (void)remove(machine_path);
    return check_verdict();
}
