#ifndef SCALAY_WORKLOAD_H
#define SCALAY_WORKLOAD_H

/**
 * @file
 * Workload distribution: how many of n units each processor should get.
 *
 * Given a profile (profile.h), a distribution assigns a size to every processor, listed sizes or 0, that add up to n.
 * Its time is the largest time of a processor, its energy the sum of the energies. The problems:
 *   - scalay_workload_min_time(): least time; among those the fewest active processors;
 *   - scalay_workload_min_energy(): least energy; among those the fewest active processors;
 *   - scalay_workload_front_create(): all Pareto-optimal pairs of time and dynamic energy, each with the fewest active
 *     processors among its distributions;
 *   - scalay_workload_front_create_total(): the points of that front at which energy + base power * time strictly
 * falls. All of them are solved exactly, for identical, different and grouped processors alike, and the cost does not
 * depend on the number of processors of a group. The published algorithms are there under their names, for comparison.
 *
 * Methods: "auto" (ours, exact); for the time "popta", "hpopta", "hipopta", "even", "cpm", "fpm"; for the energy
 * "eopta"; for fronts "hepopta" (front), "htpopta" (total front), "aleph" (front, identical processors).
 * scalay_workload_methods() lists them. PARALEPH runs on many processes: scalay_workload_paraleph().
 *
 * A problem without a solution is an answer, not an error: scalay_workload_feasible() is 0, and
 * scalay_workload_nearest() tells the totals next to n that can be distributed.
 *
 * Everything but scalay_workload_paraleph() is pure: no MPI, deterministic, the same everywhere. Memory beyond the
 * input, with largest sizes, in units of the greatest common divisor of all sizes, that add up to s over all groups (m
 * for identical processors): O(s) for the least time and the least energy, whatever the functions and the number of
 * processors. Where a number of active processors is given and groups differ (a communication cost asks for that),
 * sums are pairs, and it is O(s) times the groups at worst. Nothing is refused for its memory.
 *
 * Source: Lastovetsky, Reddy Manumachu (2017: POPTA, EOPTA, PARALEPH, ALEPH), Khaleghzadeh, Reddy Manumachu,
 * Lastovetsky (2018: HPOPTA, HiPOPTA; 2020: HEPOPTA, HTPOPTA); what they leave open is in docs/workload.md.
 */

#include "scalay/profile.h"
#include "scalay/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/** A distribution, or the proof that there is none. */
typedef struct scalay_workload scalay_workload;

/** A Pareto front. */
typedef struct scalay_workload_front scalay_workload_front;

/** What it costs that q processors work together on a problem of size n. */
typedef struct scalay_communication scalay_communication;

/* -------------------------------------------------------------------------------------------- communication */

/** The cost of n units on q >= 1 active processors, at least 0; infinity: not possible. */
typedef double (*scalay_communication_cost)(int64_t n, int64_t processors, void *context);

/**
 * A communication cost by callback. Not collective.
 * @param[in]  cost           must answer the same every time; asked once for every number of processors that comes into
 *                            question, of which there may be at most 2^24 (otherwise give a table, or the model)
 * @param[in]  context        handed to cost; must live as long as the object
 * @param[out] communication  to be released with scalay_communication_destroy()
 * @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT, SCALAY_ERROR_MEMORY
 */
SCALAY_API scalay_status scalay_communication_function(scalay_communication_cost cost, void *context,
                                                       scalay_communication **communication);

/**
 * A communication cost by number of active processors, whatever n is. Not collective. Numbers that are not listed are
 * not possible.
 * @param[in]  entries        length of the lists, at least 1
 * @param[in]  processors     shape [entries]: distinct, at least 1
 * @param[in]  cost           shape [entries]: finite, at least 0
 * @param[out] communication  to be released with scalay_communication_destroy()
 * @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT, SCALAY_ERROR_MEMORY
 */
