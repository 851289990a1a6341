/* Exchange of channels by messages: chunk queues, slots, and pending requests.

   A slot holds one chunk, and belongs to one direction. If the elements of a channel follow one another in the array of
   the caller, its chunks are sent from there, or received there. Receives are posted in queue order with MPI_Irecv; a
   chunk that arrives before its predecessor waits in its slot. Each completed send is followed by packing and sending
   the next chunk.

   With options.verify, a message is a chunk followed by its checksum. A damaged message does not end the exchange,
   because others would wait: the end of the execution reports it. */
#include "redist/exchange.h"

#include <string.h>

#include "base/bytes.h"
#include "base/integer.h"
#include "base/memory.h"
#include "parallel/agree.h"
#include "parallel/node.h"
#include "parallel/requests.h"
#include "redist/release.h"

/* Chunks stay in the caches while they are packed or unpacked. Longer chunks are hardly faster. Shorter ones are slower
   if several ranks share a core and wait for one another: 256 KiB takes 1.3 times as long on 4 ranks and 2 cores.

   With less memory, chunks are as long as four slots for both directions allow. Between nodes these are three for
   receives and one for sends: receives are posted before their chunks arrive, and with more sends, a message waits
   longer on the link. At 10 Gbit/s on 2+2 and 1+1+1+1 ranks, moves with 341 KiB and two receives take 1.06 and 1.17 of
   the time, 256 KiB with two sends 1.12 and 1.21, 128 KiB with six receives 1.06 and 1.36.

   Where processors are the limit, by what `scalay calibrate` measured (plan->has_long_messages), each direction has one
   slot, and messages have three quarters of the memory instead of half. With 768 KiB, moves took .91 to .99 of the
   time with 341 KiB without a limit of the link. At 10 Gbit/s, the link waits while the only message is packed: with 1
   MiB, moves took 1.2 times as long.

   If chunks would be shorter than SINGLE_BYTES, each direction has one slot for a chunk of up to that length.

   Over slow links, messages are pieces below MPI's eager limit (plan->piece_bytes). Data of a longer message waits for
   the answer of the receiver. If two ranks send to each other, the answer waits behind the data of the other direction,
   and only one direction of the link is busy at a time. Pieces are sent synchronously: no more of them than there are
   slots wait for a receive, in the memory of MPI. The end of a synchronous send waits behind the data of the other
   direction, too. If two ranks have w and W > w pieces pending to each other, both wait for the same w + W pieces, and
   one direction carries w / W of what the other one does (Zhang, Shenker, Clark 1991, for windows of TCP). So the
   number of slots is proportional to the channels: each has as many pieces pending as that of the other direction. */
enum {
    CHUNK_BYTES = 1 << 20,
    SINGLE_BYTES = 1 << 18,
    SLOTS = 4,             /* of a direction at most */
    SLOTS_OF_PIECES = 8,   /* of a direction at most, for pieces */
    PIECES_OF_CHANNEL = 2, /* that are sent at a time: when one ends, the other one is in the queue of TCP */
    SLOTS_OF_LONG = 2,     /* of both directions, for long messages */
    SLOTS_OF_MEMORY = 4,   /* of both directions, if memory limits the chunks */
    ALIGNMENT = 64
};

/* ------------------------------------------------------------------------------------------ chunk queues */

/* Progress of one channel. */
typedef struct {
    int64_t chunks;   /* at least 1; 0: the channel has no elements in the current panel */
    int64_t started;  /* chunks that got a slot */
    int64_t unpacked; /* chunks */
    int64_t offset;   /* of the elements in the local array, if they follow one another there; -1: they do not */
    char *direct;     /* next chunk in the array of the caller, sent or received without a copy; NULL: through slots */
} channel_progress;

/* The channels of one side of a plan, and the order of their chunks: by round, then by distance. */
typedef struct {
    scalay_channel_end *ends;   /* shape [count], by ascending distance */
    channel_progress *progress; /* shape [count] */
    int64_t count;
    int64_t chunks;     /* of all channels */
    int64_t *open;      /* shape [count]: channels of this round, overwritten by those of the next round */
    int64_t open_count; /* of this round */
    int64_t next;       /* index in open[] of the next channel of this round */
    int64_t kept;       /* open[0 .. kept - 1] continue in the next round */
} chunk_queue;

