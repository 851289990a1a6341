#include <string.h>

#include "layout/parse.h"

scalay_number scalay_number_read(const char *text, size_t length, int64_t *value)
{
    size_t at = 0;
    int negative = length > 0 && text[0] == '-';
    int64_t sum = 0; /* kept negative: it reaches further */
    int too_large = 0;
    if (length == (size_t)negative) return SCALAY_NUMBER_NONE;
    for (at = (size_t)negative; at < length; at++) {
        if (text[at] < '0' || text[at] > '9') return SCALAY_NUMBER_NONE;
        int digit = text[at] - '0';
        too_large |= sum < (INT64_MIN + digit) / 10;
        if (!too_large) sum = sum * 10 - digit;
    }
    if (too_large || (!negative && sum == INT64_MIN)) return SCALAY_NUMBER_TOO_LARGE;
    *value = negative ? sum : -sum;
    return SCALAY_NUMBER_GOOD;
}

const char *scalay_printable(const char *text, size_t length, char *copy, size_t size)
{
    size_t end = length < size - 1 ? length : size - 1;
    for (size_t k = 0; k < end; k++) copy[k] = text[k] >= ' ' && text[k] <= '~' ? text[k] : '?';
    copy[end] = '\0';
    return copy;
}
