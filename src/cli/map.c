/* scalay map: who should take which part. */

#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "inputs.h"
#include "io/plot.h"
#include "map_given.h"
#include "map_input.h"
#include "map_report.h"
#include "options.h"
#include "progress.h"

static const scalay_option map_options[] = {
    SCALAY_OPTION_ROW("from", SCALAY_OPTION_TEXTS, from_list, "LAYOUT",
                      "where the data is now; see scalay show --help. Several pairs of --from and --to are several "
                      "matrices that go along one mapping"),
    SCALAY_OPTION_ROW("to", SCALAY_OPTION_TEXTS, to_list, "LAYOUT",
                      "what is wanted; its parts may go to any process. When m and n are left out they are those of "
                      "--from"),
    SCALAY_OPTION_ROW("traffic", SCALAY_OPTION_TEXT, traffic, "FILE.csv",
                      "instead of two layouts: the items that each process (a line) holds of each part (a field)"),
    SCALAY_OPTION_ROW("objective", SCALAY_OPTION_CHOICE, objective,
                      "volume|steps|steps-volume|volume-steps|front|time|grid-volume|canonical",
                      "what to make small: items that change process, one-port steps, one and then the other, all "
                      "trade-offs between the two, the sum of link costs, or the volume with the rows and columns of "
                      "the grid kept together (default: steps-volume)"),
    SCALAY_OPTION_ROW("grid", SCALAY_OPTION_GRID, grid_rows, "PxQ",
                      "for --objective grid-volume with --traffic: the grid of the parts, numbered row by row"),
    SCALAY_OPTION_ROW("seed", SCALAY_OPTION_SIZE, seed, "S", "of the starts of grid-volume (default: 1)"),
    SCALAY_OPTION_ROW("budget", SCALAY_OPTION_NUMBER, budget, "SECONDS",
                      "processor time after which the best mapping so far is good enough; "
                      "the report says how far from the best it can be at most"),
    SCALAY_OPTION_ROW("processes", SCALAY_OPTION_COUNT, processes, "N",
                      "parts may go to processes 0 to N-1 (default: as many as there are, or parts if these are more)"),
    SCALAY_OPTION_ROW("bar", SCALAY_OPTION_TEXT, bar, "LIST", "processes that must take no part, such as 0,3-5"),
    SCALAY_OPTION_ROW("link-cost", SCALAY_OPTION_TEXT, link_cost, "FILE.csv",
                      "for --objective time: what an item costs from each process (a line) to each (a field)"),
    SCALAY_OPTION_ROW("distance", SCALAY_OPTION_TEXT, distance, "FILE",
                      "for --objective time: what an item costs between nodes, as CSV or as lstopo --distances and "
                      "numactl --hardware print it"),
    SCALAY_OPTION_ROW(
        "ranks-per-node", SCALAY_OPTION_COUNT, ranks_per_node, "K",
        "for --objective time: so many processes in a row share a node; without --distance an item costs 1 "
        "between nodes and 0.1 within one (default with --distance: 1)"),
    SCALAY_OPTION_ROW("nodes", SCALAY_OPTION_TEXT, nodes, "LIST|FILE",
                      "for --objective time: the node of each process, by number or name, such as 0,0,1,1,1 or "
                      "0*2,1*3, or a file of that"),
    SCALAY_OPTION_ROW("schedule", SCALAY_OPTION_FLAG, schedule, "",
                      "prints a one-port schedule of exactly as many item steps as the mapping has"),
    SCALAY_OPTION_ROW("slice", SCALAY_OPTION_SIZE, slice, "ITEMS",
                      "of the schedule: cuts off messages no fewer items than this; fewer, longer steps (default: 1)"),
    SCALAY_OPTION_ROW("startup", SCALAY_OPTION_SIZE, startup, "ITEMS",
                      "of the schedule: items that could be sent while a step is started; chooses the slice that takes "
                      "the least time"),
    SCALAY_OPTION_ROW(
        "machine", SCALAY_OPTION_TEXT, machine, "FILE",
        "of the schedule: instead of --startup, latency times bandwidth of the machine that scalay advise "
        "--calibrate measured"),
    SCALAY_OPTION_ROW("any-host", SCALAY_OPTION_FLAG, any_host, "",
                      "takes a FILE of --machine from another host or BLAS"),
    SCALAY_OPTION_ROW("type", SCALAY_OPTION_CHOICE, type, "s|d|c|z", "of the items, for --machine (default: d)"),
    SCALAY_OPTION_ROW("preemptive", SCALAY_OPTION_FLAG, preemptive, "",
                      "of the schedule: no rounds; every process goes from message to message by itself"),
    SCALAY_OPTION_ROW(
        "check", SCALAY_OPTION_FLAG, check, "",
        "checks the certificate of optimality with code that does not trust the solver, and the schedule"),
    SCALAY_OPTION_ROW(
        "mapping", SCALAY_OPTION_TEXT, mapping, "FILE.{json,csv}",
        "a mapping to judge, as --json prints it or as the process of each part: says whether it is proven "
        "optimal for the objective, or how far from that it can be"),
    SCALAY_OPTION_ROW("plot", SCALAY_OPTION_TEXT, plot, "FILE.{svg,png,pdf}",
                      "draws the owners before and after, the traffic and the schedule, or the front; the gnuplot "
                      "script stays as FILE.gp"),
    SCALAY_OPTION_ROW("json", SCALAY_OPTION_FLAG, json, "", "prints JSON instead of text"),
    {NULL, SCALAY_OPTION_FLAG, 0, NULL, NULL},
};

