/* "reference": element by element, by the layouts' public questions and the definition of each operation alone, so that
   the other transports can be compared with it. It knows nothing of sides, streams and copiers. Every element travels
   with its indices; the receiver walks through all that it ought to get from a rank and compares. */

#include <stdio.h>
#include <string.h>

#include "base/integer.h"
#include "base/memory.h"
#include "parallel/agree.h"
#include "redist/plan.h"
#include "redist/reference_matrix.h"

enum { BATCH_BYTES = 1 << 20 };

/* Element (row, col) of C, of the k-th matrix. */
typedef struct {
    int64_t matrix, row, col;
} place;

/* Places and values of a message. */
typedef struct {
    place *places;
    char *values; /* from one to the next `stride` bytes; NULL when only one fits: it is sent from where it is */
} batch;

typedef struct {
    scalay_reference_matrix *matrices; /* shape [count of the plan] */
    int64_t *source_elements;          /* shape [ranks]: that this rank sends to each, going forth */
    int64_t *target_elements;          /* shape [ranks]: that it receives from each */
    int64_t capacity;                  /* elements of a batch */
    int64_t stride;
    batch sent;
    batch received;
} reference_state;

static int is_applicable(const scalay_plan *plan, const char **reason)
{
    *reason = plan->in_place ? "it does not move in place" : "it checks every element";
    return !plan->in_place;
}

/* ----------------------------------------------------------------------------------------------- walks */

/* A walk through the elements that the source has on one rank and the target on another. */
typedef struct {
    const scalay_plan *plan;
    int source_rank;
    int target_rank;
    place at; /* the next to look at */
} element_walk;

static int belongs(const element_walk *walk, const scalay_reference_matrix *of, const place *at)
{
    return scalay_reference_counts(of, at->row, at->col) &&
           scalay_reference_source_owner(of, at->row, at->col) == walk->source_rank &&
           scalay_reference_target_owner(of, at->row, at->col) == walk->target_rank;
}

/* The next element; 0 when there is none. */
static int walk_on(element_walk *walk, place *found)
{
    const reference_state *state = walk->plan->transport_state;
    for (; walk->at.matrix < walk->plan->count; walk->at = (place){.matrix = walk->at.matrix + 1}) {
        const scalay_reference_matrix *of = &state->matrices[walk->at.matrix];
        for (; walk->at.col < of->n; walk->at.col++, walk->at.row = 0)
            while (walk->at.row < of->m) {
                *found = walk->at;
                walk->at.row++;
                if (belongs(walk, of, found)) return 1;
            }
    }
    return 0;
}

/* ---------------------------------------------------------------------------------------------- create */

static void count_elements(const scalay_reference_matrix *at, int rank, reference_state *state)
{
    for (int64_t j = 0; j < at->n; j++)
        for (int64_t i = 0; i < at->m; i++) {
            if (!scalay_reference_counts(at, i, j)) continue;
            const int from = scalay_reference_source_owner(at, i, j), to = scalay_reference_target_owner(at, i, j);
            if (from == rank) state->source_elements[to]++;
            if (to == rank) state->target_elements[from]++;
        }
}

/* A single large element is sent from where it is, so that the received one and both places fit into any memory. */
static scalay_status new_batches(scalay_plan *plan, int64_t longest)
{
    scalay_status status = SCALAY_SUCCESS;
    reference_state *state = plan->transport_state;
    int64_t size = 1;
    for (int k = 0; k < plan->count; k++) size = scalay_max_int64(size, (int64_t)plan->parts[k].size);
    const int64_t element = scalay_packed_bytes(size);
    const int64_t most = scalay_min_int64(scalay_min_int64(plan->message_bytes, plan->memory_bytes / 2), BATCH_BYTES);
    state->capacity = scalay_min_int64(longest, most / (element + (int64_t)sizeof(place)));
    state->capacity = scalay_max_int64(state->capacity, 1);
    const int direct = state->capacity == 1;
    state->stride = direct ? size : element;
    SCALAY_TRY(SCALAY_NEW(state->sent.places, state->capacity));
    SCALAY_TRY(SCALAY_NEW(state->received.places, state->capacity));
    SCALAY_TRY(SCALAY_NEW(state->received.values, state->capacity * state->stride));
    if (!direct) SCALAY_TRY(SCALAY_NEW(state->sent.values, state->capacity * state->stride));
    plan->statistics.extra_bytes = state->capacity * (2 * (int64_t)sizeof(place) + (direct ? 1 : 2) * state->stride);
cleanup:
    return status;
}

