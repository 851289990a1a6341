#ifndef SCALAY_CLI_MAP_H
#define SCALAY_CLI_MAP_H

/** @file scalay map: the problem, its solution, and their report. */

#include "input.h"
#include "output.h"
#include "scalay/layout.h"
#include "scalay/mapping.h"
#include "scalay/schedule.h"

/** Problem and solution. The subcommand owns all members. */
typedef struct {
    int pairs;              /* number of source and target layouts; 0: the traffic is from a file */
    scalay_layout **source; /* shape [pairs] */
    scalay_layout **target; /* shape [pairs] */
    int processes;          /* that hold data */
    int parts;
    int64_t items;
    scalay_traffic *traffic;  /* NULL: not computed */
    scalay_cost_matrix costs; /* of processes or nodes */
    scalay_node_links links;
    scalay_process_nodes nodes;
    unsigned char *barred; /* shape [processes offered]; NULL: none */
    scalay_mapping_options options;
    scalay_mapping *canonical;
    scalay_mapping *chosen;
    scalay_mapping *given;       /* mapping of the user to be judged; NULL: none */
    scalay_schedule *schedule;   /* NULL: not requested */
    int preemptive;              /* 1: the schedule is preemptive */
    int64_t startup;             /* start-up cost of a round in items; -1: not used */
    scalay_mapping_front *front; /* set instead of canonical and chosen; NULL: one mapping is requested */
    int checked;                 /* 1: certificate and schedule were checked */
} scalay_map_result;

/** Returns the summary of a mapping; zeros for NULL. */
static inline scalay_mapping_summary scalay_map_mapping_summary(const scalay_mapping *mapping)
{
    scalay_mapping_summary summary = {0};
    if (mapping != NULL) (void)scalay_mapping_get_summary(mapping, &summary);
    return summary;
}

/** Returns the summary of a traffic matrix. */
static inline scalay_traffic_summary scalay_map_traffic_summary(const scalay_traffic *traffic)
{
    scalay_traffic_summary summary = {0};
    (void)scalay_traffic_get_summary(traffic, &summary);
    return summary;
}

/** Returns the summary of a schedule. */
static inline scalay_schedule_summary scalay_map_schedule_summary(const scalay_schedule *schedule)
{
    scalay_schedule_summary summary = {0};
    (void)scalay_schedule_get_summary(schedule, &summary);
    return summary;
}

/** Returns the sum of the link costs of a mapping. The result has link costs and traffic. */
double scalay_map_link_time(const scalay_map_result *result, const scalay_mapping *mapping);

/**
 * Reads a mapping to be judged: output of `scalay map --json`, or the process of each part, separated by commas or line
 * ends.
 * @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT (two parts on one process), SCALAY_ERROR_FORMAT, SCALAY_ERROR_FILE,
 *         SCALAY_ERROR_MISMATCH (wrong number of parts, or the mapping does not keep the grid), SCALAY_ERROR_MEMORY
 */
scalay_status scalay_map_read_given(const char *path, scalay_map_result *result);

/** Prints the result as text. SCALAY_SUCCESS, SCALAY_ERROR_MEMORY. */
scalay_status scalay_map_print_text(const scalay_map_result *result);

/** Prints the result as JSON. SCALAY_SUCCESS, SCALAY_ERROR_MEMORY, SCALAY_ERROR_FILE. */
scalay_status scalay_map_print_json(const scalay_map_result *result);

/** Draws the owners, the traffic and the schedule, or the front. */
scalay_status scalay_map_draw(const char *path, const scalay_map_result *result);

#endif
