#include "base/bytes.h"
#include "redist/copier_ways.h"

#if defined(__GNUC__)
#define LOOP static inline __attribute__((always_inline))
#else
#define LOOP static inline
#endif

/* Series of a patch' rows at a time, which are moved in all columns before the next ones. */
enum { SERIES_MOST = 128 };

/* Runs of equal length at equal distances: cyclic layouts have few of these, however many runs they have. In bytes. */
typedef struct {
    int64_t from;
    int64_t to;
    int64_t from_step;
    int64_t to_step;
    int64_t count;
    int64_t bytes; /* of each run */
} series;

/* Whether a run goes on with a series; its second run sets the distances. */
static int extends(const series *last, int64_t from, int64_t to, int64_t bytes)
{
    if (last->bytes != bytes) return 0;
    if (last->count == 1) return 1;
    return from == last->from + last->count * last->from_step && to == last->to + last->count * last->to_step;
}

/* The series of the next runs; how many there are. */
static int collect_series(const scalay_patch *patch, int64_t size, const scalay_common_run **next, int64_t *packed,
                          series found[SERIES_MOST])
{
    int count = 0;
    for (; *next < patch->rows + patch->row_runs; ++*next) {
        const int64_t from = scalay_place_of(*next, patch->from.places, *packed) * size;
        const int64_t to = scalay_place_of(*next, patch->to.places, *packed) * size, bytes = (*next)->count * size;
        series *last = &found[count - 1];
        if (count > 0 && extends(last, from, to, bytes)) {
            if (last->count++ == 1) {
                last->from_step = from - last->from;
                last->to_step = to - last->to;
            }
        } else if (count == SERIES_MOST) {
            break;
        } else {
            found[count++] = (series){from, to, 0, 0, 1, bytes};
        }
        *packed += (*next)->count;
    }
    return count;
}

/* One column. `usual` is the length of nearly all runs, known when the loop is compiled; 0: any. */
LOOP void move_column(const series *rows, int count, size_t usual, const char *from, char *to)
{
    for (const series *at = rows; at < rows + count; at++) {
        const char *x = from + at->from;
        char *y = to + at->to;
        if (usual != 0 && at->bytes == (int64_t)usual)
            for (int64_t k = 0; k < at->count; k++, x += at->from_step, y += at->to_step) memcpy(y, x, usual);
        else
            for (int64_t k = 0; k < at->count; k++, x += at->from_step, y += at->to_step)
                scalay_bytes_copy(y, x, (size_t)at->bytes);
    }
}

/* Asks for what the next column is made of: caches do not foresee short pieces that lie far apart. */
static void fetch_column(const series *rows, int count, const char *from)
{
    enum { LINE = 64 };
    for (const series *at = rows; at < rows + count; at++) {
        const int64_t step = at->from_step > LINE ? at->from_step : LINE;
        const int64_t end = at->from + (at->count - 1) * at->from_step + at->bytes;
        for (int64_t x = at->from; x < end; x += step) scalay_bytes_fetch(from, x);
    }
}

/* Where a run of columns starts. */
LOOP char *start_of(const scalay_end *end, const scalay_common_run *run, int64_t packed, int64_t size)
{
    return end->base + scalay_place_of(run, end->places, packed) * end->col_stride * size;
}

LOOP void move_columns(const scalay_patch *patch, const series *rows, int count, int64_t size, size_t usual)
{
    const int64_t from_step = patch->from.col_stride * size, to_step = patch->to.col_stride * size;
    const scalay_common_run *last = patch->cols + patch->col_runs - 1;
    const int fetches = usual != 0 && patch->from.places != SCALAY_AT_PACKED;
    int64_t packed = 0;
    for (const scalay_common_run *run = patch->cols; run <= last; packed += run++->count) {
        const char *from = start_of(&patch->from, run, packed, size);
        char *to = start_of(&patch->to, run, packed, size);
        for (int64_t j = 1; j <= run->count; j++, from += from_step, to += to_step) {
            if (fetches && j < run->count) fetch_column(rows, count, from + from_step);
            if (fetches && j == run->count && run < last)
                fetch_column(rows, count, start_of(&patch->from, run + 1, packed + run->count, size));
            move_column(rows, count, usual, from, to);
        }
    }
}

static void move_usual(const scalay_patch *patch, const series *rows, int count, int64_t size)
{
    switch (rows[count / 2].bytes) {
    case 1:
        move_columns(patch, rows, count, size, 1);
        break;
    case 2:
        move_columns(patch, rows, count, size, 2);
        break;
    case 4:
        move_columns(patch, rows, count, size, 4);
        break;
    case 8:
        move_columns(patch, rows, count, size, 8);
        break;
    case 16:
        move_columns(patch, rows, count, size, 16);
        break;
    case 32:
        move_columns(patch, rows, count, size, 32);
        break;
    case 64:
        move_columns(patch, rows, count, size, 64);
        break;
    default:
        move_columns(patch, rows, count, size, 0);
    }
}

static void move_runs(const scalay_patch *patch, int64_t size)
{
    series rows[SERIES_MOST];
    const scalay_common_run *next = patch->rows;
    int64_t packed = 0;
    for (int count; (count = collect_series(patch, size, &next, &packed, rows)) > 0;)
        move_usual(patch, rows, count, size);
}

/* ------------------------------------------------------------------------ other things done to a column */

/* Does something to one column. */
typedef void (*column_work)(const scalay_patch *patch, int64_t size, const char *from, char *to);

static void for_columns(const scalay_patch *patch, int64_t size, column_work work)
{
    const int64_t from_step = patch->from.col_stride * size, to_step = patch->to.col_stride * size;
    int64_t packed = 0;
    for (const scalay_common_run *run = patch->cols; run < patch->cols + patch->col_runs; run++) {
        const char *from = patch->from.base + scalay_place_of(run, patch->from.places, packed) * from_step;
        char *to = patch->to.base + scalay_place_of(run, patch->to.places, packed) * to_step;
        for (int64_t j = 0; j < run->count; j++) work(patch, size, from + j * from_step, to + j * to_step);
        packed += run->count;
    }
}

static void stream_column(const scalay_patch *patch, int64_t size, const char *from, char *to)
{
    int64_t packed = 0;
    for (const scalay_common_run *run = patch->rows; run < patch->rows + patch->row_runs; run++) {
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
    for (const scalay_common_run *run = patch->rows; run < patch->rows + patch->row_runs; run++) {
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
