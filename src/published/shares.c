#include "published/shares.h"

#include <math.h>

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
