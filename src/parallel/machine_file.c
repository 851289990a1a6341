/*
 * The file of a calibration: one line per field in a fixed order, a first line with the version, and a last line "end".
 * Before it, the lines of each type of nodes and of each pair of types follow.
 *
 * Version 1 has no curves and no precision, version 2 has no precision of the curves, version
 * 3 has no curve of copying, version 4 has no nodes: its link is that within and between nodes. Version 5 has no
 * start-up of large messages, version 6 has no curve of exchanged rows, version 7 has no small calls, and
 * version 8 does not know whether long messages are faster.
 */
#define _POSIX_C_SOURCE 200809L /* mkdir */

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
#include "parallel/machine_file.h"

/* Measurements after which imprecise rates are kept: the mean of so many is near that of later runs. */
enum { MAX_MEASUREMENTS = 8 };

static const char *const first_lines[] = {"scalay-machine 1", "scalay-machine 2", "scalay-machine 3",
                                          "scalay-machine 4", "scalay-machine 5", "scalay-machine 6",
                                          "scalay-machine 7", "scalay-machine 8", "scalay-machine 9"};
static const char last_line[] = "end";
enum { VERSIONS = 9, VERSION_OF_NODES = 5 };

/* Maximum of a rate or factor. A larger number is not of a machine, and would make costs infinite. */
#define MAX_NUMBER 1e6

typedef enum { FIELD_TEXT, FIELD_INTEGER, FIELD_SECONDS, FIELD_FRACTION } field_kind;

/* Position of a field in scalay_calibration. */
#define AT(member) offsetof(scalay_calibration, member)
#define MACHINE(member) AT(sample.machine.member)
#define SPREAD(rate) (AT(sample.spread) + (rate) * sizeof(double))
#define GEMM(k) (MACHINE(gemm_curve) + (k) * sizeof(double))
#define VECTOR(k) (MACHINE(vector_curve) + (k) * sizeof(double))
#define COPY(k) (MACHINE(copy_curve) + (k) * sizeof(double))
#define SWAP(k) (MACHINE(swap_curve) + (k) * sizeof(double))
#define GEMM_SPREAD(k) (AT(sample.gemm_spread) + (k) * sizeof(double))
#define VECTOR_SPREAD(k) (AT(sample.vector_spread) + (k) * sizeof(double))
#define COPY_SPREAD(k) (AT(sample.copy_spread) + (k) * sizeof(double))
#define SWAP_SPREAD(k) (AT(sample.swap_spread) + (k) * sizeof(double))

/* A line of a file: a name, a blank and a value. */
typedef struct {
    const char *name;
    field_kind kind;
    size_t position;
    int version;          /* first version of the file that has the field */
    const char *old_name; /* in files of version 0.1 of the library; NULL: the same */
} field;

