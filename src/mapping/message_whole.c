/* What is left of messages, to be sent without cutting any of them again. */
#include <stdlib.h>

#include "base/integer.h"
#include "base/memory.h"
#include "mapping/schedule.h"

typedef struct {
    int64_t message;
    int64_t left;
} ranked;

static int compare_ranked(const void *one, const void *other)
{
    const ranked *a = one, *b = other;
    if (a->left != b->left) return a->left > b->left ? -1 : 1;
    return (a->message > b->message) - (a->message < b->message);
}

static int64_t count_unfinished(const int64_t *left, int64_t messages)
{
    int64_t count = 0;
    for (int64_t e = 0; e < messages; e++) count += left[e] > 0;
    return count;
}

static scalay_status rank_messages(const int64_t *left, int64_t messages, int64_t count, ranked **list)
{
    scalay_status status = SCALAY_SUCCESS;
    int64_t filled = 0;
    SCALAY_TRY(SCALAY_NEW(*list, count));
    for (int64_t e = 0; e < messages; e++)
        if (left[e] > 0) (*list)[filled++] = (ranked){e, left[e]};
    qsort(*list, (size_t)count, sizeof **list, compare_ranked);
cleanup:
    return status;
}

/* Every node sends its k longest messages in k steps. The k-th longest step is therefore no shorter than the k-th
 * longest message of any node. */
static scalay_status look_ahead(scalay_message_graph *whole)
{
    scalay_status status = SCALAY_SUCCESS;
    const int64_t steps = whole->remaining;
    SCALAY_TRY(SCALAY_NEW(whole->ahead, steps + 1));
    for (int s = 0; s < 2; s++)
        for (int x = 0; x < whole->port[s].nodes; x++) {
            const int64_t first = whole->port[s].start[x], end = whole->port[s].start[x + 1];
            for (int64_t k = first; k < end; k++) {
                int64_t *step = &whole->ahead[steps - (k - first)];
                *step = scalay_max_int64(*step, whole->rest[whole->port[s].message[k]]);
            }
        }
    for (int64_t k = 0; k < steps; k++)
        if (!scalay_add_int64(whole->ahead[k], whole->ahead[k + 1], &whole->ahead[k + 1]))
            whole->ahead[k + 1] = INT64_MAX;
cleanup:
    return status;
}

scalay_status scalay_message_graph_create_whole(const scalay_message_graph *graph, const int64_t *left,
                                                scalay_message_graph *whole)
{
    scalay_status status = SCALAY_SUCCESS;
    const int64_t count = count_unfinished(left, graph->messages);
    ranked *list = NULL;
    *whole = (scalay_message_graph){0};
    SCALAY_TRY(rank_messages(left, graph->messages, count, &list));
    SCALAY_TRY(scalay_message_graph_allocate(graph->port[0].nodes, graph->port[1].nodes, count, whole));
    SCALAY_TRY(SCALAY_NEW(whole->rest, count));
    for (int64_t k = 0; k < count; k++) {
        for (int s = 0; s < 2; s++) whole->node[s][k] = graph->node[s][list[k].message];
        whole->rest[k] = list[k].left;
        whole->left[k] = 1;
    }
    scalay_message_graph_list(whole);
    whole->threshold = whole->floor = whole->stop = 1;
    SCALAY_TRY(look_ahead(whole));
cleanup:
    scalay_release(list);
    if (status != SCALAY_SUCCESS) scalay_message_graph_free(whole);
    return status;
}
