#ifndef SCALAY_CLI_PROGRESS_H
#define SCALAY_CLI_PROGRESS_H

/**
 * @file
 * Progress on a terminal: one line on the standard error, rewritten every second from the third second on, that says
 * what is being done and since when. Nothing is shown when the standard error is not a terminal. There is one progress
 * per process; a thread of its own draws it, so that it goes on while a solver or an MPI call takes its time.
 */

#include "base/status.h"

/** Starts to show progress when `wanted` (one rank should) and the standard error is a terminal. */
void scalay_progress_start(const char *subcommand, int wanted);

/** Says what is being done now. */
void scalay_progress_say(const char *format, ...) SCALAY_PRINTF(1, 2);

/** Wipes the line and ends the thread; fine when nothing was started. */
void scalay_progress_stop(void);

#endif
