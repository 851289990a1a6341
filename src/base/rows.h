#ifndef SCALAY_BASE_ROWS_H
#define SCALAY_BASE_ROWS_H

/** @file Vector loops over rows of numbers, compiled for several instruction sets and selected at run time. */

#include <stdint.h>

/** Computes target[k] = min(target[k], source[k] + value) for k < count. The rows must not overlap. The sums must fit.
 */
void scalay_row_min_sum(int64_t *target, const int64_t *source, int64_t count, int64_t value);

/** Sets every row[k] > limit[k] to `value`, for k < count. */
void scalay_row_discard_above(int64_t *row, const int64_t *limit, int64_t count, int64_t value);

/** Reduced costs of a row: weight * value[k] + start - step * k, which must fit. INT64_MAX if time[k] >= limit or
 * value[k] is INT64_MAX. */
typedef struct {
    const int64_t *value;
    const double *time;
    double limit;
    int64_t weight;
    int64_t start;
    int64_t step;
} scalay_row_costs;

/** Computes the reduced costs cost[0 .. count - 1]. */
void scalay_row_reduced_costs(const scalay_row_costs *of, int64_t count, int64_t *cost);

/** Finds the minimum reduced cost. Returns its first index; -1 if count is 0 or all costs are INT64_MAX. */
int64_t scalay_row_min_reduced_cost(const scalay_row_costs *of, int64_t count, int64_t *cost);

/** Sets minimum[k] = cost[k], index[k] = first + k and owner[k] = from, for each k < count with cost[k] < minimum[k].
 * The arrays must not overlap. */
void scalay_row_update_minimum(int64_t *minimum, int64_t *index, int64_t *owner, const int64_t *cost, int64_t count,
                               int64_t first, int64_t from);

#endif
