/*
 * The profile object: allocation, data that every workload problem needs, concatenation, queries.
 *
 * The lower convex hull of the energies of a group is found by Andrew's monotone chain (1979) in O(points), because the
 * sizes are sorted. Products of sizes and energies need more than 64 bits.
 */
#include "profile/profile.h"

#include <limits.h>
#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/integer.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/text.h"

/* -------------------------------------------------------------------------------------------------- allocation */

scalay_status scalay_profile_allocate(int groups, int has_energy, scalay_profile **profile)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_profile *new_profile = NULL;
    *profile = NULL;
    SCALAY_TRY(SCALAY_NEW(new_profile, 1));
    atomic_init(&new_profile->references, 1);
    new_profile->has_energy = has_energy;
    SCALAY_TRY(SCALAY_NEW(new_profile->group, groups));
    new_profile->groups = groups;
    *profile = new_profile;
    new_profile = NULL;
cleanup:
    scalay_profile_destroy(&new_profile);
    return status;
}

scalay_status scalay_profile_allocate_group(const scalay_profile *profile, scalay_profile_group *group,
                                            const char *name, int64_t count, int64_t points)
{
    scalay_status status = SCALAY_SUCCESS;
    group->count = count;
    group->points = points;
    SCALAY_TRY(scalay_text_copy(name, &group->name));
    SCALAY_TRY(SCALAY_NEW(group->size, points));
    SCALAY_TRY(SCALAY_NEW(group->times, points + 1));
    group->time = group->times + 1;
    group->times[0] = 0.0;
    if (!profile->has_energy) return SCALAY_SUCCESS;
    SCALAY_TRY(SCALAY_NEW(group->energy, points));
    SCALAY_TRY(SCALAY_NEW(group->energies, points + 1));
    group->energy_units = group->energies + 1;
    group->energies[0] = 0;
cleanup:
    return status;
}

scalay_profile *scalay_profile_retain(const scalay_profile *profile)
{
    scalay_profile *same = (scalay_profile *)profile; /* only the number of references is not constant */
    atomic_fetch_add(&same->references, 1);
    return same;
}

void scalay_profile_destroy(scalay_profile **profile)
{
    if (profile == NULL || *profile == NULL) return;
    scalay_profile *old_profile = *profile;
    *profile = NULL;
    if (atomic_fetch_sub(&old_profile->references, 1) > 1) return;
    for (int g = 0; g < old_profile->groups; g++) {
        scalay_profile_group *group = &old_profile->group[g];
        scalay_release(group->name);
        scalay_release(group->size);
        scalay_release(group->times);
        scalay_release(group->energy);
        scalay_release(group->energies);
        scalay_release(group->soonest);
        scalay_release(group->corner);
    }
    scalay_release(old_profile->group);
    scalay_release(old_profile);
}

/* ------------------------------------------------------------------------------------ data for workload problems */

static void find_unit(scalay_profile_group *group)
{
    group->unit = group->size[0];
    for (int64_t k = 1; k < group->points && group->unit > 1; k++)
        group->unit = scalay_gcd(group->size[k], group->unit);
}

static void find_suffix_minima(scalay_profile_group *group)
{
    double minimum = INFINITY;
    for (int64_t index = group->points; index >= 0; index--) {
        minimum = fmin(minimum, group->times[index]);
        group->soonest[index] = minimum;
    }
}

static void find_largest_energies(scalay_profile_group *group)
{
    for (int64_t k = 0; k < group->points; k++) {
        const double units = (double)group->energy_units[k];
        group->most_per_share = fmax(group->most_per_share, units);
        group->most_per_unit = fmax(group->most_per_unit, units / (double)group->size[k]);
    }
}

static int64_t size_at(const scalay_profile_group *group, int64_t index)
{
    return index == 0 ? 0 : group->size[index - 1];
}

