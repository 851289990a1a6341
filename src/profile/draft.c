#include "profile/draft.h"

#include <limits.h>
#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/integer.h"
#include "base/memory.h"
#include "base/text.h"

enum { LONGEST_NAME = 255 };

static const char *const columns[COLUMNS] = {"processor", "size", "time", "energy", "count"};

const char *scalay_draft_place(const scalay_profile_draft *draft, int column, int64_t origin, char *place)
{
    scalay_text text = {place, SCALAY_DRAFT_PLACE_SIZE, 0};
    const char *name = columns[column];
    if (draft->origin == ORIGIN_INDEX) scalay_text_append(&text, "%s[%lld]", name, (long long)origin);
    if (draft->origin == ORIGIN_SIZE) scalay_text_append(&text, "%s(%lld)", name, (long long)origin);
    if (draft->origin == ORIGIN_LINE)
        scalay_text_append(&text, "%.200s, line %lld, field %d (%s)", draft->path, (long long)origin,
                           draft->field[column] + 1, name);
    return place;
}

const char *scalay_profile_name_remedy(const char *name)
{
    size_t length = strlen(name);
    if (length == 0) return "give it a name";
    if (length > LONGEST_NAME) return "use at most 255 bytes";
    if (name[0] == '#') return "a # at its start would make a line a comment";
    if (name[0] == ' ' || name[length - 1] == ' ') return "no blanks at its ends";
    for (size_t k = 0; k < length; k++)
        if (name[k] == ',' || name[k] == '"' || (unsigned char)name[k] < ' ' || name[k] == 0x7F)
            return "no commas, double quotes or control characters";
    return NULL;
}

/* ------------------------------------------------------------------------------------------------- collecting */

scalay_status scalay_draft_add_group(scalay_profile_draft *draft, const char *name, int64_t count)
{
    scalay_status status = SCALAY_SUCCESS;
    if (draft->groups == INT_MAX - 1)
        return scalay_fail(SCALAY_ERROR_RANGE, draft->function, "more than %d groups", INT_MAX - 1);
    SCALAY_TRY(SCALAY_GROW(draft->group, draft->group_room, (int64_t)draft->groups + 1));
    draft->group[draft->groups] = (scalay_profile_group){.count = count};
    SCALAY_TRY(scalay_text_copy(name, &draft->group[draft->groups].name));
    draft->groups++;
cleanup:
    return status;
}

