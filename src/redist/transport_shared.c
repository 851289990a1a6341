/* Transport "shared": channels between ranks of one node go through shared memory. Channels to other nodes use an
   exchange (messages). A channel is either direct or staged:
     - direct: the arrays of the sender are in shared memory of scalay_alloc(). The receiver copies the elements from
       there; the sender does nothing.
     - staged: the sender packs chunks into its pool in shared memory, and the receiver unpacks them. A chunk stays in
       the cache, so this costs little more than two copies. It is faster than process_vm_readv and than messages for
       all layouts, and it needs no permission to read the memory of other processes.
   A rank that sends writes the locations of its arrays to its record on the board, and then counts the execution as
   begun. From these locations, both ends find out whether a channel is staged. A receiver counts the channels that it
   has taken. An execution is complete when all channels of the rank are taken. There are no locks.

   Source of the pool protocol: a single-producer single-consumer ring buffer per pair of ranks (Lamport 1977). */
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>

#include "base/integer.h"
#include "base/memory.h"
#include "parallel/node.h"
#include "redist/assembly.h"
#include "redist/direct_copy.h"
#include "redist/exchange.h"
#include "redist/shared_pool.h"

enum {
    OFFERS = 3,               /* per record on the board */
    PATIENCE = 64,            /* steps before the ready channels are copied although others are not ready */
    SPINS = 256,              /* steps before the processor is yielded */
    SPINS_OVERSUBSCRIBED = 2, /* the same on an oversubscribed node */
    PROBE_EVERY = 16          /* yields between two calls of MPI */
};

/* Time in which a cache line with a counter goes from one core to another. */
#define HANDOVER_SECONDS 2e-7

/* ---------------------------------------------------------------------------------------------- state */

/* A channel whose peer is on this node. */
typedef struct {
    const scalay_channel *channel;
    int local_rank; /* of the peer */
    int staged;     /* in this execution; known when the sender has begun */
    int is_ready;   /* a direct channel that is copied in this step */
    int done;
    scalay_stream stream;    /* if staged */
    scalay_chunk_ring *ring; /* if staged */
    char *chunks;            /* if staged: shape [SCALAY_POOL_CHUNKS][chunk_bytes], in the pool of the sender */
    int64_t chunk_bytes;
    /* If columns are assembled in a window. */
    int is_placed;      /* 1: the elements of the window are placed */
    const char *chunk;  /* the rest of the current chunk of a staged channel */
    int64_t chunk_left; /* elements of the rest */
} path;

/* The channels of one side of a plan whose peer is on this node. */
typedef struct {
    path *paths; /* shape [count], by ascending distance from this rank */
    int64_t count;
} path_list;

/* The elements that stay on the rank are copied matrix by matrix, in panels of columns of the target. */
typedef struct {
    int matrix;     /* count: all are copied */
    int64_t column; /* of the target; INT64_MIN: none of this matrix is copied */
    double done;    /* copied part of this matrix, from 0 to 1 */
} kept_position;

typedef struct {
    scalay_exchange *exchange; /* of the other channels */
    int is_used;               /* 1: channels on this node use shared memory */
    path_list source;
    path_list target;
    int64_t *lds[2];        /* shape [matrices]: leading dimensions of this rank in the sources and in the targets */
    uint64_t executions[2]; /* [backward]: executions that have begun */
    /* The pending execution. */
    int published;
    scalay_assembly assembly;
    int is_kept_placed; /* 1: the elements of the window that stay on the rank are placed */
    kept_position kept; /* of the elements that stay on the rank, what is copied */
    int64_t drained;    /* bytes of staged channels that were unpacked */
    int64_t to_drain;   /* bytes of all channels that this rank receives on this node */
    int exchanged;
    int64_t staged_out; /* channels that are still packed */
    int64_t left;       /* channels that are not received yet */
    int steps_waited;   /* for direct channels that are not ready */
    scalay_pool_request request;
    scalay_plan *plan;
} shared_state;

static path_list *sends_of(shared_state *state)
{
    return state->plan->backward ? &state->target : &state->source;
}

static path_list *receives_of(shared_state *state)
{
    return state->plan->backward ? &state->source : &state->target;
}

/* ---------------------------------------------------------------------------------------------- board */

