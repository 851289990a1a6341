#include "layout/cut.h"

#include <string.h>

#include "base/integer.h"
#include "base/memory.h"

/* Indices from i to the end of its block or run. */
static int64_t left_in_block(const scalay_axis *axis, int64_t i, int64_t *run)
{
    if (axis->classes == 1) return INT64_MAX;
    if (axis->runs == NULL) return axis->block - (axis->first + i) % axis->block;
    *run = scalay_axis_runs_at(axis->runs, i);
    return axis->runs->end[*run] - i;
}

scalay_interval_walk scalay_interval_walk_start(const scalay_axis *a, const scalay_axis *b, int64_t begin, int64_t end)
{
    scalay_interval_walk walk = {.a = a, .b = b, .index = begin, .end = end};
    if (begin >= end) return walk;
    walk.left_a = left_in_block(a, begin, &walk.run_a);
    walk.left_b = left_in_block(b, begin, &walk.run_b);
    walk.class_a = scalay_axis_class(a, begin);
    walk.class_b = scalay_axis_class(b, begin);
    return walk;
}

static void next_run(const scalay_axis_runs *runs, int64_t *left, int64_t *class, int64_t *run)
{
    if (++*run == runs->runs) return; /* the end of the walk */
    *left = runs->end[*run] - runs->end[*run - 1];
    *class = runs->class[*run];
}

/* Goes `count` indices on along one axis. */
static void advance(const scalay_axis *axis, int64_t count, int64_t *left, int64_t *class, int64_t *run)
{
    *left -= count;
    if (*left > 0) return;
    if (axis->runs != NULL) {
        next_run(axis->runs, left, class, run);
        return;
    }
    *left = axis->block;
    *class = *class + 1 < axis->classes ? *class + 1 : 0;
}

int scalay_interval_walk_next(scalay_interval_walk *walk, scalay_common_interval *cut)
{
    if (walk->index >= walk->end) return 0;
    int64_t count = scalay_min_int64(scalay_min_int64(walk->left_a, walk->left_b), walk->end - walk->index);
    cut->class_a = walk->class_a;
    cut->class_b = walk->class_b;
    cut->index = walk->index;
    cut->count = count;
    walk->index += count;
    advance(walk->a, count, &walk->left_a, &walk->class_a, &walk->run_a);
    advance(walk->b, count, &walk->left_b, &walk->class_b, &walk->run_b);
    return 1;
}

/* Where an axis may cut a walk over `count` indices. */
static double possible_cuts(const scalay_axis *axis, int64_t count)
{
    if (axis->classes == 1) return 0;
    if (axis->runs != NULL) return (double)scalay_min_int64(axis->runs->runs, count);
    return 1 + (double)count / (double)axis->block;
}

double scalay_interval_walk_length(const scalay_axis *a, const scalay_axis *b, int64_t count)
{
    return 1 + possible_cuts(a, count) + possible_cuts(b, count);
}

scalay_status scalay_interval_list_add(scalay_interval_list *list, const scalay_common_interval *cut)
{
    scalay_status status = SCALAY_GROW(list->cut, list->capacity, list->cuts + 1);
    if (status == SCALAY_SUCCESS) list->cut[list->cuts++] = *cut;
    return status;
}

/* ------------------------------------------------------------------------------------------- sorting */

enum { DIGIT_BITS = 8, DIGITS = 1 << DIGIT_BITS };

static int64_t cut_key(const scalay_common_interval *cut, int by_a)
{
    return by_a ? cut->class_a : cut->class_b;
}

static int is_sorted(const scalay_interval_list *list)
{
    for (int64_t k = 1; k < list->cuts; k++) {
        const scalay_common_interval *before = &list->cut[k - 1], *cut = &list->cut[k];
        if (before->class_a > cut->class_a) return 0;
        if (before->class_a == cut->class_a && before->class_b > cut->class_b) return 0;
    }
    return 1;
}

/* One pass of a radix sort: stable, by one digit of one class. */
static void sort_by_digit(const scalay_common_interval *from, int64_t cuts, int by_a, int shift,
                          scalay_common_interval *to)
{
    int64_t next[DIGITS + 1] = {0};
    for (int64_t k = 0; k < cuts; k++) next[((cut_key(&from[k], by_a) >> shift) & (DIGITS - 1)) + 1]++;
    for (int digit = 0; digit < DIGITS; digit++) next[digit + 1] += next[digit];
    for (int64_t k = 0; k < cuts; k++) to[next[(cut_key(&from[k], by_a) >> shift) & (DIGITS - 1)]++] = from[k];
}

/* Sorts by one class; the sorted array may end up in the spare one. */
static void sort_by_class(scalay_common_interval **cut, scalay_common_interval **spare, int64_t cuts, int by_a)
{
    int64_t most = 0;
    for (int64_t k = 0; k < cuts; k++) most = scalay_max_int64(most, cut_key(&(*cut)[k], by_a));
    for (int shift = 0; shift < 63 && most >> shift > 0; shift += DIGIT_BITS) {
        sort_by_digit(*cut, cuts, by_a, shift, *spare);
        scalay_common_interval *sorted = *spare;
        *spare = *cut;
        *cut = sorted;
    }
}

scalay_status scalay_interval_list_sort(scalay_interval_list *list)
{
    if (is_sorted(list)) return SCALAY_SUCCESS;
    scalay_common_interval *spare = NULL;
    scalay_status status = SCALAY_NEW(spare, list->cuts);
    if (status != SCALAY_SUCCESS) return status;
    list->capacity = list->cuts; /* the arrays may change places */
    sort_by_class(&list->cut, &spare, list->cuts, 0);
    sort_by_class(&list->cut, &spare, list->cuts, 1);
    scalay_release(spare);
    return SCALAY_SUCCESS;
}

void scalay_interval_list_free(scalay_interval_list *list)
{
    scalay_release(list->cut);
    memset(list, 0, sizeof *list);
}
