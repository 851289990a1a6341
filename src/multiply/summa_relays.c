/* Relays of SUMMA: each rank plans the trees of its own messages, and tells the receivers. */
#include "multiply/summa_relays.h"

#include <stdlib.h>

#include "base/integer.h"
#include "base/memory.h"
#include "multiply/summa_receive_buffer.h"
#include "parallel/pieces.h"
#include "parallel/requests.h"

static int compare_members(const void *a, const void *b)
{
    const scalay_summa_member *x = a, *y = b;
    if (x->node != y->node) return x->node < y->node ? -1 : 1;
    return (x->rank > y->rank) - (x->rank < y->rank);
}

/* Returns the ranks that get panels of this rank. */
static int64_t count_receivers(const scalay_summa_side *side)
{
    return side->receiver_groups > 0 ? side->receivers[side->receiver_groups - 1].end_rank : 0;
}

/* Finds the sources whose messages are not empty in all panels, and the longest messages for groups. Both ends find
 * the same. */
static void find_partners(const scalay_summa_side *side, const scalay_summa_panels *panels,
                          const scalay_summa_ranks *sources, scalay_summa_relays *relays)
{
    scalay_summa_block block;
    for (int64_t panel = 0; panel < panels->panels; panel++) {
        scalay_summa_walk needed = scalay_summa_walk_needed(side, panels, panel);
        while (scalay_summa_walk_next(&needed, &block))
            if (block.owner != side->rank && scalay_summa_block_elements(&block) > 0)
                relays->has_source[scalay_summa_find_source(sources, block.owner)] = 1;
        for (int64_t k = 0; k < side->receiver_groups; k++) {
            scalay_summa_walk held = scalay_summa_walk_held(side, &side->receivers[k], panels, panel);
            int64_t elements = 0;
            while (scalay_summa_walk_next(&held, &block))
                if (block.owner == side->rank) elements += scalay_summa_block_elements(&block);
            relays->longest[k] = scalay_max_int64(relays->longest[k], elements);
        }
    }
}

scalay_status scalay_summa_relays_create(const scalay_summa_side *side, const scalay_summa_panels *panels,
                                         const scalay_summa_ranks *sources, scalay_summa_relays *relays)
{
    scalay_status status = SCALAY_SUCCESS;
    const int64_t receivers = count_receivers(side);
    SCALAY_TRY(SCALAY_NEW(relays->outgoing, side->receiver_groups));
    SCALAY_TRY(SCALAY_NEW(relays->incoming, sources->count));
    SCALAY_TRY(SCALAY_NEW(relays->member, receivers));
    SCALAY_TRY(SCALAY_NEW(relays->told, receivers));
    SCALAY_TRY(SCALAY_NEW(relays->leader, receivers));
    SCALAY_TRY(SCALAY_NEW(relays->has_source, sources->count));
    SCALAY_TRY(SCALAY_NEW(relays->longest, side->receiver_groups));
    SCALAY_TRY(scalay_requests_create(sources->count + receivers, &relays->requests));
    find_partners(side, panels, sources, relays);
cleanup:
    return status;
}

/* Tells the sources the node of this rank, and hears that of the receivers. */
static scalay_status exchange_nodes(const scalay_comm *comm, const scalay_summa_side *side,
                                    const scalay_summa_ranks *sources, const int *node, int tag,
                                    scalay_summa_relays *relays)
{
    scalay_status status = SCALAY_SUCCESS;
    relays->request_count = relays->receives = 0;
    for (int64_t group = 0; group < side->receiver_groups; group++) {
        const scalay_summa_receivers *receivers = &side->receivers[group];
        for (int64_t k = receivers->first_rank; k < receivers->end_rank && relays->longest[group] > 0; k++) {
            relays->member[k].rank = side->receiver_rank[k];
            SCALAY_TRY_MPI(MPI_Irecv(&relays->member[k].node, 1, MPI_INT, side->receiver_rank[k], tag, comm->mpi,
                                     &relays->requests[relays->request_count]));
            relays->receives = ++relays->request_count;
        }
    }
    for (int64_t k = 0; k < sources->count; k++) {
        if (!relays->has_source[k]) continue;
        SCALAY_TRY_MPI(
            MPI_Isend(node, 1, MPI_INT, sources->rank[k], tag, comm->mpi, &relays->requests[relays->request_count]));
        relays->request_count++;
    }
    SCALAY_TRY_MPI(MPI_Waitall(relays->request_count, relays->requests, MPI_STATUSES_IGNORE));
cleanup:
    return status;
}

