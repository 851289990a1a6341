#include "partition/partition.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"

scalay_partition_options scalay_partition_options_default(void)
{
    return (scalay_partition_options){.objective = SCALAY_PARTITION_VOLUME, .tile = 1, .seed = 1};
}

const char *scalay_partition_shapes(int k)
{
    if (k <= 0) return k == 0 ? "auto" : NULL;
    for (const scalay_partition_method *method = scalay_partition_method_table; method->name != NULL; method++)
        if (--k == 0) return method->name;
    return NULL;
}

/* --------------------------------------------------------------------------------------------- candidates */

double scalay_candidate_value(const scalay_candidate *candidate, scalay_partition_objective objective)
{
    if (!candidate->feasible) return INFINITY;
    if (objective == SCALAY_PARTITION_VOLUME) return candidate->continuous_cost;
    return objective == SCALAY_PARTITION_TIME ? candidate->time : candidate->energy;
}

static double cost_value(const scalay_multiply_cost *cost, scalay_partition_objective objective)
{
    if (objective == SCALAY_PARTITION_VOLUME) return (double)scalay_multiply_cost_volume(cost);
    return objective == SCALAY_PARTITION_TIME ? scalay_multiply_cost_time(cost) : scalay_multiply_cost_energy(cost);
}

static int is_meant_for(const scalay_partition_method *method, int parts)
{
    return parts >= method->fewest_parts && (method->most_parts == 0 || parts <= method->most_parts);
}

static scalay_status refuse_parts(const scalay_partition_method *method, int parts)
{
    char limits[64] = "";
    scalay_text text = {limits, sizeof limits, 0};
    scalay_text_append(&text, "%s%d", method->most_parts == 0 ? "at least " : "", method->fewest_parts);
    if (method->most_parts > method->fewest_parts) scalay_text_append(&text, " to %d", method->most_parts);
    return scalay_fail(SCALAY_ERROR_INFEASIBLE, "scalay_partition_create",
                       "options->shape = \"%s\" is for %s parts with an area, and there are %d; use \"auto\"",
                       method->name, limits, parts);
}

/* One method's candidate, at the end of the list. */
static scalay_status try_method(const scalay_nonempty_problem *active, const scalay_partition_method *method,
                                scalay_partition *made)
{
    scalay_status status = SCALAY_SUCCESS;
    const scalay_partition_problem *problem = &active->problem;
    scalay_candidate *candidate = &made->candidate[made->candidates++];
    candidate->shape = method->name;
    SCALAY_TRY(method->draw(problem, candidate));
    candidate->time = NAN;
    candidate->energy = NAN;
    if (candidate->feasible)
        SCALAY_TRY(scalay_drawing_link_cost(&candidate->drawing, problem->parts, problem->options->links,
                                            &candidate->time, &candidate->energy));
    else
        candidate->continuous_cost = INFINITY;
    SCALAY_TRY(scalay_candidate_renumber(active, made->parts, candidate));
cleanup:
    return status;
}

static scalay_status try_portfolio(const scalay_nonempty_problem *active, scalay_partition *made)
{
    scalay_status status = SCALAY_SUCCESS;
    for (const scalay_partition_method *method = scalay_partition_method_table; method->name != NULL; method++)
        if (method->in_portfolio && is_meant_for(method, active->problem.parts))
            SCALAY_TRY(try_method(active, method, made));
cleanup:
    return status;
}

static scalay_status try_named(const scalay_nonempty_problem *active, const char *shape, scalay_partition *made)
{
    const scalay_partition_method *method = scalay_partition_method_table;
    while (strcmp(method->name, shape) != 0) method++;
    if (!is_meant_for(method, active->problem.parts)) return refuse_parts(method, active->problem.parts);
    scalay_status status = try_method(active, method, made);
    if (status != SCALAY_SUCCESS || made->candidate[0].feasible) return status;
    const char *reason = made->candidate[0].reason;
    return scalay_fail(SCALAY_ERROR_INFEASIBLE, "scalay_partition_create",
                       "options->shape = \"%s\" does not exist for these areas: %s; use \"auto\"", shape,
                       reason != NULL ? reason : "no reason known");
}

