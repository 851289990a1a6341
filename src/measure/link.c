#include "measure/link.h"

#include <stdlib.h>

#include "base/integer.h"

/* Each size gets so many seconds, and some warming up before: pages, connections and protocols settle. */
#define SECONDS_PER_SIZE 0.05
enum { WARM_ROUNDS = 4, MOST_ROUNDS = 1000, SIZES = 5 };
static const int sizes[SIZES] = {8, 1 << 10, 1 << 14, 1 << 18, SCALAY_LINK_BYTES};

typedef struct {
    MPI_Comm mpi;
    char *buffer;
    int partner; /* -1: this rank stays out; its own number: it sends to itself */
    int leads;
    int tag;
} link_end;

static link_end find_partner(scalay_comm *comm, char *buffer)
{
    link_end end = {.mpi = comm->mpi, .buffer = buffer, .partner = -1, .leads = 0, .tag = scalay_comm_tag(comm)};
    int half = comm->size / 2;
    if (comm->size == 1) {
        end.partner = 0;
        end.leads = 1;
    } else if (comm->rank < half) {
        end.partner = comm->rank + half;
        end.leads = 1;
    } else if (comm->rank < 2 * half) {
        end.partner = comm->rank - half;
    }
    return end;
}

/* One message there and one back. */
static scalay_status go_to_and_fro(const link_end *end, int self, int bytes)
{
    scalay_status status = SCALAY_SUCCESS;
    char *back = end->buffer + SCALAY_LINK_BYTES;
    if (end->partner == self) {
        SCALAY_TRY_MPI(MPI_Sendrecv(end->buffer, bytes, MPI_BYTE, self, end->tag, back, bytes, MPI_BYTE, self, end->tag,
                                    end->mpi, MPI_STATUS_IGNORE));
        SCALAY_TRY_MPI(MPI_Sendrecv(back, bytes, MPI_BYTE, self, end->tag, end->buffer, bytes, MPI_BYTE, self, end->tag,
                                    end->mpi, MPI_STATUS_IGNORE));
    } else {
        SCALAY_TRY_MPI(MPI_Send(end->buffer, bytes, MPI_BYTE, end->partner, end->tag, end->mpi));
        SCALAY_TRY_MPI(MPI_Recv(back, bytes, MPI_BYTE, end->partner, end->tag, end->mpi, MPI_STATUS_IGNORE));
    }
cleanup:
    return status;
}

static int compare_seconds(const void *left, const void *right)
{
    const double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

/* The leader decides how long: the first byte of a message says whether it is the last. The median round tells: a mean
 * would be made of the few during which somebody else had the core. */
static scalay_status lead(const link_end *end, int self, int bytes, double *seconds)
{
    scalay_status status = SCALAY_SUCCESS;
    double rounds[MOST_ROUNDS];
    int count = 0;
    const double start = MPI_Wtime();
    double before = start, now = start;
    for (int round = -WARM_ROUNDS, last = 0; !last; round++) {
        last = round >= 0 && (now - start > SECONDS_PER_SIZE || round == MOST_ROUNDS - 1);
        end->buffer[0] = (char)last;
        SCALAY_TRY(go_to_and_fro(end, self, bytes));
        now = MPI_Wtime();
        if (round >= 0) rounds[count++] = now - before;
        before = now;
    }
    qsort(rounds, (size_t)count, sizeof rounds[0], compare_seconds);
    *seconds = rounds[count / 2] / 2.0;
cleanup:
    return status;
}

static scalay_status follow(const link_end *end, int bytes)
{
    scalay_status status = SCALAY_SUCCESS;
    for (int last = 0; !last;) {
        SCALAY_TRY_MPI(MPI_Recv(end->buffer, bytes, MPI_BYTE, end->partner, end->tag, end->mpi, MPI_STATUS_IGNORE));
        last = end->buffer[0];
        SCALAY_TRY_MPI(MPI_Send(end->buffer, bytes, MPI_BYTE, end->partner, end->tag, end->mpi));
    }
cleanup:
    return status;
}

/* The slope of the least-squares line through (size, seconds). */
static double slope(const double *seconds)
{
    double mean_size = 0.0, mean_seconds = 0.0, above = 0.0, below = 0.0;
    for (int k = 0; k < SIZES; k++) {
        mean_size += sizes[k] / (double)SIZES;
        mean_seconds += seconds[k] / SIZES;
    }
    for (int k = 0; k < SIZES; k++) {
        above += (sizes[k] - mean_size) * (seconds[k] - mean_seconds);
        below += (sizes[k] - mean_size) * (sizes[k] - mean_size);
    }
    return above / below;
}

scalay_status scalay_link_measure(scalay_comm *comm, char *buffer, double *latency, double *per_byte)
{
    scalay_status status = SCALAY_SUCCESS;
    const link_end end = find_partner(comm, buffer);
    double mine[SIZES] = {0.0}, all[SIZES] = {0.0};
    for (int k = 0; k < SIZES; k++) {
        SCALAY_TRY_MPI(MPI_Barrier(comm->mpi));
        if (end.leads)
            SCALAY_TRY(lead(&end, comm->rank, sizes[k], &mine[k]));
        else if (end.partner >= 0)
            SCALAY_TRY(follow(&end, sizes[k]));
    }
    SCALAY_TRY_MPI(MPI_Allreduce(mine, all, SIZES, MPI_DOUBLE, MPI_SUM, comm->mpi));
    double pairs = (double)scalay_max_int64(1, comm->size / 2);
    for (int k = 0; k < SIZES; k++) all[k] /= pairs;
    /* The latency is told by the smallest message: at the line's foot the noise of the large ones would drown it. */
    *latency = all[0];
    *per_byte = slope(all);
    double bound = all[SIZES - 1] / sizes[SIZES - 1];
    if (*per_byte <= 0.0 || *per_byte > bound) *per_byte = bound;
cleanup:
    return status;
}
