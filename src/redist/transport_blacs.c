/* Transport "blacs": point-to-point routines of the BLACS along a one-port schedule.

   In a round of the schedule, each process sends at most one slice and receives at most one slice. The schedule weighs
   the waiting time of long messages against the cost of starting messages (scalay_schedule_create() with a startup
   time). The BLACS have no non-blocking receive, so `begin` completes the execution. The traffic of all ranks is
   gathered once, when the plan is created: O(channels of all ranks) memory. */
#include <stdio.h>

#include "base/integer.h"
#include "base/memory.h"
#include "parallel/agree.h"
#include "parallel/blacs.h"
#include "redist/plan.h"
#include "scalay/mapping.h"
#include "scalay/schedule.h"

/* Point-to-point routines of the BLACS for one element type, to and from column `peer` of a grid with one row. `send`
   copies the data before it returns; `receive` waits for the data. */
typedef struct {
    int64_t unit; /* bytes per element */
    void (*send)(int ctxt, int count, void *data, int peer);
    void (*receive)(int ctxt, int count, void *data, int peer);
} blacs_wire;

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

static const blacs_wire wires[] = {
    [SCALAY_FLOAT] = {sizeof(float), send_s, receive_s},
    [SCALAY_DOUBLE] = {sizeof(double), send_d, receive_d},
    [SCALAY_COMPLEX_FLOAT] = {2 * sizeof(float), send_c, receive_c},
    [SCALAY_COMPLEX_DOUBLE] = {2 * sizeof(double), send_z, receive_z},
    [SCALAY_INT] = {sizeof(int), send_i, receive_i},
};

static const blacs_wire *wire_of(scalay_type type)
{
    return &wires[type];
}

static int64_t channel_elements(int matrices, const scalay_channel *channel)
{
    int64_t elements = 0;
    for (int k = 0; k < matrices; k++)
        if (channel->packages[k] != NULL) elements += channel->packages[k]->elements;
    return elements;
}

/* The channels of all ranks: process, part and elements of each; part k is on process k. */
typedef struct {
    int64_t count;
    int64_t *numbers; /* shape [count][3], as gathered */
    int *counts;      /* shape [ranks]: numbers from each rank */
    int *starts;
    int *process; /* shape [count], as the next two arrays */
    int *part;
    int64_t *items;
} entry_list;

static void free_entries(entry_list *entries)
{
    scalay_release(entries->numbers);
    scalay_release(entries->counts);
    scalay_release(entries->starts);
    scalay_release(entries->process);
    scalay_release(entries->part);
    scalay_release(entries->items);
}

static scalay_status new_counts(int ranks, entry_list *entries)
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(SCALAY_NEW(entries->counts, ranks));
    SCALAY_TRY(SCALAY_NEW(entries->starts, ranks));
cleanup:
    return status;
}

/* Allocates the lists and fills in the channels of this rank. */
static scalay_status new_entries(const scalay_plan *plan, entry_list *entries)
{
    scalay_status status = SCALAY_SUCCESS;
    int narrow = 0;
    for (int rank = 0; rank < plan->comm->size; rank++) {
        entries->starts[rank] = (int)(3 * entries->count);
        entries->count += entries->counts[rank] / 3;
        SCALAY_TRY(scalay_to_int(3 * entries->count, "scalay_plan_create", "3 x number of messages", &narrow));
    }
    SCALAY_TRY(SCALAY_NEW(entries->numbers, 3 * entries->count));
    SCALAY_TRY(SCALAY_NEW(entries->process, entries->count));
    SCALAY_TRY(SCALAY_NEW(entries->part, entries->count));
    SCALAY_TRY(SCALAY_NEW(entries->items, entries->count));
    int64_t *at = entries->numbers + entries->starts[plan->comm->rank];
    for (int64_t k = 0; k < plan->source.count; k++) {
        *at++ = plan->comm->rank;
        *at++ = plan->source.channel[k].peer;
        *at++ = channel_elements(plan->count, &plan->source.channel[k]);
    }
cleanup:
    return status;
}

static scalay_status gather_entries(const scalay_plan *plan, entry_list *entries)
{
    scalay_status status = SCALAY_SUCCESS;
    const scalay_comm *comm = plan->comm;
    const int own_count = (int)(3 * plan->source.count); /* at most one channel per rank */
    SCALAY_TRY(scalay_comm_agree(plan->comm, new_counts(comm->size, entries)));
    SCALAY_TRY_MPI(MPI_Allgather(&own_count, 1, MPI_INT, entries->counts, 1, MPI_INT, comm->mpi));
    SCALAY_TRY(scalay_comm_agree(plan->comm, new_entries(plan, entries)));
    SCALAY_TRY_MPI(MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, entries->numbers, entries->counts,
                                  entries->starts, MPI_INT64_T, comm->mpi));
    for (int64_t k = 0; k < entries->count; k++) {
        entries->process[k] = (int)entries->numbers[3 * k];
        entries->part[k] = (int)entries->numbers[3 * k + 1];
        entries->items[k] = entries->numbers[3 * k + 2];
    }