static scalay_status queue_create(const scalay_plan *plan, const scalay_exchange_options *options, int sends,
                                  chunk_queue *queue)
{
    scalay_status status = SCALAY_SUCCESS;
    const scalay_channel_list *channels = sends ? &plan->source : &plan->target;
    const scalay_ring ring = {.rank = plan->comm->rank, .size = plan->comm->size};
    SCALAY_TRY(SCALAY_NEW(queue->ends, channels->count));
    SCALAY_TRY(SCALAY_NEW(queue->progress, channels->count));
    SCALAY_TRY(SCALAY_NEW(queue->open, channels->count));
    for (const scalay_channel *channel = channels->channel; channel < channels->channel + channels->count; channel++) {
        if (options->takes != NULL && !options->takes(options->context, channel->peer)) continue;
        queue->ends[queue->count++] = (scalay_channel_end){.channel = channel, .peer = channel->peer};
    }
    scalay_channel_ends_sort(queue->ends, queue->count, ring, sends);
    const int is_simple = plan->count == 1 && !plan->in_place && plan->panels == NULL && !plan->verifies;
    for (int64_t k = 0; k < queue->count; k++)
        queue->progress[k].offset =
            is_simple ? scalay_package_contiguous_offset(queue->ends[k].channel->packages[0]) : -1;
cleanup:
    return status;
}

static void queue_free(chunk_queue *queue)
{
    scalay_release(queue->ends);
    scalay_release(queue->progress);
    scalay_release(queue->open);
}

static int64_t queue_longest(const chunk_queue *queue)
{
    int64_t longest = 0;
    for (int64_t k = 0; k < queue->count; k++) longest = scalay_max_int64(longest, queue->ends[k].channel->bytes);
    return longest;
}

/* Returns the length of the message of a chunk. */
static int64_t message_length(const scalay_plan *plan, int64_t chunk_bytes)
{
    return chunk_bytes + (plan->verifies ? (int64_t)sizeof(uint64_t) : 0);
}

/* Counts the chunks of the channels. Returns the bytes of their messages. */
static int64_t queue_count(const scalay_plan *plan, int sends, int64_t limit, chunk_queue *queue)
{
    int64_t bytes = 0, chunk = 0;
    queue->chunks = 0;
    for (int64_t k = 0; k < queue->count; k++) {
        scalay_stream stream = scalay_stream_start(plan->transfers, plan->count, queue->ends[k].channel, sends);
        int64_t *chunks = &queue->progress[k].chunks;
        for (*chunks = 0; (chunk = scalay_stream_skip(&stream, limit)) > 0; ++*chunks)
            bytes += scalay_packed_bytes(message_length(plan, chunk));
        queue->chunks += *chunks;
    }
    return bytes;
}

static void queue_rewind(chunk_queue *queue)
{
    queue->open_count = 0;
    for (int64_t k = 0; k < queue->count; k++) {
        queue->progress[k].started = queue->progress[k].unpacked = 0;
        if (queue->progress[k].chunks > 0) queue->open[queue->open_count++] = k;
    }
    queue->next = queue->kept = 0;
}

/* Returns the elements of a channel in the array of the caller if messages need no copy of them; else NULL. Programs
   that go on after errors of MPI may release their arrays then, so that messages must not use them. */
static char *direct_start(const scalay_plan *plan, int64_t offset, int sends)
{
    const scalay_transfer *transfer = &plan->transfers[0];
    if (offset < 0 || !scalay_comm_errors_end_program(plan->comm)) return NULL;
    if (!sends && (transfer->unpacker.scaled || transfer->unpacker.conjugate)) return NULL;
    char *array = sends ? (char *)transfer->source : transfer->target;
    return array + offset * (int64_t)transfer->packer.size;
}

static void queue_start(const scalay_plan *plan, int sends, chunk_queue *queue)
{
    for (int64_t k = 0; k < queue->count; k++) {
        scalay_channel_end *at = &queue->ends[k];
        at->stream = scalay_stream_start(plan->transfers, plan->count, at->channel, sends);
        queue->progress[k].direct = direct_start(plan, queue->progress[k].offset, sends);
    }
    queue_rewind(queue);
}

