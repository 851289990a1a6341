/* Transport "alltoallv": rounds of MPI_Ialltoallv among the ranks that send or receive something. In a round, a rank
   sends one chunk of each of its channels. If a chunk of each channel does not fit into the buffers, channels are
   grouped by distance from sender to receiver, and the groups take turns. The number of rounds of a group is that of
   its longest channel. */

#include <limits.h>
#include <stdio.h>

#include "base/integer.h"
#include "base/memory.h"
#include "parallel/agree.h"
#include "redist/plan.h"

/* minimum chunk length, in bytes, while grouping the channels is possible */
enum { MIN_CHUNK_BYTES = 512 };

/* The channels of one side of the plan. */
typedef struct {
    scalay_channel_end *ends; /* shape [count], by ascending distance 1 .. ranks - 1 among the ranks of the ring */
    int64_t count;
    int64_t group_first; /* ends group_first .. group_end - 1 belong to the current group */
    int64_t group_end;
} end_list;

/* Buffers of one direction of a round. */
typedef struct {
    char *bytes; /* chunks, `stride` bytes apart */
    int *counts; /* shape [ranks], arguments of MPI_Ialltoallv */
    int *starts;
} round_buffers;

typedef struct {
    MPI_Comm mpi; /* of the ranks that send or receive something; MPI_COMM_NULL on other ranks */
    int ranks;
    int64_t limit;   /* of the length of a chunk */
    int64_t stride;  /* between chunks */
    int64_t slots;   /* chunks in a buffer */
    int span;        /* distances per group */
    int64_t groups;  /* number of groups */
    int64_t *rounds; /* shape [groups]: rounds of each group */
    end_list source;
    end_list target;
    round_buffers sent;
    round_buffers received;
    /* The pending execution. */
    end_list *from;
    end_list *to;
    int64_t group;
    int64_t round;
    MPI_Request request;
    int copied; /* 1: the elements that stay on the rank are copied */
} alltoallv_state;

static int is_applicable(const scalay_plan *plan, const char **reason)
{
    *reason = plan->in_place ? "it does not move in place" : "it works on every machine";
    return !plan->in_place;
}

/* ---------------------------------------------------------------------------------------------- ends */

/* `sends`: 1 if the rank sends these channels in the forward direction. */
static scalay_status collect_ends(const scalay_plan *plan, const alltoallv_state *state,
                                  const scalay_channel_list *channels, int sends, end_list *list)
{
    scalay_status status = SCALAY_SUCCESS;
    MPI_Group all = MPI_GROUP_NULL, some = MPI_GROUP_NULL;
    int rank = 0;
    SCALAY_TRY_MPI(MPI_Comm_rank(state->mpi, &rank));
    SCALAY_TRY_MPI(MPI_Comm_group(plan->comm->mpi, &all));
    SCALAY_TRY_MPI(MPI_Comm_group(state->mpi, &some));
    for (int64_t k = 0; k < channels->count; k++) {
        scalay_channel_end *at = &list->ends[list->count++];
        at->channel = &channels->channel[k];
        SCALAY_TRY_MPI(MPI_Group_translate_ranks(all, 1, &at->channel->peer, some, &at->peer));
    }
    scalay_channel_ends_sort(list->ends, list->count, (scalay_ring){.rank = rank, .size = state->ranks}, sends);
cleanup:
    if (all != MPI_GROUP_NULL) (void)MPI_Group_free(&all);
    if (some != MPI_GROUP_NULL) (void)MPI_Group_free(&some);
    return status;
}

static int64_t group_of(const alltoallv_state *state, const scalay_channel_end *at)
{
    return (at->distance - 1) / state->span;
}

