/* Relays of SUMMA: each rank plans the trees of its own messages, and tells the receivers once. */
#include "multiply/summa_relays.h"

#include <stdlib.h>

#include "base/memory.h"
#include "parallel/requests.h"

/* A member of a receiver group. */
typedef struct {
    int node, rank;
} member;

static int compare_members(const void *a, const void *b)
{
    const member *x = a, *y = b;
    if (x->node != y->node) return x->node < y->node ? -1 : 1;
    return (x->rank > y->rank) - (x->rank < y->rank);
}

/* Returns the ranks that get panels of this rank. */
static int64_t count_receivers(const scalay_summa_side *side)
{
    return side->receiver_groups > 0 ? side->receivers[side->receiver_groups - 1].end_rank : 0;
}

/* Finds the tree of a receiver group. list: scratch, shape [members]. Sources begin with different nodes. */
static void plan_group(const scalay_summa_side *side, int64_t k, const int *node, member *list,
                       scalay_summa_relays *relays)
{
    const int64_t first = side->receivers[k].first_rank;
    const int count = (int)(side->receivers[k].end_rank - first);
    for (int m = 0; m < count; m++)
        list[m] = (member){node[side->receiver_rank[first + m]], side->receiver_rank[first + m]};
    qsort(list, (size_t)count, sizeof *list, compare_members);
    const scalay_relay_group group = {.sender = side->rank,
                                      .member = &list->rank,
                                      .stride = sizeof *list,
                                      .count = count,
                                      .first = side->rank % count,
                                      .node = node};
    relays->outgoing[k] = scalay_relay_find(&group, -1);
    for (int m = 0; m < count; m++) {
        relays->receiver[first + m] = list[m].rank;
        relays->told[first + m] = scalay_relay_find(&group, m);
    }
}

scalay_status scalay_summa_relays_create(const scalay_summa_side *side, const scalay_summa_ranks *sources,
                                         const int *node, scalay_summa_relays *relays)
{
    scalay_status status = SCALAY_SUCCESS;
    member *list = NULL;
    const int64_t receivers = count_receivers(side);
    SCALAY_TRY(SCALAY_NEW(list, receivers));
    SCALAY_TRY(SCALAY_NEW(relays->outgoing, side->receiver_groups));
    SCALAY_TRY(SCALAY_NEW(relays->incoming, sources->count));
    SCALAY_TRY(SCALAY_NEW(relays->receiver, receivers));
    SCALAY_TRY(SCALAY_NEW(relays->told, receivers));
    SCALAY_TRY(scalay_requests_create(sources->count + receivers, &relays->requests));
    for (int64_t k = 0; k < side->receiver_groups; k++) plan_group(side, k, node, list, relays);
    for (int64_t k = 0; k < sources->count; k++) relays->receives += sources->rank[k] != side->rank;
    relays->request_count = relays->receives + (int)receivers;
cleanup:
    scalay_release(list);
    return status;
}

/* A relay as MPI sees it. */
enum { RELAY_INTS = sizeof(scalay_relay) / sizeof(int) };
_Static_assert(RELAY_INTS * sizeof(int) == sizeof(scalay_relay), "a relay consists of ints");

scalay_status scalay_summa_relays_exchange(const scalay_comm *comm, const scalay_summa_ranks *sources, int tag,
                                           scalay_summa_relays *relays)
{
    scalay_status status = SCALAY_SUCCESS;
    MPI_Request *next = relays->requests;
    for (int64_t k = 0; k < sources->count; k++)
        if (sources->rank[k] != comm->rank)
            SCALAY_TRY_MPI(
                MPI_Irecv(&relays->incoming[k], RELAY_INTS, MPI_INT, sources->rank[k], tag, comm->mpi, next++));
    for (int k = 0; k < relays->request_count - relays->receives; k++)
        SCALAY_TRY_MPI(MPI_Isend(&relays->told[k], RELAY_INTS, MPI_INT, relays->receiver[k], tag, comm->mpi, next++));
    SCALAY_TRY_MPI(MPI_Waitall(relays->request_count, relays->requests, MPI_STATUSES_IGNORE));
cleanup:
    return status;
}

int64_t scalay_summa_relays_passed(const scalay_summa_relays *relays, const scalay_summa_ranks *sources)
{
    int64_t passed = 0;
    for (int64_t k = 0; k < sources->count && relays->incoming != NULL; k++) passed += relays->incoming[k].children;
    return passed;
}

void scalay_summa_relays_free(scalay_summa_relays *relays)
{
    const int is_unused = scalay_requests_abandon(relays->request_count, relays->receives, relays->requests);
    scalay_requests_release(is_unused, relays->incoming);
    scalay_requests_release(is_unused, relays->told);
    scalay_release(relays->outgoing);
    scalay_release(relays->receiver);
    scalay_release(relays->requests);
    *relays = (scalay_summa_relays){0};
}
