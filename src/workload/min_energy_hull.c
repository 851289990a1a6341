#include <string.h>

#include "base/integer.h"
#include "base/memory.h"
#include "base/rows.h"
#include "workload/min_energy.h"

enum { SIDE_CORNERS = 3 };

/* Lifts are rounded; this much room is left. */
static const double ROUNDING = 1.0 - 0x1p-40;

static scalay_hull_vertex vertex_at(const scalay_energy_search *search, const scalay_problem_group *group,
                                    int64_t index)
{
    return (scalay_hull_vertex){index, scalay_energy_at(search, group, index), index == 0 ? 0.0 : group->time[index],
                                -1.0};
}

static int64_t last_index(const scalay_energy_search *search, int group)
{
    int64_t largest = search->problem->group[group].largest;
    return largest < search->n ? largest : search->n;
}

static scalay_status append(scalay_hull *hull, scalay_hull_vertex vertex)
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(SCALAY_GROW(hull->vertex, hull->room, hull->count + 1));
    hull->vertex[hull->count++] = vertex;
cleanup:
    return status;
}

/* ------------------------------------------------------------------------------------- between two vertices */

/* The allowed size that is lowest beside the line through two vertices, in 64 bits; *above: how high, times the length
 * of the line. */
static int64_t lowest_narrow(const scalay_energy_search *search, int group, const scalay_hull_vertex *left,
                             const scalay_hull_vertex *right, scalay_wide *above)
{
    const scalay_problem_group *sizes = &search->problem->group[group];
    const int64_t length = right->index - left->index;
    const int64_t climb = right->energy - left->energy;
    const scalay_row_costs heights = {sizes->energy + left->index + 1,
                                      sizes->time + left->index + 1,
                                      search->limit,
                                      search->scale * length,
                                      (search->charge - left->energy) * length - climb,
                                      climb};
    int64_t low = 0;
    const int64_t found = scalay_row_min_reduced_cost(&heights, length - 1, &low);
    *above = low;
    return found < 0 ? 0 : left->index + 1 + found;
}

/* How high a size is above the line through two vertices, times its length. */
static scalay_wide height_of(const scalay_energy_search *search, int group, const scalay_hull_vertex *left,
                             const scalay_hull_vertex *right, int64_t index)
{
    const int64_t energy = scalay_energy_at(search, &search->problem->group[group], index);
    return scalay_wide_product(energy - left->energy, right->index - left->index) -
           scalay_wide_product(right->energy - left->energy, index - left->index);
}

/* The allowed size that is lowest beside the line through two vertices, and *above; 0: there is none. */
static int64_t lowest_between(const scalay_energy_search *search, int group, const scalay_hull_vertex *left,
                              const scalay_hull_vertex *right, scalay_wide *above)
{
    const scalay_problem_group *sizes = &search->problem->group[group];
    int64_t found = 0;
    if (search->fits) return lowest_narrow(search, group, left, right, above);
    for (int64_t x = left->index + 1; x < right->index; x++) {
        if (!scalay_energy_allowed(search, sizes, x)) continue;
        const scalay_wide height = height_of(search, group, left, right, x);
        if (found > 0 && height >= *above) continue;
        *above = height;
        found = x;
    }
    return found;
}

static double lift_of(const scalay_energy_search *search, scalay_wide above, int64_t length)
{
    return (double)search->factor * (double)above / (double)length;
}

/* Adds the sizes on the line from the last vertex to the right one, with what is above the line between them. */
static scalay_status append_level(const scalay_energy_search *search, int group, const scalay_hull_vertex *right,
                                  scalay_hull *hull)
{
    scalay_status status = SCALAY_SUCCESS;
    const scalay_problem_group *sizes = &search->problem->group[group];
    const scalay_hull_vertex left = hull->vertex[hull->count - 1];
    const int64_t length = right->index - left.index;
    double lift = INFINITY;
    for (int64_t x = left.index + 1; x < right->index; x++) {
        if (!scalay_energy_allowed(search, sizes, x)) continue;
        const scalay_wide above = height_of(search, group, &left, right, x);
        if (above > 0) lift = fmin(lift, lift_of(search, above, length));
        if (above > 0) continue;
        hull->vertex[hull->count - 1].lift = lift;
        SCALAY_TRY(append(hull, vertex_at(search, sizes, x)));
        lift = INFINITY;
    }
    hull->vertex[hull->count - 1].lift = lift;
cleanup:
    return status;
}

/* Adds the vertices between the last one and a right one, and that: the lowest size first, then those on both sides of
 * it. Sizes on an edge are vertices only where active processors are counted; they never are beside size 0, which has
 * no active processor, and beside the others they add nothing. */
