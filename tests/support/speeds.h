#ifndef SCALAY_TESTS_SUPPORT_SPEEDS_H
#define SCALAY_TESTS_SUPPORT_SPEEDS_H

/** @file Vectors of speeds, and the bound that partitions for them are compared with; for tests and benchmarks. */

#include <math.h>
#include <stdlib.h>

#include "base/random.h"

/** plain_bound() takes so many parts. */
enum { MOST_SPEEDS = 4096 };

/** The kinds of speed vectors. */
enum { UNIFORM, SKEWED, ONE_DOMINANT, TWO_LEVELS, KINDS };

/** Random areas that sum up to a total. */
static inline void random_areas(scalay_random *random, int kind, int parts, double total, double *area)
{
    double sum = 0.0;
    double level = 2.0 + 8.0 * scalay_random_unit(random);
    double dominant = (0.5 + 2.5 * scalay_random_unit(random)) * parts / 2.0;
    for (int k = 0; k < parts; k++) {
        double u = scalay_random_unit(random);
        area[k] = kind == UNIFORM        ? u + 1e-3
                  : kind == SKEWED       ? u * u * u + 1e-3
                  : kind == ONE_DOMINANT ? (k == 0 ? dominant : u + 0.05)
                                         : (u < 0.4 ? level : 1.0);
        sum += area[k];
    }
    for (int k = 0; k < parts; k++) area[k] *= total / sum;
}

static inline int descending(const void *a, const void *b)
{
    double x = *(const double *)a;
    double y = *(const double *)b;
    return (x < y) - (x > y);
}

/** The lower bound of the facts on the unit square: each requirement alone. */
static inline double plain_bound(int parts, const double *given)
{
    double share[MOST_SPEEDS];
    double roots = 0.0;
    double covered = 0.0;
    double three = INFINITY;
    for (int k = 0; k < parts; k++) roots += sqrt(share[k] = given[k]);
    qsort(share, (size_t)parts, sizeof *share, descending);
    double penalty = 2.0 * roots - 2.0;
    for (int k = 1; k <= parts; k++) {
        covered += share[k - 1];
        penalty += (1.0 - sqrt(share[k - 1])) * (1.0 - sqrt(share[k - 1]));
        double lines = k == parts ? k - 1.0 : (k > 2 ? k - 1.0 : 1.0) + 1.0 - covered;
        three = fmin(three, fmax(penalty, lines));
    }
    return fmin(three, fmin(fmax(2.0, 2.0 * roots - 2.0), 2.0 * (roots - sqrt(share[0]))));
}

#endif
