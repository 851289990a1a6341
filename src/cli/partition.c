/*
 * scalay partition: areas to shapes, with the costs of all candidates; or the cost of a given owner map. This file
 * reads the options, calls scalay_partition_create() or scalay_multiply_cost_create(), and prints the result.
 */

#include "scalay/partition.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/integer.h"
#include "base/memory.h"
#include "base/text.h"
#include "input.h"
#include "io/plot.h"
#include "output.h"
#include "partition/owner_map.h"
#include "pattern.h"

enum { MAX_PARTS = 64, MAX_PAIRS = 8, MAX_DENSE = 1024, MAX_LABELS = 20, LABEL_SIZE = 96 };

/* Tolerance of the sum of areas, because decimal fractions are rounded. */
static const double SUM_TOLERANCE = 1e-6;

typedef struct {
    scalay_common_options common;
    const char *size;
    const char *speeds;
    const char *areas;
    const char *from_workload;
    const char *shape;
    const char *objective;
    int64_t tile; /* 0: not given */
    int exact_counts;
    scalay_option_number tolerance; /* fraction */
    scalay_option_integer seed;
    scalay_option_number budget; /* seconds */
    const char *link_time;
    const char *link_energy;
    const char *link_mode;
    const char *broadcast;
    const char *evaluate;
    scalay_option_integer inner;
    const char *kernel;
    const char *export_format;
} partition_options;

static const scalay_option option_table[] = {
    SCALAY_GROUP_ROW("Problem"),
    SCALAY_ROW(partition_options, size, SCALAY_OPTION_TEXT, "size", "MxN", "rows and columns of the matrix", NULL),
    SCALAY_ROW(partition_options, speeds, SCALAY_OPTION_TEXT, "speeds", "S,S,..",
               "relative speeds of the processors; areas are proportional to them", NULL),
    SCALAY_ROW(partition_options, areas, SCALAY_OPTION_TEXT, "areas", "A,A,..",
               "area of each part: fractions with sum 1, or elements with sum M N", NULL),
    SCALAY_ROW(partition_options, from_workload, SCALAY_OPTION_INPUT, "from-workload", "FILE.json",
               "areas proportional to the distribution from scalay workload --json", NULL),
    SCALAY_ROW(partition_options, evaluate, SCALAY_OPTION_TEXT, "evaluate", "LAYOUT",
               "report the cost of a given layout instead", NULL),
    SCALAY_ROW(partition_options, inner, SCALAY_OPTION_SIZE, "inner", "K",
               "with --evaluate: A has K columns and B has K rows, partitioned like the layout",
               "the extents of the layout"),
    SCALAY_CHOICE_ROW(partition_options, kernel, "kernel", "NAME", "lu|qr|cholesky|gemm",
                      "with --evaluate: count the tiles that a kernel sends; --tile is the tile extent", NULL),
    SCALAY_GROUP_ROW("Shape"),
    SCALAY_ROW(partition_options, shape, SCALAY_OPTION_TEXT, "shape", "NAME", "shape or method; auto tries all",
               "auto"),
    SCALAY_CHOICE_ROW(partition_options, objective, "objective", "NAME", "volume|time|energy", "objective to minimise",
                      "volume"),
    SCALAY_ROW(partition_options, tile, SCALAY_OPTION_COUNT, "tile", "NB",
               "put edges on multiples of NB rows and columns", "1"),
    SCALAY_ROW(partition_options, exact_counts, SCALAY_OPTION_FLAG, "exact-counts", "",
               "give each part exactly its area, rounded to elements or tiles", NULL),
    SCALAY_ROW(partition_options, tolerance, SCALAY_OPTION_SHARE, "tolerance", "SHARE",
               "maximum load error, such as 2%; no partition is reported if it is exceeded", "no limit"),
    SCALAY_ROW(partition_options, seed, SCALAY_OPTION_SIZE, "seed", "S", "seed of the local search", "1"),
    SCALAY_ROW(partition_options, budget, SCALAY_OPTION_NUMBER, "budget", "SECONDS", "time limit of the local search",
               "a number of moves, so that results are reproducible"),
    SCALAY_GROUP_ROW("Link costs, for --objective time and energy"),
    SCALAY_ROW(partition_options, link_time, SCALAY_OPTION_INPUT, "link-time", "FILE.csv",
               "seconds per element from each processor (a line) to each processor (a field)", NULL),
    SCALAY_ROW(partition_options, link_energy, SCALAY_OPTION_INPUT, "link-energy", "FILE.csv",
               "joules per element, likewise", NULL),
    SCALAY_CHOICE_ROW(partition_options, link_mode, "link-mode", "NAME", "serial|parallel|one-port",
                      "concurrency of the links: one at a time, all, or one in and one out per processor", "serial"),
    SCALAY_CHOICE_ROW(partition_options, broadcast, "broadcast", "NAME", "direct|tree|relay",
                      "path of an element: from the owner to each receiver, along a cheapest tree of receivers, or "
                      "through other processors too",
                      "direct"),
    SCALAY_GROUP_ROW("Output"),
    SCALAY_CHOICE_ROW(partition_options, export_format, "export", "FORMAT", SCALAY_EXPORT_CHOICES,
                      "with --evaluate: print the owners of the tiles for another library", NULL),
    SCALAY_PLOT_ROW(partition_options, "draw the parts"),
    SCALAY_JSON_ROW(partition_options),
    SCALAY_QUIET_ROW(partition_options),
    SCALAY_LAST_ROW,
};

