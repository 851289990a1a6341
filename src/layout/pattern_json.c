/*
 * Patterns in JSON (RFC 8259): a strict reader of one object whose known keys are integers or lists of rows of
 * integers. Values of other keys are checked and skipped, strings without a check of their UTF-8. The reader looks one
 * character ahead and never back. Memory grows with the integers of the tables, not with the numbers that announce
 * them.
 */
#include "layout/pattern_json.h"

#include <errno.h>
#include <stdarg.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "partition/pattern.h"

enum { MAX_SIDE = 1 << 15, MAX_PROCESSES = 1 << 24, MAX_DEPTH = 32, KEY_SIZE = 16, NUMBER_SIZE = 24 };

/* ------------------------------------------------------------------------------------------------------- characters */

typedef struct {
    const char *function, *path;
    FILE *file;
    int64_t line; /* of the next character, 1-based */
    int c;        /* the next character; EOF at the end */
} json_reader;

static void advance(json_reader *r)
{
    r->line += r->c == '\n';
    r->c = getc(r->file);
}

static void skip_space(json_reader *r)
{
    while (r->c == ' ' || r->c == '\t' || r->c == '\r' || r->c == '\n') advance(r);
}

/* Skips space, and c if it follows. Returns 1 if it follows. */
static int take(json_reader *r, int c)
{
    skip_space(r);
    if (r->c != c) return 0;
    advance(r);
    return 1;
}

static int is_digit(int c)
{
    return c >= '0' && c <= '9';
}

static SCALAY_PRINTF(3, 4) scalay_status refuse(const json_reader *r, int64_t line, const char *format, ...)
{
    char text[SCALAY_MESSAGE_SIZE];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return scalay_fail(SCALAY_ERROR_FORMAT, r->function, "%.200s, line %lld: %s", r->path, (long long)line, text);
}

/* Fails since the next character is not what JSON, or a pattern, has there. */
static scalay_status expected(const json_reader *r, const char *what)
{
    char shown[2];
    const char byte = (char)r->c;
    if (ferror(r->file))
        return scalay_fail(SCALAY_ERROR_FILE, r->function, "%.200s, line %lld: the file cannot be read: %s", r->path,
                           (long long)r->line, strerror(errno));
    if (r->c == EOF) return refuse(r, r->line, "the file ends; the next must be %s", what);
    return refuse(r, r->line, "the next is '%s'; it must be %s", scalay_printable(&byte, 1, shown, sizeof shown), what);
}

/* ----------------------------------------------------------------------------------------------------------- values */

static scalay_status read_escape(json_reader *r)
{
    const int digits = r->c == 'u' ? 4 : 0;
    if (r->c <= 0 || strchr("\"\\/bfnrtu", r->c) == NULL) return expected(r, "one of \"\\/bfnrtu");
    advance(r);
    for (int k = 0; k < digits; k++, advance(r))
        if (r->c <= 0 || strchr("0123456789abcdefABCDEF", r->c) == NULL) return expected(r, "a hexadecimal digit");
    return SCALAY_SUCCESS;
}

/* Reads a string. text[KEY_SIZE] is its start with escapes as they are, so that a longer string differs from all keys.
 */
static scalay_status read_string(json_reader *r, char text[KEY_SIZE])
{
    scalay_status status = SCALAY_SUCCESS;
    size_t length = 0;
    if (!take(r, '"')) return expected(r, "a text in quotes");
    while (r->c != '"') {
        const int is_escape = r->c == '\\';
        if (r->c < ' ') return expected(r, "a character or the closing quote");
        if (length < KEY_SIZE - 1) text[length++] = (char)r->c;
        advance(r);
        if (is_escape) SCALAY_TRY(read_escape(r));
    }
    text[length] = '\0';
    advance(r);
cleanup:
    return status;
}

static scalay_status read_key(json_reader *r, char key[KEY_SIZE])
{
    const scalay_status status = read_string(r, key);
    if (status != SCALAY_SUCCESS) return status;
    return take(r, ':') ? SCALAY_SUCCESS : expected(r, "':'");
}

static scalay_status skip_digits(json_reader *r)
{
    if (!is_digit(r->c)) return expected(r, "a digit");
    while (is_digit(r->c)) advance(r);
    return SCALAY_SUCCESS;
}

