/*
 * Files of records: a profile in CSV with facts in comment lines (docs/profiles.md has the format).
 *
 * A file is rewritten as a whole after each size, to a temporary name, and renamed. Reading is strict: a file that is
 * not a complete record is refused, with the number of the line.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/number.h"
#include "base/replacement.h"
#include "measure/profiler_record.h"

/* ---------------------------------------------------------------------------------------------------- reading lines */

/* Names of scalay_profile_state. */
static const char *const states[] = {"measuring", "complete", "interrupted"};

enum { LINE = 4096, MAX_PROCESSORS = 1 << 24, MIN_LINE_LENGTH = 16 };

/* State of reading a text line by line. */
typedef struct {
    const char *name;
    const char *at;
    const char *end;
    int64_t max_lines;           /* lines about processors that the text can contain: a limit for allocations */
    int64_t number;              /* of the current line */
    char line[LINE];             /* without its end */
    scalay_profile_record facts; /* from the lines before the processors */
    scalay_profile_record *record;
} record_reader;

static scalay_status refuse(const record_reader *reader, const char *reason)
{
    return scalay_fail(SCALAY_ERROR_FORMAT, "",
                       "%.200s, line %lld: %s; use another file, or measure again with --restart", reader->name,
                       (long long)reader->number, reason);
}

static scalay_status next_line(record_reader *reader, int *more)
{
    *more = reader->at < reader->end;
    if (!*more) return SCALAY_SUCCESS;
    size_t left = (size_t)(reader->end - reader->at);
    const char *stop = memchr(reader->at, '\n', left);
    size_t length = stop != NULL ? (size_t)(stop - reader->at) : left;
    reader->number++;
    if (length >= LINE) return refuse(reader, "the line is too long");
    memcpy(reader->line, reader->at, length);
    reader->line[length] = '\0';
    reader->at += length + (stop != NULL);
    return SCALAY_SUCCESS;
}

/* ------------------------------------------------------------------------------------------------- key=value */

/* Returns the value of a key; NULL if there is none. */
static const char *find_value(const char *line, const char *key)
{
    size_t length = strlen(key);
    for (const char *at = strchr(line, ' '); at != NULL; at = strchr(at + 1, ' '))
        if (strncmp(at + 1, key, length) == 0 && at[1 + length] == '=') return at + length + 2;
    return NULL;
}

static scalay_status take_text(record_reader *reader, const char *key, char *text, size_t size)
{
    char reason[64];
    const char *value = find_value(reader->line, key);
    size_t length = value != NULL ? strcspn(value, " ") : size;
    (void)snprintf(reason, sizeof reason, "%s= is missing or too long", key);
    if (length >= size) return refuse(reader, reason);
    memcpy(text, value, length);
    text[length] = '\0';
    return SCALAY_SUCCESS;
}

static scalay_status take_double(record_reader *reader, const char *key, double *value)
{
    char text[SCALAY_NUMBER_SIZE];
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(take_text(reader, key, text, sizeof text));
    if (scalay_number_double(text, value) != SCALAY_NUMBER_VALID) status = refuse(reader, "a number is invalid");
cleanup:
    return status;
}

static scalay_status take_integer(record_reader *reader, const char *key, int64_t minimum, int64_t maximum,
                                  int64_t *value)
{
    char text[SCALAY_NUMBER_SIZE];
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(take_text(reader, key, text, sizeof text));
    if (scalay_text_to_int64(text, strlen(text), value) != SCALAY_NUMBER_VALID || *value < minimum || *value > maximum)
        status = refuse(reader, "an integer is invalid");
cleanup:
    return status;
}

static scalay_status take_int(record_reader *reader, const char *key, int *value)
{
    int64_t wide = 0;
    scalay_status status = take_integer(reader, key, 0, MAX_PROCESSORS, &wide);
    if (status == SCALAY_SUCCESS) *value = (int)wide;
    return status;
}

/* ---------------------------------------------------------------------------------------------------- lines */

