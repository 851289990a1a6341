/* "blacs": parcels go through the BLACS' point-to-point routines, slice by slice along an optimal one-port schedule. In
   a step no process sends or receives more than one slice; the steps are together exactly as long as the redistribution
   has one-port steps. The BLACS have no non-blocking receive, so that `begin` moves and `end` unpacks. */

#include <stdio.h>
#include <string.h>

#include "core/agree.h"
#include "core/blacs.h"
#include "core/integer.h"
#include "core/memory.h"
#include "redist/plan.h"

/* ------------------------------------------------------------------------------------ element types */

static void send_s(int ctxt, int count, void *data, int peer)
{
    Csgesd2d(ctxt, count, 1, data, count, 0, peer);
}

static void send_d(int ctxt, int count, void *data, int peer)
{
    Cdgesd2d(ctxt, count, 1, data, count, 0, peer);
}

static void send_c(int ctxt, int count, void *data, int peer)
{
    Ccgesd2d(ctxt, count, 1, data, count, 0, peer);
}

static void send_z(int ctxt, int count, void *data, int peer)
{
    Czgesd2d(ctxt, count, 1, data, count, 0, peer);
}

static void send_i(int ctxt, int count, void *data, int peer)
{
    Cigesd2d(ctxt, count, 1, data, count, 0, peer);
}

static void receive_s(int ctxt, int count, void *data, int peer)
{
    Csgerv2d(ctxt, count, 1, data, count, 0, peer);
}

static void receive_d(int ctxt, int count, void *data, int peer)
{
    Cdgerv2d(ctxt, count, 1, data, count, 0, peer);
}

static void receive_c(int ctxt, int count, void *data, int peer)
{
    Ccgerv2d(ctxt, count, 1, data, count, 0, peer);
}

static void receive_z(int ctxt, int count, void *data, int peer)
{
    Czgerv2d(ctxt, count, 1, data, count, 0, peer);
}

static void receive_i(int ctxt, int count, void *data, int peer)
{
    Cigerv2d(ctxt, count, 1, data, count, 0, peer);
}

/* What the BLACS move: units of so many bytes. */
typedef struct {
    int64_t unit;
    void (*send)(int ctxt, int count, void *data, int peer);
    void (*receive)(int ctxt, int count, void *data, int peer);
} wire;

static const wire wires[] = {
    [SCALAY_FLOAT] = {sizeof(float), send_s, receive_s},
    [SCALAY_DOUBLE] = {sizeof(double), send_d, receive_d},
    [SCALAY_COMPLEX_FLOAT] = {2 * sizeof(float), send_c, receive_c},
    [SCALAY_COMPLEX_DOUBLE] = {2 * sizeof(double), send_z, receive_z},
    [SCALAY_INT] = {sizeof(int), send_i, receive_i},
};

/* Raw elements travel as integers, slices padded to whole ones. */
static const wire *find_wire(scalay_type type)
{
    return &wires[type > SCALAY_RAW_BASE ? SCALAY_INT : type];
}

/* --------------------------------------------------------------------------------------------- state */

/* What a rank sends or receives in a step. */
typedef struct {
    int peer;
    int64_t start; /* of the slice among the side's packed elements */
    int64_t items; /* 0: nothing */
} slice;

/* A step in which the rank has something to do. The way back swaps the two. */
typedef struct {
    slice source; /* out of the source */
    slice target; /* into the target */
} slice_pair;

typedef struct {
    const wire *wire;
    int ctxt;          /* 1 x size: the process in column k is rank k */
    int64_t piece;     /* a slice of more bytes is sent in pieces */
    char *bounce;      /* a piece, where slices are not whole units; NULL otherwise */
    slice_pair *steps; /* shape [step_count] */
    int64_t step_count;
    char *source_buffer; /* the lanes of the two sides, packed, one after the other */
    char *target_buffer;
} blacs_state;

static int is_applicable(const scalay_plan *plan, const char **reason)
{
    *reason = "every ScaLAPACK program has the BLACS";
    if (plan->count == 1 && plan->parts[0].op == SCALAY_NO_TRANSPOSE && !plan->in_place) return 1;
    *reason = "it moves one matrix, as it is";
    return 0;
}

/* ---------------------------------------------------------------------------------------- schedule */

static scalay_status create_schedule(const scalay_plan *plan, scalay_schedule **schedule)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_traffic *traffic = NULL;
    int *process = NULL;
    const scalay_layout *target = plan->parts[0].target_layout;
    const int parts = scalay_layout_parts(target);
    SCALAY_TRY(scalay_traffic_create(plan->parts[0].source_layout, target, &traffic));
    SCALAY_TRY(SCALAY_NEW(process, parts));
    for (int part = 0; part < parts; part++) process[part] = scalay_layout_process_of_part(target, part);
    SCALAY_TRY(scalay_schedule_create(traffic, process, schedule));
cleanup:
    scalay_traffic_destroy(&traffic);
    scalay_release(process);
    return status;
}

