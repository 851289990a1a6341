#ifndef SCALAY_MAPPING_LINKS_H
#define SCALAY_MAPPING_LINKS_H

/** @file Processes on nodes. */

#include "base/status.h"
#include "scalay/mapping.h"

/** The node of a process; -1: it has none. */
int scalay_node_of(const scalay_node_links *links, int process);

/** What an item costs from a process of node a to another one of node b. */
double scalay_node_distance(const scalay_node_links *links, int a, int b);

/** Whether nodes differ only in whether they are the same, and none is farther from itself than from others. */
int scalay_nodes_are_apart(const scalay_node_links *links);

/** The processes of each node. */
typedef struct {
    int *start;   /* shape [nodes + 1] */
    int *process; /* shape [start[nodes]], ascending in each node */
} scalay_node_members;

/** To be released with scalay_node_members_free(), also on failure. @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT (a
 * process has no node), SCALAY_ERROR_MEMORY */
scalay_status scalay_node_members_create(const scalay_node_links *links, int processes, scalay_node_members *members);

/** Releases what members hold. Zeroed ones are fine. */
void scalay_node_members_free(scalay_node_members *members);

#endif
