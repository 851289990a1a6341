#include "options.h"

#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "report.h"

enum { HELP_CODE = 1, FIRST_CODE = 1000, LONGEST_WORD = 31 };

static int option_count(const scalay_command *command)
{
    int count = 0;
    while (command->options[count].name != NULL) count++;
    return count;
}

/* ------------------------------------------------------------------------------------------------- hints */

/* The edit distance of two short words, by rows. */
static int edit_distance(const char *a, const char *b)
{
    int row[LONGEST_WORD + 1];
    int width = (int)strlen(b);
    for (int j = 0; j <= width; j++) row[j] = j;
    for (int i = 1; a[i - 1] != '\0'; i++) {
        int corner = row[0];
        row[0] = i;
        for (int j = 1; j <= width; j++) {
            int change = corner + (a[i - 1] != b[j - 1]);
            corner = row[j];
            if (row[j] + 1 < change) change = row[j] + 1;
            if (row[j - 1] + 1 < change) change = row[j - 1] + 1;
            row[j] = change;
        }
    }
    return row[width];
}

int scalay_nearest_name(const char *word, const char *const *names, int count)
{
    int best = -1;
    int best_distance = 3;
    if (strlen(word) > LONGEST_WORD) return -1;
    for (int k = 0; k < count; k++) {
        if (names[k] == NULL || strlen(names[k]) > LONGEST_WORD) continue;
        int distance = edit_distance(word, names[k]);
        if (distance < best_distance && distance < (int)strlen(names[k])) {
            best = k;
            best_distance = distance;
        }
    }
    return best;
}

static scalay_status unknown_option(const scalay_command *command, const char *given)
{
    char word[LONGEST_WORD + 2];
    const char *names[64] = {NULL};
    int count = option_count(command);
    const char *start = given + strspn(given, "-");
    (void)snprintf(word, sizeof word, "%.*s", (int)strcspn(start, "="), start);
    for (int k = 0; k < count && k < 63; k++) names[k] = command->options[k].name;
    names[63] = "help";
    int near = scalay_nearest_name(word, names, 64);
    if (near >= 0)
        return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "option %s is not known; did you mean --%s? See scalay %s --help",
                           given, names[near], command->name);
    return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "option %s is not known; scalay %s --help lists the options", given,
                       command->name);
}

/* --------------------------------------------------------------------------------------------- arguments */

/* A number at the start of a text, which goes on with one of `ends`; what follows it, or NULL. */
static const char *parse_count(const char *text, const char *ends, int64_t *count)
{
    char *end = NULL;
    errno = 0;
    long long value = text[0] >= '0' && text[0] <= '9' ? strtoll(text, &end, 10) : 0;
    if (end == NULL || strchr(ends, *end) == NULL || errno != 0 || value < 1 || value > INT_MAX) return NULL;
    *count = value;
    return end;
}

static scalay_status read_count(const scalay_option *option, const char *text, int64_t *count)
{
    if (parse_count(text, "", count) != NULL) return SCALAY_SUCCESS;
    return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "--%s is '%s': give an integer from 1 to %d", option->name, text,
                       INT_MAX);
}

static scalay_status read_size(const scalay_option *option, const char *text, scalay_option_integer *size)
{
    size->given = 1;
    if (text[0] != '-' && scalay_text_to_int64(text, strlen(text), &size->value) == SCALAY_NUMBER_VALID)
        return SCALAY_SUCCESS;
    return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "--%s is '%s': give an integer from 0 to %lld", option->name, text,
                       (long long)INT64_MAX);
}

static scalay_status read_bytes(const scalay_option *option, const char *text, scalay_option_integer *bytes)
{
    static const char units[] = "KMG";
    size_t length = strlen(text);
    const char *unit = length > 0 ? strchr(units, text[length - 1] & ~0x20) : NULL;
    int shift = unit != NULL && *unit != '\0' ? 10 * (int)(unit - units + 1) : 0;
    bytes->given = 1;
    if (shift > 0) length--;
    if (text[0] != '-' && scalay_text_to_int64(text, length, &bytes->value) == SCALAY_NUMBER_VALID &&
        bytes->value <= INT64_MAX >> shift) {
        bytes->value <<= shift;
        return SCALAY_SUCCESS;
    }
    return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "--%s is '%s': give a number of bytes such as 65536, 64K, 16M or 1G",
                       option->name, text);
}

