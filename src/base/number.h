#ifndef SCALAY_BASE_NUMBER_H
#define SCALAY_BASE_NUMBER_H

/**
 * @file
 * Numbers as text, read strictly: a decimal number with an optional exponent (e, E, d, D), or nan, inf, infinity in
 * any case, signed or not; nothing before, nothing after. The locale at hand must be C's: scalay_locale_enter().
 */

#include "base/text.h"

/** A number's text is at most this long, its NUL included. */
#define SCALAY_NUMBER_SIZE 256

/** A double; the text may be changed. */
scalay_number_verdict scalay_number_double(char *text, double *value);

/** A float, rounded once; the text may be changed. */
scalay_number_verdict scalay_number_float(char *text, float *value);

/** An int: digits with an optional sign. */
scalay_number_verdict scalay_number_int(const char *text, int *value);

/** SCALAY_NUMBER_FINE when the text is an integer of any size. */
scalay_number_verdict scalay_number_check_integer(const char *text);

#endif
