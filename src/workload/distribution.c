#include "core/memory.h"
#include "workload/problem.h"

scalay_status scalay_distribution_add(scalay_distribution *distribution, int group, int64_t index, int64_t count)
{
    scalay_status status = SCALAY_SUCCESS;
    if (count == 0 || index == 0) return SCALAY_SUCCESS;
    SCALAY_TRY(SCALAY_GROW(distribution->share, distribution->room, distribution->shares + 1));
    distribution->share[distribution->shares++] = (scalay_share){group, index, count};
cleanup:
    return status;
}

void scalay_distribution_swap(scalay_distribution *a, scalay_distribution *b)
{
    const scalay_distribution swap = *a;
    *a = *b;
    *b = swap;
}

void scalay_distribution_clear(scalay_distribution *distribution)
{
    distribution->shares = 0;
    distribution->feasible = 0;
}

void scalay_distribution_free(scalay_distribution *distribution)
{
    scalay_release(distribution->share);
    *distribution = (scalay_distribution){0};
}
