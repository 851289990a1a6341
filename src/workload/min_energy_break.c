/*
 * Lagrange multiplier and break solution (Pisinger 1995; for multiple-choice knapsacks Sinha and Zoltners 1979).
 *
 * The multiplier is the slope of the edge at which the hulls together reach n. A weighted selection (quickselect on
 * doubles) finds it approximately, steps from slope to slope in exact arithmetic correct it. In a sequence of
 * questions, the steps start from the last multiplier.
 *
 * Cost: O(edges) for the selection, then O(groups) per step.
 */
#include "base/integer.h"
#include "base/memory.h"
#include "workload/min_energy.h"

enum { MAX_STEPS = 24 /* from slope to slope, before another selection */ };

/* int64_t holds the difference of a weight and a product with the multiplier below these. */
static const double MAX_WEIGHT = 0x1p61;
static const double MAX_PRODUCT = 0x1p62;

/* ------------------------------------------------------------------------------------------------- selection */

/* An edge of a hull, with the total length along which the processors of its group can move. */
typedef struct {
    double slope;
    double length;
    int group;
    int64_t vertex;
} edge;

static int64_t list_edges(const scalay_energy_search *search, edge *edges)
{
    int64_t count = 0;
    for (int j = 0; j < search->problem->groups; j++) {
        const scalay_hull *hull = &search->hull[j];
        for (int64_t i = 0; i + 1 < hull->count; i++) {
            const scalay_slope slope = scalay_hull_slope(search, &hull->vertex[i]);
            const double length = (double)slope.length;
            edges[count++] =
                (edge){(double)slope.rise / length, length * (double)scalay_energy_multiplicity(search, j), j, i};
        }
    }
    return count;
}

static double median_of_three(double a, double b, double c)
{
    return a < b ? (b < c ? b : a < c ? c : a) : (a < c ? a : b < c ? c : b);
}

static void swap_edges(edge *a, edge *b)
{
    const edge swapped = *a;
    *a = *b;
    *b = swapped;
}

/* The edge at which the lengths of all edges up to its slope exceed `length`; the last edge if none does. Rounding may
 * select a neighbour, which the steps correct. */
static edge select_edge(edge *edges, int64_t count, double length)
{
    for (;;) {
        const double pivot = median_of_three(edges[0].slope, edges[count / 2].slope, edges[count - 1].slope);
        int64_t less = 0;
        int64_t greater = count;
        double length_less = 0.0;
        double length_equal = 0.0;
        for (int64_t k = 0; k < greater;) {
            if (edges[k].slope < pivot) {
                length_less += edges[k].length;
                swap_edges(&edges[k++], &edges[less++]);
            } else if (edges[k].slope > pivot) {
                swap_edges(&edges[k], &edges[--greater]);
            } else {
                length_equal += edges[k++].length;
            }
        }
        if (length_less > length && less > 0) {
            count = less;
        } else if (length_less + length_equal > length || greater == count) {
            return edges[less];
        } else {
            length -= length_less + length_equal;
            edges += greater;
            count -= greater;
        }
    }
}

static void set_slope(scalay_energy_search *search, scalay_slope slope)
{
    const int64_t rest = (int64_t)(slope.rise % slope.length);
    const int64_t divisor = scalay_gcd(rest < 0 ? -rest : rest, slope.length);
    search->solution.slope = (scalay_slope){slope.rise / divisor, slope.length / divisor};
}

static scalay_status select_slope(scalay_energy_search *search)
{
    scalay_status status = SCALAY_SUCCESS;
    edge *edges = NULL;
    int64_t count = 0;
    double length = (double)search->n;
    for (int j = 0; j < search->problem->groups; j++) {
        const scalay_hull *hull = &search->hull[j];
        count += hull->count - 1;
        length -= (double)hull->vertex[0].index * (double)scalay_energy_multiplicity(search, j);
    }
    SCALAY_TRY(scalay_energy_scratch(search, 0, count, sizeof *edges, &edges));
    count = list_edges(search, edges);
    const edge selected = select_edge(edges, count, length);
    set_slope(search, scalay_hull_slope(search, &search->hull[selected.group].vertex[selected.vertex]));
cleanup:
    return status;
}

