#ifndef SCALAY_IO_INSPECT_H
#define SCALAY_IO_INSPECT_H

/** @file What a file says about itself: found on rank 0, told to all. */

#include "io/format.h"

/** Judges the start of a file, of whatever format. Pure. */
scalay_status scalay_file_judge(const scalay_file_head *head, scalay_file_info *info);

/** scalay_matrix_inspect() with checked arguments. Collective, agreed. */
scalay_status scalay_file_inspect(scalay_comm *comm, const char *path, scalay_file_info *info);

#endif
