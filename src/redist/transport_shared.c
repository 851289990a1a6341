/* "shared": the ranks of a node read each other's memory; lanes to other nodes go by messages.

   A rank that sends puts on the board where its arrays are, and counts the move there; who has a lane from it pulls
   (pull.h), and counts that, too. What is in arrays of scalay_alloc() is seen, anything else is read through the
   kernel, or staged: packed by the sender into its pool, chunk by chunk, and unpacked from there by the receiver. A
   lane is staged when the machine lets nobody read, or when reading would fetch much that is not wanted. Both ends
   tell for themselves which way a lane goes. */

#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>

#include "core/agree.h"
#include "core/array.h"
#include "core/integer.h"
#include "core/memory.h"
#include "redist/exchange.h"
#include "redist/pull.h"

enum {
    OFFERS = 3, /* in a record */
    CHUNKS = 2, /* of a staged lane */
    ALIGNMENT = 64,
    SCRATCH_BYTES = 262144,
    SMALL_BYTES = 8192, /* a lane so short is staged */
    PATIENCE = 64,      /* looks at the board before less than all is pulled */
    SPINS = 256,        /* looks at the board before the processor is left to others */
    SPINS_CROWDED = 2,  /* where there are fewer processors than ranks */
    PROBE_EVERY = 16    /* times that the processor was left to others */
};

/* Where one of the sender's arrays is. */
typedef struct {
    scalay_array_place place; /* of its element 0 */
    uint64_t address;
    int64_t ld; /* 0: as the layout says */
} offer;

/* On the board; [back] are moves in that direction. An object of more matrices has more records, for their offers. */
typedef struct {
    _Alignas(ALIGNMENT) _Atomic uint64_t begun[2]; /* moves that the rank has begun to send */
    _Alignas(ALIGNMENT) _Atomic uint64_t taken[2]; /* lanes of it that have been taken, of all moves */
    _Alignas(ALIGNMENT) offer offers[OFFERS];
} record;

_Static_assert(sizeof(record) <= SCALAY_RECORD_BYTES, "a record fits into its place on the board");
_Static_assert(ATOMIC_LLONG_LOCK_FREE == 2, "processes share counters, but no locks");

/* Chunks of a staged lane so far, of all moves of all plans: at the beginning of the sender's pool, by receivers. */
typedef struct {
    _Alignas(ALIGNMENT) _Atomic uint64_t filled;
    _Alignas(ALIGNMENT) _Atomic uint64_t drained;
} ring;

/* A lane whose other end is on this node. */
typedef struct {
    const scalay_lane *lane;
    int place;
    int is_wasteful[2]; /* [sends]: reading it would fetch too much, as this end sees it when it sends or receives */
    int staged;         /* in the move under way */
    int pulled;         /* in this step */
    int done;
    scalay_stream stream; /* when staged */
} path;

typedef struct {
    path *paths; /* shape [count]: by ascending distance from this rank */
    int64_t count;
} path_list;

typedef struct {
    scalay_exchange *exchange; /* of the other lanes */
    int *slots;                /* shape [slot_count] */
    int slot_count;
    int is_on_board; /* it has slots */
    int is_used;     /* lanes on this node go this way */
    path_list source;
    path_list target;
    int64_t *lds[2];        /* shape [matrices]: of the rank's arrays of the sources, and of the targets */
    scalay_origin *origins; /* shape [paths + 1] */
    char *scratch;          /* shape [scratch_bytes] */
    int64_t scratch_bytes;
    int64_t chunk_bytes; /* of a staged lane */
    uint64_t moves[2];   /* begun so far */
    /* the move under way */
    int published;
    int kept; /* what stays on the rank has been copied */
    int exchanged;
    int64_t staged_out; /* lanes that are being packed */
    int64_t left;       /* lanes that are still to come */
    int looks;          /* at lanes that were not ready */
    scalay_turn turn;   /* for the pool */
    scalay_plan *plan;
} shared_state;

