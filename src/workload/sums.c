/*
 * Subset sums with repetition of identical processors: halving, with one window of sums per level as a bit set
 * (sums.h has the argument).
 */
#include "workload/sums.h"

#include <stdlib.h>
#include <string.h>

#include "base/integer.h"
#include "base/memory.h"

static int64_t width(const scalay_sum_window *window)
{
    return window->high < window->low ? 0 : window->high - window->low + 1;
}

/* ------------------------------------------------------------------------------------------- adding windows */

/* shifted = bits << shift; one word longer */
static void shift_words(const uint64_t *bits, int64_t words, int shift, uint64_t *shifted)
{
    if (shift == 0) {
        memcpy(shifted, bits, (size_t)words * sizeof *bits);
        shifted[words] = 0;
        return;
    }
    shifted[0] = bits[0] << shift;
    for (int64_t k = 1; k < words; k++) shifted[k] = bits[k] << shift | bits[k - 1] >> (SCALAY_WORD_BITS - shift);
    shifted[words] = bits[words - 1] >> (SCALAY_WORD_BITS - shift);
}

/* Two windows whose sums are wanted. */
typedef struct {
    const scalay_sum_window *more; /* of as many items or one more */
    const scalay_sum_window *less;
    int64_t first; /* totals of `more` that can matter */
    int64_t last;
    int64_t largest;
    int64_t less_words;
    int64_t sum_words;
    uint64_t *shifted;
} addition;

/* Adds the totals at one bit position of all words of `more`: there, `less` is shifted by the same number of bits. */
static void add_position(const addition *add, int position, scalay_sum_window *sum)
{
    const scalay_sum_window *more = add->more;
    const scalay_sum_window *less = add->less;
    const int64_t sum_words = scalay_bit_words(width(sum));
    const int64_t offset = more->low + less->low - sum->low + position;
    const int64_t offset_word = scalay_bit_word(offset);
    const int shift = (int)(offset - offset_word * SCALAY_WORD_BITS);
    shift_words(less->bits, scalay_bit_words(width(less)), shift, add->shifted);
    for (int64_t w = (add->first - more->low) / SCALAY_WORD_BITS; w <= (add->last - more->low) / SCALAY_WORD_BITS;
         w++) {
        if ((more->bits[w] >> position & 1) == 0) continue;
        /* The other half is at most this one, and at least this one without the largest size. */
        const int64_t total = more->low + w * SCALAY_WORD_BITS + position;
        const int64_t low = scalay_max_int64(less->low, total - add->largest) - less->low + shift;
        const int64_t high = scalay_min_int64(less->high, total) - less->low + shift;
        if (high < low) continue;
        uint64_t *target = sum->bits;
        const int64_t to = offset_word + w;
        const int64_t begin = scalay_max_int64(low / SCALAY_WORD_BITS, -to);
        const int64_t end = scalay_min_int64(high / SCALAY_WORD_BITS + 1, sum_words - to);
        for (int64_t k = begin; k < end; k++) target[to + k] |= add->shifted[k];
    }
}

/* Adds words `begin` to `end` - 1 of bits << shift, which is one word longer than bits, to target. */
static void or_shifted(const uint64_t *restrict bits, int64_t words, int shift, int64_t begin, int64_t end,
                       uint64_t *restrict target)
{
    const int back = SCALAY_WORD_BITS - 1 - shift;
    const int64_t inner = end < words ? end : words;
    if (begin == 0) target[0] |= bits[0] << shift;
    for (int64_t k = begin > 0 ? begin : 1; k < inner; k++)
        target[k - begin] |= bits[k] << shift | bits[k - 1] >> 1 >> back;
    if (end > words) target[words - begin] |= bits[words - 1] >> 1 >> back;
}

/* Adds one total of `more` to all of `less` that can go with it. */
static void add_total(const addition *add, int64_t total, scalay_sum_window *sum)
{
    const scalay_sum_window *less = add->less;
    const int64_t offset = total + less->low - sum->low;
    const int64_t to = scalay_bit_word(offset);
    const int shift = (int)(offset - to * SCALAY_WORD_BITS);
    const int64_t least = total - add->largest > less->low ? total - add->largest : less->low;
    const int64_t most = total < less->high ? total : less->high;
    if (most < least) return;
    const int64_t from = (least - less->low + shift) / SCALAY_WORD_BITS;
    const int64_t behind = (most - less->low + shift) / SCALAY_WORD_BITS + 1;
    const int64_t begin = from > -to ? from : -to;
    const int64_t end = behind < add->sum_words - to ? behind : add->sum_words - to;
    if (begin < end) or_shifted(less->bits, add->less_words, shift, begin, end, sum->bits + (to + begin));
}

