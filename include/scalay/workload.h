#ifndef SCALAY_WORKLOAD_H
#define SCALAY_WORKLOAD_H

/**
 * @file
 * Workload distribution: how many of n work units each processor gets.
 *
 * A profile (profile.h) lists sizes for each processor, with the time and optionally the energy of each size. A
 * distribution assigns to each processor one of its listed sizes, or 0. The sizes sum to n. The time of a distribution
 * is the maximum of the processors' times. Its energy is the sum of their energies.
 *
 * What to call:
 *
 * | aim                                       | function                                    |
 * |-------------------------------------------|---------------------------------------------|
 * | shortest time                             | scalay_workload_min_time()                  |
 * | lowest dynamic energy                     | scalay_workload_min_energy()                |
 * | trade-off between time and dynamic energy | scalay_workload_front_create()              |
 * | trade-off between time and total energy   | scalay_workload_front_create_total()        |
 * | point of a front by a limit on time       | scalay_workload_front_within_time()         |
 * | point of a front by a limit on energy     | scalay_workload_front_within_energy()       |
 * | distribution of a point                   | scalay_workload_front_get_workload()        |
 * | size of each processor                    | scalay_workload_sizes()                     |
 * | number of processors of each size         | scalay_workload_histogram()                 |
 * | time, energy, active processors           | scalay_workload_get_summary()               |
 * | cost of communication                     | scalay_communication_table(), ..._hockney() |
 *
 * Total energy is dynamic energy plus base power times time.
 *
 * All results are optimal. Processors may be identical or different. Identical processors can be given as one group
 * with a count. The run time does not depend on that count.
 *
 * Several distributions may be optimal. The following rules select one:
 *   - least time: the least energy if the profile has energies, then the fewest active processors;
 *   - least energy, and each point of a front: the fewest active processors.
 *
 * Some totals n cannot be distributed. The functions then return SCALAY_SUCCESS, scalay_workload_feasible() returns 0,
 * and scalay_workload_nearest() returns the nearest totals that can be distributed.
 *
 * Functions are deterministic and do not use MPI. Let s be the sum over the groups of the largest size, divided by the
 * greatest common divisor of all sizes. Memory: O(s). A communication cost with several groups can take O(s) for each
 * group.
 *
 * published.h has the published methods, for comparison. Algorithms and sources: docs/workload.md, docs/papers.md.
 */

#include <stddef.h>

#include "scalay/profile.h"
#include "scalay/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Result of a call: a distribution, or the fact that none exists. */
typedef struct scalay_workload scalay_workload;

/** A Pareto front. */
typedef struct scalay_workload_front scalay_workload_front;

/** Cost of communication between q processors that compute a problem of size n. */
typedef struct scalay_communication scalay_communication;

/* -------------------------------------------------------------------------------------------- communication */

/** Returns the cost of n units on `processors` >= 1 processors: at least 0, or infinity if that is impossible. */
typedef double (*scalay_communication_cost)(int64_t n, int64_t processors, void *context);

/**
 * Creates a communication cost from a function. Not collective.
 * @param[in]  cost           must return the same value for the same arguments. It is called once for each number of
 *                            processors that may be optimal, at most 2^24.
 * @param[in]  context        passed to `cost`; must live as long as the object
 * @param[out] communication  release with scalay_communication_destroy()
 * @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT, SCALAY_ERROR_MEMORY
 */
SCALAY_API scalay_status scalay_communication_function(scalay_communication_cost cost, void *context,
                                                       scalay_communication **communication);

/**
 * Creates a communication cost from a table of numbers of processors. The cost does not depend on n. Not collective.
 * Numbers of processors that are not listed are impossible.
 * @param[in]  entries        length of the lists, at least 1
 * @param[in]  processors     shape [entries]: distinct, at least 1
 * @param[in]  cost           shape [entries]: finite, at least 0
 * @param[out] communication  release with scalay_communication_destroy()
 * @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT, SCALAY_ERROR_MEMORY
 */
SCALAY_API scalay_status scalay_communication_table(int64_t entries, const int64_t *processors, const double *cost,
                                                    scalay_communication **communication);

/**
 * Reads such a table from a CSV file with the header `processors,cost`. Not collective.
 * @return as scalay_profile_read()
 */
SCALAY_API scalay_status scalay_communication_read(const char *path, scalay_communication **communication);

/**
 * Creates the communication cost of SUMMA in Hockney's model. Not collective.
 *
 * SUMMA multiplies two N x N matrices, N = 1024 n, with scatter-allgather broadcasts. The cost on q processors is
 *     (log2 q + 2 (sqrt q - 1)) alpha N / block + 4 (1 - 1 / sqrt q) beta N^2 / sqrt q
 * @param[in]  alpha          seconds per message, at least 0 and finite
 * @param[in]  beta           seconds per element (not per byte), at least 0 and finite
 * @param[in]  block          SUMMA's block, in elements, at least 1
 * @param[out] communication  release with scalay_communication_destroy()
 * @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT, SCALAY_ERROR_MEMORY
 * @par Source
 * Lastovetsky, Reddy Manumachu (2017), section V-C; docs/papers.md discusses its units.
 */
