/*
 * Usable messages as bits, for graphs in which most pairs of nodes have a message: a word stands for 64 pairs, so that
 * searches skip nodes that were reached before, and find ends, by words.
 *
 * Memory: O(nodes^2 / 64), at most in proportion to the messages.
 */
#include <string.h>

#include "base/bits.h"
#include "base/memory.h"
#include "mapping/message_graph.h"

/* Maximum number of words per message. With fewer messages, lists are shorter than rows of bits. */
enum { WORDS_PER_MESSAGE = 1 };

static uint64_t *row_of(const scalay_message_graph *graph, int side, int x)
{
    const scalay_message_bits *bits = &graph->port[side].bits;
    return bits->usable + x * bits->words;
}

/* The tables that give the number of a message from its nodes. Messages are numbered by sender, then by receiver. */
static scalay_status number_messages(scalay_message_graph *graph)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_message_bits *senders = &graph->port[0].bits;
    const int64_t words = graph->port[0].nodes * senders->words;
    int64_t number = 0;
    SCALAY_TRY(SCALAY_NEW(senders->all, words));
    SCALAY_TRY(SCALAY_NEW(senders->number, words));
    for (int e = 0; e < graph->messages; e++)
        scalay_bit_set(senders->all + graph->message[e].node[0] * senders->words, graph->message[e].node[1]);
    for (int64_t w = 0; w < words; w++) {
        senders->number[w] = number;
        number += scalay_bit_count(senders->all[w]);
    }
cleanup:
    return status;
}

scalay_status scalay_message_bits_create(scalay_message_graph *graph)
{
    scalay_status status = SCALAY_SUCCESS;
    int64_t words = 0, rows[2] = {0, 0};
    for (int side = 0; side < 2; side++) {
        graph->port[side].bits.words = scalay_bit_words(graph->port[1 - side].nodes);
        rows[side] = graph->port[side].nodes * graph->port[side].bits.words;
        words += rows[side];
    }
    if (words / WORDS_PER_MESSAGE > graph->messages) return SCALAY_SUCCESS;
    for (int side = 0; side < 2; side++) {
        scalay_message_bits *bits = &graph->port[side].bits;
        SCALAY_TRY(SCALAY_NEW(bits->usable, rows[side]));
        SCALAY_TRY(SCALAY_NEW(bits->ends, bits->words));
        SCALAY_TRY(SCALAY_NEW(bits->reached, bits->words));
        scalay_message_bits_find_ends(graph, side);
    }
    SCALAY_TRY(number_messages(graph));
cleanup:
    return status;
}

void scalay_message_bits_free(scalay_message_graph *graph)
{
    for (int side = 0; side < 2; side++) {
        scalay_message_bits *bits = &graph->port[side].bits;
        scalay_release(bits->usable);
        scalay_release(bits->ends);
        scalay_release(bits->reached);
        scalay_release(bits->all);
        scalay_release(bits->number);
        *bits = (scalay_message_bits){0};
    }
}

void scalay_message_bits_set(scalay_message_graph *graph, const scalay_graph_message *message, int usable)
{
    for (int side = 0; side < 2; side++) {
        uint64_t *row = row_of(graph, side, message->node[side]);
        if (usable)
            scalay_bit_set(row, message->node[1 - side]);
        else
            scalay_bit_clear(row, message->node[1 - side]);
    }
}

void scalay_message_bits_find_end(scalay_message_graph *graph, int side, int y)
{
    const int partner = graph->port[1 - side].node[y].partner;
    if (partner < 0 || !graph->port[side].must[partner])
        scalay_bit_set(graph->port[side].bits.ends, y);
    else
        scalay_bit_clear(graph->port[side].bits.ends, y);
}

void scalay_message_bits_find_ends(scalay_message_graph *graph, int side)
{
    for (int y = 0; y < graph->port[1 - side].nodes; y++) scalay_message_bits_find_end(graph, side, y);
}

