#ifndef SCALAY_CLI_WORKLOAD_H
#define SCALAY_CLI_WORKLOAD_H

/** @file scalay workload: the problem, its solution, and their report; plots of the functions of a profile. */

#include "input.h"
#include "io/plot.h"
#include "output.h"
#include "scalay/profile.h"
#include "scalay/published.h"
#include "scalay/workload.h"

/** Options of scalay workload. Objective and method are set. */
typedef struct {
    scalay_common_options common;
    const char *profile;
    scalay_option_integer size;
    const char *objective;
    scalay_option_number base_power; /* watts */
    scalay_front_point point;
    const char *method;
    int published;
    const char *comm;
    const char *comm_variant;
} scalay_workload_cli_options;

/** Objective to minimise. */
typedef enum { SCALAY_CLI_TIME, SCALAY_CLI_ENERGY, SCALAY_CLI_FRONT, SCALAY_CLI_TOTAL_FRONT } scalay_cli_objective;

/** Problem and solution. The subcommand owns all members. */
typedef struct {
    const scalay_workload_cli_options *options;
    scalay_cli_objective objective;
    scalay_profile *profile;
    scalay_communication *communication; /* NULL: none */
    int64_t n;
    int feasible;
    int64_t below, above;         /* nearest feasible totals; above -1: none */
    scalay_workload *workload;    /* the solution; of a front: of the selected point, NULL if none is selected */
    scalay_workload_front *front; /* NULL for a single objective */
    int64_t selected;             /* point of the front; -1: none */
    scalay_workload *balanced;    /* load-balanced distribution, for comparison with a front; NULL: not computed */
} scalay_workload_result;

/** Returns the total energy of a distribution: dynamic energy plus base power times time. */
double scalay_workload_total_energy(const scalay_workload_result *result, const scalay_workload_summary *summary);

/** Prints the result as text. SCALAY_SUCCESS, SCALAY_ERROR_MEMORY. */
scalay_status scalay_workload_print_text(const scalay_workload_result *result);

/** Prints the result as JSON. SCALAY_SUCCESS, SCALAY_ERROR_MEMORY, SCALAY_ERROR_FILE. */
scalay_status scalay_workload_print_json(const scalay_workload_result *result);

/** Draws the profile with the selected distribution, and the front. */
scalay_status scalay_workload_draw(const char *path, const scalay_workload_result *result);

/** Statistics of the points of a profile. */
typedef struct {
    const void *context;
    /** Returns half the confidence interval of a point, in seconds or joules; 0 if it is not known. */
    double (*half_width)(const void *context, const char *group, int64_t size, int of_energy);
    /** Returns 1 if the times of a point are probably not normally distributed. */
    int (*is_not_normal)(const void *context, const char *group, int64_t size);
} scalay_profile_spread;

/**
 * Adds a panel with the time or energy functions of a profile.
 * @param[in,out] plot       the picture
 * @param[in]     profile    the functions
 * @param[in]     workload   its sizes are marked; NULL: no marks
 * @param[in]     spread     error bars and normality; NULL: not known
 * @param[in]     of_energy  1: energy; 0: time
 */
scalay_status scalay_plot_add_profile(scalay_plot *plot, const scalay_profile *profile, const scalay_workload *workload,
                                      const scalay_profile_spread *spread, int of_energy);

#endif
