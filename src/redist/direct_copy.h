#ifndef SCALAY_REDIST_DIRECT_COPY_H
#define SCALAY_REDIST_DIRECT_COPY_H

/**
 * @file
 * Direct copies: packages go from an array of the sender, which this process can address, to the target, a range of
 * columns of the target after the other. If several packages are copied range by range, a cache line of the target that
 * receives elements from several of them is complete before it leaves the cache.
 */

#include "redist/plan.h"

/** A package, and the array that holds its elements. */
typedef struct {
    const scalay_package *package;
    const char *array;
    int64_t ld;     /* leading dimension of the array; 0: that of the layout */
    int transposed; /* rows of the array are columns of the package */
} scalay_origin;

/** A range of columns of the target. */
typedef struct {
    int64_t first;
    int64_t end;
} scalay_column_range;

/** Extents of packages in the target. */
typedef struct {
    scalay_column_range columns;
    int64_t rows;      /* from the first to the last row */
    int64_t blocks;    /* of all packages */
    int has_no_panels; /* 1: the columns of the target are not contiguous */
} scalay_outline;

/** The outline of no package. */
scalay_outline scalay_outline_empty(void);

/** Extends an outline by a package. */
void scalay_outline_extend(const scalay_package *package, scalay_outline *all);

/**
 * Chooses how many columns to copy at a time.
 * @param[in] size  bytes per element
 */
int64_t scalay_outline_panel(const scalay_outline *all, size_t size);

/** Copies what a package has in a range of columns to transfer->target. */
void scalay_copy_columns(const scalay_transfer *transfer, const scalay_origin *from, scalay_column_range columns);

#endif