/* The first end that x has a usable message to; -1: none. */
static int end_of(const scalay_message_graph *graph, int side, int x)
{
    const scalay_message_bits *bits = &graph->port[side].bits;
    const uint64_t *row = row_of(graph, side, x);
    for (int64_t w = 0; w < bits->words; w++)
        if ((row[w] & bits->ends[w]) != 0)
            return (int)(w * SCALAY_WORD_BITS) + scalay_bit_lowest(row[w] & bits->ends[w]);
    return -1;
}

/* The message between two nodes that have one. */
static int message_between(const scalay_message_graph *graph, int side, int x, int y)
{
    const scalay_message_bits *senders = &graph->port[0].bits;
    const int from = side == 0 ? x : y, to = side == 0 ? y : x;
    const int64_t word = from * senders->words + to / SCALAY_WORD_BITS;
    const uint64_t below = (UINT64_C(1) << (to % SCALAY_WORD_BITS)) - 1;
    return (int)senders->number[word] + scalay_bit_count(senders->all[word] & below);
}

void scalay_message_bits_fill_up(scalay_message_graph *graph)
{
    int *sent = graph->port[0].matched, *received = graph->port[1].matched;
    const int64_t words = graph->port[0].bits.words;
    uint64_t *free_receivers = graph->port[0].bits.reached;
    memset(free_receivers, 0, sizeof(uint64_t) * (size_t)words);
    for (int j = 0; j < graph->port[1].nodes; j++)
        if (received[j] < 0) scalay_bit_set(free_receivers, j);
    for (int i = 0; i < graph->port[0].nodes; i++) {
        const uint64_t *row = row_of(graph, 0, i);
        for (int64_t w = 0; w < words && sent[i] < 0; w++) {
            if ((row[w] & free_receivers[w]) == 0) continue;
            const int j = (int)(w * SCALAY_WORD_BITS) + scalay_bit_lowest(row[w] & free_receivers[w]);
            sent[i] = received[j] = message_between(graph, 0, i, j);
            graph->port[0].node[i].partner = j;
            graph->port[1].node[j].partner = i;
            scalay_bit_clear(free_receivers, j);
        }
    }
}

/* Sets the messages of a path that ends at y. */
static void name_messages(scalay_message_graph *graph, int side, int root, int y)
{
    for (;;) {
        scalay_port_node *to = &graph->port[1 - side].node[y];
        to->via = message_between(graph, side, to->from, y);
        if (to->from == root) return;
        y = graph->port[side].node[to->from].partner;
    }
}

/* Continues a search from all nodes that x has a usable message to and that were not reached before. Each of them has a
 * partner, which may have a message to an end. */
static int search_from(scalay_message_graph *graph, int side, int x, int *tail)
{
    const scalay_message_bits *bits = &graph->port[side].bits;
    const uint64_t *row = row_of(graph, side, x);
    scalay_port_node *others = graph->port[1 - side].node;
    for (int64_t w = 0; w < bits->words; w++) {
        uint64_t fresh = row[w] & ~bits->reached[w];
        bits->reached[w] |= fresh;
        for (; fresh != 0; fresh &= fresh - 1) {
            const int y = (int)(w * SCALAY_WORD_BITS) + scalay_bit_lowest(fresh);
            const int next = others[y].partner, end = end_of(graph, side, next);
            others[y].from = x;
            if (end >= 0) {
                others[end].from = next;
                return end;
            }
            graph->queue[(*tail)++] = next;
        }
    }
    return -1;
}

int scalay_message_bits_search(scalay_message_graph *graph, int side, int root)
{
    const scalay_message_bits *bits = &graph->port[side].bits;
    int tail = 0, end = end_of(graph, side, root);
    if (end >= 0) graph->port[1 - side].node[end].from = root;
    memset(bits->reached, 0, sizeof(uint64_t) * (size_t)bits->words);
    graph->queue[tail++] = root;
    for (int head = 0; head < tail && end < 0; head++) end = search_from(graph, side, graph->queue[head], &tail);
    graph->reached = tail;
    if (end >= 0) name_messages(graph, side, root, end);
    return end;
}
