/* One side of a redistribution: the blocks of the calling rank, sorted into packages.

   For each cell of the rank, the intersections of its row class and of its column class with the classes of the other
   layout give the blocks. Sorting the blocks by peer and by their classes yields the packages. Time: O(n / nb + b log
   b) for b blocks. */
#include "redist/packages.h"

#include <stdlib.h>

#include "base/integer.h"
#include "base/memory.h"

/* A layout as op(A) or C sees it. If transposed, its axes and the strides of its cells are exchanged. */
typedef struct {
    const scalay_layout *layout;
    int transposed;
    const scalay_axis *row, *col;
} view;

/* A block before it is sorted into its package. */
typedef struct {
    int peer;
    int64_t key[4]; /* classes: source column, source row, target column, target row */
    int64_t elements;
    scalay_block block;
} entry;

/* State while a side is built. */
typedef struct {
    view own, other;
    scalay_side_kind kind;
    int part;             /* of the rank in its own layout */
    int64_t *row_slot;    /* shape [own row classes]: index of its intersection in the list; -1: not created yet */
    int64_t *col_slot;    /* shape [own column classes] */
    int64_t *first_kept;  /* shape [shares of rows]: first index in kept_series; NULL: no series are kept */
    int64_t row_capacity; /* of the lists */
    int64_t col_capacity;
    entry *entries; /* shape [entry_capacity] */
    int64_t entry_capacity;
    int64_t count;
} builder;

/* ---------------------------------------------------------------------------------------------- views */

static view view_of(const scalay_layout *layout, int transposed)
{
    return (view){.layout = layout,
                  .transposed = transposed,
                  .row = transposed ? &layout->col : &layout->row,
                  .col = transposed ? &layout->row : &layout->col};
}

/* Row class and column class of a cell in a view. */
static int64_t row_class(const view *v, const scalay_cell *cell)
{
    return v->transposed ? cell->col_class : cell->row_class;
}

static int64_t col_class(const view *v, const scalay_cell *cell)
{
    return v->transposed ? cell->row_class : cell->col_class;
}

static scalay_strides strides_of(const view *v, const scalay_cell *cell)
{
    return (scalay_strides){
        .offset = cell->offset, .row_stride = v->transposed ? cell->ld : 1, .col_stride = v->transposed ? 1 : cell->ld};
}

static scalay_cell cell_at(const view *v, int64_t row, int64_t col, int *process)
{
    const int64_t r = v->transposed ? col : row, c = v->transposed ? row : col;
    *process = scalay_layout_process_of_part(v->layout, scalay_layout_cell_part(v->layout, r, c));
    return scalay_layout_cell_at(v->layout, r, c);
}

/* ---------------------------------------------------------------------------------------------- shares */

/* Creates the intersection of one class of `own` at its first use. */
static scalay_status add_intersection(const scalay_axis *own, const scalay_axis *other, int64_t class, int whole,
                                      int64_t *slot, int64_t *capacity, scalay_intersection_list *list)
{
    scalay_status status = SCALAY_SUCCESS;
    if (slot[class] >= 0) return SCALAY_SUCCESS;
    SCALAY_TRY(SCALAY_GROW(list->share, *capacity, list->count + 1));
    SCALAY_TRY(scalay_axis_intersection_create(own, class, other, whole, &list->share[list->count]));
    slot[class] = list->count++;
cleanup:
    return status;
}

static scalay_status new_slots(const scalay_axis *axis, int64_t **slot)
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(SCALAY_NEW(*slot, axis->classes));
    for (int64_t k = 0; k < axis->classes; k++) (*slot)[k] = -1;
cleanup:
    return status;
}

/* Creates the intersections of the classes of all cells of the rank, and counts the blocks. */
static scalay_status collect_intersections(builder *build, scalay_side *side)
{
    scalay_status status = SCALAY_SUCCESS;
    const view *own = &build->own, *other = &build->other;
    const int whole = side->trapezoid.uplo != SCALAY_WHOLE;
    SCALAY_TRY(new_slots(own->row, &build->row_slot));
    SCALAY_TRY(new_slots(own->col, &build->col_slot));
    const int64_t cells = scalay_layout_cells(own->layout, build->part);
    for (int64_t k = 0; k < cells; k++) {
        const scalay_cell cell = scalay_layout_cell(own->layout, build->part, k);
        const int64_t r = row_class(own, &cell), c = col_class(own, &cell);
        SCALAY_TRY(
            add_intersection(own->row, other->row, r, whole, build->row_slot, &build->row_capacity, &side->rows));
        SCALAY_TRY(
            add_intersection(own->col, other->col, c, whole, build->col_slot, &build->col_capacity, &side->cols));
        build->entry_capacity +=
            side->rows.share[build->row_slot[r]].classes * side->cols.share[build->col_slot[c]].classes;
    }
cleanup:
    return status;
}

