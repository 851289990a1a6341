#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/number.h"
#include "measure/profiler_file.h"

enum { LINE = 4096, MOST_PROCESSORS = 1 << 24, SHORTEST_LINE = 16 };

/* A text that is being read, line by line. */
typedef struct {
    const char *name;
    const char *at;
    const char *end;
    int64_t most;                /* lines about a processor that the text can have: what is made room for */
    int64_t number;              /* of the line at hand */
    char line[LINE];             /* without its end */
    scalay_profile_record facts; /* of those before the processors */
    scalay_profile_record *record;
} record_reader;

static scalay_status refuse(const record_reader *reader, const char *what)
{
    return scalay_fail(SCALAY_ERROR_FORMAT, "",
                       "%.200s, line %lld: %s; name another file, or measure this one again from the start",
                       reader->name, (long long)reader->number, what);
}

static scalay_status next_line(record_reader *reader, int *more)
{
    *more = reader->at < reader->end;
    if (!*more) return SCALAY_SUCCESS;
    size_t left = (size_t)(reader->end - reader->at);
    const char *stop = memchr(reader->at, '\n', left);
    size_t length = stop != NULL ? (size_t)(stop - reader->at) : left;
    reader->number++;
    if (length >= LINE) return refuse(reader, "a line of this length was not written by scalay profile");
    memcpy(reader->line, reader->at, length);
    reader->line[length] = '\0';
    reader->at += length + (stop != NULL);
    return SCALAY_SUCCESS;
}

/* ------------------------------------------------------------------------------------------------- key=value */

/* Where the value of a key begins; NULL when there is none. */
static const char *find_value(const char *line, const char *key)
{
    size_t length = strlen(key);
    for (const char *at = strchr(line, ' '); at != NULL; at = strchr(at + 1, ' '))
        if (strncmp(at + 1, key, length) == 0 && at[1 + length] == '=') return at + length + 2;
    return NULL;
}

static scalay_status take_text(record_reader *reader, const char *key, char *text, size_t size)
{
    char what[64];
    const char *value = find_value(reader->line, key);
    size_t length = value != NULL ? strcspn(value, " ") : size;
    (void)snprintf(what, sizeof what, "%s= is missing or not right", key);
    if (length >= size) return refuse(reader, what);
    memcpy(text, value, length);
    text[length] = '\0';
    return SCALAY_SUCCESS;
}

static scalay_status take_double(record_reader *reader, const char *key, double *value)
{
    char text[SCALAY_NUMBER_SIZE];
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(take_text(reader, key, text, sizeof text));
    if (scalay_number_double(text, value) != SCALAY_NUMBER_VALID) status = refuse(reader, "a number is not right");
cleanup:
    return status;
}

static scalay_status take_integer(record_reader *reader, const char *key, int64_t least, int64_t most, int64_t *value)
{
    char text[SCALAY_NUMBER_SIZE];
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(take_text(reader, key, text, sizeof text));
    if (scalay_text_to_int64(text, strlen(text), value) != SCALAY_NUMBER_VALID || *value < least || *value > most)
        status = refuse(reader, "an integer is not right");
cleanup:
    return status;
}

static scalay_status take_int(record_reader *reader, const char *key, int *value)
{
    int64_t wide = 0;
    scalay_status status = take_integer(reader, key, 0, MOST_PROCESSORS, &wide);
    if (status == SCALAY_SUCCESS) *value = (int)wide;
    return status;
}

/* ---------------------------------------------------------------------------------------------------- lines */

/* What follows a word at the start of a line; NULL when it starts otherwise. */
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
    static const char *const states[] = {"measuring", "complete", "interrupted"};
    for (int k = 0; k < 3; k++)
        if (strcmp(rest, states[k]) == 0) {
            reader->facts.state = (scalay_profile_state)k;
            return SCALAY_SUCCESS;
        }
    return refuse(reader, "the state is none");
}

