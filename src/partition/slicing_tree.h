#ifndef SCALAY_PARTITION_SLICING_TREE_H
#define SCALAY_PARTITION_SLICING_TREE_H

/**
 * @file
 * Slicing trees with square holes: what all methods for any number of parts draw.
 *
 * A node fills a rectangle. A cut divides it between its two children in proportion to their areas. A leaf gives it to
 * one part, but for holes: squares, each filled by a node of its own, that are packed anywhere inside; the part still
 * appears in all rows and columns of the rectangle. f_c follows from the sum over leaves of the half perimeters of
 * their rectangles (shares.h).
 */

#include "partition/pack.h"
#include "partition/shares.h"

enum { SCALAY_SIDE_BY_SIDE = 0, SCALAY_ONE_ABOVE_OTHER = 1 };

/** A node. */
typedef struct {
    int part;      /* leaf: index into the shares; cut: -1 */
    int direction; /* of a cut */
    int child[2];  /* of a cut */
    int hole;      /* of a leaf: the first one; -1: none */
    int next;      /* of a hole: the next one of its leaf; of a cut that is not in use: the next of these; -1: none */
    int parent;    /* the cut, or the leaf whose hole it is; -1: it is the root, or not in the tree */
    double area;   /* of all that is in it; up to date after scalay_slicing_measure() */
} scalay_slice;

/** A tree. Leaves are the nodes 0, ..., parts - 1, cuts come behind them. */
typedef struct {
    const scalay_shares *shares;
    int root;
    int free_cut;        /* -1: none */
    scalay_slice *slice; /* shape [2 parts] */
    scalay_square *room; /* shape [parts]: for packing */
} scalay_slicing;

/** A tree that has its leaves, leaf k with part k, and no root yet. SCALAY_SUCCESS, SCALAY_ERROR_MEMORY. */
scalay_status scalay_slicing_create(const scalay_shares *shares, scalay_slicing *tree);

/** Releases what a tree holds; zeroed is fine. */
void scalay_slicing_free(scalay_slicing *tree);

/** Makes one tree what another one of the same shares is. */
void scalay_slicing_copy(const scalay_slicing *from, scalay_slicing *to);

/** A new cut above two nodes that have no parent; returns it. */
int scalay_slicing_cut(scalay_slicing *tree, int direction, int first, int second);

/** Cuts that set nodes without parents beside each other, balanced; returns the topmost one. */
int scalay_slicing_chain(scalay_slicing *tree, int direction, const int *node, int count);

/** Makes a node that has no parent a hole of a leaf. */
void scalay_slicing_nest(scalay_slicing *tree, int leaf, int node);

/** Brings the areas under the root up to date. */
void scalay_slicing_measure(scalay_slicing *tree);

/**
 * The sum of half perimeters, less that of the domain: f_c / weight; measures first. Where holes do not fit into their
 * leaf, a penalty of at least 1/2 is added.
 * @param[out] fits  0: some do not
 */
double scalay_slicing_cost(scalay_slicing *tree, int *fits);

/** Draws a tree that fits, in place of what there is. SCALAY_SUCCESS, SCALAY_ERROR_MEMORY. */
scalay_status scalay_slicing_draw(const scalay_partition_problem *problem, scalay_slicing *tree,
                                  scalay_drawing *drawing);

/**
 * Draws a tree that fits, and improves who sits where if the objective needs links.
 * @param[in,out] candidate  cost and drawing are set
 * @return SCALAY_SUCCESS, SCALAY_ERROR_MEMORY
 */
scalay_status scalay_slicing_finish(const scalay_partition_problem *problem, scalay_slicing *tree,
                                    scalay_candidate *candidate);

#endif
