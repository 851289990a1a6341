/*
 * scalay workload: distributes n units over the processors of a profile. This file reads the options and calls the
 * solvers. workload_report.c prints the result.
 */

#include "workload.h"

#include <stdio.h>
#include <string.h>

typedef scalay_workload_cli_options workload_options;

static const scalay_option option_table[] = {
    SCALAY_GROUP_ROW("Problem"),
    SCALAY_ROW(workload_options, profile, SCALAY_OPTION_INPUT, "profile", "FILE.csv",
               "measured profile with the header processor,size,time[,energy][,count]", NULL),
    SCALAY_ROW(workload_options, size, SCALAY_OPTION_SIZE, "size", "N", "number of units to distribute, at least 0",
               NULL),
    SCALAY_ROW(workload_options, comm, SCALAY_OPTION_INPUT, "comm", "FILE.csv|hockney:..",
               "add the cost of communication of q processors: a file with the header processors,cost, or "
               "hockney:alpha=A,beta=B,block=K for SUMMA",
               NULL),
    SCALAY_CHOICE_ROW(workload_options, comm_variant, "comm-variant", "NAME", "exact|atmost",
                      "processors that --comm counts: those with units, or any larger number that includes them",
                      "exact"),
    SCALAY_GROUP_ROW("Objective"),
    SCALAY_CHOICE_ROW(workload_options, objective, "objective", "NAME", "time|energy|front|total-front",
                      "objective to minimise", "time"),
    SCALAY_ROW(workload_options, base_power, SCALAY_OPTION_NUMBER, "base-power", "W",
               "power in watts that is drawn in any case, for total-front", NULL),
    SCALAY_FRONT_POINT_ROWS(workload_options, point),
    SCALAY_GROUP_ROW("Method"),
    SCALAY_ROW(workload_options, method, SCALAY_OPTION_TEXT, "method", "NAME",
               "auto, or a published method (see above)", "auto"),
    SCALAY_ROW(workload_options, published, SCALAY_OPTION_FLAG, "published", "",
               "with eopta, hepopta and htpopta: the algorithm of the paper, with its limits", NULL),
    SCALAY_GROUP_ROW("Output"),
    SCALAY_PLOT_ROW(workload_options, "draw the profile, the distribution and the front"),
    SCALAY_JSON_ROW(workload_options),
    SCALAY_QUIET_ROW(workload_options),
    SCALAY_LAST_ROW,
};

/* ------------------------------------------------------------------------------------------------- options */

static scalay_cli_objective find_objective(const char *name)
{
    static const char *const names[] = {[SCALAY_CLI_TIME] = "time",
                                        [SCALAY_CLI_ENERGY] = "energy",
                                        [SCALAY_CLI_FRONT] = "front",
                                        [SCALAY_CLI_TOTAL_FRONT] = "total-front"};
    int objective = 0;
    while (strcmp(names[objective], name) != 0) objective++;
    return (scalay_cli_objective)objective;
}

/* Returns a method's objective; -1 for an unknown name. */
static int objective_of(const char *method)
{
    scalay_published_objective objective = SCALAY_OBJECTIVE_TIME;
    const char *name = NULL;
    for (int k = 0; (name = scalay_published_methods(k, &objective)) != NULL; k++)
        if (strcmp(name, method) == 0) return (int)objective;
    return -1;
}

static scalay_status fail_unknown_method(const char *method)
{
    const char *names[32] = {"auto"};
    int count = 1;
    for (; count < 32 && scalay_published_methods(count - 1, NULL) != NULL; count++)
        names[count] = scalay_published_methods(count - 1, NULL);
    const int near = scalay_nearest_name(method, names, count);
    return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT,
                       "--method is '%s', which is not known;%s%s%s scalay workload --help lists the methods", method,
                       near >= 0 ? " did you mean " : "", near >= 0 ? names[near] : "", near >= 0 ? "?" : "");
}

