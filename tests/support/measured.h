#ifndef SCALAY_TESTS_MEASURED_H
#define SCALAY_TESTS_MEASURED_H

/**
 * @file
 * Profiles from a seeded generator, in the likeness of the measured ones of the papers. For tests and benchmarks.
 */

#include <math.h>
#include <stdint.h>

#include "base/random.h"
#include "scalay/profile.h"

/** What a profile is like. */
typedef enum {
    PROFILE_FFT,     /**< every second size drops, by 17% to 70% of its speed (multithreaded FFT) */
    PROFILE_GEMM,    /**< variations of 17% on average, a few drops to the half (multithreaded DGEMM) */
    PROFILE_GPU,     /**< a long ramp, then few drops (accelerators) */
    PROFILE_HOLES,   /**< as PROFILE_FFT, with every third size missing (sizes that are no products of small primes) */
    PROFILE_SMOOTH,  /**< one core: speed rises to a plateau, times are convex */
    PROFILE_LINEAR,  /**< constant speed and power */
    PROFILE_CONCAVE, /**< times and energies rise ever more slowly */
    PROFILE_GCD      /**< adversarial: sizes that share divisors are fast, the few that do not are slow */
} profile_shape;

enum { PROFILE_SHAPES = PROFILE_GCD + 1 };

static inline const char *profile_shape_name(profile_shape shape)
{
    static const char *const names[] = {"fft", "gemm", "gpu", "holes", "smooth", "linear", "concave", "gcd"};
    return names[shape];
}

/* The share of its speed that a size loses. */
static inline double profile_drop(profile_shape shape, scalay_random *random)
{
    const double kind = scalay_random_unit(random);
    const double depth = scalay_random_unit(random);
    if (shape == PROFILE_FFT || shape == PROFILE_HOLES) return kind < 0.45 ? 0.17 + 0.53 * depth : 0.17 * depth;
    if (shape == PROFILE_GEMM) return kind < 0.05 ? 0.5 + 0.2 * depth : 0.3 * depth;
    if (shape == PROFILE_GPU) return kind < 0.15 ? 0.3 + 0.4 * depth : 0.1 * depth;
    return 0.0;
}

/* Time and energy without drops; speed in units per second. */
static inline void profile_trend(profile_shape shape, double speed, double largest, double x, double *time,
                                 double *energy)
{
    const double ramp = (shape == PROFILE_GPU ? 0.25 : 0.05) * largest;
    *time = (x + ramp) / (speed * (1.0 - 0.2 * x / largest));
    *energy = (shape == PROFILE_GPU ? 180.0 : 90.0) * (0.6 + 0.4 * x / largest) * (x + ramp) / speed;
    if (shape == PROFILE_LINEAR) {
        *time = x / speed;
        *energy = 90.0 * x / speed;
    } else if (shape == PROFILE_CONCAVE) {
        *time = pow(x, 0.7) / speed;
        *energy = 90.0 * pow(x, 0.8) / speed;
    } else if (shape == PROFILE_GCD) {
        const int fast = fmod(x, 6.0) < 0.5 || fmod(x, 10.0) < 0.5 || fmod(x, 15.0) < 0.5;
        *time = (fast ? x : 40.0 * largest - 20.0 * x) / speed;
        *energy = (fast ? 90.0 : 150.0) * x / speed;
    }
}

/**
 * The points of a profile. Times in seconds, energies in millijoules, so that they are exact.
 * @param[in]  speed               units per second, about
 * @param[in]  largest             size, at least 1
 * @param[out] size, time, energy  shape [largest]
 * @return the number of points
 */
static inline int64_t profile_points(profile_shape shape, uint64_t seed, double speed, int64_t largest, int64_t *size,
                                     double *time, double *energy)
{
    scalay_random random = scalay_random_seed(seed * 1000003 + (uint64_t)shape);
    const int rough = shape == PROFILE_FFT || shape == PROFILE_GEMM || shape == PROFILE_GPU || shape == PROFILE_HOLES;
    double drift = 1.0;
    int64_t points = 0;
    for (int64_t x = 1; x <= largest; x++) {
        double seconds = 0.0;
        double joules = 0.0;
        profile_trend(shape, speed, (double)largest, (double)x, &seconds, &joules);
        if (rough) {
            drift = 0.95 * drift + 0.05 * (0.6 + 0.8 * scalay_random_unit(&random));
            seconds /= (1.0 - profile_drop(shape, &random)) * drift;
            joules *= 1.0 + 0.7 * scalay_random_unit(&random);
        }
        if (shape == PROFILE_HOLES && x < largest && scalay_random_unit(&random) < 0.35) continue;
        size[points] = x;
        time[points] = seconds;
        energy[points++] = (floor(joules * 1000.0) + 1.0) / 1000.0;
    }
    return points;
}

/** A group of a profile with such points; the workspace holds 2 x largest doubles and largest int64_t behind them. */
static inline scalay_status profile_generate(const char *name, int64_t count, profile_shape shape, uint64_t seed,
                                             double speed, int64_t largest, void *workspace, scalay_profile **profile)
{
    double *time = workspace;
    double *energy = time + largest;
    int64_t *size = (int64_t *)(void *)(energy + largest);
    const int64_t points = profile_points(shape, seed, speed, largest, size, time, energy);
    return scalay_profile_table(name, count, points, size, time, energy, profile);
}

#endif
