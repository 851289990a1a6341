#ifndef SCALAY_MAPPING_SCHEDULE_H
#define SCALAY_MAPPING_SCHEDULE_H

/** @file What a schedule is made of, and the graph of messages that it is made from. */

#include "base/status.h"
#include "scalay/schedule.h"

struct scalay_schedule {
    int64_t steps;
    int64_t length;           /* the sum of the durations */
    int64_t *duration;        /* shape [steps] */
    int64_t *start;           /* shape [steps + 1]: step k is messages start[k] .. start[k + 1] - 1 */
    scalay_message *messages; /* shape [start[steps]] */
    int64_t duration_capacity;
    int64_t start_capacity;
    int64_t messages_capacity;
};

/** The senders (or the receivers) of the messages that are still to be scheduled. */
typedef struct {
    int nodes;
    int64_t *start;      /* shape [nodes + 1]: the messages of node x are message[start[x]] .. */
    int64_t *message;    /* shape [messages] */
    int *other;          /* shape [messages]: the node of the other side of each of these */
    int64_t *load;       /* shape [nodes]: items that the node still has to send (or receive) */
    int64_t *matched;    /* shape [nodes]: its message in the step at hand, or -1 */
    unsigned char *must; /* shape [nodes]: it cannot afford to be idle in the step at hand */
} scalay_port;

/** The messages of one side as bits, and where its searches may end: message_bits.h. */
typedef struct {
    int64_t words;    /* of a row */
    uint64_t *usable; /* shape [nodes][words]: whom each has a message with that may be used; NULL: too few have */
    uint64_t *ends;   /* shape [words]: nodes of the other side that are free, or whose partner can afford to be idle */
    uint64_t *reached; /* shape [words]: by the search */
    uint64_t *all;     /* of the senders, likewise the next; shape [nodes][words]: whom each had a message with */
    int64_t *number;   /* shape [nodes][words]: of the first message of a word; messages are numbered in this order */
} scalay_message_bits;

/** A bipartite graph of messages: senders are processes, receivers are parts. */
typedef struct {
    scalay_port port[2]; /* 0: senders, 1: receivers */
    scalay_message_bits bits[2];
    int64_t messages;
    int64_t listed;    /* that the ports still have in their lists */
    int64_t finished;  /* of those: with nothing left */
    int *node[2];      /* shape [messages]: sender and receiver of each */
    int64_t *left;     /* shape [messages]: items not yet scheduled */
    int64_t *rest;     /* shape [messages]: the items of each when messages go whole and count as one; else NULL */
    int64_t *ahead;    /* of those, shape [remaining + 1]: items that the last so many steps take at least */
    int64_t remaining; /* length of the rest of the schedule */
    int64_t threshold; /* messages with fewer items left are not used at the moment */
    int64_t stop;      /* below it there are no steps for the time being; at least the floor */
    int64_t floor;     /* the threshold does not fall below it */
    int halves;        /* 1: the threshold is a power of two, and falls by half; 0: by an eighth */
    int *queue;        /* shape [larger number of nodes], likewise the next two: for the search */
    int changed;       /* the search's nodes that have another message than before, or none: the first of the queue */
    int64_t *via;      /* the message through which a node was reached */
    int64_t *seen;     /* the search in which it was reached last */
    int64_t search;
} scalay_message_graph;

/** Items that could be sent in the time that a schedule takes where a step takes as long to start as so many; at most
 * 2^63 - 1. */
int64_t scalay_schedule_time(const scalay_schedule *schedule, int64_t startup);

/** How to make a schedule of slices. */
typedef struct {
    int64_t slice;
    int halves;      /* as in scalay_message_graph */
    int64_t startup; /* of a step, in items */
    int64_t limit;   /* given up as soon as it turns out to take no less time; INT64_MAX: never */
} scalay_schedule_way;

/** Why there are no more steps: all is sent; what is left may not be cut, or not be matched; it takes too long. */
typedef enum { SCALAY_STEPS_DONE, SCALAY_STEPS_STUCK, SCALAY_STEPS_HOPELESS } scalay_steps_end;

/** Appends steps to a schedule until there are no more; the last step there was before, if any, stays as it is. */
scalay_status scalay_schedule_append_steps(scalay_message_graph *graph, const int *process,
                                           const scalay_schedule_way *way, scalay_steps_end *end,
                                           scalay_schedule *schedule);

/** Appends steps of what is left of the messages of a graph, which go whole; see above. */
scalay_status scalay_schedule_append_whole(const scalay_message_graph *graph, const int64_t *left, const int *process,
                                           const scalay_schedule_way *way, scalay_steps_end *end,
                                           scalay_schedule *schedule);

/** Whether messages are so few that thresholds are tried both ways; otherwise they do not halve. */
int scalay_schedule_has_ways(const scalay_traffic *traffic);

/** The messages of a traffic whose part j goes to process[j], what stays left out. */
scalay_status scalay_message_graph_create(const scalay_traffic *traffic, const int *process,
                                          scalay_message_graph *graph);

/** Releases what a graph holds. A zeroed graph is fine. */
void scalay_message_graph_free(scalay_message_graph *graph);

/** SCALAY_ERROR_INTERNAL when a message has something left. */
scalay_status scalay_message_graph_check_complete(const scalay_message_graph *graph);

/**
 * Finds messages for a step, no two with a common sender or receiver, each with at least `threshold` items left, such
 * that no node is idle that cannot afford to be. Lowers the threshold as far as necessary, down to the floor.
 * @return whether there are such messages; with a floor of 1 always (Koenig's theorem)
 */
int scalay_message_graph_match(scalay_message_graph *graph);

/**
 * Gives a node without a message one that has at least `threshold` items left: others that must be busy get another one
 * in turn, one that need not be may lose its own.
 * @return whether that is possible; queue[0] .. queue[changed - 1] are then the nodes of the side that have another one
 */
int scalay_message_graph_match_node(scalay_message_graph *graph, int side, int node);

/** Messages with fewer items left than this are not used from now on. */
void scalay_message_graph_set_threshold(scalay_message_graph *graph, int64_t threshold);

/** How the threshold falls, before anything is matched: see halves and floor. */
void scalay_message_graph_set_descent(scalay_message_graph *graph, int halves, int64_t floor);

/** A message that is matched no longer is; what it has left is known. */
void scalay_message_graph_unmatch(scalay_message_graph *graph, int64_t message);

/** Shortens the lists of the ports when many of their messages have nothing left. */
void scalay_message_graph_forget_finished(scalay_message_graph *graph);

/**
 * A graph of what is left of the messages of another one, each of them one item: a step is a matching of whole
 * messages. Messages are in descending order of what is left of them.
 * @param[in]  left   shape [messages of the other graph]: of each of its messages
 * @param[out] whole  to be released with scalay_message_graph_free()
 * @return SCALAY_SUCCESS, SCALAY_ERROR_MEMORY
 */
scalay_status scalay_message_graph_create_whole(const scalay_message_graph *graph, const int64_t *left,
                                                scalay_message_graph *whole);

/** Room for messages that are not known yet. */
scalay_status scalay_message_graph_allocate(int senders, int receivers, int64_t messages, scalay_message_graph *graph);

/** Lists the messages at their nodes once node[] and left[] say what they are. */
void scalay_message_graph_list(scalay_message_graph *graph);

#endif
