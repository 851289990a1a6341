/* Report of scalay workload: text, JSON and pictures. */

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/text.h"
#include "workload.h"

enum { MAX_SHARES = 48, MAX_POINTS = 40, NAME_SIZE = 48, LONG_NAME = 256 };
enum { MAX_GROUPS = 12, CURVES = 3 * MAX_GROUPS, TITLE = 96 };

/* ---------------------------------------------------------------------------------------------------- text */

/* Copies a name for a field of a table. */
static void copy_name(const char *name, char field[NAME_SIZE])
{
    (void)scalay_text_clean(name, field, NAME_SIZE);
    for (char *bar = strchr(field, '|'); bar != NULL; bar = strchr(bar, '|')) *bar = '/';
}

static const char *plural(int64_t count)
{
    return count == 1 ? "" : "s";
}

static void print_head(const scalay_workload_result *result)
{
    static const char *const names[] = {[SCALAY_CLI_TIME] = "minimum time",
                                        [SCALAY_CLI_ENERGY] = "minimum dynamic energy",
                                        [SCALAY_CLI_FRONT] = "front of time and dynamic energy",
                                        [SCALAY_CLI_TOTAL_FRONT] = "front of time and total energy"};
    int64_t processors = scalay_profile_processors(result->profile);
    int groups = scalay_profile_groups(result->profile);
    printf("%lld unit%s on %lld processor%s", (long long)result->n, plural(result->n), (long long)processors,
           plural(processors));
    if (groups < processors) printf(" in %d group%s", groups, plural(groups));
    printf(": %s (%s)\n", names[result->objective], result->options->method);
    if (scalay_profile_is_modelled(result->profile)) printf("The energies come from a model; they are not measured.\n");
    printf("\n");
}

static scalay_status add_share(scalay_table *table, const scalay_profile *profile, const scalay_workload_share *share)
{
    char name[NAME_SIZE];
    double time = 0.0;
    double energy = 0.0;
    scalay_status status = scalay_profile_get_point(profile, share->group, share->size, &time, &energy);
    if (status != SCALAY_SUCCESS) return status;
    copy_name(scalay_profile_name(profile, share->group), name);
    if (scalay_profile_has_energy(profile))
        return scalay_table_add(table, "%s|%lld|%lld|%.9g|%.9g", name, (long long)share->count, (long long)share->size,
                                time, energy);
    return scalay_table_add(table, "%s|%lld|%lld|%.9g", name, (long long)share->count, (long long)share->size, time);
}

/* Prints the distribution, with one line for each size of a group. */
static scalay_status print_shares(const scalay_workload *workload, const scalay_profile *profile)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_table table = {0};
    int64_t shares = 0;
    int64_t working = 0;
    int64_t idle = 0;
    const scalay_workload_share *share = NULL;
    SCALAY_TRY(scalay_workload_histogram(workload, &shares, &share));
    SCALAY_TRY(scalay_table_add(&table, "processor|number|size|time s%s",
                                scalay_profile_has_energy(profile) ? "|energy J" : ""));
    for (int64_t k = 0; k < shares; k++) {
        if (share[k].size == 0)
            idle += share[k].count;
        else if (working++ < MAX_SHARES)
            SCALAY_TRY(add_share(&table, profile, &share[k]));
    }
    if (working > 0) scalay_table_print(&table);
    if (working > MAX_SHARES)
        printf("  ... and %lld more lines; --json has all of them\n", (long long)(working - MAX_SHARES));
    if (idle > 0) printf("  (%lld processor%s without units)\n", (long long)idle, plural(idle));
cleanup:
    scalay_table_free(&table);
    return status;
}

static void print_communication(const scalay_workload_result *result, const scalay_workload_summary *summary)
{
    const char *unit = result->objective == SCALAY_CLI_TIME ? "s" : "J";
    printf("communication  %.9g %s, of %lld processor%s\n", summary->communication, unit,
           (long long)summary->taking_part, plural(summary->taking_part));
    printf("total          %.9g %s\n", summary->total, unit);
}

