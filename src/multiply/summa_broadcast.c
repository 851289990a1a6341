#include "base/integer.h"
#include "base/memory.h"
#include "multiply/summa_landing.h"
#include "parallel/node.h"

/*
 * Panels as broadcasts: what a rank holds of the lines that a set of owners needs goes to all of the set at once, on a
 * communicator of the set. For sets of many ranks: a message takes as many sends as there are ranks, a broadcast the
 * logarithm of that. Every rank of a set works out all of its broadcasts, so that they come in the same order on all.
 */

/* Communicators are scarce. */
enum { SETS_MOST = 32 };

/* What a hop of a broadcast takes in sends of the same message. On a node whose processors have all hops to work off, 4
 * to 16 ranks: 0.8 to 2.2, half of the cases below 1.3 and two in three below 1.35, small panels the worst. */
static const double sends_of_a_hop = 1.5;

typedef struct {
    MPI_Datatype element;
    scalay_summa_landing landing[2];
    char *sent[2][2]; /* what a side has packed for a panel and for the one before, in turns */
    MPI_Request *requests[2];
    int request_count[2];
} state;

static scalay_status probe(scalay_summa *summa, const scalay_layout *c, const scalay_summa_panels *classes)
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(scalay_node_probe(summa->comm));
    for (int s = 0; s < 2; s++) SCALAY_TRY(scalay_summa_sets_create(summa, s, c, classes, &summa->sets[s]));
cleanup:
    return status;
}

static int applicable(const scalay_summa *summa, const char **reason)
{
    for (int s = 0; s < 2; s++) {
        *reason = "some ranks hold elements of lines in which they own nothing of C";
        if (!summa->sets[s]->is_closed) return 0;
        *reason = "there are too many sets of owners";
        if (summa->sets[s]->most > SETS_MOST) return 0;
    }
    return 1;
}

/* An owner has a port: it sends to the others of a set one after the other, (ranks - 1) (alpha + bytes beta), while a
 * tree takes as many hops as it takes to double one rank to all of them. Processors that are fewer than the ranks of
 * the only node work off as many hops as there are sends: a tree gains nothing. */
static int helps(const scalay_summa *summa)
{
    const int64_t ranks = scalay_max_int64(summa->sets[0]->largest, summa->sets[1]->largest);
    const scalay_node *node = summa->comm->node;
    int hops = 0;
    while ((int64_t)1 << hops < ranks) hops++;
    if (node->is_crowded && node->size == summa->comm->size) return 0;
    return sends_of_a_hop * hops < (double)(ranks - 1);
}

/* ----------------------------------------------------------------------------------------------- creation */

static int has_others(const scalay_summa *summa, int s, const scalay_summa_block *block)
{
    const scalay_summa_set *set = &summa->sets[s]->set[scalay_summa_sets_find(summa->sets[s], &summa->side[s], block)];
    return set->end - set->first > 1;
}

/* What this rank packs of a panel. */
static int64_t count_packed(const scalay_summa *summa, int s, const scalay_summa_panels *panels, int64_t panel)
{
    const scalay_summa_side *side = &summa->side[s];
    int64_t packed = 0;
    scalay_summa_walk walk = scalay_summa_walk_needed(side, panels, panel);
    scalay_summa_block block;
    while (scalay_summa_walk_next(&walk, &block))
        if (block.owner == side->rank && has_others(summa, s, &block)) packed += scalay_summa_block_elements(&block);
    return packed;
}

static int64_t workspace(const scalay_summa *summa, const scalay_summa_panels *panels)
{
    return scalay_summa_landing_workspace(count_packed, summa, panels);
}

static scalay_status make(scalay_summa *summa)
{
    scalay_status status = SCALAY_SUCCESS;
    state *made = NULL;
    int64_t requests = 0;
    SCALAY_TRY(SCALAY_NEW(made, 1));
    summa->transport_state = made;
    SCALAY_TRY(scalay_summa_element_type(summa, &made->element));
    for (int s = 0; s < 2; s++) {
        const scalay_summa_side *side = &summa->side[s];
        const int64_t packed = scalay_summa_most_packed(count_packed, summa, s, &summa->panels) * (int64_t)side->size;
        SCALAY_TRY(scalay_summa_landing_create(summa, s, summa->sets[s], &made->landing[s]));
        for (int k = 0; k < 2; k++) SCALAY_TRY(SCALAY_NEW(made->sent[s][k], packed));
        requests += made->landing[s].lanes;
    }
    for (int k = 0; k < 2; k++) SCALAY_TRY(SCALAY_NEW(made->requests[k], requests));
cleanup:
    return status;
}

static scalay_status create(scalay_summa *summa)
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(scalay_comm_agree(summa->comm, make(summa)));
    for (int s = 0; s < 2; s++) SCALAY_TRY(scalay_summa_sets_connect(summa, summa->sets[s]));
