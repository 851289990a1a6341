/* Creates a BLACS context from a communicator, with the processes in a chosen order. */
#include <stdio.h>

#include "scalay/context.h"

void Cblacs_gridinfo(int ctxt, int *nprow, int *npcol, int *myrow, int *mycol);

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);

    scalay_comm *comm = NULL;
    int right = scalay_comm_create(MPI_COMM_WORLD, &comm) == SCALAY_SUCCESS;
    right &= scalay_comm_size(comm) >= 1 && scalay_comm_handle(comm) != MPI_COMM_NULL;

    /* Rank 1 first, rank 0 second: a 1 x 2 grid, or 1 x 1 on one rank. */
    const int ranks[] = {1, 0};
    int columns = scalay_comm_size(comm) > 1 ? 2 : 1, ctxt = -1;
    right &= scalay_grid_acquire(comm, 1, columns, columns > 1 ? ranks : NULL, &ctxt) == SCALAY_SUCCESS;
    if (ctxt >= 0) {
        int nprow, npcol, myrow, mycol;
        Cblacs_gridinfo(ctxt, &nprow, &npcol, &myrow, &mycol);
        printf("rank %d is process (%d, %d) of the grid\n", scalay_comm_rank(comm), myrow, mycol);
        right &= columns == 1 || mycol == 1 - scalay_comm_rank(comm);
    }
    right &= scalay_grid_release(comm, &ctxt) == SCALAY_SUCCESS;
    scalay_comm_destroy(&comm);

    /* Fortran handles are accepted too. */
    right &= scalay_comm_create_f(MPI_Comm_c2f(MPI_COMM_SELF), &comm) == SCALAY_SUCCESS;
    right &= MPI_Comm_f2c(scalay_comm_handle_f(comm)) == scalay_comm_handle(comm);
    scalay_comm_destroy(&comm);
    MPI_Finalize();
    return right ? 0 : 1;
}