SCALAY_API scalay_status scalay_communication_table(int64_t entries, const int64_t *processors, const double *cost,
                                                    scalay_communication **communication);

/**
 * Such a table from a CSV file with the header `processors,cost`. Not collective.
 * @return as scalay_profile_read()
 */
SCALAY_API scalay_status scalay_communication_read(const char *path, scalay_communication **communication);

/**
 * SUMMA with scatter-allgather broadcasts of two N x N matrices, N = 1024 n, by Hockney's model. Not collective.
 *
 *     (log2 q + 2 (sqrt q - 1)) alpha N / block + 4 (1 - 1 / sqrt q) beta N^2 / sqrt q
 * @param[in]  alpha          seconds per message, at least 0 and finite
 * @param[in]  beta           seconds per element (not per byte), at least 0 and finite
 * @param[in]  block          SUMMA's block, in elements, at least 1
 * @param[out] communication  to be released with scalay_communication_destroy()
 * @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT, SCALAY_ERROR_MEMORY
 * @par Source
 * Lastovetsky, Reddy Manumachu (2017), section V-C; its units are discussed in docs/workload.md.
 */
SCALAY_API scalay_status scalay_communication_hockney(double alpha, double beta, int64_t block,
                                                      scalay_communication **communication);

/** The cost of n units on q processors; infinity where it is not possible, and for NULL. Not collective. */
SCALAY_API double scalay_communication_evaluate(const scalay_communication *communication, int64_t n,
                                                int64_t processors);

/** Releases a communication cost and sets it to NULL; NULL is fine. Not collective. */
SCALAY_API void scalay_communication_destroy(scalay_communication **communication);

/* -------------------------------------------------------------------------------------------------- solving */

/** How the communication cost is charged. */
typedef enum {
    SCALAY_COMMUNICATION_EXACT = 0,  /**< for the number of processors that are active */
    SCALAY_COMMUNICATION_AT_MOST = 1 /**< for the number that takes part: some of them may stay idle */
} scalay_communication_variant;

/** How to distribute; start from scalay_workload_options_default(). */
typedef struct {
    const char *method;                        /**< NULL: "auto" */
    int published;                             /**< 1: "eopta" tries convex points only, as in the paper; 0: all points */
    int threads;                               /**< of PARALEPH; 0: what OpenMP says */
    const scalay_communication *communication; /**< added to time or energy; NULL: none. Not for fronts. */
    scalay_communication_variant variant;      /**< how it is charged */
} scalay_workload_options;

/** Everything 0 or NULL. */
SCALAY_API scalay_workload_options scalay_workload_options_default(void);

/**
 * The names of the methods. Not collective.
 * @param[in]  k  0, 1, 2, ...
 * @return a static string; NULL when k is out of range
 */
SCALAY_API const char *scalay_workload_methods(int k);

/**
 * The distribution with the least time (plus communication). Not collective.
 *
 * With communication, the best of all numbers of processors: a distribution is made only of those whose cost plus a
 * bound on their time is below the best total; the formula of scalay_communication_hockney() is searched in ranges, so
 * that very many processors are fine. Of equal totals that with the fewest processors taking part, then the fewest
 * active ones. Bounding the number of processors that differ is the one problem that can take seconds, where sizes have
 * common divisors.
 * @param[in]  profile   a profile
 * @param[in]  n         units to distribute, at least 0
 * @param[in]  options   NULL: the default
 * @param[out] workload  to be released with scalay_workload_destroy()
 * @return SCALAY_SUCCESS (also when there is no distribution), SCALAY_ERROR_ARGUMENT (a method that is none, or not for
 *         this, or a communication cost that is negative or NaN), SCALAY_ERROR_UNSUPPORTED (a published method outside
 *         its limits), SCALAY_ERROR_RANGE (n beyond 2^60, or sums that do not fit), SCALAY_ERROR_MEMORY
 */
SCALAY_API scalay_status scalay_workload_min_time(const scalay_profile *profile, int64_t n,
                                                  const scalay_workload_options *options, scalay_workload **workload);

