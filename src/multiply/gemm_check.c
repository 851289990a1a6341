/*
 * Check of a product by a random vector (Freivalds 1977): C x against alpha op(A) (op(B) x) + beta C0 x, with a
 * rounding error bound per entry. The vectors are on every rank; matrix-vector products are computed by the owners and
 * summed.
 */

#include <complex.h>
#include <math.h>

#include "base/fingerprint.h"
#include "base/integer.h"
#include "base/memory.h"
#include "base/random.h"
#include "multiply/product.h"
#include "parallel/agree.h"
#include "scalay/multiply.h"

static const char check_name[] = "scalay_gemm_check";

/* Numbers per reduction. */
enum { MAX_COUNT = 1 << 24 };

/* ------------------------------------------------------------------------------------------------- vectors */

static scalay_status new_vector(int64_t count, scalay_check_vector *v)
{
    scalay_status status = SCALAY_SUCCESS;
    v->count = count;
    SCALAY_TRY(SCALAY_NEW(v->value, count));
    SCALAY_TRY(SCALAY_NEW(v->scale, count));
cleanup:
    return status;
}

static void free_vector(scalay_check_vector *v)
{
    scalay_release(v->scale);
    scalay_release(v->value);
}

/* Entries have random signs and magnitudes in [0.5, 1), so an error in any column of C is visible. */
static void draw(uint64_t seed, scalay_check_vector *x)
{
    scalay_random random = scalay_random_seed(seed);
    for (int64_t k = 0; k < x->count; k++) {
        const double magnitude = 0.5 + 0.5 * scalay_random_unit(&random);
        x->value[k] = scalay_random_below(&random, 2) != 0 ? magnitude : -magnitude;
        x->scale[k] = magnitude;
    }
}

static scalay_status sum_numbers(scalay_comm *comm, double *numbers, int64_t count)
{
    scalay_status status = SCALAY_SUCCESS;
    for (int64_t first = 0; first < count; first += MAX_COUNT) {
        const int now = (int)(scalay_min_int64(count - first, MAX_COUNT));
        SCALAY_TRY_MPI(MPI_Allreduce(MPI_IN_PLACE, numbers + first, now, MPI_DOUBLE, MPI_SUM, comm->mpi));
    }
cleanup:
    return status;
}

/* ------------------------------------------------------------------------------- a matrix times a vector */

/* One of the matrices. */
typedef struct {
    const scalay_layout *layout;
    scalay_op op;
    const void *local;
} factor;

static scalay_status add_subarray(const factor *f, scalay_type type, int rank, int64_t k, const scalay_check_vector *x,
                                  scalay_check_vector *y)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_check_subarray subarray = {.local = f->local};
    SCALAY_TRY(scalay_layout_subarray(f->layout, rank, k, &subarray.at));
    SCALAY_TRY(SCALAY_NEW(subarray.row, subarray.at.rows));
    SCALAY_TRY(SCALAY_NEW(subarray.col, subarray.at.cols));
    SCALAY_TRY(scalay_layout_subarray_indices(f->layout, rank, k, subarray.row, subarray.col));
    scalay_gemm_operations_of(type)->add_product(&subarray, f->op, x, y);
cleanup:
    scalay_release(subarray.col);
    scalay_release(subarray.row);
    return status;
}

static scalay_status add_subarrays(const factor *f, scalay_type type, int rank, const scalay_check_vector *x,
                                   scalay_check_vector *y)
{
    scalay_status status = SCALAY_SUCCESS;
    for (int64_t k = 0; k < scalay_layout_subarray_count(f->layout, rank); k++)
        SCALAY_TRY(add_subarray(f, type, rank, k, x, y));
cleanup:
    return status;
}

/* y := op(matrix) x on all ranks, where y is zero before. Collective. */
static scalay_status apply(scalay_comm *comm, scalay_type type, const factor *f, const scalay_check_vector *x,
                           scalay_check_vector *y)
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(scalay_comm_agree(comm, add_subarrays(f, type, comm->rank, x, y)));
    SCALAY_TRY(sum_numbers(comm, (double *)y->value, 2 * y->count));
    SCALAY_TRY(sum_numbers(comm, y->scale, y->count));
cleanup:
    return status;
}

/* ------------------------------------------------------------------------------------------------ checking */

static scalay_status check_local(const scalay_comm *comm, const scalay_layout *layout, const void *local,
                                 const char *name)
{
    const int64_t elements = scalay_layout_elements(layout, comm->rank);
    if (local != NULL || elements == 0) return SCALAY_SUCCESS;
    return scalay_fail(SCALAY_ERROR_ARGUMENT, check_name,
                       "product->%s is NULL, or too short in Fortran; it must have the %lld elements of this rank",
                       name, (long long)elements);
}