/* Returns the text after a word at the start of a line; NULL if the line starts differently. */
static const char *after(const char *line, const char *word)
{
    size_t length = strlen(word);
    return strncmp(line, word, length) == 0 ? line + length : NULL;
}

static scalay_status copy_rest(const char *rest, char **copy)
{
    scalay_release(*copy);
    *copy = NULL;
    return scalay_text_copy(rest, copy);
}

static scalay_status read_repeat(record_reader *reader)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_repeat_options *repeat = &reader->facts.repeat;
    SCALAY_TRY(take_integer(reader, "warm_up", 0, INT64_MAX, &repeat->warm_up));
    SCALAY_TRY(take_integer(reader, "min", 0, INT64_MAX, &repeat->min_repetitions));
    SCALAY_TRY(take_integer(reader, "max", 0, INT64_MAX, &repeat->max_repetitions));
    SCALAY_TRY(take_double(reader, "seconds", &repeat->max_seconds));
    SCALAY_TRY(take_double(reader, "confidence", &repeat->confidence));
    SCALAY_TRY(take_double(reader, "precision", &repeat->precision));
cleanup:
    return status;
}

static scalay_status read_state(record_reader *reader, const char *rest)
{
    for (int k = 0; k < 3; k++)
        if (strcmp(rest, states[k]) == 0) {
            reader->facts.state = (scalay_profile_state)k;
            return SCALAY_SUCCESS;
        }
    return refuse(reader, "the state is invalid; it must be measuring, complete or interrupted");
}

static scalay_status read_processors(record_reader *reader, const char *rest)
{
    scalay_status status = SCALAY_SUCCESS;
    int64_t count = 0;
    if (scalay_text_to_int64(rest, strlen(rest), &count) != SCALAY_NUMBER_VALID || count < 1 ||
        count > MAX_PROCESSORS || count > reader->max_lines || reader->record != NULL || reader->facts.kernel == NULL ||
        reader->facts.meter == NULL)
        return refuse(reader, "the number of processors is invalid, or kernel and meter are missing");
    SCALAY_TRY(scalay_record_create(reader->facts.kernel, reader->facts.meter, reader->facts.modelled, (int)count,
                                    &reader->record));
    reader->record->repeat = reader->facts.repeat;
    reader->record->state = reader->facts.state;
    reader->record->shared_meter = reader->facts.shared_meter;
cleanup:
    return status;
}

/* Returns the processor of a name "p12 ..."; -1 if there is none. */
static int find_processor(const record_reader *reader, const char *name)
{
    int64_t number = -1;
    size_t length = strcspn(name, " ");
    if (reader->record == NULL || length < 2 || name[0] != 'p') return -1;
    if (scalay_text_to_int64(name + 1, length - 1, &number) != SCALAY_NUMBER_VALID) return -1;
    return number >= 0 && number < reader->record->processors ? (int)number : -1;
}

static scalay_status read_processor(record_reader *reader, int p)
{
    scalay_status status = SCALAY_SUCCESS;
    char group[SCALAY_PROCESSOR_NAME];
    scalay_record_processor *facts = &reader->record->processor[p];
    SCALAY_TRY(take_text(reader, "group", group, sizeof group));
    reader->record->leader[p] = find_processor(reader, group);
    SCALAY_TRY(take_int(reader, "threads", &facts->threads));
    SCALAY_TRY(take_int(reader, "cores", &facts->cores));
    SCALAY_TRY(take_double(reader, "static_power", &facts->static_power));
    SCALAY_TRY(take_text(reader, "binding", facts->binding, sizeof facts->binding));
    SCALAY_TRY(take_text(reader, "host", facts->host, sizeof facts->host));
cleanup:
    return status;
}

/* Finds or adds the row of a size. The text must be long enough for a point of every processor. */
static scalay_status find_row(record_reader *reader, int64_t size, scalay_record_row **row)
{
    scalay_profile_record *record = reader->record;
    if (scalay_record_find(record, size) < 0 && record->sizes >= reader->max_lines / record->processors)
        return refuse(reader, "the number of sizes exceeds the number of points");
    return scalay_record_row_at(record, size, row);
}