/* Finds the tree of a receiver group. Sources begin with different nodes. */
static void plan_group(const scalay_summa_side *side, int64_t k, int node, int64_t piece, scalay_summa_relays *relays)
{
    const int64_t first = side->receivers[k].first_rank;
    const int count = (int)(side->receivers[k].end_rank - first);
    scalay_summa_member *member = relays->member + first;
    qsort(member, (size_t)count, sizeof *member, compare_members);
    const scalay_relay_group group = {.sender = side->rank,
                                      .sender_node = node,
                                      .member = &member->rank,
                                      .member_node = &member->node,
                                      .stride = sizeof *member,
                                      .count = count,
                                      .first = side->rank % count,
                                      .pieces = scalay_pieces_count(piece, relays->longest[k])};
    relays->outgoing[k] = scalay_relay_find_all(&group, relays->leader, relays->told + first);
}

/* A relay as MPI sees it. */
enum { RELAY_INTS = sizeof(scalay_relay) / sizeof(int) };
_Static_assert(RELAY_INTS * sizeof(int) == sizeof(scalay_relay), "a relay consists of ints");

/* Tells the receivers what they do, and hears it from the sources. */
static scalay_status exchange_relays(const scalay_comm *comm, const scalay_summa_side *side,
                                     const scalay_summa_ranks *sources, int tag, scalay_summa_relays *relays)
{
    scalay_status status = SCALAY_SUCCESS;
    relays->request_count = relays->receives = 0;
    for (int64_t k = 0; k < sources->count; k++) {
        if (!relays->has_source[k]) continue;
        SCALAY_TRY_MPI(MPI_Irecv(&relays->incoming[k], RELAY_INTS, MPI_INT, sources->rank[k], tag, comm->mpi,
                                 &relays->requests[relays->request_count]));
        relays->receives = ++relays->request_count;
    }
    for (int64_t group = 0; group < side->receiver_groups; group++) {
        const scalay_summa_receivers *receivers = &side->receivers[group];
        for (int64_t k = receivers->first_rank; k < receivers->end_rank && relays->longest[group] > 0; k++) {
            SCALAY_TRY_MPI(MPI_Isend(&relays->told[k], RELAY_INTS, MPI_INT, relays->member[k].rank, tag, comm->mpi,
                                     &relays->requests[relays->request_count]));
            relays->request_count++;
        }
    }
    SCALAY_TRY_MPI(MPI_Waitall(relays->request_count, relays->requests, MPI_STATUSES_IGNORE));
cleanup:
    return status;
}

scalay_status scalay_summa_relays_find(const scalay_comm *comm, const scalay_summa_side *side,
                                       const scalay_summa_ranks *sources, int node, int64_t piece, int tag,
                                       scalay_summa_relays *relays)
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(exchange_nodes(comm, side, sources, &node, tag, relays));
    for (int64_t k = 0; k < side->receiver_groups; k++)
        if (relays->longest[k] > 0) plan_group(side, k, node, piece, relays);
    SCALAY_TRY(exchange_relays(comm, side, sources, tag, relays));
cleanup:
    return status;
}

void scalay_summa_relays_free(scalay_summa_relays *relays)
{
    const int is_unused = scalay_requests_abandon(relays->request_count, relays->receives, relays->requests);
    scalay_requests_release(is_unused, relays->incoming);
    scalay_requests_release(is_unused, relays->told);
    scalay_requests_release(is_unused, relays->member);
    scalay_release(relays->leader);
    scalay_release(relays->has_source);
    scalay_release(relays->longest);
    scalay_release(relays->outgoing);
    scalay_release(relays->requests);
    *relays = (scalay_summa_relays){0};
}
