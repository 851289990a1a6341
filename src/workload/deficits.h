#ifndef SCALAY_WORKLOAD_DEFICITS_H
#define SCALAY_WORKLOAD_DEFICITS_H

/**
 * @file
 * Every processor has a base size; some of them should differ from it by altogether so many units.
 *
 * Bit s of a set tells whether the processors so far can make s of it. A group is added copy by copy until that changes
 * nothing any more; each copy costs O(sizes * total / 64). With bases as large as possible the total is
 * usually less than one size. Memory: O(total).
 */

#include "workload/problem.h"

/** Processors of a group with the same base. */
typedef struct {
    int group;
    int64_t copies; /* at least 1 */
    int64_t base;   /* they may get a size less than it; or, when it is 0, more */
    int idle;       /* 1: they may also get nothing, when their base is positive */
} scalay_deficit_part;

/** A copy that made new totals possible. */
typedef struct {
    int part;
    int64_t copy; /* 0, 1, ... */
} scalay_deficit_pass;

/** The sets and where their bits come from; start with zeroes. May be solved again and again. */
typedef struct {
    const scalay_problem *problem;
    double time; /* the longest allowed */
    int64_t parts;
    int64_t parts_room;
    scalay_deficit_part *part;
    int64_t total;
    uint64_t *reached; /* bits 0 .. total */
    uint64_t *next;
    int64_t words_room;
    int64_t next_room;
    int64_t *first; /* shape [total + 1]: the pass in which a bit was reached; -1 for 0 */
    int64_t first_room;
    scalay_deficit_pass *pass;
    int64_t passes;
    int64_t pass_room;
    int64_t *arc; /* what one copy can make */
    int64_t arc_room;
} scalay_deficits;

/** Can the parts make the total? SCALAY_SUCCESS, SCALAY_ERROR_MEMORY. */
scalay_status scalay_deficits_solve(scalay_deficits *deficits, int *feasible);

/** After a solution was found: adds it to a distribution, bases included. */
scalay_status scalay_deficits_collect(const scalay_deficits *deficits, scalay_distribution *distribution);

/** Forgets the parts and starts with another total and time. */
void scalay_deficits_begin(scalay_deficits *deficits, const scalay_problem *problem, double time, int64_t total);

/** Adds a part; no copies are left out. SCALAY_SUCCESS, SCALAY_ERROR_MEMORY. */
scalay_status scalay_deficits_add(scalay_deficits *deficits, scalay_deficit_part part);

/** Releases the memory. */
void scalay_deficits_free(scalay_deficits *deficits);

#endif
