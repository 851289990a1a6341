/* What every problem asks for, found once: O(points) for each group. */
#include <math.h>

#include "base/integer.h"
#include "base/memory.h"
#include "profile/draft.h"

static void find_unit(scalay_profile_group *group)
{
    group->unit = group->size[0];
    for (int64_t k = 1; k < group->points && group->unit > 1; k++)
        group->unit = scalay_gcd(group->size[k], group->unit);
}

static void find_soonest(scalay_profile_group *group)
{
    double least = INFINITY;
    for (int64_t place = group->points; place >= 0; place--) {
        least = group->times[place] < least ? group->times[place] : least;
        group->soonest[place] = least;
    }
}

static void find_dearest(scalay_profile_group *group)
{
    for (int64_t k = 0; k < group->points; k++) {
        const double units = (double)group->energy_units[k];
        group->most_per_share = fmax(group->most_per_share, units);
        group->most_per_unit = fmax(group->most_per_unit, units / (double)group->size[k]);
    }
}

/* --------------------------------------------------------------------------------------------------------- hull */

static int64_t size_at(const scalay_profile_group *group, int64_t place)
{
    return place == 0 ? 0 : group->size[place - 1];
}

/* How high a place is above the line through two others, times the length of the line. */
static scalay_wide height_of(const scalay_profile_group *group, int64_t left, int64_t right, int64_t place)
{
    const int64_t *energy = group->energies;
    const int64_t start = size_at(group, left);
    return scalay_wide_product(energy[place] - energy[left], size_at(group, right) - start) -
           scalay_wide_product(energy[right] - energy[left], size_at(group, place) - start);
}

/* By Andrew's monotone chain: the number of corners. */
static int64_t find_corners(const scalay_profile_group *group, int64_t *corner)
{
    int64_t corners = 0;
    for (int64_t place = 0; place <= group->points; place++) {
        while (corners >= 2 && height_of(group, corner[corners - 2], place, corner[corners - 1]) >= 0) corners--;
        corner[corners++] = place;
    }
    return corners;
}

static double find_lift(const scalay_profile_group *group, int64_t left, int64_t right)
{
    const int64_t start = size_at(group, left);
    const int64_t length = size_at(group, right) - start;
    const int64_t climb = group->energies[right] - group->energies[left];
    scalay_wide least = -1;
    for (int64_t k = left; k < right - 1; k++) {
        const scalay_wide height = scalay_wide_product(group->energy_units[k] - group->energies[left], length) -
                                   scalay_wide_product(climb, group->size[k] - start);
        if (least < 0 || height < least) least = height;
    }
    return least < 0 ? INFINITY : (double)least / (double)length;
}

static scalay_status find_hull(scalay_profile_group *group)
{
    scalay_status status = SCALAY_SUCCESS;
    int64_t *corner = NULL;
    SCALAY_TRY(SCALAY_NEW(corner, group->points + 1));
    const int64_t corners = find_corners(group, corner);
    SCALAY_TRY(SCALAY_NEW(group->corner, corners));
    group->corners = corners;
    for (int64_t k = 1; k < corners; k++)
        group->corner[k - 1] = (scalay_profile_corner){corner[k - 1], find_lift(group, corner[k - 1], corner[k])};
    group->corner[corners - 1] = (scalay_profile_corner){corner[corners - 1], INFINITY};
cleanup:
    scalay_release(corner);
    return status;
}

scalay_status scalay_profile_summarize(scalay_profile *profile)
{
    scalay_status status = SCALAY_SUCCESS;
    for (int g = 0; g < profile->groups; g++) {
        scalay_profile_group *group = &profile->group[g];
        find_unit(group);
        SCALAY_TRY(SCALAY_NEW(group->soonest, group->points + 1));
        find_soonest(group);
        if (!profile->has_energy) continue;
        find_dearest(group);
        SCALAY_TRY(find_hull(group));
    }
cleanup:
    return status;
}
