/*
 * Transport "broadcast": each rank sends its part of a panel by MPI_Ibcast to the owner set that needs it.
 *
 * An owner set consists of all ranks that own elements in one class of C's rows (or columns). Each set has a
 * communicator. Every rank of a set determines all broadcasts of the set, so they start in the same order everywhere.
 *
 * A set of r ranks receives a message in r - 1 sends of its owner, or in about log2(r) hops of a broadcast tree.
 */

#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "base/integer.h"
#include "base/memory.h"
#include "multiply/summa_receive_buffer.h"
#include "parallel/node.h"
#include "parallel/requests.h"

/* Ranks that own elements in the same classes of C. */
typedef struct {
    int64_t first; /* they are rank[first] .. rank[end - 1], ascending */
    int64_t end;
    MPI_Comm mpi; /* in this order; MPI_COMM_NULL: not created, or the set has one rank */
} owner_set;

/* The owner sets of a side that contain this rank, in an order that all ranks agree on. */
struct scalay_summa_sets {
    int64_t count;
    owner_set *set; /* shape [count] */
    int *rank;
    int64_t *of_class;      /* shape [classes of the side]: index of the set of each class */
    int64_t max_ranks;      /* of a set, on any rank */
    int64_t max_sets;       /* that contain one rank, on any rank */
    int64_t max_node_ranks; /* on any node */
    int mpi_failures;       /* of this process when the sets were created */
    int is_closed;          /* 1: the ranks of each set hold everything that the set needs, on all ranks */
};

void scalay_summa_sets_destroy(scalay_summa_sets **sets)
{
    scalay_summa_sets *old_sets = *sets;
    *sets = NULL;
    if (old_sets == NULL) return;
    const int is_whole = old_sets->mpi_failures == scalay_mpi_failures();
    for (int64_t k = 0; k < old_sets->count && is_whole; k++)
        if (old_sets->set[k].mpi != MPI_COMM_NULL) MPI_Comm_free(&old_sets->set[k].mpi);
    scalay_release(old_sets->set);
    scalay_release(old_sets->rank);
    scalay_release(old_sets->of_class);
    scalay_release(old_sets);
}

/* -------------------------------------------------------------------------------------------- owner sets */

/* The owners of a class of C. */
typedef struct {
    int64_t k; /* index of the class in side->class */
    int64_t count;
    const int *rank; /* ascending */
} owners;

static int compare_ranks(const void *a, const void *b)
{
    return scalay_compare_int64(*(const int *)a, *(const int *)b);
}

static int compare_members(const owners *x, const owners *y)
{
    for (int64_t k = 0; k < x->count && k < y->count; k++)
        if (x->rank[k] != y->rank[k]) return x->rank[k] < y->rank[k] ? -1 : 1;
    return scalay_compare_int64(x->count, y->count);
}

static int compare_owners(const void *a, const void *b)
{
    const owners *x = a, *y = b;
    const int order = compare_members(x, y);
    return order != 0 ? order : scalay_compare_int64(x->k, y->k);
}

/* Lists the owners of each class of a side. Classes with the same owners are adjacent. The ranks are in sets->rank. */
static scalay_status list_owners(const scalay_summa_side *side, const scalay_layout *c, scalay_summa_sets *sets,
                                 owners *list)
{
    scalay_status status = SCALAY_SUCCESS;
    char *visited = NULL;
    scalay_summa_ranks all = {0};
    SCALAY_TRY(SCALAY_NEW(visited, c->processes));
    for (int64_t k = 0; k < side->classes; k++) {
        const int64_t first = all.count;
        SCALAY_TRY(scalay_summa_add_owners(side->which, c, side->class[k], visited, &all));
        qsort(all.rank + first, (size_t)(all.count - first), sizeof *all.rank, compare_ranks);
        list[k] = (owners){.k = k, .count = all.count - first};
    }
    sets->rank = all.rank;
    all.rank = NULL;
    int64_t first = 0;
    for (int64_t k = 0; k < side->classes; first += list[k++].count) list[k].rank = sets->rank + first;
    qsort(list, (size_t)side->classes, sizeof *list, compare_owners);
cleanup:
    scalay_release(all.rank);
    scalay_release(visited);
    return status;
}

