/*
 * scalay map: optimal mapping of the parts of a target layout onto the processes, given the layout of the data. This
 * file reads the options and the problem, and calls the solvers. map_report.c prints the result.
 */

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/integer.h"
#include "base/memory.h"
#include "layout/layout.h"
#include "map.h"
#include "pattern.h"
#include "scalay/measure.h"
#include "scalay/model.h"

typedef struct {
    scalay_common_options common;
    scalay_option_list from, to;
    const char *traffic;
    const char *objective;
    int64_t grid[2]; /* 0: not given */
    scalay_option_integer seed;
    scalay_option_number budget; /* seconds */
    int64_t processes;           /* 0: not given */
    const char *bar;
    const char *link_cost;
    const char *distance;
    int64_t ranks_per_node; /* 0: not given */
    const char *nodes;      /* list or file */
    int schedule;
    scalay_option_integer slice;
    scalay_option_integer startup;
    const char *machine;
    int any_host;
    const char *type;
    int preemptive;
    int check;
    const char *mapping;
    const char *export_format;
    int64_t tile; /* 0: not given */
} map_options;

static const scalay_option option_table[] = {
    SCALAY_GROUP_ROW("Problem"),
    SCALAY_ROW(map_options, from, SCALAY_OPTION_LIST, "from", "LAYOUT",
               "layout of the data; give --from and --to once for each matrix that shares the mapping", NULL),
    SCALAY_ROW(map_options, to, SCALAY_OPTION_LIST, "to", "LAYOUT",
               "target layout, whose parts may be mapped to any process; m and n default to those of --from", NULL),
    SCALAY_ROW(map_options, traffic, SCALAY_OPTION_INPUT, "traffic", "FILE.csv",
               "traffic matrix instead of layouts: a line per process, a field per part, in items", NULL),
    SCALAY_ROW(map_options, processes, SCALAY_OPTION_COUNT, "processes", "N", "offer processes 0 to N-1 for parts",
               "as many as hold data, or parts if these are more"),
    SCALAY_ROW(map_options, bar, SCALAY_OPTION_TEXT, "bar", "LIST", "processes that get no part, such as 0,3-5", NULL),
    SCALAY_GROUP_ROW("Objective"),
    SCALAY_CHOICE_ROW(map_options, objective, "objective", "NAME",
                      "volume|steps|steps-volume|volume-steps|front|time|grid-volume|canonical",
                      "objective to minimise", "steps-volume"),
    SCALAY_ROW(map_options, grid, SCALAY_OPTION_GRID, "grid", "PxQ",
               "grid of the parts in row-major order, for grid-volume with --traffic", NULL),
    SCALAY_ROW(map_options, seed, SCALAY_OPTION_SIZE, "seed", "S", "seed of the starting points of grid-volume", "1"),
    SCALAY_ROW(map_options, budget, SCALAY_OPTION_NUMBER, "budget", "SECONDS",
               "CPU time limit; the report gives the bound on the distance from the optimum", "no limit"),
    SCALAY_GROUP_ROW("Link costs, for --objective time"),
    SCALAY_ROW(map_options, link_cost, SCALAY_OPTION_INPUT, "link-cost", "FILE.csv",
               "cost of an item from each process (a line) to each process (a field)", NULL),
    SCALAY_ROW(map_options, nodes, SCALAY_OPTION_INPUT, "nodes", "LIST|FILE",
               "node of each process, by number or name, such as 0,0,1,1,1 or 0*2,1*3", NULL),
    SCALAY_ROW(map_options, ranks_per_node, SCALAY_OPTION_COUNT, "ranks-per-node", "K",
               "put K consecutive processes on each node", "1 with --distance"),
    SCALAY_ROW(map_options, distance, SCALAY_OPTION_INPUT, "distance", "FILE",
               "cost of an item between nodes: CSV, or output of lstopo --distances or numactl --hardware",
               "1 between nodes, 0.1 within a node"),
    SCALAY_GROUP_ROW("Schedule"),
    SCALAY_ROW(map_options, schedule, SCALAY_OPTION_FLAG, "schedule", "",
               "print a one-port schedule whose length is the steps of the mapping", NULL),
    SCALAY_ROW(map_options, preemptive, SCALAY_OPTION_FLAG, "preemptive", "",
               "allow interrupted messages and have no rounds; needs --schedule", NULL),
    SCALAY_ROW(map_options, slice, SCALAY_OPTION_SIZE, "slice", "ITEMS",
               "minimum length of a slice of a message; larger slices give fewer, longer rounds", "1"),
    SCALAY_ROW(map_options, startup, SCALAY_OPTION_SIZE, "startup", "ITEMS",
               "start-up cost of a round, in items; selects the slice with the least total time", NULL),
    SCALAY_ROW(map_options, machine, SCALAY_OPTION_INPUT, "machine", "FILE",
               "take the start-up cost from a calibration file of scalay calibrate", NULL),
    SCALAY_ROW(map_options, any_host, SCALAY_OPTION_FLAG, "any-host", "",
               "accept a FILE of --machine from another host or BLAS library", NULL),
    SCALAY_CHOICE_ROW(map_options, type, "type", "TYPE", "s|d|c|z", "element type of an item, for --machine", "d"),
    SCALAY_GROUP_ROW("Verification"),
    SCALAY_ROW(map_options, check, SCALAY_OPTION_FLAG, "check", "",
               "check the certificate of optimality and the schedule with code that does not use the solver", NULL),
    SCALAY_ROW(map_options, mapping, SCALAY_OPTION_INPUT, "mapping", "FILE.{json,csv}",
               "judge a given mapping: report whether it is optimal, or a bound on its distance from the optimum",
               NULL),
    SCALAY_GROUP_ROW("Output"),
    SCALAY_CHOICE_ROW(map_options, export_format, "export", "FORMAT", SCALAY_EXPORT_CHOICES,
                      "print the processes of the tiles of the target layout for another library", NULL),
    SCALAY_ROW(map_options, tile, SCALAY_OPTION_COUNT, "tile", "NB", "rows and columns of a tile, for --export",
               "the largest tile with one owner"),
    SCALAY_PLOT_ROW(map_options, "draw the owners before and after, the traffic and the schedule, or the front"),
    SCALAY_JSON_ROW(map_options),
    SCALAY_QUIET_ROW(map_options),
    SCALAY_LAST_ROW,
};

