#ifndef SCALAY_MEASURE_PROFILER_MACHINE_H
#define SCALAY_MEASURE_PROFILER_MACHINE_H

/** @file What an abstract processor is on this machine: its cores and its threads. */

#include "measure/profiler_record.h"

/** Lets BLAS and OpenMP use so many threads; 0 leaves them as they are. */
void scalay_set_threads(int threads);

/** The threads of BLAS, or of OpenMP where BLAS does not tell: those of a call. */
int scalay_get_threads(void);

/** Host, binding, cores and threads of this process. */
void scalay_describe_processor(scalay_record_processor *facts);

/** The numbers of a set as text, such as "0-3,8"; is_member tells of each below count. Returns text. */
const char *scalay_print_set(int count, int (*is_member)(int number, const void *set), const void *set, char *text,
                             size_t size);

#endif
