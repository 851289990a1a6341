#ifndef SCALAY_REDIST_PLACE_H
#define SCALAY_REDIST_PLACE_H

/** @file Where the parts of a target layout sit: a layout and perhaps a mapping, checked against a communicator. */

#include "parallel/comm.h"
#include "scalay/mapping.h"

/**
 * SCALAY_ERROR_ARGUMENT when layout is NULL or one of its parts sits on a process that is no rank of comm. Not
 * collective.
 * @param[in] function  in whose name to fail
 * @param[in] what      the argument's name there
 */
scalay_status scalay_place_check(const scalay_comm *comm, const scalay_layout *layout, const char *function,
                                 const char *what);

/**
 * The target on the processes that a mapping chose. Not collective.
 * @param[in]  comm     the ranks
 * @param[in]  target   a layout
 * @param[in]  mapping  NULL: the target stays where it is
 * @param[in]  function in whose name to fail
 * @param[out] placed   to be released with scalay_layout_destroy(); NULL when mapping is NULL
 * @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT, SCALAY_ERROR_MISMATCH (parts), SCALAY_ERROR_MEMORY
 */
scalay_status scalay_place_target(const scalay_comm *comm, const scalay_layout *target, const scalay_mapping *mapping,
                                  const char *function, scalay_layout **placed);

#endif
