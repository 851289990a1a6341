#include <limits.h>
#include <stdlib.h>

#include "core/integer.h"
#include "core/memory.h"
#include "kernels/summa_object.h"
#include "layout/pieces.h"

/*
 * A rank's piece of C is a product of row classes and column classes. Panels hold whole classes one after the other, in
 * an order in which as many pieces as possible have their classes side by side: each stretch of them by each stretch of
 * columns is a gemm.
 */

static const char create_name[] = "scalay_summa_create";

/* The pieces of C that this rank has. */
typedef struct {
    const scalay_layout *c;
    int rank;
    int64_t pieces;
    int64_t *by_size; /* shape [pieces], the largest first */
} pieces_of_c;

/* The classes of a piece along the lines of a side. */
typedef struct {
    int64_t count;
    const int64_t *class;
} class_list;

static class_list piece_classes(const pieces_of_c *own, int which, int64_t k, int64_t *one)
{
    scalay_class_product product;
    scalay_layout_piece_classes(own->c, own->rank, k, one, &product);
    if (which == SCALAY_SUMMA_A) return (class_list){product.rows, product.row};
    return (class_list){product.cols, product.col};
}

static const scalay_axis *c_axis(const pieces_of_c *own, int which)
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
static scalay_status list_classes(const pieces_of_c *own, scalay_summa_side *side)
{
    scalay_status status = SCALAY_SUCCESS;
    const scalay_axis *axis = c_axis(own, side->which);
    char *is_met = NULL;
    int64_t one[2];
    SCALAY_TRY(SCALAY_NEW(is_met, axis->classes));
    for (int64_t k = 0; k < own->pieces; k++) {
        const class_list list = piece_classes(own, side->which, k, one);
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
static void place_classes(const pieces_of_c *own, const ranked_class *ranked, scalay_summa_side *side)
{
    side->lines = 0;
    for (int64_t k = 0; k < side->classes; k++) {
        side->position[scalay_summa_find_class(side, ranked[k].class)] = side->lines;
        side->lines += scalay_axis_count(c_axis(own, side->which), ranked[k].class);
    }
}

static void rank_classes(const pieces_of_c *own, const scalay_summa_side *side, ranked_class *ranked)
{
    int64_t one[2];
    for (int64_t k = 0; k < side->classes; k++) ranked[k] = (ranked_class){side->class[k], 0, 0};
    for (int64_t p = 0; p < own->pieces && p < 64; p++) {
        const class_list list = piece_classes(own, side->which, own->by_size[p], one);
        for (int64_t i = 0; i < list.count; i++) {
            ranked_class *at = &ranked[scalay_summa_find_class(side, list.class[i])];
            if (at->pieces == 0) at->place = i;
            at->pieces |= (uint64_t)1 << (63 - p);
        }
    }
}

/* Where the classes of a piece that follow each other in panels, too, end. */
static int64_t stretch_end(const pieces_of_c *own, const scalay_summa_side *side, const class_list *list, int64_t first,
                           int64_t *lines)
{
    int64_t at = scalay_summa_find_class(side, list->class[first]);
    const int64_t begin = side->position[at];
    *lines = 0;
    while (first < list->count) {
        at = scalay_summa_find_class(side, list->class[first]);
        if (side->position[at] != begin + *lines) break;
        *lines += scalay_axis_count(c_axis(own, side->which), list->class[first]);
        first++;
    }
    return first;
}

static int64_t count_stretches(const pieces_of_c *own, const scalay_summa_side *side)
{
    int64_t count = 0, lines = 0, one[2];
    for (int64_t k = 0; k < own->pieces; k++) {
        const class_list list = piece_classes(own, side->which, k, one);
        for (int64_t first = 0; first < list.count; count++) first = stretch_end(own, side, &list, first, &lines);
    }
    return count;
}

/* Classes ascending, or by the pieces that they are in, whichever gives fewer stretches. */
static scalay_status order_classes(const pieces_of_c *own, scalay_summa_side *side)
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

static scalay_status check_extents(const scalay_summa *summa, const scalay_piece *piece)
{
    const int64_t most = scalay_max_int64(summa->side[0].lines, summa->side[1].lines);
    if (piece->ld <= INT_MAX && most <= INT_MAX) return SCALAY_SUCCESS;
    return scalay_fail(SCALAY_ERROR_RANGE, create_name,
                       "c: this rank has %lld rows and columns at most and a leading dimension of %lld, which must fit "
                       "the 32 bits of BLAS; use more processes",
                       (long long)most, (long long)piece->ld);
}

/* A stretch of rows by every stretch of columns. */
static scalay_status add_calls(const pieces_of_c *own, const class_list *cols, const scalay_summa_call *rows,
                               scalay_summa *summa)
{
    scalay_status status = SCALAY_SUCCESS;
    int64_t lines = 0, done = 0;
    for (int64_t first = 0, end = 0; first < cols->count; first = end, done += lines) {
        end = stretch_end(own, &summa->side[1], cols, first, &lines);
        SCALAY_TRY(SCALAY_GROW(summa->calls, summa->call_room, summa->call_count + 1));
        scalay_summa_call *call = &summa->calls[summa->call_count++];
        *call = *rows;
        call->cols = (int)lines;
        call->col = summa->side[1].position[scalay_summa_find_class(&summa->side[1], cols->class[first])];
        call->offset += done * rows->ld;
    }
cleanup:
    return status;
}

static scalay_status add_piece(const pieces_of_c *own, int64_t k, scalay_summa *summa)
{
    scalay_status status = SCALAY_SUCCESS;
    int64_t one[2], other[2], lines = 0, done = 0;
    const class_list rows = piece_classes(own, SCALAY_SUMMA_A, k, one);
    const class_list cols = piece_classes(own, SCALAY_SUMMA_B, k, other);
    scalay_piece piece;
    SCALAY_TRY(scalay_layout_piece(own->c, own->rank, k, &piece));
    SCALAY_TRY(check_extents(summa, &piece));
    for (int64_t first = 0, end = 0; first < rows.count; first = end, done += lines) {
        end = stretch_end(own, &summa->side[0], &rows, first, &lines);
        const int64_t row = summa->side[0].position[scalay_summa_find_class(&summa->side[0], rows.class[first])];
        const scalay_summa_call call = {
            .rows = (int)lines, .row = row, .offset = piece.offset + done, .ld = (int)piece.ld};
        SCALAY_TRY(add_calls(own, &cols, &call, summa));
    }
cleanup:
    return status;
}

/* A piece with its number of elements. */
typedef struct {
    int64_t k;
    int64_t elements;
} sized_piece;

static int compare_sizes(const void *a, const void *b)
{
    const sized_piece *x = a, *y = b;
    if (x->elements != y->elements) return x->elements > y->elements ? -1 : 1;
    return (x->k > y->k) - (x->k < y->k);
}

static scalay_status sort_pieces(pieces_of_c *own)
{
    scalay_status status = SCALAY_SUCCESS;
    sized_piece *sized = NULL;
    SCALAY_TRY(SCALAY_NEW(sized, own->pieces));
    SCALAY_TRY(SCALAY_NEW(own->by_size, own->pieces));
    for (int64_t k = 0; k < own->pieces; k++) {
        scalay_piece piece;
        SCALAY_TRY(scalay_layout_piece(own->c, own->rank, k, &piece));
        sized[k] = (sized_piece){k, piece.rows * piece.cols};
    }
    qsort(sized, (size_t)own->pieces, sizeof *sized, compare_sizes);
    for (int64_t k = 0; k < own->pieces; k++) own->by_size[k] = sized[k].k;
cleanup:
    scalay_release(sized);
    return status;
}

scalay_status scalay_summa_find_calls(scalay_summa *summa, const scalay_layout *c)
{
    scalay_status status = SCALAY_SUCCESS;
    const int rank = summa->comm->rank;
    pieces_of_c own = {.c = c, .rank = rank, .pieces = scalay_layout_piece_count(c, rank)};
    if (scalay_layout_count(c, rank) == 0) return SCALAY_SUCCESS;
    SCALAY_TRY(sort_pieces(&own));
    for (int which = 0; which < 2; which++) SCALAY_TRY(order_classes(&own, &summa->side[which]));
    for (int64_t k = 0; k < own.pieces; k++) SCALAY_TRY(add_piece(&own, k, summa));
cleanup:
    scalay_release(own.by_size);
    return status;
}
