/* Recursive-best: all cuts of the sorted parts into two runs, either way, and the corner square of the recursive method
 * are ranked by what they cost at least; the best few are followed. What is found for a run and a width is kept. */
#include <math.h>

#include "base/memory.h"
#include "partition/methods.h"

enum { BEAM = 3, MOST_STATES = 8000 };

enum { BESIDE = SCALAY_SIDE_BY_SIDE, ABOVE = SCALAY_ONE_ABOVE_OTHER, CORNER };

/* The parts first, ..., last - 1 in a rectangle. */
typedef struct {
    int first, last;
    double rows, cols;
} piece;

/* A way to go on. */
typedef struct {
    double estimate;
    int way;
    int middle; /* where the second run begins */
} option;

/* The best that was found for a piece. */
typedef struct {
    double cols; /* of the piece: its area gives the rows */
    double cost;
    int way, middle;
    int64_t next; /* of the same run; -1: none */
} state;

typedef struct {
    const scalay_shares *shares;
    scalay_slicing *tree;
    double *roots;   /* shape [parts + 1]: sums of sides from k on */
    int64_t *newest; /* shape [parts * (parts + 1)]: state of each run; -1: none */
    int64_t states, room;
    state *state;
} searcher;

static double area_of(const searcher *at, int first, int last)
{
    return scalay_shares_sum(at->shares, first, last);
}

/* What a run costs at least in a rectangle: squares where they fit, else full stripes of the shorter side. */
static double estimate(const searcher *at, piece of)
{
    double shorter = fmin(of.rows, of.cols);
    int low = of.first;
    int high = of.last;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (at->shares->side[middle] > shorter)
            low = middle + 1;
        else
            high = middle;
    }
    double stripes = (low - of.first) * shorter + area_of(at, of.first, low) / shorter;
    double squares = 2.0 * (at->roots[low] - at->roots[of.last]);
    return fmax(stripes + squares, of.rows + of.cols);
}

/* The two pieces of an option; of a corner, the first one is the leaf. */
static void divide(const searcher *at, piece of, option by, piece *one, piece *two)
{
    *one = (piece){of.first, by.middle, of.rows, of.cols};
    *two = (piece){by.middle, of.last, of.rows, of.cols};
    double area = area_of(at, of.first, by.middle);
    if (by.way == BESIDE) {
        one->cols = area / of.rows;
        two->cols -= one->cols;
    } else if (by.way == ABOVE) {
        one->rows = area / of.cols;
        two->rows -= one->rows;
    } else {
        two->rows = two->cols = sqrt(area_of(at, by.middle, of.last));
    }
}

/* Keeps the best few in order; of equals, those that came first. */
static void offer(option *best, int *count, option new)
{
    int to = *count < BEAM ? (*count)++ : BEAM - 1;
    if (to == BEAM - 1 && *count == BEAM && best[to].estimate <= new.estimate &&best[to].way >= 0) return;
    best[to] = new;
    for (; to > 0 && best[to - 1].estimate > best[to].estimate; to--) {
        option other = best[to - 1];
        best[to - 1] = best[to];
        best[to] = other;
    }
}

static int rank_options(const searcher *at, piece of, option *best)
{
    int count = 0;
    piece one, two;
    for (int k = 0; k < BEAM; k++) best[k].way = -1;
    for (int middle = of.first + 1; middle < of.last; middle++)
        for (int way = BESIDE; way <= ABOVE; way++) {
            option by = {0.0, way, middle};
            divide(at, of, by, &one, &two);
            by.estimate = estimate(at, one) + estimate(at, two);
            offer(best, &count, by);
        }
    option corner = {0.0, CORNER, of.first + 1};
    divide(at, of, corner, &one, &two);
    if (two.rows <= fmin(of.rows, of.cols)) {
        corner.estimate = of.rows + of.cols + estimate(at, two);
        offer(best, &count, corner);
    }
    return count;
}

static state *recall(const searcher *at, piece of)
{
    int64_t k = at->newest[(int64_t)of.first * (at->shares->parts + 1) + of.last];
    for (; k >= 0; k = at->state[k].next)
        if (fabs(at->state[k].cols - of.cols) <= 1e-9 * of.cols) return &at->state[k];
    return NULL;
}

