/* A rank that can no longer read the memory of another rank loses nothing: the product is right, the plan goes on with
   messages, and so do later plans. Run with a process_vm_readv() that fails from the n-th call on (NO_READING_FROM);
   without it, the same products are computed by reading. */
#include <stdlib.h>
#include <string.h>

#include "scalay/context.h"
#include "scalay/layout.h"
#include "scalay/multiply.h"
#include "support/check.h"

enum { M = 70, N = 90, K = 200, PANEL = 16, EXECUTIONS = 3 };

typedef struct {
    scalay_layout *layout;
    double *array;
} matrix;

typedef double (*formula)(int64_t i, int64_t j);

static double by_row(int64_t i, int64_t j)
{
    return (double)(i + 1 + 0 * j);
}

static double by_column(int64_t i, int64_t j)
{
    return (double)(j + 0 * i);
}

static double by_both(int64_t i, int64_t j)
{
    return by_row(i, j) * by_column(i, j);
}

/* Sets the elements to factor * formula, or counts those that differ. */
static int64_t visit(const matrix *x, int rank, formula value, double factor, int fills)
{
    int64_t wrong = 0;
    for (int64_t k = 0; k < scalay_layout_rectangle_count(x->layout, rank); k++) {
        scalay_rectangle r;
        CHECK_STATUS(scalay_layout_rectangle(x->layout, rank, k, &r), SCALAY_SUCCESS);
        for (int64_t j = 0; j < r.cols; j++)
            for (int64_t i = 0; i < r.rows; i++) {
                double *element = &x->array[r.offset + i + j * r.ld];
                if (fills) *element = factor * value(r.row + i, r.col + j);
                wrong += *element != factor * value(r.row + i, r.col + j);
            }
    }
    return wrong;
}

static matrix make_matrix(const scalay_comm *comm, int64_t m, int64_t n, int64_t block)
{
    const int size = scalay_comm_size(comm), p = size % 2 == 0 ? 2 : 1;
    matrix x = {NULL, NULL};
    CHECK_STATUS(scalay_layout_block_cyclic(m, n, block, block, p, size / p, 0, 0, SCALAY_ROW_MAJOR, &x.layout),
                 SCALAY_SUCCESS);
    x.array = calloc((size_t)scalay_layout_local_size(x.layout, scalay_comm_rank(comm)) + 1, sizeof *x.array);
    return x;
}

static void free_matrix(matrix *x)
{
    scalay_layout_destroy(&x->layout);
    free(x->array);
}

/* C := 2 A B - C, several times. Returns 1 if the plan has changed to messages. */
static int multiply(scalay_comm *comm, const scalay_summa_options *options)
{
    const int rank = scalay_comm_rank(comm);
    const double two = 2.0, minus_one = -1.0;
    matrix a = make_matrix(comm, M, K, 8), b = make_matrix(comm, K, N, 8), c = make_matrix(comm, M, N, 16);
    scalay_summa *summa = NULL;
    char text[400] = "";
    CHECK_STATUS(scalay_summa_create(comm, SCALAY_DOUBLE, SCALAY_NO_TRANSPOSE, SCALAY_NO_TRANSPOSE, a.layout, b.layout,
                                     c.layout, options, &summa),
                 SCALAY_SUCCESS);
    (void)visit(&a, rank, by_row, 1, 1);
    (void)visit(&b, rank, by_column, 1, 1);
    for (int k = 0; k < EXECUTIONS && summa != NULL; k++) {
        (void)visit(&c, rank, by_both, 3 + k, 1);
        CHECK_STATUS(scalay_summa_execute(summa, &two, a.array, b.array, &minus_one, c.array), SCALAY_SUCCESS);
        CHECK(visit(&c, rank, by_both, 2 * K - 3 - k, 0) == 0);
    }
    (void)scalay_summa_describe(summa, text, sizeof text);
    scalay_summa_destroy(&summa);
    free_matrix(&a);
    free_matrix(&b);
    free_matrix(&c);
    return strstr(text, "transport messages") != NULL;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    scalay_comm *comm = NULL;
    const int fails = getenv("NO_READING_FROM") != NULL;
    scalay_summa_options options = scalay_summa_options_default();
    CHECK_STATUS(scalay_comm_create(MPI_COMM_WORLD, &comm), SCALAY_SUCCESS);
    options.transport = "shared";
    options.panel = PANEL;
    CHECK(multiply(comm, &options) == fails);
    options.transport = "auto";
    const int changed = multiply(comm, &options);
    CHECK(changed || !fails);
    scalay_comm_destroy(&comm);
    return check_verdict();
}
