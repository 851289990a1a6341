#ifndef SCALAY_PARTITION_SLICING_TREE_H
#define SCALAY_PARTITION_SLICING_TREE_H

/**
 * @file
 * Slicing trees with square holes: the result of all methods for any number of parts.
 *
 * A node fills a rectangle. A cut divides it between its two children in proportion to their areas. A leaf assigns it
 * to one part, except for holes. Holes are squares that are packed inside the rectangle; each is filled by a node. The
 * part of a leaf with holes still appears in all rows and columns of the rectangle.
 *
 * The domain is scaled to area 1, with lengths in units of sqrt(m n), so that squares stay squares. Let a part own
 * elements in h of the rows and in w of the columns. Then f_c = n sqrt(m n) (sum over the parts of (h + w) - rows -
 * cols).
 */

#include "base/random.h"
#include "partition/methods.h"

/* ----------------------------------------------------------------------------------------------------- scaled areas */

/** Areas on the scaled domain. Their sum is 1. They descend; equal ones are ordered by part. Zeroed is allowed to free.
 */
typedef struct {
    int parts;
    double rows, cols; /* extents of the domain; their product is 1 */
    double unit;       /* elements per length 1: sqrt(m n) */
    double weight;     /* f_c of a half perimeter of 1: n sqrt(m n) */
    int *part;         /* shape [parts]: part of the problem */
    double *area;      /* shape [parts]: positive */
    double *side;      /* shape [parts]: side of the square of that area */
    double *tail;      /* shape [parts + 1]: sum of area[k], area[k + 1], ... */
} scalay_scaled_areas;

/** Creates the areas of a problem. @return SCALAY_SUCCESS, SCALAY_ERROR_MEMORY */
scalay_status scalay_scaled_areas_create(const scalay_partition_problem *problem, scalay_scaled_areas *areas);

/** Releases the arrays and zeroes them. Zeroed is allowed. */
void scalay_scaled_areas_free(scalay_scaled_areas *areas);

/** Returns the sum of area[first] .. area[last - 1]. Time: O(1). */
double scalay_scaled_areas_sum(const scalay_scaled_areas *areas, int first, int last);

/* --------------------------------------------------------------------------------------------------- square packing */

/** A square and its position. */
typedef struct {
    int node; /* its owner in a tree */
    double side;
    double row, col;   /* upper left corner, after packing */
    double shelf_at;   /* the k-th square stores the start of the k-th shelf */
    double shelf_used; /* and the occupied length of the k-th shelf */
} scalay_square;

/**
 * Packs squares into a rectangle, on shelves along either direction: first fit by decreasing height. Exact for up to
 * two squares. It packs all sets with x^2 + (rows - x) (cols - x) >= their area, where x is the largest side.
 * @param[in,out] square  shape [count]; afterwards sorted by descending side
 * @return 1 if they fit, else 0
 * @par Source
 * Meir, Moser, On packing of squares and cubes, J. Combinatorial Theory 5 (1968).
 */
int scalay_pack_squares(scalay_square *square, int count, double rows, double cols);

/* ------------------------------------------------------------------------------------------------------------ trees */

enum { SCALAY_SIDE_BY_SIDE = 0, SCALAY_ONE_ABOVE_OTHER = 1 };

/** A node. */
typedef struct {
    int part;      /* leaf: index of the scaled area; cut: -1 */
    int direction; /* cut */
    int child[2];  /* cut */
    int hole;      /* leaf: first hole; -1: none */
    int next;      /* hole: next hole of the same leaf; unused cut: next unused cut; -1: none */
    int parent;    /* the cut, or the leaf that has this node as a hole; -1: root, or not in the tree */
    double area;   /* sum of the areas below; set by scalay_slicing_measure() */
} scalay_slice;

/** A tree. Leaves are the nodes 0 .. parts - 1, followed by the cuts. */
typedef struct {
    const scalay_scaled_areas *areas;
    int root;
    int free_cut;           /* first unused cut; -1: none */
    scalay_slice *slice;    /* shape [2 parts] */
    scalay_square *packing; /* shape [parts]: temporary */
} scalay_slicing;

