#ifndef SCALAY_MEASURE_PROCESSOR_H
#define SCALAY_MEASURE_PROCESSOR_H

/** @file The processor that this process runs on. */

#include "measure/profiler_record.h"

/** Sets host, binding, cores and threads of this process. */
void scalay_describe_processor(scalay_record_processor *facts);

/** Writes a set of numbers as text, such as "0-3,8". is_member is called for each number below `count`. Returns text.
 */
const char *scalay_print_set(int count, int (*is_member)(int number, const void *set), const void *set, char *text,
                             size_t size);

#endif
