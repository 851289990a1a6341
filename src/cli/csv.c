#include "csv.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "core/text.h"

enum { FIELD_SIZE = 64 };

/* What takes the fields; row and column are 0-based; `where` and `text` are for messages. */
typedef scalay_status (*field_taker)(void *context, int row, int col, const char *text, const char *where);

typedef struct {
    const char *path;
    FILE *stream;
    int64_t line; /* 1-based, of the file */
    int rows;     /* complete ones */
    int cols;     /* of the first row */
    field_taker take;
    void *context;
} csv_reader;

static void describe_place(const csv_reader *reader, int col, char *where, size_t size)
{
    (void)snprintf(where, size, "%.300s, line %lld, field %d", reader->path, (long long)reader->line, col + 1);
}

static scalay_status fail_in_field(const csv_reader *reader, int col, const char *what)
{
    char where[400];
    describe_place(reader, col, where, sizeof where);
    return SCALAY_FAIL(SCALAY_ERROR_FORMAT, "%s: %s", where, what);
}

/* Reads up to a comma or the line's end (which is returned) into a trimmed field. */
static scalay_status read_field(csv_reader *reader, int col, char field[FIELD_SIZE], int *end)
{
    int length = 0;
    int next = getc(reader->stream);
    while (next == ' ' || next == '\t') next = getc(reader->stream);
    for (; next != ',' && next != '\n' && next != EOF; next = getc(reader->stream)) {
        if (next == '\0') return fail_in_field(reader, col, "a zero byte; this is not a text file");
        if (length == FIELD_SIZE - 1) return fail_in_field(reader, col, "longer than any number; separate by commas");
        field[length++] = (char)next;
    }
    if (next != ',' && length > 0 && field[length - 1] == '\r') length--;
    while (length > 0 && (field[length - 1] == ' ' || field[length - 1] == '\t')) length--;
    field[length] = '\0';
    *end = next;
    return SCALAY_SUCCESS;
}

static scalay_status check_width(const csv_reader *reader, int cols)
{
    if (reader->rows == 0 || cols == reader->cols) return SCALAY_SUCCESS;
    return SCALAY_FAIL(SCALAY_ERROR_FORMAT,
                       "%s, line %lld: fields: %d, but %d in the rows before; give all rows the "
                       "same number of fields",
                       reader->path, (long long)reader->line, cols, reader->cols);
}

static scalay_status read_row(csv_reader *reader)
{
    scalay_status status = SCALAY_SUCCESS;
    char field[FIELD_SIZE];
    char where[400];
    int col = 0;
    int end = ',';
    for (; end == ','; col++) {
        if (reader->rows > 0 && col == reader->cols) SCALAY_TRY(check_width(reader, col + 1));
        if (col == INT_MAX - 1) return fail_in_field(reader, col, "too many fields");
        SCALAY_TRY(read_field(reader, col, field, &end));
        describe_place(reader, col, where, sizeof where);
        SCALAY_TRY(reader->take(reader->context, reader->rows, col, field, where));
    }
    SCALAY_TRY(check_width(reader, col));
    if (reader->rows == INT_MAX - 1) return fail_in_field(reader, 0, "too many rows");
    reader->cols = col;
    reader->rows++;
    reader->line++;
cleanup:
    return status;
}

typedef enum { LINE_OF_NUMBERS, LINE_EMPTY, LINE_COMMENT, LINE_NONE } line_kind;

/* What the line at hand is; anything but numbers is consumed. */
static line_kind next_line(csv_reader *reader)
{
    int next = getc(reader->stream);
    if (next == '\r') { /* the end of an empty line; otherwise it stays, to spoil the first field */
        int after = getc(reader->stream);
        if (after == '\n' || after == EOF) next = after;
    }
    if (next == EOF) return LINE_NONE;
    if (next != '#' && next != '\n') {
        ungetc(next, reader->stream);
        return LINE_OF_NUMBERS;
    }
    line_kind kind = next == '#' ? LINE_COMMENT : LINE_EMPTY;
    while (next != '\n' && next != EOF) next = getc(reader->stream);
    reader->line++;
    return kind;
}

static scalay_status read_rows(csv_reader *reader)
{
    scalay_status status = SCALAY_SUCCESS;
    int64_t empty_line = 0;
    for (line_kind kind = next_line(reader); kind != LINE_NONE; kind = next_line(reader)) {
        if (kind == LINE_EMPTY && empty_line == 0) empty_line = reader->line - 1;
        if (kind != LINE_OF_NUMBERS) continue;
        if (empty_line != 0)
            return SCALAY_FAIL(SCALAY_ERROR_FORMAT, "%s, line %lld: the line is empty, and rows follow; remove it",
                               reader->path, (long long)empty_line);
        SCALAY_TRY(read_row(reader));
    }
    if (ferror(reader->stream))
        return SCALAY_FAIL(SCALAY_ERROR_FILE, "%s: cannot be read: %s", reader->path, strerror(errno));
    if (reader->rows == 0)
        return SCALAY_FAIL(SCALAY_ERROR_FORMAT, "%s: no numbers in the file; give one line per process", reader->path);
cleanup:
    return status;
}

