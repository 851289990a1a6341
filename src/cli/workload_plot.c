#include <stdio.h>

#include "base/memory.h"
#include "io/plot.h"
#include "workload.h"

enum { MOST_GROUPS = 12, CURVES = 2 * MOST_GROUPS, TITLE = 96 };

/* The curves of a panel, and the arrays that they point to and nobody else owns. */
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

/* ----------------------------------------------------------------------------------------------- profiles */

/* The k-th of the groups that are drawn. */
static int drawn_group(const scalay_profile *profile, int k)
{
    int groups = scalay_profile_groups(profile);
    return groups <= MOST_GROUPS ? k : (int)((int64_t)k * groups / MOST_GROUPS);
}

static int drawn_groups(const scalay_profile *profile)
{
    int groups = scalay_profile_groups(profile);
    return groups < MOST_GROUPS ? groups : MOST_GROUPS;
}

static scalay_status add_function(curve_list *list, const scalay_profile *profile, int k, int of_energy)
{
    scalay_status status = SCALAY_SUCCESS;
    int group = drawn_group(profile, k);
    int64_t points = 0;
    const int64_t *size = NULL;
    const double *time = NULL;
    const double *energy = NULL;
    double *x = NULL;
    SCALAY_TRY(scalay_profile_points(profile, group, &points, &size, &time, &energy));
    SCALAY_TRY(new_array(list, points, &x));
    for (int64_t i = 0; i < points; i++) x[i] = (double)size[i];
    list->curve[list->count++] = (scalay_plot_curve){.name = scalay_profile_name(profile, group),
                                                     .style = SCALAY_PLOT_LINE,
                                                     .colour = k,
                                                     .points = points,
                                                     .x = x,
                                                     .y = of_energy ? energy : time};
cleanup:
    return status;
}

/* What the processors of a drawn group get, as rings on its curve. */
static scalay_status add_marks(curve_list *list, const scalay_workload_result *result, int k, int of_energy)
{
    scalay_status status = SCALAY_SUCCESS;
    int64_t shares = 0;
    int64_t points = 0;
    const scalay_workload_share *share = NULL;
    double *x = NULL;
    double *y = NULL;
    SCALAY_TRY(scalay_workload_histogram(result->workload, &shares, &share));
    SCALAY_TRY(new_array(list, shares, &x));
    SCALAY_TRY(new_array(list, shares, &y));
    for (int64_t i = 0; i < shares; i++) {
        double time = 0.0;
        double energy = 0.0;
        if (share[i].group != drawn_group(result->profile, k) || share[i].size == 0) continue;
        SCALAY_TRY(scalay_profile_get_point(result->profile, share[i].group, share[i].size, &time, &energy));
        x[points] = (double)share[i].size;
        y[points++] = of_energy ? energy : time;
    }
    list->curve[list->count++] =
        (scalay_plot_curve){.style = SCALAY_PLOT_RINGS, .colour = k, .points = points, .x = x, .y = y};
cleanup:
    return status;
}

static void title_panel(const scalay_workload_result *result, const char *what, char title[TITLE])
{
    char groups[48] = "";
    int drawn = drawn_groups(result->profile);
    int all = scalay_profile_groups(result->profile);
    int marked = result->workload != NULL;
    if (drawn < all) (void)snprintf(groups, sizeof groups, "%d of %d groups", drawn, all);
    (void)snprintf(title, TITLE, groups[0] != '\0' || marked ? "%s (%s%s%s)" : "%s", what, groups,
                   groups[0] != '\0' && marked ? "; " : "", marked ? "circles: chosen" : "");
}

scalay_status scalay_workload_add_functions(scalay_plot *plot, const scalay_workload_result *result, int of_energy)
{
    static const scalay_plot_axis size = {"size", NULL, 1};
    static const scalay_plot_axis time = {"time", "s", 1};
    scalay_status status = SCALAY_SUCCESS;
    curve_list list = {.count = 0};
    char title[TITLE];
    const char *joules = scalay_profile_is_modelled(result->profile) ? "dynamic energy, modelled" : "dynamic energy";
    const scalay_plot_axis energy = {joules, "J", 1};
    int drawn = drawn_groups(result->profile);
    for (int k = 0; k < drawn; k++) SCALAY_TRY(add_function(&list, result->profile, k, of_energy));
    for (int k = 0; k < drawn && result->workload != NULL; k++) SCALAY_TRY(add_marks(&list, result, k, of_energy));
    title_panel(result, of_energy ? joules : "time", title);
    SCALAY_TRY(scalay_plot_add_curves(plot, title, &size, of_energy ? &energy : &time, list.curve, list.count));
cleanup:
    free_curves(&list);
    return status;
}

/* -------------------------------------------------------------------------------------------------- front */

static scalay_status add_points(curve_list *list, const scalay_workload_front *front)
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

static scalay_status add_distribution(curve_list *list, const scalay_workload_result *result,
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

static scalay_status add_front(scalay_plot *plot, const scalay_workload_result *result)
{
    static const scalay_plot_axis time = {"time", "s", 0};
    scalay_status status = SCALAY_SUCCESS;
    curve_list list = {.count = 0};
    int total = result->wish == SCALAY_WANTS_TOTAL_FRONT;
    char name[TITLE];
    char title[TITLE];
    (void)snprintf(name, sizeof name, "%s energy%s", total ? "total" : "dynamic",
                   scalay_profile_is_modelled(result->profile) ? ", modelled" : "");
    (void)snprintf(title, sizeof title, "time and %.80s", name);
    const scalay_plot_axis energy = {name, "J", 0};
    SCALAY_TRY(add_points(&list, result->front));
    if (result->balanced != NULL)
        SCALAY_TRY(add_distribution(&list, result, result->balanced, "load balanced (fpm)", SCALAY_PLOT_STARS));
    if (result->workload != NULL)
        SCALAY_TRY(add_distribution(&list, result, result->workload, "chosen", SCALAY_PLOT_RINGS));
    SCALAY_TRY(scalay_plot_add_curves(plot, title, &time, &energy, list.curve, list.count));
cleanup:
    free_curves(&list);
    return status;
}

scalay_status scalay_workload_draw(const scalay_workload_result *result)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_plot *plot = NULL;
    char title[TITLE];
    (void)snprintf(title, sizeof title, "%lld units on %lld processors%s", (long long)result->n,
                   (long long)scalay_profile_processors(result->profile),
                   scalay_profile_is_modelled(result->profile) ? ", energies by a model" : "");
    SCALAY_TRY(scalay_plot_create(title, &plot));
    SCALAY_TRY(scalay_workload_add_functions(plot, result, 0));
    if (scalay_profile_has_energy(result->profile)) SCALAY_TRY(scalay_workload_add_functions(plot, result, 1));
    if (result->front != NULL) SCALAY_TRY(add_front(plot, result));
    SCALAY_TRY(scalay_plot_save(plot, result->options->plot));
cleanup:
    scalay_plot_destroy(&plot);
    return status;
}
