#include "map_input.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/integer.h"
#include "base/memory.h"
#include "failure.h"
#include "inputs.h"
#include "io/plot.h"
#include "layout/layout.h"
#include "progress.h"
#include "scalay/measure.h"
#include "scalay/model.h"

int scalay_map_wants_front(const scalay_options *options)
{
    return strcmp(options->objective, "front") == 0;
}

/* ------------------------------------------------------------------------------------------------- checks */

static scalay_status check_inputs(const scalay_options *options)
{
    const int from = options->from_list.count, to = options->to_list.count;
    if (options->traffic != NULL && from + to > 0)
        return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "--traffic replaces --from and --to; leave one of them away");
    if (options->traffic == NULL && (from == 0 || from != to))
        return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT,
                           "%s is missing; give --from LAYOUT and --to LAYOUT for each matrix, or --traffic FILE",
                           from > to ? "--to" : "--from");
    if (options->grid_rows > 0 && options->traffic == NULL)
        return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "--grid goes with --traffic; layouts have a grid of their own");
    const int keeps_grid = scalay_input_objective(options->objective) == SCALAY_MIN_GRID_VOLUME;
    if (!keeps_grid && (options->grid_rows > 0 || options->seed.given))
        return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "--%s goes with --objective grid-volume, not with %s",
                           options->grid_rows > 0 ? "grid" : "seed", options->objective);
    return SCALAY_SUCCESS;
}

static scalay_status check_schedule(const scalay_options *options)
{
    if (options->slice.given && !options->schedule)
        return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "--slice goes with --schedule; add it");
    if (options->startup.given && (!options->schedule || options->slice.given))
        return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "--startup goes with --schedule, and chooses the slice; %s",
                           options->schedule ? "leave --slice away" : "add --schedule");
    if (options->machine != NULL && (!options->schedule || options->slice.given || options->startup.given))
        return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "--machine goes with --schedule, and chooses the slice; %s",
                           options->schedule ? "leave --slice and --startup away" : "add --schedule");
    if (options->machine == NULL && (options->any_host || options->type != NULL))
        return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "--%s goes with --machine FILE; add it",
                           options->any_host ? "any-host" : "type");
    if (options->preemptive &&
        (options->machine != NULL || !options->schedule || options->slice.given || options->startup.given))
        return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "--preemptive goes with --schedule, and has no slices; %s",
                           options->schedule ? "leave --slice, --startup and --machine away" : "add --schedule");
    if (options->slice.given && options->slice.value < 1)
        return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "--slice 0 would cut nothing off; give at least 1");
    if (scalay_map_wants_front(options) && options->schedule)
        return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "--schedule is of one mapping; give another --objective than front");
    if (scalay_map_wants_front(options) && options->mapping != NULL)
        return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "--mapping is judged by one objective; give another than front");
    return SCALAY_SUCCESS;
}

static scalay_status check_links(const scalay_options *options)
{
    const int timed = scalay_input_objective(options->objective) == SCALAY_MIN_TIME;
    const int nodes = options->distance != NULL || options->ranks_per_node > 0 || options->nodes != NULL;
    if (timed && options->link_cost == NULL && !nodes)
        return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT,
                           "--objective time needs --link-cost FILE.csv, --distance FILE, --nodes LIST or "
                           "--ranks-per-node K");
    if (!timed && (options->link_cost != NULL || nodes))
        return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "--%s goes with --objective time, not with %s",
                           options->link_cost != NULL  ? "link-cost"
                           : options->distance != NULL ? "distance"
                           : options->nodes != NULL    ? "nodes"
                                                       : "ranks-per-node",
                           options->objective);
    if (options->link_cost != NULL && nodes)
        return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT,
                           "--link-cost is of processes, --distance, --nodes and --ranks-per-node "
                           "are of nodes; leave one of them away");
    if (options->nodes != NULL && options->ranks_per_node > 0)
        return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT,
                           "--nodes and --ranks-per-node both say where processes are; leave one of them away");
    return SCALAY_SUCCESS;
}

scalay_status scalay_map_check_options(const scalay_options *options)
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(check_inputs(options));
    SCALAY_TRY(check_schedule(options));
    SCALAY_TRY(check_links(options));
    if (options->plot != NULL) SCALAY_TRY(scalay_plot_check_path(options->plot));
cleanup:
    return status;
}

/* ------------------------------------------------------------------------------------------------ layouts */