/* Shifting once for every bit position pays when a position has several totals. */
enum { FEW_TOTALS = 4 * SCALAY_WORD_BITS };

/* Adds all totals one by one if they are few; 0: they are not. */
static int add_few(const addition *add, scalay_sum_window *sum)
{
    const scalay_sum_window *more = add->more;
    const int64_t first = (add->first - more->low) / SCALAY_WORD_BITS;
    const int64_t last = (add->last - more->low) / SCALAY_WORD_BITS;
    int totals = 0;
    for (int64_t w = first; w <= last; w++)
        for (uint64_t word = more->bits[w]; word != 0; word &= word - 1)
            if (++totals > FEW_TOTALS) return 0;
    for (int64_t w = first; w <= last; w++)
        for (uint64_t word = more->bits[w]; word != 0; word &= word - 1)
            add_total(add, more->low + w * SCALAY_WORD_BITS + scalay_bit_lowest(word), sum);
    return 1;
}

/* Adds windows of one word each. */
static uint64_t add_words(const scalay_sum_window *more, const scalay_sum_window *less, const scalay_sum_window *sum)
{
    const int64_t start = more->low + less->low - sum->low;
    uint64_t made = 0;
    for (uint64_t word = more->bits[0]; word != 0; word &= word - 1) {
        const int64_t offset = start + scalay_bit_lowest(word);
        if (offset >= SCALAY_WORD_BITS) break;
        if (offset > -SCALAY_WORD_BITS) made |= offset < 0 ? less->bits[0] >> -offset : less->bits[0] << offset;
    }
    return made;
}

/* Which totals of `sum` are one of `more` and one of `less`? */
static void add_windows(const scalay_sums *sums, const scalay_sum_window *more, const scalay_sum_window *less,
                        scalay_sum_window *sum)
{
    const int64_t bits = width(sum);
    const int64_t words = scalay_bit_words(bits);
    memset(sum->bits, 0, (size_t)words * sizeof *sum->bits);
    if (bits == 0 || width(more) == 0 || width(less) == 0) return;
    if (scalay_max_int64(bits, scalay_max_int64(width(more), width(less))) <= SCALAY_WORD_BITS) {
        sum->bits[0] = add_words(more, less, sum) & scalay_bit_last_mask(bits);
        return;
    }
    addition add = {more, less, 0, 0, sums->largest, scalay_bit_words(width(less)), words, sums->shifted};
    add.first = scalay_max_int64(scalay_max_int64(more->low, sum->low - less->high), scalay_ceil_div(sum->low, 2));
    add.last = scalay_min_int64(scalay_min_int64(more->high, sum->high - less->low), (sum->high + sums->largest) / 2);
    if (add.first > add.last) return;
    if (!add_few(&add, sum))
        for (int position = 0; position < SCALAY_WORD_BITS; position++) add_position(&add, position, sum);
    sum->bits[words - 1] &= scalay_bit_last_mask(bits);
}

/* ------------------------------------------------------------------------------------------------- planning */

/* Which windows are needed on every level? Those for floor(k / 2^level) items, and for one more. */
static void plan_levels(scalay_sums *sums, int64_t low, int64_t high, int64_t copies)
{
    memset(sums->needed, 0, sizeof sums->needed);
    sums->needed[0][0] = 1;
    sums->copies[0] = copies;
    int level = 0;
    for (;; level++) {
        const int64_t items = sums->copies[level];
        for (int more = 0; more < 2; more++) {
            int64_t total = 0;
            scalay_sum_window *window = &sums->window[level][more];
            int64_t most = scalay_multiply_int64(items + more, sums->largest, &total) ? total : high;
            *window = (scalay_sum_window){low, scalay_min_int64(high, most), 0, NULL};
        }
        if (items <= 1) break;
        sums->needed[level + 1][0] = sums->needed[level][0] || items % 2 == 0;
        sums->needed[level + 1][1] = sums->needed[level][1] || items % 2 == 1;
        sums->copies[level + 1] = items / 2;
        low = low <= sums->largest ? 0 : scalay_ceil_div(low - sums->largest, 2);
        high = (high + sums->largest) / 2;
    }
    sums->levels = level;
}

