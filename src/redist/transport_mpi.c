/* "mpi": one message per pair of ranks, all under way at once. Receives are posted first; each parcel is packed and
   sent while the earlier ones travel; what stays is copied while waiting; parcels are unpacked in the order they come
   in. */

#include <stdio.h>

#include "core/agree.h"
#include "core/integer.h"
#include "core/memory.h"
#include "redist/plan.h"

typedef struct {
    char *source_buffer; /* the lanes of the two sides, packed, one after the other */
    char *target_buffer;
    int64_t *source_start; /* shape [lanes]: of each */
    int64_t *target_start;
    /* Long lanes travel as several messages. Each array has room for both directions. */
    MPI_Request *sends;
    MPI_Request *receives;
    int64_t *lane;        /* of each receive */
    int64_t *left;        /* of each lane: messages that are still to come */
    int *done;            /* of MPI_Waitsome */
    MPI_Status *statuses; /* unread; gcc takes MPICH's MPI_STATUSES_IGNORE for an array that is too short, and warns */
    int send_count;
    int receive_count;
    int arrived;
} mpi_state;

/* A chunk is a whole lane here. */
static const int64_t no_limit = INT64_MAX / 2;

static int is_applicable(const scalay_plan *plan, const char **reason)
{
    *reason = plan->in_place ? "it does not move in place" : "it works everywhere";
    return !plan->in_place;
}

/* ---------------------------------------------------------------------------------------------- create */

static int64_t packed_bytes(const scalay_plan *plan, const scalay_lane *lane)
{
    const scalay_stream stream = scalay_stream_start(plan->freight, plan->count, lane, 1);
    return scalay_stream_next(&stream, no_limit);
}

static scalay_status new_buffer(const scalay_plan *plan, const scalay_lane_list *lanes, int64_t **start, char **buffer,
                                int64_t *messages)
{
    scalay_status status = SCALAY_SUCCESS;
    int64_t bytes = 0;
    SCALAY_TRY(SCALAY_NEW(*start, lanes->count + 1));
    for (int64_t k = 0; k < lanes->count; k++) {
        const int64_t lane = packed_bytes(plan, &lanes->lane[k]);
        (*start)[k] = bytes;
        bytes += scalay_ceil_div(lane, 16) * 16;
        *messages += scalay_ceil_div(lane, plan->message_bytes);
    }
    (*start)[lanes->count] = bytes;
    SCALAY_TRY(SCALAY_NEW(*buffer, bytes));
cleanup:
    return status;
}

static scalay_status new_state(scalay_plan *plan)
{
    scalay_status status = SCALAY_SUCCESS;
    mpi_state *state = NULL;
    scalay_plan_statistics *statistics = &plan->statistics;
    SCALAY_TRY(SCALAY_NEW(state, 1));
    plan->transport_state = state;
    SCALAY_TRY(
        new_buffer(plan, &plan->source, &state->source_start, &state->source_buffer, &statistics->messages_sent));
    SCALAY_TRY(
        new_buffer(plan, &plan->target, &state->target_start, &state->target_buffer, &statistics->messages_received));
    const int64_t messages = scalay_max_int64(statistics->messages_sent, statistics->messages_received);
    SCALAY_TRY(SCALAY_NEW(state->sends, messages));
    SCALAY_TRY(SCALAY_NEW(state->receives, messages));
    SCALAY_TRY(SCALAY_NEW(state->lane, messages));
    SCALAY_TRY(SCALAY_NEW(state->left, scalay_max_int64(plan->source.count, plan->target.count)));
    SCALAY_TRY(SCALAY_NEW(state->done, messages));
    SCALAY_TRY(SCALAY_NEW(state->statuses, messages));
    statistics->global_steps = statistics->volume > 0;
    statistics->extra_bytes = state->source_start[plan->source.count] + state->target_start[plan->target.count];
cleanup:
    return status;
}

static scalay_status create(scalay_plan *plan)
{
    return scalay_comm_agree(plan->comm, new_state(plan));
}

static void destroy(scalay_plan *plan)
{
    mpi_state *state = plan->transport_state;
    if (state == NULL) return;
    scalay_release(state->source_buffer);
    scalay_release(state->target_buffer);
    scalay_release(state->source_start);
    scalay_release(state->target_start);
    scalay_release(state->sends);
    scalay_release(state->receives);
    scalay_release(state->lane);
    scalay_release(state->left);
    scalay_release(state->done);
    scalay_release(state->statuses);
    scalay_release(state);
    plan->transport_state = NULL;
}

