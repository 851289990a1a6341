#ifndef SCALAY_IO_CONVERT_H
#define SCALAY_IO_CONVERT_H

/** @file Numbers between file and memory: byte order, element type, order of storage. */

#include <stddef.h>
#include <stdint.h>

#include "scalay/types.h"

/** 1 when numbers of one type may become numbers of another: nothing but precision is lost. */
int scalay_convertible(scalay_type from, scalay_type to);

/** Numbers in an element: 2 for complex types, 1 otherwise. */
int scalay_components(scalay_type type);

/**
 * Converts elements between convertible types.
 * @return count, or the index of the first element that does not fit
 */
int64_t scalay_convert(const void *from, scalay_type from_type, void *to, scalay_type to_type, int64_t count);

/** Turns the bytes of each number of so many elements around, in place. */
void scalay_swap_bytes(void *elements, scalay_type type, int64_t count);

/** out[i + j * ld_out] = in[i * ld_in + j] for i < rows, j < cols; elements of 4, 8 or 16 bytes. */
void scalay_transpose(const void *in, int64_t ld_in, void *out, int64_t ld_out, int64_t rows, int64_t cols,
                      size_t size);

#endif
