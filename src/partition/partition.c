/*
 * Partitions: the best candidate of a portfolio of shapes and methods, rounded to an owner map.
 *
 * Each method draws a candidate for the real-valued areas. Up to MAX_PARTS_COMPARED parts, all candidates are rounded,
 * and the map with the least objective is chosen; for more parts, the best drawing is rounded.
 */
#include "partition/partition.h"

#include <math.h>
#include <string.h>

#include "base/integer.h"
#include "base/memory.h"
#include "base/option_struct.h"
#include "base/text.h"
#include "partition/links.h"
#include "partition/multiply_cost.h"

static const char create[] = "scalay_partition_create";

/* -------------------------------------------------------------------------------------------------------- arguments */

static scalay_partition_options default_options(void)
{
    return (scalay_partition_options){
        .size = sizeof(scalay_partition_options), .objective = SCALAY_PARTITION_VOLUME, .tile = 1, .seed = 1};
}

void scalay_partition_options_init(scalay_partition_options *options, size_t size)
{
    const scalay_partition_options defaults = default_options();
    scalay_option_struct_fill(&defaults, sizeof defaults, options, size);
}

const char *scalay_partition_shapes(int k)
{
    if (k <= 0) return k == 0 ? "auto" : NULL;
    for (const scalay_partition_method *method = scalay_partition_method_table; method->name != NULL; method++)
        if (--k == 0) return method->name;
    return NULL;
}

static scalay_status check_areas(int64_t m, int64_t n, int parts, const double *area)
{
    int64_t elements, positive = 0;
    if (!scalay_multiply_int64(m, n, &elements))
        return scalay_fail(SCALAY_ERROR_RANGE, create, "m is %lld and n is %lld; m * n must be at most 2^63 - 1",
                           (long long)m, (long long)n);
    for (int k = 0; k < parts; k++) {
        if (!isfinite(area[k]) || area[k] < 0.0)
            return scalay_fail(SCALAY_ERROR_ARGUMENT, create, "area[%d] is %g; it must be finite and at least 0", k,
                               area[k]);
        positive += area[k] > 0.0;
    }
    if (positive == 0)
        return scalay_fail(SCALAY_ERROR_ARGUMENT, create, "all %d areas are 0; at least one must be positive", parts);
    if (positive > elements)
        return scalay_fail(SCALAY_ERROR_ARGUMENT, create,
                           "%lld areas are positive; there must be at most as many as elements, %lld",
                           (long long)positive, (long long)elements);
    return SCALAY_SUCCESS;
}

static scalay_status check_not_negative(double value, const char *name)
{
    if (isfinite(value) && value >= 0.0) return SCALAY_SUCCESS;
    return scalay_fail(SCALAY_ERROR_ARGUMENT, create, "%s is %g; it must be finite and at least 0", name, value);
}

static scalay_status check_shape(const char *shape)
{
    char shown[40];
    if (shape == NULL) return SCALAY_SUCCESS;
    for (int k = 0; scalay_partition_shapes(k) != NULL; k++)
        if (strcmp(shape, scalay_partition_shapes(k)) == 0) return SCALAY_SUCCESS;
    return scalay_fail(SCALAY_ERROR_ARGUMENT, create,
                       "options->shape is \"%s\"; it must be a name that scalay_partition_shapes() returns",
                       scalay_printable(shape, (int64_t)strlen(shape), shown, sizeof shown));
}

static scalay_status check_objective(const scalay_partition_options *options)
{
    static const scalay_links no_links = {0};
    const scalay_links *links = options->links->processors > 0 ? options->links : &no_links;
    const scalay_status status = scalay_check_range((int64_t)options->objective, SCALAY_PARTITION_VOLUME,
                                                    SCALAY_PARTITION_ENERGY, create, "options->objective");
    if (status != SCALAY_SUCCESS) return status;
    if (options->objective == SCALAY_PARTITION_TIME)
        return scalay_check_not_null(links->seconds_per_element, create, "options->links->seconds_per_element");
    if (options->objective == SCALAY_PARTITION_ENERGY)
        return scalay_check_not_null(links->joules_per_element, create, "options->links->joules_per_element");
    return SCALAY_SUCCESS;
}

