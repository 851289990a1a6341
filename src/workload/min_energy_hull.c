/*
 * Lower convex hulls of the weights of a group's allowed sizes.
 *
 * A hull is built from chord to chord (quickhull): the size furthest below a chord is a vertex, and splits the chord.
 * The height of the lowest remaining size above each edge is kept as the edge's lift. The profile keeps the hulls of
 * all sizes for the energies; they are copied if the question allows all sizes. If the time limit decreases, a hull is
 * repaired only where the solution needs a vertex that is forbidden by now.
 *
 * A single group needs only the edge around n / multiplicity: bisection from chord to chord.
 *
 * Cost: O(sizes * log vertices) mostly, O(sizes * vertices) at worst.
 */
#include <string.h>

#include "base/integer.h"
#include "base/memory.h"
#include "base/rows.h"
#include "workload/min_energy.h"

enum { NEIGHBOURS = 3 /* vertices on each side of a single group's edge */ };

/* Lifts are rounded; reach is computed with this margin. */
static const double ROUNDING = 1.0 - 0x1p-40;

static scalay_hull_vertex vertex_at(const scalay_energy_search *search, const scalay_problem_group *group,
                                    int64_t index)
{
    return (scalay_hull_vertex){index, scalay_energy_at(search, group, index), index == 0 ? 0.0 : group->time[index],
                                -1.0};
}

static scalay_status append(scalay_hull *hull, scalay_hull_vertex vertex)
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(SCALAY_GROW(hull->vertex, hull->capacity, hull->count + 1));
    hull->vertex[hull->count++] = vertex;
cleanup:
    return status;
}

/* -------------------------------------------------------------------------------------- between two vertices */

/* Height of a size of at least 1 above the chord between two vertices, times the chord's length. */
static scalay_wide height_above(const scalay_energy_search *search, int group, const scalay_hull_vertex *left,
                                const scalay_hull_vertex *right, int64_t index)
{
    const scalay_hull_vertex at = vertex_at(search, &search->problem->group[group], index);
    const scalay_wide left_weight = scalay_hull_weight(search, left);
    return (scalay_hull_weight(search, &at) - left_weight) * (right->index - left->index) -
           (scalay_hull_weight(search, right) - left_weight) * (index - left->index);
}

/* The lowest allowed size relative to a chord, in 64 bits. The heights count factor * energy + active * [x > 0], or
 * only energies: they have the same order except next to size 0. */
static int64_t lowest_between_narrow(const scalay_energy_search *search, int group, const scalay_hull_vertex *left,
                                     const scalay_hull_vertex *right, int64_t factor, int64_t active,
                                     scalay_wide *height)
{
    const scalay_problem_group *sizes = &search->problem->group[group];
    const int64_t length = right->index - left->index;
    const int64_t start = factor * left->energy + (left->index > 0 ? active : 0);
    const int64_t climb = factor * right->energy + active - start;
    const scalay_row_costs costs = {sizes->energy + left->index + 1,
                                    sizes->time + left->index + 1,
                                    search->time_limit,
                                    factor * search->scale * length,
                                    (factor * search->charge + active - start) * length - climb,
                                    climb};
    int64_t lowest = 0;
    const int64_t found = scalay_row_min_reduced_cost(&costs, length - 1, &lowest);
    *height = scalay_wide_product(lowest, search->factor / factor);
    return found < 0 ? 0 : left->index + 1 + found;
}

/* The allowed size between two vertices that is lowest relative to their chord, and *height; 0: there is none. */
static int64_t lowest_between(const scalay_energy_search *search, int group, const scalay_hull_vertex *left,
                              const scalay_hull_vertex *right, scalay_wide *height)
{
    const scalay_problem_group *sizes = &search->problem->group[group];
    const int active = !search->target.is_given;
    int64_t found = 0;
    if (search->slopes_fit) return lowest_between_narrow(search, group, left, right, search->factor, active, height);
    if (search->energies_fit && (left->index > 0 || !active))
        return lowest_between_narrow(search, group, left, right, 1, 0, height);
    for (int64_t x = left->index + 1; x < right->index; x++) {
        if (!scalay_energy_is_allowed(search, sizes, x)) continue;
        const scalay_wide above = height_above(search, group, left, right, x);
        if (found > 0 && above >= *height) continue;
        *height = above;
        found = x;
    }
    return found;
}

static double lift_of(scalay_wide height, int64_t length)
{
    return (double)height / (double)length;
}

