#include "workload/active_sets.h"

#include <stdlib.h>

#include "core/bits.h"
#include "core/integer.h"
#include "core/memory.h"

enum {
    MOST_ACTIVE = 4096,
    MOST_WORDS = 1 << 19, /* of all sets */
    MOST_STEPS = 256      /* words that are looked at, for each size up to the largest: other ways take that, too */
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
    uint64_t *word;
} sum_set;

typedef struct {
    const scalay_problem *problem;
    double time;
    int64_t active;
    int exactly;
    group_range *range; /* shape [groups] */
    int64_t *least;     /* shape [active + 1]: the least and the largest sum of so many; -1: there are not so many */
    int64_t *largest;
    sum_set *set; /* shape [active + 1] */
    uint64_t *storage;
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
    *set = (sum_set){0, 0, NULL};
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

/* Words of all sets, with those around them; as many as are allowed, and one, when there are too many. */
static int64_t shape_sets(search *of)
{
    int64_t words = 0;
    for (int64_t a = 0; a <= of->active && words <= MOST_WORDS; a++) words += shape_set(of, a) + 2;
    return words;
}

static int has_too_many_steps(const search *of, int64_t words)
{
    int64_t most = 0;
    for (int j = 0; j < of->problem->groups; j++) most += MOST_STEPS * of->problem->group[j].largest;
    for (int j = 0; j < of->problem->groups; j++) {
        if (of->range[j].sizes > most / (words * of->range[j].copies)) return 1;
        most -= of->range[j].sizes * of->range[j].copies * words;
    }
    return 0;
}

static scalay_status allocate_sets(search *of, int64_t words)
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(SCALAY_NEW(of->storage, words));
    uint64_t *next = of->storage + 1;
    for (int64_t a = 0; a <= of->active; a++) {
        of->set[a].word = next;
        next += of->set[a].words + 2;
    }
cleanup:
    return status;
}

/* Adds the sums of a set, increased by a size, to those of one active processor more. */
static void add_shifted(const sum_set *from, int64_t size, const sum_set *to)
{
    const int64_t ahead = from->first + size / SCALAY_WORD_BITS - to->first;
    const int shift = (int)(size % SCALAY_WORD_BITS);
    const int back = SCALAY_WORD_BITS - 1 - shift;
    const int64_t begin = scalay_max_int64(0, ahead);
    const int64_t end = scalay_min_int64(to->words, ahead + from->words + 1);
    for (int64_t k = begin; k < end; k++)
        to->word[k] |= from->word[k - ahead] << shift | from->word[k - ahead - 1] >> 1 >> back;
}

/* One more processor of a group, after so many. */
static void add_processor(const search *of, int group, int64_t before)
{
    const double *time = of->problem->group[group].time;
    for (int64_t a = scalay_min_int64(before, of->active - 1); a >= 0; a--) {
        if (of->set[a].words == 0 || of->set[a + 1].words == 0) continue;
        for (int64_t x = of->range[group].least; x <= of->range[group].largest; x++)
            if (time[x] <= of->time) add_shifted(&of->set[a], x, &of->set[a + 1]);
    }
}

static int has(const search *of, int64_t a)
{
    const int64_t bit = of->problem->n - of->set[a].first * SCALAY_WORD_BITS;
    return bit >= 0 && bit < of->set[a].words * SCALAY_WORD_BITS && scalay_bit_get(of->set[a].word, bit);
}

static int fill_sets(const search *of)
{
    int64_t before = 0;
    if (of->set[0].words > 0 && of->set[0].first == 0) scalay_bit_set(of->set[0].word, 0);
    for (int j = 0; j < of->problem->groups; j++)
        for (int64_t copy = 0; copy < of->range[j].copies && of->range[j].sizes > 0; copy++)
            add_processor(of, j, before++);
    int found = has(of, of->active);
    for (int64_t a = 1; a < of->active && !of->exactly && !found; a++) found = has(of, a);
    return found;
}

scalay_status scalay_active_sets_test(const scalay_problem *problem, double time, scalay_active_limit limit,
                                      int *feasible, int *decided)
{
    scalay_status status = SCALAY_SUCCESS;
    search of = {.problem = problem, .time = time, .active = limit.active, .exactly = limit.exactly};
    *decided = 0;
    *feasible = 0;
    if (limit.active > MOST_ACTIVE) return SCALAY_SUCCESS;
    SCALAY_TRY(SCALAY_NEW(of.range, problem->groups));
    SCALAY_TRY(SCALAY_NEW(of.least, 2 * (limit.active + 1)));
    of.largest = of.least + limit.active + 1;
    SCALAY_TRY(SCALAY_NEW(of.set, limit.active + 1));
    find_ranges(&of);
    SCALAY_TRY(bound_sums(&of));
    const int64_t words = shape_sets(&of);
    if (words > MOST_WORDS || has_too_many_steps(&of, words)) goto cleanup;
    SCALAY_TRY(allocate_sets(&of, words));
    *feasible = fill_sets(&of);
    *decided = 1;
cleanup:
    scalay_release(of.storage);
    scalay_release(of.set);
    scalay_release(of.least);
    scalay_release(of.range);
    return status;
}
