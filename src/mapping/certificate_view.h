#ifndef SCALAY_MAPPING_CERTIFICATE_VIEW_H
#define SCALAY_MAPPING_CERTIFICATE_VIEW_H

/**
 * @file
 * The traffic as a check reads it, process by process: a traffic matrix, or what pairs of grids have in common, which
 * is found again for each process and never kept. Nothing here is shared with the solvers.
 */

#include "layout/axis.h"
#include "scalay/mapping.h"

/** A pair of grids. */
typedef struct {
    const scalay_layout *source, *target;
    int64_t weight; /* of its items */
    scalay_axis_overlap row, col;
    int64_t *most_of_col; /* shape [column classes of the source]: the largest overlap of each */
} scalay_view_pair;

/** What is to be read. */
typedef struct {
    int processes, parts;
    int64_t items;
    const int64_t *held, *wanted;  /* shape [processes], [parts] */
    const scalay_traffic *traffic; /* NULL: the pairs; not owned */
    int pairs;
    scalay_view_pair *pair;
    int64_t *sums; /* shape [processes + parts]: held and wanted of pairs */
    int *part;     /* shape [parts]: of the process read last; likewise the next */
    int64_t *count;
    int64_t *sum;   /* shape [parts]: zero between reads; only for several pairs */
    int64_t *least; /* shape [row classes of the target], of a single pair: see scalay_view_set_prices() */
} scalay_traffic_view;

/** What a process holds. */
typedef struct {
    int64_t entries;
    const int *part;      /* shape [entries]; valid until the next read */
    const int64_t *count; /* shape [entries], all positive */
} scalay_view_row;

/** A view of a traffic matrix, which must stay. */
scalay_traffic_view scalay_view_of_traffic(const scalay_traffic *traffic);

/** A view of pairs of grids, which must stay; to be released with scalay_view_free(), also on failure.
 * @return SCALAY_SUCCESS, SCALAY_ERROR_RANGE (more than 2^63 - 1 items), SCALAY_ERROR_MEMORY */
scalay_status scalay_view_of_grids(int pairs, const scalay_layout *const *source, const scalay_layout *const *target,
                                   const int64_t *weight, scalay_traffic_view *view);

/** Releases what a view holds. A zeroed one is fine. */
void scalay_view_free(scalay_traffic_view *view);

/**
 * What process i holds.
 * @param[in] floor  entries of so many items or fewer may be missing; INT64_MIN or 0: none is
 */
scalay_view_row scalay_view_read(scalay_traffic_view *view, int i, int64_t floor);

/** Tells what items of each part have to exceed, for scalay_view_read_dearer(). price has shape [parts]. */
scalay_status scalay_view_set_prices(scalay_traffic_view *view, const int64_t *price);

/** As scalay_view_read(), where entries of no more items than base + the price of their part may be missing. */
scalay_view_row scalay_view_read_dearer(scalay_traffic_view *view, int i, int64_t base);

#endif
