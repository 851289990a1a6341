#include "multiply/gemm_check.h"

#include <float.h>
#include <limits.h>
#include <math.h>

#include "base/fingerprint.h"
#include "base/memory.h"
#include "base/random.h"
#include "multiply/gemm_object.h"
#include "multiply/product.h"
#include "multiply/summa_gemm.h"
#include "parallel/comm.h"

static const char check_name[] = "scalay_gemm_check";

/* At most so many numbers are summed up over the ranks at a time. */
enum { SLICE = 1 << 24 };

/* ------------------------------------------------------------------------------------------------- vectors */

static scalay_status new_vector(int64_t count, scalay_check_vector *v)
{
    scalay_status status = SCALAY_SUCCESS;
    v->count = count;
    SCALAY_TRY(SCALAY_NEW(v->value, count));
    SCALAY_TRY(SCALAY_NEW(v->size, count));
cleanup:
    return status;
}

static void free_vector(scalay_check_vector *v)
{
    scalay_release(v->size);
    scalay_release(v->value);
}

/* Entries of either sign, none of them small: whatever is wrong with a column of C shows. */
static void draw(uint64_t seed, scalay_check_vector *x)
{
    scalay_random random = scalay_random_seed(seed);
    for (int64_t k = 0; k < x->count; k++) {
        const double size = 0.5 + 0.5 * scalay_random_unit(&random);
        x->value[k] = scalay_random_below(&random, 2) != 0 ? size : -size;
        x->size[k] = size;
    }
}

static scalay_status sum_numbers(scalay_comm *comm, double *numbers, int64_t count)
{
    scalay_status status = SCALAY_SUCCESS;
    for (int64_t first = 0; first < count; first += SLICE) {
        const int now = (int)(count - first < SLICE ? count - first : SLICE);
        SCALAY_TRY_MPI(MPI_Allreduce(MPI_IN_PLACE, numbers + first, now, MPI_DOUBLE, MPI_SUM, comm->mpi));
    }
cleanup:
    return status;
}

/* ------------------------------------------------------------------------------- a matrix times a vector */

static const scalay_check_multiply *multiply_of(scalay_type type)
{
    static const scalay_check_multiply *const table[] = {[SCALAY_FLOAT] = &scalay_check_multiply_s,
                                                         [SCALAY_DOUBLE] = &scalay_check_multiply_d,
                                                         [SCALAY_COMPLEX_FLOAT] = &scalay_check_multiply_c,
                                                         [SCALAY_COMPLEX_DOUBLE] = &scalay_check_multiply_z};
    return type >= SCALAY_FLOAT && type <= SCALAY_COMPLEX_DOUBLE ? table[type] : NULL;
}

/* One of the matrices: y := op(matrix) x. */
typedef struct {
    const scalay_layout *layout;
    scalay_op op;
    const void *local;
} factor;

static scalay_status add_piece(const factor *f, scalay_type type, int rank, int64_t k, const scalay_check_vector *x,
                               scalay_check_vector *y)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_check_piece piece = {.local = f->local};
    SCALAY_TRY(scalay_layout_subarray(f->layout, rank, k, &piece.at));
    SCALAY_TRY(SCALAY_NEW(piece.row, piece.at.rows));
    SCALAY_TRY(SCALAY_NEW(piece.col, piece.at.cols));
    SCALAY_TRY(scalay_layout_subarray_indices(f->layout, rank, k, piece.row, piece.col));
    (*multiply_of(type))(&piece, f->op, x, y);
cleanup:
    scalay_release(piece.col);
    scalay_release(piece.row);
    return status;
}

static scalay_status add_pieces(const factor *f, scalay_type type, int rank, const scalay_check_vector *x,
                                scalay_check_vector *y)
{
    scalay_status status = SCALAY_SUCCESS;
    for (int64_t k = 0; k < scalay_layout_subarray_count(f->layout, rank); k++)
        SCALAY_TRY(add_piece(f, type, rank, k, x, y));
cleanup:
    return status;
}

/* y := op(matrix) x, on all ranks. Collective; y is zero. */
static scalay_status apply(scalay_comm *comm, scalay_type type, const factor *f, const scalay_check_vector *x,
                           scalay_check_vector *y)
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(scalay_comm_agree(comm, add_pieces(f, type, comm->rank, x, y)));
    SCALAY_TRY(sum_numbers(comm, (double *)y->value, 2 * y->count));
    SCALAY_TRY(sum_numbers(comm, y->size, y->count));
