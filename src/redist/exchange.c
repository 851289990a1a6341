#include "redist/exchange.h"

#include "base/integer.h"
#include "base/memory.h"
#include "parallel/agree.h"
#include "redist/chunk_queue.h"

/* So long are chunks, so that one that is packed or unpacked is in a core's cache, and so many of them are under way,
   at most. Longer ones gain little, shorter ones lose where several ranks share a core and wait for each other's turn.
 */
enum { CHUNK_BYTES = 262144, SLOTS = 8, ALIGNMENT = 64 };

/* Chunks under way in one direction. */
typedef struct {
    char *bytes; /* buffers, from one to the next `stride` bytes; NULL: what is sent has been staged */
    int64_t count;
    int64_t *route;  /* shape [count]: of the queue, whose chunk it holds; -1: none */
    int64_t *chunk;  /* shape [count]: which of the route's */
    int *arrived;    /* shape [count]: received and not yet unpacked */
    int64_t pending; /* chunks that are not yet sent, or not yet unpacked */
} slot_list;

/* In place: all that is sent, packed before anything is unpacked, in the order in which it goes. */
typedef struct {
    int64_t size;    /* of `bytes`; 0 unless the plan is in place */
    char *bytes;     /* chunks, each padded to SCALAY_PACKED_ALIGNMENT */
    int64_t *length; /* shape [chunks]: without the padding */
    int64_t next;    /* the chunk that is sent next */
    int64_t at;      /* where it starts */
} staged_list;

struct scalay_exchange {
    int64_t limit;  /* of a chunk */
    int64_t stride; /* from slot to slot */
    scalay_chunk_queue source;
    scalay_chunk_queue target;
    scalay_chunk_queue *sent; /* of the two, in the move under way */
    scalay_chunk_queue *received;
    slot_list out;
    slot_list in;
    staged_list staged;
    MPI_Request *requests; /* shape [in.count + out.count]: receives, then sends */
    int *done;             /* of MPI_Waitsome */
    MPI_Status *statuses;  /* unread; gcc takes MPICH's MPI_STATUSES_IGNORE for too short an array, and warns */
    scalay_exchange_cost cost;
};

/* ---------------------------------------------------------------------------------------------- create */

/* As long as the longest lane, but small enough for the cache and for two slots each way in the memory that there is,
   and never smaller than an element. */
static int64_t chunk_limit(const scalay_plan *plan, const scalay_exchange_options *options, int64_t longest)
{
    int64_t limit = CHUNK_BYTES;
    if (!plan->in_place) limit = scalay_min_int64(limit, options->memory_bytes / 4 / ALIGNMENT * ALIGNMENT);
    limit = scalay_min_int64(limit, longest + SCALAY_PACKED_ALIGNMENT * (int64_t)plan->count);
    return scalay_max_int64(scalay_min_int64(limit, plan->message_bytes), plan->largest_element);
}

static int64_t slot_bytes(const scalay_exchange *exchange, int64_t slots)
{
    return slots > 0 ? (slots - 1) * exchange->stride + exchange->limit : 0;
}

/* As many as there is use and memory for, at least one: a lone slot needs no padding, so that it fits. */
static int64_t choose_slots(const scalay_exchange *exchange, int64_t memory)
{
    const int64_t most = scalay_max_int64(exchange->source.chunks, exchange->target.chunks);
    const int64_t fitting = scalay_max_int64(1, memory / exchange->stride);
    return scalay_min_int64(most, scalay_min_int64(fitting, SLOTS));
}

static scalay_status new_slots(const scalay_exchange *exchange, int64_t count, int buffered, slot_list *slots)
{
    scalay_status status = SCALAY_SUCCESS;
    slots->count = count;
    SCALAY_TRY(SCALAY_NEW(slots->route, count));
    SCALAY_TRY(SCALAY_NEW(slots->chunk, count));
    SCALAY_TRY(SCALAY_NEW(slots->arrived, count));
    if (buffered) SCALAY_TRY(SCALAY_NEW(slots->bytes, slot_bytes(exchange, count)));
cleanup:
    return status;
}

