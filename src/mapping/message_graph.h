#ifndef SCALAY_MAPPING_MESSAGE_GRAPH_H
#define SCALAY_MAPPING_MESSAGE_GRAPH_H

/**
 * @file
 * Bipartite graph of the messages of a redistribution, and the matchings that the rounds of a schedule consist of.
 *
 * Senders are processes, receivers are parts. A message is usable if at least `threshold` of its elements are not yet
 * scheduled. Usable messages are kept in lists of the nodes, or as bits if most pairs of nodes have a message.
 */

#include "base/status.h"
#include "scalay/traffic.h"

/** Classes of messages by their elements left, 128 per octave. */
enum { SCALAY_MESSAGE_CLASSES = 64 * 128 };

/** A usable message in the list of a node. */
typedef struct {
    int other; /* the node of the other side */
    int message;
} scalay_list_entry;

/** The list of a sender or receiver, and its state in a search. */
typedef struct {
    int64_t visited; /* last search that reached the node */
    int first;       /* its messages have the entries first .. limit - 1; see scalay_message_graph_message() */
    int limit;
    int begin;   /* its list: entries begin .. limit - 1 */
    int partner; /* the node of the other side of its message in the current round; -1: none */
    int via;     /* message through which a search reached it; with bits, set for the nodes of a path */
    int from;    /* the node of the other side of that message */
} scalay_port_node;

/** A message. */
typedef struct {
    int64_t left; /* elements not yet scheduled */
    int node[2];  /* sender and receiver */
    int next;     /* next message of the same class that is not usable; -1: none */
} scalay_graph_message;

/** Usable messages as bits, and the ends of searches. */
typedef struct {
    int64_t words;     /* of a row */
    uint64_t *usable;  /* shape [nodes][words]: nodes of the other side with a usable message; NULL: lists are used */
    uint64_t *ends;    /* shape [words]: nodes of the other side that are free, or whose partner need not be busy */
    uint64_t *reached; /* shape [words]: by the current search */
    uint64_t *all;     /* of senders: shape [nodes][words]: receivers of all messages */
    int64_t *number;   /* of senders: shape [nodes][words]: the first message of each word */
} scalay_message_bits;

/** All senders or all receivers. */
typedef struct {
    int nodes;
    scalay_port_node *node;  /* shape [nodes] */
    int64_t *load;           /* shape [nodes]: elements that each still has to send or receive */
    int *matched;            /* shape [nodes]: message of each in the current round; -1: none */
    unsigned char *must;     /* shape [nodes]: 1: must be busy in the current round */
    scalay_list_entry *list; /* shape [messages]; NULL: bits are used */
    scalay_message_bits bits;
} scalay_port;

/** The graph. */
typedef struct {
    scalay_port port[2]; /* 0: senders, 1: receivers */
    int messages;
    scalay_graph_message *message; /* shape [messages] */
    int *of_receiver;              /* shape [messages]: messages by receiver; NULL if messages are not cut */
    int64_t *rest;                 /* shape [messages]: elements of each if messages are not cut and count as one */
    int64_t *ahead;                /* with rest, shape [remaining + 1]: minimum length of the last k rounds */
    int64_t remaining;             /* length of the rest of the schedule */
    int64_t threshold;
    int64_t stop;  /* no rounds below this threshold for now; at least 1 */
    int64_t floor; /* minimum of the threshold, unless a matching at the floor has failed */
    int *waiting;  /* shape [classes]: first message of each that is not usable; -1: none */
    int *queue;    /* shape [larger number of nodes]: nodes reached by a search */
    int reached;   /* their number, after a search without success */
    int changed;   /* after a search with success, queue[0] .. queue[changed - 1] have another message, or none */
    int64_t search;
} scalay_message_graph;

/**
 * Creates the graph of a traffic if part j is assigned to process[j]; release with scalay_message_graph_free(), also on
 * failure.
 * @param[in] all  1: all messages are usable, with a threshold of 1; 0: only the longest
 * @return SCALAY_SUCCESS, SCALAY_ERROR_RANGE (more than 2^31 - 1 messages), SCALAY_ERROR_MEMORY
 */
scalay_status scalay_message_graph_create(const scalay_traffic *traffic, const int *process, int all,
                                          scalay_message_graph *graph);

/**
 * Creates a graph of the elements left of the messages of another graph, each of them one element: a round is a
 * matching of whole messages. Messages are in descending order of their elements left. Release with
 * scalay_message_graph_free(), also on failure.
 * @param[in] left  shape [messages of the other graph]: elements left of each of its messages
 */
scalay_status scalay_message_graph_create_whole(const scalay_message_graph *graph, const int64_t *left,
                                                scalay_message_graph *whole);

/** Releases the arrays of a graph. A zeroed graph is allowed. */
void scalay_message_graph_free(scalay_message_graph *graph);

/** Returns a message of a node of a graph whose messages are cut, first <= k < limit of the node. */
static inline const scalay_graph_message *scalay_message_graph_message(const scalay_message_graph *graph, int side,
                                                                       int k)
{
    return &graph->message[side == 0 ? k : graph->of_receiver[k]];
}

/** Copies the elements left of each message; shape [messages]. */
void scalay_message_graph_copy_left(const scalay_message_graph *graph, int64_t *left);

/** Returns SCALAY_ERROR_INTERNAL if a message has elements left. */
scalay_status scalay_message_graph_check_complete(const scalay_message_graph *graph);

/** Lowers the threshold. */
void scalay_message_graph_set_threshold(scalay_message_graph *graph, int64_t threshold);

/**
 * Finds usable messages for a round such that no two have a common sender or receiver, and no node is idle that must be
 * busy. Lowers the threshold to the largest one with such messages, but not below `stop`.
 * @return 1: found; 0: no such messages. With stop = floor = 1 they always exist (Koenig's theorem).
 */
int scalay_message_graph_match(scalay_message_graph *graph);

/**
 * Matches a node without a message. Nodes that must be busy may get another message; a node that need not be busy may
 * lose its message.
 * @return 1: matched; queue[0] .. queue[changed - 1] are the nodes of this side that have another message, or none
 */
int scalay_message_graph_match_node(scalay_message_graph *graph, int side, int node);

/** Subtracts elements from a message. If it is no longer usable, it is unmatched and leaves the lists. */
void scalay_message_graph_send(scalay_message_graph *graph, int message, int64_t elements);

/* -------------------------------------------------------------------------------------------- message_bits.c */

/** Returns 1 if a graph uses bits. */
static inline int scalay_message_bits_exist(const scalay_message_graph *graph)
{
    return graph->port[0].bits.usable != NULL;
}

/** Creates bits, without usable messages, if there are enough messages that the memory is proportional to them. */
scalay_status scalay_message_bits_create(scalay_message_graph *graph);

/** Releases the bits. */
void scalay_message_bits_free(scalay_message_graph *graph);

/** Makes a message usable, or not. */
void scalay_message_bits_set(scalay_message_graph *graph, const scalay_graph_message *message, int usable);

/** Updates the ends of a side: for one node y of the other side, or for all of them. */
void scalay_message_bits_find_end(scalay_message_graph *graph, int side, int y);
void scalay_message_bits_find_ends(scalay_message_graph *graph, int side);

/** Searches for an alternating path as scalay_message_graph_match_node(). Returns its last node; -1: none. */
int scalay_message_bits_search(scalay_message_graph *graph, int side, int root);

/** Matches free nodes of both sides. */
void scalay_message_bits_fill_up(scalay_message_graph *graph);

#endif