static int wants_front(const map_options *options)
{
    return strcmp(options->objective, "front") == 0;
}

/* ------------------------------------------------------------------------------------------------ options */

static scalay_status check_inputs(const map_options *options)
{
    const int from = options->from.count, to = options->to.count;
    if (options->traffic != NULL && from + to > 0)
        return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT,
                           "--traffic replaces --from and --to; leave --traffic or the layouts away");
    if (options->traffic == NULL && (from == 0 || from != to))
        return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT,
                           "%s is missing; give --from LAYOUT and --to LAYOUT for each matrix, or --traffic FILE",
                           from > to ? "--to" : "--from");
    if (options->grid[0] > 0 && options->traffic == NULL)
        return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "--grid goes with --traffic; the target layout defines its own grid");
    const int keeps_grid = scalay_input_objective(options->objective) == SCALAY_MIN_GRID_VOLUME;
    if (!keeps_grid && (options->grid[0] > 0 || options->seed.given))
        return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "--%s goes with --objective grid-volume, not with %s",
                           options->grid[0] > 0 ? "grid" : "seed", options->objective);
    return SCALAY_SUCCESS;
}

static scalay_status check_schedule(const map_options *options)
{
    if (options->slice.given && !options->schedule)
        return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "--slice goes with --schedule; add --schedule");
    if (options->startup.given && (!options->schedule || options->slice.given))
        return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "--startup goes with --schedule, without --slice; %s",
                           options->schedule ? "leave --slice away" : "add --schedule");
    if (options->machine != NULL && (!options->schedule || options->slice.given || options->startup.given))
        return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "--machine goes with --schedule, without --slice and --startup; %s",
                           options->schedule ? "leave --slice and --startup away" : "add --schedule");
    if (options->machine == NULL && (options->any_host || options->type != NULL))
        return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "--%s goes with --machine FILE; add --machine",
                           options->any_host ? "any-host" : "type");
    if (options->preemptive &&
        (options->machine != NULL || !options->schedule || options->slice.given || options->startup.given))
        return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "--preemptive goes with --schedule, without slices; %s",
                           options->schedule ? "leave --slice, --startup and --machine away" : "add --schedule");
    if (options->slice.given && options->slice.value < 1)
        return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "--slice is 0; it must be at least 1");
    if (wants_front(options) && options->schedule)
        return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "--schedule needs one mapping; give another --objective than front");
    if (wants_front(options) && options->mapping != NULL)
        return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "--mapping needs one objective; give another --objective than front");
    return SCALAY_SUCCESS;
}

