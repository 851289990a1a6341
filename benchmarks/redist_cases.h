#ifndef SCALAY_BENCHMARKS_REDIST_CASES_H
#define SCALAY_BENCHMARKS_REDIST_CASES_H

/** @file What bench_redist moves: the cases, and matrices as ScaLAPACK has them and as layouts. */

#include "base/memory.h"
#include "parallel/comm.h"
#include "scalay/redist.h"

/**
 * A grid for the ranks there are. SQUARE: as square as they allow, rather tall than wide; TALL: the same but for a
 * square; WIDE: TALL with rows and columns exchanged.
 */
typedef enum { SQUARE, TALL, WIDE, ROW, COLUMN } grid_shape;

/** One end of a case. */
typedef struct {
    grid_shape shape;
    int block; /* 0: the whole matrix is one block */
    scalay_order order;
    int first;  /* where the window starts */
    int source; /* 1: the grid position (1, 1) has the first block, as far as there is one */
    int tiles;  /* 1: a tile map, tiles of `block` with owners without order; shape, order, first and source are 0 */
} end_spec;

typedef struct {
    const char *name;
    end_spec from, to;
} case_spec;

/* ScaLAPACK and COSTA were first measured with the first CASES_CORE of these. */
static const case_spec redist_cases[] = {
    {"nb 32 -> 128", {SQUARE, 32, SCALAY_ROW_MAJOR, 0, 0, 0}, {SQUARE, 128, SCALAY_ROW_MAJOR, 0, 0, 0}},
    {"p x q -> q x p", {TALL, 64, SCALAY_ROW_MAJOR, 0, 0, 0}, {WIDE, 64, SCALAY_ROW_MAJOR, 0, 0, 0}},
    {"p x q -> 1 x P", {SQUARE, 64, SCALAY_ROW_MAJOR, 0, 0, 0}, {ROW, 64, SCALAY_ROW_MAJOR, 0, 0, 0}},
    {"submatrix", {SQUARE, 64, SCALAY_ROW_MAJOR, 37, 0, 0}, {SQUARE, 64, SCALAY_ROW_MAJOR, 5, 0, 0}},
    {"nb 4 -> 64", {SQUARE, 4, SCALAY_ROW_MAJOR, 0, 0, 0}, {SQUARE, 64, SCALAY_ROW_MAJOR, 0, 0, 0}},
    {"nb 1 -> 64", {SQUARE, 1, SCALAY_ROW_MAJOR, 0, 0, 0}, {SQUARE, 64, SCALAY_ROW_MAJOR, 0, 0, 0}},
    {"nb 64 -> 32", {SQUARE, 64, SCALAY_ROW_MAJOR, 0, 0, 0}, {SQUARE, 32, SCALAY_ROW_MAJOR, 0, 0, 0}},
    {"nb 8 -> 256", {SQUARE, 8, SCALAY_ROW_MAJOR, 0, 0, 0}, {SQUARE, 256, SCALAY_ROW_MAJOR, 0, 0, 0}},
    {"row -> column order", {SQUARE, 64, SCALAY_ROW_MAJOR, 0, 0, 0}, {SQUARE, 64, SCALAY_COLUMN_MAJOR, 0, 0, 0}},
    {"source shift (1,1)", {SQUARE, 64, SCALAY_ROW_MAJOR, 0, 0, 0}, {SQUARE, 64, SCALAY_ROW_MAJOR, 0, 1, 0}},
    {"P x 1 -> 1 x P", {COLUMN, 64, SCALAY_ROW_MAJOR, 0, 0, 0}, {ROW, 64, SCALAY_ROW_MAJOR, 0, 0, 0}},
    {"identical", {SQUARE, 64, SCALAY_ROW_MAJOR, 0, 0, 0}, {SQUARE, 64, SCALAY_ROW_MAJOR, 0, 0, 0}},
    {"1 x P -> P x 1", {ROW, 64, SCALAY_ROW_MAJOR, 0, 0, 0}, {COLUMN, 64, SCALAY_ROW_MAJOR, 0, 0, 0}},
    {"nb 64 -> 1", {SQUARE, 64, SCALAY_ROW_MAJOR, 0, 0, 0}, {SQUARE, 1, SCALAY_ROW_MAJOR, 0, 0, 0}},
    {"nb 64 -> 4", {SQUARE, 64, SCALAY_ROW_MAJOR, 0, 0, 0}, {SQUARE, 4, SCALAY_ROW_MAJOR, 0, 0, 0}},
    {"nb 2 -> 3", {SQUARE, 2, SCALAY_ROW_MAJOR, 0, 0, 0}, {SQUARE, 3, SCALAY_ROW_MAJOR, 0, 0, 0}},
    {"submatrix, 16 -> 24", {SQUARE, 16, SCALAY_ROW_MAJOR, 37, 0, 0}, {SQUARE, 24, SCALAY_ROW_MAJOR, 5, 0, 0}},
    {"1 x P -> p x q", {ROW, 64, SCALAY_ROW_MAJOR, 0, 0, 0}, {SQUARE, 64, SCALAY_ROW_MAJOR, 0, 0, 0}},
    {"nb 64 -> tiles", {SQUARE, 64, SCALAY_ROW_MAJOR, 0, 0, 0}, {SQUARE, 48, SCALAY_ROW_MAJOR, 0, 0, 1}},
    {"tiles -> nb 64", {SQUARE, 48, SCALAY_ROW_MAJOR, 0, 0, 1}, {SQUARE, 64, SCALAY_ROW_MAJOR, 0, 0, 0}},
    {"nb 48 -> tiles", {SQUARE, 48, SCALAY_ROW_MAJOR, 0, 0, 0}, {SQUARE, 48, SCALAY_ROW_MAJOR, 0, 0, 1}},
    {"tiles -> nb 48", {SQUARE, 48, SCALAY_ROW_MAJOR, 0, 0, 1}, {SQUARE, 48, SCALAY_ROW_MAJOR, 0, 0, 0}},
};

