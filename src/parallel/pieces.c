/* Messages in pieces. */
#include "parallel/pieces.h"

#include <limits.h>

#include "base/integer.h"
#include "parallel/comm.h"

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
