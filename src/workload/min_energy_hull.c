#include "core/integer.h"
#include "core/memory.h"
#include "workload/min_energy.h"

/* Adds a vertex on the right; those behind `floor` that are not below the line to it are given up, but for those on it
 * where active processors are counted. */
static scalay_status push(const scalay_energy_search *search, scalay_hull *hull, int64_t floor,
                          scalay_hull_vertex vertex)
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(SCALAY_GROW(hull->vertex, hull->room, hull->count + 1));
    while (hull->count - 1 > floor) {
        hull->vertex[hull->count] = vertex;
        scalay_slope before = scalay_hull_slope(search, &hull->vertex[hull->count - 2]);
        scalay_slope after = scalay_hull_slope(search, &hull->vertex[hull->count - 1]);
        if (scalay_slope_compare(search, &before, &after) < search->counted) break;
        hull->count--;
    }
    if (hull->count > 0) hull->vertex[hull->count - 1].lift = -1.0;
    hull->vertex[hull->count++] = vertex;
cleanup:
    return status;
}

static scalay_hull_vertex vertex_at(const scalay_energy_search *search, const scalay_problem_group *group,
                                    int64_t index)
{
    return (scalay_hull_vertex){index, scalay_energy_at(search, group, index), index == 0 ? 0.0 : group->time[index],
                                -1.0};
}

/* Adds the allowed sizes from `first` to `last`. */
static scalay_status push_range(const scalay_energy_search *search, int group, int64_t first, int64_t last,
                                scalay_hull *hull)
{
    const scalay_problem_group *from = &search->problem->group[group];
    scalay_status status = SCALAY_SUCCESS;
    int64_t floor = hull->count > 0 ? hull->count - 1 : 0;
    for (int64_t x = first; x <= last; x++)
        if (scalay_energy_allowed(search, from, x)) SCALAY_TRY(push(search, hull, floor, vertex_at(search, from, x)));
cleanup:
    return status;
}

static int64_t last_index(const scalay_energy_search *search, int group)
{
    int64_t largest = search->problem->group[group].largest;
    return largest < search->n ? largest : search->n;
}

/* The allowed size between two vertices that is furthest below the line through them; 0: none is below. */
static int64_t furthest_below(const scalay_energy_search *search, int group, const scalay_hull_vertex *ends)
{
    const scalay_problem_group *sizes = &search->problem->group[group];
    scalay_slope chord = scalay_hull_slope(search, ends);
    int64_t found = 0;
    scalay_wide lowest = 0;
    int64_t low = 0;
    if (search->fits) {
        int64_t start = ends->energy * chord.length - ends->index * chord.energy;
        for (int64_t x = ends[0].index + 1; x < ends[1].index; x++) {
            if (!scalay_energy_allowed(search, sizes, x)) continue;
            int64_t above = scalay_energy_at(search, sizes, x) * chord.length - x * chord.energy - start;
            if (above < low) {
                low = above;
                found = x;
            }
        }
        return found;
    }
    for (int64_t x = ends[0].index + 1; x < ends[1].index; x++) {
        if (!scalay_energy_allowed(search, sizes, x)) continue;
        scalay_wide above = scalay_wide_product(scalay_energy_at(search, sizes, x) - ends->energy, chord.length) -
                            scalay_wide_product(chord.energy, x - ends->index);
        if (above < lowest) {
            lowest = above;
            found = x;
        }
    }
    return found;
}

/* For one group the edge around n / copies is enough: from chord to chord. */
static scalay_status build_edge(scalay_energy_search *search, scalay_hull *hull)
{
    scalay_status status = SCALAY_SUCCESS;
    const scalay_problem_group *sizes = &search->problem->group[0];
    int64_t copies = scalay_energy_copies(search, 0);
    int64_t first = search->least;
    int64_t last = last_index(search, 0);
    SCALAY_TRY(SCALAY_GROW(hull->vertex, hull->room, 2));
    while (first > 0 && first <= last && !scalay_energy_allowed(search, sizes, first)) first++;
    while (last > first && !scalay_energy_allowed(search, sizes, last)) last--;
    if (first > last) return SCALAY_SUCCESS;
    hull->vertex[hull->count++] = vertex_at(search, sizes, first);
    if (first == last) return SCALAY_SUCCESS;
    hull->vertex[hull->count++] = vertex_at(search, sizes, last);
    for (;;) {
        int64_t below = furthest_below(search, 0, hull->vertex);
        if (below == 0) break;
        hull->vertex[scalay_wide_product(below, copies) > search->n] = vertex_at(search, sizes, below);
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
    if (search->problem->groups == 1) return build_edge(search, hull);
    if (search->least == 0) SCALAY_TRY(push(search, hull, 0, (scalay_hull_vertex){0, 0, 0.0, -1.0}));
    SCALAY_TRY(push_range(search, group, 1, last_index(search, group), hull));
cleanup:
    return status;
}

/* Copies vertices from `first` to `end` - 1. */
static scalay_status copy_vertices(const scalay_hull *from, int64_t first, int64_t end, scalay_hull *to)
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(SCALAY_GROW(to->vertex, to->room, to->count + end - first));
    for (int64_t i = first; i < end; i++) to->vertex[to->count++] = from->vertex[i];
cleanup:
    return status;
}

scalay_status scalay_hull_renew(scalay_energy_search *search, int group, int64_t vertex)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_hull *old = &search->hull[group];
    scalay_hull *made = &search->spare;
    const int64_t next = vertex + 1;
    made->count = 0;
    SCALAY_TRY(copy_vertices(old, 0, vertex, made));
    const int64_t floor = scalay_max_int64(0, vertex - 1);
    const int64_t first = vertex > 0 ? old->vertex[vertex - 1].index + 1 : 1;
    const int64_t last = next < old->count ? old->vertex[next].index - 1 : last_index(search, group);
    if (vertex > 0) made->vertex[vertex - 1].lift = -1.0;
    SCALAY_TRY(push_range(search, group, first, last, made));
    if (next < old->count) {
        SCALAY_TRY(push(search, made, floor, old->vertex[next]));
        made->count--;
        SCALAY_TRY(copy_vertices(old, next, old->count, made));
    }
    made->at = old->at > vertex ? old->at + made->count - old->count : old->at;
    if (made->at >= made->count) made->at = scalay_max_int64(0, made->count - 1);
    const scalay_hull swap = *old;
    *old = *made;
    *made = swap;
cleanup:
    return status;
}

double scalay_hull_lift(const scalay_energy_search *search, int group, int64_t vertex)
{
    scalay_hull_vertex *from = &search->hull[group].vertex[vertex];
    if (from->lift >= 0.0) return from->lift;
    const scalay_problem_group *sizes = &search->problem->group[group];
    scalay_slope edge = scalay_hull_slope(search, from);
    scalay_wide least = -1;
    for (int64_t x = from[0].index + 1; x < from[1].index; x++) {
        if (!scalay_energy_allowed(search, sizes, x)) continue;
        int64_t energy = scalay_energy_at(search, sizes, x) - from->energy;
        int64_t length = x - from->index;
        scalay_wide above = search->fits ? (scalay_wide)(search->factor * (energy * edge.length - edge.energy * length))
                                         : search->factor * (scalay_wide_product(energy, edge.length) -
                                                             scalay_wide_product(edge.energy, length));
        above += edge.active * (edge.length - length);
        if (least < 0 || above < least) least = above;
    }
    from->lift = least < 0 ? INFINITY : (double)least / (double)edge.length;
    return from->lift;
}