static scalay_status keep(searcher *at, piece of, state found)
{
    int64_t *newest = &at->newest[(int64_t)of.first * (at->shares->parts + 1) + of.last];
    scalay_status status = SCALAY_GROW(at->state, at->room, at->states + 1);
    if (status != SCALAY_SUCCESS) return status;
    found.next = *newest;
    at->state[at->states] = found;
    *newest = at->states++;
    return SCALAY_SUCCESS;
}

static scalay_status search(searcher *at, piece of, double *cost);

static scalay_status follow(searcher *at, piece of, option by, double *cost)
{
    piece one, two;
    double first = of.rows + of.cols;
    double second;
    divide(at, of, by, &one, &two);
    scalay_status status = by.way == CORNER ? SCALAY_SUCCESS : search(at, one, &first);
    if (status == SCALAY_SUCCESS) status = search(at, two, &second);
    if (status == SCALAY_SUCCESS) *cost = first + second;
    return status;
}

static scalay_status search(searcher *at, piece of, double *cost)
{
    option best[BEAM];
    state found = {.cols = of.cols, .cost = INFINITY};
    *cost = of.rows + of.cols;
    if (of.last - of.first == 1) return SCALAY_SUCCESS;
    const state *known = recall(at, of);
    if (known != NULL) {
        *cost = known->cost;
        return SCALAY_SUCCESS;
    }
    int count = rank_options(at, of, best);
    for (int k = 0; k < count && (k == 0 || at->states < MOST_STATES); k++) {
        if (best[k].estimate >= found.cost - 1e-12) continue;
        double through;
        scalay_status status = follow(at, of, best[k], &through);
        if (status != SCALAY_SUCCESS) return status;
        if (through < found.cost - 1e-12)
            found = (state){.cols = of.cols, .cost = through, .way = best[k].way, .middle = best[k].middle};
    }
    *cost = found.cost;
    return keep(at, of, found);
}

static int plant(const searcher *at, piece of)
{
    piece one, two;
    if (of.last - of.first == 1) return of.first;
    const state *known = recall(at, of);
    const option by = {0.0, known->way, known->middle};
    divide(at, of, by, &one, &two);
    if (by.way == CORNER) {
        scalay_slicing_nest(at->tree, of.first, plant(at, two));
        return of.first;
    }
    int before = plant(at, one);
    return scalay_slicing_cut(at->tree, by.way, before, plant(at, two));
}

static scalay_status searcher_create(const scalay_shares *shares, scalay_slicing *tree, searcher *at)
{
    scalay_status status = SCALAY_SUCCESS;
    const int64_t runs = (int64_t)shares->parts * (shares->parts + 1);
    *at = (searcher){.shares = shares, .tree = tree};
    SCALAY_TRY(SCALAY_NEW(at->roots, (int64_t)shares->parts + 1));
    SCALAY_TRY(SCALAY_NEW(at->newest, runs));
    for (int k = shares->parts - 1; k >= 0; k--) at->roots[k] = at->roots[k + 1] + shares->side[k];
    for (int64_t k = 0; k < runs; k++) at->newest[k] = -1;
cleanup:
    return status;
}

scalay_status scalay_slicing_recursive_best(const scalay_shares *shares, scalay_slicing *tree)
{
    scalay_status status = SCALAY_SUCCESS;
    const piece all = {0, shares->parts, shares->rows, shares->cols};
    searcher at = {0};
    double cost;
    SCALAY_TRY(searcher_create(shares, tree, &at));
    SCALAY_TRY(search(&at, all, &cost));
    tree->root = plant(&at, all);
cleanup:
    scalay_release(at.roots);
    scalay_release(at.newest);
    scalay_release(at.state);
    return status;
}

scalay_status scalay_draw_recursive_best(const scalay_partition_problem *problem, scalay_candidate *candidate)
{
    if (problem->parts > SCALAY_MOST_RECURSIVE_BEST)
        return scalay_candidate_refuse(candidate, "takes too long for more than %d parts", SCALAY_MOST_RECURSIVE_BEST);
    return scalay_slicing_method(problem, scalay_slicing_recursive_best, candidate);
}
