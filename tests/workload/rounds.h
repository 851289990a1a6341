#ifndef SCALAY_TESTS_WORKLOAD_ROUNDS_H
#define SCALAY_TESTS_WORKLOAD_ROUNDS_H

/** @file Programs of random instances, which try twenty times as many with the argument "long". */

#include <string.h>

#include "support/serial.h"

static uint64_t seed;
static int rounds = 1;

/** Reads the arguments of main() and the seed. */
static inline void read_rounds(int count, char **argument, uint64_t otherwise)
{
    if (count > 1 && strcmp(argument[1], "long") == 0) rounds = 20;
    seed = test_seed(otherwise);
}

#endif
