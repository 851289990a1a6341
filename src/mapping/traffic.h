#ifndef SCALAY_MAPPING_TRAFFIC_H
#define SCALAY_MAPPING_TRAFFIC_H

/** @file What a traffic matrix is made of: compressed sparse rows and the sums of its rows and columns. */

#include "base/status.h"
#include "scalay/traffic.h"

struct scalay_traffic {
    int processes;
    int parts;
    int64_t items;   /* the sum of everything */
    int64_t *start;  /* shape [processes + 1]: row i is entries start[i] .. start[i + 1] - 1 */
    int *part;       /* shape [start[processes]], ascending in each row */
    int64_t *count;  /* same shape, all positive */
    int64_t *held;   /* shape [processes]: the items of each process */
    int64_t *wanted; /* shape [parts]: the items of each part */
};

/** A traffic matrix without entries: start, held and wanted are there and zero; part and count are NULL. */
scalay_status scalay_traffic_allocate(int processes, int parts, scalay_traffic **traffic);

/** Fills items, held and wanted in from the entries; SCALAY_ERROR_RANGE when the items do not fit. */
scalay_status scalay_traffic_sum(scalay_traffic *traffic);

/** The entry of process i and part j; -1 when there is none, or no such process. Logarithmic in the row's length. */
int64_t scalay_traffic_find(const scalay_traffic *traffic, int process, int part);

/** As scalay_traffic_cost(), for processes that are distinct and at least 0. */
scalay_status scalay_traffic_count(const scalay_traffic *traffic, const int *process, int64_t *volume, int64_t *steps);

/** As scalay_traffic_create() refuses two layouts. */
scalay_status scalay_traffic_check_layouts(const scalay_layout *source, const scalay_layout *target);

/** SCALAY_ERROR_ARGUMENT, in the name of `function`, unless the processes are distinct and at least 0. */
scalay_status scalay_processes_check(const int *process, int parts, const char *function);

/** Orders ints for qsort. */
int scalay_compare_ints(const void *a, const void *b);

#endif