cleanup:
    return status;
}

/* ------------------------------------------------------------------------------------------------ checking */

static scalay_status check_local(const scalay_comm *comm, const scalay_layout *layout, const void *local,
                                 const char *name)
{
    const int64_t held = scalay_layout_elements(layout, comm->rank);
    if (local != NULL || held == 0) return SCALAY_SUCCESS;
    return scalay_fail(SCALAY_ERROR_ARGUMENT, check_name, "%s is NULL, but this rank holds %lld elements of it", name,
                       (long long)held);
}

static scalay_status check_arguments(const scalay_comm *comm, const scalay_gemm_product *p, const double *error)
{
    scalay_status status = SCALAY_SUCCESS;
    if (p == NULL || error == NULL)
        return scalay_fail(SCALAY_ERROR_ARGUMENT, check_name,
                           "%s is NULL; pass what is to be checked, and where to "
                           "put the error",
                           p == NULL ? "product" : "error");
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

static double _Complex scalar(scalay_type type, const void *value, double otherwise)
{
    if (value == NULL) return otherwise;
    switch (type) {
    case SCALAY_FLOAT:
        return *(const float *)value;
    case SCALAY_DOUBLE:
        return *(const double *)value;
    case SCALAY_COMPLEX_FLOAT:
        return *(const float _Complex *)value;
    default:
        return *(const double _Complex *)value;
    }
}

/* Everything that is multiplied: x, op(B) x, op(A) op(B) x, C0 x and C x. */
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

static scalay_status make_vectors(const scalay_gemm_product *p, uint64_t seed, vectors *v)
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

/* The largest difference in multiples of what rounding explains, and products that underflow; NaN wins, and so does a
 * product that overflows. */
static double largest_error(const scalay_gemm_product *p, const vectors *v)
{
    const int is_single = p->type == SCALAY_FLOAT || p->type == SCALAY_COMPLEX_FLOAT;
    const double eps = (double)(v->bx.count + v->x.count + 1) * (is_single ? FLT_EPSILON : DBL_EPSILON);
    const double _Complex alpha = scalar(p->type, p->alpha, 1.0), beta = scalar(p->type, p->beta, 0.0);
    const double least = is_single ? FLT_MIN : DBL_MIN;
    const double lost = fmax(1.0, cabs(alpha)) * (double)(v->bx.count + 1) * (double)v->x.count * least;
    double largest = 0.0;
    for (int64_t i = 0; i < v->after.count; i++) {
        double _Complex expected = alpha == 0.0 ? 0.0 : alpha * v->abx.value[i];
        double size = alpha == 0.0 ? 0.0 : cabs(alpha) * v->abx.size[i];
        if (beta != 0.0) {
            expected += beta * v->before.value[i];
            size += cabs(beta) * v->before.size[i];
        }
        const double difference = cabs(expected - v->after.value[i]);
        const double error = difference == 0.0 ? 0.0 : difference / (eps * size + lost);
        if (isnan(error) || isinf(difference)) return NAN;
        largest = fmax(largest, error);
    }
    return largest;
}

scalay_status scalay_gemm_check(scalay_comm *comm, const scalay_gemm_product *product, uint64_t seed, double *error)
{
    scalay_status status = SCALAY_SUCCESS;
    vectors v = {.x = {0}};
    if (comm == NULL) return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "comm is NULL; make one with scalay_comm_create");
    status = check_arguments(comm, product, error);
    if (status == SCALAY_SUCCESS) status = make_vectors(product, seed, &v);
    SCALAY_TRY(scalay_comm_agree(comm, status));
    const scalay_gemm_product *p = product;
    const int reads_before = p->beta != NULL && !scalay_summa_is_zero(p->type, p->beta);
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
    /* Sums over the ranks need not have the same last bits on all of them. */
    *error = largest_error(p, &v);
    SCALAY_TRY_MPI(MPI_Bcast(error, 1, MPI_DOUBLE, 0, comm->mpi));
cleanup:
    free_vectors(&v);
    return status;
}
