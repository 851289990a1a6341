/*
 * Finite fields and projective planes PG(2, q) for prime powers q.
 *
 * Elements of GF(p^k) are polynomials over GF(p), written as numbers in base p. The reduction polynomial is the first
 * monic one of degree k without roots of a proper subfield: it is found by testing that x generates a field, that is,
 * that no product of two nonzero elements is 0. Points of the plane are the normalised vectors of GF(q)^3; a line is
 * given by such a vector, too, and contains the points orthogonal to it. Time: O(q^5) for q = 16, less than 10 ms.
 */
#include "base/memory.h"
#include "partition/pattern.h"

enum { MAX_ORDER = 64 };

/* A field. */
typedef struct {
    int q, p, k;
    int *product; /* shape [q][q] */
    int *sum;     /* shape [q][q] */
} field;

static int smallest_prime_factor(int q)
{
    int p = 2;
    while (q % p != 0) p++;
    return p;
}

int scalay_is_prime_power(int q)
{
    if (q < 2) return 0;
    const int p = smallest_prime_factor(q);
    while (q % p == 0) q /= p;
    return q == 1;
}

static int add_elements(const field *in, int a, int b)
{
    int sum = 0;
    for (int k = 0, unit = 1; k < in->k; k++, unit *= in->p) {
        sum += (a % in->p + b % in->p) % in->p * unit;
        a /= in->p;
        b /= in->p;
    }
    return sum;
}

/* Multiplies an element by x modulo x^k + low(x). */
static int multiply_by_x(const field *in, int a, int low)
{
    const int high = in->q / in->p, top = a / high;
    int result = a % high * in->p;
    for (int k = 0, unit = 1, rest = low; k < in->k; k++, unit *= in->p) {
        const int digit = result / unit % in->p;
        const int reduced = ((digit - top * (rest % in->p)) % in->p + in->p) % in->p;
        result += (reduced - digit) * unit;
        rest /= in->p;
    }
    return result;
}

static int multiply_elements(const field *in, int a, int b, int low)
{
    int product = 0;
    for (int unit = in->q / in->p; unit > 0; unit /= in->p) {
        product = multiply_by_x(in, product, low);
        for (int digit = b / unit % in->p; digit > 0; digit--) product = add_elements(in, product, a);
    }
    return product;
}

/* Fills the tables. Returns 0 if the polynomial is reducible. */
static int fill_tables(field *in, int low)
{
    for (int a = 0; a < in->q; a++)
        for (int b = 0; b < in->q; b++) {
            const int product = multiply_elements(in, a, b, low);
            if (product == 0 && a > 0 && b > 0) return 0;
            in->product[a * in->q + b] = product;
            in->sum[a * in->q + b] = add_elements(in, a, b);
        }
    return 1;
}

static scalay_status field_create(int q, field *in)
{
    scalay_status status = SCALAY_SUCCESS;
    *in = (field){.q = q, .p = smallest_prime_factor(q)};
    for (int rest = q; rest > 1; rest /= in->p) in->k++;
    SCALAY_TRY(SCALAY_NEW(in->product, (int64_t)q * q));
    SCALAY_TRY(SCALAY_NEW(in->sum, (int64_t)q * q));
    for (int low = 0; low < q; low++)
        if (fill_tables(in, in->k == 1 ? 0 : low)) break;
cleanup:
    return status;
}

/* Writes the k-th point: (1, a, b), (0, 1, a), (0, 0, 1). */
static void point_of(int q, int k, int point[3])
{
    if (k < q * q) {
        point[0] = 1;
        point[1] = k / q;
        point[2] = k % q;
    } else {
        point[0] = 0;
        point[1] = k < q * q + q;
        point[2] = k < q * q + q ? k - q * q : 1;
    }
}

static int are_orthogonal(const field *in, const int a[3], const int b[3])
{
    int sum = 0;
    for (int k = 0; k < 3; k++) sum = in->sum[sum * in->q + in->product[a[k] * in->q + b[k]]];
    return sum == 0;
}

scalay_status scalay_plane_create(int q, scalay_plane *plane)
{
    scalay_status status = SCALAY_SUCCESS;
    field in = {0};
    int *on = NULL;
    *plane = (scalay_plane){.q = q, .points = q * q + q + 1};
    if (!scalay_is_prime_power(q) || q > MAX_ORDER)
        return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "q is %d; it must be a prime power of at most %d", q, MAX_ORDER);
    const int v = plane->points;
    SCALAY_TRY(field_create(q, &in));
    SCALAY_TRY(SCALAY_NEW(on, q + 1));
    SCALAY_TRY(SCALAY_NEW(plane->line, (int64_t)v * v));
    for (int64_t k = 0; k < (int64_t)v * v; k++) plane->line[k] = -1;
    for (int line = 0; line < v; line++) {
        int normal[3], point[3], count = 0;
        point_of(q, line, normal);
        for (int k = 0; k < v && count <= q; k++) {
            point_of(q, k, point);
            if (are_orthogonal(&in, normal, point)) on[count++] = k;
        }
        for (int a = 0; a < count; a++)
            for (int b = 0; b < count; b++)
                if (a != b) plane->line[(int64_t)on[a] * v + on[b]] = line;
    }
cleanup:
    scalay_release(in.product);
    scalay_release(in.sum);
    scalay_release(on);
    if (status != SCALAY_SUCCESS) scalay_release(plane->line);
    return status;
}