/* Appends the sizes on the edge from the last vertex to the right one, with the lifts between them. */
static scalay_status append_collinear(const scalay_energy_search *search, int group, const scalay_hull_vertex *right,
                                      scalay_hull *hull)
{
    scalay_status status = SCALAY_SUCCESS;
    const scalay_problem_group *sizes = &search->problem->group[group];
    const scalay_hull_vertex left = hull->vertex[hull->count - 1];
    const int64_t length = right->index - left.index;
    double lift = INFINITY;
    for (int64_t x = left.index + 1; x < right->index; x++) {
        if (!scalay_energy_is_allowed(search, sizes, x)) continue;
        const scalay_wide height = height_above(search, group, &left, right, x);
        if (height > 0) {
            lift = fmin(lift, lift_of(height, length));
            continue;
        }
        hull->vertex[hull->count - 1].lift = lift;
        SCALAY_TRY(append(hull, vertex_at(search, sizes, x)));
        lift = INFINITY;
    }
    hull->vertex[hull->count - 1].lift = lift;
cleanup:
    return status;
}

/* Appends the vertices between the last one and a right one, and the right one. Sizes on an edge become vertices only
 * if the number of active processors is given. */
static scalay_status append_up_to(scalay_energy_search *search, int group, scalay_hull_vertex right, scalay_hull *hull)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_hull *pending = &search->pending;
    const scalay_problem_group *sizes = &search->problem->group[group];
    pending->count = 0;
    SCALAY_TRY(append(pending, right));
    while (pending->count > 0) {
        const scalay_hull_vertex to = pending->vertex[pending->count - 1];
        scalay_hull_vertex *from = &hull->vertex[hull->count - 1];
        scalay_wide height = 0;
        const int64_t lowest = lowest_between(search, group, from, &to, &height);
        if (lowest > 0 && height < 0) {
            SCALAY_TRY(append(pending, vertex_at(search, sizes, lowest)));
            continue;
        }
        from->lift = lowest == 0 ? INFINITY : lift_of(height, to.index - from->index);
        if (lowest > 0 && height == 0 && search->target.is_given)
            SCALAY_TRY(append_collinear(search, group, &to, hull));
        SCALAY_TRY(append(hull, to));
        pending->count--;
    }
cleanup:
    return status;
}

/* Appends the first allowed size below `end`, to a hull without vertices; *appended: there is one. */
static scalay_status append_first(const scalay_energy_search *search, int group, int64_t end, scalay_hull *hull,
                                  int *appended)
{
    const scalay_problem_group *sizes = &search->problem->group[group];
    int64_t first = 1;
    while (first < end && !scalay_energy_is_allowed(search, sizes, first)) first++;
    *appended = first < end;
    return *appended ? append(hull, vertex_at(search, sizes, first)) : SCALAY_SUCCESS;
}

/* Appends the vertices after the last one up to the largest allowed size. */
static scalay_status append_all(scalay_energy_search *search, int group, scalay_hull *hull)
{
    scalay_status status = SCALAY_SUCCESS;
    const scalay_problem_group *sizes = &search->problem->group[group];
    const int64_t before = hull->count > 0 ? hull->vertex[hull->count - 1].index : 0;
    int64_t last = search->hull[group].last_index;
    int appended = 1;
    while (last > before && !scalay_energy_is_allowed(search, sizes, last)) last--;
    search->hull[group].last_index = last;
    if (last == before) return SCALAY_SUCCESS;
    if (hull->count == 0) SCALAY_TRY(append_first(search, group, last, hull, &appended));
    SCALAY_TRY(appended ? append_up_to(search, group, vertex_at(search, sizes, last), hull)
                        : append(hull, vertex_at(search, sizes, last)));
cleanup:
    return status;
}

/* -------------------------------------------------------------------------------------- hulls of the profile */

/* The group of the profile that keeps this hull; NULL: none does. */
static const scalay_profile_group *find_kept(const scalay_energy_search *search, int group)
{
    const scalay_problem_group *sizes = &search->problem->group[group];
    const int has_all = sizes->whole != NULL && sizes->largest <= search->n && search->time_limit == INFINITY;
    const int is_plain = search->scale == 1 && search->charge == 0 && !search->target.is_given;
    return has_all && is_plain && search->min_index == 0 ? sizes->whole : NULL;
}

static int64_t kept_index(const scalay_energy_search *search, const scalay_profile_group *kept, int64_t corner)
{
    const int64_t place = kept->corner[corner].place;
    return place == 0 ? 0 : kept->size[place - 1] / search->problem->unit;
}

