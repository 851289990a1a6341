#ifndef SCALAY_MAPPING_MAPPING_H
#define SCALAY_MAPPING_MAPPING_H

/** @file The structs behind mappings and fronts. */

#include "base/status.h"
#include "scalay/mapping.h"

/** The canonical grid of processes and parts. */
typedef struct {
    int rows;
    int cols;
    int *process; /* shape [rows * cols], row by row: process of each grid position */
    int *part;    /* likewise: part of each grid position */
} scalay_process_grid;

/**
 * The proof of a mapping: scalay_mapping_certificate in the public header explains its parts. In addition:
 *   - If mappings are limited to some steps, the duals hold for edges of at most that number of steps.
 *   - A dual may be negative only where every such mapping must use an edge.
 */
typedef struct {
    int64_t *process_dual; /* shape [process_duals]; NULL: none */
    int process_duals;     /* processes of the traffic; for SCALAY_MIN_TIME with link costs, of the mapping */
    int64_t *part_dual;    /* shape [parts]; NULL: none */
    int64_t within;        /* the duals hold for edges of at most this number of steps */
    double unit;           /* of the duals: 1 except for SCALAY_MIN_TIME with link costs */
    int *hall_violator;    /* shape [hall_violator_size]; NULL: none */
    int hall_violator_size;
    int hall_violator_of_parts; /* 1: members are parts; 0: processes */
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
    int64_t steps_bound; /* no mapping has fewer steps */
    double time;
    double time_bound; /* no mapping takes less time; negative: the bound of the volume applies */
    scalay_certificate certificate;
};

struct scalay_mapping_front {
    int64_t size, capacity;
    scalay_mapping **points; /* shape [size], by ascending steps. Each point is best among the mappings of fewer steps
                                than the next. If the deadline passed first, one point is not proven, or two, of which
                                the first is `fewest` */
    scalay_mapping *fewest;  /* mapping of least steps, with its proof */
};

/** Allocates a mapping without certificate; costs are -1, processes 0. */
scalay_status scalay_mapping_allocate(int processes, int parts, scalay_objective objective, scalay_mapping **mapping);

/** Sets volume and steps from the traffic, and time to the volume. */
scalay_status scalay_mapping_count(const scalay_traffic *traffic, scalay_mapping *mapping);

/**
 * Reads the caller's options over the defaults, and checks them. NULL: the defaults.
 * @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT, SCALAY_ERROR_UNSUPPORTED
 */
scalay_status scalay_mapping_options_read(const scalay_mapping_options *given, const char *function,
                                          scalay_mapping_options *options);

/**
 * Finds a part that leaves the row or column of its grid. Rows are permuted, and columns are permuted; row 0 tells the
 * permutation of the columns, and column 0 that of the rows.
 * @param[in] part      shape [parts]: part at each grid position; NULL: part k at position k
 * @param[in] process   shape [parts]: process of each part
 * @param[in] position  shape [processes]: grid position of each process, -1: none
 * @return a part; -1: no part leaves
 */
int scalay_grid_find_leaving(int parts, int cols, const int *part, const int *process, const int *position);

#endif