static scalay_status new_state(scalay_plan *plan)
{
    scalay_status status = SCALAY_SUCCESS;
    reference_state *state = NULL;
    const int rank = plan->comm->rank;
    SCALAY_TRY(SCALAY_NEW(state, 1));
    plan->transport_state = state;
    SCALAY_TRY(SCALAY_NEW(state->matrices, plan->count));
    SCALAY_TRY(SCALAY_NEW(state->source_elements, plan->comm->size));
    SCALAY_TRY(SCALAY_NEW(state->target_elements, plan->comm->size));
    for (int k = 0; k < plan->count; k++) {
        SCALAY_TRY(scalay_reference_matrix_create(&plan->parts[k], rank, &state->matrices[k]));
        count_elements(&state->matrices[k], rank, state);
    }
cleanup:
    return status;
}

/* Messages, as many as batches: places and values apart. */
static int64_t count_messages(const reference_state *state, const int64_t *elements, int rank, int size)
{
    int64_t messages = 0;
    for (int peer = 0; peer < size; peer++)
        if (peer != rank) messages += 2 * scalay_ceil_div(elements[peer], state->capacity);
    return messages;
}

static scalay_status create(scalay_plan *plan)
{
    scalay_status status = SCALAY_SUCCESS;
    const int rank = plan->comm->rank, size = plan->comm->size;
    int64_t longest = 0;
    SCALAY_TRY(scalay_comm_agree(plan->comm, new_state(plan)));
    const reference_state *state = plan->transport_state;
    for (int peer = 0; peer < size; peer++)
        if (peer != rank) longest = scalay_max_int64(longest, state->source_elements[peer]);
    SCALAY_TRY_MPI(MPI_Allreduce(MPI_IN_PLACE, &longest, 1, MPI_INT64_T, MPI_MAX, plan->comm->mpi));
    SCALAY_TRY(scalay_comm_agree(plan->comm, new_batches(plan, longest)));
    plan->statistics.messages_sent = count_messages(state, state->source_elements, rank, size);
    plan->statistics.messages_received = count_messages(state, state->target_elements, rank, size);
    plan->statistics.rounds = plan->statistics.volume > 0;
    plan->statistics.plan_bytes += (int64_t)sizeof *state + 2 * size * (int64_t)sizeof(int64_t);
    for (int k = 0; k < plan->count; k++)
        plan->statistics.plan_bytes += scalay_reference_matrix_bytes(&state->matrices[k]);
cleanup:
    return status;
}

static void destroy(scalay_plan *plan)
{
    reference_state *state = plan->transport_state;
    if (state == NULL) return;
    for (int k = 0; k < plan->count && state->matrices != NULL; k++) scalay_reference_matrix_free(&state->matrices[k]);
    scalay_release(state->matrices);
    scalay_release(state->source_elements);
    scalay_release(state->target_elements);
    scalay_release(state->sent.places);
    scalay_release(state->sent.values);
    scalay_release(state->received.places);
    scalay_release(state->received.values);
    scalay_release(state);
    plan->transport_state = NULL;
}

/* --------------------------------------------------------------------------------------------- execute */

static scalay_status lost(const place *at, const char *what)
{
    return scalay_fail(SCALAY_ERROR_INTERNAL, "scalay_plan_execute", "element (%lld, %lld) of matrix %lld %s",
                       (long long)at->row, (long long)at->col, (long long)at->matrix, what);
}

/* Where an element is moved from (`sends`) or to. */
static scalay_status find_element(const scalay_plan *plan, const place *at, int sends, char **element)
{
    const reference_state *state = plan->transport_state;
    const scalay_reference_matrix *of = &state->matrices[at->matrix];
    const scalay_freight *freight = &plan->freight[at->matrix];
    const int in_source = sends != plan->back;
    const int64_t offset = in_source ? scalay_reference_source_place(of, at->row, at->col)
                                     : scalay_reference_target_place(of, at->row, at->col);
    if (offset < 0) return lost(at, "has no place in the memory of its owner");
    char *array = sends ? (char *)freight->source : freight->target;
    *element = array + offset * (int64_t)freight->unpacker.size;
    return SCALAY_SUCCESS;
}

static scalay_status keep(const scalay_plan *plan)
{
    scalay_status status = SCALAY_SUCCESS;
    const int rank = plan->comm->rank;
    element_walk own = {.plan = plan, .source_rank = rank, .target_rank = rank};
    place at;
    char *from = NULL, *to = NULL;
    while (walk_on(&own, &at)) {
        SCALAY_TRY(find_element(plan, &at, 1, &from));
        SCALAY_TRY(find_element(plan, &at, 0, &to));
        scalay_reference_combine(&plan->freight[at.matrix].unpacker, from, to);
    }
cleanup:
    return status;
}

/* What is sent next; *values is where the values start. */
static scalay_status fill(const scalay_plan *plan, element_walk *going, int64_t count, char **values)
{
    scalay_status status = SCALAY_SUCCESS;
    const reference_state *state = plan->transport_state;
    *values = state->sent.values;
    for (int64_t k = 0; k < count; k++) {
        char *element = NULL;
        place *at = &state->sent.places[k];
        if (!walk_on(going, at))
            return scalay_fail(SCALAY_ERROR_INTERNAL, "scalay_plan_execute", "fewer elements are there than counted");
        SCALAY_TRY(find_element(plan, at, 1, &element));
        if (state->sent.values == NULL)
            *values = element;
        else
            memcpy(*values + k * state->stride, element, plan->parts[at->matrix].size);
    }
cleanup:
    return status;
}

