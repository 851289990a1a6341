#ifndef SCALAY_MULTIPLY_PRODUCT_H
#define SCALAY_MULTIPLY_PRODUCT_H

/** @file What holds of every product C := op(A) op(B): checked once, in the name of the function that was called. */

#include "parallel/comm.h"
#include "scalay/factor.h"

/**
 * Whether three layouts can be those of a product. Not collective.
 * @param[in] function  the public name for the message
 * @param[in] type      one that BLAS has
 * @param[in] op        shape [2]: of A and B
 * @param[in] layout    shape [3]: A, B and C
 * @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT (a type, operation or layout that is none, a part on a process that is
 *         no rank), SCALAY_ERROR_MISMATCH (extents)
 */
scalay_status scalay_product_check(const char *function, const scalay_comm *comm, scalay_type type,
                                   const scalay_op op[2], const scalay_layout *const layout[3]);

#endif
