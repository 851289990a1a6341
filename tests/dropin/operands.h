#ifndef SCALAY_TESTS_DROPIN_OPERANDS_H
#define SCALAY_TESTS_DROPIN_OPERANDS_H

/** @file Distributed matrices of four types with guard zones, for calls of compute routines. */

#include <math.h>

#include "calls.h"

enum { TYPES = 4, GUARD = 16 };

static const char letters[] = "sdcz";

/* A distributed matrix with guard zones. */
typedef struct {
    int m, n, i, j; /* the submatrix */
    int desc[DLEN_];
    size_t elements; /* of the local array */
    unsigned char *data;
} operand;

static inline size_t size_of(int type)
{
    return (type % 2 == 0 ? sizeof(float) : sizeof(double)) * (type < 2 ? 1 : 2);
}

static inline int reals_of(int type)
{
    return type < 2 ? 1 : 2;
}

static inline double get(int type, const void *data, size_t k)
{
    return type % 2 == 0 ? ((const float *)data)[k] : ((const double *)data)[k];
}

static inline void set(int type, void *data, size_t k, double value)
{
    if (type % 2 == 0)
        ((float *)data)[k] = (float)value;
    else
        ((double *)data)[k] = value;
}

/* Kinds of matrices. */
enum { ANY = 0, DEFINITE = 1, SYMMETRIC = 2 };

/* Value of entry (i, j), part 0 or 1 of a complex number; of a kind above. */
static inline double value_of(int i, int j, int part, int definite)
{
    const int low = definite && i > j ? j : i, high = definite && i > j ? i : j;
    if (definite && part == 1) return 0.0;
    if (definite == DEFINITE && i == j) return 200.0;
    const unsigned hash = ((unsigned)low * 2654435761u) ^ ((unsigned)high * 40503u * 65537u) ^ (unsigned)part * 977u;
    return (double)((hash * 2246822519u) >> 8) / (1 << 24) - 0.5;
}

static inline void fill(operand *o, const grid *g, int type, int definite)
{
    const int *d = o->desc;
    for (size_t k = 0; k < (o->elements + GUARD) * (size_t)reals_of(type); k++) set(type, o->data, k, 7.0);
    for (int j = 0; j < d[N_]; j++)
        for (int i = 0; i < d[M_]; i++) {
            const int bi = i / d[MB_], bj = j / d[NB_];
            if ((bi + d[RSRC_]) % g->p != g->row || (bj + d[CSRC_]) % g->q != g->col) continue;
            const size_t place =
                (size_t)(bi / g->p * d[MB_] + i % d[MB_]) + (size_t)(bj / g->q * d[NB_] + j % d[NB_]) * (size_t)d[LLD_];
            for (int part = 0; part < reals_of(type); part++)
                set(type, o->data, place * (size_t)reals_of(type) + (size_t)part,
                    value_of(i - o->i, j - o->j, part, definite));
        }
}

/* Creates the local array of an operand whose whole extents and submatrix are known. */
static inline void create(operand *o, const grid *g, int type, int mb, const int *sources, int slack, int definite)
{
    if (g->row < 0) return;
    const int rows = local_extent(o->desc[M_], mb, g->row, sources[0], g->p);
    const int cols = local_extent(o->desc[N_], mb, g->col, sources[1], g->q);
    const int desc[DLEN_] = {
        1, g->ctxt, o->desc[M_], o->desc[N_], mb, mb, sources[0], sources[1], (rows > 0 ? rows : 1) + slack};
    memcpy(o->desc, desc, sizeof desc);
    o->elements = (size_t)desc[LLD_] * (size_t)cols;
    o->data = malloc((o->elements + GUARD) * size_of(type));
    fill(o, g, type, definite);
}

/* A random submatrix of m x n; aligned as the factorisations of ScaLAPACK demand: square blocks, whole blocks before.
 */
static inline operand random_operand(scalay_random *random, const grid *g, int type, int m, int n, int mb, int definite)
{
    operand o = {.m = m, .n = n};
    o.i = 1 + mb * (int)scalay_random_below(random, 3);
    o.j = 1 + mb * (int)scalay_random_below(random, 3);
    o.desc[M_] = o.i - 1 + m + (int)scalay_random_below(random, 9);
    o.desc[N_] = o.j - 1 + n + (int)scalay_random_below(random, 9);
    const int sources[2] = {(int)scalay_random_below(random, g->p), (int)scalay_random_below(random, g->q)};
    create(&o, g, type, mb, sources, (int)scalay_random_below(random, 3), definite);
    return o;
}

/** A matrix of m x n in blocks of mb at (i, j) = (1 + skip mb, 1 + skip mb), whose first block is on the given process.
 *  `slack` rows of the local array are not used. */
static inline operand spaced_operand(const grid *g, int type, int m, int n, int mb, int skip, int slack,
                                     const int *sources, int definite)
{
    operand o = {.m = m, .n = n, .i = 1 + skip * mb, .j = 1 + skip * mb};
    o.desc[M_] = o.i - 1 + m + skip;
    o.desc[N_] = o.j - 1 + n + skip;
    create(&o, g, type, mb, sources, slack, definite);
    return o;
}

/** A matrix as above, with `skip` rows that are not used. */
static inline operand placed_operand(const grid *g, int type, int m, int n, int mb, int skip, const int *sources,
                                     int definite)
{
    return spaced_operand(g, type, m, n, mb, skip, skip, sources, definite);
}

/** Compares the pivots of the first `count` rows of the submatrix. Elsewhere, ScaLAPACK uses the array as workspace. */
static inline int has_same_pivots(const grid *g, const operand *a, int count, const int *x, const int *y)
{
    const int mb = a->desc[MB_];
    for (int row = a->i - 1; row < a->i - 1 + count; row++) {
        const int block = row / mb, place = block / g->p * mb + row % mb;
        if ((block + a->desc[RSRC_]) % g->p == g->row && x[place] != y[place]) return 0;
    }
    return 1;
}

static inline operand operand_copy(const operand *o, int type)
{
    operand copy = *o;
    copy.data = malloc((o->elements + GUARD) * size_of(type));
    memcpy(copy.data, o->data, (o->elements + GUARD) * size_of(type));
    return copy;
}

static inline int is_close(int type, const void *x, const void *y, size_t reals, double scale)
{
    const double tolerance = scale * (type % 2 == 0 ? 2e-4 : 2e-12);
    for (size_t k = 0; k < reals; k++)
        if (!(fabs(get(type, x, k) - get(type, y, k)) <= tolerance)) return 0;
    return 1;
}

static inline int is_same_operand(int type, const operand *x, const operand *y, double scale)
{
    return is_close(type, x->data, y->data, (x->elements + GUARD) * (size_t)reals_of(type), scale);
}

#endif
