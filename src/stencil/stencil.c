#include "base/fingerprint.h"
#include "base/integer.h"
#include "base/memory.h"
#include "layout/layout.h"
#include "stencil/stencil_object.h"

/* Failures go by the public name. */
static const char create_name[] = "scalay_stencil_create";

scalay_stencil_options scalay_stencil_options_default(void)
{
    return (scalay_stencil_options){0};
}

static scalay_status check_layout(const scalay_comm *comm, const scalay_layout *layout)
{
    if (layout == NULL)
        return scalay_fail(SCALAY_ERROR_ARGUMENT, create_name, "layout is NULL; say where the items are");
    if (scalay_layout_rows(layout) != 1 && scalay_layout_cols(layout) != 1)
        return scalay_fail(SCALAY_ERROR_ARGUMENT, create_name,
                           "the layout is %lld x %lld; items on a circle are one row or one column",
                           (long long)scalay_layout_rows(layout), (long long)scalay_layout_cols(layout));
    for (int process = comm->size; process < scalay_layout_processes(layout); process++)
        if (scalay_layout_elements(layout, process) > 0)
            return scalay_fail(SCALAY_ERROR_ARGUMENT, create_name,
                               "process %d of the layout owns items, but the communicator has %d ranks", process,
                               comm->size);
    return SCALAY_SUCCESS;
}

static scalay_status check_arguments(const scalay_comm *comm, const scalay_layout *layout, scalay_type type,
                                     scalay_stencil **stencil)
{
    if (stencil == NULL)
        return scalay_fail(SCALAY_ERROR_ARGUMENT, create_name,
                           "stencil is NULL; pass the address of a scalay_stencil *");
    if (scalay_type_size(type) == 0)
        return scalay_fail(SCALAY_ERROR_ARGUMENT, create_name, "type is %d; pass SCALAY_DOUBLE or another type", type);
    return check_layout(comm, layout);
}

/* Requests for one side; they are started again and again. */
static scalay_status make_requests(scalay_stencil *s, const scalay_stencil_side *side, int sends, int tag,
                                   MPI_Request *request)
{
    scalay_status status = SCALAY_SUCCESS;
    for (int64_t k = 0; k < side->messages; k++) {
        const scalay_stencil_message *message = &side->message[k];
        char *start = (char *)side->buffer + (size_t)message->first * s->size;
        int count = 0;
        SCALAY_TRY(scalay_to_int(message->count, create_name, "items in a message", &count));
        if (sends)
            SCALAY_TRY_MPI(MPI_Send_init(start, count, s->element, message->partner, tag, s->comm->mpi, &request[k]));
        else
            SCALAY_TRY_MPI(MPI_Recv_init(start, count, s->element, message->partner, tag, s->comm->mpi, &request[k]));
    }
cleanup:
    return status;
}

static void count_up(scalay_stencil *s)
{
    scalay_stencil_statistics *statistics = &s->statistics;
    statistics->items = s->items;
    statistics->runs = s->runs;
    statistics->messages_sent = s->send.messages;
    statistics->messages_received = s->receive.messages;
    statistics->items_sent = s->send.slots;
    statistics->items_received = s->receive.slots;
}

static scalay_status make_ready(scalay_stencil *s, const scalay_layout *layout, int tag)
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(scalay_stencil_prepare(s, layout));
    SCALAY_TRY_MPI(MPI_Type_contiguous((int)s->size, MPI_BYTE, &s->element));
    SCALAY_TRY_MPI(MPI_Type_commit(&s->element));
    SCALAY_TRY(make_requests(s, &s->receive, 0, tag, s->request));
    SCALAY_TRY(make_requests(s, &s->send, 1, tag, s->request + s->receive.messages));
    count_up(s);
cleanup:
    return status;
}

static scalay_status start(scalay_comm *comm, scalay_type type, scalay_stencil **stencil)
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
    scalay_stencil *made = NULL;
    if (comm == NULL) return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "comm is NULL; make one with scalay_comm_create");
    if (stencil != NULL) *stencil = NULL;
    status = check_arguments(comm, layout, type, stencil);
    if (status == SCALAY_SUCCESS) status = start(comm, type, &made);
    SCALAY_TRY(scalay_comm_agree(comm, status));
    if (options != NULL) made->options = *options;
    const int numbers[] = {(int)type};
    SCALAY_TRY(scalay_comm_agree_value(comm, scalay_fingerprint_add_ints(scalay_layout_fingerprint(layout), numbers, 1),
                                       __func__, "layout or type"));
    SCALAY_TRY(scalay_comm_agree(comm, make_ready(made, layout, scalay_comm_tag(comm))));
    *stencil = made;
    made = NULL;
cleanup:
    scalay_stencil_destroy(&made);
    return status;
}

static void free_side(scalay_stencil_side *side)
{
    scalay_release(side->halo);
    scalay_release(side->message);
    scalay_release(side->buffer);
}

void scalay_stencil_destroy(scalay_stencil **stencil)
{
    if (stencil == NULL || *stencil == NULL) return;
    scalay_stencil *going = *stencil;
    *stencil = NULL;
    if (going->request != NULL)
        for (int k = 0; k < going->requests; k++)
            if (going->request[k] != MPI_REQUEST_NULL) (void)MPI_Request_free(&going->request[k]);
    if (going->element != MPI_DATATYPE_NULL) (void)MPI_Type_free(&going->element);
    scalay_release(going->request);
    free_side(&going->send);
    free_side(&going->receive);
    scalay_release(going->buffer[0]);
    scalay_release(going->buffer[1]);
    scalay_release(going->piece);
    scalay_release(going->run);
    scalay_release(going->inner);
    scalay_release(going->border);
    scalay_release(going->copy);
    scalay_comm_destroy(&going->comm);
    scalay_release(going);
}

scalay_status scalay_stencil_get_statistics(const scalay_stencil *stencil, scalay_stencil_statistics *statistics)
{
    if (stencil == NULL || statistics == NULL)
        return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "%s is NULL", stencil == NULL ? "stencil" : "statistics");
    *statistics = stencil->statistics;
    return SCALAY_SUCCESS;
}
