#ifndef SCALAY_CLI_ARRIVAL_H
#define SCALAY_CLI_ARRIVAL_H

/** @file Has a matrix arrived as it is in its file? */

#include "job.h"

/**
 * Compares what is where with the file, which is read straight into the layout. Collective; the ranks agree.
 * @param[in]  job     an open job
 * @param[in]  layout  of op of the matrix; block-cyclic unless op is SCALAY_NO_TRANSPOSE
 * @param[in]  op      what has become of the matrix in the file
 * @param[in]  local   the rank's local array
 * @param[out] wrong   elements that are not as in the file, all ranks together
 */
scalay_status scalay_arrival_check(const scalay_job *job, const scalay_layout *layout, scalay_op op, const void *local,
                                   int64_t *wrong);

#endif