/* Location of an array of the sender. */
typedef struct {
    scalay_array_location location; /* of element 0; .array is 0 if it is not in an array of scalay_alloc() */
    int64_t ld;                     /* 0: that of the layout */
} offer;

/* A record on the board; index [backward]. A plan with more matrices has several records, for their offers. */
typedef struct {
    _Alignas(SCALAY_POOL_ALIGNMENT) _Atomic uint64_t begun[2]; /* executions that this rank has started to send */
    _Alignas(SCALAY_POOL_ALIGNMENT) _Atomic uint64_t taken[2]; /* channels that peers have taken, over all executions */
    _Alignas(SCALAY_POOL_ALIGNMENT) offer offers[OFFERS];
} record;

_Static_assert(sizeof(record) <= SCALAY_RECORD_BYTES, "a record fits into a slot of the board");
_Static_assert(ATOMIC_LLONG_LOCK_FREE == 2, "processes can share atomic counters");

static int slots_for(const scalay_plan *plan)
{
    return (int)scalay_ceil_div(plan->count, OFFERS);
}

static record *record_of(const shared_state *state, int local_rank)
{
    return scalay_node_record(state->plan->comm->node, state->plan->slots[0], local_rank);
}

static offer *offer_of(const shared_state *state, int local_rank, int matrix)
{
    record *at = scalay_node_record(state->plan->comm->node, state->plan->slots[matrix / OFFERS], local_rank);
    return &at->offers[matrix % OFFERS];
}

/* Peers can address an array to send if all elements are in one array of scalay_alloc(). */
static offer make_offer(const scalay_plan *plan, const shared_state *state, int matrix)
{
    const scalay_transfer *transfer = &plan->transfers[matrix];
    const int64_t size = (int64_t)transfer->packer.size;
    const int64_t start = transfer->from->span_start * size, bytes = transfer->from->span_end * size - start;
    offer own = {.ld = state->lds[plan->backward][matrix]};
    if (bytes > 0) own.location = scalay_array_find(transfer->source + start, bytes);
    own.location.offset -= start;
    return own;
}

/* Returns 1 if a channel is staged. Both ends compute the same result. */
static int is_staged(const shared_state *state, const path *at, int sends)
{
    const scalay_node *node = state->plan->comm->node;
    const int64_t token = sends ? node->members[at->local_rank].token : scalay_process_token();
    for (int k = 0; k < state->plan->count; k++) {
        if (at->channel->packages[k] == NULL) continue;
        const offer *from = offer_of(state, sends ? node->rank : at->local_rank, k);
        if (!scalay_array_is_known_to(from->location, token)) return 1;
    }
    return 0;
}

/* ------------------------------------------------------------------------------------------------ pool */

/* Divides the pool among the staged channels to send, before the execution is counted as begun. */
static void divide_pool(shared_state *state)
{
    const int own = state->plan->comm->node->rank;
    path_list *sends = sends_of(state);
    const int64_t bytes = scalay_pool_chunk_bytes(state->plan, state->staged_out);
    int64_t first = scalay_pool_first_chunk(state->plan->comm->node);
    for (path *at = sends->paths; at < sends->paths + sends->count; at++) {
        if (!at->staged) continue;
        at->ring->first = first;
        at->ring->chunk_bytes = at->chunk_bytes = bytes;
        at->chunks = scalay_node_pool(state->plan->comm->node, own) + first;
        first += SCALAY_POOL_CHUNKS * bytes;
    }
}

static char *chunk_of(const path *at, uint64_t chunk)
{
    return at->chunks + (int64_t)(chunk % SCALAY_POOL_CHUNKS) * at->chunk_bytes;
}

/* ------------------------------------------------------------------------------------------ executions */

static void start_path(const shared_state *state, path *at, int sends)
{
    const scalay_plan *plan = state->plan;
    const scalay_node *node = plan->comm->node;
    at->staged = is_staged(state, at, sends);
    if (!at->staged) return;
    at->stream = scalay_stream_start(plan->transfers, plan->count, at->channel, sends);
    at->ring =
        sends ? scalay_pool_ring(node, node->rank, at->local_rank) : scalay_pool_ring(node, at->local_rank, node->rank);
    if (sends) return; /* the pool is not divided yet */
    at->chunk_bytes = at->ring->chunk_bytes;
    at->chunks = scalay_node_pool(node, at->local_rank) + at->ring->first;
}

