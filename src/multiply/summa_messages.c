/*
 * Transport "messages": one message per panel, source, destination and matrix. A rank sends the same message to all
 * ranks of a receiver group. A message that is one contiguous block of the local array is sent from there.
 *
 * Panel p + 1 is received while panel p is in use. Sends of panel p complete before panel p + 2 reuses their buffers.
 *
 * On several nodes, a message goes to each node once, and is passed on there (parallel/relay.h). What a rank passes on
 * is in its receive buffer, so it is sent before the next panel is received. From one rank to another, its own messages
 * come first, then those that it passes on, by ascending depth in their trees, A before B and sources ascending.
 * Receives are posted in the same order, so one tag is enough. No rank waits in a circle: a message of one depth waits
 * for messages of smaller depths only.
 *
 * Over slow links, a message is sent in pieces (parallel/pieces.h), which are passed on as they arrive.
 */
#include <stdlib.h>

#include "base/integer.h"
#include "base/memory.h"
#include "multiply/summa_receive_buffer.h"
#include "multiply/summa_relays.h"
#include "parallel/node.h"
#include "parallel/pieces.h"
#include "parallel/requests.h"

/* A message that this rank gets. */
typedef struct {
    int side, depth;
    int64_t source; /* in sources of the side */
} arrival;

typedef struct {
    scalay_pieces pieces;
    int tag;
    scalay_summa_receive_buffer buffer[2];
    char *packed[2][2]; /* packed messages of each side, for even and odd panels */
    arrival *arrivals;  /* shape [arrival_count]: in the order in which they are received and passed on */
    int64_t arrival_count;
    MPI_Request *receives;
    int receive_count;
    MPI_Request *sends[2]; /* for even and odd panels */
    int send_count[2];
    /* On several nodes. */
    int has_relays;
    scalay_summa_relays relays[2];
    int64_t to_pass;     /* next arrival that may be passed on */
    int64_t passed;      /* elements of it that were passed on */
    int passed_receives; /* of all arrivals before them */
    MPI_Request *passing;
    int passing_count;
} messages;

static int always(const scalay_summa *summa, const char **reason)
{
    (void)summa;
    *reason = "";
    return 1;
}

/* ---------------------------------------------------------------------------------------------- workspace */

/* Counts the blocks and elements of a panel that a receiver group gets from this rank. *last is the last block. */
static int64_t count_outgoing(const scalay_summa_side *side, const scalay_summa_receivers *receivers,
                              const scalay_summa_panels *panels, int64_t panel, scalay_summa_block *last, int *blocks)
{
    int64_t elements = 0;
    scalay_summa_walk walk = scalay_summa_walk_held(side, receivers, panels, panel);
    scalay_summa_block block;
    *blocks = 0;
    while (scalay_summa_walk_next(&walk, &block)) {
        if (block.owner != side->rank) continue;
        elements += scalay_summa_block_elements(&block);
        *last = block;
        ++*blocks;
    }
    return elements;
}

/* Counts the elements of a panel that must be packed. */
static int64_t count_packed(const scalay_summa *summa, int s, const scalay_summa_panels *panels, int64_t panel)
{
    const scalay_summa_side *side = &summa->side[s];
    int64_t packed = 0, offset = 0;
    for (int64_t k = 0; k < side->receiver_groups; k++) {
        scalay_summa_block block;
        int blocks = 0;
        const int64_t elements = count_outgoing(side, &side->receivers[k], panels, panel, &block, &blocks);
        if (blocks == 1 && scalay_summa_block_is_contiguous(side, panels, &block, &offset)) continue;
        packed += elements;
    }
    return packed;
}

static int64_t workspace(const scalay_summa *summa, const scalay_summa_panels *panels)
{
    return scalay_summa_receive_workspace(count_packed, summa, panels);
}

/* ----------------------------------------------------------------------------------------------- creation */

static scalay_status create_side(scalay_summa *summa, int s, messages *new_state)
{
    scalay_status status = SCALAY_SUCCESS;
    const scalay_summa_side *side = &summa->side[s];
    const int64_t packed = scalay_summa_max_packed(count_packed, summa, s, &summa->panels) * (int64_t)side->size;
    SCALAY_TRY(scalay_summa_receive_buffer_create(summa, s, NULL, &new_state->buffer[s]));
    for (int k = 0; k < 2; k++) SCALAY_TRY(SCALAY_NEW_UNSET(new_state->packed[s][k], packed));
cleanup:
    return status;
}