cleanup:
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
        scalay_release(going->requests[s]);
    }
    if (going->element != MPI_DATATYPE_NULL) MPI_Type_free(&going->element);
    scalay_release(going);
}

/* ---------------------------------------------------------------------------------------------- execution */

static scalay_status begin(scalay_summa *summa, const scalay_summa_operands *operands)
{
    state *now = summa->transport_state;
    (void)operands;
    now->request_count[0] = now->request_count[1] = 0;
    now->landing[0].landing = now->landing[1].landing = 0;
    return SCALAY_SUCCESS;
}

/* Packs what this rank holds of a set's lines, unless it lies ready. Returns where the next set's goes. */
static char *prepare(const scalay_summa *summa, int s, int64_t set, int64_t panel, const char *array, char *room,
                     char **message)
{
    const scalay_summa_side *side = &summa->side[s];
    scalay_summa_walk walk = scalay_summa_walk_needed(side, &summa->panels, panel);
    scalay_summa_block block;
    *message = room;
    while (scalay_summa_walk_next(&walk, &block)) {
        if (block.owner != side->rank || scalay_summa_sets_find(summa->sets[s], side, &block) != set) continue;
        scalay_summa_pack(side, &summa->panels, &block, array, room);
        room += (size_t)scalay_summa_block_elements(&block) * side->size;
    }
    return room;
}

/* The broadcasts of a set, one for each rank that holds something. */
static scalay_status broadcast(scalay_summa *summa, int s, int64_t set, int64_t panel, const char *array, char **room)
{
    scalay_status status = SCALAY_SUCCESS;
    state *now = summa->transport_state;
    const scalay_summa_landing *landing = &now->landing[s];
    const scalay_summa_set *members = &summa->sets[s]->set[set];
    const int turn = (int)(panel % 2);
    for (int64_t r = members->first; members->mpi != MPI_COMM_NULL && r < members->end; r++) {
        const int rank = summa->sets[s]->rank[r];
        const int64_t lane = set * summa->comm->size + rank, elements = landing->count[lane];
        if (elements == 0) continue;
        char *message = NULL;
        if (rank == summa->comm->rank) {
            *room = prepare(summa, s, set, panel, array, *room, &message);
            summa->statistics.elements_copied += elements;
            summa->statistics.messages_sent += members->end - members->first - 1;
            summa->statistics.elements_sent += (members->end - members->first - 1) * elements;
        } else {
            message = scalay_summa_landing_place(landing, lane, summa->side[s].size);
        }
        SCALAY_TRY_MPI(MPI_Ibcast(message, (int)elements, now->element, (int)(r - members->first), members->mpi,
                                  &now->requests[turn][now->request_count[turn]]));
        now->request_count[turn]++;
    }
cleanup:
    return status;
}

static scalay_status wait_for(state *now, int turn)
{
    const int pending = now->request_count[turn];
    now->request_count[turn] = 0;
    return scalay_mpi_check(MPI_Waitall(pending, now->requests[turn], MPI_STATUSES_IGNORE), "scalay_summa_execute",
                            "MPI_Waitall");
}

/* What was broadcast two panels ago, in these buffers, has been taken. */
static scalay_status start(scalay_summa *summa, const scalay_summa_operands *operands, int64_t panel)
{
    scalay_status status = SCALAY_SUCCESS;
    state *now = summa->transport_state;
    for (int s = 0; s < 2; s++) {
        char *room = now->sent[s][panel % 2];
        scalay_summa_landing_expect(&now->landing[s], summa, s, panel);
        summa->statistics.elements_received += now->landing[s].incoming;
        for (int64_t set = 0; set < summa->sets[s]->count; set++)
            SCALAY_TRY(broadcast(summa, s, set, panel, operands->matrix[s], &room));
    }
cleanup:
    return status;
}

static scalay_status take(scalay_summa *summa, const scalay_summa_operands *operands, int64_t panel,
                          scalay_summa_view *view)
{
    scalay_status status = SCALAY_SUCCESS;
    state *now = summa->transport_state;
    SCALAY_TRY(wait_for(now, (int)(panel % 2)));
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
    for (int k = 0; k < 2; k++)
        SCALAY_TRY_MPI(MPI_Testall(now->request_count[k], now->requests[k], &done, MPI_STATUSES_IGNORE));
cleanup:
    return status;
}

static scalay_status end(scalay_summa *summa)
{
    scalay_status status = SCALAY_SUCCESS;
    for (int k = 0; k < 2; k++) SCALAY_TRY(wait_for(summa->transport_state, k));
cleanup:
    return status;
}

const scalay_summa_transport scalay_summa_broadcast = {.name = "broadcast",
                                                       .width = SCALAY_SUMMA_WIDTH,
                                                       .probe = probe,
                                                       .applicable = applicable,
                                                       .helps = helps,
                                                       .workspace = workspace,
                                                       .create = create,
                                                       .begin = begin,
                                                       .start = start,
                                                       .take = take,
                                                       .advance = advance,
                                                       .end = end,
                                                       .destroy = destroy};
