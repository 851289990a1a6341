/*
 * Messages, waits and reductions of the engine.
 *
 * All messages are nonblocking, and their tags name their kind and step. A waiting process tests its requests, advances
 * its panels and yields the core, because processes may share cores.
 */
#define _POSIX_C_SOURCE 200809L

#include <sched.h>
#include <string.h>

#include "factor/engine.h"
#include "parallel/comm.h"
#include "parallel/pieces.h"
#include "parallel/requests.h"

/* MPI has at least 32768 tags. */
static int tag_of(scalay_engine_message kind, int number)
{
    return (int)kind + SCALAY_ENGINE_TAGS * (number % SCALAY_ENGINE_MAX_NUMBER);
}

void scalay_engine_copy(int64_t size, int rows, int cols, const void *from, int64_t ld_from, void *to, int64_t ld_to)
{
    const char *x = from;
    char *y = to;
    if (rows <= 0) return;
    for (int j = 0; j < cols; j++, x += size * ld_from, y += size * ld_to) memcpy(y, x, (size_t)(size * rows));
}

static scalay_pieces pieces_of(const scalay_engine *engine)
{
    return (scalay_pieces){engine->mpi, engine->datatype, engine->size, engine->plan.settings.piece};
}

scalay_status scalay_engine_send(scalay_engine *engine, const void *data, int64_t elements, int to,
                                 scalay_engine_message kind, int number, MPI_Request *request, int *requests)
{
    const scalay_pieces pieces = pieces_of(engine);
    engine->statistics.messages += scalay_pieces_count(pieces.longest, elements);
    engine->statistics.bytes += engine->size * elements;
    return scalay_pieces_send(&pieces, data, elements, to, tag_of(kind, number), request, requests);
}

scalay_status scalay_engine_receive(scalay_engine *engine, void *data, int64_t elements, int from,
                                    scalay_engine_message kind, int number, MPI_Request *request, int *requests)
{
    const scalay_pieces pieces = pieces_of(engine);
    return scalay_pieces_receive(&pieces, data, elements, from, tag_of(kind, number), request, requests);
}

void scalay_engine_yield(void)
{
    (void)sched_yield();
}

scalay_status scalay_engine_wait(scalay_engine *engine, int count, MPI_Request *request)
{
    scalay_status status = SCALAY_SUCCESS;
    int done = count == 0;
    if (done) return SCALAY_SUCCESS;
    const double began = MPI_Wtime();
    for (;;) {
        SCALAY_TRY_MPI(MPI_Testall(count, request, &done, MPI_STATUSES_IGNORE));
        if (done) break;
        SCALAY_TRY(scalay_engine_advance(engine));
        scalay_engine_yield();
    }
cleanup:
    engine->statistics.wait_seconds += MPI_Wtime() - began;
    return status;
}

/* ------------------------------------------------------------------------------------------------ reductions */

static scalay_status transfer(const scalay_engine_reduction *r, const void *out, void *in, int64_t bytes, int peer)
{
    scalay_status status = SCALAY_SUCCESS;
    MPI_Request request[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    int requests = 0;
    scalay_engine *engine = r->engine;
    const int process = engine->owner[peer], tag = tag_of(SCALAY_ENGINE_REDUCTION, r->k);
    if (in != NULL)
        SCALAY_TRY_MPI(MPI_Irecv(in, (int)bytes, MPI_BYTE, process, tag, engine->mpi, &request[requests++]));
    if (out != NULL) {
        engine->statistics.messages++;
        engine->statistics.bytes += bytes;
        SCALAY_TRY_MPI(MPI_Isend(out, (int)bytes, MPI_BYTE, process, tag, engine->mpi, &request[requests++]));
    }
    SCALAY_TRY(scalay_engine_wait(engine, requests, request));
cleanup:
    if (status != SCALAY_SUCCESS && !scalay_requests_abandon(2, in != NULL, request)) engine->is_unsafe = 1;
    return status;
}

/* Both of a pair combine in the same order, so all owners get the same bits. Owners beyond the largest power of 2 hand
 * theirs to an owner below, and get the result from it. */
scalay_status scalay_engine_reduce_panel(void *reduction, void *data, int64_t bytes, scalay_engine_combine combine)
{
    scalay_status status = SCALAY_SUCCESS;
    const scalay_engine_reduction *r = reduction;
    char *received = r->engine->received;
    int power = 1;
    while (2 * power <= r->owners) power *= 2;
    if (r->index >= power) {
        SCALAY_TRY(transfer(r, data, NULL, bytes, r->index - power));
        return transfer(r, NULL, data, bytes, r->index - power);
    }
    if (r->index + power < r->owners) {
        SCALAY_TRY(transfer(r, NULL, received, bytes, r->index + power));
        combine(bytes, data, received, data);
    }
    for (int distance = 1; distance < power; distance *= 2) {
        const int peer = r->index ^ distance;
        SCALAY_TRY(transfer(r, data, received, bytes, peer));
        if (r->index < peer)
            combine(bytes, data, received, data);
        else
            combine(bytes, received, data, data);
    }
    if (r->index + power < r->owners) SCALAY_TRY(transfer(r, data, NULL, bytes, r->index + power));
cleanup:
    return status;
}