/* Appends corners first <= k < end. */
static scalay_status copy_kept(const scalay_energy_search *search, const scalay_profile_group *kept, int64_t first,
                               int64_t end, scalay_hull *hull)
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(SCALAY_GROW(hull->vertex, hull->capacity, end - first));
    for (int64_t k = first; k < end; k++) {
        const int64_t place = kept->corner[k].place;
        hull->vertex[hull->count++] =
            (scalay_hull_vertex){kept_index(search, kept, k), kept->energies[place], kept->times[place],
                                 (double)search->factor * kept->corner[k].lift};
    }
cleanup:
    return status;
}

/* Drops the vertices next to size 0 that are above the hull of the weights; returns 1 if there are some. The hulls of
 * the profile are those of the energies. */
static int drop_above(const scalay_energy_search *search, scalay_hull *hull)
{
    int64_t dropped = 0;
    if (hull->vertex[0].index > 0) return 0;
    for (; dropped + 2 < hull->count; dropped++) {
        const scalay_hull_vertex edge[3] = {hull->vertex[0], hull->vertex[dropped + 1], hull->vertex[dropped + 2]};
        const scalay_slope left = scalay_hull_slope(search, &edge[0]);
        const scalay_slope right = scalay_hull_slope(search, &edge[1]);
        if (scalay_slope_compare(search, &left, &right) < 0) break;
    }
    if (dropped == 0) return 0;
    hull->vertex[0].lift = 0.0;
    hull->count -= dropped;
    memmove(hull->vertex + 1, hull->vertex + 1 + dropped, (size_t)(hull->count - 1) * sizeof *hull->vertex);
    return 1;
}

/* A single group needs the edge around n / multiplicity. Some neighbours save solutions from looking at all sizes.
 * *is_hull is 0 if this is not the hull of the weights. */
static scalay_status copy_kept_edge(scalay_energy_search *search, const scalay_profile_group *kept, scalay_hull *hull,
                                    int *is_hull)
{
    scalay_status status = SCALAY_SUCCESS;
    const int64_t multiplicity = scalay_energy_multiplicity(search, 0);
    int64_t at = 0;
    for (int64_t end = kept->corners - 1; at + 1 < end;) {
        const int64_t middle = at + (end - at) / 2;
        if (scalay_wide_product(kept_index(search, kept, middle), multiplicity) <= search->n)
            at = middle;
        else
            end = middle;
    }
    const int64_t first = scalay_max_int64(0, at - NEIGHBOURS);
    SCALAY_TRY(copy_kept(search, kept, first, scalay_min_int64(kept->corners, at + 2 + NEIGHBOURS), hull));
    hull->at = at - first;
    *is_hull = !drop_above(search, hull);
    if (*is_hull) search->solution.slope = scalay_hull_slope(search, &hull->vertex[hull->at]);
cleanup:
    return status;
}

/* -------------------------------------------------------------------------------------------- building a hull */

/* The edge of a single group around n / multiplicity: chords are split by their lowest size. */
static scalay_status build_edge(scalay_energy_search *search, scalay_hull *hull)
{
    scalay_status status = SCALAY_SUCCESS;
    const scalay_problem_group *sizes = &search->problem->group[0];
    const int64_t multiplicity = scalay_energy_multiplicity(search, 0);
    int64_t first = search->min_index;
    int64_t last = scalay_energy_last_index(search, 0);
    while (first > 0 && first <= last && !scalay_energy_is_allowed(search, sizes, first)) first++;
    while (last > first && !scalay_energy_is_allowed(search, sizes, last)) last--;
    if (first > last) return SCALAY_SUCCESS;
    SCALAY_TRY(append(hull, vertex_at(search, sizes, first)));
    if (first == last) return SCALAY_SUCCESS;
    SCALAY_TRY(append(hull, vertex_at(search, sizes, last)));
    for (;;) {
        scalay_hull_vertex *ends = hull->vertex;
        scalay_wide height = 0;
        const int64_t lowest = lowest_between(search, 0, &ends[0], &ends[1], &height);
        ends[0].lift = lowest == 0 ? INFINITY : lift_of(height, ends[1].index - ends[0].index);
        if (lowest == 0 || height >= 0) break;
        ends[scalay_wide_product(lowest, multiplicity) > search->n] = vertex_at(search, sizes, lowest);
    }
cleanup:
    return status;
}

scalay_status scalay_hull_build(scalay_energy_search *search, int group)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_hull *hull = &search->hull[group];
    const scalay_profile_group *kept = find_kept(search, group);
    int is_hull = 0;
    hull->count = 0;
    hull->at = 0;
    hull->last_index = scalay_energy_last_index(search, group);
    if (search->problem->groups == 1) {
        if (kept != NULL) SCALAY_TRY(copy_kept_edge(search, kept, hull, &is_hull));
        if (is_hull) goto cleanup;
        hull->count = 0;
        hull->at = 0;
        return build_edge(search, hull);
    }
    if (kept != NULL) {
        SCALAY_TRY(copy_kept(search, kept, 0, kept->corners, hull));
        (void)drop_above(search, hull);
        goto cleanup;
    }
    if (search->min_index == 0) SCALAY_TRY(append(hull, (scalay_hull_vertex){.index = 0}));
    SCALAY_TRY(append_all(search, group, hull));