static scalay_status check_links(const map_options *options)
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
                           "--link-cost describes processes, --distance, --nodes and --ranks-per-node describe nodes; "
                           "leave one of them away");
    if (options->nodes != NULL && options->ranks_per_node > 0)
        return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT,
                           "--nodes and --ranks-per-node both assign processes to nodes; leave one of them away");
    return SCALAY_SUCCESS;
}

static scalay_status check_export(const map_options *options)
{
    if (options->export_format == NULL && options->tile > 0)
        return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "--tile goes with --export FORMAT");
    if (options->export_format == NULL) return SCALAY_SUCCESS;
    if (options->common.json)
        return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "--export and --json both print to the standard output; give one");
    if (wants_front(options))
        return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "--export needs one mapping; give another --objective than front");
    if (options->to.count != 1)
        return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "--export prints one target layout; give --from and --to once");
    return SCALAY_SUCCESS;
}

static scalay_status check_options(const map_options *options)
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(check_export(options));
    SCALAY_TRY(check_inputs(options));
    SCALAY_TRY(check_schedule(options));
    SCALAY_TRY(check_links(options));
    SCALAY_TRY(scalay_check_picture(options->common.plot));
cleanup:
    return status;
}

/* ------------------------------------------------------------------------------------------------ layouts */

/* Reads the layouts of all matrices. The first pair is printed and drawn. */
static scalay_status read_layouts(const map_options *options, scalay_map_result *result)
{
    scalay_status status = SCALAY_SUCCESS;
    const int pairs = options->from.count;
    SCALAY_TRY(SCALAY_NEW(result->source, pairs));
    SCALAY_TRY(SCALAY_NEW(result->target, pairs));
    result->pairs = pairs;
    for (int k = 0; k < pairs; k++) {
        SCALAY_TRY(scalay_input_layout("--from", options->from.text[k], -1, -1, &result->source[k]));
        SCALAY_TRY(scalay_input_layout("--to", options->to.text[k], scalay_layout_rows(result->source[k]),
                                       scalay_layout_cols(result->source[k]), &result->target[k]));
        const int processes = scalay_layout_processes(result->source[k]);
        if (processes > result->processes) result->processes = processes;
        const int64_t items = scalay_layout_rows(result->source[k]) * scalay_layout_cols(result->source[k]);
        if (!scalay_add_int64(result->items, items, &result->items))
            return SCALAY_FAIL(SCALAY_ERROR_RANGE,
                               "the matrices have more than 2^63 - 1 elements in all; map fewer matrices");
    }
    result->parts = scalay_layout_parts(result->target[0]);
cleanup:
    return status;
}

