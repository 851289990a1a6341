/* Algorithm 12 of Khaleghzadeh et al. (2020) on a map, as it is printed but for what pareto.c says. The map is a search
 * tree in which the heights of a node's two sides differ by at most 1 (Adelson-Velsky and Landis 1962); nodes come from
 * a pool, which is faster than one allocation for each. */
#include "published/pareto_map.h"

#include "base/memory.h"

enum { BLOCK_NODES = 1024 };

struct scalay_partial_node {
    scalay_partial partial;       /* first, so that its address is the node's */
    scalay_partial_node *side[2]; /* less energy, more energy */
    scalay_partial_node *parent;
    int64_t height; /* 1: no sides */
};

struct scalay_partial_block {
    scalay_partial_block *before;
    scalay_partial_node node[BLOCK_NODES];
};

size_t scalay_partial_node_size(void)
{
    return sizeof(scalay_partial_node);
}

/* ------------------------------------------------------------------------------------------------------- the pool */

static scalay_status take_node(scalay_partial_pool *pool, scalay_partial_node **node)
{
    scalay_status status = SCALAY_SUCCESS;
    *node = pool->spare;
    if (*node != NULL) {
        pool->spare = pool->spare->parent;
        return SCALAY_SUCCESS;
    }
    if (pool->block == NULL || pool->used == BLOCK_NODES) {
        scalay_partial_block *block = NULL;
        SCALAY_TRY(SCALAY_NEW(block, 1));
        block->before = pool->block;
        pool->block = block;
        pool->used = 0;
        pool->nodes += BLOCK_NODES;
    }
    *node = &pool->block->node[pool->used++];
cleanup:
    return status;
}

static void give_node(scalay_partial_pool *pool, scalay_partial_node *node)
{
    node->parent = pool->spare;
    pool->spare = node;
}

void scalay_partial_pool_free(scalay_partial_pool *pool)
{
    while (pool->block != NULL) {
        scalay_partial_block *before = pool->block->before;
        scalay_release(pool->block);
        pool->block = before;
    }
    *pool = (scalay_partial_pool){0};
}

/* ------------------------------------------------------------------------------------------------------- the tree */

static int64_t height_of(const scalay_partial_node *node)
{
    return node != NULL ? node->height : 0;
}

static void set_height(scalay_partial_node *node)
{
    const int64_t less = height_of(node->side[0]);
    const int64_t more = height_of(node->side[1]);
    node->height = 1 + (less > more ? less : more);
}

/* By how much the side of more energy is higher. */
static int64_t lean_of(const scalay_partial_node *node)
{
    return height_of(node->side[1]) - height_of(node->side[0]);
}

/* What points to a node. */
static scalay_partial_node **link_of(scalay_partial_map *map, const scalay_partial_node *node)
{
    return node->parent == NULL ? &map->root : &node->parent->side[node->parent->side[1] == node];
}

/* Puts the node on one side of another in its place, and that below it. */
static void rotate(scalay_partial_map *map, scalay_partial_node *node, int side)
{
    scalay_partial_node *up = node->side[side];
    scalay_partial_node *between = up->side[!side];
    *link_of(map, node) = up;
    up->parent = node->parent;
    node->side[side] = between;
    if (between != NULL) between->parent = node;
    up->side[!side] = node;
    node->parent = up;
    set_height(node);
    set_height(up);
}

/* Balances from a node below which something has changed up to the first that is as high as before. */
static void balance(scalay_partial_map *map, scalay_partial_node *node)
{
    for (; node != NULL; node = node->parent) {
        const int64_t before = node->height;
        const int64_t lean = lean_of(node);
        set_height(node);
        if (lean > 1 || lean < -1) {
            const int side = lean > 0;
            if (lean_of(node->side[side]) * lean < 0) rotate(map, node->side[side], !side);
            rotate(map, node, side);
            node = node->parent;
        }
        if (node->height == before) break;
    }
}

/* The first node of a tree. */
static scalay_partial_node *first_of(scalay_partial_node *node)
{
    while (node != NULL && node->side[0] != NULL) node = node->side[0];
    return node;
}

static scalay_partial_node *next_of(const scalay_partial_node *node)
{
    if (node->side[1] != NULL) return first_of(node->side[1]);
    while (node->parent != NULL && node->parent->side[1] == node) node = node->parent;
    return node->parent;
}

static void erase(scalay_partial_pool *pool, scalay_partial_map *map, scalay_partial_node *node)
{
    if (node->side[0] != NULL && node->side[1] != NULL) {
        scalay_partial_node *next = next_of(node);
        node->partial = next->partial;
        node = next;
    }
    scalay_partial_node *below = node->side[node->side[0] == NULL];
    *link_of(map, node) = below;
    if (below != NULL) below->parent = node->parent;
    balance(map, node->parent);
    give_node(pool, node);
}

/* -------------------------------------------------------------------------------------------------------- the map */

/* Where an energy is, or belongs. */
typedef struct {
    scalay_partial_node *before; /* the last of less energy; NULL: none */
    scalay_partial_node *at;     /* the first of at least that energy; NULL: none */
    scalay_partial_node *above;  /* the last on the way down; NULL: the map is empty */
    int side;                    /* of that, where the energy belongs */
} place;

static place lower_bound(const scalay_partial_map *map, int64_t energy)
{
    place found = {NULL, NULL, NULL, 0};
    for (scalay_partial_node *node = map->root; node != NULL; node = node->side[found.side]) {
        found.above = node;
        found.side = node->partial.energy < energy;
        if (found.side)
            found.before = node;
        else
            found.at = node;
    }
    return found;
}

static scalay_status insert(scalay_partial_pool *pool, scalay_partial_map *map, const place *where,
                            const scalay_partial *partial, scalay_partial_node **made)
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(take_node(pool, made));
    **made = (scalay_partial_node){*partial, {NULL, NULL}, where->above, 1};
    *(where->above == NULL ? &map->root : &where->above->side[where->side]) = *made;
    balance(map, where->above);
cleanup:
    return status;
}

scalay_status scalay_partial_map_add(scalay_partial_pool *pool, scalay_partial_map *map, const scalay_partial *partial)
{
    scalay_status status = SCALAY_SUCCESS;
    const place where = lower_bound(map, partial->energy);
    scalay_partial_node *at = where.at;
    if (where.before != NULL && where.before->partial.time <= partial->time) return SCALAY_SUCCESS;
    if (at != NULL && at->partial.energy == partial->energy) {
        if (at->partial.time < partial->time ||
            (at->partial.time == partial->time && at->partial.active <= partial->active))
            return SCALAY_SUCCESS;
        at->partial = *partial;
    } else {
        SCALAY_TRY(insert(pool, map, &where, partial, &at));
    }
    for (scalay_partial_node *next = next_of(at); next != NULL && next->partial.time >= partial->time;
         next = next_of(at))
        erase(pool, map, next);
cleanup:
    return status;
}

const scalay_partial *scalay_partial_map_first(const scalay_partial_map *map)
{
    return (const scalay_partial *)first_of(map->root);
}

const scalay_partial *scalay_partial_map_next(const scalay_partial *partial)
{
    return (const scalay_partial *)next_of((const scalay_partial_node *)partial);
}

const scalay_partial *scalay_partial_map_find(const scalay_partial_map *map, int64_t energy)
{
    const place where = lower_bound(map, energy);
    return where.at != NULL && where.at->partial.energy == energy ? &where.at->partial : NULL;
}