/* Finds the longest channel, and the largest number of channels of a rank, over all ranks. */
static scalay_status find_extremes(const scalay_plan *plan, int64_t *longest, int64_t *channels)
{
    scalay_status status = SCALAY_SUCCESS;
    int64_t maximum[2] = {1, scalay_max_int64(plan->source.count, plan->target.count)};
    for (int64_t k = 0; k < plan->source.count; k++)
        maximum[0] = scalay_max_int64(maximum[0], plan->source.channel[k].bytes);
    SCALAY_TRY_MPI(MPI_Allreduce(MPI_IN_PLACE, maximum, 2, MPI_INT64_T, MPI_MAX, plan->comm->mpi));
    *longest = maximum[0] + SCALAY_PACKED_ALIGNMENT * (int64_t)plan->count;
    *channels = scalay_max_int64(1, maximum[1]);
cleanup:
    return status;
}

/* Chooses chunk length and number of chunks per round, the same on all ranks. Counts and displacements fit an int. */
static void choose_chunks(const scalay_plan *plan, int64_t longest, int64_t channels, alltoallv_state *state)
{
    const int64_t memory = scalay_min_int64(plan->memory_bytes / 2, INT_MAX / 2);
    const int64_t element = scalay_min_int64(plan->largest_element, longest); /* larger elements are not sent */
    const int64_t min_chunk = scalay_min_int64(longest, scalay_max_int64(element, MIN_CHUNK_BYTES));
    state->slots = scalay_min_int64(channels, scalay_max_int64(1, memory / scalay_packed_bytes(min_chunk)));
    state->limit =
        state->slots > 1 ? memory / state->slots / SCALAY_PACKED_ALIGNMENT * SCALAY_PACKED_ALIGNMENT : memory;
    state->limit = scalay_min_int64(state->limit, scalay_min_int64(longest, plan->message_bytes));
    state->limit = scalay_max_int64(state->limit, element);
    state->stride = scalay_packed_bytes(state->limit);
    state->span = state->slots < channels ? (int)state->slots : (int)scalay_max_int64(1, state->ranks - 1);
    state->groups = scalay_ceil_div(scalay_max_int64(0, state->ranks - 1), state->span);
}

/* ---------------------------------------------------------------------------------------------- create */

static int64_t buffer_bytes(const alltoallv_state *state)
{
    return state->ranks > 0 ? (state->slots - 1) * state->stride + state->limit : 0;
}

static scalay_status new_state(scalay_plan *plan)
{
    scalay_status status = SCALAY_SUCCESS;
    alltoallv_state *state = NULL;
    SCALAY_TRY(SCALAY_NEW(state, 1));
    plan->transport_state = state;
    state->mpi = MPI_COMM_NULL;
    state->request = MPI_REQUEST_NULL;
cleanup:
    return status;
}

static scalay_status split(const scalay_plan *plan, alltoallv_state *state)
{
    scalay_status status = SCALAY_SUCCESS;
    const int moves = plan->source.count + plan->target.count > 0;
    SCALAY_TRY_MPI(MPI_Comm_split(plan->comm->mpi, moves ? 0 : MPI_UNDEFINED, plan->comm->rank, &state->mpi));
    if (state->mpi == MPI_COMM_NULL) return SCALAY_SUCCESS;
    SCALAY_TRY_MPI(MPI_Comm_set_errhandler(state->mpi, MPI_ERRORS_RETURN));
    SCALAY_TRY_MPI(MPI_Comm_size(state->mpi, &state->ranks));
cleanup:
    return status;
}

static scalay_status allocate_round(const alltoallv_state *state, round_buffers *buffers)
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(SCALAY_NEW(buffers->bytes, buffer_bytes(state)));
    SCALAY_TRY(SCALAY_NEW(buffers->counts, state->ranks));
    SCALAY_TRY(SCALAY_NEW(buffers->starts, state->ranks));
cleanup:
    return status;
}

