#ifndef SCALAY_BASE_ROWS_H
#define SCALAY_BASE_ROWS_H

/** @file Loops over rows of numbers, in the widest vector instructions of the processor that they run on. */

#include <stdint.h>

/** target[k] = min(target[k], source[k] + value) for k < count; the rows do not overlap. No value is NaN. */
void scalay_row_min_sum(double *target, const double *source, int64_t count, double value);

/** Every row[k] > most becomes infinity. */
void scalay_row_cut(double *row, int64_t count, double most);

/** The same for whole numbers; sums fit. */
void scalay_row_min_sum_whole(int64_t *target, const int64_t *source, int64_t count, int64_t value);

/** Every row[k] > most becomes `none`. */
void scalay_row_cut_whole(int64_t *row, int64_t count, int64_t most, int64_t none);

/** What becomes of a row of integers: weight * value[k] + start - step * k, which has to fit; INT64_MAX where the time
 *  is not below the limit or the value is INT64_MAX. */
typedef struct {
    const int64_t *value;
    const double *time;
    double limit;
    int64_t weight;
    int64_t start;
    int64_t step;
} scalay_row_heights;

/** Writes them to height[0 .. count - 1]. */
void scalay_row_list_heights(const scalay_row_heights *of, int64_t count, int64_t *height);

/** The first k < count of the least height, and that; -1 when there is none, or all are INT64_MAX. */
int64_t scalay_row_lowest(const scalay_row_heights *of, int64_t count, int64_t *height);

/** Where cost[k] < least[k], for k < count: least[k] = cost[k], index[k] = first + k, owner[k] = from. No overlap. */
void scalay_row_keep_least(int64_t *least, int64_t *index, int64_t *owner, const int64_t *cost, int64_t count,
                           int64_t first, int64_t from);

#endif
