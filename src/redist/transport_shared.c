/* Transport "shared": ranks of one node read each other's memory. Channels to other nodes use an exchange (messages).

   A rank that sends writes the locations of its arrays to its record on the board, and then counts the execution as
   begun. The receiver pulls the channel (pull.h), and then counts the channel as taken. An execution is complete when
   all channels of the rank are taken; there are no locks. For each channel one of three ways is chosen:
     - copied: the array is in shared memory of scalay_alloc();
     - read: the array is ordinary memory, and the kernel permits process_vm_readv;
     - staged: the sender packs chunks into its pool in shared memory, and the receiver unpacks them. A channel is
   staged if reading is not permitted, or if reading would fetch mostly other elements. Both ends choose the same way
   without communication. */
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>

#include "base/integer.h"
#include "base/memory.h"
#include "parallel/agree.h"
#include "parallel/shared_memory.h"
#include "redist/exchange.h"
#include "redist/pull.h"

enum {
    ALIGNMENT = 64, /* of data that different ranks write, in bytes */
    CHUNKS = 2      /* chunks in the pool per staged channel */
};

/* ---------------------------------------------------------------------------------------------- state */

/* A channel whose peer is on this node. */
typedef struct {
    const scalay_channel *channel;
    int local_rank;     /* of the peer */
    int is_wasteful[2]; /* [sends]: reading the channel would fetch too many other elements */
    int staged;         /* in this execution */
    int pulled;         /* in this step */
    int done;
    scalay_stream stream; /* if staged */
} path;

/* The channels of one side of a plan whose peer is on this node. */
typedef struct {
    path *paths; /* shape [count], by ascending distance from this rank */
    int64_t count;
} path_list;

typedef struct {
    scalay_exchange *exchange; /* of the other channels */
    int *slots;                /* shape [slot_count], on the board */
    int slot_count;
    int is_on_board; /* 1: the slots are acquired */
    int is_used;     /* 1: channels on this node use shared memory */
    path_list source;
    path_list target;
    int64_t *lds[2];        /* shape [matrices]: leading dimensions of this rank in the sources and in the targets */
    scalay_origin *origins; /* shape [paths + 1] */
    char *scratch;          /* shape [scratch_bytes] */
    int64_t scratch_bytes;
    int64_t chunk_bytes;    /* of a staged channel */
    uint64_t executions[2]; /* [backward]: executions that have begun */
    /* The pending execution. */
    int published;
    int kept; /* 1: the elements that stay on the rank are copied */
    int exchanged;
    int64_t staged_out; /* channels that are still packed */
    int64_t left;       /* channels that are not received yet */
    int looks;          /* at the board while channels were not ready */
    scalay_pool_request request;
    scalay_plan *plan;
} shared_state;

/* Location of an array of the sender. */
typedef struct {
    scalay_array_location location; /* of element 0; .array is 0 if it is not in an array of scalay_alloc() */
    uint64_t address;               /* in the sender */
    int64_t ld;                     /* 0: that of the layout */
} offer;

static path_list *sends_of(shared_state *state)
{
    return state->plan->backward ? &state->target : &state->source;
}

static path_list *receives_of(shared_state *state)
{
    return state->plan->backward ? &state->source : &state->target;
}

/* ---------------------------------------------------------------------------------------------- board */

enum {
    OFFERS = 3 /* per record */
};

/* A record on the board; index [backward]. A plan with more matrices has several records, for their offers. */
typedef struct {
    _Alignas(ALIGNMENT) _Atomic uint64_t begun[2]; /* executions that this rank has started to send */
    _Alignas(ALIGNMENT) _Atomic uint64_t taken[2]; /* channels that peers have finished to read, over all executions */
    _Alignas(ALIGNMENT) offer offers[OFFERS];
} record;

_Static_assert(sizeof(record) <= SCALAY_RECORD_BYTES, "a record fits into its local_rank on the board");
_Static_assert(ATOMIC_LLONG_LOCK_FREE == 2, "processes share counters, but no locks");

static int slots_for(int matrices)
{
    return (int)scalay_ceil_div(matrices, OFFERS);
}

