#ifndef SCALAY_PROFILE_H
#define SCALAY_PROFILE_H

/**
 * @file
 * Profiles: the execution time, and optionally the dynamic energy, of each processor at each measured size.
 *
 * A processor is an abstract processor: a group of cores, or a GPU with its host core. A profile is a list of groups. A
 * group is a number of identical processors that share one discrete function:
 *   - a size is a positive integer number of workload units;
 *   - a time is in seconds;
 *   - an energy is the dynamic energy in joules.
 *
 * A size that is not listed is a hole. No processor of the group can get this size. Size 0 is always possible and costs
 * nothing.
 *
 * Times are only compared. Energies are added, so they are kept as decimal fixed-point numbers. Their sums are exact
 * and the same on every machine. A double is read as the shortest decimal number that rounds to it. In a file, the
 * written digits count, even if a double cannot hold them.
 *
 * All energies of a profile are multiples of one unit of 10^-k joules, 0 <= k <= 18, and at most 2^53 units each. Other
 * energies are refused. Microjoules up to 9e9 J always fit.
 *
 * No function here uses MPI. Profiles are immutable and may be shared by threads. An object that is created from a
 * profile keeps the data it needs, so the profile may be destroyed at any time.
 *
 * Source: discrete functions of Khaleghzadeh, Reddy Manumachu, Lastovetsky (2018, HPOPTA; 2020, HEPOPTA).
 */

#include "scalay/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Time and energy functions of a set of processors. */
typedef struct scalay_profile scalay_profile;

/* ----------------------------------------------------------------------------------------------- construction */

/**
 * Creates a profile of one group from a table. Not collective.
 * @param[in]  name     name of the group, 1 to 255 bytes, copied. It must not contain commas, double quotes or control
 *                      characters, start with #, or start or end with a blank
 * @param[in]  count    number of identical processors, at least 1
 * @param[in]  points   length of the lists, at least 1
 * @param[in]  size     shape [points]: distinct, at least 1, in any order
 * @param[in]  time     shape [points]: seconds, finite, at least 0
 * @param[in]  energy   shape [points]: joules, finite, at least 0; NULL: not known
 * @param[out] profile  to be released with scalay_profile_destroy()
 * @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT, SCALAY_ERROR_RANGE (no common decimal unit holds all energies),
 *         SCALAY_ERROR_MEMORY
 */
SCALAY_API scalay_status scalay_profile_table(const char *name, int64_t count, int64_t points, const int64_t *size,
                                              const double *time, const double *energy, scalay_profile **profile);

/**
 * Creates a profile of one group with constant speed and power. Not collective. Every size from 1 to `largest` is
 * listed. Its time is size / speed. Its energy is power * time, rounded to a microjoule.
 * @param[in]  name, count  as in scalay_profile_table()
 * @param[in]  largest      largest size, at least 1
 * @param[in]  speed        units per second, positive and finite
 * @param[in]  power        dynamic power in watts, finite; negative: energies are not known
 * @param[out] profile      to be released with scalay_profile_destroy()
 * @return as scalay_profile_table()
 */
SCALAY_API scalay_status scalay_profile_constant_speed(const char *name, int64_t count, int64_t largest, double speed,
                                                       double power, scalay_profile **profile);

/**
 * Creates a profile of one group by linear interpolation. Not collective. Time and energy are linear between
 * neighbouring points, and between (0, 0) and the first point. Every size from 1 to the last point is listed. Energies
 * are rounded to a microjoule.
 * @param[in]  name, count, points, size, time, energy  as in scalay_profile_table()
 * @param[out] profile                                  to be released with scalay_profile_destroy()
 * @return as scalay_profile_table()
 */
SCALAY_API scalay_status scalay_profile_piecewise_linear(const char *name, int64_t count, int64_t points,
                                                         const int64_t *size, const double *time, const double *energy,
                                                         scalay_profile **profile);

/**
 * Callback that sets the time and energy of a size. Both are 0 before the call.
 * @return 0: the size is a hole; any other value: it is a point
 */
typedef int (*scalay_profile_callback)(int64_t size, double *time, double *energy, void *context);

/**
 * Creates a profile of one group from a callback. Not collective. The callback is called once for every size from 1 to
 * `largest`.
 * @param[in]  name, count  as in scalay_profile_table()
 * @param[in]  largest      at least 1
 * @param[in]  callback     its results must satisfy the conditions of scalay_profile_table()
 * @param[in]  context      passed to the callback
 * @param[in]  has_energy   0: energies are not known, and the callback's energies are ignored
 * @param[out] profile      to be released with scalay_profile_destroy()
 * @return as scalay_profile_table()
 */
SCALAY_API scalay_status scalay_profile_function(const char *name, int64_t count, int64_t largest,
                                                 scalay_profile_callback callback, void *context, int has_energy,
                                                 scalay_profile **profile);

/**
 * Concatenates the groups of several profiles. Not collective. The energies of the result are known if all profiles
 * know theirs.
 * @param[in]  profiles  number of profiles, at least 1
 * @param[in]  list      shape [profiles]; the names of all groups must differ
 * @param[out] profile   to be released with scalay_profile_destroy()
 * @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT, SCALAY_ERROR_RANGE, SCALAY_ERROR_MEMORY
 */
