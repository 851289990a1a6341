#include "redist/chunk_queue.h"

#include "base/integer.h"
#include "base/memory.h"

scalay_status scalay_chunk_queue_create(const scalay_plan *plan, const scalay_exchange_options *options, int sends,
                                        scalay_chunk_queue *queue)
{
    scalay_status status = SCALAY_SUCCESS;
    const scalay_lane_list *lanes = sends ? &plan->source : &plan->target;
    const scalay_route_ring ring = {.rank = plan->comm->rank, .size = plan->comm->size};
    SCALAY_TRY(SCALAY_NEW(queue->routes, lanes->count));
    SCALAY_TRY(SCALAY_NEW(queue->progress, lanes->count));
    SCALAY_TRY(SCALAY_NEW(queue->open, lanes->count));
    for (const scalay_lane *lane = lanes->lane; lane < lanes->lane + lanes->count; lane++) {
        if (options->takes != NULL && !options->takes(options->context, lane->peer)) continue;
        queue->routes[queue->count++] = (scalay_route){.lane = lane, .peer = lane->peer};
    }
    scalay_routes_order(queue->routes, queue->count, ring, sends);
cleanup:
    return status;
}

void scalay_chunk_queue_free(scalay_chunk_queue *queue)
{
    scalay_release(queue->routes);
    scalay_release(queue->progress);
    scalay_release(queue->open);
}

int64_t scalay_chunk_queue_longest(const scalay_chunk_queue *queue)
{
    int64_t longest = 0;
    for (int64_t k = 0; k < queue->count; k++) longest = scalay_max_int64(longest, queue->routes[k].lane->bytes);
    return longest;
}

int64_t scalay_chunk_queue_count(const scalay_plan *plan, int sends, int64_t limit, scalay_chunk_queue *queue)
{
    int64_t bytes = 0, chunk = 0;
    for (int64_t k = 0; k < queue->count; k++) {
        scalay_stream stream = scalay_stream_start(plan->freight, plan->count, queue->routes[k].lane, sends);
        int64_t *chunks = &queue->progress[k].chunks;
        for (*chunks = 0; (chunk = scalay_stream_skip(&stream, limit)) > 0; ++*chunks)
            bytes += scalay_packed_bytes(chunk);
        queue->chunks += *chunks;
    }
    return bytes;
}

void scalay_chunk_queue_start(const scalay_plan *plan, int sends, scalay_chunk_queue *queue)
{
    for (scalay_route *at = queue->routes; at < queue->routes + queue->count; at++)
        at->stream = scalay_stream_start(plan->freight, plan->count, at->lane, sends);
    scalay_chunk_queue_rewind(queue);
}

void scalay_chunk_queue_rewind(scalay_chunk_queue *queue)
{
    for (int64_t k = 0; k < queue->count; k++) {
        queue->progress[k].taken = queue->progress[k].moved = 0;
        queue->open[k] = k;
    }
    queue->open_count = queue->count;
    queue->at = queue->kept = 0;
}

int64_t scalay_chunk_queue_take(scalay_chunk_queue *queue)
{
    if (queue->at == queue->open_count) {
        queue->open_count = queue->kept;
        queue->at = queue->kept = 0;
    }
    if (queue->at == queue->open_count) return -1;
    const int64_t k = queue->open[queue->at++];
    scalay_route_progress *progress = &queue->progress[k];
    if (++progress->taken < progress->chunks) queue->open[queue->kept++] = k;
    return k;
}
