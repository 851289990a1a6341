#ifndef SCALAY_PROFILE_NAMES_H
#define SCALAY_PROFILE_NAMES_H

/** @file Which group has a name: in constant time, numbered in the order of first appearance. */

#include "profile/draft.h"

/** A hash table of the names of a draft's groups; zeroed to start with. */
typedef struct {
    int *slot; /* shape [slots]: a group's number plus 1; 0: empty */
    int64_t slots;
} scalay_profile_names;

/** The group of a name; a new one, with a count of 0, when there is none. */
scalay_status scalay_profile_find_name(scalay_profile_names *names, scalay_profile_draft *draft, const char *name,
                                       int *group);

#endif