/* Returns the next chunk of a channel that is sent or received without a copy. */
static char *queue_next_direct(chunk_queue *queue, int64_t k, int64_t limit, int64_t *bytes)
{
    char *chunk = queue->progress[k].direct;
    *bytes = scalay_stream_skip(&queue->ends[k].stream, limit);
    queue->progress[k].direct += *bytes;
    return chunk;
}

static int64_t queue_take(chunk_queue *queue)
{
    if (queue->next == queue->open_count) {
        queue->open_count = queue->kept;
        queue->next = queue->kept = 0;
    }
    if (queue->next == queue->open_count) return -1;
    const int64_t k = queue->open[queue->next++];
    channel_progress *progress = &queue->progress[k];
    if (++progress->started < progress->chunks) queue->open[queue->kept++] = k;
    return k;
}

/* Pending chunks in one direction. */
typedef struct {
    char *bytes;      /* buffers, `stride` bytes apart; NULL: chunks are staged */
    int64_t buffers;  /* number of buffers */
    int64_t count;    /* slots of this execution: as many as buffers, or more if none of its chunks needs a buffer */
    int64_t *channel; /* shape [capacity]: channel of the chunk in the slot; -1: free */
    int64_t *chunk;   /* shape [capacity]: number of the chunk in its channel */
    int *arrived;     /* shape [capacity]: 1: received and not yet unpacked */
    int64_t pending;  /* chunks that are not yet sent, or not yet unpacked */
} slot_list;

/* In place: all chunks to send, packed before anything is unpacked, in the order of sending. */
typedef struct {
    int64_t size;    /* of `bytes`; 0 unless the plan is in place */
    char *bytes;     /* messages, each padded to SCALAY_PACKED_ALIGNMENT */
    int64_t *length; /* shape [chunks]: without the padding */
    int64_t chunks;  /* of all panels */
    int64_t next;    /* index of the next chunk to pack or to send */
    int64_t at;      /* its offset in `bytes` */
    int64_t freed;   /* bytes from the start that were sent and released */
} staged_list;

struct scalay_exchange {
    int64_t limit;      /* of the length of a chunk */
    int64_t slot_limit; /* of the length of a message of this rank */
    int64_t stride;     /* between slots */
    chunk_queue source;
    chunk_queue target;
    chunk_queue *sent; /* of this execution: source or target */
    chunk_queue *received;
    slot_list out;
    slot_list in;
    staged_list staged;
    int is_packed;         /* 1: panels were packed, and none was sent */
    int is_unsafe;         /* 1: an execution failed, and MPI may still use the buffers */
    int *damaged_peer;     /* plan->damaged_peer */
    MPI_Request *requests; /* of the slots in use: receives, then sends */
    int *done;             /* result of MPI_Waitsome */
    MPI_Status *statuses;  /* not read; MPICH's MPI_STATUSES_IGNORE causes a GCC warning about its array length */
    scalay_exchange_cost cost;
};

/* ---------------------------------------------------------------------------------------------- create */

static int is_in_pieces(const scalay_plan *plan)
{
    return plan->piece_bytes < INT64_MAX;
}

int64_t scalay_exchange_bytes(const scalay_plan *plan)
{
    return plan->has_long_messages ? plan->memory_bytes - plan->memory_bytes / 4 : plan->memory_bytes / 2;
}

/* Chooses the maximum chunk length, the same on all ranks: limited by the cache and by memory for the slots, and at
   least one element. */
static int64_t chunk_limit(const scalay_plan *plan, const scalay_exchange_options *options)
{
    const int slots = plan->has_long_messages ? SLOTS_OF_LONG : SLOTS_OF_MEMORY;
    int64_t limit = CHUNK_BYTES;
    if (!plan->in_place) {
        const int64_t single = scalay_min_int64(SINGLE_BYTES, options->memory_bytes / 2);
        const int64_t fitting = scalay_max_int64(options->memory_bytes / slots, single);
        limit = scalay_min_int64(limit, fitting / ALIGNMENT * ALIGNMENT - message_length(plan, 0));
    }
    if (is_in_pieces(plan)) limit = scalay_min_int64(limit, plan->piece_bytes - message_length(plan, 0));
    return scalay_max_int64(scalay_min_int64(limit, plan->message_bytes), plan->largest_element);
}

