/* Redistribution with arithmetic: C := 2 A' - C in another layout; the upper triangle of a symmetric matrix from its
   lower triangle, in one array; a change of layout in place; and one that consumes its source, so that the matrix need
   not fit into memory twice. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#include "scalay/context.h"
#include "scalay/layout.h"
#include "scalay/redist.h"

enum { M = 120, N = 80 };

typedef double (*formula)(int64_t i, int64_t j);

static double of_a(int64_t i, int64_t j)
{
    return (double)(1000 * i + j);
}

static double of_c(int64_t i, int64_t j)
{
    return (double)(i - j);
}

static double sum(int64_t i, int64_t j)
{
    return 2.0 * of_a(j, i) - of_c(i, j);
}

static double lower_only(int64_t i, int64_t j)
{
    return i >= j ? of_a(i, j) : -1.0;
}

static double symmetric(int64_t i, int64_t j)
{
    return i >= j ? of_a(i, j) : of_a(j, i);
}

/* Fills the local array of a matrix, or counts its wrong elements. */
static int64_t visit(const scalay_layout *layout, int rank, double *local, formula value, int fills)
{
    int64_t wrong = 0;
    for (int64_t k = 0; k < scalay_layout_rectangle_count(layout, rank); k++) {
        scalay_rectangle r;
        if (scalay_layout_rectangle(layout, rank, k, &r) != SCALAY_SUCCESS) return 1;
        for (int64_t j = 0; j < r.cols; j++)
            for (int64_t i = 0; i < r.rows; i++) {
                double *element = &local[r.offset + j * r.ld + i];
                if (fills) *element = value(r.row + i, r.col + j);
                wrong += *element != value(r.row + i, r.col + j);
            }
    }
    return wrong;
}

static double *new_local(const scalay_layout *layout, int rank)
{
    return calloc((size_t)scalay_layout_local_size(layout, rank) + 1, sizeof(double));
}

static scalay_plan *must_plan(scalay_comm *comm, const scalay_plan_matrix *matrix, const scalay_plan_options *options)
{
    scalay_plan *plan = NULL;
    if (scalay_plan_create_many(comm, 1, matrix, options, &plan) == SCALAY_SUCCESS) return plan;
    fprintf(stderr, "%s\n", scalay_error_message());
    MPI_Abort(MPI_COMM_WORLD, 1);
    return NULL;
}

/* A is M x N on a 1 x P grid, C is N x M on a P x 1 grid: C := 2 A' - C. */
static int64_t transpose_and_add(scalay_comm *comm)
{
    const int rank = scalay_comm_rank(comm), size = scalay_comm_size(comm);
    const double two = 2.0, minus_one = -1.0;
    scalay_layout *source = NULL, *target = NULL;
    (void)scalay_layout_block_cyclic(M, N, 16, 16, 1, size, 0, 0, SCALAY_ROW_MAJOR, &source);
    (void)scalay_layout_block_cyclic(N, M, 8, 8, size, 1, 0, 0, SCALAY_ROW_MAJOR, &target);
    const scalay_plan_matrix matrix = {
        .source = source, .target = target, .type = SCALAY_DOUBLE, .op = SCALAY_TRANSPOSE};
    scalay_plan *plan = must_plan(comm, &matrix, NULL);
    double *a = new_local(source, rank), *c = new_local(target, rank);
    (void)visit(source, rank, a, of_a, 1);
    (void)visit(target, rank, c, of_c, 1);
    const scalay_operands operands = {.alpha = &two, .a = a, .beta = &minus_one, .b = c};
    int64_t wrong = scalay_plan_execute_with(plan, SCALAY_FORWARD, &operands) != SCALAY_SUCCESS;
    wrong += visit(target, rank, c, sum, 0);
    free(a);
    free(c);
    scalay_plan_destroy(&plan);
    scalay_layout_destroy(&source);
    scalay_layout_destroy(&target);
    return wrong;
}