/* Executions use the pool in the order in which they started, which is the same on all ranks. Hence the earliest
   incomplete execution can always continue. */
static void join_pool_queue(shared_state *state)
{
    scalay_pool_request **end = &state->plan->comm->node->pool_queue;
    while (*end != NULL) end = &(*end)->next;
    state->request.next = NULL;
    *end = &state->request;
}

static void leave_pool_queue(shared_state *state)
{
    scalay_pool_request **at = &state->plan->comm->node->pool_queue;
    while (*at != NULL && *at != &state->request) at = &(*at)->next;
    if (*at != NULL) *at = state->request.next;
}

static void prepare_sends(shared_state *state)
{
    const scalay_plan *plan = state->plan;
    path_list *sends = sends_of(state);
    for (int k = 0; k < plan->count && sends->count > 0; k++)
        *offer_of(state, plan->comm->node->rank, k) = make_offer(plan, state, k);
    for (int64_t k = 0; k < sends->count; k++) {
        path *at = &sends->paths[k];
        start_path(state, at, 1);
        at->done = !at->staged;
        state->staged_out += at->staged;
    }
    if (state->staged_out > 0) join_pool_queue(state);
}

/* Counts the execution as begun, once. Staged channels need the pool first. Returns 1 if it did. */
static int publish(shared_state *state)
{
    scalay_node *node = state->plan->comm->node;
    const int backward = state->plan->backward;
    if (state->published) return 0;
    if (state->staged_out > 0 && node->pool_queue != &state->request) return 0;
    state->published = 1;
    if (state->staged_out > 0) divide_pool(state);
    if (sends_of(state)->count > 0)
        atomic_store_explicit(&record_of(state, node->rank)->begun[backward], state->executions[backward],
                              memory_order_release);
    return 1;
}

static int has_begun(const shared_state *state, const path *at)
{
    const int backward = state->plan->backward;
    return atomic_load_explicit(&record_of(state, at->local_rank)->begun[backward], memory_order_acquire) >=
           state->executions[backward];
}

static void finish_path(shared_state *state, path *at)
{
    at->done = 1;
    state->left--;
    (void)atomic_fetch_add_explicit(&record_of(state, at->local_rank)->taken[state->plan->backward], 1,
                                    memory_order_acq_rel);
}

/* Returns 1 if all channels that this rank sends in this execution are taken. */
static int is_taken(shared_state *state)
{
    const int backward = state->plan->backward;
    const path_list *sends = sends_of(state);
    if (sends->count == 0) return 1;
    const record *own = record_of(state, state->plan->comm->node->rank);
    return atomic_load_explicit(&own->taken[backward], memory_order_acquire) ==
           state->executions[backward] * (uint64_t)sends->count;
}

/* ------------------------------------------------------------------------------------- staged channels */

/* Packs chunks of a channel while the ring has space. Returns 1 if there was any. */
static int fill(shared_state *state, path *at)
{
    scalay_chunk_ring *chunks = at->ring;
    const uint64_t drained = atomic_load_explicit(&chunks->drained, memory_order_acquire);
    uint64_t filled = atomic_load_explicit(&chunks->filled, memory_order_relaxed);
    const uint64_t before = filled;
    while (!at->done && filled < drained + SCALAY_POOL_CHUNKS) {
        if (scalay_pool_pack(state->plan->comm->node, &at->stream, at->chunk_bytes, chunk_of(at, filled)) == 0) {
            at->done = 1;
            state->staged_out--;
            break;
        }
        atomic_store_explicit(&chunks->filled, ++filled, memory_order_release);
    }
    return filled != before;
}

/* Unpacks the chunks of a channel that are in the ring. Returns 1 if there was any. */
static int drain(shared_state *state, path *at)
{
    scalay_chunk_ring *chunks = at->ring;
    const uint64_t filled = atomic_load_explicit(&chunks->filled, memory_order_acquire);
    uint64_t drained = atomic_load_explicit(&chunks->drained, memory_order_relaxed);
    const uint64_t before = drained;
    for (; drained < filled; drained++) {
        state->drained += scalay_stream_unpack(&at->stream, at->chunk_bytes, chunk_of(at, drained));
        atomic_store_explicit(&chunks->drained, drained + 1, memory_order_release);
    }
    if (scalay_stream_next(&at->stream, at->chunk_bytes) == 0) finish_path(state, at);
    return drained != before;
}

