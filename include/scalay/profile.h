#ifndef SCALAY_PROFILE_H
#define SCALAY_PROFILE_H

/**
 * @file
 * Profiles: how long each processor takes, and what energy it needs, for every size that it was measured at.
 *
 * A processor is an abstract one: a core group, a GPU with its host core. Its profile is a discrete function: sizes
 * (workload units, positive integers) with a time in seconds and, where it was measured, a dynamic energy in joules. A
 * size that is not listed is a hole: it cannot be assigned. Size 0 costs nothing and is always possible. A group
 * is a number of identical processors with one function; a profile is a list of groups, in the order given.
 *
 * Times are only compared. Energies are added up, so they are kept as decimal fixed-point numbers: sums are exact, and
 * the same on every machine. A double counts as the shortest decimal number that reads back as it; in a file the
 * digits count as they stand, also where a double has fewer. All energies of a profile are multiples of one unit
 * of 10^-k joules, k from 0 to 18, at most 2^53 each; those that are not are refused: microjoules up to 9e9 J always
 * fit.
 *
 * Everything here is pure. Profiles are immutable and may be shared by threads; what is made of a profile keeps what it
 * needs of it, so that the profile may be destroyed at any time.
 *
 * Source: the discrete functions of Khaleghzadeh, Reddy Manumachu, Lastovetsky (2018, HPOPTA; 2020, HEPOPTA).
 */

#include "scalay/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/** The time and energy functions of a set of processors. */
typedef struct scalay_profile scalay_profile;

/* ------------------------------------------------------------------------------------------------ making one */

/**
 * A group of identical processors from a table. Not collective.
 * @param[in]  name     of the group, 1 to 255 bytes; no commas, double quotes and control characters, no # at its
 *                      start, no blanks at its ends; copied
 * @param[in]  count    number of identical processors, at least 1
 * @param[in]  points   length of the lists, at least 1
 * @param[in]  size     shape [points]: distinct, at least 1, in any order
 * @param[in]  time     shape [points]: seconds, finite, at least 0
 * @param[in]  energy   shape [points]: joules, finite, at least 0; NULL: not known
 * @param[out] profile  to be released with scalay_profile_destroy()
 * @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT, SCALAY_ERROR_RANGE (energies that no common decimal fixed point
 *         holds), SCALAY_ERROR_MEMORY
 */
SCALAY_API scalay_status scalay_profile_table(const char *name, int64_t count, int64_t points, const int64_t *size,
                                              const double *time, const double *energy, scalay_profile **profile);

/**
 * A group of constant speed and power: every size up to the largest, time size / speed, energy power times time,
 * rounded to a microjoule. Not collective.
 * @param[in]  name, count  as in scalay_profile_table()
 * @param[in]  largest      the largest size, at least 1
 * @param[in]  speed        units per second, positive and finite
 * @param[in]  power        dynamic power in watts, at least 0 and finite; negative: energies are not known
 * @param[out] profile      to be released with scalay_profile_destroy()
 * @return as scalay_profile_table()
 */
SCALAY_API scalay_status scalay_profile_constant_speed(const char *name, int64_t count, int64_t largest, double speed,
                                                       double power, scalay_profile **profile);

/**
 * A group whose time and energy are linear between the listed points, and from (0, 0) to the first: every size up to
 * the last point's, energies rounded to a microjoule. Not collective.
 * @param[in]  name, count, points, size, time, energy  as in scalay_profile_table()
 * @param[out] profile                                  to be released with scalay_profile_destroy()
 * @return as scalay_profile_table()
 */
SCALAY_API scalay_status scalay_profile_piecewise_linear(const char *name, int64_t count, int64_t points,
                                                         const int64_t *size, const double *time, const double *energy,
                                                         scalay_profile **profile);

/** The time and energy of a size; both are 0 before the call. Returns 0 for a hole, anything else for a point. */
typedef int (*scalay_profile_callback)(int64_t size, double *time, double *energy, void *context);

/**
 * A group whose function is a callback, asked once for every size from 1 to the largest. Not collective.
 * @param[in]  name, count  as in scalay_profile_table()
 * @param[in]  largest      at least 1
 * @param[in]  callback     what it answers is checked as in scalay_profile_table()
 * @param[in]  context      handed to the callback
 * @param[in]  has_energy   0: the energies are not known, whatever the callback sets
 * @param[out] profile      to be released with scalay_profile_destroy()
 * @return as scalay_profile_table()
 */
SCALAY_API scalay_status scalay_profile_function(const char *name, int64_t count, int64_t largest,
                                                 scalay_profile_callback callback, void *context, int has_energy,
                                                 scalay_profile **profile);

/**
 * The groups of several profiles, one after the other. Not collective. Energies are known when all of them know theirs.
 * @param[in]  profiles  number of profiles, at least 1
 * @param[in]  list      shape [profiles]; names of groups must differ
 * @param[out] profile   to be released with scalay_profile_destroy()
 * @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT, SCALAY_ERROR_RANGE, SCALAY_ERROR_MEMORY
 */