/* UTF-8's mark, as spreadsheets write it. Half a mark is left to the first field, which will not be a number. */
static void skip_byte_order_mark(FILE *stream)
{
    int next = getc(stream);
    if (next == 0xEF && (next = getc(stream)) == 0xBB && (next = getc(stream)) == 0xBF) return;
    if (next != EOF) ungetc(next, stream);
}

static scalay_status read_file(csv_reader *reader)
{
    errno = 0;
    reader->stream = fopen(reader->path, "r");
    if (reader->stream == NULL)
        return SCALAY_FAIL(SCALAY_ERROR_FILE, "%s: cannot be opened: %s", reader->path, strerror(errno));
    reader->line = 1;
    skip_byte_order_mark(reader->stream);
    scalay_status status = read_rows(reader);
    fclose(reader->stream);
    return status;
}

/* ------------------------------------------------------------------------------------------------ traffic */

typedef struct {
    int64_t entries;
    int64_t room[3];
    int *process;
    int *part;
    int64_t *items;
} entry_list;

static scalay_status take_items(void *context, int row, int col, const char *text, const char *where)
{
    scalay_status status = SCALAY_SUCCESS;
    entry_list *list = context;
    char shown[FIELD_SIZE];
    int64_t items = 0;
    scalay_number_verdict verdict = scalay_text_to_int64(text, strlen(text), &items);
    if (verdict == SCALAY_NUMBER_LARGE)
        return SCALAY_FAIL(SCALAY_ERROR_FORMAT, "%s is %s: give at most %lld", where, text, (long long)INT64_MAX);
    if (verdict == SCALAY_NUMBER_BAD || items < 0 || text[0] == '-')
        return SCALAY_FAIL(SCALAY_ERROR_FORMAT, "%s is '%s': give a count of items, an integer that is not negative",
                           where, scalay_printable(text, (int64_t)strlen(text), shown, sizeof shown));
    if (items == 0) return SCALAY_SUCCESS;
    SCALAY_TRY(SCALAY_GROW(list->process, list->room[0], list->entries + 1));
    SCALAY_TRY(SCALAY_GROW(list->part, list->room[1], list->entries + 1));
    SCALAY_TRY(SCALAY_GROW(list->items, list->room[2], list->entries + 1));
    list->process[list->entries] = row;
    list->part[list->entries] = col;
    list->items[list->entries] = items;
    list->entries++;
cleanup:
    return status;
}

scalay_status scalay_csv_read_traffic(const char *path, scalay_traffic **traffic)
{
    scalay_status status = SCALAY_SUCCESS;
    entry_list list = {0};
    csv_reader reader = {.path = path, .take = take_items, .context = &list};
    *traffic = NULL;
    SCALAY_TRY(read_file(&reader));
    SCALAY_TRY(scalay_traffic_from_entries(reader.rows, reader.cols, list.entries, list.process, list.part, list.items,
                                           traffic));
cleanup:
    scalay_release(list.process);
    scalay_release(list.part);
    scalay_release(list.items);
    return status;
}

/* --------------------------------------------------------------------------------------------- link costs */

typedef struct {
    int64_t count;
    int64_t room;
    double *cost;
} cost_list;

static scalay_status take_cost(void *context, int row, int col, const char *text, const char *where)
{
    scalay_status status = SCALAY_SUCCESS;
    cost_list *list = context;
    char shown[FIELD_SIZE];
    char *end = NULL;
    (void)row;
    (void)col;
    double cost = strtod(text, &end);
    int plain = strspn(text, "0123456789+-.eE") == strlen(text);
    if (end == text || *end != '\0' || !plain || !isfinite(cost) || cost < 0)
        return SCALAY_FAIL(SCALAY_ERROR_FORMAT, "%s is '%s': give a finite decimal number that is not negative", where,
                           scalay_printable(text, (int64_t)strlen(text), shown, sizeof shown));
    SCALAY_TRY(SCALAY_GROW(list->cost, list->room, list->count + 1));
    list->cost[list->count++] = cost;
cleanup:
    return status;
}

scalay_status scalay_csv_read_link_costs(const char *path, scalay_link_costs *costs)
{
    scalay_status status = SCALAY_SUCCESS;
    cost_list list = {0};
    csv_reader reader = {.path = path, .take = take_cost, .context = &list};
    *costs = (scalay_link_costs){0};
    SCALAY_TRY(read_file(&reader));
    if (reader.rows != reader.cols) {
        status = SCALAY_FAIL(SCALAY_ERROR_FORMAT, "%s: %d rows of %d fields; link costs are a square matrix", path,
                             reader.rows, reader.cols);
        goto cleanup;
    }
    costs->processes = reader.rows;
    costs->cost = list.cost;
    return SCALAY_SUCCESS;
cleanup:
    scalay_release(list.cost);
    return status;
}
