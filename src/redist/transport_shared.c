/* "shared": the ranks of a node read each other's memory; lanes to other nodes go by messages.

   A rank that sends puts on the board where its arrays are, and counts the move there; who has a lane from it pulls
   (pull.h), and counts that, too. What is in arrays of scalay_alloc() is seen, anything else is read through the
   kernel, or staged: packed by the sender into its pool, chunk by chunk, and unpacked from there by the receiver. A
   lane is staged when the machine lets nobody read, or when reading would fetch much that is not wanted. Both ends
   tell for themselves which way a lane goes. The board is shared_board.c, the stages are shared_stage.c. */

#include <sched.h>
#include <stdio.h>

#include "base/integer.h"
#include "base/memory.h"
#include "parallel/agree.h"
#include "parallel/array.h"
#include "redist/exchange.h"
#include "redist/pull.h"
#include "redist/shared_board.h"
#include "redist/shared_stage.h"

enum {
    SCRATCH_BYTES = 262144,
    SMALL_BYTES = 8192, /* a lane so short is staged */
    PATIENCE = 64,      /* looks at the board before less than all is pulled */
    SPINS = 256,        /* looks at the board before the processor is left to others */
    SPINS_CROWDED = 2,  /* where there are fewer processors than ranks */
    PROBE_EVERY = 16    /* times that the processor was left to others */
};

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
static int is_wasteful(const scalay_plan *plan, const scalay_shared_state *state, const scalay_lane *lane, int at_far,
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

static scalay_status list_paths(const scalay_plan *plan, const scalay_shared_state *state,
                                const scalay_lane_list *lanes, scalay_shared_path_list *list)
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
        scalay_shared_path *added = &list->paths[list->count++];
        *added = (scalay_shared_path){.lane = lane, .place = place};
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

/* Half of the memory is for messages, a quarter for reading, a quarter for staging: the same on all ranks of a node. */
static void share_memory(const scalay_plan *plan, scalay_shared_state *state)
{
    const scalay_node *node = plan->comm->node;
    const int64_t quarter = plan->memory_bytes / 4;
    state->scratch_bytes = scalay_min_int64(SCRATCH_BYTES, quarter);
    if (!node->has_windows) return;
    state->chunk_bytes = scalay_shared_chunk_bytes(node, quarter);
    state->is_used = state->chunk_bytes >= plan->largest_element;
}

static scalay_status new_state(scalay_plan *plan)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_shared_state *state = NULL;
    SCALAY_TRY(SCALAY_NEW(state, 1));
    plan->transport_state = state;
    state->plan = plan;
    state->slot_count = scalay_shared_slots(plan->count);
    SCALAY_TRY(SCALAY_NEW(state->slots, state->slot_count));
    for (int side = 0; side < 2; side++) SCALAY_TRY(SCALAY_NEW(state->lds[side], plan->count));
    for (int k = 0; k < plan->count; k++) {
        state->lds[0][k] = own_ld(plan->parts[k].source_layout, plan->comm->rank);
        state->lds[1][k] = own_ld(plan->parts[k].target_layout, plan->comm->rank);
    }
cleanup:
    return status;
}

static scalay_status new_paths(scalay_plan *plan, scalay_shared_state *state)
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
    if (most > 0) plan->statistics.extra_bytes += most * SCALAY_SHARED_CHUNKS * state->chunk_bytes;
    plan->statistics.plan_bytes += (int64_t)sizeof *state + (most + 1) * (int64_t)sizeof(scalay_origin) +
                                   (plan->source.count + plan->target.count) * (int64_t)sizeof(scalay_shared_path);
cleanup:
    return status;
}

static int goes_by_message(const void *context, int peer)
{
    const scalay_plan *plan = context;
    const scalay_shared_state *state = plan->transport_state;
    return !state->is_used || scalay_node_place(plan->comm->node, peer) < 0;
}

static scalay_status create(scalay_plan *plan)
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(scalay_comm_agree(plan->comm, new_state(plan)));
    scalay_shared_state *state = plan->transport_state;
    SCALAY_TRY(scalay_node_take(plan->comm, state->slot_count, state->slots, &state->is_on_board));
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
    scalay_shared_state *state = plan->transport_state;
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

/* ------------------------------------------------------------------------------------------------ pulling */

/* What a lane brings of a matrix, and from where. */
static scalay_origin origin_of(const scalay_shared_state *state, const scalay_shared_path *at, int matrix)
{
    const scalay_plan *plan = state->plan;
    const scalay_shared_offer *from = scalay_shared_offer_of(state, at->place, matrix);
    const char *seen = scalay_array_locate(from->place);
    return (scalay_origin){.parcel = at->lane->parcels[matrix],
                           .far = seen != NULL ? seen : (const char *)(uintptr_t)from->address,
                           .place = seen != NULL ? -1 : at->place,
                           .ld = from->ld,
                           .transposed = is_transposed(&plan->parts[matrix], plan->back)};
}

