#ifndef SCALAY_TESTS_WORKLOAD_ENUMERATION_H
#define SCALAY_TESTS_WORKLOAD_ENUMERATION_H

/** @file Profiles so small that all distributions can be listed, and the list. */

#include "profiles.h"

enum { MOST_OUTCOMES = 40000, MOST_TOTAL = 1024, MOST_ACTIVE = 8, KINDS = 3 };

/** What a distribution of n units comes to. */
typedef struct {
    double time;
    double energy;
    int64_t active;
} outcome;

/** All of a problem. */
typedef struct {
    const scalay_profile *profile;
    int64_t n;
    int64_t outcomes;
    outcome outcome[MOST_OUTCOMES];
    unsigned char possible[MOST_TOTAL]; /* totals of any distribution */
    int processors;
    int group_of[MOST_ACTIVE]; /* shape [processors] */
} enumeration;

static enumeration all;

/* Processor k gets nothing, or any of its sizes. */
static inline void enumerate(int k, int64_t total, outcome so_far)
{
    int64_t points = 0;
    const int64_t *size = NULL;
    const double *time = NULL;
    const double *energy = NULL;
    if (k == all.processors || k == MOST_ACTIVE) {
        all.possible[total] = 1;
        if (total != all.n) return;
        assert_true(all.outcomes < MOST_OUTCOMES);
        all.outcome[all.outcomes++] = so_far;
        return;
    }
    enumerate(k + 1, total, so_far);
    assert_success(scalay_profile_points(all.profile, all.group_of[k], &points, &size, &time, &energy));
    for (int64_t i = 0; i < points; i++)
        enumerate(k + 1, total + size[i],
                  (outcome){fmax(so_far.time, time[i]), so_far.energy + energy[i], so_far.active + 1});
}

/** Lists all distributions of n units. */
static inline void enumerate_all(const scalay_profile *profile, int64_t n)
{
    memset(all.possible, 0, sizeof all.possible);
    all.profile = profile;
    all.n = n;
    all.outcomes = 0;
    all.processors = 0;
    for (int j = 0; j < scalay_profile_groups(profile); j++)
        for (int64_t copy = 0; copy < scalay_profile_multiplicity(profile, j); copy++)
            all.group_of[all.processors++] = j;
    enumerate(0, 0, (outcome){0.0, 0.0, 0});
}

/* ------------------------------------------------------------------------------------------------ instances */

/* A group of sizes that are multiples of a step, with holes; few values make ties. Energies rise, fall or jump. */
static inline scalay_profile *tiny_group(scalay_random *random, const char *name, int64_t count, int64_t points,
                                         int64_t step)
{
    int64_t size[MOST_ACTIVE];
    double time[MOST_ACTIVE];
    double energy[MOST_ACTIVE];
    int64_t last = 0;
    scalay_profile *profile = NULL;
    const int64_t values = 1 + scalay_random_below(random, 12);
    const int rising = scalay_random_below(random, 2) == 0;
    for (int64_t k = 0; k < points; k++) {
        last += 1 + scalay_random_below(random, 3);
        size[k] = last * step;
        time[k] = (double)((rising ? 2 * last : 0) + scalay_random_below(random, values)) / 8.0;
        energy[k] = (double)((rising ? 3 * last : 0) + scalay_random_below(random, values)) / 4.0;
    }
    assert_success(scalay_profile_table(name, count, points, size, time, energy, &profile));
    return profile;
}

/** Identical (kind 0), different (1) or grouped (2) processors, whose distributions can be listed. */
static inline scalay_profile *tiny_profile(scalay_random *random, int kind)
{
    static const char *const names[] = {"a", "b", "c", "d", "e"};
    scalay_profile *part[5] = {NULL};
    scalay_profile *profile = NULL;
    int64_t distributions = 1;
    int64_t processors = 0;
    int groups = 0;
    const int64_t step = 1 + scalay_random_below(random, 3);
    const int most = kind == 0 ? 1 : 1 + (int)scalay_random_below(random, kind == 1 ? 5 : 3);
    for (; groups < most; groups++) {
        const int64_t points = scalay_random_below(random, 8) == 0 ? 1 : 1 + scalay_random_below(random, 5);
        const int64_t wanted = kind == 1 ? 1 : 1 + scalay_random_below(random, kind == 0 ? 7 : 3);
        int64_t count = 0;
        for (; count < wanted && processors < MOST_ACTIVE && distributions * (points + 1) <= 20000; count++) {
            distributions *= points + 1;
            processors++;
        }
        if (count == 0) break;
        part[groups] = tiny_group(random, names[groups], count, points, step);
    }
    assert_success(scalay_profile_join(groups, (const scalay_profile *const *)part, &profile));
    for (int j = 0; j < groups; j++) scalay_profile_destroy(&part[j]);
    return profile;
}

/** Nothing, little for many processors, close to the capacity, beyond it, or anything. */
static inline int64_t tiny_total(scalay_random *random, const scalay_profile *profile)
{
    int64_t capacity = 0;
    for (int j = 0; j < scalay_profile_groups(profile); j++)
        capacity += scalay_profile_multiplicity(profile, j) * scalay_profile_largest(profile, j);
    switch (scalay_random_below(random, 8)) {
    case 0:
        return scalay_random_below(random, 2);
    case 1:
        return scalay_random_below(random, scalay_profile_processors(profile) + 1);
    case 2:
        return capacity - scalay_random_below(random, capacity < 4 ? capacity : 4);
    case 3:
        return capacity + scalay_random_below(random, 3);
    default:
        return scalay_random_below(random, capacity + 1);
    }
}

#endif
