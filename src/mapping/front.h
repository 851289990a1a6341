#ifndef SCALAY_MAPPING_FRONT_H
#define SCALAY_MAPPING_FRONT_H

/** @file What a front is made of. */

#include "mapping/mapping.h"

struct scalay_mapping_front {
    int64_t size;
    scalay_mapping **points; /* shape [size], by ascending steps; each is best within the steps of the next, less one */
    scalay_mapping *fewest;  /* of the least steps, with their proof */
};

#endif
