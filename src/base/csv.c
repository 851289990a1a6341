/* CSV reader: a scanner over bytes with one byte of lookahead. Files are read in chunks of 64 KiB. */

#include "base/csv.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <string.h>

#include "base/memory.h"

enum { CHUNK_SIZE = 1 << 16, SHOWN_SIZE = 80, END = -1 };

static const char byte_order_mark[] = "\xEF\xBB\xBF"; /* as spreadsheets write it */

/* -------------------------------------------------------------------------------------------------- messages */

const char *scalay_csv_location(const scalay_csv *csv, char *location)
{
    scalay_text text = {location, SCALAY_CSV_LOCATION_SIZE, 0};
    scalay_text_append(&text, "%.300s, line %lld, field %d", csv->path, (long long)csv->line, csv->field + 1);
    for (int k = 0; k < csv->columns; k++)
        if (csv->column[k].field == csv->field) scalay_text_append(&text, " (%.40s)", csv->column[k].name);
    return location;
}

static scalay_status fail_at_field(const scalay_csv *csv, const char *found)
{
    char location[SCALAY_CSV_LOCATION_SIZE];
    return SCALAY_FAIL(SCALAY_ERROR_FORMAT, "%s: %s", scalay_csv_location(csv, location), found);
}

scalay_status scalay_csv_fail(const scalay_csv *csv, const char *remedy)
{
    char location[SCALAY_CSV_LOCATION_SIZE];
    char shown[SHOWN_SIZE];
    return scalay_fail(SCALAY_ERROR_FORMAT, "", "%s is '%s': %s", scalay_csv_location(csv, location),
                       scalay_printable(csv->text, (int64_t)strlen(csv->text), shown, sizeof shown), remedy);
}

/* ----------------------------------------------------------------------------------------------------- bytes */

static int refill(scalay_csv *csv)
{
    if (csv->stream == NULL || csv->error != 0) return 0;
    errno = 0;
    size_t length = fread(csv->chunk, 1, CHUNK_SIZE, csv->stream);
    if (ferror(csv->stream)) csv->error = errno != 0 ? errno : EIO;
    csv->at = csv->chunk;
    csv->stop = csv->chunk + length;
    return length > 0;
}

/* Returns the next byte without consuming it, or END after the last. */
static int peek_byte(scalay_csv *csv)
{
    return csv->at < csv->stop || refill(csv) ? (unsigned char)*csv->at : END;
}

static int next_byte(scalay_csv *csv)
{
    int next = peek_byte(csv);
    csv->at += next != END;
    return next;
}

static void skip_byte_order_mark(scalay_csv *csv)
{
    const size_t length = sizeof byte_order_mark - 1;
    if (peek_byte(csv) != END && (size_t)(csv->stop - csv->at) >= length &&
        memcmp(csv->at, byte_order_mark, length) == 0)
        csv->at += length;
}

static scalay_status open_bytes(const char *path, scalay_csv *csv)
{
    *csv = (scalay_csv){.path = path, .row = -1, .ends_row = 1};
    return scalay_locale_enter(&csv->locale);
}

scalay_status scalay_csv_open(const char *path, scalay_csv *csv)
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(open_bytes(path, csv));
    SCALAY_TRY(SCALAY_NEW(csv->chunk, CHUNK_SIZE));
    errno = 0;
    csv->stream = fopen(path, "r");
    if (csv->stream == NULL)
        return scalay_fail(SCALAY_ERROR_FILE, "", "%.300s: cannot be opened: %s", path, strerror(errno));
    skip_byte_order_mark(csv);
cleanup:
    return status;
}

scalay_status scalay_csv_open_text(const char *name, const char *text, size_t length, scalay_csv *csv)
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(open_bytes(name, csv));
    csv->at = text;
    csv->stop = length > 0 ? text + length : text;
    skip_byte_order_mark(csv);
cleanup:
    return status;
}

