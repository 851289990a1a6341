#ifndef SCALAY_REDIST_PACKAGES_H
#define SCALAY_REDIST_PACKAGES_H

/**
 * @file
 * Packages: the elements of one matrix that the calling rank exchanges with one peer.
 *
 * Rows and columns are those of op(A) and C. If A is transposed, its axes and strides are exchanged. Both layouts are
 * products of a row axis and a column axis (layout/axis.h). A cell of one layout and a cell of the other therefore
 * share row runs x column runs: a block. All blocks for one peer form a package. Each rank builds only its own side of
 * the source layout and its own side of the target layout.
 *
 * Both ends of a package use the same order of elements:
 *   - blocks by source column class, source row class, target column class, target row class;
 *   - within a block column by column, each column by ascending row.
 * Elements outside the trapezoid are not in the package.
 *
 * Runs are stored once per class of an axis, not once per block. For large arrays, so are their series, if they are
 * few: short runs are then copied a few columns at a time without looking at each run. Cost: O(n / nb + packages) for
 * block-cyclic layouts, plus O(cells of the rank) for tile maps. Counting a trapezoid takes O(columns + runs) of the
 * blocks that its diagonal cuts.
 */

#include "layout/layout.h"
#include "redist/row_series.h"
#include "scalay/types.h"

/** Position of a cell in a local array: element (r, c) is at offset + r * row_stride + c * col_stride, in elements. */
typedef struct {
    int64_t offset;
    int64_t row_stride;
    int64_t col_stride;
} scalay_strides;

/** The elements of a matrix that are moved. */
typedef struct {
    scalay_uplo uplo;
    int64_t shift; /* upper: i - j <= shift; lower: i - j >= shift */
} scalay_trapezoid;

/** Row runs x column runs. In every run, local_a is the local index on this rank and local_b that on the peer. */
typedef struct {
    const scalay_common_run *rows; /* shape [row_runs]; owned by the side */
    const scalay_common_run *cols; /* shape [col_runs] */
    int64_t row_runs;
    int64_t col_runs;
    int64_t row_count;     /* rows in all row runs */
    int64_t col_count;     /* columns in all column runs */
    scalay_strides own;    /* in the local array of this rank */
    scalay_strides remote; /* in the array of the peer, by its layout; the leading dimension of a descriptor on another
                              rank is not known */
    const scalay_kept_series *series; /* of the rows; NULL: not kept; owned by the side */
    int is_cut;                       /* 1: the diagonal of the trapezoid cuts the block; 0: the block lies inside */
} scalay_block;

/** All blocks for one peer. */
typedef struct {
    int peer;
    int64_t elements;           /* at least 1 */
    const scalay_block *blocks; /* shape [count] */
    int64_t count;
} scalay_package;

/** Intersections of axis classes. */
typedef struct {
    scalay_axis_intersection *share; /* shape [count] */
    int64_t count;
} scalay_intersection_list;

/** All elements of the calling rank in one layout, by peer. */
typedef struct {
    scalay_intersection_list rows;
    scalay_intersection_list cols;
    scalay_kept_series *kept_series; /* shape [row classes of the peers in all shares of rows]; NULL: none */
    scalay_row_series *series;       /* of kept_series; shape [series_count] */
    int64_t series_count;
    scalay_block *blocks;
    int64_t block_count;
    scalay_package *packages; /* shape [package_count]: for other ranks, by ascending peer */
    int64_t package_count;
    scalay_package kept; /* elements that stay on the rank; may have 0 elements */
    int64_t elements;    /* in the packages */
    int64_t local_size;  /* of the local array, in elements */
    int64_t span_start;  /* the elements lie at offsets span_start .. span_end - 1 of the local array */
    int64_t span_end;
    scalay_trapezoid trapezoid;
} scalay_side;

/** The layout that a side belongs to. */
typedef enum { SCALAY_SIDE_SOURCE, SCALAY_SIDE_TARGET } scalay_side_kind;

/** Input of scalay_side_create(). */
typedef struct {
    const scalay_layout *source; /* of A */
    const scalay_layout *target; /* of C, after the mapping */
    int transposed;              /* 1: C is computed from A transposed */
    scalay_trapezoid trapezoid;
} scalay_side_spec;

/** Returns the trapezoid that uplo and diag select in an m x n matrix. */
scalay_trapezoid scalay_trapezoid_of(scalay_uplo uplo, scalay_diag diag, int64_t m, int64_t n);

/** Returns the rows first .. end - 1 (of 0 .. m - 1) of column j that lie in the trapezoid. */
void scalay_trapezoid_rows(const scalay_trapezoid *trapezoid, int64_t m, int64_t j, int64_t *first, int64_t *end);

/**
 * Creates one side of a redistribution. Not collective.
 * @param[in]  spec  layouts; op(A) and C have the same extents
 * @param[in]  kind  layout of this side
 * @param[in]  rank  calling rank
 * @param[out] side  release with scalay_side_free(), also on failure
 * @return SCALAY_SUCCESS, SCALAY_ERROR_MEMORY
 */
scalay_status scalay_side_create(const scalay_side_spec *spec, scalay_side_kind kind, int rank, scalay_side *side);

/** Releases the contents of a side. A zeroed side is allowed. */
void scalay_side_free(scalay_side *side);

/** Returns where the elements of a package begin in the local array, if they follow one another there in the order of
 * the package and without gaps; -1: they do not. */
int64_t scalay_package_contiguous_offset(const scalay_package *package);

/** Local columns that the elements of a side fill without gaps. */
typedef struct {
    int are_whole; /* 1: all blocks are parts of one matrix, and all columns hold the same local rows */
    scalay_strides strides;
    int64_t first_row, rows;
    int64_t first, count;
} scalay_whole_columns;

/** Looks for whole columns. */
scalay_whole_columns scalay_side_columns(const scalay_side *side);

/** Returns the memory of a side, in bytes. */
int64_t scalay_side_bytes(const scalay_side *side);

#endif
