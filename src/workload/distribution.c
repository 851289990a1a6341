#include "base/memory.h"
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

int64_t scalay_distribution_energy(const scalay_problem *problem, const scalay_distribution *distribution)
{
    int64_t energy = 0;
    for (int64_t k = 0; k < distribution->shares; k++) {
        const scalay_share *share = &distribution->share[k];
        energy += share->count * problem->group[share->group].energy[share->index];
    }
    return energy;
}

int64_t scalay_distribution_active(const scalay_distribution *distribution)
{
    int64_t active = 0;
    for (int64_t k = 0; k < distribution->shares; k++) active += distribution->share[k].count;
    return active;
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
