#ifndef SCALAY_PUBLISHED_H
#define SCALAY_PUBLISHED_H

/**
 * @file
 * Published methods of workload distribution, under their names. They exist for comparison with the exact solvers of
 * workload.h, which are faster and break ties exactly.
 *
 * | method         | objective               | processors | exact                                            |
 * |----------------|-------------------------|------------|--------------------------------------------------|
 * | "popta"        | time                    | identical  | yes                                              |
 * | "hpopta"       | time                    | any        | yes                                              |
 * | "hipopta"      | time                    | any        | yes                                              |
 * | "even"         | time                    | any        | no: n / p units each                             |
 * | "cpm"          | time                    | any        | no: constant speeds                              |
 * | "fpm"          | time                    | any        | no: functional performance model, equal times    |
 * | "eopta"        | dynamic energy          | identical  | yes                                              |
 * | "eopta-convex" | dynamic energy          | identical  | no: EOPTA as printed, with convex points only    |
 * | "hepopta"      | front of dynamic energy | any        | yes                                              |
 * | "aleph"        | front of dynamic energy | identical  | yes                                              |
 * | "htpopta"      | front of total energy   | any        | yes                                              |
 *
 * PARALEPH runs on all ranks of a communicator: scalay_published_paraleph().
 *
 * Exact methods find the least time or energy. They do not minimise the number of active processors. A method refuses a
 * problem if its tables would exceed 2 GiB. "even" and "cpm" refuse if a processor does not list the size that they
 * compute. Errors of the papers are corrected (docs/papers.md).
 */

#include "scalay/profile.h"
#include "scalay/types.h"
#include "scalay/workload.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Objective of a published method. */
typedef enum {
    SCALAY_OBJECTIVE_TIME = 0,       /**< the maximum of the times */
    SCALAY_OBJECTIVE_ENERGY = 1,     /**< the sum of the dynamic energies */
    SCALAY_OBJECTIVE_FRONT = 2,      /**< front of time and dynamic energy */
    SCALAY_OBJECTIVE_TOTAL_FRONT = 3 /**< front of time and total energy */
} scalay_published_objective;

/**
 * Returns the name of a method. Not collective.
 * @param[in]  k          0, 1, 2, ...
 * @param[out] objective  objective of the method; NULL: not returned
 * @return a static string; NULL if k is out of range
 */
SCALAY_API const char *scalay_published_methods(int k, scalay_published_objective *objective);

/**
 * Distributes n units with a published method. Not collective.
 * @param[in]  profile   a profile; methods for energy require energies
 * @param[in]  n         units to distribute, at least 0
 * @param[in]  method    name of a method with the objective time or energy
 * @param[out] workload  release with scalay_workload_destroy()
 * @return SCALAY_SUCCESS (also if no distribution exists), SCALAY_ERROR_ARGUMENT, SCALAY_ERROR_RANGE,
 *         SCALAY_ERROR_MEMORY, SCALAY_ERROR_UNSUPPORTED (the problem exceeds the limits of the method)
 */
SCALAY_API scalay_status scalay_published_distribute(const scalay_profile *profile, int64_t n, const char *method,
                                                     scalay_workload **workload);

/**
 * Computes a Pareto front with a published method. Not collective.
 * @param[in]  profile     a profile with energies
 * @param[in]  n           units to distribute, at least 0
 * @param[in]  base_power  watts, at least 0 and finite; 0 for fronts of dynamic energy
 * @param[in]  method      name of a method that computes fronts
 * @param[out] front       release with scalay_workload_front_destroy()
 * @return as scalay_published_distribute()
 */
SCALAY_API scalay_status scalay_published_front(const scalay_profile *profile, int64_t n, double base_power,
                                                const char *method, scalay_workload_front **front);

/**
 * Runs PARALEPH: dynamic programming with a distributed table, on all ranks of a communicator. Collective over comm.
 *
 * The result is exact, and the same on all ranks.
 * @param[in]  comm                communicator
 * @param[in]  profile, n          the same on all ranks. The profile has one group.
 * @param[in]  objective           SCALAY_OBJECTIVE_TIME or SCALAY_OBJECTIVE_ENERGY
 * @param[in]  threads             threads per rank, at least 1; 0: the number of OpenMP. A rank has one thread if
 *                                 OpenMP is missing, or if the thread level of MPI is below MPI_THREAD_FUNNELED.
 * @param[out] workload            release with scalay_workload_destroy()
 * @return as scalay_published_distribute(), and SCALAY_ERROR_MISMATCH, SCALAY_ERROR_MPI
 * @par Source
 * Reddy Manumachu, Lastovetsky (2018), algorithms 3 to 10, corrected (docs/papers.md).
 */
SCALAY_API scalay_status scalay_published_paraleph(scalay_comm *comm, const scalay_profile *profile, int64_t n,
                                                   scalay_published_objective objective, int threads,
                                                   scalay_workload **workload);

#ifdef __cplusplus
}
#endif

#endif
