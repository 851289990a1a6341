#ifndef SCALAY_BASE_BITS_H
#define SCALAY_BASE_BITS_H

/** @file Sets of small non-negative integers as bits of 64-bit words. */

#include <stdint.h>

enum { SCALAY_WORD_BITS = 64 };

/** Returns the number of words for `bits` bits. */
static inline int64_t scalay_bit_words(int64_t bits)
{
    return (bits + SCALAY_WORD_BITS - 1) / SCALAY_WORD_BITS;
}

/** Returns the index of the word of a bit, rounded down if the bit is negative. */
static inline int64_t scalay_bit_word(int64_t bit)
{
    return bit >= 0 ? bit / SCALAY_WORD_BITS : -((-bit + SCALAY_WORD_BITS - 1) / SCALAY_WORD_BITS);
}

/** Returns 1 if a bit is set, and 0 otherwise. */
static inline int scalay_bit_get(const uint64_t *words, int64_t bit)
{
    return (int)(words[bit / SCALAY_WORD_BITS] >> (bit % SCALAY_WORD_BITS) & 1);
}

/** Sets a bit. */
static inline void scalay_bit_set(uint64_t *words, int64_t bit)
{
    words[bit / SCALAY_WORD_BITS] |= UINT64_C(1) << (bit % SCALAY_WORD_BITS);
}

/** Clears a bit. */
static inline void scalay_bit_clear(uint64_t *words, int64_t bit)
{
    words[bit / SCALAY_WORD_BITS] &= ~(UINT64_C(1) << (bit % SCALAY_WORD_BITS));
}

/** Returns the position of the lowest set bit of a nonzero word. */
static inline int scalay_bit_lowest(uint64_t word)
{
    return __builtin_ctzll(word);
}

/** Returns the number of set bits of a word. */
static inline int scalay_bit_count(uint64_t word)
{
    word -= word >> 1 & UINT64_C(0x5555555555555555);
    word = (word & UINT64_C(0x3333333333333333)) + (word >> 2 & UINT64_C(0x3333333333333333));
    word = (word + (word >> 4)) & UINT64_C(0x0f0f0f0f0f0f0f0f);
    return (int)(word * UINT64_C(0x0101010101010101) >> 56);
}

/** Returns the mask of the used bits of the last word of `bits` bits, at least 1. */
static inline uint64_t scalay_bit_last_mask(int64_t bits)
{
    return ~UINT64_C(0) >> ((SCALAY_WORD_BITS - bits % SCALAY_WORD_BITS) % SCALAY_WORD_BITS);
}

/** Computes target |= source << shift, for 0 <= shift < 64. Bits shifted out of the last word are dropped. */
static inline void scalay_bit_or_shifted(const uint64_t *source, int64_t words, int shift, uint64_t *target)
{
    if (shift == 0) {
        for (int64_t w = 0; w < words; w++) target[w] |= source[w];
        return;
    }
    if (words > 0) target[0] |= source[0] << shift;
    for (int64_t w = 1; w < words; w++) target[w] |= source[w] << shift | source[w - 1] >> (SCALAY_WORD_BITS - shift);
}

#endif