/* The height of a point above the line through two others, times the horizontal length of the line. */
static scalay_wide scaled_height(const scalay_profile_group *group, int64_t left, int64_t right, int64_t point)
{
    const int64_t *energy = group->energies;
    const int64_t start = size_at(group, left);
    return scalay_wide_product(energy[point] - energy[left], size_at(group, right) - start) -
           scalay_wide_product(energy[right] - energy[left], size_at(group, point) - start);
}

/* Andrew's monotone chain. Returns the number of vertices. */
static int64_t find_vertices(const scalay_profile_group *group, int64_t *vertex)
{
    int64_t count = 0;
    for (int64_t index = 0; index <= group->points; index++) {
        while (count >= 2 && scaled_height(group, vertex[count - 2], index, vertex[count - 1]) >= 0) count--;
        vertex[count++] = index;
    }
    return count;
}

/* The least height of the points between two vertices above the edge. */
static double find_least_height(const scalay_profile_group *group, int64_t left, int64_t right)
{
    const int64_t length = size_at(group, right) - size_at(group, left);
    scalay_wide least = -1;
    for (int64_t index = left + 1; index < right; index++) {
        const scalay_wide height = scaled_height(group, left, right, index);
        if (least < 0 || height < least) least = height;
    }
    return least < 0 ? INFINITY : (double)least / (double)length;
}

static scalay_status find_hull(scalay_profile_group *group)
{
    scalay_status status = SCALAY_SUCCESS;
    int64_t *vertex = NULL;
    SCALAY_TRY(SCALAY_NEW(vertex, group->points + 1));
    const int64_t count = find_vertices(group, vertex);
    SCALAY_TRY(SCALAY_NEW(group->corner, count));
    group->corners = count;
    for (int64_t k = 1; k < count; k++)
        group->corner[k - 1] =
            (scalay_profile_corner){vertex[k - 1], find_least_height(group, vertex[k - 1], vertex[k])};
    group->corner[count - 1] = (scalay_profile_corner){vertex[count - 1], INFINITY};
cleanup:
    scalay_release(vertex);
    return status;
}

scalay_status scalay_profile_summarize(scalay_profile *profile)
{
    scalay_status status = SCALAY_SUCCESS;
    for (int g = 0; g < profile->groups; g++) {
        scalay_profile_group *group = &profile->group[g];
        find_unit(group);
        SCALAY_TRY(SCALAY_NEW(group->soonest, group->points + 1));
        find_suffix_minima(group);
        if (!profile->has_energy) continue;
        find_largest_energies(group);
        SCALAY_TRY(find_hull(group));
    }
cleanup:
    return status;
}

/* ------------------------------------------------------------------------------------------------ concatenation */

static const char join_name[] = "scalay_profile_join";

/* Properties of the joined profile. */
typedef struct {
    int64_t groups;
    int64_t processors;
    int has_energy;
    int is_modelled;
    int digits; /* of the energy unit: the maximum over the profiles */
    int finest; /* the profile that has this maximum */
} join_totals;

static scalay_status add_totals(int profiles, const scalay_profile *const *list, join_totals *totals)
{
    *totals = (join_totals){.has_energy = 1};
    for (int p = 0; p < profiles; p++) {
        if (list[p] == NULL)
            return scalay_fail(SCALAY_ERROR_ARGUMENT, join_name, "list[%d] is NULL; pass %d profiles", p, profiles);
        totals->groups += list[p]->groups;
        totals->has_energy &= list[p]->has_energy;
        totals->is_modelled |= list[p]->is_modelled;
        if (list[p]->energy_digits > totals->digits) totals->finest = p;
        totals->digits = list[totals->finest]->energy_digits;
        if (!scalay_add_int64(totals->processors, list[p]->processors, &totals->processors))
            return scalay_fail(SCALAY_ERROR_RANGE, join_name,
                               "the total number of processors exceeds 2^63 - 1; use fewer processors");
    }
    if (totals->groups < INT_MAX) return SCALAY_SUCCESS;
    return scalay_fail(SCALAY_ERROR_RANGE, join_name, "the number of groups is %lld; it must be at most %d",
                       (long long)totals->groups, INT_MAX - 1);
}