/* ------------------------------------------------------------------------------------- direct channels */

/* Returns 1 if the array of the sender is transposed relative to op(A). */
static int is_transposed(const scalay_plan *plan, int matrix)
{
    return plan->matrices[matrix].op != SCALAY_NO_TRANSPOSE && !plan->backward;
}

/* The k-th package of one matrix to copy: that of the ready channel k, or the elements that stay on the rank. */
static scalay_origin origin_of(const shared_state *state, int64_t k, int matrix)
{
    const scalay_plan *plan = state->plan;
    const scalay_transfer *transfer = &plan->transfers[matrix];
    const path_list *receives = receives_of((shared_state *)state);
    if (k == receives->count) {
        const int copies = matrix >= state->kept.matrix && transfer->to->kept.elements > 0;
        return (scalay_origin){.package = copies ? &transfer->to->kept : NULL, .array = transfer->source};
    }
    const path *at = &receives->paths[k];
    if (!at->is_ready || at->channel->packages[matrix] == NULL) return (scalay_origin){.package = NULL};
    const offer *from = offer_of(state, at->local_rank, matrix);
    return (scalay_origin){.package = at->channel->packages[matrix],
                           .array = scalay_array_locate(from->location),
                           .ld = from->ld,
                           .transposed = is_transposed(plan, matrix)};
}

/* Copies the ready channels and the elements that stay on the rank together, panel by panel: a cache line of the
   target, which may receive elements from several ranks, is complete before it leaves the cache. */
static void copy_matrix(const shared_state *state, int matrix)
{
    const scalay_transfer *transfer = &state->plan->transfers[matrix];
    const int64_t channels = receives_of((shared_state *)state)->count;
    scalay_outline all = scalay_outline_empty();
    for (int64_t k = 0; k <= channels; k++) {
        const scalay_origin from = origin_of(state, k, matrix);
        if (from.package != NULL) scalay_outline_extend(from.package, &all);
    }
    if (all.blocks == 0) return;
    const int64_t kept_from = matrix == state->kept.matrix ? state->kept.column : INT64_MIN;
    const int64_t step = scalay_outline_panel(&all, transfer->packer.size);
    for (int64_t first = all.columns.first; first < all.columns.end; first += step) {
        const scalay_column_range columns = {first, scalay_min_int64(all.columns.end, first + step)};
        for (int64_t k = 0; k <= channels; k++) {
            const scalay_origin from = origin_of(state, k, matrix);
            const scalay_column_range rest = {k == channels ? scalay_max_int64(first, kept_from) : first, columns.end};
            if (from.package != NULL && rest.first < rest.end) scalay_copy_columns(transfer, &from, rest);
        }
    }
}

/* Copies the next panel of the elements that stay on the rank. */
static void copy_kept_panel(shared_state *state)
{
    kept_position *kept = &state->kept;
    const scalay_transfer *transfer = &state->plan->transfers[kept->matrix];
    const scalay_origin from = {.package = &transfer->to->kept, .array = transfer->source};
    scalay_outline all = scalay_outline_empty();
    if (from.package->elements > 0) {
        scalay_outline_extend(from.package, &all);
        const int64_t first = scalay_max_int64(all.columns.first, kept->column);
        const scalay_column_range columns = {
            first, scalay_min_int64(all.columns.end, first + scalay_outline_panel(&all, transfer->packer.size))};
        scalay_copy_columns(transfer, &from, columns);
        kept->column = columns.end;
        kept->done = (double)(columns.end - all.columns.first) / (double)(all.columns.end - all.columns.first);
    }
    if (from.package->elements == 0 || kept->column == all.columns.end)
        *kept = (kept_position){.matrix = kept->matrix + 1, .column = INT64_MIN};
}

static int is_kept_copied(const shared_state *state)
{
    return state->kept.matrix == state->plan->count;
}

/* Copies a panel of the elements that stay on the rank, if nothing else could be done, or if the staged channels are
   further: cache lines of the target that receive elements from several ranks are then complete before they leave the
   cache. Returns 1 if there was any. */
