/*
 * LB*: a lower bound on f_c over all partitions into given areas. Time: O(p log p).
 *
 * The domain is scaled to area 1 (slicing_tree.h): it has A rows and B columns, A B = 1. Part x owns elements in h_x <=
 * A of the rows and in w_x <= B of the columns. Its area is s_x <= h_x w_x, and f = sum (h + w) - A - B. Hence h + w >=
 * g(s): 2 sqrt(s) if a square fits, else L + s / L with L = min(A, B). For any set of parts let a = sum w, b = sum h, r
 * = sum sqrt(s). Cauchy and Schwarz give a b >= r^2. If a >= W and b >= H, then a + b >= G(r, W, H), the least sum of
 * two numbers with a >= W, b >= H, a b >= r^2:
 *
 *   2 r                            if r >= max(W, H),
 *   M + r^2 / M                    if M = max(W, H) > r and r^2 / M >= min(W, H),
 *   W + H                          otherwise.
 *
 * A line is full if one part owns all of it. For two or more parts:
 *
 * I. No line is full. Each line has two owners, so that a >= 2 B and b >= 2 A for all parts together. Hence
 * f >= max(G(R, 2 B, 2 A), sum of g) - A - B.
 *
 * II. A row and a column are full. They cross, so that one part x owns both, h_x = A and w_x = B. Hence f >= the sum of
 * g over the others, which is least for the largest x.
 *
 * III. Rows are full, columns are not (or vice versa, with A and B exchanged). Let X be the k parts with full rows, S
 * their area, and a, b, r, g of the others. Each part of X has elements in all columns, w = B. Let mu rows be without
 * X; they have two of the others each, because they are not full. Let nu rows have X and others. The area of the others
 * gives mu + nu >= A - S / B, so that b >= 2 mu + nu >= A - S / B + mu. The sum of h over X is >= A - mu. Hence
 *
 *   f >= (k - 1) B - mu + max(G(r, W, A - S / B + mu), sum of g),    0 <= mu <= A - S / B.
 *
 * a >= W = B if k = 1, because no column is full, and if mu > 0, because the others fill those rows. G grows no faster
 * than its last argument. Therefore the right side is least for the largest mu, except that mu = 0 allows W = 0 for k
 * > 1. With at most one other part, mu = 0.
 *
 * For k = 1 all parts are tried as X. For given k > 1, the largest k parts give the least bound: exchange a part of X
 * for a larger part y outside of X, that is, let area t move from y into X. Then S / B grows by t / B, and r by -t / (2
 * sqrt(s_y)). For mu = 0 the right side does not grow. For the largest mu, its derivative is 1 / B - g' <= 0 with g; 1
 * / B - 2 / B with W + H; (1 - r / sqrt(s_y)) / B <= 0 with G if M = W; and with rho = r / M <= 1, (2 rho^2 - 1) / B -
 * rho / sqrt(s_y) <= (2 rho^2 - 1 - rho) / B <= 0 if M = H and no part is larger than B^2. If a part is larger, W + H
 * <= G is used instead of G.
 */
#include <math.h>

#include "base/memory.h"
#include "partition/slicing_tree.h"

static double least_half_perimeter(double root_sum, double width, double height)
{
    double greater = fmax(width, height);
    double lesser = fmin(width, height);
    if (root_sum >= greater) return 2.0 * root_sum;
    double other = root_sum * root_sum / greater;
    return greater + fmax(other, lesser);
}

/* Sums over the parts from k on. */
typedef struct {
    const scalay_scaled_areas *areas;
    double *roots;  /* shape [parts + 1]: square roots of the areas */
    double *halves; /* shape [parts + 1]: lower bounds g on the half perimeters */
} tail_sums;

static double half_perimeter(const scalay_scaled_areas *areas, int k)
{
    double shorter = fmin(areas->rows, areas->cols);
    double side = areas->side[k];
    return side <= shorter ? 2.0 * side : shorter + areas->area[k] / shorter;
}

/* Case III with the k-th part alone in X. The domain has `lines` lines of a given length in that direction. */
static double one_owner_bound(const tail_sums *tail, int k, double length, double lines)
{
    double left = fmax(0.0, lines - tail->areas->area[k] / length);
    double without = tail->areas->parts > 2 ? left : 0.0;
    double roots = tail->roots[0] - tail->areas->side[k];
    double halves = tail->halves[0] - half_perimeter(tail->areas, k);
    return fmax(least_half_perimeter(roots, length, left + without), halves) - without;
}

/* Case III with the largest k parts in X, at least two. */
static double owners_bound(const tail_sums *tail, int k, double length, double lines)
{
    double left = fmax(0.0, lines - scalay_scaled_areas_sum(tail->areas, 0, k) / length);
    double bound = fmax(least_half_perimeter(tail->roots[k], 0.0, left), tail->halves[k]);
    if (tail->areas->parts - k >= 2) {
        double rest = fmax(length + 2.0 * left, tail->halves[k]);
        if (tail->areas->side[0] <= length) rest = fmax(rest, least_half_perimeter(tail->roots[k], length, 2.0 * left));
        bound = fmin(bound, rest - left);
    }
    return (k - 1) * length + bound;
}

static double full_lines_bound(const tail_sums *tail, double length, double lines)
{
    double least = INFINITY;
    for (int k = 0; k < tail->areas->parts; k++) least = fmin(least, one_owner_bound(tail, k, length, lines));
    for (int k = 2; k <= tail->areas->parts; k++) least = fmin(least, owners_bound(tail, k, length, lines));
    return least;
}

static double scaled_bound(const tail_sums *tail)
{
    const double rows = tail->areas->rows;
    const double cols = tail->areas->cols;
    double none = fmax(least_half_perimeter(tail->roots[0], 2.0 * cols, 2.0 * rows), tail->halves[0]) - rows - cols;
    double both = tail->halves[1];
    double one = fmin(full_lines_bound(tail, cols, rows), full_lines_bound(tail, rows, cols));
    return fmin(one, fmin(none, both));
}

scalay_status scalay_partition_bound(const scalay_partition_problem *problem, double *bound)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_scaled_areas areas = {0};
    tail_sums tail = {.areas = &areas};
    *bound = 0.0;
    if (problem->parts < 2) return SCALAY_SUCCESS;
    SCALAY_TRY(scalay_scaled_areas_create(problem, &areas));
    SCALAY_TRY(SCALAY_NEW(tail.roots, (int64_t)areas.parts + 1));
    SCALAY_TRY(SCALAY_NEW(tail.halves, (int64_t)areas.parts + 1));
    for (int k = areas.parts - 1; k >= 0; k--) {
        tail.roots[k] = tail.roots[k + 1] + areas.side[k];
        tail.halves[k] = tail.halves[k + 1] + half_perimeter(&areas, k);
    }
    *bound = areas.weight * scaled_bound(&tail);
cleanup:
    scalay_release(tail.roots);
    scalay_release(tail.halves);
    scalay_scaled_areas_free(&areas);
    return status;
}
