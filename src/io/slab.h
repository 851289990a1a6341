#ifndef SCALAY_IO_SLAB_H
#define SCALAY_IO_SLAB_H

/**
 * @file
 * Slabs: how a file is dealt out, one contiguous stretch of it to each rank.
 *
 * A line is a column of a file that is stored by columns, a row of one stored by rows. A slab is a block of lines, and
 * the slabs of all ranks are a block-cyclic layout of one block per rank: redistribution does the rest.
 */

#include "parallel/comm.h"
#include "scalay/layout.h"

/** The slabs of a matrix, and the calling rank's. */
typedef struct {
    scalay_layout *layout; /* owned */
    scalay_order order;    /* of the file: by columns or by rows */
    int64_t line;          /* elements of a line */
    int64_t lines;         /* of the matrix */
    int64_t per_rank;      /* lines of a full slab: rank r has those from min(lines, r * per_rank) on */
    int64_t first;         /* the first of the rank */
    int64_t count;         /* lines of the rank */
} scalay_slab;

/** A contiguous stretch of a slab: whole lines, or a stretch of a single one. */
typedef struct {
    int64_t line;  /* the first, within the slab */
    int64_t lines; /* at least 1 */
    int64_t first; /* the first element within the line */
    int64_t count; /* elements of each line; all of them when there are several lines */
} scalay_file_piece;

/** Deals an m x n matrix out to the ranks. Not collective. */
scalay_status scalay_slab_create(const scalay_comm *comm, int64_t m, int64_t n, scalay_order order, scalay_slab *slab);

/** Releases what a slab holds; a zeroed one is fine. */
void scalay_slab_free(scalay_slab *slab);

/** The pieces of at most `elements` elements that so many lines are cut into. */
int64_t scalay_slab_pieces(const scalay_slab *slab, int64_t lines, int64_t elements);

/** The k-th of the pieces of the rank's slab. */
scalay_file_piece scalay_slab_piece(const scalay_slab *slab, int64_t elements, int64_t k);

/** The place of a piece's first element in the rank's stretch of the file, in elements. */
int64_t scalay_slab_piece_offset(const scalay_slab *slab, const scalay_file_piece *piece);

#endif