/* The lines of a file in their order. */
static const field fields[] = {
    {"host", FIELD_TEXT, AT(host), 1, NULL},
    {"processes", FIELD_INTEGER, AT(processes), 1, NULL},
    {"binding", FIELD_INTEGER, AT(binding), 1, NULL},
    {"threads", FIELD_INTEGER, AT(threads), 1, NULL},
    {"library", FIELD_TEXT, AT(library), 1, NULL},
    {"blas", FIELD_TEXT, AT(blas), 1, NULL},
    {"cpu", FIELD_TEXT, AT(cpu), 2, NULL},
    {"mpi", FIELD_TEXT, AT(mpi), 2, NULL},
    {"written", FIELD_INTEGER, AT(written), 1, NULL},
    {"seconds_per_flop", FIELD_SECONDS, MACHINE(seconds_per_flop), 1, NULL},
    {"seconds_per_flop_vector", FIELD_SECONDS, MACHINE(seconds_per_flop_vector), 1, NULL},
    {"seconds_per_message", FIELD_SECONDS, MACHINE(seconds_per_message), 1, NULL},
    {"seconds_per_byte", FIELD_SECONDS, MACHINE(seconds_per_byte), 1, NULL},
    {"seconds_per_byte_copied", FIELD_SECONDS, MACHINE(seconds_per_byte_copied), 1, NULL},
    {"solo_time_ratio", FIELD_SECONDS, MACHINE(solo_time_ratio), 1, "alone"},
    {"ring_slowdown", FIELD_SECONDS, MACHINE(ring_slowdown), 1, "lockstep"},
    {"concurrent_processes", FIELD_INTEGER, MACHINE(concurrent_processes), 1, "at_once"},
    {"gemm_1", FIELD_SECONDS, GEMM(0), 2, NULL},
    {"gemm_2", FIELD_SECONDS, GEMM(1), 2, NULL},
    {"gemm_4", FIELD_SECONDS, GEMM(2), 2, NULL},
    {"gemm_8", FIELD_SECONDS, GEMM(3), 2, NULL},
    {"gemm_16", FIELD_SECONDS, GEMM(4), 2, NULL},
    {"gemm_32", FIELD_SECONDS, GEMM(5), 2, NULL},
    {"gemm_64", FIELD_SECONDS, GEMM(6), 2, NULL},
    {"gemm_128", FIELD_SECONDS, GEMM(7), 2, NULL},
    {"gemm_256", FIELD_SECONDS, GEMM(8), 2, NULL},
    {"vector_16k", FIELD_SECONDS, VECTOR(0), 2, NULL},
    {"vector_64k", FIELD_SECONDS, VECTOR(1), 2, NULL},
    {"vector_256k", FIELD_SECONDS, VECTOR(2), 2, NULL},
    {"vector_1m", FIELD_SECONDS, VECTOR(3), 2, NULL},
    {"vector_4m", FIELD_SECONDS, VECTOR(4), 2, NULL},
    {"spread_flop", FIELD_FRACTION, SPREAD(SCALAY_RATE_FLOP), 2, NULL},
    {"spread_flop_vector", FIELD_FRACTION, SPREAD(SCALAY_RATE_FLOP_VECTOR), 2, NULL},
    {"spread_byte_copied", FIELD_FRACTION, SPREAD(SCALAY_RATE_BYTE_COPIED), 2, NULL},
    {"spread_byte", FIELD_FRACTION, SPREAD(SCALAY_RATE_BYTE), 2, NULL},
    {"spread_message", FIELD_FRACTION, SPREAD(SCALAY_RATE_MESSAGE), 2, NULL},
    {"busy", FIELD_FRACTION, AT(sample.busy), 2, NULL},
    {"seconds", FIELD_FRACTION, AT(sample.seconds), 2, NULL},
    {"spread_gemm_1", FIELD_FRACTION, GEMM_SPREAD(0), 3, NULL},
    {"spread_gemm_2", FIELD_FRACTION, GEMM_SPREAD(1), 3, NULL},
    {"spread_gemm_4", FIELD_FRACTION, GEMM_SPREAD(2), 3, NULL},
    {"spread_gemm_8", FIELD_FRACTION, GEMM_SPREAD(3), 3, NULL},
    {"spread_gemm_16", FIELD_FRACTION, GEMM_SPREAD(4), 3, NULL},
    {"spread_gemm_32", FIELD_FRACTION, GEMM_SPREAD(5), 3, NULL},
    {"spread_gemm_64", FIELD_FRACTION, GEMM_SPREAD(6), 3, NULL},
    {"spread_gemm_128", FIELD_FRACTION, GEMM_SPREAD(7), 3, NULL},
    {"spread_gemm_256", FIELD_FRACTION, GEMM_SPREAD(8), 3, NULL},
    {"spread_vector_16k", FIELD_FRACTION, VECTOR_SPREAD(0), 3, NULL},
    {"spread_vector_64k", FIELD_FRACTION, VECTOR_SPREAD(1), 3, NULL},
    {"spread_vector_256k", FIELD_FRACTION, VECTOR_SPREAD(2), 3, NULL},
    {"spread_vector_1m", FIELD_FRACTION, VECTOR_SPREAD(3), 3, NULL},
    {"spread_vector_4m", FIELD_FRACTION, VECTOR_SPREAD(4), 3, NULL},
    {"measurements", FIELD_INTEGER, AT(sample.measurements), 3, NULL},
    {"copy_16k", FIELD_SECONDS, COPY(0), 4, NULL},
    {"copy_64k", FIELD_SECONDS, COPY(1), 4, NULL},
    {"copy_256k", FIELD_SECONDS, COPY(2), 4, NULL},
    {"copy_1m", FIELD_SECONDS, COPY(3), 4, NULL},
    {"copy_4m", FIELD_SECONDS, COPY(4), 4, NULL},
    {"copy_16m", FIELD_SECONDS, COPY(5), 4, NULL},
    {"spread_copy_16k", FIELD_FRACTION, COPY_SPREAD(0), 4, NULL},
    {"spread_copy_64k", FIELD_FRACTION, COPY_SPREAD(1), 4, NULL},
    {"spread_copy_256k", FIELD_FRACTION, COPY_SPREAD(2), 4, NULL},
    {"spread_copy_1m", FIELD_FRACTION, COPY_SPREAD(3), 4, NULL},
    {"spread_copy_4m", FIELD_FRACTION, COPY_SPREAD(4), 4, NULL},
    {"spread_copy_16m", FIELD_FRACTION, COPY_SPREAD(5), 4, NULL},
    {"variation", FIELD_FRACTION, AT(sample.variation), 4, NULL},
    {"seconds_per_message_within", FIELD_FRACTION, MACHINE(seconds_per_message_within), 5, NULL},
    {"seconds_per_byte_within", FIELD_FRACTION, MACHINE(seconds_per_byte_within), 5, NULL},
    {"seconds_per_byte_alone", FIELD_FRACTION, MACHINE(seconds_per_byte_alone), 5, NULL},
    {"spread_message_within", FIELD_FRACTION, SPREAD(SCALAY_RATE_MESSAGE_WITHIN), 5, NULL},
    {"spread_byte_within", FIELD_FRACTION, SPREAD(SCALAY_RATE_BYTE_WITHIN), 5, NULL},
    {"spread_byte_alone", FIELD_FRACTION, SPREAD(SCALAY_RATE_BYTE_ALONE), 5, NULL},
    {"seconds_per_large_message", FIELD_FRACTION, MACHINE(seconds_per_large_message), 6, NULL},
    {"spread_large_message", FIELD_FRACTION, SPREAD(SCALAY_RATE_LARGE_MESSAGE), 6, NULL},
    {"swap_64", FIELD_FRACTION, SWAP(0), 7, NULL},
    {"swap_128", FIELD_FRACTION, SWAP(1), 7, NULL},
    {"swap_256", FIELD_FRACTION, SWAP(2), 7, NULL},
    {"swap_512", FIELD_FRACTION, SWAP(3), 7, NULL},
    {"swap_1024", FIELD_FRACTION, SWAP(4), 7, NULL},
    {"swap_2048", FIELD_FRACTION, SWAP(5), 7, NULL},
    {"spread_swap_64", FIELD_FRACTION, SWAP_SPREAD(0), 7, NULL},
    {"spread_swap_128", FIELD_FRACTION, SWAP_SPREAD(1), 7, NULL},
    {"spread_swap_256", FIELD_FRACTION, SWAP_SPREAD(2), 7, NULL},
    {"spread_swap_512", FIELD_FRACTION, SWAP_SPREAD(3), 7, NULL},
    {"spread_swap_1024", FIELD_FRACTION, SWAP_SPREAD(4), 7, NULL},
    {"spread_swap_2048", FIELD_FRACTION, SWAP_SPREAD(5), 7, NULL},
    {"seconds_per_call", FIELD_FRACTION, MACHINE(seconds_per_call), 8, NULL},
    {"spread_call", FIELD_FRACTION, SPREAD(SCALAY_RATE_CALL), 8, NULL},
    {"long_message_ratio", FIELD_FRACTION, MACHINE(long_message_ratio), 9, NULL},
    {"host_ranks", FIELD_INTEGER, AT(sample.core_use.ranks), 5, NULL},
    {"host_cores", FIELD_INTEGER, AT(sample.core_use.cores), 5, NULL},
    {"host_threads", FIELD_INTEGER, AT(sample.core_use.threads), 5, NULL},
    {"host_thread_cores", FIELD_INTEGER, AT(sample.core_use.thread_cores), 5, NULL},
    {"host_nodes", FIELD_INTEGER, AT(sample.core_use.shared), 5, NULL},
    {"crowded_ranks", FIELD_INTEGER, AT(sample.core_use.crowded), 5, NULL},
    {"narrow_ranks", FIELD_INTEGER, AT(sample.core_use.narrow), 5, NULL},
    {"nodes", FIELD_INTEGER, MACHINE(nodes), 5, NULL},
    {"node_types", FIELD_INTEGER, MACHINE(node_types), 5, NULL},
};

