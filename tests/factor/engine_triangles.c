/*
 * Solves with triangles: by the inverse if that is as accurate, otherwise by substitution. The oracle is the residual:
 * L X = B and X L^H = B up to the rounding of the products, also if the inverse of L has huge elements.
 */
#include <math.h>
#include <stdlib.h>

#include "base/random.h"
#include "factor/engine_arithmetic.h"
#include "support/check.h"
#include "support/matrix.h"

enum { N = 40, M = 7 };

/* Random; or -1 below the diagonal, so that the inverse grows as 2^n; or graded, nearly singular. */
typedef enum { RANDOM, DOUBLING, GRADED, SHAPES } shape;

static double complex triangle_element(scalay_type type, shape what, int i, int j, int unit)
{
    if (i < j) return 0;
    if (i == j) return unit ? 1 : what == GRADED ? ldexp(1, -i / 4) : 2;
    if (what == DOUBLING) return -1;
    return what == GRADED ? -.5 : matrix_element(type, 3, i, j);
}

/* The largest |(L X - B)_ij| (or X L^H - B) over the sum of moduli in the product. */
static double residual(scalay_type type, shape what, int unit, int left, const void *x, const void *b)
{
    double worst = 0;
    const int rows = left ? N : M, cols = left ? M : N;
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < cols; j++) {
            const double complex given = matrix_load(type, b, i + j * rows);
            double complex sum = 0;
            double size = cabs(given);
            for (int k = 0; k < N; k++) {
                const double complex l =
                    left ? triangle_element(type, what, i, k, unit) : conj(triangle_element(type, what, j, k, unit));
                const double complex product = l * matrix_load(type, x, left ? k + j * rows : i + k * rows);
                sum += product;
                size += cabs(product);
            }
            worst = fmax(worst, cabs(sum - given) / size);
        }
    return worst / matrix_epsilon(type);
}

/* B = L X or X L^H for a random X: substitution finds a solution of this size, whatever the size of the inverse. */
static void fill_product(scalay_type type, shape what, int unit, int left, void *b)
{
    const int rows = left ? N : M, cols = left ? M : N;
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < cols; j++) {
            double complex sum = 0;
            for (int k = 0; k < N; k++)
                sum += left ? triangle_element(type, what, i, k, unit) * matrix_element(type, 8, k, j)
                            : matrix_element(type, 8, i, k) * conj(triangle_element(type, what, j, k, unit));
            matrix_store(type, b, i + j * rows, sum);
        }
}

static void triangles_are_solved(scalay_type type, shape what)
{
    const scalay_engine_arithmetic *op = scalay_engine_arithmetic_of(type);
    const size_t size = scalay_type_size(type);
    void *l = calloc(N * N, size), *unit = calloc(N * N, size), *work = calloc(N * N, size);
    void *b = calloc(N * M, size), *x = calloc(N * M, size);
    for (int j = 0; j < N; j++)
        for (int i = 0; i < N; i++) {
            matrix_store(type, l, i + j * N, i >= j ? triangle_element(type, what, i, j, 0) : matrix_sentinel);
            matrix_store(type, unit, i + j * N, i > j ? triangle_element(type, what, i, j, 1) : matrix_sentinel);
        }
    fill_product(type, what, 1, 1, b);
    memcpy(x, b, N * M * size);
    op->invert_unit(N, unit, N);
    op->solve_left(N, M, unit, N, x, N);
    CHECK(residual(type, what, 1, 1, x, b) < 500);
    fill_product(type, what, 0, 0, b);
    memcpy(x, b, N * M * size);
    op->solve_right(M, N, l, N, x, M, work);
    CHECK(residual(type, what, 0, 0, x, b) < 500);
    free(x);
    free(b);
    free(work);
    free(unit);
    free(l);
}

/* A NaN in the triangle reaches the solution. */
static void a_nan_is_no_reason_to_multiply(scalay_type type)
{
    const scalay_engine_arithmetic *op = scalay_engine_arithmetic_of(type);
    const size_t size = scalay_type_size(type);
    void *l = calloc(4, size), *x = calloc(2, size);
    matrix_store(type, l, 0, 1);
    matrix_store(type, l, 1, NAN);
    matrix_store(type, l, 3, 1);
    matrix_store(type, x, 0, 1);
    matrix_store(type, x, 1, 1);
    op->invert_unit(2, l, 2);
    op->solve_left(2, 1, l, 2, x, 2);
    CHECK(creal(matrix_load(type, x, 0)) == 1);
    CHECK(isnan(creal(matrix_load(type, x, 1))));
    free(x);
    free(l);
}

int main(int argc, char **argv)
{
    static const scalay_type types[] = {SCALAY_FLOAT, SCALAY_DOUBLE, SCALAY_COMPLEX_FLOAT, SCALAY_COMPLEX_DOUBLE};
    MPI_Init(&argc, &argv);
    for (int t = 0; t < 4; t++) {
        for (shape what = RANDOM; what < SHAPES; what++) triangles_are_solved(types[t], what);
        a_nan_is_no_reason_to_multiply(types[t]);
    }
    return check_verdict();
}
