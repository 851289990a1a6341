#ifndef SCALAY_TESTS_CLI_CHECK_PROFILE_H
#define SCALAY_TESTS_CLI_CHECK_PROFILE_H

/** @file Profiles and the least that can be had with them, by plain dynamic programming over every processor. */

#include <stdint.h>

enum { MOST_GROUPS = 1024 };

/** Identical processors. Energies are in millionths of a joule, so that sums are exact. */
typedef struct {
    char name[64];
    int64_t count;
    int64_t largest;
    double *time;    /* shape [largest + 1]; infinity: a hole */
    int64_t *energy; /* shape [largest + 1] */
} check_group;

typedef struct {
    int groups;
    int has_energy;
    int64_t processors;
    check_group group[MOST_GROUPS];
} check_profile;

/** A well-formed CSV file. */
check_profile *read_profile(const char *path);
void free_profile(check_profile *profile);

/** What a distribution comes to. */
typedef struct {
    double time;
    int64_t energy;
    int64_t active;
} check_value;

/** What stands for no distribution. */
#define NO_ENERGY INT64_MAX

/** 1 when plain dynamic programming over every processor is quick enough, `times` times over. */
int is_small(const check_profile *profile, int64_t n, int64_t times);

/** The least energy, then the fewest active, from sizes whose time is at most `limit`; time is not set. */
check_value least_energy(const check_profile *profile, int64_t n, double limit);

/** The least time, then the fewest active; energy is not set. Infinity: there is no distribution. */
check_value least_time(const check_profile *profile, int64_t n);

/** The least time or energy (in joules) with exactly q active processors; infinity: none. */
double least_with_active(const check_profile *profile, int64_t n, int64_t q, int of_energy);

/** The totals next to n that can be distributed: the largest below, the smallest above (-1: none). */
void nearest_totals(const check_profile *profile, int64_t n, int64_t *below, int64_t *above);

/** The distinct times of a profile in ascending order, shape [*count]. */
double *distinct_times(const check_profile *profile, int64_t *count);

#endif
