#include "workload/active_sets.h"

#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/integer.h"
#include "base/memory.h"

enum {
    MOST_ACTIVE = 4096,
    MOST_WORDS = 16,     /* of all sets, for each size up to the largest of each group, */
    FEW_WORDS = 1 << 15, /* or so many anyway */
    MOST_STEPS = 256     /* words that are looked at, for each size up to the largest: other ways take that, too */
};

/* The sizes of a group within the time. */
typedef struct {
    int64_t least; /* 0: there is none */
    int64_t largest;
    int64_t sizes;
    int64_t copies; /* processors that may be active */
} group_range;

/* The sums of so many active processors that may become n. */
typedef struct {
    int64_t first; /* word */
    int64_t words; /* there is an empty one before and behind them */
    int64_t start; /* where they are in a row of sets */
} sum_set;

typedef struct {
    const scalay_problem *problem;
    double time;
    int64_t active;
    int exactly;
    group_range *range; /* shape [groups] */
    int64_t *least;     /* shape [active + 1]: the least and the largest sum of so many; -1: there are not so many */
    int64_t *largest;
    sum_set *set;  /* shape [active + 1] */
    int64_t words; /* of a row: a set for each number */
    int keeps;     /* 1: there is a row for each number of processors that are looked at, for the way back */
    uint64_t *storage;
    uint64_t *row; /* the last one */
} search;

/* -------------------------------------------------------------------------------------------------------- ranges */

static int by_least(const void *a, const void *b)
{
    const int64_t x = ((const group_range *)a)->least;
    const int64_t y = ((const group_range *)b)->least;
    return (x > y) - (x < y);
}

static int by_largest(const void *a, const void *b)
{
    const int64_t x = ((const group_range *)a)->largest;
    const int64_t y = ((const group_range *)b)->largest;
    return (x < y) - (x > y);
}

static void find_ranges(search *of)
{
    for (int j = 0; j < of->problem->groups; j++) {
        const scalay_problem_group *group = &of->problem->group[j];
        group_range range = {0, 0, 0, scalay_min_int64(group->count, of->active)};
        for (int64_t x = 1; x <= group->largest; x++) {
            if (!(group->time[x] <= of->time)) continue;
            if (range.sizes++ == 0) range.least = x;
            range.largest = x;
        }
        of->range[j] = range;
    }
}

/* The sums of the first ones, in the order that the ranges have. */
static void add_up(const search *of, const group_range *range, int largest, int64_t *sum)
{
    int64_t a = 0;
    sum[0] = 0;
    for (int j = 0; j < of->problem->groups; j++)
        for (int64_t copy = 0; copy < range[j].copies && a < of->active && range[j].sizes > 0; copy++, a++)
            sum[a + 1] = sum[a] + (largest ? range[j].largest : range[j].least);
    for (a++; a <= of->active; a++) sum[a] = -1;
}

static scalay_status bound_sums(search *of)
{
    scalay_status status = SCALAY_SUCCESS;
    const int groups = of->problem->groups;
    group_range *sorted = NULL;
    SCALAY_TRY(SCALAY_NEW(sorted, groups));
    for (int j = 0; j < groups; j++) sorted[j] = of->range[j];
    qsort(sorted, (size_t)groups, sizeof *sorted, by_least);
    add_up(of, sorted, 0, of->least);
    qsort(sorted, (size_t)groups, sizeof *sorted, by_largest);
    add_up(of, sorted, 1, of->largest);
cleanup:
    scalay_release(sorted);
    return status;
}

/* ---------------------------------------------------------------------------------------------------------- sets */

/* Sums of `a` active ones that others can complete to n; returns the words. */
static int64_t shape_set(search *of, int64_t a)
{
    const int64_t n = of->problem->n;
    const int64_t rest = of->active - a;
    sum_set *set = &of->set[a];
    *set = (sum_set){0, 0, 0};
    if (of->largest[a] < 0 || (of->exactly && of->largest[rest] < 0)) return 0;
    int64_t most = rest;
    while (of->largest[most] < 0) most--;
    const int64_t low = scalay_max_int64(of->least[a], n - of->largest[most]);
    const int64_t high = scalay_min_int64(of->largest[a], of->exactly ? n - of->least[rest] : n);
    if (low > high) return 0;
    set->first = low / SCALAY_WORD_BITS;
    set->words = high / SCALAY_WORD_BITS - set->first + 1;
    return set->words;
}

/* Listed or not. */
static int64_t count_sizes(const search *of)
{
    int64_t sizes = 0;
    for (int j = 0; j < of->problem->groups; j++) sizes += of->problem->group[j].largest;
    return sizes;
}

/* Sets with an empty word before and behind each. Returns 0 when there are too many words. */
static int shape_sets(search *of)
{
    const int64_t most = scalay_max_int64(FEW_WORDS, MOST_WORDS * count_sizes(of));
    int64_t rows = 1;
    for (int j = 0; j < of->problem->groups && of->keeps; j++) rows += of->range[j].copies;
    of->words = 0;
    for (int64_t a = 0; a <= of->active; a++) {
        const int64_t words = shape_set(of, a);
        of->set[a].start = of->words + 1;
        of->words += words + 2;
        if (of->words > most / rows) return 0;
    }
    return 1;
}

static int has_too_many_steps(const search *of)
{
    const int64_t words = of->words;
    int64_t most = MOST_STEPS * count_sizes(of);
    for (int j = 0; j < of->problem->groups; j++) {
        if (of->range[j].sizes > most / (words * of->range[j].copies)) return 1;
        most -= of->range[j].sizes * of->range[j].copies * words;
    }
    return 0;
}

