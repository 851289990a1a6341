#ifndef SCALAY_PARTITION_LINKS_H
#define SCALAY_PARTITION_LINKS_H

/**
 * @file
 * What lines of a matrix cost on the links between processors.
 *
 * A line (a row of A or a column of B) has sources, which hold elements of it, and targets, which need all of it. A
 * link load adds up what that sends over each link, and turns it into seconds and joules. Between two processors there
 * is one message for each direction, whatever is sent.
 *
 * Trees: whoever holds something is a target too, and an element goes along the minimum spanning tree of the targets,
 * away from its owner. Relays: the same with the cheapest paths as edges, through any processor. As a tree can put more
 * on the busiest link than direct sending does, the time with trees is the lesser of both, and the time with relays the
 * least of all three.
 */

#include "base/status.h"
#include "scalay/partition.h"

/** Checks links for a number of parts: sizes, values, modes, claimed symmetry. NULL is fine. */
scalay_status scalay_links_check(const char *function, const scalay_links *links, int parts);

/** Lines that are alike. */
typedef struct {
    double lines; /* how many, or how thick they are together */
    int64_t sources;
    const int *source;  /* shape [sources], ascending */
    const double *held; /* shape [sources]: elements of one line */
    int64_t targets;
    const int *target; /* shape [targets], ascending; with trees, sources are among them */
} scalay_link_lines;

typedef struct scalay_link_load scalay_link_load;

/**
 * An empty load.
 * @param[in]  links  have been checked; they must live as long as the load
 * @param[out] load   to be released with scalay_link_load_destroy()
 */
scalay_status scalay_link_load_create(const scalay_links *links, scalay_link_load **load);

/** Releases a load and sets it to NULL; NULL is fine. */
void scalay_link_load_destroy(scalay_link_load **load);

/** Forgets what has been added. */
void scalay_link_load_clear(scalay_link_load *load);

/** Adds lines. Allocates nothing. */
void scalay_link_load_add(scalay_link_load *load, const scalay_link_lines *lines);

/** Seconds for all that has been added; NaN when the links have none. */
double scalay_link_load_time(const scalay_link_load *load);

/** Joules for all that has been added; NaN when the links have none. */
double scalay_link_load_energy(const scalay_link_load *load);

#endif
