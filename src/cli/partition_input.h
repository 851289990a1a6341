#ifndef SCALAY_CLI_PARTITION_INPUT_H
#define SCALAY_CLI_PARTITION_INPUT_H

/** @file What the options of scalay partition name: extents, areas and links. */

#include <stdint.h>

#include "csv.h"
#include "options.h"
#include "scalay/partition.h"

/** What is asked for. */
typedef struct {
    int64_t m, n;
    int parts;
    double *area; /* shape [parts]; to be released with scalay_release() */
} scalay_partition_question;

/**
 * Reads --size, and one of --speeds, --areas and --from-workload.
 * @param[in]  options   of the subcommand
 * @param[out] question  its area is to be released with scalay_release()
 * @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT, SCALAY_ERROR_FORMAT (the message names the file and the key),
 *         SCALAY_ERROR_INFEASIBLE (the workload has no distribution), SCALAY_ERROR_MEMORY
 */
scalay_status scalay_input_partition(const scalay_options *options, scalay_partition_question *question);

/** Links with the matrices they point to. */
typedef struct {
    scalay_links links;
    scalay_link_costs time, energy;
} scalay_input_links;

/**
 * Reads --link-time and --link-energy, --link-mode and --broadcast; without the first two there are no link costs.
 * @param[in]  options  of the subcommand
 * @param[in]  parts    each matrix has at least this extent
 * @param[out] links    to be released with scalay_input_links_free()
 * @return SCALAY_SUCCESS, SCALAY_ERROR_FORMAT, SCALAY_ERROR_MISMATCH, SCALAY_ERROR_MEMORY
 */
scalay_status scalay_input_links_read(const scalay_options *options, int parts, scalay_input_links *links);

/** Releases what links hold; zeroed is fine. */
void scalay_input_links_free(scalay_input_links *links);

#endif