static record *record_of(const shared_state *state, int local_rank)
{
    return scalay_node_record(state->plan->comm->node, state->slots[0], local_rank);
}

static offer *offer_of(const shared_state *state, int local_rank, int matrix)
{
    record *at = scalay_node_record(state->plan->comm->node, state->slots[matrix / OFFERS], local_rank);
    return &at->offers[matrix % OFFERS];
}

/* Returns the location of an array to send. Peers can address the array if all elements are in one array of
   scalay_alloc(). */
static offer make_offer(const scalay_plan *plan, const shared_state *state, int matrix)
{
    const scalay_transfer *transfer = &plan->transfers[matrix];
    const int64_t size = (int64_t)transfer->packer.size;
    const int64_t start = transfer->from->span_start * size, bytes = transfer->from->span_end * size - start;
    offer offered = {.address = (uint64_t)(uintptr_t)transfer->source, .ld = state->lds[plan->backward][matrix]};
    if (bytes > 0) offered.location = scalay_array_find(transfer->source + start, bytes);
    offered.location.offset -= start;
    return offered;
}

/* Returns 1 if a channel is staged. Both ends compute the same result. */
static int is_staged(const shared_state *state, const path *at, int sends)
{
    const scalay_node *node = state->plan->comm->node;
    for (int k = 0; k < state->plan->count; k++) {
        if (at->channel->packages[k] == NULL) continue;
        const offer *from = offer_of(state, sends ? node->rank : at->local_rank, k);
        const int64_t token = sends ? node->members[at->local_rank].token : scalay_process_token();
        if (!scalay_array_is_known_to(from->location, token)) return at->is_wasteful[sends];
    }
    return 0;
}

