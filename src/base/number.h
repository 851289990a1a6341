#ifndef SCALAY_BASE_NUMBER_H
#define SCALAY_BASE_NUMBER_H

/**
 * @file
 * Numbers as text: the C locale, strict reading of binary numbers, and exact decimal numbers.
 *
 * All functions below scalay_locale_enter() need the C locale in the calling thread.
 */

#include "base/text.h"

/* ------------------------------------------------------------------------------------------------- locale */

/** Locale of the calling thread before scalay_locale_enter(). */
typedef struct {
    void *before;
    void *c;
} scalay_locale;

/** Switches the calling thread to the C locale, in which numbers have a decimal point. SCALAY_SUCCESS,
 *  SCALAY_ERROR_MEMORY. */
scalay_status scalay_locale_enter(scalay_locale *locale);

/** Restores the locale of the calling thread. A zeroed locale is allowed. */
void scalay_locale_leave(scalay_locale *locale);

/* ----------------------------------------------------------------------------------------- binary numbers */

/** Maximum size of a number as text, including the NUL. */
#define SCALAY_NUMBER_SIZE 256

/**
 * Reads a whole text as a double: a decimal number with an optional exponent (e, E, d or D), or nan, inf or infinity in
 * any case, with an optional sign.
 * @param[in,out] text   may be changed
 * @param[out]    value  set unless the text is invalid
 */
scalay_number_verdict scalay_number_double(char *text, double *value);

/** Reads a float like scalay_number_double(). The value is rounded once. */
scalay_number_verdict scalay_number_float(char *text, float *value);

/** Reads an int: digits with an optional sign. */
scalay_number_verdict scalay_number_int(const char *text, int *value);

/** Returns SCALAY_NUMBER_VALID if the text is an integer of any size, with an optional sign. */
scalay_number_verdict scalay_number_check_integer(const char *text);

/* ---------------------------------------------------------------------------------------- decimal numbers */

/** The number digits * 10^exponent, at least 0. The last digit is not 0; zero is 0 * 10^0. */
typedef struct {
    int64_t digits; /* below 10^18 */
    int exponent;
} scalay_decimal;

/** Size of a decimal number as text, including the NUL. */
#define SCALAY_DECIMAL_SIZE 64

/** Returns the shortest decimal number that reads back as a finite double of at least 0; of several, the nearest. */
scalay_decimal scalay_decimal_shortest(double value);

/**
 * Reads the absolute value of a text of the form [sign]digits[.digits][e[sign]digits].
 * @return SCALAY_NUMBER_VALID; SCALAY_NUMBER_TOO_LARGE if it has more than 18 significant digits or an exponent beyond
 *         100,000
 */
scalay_number_verdict scalay_decimal_from_text(const char *text, scalay_decimal *decimal);

/** Computes *multiple = decimal * 10^places. Returns 0 if it is not an integer or exceeds `limit` (at least 0), and 1
 *  otherwise. */
int scalay_decimal_scale(scalay_decimal decimal, int places, int64_t limit, int64_t *multiple);

/** Returns the number of digits after the decimal point. */
int scalay_decimal_places(scalay_decimal decimal);

/** Prints a decimal number into text[SCALAY_DECIMAL_SIZE], so that scalay_decimal_from_text() reads the same number.
 *  Returns the length. */
int scalay_decimal_print(scalay_decimal decimal, char *text);

/** Returns the canonical form of digits * 10^exponent, for digits from 0 to 10^18 - 1. */
scalay_decimal scalay_decimal_normalise(int64_t digits, int exponent);

#endif
