/* The best slicing tree, by trying all. Sets of parts are bit masks; bit k is the k-th largest part. */
#include <math.h>

#include "base/memory.h"
#include "partition/slicing.h"

enum { MOST = SCALAY_MOST_EXHAUSTIVE, SETS = 1 << MOST };

/* What to do with a set in a rectangle. */
typedef struct {
    double cost;
    int direction; /* of the cut; -1: the largest part gets it, but for holes */
    int first;     /* the set on the first side of the cut */
    int holes;
    int hole[MOST]; /* the set in each */
} choice;

typedef struct {
    const scalay_shares *shares;
    double area[SETS];
    double in_square[SETS]; /* the least cost of a set in a square; 0: not known yet */
} searcher;

/* Holes under consideration. */
typedef struct {
    double rows, cols;
    double cost; /* with the leaf itself */
    int holes;
    int hole[MOST];
} nest;

static int lowest(int set)
{
    int k = 0;
    while (!(set >> k & 1)) k++;
    return k;
}

static choice choose(searcher *at, int set, double rows, double cols);

static double cost_in_square(searcher *at, int set)
{
    if ((set & (set - 1)) == 0) return 2.0 * at->shares->side[lowest(set)];
    double side = sqrt(at->area[set]);
    if (at->in_square[set] == 0.0) at->in_square[set] = choose(at, set, side, side).cost;
    return at->in_square[set];
}

static int fits(const searcher *at, const nest *with)
{
    scalay_square square[MOST] = {0};
    for (int k = 0; k < with->holes; k++) square[k].side = sqrt(at->area[with->hole[k]]);
    return scalay_pack_squares(square, with->holes, with->rows, with->cols);
}

/* Tries all partitions of a set into holes, besides those there are. */
static void choose_holes(searcher *at, int rest, nest with, choice *best)
{
    if (with.cost >= best->cost) return;
    if (rest == 0) {
        if (!fits(at, &with)) return;
        *best = (choice){.cost = with.cost, .direction = -1, .holes = with.holes};
        for (int k = 0; k < with.holes; k++) best->hole[k] = with.hole[k];
        return;
    }
    int low = rest & -rest;
    for (int block = rest; block > 0; block = (block - 1) & rest) {
        if (!(block & low)) continue;
        nest wider = with;
        wider.cost += cost_in_square(at, block);
        wider.hole[wider.holes++] = block;
        choose_holes(at, rest & ~block, wider, best);
    }
}

/* What a set costs in a rectangle at least: squares where they fit, else full stripes of the shorter side. */
static double least_cost(const searcher *at, int set, double rows, double cols)
{
    double shorter = fmin(rows, cols);
    double sum = 0.0;
    for (int k = 0; k < at->shares->parts; k++) {
        if (!(set >> k & 1)) continue;
        double side = at->shares->side[k];
        sum += side <= shorter ? 2.0 * side : shorter + at->shares->share[k] / shorter;
    }
    return fmax(sum, rows + cols);
}

static void choose_cut(searcher *at, int set, int first, double rows, double cols, choice *best)
{
    const int second = set & ~first;
    for (int direction = 0; direction < 2; direction++) {
        int beside = direction == SCALAY_SIDE_BY_SIDE;
        double extent = at->area[first] / (beside ? rows : cols);
        double rows1 = beside ? rows : extent;
        double cols1 = beside ? extent : cols;
        double rows2 = beside ? rows : rows - extent;
        double cols2 = beside ? cols - extent : cols;
        double least2 = least_cost(at, second, rows2, cols2);
        if (least_cost(at, first, rows1, cols1) + least2 >= best->cost) continue;
        double cost = choose(at, first, rows1, cols1).cost;
        if (cost + least2 >= best->cost) continue;
        cost += choose(at, second, rows2, cols2).cost;
        if (cost < best->cost - 1e-13) *best = (choice){.cost = cost, .direction = direction, .first = first};
    }
}

static choice choose(searcher *at, int set, double rows, double cols)
{
    choice best = {.cost = rows + cols, .direction = -1};
    const int low = set & -set;
    if (set == low) return best;
    best.cost = INFINITY;
    choose_holes(at, set & ~low, (nest){.rows = rows, .cols = cols, .cost = rows + cols}, &best);
    for (int first = (set - 1) & set; first > 0; first = (first - 1) & set)
        if (first & low) choose_cut(at, set, first, rows, cols, &best);
    return best;
}

static int plant(searcher *at, scalay_slicing *tree, int set, double rows, double cols)
{
    const choice best = choose(at, set, rows, cols);
    if (best.direction < 0) {
        for (int k = 0; k < best.holes; k++) {
            double side = sqrt(at->area[best.hole[k]]);
            scalay_slicing_nest(tree, lowest(set), plant(at, tree, best.hole[k], side, side));
        }
        return lowest(set);
    }
    int beside = best.direction == SCALAY_SIDE_BY_SIDE;
    double extent = at->area[best.first] / (beside ? rows : cols);
    int one = plant(at, tree, best.first, beside ? rows : extent, beside ? extent : cols);
    int two = plant(at, tree, set & ~best.first, beside ? rows : rows - extent, beside ? cols - extent : cols);
    return scalay_slicing_cut(tree, best.direction, one, two);
}

scalay_status scalay_slicing_exhaust(const scalay_shares *shares, scalay_slicing *tree)
{
    searcher at = {.shares = shares};
    const int all = (1 << shares->parts) - 1;
    for (int set = 1; set <= all; set++) at.area[set] = at.area[set & (set - 1)] + shares->share[lowest(set)];
    tree->root = plant(&at, tree, all, shares->rows, shares->cols);
    return SCALAY_SUCCESS;
}
