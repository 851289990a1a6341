#ifndef SCALAY_REDIST_COPIER_H
#define SCALAY_REDIST_COPIER_H

/**
 * @file
 * Moving patches: row runs x consecutive columns, from one place in memory to another. Packing, unpacking and copying
 * are all this, and so are transposing, conjugating and scaling on the way.
 */

#include "layout/axis.h"
#include "scalay/types.h"

/** Where the rows of a patch are, in units of its row stride. */
typedef enum {
    SCALAY_AT_NEAR,  /* at place_a of the runs */
    SCALAY_AT_FAR,   /* at place_b of the runs */
    SCALAY_AT_PACKED /* one after the other */
} scalay_places;

/** One end of a patch. Column k of the patch, row at place r: base + (r * row_stride + k * col_stride) elements. */
typedef struct {
    char *base; /* aligned as the type demands; only read where it is moved from */
    int64_t row_stride;
    int64_t col_stride;
    scalay_places places;
} scalay_end;

/** What happens to an element x that goes where y is: y := alpha x + beta y, x conjugated before. */
typedef struct {
    scalay_type type;
    size_t size;
    int conjugate;   /* complex types only */
    int scaled;      /* 0: alpha is 1 and beta is 0: y := x, and y is not read */
    int adds;        /* beta is not 0; 0: y is not read */
    double alpha[2]; /* of the four arithmetic types, widened */
    double beta[2];
    int threads;          /* at least 1: OpenMP threads that large patches are shared among */
    int64_t target_bytes; /* of the whole array that is written; what is larger than the caches goes past them.
                             0: not known, or soon looked at */
} scalay_copier;

/** Elements of a type, as they are. */
scalay_copier scalay_copier_for(scalay_type type);

/** Reads an element as a copier's scalar. `scalar` NULL: `otherwise`. Integers and raw elements: only NULL. */
void scalay_copier_scalar(scalay_type type, const void *scalar, double otherwise, double value[2]);

/**
 * Moves a patch.
 * @param[in] runs     shape [run_count]: its rows
 * @param[in] columns  consecutive ones, at least 0
 * @param[in] from,to  its ends; they do not overlap
 */
void scalay_copier_move(const scalay_copier *copier, const scalay_run *runs, int64_t run_count, int64_t columns,
                        scalay_end from, scalay_end to);

/** A patch: the arguments of scalay_copier_move(). */
typedef struct {
    const scalay_run *runs;
    int64_t run_count;
    int64_t columns;
    scalay_end from;
    scalay_end to;
} scalay_patch;

/**
 * The share of a patch that one of several threads moves: columns, or rows when there are few columns. The shares do
 * not overlap and are all of it.
 * @param[in]  patch  what is shared
 * @param[in]  size   of an element
 * @param[in]  part   0 .. parts - 1
 * @param[out] only   a run that the share may refer to
 */
scalay_patch scalay_patch_share(const scalay_patch *patch, size_t size, int part, int parts, scalay_run *only);

#endif
