/* "alltoallv": rounds of MPI_Ialltoallv among the ranks that send or receive something. In a round a rank sends one
   chunk of each of its lanes, as many rounds as the longest lane needs. Where the memory does not hold a chunk of every
   lane, only the lanes of some distances from sender to receiver take part in a round, and the others later. */

#include <limits.h>
#include <stdio.h>

#include "base/integer.h"
#include "base/memory.h"
#include "parallel/agree.h"
#include "redist/plan.h"
#include "redist/routes.h"

/* Chunks are not made smaller than this, or an element, as long as leaving lanes for later helps. */
enum { CHUNK_LEAST = 512 };

/* The lanes of one side of the plan. */
typedef struct {
    scalay_route
        *routes; /* shape [count], by ascending distance, 1 .. ranks - 1, among the ranks that move something */
    int64_t count;
    int64_t first; /* routes first .. end - 1 take part in the rounds at hand */
    int64_t end;
} route_list;

/* One direction of a round. */
typedef struct {
    char *bytes; /* chunks, from one to the next `stride` bytes */
    int *counts; /* shape [ranks], as MPI_Ialltoallv wants them */
    int *starts;
} wave;

typedef struct {
    MPI_Comm mpi; /* of the ranks that move something; MPI_COMM_NULL on the others */
    int ranks;
    int64_t limit;   /* of a chunk */
    int64_t stride;  /* from chunk to chunk */
    int64_t slots;   /* chunks in a buffer */
    int span;        /* distances that take part in the same rounds */
    int64_t groups;  /* of so many distances each */
    int64_t *rounds; /* shape [groups]: rounds of each */
    route_list source;
    route_list target;
    wave sent;
    wave received;
    /* the move under way */
    route_list *from;
    route_list *to;
    int64_t group;
    int64_t round;
    MPI_Request request;
    int copied; /* whether what is kept is where it belongs */
} alltoallv_state;

static int is_applicable(const scalay_plan *plan, const char **reason)
{
    *reason = plan->in_place ? "it does not move in place" : "it works everywhere";
    return !plan->in_place;
}

/* ---------------------------------------------------------------------------------------------- routes */

/* `sends`: whether the lanes lead away from the rank on the way forth. */
static scalay_status collect_routes(const scalay_plan *plan, const alltoallv_state *state,
                                    const scalay_lane_list *lanes, int sends, route_list *list)
{
    scalay_status status = SCALAY_SUCCESS;
    MPI_Group all = MPI_GROUP_NULL, some = MPI_GROUP_NULL;
    int rank = 0;
    SCALAY_TRY_MPI(MPI_Comm_rank(state->mpi, &rank));
    SCALAY_TRY_MPI(MPI_Comm_group(plan->comm->mpi, &all));
    SCALAY_TRY_MPI(MPI_Comm_group(state->mpi, &some));
    for (int64_t k = 0; k < lanes->count; k++) {
        scalay_route *at = &list->routes[list->count++];
        at->lane = &lanes->lane[k];
        SCALAY_TRY_MPI(MPI_Group_translate_ranks(all, 1, &at->lane->peer, some, &at->peer));
    }
    scalay_routes_order(list->routes, list->count, (scalay_route_ring){.rank = rank, .size = state->ranks}, sends);
cleanup:
    if (all != MPI_GROUP_NULL) (void)MPI_Group_free(&all);
    if (some != MPI_GROUP_NULL) (void)MPI_Group_free(&some);
    return status;
}

static int64_t group_of(const alltoallv_state *state, const scalay_route *at)
{
    return (at->distance - 1) / state->span;
}

/* The longest of all lanes, and the most lanes that a rank has on a side. */
static scalay_status find_extremes(const scalay_plan *plan, int64_t *longest, int64_t *lanes)
{
    scalay_status status = SCALAY_SUCCESS;
    int64_t most[2] = {1, scalay_max_int64(plan->source.count, plan->target.count)};
    for (int64_t k = 0; k < plan->source.count; k++) most[0] = scalay_max_int64(most[0], plan->source.lane[k].bytes);
    SCALAY_TRY_MPI(MPI_Allreduce(MPI_IN_PLACE, most, 2, MPI_INT64_T, MPI_MAX, plan->comm->mpi));
    *longest = most[0] + SCALAY_PACKED_ALIGNMENT * (int64_t)plan->count;
    *lanes = scalay_max_int64(1, most[1]);
cleanup:
    return status;
}

/* How long chunks are, and how many of them go in a round: the same on all ranks. Counts and starts fit an int. */
static void choose_chunks(const scalay_plan *plan, int64_t longest, int64_t lanes, alltoallv_state *state)
{
    const int64_t memory = scalay_min_int64(plan->memory_bytes / 2, INT_MAX / 2);
    const int64_t element = scalay_min_int64(plan->largest_element, longest); /* larger ones do not travel */
    const int64_t least = scalay_min_int64(longest, scalay_max_int64(element, CHUNK_LEAST));
    state->slots = scalay_min_int64(lanes, scalay_max_int64(1, memory / scalay_packed_bytes(least)));
    state->limit =
        state->slots > 1 ? memory / state->slots / SCALAY_PACKED_ALIGNMENT * SCALAY_PACKED_ALIGNMENT : memory;
    state->limit = scalay_min_int64(state->limit, scalay_min_int64(longest, plan->message_bytes));
    state->limit = scalay_max_int64(state->limit, element);
    state->stride = scalay_packed_bytes(state->limit);
    state->span = state->slots < lanes ? (int)state->slots : (int)scalay_max_int64(1, state->ranks - 1);
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

static scalay_status new_wave(const alltoallv_state *state, wave *made)
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(SCALAY_NEW(made->bytes, buffer_bytes(state)));
    SCALAY_TRY(SCALAY_NEW(made->counts, state->ranks));
    SCALAY_TRY(SCALAY_NEW(made->starts, state->ranks));
cleanup:
    return status;
}

