/*
 * Samples: distributions of test statistics, statistics of a list of values, and the sample object.
 *
 * The sample object computes mean and variance by Welford's method (1962) as values arrive, in O(1) per value. The
 * statistics of a whole list take O(n log n), because quartiles need sorted values.
 */
#include "measure/sample.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "base/memory.h"
#include "base/text.h"

/* ---------------------------------------------------------------------------------------------------- distributions */

/* C11 does not define M_PI and M_SQRT1_2. */
#define PI 3.14159265358979323846
#define HALF_ROOT 0.70710678118654752440

/* Above this number of degrees of freedom, the series in 1 / freedom is as precise as the finite sum. */
#define MANY_FREEDOMS 1000

enum { MAX_STEPS = 200 };

double scalay_normal_below(double x)
{
    return 0.5 * erfc(-x * HALF_ROOT);
}

/* Sums `terms` terms 1 + a x + a b x^2 + ... with a = first / (first + 1), b = (first + 2) / (first + 3), ... */
static double cosine_sum(double squared, int64_t first, int64_t terms)
{
    double sum = 0.0, term = 1.0;
    for (int64_t k = 0; k < terms; k++) {
        sum += term;
        term *= squared * (double)(first + 2 * k) / (double)(first + 2 * k + 1);
    }
    return sum;
}

/* Abramowitz, Stegun (1964), 26.7.3 and 26.7.4. */
double scalay_student_within(double t, int64_t freedom)
{
    const double root = sqrt((double)freedom);
    const double angle = atan2(t, root);
    const double sine = sin(angle), cosine = cos(angle);
    if (freedom % 2 == 0) return sine * cosine_sum(cosine * cosine, 1, freedom / 2);
    return 2.0 / PI * (angle + sine * cosine * cosine_sum(cosine * cosine, 2, (freedom - 1) / 2));
}

/* Solves rising(x) = value for an increasing function with rising(0) = 0, by the Illinois variant of false position
 * (Dowell, Jarratt 1971). */
static double invert(double (*rising)(double x, int64_t freedom), int64_t freedom, double value)
{
    double low = 0.0, high = 1.0, below = -value, above = rising(high, freedom) - value, x = 0.0;
    for (; above < 0.0 && high < 1e300; above = rising(high, freedom) - value) {
        low = high;
        below = above;
        high *= 2.0;
    }
    for (int k = 0, side = 0; k < MAX_STEPS; k++) {
        const double before = x;
        x = high - above * (high - low) / (above - below);
        if (!(x > low && x < high)) x = low + 0.5 * (high - low);
        if (fabs(x - before) <= DBL_EPSILON * x) break;
        const double error = rising(x, freedom) - value;
        if (error == 0.0) break;
        if (error < 0.0) {
            low = x;
            below = error;
            if (side < 0) above *= 0.5;
            side = -1;
        } else {
            high = x;
            above = error;
            if (side > 0) below *= 0.5;
            side = 1;
        }
    }
    return x;
}

static double normal_within(double x, int64_t unused)
{
    (void)unused;
    return erf(x * HALF_ROOT);
}

/* Abramowitz, Stegun (1964), 26.7.5: Student's quantile from the normal one. */
static double expand_student(double x, double freedom)
{
    const double s = x * x;
    const double g1 = (s + 1.0) * x / 4.0;
    const double g2 = ((5.0 * s + 16.0) * s + 3.0) * x / 96.0;
    const double g3 = (((3.0 * s + 19.0) * s + 17.0) * s - 15.0) * x / 384.0;
    const double g4 = ((((79.0 * s + 776.0) * s + 1482.0) * s - 1920.0) * s - 945.0) * x / 92160.0;
    return x + (g1 + (g2 + (g3 + g4 / freedom) / freedom) / freedom) / freedom;
}

double scalay_student_two_sided(double probability, int64_t freedom)
{
    if (freedom > MANY_FREEDOMS) return expand_student(invert(normal_within, 0, probability), (double)freedom);
    return invert(scalay_student_within, freedom, probability);
}

/* Abramowitz, Stegun (1964), 26.4.4 and 26.4.5. The terms are computed by their logarithms, because exp(-x / 2) can
 * underflow. */
