#include "base/decimal.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/integer.h"

enum { MOST_DIGITS = 18, MOST_EXPONENT = 100000 };

scalay_decimal scalay_decimal_normalise(int64_t digits, int exponent)
{
    if (digits == 0) return (scalay_decimal){0, 0};
    for (; digits % 10 == 0; exponent++) digits /= 10;
    return (scalay_decimal){digits, exponent};
}

/* ----------------------------------------------------------------------------------------- from a double */

static int reads_back(int64_t digits, int exponent, double value)
{
    char text[SCALAY_DECIMAL_SIZE];
    (void)snprintf(text, sizeof text, "%llde%d", (long long)digits, exponent);
    return strtod(text, NULL) == value;
}

/* The nearest decimal number of so many digits. */
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

/* Most measured values have few places. Up to 15 digits no two decimal numbers read as the same double, and dividing
 * two integers that doubles hold, as 10^9 is, rounds as reading does: this is the shortest, or none. */
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
    /* A normal number that is some decimal of 15 digits or less is that one, padded, at 15. */
    for (int count = value < DBL_MIN ? 1 : DBL_DIG; count <= DBL_DECIMAL_DIG; count++) {
        round_to(value, count, &digits, &exponent);
        if (reads_back(digits, exponent, value)) break;
        /* Below a power of two, doubles are closer: the nearest decimal may be too far, the next above it is not. */
        if (reads_back(digits + 1, exponent, value)) {
            digits++;
            break;
        }
    }
    return scalay_decimal_normalise(digits, exponent);
}

/* ------------------------------------------------------------------------------------------- from a text */

/* Digits under way: zeros count only when another digit follows. */
typedef struct {
    int64_t digits;
    int count; /* of the digits since the first that is not 0 */
    int zeros; /* at the end */
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
        reader->large |= reader->count > MOST_DIGITS;
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
    for (; *at >= '0' && *at <= '9'; at++) exponent = scalay_min_int64(exponent * 10 + (*at - '0'), MOST_EXPONENT);
    return (int)(negative ? -exponent : exponent);
}

scalay_number_verdict scalay_decimal_from_text(const char *text, scalay_decimal *decimal)
{
    digit_reader reader = {0};
    const char *at = read_digits(&reader, *text == '+' || *text == '-' ? text + 1 : text, 0);
    if (*at == '.') at = read_digits(&reader, at + 1, 1);
    int exponent = *at != '\0' ? read_exponent(at + 1) : 0;
    *decimal = (scalay_decimal){0, 0};
    if (reader.large) return SCALAY_NUMBER_LARGE;
    if (reader.digits == 0) return SCALAY_NUMBER_FINE;
    if (abs(exponent) == MOST_EXPONENT) return SCALAY_NUMBER_LARGE;
    *decimal = (scalay_decimal){reader.digits, reader.exponent + reader.zeros + exponent};
    return SCALAY_NUMBER_FINE;
}

/* ------------------------------------------------------------------------------------------------- uses */

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

/* As people write it, as long as that is short: 0.00123 and 1200, but 1e-9 and 12e20. */
int scalay_decimal_print(scalay_decimal decimal, char *text)
{
    char digits[SCALAY_DECIMAL_SIZE / 2];
    int count = snprintf(digits, sizeof digits, "%lld", (long long)decimal.digits);
    int point = count + decimal.exponent; /* digits before the decimal point */
    if (decimal.exponent >= 0 && point <= MOST_DIGITS)
        return snprintf(text, SCALAY_DECIMAL_SIZE, "%s%.*s", digits, decimal.exponent, "000000000000000000");
    if (decimal.exponent < 0 && point > 0)
        return snprintf(text, SCALAY_DECIMAL_SIZE, "%.*s.%s", point, digits, digits + point);
    if (decimal.exponent < 0 && point > -6)
        return snprintf(text, SCALAY_DECIMAL_SIZE, "0.%.*s%s", -point, "000000", digits);
    return snprintf(text, SCALAY_DECIMAL_SIZE, "%se%d", digits, decimal.exponent);
}
