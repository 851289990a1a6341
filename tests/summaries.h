#ifndef SCALAY_TESTS_SUMMARIES_H
#define SCALAY_TESTS_SUMMARIES_H

/* Summaries and schedules by value, for tests and benchmarks. A failure gives -1 or zeros. */

#include "scalay/schedule.h"

static inline scalay_traffic_summary traffic_summary(const scalay_traffic *traffic)
{
    scalay_traffic_summary summary = {0};
    if (scalay_traffic_get_summary(traffic, &summary) != SCALAY_SUCCESS) return (scalay_traffic_summary){0};
    return summary;
}

static inline scalay_mapping_summary mapping_summary(const scalay_mapping *mapping)
{
    scalay_mapping_summary summary = {.volume = -1};
    if (scalay_mapping_get_summary(mapping, &summary) != SCALAY_SUCCESS)
        summary = (scalay_mapping_summary){
            .volume = -1, .steps = -1, .time = -1, .volume_bound = -1, .steps_bound = -1, .time_bound = -1};
    return summary;
}

static inline scalay_schedule_summary schedule_summary(const scalay_schedule *schedule)
{
    scalay_schedule_summary summary = {0};
    if (scalay_schedule_get_summary(schedule, &summary) != SCALAY_SUCCESS) return (scalay_schedule_summary){0};
    return summary;
}

/* Schedules of the kinds that are not the default. */
static inline scalay_status create_sliced(const scalay_traffic *traffic, const int *process, int64_t slice,
                                          scalay_schedule **schedule)
{
    scalay_schedule_options options = scalay_schedule_options_default();
    options.slice = slice;
    return scalay_schedule_create(traffic, process, &options, schedule);
}

static inline scalay_status create_timed(const scalay_traffic *traffic, const int *process, int64_t startup,
                                         scalay_schedule **schedule)
{
    scalay_schedule_options options = scalay_schedule_options_default();
    options.startup = startup;
    return scalay_schedule_create(traffic, process, &options, schedule);
}

static inline scalay_status create_preemptive(const scalay_traffic *traffic, const int *process,
                                              scalay_schedule **schedule)
{
    scalay_schedule_options options = scalay_schedule_options_default();
    options.preemptive = 1;
    return scalay_schedule_create(traffic, process, &options, schedule);
}

#endif