static scalay_status check_method(const workload_options *options, scalay_cli_objective objective)
{
    static const scalay_published_objective wanted[] = {[SCALAY_CLI_TIME] = SCALAY_OBJECTIVE_TIME,
                                                        [SCALAY_CLI_ENERGY] = SCALAY_OBJECTIVE_ENERGY,
                                                        [SCALAY_CLI_FRONT] = SCALAY_OBJECTIVE_FRONT,
                                                        [SCALAY_CLI_TOTAL_FRONT] = SCALAY_OBJECTIVE_TOTAL_FRONT};
    const int found = objective_of(options->method);
    if (strcmp(options->method, "auto") == 0) return SCALAY_SUCCESS;
    if (strcmp(options->method, "paraleph") == 0)
        return SCALAY_FAIL(
            SCALAY_ERROR_ARGUMENT,
            "--method paraleph needs MPI processes: call scalay_published_paraleph() from an MPI program, or use "
            "--method auto, which finds the same result");
    if (found < 0) return fail_unknown_method(options->method);
    if (found != (int)wanted[objective])
        return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT,
                           "--method %s is not for --objective %s; scalay workload --help lists "
                           "the methods of each objective",
                           options->method, options->objective);
    if (options->comm != NULL)
        return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "--comm goes with --method auto, not with %s", options->method);
    return SCALAY_SUCCESS;
}

static scalay_status check_published(const workload_options *options)
{
    static const char *const methods[] = {"eopta", "hepopta", "htpopta"};
    for (size_t k = 0; options->published && k < sizeof methods / sizeof *methods; k++)
        if (strcmp(options->method, methods[k]) == 0) return SCALAY_SUCCESS;
    if (!options->published) return SCALAY_SUCCESS;
    return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "--published goes with --method eopta, hepopta or htpopta, not with %s",
                       options->method);
}

static scalay_status check_front_options(const workload_options *options, scalay_cli_objective objective)
{
    const int selections = scalay_front_point_count(&options->point);
    const int is_front = objective == SCALAY_CLI_FRONT || objective == SCALAY_CLI_TOTAL_FRONT;
    if (selections > 1)
        return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT,
                           "--within-time, --within-energy and --knee select one point each; give one of them");
    if (selections > 0 && !is_front)
        return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "--%s selects a point of a front; add --objective front",
                           scalay_front_point_option(&options->point));
    if (objective == SCALAY_CLI_TOTAL_FRONT && !options->base_power.given)
        return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "--objective total-front needs --base-power W");
    if (objective != SCALAY_CLI_TOTAL_FRONT && options->base_power.given)
        return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "--base-power goes with --objective total-front, not with %s",
                           options->objective);
    if (is_front && options->comm != NULL)
        return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "--comm goes with --objective time or energy, not with %s",
                           options->objective);
    return SCALAY_SUCCESS;
}

static scalay_status check_options(const workload_options *options, scalay_cli_objective objective)
{
    scalay_status status = SCALAY_SUCCESS;
    if (options->profile == NULL || !options->size.given)
        return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "%s is missing; give --profile FILE.csv and --size N",
                           options->profile == NULL ? "--profile" : "--size");
    SCALAY_TRY(check_method(options, objective));
    SCALAY_TRY(check_published(options));
    SCALAY_TRY(check_front_options(options, objective));
    if (options->comm == NULL && options->comm_variant != NULL)
        return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "--comm-variant goes with --comm; add --comm");
    SCALAY_TRY(scalay_check_picture(options->common.plot));
cleanup:
    return status;
}

static scalay_status read_inputs(const workload_options *options, scalay_workload_result *result)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_progress_say("reading %s", options->profile);
    SCALAY_TRY(scalay_as_input(scalay_profile_read(options->profile, &result->profile)));
    if (result->objective != SCALAY_CLI_TIME && !scalay_profile_has_energy(result->profile))
        return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT,
                           "--objective %s needs energies; %s must have a column 'energy', in joules",
                           options->objective, options->profile);
    if (options->comm != NULL) SCALAY_TRY(scalay_input_communication("--comm", options->comm, &result->communication));
