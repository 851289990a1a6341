#ifndef SCALAY_PARALLEL_ARRAY_H
#define SCALAY_PARALLEL_ARRAY_H

/**
 * @file
 * The arrays of scalay_alloc() that a process takes part in. They are known to the process and not to a communicator:
 * what is told of one on one communicator is understood on another one with the same processes.
 */

#include <stdint.h>

/** A place in an array that others may have, too. */
typedef struct {
    uint64_t array; /* agreed upon by the ranks that made the array; 0: none */
    int64_t owner;  /* the rank among them whose part it is in */
    int64_t offset; /* in that part */
} scalay_array_place;

/** The place of bytes start .. start + bytes - 1 of this process; none unless all are in its part of one array. */
scalay_array_place scalay_array_find(const char *start, int64_t bytes);

/** Where a place is in this process; NULL when it has no part in that array. */
char *scalay_array_locate(scalay_array_place place);

/** 1 when the process with a token (node.h) has a part in the array of a place. */
int scalay_array_is_known_to(scalay_array_place place, int64_t token);

/** For tests: arrays that live. */
int scalay_arrays_live(void);

#endif