static int copy_kept(shared_state *state, int moved)
{
    if (is_kept_copied(state)) return 0;
    const double kept = ((double)state->kept.matrix + state->kept.done) / (double)state->plan->count;
    if (moved && kept * (double)state->to_drain > (double)state->drained) return 0;
    copy_kept_panel(state);
    return 1;
}

/* Starts the channels whose senders have begun. Returns the number of direct ones, and the number of channels whose
   senders have not begun. */
static int64_t find_ready(shared_state *state, int64_t *missing)
{
    path_list *receives = receives_of(state);
    int64_t ready = 0;
    *missing = 0;
    for (int64_t k = 0; k < receives->count; k++) {
        path *at = &receives->paths[k];
        at->is_ready = 0;
        if (at->done || at->staged) continue;
        if (!has_begun(state, at)) {
            ++*missing;
            continue;
        }
        start_path(state, at, 0);
        at->is_ready = !at->staged;
        ready += at->is_ready;
    }
    return ready;
}

/* Copies all ready channels together, which is faster than one by one. Returns 1 if there was anything to copy. */
static int copy_ready(shared_state *state, int waits)
{
    int64_t missing = 0;
    path_list *receives = receives_of(state);
    const int64_t ready = find_ready(state, &missing);
    if (ready == 0) return 0;
    if (waits && missing > 0 && state->steps_waited++ < PATIENCE) return 0;
    for (int k = 0; k < state->plan->count; k++) copy_matrix(state, k);
    state->kept = (kept_position){.matrix = state->plan->count};
    state->steps_waited = 0;
    for (int64_t k = 0; k < receives->count; k++)
        if (receives->paths[k].is_ready) finish_path(state, &receives->paths[k]);
    return 1;
}

/* ------------------------------------------------------------------------------------------------- window */

/* Returns the number of elements that a channel continues with: those before the window, or those in the window.
 *transfer: where they go. */
static int64_t next_elements(const shared_state *state, const path *at, const scalay_transfer **transfer)
{
    const int64_t late = scalay_cursor_elements_before(&at->stream.cursor, state->assembly.late);
    *transfer = late > 0 ? &state->plan->transfers[0] : &state->assembly.transfer;
    return late > 0 ? late : scalay_cursor_elements_before(&at->stream.cursor, state->assembly.end);
}

/* Unpacks the elements of a staged channel up to the end of the window, as far as they have arrived. Returns 1 if there
   was any. */
static int place_staged(shared_state *state, path *at)
{
    const int64_t size = (int64_t)state->plan->matrices[0].size;
    const scalay_transfer *to = NULL;
    scalay_chunk_ring *chunks = at->ring;
    const uint64_t filled = atomic_load_explicit(&chunks->filled, memory_order_acquire);
    uint64_t drained = atomic_load_explicit(&chunks->drained, memory_order_relaxed);
    int moved = 0;
    for (int64_t count; (count = next_elements(state, at, &to)) > 0;) {
        if (at->chunk_left == 0 && drained == filled) return moved;
        if (at->chunk_left == 0) {
            at->chunk_left = scalay_stream_next(&at->stream, at->chunk_bytes) / size;
            at->chunk = chunk_of(at, drained);
        }
        count = scalay_min_int64(count, at->chunk_left);
        scalay_cursor_unpack(&at->stream.cursor, &to->unpacker, at->chunk, to->target, count);
        at->chunk += count * size;
        at->chunk_left -= count;
        if (at->chunk_left == 0) atomic_store_explicit(&chunks->drained, ++drained, memory_order_release);
        moved = 1;
    }
    at->is_placed = 1;
    if (scalay_stream_next(&at->stream, at->chunk_bytes) == 0) finish_path(state, at);
    return moved;
}

/* Copies the elements of a direct channel (or those that stay on the rank) up to the end of the window. */
static void place_direct(shared_state *state, int64_t k)
{
    const scalay_assembly *assembly = &state->assembly;
    const scalay_origin from = origin_of(state, k, 0);
    const scalay_column_range late = {0, assembly->late}, columns = {assembly->first, assembly->end};
    if (from.package == NULL) return;
    if (assembly->first == assembly->late) scalay_copy_columns(&state->plan->transfers[0], &from, late);
    if (columns.first < columns.end) scalay_copy_columns(&assembly->transfer, &from, columns);
}

