#include "core/bytes.h"
#include "redist/copier_ways.h"

/* What is known of a patch when its loops are compiled: where its rows are at both ends, and the bytes of nearly all
   its runs (0: any). */
typedef struct {
    scalay_places from;
    scalay_places to;
    size_t bytes;
} shape;

#if defined(__GNUC__)
#define LOOP static inline __attribute__((always_inline))
#else
#define LOOP static inline
#endif

LOOP void move_run(char *restrict to, const char *restrict from, size_t bytes, size_t usual)
{
    if (usual != 0 && bytes == usual)
        memcpy(to, from, usual);
    else
        scalay_bytes_copy(to, from, bytes);
}

LOOP void move_shape(const scalay_patch *patch, size_t size, shape known)
{
    const scalay_run *const end = patch->runs + patch->run_count;
    const int64_t bytes_of = (int64_t)size;
    const char *from = patch->from.base;
    char *to = patch->to.base;
    for (int64_t j = 0; j < patch->columns; j++) {
        int64_t packed = 0;
        for (const scalay_run *run = patch->runs; run < end; run++) {
            move_run(to + scalay_place_of(run, known.to, packed) * bytes_of,
                     from + scalay_place_of(run, known.from, packed) * bytes_of, (size_t)(run->count * bytes_of),
                     known.bytes);
            packed += run->count;
        }
        from += patch->from.col_stride * bytes_of;
        to += patch->to.col_stride * bytes_of;
    }
}

/* The pairs of places that packing, unpacking, pulling and copying what is kept have. */
LOOP void move_usual(const scalay_patch *patch, size_t size, size_t bytes)
{
    const scalay_places from = patch->from.places, to = patch->to.places;
    if (from == SCALAY_AT_NEAR && to == SCALAY_AT_PACKED)
        move_shape(patch, size, (shape){SCALAY_AT_NEAR, SCALAY_AT_PACKED, bytes});
    else if (from == SCALAY_AT_PACKED && to == SCALAY_AT_NEAR)
        move_shape(patch, size, (shape){SCALAY_AT_PACKED, SCALAY_AT_NEAR, bytes});
    else if (from == SCALAY_AT_FAR && to == SCALAY_AT_NEAR)
        move_shape(patch, size, (shape){SCALAY_AT_FAR, SCALAY_AT_NEAR, bytes});
    else
        move_shape(patch, size, (shape){from, to, bytes});
}

static void move_short(const scalay_patch *patch, size_t size)
{
    switch ((size_t)patch->runs[patch->run_count / 2].count * size) {
    case 1:
        move_usual(patch, size, 1);
        break;
    case 2:
        move_usual(patch, size, 2);
        break;
    case 4:
        move_usual(patch, size, 4);
        break;
    case 8:
        move_usual(patch, size, 8);
        break;
    case 16:
        move_usual(patch, size, 16);
        break;
    case 32:
        move_usual(patch, size, 32);
        break;
    case 64:
        move_usual(patch, size, 64);
        break;
    default:
        move_usual(patch, size, 0);
    }
}

static void stream_runs(const scalay_patch *patch, size_t size)
{
    const int64_t bytes = (int64_t)size;
    for (int64_t j = 0; j < patch->columns; j++) {
        int64_t packed = 0;
        for (const scalay_run *run = patch->runs; run < patch->runs + patch->run_count; run++) {
            const int64_t to = scalay_place_of(run, patch->to.places, packed) + j * patch->to.col_stride;
            const int64_t from = scalay_place_of(run, patch->from.places, packed) + j * patch->from.col_stride;
            scalay_bytes_stream(patch->to.base + to * bytes, patch->from.base + from * bytes,
                                (size_t)(run->count * bytes));
            packed += run->count;
        }
    }
    scalay_bytes_stream_end();
}

void scalay_copier_by_runs(const scalay_patch *patch, size_t size, int streams)
{
    if (streams)
        stream_runs(patch, size);
    else
        move_short(patch, size);
}

LOOP void move_elements(const scalay_patch *patch, size_t size)
{
    const int64_t bytes = (int64_t)size;
    const int64_t from_step = patch->from.row_stride * bytes, to_step = patch->to.row_stride * bytes;
    for (int64_t j = 0; j < patch->columns; j++) {
        int64_t packed = 0;
        for (const scalay_run *run = patch->runs; run < patch->runs + patch->run_count; run++) {
            const char *from = patch->from.base + scalay_place_of(run, patch->from.places, packed) * from_step +
                               j * patch->from.col_stride * bytes;
            char *to = patch->to.base + scalay_place_of(run, patch->to.places, packed) * to_step +
                       j * patch->to.col_stride * bytes;
            for (int64_t i = 0; i < run->count; i++) scalay_bytes_copy(to + i * to_step, from + i * from_step, size);
            packed += run->count;
        }
    }
}

void scalay_copier_by_elements(const scalay_patch *patch, size_t size)
{
    if (size == 4)
        move_elements(patch, 4);
    else if (size == 8)
        move_elements(patch, 8);
    else if (size == 16)
        move_elements(patch, 16);
    else
        move_elements(patch, size);
}
