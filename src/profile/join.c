#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/integer.h"
#include "base/memory.h"
#include "profile/draft.h"

static const char join[] = "scalay_profile_join";

/* What the joined profile is like. */
typedef struct {
    int64_t groups;
    int64_t processors;
    int has_energy;
    int is_modelled;
    int digits;
    int finest; /* the profile that needs so many digits */
} join_totals;

static scalay_status add_up(int profiles, const scalay_profile *const *list, join_totals *totals)
{
    *totals = (join_totals){.has_energy = 1};
    for (int p = 0; p < profiles; p++) {
        if (list[p] == NULL)
            return scalay_fail(SCALAY_ERROR_ARGUMENT, join, "list[%d] is NULL; pass %d profiles", p, profiles);
        totals->groups += list[p]->groups;
        totals->has_energy &= list[p]->has_energy;
        totals->is_modelled |= list[p]->is_modelled;
        if (list[p]->energy_digits > totals->digits) totals->finest = p;
        totals->digits = list[totals->finest]->energy_digits;
        if (!scalay_add_int64(totals->processors, list[p]->processors, &totals->processors))
            return scalay_fail(SCALAY_ERROR_RANGE, join, "the processors sum up to more than 2^63 - 1; use fewer");
    }
    if (totals->groups < INT_MAX) return SCALAY_SUCCESS;
    return scalay_fail(SCALAY_ERROR_RANGE, join, "%lld groups; at most %d fit", (long long)totals->groups, INT_MAX - 1);
}

static int compare_names(const void *left, const void *right)
{
    return strcmp(*(const char *const *)left, *(const char *const *)right);
}

static scalay_status check_names(const scalay_profile *profile)
{
    scalay_status status = SCALAY_SUCCESS;
    const char **name = NULL;
    SCALAY_TRY(SCALAY_NEW(name, profile->groups));
    for (int g = 0; g < profile->groups; g++) name[g] = profile->group[g].name;
    qsort(name, (size_t)profile->groups, sizeof *name, compare_names);
    for (int g = 1; g < profile->groups && status == SCALAY_SUCCESS; g++)
        if (strcmp(name[g - 1], name[g]) == 0)
            status = scalay_fail(SCALAY_ERROR_ARGUMENT, join,
                                 "two groups are called '%.80s'; the names of groups must differ", name[g]);
cleanup:
    scalay_release(name);
    return status;
}

/* Brings the energies of a group to more digits. */
static scalay_status copy_energies(const scalay_profile_group *from, int digits, const join_totals *totals,
                                   const char *other, scalay_profile_group *group)
{
    memcpy(group->energy, from->energy, (size_t)from->points * sizeof *group->energy);
    for (int64_t k = 0; k < from->points; k++) {
        const scalay_decimal joules = {from->energy_units[k], -digits};
        if (!scalay_decimal_scale(joules, totals->digits, SCALAY_PROFILE_MOST_UNITS, &group->energy_units[k]))
            return scalay_fail(SCALAY_ERROR_RANGE, join,
                               "group '%.80s' has %.17g J, more than 2^53 units of 1e-%d J, which the profile of "
                               "'%.80s' needs; round the energies, to microjoules for instance",
                               from->name, from->energy[k], totals->digits, other);
    }
    return SCALAY_SUCCESS;
}

static scalay_status copy_groups(const scalay_profile *from, const join_totals *totals, const char *other,
                                 scalay_profile *profile, int *filled)
{
    scalay_status status = SCALAY_SUCCESS;
    for (int g = 0; g < from->groups; g++) {
        const scalay_profile_group *old = &from->group[g];
        scalay_profile_group *group = &profile->group[(*filled)++];
        SCALAY_TRY(scalay_profile_allocate_group(profile, group, old->name, old->count, old->points));
        memcpy(group->size, old->size, (size_t)old->points * sizeof *group->size);
        memcpy(group->time, old->time, (size_t)old->points * sizeof *group->time);
        if (profile->has_energy) SCALAY_TRY(copy_energies(old, from->energy_digits, totals, other, group));
    }
cleanup:
    return status;
}

static scalay_status join_profiles(int profiles, const scalay_profile *const *list, scalay_profile **profile)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_profile *made = NULL;
    join_totals totals;
    int filled = 0;
    SCALAY_TRY(add_up(profiles, list, &totals));
    SCALAY_TRY(scalay_profile_allocate((int)totals.groups, totals.has_energy, &made));
    made->processors = totals.processors;
    made->is_modelled = totals.has_energy && totals.is_modelled;
    made->energy_digits = totals.has_energy ? totals.digits : 0;
    for (int p = 0; p < profiles; p++)
        SCALAY_TRY(copy_groups(list[p], &totals, list[totals.finest]->group[0].name, made, &filled));
    SCALAY_TRY(check_names(made));
    SCALAY_TRY(scalay_profile_summarize(made));
    *profile = made;
    made = NULL;
cleanup:
    scalay_profile_destroy(&made);
    return status;
}

scalay_status scalay_profile_join(int profiles, const scalay_profile *const *list, scalay_profile **profile)
{
    if (profile == NULL) return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "profile is NULL; pass where to put it");
    *profile = NULL;
    if (profiles < 1) return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "profiles = %d; it must be at least 1", profiles);
    if (list == NULL) return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "list is NULL; pass %d profiles", profiles);
    return join_profiles(profiles, list, profile);
}
