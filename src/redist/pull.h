#ifndef SCALAY_REDIST_PULL_H
#define SCALAY_REDIST_PULL_H

/**
 * @file
 * Pulling: the receiver copies packages out of the arrays of other ranks of its node.
 *
 * If the array is in shared memory, elements are copied directly. Otherwise the receiver reads lines of the array with
 * process_vm_readv into a scratch buffer that stays in the cache. A line goes along the contiguous dimension of the
 * array, from the first element of the package to the last. Elements in between are read too: one long read is faster
 * than many short reads, unless most of the line is not needed (scalay_package_lines()).
 *
 * All packages are copied together, a panel of columns at a time. A cache line of the target, which may receive
 * elements from several ranks, is complete before it leaves the cache.
 */

#include "parallel/node.h"
#include "redist/stream.h"

/** A package and the array that holds its elements. */
typedef struct {
    const scalay_package *package;
    const char *remote; /* array of the peer: an address in this process or in the peer */
    int local_rank;     /* rank in the node of the process to read from; -1: `remote` is an address in this process */
    int64_t ld;         /* leading dimension of `remote`; 0: that of the layout */
    int transposed;     /* rows of the array are columns of the package */
} scalay_origin;

/** Scratch buffer for reads. */
typedef struct {
    const scalay_node *node;
    char *bytes;
    int64_t size;
} scalay_scratch;

/**
 * Copies packages into an array.
 * @param[in] side     side of the packages
 * @param[in] origins  shape [count]
 * @param[in] own      array of this rank
 * @param[in] scratch  holds the longest line (scalay_package_lines()) that must be read
 * @return SCALAY_SUCCESS, SCALAY_ERROR_MPI
 */
scalay_status scalay_pull(const scalay_side *side, const scalay_origin *origins, int64_t count,
                          const scalay_copier *copier, char *own, scalay_scratch scratch);

/** Cost of reading a package, in elements. The same at both ends. */
typedef struct {
    int64_t longest; /* length of the longest line */
    int64_t read;    /* length of all lines */
} scalay_line_cost;

/**
 * Adds the lines of a package to a cost.
 * @param[in]     at_remote   1: the array is that of the peer; 0: that of this rank
 * @param[in]     transposed  rows of the array are columns of the package
 * @param[in,out] cost        sum
 */
void scalay_package_lines(const scalay_package *package, int at_remote, int transposed, scalay_line_cost *cost);

#endif
