#ifndef SCALAY_PARTITION_PACK_H
#define SCALAY_PARTITION_PACK_H

/** @file Packing squares into a rectangle. */

/** A square, and where it is put. */
typedef struct {
    int node; /* whose it is */
    double side;
    double row, col;   /* its upper left corner, once packed */
    double shelf_at;   /* the k-th square carries what is known of the k-th shelf: where it starts */
    double shelf_used; /* and how much of it is taken */
} scalay_square;

/**
 * Packs squares on shelves, the largest first, each on the first shelf with room (first fit by decreasing height), with
 * shelves along either direction. Exact for up to two squares; by Meir and Moser (1968) it packs all that satisfy
 * x^2 + (rows - x) (cols - x) >= their area, x being the largest side.
 * @param[in,out] square  shape [count]; sorted by descending side
 * @return whether they fit
 */
int scalay_pack_squares(scalay_square *square, int count, double rows, double cols);

#endif
