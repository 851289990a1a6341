#ifndef SCALAY_PARTITION_LINKS_H
#define SCALAY_PARTITION_LINKS_H

/**
 * @file
 * Load of the links between processors.
 *
 * A line is a row of A or a column of B. Its sources hold elements of it; its targets need all of its elements. A link
 * load adds up the elements sent over each link, and evaluates seconds and joules. All elements that one processor
 * sends to another one form one message.
 *
 * Trees: the sources are among the targets, and elements are sent along the minimum spanning tree of the targets.
 * Relays: the same tree in the metric closure of the costs, through any processor. A tree can load the busiest link
 * more than direct sending does. Therefore the time with trees is the minimum of both, and the time with relays the
 * minimum of all three.
 */

#include "base/status.h"
#include "scalay/partition.h"

/**
 * Reads and checks the links of a caller: extents, values, modes, claimed symmetry.
 * @param[in]  function  public function, for messages
 * @param[in]  given     NULL: no links
 * @param[in]  parts     number of parts
 * @param[out] links     caller-owned; its arrays are those of the caller
 * @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT, SCALAY_ERROR_UNSUPPORTED
 */
scalay_status scalay_links_read(const char *function, const scalay_links *given, int parts, scalay_links *links);

/** Lines with the same sources and targets. */
typedef struct {
    double lines; /* number or total thickness of the lines */
    int64_t sources;
    const int *source;  /* shape [sources], ascending */
    const double *held; /* shape [sources]: elements of one line */
    int64_t targets;
    const int *target; /* shape [targets], ascending; with trees, sources are among them */
} scalay_link_lines;

typedef struct scalay_link_load scalay_link_load;

/**
 * Creates an empty load.
 * @param[in]  links  checked; they must live as long as the load
 * @param[out] load   to be released with scalay_link_load_destroy()
 * @return SCALAY_SUCCESS, SCALAY_ERROR_MEMORY
 */
scalay_status scalay_link_load_create(const scalay_links *links, scalay_link_load **load);

/** Releases a load and sets it to NULL. NULL is allowed. */
void scalay_link_load_destroy(scalay_link_load **load);

/** Removes all lines. */
void scalay_link_load_clear(scalay_link_load *load);

/**
 * Adds lines; a negative number of lines removes them again. Allocates nothing. Time: O(sources targets), and
 * O(targets^2) for each tree.
 */
void scalay_link_load_add(scalay_link_load *load, const scalay_link_lines *lines);

/** Returns the seconds for all lines; NaN if the links have no seconds. */
double scalay_link_load_time(const scalay_link_load *load);

/** Returns the joules for all lines; NaN if the links have no joules. */
double scalay_link_load_energy(const scalay_link_load *load);

#endif
