/* Least time with a cost per link: cost[k][j] = sum over i of q[i][j] * link(i, k) is what it costs to bring part j to
 * process k, whatever the other parts do: an assignment of least cost. It is solved as one of largest weight, where
 * the weight of (k, j) is what is saved compared with the process that is worst for part j.
 *
 * Costs are rounded to multiples of a power of two that is 2^-59 or less of the sum of the worst costs: exact when they
 * are integers. */
#include <math.h>

#include "base/integer.h"
#include "base/memory.h"
#include "mapping/links.h"
#include "mapping/time_problem.h"
#include "mapping/traffic.h"

enum {
    COST_BITS = 60,
    LARGEST_EXPONENT = 1074 /* 2^-1074 is the smallest double: every cost is a multiple of it */
};

typedef struct {
    const scalay_mapping_problem *problem;
    int parts;
    double *cost;   /* shape [processes][parts]; rows of processes that may take no part are not filled in */
    double *worst;  /* shape [parts]: the largest cost of each part */
    int64_t *units; /* shape [parts]: the same in units of 2^-exponent */
    int exponent;
} timing;

scalay_status scalay_time_check_link(double link, int from, int to)
{
    if (isfinite(link) && link >= 0.0) return SCALAY_SUCCESS;
    return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "link_cost(%d, %d) = %g; it must be finite and at least 0", from, to,
                       link);
}

/* What each part costs on process k. */
static scalay_status add_costs(timing *times, int k)
{
    scalay_status status = SCALAY_SUCCESS;
    const scalay_mapping_problem *problem = times->problem;
    const scalay_traffic *traffic = problem->traffic;
    double *cost = times->cost + (int64_t)k * times->parts;
    for (int i = 0; i < traffic->processes; i++) {
        double link = problem->link_cost(i, k, problem->link_context);
        SCALAY_TRY(scalay_time_check_link(link, i, k));
        for (int64_t e = traffic->start[i]; link > 0.0 && e < traffic->start[i + 1]; e++)
            cost[traffic->part[e]] += (double)traffic->count[e] * link;
    }
    for (int j = 0; j < times->parts; j++)
        if (cost[j] > times->worst[j]) times->worst[j] = cost[j];
cleanup:
    return status;
}

scalay_status scalay_time_exponent(double sum, int *exponent)
{
    int of_sum = 0;
    if (!isfinite(sum))
        return SCALAY_FAIL(SCALAY_ERROR_RANGE, "the times sum up to more than a double can hold; use a larger unit");
    if (sum > 0.0) (void)frexp(sum, &of_sum);
    *exponent = COST_BITS - of_sum < LARGEST_EXPONENT ? COST_BITS - of_sum : LARGEST_EXPONENT;
    return SCALAY_SUCCESS;
}

int64_t scalay_time_in_units(double time, int exponent)
{
    return llround(ldexp(time, exponent));
}

static scalay_status choose_unit(timing *times)
{
    scalay_status status = SCALAY_SUCCESS;
    double sum = 0.0;
    for (int j = 0; j < times->parts; j++) sum += times->worst[j];
    SCALAY_TRY(scalay_time_exponent(sum, &times->exponent));
    for (int j = 0; j < times->parts; j++) times->units[j] = scalay_time_in_units(times->worst[j], times->exponent);
cleanup:
    return status;
}

/* An edge for every pair that saves something. */
static scalay_status find_savings(const timing *times, scalay_edges *edges)
{
    scalay_status status = SCALAY_SUCCESS;
    const int processes = times->problem->processes;
    const int64_t pairs = (int64_t)processes * times->parts;
    int64_t filled = 0;
    *edges = (scalay_edges){.rows = processes, .cols = times->parts};
    SCALAY_TRY(SCALAY_NEW(edges->start, (int64_t)processes + 1));
    SCALAY_TRY(SCALAY_NEW(edges->col, pairs));
    SCALAY_TRY(SCALAY_NEW(edges->weight, pairs));
    for (int k = 0; k < processes; k++) {
        const double *cost = times->cost + (int64_t)k * times->parts;
        for (int j = 0; j < times->parts && scalay_problem_may_take(times->problem, k); j++) {
            const int64_t saved = times->units[j] - scalay_time_in_units(cost[j], times->exponent);
            if (saved == 0) continue;
            edges->col[filled] = j;
            edges->weight[filled++] = saved;
        }
        edges->start[k + 1] = filled;
    }
cleanup:
    return status;
}

static scalay_status find_costs(timing *times)
{
    scalay_status status = SCALAY_SUCCESS;
    const int processes = times->problem->processes;
    SCALAY_TRY(SCALAY_NEW(times->cost, (int64_t)processes * times->parts));
    SCALAY_TRY(SCALAY_NEW(times->worst, times->parts));
    SCALAY_TRY(SCALAY_NEW(times->units, times->parts));
    for (int k = 0; k < processes; k++)
        if (scalay_problem_may_take(times->problem, k)) SCALAY_TRY(add_costs(times, k));
    SCALAY_TRY(choose_unit(times));
cleanup:
    return status;
}

void scalay_time_settle(const int64_t *worst, int exponent, scalay_assignment *assignment, double time,
                        scalay_mapping *mapping)
{
    const double unit = ldexp(1.0, -exponent);
    scalay_wide bound = 0;
    for (int j = 0; j < mapping->parts; j++) {
        assignment->col_dual[j] = worst[j] - assignment->col_dual[j];
        bound += assignment->col_dual[j];
    }
    for (int k = 0; k < mapping->processes; k++) bound -= assignment->row_dual[k];
    mapping->time = mapping->time_bound = time;
    if (assignment->unfinished) {
        mapping->time_bound = fmax(0.0, fmin((double)bound * unit, time));
        mapping->proof = SCALAY_PROOF_HEURISTIC;
    }
    mapping->certificate.unit = unit;
    scalay_problem_take_duals(assignment, mapping->processes, mapping);
}

static double time_of(const timing *times, const scalay_mapping *mapping)
{
    double time = 0.0;
    for (int j = 0; j < times->parts; j++) time += times->cost[(int64_t)mapping->process[j] * times->parts + j];
    return time;
}

scalay_status scalay_problem_solve_time(const scalay_mapping_problem *problem, scalay_mapping *mapping)
{
    scalay_status status = SCALAY_SUCCESS;
    timing times = {.problem = problem, .parts = problem->traffic->parts};
    scalay_edges edges = {0};
    scalay_assignment assignment = {0};
    if (problem->link_cost == scalay_node_link_cost) return scalay_problem_solve_nodes(problem, mapping);
    SCALAY_TRY(find_costs(&times));
    SCALAY_TRY(find_savings(&times, &edges));
    SCALAY_TRY(scalay_assignment_allocate(edges.rows, edges.cols, &assignment));
    assignment.deadline = problem->deadline;
    SCALAY_TRY(scalay_assignment_solve(&edges, NULL, NULL, &assignment));
    if (assignment.unfinished) (void)scalay_assignment_bound(&edges, &assignment);
    SCALAY_TRY(scalay_problem_place(problem, assignment.matching.of_col, mapping));
    scalay_time_settle(times.units, times.exponent, &assignment, time_of(&times, mapping), mapping);
cleanup:
    scalay_release(times.cost);
    scalay_release(times.worst);
    scalay_release(times.units);
    scalay_edges_free(&edges);
    scalay_assignment_free(&assignment);
    return status;
}