cleanup:
    return status;
}

static scalay_status gather_traffic(const scalay_plan *plan, scalay_traffic **traffic)
{
    scalay_status status = SCALAY_SUCCESS;
    entry_list entries = {0};
    const int size = plan->comm->size;
    *traffic = NULL;
    SCALAY_TRY(gather_entries(plan, &entries));
    SCALAY_TRY(scalay_comm_agree(plan->comm, scalay_traffic_from_entries(size, size, entries.count, entries.process,
                                                                         entries.part, entries.items, traffic)));
cleanup:
    free_entries(&entries);
    return status;
}

/* Raw elements, and matrices of different types, are sent as integers and padded to whole integers. */
static const blacs_wire *find_wire(const scalay_plan *plan)
{
    const scalay_type type = plan->matrices[0].type;
    int same = type < SCALAY_RAW_BASE;
    for (int k = 1; k < plan->count; k++) same = same && plan->matrices[k].type == type;
    return wire_of(same ? type : SCALAY_INT);
}

/* --------------------------------------------------------------------------------------------- state */

/* Elements that a rank sends, or receives, in one round. */
typedef struct {
    int64_t channel; /* of the source or target side of the plan */
    int64_t items;   /* elements of any matrix; 0: nothing */
} slice;

/* A round in which the rank sends or receives. The backward direction exchanges the two slices. */
typedef struct {
    slice source; /* from the source */
    slice target; /* into the target */
} round_slices;

/* One end of a channel during an execution. */
typedef struct {
    int sends;  /* 1: packs */
    int matrix; /* matrix of the cursor */
    scalay_cursor cursor;
} channel_cursor;

typedef struct {
    const blacs_wire *wire;
    int ctxt;                 /* 1 x size grid: process (0, k) is rank k */
    int64_t message_elements; /* maximum elements per message */
    char *buffer;             /* one message: first the sent data, which the BLACS copy, then the received data */
    round_slices *rounds;     /* shape [round_count] */
    int64_t round_count;
    channel_cursor *sources; /* shape [channels of the source] */
    channel_cursor *targets; /* shape [channels of the target] */
} blacs_state;

static int is_applicable(const scalay_plan *plan, const char **reason)
{
    *reason = plan->in_place ? "it does not move in place" : "each ScaLAPACK program has the BLACS";
    return !plan->in_place;
}

/* ---------------------------------------------------------------------------------------- schedule */

/* Each rank is a process and a part of the traffic. */
static scalay_status create_schedule(const scalay_plan *plan, const scalay_traffic *traffic, scalay_schedule **schedule)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_schedule_options options = scalay_schedule_options_default();
    int *process = NULL;
    SCALAY_TRY(SCALAY_NEW(process, plan->comm->size));
    for (int rank = 0; rank < plan->comm->size; rank++) process[rank] = rank;
    options.startup = plan->startup_bytes / plan->largest_element;
    SCALAY_TRY(scalay_schedule_create(traffic, process, &options, schedule));
cleanup:
    scalay_release(process);
    return status;
}

/* Cuts the next slice of a channel. left[] holds the remaining elements of each channel. */
static scalay_status cut_slice(const scalay_channel_list *channels, int64_t *left, int peer, int64_t items, slice *out)
{
    int64_t low = 0, high = channels->count;
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (channels->channel[middle].peer < peer)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == channels->count || channels->channel[low].peer != peer || items > left[low])
        return scalay_fail(SCALAY_ERROR_INTERNAL, "scalay_plan_create",
                           "internal error: the schedule moves %lld elements that no channel holds; please report this",
                           (long long)items);
    *out = (slice){.channel = low, .items = items};
    left[low] -= items;
    return SCALAY_SUCCESS;
}

/* Finds the slices of this rank in one round. */
static scalay_status read_round(const scalay_plan *plan, const scalay_schedule *schedule, int64_t round,
                                int64_t *source_left, int64_t *target_left, round_slices *pair)
{
    scalay_status status = SCALAY_SUCCESS;
    const int rank = plan->comm->rank;
    const scalay_message *messages = NULL;
    int64_t length = 0, count = 0;
    SCALAY_TRY(scalay_schedule_round(schedule, round, &length, &count, &messages));
    *pair = (round_slices){{0}, {0}};
    for (const scalay_message *message = messages; message < messages + count; message++) {
        if (message->from == rank)
            SCALAY_TRY(cut_slice(&plan->source, source_left, message->to, message->elements, &pair->source));
        if (message->to == rank)
            SCALAY_TRY(cut_slice(&plan->target, target_left, message->from, message->elements, &pair->target));
    }
cleanup:
    return status;
}

