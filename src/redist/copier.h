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
    SCALAY_AT_NEAR,  /* at local_a of the runs */
    SCALAY_AT_FAR,   /* at local_b of the runs */
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
 * Moves consecutive columns.
 * @param[in] runs     shape [run_count]: the rows
 * @param[in] columns  how many, at least 0: at 0, 1, ... times the column stride
 * @param[in] from,to  its ends; they do not overlap
 */
void scalay_copier_move(const scalay_copier *copier, const scalay_common_run *runs, int64_t run_count, int64_t columns,
                        scalay_end from, scalay_end to);

/** Row runs x column runs. A column at place c is at c * col_stride, places as those of the rows. */
typedef struct {
    const scalay_common_run *rows; /* shape [row_runs] */
    const scalay_common_run *cols; /* shape [col_runs] */
    int64_t row_runs;
    int64_t col_runs;
    scalay_end from; /* they do not overlap */
    scalay_end to;
} scalay_patch;

/** Moves many column runs at once: better than one by one, above all when they are short. */
void scalay_copier_move_patch(const scalay_copier *copier, const scalay_patch *patch);

/** The threads that OpenMP would take, at least 1; 1 without OpenMP. */
int scalay_copier_threads(void);

/**
 * Moves the share of a patch that one of several threads has: some of the columns, or of the rows when there are few
 * columns. The shares do not overlap and are all of it.
 * @param[in] part  0 .. parts - 1
 */
void scalay_copier_move_share(const scalay_copier *copier, const scalay_patch *patch, int part, int parts);

#endif
