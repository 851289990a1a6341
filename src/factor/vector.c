/* Vectors of factorisations: TAU along the columns, pivots along the rows, no vector of Cholesky. */

#include "factor/vector.h"

#include <string.h>

#include "base/integer.h"
#include "layout/layout.h"
#include "parallel/comm.h"

static const enum {
    NO_VECTOR,
    ALONG_COLUMNS,
    ALONG_ROWS
} direction[SCALAY_KERNEL_KINDS] = {
    [SCALAY_GEQRF] = ALONG_COLUMNS, [SCALAY_GETRF] = ALONG_ROWS, [SCALAY_POTRF] = NO_VECTOR};

scalay_grid_position scalay_grid_position_of(const scalay_layout *layout, int process)
{
    const int part = scalay_layout_part_of_process(layout, process);
    const int nprow = (int)layout->row.classes, npcol = (int)layout->col.classes;
    if (part < 0) return (scalay_grid_position){-1, -1};
    if (layout->order == SCALAY_ROW_MAJOR) return (scalay_grid_position){part / npcol, part % npcol};
    return (scalay_grid_position){part % nprow, part / nprow};
}

const scalay_axis *scalay_vector_axis(scalay_kernel_kind kind, const scalay_layout *layout)
{
    return direction[kind] == ALONG_COLUMNS ? &layout->col : &layout->row;
}

int scalay_vector_class(scalay_kernel_kind kind, const scalay_layout *layout, int process)
{
    const scalay_grid_position at = scalay_grid_position_of(layout, process);
    return direction[kind] == ALONG_COLUMNS ? at.col : at.row;
}

/* ---------------------------------------------------------------------------------------------------- sizes */

int64_t scalay_tau_size(const scalay_layout *layout, int process)
{
    if (layout == NULL || !scalay_layout_is_grid(layout)) return 0;
    const int class = scalay_vector_class(SCALAY_GEQRF, layout, process);
    const int64_t k = scalay_min_int64(layout->row.extent, layout->col.extent);
    return class >= 0 ? scalay_axis_count_upto(&layout->col, class, layout->col.first + k) : 0;
}

int64_t scalay_ipiv_size(const scalay_layout *layout, int process)
{
    if (layout == NULL || !scalay_layout_is_grid(layout)) return 0;
    const int class = scalay_vector_class(SCALAY_GETRF, layout, process);
    return class >= 0 ? scalay_axis_count_upto(&layout->row, class, layout->row.whole) + layout->row.block : 0;
}

int64_t scalay_vector_size(scalay_kernel_kind kind, const scalay_layout *layout, int process)
{
    switch (direction[kind]) {
    case ALONG_COLUMNS:
        return scalay_tau_size(layout, process);
    case ALONG_ROWS:
        return scalay_ipiv_size(layout, process);
    default:
        return 0;
    }
}

size_t scalay_grid_job_entry_size(const scalay_grid_job *job)
{
    switch (direction[job->kind]) {
    case ALONG_COLUMNS:
        return scalay_type_size(job->type);
    case ALONG_ROWS:
        return sizeof(int);
    default:
        return 0;
    }
}

/* -------------------------------------------------------------------------------------------- gathered vectors */

/* Row offset of the m x n matrix in the distributed matrix of a layout. */
static int row_offset(const scalay_layout *layout)
{
    return (int)layout->row.first;
}

/* Writes the entries of this rank to their positions in `all`, which is 0 elsewhere. */
static void write_entries(const scalay_grid_job *job, const char *vector, char *all)
{
    const scalay_axis *axis = scalay_vector_axis(job->kind, job->target);
    const int class = scalay_vector_class(job->kind, job->target, job->comm->rank), offset = row_offset(job->target);
    const size_t size = scalay_grid_job_entry_size(job);
    const int is_first = direction[job->kind] == ALONG_COLUMNS ? job->row == 0 : job->col == 0;
    if (!is_first) return;
    for (int k = 0; k < job->k; k++) {
        if (scalay_axis_class(axis, k) != class) continue;
        memcpy(all + (size_t)k * size, vector + (size_t)scalay_axis_local_index(axis, k) * size, size);
        if (job->kind == SCALAY_GETRF) ((int *)all)[k] -= offset;
    }
}

scalay_status scalay_grid_job_gather(const scalay_grid_job *job, const void *vector, void *all)
{
    scalay_status status = SCALAY_SUCCESS;
    static const MPI_Datatype real[] = {[SCALAY_FLOAT] = MPI_FLOAT, [SCALAY_DOUBLE] = MPI_DOUBLE};
    const int is_complex = job->type == SCALAY_COMPLEX_FLOAT || job->type == SCALAY_COMPLEX_DOUBLE;
    const int type = job->type - (is_complex ? SCALAY_COMPLEX_FLOAT - SCALAY_FLOAT : 0);
    const size_t size = scalay_grid_job_entry_size(job);
    if (job->k == 0 || size == 0) return SCALAY_SUCCESS;
    memset(all, 0, (size_t)job->k * size);
    write_entries(job, vector, all);
    if (job->kind == SCALAY_GETRF)
        SCALAY_TRY_MPI(MPI_Allreduce(MPI_IN_PLACE, all, job->k, MPI_INT, MPI_SUM, job->comm->mpi));
    else
        SCALAY_TRY_MPI(
            MPI_Allreduce(MPI_IN_PLACE, all, (1 + is_complex) * job->k, real[type], MPI_SUM, job->comm->mpi));
cleanup:
    return status;
}

void scalay_grid_job_scatter(const scalay_grid_job *job, const void *all, void *vector)
{
    const scalay_axis *axis = scalay_vector_axis(job->kind, job->layout);
    const int class = scalay_vector_class(job->kind, job->layout, job->comm->rank), offset = row_offset(job->layout);
    const size_t size = scalay_grid_job_entry_size(job);
    for (int k = 0; class >= 0 && k < job->k; k++) {
        if (scalay_axis_class(axis, k) != class) continue;
        const int64_t at = scalay_axis_local_index(axis, k);
        memcpy((char *)vector + (size_t)at * size, (const char *)all + (size_t)k * size, size);
        if (job->kind == SCALAY_GETRF) ((int *)vector)[at] += offset;
    }
}
