/* Messages in pieces. */
#include "parallel/pieces.h"

#include <limits.h>
#include <stdlib.h>

#include "base/compare.h"
#include "base/integer.h"
#include "base/memory.h"
#include "parallel/comm.h"

/* A piece takes .54 ms at 1 Gbit/s, and .05 to .12 ms at 10 Gbit/s. */
#define SLOW_PIECE 4e-4

/* Every rank sends pieces to the next one, so that the link of each node carries some in both directions. The median of
 * a rank is not the time of the first messages, nor of a core that another process had, nor of a piece that a link took
 * at once after a pause. */
static scalay_status measure_piece(scalay_comm *comm, char *buffer, double *seconds)
{
    enum { ROUNDS = 8 };
    scalay_status status = SCALAY_SUCCESS;
    const int to = (comm->rank + 1) % comm->size, from = (comm->rank + comm->size - 1) % comm->size;
    const int tag = scalay_comm_tag(comm);
    double passed[ROUNDS];
    for (int round = 0; round < ROUNDS; round++) {
        const double start = MPI_Wtime();
        SCALAY_TRY_MPI(MPI_Sendrecv(buffer, SCALAY_PIECE_BYTES, MPI_BYTE, to, tag, buffer + SCALAY_PIECE_BYTES,
                                    SCALAY_PIECE_BYTES, MPI_BYTE, from, tag, comm->mpi, MPI_STATUS_IGNORE));
        passed[round] = MPI_Wtime() - start;
    }
    qsort(passed, ROUNDS, sizeof *passed, scalay_compare_doubles);
    SCALAY_TRY_MPI(MPI_Allreduce(&passed[ROUNDS / 2 - 1], seconds, 1, MPI_DOUBLE, MPI_MAX, comm->mpi));
cleanup:
    return status;
}

scalay_status scalay_pieces_probe(scalay_comm *comm, int64_t *bytes)
{
    scalay_status status = SCALAY_SUCCESS;
    char *buffer = NULL;
    if (comm->piece_seconds == 0.0) {
        const int64_t size = (int64_t)2 * SCALAY_PIECE_BYTES;
        SCALAY_TRY(scalay_comm_agree(comm, SCALAY_NEW(buffer, size)));
        SCALAY_TRY(measure_piece(comm, buffer, &comm->piece_seconds));
    }
    *bytes = comm->piece_seconds >= SLOW_PIECE ? SCALAY_PIECE_BYTES : INT64_MAX;
cleanup:
    scalay_release(buffer);
    return status;
}

int64_t scalay_pieces_longest(int64_t bytes, int64_t size)
{
    return scalay_min_int64(INT_MAX, bytes / size);
}

int64_t scalay_pieces_count(int64_t longest, int64_t elements)
{
    return scalay_ceil_div(elements, longest);
}

scalay_status scalay_pieces_send(const scalay_pieces *pieces, const void *data, int64_t elements, int to, int tag,
                                 MPI_Request *request, int *requests)
{
    scalay_status status = SCALAY_SUCCESS;
    const char *bytes = data;
    for (int64_t done = 0; done < elements; done += pieces->longest) {
        const int count = (int)scalay_min_int64(elements - done, pieces->longest);
        SCALAY_TRY_MPI(
            MPI_Isend(bytes + pieces->size * done, count, pieces->element, to, tag, pieces->mpi, &request[*requests]));
        ++*requests;
    }
cleanup:
    return status;
}

scalay_status scalay_pieces_receive(const scalay_pieces *pieces, void *data, int64_t elements, int from, int tag,
                                    MPI_Request *request, int *requests)
{
    scalay_status status = SCALAY_SUCCESS;
    char *bytes = data;
    for (int64_t done = 0; done < elements; done += pieces->longest) {
        const int count = (int)scalay_min_int64(elements - done, pieces->longest);
        SCALAY_TRY_MPI(MPI_Irecv(bytes + pieces->size * done, count, pieces->element, from, tag, pieces->mpi,
                                 &request[*requests]));
        ++*requests;
    }
cleanup:
    return status;
}
