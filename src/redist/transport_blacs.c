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
} blacs_state;

static int is_applicable(const scalay_plan *plan, const char **reason)
{
    (void)plan;
    *reason = "every ScaLAPACK program has the BLACS";
    return 1;
}

/* ---------------------------------------------------------------------------------------- schedule */

static scalay_status create_schedule(const scalay_plan *plan, scalay_schedule **schedule)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_traffic *traffic = NULL;
    int *process = NULL;
    const scalay_layout *target = plan->target_layout;
    const int parts = scalay_layout_parts(target);
    SCALAY_TRY(scalay_traffic_create(plan->source_layout, target, &traffic));
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
    if (low == side->parcel_count || parcel->peer != peer || next[low] + items > parcel->elements)
        return scalay_fail(SCALAY_ERROR_INTERNAL, "scalay_plan_create",
                           "the schedule moves %lld elements that no message has", (long long)items);
    *out = (slice){.peer = peer, .start = parcel->start + next[low], .items = items};
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
            SCALAY_TRY(cut(&plan->source, next_source, message->to, message->items, &pair->source));
        if (message->to == rank)
            SCALAY_TRY(cut(&plan->target, next_target, message->from, message->items, &pair->target));
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
    SCALAY_TRY(SCALAY_NEW(next_source, plan->source.parcel_count));
    SCALAY_TRY(SCALAY_NEW(next_target, plan->target.parcel_count));
    for (int64_t step = 0; step < steps; step++) {
        slice_pair pair;
        SCALAY_TRY(read_step(plan, schedule, step, next_source, next_target, &pair));
        if (pair.source.items == 0 && pair.target.items == 0) continue;
        SCALAY_TRY(SCALAY_GROW(state->steps, capacity, state->step_count + 1));
        state->steps[state->step_count++] = pair;
    }
    if (sum(next_source, plan->source.parcel_count) != plan->source.elements ||
        sum(next_target, plan->target.parcel_count) != plan->target.elements ||
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
        plan->statistics.messages_sent += count_pieces(state, &state->steps[k].source, plan->copier.size);
        plan->statistics.messages_received += count_pieces(state, &state->steps[k].target, plan->copier.size);
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
    state->wire = find_wire(plan->type);
    const int whole = (int64_t)plan->copier.size % state->wire->unit == 0;
    const int64_t most = scalay_min_int64(plan->message_bytes, whole ? PIECE_BYTES : BOUNCE_BYTES);
    state->piece = scalay_max_int64(most / state->wire->unit, 1) * state->wire->unit;
    if (!whole) SCALAY_TRY(SCALAY_NEW(state->bounce, state->piece));
    if (!whole) plan->statistics.extra_bytes += state->piece;
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
    scalay_release(state);
    plan->transport_state = NULL;
}

/* ------------------------------------------------------------------------------------------- execute */

static void send_slice(const scalay_plan *plan, const blacs_state *state, const slice *part, char *packed)
{
    const int64_t size = (int64_t)plan->copier.size, unit = state->wire->unit;
    char *at = packed + part->start * size;
    for (int64_t rest = part->items * size; rest > 0; rest -= state->piece, at += state->piece) {
        const int64_t bytes = scalay_min_int64(rest, state->piece);
        char *data = state->bounce != NULL ? memcpy(state->bounce, at, (size_t)bytes) : at;
        state->wire->send(state->ctxt, (int)scalay_ceil_div(bytes, unit), data, part->peer);
    }
}

static void receive_slice(const scalay_plan *plan, const blacs_state *state, const slice *part, char *packed)
{
    const int64_t size = (int64_t)plan->copier.size, unit = state->wire->unit;
    char *at = packed + part->start * size;
    for (int64_t rest = part->items * size; rest > 0; rest -= state->piece, at += state->piece) {
        const int64_t bytes = scalay_min_int64(rest, state->piece);
        char *data = state->bounce != NULL ? state->bounce : at;
        state->wire->receive(state->ctxt, (int)scalay_ceil_div(bytes, unit), data, part->peer);
        if (state->bounce != NULL) memcpy(at, state->bounce, (size_t)bytes);
    }
}

/* Sends of the BLACS are locally blocking: they return without waiting for the receiver, so each step may send first.
 */
static scalay_status begin(scalay_plan *plan, const scalay_plan_move *move)
{
    const blacs_state *state = plan->transport_state;
    const int back = move->from == &plan->target;
    for (int64_t k = 0; k < move->from->parcel_count; k++) {
        const scalay_parcel *parcel = &move->from->parcels[k];
        scalay_parcel_pack(parcel, &plan->copier, move->source,
                           move->send_buffer + parcel->start * (int64_t)plan->copier.size);
    }
    for (const slice_pair *step = state->steps; step < state->steps + state->step_count; step++) {
        send_slice(plan, state, back ? &step->target : &step->source, move->send_buffer);
        receive_slice(plan, state, back ? &step->source : &step->target, move->receive_buffer);
    }
    return SCALAY_SUCCESS;
}

static scalay_status end(scalay_plan *plan, const scalay_plan_move *move)
{
    scalay_side_copy_kept(move->from, move->to, &plan->copier, move->source, move->target);
    for (int64_t k = 0; k < move->to->parcel_count; k++) {
        const scalay_parcel *parcel = &move->to->parcels[k];
        scalay_parcel_unpack(parcel, &plan->copier, move->receive_buffer + parcel->start * (int64_t)plan->copier.size,
                             move->target);
    }
    return SCALAY_SUCCESS;
}

static int describe(const scalay_plan *plan, char *text, size_t size)
{
    return snprintf(text, size, "point-to-point BLACS along a schedule of %lld global steps",
                    (long long)plan->statistics.global_steps);
}

const scalay_transport scalay_transport_blacs = {.name = "blacs",
                                                 .applicable = is_applicable,
                                                 .create = create,
                                                 .begin = begin,
                                                 .end = end,
                                                 .destroy = destroy,
                                                 .describe = describe};
