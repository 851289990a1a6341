#ifndef SCALAY_CLI_WORKLOAD_H
#define SCALAY_CLI_WORKLOAD_H

/** @file What scalay workload was asked, what it has found, and how that is printed and drawn. */

#include "base/status.h"
#include "io/plot.h"
#include "options.h"
#include "scalay/profile.h"
#include "scalay/workload.h"

/** Above this many processors a distribution is printed as a histogram. */
#define SCALAY_MOST_LISTED 100000

/** What is made small. */
typedef enum {
    SCALAY_WANTS_TIME,
    SCALAY_WANTS_ENERGY,
    SCALAY_WANTS_FRONT,
    SCALAY_WANTS_TOTAL_FRONT
} scalay_workload_wish;

/** A question and its answer; everything is owned by the subcommand. */
typedef struct {
    const scalay_options *options; /* objective and method are set */
    scalay_workload_wish wish;
    scalay_profile *profile;
    scalay_communication *communication; /* NULL: none */
    int64_t n;
    int feasible;
    int64_t below, above;         /* the nearest totals that can be distributed; above -1: none */
    scalay_workload *workload;    /* the answer; for a front the chosen point's, NULL when none is chosen */
    scalay_workload_front *front; /* NULL for a single objective */
    int64_t chosen;               /* a point of the front; -1: none */
    const char *chosen_by;        /* the option that chose it */
    scalay_workload
        *balanced; /* the load-balanced distribution, to compare a front with; NULL: none, or it takes long */
} scalay_workload_result;

/** Prints a report. @return SCALAY_SUCCESS, SCALAY_ERROR_MEMORY */
scalay_status scalay_workload_print_text(const scalay_workload_result *result);

/** Prints the JSON document of docs/cli.md. @return SCALAY_SUCCESS, SCALAY_ERROR_MEMORY, SCALAY_ERROR_FILE */
scalay_status scalay_workload_print_json(const scalay_workload_result *result);

/**
 * Draws the profiles with what was chosen, and the front.
 * @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT, SCALAY_ERROR_FILE, SCALAY_ERROR_MEMORY
 */
scalay_status scalay_workload_draw(const scalay_workload_result *result);

/** Adds a panel with the functions of a profile, and what was chosen. @return as scalay_workload_draw() */
scalay_status scalay_workload_add_functions(scalay_plot *plot, const scalay_workload_result *result, int of_energy);

/** The total energy of a distribution, with the base power of a total front. */
double scalay_workload_total_energy(const scalay_workload_result *result, const scalay_workload_summary *summary);

#endif
