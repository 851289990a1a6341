/* "blacs": parcels go through the BLACS' point-to-point routines, slice by slice along a one-port schedule. In a step
   no process sends or receives more than one slice. How finely messages are cut, so that nobody waits, is weighed
   against what starting a message takes. The BLACS have no non-blocking receive, so that `begin` moves all. */

#include <stdio.h>

#include "base/integer.h"
#include "base/memory.h"
#include "parallel/agree.h"
#include "redist/blacs_wire.h"
#include "redist/plan_traffic.h"
#include "scalay/schedule.h"

/* Raw elements, and several types together, travel as integers, pieces padded to whole ones. */
static const scalay_blacs_wire *find_wire(const scalay_plan *plan)
{
    const scalay_type type = plan->parts[0].type;
    int same = type < SCALAY_RAW_BASE;
    for (int k = 1; k < plan->count; k++) same = same && plan->parts[k].type == type;
    return scalay_blacs_wire_for(same ? type : SCALAY_INT);
}

/* --------------------------------------------------------------------------------------------- state */

/* What a rank sends or receives in a step. */
typedef struct {
    int64_t lane;  /* of the plan's source or target */
    int64_t items; /* elements, of whichever matrix; 0: nothing */
} slice;

/* A step in which the rank has something to do. The way back swaps the two. */
typedef struct {
    slice source; /* out of the source */
    slice target; /* into the target */
} slice_pair;

/* One end of a lane under way. */
typedef struct {
    int sends;  /* in the move under way */
    int matrix; /* that the cursor is in */
    scalay_cursor cursor;
} lane_end;

typedef struct {
    const scalay_blacs_wire *wire;
    int ctxt;          /* 1 x size: the process in column k is rank k */
    int64_t piece;     /* a slice of more elements is sent in pieces */
    char *buffer;      /* a piece: first what is sent, which the BLACS copy, then what is received */
    slice_pair *steps; /* shape [step_count] */
    int64_t step_count;
    lane_end *sources; /* shape [lanes of the source] */
    lane_end *targets; /* shape [lanes of the target] */
} blacs_state;

static int is_applicable(const scalay_plan *plan, const char **reason)
{
    *reason = plan->in_place ? "it does not move in place" : "every ScaLAPACK program has the BLACS";
    return !plan->in_place;
}

/* ---------------------------------------------------------------------------------------- schedule */

/* Every rank is a process and a part of the traffic. */
static scalay_status create_schedule(const scalay_plan *plan, const scalay_traffic *traffic, scalay_schedule **schedule)
{
    scalay_status status = SCALAY_SUCCESS;
    int *process = NULL;
    SCALAY_TRY(SCALAY_NEW(process, plan->comm->size));
    for (int rank = 0; rank < plan->comm->size; rank++) process[rank] = rank;
    SCALAY_TRY(scalay_schedule_create_timed(traffic, process, plan->startup_bytes / plan->largest_element, schedule));
cleanup:
    scalay_release(process);
    return status;
}

/* Slices are cut from a lane one after the other; left[] tells what is uncut of each. */
static scalay_status cut(const scalay_lane_list *lanes, int64_t *left, int peer, int64_t items, slice *out)
{
    int64_t low = 0, high = lanes->count;
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (lanes->lane[middle].peer < peer)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == lanes->count || lanes->lane[low].peer != peer || items > left[low])
        return scalay_fail(SCALAY_ERROR_INTERNAL, "scalay_plan_create",
                           "the schedule moves %lld elements that no message has", (long long)items);
    *out = (slice){.lane = low, .items = items};
    left[low] -= items;
    return SCALAY_SUCCESS;
}

/* The rank's own messages of one step. */
static scalay_status read_step(const scalay_plan *plan, const scalay_schedule *schedule, int64_t step,
                               int64_t *source_left, int64_t *target_left, slice_pair *pair)
{
    scalay_status status = SCALAY_SUCCESS;
    const int rank = plan->comm->rank;
    const scalay_message *messages = NULL;
    int64_t length = 0, count = 0;
    SCALAY_TRY(scalay_schedule_round(schedule, step, &length, &count, &messages));
    *pair = (slice_pair){{0}, {0}};
    for (const scalay_message *message = messages; message < messages + count; message++) {
        if (message->from == rank)
            SCALAY_TRY(cut(&plan->source, source_left, message->to, message->items, &pair->source));
        if (message->to == rank)
            SCALAY_TRY(cut(&plan->target, target_left, message->from, message->items, &pair->target));
    }
cleanup:
    return status;
}

static scalay_status new_left(const scalay_plan *plan, const scalay_lane_list *lanes, int64_t **left)
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(SCALAY_NEW(*left, lanes->count));
    for (int64_t k = 0; k < lanes->count; k++) (*left)[k] = scalay_lane_elements(plan->count, &lanes->lane[k]);
cleanup:
    return status;
}

static int64_t sum(const int64_t *values, int64_t count)
{
    int64_t total = 0;
    for (int64_t k = 0; k < count; k++) total += values[k];
    return total;
}