static int is_applicable(const scalay_plan *plan, const char **reason)
{
    *reason = plan->in_place ? "in place, a rank would overwrite what its peers are still to read"
                             : "ranks of a node share memory";
    return !plan->in_place;
}

static int helps(const scalay_plan *plan)
{
    return plan->comm->node->is_used;
}

/* ------------------------------------------------------------------------------------------------- create */

/* Whether the sender's array of a matrix is transposed against op(A). */
static int is_transposed(const scalay_plan_part *part, int back)
{
    return part->op != SCALAY_NO_TRANSPOSE && !back;
}

/* Reading is dearer than staging when less than half of what is read is wanted, and when there is little to read: it
   calls the kernel. Long lines do not fit the buffer. */
static int is_wasteful(const scalay_plan *plan, const shared_state *state, const scalay_lane *lane, int at_far,
                       int back)
{
    int64_t wanted = 0, read = 0, longest = 0;
    for (int k = 0; k < plan->count; k++) {
        const scalay_plan_part *part = &plan->parts[k];
        scalay_line_cost cost = {0};
        if (lane->parcels[k] == NULL) continue;
        scalay_parcel_lines(lane->parcels[k], at_far, is_transposed(part, back), &cost);
        wanted += lane->parcels[k]->elements * (int64_t)part->size;
        read += cost.read * (int64_t)part->size;
        longest = scalay_max_int64(longest, cost.longest * (int64_t)part->size);
    }
    return !plan->comm->node->can_read || longest > state->scratch_bytes || read > 2 * wanted || wanted <= SMALL_BYTES;
}

static scalay_status list_paths(const scalay_plan *plan, const shared_state *state, const scalay_lane_list *lanes,
                                path_list *list)
{
    scalay_status status = SCALAY_SUCCESS;
    const scalay_node *node = plan->comm->node;
    const int is_target = lanes == &plan->target;
    int64_t first = 0;
    if (!state->is_used) goto cleanup;
    SCALAY_TRY(SCALAY_NEW(list->paths, lanes->count));
    while (first < lanes->count && lanes->lane[first].peer < plan->comm->rank) first++;
    for (int64_t k = 0; k < lanes->count; k++) {
        const scalay_lane *lane = &lanes->lane[(first + k) % lanes->count];
        const int place = scalay_node_place(node, lane->peer);
        if (place < 0) continue;
        path *added = &list->paths[list->count++];
        *added = (path){.lane = lane, .place = place};
        /* the sources send forth; the targets send back, and receive forth */
        added->is_wasteful[1] = is_wasteful(plan, state, lane, 0, is_target);
        added->is_wasteful[0] = is_wasteful(plan, state, lane, 1, !is_target);
    }
cleanup:
    return status;
}

/* The leading dimension of a rank's array that only the rank may know: a grid has one for the whole array. */
static int64_t own_ld(const scalay_layout *layout, int rank)
{
    const int part = scalay_layout_part_of_process(layout, rank);
    return part >= 0 && scalay_layout_is_grid(layout) ? scalay_layout_cell(layout, part, 0).ld : 0;
}

static int64_t largest_element(const scalay_plan *plan)
{
    int64_t largest = 1;
    for (int k = 0; k < plan->count; k++) largest = scalay_max_int64(largest, (int64_t)plan->parts[k].size);
    return largest;
}

/* Half of the memory is for messages, a quarter for reading, a quarter for staging: the same on all ranks of a node. */
static void share_memory(const scalay_plan *plan, shared_state *state)
{
    const scalay_node *node = plan->comm->node;
    const int64_t quarter = plan->memory_bytes / 4;
    state->scratch_bytes = scalay_min_int64(SCRATCH_BYTES, quarter);
    if (!node->has_windows) return;
    const int64_t rings = node->size * (int64_t)sizeof(ring);
    const int64_t pool = scalay_min_int64(node->pool_bytes - rings, quarter);
    state->chunk_bytes = pool / (node->size - 1) / CHUNKS / ALIGNMENT * ALIGNMENT;
    state->is_used = state->chunk_bytes >= largest_element(plan);
}

