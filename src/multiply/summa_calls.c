#include <limits.h>
#include <stdlib.h>

#include "base/integer.h"
#include "base/memory.h"
#include "multiply/summa_object.h"
#include "multiply/summa_pieces.h"

/*
 * A rank's piece of C is a product of row classes and column classes. Panels hold whole classes one after the other, in
 * an order in which as many pieces as possible have their classes side by side: each stretch of them by each stretch of
 * columns is a gemm.
 *
 * Where a piece is made of small tiles, a gemm for each would take its factors apart again and again: many of them are
 * multiplied at once, in an array that they are copied to and from.
 */

static const char create_name[] = "scalay_summa_create";

/* Tiles whose rows and columns are at least so many are multiplied where they are, and so are few of them; of others,
 * as many at once as fit into arrays of so many lines either way. */
enum { LARGE_TILE = 192, GATHERED_TILES = 4, GATHERED_LINES = 512 };

/* The classes of a piece along the lines of a side. */
typedef struct {
    int64_t count;
    const int64_t *class;
} class_list;

/* What this rank has of C. */
typedef struct {
    const scalay_layout *c;
    scalay_summa_pieces pieces;
    int64_t lines_most; /* of tiles that are multiplied at once */
} owned;

static class_list piece_classes(const owned *own, int which, int64_t k)
{
    const scalay_class_product *product = &own->pieces.piece[k].classes;
    if (which == SCALAY_SUMMA_A) return (class_list){product->rows, product->row};
    return (class_list){product->cols, product->col};
}

static const scalay_axis *c_axis(const owned *own, int which)
{
    return which == SCALAY_SUMMA_A ? &own->c->row : &own->c->col;
}

/* ------------------------------------------------------------------------------------- the order of classes */

/* A class, which pieces it is in (the first 64 by size, the largest in the highest bit), and where in the first. */
typedef struct {
    int64_t class;
    uint64_t pieces;
    int64_t place;
} ranked_class;

static int compare_classes(const void *a, const void *b)
{
    const ranked_class *x = a, *y = b;
    return (x->class > y->class) - (x->class < y->class);
}

static int compare_ranks(const void *a, const void *b)
{
    const ranked_class *x = a, *y = b;
    if (x->pieces != y->pieces) return x->pieces > y->pieces ? -1 : 1;
    if (x->place != y->place) return x->place < y->place ? -1 : 1;
    return compare_classes(a, b);
}

