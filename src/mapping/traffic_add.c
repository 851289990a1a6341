/* Sums of traffic: several matrices that go along one mapping. */
#include "base/integer.h"
#include "base/memory.h"
#include "mapping/traffic_rows.h"

static const char name[] = "scalay_traffic_add";

static scalay_status add_row(const scalay_traffic *traffic, int64_t weight, int i, scalay_traffic_rows *rows)
{
    for (int64_t e = traffic->start[i]; e < traffic->start[i + 1] && weight > 0; e++) {
        const int j = traffic->part[e];
        int64_t weighted = 0;
        if (!scalay_multiply_int64(traffic->count[e], weight, &weighted) || weighted > INT64_MAX - rows->items[j])
            return scalay_fail(SCALAY_ERROR_RANGE, name,
                               "%lld items with a weight of %lld are more than 2^63 - 1; use a larger unit",
                               (long long)traffic->count[e], (long long)weight);
        scalay_traffic_rows_add(rows, j, weighted);
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
    scalay_traffic_rows rows = {0};
    scalay_traffic *made = NULL;
    int processes = 1;
    if (sum == NULL) return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "sum is NULL; pass where to put it");
    *sum = NULL;
    SCALAY_TRY(check(count, traffic, weight));
    for (int k = 0; k < count; k++)
        if (traffic[k]->processes > processes) processes = traffic[k]->processes;
    SCALAY_TRY(scalay_traffic_allocate(processes, traffic[0]->parts, &made));
    SCALAY_TRY(scalay_traffic_rows_create(made, &rows));
    for (int i = 0; i < processes; i++) {
        for (int k = 0; k < count; k++)
            if (i < traffic[k]->processes) SCALAY_TRY(add_row(traffic[k], weight != NULL ? weight[k] : 1, i, &rows));
        SCALAY_TRY(scalay_traffic_rows_append(&rows, i));
    }
    SCALAY_TRY(scalay_traffic_sum(made));
    *sum = made;
    made = NULL;
cleanup:
    scalay_traffic_rows_free(&rows);
    scalay_traffic_destroy(&made);
    return status;
}
