#ifndef SCALAY_LAYOUT_CUT_H
#define SCALAY_LAYOUT_CUT_H

/** @file Cuts: the pieces into which the blocks of two axes of the same extent cut it. */

#include "layout/axis.h"

/** A piece that lies in one block of axis a and in one block of axis b. */
typedef struct {
    int64_t class_a;
    int64_t class_b;
    int64_t index; /* its first index in the windows */
    int64_t count;
    int64_t local_a; /* of that index within its class of a; for who lists cuts to fill in, as local_b */
    int64_t local_b;
} scalay_common_interval;

/** A growing list of cuts, with room to sort them. A zeroed list is empty. */
typedef struct {
    int64_t cuts;
    int64_t capacity;
    scalay_common_interval *cut; /* shape [capacity] */
} scalay_interval_list;

/** Where a walk along two axes stands. */
typedef struct {
    const scalay_axis *a;
    const scalay_axis *b;
    int64_t index;  /* the next cut's first */
    int64_t end;    /* the walk stops before this index */
    int64_t left_a; /* indices until the block of a ends; more than the walk when a has a single class */
    int64_t left_b;
    int64_t class_a;
    int64_t class_b;
    int64_t run_a; /* of an axis of runs */
    int64_t run_b;
} scalay_interval_walk;

/** Starts a walk along two axes of the same extent, over window indices begin .. end - 1. */
scalay_interval_walk scalay_interval_walk_start(const scalay_axis *a, const scalay_axis *b, int64_t begin, int64_t end);

/** The next cut of a walk; 0 when it has ended. An axis with a single class does not cut. */
int scalay_interval_walk_next(scalay_interval_walk *walk, scalay_common_interval *cut);

/** An upper bound for the cuts of a walk over `count` indices. */
double scalay_interval_walk_length(const scalay_axis *a, const scalay_axis *b, int64_t count);

/** Appends a cut. @return SCALAY_SUCCESS, SCALAY_ERROR_MEMORY */
scalay_status scalay_interval_list_add(scalay_interval_list *list, const scalay_common_interval *cut);

/** Sorts by class of a, then class of b; the order of equals stays. @return SCALAY_SUCCESS, SCALAY_ERROR_MEMORY */
scalay_status scalay_interval_list_sort(scalay_interval_list *list);

/** Releases what a list holds. */
void scalay_interval_list_free(scalay_interval_list *list);

#endif