static scalay_status find_candidates(const scalay_nonempty_problem *active, scalay_partition *made)
{
    const char *shape = active->options.shape;
    int64_t methods = 0;
    while (scalay_partition_method_table[methods].name != NULL) methods++;
    scalay_status status = SCALAY_NEW(made->candidate, methods);
    if (status != SCALAY_SUCCESS) return status;
    if (shape == NULL || strcmp(shape, "auto") == 0) return try_portfolio(active, made);
    return try_named(active, shape, made);
}

/* ----------------------------------------------------------------------------------------------- the map */

/* Candidates are compared by their maps; of more parts than this, the best drawing is rounded alone. */
enum { MOST_PARTS_COMPARED = 1024 };

/* Values that differ less than this, relatively, are the same but for rounding. */
static const double same = 1e-12;

/* Rounding of candidates, the best so far in the partition. */
typedef struct {
    const scalay_partition_options *options;
    scalay_rounding_request request;
    scalay_partition *made;
    double value; /* of the map */
} rounder;

static scalay_status round_candidate(rounder *at, int k)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_partition *made = at->made;
    scalay_rounding rounding = {0};
    scalay_multiply_cost *cost = NULL;
    SCALAY_TRY(scalay_rounding_create("scalay_partition_create", &made->candidate[k].drawing, &at->request, &rounding));
    SCALAY_TRY(scalay_multiply_cost_create(NULL, NULL, rounding.map, at->options->links, &cost));
    double value = cost_value(cost, made->objective);
    if (made->chosen < 0 || value < at->value * (1.0 - same)) {
        const scalay_rounding worse = made->rounding;
        scalay_multiply_cost *dearer = made->cost;
        made->rounding = rounding;
        made->cost = cost;
        rounding = worse;
        cost = dearer;
        made->chosen = k;
        at->value = value;
    }
cleanup:
    scalay_rounding_free(&rounding);
    scalay_multiply_cost_destroy(&cost);
    return status;
}

/* The best candidate of those not tried yet, of equal ones the first; -1: none. */
static int next_best(const scalay_partition *made, uint64_t tried)
{
    double least = INFINITY;
    for (int k = 0; k < made->candidates; k++)
        if (!(tried >> k & 1)) least = fmin(least, scalay_candidate_value(&made->candidate[k], made->objective));
    for (int k = 0; k < made->candidates && least < INFINITY; k++) {
        double value = scalay_candidate_value(&made->candidate[k], made->objective);
        if (!(tried >> k & 1) && value <= least * (1.0 + same)) return k;
    }
    return -1;
}

/* A candidate that cannot be rounded within the tolerance makes way for the next. */
static scalay_status choose(rounder *at, int active)
{
    scalay_partition *made = at->made;
    scalay_status refusal = SCALAY_SUCCESS;
    uint64_t tried = 0;
    made->least = next_best(made, tried);
    for (int k = made->least; k >= 0; k = next_best(made, tried)) {
        if (made->chosen >= 0 && active > MOST_PARTS_COMPARED) break;
        tried |= UINT64_C(1) << k;
        scalay_status status = round_candidate(at, k);
        if (status != SCALAY_SUCCESS && status != SCALAY_ERROR_INFEASIBLE) return status;
        if (refusal == SCALAY_SUCCESS) refusal = status;
    }
    return made->chosen >= 0 ? SCALAY_SUCCESS : refusal;
}

static scalay_status make_map(const scalay_partition_options *options, int active, scalay_partition *made)
{
    rounder at = {.options = options,
                  .request = {.m = made->m,
                              .n = made->n,
                              .parts = made->parts,
                              .area = made->area,
                              .tile = options->tile,
                              .exact_counts = options->exact_counts,
                              .tolerance = options->tolerance,
                              .seed = options->seed},
                  .made = made};
    scalay_status status = choose(&at, active);
    for (int k = 0; k < made->candidates; k++) scalay_drawing_free(&made->candidate[k].drawing);
    return status;
}

