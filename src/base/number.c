#include "base/number.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>

/* Letters and digits by value: ctype.h would ask the locale. */
static int is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static const char *skip_sign(const char *at)
{
    return *at == '+' || *at == '-' ? at + 1 : at;
}

static const char *skip_digits(const char *at)
{
    while (is_digit(*at)) at++;
    return at;
}

/* Letters of a word in any case: setting the bit that tells the cases apart makes them small. */
static int is_word(const char *at, const char *word)
{
    for (; *word != '\0'; at++, word++)
        if ((*at | 0x20) != *word) return 0;
    return *at == '\0';
}

static int is_special(const char *text)
{
    const char *at = skip_sign(text);
    return is_word(at, "nan") || is_word(at, "inf") || is_word(at, "infinity");
}

/* Checks the grammar of a finite number; what introduces the exponent becomes an 'e'. */
static int is_decimal(char *text)
{
    const char *whole = skip_sign(text);
    const char *at = skip_digits(whole);
    ptrdiff_t digits = at - whole;
    if (*at == '.') {
        const char *fraction = at + 1;
        at = skip_digits(fraction);
        digits += at - fraction;
    }
    if (digits == 0) return 0;
    if (*at == '\0') return 1;
    if ((*at | 0x20) != 'e' && (*at | 0x20) != 'd') return 0;
    text[at - text] = 'e';
    const char *exponent = skip_sign(at + 1);
    at = skip_digits(exponent);
    return at > exponent && *at == '\0';
}

scalay_number_verdict scalay_number_double(char *text, double *value)
{
    int special = is_special(text);
    if (!special && !is_decimal(text)) return SCALAY_NUMBER_BAD;
    *value = strtod(text, NULL);
    return !special && isinf(*value) ? SCALAY_NUMBER_LARGE : SCALAY_NUMBER_FINE;
}

scalay_number_verdict scalay_number_float(char *text, float *value)
{
    int special = is_special(text);
    if (!special && !is_decimal(text)) return SCALAY_NUMBER_BAD;
    *value = strtof(text, NULL);
    return !special && isinf(*value) ? SCALAY_NUMBER_LARGE : SCALAY_NUMBER_FINE;
}

scalay_number_verdict scalay_number_check_integer(const char *text)
{
    const char *digits = skip_sign(text);
    const char *at = skip_digits(digits);
    return at > digits && *at == '\0' ? SCALAY_NUMBER_FINE : SCALAY_NUMBER_BAD;
}

scalay_number_verdict scalay_number_int(const char *text, int *value)
{
    if (scalay_number_check_integer(text) != SCALAY_NUMBER_FINE) return SCALAY_NUMBER_BAD;
    errno = 0;
    long long wide = strtoll(text, NULL, 10);
    if (errno == ERANGE || wide < INT_MIN || wide > INT_MAX) return SCALAY_NUMBER_LARGE;
    *value = (int)wide;
    return SCALAY_NUMBER_FINE;
}