static scalay_status pull_matrix(scalay_shared_state *state, int matrix)
{
    const scalay_plan *plan = state->plan;
    const scalay_freight *freight = &plan->freight[matrix];
    const scalay_shared_path_list *receives = scalay_shared_receives_of(state);
    const scalay_scratch scratch = {plan->comm->node, state->scratch, state->scratch_bytes};
    int64_t count = 0;
    if (!state->kept && freight->to->kept.elements > 0)
        state->origins[count++] = (scalay_origin){.parcel = &freight->to->kept, .far = freight->source, .place = -1};
    for (int64_t k = 0; k < receives->count; k++) {
        const scalay_shared_path *at = &receives->paths[k];
        if (at->pulled && at->lane->parcels[matrix] != NULL) state->origins[count++] = origin_of(state, at, matrix);
    }
    return scalay_pull(freight->to, state->origins, count, &freight->unpacker, freight->target, scratch);
}

/* Looks which lanes can be pulled; how many there are, and how many must be waited for. */
static int64_t find_ready(scalay_shared_state *state, int64_t *missing)
{
    scalay_shared_path_list *receives = scalay_shared_receives_of(state);
    int64_t ready = 0;
    *missing = 0;
    for (int64_t k = 0; k < receives->count; k++) {
        scalay_shared_path *at = &receives->paths[k];
        at->pulled = 0;
        if (at->done || at->staged) continue;
        if (!scalay_shared_has_begun(state, at)) {
            ++*missing;
            continue;
        }
        scalay_shared_start_path(state, at, 0);
        at->pulled = !at->staged;
        ready += at->pulled;
    }
    return ready;
}

/* Pulls what is ready: all of it at once is best. */
static scalay_status pull(scalay_shared_state *state, int patient, int *moved)
{
    scalay_status status = SCALAY_SUCCESS;
    int64_t missing = 0;
    scalay_shared_path_list *receives = scalay_shared_receives_of(state);
    const int64_t ready = find_ready(state, &missing);
    if (ready == 0 && state->kept) goto cleanup;
    if (patient && missing > 0 && state->looks++ < PATIENCE) goto cleanup;
    for (int k = 0; k < state->plan->count; k++) SCALAY_TRY(pull_matrix(state, k));
    state->kept = 1;
    state->looks = 0;
    *moved = 1;
    for (int64_t k = 0; k < receives->count; k++)
        if (receives->paths[k].pulled) scalay_shared_finish_path(state, &receives->paths[k]);
cleanup:
    return status;
}

/* ------------------------------------------------------------------------------------------------ moving */

static scalay_status begin(scalay_plan *plan)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_shared_state *state = plan->transport_state;
    scalay_shared_path_list *receives = scalay_shared_receives_of(state);
    SCALAY_TRY(scalay_exchange_begin(state->exchange, plan));
    state->moves[plan->back]++;
    state->published = state->kept = state->exchanged = 0;
    state->staged_out = 0;
    state->looks = 0;
    state->left = receives->count;
    for (int64_t k = 0; k < receives->count; k++) receives->paths[k].done = receives->paths[k].staged = 0;
    scalay_shared_prepare_sends(state);
    (void)scalay_shared_publish(state);
cleanup:
    return status;
}

static int is_done(scalay_shared_state *state)
{
    return state->published && state->kept && state->exchanged && state->left == 0 && state->staged_out == 0 &&
           scalay_shared_is_taken(state);
}

/* Goes on with what can be done now. */
static scalay_status step(scalay_shared_state *state, int patient, int *moved)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_shared_path_list *sends = scalay_shared_sends_of(state), *receives = scalay_shared_receives_of(state);
    *moved = scalay_shared_publish(state);
    for (int64_t k = 0; k < sends->count && state->published && state->staged_out > 0; k++)
        if (!sends->paths[k].done) *moved |= scalay_shared_fill(state, &sends->paths[k]);
    SCALAY_TRY(pull(state, patient, moved));
    for (int64_t k = 0; k < receives->count && state->left > 0; k++)
        if (receives->paths[k].staged && !receives->paths[k].done)
            *moved |= scalay_shared_drain(state, &receives->paths[k]);
    if (!state->exchanged) SCALAY_TRY(scalay_exchange_advance(state->exchange, state->plan, 0, &state->exchanged));
cleanup:
    return status;
}

/* Messages of the program that others wait for may need MPI to be called. */
static scalay_status probe(const scalay_shared_state *state)
{
    int flag = 0;
    return scalay_mpi_check(
        MPI_Iprobe(MPI_ANY_SOURCE, state->plan->tag, state->plan->comm->mpi, &flag, MPI_STATUS_IGNORE), __func__,
        "MPI_Iprobe");
}

static scalay_status wait_a_little(const scalay_shared_state *state, int64_t turn)
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
    scalay_shared_state *state = plan->transport_state;
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
    if (*done || status != SCALAY_SUCCESS) scalay_shared_let_go(state);
    return status;
}

static int describe(const scalay_plan *plan, char *text, size_t size)
{
    const scalay_node *node = plan->comm->node;
    const scalay_shared_state *state = plan->transport_state;
    if (!state->is_used)
        return snprintf(text, size, "no memory is shared here, %lld messages into this rank",
                        (long long)plan->statistics.messages_received);
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
