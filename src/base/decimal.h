#ifndef SCALAY_BASE_DECIMAL_H
#define SCALAY_BASE_DECIMAL_H

/**
 * @file
 * Decimal numbers, exactly: what is measured and written in decimals can be added up without rounding.
 *
 * The locale at hand must be C's (base/locale.h).
 */

#include <stdint.h>

#include "base/text.h"

/** digits * 10^exponent, not negative. The digits do not end in 0; zero is 0 * 10^0. */
typedef struct {
    int64_t digits; /* below 10^18 */
    int exponent;
} scalay_decimal;

/** Room for a decimal number as text, its NUL included. */
#define SCALAY_DECIMAL_SIZE 64

/** The shortest decimal number that reads back as a finite double of at least 0, and of those the nearest to it. */
scalay_decimal scalay_decimal_shortest(double value);

/**
 * The decimal number that a text of the form digits[.digits][e[sign]digits], signed or not, is but for its sign.
 * @return SCALAY_NUMBER_FINE; SCALAY_NUMBER_LARGE when it has more than 18 digits that count, or an absurd exponent
 */
scalay_number_verdict scalay_decimal_from_text(const char *text, scalay_decimal *decimal);

/** Its multiple of 10^-places; 0 when it is none, or one beyond the limit (which is at least 0), otherwise 1. */
int scalay_decimal_scale(scalay_decimal decimal, int places, int64_t limit, int64_t *multiple);

/** How many places it has behind the decimal point. */
int scalay_decimal_places(scalay_decimal decimal);

/** Writes it in text[SCALAY_DECIMAL_SIZE], so that scalay_decimal_from_text() reads the same. Returns its length. */
int scalay_decimal_print(scalay_decimal decimal, char *text);

/** The canonical form of digits * 10^exponent; digits is at least 0 and below 10^18. */
scalay_decimal scalay_decimal_normalise(int64_t digits, int exponent);

#endif