/* --------------------------------------------------------------------------------------------- execute */

/* Ranks go round from their right neighbour when they send and from their left one when they receive, so that not
   everybody starts with the same peer. */
static int64_t first_after(const scalay_lane_list *lanes, int rank)
{
    int64_t k = 0;
    while (k < lanes->count && lanes->lane[k].peer < rank) k++;
    return k;
}

static scalay_status post_receives(const scalay_plan *plan, int64_t k, mpi_state *state)
{
    scalay_status status = SCALAY_SUCCESS;
    const scalay_lane *lane = &scalay_plan_receives(plan)->lane[k];
    char *at =
        plan->back ? state->source_buffer + state->source_start[k] : state->target_buffer + state->target_start[k];
    int64_t rest = packed_bytes(plan, lane);
    for (state->left[k] = 0; rest > 0; state->left[k]++) {
        const int64_t bytes = scalay_min_int64(rest, plan->message_bytes);
        SCALAY_TRY_MPI(MPI_Irecv(at, (int)bytes, MPI_BYTE, lane->peer, plan->tag, plan->comm->mpi,
                                 &state->receives[state->receive_count]));
        state->lane[state->receive_count++] = k;
        at += bytes;
        rest -= bytes;
    }
cleanup:
    return status;
}

static scalay_status pack_and_send(const scalay_plan *plan, int64_t k, mpi_state *state)
{
    scalay_status status = SCALAY_SUCCESS;
    const scalay_lane *lane = &scalay_plan_sends(plan)->lane[k];
    char *at =
        plan->back ? state->target_buffer + state->target_start[k] : state->source_buffer + state->source_start[k];
    scalay_stream stream = scalay_stream_start(plan->freight, plan->count, lane, 1);
    int64_t rest = scalay_stream_pack(&stream, no_limit, at);
    while (rest > 0) {
        const int64_t bytes = scalay_min_int64(rest, plan->message_bytes);
        SCALAY_TRY_MPI(MPI_Isend(at, (int)bytes, MPI_BYTE, lane->peer, plan->tag, plan->comm->mpi,
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

static scalay_status begin(scalay_plan *plan)
{
    scalay_status status = SCALAY_SUCCESS;
    mpi_state *state = plan->transport_state;
    const int rank = plan->comm->rank;
    const int64_t sends = scalay_plan_sends(plan)->count, receives = scalay_plan_receives(plan)->count;
    const int64_t right = first_after(scalay_plan_sends(plan), rank),
                  left = first_after(scalay_plan_receives(plan), rank);
    state->arrived = 0;
    for (int64_t k = 1; k <= receives; k++) SCALAY_TRY(post_receives(plan, (left + receives - k) % receives, state));
    for (int64_t k = 0; k < sends; k++) SCALAY_TRY(pack_and_send(plan, (right + k) % sends, state));
    scalay_plan_copy_kept(plan);
cleanup:
    if (status != SCALAY_SUCCESS) abandon(state);
    return status;
}

static void unpack(const scalay_plan *plan, int64_t k, mpi_state *state)
{
    if (--state->left[k] > 0) return;
    const char *at =
        plan->back ? state->source_buffer + state->source_start[k] : state->target_buffer + state->target_start[k];
    scalay_stream stream = scalay_stream_start(plan->freight, plan->count, &scalay_plan_receives(plan)->lane[k], 0);
    (void)scalay_stream_unpack(&stream, no_limit, at);
}

static scalay_status advance(scalay_plan *plan, int waits, int *done)
{
    scalay_status status = SCALAY_SUCCESS;
    mpi_state *state = plan->transport_state;
    int sent = 1;
    do {
        int count = 0;
        if (state->arrived == state->receive_count) break;
        SCALAY_TRY_MPI((waits ? MPI_Waitsome : MPI_Testsome)(state->receive_count, state->receives, &count, state->done,
                                                             state->statuses));
        for (int i = 0; i < count; i++) unpack(plan, state->lane[state->done[i]], state);
        state->arrived += count;
    } while (waits);
    if (waits)
        SCALAY_TRY_MPI(MPI_Waitall(state->send_count, state->sends, state->statuses));
    else
        SCALAY_TRY_MPI(MPI_Testall(state->send_count, state->sends, &sent, state->statuses));
    *done = sent && state->arrived == state->receive_count;
    if (*done) state->receive_count = state->send_count = state->arrived = 0;
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
                                               .advance = advance,
                                               .destroy = destroy,
                                               .describe = describe};
