/* EOPTA: least energy on identical processors (Lastovetsky and Reddy Manumachu 2017; section IV-B of 2018).
 *
 * As published, only convex points are tried: those that lie strictly below the middle of any two points at the same
 * distance to the left and to the right. Idle is a point too: that is how fewer processors are chosen, and one
 * processor for a concave function. This is not optimal: with energies 10, 12, 3, 18, 23, 4 for the sizes 1 to 6, n = 4
 * on two processors, {4, 0} for 18 is returned, while {3, 1} costs 13, as 3 is no convex point. The exact variant tries
 * all points greater than n / p: every distribution but the even one has one. */
#include "base/integer.h"
#include "base/memory.h"
#include "profile/profile.h"
#include "published/copies.h"

/* The energies of all sizes of the profile, also of those beyond n: they decide which points are convex. A size that is
 * no multiple of the unit is at no distance from one that is. */
typedef struct {
    int64_t largest;
    int64_t *energy; /* shape [largest + 1] */
} function;

static scalay_status read_function(const scalay_problem *problem, function *whole)
{
    scalay_status status = SCALAY_SUCCESS;
    const scalay_profile_group *group = &problem->profile->group[0];
    whole->largest = group->size[group->points - 1] / problem->unit;
    SCALAY_TRY(scalay_published_check_memory("eopta", 1, whole->largest + 1, sizeof *whole->energy));
    SCALAY_TRY(SCALAY_NEW(whole->energy, whole->largest + 1));
    for (int64_t x = 1; x <= whole->largest; x++) whole->energy[x] = SCALAY_NO_VALUE;
    for (int64_t k = 0; k < group->points; k++)
        if (group->size[k] % problem->unit == 0) whole->energy[group->size[k] / problem->unit] = group->energy_units[k];
cleanup:
    return status;
}

/* The paper lets k run to twice the index, beyond the first point; here as far as there are points on both sides. */
static int is_convex(const function *whole, int64_t x)
{
    int64_t most = scalay_min_int64(x, whole->largest - x);
    if (whole->energy[x] == SCALAY_NO_VALUE) return 0;
    for (int64_t k = 1; k <= most; k++) {
        int64_t left = whole->energy[x - k];
        int64_t right = whole->energy[x + k];
        if (left == SCALAY_NO_VALUE || right == SCALAY_NO_VALUE) continue;
        if (left + right <= 2 * whole->energy[x]) return 0;
    }
    return 1;
}

static scalay_status list_points(const scalay_problem *problem, int convex, const int64_t *value, int64_t *points,
                                 int64_t *point)
{
    scalay_status status = SCALAY_SUCCESS;
    function whole = {0};
    *points = 0;
    if (convex) SCALAY_TRY(read_function(problem, &whole));
    for (int64_t x = convex ? 0 : 1; x <= problem->group[0].largest; x++)
        if (value[x] < SCALAY_NO_VALUE && (!convex || is_convex(&whole, x))) point[(*points)++] = x;
cleanup:
    scalay_release(whole.energy);
    return status;
}

static scalay_status solve(const scalay_problem *problem, int convex, scalay_distribution *distribution)
{
    scalay_status status = SCALAY_SUCCESS;
    const scalay_problem_group *group = &problem->group[0];
    int64_t *value = NULL;
    int64_t *point = NULL;
    int64_t energy = 0;
    if (scalay_published_is_trivial(problem, distribution)) return SCALAY_SUCCESS;
    scalay_copies search = {.method = "eopta",
                            .n = problem->n,
                            .processors = scalay_min_int64(group->multiplicity, problem->n),
                            .largest = group->largest,
                            .sums = 1,
                            .beyond_even = !convex};
    SCALAY_TRY(SCALAY_NEW(value, group->largest + 1));
    SCALAY_TRY(SCALAY_NEW(point, group->largest + 1));
    for (int64_t x = 1; x <= group->largest; x++)
        value[x] = group->energy[x] == SCALAY_NO_ENERGY ? SCALAY_NO_VALUE : group->energy[x];
    SCALAY_TRY(list_points(problem, convex, value, &search.points, point));
    search.value = value;
    search.point = point;
    SCALAY_TRY(scalay_copies_solve(&search, &energy, distribution));
    if (!distribution->feasible && convex)
        status = scalay_fail(SCALAY_ERROR_UNSUPPORTED, "eopta",
                             "eopta-convex finds no distribution of %lld units among the convex points; use method "
                             "\"eopta\" or \"auto\"",
                             (long long)(problem->n * problem->unit));
cleanup:
    scalay_release(value);
    scalay_release(point);
    return scalay_published_excuse(problem, status, distribution);
}

scalay_status scalay_eopta(const scalay_problem *problem, scalay_distribution *distribution)
{
    return solve(problem, 0, distribution);
}

scalay_status scalay_eopta_convex(const scalay_problem *problem, scalay_distribution *distribution)
{
    return solve(problem, 1, distribution);
}
