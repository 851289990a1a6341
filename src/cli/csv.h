#ifndef SCALAY_CLI_CSV_H
#define SCALAY_CLI_CSV_H

/**
 * @file
 * Matrices of numbers in CSV files: a traffic matrix (non-negative integers) or link costs (non-negative numbers).
 *
 * A row is a line, its fields are separated by commas, spaces around a number are fine. Lines that start with # are
 * comments; a byte order mark, CRLF line ends and empty lines at the end are accepted; everything else is an error
 * whose message names file, line, field and value.
 */

#include <stdint.h>

#include "base/status.h"
#include "scalay/mapping.h"

/**
 * Reads a traffic matrix: row i is process i, column j is part j.
 * @param[in]  path     a file
 * @param[out] traffic  to be released with scalay_traffic_destroy()
 * @return SCALAY_SUCCESS, SCALAY_ERROR_FORMAT, SCALAY_ERROR_FILE, SCALAY_ERROR_RANGE, SCALAY_ERROR_MEMORY
 */
scalay_status scalay_csv_read_traffic(const char *path, scalay_traffic **traffic);

/**
 * Reads a whole file.
 * @param[in]  path  a file
 * @param[out] text  with a NUL behind it; to be released with scalay_release(), also on failure
 * @return SCALAY_SUCCESS, SCALAY_ERROR_FILE, SCALAY_ERROR_FORMAT (a zero byte), SCALAY_ERROR_MEMORY
 */
scalay_status scalay_csv_read_file(const char *path, char **text);

/** Link costs: entry [from][to] is the cost of an item from one process to another. */
typedef struct {
    int processes;
    double *cost; /* shape [processes * processes], by rows; to be released with scalay_release() */
} scalay_link_costs;

/**
 * Reads a square matrix of link costs.
 * @param[in]  path   a file
 * @param[out] costs  caller-owned
 * @return as scalay_csv_read_traffic()
 */
scalay_status scalay_csv_read_link_costs(const char *path, scalay_link_costs *costs);

/**
 * Reads a square matrix of distances: a CSV file as above, or what lstopo --distances and numactl --hardware print:
 * lines of words are headings; once one of them begins with "index" or "node", rows begin with a number of their own.
 * @param[in]  path       a file
 * @param[out] distances  caller-owned
 * @return as scalay_csv_read_traffic()
 */
scalay_status scalay_csv_read_distances(const char *path, scalay_link_costs *distances);

#endif
