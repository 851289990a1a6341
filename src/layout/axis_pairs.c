/*
 * Pairs of axes of the same extent: a walk along their common intervals, the intersections of one class with the
 * classes of the other axis, and the overlap of all pairs of classes.
 *
 * Overlap: both axes repeat after L, the lcm of their periods. The counts of a full L follow from the Chinese remainder
 * theorem in O(1) per pair of classes. The rest, or an L that is cheap to traverse, is walked interval by interval.
 * Counts are gathered in a table of all pairs of classes if it is smaller than the walk, else in a list that is radix
 * sorted: a tile map has as many classes as tile rows.
 */
#include <string.h>

#include "base/integer.h"
#include "base/memory.h"
#include "layout/axis.h"

/* ------------------------------------------------------------------------------------------------- common intervals */

/* Returns the number of indices from i to the end of its block or run. */
static int64_t left_in_block(const scalay_axis *axis, int64_t i, int64_t *run)
{
    if (axis->classes == 1) return INT64_MAX;
    if (axis->runs == NULL) return axis->block - (axis->first + i) % axis->block;
    *run = scalay_axis_runs_find(axis->runs, i);
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
    if (++*run == runs->runs) return; /* the walk ends */
    *left = runs->end[*run] - runs->end[*run - 1];
    *class = runs->class[*run];
}

/* Advances by `count` indices along one axis. */
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

int scalay_interval_walk_next(scalay_interval_walk *walk, scalay_common_interval *interval)
{
    if (walk->index >= walk->end) return 0;
    int64_t count = scalay_min_int64(scalay_min_int64(walk->left_a, walk->left_b), walk->end - walk->index);
    interval->class_a = walk->class_a;
    interval->class_b = walk->class_b;
    interval->index = walk->index;
    interval->count = count;
    walk->index += count;
    advance(walk->a, count, &walk->left_a, &walk->class_a, &walk->run_a);
    advance(walk->b, count, &walk->left_b, &walk->class_b, &walk->run_b);
    return 1;
}

/* Upper bound on the block ends of an axis in a walk over `count` indices. */
static double possible_ends(const scalay_axis *axis, int64_t count)
{
    if (axis->classes == 1) return 0;
    if (axis->runs != NULL) return (double)scalay_min_int64(axis->runs->runs, count);
    return 1 + (double)count / (double)axis->block;
}

/* Upper bound on the intervals of a walk over `count` indices. */
static double walk_bound(const scalay_axis *a, const scalay_axis *b, int64_t count)
{
    return 1 + possible_ends(a, count) + possible_ends(b, count);
}

/* A list of intervals. Zeroed is empty. */
typedef struct {
    int64_t intervals;
    int64_t capacity;
    scalay_common_interval *interval; /* shape [capacity] */
} interval_list;

static scalay_status interval_list_add(interval_list *list, const scalay_common_interval *interval)
{
    scalay_status status = SCALAY_GROW(list->interval, list->capacity, list->intervals + 1);
    if (status == SCALAY_SUCCESS) list->interval[list->intervals++] = *interval;
    return status;
}

enum { DIGIT_BITS = 8, DIGITS = 1 << DIGIT_BITS };

static int64_t interval_key(const scalay_common_interval *interval, int by_a)
{
    return by_a ? interval->class_a : interval->class_b;
}

static int is_sorted(const interval_list *list)
{
    for (int64_t k = 1; k < list->intervals; k++) {
        const scalay_common_interval *before = &list->interval[k - 1], *interval = &list->interval[k];
        if (before->class_a > interval->class_a) return 0;
        if (before->class_a == interval->class_a && before->class_b > interval->class_b) return 0;
    }
    return 1;
}

