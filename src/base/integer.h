#ifndef SCALAY_BASE_INTEGER_H
#define SCALAY_BASE_INTEGER_H

/** @file Integer arithmetic that reports overflow, and 128-bit products. */

#include <stdint.h>

#include "base/status.h"

/** Computes *sum = a + b. Returns 1; 0 if the sum overflows, and *sum is unchanged. */
int scalay_add_int64(int64_t a, int64_t b, int64_t *sum);

/** Computes *product = a * b. Returns 1; 0 if the product overflows, and *product is unchanged. */
int scalay_multiply_int64(int64_t a, int64_t b, int64_t *product);

/** Returns the smallest k with k * b >= a, for a >= 0 and b >= 1. */
static inline int64_t scalay_ceil_div(int64_t a, int64_t b)
{
    return a / b + (a % b != 0);
}

/** Returns the greatest common divisor of a >= 0 and b >= 0, at least one of them positive. Euclid's algorithm. */
int64_t scalay_gcd(int64_t a, int64_t b);

/** Returns the minimum of a and b. */
static inline int64_t scalay_min_int64(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/** Returns the maximum of a and b. */
static inline int64_t scalay_max_int64(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/**
 * Converts an int64_t to int.
 * @param[in]  value     any value
 * @param[in]  function  public function, for the message
 * @param[in]  name      of the value, for the message
 * @param[out] narrow    unchanged on failure
 * @return SCALAY_SUCCESS, SCALAY_ERROR_RANGE
 */
scalay_status scalay_to_int(int64_t value, const char *function, const char *name, int *narrow);

/** Signed integer of 128 bits. GCC, Clang and the compilers derived from them provide it on 64-bit machines. */
__extension__ typedef __int128 scalay_wide;

/** Returns a * b, which always fits 128 bits. */
static inline scalay_wide scalay_wide_product(int64_t a, int64_t b)
{
    return (scalay_wide)a * b;
}

#endif
