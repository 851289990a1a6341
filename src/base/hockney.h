#ifndef SCALAY_BASE_HOCKNEY_H
#define SCALAY_BASE_HOCKNEY_H

/**
 * @file
 * Communication of SUMMA on a sqrt(q) x sqrt(q) grid with scatter-allgather broadcasts, in the terms of Hockney's
 * model: latency times messages plus time per element times elements. Source: Lastovetsky, Reddy Manumachu 2018,
 * equation (2c).
 */

#include <math.h>

/** Returns the messages on the critical path for each of the extent / block panels. */
static inline double scalay_summa_panel_messages(double q)
{
    return log2(q) + 2.0 * (sqrt(q) - 1.0);
}

/** Returns the elements on the critical path, as a multiple of extent^2. */
static inline double scalay_summa_elements(double q)
{
    const double root = sqrt(q);
    return 4.0 * (1.0 - 1.0 / root) / root;
}

#endif
