#ifndef SCALAY_WORKLOAD_MIN_ENERGY_RESIDUES_H
#define SCALAY_WORKLOAD_MIN_ENERGY_RESIDUES_H

/**
 * @file
 * Moves modulo the length of the open edge: what min_energy_residues.c and min_energy_room.c share.
 */

#include "workload/min_energy.h"

/** Moves that were chosen. */
typedef struct {
    int64_t steps;
    int64_t *lot;   /* shape [steps] */
    int64_t *index; /* shape [steps] */
} scalay_energy_choice;

/** What the open group comes to: its first lot, the one at the other end of the edge (or -1), and their processors. */
typedef struct {
    int64_t near;
    int64_t far;
    int64_t copies;
    int64_t past; /* how many are, then have to be, at the far end */
    int lacking;  /* 1: there are too few at the far end for the moves; -1: at the near one */
} scalay_energy_open;

/** The cheapest moves that leave enough processors at one end of the open edge, those at the other end and other lots
 * not counted; `bound` is what they cost at least, before and after. */
scalay_status scalay_energy_room(scalay_energy_search *search, const scalay_energy_open *open, int direction,
                                 scalay_wide *bound, scalay_energy_verdict *verdict, scalay_energy_choice *chosen);

#endif