static scalay_status print_single(const scalay_workload_result *result)
{
    scalay_workload_summary summary = {0};
    scalay_status status = scalay_workload_get_summary(result->workload, &summary);
    if (status != SCALAY_SUCCESS) return status;
    const char *gap = result->communication != NULL ? "         " : "  ";
    print_head(result);
    printf("time  %s%.9g s\n", gap, summary.time);
    if (scalay_profile_has_energy(result->profile)) printf("energy%s%.9g J\n", gap, summary.energy);
    printf("active%s%lld of %lld processors\n", gap, (long long)summary.active, (long long)summary.processors);
    if (result->communication != NULL) print_communication(result, &summary);
    printf("\n");
    return print_shares(result->workload, result->profile);
}

static scalay_status add_point(scalay_table *table, const scalay_workload_result *result, int64_t k)
{
    scalay_workload_front_point point = {0};
    scalay_status status = scalay_workload_front_get_point(result->front, k, &point);
    if (status != SCALAY_SUCCESS) return status;
    char total[40] = "";
    if (result->objective == SCALAY_CLI_TOTAL_FRONT) (void)snprintf(total, sizeof total, "|%.9g", point.total_energy);
    return scalay_table_add(table, "%lld%s|%.9g|%.9g%s|%lld", (long long)k, k == result->selected ? " *" : "",
                            point.time, point.energy, total, (long long)point.active);
}

/* Prints all points, or MAX_POINTS equidistant points, both ends and the selected point. */
static scalay_status print_points(const scalay_workload_result *result)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_table table = {0};
    int64_t count = scalay_workload_front_count(result->front);
    int64_t shown = count < MAX_POINTS ? count : MAX_POINTS;
    int64_t last = -1;
    SCALAY_TRY(scalay_table_add(&table, "point|time s|energy J%s|active",
                                result->objective == SCALAY_CLI_TOTAL_FRONT ? "|total energy J" : ""));
    for (int64_t row = 0; row < shown; row++) {
        int64_t k = shown > 1 ? (int64_t)((double)row * (double)(count - 1) / (double)(shown - 1) + 0.5) : 0;
        if (last < result->selected && result->selected < k) SCALAY_TRY(add_point(&table, result, result->selected));
        SCALAY_TRY(add_point(&table, result, k));
        last = k;
    }
    scalay_table_print(&table);
    if (shown < count) printf("  (%lld of %lld points; --json has all of them)\n", (long long)shown, (long long)count);
cleanup:
    scalay_table_free(&table);
    return status;
}

static double percent_above(double value, double minimum)
{
    return minimum > 0.0 ? 100.0 * (value / minimum - 1.0) : 0.0;
}

/* Prints the load-balanced distribution, compared with the ends of the front. */
static void print_balanced(const scalay_workload_result *result)
{
    scalay_workload_summary summary = {0};
    scalay_workload_front_point fastest = {0};
    scalay_workload_front_point cheapest = {0};
    if (scalay_workload_get_summary(result->balanced, &summary) != SCALAY_SUCCESS) return;
    if (scalay_workload_front_get_point(result->front, 0, &fastest) != SCALAY_SUCCESS) return;
    if (scalay_workload_front_get_point(result->front, scalay_workload_front_count(result->front) - 1, &cheapest) !=
        SCALAY_SUCCESS)
        return;
    double energy = scalay_workload_total_energy(result, &summary);
    printf("\nLoad balancing (fpm) takes %.6g s and %.6g J: %.1f%% more time than the first\n"
           "point, %.1f%% more energy than the last point.\n",
           summary.time, energy, percent_above(summary.time, fastest.time),
           percent_above(energy, cheapest.total_energy));
}

static scalay_status print_front(const scalay_workload_result *result)
{
    scalay_status status = SCALAY_SUCCESS;
    int64_t count = scalay_workload_front_count(result->front);
    print_head(result);
    SCALAY_TRY(print_points(result));
    if (result->balanced != NULL) print_balanced(result);
    if (result->selected >= 0) {
        printf("\nPoint %lld, selected by --%s:\n\n", (long long)result->selected,
               scalay_front_point_option(&result->options->point));
        SCALAY_TRY(print_shares(result->workload, result->profile));
    } else if (count > 1) {
        printf("\nSelect a point with --within-time 5%%, --within-energy 5%% or --knee.\n");
    }
cleanup:
    return status;
}

scalay_status scalay_workload_print_text(const scalay_workload_result *result)
{
    scalay_progress_stop();
    return result->front == NULL ? print_single(result) : print_front(result);
}

/* ---------------------------------------------------------------------------------------------------- JSON */

/* Above this many processors a distribution is printed as a histogram. */
enum { MAX_LISTED = 100000 };

