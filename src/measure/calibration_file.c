/* mkdir */
#define _POSIX_C_SOURCE 200809L

#include <errno.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/memory.h"
#include "base/number.h"
#include "base/replacement.h"
#include "base/text.h"
#include "measure/calibration.h"

static const char first_line[] = "scalay-machine 1", last_line[] = "end";

/* Seconds, or how many times as long: a larger number is not of a machine, and would make costs infinite. */
#define MOST 1e6

typedef enum { FIELD_TEXT, FIELD_INTEGER, FIELD_SECONDS } field_kind;

/* The lines of a file, in their order: a name, a blank and a value. */
static const struct {
    const char *name;
    field_kind kind;
    size_t place;         /* in scalay_calibration */
    const char *old_name; /* in files of version 0.1; NULL: the same */
} fields[] = {
    {"host", FIELD_TEXT, offsetof(scalay_calibration, host), NULL},
    {"processes", FIELD_INTEGER, offsetof(scalay_calibration, processes), NULL},
    {"binding", FIELD_INTEGER, offsetof(scalay_calibration, binding), NULL},
    {"threads", FIELD_INTEGER, offsetof(scalay_calibration, threads), NULL},
    {"library", FIELD_TEXT, offsetof(scalay_calibration, library), NULL},
    {"blas", FIELD_TEXT, offsetof(scalay_calibration, blas), NULL},
    {"written", FIELD_INTEGER, offsetof(scalay_calibration, written), NULL},
    {"seconds_per_flop", FIELD_SECONDS, offsetof(scalay_calibration, machine.seconds_per_flop), NULL},
    {"seconds_per_flop_vector", FIELD_SECONDS, offsetof(scalay_calibration, machine.seconds_per_flop_vector), NULL},
    {"seconds_per_message", FIELD_SECONDS, offsetof(scalay_calibration, machine.seconds_per_message), NULL},
    {"seconds_per_byte", FIELD_SECONDS, offsetof(scalay_calibration, machine.seconds_per_byte), NULL},
    {"seconds_per_byte_copied", FIELD_SECONDS, offsetof(scalay_calibration, machine.seconds_per_byte_copied), NULL},
    {"solo_time_ratio", FIELD_SECONDS, offsetof(scalay_calibration, machine.solo_time_ratio), "alone"},
    {"ring_slowdown", FIELD_SECONDS, offsetof(scalay_calibration, machine.ring_slowdown), "lockstep"},
    {"concurrent_processes", FIELD_INTEGER, offsetof(scalay_calibration, machine.concurrent_processes), "at_once"},
};
enum { FIELDS = (int)(sizeof fields / sizeof fields[0]), LINE = SCALAY_CALIBRATION_TEXT + 64 };

/* --------------------------------------------------------------------------------------------- reading */

static scalay_status malformed(const char *path, int line, const char *what)
{
    return scalay_fail(SCALAY_ERROR_FORMAT, "scalay_machine_read",
                       "%s, line %d: %s; it is no calibration: measure again, or remove it if it is damaged", path,
                       line, what);
}

/* 1 when a line was read whole, without its end; 0 when there is none, it is too long, or it holds zero bytes. */
static int read_line(FILE *stream, char line[LINE])
{
    memset(line, 1, LINE);
    if (fgets(line, LINE, stream) == NULL) return 0;
    size_t length = strlen(line);
    if (length == 0 || line[length - 1] != '\n') return 0;
    line[length - 1] = '\0';
    return 1;
}

/* NULL, or what is wrong with a value. */
static const char *read_value(int k, char *value, scalay_calibration *calibration)
{
    char *place = (char *)calibration + fields[k].place;
    if (fields[k].kind == FIELD_TEXT) {
        if (value[0] == '\0' || strlen(value) >= SCALAY_CALIBRATION_TEXT) return "the text is empty or too long";
        memcpy(place, value, strlen(value) + 1);
        return NULL;
    }
    if (fields[k].kind == FIELD_INTEGER) {
        int64_t number = -1;
        if (scalay_text_to_int64(value, strlen(value), &number) != SCALAY_NUMBER_VALID || number < 0)
            return "the number is no integer of at least 0";
        memcpy(place, &number, sizeof number);
        return NULL;
    }
    double seconds = 0.0;
    if (scalay_number_double(value, &seconds) != SCALAY_NUMBER_VALID || !(seconds > 0.0 && seconds <= MOST))
        return "the number is not above 0 and at most a million";
    memcpy(place, &seconds, sizeof seconds);
    return NULL;
}

