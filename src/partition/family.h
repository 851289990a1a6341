#ifndef SCALAY_PARTITION_FAMILY_H
#define SCALAY_PARTITION_FAMILY_H

/**
 * @file
 * Families of shapes for two and three parts.
 *
 * A family has three regions: 0, the remainder, is the whole domain, and 1 and 2 are rectangles painted over it. Up to
 * two parameters say how they stand. Over equal links the best parameters are known, and region 0 is the largest part.
 * Over links that differ all assignments of parts to regions are tried, and the parameters are searched for: a grid,
 * then golden sections around its best point. Everything is tried upright and, unless the domain is a square, on its
 * side.
 */

#include "partition/drawing.h"

/** Parameters of a family at most. */
#define SCALAY_FAMILY_PARAMETERS 2

/** A domain and the areas of the regions. */
typedef struct {
    double m, n;
    int parts; /* 2 or 3; without a third part region 2 is empty */
    double area[3];
} scalay_regions;

/** A family of shapes. */
typedef struct {
    const char *name;
    int parameters; /* 0 to SCALAY_FAMILY_PARAMETERS */
    int symmetric;  /* 1: exchanging regions 1 and 2 gives a mirror image */
    /**
     * Paints regions 1 and 2.
     * @param[in]  regions  the domain
     * @param[in]  h        shape [parameters], each in [0, 1]
     * @param[out] paint    shape [2]; the parts are those of the regions, 1 and 2
     * @return NULL, or why there is no such shape
     */
    const char *(*paint)(const scalay_regions *regions, const double *h, scalay_paint *paint);
    /** The parameters that send the least over equal links; NULL without parameters. */
    void (*equal_links)(const scalay_regions *regions, double *h);
} scalay_family;

/** Draws the best member of a family for the objective of a problem with two or three parts. */
scalay_status scalay_family_draw(const scalay_family *family, const scalay_partition_problem *problem,
                                 scalay_candidate *candidate);

/* The families, in the form of scalay_partition_method (shapes.c). */
scalay_status scalay_draw_square_corner(const scalay_partition_problem *problem, scalay_candidate *candidate);
scalay_status scalay_draw_square_rectangle(const scalay_partition_problem *problem, scalay_candidate *candidate);
scalay_status scalay_draw_block_rectangle(const scalay_partition_problem *problem, scalay_candidate *candidate);
scalay_status scalay_draw_straight_line(const scalay_partition_problem *problem, scalay_candidate *candidate);
scalay_status scalay_draw_rectangle_corner(const scalay_partition_problem *problem, scalay_candidate *candidate);
scalay_status scalay_draw_skewed_block(const scalay_partition_problem *problem, scalay_candidate *candidate);
scalay_status scalay_draw_adjacent_corner(const scalay_partition_problem *problem, scalay_candidate *candidate);
scalay_status scalay_draw_nested_corner(const scalay_partition_problem *problem, scalay_candidate *candidate);

#endif