static scalay_status new_left(const scalay_plan *plan, const scalay_channel_list *channels, int64_t **left)
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(SCALAY_NEW(*left, channels->count));
    for (int64_t k = 0; k < channels->count; k++) (*left)[k] = channel_elements(plan->count, &channels->channel[k]);
cleanup:
    return status;
}

static int64_t sum(const int64_t *values, int64_t count)
{
    int64_t total = 0;
    for (int64_t k = 0; k < count; k++) total += values[k];
    return total;
}

/* Reduces the schedule to the rounds of this rank, and checks that it moves each element. */
static scalay_status read_schedule(scalay_plan *plan, const scalay_schedule *schedule, blacs_state *state)
{
    scalay_status status = SCALAY_SUCCESS;
    int64_t *source_left = NULL, *target_left = NULL;
    int64_t capacity = 0;
    scalay_schedule_summary summary;
    SCALAY_TRY(scalay_schedule_get_summary(schedule, &summary));
    SCALAY_TRY(new_left(plan, &plan->source, &source_left));
    SCALAY_TRY(new_left(plan, &plan->target, &target_left));
    for (int64_t round = 0; round < summary.rounds; round++) {
        round_slices pair;
        SCALAY_TRY(read_round(plan, schedule, round, source_left, target_left, &pair));
        if (pair.source.items == 0 && pair.target.items == 0) continue;
        SCALAY_TRY(SCALAY_GROW(state->rounds, capacity, state->round_count + 1));
        state->rounds[state->round_count++] = pair;
    }
    if (sum(source_left, plan->source.count) + sum(target_left, plan->target.count) > 0)
        status = scalay_fail(SCALAY_ERROR_INTERNAL, "scalay_plan_create",
                             "internal error: the schedule does not move each element; please report this");
    plan->statistics.rounds = summary.rounds;
cleanup:
    scalay_release(source_left);
    scalay_release(target_left);
    return status;
}

/* -------------------------------------------------------------------------------------------- create */

enum { MAX_MESSAGE = 1 << 20 };

/* Chooses the elements per message, the same on all ranks. A message with the padding between matrices fits into the
   buffer, whatever the element types. */
static void choose_message(scalay_plan *plan, blacs_state *state)
{
    const int64_t element = plan->largest_element;
    const int64_t padding = SCALAY_PACKED_ALIGNMENT * (int64_t)plan->count;
    int64_t elements = scalay_min_int64(plan->memory_bytes, MAX_MESSAGE) - padding;
    elements = scalay_min_int64(scalay_min_int64(elements, plan->message_bytes) / element, plan->statistics.steps);
    state->message_elements = scalay_max_int64(1, elements);
    plan->statistics.extra_bytes = state->round_count > 0 ? state->message_elements * element + padding : 0;
}

