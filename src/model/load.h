#ifndef SCALAY_MODEL_LOAD_H
#define SCALAY_MODEL_LOAD_H

/** @file Loads of the processes of a block-cyclic grid, and the time that a step takes all of them together. */

#include "scalay/model.h"

/** Rates of the messages along the rows or the columns of a grid, in seconds. */
typedef struct {
    double message; /* of a level of a broadcast */
    double byte;
    double byte_in_turn;    /* if all processes of the line broadcast in turn, and links are busy in both directions */
    double byte_ring;       /* of a broadcast around the ring of the processes, until the next one has it */
    double byte_split_ring; /* of a broadcast that the source starts in both directions of a ring, until all have it */
    int nodes;              /* the largest number of nodes of a line; 0: not known */
} scalay_link;

/** A grid whose processes may have different speeds. */
typedef struct {
    int nprow, npcol;
    int mb, nb;          /* extents of a block */
    const double *speed; /* shape [nprow * npcol], row-major: relative to the rates of the machine; NULL: all 1 */
    int is_spread;       /* 1: the columns of local arrays do not compete for sets of the caches; 0: as in ScaLAPACK */
    int has_links;       /* 1: row and col are set (nodes.h); 0: all messages are at the rates of the machine */
    scalay_link row;     /* along grid rows */
    scalay_link col;     /* along grid columns */
} scalay_load_grid;

/** Returns the maximum number of indices of an extent on one of `processes`, for any first process. */
int64_t scalay_load_maximum(int64_t extent, int nb, int processes);

/**
 * Returns the elements that determine the time of a step in which every process works on its part of rows x cols
 * elements: scalay_machine_spread() of elements over speeds. If each process has its own core and the speeds are equal,
 * that is the maximum over the processes.
 * @param[in] top, left  block of the first row and column; it is on grid row top mod nprow
 */
double scalay_load_elements(const scalay_machine *machine, const scalay_load_grid *grid, int64_t rows, int64_t cols,
                            int64_t top, int64_t left);

/** As scalay_load_elements(), for a step in which only the processes of grid column left mod npcol work, on rows. */
double scalay_load_rows(const scalay_machine *machine, const scalay_load_grid *grid, int64_t rows, int64_t top,
                        int64_t left);

/** Returns the rates of messages along grid rows, or along grid columns. */
scalay_link scalay_load_row_link(const scalay_machine *machine, const scalay_load_grid *grid);
scalay_link scalay_load_col_link(const scalay_machine *machine, const scalay_load_grid *grid);

/** Returns the sum of the speeds of all processes. */
double scalay_load_speeds(const scalay_load_grid *grid);

/** Checks that extents and speeds are above 0, in the name of `function`: SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT. */
scalay_status scalay_load_check(const scalay_load_grid *grid, const char *function);

#endif
