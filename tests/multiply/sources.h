#ifndef SCALAY_TESTS_KERNELS_SOURCES_H
#define SCALAY_TESTS_KERNELS_SOURCES_H

/** @file Places where a matrix may be: every kind of layout, on all ranks, on some, on one. */

#include <stdlib.h>

#include "base/random.h"
#include "layout/layout.h"
#include "parallel/blacs.h"
#include "scalay/context.h"
#include "scalay/layout.h"
#include "support/check.h"

enum { SOURCES = 9 };

/* A matrix's place; the size is that of the local array, in elements. */
typedef struct {
    const char *name;
    scalay_layout *layout;
    int64_t size;
    int ctxt; /* -1: none */
} source;

static inline void source_destroy(scalay_comm *comm, source *s)
{
    scalay_layout_destroy(&s->layout);
    (void)scalay_grid_release(comm, &s->ctxt);
}

/* The squarest grid of p processes. */
static inline int source_rows(int p)
{
    int rows = 1;
    for (int r = 1; r * r <= p; r++)
        if (p % r == 0) rows = r;
    return rows;
}

static inline scalay_status source_tiles(int64_t m, int64_t n, int parts, uint64_t seed, scalay_layout **layout)
{
    scalay_random random = scalay_random_seed(seed);
    const int64_t tiles = (m / 5 + 1) * (n / 3 + 1);
    int *owner = malloc((size_t)tiles * sizeof *owner);
    for (int64_t k = 0; k < tiles; k++) owner[k] = (int)scalay_random_below(&random, parts);
    scalay_status status = scalay_layout_tiles(m, n, 5, 3, parts, owner, layout);
    free(owner);
    return status;
}

static inline scalay_status source_submatrix(int64_t m, int64_t n, scalay_layout *whole, scalay_layout **layout)
{
    scalay_status status = scalay_layout_submatrix(whole, 3, 2, m, n, layout);
    scalay_layout_destroy(&whole);
    return status;
}

/* A gridmap of all ranks but one (if there is more than one), last ranks first, with room below the local columns. */
static inline scalay_status source_from_desc(scalay_comm *comm, int m, int n, source *s)
{
    int used = scalay_comm_size(comm) > 1 ? scalay_comm_size(comm) - 1 : 1;
    int nprow = source_rows(used), npcol = used / nprow, row = -1, col = -1, rows = 0, cols = 0;
    int *ranks = malloc((size_t)used * sizeof *ranks);
    for (int k = 0; k < used; k++) ranks[k] = scalay_comm_size(comm) - 1 - k;
    scalay_status status = scalay_grid_acquire(comm, nprow, npcol, ranks, &s->ctxt);
    free(ranks);
    if (status != SCALAY_SUCCESS) return status;
    if (s->ctxt >= 0) Cblacs_gridinfo(s->ctxt, &rows, &cols, &row, &col);
    /* More than anybody's local rows; each rank has its own. */
    int lld = m + 2 + scalay_comm_rank(comm);
    int desc[DLEN_] = {1, s->ctxt, m, n, 4, 6, nprow - 1, npcol / 2, lld};
    status = scalay_layout_from_desc(comm, s->ctxt >= 0 ? desc : NULL, &s->layout);
    s->size = s->ctxt >= 0 ? (int64_t)lld * n : 0;
    return status;
}

static inline scalay_status source_build(scalay_comm *comm, int kind, int m, int n, uint64_t seed, source *s)
{
    const int processes = scalay_comm_size(comm), p = source_rows(processes), q = processes / p;
    scalay_layout *whole = NULL;
    scalay_status status = SCALAY_SUCCESS;
    *s = (source){.name = "block-cyclic", .ctxt = -1};
    switch (kind) {
    case 0:
        return scalay_layout_block_cyclic(m, n, 7, 4, p, q, p - 1, 0, SCALAY_ROW_MAJOR, &s->layout);
    case 1:
        s->name = "column order, blocks of 1";
        return scalay_layout_block_cyclic(m, n, 1, 1, q, p, 0, p - 1, SCALAY_COLUMN_MAJOR, &s->layout);
    case 2:
        s->name = "tiles";
        return source_tiles(m, n, processes, seed, &s->layout);
    case 3:
        s->name = "skewed";
        return scalay_layout_skewed(m, n, 4, 4, p, q, seed, &s->layout);
    case 4:
        s->name = "chunks";
        return scalay_layout_chunks(m, n, 3, 3, processes, seed, &s->layout);
    case 5:
        s->name = "submatrix of a grid";
        status = scalay_layout_block_cyclic(m + 8, n + 5, 3, 5, p, q, 0, q - 1, SCALAY_ROW_MAJOR, &whole);
        return status == SCALAY_SUCCESS ? source_submatrix(m, n, whole, &s->layout) : status;
    case 6:
        s->name = "submatrix of tiles";
        status = source_tiles(m + 6, n + 4, processes, seed, &whole);
        return status == SCALAY_SUCCESS ? source_submatrix(m, n, whole, &s->layout) : status;
    case 7:
        s->name = "descriptor";
        return source_from_desc(comm, m, n, s);
    default:
        s->name = "the last rank";
        status = scalay_layout_block_cyclic(m, n, 64, 64, 1, 1, 0, 0, SCALAY_ROW_MAJOR, &whole);
        if (status != SCALAY_SUCCESS) return status;
        status = scalay_layout_relabel(whole, processes, &(int){processes - 1}, &s->layout);
        scalay_layout_destroy(&whole);
        return status;
    }
}

static inline scalay_status source_create(scalay_comm *comm, int kind, int m, int n, uint64_t seed, source *s)
{
    scalay_status status = source_build(comm, kind, m, n, seed, s);
    if (s->size == 0) s->size = scalay_layout_local_size(s->layout, scalay_comm_rank(comm));
    return status;
}

#endif
