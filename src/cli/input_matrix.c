/*
 * Matrices and lists in text files: traffic, costs, distances, nodes. A matrix is a CSV file (base/csv.h): a row per
 * line, numbers separated by commas. Empty lines are allowed at the end only. Messages name file, line, field and
 * value.
 */

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "base/csv.h"
#include "base/memory.h"
#include "input.h"

/* ------------------------------------------------------------------------------------------- numbers in an option */

scalay_status scalay_input_numbers(const char *option, const char *text, int *count, double **number)
{
    scalay_status status = SCALAY_SUCCESS;
    int64_t fields = 1;
    *number = NULL;
    for (const char *c = text; *c != '\0'; c++) fields += *c == ',';
    if (fields > INT_MAX) return SCALAY_FAIL(SCALAY_ERROR_RANGE, "%s has more than %d numbers", option, INT_MAX);
    *count = (int)fields;
    SCALAY_TRY(SCALAY_NEW(*number, fields));
    for (int k = 0; k < *count; k++) {
        const char *end = scalay_parse_number(text, ",", &(*number)[k]);
        if (end == NULL)
            return SCALAY_FAIL(
                SCALAY_ERROR_ARGUMENT,
                "%s: number %d is '%.*s'; it must be a decimal number of at least 0. Separate numbers by commas, "
                "such as 1,0.5,0.25",
                option, k + 1, (int)strcspn(text, ","), text);
        text = end + (*end == ',');
    }
cleanup:
    return status;
}

/* ------------------------------------------------------------------------------------------------ matrices */

/* Function that takes the current field. */
typedef scalay_status (*take_function)(scalay_csv *csv, void *context);

/* Reader of a matrix. */
typedef struct {
    int rows; /* complete rows */
    int cols; /* fields of the first row */
    take_function take;
    void *context;
} matrix_reader;

static scalay_status check_width(const scalay_csv *csv, const matrix_reader *reader)
{
    int cols = csv->field + 1;
    if (csv->row == 0 || (csv->ends_row ? cols == reader->cols : cols < reader->cols)) return SCALAY_SUCCESS;
    return SCALAY_FAIL(SCALAY_ERROR_FORMAT,
                       "%s, line %lld: the line has %d fields, the lines before have %d; all must have the same "
                       "number",
                       csv->path, (long long)csv->line, cols, reader->cols);
}

static scalay_status take_field(scalay_csv *csv, matrix_reader *reader)
{
    scalay_status status = SCALAY_SUCCESS;
    if (csv->blank != 0)
        return SCALAY_FAIL(SCALAY_ERROR_FORMAT, "%s, line %lld: the line is empty; remove it", csv->path,
                           (long long)csv->blank);
    if (csv->row == INT_MAX - 1)
        return SCALAY_FAIL(SCALAY_ERROR_FORMAT, "%s, line %lld: too many rows", csv->path, (long long)csv->line);
    SCALAY_TRY(reader->take(csv, reader->context));
    SCALAY_TRY(check_width(csv, reader));
    if (csv->row == 0) reader->cols = csv->field + 1;
    reader->rows = (int)csv->row + csv->ends_row;
cleanup:
    return status;
}

/* Reads a text in memory; NULL: reads the file. */
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
        status =
            SCALAY_FAIL(SCALAY_ERROR_FORMAT, "%s: the file has no numbers; it must have one line per process", path);
cleanup:
    scalay_csv_close(&csv);
    return status;
}

/* ------------------------------------------------------------------------------------------------ traffic */

typedef struct {
    int64_t entries;
    int64_t capacity[3];
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
    SCALAY_TRY(SCALAY_GROW(list->process, list->capacity[0], list->entries + 1));
    SCALAY_TRY(SCALAY_GROW(list->part, list->capacity[1], list->entries + 1));
    SCALAY_TRY(SCALAY_GROW(list->items, list->capacity[2], list->entries + 1));
    list->process[list->entries] = (int)csv->row;
    list->part[list->entries] = csv->field;
    list->items[list->entries] = items;
    list->entries++;
cleanup:
    return status;
}

scalay_status scalay_input_traffic(const char *path, scalay_traffic **traffic)
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

/* ------------------------------------------------------------------------------------- costs, distances */

typedef struct {
    int64_t count;
    int64_t capacity;
    double *cost;
} cost_list;

static scalay_status take_cost(scalay_csv *csv, void *context)
{
    scalay_status status = SCALAY_SUCCESS;
    cost_list *list = context;
    SCALAY_TRY(SCALAY_GROW(list->cost, list->capacity, list->count + 1));
    SCALAY_TRY(scalay_csv_number(csv, &list->cost[list->count]));
    list->count++;
cleanup:
    return status;
}