/* ------------------------------------------------------------------------------------------- the object */

static scalay_status allocate(int64_t m, int64_t n, int parts, const double *area, scalay_partition_objective objective,
                              scalay_partition **made)
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(SCALAY_NEW(*made, 1));
    (*made)->m = m;
    (*made)->n = n;
    (*made)->parts = parts;
    (*made)->objective = objective;
    (*made)->chosen = -1;
    SCALAY_TRY(SCALAY_NEW((*made)->area, parts));
    scalay_partition_scale(m, n, parts, area, (*made)->area);
cleanup:
    return status;
}

scalay_status scalay_partition_create(int64_t m, int64_t n, int parts, const double *area,
                                      const scalay_partition_options *options, scalay_partition **partition)
{
    scalay_status status = SCALAY_SUCCESS;
    const scalay_partition_options used = options != NULL ? *options : scalay_partition_options_default();
    scalay_nonempty_problem active = {0};
    scalay_partition *made = NULL;
    if (partition == NULL) return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "partition is NULL; pass where to put it");
    *partition = NULL;
    SCALAY_TRY(scalay_partition_check(m, n, parts, area, &used));
    SCALAY_TRY(allocate(m, n, parts, area, used.objective, &made));
    SCALAY_TRY(scalay_nonempty_problem_create(made, &used, &active));
    SCALAY_TRY(find_candidates(&active, made));
    SCALAY_TRY(make_map(&used, active.problem.parts, made));
    SCALAY_TRY(scalay_partition_bound(&active.problem, &made->bound));
    *partition = made;
    made = NULL;
cleanup:
    scalay_nonempty_problem_free(&active);
    scalay_partition_destroy(&made);
    return status;
}

void scalay_partition_destroy(scalay_partition **partition)
{
    if (partition == NULL || *partition == NULL) return;
    scalay_partition *old = *partition;
    for (int k = 0; k < old->candidates; k++) scalay_candidate_free(&old->candidate[k]);
    scalay_release(old->candidate);
    scalay_release(old->area);
    scalay_rounding_free(&old->rounding);
    scalay_multiply_cost_destroy(&old->cost);
    scalay_release(old);
    *partition = NULL;
}

scalay_owner_map *scalay_partition_map(const scalay_partition *partition)
{
    return partition != NULL ? partition->rounding.map : NULL;
}

const scalay_multiply_cost *scalay_partition_cost(const scalay_partition *partition)
{
    return partition != NULL ? partition->cost : NULL;
}

double scalay_partition_lower_bound(const scalay_partition *partition)
{
    return partition != NULL ? partition->bound : 0.0;
}

double scalay_partition_load_error(const scalay_partition *partition)
{
    return partition != NULL ? partition->rounding.load_error : 0.0;
}

int scalay_partition_candidates(const scalay_partition *partition)
{
    return partition != NULL ? partition->candidates : 0;
}

int scalay_partition_chosen(const scalay_partition *partition)
{
    return partition != NULL ? partition->chosen : -1;
}

scalay_status scalay_partition_get_candidate(const scalay_partition *partition, int k,
                                             scalay_partition_candidate *candidate)
{
    if (candidate == NULL) return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "candidate is NULL; pass where to put it");
    *candidate = (scalay_partition_candidate){0};
    if (partition == NULL) return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "partition is NULL; create one first");
    if (k < 0 || k >= partition->candidates)
        return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "k = %d; it must be from 0 to %d", k, partition->candidates - 1);
    const scalay_candidate *from = &partition->candidate[k];
    *candidate = (scalay_partition_candidate){.shape = from->shape,
                                              .feasible = from->feasible,
                                              .assignment = from->assignment,
                                              .continuous_cost = from->continuous_cost,
                                              .time = from->time,
                                              .energy = from->energy,
                                              .reason = from->reason != NULL ? from->reason : ""};
    return SCALAY_SUCCESS;
}
