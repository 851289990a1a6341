#ifndef SCALAY_MULTIPLY_SUMMA_RELAYS_H
#define SCALAY_MULTIPLY_SUMMA_RELAYS_H

/** @file Trees of the messages of one side on several nodes, used by the transport "messages". */

#include <mpi.h>

#include "multiply/summa_geometry.h"
#include "parallel/comm.h"
#include "parallel/relay.h"

typedef struct {
    scalay_relay *outgoing; /* shape [receiver groups]: what this rank does with its own messages */
    scalay_relay *incoming; /* shape [sources]: what it does with those that arrive */
    /* What is told to the receivers. */
    int *receiver;      /* shape [receivers] */
    scalay_relay *told; /* shape [receivers] */
    MPI_Request *requests;
    int request_count, receives;
} scalay_summa_relays;

/**
 * Finds the trees of this rank's messages. Not collective. Release with scalay_summa_relays_free(), also on failure.
 * @param[in] sources  of this rank, ascending
 * @param[in] node     of scalay_node_of_ranks()
 */
scalay_status scalay_summa_relays_create(const scalay_summa_side *side, const scalay_summa_ranks *sources,
                                         const int *node, scalay_summa_relays *relays);

/**
 * Tells all receivers of a side what they do with the messages of this rank, and hears it from its sources. Collective.
 * @return SCALAY_SUCCESS, SCALAY_ERROR_MPI
 */
scalay_status scalay_summa_relays_exchange(const scalay_comm *comm, const scalay_summa_ranks *sources, int tag,
                                           scalay_summa_relays *relays);

/** Returns the messages that this rank passes on in one panel, at most. */
int64_t scalay_summa_relays_passed(const scalay_summa_relays *relays, const scalay_summa_ranks *sources);

/** Releases the arrays and zeroes the struct. */
void scalay_summa_relays_free(scalay_summa_relays *relays);

#endif
