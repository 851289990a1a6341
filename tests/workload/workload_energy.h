#ifndef SCALAY_TESTS_WORKLOAD_ENERGY_H
#define SCALAY_TESTS_WORKLOAD_ENERGY_H

/** @file Problems with energies for tests: built by hand from small tables, solved by a plain dynamic program. */

#include "instances.h"
#include "workload/solvers.h"

/** Families of functions. */
enum {
    ENERGY_JAGGED,   /* up and down, few values: many ties */
    ENERGY_STRAIGHT, /* energy and time proportional to the size */
    ENERGY_OFFSET,   /* so, plus a constant */
    ENERGY_CONCAVE,
    ENERGY_CONVEX,
    ENERGY_TWO_POINTS,
    ENERGY_COMB,    /* multiples of a step, and one other size */
    ENERGY_FREE,    /* no energy at all */
    ENERGY_UNIT,    /* one for every size, few sizes */
    ENERGY_PRECISE, /* energies near 2^50 */
    ENERGY_FAMILIES
};

/** A problem without memory. */
static inline scalay_problem energy_problem(int groups, int64_t n)
{
    scalay_problem made = {.n = n, .unit = 1, .divisible = 1, .groups = groups};
    made.group = calloc((size_t)groups, sizeof *made.group);
    assert_non_null(made.group);
    return made;
}

/** A group whose sizes are all holes. */
static inline void energy_group(scalay_problem *problem, int j, int64_t count, int64_t largest)
{
    double *time = malloc((size_t)(largest + 1) * sizeof *time);
    int64_t *energy = malloc((size_t)(largest + 1) * sizeof *energy);
    assert_true(time != NULL && energy != NULL);
    for (int64_t x = 0; x <= largest; x++) {
        time[x] = x == 0 ? 0.0 : INFINITY;
        energy[x] = x == 0 ? 0 : SCALAY_NO_ENERGY;
    }
    problem->group[j] = (scalay_problem_group){count, largest, time, energy, NULL};
    problem->processors += count;
}

/** Fills a size in. */
static inline void energy_size(scalay_problem *problem, int j, int64_t index, double time, int64_t energy)
{
    ((double *)problem->group[j].time)[index] = time;
    ((int64_t *)problem->group[j].energy)[index] = energy;
}

/** Releases a problem. */
static inline void energy_problem_free(scalay_problem *problem)
{
    for (int j = 0; j < problem->groups; j++) {
        free((void *)problem->group[j].time);
        free((void *)problem->group[j].energy);
    }
    free(problem->group);
}

/** The energy of a size in a family; below 0: a hole. */
static inline int64_t family_energy(scalay_random *random, int family, int64_t largest, int64_t slope, int64_t x)
{
    switch (family) {
    case ENERGY_STRAIGHT:
        return slope * x;
    case ENERGY_OFFSET:
        return slope * x + 7;
    case ENERGY_CONCAVE:
        return slope * x * (2 * largest - x);
    case ENERGY_CONVEX:
        return slope * x * x;
    case ENERGY_TWO_POINTS:
        return x == largest || x == (largest + 1) / 2 ? scalay_random_below(random, 50) : -1;
    case ENERGY_COMB:
        return x % 3 == 0 || x == largest ? slope * x + scalay_random_below(random, 3) : -1;
    case ENERGY_FREE:
        return 0;
    case ENERGY_UNIT:
        return scalay_random_below(random, 3) == 0 ? 1 : -1;
    case ENERGY_PRECISE:
        return (INT64_C(1) << 49) + scalay_random_below(random, INT64_C(1) << 49);
    default:
        return scalay_random_below(random, 4) == 0 ? -1 : slope * x + scalay_random_below(random, 20);
    }
}

/** Fills a group at random; the largest size is no hole. */
static inline void family_group(scalay_random *random, scalay_problem *problem, int j, int64_t count, int64_t largest,
                                int family)
{
    int64_t slope = scalay_random_below(random, 4);
    energy_group(problem, j, count, largest);
    for (int64_t x = 1; x <= largest; x++) {
        int64_t energy = family_energy(random, family, largest, slope, x);
        double time = family == ENERGY_STRAIGHT ? (double)(x * (slope + 1))
                                                : (double)(1 + scalay_random_below(random, 2 * largest));
        if (energy < 0 && x == largest) energy = family == ENERGY_UNIT ? 1 : 5;
        if (energy >= 0) energy_size(problem, j, x, time, energy);
    }
}