scalay_channel_counts scalay_channels_count(const scalay_channel_list *channels, int64_t chunk_bytes,
                                            int (*takes)(const void *context, int peer), const void *context)
{
    scalay_channel_counts counts = {0, 0};
    for (const scalay_channel *at = channels->channel; at < channels->channel + channels->count; at++) {
        if (takes != NULL && !takes(context, at->peer)) continue;
        counts.chunks += scalay_ceil_div(at->bytes, scalay_max_int64(1, chunk_bytes));
        counts.bytes += at->bytes;
    }
    return counts;
}

/* Channels of an exchange whose peers are on this node, or on others. */
typedef struct {
    const scalay_exchange_options *options;
    const scalay_node *node;
    int is_within;
} channel_filter;

static int passes(const void *context, int peer)
{
    const channel_filter *filter = context;
    const scalay_exchange_options *options = filter->options;
    if (options->takes != NULL && !options->takes(options->context, peer)) return 0;
    return (scalay_node_local_rank(filter->node, peer) >= 0) == filter->is_within;
}

/* Predicts the channels within this node, or between nodes. */
static double predict_part(const scalay_plan *plan, const scalay_exchange_options *options, int is_within)
{
    const scalay_machine *machine = &plan->machine;
    const channel_filter filter = {options, plan->comm->node, is_within};
    const int64_t limit = chunk_limit(plan, options);
    const scalay_channel_counts out = scalay_channels_count(&plan->source, limit, passes, &filter);
    const scalay_channel_counts in = scalay_channels_count(&plan->target, limit, passes, &filter);
    double message = machine->seconds_per_message, byte = machine->seconds_per_byte;
    if (is_within && machine->seconds_per_message_within > 0.0) message = machine->seconds_per_message_within;
    if (is_within && machine->seconds_per_byte_within > 0.0) byte = machine->seconds_per_byte_within;
    return (double)scalay_max_int64(out.chunks, in.chunks) * message +
           (double)scalay_max_int64(out.bytes, in.bytes) * byte +
           (double)(out.bytes + in.bytes) * machine->seconds_per_byte_copied;
}

double scalay_exchange_predict(const scalay_plan *plan, const scalay_exchange_options *options)
{
    return predict_part(plan, options, 0) + predict_part(plan, options, 1);
}

static int64_t slot_bytes(const scalay_exchange *exchange, int64_t slots)
{
    return slots > 0 ? (slots - 1) * exchange->stride + exchange->slot_limit : 0;
}

/* Returns the number of slots of one direction: at least one, at most the number of chunks and as many as fit. A single
   slot needs no padding. */
static int64_t choose_slots(const scalay_exchange *exchange, int64_t most, int64_t fitting)
{
    const int64_t max_chunks = scalay_max_int64(exchange->source.chunks, exchange->target.chunks);
    return scalay_min_int64(max_chunks, scalay_min_int64(scalay_max_int64(1, fitting), most));
}

/* Returns the number of slots that one direction has at most. */
static int64_t capacity_of(int64_t buffers)
{
    return scalay_max_int64(buffers, SLOTS);
}

static scalay_status new_slots(const scalay_exchange *exchange, int64_t buffers, int buffered, slot_list *slots)
{
    scalay_status status = SCALAY_SUCCESS;
    slots->buffers = buffers;
    SCALAY_TRY(SCALAY_NEW(slots->channel, capacity_of(buffers)));
    SCALAY_TRY(SCALAY_NEW(slots->chunk, capacity_of(buffers)));
    SCALAY_TRY(SCALAY_NEW(slots->arrived, capacity_of(buffers)));
    if (buffered) SCALAY_TRY(SCALAY_NEW(slots->bytes, slot_bytes(exchange, buffers)));
cleanup:
    return status;
}

/* In place, agrees on the required memory: that of the rank that needs the largest buffers. */
static scalay_status agree_on_memory(const scalay_plan *plan, scalay_status own_status, int64_t needed)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_agreement values = {{needed}, {0}, {0}};
    SCALAY_TRY(scalay_comm_agree_on(plan->comm, own_status, &values));
    if (values.maximum[0] > plan->memory_bytes)
        status = scalay_fail(
            SCALAY_ERROR_UNSUPPORTED, "scalay_plan_create",
            "options->memory_bytes is %lld; in place it must be at least %lld, for all elements that change their "
            "position. Or move into another array.",
            (long long)plan->memory_bytes, (long long)values.maximum[0]);
cleanup:
    return status;
}

