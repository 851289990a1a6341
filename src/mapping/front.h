#ifndef SCALAY_MAPPING_FRONT_H
#define SCALAY_MAPPING_FRONT_H

/** @file What a front is made of. */

#include "mapping/mapping.h"

struct scalay_mapping_front {
    int64_t size, capacity;
    scalay_mapping **points; /* shape [size], by ascending steps; each is best within the steps of the next, less one,
                                unless the deadline came first: that leaves one that is not proven, or two of which the
                                first is `fewest` */
    scalay_mapping *fewest;  /* of the least steps, with their proof */
};

#endif