/**
 * The distribution with the least dynamic energy (plus communication). Not collective. The profile has energies.
 * Parameters and statuses as in scalay_workload_min_time().
 */
SCALAY_API scalay_status scalay_workload_min_energy(const scalay_profile *profile, int64_t n,
                                                    const scalay_workload_options *options, scalay_workload **workload);

/**
 * The Pareto front of time and dynamic energy. Not collective. The profile has energies.
 * @param[in]  profile, n, options  as in scalay_workload_min_time()
 * @param[out] front                to be released with scalay_workload_front_destroy(); without points when there is no
 *                                  distribution
 * @return as scalay_workload_min_time()
 */
SCALAY_API scalay_status scalay_workload_front_create(const scalay_profile *profile, int64_t n,
                                                      const scalay_workload_options *options,
                                                      scalay_workload_front **front);

/**
 * The Pareto front of time and total energy, dynamic energy + base power * time. Not collective.
 * @param[in]  base_power           watts, at least 0 and finite
 * @param[in]  profile, n, options  as in scalay_workload_min_time()
 * @param[out] front                as in scalay_workload_front_create()
 * @return as scalay_workload_min_time()
 */
SCALAY_API scalay_status scalay_workload_front_create_total(const scalay_profile *profile, int64_t n, double base_power,
                                                            const scalay_workload_options *options,
                                                            scalay_workload_front **front);

/** What PARALEPH should make small. */
typedef enum {
    SCALAY_WORKLOAD_TIME = 0,  /**< the largest time */
    SCALAY_WORKLOAD_ENERGY = 1 /**< the sum of the energies */
} scalay_workload_objective;

/**
 * PARALEPH: the distribution over identical processors by dynamic programming on all ranks of a communicator, with a
 * distributed table and the threads of each rank. Collective. Every rank gets the whole answer. It is exact, and there
 * for comparison: scalay_workload_min_time() is faster on one core.
 * @param[in]  comm                 whose ranks work
 * @param[in]  profile, n, options  the same on all ranks; the profile has one group. Of the options, threads counts: a
 *                                  rank has one where MPI was started below MPI_THREAD_FUNNELED or OpenMP is missing
 * @param[in]  objective            what to make small
 * @param[out] workload             to be released with scalay_workload_destroy()
 * @return as scalay_workload_min_time(), and SCALAY_ERROR_MISMATCH, SCALAY_ERROR_MPI
 * @par Source
 * Reddy Manumachu, Lastovetsky (2018), algorithms 3 to 10, with their errors repaired (docs/workload.md).
 */
SCALAY_API scalay_status scalay_workload_paraleph(scalay_comm *comm, const scalay_profile *profile, int64_t n,
                                                  scalay_workload_objective objective,
                                                  const scalay_workload_options *options, scalay_workload **workload);

/* ------------------------------------------------------------------------------------------- a distribution */

/** Releases a distribution and sets it to NULL; NULL is fine. Not collective. */
SCALAY_API void scalay_workload_destroy(scalay_workload **workload);

/** 1 when there is a distribution, 0 when there is none, and for NULL. Not collective. */
SCALAY_API int scalay_workload_feasible(const scalay_workload *workload);

/**
 * The totals next to n that can be distributed, when n itself cannot be, whatever communication costs and whatever the
 * method finds. Not collective.
 * @param[in]  workload  any
 * @param[out] below     the largest one below n (0 always can be); n itself when it can be
 * @param[out] above     the smallest one above n; -1 when there is none; n itself when it can be
 * @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT
 */
SCALAY_API scalay_status scalay_workload_nearest(const scalay_workload *workload, int64_t *below, int64_t *above);