/* The lines of a type of nodes. A position is that of type 0; a text or a number of another type is as far behind it as
 * its array says. */
static const field type_fields[] = {
    {"cpu", FIELD_TEXT, AT(type[0].cpu), 5, NULL},
    {"blas", FIELD_TEXT, AT(type[0].blas), 5, NULL},
    {"cores", FIELD_INTEGER, AT(type[0].cores), 5, NULL},
    {"threads", FIELD_INTEGER, AT(type[0].threads), 5, NULL},
    {"nodes", FIELD_INTEGER, AT(type[0].nodes), 5, NULL},
    {"seconds_per_flop", FIELD_FRACTION, MACHINE(type_seconds_per_flop), 5, NULL},
    {"seconds_per_message", FIELD_FRACTION, MACHINE(type_seconds_per_message), 5, NULL},
    {"seconds_per_byte", FIELD_FRACTION, MACHINE(type_seconds_per_byte), 5, NULL},
};

/* The lines of a pair of types. */
static const field pair_fields[] = {
    {"seconds_per_message", FIELD_FRACTION, MACHINE(pair_seconds_per_message), 5, NULL},
    {"seconds_per_byte", FIELD_FRACTION, MACHINE(pair_seconds_per_byte), 5, NULL},
};

enum {
    FIELDS = (int)(sizeof fields / sizeof fields[0]),
    TYPE_FIELDS = (int)(sizeof type_fields / sizeof type_fields[0]),
    PAIR_FIELDS = (int)(sizeof pair_fields / sizeof pair_fields[0]),
    NAME = 64,
    LINE = SCALAY_CALIBRATION_TEXT + NAME
};