/* ------------------------------------------------------------------------------------------------ options */

/* Extents and areas. */
typedef struct {
    int64_t m, n;
    int parts;
    double *area; /* shape [parts] */
} partition_problem;

/* Link costs with the matrices they point to. */
typedef struct {
    scalay_links links;
    scalay_cost_matrix time, energy;
} input_links;

/* A partition, or a given owner map. */
typedef struct {
    scalay_partition *partition;      /* NULL: an owner map is given */
    const scalay_owner_map *map;      /* of the partition, or given */
    const scalay_multiply_cost *cost; /* likewise */
    scalay_owner_map *own_map;        /* the given map; owned */
    scalay_multiply_cost *own_cost;   /* its cost; owned */
    const char *kernel;               /* NULL: tiles are not counted */
    int64_t tile;                     /* tile extent for the kernel */
    scalay_tile_traffic traffic;
    int parts;
    double *area; /* shape [parts], as requested, in proportion; NULL: an owner map is given */
} partition_result;

static scalay_multiply_cost_summary cost_of(const partition_result *result)
{
    scalay_multiply_cost_summary summary;
    (void)scalay_multiply_cost_get_summary(result->cost, &summary);
    return summary;
}

static scalay_partition_summary summary_of(const partition_result *result)
{
    scalay_partition_summary summary;
    (void)scalay_partition_get_summary(result->partition, &summary);
    return summary;
}

static scalay_status check_options(const partition_options *options)
{
    const char *objective = options->objective;
    if (options->evaluate != NULL && (options->size != NULL || options->speeds != NULL || options->areas != NULL ||
                                      options->from_workload != NULL || options->shape != NULL))
        return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT,
                           "--evaluate takes extents and parts from the layout; leave --size, --speeds, --areas, "
                           "--from-workload and --shape away");
    if (options->evaluate != NULL &&
        (options->objective != NULL || options->seed.given ||
         (options->tile > 0 && options->kernel == NULL && options->export_format == NULL) || options->exact_counts ||
         options->tolerance.given || options->budget.given))
        return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT,
                           "--evaluate does not search; leave --objective, --tile, --seed, --exact-counts, "
                           "--tolerance and --budget away");
    if ((options->link_mode != NULL || options->broadcast != NULL) && options->link_time == NULL &&
        options->link_energy == NULL)
        return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "--%s goes with --link-time or --link-energy FILE.csv",
                           options->link_mode != NULL ? "link-mode" : "broadcast");
    if (options->evaluate == NULL && (options->kernel != NULL || options->export_format != NULL))
        return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "--%s goes with --evaluate LAYOUT",
                           options->kernel != NULL ? "kernel" : "export");
    if (options->evaluate == NULL && options->inner.given)
        return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "--inner goes with --evaluate LAYOUT");
    if (objective != NULL && strcmp(objective, "time") == 0 && options->link_time == NULL)
        return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "--objective time needs --link-time FILE.csv");
    if (objective != NULL && strcmp(objective, "energy") == 0 && options->link_energy == NULL)
        return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "--objective energy needs --link-energy FILE.csv");
    return scalay_check_picture(options->common.plot);
}

static int is_extent(const char *text, size_t length, int64_t *extent)
{
    return scalay_text_to_int64(text, length, extent) == SCALAY_NUMBER_VALID && *extent >= 1;
}