static int place_channel(shared_state *state, int64_t k)
{
    path *at = &receives_of(state)->paths[k];
    if (!at->staged) {
        if (!has_begun(state, at)) return 0;
        start_path(state, at, 0);
        at->is_ready = !at->staged;
    }
    if (at->staged) return place_staged(state, at);
    place_direct(state, k);
    at->is_placed = 1;
    return 1;
}

/* Writes the window if it is complete. Returns 1 if it was. */
static int flush_window(shared_state *state)
{
    path_list *receives = receives_of(state);
    for (int64_t k = 0; k < receives->count; k++)
        if (!receives->paths[k].done && !receives->paths[k].is_placed) return 0;
    scalay_assembly_flush(&state->assembly, state->plan);
    const int complete = state->assembly.is_complete;
    for (int64_t k = 0; k < receives->count; k++) {
        receives->paths[k].is_placed = 0;
        if (complete && !receives->paths[k].done) finish_path(state, &receives->paths[k]);
    }
    state->is_kept_placed = 0;
    if (complete) state->kept = (kept_position){.matrix = state->plan->count};
    return 1;
}

/* Places what has arrived in the window. Returns 1 if there was any. */
static int assemble(shared_state *state)
{
    path_list *receives = receives_of(state);
    int moved = 0;
    if (state->assembly.is_complete) return 0;
    for (int64_t k = 0; k < receives->count; k++)
        if (!receives->paths[k].done && !receives->paths[k].is_placed) moved |= place_channel(state, k);
    if (!state->is_kept_placed) {
        place_direct(state, receives->count);
        state->is_kept_placed = moved = 1;
    }
    return flush_window(state) || moved;
}

/* ------------------------------------------------------------------------------------------------- create */

static int is_applicable(const scalay_plan *plan, const char **reason)
{
    *reason = plan->in_place ? "in place, a rank would overwrite elements that its peers have not read yet"
                             : "the shortest predicted time";
    return !plan->in_place;
}

static int is_off_node(const void *context, int peer)
{
    const scalay_node *node = context;
    return !node->has_windows || scalay_node_local_rank(node, peer) < 0;
}

static int is_on_node(const void *context, int peer)
{
    return !is_off_node(context, peer);
}

/* A chunk in the pool costs two copies and a hand-over. Messages to other nodes have their part of the memory. */
static double predict(const scalay_plan *plan)
{
    const scalay_node *node = plan->comm->node;
    const scalay_exchange_options options = {
        .memory_bytes = scalay_exchange_bytes(plan), .takes = is_off_node, .context = node};
    const double messages = scalay_exchange_predict(plan, &options);
    const double kept = (double)plan->statistics.bytes_kept * plan->machine.seconds_per_byte_copied;
    if (!node->has_windows) return messages + kept;
    const int64_t chunk_bytes = scalay_pool_chunk_bytes(plan, scalay_min_int64(plan->source.count, node->size - 1));
    const scalay_channel_counts out = scalay_channels_count(&plan->source, chunk_bytes, is_on_node, node);
    const scalay_channel_counts in = scalay_channels_count(&plan->target, chunk_bytes, is_on_node, node);
    return messages + kept + (double)(out.bytes + in.bytes) * plan->machine.seconds_per_byte_copied +
           (double)(out.chunks + in.chunks) * HANDOVER_SECONDS;
}

static scalay_status list_paths(const scalay_plan *plan, const scalay_channel_list *channels, path_list *list)
{
    scalay_status status = SCALAY_SUCCESS;
    int64_t first = 0;
    SCALAY_TRY(SCALAY_NEW(list->paths, channels->count));
    while (first < channels->count && channels->channel[first].peer < plan->comm->rank) first++;
    for (int64_t k = 0; k < channels->count; k++) {
        const scalay_channel *channel = &channels->channel[(first + k) % channels->count];
        const int local_rank = scalay_node_local_rank(plan->comm->node, channel->peer);
        if (local_rank >= 0) list->paths[list->count++] = (path){.channel = channel, .local_rank = local_rank};
    }
cleanup:
    return status;
}

