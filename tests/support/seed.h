#ifndef SCALAY_TESTS_SEED_H
#define SCALAY_TESTS_SEED_H

/** @file The seed of random tests. */

#include <stdint.h>
#include <stdlib.h>

/** What the environment variable SCALAY_TEST_SEED says, or the default; to be printed, so that the test can be run
 * again. */
static inline uint64_t wanted_seed(uint64_t otherwise)
{
    const char *text = getenv("SCALAY_TEST_SEED");
    return text != NULL ? strtoull(text, NULL, 10) : otherwise;
}

#endif