double scalay_chi_squared_above(double x, int64_t freedom)
{
    const double half = 0.5 * x;
    if (x <= 0.0) return 1.0;
    double sum = freedom % 2 == 0 ? 0.0 : erfc(sqrt(half));
    double index = freedom % 2 == 0 ? 0.0 : 0.5;
    double logarithm = freedom % 2 == 0 ? -half : 0.5 * log(half) - half - log(0.5 * sqrt(PI));
    for (int64_t k = 0; k < freedom / 2; k++) {
        sum += exp(logarithm);
        index += 1.0;
        logarithm += log(half / index);
    }
    return sum < 1.0 ? sum : 1.0;
}

/* ------------------------------------------------------------------------------------------------------- statistics */

/* Pearson's test needs this many values, and this many expected values in each bin. */
enum { NORMALITY_VALUES = 20, NORMALITY_BIN = 5 };
#define OUTLIER_SPREADS 1.5

/* Interpolates linearly between order statistics. Share 0 gives the smallest value, share 1 the largest. */
static double quantile_of(int64_t count, const double *sorted, double share)
{
    const double position = share * (double)(count - 1);
    const int64_t below = (int64_t)floor(position);
    if (below + 1 >= count) return sorted[count - 1];
    return sorted[below] + (position - (double)below) * (sorted[below + 1] - sorted[below]);
}

/* Two passes: the second one corrects the rounding errors of the first. */
static void find_moments(int64_t count, const double *value, scalay_statistics *s)
{
    double sum = 0.0, rest = 0.0, squares = 0.0;
    for (int64_t k = 0; k < count; k++) sum += value[k] / (double)count;
    for (int64_t k = 0; k < count; k++) {
        rest += value[k] - sum;
        squares += (value[k] - sum) * (value[k] - sum);
    }
    s->mean = sum + rest / (double)count;
    if (count > 1) s->deviation = sqrt(fmax(0.0, squares - rest * rest / (double)count) / (double)(count - 1));
}

/* Pearson's chi-squared test with 2 n^(2/5) bins of equal probability (Moore 1986). There are 3 degrees of freedom less
 * than bins: one for the sum, and two because mean and deviation are estimated from the values. */
static scalay_status test_normality(int64_t count, const double *value, scalay_statistics *s)
{
    const int64_t wanted = (int64_t)ceil(2.0 * pow((double)count, 0.4));
    const int64_t bins = wanted < count / NORMALITY_BIN ? wanted : count / NORMALITY_BIN;
    const double expected = (double)count / (double)bins;
    int64_t *found = NULL;
    double sum = 0.0;
    scalay_status status = SCALAY_NEW(found, bins);
    if (status != SCALAY_SUCCESS) return status;
    for (int64_t k = 0; k < count; k++) {
        const int64_t bin = (int64_t)(scalay_normal_below((value[k] - s->mean) / s->deviation) * (double)bins);
        found[bin < bins ? bin : bins - 1]++;
    }
    for (int64_t k = 0; k < bins; k++) sum += ((double)found[k] - expected) * ((double)found[k] - expected) / expected;
    s->normality = scalay_chi_squared_above(sum, bins - 3);
    scalay_release(found);
    return status;
}

static scalay_status find_order(int64_t count, const double *value, scalay_statistics *s)
{
    double *sorted = NULL;
    scalay_status status = SCALAY_NEW(sorted, count);
    if (status != SCALAY_SUCCESS) return status;
    memcpy(sorted, value, (size_t)count * sizeof *sorted);
    qsort(sorted, (size_t)count, sizeof *sorted, scalay_compare_doubles);
    s->minimum = sorted[0];
    s->maximum = sorted[count - 1];
    s->median = quantile_of(count, sorted, 0.5);
    s->quartile_1 = quantile_of(count, sorted, 0.25);
    s->quartile_3 = quantile_of(count, sorted, 0.75);
    const double reach = OUTLIER_SPREADS * (s->quartile_3 - s->quartile_1);
    for (int64_t k = 0; k < count; k++)
        s->outliers += sorted[k] < s->quartile_1 - reach || sorted[k] > s->quartile_3 + reach;
    scalay_release(sorted);
    return status;
}

