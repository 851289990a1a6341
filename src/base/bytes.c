/*
 * Copies and transposes with SSE2, which every x86-64 has. Non-temporal stores use AVX-512 if the processor has it: one
 * store then writes a whole cache line. Other processors use memcpy.
 */

#include "base/bytes.h"

#if defined(__SSE2__)
#define SCALAY_BYTES_VECTORS
#include <emmintrin.h>
#if defined(__GNUC__) && defined(__x86_64__)
#define SCALAY_BYTES_WIDE
#include <immintrin.h>
#endif
#endif

#ifdef SCALAY_BYTES_VECTORS

static __m128i load(const char *from)
{
    return _mm_loadu_si128((const __m128i *)(const void *)from);
}

static void store(char *to, __m128i value)
{
    _mm_storeu_si128((__m128i *)(void *)to, value);
}

static void stream(char *to, __m128i value)
{
    _mm_stream_si128((__m128i *)(void *)to, value);
}

/* Copies the last `bytes` bytes by one overlapping memcpy. `to` and `from` are the ends of the at least 64 bytes
 * before. */
static void copy_rest(char *restrict to, const char *restrict from, size_t bytes)
{
    if (bytes > 0) memcpy(to + bytes - 64, from + bytes - 64, 64);
}

void scalay_bytes_copy_long(char *restrict to, const char *restrict from, size_t bytes)
{
    size_t k = 0;
    for (; k + 64 <= bytes; k += 64) {
        const __m128i a = load(from + k), b = load(from + k + 16), c = load(from + k + 32), d = load(from + k + 48);
        store(to + k, a);
        store(to + k + 16, b);
        store(to + k + 32, c);
        store(to + k + 48, d);
    }
    copy_rest(to + k, from + k, bytes - k);
}

static void stream_lines(char *restrict to, const char *restrict from, size_t bytes)
{
    for (size_t k = 0; k < bytes; k += 64) {
        const __m128i a = load(from + k), b = load(from + k + 16), c = load(from + k + 32), d = load(from + k + 48);
        stream(to + k, a);
        stream(to + k + 16, b);
        stream(to + k + 32, c);
        stream(to + k + 48, d);
    }
}

#ifdef SCALAY_BYTES_WIDE
__attribute__((target("avx512f"))) static void stream_lines_wide(char *restrict to, const char *restrict from,
                                                                 size_t bytes)
{
    for (size_t k = 0; k < bytes; k += 64)
        _mm512_stream_si512((void *)(to + k), _mm512_loadu_si512((const void *)(from + k)));
}
#endif

void scalay_bytes_stream(char *restrict to, const char *restrict from, size_t bytes)
{
    const size_t head = (size_t)(-(uintptr_t)to & 63);
    if (bytes < head + 64) {
        scalay_bytes_copy(to, from, bytes);
        return;
    }
    const size_t lines = (bytes - head) / 64 * 64, end = head + lines;
    scalay_bytes_copy(to, from, head);
#ifdef SCALAY_BYTES_WIDE
    if (__builtin_cpu_supports("avx512f"))
        stream_lines_wide(to + head, from + head, lines);
    else
#endif
        stream_lines(to + head, from + head, lines);
    /* No overlapping copy: it would load the line that was just written. */
    scalay_bytes_copy(to + end, from + end, bytes - end);
}

void scalay_bytes_stream_end(void)
{
    _mm_sfence();
}

#else

void scalay_bytes_copy_long(char *restrict to, const char *restrict from, size_t bytes)
{
    memcpy(to, from, bytes);
}

void scalay_bytes_stream(char *restrict to, const char *restrict from, size_t bytes)
{
    memcpy(to, from, bytes);
}

void scalay_bytes_stream_end(void)
{
}

#endif

/* --------------------------------------------------------------------------------------------- transposes */

/* Transposes lines first .. lines - 1, elements start .. length - 1, one by one. */
static inline void transpose_plain(size_t size, const char *const *line, int64_t first, int64_t lines, int64_t offset,
                                   int64_t start, int64_t length, int64_t pitch, char *to)
{
    for (int64_t l = first; l < lines; l++)
        for (int64_t k = start; k < length; k++)
            memcpy(to + (size_t)(k * pitch + l) * size, line[l] + offset + (size_t)k * size, size);
}

#ifdef SCALAY_BYTES_VECTORS

enum { CACHE_LINE = 64, AHEAD = 12 };

/* Prefetches a later line and the bytes after this one, which the next call is likely to read. The hardware does not
   prefetch lines that are far apart. */
static inline void prefetch(const char *const *line, int64_t l, int64_t lines, int64_t offset, int64_t bytes)
{
    const int64_t later = l + AHEAD < lines ? l + AHEAD : l;
    scalay_bytes_fetch(line[later], offset);
    scalay_bytes_fetch(line[later], offset + CACHE_LINE);
    for (int64_t k = 0; k < bytes; k += CACHE_LINE) scalay_bytes_fetch(line[l], offset + bytes + k);
}

/* Transposes two elements of 8 bytes of two lines. */
static inline void transpose_2x2(const char *line0, const char *line1, char *to0, char *to1)
{
    const __m128i a = load(line0), b = load(line1);
    store(to0, _mm_unpacklo_epi64(a, b));
    store(to1, _mm_unpackhi_epi64(a, b));
}

