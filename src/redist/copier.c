/* Block copies.

   Three methods, chosen by strides, run lengths and arithmetic:
     - by runs: row stride 1 at both ends, no arithmetic. Runs of equal length at equal distances form a series, so that
       short runs (cyclic layouts with small blocks) are copied by loops with constant length;
     - by tiles (copier_tiles.c): transposes and arithmetic, through a stage in the first-level cache;
     - by elements: strides without arithmetic for element sizes that the tiles do not support.
   In arrays larger than the caches, long runs are written with non-temporal stores, and the lines of short runs are
   prefetched. Large block copies are shared among OpenMP threads. Time: O(elements + runs x columns). */
#include "redist/copier.h"

#include <omp.h>

#include "base/bytes.h"
#include "base/integer.h"
#include "redist/copier_tiles.h"

#if defined(__GNUC__)
#define INLINE static inline __attribute__((always_inline))
#else
#define INLINE static inline
#endif

/* Number of series of rows that are copied in all columns before the next ones. */
enum { MAX_SERIES = SCALAY_MAX_SERIES };

/* A series in bytes. */
typedef struct {
    int64_t from;
    int64_t to;
    int64_t from_step;
    int64_t to_step;
    int64_t count;
    int64_t bytes; /* of each run */
} series;

/* The series of some rows, in bytes. `is_reversed`: 1: the copy goes to the end where the series begin. */
static void series_in_bytes(const scalay_row_series *found, int count, int64_t size, int is_reversed, series *rows)
{
    for (int k = 0; k < count; k++) {
        const scalay_row_series *at = &found[k];
        rows[k] = (series){.from = (is_reversed ? at->to : at->from) * size,
                           .to = (is_reversed ? at->from : at->to) * size,
                           .from_step = (is_reversed ? at->to_step : at->from_step) * size,
                           .to_step = (is_reversed ? at->from_step : at->to_step) * size,
                           .count = at->count,
                           .bytes = at->rows * size};
    }
}

static scalay_row_ends row_ends(const scalay_block_copy *copy)
{
    return (scalay_row_ends){copy->rows, copy->row_runs, copy->from.position, copy->to.position};
}

enum {
    AHEAD_BYTES = 4096,
    MAX_AHEAD_BYTES = 16384, /* in the target: its lines are to stay in the first-level cache until they are written */
    SHORT_BYTES = 64
};

/* Prefetches the lines of `bytes` bytes. */
INLINE void fetch(const char *base, int64_t distance, size_t bytes)
{
    for (size_t line = 0; line < bytes; line += 64) scalay_bytes_fetch(base, distance + (int64_t)line);
}

/* Prefetches the run that is AHEAD_BYTES of runs later. After the last run of a column, this is a run of the next
   column, if the columns are adjacent. */
INLINE void fetch_later_run(const series *rows, const char *from)
{
    const int64_t later = AHEAD_BYTES / rows->bytes * rows->from_step;
    fetch(from, later, (size_t)rows->bytes);
}

/* What is prefetched when a run is copied: distances in bytes to the same run of a later column; 0: nothing. Hardware
   prefetchers do not detect short, distant runs. */
typedef struct {
    int64_t from;
    int64_t to;
} distances;

/* Copies runs of equal length. `bytes`, `fetches_from` and `fetches_to` are compile-time constants. */
INLINE void copy_and_fetch(const series *at, const char *x, char *y, distances ahead, size_t bytes, int fetches_from,
                           int fetches_to)
{
    for (int64_t k = 0; k < at->count; k++, x += at->from_step, y += at->to_step) {
        if (fetches_from) fetch(x, ahead.from, bytes);
        if (fetches_to) fetch(y, ahead.to, bytes);
        memcpy(y, x, bytes);
    }
}

