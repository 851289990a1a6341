#ifndef SCALAY_PROFILE_PROFILE_H
#define SCALAY_PROFILE_PROFILE_H

/**
 * @file
 * Representation of a profile.
 *
 * Profiles are reference-counted. An object that is created from a profile retains it. Energies are stored twice: as
 * given, and as integers in units of 10^-energy_digits joules. All groups have the same unit.
 *
 * Some data of a group is computed once, because every workload problem needs it: the common divisor of the sizes, the
 * largest energies, the lower convex hull of the energies, and the suffix minima of the times. Arrays with the suffix s
 * (`times`, `energies`) start with the value of size 0, so that without holes their index is the size.
 */

#include "base/status.h"
#include "scalay/profile.h"

/** A vertex of the lower convex hull of the energies. */
typedef struct {
    int64_t place; /* index in `energies`; 0 is size 0 */
    double lift;   /* energy units: the least height above the edge to the next vertex of the points between the two;
                      infinity if there is no such point or no next vertex */
} scalay_profile_corner;

/** A group of identical processors and its function. */
typedef struct {
    char *name;
    int64_t count; /* processors */
    int64_t points;
    int64_t *size;                 /* shape [points], ascending, at least 1 */
    double *times;                 /* shape [points + 1]: 0, then the times */
    double *time;                  /* times + 1: shape [points] */
    double *energy;                /* shape [points]; NULL: not known */
    int64_t *energies;             /* shape [points + 1]: 0, then the energies in units; NULL: not known */
    int64_t *energy_units;         /* energies + 1: shape [points], at most 2^53; NULL: not known */
    int64_t unit;                  /* greatest common divisor of the sizes */
    double most_per_unit;          /* largest energy per unit of size, in energy units; 0: not known */
    double most_per_share;         /* largest energy, in energy units; 0: not known */
    double *soonest;               /* shape [points + 1]: minimum of `times` from this index on */
    int64_t corners;               /* vertices of the hull; 0: energies are not known */
    scalay_profile_corner *corner; /* shape [corners], ascending: lower convex hull of size 0 and the points */
} scalay_profile_group;

struct scalay_profile {
    int groups;
    int64_t processors;
    int has_energy;
    int is_modelled;             /* the energies were computed by a model, not measured */
    int energy_digits;           /* 0 to 18: an energy unit is 10^-energy_digits joules */
    scalay_profile_group *group; /* shape [groups] */
    _Atomic int references;      /* one of the caller, and one of each object that retains the profile */
};

/** Text of the comment in a file that marks energies as modelled. */
#define SCALAY_PROFILE_MODELLED "modelled"

/** Maximum energy, in units. */
#define SCALAY_PROFILE_MOST_UNITS (INT64_C(1) << 53)

/** Maximum of energy_digits. */
#define SCALAY_PROFILE_MOST_DIGITS 18

/** Returns the same profile with one more reference, to be released with scalay_profile_destroy(). Never fails. */
scalay_profile *scalay_profile_retain(const scalay_profile *profile);

/* --------------------------------------------------------------------------- for functions that create profiles */

/** Allocates a profile with `groups` empty groups. */
scalay_status scalay_profile_allocate(int groups, int has_energy, scalay_profile **profile);

/** Allocates the lists of a group and copies its name and count. */
scalay_status scalay_profile_allocate_group(const scalay_profile *profile, scalay_profile_group *group,
                                            const char *name, int64_t count, int64_t points);

/** Computes divisors, maxima, hulls and suffix minima of all groups from their points. Time: O(points). */
scalay_status scalay_profile_summarize(scalay_profile *profile);

#endif
