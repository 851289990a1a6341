#ifndef SCALAY_PROFILE_DRAFT_H
#define SCALAY_PROFILE_DRAFT_H

/**
 * @file
 * Drafts: input of a profile before it is checked and sorted. A draft is one list of points of all groups, in any
 * order. Each point has its origin, so that messages can name it.
 */

#include "base/number.h"
#include "profile/profile.h"

/** Lists of a table, and columns of a file. */
enum { COLUMN_PROCESSOR, COLUMN_SIZE, COLUMN_TIME, COLUMN_ENERGY, COLUMN_COUNT, COLUMNS };

/** A point of a group. */
typedef struct {
    int group;
    int exponent;   /* of the energy as a decimal number */
    int64_t digits; /* of the energy as a decimal number */
    int64_t size;
    double time;
    double energy;
    int64_t origin; /* line of the file, index in the caller's lists, or size */
} scalay_draft_point;

/** Meaning of scalay_draft_point.origin, and its form in messages. */
typedef enum {
    ORIGIN_INDEX, /* size[3] */
    ORIGIN_SIZE,  /* time(64) */
    ORIGIN_LINE   /* path, line 3, field 2 (size) */
} scalay_draft_origin;

/** A draft. Initialise all members but the first few with 0. */
typedef struct {
    const char *function; /* public function, for messages; "" for a file */
    scalay_draft_origin origin;
    int has_energy;
    int is_modelled;
    const char *path;   /* of the file */
    int field[COLUMNS]; /* position of each column in the file, 0-based */
    int groups;
    int64_t group_capacity;
    scalay_profile_group *group; /* only names, counts and numbers of points are set */
    int64_t points;
    int64_t point_capacity;
    scalay_draft_point *point;
} scalay_profile_draft;

/** Size of the buffer for scalay_draft_origin_text(). */
#define SCALAY_DRAFT_ORIGIN_SIZE 400

/** Writes the origin of a value into text[SCALAY_DRAFT_ORIGIN_SIZE], and returns text. */
const char *scalay_draft_origin_text(const scalay_profile_draft *draft, int column, int64_t origin, char *text);

/** Returns NULL if the name of a group is valid, and a remedy otherwise. */
const char *scalay_profile_name_remedy(const char *name);

/** Adds a group with a copy of the name. SCALAY_SUCCESS, SCALAY_ERROR_RANGE, SCALAY_ERROR_MEMORY. */
scalay_status scalay_draft_add_group(scalay_profile_draft *draft, const char *name, int64_t count);

/** Adds a point without checking it. SCALAY_SUCCESS, SCALAY_ERROR_MEMORY. */
scalay_status scalay_draft_add_point(scalay_profile_draft *draft, const scalay_draft_point *point);

/**
 * Sorts the points by group and size.
 * @return SCALAY_SUCCESS; if a size occurs twice: SCALAY_ERROR_FORMAT for a file, SCALAY_ERROR_ARGUMENT otherwise
 */
scalay_status scalay_draft_sort(scalay_profile_draft *draft);

/**
 * Creates the profile. Sorts the points, and finds the common unit of the energies.
 * @return as scalay_draft_sort(), SCALAY_ERROR_ARGUMENT (a group has no points), SCALAY_ERROR_RANGE,
 *         SCALAY_ERROR_MEMORY
 */
scalay_status scalay_draft_build(scalay_profile_draft *draft, scalay_profile **profile);

/** Releases the memory of a draft. A zeroed draft is allowed. */
void scalay_draft_free(scalay_profile_draft *draft);

/* ------------------------------------------------------------------------------------------------ names of groups */

/** Hash table of the names of a draft's groups, with linear probing. Initialise with 0. */
typedef struct {
    int *slot; /* shape [slots]: number of a group plus 1; 0: empty */
    int64_t slots;
} scalay_profile_names;

/** Finds the group with a name. If there is none, adds a group with count 0. Expected time: O(length of the name). */
scalay_status scalay_profile_find_name(scalay_profile_names *names, scalay_profile_draft *draft, const char *name,
                                       int *group);

#endif