/* The layouts of every matrix; the first ones are printed and drawn. */
static scalay_status read_layouts(const scalay_options *options, scalay_map_result *result)
{
    scalay_status status = SCALAY_SUCCESS;
    const int pairs = options->from_list.count;
    SCALAY_TRY(SCALAY_NEW(result->source, pairs));
    SCALAY_TRY(SCALAY_NEW(result->target, pairs));
    result->pairs = pairs;
    for (int k = 0; k < pairs; k++) {
        SCALAY_TRY(scalay_input_layout("--from", options->from_list.text[k], -1, -1, &result->source[k]));
        SCALAY_TRY(scalay_input_layout("--to", options->to_list.text[k], scalay_layout_rows(result->source[k]),
                                       scalay_layout_cols(result->source[k]), &result->target[k]));
        const int processes = scalay_layout_processes(result->source[k]);
        if (processes > result->processes) result->processes = processes;
        const int64_t items = scalay_layout_rows(result->source[k]) * scalay_layout_cols(result->source[k]);
        if (!scalay_add_int64(result->items, items, &result->items))
            return SCALAY_FAIL(SCALAY_ERROR_RANGE, "the matrices have more than 2^63 - 1 elements together");
    }
    result->parts = scalay_layout_parts(result->target[0]);
cleanup:
    return status;
}

scalay_status scalay_map_count_traffic(scalay_map_result *result)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_traffic **each = NULL;
    if (result->traffic != NULL) return SCALAY_SUCCESS;
    scalay_progress_say("counting the traffic");
    if (result->pairs == 1) return scalay_traffic_create(result->source[0], result->target[0], &result->traffic);
    SCALAY_TRY(SCALAY_NEW(each, result->pairs));
    for (int k = 0; k < result->pairs; k++)
        SCALAY_TRY(scalay_traffic_create(result->source[k], result->target[k], &each[k]));
    SCALAY_TRY(scalay_traffic_add(result->pairs, (const scalay_traffic *const *)each, NULL, &result->traffic));
cleanup:
    for (int k = 0; k < result->pairs && each != NULL; k++) scalay_traffic_destroy(&each[k]);
    scalay_release(each);
    return status;
}

/* The rows of the parts' grid, for numbering them row by row; those of a column-major grid are its columns. */
static scalay_status find_grid(const scalay_options *options, scalay_map_result *result)
{
    result->options.grid_rows = (int)options->grid_rows;
    if (scalay_input_objective(options->objective) != SCALAY_MIN_GRID_VOLUME) return SCALAY_SUCCESS;
    if (options->traffic == NULL) {
        const scalay_layout *target = result->target[0];
        if (!scalay_layout_is_grid(target))
            return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "--objective grid-volume keeps a grid, but --to is a tile map");
        result->options.grid_rows =
            (int)(target->order == SCALAY_ROW_MAJOR ? target->row.classes : target->col.classes);
    } else if (options->grid_rows * options->grid_cols != result->parts) {
        return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT,
                           "--objective grid-volume needs the grid of the %d parts; give --grid PxQ", result->parts);
    }
    return SCALAY_SUCCESS;
}

/* -------------------------------------------------------------------------------------------------- links */

static double cost_of_link(int from, int to, void *context)
{
    const scalay_link_costs *costs = context;
    return costs->cost[(int64_t)from * costs->processes + to];
}

static int processes_needed(const scalay_map_result *result)
{
    const int larger = result->processes > result->parts ? result->processes : result->parts;
    return result->options.processes > larger ? result->options.processes : larger;
}

static scalay_status read_link_costs(const scalay_options *options, scalay_map_result *result)
{
    scalay_status status = scalay_as_input(scalay_csv_read_link_costs(options->link_cost, &result->costs));
    const int needed = processes_needed(result);
    if (status == SCALAY_SUCCESS && result->costs.processes < needed)
        return SCALAY_FAIL(SCALAY_ERROR_MISMATCH, "%s: %d processes, but %d take part; give a %d x %d matrix",
                           options->link_cost, result->costs.processes, needed, needed, needed);
    if (result->options.processes == 0) result->options.processes = result->costs.processes;
    result->options.link_cost = cost_of_link;
    result->options.link_context = &result->costs;
    return status;
}

/* Moving an item within a node, where no file tells. */
#define WITHIN_NODE 0.1

/* The nodes that a list tells; processes that are listed may take parts. */
static scalay_status read_node_list(const scalay_options *options, scalay_map_result *result)
{
    scalay_status status = SCALAY_SUCCESS;
    const int needed = processes_needed(result);
    SCALAY_TRY(scalay_as_input(scalay_read_nodes("--nodes", options->nodes, &result->nodes)));
    if (result->nodes.processes < needed)
        return SCALAY_FAIL(SCALAY_ERROR_MISMATCH, "--nodes lists %d processes, but %d take part; list a node for each",
                           result->nodes.processes, needed);
    if (result->options.processes == 0) result->options.processes = result->nodes.processes;
    result->links = (scalay_node_links){
        .nodes = result->nodes.nodes, .ranks_per_node = 1, .node = result->nodes.node, .within = WITHIN_NODE};
cleanup:
    return status;
}

