#ifndef SCALAY_PARTITION_DRAWING_H
#define SCALAY_PARTITION_DRAWING_H

/**
 * @file
 * Continuous partitions: what the shapes and methods draw before anything is rounded.
 *
 * A drawing is a list of rectangles with real edges on an m x n domain, painted in order: later ones cover earlier
 * ones. Together they cover the domain. Rounding (rounding.h) turns it into an owner map.
 */

#include "base/status.h"
#include "scalay/partition.h"

/** A painted rectangle. */
typedef struct {
    int part;
    double row, col;   /* its upper left corner */
    double rows, cols; /* its extents, at least 0 */
} scalay_paint;

/** A continuous partition. */
typedef struct {
    double m, n;
    int64_t count;
    int64_t room;
    scalay_paint *paint; /* shape [room] */
} scalay_drawing;

/** Adds a rectangle on top. SCALAY_SUCCESS, SCALAY_ERROR_MEMORY. */
scalay_status scalay_drawing_add(scalay_drawing *drawing, scalay_paint paint);

/** Releases what a drawing holds; zeroed is fine. */
void scalay_drawing_free(scalay_drawing *drawing);

/**
 * What a drawing costs by definition, found by compressing the coordinates: f_c = n (sum over rows of (owners - 1) +
 * sum over columns of (owners - 1)), with lengths instead of line counts; k = n, see partition.h.
 * @param[out] cost  caller-owned
 * @return SCALAY_SUCCESS, SCALAY_ERROR_MEMORY
 */
scalay_status scalay_drawing_cost(const scalay_drawing *drawing, int parts, double *cost);

/** Measures drawings with the same parts over the same links, again and again. */
typedef struct {
    int parts;
    double *held;                  /* shape [parts] */
    struct scalay_link_load *load; /* NULL: there are no link costs */
} scalay_drawing_meter;

/**
 * A meter.
 * @param[in]  links  have been checked for these parts; they must live as long as the meter; NULL or no processors:
 *                    time and energy will be NaN
 * @param[out] meter  to be released with scalay_drawing_meter_free(), also on failure
 * @return SCALAY_SUCCESS, SCALAY_ERROR_MEMORY
 */
scalay_status scalay_drawing_meter_create(int parts, const scalay_links *links, scalay_drawing_meter *meter);

/** Releases what a meter holds; zeroed is fine. */
void scalay_drawing_meter_free(scalay_drawing_meter *meter);

/**
 * Seconds and joules for a drawing, with lengths instead of line counts and k = n, as scalay_multiply_cost_create()
 * does it for maps; NaN for what the links do not say.
 * @param[out] time, energy  caller-owned
 * @return SCALAY_SUCCESS, SCALAY_ERROR_MEMORY
 */
scalay_status scalay_drawing_measure(const scalay_drawing *drawing, scalay_drawing_meter *meter, double *time,
                                     double *energy);

/** The same for a single drawing. */
scalay_status scalay_drawing_link_cost(const scalay_drawing *drawing, int parts, const scalay_links *links,
                                       double *time, double *energy);

/** What the candidates are made for. */
typedef struct {
    double m, n;
    int parts;
    const double *area;                      /* shape [parts]: in elements, they sum up to m n; zero areas allowed */
    const scalay_partition_options *options; /* never NULL */
} scalay_partition_problem;

/** A candidate in the making. */
typedef struct {
    const char *shape; /* static */
    int feasible;
    int *assignment; /* shape [parts]; NULL: regions are the parts */
    double continuous_cost;
    double time;   /* NaN: not known */
    double energy; /* NaN: not known */
    char *reason;  /* NULL: none needed */
    scalay_drawing drawing;
} scalay_candidate;

/** Releases what a candidate holds; zeroed is fine. */
void scalay_candidate_free(scalay_candidate *candidate);

/** A shape or method. One file each; the table is in methods.c. */
typedef struct {
    const char *name;
    int fewest_parts, most_parts; /* that it is for, parts of area 0 not counted; most 0: any */
    int in_portfolio;             /* 1: "auto" tries it */
    /* fills a zeroed candidate; areas of 0 have been taken out, areas are in the caller's order */
    scalay_status (*draw)(const scalay_partition_problem *problem, scalay_candidate *candidate);
} scalay_partition_method;

/** The shapes and methods, ended by a name of NULL; "auto" is not among them. */
extern const scalay_partition_method scalay_partition_method_table[];

/**
 * LB*: a lower bound on f_c over all partitions of an m x n domain with these areas.
 * @param[out] bound  caller-owned
 * @return SCALAY_SUCCESS, SCALAY_ERROR_MEMORY
 */
scalay_status scalay_partition_bound(const scalay_partition_problem *problem, double *bound);

#endif
