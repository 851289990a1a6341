/*
 * Three-point stencil on a circle of items in any layout (Herrmann et al. 2016, section 5.1, algorithm 3).
 *
 * The items of a rank are copied into a buffer in which each run of consecutive items has space for the item before and
 * the item after. There are two buffers, read and written alternately. An iteration exchanges the ends of the runs by
 * persistent requests, one message per pair of ranks and direction, and updates the inner items meanwhile.
 *
 * Time of an iteration: O(items of the rank). Planning: O(r log r) for r rectangles of the rank.
 */

#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "base/fingerprint.h"
#include "base/integer.h"
#include "base/memory.h"
#include "base/option_struct.h"
#include "layout/layout.h"
#include "parallel/agree.h"
#include "parallel/comm.h"
#include "parallel/requests.h"
#include "scalay/stencil.h"

/* Public name for messages of static functions. */
static const char create_name[] = "scalay_stencil_create";

/* Consecutive items at equal distances in the local array. */
typedef struct {
    int64_t item; /* the first */
    int64_t count;
    int64_t offset;
    int64_t stride;
    int64_t position; /* of the first in the buffer */
} strided_items;

/* Maximal set of consecutive items of this rank. */
typedef struct {
    int64_t item;
    int64_t count;
    int64_t position; /* of the first; the neighbours are before and after the run */
} item_run;

/* Items that are consecutive in the buffer and updated together. */
typedef struct {
    int64_t position;
    int64_t count;
} update_range;

/* A neighbour that this rank owns, copied within the buffer. */
typedef struct {
    int64_t from;
    int64_t to;
} halo_copy;

/* An item sent or received: its position in the buffer and its slot in the messages. */
typedef struct {
    int peer;
    int64_t item;
    int64_t position;
    int64_t slot;
} halo_item;

/* A message: slots first .. first + count - 1. */
typedef struct {
    int peer;
    int64_t first;
    int64_t count;
} halo_message;

/* One direction of the exchange. */
typedef struct {
    int64_t halos;
    halo_item *halo; /* shape [halos], by peer and item */
    int64_t slots;   /* fewer than halos if an item has two positions */
    int64_t messages;
    halo_message *message; /* shape [messages] */
    void *buffer;          /* shape [slots] */
} exchange_side;

struct scalay_stencil {
    scalay_comm *comm;
    scalay_type type;
    size_t size; /* of an element */
    scalay_stencil_options options;
    int64_t items; /* of this rank */
    int64_t arrays;
    strided_items *array;
    int64_t runs;
    item_run *run;
    int64_t inner_count;
    update_range *inner; /* items whose neighbours are on this rank */
    int64_t border_count;
    update_range *border; /* other items */
    int64_t copies;
    halo_copy *copy; /* shape [copies] */
    exchange_side send;
    exchange_side receive;
    int requests;         /* receives, then sends */
    MPI_Request *request; /* persistent */
    MPI_Datatype element;
    int64_t positions;
    void *buffer[2]; /* shape [positions] each */
    scalay_stencil_statistics statistics;
};

/* ----------------------------------------------------------------------------------------------------- runs */

static int compare_items(const void *left, const void *right)
{
    const strided_items *a = left, *b = right;
    return scalay_compare_int64(a->item, b->item);
}

static scalay_status list_strided_items(scalay_stencil *s, const scalay_layout *layout)
{
    scalay_status status = SCALAY_SUCCESS;
    const int across = scalay_layout_rows(layout) == 1;
    s->arrays = scalay_layout_rectangle_count(layout, s->comm->rank);
    SCALAY_TRY(SCALAY_NEW(s->array, s->arrays));
    for (int64_t k = 0; k < s->arrays; k++) {
        scalay_rectangle r = {0};
        SCALAY_TRY(scalay_layout_rectangle(layout, s->comm->rank, k, &r));
        s->array[k] = across ? (strided_items){.item = r.col, .count = r.cols, .stride = r.ld}
                             : (strided_items){.item = r.row, .count = r.rows, .stride = 1};
        s->array[k].offset = r.offset;
        s->items += s->array[k].count;
    }
    qsort(s->array, (size_t)s->arrays, sizeof *s->array, compare_items);
cleanup:
    return status;
}