/* The arena holds the sizes, a shifted window, and all windows. */
static scalay_status lay_out(scalay_sums *sums)
{
    scalay_status status = SCALAY_SUCCESS;
    const int64_t item_words = scalay_bit_words(sums->largest + 1);
    int64_t widest = item_words;
    int64_t words = item_words;
    for (int level = 0; level <= sums->levels; level++)
        for (int more = 0; more < 2; more++) {
            int64_t needed = sums->needed[level][more] ? scalay_bit_words(width(&sums->window[level][more])) : 0;
            widest = scalay_max_int64(widest, needed);
            words += needed;
        }
    SCALAY_TRY(SCALAY_GROW(sums->arena, sums->capacity, words + widest + 1));
    sums->item = sums->arena;
    sums->shifted = sums->arena + item_words;
    uint64_t *next = sums->shifted + widest + 1;
    for (int level = 0; level <= sums->levels; level++)
        for (int more = 0; more < 2; more++) {
            if (!sums->needed[level][more]) continue;
            sums->window[level][more].bits = next;
            next += scalay_bit_words(width(&sums->window[level][more]));
        }
cleanup:
    return status;
}

static void collect_items(const scalay_sum_items *items, scalay_sums *sums)
{
    const int64_t words = scalay_bit_words(items->largest + 1);
    for (int64_t w = 0; w < words; w++) {
        const double *time = items->time + w * SCALAY_WORD_BITS;
        const int64_t bits = scalay_min_int64(SCALAY_WORD_BITS, items->largest + 1 - w * SCALAY_WORD_BITS);
        uint64_t word = 0;
        for (int64_t b = 0; b < bits; b++) word |= (uint64_t)(time[b] <= items->limit) << b;
        sums->item[w] = word;
    }
    sums->item[0] = (sums->item[0] & ~UINT64_C(1)) | (items->idle ? 1 : 0);
}

/* ------------------------------------------------------------------------------------------------- filling */

/* On the last level there is one item, or two. */
static void fill_last(scalay_sums *sums)
{
    scalay_sum_window alone = {0, sums->largest, 0, sums->item};
    scalay_sum_window *one = &sums->window[sums->levels][0];
    scalay_sum_window *two = &sums->window[sums->levels][1];
    if (sums->needed[sums->levels][0]) {
        memset(one->bits, 0, (size_t)scalay_bit_words(width(one)) * sizeof *one->bits);
        for (int64_t total = one->low; total <= one->high; total++)
            if (scalay_sum_window_has(&alone, total)) scalay_bit_set(one->bits, total - one->low);
    }
    if (sums->needed[sums->levels][1]) add_windows(sums, &alone, &alone, two);
}

static int is_full(const scalay_sum_window *window)
{
    const int64_t bits = width(window);
    const int64_t words = scalay_bit_words(bits);
    if (bits == 0) return 1;
    for (int64_t w = 0; w < words - 1; w++)
        if (window->bits[w] != ~UINT64_C(0)) return 0;
    return window->bits[words - 1] == scalay_bit_last_mask(bits);
}

static int all_full(const scalay_sums *sums, int level)
{
    for (int more = 0; more < 2; more++)
        if (sums->needed[level][more] && !is_full(&sums->window[level][more])) return 0;
    return 1;
}

static void fill_level(scalay_sums *sums, int level)
{
    for (int more = 0; more < 2; more++) {
        if (!sums->needed[level][more]) continue;
        int greater = 0;
        int lesser = 0;
        scalay_sums_halves(sums, level, more, &greater, &lesser);
        add_windows(sums, &sums->window[level + 1][greater], &sums->window[level + 1][lesser],
                    &sums->window[level][more]);
    }
}

scalay_status scalay_sums_make(scalay_sums *sums, const scalay_sum_items *items, int64_t low, int64_t high,
                               int64_t copies)
{
    scalay_status status = SCALAY_SUCCESS;
    sums->largest = items->largest;
    plan_levels(sums, low, high, copies);
    SCALAY_TRY(lay_out(sums));
    collect_items(items, sums);
    fill_last(sums);
    for (int level = sums->levels; level > 0; level--) {
        if (all_full(sums, level)) {
            /* Then all that is above is full as well: halves lie in the windows below. */
            for (int above = level - 1; above >= 0; above--)
                for (int more = 0; more < 2; more++) sums->window[above][more].full = 1;
            break;
        }
        fill_level(sums, level - 1);
    }
cleanup:
    return status;
}

int scalay_sums_has(const scalay_sums *sums, int64_t total)
{
    return scalay_sum_window_has(&sums->window[0][0], total);
}

void scalay_sums_free(scalay_sums *sums)
{
    scalay_release(sums->arena);
    sums->arena = NULL;
    sums->capacity = 0;
}

/* ------------------------------------------------------------------------------------------------- items of a total */

/* The items of a total that can be made, level by level: how often each total is wanted, from the whole down to items.
 */

enum { FEW_WANTED = 32 /* totals that are sorted by insertion */ };

/* How often a total is wanted. */
typedef struct {
    int64_t place; /* 2 * (total - low) + more */
    int64_t count;
} wanted;

