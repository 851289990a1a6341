#include "csv.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/csv.h"
#include "base/memory.h"

/* What takes the field at hand. */
typedef scalay_status (*field_taker)(scalay_csv *csv, void *context);

/* A matrix that is being read. */
typedef struct {
    int rows; /* complete ones */
    int cols; /* of the first row */
    field_taker take;
    void *context;
} matrix_reader;

static scalay_status check_width(const scalay_csv *csv, const matrix_reader *reader)
{
    int cols = csv->field + 1;
    if (csv->row == 0 || (csv->ends_row ? cols == reader->cols : cols < reader->cols)) return SCALAY_SUCCESS;
    return SCALAY_FAIL(SCALAY_ERROR_FORMAT,
                       "%s, line %lld: fields: %d, but %d in the rows before; give all rows the "
                       "same number of fields",
                       csv->path, (long long)csv->line, cols, reader->cols);
}

static scalay_status take_field(scalay_csv *csv, matrix_reader *reader)
{
    scalay_status status = SCALAY_SUCCESS;
    if (csv->blank != 0)
        return SCALAY_FAIL(SCALAY_ERROR_FORMAT, "%s, line %lld: the line is empty, and rows follow; remove it",
                           csv->path, (long long)csv->blank);
    if (csv->row == INT_MAX - 1)
        return SCALAY_FAIL(SCALAY_ERROR_FORMAT, "%s, line %lld: too many rows", csv->path, (long long)csv->line);
    SCALAY_TRY(reader->take(csv, reader->context));
    SCALAY_TRY(check_width(csv, reader));
    if (csv->row == 0) reader->cols = csv->field + 1;
    reader->rows = (int)csv->row + csv->ends_row;
cleanup:
    return status;
}

/* From a text; NULL: from the file. */
static scalay_status read_matrix(const char *path, const char *text, matrix_reader *reader)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_csv csv;
    int more = 1;
    SCALAY_TRY(text != NULL ? scalay_csv_open_text(path, text, strlen(text), &csv) : scalay_csv_open(path, &csv));
    while (more) {
        SCALAY_TRY(scalay_csv_next(&csv, &more));
        if (more) SCALAY_TRY(take_field(&csv, reader));
    }
    if (reader->rows == 0)
        status = SCALAY_FAIL(SCALAY_ERROR_FORMAT, "%s: no numbers in the file; give one line per process", path);
cleanup:
    scalay_csv_close(&csv);
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

static scalay_status take_items(scalay_csv *csv, void *context)
{
    scalay_status status = SCALAY_SUCCESS;
    entry_list *list = context;
    int64_t items = 0;
    SCALAY_TRY(scalay_csv_integer(csv, 0, &items));
    if (items == 0) return SCALAY_SUCCESS;
    SCALAY_TRY(SCALAY_GROW(list->process, list->room[0], list->entries + 1));
    SCALAY_TRY(SCALAY_GROW(list->part, list->room[1], list->entries + 1));
    SCALAY_TRY(SCALAY_GROW(list->items, list->room[2], list->entries + 1));
    list->process[list->entries] = (int)csv->row;
    list->part[list->entries] = csv->field;
    list->items[list->entries] = items;
    list->entries++;
cleanup:
    return status;
}

scalay_status scalay_csv_read_traffic(const char *path, scalay_traffic **traffic)
{
    scalay_status status = SCALAY_SUCCESS;
    entry_list list = {0};
    matrix_reader reader = {.take = take_items, .context = &list};
    *traffic = NULL;
    SCALAY_TRY(read_matrix(path, NULL, &reader));
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

static scalay_status take_cost(scalay_csv *csv, void *context)
{
    scalay_status status = SCALAY_SUCCESS;
    cost_list *list = context;
    SCALAY_TRY(SCALAY_GROW(list->cost, list->room, list->count + 1));
    SCALAY_TRY(scalay_csv_number(csv, &list->cost[list->count]));
    list->count++;
cleanup:
    return status;
}

static scalay_status read_square(const char *path, const char *text, scalay_link_costs *costs)
{
    scalay_status status = SCALAY_SUCCESS;
    cost_list list = {0};
    matrix_reader reader = {.take = take_cost, .context = &list};
    *costs = (scalay_link_costs){0};
    SCALAY_TRY(read_matrix(path, text, &reader));
    if (reader.rows != reader.cols) {
        status = SCALAY_FAIL(SCALAY_ERROR_FORMAT, "%s: %d rows of %d fields; it takes a square matrix", path,
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

scalay_status scalay_csv_read_link_costs(const char *path, scalay_link_costs *costs)
{
    return read_square(path, NULL, costs);
}

/* ---------------------------------------------------------------------------------------------- distances */

scalay_status scalay_csv_read_file(const char *path, char **text)
{
    scalay_status status = SCALAY_SUCCESS;
    int64_t room = 0, length = 0;
    size_t got = 0;
    errno = 0;
    FILE *stream = fopen(path, "r");
    if (stream == NULL) return SCALAY_FAIL(SCALAY_ERROR_FILE, "%s: %s", path, strerror(errno));
    do {
        SCALAY_TRY(SCALAY_GROW(*text, room, length + BUFSIZ + 1));
        got = fread(*text + length, 1, BUFSIZ, stream);
        length += (int64_t)got;
    } while (got > 0);
    (*text)[length] = '\0';
    if (ferror(stream))
        status = SCALAY_FAIL(SCALAY_ERROR_FILE, "%s: %s", path, strerror(errno));
    else if (memchr(*text, '\0', (size_t)length) != NULL)
        status = SCALAY_FAIL(SCALAY_ERROR_FORMAT, "%s: there is a zero byte; give a text file", path);
cleanup:
    (void)fclose(stream);
    return status;
}

/* Rewrites a row of numbers with blanks between them as one with commas, without the first `skip` of them. */
static char *write_row(const char *line, const char *end, int skip, char *out)
{
    for (const char *at = line; at < end;) {
        while (at < end && isspace((unsigned char)*at)) at++;
        const char *word = at;
        while (at < end && !isspace((unsigned char)*at)) at++;
        if (at == word || skip-- > 0) continue;
        if (skip < -1) *out++ = ',';
        memmove(out, word, (size_t)(at - word));
        out += at - word;
    }
    return out;
}

/* Turns the printed tables into CSV, in place: it only gets shorter, and keeps its lines. */
static void tidy(char *text)
{
    int indexed = 0;
    char *out = text;
    for (char *line = text; *line != '\0';) {
        char *end = line + strcspn(line, "\n");
        char *next = *end == '\n' ? end + 1 : end;
        const char *first = line + strspn(line, " \t");
        const int plain = memchr(line, ',', (size_t)(end - line)) != NULL || *first == '#';
        if (!plain && isalpha((unsigned char)*first)) {
            indexed |= strncmp(first, "index", 5) == 0 || strncmp(first, "node ", 5) == 0;
            *out++ = '#';
        } else if (plain) {
            memmove(out, line, (size_t)(end - line));
            out += end - line;
        } else {
            out = write_row(line, end, indexed, out);
        }
        if (next > end) *out++ = '\n';
        line = next;
    }
    *out = '\0';
}

scalay_status scalay_csv_read_distances(const char *path, scalay_link_costs *distances)
{
    scalay_status status = SCALAY_SUCCESS;
    char *text = NULL;
    *distances = (scalay_link_costs){0};
    SCALAY_TRY(scalay_csv_read_file(path, &text));
    tidy(text);
    SCALAY_TRY(read_square(path, text, distances));
cleanup:
    scalay_release(text);
    return status;
}
