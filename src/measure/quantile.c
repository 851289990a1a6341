#include "measure/quantile.h"

#include <float.h>
#include <math.h>

/* M_PI and M_SQRT1_2 are not C's. */
#define PI 3.14159265358979323846
#define HALF_ROOT 0.70710678118654752440

/* Beyond so many degrees of freedom the series in 1 / freedom is as good as the sum, and does not grow with it. */
#define MANY_FREEDOMS 1000

enum { STEPS = 200 };

double scalay_normal_below(double x)
{
    return 0.5 * erfc(-x * HALF_ROOT);
}

/* 1 + a x + a b x^2 + ..., `terms` of them, the factors being first / (first + 1), (first + 2) / (first + 3), ... */
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

/* Where a rising function that is 0 at 0 reaches a value: false position after Dowell, Jarratt (1971), which halves the
 * weight of an end that stays, within a bracket. */
static double invert(double (*rising)(double x, int64_t freedom), int64_t freedom, double value)
{
    double low = 0.0, high = 1.0, below = -value, above = rising(high, freedom) - value, x = 0.0;
    for (; above < 0.0 && high < 1e300; above = rising(high, freedom) - value) {
        low = high;
        below = above;
        high *= 2.0;
    }
    for (int k = 0, side = 0; k < STEPS; k++) {
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

/* Abramowitz, Stegun (1964), 26.4.4 and 26.4.5; the terms by their logarithms, for exp(-x / 2) may be 0. */
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
