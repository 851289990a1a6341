/*
 * Baselines that do not look at the shape of the functions.
 *
 * Even distribution: n / p each, the first n mod p processors one unit more. It balances units, not time.
 *
 * Constant performance model: units in proportion to speeds that are assumed not to depend on the size. The papers
 * measure the speeds at one reference size and do not say which one. Here it is n / p, or the nearest listed size (the
 * smaller of two). Shares are rounded down, and the remaining units go to the largest remainders.
 */
#include <math.h>

#include "base/integer.h"
#include "base/memory.h"
#include "published/published.h"

scalay_status scalay_even(const scalay_problem *problem, scalay_distribution *distribution)
{
    scalay_status status = SCALAY_SUCCESS;
    int64_t more = problem->n % problem->processors;
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

/* Below it, doubles are exact. */
#define LARGEST (INT64_C(1) << 53)

typedef struct {
    double speed;     /* units per second */
    int64_t base;     /* the share, rounded down */
    double remainder; /* of the share */
    int64_t more;     /* processors with one unit more */
} constant_speed;

/* The listed size nearest to a wanted one; 0 when none is listed. */
static int64_t nearest_size(const scalay_problem_group *group, int64_t wanted)
{
    for (int64_t away = 0; away <= group->largest + wanted; away++) {
        int64_t below = wanted - away;
        int64_t above = wanted + away;
        if (below >= 1 && below <= group->largest && !isinf(group->time[below])) return below;
        if (above <= group->largest && !isinf(group->time[above])) return above;
    }
    return 0;
}

static scalay_status find_speeds(const scalay_problem *problem, constant_speed *speed, double *sum)
{
    const int64_t reference = scalay_max_int64(problem->n / problem->processors, 1);
    *sum = 0.0;
    for (int j = 0; j < problem->groups; j++) {
        const scalay_problem_group *group = &problem->group[j];
        int64_t size = nearest_size(group, scalay_min_int64(reference, group->largest));
        if (size > 0 && group->time[size] <= 0.0)
            return scalay_fail(SCALAY_ERROR_UNSUPPORTED, "cpm",
                               "cpm needs a speed, but size %lld of group %d takes no time; use method \"auto\"",
                               (long long)(size * problem->unit), j);
        speed[j].speed = size > 0 ? (double)size / group->time[size] : 0.0;
        *sum += (double)group->multiplicity * speed[j].speed;
    }
    return SCALAY_SUCCESS;
}

/* Rounds the shares down; returns what is left, which rounding errors may have made negative. */
static int64_t round_down(const scalay_problem *problem, constant_speed *speed, double sum)
{
    int64_t left = problem->n;
    for (int j = 0; j < problem->groups; j++) {
        double share = (double)problem->n * (speed[j].speed / sum);
        speed[j].base = (int64_t)floor(share);
        speed[j].remainder = share - floor(share);
        left -= speed[j].base * problem->group[j].multiplicity;
    }
    return left;
}

/* The group with the largest remainder whose processors have no unit more yet; -1: none. */
static int pick(const scalay_problem *problem, const constant_speed *speed)
{
    int best = -1;
    for (int j = 0; j < problem->groups; j++) {
        if (speed[j].speed <= 0.0 || speed[j].more > 0) continue;
        if (best < 0 || speed[j].remainder > speed[best].remainder) best = j;
    }
    return best;
}

/* Gives what is left to the largest remainders, or takes back what rounding errors gave too much. Returns what is still
 * left, which is nothing as long as the errors are below one unit. */
static int64_t hand_out(const scalay_problem *problem, constant_speed *speed, int64_t left)
{
    for (int j = 0; j < problem->groups && left < 0; j++) {
        if (speed[j].base == 0) continue;
        int64_t back = scalay_min_int64(-left, problem->group[j].multiplicity);
        speed[j].base--;
        speed[j].more = problem->group[j].multiplicity - back;
        left += back;
    }
    for (int j = left > 0 ? pick(problem, speed) : -1; j >= 0; j = left > 0 ? pick(problem, speed) : -1) {
        speed[j].more = scalay_min_int64(left, problem->group[j].multiplicity);
        left -= speed[j].more;
    }
    return left;
}

scalay_status scalay_cpm(const scalay_problem *problem, scalay_distribution *distribution)
{
    scalay_status status = SCALAY_SUCCESS;
    constant_speed *speed = NULL;
    double sum = 0.0;
    if (scalay_published_is_trivial(problem, distribution)) return SCALAY_SUCCESS;
    SCALAY_TRY(SCALAY_NEW(speed, problem->groups));
    SCALAY_TRY(find_speeds(problem, speed, &sum));
    if (sum <= 0.0) goto cleanup; /* no size of n or less is listed at all */
    if (problem->n > LARGEST || hand_out(problem, speed, round_down(problem, speed, sum)) != 0) {
        status = scalay_fail(SCALAY_ERROR_UNSUPPORTED, "cpm",
                             "cpm counts in doubles, which do not hold %lld units exactly; use method \"auto\"",
                             (long long)problem->n);
        goto cleanup;
    }
    for (int j = 0; j < problem->groups; j++) {
        SCALAY_TRY(scalay_share_add("cpm", problem, j, speed[j].base + 1, speed[j].more, distribution));
        SCALAY_TRY(scalay_share_add("cpm", problem, j, speed[j].base, problem->group[j].multiplicity - speed[j].more,
                                    distribution));
    }
    distribution->feasible = 1;
cleanup:
    scalay_release(speed);
    return scalay_published_excuse(problem, status, distribution);
}
