#include "base/integer.h"
#include "base/memory.h"
#include "multiply/summa_landing.h"

/*
 * Panels as messages: one for each source, destination and matrix. A rank sends the same message to all ranks of an
 * audience; what lies in its array as in the message is sent from there.
 */

typedef struct {
    MPI_Datatype element;
    int tag;
    scalay_summa_landing landing[2];
    char *sent[2][2]; /* what a side has packed for a panel and for the one before, in turns */
    MPI_Request *receives;
    int receive_count;
    MPI_Request *sends[2]; /* of a panel and of the one before */
    int send_count[2];
} state;

static int always(const scalay_summa *summa, const char **reason)
{
    (void)summa;
    *reason = "messages always travel";
    return 1;
}

/* ---------------------------------------------------------------------------------------------- workspace */

/* What an audience gets of a panel; *single is the block if there is only one. */
static int64_t count_outgoing(const scalay_summa_side *side, const scalay_summa_audience *audience,
                              const scalay_summa_panels *panels, int64_t panel, scalay_summa_block *single, int *blocks)
{
    int64_t elements = 0;
    scalay_summa_walk walk = scalay_summa_walk_held(side, audience, panels, panel);
    scalay_summa_block block;
    *blocks = 0;
    while (scalay_summa_walk_next(&walk, &block)) {
        if (block.owner != side->rank) continue;
        elements += scalay_summa_block_elements(&block);
        *single = block;
        ++*blocks;
    }
    return elements;
}

/* What must be packed of a panel. */
static int64_t count_packed(const scalay_summa *summa, int s, const scalay_summa_panels *panels, int64_t panel)
{
    const scalay_summa_side *side = &summa->side[s];
    int64_t packed = 0, offset = 0;
    for (int64_t k = 0; k < side->audiences; k++) {
        scalay_summa_block block;
        int blocks = 0;
        const int64_t elements = count_outgoing(side, &side->audience[k], panels, panel, &block, &blocks);
        if (blocks == 1 && scalay_summa_block_is_dense(side, panels, &block, &offset)) continue;
        packed += elements;
    }
    return packed;
}

static int64_t workspace(const scalay_summa *summa, const scalay_summa_panels *panels)
{
    return scalay_summa_landing_workspace(count_packed, summa, panels);
}

/* ----------------------------------------------------------------------------------------------- creation */

static scalay_status make_side(scalay_summa *summa, int s, state *made)
{
    scalay_status status = SCALAY_SUCCESS;
    const scalay_summa_side *side = &summa->side[s];
    const int64_t packed = scalay_summa_most_packed(count_packed, summa, s, &summa->panels) * (int64_t)side->size;
    SCALAY_TRY(scalay_summa_landing_create(summa, s, NULL, &made->landing[s]));
    for (int k = 0; k < 2; k++) SCALAY_TRY(SCALAY_NEW(made->sent[s][k], packed));
cleanup:
    return status;
}

static scalay_status make(scalay_summa *summa)
{
    scalay_status status = SCALAY_SUCCESS;
    state *made = NULL;
    int64_t sends = 0;
    SCALAY_TRY(SCALAY_NEW(made, 1));
    summa->transport_state = made;
    SCALAY_TRY(scalay_summa_element_type(summa, &made->element));
    for (int s = 0; s < 2; s++) {
        SCALAY_TRY(make_side(summa, s, made));
        const scalay_summa_side *side = &summa->side[s];
        if (side->audiences > 0) sends += side->audience[side->audiences - 1].end_rank;
    }
    SCALAY_TRY(SCALAY_NEW(made->receives, 2 * (int64_t)summa->comm->size));
    for (int k = 0; k < 2; k++) SCALAY_TRY(SCALAY_NEW(made->sends[k], sends));
cleanup:
    return status;
}

static scalay_status create(scalay_summa *summa)
{
    const int tag = scalay_comm_tag(summa->comm);
    const scalay_status status = scalay_comm_agree(summa->comm, make(summa));
    if (status == SCALAY_SUCCESS) ((state *)summa->transport_state)->tag = tag;
    return status;
}

static void destroy(scalay_summa *summa)
{
    state *going = summa->transport_state;
    summa->transport_state = NULL;
    if (going == NULL) return;
    for (int s = 0; s < 2; s++) {
        scalay_summa_landing_free(&going->landing[s]);
        for (int k = 0; k < 2; k++) scalay_release(going->sent[s][k]);
    }
    for (int k = 0; k < 2; k++) scalay_release(going->sends[k]);
    scalay_release(going->receives);
    if (going->element != MPI_DATATYPE_NULL) MPI_Type_free(&going->element);
    scalay_release(going);
}

/* ---------------------------------------------------------------------------------------------- execution */

static scalay_status begin(scalay_summa *summa, const scalay_summa_operands *operands)
{
    state *now = summa->transport_state;
    (void)operands;
    now->receive_count = now->send_count[0] = now->send_count[1] = 0;
    now->landing[0].landing = now->landing[1].landing = 0;
    return SCALAY_SUCCESS;
}

