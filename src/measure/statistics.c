#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "measure/quantile.h"
#include "scalay/measure.h"

/* Pearson's test wants so many values, and so many in each bin by expectation. */
enum { NORMALITY_VALUES = 20, NORMALITY_BIN = 5 };
#define OUTLIER_SPREADS 1.5

static int compare_values(const void *left, const void *right)
{
    const double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

/* Linear between the order statistics: a share of 0 is the least, of 1 the largest. */
static double quantile_of(int64_t count, const double *sorted, double share)
{
    const double place = share * (double)(count - 1);
    const int64_t below = (int64_t)floor(place);
    if (below + 1 >= count) return sorted[count - 1];
    return sorted[below] + (place - (double)below) * (sorted[below + 1] - sorted[below]);
}

/* Two passes: the second takes away what rounding left in the first. */
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

/* Bins of equal probability, as many as 2 n^(2/5) (Moore 1986) but none too empty. Mean and deviation come from the
 * values themselves, so that two degrees of freedom are lost besides the one of the sum. */
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
    qsort(sorted, (size_t)count, sizeof *sorted, compare_values);
    s->least = sorted[0];
    s->most = sorted[count - 1];
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
    if (statistics == NULL) return scalay_fail(SCALAY_ERROR_ARGUMENT, function, "statistics is NULL");
    if (count < 0 || (count > 0 && value == NULL))
        return scalay_fail(SCALAY_ERROR_ARGUMENT, function, "count is %lld%s; pass an array of at least 0 values",
                           (long long)count, value == NULL ? " and value NULL" : "");
    if (!(confidence > 0.0 && confidence < 1.0))
        return scalay_fail(SCALAY_ERROR_ARGUMENT, function, "confidence is %g; it lies between 0 and 1, as in 0.95",
                           confidence);
    if (!(precision > 0.0))
        return scalay_fail(SCALAY_ERROR_ARGUMENT, function, "precision is %g; it is above 0, as in 0.025", precision);
    for (int64_t k = 0; k < count; k++)
        if (!isfinite(value[k]))
            return scalay_fail(SCALAY_ERROR_ARGUMENT, function,
                               "value %lld (counted from 0) is %g, not a finite number", (long long)k, value[k]);
    return SCALAY_SUCCESS;
}

scalay_status scalay_statistics_of(int64_t count, const double *value, double confidence, double precision,
                                   scalay_statistics *statistics)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_statistics s = {.count = count,
                           .mean = NAN,
                           .median = NAN,
                           .deviation = NAN,
                           .least = NAN,
                           .most = NAN,
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