static scalay_status read_size(const char *text, int64_t *m, int64_t *n)
{
    size_t rows = strcspn(text, "xX");
    const char *cols = text + rows + (text[rows] != '\0');
    if (is_extent(text, rows, m) && is_extent(cols, strlen(cols), n)) return SCALAY_SUCCESS;
    return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT,
                       "--size is '%s'; it must be rows and columns, each at least 1, such as 1000x800", text);
}

/* Areas must be fractions of the matrix or numbers of elements. */
static scalay_status check_sum(const partition_problem *problem)
{
    double elements = (double)problem->m * (double)problem->n;
    double sum = 0.0;
    for (int part = 0; part < problem->parts; part++) sum += problem->area[part];
    if (fabs(sum - 1.0) <= SUM_TOLERANCE || fabs(sum - elements) <= SUM_TOLERANCE * elements) return SCALAY_SUCCESS;
    return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT,
                       "the sum of --areas is %.15g; it must be 1 (fractions) or %.15g (elements). Use --speeds for "
                       "proportions",
                       sum, elements);
}

static scalay_status read_areas(const partition_options *options, partition_problem *problem)
{
    scalay_status status = scalay_input_numbers("--areas", options->areas, &problem->parts, &problem->area);
    return status == SCALAY_SUCCESS ? check_sum(problem) : status;
}

static scalay_status area_of(const char *path, const json_t *size, double *area)
{
    if (json_is_integer(size) && json_integer_value(size) >= 0) {
        *area = (double)json_integer_value(size);
        return SCALAY_SUCCESS;
    }
    return SCALAY_FAIL(SCALAY_ERROR_FORMAT, "%s: each entry of \"distribution\" must be an integer of at least 0",
                       path);
}

static scalay_status read_distribution(const char *path, const json_t *list, partition_problem *problem)
{
    scalay_status status = SCALAY_SUCCESS;
    size_t count = json_array_size(list);
    if (count == 0 || count > (size_t)INT_MAX)
        return SCALAY_FAIL(SCALAY_ERROR_FORMAT, "%s: \"distribution\" has %zu entries; it must have 1 to %d", path,
                           count, INT_MAX);
    problem->parts = (int)count;
    SCALAY_TRY(SCALAY_NEW(problem->area, problem->parts));
    for (int part = 0; part < problem->parts; part++)
        SCALAY_TRY(area_of(path, json_array_get(list, (size_t)part), &problem->area[part]));
cleanup:
    return status;
}

/* Finds the distribution of an objective, or of the selected point of a front. */
static scalay_status find_distribution(const char *path, const json_t *document, const json_t **list)
{
    const json_t *feasible = json_object_get(document, "feasible");
    *list = json_object_get(document, "distribution");
    if (feasible != NULL && json_is_false(feasible))
        return SCALAY_FAIL(SCALAY_ERROR_INFEASIBLE, "%s: the workload has no distribution (\"feasible\": false)", path);
    if (*list == NULL) *list = json_object_get(json_object_get(document, "chosen"), "distribution");
    if (json_is_array(*list)) return SCALAY_SUCCESS;
    if (json_object_get(document, "front") != NULL)
        return SCALAY_FAIL(
            SCALAY_ERROR_FORMAT,
            "%s: the file has a front; select a point with --knee, --within-time or --within-energy of scalay "
            "workload",
            path);
    return SCALAY_FAIL(SCALAY_ERROR_FORMAT,
                       "%s: \"distribution\" is missing; the file must be the output of scalay workload --json", path);
}

static scalay_status read_workload(const char *path, partition_problem *problem)
{
    scalay_status status = SCALAY_SUCCESS;
    json_t *document = NULL;
    const json_t *list = NULL;
    SCALAY_TRY(scalay_input_document(path, &document));
    SCALAY_TRY(find_distribution(path, document, &list));
    SCALAY_TRY(read_distribution(path, list, problem));
cleanup:
    json_decref(document);
    return status;
}

