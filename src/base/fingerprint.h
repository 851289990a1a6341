#ifndef SCALAY_BASE_FINGERPRINT_H
#define SCALAY_BASE_FINGERPRINT_H

/** @file Fingerprints: 64 bits by which ranks compare what each of them was given (FNV-1a, word by word). */

#include <stdint.h>

/** The fingerprint of nothing. */
uint64_t scalay_fingerprint_start(void);

/** The fingerprint of what was there before, followed by a value. */
uint64_t scalay_fingerprint_add(uint64_t fingerprint, int64_t value);

/** The fingerprint of what was there before, followed by an array; NULL is an empty one. */
uint64_t scalay_fingerprint_add_ints(uint64_t fingerprint, const int *values, int64_t count);

#endif