/* What a check denies is the solver's fault. */
static scalay_status as_internal(scalay_status status)
{
    return status == SCALAY_ERROR_MISMATCH ? SCALAY_ERROR_INTERNAL : status;
}

/* From so many parts on, mappings of layouts are left to find out whether they need the traffic, and are checked
 * without it, unless it is needed otherwise; volume alone in any case, that of grids included. */
enum { MANY_PARTS = 8192 };

static int needs_traffic(const scalay_options *options, const scalay_map_result *result)
{
    static const char *const without[] = {"steps", "steps-volume", "volume-steps", "front"};
    int can = strcmp(options->objective, "volume") == 0 || strcmp(options->objective, "grid-volume") == 0;
    if (options->schedule || result->pairs == 0) return 1;
    if (result->parts < MANY_PARTS && (options->check || result->pairs > 1)) return 1;
    if (result->pairs > 1 && scalay_map_wants_front(options)) return 1;
    if (options->plot != NULL && !scalay_map_wants_front(options)) return 1;
    for (size_t k = 0; k < sizeof without / sizeof *without; k++)
        can = can || (result->parts >= MANY_PARTS && strcmp(options->objective, without[k]) == 0);
    return !can;
}

static scalay_status solve_front(const scalay_options *options, scalay_map_result *result)
{
    scalay_status status = SCALAY_SUCCESS;
    if (needs_traffic(options, result)) SCALAY_TRY(scalay_map_count_traffic(result));
    scalay_progress_say("looking for the best mappings");
    SCALAY_TRY(
        result->traffic != NULL
            ? scalay_mapping_front_from_traffic(result->traffic, &result->options, &result->front)
            : scalay_mapping_front_create(result->source[0], result->target[0], &result->options, &result->front));
    if (options->check) {
        scalay_progress_say("checking the certificates");
        SCALAY_TRY(as_internal(result->traffic != NULL
                                   ? scalay_mapping_front_check(result->traffic, result->front, &result->options)
                                   : scalay_mapping_front_check_layouts(result->source[0], result->target[0],
                                                                        result->front, &result->options)));
        result->checked = 1;
    }
cleanup:
    return status;
}

static scalay_status solve_for(const scalay_map_result *result, scalay_objective objective,
                               const scalay_mapping_options *options, scalay_mapping **mapping)
{
    return result->traffic != NULL
               ? scalay_mapping_from_traffic(result->traffic, objective, options, mapping)
               : scalay_mapping_create_shared(result->pairs, (const scalay_layout *const *)result->source,
                                              (const scalay_layout *const *)result->target, NULL, objective, options,
                                              mapping);
}

/* For comparison: whoever is barred counts, but the canonical mapping has no choice. */
static scalay_status solve_canonical(const scalay_map_result *result, scalay_mapping **canonical)
{
    scalay_mapping_options options = result->options;
    options.barred = NULL;
    return solve_for(result, SCALAY_CANONICAL, &options, canonical);
}

static scalay_status solve_chosen(const scalay_options *options, scalay_map_result *result)
{
    scalay_progress_say("looking for the best mapping (%s)", options->objective);
    return solve_for(result, scalay_input_objective(options->objective), &result->options, &result->chosen);
}

static scalay_status check_chosen(scalay_map_result *result)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_progress_say("checking the certificate");
    SCALAY_TRY(
        as_internal(result->traffic != NULL
                        ? scalay_mapping_check(result->traffic, result->chosen, &result->options)
                        : scalay_mapping_check_layouts(result->pairs, (const scalay_layout *const *)result->source,
                                                       (const scalay_layout *const *)result->target, NULL,
                                                       result->chosen, &result->options)));
    result->checked = 1;
cleanup:
    return status;
}

static scalay_status create_schedule(const scalay_options *options, const scalay_map_result *result, const int *process,
                                     scalay_schedule **schedule)
{
    const scalay_traffic *traffic = result->traffic;
    if (options->preemptive) return scalay_schedule_create_preemptive(traffic, process, schedule);
    if (result->startup >= 0) return scalay_schedule_create_timed(traffic, process, result->startup, schedule);
    return scalay_schedule_create_sliced(traffic, process, options->slice.given ? options->slice.value : 1, schedule);
}

static scalay_status solve_schedule(const scalay_options *options, scalay_map_result *result)
{
    scalay_status status = SCALAY_SUCCESS;
    const int *process = scalay_mapping_process(result->chosen);
    scalay_progress_say("making the schedule");
    SCALAY_TRY(create_schedule(options, result, process, &result->schedule));
    result->preemptive = options->preemptive;
    if (options->check) SCALAY_TRY(as_internal(scalay_schedule_check(result->traffic, process, result->schedule)));
cleanup:
    return status;
}