/* Names field k of a type of nodes, and returns it with the position of the type. `name`: shape [NAME]. */
static field field_of_type(int type, int k, char *name)
{
    field found = type_fields[k];
    const int is_rate = found.position >= AT(sample);
    (void)snprintf(name, NAME, "node_type_%d_%s", type, found.name);
    found.name = name;
    found.position += (size_t)type * (is_rate ? sizeof(double) : sizeof(scalay_node_type));
    return found;
}

/* Likewise for the types a <= b. */
static field field_of_pair(int a, int b, int k, char *name)
{
    field found = pair_fields[k];
    (void)snprintf(name, NAME, "node_types_%d_%d_%s", a, b, found.name);
    found.name = name;
    found.position += (size_t)(b * (b + 1) / 2 + a) * sizeof(double);
    return found;
}

/* --------------------------------------------------------------------------------------------- reading */

static scalay_status malformed(const char *path, int line, const char *what)
{
    return scalay_fail(SCALAY_ERROR_FORMAT, "scalay_machine_read",
                       "%s, line %d: %s; this is not a calibration. Measure again, or remove the file if it is damaged",
                       path, line, what);
}

/* Reads a line without its end. Returns 0 if there is none, if it is too long, or if it has zero bytes. */
static int read_line(FILE *stream, char line[LINE])
{
    memset(line, 1, LINE);
    if (fgets(line, LINE, stream) == NULL) return 0;
    size_t length = strlen(line);
    if (length == 0 || line[length - 1] != '\n') return 0;
    line[length - 1] = '\0';
    return 1;
}

