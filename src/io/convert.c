/*
 * Element types of files. Numbers are converted through double precision, in blocks. It represents all numbers of other
 * types exactly, except 64-bit integers above 2^53 in magnitude, which are rounded to nearest.
 */
#include "io/convert.h"

#include <limits.h>
#include <math.h>
#include <string.h>

#include "base/integer.h"

enum {
    BLOCK = 256, /* elements that are converted at a time */
    TILE = 32    /* rows and columns that are transposed at a time: both sides stay in the first cache */
};

/* Types of matrices first: of two rows with the same type, the first is written. */
static const scalay_element elements[] = {
    {"f4", "float32", SCALAY_FLOAT, 'f', 4},
    {"f8", "float64", SCALAY_DOUBLE, 'f', 8},
    {"c8", "complex64", SCALAY_COMPLEX_FLOAT, 'f', 4},
    {"c16", "complex128", SCALAY_COMPLEX_DOUBLE, 'f', 8},
    {"i4", "int32", SCALAY_INT, 'i', 4},
    {"f2", "float16", SCALAY_FLOAT, 'f', 2},
    {"i8", "int64", SCALAY_INT, 'i', 8},
    {"i2", "int16", SCALAY_INT, 'i', 2},
    {"i1", "int8", SCALAY_INT, 'i', 1},
    {"u8", "uint64", SCALAY_INT, 'u', 8},
    {"u4", "uint32", SCALAY_INT, 'u', 4},
    {"u2", "uint16", SCALAY_INT, 'u', 2},
    {"u1", "uint8", SCALAY_INT, 'u', 1},
    {"b1", "bool", SCALAY_INT, 'b', 1},
};

enum { ELEMENTS = (int)(sizeof elements / sizeof elements[0]) };

const scalay_element *scalay_element_find(const char *code)
{
    for (int k = 0; k < ELEMENTS; k++)
        if (strcmp(elements[k].code, code) == 0) return &elements[k];
    return NULL;
}

const scalay_element *scalay_element_of(scalay_type type)
{
    int k = 0;
    while (k < ELEMENTS - 1 && elements[k].type != type) k++;
    return &elements[k];
}

int64_t scalay_element_bytes(const scalay_element *element)
{
    return (int64_t)element->size * scalay_components(element->type);
}

int scalay_components(scalay_type type)
{
    return type == SCALAY_COMPLEX_FLOAT || type == SCALAY_COMPLEX_DOUBLE ? 2 : 1;
}

int scalay_convertible(scalay_type from, scalay_type to)
{
    if (scalay_components(from) > scalay_components(to)) return 0;
    return to != SCALAY_INT || from == SCALAY_INT;
}

/* IEEE 754 binary16: sign, 5 bits of exponent, 10 bits of significand. */
static double half_value(unsigned bits)
{
    const int exponent = (int)(bits >> 10 & 31), fraction = (int)(bits & 1023);
    double value = exponent == 0 ? ldexp(fraction, -24) : ldexp(1024 + fraction, exponent - 25);
    if (exponent == 31) value = fraction == 0 ? HUGE_VAL : NAN;
    return copysign(value, bits >> 15 != 0 ? -1.0 : 1.0);
}

static double load_real(const char *at, int size)
{
    uint16_t half = 0;
    float single = 0.0F;
    double value = 0.0;
    if (size == 8) {
        memcpy(&value, at, sizeof value);
    } else if (size == 4) {
        memcpy(&single, at, sizeof single);
        value = (double)single;
    } else {
        memcpy(&half, at, sizeof half);
        value = half_value(half);
    }
    return value;
}

static double load_signed(const char *at, int size)
{
    int64_t i8 = 0;
    int32_t i4 = 0;
    int16_t i2 = 0;
    signed char i1 = 0;
    if (size == 8) memcpy(&i8, at, 8);
    if (size == 4) memcpy(&i4, at, 4);
    if (size == 2) memcpy(&i2, at, 2);
    if (size == 1) memcpy(&i1, at, 1);
    return (double)(i8 + i4 + i2 + i1); /* three of them are 0 */
}

