#ifndef SCALAY_FACTOR_LENT_WORKSPACE_H
#define SCALAY_FACTOR_LENT_WORKSPACE_H

/** @file The workspace of a program's p?geqrf, which its one-call routine uses if the matrix stays. */

#include "scalay/export.h"

/**
 * Lends a workspace to the one-call routines of this thread, or takes it back. On all ranks of a call, or on none.
 * @param[in] work      of the type of the matrix, as long as p?geqrf demands for the call; NULL: taken back
 * @param[in] elements  of `work`
 */
SCALAY_API void scalay_lend_workspace(void *work, int elements);

#endif