static scalay_status new_state(scalay_plan *plan)
{
    scalay_status status = SCALAY_SUCCESS;
    shared_state *state = NULL;
    SCALAY_TRY(SCALAY_NEW(state, 1));
    plan->transport_state = state;
    state->plan = plan;
    state->slot_count = (int)scalay_ceil_div(plan->count, OFFERS);
    SCALAY_TRY(SCALAY_NEW(state->slots, state->slot_count));
    for (int side = 0; side < 2; side++) SCALAY_TRY(SCALAY_NEW(state->lds[side], plan->count));
    for (int k = 0; k < plan->count; k++) {
        state->lds[0][k] = own_ld(plan->parts[k].source_layout, plan->comm->rank);
        state->lds[1][k] = own_ld(plan->parts[k].target_layout, plan->comm->rank);
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
    return !state->is_used || scalay_node_place(plan->comm->node, peer) < 0;
}

static scalay_status create(scalay_plan *plan)
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(scalay_comm_agree(plan->comm, new_state(plan)));
    shared_state *state = plan->transport_state;
    SCALAY_TRY(scalay_node_take(plan->comm, state->slot_count, state->slots, &state->is_on_board));
    SCALAY_TRY(scalay_comm_agree(plan->comm, new_paths(plan, state)));
    const scalay_exchange_options options = {
        .memory_bytes = plan->memory_bytes / 2, .takes = goes_by_message, .context = plan};
    SCALAY_TRY(scalay_exchange_create(plan, &options, &state->exchange));
    const scalay_exchange_cost cost = scalay_exchange_get_cost(state->exchange);
    plan->statistics.messages_sent = cost.messages_sent;
    plan->statistics.messages_received = cost.messages_received;
    plan->statistics.global_steps = plan->statistics.volume > 0;
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
    if (state->is_on_board) scalay_node_give_back(plan->comm, state->slot_count, state->slots);
    scalay_release(state->slots);
    scalay_release(state->source.paths);
    scalay_release(state->target.paths);
    for (int side = 0; side < 2; side++) scalay_release(state->lds[side]);
    scalay_release(state->origins);
    scalay_release(state->scratch);
    scalay_release(state);
    plan->transport_state = NULL;
}

/* --------------------------------------------------------------------------------------------- the board */

static path_list *sends_of(shared_state *state)
{
    return state->plan->back ? &state->target : &state->source;
}

static path_list *receives_of(shared_state *state)
{
    return state->plan->back ? &state->source : &state->target;
}

static record *record_of(const shared_state *state, int place)
{
    return scalay_node_record(state->plan->comm->node, state->slots[0], place);
}

static offer *offer_of(const shared_state *state, int place, int matrix)
{
    record *at = scalay_node_record(state->plan->comm->node, state->slots[matrix / OFFERS], place);
    return &at->offers[matrix % OFFERS];
}

/* The array that a rank sends from: known to others when all of its elements are in one of scalay_alloc(). */
static offer make_offer(const scalay_plan *plan, const shared_state *state, int matrix)
{
    const scalay_freight *freight = &plan->freight[matrix];
    const int64_t size = (int64_t)freight->packer.size;
    const int64_t start = freight->from->span_start * size, bytes = freight->from->span_end * size - start;
    offer made = {.address = (uint64_t)(uintptr_t)freight->source, .ld = state->lds[plan->back][matrix]};
    if (bytes > 0) made.place = scalay_array_find(freight->source + start, bytes);
    made.place.offset -= start;
    return made;
}

/* Whether a lane is staged: not when its receiver sees all that it gets. Both ends find the same. */
static int is_staged(const shared_state *state, const path *at, int sends)
{
    const scalay_node *node = state->plan->comm->node;
    for (int k = 0; k < state->plan->count; k++) {
        if (at->lane->parcels[k] == NULL) continue;
        const offer *from = offer_of(state, sends ? node->rank : at->place, k);
        const int64_t token = sends ? node->members[at->place].token : scalay_process_token();
        if (!scalay_array_is_known_to(from->place, token)) return at->is_wasteful[sends];
    }
    return 0;
}