int64_t scalay_summa_find_class(const scalay_summa_side *side, int64_t class)
{
    int64_t low = 0, high = side->classes - 1;
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (side->class[middle] < class)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* The classes of all pieces, each once, ascending. */
static scalay_status list_classes(const owned *own, scalay_summa_side *side)
{
    scalay_status status = SCALAY_SUCCESS;
    const scalay_axis *axis = c_axis(own, side->which);
    char *is_met = NULL;
    SCALAY_TRY(SCALAY_NEW(is_met, axis->classes));
    for (int64_t k = 0; k < own->pieces.count; k++) {
        const class_list list = piece_classes(own, side->which, k);
        for (int64_t i = 0; i < list.count; i++) {
            side->classes += is_met[list.class[i]] == 0;
            is_met[list.class[i]] = 1;
        }
    }
    SCALAY_TRY(SCALAY_NEW(side->class, side->classes));
    SCALAY_TRY(SCALAY_NEW(side->position, side->classes));
    int64_t found = 0;
    for (int64_t class = 0; class < axis->classes; class ++)
        if (is_met[class]) side->class[found++] = class;
cleanup:
    scalay_release(is_met);
    return status;
}

/* Gives the classes their positions in the order of `ranked`. */
static void place_classes(const owned *own, const ranked_class *ranked, scalay_summa_side *side)
{
    side->lines = 0;
    for (int64_t k = 0; k < side->classes; k++) {
        side->position[scalay_summa_find_class(side, ranked[k].class)] = side->lines;
        side->lines += scalay_axis_count(c_axis(own, side->which), ranked[k].class);
    }
}

static void rank_classes(const owned *own, const scalay_summa_side *side, ranked_class *ranked)
{
    for (int64_t k = 0; k < side->classes; k++) ranked[k] = (ranked_class){side->class[k], 0, 0};
    for (int64_t p = 0; p < own->pieces.count && p < 64; p++) {
        const class_list list = piece_classes(own, side->which, p);
        for (int64_t i = 0; i < list.count; i++) {
            ranked_class *at = &ranked[scalay_summa_find_class(side, list.class[i])];
            if (at->pieces == 0) at->place = i;
            at->pieces |= (uint64_t)1 << (63 - p);
        }
    }
}

/* Where the classes of a piece that follow each other in panels, too, end: at least one class, at most `most` lines if
 * there are several. */
static int64_t stretch_end(const owned *own, const scalay_summa_side *side, const class_list *list, int64_t first,
                           int64_t most, int64_t *lines)
{
    int64_t at = scalay_summa_find_class(side, list->class[first]);
    const int64_t begin = side->position[at];
    *lines = 0;
    while (first < list->count) {
        at = scalay_summa_find_class(side, list->class[first]);
        const int64_t count = scalay_axis_count(c_axis(own, side->which), list->class[first]);
        if (side->position[at] != begin + *lines || (*lines > 0 && *lines + count > most)) break;
        *lines += count;
        first++;
    }
    return first;
}

static int64_t count_stretches(const owned *own, const scalay_summa_side *side)
{
    int64_t count = 0, lines = 0;
    for (int64_t k = 0; k < own->pieces.count; k++) {
        const class_list list = piece_classes(own, side->which, k);
        for (int64_t first = 0; first < list.count; count++)
            first = stretch_end(own, side, &list, first, INT64_MAX, &lines);
    }
    return count;
}

/* Classes ascending, or by the pieces that they are in, whichever gives fewer stretches. */
static scalay_status order_classes(const owned *own, scalay_summa_side *side)
{
    scalay_status status = SCALAY_SUCCESS;
    ranked_class *ranked = NULL;
    SCALAY_TRY(list_classes(own, side));
    SCALAY_TRY(SCALAY_NEW(ranked, side->classes));
    rank_classes(own, side, ranked);
    place_classes(own, ranked, side);
    const int64_t ascending = count_stretches(own, side);
    qsort(ranked, (size_t)side->classes, sizeof *ranked, compare_ranks);
    place_classes(own, ranked, side);
    if (count_stretches(own, side) < ascending) goto cleanup;
    qsort(ranked, (size_t)side->classes, sizeof *ranked, compare_classes);
    place_classes(own, ranked, side);
cleanup:
    scalay_release(ranked);
    return status;
}

/* ------------------------------------------------------------------------------------------------- calls */

static scalay_status check_extents(const scalay_summa *summa, int64_t ld)
{
    const int64_t most = scalay_max_int64(summa->side[0].lines, summa->side[1].lines);
    if (ld <= INT_MAX && most <= INT_MAX) return SCALAY_SUCCESS;
    return scalay_fail(SCALAY_ERROR_RANGE, create_name,
                       "c: this rank has %lld rows and columns at most and a leading dimension of %lld, which must fit "
                       "the 32 bits of BLAS; use more processes",
                       (long long)most, (long long)ld);
}

/* Some classes of a piece that follow each other in panels, too. */
typedef struct {
    int64_t count;
    const int64_t *class;
    int64_t lines;
    int64_t position; /* of the first in panels */
    int64_t done;     /* lines of the piece before */
} stretch;

/* The next stretch of a list of classes, given the one before; 0 at the end. */
static int next_stretch(const owned *own, const scalay_summa_side *side, class_list list, int64_t most, stretch *at)
{
    const int64_t first = at->class != NULL ? at->class - list.class + at->count : 0;
    if (first == list.count) return 0;
    at->done += at->lines;
    at->class = list.class + first;
    at->count = stretch_end(own, side, &list, first, most, &at->lines) - first;
    at->position = side->position[scalay_summa_find_class(side, list.class[first])];
    return 1;
}

static scalay_status add_call(scalay_summa *summa, const scalay_summa_call *call)
{
    const scalay_status status = SCALAY_GROW(summa->calls, summa->call_room, summa->call_count + 1);
    if (status == SCALAY_SUCCESS) summa->calls[summa->call_count++] = *call;
    return status;
}

/* One tile after the other, down the columns, to a call: *call ends with the last of them. */
static scalay_status add_tiles(const owned *own, const stretch *rows, const stretch *cols, scalay_summa *summa,
                               scalay_summa_call *call)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_summa_tile tile = {.col = 0};
    call->first_tile = summa->tile_count;
    for (int64_t c = 0; c < cols->count; c++, tile.col += tile.cols) {
        tile.row = 0;
        for (int64_t r = 0; r < rows->count; r++, tile.row += tile.rows) {
            const scalay_subarray at = scalay_summa_tile_at(own->c, rows->class[r], cols -> class[c]);
            tile.rows = at.rows;
            tile.cols = at.cols;
            tile.offset = at.offset;
            tile.ld = at.ld;
            SCALAY_TRY(SCALAY_GROW(summa->tiles, summa->tile_room, summa->tile_count + 1));
            summa->tiles[summa->tile_count++] = tile;
        }
    }
    call->end_tile = summa->tile_count;
    summa->gathered = scalay_max_int64(summa->gathered, rows->lines * cols->lines);
cleanup:
    return status;
}

