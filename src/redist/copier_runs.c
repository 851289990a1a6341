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

/* One column. */
LOOP void move_column(const scalay_patch *patch, int64_t size, shape known, const char *from, char *to)
{
    const scalay_run *const end = patch->rows + patch->row_runs;
    int64_t packed = 0;
    for (const scalay_run *run = patch->rows; run < end; run++) {
        move_run(to + scalay_place_of(run, known.to, packed) * size,
                 from + scalay_place_of(run, known.from, packed) * size, (size_t)(run->count * size), known.bytes);
        packed += run->count;
    }
}

LOOP void move_shape(const scalay_patch *patch, int64_t size, shape known)
{
    const int64_t from_step = patch->from.col_stride * size, to_step = patch->to.col_stride * size;
    int64_t packed = 0;
    for (const scalay_run *run = patch->cols; run < patch->cols + patch->col_runs; run++) {
        const char *from = patch->from.base + scalay_place_of(run, known.from, packed) * from_step;
        char *to = patch->to.base + scalay_place_of(run, known.to, packed) * to_step;
        for (int64_t j = 0; j < run->count; j++)
            move_column(patch, size, known, from + j * from_step, to + j * to_step);
        packed += run->count;
    }
}

/* The pairs of places that packing, unpacking, pulling and copying what is kept have. */
LOOP void move_usual(const scalay_patch *patch, int64_t size, size_t bytes)
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

static void move_runs(const scalay_patch *patch, int64_t size)
{
    switch (patch->rows[patch->row_runs / 2].count * size) {
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

/* ------------------------------------------------------------------------ other things done to a column */

/* Does something to one column. */
typedef void (*column_work)(const scalay_patch *patch, int64_t size, const char *from, char *to);

static void for_columns(const scalay_patch *patch, int64_t size, column_work work)
{
    const int64_t from_step = patch->from.col_stride * size, to_step = patch->to.col_stride * size;
    int64_t packed = 0;
    for (const scalay_run *run = patch->cols; run < patch->cols + patch->col_runs; run++) {
        const char *from = patch->from.base + scalay_place_of(run, patch->from.places, packed) * from_step;
        char *to = patch->to.base + scalay_place_of(run, patch->to.places, packed) * to_step;
        for (int64_t j = 0; j < run->count; j++) work(patch, size, from + j * from_step, to + j * to_step);
        packed += run->count;
    }
}

static void stream_column(const scalay_patch *patch, int64_t size, const char *from, char *to)
{
    int64_t packed = 0;
    for (const scalay_run *run = patch->rows; run < patch->rows + patch->row_runs; run++) {
        scalay_bytes_stream(to + scalay_place_of(run, patch->to.places, packed) * size,
                            from + scalay_place_of(run, patch->from.places, packed) * size,
                            (size_t)(run->count * size));
        packed += run->count;
    }
}

void scalay_copier_by_runs(const scalay_patch *patch, size_t size, int streams)
{
    if (!streams) {
        move_runs(patch, (int64_t)size);
        return;
    }
    for_columns(patch, (int64_t)size, stream_column);
    scalay_bytes_stream_end();
}

LOOP void move_elements(const scalay_patch *patch, int64_t size, const char *from, char *to)
{
    const int64_t from_step = patch->from.row_stride * size, to_step = patch->to.row_stride * size;
    int64_t packed = 0;
    for (const scalay_run *run = patch->rows; run < patch->rows + patch->row_runs; run++) {
        const char *x = from + scalay_place_of(run, patch->from.places, packed) * from_step;
        char *y = to + scalay_place_of(run, patch->to.places, packed) * to_step;
        for (int64_t i = 0; i < run->count; i++) scalay_bytes_copy(y + i * to_step, x + i * from_step, (size_t)size);
        packed += run->count;
    }
}

static void elements_4(const scalay_patch *patch, int64_t size, const char *from, char *to)
{
    (void)size;
    move_elements(patch, 4, from, to);
}

static void elements_8(const scalay_patch *patch, int64_t size, const char *from, char *to)
{
    (void)size;
    move_elements(patch, 8, from, to);
}

static void elements_16(const scalay_patch *patch, int64_t size, const char *from, char *to)
{
    (void)size;
    move_elements(patch, 16, from, to);
}

static void elements_any(const scalay_patch *patch, int64_t size, const char *from, char *to)
{
    move_elements(patch, size, from, to);
}

void scalay_copier_by_elements(const scalay_patch *patch, size_t size)
{
    for_columns(patch, (int64_t)size,
                size == 4    ? elements_4
                : size == 8  ? elements_8
                : size == 16 ? elements_16
                             : elements_any);
}