static json_t *sizes_as_json(const scalay_workload *workload, int64_t processors)
{
    int64_t *size = NULL;
    json_t *list = NULL;
    scalay_status status = SCALAY_NEW(size, processors);
    if (status == SCALAY_SUCCESS) status = scalay_workload_sizes(workload, 0, processors, size);
    if (status == SCALAY_SUCCESS) list = scalay_json_int64s(size, processors);
    scalay_release(size);
    return list;
}

static json_t *share_as_json(const scalay_workload_share *share, const scalay_profile *profile)
{
    char name[LONG_NAME]; /* JSON is UTF-8, names may be any bytes */
    (void)scalay_text_clean(scalay_profile_name(profile, share->group), name, sizeof name);
    return json_pack("{s:s, s:I, s:I}", "processor", name, "size", (json_int_t)share->size, "count",
                     (json_int_t)share->count);
}

static json_t *histogram_as_json(const scalay_workload *workload, const scalay_profile *profile)
{
    int64_t shares = 0;
    const scalay_workload_share *share = NULL;
    json_t *list = json_array();
    if (scalay_workload_histogram(workload, &shares, &share) != SCALAY_SUCCESS) list = scalay_json_append(list, NULL);
    for (int64_t k = 0; k < shares; k++) list = scalay_json_append(list, share_as_json(&share[k], profile));
    return list;
}

static json_t *add_distribution(json_t *object, const scalay_workload *workload, const scalay_profile *profile)
{
    const int64_t processors = scalay_profile_processors(profile);
    if (processors <= MAX_LISTED) return scalay_json_set(object, "distribution", sizes_as_json(workload, processors));
    return scalay_json_set(object, "histogram", histogram_as_json(workload, profile));
}

/* The keys with which every document starts. */
static json_t *head_as_json(const scalay_workload_result *result)
{
    json_t *head =
        json_pack("{s:i, s:s, s:s, s:I, s:I, s:b, s:b}", "version", SCALAY_JSON_VERSION, "objective",
                  result->options->objective, "method", result->options->method, "size", (json_int_t)result->n,
                  "processors", (json_int_t)scalay_profile_processors(result->profile), "modelled",
                  scalay_profile_is_modelled(result->profile), "feasible", result->feasible);
    json_t *above = result->above >= 0 ? json_integer((json_int_t)result->above) : json_null();
    json_t *nearest = json_pack("{s:I, s:o}", "below", (json_int_t)result->below, "above", above);
    if (result->objective == SCALAY_CLI_TOTAL_FRONT)
        head = scalay_json_set(head, "base_power", scalay_json_number(result->options->base_power.value));
    if (!result->feasible) return scalay_json_set(head, "nearest", nearest);
    json_decref(nearest);
    return head;
}

static json_t *add_communication(json_t *document, const scalay_workload_result *result,
                                 const scalay_workload_summary *summary)
{
    const char *total = result->objective == SCALAY_CLI_TIME ? "total_time" : "total_energy";
    if (result->communication == NULL) return document;
    return scalay_json_join(document, json_pack("{s:I, s:o, s:o}", "taking_part", (json_int_t)summary->taking_part,
                                                "communication", scalay_json_number(summary->communication), total,
                                                scalay_json_number(summary->total)));
}

static scalay_status print_single_json(const scalay_workload_result *result)
{
    scalay_workload_summary summary = {0};
    const scalay_status status = scalay_workload_get_summary(result->workload, &summary);
    if (status != SCALAY_SUCCESS) return status;
    json_t *document = head_as_json(result);
    if (!result->feasible) return scalay_json_print(document);
    document =
        scalay_json_join(document, json_pack("{s:o, s:o, s:I}", "time", scalay_json_number(summary.time), "energy",
                                             scalay_json_number(summary.energy), "active", (json_int_t)summary.active));
    document = add_communication(document, result, &summary);
    return scalay_json_print(add_distribution(document, result->workload, result->profile));
}

/* Makes the object of point k, with its distribution. */
static scalay_status make_point(const scalay_workload_result *result, int64_t k, json_t **object)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_workload_front_point point = {0};
    scalay_workload *workload = NULL;
    SCALAY_TRY(scalay_workload_front_get_point(result->front, k, &point));
    SCALAY_TRY(scalay_workload_front_get_workload(result->front, k, &workload));
    *object =
        json_pack("{s:f, s:f, s:I}", "time", point.time, "energy", point.energy, "active", (json_int_t)point.active);
    if (result->objective == SCALAY_CLI_TOTAL_FRONT)
        *object = scalay_json_set(*object, "total_energy", scalay_json_number(point.total_energy));
    *object = add_distribution(*object, workload, result->profile);