static void count_messages(scalay_plan *plan, const blacs_state *state)
{
    for (int64_t k = 0; k < state->round_count; k++) {
        const round_slices *round = &state->rounds[k];
        plan->statistics.messages_sent += scalay_ceil_div(round->source.items, state->message_elements);
        plan->statistics.messages_received += scalay_ceil_div(round->target.items, state->message_elements);
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
    choose_message(plan, state);
    SCALAY_TRY(SCALAY_NEW(state->buffer, plan->statistics.extra_bytes));
    count_messages(plan, state);
    plan->statistics.plan_bytes += (int64_t)sizeof *state + state->round_count * (int64_t)sizeof *state->rounds +
                                   (plan->source.count + plan->target.count) * (int64_t)sizeof(channel_cursor);
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
    SCALAY_TRY(gather_traffic(plan, &traffic));
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
    scalay_release(state->rounds);
    scalay_release(state->sources);
    scalay_release(state->targets);
    scalay_release(state);
    plan->transport_state = NULL;
}

/* ------------------------------------------------------------------------------------------- execute */

static void enter_matrix(const scalay_plan *plan, const scalay_channel *channel, int matrix, channel_cursor *end)
{
    const scalay_transfer *transfer = &plan->transfers[matrix];
    end->matrix = matrix;
    end->cursor = scalay_cursor_start(end->sends ? transfer->from : transfer->to, channel->packages[matrix]);
}

static void start_end(const scalay_plan *plan, const scalay_channel *channel, int sends, channel_cursor *end)
{
    end->sends = sends;
    enter_matrix(plan, channel, 0, end);
}

/* Operation on elements of one matrix. */
typedef void (*element_work)(const scalay_transfer *transfer, scalay_cursor *cursor, char *packed, int64_t elements);

static void measure(const scalay_transfer *transfer, scalay_cursor *cursor, char *packed, int64_t elements)
{
    (void)transfer;
    (void)packed;
    cursor->position += elements;
}

static void pack(const scalay_transfer *transfer, scalay_cursor *cursor, char *packed, int64_t elements)
{
    scalay_cursor_pack(cursor, &transfer->packer, transfer->source, packed, elements);
}

static void unpack(const scalay_transfer *transfer, scalay_cursor *cursor, char *packed, int64_t elements)
{
    scalay_cursor_unpack(cursor, &transfer->unpacker, packed, transfer->target, elements);
}

/* Processes the next `elements` of a channel. Returns their bytes with the padding between matrices. */
static int64_t process_elements(const scalay_plan *plan, const scalay_channel *channel, channel_cursor *end,
                                int64_t elements, element_work work)
{
    const blacs_state *state = plan->transport_state;
    int64_t bytes = 0;
    while (elements > 0) {
        const scalay_transfer *transfer = &plan->transfers[end->matrix];
        const scalay_package *package = channel->packages[end->matrix];
        const int64_t left = package != NULL ? package->elements - end->cursor.position : 0;
        const int64_t start = scalay_packed_bytes(bytes);
        const int64_t count = scalay_min_int64(elements, left);
        if (count == 0) {
            enter_matrix(plan, channel, end->matrix + 1, end);
            continue;
        }
        work(transfer, &end->cursor, state->buffer + start, count);
        bytes = start + count * (int64_t)transfer->packer.size;
        elements -= count;
    }
    return bytes;
}

static void send_message(const scalay_plan *plan, slice *part)
{
    const blacs_state *state = plan->transport_state;
    const scalay_channel *channel = &scalay_plan_sends(plan)->channel[part->channel];
    channel_cursor *end = &(plan->backward ? state->targets : state->sources)[part->channel];
    const int64_t elements = scalay_min_int64(part->items, state->message_elements);
    if (elements == 0) return;
    const int64_t bytes = process_elements(plan, channel, end, elements, pack);
    state->wire->send(state->ctxt, (int)scalay_ceil_div(bytes, state->wire->unit), state->buffer, channel->peer);
    part->items -= elements;
}

static void receive_message(const scalay_plan *plan, slice *part)
{
    const blacs_state *state = plan->transport_state;
    const scalay_channel *channel = &scalay_plan_receives(plan)->channel[part->channel];
    channel_cursor *end = &(plan->backward ? state->sources : state->targets)[part->channel];
    const int64_t elements = scalay_min_int64(part->items, state->message_elements);
    if (elements == 0) return;
    channel_cursor ahead = *end;
    const int64_t bytes = process_elements(plan, channel, &ahead, elements, measure);
    state->wire->receive(state->ctxt, (int)scalay_ceil_div(bytes, state->wire->unit), state->buffer, channel->peer);
    (void)process_elements(plan, channel, end, elements, unpack);
    part->items -= elements;
}

/* BLACS sends are locally blocking: they copy the data and return without waiting for the receiver. Each round may
   therefore send first. */
static scalay_status begin(scalay_plan *plan)
{
    const blacs_state *state = plan->transport_state;
    const scalay_channel_list *source = &plan->source, *target = &plan->target;
    for (int64_t k = 0; k < source->count; k++)
        start_end(plan, &source->channel[k], !plan->backward, &state->sources[k]);
    for (int64_t k = 0; k < target->count; k++)
        start_end(plan, &target->channel[k], plan->backward, &state->targets[k]);
    for (const round_slices *round = state->rounds; round < state->rounds + state->round_count; round++) {
        slice sent = plan->backward ? round->target : round->source,
              received = plan->backward ? round->source : round->target;
        while (sent.items > 0 || received.items > 0) {
            send_message(plan, &sent);
            receive_message(plan, &received);
        }
    }
    scalay_plan_copy_kept(plan);
    return SCALAY_SUCCESS;
}

static int describe(const scalay_plan *plan, char *text, size_t size)
{
    return snprintf(
        text, size,
        "point-to-point BLACS along a schedule of %lld rounds; starting a message costs as much as sending %lld bytes",
        (long long)plan->statistics.rounds, (long long)plan->startup_bytes);
}

const scalay_transport scalay_transport_blacs = {.name = "blacs",
                                                 .blocks = 1,
                                                 .applicable = is_applicable,
                                                 .create = create,
                                                 .begin = begin,
                                                 .destroy = destroy,
                                                 .describe = describe};