/* The length of the name of field k at the start of a line; 0 if the line does not start with it. */
static size_t name_length(int k, const char *line)
{
    const char *const names[] = {fields[k].name, fields[k].old_name};
    for (int n = 0; n < 2 && names[n] != NULL; n++) {
        const size_t length = strlen(names[n]);
        if (strncmp(line, names[n], length) == 0 && line[length] == ' ') return length;
    }
    return 0;
}

static scalay_status read_fields(FILE *stream, const char *path, scalay_calibration *calibration)
{
    char line[LINE], what[128];
    if (!read_line(stream, line) || strcmp(line, first_line) != 0)
        return malformed(path, 1, "it does not begin with \"scalay-machine 1\"");
    for (int k = 0; k < FIELDS; k++) {
        const int is_read = read_line(stream, line);
        const size_t length = is_read ? name_length(k, line) : 0;
        if (length == 0) {
            (void)snprintf(what, sizeof what, "\"%s\" and its value should be here", fields[k].name);
            return malformed(path, k + 2, what);
        }
        const char *wrong = read_value(k, line + length + 1, calibration);
        if (wrong != NULL) return malformed(path, k + 2, wrong);
    }
    if (!read_line(stream, line) || strcmp(line, last_line) != 0 || fgetc(stream) != EOF)
        return malformed(path, FIELDS + 2, "\"end\" should be here, and nothing after it");
    if (calibration->processes < 1 || calibration->machine.solo_time_ratio > 1.0 ||
        calibration->machine.concurrent_processes < 1 ||
        calibration->machine.concurrent_processes > calibration->processes)
        return malformed(path, 3,
                         "there are no processes, none or too many run at once, or one alone is slower than "
                         "among others");
    calibration->machine.processes = calibration->processes;
    return SCALAY_SUCCESS;
}

scalay_status scalay_calibration_read(const char *path, scalay_calibration *calibration)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_locale locale = {0};
    scalay_calibration found = {.host = ""};
    errno = 0;
    FILE *stream = fopen(path, "r");
    if (stream == NULL)
        return scalay_fail(SCALAY_ERROR_FILE, "scalay_machine_read", "%s: %s; %s", path, strerror(errno),
                           errno == ENOENT ? "nothing was measured yet" : "check the name and its permissions");
    SCALAY_TRY(scalay_locale_enter(&locale));
    SCALAY_TRY(read_fields(stream, path, &found));
    *calibration = found;
cleanup:
    scalay_locale_leave(&locale);
    (void)fclose(stream);
    return status;
}

/* --------------------------------------------------------------------------------------------- writing */

static void print_field(const scalay_calibration *calibration, int k, scalay_string *lines)
{
    const char *place = (const char *)calibration + fields[k].place;
    int64_t integer = 0;
    double seconds = 0.0;
    if (fields[k].kind == FIELD_TEXT) {
        scalay_string_append(lines, "%s %s\n", fields[k].name, place);
    } else if (fields[k].kind == FIELD_INTEGER) {
        memcpy(&integer, place, sizeof integer);
        scalay_string_append(lines, "%s %" PRId64 "\n", fields[k].name, integer);
    } else {
        memcpy(&seconds, place, sizeof seconds);
        scalay_string_append(lines, "%s %.17g\n", fields[k].name, seconds);
    }
}

static scalay_status print_fields(const scalay_calibration *calibration, scalay_string *lines)
{
    scalay_string_append(lines, "%s\n", first_line);
    for (int k = 0; k < FIELDS; k++) print_field(calibration, k, lines);
    scalay_string_append(lines, "%s\n", last_line);
    return lines->status;
}

scalay_status scalay_calibration_make_folders(const char *path)
{
    scalay_status status = SCALAY_SUCCESS;
    char *folder = NULL;
    SCALAY_TRY(scalay_text_copy(path, &folder));
    char *slash = strrchr(folder, '/');
    if (slash == NULL || slash == folder) goto cleanup;
    *slash = '\0';
    char *above = strrchr(folder, '/');
    if (above != NULL && above != folder) {
        *above = '\0';
        (void)mkdir(folder, 0700);
        *above = '/';
    }
    (void)mkdir(folder, 0700);
cleanup:
    scalay_release(folder);
    return status;
}

scalay_status scalay_calibration_write(const char *path, const scalay_calibration *calibration)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_locale locale = {0};
    scalay_string lines = {0};
    SCALAY_TRY(scalay_locale_enter(&locale));
    SCALAY_TRY(print_fields(calibration, &lines));
    SCALAY_TRY(scalay_replacement_write(path, lines.text, lines.length));
cleanup:
    scalay_string_free(&lines);
    scalay_locale_leave(&locale);
    return status;
}