static scalay_status append_up_to(scalay_energy_search *search, int group, scalay_hull_vertex right, scalay_hull *hull)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_hull *open = &search->open;
    const scalay_problem_group *sizes = &search->problem->group[group];
    open->count = 0;
    SCALAY_TRY(append(open, right));
    while (open->count > 0) {
        const scalay_hull_vertex to = open->vertex[open->count - 1];
        scalay_hull_vertex *from = &hull->vertex[hull->count - 1];
        scalay_wide above = 0;
        const int64_t lowest = lowest_between(search, group, from, &to, &above);
        if (lowest > 0 && above < 0) {
            SCALAY_TRY(append(open, vertex_at(search, sizes, lowest)));
            continue;
        }
        from->lift = lowest == 0 ? INFINITY : lift_of(search, above, to.index - from->index);
        if (lowest > 0 && above == 0 && search->counted) SCALAY_TRY(append_level(search, group, &to, hull));
        SCALAY_TRY(append(hull, to));
        open->count--;
    }
cleanup:
    return status;
}

/* Adds the vertices behind the last one up to the largest allowed size. */
static scalay_status append_all(scalay_energy_search *search, int group, scalay_hull *hull)
{
    scalay_status status = SCALAY_SUCCESS;
    const scalay_problem_group *sizes = &search->problem->group[group];
    const int64_t before = hull->count > 0 ? hull->vertex[hull->count - 1].index : 0;
    int64_t first = before + 1;
    int64_t last = search->hull[group].last;
    while (last > before && !scalay_energy_allowed(search, sizes, last)) last--;
    search->hull[group].last = last;
    if (last == before) return SCALAY_SUCCESS;
    if (hull->count == 0) {
        while (!scalay_energy_allowed(search, sizes, first)) first++;
        SCALAY_TRY(append(hull, vertex_at(search, sizes, first)));
        if (first == last) return SCALAY_SUCCESS;
    }
    SCALAY_TRY(append_up_to(search, group, vertex_at(search, sizes, last), hull));
cleanup:
    return status;
}

/* ------------------------------------------------------------------------------------------ the profile's hulls */

/* The group of the profile whose hull is that of the search; NULL: it is not. */
static const scalay_profile_group *find_kept(const scalay_energy_search *search, int group)
{
    const scalay_problem_group *sizes = &search->problem->group[group];
    const int is_whole = sizes->whole != NULL && sizes->largest <= search->n && search->limit == INFINITY;
    const int is_plain = search->scale == 1 && search->charge == 0 && !search->counted;
    return is_whole && is_plain && scalay_energy_least(search, group) == 0 ? sizes->whole : NULL;
}

static int64_t kept_index(const scalay_energy_search *search, const scalay_profile_group *kept, int64_t corner)
{
    const int64_t place = kept->corner[corner].place;
    return place == 0 ? 0 : kept->size[place - 1] / search->problem->unit;
}

/* Takes corners `first` to `end` - 1. */
static scalay_status take_kept(const scalay_energy_search *search, const scalay_profile_group *kept, int64_t first,
                               int64_t end, scalay_hull *hull)
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(SCALAY_GROW(hull->vertex, hull->room, end - first));
    for (int64_t k = first; k < end; k++) {
        const int64_t place = kept->corner[k].place;
        hull->vertex[hull->count++] =
            (scalay_hull_vertex){kept_index(search, kept, k), kept->energies[place], kept->times[place],
                                 (double)search->factor * kept->corner[k].lift};
    }
cleanup:
    return status;
}

/* For one group the edge around n / copies and some on both sides of it are enough. */
static scalay_status take_kept_edge(scalay_energy_search *search, const scalay_profile_group *kept, scalay_hull *hull)
{
    scalay_status status = SCALAY_SUCCESS;
    const int64_t copies = scalay_energy_copies(search, 0);
    int64_t at = 0;
    for (int64_t behind = kept->corners - 1; at + 1 < behind;) {
        const int64_t middle = at + (behind - at) / 2;
        if (scalay_wide_product(kept_index(search, kept, middle), copies) <= search->n)
            at = middle;
        else
            behind = middle;
    }
    const int64_t first = scalay_max_int64(0, at - SIDE_CORNERS);
    SCALAY_TRY(take_kept(search, kept, first, scalay_min_int64(kept->corners, at + 2 + SIDE_CORNERS), hull));
    hull->at = at - first;
    search->slope = scalay_hull_slope(search, &hull->vertex[hull->at]);
cleanup:
    return status;
}

/* -------------------------------------------------------------------------------------------------- whole hulls */

/* For one group the edge around n / copies is enough: from chord to chord. */
static scalay_status build_edge(scalay_energy_search *search, scalay_hull *hull)
{
    scalay_status status = SCALAY_SUCCESS;
    const scalay_problem_group *sizes = &search->problem->group[0];
    int64_t copies = scalay_energy_copies(search, 0);
    int64_t first = search->least;
    int64_t last = last_index(search, 0);
    while (first > 0 && first <= last && !scalay_energy_allowed(search, sizes, first)) first++;
    while (last > first && !scalay_energy_allowed(search, sizes, last)) last--;
    if (first > last) return SCALAY_SUCCESS;
    SCALAY_TRY(append(hull, vertex_at(search, sizes, first)));
    if (first == last) return SCALAY_SUCCESS;
    SCALAY_TRY(append(hull, vertex_at(search, sizes, last)));
    for (;;) {
        scalay_hull_vertex *ends = hull->vertex;
        scalay_wide above = 0;
        const int64_t below = lowest_between(search, 0, &ends[0], &ends[1], &above);
        ends[0].lift = below == 0 ? INFINITY : lift_of(search, above, ends[1].index - ends[0].index);
        if (below == 0 || above >= 0) break;
        ends[scalay_wide_product(below, copies) > search->n] = vertex_at(search, sizes, below);
    }
cleanup:
    return status;
}