/* In place, nobody can do with less than what the rank that needs most needs. */
static scalay_status check_memory(const scalay_plan *plan, const scalay_exchange_options *options, int64_t needed)
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY_MPI(MPI_Allreduce(MPI_IN_PLACE, &needed, 1, MPI_INT64_T, MPI_MAX, plan->comm->mpi));
    if (needed > options->memory_bytes)
        status = scalay_fail(SCALAY_ERROR_UNSUPPORTED, "scalay_plan_create",
                             "moving in place takes %lld bytes of memory, for all that changes its place; pass "
                             "options->memory_bytes = %lld or more instead of %lld, or move into another array",
                             (long long)needed, (long long)needed, (long long)options->memory_bytes);
cleanup:
    return status;
}

static scalay_status new_buffers(const scalay_plan *plan, const scalay_exchange_options *options,
                                 scalay_exchange *exchange)
{
    scalay_status status = SCALAY_SUCCESS;
    const int64_t memory = options->memory_bytes - options->other_bytes - exchange->staged.size;
    const int64_t slots = choose_slots(exchange, plan->in_place ? memory : memory / 2);
    const int64_t most = scalay_max_int64(exchange->source.chunks, exchange->target.chunks);
    SCALAY_TRY(new_slots(exchange, slots, 1, &exchange->in));
    SCALAY_TRY(new_slots(exchange, slots, !plan->in_place, &exchange->out));
    SCALAY_TRY(SCALAY_NEW(exchange->requests, 2 * slots));
    SCALAY_TRY(SCALAY_NEW(exchange->done, 2 * slots));
    SCALAY_TRY(SCALAY_NEW(exchange->statuses, 2 * slots));
    if (plan->in_place) SCALAY_TRY(SCALAY_NEW(exchange->staged.bytes, exchange->staged.size));
    if (plan->in_place) SCALAY_TRY(SCALAY_NEW(exchange->staged.length, most));
    exchange->cost = (scalay_exchange_cost){
        .messages_sent = exchange->source.chunks,
        .messages_received = exchange->target.chunks,
        .buffer_bytes = (plan->in_place ? 1 : 2) * slot_bytes(exchange, slots) + exchange->staged.size,
        .state_bytes = (int64_t)sizeof *exchange +
                       (exchange->source.count + exchange->target.count) *
                           (int64_t)(sizeof(scalay_route) + sizeof(scalay_route_progress) + sizeof(int64_t)) +
                       2 * slots * (int64_t)(2 * sizeof(int64_t) + 2 * sizeof(int) + sizeof(MPI_Request)) +
                       2 * slots * (int64_t)sizeof(MPI_Status) +
                       (plan->in_place ? most * (int64_t)sizeof(int64_t) : 0)};
cleanup:
    return status;
}

static scalay_status new_exchange(const scalay_plan *plan, const scalay_exchange_options *options,
                                  scalay_exchange **exchange)
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(SCALAY_NEW(*exchange, 1));
    SCALAY_TRY(scalay_chunk_queue_create(plan, options, 1, &(*exchange)->source));
    SCALAY_TRY(scalay_chunk_queue_create(plan, options, 0, &(*exchange)->target));
cleanup:
    return status;
}

scalay_status scalay_exchange_create(const scalay_plan *plan, const scalay_exchange_options *options,
                                     scalay_exchange **exchange)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_exchange *made = NULL;
    *exchange = NULL;
    SCALAY_TRY(scalay_comm_agree(plan->comm, new_exchange(plan, options, &made)));
    int64_t longest =
        scalay_max_int64(scalay_chunk_queue_longest(&made->source), scalay_chunk_queue_longest(&made->target));
    SCALAY_TRY_MPI(MPI_Allreduce(MPI_IN_PLACE, &longest, 1, MPI_INT64_T, MPI_MAX, plan->comm->mpi));
    made->limit = chunk_limit(plan, options, longest);
    made->stride = scalay_ceil_div(made->limit, ALIGNMENT) * ALIGNMENT;
    const int64_t forth = scalay_chunk_queue_count(plan, 1, made->limit, &made->source);
    const int64_t back = scalay_chunk_queue_count(plan, 0, made->limit, &made->target);
    if (plan->in_place) {
        made->staged.size = scalay_max_int64(forth, back);
        SCALAY_TRY(check_memory(plan, options,
                                made->staged.size + options->other_bytes + (made->staged.size > 0 ? made->limit : 0)));
    }
    SCALAY_TRY(scalay_comm_agree(plan->comm, new_buffers(plan, options, made)));
    *exchange = made;
    made = NULL;