static int compare_names(const void *left, const void *right)
{
    return strcmp(*(const char *const *)left, *(const char *const *)right);
}

static scalay_status check_names_differ(const scalay_profile *profile)
{
    scalay_status status = SCALAY_SUCCESS;
    const char **name = NULL;
    SCALAY_TRY(SCALAY_NEW(name, profile->groups));
    for (int g = 0; g < profile->groups; g++) name[g] = profile->group[g].name;
    qsort(name, (size_t)profile->groups, sizeof *name, compare_names);
    for (int g = 1; g < profile->groups && status == SCALAY_SUCCESS; g++)
        if (strcmp(name[g - 1], name[g]) == 0)
            status = scalay_fail(SCALAY_ERROR_ARGUMENT, join_name,
                                 "two groups have the name '%.80s'; the names of all groups must differ", name[g]);
cleanup:
    scalay_release(name);
    return status;
}

/* Converts the energies of a group to the unit of the joined profile. */
static scalay_status copy_energies(const scalay_profile_group *from, int digits, const join_totals *totals,
                                   const char *finest_name, scalay_profile_group *group)
{
    memcpy(group->energy, from->energy, (size_t)from->points * sizeof *group->energy);
    for (int64_t k = 0; k < from->points; k++) {
        const scalay_decimal joules = {from->energy_units[k], -digits};
        if (!scalay_decimal_scale(joules, totals->digits, SCALAY_PROFILE_MOST_UNITS, &group->energy_units[k]))
            return scalay_fail(SCALAY_ERROR_RANGE, join_name,
                               "an energy of group '%.80s' is %.17g J, more than 2^53 units of 1e-%d J. The profile of "
                               "'%.80s' needs this unit. Round the energies, for example to microjoules",
                               from->name, from->energy[k], totals->digits, finest_name);
    }
    return SCALAY_SUCCESS;
}

static scalay_status copy_groups(const scalay_profile *from, const join_totals *totals, const char *finest_name,
                                 scalay_profile *profile, int *filled)
{
    scalay_status status = SCALAY_SUCCESS;
    for (int g = 0; g < from->groups; g++) {
        const scalay_profile_group *source = &from->group[g];
        scalay_profile_group *group = &profile->group[(*filled)++];
        SCALAY_TRY(scalay_profile_allocate_group(profile, group, source->name, source->count, source->points));
        memcpy(group->size, source->size, (size_t)source->points * sizeof *group->size);
        memcpy(group->time, source->time, (size_t)source->points * sizeof *group->time);
        if (profile->has_energy) SCALAY_TRY(copy_energies(source, from->energy_digits, totals, finest_name, group));
    }
cleanup:
    return status;
}

static scalay_status join_profiles(int profiles, const scalay_profile *const *list, scalay_profile **profile)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_profile *new_profile = NULL;
    join_totals totals;
    int filled = 0;
    SCALAY_TRY(add_totals(profiles, list, &totals));
    SCALAY_TRY(scalay_profile_allocate((int)totals.groups, totals.has_energy, &new_profile));
    new_profile->processors = totals.processors;
    new_profile->is_modelled = totals.has_energy && totals.is_modelled;
    new_profile->energy_digits = totals.has_energy ? totals.digits : 0;
    for (int p = 0; p < profiles; p++)
        SCALAY_TRY(copy_groups(list[p], &totals, list[totals.finest]->group[0].name, new_profile, &filled));
    SCALAY_TRY(check_names_differ(new_profile));
    SCALAY_TRY(scalay_profile_summarize(new_profile));
    *profile = new_profile;
    new_profile = NULL;
cleanup:
    scalay_profile_destroy(&new_profile);
    return status;
}