/* ---------------------------------------------------------------------------------------------- series */

enum {
    SERIES_FROM_ELEMENTS = 1 << 11, /* of the local array */
    MIN_RUNS_PER_SERIES = 4
};

/* Collects the series of some runs between the own end and another, if they are few. Returns their number. */
static int collect_few(const scalay_common_run *runs, int64_t count, scalay_run_position to,
                       scalay_row_series found[SCALAY_MAX_SERIES])
{
    const scalay_row_ends ends = {.runs = runs, .count = count, .from = SCALAY_AT_OWN, .to = to};
    return scalay_row_series_find_few(&ends, (int)scalay_min_int64(SCALAY_MAX_SERIES, count / MIN_RUNS_PER_SERIES),
                                      found);
}

/* Keeps the series of one class. Positions in side->series stand for pointers until all are collected. */
static scalay_status keep_class(const scalay_axis_intersection *share, int64_t class, int64_t *capacity,
                                scalay_kept_series *kept, scalay_side *side)
{
    scalay_status status = SCALAY_SUCCESS;
    const scalay_common_run *runs = share->runs + share->start[class];
    const int64_t count = share->start[class + 1] - share->start[class];
    SCALAY_TRY(SCALAY_GROW(side->series, *capacity, side->series_count + 2 * (int64_t)SCALAY_MAX_SERIES));
    kept->packed_count = collect_few(runs, count, SCALAY_AT_PACKED, side->series + side->series_count);
    side->series_count += kept->packed_count;
    kept->remote_count = collect_few(runs, count, SCALAY_AT_REMOTE, side->series + side->series_count);
    side->series_count += kept->remote_count;
cleanup:
    return status;
}

/* Gives back what no series is in, if the system takes it. */
static void fit_series(scalay_side *side)
{
    scalay_row_series *const fitted = scalay_reallocate(side->series, side->series_count, sizeof *side->series);
    if (fitted != NULL) side->series = fitted;
}

static void set_pointers(scalay_side *side, int64_t classes)
{
    const scalay_row_series *at = side->series;
    for (scalay_kept_series *kept = side->kept_series; kept < side->kept_series + classes; kept++) {
        kept->packed = at;
        kept->remote = at + kept->packed_count;
        at = kept->remote + kept->remote_count;
    }
}

/* Keeps the series of all row runs of a large local array. */
static scalay_status keep_series(builder *build, scalay_side *side)
{
    scalay_status status = SCALAY_SUCCESS;
    int64_t classes = 0, capacity = 0;
    if (side->local_size < SERIES_FROM_ELEMENTS) return SCALAY_SUCCESS;
    SCALAY_TRY(SCALAY_NEW(build->first_kept, side->rows.count));
    for (int64_t k = 0; k < side->rows.count; k++) {
        build->first_kept[k] = classes;
        classes += side->rows.share[k].classes;
    }
    SCALAY_TRY(SCALAY_NEW(side->kept_series, classes));
    for (int64_t k = 0; k < side->rows.count; k++)
        for (int64_t r = 0; r < side->rows.share[k].classes; r++)
            SCALAY_TRY(
                keep_class(&side->rows.share[k], r, &capacity, &side->kept_series[build->first_kept[k] + r], side));
    fit_series(side);
    set_pointers(side, classes);
cleanup:
    return status;
}

/* ----------------------------------------------------------------------------------------- trapezoids */

scalay_trapezoid scalay_trapezoid_of(scalay_uplo uplo, scalay_diag diag, int64_t m, int64_t n)
{
    const int strict = diag == SCALAY_UNIT;
    if (uplo == SCALAY_UPPER) return (scalay_trapezoid){uplo, scalay_max_int64(m - n, 0) - strict};
    if (uplo == SCALAY_LOWER) return (scalay_trapezoid){uplo, strict - scalay_max_int64(n - m, 0)};
    return (scalay_trapezoid){SCALAY_WHOLE, 0};
}