/* Joins consecutive items into runs. */
static scalay_status join_runs(scalay_stencil *s)
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(SCALAY_NEW(s->run, s->arrays));
    for (int64_t k = 0; k < s->arrays; k++) {
        strided_items *array = &s->array[k];
        item_run *last = s->runs > 0 ? &s->run[s->runs - 1] : NULL;
        if (last == NULL || last->item + last->count != array->item) {
            last = &s->run[s->runs++];
            *last = (item_run){.item = array->item, .position = s->positions + 1};
            s->positions += 2;
        }
        array->position = last->position + last->count;
        last->count += array->count;
        s->positions += array->count;
    }
cleanup:
    return status;
}

/* Returns the position of an item of this rank in the buffer. */
static int64_t position_of(const scalay_stencil *s, int64_t item)
{
    int64_t low = 0, high = s->runs;
    while (high - low > 1) {
        const int64_t middle = low + (high - low) / 2;
        if (s->run[middle].item <= item)
            low = middle;
        else
            high = middle;
    }
    return s->run[low].position + item - s->run[low].item;
}

/* ----------------------------------------------------------------------------------------------------- halo */

static int compare_halos(const void *left, const void *right)
{
    const halo_item *a = left, *b = right;
    if (a->peer != b->peer) return a->peer < b->peer ? -1 : 1;
    if (a->item != b->item) return a->item < b->item ? -1 : 1;
    return scalay_compare_int64(a->position, b->position);
}

/* Adds an end of a run: the item at the end, and the neighbour beyond it, which has position `place` in the buffer. */
static void add_run_end(scalay_stencil *s, int64_t item, int64_t position, int64_t neighbour, int64_t place, int owner)
{
    if (owner == s->comm->rank) {
        s->copy[s->copies++] = (halo_copy){position_of(s, neighbour), place};
        return;
    }
    s->send.halo[s->send.halos++] = (halo_item){.peer = owner, .item = item, .position = position};
    s->receive.halo[s->receive.halos++] = (halo_item){.peer = owner, .item = neighbour, .position = place};
}

static int owner_of(const scalay_layout *layout, int64_t item)
{
    return scalay_layout_rows(layout) == 1 ? scalay_layout_owner(layout, 0, item)
                                           : scalay_layout_owner(layout, item, 0);
}

/* Divides a run into items that need messages and items that do not. */
static void divide_run(scalay_stencil *s, const item_run *run, int left_waits, int right_waits)
{
    if (left_waits) s->border[s->border_count++] = (update_range){run->position, 1};
    if (right_waits && !(left_waits && run->count == 1))
        s->border[s->border_count++] = (update_range){run->position + run->count - 1, 1};
    const int64_t begin = left_waits ? 1 : 0, end = run->count - (right_waits ? 1 : 0);
    if (begin < end) s->inner[s->inner_count++] = (update_range){run->position + begin, end - begin};
}

static scalay_status find_ends(scalay_stencil *s, const scalay_layout *layout)
{
    scalay_status status = SCALAY_SUCCESS;
    const int64_t n = scalay_layout_rows(layout) * scalay_layout_cols(layout), ends = 2 * s->runs;
    SCALAY_TRY(SCALAY_NEW(s->copy, ends));
    SCALAY_TRY(SCALAY_NEW(s->send.halo, ends));
    SCALAY_TRY(SCALAY_NEW(s->receive.halo, ends));
    SCALAY_TRY(SCALAY_NEW(s->border, ends));
    SCALAY_TRY(SCALAY_NEW(s->inner, s->runs));
    for (int64_t r = 0; r < s->runs; r++) {
        const item_run *run = &s->run[r];
        const int64_t last = run->item + run->count - 1, end = run->position + run->count;
        const int64_t before = run->item > 0 ? run->item - 1 : n - 1, after = last + 1 < n ? last + 1 : 0;
        const int left = owner_of(layout, before), right = owner_of(layout, after);
        add_run_end(s, run->item, run->position, before, run->position - 1, left);
        add_run_end(s, last, end - 1, after, end, right);
        divide_run(s, run, left != s->comm->rank, right != s->comm->rank);
    }
cleanup:
    return status;
}

