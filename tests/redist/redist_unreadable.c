/* Source arrays in memory that other processes may not read: of a process that becomes undumpable after the first
   execution, and of memfd_secret(). The plan moves them all the same. Where the kernel has no memfd_secret(), the
   second case says so and is skipped. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "scalay/redist.h"
#include "support/check.h"

enum { N = 120, BYTES = N * N * 8 };

/* Returns memory that only this process can read; NULL if there is none. */
static double *secret_memory(void)
{
#ifdef SYS_memfd_secret
    const int file = (int)syscall(SYS_memfd_secret, 0);
    if (file < 0) return NULL;
    void *memory = MAP_FAILED;
    if (ftruncate(file, BYTES) == 0) memory = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
    return memory != MAP_FAILED ? memory : NULL;
#else
    return NULL;
#endif
}

/* Moves from a to b and back, and compares. */
static void move(scalay_plan *plan, int64_t elements, double *a, double *b, double first)
{
    for (int64_t k = 0; k < elements; k++) a[k] = first + (double)k;
    CHECK_STATUS(scalay_plan_execute(plan, a, b), SCALAY_SUCCESS);
    for (int64_t k = 0; k < elements; k++) a[k] = -1;
    CHECK_STATUS(scalay_plan_execute_back(plan, b, a), SCALAY_SUCCESS);
    int64_t wrong = 0;
    for (int64_t k = 0; k < elements; k++) wrong += a[k] != first + (double)k;
    CHECK(wrong == 0);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    scalay_comm *comm = NULL;
    scalay_layout *source = NULL, *target = NULL;
    scalay_plan *plan = NULL;
    CHECK_STATUS(scalay_comm_create(MPI_COMM_WORLD, &comm), SCALAY_SUCCESS);
    const int size = scalay_comm_size(comm), rank = scalay_comm_rank(comm);
    CHECK_STATUS(scalay_layout_block_cyclic(N, N, 8, 8, 1, size, 0, 0, SCALAY_ROW_MAJOR, &source), SCALAY_SUCCESS);
    CHECK_STATUS(scalay_layout_block_cyclic(N, N, 5, 5, size, 1, 0, 0, SCALAY_ROW_MAJOR, &target), SCALAY_SUCCESS);
    CHECK_STATUS(scalay_plan_create(comm, source, target, NULL, SCALAY_DOUBLE, NULL, &plan), SCALAY_SUCCESS);
    const int64_t elements = scalay_layout_local_size(source, rank);
    double *a = malloc(BYTES), *b = malloc(BYTES);
    move(plan, elements, a, b, 1);
    (void)prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
    move(plan, elements, a, b, 2);
    double *secret = secret_memory();
    if (secret == NULL && rank == 0) printf("no memfd_secret here; that case is skipped\n");
    move(plan, elements, secret != NULL ? secret : a, b, 3);
    if (secret != NULL) (void)munmap(secret, BYTES);
    free(a);
    free(b);
    scalay_plan_destroy(&plan);
    scalay_layout_destroy(&source);
    scalay_layout_destroy(&target);
    scalay_comm_destroy(&comm);
    return check_verdict();
}
