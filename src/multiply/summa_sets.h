#ifndef SCALAY_MULTIPLY_SUMMA_SETS_H
#define SCALAY_MULTIPLY_SUMMA_SETS_H

/**
 * @file
 * Sets of owners: for each class of C's lines that a rank owns something of, all ranks that do. What one of them holds
 * of these lines of A or B, all of them need.
 */

#include "multiply/summa_object.h"

/** Ranks that own classes of C together. */
typedef struct {
    int64_t first; /* they are rank[first] .. rank[end - 1], ascending */
    int64_t end;
    MPI_Comm mpi; /* in this order; MPI_COMM_NULL: not made, or nobody else is in the set */
} scalay_summa_set;

/** The sets of a side that this rank is in, in an order that all ranks agree on. */
struct scalay_summa_sets {
    int64_t count;
    scalay_summa_set *set; /* shape [count] */
    int *rank;
    int64_t *of_class; /* shape [classes of the side]: the set of each */
    int64_t largest;   /* ranks in a set, on any rank */
    int64_t most;      /* sets that a rank is in, on any rank */
    int is_closed;     /* what a set needs its ranks hold, on all ranks */
};

/** Finds the sets, without communicators. Collective: the same status on every rank. */
scalay_status scalay_summa_sets_create(scalay_summa *summa, int which, const scalay_layout *c,
                                       const scalay_summa_panels *classes, scalay_summa_sets **sets);

/** Makes the communicators. Collective: the same status on every rank. */
scalay_status scalay_summa_sets_connect(scalay_summa *summa, scalay_summa_sets *sets);

/** The set that needs a block, among those of a side. */
int64_t scalay_summa_sets_find(const scalay_summa_sets *sets, const scalay_summa_side *side,
                               const scalay_summa_block *block);

/** Releases sets and their communicators, and sets the pointer to NULL; NULL is fine. */
void scalay_summa_sets_destroy(scalay_summa_sets **sets);

#endif
