#ifndef SCALAY_PARTITION_STRIPS_H
#define SCALAY_PARTITION_STRIPS_H

/** @file The strips of a drawing: rows (or columns) with the same owners all along, from one edge to the next. */

#include "partition/drawing.h"

/** Which way the strips lie. */
typedef enum { SCALAY_BANDS_OF_ROWS, SCALAY_BANDS_OF_COLUMNS } scalay_bands_way;

/** A strip. */
typedef struct {
    double thickness;   /* how many lines it is */
    double length;      /* of a line: n for rows, m for columns */
    int owners;         /* 0 where nothing is painted */
    const int *owner;   /* shape [owners], ascending */
    const double *held; /* shape [owners]: the length of a line that each of them owns */
} scalay_band;

/**
 * Visits every strip of positive thickness, in order. O(edges log edges + sum over the strips of the square of the
 * rectangles that reach into it).
 * @param[in]  visit  anything but SCALAY_SUCCESS ends it
 * @return what visit returned, SCALAY_ERROR_MEMORY
 */
scalay_status scalay_bands_visit(const scalay_drawing *drawing, int parts, scalay_bands_way way,
                                 scalay_status (*visit)(const scalay_band *strip, void *context), void *context);

#endif
