#ifndef SCALAY_PUBLISHED_PUBLISHED_H
#define SCALAY_PUBLISHED_PUBLISHED_H

/**
 * @file
 * The published methods and the baselines. named.c has the table of their names.
 *
 * They exist to compare with the exact solvers. They take the time and memory that the papers state: a table of
 * n x p entries, with each processor of a group on its own. Errors of the papers are corrected. A comment in the code
 * names the line of the paper.
 */

#include "workload/solvers.h"

/** A published method refuses a problem whose tables would be larger. */
#define SCALAY_PUBLISHED_BYTES (INT64_C(1) << 31)

/** No distribution has this value. Two of them can be added. */
#define SCALAY_NO_VALUE (INT64_MAX / 2)

/** Puts the public function in front of what a method said when it refused; other statuses pass. */
scalay_status scalay_published_named(const char *function, scalay_status status);

/** SCALAY_SUCCESS, or SCALAY_ERROR_UNSUPPORTED when rows x columns cells of so many bytes are too much for `method`. */
scalay_status scalay_published_check_memory(const char *method, int64_t rows, int64_t columns, size_t size);

/** Empties a distribution. 1 when that, or nobody active, is the answer: n is 0, or no multiple of the unit. */
int scalay_published_is_trivial(const scalay_problem *problem, scalay_distribution *distribution);

/**
 * What a method that may miss a distribution answers: a refusal stays one when there is a distribution; when there is
 * none, that is the answer. Other statuses pass.
 */
scalay_status scalay_published_excuse(const scalay_problem *problem, scalay_status status,
                                      scalay_distribution *distribution);

/**
 * The times of a group as integers: 0 for time 0, then 1, 2, ... for the distinct times; SCALAY_NO_VALUE for a hole.
 * Comparing them is comparing the times.
 * @param[in]  group  a group
 * @param[out] rank   shape [largest + 1], to be released with scalay_release()
 */
scalay_status scalay_time_ranks(const scalay_problem_group *group, int64_t **rank);

/** Methods that return a distribution. */
scalay_status scalay_even(const scalay_problem *problem, scalay_distribution *distribution);
scalay_status scalay_cpm(const scalay_problem *problem, scalay_distribution *distribution);
scalay_status scalay_fpm(const scalay_problem *problem, scalay_distribution *distribution);
scalay_status scalay_popta(const scalay_problem *problem, scalay_distribution *distribution);
scalay_status scalay_eopta(const scalay_problem *problem, scalay_distribution *distribution);
scalay_status scalay_eopta_convex(const scalay_problem *problem, scalay_distribution *distribution);
scalay_status scalay_hpopta(const scalay_problem *problem, scalay_distribution *distribution);
scalay_status scalay_hipopta(const scalay_problem *problem, scalay_distribution *distribution);

/**
 * Methods that return a front with its distributions.
 * @param[in]  problem       has energies
 * @param[in]  power         as in scalay_solve_front()
 * @param[out] count         number of points
 * @param[out] point         shape [count]: times ascend; release with scalay_release()
 * @param[out] distribution  shape [count]; release one by one, then the array with scalay_release()
 */
scalay_status scalay_hepopta(const scalay_problem *problem, double power, int64_t *count, scalay_point **point,
                             scalay_distribution **distribution);
scalay_status scalay_htpopta(const scalay_problem *problem, double power, int64_t *count, scalay_point **point,
                             scalay_distribution **distribution);
scalay_status scalay_aleph(const scalay_problem *problem, double power, int64_t *count, scalay_point **point,
                           scalay_distribution **distribution);

/**
 * As scalay_distribution_add(), but SCALAY_ERROR_UNSUPPORTED when the group does not list the size: a rule that looks
 * at no other size has no answer then, though there may be a distribution.
 */
scalay_status scalay_share_add(const char *method, const scalay_problem *problem, int group, int64_t index,
                               int64_t count, scalay_distribution *distribution);

#endif
