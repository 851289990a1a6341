#ifndef SCALAY_WORKLOAD_PROBLEM_H
#define SCALAY_WORKLOAD_PROBLEM_H

/**
 * @file
 * What the solvers get and give.
 *
 * A problem is a profile with n, divided by the greatest common divisor of all sizes up to n (an n that it does not
 * divide has no distribution), as dense arrays: index x is size x * unit, from 0 to the largest that matters (at most
 * n). Index 0 costs nothing. Holes are infinite. A distribution is a list of (group, index, count); idle processors are
 * left out.
 *
 * Solvers answer an infeasible problem with SCALAY_SUCCESS and feasible = 0.
 */

#include "base/status.h"
#include "profile/profile.h"
#include "scalay/workload.h"

/** The energy of a hole. */
#define SCALAY_NO_ENERGY INT64_MAX

/** Identical processors. Without holes the arrays are those of the profile. */
typedef struct {
    int64_t multiplicity;              /* number of processors, at least 1 */
    int64_t largest;                   /* m: index of the largest size that is not a hole; 0: none */
    const double *time;                /* shape [largest + 1]; infinity: a hole */
    const int64_t *energy;             /* shape [largest + 1]; SCALAY_NO_ENERGY: a hole; NULL: energies are not known */
    const scalay_profile_group *whole; /* what it was made of, when all points of that are here; NULL: not so */
} scalay_problem_group;

/** A workload problem. */
typedef struct {
    int64_t n;     /* in units */
    int64_t unit;  /* the greatest common divisor of the sizes up to n; 1 without any */
    int divisible; /* 0: the caller's n is no multiple of the unit; n is rounded down */
    int groups;
    int *group_of;                 /* shape [groups of the profile]: group of the problem; NULL: the same */
    int64_t processors;            /* the sum of the counts */
    scalay_problem_group *group;   /* shape [groups] */
    scalay_problem_group only;     /* where that is for a single group */
    double units_per_joule;        /* a power of ten, exactly: units / units_per_joule is rounded correctly */
    void *storage;                 /* of the arrays of groups with holes */
    const scalay_profile *profile; /* what it was made of, not owned: lends arrays, EOPTA looks at sizes beyond n */
} scalay_problem;

/**
 * Makes a problem. Checks that a sum of n units of energy fits 62 bits.
 * @param[in]  function  in whose name to fail
 * @param[in]  profile   a profile; must live as long as the problem
 * @param[in]  n         at least 0
 * @param[in]  energies  1: they are needed
 * @param[out] problem   to be released with scalay_problem_free()
 * @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT (no energies), SCALAY_ERROR_RANGE, SCALAY_ERROR_MEMORY
 */
scalay_status scalay_problem_create(const char *function, const scalay_profile *profile, int64_t n, int energies,
                                    scalay_problem *problem);

/** The number of points of a group, from the first on, whose sizes are at most n. */
int64_t scalay_points_up_to(const scalay_profile_group *group, int64_t n);

/** The least time from each index of a group on, shape [largest + 1], where the profile keeps that; NULL: it does not.
 */
static inline const double *scalay_problem_soonest(const scalay_problem *problem, int group)
{
    const scalay_problem_group *of = &problem->group[group];
    const int is_whole = of->whole != NULL && of->largest <= problem->n;
    return is_whole && of->time == of->whole->times ? of->whole->soonest : NULL;
}

/** The last index above `low`, up to `high`, with a time that is long enough from there on; `low` when there is none.
 */
static inline int64_t scalay_last_soon(const double *soonest, double time, int64_t low, int64_t high)
{
    while (low < high) {
        const int64_t middle = high - (high - low) / 2;
        if (soonest[middle] <= time)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

/**
 * Merges groups whose sizes up to n have the same times and energies. Solvers then take as long as if the processors
 * had been one group. scalay_problem_split() makes distributions of the profile's groups again.
 * Time: O(groups log groups), and O(sizes) for groups that are merged.
 */
scalay_status scalay_problem_merge(scalay_problem *problem);

/** Releases what a problem holds; zeroed is fine. */
void scalay_problem_free(scalay_problem *problem);

/** Indices of a group that count processors get. */
typedef struct {
    int group;
    int64_t index; /* 1 .. largest of the group */
    int64_t count; /* at least 1 */
} scalay_share;

/** A distribution in the making, or none. */
typedef struct {
    int feasible;
    int64_t shares;
    int64_t capacity;
    scalay_share *share; /* shape [capacity]; the same (group, index) may come more than once, in any order */
} scalay_distribution;

/** Adds processors to a distribution; count 0 and index 0 are left out. SCALAY_SUCCESS, SCALAY_ERROR_MEMORY. */
scalay_status scalay_distribution_add(scalay_distribution *distribution, int group, int64_t index, int64_t count);

/** Changes the groups of a distribution from those of a merged problem to those of its profile. */
scalay_status scalay_problem_split(const scalay_problem *problem, scalay_distribution *distribution);

/** What a distribution of a problem with energies comes to. */
int64_t scalay_distribution_energy(const scalay_problem *problem, const scalay_distribution *distribution);

/** Active processors of a distribution. */
int64_t scalay_distribution_active(const scalay_distribution *distribution);

/** Exchanges two distributions. */
void scalay_distribution_swap(scalay_distribution *a, scalay_distribution *b);

/** Forgets all shares and is not feasible again; the memory is kept. */
void scalay_distribution_clear(scalay_distribution *distribution);

/** Releases what a distribution holds; zeroed is fine. */
void scalay_distribution_free(scalay_distribution *distribution);

#endif
