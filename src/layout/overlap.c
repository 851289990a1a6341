/*
 * How many indices each class of one axis shares with each class of another.
 *
 * Both axes repeat after L, the lcm of their periods. Within one full L the Chinese remainder theorem gives every
 * entry in O(1); what is left, or an L that is cheap to walk through, is walked block by block. Counts are gathered
 * in a table of all pairs of classes when that is smaller than the walk, else as a list of cuts that is sorted: a tile
 * map has as many classes as tile rows.
 */
#include <string.h>

#include "base/integer.h"
#include "base/memory.h"
#include "layout/cut.h"

/* Two axes, and how their extent divides into common periods: extent = full * period + rest. */
typedef struct {
    scalay_axis a;
    scalay_axis b;
    int64_t period; /* the extent itself when it holds less than one period: then full is 0 */
    int64_t full;
    int64_t rest;
} axis_pair;

/* A single class repeats after every index, whatever its blocks are. */
static scalay_axis without_idle_blocks(const scalay_axis *axis)
{
    scalay_axis simple = *axis;
    if (axis->classes == 1) {
        simple.block = 1;
        simple.runs = NULL;
    }
    return simple;
}

/* lcm of the two periods; 0 when the extent is shorter, or there is none. */
static int64_t common_period(const scalay_axis *a, const scalay_axis *b)
{
    int64_t period_a, period_b, period;
    if (a->runs != NULL || b->runs != NULL) return 0; /* runs do not repeat */
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

static double walk_length(const axis_pair *pair, int64_t count)
{
    return scalay_interval_walk_length(&pair->a, &pair->b, count);
}

/* ------------------------------------------------------------------------ a full period in closed form */

/* The arc [start, start + length) of the residues modulo g, length < g. */
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

/* A block covers every residue block / g times, and those of this arc once more. */
static residue_arc class_arc(const scalay_axis *axis, int64_t class, int64_t g)
{
    int64_t turn = class < axis->source ? class - axis->source + axis->classes : class - axis->source;
    int64_t start = turn * axis->block % g - axis->first % g;
    return (residue_arc){start < 0 ? start + g : start, axis->block % g};
}

/*
 * Adds the counts of `times` whole periods, and of one more when `one_more`. With g the gcd of the periods, an index
 * modulo L is a pair of indices modulo the periods that agree modulo g; the blocks are alpha g + a and beta g + b.
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
            if (one_more) *entry += count; /* first: with what is taken off it cannot overflow */
            *entry += times * count;
        }
    }
}

/* ------------------------------------------------------------------------------------- a table of pairs */

static void add_walk(const axis_pair *pair, int64_t begin, int64_t end, int64_t times, int64_t *table)
{
    scalay_interval_walk walk = scalay_interval_walk_start(&pair->a, &pair->b, begin, end);
    scalay_common_interval cut;
    while (scalay_interval_walk_next(&walk, &cut))
        table[cut.class_a * pair->b.classes + cut.class_b] += times * cut.count;
}

static void fill_table(const axis_pair *pair, int64_t *table)
{
    int64_t missing = pair->period - pair->rest;
    double shorter = walk_length(pair, scalay_min_int64(pair->rest, missing));
    double pairs = (double)pair->a.classes * (double)pair->b.classes;
    if (pair->full == 0 || pairs + shorter >= walk_length(pair, pair->period)) {
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

/* --------------------------------------------------------------------------------------- a list of cuts */

/* Lists the cuts of a stretch, each counted `times` times. */
static scalay_status list_walk(const axis_pair *pair, int64_t begin, int64_t end, int64_t times,
                               scalay_interval_list *list)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_interval_walk walk = scalay_interval_walk_start(&pair->a, &pair->b, begin, end);
    scalay_common_interval cut;
    if (times == 0) return status;
    while (status == SCALAY_SUCCESS && scalay_interval_walk_next(&walk, &cut)) {
        cut.count *= times;
        status = scalay_interval_list_add(list, &cut);
    }
    return status;
}

/* Makes one entry of neighbours of the same classes; returns how many there are. */
static int64_t merge_equals(scalay_interval_list *list)
{
    int64_t entries = 0;
    for (int64_t k = 0; k < list->cuts; k++) {
        scalay_common_interval *last = &list->cut[entries - (entries > 0)], *cut = &list->cut[k];
        if (entries > 0 && last->class_a == cut->class_a && last->class_b == cut->class_b)
            last->count += cut->count;
        else
            list->cut[entries++] = *cut;
    }
    return entries;
}

static scalay_status overlap_by_list(const axis_pair *pair, scalay_axis_overlap *overlap)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_interval_list list = {0};
    SCALAY_TRY(list_walk(pair, 0, pair->rest, pair->full + 1, &list));
    SCALAY_TRY(list_walk(pair, pair->rest, pair->period, pair->full, &list));
    SCALAY_TRY(scalay_interval_list_sort(&list));
    int64_t entries = merge_equals(&list);
    SCALAY_TRY(allocate_entries(overlap, entries));
    for (int64_t k = 0; k < entries; k++) {
        overlap->class_b[k] = list.cut[k].class_b;
        overlap->count[k] = list.cut[k].count;
        overlap->start[list.cut[k].class_a + 1] = k + 1;
    }
cleanup:
    scalay_interval_list_free(&list);
    return status;
}

/* ---------------------------------------------------------------------------------------------- overlap */

scalay_status scalay_axis_overlap_create(const scalay_axis *a, const scalay_axis *b, scalay_axis_overlap *overlap)
{
    axis_pair pair = pair_axes(a, b);
    memset(overlap, 0, sizeof *overlap);
    overlap->classes_a = a->classes;
    overlap->classes_b = b->classes;
    double pairs = (double)a->classes * (double)b->classes;
    scalay_status status =
        pairs <= walk_length(&pair, pair.period) ? overlap_by_table(&pair, overlap) : overlap_by_list(&pair, overlap);
    if (status != SCALAY_SUCCESS) {
        scalay_axis_overlap_free(overlap);
        return status;
    }
    /* Rows without entries end where the row before them does. */
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
