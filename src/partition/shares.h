#ifndef SCALAY_PARTITION_SHARES_H
#define SCALAY_PARTITION_SHARES_H

/**
 * @file
 * The areas of a problem on its domain scaled to area 1, the largest first.
 *
 * Both directions weigh the same: f_c = n (sum over parts of (h + w) - m - n), h and w being the rows and columns in
 * which the part owns anything. Lengths in units of sqrt(m n) make the domain a rectangle of area 1, rows high and cols
 * wide, on which squares stay squares: f_c = n sqrt(m n) (sum over parts of (h + w) - rows - cols).
 */

#include "base/status.h"
#include "partition/drawing.h"

/** Areas on the scaled domain; they sum up to 1, descending, equal ones by ascending part. */
typedef struct {
    int parts;
    double rows, cols; /* of the domain; their product is 1 */
    double unit;       /* the length 1 in elements: sqrt(m n) */
    double weight;     /* what a half perimeter of 1 adds to f_c: n sqrt(m n) */
    int *part;         /* shape [parts]: the problem's part */
    double *share;     /* shape [parts]: its area, positive */
    double *side;      /* shape [parts]: the side of a square of that area */
    double *tail;      /* shape [parts + 1]: the sum of share[k], share[k + 1], ... */
} scalay_shares;

/** The areas of a problem. SCALAY_SUCCESS, SCALAY_ERROR_MEMORY. */
scalay_status scalay_shares_create(const scalay_partition_problem *problem, scalay_shares *shares);

/** Releases what shares hold; zeroed is fine. */
void scalay_shares_free(scalay_shares *shares);

/** The area of first, ..., last - 1. */
double scalay_shares_sum(const scalay_shares *shares, int first, int last);

#endif