/* One pass of a least significant digit radix sort, by one digit of one class. Stable. */
static void sort_by_digit(const scalay_common_interval *from, int64_t intervals, int by_a, int shift,
                          scalay_common_interval *to)
{
    int64_t next[DIGITS + 1] = {0};
    for (int64_t k = 0; k < intervals; k++) next[((interval_key(&from[k], by_a) >> shift) & (DIGITS - 1)) + 1]++;
    for (int digit = 0; digit < DIGITS; digit++) next[digit + 1] += next[digit];
    for (int64_t k = 0; k < intervals; k++)
        to[next[(interval_key(&from[k], by_a) >> shift) & (DIGITS - 1)]++] = from[k];
}

/* Sorts by one class. The two arrays may be exchanged. */
static void sort_by_class(scalay_common_interval **interval, scalay_common_interval **spare, int64_t intervals,
                          int by_a)
{
    int64_t max = 0;
    for (int64_t k = 0; k < intervals; k++) max = scalay_max_int64(max, interval_key(&(*interval)[k], by_a));
    for (int shift = 0; shift < 63 && max >> shift > 0; shift += DIGIT_BITS) {
        sort_by_digit(*interval, intervals, by_a, shift, *spare);
        scalay_common_interval *sorted = *spare;
        *spare = *interval;
        *interval = sorted;
    }
}

static scalay_status interval_list_sort(interval_list *list)
{
    if (is_sorted(list)) return SCALAY_SUCCESS;
    scalay_common_interval *spare = NULL;
    scalay_status status = SCALAY_NEW(spare, list->intervals);
    if (status != SCALAY_SUCCESS) return status;
    list->capacity = list->intervals; /* the arrays may be exchanged */
    sort_by_class(&list->interval, &spare, list->intervals, 0);
    sort_by_class(&list->interval, &spare, list->intervals, 1);
    scalay_release(spare);
    return SCALAY_SUCCESS;
}

static void interval_list_free(interval_list *list)
{
    scalay_release(list->interval);
    memset(list, 0, sizeof *list);
}

/*
 * Appends an interval or extends the last one. Along the class of a, local indices of consecutive intervals are
 * contiguous. Two intervals can be merged if they are contiguous in the class of b and, if `whole`, in the window.
 */
static scalay_status add_or_merge(const scalay_common_interval *interval, int whole, int64_t *end_b,
                                  interval_list *list)
{
    scalay_common_interval *last = list->intervals > 0 ? &list->interval[list->intervals - 1] : NULL;
    int merges = last != NULL && last->class_b == interval->class_b && *end_b == interval->local_b &&
                 (!whole || last->index + last->count == interval->index);
    *end_b = interval->local_b + interval->count;
    if (!merges) return interval_list_add(list, interval);
    last->count += interval->count;
    return SCALAY_SUCCESS;
}

/* Lists the intervals of a class of a. An axis with one class is one run. */
static scalay_status collect_intervals(const scalay_axis *a, int64_t class_a, const scalay_axis *b, int whole,
                                       interval_list *list)
{
    scalay_status status = SCALAY_SUCCESS;
    int64_t runs = a->classes == 1 ? a->extent > 0 : scalay_axis_run_count(a, class_a);
    int64_t end_b = 0; /* local index in its class of b at which the last interval ends */
    for (int64_t k = 0; k < runs; k++) {
        scalay_axis_run run = a->classes > 1 ? scalay_axis_get_run(a, class_a, k)
                                             : (scalay_axis_run){0, scalay_axis_local_index(a, 0), a->extent};
        scalay_interval_walk walk = scalay_interval_walk_start(a, b, run.index, run.index + run.count);
        scalay_common_interval interval;
        while (status == SCALAY_SUCCESS && scalay_interval_walk_next(&walk, &interval)) {
            interval.local_a = run.local + (interval.index - run.index);
            interval.local_b = scalay_axis_local_index(b, interval.index);
            status = add_or_merge(&interval, whole, &end_b, list);
        }
    }
    return status;
}

static int64_t count_classes_b(const interval_list *list)
{
    int64_t classes = 0;
    for (int64_t k = 0; k < list->intervals; k++)
        classes += k == 0 || list->interval[k].class_b != list->interval[k - 1].class_b;
    return classes;
}

