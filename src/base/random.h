#ifndef SCALAY_BASE_RANDOM_H
#define SCALAY_BASE_RANDOM_H

/** @file Seeded random numbers that are the same on every machine (splitmix64; Steele, Lea, Flood 2014). */

#include <stdint.h>

/** The state of a generator: any value is a seed. */
typedef struct {
    uint64_t state;
} scalay_random;

/** A generator that starts from a seed. */
scalay_random scalay_random_seed(uint64_t seed);

/** 64 random bits. */
uint64_t scalay_random_bits(scalay_random *random);

/** A number from 0 to bound - 1, each as likely as the others; bound is at least 1. */
int64_t scalay_random_below(scalay_random *random, int64_t bound);

/** A number in [0, 1). */
double scalay_random_unit(scalay_random *random);

#endif