static scalay_status read_problem(const partition_options *options, partition_problem *problem)
{
    const int given = (options->speeds != NULL) + (options->areas != NULL) + (options->from_workload != NULL);
    *problem = (partition_problem){0};
    if (options->size == NULL)
        return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "--size is missing; give rows and columns, such as --size 1000x800");
    if (given != 1)
        return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "the areas are %s; give one of --speeds, --areas and --from-workload",
                           given == 0 ? "missing" : "given twice");
    scalay_status status = read_size(options->size, &problem->m, &problem->n);
    if (status != SCALAY_SUCCESS) return status;
    if (options->speeds != NULL)
        return scalay_input_numbers("--speeds", options->speeds, &problem->parts, &problem->area);
    if (options->areas != NULL) return read_areas(options, problem);
    return read_workload(options->from_workload, problem);
}

/* -------------------------------------------------------------------------------------------- link costs */

static scalay_status read_matrix(const char *path, int parts, int *processors, scalay_cost_matrix *costs)
{
    if (path == NULL) return SCALAY_SUCCESS;
    scalay_status status = scalay_as_input(scalay_input_costs(path, costs));
    if (status != SCALAY_SUCCESS) return status;
    if (costs->extent < parts)
        return SCALAY_FAIL(SCALAY_ERROR_MISMATCH,
                           "%s: %d processors; there must be at least the %d of the parts. Give a %d x %d matrix", path,
                           costs->extent, parts, parts, parts);
    if (*processors != 0 && *processors != costs->extent)
        return SCALAY_FAIL(SCALAY_ERROR_MISMATCH, "%s: %d processors; there must be %d as in --link-time", path,
                           costs->extent, *processors);
    *processors = costs->extent;
    return SCALAY_SUCCESS;
}

static scalay_status read_links(const partition_options *options, int parts, input_links *links)
{
    static const char *const modes[] = {"serial", "parallel", "one-port"};
    static const char *const broadcasts[] = {"direct", "tree", "relay"};
    scalay_status status = SCALAY_SUCCESS;
    *links = (input_links){.links = scalay_links_default()};
    SCALAY_TRY(read_matrix(options->link_time, parts, &links->links.processors, &links->time));
    SCALAY_TRY(read_matrix(options->link_energy, parts, &links->links.processors, &links->energy));
    links->links.seconds_per_element = links->time.cost;
    links->links.joules_per_element = links->energy.cost;
    for (int k = 0; k < 3; k++) {
        if (options->link_mode != NULL && strcmp(options->link_mode, modes[k]) == 0)
            links->links.mode = (scalay_links_mode)k;
        if (options->broadcast != NULL && strcmp(options->broadcast, broadcasts[k]) == 0)
            links->links.broadcast = (scalay_broadcast)k;
    }
cleanup:
    return status;
}

static void free_links(input_links *links)
{
    scalay_release(links->time.cost);
    scalay_release(links->energy.cost);
    *links = (input_links){0};
}

/* ------------------------------------------------------------------------------------------------- solvers */

static scalay_partition_options solver_options(const partition_options *options, const input_links *links)
{
    scalay_partition_options solver = scalay_partition_options_default();
    const char *objective = options->objective;
    if (objective != NULL && strcmp(objective, "time") == 0) solver.objective = SCALAY_PARTITION_TIME;
    if (objective != NULL && strcmp(objective, "energy") == 0) solver.objective = SCALAY_PARTITION_ENERGY;
    solver.shape = options->shape;
    if (links->links.processors > 0) solver.links = &links->links;
    if (options->tile > 0) solver.tile = options->tile;
    if (options->seed.given) solver.seed = (uint64_t)options->seed.value;
    solver.exact_counts = options->exact_counts;
    solver.tolerance = options->tolerance.value;
    solver.budget = options->budget.value;
    return solver;
}

static scalay_status create(const partition_options *options, partition_result *result)
{
    scalay_status status = SCALAY_SUCCESS;
    partition_problem problem = {0};
    input_links links = {0};
    SCALAY_TRY(read_problem(options, &problem));
    SCALAY_TRY(read_links(options, problem.parts, &links));
    const scalay_partition_options solver = solver_options(options, &links);
    scalay_progress_say("computing a partition into %d parts", problem.parts);
    SCALAY_TRY(scalay_partition_create(problem.m, problem.n, problem.parts, problem.area, &solver, &result->partition));
    result->map = scalay_partition_map(result->partition);
    result->cost = scalay_partition_cost(result->partition);
    result->parts = problem.parts;
    result->area = problem.area;
    problem.area = NULL;
cleanup:
    free_links(&links);
    scalay_release(problem.area);
    return status;
}

