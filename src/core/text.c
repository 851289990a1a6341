#include "core/text.h"

#include <stdarg.h>
#include <stdio.h>

scalay_number_verdict scalay_text_to_int64(const char *text, size_t length, int64_t *value)
{
    size_t sign = length > 0 && text[0] == '-';
    int64_t sum = 0; /* kept negative: that reaches further */
    int large = 0;
    if (length == sign) return SCALAY_NUMBER_BAD;
    for (size_t k = sign; k < length; k++) {
        if (text[k] < '0' || text[k] > '9') return SCALAY_NUMBER_BAD;
        int digit = text[k] - '0';
        large |= sum < (INT64_MIN + digit) / 10;
        if (!large) sum = sum * 10 - digit;
    }
    if (large || (!sign && sum == INT64_MIN)) return SCALAY_NUMBER_LARGE;
    *value = sign ? sum : -sum;
    return SCALAY_NUMBER_FINE;
}

const char *scalay_printable(const char *bytes, int64_t length, char *text, size_t size)
{
    size_t k = 0;
    for (; k + 1 < size && (int64_t)k < length; k++) text[k] = bytes[k] >= ' ' && bytes[k] <= '~' ? bytes[k] : '?';
    text[k] = '\0';
    return text;
}

void scalay_text_append(scalay_text *text, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int fits = text->length < (int64_t)text->size;
    int length = vsnprintf(fits ? text->text + text->length : NULL, fits ? text->size - (size_t)text->length : 0,
                           format, arguments);
    va_end(arguments);
    if (length > 0) text->length += length;
}