cleanup:
    scalay_exchange_destroy(&made);
    return status;
}

static void free_slots(slot_list *slots)
{
    scalay_release(slots->bytes);
    scalay_release(slots->route);
    scalay_release(slots->chunk);
    scalay_release(slots->arrived);
}

void scalay_exchange_destroy(scalay_exchange **exchange)
{
    if (exchange == NULL || *exchange == NULL) return;
    scalay_exchange *going = *exchange;
    *exchange = NULL;
    scalay_chunk_queue_free(&going->source);
    scalay_chunk_queue_free(&going->target);
    free_slots(&going->out);
    free_slots(&going->in);
    scalay_release(going->staged.bytes);
    scalay_release(going->staged.length);
    scalay_release(going->requests);
    scalay_release(going->done);
    scalay_release(going->statuses);
    scalay_release(going);
}

scalay_exchange_cost scalay_exchange_get_cost(const scalay_exchange *exchange)
{
    return exchange->cost;
}

/* --------------------------------------------------------------------------------------------- execute */

void scalay_exchange_abandon(scalay_exchange *exchange)
{
    for (int64_t k = 0; k < exchange->in.count + exchange->out.count; k++) {
        if (exchange->requests[k] == MPI_REQUEST_NULL) continue;
        if (k < exchange->in.count) (void)MPI_Cancel(&exchange->requests[k]);
        (void)MPI_Request_free(&exchange->requests[k]);
    }
    exchange->in.pending = exchange->out.pending = 0;
}

static scalay_status post_receive(scalay_exchange *exchange, const scalay_plan *plan, int64_t slot)
{
    slot_list *in = &exchange->in;
    const int64_t from = scalay_chunk_queue_take(exchange->received);
    in->route[slot] = from;
    if (from < 0) return SCALAY_SUCCESS;
    in->chunk[slot] = exchange->received->progress[from].taken - 1;
    return scalay_mpi_check(MPI_Irecv(in->bytes + slot * exchange->stride, (int)exchange->limit, MPI_BYTE,
                                      exchange->received->routes[from].peer, plan->tag, plan->comm->mpi,
                                      &exchange->requests[slot]),
                            __func__, "MPI_Irecv");
}

/* The next chunk in the order of sending, packed. */
static char *next_chunk(scalay_exchange *exchange, scalay_route *to, int64_t slot, int64_t *bytes)
{
    staged_list *staged = &exchange->staged;
    char *packed = exchange->out.bytes + slot * exchange->stride;
    if (exchange->out.bytes == NULL) {
        packed = staged->bytes + staged->at;
        *bytes = staged->length[staged->next++];
        staged->at += scalay_packed_bytes(*bytes);
        return packed;
    }
    *bytes = scalay_stream_pack(&to->stream, exchange->limit, packed);
    return packed;
}

static scalay_status send_next(scalay_exchange *exchange, const scalay_plan *plan, int64_t slot)
{
    int64_t bytes = 0;
    const int64_t next = scalay_chunk_queue_take(exchange->sent);
    if (next < 0) return SCALAY_SUCCESS;
    scalay_route *to = &exchange->sent->routes[next];
    const char *packed = next_chunk(exchange, to, slot, &bytes);
    return scalay_mpi_check(MPI_Isend(packed, (int)bytes, MPI_BYTE, to->peer, plan->tag, plan->comm->mpi,
                                      &exchange->requests[exchange->in.count + slot]),
                            __func__, "MPI_Isend");
}

static void stage(scalay_exchange *exchange)
{
    scalay_chunk_queue *sent = exchange->sent;
    staged_list *staged = &exchange->staged;
    staged->next = staged->at = 0;
    for (int64_t k = scalay_chunk_queue_take(sent); k >= 0; k = scalay_chunk_queue_take(sent)) {
        const int64_t bytes = scalay_stream_pack(&sent->routes[k].stream, exchange->limit, staged->bytes + staged->at);
        staged->length[staged->next++] = bytes;
        staged->at += scalay_packed_bytes(bytes);
    }
    staged->next = staged->at = 0;
    scalay_chunk_queue_rewind(sent);
}

