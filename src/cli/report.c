#include "report.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"

enum { ROW_SIZE = 512, MOST_COLUMNS = 16, LINE_WIDTH = 96 };

void scalay_print_wrapped(const char *text, int indent, FILE *stream)
{
    int column = indent;
    fprintf(stream, "%*s", indent, "");
    for (const char *word = text; *word != '\0';) {
        int length = (int)strcspn(word, " ");
        if (column + length > LINE_WIDTH && column > indent) {
            fprintf(stream, "\n%*s", indent, "");
            column = indent;
        }
        fprintf(stream, "%s%.*s", column > indent ? " " : "", length, word);
        column += length + 1;
        word += length;
        word += strspn(word, " ");
    }
    fprintf(stream, "\n");
}

double scalay_percent(double part, double whole)
{
    return whole > 0.0 ? 100.0 * part / whole : 0.0;
}

scalay_status scalay_table_add(scalay_table *table, const char *format, ...)
{
    char row[ROW_SIZE];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(row, sizeof row, format, arguments);
    va_end(arguments);
    int64_t length = (int64_t)strlen(row) + 1;
    scalay_status status = SCALAY_GROW(table->text, table->room, table->used + length);
    if (status != SCALAY_SUCCESS) return status;
    memcpy(table->text + table->used, row, (size_t)length);
    table->used += length;
    return SCALAY_SUCCESS;
}

/* The width of each column. */
static void widen(const scalay_table *table, int width[MOST_COLUMNS])
{
    for (int64_t at = 0; at < table->used; at += (int64_t)strlen(table->text + at) + 1) {
        const char *cell = table->text + at;
        for (int col = 0; col < MOST_COLUMNS; col++) {
            int length = (int)strcspn(cell, "|");
            if (length > width[col]) width[col] = length;
            if (cell[length] == '\0') break;
            cell += length + 1;
        }
    }
}

static void print_row(const char *cell, const int width[MOST_COLUMNS])
{
    for (int col = 0; col < MOST_COLUMNS; col++) {
        int length = (int)strcspn(cell, "|");
        int pad = width[col] - length;
        int last = cell[length] == '\0';
        if (col == 0)
            printf("  %.*s%*s", length, cell, last ? 0 : pad, "");
        else
            printf("  %*s%.*s", pad, "", length, cell);
        if (last) break;
        cell += length + 1;
    }
    printf("\n");
}

void scalay_table_print(const scalay_table *table)
{
    int width[MOST_COLUMNS] = {0};
    widen(table, width);
    for (int64_t at = 0; at < table->used; at += (int64_t)strlen(table->text + at) + 1)
        print_row(table->text + at, width);
}

void scalay_table_free(scalay_table *table)
{
    scalay_release(table->text);
    *table = (scalay_table){0};
}

json_t *scalay_json_number(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

json_t *scalay_json_integers(const int *values, int count)
{
    json_t *array = json_array();
    for (int k = 0; array != NULL && k < count; k++) {
        if (json_array_append_new(array, json_integer(values[k])) == 0) continue;
        json_decref(array);
        array = NULL;
    }
    return array;
}

json_t *scalay_json_int64s(const int64_t *values, int count)
{
    json_t *array = json_array();
    for (int k = 0; array != NULL && k < count; k++) {
        if (json_array_append_new(array, json_integer((json_int_t)values[k])) == 0) continue;
        json_decref(array);
        array = NULL;
    }
    return array;
}

scalay_status scalay_json_print(json_t *document)
{
    if (document == NULL) return SCALAY_FAIL(SCALAY_ERROR_MEMORY, "no memory for the JSON document");
    int failed = json_dumpf(document, stdout, JSON_REAL_PRECISION(17));
    json_decref(document);
    if (failed && !ferror(stdout)) return SCALAY_FAIL(SCALAY_ERROR_MEMORY, "no memory to print the JSON document");
    if (failed || printf("\n") < 0)
        return SCALAY_FAIL(SCALAY_ERROR_FILE, "the JSON document cannot be written to the standard output");
    return SCALAY_SUCCESS;
}
