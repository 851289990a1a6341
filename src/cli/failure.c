#include "failure.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static const scalay_exit exit_codes[] = {
    [SCALAY_SUCCESS] = SCALAY_EXIT_DONE,
    [SCALAY_ERROR_ARGUMENT] = SCALAY_EXIT_INPUT,
    [SCALAY_ERROR_RANGE] = SCALAY_EXIT_INPUT,
    [SCALAY_ERROR_MEMORY] = SCALAY_EXIT_SYSTEM,
    [SCALAY_ERROR_MISMATCH] = SCALAY_EXIT_INPUT,
    [SCALAY_ERROR_INFEASIBLE] = SCALAY_EXIT_NO_SOLUTION,
    [SCALAY_ERROR_UNSUPPORTED] = SCALAY_EXIT_INPUT,
    [SCALAY_ERROR_MPI] = SCALAY_EXIT_SYSTEM,
    [SCALAY_ERROR_BLACS] = SCALAY_EXIT_SYSTEM,
    [SCALAY_ERROR_FILE] = SCALAY_EXIT_SYSTEM,
    [SCALAY_ERROR_FORMAT] = SCALAY_EXIT_INPUT,
    [SCALAY_ERROR_INTERNAL] = SCALAY_EXIT_SYSTEM,
};

scalay_exit scalay_exit_code(scalay_status status)
{
    size_t known = sizeof exit_codes / sizeof exit_codes[0];
    return (size_t)status < known ? exit_codes[status] : SCALAY_EXIT_SYSTEM;
}

scalay_status scalay_as_input(scalay_status status)
{
    return status == SCALAY_ERROR_FILE ? SCALAY_ERROR_FORMAT : status;
}

/* Skips a "scalay_layout_parse: " that a message starts with. */
static const char *without_function(const char *message)
{
    size_t length = strspn(message, "abcdefghijklmnopqrstuvwxyz0123456789_");
    int named = length > 0 && strncmp(message + length, ": ", 2) == 0 && memchr(message, '_', length) != NULL;
    return named ? message + length + 2 : message;
}

/* The length of the "rank 3: " that agreement puts in front of another rank's message. */
static size_t rank_length(const char *message)
{
    if (strncmp(message, "rank ", 5) != 0) return 0;
    size_t digits = strspn(message + 5, "0123456789");
    return digits > 0 && strncmp(message + 5 + digits, ": ", 2) == 0 ? digits + 7 : 0;
}

scalay_status scalay_fail_at(scalay_status status, const char *where)
{
    return scalay_fail(status, "scalay_cli", "%s: %s", where, without_function(scalay_error_message()));
}

void scalay_print_failure(const char *subcommand)
{
    fflush(stdout);
    const char *message = scalay_error_message();
    size_t rank = rank_length(message);
    fprintf(stderr, "scalay %s: %.*s%s\n", subcommand, (int)rank, message, without_function(message + rank));
}

scalay_status scalay_finish_output(void)
{
    errno = 0;
    if (fflush(stdout) == 0 && !ferror(stdout)) return SCALAY_SUCCESS;
    return SCALAY_FAIL(SCALAY_ERROR_FILE, "the standard output cannot be written (%s); free the disk or keep it open",
                       errno != 0 ? strerror(errno) : "an earlier write failed");
}
