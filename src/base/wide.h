#ifndef SCALAY_BASE_WIDE_H
#define SCALAY_BASE_WIDE_H

/** @file Integers of 128 bits, for products of 64-bit ones. Every compiler for 64-bit machines that MPI is built with
 * has them. */

#include <stdint.h>

/** 128 bits, signed. */
__extension__ typedef __int128 scalay_wide;

/** The product, which always fits. */
static inline scalay_wide scalay_wide_product(int64_t a, int64_t b)
{
    return (scalay_wide)a * b;
}

#endif