static scalay_status check_arguments(int64_t m, int64_t n, int parts, const double *area,
                                     const scalay_partition_options *options)
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(scalay_check_at_least(m, 1, create, "m"));
    SCALAY_TRY(scalay_check_at_least(n, 1, create, "n"));
    SCALAY_TRY(scalay_check_at_least(parts, 1, create, "parts"));
    SCALAY_TRY(scalay_check_not_null(area, create, "area"));
    SCALAY_TRY(check_areas(m, n, parts, area));
    SCALAY_TRY(scalay_check_at_least(options->tile, 1, create, "options->tile"));
    SCALAY_TRY(check_not_negative(options->tolerance, "options->tolerance"));
    SCALAY_TRY(check_not_negative(options->budget, "options->budget"));
    SCALAY_TRY(scalay_check_range(options->exact_counts, 0, 1, create, "options->exact_counts"));
    SCALAY_TRY(check_shape(options->shape));
    SCALAY_TRY(check_objective(options));
cleanup:
    return status;
}

/* Scales proportions so that their sum is m n. Areas whose sum is m n are not changed. */
static void scale_areas(int64_t m, int64_t n, int parts, const double *area, double *scaled)
{
    const double elements = (double)m * (double)n;
    double largest = 0.0;
    double total = 0.0;
    int exponent;
    for (int k = 0; k < parts; k++) largest = fmax(largest, area[k]);
    (void)frexp(largest, &exponent);
    for (int k = 0; k < parts; k++) scaled[k] = ldexp(area[k], -exponent); /* the sum cannot overflow */
    for (int k = 0; k < parts; k++) total += scaled[k];
    int as_given = ldexp(total, exponent) == elements;
    for (int k = 0; k < parts; k++) scaled[k] = as_given ? area[k] : scaled[k] / total * elements;
}

/* ----------------------------------------------------------------------------------------------- parts with an area */

/* A problem without the parts of area 0. Their processors stay among the links, because they may relay elements. */
typedef struct {
    scalay_partition_problem problem;
    scalay_partition_options options; /* of the problem */
    scalay_links links;               /* of the options, renumbered */
    int *original;                    /* shape [processors of the links, at least parts]: positive areas first */
    double *area;
    double *matrix[3];
} nonempty_problem;

static int processors_of(const scalay_partition *partition, const scalay_partition_options *options)
{
    const int linked = options->links->processors;
    return linked > partition->parts ? linked : partition->parts;
}

/* Lists the parts with positive areas first. Returns their number. */
static int number_parts(const scalay_partition *partition, int processors, int *original)
{
    int count = 0;
    for (int k = 0; k < partition->parts; k++)
        if (partition->area[k] > 0.0) original[count++] = k;
    const int positive = count;
    for (int k = 0; k < partition->parts; k++)
        if (!(partition->area[k] > 0.0)) original[count++] = k;
    for (int k = partition->parts; k < processors; k++) original[count++] = k;
    return positive;
}

static scalay_status renumber_matrix(const int *original, int processors, const double **matrix, double **copy)
{
    scalay_status status = SCALAY_SUCCESS;
    if (*matrix == NULL) return SCALAY_SUCCESS;
    SCALAY_TRY(SCALAY_NEW(*copy, (int64_t)processors * processors));
    for (int i = 0; i < processors; i++)
        for (int j = 0; j < processors; j++)
            (*copy)[(int64_t)i * processors + j] = (*matrix)[(int64_t)original[i] * processors + original[j]];
    *matrix = *copy;
cleanup:
    return status;
}

static scalay_status renumber_links(nonempty_problem *nonempty)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_links *links = &nonempty->links;
    SCALAY_TRY(
        renumber_matrix(nonempty->original, links->processors, &links->seconds_per_element, &nonempty->matrix[0]));
    SCALAY_TRY(
        renumber_matrix(nonempty->original, links->processors, &links->seconds_per_message, &nonempty->matrix[1]));
    SCALAY_TRY(
        renumber_matrix(nonempty->original, links->processors, &links->joules_per_element, &nonempty->matrix[2]));
cleanup:
    return status;
}

