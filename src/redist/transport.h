#ifndef SCALAY_REDIST_TRANSPORT_H
#define SCALAY_REDIST_TRANSPORT_H

/**
 * @file
 * Transports: the ways in which lanes get from rank to rank.
 *
 * A transport is a file with one scalay_transport, and a line in the table of transport.c. "auto" takes the first in
 * the table that is applicable. A transport sees a move as plan->freight: packing, sending, receiving, unpacking and
 * copying what is kept are its business, so that it may overlap, reorder or leave out any of them. Buffers are its own,
 * made by `create`, so that no execution fails for memory; they hold at most plan->memory_bytes.
 */

#include "base/status.h"
#include "scalay/redist.h"

/** A way to move. `create` and `destroy` are called on every rank of the plan, the others where something moves. */
typedef struct {
    const char *name;
    int blocks; /* 1: `begin` waits for other ranks and moves all; what is under way is finished first */
    /** 1 when the transport can carry out this plan, the same on every rank; *reason says why (or why not). Does not
     *  communicate. */
    int (*applicable)(const scalay_plan *plan, const char **reason);
    /** 1 when "auto" may take it, the same on every rank; NULL: whenever it is applicable. Does not communicate. */
    int (*helps)(const scalay_plan *plan);
    /** Makes the plan's transport_state, and sets messages_sent, messages_received, global_steps and extra_bytes of its
     *  statistics. Collective: ends with the same status on every rank. On failure `destroy` is called. */
    scalay_status (*create)(scalay_plan *plan);
    /** Starts the move of plan->freight. After a failure nothing is under way. */
    scalay_status (*begin)(scalay_plan *plan);
    /** NULL when `begin` moves all. Goes on; `waits`: until all is done. *done tells whether it is; then, and after a
     * failure, nothing is under way, and it is not called again. Without `waits`, calls of all ranks finish the move
     * sooner or later. */
    scalay_status (*advance)(scalay_plan *plan, int waits, int *done);
    /** Releases the transport_state, NULL or half made included. */
    void (*destroy)(scalay_plan *plan);
    /** How it moves, as part of a sentence; the length as snprintf. */
    int (*describe)(const scalay_plan *plan, char *text, size_t size);
} scalay_transport;

extern const scalay_transport scalay_transport_shared;
extern const scalay_transport scalay_transport_mpi;
extern const scalay_transport scalay_transport_blacs;
extern const scalay_transport scalay_transport_alltoallv;
extern const scalay_transport scalay_transport_reference;

/**
 * Finds a transport. Not collective.
 * @param[in]  plan       what it must be able to carry out
 * @param[in]  name       a name, "auto", or NULL for "auto"
 * @param[out] transport  static
 * @param[out] reason     why this one; static
 * @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT (no such name), SCALAY_ERROR_UNSUPPORTED (not applicable)
 */
scalay_status scalay_transport_find(const scalay_plan *plan, const char *name, const scalay_transport **transport,
                                    const char **reason);

#endif