/* Reads any number. The verdict is SCALAY_NUMBER_INVALID for a number with a fraction or an exponent. */
static scalay_status read_number(json_reader *r, scalay_number_verdict *verdict, int64_t *value)
{
    scalay_status status = SCALAY_SUCCESS;
    char text[NUMBER_SIZE];
    const size_t sign = r->c == '-';
    size_t length = 0;
    do {
        if (length < NUMBER_SIZE) text[length++] = (char)r->c; /* what is cut off is too large in any case */
        advance(r);
    } while (is_digit(r->c));
    if (length == sign) return expected(r, "a digit");
    if (text[sign] == '0' && length > sign + 1)
        return refuse(r, r->line, "a number starts with 0; it must have no leading zeros");
    *verdict = scalay_text_to_int64(text, length, value);
    if (r->c == '.') {
        *verdict = SCALAY_NUMBER_INVALID;
        advance(r);
        SCALAY_TRY(skip_digits(r));
    }
    if (r->c == 'e' || r->c == 'E') {
        *verdict = SCALAY_NUMBER_INVALID;
        advance(r);
        if (r->c == '+' || r->c == '-') advance(r);
        SCALAY_TRY(skip_digits(r));
    }
cleanup:
    return status;
}

static scalay_status skip_word(json_reader *r)
{
    const char *word = r->c == 't' ? "true" : r->c == 'f' ? "false" : r->c == 'n' ? "null" : NULL;
    if (word == NULL) return expected(r, "a value");
    for (; *word != '\0'; word++, advance(r))
        if (r->c != *word) return expected(r, "the rest of true, false or null");
    return SCALAY_SUCCESS;
}

/* Skips any value. The recursion ends at MAX_DEPTH. */
static scalay_status skip_value(json_reader *r, int depth)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_number_verdict verdict;
    int64_t number;
    char text[KEY_SIZE];
    skip_space(r);
    if (r->c == '"') return read_string(r, text);
    if (r->c == '-' || is_digit(r->c)) return read_number(r, &verdict, &number);
    if (r->c != '{' && r->c != '[') return skip_word(r);
    const int is_object = r->c == '{', close = is_object ? '}' : ']';
    if (depth == MAX_DEPTH)
        return refuse(r, r->line, "objects and lists are nested more than %d deep; at most %d is allowed", MAX_DEPTH,
                      MAX_DEPTH);
    advance(r);
    if (take(r, close)) return SCALAY_SUCCESS;
    do {
        if (is_object) SCALAY_TRY(read_key(r, text));
        SCALAY_TRY(skip_value(r, depth + 1));
    } while (take(r, ','));
    if (!take(r, close)) status = expected(r, is_object ? "',' or '}'" : "',' or ']'");
cleanup:
    return status;
}

/* ----------------------------------------------------------------------------------------------- integers and tables
 */

/* Rows of integers, each as long as the first. */
typedef struct {
    int *value; /* shape [rows][cols] */
    int64_t count, capacity, rows, cols;
    int64_t line; /* of its end */
} int_table;

static scalay_status read_integer(json_reader *r, const char *name, int64_t min, int64_t max, int64_t *value)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_number_verdict verdict = SCALAY_NUMBER_INVALID;
    skip_space(r);
    if (r->c == '-' || is_digit(r->c))
        SCALAY_TRY(read_number(r, &verdict, value));
    else
        SCALAY_TRY(skip_value(r, 1));
    if (verdict != SCALAY_NUMBER_VALID)
        return refuse(r, r->line, "\"%s\" has a value that is %s; it must be an integer from %lld to %lld", name,
                      verdict == SCALAY_NUMBER_INVALID ? "not an integer" : "out of range", (long long)min,
                      (long long)max);
    if (*value < min || *value > max)
        return refuse(r, r->line, "\"%s\" has the value %lld; it must be an integer from %lld to %lld", name,
                      (long long)*value, (long long)min, (long long)max);
cleanup:
    return status;
}

