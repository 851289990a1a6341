#ifndef SCALAY_TESTS_CLI_QUIET_H
#define SCALAY_TESTS_CLI_QUIET_H

/** @file Runs a subcommand inside a test: without its output, and with every allocation counted, Jansson's too. */

#include <fcntl.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "cli/options.h"

enum { QUIET_ARGUMENTS = 40, QUIET_LENGTH = 1024 };

static void *allocate_for_json(size_t bytes)
{
    return scalay_allocate((int64_t)bytes, 1);
}

/** Call before any JSON is made. */
static inline void quiet_start(void)
{
    json_set_alloc_funcs(allocate_for_json, scalay_release);
}

/** Runs a command line such as "show cyclic:... --json" while the standard output is /dev/null. Words have no blanks.
 */
static inline scalay_status quiet_run(const char *line, scalay_comm *comm)
{
    char words[QUIET_LENGTH];
    char *argv[QUIET_ARGUMENTS + 1];
    int argc = 0;
    (void)snprintf(words, sizeof words, "%s", line);
    for (char *word = strtok(words, " "); word != NULL && argc < QUIET_ARGUMENTS; word = strtok(NULL, " "))
        argv[argc++] = word;
    argv[argc] = NULL;
    fflush(stdout);
    const int kept = dup(STDOUT_FILENO);
    const int sink = open("/dev/null", O_WRONLY);
    dup2(sink, STDOUT_FILENO);
    const scalay_status status = scalay_subcommand_execute(scalay_subcommand_find(argv[0]), argc, argv, comm);
    fflush(stdout);
    dup2(kept, STDOUT_FILENO);
    close(kept);
    close(sink);
    return status;
}

#endif
