#include <string.h>

#include "base/integer.h"
#include "base/memory.h"
#include "base/number.h"
#include "io/convert.h"
#include "io/market.h"

/* The rank's slab on its way from text to numbers. */
typedef struct {
    const scalay_file *file;
    const scalay_file_info *info;
    const scalay_slab *slab;
    scalay_type type; /* in memory */
    char *data;       /* the slab's local array: by columns, as the file */
    char *buffer;     /* file->chunk bytes of text */
    int64_t position; /* in the file: where the next number or the space before it is */
    int64_t end;      /* in the file */
    int64_t numbers;  /* of the slab */
    int64_t done;     /* numbers read */
} reading;

static scalay_number_verdict store_number(const reading *text, char *token)
{
    int stored = scalay_components(text->info->type), wanted = scalay_components(text->type);
    int64_t place = text->done / stored * wanted + text->done % stored;
    double d = 0.0;
    float s = 0.0f;
    int i = 0;
    scalay_number_verdict verdict = SCALAY_NUMBER_VALID;
    if (text->info->type == SCALAY_INT) verdict = scalay_number_check_integer(token);
    if (verdict != SCALAY_NUMBER_VALID) return verdict;
    size_t size = scalay_type_size(text->type) / (size_t)wanted;
    char *at = text->data + place * (int64_t)size;
    const void *value = &d;
    if (text->type == SCALAY_INT) {
        verdict = scalay_number_int(token, &i);
        value = &i;
    } else if (size == sizeof s) {
        verdict = scalay_number_float(token, &s);
        value = &s;
    } else {
        verdict = scalay_number_double(token, &d);
    }
    memcpy(at, value, size);
    if (stored < wanted) memset(at + size, 0, size); /* a real number's imaginary part */
    return verdict;
}

/* The line of a byte, counted from 1, by looking through all that is before it; 0 when it cannot be read. */
static int64_t line_of(const reading *text, int64_t position)
{
    int64_t line = 1;
    for (int64_t at = 0; at < position; at += text->file->chunk) {
        int64_t length = scalay_min_int64(text->file->chunk, position - at);
        if (scalay_file_read(text->file, at, length, text->buffer) != SCALAY_SUCCESS) return 0;
        for (int64_t k = 0; k < length; k++) line += text->buffer[k] == '\n';
    }
    return line;
}

static scalay_status bad_number(const reading *text, int64_t position, const char *token, scalay_number_verdict verdict)
{
    char shown[40];
    scalay_printable(token, (int64_t)strlen(token), shown, sizeof shown);
    int64_t element = text->done / scalay_components(text->info->type);
    long long row = (long long)(element % text->slab->line);
    long long col = (long long)(element / text->slab->line + text->slab->first);
    long long line = (long long)line_of(text, position);
    if (verdict == SCALAY_NUMBER_TOO_LARGE)
        return SCALAY_FAIL(SCALAY_ERROR_RANGE,
                           "'%.200s' line %lld: '%s', element (%lld, %lld) counted from 0, is too large for type %s; "
                           "read the matrix into a wider type",
                           text->file->path, line, shown, row, col, scalay_type_name(text->type));
    return SCALAY_FAIL(SCALAY_ERROR_FORMAT,
                       "'%.200s' line %lld: '%s', element (%lld, %lld) counted from 0, is not %s; correct it",
                       text->file->path, line, shown, row, col,
                       text->info->type == SCALAY_INT ? "an integer, as line 1 promises" : "a number");
}

/* Reads one number of the given length from the buffer. */
static scalay_status read_number(reading *text, const char *start, int64_t length)
{
    char token[SCALAY_NUMBER_SIZE];
    int64_t position = text->position + (start - text->buffer);
    int64_t kept = scalay_min_int64(length, SCALAY_NUMBER_SIZE - 1);
    memcpy(token, start, (size_t)kept);
    token[kept] = '\0';
    scalay_number_verdict verdict = SCALAY_NUMBER_INVALID;
    /* A NUL within would end the number early for the parser. */
    if (kept == length && memchr(token, '\0', (size_t)kept) == NULL) verdict = store_number(text, token);
    if (verdict != SCALAY_NUMBER_VALID) return bad_number(text, position, token, verdict);
    text->done++;
    return SCALAY_SUCCESS;
}

/* Reads the numbers that end in a buffer of text, or the file with it; the rest is left for the next buffer. */
static scalay_status read_buffer(reading *text, int64_t length)
{
    scalay_status status = SCALAY_SUCCESS;
    int last = text->position + length == text->end;
    int64_t at = 0;
    while (text->done < text->numbers) {
        while (at < length && scalay_market_is_space(text->buffer[at])) at++;
        int64_t stop = at;
        while (stop < length && !scalay_market_is_space(text->buffer[stop])) stop++;
        int whole = stop < length || last || (at == 0 && length == text->file->chunk);
        if (at == length || !whole) break;
        SCALAY_TRY(read_number(text, text->buffer + at, stop - at));
        at = stop;
    }
    text->position += at;
cleanup:
    return status;
}

static scalay_status read_numbers(reading *text)
{
    scalay_locale locale = {0};
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(scalay_locale_enter(&locale));
    while (text->done < text->numbers) {
        int64_t length = scalay_min_int64(text->file->chunk, text->end - text->position);
        if (length <= 0)
            SCALAY_TRY(SCALAY_FAIL(SCALAY_ERROR_FILE, "'%.200s' has changed while it was read; read it again",
                                   text->file->path));
        SCALAY_TRY(scalay_file_read(text->file, text->position, length, text->buffer));
        SCALAY_TRY(read_buffer(text, length));
    }
cleanup:
    scalay_locale_leave(&locale);
    return status;
}

scalay_status scalay_market_read(const scalay_file *file, const scalay_file_info *info, const scalay_slab *slab,
                                 scalay_type type, void *data)
{
    scalay_status status = SCALAY_SUCCESS;
    reading text = {.file = file, .info = info, .slab = slab, .type = type, .data = data};
    text.numbers = slab->count * slab->line * scalay_components(info->type);
    SCALAY_TRY(scalay_comm_agree(file->comm, SCALAY_NEW(text.buffer, file->chunk)));
    SCALAY_TRY(scalay_market_locate(file, info, slab, text.buffer, &text.position, &text.end));
    status = read_numbers(&text);
cleanup:
    scalay_release(text.buffer);
    return status;
}
