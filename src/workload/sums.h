#ifndef SCALAY_WORKLOAD_SUMS_H
#define SCALAY_WORKLOAD_SUMS_H

/**
 * @file
 * Which totals can be made of exactly k items, each from a set of sizes?
 *
 * By halving. Sorted by descending size, the items at odd positions exceed those at even positions by an
 * alternating sum, hence by something from 0 to the largest size M. So a total in [low, high] splits into totals of
 * ceil(k/2) and floor(k/2) items in [(low - M) / 2, (high + M) / 2], and the windows that matter on each of the log k
 * levels are about 2 M wide. A window is a bitset; two of them are added in O(M^2 / 64). Memory: O(M log k) bits.
 */

#include "base/bits.h"
#include "base/status.h"
#include "workload/problem.h"

/** Totals of a certain number of items: bit (total - low) is set when it can be made. */
typedef struct {
    int64_t low;
    int64_t high; /* less than low: an empty window */
    int full;     /* 1: every total can be made; the bits are not there */
    uint64_t *bits;
} scalay_sum_window;

/** Whether a total can be made. */
static inline int scalay_sum_window_has(const scalay_sum_window *window, int64_t total)
{
    if (total < window->low || total > window->high) return 0;
    return window->full || scalay_bit_get(window->bits, total - window->low);
}

/** There are fewer than 2^62 items. */
enum { SCALAY_SUM_LEVELS = 64 };

/** The windows; start without an arena, with capacity 0. May be made again and again: the memory is kept. */
typedef struct {
    int64_t largest;                   /* M */
    uint64_t *item;                    /* bits 0 .. M: the sizes */
    int levels;                        /* the last one, where items stand alone or in pairs */
    int64_t copies[SCALAY_SUM_LEVELS]; /* floor(k / 2^level) */
    int needed[SCALAY_SUM_LEVELS][2];  /* [level][1]: of one item more */
    scalay_sum_window window[SCALAY_SUM_LEVELS][2];
    uint64_t *shifted; /* a window on its way */
    uint64_t *arena;
    int64_t capacity;
} scalay_sums;

/** The window for the items of a level, or one more, is the sum of two on the next. */
static inline void scalay_sums_halves(const scalay_sums *sums, int level, int more, int *greater, int *lesser)
{
    const int64_t items = sums->copies[level] + more;
    *lesser = (int)(items / 2 - sums->copies[level + 1]);
    *greater = (int)(items - items / 2 - sums->copies[level + 1]);
}

/** Sizes x that may be items: time[x] <= limit, from 1 to largest, and 0 when processors may be idle. */
typedef struct {
    const double *time; /* shape [largest + 1]; time[largest] <= limit */
    int64_t largest;    /* at least 1 */
    double limit;
    int idle;
} scalay_sum_items;

/**
 * Which totals from low to high can be made of so many items?
 * @param[in,out] sums       the answer, for scalay_sums_has() and scalay_sums_split()
 * @param[in]     items      the sizes
 * @param[in]     low, high  0 <= low <= high <= 2^61
 * @param[in]     copies     their number, at least 1
 * @return SCALAY_SUCCESS, SCALAY_ERROR_MEMORY
 */
scalay_status scalay_sums_make(scalay_sums *sums, const scalay_sum_items *items, int64_t low, int64_t high,
                               int64_t copies);

/** Whether a total from low to high can be made. */
int scalay_sums_has(const scalay_sums *sums, int64_t total);

/** Adds the items of a total that can be made to a distribution, as shares of a group. */
scalay_status scalay_sums_split(const scalay_sums *sums, int64_t total, int group, scalay_distribution *distribution);

/** Releases the memory. */
void scalay_sums_free(scalay_sums *sums);

#endif