void scalay_csv_close(scalay_csv *csv)
{
    if (csv->stream != NULL) fclose(csv->stream);
    scalay_release(csv->chunk);
    scalay_locale_leave(&csv->locale);
    *csv = (scalay_csv){0};
}

/* ---------------------------------------------------------------------------------------------------- fields */

static int is_blank(int byte)
{
    return byte == ' ' || byte == '\t';
}

/* Skips a comment after its #. Sets csv->found if the comment starts with the sought word. */
static void skip_comment(scalay_csv *csv)
{
    const char *word = csv->sought;
    int next = next_byte(csv);
    while (is_blank(next)) next = next_byte(csv);
    for (; word != NULL && *word != '\0' && next == *word; word++) next = next_byte(csv);
    if (word != NULL && *word == '\0' && !isalnum(next) && next != '_') csv->found = 1;
    while (next != '\n' && next != END) next = next_byte(csv);
}

/* Skips comments and empty lines. Returns the first byte of the next row, or END. */
static int start_row(scalay_csv *csv)
{
    for (;;) {
        int next = next_byte(csv);
        csv->line++;
        if (next == END) return END;
        int follower = next == '\r' ? peek_byte(csv) : next;
        if (next == '\r' && (follower == '\n' || follower == END)) next = next_byte(csv);
        if (next == '\n' || next == END) {
            if (csv->blank == 0) csv->blank = csv->line;
        } else if (next == '#') {
            skip_comment(csv);
        } else {
            csv->row++;
            csv->field = -1;
            return next;
        }
    }
}

/* Reads a field up to a comma or the end of the line. `next` is its first byte. */
static scalay_status read_field(scalay_csv *csv, int next)
{
    int length = 0;
    while (is_blank(next)) next = next_byte(csv);
    for (; next != ',' && next != '\n' && next != END; next = next_byte(csv)) {
        if (next == '\0') return fail_at_field(csv, "zero byte; the file must be a text file");
        if (length == SCALAY_CSV_FIELD_SIZE - 1)
            return fail_at_field(csv, "field of more than 255 bytes; separate fields by commas");
        csv->text[length++] = (char)next;
    }
    if (next != ',' && length > 0 && csv->text[length - 1] == '\r') length--;
    while (length > 0 && is_blank(csv->text[length - 1])) length--;
    csv->text[length] = '\0';
    csv->ends_row = next != ',';
    return SCALAY_SUCCESS;
}

scalay_status scalay_csv_next(scalay_csv *csv, int *more)
{
    scalay_status status = SCALAY_SUCCESS;
    int starts = csv->ends_row;
    int next = starts ? start_row(csv) : next_byte(csv);
    *more = !(starts && next == END);
    if (*more && csv->field == INT_MAX - 1) return fail_at_field(csv, "too many fields");
    csv->field++;
    if (*more) status = read_field(csv, next);
    if (csv->error == 0) return status;
    return scalay_fail(SCALAY_ERROR_FILE, "", "%.300s: cannot be read: %s", csv->path, strerror(csv->error));
}

/* ---------------------------------------------------------------------------------------------------- tables */

static void list_columns(int columns, const scalay_csv_column *column, char *list, size_t size)
{
    scalay_text text = {list, size, 0};
    const char *separator = "";
    for (int required = 1; required >= 0; required--) {
        for (int k = 0; k < columns; k++) {
            if (!column[k].required != !required) continue;
            scalay_text_append(&text, "%s%s", separator, column[k].name);
            separator = ",";
        }
        if (required) separator = " and optionally ";
    }
}

static scalay_status find_column(scalay_csv *csv, int columns, scalay_csv_column *column)
{
    char remedy[200];
    char list[120];
    int k = 0;
    while (k < columns && strcmp(column[k].name, csv->text) != 0) k++;
    list_columns(columns, column, list, sizeof list);
    if (k == columns) {
        (void)snprintf(remedy, sizeof remedy, "not the name of a column; the header must be %s", list);
        return scalay_csv_fail(csv, remedy);
    }
    if (column[k].field >= 0) {
        (void)snprintf(remedy, sizeof remedy, "also the name of field %d; name each column once", column[k].field + 1);
        return scalay_csv_fail(csv, remedy);
    }
    column[k].field = csv->field;
    return SCALAY_SUCCESS;
}

