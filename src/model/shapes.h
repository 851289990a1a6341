#ifndef SCALAY_MODEL_SHAPES_H
#define SCALAY_MODEL_SHAPES_H

/** @file The grids and block sizes that a kernel can be given. */

#include "scalay/model.h"

/** What is done with a shape; a failure ends the visit. */
typedef scalay_status (*scalay_shape_visitor)(int nprow, int npcol, int nb, void *context);

/** Fails in the name of `function` when the limits make no sense (SCALAY_ERROR_ARGUMENT) or leave no grid
 * (SCALAY_ERROR_INFEASIBLE). */
scalay_status scalay_shapes_check(const scalay_qr_limits *limits, const char *function);

/**
 * Visits every shape within limits that have been checked, as scalay_model_qr_choose() describes.
 * @return SCALAY_SUCCESS, or what the visitor returned
 */
scalay_status scalay_shapes_visit(const scalay_qr_limits *limits, int64_t m, int64_t n, scalay_shape_visitor visitor,
                                  void *context);

#endif