/** Prints a problem. */
static inline void print_problem(const scalay_problem *problem, double time_below)
{
    print_error("n = %lld, time below %g\n", (long long)problem->n, time_below);
    for (int j = 0; j < problem->groups; j++) {
        print_error("group of %lld:", (long long)problem->group[j].multiplicity);
        for (int64_t x = 1; x <= problem->group[j].largest; x++)
            if (problem->group[j].energy[x] != SCALAY_NO_ENERGY)
                print_error(" (%lld, %g, %lld)", (long long)x, problem->group[j].time[x],
                            (long long)problem->group[j].energy[x]);
        print_error("\n");
    }
}

/** A problem of up to so many groups, copies of each and sizes; n is anything, often close to the capacity. */
static inline scalay_problem random_energy_problem(scalay_random *random, int most_groups, int64_t most_copies,
                                                   int64_t most_sizes)
{
    scalay_problem made = energy_problem(1 + (int)scalay_random_below(random, most_groups), 0);
    int same = (int)scalay_random_below(random, 2 * ENERGY_FAMILIES);
    int64_t capacity = 0;
    for (int j = 0; j < made.groups; j++) {
        int64_t count = 1 + scalay_random_below(random, most_copies);
        int64_t largest = 1 + scalay_random_below(random, most_sizes);
        family_group(random, &made, j, count, largest,
                     same < ENERGY_FAMILIES ? same : (int)scalay_random_below(random, ENERGY_FAMILIES));
        capacity += count * largest;
    }
    made.n = scalay_random_below(random, 4) == 0 ? capacity - scalay_random_below(random, capacity < 4 ? capacity : 4)
                                                 : scalay_random_below(random, capacity + 2);
    return made;
}

/** Has so many random problems checked. */
static inline void check_random_problems(uint64_t seed, int count, int groups, int64_t copies, int64_t sizes,
                                         void (*check)(scalay_random *random, const scalay_problem *problem))
{
    scalay_random random = scalay_random_seed(seed);
    for (int k = 0; k < count; k++) {
        scalay_problem problem = random_energy_problem(&random, groups, copies, sizes);
        check(&random, &problem);
        energy_problem_free(&problem);
    }
}

/** Has a problem checked, with a number, and then the same made of a profile, which keeps its hulls. */
static inline void check_with_profile(const scalay_problem *problem, double with,
                                      void (*check)(const scalay_problem *problem, double with))
{
    scalay_profile *profile = profile_of(problem);
    scalay_problem made = {0};
    check(problem, with);
    assert_success(scalay_problem_create("scalay_test", profile, problem->n, 1, &made));
    if (made.divisible) check(&made, with);
    scalay_problem_free(&made);
    scalay_profile_destroy(&profile);
}

/** A best distribution as a plain dynamic program sees it. */
typedef struct {
    int64_t energy; /* SCALAY_NO_ENERGY: none */
    int64_t active;
} plain_answer;

/** The best pairs of energy and active processors for all sums up to n, one processor after the other. */
static inline plain_answer plain_energy(const scalay_problem *problem, double time_below)
{
    size_t cells = (size_t)problem->n + 1;
    plain_answer *best = malloc(cells * sizeof *best);
    plain_answer *next = malloc(cells * sizeof *next);
    assert_true(best != NULL && next != NULL);
    for (size_t v = 0; v < cells; v++) best[v] = (plain_answer){v == 0 ? 0 : SCALAY_NO_ENERGY, 0};
    for (int j = 0; j < problem->groups; j++)
        for (int64_t copy = 0; copy < problem->group[j].multiplicity; copy++) {
            const scalay_problem_group *group = &problem->group[j];
            memcpy(next, best, cells * sizeof *next);
            for (int64_t x = 1; x <= group->largest && x <= problem->n; x++) {
                if (group->energy[x] == SCALAY_NO_ENERGY || !(group->time[x] < time_below)) continue;
                for (int64_t v = x; v <= problem->n; v++) {
                    if (best[v - x].energy == SCALAY_NO_ENERGY) continue;
                    plain_answer sum = {best[v - x].energy + group->energy[x], best[v - x].active + 1};
                    if (sum.energy < next[v].energy || (sum.energy == next[v].energy && sum.active < next[v].active))
                        next[v] = sum;
                }
            }
            plain_answer *swap = best;
            best = next;
            next = swap;
        }
    plain_answer answer = best[problem->n];
    free(best);
    free(next);
    return answer;
}

/** Checks a distribution by the definition, and what it comes to. */
static inline void check_energies(const scalay_problem *problem, const scalay_distribution *distribution,
                                  double time_below, int64_t energy, int64_t active)
{
    double found_time = 0.0;
    int64_t found_energy = 0;
    int64_t found_active = 0;
    check_distribution(problem, distribution, &found_time, &found_energy, &found_active);
    assert_true(found_time < time_below);
    assert_int_equal(found_energy, energy);
    assert_int_equal(found_active, active);
}

#endif