SCALAY_API scalay_status scalay_communication_hockney(double alpha, double beta, int64_t block,
                                                      scalay_communication **communication);

/** Returns the cost of n units on a number of processors. Infinity if impossible, or for NULL. Not collective. */
SCALAY_API double scalay_communication_evaluate(const scalay_communication *communication, int64_t n,
                                                int64_t processors);

/** Releases a communication cost and sets it to NULL. NULL is allowed. Not collective. */
SCALAY_API void scalay_communication_destroy(scalay_communication **communication);

/* -------------------------------------------------------------------------------------------------- solving */

/** Number of processors that the communication cost is evaluated for. */
typedef enum {
    SCALAY_COMMUNICATION_EXACT = 0,  /**< the active processors */
    SCALAY_COMMUNICATION_AT_MOST = 1 /**< the participating processors: the active ones, and any number of idle ones */
} scalay_communication_variant;

/** Options. Start from scalay_workload_options_default(). */
typedef struct {
    size_t size; /**< sizeof(scalay_workload_options), set by scalay_workload_options_default() */
    const scalay_communication *communication; /**< cost added to time or energy. NULL (default): none. Fronts: NULL */
    scalay_communication_variant variant;      /**< processors that `communication` is evaluated for */
} scalay_workload_options;

/**
 * Sets options to their defaults: all fields but `size` are 0 or NULL. Not collective. C programs call
 * scalay_workload_options_default().
 * @param[out] options  caller-owned
 * @param[in]  size     sizeof *options as the caller knows it, in bytes
 */
SCALAY_API void scalay_workload_options_init(scalay_workload_options *options, size_t size);

/** Returns default options. Not collective. */
static inline scalay_workload_options scalay_workload_options_default(void)
{
    scalay_workload_options options;
    scalay_workload_options_init(&options, sizeof options);
    return options;
}

/**
 * Finds a distribution with the least time plus communication cost. Not collective.
 *
 * Ties without a communication cost: the least energy if the profile has energies, then the fewest active processors.
 * Ties with a communication cost: the fewest participating processors, then the fewest active processors.
 *
 * A call can take seconds if it has SCALAY_COMMUNICATION_AT_MOST, several groups, and sizes with common divisors.
 * @param[in]  profile   a profile
 * @param[in]  n         units to distribute, at least 0
 * @param[in]  options   NULL: the default
 * @param[out] workload  release with scalay_workload_destroy()
 * @return SCALAY_SUCCESS (also if no distribution exists)
 *         SCALAY_ERROR_ARGUMENT (an argument is invalid; a communication cost is negative or NaN)
 *         SCALAY_ERROR_UNSUPPORTED (the caller's options have a field that this version does not know)
 *         SCALAY_ERROR_RANGE (n above 2^60, or sums overflow), SCALAY_ERROR_MEMORY
 */
SCALAY_API scalay_status scalay_workload_min_time(const scalay_profile *profile, int64_t n,
                                                  const scalay_workload_options *options, scalay_workload **workload);

/**
 * Finds a distribution with the least dynamic energy plus communication cost. Not collective. The profile must have
 * energies. Ties: fewest active processors. Parameters and statuses as in scalay_workload_min_time().
 */
SCALAY_API scalay_status scalay_workload_min_energy(const scalay_profile *profile, int64_t n,
                                                    const scalay_workload_options *options, scalay_workload **workload);

/**
 * Computes the Pareto front of time and dynamic energy. Not collective. The profile must have energies.
 * @param[in]  profile, n, options  as in scalay_workload_min_time()
 * @param[out] front                release with scalay_workload_front_destroy(); it has no points if no
 *                                  distribution exists
 * @return as scalay_workload_min_time()
 */
SCALAY_API scalay_status scalay_workload_front_create(const scalay_profile *profile, int64_t n,
                                                      const scalay_workload_options *options,
                                                      scalay_workload_front **front);

/**
 * Computes the Pareto front of time and total energy, dynamic energy + base power * time. Not collective.
 * @param[in]  base_power           watts, at least 0 and finite
 * @param[in]  profile, n, options  as in scalay_workload_min_time()
 * @param[out] front                as in scalay_workload_front_create()
 * @return as scalay_workload_min_time()
 */
SCALAY_API scalay_status scalay_workload_front_create_total(const scalay_profile *profile, int64_t n, double base_power,
                                                            const scalay_workload_options *options,
                                                            scalay_workload_front **front);

/* ------------------------------------------------------------------------------------------- a distribution */

/** Releases a distribution and sets it to NULL. NULL is allowed. Not collective. */
SCALAY_API void scalay_workload_destroy(scalay_workload **workload);

/** Returns 1 if a distribution exists; 0 otherwise, or for NULL. Not collective. */
SCALAY_API int scalay_workload_feasible(const scalay_workload *workload);

/**
 * Returns the nearest totals that can be distributed, regardless of communication costs and method. Not collective.
 * @param[in]  workload  any result
 * @param[out] below     largest such total up to n; 0 always exists
 * @param[out] above     smallest such total from n on; -1 if there is none
 * @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT
 */
