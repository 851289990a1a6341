#ifndef SCALAY_MODEL_NODES_H
#define SCALAY_MODEL_NODES_H

/**
 * @file
 * Nodes of processes: rates of messages along the rows and columns of a grid, and what a move sends between nodes.
 *
 * A broadcast among q processes on d nodes has log2 q levels, of which log2 d are between nodes. The rate of a line is
 * the mean over its levels, with the slowest types of nodes on the line. If all processes of the line broadcast in
 * turn, a node gets (d - 1) / d of the bytes over its link, and sends as many in the other direction. If more lines
 * leave a node at once, they share its link: the rate is linear between that of one process
 * (scalay_machine.seconds_per_byte_alone) and that of all.
 */

#include "model/load.h"
#include "scalay/layout.h"
#include "scalay/model.h"

/** Nodes of processes. */
typedef struct {
    int processes;
    const int *node; /* shape [processes]: equal numbers are one node; NULL: not known */
    const int *type; /* shape [processes]: type of the node, as in the machine; NULL: all 0 */
} scalay_nodes;

/**
 * Sets the links of a grid.
 * @param[in]     machine  NULL: scalay_machine_typical()
 * @param[in]     nodes    NULL or nodes that are not known: nothing is set
 * @param[in]     parts    block-cyclic layout: process of each grid position. NULL: position k, row by row, is process
 * k
 * @param[in,out] grid     nprow and npcol are set; those of `parts`
 * @return SCALAY_SUCCESS, SCALAY_ERROR_MEMORY
 */
scalay_status scalay_nodes_set_links(const scalay_machine *machine, const scalay_nodes *nodes,
                                     const scalay_layout *parts, scalay_load_grid *grid);

/**
 * Returns the rates of messages among the processes: within nodes, and between nodes if all processes of a node send.
 * They are those of the slowest types.
 */
scalay_status scalay_nodes_rates(const scalay_machine *machine, const scalay_nodes *nodes, scalay_link *within,
                                 scalay_link *between);

/** Returns the processes of a node in the measurement of a machine; 1: not known. */
double scalay_machine_ranks_of_node(const scalay_machine *machine);

/**
 * Returns the machine with the rates of messages of a broadcast among all processes of the nodes, as those of all
 * messages. Nodes that are not known: the machine itself.
 */
scalay_status scalay_nodes_machine(const scalay_machine *machine, const scalay_nodes *nodes, scalay_machine *result);

/**
 * Returns the mean seconds of a byte that changes process in a move in which all processes exchange as much with each
 * other. Nodes that are not known: the rate of the machine.
 */
scalay_status scalay_nodes_move_byte(const scalay_machine *machine, const scalay_nodes *nodes, double *seconds);

/**
 * Returns the speeds of the parts of a layout by the types of their nodes, relative to the rates of the machine.
 * @param[out] speed  shape [parts], to be released; NULL: all 1, or the types are not known
 * @return SCALAY_SUCCESS, SCALAY_ERROR_MEMORY
 */
scalay_status scalay_nodes_speeds(const scalay_machine *machine, const scalay_nodes *nodes, const scalay_layout *parts,
                                  double **speed);

/** What a move sends between nodes, and within them. A zeroed one is of nodes that are not known. */
typedef struct {
    int is_known;
    int64_t volume;          /* elements that change node */
    int64_t steps;           /* maximum over the processes of elements sent to or received from other nodes */
    int64_t messages;        /* likewise of messages */
    int64_t steps_within;    /* maximum over the processes of elements sent or received within a node */
    int64_t messages_within; /* likewise of messages */
    double node_steps;       /* maximum over the nodes of elements sent or received, per process of the node */
} scalay_node_move;

/**
 * Counts what a mapping sends between nodes. Time: proportional to the entries of the traffic.
 * @param[in]  process  shape [parts]: process of each part
 * @param[out] move     caller-owned
 * @return SCALAY_SUCCESS, SCALAY_ERROR_MEMORY
 */
scalay_status scalay_node_move_count(const scalay_traffic *traffic, const int *process, const scalay_nodes *nodes,
                                     scalay_node_move *move);

/** As scalay_model_move(), with the rates within and between nodes. `between`: NULL: not known. */
double scalay_model_move_nodes(const scalay_machine *machine, scalay_type type, const scalay_move *move,
                               const scalay_node_move *between);

/**
 * Returns processes that are not on a node, as in scalay_mapping_options.barred.
 * @param[in]  node    shape [processes]
 * @param[in]  chosen  the node
 * @param[out] barred  shape [processes]: 1: on another node
 * @return number of processes on the node
 */
int scalay_nodes_bar_others(const int *node, int processes, int chosen, unsigned char *barred);

#endif
