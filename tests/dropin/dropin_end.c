/* Programs that end with plans and contexts left: by MPI_Finalize alone, by blacs_exit in C or Fortran, by both. The
   first argument says how. Nothing is left of the library's, and nobody hangs. */

#include <unistd.h>

#include "calls.h"
#include "support/check.h"

enum { M = 9 };

static void use(const grid *g, int ctxt)
{
    double a[M * M] = {0}, b[M * M] = {0};
    int desca[DLEN_] = {1, g->ctxt, M, M, 2, 2, 0, 0, M}, descb[DLEN_] = {1, g->ctxt, M, M, 3, 1, 0, 0, M};
    if (ctxt >= 0) Cpdgemr2d(M, M, a, 1, 1, desca, b, 1, 1, descb, ctxt);
}

/* Two contexts of all processes whose numbers come the other way round on the first: BLACS frees contexts by number. */
static void use_out_of_order(int size, int *ranks)
{
    grid alone = make_grid(1, 1, ranks), a = make_grid(1, size, ranks);
    free_grid(&alone);
    grid b = make_grid(size, 1, ranks);
    use(&a, a.ctxt);
    use(&b, b.ctxt);
}

static void leave(const char *how)
{
    const int end = 0;
    if (strcmp(how, "blacs") == 0) Cblacs_exit(0);
    if (strcmp(how, "fortran") == 0) blacs_exit_(&end);
    if (strcmp(how, "both") == 0) Cblacs_exit(1);
    if (strcmp(how, "both") == 0 || strcmp(how, "mpi") == 0) MPI_Finalize();
}

/* Runs after the functions that the library registered with atexit(). */
static void check_memory(void)
{
    if (scalay_memory_live() == 0 && scalay_comms_live() == 0) return;
    fprintf(stderr, "%lld allocations and %d communicators are left\n", (long long)scalay_memory_live(),
            scalay_comms_live());
    (void)fflush(stderr);
    _exit(1);
}

int main(int argc, char **argv)
{
    (void)atexit(check_memory);
    MPI_Init(&argc, &argv);
    const char *how = argc > 1 ? argv[1] : "mpi";
    int size = 0, rank = 0, ranks[64], world = 0;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int k = 0; k < size; k++) ranks[k] = k;
    Cblacs_get(0, 0, &world);
    grid everybody = make_grid(1, size, ranks), first = make_grid(size > 1 ? size - 1 : 1, 1, ranks),
         last = make_grid(1, size > 1 ? size - 1 : 1, ranks + (size > 1));
    use(&first, everybody.ctxt);
    use(&last, last.ctxt);
    use(&first, first.ctxt);
    use(&last, everybody.ctxt);
    use_out_of_order(size, ranks);
    leave(how);
    return 0;
}
