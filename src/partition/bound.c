/* LB*: no partition sends less.
 *
 * The domain has A rows and B columns, A B = 1 (shares.h). Part x owns something in h_x <= A of the rows and w_x <= B
 * of the columns, its area is s_x <= h_x w_x, and f = sum (h + w) - A - B. Hence h + w >= g(s): 2 sqrt(s) where a
 * square fits, else L + s / L with L = min(A, B). For any set of parts let a = sum w, b = sum h, r = sum sqrt(s):
 * Cauchy and Schwarz give a b >= r^2. If it is known that a >= W and b >= H, then a + b >= G(r, W, H), the least sum of
 * two numbers with a >= W, b >= H, a b >= r^2:
 *
 *   2 r                            if r >= max(W, H),
 *   M + r^2 / M                    if M = max(W, H) > r and r^2 / M >= min(W, H),
 *   W + H                          otherwise.
 *
 * A line is full if one part owns all of it. Of two or more parts:
 *
 * I. No line is full: every line has two owners, a >= 2 B and b >= 2 A for all parts together, so that
 * f >= max(G(R, 2 B, 2 A), sum of g) - A - B.
 *
 * II. A row and a column are full. They cross, so that one part x owns both, h_x = A and w_x = B, and f >= the sum of g
 * over the others, least for the largest x.
 *
 * III. Rows are full, columns are not (or the other way round: the same with A and B exchanged). Let X be the k parts
 * with full rows, S their area, and a, b, r, g of the others. X appears in all columns, w = B each. Of the rows, mu are
 * without X: they have two of the others each, for they are not full. Another nu have X and others. The others' area
 * gives mu + nu >= A - S / B, so that b >= 2 mu + nu >= A - S / B + mu, while the sum over X of h is >= A - mu:
 *
 *   f >= (k - 1) B - mu + max(G(r, W, A - S / B + mu), sum of g),    0 <= mu <= A - S / B.
 *
 * a >= W = B if k = 1, as no column is full, and if mu > 0, as the others fill those rows. G grows no faster than its
 * last argument, so that the right side is least for the largest mu, except that mu = 0 allows W = 0 for k > 1. With a
 * single other part, or none, mu = 0 for certain.
 *
 * For k = 1 all parts are tried as X. For given k > 1, the largest k parts give the least: let area t move from a part
 * y outside of X to one in X, which is what exchanging parts for larger ones comes to. Then S / B grows by t / B, and r
 * by -t / (2 sqrt(s_y)). For mu = 0 the right side does not grow. For the largest mu, its derivative is 1 / B - g' <= 0
 * with g; 1 / B - 2 / B with W + H; (1 - r / sqrt(s_y)) / B <= 0 with G if M = W; and with rho = r / M <= 1,
 * (2 rho^2 - 1) / B - rho / sqrt(s_y) <= (2 rho^2 - 1 - rho) / B <= 0 if M = H and no part is larger than B^2. If one
 * is, W + H <= G stands in for G. */
#include <math.h>

#include "base/memory.h"
#include "partition/shares.h"

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
    const scalay_shares *shares;
    double *roots;  /* shape [parts + 1]: of square roots of areas */
    double *halves; /* shape [parts + 1]: of half perimeters at least */
} tail_sums;

static double half_perimeter(const scalay_shares *shares, int k)
{
    double shorter = fmin(shares->rows, shares->cols);
    double side = shares->side[k];
    return side <= shorter ? 2.0 * side : shorter + shares->share[k] / shorter;
}

/* Case III for one part, the k-th, with full lines of the given length; lines is how many there are. */
static double one_owner_bound(const tail_sums *tail, int k, double length, double lines)
{
    double left = fmax(0.0, lines - tail->shares->share[k] / length);
    double without = tail->shares->parts > 2 ? left : 0.0;
    double roots = tail->roots[0] - tail->shares->side[k];
    double halves = tail->halves[0] - half_perimeter(tail->shares, k);
    return fmax(least_half_perimeter(roots, length, left + without), halves) - without;
}

/* Case III for the largest k parts, at least two. */
static double owners_bound(const tail_sums *tail, int k, double length, double lines)
{
    double left = fmax(0.0, lines - scalay_shares_sum(tail->shares, 0, k) / length);
    double bound = fmax(least_half_perimeter(tail->roots[k], 0.0, left), tail->halves[k]);
    if (tail->shares->parts - k >= 2) {
        double rest = fmax(length + 2.0 * left, tail->halves[k]);
        if (tail->shares->side[0] <= length)
            rest = fmax(rest, least_half_perimeter(tail->roots[k], length, 2.0 * left));
        bound = fmin(bound, rest - left);
    }
    return (k - 1) * length + bound;
}

static double full_lines_bound(const tail_sums *tail, double length, double lines)
{
    double least = INFINITY;
    for (int k = 0; k < tail->shares->parts; k++) least = fmin(least, one_owner_bound(tail, k, length, lines));
    for (int k = 2; k <= tail->shares->parts; k++) least = fmin(least, owners_bound(tail, k, length, lines));
    return least;
}

static double scaled_bound(const tail_sums *tail)
{
    const double rows = tail->shares->rows;
    const double cols = tail->shares->cols;
    double none = fmax(least_half_perimeter(tail->roots[0], 2.0 * cols, 2.0 * rows), tail->halves[0]) - rows - cols;
    double both = tail->halves[1];
    double one = fmin(full_lines_bound(tail, cols, rows), full_lines_bound(tail, rows, cols));
    return fmin(one, fmin(none, both));
}

scalay_status scalay_partition_bound(const scalay_partition_problem *problem, double *bound)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_shares shares = {0};
    tail_sums tail = {.shares = &shares};
    *bound = 0.0;
    if (problem->parts < 2) return SCALAY_SUCCESS;
    SCALAY_TRY(scalay_shares_create(problem, &shares));
    SCALAY_TRY(SCALAY_NEW(tail.roots, (int64_t)shares.parts + 1));
    SCALAY_TRY(SCALAY_NEW(tail.halves, (int64_t)shares.parts + 1));
    for (int k = shares.parts - 1; k >= 0; k--) {
        tail.roots[k] = tail.roots[k + 1] + shares.side[k];
        tail.halves[k] = tail.halves[k + 1] + half_perimeter(&shares, k);
    }
    *bound = shares.weight * scaled_bound(&tail);
cleanup:
    scalay_release(tail.roots);
    scalay_release(tail.halves);
    scalay_shares_free(&shares);
    return status;
}
