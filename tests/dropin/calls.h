#ifndef SCALAY_TESTS_DROPIN_CALLS_H
#define SCALAY_TESTS_DROPIN_CALLS_H

/**
 * @file
 * The routines that the library replaces, and those of ScaLAPACK itself beside them. The latter are taken from
 * ScaLAPACK's shared library by name; their C functions, since the Fortran ones call the C ones by name, which would be
 * ours.
 */

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "parallel/blacs.h"
#include "scalay/scalapack.h"
#include "scalay/types.h"

void Cblacs_get(int ctxt, int what, int *value);

typedef void copy_c(int, int, const void *, int, int, const int *, void *, int, int, const int *, int);
typedef void copy_fortran(const int *, const int *, const void *, const int *, const int *, const int *, void *,
                          const int *, const int *, const int *, const int *);
typedef void trapezoid_c(const char *, const char *, int, int, const void *, int, int, const int *, void *, int, int,
                         const int *, int);
typedef void trapezoid_fortran(const char *, const char *, const int *, const int *, const void *, const int *,
                               const int *, const int *, void *, const int *, const int *, const int *, const int *);
typedef void transpose_fortran(const int *, const int *, const void *, const void *, const int *, const int *,
                               const int *, const void *, void *, const int *, const int *, const int *);
typedef void any_function(void);

typedef struct {
    scalay_type type;
    const char *copy_name;
    any_function *copy, *copy_f;
    const char *trapezoid_name;
    any_function *trapezoid, *trapezoid_f;
} copy_routines;

typedef struct {
    scalay_type type;
    const char *name;
    any_function *transpose;
} transpose_routines;

enum { COPIES = 5, TRANSPOSES = 6 };

static const copy_routines copies[COPIES] = {
    {SCALAY_FLOAT, "Cpsgemr2d", (any_function *)Cpsgemr2d, (any_function *)psgemr2d_, "Cpstrmr2d",
     (any_function *)Cpstrmr2d, (any_function *)pstrmr2d_},
    {SCALAY_DOUBLE, "Cpdgemr2d", (any_function *)Cpdgemr2d, (any_function *)pdgemr2d_, "Cpdtrmr2d",
     (any_function *)Cpdtrmr2d, (any_function *)pdtrmr2d_},
    {SCALAY_COMPLEX_FLOAT, "Cpcgemr2d", (any_function *)Cpcgemr2d, (any_function *)pcgemr2d_, "Cpctrmr2d",
     (any_function *)Cpctrmr2d, (any_function *)pctrmr2d_},
    {SCALAY_COMPLEX_DOUBLE, "Cpzgemr2d", (any_function *)Cpzgemr2d, (any_function *)pzgemr2d_, "Cpztrmr2d",
     (any_function *)Cpztrmr2d, (any_function *)pztrmr2d_},
    {SCALAY_INT, "Cpigemr2d", (any_function *)Cpigemr2d, (any_function *)pigemr2d_, "Cpitrmr2d",
     (any_function *)Cpitrmr2d, (any_function *)pitrmr2d_}};

static const transpose_routines transposes[TRANSPOSES] = {
    {SCALAY_FLOAT, "pstran_", (any_function *)pstran_},
    {SCALAY_DOUBLE, "pdtran_", (any_function *)pdtran_},
    {SCALAY_COMPLEX_FLOAT, "pctranu_", (any_function *)pctranu_},
    {SCALAY_COMPLEX_DOUBLE, "pztranu_", (any_function *)pztranu_},
    {SCALAY_COMPLEX_FLOAT, "pctranc_", (any_function *)pctranc_},
    {SCALAY_COMPLEX_DOUBLE, "pztranc_", (any_function *)pztranc_}};

/** A function of ScaLAPACK's shared library, which is loaded already; NULL when it is none. */
static inline any_function *stock_function(const char *name)
{
    any_function *found = NULL;
    void *library = dlopen(SCALAPACK_FILE, RTLD_LAZY | RTLD_NOLOAD);
    void *symbol = library != NULL ? dlsym(library, name) : NULL;
    memcpy(&found, &symbol, sizeof found);
    return found;
}

/** A BLACS grid of some processes; position -1 outside. */
typedef struct {
    int ctxt, p, q, row, col;
} grid;

