/* The totals next to n. For identical processors they are read off the sums around n.
 *
 * Otherwise the totals are listed from 0, or from all that the processors can take downwards, whichever n is nearer to
 * (nearest_totals.c). Where there are too many of them, a processor is added that takes what is missing, at one unit of
 * energy each: the least energy is the distance to the total below. The total above is the one below in the mirrored
 * problem, where every processor has its largest size and gives back. */
#include <math.h>
#include <string.h>

#include "base/integer.h"
#include "base/memory.h"
#include "workload/min_time.h"

/* A problem that asks for the nearest total. */
typedef struct {
    scalay_problem problem;
    double *time;
    int64_t *energy;
} slack_problem;

static void slack_free(slack_problem *slack)
{
    scalay_release(slack->problem.group);
    scalay_release(slack->time);
    scalay_release(slack->energy);
}

/* A group whose sizes cost nothing, or what it gives back. */
static void fill_group(const scalay_problem_group *original, int mirrored, double *time, int64_t *energy,
                       scalay_problem_group *group)
{
    for (int64_t x = 0; x <= original->largest; x++) {
        const int listed = x == 0 || original->time[x] < INFINITY;
        const int64_t to = mirrored ? original->largest - x : x;
        time[to] = listed ? 0.0 : INFINITY;
        energy[to] = listed ? 0 : SCALAY_NO_ENERGY;
    }
    *group = (scalay_problem_group){group->multiplicity, original->largest, time, energy, NULL};
}

/* The problem of n units with counts of its own, and one more processor for up to `largest` units. */
static scalay_status slack_create(const scalay_problem *original, int64_t n, const int64_t *count, int64_t largest,
                                  int mirrored, slack_problem *slack)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_problem *problem = &slack->problem;
    const int groups = original->groups;
    int64_t elements = largest + 1;
    int64_t start = 0;
    *slack = (slack_problem){0};
    *problem = (scalay_problem){.n = n, .unit = original->unit, .divisible = 1, .groups = groups + 1};
    problem->profile = original->profile;
    for (int j = 0; j < groups; j++) elements += original->group[j].largest + 1;
    SCALAY_TRY(SCALAY_NEW(problem->group, groups + 1));
    SCALAY_TRY(SCALAY_NEW(slack->time, elements));
    SCALAY_TRY(SCALAY_NEW(slack->energy, elements));
    for (int j = 0; j < groups; j++) {
        problem->group[j].multiplicity = count[j];
        problem->processors += count[j];
        fill_group(&original->group[j], mirrored, slack->time + start, slack->energy + start, &problem->group[j]);
        start += original->group[j].largest + 1;
    }
    for (int64_t x = 0; x <= largest; x++) slack->energy[start + x] = x;
    problem->group[groups] = (scalay_problem_group){1, largest, slack->time + start, slack->energy + start, NULL};
    problem->processors++;
cleanup:
    return status;
}

/* The largest total at most n. */
static scalay_status total_below(const scalay_problem *original, int64_t n, const int64_t *count, int64_t largest,
                                 int mirrored, int64_t *below)
{
    scalay_status status = SCALAY_SUCCESS;
    slack_problem slack = {0};
    int64_t distance = 0;
    int64_t active = 0;
    SCALAY_TRY(slack_create(original, n, count, scalay_min_int64(largest, n), mirrored, &slack));
    SCALAY_TRY(scalay_solve_min_energy(&slack.problem, INFINITY, &distance, &active, NULL));
    *below = n - distance;
cleanup:
    slack_free(&slack);
    return status;
}

/* Every total is found next to a start with some processors full and the others empty, and few of them need to differ
 * from it: moves whose sum is 0 can be left out, and some of more than 3 M + 1 moves can be ordered so that there are
 * such. So counts are cut to those full, and some more. */
static scalay_status cut_counts(const scalay_problem *problem, int64_t largest, int64_t *count, int64_t *capacity)
{
    int64_t missing = problem->n;
    *capacity = 0;
    for (int j = 0; j < problem->groups; j++) {
        const scalay_problem_group *group = &problem->group[j];
        int64_t product = 0;
        const int64_t full = group->largest == 0 ? 0 : scalay_min_int64(group->multiplicity, missing / group->largest);
        missing -= full * group->largest;
        count[j] = full + scalay_min_int64(group->multiplicity - full, 4 * largest + 4);
        if (!scalay_multiply_int64(count[j], group->largest, &product) ||
            !scalay_add_int64(*capacity, product, capacity))
            return scalay_fail(
                SCALAY_ERROR_RANGE, "scalay_workload_nearest",
                "the sizes that all processors can take add up beyond 64 bits: give them in larger units");
    }
    return SCALAY_SUCCESS;
}

static scalay_status nearest_groups(const scalay_problem *problem, const int64_t *count, int64_t largest,
                                    int64_t capacity, int64_t *below, int64_t *above)
{
    scalay_status status = SCALAY_SUCCESS;
    int64_t given_back = 0;
    SCALAY_TRY(total_below(problem, problem->n, count, largest, 0, below));
    SCALAY_TRY(total_below(problem, capacity - problem->n - 1, count, largest, 1, &given_back));
    *above = capacity - given_back;
cleanup:
    return status;
}

scalay_status scalay_solve_nearest(const scalay_problem *problem, int64_t *below, int64_t *above)
{
    scalay_status status = SCALAY_SUCCESS;
    int64_t *count = NULL;
    int64_t largest = 0;
    int64_t capacity = 0;
    for (int j = 0; j < problem->groups; j++) largest = scalay_max_int64(largest, problem->group[j].largest);
    SCALAY_TRY(SCALAY_NEW(count, problem->groups));
    SCALAY_TRY(cut_counts(problem, largest, count, &capacity));
    *below = scalay_min_int64(problem->n, capacity);
    *above = -1;
    if (problem->n == 0 || problem->n >= capacity) goto cleanup;
    SCALAY_TRY(problem->groups == 1 ? scalay_nearest_identical(problem, below, above)
                                    : nearest_groups(problem, count, largest, capacity, below, above));
cleanup:
    scalay_release(count);
    return status;
}