static scalay_status nonempty_problem_create(const scalay_partition *partition, const scalay_partition_options *options,
                                             nonempty_problem *nonempty)
{
    scalay_status status = SCALAY_SUCCESS;
    const int processors = processors_of(partition, options);
    *nonempty = (nonempty_problem){.options = *options};
    SCALAY_TRY(SCALAY_NEW(nonempty->original, processors));
    const int count = number_parts(partition, processors, nonempty->original);
    SCALAY_TRY(SCALAY_NEW(nonempty->area, count));
    for (int k = 0; k < count; k++) nonempty->area[k] = partition->area[nonempty->original[k]];
    if (options->links->processors > 0) {
        nonempty->links = *options->links;
        nonempty->options.links = &nonempty->links;
        if (count < partition->parts) SCALAY_TRY(renumber_links(nonempty));
    }
    nonempty->problem = (scalay_partition_problem){.m = (double)partition->m,
                                                   .n = (double)partition->n,
                                                   .parts = count,
                                                   .area = nonempty->area,
                                                   .options = &nonempty->options};
cleanup:
    return status;
}

static void nonempty_problem_free(nonempty_problem *nonempty)
{
    scalay_release(nonempty->original);
    scalay_release(nonempty->area);
    for (int k = 0; k < 3; k++) scalay_release(nonempty->matrix[k]);
    *nonempty = (nonempty_problem){0};
}

/* Replaces the part numbers of a nonempty problem by those of all parts. */
static scalay_status renumber_candidate(const nonempty_problem *nonempty, int parts, scalay_candidate *candidate)
{
    scalay_status status = SCALAY_SUCCESS;
    int *assignment = NULL;
    for (int64_t k = 0; k < candidate->drawing.count; k++)
        candidate->drawing.paint[k].part = nonempty->original[candidate->drawing.paint[k].part];
    if (candidate->assignment == NULL || nonempty->problem.parts == parts) return SCALAY_SUCCESS;
    SCALAY_TRY(SCALAY_NEW(assignment, parts));
    for (int k = 0; k < parts; k++)
        assignment[k] = nonempty->original[k < nonempty->problem.parts ? candidate->assignment[k] : k];
    scalay_release(candidate->assignment);
    candidate->assignment = assignment;
cleanup:
    return status;
}

/* ------------------------------------------------------------------------------------------------------- candidates */

double scalay_candidate_value(const scalay_candidate *candidate, scalay_partition_objective objective)
{
    if (!candidate->feasible) return INFINITY;
    if (objective == SCALAY_PARTITION_VOLUME) return candidate->continuous_cost;
    return objective == SCALAY_PARTITION_TIME ? candidate->time : candidate->energy;
}

static double cost_value(const scalay_multiply_cost *cost, scalay_partition_objective objective)
{
    scalay_multiply_cost_summary summary;
    (void)scalay_multiply_cost_get_summary(cost, &summary);
    if (objective == SCALAY_PARTITION_VOLUME) return (double)summary.volume;
    return objective == SCALAY_PARTITION_TIME ? summary.time : summary.energy;
}

static int is_meant_for(const scalay_partition_method *method, int parts)
{
    return parts >= method->min_parts && (method->max_parts == 0 || parts <= method->max_parts);
}

static scalay_status refuse_parts(const scalay_partition_method *method, int parts)
{
    char limits[64] = "";
    scalay_text text = {limits, sizeof limits, 0};
    scalay_text_append(&text, "%s%d", method->max_parts == 0 ? "at least " : "", method->min_parts);
    if (method->max_parts > method->min_parts) scalay_text_append(&text, " to %d", method->max_parts);
    return scalay_fail(SCALAY_ERROR_INFEASIBLE, create,
                       "options->shape is \"%s\", which is for %s parts with an area; there are %d. Use \"auto\"",
                       method->name, limits, parts);
}

/* Appends the candidate of a method. */
static scalay_status try_method(const nonempty_problem *nonempty, const scalay_partition_method *method,
                                scalay_partition *new_partition)
{
    scalay_status status = SCALAY_SUCCESS;
    const scalay_partition_problem *problem = &nonempty->problem;
    scalay_candidate *candidate = &new_partition->candidate[new_partition->candidates++];
    candidate->shape = method->name;
    SCALAY_TRY(method->draw(problem, method->variant, candidate));
    candidate->time = NAN;
    candidate->energy = NAN;
    if (candidate->feasible)
        SCALAY_TRY(scalay_drawing_link_cost(&candidate->drawing, problem->parts, problem->options->links,
                                            &candidate->time, &candidate->energy));
    else
        candidate->continuous_cost = INFINITY;
    SCALAY_TRY(renumber_candidate(nonempty, new_partition->parts, candidate));
cleanup:
    return status;
}