SCALAY_API scalay_status scalay_profile_join(int profiles, const scalay_profile *const *list, scalay_profile **profile);

/* ---------------------------------------------------------------------------------------------------- files */

/**
 * Reads a profile from a CSV file. Not collective. The format:
 *   - The header is `processor,size,time` or `processor,size,time,energy`, optionally with `count`, in any order. Other
 *     columns are refused.
 *   - Lines that start with # are comments, except `# modelled` (scalay_profile_is_modelled()). Empty lines are
 * skipped. A byte order mark and CRLF line ends are accepted. Quotes are not supported.
 *   - Groups are in the order of first appearance. The rows of several groups may be mixed.
 *   - Sizes and counts are integers, at least 1. All rows of a group have the same count. Without the column `count`,
 *     counts are 1.
 * @param[in]  path     path of the file
 * @param[out] profile  to be released with scalay_profile_destroy()
 * @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT, SCALAY_ERROR_FILE, SCALAY_ERROR_FORMAT (the message names file, line,
 *         field, value and remedy), SCALAY_ERROR_RANGE, SCALAY_ERROR_MEMORY
 */
SCALAY_API scalay_status scalay_profile_read(const char *path, scalay_profile **profile);

/**
 * Reads a profile from a text in memory. Not collective. The format is that of scalay_profile_read().
 * @param[in]  name     name of the text, for messages
 * @param[in]  text     shape [length]; it need not be terminated; not NULL
 * @param[in]  length   in bytes
 * @param[out] profile  to be released with scalay_profile_destroy()
 * @return as scalay_profile_read()
 */
SCALAY_API scalay_status scalay_profile_parse(const char *name, const char *text, size_t length,
                                              scalay_profile **profile);

/**
 * Writes a profile to a file. Not collective. scalay_profile_read() reads the same profile from this file. The file
 * appears under its name when it is complete, or not at all.
 * @param[in] profile  a profile
 * @param[in] path     path of the file
 * @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT, SCALAY_ERROR_FILE, SCALAY_ERROR_MEMORY
 */
SCALAY_API scalay_status scalay_profile_write(const scalay_profile *profile, const char *path);

/** Releases a profile and sets the pointer to NULL. Not collective. NULL is allowed. */
SCALAY_API void scalay_profile_destroy(scalay_profile **profile);

/* -------------------------------------------------------------------------------------------------- queries */

/** Returns the number of groups; 0 for NULL. Not collective. */
SCALAY_API int scalay_profile_groups(const scalay_profile *profile);

/** Returns the number of processors, the sum of the counts; 0 for NULL. Not collective. */
SCALAY_API int64_t scalay_profile_processors(const scalay_profile *profile);

/** Returns 1 if energies are known, 0 otherwise. Not collective. */
SCALAY_API int scalay_profile_has_energy(const scalay_profile *profile);

/**
 * Returns 1 if the energies were computed by a declared model (the meter `model` of meter.h) and not measured. Not
 * collective. This holds if the file has a comment `# modelled`, or if it holds for one of the joined profiles.
 * @return 0 otherwise, also for NULL
 */
SCALAY_API int scalay_profile_is_modelled(const scalay_profile *profile);

/** Returns the name of a group, owned by the profile; "" if there is no such group. Not collective. */
SCALAY_API const char *scalay_profile_name(const scalay_profile *profile, int group);

/** Returns the number of processors of a group; 0 if there is no such group. Not collective. */
SCALAY_API int64_t scalay_profile_multiplicity(const scalay_profile *profile, int group);

/** Returns the largest size of a group; 0 if there is no such group. Not collective. */
SCALAY_API int64_t scalay_profile_largest(const scalay_profile *profile, int group);

/**
 * Returns the function of a group. Not collective.
 * @param[in]  profile  a profile
 * @param[in]  group    0 <= group < number of groups
 * @param[out] points   number of points
 * @param[out] size     shape [points], ascending; owned by the profile; NULL: not wanted
 * @param[out] time     shape [points], seconds; owned by the profile; NULL: not wanted
 * @param[out] energy   shape [points], joules; owned by the profile; set to NULL if not known; NULL: not wanted
 * @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT
 */
SCALAY_API scalay_status scalay_profile_points(const scalay_profile *profile, int group, int64_t *points,
                                               const int64_t **size, const double **time, const double **energy);

/**
 * Returns the time and energy of one size. Not collective. Time: logarithmic in the number of points.
 * @param[in]  profile  a profile
 * @param[in]  group    0 <= group < number of groups
 * @param[in]  size     any; size 0 has time 0 and energy 0
 * @param[out] time     seconds; infinity if the size is a hole
 * @param[out] energy   joules; infinity if the size is a hole; 0 if not known; NULL: not wanted
 * @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT
 */
SCALAY_API scalay_status scalay_profile_get_point(const scalay_profile *profile, int group, int64_t size, double *time,
                                                  double *energy);

#ifdef __cplusplus
}
#endif

#endif
