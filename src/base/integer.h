#ifndef SCALAY_BASE_INTEGER_H
#define SCALAY_BASE_INTEGER_H

/** @file Integer arithmetic that does not overflow silently. */

#include <stdint.h>

#include "base/status.h"

/** *sum = a + b; 0 when it overflows (then *sum is untouched), 1 otherwise. */
int scalay_add_int64(int64_t a, int64_t b, int64_t *sum);

/** *product = a * b; 0 when it overflows (then *product is untouched), 1 otherwise. */
int scalay_multiply_int64(int64_t a, int64_t b, int64_t *product);

/** The smallest k with k * b >= a, for a >= 0 and b >= 1. */
static inline int64_t scalay_ceil_div(int64_t a, int64_t b)
{
    return a / b + (a % b != 0);
}

/** The greatest common divisor of two numbers of which at least one is positive and none is negative. */
int64_t scalay_gcd(int64_t a, int64_t b);

/** The lesser of two. */
static inline int64_t scalay_min_int64(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/** The greater of two. */
static inline int64_t scalay_max_int64(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/** Narrows to int; SCALAY_ERROR_RANGE, with a message that names `what`, when it does not fit. */
scalay_status scalay_to_int(int64_t value, const char *function, const char *what, int *narrow);

#endif
