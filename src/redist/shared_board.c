/* The board of "shared". */

#include "redist/shared_board.h"

#include <stdatomic.h>

#include "base/integer.h"

enum {
    OFFERS = 3 /* in a record */
};

/* On the board; [back] are moves in that direction. An object of more matrices has more records, for their offers. */
typedef struct {
    _Alignas(SCALAY_SHARED_ALIGNMENT) _Atomic uint64_t begun[2]; /* moves that the rank has begun to send */
    _Alignas(SCALAY_SHARED_ALIGNMENT) _Atomic uint64_t taken[2]; /* lanes of it that have been taken, of all moves */
    _Alignas(SCALAY_SHARED_ALIGNMENT) scalay_shared_offer offers[OFFERS];
} record;

_Static_assert(sizeof(record) <= SCALAY_RECORD_BYTES, "a record fits into its place on the board");
_Static_assert(ATOMIC_LLONG_LOCK_FREE == 2, "processes share counters, but no locks");

int scalay_shared_slots(int matrices)
{
    return (int)scalay_ceil_div(matrices, OFFERS);
}

static record *record_of(const scalay_shared_state *state, int place)
{
    return scalay_node_record(state->plan->comm->node, state->slots[0], place);
}

scalay_shared_offer *scalay_shared_offer_of(const scalay_shared_state *state, int place, int matrix)
{
    record *at = scalay_node_record(state->plan->comm->node, state->slots[matrix / OFFERS], place);
    return &at->offers[matrix % OFFERS];
}

/* The array that a rank sends from: known to others when all of its elements are in one of scalay_alloc(). */
static scalay_shared_offer make_offer(const scalay_plan *plan, const scalay_shared_state *state, int matrix)
{
    const scalay_freight *freight = &plan->freight[matrix];
    const int64_t size = (int64_t)freight->packer.size;
    const int64_t start = freight->from->span_start * size, bytes = freight->from->span_end * size - start;
    scalay_shared_offer made = {.address = (uint64_t)(uintptr_t)freight->source, .ld = state->lds[plan->back][matrix]};
    if (bytes > 0) made.place = scalay_array_find(freight->source + start, bytes);
    made.place.offset -= start;
    return made;
}

/* Whether a lane is staged: not when its receiver sees all that it gets. Both ends find the same. */
static int is_staged(const scalay_shared_state *state, const scalay_shared_path *at, int sends)
{
    const scalay_node *node = state->plan->comm->node;
    for (int k = 0; k < state->plan->count; k++) {
        if (at->lane->parcels[k] == NULL) continue;
        const scalay_shared_offer *from = scalay_shared_offer_of(state, sends ? node->rank : at->place, k);
        const int64_t token = sends ? node->members[at->place].token : scalay_process_token();
        if (!scalay_array_is_known_to(from->place, token)) return at->is_wasteful[sends];
    }
    return 0;
}

void scalay_shared_start_path(const scalay_shared_state *state, scalay_shared_path *at, int sends)
{
    const scalay_plan *plan = state->plan;
    at->staged = is_staged(state, at, sends);
    if (at->staged) at->stream = scalay_stream_start(plan->freight, plan->count, at->lane, sends);
}

/* Plans get the pool in the order in which they began, the same on all ranks: the earliest that is not done can always
   go on. */
static void queue_up(scalay_shared_state *state)
{
    scalay_turn **end = &state->plan->comm->node->pool_queue;
    while (*end != NULL) end = &(*end)->next;
    state->turn.next = NULL;
    *end = &state->turn;
}

void scalay_shared_let_go(scalay_shared_state *state)
{
    scalay_turn **at = &state->plan->comm->node->pool_queue;
    while (*at != NULL && *at != &state->turn) at = &(*at)->next;
    if (*at != NULL) *at = state->turn.next;
}

int scalay_shared_publish(scalay_shared_state *state)
{
    scalay_node *node = state->plan->comm->node;
    const int back = state->plan->back;
    if (state->published) return 0;
    if (state->staged_out > 0 && node->pool_queue != &state->turn) return 0;
    state->published = 1;
    if (scalay_shared_sends_of(state)->count > 0)
        atomic_store_explicit(&record_of(state, node->rank)->begun[back], state->moves[back], memory_order_release);
    return 1;
}

void scalay_shared_prepare_sends(scalay_shared_state *state)
{
    const scalay_plan *plan = state->plan;
    scalay_shared_path_list *sends = scalay_shared_sends_of(state);
    for (int k = 0; k < plan->count && sends->count > 0; k++)
        *scalay_shared_offer_of(state, plan->comm->node->rank, k) = make_offer(plan, state, k);
    for (int64_t k = 0; k < sends->count; k++) {
        scalay_shared_path *at = &sends->paths[k];
        scalay_shared_start_path(state, at, 1);
        at->done = !at->staged;
        state->staged_out += at->staged;
    }
    if (state->staged_out > 0) queue_up(state);
}

int scalay_shared_has_begun(const scalay_shared_state *state, const scalay_shared_path *at)
{
    const int back = state->plan->back;
    return atomic_load_explicit(&record_of(state, at->place)->begun[back], memory_order_acquire) >= state->moves[back];
}

int scalay_shared_is_taken(scalay_shared_state *state)
{
    const int back = state->plan->back;
    const scalay_shared_path_list *sends = scalay_shared_sends_of(state);
    if (sends->count == 0) return 1;
    const record *own = record_of(state, state->plan->comm->node->rank);
    return atomic_load_explicit(&own->taken[back], memory_order_acquire) == state->moves[back] * (uint64_t)sends->count;
}

void scalay_shared_finish_path(scalay_shared_state *state, scalay_shared_path *at)
{
    at->done = 1;
    state->left--;
    (void)atomic_fetch_add_explicit(&record_of(state, at->place)->taken[state->plan->back], 1, memory_order_acq_rel);
}
