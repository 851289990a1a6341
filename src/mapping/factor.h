#ifndef SCALAY_MAPPING_FACTOR_H
#define SCALAY_MAPPING_FACTOR_H

/** @file The two factors of the traffic between grids: what the classes of an axis share with those of another. */

#include "layout/axis.h"
#include "mapping/assignment.h"

/** An entry of a factor. */
typedef struct {
    int64_t weight;
    int other; /* class at the other end */
    int turn;  /* decides between equal weights, in another way for each class, so that not all want the same */
} scalay_factor_entry;

/** The entries of a factor by the classes of one side, heaviest first. */
typedef struct {
    int classes;
    int64_t *start; /* shape [classes + 1] */
    scalay_factor_entry *entries;
} scalay_factor_side;

/** One factor. */
typedef struct {
    scalay_factor_side source;
    scalay_factor_side target;
    scalay_edges edges; /* the same as a graph */
    int *partner;       /* shape [source classes]: in the best assignment of the factor alone; -1: none */
} scalay_factor;

/** The factor of an overlap of axes; to be released with scalay_factor_free(), also on failure. */
scalay_status scalay_factor_from_overlap(const scalay_axis_overlap *overlap, scalay_factor *made);

/** That of two axes of the same extent. */
scalay_status scalay_factor_create(const scalay_axis *source, const scalay_axis *target, scalay_factor *made);

/** Releases what a factor holds. A zeroed factor is fine. */
void scalay_factor_free(scalay_factor *going);

/** What a class of one side shares with all of the other. */
int64_t scalay_factor_class_items(const scalay_factor_side *side, int class);

/** What class x of the source shares with class y of the target. Logarithmic. */
int64_t scalay_factor_weight(const scalay_factor *made, int x, int y);

#endif