/* The totals of a level that are wanted. */
typedef struct {
    wanted *list; /* shape [totals] */
    int64_t totals;
    int64_t capacity;
} tally;

static scalay_status tally_add(const scalay_sums *sums, int level, int more, int64_t total, int64_t count,
                               tally *counts)
{
    scalay_status status = SCALAY_SUCCESS;
    const int64_t place = 2 * (total - sums->window[level][more].low) + more;
    SCALAY_TRY(SCALAY_GROW(counts->list, counts->capacity, counts->totals + 1));
    counts->list[counts->totals++] = (wanted){place, count};
cleanup:
    return status;
}

static int by_place(const void *a, const void *b)
{
    const wanted *x = a;
    const wanted *y = b;
    return (x->place > y->place) - (x->place < y->place);
}

/* Mostly there are a few. */
static void sort_few(wanted *list, int64_t totals)
{
    for (int64_t i = 1; i < totals; i++) {
        const wanted moved = list[i];
        int64_t k = i;
        for (; k > 0 && list[k - 1].place > moved.place; k--) list[k] = list[k - 1];
        list[k] = moved;
    }
}

/* Adds up what is wanted of the same total. */
static void tally_merge(tally *counts)
{
    wanted *list = counts->list;
    int64_t kept = 0;
    if (counts->totals <= FEW_WANTED)
        sort_few(list, counts->totals);
    else
        qsort(list, (size_t)counts->totals, sizeof *list, by_place);
    for (int64_t k = 1; k < counts->totals; k++) {
        if (list[k].place == list[kept].place)
            list[kept].count += list[k].count;
        else
            list[++kept] = list[k];
    }
    counts->totals = kept + 1;
}

/* Takes the last total that is wanted. */
static int64_t tally_take(const scalay_sums *sums, int level, tally *counts, int *more, int64_t *total)
{
    const wanted last = counts->list[--counts->totals];
    *more = (int)(last.place % 2);
    *total = sums->window[level][*more].low + last.place / 2;
    return last.count;
}

/* The greater half of a total that can be made, as near to one half as can be. */
static int64_t greater_half(const scalay_sum_window *greater, const scalay_sum_window *lesser, int64_t total)
{
    int64_t half = scalay_ceil_div(total, 2);
    while (!scalay_sum_window_has(greater, half) || !scalay_sum_window_has(lesser, total - half)) half++;
    return half;
}

static scalay_status split_level(const scalay_sums *sums, int level, tally *from, tally *to)
{
    scalay_status status = SCALAY_SUCCESS;
    while (from->totals > 0) {
        int more = 0;
        int greater = 0;
        int lesser = 0;
        int64_t total = 0;
        const int64_t count = tally_take(sums, level, from, &more, &total);
        scalay_sums_halves(sums, level, more, &greater, &lesser);
        const int64_t half = greater_half(&sums->window[level + 1][greater], &sums->window[level + 1][lesser], total);
        SCALAY_TRY(tally_add(sums, level + 1, greater, half, count, to));
        SCALAY_TRY(tally_add(sums, level + 1, lesser, total - half, count, to));
    }
    tally_merge(to);
cleanup:
    return status;
}

static scalay_status split_last(const scalay_sums *sums, tally *from, int group, scalay_distribution *distribution)
{
    scalay_status status = SCALAY_SUCCESS;
    const scalay_sum_window alone = {0, sums->largest, 0, sums->item};
    while (from->totals > 0) {
        int more = 0;
        int64_t total = 0;
        const int64_t count = tally_take(sums, sums->levels, from, &more, &total);
        const int64_t first = more ? greater_half(&alone, &alone, total) : total;
        SCALAY_TRY(scalay_distribution_add(distribution, group, first, count));
        SCALAY_TRY(scalay_distribution_add(distribution, group, total - first, count));
    }
cleanup:
    return status;
}

scalay_status scalay_sums_split(const scalay_sums *sums, int64_t total, int group, scalay_distribution *distribution)
{
    scalay_status status = SCALAY_SUCCESS;
    tally tallies[2] = {{NULL, 0, 0}, {NULL, 0, 0}};
    SCALAY_TRY(tally_add(sums, 0, 0, total, 1, &tallies[0]));
    for (int level = 0; level < sums->levels; level++)
        SCALAY_TRY(split_level(sums, level, &tallies[level % 2], &tallies[(level + 1) % 2]));
    SCALAY_TRY(split_last(sums, &tallies[sums->levels % 2], group, distribution));
cleanup:
    scalay_release(tallies[0].list);
    scalay_release(tallies[1].list);
    return status;
}