/** The grid of p x q whose processes are ranks[0 .. p q - 1] of MPI_COMM_WORLD, column by column. */
static inline grid make_grid(int p, int q, int *ranks)
{
    grid made = {.p = p, .q = q};
    int nprow, npcol;
    Cblacs_get(0, 0, &made.ctxt);
    Cblacs_gridmap(&made.ctxt, ranks, p, p, q);
    Cblacs_gridinfo(made.ctxt, &nprow, &npcol, &made.row, &made.col);
    return made;
}

/** A random grid on some of the ranks ranks[0 .. count - 1], in any order. */
static inline grid random_grid(scalay_random *random, int count, const int *ranks)
{
    int *shuffled = malloc((size_t)count * sizeof *shuffled);
    memcpy(shuffled, ranks, (size_t)count * sizeof *shuffled);
    for (int k = count - 1; k > 0; k--) {
        const int other = (int)scalay_random_below(random, k + 1), kept = shuffled[k];
        shuffled[k] = shuffled[other];
        shuffled[other] = kept;
    }
    const int p = 1 + (int)scalay_random_below(random, count), q = 1 + (int)scalay_random_below(random, count / p);
    const grid made = make_grid(p, q, shuffled);
    free(shuffled);
    return made;
}

static inline void free_grid(grid *g)
{
    if (g->ctxt >= 0) Cblacs_gridexit(g->ctxt);
    g->ctxt = -1;
}

/** A distributed matrix with random small numbers in it, or what the caller wants. */
typedef struct {
    int desc[DLEN_];
    int i, j; /* of the submatrix, 1-based */
    unsigned char *data;
    size_t bytes;
} matrix;

/** NUMROC. */
static inline int local_extent(int extent, int block, int mine, int source, int processes)
{
    int held = 0;
    for (int first = 0, owner = source; first < extent; first += block, owner = (owner + 1) % processes)
        if (owner == mine) held += extent - first < block ? extent - first : block;
    return held;
}

/** A matrix on a grid, whole extents M x N, with room for whole submatrices of m x n at a random place. Every rank
 * draws the same numbers; the content is drawn from `content`, which need not be the same. */
static inline matrix make_matrix(scalay_random *random, const grid *g, int m, int n, scalay_type type)
{
    matrix made = {.data = NULL};
    const int whole_m = m + (int)scalay_random_below(random, 20), whole_n = n + (int)scalay_random_below(random, 20);
    const int mb = 1 + (int)scalay_random_below(random, scalay_random_below(random, 2) ? 6 : 40);
    const int nb = 1 + (int)scalay_random_below(random, scalay_random_below(random, 2) ? 6 : 40);
    const int rsrc = (int)scalay_random_below(random, g->p), csrc = (int)scalay_random_below(random, g->q);
    const int extra = (int)scalay_random_below(random, 4);
    made.i = 1 + (int)scalay_random_below(random, whole_m - m + 1);
    made.j = 1 + (int)scalay_random_below(random, whole_n - n + 1);
    if (g->ctxt < 0) {
        memset(made.desc, 0x55, sizeof made.desc); /* nothing but the context is looked at */
        made.desc[CTXT_] = -1;
        return made;
    }
    const int rows = local_extent(whole_m, mb, g->row, rsrc, g->p),
              cols = local_extent(whole_n, nb, g->col, csrc, g->q);
    const int lld = rows + extra > 0 ? rows + extra : 1;
    const int desc[DLEN_] = {1, g->ctxt, whole_m, whole_n, mb, nb, rsrc, csrc, lld};
    memcpy(made.desc, desc, sizeof desc);
    made.bytes = (size_t)lld * (size_t)cols * scalay_type_size(type);
    made.data = malloc(made.bytes + 1);
    return made;
}

/** Fills with whole numbers from -9 to 9, so that sums and products are exact. */
static inline void fill_matrix(scalay_random *content, matrix *x, scalay_type type)
{
    const int doubles = type == SCALAY_DOUBLE || type == SCALAY_COMPLEX_DOUBLE;
    for (size_t k = 0; k < x->bytes / (doubles ? sizeof(double) : sizeof(float)); k++) {
        const int value = (int)scalay_random_below(content, 19) - 9;
        if (doubles)
            ((double *)(void *)x->data)[k] = value;
        else if (type == SCALAY_INT)
            ((int *)(void *)x->data)[k] = value;
        else
            ((float *)(void *)x->data)[k] = (float)value;
    }
}

/** A second array with the same content. */
static inline unsigned char *copy_of(const matrix *x)
{
    unsigned char *copy = malloc(x->bytes + 1);
    if (x->bytes > 0) memcpy(copy, x->data, x->bytes);
    return copy;
}

#endif