cleanup:
    scalay_workload_destroy(&workload);
    return status;
}

static scalay_status write_selected(const scalay_workload_result *result)
{
    scalay_status status = SCALAY_SUCCESS;
    json_t *object = NULL;
    SCALAY_TRY(make_point(result, result->selected, &object));
    printf(", \"chosen\": ");
    object = scalay_json_set(object, "by", json_string(scalay_front_point_option(&result->options->point)));
    status = scalay_json_write(scalay_json_set(object, "point", json_integer((json_int_t)result->selected)), 0);
cleanup:
    return status;
}

/* A front may have many points of many processors: it is written point by point. */
static scalay_status print_front_json(const scalay_workload_result *result)
{
    scalay_status status = SCALAY_SUCCESS;
    const int64_t count = scalay_workload_front_count(result->front);
    printf("{");
    SCALAY_TRY(scalay_json_write(head_as_json(result), 1));
    printf(", \"front\": [");
    for (int64_t k = 0; k < count; k++) {
        json_t *object = NULL;
        scalay_progress_say("printing point %lld of %lld", (long long)k + 1, (long long)count);
        scalay_progress_set((double)k / (double)count);
        SCALAY_TRY(make_point(result, k, &object));
        if (k > 0) printf(", ");
        SCALAY_TRY(scalay_json_write(object, 0));
    }
    printf("]");
    if (result->selected >= 0) SCALAY_TRY(write_selected(result));
    printf("}\n");
cleanup:
    return status;
}

scalay_status scalay_workload_print_json(const scalay_workload_result *result)
{
    /* The document and the progress line would overwrite each other on a terminal. */
    if (result->front == NULL || isatty(STDOUT_FILENO)) scalay_progress_stop();
    if (result->front == NULL) return print_single_json(result);
    if (result->feasible) return print_front_json(result);
    return scalay_json_print(head_as_json(result));
}

/* ------------------------------------------------------------------------------------------------ pictures */

/* The curves of a panel, and the arrays that they point to. */
typedef struct {
    scalay_plot_curve curve[CURVES];
    int count;
    double *arrays[4 * CURVES];
    int owned;
} curve_list;

static scalay_status new_array(curve_list *list, int64_t count, double **array)
{
    scalay_status status = SCALAY_NEW(*array, count);
    if (status == SCALAY_SUCCESS) list->arrays[list->owned++] = *array;
    return status;
}

static void free_curves(curve_list *list)
{
    for (int k = 0; k < list->owned; k++) scalay_release(list->arrays[k]);
}

/* Returns the k-th group that is drawn. */
static int drawn_group(const scalay_profile *profile, int k)
{
    int groups = scalay_profile_groups(profile);
    return groups <= MAX_GROUPS ? k : (int)((int64_t)k * groups / MAX_GROUPS);
}

static int drawn_groups(const scalay_profile *profile)
{
    int groups = scalay_profile_groups(profile);
    return groups < MAX_GROUPS ? groups : MAX_GROUPS;
}

static scalay_status add_function(curve_list *list, const scalay_profile *profile, int k,
                                  const scalay_profile_spread *spread, int of_energy)
{
    scalay_status status = SCALAY_SUCCESS;
    int group = drawn_group(profile, k);
    int64_t points = 0;
    const int64_t *size = NULL;
    const double *time = NULL;
    const double *energy = NULL;
    double *x = NULL;
    double *error = NULL;
    const char *name = scalay_profile_name(profile, group);
    SCALAY_TRY(scalay_profile_points(profile, group, &points, &size, &time, &energy));
    SCALAY_TRY(new_array(list, points, &x));
    if (spread != NULL) SCALAY_TRY(new_array(list, points, &error));
    for (int64_t i = 0; i < points; i++) {
        x[i] = (double)size[i];
        if (spread != NULL) error[i] = spread->half_width(spread->context, name, size[i], of_energy);
    }
    list->curve[list->count++] = (scalay_plot_curve){.name = name,
                                                     .style = SCALAY_PLOT_LINE,
                                                     .colour = k,
                                                     .points = points,
                                                     .x = x,
                                                     .y = of_energy ? energy : time,
                                                     .error = error};
cleanup:
    return status;
}