INLINE void copy_runs_of(const series *at, const char *x, char *y, distances ahead, size_t bytes)
{
    if (ahead.from != 0 && ahead.to != 0)
        copy_and_fetch(at, x, y, ahead, bytes, 1, 1);
    else if (ahead.from != 0)
        copy_and_fetch(at, x, y, ahead, bytes, 1, 0);
    else if (ahead.to != 0)
        copy_and_fetch(at, x, y, ahead, bytes, 0, 1);
    else
        copy_and_fetch(at, x, y, ahead, bytes, 0, 0);
}

static void copy_short_runs(const series *at, const char *x, char *y, distances ahead)
{
    for (int64_t k = 0; k < at->count; k++, x += at->from_step, y += at->to_step) {
        if (ahead.from != 0) scalay_bytes_fetch(x, ahead.from);
        if (ahead.to != 0) scalay_bytes_fetch(y, ahead.to);
        scalay_bytes_copy(y, x, (size_t)at->bytes);
    }
}

static void copy_other_runs(const series *at, const char *x, char *y, int fetches)
{
    const int ahead = fetches && at->count > 1 && at->bytes > SHORT_BYTES && at->bytes <= AHEAD_BYTES;
    for (int64_t k = 0; k < at->count; k++, x += at->from_step, y += at->to_step) {
        if (ahead) fetch_later_run(at, x);
        scalay_bytes_copy(y, x, (size_t)at->bytes);
    }
}

static void copy_series(const series *at, const char *x, char *y, int fetches, distances ahead)
{
    switch (at->bytes) {
    case 1:
        copy_runs_of(at, x, y, ahead, 1);
        break;
    case 2:
        copy_runs_of(at, x, y, ahead, 2);
        break;
    case 4:
        copy_runs_of(at, x, y, ahead, 4);
        break;
    case 8:
        copy_runs_of(at, x, y, ahead, 8);
        break;
    case 16:
        copy_runs_of(at, x, y, ahead, 16);
        break;
    case 24:
        copy_runs_of(at, x, y, ahead, 24);
        break;
    case 32:
        copy_runs_of(at, x, y, ahead, 32);
        break;
    case 48:
        copy_runs_of(at, x, y, ahead, 48);
        break;
    case SHORT_BYTES:
        copy_runs_of(at, x, y, ahead, SHORT_BYTES);
        break;
    case 2 * SHORT_BYTES:
        copy_runs_of(at, x, y, ahead, 2 * SHORT_BYTES);
        break;
    default:
        if (at->bytes < SHORT_BYTES && (ahead.from != 0 || ahead.to != 0))
            copy_short_runs(at, x, y, ahead);
        else
            copy_other_runs(at, x, y, fetches);
    }
}

/* Writes runs with non-temporal stores. Prefetches those that are `ahead` bytes further, if it is not 0. */
static void stream_series(const series *at, const char *x, char *y, int64_t ahead)
{
    const int64_t fetched = ahead != 0 && at->bytes <= AHEAD_BYTES ? at->bytes : 0;
    for (int64_t k = 0; k < at->count; k++, x += at->from_step, y += at->to_step) {
        fetch(x, ahead, (size_t)fetched);
        scalay_bytes_stream(y, x, (size_t)at->bytes);
    }
}

/* Returns the start of a run of columns. */
INLINE char *column_start(const scalay_end *end, const scalay_common_run *run, int64_t packed, int64_t size)
{
    return end->base + scalay_run_place(run, end->position, packed) * end->col_stride * size;
}

/* Returns the distance in bytes from column j of a run, counted from 1, to the column after it; 0: there is none.
   `start`: address of column j. */
INLINE int64_t next_column(const scalay_block_copy *copy, const scalay_end *end, const scalay_common_run *run,
                           int64_t j, int64_t packed, const char *start, int64_t size)
{
    if (j < run->count) return end->col_stride * size;
    if (run + 1 == copy->cols + copy->col_runs) return 0;
    return column_start(end, run + 1, packed + run->count, size) - start;
}

/* How a target is written. */
typedef enum {
    TO_CACHE,  /* it stays in the caches */
    TO_MEMORY, /* its lines are read from memory first */
    STREAMED   /* with non-temporal stores */
} target_kind;

