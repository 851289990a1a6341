#ifndef SCALAY_PARTITION_OWNER_MAP_H
#define SCALAY_PARTITION_OWNER_MAP_H

/**
 * @file
 * Owner maps: rows and columns in classes, and one owner for each pair of a row class and a column class.
 *
 * A row class is a set of rows with the same owner in every column. Runs assign the rows to classes. A block-cyclic map
 * has as many row classes as its grid has rows, whatever its extents are. All costs depend on the classes and on their
 * numbers of rows and columns, not on the positions of these. A line is a row or a column.
 *
 * Canonical form: no two classes of an axis have the same owners, each class has at least one line, and classes are
 * numbered by their first appearance along the axis. An axis of extent 0 has no class.
 */

#include "base/status.h"
#include "scalay/partition.h"

/** One dimension of an owner map. Zeroed is an axis of extent 0. */
typedef struct {
    int64_t extent;
    int64_t runs;
    int64_t *end;       /* shape [runs], ascending: run r is [end[r - 1], end[r]), not empty; the last one is extent */
    int64_t *run_class; /* shape [runs]; neighbours differ */
    int64_t classes;
    int64_t *lines;                       /* shape [classes]: lines of each class, at least 1 */
    int64_t end_capacity, class_capacity; /* while runs are added */
} scalay_map_axis;

struct scalay_owner_map {
    scalay_map_axis row;
    scalay_map_axis col;
    int parts;
    int *owner;     /* shape [row.classes][col.classes] */
    int64_t *count; /* shape [parts]: elements */
};

/** Adds the owners of all elements to a fingerprint (base/fingerprint.h). NULL: adds nothing. */
uint64_t scalay_owner_map_fingerprint(uint64_t key, const scalay_owner_map *map);

/* ------------------------------------------------------------------------------------------------------------- axes */

/** Appends the lines extent .. end - 1 to an axis, as lines of a class. @return SCALAY_SUCCESS, SCALAY_ERROR_MEMORY */
scalay_status scalay_map_axis_add(scalay_map_axis *axis, int64_t end, int64_t class);

/** Releases the arrays of an axis and zeroes it. Zeroed is allowed. */
void scalay_map_axis_free(scalay_map_axis *axis);

/** Returns the run that contains a line, 0 <= line < extent. Time: O(log runs). */
int64_t scalay_map_axis_run(const scalay_map_axis *axis, int64_t line);

/**
 * Creates a map from runs and a table of owners, in canonical form. Time: O(runs + cells).
 * @param[in]     function  public function, for messages
 * @param[in,out] row, col  extent, runs, end, run_class and classes are set. Neighbours may have the same class, and
 *                          classes may have no line. The arrays are taken over, also on failure, and the axes zeroed
 * @param[in]     parts     at least 1
 * @param[in]     owner     shape [row->classes][col->classes]; copied
 * @param[out]    map       to be released with scalay_owner_map_destroy()
 * @return SCALAY_SUCCESS, SCALAY_ERROR_RANGE (m n), SCALAY_ERROR_MEMORY
 */
scalay_status scalay_owner_map_from_classes(const char *function, scalay_map_axis *row, scalay_map_axis *col, int parts,
                                            const int *owner, scalay_owner_map **map);

/* ------------------------------------------------------------------------------------------------ trailing balance */

/**
 * Computes the trailing balance of each step, as scalay_owner_map_trailing_balance() does of all.
 * @param[out] step_balance  shape [ceil(min(m, n) / nb)]
 * @return SCALAY_SUCCESS, SCALAY_ERROR_MEMORY
 */
scalay_status scalay_trailing_steps(const scalay_owner_map *map, int64_t nb, const double *speed,
                                    scalay_trailing trailing, double *step_balance);

/* -------------------------------------------------------------------------------------------------- owners of lines */

/** Direction of lines. */
typedef enum { SCALAY_LINES_ROWS, SCALAY_LINES_COLUMNS } scalay_lines_way;

/** The owners of the lines of each class. */
typedef struct {
    int64_t classes;
    int64_t *start; /* shape [classes + 1]: class k has the entries start[k] .. start[k + 1] - 1 */
    int *owner;     /* ascending in each class */
    int64_t *held;  /* elements of one line that it owns, at least 1 */
} scalay_line_owners;

/** Creates the owners of all lines. Time: O(cells + entries log entries). SCALAY_SUCCESS, SCALAY_ERROR_MEMORY. */
scalay_status scalay_line_owners_create(const scalay_owner_map *map, scalay_lines_way way, scalay_line_owners *owners);

/** Releases the arrays and zeroes them. Zeroed is allowed. */
void scalay_line_owners_free(scalay_line_owners *owners);

/** Returns 1 if a part owns elements of the lines of a class. Time: O(log owners). */
int scalay_line_owners_has(const scalay_line_owners *owners, int64_t line_class, int part);

#endif
