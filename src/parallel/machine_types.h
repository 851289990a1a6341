#ifndef SCALAY_PARALLEL_MACHINE_TYPES_H
#define SCALAY_PARALLEL_MACHINE_TYPES_H

/**
 * @file
 * Types of the nodes of a communicator. Nodes of one type have equal processors, numbers of logical processors, BLAS
 * libraries, BLAS threads and MPI libraries. Types are numbered by ascending fingerprints, so the same nodes have the
 * same numbers in each run. From type SCALAY_NODE_TYPES - 1 on, all types have this number.
 */

#include "parallel/machine_file.h"

/** Returns the fingerprint of the type of a node with so many logical processors, above 0. */
int64_t scalay_node_kind(const scalay_calibration *calibration, int processors);

/**
 * Finds the types, and keeps the type of this rank's node in comm->node. Collective over comm, after
 * scalay_node_probe().
 * @param[in]     kind   scalay_node_kind() of this rank
 * @param[in]     equal  1: it is the same on all ranks; then this function does not communicate
 * @param[in]     nodes  number of nodes
 * @param[in,out] here   the facts of this rank; types and their number, and nodes are set
 * @return SCALAY_SUCCESS, SCALAY_ERROR_MPI
 */
scalay_status scalay_node_types_find(scalay_comm *comm, int64_t kind, int equal, int64_t nodes,
                                     scalay_calibration *here);

/**
 * Returns the type of the node of each rank. Collective over comm. Only the first call communicates, and only if there
 * are several types.
 * @param[out] type  shape [ranks of comm], owned by the communicator. NULL: one type, or the types are not known
 * @return SCALAY_SUCCESS, SCALAY_ERROR_MEMORY, SCALAY_ERROR_MPI
 */
scalay_status scalay_node_types_of_ranks(scalay_comm *comm, const int **type);

#endif