/* Copies some rows in all columns. */
static void move_columns(const scalay_block_copy *copy, const series *rows, int count, int64_t size, target_kind kind)
{
    const int64_t from_step = copy->from.col_stride * size, to_step = copy->to.col_stride * size;
    const int fetches = copy->from.position != SCALAY_AT_PACKED;
    int64_t packed = 0;
    for (const scalay_common_run *run = copy->cols; run < copy->cols + copy->col_runs; packed += run++->count) {
        const char *from = column_start(&copy->from, run, packed, size);
        char *to = column_start(&copy->to, run, packed, size);
        for (int64_t j = 1; j <= run->count; j++, from += from_step, to += to_step) {
            distances ahead = {0, 0};
            if (fetches) ahead.from = next_column(copy, &copy->from, run, j, packed, from, size);
            if (kind == TO_MEMORY)
                ahead.to = scalay_min_int64(next_column(copy, &copy->to, run, j, packed, to, size), MAX_AHEAD_BYTES);
            for (const series *at = rows; at < rows + count; at++)
                if (kind == STREAMED)
                    stream_series(at, from + at->from, to + at->to, ahead.from);
                else
                    copy_series(at, from + at->from, to + at->to, fetches, ahead);
        }
    }
}

/* Copies all runs by series that are known. */
static void move_known_series(const scalay_block_copy *copy, int64_t size, target_kind kind)
{
    series rows[MAX_SERIES];
    series_in_bytes(copy->series, copy->series_count, size, copy->to.position == SCALAY_AT_OWN, rows);
    move_columns(copy, rows, copy->series_count, size, kind);
}

static void move_runs(const scalay_block_copy *copy, int64_t size, target_kind kind)
{
    series rows[MAX_SERIES];
    scalay_row_series found[MAX_SERIES];
    const scalay_row_ends ends = row_ends(copy);
    scalay_row_position next = {.run = copy->rows};
    for (int count; (count = scalay_row_series_collect(&ends, &next, found, MAX_SERIES)) > 0;) {
        series_in_bytes(found, count, size, 0, rows);
        move_columns(copy, rows, count, size, kind);
    }
}

/* ------------------------------------------------------------------------ other things done to a column */

/* Copies one column. */
typedef void (*column_work)(const scalay_block_copy *copy, int64_t size, const char *from, char *to);

static void for_columns(const scalay_block_copy *copy, int64_t size, column_work work)
{
    const int64_t from_step = copy->from.col_stride * size, to_step = copy->to.col_stride * size;
    int64_t packed = 0;
    for (const scalay_common_run *run = copy->cols; run < copy->cols + copy->col_runs; run++) {
        const char *from = copy->from.base + scalay_run_place(run, copy->from.position, packed) * from_step;
        char *to = copy->to.base + scalay_run_place(run, copy->to.position, packed) * to_step;
        for (int64_t j = 0; j < run->count; j++) work(copy, size, from + j * from_step, to + j * to_step);
        packed += run->count;
    }
}

/* Runs that follow one another contiguously at both ends are one run of a series: each end of a run may share a line
   with other elements. */
static void copy_by_runs(const scalay_block_copy *copy, size_t size, target_kind kind)
{
    if (copy->series_count > 0)
        move_known_series(copy, (int64_t)size, kind);
    else
        move_runs(copy, (int64_t)size, kind);
    if (kind == STREAMED) scalay_bytes_stream_end();
}

INLINE void move_elements(const scalay_block_copy *copy, int64_t size, const char *from, char *to)
{
    const int64_t from_step = copy->from.row_stride * size, to_step = copy->to.row_stride * size;
    int64_t packed = 0;
    for (const scalay_common_run *run = copy->rows; run < copy->rows + copy->row_runs; run++) {
        const char *x = from + scalay_run_place(run, copy->from.position, packed) * from_step;
        char *y = to + scalay_run_place(run, copy->to.position, packed) * to_step;
        for (int64_t i = 0; i < run->count; i++) scalay_bytes_copy(y + i * to_step, x + i * from_step, (size_t)size);
        packed += run->count;
    }
}

