#ifndef SCALAY_TESTS_WORKLOAD_ORACLE_CMOCKA_H
#define SCALAY_TESTS_WORKLOAD_ORACLE_CMOCKA_H

/** @file oracle.h for cmocka programs. */

#include "oracle.h"
#include "support/serial.h"

/** What a distribution comes to; fails the test unless it is valid. */
static inline scalay_point check_distribution(const scalay_problem *problem, const scalay_distribution *distribution)
{
    scalay_point point;
    assert_true(distribution_is_valid(problem, distribution, &point));
    return point;
}

#endif
