/*
 * Layouts from text: key=value lists of the generators, tile files, and pattern files.
 *
 * A tile file has the header `m n mb nb P` and one owner per tile, row by row. A pattern file has the header `m n mb nb
 * P r c` and r lines of c owners, or is JSON (pattern_json.c). The header is not trusted: memory grows with the owners
 * that are read.
 */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/integer.h"
#include "base/memory.h"
#include "base/text.h"
#include "layout/layout.h"
#include "layout/pattern_json.h"
#include "partition/pattern.h"

static const char function[] = "scalay_layout_parse";

enum { MAX_PROCESSES = 1 << 24 }; /* more are refused before memory is requested */

/* ------------------------------------------------------------------------------------------------------- tile files */

enum { WORD = 24 }; /* longer than any number */

/* A file that is read word by word. */
typedef struct {
    const char *path;
    FILE *file;
    int64_t line; /* line of the last word, 1-based */
    size_t length;
    char word[WORD]; /* truncated if the word is longer; length is then WORD + 1 */
} word_reader;

static int is_space(int c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

/* Reads the next word; of a longer word the first WORD characters. Returns 0 at the end of the file. */
static int next_word(word_reader *reader)
{
    int c = getc(reader->file);
    while (is_space(c)) {
        reader->line += c == '\n';
        c = getc(reader->file);
    }
    reader->length = 0;
    while (c != EOF && !is_space(c) && reader->length <= WORD) {
        if (reader->length < WORD) reader->word[reader->length] = (char)c;
        reader->length++;
        c = getc(reader->file);
    }
    if (c != EOF) (void)ungetc(c, reader->file);
    return reader->length > 0;
}

static scalay_status read_failure(const word_reader *reader)
{
    return scalay_fail(SCALAY_ERROR_FILE, function, "%.200s, line %lld: the file cannot be read: %s", reader->path,
                       (long long)reader->line, strerror(errno));
}

/* Reads the last word as a number in min .. max. */
static scalay_status word_number(const word_reader *reader, const char *name, int64_t min, int64_t max, int64_t *value)
{
    char shown[WORD + 1];
    scalay_number_verdict number = SCALAY_NUMBER_INVALID;
    size_t kept = reader->length < WORD ? reader->length : WORD;
    scalay_printable(reader->word, (int64_t)kept, shown, sizeof shown);
    if (reader->length <= WORD) number = scalay_text_to_int64(reader->word, reader->length, value);
    if (number == SCALAY_NUMBER_INVALID)
        return scalay_fail(SCALAY_ERROR_FORMAT, function, "%.200s, line %lld: %s is \"%s\"; it must be a whole number",
                           reader->path, (long long)reader->line, name, shown);
    if (number == SCALAY_NUMBER_TOO_LARGE || *value < min || *value > max)
        return scalay_fail(SCALAY_ERROR_FORMAT, function, "%.200s, line %lld: %s is %s; it must be in [%lld, %lld]",
                           reader->path, (long long)reader->line, name, shown, (long long)min, (long long)max);
    return SCALAY_SUCCESS;
}

/* m, n, mb, nb, P; for a pattern also r, c. */
enum { HEADER = 7, TILE_HEADER = 5 };

static const char *header_form(int numbers)
{
    return numbers == HEADER ? "m n mb nb P r c" : "m n mb nb P";
}

static scalay_status read_header(word_reader *reader, int numbers, int64_t header[HEADER])
{
    static const char *const names[HEADER] = {"m", "n", "mb", "nb", "P", "r", "c"};
    static const int64_t min[HEADER] = {0, 0, 1, 1, 1, 1, 1};
    for (int k = 0; k < numbers; k++) {
        if (!next_word(reader) || reader->line > 1) {
            if (ferror(reader->file)) return read_failure(reader);
            return scalay_fail(SCALAY_ERROR_FORMAT, function, "%.200s, line 1: %s is missing; the line must be \"%s\"",
                               reader->path, names[k], header_form(numbers));
        }
        const int64_t max = k < TILE_HEADER - 1 ? INT64_MAX : k == TILE_HEADER - 1 ? MAX_PROCESSES : INT_MAX;
        scalay_status status = word_number(reader, names[k], min[k], max, &header[k]);
        if (status != SCALAY_SUCCESS) return status;
    }
    return SCALAY_SUCCESS;
}

static scalay_status count_tiles(const word_reader *reader, const int64_t header[HEADER], int64_t *tiles)
{
    int64_t size;
    if (!scalay_multiply_int64(header[0], header[1], &size))
        return scalay_fail(SCALAY_ERROR_RANGE, function,
                           "%.200s, line 1: m is %lld and n is %lld; m * n must be at most 2^63 - 1", reader->path,
                           (long long)header[0], (long long)header[1]);
    *tiles = size == 0 ? 0 : scalay_ceil_div(header[0], header[2]) * scalay_ceil_div(header[1], header[3]);
    return SCALAY_SUCCESS;
}

static scalay_status read_owners(word_reader *reader, int numbers, int64_t tiles, int64_t parts, int **owner)
{
    scalay_status status = SCALAY_SUCCESS;
    int64_t read = 0, capacity = 0, value = 0;
    for (; next_word(reader); read++) {
        if (read == tiles) {
            status = scalay_fail(
                SCALAY_ERROR_FORMAT, function,
                "%.200s, line %lld: the file has more owners than the %lld that line 1 announces; correct one of them",
                reader->path, (long long)reader->line, (long long)tiles);
            goto cleanup;
        }
        if (read == 0 && reader->line == 1) {
            status = scalay_fail(SCALAY_ERROR_FORMAT, function,
                                 "%.200s, line 1: the line must be \"%s\"; the owners start on line 2", reader->path,
                                 header_form(numbers));
            goto cleanup;
        }
        SCALAY_TRY(word_number(reader, "owner", numbers == HEADER ? -1 : 0, parts - 1, &value));
        SCALAY_TRY(SCALAY_GROW(*owner, capacity, read + 1));
        (*owner)[read] = (int)value;
    }
    if (ferror(reader->file))
        status = read_failure(reader);
    else if (read < tiles)
        status = scalay_fail(
            SCALAY_ERROR_FORMAT, function,
            "%.200s, line %lld: the file has %lld of the %lld owners that line 1 announces; correct one of them",
            reader->path, (long long)reader->line, (long long)read, (long long)tiles);
cleanup:
    return status;
}

static scalay_status read_tile_file(const char *path, scalay_layout **layout)
{
    scalay_status status = SCALAY_SUCCESS;
    int *owner = NULL;
    int64_t header[HEADER] = {0}, tiles = 0;
    word_reader reader = {.path = path, .line = 1};
    reader.file = fopen(path, "rb");
    if (reader.file == NULL)
        return scalay_fail(SCALAY_ERROR_FILE, function, "%.200s: the file cannot be opened: %s", path, strerror(errno));
    SCALAY_TRY(read_header(&reader, TILE_HEADER, header));
    SCALAY_TRY(count_tiles(&reader, header, &tiles));
    SCALAY_TRY(read_owners(&reader, TILE_HEADER, tiles, header[4], &owner));
    SCALAY_TRY(scalay_layout_tiles(header[0], header[1], header[2], header[3], (int)header[4], owner, layout));
cleanup:
    scalay_release(owner);
    (void)fclose(reader.file);
    return status;
}

enum { SHOWN = 48 }; /* bytes of the text in a message */

/* -------------------------------------------------------------------------------------------------------- key=value */

typedef enum { NUMBER, COUNT, ORDER } key_type; /* COUNT: at most INT_MAX */

typedef struct {
    const char *name;
    key_type type;
    int required;
    int64_t min;
    int64_t value; /* the default until the key is read */
    int found;
} key_entry;

enum { MAX_KEYS = 12 };

/* The keys of one kind of layout. The entry behind the last one has no name. */
typedef struct {
    key_entry entry[MAX_KEYS];
} key_list;

static key_entry *find_key(key_list *keys, const char *name, size_t length)
{
    for (key_entry *entry = keys->entry; entry->name != NULL; entry++)
        if (strlen(entry->name) == length && memcmp(entry->name, name, length) == 0) return entry;
    return NULL;
}

static int64_t key_value(const key_list *keys, const char *name)
{
    key_list copy = *keys;
    return find_key(&copy, name, strlen(name))->value;
}

static scalay_status read_order(key_entry *entry, const char *text, size_t length)
{
    char shown[SHOWN];
    if (length == 3 && memcmp(text, "row", 3) == 0)
        entry->value = SCALAY_ROW_MAJOR;
    else if (length == 3 && memcmp(text, "col", 3) == 0)
        entry->value = SCALAY_COLUMN_MAJOR;
    else
        return scalay_fail(SCALAY_ERROR_FORMAT, function, "%s is \"%s\"; it must be row or col", entry->name,
                           scalay_printable(text, (int64_t)length, shown, sizeof shown));
    return SCALAY_SUCCESS;
}

static scalay_status read_value(key_entry *entry, const char *text, size_t length)
{
    char shown[SHOWN];
    if (entry->type == ORDER) return read_order(entry, text, length);
    scalay_number_verdict number = scalay_text_to_int64(text, length, &entry->value);
    if (number == SCALAY_NUMBER_INVALID)
        return scalay_fail(SCALAY_ERROR_FORMAT, function, "%s is \"%s\"; it must be a whole number", entry->name,
                           scalay_printable(text, (int64_t)length, shown, sizeof shown));
    if (number == SCALAY_NUMBER_TOO_LARGE || (entry->type == COUNT && entry->value > INT_MAX))
        return scalay_fail(SCALAY_ERROR_RANGE, function, "%s is %s; it must be at most %lld", entry->name,
                           scalay_printable(text, (int64_t)length, shown, sizeof shown),
                           entry->type == COUNT ? (long long)INT_MAX : (long long)INT64_MAX);
    if (entry->value < entry->min)
        return scalay_fail(SCALAY_ERROR_ARGUMENT, function, "%s is %lld; it must be at least %lld", entry->name,
                           (long long)entry->value, (long long)entry->min);
    return SCALAY_SUCCESS;
}

static scalay_status read_pair(const char *text, size_t length, key_list *keys)
{
    char shown[SHOWN];
    const char *equals = memchr(text, '=', length);
    if (equals == NULL)
        return scalay_fail(SCALAY_ERROR_FORMAT, function, "\"%s\" must have the form key=value, such as m=100",
                           scalay_printable(text, (int64_t)length, shown, sizeof shown));
    size_t name_length = (size_t)(equals - text);
    key_entry *entry = find_key(keys, text, name_length);
    if (entry == NULL)
        return scalay_fail(SCALAY_ERROR_FORMAT, function, "key \"%s\" is unknown; scalay show --help lists the keys",
                           scalay_printable(text, (int64_t)name_length, shown, sizeof shown));
    if (entry->found++)
        return scalay_fail(SCALAY_ERROR_FORMAT, function, "key %s is given twice; give it once", entry->name);
    return read_value(entry, equals + 1, length - name_length - 1);
}

static scalay_status read_pairs(const char *text, key_list *keys)
{
    scalay_status status = SCALAY_SUCCESS;
    for (const char *at = text;;) {
        size_t length = strcspn(at, ",");
        SCALAY_TRY(read_pair(at, length, keys));
        if (at[length] == '\0') break;
        at += length + 1;
    }
    for (const key_entry *entry = keys->entry; entry->name != NULL; entry++)
        if (entry->required && !entry->found)
            return scalay_fail(SCALAY_ERROR_FORMAT, function, "key %s is missing; add %s=...", entry->name,
                               entry->name);
cleanup:
    return status;
}

/* ------------------------------------------------------------------------------------------------------------ kinds */

/* Refuses numbers of processes that are probably mistakes: these layouts allocate tables per process. */
static scalay_status check_processes(int64_t processes)
{
    if (processes <= MAX_PROCESSES) return SCALAY_SUCCESS;
    return scalay_fail(SCALAY_ERROR_RANGE, function, "the layout has %lld processes; it must have at most %d",
                       (long long)processes, MAX_PROCESSES);
}

/* Computes the extent of the dimension in which a window of `extent` starts at the 1-based index `first`. */
static scalay_status whole_extent(const char *name, int64_t extent, int64_t first, int64_t *whole)
{
    if (scalay_add_int64(extent, first - 1, whole)) return SCALAY_SUCCESS;
    return scalay_fail(SCALAY_ERROR_RANGE, function, "%s is %lld; the last index must be at most 2^63 - 1", name,
                       (long long)first);
}

static scalay_status parse_cyclic(const char *text, scalay_layout **layout)
{
    key_list keys = {{{"m", NUMBER, 1, 0, 0, 0},
                      {"n", NUMBER, 1, 0, 0, 0},
                      {"mb", NUMBER, 1, 1, 0, 0},
                      {"nb", NUMBER, 1, 1, 0, 0},
                      {"p", COUNT, 1, 1, 0, 0},
                      {"q", COUNT, 1, 1, 0, 0},
                      {"rsrc", COUNT, 0, 0, 0, 0},
                      {"csrc", COUNT, 0, 0, 0, 0},
                      {"ia", NUMBER, 0, 1, 1, 0},
                      {"ja", NUMBER, 0, 1, 1, 0},
                      {"order", ORDER, 0, 0, SCALAY_ROW_MAJOR, 0}}};
    scalay_status status = SCALAY_SUCCESS;
    scalay_layout *whole = NULL;
    int64_t rows, cols;
    SCALAY_TRY(read_pairs(text, &keys));
    int64_t m = key_value(&keys, "m"), n = key_value(&keys, "n");
    int64_t ia = key_value(&keys, "ia"), ja = key_value(&keys, "ja");
    SCALAY_TRY(whole_extent("ia", m, ia, &rows));
    SCALAY_TRY(whole_extent("ja", n, ja, &cols));
    SCALAY_TRY(scalay_layout_block_cyclic(rows, cols, key_value(&keys, "mb"), key_value(&keys, "nb"),
                                          (int)key_value(&keys, "p"), (int)key_value(&keys, "q"),
                                          (int)key_value(&keys, "rsrc"), (int)key_value(&keys, "csrc"),
                                          (scalay_order)key_value(&keys, "order"), &whole));
    if (ia > 1 || ja > 1) {
        SCALAY_TRY(scalay_layout_submatrix(whole, ia - 1, ja - 1, m, n, layout));
    } else {
        *layout = whole;
        whole = NULL;
    }
cleanup:
    scalay_layout_destroy(&whole);
    return status;
}

static scalay_status parse_skewed(const char *text, scalay_layout **layout)
{
    key_list keys = {{{"m", NUMBER, 1, 0, 0, 0},
                      {"n", NUMBER, 1, 0, 0, 0},
                      {"mb", NUMBER, 1, 1, 0, 0},
                      {"nb", NUMBER, 1, 1, 0, 0},
                      {"p", COUNT, 1, 1, 0, 0},
                      {"q", COUNT, 1, 1, 0, 0},
                      {"seed", NUMBER, 0, 0, 1, 0}}};
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(read_pairs(text, &keys));
    SCALAY_TRY(check_processes(key_value(&keys, "p") * key_value(&keys, "q")));
    SCALAY_TRY(scalay_layout_skewed(key_value(&keys, "m"), key_value(&keys, "n"), key_value(&keys, "mb"),
                                    key_value(&keys, "nb"), (int)key_value(&keys, "p"), (int)key_value(&keys, "q"),
                                    (uint64_t)key_value(&keys, "seed"), layout));
cleanup:
    return status;
}

static scalay_status parse_chunks(const char *text, scalay_layout **layout)
{
    key_list keys = {{{"m", NUMBER, 1, 0, 0, 0},
                      {"n", NUMBER, 1, 0, 0, 0},
                      {"mb", NUMBER, 1, 1, 0, 0},
                      {"nb", NUMBER, 1, 1, 0, 0},
                      {"p", COUNT, 1, 1, 0, 0},
                      {"seed", NUMBER, 0, 0, 1, 0}}};
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(read_pairs(text, &keys));
    SCALAY_TRY(check_processes(key_value(&keys, "p")));
    SCALAY_TRY(scalay_layout_chunks(key_value(&keys, "m"), key_value(&keys, "n"), key_value(&keys, "mb"),
                                    key_value(&keys, "nb"), (int)key_value(&keys, "p"),
                                    (uint64_t)key_value(&keys, "seed"), layout));
cleanup:
    return status;
}

/* ---------------------------------------------------------------------------------------------------- pattern files */

enum { DEFAULT_TILE = 64 };

/* Reads the keys before the name of a pattern file. The name starts where no known key follows. */
static scalay_status take_keys(const char **text, key_list *keys)
{
    scalay_status status = SCALAY_SUCCESS;
    for (size_t length = strcspn(*text, ","); (*text)[length] == ','; length = strcspn(*text, ",")) {
        const size_t name = strcspn(*text, "=");
        if (name >= length || find_key(keys, *text, name) == NULL) break;
        SCALAY_TRY(read_pair(*text, length, keys));
        *text += length + 1;
    }
cleanup:
    return status;
}

/* Returns the first character that is not space. It is the next one that is read. */
static int first_character(word_reader *reader)
{
    int c = getc(reader->file);
    for (; is_space(c); c = getc(reader->file)) reader->line += c == '\n';
    if (c != EOF) (void)ungetc(c, reader->file);
    return c;
}

/* The header, then r lines of c owners; -1: a diagonal tile by rule. */
static scalay_status read_pattern_text(word_reader *reader, int64_t matrix[SCALAY_MATRIX_ENTRIES],
                                       scalay_pattern **pattern)
{
    scalay_status status = SCALAY_SUCCESS;
    int *owner = NULL;
    int64_t header[HEADER] = {0}, tiles = 0;
    SCALAY_TRY(read_header(reader, HEADER, header));
    SCALAY_TRY(count_tiles(reader, header, &tiles));
    tiles = header[5] * header[6]; /* at most INT_MAX squared */
    if (header[4] > tiles)         /* before there is memory for P processes */
        status =
            scalay_fail(SCALAY_ERROR_FORMAT, function,
                        "%.200s, line 1: P is %lld, r * c is %lld; P must be at most r * c, since each process must "
                        "own a tile",
                        reader->path, (long long)header[4], (long long)tiles);
    if (status != SCALAY_SUCCESS) goto cleanup;
    SCALAY_TRY(read_owners(reader, HEADER, tiles, header[4], &owner));
    const scalay_pattern_table table = {
        .parts = (int)header[4], .rows = (int)header[5], .cols = (int)header[6], .owner = owner};
    SCALAY_TRY(scalay_pattern_new(function, &table, "given", pattern));
    memcpy(matrix, header, SCALAY_MATRIX_ENTRIES * sizeof *matrix);
cleanup:
    scalay_release(owner);
    return status;
}

static scalay_status read_pattern_file(const char *path, int64_t matrix[SCALAY_MATRIX_ENTRIES],
                                       scalay_pattern **pattern)
{
    word_reader reader = {.path = path, .line = 1};
    reader.file = fopen(path, "rb");
    if (reader.file == NULL)
        return scalay_fail(SCALAY_ERROR_FILE, function, "%.200s: the file cannot be opened: %s", path, strerror(errno));
    const scalay_status status =
        first_character(&reader) == '{'
            ? scalay_pattern_read_json(function, path, reader.file, reader.line, matrix, pattern)
            : read_pattern_text(&reader, matrix, pattern);
    (void)fclose(reader.file);
    return status;
}

scalay_status scalay_layout_read_pattern(const char *text, int64_t m, int64_t n, scalay_layout **layout)
{
    key_list keys = {{{"m", NUMBER, 0, 0, -1, 0},
                      {"n", NUMBER, 0, 0, -1, 0},
                      {"mb", NUMBER, 0, 1, -1, 0},
                      {"nb", NUMBER, 0, 1, -1, 0}}};
    scalay_status status = SCALAY_SUCCESS;
    scalay_pattern *pattern = NULL;
    int64_t matrix[SCALAY_MATRIX_ENTRIES] = {m, n, -1, -1};
    const char *path = text;
    *layout = NULL;
    SCALAY_TRY(take_keys(&path, &keys));
    SCALAY_TRY(read_pattern_file(path, matrix, &pattern));
    for (int k = 0; k < SCALAY_MATRIX_ENTRIES; k++)
        if (keys.entry[k].found) matrix[k] = keys.entry[k].value;
    if (matrix[SCALAY_MATRIX_M] < 0)
        status = scalay_fail(SCALAY_ERROR_FORMAT, function,
                             "%.200s has no key \"m\"; give the rows of the matrix before its name: pattern:m=..,FILE",
                             path);
    if (status != SCALAY_SUCCESS) goto cleanup;
    if (matrix[SCALAY_MATRIX_N] < 0) matrix[SCALAY_MATRIX_N] = matrix[SCALAY_MATRIX_M];
    if (matrix[SCALAY_MATRIX_MB] < 0) matrix[SCALAY_MATRIX_MB] = DEFAULT_TILE;
    if (matrix[SCALAY_MATRIX_NB] < 0) matrix[SCALAY_MATRIX_NB] = matrix[SCALAY_MATRIX_MB];
    SCALAY_TRY(scalay_layout_from_pattern(pattern, matrix[SCALAY_MATRIX_M], matrix[SCALAY_MATRIX_N],
                                          matrix[SCALAY_MATRIX_MB], matrix[SCALAY_MATRIX_NB], layout));
cleanup:
    scalay_pattern_destroy(&pattern);
    return status;
}

static scalay_status parse_pattern(const char *text, scalay_layout **layout)
{
    return scalay_layout_read_pattern(text, -1, -1, layout);
}

static const struct {
    const char *prefix;
    scalay_status (*parse)(const char *text, scalay_layout **layout);
} kinds[] = {
    {"cyclic:", parse_cyclic}, {"tiles:", read_tile_file}, {"pattern:", parse_pattern},
    {"skewed:", parse_skewed}, {"chunks:", parse_chunks},
};

scalay_status scalay_layout_parse(const char *text, scalay_layout **layout)
{
    char shown[SHOWN];
    scalay_status status = scalay_check_not_null(layout, __func__, "layout");
    if (status != SCALAY_SUCCESS) return status;
    *layout = NULL;
    status = scalay_check_not_null(text, __func__, "text");
    if (status != SCALAY_SUCCESS) return status;
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        size_t length = strlen(kinds[k].prefix);
        if (strncmp(text, kinds[k].prefix, length) == 0) return kinds[k].parse(text + length, layout);
    }
    return SCALAY_FAIL(SCALAY_ERROR_FORMAT,
                       "\"%s\" is not a layout; it must begin with cyclic:, tiles:, pattern:, skewed: or chunks: (see "
                       "scalay show --help)",
                       scalay_printable(text, (int64_t)strlen(text), shown, sizeof shown));
}
