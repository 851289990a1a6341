#ifndef SCALAY_BASE_KEPT_MEMORY_H
#define SCALAY_BASE_KEPT_MEMORY_H

/**
 * @file
 * Memory of copies that is kept for later calls: new pages take as long as a move of what is in them, and up to 30
 * times as long on virtual machines, where each page faults once more in the host. Huge pages do not.
 *
 * The memory belongs to the process. It is released with the last communicator. Thread-safe.
 */

#include <stdint.h>

#include "scalay/export.h"

/**
 * Returns memory of at least so many bytes with all its pages, not initialised: the smallest that is kept and large
 * enough, or new one. New memory replaces the largest that is kept if that has at least a third of the bytes.
 * @param[in] bytes  above 0
 * @return to be given back with scalay_kept_memory_give(); NULL: none, or more than the limit
 */
SCALAY_API void *scalay_kept_memory_take(int64_t bytes);

/** Takes memory back, and keeps at most 8 arrays of 128 MiB in all: the oldest ones make room. NULL is allowed. */
SCALAY_API void scalay_kept_memory_give(void *array);

/** Limits the bytes of all memory that is taken or kept. What is kept beyond is released. @param[in] bytes  -1: none */
SCALAY_API void scalay_kept_memory_limit(int64_t bytes);

/** Releases what is kept. */
void scalay_kept_memory_release(void);

/** Returns the bytes that are taken or kept. */
int64_t scalay_kept_memory_bytes(void);

#endif