/* Slices are cut from a parcel one after the other; next[] tells where the uncut rest of each starts. */
static scalay_status cut(const scalay_side *side, int64_t *next, int peer, int64_t items, slice *out)
{
    int64_t low = 0, high = side->parcel_count;
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (side->parcels[middle].peer < peer)
            low = middle + 1;
        else
            high = middle;
    }
    const scalay_parcel *parcel = &side->parcels[low];
    int64_t start = 0;
    for (int64_t k = 0; k < low; k++) start += side->parcels[k].elements;
    if (low == side->parcel_count || parcel->peer != peer || next[low] + items > parcel->elements)
        return scalay_fail(SCALAY_ERROR_INTERNAL, "scalay_plan_create",
                           "the schedule moves %lld elements that no message has", (long long)items);
    *out = (slice){.peer = peer, .start = start + next[low], .items = items};
    next[low] += items;
    return SCALAY_SUCCESS;
}

/* The rank's own messages of one step. */
static scalay_status read_step(const scalay_plan *plan, const scalay_schedule *schedule, int64_t step,
                               int64_t *next_source, int64_t *next_target, slice_pair *pair)
{
    scalay_status status = SCALAY_SUCCESS;
    const int rank = plan->comm->rank;
    const scalay_message *messages = NULL;
    int64_t length = 0, count = 0;
    SCALAY_TRY(scalay_schedule_step(schedule, step, &length, &count, &messages));
    *pair = (slice_pair){{0}, {0}};
    for (const scalay_message *message = messages; message < messages + count; message++) {
        if (message->from == rank)
            SCALAY_TRY(cut(&plan->parts[0].source, next_source, message->to, message->items, &pair->source));
        if (message->to == rank)
            SCALAY_TRY(cut(&plan->parts[0].target, next_target, message->from, message->items, &pair->target));
    }
cleanup:
    return status;
}

static int64_t sum(const int64_t *values, int64_t count)
{
    int64_t total = 0;
    for (int64_t k = 0; k < count; k++) total += values[k];
    return total;
}

/* The schedule, reduced to what this rank does; checked to move every element and to be as short as it can be. */
static scalay_status read_schedule(scalay_plan *plan, const scalay_schedule *schedule, blacs_state *state)
{
    scalay_status status = SCALAY_SUCCESS;
    int64_t *next_source = NULL, *next_target = NULL;
    int64_t capacity = 0;
    const int64_t steps = scalay_schedule_steps(schedule);
    SCALAY_TRY(SCALAY_NEW(next_source, plan->parts[0].source.parcel_count));
    SCALAY_TRY(SCALAY_NEW(next_target, plan->parts[0].target.parcel_count));
    for (int64_t step = 0; step < steps; step++) {
        slice_pair pair;
        SCALAY_TRY(read_step(plan, schedule, step, next_source, next_target, &pair));
        if (pair.source.items == 0 && pair.target.items == 0) continue;
        SCALAY_TRY(SCALAY_GROW(state->steps, capacity, state->step_count + 1));
        state->steps[state->step_count++] = pair;
    }
    if (sum(next_source, plan->parts[0].source.parcel_count) != plan->parts[0].source.elements ||
        sum(next_target, plan->parts[0].target.parcel_count) != plan->parts[0].target.elements ||
        scalay_schedule_length(schedule) != plan->statistics.steps)
        status =
            scalay_fail(SCALAY_ERROR_INTERNAL, "scalay_plan_create",
                        "the schedule does not move every element in %lld steps", (long long)plan->statistics.steps);
    plan->statistics.global_steps = steps;
cleanup:
    scalay_release(next_source);
    scalay_release(next_target);
    return status;
}

/* -------------------------------------------------------------------------------------------- create */

enum { BOUNCE_BYTES = 65536, PIECE_BYTES = 1 << 28 };

static int64_t count_pieces(const blacs_state *state, const slice *part, size_t size)
{
    return scalay_ceil_div(part->items * (int64_t)size, state->piece);
}

static void count_messages(scalay_plan *plan, const blacs_state *state)
{
    for (int64_t k = 0; k < state->step_count; k++) {
        plan->statistics.messages_sent += count_pieces(state, &state->steps[k].source, plan->parts[0].size);
        plan->statistics.messages_received += count_pieces(state, &state->steps[k].target, plan->parts[0].size);
    }
}

static scalay_status new_state(scalay_plan *plan)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_schedule *schedule = NULL;
    blacs_state *state = NULL;
    SCALAY_TRY(SCALAY_NEW(state, 1));
    plan->transport_state = state;
    state->ctxt = -1;
    state->wire = find_wire(plan->parts[0].type);
    const int whole = (int64_t)plan->parts[0].size % state->wire->unit == 0;
    const int64_t most = scalay_min_int64(plan->message_bytes, whole ? PIECE_BYTES : BOUNCE_BYTES);
    state->piece = scalay_max_int64(most / state->wire->unit, 1) * state->wire->unit;
    if (!whole) SCALAY_TRY(SCALAY_NEW(state->bounce, state->piece));
    if (!whole) plan->statistics.extra_bytes += state->piece;
    const int64_t bytes[2] = {plan->parts[0].source.elements * (int64_t)plan->parts[0].size,
                              plan->parts[0].target.elements * (int64_t)plan->parts[0].size};
    SCALAY_TRY(SCALAY_NEW(state->source_buffer, bytes[0] + 16));
    SCALAY_TRY(SCALAY_NEW(state->target_buffer, bytes[1] + 16));
    plan->statistics.extra_bytes += bytes[0] + bytes[1];
    SCALAY_TRY(create_schedule(plan, &schedule));
    SCALAY_TRY(read_schedule(plan, schedule, state));
    count_messages(plan, state);
    plan->statistics.plan_bytes += (int64_t)sizeof *state + state->step_count * (int64_t)sizeof *state->steps;