cleanup:
    return status;
}

/* ------------------------------------------------------------------------------------------------- solvers */

static int is_auto(const scalay_workload_result *result)
{
    return strcmp(result->options->method, "auto") == 0;
}

/* Distributes with a published method. */
static scalay_status distribute_as_published(scalay_workload_result *result)
{
    const workload_options *given = result->options;
    const int convex = given->published && strcmp(given->method, "eopta") == 0;
    return scalay_published_distribute(result->profile, result->n, convex ? "eopta-convex" : given->method,
                                       &result->workload);
}

/* Distributes with the exact solvers. */
static scalay_status distribute_exactly(scalay_workload_result *result)
{
    scalay_workload_options options = scalay_workload_options_default();
    const char *variant = result->options->comm_variant;
    options.communication = result->communication;
    if (variant != NULL && strcmp(variant, "atmost") == 0) options.variant = SCALAY_COMMUNICATION_AT_MOST;
    return (result->objective == SCALAY_CLI_TIME ? scalay_workload_min_time : scalay_workload_min_energy)(
        result->profile, result->n, &options, &result->workload);
}

static scalay_status solve_single(scalay_workload_result *result)
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(is_auto(result) ? distribute_exactly(result) : distribute_as_published(result));
    result->feasible = scalay_workload_feasible(result->workload);
    SCALAY_TRY(scalay_workload_nearest(result->workload, &result->below, &result->above));
cleanup:
    return status;
}

/* Load balancing combines sets of n bits with each size of each processor. This many bits take about a second. */
static const double MAX_BALANCE_BITS = 0x1p36;

static int can_balance_quickly(const scalay_workload_result *result)
{
    double sizes = 0.0;
    for (int group = 0; group < scalay_profile_groups(result->profile); group++) {
        int64_t points = 0;
        if (scalay_profile_points(result->profile, group, &points, NULL, NULL, NULL) != SCALAY_SUCCESS) return 0;
        sizes += (double)points * (double)scalay_profile_multiplicity(result->profile, group);
    }
    return sizes * (double)result->n <= MAX_BALANCE_BITS;
}

/* Computes the load-balanced distribution, for comparison. The heuristic may find none. */
static scalay_status balance(scalay_workload_result *result)
{
    if (!can_balance_quickly(result)) return SCALAY_SUCCESS;
    scalay_progress_say("balancing the load for comparison");
    scalay_status status = scalay_published_distribute(result->profile, result->n, "fpm", &result->balanced);
    if (status == SCALAY_ERROR_MEMORY) return status;
    if (!scalay_workload_feasible(result->balanced)) scalay_workload_destroy(&result->balanced);
    return SCALAY_SUCCESS;
}

static scalay_status create_front(scalay_workload_result *result)
{
    const double power = result->options->base_power.value;
    if (!is_auto(result))
        return scalay_published_front(result->profile, result->n, power, result->options->method, &result->front);
    if (result->objective == SCALAY_CLI_FRONT)
        return scalay_workload_front_create(result->profile, result->n, NULL, &result->front);
    return scalay_workload_front_create_total(result->profile, result->n, power, NULL, &result->front);
}

static scalay_status solve_front(scalay_workload_result *result)
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(create_front(result));
    result->feasible = scalay_workload_front_count(result->front) > 0;
    SCALAY_TRY(scalay_workload_front_nearest(result->front, &result->below, &result->above));
    if (!result->feasible) goto cleanup;
    result->selected = scalay_front_point_select(&result->options->point, result->front);
    if (result->selected >= 0)
        SCALAY_TRY(scalay_workload_front_get_workload(result->front, result->selected, &result->workload));
    if (!result->options->common.json || result->options->common.plot != NULL) SCALAY_TRY(balance(result));
cleanup:
    return status;
}

