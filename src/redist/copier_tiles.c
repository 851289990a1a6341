/* Block copies by tiles.

   A block copy has two axes: rows and columns. The inner axis is the one along which the target is contiguous, if there
   is one. A tile is gathered into the stage in the order of the target: the inner elements of the first line, of the
   second line, and so on. The stage fits into the first-level cache together with the part of the source that it is
   filled from. */
#include "redist/copier_tiles.h"

#include <stdalign.h>

#include "base/bytes.h"
#include "base/integer.h"

/* Consecutive elements, one step apart. */
typedef struct {
    int64_t offset; /* of the first, in bytes */
    int64_t count;
} span;

/* Arithmetic, in both precisions. Compiled without contraction to fused operations, so that an element gets the same
   bits in the middle of a vector and at its end. */

#define REAL float
#define NAME(verb) verb##_single
#include "redist/copier_worker.h"
#undef REAL
#undef NAME
#define REAL double
#define NAME(verb) verb##_double
#include "redist/copier_worker.h"
#undef REAL
#undef NAME

static void combine(const scalay_copier *copier, const span *spans, int64_t count, const char *x, char *y,
                    int64_t stride)
{
    const void *from = x;
    if (copier->type == SCALAY_FLOAT)
        combine_real_single(copier, spans, count, from, y, stride);
    else if (copier->type == SCALAY_DOUBLE)
        combine_real_double(copier, spans, count, from, y, stride);
    else if (copier->type == SCALAY_COMPLEX_FLOAT)
        combine_complex_single(copier, spans, count, from, y, stride);
    else
        combine_complex_double(copier, spans, count, from, y, stride);
}

enum {
    STAGE_BYTES = 16384,
    SPANS = 1024,          /* of a slice of the inner axis, at each end */
    FETCHED = 2,           /* lines to prefetch */
    FETCHED_BYTES = 64,    /* by one prefetch */
    LINES = 64,            /* of a tile */
    TRANSPOSED = 64,       /* inner elements of a tile whose lines are contiguous in the source */
    TRANSPOSED_BYTES = 256 /* length of contiguous source memory per tile, so that whole cache lines are used */
};

/* One axis of a block copy. Steps are in bytes. */
typedef struct {
    const scalay_common_run *runs;
    int64_t run_count;
    scalay_run_position from_position, to_position;
    int64_t from_step, to_step;
} axis;

/* A position on an axis. */
typedef struct {
    int64_t run;
    int64_t done;   /* elements of the run that are done */
    int64_t packed; /* elements before the position */
} axis_cursor;

/* Consecutive elements on an axis: `count` elements, the first at `from` and `to`, in bytes. */
typedef struct {
    int64_t count;
    int64_t from, to;
} neighbours;

/* The part of the inner axis that a tile covers. */
typedef struct {
    span from[SPANS], to[SPANS];
    int64_t from_count, to_count;
    int64_t count; /* elements */
} slice;

/* The part of the outer axis that a tile covers; offsets in bytes. */
typedef struct {
    int64_t from[LINES], to[LINES];
    int64_t count;
} line_list;

typedef struct {
    const scalay_copier *copier;
    int64_t size;
    int streams;
    const char *from;
    char *to;
    axis inner, outer;
    char *stage;   /* STAGE_BYTES */
    char *product; /* STAGE_BYTES */
} mover;

/* ------------------------------------------------------------------------------------------------ axes */

static int at_end(const axis *a, const axis_cursor *at)
{
    return at->run == a->run_count;
}

/* Returns the next consecutive elements, at least one and at maximum `maximum`. */
static neighbours next_neighbours(const axis *a, axis_cursor *at, int64_t maximum)
{
    const scalay_common_run *run = &a->runs[at->run];
    const int64_t count = scalay_min_int64(run->count - at->done, maximum);
    const int64_t start = at->packed - at->done; /* start of the run */
    const neighbours next = {.count = count,
                             .from = (scalay_run_place(run, a->from_position, start) + at->done) * a->from_step,
                             .to = (scalay_run_place(run, a->to_position, start) + at->done) * a->to_step};
    at->packed += count;
    at->done += count;
    if (at->done == run->count) {
        at->run++;
        at->done = 0;
    }
    return next;
}

static void add_span(span *spans, int64_t *count, int64_t offset, int64_t elements, int64_t step)
{
    if (*count > 0) {
        span *last = &spans[*count - 1];
        if (last->offset + last->count * step == offset) {
            last->count += elements;
            return;
        }
    }
    spans[(*count)++] = (span){.offset = offset, .count = elements};
}

static void next_slice(const axis *a, axis_cursor *at, int64_t maximum, slice *next)
{
    next->from_count = next->to_count = next->count = 0;
    while (!at_end(a, at) && next->count < maximum && next->from_count < SPANS && next->to_count < SPANS) {
        const neighbours p = next_neighbours(a, at, maximum - next->count);
        add_span(next->from, &next->from_count, p.from, p.count, a->from_step);
        add_span(next->to, &next->to_count, p.to, p.count, a->to_step);
        next->count += p.count;
    }
}

