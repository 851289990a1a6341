#include <string.h>

#include "core/integer.h"
#include "core/memory.h"
#include "kernels/summa_object.h"

/*
 * Panels as messages: one for each source, destination and matrix. A rank sends the same message to all ranks of an
 * audience; what lies in its array as in the message is sent from there. A panel that comes as a single block is used
 * as it comes, any other is put together in the second of two buffers; the next panel is received in the one that is
 * free.
 */

/* What a side needs in order to travel. */
typedef struct {
    char *panel[2]; /* shape [widest * lines] elements */
    int landing;    /* where the panel under way arrives, if it does */
    char *sent[2];  /* what was packed for a panel, taking turns */
    int64_t *count; /* shape [ranks]: elements from each in the panel under way */
    int64_t *at;    /* shape [ranks]: where they begin, and go on while they are unpacked */
    int64_t blocks; /* in it */
    int64_t incoming;
} side_state;

typedef struct {
    MPI_Datatype element;
    int tag;
    side_state side[2];
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
static int64_t count_packed(const scalay_summa_side *side, const scalay_summa_panels *panels, int64_t panel)
{
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

static int64_t most_packed(const scalay_summa_side *side, const scalay_summa_panels *panels)
{
    int64_t most = 0;
    for (int64_t p = 0; p < panels->panels; p++) most = scalay_max_int64(most, count_packed(side, panels, p));
    return most;
}

static int64_t workspace(const scalay_summa *summa, const scalay_summa_panels *panels)
{
    int64_t elements = 0;
    for (int s = 0; s < 2; s++)
        elements += 2 * (panels->widest * summa->side[s].lines + most_packed(&summa->side[s], panels));
    return elements * (int64_t)summa->side[0].size;
}

/* ----------------------------------------------------------------------------------------------- creation */

static scalay_status make_side(const scalay_summa *summa, int s, side_state *made)
{
    scalay_status status = SCALAY_SUCCESS;
    const scalay_summa_side *side = &summa->side[s];
    const int64_t size = (int64_t)side->size;
    const int64_t packed = most_packed(side, &summa->panels);
    for (int k = 0; k < 2; k++) {
        SCALAY_TRY(SCALAY_NEW(made->panel[k], summa->panels.widest * side->lines * size));
        SCALAY_TRY(SCALAY_NEW(made->sent[k], packed * size));
    }
    SCALAY_TRY(SCALAY_NEW(made->count, summa->comm->size));
    SCALAY_TRY(SCALAY_NEW(made->at, summa->comm->size));
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
    made->element = MPI_DATATYPE_NULL;
    SCALAY_TRY_MPI(MPI_Type_contiguous((int)summa->side[0].size, MPI_BYTE, &made->element));
    SCALAY_TRY_MPI(MPI_Type_commit(&made->element));
    for (int s = 0; s < 2; s++) {
        SCALAY_TRY(make_side(summa, s, &made->side[s]));
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
        for (int k = 0; k < 2; k++) {
            scalay_release(going->side[s].panel[k]);
            scalay_release(going->side[s].sent[k]);
        }
        scalay_release(going->side[s].count);
        scalay_release(going->side[s].at);
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
    now->side[0].landing = now->side[1].landing = 0;
    return SCALAY_SUCCESS;
}

/* Finds out what comes from whom. */
static void count_incoming(const scalay_summa *summa, int s, int64_t panel, side_state *now)
{
    const scalay_summa_side *side = &summa->side[s];
    scalay_summa_walk walk = scalay_summa_walk_needed(side, &summa->panels, panel);
    scalay_summa_block block;
    memset(now->count, 0, (size_t)summa->comm->size * sizeof *now->count);
    now->blocks = now->incoming = 0;
    while (scalay_summa_walk_next(&walk, &block)) {
        now->blocks++;
        if (block.owner != side->rank) now->count[block.owner] += scalay_summa_block_elements(&block);
    }
}

static scalay_status receive(scalay_summa *summa, int s, int64_t panel)
{
    scalay_status status = SCALAY_SUCCESS;
    state *now = summa->transport_state;
    side_state *side = &now->side[s];
    const size_t size = summa->side[s].size;
    count_incoming(summa, s, panel, side);
    for (int rank = 0; rank < summa->comm->size; rank++) {
        side->at[rank] = side->incoming;
        if (side->count[rank] == 0) continue;
        SCALAY_TRY_MPI(MPI_Irecv(side->panel[side->landing] + (size_t)side->incoming * size, (int)side->count[rank],
                                 now->element, rank, now->tag, summa->comm->mpi, &now->receives[now->receive_count]));
        now->receive_count++;
        side->incoming += side->count[rank];
    }
    summa->statistics.elements_received += side->incoming;
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
    char *room = now->side[s].sent[turn];
    for (int64_t k = 0; k < side->audiences; k++) {
        const scalay_summa_audience *audience = &side->audience[k];
        const char *message = NULL;
        int64_t elements = 0;
        room += (size_t)prepare(summa, side, audience, panel, array, room, &message, &elements) * side->size;
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

/* Puts a panel together from what came and what this rank has. */
static void assemble(const scalay_summa *summa, int s, int64_t panel, const char *array, scalay_summa_target target)
{
    const scalay_summa_side *side = &summa->side[s];
    side_state *now = &((state *)summa->transport_state)->side[s];
    scalay_summa_walk walk = scalay_summa_walk_needed(side, &summa->panels, panel);
    scalay_summa_block block;
    while (scalay_summa_walk_next(&walk, &block)) {
        if (block.owner == side->rank) {
            scalay_summa_copy(side, &summa->panels, &block, array, target);
            continue;
        }
        const char *message = now->panel[now->landing] + (size_t)now->at[block.owner] * side->size;
        scalay_summa_unpack(side, &summa->panels, &block, message, target);
        now->at[block.owner] += scalay_summa_block_elements(&block);
    }
}

static scalay_summa_view take_side(const scalay_summa *summa, int s, int64_t panel, const char *array)
{
    const scalay_summa_side *side = &summa->side[s];
    side_state *now = &((state *)summa->transport_state)->side[s];
    const int64_t ld = scalay_summa_panel_ld(side, summa->panels.panel[panel].width);
    scalay_summa_origin origin;
    if (now->incoming == 0 && scalay_summa_panel_is_whole(side, &summa->panels, panel, &origin))
        return (scalay_summa_view){array + (size_t)origin.offset * side->size, origin.ld};
    char *landed = now->panel[now->landing];
    if (now->blocks == 1 && now->incoming > 0) {
        now->landing = !now->landing;
        return (scalay_summa_view){landed, ld};
    }
    char *made = now->panel[!now->landing];
    assemble(summa, s, panel, array, (scalay_summa_target){made, ld});
    return (scalay_summa_view){made, ld};
}

static scalay_status take(scalay_summa *summa, const scalay_summa_operands *operands, int64_t panel,
                          scalay_summa_view *view)
{
    scalay_status status = SCALAY_SUCCESS;
    state *now = summa->transport_state;
    SCALAY_TRY(wait_for(now->receives, &now->receive_count));
    for (int s = 0; s < 2; s++) view[s] = take_side(summa, s, panel, operands->matrix[s]);
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
                                                      .applicable = always,
                                                      .workspace = workspace,
                                                      .create = create,
                                                      .begin = begin,
                                                      .start = start,
                                                      .take = take,
                                                      .advance = advance,
                                                      .end = end,
                                                      .destroy = destroy};
