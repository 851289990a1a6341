#ifndef SCALAY_PARTITION_METHODS_H
#define SCALAY_PARTITION_METHODS_H

/**
 * @file
 * Shapes and methods: each makes a candidate, a drawing with its cost, for given areas.
 *
 * To add one: write its draw function and add a line to the table in methods.c.
 */

#include "partition/drawing.h"

/** The arguments of a method. */
typedef struct {
    double m, n;
    int parts;
    const double *area;                      /* shape [parts]: in elements, positive; their sum is m n */
    const scalay_partition_options *options; /* not NULL */
} scalay_partition_problem;

/** The result of a method. Zeroed is infeasible. */
typedef struct {
    const char *shape; /* static */
    int feasible;
    int *assignment; /* shape [parts]; NULL: region k is part k */
    double continuous_cost;
    double time;   /* NaN: unknown */
    double energy; /* NaN: unknown */
    char *reason;  /* why the candidate is infeasible; NULL: none */
    scalay_drawing drawing;
} scalay_candidate;

/** Releases what a candidate holds and zeroes it. Zeroed is allowed. */
void scalay_candidate_free(scalay_candidate *candidate);

/** Makes a candidate infeasible, with a reason. @return SCALAY_SUCCESS, SCALAY_ERROR_MEMORY */
scalay_status scalay_candidate_refuse(scalay_candidate *candidate, const char *format, ...) SCALAY_PRINTF(2, 3);

/** A shape or method. */
typedef struct {
    const char *name;
    int min_parts, max_parts; /* numbers of parts with a positive area that it can draw; max 0: no limit */
    /* Fills a zeroed candidate. @return SCALAY_SUCCESS, SCALAY_ERROR_MEMORY */
    scalay_status (*draw)(const scalay_partition_problem *problem, int variant, scalay_candidate *candidate);
    int variant; /* passed to draw() */
} scalay_partition_method;

/** All shapes and methods, followed by one with the name NULL. "auto" tries all of them. */
extern const scalay_partition_method scalay_partition_method_table[];

/**
 * Computes LB*, a lower bound on f_c over all partitions of an m x n domain into these areas (bound.c has the proof).
 * @param[out] bound  caller-owned
 * @return SCALAY_SUCCESS, SCALAY_ERROR_MEMORY
 */
scalay_status scalay_partition_bound(const scalay_partition_problem *problem, double *bound);

/** Shapes of two and three parts (three_parts.c). */
typedef enum {
    SCALAY_FAMILY_SQUARE_CORNER,
    SCALAY_FAMILY_SQUARE_RECTANGLE,
    SCALAY_FAMILY_BLOCK_RECTANGLE,
    SCALAY_FAMILY_STRAIGHT_LINE,
    SCALAY_FAMILY_RECTANGLE_CORNER,
    SCALAY_FAMILY_SKEWED_BLOCK,
    SCALAY_FAMILY_ADJACENT_CORNER,
    SCALAY_FAMILY_NESTED_CORNER,
    SCALAY_FAMILIES
} scalay_family_variant;

/** Draws the best member of a family of shapes for the objective of the problem. */
scalay_status scalay_draw_family(const scalay_partition_problem *problem, int variant, scalay_candidate *candidate);

/** Methods for any number of parts that make a slicing tree (tree_methods.c, slicing.c). */
typedef enum {
    SCALAY_TREE_COLUMNS,
    SCALAY_TREE_NAGAMOCHI_ABE,
    SCALAY_TREE_RECURSIVE,
    SCALAY_TREE_RECURSIVE_BEST,
    SCALAY_TREE_SLICING,
    SCALAY_TREE_GRID,
    SCALAY_TREES
} scalay_tree_variant;

/** Draws the slicing tree of a method. */
scalay_status scalay_draw_tree(const scalay_partition_problem *problem, int variant, scalay_candidate *candidate);

#endif
