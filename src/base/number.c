/*
 * Numbers as text. Three parts: the C locale for the calling thread, strict reading of binary numbers, and exact
 * decimal numbers. A finite number is read by strtod and strtof, which round once; this file only checks the grammar.
 * scalay_decimal_shortest() tries 1 to 17 digits and takes the first that reads back (Steele, White 1990).
 */
#define _XOPEN_SOURCE 700

#include "base/number.h"

#include <errno.h>
#include <float.h>
#include <limits.h>
#include <locale.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/integer.h"

/* ------------------------------------------------------------------------------------------------- locale */

scalay_status scalay_locale_enter(scalay_locale *locale)
{
    locale_t c = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (c == (locale_t)0)
        return SCALAY_FAIL(SCALAY_ERROR_MEMORY,
                           "no memory for the locale \"C\", in which numbers are read and written");
    locale->c = (void *)c;
    locale->before = (void *)uselocale(c);
    return SCALAY_SUCCESS;
}

void scalay_locale_leave(scalay_locale *locale)
{
    if (locale->c == NULL) return;
    uselocale((locale_t)locale->before);
    freelocale((locale_t)locale->c);
    locale->c = NULL;
}

/* --------------------------------------------------------------------------------------- strict reading */

/* Not isdigit(), which depends on the locale. */
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

/* 1 if the text is a word in any case. Bit 0x20 makes an ASCII letter lower case. */
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

/* Checks the grammar of a finite number. Replaces the exponent letter by 'e'. */
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
    if (!special && !is_decimal(text)) return SCALAY_NUMBER_INVALID;
    *value = strtod(text, NULL);
    return !special && isinf(*value) ? SCALAY_NUMBER_TOO_LARGE : SCALAY_NUMBER_VALID;
}

scalay_number_verdict scalay_number_float(char *text, float *value)
{
    int special = is_special(text);
    if (!special && !is_decimal(text)) return SCALAY_NUMBER_INVALID;
    *value = strtof(text, NULL);
    return !special && isinf(*value) ? SCALAY_NUMBER_TOO_LARGE : SCALAY_NUMBER_VALID;
}

scalay_number_verdict scalay_number_check_integer(const char *text)
{
    const char *digits = skip_sign(text);
    const char *at = skip_digits(digits);
    return at > digits && *at == '\0' ? SCALAY_NUMBER_VALID : SCALAY_NUMBER_INVALID;
}

scalay_number_verdict scalay_number_int(const char *text, int *value)
{
    if (scalay_number_check_integer(text) != SCALAY_NUMBER_VALID) return SCALAY_NUMBER_INVALID;
    errno = 0;
    long long wide = strtoll(text, NULL, 10);
    if (errno == ERANGE || wide < INT_MIN || wide > INT_MAX) return SCALAY_NUMBER_TOO_LARGE;
    *value = (int)wide;
    return SCALAY_NUMBER_VALID;
}

/* -------------------------------------------------------------------------------- decimal from a double */

enum { MAX_DIGITS = 18, MAX_EXPONENT = 100000 };

scalay_decimal scalay_decimal_normalise(int64_t digits, int exponent)
{
    if (digits == 0) return (scalay_decimal){0, 0};
    for (; digits % 10 == 0; exponent++) digits /= 10;
    return (scalay_decimal){digits, exponent};
}

static int reads_back(int64_t digits, int exponent, double value)
{
    char text[SCALAY_DECIMAL_SIZE];
    (void)snprintf(text, sizeof text, "%llde%d", (long long)digits, exponent);
    return strtod(text, NULL) == value;
}

/* Rounds to the nearest decimal number with `count` digits. */
static void round_to(double value, int count, int64_t *digits, int *exponent)
{
    char text[SCALAY_DECIMAL_SIZE];
    (void)snprintf(text, sizeof text, "%.*e", count - 1, value);
    char *mark = strchr(text, 'e');
    *exponent = (int)strtol(mark + 1, NULL, 10) - (count - 1);
    *mark = '\0';
    if (count > 1) memmove(text + 1, text + 2, strlen(text + 2) + 1);
    *digits = strtoll(text, NULL, 10);
}

/* Fast path for values with at most 9 decimal places, as most measured values are. Up to 15 digits, distinct decimal
 * numbers read as distinct doubles, and the quotient of two exact doubles is rounded as strtod rounds. So the result is
 * the shortest number if the quotient equals the value. */
static int few_places(double value, scalay_decimal *decimal)
{
    static const struct {
        int places;
        double scale;
    } tries[] = {{0, 1.0}, {3, 1e3}, {6, 1e6}, {9, 1e9}};
    for (size_t k = 0; k < sizeof tries / sizeof *tries; k++) {
        double multiple = nearbyint(value * tries[k].scale);
        if (!(multiple < 1e15)) return 0;
        if (multiple / tries[k].scale != value) continue;
        *decimal = scalay_decimal_normalise((int64_t)multiple, -tries[k].places);
        return 1;
    }
    return 0;
}

