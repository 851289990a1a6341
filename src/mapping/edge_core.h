#ifndef SCALAY_MAPPING_EDGE_CORE_H
#define SCALAY_MAPPING_EDGE_CORE_H

/** @file The few of many edges that an assignment is solved on: a graph that grows. */

#include "mapping/edges.h"

/** An edge. */
typedef struct {
    int from;
    int to;
    int64_t weight;
} scalay_core_edge;

/** A core; zeroed at first. */
typedef struct {
    scalay_core_edge *added; /* shape [count]: not yet among the edges */
    int64_t count;
    int64_t capacity;
    scalay_edges edges;
} scalay_edge_core;

/** Adds an edge, which may be there already, for the next scalay_edge_core_grow(). */
scalay_status scalay_edge_core_add(scalay_edge_core *core, int from, int to, int64_t weight);

/** Puts what was added among the edges, each once. */
scalay_status scalay_edge_core_grow(scalay_edge_core *core, int rows, int cols);

/** Releases what a core holds. A zeroed one is fine. */
void scalay_edge_core_free(scalay_edge_core *core);

#endif