static void start_path(const shared_state *state, path *at, int sends)
{
    const scalay_plan *plan = state->plan;
    at->staged = is_staged(state, at, sends);
    if (at->staged) at->stream = scalay_stream_start(plan->transfers, plan->count, at->channel, sends);
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

static int publish(shared_state *state)
{
    scalay_node *node = state->plan->comm->node;
    const int backward = state->plan->backward;
    if (state->published) return 0;
    if (state->staged_out > 0 && node->pool_queue != &state->request) return 0;
    state->published = 1;
    if (sends_of(state)->count > 0)
        atomic_store_explicit(&record_of(state, node->rank)->begun[backward], state->executions[backward],
                              memory_order_release);
    return 1;
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

static int has_begun(const shared_state *state, const path *at)
{
    const int backward = state->plan->backward;
    return atomic_load_explicit(&record_of(state, at->local_rank)->begun[backward], memory_order_acquire) >=
           state->executions[backward];
}

static int is_taken(shared_state *state)
{
    const int backward = state->plan->backward;
    const path_list *sends = sends_of(state);
    if (sends->count == 0) return 1;
    const record *own = record_of(state, state->plan->comm->node->rank);
    return atomic_load_explicit(&own->taken[backward], memory_order_acquire) ==
           state->executions[backward] * (uint64_t)sends->count;
}

static void finish_path(shared_state *state, path *at)
{
    at->done = 1;
    state->left--;
    (void)atomic_fetch_add_explicit(&record_of(state, at->local_rank)->taken[state->plan->backward], 1,
                                    memory_order_acq_rel);
}

/* ------------------------------------------------------------------------------------------------ pool */

/* Counters of the chunks of a staged channel, over all executions of all plans. The pool of the sender begins with
   one ring per receiver. */
typedef struct {
    _Alignas(ALIGNMENT) _Atomic uint64_t filled;
    _Alignas(ALIGNMENT) _Atomic uint64_t drained;
} ring;

static int64_t chunk_bytes_for(const scalay_node *node, int64_t most)
{
    const int64_t rings = node->size * (int64_t)sizeof(ring);
    const int64_t pool = scalay_min_int64(node->pool_bytes - rings, most);
    return pool / (node->size - 1) / CHUNKS / ALIGNMENT * ALIGNMENT;
}

static ring *ring_of(const shared_state *state, int sender, int receiver)
{
    return (ring *)(void *)scalay_node_pool(state->plan->comm->node, sender) + receiver;
}

static char *chunk_of(const shared_state *state, int sender, int receiver, uint64_t chunk)
{
    const scalay_node *node = state->plan->comm->node;
    const int64_t index = (receiver - (receiver > sender)) * (int64_t)CHUNKS + (int64_t)(chunk % CHUNKS);
    return scalay_node_pool(node, sender) + node->size * (int64_t)sizeof(ring) + index * state->chunk_bytes;
}

static int fill(shared_state *state, path *at)
{
    const int own = state->plan->comm->node->rank;
    ring *chunks = ring_of(state, own, at->local_rank);
    const uint64_t drained = atomic_load_explicit(&chunks->drained, memory_order_acquire);
    uint64_t filled = atomic_load_explicit(&chunks->filled, memory_order_relaxed);
    const uint64_t before = filled;
    while (!at->done && filled < drained + CHUNKS) {
        if (scalay_stream_pack(&at->stream, state->chunk_bytes, chunk_of(state, own, at->local_rank, filled)) == 0) {
            at->done = 1;
            state->staged_out--;
            break;
        }
        atomic_store_explicit(&chunks->filled, ++filled, memory_order_release);
    }
    return filled != before;
}

static int drain(shared_state *state, path *at)
{
    const int own = state->plan->comm->node->rank;
    ring *chunks = ring_of(state, at->local_rank, own);
    const uint64_t filled = atomic_load_explicit(&chunks->filled, memory_order_acquire);
    uint64_t drained = atomic_load_explicit(&chunks->drained, memory_order_relaxed);
    const uint64_t before = drained;
    for (; drained < filled; drained++) {
        (void)scalay_stream_unpack(&at->stream, state->chunk_bytes, chunk_of(state, at->local_rank, own, drained));
        atomic_store_explicit(&chunks->drained, drained + 1, memory_order_release);
    }
    if (scalay_stream_next(&at->stream, state->chunk_bytes) == 0) finish_path(state, at);
    return drained != before;
}

enum {
    SCRATCH_BYTES = 262144,
    SMALL_BYTES = 8192,       /* channels up to this length are staged */
    PATIENCE = 64,            /* steps before the ready channels are pulled although others are not ready */
    SPINS = 256,              /* steps before the processor is yielded */
    SPINS_OVERSUBSCRIBED = 2, /* the same on an oversubscribed node */
    PROBE_EVERY = 16          /* yields between two calls of MPI */
};

static int is_applicable(const scalay_plan *plan, const char **reason)
{
    *reason = plan->in_place ? "in local_rank, a rank would overwrite what its peers are still to read"
                             : "ranks of a node share memory";
    return !plan->in_place;
}

static int helps(const scalay_plan *plan)
{
    return plan->comm->node->is_used;
}

/* ------------------------------------------------------------------------------------------------- create */

/* Returns 1 if the array of the sender is transposed relative to op(A). */
static int is_transposed(const scalay_planned_matrix *part, int backward)
{
    return part->op != SCALAY_NO_TRANSPOSE && !backward;
}

/* Reading is slower than staging if less than half of the bytes read are needed, or if there is little to read,
   because each read is a system call. Long lines do not fit into the buffer. */
static int is_wasteful(const scalay_plan *plan, const shared_state *state, const scalay_channel *channel, int at_remote,
                       int backward)
{
    int64_t wanted = 0, read = 0, longest = 0;
    for (int k = 0; k < plan->count; k++) {
        const scalay_planned_matrix *part = &plan->matrices[k];
        scalay_line_cost cost = {0};
        if (channel->packages[k] == NULL) continue;
        scalay_package_lines(channel->packages[k], at_remote, is_transposed(part, backward), &cost);
        wanted += channel->packages[k]->elements * (int64_t)part->size;
        read += cost.read * (int64_t)part->size;
        longest = scalay_max_int64(longest, cost.longest * (int64_t)part->size);
    }
    return !plan->comm->node->can_read || longest > state->scratch_bytes || read > 2 * wanted || wanted <= SMALL_BYTES;
}

static scalay_status list_paths(const scalay_plan *plan, const shared_state *state, const scalay_channel_list *channels,
                                path_list *list)
{
    scalay_status status = SCALAY_SUCCESS;
    const scalay_node *node = plan->comm->node;
    const int is_target = channels == &plan->target;
    int64_t first = 0;
    if (!state->is_used) goto cleanup;
    SCALAY_TRY(SCALAY_NEW(list->paths, channels->count));
    while (first < channels->count && channels->channel[first].peer < plan->comm->rank) first++;
    for (int64_t k = 0; k < channels->count; k++) {
        const scalay_channel *channel = &channels->channel[(first + k) % channels->count];
        const int local_rank = scalay_node_local_rank(node, channel->peer);
        if (local_rank < 0) continue;
        path *added = &list->paths[list->count++];
        *added = (path){.channel = channel, .local_rank = local_rank};
        /* a target sends in the backward direction and receives in the forward direction */
        added->is_wasteful[1] = is_wasteful(plan, state, channel, 0, is_target);
        added->is_wasteful[0] = is_wasteful(plan, state, channel, 1, !is_target);
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

/* Half of the memory limit is for messages, a quarter for reading, a quarter for staging; the same on all ranks of a
   node. */
static void share_memory(const scalay_plan *plan, shared_state *state)
{
    const scalay_node *node = plan->comm->node;
    const int64_t quarter = plan->memory_bytes / 4;
    state->scratch_bytes = scalay_min_int64(SCRATCH_BYTES, quarter);
    if (!node->has_windows) return;
    state->chunk_bytes = chunk_bytes_for(node, quarter);
    state->is_used = state->chunk_bytes >= plan->largest_element;
}

static scalay_status new_state(scalay_plan *plan)
{
    scalay_status status = SCALAY_SUCCESS;
    shared_state *state = NULL;
    SCALAY_TRY(SCALAY_NEW(state, 1));
    plan->transport_state = state;
    state->plan = plan;
    state->slot_count = slots_for(plan->count);
    SCALAY_TRY(SCALAY_NEW(state->slots, state->slot_count));
    for (int side = 0; side < 2; side++) SCALAY_TRY(SCALAY_NEW(state->lds[side], plan->count));
    for (int k = 0; k < plan->count; k++) {
        state->lds[0][k] = own_ld(plan->matrices[k].source_layout, plan->comm->rank);
        state->lds[1][k] = own_ld(plan->matrices[k].target_layout, plan->comm->rank);
    }
cleanup:
    return status;
}

static scalay_status new_paths(scalay_plan *plan, shared_state *state)
{
    scalay_status status = SCALAY_SUCCESS;
    if (state->is_on_board) share_memory(plan, state);
    SCALAY_TRY(list_paths(plan, state, &plan->source, &state->source));
    SCALAY_TRY(list_paths(plan, state, &plan->target, &state->target));
    const int64_t most = scalay_max_int64(state->source.count, state->target.count);
    SCALAY_TRY(SCALAY_NEW(state->origins, most + 1));
    if (most > 0) SCALAY_TRY(SCALAY_NEW(state->scratch, state->scratch_bytes));
    plan->statistics.extra_bytes = 0;
    if (most > 0) plan->statistics.extra_bytes = state->scratch_bytes;
    if (most > 0) plan->statistics.extra_bytes += most * CHUNKS * state->chunk_bytes;
    plan->statistics.plan_bytes += (int64_t)sizeof *state + (most + 1) * (int64_t)sizeof(scalay_origin) +
                                   (plan->source.count + plan->target.count) * (int64_t)sizeof(path);
cleanup:
    return status;
}

static int goes_by_message(const void *context, int peer)
{
    const scalay_plan *plan = context;
    const shared_state *state = plan->transport_state;
    return !state->is_used || scalay_node_local_rank(plan->comm->node, peer) < 0;
}

static scalay_status create(scalay_plan *plan)
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(scalay_comm_agree(plan->comm, new_state(plan)));
    shared_state *state = plan->transport_state;
    SCALAY_TRY(scalay_node_enable_reading(plan->comm));
    SCALAY_TRY(scalay_node_acquire_slots(plan->comm, state->slot_count, state->slots, &state->is_on_board));
    SCALAY_TRY(scalay_comm_agree(plan->comm, new_paths(plan, state)));
    const scalay_exchange_options options = {
        .memory_bytes = plan->memory_bytes / 2, .takes = goes_by_message, .context = plan};
    SCALAY_TRY(scalay_exchange_create(plan, &options, &state->exchange));
    const scalay_exchange_cost cost = scalay_exchange_get_cost(state->exchange);
    plan->statistics.messages_sent = cost.messages_sent;
    plan->statistics.messages_received = cost.messages_received;
    plan->statistics.rounds = plan->statistics.volume > 0;
    plan->statistics.extra_bytes += cost.buffer_bytes;
    plan->statistics.plan_bytes += cost.state_bytes;
cleanup:
    return status;
}

static void destroy(scalay_plan *plan)
{
    shared_state *state = plan->transport_state;
    if (state == NULL) return;
    scalay_exchange_destroy(&state->exchange);
    if (state->is_on_board) scalay_node_release_slots(plan->comm, state->slot_count, state->slots);
    scalay_release(state->slots);
    scalay_release(state->source.paths);
    scalay_release(state->target.paths);
    for (int side = 0; side < 2; side++) scalay_release(state->lds[side]);
    scalay_release(state->origins);
    scalay_release(state->scratch);
    scalay_release(state);
    plan->transport_state = NULL;
}

/* ------------------------------------------------------------------------------------------------ pulling */

/* Returns the origin of the elements of one matrix in a channel. */
static scalay_origin origin_of(const shared_state *state, const path *at, int matrix)
{
    const scalay_plan *plan = state->plan;
    const offer *from = offer_of(state, at->local_rank, matrix);
    const char *seen = scalay_array_locate(from->location);
    return (scalay_origin){.package = at->channel->packages[matrix],
                           .remote = seen != NULL ? seen : (const char *)(uintptr_t)from->address,
                           .local_rank = seen != NULL ? -1 : at->local_rank,
                           .ld = from->ld,
                           .transposed = is_transposed(&plan->matrices[matrix], plan->backward)};
}

static scalay_status pull_matrix(shared_state *state, int matrix)
{
    const scalay_plan *plan = state->plan;
    const scalay_transfer *transfer = &plan->transfers[matrix];
    const path_list *receives = receives_of(state);
    const scalay_scratch scratch = {plan->comm->node, state->scratch, state->scratch_bytes};
    int64_t count = 0;
    if (!state->kept && transfer->to->kept.elements > 0)
        state->origins[count++] =
            (scalay_origin){.package = &transfer->to->kept, .remote = transfer->source, .local_rank = -1};
    for (int64_t k = 0; k < receives->count; k++) {
        const path *at = &receives->paths[k];
        if (at->pulled && at->channel->packages[matrix] != NULL) state->origins[count++] = origin_of(state, at, matrix);
    }
    return scalay_pull(transfer->to, state->origins, count, &transfer->unpacker, transfer->target, scratch);
}

/* Finds the channels that can be pulled. Returns their number, and the number of channels whose senders have not
   started. */
static int64_t find_ready(shared_state *state, int64_t *missing)
{
    path_list *receives = receives_of(state);
    int64_t ready = 0;
    *missing = 0;
    for (int64_t k = 0; k < receives->count; k++) {
        path *at = &receives->paths[k];
        at->pulled = 0;
        if (at->done || at->staged) continue;
        if (!has_begun(state, at)) {
            ++*missing;
            continue;
        }
        start_path(state, at, 0);
        at->pulled = !at->staged;
        ready += at->pulled;
    }
    return ready;
}

/* Pulls all ready channels together, which is faster than one by one. */
static scalay_status pull(shared_state *state, int waits, int *moved)
{
    scalay_status status = SCALAY_SUCCESS;
    int64_t missing = 0;
    path_list *receives = receives_of(state);
    const int64_t ready = find_ready(state, &missing);
    if (ready == 0 && state->kept) goto cleanup;
    if (waits && missing > 0 && state->looks++ < PATIENCE) goto cleanup;
    for (int k = 0; k < state->plan->count; k++) SCALAY_TRY(pull_matrix(state, k));
    state->kept = 1;
    state->looks = 0;
    *moved = 1;
    for (int64_t k = 0; k < receives->count; k++)
        if (receives->paths[k].pulled) finish_path(state, &receives->paths[k]);
cleanup:
    return status;
}

/* ------------------------------------------------------------------------------------------------ moving */

static scalay_status begin(scalay_plan *plan)
{
    scalay_status status = SCALAY_SUCCESS;
    shared_state *state = plan->transport_state;
    path_list *receives = receives_of(state);
    SCALAY_TRY(scalay_exchange_begin(state->exchange, plan));
    state->executions[plan->backward]++;
    state->published = state->kept = state->exchanged = 0;
    state->staged_out = 0;
    state->looks = 0;
    state->left = receives->count;
    for (int64_t k = 0; k < receives->count; k++) receives->paths[k].done = receives->paths[k].staged = 0;
    prepare_sends(state);
    (void)publish(state);
cleanup:
    return status;
}

static int is_done(shared_state *state)
{
    return state->published && state->kept && state->exchanged && state->left == 0 && state->staged_out == 0 &&
           is_taken(state);
}

/* Makes one step of progress. *moved: 1 if there was any. */
static scalay_status step(shared_state *state, int waits, int *moved)
{
    scalay_status status = SCALAY_SUCCESS;
    path_list *sends = sends_of(state), *receives = receives_of(state);
    *moved = publish(state);
    for (int64_t k = 0; k < sends->count && state->published && state->staged_out > 0; k++)
        if (!sends->paths[k].done) *moved |= fill(state, &sends->paths[k]);
    SCALAY_TRY(pull(state, waits, moved));
    for (int64_t k = 0; k < receives->count && state->left > 0; k++)
        if (receives->paths[k].staged && !receives->paths[k].done) *moved |= drain(state, &receives->paths[k]);
    if (!state->exchanged) SCALAY_TRY(scalay_exchange_advance(state->exchange, state->plan, 0, &state->exchanged));
cleanup:
    return status;
}

/* Enters MPI, so that messages of the caller, for which peers may wait, make progress. */
static scalay_status probe(const shared_state *state)
{
    int flag = 0;
    return scalay_mpi_check(
        MPI_Iprobe(MPI_ANY_SOURCE, state->plan->tag, state->plan->comm->mpi, &flag, MPI_STATUS_IGNORE), __func__,
        "MPI_Iprobe");
}

static scalay_status back_off(const shared_state *state, int64_t idle)
{
    scalay_status status = SCALAY_SUCCESS;
    if (idle < (state->plan->comm->node->is_oversubscribed ? SPINS_OVERSUBSCRIBED : SPINS)) goto cleanup;
    (void)sched_yield();
    if (idle % PROBE_EVERY != 0) goto cleanup;
    SCALAY_TRY(probe(state));
cleanup:
    return status;
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
        *done = is_done(state);
        if (!*done && !waits && !moved) SCALAY_TRY(probe(state));
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
    const scalay_node *node = plan->comm->node;
    const shared_state *state = plan->transport_state;
    if (!state->is_used)
        return snprintf(text, size, "no shared memory, %lld messages to this rank",
                        (long long)plan->statistics.messages_received);
    return snprintf(
        text, size,
        "%d ranks on the node, which copy arrays of scalay_alloc and %s others; %lld channels to this rank on "
        "the node, %lld messages from other nodes",
        node->size, node->can_read ? "read" : "stage", (long long)state->target.count,
        (long long)plan->statistics.messages_received);
}

const scalay_transport scalay_transport_shared = {.name = "shared",
                                                  .applicable = is_applicable,
                                                  .helps = helps,
                                                  .create = create,
                                                  .begin = begin,
                                                  .advance = advance,
                                                  .destroy = destroy,
                                                  .describe = describe};