const char *scalay_parse_number(const char *text, const char *ends, double *number)
{
    char *end = NULL;
    int decimal = (text[0] >= '0' && text[0] <= '9' && (text[1] | 0x20) != 'x') || text[0] == '.';
    double value = decimal ? strtod(text, &end) : 0.0;
    if (end == NULL || end == text || strchr(ends, *end) == NULL || !isfinite(value)) return NULL;
    *number = value;
    return end;
}

static scalay_status read_number(const scalay_option *option, const char *text, scalay_option_number *number)
{
    number->given = 1;
    if (scalay_parse_number(text, "", &number->value) != NULL) return SCALAY_SUCCESS;
    return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "--%s is '%s': give a finite decimal number that is not negative",
                       option->name, text);
}

static scalay_status read_share(const scalay_option *option, const char *text, scalay_option_number *share)
{
    share->given = 1;
    const char *end = scalay_parse_number(text, "%", &share->value);
    if (end != NULL && *end == '%') {
        share->value /= 100.0;
        end++;
    }
    if (end != NULL && *end == '\0') return SCALAY_SUCCESS;
    return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "--%s is '%s': give a share such as 5%% or 0.05", option->name, text);
}

static scalay_status read_grid(const scalay_option *option, const char *text, int64_t *grid)
{
    const char *cols = parse_count(text, "xX", &grid[0]);
    if (cols != NULL && *cols != '\0' && parse_count(cols + 1, "", &grid[1]) != NULL) return SCALAY_SUCCESS;
    return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "--%s is '%s': give rows and columns, each from 1 to %d, such as 2x2",
                       option->name, text, INT_MAX);
}

static int is_choice(const char *choices, const char *text)
{
    size_t length = strlen(text);
    for (const char *word = choices;; word++) {
        size_t extent = strcspn(word, "|");
        if (extent == length && strncmp(word, text, length) == 0) return 1;
        word += extent;
        if (*word == '\0') return 0;
    }
}

static scalay_status read_text(const scalay_option *option, const char *text, scalay_option_list *list)
{
    const int most = (int)(sizeof list->text / sizeof *list->text);
    if (text[0] == '\0')
        return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "--%s is empty: give %s", option->name, option->argument);
    if (list->count == most)
        return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "--%s is given more than %d times", option->name, most);
    list->text[list->count++] = text;
    return SCALAY_SUCCESS;
}

static scalay_status read_argument(const scalay_option *option, const char *text, scalay_options *options)
{
    void *place = (char *)options + option->place;
    switch (option->kind) {
    case SCALAY_OPTION_FLAG:
        *(int *)place = 1;
        return SCALAY_SUCCESS;
    case SCALAY_OPTION_COUNT:
        return read_count(option, text, place);
    case SCALAY_OPTION_SIZE:
        return read_size(option, text, place);
    case SCALAY_OPTION_BYTES:
        return read_bytes(option, text, place);
    case SCALAY_OPTION_NUMBER:
        return read_number(option, text, place);
    case SCALAY_OPTION_SHARE:
        return read_share(option, text, place);
    case SCALAY_OPTION_GRID:
        return read_grid(option, text, place);
    case SCALAY_OPTION_TEXTS:
        return read_text(option, text, place);
    case SCALAY_OPTION_CHOICE:
        if (!is_choice(option->argument, text))
            return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "--%s is '%s': give one of %s", option->name, text,
                               option->argument);
        break;
    case SCALAY_OPTION_TEXT:
        if (text[0] == '\0')
            return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "--%s is empty: give %s", option->name, option->argument);
        break;
    }
    *(const char **)place = text;
    return SCALAY_SUCCESS;
}

/* ------------------------------------------------------------------------------------------- command line */

