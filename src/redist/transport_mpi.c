/* "mpi": one message per pair of ranks, all under way at once. Receives are posted first; each parcel is packed and
   sent while the earlier ones travel; what stays is copied while waiting; parcels are unpacked in the order they come
   in. */

#include <stdio.h>

#include "core/agree.h"
#include "core/integer.h"
#include "core/memory.h"
#include "redist/plan.h"

typedef struct {
    /* Long parcels travel as several messages. Each array has room for both directions. */
    MPI_Request *sends;
    MPI_Request *receives;
    int64_t *parcel;      /* of each receive */
    int64_t *left;        /* of each parcel: messages that are still to come */
    int *done;            /* of MPI_Waitsome */
    MPI_Status *statuses; /* unread; gcc takes MPICH's MPI_STATUSES_IGNORE for an array that is too short, and warns */
    int send_count;
    int receive_count;
} mpi_state;

static int is_applicable(const scalay_plan *plan, const char **reason)
{
    (void)plan;
    *reason = "it works everywhere";
    return 1;
}

/* ---------------------------------------------------------------------------------------------- create */

static int64_t parcel_bytes(const scalay_plan *plan, const scalay_parcel *parcel)
{
    return parcel->elements * (int64_t)plan->copier.size;
}

static int64_t count_messages(const scalay_plan *plan, const scalay_side *side)
{
    int64_t messages = 0;
    for (int64_t k = 0; k < side->parcel_count; k++)
        messages += scalay_ceil_div(parcel_bytes(plan, &side->parcels[k]), plan->message_bytes);
    return messages;
}

static scalay_status new_state(scalay_plan *plan, int64_t messages, int64_t parcels)
{
    scalay_status status = SCALAY_SUCCESS;
    mpi_state *state = NULL;
    int narrow = 0;
    SCALAY_TRY(scalay_to_int(messages, "scalay_plan_create", "number of messages of a rank", &narrow));
    SCALAY_TRY(SCALAY_NEW(state, 1));
    plan->transport_state = state;
    SCALAY_TRY(SCALAY_NEW(state->sends, messages));
    SCALAY_TRY(SCALAY_NEW(state->receives, messages));
    SCALAY_TRY(SCALAY_NEW(state->parcel, messages));
    SCALAY_TRY(SCALAY_NEW(state->left, parcels));
    SCALAY_TRY(SCALAY_NEW(state->done, messages));
    SCALAY_TRY(SCALAY_NEW(state->statuses, messages));
cleanup:
    return status;
}

static scalay_status create(scalay_plan *plan)
{
    const int64_t sent = count_messages(plan, &plan->source), received = count_messages(plan, &plan->target);
    const int64_t most = scalay_max_int64(sent, received);
    const int64_t parcels = scalay_max_int64(plan->source.parcel_count, plan->target.parcel_count);
    plan->statistics.messages_sent = sent;
    plan->statistics.messages_received = received;
    plan->statistics.global_steps = plan->statistics.volume > 0;
    plan->statistics.plan_bytes +=
        (int64_t)sizeof(mpi_state) + parcels * (int64_t)sizeof(int64_t) +
        most * (int64_t)(2 * sizeof(MPI_Request) + sizeof(MPI_Status) + sizeof(int64_t) + sizeof(int));
    return scalay_comm_agree(plan->comm, new_state(plan, most, parcels));
}

static void destroy(scalay_plan *plan)
{
    mpi_state *state = plan->transport_state;
    if (state == NULL) return;
    scalay_release(state->sends);
    scalay_release(state->receives);
    scalay_release(state->parcel);
    scalay_release(state->left);
    scalay_release(state->done);
    scalay_release(state->statuses);
    scalay_release(state);
    plan->transport_state = NULL;
}

/* --------------------------------------------------------------------------------------------- execute */

/* Ranks go round from their right neighbour when they send and from their left one when they receive, so that not
   everybody starts with the same peer. */
static int64_t first_after(const scalay_side *side, int rank)
{
    int64_t k = 0;
    while (k < side->parcel_count && side->parcels[k].peer < rank) k++;
    return k;
}

static scalay_status post_receives(const scalay_plan *plan, const scalay_plan_move *move, int64_t k, mpi_state *state)
{
    scalay_status status = SCALAY_SUCCESS;
    const scalay_parcel *parcel = &move->to->parcels[k];
    char *at = move->receive_buffer + parcel->start * (int64_t)plan->copier.size;
    int64_t rest = parcel_bytes(plan, parcel);
    for (state->left[k] = 0; rest > 0; state->left[k]++) {
        const int64_t bytes = scalay_min_int64(rest, plan->message_bytes);
        SCALAY_TRY_MPI(MPI_Irecv(at, (int)bytes, MPI_BYTE, parcel->peer, plan->tag, plan->comm->mpi,
                                 &state->receives[state->receive_count]));
        state->parcel[state->receive_count++] = k;
        at += bytes;
        rest -= bytes;
    }
cleanup:
    return status;
}