static scalay_status try_portfolio(const nonempty_problem *nonempty, scalay_partition *new_partition)
{
    scalay_status status = SCALAY_SUCCESS;
    for (const scalay_partition_method *method = scalay_partition_method_table; method->name != NULL; method++)
        if (is_meant_for(method, nonempty->problem.parts)) SCALAY_TRY(try_method(nonempty, method, new_partition));
cleanup:
    return status;
}

static scalay_status try_named(const nonempty_problem *nonempty, const char *shape, scalay_partition *new_partition)
{
    const scalay_partition_method *method = scalay_partition_method_table;
    while (strcmp(method->name, shape) != 0) method++;
    if (!is_meant_for(method, nonempty->problem.parts)) return refuse_parts(method, nonempty->problem.parts);
    scalay_status status = try_method(nonempty, method, new_partition);
    if (status != SCALAY_SUCCESS || new_partition->candidate[0].feasible) return status;
    const char *reason = new_partition->candidate[0].reason;
    return scalay_fail(SCALAY_ERROR_INFEASIBLE, create,
                       "options->shape is \"%s\", which does not exist for these areas: %s. Use \"auto\"", shape,
                       reason != NULL ? reason : "no reason known");
}

static scalay_status find_candidates(const nonempty_problem *nonempty, scalay_partition *new_partition)
{
    const char *shape = nonempty->options.shape;
    int64_t methods = 0;
    while (scalay_partition_method_table[methods].name != NULL) methods++;
    scalay_status status = SCALAY_NEW(new_partition->candidate, methods);
    if (status != SCALAY_SUCCESS) return status;
    if (shape == NULL || strcmp(shape, "auto") == 0) return try_portfolio(nonempty, new_partition);
    return try_named(nonempty, shape, new_partition);
}

/* -------------------------------------------------------------------------------------------------------------- map */

/* For more parts, only the best drawing is rounded; otherwise the maps of all candidates are compared. */
enum { MAX_PARTS_COMPARED = 1024 };

/* Values with a smaller relative difference are treated as equal. */
static const double same = 1e-12;

/* The rounding of candidates. The partition has the best one so far. */
typedef struct {
    const scalay_partition_options *options;
    scalay_rounding_request request;
    scalay_partition *new_partition;
    double value; /* of the map */
} rounder;

static scalay_status round_candidate(rounder *at, int k)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_partition *new_partition = at->new_partition;
    scalay_rounding rounding = {0};
    scalay_multiply_cost *cost = NULL;
    SCALAY_TRY(scalay_rounding_create(create, &new_partition->candidate[k].drawing, &at->request, &rounding));
    SCALAY_TRY(scalay_multiply_cost_create(NULL, NULL, rounding.map, at->options->links, &cost));
    double value = cost_value(cost, new_partition->objective);
    if (new_partition->chosen < 0 || value < at->value * (1.0 - same)) {
        const scalay_rounding worse = new_partition->rounding;
        scalay_multiply_cost *dearer = new_partition->cost;
        new_partition->rounding = rounding;
        new_partition->cost = cost;
        rounding = worse;
        cost = dearer;
        new_partition->chosen = k;
        at->value = value;
    }
cleanup:
    scalay_rounding_free(&rounding);
    scalay_multiply_cost_destroy(&cost);
    return status;
}

/* Returns the best candidate that has not been tried; of equal ones the first; -1: none. */
static int next_best(const scalay_partition *new_partition, uint64_t tried)
{
    double least = INFINITY;
    for (int k = 0; k < new_partition->candidates; k++)
        if (!(tried >> k & 1))
            least = fmin(least, scalay_candidate_value(&new_partition->candidate[k], new_partition->objective));
    for (int k = 0; k < new_partition->candidates && least < INFINITY; k++) {
        double value = scalay_candidate_value(&new_partition->candidate[k], new_partition->objective);
        if (!(tried >> k & 1) && value <= least * (1.0 + same)) return k;
    }
    return -1;
}

/* Candidates that cannot be rounded within the tolerance are skipped. */
static scalay_status choose(rounder *at, int parts)
{
    scalay_partition *new_partition = at->new_partition;
    scalay_status refusal = SCALAY_SUCCESS;
    uint64_t tried = 0;
    new_partition->best_drawing = next_best(new_partition, tried);
    for (int k = new_partition->best_drawing; k >= 0; k = next_best(new_partition, tried)) {
        if (new_partition->chosen >= 0 && parts > MAX_PARTS_COMPARED) break;
        tried |= UINT64_C(1) << k;
        scalay_status status = round_candidate(at, k);
        if (status != SCALAY_SUCCESS && status != SCALAY_ERROR_INFEASIBLE) return status;
        if (refusal == SCALAY_SUCCESS) refusal = status;
    }
    return new_partition->chosen >= 0 ? SCALAY_SUCCESS : refusal;
}