/* ------------------------------------------------------------------------------------------- steps of slopes */

/* 1 if the edge from the vertex to the next has the multiplier's slope. */
static int is_critical(const scalay_energy_search *search, const scalay_hull *hull, int64_t vertex)
{
    if (vertex + 1 >= hull->count) return 0;
    const scalay_slope slope = scalay_hull_slope(search, &hull->vertex[vertex]);
    return scalay_slope_compare(search, &slope, &search->solution.slope) == 0;
}

int64_t scalay_energy_last_vertex(const scalay_energy_search *search, int group)
{
    const scalay_hull *hull = &search->hull[group];
    int64_t last = hull->at;
    while (is_critical(search, hull, last)) last++;
    return last;
}

/* Negative if the edge from the vertex has less than the multiplier's slope. */
static int compare_edge(const scalay_energy_search *search, const scalay_hull *hull, int64_t vertex)
{
    const scalay_slope slope = scalay_hull_slope(search, &hull->vertex[vertex]);
    return scalay_slope_compare(search, &slope, &search->solution.slope);
}

/* Moves hull->at to the first vertex whose edge has at least the multiplier's slope. */
static void place_hull(const scalay_energy_search *search, scalay_hull *hull)
{
    int64_t at = hull->at;
    while (at + 1 < hull->count && compare_edge(search, hull, at) < 0) at++;
    while (at > 0 && compare_edge(search, hull, at - 1) >= 0) at--;
    hull->at = at;
}

/* Places all hulls; -1: their largest sum is below n; 1: their least sum is above n; 0: n is between. */
static int place_hulls(scalay_energy_search *search)
{
    scalay_wide least = 0;
    scalay_wide largest = 0;
    for (int j = 0; j < search->problem->groups; j++) {
        scalay_hull *hull = &search->hull[j];
        const int64_t multiplicity = scalay_energy_multiplicity(search, j);
        place_hull(search, hull);
        least += scalay_wide_product(multiplicity, hull->vertex[hull->at].index);
        largest += scalay_wide_product(multiplicity, hull->vertex[scalay_energy_last_vertex(search, j)].index);
    }
    return largest < search->n ? -1 : least > search->n ? 1 : 0;
}

/* The next greater slope of an edge (direction -1: the sum is too small), or the next smaller one. */
static scalay_slope next_slope(const scalay_energy_search *search, int direction)
{
    scalay_slope next = {0, 0};
    for (int j = 0; j < search->problem->groups; j++) {
        const scalay_hull *hull = &search->hull[j];
        const int64_t vertex = direction < 0 ? scalay_energy_last_vertex(search, j) : hull->at - 1;
        if (vertex < 0 || vertex + 1 >= hull->count) continue;
        const scalay_slope slope = scalay_hull_slope(search, &hull->vertex[vertex]);
        if (next.length == 0 || scalay_slope_compare(search, &slope, &next) * direction > 0) next = slope;
    }
    return next;
}

static scalay_status find_slope(scalay_energy_search *search)
{
    scalay_status status = SCALAY_SUCCESS;
    if (search->solution.slope.length == 0) SCALAY_TRY(select_slope(search));
    for (int steps = 1;; steps++) {
        const int direction = place_hulls(search);
        if (direction == 0) break;
        if (steps == MAX_STEPS)
            SCALAY_TRY(select_slope(search));
        else
            set_slope(search, next_slope(search, direction));
    }
cleanup:
    return status;
}

/* ---------------------------------------------------------------------------------------------- lost vertices */

/* 1 if n is between the sums of the first and of the last vertices. */
static int is_in_reach(const scalay_energy_search *search)
{
    scalay_wide least = 0;
    scalay_wide largest = 0;
    for (int j = 0; j < search->problem->groups; j++) {
        const scalay_hull *hull = &search->hull[j];
        const int64_t multiplicity = scalay_energy_multiplicity(search, j);
        if (hull->count == 0 && multiplicity > 0) return 0;
        if (hull->count == 0) continue;
        least += scalay_wide_product(multiplicity, hull->vertex[0].index);
        largest += scalay_wide_product(multiplicity, hull->vertex[hull->count - 1].index);
    }
    return least <= search->n && search->n <= largest;
}