/* Reads a value. Returns NULL, or the fault. */
static const char *read_value(const field *f, char *value, scalay_calibration *calibration)
{
    char *address = (char *)calibration + f->position;
    if (f->kind == FIELD_TEXT) {
        if (value[0] == '\0' || strlen(value) >= SCALAY_CALIBRATION_TEXT) return "the text is empty or too long";
        memcpy(address, value, strlen(value) + 1);
        return NULL;
    }
    if (f->kind == FIELD_INTEGER) {
        int64_t number = -1;
        if (scalay_text_to_int64(value, strlen(value), &number) != SCALAY_NUMBER_VALID || number < 0)
            return "the number must be an integer of at least 0";
        memcpy(address, &number, sizeof number);
        return NULL;
    }
    double seconds = 0.0;
    if (scalay_number_double(value, &seconds) != SCALAY_NUMBER_VALID || !(seconds >= 0.0 && seconds <= MAX_NUMBER) ||
        (f->kind == FIELD_SECONDS && seconds == 0.0))
        return "the number must be above 0 and at most 1e6";
    memcpy(address, &seconds, sizeof seconds);
    return NULL;
}

/* Returns the length of the name of a field at the start of a line; 0 if the line does not start with it. */
static size_t name_length(const field *f, const char *line)
{
    const char *const names[] = {f->name, f->old_name};
    for (int n = 0; n < 2 && names[n] != NULL; n++) {
        const size_t length = strlen(names[n]);
        if (strncmp(line, names[n], length) == 0 && line[length] == ' ') return length;
    }
    return 0;
}

/* Reads the first line. Returns the version of the file, from 1; 0: not a calibration. */
static int read_version(FILE *stream)
{
    char line[LINE];
    if (!read_line(stream, line)) return 0;
    for (int version = 1; version <= VERSIONS; version++)
        if (strcmp(line, first_lines[version - 1]) == 0) return version;
    return 0;
}

static scalay_status check_processes(const char *path, const scalay_calibration *calibration)
{
    const scalay_machine *machine = &calibration->sample.machine;
    if (calibration->processes >= 1 && machine->solo_time_ratio <= 1.0 && machine->concurrent_processes >= 1 &&
        machine->concurrent_processes <= calibration->processes && machine->nodes <= calibration->processes)
        return SCALAY_SUCCESS;
    return malformed(path, 3,
                     "processes must be at least 1, concurrent_processes and nodes at most processes, solo_time_ratio "
                     "at most 1");
}

/* A file that is read. */
typedef struct {
    FILE *stream;
    const char *path;
    int line; /* number of the last line that was read */
} reader;

static scalay_status read_field(reader *r, const field *f, scalay_calibration *calibration)
{
    char line[LINE], what[128];
    const int is_read = read_line(r->stream, line);
    const size_t length = is_read ? name_length(f, line) : 0;
    r->line++;
    if (length == 0) {
        (void)snprintf(what, sizeof what, "the line must be \"%s\" and its value", f->name);
        return malformed(r->path, r->line, what);
    }
    const char *wrong = read_value(f, line + length + 1, calibration);
    return wrong != NULL ? malformed(r->path, r->line, wrong) : SCALAY_SUCCESS;
}

