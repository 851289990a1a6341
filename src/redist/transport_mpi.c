/* Transport "mpi": all channels by messages, in chunks that stay in the cache. Elements that stay on the rank are
   copied while the first messages are on their way. In place, all elements that are sent or change their position
   are packed before the first element is written. */

#include <stdio.h>

#include "base/memory.h"
#include "parallel/agree.h"
#include "redist/exchange.h"
#include "redist/release.h"

typedef struct {
    scalay_exchange *exchange;
    char *kept;         /* in place: packed elements that stay on the rank */
    int64_t kept_bytes; /* of `kept` */
    int64_t packed;     /* bytes of `kept` that are packed in this execution */
    int64_t unpacked;   /* bytes of `kept` that are unpacked */
    int copied;         /* 1: the elements that stay on the rank are copied in this execution */
} mpi_state;

static int is_applicable(const scalay_plan *plan, const char **reason)
{
    *reason = plan->in_place ? "it moves in place" : "the shortest predicted time";
    return 1;
}

/* As much as the messages of "shared" have. In place, the elements that stay are among the buffers. */
static int64_t exchange_bytes(const scalay_plan *plan)
{
    return plan->in_place ? plan->memory_bytes : scalay_exchange_bytes(plan);
}

static double predict(const scalay_plan *plan)
{
    const scalay_exchange_options options = {.memory_bytes = exchange_bytes(plan)};
    return scalay_exchange_predict(plan, &options) +
           (double)plan->statistics.bytes_kept * plan->machine.seconds_per_byte_copied;
}

/* ---------------------------------------------------------------------------------------------- create */

/* Returns the offset in `kept` after the elements of one matrix. */
static int64_t offset_after(int64_t bytes, const scalay_planned_matrix *part)
{
    return bytes + scalay_packed_bytes(part->source.kept.elements * (int64_t)part->size);
}

static scalay_status new_state(scalay_plan *plan)
{
    scalay_status status = SCALAY_SUCCESS;
    mpi_state *state = NULL;
    SCALAY_TRY(SCALAY_NEW(state, 1));
    plan->transport_state = state;
    for (int k = 0; k < plan->count && plan->in_place; k++)
        state->kept_bytes = offset_after(state->kept_bytes, &plan->matrices[k]);
    if (plan->in_place && plan->panels != NULL)
        state->kept_bytes += scalay_panels_count(plan->panels) * SCALAY_PACKED_ALIGNMENT;
cleanup:
    return status;
}

static scalay_status create(scalay_plan *plan)
{
    scalay_status status = new_state(plan);
    mpi_state *state = plan->transport_state;
    if (plan->in_place) status = scalay_comm_agree(plan->comm, status); /* the exchange is collective then */
    SCALAY_TRY(status);
    const scalay_exchange_options options = {.memory_bytes = exchange_bytes(plan), .other_bytes = state->kept_bytes};
    SCALAY_TRY(scalay_exchange_create(plan, &options, &state->exchange));
    SCALAY_TRY(SCALAY_NEW_UNSET(state->kept, state->kept_bytes));
    const scalay_exchange_cost cost = scalay_exchange_get_cost(state->exchange);
    plan->statistics.messages_sent = cost.messages_sent;
    plan->statistics.messages_received = cost.messages_received;
    plan->statistics.extra_bytes = cost.buffer_bytes + state->kept_bytes;
    plan->statistics.plan_bytes += (int64_t)sizeof *state + cost.state_bytes;
cleanup:
    return status;
}

static void destroy(scalay_plan *plan)
{
    mpi_state *state = plan->transport_state;
    if (state == NULL) return;
    scalay_exchange_destroy(&state->exchange);
    scalay_release(state->kept);
    scalay_release(state);
    plan->transport_state = NULL;
}

/* --------------------------------------------------------------------------------------------- execute */

static void pack_kept(const scalay_plan *plan, mpi_state *state)
{
    for (int k = 0; k < plan->count; k++) {
        const scalay_transfer *transfer = &plan->transfers[k];
        const scalay_package *package = &transfer->from->kept;
        scalay_cursor cursor = scalay_cursor_start(transfer->from, package);
        scalay_cursor_pack(&cursor, &transfer->packer, transfer->source, state->kept + state->packed,
                           package->elements);
        state->packed += scalay_packed_bytes(package->elements * (int64_t)transfer->packer.size);
    }
}

static void unpack_kept(const scalay_plan *plan, mpi_state *state)
{
    const int64_t before = state->unpacked;
    for (int k = 0; k < plan->count; k++) {
        const scalay_transfer *transfer = &plan->transfers[k];
        const scalay_package *package = &transfer->to->kept;
        scalay_cursor cursor = scalay_cursor_start(transfer->to, package);
        scalay_cursor_unpack(&cursor, &transfer->unpacker, state->kept + state->unpacked, transfer->target,
                             package->elements);
        state->unpacked += scalay_packed_bytes(package->elements * (int64_t)transfer->packer.size);
    }
    if (plan->panels != NULL) scalay_release_buffer(state->kept + before, state->unpacked - before);
}

static void pack(scalay_plan *plan, int is_first)
{
    mpi_state *state = plan->transport_state;
    if (is_first) state->packed = state->unpacked = 0;
    pack_kept(plan, state);
    scalay_exchange_pack(state->exchange, plan, is_first);
}

static scalay_status begin(scalay_plan *plan)
{
    mpi_state *state = plan->transport_state;
    state->copied = 0;
    if (plan->in_place && plan->panels == NULL) {
        state->packed = state->unpacked = 0;
        pack_kept(plan, state);
    }
    return scalay_exchange_begin(state->exchange, plan);
}

static scalay_status advance(scalay_plan *plan, int waits, int *done)
{
    scalay_status status = SCALAY_SUCCESS;
    mpi_state *state = plan->transport_state;
    if (!state->copied) {
        SCALAY_TRY(scalay_exchange_advance(state->exchange, plan, 0, done));
        if (plan->in_place)
            unpack_kept(plan, state);
        else
            scalay_plan_copy_kept(plan);
        state->copied = 1;
    }
    SCALAY_TRY(scalay_exchange_advance(state->exchange, plan, waits, done));
cleanup:
    return status;
}

static int describe(const scalay_plan *plan, char *text, size_t size)
{
    return snprintf(text, size, "%lld messages out of and %lld into this rank",
                    (long long)plan->statistics.messages_sent, (long long)plan->statistics.messages_received);
}

const scalay_transport scalay_transport_mpi = {.name = "mpi",
                                               .is_local = 1,
                                               .applicable = is_applicable,
                                               .predict = predict,
                                               .create = create,
                                               .pack = pack,
                                               .begin = begin,
                                               .advance = advance,
                                               .destroy = destroy,
                                               .describe = describe};