/* Counts tiles, or prints the owners of tiles. */
static scalay_status evaluate_tiles(const partition_options *options, const scalay_layout *layout,
                                    partition_result *result)
{
    scalay_status status = SCALAY_SUCCESS;
    result->kernel = options->kernel;
    result->tile = options->tile > 0 ? options->tile : scalay_input_tile(result->map);
    if (options->kernel != NULL)
        SCALAY_TRY(scalay_owner_map_tile_traffic(result->map, result->tile,
                                                 scalay_input_pattern_kernel(options->kernel), NULL, &result->traffic));
    if (options->export_format != NULL)
        SCALAY_TRY(scalay_export_layout(options->export_format, layout, result->tile, NULL));
cleanup:
    return status;
}

static scalay_status evaluate(const partition_options *options, partition_result *result)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_layout *layout = NULL;
    scalay_owner_map *a = NULL;
    scalay_owner_map *b = NULL;
    input_links links = {0};
    SCALAY_TRY(scalay_input_layout("--evaluate", options->evaluate, -1, -1, &layout));
    SCALAY_TRY(scalay_layout_owner_map(layout, &result->own_map));
    result->map = result->own_map;
    result->parts = scalay_owner_map_parts(result->map);
    SCALAY_TRY(read_links(options, result->parts, &links));
    if (options->inner.given) {
        SCALAY_TRY(scalay_owner_map_resize(result->map, scalay_owner_map_rows(result->map), options->inner.value, &a));
        SCALAY_TRY(scalay_owner_map_resize(result->map, options->inner.value, scalay_owner_map_cols(result->map), &b));
    }
    SCALAY_TRY(scalay_multiply_cost_create(a, b, result->map, links.links.processors > 0 ? &links.links : NULL,
                                           &result->own_cost));
    result->cost = result->own_cost;
    SCALAY_TRY(evaluate_tiles(options, layout, result));
cleanup:
    free_links(&links);
    scalay_owner_map_destroy(&b);
    scalay_owner_map_destroy(&a);
    scalay_layout_destroy(&layout);
    return status;
}

/* -------------------------------------------------------------------------------------------------- report */

static const char *chosen_shape(const partition_result *result)
{
    scalay_partition_candidate candidate;
    if (result->partition == NULL) return "given map";
    if (scalay_partition_get_candidate(result->partition, summary_of(result).chosen, &candidate) != SCALAY_SUCCESS)
        return "";
    return candidate.shape;
}

static double share_of(const partition_result *result, int part)
{
    double all = (double)scalay_owner_map_rows(result->map) * (double)scalay_owner_map_cols(result->map);
    return scalay_percent((double)scalay_owner_map_elements(result->map, part), all);
}

static int64_t sent_by(const partition_result *result, int part)
{
    int64_t sent = 0;
    for (int to = 0; to < result->parts; to++) sent += scalay_multiply_cost_sent(result->cost, part, to);
    return sent;
}

static int64_t received_by(const partition_result *result, int part)
{
    int64_t received = 0;
    for (int from = 0; from < result->parts; from++) received += scalay_multiply_cost_sent(result->cost, from, part);
    return received;
}

static void title_of(const partition_result *result, char *text, size_t size)
{
    double volume = (double)cost_of(result).volume;
    double bound = summary_of(result).lower_bound;
    if (result->partition != NULL && bound > 0.0)
        (void)snprintf(text, size, "%s: %.4g elements sent, %.3f times the bound", chosen_shape(result), volume,
                       volume / bound);
    else
        (void)snprintf(text, size, "%s: %.4g elements sent", chosen_shape(result), volume);
}

static scalay_status add_parts(const partition_result *result, const scalay_layout *layout, scalay_plot *plot)
{
    char text[MAX_LABELS][LABEL_SIZE];
    const char *labels[MAX_LABELS];
    int labelled = result->parts <= MAX_LABELS;
    for (int part = 0; labelled && part < result->parts; part++) {
        (void)snprintf(text[part], LABEL_SIZE, "%d: %.2f%%, sends %.3g", part, share_of(result, part),
                       (double)sent_by(result, part));
        labels[part] = text[part];
    }
    return scalay_plot_add_parts(plot, NULL, layout, labelled ? labels : NULL);
}

/* ------------------------------------------------------------------------------------------------------ text */

