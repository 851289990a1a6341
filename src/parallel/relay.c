/*
 * Trees of messages. The leaders of the nodes form a binary tree, whose root is the sender. The ranks of a node form a
 * binary tree, whose root is their leader, or the sender. In both trees, position p has children 2 p + 1 and 2 p + 2.
 */
#include "parallel/relay.h"

/* Adjacent members of one node: begin .. end - 1. */
typedef struct {
    int begin, end;
} run;

static int member_at(const scalay_relay_group *group, int index)
{
    return *(const int *)(const void *)((const char *)group->member + (size_t)index * group->stride);
}

static int node_of(const scalay_relay_group *group, int rank)
{
    return group->node != NULL ? group->node[rank] : 0;
}

/* Returns the members on the node of a member. */
static run run_at(const scalay_relay_group *group, int index)
{
    const int node = node_of(group, member_at(group, index));
    run r = {index, index + 1};
    while (r.begin > 0 && node_of(group, member_at(group, r.begin - 1)) == node) r.begin--;
    while (r.end < group->count && node_of(group, member_at(group, r.end)) == node) r.end++;
    return r;
}

static run next_run(const scalay_relay_group *group, run r)
{
    return run_at(group, r.end == group->count ? 0 : r.end);
}

static int is_local(const scalay_relay_group *group, run r)
{
    return node_of(group, member_at(group, r.begin)) == node_of(group, group->sender);
}

/* Returns the member at a position of a run, which begins with group->first if that is in it. */
static int rank_in(const scalay_relay_group *group, run r, int position)
{
    const int has_first = group->first >= r.begin && group->first < r.end;
    const int shift = has_first ? group->first - r.begin : 0;
    return member_at(group, r.begin + (shift + position) % (r.end - r.begin));
}

/* Returns the position of a member of a run. */
static int position_in(const scalay_relay_group *group, run r, int index)
{
    int position = 0;
    while (rank_in(group, r, position) != member_at(group, index)) position++;
    return position;
}

/* Returns the leader with a number from 1, counted from the node of group->first on; 0 is the sender; -1: none. */
static int leader(const scalay_relay_group *group, int number)
{
    const run start = run_at(group, group->first);
    run r = start;
    int count = 0;
    if (number == 0) return group->sender;
    do {
        count += !is_local(group, r);
        if (count == number && !is_local(group, r)) return rank_in(group, r, 0);
        r = next_run(group, r);
    } while (r.begin != start.begin);
    return -1;
}

/* Returns the number of the leader of a run. */
static int number_of(const scalay_relay_group *group, run wanted)
{
    run r = run_at(group, group->first);
    int number = !is_local(group, r);
    while (r.begin != wanted.begin) {
        r = next_run(group, r);
        number += !is_local(group, r);
    }
    return number;
}

static void add_child(int rank, scalay_relay *relay)
{
    if (rank >= 0) relay->child[relay->children++] = rank;
}

static void add_leaders(const scalay_relay_group *group, int number, scalay_relay *relay)
{
    for (int k = 2 * number + 1; k <= 2 * number + 2; k++) add_child(leader(group, k), relay);
}

/* Adds the children within a run. `has_root`: 1 if the root is not in the run, but the sender. */
static void add_local(const scalay_relay_group *group, run r, int position, int has_root, scalay_relay *relay)
{
    for (int k = 2 * position + 1; k <= 2 * position + 2 && k - has_root < r.end - r.begin; k++)
        add_child(rank_in(group, r, k - has_root), relay);
}

/* Returns the members on the node of the sender; empty: none. */
static run find_local(const scalay_relay_group *group)
{
    for (int k = 0; k < group->count; k = run_at(group, k).end)
        if (is_local(group, run_at(group, k))) return run_at(group, k);
    return (run){0, 0};
}

scalay_relay scalay_relay_find(const scalay_relay_group *group, int place)
{
    scalay_relay relay = {.parent = -1};
    if (group->count == 0) return relay;
    if (place < 0) {
        const run local = find_local(group);
        add_leaders(group, 0, &relay);
        if (local.end > local.begin) add_local(group, local, 0, 1, &relay);
        return relay;
    }
    const run r = run_at(group, place);
    const int has_root = is_local(group, r), position = position_in(group, r, place) + has_root;
    const int is_leader = position == 0, number = is_leader ? number_of(group, r) : 0, parent = (position - 1) / 2;
    if (is_leader)
        relay.parent = leader(group, (number - 1) / 2);
    else
        relay.parent = has_root && parent == 0 ? group->sender : rank_in(group, r, parent - has_root);
    if (is_leader) add_leaders(group, number, &relay);
    add_local(group, r, position, has_root, &relay);
    return relay;
}
