/* Two methods that cut the longer side again and again.
 *
 * Nagamochi and Abe (2007): the first piece holds the fewest of the largest parts that make up at least a third of the
 * area. At most 2/3 of it go on together, so that the depth is logarithmic in largest / smallest area.
 *
 * Recursive (Beaumont, Eyraud-Dubois, Lambert 2016, in outline): likewise, but when all parts but the largest have less
 * than a quarter of the square on the shorter side, they get a square in its corner and the largest one the rest. */
#include <math.h>

#include "partition/methods.h"

/* Parts first, ..., last - 1, for a rectangle. */
typedef struct {
    int first, last;
    double rows, cols;
} piece;

typedef struct {
    const scalay_shares *shares;
    scalay_slicing *tree;
    int corners; /* 1: recursive */
} cutter;

/* Where the second piece begins. */
static int split_third(const scalay_shares *shares, int first, int last)
{
    const double third = scalay_shares_sum(shares, first, last) / 3.0 * (1.0 - 1e-12);
    double sum = 0.0;
    int k = first;
    while (k < last - 1 && sum < third) sum += shares->share[k++];
    return k;
}

static int cut(const cutter *at, piece of)
{
    const scalay_shares *shares = at->shares;
    if (of.last - of.first == 1) return of.first;
    double rest = scalay_shares_sum(shares, of.first + 1, of.last);
    double shorter = fmin(of.rows, of.cols);
    if (at->corners && rest < shorter * shorter / 4.0) {
        double side = sqrt(rest);
        scalay_slicing_nest(at->tree, of.first, cut(at, (piece){of.first + 1, of.last, side, side}));
        return of.first;
    }
    int middle = split_third(shares, of.first, of.last);
    double area = scalay_shares_sum(shares, of.first, middle);
    int direction = of.cols >= of.rows ? SCALAY_SIDE_BY_SIDE : SCALAY_ONE_ABOVE_OTHER;
    piece one = {of.first, middle, of.rows, of.cols};
    piece two = {middle, of.last, of.rows, of.cols};
    if (direction == SCALAY_SIDE_BY_SIDE) {
        one.cols = area / of.rows;
        two.cols -= one.cols;
    } else {
        one.rows = area / of.cols;
        two.rows -= one.rows;
    }
    int before = cut(at, one);
    return scalay_slicing_cut(at->tree, direction, before, cut(at, two));
}

scalay_status scalay_slicing_nagamochi_abe(const scalay_shares *shares, scalay_slicing *tree)
{
    const cutter at = {shares, tree, 0};
    tree->root = cut(&at, (piece){0, shares->parts, shares->rows, shares->cols});
    return SCALAY_SUCCESS;
}

scalay_status scalay_slicing_recursive(const scalay_shares *shares, scalay_slicing *tree)
{
    const cutter at = {shares, tree, 1};
    tree->root = cut(&at, (piece){0, shares->parts, shares->rows, shares->cols});
    return SCALAY_SUCCESS;
}

scalay_status scalay_draw_nagamochi_abe(const scalay_partition_problem *problem, scalay_candidate *candidate)
{
    return scalay_slicing_method(problem, scalay_slicing_nagamochi_abe, candidate);
}

scalay_status scalay_draw_recursive(const scalay_partition_problem *problem, scalay_candidate *candidate)
{
    return scalay_slicing_method(problem, scalay_slicing_recursive, candidate);
}