static void transpose_8(const char *const *line, int64_t lines, int64_t offset, int64_t length, char *to)
{
    const int64_t pitch = lines * 8;
    const int64_t whole = length / 2 * 2;
    int64_t l = 0;
    for (; l + 2 <= lines; l += 2) {
        const char *const line0 = line[l] + offset, *const line1 = line[l + 1] + offset;
        prefetch(line, l, lines, offset, length * 8);
        prefetch(line, l + 1, lines, offset, length * 8);
        for (int64_t k = 0; k < whole; k += 2)
            transpose_2x2(line0 + k * 8, line1 + k * 8, to + k * pitch + l * 8, to + (k + 1) * pitch + l * 8);
        transpose_plain(8, line, l, l + 2, offset, whole, length, lines, to);
    }
    transpose_plain(8, line, l, lines, offset, 0, length, lines, to);
}

/* Transposes four elements of 4 bytes of four lines. */
static inline void transpose_4x4(const char *const *line, int64_t offset, char *to, int64_t pitch)
{
    const __m128i a = load(line[0] + offset), b = load(line[1] + offset);
    const __m128i c = load(line[2] + offset), d = load(line[3] + offset);
    const __m128i ab_low = _mm_unpacklo_epi32(a, b), ab_high = _mm_unpackhi_epi32(a, b);
    const __m128i cd_low = _mm_unpacklo_epi32(c, d), cd_high = _mm_unpackhi_epi32(c, d);
    store(to, _mm_unpacklo_epi64(ab_low, cd_low));
    store(to + pitch, _mm_unpackhi_epi64(ab_low, cd_low));
    store(to + 2 * pitch, _mm_unpacklo_epi64(ab_high, cd_high));
    store(to + 3 * pitch, _mm_unpackhi_epi64(ab_high, cd_high));
}

static void transpose_4(const char *const *line, int64_t lines, int64_t offset, int64_t length, char *to)
{
    const int64_t pitch = lines * 4;
    const int64_t whole = length / 4 * 4;
    int64_t l = 0;
    for (; l + 4 <= lines; l += 4) {
        for (int64_t k = l; k < l + 4; k++) prefetch(line, k, lines, offset, length * 4);
        for (int64_t k = 0; k < whole; k += 4) transpose_4x4(line + l, offset + k * 4, to + k * pitch + l * 4, pitch);
        transpose_plain(4, line, l, l + 4, offset, whole, length, lines, to);
    }
    transpose_plain(4, line, l, lines, offset, 0, length, lines, to);
}

static void transpose_16(const char *const *line, int64_t lines, int64_t offset, int64_t length, char *to)
{
    for (int64_t l = 0; l < lines; l++) {
        prefetch(line, l, lines, offset, length * 16);
        for (int64_t k = 0; k < length; k++) store(to + (k * lines + l) * 16, load(line[l] + offset + k * 16));
    }
}

#else

static void transpose_4(const char *const *line, int64_t lines, int64_t offset, int64_t length, char *to)
{
    transpose_plain(4, line, 0, lines, offset, 0, length, lines, to);
}

static void transpose_8(const char *const *line, int64_t lines, int64_t offset, int64_t length, char *to)
{
    transpose_plain(8, line, 0, lines, offset, 0, length, lines, to);
}

static void transpose_16(const char *const *line, int64_t lines, int64_t offset, int64_t length, char *to)
{
    transpose_plain(16, line, 0, lines, offset, 0, length, lines, to);
}

#endif

void scalay_bytes_transpose(size_t size, const char *const *line, int64_t lines, int64_t offset, int64_t length,
                            char *to)
{
    switch (size) {
    case 1:
        transpose_plain(1, line, 0, lines, offset, 0, length, lines, to);
        break;
    case 2:
        transpose_plain(2, line, 0, lines, offset, 0, length, lines, to);
        break;
    case 4:
        transpose_4(line, lines, offset, length, to);
        break;
    case 8:
        transpose_8(line, lines, offset, length, to);
        break;
    default:
        transpose_16(line, lines, offset, length, to);
    }
}

/* ------------------------------------------------------------------------------------------- checksums */

enum { LANES = 8 };

/* One step of a lane: a bijection of the word, and of the sum so far. The rotation lets the highest bits, such as
   signs, reach all others. */
static inline uint64_t add_word(uint64_t sum, uint64_t word)
{
    sum = (sum ^ word) * UINT64_C(0x9E3779B97F4A7C15);
    return sum << 29 | sum >> 35;
}

/* Adds all whole steps of a byte range to the lanes, which run side by side. Returns their bytes. */
static int64_t add_steps(uint64_t *lane, const char *bytes, int64_t count)
{
    uint64_t word[LANES];
    const int64_t step = (int64_t)sizeof word;
    int64_t at = 0;
    for (; count - at >= step; at += step) {
        memcpy(word, bytes + at, sizeof word);
        for (int k = 0; k < LANES; k++) lane[k] = add_word(lane[k], word[k]);
    }
    return at;
}

uint64_t scalay_bytes_checksum(const char *bytes, int64_t count)
{
    uint64_t lane[LANES] = {1, 2, 3, 4, 5, 6, 7, 8}, word[LANES] = {0}, sum = (uint64_t)count;
    const int64_t at = add_steps(lane, bytes, count);
    if (count > at) memcpy(word, bytes + at, (size_t)(count - at));
    for (int k = 0; k < LANES; k++) sum = add_word(sum, add_word(lane[k], word[k]));
    return sum;
}
