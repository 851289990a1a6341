#ifndef SCALAY_CLI_NODES_H
#define SCALAY_CLI_NODES_H

/** @file Lists that say for each process what it is on: a node, or a core. */

#include "base/status.h"

/** What each process is on. */
typedef struct {
    int processes;
    int *node; /* shape [processes], from 0; to be released with scalay_release() */
    int nodes; /* the largest number that occurs, and one */
} scalay_process_nodes;

/**
 * Reads a list, such as 0,0,1,1 or 0*2,1*2: with commas it is the text itself, otherwise the text is the name of a file
 * of one, in which blanks, line ends and commas separate and # begins a comment. Numbers stand for themselves; where
 * any word is none, all are names, which are numbered in the order in which they occur first.
 * @param[in]  option  for messages, such as "--nodes"
 * @param[in]  text    the list, or the file
 * @param[out] nodes   caller-owned
 * @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT, SCALAY_ERROR_FORMAT, SCALAY_ERROR_FILE, SCALAY_ERROR_MEMORY
 */
scalay_status scalay_read_nodes(const char *option, const char *text, scalay_process_nodes *nodes);

#endif
