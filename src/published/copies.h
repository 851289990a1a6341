#ifndef SCALAY_PUBLISHED_COPIES_H
#define SCALAY_PUBLISHED_COPIES_H

/**
 * @file
 * The search that POPTA and EOPTA share: n units on p identical processors, top-down with a memory.
 *
 * A node is (n, p). It starts with the even distribution, then gives r = 1, 2, ... processors the same size x and
 * leaves n - r x units to the node of p - r processors. Every node is solved once. The paper calls itself once per
 * node in turn; here the nodes under way are kept in a list, so that a large p cannot exhaust the stack.
 */

#include "published/published.h"

/** What to search for. */
typedef struct {
    const char *method;
    int64_t n;            /* at least 1 */
    int64_t processors;   /* at least 1 */
    int64_t largest;      /* m */
    const int64_t *value; /* shape [largest + 1]: 0 for idle, SCALAY_NO_VALUE for a hole */
    int sums;             /* 0: the largest value counts (time), 1: their sum (energy) */
    int64_t points;
    const int64_t *point; /* shape [points]: sizes to give to r processors; by ascending value when sums is 0 */
    int beyond_even;      /* 1: only points greater than n / p, as POPTA does */
} scalay_copies;

/** The least value, SCALAY_NO_VALUE when there is none, with its distribution over group 0. */
scalay_status scalay_copies_solve(const scalay_copies *problem, int64_t *value, scalay_distribution *distribution);

#endif
