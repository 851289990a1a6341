/* scalay workload: how much each processor should get. */

#include "workload.h"

#include <stdio.h>
#include <string.h>

#include "failure.h"
#include "front_point.h"
#include "inputs.h"
#include "io/plot.h"
#include "progress.h"

static const scalay_option workload_options[] = {
    SCALAY_OPTION_ROW("profile", SCALAY_OPTION_TEXT, profile, "FILE.csv",
                      "what was measured: a header `processor,size,time` or `processor,size,time,energy` and "
                      "optionally `count`, then a line for each size; a size that is not listed cannot be assigned"),
    SCALAY_OPTION_ROW("size", SCALAY_OPTION_SIZE, size, "N", "how many units are to be distributed; may be 0"),
    SCALAY_OPTION_ROW("objective", SCALAY_OPTION_CHOICE, objective, "time|energy|front|total-front",
                      "what to make small: the longest time, the dynamic energy, both (all Pareto-optimal "
                      "distributions), or time and total energy (default: time)"),
    SCALAY_OPTION_ROW("base-power", SCALAY_OPTION_NUMBER, base_power, "W",
                      "for --objective total-front: watts that are drawn whether anything runs or not"),
    SCALAY_OPTION_ROW("method", SCALAY_OPTION_TEXT, method, "NAME",
                      "auto (ours, exact; the default), or a published one: popta, hpopta, hipopta, even, cpm, fpm "
                      "(time), eopta (energy), hepopta, aleph (front), htpopta (total-front)"),
    SCALAY_OPTION_ROW("published", SCALAY_OPTION_FLAG, published, "",
                      "for --method eopta, hepopta and htpopta: as in the paper, with its limits (eopta tries convex "
                      "points only) and its data structures"),
    SCALAY_OPTION_ROW("comm", SCALAY_OPTION_TEXT, comm, "FILE.csv|hockney:...",
                      "adds what it costs that q processors work together: a file with the header `processors,cost`, "
                      "or hockney:alpha=..,beta=..,block=.. (SUMMA; seconds, seconds per element, elements)"),
    SCALAY_OPTION_ROW("comm-variant", SCALAY_OPTION_CHOICE, comm_variant, "exact|atmost",
                      "whether --comm counts the processors that get something, or as many as take part, of which "
                      "some may stay idle (default: exact)"),
    SCALAY_OPTION_ROW("within-time", SCALAY_OPTION_SHARE, within_time, "SHARE", SCALAY_WITHIN_TIME_HELP),
    SCALAY_OPTION_ROW("within-energy", SCALAY_OPTION_SHARE, within_energy, "SHARE", SCALAY_WITHIN_ENERGY_HELP),
    SCALAY_OPTION_ROW("knee", SCALAY_OPTION_FLAG, knee, "", SCALAY_KNEE_HELP),
    SCALAY_OPTION_ROW("plot", SCALAY_OPTION_TEXT, plot, "FILE.{svg,png,pdf}",
                      "draws the profiles with what was chosen, and the front; the gnuplot script stays as FILE.gp"),
    SCALAY_OPTION_ROW("json", SCALAY_OPTION_FLAG, json, "", "prints JSON instead of text"),
    {NULL, SCALAY_OPTION_FLAG, 0, NULL, NULL},
};

/* -------------------------------------------------------------------------------------------- what is wanted */

static scalay_workload_wish wish_of(const char *objective)
{
    static const char *const names[] = {[SCALAY_WANTS_TIME] = "time",
                                        [SCALAY_WANTS_ENERGY] = "energy",
                                        [SCALAY_WANTS_FRONT] = "front",
                                        [SCALAY_WANTS_TOTAL_FRONT] = "total-front"};
    int wish = 0;
    while (strcmp(names[wish], objective) != 0) wish++;
    return (scalay_workload_wish)wish;
}

static scalay_status check_method(const char *method)
{
    if (strcmp(method, "paraleph") == 0)
        return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT,
                           "--method paraleph runs on many processes: call scalay_workload_paraleph() from an MPI "
                           "program; --method auto finds the same here");
    const char *names[32] = {NULL};
    int count = 0;
    for (; count < 32 && scalay_workload_methods(count) != NULL; count++) {
        names[count] = scalay_workload_methods(count);
        if (strcmp(names[count], method) == 0) return SCALAY_SUCCESS;
    }
    int near = scalay_nearest_name(method, names, count);
    return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT,
                       "--method is '%s', which is none;%s%s%s scalay workload --help lists them", method,
                       near >= 0 ? " did you mean " : "", near >= 0 ? names[near] : "", near >= 0 ? "?" : "");
}