scalay_status scalay_draft_add_point(scalay_profile_draft *draft, const scalay_draft_point *point)
{
    scalay_status status = SCALAY_GROW(draft->point, draft->point_room, draft->points + 1);
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

/* ---------------------------------------------------------------------------------------------------- sorting */

/* By group, size and origin: of two points of a size, the first stands first. */
static int compare_points(const void *left, const void *right)
{
    const scalay_draft_point *a = left;
    const scalay_draft_point *b = right;
    if (a->group != b->group) return a->group < b->group ? -1 : 1;
    if (a->size != b->size) return a->size < b->size ? -1 : 1;
    return (a->origin > b->origin) - (a->origin < b->origin);
}

static scalay_status check_sizes(const scalay_profile_draft *draft)
{
    char place[SCALAY_DRAFT_PLACE_SIZE];
    for (int64_t k = 1; k < draft->points; k++) {
        const scalay_draft_point *a = &draft->point[k - 1];
        const scalay_draft_point *b = &draft->point[k];
        if (a->group != b->group || a->size != b->size) continue;
        (void)scalay_draft_place(draft, COLUMN_SIZE, b->origin, place);
        if (draft->origin != ORIGIN_LINE)
            return scalay_fail(SCALAY_ERROR_ARGUMENT, draft->function, "%s = %lld, and so is size[%lld]; sizes differ",
                               place, (long long)b->size, (long long)a->origin);
        return scalay_fail(SCALAY_ERROR_FORMAT, "", "%s is %lld: line %lld has that of '%.80s' already; keep one",
                           place, (long long)b->size, (long long)a->origin, draft->group[b->group].name);
    }
    return SCALAY_SUCCESS;
}

scalay_status scalay_draft_sort(scalay_profile_draft *draft)
{
    int64_t k = 1;
    while (k < draft->points && compare_points(&draft->point[k - 1], &draft->point[k]) < 0) k++;
    if (k < draft->points) qsort(draft->point, (size_t)draft->points, sizeof *draft->point, compare_points);
    return check_sizes(draft);
}

static scalay_status check_groups(const scalay_profile_draft *draft)
{
    for (int g = 0; g < draft->groups; g++)
        if (draft->group[g].points == 0)
            return scalay_fail(SCALAY_ERROR_ARGUMENT, draft->function, "no size is possible; at least one must be");
    return SCALAY_SUCCESS;
}

/* --------------------------------------------------------------------------------------------------- building */

static scalay_status sum_counts(const scalay_profile_draft *draft, int64_t *processors)
{
    *processors = 0;
    for (int g = 0; g < draft->groups; g++)
        if (!scalay_add_int64(*processors, draft->group[g].count, processors))
            return scalay_fail(SCALAY_ERROR_RANGE, draft->function,
                               "%s%sthe counts of the processors sum up to more than 2^63 - 1; use fewer",
                               draft->path != NULL ? draft->path : "", draft->path != NULL ? ": " : "");
    return SCALAY_SUCCESS;
}

/* The sorted points of a group. */
static void fill_group(const scalay_draft_point *point, int digits, scalay_profile_group *group)
{
    for (int64_t k = 0; k < group->points; k++) {
        group->size[k] = point[k].size;
        group->time[k] = point[k].time;
        if (group->energy == NULL) continue;
        scalay_decimal joules = {point[k].digits, point[k].exponent};
        group->energy[k] = point[k].energy;
        (void)scalay_decimal_scale(joules, digits, SCALAY_PROFILE_MOST_UNITS, &group->energy_units[k]);
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
    scalay_profile *made = NULL;
    SCALAY_TRY(check_groups(draft));
    SCALAY_TRY(scalay_draft_sort(draft));
    SCALAY_TRY(scalay_profile_allocate(draft->groups, draft->has_energy, &made));
    made->is_modelled = draft->has_energy && draft->is_modelled;
    SCALAY_TRY(sum_counts(draft, &made->processors));
    if (draft->has_energy) SCALAY_TRY(scalay_draft_energy_digits(draft, &made->energy_digits));
    SCALAY_TRY(fill_profile(draft, made));
    SCALAY_TRY(scalay_profile_summarize(made));
    *profile = made;
    made = NULL;
cleanup:
    scalay_profile_destroy(&made);
    return status;
}

/* ------------------------------------------------------------------------------------------------- allocation */

scalay_status scalay_profile_allocate(int groups, int has_energy, scalay_profile **profile)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_profile *made = NULL;
    *profile = NULL;
    SCALAY_TRY(SCALAY_NEW(made, 1));
    atomic_init(&made->references, 1);
    made->has_energy = has_energy;
    SCALAY_TRY(SCALAY_NEW(made->group, groups));
    made->groups = groups;
    *profile = made;
    made = NULL;
cleanup:
    scalay_profile_destroy(&made);
    return status;
}

scalay_status scalay_profile_allocate_group(const scalay_profile *profile, scalay_profile_group *group,
                                            const char *name, int64_t count, int64_t points)
{
    scalay_status status = SCALAY_SUCCESS;
    group->count = count;
    group->points = points;
    SCALAY_TRY(scalay_text_copy(name, &group->name));
    SCALAY_TRY(SCALAY_NEW(group->size, points));
    SCALAY_TRY(SCALAY_NEW(group->times, points + 1));
    group->time = group->times + 1;
    group->times[0] = 0.0;
    if (!profile->has_energy) return SCALAY_SUCCESS;
    SCALAY_TRY(SCALAY_NEW(group->energy, points));
    SCALAY_TRY(SCALAY_NEW(group->energies, points + 1));
    group->energy_units = group->energies + 1;
    group->energies[0] = 0;
cleanup:
    return status;
}
