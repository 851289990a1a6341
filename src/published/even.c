/* The even distribution: n / p each, the first n mod p processors one unit more. It balances the units, not the time.
 */
#include "base/integer.h"
#include "published/shares.h"

scalay_status scalay_even(const scalay_problem *problem, const scalay_workload_options *options,
                          scalay_distribution *distribution)
{
    scalay_status status = SCALAY_SUCCESS;
    int64_t more = problem->n % problem->processors;
    (void)options;
    if (scalay_published_is_trivial(problem, distribution)) return SCALAY_SUCCESS;
    for (int j = 0; j < problem->groups; j++) {
        int64_t count = problem->group[j].multiplicity;
        int64_t with_more = scalay_min_int64(count, more);
        SCALAY_TRY(scalay_share_add("even", problem, j, problem->n / problem->processors + 1, with_more, distribution));
        SCALAY_TRY(
            scalay_share_add("even", problem, j, problem->n / problem->processors, count - with_more, distribution));
        more -= with_more;
    }
    distribution->feasible = 1;
cleanup:
    return scalay_published_excuse(problem, status, distribution);
}
