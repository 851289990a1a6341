#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "progress.h"
#include "report.h"
#include "workload.h"

enum { MOST_SHARES = 48, MOST_POINTS = 40, NAME_SIZE = 48 };

/* A name fit for a cell of a table. */
static void cell_name(const char *name, char cell[NAME_SIZE])
{
    (void)scalay_text_clean(name, cell, NAME_SIZE);
    for (char *bar = strchr(cell, '|'); bar != NULL; bar = strchr(bar, '|')) *bar = '/';
}

static const char *plural(int64_t count)
{
    return count == 1 ? "" : "s";
}

static void print_head(const scalay_workload_result *result, const char *method)
{
    static const char *const wishes[] = {[SCALAY_WANTS_TIME] = "least time",
                                         [SCALAY_WANTS_ENERGY] = "least dynamic energy",
                                         [SCALAY_WANTS_FRONT] = "front of time and dynamic energy",
                                         [SCALAY_WANTS_TOTAL_FRONT] = "front of time and total energy"};
    int64_t processors = scalay_profile_processors(result->profile);
    int groups = scalay_profile_groups(result->profile);
    printf("%lld unit%s on %lld processor%s", (long long)result->n, plural(result->n), (long long)processors,
           plural(processors));
    if (groups < processors) printf(" in %d group%s", groups, plural(groups));
    printf(": %s (%s)\n", wishes[result->wish], method);
    if (scalay_profile_is_modelled(result->profile)) printf("the joules are computed by a model, not measured\n");
    printf("\n");
}

/* ----------------------------------------------------------------------------------------- a distribution */

static scalay_status add_share(scalay_table *table, const scalay_profile *profile, const scalay_workload_share *share)
{
    char name[NAME_SIZE];
    double time = 0.0;
    double energy = 0.0;
    scalay_status status = scalay_profile_get_point(profile, share->group, share->size, &time, &energy);
    if (status != SCALAY_SUCCESS) return status;
    cell_name(scalay_profile_name(profile, share->group), name);
    if (scalay_profile_has_energy(profile))
        return scalay_table_add(table, "%s|%lld|%lld|%.9g|%.9g", name, (long long)share->count, (long long)share->size,
                                time, energy);
    return scalay_table_add(table, "%s|%lld|%lld|%.9g", name, (long long)share->count, (long long)share->size, time);
}

/* Who gets what, equal sizes of a group in one line. */
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
        else if (working++ < MOST_SHARES)
            SCALAY_TRY(add_share(&table, profile, &share[k]));
    }
    if (working > 0) scalay_table_print(&table);
    if (working > MOST_SHARES)
        printf("  ... and %lld more lines; --json has them all\n", (long long)(working - MOST_SHARES));
    if (idle > 0) printf("  (%lld processor%s get%s nothing)\n", (long long)idle, plural(idle), idle == 1 ? "s" : "");
cleanup:
    scalay_table_free(&table);
    return status;
}

static void print_communication(const scalay_workload_result *result, const scalay_workload_summary *summary)
{
    const char *unit = result->wish == SCALAY_WANTS_TIME ? "s" : "J";
    printf("communication  %.9g %s, of %lld processor%s\n", summary->communication, unit,
           (long long)summary->taking_part, plural(summary->taking_part));
    printf("together       %.9g %s\n", summary->total, unit);
}

static scalay_status print_single(const scalay_workload_result *result)
{
    scalay_workload_summary summary = {0};
    scalay_status status = scalay_workload_get_summary(result->workload, &summary);
    if (status != SCALAY_SUCCESS) return status;
    const char *gap = result->communication != NULL ? "         " : "  ";
    print_head(result, summary.method);
    printf("time  %s%.9g s\n", gap, summary.time);
    if (scalay_profile_has_energy(result->profile)) printf("energy%s%.9g J\n", gap, summary.energy);
    printf("active%s%lld of %lld processors\n", gap, (long long)summary.active, (long long)summary.processors);
    if (result->communication != NULL) print_communication(result, &summary);
    printf("\n");
    return print_shares(result->workload, result->profile);
}

