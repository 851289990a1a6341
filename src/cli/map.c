/* scalay map: who should take which part. */

#include <stdio.h>
#include <string.h>

#include "core/memory.h"
#include "csv.h"
#include "failure.h"
#include "inputs.h"
#include "io/plot.h"
#include "map_report.h"
#include "options.h"
#include "progress.h"

static const scalay_option map_options[] = {
    SCALAY_OPTION_ROW("from", SCALAY_OPTION_TEXT, from, "LAYOUT", "where the data is now; see scalay show --help"),
    SCALAY_OPTION_ROW("to", SCALAY_OPTION_TEXT, to, "LAYOUT",
                      "what is wanted; its parts may go to any process. When m and n are left out they are those of "
                      "--from"),
    SCALAY_OPTION_ROW("traffic", SCALAY_OPTION_TEXT, traffic, "FILE.csv",
                      "instead of two layouts: the items that each process (a line) holds of each part (a field)"),
    SCALAY_OPTION_ROW("objective", SCALAY_OPTION_CHOICE, objective,
                      "volume|steps|steps-volume|volume-steps|front|time|canonical",
                      "what to make small: items that change process, one-port steps, one and then the other, all "
                      "trade-offs between the two, or the sum of link costs (default: steps-volume)"),
    SCALAY_OPTION_ROW("link-cost", SCALAY_OPTION_TEXT, link_cost, "FILE.csv",
                      "for --objective time: what an item costs from each process (a line) to each (a field)"),
    SCALAY_OPTION_ROW("schedule", SCALAY_OPTION_FLAG, schedule, "",
                      "prints a one-port schedule of exactly as many item steps as the mapping has"),
    SCALAY_OPTION_ROW("slice", SCALAY_OPTION_SIZE, slice, "ITEMS",
                      "of the schedule: cuts off messages no fewer items than this; fewer, longer steps (default: 1)"),
    SCALAY_OPTION_ROW("check", SCALAY_OPTION_FLAG, check, "",
                      "checks the certificate of optimality with code that does not trust the solver"),
    SCALAY_OPTION_ROW("plot", SCALAY_OPTION_TEXT, plot, "FILE.{svg,png,pdf}",
                      "draws the owners before and after and the traffic; the gnuplot script stays as FILE.gp"),
    SCALAY_OPTION_ROW("json", SCALAY_OPTION_FLAG, json, "", "prints JSON instead of text"),
    {NULL, SCALAY_OPTION_FLAG, 0, NULL, NULL},
};

static int is_front(const scalay_options *options)
{
    return strcmp(options->objective, "front") == 0;
}

static scalay_status check_options(const scalay_options *options)
{
    int layouts = (options->from != NULL) + (options->to != NULL);
    if (options->traffic != NULL && layouts > 0)
        return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "--traffic replaces --from and --to; leave one of them away");
    if (options->traffic == NULL && layouts < 2)
        return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT,
                           "%s is missing; give --from LAYOUT and --to LAYOUT, or --traffic FILE",
                           options->from != NULL ? "--to" : "--from");
    if (options->slice.given && !options->schedule)
        return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "--slice goes with --schedule; add it");
    if (options->slice.given && options->slice.value < 1)
        return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "--slice 0 would cut nothing off; give at least 1");
    if (is_front(options) && (options->schedule || options->plot != NULL))
        return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "--%s is of one mapping; give another --objective than front",
                           options->schedule ? "schedule" : "plot");
    int timed = scalay_input_objective(options->objective) == SCALAY_MIN_TIME;
    if (timed && options->link_cost == NULL)
        return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "--objective time needs --link-cost FILE.csv");
    if (!timed && options->link_cost != NULL)
        return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "--link-cost goes with --objective time, not with %s",
                           options->objective);
    return options->plot != NULL ? scalay_plot_check_path(options->plot) : SCALAY_SUCCESS;
}

static scalay_status read_traffic(const scalay_options *options, scalay_map_result *result)
{
    scalay_status status = SCALAY_SUCCESS;
    if (options->traffic != NULL) return scalay_as_input(scalay_csv_read_traffic(options->traffic, &result->traffic));
    int64_t m = -1;
    int64_t n = -1;
    SCALAY_TRY(scalay_input_layout("--from", options->from, -1, -1, &result->source));
    m = scalay_layout_rows(result->source);
    n = scalay_layout_cols(result->source);
    SCALAY_TRY(scalay_input_layout("--to", options->to, m, n, &result->target));
    scalay_progress_say("counting the traffic");
    SCALAY_TRY(scalay_traffic_create(result->source, result->target, &result->traffic));
cleanup:
    return status;
}

static double cost_of_link(int from, int to, void *context)
{
    const scalay_link_costs *costs = context;
    return costs->cost[(int64_t)from * costs->processes + to];
}

static scalay_status read_link_costs(const scalay_options *options, scalay_map_result *result)
{
    if (options->link_cost == NULL) return SCALAY_SUCCESS;
    int processes = scalay_traffic_processes(result->traffic);
    int parts = scalay_traffic_parts(result->traffic);
    int needed = processes > parts ? processes : parts;
    scalay_status status = scalay_as_input(scalay_csv_read_link_costs(options->link_cost, &result->costs));
    if (status == SCALAY_SUCCESS && result->costs.processes < needed)
        return SCALAY_FAIL(SCALAY_ERROR_MISMATCH, "%s: %d processes, but %d take part; give a %d x %d matrix",
                           options->link_cost, result->costs.processes, needed, needed, needed);
    result->options.processes = result->costs.processes;
    result->options.link_cost = cost_of_link;
    result->options.link_context = &result->costs;
    return status;
}

