#ifndef SCALAY_MAPPING_TRAFFIC_H
#define SCALAY_MAPPING_TRAFFIC_H

/** @file The struct behind a traffic matrix: compressed sparse rows, and the sums of rows and columns. */

#include "base/status.h"
#include "scalay/traffic.h"

struct scalay_traffic {
    int processes;
    int parts;
    int64_t elements; /* sum of all entries */
    int64_t *start;   /* shape [processes + 1]: row i consists of entries start[i] .. start[i + 1] - 1 */
    int *part;        /* shape [start[processes]], ascending in each row */
    int64_t *count;   /* same shape, all positive: elements of each entry */
    int64_t *held;    /* shape [processes]: elements of each process */
    int64_t *wanted;  /* shape [parts]: elements of each part */
};

/** Returns the number of the entry of a process and a part; -1: there is none. Time: logarithmic. */
int64_t scalay_traffic_find(const scalay_traffic *traffic, int process, int part);

/** As scalay_traffic_cost(), for processes that are distinct and at least 0. */
scalay_status scalay_traffic_count(const scalay_traffic *traffic, const int *process, int64_t *volume, int64_t *steps);

/** Returns SCALAY_ERROR_ARGUMENT unless the processes are distinct and at least 0. */
scalay_status scalay_processes_check(const int *process, int parts, const char *function);

/** Compares ints, for qsort. */
int scalay_compare_ints(const void *a, const void *b);

/* ------------------------------------------------------------------------------------------- several matrices */

/** Checks the layouts and weights of several matrices, as scalay_mapping_create_shared() does. */
scalay_status scalay_traffic_check_layouts(int count, const scalay_layout *const *source,
                                           const scalay_layout *const *target, const int64_t *weight,
                                           const char *function);

/** Returns 1 if all layouts are block-cyclic. */
int scalay_traffic_are_grids(int count, const scalay_layout *const *source, const scalay_layout *const *target);

/** Computes the weighted sum of the traffic of several matrices; release with scalay_traffic_destroy(). */
scalay_status scalay_traffic_create_sum(int count, const scalay_layout *const *source,
                                        const scalay_layout *const *target, const int64_t *weight,
                                        scalay_traffic **sum);

#endif
