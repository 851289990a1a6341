#ifndef SCALAY_BASE_BYTES_H
#define SCALAY_BASE_BYTES_H

/**
 * @file
 * Copies of byte ranges: inline copies of up to 64 bytes, non-temporal stores, and small transposes. Checksums.
 *
 * Reasons not to call memcpy:
 *   - A call takes longer than a copy of 64 bytes.
 *   - For ranges of some KiB, glibc uses rep movsb. If source and target have different alignment, as columns usually
 *     have, rep movsb takes three times as long as a plain loop (AMD Zen 3).
 *   - memcpy reads the target into the caches unless a single range is larger than the caches. Columns are smaller.
 */

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/** Largest copy, in bytes, that scalay_bytes_copy() does inline. */
enum { SCALAY_BYTES_SHORT = 64 };

/** Copies more than SCALAY_BYTES_SHORT bytes. The ranges must not overlap. */
void scalay_bytes_copy_long(char *restrict to, const char *restrict from, size_t bytes);

/* Copies the first and the last `half` bytes, which may overlap. Both are read before either is written. */
static inline void scalay_bytes_copy_ends(char *restrict to, const char *restrict from, size_t bytes, size_t half)
{
    char first[16], last[16];
    memcpy(first, from, half);
    memcpy(last, from + bytes - half, half);
    memcpy(to, first, half);
    memcpy(to + bytes - half, last, half);
}

/** Copies any number of bytes. The ranges must not overlap. */
static inline void scalay_bytes_copy(char *restrict to, const char *restrict from, size_t bytes)
{
    if (bytes > SCALAY_BYTES_SHORT) {
        scalay_bytes_copy_long(to, from, bytes);
    } else if (bytes > 32) {
        scalay_bytes_copy_ends(to, from, 32, 16);
        scalay_bytes_copy_ends(to + bytes - 32, from + bytes - 32, 32, 16);
    } else if (bytes >= 16) {
        scalay_bytes_copy_ends(to, from, bytes, 16);
    } else if (bytes >= 8) {
        scalay_bytes_copy_ends(to, from, bytes, 8);
    } else if (bytes >= 4) {
        scalay_bytes_copy_ends(to, from, bytes, 4);
    } else if (bytes >= 2) {
        scalay_bytes_copy_ends(to, from, bytes, 2);
    } else if (bytes == 1) {
        *to = *from;
    }
}

/** Prefetches the cache line at base + offset. The address may be invalid. */
static inline void scalay_bytes_fetch(const char *base, int64_t offset)
{
#if defined(__GNUC__)
    __builtin_prefetch((const void *)((uintptr_t)base + (uintptr_t)offset));
#else
    (void)base;
    (void)offset;
#endif
}

/** Smallest range, in bytes, for which scalay_bytes_stream() is faster than scalay_bytes_copy(). */
enum { SCALAY_BYTES_STREAM = 256 };

/**
 * Copies with non-temporal stores: whole cache lines are neither read before they are written nor kept in the caches.
 * Call scalay_bytes_stream_end() after the last copy, before another process or thread is notified.
 */
void scalay_bytes_stream(char *restrict to, const char *restrict from, size_t bytes);

/** Orders all preceding scalay_bytes_stream() before later stores. */
void scalay_bytes_stream_end(void);

/**
 * Transposes a few lines: element l of target line j is element j of source line l.
 * @param[in]  size    of an element: 1, 2, 4, 8 or 16 bytes
 * @param[in]  line    shape [lines]: start of each source line
 * @param[in]  lines   number of source lines
 * @param[in]  offset  bytes from the start of a line to its first element
 * @param[in]  length  elements of a source line, contiguous
 * @param[out] to      `length` target lines of `lines` elements each, contiguous
 */
void scalay_bytes_transpose(size_t size, const char *const *line, int64_t lines, int64_t offset, int64_t length,
                            char *to);

/** Returns the checksum of a byte range. Two ranges that differ in at most 8 consecutive, aligned bytes have different
 *  checksums; others that differ have equal ones with probability 2^-64. */
uint64_t scalay_bytes_checksum(const char *bytes, int64_t count);

#endif
