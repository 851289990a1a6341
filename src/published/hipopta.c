/* HiPOPTA: least time on a cluster of identical nodes (Khaleghzadeh et al. 2018, supplement, section 5.4).
 *
 * A node has one processor of each group, or more where the counts of the groups share a divisor with less than all:
 * there are as many nodes as the greatest common divisor of the counts. HPOPTA finds the function of a node, size by
 * size, POPTA distributes between the nodes, HPOPTA within each. The printed complexity, O(h^2 + c^3), leaves out that
 * the function of a node of c processors has c m points. */
#include <math.h>

#include "base/integer.h"
#include "base/memory.h"
#include "published/copies.h"

/* A node: the same groups, with fewer processors. */
typedef struct {
    scalay_problem problem;
    int64_t nodes;
    int64_t capacity;
    double *time; /* shape [capacity + 1] */
} cluster;

static scalay_status find_nodes(const scalay_problem *problem, cluster *c)
{
    scalay_status status = SCALAY_SUCCESS;
    c->problem = *problem;
    c->problem.storage = NULL;
    c->problem.group = NULL;
    SCALAY_TRY(SCALAY_NEW(c->problem.group, problem->groups));
    for (int j = 0; j < problem->groups; j++) c->nodes = scalay_gcd(problem->group[j].multiplicity, c->nodes);
    c->problem.processors = problem->processors / c->nodes;
    for (int j = 0; j < problem->groups; j++) {
        scalay_problem_group *group = &c->problem.group[j];
        *group = problem->group[j];
        group->multiplicity /= c->nodes;
        int64_t useful = scalay_min_int64(group->multiplicity, problem->n) * group->largest;
        c->capacity = scalay_min_int64(problem->n, c->capacity + useful);
    }
cleanup:
    return status;
}

static double time_of(const cluster *c, const scalay_distribution *distribution)
{
    double time = 0.0;
    for (int64_t k = 0; k < distribution->shares; k++)
        time = fmax(time, c->problem.group[distribution->share[k].group].time[distribution->share[k].index]);
    return time;
}

static scalay_status solve_node(cluster *c, int64_t n, scalay_distribution *within)
{
    c->problem.n = n;
    return scalay_hpopta(&c->problem, within);
}

/* The function of a node, as a problem of one group. */
static scalay_status measure_node(cluster *c, scalay_distribution *within)
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(scalay_published_check_memory("hipopta", 1, c->capacity + 1, sizeof *c->time));
    SCALAY_TRY(SCALAY_NEW(c->time, c->capacity + 1));
    for (int64_t n = 1; n <= c->capacity; n++) {
        SCALAY_TRY(solve_node(c, n, within));
        c->time[n] = within->feasible ? time_of(c, within) : INFINITY;
    }
cleanup:
    return status;
}

/* Each node's share, distributed within the node. */
static scalay_status distribute_within(cluster *c, const scalay_distribution *between, scalay_distribution *within,
                                       scalay_distribution *distribution)
{
    scalay_status status = SCALAY_SUCCESS;
    for (int64_t k = 0; k < between->shares; k++) {
        SCALAY_TRY(solve_node(c, between->share[k].index, within));
        for (int64_t e = 0; e < within->shares; e++)
            SCALAY_TRY(scalay_distribution_add(distribution, within->share[e].group, within->share[e].index,
                                               within->share[e].count * between->share[k].count));
    }
    distribution->feasible = between->feasible;
cleanup:
    return status;
}

scalay_status scalay_hipopta(const scalay_problem *problem, scalay_distribution *distribution)
{
    scalay_status status = SCALAY_SUCCESS;
    cluster c = {0};
    scalay_distribution between = {0};
    scalay_distribution within = {0};
    if (scalay_published_is_trivial(problem, distribution)) return SCALAY_SUCCESS;
    SCALAY_TRY(find_nodes(problem, &c));
    SCALAY_TRY(measure_node(&c, &within));
    scalay_problem_group node = {.multiplicity = c.nodes, .largest = c.capacity, .time = c.time};
    const scalay_problem between_nodes = {.n = problem->n,
                                          .unit = problem->unit,
                                          .divisible = problem->divisible,
                                          .groups = 1,
                                          .processors = c.nodes,
                                          .group = &node};
    SCALAY_TRY(scalay_popta(&between_nodes, &between));
    SCALAY_TRY(distribute_within(&c, &between, &within, distribution));
cleanup:
    scalay_distribution_free(&between);
    scalay_distribution_free(&within);
    scalay_release(c.problem.group);
    scalay_release(c.time);
    return status;
}