static scalay_status find_sets(const scalay_summa_side *side, const scalay_layout *c, scalay_summa_sets **sets)
{
    scalay_status status = SCALAY_SUCCESS;
    owners *list = NULL;
    SCALAY_TRY(SCALAY_NEW(*sets, 1));
    (*sets)->mpi_failures = scalay_mpi_failures();
    SCALAY_TRY(SCALAY_NEW(list, side->classes));
    SCALAY_TRY(SCALAY_NEW((*sets)->of_class, side->classes));
    SCALAY_TRY(list_owners(side, c, *sets, list));
    SCALAY_TRY(SCALAY_NEW((*sets)->set, side->classes));
    for (int64_t k = 0; k < side->classes; k++) {
        if (k == 0 || compare_members(&list[k - 1], &list[k]) != 0) {
            const int64_t first = list[k].rank - (*sets)->rank;
            (*sets)->set[(*sets)->count++] = (owner_set){first, first + list[k].count, MPI_COMM_NULL};
        }
        (*sets)->of_class[list[k].k] = (*sets)->count - 1;
    }
cleanup:
    scalay_release(list);
    return status;
}

int64_t scalay_summa_sets_count(const scalay_summa_sets *sets)
{
    return sets->count;
}

int64_t scalay_summa_sets_find(const scalay_summa_sets *sets, const scalay_summa_side *side,
                               const scalay_summa_block *block)
{
    return sets->of_class[scalay_summa_find_class(side, block->overlap->c_class)];
}

static int is_in(const scalay_summa_sets *sets, int64_t k, int rank)
{
    const owner_set *set = &sets->set[k];
    return bsearch(&rank, sets->rank + set->first, (size_t)(set->end - set->first), sizeof rank, compare_ranks) != NULL;
}

/* Returns 1 if the owner of every block that this rank needs is in the set that needs the block. */
static int is_closed(const scalay_summa_side *side, const scalay_summa_sets *sets, const scalay_summa_panels *classes)
{
    scalay_summa_walk walk = scalay_summa_walk_needed(side, classes, 0);
    scalay_summa_block block;
    while (scalay_summa_walk_next(&walk, &block))
        if (!is_in(sets, scalay_summa_sets_find(sets, side, &block), block.owner)) return 0;
    return 1;
}

static scalay_status create_sets(scalay_summa *summa, int which, const scalay_layout *c,
                                 const scalay_summa_panels *classes, scalay_summa_sets **sets)
{
    scalay_status status = SCALAY_SUCCESS;
    int64_t max_counts[4] = {0, 0, 0, summa->comm->node->size};
    const scalay_summa_side *side = &summa->side[which];
    SCALAY_TRY(scalay_comm_agree(summa->comm, find_sets(side, c, sets)));
    max_counts[0] = (*sets)->count;
    for (int64_t k = 0; k < (*sets)->count; k++) {
        const int64_t ranks = (*sets)->set[k].end - (*sets)->set[k].first;
        if (ranks > max_counts[1]) max_counts[1] = ranks;
    }
    max_counts[2] = !is_closed(side, *sets, classes);
    SCALAY_TRY_MPI(MPI_Allreduce(MPI_IN_PLACE, max_counts, 4, MPI_INT64_T, MPI_MAX, summa->comm->mpi));
    (*sets)->max_sets = max_counts[0];
    (*sets)->max_ranks = max_counts[1];
    (*sets)->is_closed = !max_counts[2];
    (*sets)->max_node_ranks = max_counts[3];
cleanup:
    return status;
}

/* -------------------------------------------------------------------------------------------- connecting */

/* Creates the communicators. All ranks create their sets in the same order, hence without deadlock. */
static scalay_status connect_sets(const scalay_summa *summa, scalay_summa_sets *sets, int tag)
{
    scalay_status status = SCALAY_SUCCESS;
    MPI_Group all = MPI_GROUP_NULL, group = MPI_GROUP_NULL;
    SCALAY_TRY_MPI(MPI_Comm_group(summa->comm->mpi, &all));
    for (int64_t k = 0; k < sets->count; k++) {
        owner_set *set = &sets->set[k];
        const int ranks = (int)(set->end - set->first);
        if (ranks == 1) continue;
        SCALAY_TRY_MPI(MPI_Group_incl(all, ranks, sets->rank + set->first, &group));
        SCALAY_TRY_MPI(MPI_Comm_create_group(summa->comm->mpi, group, tag, &set->mpi));
        SCALAY_TRY_MPI(MPI_Comm_set_errhandler(set->mpi, MPI_ERRORS_RETURN));
        SCALAY_TRY_MPI(MPI_Group_free(&group));
    }
cleanup:
    if (group != MPI_GROUP_NULL) MPI_Group_free(&group);
    if (all != MPI_GROUP_NULL) MPI_Group_free(&all);
    return status;
}

/* ---------------------------------------------------------------------------------------------- transport */

/* MPI libraries have few communicators. */
enum { MAX_SETS = 32 };

/* Time of a hop of MPI_Ibcast over the time of a send of the same message. Measured on one node with 4 to 16 ranks:
 * 0.8 to 2.2, median 1.3, largest for small panels. */