static scalay_status read_row(json_reader *r, const char *name, int_table *table)
{
    scalay_status status = SCALAY_SUCCESS;
    const int64_t start = table->count;
    int64_t value = 0;
    if (!take(r, '[')) return expected(r, "a row, such as [0, 1]");
    do {
        SCALAY_TRY(read_integer(r, name, -1, MAX_PROCESSES - 1, &value));
        SCALAY_TRY(SCALAY_GROW(table->value, table->capacity, table->count + 1));
        table->value[table->count++] = (int)value;
    } while (take(r, ','));
    if (!take(r, ']')) return expected(r, "',' or ']'");
    if (table->rows == 0) table->cols = table->count;
    if (table->count - start != table->cols)
        return refuse(r, r->line, "row %lld of \"%s\" has %lld integers; it must have %lld, as row 0",
                      (long long)table->rows, name, (long long)(table->count - start), (long long)table->cols);
    table->rows++;
cleanup:
    return status;
}

static scalay_status read_table(json_reader *r, const char *name, int_table *table)
{
    scalay_status status = SCALAY_SUCCESS;
    if (!take(r, '[')) return expected(r, "a list of rows, such as [[0, 1], [1, 0]]");
    do SCALAY_TRY(read_row(r, name, table));
    while (take(r, ','));
    table->line = r->line;
    if (!take(r, ']')) status = expected(r, "',' or ']'");
cleanup:
    return status;
}

/* ---------------------------------------------------------------------------------------------------------- document
 */

/* The matrix comes first, in the order of SCALAY_MATRIX_M and so on. */
enum { ROWS = SCALAY_MATRIX_ENTRIES, COLS, PROCESSES, ROW_OFFSET, COL_OFFSET, VERSION, NUMBERS };
enum { OWNERS, COPIES, DIAGONAL, TABLES };

static const struct {
    const char *name;
    int64_t min, max;
} number_key[NUMBERS] = {{"m", 0, INT64_MAX},
                         {"n", 0, INT64_MAX},
                         {"mb", 1, INT64_MAX},
                         {"nb", 1, INT64_MAX},
                         {"rows", 1, MAX_SIDE},
                         {"cols", 1, MAX_SIDE},
                         {"processes", 1, MAX_PROCESSES},
                         {"row_offset", 0, MAX_SIDE - 1},
                         {"col_offset", 0, MAX_SIDE - 1},
                         {"version", 1, 1}}; /* files without a version are read, too */

static const char *const table_key[TABLES] = {"owners", "copies", "diagonal"};

typedef struct {
    int64_t number[NUMBERS]; /* -1: not in the file */
    int_table table[TABLES]; /* without rows: not in the file */
} json_pattern;

static scalay_status read_member(json_reader *r, json_pattern *document)
{
    char key[KEY_SIZE];
    const scalay_status status = read_key(r, key);
    if (status != SCALAY_SUCCESS) return status;
    for (int k = 0; k < NUMBERS; k++) {
        if (strcmp(key, number_key[k].name) != 0) continue;
        if (document->number[k] >= 0) return refuse(r, r->line, "key \"%s\" is given twice; give it once", key);
        return read_integer(r, key, number_key[k].min, number_key[k].max, &document->number[k]);
    }
    for (int k = 0; k < TABLES; k++) {
        if (strcmp(key, table_key[k]) != 0) continue;
        if (document->table[k].rows > 0) return refuse(r, r->line, "key \"%s\" is given twice; give it once", key);
        return read_table(r, key, &document->table[k]);
    }
    return skip_value(r, 1);
}

static scalay_status read_document(json_reader *r, json_pattern *document)
{
    scalay_status status = SCALAY_SUCCESS;
    if (!take(r, '{')) return expected(r, "'{'");
    if (!take(r, '}')) {
        do SCALAY_TRY(read_member(r, document));
        while (take(r, ','));
        if (!take(r, '}')) return expected(r, "',' or '}'");
    }
    skip_space(r);
    if (r->c != EOF || ferror(r->file)) status = expected(r, "the end of the file");
cleanup:
    return status;
}

static scalay_status check_shape(const json_reader *r, const json_pattern *document, int key, int64_t rows,
                                 int64_t cols)
{
    const int_table *table = &document->table[key];
    if (table->rows == rows && table->cols == cols) return SCALAY_SUCCESS;
    return refuse(r, table->line, "\"%s\" has %lld rows of %lld integers; it must have %lld rows of %lld",
                  table_key[key], (long long)table->rows, (long long)table->cols, (long long)rows, (long long)cols);
}