static scalay_status check_arguments(const scalay_comm *comm, const scalay_gemm_product *p, const double *error)
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(scalay_check_not_null(p, check_name, "product"));
    SCALAY_TRY(scalay_check_not_null(error, check_name, "error"));
    const scalay_op op[2] = {p->op_a, p->op_b};
    const scalay_layout *const layout[3] = {p->layout_a, p->layout_b, p->layout_c};
    SCALAY_TRY(scalay_product_check(check_name, comm, p->type, op, layout));
    SCALAY_TRY(check_local(comm, p->layout_a, p->a, "a"));
    SCALAY_TRY(check_local(comm, p->layout_b, p->b, "b"));
    SCALAY_TRY(check_local(comm, p->layout_c, p->c, "c"));
    if (p->beta != NULL) SCALAY_TRY(check_local(comm, p->layout_c, p->before, "before"));
cleanup:
    return status;
}

/* x, op(B) x, op(A) op(B) x, C0 x and C x. */
typedef struct {
    scalay_check_vector x, bx, abx, before, after;
} vectors;

static void free_vectors(vectors *v)
{
    free_vector(&v->after);
    free_vector(&v->before);
    free_vector(&v->abx);
    free_vector(&v->bx);
    free_vector(&v->x);
}

static scalay_status create_vectors(const scalay_gemm_product *p, uint64_t seed, vectors *v)
{
    scalay_status status = SCALAY_SUCCESS;
    const int64_t m = scalay_layout_rows(p->layout_c), n = scalay_layout_cols(p->layout_c);
    const int64_t k =
        p->op_a != SCALAY_NO_TRANSPOSE ? scalay_layout_rows(p->layout_a) : scalay_layout_cols(p->layout_a);
    SCALAY_TRY(new_vector(n, &v->x));
    SCALAY_TRY(new_vector(k, &v->bx));
    SCALAY_TRY(new_vector(m, &v->abx));
    SCALAY_TRY(new_vector(m, &v->before));
    SCALAY_TRY(new_vector(m, &v->after));
    draw(seed, &v->x);
cleanup:
    return status;
}

/* Returns the largest difference in units of its rounding error bound; NaN if there is NaN or overflow. */
static double largest_error(const scalay_gemm_product *p, const vectors *v)
{
    const scalay_gemm_operations *operations = scalay_gemm_operations_of(p->type);
    const double eps = (double)(v->bx.count + v->x.count + 1) * operations->epsilon;
    const double _Complex alpha = scalay_element_value(p->type, p->alpha, 1.0);
    const double _Complex beta = scalay_element_value(p->type, p->beta, 0.0);
    const double underflow =
        fmax(1.0, cabs(alpha)) * (double)(v->bx.count + 1) * (double)v->x.count * operations->smallest;
    double largest = 0.0;
    for (int64_t i = 0; i < v->after.count; i++) {
        double _Complex expected = alpha == 0.0 ? 0.0 : alpha * v->abx.value[i];
        double scale = alpha == 0.0 ? 0.0 : cabs(alpha) * v->abx.scale[i];
        if (beta != 0.0) {
            expected += beta * v->before.value[i];
            scale += cabs(beta) * v->before.scale[i];
        }
        const double difference = cabs(expected - v->after.value[i]);
        const double error = difference == 0.0 ? 0.0 : difference / (eps * scale + underflow);
        if (isnan(error) || isinf(difference)) return NAN;
        largest = fmax(largest, error);
    }
    return largest;
}

scalay_status scalay_gemm_check(scalay_comm *comm, const scalay_gemm_product *product, uint64_t seed, double *error)
{
    scalay_status status = SCALAY_SUCCESS;
    vectors v = {.x = {0}};
    SCALAY_TRY(scalay_check_not_null(comm, __func__, "comm"));
    status = check_arguments(comm, product, error);
    if (status == SCALAY_SUCCESS) status = create_vectors(product, seed, &v);
    SCALAY_TRY(scalay_comm_agree(comm, status));
    const scalay_gemm_product *p = product;
    const int reads_before = p->beta != NULL && !scalay_element_is_zero(p->type, p->beta);
    const int64_t given[] = {v.x.count, v.bx.count, v.abx.count, p->type, reads_before, (int64_t)seed};
    uint64_t print = scalay_fingerprint_start();
    for (size_t k = 0; k < sizeof given / sizeof given[0]; k++) print = scalay_fingerprint_add(print, given[k]);
    SCALAY_TRY(scalay_comm_agree_value(comm, print, check_name, "type, extents, beta or seed"));
    const factor a = {p->layout_a, p->op_a, p->a}, b = {p->layout_b, p->op_b, p->b};
    const factor before = {p->layout_c, SCALAY_NO_TRANSPOSE, p->before};
    const factor after = {p->layout_c, SCALAY_NO_TRANSPOSE, p->c};
    SCALAY_TRY(apply(comm, p->type, &b, &v.x, &v.bx));
    SCALAY_TRY(apply(comm, p->type, &a, &v.bx, &v.abx));
    if (reads_before) SCALAY_TRY(apply(comm, p->type, &before, &v.x, &v.before));
    SCALAY_TRY(apply(comm, p->type, &after, &v.x, &v.after));
    /* Sums may differ between ranks in the last bits. */
    *error = largest_error(p, &v);
    SCALAY_TRY_MPI(MPI_Bcast(error, 1, MPI_DOUBLE, 0, comm->mpi));
cleanup:
    free_vectors(&v);
    return status;
}
