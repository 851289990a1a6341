#ifndef SCALAY_BASE_RANDOM_H
#define SCALAY_BASE_RANDOM_H

/** @file Seeded random numbers, the same on every machine: splitmix64 (Steele, Lea, Flood 2014). */

#include <stdint.h>

/** State of a generator. */
typedef struct {
    uint64_t state;
} scalay_random;

/** Returns a generator for any seed. */
scalay_random scalay_random_seed(uint64_t seed);

/** Returns 64 random bits. */
uint64_t scalay_random_bits(scalay_random *random);

/** Returns an integer in [0, bound), uniformly distributed, for bound >= 1. */
int64_t scalay_random_below(scalay_random *random, int64_t bound);

/** Returns a number in [0, 1), a multiple of 2^-53, uniformly distributed. */
double scalay_random_unit(scalay_random *random);

#endif
