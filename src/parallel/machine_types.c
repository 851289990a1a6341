/* Types of nodes: found by one minimum per type over the fingerprints of all ranks. Memory: O(1) per rank, and one int
   per rank for scalay_node_types_of_ranks(). */
#include "parallel/machine_types.h"

#include <limits.h>
#include <string.h>

#include "base/fingerprint.h"
#include "base/memory.h"
#include "parallel/node.h"

int64_t scalay_node_kind(const scalay_calibration *calibration, int processors)
{
    const uint64_t print = scalay_fingerprint_add(scalay_fingerprint_start(), scalay_calibration_key(calibration));
    return (int64_t)(scalay_fingerprint_add(print, processors) >> 1) | 1;
}

/* The facts of this rank as those of a type. */
static scalay_node_type facts_of(const scalay_calibration *here, int processors)
{
    scalay_node_type facts = {.cores = processors, .threads = here->threads};
    memcpy(facts.cpu, here->cpu, sizeof facts.cpu);
    memcpy(facts.blas, here->blas, sizeof facts.blas);
    return facts;
}

/* Finds the next larger fingerprint than `last`, its first node and the number of its nodes. Collective. */
static scalay_status find_next(scalay_comm *comm, int64_t kind, int64_t last, int64_t *next, scalay_node_type *facts)
{
    scalay_status status = SCALAY_SUCCESS;
    const int leads = comm->node->rank == 0;
    const int64_t open = kind > last ? kind : INT64_MAX;
    SCALAY_TRY_MPI(MPI_Allreduce(&open, next, 1, MPI_INT64_T, MPI_MIN, comm->mpi));
    if (*next == INT64_MAX) return SCALAY_SUCCESS;
    const int mine = leads && kind == *next ? comm->rank : INT_MAX;
    const int64_t is_one = mine < INT_MAX;
    int first = 0;
    int64_t count = 0;
    SCALAY_TRY_MPI(MPI_Allreduce(&mine, &first, 1, MPI_INT, MPI_MIN, comm->mpi));
    SCALAY_TRY_MPI(MPI_Allreduce(&is_one, &count, 1, MPI_INT64_T, MPI_SUM, comm->mpi));
    SCALAY_TRY_MPI(MPI_Bcast(facts, (int)sizeof *facts, MPI_BYTE, first, comm->mpi));
    facts->nodes = count;
cleanup:
    return status;
}

scalay_status scalay_node_types_find(scalay_comm *comm, int64_t kind, int equal, int64_t nodes,
                                     scalay_calibration *here)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_node *node = comm->node;
    const scalay_node_type mine = facts_of(here, node->processors);
    int64_t last = 0, next = 0, counted = 0;
    int types = 0;
    node->type = 0;
    here->type[0] = mine;
    here->type[0].nodes = nodes;
    /* Ranks of a node with different numbers of threads have the type of the first one. */
    if (!equal) SCALAY_TRY_MPI(MPI_Bcast(&kind, 1, MPI_INT64_T, 0, node->mpi));
    for (; !equal && types < SCALAY_NODE_TYPES; types++) {
        scalay_node_type facts = mine;
        SCALAY_TRY(find_next(comm, kind, last, &next, &facts));
        if (next == INT64_MAX) break;
        if (kind >= next) node->type = types;
        here->type[types] = facts;
        counted += facts.nodes;
        last = next;
    }
    node->types = equal ? 1 : types;
    if (!equal) here->type[types - 1].nodes += nodes - counted;
    here->sample.machine.nodes = nodes;
    here->sample.machine.node_types = node->types;
cleanup:
    return status;
}

scalay_status scalay_node_types_of_ranks(scalay_comm *comm, const int **type)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_node *node = comm->node;
    int *all = NULL;
    *type = NULL;
    if (node != NULL && node->types > 1 && node->type_of_rank == NULL) {
        SCALAY_TRY(scalay_comm_agree(comm, SCALAY_NEW(all, comm->size)));
        SCALAY_TRY_MPI(MPI_Allgather(&node->type, 1, MPI_INT, all, 1, MPI_INT, comm->mpi));
        node->type_of_rank = all;
        all = NULL;
    }
    if (node != NULL) *type = node->type_of_rank;
cleanup:
    scalay_release(all);
    return status;
}