static int has_edges(const scalay_energy_search *search)
{
    for (int j = 0; j < search->problem->groups; j++)
        if (search->hull[j].count > 1) return 1;
    return 0;
}

/* Repairs lost vertices at the positions of the last break solution, which are likely to be used again. */
static scalay_status repair_positions(scalay_energy_search *search)
{
    scalay_status status = SCALAY_SUCCESS;
    for (int j = 0; j < search->problem->groups; j++) {
        const scalay_hull *hull = &search->hull[j];
        for (int64_t i = hull->at; i < hull->count && i <= hull->at + 1;)
            if (scalay_hull_is_lost(search, &hull->vertex[i]))
                SCALAY_TRY(scalay_hull_repair(search, j, i));
            else
                i++;
    }
cleanup:
    return status;
}

/* The first lost vertex among those that the multiplier touches; -1: none. */
static int64_t first_lost(const scalay_energy_search *search, const scalay_hull *hull)
{
    for (int64_t i = hull->at; i < hull->count; i++) {
        if (scalay_hull_is_lost(search, &hull->vertex[i])) return i;
        if (!is_critical(search, hull, i)) break;
    }
    return -1;
}

/* Repairs the lost vertices that the multiplier touches; *repaired: there were some. */
static scalay_status repair_critical(scalay_energy_search *search, int *repaired)
{
    scalay_status status = SCALAY_SUCCESS;
    *repaired = 0;
    for (int j = 0; j < search->problem->groups; j++) {
        const int64_t lost = first_lost(search, &search->hull[j]);
        if (lost < 0) continue;
        SCALAY_TRY(scalay_hull_repair(search, j, lost));
        *repaired = 1;
    }
cleanup:
    return status;
}

/* Sets N div D and N mod D. */
static void set_multiplier(scalay_break_solution *solution)
{
    const scalay_slope *slope = &solution->slope;
    if (slope->length == 0) return;
    solution->multiplier = slope->rise / slope->length;
    solution->remainder = (int64_t)(slope->rise % slope->length);
    if (solution->remainder >= 0) return;
    solution->multiplier--;
    solution->remainder += slope->length;
}

scalay_status scalay_energy_find_multiplier(scalay_energy_search *search, int *feasible)
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(repair_positions(search));
    for (int repaired = 1; repaired;) {
        *feasible = is_in_reach(search);
        if (!*feasible) break;
        if (has_edges(search)) SCALAY_TRY(find_slope(search));
        SCALAY_TRY(repair_critical(search, &repaired));
    }
    set_multiplier(&search->solution);
cleanup:
    return status;
}

/* --------------------------------------------------------------------------------------------- break solution */

scalay_status scalay_energy_add_share(scalay_energy_search *search, int group, int64_t vertex, int64_t count)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_break_solution *solution = &search->solution;
    const scalay_hull_vertex *at = &search->hull[group].vertex[vertex];
    SCALAY_TRY(SCALAY_GROW(solution->share, solution->capacity, solution->shares + 1));
    solution->share[solution->shares++] = (scalay_energy_share){group, vertex, count, at->index, at->energy, at->time};
cleanup:
    return status;
}

scalay_status scalay_energy_take(scalay_energy_search *search, int64_t share, int64_t index, int64_t count)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_break_solution *solution = &search->solution;
    if (count == 0 || solution->share[share].group < 0) return SCALAY_SUCCESS;
    SCALAY_TRY(SCALAY_GROW(solution->share, solution->capacity, solution->shares + 1));
    scalay_energy_share *from = &solution->share[share];
    const scalay_problem_group *group = &search->problem->group[from->group];
    from->count -= count;
    solution->share[solution->shares++] = (scalay_energy_share){
        from->group, -1, count, index, scalay_energy_at(search, group, index), index == 0 ? 0.0 : group->time[index]};