scalay_decimal scalay_decimal_shortest(double value)
{
    scalay_decimal decimal;
    int64_t digits = 0;
    int exponent = 0;
    if (few_places(value, &decimal)) return decimal;
    /* A normal double that has a decimal form of at most 15 digits yields that form at 15 digits. */
    for (int count = value < DBL_MIN ? 1 : DBL_DIG; count <= DBL_DECIMAL_DIG; count++) {
        round_to(value, count, &digits, &exponent);
        if (reads_back(digits, exponent, value)) break;
        /* Doubles below a power of two are closer together: the nearest decimal may read as the double below. */
        if (reads_back(digits + 1, exponent, value)) {
            digits++;
            break;
        }
    }
    return scalay_decimal_normalise(digits, exponent);
}

/* ---------------------------------------------------------------------------------- decimal from a text */

/* Digits read so far. Trailing zeros are counted, and become digits if another digit follows. */
typedef struct {
    int64_t digits;
    int count; /* significant digits */
    int zeros; /* trailing */
    int exponent;
    int large;
} digit_reader;

static const char *read_digits(digit_reader *reader, const char *at, int fraction)
{
    for (; *at >= '0' && *at <= '9'; at++) {
        reader->exponent -= fraction;
        if (*at == '0') {
            reader->zeros++;
            continue;
        }
        reader->count = reader->digits == 0 ? 1 : reader->count + reader->zeros + 1;
        reader->large |= reader->count > MAX_DIGITS;
        if (!reader->large) {
            for (; reader->digits > 0 && reader->zeros > 0; reader->zeros--) reader->digits *= 10;
            reader->digits = reader->digits * 10 + (*at - '0');
        }
        reader->zeros = 0;
    }
    return at;
}

static int read_exponent(const char *at)
{
    int64_t exponent = 0;
    int negative = *at == '-';
    if (*at == '+' || *at == '-') at++;
    for (; *at >= '0' && *at <= '9'; at++) exponent = scalay_min_int64(exponent * 10 + (*at - '0'), MAX_EXPONENT);
    return (int)(negative ? -exponent : exponent);
}

scalay_number_verdict scalay_decimal_from_text(const char *text, scalay_decimal *decimal)
{
    digit_reader reader = {0};
    const char *at = read_digits(&reader, *text == '+' || *text == '-' ? text + 1 : text, 0);
    if (*at == '.') at = read_digits(&reader, at + 1, 1);
    int exponent = *at != '\0' ? read_exponent(at + 1) : 0;
    *decimal = (scalay_decimal){0, 0};
    if (reader.large) return SCALAY_NUMBER_TOO_LARGE;
    if (reader.digits == 0) return SCALAY_NUMBER_VALID;
    if (abs(exponent) == MAX_EXPONENT) return SCALAY_NUMBER_TOO_LARGE;
    *decimal = (scalay_decimal){reader.digits, reader.exponent + reader.zeros + exponent};
    return SCALAY_NUMBER_VALID;
}

/* ------------------------------------------------------------------------------------- decimal numbers */

int scalay_decimal_places(scalay_decimal decimal)
{
    return decimal.exponent < 0 ? -decimal.exponent : 0;
}

int scalay_decimal_scale(scalay_decimal decimal, int places, int64_t limit, int64_t *multiple)
{
    int64_t value = decimal.digits;
    if (value == 0) {
        *multiple = 0;
        return 1;
    }
    int power = decimal.exponent + places;
    if (power < 0) return 0;
    for (; power > 0; power--) {
        if (value > limit / 10) return 0;
        value *= 10;
    }
    if (value > limit) return 0;
    *multiple = value;
    return 1;
}

/* Positional notation while it is short: 0.00123 and 1200, but 1e-9 and 12e20. */
int scalay_decimal_print(scalay_decimal decimal, char *text)
{
    char digits[SCALAY_DECIMAL_SIZE / 2];
    int count = snprintf(digits, sizeof digits, "%lld", (long long)decimal.digits);
    int point = count + decimal.exponent; /* digits before the decimal point */
    if (decimal.exponent >= 0 && point <= MAX_DIGITS)
        return snprintf(text, SCALAY_DECIMAL_SIZE, "%s%.*s", digits, decimal.exponent, "000000000000000000");
    if (decimal.exponent < 0 && point > 0)
        return snprintf(text, SCALAY_DECIMAL_SIZE, "%.*s.%s", point, digits, digits + point);
    if (decimal.exponent < 0 && point > -6)
        return snprintf(text, SCALAY_DECIMAL_SIZE, "0.%.*s%s", -point, "000000", digits);
    return snprintf(text, SCALAY_DECIMAL_SIZE, "%se%d", digits, decimal.exponent);
}