/* Adds the sizes of the processors of a group as rings. */
static scalay_status add_marks(curve_list *list, const scalay_profile *profile, const scalay_workload *workload, int k,
                               int of_energy)
{
    scalay_status status = SCALAY_SUCCESS;
    int64_t shares = 0;
    int64_t points = 0;
    const scalay_workload_share *share = NULL;
    double *x = NULL;
    double *y = NULL;
    SCALAY_TRY(scalay_workload_histogram(workload, &shares, &share));
    SCALAY_TRY(new_array(list, shares, &x));
    SCALAY_TRY(new_array(list, shares, &y));
    for (int64_t i = 0; i < shares; i++) {
        double time = 0.0;
        double energy = 0.0;
        if (share[i].group != drawn_group(profile, k) || share[i].size == 0) continue;
        SCALAY_TRY(scalay_profile_get_point(profile, share[i].group, share[i].size, &time, &energy));
        x[points] = (double)share[i].size;
        y[points++] = of_energy ? energy : time;
    }
    list->curve[list->count++] =
        (scalay_plot_curve){.style = SCALAY_PLOT_RINGS, .colour = k, .points = points, .x = x, .y = y};
cleanup:
    return status;
}

/* Adds rings around the points whose times are probably not normally distributed. */
static scalay_status add_not_normal(curve_list *list, const scalay_profile *profile, int k,
                                    const scalay_profile_spread *spread, int *rings)
{
    scalay_status status = SCALAY_SUCCESS;
    const int group = drawn_group(profile, k);
    int64_t points = 0;
    int64_t count = 0;
    const int64_t *size = NULL;
    const double *time = NULL;
    const double *energy = NULL;
    double *x = NULL;
    double *y = NULL;
    SCALAY_TRY(scalay_profile_points(profile, group, &points, &size, &time, &energy));
    SCALAY_TRY(new_array(list, points, &x));
    SCALAY_TRY(new_array(list, points, &y));
    for (int64_t i = 0; i < points; i++) {
        if (!spread->is_not_normal(spread->context, scalay_profile_name(profile, group), size[i])) continue;
        x[count] = (double)size[i];
        y[count++] = time[i];
    }
    *rings += count > 0;
    list->curve[list->count++] =
        (scalay_plot_curve){.style = SCALAY_PLOT_RINGS, .colour = k, .points = count, .x = x, .y = y};
cleanup:
    return status;
}

static void title_panel(const scalay_profile *profile, const char *marks, const char *name, char title[TITLE])
{
    const int has_marks = marks[0] != '\0';
    char groups[48] = "";
    const int drawn = drawn_groups(profile);
    const int all = scalay_profile_groups(profile);
    if (drawn < all) (void)snprintf(groups, sizeof groups, "%d of %d groups", drawn, all);
    (void)snprintf(title, TITLE, groups[0] != '\0' || has_marks ? "%s (%s%s%s)" : "%s", name, groups,
                   groups[0] != '\0' && has_marks ? "; " : "", marks);
}

scalay_status scalay_plot_add_profile(scalay_plot *plot, const scalay_profile *profile, const scalay_workload *workload,
                                      const scalay_profile_spread *spread, int of_energy)
{
    static const scalay_plot_axis size = {"size", NULL, 1};
    static const scalay_plot_axis time = {"time", "s", 1};
    scalay_status status = SCALAY_SUCCESS;
    curve_list list = {.count = 0};
    char title[TITLE];
    const char *marks = "";
    int rings = 0;
    const char *joules = scalay_profile_is_modelled(profile) ? "dynamic energy, modelled" : "dynamic energy";
    const scalay_plot_axis energy = {joules, "J", 1};
    const int drawn = drawn_groups(profile);
    for (int k = 0; k < drawn; k++) SCALAY_TRY(add_function(&list, profile, k, spread, of_energy));
    for (int k = 0; k < drawn && workload != NULL; k++) SCALAY_TRY(add_marks(&list, profile, workload, k, of_energy));
    for (int k = 0; k < drawn && spread != NULL && !of_energy; k++)
        SCALAY_TRY(add_not_normal(&list, profile, k, spread, &rings));
    if (workload != NULL)
        marks = "circles: selected";
    else if (spread != NULL)
        marks = rings > 0 ? "bars: confidence interval; circles: not normal" : "bars: confidence interval";
    title_panel(profile, marks, of_energy ? joules : "time", title);
    SCALAY_TRY(scalay_plot_add_curves(plot, title, &size, of_energy ? &energy : &time, list.curve, list.count));
cleanup:
    free_curves(&list);
    return status;
}

