/* scalay partition: which part of a matrix each processor should get. */

#include <string.h>

#include "base/memory.h"
#include "failure.h"
#include "inputs.h"
#include "io/plot.h"
#include "options.h"
#include "partition_input.h"
#include "partition_report.h"
#include "progress.h"

static const scalay_option partition_options[] = {
    SCALAY_OPTION_ROW("size", SCALAY_OPTION_TEXT, extents, "MxN", "rows and columns of the matrix"),
    SCALAY_OPTION_ROW("speeds", SCALAY_OPTION_TEXT, speeds, "1,0.5,0.25",
                      "how fast the processors are: parts get areas in proportion"),
    SCALAY_OPTION_ROW("areas", SCALAY_OPTION_TEXT, areas, "A,B,..",
                      "how much each part gets: fractions that add up to 1, or elements that add up to M N"),
    SCALAY_OPTION_ROW("from-workload", SCALAY_OPTION_TEXT, from_workload, "FILE.json",
                      "areas in proportion to the distribution that scalay workload --json printed"),
    SCALAY_OPTION_ROW("shape", SCALAY_OPTION_TEXT, shape, "NAME",
                      "auto (the default: the best of all), or one of the shapes and methods above"),
    SCALAY_OPTION_ROW("objective", SCALAY_OPTION_CHOICE, objective, "volume|time|energy",
                      "what to make small: elements sent, seconds or joules over the links (default: volume)"),
    SCALAY_OPTION_ROW("link-time", SCALAY_OPTION_TEXT, link_time, "FILE.csv",
                      "seconds for an element from each processor (a line) to each (a field)"),
    SCALAY_OPTION_ROW("link-energy", SCALAY_OPTION_TEXT, link_energy, "FILE.csv", "joules for an element, likewise"),
    SCALAY_OPTION_ROW("link-mode", SCALAY_OPTION_CHOICE, link_mode, "serial|parallel|one-port",
                      "when the links are used: one after the other (the default), all at the same time, or one in and "
                      "one out per processor"),
    SCALAY_OPTION_ROW(
        "broadcast", SCALAY_OPTION_CHOICE, broadcast, "direct|tree|relay",
        "from the owner to everybody (the default), passed on along a cheapest tree of those who need the "
        "elements, or relayed by others too"),
    SCALAY_OPTION_ROW("tile", SCALAY_OPTION_COUNT, tile, "NB",
                      "edges lie on multiples of NB rows and columns (default: 1)"),
    SCALAY_OPTION_ROW("exact-counts", SCALAY_OPTION_FLAG, exact_counts, "",
                      "every part gets exactly its area, rounded to elements (or tiles)"),
    SCALAY_OPTION_ROW("tolerance", SCALAY_OPTION_SHARE, tolerance, "PERCENT",
                      "the largest load error that is accepted, such as 2%; when it cannot be kept there is no "
                      "partition"),
    SCALAY_OPTION_ROW("seed", SCALAY_OPTION_SIZE, seed, "S", "of the local search (default: 1)"),
    SCALAY_OPTION_ROW("budget", SCALAY_OPTION_NUMBER, budget, "SECONDS",
                      "of the local search (default: a number of moves, which makes results reproducible)"),
    SCALAY_OPTION_ROW("evaluate", SCALAY_OPTION_TEXT, evaluate, "LAYOUT",
                      "instead of all that: what a given layout costs; see scalay show --help"),
    SCALAY_OPTION_ROW(
        "inner", SCALAY_OPTION_SIZE, inner, "K",
        "for --evaluate: A has K columns and B K rows, cut like the layout (default: A and B are cut like "
        "the layout)"),
    SCALAY_OPTION_ROW("plot", SCALAY_OPTION_TEXT, plot, "FILE.{svg,png,pdf}",
                      "draws the parts; the gnuplot script stays as FILE.gp"),
    SCALAY_OPTION_ROW("json", SCALAY_OPTION_FLAG, json, "", "prints JSON instead of text"),
    {NULL, SCALAY_OPTION_FLAG, 0, NULL, NULL},
};

static scalay_status check_options(const scalay_options *options)
{
    const char *objective = options->objective;
    if (options->evaluate != NULL && (options->extents != NULL || options->speeds != NULL || options->areas != NULL ||
                                      options->from_workload != NULL || options->shape != NULL))
        return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT,
                           "--evaluate takes its sizes and parts from the layout; leave --size, --speeds, --areas, "
                           "--from-workload and --shape away");
    if (options->evaluate != NULL && (options->objective != NULL || options->tile > 0 || options->seed.given ||
                                      options->exact_counts || options->tolerance.given || options->budget.given))
        return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT,
                           "--evaluate looks for nothing; leave --objective, --tile, --seed, --exact-counts, "
                           "--tolerance and --budget away");
    if ((options->link_mode != NULL || options->broadcast != NULL) && options->link_time == NULL &&
        options->link_energy == NULL)
        return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "--%s goes with --link-time or --link-energy FILE.csv",
                           options->link_mode != NULL ? "link-mode" : "broadcast");
    if (options->evaluate == NULL && options->inner.given)
        return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "--inner goes with --evaluate LAYOUT");
    if (objective != NULL && strcmp(objective, "time") == 0 && options->link_time == NULL)
        return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "--objective time needs --link-time FILE.csv");
    if (objective != NULL && strcmp(objective, "energy") == 0 && options->link_energy == NULL)
        return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "--objective energy needs --link-energy FILE.csv");
    return options->plot != NULL ? scalay_plot_check_path(options->plot) : SCALAY_SUCCESS;
}