static scalay_status new_buffers(const scalay_plan *plan, alltoallv_state *state)
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(SCALAY_NEW(state->source.ends, plan->source.count));
    SCALAY_TRY(SCALAY_NEW(state->target.ends, plan->target.count));
    SCALAY_TRY(SCALAY_NEW(state->rounds, state->groups));
    SCALAY_TRY(allocate_round(state, &state->sent));
    SCALAY_TRY(allocate_round(state, &state->received));
    if (state->ranks == 0) goto cleanup;
    SCALAY_TRY(collect_ends(plan, state, &plan->source, 1, &state->source));
    SCALAY_TRY(collect_ends(plan, state, &plan->target, 0, &state->target));
cleanup:
    return status;
}

/* Computes the rounds of each group: the chunks of its longest channel. */
static scalay_status count_rounds(scalay_plan *plan, alltoallv_state *state)
{
    scalay_status status = SCALAY_SUCCESS;
    int64_t total = 0;
    for (scalay_channel_end *at = state->source.ends; at < state->source.ends + state->source.count; at++) {
        const int64_t chunks = scalay_channel_chunks(plan->transfers, plan->count, at->channel, 1, state->limit);
        int64_t *rounds = &state->rounds[group_of(state, at)];
        *rounds = scalay_max_int64(*rounds, chunks);
        plan->statistics.messages_sent += chunks;
    }
    for (scalay_channel_end *at = state->target.ends; at < state->target.ends + state->target.count; at++)
        plan->statistics.messages_received +=
            scalay_channel_chunks(plan->transfers, plan->count, at->channel, 0, state->limit);
    for (int64_t done = 0; done < state->groups; done += INT_MAX)
        SCALAY_TRY_MPI(MPI_Allreduce(MPI_IN_PLACE, state->rounds + done,
                                     (int)scalay_min_int64(state->groups - done, INT_MAX), MPI_INT64_T, MPI_MAX,
                                     state->mpi));
    for (int64_t k = 0; k < state->groups; k++) total += state->rounds[k];
    SCALAY_TRY_MPI(MPI_Allreduce(&total, &plan->statistics.rounds, 1, MPI_INT64_T, MPI_MAX, plan->comm->mpi));
cleanup:
    return status;
}

static scalay_status create(scalay_plan *plan)
{
    scalay_status status = SCALAY_SUCCESS;
    int64_t longest = 0, channels = 0;
    SCALAY_TRY(scalay_comm_agree(plan->comm, new_state(plan)));
    alltoallv_state *state = plan->transport_state;
    SCALAY_TRY(split(plan, state));
    SCALAY_TRY(find_extremes(plan, &longest, &channels));
    choose_chunks(plan, longest, channels, state);
    SCALAY_TRY(scalay_comm_agree(plan->comm, new_buffers(plan, state)));
    SCALAY_TRY(count_rounds(plan, state));
    plan->statistics.extra_bytes = 2 * buffer_bytes(state);
    plan->statistics.plan_bytes +=
        (int64_t)sizeof *state + (state->source.count + state->target.count) * (int64_t)sizeof(scalay_channel_end) +
        state->groups * (int64_t)sizeof *state->rounds + 4 * state->ranks * (int64_t)sizeof(int);
cleanup:
    return status;
}

static void free_round(round_buffers *buffers)
{
    scalay_release(buffers->bytes);
    scalay_release(buffers->counts);
    scalay_release(buffers->starts);
}

static void destroy(scalay_plan *plan)
{
    alltoallv_state *state = plan->transport_state;
    if (state == NULL) return;
    if (state->mpi != MPI_COMM_NULL) (void)MPI_Comm_free(&state->mpi);
    scalay_release(state->source.ends);
    scalay_release(state->target.ends);
    scalay_release(state->rounds);
    free_round(&state->sent);
    free_round(&state->received);
    scalay_release(state);
    plan->transport_state = NULL;
}

/* --------------------------------------------------------------------------------------------- execute */

static void enter_group(const scalay_plan *plan, const alltoallv_state *state, int sends, end_list *list)
{
    list->group_first = list->group_end;
    while (list->group_end < list->count && group_of(state, &list->ends[list->group_end]) == state->group) {
        scalay_channel_end *at = &list->ends[list->group_end++];
        at->stream = scalay_stream_start(plan->transfers, plan->count, at->channel, sends);
    }
}

