#ifndef SCALAY_TESTS_CLI_QUIET_H
#define SCALAY_TESTS_CLI_QUIET_H

/** @file Running a subcommand inside a test: without its output, with every allocation, jansson's too, counted. */

#include <fcntl.h>
#include <jansson.h>
#include <stdio.h>
#include <unistd.h>

#include "base/memory.h"
#include "cli/options.h"

static void *allocate_for_json(size_t bytes)
{
    return scalay_allocate((int64_t)bytes, 1);
}

/** To be called before any JSON is made. */
static inline void quiet_start(void)
{
    json_set_alloc_funcs(allocate_for_json, scalay_release);
}

/** Runs a subcommand while the standard output is /dev/null. */
static inline scalay_status quiet_run(const scalay_command *command, const scalay_options *options, scalay_comm *comm)
{
    fflush(stdout);
    int kept = dup(STDOUT_FILENO);
    int sink = open("/dev/null", O_WRONLY);
    dup2(sink, STDOUT_FILENO);
    scalay_status status = command->run(options, comm);
    fflush(stdout);
    dup2(kept, STDOUT_FILENO);
    close(kept);
    close(sink);
    return status;
}

#endif
