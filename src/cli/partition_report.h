#ifndef SCALAY_CLI_PARTITION_REPORT_H
#define SCALAY_CLI_PARTITION_REPORT_H

/** @file What scalay partition prints. */

#include "io/plot.h"
#include "scalay/partition.h"

/** A partition, or an owner map that was given. */
typedef struct {
    scalay_partition *partition;      /* NULL: an owner map was given */
    scalay_owner_map *map;            /* of either */
    const scalay_multiply_cost *cost; /* of either */
    scalay_owner_map *own_map;        /* to be released, when the map is not a partition's */
    scalay_multiply_cost *own_cost;   /* likewise */
    int parts;
    double *area; /* shape [parts]: as asked for, in proportion; NULL: an owner map was given */
} scalay_partition_report;

/** A line about it, for a picture. */
void scalay_partition_title(const scalay_partition_report *report, char *text, size_t size);

/** Adds the map, with the share of each part and what it sends beside its colour. */
scalay_status scalay_partition_plot(const scalay_partition_report *report, const scalay_layout *layout,
                                    scalay_plot *plot);

/** Prints the report as text. SCALAY_SUCCESS, SCALAY_ERROR_MEMORY. */
scalay_status scalay_partition_print_text(const scalay_partition_report *report);

/** Prints the report as JSON. SCALAY_SUCCESS, SCALAY_ERROR_MEMORY, SCALAY_ERROR_FILE. */
scalay_status scalay_partition_print_json(const scalay_partition_report *report);

#endif