/* Assigns slots and messages. An item is sent to a peer once, even if the peer needs it twice. Both peers know this. */
static scalay_status number_slots(exchange_side *side)
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(SCALAY_NEW(side->message, side->halos));
    qsort(side->halo, (size_t)side->halos, sizeof *side->halo, compare_halos);
    for (int64_t h = 0; h < side->halos; h++) {
        halo_item *halo = &side->halo[h];
        const int same_partner = h > 0 && halo[-1].peer == halo->peer;
        if (!same_partner || halo[-1].item != halo->item) side->slots++;
        halo->slot = side->slots - 1;
        if (!same_partner) side->message[side->messages++] = (halo_message){.peer = halo->peer, .first = halo->slot};
        halo_message *message = &side->message[side->messages - 1];
        message->count = halo->slot - message->first + 1;
    }
cleanup:
    return status;
}

static scalay_status allocate_elements(const scalay_stencil *s, int64_t count, void **array)
{
    *array = scalay_allocate(count, s->size);
    return *array != NULL ? SCALAY_SUCCESS : scalay_no_memory("scalay_stencil_create", "a buffer", count, s->size);
}

static scalay_status plan_on_rank(scalay_stencil *s, const scalay_layout *layout)
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(list_strided_items(s, layout));
    SCALAY_TRY(join_runs(s));
    SCALAY_TRY(find_ends(s, layout));
    SCALAY_TRY(number_slots(&s->send));
    SCALAY_TRY(number_slots(&s->receive));
    SCALAY_TRY(
        scalay_to_int(s->send.messages + s->receive.messages, "scalay_stencil_create", "messages", &s->requests));
    SCALAY_TRY(scalay_requests_create(s->requests, &s->request));
    SCALAY_TRY(allocate_elements(s, s->send.slots, &s->send.buffer));
    SCALAY_TRY(allocate_elements(s, s->receive.slots, &s->receive.buffer));
    SCALAY_TRY(allocate_elements(s, s->positions, &s->buffer[0]));
    SCALAY_TRY(allocate_elements(s, s->positions, &s->buffer[1]));
cleanup:
    return status;
}

void scalay_stencil_options_init(scalay_stencil_options *options, size_t size)
{
    const scalay_stencil_options defaults = {.size = sizeof defaults};
    scalay_option_struct_fill(&defaults, sizeof defaults, options, size);
}

static scalay_status check_layout(const scalay_comm *comm, const scalay_layout *layout)
{
    const scalay_status status = scalay_check_not_null(layout, create_name, "layout");
    if (status != SCALAY_SUCCESS) return status;
    if (scalay_layout_rows(layout) != 1 && scalay_layout_cols(layout) != 1)
        return scalay_fail(SCALAY_ERROR_ARGUMENT, create_name,
                           "layout is %lld x %lld; it must have one row or one column",
                           (long long)scalay_layout_rows(layout), (long long)scalay_layout_cols(layout));
    for (int process = comm->size; process < scalay_layout_processes(layout); process++)
        if (scalay_layout_elements(layout, process) > 0)
            return scalay_fail(SCALAY_ERROR_ARGUMENT, create_name,
                               "process %d of layout owns items; it must be in [0, %d), a rank of comm", process,
                               comm->size);
    return SCALAY_SUCCESS;
}

static scalay_status check_arguments(const scalay_comm *comm, const scalay_layout *layout, scalay_type type,
                                     scalay_stencil **stencil)
{
    const scalay_status status = scalay_check_not_null(stencil, create_name, "stencil");
    if (status != SCALAY_SUCCESS) return status;
    if (scalay_type_size(type) == 0)
        return scalay_fail(SCALAY_ERROR_ARGUMENT, create_name,
                           "type is %d; it must be a scalay_type, such as SCALAY_DOUBLE", type);
    return check_layout(comm, layout);
}

