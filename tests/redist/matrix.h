#ifndef SCALAY_TESTS_REDIST_MATRIX_H
#define SCALAY_TESTS_REDIST_MATRIX_H

/**
 * @file
 * Local arrays whose every element tells its global place, and whose other bytes are canaries; and what a move ought to
 * cost, element by element.
 */

#include "redist/definition.h"

enum { GUARD = 64, CANARY = 0xA5 };

/** A local array with guards on both sides. */
typedef struct {
    unsigned char *bytes;
    int64_t length;
} local_array;

/** The first element. */
static inline unsigned char *array_data(const local_array *array)
{
    return array->bytes + GUARD;
}

/** Byte b of element (i, j): no two neighbours are alike, and no element looks like canaries. */
static inline unsigned char element_byte(int64_t i, int64_t j, int64_t b)
{
    uint64_t x =
        (uint64_t)i * 0x9E3779B97F4A7C15u + (uint64_t)j * 0xC2B2AE3D27D4EB4Fu + (uint64_t)b * 0x165667B19E3779F9u;
    x ^= x >> 29;
    x *= 0xBF58476D1CE4E5B9u;
    x ^= x >> 32;
    return (unsigned char)(x % 160); /* below the canary */
}

/** Canaries, and with `filled` the elements that the process owns in the layout. */
static inline local_array make_array(const definition *d, int process, size_t size, int filled)
{
    const int own = part_on(d, process);
    local_array array = {NULL, part_size(d, own) * (int64_t)size + 2 * GUARD};
    array.bytes = scalay_allocate(array.length, 1);
    memset(array.bytes, CANARY, (size_t)array.length);
    for (int64_t j = 0; j < d->n && filled && own >= 0; j++)
        for (int64_t i = 0; i < d->m; i++) {
            int64_t offset = 0;
            if (part_of(d, i, j, &offset) != own) continue;
            for (size_t b = 0; b < size; b++)
                array_data(&array)[offset * (int64_t)size + (int64_t)b] = element_byte(i, j, (int64_t)b);
        }
    return array;
}

static inline void free_array(local_array *array)
{
    scalay_release(array->bytes);
    array->bytes = NULL;
}

static inline int arrays_equal(const local_array *a, const local_array *b)
{
    return a->length == b->length && memcmp(a->bytes, b->bytes, (size_t)a->length) == 0;
}

/** What moves, counted element by element: items[from * size + to]. */
static inline int64_t *count_items(const definition *source, const definition *target, int size)
{
    int64_t *items = scalay_allocate((int64_t)size * size, sizeof *items);
    int64_t unused = 0;
    for (int64_t j = 0; j < source->n; j++)
        for (int64_t i = 0; i < source->m; i++) {
            const int from = source->process[part_of(source, i, j, &unused)];
            const int to = target->process[part_of(target, i, j, &unused)];
            items[(int64_t)from * size + to]++;
        }
    return items;
}

/** Sums over the counted items. */
typedef struct {
    int64_t sent, received, kept; /* of a rank */
    int64_t out, in;              /* peers of the rank */
    int64_t volume, steps;        /* of all */
} item_sums;

static inline item_sums sum_items(const int64_t *items, int size, int rank)
{
    item_sums sums = {0};
    for (int i = 0; i < size; i++) {
        int64_t sent = 0, received = 0;
        for (int j = 0; j < size; j++) {
            if (i == j) continue;
            sent += items[(int64_t)i * size + j];
            received += items[(int64_t)j * size + i];
            if (i != rank) continue;
            sums.out += items[(int64_t)i * size + j] > 0;
            sums.in += items[(int64_t)j * size + i] > 0;
        }
        sums.volume += sent;
        if (sent > sums.steps) sums.steps = sent;
        if (received > sums.steps) sums.steps = received;
        if (i != rank) continue;
        sums.sent = sent;
        sums.received = received;
        sums.kept = items[(int64_t)i * size + i];
    }
    return sums;
}

#endif
