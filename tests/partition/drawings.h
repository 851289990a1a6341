#ifndef SCALAY_TESTS_PARTITION_DRAWINGS_H
#define SCALAY_TESTS_PARTITION_DRAWINGS_H

/** @file Drawings made by the tests, and what an owner map costs by looking at every element. */

#include <math.h>
#include <stdlib.h>

#include "base/random.h"
#include "partition/rounding.h"

/** A drawing on the stack. */
enum { MOST_PAINTS = 5000 };

typedef struct {
    int count;
    scalay_paint paint[MOST_PAINTS];
} painted;

static inline void add_paint(painted *p, int part, double row, double col, double rows, double cols)
{
    p->paint[p->count++] = (scalay_paint){part, row, col, rows, cols};
}

static inline scalay_drawing drawing_of(painted *p, int64_t m, int64_t n)
{
    return (scalay_drawing){(double)m, (double)n, p->count, MOST_PAINTS, p->paint};
}

/** Halves parts first .. end - 1, and the longer side of their rectangle, by area. */
static inline void paint_halves(painted *p, const double *area, int first, int end, double row, double col, double rows,
                                double cols)
{
    double all = 0, half = 0;
    int middle = first;
    if (end - first == 1) {
        add_paint(p, first, row, col, rows, cols);
        return;
    }
    for (int k = first; k < end; k++) all += area[k];
    do half += area[middle++];
    while (half < all / 2 && middle < end - 1);
    const double share = half / all;
    if (rows > cols) {
        paint_halves(p, area, first, middle, row, col, rows * share, cols);
        paint_halves(p, area, middle, end, row + rows * share, col, rows * (1 - share), cols);
    } else {
        paint_halves(p, area, first, middle, row, col, rows, cols * share);
        paint_halves(p, area, middle, end, row, col + cols * share, rows, cols * (1 - share));
    }
}

/** Areas that sum up to m n, some of them many times larger than others. */
static inline void random_areas(scalay_random *random, int parts, int64_t m, int64_t n, double *area)
{
    double sum = 0;
    for (int k = 0; k < parts; k++) sum += area[k] = 0.2 + scalay_random_unit(random) * (k % 5 == 0 ? 5 : 1);
    for (int k = 0; k < parts; k++) area[k] *= (double)m * (double)n / sum;
}

/** f_c / k: owners of every row and column beyond the first, element by element. */
static inline int64_t owners_beyond_the_first(const scalay_owner_map *map)
{
    const int64_t m = scalay_owner_map_rows(map), n = scalay_owner_map_cols(map);
    const int parts = scalay_owner_map_parts(map);
    char *met = calloc((size_t)parts, 1);
    int64_t owners = -m - n;
    for (int64_t line = 0; line < m + n; line++) {
        for (int part = 0; part < parts; part++) met[part] = 0;
        for (int64_t k = 0; k < (line < m ? n : m); k++)
            met[line < m ? scalay_owner_map_owner(map, line, k) : scalay_owner_map_owner(map, k, line - m)] = 1;
        for (int part = 0; part < parts; part++) owners += met[part];
    }
    free(met);
    return owners;
}

/** The elements of each part, counted. */
static inline void count_elements(const scalay_owner_map *map, int64_t *count)
{
    for (int part = 0; part < scalay_owner_map_parts(map); part++) count[part] = 0;
    for (int64_t i = 0; i < scalay_owner_map_rows(map); i++)
        for (int64_t j = 0; j < scalay_owner_map_cols(map); j++) count[scalay_owner_map_owner(map, i, j)]++;
}

/** The best of square corner, square rectangle and block rectangle for three areas of an n x n matrix, the first the
 *  largest and the last the smallest (facts about three processors with equal links). */
static inline void paint_three(painted *p, const double *area, int64_t n)
{
    const double side = (double)n, all = side * side, q = area[1] / all, r = area[2] / all;
    const double corner = sqrt(q) + sqrt(r) <= 1 ? 2 * (sqrt(q) + sqrt(r)) : 9, block = 1 + q + r;
    const double square = sqrt(r) <= 1 - q ? 1 + 2 * sqrt(r) : 9, small = sqrt(r) * side, strip = (q + r) * side;
    add_paint(p, 0, 0, 0, side, side);
    if (corner <= square && corner <= block) {
        add_paint(p, 1, 0, 0, sqrt(q) * side, sqrt(q) * side);
        add_paint(p, 2, side - small, side - small, small, small);
    } else if (square <= block) {
        add_paint(p, 1, 0, 0, side, q * side);
        add_paint(p, 2, side - small, side - small, small, small);
    } else {
        add_paint(p, 1, 0, 0, q / (q + r) * side, strip);
        add_paint(p, 2, q / (q + r) * side, 0, r / (q + r) * side, strip);
    }
}

#endif
