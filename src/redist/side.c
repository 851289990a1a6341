#include "redist/side.h"

#include <stdlib.h>

#include "core/integer.h"
#include "core/memory.h"

/* A block on its way into its parcel. */
typedef struct {
    int peer;
    int64_t key[4]; /* classes: source column, source row, target column, target row */
    int64_t elements;
    scalay_block block;
} entry;

/* What it takes to build a side. */
typedef struct {
    const scalay_layout *own, *other;
    scalay_side_kind kind;
    int part;             /* of the rank in its own layout */
    int64_t *row_slot;    /* shape [own row classes]: where its share is in the list; -1: not met yet */
    int64_t *col_slot;    /* shape [own column classes] */
    int64_t row_capacity; /* of the lists */
    int64_t col_capacity;
    entry *entries; /* shape [count] */
    int64_t count;
} builder;

/* --------------------------------------------------------------------------------------------- shares */

/* The share of a class of own's axis, made when it is met for the first time. */
static scalay_status add_share(const scalay_axis *own, const scalay_axis *other, int64_t class, int64_t *slot,
                               int64_t *capacity, scalay_share_list *list)
{
    scalay_status status = SCALAY_SUCCESS;
    if (slot[class] >= 0) return SCALAY_SUCCESS;
    SCALAY_TRY(SCALAY_GROW(list->share, *capacity, list->count + 1));
    SCALAY_TRY(scalay_axis_share_create(own, class, other, &list->share[list->count]));
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

/* The shares of all classes that the rank's cells stand in, and the number of blocks they make. */
static scalay_status collect_shares(builder *build, scalay_side *side)
{
    scalay_status status = SCALAY_SUCCESS;
    const scalay_layout *own = build->own, *other = build->other;
    SCALAY_TRY(new_slots(&own->row, &build->row_slot));
    SCALAY_TRY(new_slots(&own->col, &build->col_slot));
    const int64_t cells = scalay_layout_cells(own, build->part);
    for (int64_t k = 0; k < cells; k++) {
        const scalay_cell cell = scalay_layout_cell(own, build->part, k);
        SCALAY_TRY(
            add_share(&own->row, &other->row, cell.row_class, build->row_slot, &build->row_capacity, &side->rows));
        SCALAY_TRY(
            add_share(&own->col, &other->col, cell.col_class, build->col_slot, &build->col_capacity, &side->cols));
        build->count += side->rows.share[build->row_slot[cell.row_class]].classes *
                        side->cols.share[build->col_slot[cell.col_class]].classes;
    }
cleanup:
    return status;
}

/* --------------------------------------------------------------------------------------------- blocks */

static entry make_entry(const builder *build, const scalay_cell *cell, const scalay_axis_share *rows, int64_t r,
                        const scalay_axis_share *cols, int64_t c)
{
    const int64_t mine[2] = {cell->col_class, cell->row_class};
    const int64_t theirs[2] = {cols->class_b[c], rows->class_b[r]};
    const int64_t *source = build->kind == SCALAY_SIDE_SOURCE ? mine : theirs;
    const int64_t *target = build->kind == SCALAY_SIDE_SOURCE ? theirs : mine;
    const int part = scalay_layout_cell_part(build->other, rows->class_b[r], cols->class_b[c]);
    return (entry){
        .peer = scalay_layout_process_of_part(build->other, part),
        .key = {source[0], source[1], target[0], target[1]},
        .elements = rows->count[r] * cols->count[c],
        .block = {.rows = rows->runs + rows->start[r],
                  .cols = cols->runs + cols->start[c],
                  .row_runs = rows->start[r + 1] - rows->start[r],
                  .col_runs = cols->start[c + 1] - cols->start[c],
                  .offset = cell->offset,
                  .ld = cell->ld},
    };
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
    SCALAY_TRY(SCALAY_NEW(build->entries, build->count));
    const int64_t cells = scalay_layout_cells(build->own, build->part);
    entry *next = build->entries;
    for (int64_t k = 0; k < cells; k++) {
        const scalay_cell cell = scalay_layout_cell(build->own, build->part, k);
        const scalay_axis_share *rows = &side->rows.share[build->row_slot[cell.row_class]];
        const scalay_axis_share *cols = &side->cols.share[build->col_slot[cell.col_class]];
        for (int64_t c = 0; c < cols->classes; c++)
            for (int64_t r = 0; r < rows->classes; r++) *next++ = make_entry(build, &cell, rows, r, cols, c);
    }
    qsort(build->entries, (size_t)build->count, sizeof *build->entries, compare_entries);
cleanup:
    return status;
}

/* -------------------------------------------------------------------------------------------- parcels */

static void widen_span(scalay_side *side, const scalay_block *block)
{
    const scalay_run *row = &block->rows[block->row_runs - 1];
    const scalay_run *col = &block->cols[block->col_runs - 1];
    const int64_t first = block->offset + block->cols[0].place_a * block->ld + block->rows[0].place_a;
    const int64_t last = block->offset + (col->place_a + col->count - 1) * block->ld + row->place_a + row->count - 1;
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

/* Entries are sorted by peer: each stretch of them is a parcel, one of them perhaps the kept one. */
static scalay_status collect_parcels(const builder *build, int rank, scalay_side *side)
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(SCALAY_NEW(side->blocks, build->count));
    SCALAY_TRY(SCALAY_NEW(side->parcels, count_peers(build)));
    side->block_count = build->count;
    scalay_parcel *parcel = NULL;
    for (int64_t k = 0; k < build->count; k++) {
        const entry *at = &build->entries[k];
        if (parcel == NULL || parcel->peer != at->peer) {
            parcel = at->peer == rank ? &side->kept : &side->parcels[side->parcel_count++];
            *parcel = (scalay_parcel){.peer = at->peer, .start = side->elements, .blocks = &side->blocks[k]};
        }
        side->blocks[k] = at->block;
        parcel->count++;
        parcel->elements += at->elements;
        if (at->peer != rank) side->elements += at->elements;
        widen_span(side, &at->block);
    }
cleanup:
    return status;
}

scalay_status scalay_side_create(const scalay_layout *own, const scalay_layout *other, scalay_side_kind kind, int rank,
                                 scalay_side *side)
{
    scalay_status status = SCALAY_SUCCESS;
    builder build = {.own = own, .other = other, .kind = kind, .part = scalay_layout_part_of_process(own, rank)};
    *side = (scalay_side){0};
    if (build.part >= 0) SCALAY_TRY(collect_shares(&build, side));
    if (build.count == 0) goto cleanup;
    SCALAY_TRY(collect_entries(&build, side));
    SCALAY_TRY(collect_parcels(&build, rank, side));
cleanup:
    scalay_release(build.row_slot);
    scalay_release(build.col_slot);
    scalay_release(build.entries);
    return status;
}

static void free_shares(scalay_share_list *list)
{
    for (int64_t k = 0; k < list->count; k++) scalay_axis_share_free(&list->share[k]);
    scalay_release(list->share);
}

void scalay_side_free(scalay_side *side)
{
    free_shares(&side->rows);
    free_shares(&side->cols);
    scalay_release(side->blocks);
    scalay_release(side->parcels);
    *side = (scalay_side){0};
}

static int64_t share_bytes(const scalay_share_list *list)
{
    int64_t bytes = 0;
    for (int64_t k = 0; k < list->count; k++) {
        const scalay_axis_share *share = &list->share[k];
        const int64_t runs = share->classes > 0 ? share->start[share->classes] : 0;
        bytes += (int64_t)sizeof *share + share->classes * (int64_t)(3 * sizeof(int64_t)) +
                 runs * (int64_t)sizeof(scalay_run);
    }
    return bytes;
}

int64_t scalay_side_bytes(const scalay_side *side)
{
    return share_bytes(&side->rows) + share_bytes(&side->cols) + side->block_count * (int64_t)sizeof(scalay_block) +
           side->parcel_count * (int64_t)sizeof(scalay_parcel);
}
