/* Sums of traffic: several matrices that go along one mapping. */
#include "core/integer.h"
#include "core/memory.h"
#include "mapping/traffic.h"

static const char name[] = "scalay_traffic_add";

/* The entries of all, one after the other. */
typedef struct {
    int64_t count;
    int *process;
    int *part;
    int64_t *items;
} entry_list;

static scalay_status append(const scalay_traffic *traffic, int64_t weight, entry_list *list)
{
    for (int i = 0; i < traffic->processes; i++)
        for (int64_t e = traffic->start[i]; e < traffic->start[i + 1]; e++) {
            list->process[list->count] = i;
            list->part[list->count] = traffic->part[e];
            if (!scalay_multiply_int64(traffic->count[e], weight, &list->items[list->count++]))
                return scalay_fail(SCALAY_ERROR_RANGE, name,
                                   "%lld items with a weight of %lld are more than 2^63 - 1; use a larger unit",
                                   (long long)traffic->count[e], (long long)weight);
        }
    return SCALAY_SUCCESS;
}

static scalay_status check(int count, const scalay_traffic *const *traffic, const int64_t *weight)
{
    if (count < 1 || traffic == NULL)
        return scalay_fail(SCALAY_ERROR_ARGUMENT, name, "count = %d; pass at least 1 traffic matrix", count);
    for (int k = 0; k < count; k++) {
        if (traffic[k] == NULL)
            return scalay_fail(SCALAY_ERROR_ARGUMENT, name, "traffic[%d] is NULL; create it first", k);
        if (weight != NULL && weight[k] < 0)
            return scalay_fail(SCALAY_ERROR_ARGUMENT, name, "weight[%d] = %lld; it must be at least 0", k,
                               (long long)weight[k]);
        if (traffic[k]->parts != traffic[0]->parts)
            return scalay_fail(SCALAY_ERROR_MISMATCH, name,
                               "traffic[0] has %d parts, traffic[%d] %d; one mapping needs the same number",
                               traffic[0]->parts, k, traffic[k]->parts);
    }
    return SCALAY_SUCCESS;
}

scalay_status scalay_traffic_add(int count, const scalay_traffic *const *traffic, const int64_t *weight,
                                 scalay_traffic **sum)
{
    scalay_status status = SCALAY_SUCCESS;
    entry_list list = {0};
    int64_t entries = 0;
    int processes = 1;
    if (sum == NULL) return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "sum is NULL; pass where to put it");
    *sum = NULL;
    SCALAY_TRY(check(count, traffic, weight));
    for (int k = 0; k < count; k++) {
        entries += scalay_traffic_nonzeros(traffic[k]);
        if (traffic[k]->processes > processes) processes = traffic[k]->processes;
    }
    SCALAY_TRY(SCALAY_NEW(list.process, entries));
    SCALAY_TRY(SCALAY_NEW(list.part, entries));
    SCALAY_TRY(SCALAY_NEW(list.items, entries));
    for (int k = 0; k < count; k++) SCALAY_TRY(append(traffic[k], weight != NULL ? weight[k] : 1, &list));
    SCALAY_TRY(
        scalay_traffic_from_entries(processes, traffic[0]->parts, entries, list.process, list.part, list.items, sum));
cleanup:
    scalay_release(list.process);
    scalay_release(list.part);
    scalay_release(list.items);
    return status;
}
