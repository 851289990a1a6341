/* Sums of traffic: several matrices that go along one mapping. */
#include <stdlib.h>

#include "core/integer.h"
#include "core/memory.h"
#include "mapping/traffic.h"

static const char name[] = "scalay_traffic_add";

/* A row in the making, and where rows go. */
typedef struct {
    scalay_traffic *sum;
    int64_t capacity_part;
    int64_t capacity_count;
    int64_t *items; /* shape [parts]: of the row at hand; zero between rows */
    int *met;       /* shape [parts]: the parts whose items are positive */
    int met_count;
} builder;

static scalay_status add_row(const scalay_traffic *traffic, int64_t weight, int i, builder *build)
{
    for (int64_t e = traffic->start[i]; e < traffic->start[i + 1] && weight > 0; e++) {
        const int j = traffic->part[e];
        int64_t weighted = 0;
        if (!scalay_multiply_int64(traffic->count[e], weight, &weighted) || weighted > INT64_MAX - build->items[j])
            return scalay_fail(SCALAY_ERROR_RANGE, name,
                               "%lld items with a weight of %lld are more than 2^63 - 1; use a larger unit",
                               (long long)traffic->count[e], (long long)weight);
        if (build->items[j] == 0) build->met[build->met_count++] = j;
        build->items[j] += weighted;
    }
    return SCALAY_SUCCESS;
}

/* Puts the met parts in order: by walking through all parts when many are met, otherwise by sorting. */
static void sort_met(builder *build)
{
    int k = 0;
    if (build->met_count < build->sum->parts / 16) {
        qsort(build->met, (size_t)build->met_count, sizeof *build->met, scalay_compare_ints);
        return;
    }
    for (int j = 0; j < build->sum->parts; j++)
        if (build->items[j] > 0) build->met[k++] = j;
}

static scalay_status append_row(int i, builder *build)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_traffic *sum = build->sum;
    int64_t filled = sum->start[i];
    sort_met(build);
    SCALAY_TRY(SCALAY_GROW(sum->part, build->capacity_part, filled + build->met_count));
    SCALAY_TRY(SCALAY_GROW(sum->count, build->capacity_count, filled + build->met_count));
    for (int k = 0; k < build->met_count; k++) {
        const int j = build->met[k];
        sum->part[filled] = j;
        sum->count[filled++] = build->items[j];
        build->items[j] = 0;
    }
    build->met_count = 0;
    sum->start[i + 1] = filled;
cleanup:
    return status;
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
    builder build = {0};
    int processes = 1;
    if (sum == NULL) return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "sum is NULL; pass where to put it");
    *sum = NULL;
    SCALAY_TRY(check(count, traffic, weight));
    for (int k = 0; k < count; k++)
        if (traffic[k]->processes > processes) processes = traffic[k]->processes;
    SCALAY_TRY(scalay_traffic_allocate(processes, traffic[0]->parts, &build.sum));
    SCALAY_TRY(SCALAY_NEW(build.items, traffic[0]->parts));
    SCALAY_TRY(SCALAY_NEW(build.met, traffic[0]->parts));
    for (int i = 0; i < processes; i++) {
        for (int k = 0; k < count; k++)
            if (i < traffic[k]->processes) SCALAY_TRY(add_row(traffic[k], weight != NULL ? weight[k] : 1, i, &build));
        SCALAY_TRY(append_row(i, &build));
    }
    SCALAY_TRY(scalay_traffic_sum(build.sum));
    *sum = build.sum;
    build.sum = NULL;
cleanup:
    scalay_traffic_destroy(&build.sum);
    scalay_release(build.items);
    scalay_release(build.met);
    return status;
}