static scalay_status pack_and_send(const scalay_plan *plan, const scalay_plan_move *move, const scalay_parcel *parcel,
                                   mpi_state *state)
{
    scalay_status status = SCALAY_SUCCESS;
    char *at = move->send_buffer + parcel->start * (int64_t)plan->copier.size;
    int64_t rest = parcel_bytes(plan, parcel);
    scalay_parcel_pack(parcel, &plan->copier, move->source, at);
    while (rest > 0) {
        const int64_t bytes = scalay_min_int64(rest, plan->message_bytes);
        SCALAY_TRY_MPI(MPI_Isend(at, (int)bytes, MPI_BYTE, parcel->peer, plan->tag, plan->comm->mpi,
                                 &state->sends[state->send_count]));
        state->send_count++;
        at += bytes;
        rest -= bytes;
    }
cleanup:
    return status;
}

/* MPI failed: what was started is let go, so that the plan can be destroyed. */
static void abandon(mpi_state *state)
{
    for (int k = 0; k < state->receive_count; k++) {
        if (state->receives[k] == MPI_REQUEST_NULL) continue;
        (void)MPI_Cancel(&state->receives[k]);
        (void)MPI_Request_free(&state->receives[k]);
    }
    for (int k = 0; k < state->send_count; k++)
        if (state->sends[k] != MPI_REQUEST_NULL) (void)MPI_Request_free(&state->sends[k]);
    state->receive_count = state->send_count = 0;
}

static scalay_status begin(scalay_plan *plan, const scalay_plan_move *move)
{
    scalay_status status = SCALAY_SUCCESS;
    mpi_state *state = plan->transport_state;
    const int rank = plan->comm->rank;
    const int64_t sends = move->from->parcel_count, receives = move->to->parcel_count;
    const int64_t right = first_after(move->from, rank), left = first_after(move->to, rank);
    for (int64_t k = 1; k <= receives; k++)
        SCALAY_TRY(post_receives(plan, move, (left + receives - k) % receives, state));
    for (int64_t k = 0; k < sends; k++)
        SCALAY_TRY(pack_and_send(plan, move, &move->from->parcels[(right + k) % sends], state));
cleanup:
    if (status != SCALAY_SUCCESS) abandon(state);
    return status;
}

static scalay_status unpack_as_they_come(const scalay_plan *plan, const scalay_plan_move *move, mpi_state *state)
{
    scalay_status status = SCALAY_SUCCESS;
    for (int arrived = 0; arrived < state->receive_count;) {
        int count = 0;
        SCALAY_TRY_MPI(MPI_Waitsome(state->receive_count, state->receives, &count, state->done, state->statuses));
        for (int i = 0; i < count; i++) {
            const int64_t k = state->parcel[state->done[i]];
            const scalay_parcel *parcel = &move->to->parcels[k];
            if (--state->left[k] > 0) continue;
            scalay_parcel_unpack(parcel, &plan->copier,
                                 move->receive_buffer + parcel->start * (int64_t)plan->copier.size, move->target);
        }
        arrived += count;
    }
cleanup:
    return status;
}

static scalay_status end(scalay_plan *plan, const scalay_plan_move *move)
{
    scalay_status status = SCALAY_SUCCESS;
    mpi_state *state = plan->transport_state;
    scalay_side_copy_kept(move->from, move->to, &plan->copier, move->source, move->target);
    SCALAY_TRY(unpack_as_they_come(plan, move, state));
    SCALAY_TRY_MPI(MPI_Waitall(state->send_count, state->sends, state->statuses));
    state->receive_count = state->send_count = 0;
cleanup:
    if (status != SCALAY_SUCCESS) abandon(state);
    return status;
}

static int describe(const scalay_plan *plan, char *text, size_t size)
{
    return snprintf(text, size, "one message per pair of processes, %lld out of and %lld into this rank",
                    (long long)plan->statistics.messages_sent, (long long)plan->statistics.messages_received);
}

const scalay_transport scalay_transport_mpi = {.name = "mpi",
                                               .applicable = is_applicable,
                                               .create = create,
                                               .begin = begin,
                                               .end = end,
                                               .destroy = destroy,
                                               .describe = describe};