/** Creates a tree with leaves only: leaf k has part k, and there is no root. SCALAY_SUCCESS, SCALAY_ERROR_MEMORY. */
scalay_status scalay_slicing_create(const scalay_scaled_areas *areas, scalay_slicing *tree);

/** Releases the arrays of a tree and zeroes it. Zeroed is allowed. */
void scalay_slicing_free(scalay_slicing *tree);

/** Copies a tree to another tree of the same areas. */
void scalay_slicing_copy(const scalay_slicing *from, scalay_slicing *to);

/** Adds a cut above two nodes without parents and returns it. */
int scalay_slicing_cut(scalay_slicing *tree, int direction, int first, int second);

/** Adds a balanced tree of cuts in one direction above nodes without parents. Returns its root. */
int scalay_slicing_chain(scalay_slicing *tree, int direction, const int *node, int count);

/** Makes a node without a parent a hole of a leaf. */
void scalay_slicing_nest(scalay_slicing *tree, int leaf, int node);

/** Computes the areas of all nodes in the tree. */
void scalay_slicing_measure(scalay_slicing *tree);

/**
 * Computes the sum of the half perimeters, minus that of the domain: f_c / weight. Calls scalay_slicing_measure(). Each
 * leaf with holes that do not fit adds a penalty of at least 1/2.
 * @param[out] fits  0: some holes do not fit
 */
double scalay_slicing_cost(scalay_slicing *tree, int *fits);

/** Draws a tree that fits; replaces the drawing. @return SCALAY_SUCCESS, SCALAY_ERROR_MEMORY */
scalay_status scalay_slicing_draw(const scalay_partition_problem *problem, scalay_slicing *tree,
                                  scalay_drawing *drawing);

/* ---------------------------------------------------------------------------------------------------------- methods */

/** Adds cuts and holes to a tree that has leaves only. @return SCALAY_SUCCESS, SCALAY_ERROR_MEMORY */
typedef scalay_status (*scalay_slicing_planter)(const scalay_scaled_areas *areas, scalay_slicing *tree);

scalay_status scalay_slicing_columns(const scalay_scaled_areas *areas, scalay_slicing *tree);
scalay_status scalay_slicing_grid(const scalay_scaled_areas *areas, scalay_slicing *tree);
scalay_status scalay_slicing_nagamochi_abe(const scalay_scaled_areas *areas, scalay_slicing *tree);
scalay_status scalay_slicing_recursive(const scalay_scaled_areas *areas, scalay_slicing *tree);
scalay_status scalay_slicing_recursive_best(const scalay_scaled_areas *areas, scalay_slicing *tree);

/** Limits: recursive-best and slicing refuse more parts; slicing enumerates all trees of at most so many parts. */
enum { SCALAY_MAX_RECURSIVE_BEST = 512, SCALAY_MAX_SLICING = 512, SCALAY_MAX_EXHAUSTIVE = 6 };

/** Finds the best tree by enumeration, for at most SCALAY_MAX_EXHAUSTIVE parts. SCALAY_SUCCESS, SCALAY_ERROR_MEMORY. */
scalay_status scalay_slicing_exhaust(const scalay_scaled_areas *areas, scalay_slicing *tree);

/** Parameters of the annealing. */
typedef struct {
    uint64_t seed;
    double budget; /* seconds of CPU time; 0: until a cycle of starts brings no gain */
} scalay_annealing;

/** Finds a good tree by simulated annealing from the trees of the other methods. SCALAY_SUCCESS, SCALAY_ERROR_MEMORY.
 */
scalay_status scalay_slicing_anneal(const scalay_scaled_areas *areas, const scalay_annealing *how,
                                    scalay_slicing *tree);

/** Changes a tree at random: swap, flip, prune and regraft, or hole. The tree may stay the same. */
void scalay_slicing_move(scalay_slicing *tree, scalay_random *random);

#endif
