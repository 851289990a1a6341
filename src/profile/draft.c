/*
 * Drafts: collecting, sorting and checking the points of a profile, and choosing the common unit of their energies.
 *
 * Sorting takes O(n log n) for n points, and O(n) if they are sorted. Groups are found by name in a hash table.
 */
#include "profile/draft.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "base/fingerprint.h"
#include "base/integer.h"
#include "base/memory.h"
#include "base/text.h"

enum { MAX_NAME_LENGTH = 255, FIRST_SLOTS = 16 };

static const char *const columns[COLUMNS] = {"processor", "size", "time", "energy", "count"};

const char *scalay_draft_origin_text(const scalay_profile_draft *draft, int column, int64_t origin, char *text)
{
    scalay_text out = {text, SCALAY_DRAFT_ORIGIN_SIZE, 0};
    const char *name = columns[column];
    if (draft->origin == ORIGIN_INDEX) scalay_text_append(&out, "%s[%lld]", name, (long long)origin);
    if (draft->origin == ORIGIN_SIZE) scalay_text_append(&out, "%s(%lld)", name, (long long)origin);
    if (draft->origin == ORIGIN_LINE)
        scalay_text_append(&out, "%.200s, line %lld, field %d (%s)", draft->path, (long long)origin,
                           draft->field[column] + 1, name);
    return text;
}

const char *scalay_profile_name_remedy(const char *name)
{
    size_t length = strlen(name);
    if (length == 0) return "it must not be empty";
    if (length > MAX_NAME_LENGTH) return "it must have at most 255 bytes";
    if (name[0] == '#') return "it must not start with #, because such a line is a comment";
    if (name[0] == ' ' || name[length - 1] == ' ') return "it must not start or end with a blank";
    for (size_t k = 0; k < length; k++)
        if (name[k] == ',' || name[k] == '"' || (unsigned char)name[k] < ' ' || name[k] == 0x7F)
            return "it must not contain commas, double quotes or control characters";
    return NULL;
}

/* --------------------------------------------------------------------------------------------------- collecting */

scalay_status scalay_draft_add_group(scalay_profile_draft *draft, const char *name, int64_t count)
{
    scalay_status status = SCALAY_SUCCESS;
    if (draft->groups == INT_MAX - 1)
        return scalay_fail(SCALAY_ERROR_RANGE, draft->function, "the number of groups must be at most %d", INT_MAX - 1);
    SCALAY_TRY(SCALAY_GROW(draft->group, draft->group_capacity, (int64_t)draft->groups + 1));
    draft->group[draft->groups] = (scalay_profile_group){.count = count};
    SCALAY_TRY(scalay_text_copy(name, &draft->group[draft->groups].name));
    draft->groups++;
cleanup:
    return status;
}

scalay_status scalay_draft_add_point(scalay_profile_draft *draft, const scalay_draft_point *point)
{
    scalay_status status = SCALAY_GROW(draft->point, draft->point_capacity, draft->points + 1);
    if (status != SCALAY_SUCCESS) return status;
    draft->point[draft->points++] = *point;
    draft->group[point->group].points++;
    return SCALAY_SUCCESS;
}

void scalay_draft_free(scalay_profile_draft *draft)
{
    for (int g = 0; g < draft->groups; g++) scalay_release(draft->group[g].name);
    scalay_release(draft->group);
    scalay_release(draft->point);
    *draft = (scalay_profile_draft){0};
}

static uint64_t hash_of(const char *name)
{
    uint64_t hash = scalay_fingerprint_start();
    for (; *name != '\0'; name++) hash = scalay_fingerprint_add(hash, *name);
    return hash ^ hash >> 32;
}

/* Returns the slot of a name, or the empty slot where it belongs. The table always has an empty slot. */
static int *find_slot(const scalay_profile_names *names, const scalay_profile_draft *draft, const char *name)
{
    int64_t k = (int64_t)(hash_of(name) % (uint64_t)names->slots);
    while (names->slot[k] != 0 && strcmp(draft->group[names->slot[k] - 1].name, name) != 0) k = (k + 1) % names->slots;
    return &names->slot[k];
}

