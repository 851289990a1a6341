#include <string.h>

#include "base/integer.h"
#include "io/convert.h"
#include "io/market.h"

enum { WORDS = 5, WORD_SIZE = 32 };

/* A line of the head, without its end. */
typedef struct {
    const char *at;
    const char *end;
} text_line;

/* The next line; 0 when the head ends before the line does. */
static int next_line(const scalay_file_head *head, int64_t *position, text_line *line)
{
    const char *start = head->bytes + *position;
    const char *newline = memchr(start, '\n', (size_t)(head->length - *position));
    if (newline == NULL && (head->length < head->file_bytes || *position == head->length)) return 0;
    const char *end = newline != NULL ? newline : head->bytes + head->length;
    *position = end - head->bytes + (newline != NULL);
    *line = (text_line){start, end};
    return 1;
}

/* The next word of a line in small letters, cut at WORD_SIZE - 1; its length before the cut. */
static int64_t next_word(text_line *line, char word[WORD_SIZE])
{
    while (line->at < line->end && scalay_market_is_space(*line->at)) line->at++;
    const char *start = line->at;
    while (line->at < line->end && !scalay_market_is_space(*line->at)) line->at++;
    scalay_printable(start, line->at - start, word, WORD_SIZE);
    for (char *at = word; *at != '\0'; at++)
        if (*at >= 'A' && *at <= 'Z') *at = (char)(*at | 0x20);
    return line->at - start;
}

/* What may stand in the banner behind %%MatrixMarket; known words that are not supported come with a remedy. */
static const struct {
    int place;
    const char *word;
    scalay_type type; /* of a field; 0: the word has no meaning of its own */
    const char *remedy;
} banner_words[] = {
    {1, "matrix", 0, NULL},
    {1, "vector", 0, "write it as a matrix of one column"},
    {2, "array", 0, NULL},
    {2, "coordinate", 0, "write the matrix dense, as an array: scipy.io.mmwrite(file, a.toarray())"},
    {3, "real", SCALAY_DOUBLE, NULL},
    {3, "double", SCALAY_DOUBLE, NULL},
    {3, "complex", SCALAY_COMPLEX_DOUBLE, NULL},
    {3, "integer", SCALAY_INT, NULL},
    {3, "pattern", 0, "a pattern has no numbers: write the matrix itself, as an array"},
    {4, "general", 0, NULL},
    {4, "symmetric", 0, "write both triangles: scipy.io.mmwrite(file, a, symmetry='general')"},
    {4, "skew-symmetric", 0, "write both triangles: scipy.io.mmwrite(file, a, symmetry='general')"},
    {4, "hermitian", 0, "write both triangles: scipy.io.mmwrite(file, a, symmetry='general')"},
};

enum { BANNER_WORDS = (int)(sizeof banner_words / sizeof banner_words[0]) };

static scalay_status check_word(const char *path, int place, const char *word, scalay_file_info *info)
{
    int k = 0;
    while (k < BANNER_WORDS && (banner_words[k].place != place || strcmp(banner_words[k].word, word) != 0)) k++;
    if (k == BANNER_WORDS)
        return SCALAY_FAIL(SCALAY_ERROR_FORMAT,
                           "'%.200s' line 1: word %d is '%s'; the line must be \"%%%%MatrixMarket matrix array "
                           "real|complex|integer general\"",
                           path, place + 1, word);
    if (banner_words[k].remedy != NULL)
        return SCALAY_FAIL(SCALAY_ERROR_UNSUPPORTED, "'%.200s' line 1: Matrix Market '%s' files are not supported; %s",
                           path, word, banner_words[k].remedy);
    if (banner_words[k].type != 0) info->type = banner_words[k].type;
    return SCALAY_SUCCESS;
}