static void start_path(const shared_state *state, path *at, int sends)
{
    const scalay_plan *plan = state->plan;
    at->staged = is_staged(state, at, sends);
    if (at->staged) at->stream = scalay_stream_start(plan->freight, plan->count, at->lane, sends);
}

/* Plans get the pool in the order in which they began, the same on all ranks: the earliest that is not done can always
   go on. */
static void queue_up(shared_state *state)
{
    scalay_turn **end = &state->plan->comm->node->pool_queue;
    while (*end != NULL) end = &(*end)->next;
    state->turn.next = NULL;
    *end = &state->turn;
}

static void let_go(shared_state *state)
{
    scalay_turn **at = &state->plan->comm->node->pool_queue;
    while (*at != NULL && *at != &state->turn) at = &(*at)->next;
    if (*at != NULL) *at = state->turn.next;
}

/* Tells the others where the arrays are. What is staged needs the pool, which may be another plan's as yet. */
static int publish(shared_state *state)
{
    scalay_node *node = state->plan->comm->node;
    const int back = state->plan->back;
    if (state->published) return 0;
    if (state->staged_out > 0 && node->pool_queue != &state->turn) return 0;
    state->published = 1;
    if (sends_of(state)->count > 0)
        atomic_store_explicit(&record_of(state, node->rank)->begun[back], state->moves[back], memory_order_release);
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
    if (state->staged_out > 0) queue_up(state);
}

static int has_begun(const shared_state *state, const path *at)
{
    const int back = state->plan->back;
    return atomic_load_explicit(&record_of(state, at->place)->begun[back], memory_order_acquire) >= state->moves[back];
}

/* Whether all lanes of this rank have been taken. */
static int is_taken(shared_state *state)
{
    const int back = state->plan->back;
    const path_list *sends = sends_of(state);
    if (sends->count == 0) return 1;
    const record *own = record_of(state, state->plan->comm->node->rank);
    return atomic_load_explicit(&own->taken[back], memory_order_acquire) == state->moves[back] * (uint64_t)sends->count;
}

static void finish_path(shared_state *state, path *at)
{
    at->done = 1;
    state->left--;
    (void)atomic_fetch_add_explicit(&record_of(state, at->place)->taken[state->plan->back], 1, memory_order_acq_rel);
}

/* ------------------------------------------------------------------------------------------------ staging */

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