static scalay_status count_traffic(scalay_map_result *result)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_traffic **single = NULL;
    if (result->traffic != NULL) return SCALAY_SUCCESS;
    scalay_progress_say("counting the traffic");
    if (result->pairs == 1) return scalay_traffic_create(result->source[0], result->target[0], &result->traffic);
    SCALAY_TRY(SCALAY_NEW(single, result->pairs));
    for (int k = 0; k < result->pairs; k++)
        SCALAY_TRY(scalay_traffic_create(result->source[k], result->target[k], &single[k]));
    SCALAY_TRY(scalay_traffic_add(result->pairs, (const scalay_traffic *const *)single, NULL, &result->traffic));
cleanup:
    for (int k = 0; k < result->pairs && single != NULL; k++) scalay_traffic_destroy(&single[k]);
    scalay_release(single);
    return status;
}

/* Sets the rows of the grid of the parts, in row-major order. A column-major grid is the transpose of one. */
static scalay_status find_grid(const map_options *options, scalay_map_result *result)
{
    result->options.grid_rows = (int)options->grid[0];
    if (scalay_input_objective(options->objective) != SCALAY_MIN_GRID_VOLUME) return SCALAY_SUCCESS;
    if (options->traffic == NULL) {
        const scalay_layout *target = result->target[0];
        if (!scalay_layout_is_grid(target))
            return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "--objective grid-volume needs a grid; --to is a tile map");
        result->options.grid_rows =
            (int)(target->order == SCALAY_ROW_MAJOR ? target->row.classes : target->col.classes);
    } else if (options->grid[0] * options->grid[1] != result->parts) {
        return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT,
                           "--objective grid-volume needs the grid of the %d parts; give --grid PxQ", result->parts);
    }
    return SCALAY_SUCCESS;
}

/* -------------------------------------------------------------------------------------------------- links */

static double cost_of_link(int from, int to, void *context)
{
    const scalay_cost_matrix *costs = context;
    return costs->cost[(int64_t)from * costs->extent + to];
}

static int processes_needed(const scalay_map_result *result)
{
    const int larger = result->processes > result->parts ? result->processes : result->parts;
    return result->options.processes > larger ? result->options.processes : larger;
}

static scalay_status read_link_costs(const map_options *options, scalay_map_result *result)
{
    scalay_status status = scalay_as_input(scalay_input_costs(options->link_cost, &result->costs));
    const int needed = processes_needed(result);
    if (status == SCALAY_SUCCESS && result->costs.extent < needed)
        return SCALAY_FAIL(SCALAY_ERROR_MISMATCH, "%s: %d processes; there must be at least %d. Give a %d x %d matrix",
                           options->link_cost, result->costs.extent, needed, needed, needed);
    if (result->options.processes == 0) result->options.processes = result->costs.extent;
    result->options.link_cost = cost_of_link;
    result->options.link_context = &result->costs;
    return status;
}

/* Default cost of an item within a node, relative to 1 between nodes. */
#define WITHIN_NODE 0.1

/* Reads --nodes. All listed processes are offered for parts. */
static scalay_status read_node_list(const map_options *options, scalay_map_result *result)
{
    scalay_status status = SCALAY_SUCCESS;
    const int needed = processes_needed(result);
    SCALAY_TRY(scalay_as_input(scalay_input_nodes("--nodes", options->nodes, &result->nodes)));
    if (result->nodes.processes < needed)
        return SCALAY_FAIL(SCALAY_ERROR_MISMATCH, "--nodes has %d processes; it must have at least %d",
                           result->nodes.processes, needed);
    if (result->options.processes == 0) result->options.processes = result->nodes.processes;
    result->links = (scalay_node_links){
        .nodes = result->nodes.nodes, .ranks_per_node = 1, .node = result->nodes.node, .within = WITHIN_NODE};
cleanup:
    return status;
}

static scalay_status read_distances(const map_options *options, scalay_map_result *result)
{
    scalay_status status = SCALAY_SUCCESS;
    const int nodes = result->links.nodes;
    SCALAY_TRY(scalay_as_input(scalay_input_distances(options->distance, &result->costs)));
    if (result->costs.extent < nodes)
        return SCALAY_FAIL(
            SCALAY_ERROR_MISMATCH,
            "%s: %d nodes; there must be at least the %d of the processes. Give a larger matrix or another %s",
            options->distance, result->costs.extent, nodes, options->nodes != NULL ? "--nodes" : "--ranks-per-node");
    result->links.nodes = result->costs.extent;
    result->links.distance = result->costs.cost;
cleanup:
    return status;
}

