#ifndef SCALAY_DROPIN_KEPT_FACTORS_H
#define SCALAY_DROPIN_KEPT_FACTORS_H

/**
 * @file
 * Moved copies of matrices that calls only read, such as the factor of p?getrs: SCALAY_SCALAPACK_KEEP.
 *
 * A copy is found by what the matrix is, not by where it is: its layout, the target, and a checksum of all elements of
 * each process. A changed element changes the checksum. One reduction makes one checksum of all processes, and another
 * one finds whether all of them have the copy. Two different matrices are taken for one another only if 64-bit
 * checksums collide.
 *
 * A copy belongs to the communicator of its processes, and is freed with it: another communicator, of other processes
 * or of the same ones in another order, can get the same address.
 */

#include <stddef.h>
#include <stdint.h>

#include "dropin/compute.h"
#include "scalay/context.h"

enum { SCALAY_KEPT_FACTS = 20 };

/** What a copy is of. Only ints and a checksum: keys are compared byte by byte. */
typedef struct {
    int facts[SCALAY_KEPT_FACTS]; /* layout, triangle and target; the same on all processes */
    uint64_t checksum;            /* of the elements */
} scalay_kept_key;

/** Returns a checksum of the elements of a submatrix that this process has. Local. Reads each once. */
uint64_t scalay_kept_checksum(const void *array, size_t element_size, const scalay_submatrix *s);

/**
 * Takes a copy out of those that are kept. Collective over comm: two reductions.
 * @param[in]     comm  the processes of the matrix, in their order
 * @param[in,out] key   of the matrix; on entry the checksum is that of this process, on exit that of all processes
 * @param[out]    bytes of the copy
 * @return the copy, which the caller owns; NULL on all processes if one of them does not have it
 */
void *scalay_kept_take(scalay_comm *comm, scalay_kept_key *key, size_t *bytes);

/**
 * Keeps a copy and owns it. Local. The oldest copies are freed if the sum of bytes exceeds `limit`; so is this copy if
 * it alone does.
 */
void scalay_kept_put(scalay_comm *comm, const scalay_kept_key *key, void *copy, size_t bytes, int64_t limit);

/** Returns the number of copies that were taken. */
int64_t scalay_kept_hits(void);

/** Frees the copies of a communicator that is about to be destroyed. Local. */
void scalay_kept_forget(const scalay_comm *comm);

#endif