/* A call for each tile, where it is. */
static scalay_status add_single_tiles(const owned *own, const stretch *rows, const stretch *cols, scalay_summa *summa)
{
    scalay_status status = SCALAY_SUCCESS;
    int64_t col = cols->position;
    for (int64_t c = 0; c < cols->count; c++) {
        scalay_subarray tile = {.cols = 0};
        int64_t row = rows->position;
        for (int64_t r = 0; r < rows->count; r++, row += tile.rows) {
            tile = scalay_summa_tile_at(own->c, rows->class[r], cols -> class[c]);
            SCALAY_TRY(check_extents(summa, tile.ld));
            const scalay_summa_call call = {.rows = (int)tile.rows,
                                            .cols = (int)tile.cols,
                                            .row = row,
                                            .col = col,
                                            .offset = tile.offset,
                                            .ld = (int)tile.ld};
            SCALAY_TRY(add_call(summa, &call));
        }
        col += tile.cols;
    }
cleanup:
    return status;
}

/* The calls of a stretch of rows by a stretch of columns. */
static scalay_status add_product(const owned *own, const scalay_summa_piece *piece, const stretch *rows,
                                 const stretch *cols, scalay_summa *summa)
{
    scalay_status status = SCALAY_SUCCESS;
    if (!piece->is_array && rows->count * cols->count < GATHERED_TILES) return add_single_tiles(own, rows, cols, summa);
    scalay_summa_call call = {
        .rows = (int)rows->lines, .cols = (int)cols->lines, .row = rows->position, .col = cols->position};
    if (piece->is_array) {
        call.offset = piece->offset + rows->done + cols->done * piece->ld;
        call.ld = (int)piece->ld;
    } else {
        SCALAY_TRY(add_tiles(own, rows, cols, summa, &call));
        call.ld = call.rows;
    }
    SCALAY_TRY(add_call(summa, &call));
cleanup:
    return status;
}

/* The most rows of a call, given its columns, or the other way round. */
static int64_t lines_beside(const owned *own, const scalay_summa_piece *piece, int64_t across)
{
    const int64_t most = own->lines_most;
    if (piece->is_array) return INT64_MAX;
    return across > most ? most * most / across : most;
}

static scalay_status add_piece(const owned *own, const scalay_summa_piece *piece, scalay_summa *summa)
{
    scalay_status status = SCALAY_SUCCESS;
    const class_list rows = {piece->classes.rows, piece->classes.row}, cols = {piece->classes.cols, piece->classes.col};
    stretch row = {0};
    SCALAY_TRY(check_extents(summa, piece->ld));
    while (next_stretch(own, &summa->side[0], rows, lines_beside(own, piece, own->c->col.block), &row)) {
        stretch col = {0};
        while (next_stretch(own, &summa->side[1], cols, lines_beside(own, piece, row.lines), &col))
            SCALAY_TRY(add_product(own, piece, &row, &col, summa));
    }
cleanup:
    return status;
}

/* The lines of tiles that are multiplied at once: one of them where they are large, or workspace is short. Panels of
 * width 1 come first: twice their lines, and as many that are on their way. */
static int64_t gathered_lines(const scalay_summa *summa, const scalay_layout *c)
{
    const int64_t size = (int64_t)summa->side[0].size, panels = 4 * (summa->side[0].lines + summa->side[1].lines);
    const int64_t limit = (summa->options.memory_bytes / size - panels) / 4;
    int64_t lines = GATHERED_LINES;
    if (scalay_min_int64(c->row.block, c->col.block) >= LARGE_TILE) return 0;
    while (summa->options.memory_bytes > 0 && lines > 0 && lines * lines > limit) lines /= 2;
    return lines;
}

scalay_status scalay_summa_find_calls(scalay_summa *summa, const scalay_layout *c)
{
    scalay_status status = SCALAY_SUCCESS;
    owned own = {.c = c};
    SCALAY_TRY(scalay_summa_pieces_create(c, summa->comm->rank, &own.pieces));
    if (own.pieces.count == 0) goto cleanup;
    for (int which = 0; which < 2; which++) SCALAY_TRY(order_classes(&own, &summa->side[which]));
    own.lines_most = gathered_lines(summa, c);
    for (int64_t k = 0; k < own.pieces.count; k++) SCALAY_TRY(add_piece(&own, &own.pieces.piece[k], summa));
cleanup:
    scalay_summa_pieces_free(&own.pieces);
    return status;
}