void scalay_trapezoid_rows(const scalay_trapezoid *trapezoid, int64_t m, int64_t j, int64_t *first, int64_t *end)
{
    *first = trapezoid->uplo == SCALAY_LOWER ? scalay_min_int64(m, scalay_max_int64(0, j + trapezoid->shift)) : 0;
    *end = trapezoid->uplo == SCALAY_UPPER ? scalay_max_int64(0, scalay_min_int64(m, j + trapezoid->shift + 1)) : m;
}

static int64_t last_index(const scalay_common_run *runs, int64_t count)
{
    return runs[count - 1].index + runs[count - 1].count - 1;
}

/* Counts the rows of a block above row `bound`. Bounds must not decrease: *k and *above continue from the last call. */
static int64_t count_above(const scalay_block *block, int64_t bound, int64_t *k, int64_t *above)
{
    while (*k < block->row_runs && block->rows[*k].index + block->rows[*k].count <= bound)
        *above += block->rows[(*k)++].count;
    const int64_t cut = *k < block->row_runs ? scalay_max_int64(0, bound - block->rows[*k].index) : 0;
    return *above + cut;
}

/* Counts the elements of a block that the diagonal cuts. */
static int64_t count_cut_elements(const scalay_trapezoid *trapezoid, const scalay_block *block)
{
    int64_t elements = 0, k = 0, above = 0;
    for (int64_t c = 0; c < block->col_runs; c++)
        for (int64_t j = block->cols[c].index; j < block->cols[c].index + block->cols[c].count; j++) {
            const int upper = trapezoid->uplo == SCALAY_UPPER;
            const int64_t rows = count_above(block, j + trapezoid->shift + upper, &k, &above);
            elements += upper ? rows : block->row_count - rows;
        }
    return elements;
}

/* Counts the elements of a block in the trapezoid: all, none, or those that the diagonal leaves. */
static int64_t count_elements_in_trapezoid(const scalay_trapezoid *trapezoid, scalay_block *block)
{
    const int64_t all = block->row_count * block->col_count;
    if (trapezoid->uplo == SCALAY_WHOLE) return all;
    const int64_t lowest = block->rows[0].index - last_index(block->cols, block->col_runs);
    const int64_t highest = last_index(block->rows, block->row_runs) - block->cols[0].index;
    const int upper = trapezoid->uplo == SCALAY_UPPER;
    if (upper ? highest <= trapezoid->shift : lowest >= trapezoid->shift) return all;
    if (upper ? lowest > trapezoid->shift : highest < trapezoid->shift) return 0;
    block->is_cut = 1;
    return count_cut_elements(trapezoid, block);
}

/* ---------------------------------------------------------------------------------------------- blocks */

static void add_entry(builder *build, const scalay_side *side, const scalay_cell *cell,
                      const scalay_axis_intersection *rows, int64_t r, const scalay_axis_intersection *cols, int64_t c)
{
    const int64_t own_class[2] = {col_class(&build->own, cell), row_class(&build->own, cell)};
    const int64_t peer_class[2] = {cols->class_b[c], rows->class_b[r]};
    const int64_t *source = build->kind == SCALAY_SIDE_SOURCE ? own_class : peer_class;
    const int64_t *target = build->kind == SCALAY_SIDE_SOURCE ? peer_class : own_class;
    int peer = 0;
    const scalay_cell remote = cell_at(&build->other, rows->class_b[r], cols->class_b[c], &peer);
    entry *added = &build->entries[build->count];
    *added = (entry){
        .peer = peer,
        .key = {source[0], source[1], target[0], target[1]},
        .block = {.rows = rows->runs + rows->start[r],
                  .cols = cols->runs + cols->start[c],
                  .row_runs = rows->start[r + 1] - rows->start[r],
                  .col_runs = cols->start[c + 1] - cols->start[c],
                  .row_count = rows->count[r],
                  .col_count = cols->count[c],
                  .own = strides_of(&build->own, cell),
                  .remote = strides_of(&build->other, &remote)},
    };
    if (build->first_kept != NULL)
        added->block.series = &side->kept_series[build->first_kept[rows - side->rows.share] + r];
    added->elements = count_elements_in_trapezoid(&side->trapezoid, &added->block);
    build->count += added->elements > 0;
}