static scalay_status read_point(record_reader *reader, int p)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_record_row *row = NULL;
    scalay_profile_point point = {.spread = NAN}; /* missing in files of version 0.1 */
    SCALAY_TRY(take_integer(reader, "size", 1, INT64_MAX, &point.size));
    SCALAY_TRY(take_double(reader, "time", &point.time));
    SCALAY_TRY(take_double(reader, "time_half_width", &point.time_half_width));
    SCALAY_TRY(take_double(reader, "median", &point.median));
    SCALAY_TRY(take_double(reader, "deviation", &point.deviation));
    if (find_value(reader->line, "spread") != NULL) SCALAY_TRY(take_double(reader, "spread", &point.spread));
    SCALAY_TRY(take_double(reader, "normality", &point.normality));
    SCALAY_TRY(take_double(reader, "energy", &point.energy));
    SCALAY_TRY(take_double(reader, "energy_half_width", &point.energy_half_width));
    SCALAY_TRY(take_integer(reader, "repetitions", 1, INT64_MAX, &point.repetitions));
    SCALAY_TRY(take_integer(reader, "outliers", 0, INT64_MAX, &point.outliers));
    SCALAY_TRY(take_int(reader, "precise", &point.precise));
    if (!(point.time >= 0.0 && isfinite(point.time))) return refuse(reader, "a time is invalid");
    SCALAY_TRY(find_row(reader, point.size, &row));
    if (row->point[p].hole != NULL || row->point[p].repetitions > 0) return refuse(reader, "a point occurs twice");
    row->point[p] = point;
cleanup:
    return status;
}

static scalay_status read_hole(record_reader *reader, int p)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_record_row *row = NULL;
    int64_t size = 0;
    SCALAY_TRY(take_integer(reader, "size", 1, INT64_MAX, &size));
    SCALAY_TRY(find_row(reader, size, &row));
    if (row->point[p].hole != NULL || row->point[p].repetitions > 0) return refuse(reader, "a point occurs twice");
    const char *reason = strchr(find_value(reader->line, "size"), ' ');
    SCALAY_TRY(scalay_record_set_hole(&row->point[p], reason != NULL ? reason + 1 : ""));
cleanup:
    return status;
}

/* The line follows its point. A point that has a negative energy keeps it. */
static scalay_status read_no_energy(record_reader *reader, int p)
{
    scalay_status status = SCALAY_SUCCESS;
    int64_t size = 0;
    SCALAY_TRY(take_integer(reader, "size", 1, INT64_MAX, &size));
    const int64_t k = scalay_record_find(reader->record, size);
    scalay_profile_point *point = k >= 0 ? &reader->record->row[k].point[p] : NULL;
    if (point == NULL || point->repetitions == 0) return refuse(reader, "a missing energy has no point");
    const char *reason = strchr(find_value(reader->line, "size"), ' ');
    if (isnan(point->energy)) status = scalay_record_set_meter_failure(point, reason != NULL ? reason + 1 : "");
cleanup:
    return status;
}

/* The line follows the points of its size. */
static scalay_status read_additive(record_reader *reader)
{
    scalay_status status = SCALAY_SUCCESS;
    int64_t size = 0;
    scalay_record_row read = {0};
    SCALAY_TRY(take_integer(reader, "size", 1, INT64_MAX, &size));
    SCALAY_TRY(take_double(reader, "difference", &read.difference));
    SCALAY_TRY(take_double(reader, "uncertainty", &read.uncertainty));
    if (isinf(read.difference) || isinf(read.uncertainty) || read.uncertainty < 0.0)
        return refuse(reader, "a difference is invalid");
    const int64_t k = reader->record != NULL ? scalay_record_find(reader->record, size) : -1;
    if (k < 0 || !reader->record->shared_meter)
        return refuse(reader, "a difference has no size, or the meter is not shared");
    scalay_record_row *row = &reader->record->row[k];
    if (row->compared) return refuse(reader, "a difference occurs twice");
    row->compared = 1;
    row->difference = read.difference;
    row->uncertainty = read.uncertainty;
cleanup:
    return status;
}

