/* The schedule that takes the least time: coarser slices save starts, finer ones save waiting. */
#include <stddef.h>

#include "core/integer.h"
#include "core/memory.h"
#include "mapping/schedule.h"
#include "mapping/traffic.h"

enum { FINER = 4 }; /* from one slice to the next */

/* Items that could be sent meanwhile; more than 2^63 - 1 count as that. */
static int64_t time_of(const scalay_schedule *schedule, int64_t startup)
{
    int64_t time = 0;
    if (!scalay_multiply_int64(schedule->steps, startup, &time) || !scalay_add_int64(time, schedule->length, &time))
        return INT64_MAX;
    return time;
}

static int64_t largest_message(const scalay_traffic *traffic)
{
    int64_t most = 0;
    for (int64_t e = 0; e < traffic->start[traffic->processes]; e++) most = scalay_max_int64(most, traffic->count[e]);
    return most;
}

/* Keeps the better one of two schedules in *best; returns whether that is the new one. */
static int keep_better(scalay_schedule **best, scalay_schedule **next, int64_t startup)
{
    const int better = *best == NULL || time_of(*next, startup) < time_of(*best, startup);
    if (better) {
        scalay_schedule_destroy(best);
        *best = *next;
        *next = NULL;
    }
    scalay_schedule_destroy(next);
    return better;
}

scalay_status scalay_schedule_create_timed(const scalay_traffic *traffic, const int *process, int64_t startup,
                                           scalay_schedule **schedule)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_schedule *best = NULL, *next = NULL;
    if (schedule == NULL) return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "schedule is NULL; pass where to put it");
    *schedule = NULL;
    if (traffic == NULL) return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "traffic is NULL; create one first");
    if (startup < 0)
        return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "startup = %lld; pass at least 0 items", (long long)startup);
    if (startup == 0) return scalay_schedule_create(traffic, process, schedule);
    SCALAY_TRY(scalay_schedule_create_sliced(traffic, process, INT64_MAX, &best));
    const int64_t finest = scalay_max_int64(1, startup / FINER);
    for (int64_t slice = largest_message(traffic) / FINER; slice >= finest; slice /= FINER) {
        SCALAY_TRY(scalay_schedule_create_sliced(traffic, process, slice, &next));
        if (!keep_better(&best, &next, startup) && slice <= startup) break;
    }
    *schedule = best;
    best = NULL;
cleanup:
    scalay_schedule_destroy(&best);
    return status;
}