static scalay_status add_candidate(const partition_result *result, int k, int timed, int energetic, scalay_table *table)
{
    char time[32] = "";
    char energy[32] = "";
    scalay_partition_candidate candidate;
    scalay_status status = scalay_partition_get_candidate(result->partition, k, &candidate);
    double bound = summary_of(result).lower_bound;
    if (status != SCALAY_SUCCESS) return status;
    if (!candidate.feasible) return scalay_table_add(table, "%s|-|-", candidate.shape);
    if (timed) (void)snprintf(time, sizeof time, "|%.6g", candidate.time);
    if (energetic) (void)snprintf(energy, sizeof energy, "|%.6g", candidate.energy);
    return scalay_table_add(table, "%s%s|%.6g|%.4f%s%s", candidate.shape, k == summary_of(result).chosen ? " *" : "",
                            candidate.continuous_cost, bound > 0.0 ? candidate.continuous_cost / bound : 1.0, time,
                            energy);
}

static scalay_status print_candidates(const partition_result *result)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_table table = {0};
    int timed = !isnan(cost_of(result).time);
    int energetic = !isnan(cost_of(result).energy);
    SCALAY_TRY(
        scalay_table_add(&table, "shape|cost|cost / bound%s%s", timed ? "|seconds" : "", energetic ? "|joules" : ""));
    for (int k = 0; k < summary_of(result).candidates; k++)
        SCALAY_TRY(add_candidate(result, k, timed, energetic, &table));
    printf("Candidates for the exact areas (* chosen; no partition costs less than %.6g):\n",
           summary_of(result).lower_bound);
    scalay_table_print(&table);
cleanup:
    scalay_table_free(&table);
    return status;
}

/* Prints the description without its indented lines, the candidates, which the table has. */
static void print_description_lines(char *text)
{
    for (char *line = text; *line != '\0';) {
        char *end = line + strcspn(line, "\n");
        int last = *end == '\0';
        *end = '\0';
        if (*line != ' ' && *line != '\0') scalay_print_wrapped(line, 0, 0, stdout);
        line = end + !last;
    }
}

static scalay_status print_description(const scalay_partition *partition)
{
    scalay_status status = SCALAY_SUCCESS;
    char *text = NULL;
    int length = scalay_partition_describe(partition, NULL, 0);
    SCALAY_TRY(SCALAY_NEW(text, (int64_t)length + 1));
    (void)scalay_partition_describe(partition, text, (size_t)length + 1);
    printf("\n");
    print_description_lines(text);
cleanup:
    scalay_release(text);
    return status;
}

/* Prints why infeasible shapes do not exist. */
static void print_reasons(const partition_result *result)
{
    scalay_partition_candidate candidate;
    for (int k = 0; k < summary_of(result).candidates; k++)
        if (scalay_partition_get_candidate(result->partition, k, &candidate) == SCALAY_SUCCESS && !candidate.feasible)
            printf("  %s: %s\n", candidate.shape, candidate.reason);
}

static scalay_status print_costs(const partition_result *result)
{
    scalay_half_perimeter half;
    scalay_status status = scalay_owner_map_half_perimeter(result->map, &half);
    if (status != SCALAY_SUCCESS) return status;
    printf("\nThe %lld x %lld map (%s) sends %lld elements", (long long)scalay_owner_map_rows(result->map),
           (long long)scalay_owner_map_cols(result->map), chosen_shape(result), (long long)cost_of(result).volume);
    if (!isnan(cost_of(result).time)) printf(" in %.6g s", cost_of(result).time);
    if (!isnan(cost_of(result).energy)) printf(" with %.6g J", cost_of(result).energy);
    printf(".\nHalf perimeters: %lld of projections, %lld of boxes.", (long long)half.projection, (long long)half.box);
    if (result->partition != NULL) printf(" Largest load error: %.3g%%.", 100.0 * summary_of(result).load_error);
    printf("\n\n");
    return SCALAY_SUCCESS;
}

static scalay_status print_parts(const partition_result *result)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_table table = {0};
    int parts = result->parts < MAX_PARTS ? result->parts : MAX_PARTS;
    SCALAY_TRY(scalay_table_add(&table, "part|elements|share|sends|receives"));
    for (int part = 0; part < parts; part++)
        SCALAY_TRY(scalay_table_add(&table, "%d|%lld|%.3f%%|%lld|%lld", part,
                                    (long long)scalay_owner_map_elements(result->map, part), share_of(result, part),
                                    (long long)sent_by(result, part), (long long)received_by(result, part)));
    scalay_table_print(&table);
    if (result->parts > parts) printf("  ... and %d more; --json lists all of them\n", result->parts - parts);