/* Doubles the table if half of the slots are in use. */
static scalay_status reserve_slot(scalay_profile_names *names, const scalay_profile_draft *draft)
{
    scalay_profile_names larger = {NULL, names->slots == 0 ? FIRST_SLOTS : 2 * names->slots};
    if (2 * ((int64_t)draft->groups + 1) <= names->slots) return SCALAY_SUCCESS;
    scalay_status status = SCALAY_NEW(larger.slot, larger.slots);
    if (status != SCALAY_SUCCESS) return status;
    for (int g = 0; g < draft->groups; g++) *find_slot(&larger, draft, draft->group[g].name) = g + 1;
    scalay_release(names->slot);
    *names = larger;
    return SCALAY_SUCCESS;
}

scalay_status scalay_profile_find_name(scalay_profile_names *names, scalay_profile_draft *draft, const char *name,
                                       int *group)
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(reserve_slot(names, draft));
    int *slot = find_slot(names, draft, name);
    if (*slot == 0) {
        SCALAY_TRY(scalay_draft_add_group(draft, name, 0));
        *slot = draft->groups;
    }
    *group = *slot - 1;
cleanup:
    return status;
}

/* ------------------------------------------------------------------------------------------------------ sorting */

/* By group, size and origin, so that of two equal sizes the second one is reported. */
static int compare_points(const void *left, const void *right)
{
    const scalay_draft_point *a = left;
    const scalay_draft_point *b = right;
    if (a->group != b->group) return a->group < b->group ? -1 : 1;
    if (a->size != b->size) return a->size < b->size ? -1 : 1;
    return scalay_compare_int64(a->origin, b->origin);
}

static scalay_status check_sizes_differ(const scalay_profile_draft *draft)
{
    char origin[SCALAY_DRAFT_ORIGIN_SIZE];
    for (int64_t k = 1; k < draft->points; k++) {
        const scalay_draft_point *a = &draft->point[k - 1];
        const scalay_draft_point *b = &draft->point[k];
        if (a->group != b->group || a->size != b->size) continue;
        (void)scalay_draft_origin_text(draft, COLUMN_SIZE, b->origin, origin);
        if (draft->origin != ORIGIN_LINE)
            return scalay_fail(SCALAY_ERROR_ARGUMENT, draft->function,
                               "%s is %lld, equal to size[%lld]; sizes must be distinct", origin, (long long)b->size,
                               (long long)a->origin);
        return scalay_fail(SCALAY_ERROR_FORMAT, "",
                           "%s is %lld; line %lld has the same size of '%.80s'. Keep one of the two", origin,
                           (long long)b->size, (long long)a->origin, draft->group[b->group].name);
    }
    return SCALAY_SUCCESS;
}

scalay_status scalay_draft_sort(scalay_profile_draft *draft)
{
    int64_t k = 1;
    while (k < draft->points && compare_points(&draft->point[k - 1], &draft->point[k]) < 0) k++;
    if (k < draft->points) qsort(draft->point, (size_t)draft->points, sizeof *draft->point, compare_points);
    return check_sizes_differ(draft);
}

/* --------------------------------------------------------------------------------------------- unit of energies */

static scalay_decimal energy_of(const scalay_draft_point *point)
{
    return (scalay_decimal){point->digits, point->exponent};
}

/* "energy[3] is 0.1234567" */
static const char *describe_energy(const scalay_profile_draft *draft, const scalay_draft_point *point, char *text)
{
    char number[SCALAY_DECIMAL_SIZE];
    (void)scalay_decimal_print(energy_of(point), number);
    scalay_text out = {text, SCALAY_DRAFT_ORIGIN_SIZE, 0};
    out.length = (int64_t)strlen(scalay_draft_origin_text(draft, COLUMN_ENERGY, point->origin, text));
    scalay_text_append(&out, " is %s", number);
    return text;
}

/* A second energy of the same draft: "the 0.1234567 of line 3" for a file. */
static const char *describe_other(const scalay_profile_draft *draft, const scalay_draft_point *point, char *text)
{
    char number[SCALAY_DECIMAL_SIZE];
    (void)scalay_decimal_print(energy_of(point), number);
    scalay_text out = {text, SCALAY_DRAFT_ORIGIN_SIZE, 0};
    if (draft->origin == ORIGIN_LINE) {
        scalay_text_append(&out, "the %s of line %lld", number, (long long)point->origin);
    } else {
        out.length = (int64_t)strlen(scalay_draft_origin_text(draft, COLUMN_ENERGY, point->origin, text));
        scalay_text_append(&out, ", %s,", number);
    }
    return text;
}

