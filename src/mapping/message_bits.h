#ifndef SCALAY_MAPPING_MESSAGE_BITS_H
#define SCALAY_MAPPING_MESSAGE_BITS_H

/** @file Graphs of messages as bits: where many pairs have messages, a word tells of 64 of them at a time. */

#include "mapping/schedule.h"

/** Whether a graph has them. */
static inline int scalay_message_bits_exist(const scalay_message_graph *graph)
{
    return graph->bits[0].usable != NULL;
}

/** Makes them for a graph with enough messages that this takes memory in proportion to these; otherwise does nothing.
 */
scalay_status scalay_message_bits_create(scalay_message_graph *graph);

/** Releases them; without them searches go along lists. */
void scalay_message_bits_free(scalay_message_graph *graph);

/** Adds the messages that may be used because the threshold has fallen from what it was before; 0: there was none. */
void scalay_message_bits_add(scalay_message_graph *graph, int64_t before);

/** Matches free nodes of both sides as long as they have messages that may be used. */
void scalay_message_bits_fill_up(scalay_message_graph *graph);

/** A message has less than `threshold` items left. */
void scalay_message_bits_drop(scalay_message_graph *graph, int64_t message);

/** Finds out where searches of a side may end, all places or one of the other side, after others must be busy, or have
 * another message. */
void scalay_message_bits_find_ends(scalay_message_graph *graph, int side);
void scalay_message_bits_find_end(scalay_message_graph *graph, int side, int y);

/** The search of scalay_message_graph_match_node(): the other end of the path, whose messages via[] tells; -1: none. */
int scalay_message_bits_search(scalay_message_graph *graph, int side, int root);

#endif
