#ifndef SCALAY_CLI_MAP_REPORT_H
#define SCALAY_CLI_MAP_REPORT_H

/** @file What scalay map has found, and how it is printed. */

#include "base/status.h"
#include "csv.h"
#include "nodes.h"
#include "scalay/layout.h"
#include "scalay/schedule.h"

/** The problem and its solution; everything is owned by the subcommand. */
typedef struct {
    int pairs;              /* of layouts; 0: the traffic came from a file */
    scalay_layout **source; /* shape [pairs] */
    scalay_layout **target;
    int processes; /* that hold data */
    int parts;
    int64_t items;
    scalay_traffic *traffic; /* NULL: nothing has needed it */
    scalay_link_costs costs; /* of processes or nodes */
    scalay_node_links links;
    scalay_process_nodes nodes; /* of a list */
    unsigned char *barred;      /* NULL: nobody is */
    scalay_mapping_options options;
    scalay_mapping *canonical;
    scalay_mapping *chosen;
    scalay_mapping *given;       /* of the user, to be judged; NULL: none */
    scalay_schedule *schedule;   /* NULL: not wanted */
    int preemptive;              /* the schedule is */
    int64_t startup;             /* of a step, in items, that its slices were chosen for; -1: they were not */
    scalay_mapping_front *front; /* instead of canonical and chosen; NULL: one mapping is wanted */
    int checked;                 /* the certificate was, and holds; so was the schedule */
} scalay_map_result;

/** The sum of link costs, by definition; there are link costs, and the traffic. */
double scalay_map_link_time(const scalay_map_result *result, const scalay_mapping *mapping);

/** Prints a report. @return SCALAY_SUCCESS, SCALAY_ERROR_MEMORY */
scalay_status scalay_map_print_text(const scalay_map_result *result);

/** Prints the JSON document of DESIGN.md. @return SCALAY_SUCCESS, SCALAY_ERROR_MEMORY, SCALAY_ERROR_FILE */
scalay_status scalay_map_print_json(const scalay_map_result *result);

/** The same for a front. */
scalay_status scalay_map_print_front_text(const scalay_map_result *result);
scalay_status scalay_map_print_front_json(const scalay_map_result *result);

#endif
