#ifndef SCALAY_BASE_COMMAND_H
#define SCALAY_BASE_COMMAND_H

/** @file Shell commands that are run for what they print. */

#include <stddef.h>

#include "base/status.h"

/**
 * Runs a command by /bin/sh, in a process group of its own that does not outlive the call, with nothing to read and
 * errors thrown away.
 * @param[in]  command   for sh -c
 * @param[in]  seconds   how long it may take
 * @param[in]  stop      is asked now and then whether there is no time for that any more: what is not over in half a
 *                       second then is ended; NULL: nobody asks
 * @param[in]  function  in whose name to fail
 * @param[out] output    shape [size]: what it printed, NUL-terminated, cut where it is full
 * @param[in]  size      at least 1
 * @return SCALAY_SUCCESS, SCALAY_ERROR_UNSUPPORTED (it could not be run, took too long, did not
 *         end well, or its end is not known because the program ignores SIGCHLD)
 */
scalay_status scalay_command_run(const char *command, double seconds, int (*stop)(void), const char *function,
                                 char *output, size_t size);

#endif
