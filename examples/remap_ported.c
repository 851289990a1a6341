/* remap.c with a plan instead of pdtran and p?gemr2d. The plan transposes during the move, without an intermediate
   matrix. It can be executed any number of times. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#include "scalay/context.h"
#include "scalay/layout.h"
#include "scalay/mapping.h"
#include "scalay/redist.h"

enum { M = 120, N = 96, STRIP = 3, BLOCK = 16 };

static double value(int64_t i, int64_t j)
{
    return (double)i + 1000.0 * (double)j;
}

/* Fills a local array, or counts the elements that differ from the transposed matrix. */
static int visit(const scalay_layout *layout, int rank, double *local, int count_only)
{
    int count = 0;
    for (int64_t k = 0; k < scalay_layout_rectangle_count(layout, rank); k++) {
        scalay_rectangle r;
        if (scalay_layout_rectangle(layout, rank, k, &r) != SCALAY_SUCCESS) return 1;
        for (int64_t j = 0; j < r.cols; j++)
            for (int64_t i = 0; i < r.rows; i++) {
                double *element = &local[r.offset + j * r.ld + i];
                if (count_only)
                    count += *element != value(r.col + j, r.row + i);
                else
                    *element = value(r.row + i, r.col + j);
            }
    }
    return count;
}

static scalay_status run(scalay_comm *comm, int *wrong)
{
    const int rank = scalay_comm_rank(comm), size = scalay_comm_size(comm), q = size % 2 == 0 ? 2 : 1;
    scalay_layout *strips = NULL, *blocks = NULL;
    scalay_plan *plan = NULL;
    double *a = calloc(M * N, sizeof *a), *b = calloc(M * N, sizeof *b);
    scalay_status status = scalay_layout_block_cyclic(M, N, STRIP, STRIP, size, 1, 0, 0, SCALAY_COLUMN_MAJOR, &strips);
    if (!status) status = scalay_layout_block_cyclic(N, M, BLOCK, BLOCK, q, size / q, 0, 0, SCALAY_ROW_MAJOR, &blocks);
    if (!status) {
        const scalay_plan_matrix matrix = {
            .source = strips, .target = blocks, .type = SCALAY_DOUBLE, .op = SCALAY_TRANSPOSE};
        status = scalay_plan_create_many(comm, 1, &matrix, NULL, &plan);
    }
    if (!status) {
        (void)visit(strips, rank, a, 0);
        const scalay_operands operands = {.a = a, .b = b};
        status = scalay_plan_execute_with(plan, SCALAY_FORWARD, &operands);
    }
    if (!status) *wrong = visit(blocks, rank, b, 1);
    scalay_plan_destroy(&plan);
    scalay_layout_destroy(&blocks);
    scalay_layout_destroy(&strips);
    free(a);
    free(b);
    return status;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    scalay_comm *comm = NULL;
    int wrong = 0;
    scalay_status status = scalay_comm_create(MPI_COMM_WORLD, &comm);
    if (!status) status = run(comm, &wrong);
    if (status) fprintf(stderr, "%s: %s\n", scalay_status_name(status), scalay_error_message());
    if (!status && !wrong && scalay_comm_rank(comm) == 0)
        printf("%d x %d transposed, from strips of %d to blocks of %d\n", M, N, STRIP, BLOCK);
    scalay_comm_destroy(&comm);
    MPI_Finalize();
    return status != SCALAY_SUCCESS || wrong > 0;
}