static scalay_status check_columns(const scalay_csv *csv, int columns, const scalay_csv_column *column)
{
    char list[120];
    list_columns(columns, column, list, sizeof list);
    if (csv->row < 0)
        return SCALAY_FAIL(SCALAY_ERROR_FORMAT, "%.300s: the file is empty; it must start with the header %s",
                           csv->path, list);
    for (int k = 0; k < columns; k++)
        if (column[k].required && column[k].field < 0)
            return SCALAY_FAIL(SCALAY_ERROR_FORMAT, "%.300s, line %lld: column %s is missing; the header must be %s",
                               csv->path, (long long)csv->line, column[k].name, list);
    return SCALAY_SUCCESS;
}

scalay_status scalay_csv_read_header(scalay_csv *csv, int columns, scalay_csv_column *column)
{
    scalay_status status = SCALAY_SUCCESS;
    int more = 1;
    for (int k = 0; k < columns; k++) column[k].field = -1;
    for (int ends = 0; more && !ends; ends = csv->ends_row) {
        SCALAY_TRY(scalay_csv_next(csv, &more));
        if (more) SCALAY_TRY(find_column(csv, columns, column));
    }
    SCALAY_TRY(check_columns(csv, columns, column));
    csv->column = column;
    csv->columns = columns;
    csv->fields = csv->field + 1;
cleanup:
    return status;
}

scalay_status scalay_csv_next_field(scalay_csv *csv, int *which, int *more)
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(scalay_csv_next(csv, more));
    if (!*more) goto cleanup;
    if (csv->field == csv->fields || (csv->ends_row && csv->field + 1 < csv->fields))
        return scalay_fail(SCALAY_ERROR_FORMAT, "", "%.300s, line %lld: %s than the %d fields of the header", csv->path,
                           (long long)csv->line, csv->field == csv->fields ? "more" : "fewer", csv->fields);
    for (*which = 0; csv->column[*which].field != csv->field;) ++*which;
cleanup:
    return status;
}

/* --------------------------------------------------------------------------------------------------- numbers */

scalay_status scalay_csv_integer(scalay_csv *csv, int64_t min, int64_t *value)
{
    char text[SCALAY_CSV_LOCATION_SIZE];
    int64_t number = 0;
    scalay_number_verdict verdict = scalay_text_to_int64(csv->text, strlen(csv->text), &number);
    if (verdict == SCALAY_NUMBER_TOO_LARGE && csv->text[0] != '-')
        return scalay_fail(SCALAY_ERROR_FORMAT, "", "%s is %.80s: give at most %lld", scalay_csv_location(csv, text),
                           csv->text, (long long)INT64_MAX);
    if (verdict != SCALAY_NUMBER_VALID || number < min || (min >= 0 && csv->text[0] == '-')) {
        (void)snprintf(text, sizeof text, "give an integer of at least %lld", (long long)min);
        return scalay_csv_fail(csv, text);
    }
    *value = number;
    return SCALAY_SUCCESS;
}

/* 1 for texts such as -1e-999, which strtod reads as -0. */
static int is_negative(const char *text)
{
    return text[0] == '-' && strcspn(text, "123456789") < strcspn(text, "e");
}

scalay_status scalay_csv_number(scalay_csv *csv, double *value)
{
    double number = NAN;
    if (scalay_number_double(csv->text, &number) != SCALAY_NUMBER_VALID || !isfinite(number) || is_negative(csv->text))
        return scalay_csv_fail(csv, "give a finite decimal number that is not negative");
    *value = fabs(number);
    return SCALAY_SUCCESS;
}