/* Returns the leading dimension of the array of this rank, which peers do not know. 0: it is that of the layout. */
static int64_t own_ld(const scalay_layout *layout, int rank)
{
    const int part = scalay_layout_part_of_process(layout, rank);
    return part >= 0 && scalay_layout_is_grid(layout) ? scalay_layout_cell(layout, part, 0).ld : 0;
}

static void share_memory(const scalay_plan *plan, shared_state *state)
{
    const scalay_node *node = plan->comm->node;
    if (!plan->has_slots || !node->has_windows) return;
    state->is_used = scalay_pool_chunk_bytes(plan, node->size - 1) >= plan->largest_element;
}

static int uses_messages(const void *context, int peer)
{
    const scalay_plan *plan = context;
    const shared_state *state = plan->transport_state;
    return !state->is_used || scalay_node_local_rank(plan->comm->node, peer) < 0;
}

static scalay_status new_state(scalay_plan *plan)
{
    scalay_status status = SCALAY_SUCCESS;
    shared_state *state = NULL;
    SCALAY_TRY(SCALAY_NEW(state, 1));
    plan->transport_state = state;
    state->plan = plan;
    for (int side = 0; side < 2; side++) SCALAY_TRY(SCALAY_NEW(state->lds[side], plan->count));
    for (int k = 0; k < plan->count; k++) {
        state->lds[0][k] = own_ld(plan->matrices[k].source_layout, plan->comm->rank);
        state->lds[1][k] = own_ld(plan->matrices[k].target_layout, plan->comm->rank);
    }
    share_memory(plan, state);
    if (state->is_used) {
        SCALAY_TRY(list_paths(plan, &plan->source, &state->source));
        SCALAY_TRY(list_paths(plan, &plan->target, &state->target));
    }
cleanup:
    return status;
}

/* Returns 1 if all peers are on this node. Otherwise messages place elements in columns that a window would overwrite.
 */
static int is_within_node(const scalay_plan *plan, const shared_state *state)
{
    return state->is_used && state->source.count == plan->source.count && state->target.count == plan->target.count;
}

static scalay_status create(scalay_plan *plan)
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(new_state(plan));
    shared_state *state = plan->transport_state;
    const scalay_exchange_options options = {
        .memory_bytes = scalay_exchange_bytes(plan), .takes = uses_messages, .context = plan};
    SCALAY_TRY(scalay_exchange_create(plan, &options, &state->exchange));
    if (is_within_node(plan, state))
        SCALAY_TRY(scalay_assembly_create(plan, plan->memory_bytes / SCALAY_WINDOW_PART, &state->assembly));
    const scalay_exchange_cost cost = scalay_exchange_get_cost(state->exchange);
    const int64_t staged = scalay_max_int64(scalay_pool_staged_bytes(plan, state->source.count),
                                            scalay_pool_staged_bytes(plan, state->target.count));
    plan->statistics.messages_sent = cost.messages_sent;
    plan->statistics.messages_received = cost.messages_received;
    plan->statistics.extra_bytes = cost.buffer_bytes + state->assembly.bytes_size + staged;
    plan->statistics.plan_bytes +=
        cost.state_bytes + (int64_t)sizeof *state + (plan->source.count + plan->target.count) * (int64_t)sizeof(path);
cleanup:
    return status;
}

static void destroy(scalay_plan *plan)
{
    shared_state *state = plan->transport_state;
    if (state == NULL) return;
    leave_pool_queue(state);
    scalay_exchange_destroy(&state->exchange);
    scalay_release(state->source.paths);
    scalay_release(state->target.paths);
    for (int side = 0; side < 2; side++) scalay_release(state->lds[side]);
    scalay_assembly_free(&state->assembly);
    scalay_release(state);
    plan->transport_state = NULL;
}

/* ------------------------------------------------------------------------------------------------ execute */

static scalay_status begin(scalay_plan *plan)
{
    scalay_status status = SCALAY_SUCCESS;
    shared_state *state = plan->transport_state;
    path_list *receives = receives_of(state);
    SCALAY_TRY(scalay_exchange_begin(state->exchange, plan));
    state->executions[plan->backward]++;
    state->published = state->exchanged = 0;
    state->kept = (kept_position){.column = INT64_MIN};
    state->staged_out = state->drained = state->to_drain = 0;
    state->steps_waited = 0;
    state->left = receives->count;
    for (int64_t k = 0; k < receives->count; k++) {
        path *at = &receives->paths[k];
        at->done = at->staged = at->is_placed = 0;
        at->chunk_left = 0;
        state->to_drain += at->channel->bytes;
    }
    state->is_kept_placed = 0;
    scalay_assembly_start(&state->assembly, plan);
    prepare_sends(state);
    (void)publish(state);
cleanup:
    return status;
}