static scalay_status new_buffers(const scalay_plan *plan, const scalay_exchange_options *options,
                                 scalay_exchange *exchange)
{
    scalay_status status = SCALAY_SUCCESS;
    const int64_t memory = options->memory_bytes - options->other_bytes - exchange->staged.size;
    const int64_t fitting = memory / exchange->stride; /* of both directions; in place, sends have no buffers */
    const int64_t channels = scalay_max_int64(exchange->source.count, exchange->target.count);
    const int64_t most = plan->has_long_messages ? SLOTS_OF_LONG / 2 : SLOTS;
    const int64_t most_receives = is_in_pieces(plan) ? SLOTS_OF_PIECES : most;
    const int64_t most_sends =
        is_in_pieces(plan) ? scalay_min_int64(SLOTS_OF_PIECES, PIECES_OF_CHANNEL * channels) : most;
    const int has_one_send = fitting <= SLOTS_OF_MEMORY && plan->comm->node->size < plan->comm->size;
    const int64_t fitting_sends = has_one_send ? 1 : fitting / 2; /* in place, those of all chunks */
    const int64_t receives = choose_slots(exchange, most_receives, plan->in_place ? fitting : fitting - fitting_sends);
    const int64_t sends = choose_slots(exchange, most_sends, fitting_sends);
    SCALAY_TRY(new_slots(exchange, receives, 1, &exchange->in));
    SCALAY_TRY(new_slots(exchange, sends, !plan->in_place, &exchange->out));
    const int64_t requests = capacity_of(receives) + capacity_of(sends);
    SCALAY_TRY(SCALAY_NEW(exchange->requests, requests));
    SCALAY_TRY(SCALAY_NEW(exchange->done, requests));
    SCALAY_TRY(SCALAY_NEW(exchange->statuses, requests));
    if (plan->in_place) SCALAY_TRY(SCALAY_NEW_UNSET(exchange->staged.bytes, exchange->staged.size));
    if (plan->in_place) SCALAY_TRY(SCALAY_NEW(exchange->staged.length, exchange->staged.chunks));
    exchange->cost = (scalay_exchange_cost){
        .messages_sent = exchange->source.chunks,
        .messages_received = exchange->target.chunks,
        .buffer_bytes =
            slot_bytes(exchange, receives) + (plan->in_place ? 0 : slot_bytes(exchange, sends)) + exchange->staged.size,
        .state_bytes =
            (int64_t)sizeof *exchange +
            (exchange->source.count + exchange->target.count) *
                (int64_t)(sizeof(scalay_channel_end) + sizeof(channel_progress) + sizeof(int64_t)) +
            requests * (int64_t)(2 * sizeof(int64_t) + 2 * sizeof(int) + sizeof(MPI_Request) + sizeof(MPI_Status)) +
            exchange->staged.chunks * (int64_t)sizeof(int64_t)};
cleanup:
    return status;
}

/* Counts the chunks of the whole matrix; in place also those that are staged, in both directions. */
static void count_staged(scalay_plan *plan, scalay_exchange *exchange)
{
    int64_t bytes[2] = {0, 0}, chunks[2] = {0, 0};
    const int panels = plan->in_place && plan->panels != NULL ? scalay_panels_count(plan->panels) : 0;
    for (int panel = panels - 1; panel >= -1; panel--) {
        if (panels > 0) scalay_panels_select(plan, panel);
        const int64_t forward = queue_count(plan, 1, exchange->limit, &exchange->source);
        const int64_t backward = queue_count(plan, 0, exchange->limit, &exchange->target);
        if (panel < 0 && panels > 0) break;
        bytes[0] += forward;
        bytes[1] += backward;
        chunks[0] += exchange->source.chunks;
        chunks[1] += exchange->target.chunks;
    }
    if (!plan->in_place) return;
    exchange->staged.size = scalay_max_int64(bytes[0], bytes[1]);
    exchange->staged.chunks = scalay_max_int64(chunks[0], chunks[1]);
}

