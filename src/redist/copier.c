#include "redist/copier.h"

#if defined(_OPENMP)
#include <omp.h>
#endif

#include "base/bytes.h"
#include "base/integer.h"
#include "redist/copier_ways.h"

enum {
    SHARED_BYTES = 1 << 18,  /* patches from here on are shared among threads */
    STREAMED_BYTES = 1 << 22 /* arrays from here on are written past the caches */
};

scalay_copier scalay_copier_for(scalay_type type)
{
    return (scalay_copier){.type = type, .size = scalay_type_size(type), .alpha = {1.0, 0.0}, .threads = 1};
}

void scalay_copier_scalar(scalay_type type, const void *scalar, double otherwise, double value[2])
{
    value[0] = otherwise;
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

static int64_t start_of(const scalay_patch *patch, const scalay_end *end)
{
    return (scalay_place_of(patch->rows, end->places, 0) * end->row_stride +
            scalay_place_of(patch->cols, end->places, 0) * end->col_stride);
}

/* One run of columns that follow each other at both ends is one column. */
static scalay_patch merged(const scalay_patch *patch, size_t size, scalay_common_run only[2])
{
    const int64_t rows = patch->rows[0].count, columns = patch->cols[0].count;
    scalay_patch column = *patch;
    if (patch->row_runs != 1 || patch->col_runs != 1 || columns == 1) return column;
    if (!is_contiguous(&patch->from, rows) || !is_contiguous(&patch->to, rows)) return column;
    only[0] = (scalay_common_run){.count = rows * columns};
    only[1] = (scalay_common_run){.count = 1};
    column.rows = &only[0];
    column.cols = &only[1];
    column.from.base += start_of(patch, &patch->from) * (int64_t)size;
    column.to.base += start_of(patch, &patch->to) * (int64_t)size;
    return column;
}

/* Whether what is contiguous at the target is long enough to be written past the caches, on average. */
static int has_long_pieces(const scalay_patch *patch, int64_t size)
{
    int64_t pieces = 0, packed = 0, next = -1;
    for (const scalay_common_run *run = patch->rows; run < patch->rows + patch->row_runs; run++) {
        const int64_t place = scalay_place_of(run, patch->to.places, packed);
        pieces += place != next;
        next = place + run->count;
        packed += run->count;
    }
    return packed * size >= pieces * SCALAY_BYTES_STREAM;
}

static int is_one_column(const scalay_patch *patch)
{
    return patch->col_runs == 1 && patch->cols[0].count == 1;
}

/* What is added to has been read, and is in the caches. */
static int is_large_target(const scalay_copier *copier, const scalay_patch *patch)
{
    if (copier->adds) return 0;
    if (copier->target_bytes >= STREAMED_BYTES) return 1;
    return patch->row_runs == 1 && is_one_column(patch) &&
           patch->rows[0].count * (int64_t)copier->size >= STREAMED_BYTES;
}

/* ----------------------------------------------------------------------------------------------- moving */

static void move_plain_runs(const scalay_copier *copier, const scalay_patch *patch)
{
    const int64_t size = (int64_t)copier->size;
    const int streams = is_large_target(copier, patch) && has_long_pieces(patch, size);
    const int long_runs = patch->rows[patch->row_runs / 2].count * size >= SCALAY_BYTES_STREAM;
    if (streams && !long_runs && copier->size <= 16)
        scalay_copier_by_tiles(copier, patch, 1);
    else
        scalay_copier_by_runs(patch, copier->size, streams && long_runs);
}

/* Sizes that the tiles know. */
static int is_usual(size_t size)
{
    return size == 1 || size == 2 || size == 4 || size == 8 || size == 16;
}

static void move(const scalay_copier *copier, const scalay_patch *patch)
{
    const int plain = !copier->scaled && !copier->conjugate;
    if (plain && patch->from.row_stride == 1 && patch->to.row_stride == 1)
        move_plain_runs(copier, patch);
    else if (plain && (is_one_column(patch) || !is_usual(copier->size)))
        scalay_copier_by_elements(patch, copier->size);
    else
        scalay_copier_by_tiles(copier, patch, is_large_target(copier, patch));
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

/* Neighbours among the rows or columns of a patch: whole runs, or a part of one. */
typedef struct {
    const scalay_common_run *runs;
    int64_t run_count;
    int64_t count;
    scalay_common_run part;
} stretch;

/* Those from the one with number `skip` on, at most `most`. */
static void find_stretch(const scalay_common_run *runs, int64_t skip, int64_t most, stretch *found)
{
    int64_t whole = 0, count = 0;
    while (skip >= runs->count) skip -= runs++->count;
    while (skip == 0 && count < most && count + runs[whole].count <= most) count += runs[whole++].count;
    found->runs = runs;
    found->run_count = whole;
    found->count = count;
    if (whole > 0) return;
    found->part = *runs;
    found->part.local_a += skip;
    found->part.local_b += skip;
    found->part.count = scalay_min_int64(runs->count - skip, most);
    found->runs = &found->part;
    found->run_count = 1;
    found->count = found->part.count;
}

static void skip_packed(scalay_end *end, size_t size, int64_t elements)
{
    if (end->places == SCALAY_AT_PACKED) end->base += elements * (int64_t)size;
}

/* Columns, or rows, number `first` to end - 1. */
static void move_some(const scalay_copier *copier, const scalay_patch *patch, int by_columns, int64_t first,
                      int64_t end)
{
    stretch some;
    for (; first < end; first += some.count) {
        scalay_patch part = *patch;
        find_stretch(by_columns ? patch->cols : patch->rows, first, end - first, &some);
        if (by_columns) {
            part.cols = some.runs;
            part.col_runs = some.run_count;
        } else {
            part.rows = some.runs;
            part.row_runs = some.run_count;
        }
        skip_packed(&part.from, copier->size, first * (by_columns ? part.from.col_stride : part.from.row_stride));
        skip_packed(&part.to, copier->size, first * (by_columns ? part.to.col_stride : part.to.row_stride));
        move(copier, &part);
    }
}

void scalay_copier_move_share(const scalay_copier *copier, const scalay_patch *patch, int part, int parts)
{
    const int64_t columns = count_of(patch->cols, patch->col_runs);
    const int by_columns = columns >= parts;
    const int64_t count = by_columns ? columns : count_of(patch->rows, patch->row_runs);
    const int64_t share = count / parts, rest = count % parts;
    const int64_t first = share * part + scalay_min_int64(rest, part);
    move_some(copier, patch, by_columns, first, first + share + (part < rest));
}

static void move_by_threads(const scalay_copier *copier, const scalay_patch *patch)
{
    const int parts = copier->threads;
#if defined(_OPENMP)
#pragma omp parallel for num_threads(parts) schedule(static)
#endif
    for (int part = 0; part < parts; part++) scalay_copier_move_share(copier, patch, part, parts);
}

static int64_t bytes_of(const scalay_patch *patch, size_t size)
{
    return count_of(patch->rows, patch->row_runs) * count_of(patch->cols, patch->col_runs) * (int64_t)size;
}

void scalay_copier_move_patch(const scalay_copier *copier, const scalay_patch *patch)
{
    scalay_common_run only[2];
    if (patch->row_runs <= 0 || patch->col_runs <= 0) return;
    const scalay_patch whole = merged(patch, copier->size, only);
    if (copier->threads > 1 && bytes_of(&whole, copier->size) >= SHARED_BYTES)
        move_by_threads(copier, &whole);
    else
        move(copier, &whole);
}

void scalay_copier_move(const scalay_copier *copier, const scalay_common_run *runs, int64_t run_count, int64_t columns,
                        scalay_end from, scalay_end to)
{
    const scalay_common_run cols = {.count = columns};
    const scalay_patch patch = {runs, &cols, run_count, columns > 0, from, to};
    scalay_copier_move_patch(copier, &patch);
}
