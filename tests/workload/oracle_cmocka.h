#ifndef SCALAY_TESTS_WORKLOAD_ORACLE_CMOCKA_H
#define SCALAY_TESTS_WORKLOAD_ORACLE_CMOCKA_H

/** @file oracle.h for cmocka programs. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka needs those before */
#include <cmocka.h>

#include "oracle.h"

#define assert_success(call) assert_int_equal((call), SCALAY_SUCCESS)

/** What a distribution comes to; fails the test unless it is valid. */
static inline scalay_point check_distribution(const scalay_problem *problem, const scalay_distribution *distribution)
{
    scalay_point point;
    assert_true(distribution_is_valid(problem, distribution, &point));
    return point;
}

/** The seed, printed to run the test again. */
static inline uint64_t printed_seed(uint64_t otherwise)
{
    const uint64_t seed = instance_seed(otherwise);
    print_message("SCALAY_TEST_SEED=%llu\n", (unsigned long long)seed);
    return seed;
}

#endif