static scalay_status read_of_processor(record_reader *reader)
{
    static const struct {
        const char *word;
        scalay_status (*read)(record_reader *reader, int p);
    } kinds[] = {{"# processor ", read_processor},
                 {"# point ", read_point},
                 {"# hole ", read_hole},
                 {"# no energy ", read_no_energy}};
    for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++) {
        const char *rest = after(reader->line, kinds[k].word);
        if (rest == NULL) continue;
        int p = find_processor(reader, rest);
        return p >= 0 ? kinds[k].read(reader, p) : refuse(reader, "there is no such processor");
    }
    return SCALAY_SUCCESS;
}

/* Unknown facts are skipped: a later version has written them. */
static scalay_status read_line(record_reader *reader)
{
    const char *rest = NULL;
    if ((rest = after(reader->line, "# kernel ")) != NULL) return copy_rest(rest, &reader->facts.kernel);
    if ((rest = after(reader->line, "# meter ")) != NULL) return copy_rest(rest, &reader->facts.meter);
    if (after(reader->line, "# modelled") != NULL) {
        reader->facts.modelled = 1;
        return SCALAY_SUCCESS;
    }
    if (after(reader->line, "# shared meter") != NULL) {
        reader->facts.shared_meter = 1;
        return SCALAY_SUCCESS;
    }
    if (after(reader->line, "# additive ") != NULL) return read_additive(reader);
    if (after(reader->line, "# repeat ") != NULL) return read_repeat(reader);
    if ((rest = after(reader->line, "# state ")) != NULL) return read_state(reader, rest);
    if ((rest = after(reader->line, "# processors ")) != NULL) return read_processors(reader, rest);
    return read_of_processor(reader);
}

/* Every size must have a point or a hole of every processor, and a difference if the meter is shared. */
static scalay_status check_whole(const record_reader *reader)
{
    const scalay_profile_record *record = reader->record;
    if (record == NULL) return refuse(reader, "there are no processors");
    for (int64_t k = 0; k < record->sizes; k++) {
        for (int p = 0; p < record->processors; p++)
            if (record->row[k].point[p].hole == NULL && record->row[k].point[p].repetitions == 0)
                return refuse(reader, "points are missing before the end");
        if (record->shared_meter && !record->row[k].compared)
            return refuse(reader, "differences are missing before the end");
    }
    return SCALAY_SUCCESS;
}

scalay_status scalay_record_parse(const char *name, const char *text, int64_t length, scalay_profile_record **record)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_locale locale = {0};
    record_reader *reader = NULL;
    int more = 1;
    SCALAY_TRY(SCALAY_NEW(reader, 1));
    *reader = (record_reader){.name = name, .at = text, .end = text + length, .max_lines = length / MIN_LINE_LENGTH};
    SCALAY_TRY(scalay_locale_enter(&locale));
    SCALAY_TRY(next_line(reader, &more));
    if (strcmp(reader->line, "# scalay profile 1") != 0) SCALAY_TRY(refuse(reader, "this is not a measured profile"));
    while (more) {
        SCALAY_TRY(read_line(reader));
        SCALAY_TRY(next_line(reader, &more));
    }
    SCALAY_TRY(check_whole(reader));
    *record = reader->record;
    reader->record = NULL;
cleanup:
    scalay_locale_leave(&locale);
    if (reader != NULL) {
        scalay_release(reader->facts.kernel);
        scalay_release(reader->facts.meter);
        scalay_profile_record_destroy(&reader->record);
    }
    scalay_release(reader);
    return status;
}

/* ---------------------------------------------------------------------------------------------------- reading files */

enum { CHUNK = 1 << 16 };

static scalay_status cannot_read(const char *path, int reason)
{
    return scalay_fail(SCALAY_ERROR_FILE, "", "cannot read '%.200s': %s; check its name and permissions", path,
                       strerror(reason));
}