scalay_status scalay_hull_build(scalay_energy_search *search, int group)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_hull *hull = &search->hull[group];
    hull->count = 0;
    hull->at = 0;
    hull->last = last_index(search, group);
    const scalay_profile_group *kept = find_kept(search, group);
    const int is_alone = search->problem->groups == 1;
    if (kept != NULL)
        return is_alone ? take_kept_edge(search, kept, hull) : take_kept(search, kept, 0, kept->corners, hull);
    if (is_alone) return build_edge(search, hull);
    if (scalay_energy_least(search, group) == 0) SCALAY_TRY(append(hull, (scalay_hull_vertex){.index = 0}));
    SCALAY_TRY(append_all(search, group, hull));
cleanup:
    return status;
}

/* Puts vertices in the place of those from `first` up to `end`. */
static scalay_status replace_vertices(scalay_hull *hull, int64_t first, int64_t end, const scalay_hull_vertex *made,
                                      int64_t count)
{
    scalay_status status = SCALAY_SUCCESS;
    const int64_t more = count - (end - first);
    SCALAY_TRY(SCALAY_GROW(hull->vertex, hull->room, hull->count + more));
    scalay_hull_vertex *at = hull->vertex + first;
    if (more != 0) memmove(at + count, hull->vertex + end, (size_t)(hull->count - end) * sizeof *at);
    memcpy(at, made, (size_t)count * sizeof *at);
    hull->count += more;
    if (hull->at >= end) hull->at += more;
    if (hull->at >= hull->count) hull->at = scalay_max_int64(0, hull->count - 1);
cleanup:
    return status;
}

/* Adds the vertices between the last one and a right one, and that; without a last one, from the first size on. */
static scalay_status append_before(scalay_energy_search *search, int group, scalay_hull_vertex right, scalay_hull *hull)
{
    scalay_status status = SCALAY_SUCCESS;
    const scalay_problem_group *sizes = &search->problem->group[group];
    int64_t first = 1;
    if (hull->count == 0) {
        while (first < right.index && !scalay_energy_allowed(search, sizes, first)) first++;
        if (first == right.index) return append(hull, right);
        SCALAY_TRY(append(hull, vertex_at(search, sizes, first)));
    }
    SCALAY_TRY(append_up_to(search, group, right, hull));
cleanup:
    return status;
}

scalay_status scalay_hull_renew(scalay_energy_search *search, int group, int64_t vertex)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_hull *hull = &search->hull[group];
    scalay_hull *made = &search->spare;
    int64_t first = vertex;
    int64_t end = vertex + 1;
    while (first > 0 && scalay_hull_is_lost(search, &hull->vertex[first - 1])) first--;
    while (end < hull->count && scalay_hull_is_lost(search, &hull->vertex[end])) end++;
    const int left = first > 0;
    const int right = end < hull->count;
    made->count = 0;
    if (left) SCALAY_TRY(append(made, hull->vertex[first - 1]));
    if (!right)
        SCALAY_TRY(append_all(search, group, made));
    else
        SCALAY_TRY(append_before(search, group, hull->vertex[end], made));
    if (left) hull->vertex[first - 1].lift = made->vertex[0].lift;
    SCALAY_TRY(replace_vertices(hull, first, end, made->vertex + left, made->count - left - right));
cleanup:
    return status;
}

int64_t scalay_hull_reach_between(const scalay_energy_search *search, const scalay_hull_vertex *ends, double near,
                                  double far, double most)
{
    const int64_t length = ends[1].index - ends[0].index;
    const double left = most - ends->lift * (double)search->slope.length * ROUNDING - near;
    if (!(left >= 0.0)) return 0; /* no size is between: the lift is infinite */
    if (left >= far - near) return length - 1;
    return scalay_min_int64(length - 1, (int64_t)(left / (far - near) * (double)length / ROUNDING) + 1);
}

int64_t scalay_hull_reach(const scalay_energy_search *search, int64_t lot, int direction, scalay_wide bound)
{
    const scalay_energy_lot *from = &search->lot[lot];
    const scalay_hull *hull = &search->hull[from->group];
    scalay_wide near = 0;
    for (int64_t k = from->vertex + direction; k >= 0 && k < hull->count; k += direction) {
        const scalay_hull_vertex *vertex = &hull->vertex[k];
        const scalay_wide far =
            scalay_reduced_cost(search, vertex->energy - from->energy, (vertex->index > 0) - (from->index > 0),
                                vertex->index - from->index);
        if (far >= bound) {
            const scalay_hull_vertex *ends = direction > 0 ? vertex - 1 : vertex;
            return vertex[-direction].index +
                   direction * scalay_hull_reach_between(search, ends, (double)near, (double)far, (double)bound);
        }
        near = far;
    }
    return direction > 0 ? last_index(search, from->group) : scalay_energy_least(search, from->group);
}
