#ifndef SCALAY_PROFILE_DRAFT_H
#define SCALAY_PROFILE_DRAFT_H

/** @file A profile in the making: the points of all groups in one list, in any order, with where they come from. */

#include "base/number.h"
#include "profile/profile.h"

/** The lists of a table and the columns of a file. */
enum { COLUMN_PROCESSOR, COLUMN_SIZE, COLUMN_TIME, COLUMN_ENERGY, COLUMN_COUNT, COLUMNS };

/** A point of a group. */
typedef struct {
    int group;
    int exponent;   /* of the energy as a decimal number */
    int64_t digits; /* of it */
    int64_t size;
    double time;
    double energy;
    int64_t origin; /* the line of the file, the index in the caller's lists, or the size */
} scalay_draft_point;

/** How messages name the places that points come from. */
typedef enum {
    ORIGIN_INDEX, /* size[3] */
    ORIGIN_SIZE,  /* time(64) */
    ORIGIN_LINE   /* path, line 3, field 2 (size) */
} scalay_draft_origin;

/** A profile in the making; zeroed but for the first members to start with. */
typedef struct {
    const char *function; /* in whose name to fail; "" for a file */
    scalay_draft_origin origin;
    int has_energy;
    int is_modelled;
    const char *path;   /* of the file */
    int field[COLUMNS]; /* of the file, 0-based */
    int groups;
    int64_t group_room;
    scalay_profile_group *group; /* names and counts only */
    int64_t points;
    int64_t point_room;
    scalay_draft_point *point;
} scalay_profile_draft;

/** Room for a place in words. */
#define SCALAY_DRAFT_PLACE_SIZE 400

/** Where a value of a column comes from, in place[SCALAY_DRAFT_PLACE_SIZE]. Returns place. */
const char *scalay_draft_place(const scalay_profile_draft *draft, int column, int64_t origin, char *place);

/** What is wrong with the name of a group, as a remedy; NULL when it is fine. */
const char *scalay_profile_name_remedy(const char *name);

/** Adds a group; the name is copied. SCALAY_SUCCESS, SCALAY_ERROR_RANGE, SCALAY_ERROR_MEMORY. */
scalay_status scalay_draft_add_group(scalay_profile_draft *draft, const char *name, int64_t count);

/** Adds a point, as it is. SCALAY_SUCCESS, SCALAY_ERROR_MEMORY. */
scalay_status scalay_draft_add_point(scalay_profile_draft *draft, const scalay_draft_point *point);

/** Sorts the points by group and size; a size twice is SCALAY_ERROR_ARGUMENT or, in a file, SCALAY_ERROR_FORMAT. */
scalay_status scalay_draft_sort(scalay_profile_draft *draft);

/**
 * Makes the profile: points ascend, sizes are distinct, energies have one unit.
 * @return as scalay_draft_sort(), SCALAY_ERROR_ARGUMENT (a group without points), SCALAY_ERROR_RANGE,
 *         SCALAY_ERROR_MEMORY
 */
scalay_status scalay_draft_build(scalay_profile_draft *draft, scalay_profile **profile);

/** Releases what a draft holds; zeroed is fine. */
void scalay_draft_free(scalay_profile_draft *draft);

/** The power of ten that all energies of the draft are multiples of, and that none has too many of. */
scalay_status scalay_draft_energy_digits(const scalay_profile_draft *draft, int *digits);

/** A profile with so many groups, which are empty. */
scalay_status scalay_profile_allocate(int groups, int has_energy, scalay_profile **profile);

/** Gives a group of a profile a copy of its name, its count, and lists for its points. */
scalay_status scalay_profile_allocate_group(const scalay_profile *profile, scalay_profile_group *group,
                                            const char *name, int64_t count, int64_t points);

/** Finds what every problem asks for of all groups, whose points are there. SCALAY_SUCCESS, SCALAY_ERROR_MEMORY. */
scalay_status scalay_profile_summarize(scalay_profile *profile);

#endif
