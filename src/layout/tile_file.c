/*
 * Tile files: `m n mb nb P` on the first line, then the owner of every tile, row by row. What the header promises is
 * not believed: memory grows with the owners that are really there.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/integer.h"
#include "base/memory.h"
#include "base/text.h"
#include "layout/parse.h"

static const char function[] = "scalay_layout_parse";

enum { WORD = 24 }; /* longer than any number */

/* A file that is read word by word. */
typedef struct {
    const char *path;
    FILE *file;
    int64_t line; /* of the last word, 1-based */
    size_t length;
    char word[WORD]; /* cut when it is longer; then length is WORD + 1 */
} word_reader;

static int is_space(int c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

/* Reads the next word, of an overlong one enough to tell that it is; 0 at the end of the file. */
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
    return scalay_fail(SCALAY_ERROR_FILE, function, "%.200s, line %lld: cannot be read: %s; check the file",
                       reader->path, (long long)reader->line, strerror(errno));
}

/* The number that the last word is, least <= number <= most. */
static scalay_status word_number(const word_reader *reader, const char *what, int64_t least, int64_t most,
                                 int64_t *value)
{
    char shown[WORD + 1];
    scalay_number_verdict number = SCALAY_NUMBER_INVALID;
    size_t kept = reader->length < WORD ? reader->length : WORD;
    scalay_printable(reader->word, (int64_t)kept, shown, sizeof shown);
    if (reader->length <= WORD) number = scalay_text_to_int64(reader->word, reader->length, value);
    if (number == SCALAY_NUMBER_INVALID)
        return scalay_fail(SCALAY_ERROR_FORMAT, function,
                           "%.200s, line %lld: %s \"%s\" is not a whole number; write digits only", reader->path,
                           (long long)reader->line, what, shown);
    if (number == SCALAY_NUMBER_TOO_LARGE || *value < least || *value > most)
        return scalay_fail(SCALAY_ERROR_FORMAT, function,
                           "%.200s, line %lld: %s %s is outside %lld .. %lld; write a number between", reader->path,
                           (long long)reader->line, what, shown, (long long)least, (long long)most);
    return SCALAY_SUCCESS;
}

/* m, n, mb, nb, P. */
enum { HEADER = 5 };

static scalay_status read_header(word_reader *reader, int64_t header[HEADER])
{
    static const char *const names[HEADER] = {"m", "n", "mb", "nb", "P"};
    static const int64_t least[HEADER] = {0, 0, 1, 1, 1};
    for (int k = 0; k < HEADER; k++) {
        if (!next_word(reader) || reader->line > 1) {
            if (ferror(reader->file)) return read_failure(reader);
            return scalay_fail(SCALAY_ERROR_FORMAT, function,
                               "%.200s, line 1: %s is missing; the first line is \"m n mb nb P\"", reader->path,
                               names[k]);
        }
        scalay_status status =
            word_number(reader, names[k], least[k], k == HEADER - 1 ? SCALAY_PARSE_PROCESSES : INT64_MAX, &header[k]);
        if (status != SCALAY_SUCCESS) return status;
    }
    return SCALAY_SUCCESS;
}

static scalay_status count_tiles(const word_reader *reader, const int64_t header[HEADER], int64_t *tiles)
{
    int64_t size;
    if (!scalay_multiply_int64(header[0], header[1], &size))
        return scalay_fail(
            SCALAY_ERROR_RANGE, function,
            "%.200s, line 1: m = %lld by n = %lld are more than 2^63 - 1 elements; make the matrix smaller",
            reader->path, (long long)header[0], (long long)header[1]);
    *tiles = size == 0 ? 0 : scalay_ceil_div(header[0], header[2]) * scalay_ceil_div(header[1], header[3]);
    return SCALAY_SUCCESS;
}

static scalay_status read_owners(word_reader *reader, int64_t tiles, int64_t parts, int **owner)
{
    scalay_status status = SCALAY_SUCCESS;
    int64_t read = 0, capacity = 0, value = 0;
    for (; next_word(reader); read++) {
        if (read == tiles) {
            status = scalay_fail(SCALAY_ERROR_FORMAT, function,
                                 "%.200s, line %lld: more than the %lld owners that the first line promises; remove "
                                 "them or correct it",
                                 reader->path, (long long)reader->line, (long long)tiles);
            goto cleanup;
        }
        if (read == 0 && reader->line == 1) {
            status = scalay_fail(
                SCALAY_ERROR_FORMAT, function,
                "%.200s, line 1: more than \"m n mb nb P\"; owners start on the second line; move them there",
                reader->path);
            goto cleanup;
        }
        SCALAY_TRY(word_number(reader, "owner", 0, parts - 1, &value));
        SCALAY_TRY(SCALAY_GROW(*owner, capacity, read + 1));
        (*owner)[read] = (int)value;
    }
    if (ferror(reader->file))
        status = read_failure(reader);
    else if (read < tiles)
        status = scalay_fail(SCALAY_ERROR_FORMAT, function,
                             "%.200s, line %lld: the file ends after %lld of the %lld owners that the first line "
                             "promises; add the others",
                             reader->path, (long long)reader->line, (long long)read, (long long)tiles);
cleanup:
    return status;
}

scalay_status scalay_tile_file_read(const char *path, scalay_layout **layout)
{
    scalay_status status = SCALAY_SUCCESS;
    int *owner = NULL;
    int64_t header[HEADER] = {0}, tiles = 0;
    word_reader reader = {.path = path, .line = 1};
    reader.file = fopen(path, "rb");
    if (reader.file == NULL)
        return scalay_fail(SCALAY_ERROR_FILE, function, "%.200s: cannot be opened: %s; check the name", path,
                           strerror(errno));
    SCALAY_TRY(read_header(&reader, header));
    SCALAY_TRY(count_tiles(&reader, header, &tiles));
    SCALAY_TRY(read_owners(&reader, tiles, header[4], &owner));
    SCALAY_TRY(scalay_layout_tiles(header[0], header[1], header[2], header[3], (int)header[4], owner, layout));
cleanup:
    scalay_release(owner);
    (void)fclose(reader.file);
    return status;
}