static scalay_status read_distances(const scalay_options *options, scalay_map_result *result)
{
    scalay_status status = SCALAY_SUCCESS;
    const int nodes = result->links.nodes;
    SCALAY_TRY(scalay_as_input(scalay_csv_read_distances(options->distance, &result->costs)));
    if (result->costs.processes < nodes)
        return SCALAY_FAIL(
            SCALAY_ERROR_MISMATCH, "%s: %d nodes, but the processes are on %d; give a larger matrix, or another %s",
            options->distance, result->costs.processes, nodes, options->nodes != NULL ? "--nodes" : "--ranks-per-node");
    result->links.nodes = result->costs.processes;
    result->links.distance = result->costs.cost;
cleanup:
    return status;
}

static scalay_status read_nodes(const scalay_options *options, scalay_map_result *result)
{
    scalay_status status = SCALAY_SUCCESS;
    const int ranks = options->ranks_per_node > 0 ? (int)options->ranks_per_node : 1, needed = processes_needed(result);
    result->links =
        (scalay_node_links){.nodes = (needed - 1) / ranks + 1, .ranks_per_node = ranks, .within = WITHIN_NODE};
    if (options->nodes != NULL) SCALAY_TRY(read_node_list(options, result));
    if (options->distance != NULL) SCALAY_TRY(read_distances(options, result));
    result->options.link_cost = scalay_node_link_cost;
    result->options.link_context = &result->links;
cleanup:
    return status;
}

/* -------------------------------------------------------------------------------------------------- barred */

/* Reads a number at *text and steps over it; -1: there is none. */
static long read_process(const char **text)
{
    char *end = NULL;
    const long process = **text >= '0' && **text <= '9' ? strtol(*text, &end, 10) : -1;
    if (end != NULL) *text = end;
    return process <= INT_MAX ? process : -1;
}

/* A list such as 0,3-5. */
static scalay_status read_barred(const char *list, scalay_map_result *result)
{
    scalay_status status = SCALAY_SUCCESS;
    const int processes = processes_needed(result);
    const char *at = list;
    SCALAY_TRY(SCALAY_NEW(result->barred, processes));
    do {
        const long first = read_process(&at);
        long last = first;
        if (first >= 0 && *at == '-') {
            at++;
            last = read_process(&at);
        }
        if (first < 0 || last < first || (*at != ',' && *at != '\0'))
            return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "--bar is '%s': give processes such as 0,3-5", list);
        if (last >= processes)
            return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "--bar names process %ld; the last one is %d", last,
                               processes - 1);
        for (long k = first; k <= last; k++) result->barred[k] = 1;
    } while (*at++ == ',');
    result->options.barred = result->barred;
cleanup:
    return status;
}

/* Latency and bandwidth are those of a link, whatever the number of processes that measured them. */
static scalay_status read_startup(const scalay_options *options, scalay_map_result *result)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_calibration_options calibration = scalay_calibration_options_default();
    scalay_machine machine;
    result->startup = options->startup.given ? options->startup.value : -1;
    if (options->machine == NULL) return status;
    calibration.path = options->machine;
    calibration.anywhere = options->any_host;
    SCALAY_TRY(scalay_as_input(scalay_machine_read(0, &calibration, &machine)));
    result->startup = scalay_model_startup(&machine, scalay_input_type(options->type));
cleanup:
    return status;
}

scalay_status scalay_map_read(const scalay_options *options, scalay_map_result *result)
{
    scalay_status status = SCALAY_SUCCESS;
    if (options->traffic == NULL) {
        SCALAY_TRY(read_layouts(options, result));
    } else {
        SCALAY_TRY(scalay_as_input(scalay_csv_read_traffic(options->traffic, &result->traffic)));
        result->processes = scalay_traffic_processes(result->traffic);
        result->parts = scalay_traffic_parts(result->traffic);
        result->items = scalay_traffic_items(result->traffic);
    }
    result->options.processes = (int)options->processes;
    result->options.budget_seconds = options->budget.given ? options->budget.value : 0.0;
    if (options->seed.given) result->options.seed = options->seed.value;
    SCALAY_TRY(find_grid(options, result));
    if (options->link_cost != NULL) SCALAY_TRY(read_link_costs(options, result));
    if (options->distance != NULL || options->ranks_per_node > 0 || options->nodes != NULL)
        SCALAY_TRY(read_nodes(options, result));
    SCALAY_TRY(read_startup(options, result));
    if (options->bar != NULL) SCALAY_TRY(read_barred(options->bar, result));
cleanup:
    return status;
}
