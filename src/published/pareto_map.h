#ifndef SCALAY_PUBLISHED_PARETO_MAP_H
#define SCALAY_PUBLISHED_PARETO_MAP_H

/**
 * @file
 * Sets of partial distributions as HEPOPTA is published: maps from energies (Khaleghzadeh et al. 2020, lemma 10.5 and
 * algorithm 12), which are balanced search trees. What pareto.h has is the same in sorted arrays.
 */

#include "published/pareto.h"

typedef struct scalay_partial_node scalay_partial_node;
typedef struct scalay_partial_block scalay_partial_block;

/** The memory of maps; zeroed is empty. */
typedef struct {
    int64_t nodes;               /* of all blocks */
    int64_t used;                /* of the last block */
    scalay_partial_block *block; /* the last one; NULL: none */
    scalay_partial_node *spare;  /* erased nodes, by their parents */
} scalay_partial_pool;

/** A map; zeroed is empty. */
typedef struct {
    scalay_partial_node *root;
} scalay_partial_map;

/** Bytes of a node. */
size_t scalay_partial_node_size(void);

/** As scalay_partial_set_add(); `rest` is not looked at: the rest is found by its energy. */
scalay_status scalay_partial_map_add(scalay_partial_pool *pool, scalay_partial_map *map, const scalay_partial *partial);

/** The element of the least energy; NULL: there is none. */
const scalay_partial *scalay_partial_map_first(const scalay_partial_map *map);

/** The element after another one of a map; NULL: that was the last. */
const scalay_partial *scalay_partial_map_next(const scalay_partial *partial);

/** The element of an energy; NULL: there is none. */
const scalay_partial *scalay_partial_map_find(const scalay_partial_map *map, int64_t energy);

/** Releases all maps that were made of the pool. */
void scalay_partial_pool_free(scalay_partial_pool *pool);

#endif
