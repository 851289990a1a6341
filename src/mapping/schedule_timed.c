/* The schedule that takes the least time: coarser slices save starts, finer ones save waiting. From the finest that may
 * pay on, slices get coarser as long as that pays; what takes longer than the best so far is given up on the way. */
#include <stddef.h>

#include "core/integer.h"
#include "core/memory.h"
#include "mapping/schedule.h"
#include "mapping/traffic.h"

enum { COARSER = 4 }; /* from one slice to the next */

static int64_t largest_message(const scalay_traffic *traffic)
{
    int64_t most = 0;
    for (int64_t e = 0; e < traffic->start[traffic->processes]; e++) most = scalay_max_int64(most, traffic->count[e]);
    return most;
}

/* Makes a schedule that takes less than the best so far, and keeps it instead; returns whether there is one in *better.
 */
static scalay_status try_slice(const scalay_traffic *traffic, const int *process, int64_t slice, int64_t startup,
                               scalay_schedule **best, int *better)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_schedule *next = NULL;
    scalay_schedule_way way = {.slice = slice, .startup = startup, .limit = INT64_MAX};
    if (*best != NULL) way.limit = scalay_schedule_time(*best, startup);
    SCALAY_TRY(scalay_schedule_make_best(traffic, process, &way, &next));
    *better = next != NULL;
    if (next != NULL) scalay_schedule_destroy(best);
    if (next != NULL) *best = next;
cleanup:
    return status;
}

scalay_status scalay_schedule_create_timed(const scalay_traffic *traffic, const int *process, int64_t startup,
                                           scalay_schedule **schedule)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_schedule *best = NULL;
    int better = 1;
    if (schedule == NULL) return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "schedule is NULL; pass where to put it");
    *schedule = NULL;
    if (traffic == NULL) return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "traffic is NULL; create one first");
    if (startup < 0)
        return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "startup = %lld; pass at least 0 items", (long long)startup);
    SCALAY_TRY(scalay_processes_check(process, traffic->parts, __func__));
    if (startup == 0) return scalay_schedule_create(traffic, process, schedule);
    const int64_t most = largest_message(traffic) / COARSER;
    for (int64_t slice = scalay_max_int64(1, startup / COARSER); slice <= most && better; slice *= COARSER)
        SCALAY_TRY(try_slice(traffic, process, slice, startup, &best, &better));
    SCALAY_TRY(try_slice(traffic, process, INT64_MAX, startup, &best, &better));
    *schedule = best;
    best = NULL;
cleanup:
    scalay_schedule_destroy(&best);
    return status;
}