/* Of --large: local arrays and messages of more than 2^31 bytes. */
static const case_spec redist_large_cases[] = {
    {"one -> all", {ROW, 0, SCALAY_ROW_MAJOR, 0, 0, 0}, {SQUARE, 64, SCALAY_ROW_MAJOR, 0, 0, 0}},
    {"one -> another", {ROW, 0, SCALAY_ROW_MAJOR, 0, 0, 0}, {ROW, 0, SCALAY_ROW_MAJOR, 0, 1, 0}},
    {"nb 32 -> 128", {SQUARE, 32, SCALAY_ROW_MAJOR, 0, 0, 0}, {SQUARE, 128, SCALAY_ROW_MAJOR, 0, 0, 0}},
};

/* Of matrices of at most SMALL rows: what a call costs. */
static const case_spec redist_small_cases[] = {
    {"nb 8 -> 16", {SQUARE, 8, SCALAY_ROW_MAJOR, 0, 0, 0}, {SQUARE, 16, SCALAY_ROW_MAJOR, 0, 0, 0}},
    {"p x q -> q x p", {TALL, 8, SCALAY_ROW_MAJOR, 0, 0, 0}, {WIDE, 8, SCALAY_ROW_MAJOR, 0, 0, 0}},
    {"p x q -> 1 x P", {SQUARE, 8, SCALAY_ROW_MAJOR, 0, 0, 0}, {ROW, 8, SCALAY_ROW_MAJOR, 0, 0, 0}},
    {"row -> column order", {SQUARE, 8, SCALAY_ROW_MAJOR, 0, 0, 0}, {SQUARE, 8, SCALAY_COLUMN_MAJOR, 0, 0, 0}},
    {"identical", {SQUARE, 8, SCALAY_ROW_MAJOR, 0, 0, 0}, {SQUARE, 8, SCALAY_ROW_MAJOR, 0, 0, 0}},
};

enum {
    SMALL = 256,
    CASES_SMALL = sizeof redist_small_cases / sizeof *redist_small_cases,
    CASES = sizeof redist_cases / sizeof *redist_cases,
    CASES_CORE = 5,
    CASES_LARGE = sizeof redist_large_cases / sizeof *redist_large_cases
};

/** A matrix at one end. Element (i, j) of the window is i + j n. */
typedef struct {
    int ctxt, desc[9], first;
    scalay_layout *layout; /* of the window */
    int64_t elements;      /* of the local array */
    int64_t count;         /* of them in the window */
    double *plain;         /* in ordinary memory; NULL: not wanted */
    double *shared;        /* of scalay_alloc(); NULL: not wanted */
} redist_matrix;

/* The larger divisor of the most square grid that may be. */
static int most_rows(int size, int may_be_square)
{
    int p = 1;
    for (int k = 1; may_be_square ? k * k <= size : k * k < size; k++)
        if (size % k == 0) p = k;
    return size / p;
}

static int grid_rows(grid_shape shape, int size)
{
    switch (shape) {
    case SQUARE:
        return most_rows(size, 1);
    case TALL:
        return most_rows(size, 0);
    case WIDE:
        return size / most_rows(size, 0);
    case COLUMN:
        return size;
    default:
        return 1;
    }
}