static scalay_status read_nodes(const map_options *options, scalay_map_result *result)
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

/* -------------------------------------------------------------------------------------- barred processes */

/* Reads a number at *text and advances *text. Returns -1 if there is no number. */
static long read_process(const char **text)
{
    char *end = NULL;
    const long process = **text >= '0' && **text <= '9' ? strtol(*text, &end, 10) : -1;
    if (end != NULL) *text = end;
    return process <= INT_MAX ? process : -1;
}

/* Reads a list such as 0,3-5. */
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
            return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "--bar is '%s'; it must be a list of processes such as 0,3-5",
                               list);
        if (last >= processes)
            return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "--bar has process %ld; processes must be in [0, %d]", last,
                               processes - 1);
        for (long k = first; k <= last; k++) result->barred[k] = 1;
    } while (*at++ == ',');
    result->options.barred = result->barred;
cleanup:
    return status;
}

/* Latency and bandwidth belong to a link and do not depend on the number of processes that measured them. */
static scalay_status read_startup(const map_options *options, scalay_map_result *result)
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

static scalay_status read_problem(const map_options *options, scalay_map_result *result)
{
    scalay_status status = SCALAY_SUCCESS;
    if (options->traffic == NULL) {
        SCALAY_TRY(read_layouts(options, result));
    } else {
        SCALAY_TRY(scalay_as_input(scalay_input_traffic(options->traffic, &result->traffic)));
        result->processes = scalay_map_traffic_summary(result->traffic).processes;
        result->parts = scalay_map_traffic_summary(result->traffic).parts;
        result->items = scalay_map_traffic_summary(result->traffic).elements;
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

/* ------------------------------------------------------------------------------------------------ solvers */

/* A certificate that does not hold is an error of the solver. */
static scalay_status as_internal(scalay_status status)
{
    return status == SCALAY_ERROR_MISMATCH ? SCALAY_ERROR_INTERNAL : status;
}

/*
 * The traffic is not formed here for objectives whose solver works on layouts: volume and grid-volume always, the
 * others from this number of parts on. Their certificates are then checked on layouts too.
 */
enum { MANY_PARTS = 8192 };

static int needs_traffic(const map_options *options, const scalay_map_result *result)
{
    static const char *const without[] = {"steps", "steps-volume", "volume-steps", "front"};
    int can = strcmp(options->objective, "volume") == 0 || strcmp(options->objective, "grid-volume") == 0;
    if (options->schedule || result->pairs == 0) return 1;
    if (result->parts < MANY_PARTS && (options->check || result->pairs > 1)) return 1;
    if (result->pairs > 1 && wants_front(options)) return 1;
    if (options->common.plot != NULL && !wants_front(options)) return 1;
    for (size_t k = 0; k < sizeof without / sizeof *without; k++)
        can = can || (result->parts >= MANY_PARTS && strcmp(options->objective, without[k]) == 0);
    return !can;
}

static scalay_status solve_front(const map_options *options, scalay_map_result *result)
{
    scalay_status status = SCALAY_SUCCESS;
    if (needs_traffic(options, result)) SCALAY_TRY(count_traffic(result));
    scalay_progress_say("computing the front");
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

/* The canonical mapping, for comparison. It ignores barred processes, because it has no choice. */
static scalay_status solve_canonical(const scalay_map_result *result, scalay_mapping **canonical)
{
    scalay_mapping_options options = result->options;
    options.barred = NULL;
    return solve_for(result, SCALAY_CANONICAL, &options, canonical);
}

static scalay_status solve_chosen(const map_options *options, scalay_map_result *result)
{
    scalay_progress_say("computing the mapping (%s)", options->objective);
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

static scalay_status create_schedule(const map_options *options, const scalay_map_result *result, const int *process,
                                     scalay_schedule **schedule)
{
    const scalay_traffic *traffic = result->traffic;
    scalay_schedule_options kind = scalay_schedule_options_default();
    kind.preemptive = options->preemptive;
    if (!options->preemptive && result->startup >= 0)
        kind.startup = result->startup;
    else if (!options->preemptive && options->slice.given)
        kind.slice = options->slice.value;
    return scalay_schedule_create(traffic, process, &kind, schedule);
}

static scalay_status solve_schedule(const map_options *options, scalay_map_result *result)
{
    scalay_status status = SCALAY_SUCCESS;
    const int *process = scalay_mapping_process(result->chosen);
    scalay_progress_say("computing the schedule");
    SCALAY_TRY(create_schedule(options, result, process, &result->schedule));
    result->preemptive = options->preemptive;
    if (options->check) SCALAY_TRY(as_internal(scalay_schedule_check(result->traffic, process, result->schedule)));
cleanup:
    return status;
}

static scalay_status solve(const map_options *options, scalay_map_result *result)
{
    scalay_status status = SCALAY_SUCCESS;
    if (needs_traffic(options, result)) SCALAY_TRY(count_traffic(result));
    SCALAY_TRY(solve_canonical(result, &result->canonical));
    SCALAY_TRY(solve_chosen(options, result));
    if (options->check) SCALAY_TRY(check_chosen(result));
    if (options->mapping != NULL) SCALAY_TRY(scalay_map_read_given(options->mapping, result));
    if (options->schedule) SCALAY_TRY(solve_schedule(options, result));
cleanup:
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

static scalay_status run_map(const void *given, scalay_comm *comm)
{
    (void)comm;
    scalay_status status = SCALAY_SUCCESS;
    map_options options = *(const map_options *)given;
    scalay_map_result result = {.startup = -1, .options = scalay_mapping_options_default()};
    if (options.objective == NULL) options.objective = scalay_objective_name(SCALAY_MIN_STEPS_THEN_VOLUME);
    SCALAY_TRY(check_options(&options));
    SCALAY_TRY(read_problem(&options, &result));
    SCALAY_TRY(wants_front(&options) ? solve_front(&options, &result) : solve(&options, &result));
    if (options.common.plot != NULL) SCALAY_TRY(scalay_map_draw(options.common.plot, &result));
    scalay_progress_stop();
    if (options.export_format != NULL)
        status = scalay_export_layout(options.export_format, result.target[0], options.tile,
                                      scalay_mapping_process(result.chosen));
    else if (options.common.json)
        status = scalay_map_print_json(&result);
    else if (!options.common.quiet)
        status = scalay_map_print_text(&result);
cleanup:
    release(&result);
    return status;
}

const scalay_subcommand scalay_subcommand_map = {
    .name = "map",
    .summary = "compute the optimal mapping of parts to processes",
    .usage = {"--from LAYOUT --to LAYOUT [OPTIONS]", "--traffic FILE.csv [OPTIONS]"},
    .description =
        "Computes the optimal mapping of the parts of a target layout onto the processes, given the layout of the "
        "data. "
        "Reports the volume (items that change process) and the one-port steps (maximum of items sent or received by a "
        "process), compared with the canonical mapping of part j to process j.\n"
        "\n"
        "Objectives: volume, steps, and the two combinations in order of priority; front, all Pareto-optimal pairs of "
        "steps and volume; time, the sum of link costs; grid-volume, the volume of a mapping that keeps the rows and "
        "columns of the process grid.\n",
    .example = "  scalay map --from skewed:m=512,n=512,mb=64,nb=64,p=2,q=2 \\\n"
               "             --to cyclic:mb=64,nb=64,p=2,q=2 --schedule --check\n",
    .table = option_table,
    .options_size = sizeof(map_options),
    .run = run_map,
};