static scalay_status read_square(const char *path, const char *text, scalay_cost_matrix *costs)
{
    scalay_status status = SCALAY_SUCCESS;
    cost_list list = {0};
    matrix_reader reader = {.take = take_cost, .context = &list};
    *costs = (scalay_cost_matrix){0};
    SCALAY_TRY(read_matrix(path, text, &reader));
    if (reader.rows != reader.cols) {
        status = SCALAY_FAIL(SCALAY_ERROR_FORMAT, "%s: %d rows of %d fields; the matrix must be square", path,
                             reader.rows, reader.cols);
        goto cleanup;
    }
    costs->extent = reader.rows;
    costs->cost = list.cost;
    return SCALAY_SUCCESS;
cleanup:
    scalay_release(list.cost);
    return status;
}

scalay_status scalay_input_costs(const char *path, scalay_cost_matrix *costs)
{
    return read_square(path, NULL, costs);
}

scalay_status scalay_input_text(const char *path, char **text)
{
    scalay_status status = SCALAY_SUCCESS;
    int64_t capacity = 0, length = 0;
    size_t got = 0;
    errno = 0;
    FILE *stream = fopen(path, "r");
    if (stream == NULL) return SCALAY_FAIL(SCALAY_ERROR_FILE, "%s: %s", path, strerror(errno));
    do {
        SCALAY_TRY(SCALAY_GROW(*text, capacity, length + BUFSIZ + 1));
        got = fread(*text + length, 1, BUFSIZ, stream);
        length += (int64_t)got;
    } while (got > 0);
    (*text)[length] = '\0';
    if (ferror(stream))
        status = SCALAY_FAIL(SCALAY_ERROR_FILE, "%s: %s", path, strerror(errno));
    else if (memchr(*text, '\0', (size_t)length) != NULL)
        status = SCALAY_FAIL(SCALAY_ERROR_FORMAT, "%s: zero byte; the file must be a text file", path);
cleanup:
    (void)fclose(stream);
    return status;
}

/* Copies the words of a line, without the first `skip` ones, with commas between them. Returns the end of the copy. */
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

/* Rewrites printed tables as CSV, in place. The text does not grow, and the numbers of its lines stay the same. */
static void rewrite_as_csv(char *text)
{
    int has_index = 0;
    char *out = text;
    for (char *line = text; *line != '\0';) {
        char *end = line + strcspn(line, "\n");
        char *next = *end == '\n' ? end + 1 : end;
        const char *first = line + strspn(line, " \t");
        const int is_csv = memchr(line, ',', (size_t)(end - line)) != NULL || *first == '#';
        if (!is_csv && isalpha((unsigned char)*first)) {
            has_index |= strncmp(first, "index", 5) == 0 || strncmp(first, "node ", 5) == 0;
            *out++ = '#';
        } else if (is_csv) {
            memmove(out, line, (size_t)(end - line));
            out += end - line;
        } else {
            out = write_row(line, end, has_index, out);
        }
        if (next > end) *out++ = '\n';
        line = next;
    }
    *out = '\0';
}

scalay_status scalay_input_distances(const char *path, scalay_cost_matrix *distances)
{
    scalay_status status = SCALAY_SUCCESS;
    char *text = NULL;
    *distances = (scalay_cost_matrix){0};
    SCALAY_TRY(scalay_input_text(path, &text));
    rewrite_as_csv(text);
    SCALAY_TRY(read_square(path, text, distances));
cleanup:
    scalay_release(text);
    return status;
}

/* --------------------------------------------------------------------------------------------------- nodes */

/* Maximum number of processes of a list. */
enum { MAX_PROCESSES = 1 << 24 };

/* A word of the list: the node of consecutive processes. */
typedef struct {
    const char *name;
    int length;
    int processes;
    int number; /* of the node */
    int first;  /* index of the first word with this name */
} word;

typedef struct {
    const char *source; /* for messages */
    int64_t capacity;
    int count;
    int processes;
    word *words;
} word_list;

static int is_separator(char c)
{
    return c == ',' || isspace((unsigned char)c);
}

/* Skips separators and comments. */
static const char *skip(const char *at)
{
    while (is_separator(*at) || *at == '#') at += *at == '#' ? strcspn(at, "\n") : 1;
    return at;
}