static double load_unsigned(const char *at, int size)
{
    uint64_t u8 = 0;
    uint32_t u4 = 0;
    uint16_t u2 = 0;
    unsigned char u1 = 0;
    if (size == 8) memcpy(&u8, at, 8);
    if (size == 4) memcpy(&u4, at, 4);
    if (size == 2) memcpy(&u2, at, 2);
    if (size == 1) memcpy(&u1, at, 1);
    return (double)(u8 + u4 + u2 + u1);
}

static void load(const char *from, const scalay_element *element, double *to, int64_t count)
{
    for (int64_t k = 0; k < count; k++, from += element->size) {
        if (element->kind == 'f')
            to[k] = load_real(from, element->size);
        else if (element->kind == 'i')
            to[k] = load_signed(from, element->size);
        else if (element->kind == 'u')
            to[k] = load_unsigned(from, element->size);
        else
            to[k] = *from != 0;
    }
}

/* Returns count, or the index of the first number that is out of range. */
static int64_t store(const double *from, char *to, const scalay_element *element, int64_t count)
{
    for (int64_t k = 0; k < count; k++, to += element->size) {
        if (element->kind == 'i') {
            if (from[k] < INT_MIN || from[k] > INT_MAX) return k;
            const int i = (int)from[k];
            memcpy(to, &i, sizeof i);
        } else if (element->size == 8) {
            memcpy(to, &from[k], sizeof from[k]);
        } else {
            const float s = (float)from[k];
            if (isinf(s) && !isinf(from[k])) return k;
            memcpy(to, &s, sizeof s);
        }
    }
    return count;
}

/* Makes real numbers complex, in place, from the last one. */
static void spread(double *numbers, int64_t count)
{
    for (int64_t k = count - 1; k >= 0; k--) {
        numbers[2 * k] = numbers[k];
        numbers[2 * k + 1] = 0.0;
    }
}

int64_t scalay_convert(const void *from, const scalay_element *element, void *to, scalay_type type, int64_t count)
{
    double numbers[2 * BLOCK];
    const scalay_element *target = scalay_element_of(type);
    const int from_parts = scalay_components(element->type), to_parts = scalay_components(type);
    const char *in = from;
    char *out = to;
    for (int64_t done = 0; done < count; done += BLOCK) {
        const int64_t block = scalay_min_int64(BLOCK, count - done);
        load(in + done * scalay_element_bytes(element), element, numbers, block * from_parts);
        if (from_parts < to_parts) spread(numbers, block);
        const int64_t stored = store(numbers, out + done * scalay_element_bytes(target), target, block * to_parts);
        if (stored < block * to_parts) return done + stored / to_parts;
    }
    return count;
}

void scalay_swap_bytes(void *numbers, const scalay_element *element, int64_t count)
{
    const int size = element->size;
    unsigned char *at = numbers;
    for (int64_t k = count * scalay_components(element->type); k > 0; k--, at += size) {
        for (int low = 0, high = size - 1; low < high; low++, high--) {
            const unsigned char kept = at[low];
            at[low] = at[high];
            at[high] = kept;
        }
    }
}

/* Inlined with a constant size, so that each copy is one instruction. */
static inline void transpose_tiles(const char *in, int64_t ld_in, char *out, int64_t ld_out, int64_t rows, int64_t cols,
                                   int64_t size)
{
    for (int64_t j0 = 0; j0 < cols; j0 += TILE) {
        int64_t j1 = scalay_min_int64(j0 + TILE, cols);
        for (int64_t i0 = 0; i0 < rows; i0 += TILE) {
            int64_t i1 = scalay_min_int64(i0 + TILE, rows);
            for (int64_t j = j0; j < j1; j++)
                for (int64_t i = i0; i < i1; i++)
                    memcpy(out + (i + j * ld_out) * size, in + (i * ld_in + j) * size, (size_t)size);
        }
    }
}

void scalay_transpose(const void *in, int64_t ld_in, void *out, int64_t ld_out, int64_t rows, int64_t cols, size_t size)
{
    switch (size) {
    case 4:
        transpose_tiles(in, ld_in, out, ld_out, rows, cols, 4);
        break;
    case 8:
        transpose_tiles(in, ld_in, out, ld_out, rows, cols, 8);
        break;
    default:
        transpose_tiles(in, ld_in, out, ld_out, rows, cols, 16);
        break;
    }
}
