#ifndef SCALAY_TESTS_WORKLOAD_INSTANCES_H
#define SCALAY_TESTS_WORKLOAD_INSTANCES_H

/** @file Random workload problems, small and in dense arrays, and what they come to by dynamic programming. */

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "support/serial.h"
#include "workload/problem.h"

enum { MOST_GROUPS = 64, MOST_SIZES = 1100 };

/** A problem with its own arrays. */
typedef struct {
    scalay_problem problem;
    scalay_problem_group group[MOST_GROUPS];
    double time[MOST_GROUPS][MOST_SIZES + 1];
    int64_t energy[MOST_GROUPS][MOST_SIZES + 1];
} instance;

/** What times look like. */
enum { NOISY, RISING, TIED, CONCAVE, TWO_SIZES, MULTIPLES, SHAPES };

static inline double shaped_time(scalay_random *random, int shape, int64_t x)
{
    switch (shape) {
    case RISING:
        return (double)x + 0.25 * scalay_random_unit(random);
    case TIED:
        return (double)(1 + scalay_random_below(random, 4));
    case CONCAVE:
        return sqrt((double)x);
    default:
        return 1.0 + 9.0 * scalay_random_unit(random);
    }
}

/** Makes a group of the given shape; `holes` of 8 sizes are not listed. */
static inline void instance_group(instance *made, int j, scalay_random *random, int shape, int64_t count,
                                  int64_t largest, int64_t holes)
{
    const int64_t step = 2 + scalay_random_below(random, 3);
    scalay_problem_group *group = &made->group[j];
    *group = (scalay_problem_group){count, 0, made->time[j], made->energy[j], NULL};
    made->time[j][0] = 0.0;
    made->energy[j][0] = 0;
    for (int64_t x = 1; x <= largest; x++) {
        int listed = scalay_random_below(random, 8) >= holes;
        if (shape == TWO_SIZES) listed = x >= largest - 1;
        if (shape == MULTIPLES) listed = x % step == 0 || (x == 1 && scalay_random_below(random, 2) == 0);
        made->time[j][x] = listed ? shaped_time(random, shape, x) : INFINITY;
        made->energy[j][x] = listed ? scalay_random_below(random, 20) : SCALAY_NO_ENERGY;
        if (listed) group->largest = x;
    }
}

/** Completes a problem whose groups are made. */
static inline void instance_close(instance *made, int groups, int64_t n)
{
    made->problem = (scalay_problem){.n = n, .unit = 1, .divisible = 1, .groups = groups, .group = made->group};
    for (int j = 0; j < groups; j++) {
        made->problem.processors += made->group[j].multiplicity;
        while (made->group[j].largest > n) made->group[j].largest--;
        while (made->group[j].largest > 0 && !(made->time[j][made->group[j].largest] < INFINITY))
            made->group[j].largest--;
    }
}

/** A profile of a problem's groups; energies are joules. */
static inline scalay_profile *profile_of(const scalay_problem *problem)
{
    scalay_profile **part = calloc((size_t)problem->groups, sizeof *part);
    scalay_profile *profile = NULL;
    assert_non_null(part);
    for (int j = 0; j < problem->groups; j++) {
        const scalay_problem_group *group = &problem->group[j];
        const size_t room = (size_t)group->largest;
        int64_t *size = malloc(room * sizeof *size);
        double *time = malloc(room * sizeof *time);
        double *energy = malloc(room * sizeof *energy);
        int64_t points = 0;
        char name[16];
        assert_true(size != NULL && time != NULL && energy != NULL);
        for (int64_t x = 1; x <= group->largest; x++) {
            if (group->energy[x] == SCALAY_NO_ENERGY) continue;
            size[points] = x;
            time[points] = group->time[x];
            energy[points++] = (double)group->energy[x];
        }
        snprintf(name, sizeof name, "p%d", j);
        assert_success(scalay_profile_table(name, group->multiplicity, points, size, time, energy, &part[j]));
        free(size);
        free(time);
        free(energy);
    }
    assert_success(scalay_profile_join(problem->groups, (const scalay_profile *const *)part, &profile));
    for (int j = 0; j < problem->groups; j++) scalay_profile_destroy(&part[j]);
    free(part);
    return profile;
}

/** What n units take on exactly so many active processors: shape [most + 1], infinity when they cannot. Dynamic
 *  programming over processors, totals and numbers of active ones, processor by processor. */
static inline double *least_times(const scalay_problem *problem, int64_t most)
{
    const int64_t n = problem->n;
    const size_t cells = (size_t)((most + 1) * (n + 1));
    double *best = malloc(cells * sizeof *best);
    double *next = malloc(cells * sizeof *next);
    double *answer = malloc((size_t)(most + 1) * sizeof *answer);
    assert_true(best != NULL && next != NULL && answer != NULL);
    for (size_t k = 0; k < cells; k++) best[k] = INFINITY;
    best[0] = 0.0;
    for (int j = 0; j < problem->groups; j++)
        for (int64_t copy = 0; copy < problem->group[j].multiplicity; copy++) {
            memcpy(next, best, cells * sizeof *next);
            for (int64_t a = 0; a < most; a++)
                for (int64_t s = 0; s <= n; s++)
                    for (int64_t x = 1; x <= problem->group[j].largest && s + x <= n; x++) {
                        double time = fmax(best[a * (n + 1) + s], problem->group[j].time[x]);
                        double *cell = &next[(a + 1) * (n + 1) + s + x];
                        if (time < *cell) *cell = time;
                    }
            memcpy(best, next, cells * sizeof *best);
        }
    for (int64_t a = 0; a <= most; a++) answer[a] = best[a * (n + 1) + n];
    free(best);
    free(next);
    return answer;
}

/** Checks that a distribution is one of the problem; its time, energy (0 without energies) and active processors. */
static inline void check_distribution(const scalay_problem *problem, const scalay_distribution *distribution,
                                      double *time, int64_t *energy, int64_t *active)
{
    int64_t total = 0;
    int64_t used[MOST_GROUPS] = {0};
    *time = 0.0;
    *energy = 0;
    *active = 0;
    assert_true(distribution->feasible);
    for (int64_t k = 0; k < distribution->shares; k++) {
        const scalay_share *share = &distribution->share[k];
        assert_in_range(share->group, 0, problem->groups - 1);
        const scalay_problem_group *group = &problem->group[share->group];
        assert_in_range(share->index, 1, group->largest);
        assert_true(share->count >= 1 && group->time[share->index] < INFINITY);
        used[share->group] += share->count;
        assert_true(used[share->group] <= group->multiplicity);
        total += share->count * share->index;
        *active += share->count;
        *time = fmax(*time, group->time[share->index]);
        if (group->energy != NULL) *energy += share->count * group->energy[share->index];
    }
    assert_int_equal(total, problem->n);
}

#endif