static const double sends_of_a_hop = 1.5;

typedef struct {
    MPI_Datatype element;
    scalay_summa_receive_buffer buffer[2];
    char *packed[2][2]; /* packed messages of each side, for even and odd panels */
    MPI_Request *requests[2];
    int request_count[2];
} broadcasts;

static scalay_status probe(scalay_summa *summa, const scalay_layout *c, const scalay_summa_panels *classes)
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(scalay_node_probe(summa->comm));
    for (int s = 0; s < 2; s++) SCALAY_TRY(create_sets(summa, s, c, classes, &summa->sets[s]));
cleanup:
    return status;
}

static int applicable(const scalay_summa *summa, const char **reason)
{
    for (int s = 0; s < 2; s++) {
        *reason = "a rank holds elements of lines in which it owns no element of C";
        if (!summa->sets[s]->is_closed) return 0;
        *reason = "there are too many sets of owners";
        if (summa->sets[s]->max_sets > MAX_SETS) return 0;
    }
    return 1;
}

/* One-port model: the owner sends to the other ranks of a set one after the other, in (ranks - 1) (alpha + bytes beta).
 * A binary tree needs ceil(log2(ranks)) hops. If the ranks of a single node share fewer cores, the cores execute all
 * sends in either case, and a tree has no advantage. If nodes have several ranks, "messages" has trees that send to
 * each node once, which MPI_Ibcast does not promise. */
static int helps(const scalay_summa *summa)
{
    const int64_t ranks = scalay_max_int64(summa->sets[0]->max_ranks, summa->sets[1]->max_ranks);
    const scalay_node *node = summa->comm->node;
    int hops = 0;
    while ((int64_t)1 << hops < ranks) hops++;
    if (node->is_oversubscribed && node->size == summa->comm->size) return 0;
    if (node->size < summa->comm->size && summa->sets[0]->max_node_ranks > 1) return 0;
    return sends_of_a_hop * hops < (double)(ranks - 1);
}

/* ----------------------------------------------------------------------------------------------- creation */

static int has_others(const scalay_summa *summa, int s, const scalay_summa_block *block)
{
    const owner_set *set = &summa->sets[s]->set[scalay_summa_sets_find(summa->sets[s], &summa->side[s], block)];
    return set->end - set->first > 1;
}

/* Counts the elements of a panel that this rank packs. */
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
    return scalay_summa_receive_workspace(count_packed, summa, panels);
}

static scalay_status create_on_rank(scalay_summa *summa)
{
    scalay_status status = SCALAY_SUCCESS;
    broadcasts *new_state = NULL;
    int64_t requests = 0;
    SCALAY_TRY(SCALAY_NEW(new_state, 1));
    summa->transport_state = new_state;
    SCALAY_TRY(scalay_summa_element_type(summa, &new_state->element));
    for (int s = 0; s < 2; s++) {
        const scalay_summa_side *side = &summa->side[s];
        const int64_t packed = scalay_summa_max_packed(count_packed, summa, s, &summa->panels) * (int64_t)side->size;
        SCALAY_TRY(scalay_summa_receive_buffer_create(summa, s, summa->sets[s], &new_state->buffer[s]));
        for (int k = 0; k < 2; k++) SCALAY_TRY(SCALAY_NEW_UNSET(new_state->packed[s][k], packed));
        requests += new_state->buffer[s].channels;
    }
    for (int k = 0; k < 2; k++) SCALAY_TRY(scalay_requests_create(requests, &new_state->requests[k]));
cleanup:
    return status;
}

static scalay_status create(scalay_summa *summa)
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(scalay_comm_agree(summa->comm, create_on_rank(summa)));
    for (int s = 0; s < 2; s++)
        SCALAY_TRY(scalay_comm_agree(summa->comm, connect_sets(summa, summa->sets[s], scalay_comm_tag(summa->comm))));
cleanup:
    return status;
}

static void destroy(scalay_summa *summa)
{
    broadcasts *old_state = summa->transport_state;
    summa->transport_state = NULL;
    if (old_state == NULL) return;
    int is_unused = 1;
    for (int k = 0; k < 2; k++)
        if (!scalay_requests_abandon(old_state->request_count[k], 0, old_state->requests[k])) is_unused = 0;
    for (int s = 0; s < 2; s++) {
        scalay_summa_receive_buffer_free(is_unused, &old_state->buffer[s]);
        for (int k = 0; k < 2; k++) scalay_requests_release(is_unused, old_state->packed[s][k]);
        scalay_release(old_state->requests[s]);
    }
    if (old_state->element != MPI_DATATYPE_NULL) MPI_Type_free(&old_state->element);
    scalay_release(old_state);
}

