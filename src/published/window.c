/* Sums of one size per processor, as sets of bits over what they exceed the least sizes by. */
#include "published/window.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/integer.h"
#include "base/memory.h"

static int compare_events(const void *a, const void *b)
{
    const scalay_window_event *x = a;
    const scalay_window_event *y = b;
    if (x->time != y->time) return x->time < y->time ? -1 : 1;
    if (x->group != y->group) return x->group < y->group ? -1 : 1;
    return (x->size > y->size) - (x->size < y->size);
}

static int64_t count_points(const scalay_problem_group *group)
{
    int64_t points = 0;
    for (int64_t x = 1; x <= group->largest; x++) points += !isinf(group->time[x]);
    return points;
}

static void list_events(scalay_window *window)
{
    int64_t k = 0;
    for (int j = 0; j < window->problem->groups; j++) {
        const scalay_problem_group *group = &window->problem->group[j];
        for (int64_t x = 1; x <= group->largest; x++)
            if (!isinf(group->time[x])) window->event[k++] = (scalay_window_event){group->time[x], x, j};
    }
    qsort(window->event, (size_t)window->events, sizeof *window->event, compare_events);
}

scalay_status scalay_window_create(const scalay_problem *problem, scalay_window *window)
{
    scalay_status status = SCALAY_SUCCESS;
    int64_t used = 0;
    *window = (scalay_window){.problem = problem, .missing = problem->groups};
    for (int j = 0; j < problem->groups; j++) window->events += count_points(&problem->group[j]);
    SCALAY_TRY(SCALAY_NEW(window->event, window->events));
    SCALAY_TRY(SCALAY_NEW(window->least, problem->groups));
    SCALAY_TRY(SCALAY_NEW(window->largest, problem->groups));
    SCALAY_TRY(SCALAY_NEW(window->group, problem->groups));
    SCALAY_TRY(SCALAY_NEW(window->storage, 3 * window->events));
    for (int j = 0; j < problem->groups; j++) {
        const int64_t points = count_points(&problem->group[j]);
        window->least[j].event = window->storage + used;
        window->largest[j].event = window->storage + used + points;
        window->group[j].size = window->storage + used + 2 * points;
        used += 3 * points;
    }
    list_events(window);
cleanup:
    return status;
}

void scalay_window_free(scalay_window *window)
{
    scalay_release(window->event);
    scalay_release(window->least);
    scalay_release(window->largest);
    scalay_release(window->group);
    scalay_release(window->storage);
    scalay_release(window->bits);
    *window = (scalay_window){0};
}

/* Adds (sign 1) or takes away (-1) what a group contributes to the sums. */
static void count_group(scalay_window *window, int group, int64_t sign)
{
    const int64_t count = sign * window->problem->group[group].multiplicity;
    const scalay_window_queue *least = &window->least[group];
    const scalay_window_queue *largest = &window->largest[group];
    if (least->head == least->tail) {
        window->missing += (int)sign;
        return;
    }
    window->sum_least += count * window->event[least->event[least->head]].size;
    window->sum_largest += count * window->event[largest->event[largest->head]].size;
}

void scalay_window_enter(scalay_window *window, int64_t k)
{
    const scalay_window_event *event = window->event;
    scalay_window_queue *least = &window->least[event[k].group];
    scalay_window_queue *largest = &window->largest[event[k].group];
    count_group(window, event[k].group, -1);
    while (least->tail > least->head && event[least->event[least->tail - 1]].size >= event[k].size) least->tail--;
    while (largest->tail > largest->head && event[largest->event[largest->tail - 1]].size <= event[k].size)
        largest->tail--;
    least->event[least->tail++] = k;
    largest->event[largest->tail++] = k;
    count_group(window, event[k].group, 1);
    window->end = k + 1;
}

void scalay_window_leave(scalay_window *window)
{
    const int group = window->event[window->first].group;
    scalay_window_queue *least = &window->least[group];
    scalay_window_queue *largest = &window->largest[group];
    count_group(window, group, -1);
    if (least->event[least->head] == window->first) least->head++;
    if (largest->event[largest->head] == window->first) largest->head++;
    count_group(window, group, 1);
    window->first++;
}

int scalay_window_may_hold(const scalay_window *window)
{
    return window->missing == 0 && window->sum_least <= window->problem->n && window->sum_largest >= window->problem->n;
}

