#ifndef SCALAY_PARTITION_OWNER_MAP_H
#define SCALAY_PARTITION_OWNER_MAP_H

/**
 * @file
 * What an owner map is made of: rows and columns in classes, and an owner for every pair of classes.
 *
 * A row class is a set of rows with the same owners all along; runs say which rows belong to which class. A
 * block-cyclic map of a million rows has as many row classes as its grid has rows. Every cost depends on the classes
 * and on how many lines they have, not on where the lines are. No two classes of an axis have the same owners (an axis
 * of extent 0 has no class).
 */

#include "base/status.h"
#include "scalay/partition.h"

/** One dimension of an owner map. */
typedef struct {
    int64_t extent;
    int64_t runs;
    int64_t *end;       /* shape [runs], ascending: run r is [end[r - 1], end[r]), never empty; the last is extent */
    int64_t *run_class; /* shape [runs]; neighbours differ */
    int64_t classes;
    int64_t *lines; /* shape [classes]: lines in each class, at least 1 */
} scalay_map_axis;

struct scalay_owner_map {
    scalay_map_axis row;
    scalay_map_axis col;
    int parts;
    int *owner;         /* shape [row.classes][col.classes] */
    int64_t *count;     /* shape [parts]: elements */
    int64_t rectangles; /* -1: not asked for yet */
    scalay_part_rectangle *rectangle;
};

/** Releases what an axis holds and zeroes it; zeroed is fine. */
void scalay_map_axis_free(scalay_map_axis *axis);

/** The run that a line of an axis is in; 0 <= line < extent. */
int64_t scalay_map_axis_run(const scalay_map_axis *axis, int64_t line);

/**
 * Makes a map of runs and a table, and brings it into the form above: classes with the same owners become one.
 * @param[in]     function  in whose name to fail
 * @param[in,out] row, col  extent, runs, end, run_class and classes are given (neighbours may be of one class, classes
 *                          may be of no line); their arrays are taken over, also on failure, and the axes zeroed
 * @param[in]     parts     at least 1
 * @param[in]     owner     shape [row->classes][col->classes]; copied
 * @param[out]    map       to be released with scalay_owner_map_destroy()
 */
scalay_status scalay_owner_map_from_classes(const char *function, scalay_map_axis *row, scalay_map_axis *col, int parts,
                                            const int *owner, scalay_owner_map **map);

#endif
