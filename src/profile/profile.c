#include "profile/profile.h"

#include <math.h>
#include <stdatomic.h>

#include "base/memory.h"

scalay_profile *scalay_profile_retain(const scalay_profile *profile)
{
    scalay_profile *same = (scalay_profile *)profile; /* constant but for the number of references */
    atomic_fetch_add(&same->references, 1);
    return same;
}

void scalay_profile_destroy(scalay_profile **profile)
{
    if (profile == NULL || *profile == NULL) return;
    scalay_profile *going = *profile;
    *profile = NULL;
    if (atomic_fetch_sub(&going->references, 1) > 1) return;
    for (int g = 0; g < going->groups; g++) {
        scalay_profile_group *group = &going->group[g];
        scalay_release(group->name);
        scalay_release(group->size);
        scalay_release(group->times);
        scalay_release(group->energy);
        scalay_release(group->energies);
        scalay_release(group->soonest);
        scalay_release(group->corner);
    }
    scalay_release(going->group);
    scalay_release(going);
}

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

/* NULL when there is none. */
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
    if (profile == NULL) return scalay_fail(SCALAY_ERROR_ARGUMENT, function, "profile is NULL; pass a profile");
    if (find_group(profile, group) == NULL)
        return scalay_fail(SCALAY_ERROR_ARGUMENT, function, "group = %d; it must be 0 to %d", group,
                           profile->groups - 1);
    return SCALAY_SUCCESS;
}

scalay_status scalay_profile_points(const scalay_profile *profile, int group, int64_t *points, const int64_t **size,
                                    const double **time, const double **energy)
{
    scalay_status status = check_group(__func__, profile, group);
    if (status == SCALAY_SUCCESS && points == NULL)
        status = SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "points is NULL; pass where to put their number");
    const scalay_profile_group none = {0};
    const scalay_profile_group *found = status == SCALAY_SUCCESS ? &profile->group[group] : &none;
    if (points != NULL) *points = found->points;
    if (size != NULL) *size = found->size;
    if (time != NULL) *time = found->time;
    if (energy != NULL) *energy = found->energy;
    return status;
}

/* The index of a size; -1 when it is a hole. */
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
    if (time == NULL) return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "time is NULL; pass where to put it");
    const scalay_profile_group *found = &profile->group[group];
    int64_t k = find_point(found, size);
    double nothing = size == 0 ? 0.0 : INFINITY;
    double known = k >= 0 && found->energy != NULL ? found->energy[k] : 0.0;
    *time = k >= 0 ? found->time[k] : nothing;
    if (energy != NULL) *energy = k >= 0 ? known : nothing;
cleanup:
    return status;
}