static void next_lines(const axis *a, axis_cursor *at, int64_t maximum, line_list *lines)
{
    lines->count = 0;
    while (!at_end(a, at) && lines->count < maximum) {
        const neighbours p = next_neighbours(a, at, maximum - lines->count);
        for (int64_t k = 0; k < p.count; k++) {
            lines->from[lines->count] = p.from + k * a->from_step;
            lines->to[lines->count++] = p.to + k * a->to_step;
        }
    }
}

/* ------------------------------------------------------------------------------------------------ tiles */

/* Nearly all spans have `usual` bytes, a compile-time constant; 0: any length. */
static inline void copy_span(char *restrict to, const char *restrict from, size_t bytes, size_t usual)
{
    if (usual != 0 && bytes == usual)
        memcpy(to, from, usual);
    else
        scalay_bytes_copy(to, from, bytes);
}

static inline void gather_spans(const mover *m, const slice *part, const char *from, char *stage, size_t usual)
{
    for (const span *s = part->from; s < part->from + part->from_count; s++) {
        const size_t bytes = (size_t)(s->count * m->size);
        copy_span(stage, from + s->offset, bytes, usual);
        stage += bytes;
    }
}

/* Gathers one line whose inner elements are contiguous in the source. */
static void gather_line(const mover *m, const slice *part, const char *from, char *stage)
{
    const int64_t usual = part->from[part->from_count / 2].count * m->size;
    if (usual == 8)
        gather_spans(m, part, from, stage, 8);
    else if (usual == 16)
        gather_spans(m, part, from, stage, 16);
    else if (usual == 32)
        gather_spans(m, part, from, stage, 32);
    else if (usual == 64)
        gather_spans(m, part, from, stage, 64);
    else if (usual == 128)
        gather_spans(m, part, from, stage, 128);
    else
        gather_spans(m, part, from, stage, 0);
}

/* Prefetches the spans of the line at an offset. Hardware prefetchers do not detect short, distant spans. */
static void fetch_spans(const mover *m, const slice *part, int64_t line)
{
    int64_t end = part->from->offset - FETCHED_BYTES; /* of the last span that was fetched */
    for (const span *s = part->from; s < part->from + part->from_count; s++) {
        const int64_t bytes = s->count * m->size;
        if (s->offset + bytes - end < FETCHED_BYTES) continue;
        for (int64_t k = 0; k < bytes; k += FETCHED_BYTES) scalay_bytes_fetch(m->from, line + s->offset + k);
        end = s->offset + bytes;
    }
}

/* Counts the lines that follow line `first` contiguously in the source, including it. */
static int64_t count_neighbours(const line_list *lines, int64_t first, int64_t step)
{
    int64_t count = 1;
    while (first + count < lines->count && lines->from[first + count] == lines->from[first] + count * step) count++;
    return count;
}

/* Gathers lines that are contiguous across the inner axis by small transposes. */
static void gather_transposed(const mover *m, const slice *part, const line_list *lines)
{
    const char *element[TRANSPOSED];
    int64_t k = 0;
    for (const span *s = part->from; s < part->from + part->from_count; s++)
        for (int64_t i = 0; i < s->count; i++) element[k++] = m->from + s->offset + i * m->inner.from_step;
    for (int64_t first = 0, count; first < lines->count; first += count) {
        count = count_neighbours(lines, first, m->size);
        scalay_bytes_transpose((size_t)m->size, element, part->count, lines->from[first], count,
                               m->stage + first * part->count * m->size);
    }
}

static void gather_elements(const mover *m, const slice *part, const char *from, char *stage)
{
    for (const span *s = part->from; s < part->from + part->from_count; s++)
        for (int64_t i = 0; i < s->count; i++) {
            scalay_bytes_copy(stage, from + s->offset + i * m->inner.from_step, (size_t)m->size);
            stage += m->size;
        }
}

static void gather(const mover *m, const slice *part, const line_list *lines)
{
    if (m->inner.from_step != m->size && m->outer.from_step == m->size) {
        gather_transposed(m, part, lines);
        return;
    }
    const int fetches = m->streams && m->inner.from_step == m->size && part->from_count > 1;
    for (int64_t k = 0; k < lines->count; k++) {
        char *stage = m->stage + k * part->count * m->size;
        const int64_t next = k + 1 < lines->count ? lines->from[k + 1] : lines->from[k] + m->outer.from_step;
        if (fetches) fetch_spans(m, part, next);
        if (m->inner.from_step == m->size)
            gather_line(m, part, m->from + lines->from[k], stage);
        else
            gather_elements(m, part, m->from + lines->from[k], stage);
    }
}

