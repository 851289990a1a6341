#ifndef SCALAY_TESTS_NODES_CALLS_H
#define SCALAY_TESTS_NODES_CALLS_H

/**
 * @file
 * One of each object that moves data between ranks: a plan between ordinary arrays, one between arrays of
 * scalay_alloc(), a product by SUMMA, a factorisation, and a stencil. Each is created, executed and destroyed by one
 * function that returns a status, so that a test can count, stop or break the MPI calls in it.
 */

#include <stdlib.h>

#include "measure/clock.h"
#include "scalay/context.h"
#include "scalay/factor.h"
#include "scalay/layout.h"
#include "scalay/multiply.h"
#include "scalay/redist.h"
#include "scalay/stencil.h"

enum { CALLS_EXTENT = 96 };

/** What is created and executed. */
typedef enum {
    CALLS_PLAN_MPI,     /**< plan, transport "mpi" */
    CALLS_PLAN_SHARED,  /**< plan, transport "shared", ordinary arrays */
    CALLS_PLAN_ALLOC,   /**< plan, transport "auto", arrays of scalay_alloc() */
    CALLS_PLAN_CONSUME, /**< plan that consumes its source */
    CALLS_SUMMA,        /**< product by SUMMA */
    CALLS_SUMMA_BROADCAST,
    CALLS_FACTOR_QR,
    CALLS_FACTOR_LU,
    CALLS_FACTOR_CHOLESKY,
    CALLS_STENCIL,
    CALLS_MAXIMUM, /**< of a number of each rank, as in measurements */
    CALLS_KINDS
} calls_kind;

/** Objects of one kind. Zeroed: none. */
typedef struct {
    calls_kind kind;
    scalay_comm *comm; /* of calls_create(); not owned */
    scalay_layout *source, *target, *line;
    double *a, *b, *c;
    int64_t counts[2];
    scalay_plan *plan;
    scalay_summa *summa;
    scalay_factor *factor;
    scalay_stencil *stencil;
} calls_objects;

static inline const char *calls_name(calls_kind kind)
{
    static const char *const names[] = {"plan mpi", "plan shared",     "plan alloc", "plan consume",
                                        "summa",    "summa broadcast", "qr",         "lu",
                                        "cholesky", "stencil",         "maximum"};
    return names[kind];
}

/** Layouts and ordinary arrays. Not collective. */
static inline scalay_status calls_prepare(calls_kind kind, int rank, int ranks, calls_objects *x)
{
    const int p = ranks % 2 == 0 ? 2 : 1;
    *x = (calls_objects){.kind = kind};
    scalay_status status =
        scalay_layout_block_cyclic(CALLS_EXTENT, CALLS_EXTENT, 8, 8, p, ranks / p, 0, 0, SCALAY_ROW_MAJOR, &x->source);
    if (status == SCALAY_SUCCESS)
        status =
            scalay_layout_block_cyclic(CALLS_EXTENT, CALLS_EXTENT, 6, 12, ranks, 1, 0, 0, SCALAY_ROW_MAJOR, &x->target);
    if (status == SCALAY_SUCCESS)
        status = scalay_layout_block_cyclic(CALLS_EXTENT, 1, 4, 1, ranks, 1, 0, 0, SCALAY_ROW_MAJOR, &x->line);
    if (status != SCALAY_SUCCESS) return status;
    x->counts[0] = scalay_layout_local_size(x->source, rank);
    x->counts[1] = scalay_layout_local_size(x->target, rank);
    x->a = calloc((size_t)x->counts[0] + 1, sizeof(double));
    x->b = calloc((size_t)x->counts[1] + 1, sizeof(double));
    x->c = calloc((size_t)x->counts[0] + 1, sizeof(double));
    return SCALAY_SUCCESS;
}

static inline double calls_value(int64_t i, int64_t j)
{
    return i == j ? 1000.0 + (double)i : 1.0 / (double)(1 + i + j);
}

/** Sets the elements of the source array, a symmetric positive definite matrix. */
static inline void calls_fill(const calls_objects *x, int rank, double *a)
{
    scalay_rectangle r;
    for (int64_t k = 0; k < scalay_layout_rectangle_count(x->source, rank); k++) {
        if (scalay_layout_rectangle(x->source, rank, k, &r) != SCALAY_SUCCESS) continue;
        for (int64_t j = 0; j < r.cols; j++)
            for (int64_t i = 0; i < r.rows; i++) a[r.offset + i + j * r.ld] = calls_value(r.row + i, r.col + j);
    }
}

