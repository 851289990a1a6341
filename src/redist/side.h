#ifndef SCALAY_REDIST_SIDE_H
#define SCALAY_REDIST_SIDE_H

/**
 * @file
 * One side of a matrix on its way: what the calling rank has in one of the two layouts, sorted by the rank at the other
 * end.
 *
 * Rows and columns are those of op(A) and C: a transposed source is looked at with its axes exchanged, and its strides
 * with them. Both layouts are products of a row and a column axis (layout/axis.h), so what a cell of one shares with a
 * cell of the other is a product of row runs and column runs: a block. The blocks for one rank make a parcel. Every
 * rank builds only its own two sides. The order of the elements in a parcel is the same at both of its ends: blocks by
 * source column class, source row class, target column class and target row class; in a block columns, then rows,
 * ascending. Of a trapezoid, what lies outside is left out.
 *
 * Runs are kept once per class of an axis, not per block: O(n / nb + parcels) for grids, O(cells of the rank) besides
 * for tile maps. Counting a trapezoid takes O(columns + runs) of the blocks that its diagonal cuts.
 */

#include "layout/layout.h"
#include "scalay/types.h"

/** Where the places of a cell are in a local array: (r, c) at offset + r * row_stride + c * col_stride, in elements. */
typedef struct {
    int64_t offset;
    int64_t row_stride;
    int64_t col_stride;
} scalay_lattice;

/** Which elements of a matrix count. */
typedef struct {
    scalay_uplo uplo;
    int64_t shift; /* upper: i - j <= shift; lower: i - j >= shift */
} scalay_clip;

/** Row runs x column runs. In all runs local_a is the rank's own place, local_b that at the other end. */
typedef struct {
    const scalay_common_run *rows; /* shape [row_runs]; of a share of the side */
    const scalay_common_run *cols; /* shape [col_runs] */
    int64_t row_runs;
    int64_t col_runs;
    int64_t row_count;   /* indices in all rows together */
    int64_t col_count;   /* in all cols */
    scalay_lattice near; /* in the rank's own array */
    scalay_lattice far;  /* in the other's, as its layout says: a leading dimension from another rank's descriptor is
                            not known here */
    int clipped;         /* 1: the trapezoid's diagonal cuts it; 0: it lies inside */
} scalay_block;

/** What goes to, or comes from, one rank. */
typedef struct {
    int peer;
    int64_t elements;           /* at least 1 */
    const scalay_block *blocks; /* shape [count] */
    int64_t count;
} scalay_parcel;

/** The shares of an axis' classes. */
typedef struct {
    scalay_axis_intersection *share; /* shape [count] */
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
    scalay_parcel kept; /* what stays on the rank; no elements: nothing */
    int64_t elements;   /* in the parcels */
    int64_t local_size; /* of the rank's local array, in elements */
    int64_t span_start; /* the rank's elements lie at offsets span_start .. span_end - 1 of the local array */
    int64_t span_end;
    scalay_clip clip;
} scalay_side;

/** Which of the two layouts is the rank's own. */
typedef enum { SCALAY_SIDE_SOURCE, SCALAY_SIDE_TARGET } scalay_side_kind;

/** What a side is made for. */
typedef struct {
    const scalay_layout *source; /* of A */
    const scalay_layout *target; /* of C, parts on the processes that take them */
    int transposed;              /* C is made of A transposed */
    scalay_clip clip;
} scalay_side_spec;

/** The trapezoid of an m x n matrix that uplo and diag mean. */
scalay_clip scalay_clip_of(scalay_uplo uplo, scalay_diag diag, int64_t m, int64_t n);

/** The rows first .. end - 1 (of 0 .. m - 1) that count in column j. */
void scalay_clip_rows(const scalay_clip *clip, int64_t m, int64_t j, int64_t *first, int64_t *end);

/**
 * What a rank has in one layout, sorted by the owners in the other. Not collective.
 * @param[in]  spec  the layouts; the extents of op(A) and C are the same
 * @param[in]  kind  which of them is this side
 * @param[in]  rank  the rank
 * @param[out] side  to be released with scalay_side_free(), also on failure
 * @return SCALAY_SUCCESS, SCALAY_ERROR_MEMORY
 */
scalay_status scalay_side_create(const scalay_side_spec *spec, scalay_side_kind kind, int rank, scalay_side *side);

/** Releases what a side holds. A zeroed side is fine. */
void scalay_side_free(scalay_side *side);

/** The bytes that a side holds. */
int64_t scalay_side_bytes(const scalay_side *side);

#endif
