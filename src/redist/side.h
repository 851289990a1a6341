#ifndef SCALAY_REDIST_SIDE_H
#define SCALAY_REDIST_SIDE_H

/**
 * @file
 * One side of a plan: what the calling rank has in one of the two layouts, sorted by the rank at the other end.
 *
 * Both layouts are products of a row and a column axis (layout/axis.h), so what a cell of one shares with a cell of the
 * other is a product of row runs and column runs: a block. The blocks for one rank make a parcel. Every rank builds
 * only its own two sides. The order of the elements in a parcel is the same at both of its ends: blocks by source
 * column class, source row class, target column class and target row class; in a block columns, then rows, ascending.
 *
 * Runs are kept once per class of an axis, not per block: O(n / nb + parcels) for grids, O(cells of the rank) besides
 * for tile maps.
 */

#include "layout/layout.h"
#include "redist/copier.h"

/** Row runs x column runs. In all runs place_a is the rank's own place, place_b that at the other end. */
typedef struct {
    const scalay_run *rows; /* shape [row_runs]; of a share of the side */
    const scalay_run *cols; /* shape [col_runs] */
    int64_t row_runs;
    int64_t col_runs;
    int64_t offset; /* of place (0, 0) in the rank's local array */
    int64_t ld;
} scalay_block;

/** What goes to, or comes from, one rank. */
typedef struct {
    int peer;
    int64_t elements;           /* at least 1 */
    int64_t start;              /* of its first element among the side's packed elements */
    const scalay_block *blocks; /* shape [count] */
    int64_t count;
} scalay_parcel;

/** The shares of an axis' classes. */
typedef struct {
    scalay_axis_share *share; /* shape [count] */
    int64_t count;
} scalay_share_list;

/** Everything that the calling rank has in one layout. */
typedef struct {
    scalay_share_list rows;
    scalay_share_list cols;
    scalay_block *blocks;
    int64_t block_count;
    scalay_parcel *parcels; /* shape [parcel_count]: for other ranks, by ascending peer */
    int64_t parcel_count;
    scalay_parcel kept; /* what stays on the rank; no elements: nothing. Its blocks match those of the other side. */
    int64_t elements;   /* in the parcels */
    int64_t span_start; /* the rank's elements lie at offsets span_start .. span_end - 1 of the local array */
    int64_t span_end;
} scalay_side;

/** Which of the two layouts is the rank's own. */
typedef enum { SCALAY_SIDE_SOURCE, SCALAY_SIDE_TARGET } scalay_side_kind;

/**
 * What a rank has in a layout, sorted by the owners in another. Not collective.
 * @param[in]  own    the layout of this side
 * @param[in]  other  the layout at the other end; same extents
 * @param[in]  kind   whether own is the source or the target of the plan
 * @param[in]  rank   the rank
 * @param[out] side   to be released with scalay_side_free(), also on failure
 * @return SCALAY_SUCCESS, SCALAY_ERROR_MEMORY
 */
scalay_status scalay_side_create(const scalay_layout *own, const scalay_layout *other, scalay_side_kind kind, int rank,
                                 scalay_side *side);

/** Releases what a side holds. A zeroed side is fine. */
void scalay_side_free(scalay_side *side);

/** The bytes that a side holds. */
int64_t scalay_side_bytes(const scalay_side *side);

/** Packs a parcel: elements out of the rank's local array, in the common order. */
void scalay_parcel_pack(const scalay_parcel *parcel, const scalay_copier *copier, const char *array, char *packed);

/** Unpacks a parcel into the rank's local array. */
void scalay_parcel_unpack(const scalay_parcel *parcel, const scalay_copier *copier, const char *packed, char *array);

/** Copies what a rank keeps from its array of one side to its array of the other. */
void scalay_side_copy_kept(const scalay_side *from, const scalay_side *to, const scalay_copier *copier,
                           const char *source, char *target);

#endif