/** What a distribution comes to. */
typedef struct {
    int64_t size;         /**< n */
    int64_t processors;   /**< of the profile */
    int64_t active;       /**< processors that get more than 0 */
    int64_t taking_part;  /**< processors that communication is charged for; active without communication */
    double time;          /**< seconds: the largest time of a processor; NaN when there is no distribution */
    double energy;        /**< joules: the sum of the energies; NaN when not known, or when there is none */
    double communication; /**< in the objective's unit; 0 without */
    double total;         /**< the objective's value, communication included; the time on a front */
    const char *method;   /**< the name of the method used; static */
} scalay_workload_summary;

/**
 * What a distribution comes to. Not collective.
 * @param[in]  workload  a distribution
 * @param[out] summary   caller-owned
 * @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT
 */
SCALAY_API scalay_status scalay_workload_get_summary(const scalay_workload *workload, scalay_workload_summary *summary);

/** So many processors of a group get the same size. */
typedef struct {
    int group;     /**< of the profile */
    int64_t size;  /**< 0: idle */
    int64_t count; /**< at least 1 */
} scalay_workload_share;

/**
 * The distribution as a histogram: by ascending group, in each by descending size. Not collective.
 * @param[in]  workload  a distribution
 * @param[out] shares    their number; 0 when there is no distribution
 * @param[out] share     shape [shares]; owned by the workload
 * @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT
 */
SCALAY_API scalay_status scalay_workload_histogram(const scalay_workload *workload, int64_t *shares,
                                                   const scalay_workload_share **share);

/**
 * The sizes of some processors: groups expanded, in the order of the profile, in each group by descending size.
 * Not collective.
 * @param[in]  workload  a distribution that there is
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
    double energy;       /**< dynamic, joules */
    double total_energy; /**< energy + base power * time; the dynamic energy on a front without base power */
    int64_t active;      /**< processors that get more than 0 */
} scalay_workload_front_point;

/** Releases a front and sets it to NULL; NULL is fine. Not collective. */
SCALAY_API void scalay_workload_front_destroy(scalay_workload_front **front);

/** The number of points; 0 for NULL, and when there is no distribution. Not collective. */
SCALAY_API int64_t scalay_workload_front_count(const scalay_workload_front *front);

/** The totals next to n that can be distributed, as scalay_workload_nearest(). Not collective. */
SCALAY_API scalay_status scalay_workload_front_nearest(const scalay_workload_front *front, int64_t *below,
                                                       int64_t *above);

/**
 * A point: times strictly ascending, energies strictly descending. Not collective.
 * @param[in]  front  a front
 * @param[in]  k      0 <= k < scalay_workload_front_count(front)
 * @param[out] point  caller-owned
 * @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT
 */
SCALAY_API scalay_status scalay_workload_front_get_point(const scalay_workload_front *front, int64_t k,
                                                         scalay_workload_front_point *point);

/**
 * The distribution of a point, computed anew. Not collective.
 * @param[in]  front     a front
 * @param[in]  k         0 <= k < scalay_workload_front_count(front)
 * @param[out] workload  to be released with scalay_workload_destroy()
 * @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT, SCALAY_ERROR_MEMORY
 */
SCALAY_API scalay_status scalay_workload_front_get_workload(const scalay_workload_front *front, int64_t k,
                                                            scalay_workload **workload);

/** The point of least energy whose time is at most (1 + fraction) times the least; -1 without points, or when fraction
 * is negative or NaN. Not collective. */
SCALAY_API int64_t scalay_workload_front_within_time(const scalay_workload_front *front, double fraction);

/** The point of least time whose (total) energy is at most (1 + fraction) times the least; -1 as
 * scalay_workload_front_within_time(). Not collective. */
SCALAY_API int64_t scalay_workload_front_within_energy(const scalay_workload_front *front, double fraction);

/** The knee: the point furthest below the line between the first and the last, both axes scaled to [0, 1]; -1 without
 * points. Not collective. */
SCALAY_API int64_t scalay_workload_front_knee(const scalay_workload_front *front);

#ifdef __cplusplus
}
#endif

#endif