static scalay_status check_arguments(int64_t count, const double *value, double confidence, double precision,
                                     const scalay_statistics *statistics)
{
    static const char function[] = "scalay_statistics_of";
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(scalay_check_not_null(statistics, function, "statistics"));
    if (count < 0)
        return scalay_fail(SCALAY_ERROR_ARGUMENT, function, "count is %lld; it must be at least 0", (long long)count);
    if (count > 0) SCALAY_TRY(scalay_check_not_null(value, function, "value"));
    if (!(confidence > 0.0 && confidence < 1.0))
        return scalay_fail(SCALAY_ERROR_ARGUMENT, function, "confidence is %g; it must be in (0, 1), such as 0.95",
                           confidence);
    if (!(precision > 0.0))
        return scalay_fail(SCALAY_ERROR_ARGUMENT, function, "precision is %g; it must be above 0, such as 0.025",
                           precision);
    for (int64_t k = 0; k < count; k++)
        if (!isfinite(value[k]))
            return scalay_fail(SCALAY_ERROR_ARGUMENT, function, "value[%lld] is %g; it must be finite", (long long)k,
                               value[k]);
cleanup:
    return status;
}

scalay_status scalay_statistics_of(int64_t count, const double *value, double confidence, double precision,
                                   scalay_statistics *statistics)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_statistics s = {.count = count,
                           .mean = NAN,
                           .median = NAN,
                           .deviation = NAN,
                           .minimum = NAN,
                           .maximum = NAN,
                           .quartile_1 = NAN,
                           .quartile_3 = NAN,
                           .half_width = NAN,
                           .normality = NAN};
    SCALAY_TRY(check_arguments(count, value, confidence, precision, statistics));
    if (count > 0) {
        find_moments(count, value, &s);
        SCALAY_TRY(find_order(count, value, &s));
    }
    if (count > 1) {
        s.half_width = scalay_student_two_sided(confidence, count - 1) * s.deviation / sqrt((double)count);
        s.is_precise = s.half_width <= precision * fabs(s.mean);
    }
    if (count >= NORMALITY_VALUES && s.deviation > 0.0) SCALAY_TRY(test_normality(count, value, &s));
    *statistics = s;
cleanup:
    return status;
}

/* ------------------------------------------------------------------------------------------------ the sample object */

scalay_status scalay_series_reserve(scalay_series *series)
{
    return SCALAY_GROW(series->value, series->capacity, series->count + 1);
}

/* Welford (1962): as precise as two passes over the values. */
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
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(scalay_check_not_null(sample, __func__, "sample"));
    SCALAY_TRY(scalay_check_not_null(summary, __func__, "summary"));
    const scalay_repeat_options *options = &sample->options;
    scalay_sample_summary found = sample->summary;
    found.time_value = sample->seconds.value;
    found.energy_value = sample->joules.value;
    SCALAY_TRY(scalay_statistics_of(sample->seconds.count, sample->seconds.value, options->confidence,
                                    options->precision, &found.time));
    SCALAY_TRY(scalay_statistics_of(sample->joules.count, sample->joules.value, options->confidence, options->precision,
                                    &found.energy));
    *summary = found;
cleanup:
    return status;
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
    static const char *const ends[] = {"precision reached", "maximum of repetitions reached", "time limit reached",
                                       "interrupted", "the work failed"};
    scalay_text out = {text, size, 0};
    scalay_text_append(&out, "%s", "");
    if (sample == NULL) return 0;
    const scalay_sample_summary *s = &sample->summary;
    describe_series(&out, &sample->seconds, &sample->options, "s");
    describe_series(&out, &sample->joules, &sample->options, s->is_modelled ? "J (modelled)" : "J");
    scalay_text_append(&out, "%s after %.3g s", ends[s->end], s->seconds);
    if (s->executions > 1) scalay_text_append(&out, "; %lld executions per repetition", (long long)s->executions);
    if (s->clock_faults > 0)
        scalay_text_append(&out, "; repetitions measured again because a clock jumped: %lld",
                           (long long)s->clock_faults);
    if (s->negative_energies > 0)
        scalay_text_append(&out, "; repetitions with less than the static energy: %lld",
                           (long long)s->negative_energies);
    if (s->meter != SCALAY_SUCCESS) scalay_text_append(&out, "; energies end early: %s", sample->meter_message);
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