SCALAY_API scalay_status scalay_profile_join(int profiles, const scalay_profile *const *list, scalay_profile **profile);

/* ---------------------------------------------------------------------------------------------------- files */

/**
 * Reads a profile from a CSV file. Not collective.
 *
 * Header `processor,size,time` or `processor,size,time,energy` and optionally `count`, in any order; other columns are
 * refused. Lines that start with # are skipped, but for `# modelled` (scalay_profile_is_modelled()), and so are empty
 * ones; a byte order mark and CRLF are fine. Groups stand in the order of first appearance; their rows may be mixed.
 * Sizes and counts are integers from 1 on, and all rows of a group have one count (1 without that column). Quotes are
 * not understood.
 * @param[in]  path     the file
 * @param[out] profile  to be released with scalay_profile_destroy()
 * @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT, SCALAY_ERROR_FILE, SCALAY_ERROR_FORMAT (the message names file, line,
 *         field, value and remedy), SCALAY_ERROR_RANGE, SCALAY_ERROR_MEMORY
 */
SCALAY_API scalay_status scalay_profile_read(const char *path, scalay_profile **profile);

/**
 * Reads a profile from a text in memory, as scalay_profile_read(). Not collective.
 * @param[in]  name     of the text, for messages
 * @param[in]  text     shape [length]; need not be terminated; not NULL
 * @param[in]  length   in bytes
 * @param[out] profile  to be released with scalay_profile_destroy()
 * @return as scalay_profile_read()
 */
SCALAY_API scalay_status scalay_profile_parse(const char *name, const char *text, size_t length,
                                              scalay_profile **profile);

/**
 * Writes a profile so that scalay_profile_read() gives the same. Not collective. The file appears under its name when
 * it is complete, or not at all.
 * @param[in] profile  a profile
 * @param[in] path     the file
 * @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT, SCALAY_ERROR_FILE, SCALAY_ERROR_MEMORY
 */
SCALAY_API scalay_status scalay_profile_write(const scalay_profile *profile, const char *path);

/** Releases a profile and sets it to NULL; NULL is fine. Not collective. */
SCALAY_API void scalay_profile_destroy(scalay_profile **profile);

/* -------------------------------------------------------------------------------------------------- queries */

/** The number of groups; 0 for NULL. Not collective. */
SCALAY_API int scalay_profile_groups(const scalay_profile *profile);

/** The number of processors: the sum of the counts; 0 for NULL. Not collective. */
SCALAY_API int64_t scalay_profile_processors(const scalay_profile *profile);

/** 1 when energies are known, 0 otherwise. Not collective. */
SCALAY_API int scalay_profile_has_energy(const scalay_profile *profile);

/**
 * 1 when energies are known, but computed from a declared model (the meter `model` of meter.h): the file they come from
 * says so in a comment `# modelled`, or one of the profiles that were joined is such; 0 otherwise, also for NULL. Not
 * collective.
 */
SCALAY_API int scalay_profile_is_modelled(const scalay_profile *profile);

/** The name of a group, owned by the profile; "" when group is none. Not collective. */
SCALAY_API const char *scalay_profile_name(const scalay_profile *profile, int group);

/** The number of processors of a group; 0 when group is none. Not collective. */
SCALAY_API int64_t scalay_profile_multiplicity(const scalay_profile *profile, int group);

/** The largest size of a group; 0 when group is none. Not collective. */
SCALAY_API int64_t scalay_profile_largest(const scalay_profile *profile, int group);

/**
 * The function of a group. Not collective.
 * @param[in]  profile  a profile
 * @param[in]  group    0 <= group < scalay_profile_groups(profile)
 * @param[out] points   their number
 * @param[out] size     shape [points], ascending; owned by the profile; NULL: not wanted
 * @param[out] time     shape [points], seconds; owned by the profile; NULL: not wanted
 * @param[out] energy   shape [points], joules; owned by the profile; NULL when not known; NULL: not wanted
 * @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT
 */
SCALAY_API scalay_status scalay_profile_points(const scalay_profile *profile, int group, int64_t *points,
                                               const int64_t **size, const double **time, const double **energy);

/**
 * The time and energy of one size. Not collective. Logarithmic in the number of points.
 * @param[in]  profile  a profile
 * @param[in]  group    0 <= group < scalay_profile_groups(profile)
 * @param[in]  size     any; 0 gives zeros
 * @param[out] time     seconds; infinity for a hole
 * @param[out] energy   joules; infinity for a hole; 0 when not known; NULL: not wanted
 * @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT
 */
SCALAY_API scalay_status scalay_profile_get_point(const scalay_profile *profile, int group, int64_t size, double *time,
                                                  double *energy);

#ifdef __cplusplus
}
#endif

#endif