static scalay_status create_on_rank(scalay_summa *summa)
{
    scalay_status status = SCALAY_SUCCESS;
    messages *new_state = NULL;
    SCALAY_TRY(SCALAY_NEW(new_state, 1));
    summa->transport_state = new_state;
    const int64_t size = (int64_t)summa->side[0].size, longest = scalay_pieces_longest(summa->piece_bytes, size);
    new_state->pieces = (scalay_pieces){summa->comm->mpi, MPI_DATATYPE_NULL, size, longest};
    SCALAY_TRY(scalay_summa_element_type(summa, &new_state->pieces.element));
    for (int s = 0; s < 2; s++) SCALAY_TRY(create_side(summa, s, new_state));
cleanup:
    return status;
}

/* Allocates what passing on needs. */
static scalay_status allocate_relays(const scalay_summa *summa, messages *state)
{
    scalay_status status = SCALAY_SUCCESS;
    for (int s = 0; s < 2; s++) {
        const scalay_summa_ranks *sources = &state->buffer[s].sources;
        SCALAY_TRY(scalay_summa_relays_create(&summa->side[s], &summa->panels, sources, &state->relays[s]));
    }
cleanup:
    return status;
}

/* Finds what this rank passes on, if there are several nodes. Collective. */
static scalay_status create_relays(scalay_summa *summa)
{
    scalay_status status = SCALAY_SUCCESS;
    messages *state = summa->transport_state;
    SCALAY_TRY(scalay_node_probe(summa->comm));
    if (summa->comm->node->size == summa->comm->size) return SCALAY_SUCCESS;
    SCALAY_TRY(scalay_comm_agree(summa->comm, allocate_relays(summa, state)));
    for (int s = 0; s < 2; s++) {
        const scalay_summa_ranks *sources = &state->buffer[s].sources;
        SCALAY_TRY(scalay_summa_relays_find(summa->comm, &summa->side[s], sources, summa->comm->node->ranks[0],
                                            state->pieces.longest, state->tag, &state->relays[s]));
    }
    state->has_relays = 1;
cleanup:
    return status;
}

static int compare_arrivals(const void *a, const void *b)
{
    const arrival *x = a, *y = b;
    if (x->depth != y->depth) return x->depth < y->depth ? -1 : 1;
    if (x->side != y->side) return x->side < y->side ? -1 : 1;
    return (x->source > y->source) - (x->source < y->source);
}

/* Lists the messages that this rank gets. Those that do not exist in a panel are empty. */
static scalay_status create_arrivals(const scalay_summa *summa)
{
    scalay_status status = SCALAY_SUCCESS;
    messages *state = summa->transport_state;
    SCALAY_TRY(SCALAY_NEW(state->arrivals, state->buffer[0].sources.count + state->buffer[1].sources.count));
    for (int s = 0; s < 2; s++)
        for (int64_t k = 0; k < state->buffer[s].sources.count; k++)
            if (state->buffer[s].sources.rank[k] != summa->comm->rank)
                state->arrivals[state->arrival_count++] =
                    (arrival){s, state->has_relays ? state->relays[s].incoming[k].depth : 1, k};
    if (state->arrival_count > 0)
        qsort(state->arrivals, (size_t)state->arrival_count, sizeof *state->arrivals, compare_arrivals);
cleanup:
    return status;
}

static int pieces_of(const messages *state, int64_t elements)
{
    return (int)scalay_pieces_count(state->pieces.longest, elements);
}

/* Numbers of requests. */
typedef struct {
    int64_t sends, receives, passing;
} request_counts;

/* Counts the requests of one side of a panel, in pieces. */
static request_counts count_pieces(const scalay_summa *summa, int s, int64_t panel)
{
    messages *state = summa->transport_state;
    const scalay_summa_side *side = &summa->side[s];
    const scalay_summa_relays *relays = &state->relays[s];
    scalay_summa_receive_buffer *buffer = &state->buffer[s];
    request_counts count = {0, 0, 0};
    scalay_summa_receive_buffer_expect(buffer, summa, s, panel);
    for (int64_t source = 0; source < buffer->sources.count; source++) {
        if (buffer->sources.rank[source] == side->rank) continue;
        const int64_t pieces = pieces_of(state, buffer->count[source]);
        count.receives += pieces;
        count.passing += pieces * relays->incoming[source].children;
    }
    for (int64_t k = 0; k < side->receiver_groups; k++) {
        scalay_summa_block block;
        int blocks = 0;
        const int64_t elements = count_outgoing(side, &side->receivers[k], &summa->panels, panel, &block, &blocks);
        count.sends += (int64_t)pieces_of(state, elements) * relays->outgoing[k].children;
    }
    return count;
}