/* Reads the lines of the types of nodes and of their pairs. */
static scalay_status read_types(reader *r, scalay_calibration *calibration)
{
    scalay_status status = SCALAY_SUCCESS;
    char name[NAME];
    const int64_t types = calibration->sample.machine.node_types;
    if (types < 1 || types > SCALAY_NODE_TYPES)
        return malformed(r->path, r->line, "the number of types must be 1 to 4");
    for (int type = 0; type < types; type++)
        for (int k = 0; k < TYPE_FIELDS; k++) {
            const field f = field_of_type(type, k, name);
            SCALAY_TRY(read_field(r, &f, calibration));
        }
    for (int b = 0; b < types; b++)
        for (int a = 0; a <= b; a++)
            for (int k = 0; k < PAIR_FIELDS; k++) {
                const field f = field_of_pair(a, b, k, name);
                SCALAY_TRY(read_field(r, &f, calibration));
            }
cleanup:
    return status;
}

static scalay_status read_fields(FILE *stream, const char *path, scalay_calibration *calibration)
{
    scalay_status status = SCALAY_SUCCESS;
    char line[LINE], expected[LINE];
    reader r = {stream, path, 1};
    const int version = read_version(stream);
    (void)snprintf(expected, sizeof expected, "the first line must be \"%s\"", first_lines[VERSIONS - 1]);
    if (version == 0) return malformed(path, 1, expected);
    for (int k = 0; k < FIELDS; k++)
        if (fields[k].version <= version) SCALAY_TRY(read_field(&r, &fields[k], calibration));
    if (version >= VERSION_OF_NODES) SCALAY_TRY(read_types(&r, calibration));
    if (!read_line(stream, line) || strcmp(line, last_line) != 0 || fgetc(stream) != EOF)
        return malformed(path, r.line + 1, "the line must be \"end\", and the last one");
    calibration->sample.machine.processes = calibration->processes;
    SCALAY_TRY(check_processes(path, calibration));
cleanup:
    return status;
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

static void print_field(const scalay_calibration *calibration, const field *f, scalay_string *lines)
{
    const char *address = (const char *)calibration + f->position;
    int64_t integer = 0;
    double seconds = 0.0;
    if (f->kind == FIELD_TEXT) {
        scalay_string_append(lines, "%s %s\n", f->name, address);
    } else if (f->kind == FIELD_INTEGER) {
        memcpy(&integer, address, sizeof integer);
        scalay_string_append(lines, "%s %" PRId64 "\n", f->name, integer);
    } else {
        memcpy(&seconds, address, sizeof seconds);
        scalay_string_append(lines, "%s %.17g\n", f->name, seconds);
    }
}

static void print_types(const scalay_calibration *calibration, scalay_string *lines)
{
    char name[NAME];
    const int types = (int)calibration->sample.machine.node_types;
    for (int type = 0; type < types; type++)
        for (int k = 0; k < TYPE_FIELDS; k++) {
            const field f = field_of_type(type, k, name);
            print_field(calibration, &f, lines);
        }
    for (int b = 0; b < types; b++)
        for (int a = 0; a <= b; a++)
            for (int k = 0; k < PAIR_FIELDS; k++) {
                const field f = field_of_pair(a, b, k, name);
                print_field(calibration, &f, lines);
            }
}

static scalay_status print_fields(const scalay_calibration *calibration, scalay_string *lines)
{
    scalay_string_append(lines, "%s\n", first_lines[VERSIONS - 1]);
    for (int k = 0; k < FIELDS; k++) print_field(calibration, &fields[k], lines);
    print_types(calibration, lines);
    scalay_string_append(lines, "%s\n", last_line);
    return lines->status;
}

static scalay_status make_folders(const char *path)
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

scalay_status scalay_calibration_keep(const char *path, int is_cache, const scalay_calibration *calibration,
                                      int *is_kept)
{
    scalay_status status = SCALAY_SUCCESS;
    if (is_kept != NULL) *is_kept = 0;
    if (is_cache) SCALAY_TRY(make_folders(path));
    status = scalay_calibration_write(path, calibration);
    if (is_kept != NULL) *is_kept = status == SCALAY_SUCCESS;
    /* A home that cannot be written is not an error. */
    if (is_cache && status == SCALAY_ERROR_FILE) status = SCALAY_SUCCESS;
cleanup:
    return status;
}

/* --------------------------------------------------------------------------------------------- merging */

void scalay_machine_sample_list_rates(scalay_machine_sample *sample, scalay_sample_rate rate[SCALAY_SAMPLE_RATES])
{
    scalay_machine *m = &sample->machine;
    double *const seconds[] = {[SCALAY_RATE_FLOP] = &m->seconds_per_flop,
                               [SCALAY_RATE_FLOP_VECTOR] = &m->seconds_per_flop_vector,
                               [SCALAY_RATE_BYTE_COPIED] = &m->seconds_per_byte_copied,
                               [SCALAY_RATE_BYTE] = &m->seconds_per_byte,
                               [SCALAY_RATE_MESSAGE] = &m->seconds_per_message,
                               [SCALAY_RATE_BYTE_WITHIN] = &m->seconds_per_byte_within,
                               [SCALAY_RATE_MESSAGE_WITHIN] = &m->seconds_per_message_within,
                               [SCALAY_RATE_LARGE_MESSAGE] = &m->seconds_per_large_message,
                               [SCALAY_RATE_BYTE_ALONE] = &m->seconds_per_byte_alone,
                               [SCALAY_RATE_CALL] = &m->seconds_per_call};
    int count = 0;
    for (; count < SCALAY_RATES; count++) rate[count] = (scalay_sample_rate){seconds[count], &sample->spread[count]};
    for (int k = 0; k < SCALAY_GEMM_CURVE; k++)
        rate[count++] = (scalay_sample_rate){&m->gemm_curve[k], &sample->gemm_spread[k]};
    for (int k = 0; k < SCALAY_VECTOR_CURVE; k++)
        rate[count++] = (scalay_sample_rate){&m->vector_curve[k], &sample->vector_spread[k]};
    for (int k = 0; k < SCALAY_COPY_CURVE; k++)
        rate[count++] = (scalay_sample_rate){&m->copy_curve[k], &sample->copy_spread[k]};
    for (int k = 0; k < SCALAY_SWAP_CURVE; k++)
        rate[count++] = (scalay_sample_rate){&m->swap_curve[k], &sample->swap_spread[k]};
}

double scalay_machine_sample_spread(const scalay_machine_sample *sample)
{
    scalay_machine_sample copy = *sample;
    scalay_sample_rate rate[SCALAY_SAMPLE_RATES];
    double largest = 0.0;
    scalay_machine_sample_list_rates(&copy, rate);
    for (int k = 0; k < SCALAY_SAMPLE_RATES; k++)
        if (*rate[k].spread > largest) largest = *rate[k].spread;
    return largest;
}

int scalay_machine_sample_is_doubtful(const scalay_machine_sample *sample)
{
    return sample->measurements < MAX_MEASUREMENTS && scalay_machine_sample_spread(sample) > SCALAY_IMPRECISE;
}

int scalay_calibration_needs_renewal(const scalay_calibration *found, const scalay_calibration *here)
{
    const scalay_machine_sample *sample = &found->sample;
    const scalay_machine *m = &sample->machine;
    const int is_complete = m->gemm_curve[0] > 0.0 && m->copy_curve[0] > 0.0 && m->swap_curve[0] > 0.0 &&
                            m->seconds_per_large_message > 0.0 && m->seconds_per_call > 0.0;
    if (!is_complete) return 1;
    return here->written - found->written >= SCALAY_CALIBRATION_PAUSE && scalay_machine_sample_is_doubtful(sample);
}

void scalay_machine_sample_smooth(scalay_machine_sample *sample)
{
    scalay_machine *m = &sample->machine;
    for (int k = 1; k < SCALAY_GEMM_CURVE; k++)
        if (m->gemm_curve[k] > m->gemm_curve[k - 1]) m->gemm_curve[k] = m->gemm_curve[k - 1];
    if (m->seconds_per_flop > m->gemm_curve[SCALAY_GEMM_CURVE - 1])
        m->seconds_per_flop = m->gemm_curve[SCALAY_GEMM_CURVE - 1];
}

/* A rate of types or of pairs of types, and the rate of the machine whose spread it has. */
typedef struct {
    double *seconds;
    int count, rate;
} rates_of_types;

enum { TYPE_RATES = 5 };

static void list_type_rates(scalay_machine *m, rates_of_types list[TYPE_RATES])
{
    list[0] = (rates_of_types){m->type_seconds_per_flop, SCALAY_NODE_TYPES, SCALAY_RATE_FLOP};
    list[1] = (rates_of_types){m->type_seconds_per_message, SCALAY_NODE_TYPES, SCALAY_RATE_MESSAGE_WITHIN};
    list[2] = (rates_of_types){m->type_seconds_per_byte, SCALAY_NODE_TYPES, SCALAY_RATE_BYTE_WITHIN};
    list[3] = (rates_of_types){m->pair_seconds_per_message, SCALAY_NODE_TYPE_PAIRS, SCALAY_RATE_MESSAGE};
    list[4] = (rates_of_types){m->pair_seconds_per_byte, SCALAY_NODE_TYPE_PAIRS, SCALAY_RATE_BYTE};
}

/* Takes the faster ones of the rates of types, those of which `sample` is imprecise. */
static void take_faster_types(scalay_machine_sample *other, scalay_machine_sample *sample)
{
    rates_of_types one[TYPE_RATES], all[TYPE_RATES];
    list_type_rates(&other->machine, one);
    list_type_rates(&sample->machine, all);
    for (int r = 0; r < TYPE_RATES; r++)
        for (int k = 0; k < one[r].count; k++) {
            const double seconds = one[r].seconds[k], now = all[r].seconds[k];
            const int is_open = sample->spread[all[r].rate] > SCALAY_IMPRECISE;
            if (is_open && seconds > 0.0 && (now == 0.0 || seconds < now)) all[r].seconds[k] = seconds;
        }
}

void scalay_machine_sample_merge(const scalay_machine_sample *old, scalay_machine_sample *sample)
{
    scalay_machine_sample before = *old;
    scalay_sample_rate was[SCALAY_SAMPLE_RATES], is[SCALAY_SAMPLE_RATES];
    const double weight = before.measurements > 0 ? (double)before.measurements : 1.0;
    int replaced = 0;
    scalay_machine_sample_list_rates(&before, was);
    scalay_machine_sample_list_rates(sample, is);
    take_faster_types(&before, sample);
    for (int k = 0; k < SCALAY_SAMPLE_RATES; k++) {
        const int was_precise = *was[k].spread <= SCALAY_IMPRECISE && *was[k].seconds > 0.0;
        if (*is[k].spread <= SCALAY_IMPRECISE) continue;
        if (*was[k].seconds <= 0.0) continue;
        if (was_precise) {
            *is[k].seconds = *was[k].seconds;
            *is[k].spread = *was[k].spread;
            replaced++;
        } else {
            *is[k].seconds = (weight * *was[k].seconds + *is[k].seconds) / (weight + 1.0);
        }
    }
    if (before.busy < sample->busy) {
        sample->machine.solo_time_ratio = before.machine.solo_time_ratio;
        sample->machine.ring_slowdown = before.machine.ring_slowdown;
        if (replaced > 0) sample->busy = before.busy;
    }
    sample->seconds += before.seconds;
    sample->measurements += before.measurements > 0 ? before.measurements : 1;
    scalay_machine_sample_smooth(sample);
}
