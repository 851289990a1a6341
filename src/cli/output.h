#ifndef SCALAY_CLI_OUTPUT_H
#define SCALAY_CLI_OUTPUT_H

/** @file Output of the command: messages and exit codes, text and tables, JSON, and progress on a terminal. */

#include <jansson.h>
#include <stdint.h>
#include <stdio.h>

#include "base/status.h"

/* ------------------------------------------------------------------------------------- messages, exit codes */

/** Exit code of the command. */
typedef enum {
    SCALAY_EXIT_DONE = 0,
    SCALAY_EXIT_NO_SOLUTION = 1,
    SCALAY_EXIT_INPUT = 2,
    SCALAY_EXIT_SYSTEM = 3
} scalay_exit;

/** Returns the exit code of a status. */
scalay_exit scalay_exit_code(scalay_status status);

/** Returns SCALAY_ERROR_FORMAT for SCALAY_ERROR_FILE: an input file that cannot be read is invalid input, not a system
 *  failure. Returns other statuses unchanged. */
scalay_status scalay_as_input(scalay_status status);

/** Puts `where`, such as "--from", in front of the current message. Returns the status. */
scalay_status scalay_fail_at(scalay_status status, const char *where);

/** Prints "scalay SUBCOMMAND: message" to the standard error, without the name of the C function that failed. */
void scalay_print_failure(const char *subcommand);

/**
 * Flushes the standard output and converts the status of a subcommand into an exit code. Prints the message of a
 * failure. If the reader of a pipe has closed it, the exit code is SCALAY_EXIT_DONE and nothing is printed.
 */
scalay_exit scalay_finish(const char *subcommand, scalay_status status);

/** Checks that a file can be created or replaced, before any work. NULL is allowed. */
scalay_status scalay_check_writable(const char *option, const char *path);

/** Checks the ending of the name of a picture, and that it and its script can be written. NULL is allowed. */
scalay_status scalay_check_picture(const char *path);

/* -------------------------------------------------------------------------------------------- text, tables */

/** Prints a paragraph in lines of at most 80 columns, indented by `indent`. Set `started` to 1 if the cursor is already
 * at that column. */
void scalay_print_wrapped(const char *text, int indent, int started, FILE *stream);

/** Prints paragraphs that are separated by empty lines. Prints lines that start with a blank unchanged. */
void scalay_print_paragraphs(const char *text, FILE *stream);

/** Returns 100 * part / whole; 0 if whole is 0. */
double scalay_percent(double part, double whole);

/** Returns the digits after the point, 1 to 6, that two different percentages need in order to look different. */
int scalay_percent_digits(double one, double other);

/** A text table. A zeroed one is empty. */
typedef struct {
    char *text; /* rows in sequence, each ended by a NUL; fields separated by '|' */
    int64_t length;
    int64_t capacity;
} scalay_table;

/** Adds a row. The format yields its fields, separated by '|'. The first row is the header. */
scalay_status scalay_table_add(scalay_table *table, const char *format, ...) SCALAY_PRINTF(2, 3);

/** Prints a table to the standard output, indented by 2. The first column is left-aligned, the others right-aligned. */
void scalay_table_print(const scalay_table *table);

/** Releases the memory of a table. */
void scalay_table_free(scalay_table *table);

/* ---------------------------------------------------------------------------------------------------- JSON */

/** Version of the format of all JSON documents, their key "version". It changes if a key changes its meaning. */
#define SCALAY_JSON_VERSION 1

/** Returns a real number; null if it is not finite. */
json_t *scalay_json_number(double value);

/** Returns an array of integers; NULL if memory is exhausted. */
json_t *scalay_json_integers(const int *values, int count);
json_t *scalay_json_int64s(const int64_t *values, int64_t count);

/** Returns an array of make(context, 0) .. make(context, count - 1); NULL if memory is exhausted. */
json_t *scalay_json_list(int64_t count, json_t *(*make)(const void *context, int64_t k), const void *context);

/** Appends a value to an array. Returns the array; NULL, and releases both, if one is NULL. */
json_t *scalay_json_append(json_t *array, json_t *value);

/** Adds a key to an object. Returns the object; NULL, and releases both, if one is NULL. */
json_t *scalay_json_set(json_t *object, const char *key, json_t *value);

/** Adds the keys of a second object to an object and releases the second. Returns as scalay_json_set(). */
json_t *scalay_json_join(json_t *object, json_t *more);

/**
 * Prints a value to the standard output and releases it. Real numbers have the fewest digits that read back exactly.
 * @param[in] value     NULL: memory is exhausted
 * @param[in] embedded  1: prints an object without its braces
 * @return SCALAY_SUCCESS, SCALAY_ERROR_MEMORY, SCALAY_ERROR_FILE
 */
scalay_status scalay_json_write(json_t *value, int embedded);

/** Prints a document to the standard output, after the key "version", and a newline. Releases it. Returns as
 *  scalay_json_write(). */
scalay_status scalay_json_print(json_t *document);

/* ------------------------------------------------------------------------------------------------ progress */

/*
 * One line on the standard error, if that is a terminal. A thread rewrites it every second, from the second second on,
 * while the main thread is in a solver or in MPI. The process has one progress line.
 */

/** Starts the thread if `wanted` is nonzero. */
void scalay_progress_start(const char *subcommand, int wanted);

/** Sets the text of the line. */
void scalay_progress_say(const char *format, ...) SCALAY_PRINTF(1, 2);

/**
 * Sets the completed fraction of the current phase, in [0, 1]. The line shows it, and the time left as estimated from
 * the time since the first call. A negative fraction ends the phase.
 */
void scalay_progress_set(double fraction);

/** Sets the completed fraction and the estimated seconds left, instead of an estimate from the elapsed time. */
void scalay_progress_set_left(double fraction, double seconds_left);

/** Clears the line and ends the thread. Allowed without scalay_progress_start(). */
void scalay_progress_stop(void);

#endif