/* Checks that the tables fit each other. Sets the number of processes and of copies. */
static scalay_status complete(const json_reader *r, json_pattern *document, int64_t *copies)
{
    scalay_status status = SCALAY_SUCCESS;
    int64_t *number = document->number, max = 0;
    const int_table *owners = &document->table[OWNERS], *permutation = &document->table[COPIES],
                    *diagonal = &document->table[DIAGONAL];
    for (int k = ROWS; k <= COLS; k++)
        if (number[k] < 0)
            return refuse(r, r->line, "\"%s\" is missing; the file must be the output of scalay pattern --json",
                          number_key[k].name);
    SCALAY_TRY(check_shape(r, document, OWNERS, number[ROWS], number[COLS]));
    for (int64_t k = 0; k < owners->count; k++)
        if (owners->value[k] > max) max = owners->value[k];
    if (number[PROCESSES] < 0) number[PROCESSES] = max + 1;
    if (number[PROCESSES] > owners->count + permutation->count + diagonal->count)
        return refuse(r, r->line,
                      "\"processes\" is %lld, and the tables have %lld integers; each process must own a tile",
                      (long long)number[PROCESSES], (long long)(owners->count + permutation->count + diagonal->count));
    *copies = permutation->rows > 0 ? permutation->rows : diagonal->rows > 0 ? diagonal->cols : 1;
    if (*copies > MAX_SIDE)
        return refuse(r, r->line, "\"copies\" or \"diagonal\" has %lld copies; it must have 1 to %d",
                      (long long)*copies, MAX_SIDE);
    if (permutation->rows > 0) SCALAY_TRY(check_shape(r, document, COPIES, *copies, number[PROCESSES]));
    if (diagonal->rows > 0) SCALAY_TRY(check_shape(r, document, DIAGONAL, number[ROWS], *copies));
cleanup:
    return status;
}

/* Creates the pattern. Messages get the path, since those of the pattern do not have it. */
static scalay_status create(const json_reader *r, const json_pattern *document, int64_t copies,
                            scalay_pattern **pattern)
{
    const int64_t *number = document->number;
    const scalay_pattern_table table = {.parts = (int)number[PROCESSES],
                                        .rows = (int)number[ROWS],
                                        .cols = (int)number[COLS],
                                        .owner = document->table[OWNERS].value,
                                        .row_offset = number[ROW_OFFSET] > 0 ? (int)number[ROW_OFFSET] : 0,
                                        .col_offset = number[COL_OFFSET] > 0 ? (int)number[COL_OFFSET] : 0,
                                        .copies = (int)copies,
                                        .permutation = document->table[COPIES].value,
                                        .diagonal = document->table[DIAGONAL].value};
    const scalay_status status = scalay_pattern_new("", &table, "given", pattern);
    char message[SCALAY_MESSAGE_SIZE];
    if (status == SCALAY_SUCCESS || status == SCALAY_ERROR_MEMORY) return status;
    (void)snprintf(message, sizeof message, "%s", scalay_error_message());
    return scalay_fail(status, r->function, "%.200s: %s", r->path, message);
}

scalay_status scalay_pattern_read_json(const char *function, const char *path, FILE *file, int64_t line,
                                       int64_t *matrix, scalay_pattern **pattern)
{
    scalay_status status = SCALAY_SUCCESS;
    json_pattern document = {.number = {0}};
    json_reader reader = {.function = function, .path = path, .file = file, .line = line, .c = ' '};
    int64_t copies = 1;
    for (int k = 0; k < NUMBERS; k++) document.number[k] = -1;
    SCALAY_TRY(read_document(&reader, &document));
    SCALAY_TRY(complete(&reader, &document, &copies));
    SCALAY_TRY(create(&reader, &document, copies, pattern));
    for (int k = 0; k < SCALAY_MATRIX_ENTRIES; k++)
        if (document.number[k] >= 0) matrix[k] = document.number[k];
cleanup:
    for (int k = 0; k < TABLES; k++) scalay_release(document.table[k].value);
    return status;
}