static scalay_status read_all(const char *path, FILE *file, scalay_string *lines)
{
    scalay_status status = SCALAY_SUCCESS;
    size_t got = 1;
    errno = 0;
    while (got > 0) {
        SCALAY_TRY(SCALAY_GROW(lines->text, lines->capacity, lines->length + CHUNK));
        got = fread(lines->text + lines->length, 1, CHUNK, file);
        lines->length += (int64_t)got;
    }
    if (ferror(file)) status = cannot_read(path, errno);
cleanup:
    return status;
}

static scalay_status load(const char *path, FILE *file, scalay_profile_record **record)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_string lines = {0};
    SCALAY_TRY(read_all(path, file, &lines));
    SCALAY_TRY(scalay_record_parse(path, lines.text, lines.length, record));
cleanup:
    scalay_string_free(&lines);
    (void)fclose(file);
    return status;
}

scalay_status scalay_record_load(const char *path, scalay_profile_record **record)
{
    FILE *file = fopen(path, "r");
    *record = NULL;
    if (file != NULL) return load(path, file, record);
    return errno == ENOENT ? SCALAY_SUCCESS : cannot_read(path, errno);
}

scalay_status scalay_profile_record_read(const char *path, scalay_profile_record **record)
{
    scalay_status status = scalay_check_not_null(record, __func__, "record");
    if (status != SCALAY_SUCCESS) return status;
    *record = NULL;
    if ((status = scalay_check_not_null(path, __func__, "path")) != SCALAY_SUCCESS) return status;
    FILE *file = fopen(path, "r");
    return file != NULL ? load(path, file, record) : cannot_read(path, errno);
}

/* ---------------------------------------------------------------------------------------------------------- writing */

/* Joules of a profile are multiples of one unit: a nanojoule, or a larger power of ten if 2^53 units are exceeded. */
enum { MAX_PLACES = 9 };
#define MAX_UNITS 9007199254740992.0

/* ---------------------------------------------------------------------------------------------------- facts */

static void print_facts(const scalay_profile_record *record, scalay_string *lines)
{
    const scalay_repeat_options *repeat = &record->repeat;
    scalay_string_append(lines, "# scalay profile 1\n# kernel %s\n# meter %s\n", record->kernel, record->meter);
    if (record->modelled) scalay_string_append(lines, "# modelled: joules are computed, not measured\n");
    if (record->shared_meter)
        scalay_string_append(lines, "# shared meter: joules are measured one processor after the other\n");
    scalay_string_append(
        lines, "# repeat warm_up=%lld min=%lld max=%lld seconds=%.17g confidence=%.17g precision=%.17g\n",
        (long long)repeat->warm_up, (long long)repeat->min_repetitions, (long long)repeat->max_repetitions,
        repeat->max_seconds, repeat->confidence, repeat->precision);
    scalay_string_append(lines, "# state %s\n# processors %d\n", states[record->state], record->processors);
    for (int p = 0; p < record->processors; p++) {
        const scalay_record_processor *facts = &record->processor[p];
        int leader = record->leader[p];
        scalay_string_append(lines,
                             "# processor %s group=%s threads=%d cores=%d binding=%s static_power=%.17g host=%s\n",
                             record->name[p], leader >= 0 ? record->name[leader] : "", facts->threads, facts->cores,
                             facts->binding, facts->static_power, facts->host);
    }
}

/* --------------------------------------------------------------------------------------------------- points */

static void print_point(const char *name, const scalay_profile_point *point, scalay_string *lines)
{
    if (point->hole != NULL)
        scalay_string_append(lines, "# hole %s size=%lld %s\n", name, (long long)point->size, point->hole);
    else
        scalay_string_append(
            lines,
            "# point %s size=%lld time=%.17g time_half_width=%.17g median=%.17g deviation=%.17g "
            "spread=%.17g normality=%.17g energy=%.17g energy_half_width=%.17g repetitions=%lld outliers=%lld "
            "precise=%d\n",
            name, (long long)point->size, point->time, point->time_half_width, point->median, point->deviation,
            point->spread, point->normality, point->energy, point->energy_half_width, (long long)point->repetitions,
            (long long)point->outliers, point->precise);
}