static void elements_4(const scalay_block_copy *copy, int64_t size, const char *from, char *to)
{
    (void)size;
    move_elements(copy, 4, from, to);
}

static void elements_8(const scalay_block_copy *copy, int64_t size, const char *from, char *to)
{
    (void)size;
    move_elements(copy, 8, from, to);
}

static void elements_16(const scalay_block_copy *copy, int64_t size, const char *from, char *to)
{
    (void)size;
    move_elements(copy, 16, from, to);
}

static void elements_any(const scalay_block_copy *copy, int64_t size, const char *from, char *to)
{
    move_elements(copy, size, from, to);
}

static void copy_by_elements(const scalay_block_copy *copy, size_t size)
{
    for_columns(copy, (int64_t)size,
                size == 4    ? elements_4
                : size == 8  ? elements_8
                : size == 16 ? elements_16
                             : elements_any);
}

enum {
    SHARED_BYTES = 1 << 18,   /* block copies from this size on are shared among threads */
    STREAMED_BYTES = 1 << 22, /* arrays from this size on are written with non-temporal stores */
    /* The same for columns of less than COLUMN_BYTES that are copied one by one, as a diagonal cuts them: each of them
     * waits until its stores are done. Measured with triangles of order 1024 to 4096 (docs/benchmarks.md). */
    STREAMED_COLUMNS_BYTES = 1 << 25,
    COLUMN_BYTES = 1 << 15
};

scalay_copier scalay_copier_for(scalay_type type)
{
    return (scalay_copier){.type = type, .size = scalay_type_size(type), .alpha = {1.0, 0.0}, .threads = 1};
}

void scalay_copier_scalar(scalay_type type, const void *scalar, double default_value, double value[2])
{
    value[0] = default_value;
    value[1] = 0.0;
    if (scalar == NULL) return;
    const int parts = type == SCALAY_COMPLEX_FLOAT || type == SCALAY_COMPLEX_DOUBLE ? 2 : 1;
    const int wide = type == SCALAY_DOUBLE || type == SCALAY_COMPLEX_DOUBLE;
    for (int k = 0; k < parts; k++) value[k] = wide ? ((const double *)scalar)[k] : (double)((const float *)scalar)[k];
}

/* ------------------------------------------------------------------------------------------ what it is */

static int64_t count_of(const scalay_common_run *runs, int64_t run_count)
{
    int64_t count = 0;
    for (int64_t k = 0; k < run_count; k++) count += runs[k].count;
    return count;
}

static int is_contiguous(const scalay_end *end, int64_t rows)
{
    return end->row_stride == 1 && end->col_stride == rows;
}

static int64_t start_of(const scalay_block_copy *copy, const scalay_end *end)
{
    return (scalay_run_place(copy->rows, end->position, 0) * end->row_stride +
            scalay_run_place(copy->cols, end->position, 0) * end->col_stride);
}

/* Joins columns that follow one another contiguously at both ends to one column. */
static scalay_block_copy merged(const scalay_block_copy *copy, size_t size, scalay_common_run only[2])
{
    const int64_t rows = copy->rows[0].count, columns = copy->cols[0].count;
    scalay_block_copy column = *copy;
    if (copy->row_runs != 1 || copy->col_runs != 1 || columns == 1) return column;
    if (!is_contiguous(&copy->from, rows) || !is_contiguous(&copy->to, rows)) return column;
    only[0] = (scalay_common_run){.count = rows * columns};
    only[1] = (scalay_common_run){.count = 1};
    column.series_count = 0;
    column.rows = &only[0];
    column.cols = &only[1];
    column.from.base += start_of(copy, &copy->from) * (int64_t)size;
    column.to.base += start_of(copy, &copy->to) * (int64_t)size;
    return column;
}