/* Creates the persistent requests of one side. */
static scalay_status create_requests(scalay_stencil *s, const exchange_side *side, int sends, int tag,
                                     MPI_Request *request)
{
    scalay_status status = SCALAY_SUCCESS;
    for (int64_t k = 0; k < side->messages; k++) {
        const halo_message *message = &side->message[k];
        char *start = (char *)side->buffer + (size_t)message->first * s->size;
        int count = 0;
        SCALAY_TRY(scalay_to_int(message->count, create_name, "items in a message", &count));
        if (sends)
            SCALAY_TRY_MPI(MPI_Send_init(start, count, s->element, message->peer, tag, s->comm->mpi, &request[k]));
        else
            SCALAY_TRY_MPI(MPI_Recv_init(start, count, s->element, message->peer, tag, s->comm->mpi, &request[k]));
    }
cleanup:
    return status;
}

static void set_statistics(scalay_stencil *s)
{
    scalay_stencil_statistics *statistics = &s->statistics;
    statistics->items = s->items;
    statistics->runs = s->runs;
    statistics->messages_sent = s->send.messages;
    statistics->messages_received = s->receive.messages;
    statistics->items_sent = s->send.slots;
    statistics->items_received = s->receive.slots;
}

static scalay_status plan(scalay_stencil *s, const scalay_layout *layout, int tag)
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(plan_on_rank(s, layout));
    SCALAY_TRY_MPI(MPI_Type_contiguous((int)s->size, MPI_BYTE, &s->element));
    SCALAY_TRY_MPI(MPI_Type_commit(&s->element));
    SCALAY_TRY(create_requests(s, &s->receive, 0, tag, s->request));
    SCALAY_TRY(create_requests(s, &s->send, 1, tag, s->request + s->receive.messages));
    set_statistics(s);
cleanup:
    return status;
}

static scalay_status init(scalay_comm *comm, scalay_type type, scalay_stencil **stencil)
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(SCALAY_NEW(*stencil, 1));
    (*stencil)->comm = scalay_comm_retain(comm);
    (*stencil)->type = type;
    (*stencil)->size = scalay_type_size(type);
    (*stencil)->element = MPI_DATATYPE_NULL;
cleanup:
    return status;
}

scalay_status scalay_stencil_create(scalay_comm *comm, const scalay_layout *layout, scalay_type type,
                                    const scalay_stencil_options *options, scalay_stencil **stencil)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_stencil *new_stencil = NULL;
    scalay_stencil_options given = scalay_stencil_options_default();
    SCALAY_TRY(scalay_check_not_null(comm, __func__, "comm"));
    if (stencil != NULL) *stencil = NULL;
    status = scalay_option_struct_read(options, &given, sizeof given, __func__);
    if (status == SCALAY_SUCCESS) status = check_arguments(comm, layout, type, stencil);
    if (status == SCALAY_SUCCESS) status = init(comm, type, &new_stencil);
    SCALAY_TRY(scalay_comm_agree(comm, status));
    new_stencil->options = given;
    const int numbers[] = {(int)type};
    SCALAY_TRY(scalay_comm_agree_value(comm, scalay_fingerprint_add_ints(scalay_layout_fingerprint(layout), numbers, 1),
                                       __func__, "layout or type"));
    SCALAY_TRY(scalay_comm_agree(comm, plan(new_stencil, layout, scalay_comm_tag(comm))));
    *stencil = new_stencil;
    new_stencil = NULL;
cleanup:
    scalay_stencil_destroy(&new_stencil);
    return status;
}

static void free_side(int is_unused, exchange_side *side)
{
    scalay_release(side->halo);
    scalay_release(side->message);
    scalay_requests_release(is_unused, side->buffer);
}

void scalay_stencil_destroy(scalay_stencil **stencil)
{
    if (stencil == NULL || *stencil == NULL) return;
    scalay_stencil *old_stencil = *stencil;
    *stencil = NULL;
    /* Whether a receive is pending is not known if MPI_Test fails, and one that is not must not be cancelled. */
    const int is_unused = scalay_requests_abandon(old_stencil->requests, 0, old_stencil->request);
    if (old_stencil->element != MPI_DATATYPE_NULL) (void)MPI_Type_free(&old_stencil->element);
    scalay_release(old_stencil->request);
    free_side(is_unused, &old_stencil->send);
    free_side(is_unused, &old_stencil->receive);
    scalay_release(old_stencil->buffer[0]);
    scalay_release(old_stencil->buffer[1]);
    scalay_release(old_stencil->array);
    scalay_release(old_stencil->run);
    scalay_release(old_stencil->inner);
    scalay_release(old_stencil->border);
    scalay_release(old_stencil->copy);
    scalay_comm_destroy(&old_stencil->comm);
    scalay_release(old_stencil);
}

