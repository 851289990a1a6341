#ifndef SCALAY_WORKLOAD_MIN_ENERGY_FEW_H
#define SCALAY_WORKLOAD_MIN_ENERGY_FEW_H

/**
 * @file
 * Few moves away from the base, and choices of them: what min_energy_few_choices.c lists and min_energy_few.c looks
 * through. That has the reasons.
 */

#include "workload/min_energy.h"

enum {
    SCALAY_FEW_CHOICES = 512,
    SCALAY_FEW_STEPS = 512,
    SCALAY_FEW_SHIFTS = 32,
    SCALAY_FEW_PLACE_BITS = 10, /* of a table of choices by their sums */
    SCALAY_FEW_PLACES = 1 << SCALAY_FEW_PLACE_BITS
};

/** More than any cost; twice that fits. */
#define SCALAY_FEW_NONE (INT64_C(1) << 61)

/** A move. */
typedef struct {
    int64_t cost;
    int64_t sum;
    int32_t move;
    int32_t lot;
} scalay_few_step;

/** Some steps: one after others that come no later. */
typedef struct {
    int64_t cost;
    int64_t cheapest; /* the cost of the first of them */
    int64_t sum;
    uint64_t lots; /* a bit for each lot, of 64: choices without a common bit have no common lot */
    int16_t step;
    int16_t before; /* the choice that it was added to; -1: none */
    int16_t next;   /* another choice of the same sum; -1: none */
} scalay_few_choice;

/** A cheap choice, the dearest step, another choice, and a choice of free steps. */
typedef struct {
    int64_t first;
    int64_t step;
    int64_t last;
    int64_t shift;
} scalay_few_selection;

/** Steps, choices of them, and the best that has been found. */
typedef struct {
    const scalay_energy_lot *lot;
    int64_t near; /* the lot of the open edge */
    int64_t far;  /* the one at its other end; -1: there is none */
    int64_t target;
    int64_t budget;
    int64_t free;  /* steps that cost nothing: the first ones */
    int64_t steps; /* by ascending cost */
    int64_t shifts;
    int64_t choices;
    int64_t looks; /* that may be taken */
    int64_t best;  /* the least cost so far */
    scalay_few_selection chosen;
    scalay_few_step step[SCALAY_FEW_STEPS];
    scalay_few_choice shift[SCALAY_FEW_SHIFTS]; /* choices of free steps */
    scalay_few_choice choice[SCALAY_FEW_CHOICES];
    int16_t place[SCALAY_FEW_CHOICES]; /* where its sum is */
    int16_t at[SCALAY_FEW_PLACES];     /* the last choice of a sum, plus 1; 0: free */
    int64_t cheap[SCALAY_FEW_PLACES];  /* SCALAY_FEW_NONE - the least cost of the choices that are looked for here
                                          first; 0: there are none */
} scalay_few;

/** The bit of a lot. */
static inline uint64_t scalay_few_bit(int64_t lot)
{
    return UINT64_C(1) << (lot & 63);
}

/** Processors of a lot that make moves of a choice. */
static inline int64_t scalay_few_copies(const scalay_few *w, const scalay_few_choice *of, int64_t at, int64_t lot)
{
    int64_t copies = 0;
    if ((of[at].lots & scalay_few_bit(lot)) == 0) return 0;
    for (; of[at].before >= 0; at = of[at].before) copies += w->step[of[at].step].lot == lot;
    return copies;
}

/** Where a sum is looked for first. */
static inline int64_t scalay_few_home(int64_t sum)
{
    return (int64_t)((uint64_t)sum * UINT64_C(0x9E3779B97F4A7C15) >> (64 - SCALAY_FEW_PLACE_BITS));
}

/** Where a sum is, or would be. */
static inline int64_t scalay_few_place(const scalay_few *w, int64_t sum)
{
    int64_t place = scalay_few_home(sum);
    while (w->at[place] != 0 && w->choice[w->at[place] - 1].sum != sum) place = (place + 1) % SCALAY_FEW_PLACES;
    return place;
}

/** Lists the moves that have been collected, the choices of them that are needed within w->budget, and those of moves
 * that cost nothing; sets w->looks. 0: there are too many. */
int scalay_few_list(const scalay_energy_search *search, scalay_few *w);

#endif