static scalay_status new_queues(scalay_plan *plan, const scalay_exchange_options *options, scalay_exchange **exchange)
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(SCALAY_NEW(*exchange, 1));
    scalay_exchange *new_exchange = *exchange;
    new_exchange->damaged_peer = &plan->damaged_peer;
    SCALAY_TRY(queue_create(plan, options, 1, &new_exchange->source));
    SCALAY_TRY(queue_create(plan, options, 0, &new_exchange->target));
    const int64_t longest =
        scalay_max_int64(queue_longest(&new_exchange->source), queue_longest(&new_exchange->target));
    new_exchange->limit = chunk_limit(plan, options);
    new_exchange->slot_limit = message_length(
        plan, scalay_min_int64(new_exchange->limit, longest + SCALAY_PACKED_ALIGNMENT * (int64_t)plan->count));
    new_exchange->stride = scalay_ceil_div(scalay_max_int64(new_exchange->slot_limit, 1), ALIGNMENT) * ALIGNMENT;
    count_staged(plan, new_exchange);
cleanup:
    return status;
}

/* Counts the messages of one execution: with panels, of all panels. */
static void count_messages(scalay_plan *plan, scalay_exchange *exchange)
{
    if (plan->panels == NULL) return;
    exchange->cost.messages_sent = exchange->cost.messages_received = 0;
    for (int panel = scalay_panels_count(plan->panels) - 1; panel >= -1; panel--) {
        scalay_panels_select(plan, panel);
        (void)queue_count(plan, 1, exchange->limit, &exchange->source);
        (void)queue_count(plan, 0, exchange->limit, &exchange->target);
        if (panel < 0) break;
        exchange->cost.messages_sent += exchange->source.chunks;
        exchange->cost.messages_received += exchange->target.chunks;
    }
}

scalay_status scalay_exchange_create(scalay_plan *plan, const scalay_exchange_options *options,
                                     scalay_exchange **exchange)
{
    scalay_exchange *new_exchange = NULL;
    *exchange = NULL;
    scalay_status status = new_queues(plan, options, &new_exchange);
    const int64_t staged = new_exchange != NULL ? new_exchange->staged.size : 0;
    if (plan->in_place)
        status =
            agree_on_memory(plan, status, staged + options->other_bytes + (staged > 0 ? new_exchange->slot_limit : 0));
    if (status == SCALAY_SUCCESS) status = new_buffers(plan, options, new_exchange);
    if (status == SCALAY_SUCCESS) {
        count_messages(plan, new_exchange);
        *exchange = new_exchange;
        new_exchange = NULL;
    }
    scalay_exchange_destroy(&new_exchange);
    return status;
}

static void free_slots(slot_list *slots, int is_unsafe)
{
    scalay_requests_release(!is_unsafe, slots->bytes);
    scalay_release(slots->channel);
    scalay_release(slots->chunk);
    scalay_release(slots->arrived);
}

void scalay_exchange_destroy(scalay_exchange **exchange)
{
    if (exchange == NULL || *exchange == NULL) return;
    scalay_exchange *old_exchange = *exchange;
    *exchange = NULL;
    if (old_exchange->in.pending + old_exchange->out.pending > 0) scalay_exchange_abandon(old_exchange);
    queue_free(&old_exchange->source);
    queue_free(&old_exchange->target);
    free_slots(&old_exchange->out, old_exchange->is_unsafe);
    free_slots(&old_exchange->in, old_exchange->is_unsafe);
    scalay_requests_release(!old_exchange->is_unsafe, old_exchange->staged.bytes);
    scalay_release(old_exchange->staged.length);
    scalay_release(old_exchange->requests);
    scalay_release(old_exchange->done);
    scalay_release(old_exchange->statuses);
    scalay_release(old_exchange);
}

scalay_exchange_cost scalay_exchange_get_cost(const scalay_exchange *exchange)
{
    return exchange->cost;
}

/* --------------------------------------------------------------------------------------------- execute */

void scalay_exchange_abandon(scalay_exchange *exchange)
{
    const int64_t receives = exchange->in.count, count = receives + exchange->out.count;
    if (!scalay_requests_abandon(count, receives, exchange->requests)) exchange->is_unsafe = 1;
    exchange->in.pending = exchange->out.pending = 0;
}

static scalay_status post_receive(scalay_exchange *exchange, const scalay_plan *plan, int64_t slot)
{
    slot_list *in = &exchange->in;
    const int64_t from = queue_take(exchange->received);
    in->channel[slot] = from;
    if (from < 0) return SCALAY_SUCCESS;
    in->chunk[slot] = exchange->received->progress[from].started - 1;
    int64_t bytes = exchange->slot_limit;
    char *chunk = exchange->received->progress[from].direct != NULL
                      ? queue_next_direct(exchange->received, from, exchange->limit, &bytes)
                      : in->bytes + slot * exchange->stride;
    return scalay_mpi_check(MPI_Irecv(chunk, (int)bytes, MPI_BYTE, exchange->received->ends[from].peer, plan->tag,
                                      plan->comm->mpi, &exchange->requests[slot]),
                            __func__, "MPI_Irecv");
}

