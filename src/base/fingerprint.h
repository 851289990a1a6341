#ifndef SCALAY_BASE_FINGERPRINT_H
#define SCALAY_BASE_FINGERPRINT_H

/** @file Fingerprints: 64-bit hashes by which ranks compare their arguments. FNV-1a over 64-bit words. */

#include <stdint.h>

/** Returns the fingerprint of the empty sequence. */
uint64_t scalay_fingerprint_start(void);

/** Returns the fingerprint of a sequence extended by a value. */
uint64_t scalay_fingerprint_add(uint64_t fingerprint, int64_t value);

/** Returns the fingerprint of a sequence extended by an array. NULL is an empty array. */
uint64_t scalay_fingerprint_add_ints(uint64_t fingerprint, const int *values, int64_t count);

#endif
