#ifndef SCALAY_FACTOR_ONE_CALL_H
#define SCALAY_FACTOR_ONE_CALL_H

/** @file scalay_pdgeqrf() and those of other types for programs that have a workspace, as ScaLAPACK demands it. */

#include "scalay/factor.h"

/**
 * scalay_p?geqrf() with a workspace, which is used if the matrix stays where it is. Collective; the ranks agree on the
 * status.
 * @param[in]     type   of the matrix
 * @param[in,out] work   shape [lwork], on every rank; its first entry remains that of a query
 * @param[in]     lwork  at least what p?geqrf demands of this rank
 */
SCALAY_API scalay_status scalay_geqrf_with_work(scalay_comm *comm, scalay_type type, const scalay_layout *layout,
                                                const scalay_one_call_options *options, void *a, void *tau, void *work,
                                                int lwork, scalay_one_call_statistics *statistics);

#endif