/* Sets the elements of a subarray to what they should be, or counts those that are not. */
static int64_t subarray_visit(const scalay_comm *comm, const redist_matrix *x, int64_t k, double *array, int sets)
{
    scalay_subarray piece;
    int64_t *row = NULL, *col = NULL, wrong = 0;
    timing_must(scalay_layout_subarray(x->layout, comm->rank, k, &piece));
    timing_must(SCALAY_NEW(row, piece.rows));
    timing_must(SCALAY_NEW(col, piece.cols));
    timing_must(scalay_layout_subarray_indices(x->layout, comm->rank, k, row, col));
    const int64_t n = scalay_layout_rows(x->layout);
    for (int64_t c = 0; c < piece.cols; c++)
        for (int64_t r = 0; r < piece.rows; r++) {
            double *element = &array[piece.offset + r + c * piece.ld];
            const double right = (double)(row[r] + col[c] * n);
            if (sets) *element = right;
            wrong += *element < right || *element > right;
        }
    scalay_release(row);
    scalay_release(col);
    return wrong;
}

/* The same for the window. */
static int64_t window_visit(const scalay_comm *comm, const redist_matrix *x, double *array, int sets)
{
    int64_t wrong = 0;
    const int64_t count = scalay_layout_subarray_count(x->layout, comm->rank);
    for (int64_t k = 0; k < count; k++) wrong += subarray_visit(comm, x, k, array, sets);
    return wrong;
}

/* What no element is. */
static void wipe(const redist_matrix *x, double *array)
{
    for (int64_t k = 0; k < x->elements; k++) array[k] = -1.0;
}

/* A tile map whose owners have no order. */
static redist_matrix tile_matrix_create(const scalay_comm *comm, int n, int tile)
{
    redist_matrix x = {.ctxt = -1};
    const int64_t tiles = (n + tile - 1) / tile;
    int *owner = NULL;
    uint32_t state = 1;
    timing_must(SCALAY_NEW(owner, tiles * tiles));
    for (int64_t k = 0; k < tiles * tiles; k++) {
        state = state * 1664525u + 1013904223u;
        owner[k] = (int)((state >> 16) % (uint32_t)comm->size);
    }
    timing_must(scalay_layout_tiles(n, n, tile, tile, comm->size, owner, &x.layout));
    scalay_release(owner);
    x.elements = scalay_layout_local_size(x.layout, comm->rank);
    x.count = scalay_layout_elements(x.layout, comm->rank);
    return x;
}

/** The matrix that an end of a case means, with its BLACS context if it is block-cyclic; without arrays. */
static redist_matrix redist_matrix_create(scalay_comm *comm, int n, const end_spec *spec)
{
    if (spec->tiles) return tile_matrix_create(comm, n, spec->block);
    redist_matrix x = {.ctxt = -1, .first = spec->first};
    scalay_layout *whole = NULL;
    const int p = grid_rows(spec->shape, comm->size), q = comm->size / p, extent = n + spec->first;
    const int block = spec->block > 0 ? spec->block : extent;
    timing_must(scalay_layout_block_cyclic(extent, extent, block, block, p, q, spec->source % p, spec->source % q,
                                           spec->order, &whole));
    timing_must(scalay_grid_create(comm, whole, NULL, &x.ctxt, x.desc));
    timing_must(scalay_layout_submatrix(whole, spec->first, spec->first, n, n, &x.layout));
    x.elements = scalay_layout_local_size(whole, comm->rank);
    x.count = scalay_layout_elements(x.layout, comm->rank);
    scalay_layout_destroy(&whole);
    return x;
}

/** Makes the arrays that are wanted. Collective. */
static void redist_matrix_allocate(scalay_comm *comm, redist_matrix *x, int plain, int shared)
{
    void *array = NULL;
    if (plain) timing_must(SCALAY_NEW(x->plain, x->elements));
    if (shared) timing_must(scalay_alloc(comm, x->elements * (int64_t)sizeof(double), &array));
    x->shared = array;
    if (plain) wipe(x, x->plain);
    if (shared) wipe(x, x->shared);
}

/** Collective. */
static void redist_matrix_free(scalay_comm *comm, redist_matrix *x)
{
    void *shared = x->shared;
    scalay_free(&shared);
    scalay_release(x->plain);
    if (x->ctxt != -1) (void)scalay_grid_release(comm, &x->ctxt);
    scalay_layout_destroy(&x->layout);
}

#endif
