#include "mapping/message_bits.h"

#include <string.h>

#include "base/bits.h"
#include "base/memory.h"

/* So many words at most for a message: where messages are fewer, lists are shorter than rows of bits. */
enum { WORDS_PER_MESSAGE = 1 };

static uint64_t *row_of(const scalay_message_graph *graph, int side, int x)
{
    return graph->bits[side].usable + x * graph->bits[side].words;
}

/* What tells the number of a message from its nodes. */
static scalay_status number_messages(scalay_message_graph *graph)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_message_bits *senders = &graph->bits[0];
    const int64_t words = graph->port[0].nodes * senders->words;
    int64_t number = 0;
    SCALAY_TRY(SCALAY_NEW(senders->all, words));
    SCALAY_TRY(SCALAY_NEW(senders->number, words));
    for (int64_t e = 0; e < graph->messages; e++)
        scalay_bit_set(senders->all + graph->node[0][e] * senders->words, graph->node[1][e]);
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
        graph->bits[side].words = scalay_bit_words(graph->port[1 - side].nodes);
        rows[side] = graph->port[side].nodes * graph->bits[side].words;
        words += rows[side];
    }
    if (words / WORDS_PER_MESSAGE > graph->messages) return SCALAY_SUCCESS;
    for (int side = 0; side < 2; side++) {
        SCALAY_TRY(SCALAY_NEW(graph->bits[side].usable, rows[side]));
        SCALAY_TRY(SCALAY_NEW(graph->bits[side].ends, graph->bits[side].words));
        SCALAY_TRY(SCALAY_NEW(graph->bits[side].reached, graph->bits[side].words));
    }
    SCALAY_TRY(number_messages(graph));
    scalay_message_bits_add(graph, 0);
cleanup:
    return status;
}

void scalay_message_bits_free(scalay_message_graph *graph)
{
    for (int side = 0; side < 2; side++) {
        scalay_release(graph->bits[side].usable);
        scalay_release(graph->bits[side].ends);
        scalay_release(graph->bits[side].reached);
        scalay_release(graph->bits[side].all);
        scalay_release(graph->bits[side].number);
        graph->bits[side] = (scalay_message_bits){0};
    }
}

void scalay_message_bits_add(scalay_message_graph *graph, int64_t before)
{
    const scalay_port *from = &graph->port[0];
    for (int i = 0; i < from->nodes; i++)
        for (int64_t k = from->start[i]; k < from->start[i + 1]; k++) {
            const int64_t left = graph->left[from->message[k]];
            if (left < graph->threshold || (before > 0 && left >= before)) continue;
            scalay_bit_set(row_of(graph, 0, i), from->other[k]);
            scalay_bit_set(row_of(graph, 1, from->other[k]), i);
        }
    for (int side = 0; side < 2; side++) scalay_message_bits_find_ends(graph, side);
}

void scalay_message_bits_drop(scalay_message_graph *graph, int64_t message)
{
    for (int side = 0; side < 2; side++)
        scalay_bit_clear(row_of(graph, side, graph->node[side][message]), graph->node[1 - side][message]);
}

void scalay_message_bits_find_end(scalay_message_graph *graph, int side, int y)
{
    const int64_t message = graph->port[1 - side].matched[y];
    if (message < 0 || !graph->port[side].must[graph->node[side][message]])
        scalay_bit_set(graph->bits[side].ends, y);
    else
        scalay_bit_clear(graph->bits[side].ends, y);
}

void scalay_message_bits_find_ends(scalay_message_graph *graph, int side)
{
    for (int y = 0; y < graph->port[1 - side].nodes; y++) scalay_message_bits_find_end(graph, side, y);
}

/* An end that x has a message with; -1: none. */
static int end_of(const scalay_message_graph *graph, int side, int x)
{
    const scalay_message_bits *bits = &graph->bits[side];
    const uint64_t *row = row_of(graph, side, x);
    for (int64_t w = 0; w < bits->words; w++)
        if ((row[w] & bits->ends[w]) != 0)
            return (int)(w * SCALAY_WORD_BITS) + scalay_bit_lowest(row[w] & bits->ends[w]);
    return -1;
}

/* The message of two nodes that have one. */
static int64_t message_between(const scalay_message_graph *graph, int side, int x, int y)
{
    const scalay_message_bits *senders = &graph->bits[0];
    const int from = side == 0 ? x : y, to = side == 0 ? y : x;
    const int64_t word = from * senders->words + to / SCALAY_WORD_BITS;
    const uint64_t below = (UINT64_C(1) << (to % SCALAY_WORD_BITS)) - 1;
    return senders->number[word] + scalay_bit_count(senders->all[word] & below);
}

void scalay_message_bits_fill_up(scalay_message_graph *graph)
{
    const int64_t words = graph->bits[0].words;
    uint64_t *free_ones = graph->bits[0].reached;
    memset(free_ones, 0, sizeof(uint64_t) * (size_t)words);
    for (int j = 0; j < graph->port[1].nodes; j++)
        if (graph->port[1].matched[j] < 0) scalay_bit_set(free_ones, j);
    for (int i = 0; i < graph->port[0].nodes; i++) {
        const uint64_t *row = row_of(graph, 0, i);
        for (int64_t w = 0; w < words && graph->port[0].matched[i] < 0; w++) {
            if ((row[w] & free_ones[w]) == 0) continue;
            const int j = (int)(w * SCALAY_WORD_BITS) + scalay_bit_lowest(row[w] & free_ones[w]);
            const int64_t message = message_between(graph, 0, i, j);
            graph->port[0].matched[i] = graph->port[1].matched[j] = message;
            scalay_bit_clear(free_ones, j);
        }
    }
}

/* Nodes of the path become its messages. */
static void name_messages(scalay_message_graph *graph, int side, int root, int y)
{
    for (;;) {
        const int x = (int)graph->via[y];
        graph->via[y] = message_between(graph, side, x, y);
        if (x == root) return;
        y = graph->node[1 - side][graph->port[side].matched[x]];
    }
}

/* Goes on from all nodes that x has a message with and that were not reached before: each has a message of its own,
 * whose other end may lead to an end. */
static int search_from(scalay_message_graph *graph, int side, int x, int *tail)
{
    const scalay_message_bits *bits = &graph->bits[side];
    const uint64_t *row = row_of(graph, side, x);
    for (int64_t w = 0; w < bits->words; w++) {
        uint64_t fresh = row[w] & ~bits->reached[w];
        bits->reached[w] |= fresh;
        for (; fresh != 0; fresh &= fresh - 1) {
            const int y = (int)(w * SCALAY_WORD_BITS) + scalay_bit_lowest(fresh);
            const int next = graph->node[side][graph->port[1 - side].matched[y]], end = end_of(graph, side, next);
            graph->via[y] = x;
            if (end >= 0) {
                graph->via[end] = next;
                return end;
            }
            graph->queue[(*tail)++] = next;
        }
    }
    return -1;
}

int scalay_message_bits_search(scalay_message_graph *graph, int side, int root)
{
    const scalay_message_bits *bits = &graph->bits[side];
    int tail = 0, end = end_of(graph, side, root);
    if (end >= 0) graph->via[end] = root;
    memset(bits->reached, 0, sizeof(uint64_t) * (size_t)bits->words);
    graph->queue[tail++] = root;
    for (int head = 0; head < tail && end < 0; head++) end = search_from(graph, side, graph->queue[head], &tail);
    if (end >= 0) name_messages(graph, side, root, end);
    return end;
}
