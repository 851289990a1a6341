#ifndef SCALAY_MEASURE_PROFILER_SIZES_H
#define SCALAY_MEASURE_PROFILER_SIZES_H

/** @file Which size is measured next: the list first, then those between where a function jumps. */

#include "measure/profiler_record.h"

/** The sizes that were asked for. */
typedef struct {
    int64_t count;
    int64_t *size; /* shape [count], ascending, distinct */
    double refine;
    int64_t closest; /* sizes that are added are at least so far apart */
} scalay_size_list;

/** Reads the options; to be released with scalay_size_list_free(). SCALAY_ERROR_ARGUMENT names what is wrong. */
scalay_status scalay_size_list_create(const scalay_profiler_options *options, scalay_size_list *list);

/** Releases what a list holds; zeroed is fine. */
void scalay_size_list_free(scalay_size_list *list);

/** The next size that the record has no row for; 0 when all is measured. The same record gives the same size. */
int64_t scalay_size_list_next(const scalay_size_list *list, const scalay_profile_record *record);

/** The sizes of the list that the record has no row for; their sum in *sum. */
int64_t scalay_size_list_left(const scalay_size_list *list, const scalay_profile_record *record, double *sum);

#endif
