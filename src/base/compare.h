#ifndef SCALAY_BASE_COMPARE_H
#define SCALAY_BASE_COMPARE_H

/** @file Comparison of two numbers for qsort: negative, 0 or positive if a is less than, equal to or greater than b. */

#include <stdint.h>

static inline int scalay_compare_int64(int64_t a, int64_t b)
{
    return (a > b) - (a < b);
}

static inline int scalay_compare_double(double a, double b)
{
    return (a > b) - (a < b);
}

/** Compares the doubles at two addresses, as qsort passes them. */
static inline int scalay_compare_doubles(const void *left, const void *right)
{
    return scalay_compare_double(*(const double *)left, *(const double *)right);
}

#endif
