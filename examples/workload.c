/* Distributes 60 work units over four CPU groups and one accelerator, from their time and energy functions. The program
 * does not use MPI. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "scalay/profile.h"
#include "scalay/published.h"
#include "scalay/workload.h"

static void stop_unless(scalay_status status, scalay_status expected)
{
    if (status == expected) return;
    fprintf(stderr, "%s: %s\n", scalay_status_name(status), scalay_error_message());
    exit(1);
}

/* Times with the steps of caches and paging. The accelerator accepts even sizes only. */
static int measured(int64_t size, double *time, double *energy, void *context)
{
    const double speed = *(const double *)context;
    const int dent = size % 8 == 7;
    if (speed > 1.0 && size % 2 == 1) return 0;
    *time = (double)size / speed * (dent ? 1.5 : 1.0);
    *energy = (double)size * (speed > 1.0 ? 3.5 : 2.0) + (dent ? 8.0 : 0.0);
    return 1;
}

static scalay_profile *cluster(void)
{
    double slow = 1.0;
    double fast = 4.0;
    scalay_profile *part[2] = {NULL, NULL};
    scalay_profile *profile = NULL;
    stop_unless(scalay_profile_function("cpu", 4, 40, measured, &slow, 1, &part[0]), SCALAY_SUCCESS);
    stop_unless(scalay_profile_function("accelerator", 1, 40, measured, &fast, 1, &part[1]), SCALAY_SUCCESS);
    stop_unless(scalay_profile_join(2, (const scalay_profile *const *)part, &profile), SCALAY_SUCCESS);
    for (int k = 0; k < 2; k++) scalay_profile_destroy(&part[k]);
    return profile;
}

/* Prints a distribution as a list and as a histogram. Returns whether they agree. */
static int print_workload(const char *title, const scalay_profile *profile, const scalay_workload *workload)
{
    int64_t shares = 0;
    int64_t size[5] = {0};
    int64_t total = 0;
    const scalay_workload_share *share = NULL;
    scalay_workload_summary summary;
    stop_unless(scalay_workload_get_summary(workload, &summary), SCALAY_SUCCESS);
    stop_unless(scalay_workload_histogram(workload, &shares, &share), SCALAY_SUCCESS);
    stop_unless(scalay_workload_sizes(workload, 0, summary.processors, size), SCALAY_SUCCESS);
    printf("%-28s %6.2f s %7.2f J  %lld active:", title, summary.time, summary.energy, (long long)summary.active);
    for (int64_t k = 0; k < shares; k++) {
        printf("  %lld x %s %lld", (long long)share[k].count, scalay_profile_name(profile, share[k].group),
               (long long)share[k].size);
        total += share[k].count * share[k].size;
    }
    printf("\n");
    for (int i = 0; i < 5; i++) total -= size[i];
    return total == 0 && scalay_workload_feasible(workload);
}

/* Compares the published methods with the exact solver. */
static int compare_methods(const scalay_profile *profile, int64_t n)
{
    scalay_workload *exact = NULL;
    scalay_workload_summary best;
    scalay_published_objective objective;
    const char *name = NULL;
    stop_unless(scalay_workload_min_time(profile, n, NULL, &exact), SCALAY_SUCCESS);
    stop_unless(scalay_workload_get_summary(exact, &best), SCALAY_SUCCESS);
    int right = print_workload("least time", profile, exact);
    for (int k = 0; (name = scalay_published_methods(k, &objective)) != NULL; k++) {
        scalay_workload *workload = NULL;
        scalay_workload_summary summary;
        if (objective != SCALAY_OBJECTIVE_TIME) continue;
        if (scalay_published_distribute(profile, n, name, &workload) != SCALAY_SUCCESS) continue;
        if (scalay_workload_feasible(workload)) {
            stop_unless(scalay_workload_get_summary(workload, &summary), SCALAY_SUCCESS);
            right = right && summary.time >= best.time && print_workload(name, profile, workload);
        }
        scalay_workload_destroy(&workload);
    }
    scalay_workload_destroy(&exact);
    return right;
}

/* The front that HEPOPTA finds has the same points. */
static int compare_fronts(const scalay_profile *profile, int64_t n)
{
    scalay_workload_front *front = NULL;
    scalay_workload_front *theirs = NULL;
    stop_unless(scalay_workload_front_create(profile, n, NULL, &front), SCALAY_SUCCESS);
    stop_unless(scalay_published_front(profile, n, 0.0, "hepopta", &theirs), SCALAY_SUCCESS);
    const int right = scalay_workload_front_count(front) == scalay_workload_front_count(theirs);
    scalay_workload_front_destroy(&front);
    scalay_workload_front_destroy(&theirs);
    return right;
}