/* Sums the maxima over the panels of both sides. On one node, there is one message per panel and partner. */
static request_counts count_requests(const scalay_summa *summa)
{
    const messages *state = summa->transport_state;
    request_counts sum = {0, 0, 0};
    for (int s = 0; s < 2; s++) {
        const scalay_summa_side *side = &summa->side[s];
        request_counts most = {0, state->buffer[s].channels, 0};
        if (side->receiver_groups > 0) most.sends = side->receivers[side->receiver_groups - 1].end_rank;
        for (int64_t panel = 0; panel < summa->panels.panels && state->has_relays; panel++) {
            const request_counts count = count_pieces(summa, s, panel);
            most.sends = scalay_max_int64(most.sends, count.sends);
            most.receives = scalay_max_int64(most.receives, count.receives);
            most.passing = scalay_max_int64(most.passing, count.passing);
        }
        sum = (request_counts){sum.sends + most.sends, sum.receives + most.receives, sum.passing + most.passing};
    }
    return sum;
}

static scalay_status create_requests(scalay_summa *summa)
{
    scalay_status status = SCALAY_SUCCESS;
    messages *state = summa->transport_state;
    const request_counts count = count_requests(summa);
    SCALAY_TRY(create_arrivals(summa));
    SCALAY_TRY(scalay_requests_create(count.receives, &state->receives));
    for (int k = 0; k < 2; k++) SCALAY_TRY(scalay_requests_create(count.sends, &state->sends[k]));
    SCALAY_TRY(scalay_requests_create(count.passing, &state->passing));
cleanup:
    return status;
}

static scalay_status create(scalay_summa *summa)
{
    scalay_status status = SCALAY_SUCCESS;
    const int tag = scalay_comm_tag(summa->comm);
    SCALAY_TRY(scalay_comm_agree(summa->comm, create_on_rank(summa)));
    ((messages *)summa->transport_state)->tag = tag;
    SCALAY_TRY(scalay_comm_agree(summa->comm, create_relays(summa)));
    SCALAY_TRY(scalay_comm_agree(summa->comm, create_requests(summa)));
cleanup:
    return status;
}

static void destroy(scalay_summa *summa)
{
    messages *old_state = summa->transport_state;
    summa->transport_state = NULL;
    if (old_state == NULL) return;
    int is_unused = scalay_requests_abandon(old_state->receive_count, old_state->receive_count, old_state->receives);
    for (int k = 0; k < 2; k++)
        if (!scalay_requests_abandon(old_state->send_count[k], 0, old_state->sends[k])) is_unused = 0;
    if (!scalay_requests_abandon(old_state->passing_count, 0, old_state->passing)) is_unused = 0;
    for (int s = 0; s < 2; s++) {
        scalay_summa_receive_buffer_free(is_unused, &old_state->buffer[s]);
        for (int k = 0; k < 2; k++) scalay_requests_release(is_unused, old_state->packed[s][k]);
        scalay_summa_relays_free(&old_state->relays[s]);
    }
    scalay_release(old_state->arrivals);
    for (int k = 0; k < 2; k++) scalay_release(old_state->sends[k]);
    scalay_release(old_state->passing);
    scalay_release(old_state->receives);
    if (old_state->pieces.element != MPI_DATATYPE_NULL) MPI_Type_free(&old_state->pieces.element);
    scalay_release(old_state);
}

/* ---------------------------------------------------------------------------------------------- execution */

static scalay_status begin(scalay_summa *summa, const scalay_summa_operands *operands)
{
    messages *state = summa->transport_state;
    (void)operands;
    state->receive_count = state->send_count[0] = state->send_count[1] = state->passing_count = 0;
    state->buffer[0].receiving = state->buffer[1].receiving = 0;
    return SCALAY_SUCCESS;
}

/* Returns the rank that the messages of a source come from. */
static int parent_of(const messages *state, int s, int64_t source)
{
    return state->has_relays ? state->relays[s].incoming[source].parent : state->buffer[s].sources.rank[source];
}

