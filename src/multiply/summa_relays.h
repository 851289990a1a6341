#ifndef SCALAY_MULTIPLY_SUMMA_RELAYS_H
#define SCALAY_MULTIPLY_SUMMA_RELAYS_H

/** @file Trees of the messages of one side on several nodes, used by the transport "messages". */

#include <mpi.h>

#include "multiply/summa_geometry.h"
#include "parallel/comm.h"
#include "parallel/relay.h"

/** A member of a receiver group. */
typedef struct {
    int node, rank;
} scalay_summa_member;

typedef struct {
    scalay_relay *outgoing;      /* shape [receiver groups]: what this rank does with its own messages */
    scalay_relay *incoming;      /* shape [sources]: what it does with those that arrive */
    scalay_summa_member *member; /* shape [receivers]: those of a group, by nodes */
    scalay_relay *told;          /* shape [receivers]: what they do */
    int *leader;                 /* shape [receivers]: scratch */
    char *has_source;            /* shape [sources]: 1: some panel has elements from it */
    int64_t *longest;            /* shape [receiver groups]: elements of the longest message for it */
    MPI_Request *requests;       /* shape [sources + receivers] */
    int request_count, receives; /* of the pending exchange */
} scalay_summa_relays;

/**
 * Allocates the arrays, and finds the partners with which elements are exchanged. Not collective. Release with
 * scalay_summa_relays_free(), also on failure.
 * @param[in] sources  of this rank, ascending
 */
scalay_status scalay_summa_relays_create(const scalay_summa_side *side, const scalay_summa_panels *panels,
                                         const scalay_summa_ranks *sources, scalay_summa_relays *relays);

/**
 * Finds the trees: receivers tell their sources on which node they are, and hear what they do with the messages.
 * Collective. O(partners) messages and memory.
 * @param[in] node  of this rank: the same on all ranks of a node only
 * @param[in] piece  elements of the pieces that are passed on as they arrive
 * @return SCALAY_SUCCESS, SCALAY_ERROR_MPI
 */
scalay_status scalay_summa_relays_find(const scalay_comm *comm, const scalay_summa_side *side,
                                       const scalay_summa_ranks *sources, int node, int64_t piece, int tag,
                                       scalay_summa_relays *relays);

/** Releases the arrays and zeroes the struct. */
void scalay_summa_relays_free(scalay_summa_relays *relays);

#endif
