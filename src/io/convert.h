#ifndef SCALAY_IO_CONVERT_H
#define SCALAY_IO_CONVERT_H

/** @file Element types of files, their conversion to types of matrices, byte order, and transposition. */

#include <stddef.h>
#include <stdint.h>

#include "scalay/types.h"

/** An element type of .npy files. */
typedef struct {
    const char *code; /* NumPy's code, without the byte order */
    const char *name; /* NumPy's name */
    scalay_type type; /* nearest type of a matrix; SCALAY_INT for all integers */
    char kind;        /* f: real or complex, i: signed, u: unsigned, b: bool */
    int size;         /* bytes of a number; a complex element has two numbers */
} scalay_element;

/** Returns the element type with a code; NULL if it cannot be read. */
const scalay_element *scalay_element_find(const char *code);

/** Returns the element type that holds a type of matrices without conversion. */
const scalay_element *scalay_element_of(scalay_type type);

/** Returns the bytes of an element. */
int64_t scalay_element_bytes(const scalay_element *element);

/** Returns 1 if numbers of one type may become numbers of another. Precision may be lost, imaginary parts and fractions
 *  may not. */
int scalay_convertible(scalay_type from, scalay_type to);

/** Returns the numbers in an element: 2 for complex types, 1 otherwise. */
int scalay_components(scalay_type type);

/**
 * Converts elements of a file, in native byte order, to a convertible type.
 * @return count, or the index of the first element that is out of range
 */
int64_t scalay_convert(const void *from, const scalay_element *element, void *to, scalay_type type, int64_t count);

/** Reverses the bytes of each number of `count` elements, in place. */
void scalay_swap_bytes(void *elements, const scalay_element *element, int64_t count);

/** out[i + j * ld_out] = in[i * ld_in + j] for i < rows, j < cols; elements of 4, 8 or 16 bytes. */
void scalay_transpose(const void *in, int64_t ld_in, void *out, int64_t ld_out, int64_t rows, int64_t cols,
                      size_t size);

#endif
