#ifndef SCALAY_TRAFFIC_H
#define SCALAY_TRAFFIC_H

/**
 * @file
 * Traffic matrices: the elements that a redistribution has to move. The entry q[i][j] is the number of elements that
 * process i holds and part j of a target layout needs.
 *
 * These functions use no MPI and work for any number of processes. Memory is proportional to the non-zeros of q.
 *
 * Source: Herrmann et al., Assessing the cost of redistribution followed by a computational kernel, Parallel
 * Computing 52 (2016), section 3.
 */

#include "scalay/layout.h"
#include "scalay/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/** A sparse matrix of numbers of elements, processes x parts. */
typedef struct scalay_traffic scalay_traffic;

/**
 * Computes the traffic from one layout to the parts of another. Not collective. Between block-cyclic layouts, the cost
 * is proportional to the number of entries.
 * @param[in]  source   layout of the matrix before; row i of the traffic is process i
 * @param[in]  target   wanted layout, with the same extents; column j is part j, on any process
 * @param[out] traffic  release with scalay_traffic_destroy()
 * @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT, SCALAY_ERROR_MISMATCH (the extents differ), SCALAY_ERROR_MEMORY
 */
SCALAY_API scalay_status scalay_traffic_create(const scalay_layout *source, const scalay_layout *target,
                                               scalay_traffic **traffic);

/**
 * Creates a traffic matrix from a list of entries. Not collective. Entries of the same process and part are added.
 * @param[in]  processes  number of rows, at least 1
 * @param[in]  parts      number of columns, at least 1
 * @param[in]  entries    length of the lists, at least 0
 * @param[in]  process    shape [entries], 0 <= process < processes
 * @param[in]  part       shape [entries], 0 <= part < parts
 * @param[in]  elements   shape [entries], at least 0
 * @param[out] traffic    release with scalay_traffic_destroy()
 * @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT, SCALAY_ERROR_RANGE (more than 2^63 - 1 elements), SCALAY_ERROR_MEMORY
 */
SCALAY_API scalay_status scalay_traffic_from_entries(int processes, int parts, int64_t entries, const int *process,
                                                     const int *part, const int64_t *elements,
                                                     scalay_traffic **traffic);

/**
 * Adds several traffic matrices. Not collective. The best mapping for the sum is the best common mapping, for example
 * of the operands of a multiplication.
 * @param[in]  count    number of traffic matrices, at least 1
 * @param[in]  traffic  shape [count]; all with the same number of parts; the sum has the largest number of processes
 * @param[in]  weight   shape [count], at least 0: weight of an element of each matrix, for example its size in bytes;
 *                      NULL: 1
 * @param[out] sum      release with scalay_traffic_destroy()
 * @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT, SCALAY_ERROR_MISMATCH (the numbers of parts differ),
 *         SCALAY_ERROR_RANGE (more than 2^63 - 1 weighted elements), SCALAY_ERROR_MEMORY
 */
SCALAY_API scalay_status scalay_traffic_add(int count, const scalay_traffic *const *traffic, const int64_t *weight,
                                            scalay_traffic **sum);

/** Releases a traffic matrix and sets the pointer to NULL. Not collective. NULL is allowed. */
SCALAY_API void scalay_traffic_destroy(scalay_traffic **traffic);

/** Extents and contents of a traffic matrix. */
typedef struct {
    int processes;    /**< number of rows */
    int parts;        /**< number of columns */
    int64_t nonzeros; /**< number of non-zero entries */
    int64_t elements; /**< sum of all entries */
} scalay_traffic_summary;

/**
 * Returns extents and contents. Not collective.
 * @param[in]  traffic  a traffic matrix
 * @param[out] summary  caller-owned
 * @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT
 */
SCALAY_API scalay_status scalay_traffic_get_summary(const scalay_traffic *traffic, scalay_traffic_summary *summary);

/** Returns the elements that a process holds of a part; 0 outside of the matrix. Not collective. Time: logarithmic. */
SCALAY_API int64_t scalay_traffic_get_entry(const scalay_traffic *traffic, int process, int part);

/**
 * Returns the non-zero entries of one process. Not collective.
 * @param[in]  traffic   a traffic matrix
 * @param[in]  process   a row
 * @param[out] count     number of entries
 * @param[out] part      shape [count], ascending; owned by the traffic
 * @param[out] elements  shape [count], all positive; owned by the traffic
 * @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT
 */
SCALAY_API scalay_status scalay_traffic_row(const scalay_traffic *traffic, int process, int64_t *count,
                                            const int **part, const int64_t **elements);

/**
 * Computes volume and steps of an assignment of parts to processes. Not collective.
 * @param[in]  traffic  a traffic matrix
 * @param[in]  process  shape [parts]: distinct, at least 0; processes beyond the rows hold no elements
 * @param[out] volume   elements that change process; NULL: not returned
 * @param[out] steps    maximum over the processes of max(elements sent, elements received); NULL: not returned
 * @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT, SCALAY_ERROR_MEMORY
 */
SCALAY_API scalay_status scalay_traffic_cost(const scalay_traffic *traffic, const int *process, int64_t *volume,
                                             int64_t *steps);

#ifdef __cplusplus
}
#endif

#endif
