/* Matrices in arrays of scalay_alloc(). The processes of a node read each other's elements in place. */
#include <stdio.h>

#include "scalay/context.h"
#include "scalay/layout.h"
#include "scalay/redist.h"

enum { M = 300, N = 200 };

static double value(int64_t i, int64_t j)
{
    return (double)(i * N + j);
}

/* Fills a local array, or counts its wrong elements. */
static int visit(const scalay_layout *layout, int rank, double *local, int writes)
{
    int wrong = 0;
    for (int64_t k = 0; k < scalay_layout_rectangle_count(layout, rank); k++) {
        scalay_rectangle r;
        if (scalay_layout_rectangle(layout, rank, k, &r) != SCALAY_SUCCESS) return 1;
        for (int64_t j = 0; j < r.cols; j++)
            for (int64_t i = 0; i < r.rows; i++) {
                double *element = &local[r.offset + j * r.ld + i];
                if (writes) *element = value(r.row + i, r.col + j);
                wrong += *element != value(r.row + i, r.col + j);
            }
    }
    return wrong;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    scalay_comm *comm = NULL;
    scalay_layout *source = NULL, *target = NULL;
    scalay_plan *plan = NULL;
    void *a = NULL, *b = NULL;
    char text[600];
    int right = scalay_comm_create(MPI_COMM_WORLD, &comm) == SCALAY_SUCCESS;
    const int rank = scalay_comm_rank(comm), size = scalay_comm_size(comm);

    /* From blocks of 8 on a P x 1 grid to blocks of 32 on a 1 x P grid. */
    right &= scalay_layout_block_cyclic(M, N, 8, 8, size, 1, 0, 0, SCALAY_ROW_MAJOR, &source) == SCALAY_SUCCESS;
    right &= scalay_layout_block_cyclic(M, N, 32, 32, 1, size, 0, 0, SCALAY_ROW_MAJOR, &target) == SCALAY_SUCCESS;
    const int64_t size_a = scalay_layout_local_size(source, rank), size_b = scalay_layout_local_size(target, rank);
    right &= scalay_alloc(comm, size_a * (int64_t)sizeof(double), &a) == SCALAY_SUCCESS;
    right &= scalay_alloc(comm, size_b * (int64_t)sizeof(double), &b) == SCALAY_SUCCESS;
    right &= scalay_plan_create(comm, source, target, NULL, SCALAY_DOUBLE, NULL, &plan) == SCALAY_SUCCESS;
    (void)scalay_plan_describe(plan, text, sizeof text);
    if (rank == 0) printf("%s\n", text);

    right &= visit(source, rank, a, 1) == 0;
    right &= scalay_plan_execute(plan, a, b) == SCALAY_SUCCESS;
    right &= visit(target, rank, b, 0) == 0;

    scalay_plan_destroy(&plan);
    scalay_free(&a);
    scalay_free(&b);
    scalay_layout_destroy(&source);
    scalay_layout_destroy(&target);
    scalay_comm_destroy(&comm);
    MPI_Finalize();
    return right ? 0 : 1;
}