scalay_status scalay_stencil_get_statistics(const scalay_stencil *stencil, scalay_stencil_statistics *statistics)
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(scalay_check_not_null(stencil, __func__, "stencil"));
    SCALAY_TRY(scalay_check_not_null(statistics, __func__, "statistics"));
    *statistics = stencil->statistics;
cleanup:
    return status;
}

/* ---------------------------------------------------------------------------------------------- linear updates */

/* The order of operations is the same for every item on every rank, so results do not depend on the layout. */
static void update_double(int64_t count, const void *x, void *y, void *context)
{
    const double *in = x, *c = context;
    double *out = y;
    for (int64_t k = 0; k < count; k++) out[k] = c[0] * in[k - 1] + c[1] * in[k] + c[2] * in[k + 1];
}

static void update_float(int64_t count, const void *x, void *y, void *context)
{
    const float *in = x, *c = context;
    float *out = y;
    for (int64_t k = 0; k < count; k++) out[k] = c[0] * in[k - 1] + c[1] * in[k] + c[2] * in[k + 1];
}

/* -------------------------------------------------------------------------------------------------- copying */

/* With a constant size, memcpy is not a call. */
static void copy_elements(char *to, size_t to_step, const char *from, size_t from_step, int64_t count, size_t size)
{
    if (to_step == size && from_step == size) {
        memcpy(to, from, (size_t)count * size);
        return;
    }
    for (int64_t k = 0; k < count; k++, to += to_step, from += from_step) {
        if (size == sizeof(double))
            memcpy(to, from, sizeof(double));
        else
            memcpy(to, from, size);
    }
}

/* Copies the local array into a buffer. */
static void load(const scalay_stencil *s, const char *x, char *buffer)
{
    for (int64_t k = 0; k < s->arrays; k++) {
        const strided_items *array = &s->array[k];
        copy_elements(buffer + (size_t)array->position * s->size, s->size, x + (size_t)array->offset * s->size,
                      (size_t)array->stride * s->size, array->count, s->size);
    }
}

static void store(const scalay_stencil *s, const char *buffer, char *x)
{
    for (int64_t k = 0; k < s->arrays; k++) {
        const strided_items *array = &s->array[k];
        copy_elements(x + (size_t)array->offset * s->size, (size_t)array->stride * s->size,
                      buffer + (size_t)array->position * s->size, s->size, array->count, s->size);
    }
}

static void copy_one(const scalay_stencil *s, char *to, int64_t to_position, const char *from, int64_t from_position)
{
    copy_elements(to + (size_t)to_position * s->size, s->size, from + (size_t)from_position * s->size, s->size, 1,
                  s->size);
}

static void pack(const scalay_stencil *s, const char *buffer)
{
    for (int64_t h = 0; h < s->send.halos; h++)
        copy_one(s, s->send.buffer, s->send.halo[h].slot, buffer, s->send.halo[h].position);
}

static void unpack(const scalay_stencil *s, char *buffer)
{
    for (int64_t h = 0; h < s->receive.halos; h++)
        copy_one(s, buffer, s->receive.halo[h].position, s->receive.buffer, s->receive.halo[h].slot);
}

/* ------------------------------------------------------------------------------------------------ iterating */

/* The update of the items. */
typedef struct {
    scalay_stencil_update update;
    void *context;
} work;

static void update_all(const scalay_stencil *s, const work *w, int64_t count, const update_range *range, const char *in,
                       char *out)
{
    for (int64_t k = 0; k < count; k++) {
        const size_t start = (size_t)range[k].position * s->size;
        w->update(range[k].count, in + start, out + start, w->context);
    }
}

static scalay_status start_exchange(scalay_stencil *s, char *in)
{
    scalay_status status = SCALAY_SUCCESS;
    const int receives = (int)s->receive.messages;
    if (s->requests == 0) return status;
    SCALAY_TRY_MPI(MPI_Startall(receives, s->request));
    pack(s, in);
    SCALAY_TRY_MPI(MPI_Startall(s->requests - receives, s->request + receives));
cleanup:
    return status;
}