/* What a check denies is the solver's fault. */
static scalay_status as_internal(scalay_status status)
{
    return status == SCALAY_ERROR_MISMATCH ? SCALAY_ERROR_INTERNAL : status;
}

static scalay_status solve_front(const scalay_options *options, scalay_map_result *result)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_progress_say("looking for the best mappings");
    SCALAY_TRY(scalay_mapping_front_from_traffic(result->traffic, &result->options, &result->front));
    if (options->check) {
        scalay_progress_say("checking the certificates");
        SCALAY_TRY(as_internal(scalay_mapping_front_check(result->traffic, result->front, &result->options)));
        result->checked = 1;
    }
cleanup:
    return status;
}

static scalay_status solve(const scalay_options *options, scalay_map_result *result)
{
    scalay_status status = SCALAY_SUCCESS;
    const scalay_objective objective = scalay_input_objective(options->objective);
    SCALAY_TRY(scalay_mapping_from_traffic(result->traffic, SCALAY_CANONICAL, &result->options, &result->canonical));
    scalay_progress_say("looking for the best mapping (%s)", options->objective);
    SCALAY_TRY(scalay_mapping_from_traffic(result->traffic, objective, &result->options, &result->chosen));
    if (options->check) {
        scalay_progress_say("checking the certificate");
        SCALAY_TRY(as_internal(scalay_mapping_check(result->traffic, result->chosen, &result->options)));
        result->checked = 1;
    }
    if (options->schedule) {
        scalay_progress_say("making the schedule");
        SCALAY_TRY(scalay_schedule_create_sliced(result->traffic, scalay_mapping_process(result->chosen),
                                                 options->slice.given ? options->slice.value : 1, &result->schedule));
    }
cleanup:
    return status;
}

static scalay_status draw(const char *path, const scalay_map_result *result)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_plot *plot = NULL;
    scalay_layout *mapped = NULL;
    SCALAY_TRY(scalay_plot_create(NULL, &plot));
    if (result->source != NULL) {
        SCALAY_TRY(scalay_mapping_apply(result->chosen, result->target, &mapped));
        SCALAY_TRY(scalay_plot_add_layout(plot, "before", result->source));
        SCALAY_TRY(scalay_plot_add_layout(plot, "after, mapped", mapped));
    }
    SCALAY_TRY(scalay_plot_add_traffic(plot, "traffic", result->traffic, scalay_mapping_process(result->chosen)));
    SCALAY_TRY(scalay_plot_save(plot, path));
cleanup:
    scalay_layout_destroy(&mapped);
    scalay_plot_destroy(&plot);
    return status;
}

static void release(scalay_map_result *result)
{
    scalay_schedule_destroy(&result->schedule);
    scalay_mapping_front_destroy(&result->front);
    scalay_mapping_destroy(&result->chosen);
    scalay_mapping_destroy(&result->canonical);
    scalay_traffic_destroy(&result->traffic);
    scalay_layout_destroy(&result->target);
    scalay_layout_destroy(&result->source);
    scalay_release(result->costs.cost);
}

static scalay_status run_map(const scalay_options *given, scalay_comm *comm)
{
    (void)comm;
    scalay_status status = SCALAY_SUCCESS;
    scalay_options options = *given;
    scalay_map_result result = {.options = scalay_mapping_options_default()};
    if (options.objective == NULL) options.objective = scalay_objective_name(SCALAY_MIN_STEPS_THEN_VOLUME);
    SCALAY_TRY(check_options(&options));
    SCALAY_TRY(read_traffic(&options, &result));
    SCALAY_TRY(read_link_costs(&options, &result));
    SCALAY_TRY(is_front(&options) ? solve_front(&options, &result) : solve(&options, &result));
    if (options.plot != NULL) {
        scalay_progress_say("drawing %s", options.plot);
        SCALAY_TRY(draw(options.plot, &result));
    }
    scalay_progress_stop();
    if (is_front(&options))
        status = options.json ? scalay_map_print_front_json(&result) : scalay_map_print_front_text(&result);
    else
        status = options.json ? scalay_map_print_json(&result) : scalay_map_print_text(&result);
cleanup:
    release(&result);
    return status;
}

const scalay_command scalay_command_map = {
    .name = "map",
    .summary = "finds out which process should take which part of a layout",
    .usage = "--from LAYOUT --to LAYOUT | --traffic FILE.csv [OPTIONS]",
    .description = "Finds the best mapping of the parts of a target layout onto the processes, given where the\n"
                   "data is, and says how much it moves: volume (items that change process) and one-port steps\n"
                   "(the most items that a process sends or receives), against the canonical mapping, which puts\n"
                   "part j on process j.\n",
    .example = "  scalay map --from skewed:m=512,n=512,mb=64,nb=64,p=2,q=2 \\\n"
               "             --to cyclic:mb=64,nb=64,p=2,q=2 --schedule --check\n",
    .operand = NULL,
    .options = map_options,
    .run = run_map,
};