static scalay_status new_buffers(const scalay_plan *plan, alltoallv_state *state)
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(SCALAY_NEW(state->source.routes, plan->source.count));
    SCALAY_TRY(SCALAY_NEW(state->target.routes, plan->target.count));
    SCALAY_TRY(SCALAY_NEW(state->rounds, state->groups));
    SCALAY_TRY(new_wave(state, &state->sent));
    SCALAY_TRY(new_wave(state, &state->received));
    if (state->ranks == 0) goto cleanup;
    SCALAY_TRY(collect_routes(plan, state, &plan->source, 1, &state->source));
    SCALAY_TRY(collect_routes(plan, state, &plan->target, 0, &state->target));
cleanup:
    return status;
}

/* The rounds of each group: the chunks of its longest lane. */
static scalay_status count_rounds(scalay_plan *plan, alltoallv_state *state)
{
    scalay_status status = SCALAY_SUCCESS;
    int64_t total = 0;
    for (scalay_route *at = state->source.routes; at < state->source.routes + state->source.count; at++) {
        const int64_t chunks = scalay_lane_chunks(plan->freight, plan->count, at->lane, 1, state->limit);
        int64_t *rounds = &state->rounds[group_of(state, at)];
        *rounds = scalay_max_int64(*rounds, chunks);
        plan->statistics.messages_sent += chunks;
    }
    for (scalay_route *at = state->target.routes; at < state->target.routes + state->target.count; at++)
        plan->statistics.messages_received += scalay_lane_chunks(plan->freight, plan->count, at->lane, 0, state->limit);
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
    int64_t longest = 0, lanes = 0;
    SCALAY_TRY(scalay_comm_agree(plan->comm, new_state(plan)));
    alltoallv_state *state = plan->transport_state;
    SCALAY_TRY(split(plan, state));
    SCALAY_TRY(find_extremes(plan, &longest, &lanes));
    choose_chunks(plan, longest, lanes, state);
    SCALAY_TRY(scalay_comm_agree(plan->comm, new_buffers(plan, state)));
    SCALAY_TRY(count_rounds(plan, state));
    plan->statistics.extra_bytes = 2 * buffer_bytes(state);
    plan->statistics.plan_bytes +=
        (int64_t)sizeof *state + (state->source.count + state->target.count) * (int64_t)sizeof(scalay_route) +
        state->groups * (int64_t)sizeof *state->rounds + 4 * state->ranks * (int64_t)sizeof(int);
cleanup:
    return status;
}

static void free_wave(wave *going)
{
    scalay_release(going->bytes);
    scalay_release(going->counts);
    scalay_release(going->starts);
}

static void destroy(scalay_plan *plan)
{
    alltoallv_state *state = plan->transport_state;
    if (state == NULL) return;
    if (state->mpi != MPI_COMM_NULL) (void)MPI_Comm_free(&state->mpi);
    scalay_release(state->source.routes);
    scalay_release(state->target.routes);
    scalay_release(state->rounds);
    free_wave(&state->sent);
    free_wave(&state->received);
    scalay_release(state);
    plan->transport_state = NULL;
}

/* --------------------------------------------------------------------------------------------- execute */

static void enter_group(const scalay_plan *plan, const alltoallv_state *state, int sends, route_list *list)
{
    list->first = list->end;
    while (list->end < list->count && group_of(state, &list->routes[list->end]) == state->group) {
        scalay_route *at = &list->routes[list->end++];
        at->stream = scalay_stream_start(plan->freight, plan->count, at->lane, sends);
    }
}

/* Enters the group that has the next round, if there is one. */
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
    wave *sent = &state->sent, *received = &state->received;
    for (int k = 0; k < state->ranks; k++) sent->counts[k] = received->counts[k] = 0;
    for (int64_t k = state->from->first; k < state->from->end; k++) {
        scalay_route *at = &state->from->routes[k];
        const int64_t start = (k - state->from->first) * state->stride;
        sent->starts[at->peer] = (int)start;
        sent->counts[at->peer] = (int)scalay_stream_pack(&at->stream, state->limit, sent->bytes + start);
    }
    for (int64_t k = state->to->first; k < state->to->end; k++) {
        const scalay_route *at = &state->to->routes[k];
        received->starts[at->peer] = (int)((k - state->to->first) * state->stride);
        received->counts[at->peer] = (int)scalay_stream_next(&at->stream, state->limit);
    }
    return scalay_mpi_check(MPI_Ialltoallv(sent->bytes, sent->counts, sent->starts, MPI_BYTE, received->bytes,
                                           received->counts, received->starts, MPI_BYTE, state->mpi, &state->request),
                            __func__, "MPI_Ialltoallv");
}

static void unpack_round(alltoallv_state *state)
{
    for (int64_t k = state->to->first; k < state->to->end; k++) {
        scalay_route *at = &state->to->routes[k];
        (void)scalay_stream_unpack(&at->stream, state->limit, state->received.bytes + state->received.starts[at->peer]);
    }
}

static scalay_status begin(scalay_plan *plan)
{
    alltoallv_state *state = plan->transport_state;
    state->from = plan->back ? &state->target : &state->source;
    state->to = plan->back ? &state->source : &state->target;
    state->from->end = state->to->end = 0;
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