static void fill_intersection(const interval_list *list, scalay_axis_intersection *intersection)
{
    int64_t found = 0;
    for (int64_t k = 0; k < list->intervals; k++) {
        const scalay_common_interval *interval = &list->interval[k];
        if (k == 0 || interval->class_b != interval[-1].class_b) {
            intersection->class_b[found] = interval->class_b;
            intersection->start[found++] = k;
        }
        intersection->count[found - 1] += interval->count;
        intersection->runs[k] =
            (scalay_common_run){interval->index, interval->local_a, interval->local_b, interval->count};
    }
    intersection->start[found] = list->intervals;
}

scalay_status scalay_axis_intersection_create(const scalay_axis *a, int64_t class_a, const scalay_axis *b, int whole,
                                              scalay_axis_intersection *intersection)
{
    scalay_status status = SCALAY_SUCCESS;
    interval_list list = {0};
    memset(intersection, 0, sizeof *intersection);
    SCALAY_TRY(collect_intervals(a, class_a, b, whole, &list));
    SCALAY_TRY(interval_list_sort(&list));
    intersection->classes = count_classes_b(&list);
    SCALAY_TRY(SCALAY_NEW(intersection->class_b, intersection->classes));
    SCALAY_TRY(SCALAY_NEW(intersection->start, intersection->classes + 1));
    SCALAY_TRY(SCALAY_NEW(intersection->count, intersection->classes));
    SCALAY_TRY(SCALAY_NEW(intersection->runs, list.intervals));
    fill_intersection(&list, intersection);
cleanup:
    if (status != SCALAY_SUCCESS) scalay_axis_intersection_free(intersection);
    interval_list_free(&list);
    return status;
}

void scalay_axis_intersection_free(scalay_axis_intersection *intersection)
{
    scalay_release(intersection->class_b);
    scalay_release(intersection->start);
    scalay_release(intersection->count);
    scalay_release(intersection->runs);
    memset(intersection, 0, sizeof *intersection);
}

/* ---------------------------------------------------------------------------------- overlap: periods in closed form */

/* Two axes and their common period: extent = full * period + rest. */
typedef struct {
    scalay_axis a;
    scalay_axis b;
    int64_t period; /* the extent, if it is shorter than a period; then full is 0 */
    int64_t full;
    int64_t rest;
} axis_pair;

/* Replaces the blocks of an axis with one class by blocks of 1, which have the shortest period. */
static scalay_axis without_idle_blocks(const scalay_axis *axis)
{
    scalay_axis simple = *axis;
    if (axis->classes == 1) {
        simple.block = 1;
        simple.runs = NULL;
    }
    return simple;
}

/* Returns the lcm of the two periods; 0 if an axis has no period or the extent is shorter. */
static int64_t common_period(const scalay_axis *a, const scalay_axis *b)
{
    int64_t period_a, period_b, period;
    if (a->runs != NULL || b->runs != NULL) return 0; /* not periodic */
    if (!scalay_multiply_int64(a->block, a->classes, &period_a)) return 0;
    if (!scalay_multiply_int64(b->block, b->classes, &period_b)) return 0;
    if (!scalay_multiply_int64(period_a / scalay_gcd(period_a, period_b), period_b, &period)) return 0;
    return period <= a->extent ? period : 0;
}

static axis_pair pair_axes(const scalay_axis *a, const scalay_axis *b)
{
    axis_pair pair = {without_idle_blocks(a), without_idle_blocks(b), a->extent, 0, a->extent};
    int64_t period = common_period(&pair.a, &pair.b);
    if (period > 0) {
        pair.period = period;
        pair.full = a->extent / period;
        pair.rest = a->extent % period;
    }
    return pair;
}

static double pair_walk_bound(const axis_pair *pair, int64_t count)
{
    return walk_bound(&pair->a, &pair->b, count);
}