/* Enters the group of the next round, if there is one. */
static void find_round(const scalay_plan *plan, alltoallv_state *state)
{
    while (state->group < state->groups && state->round == state->rounds[state->group]) {
        state->group++;
        state->round = 0;
        enter_group(plan, state, 1, state->from);
        enter_group(plan, state, 0, state->to);
    }
}

static scalay_status start_round(alltoallv_state *state)
{
    round_buffers *sent = &state->sent, *received = &state->received;
    for (int k = 0; k < state->ranks; k++) sent->counts[k] = received->counts[k] = 0;
    for (int64_t k = state->from->group_first; k < state->from->group_end; k++) {
        scalay_channel_end *at = &state->from->ends[k];
        const int64_t start = (k - state->from->group_first) * state->stride;
        sent->starts[at->peer] = (int)start;
        sent->counts[at->peer] = (int)scalay_stream_pack(&at->stream, state->limit, sent->bytes + start);
    }
    for (int64_t k = state->to->group_first; k < state->to->group_end; k++) {
        const scalay_channel_end *at = &state->to->ends[k];
        received->starts[at->peer] = (int)((k - state->to->group_first) * state->stride);
        received->counts[at->peer] = (int)scalay_stream_next(&at->stream, state->limit);
    }
    return scalay_mpi_check(MPI_Ialltoallv(sent->bytes, sent->counts, sent->starts, MPI_BYTE, received->bytes,
                                           received->counts, received->starts, MPI_BYTE, state->mpi, &state->request),
                            __func__, "MPI_Ialltoallv");
}

static void unpack_round(alltoallv_state *state)
{
    for (int64_t k = state->to->group_first; k < state->to->group_end; k++) {
        scalay_channel_end *at = &state->to->ends[k];
        (void)scalay_stream_unpack(&at->stream, state->limit, state->received.bytes + state->received.starts[at->peer]);
    }
}

static scalay_status begin(scalay_plan *plan)
{
    alltoallv_state *state = plan->transport_state;
    state->from = plan->backward ? &state->target : &state->source;
    state->to = plan->backward ? &state->source : &state->target;
    state->from->group_end = state->to->group_end = 0;
    state->group = state->round = 0;
    state->copied = 0;
    enter_group(plan, state, 1, state->from);
    enter_group(plan, state, 0, state->to);
    find_round(plan, state);
    return state->group < state->groups ? start_round(state) : SCALAY_SUCCESS;
}

static scalay_status advance(scalay_plan *plan, int waits, int *done)
{
    scalay_status status = SCALAY_SUCCESS;
    alltoallv_state *state = plan->transport_state;
    int arrived = 1;
    if (!state->copied) scalay_plan_copy_kept(plan);
    state->copied = 1;
    while (state->group < state->groups && arrived) {
        if (waits)
            SCALAY_TRY_MPI(MPI_Wait(&state->request, MPI_STATUS_IGNORE));
        else
            SCALAY_TRY_MPI(MPI_Test(&state->request, &arrived, MPI_STATUS_IGNORE));
        if (!arrived) break;
        unpack_round(state);
        state->round++;
        find_round(plan, state);
        if (state->group < state->groups) SCALAY_TRY(start_round(state));
    }
    *done = state->group == state->groups;
cleanup:
    return status;
}

static int describe(const scalay_plan *plan, char *text, size_t size)
{
    return snprintf(text, size, "%lld rounds of MPI_Ialltoallv", (long long)plan->statistics.rounds);
}

const scalay_transport scalay_transport_alltoallv = {.name = "alltoallv",
                                                     .applicable = is_applicable,
                                                     .create = create,
                                                     .begin = begin,
                                                     .advance = advance,
                                                     .destroy = destroy,
                                                     .describe = describe};
