#ifndef SCALAY_PARTITION_DRAWING_H
#define SCALAY_PARTITION_DRAWING_H

/**
 * @file
 * Drawings: partitions with real-valued edges, before they are rounded to whole rows and columns.
 *
 * A drawing is a list of painted rectangles on an m x n domain. Later rectangles cover earlier ones; together they
 * cover the domain. scalay_rounding_create() makes an owner map of a drawing.
 */

#include "base/status.h"
#include "scalay/partition.h"

/** A painted rectangle. */
typedef struct {
    int part;
    double row, col;   /* upper left corner */
    double rows, cols; /* at least 0 */
} scalay_paint;

/** A partition with real-valued edges. Zeroed is empty. */
typedef struct {
    double m, n;
    int64_t count;
    int64_t capacity;
    scalay_paint *paint; /* shape [capacity] */
} scalay_drawing;

/** Adds a rectangle on top of the others. @return SCALAY_SUCCESS, SCALAY_ERROR_MEMORY */
scalay_status scalay_drawing_add(scalay_drawing *drawing, scalay_paint paint);

/** Releases the rectangles and zeroes the drawing. Zeroed is allowed. */
void scalay_drawing_free(scalay_drawing *drawing);

/* ------------------------------------------------------------------------------------------------------------ bands */

/** Direction of bands. */
typedef enum { SCALAY_BANDS_OF_ROWS, SCALAY_BANDS_OF_COLUMNS } scalay_bands_way;

/** A band: the rows (or columns) between two neighbouring edges. All of them have the same owners along the line. */
typedef struct {
    double thickness;   /* of the band, positive */
    double length;      /* of a line: n for rows, m for columns */
    int owners;         /* 0: nothing is painted */
    const int *owner;   /* shape [owners], ascending */
    const double *held; /* shape [owners]: length of a line that each owner owns */
} scalay_band;

/**
 * Visits all bands in the order of their positions: plane sweep. Time: O(edges log edges + sum over the bands of
 * r^2), with r the rectangles that intersect a band.
 * @param[in]  visit  a status other than SCALAY_SUCCESS ends the visit
 * @return the status of visit(), SCALAY_ERROR_MEMORY
 */
scalay_status scalay_bands_visit(const scalay_drawing *drawing, int parts, scalay_bands_way way,
                                 scalay_status (*visit)(const scalay_band *band, void *context), void *context);

/* ------------------------------------------------------------------------------------------------------------ costs */

/**
 * Computes f_c = n (sum over rows of (owners - 1) + sum over columns of (owners - 1)), with lengths instead of numbers
 * of lines.
 * @param[out] cost  caller-owned
 * @return SCALAY_SUCCESS, SCALAY_ERROR_MEMORY
 */
scalay_status scalay_drawing_cost(const scalay_drawing *drawing, int parts, double *cost);

/** Evaluates drawings with the same parts over the same links. */
typedef struct {
    int parts;
    double *held;                  /* shape [parts] */
    struct scalay_link_load *load; /* NULL: no link costs */
} scalay_drawing_meter;

/**
 * Creates a meter.
 * @param[in]  links  checked for these parts; they must live as long as the meter. NULL or no processors: time and
 *                    energy are NaN
 * @param[out] meter  to be released with scalay_drawing_meter_free(), also on failure
 * @return SCALAY_SUCCESS, SCALAY_ERROR_MEMORY
 */
scalay_status scalay_drawing_meter_create(int parts, const scalay_links *links, scalay_drawing_meter *meter);

/** Releases what a meter holds and zeroes it. Zeroed is allowed. */
void scalay_drawing_meter_free(scalay_drawing_meter *meter);

/**
 * Computes seconds and joules as scalay_multiply_cost_create() does for maps, with lengths instead of numbers of lines.
 * NaN: the links do not have them.
 * @param[out] time, energy  caller-owned
 * @return SCALAY_SUCCESS, SCALAY_ERROR_MEMORY
 */
scalay_status scalay_drawing_measure(const scalay_drawing *drawing, scalay_drawing_meter *meter, double *time,
                                     double *energy);

/** As scalay_drawing_measure(), for a single drawing. */
scalay_status scalay_drawing_link_cost(const scalay_drawing *drawing, int parts, const scalay_links *links,
                                       double *time, double *energy);

#endif
