/*
 * A program with routines of ScaLAPACK in itself, as if they were linked statically, which exports them (-rdynamic):
 * what this library leaves to ScaLAPACK goes to the program's, and compute routines are not answered.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scalay/scalapack.h"

void Cblacs_get(int ctxt, int what, int *value);
void Cblacs_gridinit(int *ctxt, const char *order, int nprow, int npcol);
void Cblacs_exit(int go_on);
void pdgeqrf_(const int *, const int *, double *, const int *, const int *, const int *, double *, double *,
              const int *, int *);

enum { ORDER = 400, OWN_INFO = 77 };

static int own_calls;

__attribute__((visibility("default"))) void pdgemm_(void);
__attribute__((visibility("default"))) void pdpotrf_(const char *uplo, const int *n, double *a, const int *ia,
                                                     const int *ja, const int *desca, int *info);
__attribute__((visibility("default"))) void descinit_(int *desc, const int *m, const int *n, const int *mb,
                                                      const int *nb, const int *rsrc, const int *csrc, const int *ctxt,
                                                      const int *lld, int *info);

/* By this one, the program's routines are known as those of a ScaLAPACK. */
void descinit_(int *desc, const int *m, const int *n, const int *mb, const int *nb, const int *rsrc, const int *csrc,
               const int *ctxt, const int *lld, int *info)
{
    const int entries[] = {1, *ctxt, *m, *n, *mb, *nb, *rsrc, *csrc, *lld};
    memcpy(desc, entries, sizeof entries);
    *info = 0;
}

void pdgemm_(void)
{
    abort(); /* the program does not multiply */
}

void pdpotrf_(const char *uplo, const int *n, double *a, const int *ia, const int *ja, const int *desca, int *info)
{
    (void)uplo, (void)n, (void)a, (void)ia, (void)ja, (void)desca;
    own_calls++;
    *info = OWN_INFO;
}

int main(int argc, char **argv)
{
    const int n = ORDER, one = 1, lwork = 2 * ORDER * ORDER;
    int ctxt = -1, size = 0, info = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    Cblacs_get(-1, 0, &ctxt);
    Cblacs_gridinit(&ctxt, "Row", 1, size);
    int desc[9];
    const int zero = 0;
    descinit_(desc, &n, &n, &one, &one, &zero, &zero, &ctxt, &n, &info);
    double *a = calloc(2 * (size_t)ORDER * ORDER, sizeof *a), *work = a + (size_t)ORDER * ORDER;
    double *more = calloc(lwork, sizeof *more);
    if (a == NULL || more == NULL) return 1;
    desc[0] = 2; /* a type of descriptor that this library leaves to ScaLAPACK */
    scalay_pdpotrf_("L", &n, a, &one, &one, desc, &info);
    const int is_own = own_calls == 1 && info == OWN_INFO;
    desc[0] = 1;
    pdgeqrf_(&n, &n, a, &one, &one, desc, work, more, &lwork, &info);
    if (desc[1] == ctxt && is_own && info == 0) printf("the program's own routine was called\n");
    free(more);
    free(a);
    Cblacs_exit(0);
    return !is_own;
}