static int is_complete(shared_state *state)
{
    return state->published && is_kept_copied(state) && state->exchanged && state->left == 0 &&
           state->staged_out == 0 && is_taken(state);
}

/* Copies and unpacks what has arrived. Returns 1 if there was any. */
static int receive(shared_state *state, int waits, int moved)
{
    path_list *receives = receives_of(state);
    moved |= copy_ready(state, waits);
    for (int64_t k = 0; k < receives->count && state->left > 0; k++)
        if (receives->paths[k].staged && !receives->paths[k].done) moved |= drain(state, &receives->paths[k]);
    return copy_kept(state, moved) || moved;
}

/* Makes one step of progress. *moved: 1 if there was any. */
static scalay_status step(shared_state *state, int waits, int *moved)
{
    scalay_status status = SCALAY_SUCCESS;
    path_list *sends = sends_of(state);
    *moved = publish(state);
    for (int64_t k = 0; k < sends->count && state->published && state->staged_out > 0; k++)
        if (!sends->paths[k].done) *moved |= fill(state, &sends->paths[k]);
    *moved |= state->assembly.is_used ? assemble(state) : receive(state, waits, *moved);
    if (!state->exchanged) SCALAY_TRY(scalay_exchange_advance(state->exchange, state->plan, 0, &state->exchanged));
cleanup:
    return status;
}

/* Enters MPI, so that messages of the caller, for which peers may wait, make progress. */
static scalay_status enter_mpi(const shared_state *state)
{
    int flag = 0;
    return scalay_mpi_check(
        MPI_Iprobe(MPI_ANY_SOURCE, state->plan->tag, state->plan->comm->mpi, &flag, MPI_STATUS_IGNORE), __func__,
        "MPI_Iprobe");
}

static scalay_status back_off(const shared_state *state, int64_t idle)
{
    if (idle < (state->plan->comm->node->is_oversubscribed ? SPINS_OVERSUBSCRIBED : SPINS)) return SCALAY_SUCCESS;
    (void)sched_yield();
    return idle % PROBE_EVERY == 0 ? enter_mpi(state) : SCALAY_SUCCESS;
}

static scalay_status advance(scalay_plan *plan, int waits, int *done)
{
    scalay_status status = SCALAY_SUCCESS;
    shared_state *state = plan->transport_state;
    int64_t idle = 0;
    int moved = 0;
    *done = 0;
    do {
        SCALAY_TRY(step(state, waits, &moved));
        *done = is_complete(state);
        if (!*done && !waits && !moved) SCALAY_TRY(enter_mpi(state));
        if (*done || !waits) break;
        idle = moved ? 0 : idle + 1;
        if (!moved) SCALAY_TRY(back_off(state, idle));
    } while (1);
cleanup:
    if (status != SCALAY_SUCCESS) scalay_exchange_abandon(state->exchange);
    if (*done || status != SCALAY_SUCCESS) leave_pool_queue(state);
    return status;
}

static int describe(const scalay_plan *plan, char *text, size_t size)
{
    const shared_state *state = plan->transport_state;
    if (!state->is_used)
        return snprintf(text, size, "no shared memory, %lld messages to this rank",
                        (long long)plan->statistics.messages_received);
    return snprintf(
        text, size, "%d ranks on the node, %lld channels to this rank on the node, %lld messages from other nodes",
        plan->comm->node->size, (long long)state->target.count, (long long)plan->statistics.messages_received);
}

const scalay_transport scalay_transport_shared = {.name = "shared",
                                                  .is_local = 1,
                                                  .slots_for = slots_for,
                                                  .applicable = is_applicable,
                                                  .predict = predict,
                                                  .create = create,
                                                  .begin = begin,
                                                  .advance = advance,
                                                  .destroy = destroy,
                                                  .describe = describe};