static scalay_status read_processors(record_reader *reader, const char *rest)
{
    scalay_status status = SCALAY_SUCCESS;
    int64_t count = 0;
    if (scalay_text_to_int64(rest, strlen(rest), &count) != SCALAY_NUMBER_VALID || count < 1 ||
        count > MOST_PROCESSORS || count > reader->most || reader->record != NULL || reader->facts.kernel == NULL ||
        reader->facts.meter == NULL)
        return refuse(reader, "the number of processors is not right, or kernel and meter are missing");
    SCALAY_TRY(scalay_record_create(reader->facts.kernel, reader->facts.meter, reader->facts.modelled, (int)count,
                                    &reader->record));
    reader->record->repeat = reader->facts.repeat;
    reader->record->state = reader->facts.state;
    reader->record->shared_meter = reader->facts.shared_meter;
cleanup:
    return status;
}

/* The processor of a name "p12 ..."; -1 when there is none. */
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

/* The row of a size, as long as the text can have a point of every processor for it. */
static scalay_status find_row(record_reader *reader, int64_t size, scalay_record_row **row)
{
    scalay_profile_record *record = reader->record;
    if (scalay_record_find(record, size) < 0 && record->sizes >= reader->most / record->processors)
        return refuse(reader, "there are more sizes than points");
    return scalay_record_row_at(record, size, row);
}

static scalay_status read_point(record_reader *reader, int p)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_record_row *row = NULL;
    scalay_profile_point point = {.spread = NAN}; /* which files did not always have */
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
    if (!(point.time >= 0.0 && isfinite(point.time))) return refuse(reader, "a time is not right");
    SCALAY_TRY(find_row(reader, point.size, &row));
    if (row->point[p].hole != NULL || row->point[p].repetitions > 0) return refuse(reader, "a point is there twice");
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
    if (row->point[p].hole != NULL || row->point[p].repetitions > 0) return refuse(reader, "a point is there twice");
    const char *reason = strchr(find_value(reader->line, "size"), ' ');
    SCALAY_TRY(scalay_record_set_hole(&row->point[p], reason != NULL ? reason + 1 : ""));
cleanup:
    return status;
}

/* After its point. Of one that has joules, below 0, this says what they say already. */
static scalay_status read_no_energy(record_reader *reader, int p)
{
    scalay_status status = SCALAY_SUCCESS;
    int64_t size = 0;
    SCALAY_TRY(take_integer(reader, "size", 1, INT64_MAX, &size));
    const int64_t k = scalay_record_find(reader->record, size);
    scalay_profile_point *point = k >= 0 ? &reader->record->row[k].point[p] : NULL;
    if (point == NULL || point->repetitions == 0) return refuse(reader, "a missing energy is of no point");
    const char *reason = strchr(find_value(reader->line, "size"), ' ');
    if (isnan(point->energy)) status = scalay_record_set_meter_failure(point, reason != NULL ? reason + 1 : "");
cleanup:
    return status;
}

/* After the points of its size. */
static scalay_status read_additive(record_reader *reader)
{
    scalay_status status = SCALAY_SUCCESS;
    int64_t size = 0;
    scalay_record_row read = {0};
    SCALAY_TRY(take_integer(reader, "size", 1, INT64_MAX, &size));
    SCALAY_TRY(take_double(reader, "difference", &read.difference));
    SCALAY_TRY(take_double(reader, "uncertainty", &read.uncertainty));
    if (isinf(read.difference) || isinf(read.uncertainty) || read.uncertainty < 0.0)
        return refuse(reader, "a difference is not right");
    const int64_t k = reader->record != NULL ? scalay_record_find(reader->record, size) : -1;
    if (k < 0 || !reader->record->shared_meter) return refuse(reader, "a difference is of no size or no shared meter");
    scalay_record_row *row = &reader->record->row[k];
    if (row->compared) return refuse(reader, "a difference is there twice");
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
        return p >= 0 ? kinds[k].read(reader, p) : refuse(reader, "the processor is none");
    }
    return SCALAY_SUCCESS;
}

/* Facts that are not known were written by a later version, and do not matter to this one. */
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

/* Every size that was tried has a point or a hole of every processor, and a difference where the meter is shared. */
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
    *reader = (record_reader){.name = name, .at = text, .end = text + length, .most = length / SHORTEST_LINE};
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
