#ifndef SCALAY_TESTS_REDIST_VALUES_H
#define SCALAY_TESTS_REDIST_VALUES_H

/**
 * @file
 * Elements of every type with known values, and what C := alpha op(A) + beta C makes of them, by the definition.
 */

#include <float.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "base/random.h"
#include "scalay/types.h"

/** What elements and scalars are like. */
typedef enum {
    VALUES_BITS,   /* any bits: moved as they are, conjugated at most */
    VALUES_EXACT,  /* small integers and scalars: arithmetic is exact */
    VALUES_ROUNDED /* any fractions: arithmetic rounds */
} value_kind;

/** 1 or 2 numbers in an element; 0 for integers and raw elements, which are not calculated with. */
static inline int value_numbers(scalay_type type)
{
    if (type == SCALAY_FLOAT || type == SCALAY_DOUBLE) return 1;
    return type == SCALAY_COMPLEX_FLOAT || type == SCALAY_COMPLEX_DOUBLE ? 2 : 0;
}

static inline int value_is_single(scalay_type type)
{
    return type == SCALAY_FLOAT || type == SCALAY_COMPLEX_FLOAT;
}

static inline double value_number(scalay_type type, const void *element, int k)
{
    float narrow = 0;
    double wide = 0;
    if (!value_is_single(type)) {
        memcpy(&wide, (const char *)element + (size_t)k * sizeof wide, sizeof wide);
        return wide;
    }
    memcpy(&narrow, (const char *)element + (size_t)k * sizeof narrow, sizeof narrow);
    return (double)narrow;
}

static inline void value_set_number(scalay_type type, void *element, int k, double number)
{
    const float narrow = (float)number;
    if (value_is_single(type))
        memcpy((char *)element + (size_t)k * sizeof narrow, &narrow, sizeof narrow);
    else
        memcpy((char *)element + (size_t)k * sizeof number, &number, sizeof number);
}

static inline uint64_t value_hash(uint64_t salt, int64_t i, int64_t j, int64_t k)
{
    scalay_random random =
        scalay_random_seed(salt ^ ((uint64_t)i * 0x9E3779B97F4A7C15u) ^ ((uint64_t)j * 0xC2B2AE3D27D4EB4Fu) ^
                           ((uint64_t)k * 0x165667B19E3779F9u));
    return scalay_random_bits(&random);
}

/** Element (i, j) of the matrix that `salt` names. */
static inline void value_make(value_kind kind, scalay_type type, uint64_t salt, int64_t i, int64_t j, void *element)
{
    const int64_t size = (int64_t)scalay_type_size(type);
    for (int64_t b = 0; b < size && kind == VALUES_BITS; b += 8) {
        const uint64_t bits = value_hash(salt, i, j, b);
        memcpy((char *)element + b, &bits, (size_t)(size - b < 8 ? size - b : 8));
    }
    for (int k = 0; k < value_numbers(type) && kind != VALUES_BITS; k++) {
        const uint64_t bits = value_hash(salt, i, j, k);
        value_set_number(type, element, k,
                         kind == VALUES_EXACT ? (double)(bits % 17) - 8.0 : ldexp((double)(bits >> 11), -52) - 1.0);
    }
}

/** A whole array of elements that are nobody's: canaries, or where they are calculated with, a number. */
static inline void value_fill(scalay_type type, double number, unsigned char canary, void *array, int64_t elements)
{
    const size_t size = scalay_type_size(type);
    if (value_numbers(type) == 0 || number == 0.0) {
        memset(array, canary, (size_t)elements * size);
        return;
    }
    for (int64_t e = 0; e < elements; e++)
        for (int k = 0; k < value_numbers(type); k++)
            value_set_number(type, (char *)array + (size_t)e * size, k, number);
}

/* ---------------------------------------------------------------------------------------------- scalars */

/** alpha or beta. */
typedef struct {
    int given; /* 0: NULL */
    double number[2];
    unsigned char element[16]; /* as the library gets it */
} value_scalar;

static inline const void *scalar_pointer(const value_scalar *scalar)
{
    return scalar->given ? scalar->element : NULL;
}

static inline int scalar_is(const value_scalar *scalar, double number)
{
    return scalar->number[0] == number && scalar->number[1] == 0.0;
}

/** A scalar for elements of a kind; `neutral` is what NULL stands for: 1 for alpha and 0 for beta. */
static inline value_scalar scalar_random(scalay_random *random, value_kind kind, scalay_type type, double neutral)
{
    static const double exact[] = {0, 1, -1, 2, 0.5, 3, -0.25};
    value_scalar scalar = {.number = {neutral}};
    const int numbers = value_numbers(type), choice = (int)scalay_random_below(random, 4);
    if (numbers == 0) return scalar;
    scalar.given = choice > 0;
    for (int k = 0; k < numbers && choice > 1 && kind != VALUES_BITS; k++) {
        if (k == 1 && scalay_random_below(random, 2)) continue;
        scalar.number[k] =
            kind == VALUES_EXACT ? exact[scalay_random_below(random, 7)] : 2.0 * scalay_random_unit(random) - 1.0;
        if (value_is_single(type)) scalar.number[k] = (double)(float)scalar.number[k];
    }
    for (int k = 0; k < numbers; k++) value_set_number(type, scalar.element, k, scalar.number[k]);
    return scalar;
}

/* -------------------------------------------------------------------------------------------- definition */

/** What becomes of element y when x arrives: `conjugated` as op(A) demands, alpha x + beta y. */
static inline void value_define(scalay_type type, int conjugated, const value_scalar *alpha, const value_scalar *beta,
                                const void *x, void *y)
{
    const size_t size = scalay_type_size(type);
    const int complex = value_numbers(type) == 2;
    if (scalar_is(alpha, 1.0) && scalar_is(beta, 0.0)) {
        memmove(y, x, size);
        if (conjugated && complex) ((unsigned char *)y)[size - 1] ^= 0x80u; /* the sign, little endian */
        return;
    }
    const double re = value_number(type, x, 0);
    const double im = !complex ? 0.0 : conjugated ? -value_number(type, x, 1) : value_number(type, x, 1);
    double sum[2] = {alpha->number[0] * re - alpha->number[1] * im, alpha->number[0] * im + alpha->number[1] * re};
    if (!scalar_is(beta, 0.0)) {
        const double old = value_number(type, y, 0), old_im = complex ? value_number(type, y, 1) : 0.0;
        sum[0] += beta->number[0] * old - beta->number[1] * old_im;
        sum[1] += beta->number[0] * old_im + beta->number[1] * old;
    }
    for (int k = 0; k < value_numbers(type); k++) value_set_number(type, y, k, sum[k]);
}

/** Whether an element is what it ought to be: bit for bit, but for the sign of zeros and rounding in arithmetic. */
static inline int value_agrees(value_kind kind, scalay_type type, const void *element, const void *expected)
{
    const double epsilon = value_is_single(type) ? FLT_EPSILON : DBL_EPSILON;
    if (memcmp(element, expected, scalay_type_size(type)) == 0) return 1;
    if (kind == VALUES_BITS || value_numbers(type) == 0) return 0;
    for (int k = 0; k < value_numbers(type); k++) {
        const double difference = fabs(value_number(type, element, k) - value_number(type, expected, k));
        if (!(difference <= (kind == VALUES_ROUNDED ? 16.0 * epsilon : 0.0))) return 0;
    }
    return 1;
}

#endif