static scalay_status solve(const scalay_options *options, scalay_map_result *result)
{
    scalay_status status = SCALAY_SUCCESS;
    if (needs_traffic(options, result)) SCALAY_TRY(scalay_map_count_traffic(result));
    SCALAY_TRY(solve_canonical(result, &result->canonical));
    SCALAY_TRY(solve_chosen(options, result));
    if (options->check) SCALAY_TRY(check_chosen(result));
    if (options->mapping != NULL) SCALAY_TRY(scalay_map_read_given(options->mapping, result));
    if (options->schedule) SCALAY_TRY(solve_schedule(options, result));
cleanup:
    return status;
}

static scalay_status add_front(scalay_plot *plot, const scalay_mapping_front *front)
{
    static const scalay_plot_axis of_steps = {"steps, items", NULL, 0};
    static const scalay_plot_axis of_volume = {"volume, items", NULL, 0};
    scalay_status status = SCALAY_SUCCESS;
    const int64_t points = scalay_mapping_front_count(front);
    double *steps = NULL, *volume = NULL;
    SCALAY_TRY(SCALAY_NEW(steps, points));
    SCALAY_TRY(SCALAY_NEW(volume, points));
    for (int64_t k = 0; k < points; k++) {
        steps[k] = (double)scalay_mapping_steps(scalay_mapping_front_get_mapping(front, k));
        volume[k] = (double)scalay_mapping_volume(scalay_mapping_front_get_mapping(front, k));
    }
    const scalay_plot_curve curves[] = {{.style = SCALAY_PLOT_STAIRS, .points = points, .x = steps, .y = volume},
                                        {.style = SCALAY_PLOT_RINGS, .points = points, .x = steps, .y = volume}};
    const int proven = scalay_mapping_proof(scalay_mapping_front_get_mapping(front, 0)) == SCALAY_PROOF_OPTIMAL;
    const char *title = proven ? "no mapping is better in both" : "the best in both that were found in time";
    SCALAY_TRY(scalay_plot_add_curves(plot, title, &of_steps, &of_volume, curves, 2));
cleanup:
    scalay_release(volume);
    scalay_release(steps);
    return status;
}

static scalay_status add_mapping(scalay_plot *plot, const scalay_map_result *result)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_layout *mapped = NULL;
    if (result->pairs > 0) {
        SCALAY_TRY(scalay_mapping_apply(result->chosen, result->target[0], &mapped));
        SCALAY_TRY(scalay_plot_add_layout(plot, "before", result->source[0]));
        SCALAY_TRY(scalay_plot_add_layout(plot, "after, mapped", mapped));
    }
    SCALAY_TRY(scalay_plot_add_traffic(plot, "traffic", result->traffic, scalay_mapping_process(result->chosen)));
    if (result->schedule != NULL)
        SCALAY_TRY(
            scalay_plot_add_schedule(plot, "schedule", result->schedule, scalay_mapping_processes(result->chosen)));
cleanup:
    scalay_layout_destroy(&mapped);
    return status;
}

static scalay_status draw(const char *path, const scalay_map_result *result)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_plot *plot = NULL;
    SCALAY_TRY(scalay_plot_create(NULL, &plot));
    SCALAY_TRY(result->front != NULL ? add_front(plot, result->front) : add_mapping(plot, result));
    SCALAY_TRY(scalay_plot_save(plot, path));
cleanup:
    scalay_plot_destroy(&plot);
    return status;
}

static void release(scalay_map_result *result)
{
    scalay_schedule_destroy(&result->schedule);
    scalay_mapping_front_destroy(&result->front);
    scalay_mapping_destroy(&result->chosen);
    scalay_mapping_destroy(&result->given);
    scalay_mapping_destroy(&result->canonical);
    scalay_traffic_destroy(&result->traffic);
    for (int k = 0; k < result->pairs; k++) {
        scalay_layout_destroy(&result->target[k]);
        scalay_layout_destroy(&result->source[k]);
    }
    scalay_release(result->target);
    scalay_release(result->source);
    scalay_release(result->barred);
    scalay_release(result->costs.cost);
    scalay_release(result->nodes.node);
}

static scalay_status run_map(const scalay_options *given, scalay_comm *comm)
{
    (void)comm;
    scalay_status status = SCALAY_SUCCESS;
    scalay_options options = *given;
    scalay_map_result result = {.startup = -1, .options = scalay_mapping_options_default()};
    if (options.objective == NULL) options.objective = scalay_objective_name(SCALAY_MIN_STEPS_THEN_VOLUME);
    SCALAY_TRY(scalay_map_check_options(&options));
    SCALAY_TRY(scalay_map_read(&options, &result));
    SCALAY_TRY(scalay_map_wants_front(&options) ? solve_front(&options, &result) : solve(&options, &result));
    if (options.plot != NULL) {
        scalay_progress_say("drawing %s", options.plot);
        SCALAY_TRY(draw(options.plot, &result));
    }
    scalay_progress_stop();
    if (scalay_map_wants_front(&options))
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
    .usage = "--from LAYOUT --to LAYOUT ... | --traffic FILE.csv [OPTIONS]",
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