/* Finds the power of ten that all energies are multiples of, and checks their sizes in this unit. */
static scalay_status find_energy_digits(const scalay_profile_draft *draft, int *digits)
{
    char text[SCALAY_DRAFT_ORIGIN_SIZE];
    char other[SCALAY_DRAFT_ORIGIN_SIZE];
    const scalay_draft_point *finest = draft->point;
    int64_t units = 0;
    for (int64_t k = 0; k < draft->points; k++)
        if (scalay_decimal_places(energy_of(&draft->point[k])) > scalay_decimal_places(energy_of(finest)))
            finest = &draft->point[k];
    *digits = scalay_decimal_places(energy_of(finest));
    if (*digits > SCALAY_PROFILE_MOST_DIGITS)
        return scalay_fail(SCALAY_ERROR_RANGE, draft->function,
                           "%s; it has %d decimal places, and must have at most %d. Round it",
                           describe_energy(draft, finest, text), *digits, SCALAY_PROFILE_MOST_DIGITS);
    for (int64_t k = 0; k < draft->points; k++) {
        const scalay_draft_point *point = &draft->point[k];
        if (scalay_decimal_scale(energy_of(point), *digits, SCALAY_PROFILE_MOST_UNITS, &units)) continue;
        return scalay_fail(SCALAY_ERROR_RANGE, draft->function,
                           "%s, more than 2^53 units of 1e-%d J; %s needs this unit. Round the energies, for example "
                           "to microjoules",
                           describe_energy(draft, point, text), *digits, describe_other(draft, finest, other));
    }
    return SCALAY_SUCCESS;
}

/* ----------------------------------------------------------------------------------------------------- building */

static scalay_status check_groups(const scalay_profile_draft *draft)
{
    for (int g = 0; g < draft->groups; g++)
        if (draft->group[g].points == 0)
            return scalay_fail(SCALAY_ERROR_ARGUMENT, draft->function,
                               "all sizes are holes; at least one must be a "
                               "point");
    return SCALAY_SUCCESS;
}

static scalay_status sum_counts(const scalay_profile_draft *draft, int64_t *processors)
{
    *processors = 0;
    for (int g = 0; g < draft->groups; g++)
        if (!scalay_add_int64(*processors, draft->group[g].count, processors))
            return scalay_fail(SCALAY_ERROR_RANGE, draft->function,
                               "%s%sthe sum of the counts exceeds 2^63 - 1; use fewer processors",
                               draft->path != NULL ? draft->path : "", draft->path != NULL ? ": " : "");
    return SCALAY_SUCCESS;
}

/* Copies the sorted points of a group. */
static void fill_group(const scalay_draft_point *point, int digits, scalay_profile_group *group)
{
    for (int64_t k = 0; k < group->points; k++) {
        group->size[k] = point[k].size;
        group->time[k] = point[k].time;
        if (group->energy == NULL) continue;
        group->energy[k] = point[k].energy;
        (void)scalay_decimal_scale(energy_of(&point[k]), digits, SCALAY_PROFILE_MOST_UNITS, &group->energy_units[k]);
    }
}

static scalay_status fill_profile(const scalay_profile_draft *draft, scalay_profile *profile)
{
    scalay_status status = SCALAY_SUCCESS;
    int64_t start = 0;
    for (int g = 0; g < draft->groups; g++) {
        const scalay_profile_group *from = &draft->group[g];
        SCALAY_TRY(scalay_profile_allocate_group(profile, &profile->group[g], from->name, from->count, from->points));
        fill_group(draft->point + start, profile->energy_digits, &profile->group[g]);
        start += from->points;
    }
cleanup:
    return status;
}

scalay_status scalay_draft_build(scalay_profile_draft *draft, scalay_profile **profile)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_profile *new_profile = NULL;
    SCALAY_TRY(check_groups(draft));
    SCALAY_TRY(scalay_draft_sort(draft));
    SCALAY_TRY(scalay_profile_allocate(draft->groups, draft->has_energy, &new_profile));
    new_profile->is_modelled = draft->has_energy && draft->is_modelled;
    SCALAY_TRY(sum_counts(draft, &new_profile->processors));
    if (draft->has_energy) SCALAY_TRY(find_energy_digits(draft, &new_profile->energy_digits));
    SCALAY_TRY(fill_profile(draft, new_profile));
    SCALAY_TRY(scalay_profile_summarize(new_profile));
    *profile = new_profile;
    new_profile = NULL;
cleanup:
    scalay_profile_destroy(&new_profile);
    return status;
}
