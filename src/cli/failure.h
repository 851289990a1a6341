#ifndef SCALAY_CLI_FAILURE_H
#define SCALAY_CLI_FAILURE_H

/** @file From statuses to exit codes and messages. */

#include "base/status.h"

/** What the process returns. */
typedef enum {
    SCALAY_EXIT_DONE = 0,
    SCALAY_EXIT_NO_SOLUTION = 1,
    SCALAY_EXIT_INPUT = 2,
    SCALAY_EXIT_SYSTEM = 3
} scalay_exit;

/** The exit code of a status. */
scalay_exit scalay_exit_code(scalay_status status);

/** A file that the user named and that cannot be read is bad input, not a system failure: FILE becomes FORMAT. */
scalay_status scalay_as_input(scalay_status status);

/**
 * Fails again with words in front of the present message, such as "--from".
 * @return status
 */
scalay_status scalay_fail_at(scalay_status status, const char *where);

/** Prints "scalay SUBCOMMAND: message" to the standard error, without the name of the C function that failed. */
void scalay_print_failure(const char *subcommand);

/** Writes out what the standard output still buffers; SCALAY_ERROR_FILE when it cannot be written. */
scalay_status scalay_finish_output(void);

#endif
