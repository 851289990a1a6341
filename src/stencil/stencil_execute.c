#include <string.h>

#include "base/integer.h"
#include "base/memory.h"
#include "stencil/stencil_object.h"

/* ---------------------------------------------------------------------------------------------- linear updates */

/* Both compute in this order, and so does every rank for every item. */
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

/* With a size that the compiler knows there is no call for each element. */
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

/* Between the caller's array and a buffer. */
static void load(const scalay_stencil *s, const char *x, char *buffer)
{
    for (int64_t k = 0; k < s->pieces; k++) {
        const scalay_stencil_piece *piece = &s->piece[k];
        copy_elements(buffer + (size_t)piece->position * s->size, s->size, x + (size_t)piece->offset * s->size,
                      (size_t)piece->stride * s->size, piece->count, s->size);
    }
}

static void store(const scalay_stencil *s, const char *buffer, char *x)
{
    for (int64_t k = 0; k < s->pieces; k++) {
        const scalay_stencil_piece *piece = &s->piece[k];
        copy_elements(x + (size_t)piece->offset * s->size, (size_t)piece->stride * s->size,
                      buffer + (size_t)piece->position * s->size, s->size, piece->count, s->size);
    }
}

static void copy_one(const scalay_stencil *s, char *to, int64_t to_place, const char *from, int64_t from_place)
{
    copy_elements(to + (size_t)to_place * s->size, s->size, from + (size_t)from_place * s->size, s->size, 1, s->size);
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

/* What is done to the items. */
typedef struct {
    scalay_stencil_update update;
    void *context;
} work;

static void update_all(const scalay_stencil *s, const work *w, int64_t count, const scalay_stencil_stretch *stretch,
                       const char *in, char *out)
{
    for (int64_t k = 0; k < count; k++) {
        const size_t start = (size_t)stretch[k].position * s->size;
        w->update(stretch[k].count, in + start, out + start, w->context);
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
        return scalay_fail(SCALAY_ERROR_ARGUMENT, function, "iterations is %lld; at least 0", (long long)iterations);
    if (x == NULL && s->items > 0)
        return scalay_fail(SCALAY_ERROR_ARGUMENT, function, "x is NULL, but this rank holds %lld items",
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
    if (stencil == NULL || coefficients == NULL)
        return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "%s is NULL", stencil == NULL ? "stencil" : "coefficients");
    double wide[] = {coefficients[0], coefficients[1], coefficients[2]};
    float narrow[] = {(float)wide[0], (float)wide[1], (float)wide[2]};
    const work in_double = {update_double, wide}, in_float = {update_float, narrow};
    if (stencil->type != SCALAY_DOUBLE && stencil->type != SCALAY_FLOAT)
        return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT,
                           "the stencil has type %s; coefficients are for SCALAY_FLOAT and SCALAY_DOUBLE, others take "
                           "scalay_stencil_execute_with",
                           scalay_type_name(stencil->type));
    return execute(stencil, stencil->type == SCALAY_DOUBLE ? &in_double : &in_float, iterations, x, __func__);
}

scalay_status scalay_stencil_execute_with(scalay_stencil *stencil, scalay_stencil_update update, void *context,
                                          int64_t iterations, void *x)
{
    if (stencil == NULL || update == NULL)
        return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "%s is NULL", stencil == NULL ? "stencil" : "update");
    const work given = {update, context};
    return execute(stencil, &given, iterations, x, __func__);
}
