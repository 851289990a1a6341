#include "base/integer.h"
#include "base/memory.h"
#include "workload/min_energy.h"

enum { WALKS = 24 }; /* from one slope to the next, before the search for the critical one starts anew */

/* ------------------------------------------------------------------------------------ finding a slope, roughly */

/* An edge of a hull, with what all its group's processors gain along it. */
typedef struct {
    double slope;
    double weight;
    int group;
    int64_t vertex;
} edge;

static int64_t list_edges(const scalay_energy_search *search, edge *edges)
{
    int64_t count = 0;
    for (int j = 0; j < search->problem->groups; j++) {
        const scalay_hull *hull = &search->hull[j];
        for (int64_t i = 0; i + 1 < hull->count; i++) {
            scalay_slope slope = scalay_hull_slope(search, &hull->vertex[i]);
            double length = (double)slope.length;
            edges[count++] = (edge){((double)slope.energy * (double)search->factor + (double)slope.active) / length,
                                    length * (double)scalay_energy_copies(search, j), j, i};
        }
    }
    return count;
}

static double middle_of_three(double a, double b, double c)
{
    return a < b ? (b < c ? b : a < c ? c : a) : (a < c ? a : b < c ? c : b);
}

static void swap_edges(edge *a, edge *b)
{
    edge kept = *a;
    *a = *b;
    *b = kept;
}

/* The edge at which the weights of those no steeper add up to more than `wanted`, by quickselect; the last when none
 * is. Rounding may be off by neighbours: the walk that follows puts that right. */
static edge select_edge(edge *edges, int64_t count, double wanted)
{
    for (;;) {
        double pivot = middle_of_three(edges[0].slope, edges[count / 2].slope, edges[count - 1].slope);
        int64_t less = 0;
        int64_t more = count;
        double weight_less = 0.0;
        double weight_same = 0.0;
        for (int64_t k = 0; k < more;) {
            if (edges[k].slope < pivot) {
                weight_less += edges[k].weight;
                swap_edges(&edges[k++], &edges[less++]);
            } else if (edges[k].slope > pivot) {
                swap_edges(&edges[k], &edges[--more]);
            } else {
                weight_same += edges[k++].weight;
            }
        }
        if (weight_less > wanted && less > 0) {
            count = less;
        } else if (weight_less + weight_same > wanted || more == count) {
            return edges[less];
        } else {
            wanted -= weight_less + weight_same;
            edges += more;
            count -= more;
        }
    }
}

static void set_slope(scalay_energy_search *search, scalay_slope slope)
{
    if (slope.active == 0) {
        int64_t divisor = scalay_gcd(slope.energy < 0 ? -slope.energy : slope.energy, slope.length);
        slope.energy /= divisor;
        slope.length /= divisor;
    }
    search->slope = slope;
}

static scalay_status start_slope(scalay_energy_search *search)
{
    scalay_status status = SCALAY_SUCCESS;
    edge *edges = NULL;
    int64_t count = 0;
    double wanted = (double)search->n;
    for (int j = 0; j < search->problem->groups; j++) {
        const scalay_hull *hull = &search->hull[j];
        count += hull->count - 1;
        wanted -= (double)hull->vertex[0].index * (double)scalay_energy_copies(search, j);
    }
    SCALAY_TRY(scalay_energy_scratch(search, 0, count, sizeof *edges, &edges));
    count = list_edges(search, edges);
    edge chosen = select_edge(edges, count, wanted);
    set_slope(search, scalay_hull_slope(search, &search->hull[chosen.group].vertex[chosen.vertex]));
cleanup:
    return status;
}

/* ---------------------------------------------------------------------------------------- from slope to slope */

/* Whether the edge from the vertex has the critical slope. */
static int is_critical(const scalay_energy_search *search, const scalay_hull *hull, int64_t vertex)
{
    if (vertex + 1 >= hull->count) return 0;
    scalay_slope slope = scalay_hull_slope(search, &hull->vertex[vertex]);
    return scalay_slope_compare(search, &slope, &search->slope) == 0;
}

int64_t scalay_energy_last_vertex(const scalay_energy_search *search, int group)
{
    const scalay_hull *hull = &search->hull[group];
    int64_t last = hull->at;
    while (is_critical(search, hull, last)) last++;
    return last;
}

/* Walks to the first vertex from which the hull climbs no slower than the critical slope. */
static void place(const scalay_energy_search *search, scalay_hull *hull)
{
    int64_t at = hull->at;
    for (; at + 1 < hull->count; at++) {
        scalay_slope slope = scalay_hull_slope(search, &hull->vertex[at]);
        if (scalay_slope_compare(search, &slope, &search->slope) >= 0) break;
    }
    for (; at > 0; at--) {
        scalay_slope slope = scalay_hull_slope(search, &hull->vertex[at - 1]);
        if (scalay_slope_compare(search, &slope, &search->slope) < 0) break;
    }
    hull->at = at;
}

