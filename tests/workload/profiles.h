#ifndef SCALAY_TESTS_WORKLOAD_PROFILES_H
#define SCALAY_TESTS_WORKLOAD_PROFILES_H

/** @file Random profiles, and the problems of instances.h that they make, size by size and without the library's. */

#include "instances.h"

#include "scalay/profile.h"
#include "scalay/workload.h"

enum { PROFILE_POINTS = 24 };

/** A profile of one group from random points; sizes are multiples of step. */
static inline scalay_profile *random_group(scalay_random *random, const char *name, int64_t count, int64_t points,
                                           int64_t step, int energies)
{
    int64_t size[PROFILE_POINTS];
    double time[PROFILE_POINTS];
    double energy[PROFILE_POINTS];
    int64_t last = 0;
    scalay_profile *profile = NULL;
    for (int64_t k = 0; k < points; k++) {
        last += 1 + scalay_random_below(random, 2);
        size[k] = last * step;
        time[k] = (double)(1 + scalay_random_below(random, 12)) / 8.0;
        energy[k] = (double)scalay_random_below(random, 60) / 4.0;
    }
    assert_success(scalay_profile_table(name, count, points, size, time, energies ? energy : NULL, &profile));
    return profile;
}

/** A profile of some groups. */
static inline scalay_profile *random_profile(scalay_random *random, int groups, int64_t most_copies, int energies)
{
    static const char *const name[] = {"a", "b", "c", "d"};
    scalay_profile *part[4] = {NULL, NULL, NULL, NULL};
    scalay_profile *profile = NULL;
    const int64_t step = 1 + scalay_random_below(random, 3);
    for (int j = 0; j < groups; j++)
        part[j] = random_group(random, name[j], 1 + scalay_random_below(random, most_copies),
                               1 + scalay_random_below(random, 8), step, energies);
    assert_success(scalay_profile_join(groups, (const scalay_profile *const *)part, &profile));
    for (int j = 0; j < groups; j++) scalay_profile_destroy(&part[j]);
    return profile;
}

/** The problem of n units as an instance: with unit 1, energies in quarters of a joule. */
static inline void instance_of_profile(const scalay_profile *profile, int64_t n, instance *made)
{
    const int groups = scalay_profile_groups(profile);
    for (int j = 0; j < groups; j++) {
        made->group[j] =
            (scalay_problem_group){scalay_profile_multiplicity(profile, j), scalay_profile_largest(profile, j),
                                   made->time[j], made->energy[j], NULL};
        for (int64_t x = 0; x <= made->group[j].largest; x++) {
            double energy = 0.0;
            assert_success(scalay_profile_get_point(profile, j, x, &made->time[j][x], &energy));
            made->energy[j][x] = made->time[j][x] < INFINITY ? (int64_t)(4.0 * energy) : SCALAY_NO_ENERGY;
        }
    }
    instance_close(made, groups, n);
}

/** As least_times(), for the least energy within a time: in quarters of a joule; SCALAY_NO_ENERGY: none. */
static inline int64_t *least_energies(const scalay_problem *problem, int64_t most, double within)
{
    const int64_t n = problem->n;
    const size_t cells = (size_t)((most + 1) * (n + 1));
    int64_t *best = malloc(cells * sizeof *best);
    int64_t *next = malloc(cells * sizeof *next);
    assert_true(best != NULL && next != NULL);
    for (size_t k = 0; k < cells; k++) best[k] = SCALAY_NO_ENERGY;
    best[0] = 0;
    for (int j = 0; j < problem->groups; j++)
        for (int64_t copy = 0; copy < problem->group[j].multiplicity; copy++) {
            memcpy(next, best, cells * sizeof *next);
            for (int64_t a = 0; a < most; a++)
                for (int64_t s = 0; s <= n; s++)
                    for (int64_t x = 1; x <= problem->group[j].largest && s + x <= n; x++) {
                        const int64_t before = best[a * (n + 1) + s];
                        int64_t *cell = &next[(a + 1) * (n + 1) + s + x];
                        if (before == SCALAY_NO_ENERGY || !(problem->group[j].time[x] <= within)) continue;
                        if (problem->group[j].time[x] < INFINITY && before + problem->group[j].energy[x] < *cell)
                            *cell = before + problem->group[j].energy[x];
                    }
            memcpy(best, next, cells * sizeof *best);
        }
    for (int64_t a = 0; a <= most; a++) next[a] = best[a * (n + 1) + n];
    free(best);
    return next;
}

/** Times, or energies in joules, with exactly so many active processors, shape [processors + 1]; infinity: none. To be
 *  freed. */
static inline double *values_of(const scalay_problem *problem, int energy)
{
    const int64_t processors = problem->processors;
    double *values = least_times(problem, processors);
    if (!energy) return values;
    int64_t *energies = least_energies(problem, processors, INFINITY);
    for (int64_t q = 0; q <= processors; q++)
        values[q] = energies[q] == SCALAY_NO_ENERGY ? INFINITY : (double)energies[q] / 4.0;
    free(energies);
    return values;
}

/** Fails when a check says what is wrong. */
static inline void assert_fine(const char *wrong, uint64_t seed)
{
    if (wrong == NULL) return;
    print_error("seed %llu: %s\n", (unsigned long long)seed, wrong);
    fail();
}

/** The profile of a seed, with an n that it may not be able to take. */
static inline scalay_profile *next_profile(uint64_t seed, int energies, int64_t *n)
{
    scalay_random random = scalay_random_seed(seed);
    scalay_profile *profile = random_profile(&random, 1 + (int)(seed % 3), seed % 3 == 0 ? 6 : 3, energies);
    int64_t capacity = 0;
    for (int j = 0; j < scalay_profile_groups(profile); j++)
        capacity += scalay_profile_multiplicity(profile, j) * scalay_profile_largest(profile, j);
    *n = scalay_random_below(&random, capacity + 3);
    return profile;
}

/** Two processors with sizes whose front is known: (1, 10), (2, 4), (4, 3), (5, 1). */
static inline scalay_workload_front *known_front(void)
{
    const int64_t size[] = {10, 1, 9, 2, 8, 5};
    const double time[] = {1.0, 2.0, 1.0, 4.0, 4.0, 5.0};
    const double energy[] = {10.0, 1.0, 3.0, 1.0, 2.0, 0.5};
    scalay_profile *profile = NULL;
    scalay_workload_front *front = NULL;
    assert_success(scalay_profile_table("cpu", 2, 6, size, time, energy, &profile));
    assert_success(scalay_workload_front_create(profile, 10, NULL, &front));
    scalay_profile_destroy(&profile);
    return front;
}

/** The message of the last failure names the function and holds a word. */
static inline void assert_message(const char *function, const char *word)
{
    if (strstr(scalay_error_message(), function) != NULL && strstr(scalay_error_message(), word) != NULL) return;
    print_error("the message lacks %s or %s: %s\n", function, word, scalay_error_message());
    fail();
}

#endif
