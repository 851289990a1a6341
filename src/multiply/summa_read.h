#ifndef SCALAY_MULTIPLY_SUMMA_READ_H
#define SCALAY_MULTIPLY_SUMMA_READ_H

/** @file Reading a block from another process of the node into a panel. */

#include "multiply/summa_side.h"
#include "parallel/node.h"

/** Whom to read from, and by what. */
typedef struct {
    const scalay_node *node;
    int place;         /* of the owner in the node */
    uint64_t address;  /* of its array, in its process */
    int64_t *segments; /* counts what is read */
    int is_trial;      /* 1: only that, and nothing is read */
} scalay_summa_reader;

/**
 * Reads a block.
 * @return SCALAY_SUCCESS, SCALAY_ERROR_MPI (refused all of a sudden)
 */
scalay_status scalay_summa_read(const scalay_summa_reader *reader, const scalay_summa_side *side,
                                const scalay_summa_panels *panels, const scalay_summa_block *block,
                                scalay_summa_target target);

#endif
