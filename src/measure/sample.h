#ifndef SCALAY_MEASURE_SAMPLE_H
#define SCALAY_MEASURE_SAMPLE_H

/** @file A sample under way: values, and their mean and deviation as they come. */

#include "base/status.h"
#include "scalay/measure.h"

/** A list that grows, with the moments of what is in it. */
typedef struct {
    double *value;
    int64_t count;
    int64_t capacity;
    double mean;
    double squares; /* sum of the squared differences from the mean */
} scalay_series;

struct scalay_sample {
    scalay_series seconds;
    scalay_series joules;
    scalay_repeat_options options;
    scalay_sample_summary summary;
    int64_t meter_readings;
    char meter_message[SCALAY_MESSAGE_SIZE]; /* when the meter failed */
};

/** Makes room for one more value. */
scalay_status scalay_series_reserve(scalay_series *series);

/** Adds a value, for which there is room. */
void scalay_series_add(scalay_series *series, double value);

/** Takes the values again that came after a copy of the series was made. */
void scalay_series_return(scalay_series *series, const scalay_series *before);

/** 1 when the mean is known as precisely as the options ask. */
int scalay_series_is_precise(const scalay_series *series, const scalay_repeat_options *options);

#endif