/** Counts elements of the target array that differ from those of calls_fill(). */
static inline int64_t calls_wrong(const calls_objects *x, int rank)
{
    int64_t wrong = 0;
    scalay_rectangle r;
    for (int64_t k = 0; k < scalay_layout_rectangle_count(x->target, rank); k++) {
        if (scalay_layout_rectangle(x->target, rank, k, &r) != SCALAY_SUCCESS) return 1;
        for (int64_t j = 0; j < r.cols; j++)
            for (int64_t i = 0; i < r.rows; i++)
                wrong += x->b[r.offset + i + j * r.ld] != calls_value(r.row + i, r.col + j);
    }
    return wrong;
}

static inline scalay_status calls_create_plan(scalay_comm *comm, calls_objects *x)
{
    scalay_plan_options options = scalay_plan_options_default();
    options.transport = x->kind == CALLS_PLAN_MPI ? "mpi" : x->kind == CALLS_PLAN_SHARED ? "shared" : "auto";
    options.consume = x->kind == CALLS_PLAN_CONSUME;
    return scalay_plan_create(comm, x->source, x->target, NULL, SCALAY_DOUBLE, &options, &x->plan);
}

/** Replaces the ordinary arrays by arrays of scalay_alloc(). Collective over comm. */
static inline scalay_status calls_share(scalay_comm *comm, calls_objects *x)
{
    void *a = NULL, *b = NULL;
    scalay_status status = scalay_alloc(comm, (x->counts[0] + 1) * (int64_t)sizeof(double), &a);
    if (status == SCALAY_SUCCESS) status = scalay_alloc(comm, (x->counts[1] + 1) * (int64_t)sizeof(double), &b);
    free(x->a);
    free(x->b);
    x->a = a;
    x->b = b;
    return status;
}

/** Creates the object. Collective over comm. */
static inline scalay_status calls_create(scalay_comm *comm, calls_objects *x)
{
    scalay_summa_options summa = scalay_summa_options_default();
    scalay_factor_options factor = scalay_factor_options_default();
    scalay_status status = SCALAY_SUCCESS;
    x->comm = comm;
    if (x->kind == CALLS_MAXIMUM) return SCALAY_SUCCESS;
    if (x->kind == CALLS_STENCIL) return scalay_stencil_create(comm, x->line, SCALAY_DOUBLE, NULL, &x->stencil);
    if (x->kind == CALLS_PLAN_ALLOC) status = calls_share(comm, x);
    if (status != SCALAY_SUCCESS) return status;
    if (x->kind <= CALLS_PLAN_CONSUME) return calls_create_plan(comm, x);
    if (x->kind <= CALLS_SUMMA_BROADCAST) {
        summa.panel = 16;
        if (x->kind == CALLS_SUMMA_BROADCAST) summa.transport = "broadcast";
        return scalay_summa_create(comm, SCALAY_DOUBLE, SCALAY_NO_TRANSPOSE, SCALAY_NO_TRANSPOSE, x->source, x->source,
                                   x->source, &summa, &x->summa);
    }
    factor.placement = SCALAY_PLACEMENT_MOVE;
    factor.uplo = SCALAY_LOWER;
    factor.nb = 16;
    const scalay_factor_kind kinds[] = {SCALAY_FACTOR_QR, SCALAY_FACTOR_LU, SCALAY_FACTOR_CHOLESKY};
    return scalay_factor_create(comm, kinds[x->kind - CALLS_FACTOR_QR], x->source, SCALAY_DOUBLE, &factor, &x->factor);
}

/** Executes the object once. Collective over comm. */
static inline scalay_status calls_execute(calls_objects *x)
{
    const double one = 1.0, zero = 0.0, coefficients[] = {.25, .5, .25};
    int info = 0;
    if (x->kind == CALLS_MAXIMUM) return scalay_wait_max(x->comm, x->a, x->c, 2);
    if (x->stencil != NULL) return scalay_stencil_execute(x->stencil, coefficients, 5, x->a);
    if (x->kind == CALLS_PLAN_CONSUME) return scalay_plan_execute_consume(x->plan, x->a, x->b);
    if (x->plan != NULL) return scalay_plan_execute(x->plan, x->a, x->b);
    if (x->summa != NULL) return scalay_summa_execute(x->summa, &one, x->a, x->a, &zero, x->c);
    return scalay_factor_execute(x->factor, x->a, &info);
}

/** Destroys the objects. Collective over comm. */
static inline void calls_destroy(calls_objects *x)
{
    scalay_plan_destroy(&x->plan);
    scalay_summa_destroy(&x->summa);
    scalay_factor_destroy(&x->factor);
    scalay_stencil_destroy(&x->stencil);
    scalay_layout_destroy(&x->line);
    scalay_layout_destroy(&x->source);
    scalay_layout_destroy(&x->target);
    if (x->kind == CALLS_PLAN_ALLOC) {
        void *a = x->a, *b = x->b;
        scalay_free(&a);
        scalay_free(&b);
    } else {
        free(x->a);
        free(x->b);
    }
    free(x->c);
}

#endif
