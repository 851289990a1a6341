#include "multiply/summa_sets.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

void scalay_summa_sets_destroy(scalay_summa_sets **sets)
{
    scalay_summa_sets *going = *sets;
    *sets = NULL;
    if (going == NULL) return;
    for (int64_t k = 0; k < going->count; k++)
        if (going->set[k].mpi != MPI_COMM_NULL) MPI_Comm_free(&going->set[k].mpi);
    scalay_release(going->set);
    scalay_release(going->rank);
    scalay_release(going->of_class);
    scalay_release(going);
}

/* ----------------------------------------------------------------------------------------------- finding */

/* The owners of a class. */
typedef struct {
    int64_t k; /* of the side's classes */
    int64_t count;
    const int *rank; /* ascending */
} owners;

static int compare_ints(const void *a, const void *b)
{
    const int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

static int compare_members(const owners *x, const owners *y)
{
    for (int64_t k = 0; k < x->count && k < y->count; k++)
        if (x->rank[k] != y->rank[k]) return x->rank[k] < y->rank[k] ? -1 : 1;
    return (x->count > y->count) - (x->count < y->count);
}

static int compare_owners(const void *a, const void *b)
{
    const owners *x = a, *y = b;
    const int order = compare_members(x, y);
    return order != 0 ? order : (x->k > y->k) - (x->k < y->k);
}

/* The owners of each class of a side, those that are equal side by side; they are in sets->rank. */
static scalay_status list_owners(const scalay_summa_side *side, const scalay_layout *c, scalay_summa_sets *sets,
                                 owners *list)
{
    scalay_status status = SCALAY_SUCCESS;
    char *is_met = NULL;
    scalay_summa_ranks all = {0};
    SCALAY_TRY(SCALAY_NEW(is_met, c->processes));
    for (int64_t k = 0; k < side->classes; k++) {
        const int64_t first = all.count;
        SCALAY_TRY(scalay_summa_add_owners(side->which, c, side->class[k], is_met, &all));
        qsort(all.rank + first, (size_t)(all.count - first), sizeof *all.rank, compare_ints);
        list[k] = (owners){.k = k, .count = all.count - first};
    }
    sets->rank = all.rank;
    all.rank = NULL;
    int64_t first = 0;
    for (int64_t k = 0; k < side->classes; first += list[k++].count) list[k].rank = sets->rank + first;
    qsort(list, (size_t)side->classes, sizeof *list, compare_owners);
cleanup:
    scalay_release(all.rank);
    scalay_release(is_met);
    return status;
}

static scalay_status find_sets(const scalay_summa_side *side, const scalay_layout *c, scalay_summa_sets **sets)
{
    scalay_status status = SCALAY_SUCCESS;
    owners *list = NULL;
    SCALAY_TRY(SCALAY_NEW(*sets, 1));
    SCALAY_TRY(SCALAY_NEW(list, side->classes));
    SCALAY_TRY(SCALAY_NEW((*sets)->of_class, side->classes));
    SCALAY_TRY(list_owners(side, c, *sets, list));
    SCALAY_TRY(SCALAY_NEW((*sets)->set, side->classes));
    for (int64_t k = 0; k < side->classes; k++) {
        if (k == 0 || compare_members(&list[k - 1], &list[k]) != 0) {
            const int64_t first = list[k].rank - (*sets)->rank;
            (*sets)->set[(*sets)->count++] = (scalay_summa_set){first, first + list[k].count, MPI_COMM_NULL};
        }
        (*sets)->of_class[list[k].k] = (*sets)->count - 1;
    }
cleanup:
    scalay_release(list);
    return status;
}

int64_t scalay_summa_sets_find(const scalay_summa_sets *sets, const scalay_summa_side *side,
                               const scalay_summa_block *block)
{
    return sets->of_class[scalay_summa_find_class(side, block->joint->target)];
}

static int is_in(const scalay_summa_sets *sets, int64_t k, int rank)
{
    const scalay_summa_set *set = &sets->set[k];
    return bsearch(&rank, sets->rank + set->first, (size_t)(set->end - set->first), sizeof rank, compare_ints) != NULL;
}

/* Whether whatever this rank needs is held by a rank that needs it, too. */
static int is_closed(const scalay_summa_side *side, const scalay_summa_sets *sets, const scalay_summa_panels *classes)
{
    scalay_summa_walk walk = scalay_summa_walk_needed(side, classes, 0);
    scalay_summa_block block;
    while (scalay_summa_walk_next(&walk, &block))
        if (!is_in(sets, scalay_summa_sets_find(sets, side, &block), block.owner)) return 0;
    return 1;
}

scalay_status scalay_summa_sets_create(scalay_summa *summa, int which, const scalay_layout *c,
                                       const scalay_summa_panels *classes, scalay_summa_sets **sets)
{
    scalay_status status = SCALAY_SUCCESS;
    int64_t most[3] = {0, 0, 0};
    const scalay_summa_side *side = &summa->side[which];
    SCALAY_TRY(scalay_comm_agree(summa->comm, find_sets(side, c, sets)));
    most[0] = (*sets)->count;
    for (int64_t k = 0; k < (*sets)->count; k++) {
        const int64_t ranks = (*sets)->set[k].end - (*sets)->set[k].first;
        if (ranks > most[1]) most[1] = ranks;
    }
    most[2] = !is_closed(side, *sets, classes);
    SCALAY_TRY_MPI(MPI_Allreduce(MPI_IN_PLACE, most, 3, MPI_INT64_T, MPI_MAX, summa->comm->mpi));
    (*sets)->most = most[0];
    (*sets)->largest = most[1];
    (*sets)->is_closed = !most[2];
cleanup:
    return status;
}

/* -------------------------------------------------------------------------------------------- connecting */

/* All ranks of a set make it, each its sets in the same order: nobody waits for somebody who waits for him. */
static scalay_status connect(const scalay_summa *summa, scalay_summa_sets *sets, int tag)
{
    scalay_status status = SCALAY_SUCCESS;
    MPI_Group all = MPI_GROUP_NULL, group = MPI_GROUP_NULL;
    SCALAY_TRY_MPI(MPI_Comm_group(summa->comm->mpi, &all));
    for (int64_t k = 0; k < sets->count; k++) {
        scalay_summa_set *set = &sets->set[k];
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

scalay_status scalay_summa_sets_connect(scalay_summa *summa, scalay_summa_sets *sets)
{
    return scalay_comm_agree(summa->comm, connect(summa, sets, scalay_comm_tag(summa->comm)));
}
