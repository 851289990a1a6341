#ifndef SCALAY_FACTOR_VECTOR_H
#define SCALAY_FACTOR_VECTOR_H

/** @file Vectors of factorisations by ScaLAPACK, TAU and pivots: who has which entries, and copies on every rank. */

#include "factor/grid_job.h"

/** Position of a process on a grid; -1, -1: it is not on the grid. */
typedef struct {
    int row, col;
} scalay_grid_position;

/** Returns the position of a process on the grid of a block-cyclic layout. */
scalay_grid_position scalay_grid_position_of(const scalay_layout *layout, int process);

/** Returns the entries of the local vector of a process on a block-cyclic layout; 0 for Cholesky. */
int64_t scalay_vector_size(scalay_kernel_kind kind, const scalay_layout *layout, int process);

/** Returns the size of an entry of the vector, in bytes; 0 for Cholesky. */
size_t scalay_grid_job_entry_size(const scalay_grid_job *job);

/**
 * Gathers the vector on every rank. Collective over the communicator.
 * @param[in]  vector  local vector on the target
 * @param[out] all     shape [k]: tau, or the pivots as 1-based rows of the m x n matrix
 */
scalay_status scalay_grid_job_gather(const scalay_grid_job *job, const void *vector, void *all);

/** Returns the axis of a block-cyclic layout along which the vector of a routine (tau or ipiv) is distributed. */
const scalay_axis *scalay_vector_axis(scalay_kernel_kind kind, const scalay_layout *layout);

/** Returns the class of a process on that axis; -1 if it is not on the grid. */
int scalay_vector_class(scalay_kernel_kind kind, const scalay_layout *layout, int process);

/** Copies the entries of this rank from a gathered vector into its local vector in the layout of the caller, which is
 *  block-cyclic. Pivots become row indices of the distributed matrix. Not collective. */
void scalay_grid_job_scatter(const scalay_grid_job *job, const void *all, void *vector);

#endif