static void put_elements(const mover *m, const slice *part, const char *stage, char *to)
{
    for (const span *s = part->to; s < part->to + part->to_count; s++)
        for (int64_t i = 0; i < s->count; i++) {
            scalay_bytes_copy(to + s->offset + i * m->inner.to_step, stage, (size_t)m->size);
            stage += m->size;
        }
}

static inline void put_spans(const mover *m, const slice *part, const char *stage, char *to, size_t usual)
{
    for (const span *s = part->to; s < part->to + part->to_count; s++) {
        const size_t bytes = (size_t)(s->count * m->size);
        if (usual == 0 && m->streams && bytes >= SCALAY_BYTES_STREAM)
            scalay_bytes_stream(to + s->offset, stage, bytes);
        else
            copy_span(to + s->offset, stage, bytes, usual);
        stage += bytes;
    }
}

static void put_line(const mover *m, const slice *part, const char *stage, char *to)
{
    const int64_t usual = part->to[part->to_count / 2].count * m->size;
    if (m->copier->adds)
        combine(m->copier, part->to, part->to_count, stage, to, m->inner.to_step / m->size);
    else if (m->inner.to_step != m->size)
        put_elements(m, part, stage, to);
    else if (usual == 8)
        put_spans(m, part, stage, to, 8);
    else if (usual == 16)
        put_spans(m, part, stage, to, 16);
    else if (usual == 32)
        put_spans(m, part, stage, to, 32);
    else
        put_spans(m, part, stage, to, 0);
}

/* Prefetches the target of short spans, which the stores would wait for. */
static void fetch_line(const slice *part, const char *to)
{
    for (int64_t k = 0; k < part->to_count; k++) scalay_bytes_fetch(to, part->to[k].offset);
}

static void put(const mover *m, const slice *part, const line_list *lines, const char *stage)
{
    const int scattered = part->count * m->size < part->to_count * SCALAY_BYTES_STREAM;
    for (int64_t k = 0; k < lines->count; k++) {
        if (scattered && k + FETCHED < lines->count) fetch_line(part, m->to + lines->to[k + FETCHED]);
        put_line(m, part, stage + k * part->count * m->size, m->to + lines->to[k]);
    }
}

static void move_tile(const mover *m, const slice *part, const line_list *lines)
{
    const scalay_copier *copier = m->copier;
    const char *stage = m->stage;
    gather(m, part, lines);
    if ((copier->scaled || copier->conjugate) && !copier->adds) {
        const span all = {.count = part->count * lines->count};
        combine(copier, &all, 1, m->stage, m->product, 1);
        stage = m->product;
    }
    put(m, part, lines, stage);
}

static void move_tiles(const mover *m)
{
    const int transposes = m->inner.from_step != m->size && m->outer.from_step == m->size;
    const int64_t max_inner = transposes ? TRANSPOSED : STAGE_BYTES / m->size;
    const int64_t max_lines = transposes ? scalay_min_int64(LINES, TRANSPOSED_BYTES / m->size) : LINES;
    slice part;
    line_list lines;
    for (axis_cursor in = {0, 0, 0}; !at_end(&m->inner, &in);) {
        next_slice(&m->inner, &in, max_inner, &part);
        const int64_t capacity = STAGE_BYTES / (part.count * m->size);
        for (axis_cursor out = {0, 0, 0}; !at_end(&m->outer, &out);) {
            next_lines(&m->outer, &out, scalay_min_int64(capacity, max_lines), &lines);
            move_tile(m, &part, &lines);
        }
    }
}

void scalay_copy_by_tiles(const scalay_copier *copier, const scalay_block_copy *copy, int streams)
{
    alignas(64) char stage[STAGE_BYTES];
    alignas(64) char product[STAGE_BYTES];
    const int64_t size = (int64_t)copier->size;
    const axis rows = {.runs = copy->rows,
                       .run_count = copy->row_runs,
                       .from_position = copy->from.position,
                       .to_position = copy->to.position,
                       .from_step = copy->from.row_stride * size,
                       .to_step = copy->to.row_stride * size};
    const axis columns = {.runs = copy->cols,
                          .run_count = copy->col_runs,
                          .from_position = copy->from.position,
                          .to_position = copy->to.position,
                          .from_step = copy->from.col_stride * size,
                          .to_step = copy->to.col_stride * size};
    const int across = copy->to.row_stride != 1 && copy->to.col_stride == 1;
    const mover m = {.copier = copier,
                     .size = size,
                     .streams = streams,
                     .from = copy->from.base,
                     .to = copy->to.base,
                     .inner = across ? columns : rows,
                     .outer = across ? rows : columns,
                     .stage = stage,
                     .product = product};
    move_tiles(&m);
    if (streams) scalay_bytes_stream_end();
}