/* ------------------------------------------------------------------------------------------------- fronts */

static scalay_status add_point(scalay_table *table, const scalay_workload_result *result, int64_t k)
{
    scalay_workload_front_point point = {0};
    scalay_status status = scalay_workload_front_get_point(result->front, k, &point);
    if (status != SCALAY_SUCCESS) return status;
    char total[40] = "";
    if (result->wish == SCALAY_WANTS_TOTAL_FRONT) (void)snprintf(total, sizeof total, "|%.9g", point.total_energy);
    return scalay_table_add(table, "%lld%s|%.9g|%.9g%s|%lld", (long long)k, k == result->chosen ? " *" : "", point.time,
                            point.energy, total, (long long)point.active);
}

/* All points, or some at equal distances with both ends and the chosen one. */
static scalay_status print_points(const scalay_workload_result *result)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_table table = {0};
    int64_t count = scalay_workload_front_count(result->front);
    int64_t shown = count < MOST_POINTS ? count : MOST_POINTS;
    int64_t last = -1;
    SCALAY_TRY(scalay_table_add(&table, "point|time s|energy J%s|active",
                                result->wish == SCALAY_WANTS_TOTAL_FRONT ? "|total energy J" : ""));
    for (int64_t row = 0; row < shown; row++) {
        int64_t k = shown > 1 ? (int64_t)((double)row * (double)(count - 1) / (double)(shown - 1) + 0.5) : 0;
        if (last < result->chosen && result->chosen < k) SCALAY_TRY(add_point(&table, result, result->chosen));
        SCALAY_TRY(add_point(&table, result, k));
        last = k;
    }
    scalay_table_print(&table);
    if (shown < count) printf("  (%lld of %lld points; --json has them all)\n", (long long)shown, (long long)count);
cleanup:
    scalay_table_free(&table);
    return status;
}

static double percent_above(double value, double least)
{
    return least > 0.0 ? 100.0 * (value / least - 1.0) : 0.0;
}

/* What load balancing would give, against the ends of the front. */
static void print_balanced(const scalay_workload_result *result)
{
    scalay_workload_summary summary = {0};
    scalay_workload_front_point fastest = {0};
    scalay_workload_front_point frugal = {0};
    if (scalay_workload_get_summary(result->balanced, &summary) != SCALAY_SUCCESS) return;
    if (scalay_workload_front_get_point(result->front, 0, &fastest) != SCALAY_SUCCESS) return;
    if (scalay_workload_front_get_point(result->front, scalay_workload_front_count(result->front) - 1, &frugal) !=
        SCALAY_SUCCESS)
        return;
    double energy = scalay_workload_total_energy(result, &summary);
    printf("\nBalancing the load (fpm) takes %.6g s and %.6g J: %.1f%% more time than the fastest point,\n"
           "%.1f%% more energy than the most frugal one.\n",
           summary.time, energy, percent_above(summary.time, fastest.time), percent_above(energy, frugal.total_energy));
}

static scalay_status print_front(const scalay_workload_result *result)
{
    scalay_status status = SCALAY_SUCCESS;
    int64_t count = scalay_workload_front_count(result->front);
    print_head(result, result->options->method);
    SCALAY_TRY(print_points(result));
    if (result->balanced != NULL) print_balanced(result);
    if (result->chosen >= 0) {
        printf("\nPoint %lld, by --%s:\n\n", (long long)result->chosen, result->chosen_by);
        SCALAY_TRY(print_shares(result->workload, result->profile));
    } else if (count > 1) {
        printf("\nOne of them is chosen by --within-time 5%%, --within-energy 5%% or --knee.\n");
    }
cleanup:
    return status;
}

scalay_status scalay_workload_print_text(const scalay_workload_result *result)
{
    scalay_progress_stop();
    return result->front == NULL ? print_single(result) : print_front(result);
}