SCALAY_API scalay_status scalay_workload_nearest(const scalay_workload *workload, int64_t *below, int64_t *above);

/** Summary of a result. */
typedef struct {
    int64_t size;         /**< n */
    int64_t processors;   /**< processors of the profile */
    int64_t active;       /**< processors with a size above 0 */
    int64_t taking_part;  /**< processors that communication is charged for; `active` without communication */
    double time;          /**< seconds; NaN if no distribution exists */
    double energy;        /**< joules, dynamic; NaN if not known or if no distribution exists */
    double communication; /**< seconds or joules, as the objective; 0 without communication */
    double total;         /**< objective including communication; the time for a point of a front */
    const char *method;   /**< "auto", or the name of a published method; static */
} scalay_workload_summary;

/**
 * Returns the summary of a result. Not collective.
 * @param[in]  workload  a distribution
 * @param[out] summary   caller-owned
 * @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT
 */
SCALAY_API scalay_status scalay_workload_get_summary(const scalay_workload *workload, scalay_workload_summary *summary);

/** Processors of a group that get the same size. */
typedef struct {
    int group;     /**< index of the group in the profile */
    int64_t size;  /**< 0: idle */
    int64_t count; /**< number of processors, at least 1 */
} scalay_workload_share;

/**
 * Returns the distribution as a histogram. Not collective. Shares are sorted by ascending group, then descending size.
 * @param[in]  workload  a distribution
 * @param[out] shares    number of shares; 0 if no distribution exists
 * @param[out] share     shape [shares]; owned by the workload
 * @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT
 */
SCALAY_API scalay_status scalay_workload_histogram(const scalay_workload *workload, int64_t *shares,
                                                   const scalay_workload_share **share);

/**
 * Returns the sizes of a range of processors. Not collective. Processors are in the order of the profile's groups; in
 * each group, sizes descend.
 * @param[in]  workload  a feasible result
 * @param[in]  first     0 <= first
 * @param[in]  count     first + count is at most the number of processors
 * @param[out] size      shape [count], caller-owned
 * @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT, SCALAY_ERROR_INFEASIBLE
 */
SCALAY_API scalay_status scalay_workload_sizes(const scalay_workload *workload, int64_t first, int64_t count,
                                               int64_t *size);

/* ------------------------------------------------------------------------------------------------- a front */

/** A point of a front. */
typedef struct {
    double time;         /**< seconds */
    double energy;       /**< joules, dynamic */
    double total_energy; /**< joules: energy + base power * time; `energy` on a front without base power */
    int64_t active;      /**< processors with a size above 0 */
} scalay_workload_front_point;

/** Releases a front and sets it to NULL. NULL is allowed. Not collective. */
SCALAY_API void scalay_workload_front_destroy(scalay_workload_front **front);

/** Returns the number of points; 0 for NULL, or if no distribution exists. Not collective. */
SCALAY_API int64_t scalay_workload_front_count(const scalay_workload_front *front);

/** Returns the nearest totals that can be distributed, as scalay_workload_nearest(). Not collective. */
SCALAY_API scalay_status scalay_workload_front_nearest(const scalay_workload_front *front, int64_t *below,
                                                       int64_t *above);

/**
 * Returns a point. Not collective. Times of points strictly ascend, energies strictly descend.
 * @param[in]  front  a front
 * @param[in]  k      0 <= k < scalay_workload_front_count(front)
 * @param[out] point  caller-owned
 * @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT
 */
SCALAY_API scalay_status scalay_workload_front_get_point(const scalay_workload_front *front, int64_t k,
                                                         scalay_workload_front_point *point);

/**
 * Computes the distribution of a point. Not collective.
 * @param[in]  front     a front
 * @param[in]  k         0 <= k < scalay_workload_front_count(front)
 * @param[out] workload  release with scalay_workload_destroy()
 * @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT, SCALAY_ERROR_MEMORY
 */
SCALAY_API scalay_status scalay_workload_front_get_workload(const scalay_workload_front *front, int64_t k,
                                                            scalay_workload **workload);

/**
 * Returns the point of least energy within a time limit. Not collective.
 * @param[in]  front     a front
 * @param[in]  fraction  at least 0; the limit is (1 + fraction) times the least time
 * @return the index of the point; -1 if the front has no points, or if fraction is negative or NaN
 */
SCALAY_API int64_t scalay_workload_front_within_time(const scalay_workload_front *front, double fraction);

/**
 * Returns the point of least time within a limit of (total) energy. Not collective.
 * @param[in]  front     a front
 * @param[in]  fraction  at least 0; the limit is (1 + fraction) times the least (total) energy
 * @return as scalay_workload_front_within_time()
 */
SCALAY_API int64_t scalay_workload_front_within_energy(const scalay_workload_front *front, double fraction);

/**
 * Returns the knee: the point with the largest distance below the line from the first to the last point. Not
 * collective. Both axes are scaled to [0, 1].
 * @return the index of the point; -1 if the front has no points
 */
SCALAY_API int64_t scalay_workload_front_knee(const scalay_workload_front *front);

#ifdef __cplusplus
}
#endif

#endif
