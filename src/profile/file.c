/*
 * Profiles as CSV files: scalay_profile_read(), _parse() and _write().
 *
 * Reading streams the fields of the file into a draft (draft.c). Writing goes to a temporary file that is renamed.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/csv.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/replacement.h"
#include "profile/draft.h"

/* ------------------------------------------------------------------------------------------------------ reading */

/* State of reading a file. */
typedef struct {
    scalay_csv csv;
    scalay_csv_column column[COLUMNS];
    scalay_profile_draft draft;
    scalay_profile_names names;
    int64_t line_capacity;
    int64_t *line; /* shape [draft.groups]: line of the file that has a group's count */
    char name[SCALAY_CSV_FIELD_SIZE];
    int64_t count;            /* of the current row */
    scalay_draft_point point; /* of the current row */
} profile_reader;

static scalay_status take_name(profile_reader *reader)
{
    const char *remedy = scalay_profile_name_remedy(reader->csv.text);
    if (remedy != NULL) return scalay_csv_fail(&reader->csv, remedy);
    (void)strcpy(reader->name, reader->csv.text);
    return SCALAY_SUCCESS;
}

/* Keeps the decimal digits of the file, because the nearest double may have others. */
static scalay_status take_energy(profile_reader *reader)
{
    scalay_status status = SCALAY_SUCCESS;
    char place[SCALAY_CSV_LOCATION_SIZE];
    scalay_decimal joules;
    SCALAY_TRY(scalay_csv_number(&reader->csv, &reader->point.energy));
    if (scalay_decimal_from_text(reader->csv.text, &joules) != SCALAY_NUMBER_VALID)
        return SCALAY_FAIL(SCALAY_ERROR_RANGE, "%s is %.80s; it must have at most 18 digits. Round it to 15",
                           scalay_csv_location(&reader->csv, place), reader->csv.text);
    reader->point.digits = joules.digits;
    reader->point.exponent = joules.exponent;
cleanup:
    return status;
}

static scalay_status take_field(profile_reader *reader, int column)
{
    switch (column) {
    case COLUMN_PROCESSOR:
        return take_name(reader);
    case COLUMN_SIZE:
        return scalay_csv_integer(&reader->csv, 1, &reader->point.size);
    case COLUMN_TIME:
        return scalay_csv_number(&reader->csv, &reader->point.time);
    case COLUMN_ENERGY:
        return take_energy(reader);
    default:
        return scalay_csv_integer(&reader->csv, 1, &reader->count);
    }
}

static scalay_status check_count(profile_reader *reader, int group)
{
    char text[SCALAY_DRAFT_ORIGIN_SIZE];
    scalay_status status = SCALAY_SUCCESS;
    scalay_profile_group *found = &reader->draft.group[group];
    if (found->count == 0) {
        SCALAY_TRY(SCALAY_GROW(reader->line, reader->line_capacity, (int64_t)group + 1));
        reader->line[group] = reader->csv.line;
        found->count = reader->count;
    }
    if (found->count != reader->count)
        return SCALAY_FAIL(
            SCALAY_ERROR_FORMAT, "%s is %lld; line %lld has %lld for '%.80s'. All rows of a group must have one count",
            scalay_draft_origin_text(&reader->draft, COLUMN_COUNT, reader->csv.line, text), (long long)reader->count,
            (long long)reader->line[group], (long long)found->count, found->name);
cleanup:
    return status;
}

static scalay_status end_row(profile_reader *reader)
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(scalay_profile_find_name(&reader->names, &reader->draft, reader->name, &reader->point.group));
    SCALAY_TRY(check_count(reader, reader->point.group));
    reader->point.origin = reader->csv.line;
    SCALAY_TRY(scalay_draft_add_point(&reader->draft, &reader->point));
cleanup:
    return status;
}

static scalay_status read_header(profile_reader *reader)
{
    const scalay_csv_column columns[COLUMNS] = {
        {"processor", 1, -1}, {"size", 1, -1}, {"time", 1, -1}, {"energy", 0, -1}, {"count", 0, -1}};
    memcpy(reader->column, columns, sizeof columns);
    reader->csv.sought = SCALAY_PROFILE_MODELLED;
    scalay_status status = scalay_csv_read_header(&reader->csv, COLUMNS, reader->column);
    reader->draft.function = "";
    reader->draft.origin = ORIGIN_LINE;
    reader->draft.path = reader->csv.path;
    reader->draft.has_energy = reader->column[COLUMN_ENERGY].field >= 0;
    for (int k = 0; k < COLUMNS; k++) reader->draft.field[k] = reader->column[k].field;
    return status;
}

static scalay_status read_rows(profile_reader *reader)
{
    scalay_status status = SCALAY_SUCCESS;
    int column = 0;
    int more = 1;
    reader->count = 1;
    for (;;) {
        SCALAY_TRY(scalay_csv_next_field(&reader->csv, &column, &more));
        if (!more) break;
        SCALAY_TRY(take_field(reader, column));
        if (reader->csv.ends_row) SCALAY_TRY(end_row(reader));
    }
    if (reader->draft.points == 0)
        status =
            SCALAY_FAIL(SCALAY_ERROR_FORMAT, "%.300s: there are no rows below the header; give one row for each size",
                        reader->csv.path);
cleanup:
    return status;
}

