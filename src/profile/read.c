#include <string.h>

#include "base/csv.h"
#include "base/memory.h"
#include "profile/names.h"

/* A file that is being read. */
typedef struct {
    scalay_csv csv;
    scalay_csv_column column[COLUMNS];
    scalay_profile_draft draft;
    scalay_profile_names names;
    int64_t line_room;
    int64_t *line; /* shape [draft.groups]: where a group's count comes from */
    char name[SCALAY_CSV_FIELD_SIZE];
    int64_t count; /* of the row at hand */
    scalay_draft_point point;
} profile_reader;

static scalay_status take_name(profile_reader *reader)
{
    const char *remedy = scalay_profile_name_remedy(reader->csv.text);
    if (remedy != NULL) return scalay_csv_fail(&reader->csv, remedy);
    (void)strcpy(reader->name, reader->csv.text);
    return SCALAY_SUCCESS;
}

/* The digits as they stand count, not the double nearest to them. */
static scalay_status take_energy(profile_reader *reader)
{
    scalay_status status = SCALAY_SUCCESS;
    char place[SCALAY_CSV_LOCATION_SIZE];
    scalay_decimal joules;
    SCALAY_TRY(scalay_csv_number(&reader->csv, &reader->point.energy));
    if (scalay_decimal_from_text(reader->csv.text, &joules) != SCALAY_NUMBER_VALID)
        return SCALAY_FAIL(SCALAY_ERROR_RANGE, "%s is %.80s: more digits than energies have; round it to 15",
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
    char place[SCALAY_DRAFT_PLACE_SIZE];
    scalay_status status = SCALAY_SUCCESS;
    scalay_profile_group *found = &reader->draft.group[group];
    if (found->count == 0) {
        SCALAY_TRY(SCALAY_GROW(reader->line, reader->line_room, (int64_t)group + 1));
        reader->line[group] = reader->csv.line;
        found->count = reader->count;
    }
    if (found->count != reader->count)
        return SCALAY_FAIL(SCALAY_ERROR_FORMAT, "%s is %lld: line %lld has %lld for '%.80s'; one processor, one count",
                           scalay_draft_place(&reader->draft, COLUMN_COUNT, reader->csv.line, place),
                           (long long)reader->count, (long long)reader->line[group], (long long)found->count,
                           found->name);
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
        status = SCALAY_FAIL(SCALAY_ERROR_FORMAT, "%.300s: no rows below the header; give one for every size",
                             reader->csv.path);
cleanup:
    return status;
}

/* The rest, once the file is open; closes it. */
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
    if (profile == NULL) return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "profile is NULL; pass where to put it");
    *profile = NULL;
    if (path == NULL) return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "path is NULL; name a file");
    return read_profile(&reader, scalay_csv_open(path, &reader.csv), profile);
}

scalay_status scalay_profile_parse(const char *name, const char *text, size_t length, scalay_profile **profile)
{
    profile_reader reader = {0};
    if (profile == NULL) return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "profile is NULL; pass where to put it");
    *profile = NULL;
    if (name == NULL) return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "name is NULL; give the text a name for messages");
    if (text == NULL) return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "text is NULL; pass the bytes of a CSV file");
    return read_profile(&reader, scalay_csv_open_text(name, text, length, &reader.csv), profile);
}
