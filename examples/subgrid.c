/* A driver with idle processes: the grid has one process less than MPI_COMM_WORLD. scalay_comm_create_blacs makes a
   communicator of the processes of the grid, so that no call waits for the idle one. */
#include <stdio.h>
#include <stdlib.h>

#include "scalay/context.h"
#include "scalay/layout.h"
#include "scalay/redist.h"

enum { N = 100, MB = 8, NB = 32 };

void Cblacs_get(int ctxt, int what, int *value);
void Cblacs_gridinit(int *ctxt, const char *order, int nprow, int npcol);
void Cblacs_gridinfo(int ctxt, int *nprow, int *npcol, int *myrow, int *mycol);
void Cblacs_gridexit(int ctxt);

/* Creates the layout of a descriptor on a grid of 1 x npcol, on which all processes know the descriptor. No process
   communicates. */
static int create_layout(const scalay_comm *comm, const int *desc, scalay_layout **layout)
{
    const int size = scalay_comm_size(comm);
    scalay_layout *grid = NULL;
    int right = scalay_layout_block_cyclic(desc[2], desc[3], desc[4], desc[5], 1, size, desc[6], desc[7],
                                           SCALAY_ROW_MAJOR, &grid) == SCALAY_SUCCESS;
    right &= scalay_layout_with_ld(grid, scalay_comm_rank(comm), desc[8], layout) == SCALAY_SUCCESS;
    scalay_layout_destroy(&grid);
    return right;
}

/* Moves a matrix from blocks of MB to blocks of NB within a context, and back. */
static int move(int ctxt)
{
    const int desca[9] = {1, ctxt, N, N, MB, MB, 0, 0, N}, descb[9] = {1, ctxt, N, N, NB, NB, 0, 0, N};
    scalay_comm *comm = NULL;
    scalay_layout *source = NULL, *target = NULL;
    scalay_plan *plan = NULL;
    int right = scalay_comm_create_blacs(ctxt, &comm) == SCALAY_SUCCESS;
    right &= scalay_layout_from_desc(comm, desca, &source) == SCALAY_SUCCESS;
    right &= create_layout(comm, descb, &target);
    right &= scalay_plan_create(comm, source, target, NULL, SCALAY_DOUBLE, NULL, &plan) == SCALAY_SUCCESS;
    const int64_t elements = scalay_layout_local_size(source, scalay_comm_rank(comm));
    double *a = calloc(N * N, sizeof *a), *b = calloc(N * N, sizeof *b);
    for (int64_t k = 0; k < elements; k++) a[k] = (double)k;
    right &= scalay_plan_execute(plan, a, b) == SCALAY_SUCCESS;
    for (int64_t k = 0; k < elements; k++) a[k] = -1;
    right &= scalay_plan_execute_back(plan, b, a) == SCALAY_SUCCESS;
    for (int64_t k = 0; k < elements; k++) right &= a[k] == (double)k;
    free(a);
    free(b);
    scalay_plan_destroy(&plan);
    scalay_layout_destroy(&source);
    scalay_layout_destroy(&target);
    scalay_comm_destroy(&comm);
    return right;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int size = 0, ctxt = -1, nprow, npcol, myrow, mycol, right = 1;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    Cblacs_get(0, 0, &ctxt);
    Cblacs_gridinit(&ctxt, "Row", 1, size > 1 ? size - 1 : 1);
    Cblacs_gridinfo(ctxt, &nprow, &npcol, &myrow, &mycol);
    if (myrow >= 0) {
        right = move(ctxt);
        Cblacs_gridexit(ctxt);
    } else {
        printf("one process is idle\n");
    }
    MPI_Finalize();
    return right ? 0 : 1;
}