static int is_one_column(const scalay_block_copy *copy)
{
    return copy->col_runs == 1 && copy->cols[0].count == 1;
}

/* Counts the row runs, where those that follow one another contiguously at both ends are one. */
static int64_t joined_runs(const scalay_block_copy *copy)
{
    const scalay_row_ends ends = row_ends(copy);
    scalay_row_position at = {.run = copy->rows};
    int64_t count = 0;
    for (int k = 0; k < copy->series_count; k++) count += copy->series[k].count;
    if (count > 0) return count;
    for (; at.run < copy->rows + copy->row_runs; count++) (void)scalay_row_series_join(&ends, &at);
    return count;
}

/* Returns 1 if runs of rows are long enough to be written with non-temporal stores without a stage, on average. */
static int has_long_runs(const scalay_copier *copier, const scalay_block_copy *copy)
{
    const int64_t bytes = count_of(copy->rows, copy->row_runs) * (int64_t)copier->size;
    return bytes >= joined_runs(copy) * SCALAY_BYTES_STREAM;
}

static int is_short_column(const scalay_copier *copier, const scalay_block_copy *copy)
{
    return is_one_column(copy) && count_of(copy->rows, copy->row_runs) * (int64_t)copier->size < COLUMN_BYTES;
}

/* A target that is added to was read before, so it is in the caches. */
static int is_large_target(const scalay_copier *copier, const scalay_block_copy *copy)
{
    if (copier->adds) return 0;
    if (is_short_column(copier, copy))
        return copier->target_bytes >= STREAMED_COLUMNS_BYTES && has_long_runs(copier, copy);
    if (copier->target_bytes >= STREAMED_BYTES) return 1;
    return copy->row_runs == 1 && is_one_column(copy) && copy->rows[0].count * (int64_t)copier->size >= STREAMED_BYTES;
}

/* ----------------------------------------------------------------------------------------------- moving */

static void move_plain_runs(const scalay_copier *copier, const scalay_block_copy *copy)
{
    const int is_large = is_large_target(copier, copy), streams = is_large && has_long_runs(copier, copy);
    copy_by_runs(copy, copier->size, streams ? STREAMED : is_large ? TO_MEMORY : TO_CACHE);
}

/* Element sizes for which copying through a stage is compiled. */
static int is_usual(size_t size)
{
    return size == 1 || size == 2 || size == 4 || size == 8 || size == 16;
}

static void move(const scalay_copier *copier, const scalay_block_copy *copy)
{
    const int plain = !copier->scaled && !copier->conjugate;
    if (plain && copy->from.row_stride == 1 && copy->to.row_stride == 1)
        move_plain_runs(copier, copy);
    else if (plain && (is_one_column(copy) || !is_usual(copier->size)))
        copy_by_elements(copy, copier->size);
    else
        scalay_copy_by_tiles(copier, copy, is_large_target(copier, copy));
}

/* ---------------------------------------------------------------------------------------------- threads */

int scalay_copier_threads(void)
{
#if defined(_OPENMP)
    return omp_get_max_threads();
#else
    return 1;
#endif
}

/* Consecutive rows or columns of a block copy: whole runs, or a part of one run. */
typedef struct {
    const scalay_common_run *runs;
    int64_t run_count;
    int64_t count;
    scalay_common_run part;
} run_range;

/* Finds the consecutive rows or columns from number `skip` on, at maximum `maximum`. */
static void find_run_range(const scalay_common_run *runs, int64_t skip, int64_t maximum, run_range *found)
{
    int64_t whole = 0, count = 0;
    while (skip >= runs->count) skip -= runs++->count;
    while (skip == 0 && count < maximum && count + runs[whole].count <= maximum) count += runs[whole++].count;
    found->runs = runs;
    found->run_count = whole;
    found->count = count;
    if (whole > 0) return;
    found->part = *runs;
    found->part.local_a += skip;
    found->part.local_b += skip;
    found->part.count = scalay_min_int64(runs->count - skip, maximum);
    found->runs = &found->part;
    found->run_count = 1;
    found->count = found->part.count;
}