/* ---------------------------------------------------------------------------------------------- execution */

static scalay_status begin(scalay_summa *summa, const scalay_summa_operands *operands)
{
    broadcasts *state = summa->transport_state;
    (void)operands;
    state->request_count[0] = state->request_count[1] = 0;
    state->buffer[0].receiving = state->buffer[1].receiving = 0;
    return SCALAY_SUCCESS;
}

/* Packs the blocks of this rank that an owner set needs. Returns the end of the message. */
static char *prepare(const scalay_summa *summa, int s, int64_t set, int64_t panel, const char *array, char *space,
                     char **message)
{
    const scalay_summa_side *side = &summa->side[s];
    scalay_summa_walk walk = scalay_summa_walk_needed(side, &summa->panels, panel);
    scalay_summa_block block;
    *message = space;
    while (scalay_summa_walk_next(&walk, &block)) {
        if (block.owner != side->rank || scalay_summa_sets_find(summa->sets[s], side, &block) != set) continue;
        scalay_summa_pack(side, &summa->panels, &block, array, space);
        space += (size_t)scalay_summa_block_elements(&block) * side->size;
    }
    return space;
}

/* Starts the broadcasts of a panel in a set, one per rank of the set that holds elements. */
static scalay_status broadcast(scalay_summa *summa, int s, int64_t set, int64_t panel, const char *array, char **space)
{
    scalay_status status = SCALAY_SUCCESS;
    broadcasts *state = summa->transport_state;
    const scalay_summa_receive_buffer *buffer = &state->buffer[s];
    const owner_set *members = &summa->sets[s]->set[set];
    const int parity = (int)(panel % 2);
    for (int64_t r = members->first; members->mpi != MPI_COMM_NULL && r < members->end; r++) {
        const int rank = summa->sets[s]->rank[r];
        const int64_t channel = scalay_summa_receive_buffer_channel(buffer, set, rank);
        const int64_t elements = channel >= 0 ? buffer->count[channel] : 0;
        if (elements == 0) continue;
        char *message = NULL;
        if (rank == summa->comm->rank) {
            *space = prepare(summa, s, set, panel, array, *space, &message);
            summa->statistics.elements_copied += elements;
            summa->statistics.messages_sent += members->end - members->first - 1;
            summa->statistics.elements_sent += (members->end - members->first - 1) * elements;
        } else {
            message = scalay_summa_receive_buffer_at(buffer, channel, summa->side[s].size);
        }
        SCALAY_TRY_MPI(MPI_Ibcast(message, (int)elements, state->element, (int)(r - members->first), members->mpi,
                                  &state->requests[parity][state->request_count[parity]]));
        state->request_count[parity]++;
    }
cleanup:
    return status;
}

static scalay_status wait_for(broadcasts *state, int parity)
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(scalay_mpi_check(MPI_Waitall(state->request_count[parity], state->requests[parity], MPI_STATUSES_IGNORE),
                                "scalay_summa_execute", "MPI_Waitall"));
    state->request_count[parity] = 0;
cleanup:
    return status;
}

/* The buffers of this parity are free: panel - 2 has been taken. */
static scalay_status start(scalay_summa *summa, const scalay_summa_operands *operands, int64_t panel)
{
    scalay_status status = SCALAY_SUCCESS;
    broadcasts *state = summa->transport_state;
    for (int s = 0; s < 2; s++) {
        char *space = state->packed[s][panel % 2];
        scalay_summa_receive_buffer_expect(&state->buffer[s], summa, s, panel);
        summa->statistics.elements_received += state->buffer[s].incoming;
        for (int64_t set = 0; set < summa->sets[s]->count; set++)
            SCALAY_TRY(broadcast(summa, s, set, panel, operands->matrix[s], &space));
    }
cleanup:
    return status;
}

static scalay_status take(scalay_summa *summa, const scalay_summa_operands *operands, int64_t panel,
                          scalay_summa_view *view)
{
    scalay_status status = SCALAY_SUCCESS;
    broadcasts *state = summa->transport_state;
    SCALAY_TRY(wait_for(state, (int)(panel % 2)));
    for (int s = 0; s < 2; s++)
        view[s] = scalay_summa_receive_buffer_take(&state->buffer[s], summa, s, panel, operands->matrix[s]);
cleanup:
    return status;
}

static scalay_status advance(scalay_summa *summa)
{
    scalay_status status = SCALAY_SUCCESS;
    broadcasts *state = summa->transport_state;
    int done = 0;
    for (int k = 0; k < 2; k++)
        SCALAY_TRY_MPI(MPI_Testall(state->request_count[k], state->requests[k], &done, MPI_STATUSES_IGNORE));
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