/* Copies the lower triangle, transposed, to the upper triangle. Source and target are one array. */
static int64_t make_symmetric(scalay_comm *comm)
{
    const int rank = scalay_comm_rank(comm), size = scalay_comm_size(comm);
    scalay_plan_options options = scalay_plan_options_default();
    options.in_place = 1;
    scalay_layout *layout = NULL;
    (void)scalay_layout_block_cyclic(N, N, 8, 8, size % 2 == 0 ? size / 2 : size, size % 2 == 0 ? 2 : 1, 0, 0,
                                     SCALAY_ROW_MAJOR, &layout);
    const scalay_plan_matrix matrix = {.source = layout,
                                       .target = layout,
                                       .type = SCALAY_DOUBLE,
                                       .op = SCALAY_TRANSPOSE,
                                       .uplo = SCALAY_UPPER,
                                       .diag = SCALAY_UNIT};
    scalay_plan *plan = must_plan(comm, &matrix, &options);
    double *a = new_local(layout, rank);
    (void)visit(layout, rank, a, lower_only, 1);
    int64_t wrong = scalay_plan_execute(plan, a, a) != SCALAY_SUCCESS;
    wrong += visit(layout, rank, a, symmetric, 0);
    free(a);
    scalay_plan_destroy(&plan);
    scalay_layout_destroy(&layout);
    return wrong;
}

/* From small blocks on a P x 1 grid to large ones on a 1 x P grid and back, in one array of the larger size. */
static int64_t change_layout_in_place(scalay_comm *comm)
{
    const int rank = scalay_comm_rank(comm), size = scalay_comm_size(comm);
    scalay_plan_options options = scalay_plan_options_default();
    options.in_place = 1;
    scalay_layout *source = NULL, *target = NULL;
    (void)scalay_layout_block_cyclic(M, N, 2, 2, size, 1, 0, 0, SCALAY_ROW_MAJOR, &source);
    (void)scalay_layout_block_cyclic(M, N, 16, 16, 1, size, 0, 0, SCALAY_ROW_MAJOR, &target);
    const scalay_plan_matrix matrix = {.source = source, .target = target, .type = SCALAY_DOUBLE};
    scalay_plan *plan = must_plan(comm, &matrix, &options);
    const int grows = scalay_layout_local_size(target, rank) > scalay_layout_local_size(source, rank);
    double *a = new_local(grows ? target : source, rank);
    (void)visit(source, rank, a, of_a, 1);
    int64_t wrong = scalay_plan_execute(plan, a, a) != SCALAY_SUCCESS;
    wrong += visit(target, rank, a, of_a, 0);
    wrong += scalay_plan_execute_back(plan, a, a) != SCALAY_SUCCESS;
    wrong += visit(source, rank, a, of_a, 0);
    free(a);
    scalay_plan_destroy(&plan);
    scalay_layout_destroy(&source);
    scalay_layout_destroy(&target);
    return wrong;
}

/* The pages of the source are returned to the system while the matrix moves. */
static int64_t change_layout_and_consume(scalay_comm *comm)
{
    const int rank = scalay_comm_rank(comm), size = scalay_comm_size(comm);
    scalay_plan_options options = scalay_plan_options_default();
    options.consume = 1;
    scalay_layout *source = NULL, *target = NULL;
    (void)scalay_layout_block_cyclic(M, N, 2, 2, size, 1, 0, 0, SCALAY_ROW_MAJOR, &source);
    (void)scalay_layout_block_cyclic(M, N, 16, 16, 1, size, 0, 0, SCALAY_ROW_MAJOR, &target);
    const scalay_plan_matrix matrix = {.source = source, .target = target, .type = SCALAY_DOUBLE};
    scalay_plan *plan = must_plan(comm, &matrix, &options);
    double *a = new_local(source, rank), *b = new_local(target, rank);
    (void)visit(source, rank, a, of_a, 1);
    int64_t wrong = scalay_plan_execute_consume(plan, a, b) != SCALAY_SUCCESS;
    free(a);
    wrong += visit(target, rank, b, of_a, 0);
    free(b);
    scalay_plan_destroy(&plan);
    scalay_layout_destroy(&source);
    scalay_layout_destroy(&target);
    return wrong;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    scalay_comm *comm = NULL;
    if (scalay_comm_create(MPI_COMM_WORLD, &comm) != SCALAY_SUCCESS) return 1;
    int64_t wrong[] = {transpose_and_add(comm), make_symmetric(comm), change_layout_in_place(comm),
                       change_layout_and_consume(comm)};
    MPI_Allreduce(MPI_IN_PLACE, wrong, 4, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    if (scalay_comm_rank(comm) == 0)
        printf("wrong elements: C := 2 A' - C %lld, made symmetric %lld, in place %lld, consumed %lld\n",
               (long long)wrong[0], (long long)wrong[1], (long long)wrong[2], (long long)wrong[3]);
    scalay_comm_destroy(&comm);
    MPI_Finalize();
    return wrong[0] + wrong[1] + wrong[2] + wrong[3] == 0 ? 0 : 1;
}
