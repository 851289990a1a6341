#ifndef SCALAY_PARTITION_QUILT_H
#define SCALAY_PARTITION_QUILT_H

/**
 * @file
 * A map under construction: rows and columns of cells whose lines can be split off, one owner per pair.
 *
 * A band is a stretch of neighbouring lines that have the same owners all along. Splitting one adds a band at the end
 * of the list, so that bands keep their numbers; where they lie is told by their first line. Memory and time follow
 * the bands, not the lines.
 */

#include "base/status.h"
#include "scalay/partition.h"

/** Directions: bands of rows, bands of columns. The other one is 1 - direction. */
enum { SCALAY_BUILDER_ROWS, SCALAY_BUILDER_COLUMNS };

/** The bands of a direction that a part is in. */
typedef struct {
    int64_t count;
    int64_t room;
    int64_t *band;
} scalay_map_builder_list;

/** The bands of a direction. */
typedef struct {
    int64_t count;
    int64_t room_first, room_lines;
    int64_t *first; /* shape [room_first]: of each band, its first line */
    int64_t *lines; /* shape [room_lines]: at least 1 */
} scalay_map_builder_bands;

/** The map. */
typedef struct {
    int parts;
    int64_t extent[2]; /* lines of each direction */
    scalay_map_builder_bands bands[2];
    int64_t down, across;             /* room for row bands, for column bands */
    int *owner;                       /* shape [down][across] */
    int64_t *count;                   /* shape [parts]: cells */
    scalay_map_builder_list *list[2]; /* shape [parts] each */
    int64_t *stamp;                   /* shape [parts]: scratch of scalay_map_builder_split */
    int64_t stamped;
} scalay_map_builder;

/**
 * A quilt of a grid of cells.
 * @param[in]  rows, cols  bands; their lines are cut[k] .. cut[k + 1] - 1
 * @param[in]  owner       shape [rows][cols]
 * @param[out] quilt       to be released with scalay_map_builder_free(), also on failure
 * @return SCALAY_SUCCESS, SCALAY_ERROR_MEMORY
 */
scalay_status scalay_map_builder_create(int parts, int64_t rows, const int64_t *row_cut, int64_t cols,
                                        const int64_t *col_cut, const int *owner, scalay_map_builder *quilt);

/** Releases what a quilt holds; zeroed is fine. */
void scalay_map_builder_free(scalay_map_builder *quilt);

/** The owner where a band of a direction meets a band of the other direction. */
int scalay_map_builder_owner(const scalay_map_builder *quilt, int direction, int64_t band, int64_t other);

/**
 * Splits lines off a band, from its front or from its back.
 * @param[out] split  the new band; the band itself when all its lines are asked for
 * @return SCALAY_SUCCESS, SCALAY_ERROR_MEMORY
 */
scalay_status scalay_map_builder_split(scalay_map_builder *quilt, int direction, int64_t band, int64_t lines,
                                       int from_front, int64_t *split);

/** Gives all cells where two bands meet to a part. @return SCALAY_SUCCESS, SCALAY_ERROR_MEMORY */
scalay_status scalay_map_builder_set_owner(scalay_map_builder *quilt, int direction, int64_t band, int64_t other,
                                           int part);

/** Cuts and owners of the quilt, bands in the order of their lines; arrays for the caller to release. */
scalay_status scalay_map_builder_cells(const scalay_map_builder *quilt, int64_t **row_cut, int64_t **col_cut,
                                       int **owner);

#endif