/* The Pareto front, and points selected by criteria. */
static int choose_from_front(const scalay_profile *profile, int64_t n)
{
    scalay_workload_front *front = NULL;
    scalay_workload_front *total = NULL;
    scalay_workload *workload = NULL;
    scalay_workload_front_point point;
    stop_unless(scalay_workload_front_create(profile, n, NULL, &front), SCALAY_SUCCESS);
    stop_unless(scalay_workload_front_create_total(profile, n, 20.0, NULL, &total), SCALAY_SUCCESS);
    for (int64_t k = 0; k < scalay_workload_front_count(front); k++) {
        stop_unless(scalay_workload_front_get_point(front, k, &point), SCALAY_SUCCESS);
        printf("  point %lld: %6.2f s %7.2f J on %lld\n", (long long)k, point.time, point.energy,
               (long long)point.active);
    }
    int right = scalay_workload_front_count(total) <= scalay_workload_front_count(front);
    const int64_t chosen[] = {scalay_workload_front_within_time(front, 0.05),
                              scalay_workload_front_within_energy(front, 0.05), scalay_workload_front_knee(front)};
    static const char *const title[] = {"5 % more time, at most", "5 % more energy, at most", "the knee"};
    for (int k = 0; k < 3; k++) {
        stop_unless(scalay_workload_front_get_workload(front, chosen[k], &workload), SCALAY_SUCCESS);
        right = right && print_workload(title[k], profile, workload);
        scalay_workload_destroy(&workload);
    }
    scalay_workload_front_destroy(&total);
    scalay_workload_front_destroy(&front);
    return right;
}

/* Two seconds for each further active processor. */
static double by_callback(int64_t n, int64_t processors, void *context)
{
    (void)n;
    return *(const double *)context * (double)(processors - 1);
}

/* With communication costs, fewer processors are faster. */
static int charge_communication(const scalay_profile *profile, int64_t n)
{
    double seconds = 2.0;
    const int64_t processors[] = {1, 2, 4};
    const double cost[] = {0.0, 0.5, 7.5};
    scalay_communication *communication[3] = {NULL, NULL, NULL};
    int right = 1;
    stop_unless(scalay_communication_function(by_callback, &seconds, &communication[0]), SCALAY_SUCCESS);
    stop_unless(scalay_communication_table(3, processors, cost, &communication[1]), SCALAY_SUCCESS);
    stop_unless(scalay_communication_hockney(1e-5, 1e-9, 64, &communication[2]), SCALAY_SUCCESS);
    for (int k = 0; k < 3; k++) {
        scalay_workload *workload = NULL;
        scalay_workload_summary summary;
        scalay_workload_options options = scalay_workload_options_default();
        options.communication = communication[k];
        options.variant = SCALAY_COMMUNICATION_EXACT;
        stop_unless(scalay_workload_min_time(profile, n, &options, &workload), SCALAY_SUCCESS);
        stop_unless(scalay_workload_get_summary(workload, &summary), SCALAY_SUCCESS);
        right = right && print_workload("with communication", profile, workload) &&
                summary.communication == scalay_communication_evaluate(communication[k], n, summary.taking_part);
        scalay_workload_destroy(&workload);
        scalay_communication_destroy(&communication[k]);
    }
    return right;
}

/* Reads such a table from a file, if it exists. */
static int read_communication(const char *path)
{
    scalay_communication *communication = NULL;
    if (scalay_communication_read(path, &communication) == SCALAY_SUCCESS)
        printf("4 processors: %g s\n", scalay_communication_evaluate(communication, 60, 4));
    else
        printf("no communication costs: %s\n", scalay_error_message());
    scalay_communication_destroy(&communication);
    return 1;
}

/* More units than all processors accept: infeasible, which is not an error. */
static int ask_for_too_much(const scalay_profile *profile)
{
    int64_t below = 0;
    int64_t above = 0;
    scalay_workload *workload = NULL;
    scalay_workload_front *front = NULL;
    stop_unless(scalay_workload_min_energy(profile, 201, NULL, &workload), SCALAY_SUCCESS);
    stop_unless(scalay_workload_nearest(workload, &below, &above), SCALAY_SUCCESS);
    stop_unless(scalay_workload_front_create(profile, 201, NULL, &front), SCALAY_SUCCESS);
    printf("201 units cannot be distributed, %lld can\n", (long long)below);
    int right = !scalay_workload_feasible(workload) && below == 200 && above == -1;
    stop_unless(scalay_workload_front_nearest(front, &below, &above), SCALAY_SUCCESS);
    right = right && scalay_workload_front_count(front) == 0 && below == 200;
    scalay_workload_front_destroy(&front);
    scalay_workload_destroy(&workload);
    return right;
}

int main(int argc, char **argv)
{
    scalay_profile *profile = cluster();
    scalay_workload *workload = NULL;
    stop_unless(scalay_workload_min_energy(profile, 60, NULL, &workload), SCALAY_SUCCESS);
    int right = compare_methods(profile, 60) && compare_fronts(profile, 60) &&
                print_workload("least energy", profile, workload);
    scalay_workload_destroy(&workload);
    right = right && choose_from_front(profile, 60) && charge_communication(profile, 60) && ask_for_too_much(profile);
    right = right && read_communication(argc > 1 ? argv[1] : "communication.csv");
    scalay_profile_destroy(&profile);
    return right ? 0 : 1;
}
