#ifndef SCALAY_PARTITION_SLICING_H
#define SCALAY_PARTITION_SLICING_H

/** @file The search for the best slicing tree: every tree for few parts, simulated annealing for more. */

#include "base/random.h"
#include "partition/methods.h"

/** For more parts there are too many trees. */
enum { SCALAY_MOST_EXHAUSTIVE = 6 };

/**
 * Plants the best tree: every cut of a set in two, both ways; every choice of holes for the largest part of a set, each
 * hole being a square with any subset of the others in it. SCALAY_SUCCESS, SCALAY_ERROR_MEMORY.
 */
scalay_status scalay_slicing_exhaust(const scalay_shares *shares, scalay_slicing *tree);

/** How to anneal. */
typedef struct {
    uint64_t seed;
    double budget; /* seconds of processor time; 0: the number of moves that suits the number of parts */
} scalay_annealing;

/**
 * Plants the best tree that simulated annealing finds from those of the other methods. SCALAY_SUCCESS,
 * SCALAY_ERROR_MEMORY.
 */
scalay_status scalay_slicing_anneal(const scalay_shares *shares, const scalay_annealing *how, scalay_slicing *tree);

/** Changes a tree at random; it may stay as it is. */
void scalay_slicing_move(scalay_slicing *tree, scalay_random *random);

#endif