/* Compares what came with what ought to come. */
static scalay_status take(const scalay_plan *plan, element_walk *coming, int64_t count)
{
    scalay_status status = SCALAY_SUCCESS;
    const reference_state *state = plan->transport_state;
    for (int64_t k = 0; k < count; k++) {
        char *element = NULL;
        place expected;
        const place *at = &state->received.places[k];
        if (!walk_on(coming, &expected)) return lost(at, "came and was not expected");
        if (at->matrix != expected.matrix || at->row != expected.row || at->col != expected.col)
            return lost(&expected, "did not come when it was expected");
        SCALAY_TRY(find_element(plan, at, 0, &element));
        scalay_reference_combine(&plan->freight[at->matrix].unpacker, state->received.values + k * state->stride,
                                 element);
    }
cleanup:
    return status;
}

static scalay_status pass(const scalay_plan *plan, const void *out, int64_t out_bytes, int to, void *in,
                          int64_t in_bytes, int from)
{
    scalay_status status = SCALAY_SUCCESS;
    MPI_Status received;
    int bytes = 0;
    SCALAY_TRY_MPI(MPI_Sendrecv(out, (int)out_bytes, MPI_BYTE, out_bytes > 0 ? to : MPI_PROC_NULL, plan->tag, in,
                                (int)in_bytes, MPI_BYTE, in_bytes > 0 ? from : MPI_PROC_NULL, plan->tag,
                                plan->comm->mpi, &received));
    SCALAY_TRY_MPI(MPI_Get_count(&received, MPI_BYTE, &bytes));
    if (bytes != in_bytes)
        status = scalay_fail(SCALAY_ERROR_INTERNAL, "scalay_plan_execute", "%d bytes came from rank %d instead of %lld",
                             bytes, from, (long long)in_bytes);
cleanup:
    return status;
}

static int64_t value_bytes(const scalay_plan *plan, const batch *of, int64_t count)
{
    const reference_state *state = plan->transport_state;
    if (state->capacity > 1 || count == 0) return count * state->stride;
    return (int64_t)plan->parts[of->places[0].matrix].size;
}

static scalay_status pass_batches(const scalay_plan *plan, int to, int from)
{
    scalay_status status = SCALAY_SUCCESS;
    const reference_state *state = plan->transport_state;
    const int rank = plan->comm->rank, back = plan->back;
    element_walk going = {.plan = plan, .source_rank = back ? to : rank, .target_rank = back ? rank : to};
    element_walk coming = {.plan = plan, .source_rank = back ? rank : from, .target_rank = back ? from : rank};
    int64_t out = back ? state->target_elements[to] : state->source_elements[to];
    int64_t in = back ? state->source_elements[from] : state->target_elements[from];
    const int64_t size = (int64_t)sizeof(place);
    place beyond;
    if (out == 0 && in == 0) return SCALAY_SUCCESS;
    while (out > 0 || in > 0) {
        char *values = NULL;
        const int64_t sent = scalay_min_int64(out, state->capacity), got = scalay_min_int64(in, state->capacity);
        SCALAY_TRY(fill(plan, &going, sent, &values));
        SCALAY_TRY(pass(plan, state->sent.places, sent * size, to, state->received.places, got * size, from));
        SCALAY_TRY(pass(plan, values, value_bytes(plan, &state->sent, sent), to, state->received.values,
                        value_bytes(plan, &state->received, got), from));
        SCALAY_TRY(take(plan, &coming, got));
        out -= sent;
        in -= got;
    }
    if (walk_on(&coming, &beyond)) status = lost(&beyond, "did not come");
cleanup:
    return status;
}

/* Ranks take partners by distance, so that the smallest distance that is not done always goes on. */
static scalay_status begin(scalay_plan *plan)
{
    scalay_status status = SCALAY_SUCCESS;
    const int rank = plan->comm->rank, size = plan->comm->size;
    SCALAY_TRY(keep(plan));
    for (int distance = 1; distance < size; distance++)
        SCALAY_TRY(pass_batches(plan, (rank + distance) % size, (rank + size - distance) % size));
cleanup:
    return status;
}

static int describe(const scalay_plan *plan, char *text, size_t size)
{
    return snprintf(text, size, "every element with its indices, all of them checked, %lld messages out of this rank",
                    (long long)plan->statistics.messages_sent);
}

const scalay_transport scalay_transport_reference = {.name = "reference",
                                                     .blocks = 1,
                                                     .applicable = is_applicable,
                                                     .create = create,
                                                     .begin = begin,
                                                     .destroy = destroy,
                                                     .describe = describe};
