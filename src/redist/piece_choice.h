#ifndef SCALAY_REDIST_PIECE_CHOICE_H
#define SCALAY_REDIST_PIECE_CHOICE_H

/** @file The length of messages between nodes. */

#include <stdint.h>

#include "scalay/context.h"

/**
 * Returns the bytes of the pieces in which large messages between nodes are sent: by rates, or without any by the time
 * of a few messages (scalay_pieces_probe()). Collective over comm, after scalay_node_probe().
 * @param[in]  machine  rates, the same on all ranks; NULL: those of the communicator (scalay_machine_numbers_get())
 * @param[out] bytes    the same on all ranks; INT64_MAX: whole messages, and on one node
 * @return SCALAY_SUCCESS, SCALAY_ERROR_MEMORY, SCALAY_ERROR_MPI
 */
scalay_status scalay_piece_choose(scalay_comm *comm, const scalay_machine *machine, int64_t *bytes);

/** Returns 1 if moves between nodes send few long messages, by the rates that scalay_piece_choose() has found; the same
 *  on all ranks. Not collective. */
int scalay_has_long_messages(const scalay_comm *comm);

#endif