cleanup:
    scalay_table_free(&table);
    return status;
}

static void print_pairs(const partition_result *result)
{
    if (result->parts > MAX_PAIRS || result->parts < 2) return;
    printf("\nElements sent from part (line) to part (column):\n");
    for (int from = 0; from < result->parts; from++) {
        for (int to = 0; to < result->parts; to++)
            printf(" %12lld", (long long)scalay_multiply_cost_sent(result->cost, from, to));
        printf("\n");
    }
}

static scalay_status print_text(const partition_result *result)
{
    scalay_status status = SCALAY_SUCCESS;
    if (result->partition != NULL) {
        SCALAY_TRY(print_candidates(result));
        print_reasons(result);
        SCALAY_TRY(print_description(result->partition));
    }
    SCALAY_TRY(print_costs(result));
    if (result->kernel != NULL)
        printf("Kernel %s, tiles of %lld: %lld tiles sent, %lld of them along columns, at most %lld by one process. "
               "Balance: %.4f.\n\n",
               result->kernel, (long long)result->tile, (long long)result->traffic.tiles,
               (long long)result->traffic.along_columns, (long long)result->traffic.max_sent, result->traffic.balance);
    SCALAY_TRY(print_parts(result));
    print_pairs(result);
cleanup:
    return status;
}

/* ------------------------------------------------------------------------------------------------------ JSON */

static json_t *areas_as_json(const partition_result *result)
{
    const double all = (double)scalay_owner_map_rows(result->map) * (double)scalay_owner_map_cols(result->map);
    double sum = 0.0;
    json_t *areas = json_array();
    for (int part = 0; result->area != NULL && part < result->parts; part++) sum += result->area[part];
    for (int part = 0; part < result->parts; part++)
        areas = scalay_json_append(areas, result->area != NULL
                                              ? json_real(result->area[part] / sum * all)
                                              : json_integer((json_int_t)scalay_owner_map_elements(result->map, part)));
    return areas;
}

static json_t *candidate_as_json(const void *context, int64_t k)
{
    const partition_result *result = context;
    scalay_partition_candidate candidate;
    if (scalay_partition_get_candidate(result->partition, (int)k, &candidate) != SCALAY_SUCCESS) return NULL;
    json_t *assignment =
        candidate.assignment != NULL ? scalay_json_integers(candidate.assignment, result->parts) : json_null();
    return json_pack("{s:s, s:b, s:o, s:o, s:o, s:o, s:s}", "shape", candidate.shape, "feasible", candidate.feasible,
                     "assignment", assignment, "continuous_cost", scalay_json_number(candidate.continuous_cost), "time",
                     scalay_json_number(candidate.time), "energy", scalay_json_number(candidate.energy), "reason",
                     candidate.reason);
}

static json_t *choice_as_json(const partition_result *result)
{
    json_t *candidates = scalay_json_list(summary_of(result).candidates, candidate_as_json, result);
    return json_pack("{s:o, s:s, s:o, s:o}", "candidates", candidates, "chosen", chosen_shape(result), "lower_bound",
                     scalay_json_number(summary_of(result).lower_bound), "load_error",
                     scalay_json_number(summary_of(result).load_error));
}

/* Elements that a part sends to each part. */
static json_t *sent_as_json(const void *context, int64_t from)
{
    const partition_result *result = context;
    json_t *row = json_array();
    for (int to = 0; to < result->parts; to++)
        row = scalay_json_append(row, json_integer((json_int_t)scalay_multiply_cost_sent(result->cost, (int)from, to)));
    return row;
}

static json_t *rectangle_as_json(const void *rectangles, int64_t k)
{
    const scalay_part_rectangle *r = (const scalay_part_rectangle *)rectangles + k;
    return json_pack("{s:i, s:I, s:I, s:I, s:I}", "part", r->part, "row", (json_int_t)r->row, "col", (json_int_t)r->col,
                     "rows", (json_int_t)r->rows, "cols", (json_int_t)r->cols);
}

static json_t *map_as_json(const partition_result *result, const scalay_half_perimeter *half)
{
    return json_pack("{s:I, s:I, s:o, s:I, s:{s:I, s:I}, s:o, s:o}", "m",
                     (json_int_t)scalay_owner_map_rows(result->map), "n",
                     (json_int_t)scalay_owner_map_cols(result->map), "areas", areas_as_json(result), "cost",
                     (json_int_t)cost_of(result).volume, "half_perimeter", "projection", (json_int_t)half->projection,
                     "box", (json_int_t)half->box, "time", scalay_json_number(cost_of(result).time), "energy",
                     scalay_json_number(cost_of(result).energy));
}

