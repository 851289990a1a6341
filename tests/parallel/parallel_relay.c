/* Trees of messages: each member gets a message once, and each node gets it once from another node. A node passes a
   message of many pieces on to one other node. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <cmocka.h>

#include "parallel/relay.h"

enum { RANKS = 40, TRIALS = 4000 };

/* A member, with something behind it, as users of the module have it. */
typedef struct {
    int rank, node;
    double other;
} member;

static unsigned state;

static int draw(int below)
{
    state = state * 1103515245u + 12345u;
    return (int)((state >> 8) % (unsigned)below);
}

static int compare_members(const void *a, const void *b)
{
    const member *x = a, *y = b;
    return x->node != y->node ? x->node - y->node : x->rank - y->rank;
}

/* Draws a group of other ranks than the sender; returns their number. */
static int draw_group(const int *node, int sender, member *list)
{
    const int chance = 1 + draw(10);
    int count = 0;
    for (int rank = 0; rank < RANKS; rank++)
        if (rank != sender && draw(10) < chance) list[count++] = (member){rank, node != NULL ? node[rank] : 0, 0.5};
    qsort(list, (size_t)count, sizeof *list, compare_members);
    return count;
}

static int index_of(const member *list, int count, int rank)
{
    for (int k = 0; k < count; k++)
        if (list[k].rank == rank) return k;
    return -1;
}

/* Counts the other nodes of a group. */
static int count_nodes(const member *list, int count, int sender_node)
{
    int nodes = 0;
    for (int k = 0; k < count; k++)
        nodes += list[k].node != sender_node && (k == 0 || list[k].node != list[k - 1].node);
    return nodes;
}

/* Visits what a rank passes on. arrivals[node]: how often a message came to a node from another one. */
static void visit(const scalay_relay_group *group, const member *list, const int *node, int rank, int *visits,
                  int *arrivals)
{
    const scalay_relay relay = scalay_relay_find(group, index_of(list, group->count, rank));
    const int nodes = node != NULL ? count_nodes(list, group->count, group->sender_node) : 0;
    int others = 0;
    assert_true(relay.children <= SCALAY_RELAY_CHILDREN);
    for (int c = 0; c < relay.children; c++) {
        const int child = relay.child[c], at = index_of(list, group->count, child);
        assert_true(at >= 0);
        assert_int_equal(scalay_relay_find(group, at).parent, rank);
        assert_int_equal(scalay_relay_find(group, at).depth, relay.depth + 1);
        others += node != NULL && node[child] != node[rank];
        if (node != NULL && node[child] != node[rank]) arrivals[node[child]]++;
        assert_int_equal(++visits[child], 1);
        visit(group, list, node, child, visits, arrivals);
    }
    if (rank == group->sender && nodes > 1) assert_int_equal(others, group->pieces >= nodes ? 1 : 2);
    assert_true(others <= (group->pieces >= nodes ? 1 : 2));
}

/* All at once, or one by one. */
static void check_all(const scalay_relay_group *group)
{
    int leader[RANKS];
    scalay_relay all[RANKS];
    const scalay_relay sender = scalay_relay_find_all(group, leader, all);
    for (int place = -1; place < group->count; place++) {
        const scalay_relay one = scalay_relay_find(group, place), *same = place < 0 ? &sender : &all[place];
        assert_int_equal(one.parent, same->parent);
        assert_int_equal(one.depth, same->depth);
        assert_int_equal(one.children, same->children);
        assert_memory_equal(one.child, same->child, sizeof(int) * (size_t)one.children);
    }
}

static void each_node_gets_a_message_once(void **unused)
{
    (void)unused;
    state = (unsigned)time(NULL);
    printf("seed %u\n", state);
    for (int trial = 0; trial < TRIALS; trial++) {
        int node[RANKS], visits[RANKS] = {0}, arrivals[RANKS] = {0}, expected[RANKS] = {0};
        member list[RANKS];
        const int nodes = 1 + draw(9), sender = draw(RANKS), knows_nodes = draw(8) > 0;
        for (int rank = 0; rank < RANKS; rank++) node[rank] = draw(nodes);
        const int count = draw_group(knows_nodes ? node : NULL, sender, list);
        const scalay_relay_group group = {.sender = sender,
                                          .sender_node = knows_nodes ? node[sender] : 0,
                                          .member = &list[0].rank,
                                          .member_node = &list[0].node,
                                          .stride = sizeof *list,
                                          .count = count,
                                          .first = count > 0 ? draw(count) : 0,
                                          .pieces = draw(12)};
        assert_int_equal(scalay_relay_find(&group, -1).parent, -1);
        assert_int_equal(scalay_relay_find(&group, -1).depth, 0);
        check_all(&group);
        visit(&group, list, knows_nodes ? node : NULL, sender, visits, arrivals);
        for (int k = 0; k < count; k++) {
            assert_int_equal(visits[list[k].rank], 1);
            if (knows_nodes && node[list[k].rank] != node[sender]) expected[node[list[k].rank]] = 1;
        }
        assert_memory_equal(arrivals, expected, sizeof arrivals);
        if (count > 0) assert_int_equal(scalay_relay_find(&group, group.first).parent, sender);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(each_node_gets_a_message_once)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
