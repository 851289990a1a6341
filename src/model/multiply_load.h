#ifndef SCALAY_MODEL_MULTIPLY_LOAD_H
#define SCALAY_MODEL_MULTIPLY_LOAD_H

/** @file What each part of a product sends and receives: the sums that a model needs, without a table of all pairs. */

#include "scalay/partition.h"

/** Of A and B together, in elements; partners are counted for each of the two. */
typedef struct {
    int64_t sent, received;
    int64_t sends_to, receives_from;
} scalay_product_load;

/**
 * Adds up what the parts of a map send and receive when A and B are cut like C.
 * @param[in]  map     of C, with elements
 * @param[in]  k       the inner extent
 * @param[out] volume  elements that travel
 * @param[out] loads   shape [parts], zeroed by the caller
 * @return SCALAY_SUCCESS, SCALAY_ERROR_RANGE, SCALAY_ERROR_MEMORY
 */
scalay_status scalay_product_loads(const scalay_owner_map *map, int64_t k, int64_t *volume, scalay_product_load *loads);

#endif