/* Places all groups; -1: even with all critical edges the sum is below n; 1: even without any it is above; else 0. */
static int place_all(scalay_energy_search *search)
{
    scalay_wide least = 0;
    scalay_wide most = 0;
    for (int j = 0; j < search->problem->groups; j++) {
        scalay_hull *hull = &search->hull[j];
        place(search, hull);
        int64_t copies = scalay_energy_copies(search, j);
        least += scalay_wide_product(copies, hull->vertex[hull->at].index);
        most += scalay_wide_product(copies, hull->vertex[scalay_energy_last_vertex(search, j)].index);
    }
    return most < search->n ? -1 : least > search->n ? 1 : 0;
}

/* The next slope up (direction -1: too little so far) or down. */
static scalay_slope next_slope(const scalay_energy_search *search, int direction)
{
    scalay_slope best = {0, 0, 0};
    for (int j = 0; j < search->problem->groups; j++) {
        const scalay_hull *hull = &search->hull[j];
        int64_t vertex = direction < 0 ? scalay_energy_last_vertex(search, j) : hull->at - 1;
        if (vertex < 0 || vertex + 1 >= hull->count) continue;
        scalay_slope slope = scalay_hull_slope(search, &hull->vertex[vertex]);
        if (best.length == 0 || scalay_slope_compare(search, &slope, &best) * direction > 0) best = slope;
    }
    return best;
}

static scalay_status find_slope(scalay_energy_search *search)
{
    scalay_status status = SCALAY_SUCCESS;
    if (search->slope.length == 0) SCALAY_TRY(start_slope(search));
    for (int walks = 1;; walks++) {
        int direction = place_all(search);
        if (direction == 0) break;
        if (walks == WALKS)
            SCALAY_TRY(start_slope(search));
        else
            set_slope(search, next_slope(search, direction));
    }
cleanup:
    return status;
}

/* ---------------------------------------------------------------------------------------------------- the base */

scalay_status scalay_energy_add_lot(scalay_energy_search *search, int group, int64_t vertex, int64_t copies)
{
    scalay_status status = SCALAY_SUCCESS;
    const scalay_hull_vertex *at = &search->hull[group].vertex[vertex];
    SCALAY_TRY(SCALAY_GROW(search->lot, search->lot_room, search->lots + 1));
    search->lot[search->lots++] = (scalay_energy_lot){group, vertex, copies, at->index, at->energy, at->time};
cleanup:
    return status;
}

scalay_status scalay_energy_take(scalay_energy_search *search, int64_t lot, int64_t index, int64_t copies)
{
    scalay_status status = SCALAY_SUCCESS;
    if (copies == 0 || search->lot[lot].group < 0) return SCALAY_SUCCESS;
    SCALAY_TRY(SCALAY_GROW(search->lot, search->lot_room, search->lots + 1));
    scalay_energy_lot *from = &search->lot[lot];
    const scalay_problem_group *group = &search->problem->group[from->group];
    from->copies -= copies;
    search->lot[search->lots++] = (scalay_energy_lot){
        from->group, -1, copies, index, scalay_energy_at(search, group, index), index == 0 ? 0.0 : group->time[index]};
cleanup:
    return status;
}

/* How many processors of a group go past its critical edge, as many as what is lacking allows. */
static int64_t go_past(scalay_energy_search *search, int group)
{
    const scalay_hull *hull = &search->hull[group];
    if (search->missing <= 0 || hull->count == 0 || !is_critical(search, hull, hull->at)) return 0;
    scalay_slope slope = scalay_hull_slope(search, &hull->vertex[hull->at]);
    int64_t past = scalay_min_int64(scalay_energy_copies(search, group), search->missing / slope.length);
    search->missing -= past * slope.length;
    return past;
}

static scalay_status add_group(scalay_energy_search *search, int group, int64_t past)
{
    scalay_status status = SCALAY_SUCCESS;
    const scalay_hull *hull = &search->hull[group];
    int64_t copies = scalay_energy_copies(search, group);
    if (past < copies && search->missing > 0 && search->open_lot < 0 && is_critical(search, hull, hull->at)) {
        search->open_lot = search->lots;
        search->open_edge = hull->vertex[hull->at + 1].index - hull->vertex[hull->at].index;
    }
    if (past < copies) SCALAY_TRY(scalay_energy_add_lot(search, group, hull->at, copies - past));
    if (past > 0) SCALAY_TRY(scalay_energy_add_lot(search, group, hull->at + 1, past));
cleanup:
    return status;
}