/* The others have no variant of ours. */
static scalay_status check_published(const scalay_options *options)
{
    static const char *const methods[] = {"eopta", "hepopta", "htpopta"};
    for (size_t k = 0; options->published && k < sizeof methods / sizeof *methods; k++)
        if (strcmp(options->method, methods[k]) == 0) return SCALAY_SUCCESS;
    if (!options->published) return SCALAY_SUCCESS;
    return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "--published goes with --method eopta, hepopta or htpopta, not with %s",
                       options->method);
}

static scalay_status check_front_options(const scalay_options *options, scalay_workload_wish wish)
{
    int choices = scalay_front_point_count(options);
    int front = wish == SCALAY_WANTS_FRONT || wish == SCALAY_WANTS_TOTAL_FRONT;
    if (choices > 1)
        return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT,
                           "--within-time, --within-energy and --knee choose one point each; give one of them");
    if (choices > 0 && !front)
        return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "--%s chooses a point of a front; add --objective front",
                           scalay_front_point_option(options));
    if (wish == SCALAY_WANTS_TOTAL_FRONT && !options->base_power.given)
        return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "--objective total-front needs --base-power W");
    if (wish != SCALAY_WANTS_TOTAL_FRONT && options->base_power.given)
        return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "--base-power goes with --objective total-front, not with %s",
                           options->objective);
    if (front && options->comm != NULL)
        return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "--comm goes with --objective time or energy, not with %s",
                           options->objective);
    return SCALAY_SUCCESS;
}

static scalay_status check_options(const scalay_options *options, scalay_workload_wish wish)
{
    scalay_status status = SCALAY_SUCCESS;
    if (options->profile == NULL || !options->size.given)
        return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "%s is missing; give --profile FILE.csv and --size N",
                           options->profile == NULL ? "--profile" : "--size");
    SCALAY_TRY(check_method(options->method));
    SCALAY_TRY(check_published(options));
    SCALAY_TRY(check_front_options(options, wish));
    if (options->comm == NULL && options->comm_variant != NULL)
        return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "--comm-variant says how --comm is charged; give --comm too");
    if (options->plot != NULL) SCALAY_TRY(scalay_plot_check_path(options->plot));
cleanup:
    return status;
}

static scalay_status read_inputs(const scalay_options *options, scalay_workload_result *result)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_progress_say("reading %s", options->profile);
    SCALAY_TRY(scalay_as_input(scalay_profile_read(options->profile, &result->profile)));
    if (result->wish != SCALAY_WANTS_TIME && !scalay_profile_has_energy(result->profile))
        return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT,
                           "--objective %s needs energies, and %s has none; add a column 'energy', in joules",
                           options->objective, options->profile);
    if (options->comm != NULL) SCALAY_TRY(scalay_input_communication("--comm", options->comm, &result->communication));
cleanup:
    return status;
}

/* ----------------------------------------------------------------------------------------------- solving */

static scalay_workload_options solver_options(const scalay_workload_result *result)
{
    const scalay_options *given = result->options;
    scalay_workload_options options = scalay_workload_options_default();
    options.method = given->method;
    options.published = given->published;
    options.communication = result->communication;
    if (given->comm_variant != NULL && strcmp(given->comm_variant, "atmost") == 0)
        options.variant = SCALAY_COMMUNICATION_AT_MOST;
    return options;
}

static scalay_status solve_single(scalay_workload_result *result)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_workload_options options = solver_options(result);
    SCALAY_TRY((result->wish == SCALAY_WANTS_TIME ? scalay_workload_min_time : scalay_workload_min_energy)(
        result->profile, result->n, &options, &result->workload));
    result->feasible = scalay_workload_feasible(result->workload);
    SCALAY_TRY(scalay_workload_nearest(result->workload, &result->below, &result->above));
cleanup:
    return status;
}

/* Balancing tests sets of n bits, with every size of every processor: a second for about so many bits. */
static const double BITS_TO_BALANCE = 0x1p36;

static int is_quickly_balanced(const scalay_workload_result *result)
{
    double sizes = 0.0;
    for (int group = 0; group < scalay_profile_groups(result->profile); group++) {
        int64_t points = 0;
        if (scalay_profile_points(result->profile, group, &points, NULL, NULL, NULL) != SCALAY_SUCCESS) return 0;
        sizes += (double)points * (double)scalay_profile_multiplicity(result->profile, group);
    }
    return sizes * (double)result->n <= BITS_TO_BALANCE;
}

/* What load balancing would do. It is a heuristic: where it finds nothing there is nothing to compare with. */
static scalay_status balance(scalay_workload_result *result)
{
    scalay_workload_options options = scalay_workload_options_default();
    options.method = "fpm";
    if (!is_quickly_balanced(result)) return SCALAY_SUCCESS;
    scalay_progress_say("balancing the load, to compare");
    scalay_status status = scalay_workload_min_time(result->profile, result->n, &options, &result->balanced);
    if (status == SCALAY_ERROR_MEMORY) return status;
    if (!scalay_workload_feasible(result->balanced)) scalay_workload_destroy(&result->balanced);
    return SCALAY_SUCCESS;
}

