#ifndef SCALAY_PARALLEL_RELAY_H
#define SCALAY_PARALLEL_RELAY_H

/**
 * @file
 * Trees in which a message goes from its sender to a group of ranks that need the same data. It is sent to each node
 * once, to a leader. Leaders pass it on to further leaders, and to the ranks of their node. Pure: no MPI.
 *
 * A message whose pieces are passed on as they arrive takes a chain of leaders, if it has at least as many pieces as
 * the chain has leaders: each link carries it once, and no rank sends it to two nodes at half the rate.
 */

#include <stddef.h>
#include <stdint.h>

/** A group of receivers. */
typedef struct {
    int sender, sender_node; /* the sender is not one of the members */
    const int *member;       /* the first of `count`, `stride` bytes apart; members of one node are adjacent */
    const int *member_node;  /* their nodes, `stride` bytes apart */
    size_t stride;
    int count;
    int first;      /* index of the member that should have the message first */
    int64_t pieces; /* that are passed on as they arrive; 0: the message is passed on as a whole */
} scalay_relay_group;

enum { SCALAY_RELAY_CHILDREN = 4 };

/** What a rank does with a message. */
typedef struct {
    int parent; /* rank that the message comes from; -1: this rank is its sender */
    int depth;  /* messages one after the other until this rank has it; the sender: 0 */
    int children;
    int child[SCALAY_RELAY_CHILDREN]; /* ranks that it is passed on to, those of other nodes first */
} scalay_relay;

/**
 * Returns what a rank does with a message. O(members).
 * @param[in] place  index of the member; -1: the sender
 */
scalay_relay scalay_relay_find(const scalay_relay_group *group, int place);

/**
 * Finds what all members do. O(members). Returns what the sender does.
 * @param[out] leader  scratch, shape [count]
 * @param[out] relay   shape [count]
 */
scalay_relay scalay_relay_find_all(const scalay_relay_group *group, int *leader, scalay_relay *relay);

#endif