scalay_status scalay_exchange_begin(scalay_exchange *exchange, const scalay_plan *plan)
{
    scalay_status status = SCALAY_SUCCESS;
    exchange->sent = plan->back ? &exchange->target : &exchange->source;
    exchange->received = plan->back ? &exchange->source : &exchange->target;
    exchange->out.pending = exchange->sent->chunks;
    exchange->in.pending = exchange->received->chunks;
    scalay_chunk_queue_start(plan, 1, exchange->sent);
    scalay_chunk_queue_start(plan, 0, exchange->received);
    for (int64_t k = 0; k < exchange->in.count + exchange->out.count; k++) exchange->requests[k] = MPI_REQUEST_NULL;
    for (int64_t slot = 0; slot < exchange->in.count; slot++) exchange->in.arrived[slot] = 0;
    for (int64_t slot = 0; slot < exchange->in.count; slot++) SCALAY_TRY(post_receive(exchange, plan, slot));
    if (plan->in_place) stage(exchange);
    for (int64_t slot = 0; slot < exchange->out.count; slot++) SCALAY_TRY(send_next(exchange, plan, slot));
cleanup:
    if (status != SCALAY_SUCCESS) scalay_exchange_abandon(exchange);
    return status;
}

/* Unpacks a slot when it has what its route goes on with. */
static scalay_status unpack_slot(scalay_exchange *exchange, const scalay_plan *plan, int64_t slot, int *unpacked)
{
    slot_list *in = &exchange->in;
    scalay_chunk_queue *from = exchange->received;
    const int64_t k = in->route[slot];
    if (!in->arrived[slot] || in->chunk[slot] != from->progress[k].moved) return SCALAY_SUCCESS;
    (void)scalay_stream_unpack(&from->routes[k].stream, exchange->limit, in->bytes + slot * exchange->stride);
    from->progress[k].moved++;
    in->arrived[slot] = 0;
    in->pending--;
    *unpacked = 1;
    return post_receive(exchange, plan, slot);
}

static scalay_status unpack_all(scalay_exchange *exchange, const scalay_plan *plan)
{
    scalay_status status = SCALAY_SUCCESS;
    for (int unpacked = 1; unpacked;) {
        unpacked = 0;
        for (int64_t slot = 0; slot < exchange->in.count; slot++)
            SCALAY_TRY(unpack_slot(exchange, plan, slot, &unpacked));
    }
cleanup:
    return status;
}

/* Goes on with what is done: free buffers are sent anew first, so that the others have something to do. */
static scalay_status go_on(scalay_exchange *exchange, const scalay_plan *plan, int count)
{
    scalay_status status = SCALAY_SUCCESS;
    for (int k = 0; k < count; k++) {
        const int64_t request = exchange->done[k];
        if (request < exchange->in.count) {
            exchange->in.arrived[request] = 1;
            continue;
        }
        exchange->out.pending--;
        SCALAY_TRY(send_next(exchange, plan, request - exchange->in.count));
    }
    SCALAY_TRY(unpack_all(exchange, plan));
cleanup:
    return status;
}

scalay_status scalay_exchange_advance(scalay_exchange *exchange, const scalay_plan *plan, int waits, int *done)
{
    scalay_status status = SCALAY_SUCCESS;
    const int requests = (int)(exchange->in.count + exchange->out.count);
    int count = 1;
    while (exchange->in.pending + exchange->out.pending > 0 && count > 0) {
        if (waits)
            SCALAY_TRY_MPI(MPI_Waitsome(requests, exchange->requests, &count, exchange->done, exchange->statuses));
        else
            SCALAY_TRY_MPI(MPI_Testsome(requests, exchange->requests, &count, exchange->done, exchange->statuses));
        SCALAY_TRY(go_on(exchange, plan, count));
    }
    *done = exchange->in.pending + exchange->out.pending == 0;
cleanup:
    if (status != SCALAY_SUCCESS) scalay_exchange_abandon(exchange);
    return status;
}