/* The residues start .. start + length - 1 modulo g, with length < g. */
typedef struct {
    int64_t start;
    int64_t length;
} residue_arc;

static int64_t arcs_overlap(residue_arc x, residue_arc y, int64_t g)
{
    int64_t distance = y.start >= x.start ? y.start - x.start : y.start - x.start + g;
    int64_t ahead = scalay_max_int64(0, scalay_min_int64(x.length - distance, y.length));
    int64_t round = scalay_max_int64(0, scalay_min_int64(x.length, y.length - (g - distance)));
    return ahead + round;
}

/* Returns the residues that a block covers once more than the others: it covers all of them block / g times. */
static residue_arc class_arc(const scalay_axis *axis, int64_t class, int64_t g)
{
    int64_t block = class < axis->source ? class - axis->source + axis->classes : class - axis->source;
    int64_t start = block * axis->block % g - axis->first % g;
    return (residue_arc){start < 0 ? start + g : start, axis->block % g};
}

/*
 * Adds the counts of `times` periods, and of one more if `one_more`. Chinese remainder theorem: with g the gcd of the
 * periods, an index modulo their lcm is a pair of indices modulo the periods that agree modulo g. The blocks are
 * alpha g + a and beta g + b.
 */
static void add_periods(const axis_pair *pair, int64_t times, int one_more, int64_t *table)
{
    const scalay_axis *a = &pair->a, *b = &pair->b;
    int64_t g = scalay_gcd(a->block * a->classes, b->block * b->classes);
    int64_t alpha = a->block / g, beta = b->block / g;
    int64_t common = alpha * beta * g + alpha * (b->block % g) + beta * (a->block % g);
    for (int64_t r = 0; r < a->classes; r++) {
        residue_arc arc = class_arc(a, r, g);
        for (int64_t s = 0; s < b->classes; s++) {
            int64_t count = common + arcs_overlap(arc, class_arc(b, s, g), g);
            int64_t *entry = &table[r * b->classes + s];
            if (one_more) *entry += count; /* before the product: the sum cannot overflow then */
            *entry += times * count;
        }
    }
}

/* ------------------------------------------------------------------------------------------ overlap: table of pairs */

static void add_walk(const axis_pair *pair, int64_t begin, int64_t end, int64_t times, int64_t *table)
{
    scalay_interval_walk walk = scalay_interval_walk_start(&pair->a, &pair->b, begin, end);
    scalay_common_interval interval;
    while (scalay_interval_walk_next(&walk, &interval))
        table[interval.class_a * pair->b.classes + interval.class_b] += times * interval.count;
}

static void fill_table(const axis_pair *pair, int64_t *table)
{
    int64_t missing = pair->period - pair->rest;
    double shorter = pair_walk_bound(pair, scalay_min_int64(pair->rest, missing));
    double pairs = (double)pair->a.classes * (double)pair->b.classes;
    if (pair->full == 0 || pairs + shorter >= pair_walk_bound(pair, pair->period)) {
        add_walk(pair, 0, pair->rest, pair->full + 1, table);
        add_walk(pair, pair->rest, pair->period, pair->full, table);
    } else if (pair->rest <= missing) {
        add_periods(pair, pair->full, 0, table);
        add_walk(pair, 0, pair->rest, 1, table);
    } else {
        add_walk(pair, pair->rest, pair->period, -1, table);
        add_periods(pair, pair->full, 1, table);
    }
}

static scalay_status allocate_entries(scalay_axis_overlap *overlap, int64_t entries)
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(SCALAY_NEW(overlap->start, overlap->classes_a + 1));
    SCALAY_TRY(SCALAY_NEW(overlap->class_b, entries));
    SCALAY_TRY(SCALAY_NEW(overlap->count, entries));
cleanup:
    return status;
}