cleanup:
    scalay_schedule_destroy(&schedule);
    return status;
}

static scalay_status create(scalay_plan *plan)
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(scalay_comm_agree(plan->comm, new_state(plan)));
    blacs_state *state = plan->transport_state;
    SCALAY_TRY(scalay_grid_acquire(plan->comm, 1, plan->comm->size, NULL, &state->ctxt));
cleanup:
    return status;
}

static void destroy(scalay_plan *plan)
{
    blacs_state *state = plan->transport_state;
    if (state == NULL) return;
    (void)scalay_grid_release(plan->comm, &state->ctxt);
    scalay_release(state->bounce);
    scalay_release(state->steps);
    scalay_release(state->source_buffer);
    scalay_release(state->target_buffer);
    scalay_release(state);
    plan->transport_state = NULL;
}

/* ------------------------------------------------------------------------------------------- execute */

static void send_slice(const scalay_plan *plan, const blacs_state *state, const slice *part, char *packed)
{
    const int64_t size = (int64_t)plan->parts[0].size, unit = state->wire->unit;
    char *at = packed + part->start * size;
    for (int64_t rest = part->items * size; rest > 0; rest -= state->piece, at += state->piece) {
        const int64_t bytes = scalay_min_int64(rest, state->piece);
        char *data = state->bounce != NULL ? memcpy(state->bounce, at, (size_t)bytes) : at;
        state->wire->send(state->ctxt, (int)scalay_ceil_div(bytes, unit), data, part->peer);
    }
}

static void receive_slice(const scalay_plan *plan, const blacs_state *state, const slice *part, char *packed)
{
    const int64_t size = (int64_t)plan->parts[0].size, unit = state->wire->unit;
    char *at = packed + part->start * size;
    for (int64_t rest = part->items * size; rest > 0; rest -= state->piece, at += state->piece) {
        const int64_t bytes = scalay_min_int64(rest, state->piece);
        char *data = state->bounce != NULL ? state->bounce : at;
        state->wire->receive(state->ctxt, (int)scalay_ceil_div(bytes, unit), data, part->peer);
        if (state->bounce != NULL) memcpy(at, state->bounce, (size_t)bytes);
    }
}

static void pack_or_unpack(const scalay_plan *plan, const scalay_lane_list *lanes, int sends, char *buffer)
{
    for (int64_t k = 0; k < lanes->count; k++) {
        scalay_stream stream = scalay_stream_start(plan->freight, 1, &lanes->lane[k], sends);
        buffer += sends ? scalay_stream_pack(&stream, INT64_MAX / 2, buffer)
                        : scalay_stream_unpack(&stream, INT64_MAX / 2, buffer);
    }
}

/* Sends of the BLACS are locally blocking: they return without waiting for the receiver, so each step may send first.
 */
static scalay_status begin(scalay_plan *plan)
{
    const blacs_state *state = plan->transport_state;
    const int back = plan->back;
    char *send_buffer = back ? state->target_buffer : state->source_buffer;
    char *receive_buffer = back ? state->source_buffer : state->target_buffer;
    pack_or_unpack(plan, scalay_plan_sends(plan), 1, send_buffer);
    for (const slice_pair *step = state->steps; step < state->steps + state->step_count; step++) {
        send_slice(plan, state, back ? &step->target : &step->source, send_buffer);
        receive_slice(plan, state, back ? &step->source : &step->target, receive_buffer);
    }
    scalay_plan_copy_kept(plan);
    pack_or_unpack(plan, scalay_plan_receives(plan), 0, receive_buffer);
    return SCALAY_SUCCESS;
}

static scalay_status advance(scalay_plan *plan, int waits, int *done)
{
    (void)plan;
    (void)waits;
    *done = 1;
    return SCALAY_SUCCESS;
}

static int describe(const scalay_plan *plan, char *text, size_t size)
{
    return snprintf(text, size, "point-to-point BLACS along a schedule of %lld global steps",
                    (long long)plan->statistics.global_steps);
}

const scalay_transport scalay_transport_blacs = {.name = "blacs",
                                                 .blocks = 1,
                                                 .applicable = is_applicable,
                                                 .create = create,
                                                 .begin = begin,
                                                 .advance = advance,
                                                 .destroy = destroy,
                                                 .describe = describe};
