#ifndef SCALAY_REDIST_PANELS_H
#define SCALAY_REDIST_PANELS_H

/**
 * @file
 * Panels: an execution of a plan that consumes its source or moves a large matrix in place, panel by panel.
 *
 * A panel of a package holds an equal part of its elements, by ascending column of the matrix. Each panel is an
 * execution of the transport of the plan, with the channels of that panel. Hence after panel k of K, each rank has sent
 * and received about k / K of its elements. The source loses the pages that were sent (release.h). In place, all panels
 * are packed first, and the array loses the pages that were packed and are written later.
 */

#include "scalay/redist.h"

/** The panels of a plan. */
typedef struct scalay_panels scalay_panels;

/**
 * Creates the panels of a plan with one matrix that is not transposed. Not collective. Requires the sides and channels
 * of the plan.
 * @param[in]  plan    layouts and sides are valid
 * @param[in]  count   number of panels; 0: by the size of the matrix. The same on all ranks
 * @param[out] panels  release with scalay_panels_destroy(), also on failure
 * @return SCALAY_SUCCESS, SCALAY_ERROR_MEMORY
 */
scalay_status scalay_panels_create(const scalay_plan *plan, int count, scalay_panels **panels);

/** Releases panels and sets the pointer to NULL; NULL is allowed. */
void scalay_panels_destroy(scalay_panels **panels);

/** Returns the memory of the panels, in bytes. */
int64_t scalay_panels_bytes(const scalay_panels *panels);

/** Returns the number of panels. */
int scalay_panels_count(const scalay_panels *panels);

/** Returns the panel of the pending execution. */
int scalay_panels_current(const scalay_panels *panels);

/** Sets channels and transfers of the plan to those of a panel; -1: to those of the whole matrix. */
void scalay_panels_select(scalay_plan *plan, int panel);

/** Starts the execution of plan->transfers, panel by panel. `consumes`: 1: the source is lost. */
scalay_status scalay_panels_begin(scalay_plan *plan, int consumes);

/** Continues the execution, as the function of the transport. */
scalay_status scalay_panels_advance(scalay_plan *plan, int waits, int *done);

/** Describes the panels and what the last execution released, as the end of a sentence. @return length, as snprintf */
int scalay_panels_describe(const scalay_panels *panels, char *text, size_t size);

#endif
