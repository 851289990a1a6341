#ifndef SCALAY_MAPPING_CERTIFICATE_H
#define SCALAY_MAPPING_CERTIFICATE_H

/**
 * @file
 * Checks of mappings, independent of the solvers. A check that fails returns SCALAY_ERROR_MISMATCH in the name of
 * scalay_mapping_check().
 *
 * A traffic view gives the traffic process by process: a traffic matrix, or pairs of grids. The entries of grids are
 * computed for each process and not kept.
 */

#include "layout/axis.h"
#include "mapping/mapping.h"

/** A pair of grids. */
typedef struct {
    const scalay_layout *source, *target;
    int64_t weight; /* of its elements */
    scalay_axis_overlap row, col;
    int64_t *max_of_col; /* shape [column classes of the source]: the largest overlap of each */
} scalay_view_pair;

/** The traffic as checks read it. */
typedef struct {
    int processes, parts;
    int64_t elements;
    const int64_t *held, *wanted;  /* shape [processes], [parts] */
    const scalay_traffic *traffic; /* not owned; NULL: the pairs apply */
    int pairs;
    scalay_view_pair *pair;
    int64_t *sums;      /* shape [processes + parts]: held and wanted of pairs */
    int *part;          /* shape [parts]: of the process read last */
    int64_t *count;     /* shape [parts]: likewise */
    int64_t *sum;       /* shape [parts]: zero between reads; only for several pairs */
    int64_t *min_price; /* shape [row classes of the target], of a single pair: see scalay_view_set_prices() */
} scalay_traffic_view;

/** The entries of a process. */
typedef struct {
    int64_t entries;
    const int *part;      /* shape [entries]; valid until the next read */
    const int64_t *count; /* shape [entries], all positive */
} scalay_view_row;

/** Returns a view of a traffic matrix. */
scalay_traffic_view scalay_view_of_traffic(const scalay_traffic *traffic);

/** Creates a view of pairs of grids; release with scalay_view_free(), also on failure.
 * @return SCALAY_SUCCESS, SCALAY_ERROR_RANGE (more than 2^63 - 1 elements), SCALAY_ERROR_MEMORY */
scalay_status scalay_view_of_grids(int pairs, const scalay_layout *const *source, const scalay_layout *const *target,
                                   const int64_t *weight, scalay_traffic_view *view);

/** Releases a view. A zeroed view is allowed. */
void scalay_view_free(scalay_traffic_view *view);

/** Returns the entries of process i. Entries of at most `floor` elements may be missing; 0: none is. */
scalay_view_row scalay_view_read(scalay_traffic_view *view, int i, int64_t floor);

/** Sets the prices of the parts, shape [parts], for scalay_view_read_above(). */
scalay_status scalay_view_set_prices(scalay_traffic_view *view, const int64_t *price);

/** As scalay_view_read(). Entries of at most base + price of their part may be missing. */
scalay_view_row scalay_view_read_above(scalay_traffic_view *view, int i, int64_t base);

/* ------------------------------------------------------------------------------------------------ checks */

/** Fails because something does not hold. */
#define SCALAY_DENY(...) scalay_fail(SCALAY_ERROR_MISMATCH, "scalay_mapping_check", __VA_ARGS__)

/** A mapping and the problem that it solves. */
typedef struct {
    scalay_traffic_view *view;
    const scalay_mapping *mapping;
    const unsigned char *barred;
    scalay_link_cost link_cost;
    void *link_context;
    int processes; /* may take parts unless barred */
    int64_t kept;
    int64_t steps;
} scalay_checker;

/** Returns 1 if a process may take a part. */
int scalay_checker_may_take(const scalay_checker *check, int process);

/** Checks that the duals prove the time; there is a link cost. */
scalay_status scalay_checker_time(const scalay_checker *check);

#endif
