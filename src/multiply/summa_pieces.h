#ifndef SCALAY_MULTIPLY_SUMMA_PIECES_H
#define SCALAY_MULTIPLY_SUMMA_PIECES_H

/**
 * @file
 * What a rank owns of C as few products of classes of rows and columns: the dense arrays of a grid or of an owner map,
 * and groups of the tiles of a tile map. Each stretch of a piece's rows by each stretch of its columns is a gemm.
 */

#include "layout/layout.h"

/** All elements of some classes of rows in some classes of columns. */
typedef struct {
    scalay_class_product classes; /* in the order of the array's lines; the lists are the pieces' */
    int64_t elements;
    int is_array;   /* 0: a group of tiles, each of which is an array of its own */
    int64_t offset; /* of an array */
    int64_t ld;     /* likewise */
} scalay_summa_piece;

/** The pieces of a rank, the largest first. Zeroed is empty. */
typedef struct {
    int64_t count;
    scalay_summa_piece *piece; /* shape [count] */
    int64_t *class;            /* what the lists of classes are in */
} scalay_summa_pieces;

/** Finds the pieces of a process, without those that a window has left no elements. Not collective. @return
 *  SCALAY_SUCCESS, SCALAY_ERROR_MEMORY */
scalay_status scalay_summa_pieces_create(const scalay_layout *c, int process, scalay_summa_pieces *pieces);

/** Releases what pieces hold. */
void scalay_summa_pieces_free(scalay_summa_pieces *pieces);

/** Where the tile of a pair of classes begins, and its leading dimension; rows and columns are the window's. */
scalay_subarray scalay_summa_tile_at(const scalay_layout *c, int64_t row_class, int64_t col_class);

#endif
