#ifndef SCALAY_TESTS_MAPPING_INSTANCES_H
#define SCALAY_TESTS_MAPPING_INSTANCES_H

/** @file Traffic matrices for the tests of mapping, dense and small, with the generators of several kinds of them. */

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/random.h"
#include "scalay/mapping.h"
#include "support/serial.h"

/** A dense matrix of items, row by row. */
typedef struct {
    int processes;
    int parts;
    int64_t *items;
} instance;

/** The kinds of random instances; adversarial ones from KINDS on. */
enum {
    UNIFORM,
    SPARSE,
    TIES,
    SKEWED,
    HUGE_ITEMS,
    BALANCED,
    EMPTY_LINES,
    KINDS,
    ALL_EQUAL = KINDS, /* one value everywhere: any mapping is as good */
    HIDDEN,            /* a heavy permutation among decoys that are nearly as heavy */
    CROWDED,           /* some processes all want the same parts, which are fewer */
    WIDE,              /* totals from 2^31 on, entries of all magnitudes */
    PRODUCTS,          /* of a weight for each process and one for each part, with some noise or without */
    ALL_KINDS
};

/** A cost of links between nodes of four processes. */
static inline double node_link(int from, int to, void *context)
{
    (void)context;
    return from == to ? 0.0 : from / 4 == to / 4 ? 0.1 : 1.0 + 0.01 * (from % 3);
}

static inline instance instance_allocate(int processes, int parts)
{
    instance made = {processes, parts, calloc((size_t)processes * (size_t)parts, sizeof *made.items)};
    assert_non_null(made.items);
    return made;
}

static inline void instance_free(instance *made)
{
    free(made->items);
    made->items = NULL;
}

static inline int64_t instance_get(const instance *made, int i, int j)
{
    return i < made->processes ? made->items[(size_t)i * (size_t)made->parts + (size_t)j] : 0;
}

static inline int64_t random_items(scalay_random *random, const instance *made, int kind, int i, int j)
{
    switch (kind) {
    case UNIFORM:
        return scalay_random_below(random, 1000);
    case SPARSE:
        return scalay_random_below(random, 3) == 0 ? 1 + scalay_random_below(random, 50) : 0;
    case TIES:
        return scalay_random_below(random, 3);
    case SKEWED:
        return scalay_random_below(random, 4) + (i == j + 1 ? 5 : 0) + (j == 0 ? 3 : 0);
    case HUGE_ITEMS:
        return scalay_random_below(random, (INT64_C(1) << 61) / (made->processes * made->parts));
    default:
        return scalay_random_below(random, 20);
    }
}

/** Deals `each` items of every part out to random processes. */
static inline void fill_balanced(instance *made, scalay_random *random, int64_t each)
{
    for (int j = 0; j < made->parts; j++)
        for (int64_t k = 0; k < each; k++)
            made->items[scalay_random_below(random, made->processes) * made->parts + j]++;
}

/** Every line has nearly the same sum, and the best partners are hard to find. */
static inline void fill_hidden(instance *made, scalay_random *random)
{
    const int least = made->processes < made->parts ? made->processes : made->parts;
    const int turn = (int)scalay_random_below(random, made->parts);
    for (int k = 0; k < made->processes * made->parts; k++) made->items[k] = scalay_random_below(random, 2);
    for (int i = 0; i < least; i++) {
        int64_t *row = made->items + i * made->parts;
        row[(i * (least - 1) + turn) % made->parts] += 40;
        row[scalay_random_below(random, made->parts)] += 39;
        row[turn] += 39;
    }
}

/** Half of the processes have most of their items in one part fewer than they are, the others in the other parts; where
 * there are as many parts as processes, and these are even, all lines have about the same sum. */
static inline void fill_crowded(instance *made, scalay_random *random)
{
    enum { MANY = 50, FEW = 20 };
    const int group = made->processes / 2, turn = (int)scalay_random_below(random, made->parts);
    for (int i = 0; i < made->processes; i++)
        for (int j = 0; j < made->parts; j++) {
            const int wanted = (j + turn) % made->parts < group - 1, is_crowded = i < group;
            int64_t *items = &made->items[i * made->parts + j];
            *items = (is_crowded == wanted ? MANY : FEW) + scalay_random_below(random, 2);
            /* MANY - FEW less in all for every part. */
            if (!is_crowded && group > 0) *items -= (MANY - FEW) / group + ((i + j) % group < (MANY - FEW) % group);
            if (*items < 0) *items = 0;
        }
}