scalay_status scalay_profile_join(int profiles, const scalay_profile *const *list, scalay_profile **profile)
{
    scalay_status status = scalay_check_not_null(profile, __func__, "profile");
    if (status != SCALAY_SUCCESS) return status;
    *profile = NULL;
    if (profiles < 1) return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "profiles is %d; it must be at least 1", profiles);
    SCALAY_TRY(scalay_check_not_null(list, __func__, "list"));
    SCALAY_TRY(join_profiles(profiles, list, profile));
cleanup:
    return status;
}

/* ------------------------------------------------------------------------------------------------------ queries */

int scalay_profile_groups(const scalay_profile *profile)
{
    return profile != NULL ? profile->groups : 0;
}

int64_t scalay_profile_processors(const scalay_profile *profile)
{
    return profile != NULL ? profile->processors : 0;
}

int scalay_profile_has_energy(const scalay_profile *profile)
{
    return profile != NULL && profile->has_energy;
}

int scalay_profile_is_modelled(const scalay_profile *profile)
{
    return profile != NULL && profile->is_modelled;
}

/* Returns NULL if there is no such group. */
static const scalay_profile_group *find_group(const scalay_profile *profile, int group)
{
    return profile != NULL && group >= 0 && group < profile->groups ? &profile->group[group] : NULL;
}

const char *scalay_profile_name(const scalay_profile *profile, int group)
{
    const scalay_profile_group *found = find_group(profile, group);
    return found != NULL ? found->name : "";
}

int64_t scalay_profile_multiplicity(const scalay_profile *profile, int group)
{
    const scalay_profile_group *found = find_group(profile, group);
    return found != NULL ? found->count : 0;
}

int64_t scalay_profile_largest(const scalay_profile *profile, int group)
{
    const scalay_profile_group *found = find_group(profile, group);
    return found != NULL ? found->size[found->points - 1] : 0;
}

static scalay_status check_group(const char *function, const scalay_profile *profile, int group)
{
    const scalay_status status = scalay_check_not_null(profile, function, "profile");
    if (status != SCALAY_SUCCESS || find_group(profile, group) != NULL) return status;
    return scalay_fail(SCALAY_ERROR_ARGUMENT, function, "group is %d; it must be in [0, %d)", group, profile->groups);
}

scalay_status scalay_profile_points(const scalay_profile *profile, int group, int64_t *points, const int64_t **size,
                                    const double **time, const double **energy)
{
    scalay_status status = check_group(__func__, profile, group);
    if (status == SCALAY_SUCCESS) status = scalay_check_not_null(points, __func__, "points");
    const scalay_profile_group none = {0};
    const scalay_profile_group *found = status == SCALAY_SUCCESS ? &profile->group[group] : &none;
    if (points != NULL) *points = found->points;
    if (size != NULL) *size = found->size;
    if (time != NULL) *time = found->time;
    if (energy != NULL) *energy = found->energy;
    return status;
}

/* Binary search. Returns the index of a size, or -1 if it is a hole. */
static int64_t find_point(const scalay_profile_group *group, int64_t size)
{
    int64_t low = 0;
    int64_t high = group->points - 1;
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (group->size[middle] < size)
            low = middle + 1;
        else
            high = middle;
    }
    return group->size[low] == size ? low : -1;
}

scalay_status scalay_profile_get_point(const scalay_profile *profile, int group, int64_t size, double *time,
                                       double *energy)
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(check_group(__func__, profile, group));
    SCALAY_TRY(scalay_check_not_null(time, __func__, "time"));
    const scalay_profile_group *found = &profile->group[group];
    const int64_t k = find_point(found, size);
    const double unlisted = size == 0 ? 0.0 : INFINITY;
    const double known = k >= 0 && found->energy != NULL ? found->energy[k] : 0.0;
    *time = k >= 0 ? found->time[k] : unlisted;
    if (energy != NULL) *energy = k >= 0 ? known : unlisted;
cleanup:
    return status;
}
