/* Text: strict integers, UTF-8 (RFC 3629), and formatted output into fixed and growing buffers. */

#include "base/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"

scalay_number_verdict scalay_text_to_int64(const char *text, size_t length, int64_t *value)
{
    const size_t sign = length > 0 && text[0] == '-';
    int64_t sum = 0; /* negative, because INT64_MIN has no positive counterpart */
    int large = 0;
    if (length == sign) return SCALAY_NUMBER_INVALID;
    for (size_t k = sign; k < length; k++) {
        if (text[k] < '0' || text[k] > '9') return SCALAY_NUMBER_INVALID;
        const int digit = text[k] - '0';
        large |= sum < (INT64_MIN + digit) / 10;
        if (!large) sum = sum * 10 - digit;
    }
    if (large || (!sign && sum == INT64_MIN)) return SCALAY_NUMBER_TOO_LARGE;
    *value = sign ? sum : -sum;
    return SCALAY_NUMBER_VALID;
}

const char *scalay_printable(const char *bytes, int64_t length, char *text, size_t size)
{
    size_t k = 0;
    for (; k + 1 < size && (int64_t)k < length; k++) text[k] = bytes[k] >= ' ' && bytes[k] <= '~' ? bytes[k] : '?';
    text[k] = '\0';
    return text;
}

int scalay_text_character(const char *text)
{
    /* Ranges of the first byte, and of the second byte after it. They exclude overlong forms and surrogates. */
    static const struct {
        unsigned char from, to, second_from, second_to;
        int length;
    } kinds[] = {{0x01, 0x7F, 0, 0, 1},       {0xC2, 0xDF, 0x80, 0xBF, 2}, {0xE0, 0xE0, 0xA0, 0xBF, 3},
                 {0xE1, 0xEC, 0x80, 0xBF, 3}, {0xED, 0xED, 0x80, 0x9F, 3}, {0xEE, 0xEF, 0x80, 0xBF, 3},
                 {0xF0, 0xF0, 0x90, 0xBF, 4}, {0xF1, 0xF3, 0x80, 0xBF, 4}, {0xF4, 0xF4, 0x80, 0x8F, 4}};
    const unsigned char *byte = (const unsigned char *)text;
    for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++) {
        if (byte[0] < kinds[k].from || byte[0] > kinds[k].to) continue;
        if (kinds[k].length == 1) return 1;
        if (byte[1] < kinds[k].second_from || byte[1] > kinds[k].second_to) return 0;
        for (int at = 2; at < kinds[k].length; at++)
            if ((byte[at] & 0xC0) != 0x80) return 0;
        return kinds[k].length;
    }
    return 0;
}

const char *scalay_text_clean(const char *text, char *copy, size_t size)
{
    size_t used = 0;
    size_t fits = 0; /* bytes copied that leave space for "..." */
    while (*text != '\0') {
        const int length = scalay_text_character(text);
        const size_t bytes = length > 0 ? (size_t)length : 1;
        if (used + bytes + 1 > size) {
            memcpy(copy + fits, "...", 4);
            return copy;
        }
        if (length > 0)
            memcpy(copy + used, text, bytes);
        else
            copy[used] = '?';
        used += bytes;
        text += bytes;
        if (used + 4 <= size) fits = used;
    }
    copy[used] = '\0';
    return copy;
}

scalay_status scalay_text_copy(const char *text, char **copy)
{
    const size_t size = strlen(text) + 1;
    const scalay_status status = SCALAY_NEW(*copy, (int64_t)size);
    if (status == SCALAY_SUCCESS) memcpy(*copy, text, size);
    return status;
}

void scalay_text_append(scalay_text *text, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const int fits = text->length < (int64_t)text->size;
    const int length = vsnprintf(fits ? text->text + text->length : NULL, fits ? text->size - (size_t)text->length : 0,
                                 format, arguments);
    va_end(arguments);
    if (length > 0) text->length += length;
}

void scalay_string_append(scalay_string *string, const char *format, ...)
{
    va_list arguments;
    if (string->status != SCALAY_SUCCESS) return;
    va_start(arguments, format);
    const int length = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    string->status = SCALAY_GROW(string->text, string->capacity, string->length + length + 1);
    if (string->status != SCALAY_SUCCESS) return;
    va_start(arguments, format);
    (void)vsnprintf(string->text + string->length, (size_t)length + 1, format, arguments);
    va_end(arguments);
    string->length += length;
}

void scalay_string_free(scalay_string *string)
{
    scalay_release(string->text);
    *string = (scalay_string){0};
}