static int64_t elements_of(const messages *state, const arrival *from)
{
    return state->buffer[from->side].count[from->source];
}

static scalay_status receive_all(scalay_summa *summa, int64_t panel)
{
    scalay_status status = SCALAY_SUCCESS;
    messages *state = summa->transport_state;
    state->to_pass = state->passed = state->passed_receives = 0;
    for (int s = 0; s < 2; s++) {
        scalay_summa_receive_buffer_expect(&state->buffer[s], summa, s, panel);
        summa->statistics.elements_received += state->buffer[s].incoming;
    }
    for (int64_t k = 0; k < state->arrival_count; k++) {
        const arrival *next = &state->arrivals[k];
        const int64_t elements = elements_of(state, next);
        if (elements == 0) continue;
        SCALAY_TRY(scalay_pieces_receive(
            &state->pieces,
            scalay_summa_receive_buffer_at(&state->buffer[next->side], next->source, summa->side[next->side].size),
            elements, parent_of(state, next->side, next->source), state->tag, state->receives, &state->receive_count));
    }
cleanup:
    return status;
}

/* Starts to send elements to a rank, and counts the requests. */
static scalay_status send_message(scalay_summa *summa, const char *from, int64_t elements, int to,
                                  MPI_Request *requests, int *count)
{
    scalay_status status = SCALAY_SUCCESS;
    const messages *state = summa->transport_state;
    SCALAY_TRY(scalay_pieces_send(&state->pieces, from, elements, to, state->tag, requests, count));
    summa->statistics.messages_sent += pieces_of(state, elements);
    summa->statistics.elements_sent += elements;
cleanup:
    return status;
}

/* Passes on the next piece of an arrival. */
static scalay_status pass_piece(scalay_summa *summa, const arrival *from, int64_t elements)
{
    scalay_status status = SCALAY_SUCCESS;
    messages *state = summa->transport_state;
    const size_t size = summa->side[from->side].size;
    const scalay_relay *relay = &state->relays[from->side].incoming[from->source];
    const char *piece = scalay_summa_receive_buffer_at(&state->buffer[from->side], from->source, size);
    for (int c = 0; c < relay->children; c++)
        SCALAY_TRY(send_message(summa, piece + (size_t)state->passed * size, elements, relay->child[c], state->passing,
                                &state->passing_count));
cleanup:
    return status;
}

/* Passes on the pieces of the pending panel, in order. If `waits` is 0, as far as they have arrived. */
static scalay_status pass_on(scalay_summa *summa, int waits)
{
    scalay_status status = SCALAY_SUCCESS;
    messages *state = summa->transport_state;
    int done = 1;
    for (; state->has_relays && state->to_pass < state->arrival_count; state->to_pass++, state->passed = 0) {
        const arrival *next = &state->arrivals[state->to_pass];
        const int64_t all = elements_of(state, next);
        while (state->passed < all) {
            MPI_Request *receive = &state->receives[state->passed_receives];
            const int64_t elements = scalay_min_int64(state->pieces.longest, all - state->passed);
            if (waits) SCALAY_TRY_MPI(MPI_Wait(receive, MPI_STATUS_IGNORE));
            if (!waits) SCALAY_TRY_MPI(MPI_Test(receive, &done, MPI_STATUS_IGNORE));
            if (!done) return SCALAY_SUCCESS;
            SCALAY_TRY(pass_piece(summa, next, elements));
            state->passed += elements;
            state->passed_receives++;
        }
    }
cleanup:
    return status;
}

/* Sets *message to the message for a receiver group, packed into `space` if necessary. Returns the elements packed. */
static int64_t prepare(const scalay_summa *summa, const scalay_summa_side *side,
                       const scalay_summa_receivers *receivers, int64_t panel, const char *array, char *space,
                       const char **message, int64_t *elements)
{
    scalay_summa_block block;
    int64_t offset = 0, packed = 0;
    int blocks = 0;
    *elements = count_outgoing(side, receivers, &summa->panels, panel, &block, &blocks);
    *message = space;
    if (blocks == 1 && scalay_summa_block_is_contiguous(side, &summa->panels, &block, &offset)) {
        *message = array + (size_t)offset * side->size;
        return 0;
    }
    scalay_summa_walk walk = scalay_summa_walk_held(side, receivers, &summa->panels, panel);
    while (scalay_summa_walk_next(&walk, &block)) {
        if (block.owner != side->rank) continue;
        scalay_summa_pack(side, &summa->panels, &block, array, space + (size_t)packed * side->size);
        packed += scalay_summa_block_elements(&block);
    }
    return packed;
}