cleanup:
    return status;
}

/* ------------------------------------------------------------------------------------------ repairing a hull */

/* Replaces the vertices first <= k < end. */
static scalay_status replace_vertices(scalay_hull *hull, int64_t first, int64_t end, const scalay_hull_vertex *vertex,
                                      int64_t count)
{
    scalay_status status = SCALAY_SUCCESS;
    const int64_t more = count - (end - first);
    SCALAY_TRY(SCALAY_GROW(hull->vertex, hull->capacity, hull->count + more));
    scalay_hull_vertex *at = hull->vertex + first;
    if (more != 0) memmove(at + count, hull->vertex + end, (size_t)(hull->count - end) * sizeof *at);
    memcpy(at, vertex, (size_t)count * sizeof *at);
    hull->count += more;
    if (hull->at >= end) hull->at += more;
    if (hull->at >= hull->count) hull->at = scalay_max_int64(0, hull->count - 1);
cleanup:
    return status;
}

/* Appends the vertices before a right one, and the right one; from the first allowed size if the hull is empty. */
static scalay_status append_before(scalay_energy_search *search, int group, scalay_hull_vertex right, scalay_hull *hull)
{
    scalay_status status = SCALAY_SUCCESS;
    int appended = 1;
    if (hull->count == 0) SCALAY_TRY(append_first(search, group, right.index, hull, &appended));
    SCALAY_TRY(appended ? append_up_to(search, group, right, hull) : append(hull, right));
cleanup:
    return status;
}

scalay_status scalay_hull_repair(scalay_energy_search *search, int group, int64_t vertex)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_hull *hull = &search->hull[group];
    scalay_hull *part = &search->spare_hull;
    int64_t first = vertex;
    int64_t end = vertex + 1;
    while (first > 0 && scalay_hull_is_lost(search, &hull->vertex[first - 1])) first--;
    while (end < hull->count && scalay_hull_is_lost(search, &hull->vertex[end])) end++;
    const int has_left = first > 0;
    const int has_right = end < hull->count;
    part->count = 0;
    if (has_left) SCALAY_TRY(append(part, hull->vertex[first - 1]));
    SCALAY_TRY(has_right ? append_before(search, group, hull->vertex[end], part) : append_all(search, group, part));
    if (has_left) hull->vertex[first - 1].lift = part->vertex[0].lift;
    SCALAY_TRY(replace_vertices(hull, first, end, part->vertex + has_left, part->count - has_left - has_right));
cleanup:
    return status;
}

/* ------------------------------------------------------------------------------------------------------ reach */

/* A size costs at least what the edge costs at its index, plus the edge's lift. */
int64_t scalay_hull_reach_on_edge(const scalay_energy_search *search, const scalay_hull_vertex *left_end, double near,
                                  double far, double budget)
{
    const int64_t length = left_end[1].index - left_end[0].index;
    const double left = budget - left_end->lift * (double)search->solution.slope.length * ROUNDING - near;
    if (!(left >= 0.0)) return 0; /* also if the lift is infinite: no size is on the edge */
    if (left >= far - near) return length - 1;
    return scalay_min_int64(length - 1, (int64_t)(left / (far - near) * (double)length / ROUNDING) + 1);
}

/* Hulls are convex: from the first vertex that costs the bound on, all sizes do. */
int64_t scalay_hull_reach(const scalay_energy_search *search, int64_t share, int direction, scalay_wide bound)
{
    const scalay_energy_share *from = &search->solution.share[share];
    const scalay_hull *hull = &search->hull[from->group];
    scalay_wide near = 0;
    for (int64_t k = from->vertex + direction; k >= 0 && k < hull->count; k += direction) {
        const scalay_hull_vertex *vertex = &hull->vertex[k];
        const scalay_wide far = scalay_share_cost(search, from, vertex->index, vertex->energy);
        if (far >= bound) {
            const scalay_hull_vertex *left_end = direction > 0 ? vertex - 1 : vertex;
            return vertex[-direction].index +
                   direction * scalay_hull_reach_on_edge(search, left_end, (double)near, (double)far, (double)bound);
        }
        near = far;
    }
    return direction > 0 ? scalay_energy_last_index(search, from->group) : search->min_index;
}
