#ifndef SCALAY_TESTS_MAPPING_PAPER_H
#define SCALAY_TESTS_MAPPING_PAPER_H

/**
 * @file
 * The random distributions of Herrmann et al., Parallel Computing 52 (2016), sections 4.3 and 6.3, and what mapping
 * them should give. Used by the test of those numbers and by the benchmark that prints them.
 */

#include <stdlib.h>

#include "../summaries.h"
#include "base/random.h"
#include "layout/layout.h"
#include "scalay/layout.h"
#include "scalay/mapping.h"

enum { PAPER_FIGURE_PROCESSES = 32, PAPER_FIGURE_RUNS = 200, PAPER_TABLE_GRID = 4, PAPER_POINTS = 6, PAPER_ROWS = 5 };

/** A point of figure 2 or 3: ratios to the canonical mapping. */
typedef struct {
    int items;    /* D: of each process and of each part */
    double alpha; /* the share of each part that is on the next process */
    double volume;
    double steps;
} paper_point;

/* Values that were computed before with other programs; the paper only draws them. */
static const paper_point paper_figure_2[PAPER_POINTS] = {
    {1, 0, 0, 0}, {2, 0, .508, .500}, {5, 0, .782, .800}, {10, 0, .852, .900}, {15, 0, .884, .929}, {20, 0, .901, .903},
};
static const paper_point paper_figure_3[PAPER_ROWS] = {
    {20, 0, .904, .902}, {20, .2, .795, .800}, {20, .5, .493, .500}, {20, .8, .194, .200}, {20, 1, 0, 0},
};

/** A row of table 1: tiles that change process and steps, for the canonical and the best mapping. */
typedef struct {
    int tiles; /* the matrix is tiles x tiles */
    double volume[2];
    double steps[2];
    double paper_volume[2];
    double paper_steps[2];
} paper_row;

/* The paper's columns of steps contradict its own generator. */
static const paper_row paper_table_1a[PAPER_ROWS] = {
    {16, {247, 120}, {27, 18}, {249, 119}, {37, 32}},
    {34, {1122, 542}, {109, 71}, {1119, 538}, {157, 149}},
    {52, {2619, 1269}, {248, 162}, {2616, 1257}, {378, 353}},
    {70, {4752, 2298}, {444, 290}, {4739, 2286}, {680, 638}},
    {88, {7500, 3628}, {698, 455}, {7492, 3615}, {1092, 1019}},
};
static const paper_row paper_table_1b[PAPER_ROWS] = {
    {16, {240, 218}, {0, 0}, {240, 205}, {34, 31}},       {34, {1085, 1049}, {0, 0}, {1087, 1004}, {153, 142}},
    {52, {2530, 2482}, {0, 0}, {2526, 2425}, {349, 338}}, {70, {4592, 4512}, {0, 0}, {4598, 4459}, {681, 659}},
    {88, {7260, 7161}, {0, 0}, {7271, 7129}, {963, 951}},
};

/** Costs, and how often they were added up. */
typedef struct {
    double volume[2]; /* canonical, best */
    double steps[2];
    int runs;
} paper_mean;

/** Adds the costs of the canonical mapping and of the best ones. */
static inline scalay_status paper_add(const scalay_traffic *traffic, paper_mean *mean)
{
    static const scalay_objective objectives[] = {SCALAY_CANONICAL, SCALAY_MIN_VOLUME, SCALAY_MIN_STEPS};
    scalay_mapping *mapping[3] = {NULL, NULL, NULL};
    scalay_status status = SCALAY_SUCCESS;
    for (int k = 0; k < 3 && status == SCALAY_SUCCESS; k++)
        status = scalay_mapping_from_traffic(traffic, objectives[k], NULL, &mapping[k]);
    if (status == SCALAY_SUCCESS) {
        mean->volume[0] += (double)mapping_summary(mapping[0]).volume;
        mean->volume[1] += (double)mapping_summary(mapping[1]).volume;
        mean->steps[0] += (double)mapping_summary(mapping[0]).steps;
        mean->steps[1] += (double)mapping_summary(mapping[2]).steps;
        mean->runs++;
    }
    for (int k = 0; k < 3; k++) scalay_mapping_destroy(&mapping[k]);
    return status;
}

/** Section 4.3: every process holds and every part needs D items; of each part, floor(alpha D) are on the next process,
 * the others anywhere. */
static inline scalay_status paper_figure_traffic(const paper_point *point, scalay_random *random,
                                                 scalay_traffic **traffic)
{
    enum { P = PAPER_FIGURE_PROCESSES, MOST = 20 };
    int process[P * MOST];
    int part[P * MOST];
    int64_t items[P * MOST];
    int fixed = (int)(point->alpha * point->items);
    int count = 0;
    for (int j = 0; j < P; j++)
        for (int k = 0; k < point->items; k++, count++) {
            process[count] = k < fixed ? (j + 1) % P : j;
            part[count] = j;
            items[count] = 1;
        }
    /* Shuffles the items that are not fixed. */
    for (int e = count - 1; e > 0; e--) {
        if (e % point->items < fixed) continue;
        int other = 0;
        do other = (int)scalay_random_below(random, e + 1);
        while (other % point->items < fixed);
        int before = process[e];
        process[e] = process[other];
        process[other] = before;
    }
    return scalay_traffic_from_entries(P, P, count, process, part, items, traffic);
}

/** The mean costs of a point of a figure. */
static inline scalay_status paper_figure_mean(const paper_point *point, uint64_t seed, paper_mean *mean)
{
    scalay_random random = scalay_random_seed(seed);
    scalay_status status = SCALAY_SUCCESS;
    *mean = (paper_mean){{0, 0}, {0, 0}, 0};
    for (int run = 0; run < PAPER_FIGURE_RUNS && status == SCALAY_SUCCESS; run++) {
        scalay_traffic *traffic = NULL;
        status = paper_figure_traffic(point, &random, &traffic);
        if (status == SCALAY_SUCCESS) status = paper_add(traffic, mean);
        scalay_traffic_destroy(&traffic);
    }
    return status;
}

/** Section 6.3: the mean costs of moving skewed (1a) or chunked (1b) tile maps to a 4 x 4 block-cyclic layout. */
static inline scalay_status paper_table_mean(int tiles, int chunks, int runs, uint64_t seed, paper_mean *mean)
{
    enum { GRID = PAPER_TABLE_GRID };
    scalay_layout *target = NULL;
    scalay_status status = scalay_layout_block_cyclic(tiles, tiles, 1, 1, GRID, GRID, 0, 0, SCALAY_ROW_MAJOR, &target);
    *mean = (paper_mean){{0, 0}, {0, 0}, 0};
    for (int run = 0; run < runs && status == SCALAY_SUCCESS; run++) {
        scalay_layout *source = NULL;
        scalay_traffic *traffic = NULL;
        uint64_t own_seed = seed + (uint64_t)run;
        status = chunks ? scalay_layout_chunks(tiles, tiles, 1, 1, GRID * GRID, own_seed, &source)
                        : scalay_layout_skewed(tiles, tiles, 1, 1, GRID, GRID, own_seed, &source);
        if (status == SCALAY_SUCCESS) status = scalay_traffic_create(source, target, &traffic);
        if (status == SCALAY_SUCCESS) status = paper_add(traffic, mean);
        scalay_traffic_destroy(&traffic);
        scalay_layout_destroy(&source);
    }
    scalay_layout_destroy(&target);
    return status;
}

#endif
