#ifndef SCALAY_REDIST_COPIER_H
#define SCALAY_REDIST_COPIER_H

/**
 * @file
 * Block copies in memory: row runs x column runs from one array to another. Packing, unpacking and direct copies are
 * block copies. A block copy can also transpose, conjugate, scale and add: y := alpha x + beta y.
 */

#include "redist/row_series.h"
#include "scalay/types.h"

/** One end of a block copy. Element (r, c) is at base + (r * row_stride + c * col_stride) elements. */
typedef struct {
    char *base; /* aligned for the type; only read if it is the source */
    int64_t row_stride;
    int64_t col_stride;
    scalay_run_position position;
} scalay_end;

/** Operation on each element: y := alpha x + beta y, with x conjugated first if required. */
typedef struct {
    scalay_type type;
    size_t size;     /* bytes per element */
    int conjugate;   /* complex types only */
    int scaled;      /* 0: alpha is 1 and beta is 0; y := x, and y is not read */
    int adds;        /* 1: beta is not 0; 0: y is not read */
    double alpha[2]; /* real and imaginary part */
    double beta[2];
    int threads;          /* OpenMP threads that share a large block copy, at least 1 */
    int64_t target_bytes; /* size of the array that is written; arrays larger than the caches are written with
                             non-temporal stores. 0: unknown, or read again soon */
} scalay_copier;

/** Row runs x column runs. */
typedef struct {
    const scalay_common_run *rows; /* shape [row_runs] */
    const scalay_common_run *cols; /* shape [col_runs] */
    int64_t row_runs;
    int64_t col_runs;
    scalay_end from; /* the ends do not overlap in memory */
    scalay_end to;
    const scalay_row_series *series; /* shape [series_count]: of all rows, from SCALAY_AT_OWN to the other end */
    int series_count;                /* 0: the series are collected */
} scalay_block_copy;

/** Returns a copier that does not change the elements. */
scalay_copier scalay_copier_for(scalay_type type);

/** Reads one element as a scalar. NULL: `default_value`. Integers and raw elements allow only NULL. */
void scalay_copier_scalar(scalay_type type, const void *scalar, double default_value, double value[2]);

/** Copies one block. */
void scalay_copier_copy_block(const scalay_copier *copier, const scalay_block_copy *block);

/**
 * Copies consecutive columns 0, 1, ...
 * @param[in] runs     shape [run_count]: the rows
 * @param[in] columns  number of columns, at least 0
 * @param[in] from,to  ends; they do not overlap in memory
 */
void scalay_copier_copy_columns(const scalay_copier *copier, const scalay_common_run *runs, int64_t run_count,
                                int64_t columns, scalay_end from, scalay_end to);

/** Returns 1 if scalay_copier_copy_series() copies `rows` rows of each run as fast as scalay_copier_copy_columns(): the
 * elements stay as they are, and runs are too short for non-temporal stores. */
int scalay_copier_copies_series(const scalay_copier *copier, int64_t rows);

/**
 * Copies series of rows of one column. Row strides are 1.
 * @param[in] is_reversed  1: the copy goes to the end where the series begin
 * @param[in] ahead        distance to the next column at `from` in bytes, whose lines are fetched; 0: none are
 */
void scalay_copier_copy_series(const scalay_copier *copier, const scalay_row_series *found, int count, int is_reversed,
                               int64_t ahead, const char *from, char *to);

/** Returns the number of threads that OpenMP would use, at least 1; 1 without OpenMP. */
int scalay_copier_threads(void);

/**
 * Copies the part of a block that belongs to one of several threads: some columns, or some rows if there are fewer
 * columns than threads. The parts are disjoint and cover the block.
 * @param[in] part  0 .. parts - 1
 */
void scalay_copier_copy_part(const scalay_copier *copier, const scalay_block_copy *block, int part, int parts);

#endif