static scalay_status finish_exchange(scalay_stencil *s, char *in)
{
    scalay_status status = SCALAY_SUCCESS;
    if (s->requests == 0) return status;
    const double began = MPI_Wtime();
    SCALAY_TRY_MPI(MPI_Waitall(s->requests, s->request, MPI_STATUSES_IGNORE));
    s->statistics.wait_seconds += MPI_Wtime() - began;
    unpack(s, in);
cleanup:
    return status;
}

static scalay_status iterate(scalay_stencil *s, const work *w, char *in, char *out)
{
    scalay_status status = SCALAY_SUCCESS;
    for (int64_t k = 0; k < s->copies; k++) copy_one(s, in, s->copy[k].to, in, s->copy[k].from);
    SCALAY_TRY(start_exchange(s, in));
    if (s->options.no_overlap) SCALAY_TRY(finish_exchange(s, in));
    const double began = MPI_Wtime();
    update_all(s, w, s->inner_count, s->inner, in, out);
    s->statistics.compute_seconds += MPI_Wtime() - began;
    if (!s->options.no_overlap) SCALAY_TRY(finish_exchange(s, in));
    if (s->border_count == 0) return status;
    const double again = MPI_Wtime();
    update_all(s, w, s->border_count, s->border, in, out);
    s->statistics.compute_seconds += MPI_Wtime() - again;
cleanup:
    return status;
}

static scalay_status execute(scalay_stencil *s, const work *w, int64_t iterations, void *x, const char *function)
{
    scalay_status status = SCALAY_SUCCESS;
    if (iterations < 0)
        return scalay_fail(SCALAY_ERROR_ARGUMENT, function, "iterations is %lld; it must be at least 0",
                           (long long)iterations);
    if (x == NULL && s->items > 0)
        return scalay_fail(SCALAY_ERROR_ARGUMENT, function,
                           "x is NULL, or too short in Fortran; it must have the %lld items of this rank",
                           (long long)s->items);
    const double began = MPI_Wtime();
    s->statistics.wait_seconds = s->statistics.compute_seconds = 0.0;
    s->statistics.iterations = iterations;
    if (s->items > 0 && iterations > 0) {
        load(s, x, s->buffer[0]);
        for (int64_t k = 0; k < iterations; k++) SCALAY_TRY(iterate(s, w, s->buffer[k % 2], s->buffer[(k + 1) % 2]));
        store(s, s->buffer[iterations % 2], x);
    }
    s->statistics.seconds = MPI_Wtime() - began;
cleanup:
    return status;
}

scalay_status scalay_stencil_execute(scalay_stencil *stencil, const double *coefficients, int64_t iterations, void *x)
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(scalay_check_not_null(stencil, __func__, "stencil"));
    SCALAY_TRY(scalay_check_not_null(coefficients, __func__, "coefficients"));
    double wide[] = {coefficients[0], coefficients[1], coefficients[2]};
    float narrow[] = {(float)wide[0], (float)wide[1], (float)wide[2]};
    const work in_double = {update_double, wide}, in_float = {update_float, narrow};
    if (stencil->type != SCALAY_DOUBLE && stencil->type != SCALAY_FLOAT)
        return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT,
                           "the type of the stencil is %s; it must be SCALAY_FLOAT or SCALAY_DOUBLE. Use "
                           "scalay_stencil_execute_with() for other types",
                           scalay_type_name(stencil->type));
    status = execute(stencil, stencil->type == SCALAY_DOUBLE ? &in_double : &in_float, iterations, x, __func__);
cleanup:
    return status;
}

scalay_status scalay_stencil_execute_with(scalay_stencil *stencil, scalay_stencil_update update, void *context,
                                          int64_t iterations, void *x)
{
    scalay_status status = SCALAY_SUCCESS;
    const work given = {update, context};
    SCALAY_TRY(scalay_check_not_null(stencil, __func__, "stencil"));
    if (update == NULL) return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "update is NULL; it must be a function");
    status = execute(stencil, &given, iterations, x, __func__);
cleanup:
    return status;
}