static scalay_status make_getopt_table(const scalay_command *command, struct option **table)
{
    int count = option_count(command);
    struct option *rows = NULL;
    scalay_status status = SCALAY_NEW(rows, count + 2);
    if (status != SCALAY_SUCCESS) return status;
    for (int k = 0; k < count; k++) {
        rows[k].name = command->options[k].name;
        rows[k].has_arg = command->options[k].kind == SCALAY_OPTION_FLAG ? no_argument : required_argument;
        rows[k].val = FIRST_CODE + k;
    }
    rows[count].name = "help";
    rows[count].val = HELP_CODE;
    *table = rows;
    return SCALAY_SUCCESS;
}

static scalay_status read_operand(const scalay_command *command, int argc, char **argv, scalay_options *options)
{
    int given = argc - optind;
    int wanted = (command->operand != NULL) + (command->second_operand != NULL);
    if (given > wanted)
        return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "'%s' is one argument too many; use: scalay %s %s",
                           argv[optind + wanted], command->name, command->usage);
    if (given < wanted)
        return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "%s is missing; use: scalay %s %s",
                           given == 0 ? command->operand : command->second_operand, command->name, command->usage);
    if (wanted > 0) options->operand = argv[optind];
    if (wanted > 1) options->second_operand = argv[optind + 1];
    return SCALAY_SUCCESS;
}

static scalay_status bad_option(const scalay_command *command, int code, const char *given)
{
    if (code == ':')
        return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "option %s needs an argument; see scalay %s --help", given,
                           command->name);
    if (optopt >= FIRST_CODE || optopt == HELP_CODE)
        return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "option %s takes no argument; leave '=...' away", given);
    return unknown_option(command, given);
}

/* An option found on the command line: refuses it when it was there before. */
static scalay_status take_option(const scalay_option *option, int *seen, const char *text, scalay_options *options)
{
    if ((*seen)++ && option->kind != SCALAY_OPTION_TEXTS)
        return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "option --%s is given twice; leave one of them away", option->name);
    return read_argument(option, text, options);
}

scalay_status scalay_options_read(const scalay_command *command, int argc, char **argv, scalay_options *options)
{
    scalay_status status = SCALAY_SUCCESS;
    struct option *table = NULL;
    int *seen = NULL; /* how often each option was */
    SCALAY_TRY(make_getopt_table(command, &table));
    SCALAY_TRY(SCALAY_NEW(seen, option_count(command)));
    opterr = 0;
    optind = 1;
    for (;;) {
        int before = optind;
        int code = getopt_long(argc, argv, ":h", table, NULL);
        int row = code - FIRST_CODE;
        if (code == -1) break;
        if (code == HELP_CODE || code == 'h') {
            options->help = 1;
            goto cleanup;
        }
        /* A short option inside a cluster leaves optind where it was. */
        if (code == '?' || code == ':')
            SCALAY_TRY(bad_option(command, code, argv[optind > before ? optind - 1 : optind]));
        else
            SCALAY_TRY(take_option(&command->options[row], &seen[row], optarg, options));
    }
    SCALAY_TRY(read_operand(command, argc, argv, options));
cleanup:
    scalay_release(seen);
    scalay_release(table);
    return status;
}

/* --------------------------------------------------------------------------------------------------- help */

enum { HELP_INDENT = 6 };

void scalay_command_print_help(const scalay_command *command, FILE *stream)
{
    fprintf(stream, "Usage: %sscalay %s %s\n\n%s\n", command->needs_mpi ? "mpirun -n P " : "", command->name,
            command->usage, command->description);
    fprintf(stream, "Options:\n");
    for (const scalay_option *option = command->options; option->name != NULL; option++) {
        fprintf(stream, "  --%s%s%s\n", option->name, option->argument[0] != '\0' ? " " : "", option->argument);
        scalay_print_wrapped(option->help, HELP_INDENT, stream);
    }
    fprintf(stream, "  --help\n");
    scalay_print_wrapped("prints this text", HELP_INDENT, stream);
    fprintf(stream, "\nExample:\n%s", command->example);
    fprintf(stream, "\nExit codes: 0 done, 1 no solution, 2 bad input, 3 system failure.\n");
}
