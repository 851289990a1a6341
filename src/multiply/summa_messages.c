/*
 * Transport "messages": one message per panel, source, destination and matrix. A rank sends the same message to all
 * ranks of a receiver group. A message that is one contiguous block of the local array is sent from there.
 *
 * Panel p + 1 is received while panel p is in use. Sends of panel p complete before panel p + 2 reuses their buffers.
 *
 * On several nodes, a message goes to each node once, and is passed on there (parallel/relay.h). What a rank passes on
 * is in its receive buffer, so it is sent before the next panel is received. From one rank to another, its own messages
 * come first, then those that it passes on, A before B and sources ascending. Receives are posted in the same order,
 * so one tag is enough. No rank waits in a circle, because all pass on in this order.
 *
 * Over slow links, a message is sent in pieces (parallel/pieces.h).
 */
#include "base/integer.h"
#include "base/memory.h"
#include "multiply/summa_receive_buffer.h"
#include "multiply/summa_relays.h"
#include "parallel/node.h"
#include "parallel/pieces.h"
#include "parallel/requests.h"

typedef struct {
    scalay_pieces pieces;
    int tag;
    scalay_summa_receive_buffer buffer[2];
    char *packed[2][2]; /* packed messages of each side, for even and odd panels */
    MPI_Request *receives;
    int receive_count;
    MPI_Request *sends[2]; /* for even and odd panels */
    int send_count[2];
    /* On several nodes. */
    int has_relays;
    scalay_summa_relays relays[2];
    int *posted[2];  /* shape [sources of the side]: index of the first receive of the pending panel; -1: none */
    int64_t to_pass; /* next source whose message may be passed on: those of A, then those of B */
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
        SCALAY_TRY(SCALAY_NEW(state->posted[s], sources->count));
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
                                            state->tag, &state->relays[s]));
    }
    state->has_relays = 1;
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
        scalay_release(old_state->posted[s]);
    }
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

/* Posts the receives of a side: of messages that come from their sources (direct), or of the others. */
static scalay_status receive(scalay_summa *summa, int s, int direct)
{
    scalay_status status = SCALAY_SUCCESS;
    messages *state = summa->transport_state;
    const scalay_summa_receive_buffer *buffer = &state->buffer[s];
    for (int64_t source = 0; source < buffer->sources.count; source++) {
        const int rank = buffer->sources.rank[source], parent = parent_of(state, s, source);
        if (buffer->count[source] == 0 || rank == summa->comm->rank || (parent == rank) != direct) continue;
        if (state->has_relays) state->posted[s][source] = state->receive_count;
        SCALAY_TRY(
            scalay_pieces_receive(&state->pieces, scalay_summa_receive_buffer_at(buffer, source, summa->side[s].size),
                                  buffer->count[source], parent, state->tag, state->receives, &state->receive_count));
    }
cleanup:
    return status;
}

static scalay_status receive_all(scalay_summa *summa, int64_t panel)
{
    scalay_status status = SCALAY_SUCCESS;
    messages *state = summa->transport_state;
    state->to_pass = 0;
    for (int s = 0; s < 2; s++) {
        scalay_summa_receive_buffer_expect(&state->buffer[s], summa, s, panel);
        summa->statistics.elements_received += state->buffer[s].incoming;
        for (int64_t k = 0; k < state->buffer[s].sources.count && state->has_relays; k++) state->posted[s][k] = -1;
    }
    for (int s = 0; s < 2; s++) SCALAY_TRY(receive(summa, s, 1));
    for (int s = 0; s < 2 && state->has_relays; s++) SCALAY_TRY(receive(summa, s, 0));
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

static scalay_status pass_message(scalay_summa *summa, int s, int64_t source)
{
    scalay_status status = SCALAY_SUCCESS;
    messages *state = summa->transport_state;
    const scalay_summa_receive_buffer *buffer = &state->buffer[s];
    const scalay_relay *relay = &state->relays[s].incoming[source];
    for (int c = 0; c < relay->children; c++)
        SCALAY_TRY(send_message(summa, scalay_summa_receive_buffer_at(buffer, source, summa->side[s].size),
                                buffer->count[source], relay->child[c], state->passing, &state->passing_count));
cleanup:
    return status;
}

/* Passes on the messages of the pending panel, in order. If `waits` is 0, as far as they have arrived. */
static scalay_status pass_on(scalay_summa *summa, int waits)
{
    scalay_status status = SCALAY_SUCCESS;
    messages *state = summa->transport_state;
    const int64_t of_a = state->buffer[0].sources.count, all = of_a + state->buffer[1].sources.count;
    for (int done = 1; state->has_relays && state->to_pass < all; state->to_pass++) {
        const int s = state->to_pass >= of_a;
        const int64_t source = state->to_pass - s * of_a;
        const int posted = state->posted[s][source];
        if (posted < 0 || state->relays[s].incoming[source].children == 0) continue;
        const int pieces = pieces_of(state, state->buffer[s].count[source]);
        MPI_Request *receives = &state->receives[posted];
        if (waits) SCALAY_TRY_MPI(MPI_Waitall(pieces, receives, MPI_STATUSES_IGNORE));
        if (!waits) SCALAY_TRY_MPI(MPI_Testall(pieces, receives, &done, MPI_STATUSES_IGNORE));
        if (!done) break;
        SCALAY_TRY(pass_message(summa, s, source));
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
