#ifndef SCALAY_CLI_PROFILE_H
#define SCALAY_CLI_PROFILE_H

/** @file What scalay profile has measured, and how that is printed and drawn. Rank 0 prints. */

#include "base/status.h"
#include "options.h"
#include "scalay/profiler.h"

/** What was measured; everything is owned by the subcommand. */
typedef struct {
    const scalay_options *options;
    const scalay_profile_kernel *kernel;
    scalay_profile *profile;
    scalay_profile_record *record;
    scalay_profile_facts facts;
} scalay_measured;

/** Prints a report. @return SCALAY_SUCCESS, SCALAY_ERROR_MEMORY */
scalay_status scalay_measured_print_text(const scalay_measured *measured);

/** Prints the JSON document of docs/cli.md. @return SCALAY_SUCCESS, SCALAY_ERROR_MEMORY, SCALAY_ERROR_FILE */
scalay_status scalay_measured_print_json(const scalay_measured *measured);

/** Draws the functions. @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT, SCALAY_ERROR_FILE, SCALAY_ERROR_MEMORY */
scalay_status scalay_measured_draw(const scalay_measured *measured);

#endif