static int compare_entries(const void *left, const void *right)
{
    const entry *a = left, *b = right;
    if (a->peer != b->peer) return a->peer < b->peer ? -1 : 1;
    for (int k = 0; k < 4; k++)
        if (a->key[k] != b->key[k]) return a->key[k] < b->key[k] ? -1 : 1;
    return 0;
}

static scalay_status collect_entries(builder *build, const scalay_side *side)
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(SCALAY_NEW(build->entries, build->entry_capacity));
    const int64_t cells = scalay_layout_cells(build->own.layout, build->part);
    for (int64_t k = 0; k < cells; k++) {
        const scalay_cell cell = scalay_layout_cell(build->own.layout, build->part, k);
        const scalay_axis_intersection *rows = &side->rows.share[build->row_slot[row_class(&build->own, &cell)]];
        const scalay_axis_intersection *cols = &side->cols.share[build->col_slot[col_class(&build->own, &cell)]];
        for (int64_t c = 0; c < cols->classes; c++)
            for (int64_t r = 0; r < rows->classes; r++) add_entry(build, side, &cell, rows, r, cols, c);
    }
    qsort(build->entries, (size_t)build->count, sizeof *build->entries, compare_entries);
cleanup:
    return status;
}

/* --------------------------------------------------------------------------------------------- packages */

static int64_t own_offset(const scalay_block *block, int64_t row, int64_t col)
{
    return block->own.offset + row * block->own.row_stride + col * block->own.col_stride;
}

static void widen_span(scalay_side *side, const scalay_block *block)
{
    const scalay_common_run *row = &block->rows[block->row_runs - 1];
    const scalay_common_run *col = &block->cols[block->col_runs - 1];
    const int64_t first = own_offset(block, block->rows[0].local_a, block->cols[0].local_a);
    const int64_t last = own_offset(block, row->local_a + row->count - 1, col->local_a + col->count - 1);
    const int empty = side->span_end == 0;
    side->span_start = empty ? first : scalay_min_int64(side->span_start, first);
    side->span_end = empty ? last + 1 : scalay_max_int64(side->span_end, last + 1);
}

static int64_t count_peers(const builder *build)
{
    int64_t peers = 0;
    for (int64_t k = 0; k < build->count; k++) peers += k == 0 || build->entries[k].peer != build->entries[k - 1].peer;
    return peers;
}

/* The entries are sorted by peer. Each run of entries with one peer is a package; the package for the rank itself is
   kept. */
static scalay_status collect_packages(const builder *build, int rank, scalay_side *side)
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(SCALAY_NEW(side->blocks, build->count));
    SCALAY_TRY(SCALAY_NEW(side->packages, count_peers(build)));
    side->block_count = build->count;
    scalay_package *package = NULL;
    for (int64_t k = 0; k < build->count; k++) {
        const entry *at = &build->entries[k];
        if (package == NULL || package->peer != at->peer) {
            package = at->peer == rank ? &side->kept : &side->packages[side->package_count++];
            *package = (scalay_package){.peer = at->peer, .blocks = &side->blocks[k]};
        }
        side->blocks[k] = at->block;
        package->count++;
        package->elements += at->elements;
        if (at->peer != rank) side->elements += at->elements;
        widen_span(side, &at->block);
    }
cleanup:
    return status;
}

scalay_status scalay_side_create(const scalay_side_spec *spec, scalay_side_kind kind, int rank, scalay_side *side)
{
    scalay_status status = SCALAY_SUCCESS;
    const view source = view_of(spec->source, spec->transposed), target = view_of(spec->target, 0);
    builder build = {.own = kind == SCALAY_SIDE_SOURCE ? source : target,
                     .other = kind == SCALAY_SIDE_SOURCE ? target : source,
                     .kind = kind};
    build.part = scalay_layout_part_of_process(build.own.layout, rank);
    *side = (scalay_side){.trapezoid = spec->trapezoid, .local_size = scalay_layout_local_size(build.own.layout, rank)};
    if (build.part >= 0) SCALAY_TRY(collect_intersections(&build, side));
    SCALAY_TRY(keep_series(&build, side));
    if (build.entry_capacity == 0) goto cleanup;
    SCALAY_TRY(collect_entries(&build, side));
    SCALAY_TRY(collect_packages(&build, rank, side));
cleanup:
    scalay_release(build.row_slot);
    scalay_release(build.col_slot);
    scalay_release(build.first_kept);
    scalay_release(build.entries);
    return status;
}

