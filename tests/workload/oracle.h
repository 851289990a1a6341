#ifndef SCALAY_TESTS_WORKLOAD_ORACLE_H
#define SCALAY_TESTS_WORKLOAD_ORACLE_H

/**
 * @file
 * Small problems for the published methods, made by hand, and plain dynamic programmes as their oracle: one processor
 * after the other, all sizes, nothing clever.
 */

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/random.h"
#include "profile/profile.h"
#include "published/published.h"
#include "support/seed.h"

enum { INSTANCE_GROUPS = 4, INSTANCE_SIZES = 40, INSTANCE_UNITS = 400 };

typedef struct {
    scalay_problem problem;
    scalay_problem_group group[INSTANCE_GROUPS];
    double time[INSTANCE_GROUPS][INSTANCE_SIZES];
    int64_t energy[INSTANCE_GROUPS][INSTANCE_SIZES];
    /* The profile, for EOPTA. */
    scalay_profile profile;
    scalay_profile_group listed[INSTANCE_GROUPS];
    int64_t size[INSTANCE_GROUPS][INSTANCE_SIZES];
    int64_t units[INSTANCE_GROUPS][INSTANCE_SIZES];
} instance;

/** What random instances look like. */
typedef struct {
    int groups;    /* at most */
    int count;     /* of a group, at most */
    int largest;   /* size, at most */
    int values;    /* distinct times and energies, at most: few make ties */
    int holes;     /* percent */
    int same;      /* 1: all groups have the same count */
    int n_percent; /* n up to this share of all that can be distributed */
} instance_kind;

/** What an instance lists becomes its problem and its profile. */
static inline void instance_seal(instance *made, int64_t n)
{
    made->problem.n = n;
    made->problem.unit = 1;
    made->problem.divisible = 1;
    made->problem.group = made->group;
    made->problem.profile = &made->profile;
    made->problem.processors = 0;
    made->profile = (scalay_profile){.groups = made->problem.groups, .has_energy = 1, .group = made->listed};
    for (int j = 0; j < made->problem.groups; j++) {
        scalay_problem_group *group = &made->group[j];
        int64_t points = 0;
        group->time = made->time[j];
        group->energy = made->energy[j];
        for (int64_t x = 1; x <= group->largest; x++) {
            if (isinf(group->time[x])) continue;
            made->size[j][points] = x;
            made->units[j][points++] = group->energy[x];
        }
        made->listed[j] = (scalay_profile_group){
            .count = group->multiplicity, .points = points, .size = made->size[j], .energy_units = made->units[j]};
        while (group->largest > n || (group->largest > 0 && isinf(group->time[group->largest]))) group->largest--;
        made->problem.processors += group->multiplicity;
    }
}

static inline void instance_random(scalay_random *random, const instance_kind *kind, instance *made)
{
    int64_t capacity = 0;
    *made = (instance){0};
    made->problem.groups = 1 + (int)scalay_random_below(random, kind->groups);
    const int64_t same = 1 + scalay_random_below(random, kind->count);
    for (int j = 0; j < made->problem.groups; j++) {
        made->group[j].multiplicity = kind->same ? same : 1 + scalay_random_below(random, kind->count);
        made->group[j].largest = 1 + scalay_random_below(random, kind->largest);
        for (int64_t x = 1; x <= made->group[j].largest; x++) {
            const int hole = scalay_random_below(random, 100) < kind->holes && x < made->group[j].largest;
            made->time[j][x] = hole ? INFINITY : (double)scalay_random_below(random, kind->values);
            made->energy[j][x] = hole ? SCALAY_NO_ENERGY : scalay_random_below(random, kind->values);
        }
        capacity += made->group[j].multiplicity * made->group[j].largest;
    }
    instance_seal(made, scalay_random_below(random, capacity * kind->n_percent / 100 + 2));
}

