#ifndef SCALAY_FACTOR_GRID_NODES_H
#define SCALAY_FACTOR_GRID_NODES_H

/** @file Which neighbours of a process grid share a node. */

#include "model/load.h"
#include "scalay/layout.h"

/**
 * Sets grid->row_within and grid->col_within. A broadcast among q processes on d nodes has log2 q levels, of which
 * log2 d are between nodes; the rest is within a node. The parts are the means over the rows and over the columns.
 * @param[in]     node    shape [processes]: node of each process; NULL: one node, nothing is set
 * @param[in]     parts   block-cyclic layout: process of each grid position. NULL: position k, row by row, is process k
 * @param[in,out] grid    nprow and npcol are set; those of `parts`
 * @return SCALAY_SUCCESS, SCALAY_ERROR_MEMORY
 */
scalay_status scalay_grid_set_nodes(const int *node, const scalay_layout *parts, scalay_load_grid *grid);

/**
 * Returns processes that are not on a node, as in scalay_mapping_options.barred.
 * @param[in]  node       shape [processes]
 * @param[in]  chosen     the node
 * @param[out] barred     shape [processes]: 1: on another node
 * @return number of processes on the node
 */
int scalay_grid_bar_other_nodes(const int *node, int processes, int chosen, unsigned char *barred);

#endif