static scalay_status send(scalay_summa *summa, int s, int64_t panel, const char *array)
{
    scalay_status status = SCALAY_SUCCESS;
    messages *state = summa->transport_state;
    const scalay_summa_side *side = &summa->side[s];
    const int parity = (int)(panel % 2);
    char *space = state->packed[s][parity];
    for (int64_t k = 0; k < side->receiver_groups; k++) {
        const scalay_summa_receivers *receivers = &side->receivers[k];
        const char *message = NULL;
        int64_t elements = 0;
        const int64_t packed = prepare(summa, side, receivers, panel, array, space, &message, &elements);
        space += (size_t)packed * side->size;
        summa->statistics.elements_copied += packed;
        const scalay_relay *relay = state->has_relays ? &state->relays[s].outgoing[k] : NULL;
        const int64_t count = relay != NULL ? relay->children : receivers->end_rank - receivers->first_rank;
        const int *child = relay != NULL ? relay->child : side->receiver_rank + receivers->first_rank;
        for (int64_t c = 0; c < count; c++)
            SCALAY_TRY(
                send_message(summa, message, elements, child[c], state->sends[parity], &state->send_count[parity]));
    }
cleanup:
    return status;
}

static scalay_status wait_for(MPI_Request *requests, int *count)
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(
        scalay_mpi_check(MPI_Waitall(*count, requests, MPI_STATUSES_IGNORE), "scalay_summa_execute", "MPI_Waitall"));
    *count = 0;
cleanup:
    return status;
}

static scalay_status start(scalay_summa *summa, const scalay_summa_operands *operands, int64_t panel)
{
    scalay_status status = SCALAY_SUCCESS;
    messages *state = summa->transport_state;
    SCALAY_TRY(wait_for(state->passing, &state->passing_count));
    SCALAY_TRY(receive_all(summa, panel));
    SCALAY_TRY(wait_for(state->sends[panel % 2], &state->send_count[panel % 2]));
    for (int s = 0; s < 2; s++) SCALAY_TRY(send(summa, s, panel, operands->matrix[s]));
cleanup:
    return status;
}

static scalay_status take(scalay_summa *summa, const scalay_summa_operands *operands, int64_t panel,
                          scalay_summa_view *view)
{
    scalay_status status = SCALAY_SUCCESS;
    messages *state = summa->transport_state;
    SCALAY_TRY(pass_on(summa, 1));
    SCALAY_TRY(wait_for(state->receives, &state->receive_count));
    for (int s = 0; s < 2; s++)
        view[s] = scalay_summa_receive_buffer_take(&state->buffer[s], summa, s, panel, operands->matrix[s]);
cleanup:
    return status;
}

static scalay_status advance(scalay_summa *summa)
{
    scalay_status status = SCALAY_SUCCESS;
    messages *state = summa->transport_state;
    int done = 0;
    SCALAY_TRY(pass_on(summa, 0));
    SCALAY_TRY_MPI(MPI_Testall(state->passing_count, state->passing, &done, MPI_STATUSES_IGNORE));
    SCALAY_TRY_MPI(MPI_Testall(state->receive_count, state->receives, &done, MPI_STATUSES_IGNORE));
    for (int k = 0; k < 2; k++)
        SCALAY_TRY_MPI(MPI_Testall(state->send_count[k], state->sends[k], &done, MPI_STATUSES_IGNORE));
cleanup:
    return status;
}

static scalay_status end(scalay_summa *summa)
{
    scalay_status status = SCALAY_SUCCESS;
    messages *state = summa->transport_state;
    SCALAY_TRY(wait_for(state->passing, &state->passing_count));
    for (int k = 0; k < 2; k++) SCALAY_TRY(wait_for(state->sends[k], &state->send_count[k]));
cleanup:
    return status;
}

const scalay_summa_transport scalay_summa_messages = {.name = "messages",
                                                      .width = SCALAY_SUMMA_WIDTH,
                                                      .applicable = always,
                                                      .workspace = workspace,
                                                      .create = create,
                                                      .begin = begin,
                                                      .start = start,
                                                      .take = take,
                                                      .advance = advance,
                                                      .end = end,
                                                      .destroy = destroy};
