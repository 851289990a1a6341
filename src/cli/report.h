#ifndef SCALAY_CLI_REPORT_H
#define SCALAY_CLI_REPORT_H

/** @file What subcommands print: text tables and JSON. */

#include <jansson.h>
#include <stdint.h>
#include <stdio.h>

#include "base/status.h"

/** Prints a text of one paragraph in lines of at most 96 characters, each indented. */
void scalay_print_wrapped(const char *text, int indent, FILE *stream);

/** So many of so many in percent; 0 of nothing. */
double scalay_percent(double part, double whole);

/** A text table in the making: zeroed, it is empty. */
typedef struct {
    char *text; /* the rows one after the other, cells separated by '|', each row ended by a zero byte */
    int64_t used;
    int64_t room;
} scalay_table;

/** Adds a row: a format whose result is the cells, separated by '|'. The first row is the header. */
scalay_status scalay_table_add(scalay_table *table, const char *format, ...) SCALAY_PRINTF(2, 3);

/** Prints a table to the standard output, indented by two; the first column to the left, the others to the right. */
void scalay_table_print(const scalay_table *table);

/** Releases what a table holds. */
void scalay_table_free(scalay_table *table);

/** A number with all its digits, null when it is not finite. */
json_t *scalay_json_number(double value);

/** An array of integers. */
json_t *scalay_json_integers(const int *values, int count);

/** The same of wide ones. */
json_t *scalay_json_int64s(const int64_t *values, int count);

/**
 * Prints a JSON document and a newline to the standard output and releases it.
 * @param[in] document  NULL: memory has run out while it was made
 * @return SCALAY_SUCCESS, SCALAY_ERROR_MEMORY, SCALAY_ERROR_FILE
 */
scalay_status scalay_json_print(json_t *document);

#endif