static scalay_status receive(scalay_summa *summa, int s, int64_t panel)
{
    scalay_status status = SCALAY_SUCCESS;
    state *now = summa->transport_state;
    scalay_summa_landing *landing = &now->landing[s];
    scalay_summa_landing_expect(landing, summa, s, panel);
    for (int rank = 0; rank < summa->comm->size; rank++) {
        if (landing->count[rank] == 0 || rank == summa->comm->rank) continue;
        SCALAY_TRY_MPI(MPI_Irecv(scalay_summa_landing_place(landing, rank, summa->side[s].size),
                                 (int)landing->count[rank], now->element, rank, now->tag, summa->comm->mpi,
                                 &now->receives[now->receive_count]));
        now->receive_count++;
    }
    summa->statistics.elements_received += landing->incoming;
cleanup:
    return status;
}

/* Packs an audience's message unless it lies ready; *message is where it is. Returns the elements packed. */
static int64_t prepare(const scalay_summa *summa, const scalay_summa_side *side, const scalay_summa_audience *audience,
                       int64_t panel, const char *array, char *room, const char **message, int64_t *elements)
{
    scalay_summa_block block;
    int64_t offset = 0, packed = 0;
    int blocks = 0;
    *elements = count_outgoing(side, audience, &summa->panels, panel, &block, &blocks);
    *message = room;
    if (blocks == 1 && scalay_summa_block_is_dense(side, &summa->panels, &block, &offset)) {
        *message = array + (size_t)offset * side->size;
        return 0;
    }
    scalay_summa_walk walk = scalay_summa_walk_held(side, audience, &summa->panels, panel);
    while (scalay_summa_walk_next(&walk, &block)) {
        if (block.owner != side->rank) continue;
        scalay_summa_pack(side, &summa->panels, &block, array, room + (size_t)packed * side->size);
        packed += scalay_summa_block_elements(&block);
    }
    return packed;
}

static scalay_status send(scalay_summa *summa, int s, int64_t panel, const char *array)
{
    scalay_status status = SCALAY_SUCCESS;
    state *now = summa->transport_state;
    const scalay_summa_side *side = &summa->side[s];
    const int turn = (int)(panel % 2);
    char *room = now->sent[s][turn];
    for (int64_t k = 0; k < side->audiences; k++) {
        const scalay_summa_audience *audience = &side->audience[k];
        const char *message = NULL;
        int64_t elements = 0;
        const int64_t packed = prepare(summa, side, audience, panel, array, room, &message, &elements);
        room += (size_t)packed * side->size;
        summa->statistics.elements_copied += packed;
        for (int64_t r = audience->first_rank; elements > 0 && r < audience->end_rank; r++) {
            SCALAY_TRY_MPI(MPI_Isend(message, (int)elements, now->element, side->audience_rank[r], now->tag,
                                     summa->comm->mpi, &now->sends[turn][now->send_count[turn]]));
            now->send_count[turn]++;
            summa->statistics.messages_sent++;
            summa->statistics.elements_sent += elements;
        }
    }
cleanup:
    return status;
}

static scalay_status wait_for(MPI_Request *requests, int *count)
{
    const int pending = *count;
    *count = 0;
    return scalay_mpi_check(MPI_Waitall(pending, requests, MPI_STATUSES_IGNORE), "scalay_summa_execute", "MPI_Waitall");
}

static scalay_status start(scalay_summa *summa, const scalay_summa_operands *operands, int64_t panel)
{
    scalay_status status = SCALAY_SUCCESS;
    state *now = summa->transport_state;
    for (int s = 0; s < 2; s++) SCALAY_TRY(receive(summa, s, panel));
    SCALAY_TRY(wait_for(now->sends[panel % 2], &now->send_count[panel % 2]));
    for (int s = 0; s < 2; s++) SCALAY_TRY(send(summa, s, panel, operands->matrix[s]));
cleanup:
    return status;
}

static scalay_status take(scalay_summa *summa, const scalay_summa_operands *operands, int64_t panel,
                          scalay_summa_view *view)
{
    scalay_status status = SCALAY_SUCCESS;
    state *now = summa->transport_state;
    SCALAY_TRY(wait_for(now->receives, &now->receive_count));
    for (int s = 0; s < 2; s++)
        view[s] = scalay_summa_landing_take(&now->landing[s], summa, s, panel, operands->matrix[s]);
cleanup:
    return status;
}

static scalay_status advance(scalay_summa *summa)
{
    scalay_status status = SCALAY_SUCCESS;
    state *now = summa->transport_state;
    int done = 0;
    SCALAY_TRY_MPI(MPI_Testall(now->receive_count, now->receives, &done, MPI_STATUSES_IGNORE));
    for (int k = 0; k < 2; k++)
        SCALAY_TRY_MPI(MPI_Testall(now->send_count[k], now->sends[k], &done, MPI_STATUSES_IGNORE));
cleanup:
    return status;
}

static scalay_status end(scalay_summa *summa)
{
    scalay_status status = SCALAY_SUCCESS;
    state *now = summa->transport_state;
    for (int k = 0; k < 2; k++) SCALAY_TRY(wait_for(now->sends[k], &now->send_count[k]));
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
