/* The items of a total that can be made, level by level: how often each total is wanted, from the whole down to items.
 */
#include <stdlib.h>

#include "base/integer.h"
#include "base/memory.h"
#include "workload/sums.h"

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
    int64_t room;
} tally;

static scalay_status tally_add(const scalay_sums *sums, int level, int more, int64_t total, int64_t count,
                               tally *counts)
{
    scalay_status status = SCALAY_SUCCESS;
    const int64_t place = 2 * (total - sums->window[level][more].low) + more;
    SCALAY_TRY(SCALAY_GROW(counts->list, counts->room, counts->totals + 1));
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
