#ifndef SCALAY_MAPPING_MAPPING_H
#define SCALAY_MAPPING_MAPPING_H

/** @file What a mapping is made of. */

#include "base/status.h"
#include "scalay/mapping.h"

/** The grid of processes that the parts sit on. */
typedef struct {
    int rows;
    int cols;
    int *process; /* shape [rows * cols], row by row: the process at each place */
    int *part;    /* likewise: the part that sits there */
} scalay_process_grid;

/**
 * Why nothing is better, in two parts of which an objective needs one or both.
 *
 * Dual variables: no mapping keeps more than their sum. Every pair (process, part) whose edge a mapping may use has
 * process_dual + part_dual >= its items; a dual may be negative only where the mapping must use an edge.
 *
 * For SCALAY_MIN_TIME with link costs part_dual - process_dual is no more than the part costs on the process, no
 * process_dual is negative, and no mapping takes less than the sum of part_dual less that of process_dual.
 *
 * Where mappings are limited to some steps, all that is only true of edges of no more.
 *
 * A crowd: processes (or parts) that all need an edge below the optimal steps and share too few partners. One of them
 * therefore goes without, and its items, or those of a heavier edge, make up the steps.
 *
 * Where the mapping keeps a grid there may be duals of its lines instead: with a and b the lines of a process, r and c
 * those of a part, (row[a] + row'[r]) (col[b] + col'[c]) >= kept times the items of every pair. A mapping takes every
 * line once, so the sum of its products is that of all row duals times that of all column duals; each is `kept`.
 */
typedef struct {
    int64_t *process_dual; /* shape [process_duals]; NULL: none */
    int process_duals;     /* the processes of the traffic, for SCALAY_MIN_TIME those of the mapping */
    int64_t *part_dual;    /* shape [parts]; NULL: none */
    int64_t within;        /* the duals speak of edges of at most so many steps */
    double unit;           /* that duals are counted in: 1 but for SCALAY_MIN_TIME */
    int *crowd;            /* shape [crowd_size]; NULL: none */
    int crowd_size;
    int crowd_of_parts; /* 1: the crowd is made of parts; 0: of processes */
    scalay_process_grid grid;
    int64_t *line_dual; /* shape [2 rows + 2 cols]: rows of processes, rows of parts, and so on; NULL: none */
} scalay_certificate;

struct scalay_mapping {
    int parts;
    int processes;
    int *process; /* shape [parts] */
    scalay_objective objective;
    scalay_proof proof;
    int64_t volume;
    int64_t steps;
    int64_t bound;       /* no mapping has less volume */
    int64_t steps_bound; /* nor fewer steps */
    double time;
    double time_bound; /* no mapping takes less time; negative: that is the volume, and bounded as such */
    scalay_certificate certificate;
};

/** A mapping without a certificate, its costs unknown (-1); process is there and zero. */
scalay_status scalay_mapping_allocate(int processes, int parts, scalay_objective objective, scalay_mapping **mapping);

/**
 * The first part that leaves the row or the column of its grid: the rows go anywhere, likewise the columns, but each of
 * them goes as one.
 * @param[in] part     shape [parts]: the part in each cell of the grid; NULL: part k in cell k
 * @param[in] process  shape [parts]: of each part
 * @param[in] place    shape [processes]: the cell of the grid that each process stands in, -1: none
 * @return -1: none does
 */
int scalay_grid_find_leaving(int parts, int cols, const int *part, const int *process, const int *place);

/** Fills volume and steps in from the traffic, and time with the volume. */
scalay_status scalay_mapping_count(const scalay_traffic *traffic, scalay_mapping *mapping);

#endif
