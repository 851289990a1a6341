#ifndef SCALAY_REDIST_ASSEMBLY_H
#define SCALAY_REDIST_ASSEMBLY_H

/**
 * @file
 * Assembly: consecutive columns of the target are put together in a buffer, the window, from the elements of all ranks.
 * Complete columns are then written to the target with non-temporal stores of whole cache lines.
 *
 * Without a window, a short run begins and ends in the middle of cache lines of the target. Such a line is read from
 * memory before it is written, once for each rank that sends a part of it. The window stays in the cache of the core.
 */

#include "redist/plan.h"

/** The assembly of a plan. Zeroed: not used. */
typedef struct {
    char *bytes;                     /* NULL: not used */
    int64_t bytes_size;              /* of `bytes` */
    scalay_whole_columns columns[2]; /* [backward]: of the target in that direction */
    int64_t width[2];                /* [backward]: columns of the window; 0: not used in that direction */
    /* The pending execution. */
    int is_used;
    int is_complete;          /* 1: all columns of the execution (of the panel) are written */
    int64_t late;             /* elements in columns before this one are written to the target directly */
    int64_t first, end;       /* columns in the window */
    int64_t stop;             /* end of the columns of the execution (of the panel) */
    scalay_transfer transfer; /* that of the plan, but the target is the window */
} scalay_assembly;

/**
 * Creates the assembly of a plan. Not collective.
 * @param[in]  memory_bytes  limit on the buffer
 * @param[out] assembly      release with scalay_assembly_free(), also on failure
 * @return SCALAY_SUCCESS, SCALAY_ERROR_MEMORY
 */
scalay_status scalay_assembly_create(const scalay_plan *plan, int64_t memory_bytes, scalay_assembly *assembly);

/** Releases the buffer. Zeroed is allowed. */
void scalay_assembly_free(scalay_assembly *assembly);

/** Starts an execution of plan->transfers, or the next panel of one. Sets assembly->is_used. */
void scalay_assembly_start(scalay_assembly *assembly, const scalay_plan *plan);

/** Writes the columns of the window to the target, and advances the window. */
void scalay_assembly_flush(scalay_assembly *assembly, const scalay_plan *plan);

#endif