static scalay_status parse_banner(const char *path, text_line line, scalay_file_info *info)
{
    scalay_status status = SCALAY_SUCCESS;
    char word[WORD_SIZE];
    if (next_word(&line, word) != (int64_t)strlen(SCALAY_MARKET_MAGIC)) word[0] = '\0';
    for (int place = 1; place < WORDS; place++) {
        if (word[0] != '\0') (void)next_word(&line, word);
        SCALAY_TRY(check_word(path, place, word, info));
    }
    if (next_word(&line, word) > 0)
        status = SCALAY_FAIL(SCALAY_ERROR_FORMAT,
                             "'%.200s' line 1: '%s' behind \"general\" does not belong there; remove it", path, word);
cleanup:
    return status;
}

/* 1 for digits that make a number below 2^63. */
static int parse_extent(const char *word, int64_t length, int64_t *extent)
{
    int64_t value = 0;
    if (length == 0 || length >= WORD_SIZE) return 0;
    for (const char *at = word; *at != '\0'; at++) {
        if (*at < '0' || *at > '9') return 0;
        if (!scalay_multiply_int64(value, 10, &value) || !scalay_add_int64(value, *at - '0', &value)) return 0;
    }
    *extent = value;
    return 1;
}

static scalay_status parse_extents(const char *path, int64_t number, text_line line, scalay_file_info *info)
{
    char shown[64], m[WORD_SIZE], n[WORD_SIZE], rest[WORD_SIZE];
    scalay_printable(line.at, line.end - line.at, shown, sizeof shown);
    int64_t m_length = next_word(&line, m), n_length = next_word(&line, n);
    if (parse_extent(m, m_length, &info->m) && parse_extent(n, n_length, &info->n) && next_word(&line, rest) == 0)
        return SCALAY_SUCCESS;
    return SCALAY_FAIL(SCALAY_ERROR_FORMAT,
                       "'%.200s' line %lld: \"%s\" should be the numbers of rows and columns, each from 0 to 2^63 - 1; "
                       "write \"m n\"",
                       path, (long long)number, shown);
}

/* A number takes a character at least, and one to part it from the next: a lie about the extents shows early. */
static scalay_status check_room(const scalay_file_head *head, const scalay_file_info *info)
{
    int64_t numbers = 0, room = (head->file_bytes - info->data_offset + 1) / 2;
    if (scalay_multiply_int64(info->m, info->n, &numbers) &&
        scalay_multiply_int64(numbers, scalay_components(info->type), &numbers) && numbers <= room)
        return SCALAY_SUCCESS;
    return SCALAY_FAIL(SCALAY_ERROR_FORMAT,
                       "'%.200s' is truncated: %lld x %lld %s promise more numbers than its %lld bytes can hold; copy "
                       "or write it again",
                       head->path, (long long)info->m, (long long)info->n,
                       scalay_components(info->type) == 2 ? "pairs of numbers" : "numbers",
                       (long long)head->file_bytes);
}

static int is_blank(text_line line)
{
    char word[WORD_SIZE];
    return next_word(&line, word) == 0;
}

scalay_status scalay_market_parse(const scalay_file_head *head, scalay_file_info *info)
{
    scalay_status status = SCALAY_SUCCESS;
    int64_t position = 0, number = 1;
    text_line line = {head->bytes, head->bytes};
    int found = next_line(head, &position, &line);
    if (found) SCALAY_TRY(parse_banner(head->path, line, info));
    do {
        found = found && next_line(head, &position, &line);
        number++;
    } while (found && (*line.at == '%' || is_blank(line)));
    if (!found)
        return SCALAY_FAIL(SCALAY_ERROR_FORMAT,
                           "'%.200s' has no line with the numbers of rows and columns in its first %lld bytes; write "
                           "\"m n\" behind the comments",
                           head->path, (long long)head->length);
    SCALAY_TRY(parse_extents(head->path, number, line, info));
    info->order = SCALAY_COLUMN_MAJOR;
    info->dimensions = 2;
    info->data_offset = position;
    status = check_room(head, info);
cleanup:
    return status;
}
