#ifndef SCALAY_BASE_HOCKNEY_H
#define SCALAY_BASE_HOCKNEY_H

/** @file What SUMMA with scatter-allgather broadcasts sends on q processors, sqrt(q) x sqrt(q) of them (Lastovetsky,
 * Reddy Manumachu 2018, equation 2c): in terms that Hockney's latency and bandwidth are multiplied with. */

#include <math.h>

/** Messages, one after the other, for each of the extent / block panels. */
static inline double scalay_summa_panel_messages(double q)
{
    return log2(q) + 2.0 * (sqrt(q) - 1.0);
}

/** Elements, one after the other, as a multiple of extent^2. */
static inline double scalay_summa_elements(double q)
{
    const double root = sqrt(q);
    return 4.0 * (1.0 - 1.0 / root) / root;
}

#endif
