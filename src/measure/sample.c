#include "measure/sample.h"

#include <math.h>

#include "base/memory.h"
#include "base/text.h"
#include "measure/quantile.h"

scalay_status scalay_series_reserve(scalay_series *series)
{
    return SCALAY_GROW(series->value, series->capacity, series->count + 1);
}

/* Welford (1962): as precise as two passes, without a second one. */
void scalay_series_add(scalay_series *series, double value)
{
    series->value[series->count++] = value;
    const double before = value - series->mean;
    series->mean += before / (double)series->count;
    series->squares += before * (value - series->mean);
}

void scalay_series_return(scalay_series *series, const scalay_series *before)
{
    series->count = before->count;
    series->mean = before->mean;
    series->squares = before->squares;
}

int scalay_series_is_precise(const scalay_series *series, const scalay_repeat_options *options)
{
    const double count = (double)series->count;
    if (series->count < 2) return 0;
    const double error = sqrt(series->squares / (count - 1.0) / count);
    return scalay_student_two_sided(options->confidence, series->count - 1) * error <=
           options->precision * fabs(series->mean);
}

scalay_status scalay_sample_get_summary(const scalay_sample *sample, scalay_sample_summary *summary)
{
    if (sample == NULL || summary == NULL)
        return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "%s is NULL", sample == NULL ? "sample" : "summary");
    *summary = sample->summary;
    return SCALAY_SUCCESS;
}

const double *scalay_sample_seconds(const scalay_sample *sample)
{
    return sample != NULL ? sample->seconds.value : NULL;
}

const double *scalay_sample_joules(const scalay_sample *sample)
{
    return sample != NULL ? sample->joules.value : NULL;
}

scalay_status scalay_sample_time(const scalay_sample *sample, scalay_statistics *statistics)
{
    if (sample == NULL) return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "sample is NULL");
    return scalay_statistics_of(sample->seconds.count, sample->seconds.value, sample->options.confidence,
                                sample->options.precision, statistics);
}

scalay_status scalay_sample_energy(const scalay_sample *sample, scalay_statistics *statistics)
{
    if (sample == NULL) return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "sample is NULL");
    return scalay_statistics_of(sample->joules.count, sample->joules.value, sample->options.confidence,
                                sample->options.precision, statistics);
}

static void describe_series(scalay_text *text, const scalay_series *series, const scalay_repeat_options *options,
                            const char *unit)
{
    scalay_statistics s = {0};
    if (series->count == 0 || scalay_statistics_of(series->count, series->value, options->confidence,
                                                   options->precision, &s) != SCALAY_SUCCESS)
        return;
    scalay_text_append(text, "%.6g %s", s.mean, unit);
    if (s.count > 1)
        scalay_text_append(text, " +- %.2g (%.4g%% confidence, %lld values, median %.6g, %lld outliers)", s.half_width,
                           100.0 * options->confidence, (long long)s.count, s.median, (long long)s.outliers);
    scalay_text_append(text, "; ");
}

int scalay_sample_describe(const scalay_sample *sample, char *text, size_t size)
{
    static const char *const ends[] = {"precise enough", "all repetitions done", "out of time", "interrupted",
                                       "the work failed"};
    scalay_text out = {text, size, 0};
    scalay_text_append(&out, "%s", "");
    if (sample == NULL) return 0;
    const scalay_sample_summary *s = &sample->summary;
    describe_series(&out, &sample->seconds, &sample->options, "s");
    describe_series(&out, &sample->joules, &sample->options, s->is_modelled ? "J (modelled)" : "J");
    scalay_text_append(&out, "%s after %.3g s", ends[s->end], s->seconds);
    if (s->executions > 1) scalay_text_append(&out, "; %lld executions a repetition", (long long)s->executions);
    if (s->clock_faults > 0)
        scalay_text_append(&out, "; measured again because a clock jumped: %lld", (long long)s->clock_faults);
    if (s->negative_energies > 0)
        scalay_text_append(&out, "; less than the static energy was read: %lld times", (long long)s->negative_energies);
    if (s->meter != SCALAY_SUCCESS) scalay_text_append(&out, "; energy ended early: %s", sample->meter_message);
    return (int)out.length;
}

void scalay_sample_destroy(scalay_sample **sample)
{
    if (sample == NULL || *sample == NULL) return;
    scalay_release((*sample)->seconds.value);
    scalay_release((*sample)->joules.value);
    scalay_release(*sample);
    *sample = NULL;
}
