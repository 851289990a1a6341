#ifndef SCALAY_MODEL_SEATS_H
#define SCALAY_MODEL_SEATS_H

/** @file Which processes a grid should be on, so that no core has more of them than it must. */

#include "scalay/status.h"

/** The seats on every core, the first one free for all, and those that a grid of some size takes. */
typedef struct {
    int processes;
    int are_shared;        /* 1: a core has more than one of them */
    int *seat;             /* shape [processes]: how many processes before this one are on its core */
    unsigned char *barred; /* shape [processes]: not for the grid of scalay_seats_take() */
    int *open;             /* shape [processes]: the others, ascending */
} scalay_seats;

/**
 * Seats the processes.
 * @param[in]  core       shape [processes]: those with the same number, 0 to processes - 1, share a core
 * @param[in]  processes  at least 1
 * @param[out] seats      to be released with scalay_seats_release()
 * @return SCALAY_SUCCESS, SCALAY_ERROR_MEMORY
 */
scalay_status scalay_seats_create(const int *core, int processes, scalay_seats *seats);

/** Bars all but the first so many seats of every core, as few as give `size` processes (at most all) a seat. */
void scalay_seats_take(scalay_seats *seats, int size);

void scalay_seats_release(scalay_seats *seats);

#endif