static scalay_status take_word(const char *at, int length, word_list *list)
{
    scalay_status status = SCALAY_SUCCESS;
    const char *star = memchr(at, '*', (size_t)length);
    long times = 1;
    char *end = NULL;
    if (star != NULL) times = isdigit((unsigned char)star[1]) ? strtol(star + 1, &end, 10) : 0;
    if (times < 1 || times > MAX_PROCESSES - list->processes || (star != NULL && end != at + length) || star == at)
        return SCALAY_FAIL(SCALAY_ERROR_FORMAT,
                           "%s: '%.*s' must be a number or a name, or NODE*COUNT for COUNT consecutive processes, at "
                           "most %d in all",
                           list->source, length, at, MAX_PROCESSES);
    SCALAY_TRY(SCALAY_GROW(list->words, list->capacity, (int64_t)list->count + 1));
    const int name_length = star != NULL ? (int)(star - at) : length;
    list->words[list->count] = (word){.name = at, .length = name_length, .processes = (int)times, .first = list->count};
    list->count++;
    list->processes += (int)times;
cleanup:
    return status;
}

static scalay_status list_words(const char *text, word_list *list)
{
    scalay_status status = SCALAY_SUCCESS;
    for (const char *at = skip(text); *at != '\0'; at = skip(at)) {
        const char *end = at;
        while (*end != '\0' && !is_separator(*end)) end++;
        SCALAY_TRY(take_word(at, (int)(end - at), list));
        at = end;
    }
    if (list->count == 0)
        return SCALAY_FAIL(SCALAY_ERROR_FORMAT, "%s is empty; it must have one node for each process", list->source);
cleanup:
    return status;
}

/* Returns the number that a word is; -1 if it is a name. */
static int number_of(const word *given)
{
    int64_t number = 0;
    for (int k = 0; k < given->length; k++) {
        if (!isdigit((unsigned char)given->name[k])) return -1;
        number = 10 * number + (given->name[k] - '0');
        if (number >= MAX_PROCESSES) return -1;
    }
    return (int)number;
}

static int compare_names(const void *one, const void *other)
{
    const word *a = one, *b = other;
    const int shorter = a->length < b->length ? a->length : b->length;
    const int order = memcmp(a->name, b->name, (size_t)shorter);
    if (order != 0) return order;
    return scalay_compare_int64(a->length, b->length);
}

static int compare_words(const void *one, const void *other)
{
    const word *a = one, *b = other;
    const int order = compare_names(a, b);
    return order != 0 ? order : scalay_compare_int64(a->first, b->first);
}

/* Numbers names in the order of their first occurrence. */
static scalay_status number_names(word_list *list)
{
    scalay_status status = SCALAY_SUCCESS;
    word *sorted = NULL;
    int names = 0;
    SCALAY_TRY(SCALAY_NEW(sorted, list->count));
    memcpy(sorted, list->words, sizeof *sorted * (size_t)list->count);
    qsort(sorted, (size_t)list->count, sizeof *sorted, compare_words);
    for (int k = 0, first = 0; k < list->count; k++) {
        if (compare_names(&sorted[k], &sorted[first]) != 0) first = k;
        list->words[sorted[k].first].first = sorted[first].first;
    }
    for (int k = 0; k < list->count; k++) {
        word *at = &list->words[k];
        at->number = at->first == k ? names++ : list->words[at->first].number;
    }
cleanup:
    scalay_release(sorted);
    return status;
}

static scalay_status number_nodes(word_list *list)
{
    int all = 1;
    for (int k = 0; k < list->count; k++) {
        list->words[k].number = number_of(&list->words[k]);
        all = all && list->words[k].number >= 0;
    }
    return all ? SCALAY_SUCCESS : number_names(list);
}

/* Lists the node of each process. */
static scalay_status expand(const word_list *list, scalay_process_nodes *nodes)
{
    scalay_status status = SCALAY_SUCCESS;
    int filled = 0;
    SCALAY_TRY(SCALAY_NEW(nodes->node, list->processes));
    for (int k = 0; k < list->count; k++) {
        const word *at = &list->words[k];
        for (int p = 0; p < at->processes; p++) nodes->node[filled++] = at->number;
        if (at->number >= nodes->nodes) nodes->nodes = at->number + 1;
    }
    nodes->processes = filled;
cleanup:
    return status;
}

scalay_status scalay_input_nodes(const char *option, const char *text, scalay_process_nodes *nodes)
{
    scalay_status status = SCALAY_SUCCESS;
    const int is_list = strchr(text, ',') != NULL;
    char *content = NULL;
    word_list list = {.source = is_list ? option : text};
    *nodes = (scalay_process_nodes){0};
    if (!is_list) SCALAY_TRY(scalay_input_text(text, &content));
    SCALAY_TRY(list_words(is_list ? text : content, &list));
    SCALAY_TRY(number_nodes(&list));
    SCALAY_TRY(expand(&list, nodes));
cleanup:
    scalay_release(list.words);
    scalay_release(content);
    return status;
}
