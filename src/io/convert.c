#include "io/convert.h"

#include <math.h>
#include <string.h>

#include "base/integer.h"

enum {
    BLOCK = 256, /* elements converted at a time, through doubles: they hold floats and ints exactly */
    TILE = 32    /* rows and columns transposed at a time: both sides stay in the first cache */
};

int scalay_components(scalay_type type)
{
    return type == SCALAY_COMPLEX_FLOAT || type == SCALAY_COMPLEX_DOUBLE ? 2 : 1;
}

/* The type of an element's numbers. */
static scalay_type part_type(scalay_type type)
{
    if (type == SCALAY_COMPLEX_FLOAT) return SCALAY_FLOAT;
    return type == SCALAY_COMPLEX_DOUBLE ? SCALAY_DOUBLE : type;
}

int scalay_convertible(scalay_type from, scalay_type to)
{
    if (scalay_components(from) > scalay_components(to)) return 0;
    return to != SCALAY_INT || from == SCALAY_INT;
}

static void load(const char *from, scalay_type type, double *to, int64_t count)
{
    for (int64_t k = 0; k < count; k++) {
        float s;
        int i;
        if (type == SCALAY_DOUBLE) {
            memcpy(&to[k], from + k * (int64_t)sizeof(double), sizeof(double));
        } else if (type == SCALAY_FLOAT) {
            memcpy(&s, from + k * (int64_t)sizeof s, sizeof s);
            to[k] = (double)s;
        } else {
            memcpy(&i, from + k * (int64_t)sizeof i, sizeof i);
            to[k] = (double)i;
        }
    }
}

/* count, or the index of the first number that does not fit. */
static int64_t store(const double *from, char *to, scalay_type type, int64_t count)
{
    for (int64_t k = 0; k < count; k++) {
        if (type == SCALAY_DOUBLE) {
            memcpy(to + k * (int64_t)sizeof(double), &from[k], sizeof(double));
        } else if (type == SCALAY_FLOAT) {
            float s = (float)from[k];
            if (isinf(s) && !isinf(from[k])) return k;
            memcpy(to + k * (int64_t)sizeof s, &s, sizeof s);
        } else {
            int i = (int)from[k];
            memcpy(to + k * (int64_t)sizeof i, &i, sizeof i);
        }
    }
    return count;
}

/* Real numbers become complex: from the end, since the array grows in place. */
static void spread(double *numbers, int64_t count)
{
    for (int64_t k = count - 1; k >= 0; k--) {
        numbers[2 * k] = numbers[k];
        numbers[2 * k + 1] = 0.0;
    }
}

int64_t scalay_convert(const void *from, scalay_type from_type, void *to, scalay_type to_type, int64_t count)
{
    double numbers[2 * BLOCK];
    int from_parts = scalay_components(from_type), to_parts = scalay_components(to_type);
    const char *in = from;
    char *out = to;
    for (int64_t done = 0; done < count; done += BLOCK) {
        int64_t block = scalay_min_int64(BLOCK, count - done);
        load(in + done * (int64_t)scalay_type_size(from_type), part_type(from_type), numbers, block * from_parts);
        if (from_parts < to_parts) spread(numbers, block);
        int64_t stored =
            store(numbers, out + done * (int64_t)scalay_type_size(to_type), part_type(to_type), block * to_parts);
        if (stored < block * to_parts) return done + stored / to_parts;
    }
    return count;
}

void scalay_swap_bytes(void *elements, scalay_type type, int64_t count)
{
    size_t size = scalay_type_size(part_type(type));
    unsigned char *at = elements;
    for (int64_t k = count * scalay_components(type); k > 0; k--, at += size) {
        for (size_t low = 0, high = size - 1; low < high; low++, high--) {
            unsigned char kept = at[low];
            at[low] = at[high];
            at[high] = kept;
        }
    }
}

/* Called with a constant size, so that the copies become single moves. */
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
