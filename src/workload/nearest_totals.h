#ifndef SCALAY_WORKLOAD_NEAREST_TOTALS_H
#define SCALAY_WORKLOAD_NEAREST_TOTALS_H

/** @file The totals next to n by listing all totals from 0 on, or from the capacity downwards. */

#include "workload/problem.h"

/**
 * Lists totals group by group. As soon as a run of totals as long as the largest size is complete, every other
 * processor makes it longer by its own largest size: so what is listed is usually short.
 * @param[in]  problem   more than 0 and less than the capacity is wanted
 * @param[in]  count     shape [groups]: processors
 * @param[in]  largest   of all sizes
 * @param[in]  capacity  the sum of the counts times the largest sizes
 * @param[out] found     0: there is too much to list; below and above are untouched
 * @return SCALAY_SUCCESS, SCALAY_ERROR_MEMORY
 */
scalay_status scalay_nearest_by_listing(const scalay_problem *problem, const int64_t *count, int64_t largest,
                                        int64_t capacity, int64_t *below, int64_t *above, int *found);

#endif