static scalay_status overlap_by_table(const axis_pair *pair, scalay_axis_overlap *overlap)
{
    scalay_status status = SCALAY_SUCCESS;
    int64_t *table = NULL;
    int64_t pairs = overlap->classes_a * overlap->classes_b, entries = 0;
    SCALAY_TRY(SCALAY_NEW(table, pairs));
    fill_table(pair, table);
    for (int64_t k = 0; k < pairs; k++) entries += table[k] > 0;
    SCALAY_TRY(allocate_entries(overlap, entries));
    entries = 0;
    for (int64_t k = 0; k < pairs; k++) {
        if (table[k] == 0) continue;
        overlap->class_b[entries] = k % overlap->classes_b;
        overlap->count[entries++] = table[k];
        overlap->start[k / overlap->classes_b + 1] = entries;
    }
cleanup:
    scalay_release(table);
    return status;
}

/* --------------------------------------------------------------------------------------------- overlap: sorted list */

/* Lists the intervals of a range with their counts multiplied by `times`. */
static scalay_status list_walk(const axis_pair *pair, int64_t begin, int64_t end, int64_t times, interval_list *list)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_interval_walk walk = scalay_interval_walk_start(&pair->a, &pair->b, begin, end);
    scalay_common_interval interval;
    if (times == 0) return status;
    while (status == SCALAY_SUCCESS && scalay_interval_walk_next(&walk, &interval)) {
        interval.count *= times;
        status = interval_list_add(list, &interval);
    }
    return status;
}

/* Adds the counts of neighbours with the same classes. Returns the number of entries left. */
static int64_t merge_equals(interval_list *list)
{
    int64_t entries = 0;
    for (int64_t k = 0; k < list->intervals; k++) {
        scalay_common_interval *last = &list->interval[entries - (entries > 0)], *interval = &list->interval[k];
        if (entries > 0 && last->class_a == interval->class_a && last->class_b == interval->class_b)
            last->count += interval->count;
        else
            list->interval[entries++] = *interval;
    }
    return entries;
}

static scalay_status overlap_by_list(const axis_pair *pair, scalay_axis_overlap *overlap)
{
    scalay_status status = SCALAY_SUCCESS;
    interval_list list = {0};
    SCALAY_TRY(list_walk(pair, 0, pair->rest, pair->full + 1, &list));
    SCALAY_TRY(list_walk(pair, pair->rest, pair->period, pair->full, &list));
    SCALAY_TRY(interval_list_sort(&list));
    int64_t entries = merge_equals(&list);
    SCALAY_TRY(allocate_entries(overlap, entries));
    for (int64_t k = 0; k < entries; k++) {
        overlap->class_b[k] = list.interval[k].class_b;
        overlap->count[k] = list.interval[k].count;
        overlap->start[list.interval[k].class_a + 1] = k + 1;
    }
cleanup:
    interval_list_free(&list);
    return status;
}

scalay_status scalay_axis_overlap_create(const scalay_axis *a, const scalay_axis *b, scalay_axis_overlap *overlap)
{
    axis_pair pair = pair_axes(a, b);
    memset(overlap, 0, sizeof *overlap);
    overlap->classes_a = a->classes;
    overlap->classes_b = b->classes;
    double pairs = (double)a->classes * (double)b->classes;
    scalay_status status = pairs <= pair_walk_bound(&pair, pair.period) ? overlap_by_table(&pair, overlap)
                                                                        : overlap_by_list(&pair, overlap);
    if (status != SCALAY_SUCCESS) {
        scalay_axis_overlap_free(overlap);
        return status;
    }
    /* A row without entries ends where the row before it ends. */
    for (int64_t r = 0; r < a->classes; r++)
        overlap->start[r + 1] = scalay_max_int64(overlap->start[r + 1], overlap->start[r]);
    return SCALAY_SUCCESS;
}

void scalay_axis_overlap_free(scalay_axis_overlap *overlap)
{
    scalay_release(overlap->start);
    scalay_release(overlap->class_b);
    scalay_release(overlap->count);
    memset(overlap, 0, sizeof *overlap);
}
