#ifndef SCALAY_TESTS_PARTITION_SUMMARIES_H
#define SCALAY_TESTS_PARTITION_SUMMARIES_H

/** @file Totals as function results. */

#include "scalay/partition.h"

static inline scalay_multiply_cost_summary cost_of(const scalay_multiply_cost *cost)
{
    scalay_multiply_cost_summary summary;
    (void)scalay_multiply_cost_get_summary(cost, &summary);
    return summary;
}

static inline scalay_partition_summary summary_of(const scalay_partition *partition)
{
    scalay_partition_summary summary;
    (void)scalay_partition_get_summary(partition, &summary);
    return summary;
}

#endif
