#ifndef SCALAY_BASE_BYTES_H
#define SCALAY_BASE_BYTES_H

/**
 * @file
 * Moving bytes: short pieces without a call, long ones past the caches, small transposes.
 *
 * memcpy is not good at any of these. A call costs more than a piece of 64 bytes; the C library's choice for pieces of
 * some KiB (rep movsb) takes three times as long as a plain loop where source and target are not aligned alike (AMD
 * Zen 3), which is the rule for columns; and it reads what it is about to overwrite unless a single piece is larger
 * than the caches, which columns are not.
 */

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/** Up to so many bytes scalay_bytes_copy() is inline. */
enum { SCALAY_BYTES_SHORT = 64 };

/** As scalay_bytes_copy(), for more than SCALAY_BYTES_SHORT bytes. */
void scalay_bytes_copy_long(char *restrict to, const char *restrict from, size_t bytes);

/* The first and the last `half` bytes: they meet or overlap. Both are read before one is written. */
static inline void scalay_bytes_copy_ends(char *restrict to, const char *restrict from, size_t bytes, size_t half)
{
    char first[16], last[16];
    memcpy(first, from, half);
    memcpy(last, from + bytes - half, half);
    memcpy(to, first, half);
    memcpy(to + bytes - half, last, half);
}

/** Copies any number of bytes. The places do not overlap. */
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

/** Asks for the cache line at `offset` bytes from `base`, which need not be in an array. */
static inline void scalay_bytes_fetch(const char *base, int64_t offset)
{
#if defined(__GNUC__)
    __builtin_prefetch((const void *)((uintptr_t)base + (uintptr_t)offset));
#else
    (void)base;
    (void)offset;
#endif
}

/** The shortest piece for which scalay_bytes_stream() is worth it. */
enum { SCALAY_BYTES_STREAM = 256 };

/**
 * Copies what will not be looked at soon: whole cache lines are written without being read before, and are not kept in
 * the caches. After the last one scalay_bytes_stream_end(), before others are told that the bytes are there.
 */
void scalay_bytes_stream(char *restrict to, const char *restrict from, size_t bytes);

/** Ends a sequence of scalay_bytes_stream(). */
void scalay_bytes_stream_end(void);

/**
 * Transposes a few lines: element l of target line j is element j of source line l.
 * @param[in]  size    of an element: 1, 2, 4, 8 or 16 bytes
 * @param[in]  line    shape [lines]: where the source lines start
 * @param[in]  offset  bytes from there to the elements that are meant
 * @param[in]  length  elements of a source line, which is contiguous
 * @param[out] to      `length` target lines, each `lines` elements long, one after the other
 */
void scalay_bytes_transpose(size_t size, const char *const *line, int64_t lines, int64_t offset, int64_t length,
                            char *to);

#endif