/* Packs the next chunk of a channel, with its checksum. Returns the length of the message. */
static int64_t pack_message(const scalay_exchange *exchange, const scalay_plan *plan, scalay_channel_end *to,
                            char *packed)
{
    const int64_t bytes = scalay_stream_pack(&to->stream, exchange->limit, packed);
    if (plan->verifies) {
        const uint64_t checksum = scalay_bytes_checksum(packed, bytes);
        memcpy(packed + bytes, &checksum, sizeof checksum);
    }
    return message_length(plan, bytes);
}

/* Returns the message of the next chunk of a channel in the order of sending. */
static char *pack_next_chunk(scalay_exchange *exchange, const scalay_plan *plan, int64_t next, int64_t slot,
                             int64_t *bytes)
{
    staged_list *staged = &exchange->staged;
    if (exchange->sent->progress[next].direct != NULL)
        return queue_next_direct(exchange->sent, next, exchange->limit, bytes);
    if (exchange->out.bytes == NULL) {
        char *chunk = staged->bytes + staged->at;
        *bytes = staged->length[staged->next++];
        staged->at += scalay_packed_bytes(*bytes);
        return chunk;
    }
    char *packed = exchange->out.bytes + slot * exchange->stride;
    *bytes = pack_message(exchange, plan, &exchange->sent->ends[next], packed);
    return packed;
}

static scalay_status send_next_chunk(scalay_exchange *exchange, const scalay_plan *plan, int64_t slot)
{
    int64_t bytes = 0;
    const int64_t next = queue_take(exchange->sent);
    if (next < 0) return SCALAY_SUCCESS;
    const int peer = exchange->sent->ends[next].peer;
    const char *chunk = pack_next_chunk(exchange, plan, next, slot, &bytes);
    MPI_Request *request = &exchange->requests[exchange->in.count + slot];
    if (is_in_pieces(plan))
        return scalay_mpi_check(MPI_Issend(chunk, (int)bytes, MPI_BYTE, peer, plan->tag, plan->comm->mpi, request),
                                __func__, "MPI_Issend");
    return scalay_mpi_check(MPI_Isend(chunk, (int)bytes, MPI_BYTE, peer, plan->tag, plan->comm->mpi, request), __func__,
                            "MPI_Isend");
}

/* Packs all chunks of the queue after those that are staged. */
static void stage(scalay_exchange *exchange, const scalay_plan *plan)
{
    chunk_queue *sent = exchange->sent;
    staged_list *staged = &exchange->staged;
    for (int64_t k = queue_take(sent); k >= 0; k = queue_take(sent)) {
        const int64_t bytes = pack_message(exchange, plan, &sent->ends[k], staged->bytes + staged->at);
        staged->length[staged->next++] = bytes;
        staged->at += scalay_packed_bytes(bytes);
    }
}

static void rewind_staged(staged_list *staged)
{
    staged->next = staged->at = staged->freed = 0;
}

void scalay_exchange_pack(scalay_exchange *exchange, const scalay_plan *plan, int is_first)
{
    exchange->sent = plan->backward ? &exchange->target : &exchange->source;
    if (is_first) rewind_staged(&exchange->staged);
    (void)queue_count(plan, 1, exchange->limit, exchange->sent);
    queue_start(plan, 1, exchange->sent);
    stage(exchange, plan);
    exchange->is_packed = 1;
}

/* The chunks that were sent are not needed any more. */
static void release_staged(staged_list *staged)
{
    scalay_release_buffer(staged->bytes + staged->freed, staged->at - staged->freed);
    staged->freed = staged->at;
}

/* In place: packs all elements to send, unless they were packed panel by panel. The first chunk is sent next. */
static void stage_all(scalay_exchange *exchange, const scalay_plan *plan)
{
    if (plan->panels == NULL) {
        rewind_staged(&exchange->staged);
        stage(exchange, plan);
        queue_rewind(exchange->sent);
    }
    if (plan->panels == NULL || exchange->is_packed) rewind_staged(&exchange->staged);
    exchange->is_packed = 0;
}

