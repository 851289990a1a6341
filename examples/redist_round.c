/* The three matrices of a product move together, while the program computes, and back again. */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#include "scalay/context.h"
#include "scalay/layout.h"
#include "scalay/redist.h"

enum { N = 200, A = 0, B = 1, C = 2 };

/* The layouts before and after the move. B is stored transposed, and C as its lower triangle. */
typedef struct {
    scalay_comm *comm;
    scalay_layout *source, *target;
    scalay_plan *plan;
    double *old[3], *new[3]; /* the local parts */
} job;

static scalay_status prepare(job *x)
{
    int size = 1;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    scalay_plan_options options = scalay_plan_options_default();
    options.memory_bytes = 65536; /* limit on buffer memory per rank */
    scalay_status status = scalay_comm_create(MPI_COMM_WORLD, &x->comm);
    if (status == SCALAY_SUCCESS)
        status = scalay_layout_block_cyclic(N, N, 5, 5, size, 1, 0, 0, SCALAY_ROW_MAJOR, &x->source);
    if (status == SCALAY_SUCCESS)
        status = scalay_layout_block_cyclic(N, N, 32, 32, 1, size, 0, 0, SCALAY_ROW_MAJOR, &x->target);
    if (status != SCALAY_SUCCESS) return status;
    const scalay_plan_matrix matrices[3] = {
        [A] = {.source = x->source, .target = x->target, .type = SCALAY_DOUBLE},
        [B] = {.source = x->source, .target = x->target, .type = SCALAY_DOUBLE, .op = SCALAY_TRANSPOSE},
        [C] = {.source = x->source, .target = x->target, .type = SCALAY_DOUBLE, .uplo = SCALAY_LOWER}};
    const int rank = scalay_comm_rank(x->comm);
    for (int k = 0; k < 3; k++) {
        x->old[k] = calloc((size_t)scalay_layout_local_size(x->source, rank) + 1, sizeof(double));
        x->new[k] = calloc((size_t)scalay_layout_local_size(x->target, rank) + 1, sizeof(double));
    }
    return scalay_plan_create_many(x->comm, 3, matrices, &options, &x->plan);
}

static void finish(job *x)
{
    scalay_plan_destroy(&x->plan);
    for (int k = 0; k < 3; k++) {
        free(x->old[k]);
        free(x->new[k]);
    }
    scalay_layout_destroy(&x->source);
    scalay_layout_destroy(&x->target);
    scalay_comm_destroy(&x->comm);
}

static double value(int matrix, int64_t i, int64_t j)
{
    return (double)(1 + matrix) * (double)(i + 1) + (double)(j + 1) / N;
}

/* The expected element (i, j) after the move. */
static double expected(int matrix, int64_t i, int64_t j)
{
    if (matrix == C && i < j) return 0.0;
    return matrix == B ? value(B, j, i) : value(matrix, i, j);
}

static void fill(job *x)
{
    const int rank = scalay_comm_rank(x->comm);
    for (int64_t k = 0; k < scalay_layout_rectangle_count(x->source, rank); k++) {
        scalay_rectangle r;
        if (scalay_layout_rectangle(x->source, rank, k, &r) != SCALAY_SUCCESS) continue;
        for (int64_t e = 0; e < r.rows * r.cols; e++)
            for (int matrix = A; matrix <= C; matrix++)
                x->old[matrix][r.offset + e / r.rows * r.ld + e % r.rows] =
                    value(matrix, r.row + e % r.rows, r.col + e / r.rows);
    }
}

static int64_t count_wrong(const job *x)
{
    const int rank = scalay_comm_rank(x->comm);
    int64_t wrong = 0;
    for (int64_t k = 0; k < scalay_layout_rectangle_count(x->target, rank); k++) {
        scalay_rectangle r;
        if (scalay_layout_rectangle(x->target, rank, k, &r) != SCALAY_SUCCESS) return 1;
        for (int64_t e = 0; e < r.rows * r.cols; e++)
            for (int matrix = A; matrix <= C; matrix++)
                wrong += x->new[matrix][r.offset + e / r.rows * r.ld + e % r.rows] !=
                         expected(matrix, r.row + e % r.rows, r.col + e / r.rows);
    }
    return wrong;
}

/* Work during the move: a part of a sum. */
static double work(int slice)
{
    double sum = 0.0;
    for (int k = 1; k <= 1000; k++) sum += 1.0 / pow(1000.0 * slice + k, 2.0);
    return sum;
}

static int64_t run(job *x)
{
    double sum = 0.0;
    int done = 0;
    const scalay_operands operands[3] = {
        {.a = x->old[A], .b = x->new[A]}, {.a = x->old[B], .b = x->new[B]}, {.a = x->old[C], .b = x->new[C]}};
    fill(x);
    int64_t wrong = scalay_plan_begin_with(x->plan, SCALAY_FORWARD, operands) != SCALAY_SUCCESS;
    for (int slice = 0; slice < 20; slice++) {
        sum += work(slice);
        if (!done) wrong += scalay_plan_test(x->plan, &done) != SCALAY_SUCCESS; /* advances the move */
    }
    wrong += scalay_plan_end(x->plan) != SCALAY_SUCCESS;
    wrong += count_wrong(x) + (fabs(sum - 1.6449340668) > 1e-4);
    /* backward, scaled by a half */
    const double half = 0.5;
    scalay_operands back[3];
    for (int k = 0; k < 3; k++) back[k] = (scalay_operands){.alpha = &half, .a = x->old[k], .b = x->new[k]};
    wrong += scalay_plan_execute_with(x->plan, SCALAY_BACKWARD, back) != SCALAY_SUCCESS;
    if (scalay_layout_elements(x->source, scalay_comm_rank(x->comm)) > 0) {
        scalay_rectangle r;
        wrong += scalay_layout_rectangle(x->source, scalay_comm_rank(x->comm), 0, &r) != SCALAY_SUCCESS;
        wrong += x->old[B][r.offset] != 0.5 * value(B, r.row, r.col);
    }
    return wrong;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    job x = {0};
    int64_t wrong = 1;
    if (prepare(&x) == SCALAY_SUCCESS) {
        char text[400];
        (void)scalay_plan_describe(x.plan, text, sizeof text);
        if (scalay_comm_rank(x.comm) == 0) printf("%s\n", text);
        wrong = run(&x);
    }
    if (wrong != 0) fprintf(stderr, "%lld are wrong: %s\n", (long long)wrong, scalay_error_message());
    MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    finish(&x);
    MPI_Finalize();
    return wrong == 0 ? 0 : 1;
}