/** The least largest time by the definition; infinity: none. With time_below: sizes below that time only. */
static inline double oracle_time(const scalay_problem *problem)
{
    double best[INSTANCE_UNITS] = {0.0};
    for (int64_t v = 0; v <= problem->n; v++) best[v] = v == 0 ? 0.0 : INFINITY;
    for (int j = 0; j < problem->groups; j++)
        for (int64_t i = 0; i < problem->group[j].multiplicity; i++)
            for (int64_t v = problem->n; v >= 1; v--)
                for (int64_t x = 1; x <= problem->group[j].largest && x <= v; x++)
                    best[v] = fmin(best[v], fmax(problem->group[j].time[x], best[v - x]));
    return best[problem->n];
}

/** The least energy with times up to a limit; SCALAY_NO_ENERGY: none. */
static inline int64_t oracle_energy(const scalay_problem *problem, double limit)
{
    int64_t best[INSTANCE_UNITS] = {0};
    for (int64_t v = 0; v <= problem->n; v++) best[v] = v == 0 ? 0 : SCALAY_NO_ENERGY;
    for (int j = 0; j < problem->groups; j++)
        for (int64_t i = 0; i < problem->group[j].multiplicity; i++)
            for (int64_t v = problem->n; v >= 1; v--)
                for (int64_t x = 1; x <= problem->group[j].largest && x <= v; x++) {
                    if (problem->group[j].time[x] > limit || isinf(problem->group[j].time[x])) continue;
                    if (best[v - x] == SCALAY_NO_ENERGY) continue;
                    const int64_t energy = problem->group[j].energy[x] + best[v - x];
                    if (energy < best[v]) best[v] = energy;
                }
    return best[problem->n];
}

/** The least spread of times, and the least largest time with it; infinity: there is no distribution. */
typedef struct {
    const scalay_problem *problem;
    double spread;
    double time;
} spread_oracle;

/* All distributions, processor by processor; i counts the processors of group j. */
static inline void spread_enumerate(spread_oracle *all, int j, int64_t i, int64_t left, double least, double largest)
{
    if (j == all->problem->groups) {
        const double spread = largest - least;
        if (left > 0 || spread > all->spread || (spread == all->spread && largest >= all->time)) return;
        all->spread = spread;
        all->time = largest;
        return;
    }
    const scalay_problem_group *group = &all->problem->group[j];
    const int last = i + 1 == group->multiplicity;
    for (int64_t x = 0; x <= group->largest && x <= left; x++)
        if (!isinf(group->time[x]))
            spread_enumerate(all, last ? j + 1 : j, last ? 0 : i + 1, left - x, fmin(least, group->time[x]),
                             fmax(largest, group->time[x]));
}

/** By trying all distributions. */
static inline spread_oracle oracle_spread(const scalay_problem *problem)
{
    spread_oracle all = {problem, INFINITY, INFINITY};
    spread_enumerate(&all, 0, 0, problem->n, INFINITY, 0.0);
    return all;
}

/** What a distribution comes to; 0 unless it is one of n units over the processors there are. */
static inline int distribution_is_valid(const scalay_problem *problem, const scalay_distribution *distribution,
                                        scalay_point *point)
{
    int64_t n = 0;
    int64_t used[INSTANCE_GROUPS] = {0};
    int valid = distribution->feasible;
    *point = (scalay_point){0};
    for (int64_t k = 0; k < distribution->shares && valid; k++) {
        const scalay_share share = distribution->share[k];
        if (share.group < 0 || share.group >= problem->groups || share.count < 1) return 0;
        const scalay_problem_group *group = &problem->group[share.group];
        if (share.index < 1 || share.index > group->largest || isinf(group->time[share.index])) return 0;
        n += share.index * share.count;
        used[share.group] += share.count;
        point->active += share.count;
        point->energy += share.count * group->energy[share.index];
        point->time = fmax(point->time, group->time[share.index]);
    }
    for (int j = 0; j < problem->groups; j++) valid = valid && used[j] <= problem->group[j].multiplicity;
    return valid && n == problem->n;
}

#endif
