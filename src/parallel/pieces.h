#ifndef SCALAY_PARALLEL_PIECES_H
#define SCALAY_PARALLEL_PIECES_H

/**
 * @file
 * Messages in pieces. A message above the eager limit of MPI waits for the answer of the receiver, while the link
 * carries nothing. Over a slow link, pieces below that limit are faster (scalay_machine_piece_bytes()). Sender and
 * receiver cut alike. MPI keeps the order of the pieces.
 */

#include <mpi.h>
#include <stdint.h>

#include "base/piece.h"
#include "scalay/context.h"

/**
 * Finds the bytes of pieces on a machine of several nodes whose rates are not known: SCALAY_PIECE_BYTES if a piece
 * takes at least .4 ms between nodes; otherwise INT64_MAX. The first call is collective over comm, and takes the time
 * of a few pieces, of which each rank sends some to its successor. All other calls are local.
 * @param[out] bytes  the same on all ranks
 * @return SCALAY_SUCCESS, SCALAY_ERROR_MEMORY, SCALAY_ERROR_MPI
 */
scalay_status scalay_pieces_probe(scalay_comm *comm, int64_t *bytes);

/** How messages are sent. */
typedef struct {
    MPI_Comm mpi;
    MPI_Datatype element;
    int64_t size;    /* bytes of an element */
    int64_t longest; /* elements of the longest piece, in [1, INT_MAX] */
} scalay_pieces;

/** Returns the elements of the longest piece, in [1, INT_MAX]. @param[in] bytes  at least `size` */
int64_t scalay_pieces_longest(int64_t bytes, int64_t size);

/** Returns the number of pieces of a message; 0 elements: 0. */
int64_t scalay_pieces_count(int64_t longest, int64_t elements);

/**
 * Starts to send a message.
 * @param[out]    request  shape [*requests + scalay_pieces_count()]
 * @param[in,out] requests  the number of requests is added
 */
scalay_status scalay_pieces_send(const scalay_pieces *pieces, const void *data, int64_t elements, int to, int tag,
                                 MPI_Request *request, int *requests);

/** Starts to receive a message, likewise. */
scalay_status scalay_pieces_receive(const scalay_pieces *pieces, void *data, int64_t elements, int from, int tag,
                                    MPI_Request *request, int *requests);

#endif
