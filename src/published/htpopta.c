/* HTPOPTA: the front of time and total energy (Khaleghzadeh et al. 2020, algorithm 3): HEPOPTA's points, without those
 * that a faster one undercuts in energy + base power x time.
 *
 * Repaired: line 22 prefers the distribution with fewer idle processors where fewer active ones are meant. It cannot
 * happen: HEPOPTA's points differ in time. */
#include "base/memory.h"
#include "published/pareto.h"

scalay_status scalay_htpopta(const scalay_problem *problem, double power, const scalay_workload_options *options,
                             int64_t *count, scalay_point **point, scalay_distribution **distribution)
{
    scalay_status status = SCALAY_SUCCESS;
    int64_t all = 0;
    int64_t kept = 0;
    double least = 0.0;
    SCALAY_TRY(scalay_hepopta(problem, power, options, &all, point, distribution));
    for (int64_t k = 0; k < all; k++) {
        const double total = (double)(*point)[k].energy + power * (*point)[k].time;
        if (kept > 0 && power >= 0.0 && total >= least) {
            scalay_distribution_free(&(*distribution)[k]);
            continue;
        }
        const scalay_distribution moved = (*distribution)[k];
        (*distribution)[k] = (scalay_distribution){0};
        (*distribution)[kept] = moved;
        (*point)[kept] = (*point)[k];
        kept++;
        least = total;
    }
cleanup:
    *count = kept;
    return status;
}
