/* What the published methods share: how much they may need, and times as ranks. */
#include "published/published.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/integer.h"
#include "base/memory.h"

scalay_status scalay_published_named(const char *function, scalay_status status)
{
    if (status != SCALAY_ERROR_UNSUPPORTED) return status;
    return scalay_fail(status, function, "%s", scalay_error_message());
}

scalay_status scalay_published_check_memory(const char *method, int64_t rows, int64_t columns, size_t size)
{
    int64_t cells = 0;
    if (rows <= INT32_MAX && columns <= INT32_MAX && scalay_multiply_int64(rows, columns, &cells) &&
        cells <= SCALAY_PUBLISHED_BYTES / (int64_t)size)
        return SCALAY_SUCCESS;
    return scalay_fail(SCALAY_ERROR_UNSUPPORTED, method,
                       "%s needs a table of %lld x %lld cells of %zu bytes, more than 2 GiB; use method \"auto\"",
                       method, (long long)rows, (long long)columns, size);
}

int scalay_published_is_trivial(const scalay_problem *problem, scalay_distribution *distribution)
{
    scalay_distribution_clear(distribution);
    distribution->feasible = problem->divisible && problem->n == 0;
    return !problem->divisible || problem->n == 0;
}

scalay_status scalay_published_excuse(const scalay_problem *problem, scalay_status status,
                                      scalay_distribution *distribution)
{
    int64_t below = 0;
    int64_t above = 0;
    if (status != SCALAY_ERROR_UNSUPPORTED) return status;
    const scalay_status found = scalay_solve_nearest(problem, &below, &above);
    if (found != SCALAY_SUCCESS) return found;
    if (below == problem->n) return status;
    scalay_distribution_clear(distribution);
    return SCALAY_SUCCESS;
}

static int compare_times(const void *a, const void *b)
{
    double x = *(const double *)a;
    double y = *(const double *)b;
    return (x > y) - (x < y);
}

static int64_t find_time(const double *time, int64_t count, double wanted)
{
    int64_t low = 0;
    int64_t high = count - 1;
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (time[middle] < wanted)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

scalay_status scalay_time_ranks(const scalay_problem_group *group, int64_t **rank)
{
    scalay_status status = SCALAY_SUCCESS;
    double *sorted = NULL;
    int64_t *ranks = NULL;
    int64_t distinct = 1;
    *rank = NULL;
    SCALAY_TRY(SCALAY_NEW(sorted, group->largest + 1));
    SCALAY_TRY(SCALAY_NEW(ranks, group->largest + 1));
    memcpy(sorted, group->time, (size_t)(group->largest + 1) * sizeof *sorted);
    sorted[0] = 0.0;
    qsort(sorted, (size_t)group->largest + 1, sizeof *sorted, compare_times);
    for (int64_t k = 1; k <= group->largest; k++)
        if (sorted[k] > sorted[distinct - 1]) sorted[distinct++] = sorted[k];
    for (int64_t x = 1; x <= group->largest; x++)
        ranks[x] = isinf(group->time[x]) ? SCALAY_NO_VALUE : find_time(sorted, distinct, group->time[x]);
    *rank = ranks;
    ranks = NULL;
cleanup:
    scalay_release(sorted);
    scalay_release(ranks);
    return status;
}

scalay_status scalay_share_add(const char *method, const scalay_problem *problem, int group, int64_t index,
                               int64_t count, scalay_distribution *distribution)
{
    const scalay_problem_group *of = &problem->group[group];
    if (count > 0 && index > 0 && (index > of->largest || isinf(of->time[index])))
        return scalay_fail(SCALAY_ERROR_UNSUPPORTED, method,
                           "%s wants to give %lld to a processor of group %d, which does not list that size; add it to "
                           "the profile, or use method \"auto\"",
                           method, (long long)(index * problem->unit), group);
    return scalay_distribution_add(distribution, group, index, count);
}