/* The schedule, reduced to what this rank does; checked to move every element. */
static scalay_status read_schedule(scalay_plan *plan, const scalay_schedule *schedule, blacs_state *state)
{
    scalay_status status = SCALAY_SUCCESS;
    int64_t *source_left = NULL, *target_left = NULL;
    int64_t capacity = 0;
    const int64_t steps = scalay_schedule_rounds(schedule);
    SCALAY_TRY(new_left(plan, &plan->source, &source_left));
    SCALAY_TRY(new_left(plan, &plan->target, &target_left));
    for (int64_t step = 0; step < steps; step++) {
        slice_pair pair;
        SCALAY_TRY(read_step(plan, schedule, step, source_left, target_left, &pair));
        if (pair.source.items == 0 && pair.target.items == 0) continue;
        SCALAY_TRY(SCALAY_GROW(state->steps, capacity, state->step_count + 1));
        state->steps[state->step_count++] = pair;
    }
    if (sum(source_left, plan->source.count) + sum(target_left, plan->target.count) > 0)
        status = scalay_fail(SCALAY_ERROR_INTERNAL, "scalay_plan_create", "the schedule does not move every element");
    plan->statistics.rounds = steps;
cleanup:
    scalay_release(source_left);
    scalay_release(target_left);
    return status;
}

/* -------------------------------------------------------------------------------------------- create */

enum { PIECE_BYTES = 1 << 20 };

/* The elements of a piece, the same on all ranks: with the padding between matrices and behind the last one it fits
   into the buffer, whatever they are elements of. */
static void choose_piece(scalay_plan *plan, blacs_state *state)
{
    const int64_t element = plan->largest_element;
    const int64_t padding = SCALAY_PACKED_ALIGNMENT * (int64_t)plan->count;
    int64_t most = scalay_min_int64(plan->memory_bytes, PIECE_BYTES) - padding;
    most = scalay_min_int64(scalay_min_int64(most, plan->message_bytes) / element, plan->statistics.steps);
    state->piece = scalay_max_int64(1, most);
    plan->statistics.extra_bytes = state->step_count > 0 ? state->piece * element + padding : 0;
}

static void count_messages(scalay_plan *plan, const blacs_state *state)
{
    for (const slice_pair *step = state->steps; step < state->steps + state->step_count; step++) {
        plan->statistics.messages_sent += scalay_ceil_div(step->source.items, state->piece);
        plan->statistics.messages_received += scalay_ceil_div(step->target.items, state->piece);
    }
}

static scalay_status new_state(scalay_plan *plan)
{
    scalay_status status = SCALAY_SUCCESS;
    blacs_state *state = NULL;
    SCALAY_TRY(SCALAY_NEW(state, 1));
    plan->transport_state = state;
    state->ctxt = -1;
    state->wire = find_wire(plan);
    SCALAY_TRY(SCALAY_NEW(state->sources, plan->source.count));
    SCALAY_TRY(SCALAY_NEW(state->targets, plan->target.count));
cleanup:
    return status;
}

static scalay_status load_schedule(scalay_plan *plan, const scalay_traffic *traffic)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_schedule *schedule = NULL;
    blacs_state *state = plan->transport_state;
    SCALAY_TRY(create_schedule(plan, traffic, &schedule));
    SCALAY_TRY(read_schedule(plan, schedule, state));
    choose_piece(plan, state);
    SCALAY_TRY(SCALAY_NEW(state->buffer, plan->statistics.extra_bytes));
    count_messages(plan, state);
    plan->statistics.plan_bytes += (int64_t)sizeof *state + state->step_count * (int64_t)sizeof *state->steps +
                                   (plan->source.count + plan->target.count) * (int64_t)sizeof(lane_end);
cleanup:
    scalay_schedule_destroy(&schedule);
    return status;
}

static scalay_status create(scalay_plan *plan)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_traffic *traffic = NULL;
    SCALAY_TRY(
        scalay_comm_agree_value(plan->comm, (uint64_t)plan->startup_bytes, "scalay_plan_create", "options->machine"));
    SCALAY_TRY(scalay_comm_agree(plan->comm, new_state(plan)));
    SCALAY_TRY(scalay_plan_gather_traffic(plan, &traffic));
    SCALAY_TRY(scalay_comm_agree(plan->comm, load_schedule(plan, traffic)));
    blacs_state *state = plan->transport_state;
    SCALAY_TRY(scalay_grid_acquire(plan->comm, 1, plan->comm->size, NULL, &state->ctxt));
cleanup:
    scalay_traffic_destroy(&traffic);
    return status;
}

static void destroy(scalay_plan *plan)
{
    blacs_state *state = plan->transport_state;
    if (state == NULL) return;
    (void)scalay_grid_release(plan->comm, &state->ctxt);
    scalay_release(state->buffer);
    scalay_release(state->steps);
    scalay_release(state->sources);
    scalay_release(state->targets);
    scalay_release(state);
    plan->transport_state = NULL;
}

/* ------------------------------------------------------------------------------------------- execute */

