#ifndef SCALAY_MEASURE_SAMPLE_H
#define SCALAY_MEASURE_SAMPLE_H

/** @file Samples: distributions of test statistics, statistics of values, and a sample that grows. */

#include "base/status.h"
#include "scalay/measure.h"

/* --------------------------------------------------------- distributions, for integer degrees of freedom */

/** Returns the probability that a standard normal variable is below x. */
double scalay_normal_below(double x);

/** Returns the probability that |T| <= t for Student's T. t is at least 0, freedom at least 1. */
double scalay_student_within(double t, int64_t freedom);

/** Returns the t with scalay_student_within(t, freedom) = probability, which is in [0, 1). This is half the width of a
 *  two-sided confidence interval, in standard errors. */
double scalay_student_two_sided(double probability, int64_t freedom);

/** Returns the probability that a chi-squared variable exceeds x. freedom is at least 1. */
double scalay_chi_squared_above(double x, int64_t freedom);

/* ----------------------------------------------------------------------------------------- statistics */

/**
 * Computes the statistics of a list of values.
 * @param[in]  count       at least 0
 * @param[in]  value       shape [count]: finite
 * @param[in]  confidence  of the interval, in (0, 1)
 * @param[in]  precision   above 0
 * @param[out] statistics  caller-owned
 * @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT, SCALAY_ERROR_MEMORY
 */
scalay_status scalay_statistics_of(int64_t count, const double *value, double confidence, double precision,
                                   scalay_statistics *statistics);

/* ----------------------------------------------------------------------------------- the sample object */

/** A list that grows, with its mean and its sum of squared deviations. */
typedef struct {
    double *value;
    int64_t count;
    int64_t capacity;
    double mean;
    double squares; /* sum of (value - mean)^2 */
} scalay_series;

struct scalay_sample {
    scalay_series seconds;
    scalay_series joules;
    scalay_repeat_options options;
    scalay_sample_summary summary; /* without pointers and statistics */
    int64_t meter_readings;
    char meter_message[SCALAY_MESSAGE_SIZE]; /* if the meter failed */
};

/** Reserves memory for one more value. */
scalay_status scalay_series_reserve(scalay_series *series);

/** Adds a value. scalay_series_reserve() must have been called. */
void scalay_series_add(scalay_series *series, double value);

/** Removes the values that were added after a copy of the series was made. */
void scalay_series_return(scalay_series *series, const scalay_series *before);

/** Returns 1 if half the confidence interval of the mean is at most `precision` times the mean. */
int scalay_series_is_precise(const scalay_series *series, const scalay_repeat_options *options);

#endif