static scalay_status solve(scalay_workload_result *result)
{
    scalay_progress_say("distributing %lld units over %lld processors (%s, %s)", (long long)result->n,
                        (long long)scalay_profile_processors(result->profile), result->options->objective,
                        result->options->method);
    int front = result->objective == SCALAY_CLI_FRONT || result->objective == SCALAY_CLI_TOTAL_FRONT;
    return front ? solve_front(result) : solve_single(result);
}

/* -------------------------------------------------------------------------------------------------- output */

double scalay_workload_total_energy(const scalay_workload_result *result, const scalay_workload_summary *summary)
{
    return summary->energy + result->options->base_power.value * summary->time;
}

static scalay_status fail_infeasible(const scalay_workload_result *result)
{
    char nearest[128];
    if (result->below == result->n)
        return SCALAY_FAIL(
            SCALAY_ERROR_INFEASIBLE,
            "%lld units cannot be distributed over any number of processors in --comm; add costs for more numbers",
            (long long)result->n);
    if (result->above >= 0)
        (void)snprintf(nearest, sizeof nearest, "nearest feasible totals are %lld and %lld", (long long)result->below,
                       (long long)result->above);
    else
        (void)snprintf(nearest, sizeof nearest, "largest feasible total is %lld", (long long)result->below);
    return SCALAY_FAIL(SCALAY_ERROR_INFEASIBLE, "%lld units cannot be distributed in the sizes of %.200s; the %s",
                       (long long)result->n, result->options->profile, nearest);
}

static scalay_status print_result(const scalay_workload_result *result)
{
    scalay_status status = SCALAY_SUCCESS;
    const workload_options *options = result->options;
    if (options->common.plot != NULL && result->feasible)
        SCALAY_TRY(scalay_workload_draw(options->common.plot, result));
    if (options->common.json)
        SCALAY_TRY(scalay_workload_print_json(result));
    else if (result->feasible && !options->common.quiet)
        SCALAY_TRY(scalay_workload_print_text(result));
    if (!result->feasible) status = fail_infeasible(result);
cleanup:
    return status;
}

static void release(scalay_workload_result *result)
{
    scalay_workload_destroy(&result->balanced);
    scalay_workload_destroy(&result->workload);
    scalay_workload_front_destroy(&result->front);
    scalay_communication_destroy(&result->communication);
    scalay_profile_destroy(&result->profile);
}

static scalay_status run_workload(const void *given, scalay_comm *comm)
{
    (void)comm;
    scalay_status status = SCALAY_SUCCESS;
    workload_options options = *(const workload_options *)given;
    if (options.objective == NULL) options.objective = "time";
    if (options.method == NULL) options.method = "auto";
    scalay_workload_result result = {
        .options = &options, .objective = find_objective(options.objective), .n = options.size.value, .selected = -1};
    SCALAY_TRY(check_options(&options, result.objective));
    SCALAY_TRY(read_inputs(&options, &result));
    SCALAY_TRY(solve(&result));
    SCALAY_TRY(print_result(&result));
cleanup:
    release(&result);
    return status;
}

const scalay_subcommand scalay_subcommand_workload = {
    .name = "workload",
    .summary = "distribute work units over processors",
    .usage = {"--profile FILE.csv --size N [OPTIONS]"},
    .description =
        "Distributes N units over processors with measured time and dynamic energy functions of any shape. The result "
        "is "
        "optimal. Each processor gets a size from its profile, or no units.\n"
        "\n"
        "Objectives: time, the maximum over the processors; energy, the sum of the dynamic energies; front, all "
        "Pareto-optimal distributions; total-front, likewise with base power times time added to the energy.\n"
        "\n"
        "Published methods: popta, hpopta, hipopta, even, cpm, fpm (time); eopta (energy); hepopta, aleph (front); "
        "htpopta "
        "(total-front).\n",
    .example = "  scalay workload --profile examples/data/node.csv --size 64\n"
               "  scalay workload --profile examples/data/node.csv --size 64 \\\n"
               "                  --objective front --knee --plot front.svg\n",
    .table = option_table,
    .options_size = sizeof(workload_options),
    .run = run_workload,
};