/* Reads an open file, and closes it. `status` is that of opening it. */
static scalay_status read_profile(profile_reader *reader, scalay_status status, scalay_profile **profile)
{
    SCALAY_TRY(status);
    SCALAY_TRY(read_header(reader));
    SCALAY_TRY(read_rows(reader));
    reader->draft.is_modelled = reader->csv.found;
    SCALAY_TRY(scalay_draft_build(&reader->draft, profile));
cleanup:
    scalay_csv_close(&reader->csv);
    scalay_draft_free(&reader->draft);
    scalay_release(reader->names.slot);
    scalay_release(reader->line);
    return status;
}

scalay_status scalay_profile_read(const char *path, scalay_profile **profile)
{
    profile_reader reader = {0};
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(scalay_check_not_null(profile, __func__, "profile"));
    *profile = NULL;
    SCALAY_TRY(scalay_check_not_null(path, __func__, "path"));
    status = read_profile(&reader, scalay_csv_open(path, &reader.csv), profile);
cleanup:
    return status;
}

scalay_status scalay_profile_parse(const char *name, const char *text, size_t length, scalay_profile **profile)
{
    profile_reader reader = {0};
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(scalay_check_not_null(profile, __func__, "profile"));
    *profile = NULL;
    SCALAY_TRY(scalay_check_not_null(name, __func__, "name"));
    SCALAY_TRY(scalay_check_not_null(text, __func__, "text"));
    status = read_profile(&reader, scalay_csv_open_text(name, text, length, &reader.csv), profile);
cleanup:
    return status;
}

/* ------------------------------------------------------------------------------------------------------ writing */

/* Returns 1 if a group has more than one processor. Only then the file has a column `count`. */
static int has_counts(const scalay_profile *profile)
{
    for (int g = 0; g < profile->groups; g++)
        if (profile->group[g].count != 1) return 1;
    return 0;
}

/* Returns the number of bytes written; negative on failure. Energies are written from their units, because a file can
 * have more digits than a double. */
static int write_point(const scalay_profile *profile, const scalay_profile_group *group, int64_t k, int counts,
                       FILE *stream)
{
    char time[SCALAY_DECIMAL_SIZE];
    char rest[2 * SCALAY_DECIMAL_SIZE] = "";
    scalay_text text = {rest, sizeof rest, 0};
    char number[SCALAY_DECIMAL_SIZE];
    (void)scalay_decimal_print(scalay_decimal_shortest(group->time[k]), time);
    if (profile->has_energy) {
        (void)scalay_decimal_print(scalay_decimal_normalise(group->energy_units[k], -profile->energy_digits), number);
        scalay_text_append(&text, ",%s", number);
    }
    if (counts) scalay_text_append(&text, ",%lld", (long long)group->count);
    return fprintf(stream, "%s,%lld,%s%s\n", group->name, (long long)group->size[k], time, rest);
}

/* Returns the number of bytes written; negative on failure. */
static int64_t write_points(const scalay_profile *profile, FILE *stream)
{
    int counts = has_counts(profile);
    int64_t bytes =
        fprintf(stream, "%sprocessor,size,time%s%s\n",
                profile->is_modelled ? "# " SCALAY_PROFILE_MODELLED ": joules are computed, not measured\n" : "",
                profile->has_energy ? ",energy" : "", counts ? ",count" : "");
    for (int g = 0; g < profile->groups; g++)
        for (int64_t k = 0; k < profile->group[g].points && bytes >= 0; k++) {
            int length = write_point(profile, &profile->group[g], k, counts, stream);
            bytes = length < 0 ? -1 : bytes + length;
        }
    return bytes;
}

static scalay_status write_file(const scalay_profile *profile, scalay_replacement *names)
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(scalay_replacement_begin(names));
    errno = 0;
    FILE *stream = fopen(names->temporary, "w");
    if (stream == NULL) return scalay_replacement_fail(names, "check its permissions");
    int64_t bytes = write_points(profile, stream);
    int closed = fclose(stream) == 0;
    if (bytes < 0 || !closed) return scalay_replacement_fail(names, "check free space and quota");
    SCALAY_TRY(scalay_replacement_commit(names, bytes));
cleanup:
    return status;
}

scalay_status scalay_profile_write(const scalay_profile *profile, const char *path)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_locale locale = {0};
    scalay_replacement names = {0};
    SCALAY_TRY(scalay_check_not_null(profile, __func__, "profile"));
    SCALAY_TRY(scalay_check_not_null(path, __func__, "path"));
    SCALAY_TRY(scalay_locale_enter(&locale));
    SCALAY_TRY(scalay_replacement_allocate(path, &names));
    SCALAY_TRY(write_file(profile, &names));
cleanup:
    scalay_replacement_remove(&names);
    scalay_replacement_release(&names);
    scalay_locale_leave(&locale);
    return status;
}