static scalay_status make_map(const scalay_partition_options *options, int parts, scalay_partition *new_partition)
{
    rounder at = {.options = options,
                  .request = {.m = new_partition->m,
                              .n = new_partition->n,
                              .parts = new_partition->parts,
                              .area = new_partition->area,
                              .tile = options->tile,
                              .exact_counts = options->exact_counts,
                              .tolerance = options->tolerance,
                              .seed = options->seed,
                              .objective = options->objective,
                              .links = options->links},
                  .new_partition = new_partition};
    scalay_status status = choose(&at, parts);
    for (int k = 0; k < new_partition->candidates; k++) scalay_drawing_free(&new_partition->candidate[k].drawing);
    return status;
}

/* ----------------------------------------------------------------------------------------------------------- object */

static scalay_status allocate(int64_t m, int64_t n, int parts, const double *area, scalay_partition_objective objective,
                              scalay_partition **new_partition)
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(SCALAY_NEW(*new_partition, 1));
    (*new_partition)->m = m;
    (*new_partition)->n = n;
    (*new_partition)->parts = parts;
    (*new_partition)->objective = objective;
    (*new_partition)->chosen = -1;
    SCALAY_TRY(SCALAY_NEW((*new_partition)->area, parts));
    scale_areas(m, n, parts, area, (*new_partition)->area);
cleanup:
    return status;
}

scalay_status scalay_partition_create(int64_t m, int64_t n, int parts, const double *area,
                                      const scalay_partition_options *options, scalay_partition **partition)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_partition_options used = default_options();
    scalay_links links;
    nonempty_problem nonempty = {0};
    scalay_partition *new_partition = NULL;
    SCALAY_TRY(scalay_check_not_null(partition, __func__, "partition"));
    *partition = NULL;
    SCALAY_TRY(scalay_option_struct_read(options, &used, sizeof used, __func__));
    SCALAY_TRY(scalay_links_read(__func__, used.links, parts, &links));
    used.links = &links;
    SCALAY_TRY(check_arguments(m, n, parts, area, &used));
    SCALAY_TRY(allocate(m, n, parts, area, used.objective, &new_partition));
    SCALAY_TRY(nonempty_problem_create(new_partition, &used, &nonempty));
    SCALAY_TRY(find_candidates(&nonempty, new_partition));
    SCALAY_TRY(make_map(&used, nonempty.problem.parts, new_partition));
    SCALAY_TRY(scalay_partition_bound(&nonempty.problem, &new_partition->bound));
    *partition = new_partition;
    new_partition = NULL;
cleanup:
    nonempty_problem_free(&nonempty);
    scalay_partition_destroy(&new_partition);
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

const scalay_owner_map *scalay_partition_map(const scalay_partition *partition)
{
    return partition != NULL ? partition->rounding.map : NULL;
}

const scalay_multiply_cost *scalay_partition_cost(const scalay_partition *partition)
{
    return partition != NULL ? partition->cost : NULL;
}

scalay_status scalay_partition_get_summary(const scalay_partition *partition, scalay_partition_summary *summary)
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(scalay_check_not_null(summary, __func__, "summary"));
    *summary = (scalay_partition_summary){.chosen = -1, .time = NAN, .energy = NAN};
    SCALAY_TRY(scalay_check_not_null(partition, __func__, "partition"));
    summary->candidates = partition->candidates;
    summary->chosen = partition->chosen;
    summary->volume = partition->cost->volume;
    summary->time = partition->cost->time;
    summary->energy = partition->cost->energy;
    summary->lower_bound = partition->bound;
    summary->load_error = partition->rounding.load_error;
cleanup:
    return status;
}

