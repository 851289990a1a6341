/*
 * Whether moves between nodes take less time with longer messages.
 *
 * With short messages, a rank has three receives and one send pending, so that the link goes on while a message is
 * packed or unpacked. With long ones, it has one of each: a processor that also serves the link takes less time for
 * fewer messages. Which is faster depends on whether the link or the processors are the limit, and rates do not tell:
 * with four ranks on two cores, a link of 10 Gbit/s and one without a limit both had 1.2 to 1.4 GB/s. So the same bytes
 * are moved in both ways, between all nodes at once, packed and unpacked.
 */
#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "base/integer.h"
#include "measure/machine.h"
#include "parallel/comm.h"

/* Lengths of messages, and bytes for a peer: some messages of each length. */
enum { LONG_BYTES = 3 << 18, SHORT_BYTES = 1 << 18, PEER_BYTES = 3 << 19 };
enum { PEERS = 4, MAX_RECEIVES = 3, SLOTS = MAX_RECEIVES + 1, SLOTS_AT = PEERS * PEER_BYTES };
enum { MIN_ROUNDS = 4, MAX_ROUNDS = 16 };

/* Ranks of other nodes to which this rank sends, or from which it receives, by ascending distance. */
typedef struct {
    int count, rank[PEERS];
} peer_list;

/* An exchange with messages of `bytes` bytes. Message k of a direction is for peer k modulo the peers. */
typedef struct {
    MPI_Comm mpi;
    int tag, bytes, receives; /* receives that are pending at a time */
    peer_list to, from;
    char *source, *target; /* shape [PEERS][PEER_BYTES], and the slots behind it */
    int next_send, next_receive;
    int in_slot[MAX_RECEIVES]; /* message that a slot receives */
    MPI_Request request[SLOTS];
} exchange;

static int count_messages(const exchange *e, const peer_list *peers)
{
    return peers->count * (PEER_BYTES / e->bytes);
}

static size_t offset_of(const exchange *e, const peer_list *peers, int message)
{
    return (size_t)(message % peers->count) * PEER_BYTES + (size_t)(message / peers->count) * (size_t)e->bytes;
}

/* Slots to receive have LONG_BYTES in all, as the one to send. */
static char *slot_of(const exchange *e, int slot)
{
    return e->target + SLOTS_AT + LONG_BYTES + (size_t)slot * (size_t)e->bytes;
}

static scalay_status send_next(exchange *e)
{
    const int message = e->next_send++;
    if (message >= count_messages(e, &e->to)) return SCALAY_SUCCESS;
    char *packed = e->target + SLOTS_AT;
    memcpy(packed, e->source + offset_of(e, &e->to, message), (size_t)e->bytes);
    return scalay_mpi_check(MPI_Isend(packed, e->bytes, MPI_BYTE, e->to.rank[message % e->to.count], e->tag, e->mpi,
                                      &e->request[MAX_RECEIVES]),
                            __func__, "MPI_Isend");
}

static scalay_status receive_next(exchange *e, int slot)
{
    const int message = e->next_receive++;
    if (message >= count_messages(e, &e->from)) return SCALAY_SUCCESS;
    e->in_slot[slot] = message;
    return scalay_mpi_check(MPI_Irecv(slot_of(e, slot), e->bytes, MPI_BYTE, e->from.rank[message % e->from.count],
                                      e->tag, e->mpi, &e->request[slot]),
                            __func__, "MPI_Irecv");
}

static scalay_status run(exchange *e)
{
    scalay_status status = SCALAY_SUCCESS;
    const int messages = count_messages(e, &e->to) + count_messages(e, &e->from);
    e->next_send = e->next_receive = 0;
    for (int k = 0; k < SLOTS; k++) e->request[k] = MPI_REQUEST_NULL;
    for (int slot = 0; slot < e->receives; slot++) SCALAY_TRY(receive_next(e, slot));
    SCALAY_TRY(send_next(e));
    for (int ended = 0, slot = 0; ended < messages; ended++) {
        SCALAY_TRY_MPI(MPI_Waitany(SLOTS, e->request, &slot, MPI_STATUS_IGNORE));
        if (slot == MAX_RECEIVES) {
            SCALAY_TRY(send_next(e));
        } else {
            memcpy(e->target + offset_of(e, &e->from, e->in_slot[slot]), slot_of(e, slot), (size_t)e->bytes);
            SCALAY_TRY(receive_next(e, slot));
        }
    }
cleanup:
    return status;
}

/* Seconds of the slowest rank; the same on all ranks. Collective. */
static scalay_status time_exchange(exchange *e, int bytes, int receives, double *seconds)
{
    scalay_status status = SCALAY_SUCCESS;
    double mine = 0.0;
    e->bytes = bytes;
    e->receives = receives;
    SCALAY_TRY_MPI(MPI_Barrier(e->mpi));
    mine = -MPI_Wtime();
    SCALAY_TRY(run(e));
    mine += MPI_Wtime();
    SCALAY_TRY_MPI(MPI_Allreduce(&mine, seconds, 1, MPI_DOUBLE, MPI_MAX, e->mpi));
cleanup:
    return status;
}

static exchange create_exchange(const scalay_measurement *m, const int *node)
{
    const int rank = m->comm->rank, size = m->comm->size;
    exchange e = {
        .mpi = m->comm->mpi, .tag = scalay_comm_tag(m->comm), .source = (char *)m->from, .target = (char *)m->to};
    for (int distance = 1; distance <= PEERS && distance < size; distance++) {
        const int to = (rank + distance) % size, from = (rank + size - distance) % size;
        if (node[to] != node[rank]) e.to.rank[e.to.count++] = to;
        if (node[from] != node[rank]) e.from.rank[e.from.count++] = from;
    }
    return e;
}

scalay_status scalay_measure_messages(const scalay_measurement *m, const int *node, double seconds, double *ratio)
{
    scalay_status status = SCALAY_SUCCESS;
    double ratios[MAX_ROUNDS], passed = 0.0;
    exchange e = create_exchange(m, node);
    int count = 0;
    *ratio = 0.0;
    /* The first round is a warm-up. */
    for (int round = 0; round <= MAX_ROUNDS && (round <= MIN_ROUNDS || passed < seconds); round++) {
        double time[2];
        SCALAY_TRY(time_exchange(&e, LONG_BYTES, 1, &time[0]));
        SCALAY_TRY(time_exchange(&e, SHORT_BYTES, MAX_RECEIVES, &time[1]));
        passed += time[0] + time[1];
        if (round > 0) ratios[count++] = time[0] / time[1];
        if (round == 0 && passed > seconds) goto cleanup;
    }
    qsort(ratios, (size_t)count, sizeof ratios[0], scalay_compare_doubles);
    *ratio = ratios[count / 2];
cleanup:
    return status;
}