static scalay_status solve_front(scalay_workload_result *result)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_workload_options options = solver_options(result);
    if (result->wish == SCALAY_WANTS_FRONT)
        SCALAY_TRY(scalay_workload_front_create(result->profile, result->n, &options, &result->front));
    else
        SCALAY_TRY(scalay_workload_front_create_total(result->profile, result->n, result->options->base_power.value,
                                                      &options, &result->front));
    result->feasible = scalay_workload_front_count(result->front) > 0;
    SCALAY_TRY(scalay_workload_front_nearest(result->front, &result->below, &result->above));
    if (!result->feasible) goto cleanup;
    result->chosen_by = scalay_front_point_option(result->options);
    result->chosen = scalay_front_point_choose(result->options, result->front);
    if (result->chosen >= 0)
        SCALAY_TRY(scalay_workload_front_get_workload(result->front, result->chosen, &result->workload));
    if (!result->options->json || result->options->plot != NULL) SCALAY_TRY(balance(result));
cleanup:
    return status;
}

static scalay_status solve(scalay_workload_result *result)
{
    scalay_progress_say("distributing %lld units over %lld processors (%s, %s)", (long long)result->n,
                        (long long)scalay_profile_processors(result->profile), result->options->objective,
                        result->options->method);
    int front = result->wish == SCALAY_WANTS_FRONT || result->wish == SCALAY_WANTS_TOTAL_FRONT;
    return front ? solve_front(result) : solve_single(result);
}

/* ----------------------------------------------------------------------------------------------- answering */

double scalay_workload_total_energy(const scalay_workload_result *result, const scalay_workload_summary *summary)
{
    return summary->energy + result->options->base_power.value * summary->time;
}

static scalay_status say_infeasible(const scalay_workload_result *result)
{
    char nearest[128];
    if (result->below == result->n)
        return SCALAY_FAIL(SCALAY_ERROR_INFEASIBLE,
                           "%lld units can be distributed, but not over a number of processors that --comm lists",
                           (long long)result->n);
    if (result->above >= 0)
        (void)snprintf(nearest, sizeof nearest, "nearest totals that can be are %lld and %lld",
                       (long long)result->below, (long long)result->above);
    else
        (void)snprintf(nearest, sizeof nearest, "largest total that can be is %lld", (long long)result->below);
    return SCALAY_FAIL(SCALAY_ERROR_INFEASIBLE,
                       "%lld units cannot be distributed in the sizes that %.200s lists; the %s", (long long)result->n,
                       result->options->profile, nearest);
}

static scalay_status answer(const scalay_workload_result *result)
{
    scalay_status status = SCALAY_SUCCESS;
    const scalay_options *options = result->options;
    if (options->plot != NULL && result->feasible) {
        scalay_progress_say("drawing %s", options->plot);
        SCALAY_TRY(scalay_workload_draw(result));
    }
    if (options->json)
        SCALAY_TRY(scalay_workload_print_json(result));
    else if (result->feasible)
        SCALAY_TRY(scalay_workload_print_text(result));
    if (!result->feasible) status = say_infeasible(result);
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

static scalay_status run_workload(const scalay_options *given, scalay_comm *comm)
{
    (void)comm;
    scalay_status status = SCALAY_SUCCESS;
    scalay_options options = *given;
    if (options.objective == NULL) options.objective = "time";
    if (options.method == NULL) options.method = "auto";
    scalay_workload_result result = {
        .options = &options, .wish = wish_of(options.objective), .n = options.size.value, .chosen = -1};
    SCALAY_TRY(check_options(&options, result.wish));
    SCALAY_TRY(read_inputs(&options, &result));
    SCALAY_TRY(solve(&result));
    SCALAY_TRY(answer(&result));
cleanup:
    release(&result);
    return status;
}

const scalay_command scalay_command_workload = {
    .name = "workload",
    .summary = "finds out how much each processor should get",
    .usage = "--profile FILE.csv --size N [OPTIONS]",
    .description = "Distributes N units over processors whose time, and dynamic energy, was measured for some sizes:\n"
                   "exactly, whatever the shape of the functions, in as little time, energy or both as can be. Each\n"
                   "processor gets a size that is listed for it, or nothing.\n",
    .example =
        "  scalay workload --profile examples/data/node.csv --size 64\n"
        "  scalay workload --profile examples/data/node.csv --size 64 --objective front --knee --plot front.svg\n",
    .operand = NULL,
    .options = workload_options,
    .run = run_workload,
};
