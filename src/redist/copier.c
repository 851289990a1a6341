#include "redist/copier.h"

#include "core/bytes.h"
#include "core/integer.h"
#include "redist/copier_ways.h"

enum {
    SHARED_BYTES = 1 << 18,   /* patches from here on are shared among threads */
    STREAMED_BYTES = 1 << 22, /* arrays from here on are written past the caches */
    STREAMED_RUN = SCALAY_BYTES_STREAM
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

static int64_t rows_of(const scalay_patch *patch)
{
    int64_t rows = 0;
    for (int64_t k = 0; k < patch->run_count; k++) rows += patch->runs[k].count;
    return rows;
}

/* One run whose columns follow each other at both ends is one column. */
static void merge_columns(scalay_patch *patch, scalay_run *only)
{
    const int64_t rows = patch->runs[0].count;
    if (patch->run_count != 1 || patch->columns == 1) return;
    if (patch->from.row_stride != 1 || patch->to.row_stride != 1) return;
    if (patch->from.col_stride != rows || patch->to.col_stride != rows) return;
    *only = patch->runs[0];
    only->count = rows * patch->columns;
    patch->runs = only;
    patch->columns = 1;
}

/* Whether what is contiguous at the target is long enough to be written past the caches, on average. */
static int has_long_pieces(const scalay_patch *patch, int64_t size)
{
    int64_t pieces = 0, packed = 0, next = -1;
    for (const scalay_run *run = patch->runs; run < patch->runs + patch->run_count; run++) {
        const int64_t place = scalay_place_of(run, patch->to.places, packed);
        pieces += place != next;
        next = place + run->count;
        packed += run->count;
    }
    return packed * size >= pieces * STREAMED_RUN;
}

static int is_large_target(const scalay_copier *copier, const scalay_patch *patch)
{
    const int64_t size = (int64_t)copier->size;
    if (copier->adds || patch->to.row_stride != 1) return 0;
    if (copier->target_bytes >= STREAMED_BYTES) return 1;
    return patch->run_count == 1 && patch->columns == 1 && patch->runs[0].count * size >= STREAMED_BYTES;
}

/* ----------------------------------------------------------------------------------------------- moving */

static void move_plain_runs(const scalay_copier *copier, const scalay_patch *patch)
{
    const int64_t size = (int64_t)copier->size;
    const int streams = is_large_target(copier, patch) && has_long_pieces(patch, size);
    const int long_runs = patch->runs[patch->run_count / 2].count * size >= STREAMED_RUN;
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
    else if (plain && (patch->columns == 1 || !is_usual(copier->size)))
        scalay_copier_by_elements(patch, copier->size);
    else
        scalay_copier_by_tiles(copier, patch, is_large_target(copier, patch));
}

/* ---------------------------------------------------------------------------------------------- threads */

static int64_t cut(int64_t count, int part, int parts)
{
    return count / parts * part + scalay_min_int64(count % parts, part);
}

/* The end of a patch without its first rows, which are `packed`, and columns. */
static scalay_end end_from(scalay_end end, size_t size, int64_t packed, int64_t column)
{
    if (end.places != SCALAY_AT_PACKED) packed = 0;
    end.base += (packed * end.row_stride + column * end.col_stride) * (int64_t)size;
    return end;
}

scalay_patch scalay_patch_share(const scalay_patch *patch, size_t size, int part, int parts, scalay_run *only)
{
    scalay_patch share = *patch;
    const int by_columns = patch->columns >= parts, by_runs = !by_columns && patch->run_count != 1;
    const int64_t count = by_columns ? patch->columns : by_runs ? patch->run_count : patch->runs[0].count;
    const int64_t first = cut(count, part, parts), taken = cut(count, part + 1, parts) - first;
    int64_t packed = 0;
    if (by_columns) {
        share.columns = taken;
    } else if (by_runs) {
        share.runs = patch->runs + first;
        share.run_count = taken;
        for (int64_t k = 0; k < first; k++) packed += patch->runs[k].count;
    } else {
        *only = patch->runs[0];
        only->place_a += first;
        only->place_b += first;
        only->count = taken;
        share.runs = only;
        packed = first;
    }
    share.from = end_from(patch->from, size, packed, by_columns ? first : 0);
    share.to = end_from(patch->to, size, packed, by_columns ? first : 0);
    return share;
}

static void move_share(const scalay_copier *copier, const scalay_patch *patch, int part, int parts)
{
    scalay_run only;
    const scalay_patch share = scalay_patch_share(patch, copier->size, part, parts, &only);
    if (share.run_count > 0 && share.columns > 0) move(copier, &share);
}

static void move_by_threads(const scalay_copier *copier, const scalay_patch *patch)
{
    const int parts = copier->threads;
#if defined(_OPENMP)
#pragma omp parallel for num_threads(parts) schedule(static)
#endif
    for (int part = 0; part < parts; part++) move_share(copier, patch, part, parts);
}

void scalay_copier_move(const scalay_copier *copier, const scalay_run *runs, int64_t run_count, int64_t columns,
                        scalay_end from, scalay_end to)
{
    scalay_patch patch = {.runs = runs, .run_count = run_count, .columns = columns, .from = from, .to = to};
    scalay_run only;
    if (run_count <= 0 || columns <= 0) return;
    merge_columns(&patch, &only);
    if (copier->threads > 1 && rows_of(&patch) * patch.columns * (int64_t)copier->size >= SHARED_BYTES)
        move_by_threads(copier, &patch);
    else
        move(copier, &patch);
}
