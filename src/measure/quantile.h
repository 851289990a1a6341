#ifndef SCALAY_MEASURE_QUANTILE_H
#define SCALAY_MEASURE_QUANTILE_H

/** @file Distributions of statistics, for whole degrees of freedom: finite sums, and quantiles by their inversion. */

#include <stdint.h>

/** The probability that a normal variable lies below x. */
double scalay_normal_below(double x);

/** The probability that |T| <= t for Student's T; t and freedom are at least 0 and 1. */
double scalay_student_within(double t, int64_t freedom);

/** The t with scalay_student_within(t, freedom) = probability, which is in [0, 1): half the width of a two-sided
 *  confidence interval, in standard errors. */
double scalay_student_two_sided(double probability, int64_t freedom);

/** The probability that a chi-squared variable exceeds x; freedom is at least 1. */
double scalay_chi_squared_above(double x, int64_t freedom);

#endif