/* Packs what there is room for. @return whether there was */
static int fill(shared_state *state, path *at)
{
    const int own = state->plan->comm->node->rank;
    ring *chunks = ring_of(state, own, at->place);
    const uint64_t drained = atomic_load_explicit(&chunks->drained, memory_order_acquire);
    uint64_t filled = atomic_load_explicit(&chunks->filled, memory_order_relaxed);
    const uint64_t before = filled;
    while (!at->done && filled < drained + CHUNKS) {
        if (scalay_stream_pack(&at->stream, state->chunk_bytes, chunk_of(state, own, at->place, filled)) == 0) {
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
    ring *chunks = ring_of(state, at->place, own);
    const uint64_t filled = atomic_load_explicit(&chunks->filled, memory_order_acquire);
    uint64_t drained = atomic_load_explicit(&chunks->drained, memory_order_relaxed);
    const uint64_t before = drained;
    for (; drained < filled; drained++) {
        (void)scalay_stream_unpack(&at->stream, state->chunk_bytes, chunk_of(state, at->place, own, drained));
        atomic_store_explicit(&chunks->drained, drained + 1, memory_order_release);
    }
    if (scalay_stream_next(&at->stream, state->chunk_bytes) == 0) finish_path(state, at);
    return drained != before;
}

/* ------------------------------------------------------------------------------------------------ pulling */

/* What a lane brings of a matrix, and from where. */
static scalay_origin origin_of(const shared_state *state, const path *at, int matrix)
{
    const scalay_plan *plan = state->plan;
    const offer *from = offer_of(state, at->place, matrix);
    const char *seen = scalay_array_locate(from->place);
    return (scalay_origin){.parcel = at->lane->parcels[matrix],
                           .far = seen != NULL ? seen : (const char *)(uintptr_t)from->address,
                           .place = seen != NULL ? -1 : at->place,
                           .ld = from->ld,
                           .transposed = is_transposed(&plan->parts[matrix], plan->back)};
}

static scalay_status pull_matrix(shared_state *state, int matrix)
{
    const scalay_plan *plan = state->plan;
    const scalay_freight *freight = &plan->freight[matrix];
    const path_list *receives = receives_of(state);
    const scalay_scratch scratch = {plan->comm->node, state->scratch, state->scratch_bytes};
    int64_t count = 0;
    if (!state->kept && freight->to->kept.elements > 0)
        state->origins[count++] = (scalay_origin){.parcel = &freight->to->kept, .far = freight->source, .place = -1};
    for (int64_t k = 0; k < receives->count; k++) {
        const path *at = &receives->paths[k];
        if (at->pulled && at->lane->parcels[matrix] != NULL) state->origins[count++] = origin_of(state, at, matrix);
    }
    return scalay_pull(freight->to, state->origins, count, &freight->unpacker, freight->target, scratch);
}

/* Looks which lanes can be pulled; how many there are, and how many must be waited for. */
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

/* Pulls what is ready: all of it at once is best. */
static scalay_status pull(shared_state *state, int patient, int *moved)
{
    scalay_status status = SCALAY_SUCCESS;
    int64_t missing = 0;
    path_list *receives = receives_of(state);
    const int64_t ready = find_ready(state, &missing);
    if (ready == 0 && state->kept) goto cleanup;
    if (patient && missing > 0 && state->looks++ < PATIENCE) goto cleanup;
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
    state->moves[plan->back]++;
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

/* Goes on with what can be done now. */
static scalay_status step(shared_state *state, int patient, int *moved)
{
    scalay_status status = SCALAY_SUCCESS;
    path_list *sends = sends_of(state), *receives = receives_of(state);
    *moved = publish(state);
    for (int64_t k = 0; k < sends->count && state->published && state->staged_out > 0; k++)
        if (!sends->paths[k].done) *moved |= fill(state, &sends->paths[k]);
    SCALAY_TRY(pull(state, patient, moved));
    for (int64_t k = 0; k < receives->count && state->left > 0; k++)
        if (receives->paths[k].staged && !receives->paths[k].done) *moved |= drain(state, &receives->paths[k]);
    if (!state->exchanged) SCALAY_TRY(scalay_exchange_advance(state->exchange, state->plan, 0, &state->exchanged));
cleanup:
    return status;
}

/* Messages of the program that others wait for may need MPI to be called. */
static scalay_status probe(const shared_state *state)
{
    int flag = 0;
    return scalay_mpi_check(
        MPI_Iprobe(MPI_ANY_SOURCE, state->plan->tag, state->plan->comm->mpi, &flag, MPI_STATUS_IGNORE), __func__,
        "MPI_Iprobe");
}

static scalay_status wait_a_little(const shared_state *state, int64_t turn)
{
    scalay_status status = SCALAY_SUCCESS;
    if (turn < (state->plan->comm->node->is_crowded ? SPINS_CROWDED : SPINS)) goto cleanup;
    (void)sched_yield();
    if (turn % PROBE_EVERY != 0) goto cleanup;
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
        if (!moved) SCALAY_TRY(wait_a_little(state, idle));
    } while (1);
cleanup:
    if (status != SCALAY_SUCCESS) scalay_exchange_abandon(state->exchange);
    if (*done || status != SCALAY_SUCCESS) let_go(state);
    return status;
}

static int describe(const scalay_plan *plan, char *text, size_t size)
{
    const scalay_node *node = plan->comm->node;
    const shared_state *state = plan->transport_state;
    return snprintf(text, size,
                    "on a node of %d ranks arrays of scalay_alloc are seen and others %s, %lld lanes into this rank "
                    "there, %lld messages from elsewhere",
                    node->size, node->can_read ? "read" : "staged", (long long)state->target.count,
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
