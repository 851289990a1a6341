#ifndef SCALAY_REDIST_ROUTES_H
#define SCALAY_REDIST_ROUTES_H

/**
 * @file
 * Routes: lanes in the order in which ranks take them, by the distance from the sender to the receiver, counted up and
 * modulo the number of ranks. Of two ranks, both give the lane between them the same distance.
 */

#include "redist/stream.h"

/** One end of a lane. */
typedef struct {
    const scalay_lane *lane;
    int peer;     /* among the ranks that distances are counted in */
    int distance; /* from the sender to the receiver on the way forth */
    scalay_stream stream;
} scalay_route;

/** Whom distances are counted among. */
typedef struct {
    int rank; /* the calling one */
    int size;
} scalay_route_ring;

/**
 * Finds the distances of routes and sorts them by ascending distance. Not collective.
 * @param[in,out] routes  shape [count], of one side of a plan: with lane and peer
 * @param[in]     sends   whether the lanes lead away from the rank on the way forth
 */
void scalay_routes_order(scalay_route *routes, int64_t count, scalay_route_ring ring, int sends);

#endif
