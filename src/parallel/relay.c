/*
 * Trees of messages. The leaders of the nodes form a binary tree or a chain, whose root is the sender. The ranks of a
 * node form a binary tree, whose root is their leader, or the sender. In a tree of degree d, position p has children
 * d p + 1 to d p + d.
 */
#include "parallel/relay.h"

/* Adjacent members of one node: begin .. end - 1. */
typedef struct {
    int begin, end;
} run;

static int value_at(const scalay_relay_group *group, const int *first, int index)
{
    return *(const int *)(const void *)((const char *)first + (size_t)index * group->stride);
}

static int member_at(const scalay_relay_group *group, int index)
{
    return value_at(group, group->member, index);
}

static int node_at(const scalay_relay_group *group, int index)
{
    return value_at(group, group->member_node, index);
}

/* Returns the members on the node of a member. */
static run run_at(const scalay_relay_group *group, int index)
{
    const int node = node_at(group, index);
    run r = {index, index + 1};
    while (r.begin > 0 && node_at(group, r.begin - 1) == node) r.begin--;
    while (r.end < group->count && node_at(group, r.end) == node) r.end++;
    return r;
}

static run next_run(const scalay_relay_group *group, run r)
{
    return run_at(group, r.end == group->count ? 0 : r.end);
}

static int is_local(const scalay_relay_group *group, run r)
{
    return node_at(group, r.begin) == group->sender_node;
}

/* Returns how far a run is rotated, so that it begins with group->first if that is in it. */
static int shift_of(const scalay_relay_group *group, run r)
{
    return group->first >= r.begin && group->first < r.end ? group->first - r.begin : 0;
}

/* Returns the rank of the member at a position of a run. */
static int rank_in(const scalay_relay_group *group, run r, int position)
{
    return member_at(group, r.begin + (shift_of(group, r) + position) % (r.end - r.begin));
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

/* The leaders by number - 1, if they are known. */
typedef struct {
    const int *rank; /* NULL: not known */
    int count;
    int degree; /* of their tree */
} leader_list;

/* Returns the degree of the tree of leaders. Counted in times of one piece, a chain of L leaders takes pieces + L - 1,
 * and a binary tree at least 2 * pieces. */
static int find_degree(const scalay_relay_group *group)
{
    int64_t leaders = 0;
    for (int k = 0; k < group->count; k = run_at(group, k).end) leaders += !is_local(group, run_at(group, k));
    return group->pieces > 0 && leaders <= group->pieces ? 1 : 2;
}

static void add_leaders(const scalay_relay_group *group, leader_list leaders, int number, scalay_relay *relay)
{
    const int first = leaders.degree * number + 1;
    for (int k = first; k < first + leaders.degree; k++)
        add_child(leaders.rank == NULL ? leader(group, k) : k <= leaders.count ? leaders.rank[k - 1] : -1, relay);
}

/* Returns the depth of a position in a tree. */
static int depth_of(int position, int degree)
{
    int depth = 0;
    for (; position > 0; position = (position - 1) / degree) depth++;
    return depth;
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

static scalay_relay of_sender(const scalay_relay_group *group, leader_list leaders)
{
    scalay_relay relay = {.parent = -1};
    const run local = find_local(group);
    add_leaders(group, leaders, 0, &relay);
    if (local.end > local.begin) add_local(group, local, 0, 1, &relay);
    return relay;
}

/* What the leader of a run does. */
static scalay_relay of_leader(const scalay_relay_group *group, run r, int number, leader_list leaders)
{
    scalay_relay relay = {.depth = depth_of(number, leaders.degree)};
    const int parent = (number - 1) / leaders.degree;
    relay.parent = parent > 0 && leaders.rank != NULL ? leaders.rank[parent - 1] : leader(group, parent);
    add_leaders(group, leaders, number, &relay);
    add_local(group, r, 0, 0, &relay);
    return relay;
}

/* What another member does. Position 0 is the root of its node; `depth` is that of the root. */
static scalay_relay of_member(const scalay_relay_group *group, run r, int position, int has_root, int depth)
{
    scalay_relay relay = {.depth = depth + depth_of(position, 2)};
    const int parent = (position - 1) / 2;
    relay.parent = has_root && parent == 0 ? group->sender : rank_in(group, r, parent - has_root);
    add_local(group, r, position, has_root, &relay);
    return relay;
}

scalay_relay scalay_relay_find(const scalay_relay_group *group, int place)
{
    if (group->count == 0) return (scalay_relay){.parent = -1};
    const leader_list unknown = {NULL, 0, find_degree(group)};
    if (place < 0) return of_sender(group, unknown);
    const run r = run_at(group, place);
    const int has_root = is_local(group, r), members = r.end - r.begin;
    const int position = (place - r.begin - shift_of(group, r) + members) % members + has_root;
    const int number = has_root ? 0 : number_of(group, r);
    if (position == 0) return of_leader(group, r, number, unknown);
    return of_member(group, r, position, has_root, depth_of(number, unknown.degree));
}

scalay_relay scalay_relay_find_all(const scalay_relay_group *group, int *leader, scalay_relay *relay)
{
    leader_list leaders = {leader, 0, 0};
    if (group->count == 0) return (scalay_relay){.parent = -1};
    leaders.degree = find_degree(group);
    const run start = run_at(group, group->first);
    run r = start;
    do {
        if (!is_local(group, r)) leader[leaders.count++] = rank_in(group, r, 0);
        r = next_run(group, r);
    } while (r.begin != start.begin);
    int number = 0;
    do {
        const int has_root = is_local(group, r), members = r.end - r.begin, shift = shift_of(group, r);
        if (!has_root) relay[r.begin + shift] = of_leader(group, r, ++number, leaders);
        const int depth = has_root ? 0 : depth_of(number, leaders.degree);
        for (int k = !has_root; k < members; k++)
            relay[r.begin + (shift + k) % members] = of_member(group, r, k + has_root, has_root, depth);
        r = next_run(group, r);
    } while (r.begin != start.begin);
    return of_sender(group, leaders);
}