static scalay_status allocate_sets(search *of)
{
    scalay_status status = SCALAY_SUCCESS;
    int64_t rows = 1;
    for (int j = 0; j < of->problem->groups && of->keeps; j++)
        if (of->range[j].sizes > 0) rows += of->range[j].copies;
    SCALAY_TRY(SCALAY_NEW(of->storage, rows * of->words));
    of->row = of->storage;
    if (of->set[0].words > 0 && of->set[0].first == 0) scalay_bit_set(of->row + of->set[0].start, 0);
cleanup:
    return status;
}

/* Adds the sums of so many active ones, increased by a size, to those of one more. */
static void add_shifted(const search *of, int64_t active, int64_t size)
{
    const sum_set *from = &of->set[active];
    const sum_set *to = &of->set[active + 1];
    const uint64_t *source = of->row + from->start;
    uint64_t *target = of->row + to->start;
    const int64_t ahead = from->first + size / SCALAY_WORD_BITS - to->first;
    const int shift = (int)(size % SCALAY_WORD_BITS);
    const int back = SCALAY_WORD_BITS - 1 - shift;
    const int64_t begin = scalay_max_int64(0, ahead);
    const int64_t end = scalay_min_int64(to->words, ahead + from->words + 1);
    for (int64_t k = begin; k < end; k++) target[k] |= source[k - ahead] << shift | source[k - ahead - 1] >> 1 >> back;
}

/* One more processor of a group, after so many. */
static void add_processor(search *of, int group, int64_t before)
{
    const double *time = of->problem->group[group].time;
    if (of->keeps) {
        memcpy(of->row + of->words, of->row, (size_t)of->words * sizeof *of->row);
        of->row += of->words;
    }
    for (int64_t a = scalay_min_int64(before, of->active - 1); a >= 0; a--) {
        if (of->set[a].words == 0 || of->set[a + 1].words == 0) continue;
        for (int64_t x = of->range[group].least; x <= of->range[group].largest; x++)
            if (time[x] <= of->time) add_shifted(of, a, x);
    }
}

/* Is a sum of so many active ones in the last row? */
static int has(const search *of, int64_t active, int64_t sum)
{
    const sum_set *set = &of->set[active];
    const int64_t bit = sum - set->first * SCALAY_WORD_BITS;
    return bit >= 0 && bit < set->words * SCALAY_WORD_BITS && scalay_bit_get(of->row + set->start, bit);
}

/* The fewest active processors that make n; -1: none do. */
static int64_t fill_sets(search *of)
{
    int64_t before = 0;
    for (int j = 0; j < of->problem->groups; j++)
        for (int64_t copy = 0; copy < of->range[j].copies && of->range[j].sizes > 0; copy++)
            add_processor(of, j, before++);
    for (int64_t a = of->exactly ? of->active : 1; a <= of->active; a++)
        if (has(of, a, of->problem->n)) return a;
    return -1;
}

/* The way back, from row to row. */
static scalay_status collect(search *of, int64_t active, scalay_distribution *distribution)
{
    scalay_status status = SCALAY_SUCCESS;
    int64_t sum = of->problem->n;
    for (int j = of->problem->groups - 1; j >= 0; j--)
        for (int64_t copy = 0; copy < of->range[j].copies && of->range[j].sizes > 0; copy++) {
            const double *time = of->problem->group[j].time;
            int64_t x = of->range[j].least;
            of->row -= of->words;
            if (has(of, active, sum)) continue;
            while (!(time[x] <= of->time && has(of, active - 1, sum - x))) x++;
            SCALAY_TRY(scalay_distribution_add(distribution, j, x, 1));
            sum -= x;
            active--;
        }
    distribution->feasible = 1;
cleanup:
    return status;
}

static scalay_status solve(search *of, int *feasible, scalay_distribution *distribution)
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(allocate_sets(of));
    const int64_t active = fill_sets(of);
    *feasible = active >= 0;
    if (*feasible && distribution != NULL) SCALAY_TRY(collect(of, active, distribution));
cleanup:
    return status;
}

scalay_status scalay_active_sets_test(const scalay_problem *problem, double time, scalay_active_limit limit,
                                      int *feasible, int *decided, scalay_distribution *distribution)
{
    scalay_status status = SCALAY_SUCCESS;
    search of = {.problem = problem, .time = time, .active = limit.active, .exactly = limit.exactly};
    of.keeps = distribution != NULL;
    *decided = 0;
    *feasible = 0;
    if (distribution != NULL) scalay_distribution_clear(distribution);
    if (limit.active > MOST_ACTIVE) return SCALAY_SUCCESS;
    SCALAY_TRY(SCALAY_NEW(of.range, problem->groups));
    SCALAY_TRY(SCALAY_NEW(of.least, 2 * (limit.active + 1)));
    of.largest = of.least + limit.active + 1;
    SCALAY_TRY(SCALAY_NEW(of.set, limit.active + 1));
    find_ranges(&of);
    SCALAY_TRY(bound_sums(&of));
    if (!shape_sets(&of) || has_too_many_steps(&of)) goto cleanup;
    SCALAY_TRY(solve(&of, feasible, distribution));
    *decided = 1;
cleanup:
    scalay_release(of.storage);
    scalay_release(of.set);
    scalay_release(of.least);
    scalay_release(of.range);
    return status;
}
