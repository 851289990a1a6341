#ifndef SCALAY_PARTITION_MAP_BUILDER_H
#define SCALAY_PARTITION_MAP_BUILDER_H

/**
 * @file
 * A map under construction: bands of rows and bands of columns, and one owner for each pair of bands.
 *
 * A band is a range of neighbouring lines with the same owners along the whole line. Splitting a band adds a band at
 * the end of the list, so that bands keep their numbers. Memory and time depend on the bands, not on the lines.
 */

#include "base/status.h"
#include "scalay/partition.h"

/** A grid of cells between cuts, with one owner per cell. Zeroed is empty. */
typedef struct {
    int64_t rows, cols;
    int64_t *row_cut; /* shape [rows + 1], ascending from 0 */
    int64_t *col_cut; /* shape [cols + 1], ascending from 0 */
    int *owner;       /* shape [rows][cols] */
} scalay_cell_grid;

/** Releases the arrays of a grid and zeroes it. Zeroed is allowed. */
void scalay_cell_grid_free(scalay_cell_grid *grid);

/** Splits the cells of a grid into cells of one row and one column. @return SCALAY_SUCCESS, SCALAY_ERROR_MEMORY */
scalay_status scalay_cell_grid_refine(scalay_cell_grid *grid);

/** Directions. The other direction is 1 - direction. */
enum { SCALAY_BUILDER_ROWS, SCALAY_BUILDER_COLUMNS };

/** The bands of a direction in which a part owns cells. */
typedef struct {
    int64_t count;
    int64_t capacity;
    int64_t *band;
} scalay_map_builder_list;

/** The bands of a direction. */
typedef struct {
    int64_t count;
    int64_t first_capacity, lines_capacity;
    int64_t *first; /* shape [first_capacity]: first line of each band */
    int64_t *lines; /* shape [lines_capacity]: number of lines of each band, at least 1 */
} scalay_map_builder_bands;

/** The map. A cell is one line crossing one other line. */
typedef struct {
    int parts;
    int64_t extent[2]; /* lines of each direction */
    scalay_map_builder_bands bands[2];
    int64_t down, across;             /* capacity for row bands and for column bands */
    int *owner;                       /* shape [down][across] */
    int64_t *count;                   /* shape [parts]: cells */
    scalay_map_builder_list *list[2]; /* shape [parts] each */
    int64_t *stamp;                   /* shape [parts]: marks of list_band() */
    int64_t stamped;
} scalay_map_builder;

/**
 * Creates a builder from a grid of cells. The cuts ascend strictly.
 * @param[out] builder  to be released with scalay_map_builder_free(), also on failure
 * @return SCALAY_SUCCESS, SCALAY_ERROR_MEMORY
 */
scalay_status scalay_map_builder_create(int parts, const scalay_cell_grid *grid, scalay_map_builder *builder);

/** Releases the arrays of a builder. Zeroed is allowed. */
void scalay_map_builder_free(scalay_map_builder *builder);

/** Returns the owner of a pair of bands. */
int scalay_map_builder_owner(const scalay_map_builder *builder, int direction, int64_t band, int64_t other);

/**
 * Splits lines off the front or the back of a band.
 * @param[out] split  the new band; the band itself if all its lines are requested
 * @return SCALAY_SUCCESS, SCALAY_ERROR_MEMORY
 */
scalay_status scalay_map_builder_split(scalay_map_builder *builder, int direction, int64_t band, int64_t lines,
                                       int from_front, int64_t *split);

/** Sets the owner of a pair of bands. @return SCALAY_SUCCESS, SCALAY_ERROR_MEMORY */
scalay_status scalay_map_builder_set_owner(scalay_map_builder *builder, int direction, int64_t band, int64_t other,
                                           int part);

/** Creates the grid of the bands, in the order of their lines. @return SCALAY_SUCCESS, SCALAY_ERROR_MEMORY */
scalay_status scalay_map_builder_get_grid(const scalay_map_builder *builder, scalay_cell_grid *grid);

#endif