static scalay_status add_front_points(curve_list *list, const scalay_workload_front *front)
{
    scalay_status status = SCALAY_SUCCESS;
    int64_t count = scalay_workload_front_count(front);
    double *x = NULL;
    double *y = NULL;
    SCALAY_TRY(new_array(list, count, &x));
    SCALAY_TRY(new_array(list, count, &y));
    for (int64_t k = 0; k < count; k++) {
        scalay_workload_front_point point = {0};
        SCALAY_TRY(scalay_workload_front_get_point(front, k, &point));
        x[k] = point.time;
        y[k] = point.total_energy;
    }
    list->curve[list->count++] =
        (scalay_plot_curve){.style = SCALAY_PLOT_STAIRS, .colour = 0, .points = count, .x = x, .y = y};
    list->curve[list->count++] = (scalay_plot_curve){
        .name = "Pareto front", .style = SCALAY_PLOT_DOTS, .colour = 0, .points = count, .x = x, .y = y};
cleanup:
    return status;
}

static scalay_status add_point_of(curve_list *list, const scalay_workload_result *result,
                                  const scalay_workload *workload, const char *name, scalay_plot_style style)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_workload_summary summary = {0};
    double *x = NULL;
    double *y = NULL;
    SCALAY_TRY(new_array(list, 1, &x));
    SCALAY_TRY(new_array(list, 1, &y));
    SCALAY_TRY(scalay_workload_get_summary(workload, &summary));
    *x = summary.time;
    *y = scalay_workload_total_energy(result, &summary);
    list->curve[list->count] = (scalay_plot_curve){
        .name = name, .style = style, .colour = style == SCALAY_PLOT_STARS ? 1 : 4, .points = 1, .x = x, .y = y};
    list->count++;
cleanup:
    return status;
}

static scalay_status add_front_panel(scalay_plot *plot, const scalay_workload_result *result)
{
    static const scalay_plot_axis time = {"time", "s", 0};
    scalay_status status = SCALAY_SUCCESS;
    curve_list list = {.count = 0};
    int total = result->objective == SCALAY_CLI_TOTAL_FRONT;
    char name[TITLE];
    char title[TITLE];
    (void)snprintf(name, sizeof name, "%s energy%s", total ? "total" : "dynamic",
                   scalay_profile_is_modelled(result->profile) ? ", modelled" : "");
    (void)snprintf(title, sizeof title,
                   scalay_workload_front_count(result->front) == 1 ? "least time and least %.50s in one point"
                                                                   : "time and %.80s",
                   name);
    const scalay_plot_axis energy = {name, "J", 0};
    SCALAY_TRY(add_front_points(&list, result->front));
    if (result->balanced != NULL)
        SCALAY_TRY(add_point_of(&list, result, result->balanced, "load balanced (fpm)", SCALAY_PLOT_STARS));
    if (result->workload != NULL)
        SCALAY_TRY(add_point_of(&list, result, result->workload, "selected", SCALAY_PLOT_RINGS));
    SCALAY_TRY(scalay_plot_add_curves(plot, title, &time, &energy, list.curve, list.count));
cleanup:
    free_curves(&list);
    return status;
}

scalay_status scalay_workload_draw(const char *path, const scalay_workload_result *result)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_plot *plot = NULL;
    char title[TITLE];
    (void)snprintf(title, sizeof title, "%lld units on %lld processors%s", (long long)result->n,
                   (long long)scalay_profile_processors(result->profile),
                   scalay_profile_is_modelled(result->profile) ? ", energies by a model" : "");
    scalay_progress_say("drawing %s", path);
    SCALAY_TRY(scalay_plot_create(title, &plot));
    SCALAY_TRY(scalay_plot_add_profile(plot, result->profile, result->workload, NULL, 0));
    if (scalay_profile_has_energy(result->profile))
        SCALAY_TRY(scalay_plot_add_profile(plot, result->profile, result->workload, NULL, 1));
    if (result->front != NULL) SCALAY_TRY(add_front_panel(plot, result));
    SCALAY_TRY(scalay_plot_save(plot, path));
cleanup:
    scalay_plot_destroy(&plot);
    return status;
}