/* The sizes of each group; returns what n exceeds the least sizes by, -1 when there is surely no distribution. */
static int64_t list_sizes(scalay_window *window, int64_t first, int64_t end)
{
    const int64_t n = window->problem->n;
    int64_t sum_least = 0;
    int64_t sum_largest = 0;
    for (int j = 0; j < window->problem->groups; j++)
        window->group[j] = (scalay_window_group){window->group[j].size, 0, INT64_MAX, 0};
    for (int64_t k = first; k < end; k++) {
        scalay_window_group *group = &window->group[window->event[k].group];
        group->size[group->sizes++] = window->event[k].size;
        group->least = scalay_min_int64(group->least, window->event[k].size);
        group->largest = scalay_max_int64(group->largest, window->event[k].size);
    }
    for (int j = 0; j < window->problem->groups; j++) {
        if (window->group[j].sizes == 0) return -1;
        sum_least += window->problem->group[j].multiplicity * window->group[j].least;
        sum_largest += window->problem->group[j].multiplicity * window->group[j].largest;
    }
    return sum_least <= n && sum_largest >= n ? n - sum_least : -1;
}

static void or_shifted(uint64_t *to, const uint64_t *from, int64_t words, int64_t shift)
{
    const int64_t away = shift / 64;
    const int bits = (int)(shift % 64);
    for (int64_t k = words - 1; k >= away; k--) {
        uint64_t word = from[k - away] << bits;
        if (bits > 0 && k > away) word |= from[k - away - 1] >> (64 - bits);
        to[k] |= word;
    }
}

/* The sums with one processor of a group more. */
static void add_processor(const scalay_window_group *group, const uint64_t *from, int64_t words, uint64_t *to)
{
    memcpy(to, from, (size_t)words * sizeof *to);
    for (int64_t k = 0; k < group->sizes; k++)
        if (group->size[k] > group->least) or_shifted(to, from, words, group->size[k] - group->least);
}

static int has_bit(const uint64_t *bits, int64_t k)
{
    return (int)(bits[k / 64] >> (k % 64) & 1);
}

static scalay_status make_room(scalay_window *window, int64_t sets, int64_t words)
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(scalay_published_check_memory("fpm", sets, words, sizeof *window->bits));
    SCALAY_TRY(SCALAY_GROW(window->bits, window->capacity, sets * words));
cleanup:
    return status;
}

scalay_status scalay_window_test(scalay_window *window, int64_t first, int64_t end, int *possible)
{
    scalay_status status = SCALAY_SUCCESS;
    const int64_t excess = list_sizes(window, first, end);
    const int64_t words = excess / 64 + 1;
    *possible = 0;
    if (excess < 0) return SCALAY_SUCCESS;
    SCALAY_TRY(make_room(window, 2, words));
    uint64_t *sums = window->bits;
    uint64_t *more = window->bits + words;
    memset(sums, 0, (size_t)words * sizeof *sums);
    sums[0] = 1;
    for (int j = 0; j < window->problem->groups; j++) {
        int grows = window->group[j].sizes > 1;
        for (int64_t i = 0; i < window->problem->group[j].multiplicity && grows; i++) {
            add_processor(&window->group[j], sums, words, more);
            grows = memcmp(sums, more, (size_t)words * sizeof *sums) != 0;
            uint64_t *swap = sums;
            sums = more;
            more = swap;
        }
    }
    *possible = has_bit(sums, excess);
cleanup:
    return status;
}

/* A size of a group that leads from a sum of `before` to `excess`; there is one. */
static int64_t find_size(const scalay_window_group *group, const uint64_t *before, int64_t excess)
{
    for (int64_t k = 0; k < group->sizes; k++) {
        int64_t over = group->size[k] - group->least;
        if (over <= excess && has_bit(before, excess - over)) return group->size[k];
    }
    return group->least;
}

scalay_status scalay_window_read(scalay_window *window, int64_t first, int64_t end, scalay_distribution *distribution)
{
    scalay_status status = SCALAY_SUCCESS;
    const scalay_problem *problem = window->problem;
    int64_t excess = list_sizes(window, first, end);
    const int64_t words = excess / 64 + 1;
    int64_t level = 0;
    scalay_distribution_clear(distribution);
    SCALAY_TRY(make_room(window, problem->processors + 1, words));
    memset(window->bits, 0, (size_t)words * sizeof *window->bits);
    window->bits[0] = 1;
    for (int j = 0; j < problem->groups; j++)
        for (int64_t i = 0; i < problem->group[j].multiplicity; i++, level++)
            add_processor(&window->group[j], window->bits + level * words, words, window->bits + (level + 1) * words);
    for (int j = problem->groups - 1; j >= 0; j--)
        for (int64_t i = 0; i < problem->group[j].multiplicity; i++) {
            const int64_t size = find_size(&window->group[j], window->bits + --level * words, excess);
            excess -= size - window->group[j].least;
            SCALAY_TRY(scalay_distribution_add(distribution, j, size, 1));
        }
    distribution->feasible = 1;
cleanup:
    return status;
}