static void skip_packed(scalay_end *end, size_t size, int64_t elements)
{
    if (end->position == SCALAY_AT_PACKED) end->base += elements * (int64_t)size;
}

/* Copies columns, or rows, first .. end - 1. */
static void move_some(const scalay_copier *copier, const scalay_block_copy *copy, int by_columns, int64_t first,
                      int64_t end)
{
    run_range some;
    for (; first < end; first += some.count) {
        scalay_block_copy part = *copy;
        find_run_range(by_columns ? copy->cols : copy->rows, first, end - first, &some);
        if (by_columns) {
            part.cols = some.runs;
            part.col_runs = some.run_count;
        } else {
            part.rows = some.runs;
            part.row_runs = some.run_count;
            part.series_count = 0;
        }
        skip_packed(&part.from, copier->size, first * (by_columns ? part.from.col_stride : part.from.row_stride));
        skip_packed(&part.to, copier->size, first * (by_columns ? part.to.col_stride : part.to.row_stride));
        move(copier, &part);
    }
}

void scalay_copier_copy_part(const scalay_copier *copier, const scalay_block_copy *copy, int part, int parts)
{
    const int64_t columns = count_of(copy->cols, copy->col_runs);
    const int by_columns = columns >= parts;
    const int64_t count = by_columns ? columns : count_of(copy->rows, copy->row_runs);
    const int64_t share = count / parts, rest = count % parts;
    const int64_t first = share * part + scalay_min_int64(rest, part);
    move_some(copier, copy, by_columns, first, first + share + (part < rest));
}

static void copy_by_threads(const scalay_copier *copier, const scalay_block_copy *copy)
{
    const int parts = copier->threads;
#if defined(_OPENMP)
#pragma omp parallel for num_threads(parts) schedule(static)
#endif
    for (int part = 0; part < parts; part++) scalay_copier_copy_part(copier, copy, part, parts);
}

static int64_t bytes_of(const scalay_block_copy *copy, size_t size)
{
    return count_of(copy->rows, copy->row_runs) * count_of(copy->cols, copy->col_runs) * (int64_t)size;
}

void scalay_copier_copy_block(const scalay_copier *copier, const scalay_block_copy *copy)
{
    scalay_common_run only[2];
    if (copy->row_runs <= 0 || copy->col_runs <= 0) return;
    const scalay_block_copy whole = merged(copy, copier->size, only);
    if (copier->threads > 1 && bytes_of(&whole, copier->size) >= SHARED_BYTES)
        copy_by_threads(copier, &whole);
    else
        move(copier, &whole);
}

void scalay_copier_copy_columns(const scalay_copier *copier, const scalay_common_run *runs, int64_t run_count,
                                int64_t columns, scalay_end from, scalay_end to)
{
    const scalay_common_run cols = {.count = columns};
    const scalay_block_copy copy = {
        .rows = runs, .cols = &cols, .row_runs = run_count, .col_runs = columns > 0, .from = from, .to = to};
    scalay_copier_copy_block(copier, &copy);
}

int scalay_copier_copies_series(const scalay_copier *copier, int64_t rows)
{
    const int is_large =
        copier->target_bytes >= STREAMED_COLUMNS_BYTES && rows * (int64_t)copier->size >= SCALAY_BYTES_STREAM;
    return !copier->scaled && !copier->conjugate && !is_large;
}

void scalay_copier_copy_series(const scalay_copier *copier, const scalay_row_series *found, int count, int is_reversed,
                               int64_t ahead, const char *from, char *to)
{
    for (int k = 0; k < count; k++) {
        series rows;
        series_in_bytes(&found[k], 1, (int64_t)copier->size, is_reversed, &rows);
        copy_series(&rows, from + rows.from, to + rows.to, ahead != 0, (distances){ahead, 0});
    }
}