cleanup:
    return status;
}

/* Number of processors of a group at the right end of its critical edge: as many as the deficit allows. */
static int64_t fill_edge(scalay_energy_search *search, int group)
{
    const scalay_hull *hull = &search->hull[group];
    if (search->solution.deficit <= 0 || hull->count == 0 || !is_critical(search, hull, hull->at)) return 0;
    const int64_t length = scalay_hull_slope(search, &hull->vertex[hull->at]).length;
    const int64_t filled =
        scalay_min_int64(scalay_energy_multiplicity(search, group), search->solution.deficit / length);
    search->solution.deficit -= filled * length;
    return filled;
}

/* Appends the shares of a group with some processors at the right end of its critical edge. */
static scalay_status add_group(scalay_energy_search *search, int group, int64_t filled)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_break_solution *solution = &search->solution;
    const scalay_hull *hull = &search->hull[group];
    const int64_t left = scalay_energy_multiplicity(search, group) - filled;
    if (left > 0 && solution->deficit > 0 && solution->fractional_share < 0 && is_critical(search, hull, hull->at)) {
        solution->fractional_share = solution->shares;
        solution->fractional_edge_length = hull->vertex[hull->at + 1].index - hull->vertex[hull->at].index;
    }
    if (left > 0) SCALAY_TRY(scalay_energy_add_share(search, group, hull->at, left));
    if (filled > 0) SCALAY_TRY(scalay_energy_add_share(search, group, hull->at + 1, filled));
cleanup:
    return status;
}

/* The deficit of all processors at the first vertex that the multiplier touches. */
static int64_t start_deficit(const scalay_energy_search *search)
{
    scalay_wide deficit = search->n;
    for (int j = 0; j < search->problem->groups; j++) {
        const scalay_hull *hull = &search->hull[j];
        if (hull->count > 0)
            deficit -= scalay_wide_product(scalay_energy_multiplicity(search, j), hull->vertex[hull->at].index);
    }
    return (int64_t)deficit;
}

static scalay_status break_groups(scalay_energy_search *search)
{
    scalay_status status = SCALAY_SUCCESS;
    int64_t *filled = NULL;
    SCALAY_TRY(scalay_energy_scratch(search, 0, search->problem->groups, sizeof *filled, &filled));
    search->solution.deficit = start_deficit(search);
    for (int j = 0; j < search->problem->groups; j++) filled[j] = fill_edge(search, j);
    for (int j = 0; j < search->problem->groups; j++)
        if (search->hull[j].count > 0) SCALAY_TRY(add_group(search, j, filled[j]));
cleanup:
    return status;
}

static scalay_status add_slack(scalay_energy_search *search)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_break_solution *solution = &search->solution;
    if (search->target.slack_processors == 0) return SCALAY_SUCCESS;
    SCALAY_TRY(SCALAY_GROW(solution->share, solution->capacity, solution->shares + 1));
    solution->share[solution->shares++] =
        (scalay_energy_share){.group = -1, .vertex = -1, .count = search->target.slack_processors};
cleanup:
    return status;
}

/* 1 if int64_t holds the weights of all sizes, and multiplier * length for all lengths. */
static int weights_fit(const scalay_energy_search *search)
{
    const double multiplier = fabs((double)search->solution.multiplier);
    return search->max_weight < MAX_WEIGHT && multiplier * (double)search->span < MAX_PRODUCT;
}

scalay_status scalay_energy_break(scalay_energy_search *search, int *feasible)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_break_solution *solution = &search->solution;
    solution->shares = 0;
    solution->break_shares = 0;
    solution->active_deficit = 0;
    solution->fractional_share = -1;
    SCALAY_TRY(scalay_energy_find_multiplier(search, feasible));
    if (!*feasible) return SCALAY_SUCCESS;
    search->fits = weights_fit(search);
    SCALAY_TRY(search->target.is_given ? scalay_energy_break_active(search) : break_groups(search));
    SCALAY_TRY(add_slack(search));
    solution->break_shares = solution->shares;
cleanup:
    return status;
}