/* -1: the hulls reach less than n; 1: more, even at their first vertices; 0: n is between. */
static int out_of_reach(const scalay_energy_search *search)
{
    scalay_wide least = 0;
    scalay_wide most = 0;
    for (int j = 0; j < search->problem->groups; j++) {
        const scalay_hull *hull = &search->hull[j];
        int64_t copies = scalay_energy_copies(search, j);
        if (hull->count == 0) return copies > 0;
        least += scalay_wide_product(copies, hull->vertex[0].index);
        most += scalay_wide_product(copies, hull->vertex[hull->count - 1].index);
    }
    return most < search->n ? -1 : least > search->n ? 1 : 0;
}

static int64_t count_edges(const scalay_energy_search *search)
{
    int64_t edges = 0;
    for (int j = 0; j < search->problem->groups; j++)
        if (search->hull[j].count > 1) edges += search->hull[j].count - 1;
    return edges;
}

/* Renews the vertices that are lost next to where the groups are, which are likely to be critical. */
static scalay_status renew_near(scalay_energy_search *search)
{
    scalay_status status = SCALAY_SUCCESS;
    for (int j = 0; j < search->problem->groups; j++) {
        const scalay_hull *hull = &search->hull[j];
        for (int64_t i = hull->at; i < hull->count && i <= hull->at + 1;)
            if (scalay_hull_is_lost(search, &hull->vertex[i]))
                SCALAY_TRY(scalay_hull_renew(search, j, i));
            else
                i++;
    }
cleanup:
    return status;
}

/* Renews the critical vertices that are lost; *renewed: there were any. */
static scalay_status renew_critical(scalay_energy_search *search, int *renewed)
{
    scalay_status status = SCALAY_SUCCESS;
    *renewed = 0;
    for (int j = 0; j < search->problem->groups; j++) {
        const scalay_hull *hull = &search->hull[j];
        for (int64_t i = hull->at; i < hull->count; i++) {
            if (scalay_hull_is_lost(search, &hull->vertex[i])) {
                if (i > hull->at && !is_critical(search, hull, i - 1)) break;
                SCALAY_TRY(scalay_hull_renew(search, j, i));
                *renewed = 1;
                break;
            }
            if (!is_critical(search, hull, i)) break;
        }
    }
cleanup:
    return status;
}

scalay_status scalay_energy_place(scalay_energy_search *search, int *feasible)
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(renew_near(search));
    for (int renewed = 1; renewed;) {
        *feasible = out_of_reach(search) == 0;
        if (!*feasible) break;
        if (count_edges(search) > 0) SCALAY_TRY(find_slope(search));
        SCALAY_TRY(renew_critical(search, &renewed));
    }
cleanup:
    return status;
}

/* What all processors at the first of their critical vertices lack. */
static void start_sum(scalay_energy_search *search)
{
    scalay_wide missing = search->n;
    for (int j = 0; j < search->problem->groups; j++) {
        const scalay_hull *hull = &search->hull[j];
        if (hull->count > 0)
            missing -= scalay_wide_product(scalay_energy_copies(search, j), hull->vertex[hull->at].index);
    }
    search->missing = (int64_t)missing;
}

/* Sends processors past the critical edges. */
static scalay_status fill_groups(scalay_energy_search *search)
{
    scalay_status status = SCALAY_SUCCESS;
    int64_t *past = NULL;
    SCALAY_TRY(scalay_energy_scratch(search, 0, search->problem->groups, sizeof *past, &past));
    start_sum(search);
    for (int j = 0; j < search->problem->groups; j++) past[j] = go_past(search, j);
    for (int j = 0; j < search->problem->groups; j++)
        if (search->hull[j].count > 0) SCALAY_TRY(add_group(search, j, past[j]));
cleanup:
    return status;
}

static scalay_status add_fillers(scalay_energy_search *search)
{
    scalay_status status = SCALAY_SUCCESS;
    if (search->fillers == 0) return SCALAY_SUCCESS;
    SCALAY_TRY(SCALAY_GROW(search->lot, search->lot_room, search->lots + 1));
    search->lot[search->lots++] = (scalay_energy_lot){.group = -1, .vertex = -1, .copies = search->fillers};
cleanup:
    return status;
}

scalay_status scalay_energy_base(scalay_energy_search *search, int *feasible)
{
    scalay_status status = SCALAY_SUCCESS;
    search->lots = 0;
    search->base_lots = 0;
    search->rising = 0;
    search->open_lot = -1;
    SCALAY_TRY(scalay_energy_place(search, feasible));
    if (!*feasible) return SCALAY_SUCCESS;
    SCALAY_TRY(search->counted ? scalay_energy_face(search) : fill_groups(search));
    SCALAY_TRY(add_fillers(search));
    search->base_lots = search->lots;
cleanup:
    return status;
}
