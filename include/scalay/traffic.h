#ifndef SCALAY_TRAFFIC_H
#define SCALAY_TRAFFIC_H

/**
 * @file
 * Traffic: what has to move. The traffic q[i][j] counts the items (elements) that process i holds and part j of a
 * target layout needs.
 *
 * Everything here is pure: no MPI, any number of processes; memory is proportional to the non-zeros of q.
 *
 * Source: Herrmann et al., Assessing the cost of redistribution followed by a computational kernel, Parallel
 * Computing 52 (2016), section 3.
 */

#include "scalay/layout.h"
#include "scalay/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/** What to move: a sparse matrix of item counts, processes x parts. */
typedef struct scalay_traffic scalay_traffic;

/**
 * The traffic from one layout to the parts of another. Not collective. Closed form for block-cyclic pairs.
 * @param[in]  source   where the data is: row i of the traffic is process i
 * @param[in]  target   what is wanted: column j is its part j (where it sits does not matter); same extents
 * @param[out] traffic  to be released with scalay_traffic_destroy()
 * @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT, SCALAY_ERROR_MISMATCH (extents), SCALAY_ERROR_MEMORY
 */
SCALAY_API scalay_status scalay_traffic_create(const scalay_layout *source, const scalay_layout *target,
                                               scalay_traffic **traffic);

/**
 * A traffic matrix from a list of entries. Not collective. Entries with the same place are added up.
 * @param[in]  processes  number of rows, at least 1
 * @param[in]  parts      number of columns, at least 1
 * @param[in]  entries    length of the lists, at least 0
 * @param[in]  process    shape [entries], 0 <= process < processes
 * @param[in]  part       shape [entries], 0 <= part < parts
 * @param[in]  items      shape [entries], at least 0
 * @param[out] traffic    to be released with scalay_traffic_destroy()
 * @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT, SCALAY_ERROR_RANGE, SCALAY_ERROR_MEMORY
 */
SCALAY_API scalay_status scalay_traffic_from_entries(int processes, int parts, int64_t entries, const int *process,
                                                     const int *part, const int64_t *items, scalay_traffic **traffic);

/**
 * The sum of several traffic matrices: what moves when the parts of several matrices, say the operands of a
 * multiplication, go where one mapping has them. Not collective.
 * @param[in]  count    number of traffic matrices, at least 1
 * @param[in]  traffic  shape [count]; all with the same number of parts; the sum has as many processes as the largest
 * @param[in]  weight   shape [count], at least 0: what an item of each counts, say its bytes; NULL: 1
 * @param[out] sum      to be released with scalay_traffic_destroy()
 * @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT, SCALAY_ERROR_MISMATCH (the numbers of parts differ),
 *         SCALAY_ERROR_RANGE (more than 2^63 - 1 items), SCALAY_ERROR_MEMORY
 */
SCALAY_API scalay_status scalay_traffic_add(int count, const scalay_traffic *const *traffic, const int64_t *weight,
                                            scalay_traffic **sum);

/** Releases a traffic matrix and sets it to NULL; NULL is fine. Not collective. */
SCALAY_API void scalay_traffic_destroy(scalay_traffic **traffic);

/** The number of rows; 0 for NULL. Not collective. */
SCALAY_API int scalay_traffic_processes(const scalay_traffic *traffic);

/** The number of columns; 0 for NULL. Not collective. */
SCALAY_API int scalay_traffic_parts(const scalay_traffic *traffic);

/** The number of items, moved or not; 0 for NULL. Not collective. */
SCALAY_API int64_t scalay_traffic_items(const scalay_traffic *traffic);

/** The number of non-zero entries; 0 for NULL. Not collective. */
SCALAY_API int64_t scalay_traffic_nonzeros(const scalay_traffic *traffic);

/** The items that process i holds of part j; 0 outside the matrix. Not collective. Logarithmic in the row's length. */
SCALAY_API int64_t scalay_traffic_get_entry(const scalay_traffic *traffic, int process, int part);

/**
 * The non-zero entries of one process. Not collective.
 * @param[in]  traffic  a traffic matrix
 * @param[in]  process  a row
 * @param[out] count    their number
 * @param[out] part     shape [count], ascending; owned by the traffic
 * @param[out] items    shape [count], all positive; owned by the traffic
 * @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT
 */
SCALAY_API scalay_status scalay_traffic_row(const scalay_traffic *traffic, int process, int64_t *count,
                                            const int **part, const int64_t **items);

/**
 * What a given assignment of parts to processes costs, by definition. Not collective.
 * @param[in]  traffic  a traffic matrix
 * @param[in]  process  shape [parts]: distinct, at least 0; may name processes beyond the rows (they hold nothing)
 * @param[out] volume   items that change process; NULL: not wanted
 * @param[out] steps    maximum over the processes of max(sent, received); NULL: not wanted
 * @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT, SCALAY_ERROR_MEMORY
 */
SCALAY_API scalay_status scalay_traffic_cost(const scalay_traffic *traffic, const int *process, int64_t *volume,
                                             int64_t *steps);

#ifdef __cplusplus
}
#endif

#endif
