#ifndef SCALAY_TESTS_WORKLOAD_CHECK_H
#define SCALAY_TESTS_WORKLOAD_CHECK_H

/**
 * @file
 * Checks a distribution with nothing but the profile: are its sizes listed, do they add up to n, and what do time,
 * energy and active processors come to? Every check returns NULL, or what is wrong.
 */

#include <math.h>
#include <stdlib.h>

#include "scalay/profile.h"
#include "scalay/workload.h"

/** What shares come to by definition. */
typedef struct {
    int64_t size;
    int64_t processors;
    int64_t active;
    double time;
    double energy; /* NaN: not known */
} workload_facts;

/** Adds the shares of a histogram up; they may stand in any order. */
static inline const char *workload_recompute(const scalay_profile *profile, int64_t shares,
                                             const scalay_workload_share *share, workload_facts *facts)
{
    *facts = (workload_facts){0};
    facts->energy = scalay_profile_has_energy(profile) ? 0.0 : NAN;
    for (int64_t k = 0; k < shares; k++) {
        double time = 0.0;
        double energy = 0.0;
        if (share[k].group < 0 || share[k].group >= scalay_profile_groups(profile)) return "a group that is none";
        if (share[k].count < 1) return "a share of no processors";
        if (share[k].size < 0) return "a negative size";
        if (scalay_profile_get_point(profile, share[k].group, share[k].size, &time, &energy) != SCALAY_SUCCESS)
            return "a size that cannot be looked up";
        if (!(time < INFINITY)) return "a size that is not listed";
        facts->size += share[k].size * share[k].count;
        facts->processors += share[k].count;
        facts->active += share[k].size > 0 ? share[k].count : 0;
        facts->time = fmax(facts->time, time);
        facts->energy += energy * (double)share[k].count;
    }
    return NULL;
}

/** The same for a list of sizes, groups expanded, as scalay_workload_sizes() and the CLI give it. */
static inline const char *workload_recompute_list(const scalay_profile *profile, int64_t processors,
                                                  const int64_t *size, workload_facts *facts)
{
    if (processors != scalay_profile_processors(profile)) return "the list has another length than the profile";
    scalay_workload_share *share = calloc((size_t)processors, sizeof *share);
    if (share == NULL) return "no memory for a check";
    int64_t k = 0;
    for (int j = 0; j < scalay_profile_groups(profile); j++)
        for (int64_t copy = 0; copy < scalay_profile_multiplicity(profile, j); copy++, k++)
            share[k] = (scalay_workload_share){j, size[k], 1};
    const char *wrong = workload_recompute(profile, processors, share, facts);
    free(share);
    return wrong;
}

/** Are these two the same but for rounding? */
static inline int workload_near(double a, double b)
{
    return a == b || (isnan(a) && isnan(b)) || fabs(a - b) <= 1e-12 * fmax(fabs(a), fabs(b));
}

/** Is the histogram sorted, without shares that should be one, and does it cover every group? */
static inline const char *workload_check_order(const scalay_profile *profile, int64_t shares,
                                               const scalay_workload_share *share)
{
    int64_t k = 0;
    for (int j = 0; j < scalay_profile_groups(profile); j++) {
        int64_t count = 0;
        for (int64_t first = k; k < shares && share[k].group == j; k++) {
            if (k > first && share[k].size >= share[k - 1].size) return "sizes of a group that do not descend";
            count += share[k].count;
        }
        if (count != scalay_profile_multiplicity(profile, j))
            return "a group with more or fewer shares than processors";
    }
    return k == shares ? NULL : "groups that do not ascend";
}

/** Do the sizes listed, in pieces of 7, agree with the histogram? */
static inline const char *workload_check_list(const scalay_workload *workload, int64_t processors, int64_t shares,
                                              const scalay_workload_share *share)
{
    int64_t at = 0;
    int64_t used = 0;
    for (int64_t first = 0; first < processors; first += 7) {
        int64_t size[7];
        const int64_t count = processors - first < 7 ? processors - first : 7;
        if (scalay_workload_sizes(workload, first, count, size) != SCALAY_SUCCESS) return "sizes that are not told";
        for (int64_t i = 0; i < count; i++, used++) {
            while (at < shares && used == share[at].count) {
                at++;
                used = 0;
            }
            if (at == shares || size[i] != share[at].size) return "sizes that are not those of the histogram";
        }
    }
    return NULL;
}

/** Does the summary say what the shares come to? */
static inline const char *workload_check_summary(const scalay_workload_summary *summary, const workload_facts *facts)
{
    if (facts->size != summary->size) return "sizes that do not add up to n";
    if (facts->processors != summary->processors) return "another number of processors";
    if (facts->active != summary->active) return "another number of active processors";
    if (facts->time != summary->time) return "another time";
    if (!workload_near(facts->energy, summary->energy)) return "another energy";
    if (!workload_near(summary->total, summary->time + summary->communication) &&
        !workload_near(summary->total, summary->energy + summary->communication))
        return "a total that is neither time nor energy plus communication";
    return NULL;
}

/** Checks a distribution of n units; one that there is not has to say so. */
static inline const char *workload_check(const scalay_profile *profile, int64_t n, const scalay_workload *workload)
{
    scalay_workload_summary summary;
    workload_facts facts;
    int64_t shares = 0;
    int64_t below = 0;
    int64_t above = 0;
    const scalay_workload_share *share = NULL;
    const char *wrong = NULL;
    if (scalay_workload_get_summary(workload, &summary) != SCALAY_SUCCESS || summary.size != n) return "another n";
    if (scalay_workload_histogram(workload, &shares, &share) != SCALAY_SUCCESS) return "no histogram";
    if (scalay_workload_nearest(workload, &below, &above) != SCALAY_SUCCESS) return "no nearest totals";
    if (!scalay_workload_feasible(workload)) {
        if (shares != 0 || !isnan(summary.time) || !isnan(summary.energy)) return "something where there is nothing";
        return below <= n && (above >= n || above == -1) ? NULL : "nearest totals on the wrong side";
    }
    if (below != n || above != n) return "nearest totals that are not n";
    if ((wrong = workload_recompute(profile, shares, share, &facts)) != NULL) return wrong;
    if ((wrong = workload_check_summary(&summary, &facts)) != NULL) return wrong;
    if ((wrong = workload_check_order(profile, shares, share)) != NULL) return wrong;
    return summary.processors <= 100000 ? workload_check_list(workload, summary.processors, shares, share) : NULL;
}

#endif