scalay_status scalay_partition_get_candidate(const scalay_partition *partition, int k,
                                             scalay_partition_candidate *candidate)
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(scalay_check_not_null(candidate, __func__, "candidate"));
    *candidate = (scalay_partition_candidate){0};
    SCALAY_TRY(scalay_check_not_null(partition, __func__, "partition"));
    SCALAY_TRY(scalay_check_range(k, 0, partition->candidates - 1, __func__, "k"));
    const scalay_candidate *from = &partition->candidate[k];
    *candidate = (scalay_partition_candidate){.shape = from->shape,
                                              .feasible = from->feasible,
                                              .assignment = from->assignment,
                                              .continuous_cost = from->continuous_cost,
                                              .time = from->time,
                                              .energy = from->energy,
                                              .reason = from->reason != NULL ? from->reason : ""};
cleanup:
    return status;
}

/* ------------------------------------------------------------------------------------------------------ description */

static double value_of(const scalay_partition *partition, int k)
{
    return scalay_candidate_value(&partition->candidate[k], partition->objective);
}

static void describe_choice(const scalay_partition *partition, scalay_text *text)
{
    static const char *const units[] = {[SCALAY_PARTITION_VOLUME] = "elements sent",
                                        [SCALAY_PARTITION_TIME] = "seconds",
                                        [SCALAY_PARTITION_ENERGY] = "joules"};
    const char *unit = units[partition->objective];
    scalay_text_append(text, "%s: %.6g %s for the areas before rounding", partition->candidate[partition->chosen].shape,
                       value_of(partition, partition->chosen), unit);
    if (partition->candidates == 1)
        scalay_text_append(text, ", the requested shape.\n");
    else if (partition->chosen == partition->best_drawing)
        scalay_text_append(text, ", the least of %d candidates.\n", partition->candidates);
    else
        scalay_text_append(text, "; %s has %.6g, but a worse map after rounding.\n",
                           partition->candidate[partition->best_drawing].shape,
                           value_of(partition, partition->best_drawing));
    if (partition->objective != SCALAY_PARTITION_VOLUME && partition->parts > 3)
        scalay_text_append(text, "The assignment of parts to regions is a heuristic, without a proof of optimality.\n");
}

static void describe_bound(const scalay_partition *partition, scalay_text *text)
{
    const double cost = partition->candidate[partition->chosen].continuous_cost;
    scalay_text_append(text, "The map sends %lld elements. ", (long long)partition->cost->volume);
    if (partition->bound > 0.0)
        scalay_text_append(text,
                           "The lower bound for these areas is %.6g; before rounding, the shape has %.4g times that. ",
                           partition->bound, cost / partition->bound);
    scalay_text_append(text, "The largest load error is %.3g%%.\n", 100.0 * partition->rounding.load_error);
}

static void describe_others(const scalay_partition *partition, scalay_text *text)
{
    for (int k = 0; k < partition->candidates; k++) {
        const scalay_candidate *candidate = &partition->candidate[k];
        if (k == partition->chosen) continue;
        if (candidate->feasible)
            scalay_text_append(text, "  %s: %.6g\n", candidate->shape, value_of(partition, k));
        else
            scalay_text_append(text, "  %s: infeasible, %s\n", candidate->shape,
                               candidate->reason != NULL ? candidate->reason : "for these areas");
    }
}

/* Lists the parts that are empty for one reason. */
static void describe_empty(const scalay_partition *partition, scalay_empty_reason reason, const char *why,
                           scalay_text *text)
{
    enum { MAX_LISTED = 20 };
    int count = 0;
    for (int k = 0; k < partition->rounding.empty_parts; k++) {
        const scalay_empty_part *empty = &partition->rounding.empty[k];
        if (empty->reason != reason) continue;
        if (count < MAX_LISTED) scalay_text_append(text, "%s%d", count == 0 ? "Empty parts: " : ", ", empty->part);
        count++;
    }
    if (count > MAX_LISTED) scalay_text_append(text, ", ... (%d in all)", count);
    if (count > 0) scalay_text_append(text, ": %s.\n", why);
}

int scalay_partition_describe(const scalay_partition *partition, char *text, size_t size)
{
    scalay_text out = {text, text != NULL ? size : 0, 0};
    if (out.size > 0) text[0] = '\0';
    if (partition == NULL) return 0;
    describe_choice(partition, &out);
    describe_bound(partition, &out);
    describe_others(partition, &out);
    describe_empty(partition, SCALAY_EMPTY_NO_AREA, "their area is 0", &out);
    describe_empty(partition, SCALAY_EMPTY_TOO_FEW_TILES, "the matrix has too few tiles for all parts", &out);
    return (int)out.length;
}