/* Memory does not limit the slots if all chunks stay in the array of the caller. Where the link is the limit, more
   slots take longer: with 4 of each direction, moves at 10 Gbit/s took up to 1.4 times as long. */
static int64_t slots_in_use(const scalay_plan *plan, const slot_list *slots, const chunk_queue *queue)
{
    if (!plan->has_long_messages) return slots->buffers;
    for (int64_t k = 0; k < queue->count; k++)
        if (queue->progress[k].direct == NULL) return slots->buffers;
    return capacity_of(slots->buffers);
}

scalay_status scalay_exchange_begin(scalay_exchange *exchange, const scalay_plan *plan)
{
    scalay_status status = SCALAY_SUCCESS;
    exchange->sent = plan->backward ? &exchange->target : &exchange->source;
    exchange->received = plan->backward ? &exchange->source : &exchange->target;
    if (plan->panels != NULL) {
        (void)queue_count(plan, 1, exchange->limit, exchange->sent);
        (void)queue_count(plan, 0, exchange->limit, exchange->received);
    }
    exchange->out.pending = exchange->sent->chunks;
    exchange->in.pending = exchange->received->chunks;
    queue_start(plan, 1, exchange->sent);
    queue_start(plan, 0, exchange->received);
    exchange->out.count = slots_in_use(plan, &exchange->out, exchange->sent);
    exchange->in.count = slots_in_use(plan, &exchange->in, exchange->received);
    for (int64_t k = 0; k < exchange->in.count + exchange->out.count; k++) exchange->requests[k] = MPI_REQUEST_NULL;
    for (int64_t slot = 0; slot < exchange->in.count; slot++) exchange->in.arrived[slot] = 0;
    for (int64_t slot = 0; slot < exchange->in.count; slot++) SCALAY_TRY(post_receive(exchange, plan, slot));
    if (plan->in_place) stage_all(exchange, plan);
    for (int64_t slot = 0; slot < exchange->out.count; slot++) SCALAY_TRY(send_next_chunk(exchange, plan, slot));
cleanup:
    if (status != SCALAY_SUCCESS) scalay_exchange_abandon(exchange);
    return status;
}

static void compare_checksum(scalay_exchange *exchange, const char *packed, int64_t bytes, int peer)
{
    uint64_t checksum = 0;
    memcpy(&checksum, packed + bytes, sizeof checksum);
    if (checksum != scalay_bytes_checksum(packed, bytes)) *exchange->damaged_peer = peer;
}

/* Unpacks a slot if it holds the next chunk of its channel. */
static scalay_status unpack_slot(scalay_exchange *exchange, const scalay_plan *plan, int64_t slot, int *unpacked)
{
    slot_list *in = &exchange->in;
    chunk_queue *from = exchange->received;
    const int64_t k = in->channel[slot];
    if (!in->arrived[slot] || in->chunk[slot] != from->progress[k].unpacked) return SCALAY_SUCCESS;
    if (from->progress[k].direct == NULL) {
        const char *packed = in->bytes + slot * exchange->stride;
        const int64_t bytes = scalay_stream_unpack(&from->ends[k].stream, exchange->limit, packed);
        if (plan->verifies) compare_checksum(exchange, packed, bytes, from->ends[k].peer);
    }
    from->progress[k].unpacked++;
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

/* Continues with completed requests. Free slots are sent again first, so that peers can continue. */
static scalay_status handle_completed(scalay_exchange *exchange, const scalay_plan *plan, int count)
{
    scalay_status status = SCALAY_SUCCESS;
    for (int k = 0; k < count; k++) {
        const int64_t request = exchange->done[k];
        if (request < exchange->in.count) {
            exchange->in.arrived[request] = 1;
            continue;
        }
        exchange->out.pending--;
        SCALAY_TRY(send_next_chunk(exchange, plan, request - exchange->in.count));
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
        SCALAY_TRY(handle_completed(exchange, plan, count));
    }
    *done = exchange->in.pending + exchange->out.pending == 0;
    if (*done && plan->in_place && plan->panels != NULL) release_staged(&exchange->staged);
cleanup:
    if (status != SCALAY_SUCCESS) scalay_exchange_abandon(exchange);
    return status;
}