static inline void fill_products(instance *made, scalay_random *random)
{
    const int64_t noise = 1 + 20 * scalay_random_below(random, 2);
    for (int j = 0; j < made->parts; j++) made->items[j] = scalay_random_below(random, 100);
    for (int i = made->processes - 1; i >= 0; i--) {
        const int64_t weight = scalay_random_below(random, 100);
        for (int j = 0; j < made->parts; j++)
            made->items[i * made->parts + j] = weight * made->items[j] + scalay_random_below(random, noise);
    }
}

static inline void fill_adversarial(instance *made, scalay_random *random, int kind)
{
    const int64_t equal = 1 + scalay_random_below(random, 3);
    if (kind == HIDDEN) fill_hidden(made, random);
    if (kind == CROWDED) fill_crowded(made, random);
    if (kind == PRODUCTS) fill_products(made, random);
    for (int k = 0; k < made->processes * made->parts && kind == ALL_EQUAL; k++) made->items[k] = equal;
    for (int k = 0; k < made->processes * made->parts && kind == WIDE; k++)
        made->items[k] = scalay_random_below(random, INT64_C(1) << scalay_random_below(random, 50));
    if (kind == WIDE) made->items[0] += INT64_C(1) << 31;
}

static inline instance instance_random(scalay_random *random, int processes, int parts, int kind)
{
    instance made = instance_allocate(processes, parts);
    if (kind == BALANCED) {
        fill_balanced(&made, random, 1 + scalay_random_below(random, 12));
        return made;
    }
    if (kind >= KINDS) {
        fill_adversarial(&made, random, kind);
        return made;
    }
    int empty_row = kind == EMPTY_LINES ? (int)scalay_random_below(random, processes) : -1;
    int empty_col = kind == EMPTY_LINES ? (int)scalay_random_below(random, parts) : -1;
    for (int i = 0; i < processes; i++)
        for (int j = 0; j < parts; j++)
            made.items[i * parts + j] = i == empty_row || j == empty_col ? 0 : random_items(random, &made, kind, i, j);
    return made;
}

/** The traffic of an instance; entries are listed backwards, every third of them in two pieces. */
static inline scalay_status instance_traffic(const instance *made, scalay_traffic **traffic)
{
    int64_t cells = (int64_t)made->processes * made->parts;
    int *process = malloc((size_t)cells * 2 * sizeof *process);
    int *part = malloc((size_t)cells * 2 * sizeof *part);
    int64_t *items = malloc((size_t)cells * 2 * sizeof *items);
    int64_t count = 0;
    assert_true(process != NULL && part != NULL && items != NULL);
    for (int64_t k = cells - 1; k >= 0; k--) {
        int64_t piece = k % 3 == 0 ? made->items[k] / 2 : 0;
        for (int half = 0; half < 2; half++) {
            process[count] = (int)(k / made->parts);
            part[count] = (int)(k % made->parts);
            items[count++] = half == 0 ? piece : made->items[k] - piece;
        }
    }
    scalay_status status =
        scalay_traffic_from_entries(made->processes, made->parts, count, process, part, items, traffic);
    free(process);
    free(part);
    free(items);
    return status;
}

/** Volume and steps of an assignment by definition, processes 0 .. most-1 taking part. */
static inline void instance_cost(const instance *made, const int *process, int most, int64_t *volume, int64_t *steps)
{
    *volume = 0;
    *steps = 0;
    for (int k = 0; k < most; k++) {
        int64_t sent = 0;
        int64_t received = 0;
        for (int j = 0; j < made->parts; j++) {
            if (process[j] != k) sent += instance_get(made, k, j);
            for (int i = 0; i < made->processes && process[j] == k; i++)
                if (i != k) received += instance_get(made, i, j);
        }
        *volume += received;
        if (sent > *steps) *steps = sent;
        if (received > *steps) *steps = received;
    }
}

/** A random choice of distinct processes. */
static inline void random_processes(scalay_random *random, int processes, int parts, int *process)
{
    int *all = malloc((size_t)processes * sizeof *all);
    assert_non_null(all);
    for (int k = 0; k < processes; k++) all[k] = k;
    for (int j = 0; j < parts; j++) {
        int other = j + (int)scalay_random_below(random, processes - j);
        process[j] = all[other];
        all[other] = all[j];
    }
    free(all);
}

#endif