static void enter_matrix(const scalay_plan *plan, const scalay_lane *lane, int matrix, lane_end *end)
{
    const scalay_freight *freight = &plan->freight[matrix];
    end->matrix = matrix;
    end->cursor = scalay_cursor_start(end->sends ? freight->from : freight->to, lane->parcels[matrix]);
}

static void start_end(const scalay_plan *plan, const scalay_lane *lane, int sends, lane_end *end)
{
    end->sends = sends;
    enter_matrix(plan, lane, 0, end);
}

/* What is done with elements of one matrix. */
typedef void (*piece_work)(const scalay_freight *freight, scalay_cursor *cursor, char *packed, int64_t elements);

static void measure(const scalay_freight *freight, scalay_cursor *cursor, char *packed, int64_t elements)
{
    (void)freight;
    (void)packed;
    cursor->position += elements;
}

static void pack(const scalay_freight *freight, scalay_cursor *cursor, char *packed, int64_t elements)
{
    scalay_cursor_pack(cursor, &freight->packer, freight->source, packed, elements);
}

static void unpack(const scalay_freight *freight, scalay_cursor *cursor, char *packed, int64_t elements)
{
    scalay_cursor_unpack(cursor, &freight->unpacker, packed, freight->target, elements);
}

/* Works on the next `elements` of a lane. @return their bytes, with the padding between matrices */
static int64_t go_along(const scalay_plan *plan, const scalay_lane *lane, lane_end *end, int64_t elements,
                        piece_work work)
{
    const blacs_state *state = plan->transport_state;
    int64_t bytes = 0;
    while (elements > 0) {
        const scalay_freight *freight = &plan->freight[end->matrix];
        const scalay_parcel *parcel = lane->parcels[end->matrix];
        const int64_t left = parcel != NULL ? parcel->elements - end->cursor.position : 0;
        const int64_t start = scalay_packed_bytes(bytes);
        const int64_t count = scalay_min_int64(elements, left);
        if (count == 0) {
            enter_matrix(plan, lane, end->matrix + 1, end);
            continue;
        }
        work(freight, &end->cursor, state->buffer + start, count);
        bytes = start + count * (int64_t)freight->packer.size;
        elements -= count;
    }
    return bytes;
}

static void send_piece(const scalay_plan *plan, slice *part)
{
    const blacs_state *state = plan->transport_state;
    const scalay_lane *lane = &scalay_plan_sends(plan)->lane[part->lane];
    lane_end *end = &(plan->back ? state->targets : state->sources)[part->lane];
    const int64_t elements = scalay_min_int64(part->items, state->piece);
    if (elements == 0) return;
    const int64_t bytes = go_along(plan, lane, end, elements, pack);
    state->wire->send(state->ctxt, (int)scalay_ceil_div(bytes, state->wire->unit), state->buffer, lane->peer);
    part->items -= elements;
}

static void receive_piece(const scalay_plan *plan, slice *part)
{
    const blacs_state *state = plan->transport_state;
    const scalay_lane *lane = &scalay_plan_receives(plan)->lane[part->lane];
    lane_end *end = &(plan->back ? state->sources : state->targets)[part->lane];
    const int64_t elements = scalay_min_int64(part->items, state->piece);
    if (elements == 0) return;
    lane_end ahead = *end;
    const int64_t bytes = go_along(plan, lane, &ahead, elements, measure);
    state->wire->receive(state->ctxt, (int)scalay_ceil_div(bytes, state->wire->unit), state->buffer, lane->peer);
    (void)go_along(plan, lane, end, elements, unpack);
    part->items -= elements;
}

/* Sends of the BLACS are locally blocking: they copy what is sent and return without waiting for the receiver, so each
   step may send first. */
static scalay_status begin(scalay_plan *plan)
{
    const blacs_state *state = plan->transport_state;
    const scalay_lane_list *source = &plan->source, *target = &plan->target;
    for (int64_t k = 0; k < source->count; k++) start_end(plan, &source->lane[k], !plan->back, &state->sources[k]);
    for (int64_t k = 0; k < target->count; k++) start_end(plan, &target->lane[k], plan->back, &state->targets[k]);
    for (const slice_pair *step = state->steps; step < state->steps + state->step_count; step++) {
        slice sent = plan->back ? step->target : step->source, received = plan->back ? step->source : step->target;
        while (sent.items > 0 || received.items > 0) {
            send_piece(plan, &sent);
            receive_piece(plan, &received);
        }
    }
    scalay_plan_copy_kept(plan);
    return SCALAY_SUCCESS;
}

static int describe(const scalay_plan *plan, char *text, size_t size)
{
    return snprintf(
        text, size,
        "point-to-point BLACS along a schedule of %lld global steps, which take as long to start as %lld bytes",
        (long long)plan->statistics.rounds, (long long)plan->startup_bytes);
}

const scalay_transport scalay_transport_blacs = {.name = "blacs",
                                                 .blocks = 1,
                                                 .applicable = is_applicable,
                                                 .create = create,
                                                 .begin = begin,
                                                 .destroy = destroy,
                                                 .describe = describe};
