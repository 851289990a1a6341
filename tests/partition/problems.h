#ifndef SCALAY_TESTS_PARTITION_PROBLEMS_H
#define SCALAY_TESTS_PARTITION_PROBLEMS_H

/** @file Areas to partition, and the definitions of what a partition costs, written once more and slowly. */

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "partition/methods.h"
#include "support/serial.h"
#include "support/speeds.h"

enum { MOST_TEST_PARTS = 64 };

/** Fails unless two numbers agree relatively. */
static inline void assert_close(double a, double b, double error)
{
    if (fabs(a - b) > error * (fabs(a) + fabs(b)) + 1e-300) fail_msg("%.17g and %.17g differ", a, b);
}

/** The least cost of three parts of a unit square by slicing, which is the bound; areas fall. */
static inline double three_parts(const double *area)
{
    const double q = area[1];
    const double r = area[2];
    return fmin(2.0 * (sqrt(q) + sqrt(r)), fmin(1.0 + 2.0 * sqrt(r), 2.0 - area[0]));
}

/** A drawing by the method of a name. */
static inline scalay_status draw_by(const char *name, const scalay_partition_problem *problem,
                                    scalay_candidate *candidate)
{
    const scalay_partition_method *method = scalay_partition_method_table;
    while (strcmp(method->name, name) != 0) method++;
    *candidate = (scalay_candidate){0};
    return method->draw(problem, method->variant, candidate);
}

static inline int sort_cuts(double *cut, int count, double extent)
{
    int kept = 1;
    for (int i = 1; i < count; i++)
        for (int j = i; j > 0 && cut[j - 1] > cut[j]; j--) {
            double other = cut[j];
            cut[j] = cut[j - 1];
            cut[j - 1] = other;
        }
    for (int i = 1; i < count; i++)
        if (cut[i] - cut[kept - 1] > 1e-11 * extent) cut[kept++] = cut[i];
    return kept;
}

/** Who is on top at a point. */
static inline int top_part(const scalay_drawing *drawing, double row, double col)
{
    for (int64_t k = drawing->count - 1; k >= 0; k--) {
        const scalay_paint *paint = &drawing->paint[k];
        if (row >= paint->row && row <= paint->row + paint->rows && col >= paint->col &&
            col <= paint->col + paint->cols)
            return paint->part;
    }
    return -1;
}

/** Areas and f_c of a drawing by definition, on the grid of all edges, for at most MOST_TEST_PARTS parts. */
static inline double define_cost(const scalay_drawing *drawing, int parts, double *area)
{
    int most = 2 * (int)drawing->count + 2;
    double *row = malloc((size_t)most * sizeof *row);
    double *col = malloc((size_t)most * sizeof *col);
    unsigned char *in_col = calloc((size_t)most * MOST_TEST_PARTS, 1);
    double lines = 0.0;
    int count = 0;
    assert_true(row != NULL && col != NULL && in_col != NULL);
    row[count] = col[count] = 0.0;
    row[++count] = drawing->m;
    col[count++] = drawing->n;
    for (int64_t k = 0; k < drawing->count; k++) {
        const scalay_paint *paint = &drawing->paint[k];
        row[count] = fmin(paint->row, drawing->m);
        col[count++] = fmin(paint->col, drawing->n);
        row[count] = fmin(paint->row + paint->rows, drawing->m);
        col[count++] = fmin(paint->col + paint->cols, drawing->n);
    }
    int rows = sort_cuts(row, count, drawing->m) - 1;
    int cols = sort_cuts(col, count, drawing->n) - 1;
    for (int k = 0; k < parts; k++) area[k] = 0.0;
    for (int i = 0; i < rows; i++) {
        unsigned char in_row[MOST_TEST_PARTS] = {0};
        for (int j = 0; j < cols; j++) {
            int part = top_part(drawing, 0.5 * (row[i] + row[i + 1]), 0.5 * (col[j] + col[j + 1]));
            assert_in_range(part, 0, parts - 1);
            area[part] += (row[i + 1] - row[i]) * (col[j + 1] - col[j]);
            in_row[part] = 1;
            in_col[j * MOST_TEST_PARTS + part] = 1;
        }
        for (int k = 0; k < parts; k++) lines += in_row[k] * (row[i + 1] - row[i]);
    }
    for (int j = 0; j < cols; j++)
        for (int k = 0; k < parts; k++) lines += in_col[j * MOST_TEST_PARTS + k] * (col[j + 1] - col[j]);
    free(row);
    free(col);
    free(in_col);
    return drawing->n * (lines - drawing->m - drawing->n);
}

#endif
