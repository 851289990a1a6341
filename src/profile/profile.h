#ifndef SCALAY_PROFILE_PROFILE_H
#define SCALAY_PROFILE_PROFILE_H

/**
 * @file
 * What a profile is made of.
 *
 * Profiles are counted references: what is made of a profile retains it, so that the caller may destroy his. Energies
 * are kept twice: as given, and as integers in units of 10^-energy_digits joules, the same power for all groups.
 *
 * What every problem asks for is found once, when the profile is made: the common unit of the sizes, the dearest
 * points, the lower hull of the energies, and how soon sizes can be done. Times and energy units have those of size 0
 * in front, so that without holes they are functions of the size.
 */

#include "base/status.h"
#include "scalay/profile.h"

/** A corner of a lower hull. */
typedef struct {
    int64_t place; /* in `energies`: 0 is size 0 */
    double lift;   /* in energy units: no point between this corner and the next is less above the line through them;
                      infinity: there is none, or no next corner */
} scalay_profile_corner;

/** Identical processors and their function. */
typedef struct {
    char *name;
    int64_t count;
    int64_t points;
    int64_t *size;                 /* shape [points], ascending, at least 1 */
    double *times;                 /* shape [points + 1]: 0 and the times */
    double *time;                  /* times + 1: shape [points] */
    double *energy;                /* shape [points]; NULL: not known */
    int64_t *energies;             /* shape [points + 1]: 0 and the energy units; NULL: not known */
    int64_t *energy_units;         /* energies + 1: shape [points], at most 2^53; NULL: not known */
    int64_t unit;                  /* the greatest common divisor of the sizes */
    double most_per_unit;          /* energy units per unit of size, of all points the most; 0: not known */
    double most_per_share;         /* energy units, of all points the most; 0: not known */
    double *soonest;               /* shape [points + 1]: the least of times from a place on */
    int64_t corners;               /* 0: energies are not known */
    scalay_profile_corner *corner; /* shape [corners], ascending: the lower hull of size 0 and the points */
} scalay_profile_group;

struct scalay_profile {
    int groups;
    int64_t processors;
    int has_energy;
    int is_modelled;             /* the energies are computed from a model, not measured */
    int energy_digits;           /* 0 to 18: an energy unit is 10^-energy_digits joules */
    scalay_profile_group *group; /* shape [groups] */
    _Atomic int references;      /* the caller's and those of what is made of the profile */
};

/** The comment of a file that says so. */
#define SCALAY_PROFILE_MODELLED "modelled"

/** An energy has at most this many units. */
#define SCALAY_PROFILE_MOST_UNITS (INT64_C(1) << 53)

/** An energy unit is 10^-18 joules or more. */
#define SCALAY_PROFILE_MOST_DIGITS 18

/** The same profile once more; to be released with scalay_profile_destroy(). Never fails. */
scalay_profile *scalay_profile_retain(const scalay_profile *profile);

#endif