static void print_additive(const scalay_record_row *row, scalay_string *lines)
{
    if (row->compared)
        scalay_string_append(lines, "# additive size=%lld difference=%.17g uncertainty=%.17g\n", (long long)row->size,
                             row->difference, row->uncertainty);
}

/* Prints the reason why the rows have no energies. */
static void print_no_energy(const char *name, const scalay_profile_point *point, scalay_string *lines)
{
    if (point->hole == NULL && point->energy < 0.0)
        scalay_string_append(lines, "# no energy %s size=%lld the energy is below the static energy\n", name,
                             (long long)point->size);
    if (point->hole == NULL && point->meter_failure != NULL)
        scalay_string_append(lines, "# no energy %s size=%lld %s\n", name, (long long)point->size,
                             point->meter_failure);
}

static void print_points(const scalay_profile_record *record, scalay_string *lines)
{
    for (int64_t k = 0; k < record->sizes; k++) {
        for (int p = 0; p < record->processors; p++) {
            print_point(record->name[p], &record->row[k].point[p], lines);
            print_no_energy(record->name[p], &record->row[k].point[p], lines);
        }
        print_additive(&record->row[k], lines);
    }
}

/* ----------------------------------------------------------------------------------------------------- rows */

/* Decimal places of joules, so that the largest energy has at most 2^53 units. */
static int energy_places(const scalay_profile_record *record)
{
    double maximum = 0.0;
    int places = MAX_PLACES;
    for (int64_t k = 0; k < record->sizes; k++)
        for (int p = 0; p < record->processors; p++) maximum = fmax(maximum, record->row[k].point[p].energy);
    while (places > 0 && maximum * pow(10.0, places) > MAX_UNITS) places -= 3;
    return places;
}

/* Negative `places`: energies are not known. */
static void print_row(const scalay_profile_record *record, int leader, int64_t k, int places, int counts,
                      scalay_string *lines)
{
    double time = 0.0;
    double energy = 0.0;
    char seconds[SCALAY_DECIMAL_SIZE];
    if (!scalay_record_mean(record, leader, k, &time, &energy)) return;
    (void)scalay_decimal_print(scalay_decimal_shortest(time), seconds);
    scalay_string_append(lines, "%s,%lld,%s", record->name[leader], (long long)record->row[k].size, seconds);
    if (places >= 0) scalay_string_append(lines, ",%.*f", places, energy);
    if (counts) scalay_string_append(lines, ",%d", scalay_record_members(record, leader));
    scalay_string_append(lines, "\n");
}

static void print_rows(const scalay_profile_record *record, scalay_string *lines)
{
    const int places = scalay_record_has_energy(record) ? energy_places(record) : -1;
    int counts = 0;
    for (int p = 0; p < record->processors; p++) counts |= record->leader[p] >= 0 && record->leader[p] != p;
    scalay_string_append(lines, "processor,size,time%s%s\n", places >= 0 ? ",energy" : "", counts ? ",count" : "");
    for (int p = 0; p < record->processors; p++)
        for (int64_t k = 0; record->leader[p] == p && k < record->sizes; k++)
            print_row(record, p, k, places, counts, lines);
}

scalay_status scalay_record_print(const scalay_profile_record *record, scalay_string *lines)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_locale locale = {0};
    SCALAY_TRY(scalay_locale_enter(&locale));
    print_facts(record, lines);
    print_points(record, lines);
    print_rows(record, lines);
    status = lines->status;
cleanup:
    scalay_locale_leave(&locale);
    return status;
}

scalay_status scalay_record_write(const char *path, const scalay_string *lines)
{
    return scalay_replacement_write(path, lines->text, lines->length);
}

scalay_status scalay_record_check_path(const char *path)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_replacement names = {0};
    SCALAY_TRY(scalay_replacement_allocate(path, &names));
    SCALAY_TRY(scalay_replacement_begin(&names));
cleanup:
    scalay_replacement_remove(&names);
    scalay_replacement_release(&names);
    return status;
}