static scalay_status print_json(const partition_result *result)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_half_perimeter half;
    int64_t count = 0;
    scalay_part_rectangle *rectangle = NULL;
    SCALAY_TRY(scalay_owner_map_half_perimeter(result->map, &half));
    SCALAY_TRY(scalay_owner_map_rectangles(result->map, 0, NULL, &count));
    SCALAY_TRY(SCALAY_NEW(rectangle, count));
    SCALAY_TRY(scalay_owner_map_rectangles(result->map, count, rectangle, &count));
    json_t *document = map_as_json(result, &half);
    if (result->partition != NULL) document = scalay_json_join(document, choice_as_json(result));
    if (result->kernel != NULL)
        document = scalay_json_set(document, "traffic",
                                   json_pack("{s:s, s:I, s:I, s:I, s:I, s:o}", "kernel", result->kernel, "tile",
                                             (json_int_t)result->tile, "tiles", (json_int_t)result->traffic.tiles,
                                             "along_columns", (json_int_t)result->traffic.along_columns, "max_sent",
                                             (json_int_t)result->traffic.max_sent, "balance",
                                             scalay_json_number(result->traffic.balance)));
    if (result->parts <= MAX_DENSE)
        document = scalay_json_set(document, "moved", scalay_json_list(result->parts, sent_as_json, result));
    document = scalay_json_set(document, "rectangles", scalay_json_list(count, rectangle_as_json, rectangle));
    SCALAY_TRY(scalay_json_print(document));
cleanup:
    scalay_release(rectangle);
    return status;
}

static scalay_status draw(const char *path, const partition_result *result)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_plot *plot = NULL;
    scalay_layout *layout = NULL;
    char title[128];
    scalay_progress_say("drawing %s", path);
    title_of(result, title, sizeof title);
    SCALAY_TRY(scalay_layout_from_owner_map(result->map, &layout));
    SCALAY_TRY(scalay_plot_create(title, &plot));
    SCALAY_TRY(add_parts(result, layout, plot));
    SCALAY_TRY(scalay_plot_save(plot, path));
cleanup:
    scalay_layout_destroy(&layout);
    scalay_plot_destroy(&plot);
    return status;
}

static scalay_status run_partition(const void *given, scalay_comm *comm)
{
    const partition_options *options = given;
    (void)comm;
    scalay_status status = SCALAY_SUCCESS;
    partition_result result = {0};
    SCALAY_TRY(check_options(options));
    SCALAY_TRY(options->evaluate != NULL ? evaluate(options, &result) : create(options, &result));
    if (options->common.plot != NULL) SCALAY_TRY(draw(options->common.plot, &result));
    scalay_progress_stop();
    if (options->export_format != NULL) goto cleanup;
    if (options->common.json)
        status = print_json(&result);
    else if (!options->common.quiet)
        status = print_text(&result);
cleanup:
    scalay_multiply_cost_destroy(&result.own_cost);
    scalay_owner_map_destroy(&result.own_map);
    scalay_partition_destroy(&result.partition);
    scalay_release(result.area);
    return status;
}

const scalay_subcommand scalay_subcommand_partition = {
    .name = "partition",
    .summary = "partition a matrix into parts of given areas",
    .usage = {"--size MxN --speeds S,.. [OPTIONS]", "--size MxN --areas A,.. [OPTIONS]", "--evaluate LAYOUT [OPTIONS]"},
    .description =
        "Computes the part of each processor so that a product C := A B, computed where C is, sends the fewest "
        "elements, "
        "or needs the least time or energy over given links. The output of --json is a LAYOUT: partition:FILE.json.\n"
        "\n"
        "Shapes for two and three processors: square-corner, square-rectangle, block-rectangle, straight-line, "
        "rectangle-corner, skewed-block, adjacent-corner, nested-corner. Methods for any number: columns, "
        "nagamochi-abe, "
        "recursive, recursive-best, slicing, grid.\n",
    .example = "  scalay partition --size 1000x1000 --speeds 1,0.15,0.05 --plot parts.svg\n",
    .table = option_table,
    .options_size = sizeof(partition_options),
    .run = run_partition,
};