static scalay_partition_options library_options(const scalay_options *options, const scalay_input_links *links)
{
    scalay_partition_options wanted = scalay_partition_options_default();
    const char *objective = options->objective;
    if (objective != NULL && strcmp(objective, "time") == 0) wanted.objective = SCALAY_PARTITION_TIME;
    if (objective != NULL && strcmp(objective, "energy") == 0) wanted.objective = SCALAY_PARTITION_ENERGY;
    wanted.shape = options->shape;
    if (links->links.processors > 0) wanted.links = &links->links;
    if (options->tile > 0) wanted.tile = options->tile;
    if (options->seed.given) wanted.seed = (uint64_t)options->seed.value;
    wanted.exact_counts = options->exact_counts;
    wanted.tolerance = options->tolerance.value;
    wanted.budget = options->budget.value;
    return wanted;
}

static scalay_status create(const scalay_options *options, scalay_partition_report *report)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_partition_question question = {0};
    scalay_input_links links = {0};
    SCALAY_TRY(scalay_input_partition(options, &question));
    SCALAY_TRY(scalay_input_links_read(options, question.parts, &links));
    const scalay_partition_options wanted = library_options(options, &links);
    scalay_progress_say("looking for the best partition into %d parts", question.parts);
    SCALAY_TRY(
        scalay_partition_create(question.m, question.n, question.parts, question.area, &wanted, &report->partition));
    report->map = scalay_partition_map(report->partition);
    report->cost = scalay_partition_cost(report->partition);
    report->parts = question.parts;
    report->area = question.area;
    question.area = NULL;
cleanup:
    scalay_input_links_free(&links);
    scalay_release(question.area);
    return status;
}

static scalay_status evaluate(const scalay_options *options, scalay_partition_report *report)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_layout *layout = NULL;
    scalay_owner_map *a = NULL;
    scalay_owner_map *b = NULL;
    scalay_input_links links = {0};
    SCALAY_TRY(scalay_input_layout("--evaluate", options->evaluate, -1, -1, &layout));
    SCALAY_TRY(scalay_layout_owner_map(layout, &report->own_map));
    report->map = report->own_map;
    report->parts = scalay_owner_map_parts(report->map);
    SCALAY_TRY(scalay_input_links_read(options, report->parts, &links));
    if (options->inner.given) {
        SCALAY_TRY(scalay_owner_map_resize(report->map, scalay_owner_map_rows(report->map), options->inner.value, &a));
        SCALAY_TRY(scalay_owner_map_resize(report->map, options->inner.value, scalay_owner_map_cols(report->map), &b));
    }
    SCALAY_TRY(scalay_multiply_cost_create(a, b, report->map, links.links.processors > 0 ? &links.links : NULL,
                                           &report->own_cost));
    report->cost = report->own_cost;
cleanup:
    scalay_input_links_free(&links);
    scalay_owner_map_destroy(&b);
    scalay_owner_map_destroy(&a);
    scalay_layout_destroy(&layout);
    return status;
}

static scalay_status draw(const char *path, const scalay_partition_report *report)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_plot *plot = NULL;
    scalay_layout *layout = NULL;
    char title[128];
    scalay_partition_title(report, title, sizeof title);
    SCALAY_TRY(scalay_layout_from_owner_map(report->map, &layout));
    SCALAY_TRY(scalay_plot_create(title, &plot));
    SCALAY_TRY(scalay_partition_plot(report, layout, plot));
    SCALAY_TRY(scalay_plot_save(plot, path));
cleanup:
    scalay_layout_destroy(&layout);
    scalay_plot_destroy(&plot);
    return status;
}

static scalay_status run_partition(const scalay_options *options, scalay_comm *comm)
{
    (void)comm;
    scalay_status status = SCALAY_SUCCESS;
    scalay_partition_report report = {0};
    SCALAY_TRY(check_options(options));
    SCALAY_TRY(options->evaluate != NULL ? evaluate(options, &report) : create(options, &report));
    if (options->plot != NULL) {
        scalay_progress_say("drawing %s", options->plot);
        SCALAY_TRY(draw(options->plot, &report));
    }
    scalay_progress_stop();
    SCALAY_TRY(options->json ? scalay_partition_print_json(&report) : scalay_partition_print_text(&report));
cleanup:
    scalay_multiply_cost_destroy(&report.own_cost);
    scalay_owner_map_destroy(&report.own_map);
    scalay_partition_destroy(&report.partition);
    scalay_release(report.area);
    return status;
}

const scalay_command scalay_command_partition = {
    .name = "partition",
    .summary = "cuts a matrix into parts of given areas so that a product sends the least",
    .usage = "--size MxN --speeds S,.. | --areas A,.. | --from-workload FILE.json [OPTIONS]\n"
             "       scalay partition --evaluate LAYOUT [OPTIONS]",
    .description = "Finds out which part of a matrix each processor should get so that a product C := A B, computed\n"
                   "where C is, sends the least data, or needs the least time or energy over given links. For two and\n"
                   "three processors all shapes are tried: square-corner, square-rectangle, block-rectangle,\n"
                   "straight-line, rectangle-corner, skewed-block, adjacent-corner, nested-corner; for more: columns,\n"
                   "nagamochi-abe, recursive, recursive-best, slicing, grid. What is printed can be used as a LAYOUT:\n"
                   "partition:FILE.json.\n",
    .example = "  scalay partition --size 1000x1000 --speeds 1,0.15,0.05 --plot parts.svg\n",
    .operand = NULL,
    .options = partition_options,
    .run = run_partition,
};