static void free_intersections(scalay_intersection_list *list)
{
    for (int64_t k = 0; k < list->count; k++) scalay_axis_intersection_free(&list->share[k]);
    scalay_release(list->share);
}

void scalay_side_free(scalay_side *side)
{
    free_intersections(&side->rows);
    free_intersections(&side->cols);
    scalay_release(side->kept_series);
    scalay_release(side->series);
    scalay_release(side->blocks);
    scalay_release(side->packages);
    *side = (scalay_side){0};
}

/* Returns 1 if each run begins in the local array where the one before it ends. */
static int are_adjacent(const scalay_common_run *runs, int64_t count)
{
    for (int64_t k = 1; k < count; k++)
        if (runs[k].local_a != runs[k - 1].local_a + runs[k - 1].count) return 0;
    return 1;
}

int64_t scalay_package_contiguous_offset(const scalay_package *package)
{
    const scalay_block *block = package->blocks;
    if (package->count != 1 || block->is_cut) return -1;
    if (block->row_count > 1 && block->own.row_stride != 1) return -1;
    if (block->col_count > 1 && block->own.col_stride != block->row_count) return -1;
    if (!are_adjacent(block->rows, block->row_runs) || !are_adjacent(block->cols, block->col_runs)) return -1;
    return block->own.offset + block->rows[0].local_a * block->own.row_stride +
           block->cols[0].local_a * block->own.col_stride;
}

scalay_whole_columns scalay_side_columns(const scalay_side *side)
{
    int64_t end_row = 0, end_column = 0;
    scalay_whole_columns columns = {.are_whole = side->block_count > 0, .first_row = INT64_MAX, .first = INT64_MAX};
    if (side->block_count == 0) return (scalay_whole_columns){0};
    columns.strides = side->blocks[0].own;
    for (const scalay_block *block = side->blocks; block < side->blocks + side->block_count; block++) {
        const scalay_common_run *row = &block->rows[block->row_runs - 1], *col = &block->cols[block->col_runs - 1];
        if (block->own.offset != columns.strides.offset || block->own.col_stride != columns.strides.col_stride)
            columns.are_whole = 0;
        columns.first_row = scalay_min_int64(columns.first_row, block->rows[0].local_a);
        columns.first = scalay_min_int64(columns.first, block->cols[0].local_a);
        end_row = scalay_max_int64(end_row, row->local_a + row->count);
        end_column = scalay_max_int64(end_column, col->local_a + col->count);
    }
    columns.rows = end_row - columns.first_row;
    columns.count = end_column - columns.first;
    if (side->elements + side->kept.elements != columns.rows * columns.count) columns.are_whole = 0;
    return columns;
}

static int64_t intersection_bytes(const scalay_intersection_list *list)
{
    int64_t bytes = 0;
    for (int64_t k = 0; k < list->count; k++) {
        const scalay_axis_intersection *share = &list->share[k];
        const int64_t runs = share->classes > 0 ? share->start[share->classes] : 0;
        bytes += (int64_t)sizeof *share + share->classes * (int64_t)(3 * sizeof(int64_t)) +
                 runs * (int64_t)sizeof(scalay_common_run);
    }
    return bytes;
}

static int64_t series_bytes(const scalay_side *side)
{
    int64_t classes = 0;
    if (side->kept_series == NULL) return 0;
    for (int64_t k = 0; k < side->rows.count; k++) classes += side->rows.share[k].classes;
    return classes * (int64_t)sizeof(scalay_kept_series) + side->series_count * (int64_t)sizeof(scalay_row_series);
}

int64_t scalay_side_bytes(const scalay_side *side)
{
    return intersection_bytes(&side->rows) + intersection_bytes(&side->cols) + series_bytes(side) +
           side->block_count * (int64_t)sizeof(scalay_block) + side->package_count * (int64_t)sizeof(scalay_package);
}
