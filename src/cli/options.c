/*
 * Option tables: reading a command line with getopt_long, hints for misspelt names by edit distance (Levenshtein 1966),
 * and the text of --help.
 */

#include "options.h"

#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/fingerprint.h"
#include "base/memory.h"
#include "base/text.h"
#include "output.h"
#include "parallel/agree.h"
#include "scalay/context.h"

enum { HELP_CODE = 1, FIRST_CODE = 1000, MAX_WORD = 31, MAX_OPTIONS = 64 };

static int option_count(const scalay_subcommand *subcommand)
{
    int count = 0;
    while (subcommand->table[count].name != NULL) count++;
    return count;
}

/* ------------------------------------------------------------------------------------------------- hints */

/* Edit distance of two words of at most MAX_WORD characters, row by row. */
static int edit_distance(const char *a, const char *b)
{
    int row[MAX_WORD + 1];
    const int width = (int)strlen(b);
    for (int j = 0; j <= width; j++) row[j] = j;
    for (int i = 1; a[i - 1] != '\0'; i++) {
        int corner = row[0];
        row[0] = i;
        for (int j = 1; j <= width; j++) {
            int distance = corner + (a[i - 1] != b[j - 1]);
            corner = row[j];
            if (row[j] + 1 < distance) distance = row[j] + 1;
            if (row[j - 1] + 1 < distance) distance = row[j - 1] + 1;
            row[j] = distance;
        }
    }
    return row[width];
}

int scalay_nearest_name(const char *word, const char *const *names, int count)
{
    int best = -1;
    int best_distance = 3;
    if (strlen(word) > MAX_WORD) return -1;
    for (int k = 0; k < count; k++) {
        if (names[k] == NULL || strlen(names[k]) > MAX_WORD) continue;
        const int distance = edit_distance(word, names[k]);
        if (distance < best_distance && distance < (int)strlen(names[k])) {
            best = k;
            best_distance = distance;
        }
    }
    return best;
}

static scalay_status unknown_option(const scalay_subcommand *subcommand, const char *given)
{
    char word[MAX_WORD + 2];
    const char *names[MAX_OPTIONS] = {"help"};
    const char *start = given + strspn(given, "-");
    (void)snprintf(word, sizeof word, "%.*s", (int)strcspn(start, "="), start);
    for (int k = 0; k < option_count(subcommand) && k + 1 < MAX_OPTIONS; k++)
        if (subcommand->table[k].kind != SCALAY_OPTION_GROUP) names[k + 1] = subcommand->table[k].name;
    const int near = scalay_nearest_name(word, names, MAX_OPTIONS);
    if (near >= 0)
        return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "option %s is not known; did you mean --%s? See scalay %s --help",
                           given, names[near], subcommand->name);
    return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "option %s is not known; scalay %s --help lists the options", given,
                       subcommand->name);
}

/* --------------------------------------------------------------------------------------------- arguments */

static scalay_status wrong_value(const scalay_option *option, const char *text, const char *allowed)
{
    return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "--%s is '%s'; it must be %s", option->name, text, allowed);
}

/* Reads a count at the start of a text. Returns the character after it, one of `ends` or the NUL; NULL on failure. */
static const char *parse_count(const char *text, const char *ends, int64_t *count)
{
    char *end = NULL;
    errno = 0;
    const long long value = text[0] >= '0' && text[0] <= '9' ? strtoll(text, &end, 10) : 0;
    if (end == NULL || strchr(ends, *end) == NULL || errno != 0 || value < 1 || value > INT_MAX) return NULL;
    *count = value;
    return end;
}

static scalay_status read_count(const scalay_option *option, const char *text, int64_t *count)
{
    const int64_t most = option->most > 0 ? option->most : INT_MAX;
    if (parse_count(text, "", count) != NULL && *count <= most) return SCALAY_SUCCESS;
    return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "--%s is '%s'; it must be an integer from 1 to %lld", option->name, text,
                       (long long)most);
}

static scalay_status read_size(const scalay_option *option, const char *text, scalay_option_integer *size)
{
    size->given = 1;
    if (text[0] != '-' && scalay_text_to_int64(text, strlen(text), &size->value) == SCALAY_NUMBER_VALID)
        return SCALAY_SUCCESS;
    return wrong_value(option, text, "an integer from 0 to 9223372036854775807");
}

static scalay_status read_bytes(const scalay_option *option, const char *text, scalay_option_integer *bytes)
{
    static const char units[] = "KMG";
    size_t length = strlen(text);
    const char *unit = length > 0 ? strchr(units, text[length - 1] & ~0x20) : NULL;
    const int shift = unit != NULL && *unit != '\0' ? 10 * (int)(unit - units + 1) : 0;
    bytes->given = 1;
    if (shift > 0) length--;
    if (text[0] != '-' && scalay_text_to_int64(text, length, &bytes->value) == SCALAY_NUMBER_VALID &&
        bytes->value <= INT64_MAX >> shift) {
        bytes->value <<= shift;
        return SCALAY_SUCCESS;
    }
    return wrong_value(option, text, "a number of bytes such as 65536, 64K, 16M or 1G");
}

const char *scalay_parse_number(const char *text, const char *ends, double *number)
{
    char *end = NULL;
    const int is_decimal = (text[0] >= '0' && text[0] <= '9' && (text[1] | 0x20) != 'x') || text[0] == '.';
    const double value = is_decimal ? strtod(text, &end) : 0.0;
    if (end == NULL || end == text || strchr(ends, *end) == NULL || !isfinite(value)) return NULL;
    *number = value;
    return end;
}

static scalay_status read_number(const scalay_option *option, const char *text, scalay_option_number *number)
{
    number->given = 1;
    if (scalay_parse_number(text, "", &number->value) != NULL) return SCALAY_SUCCESS;
    return wrong_value(option, text, "a finite decimal number of at least 0");
}

static scalay_status read_share(const scalay_option *option, const char *text, scalay_option_number *share)
{
    share->given = 1;
    const char *end = scalay_parse_number(text, "%", &share->value);
    if (end == NULL || (*end == '%' && end[1] != '\0'))
        return wrong_value(option, text, "a percentage such as 5%, or a fraction below 1 such as 0.05");
    if (*end != '%' && share->value >= 1.0)
        return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT,
                           "--%s is '%s'; it must be a fraction below 1 or a percentage. Write %s%%", option->name,
                           text, text);
    if (*end == '%') share->value /= 100.0;
    return SCALAY_SUCCESS;
}

static scalay_status read_grid(const scalay_option *option, const char *text, int64_t *grid)
{
    const char *cols = parse_count(text, "xX", &grid[0]);
    if (cols != NULL && *cols != '\0' && parse_count(cols + 1, "", &grid[1]) != NULL) return SCALAY_SUCCESS;
    return wrong_value(option, text, "rows and columns such as 2x2, each from 1 to 2147483647");
}

static int is_choice(const char *choices, const char *text)
{
    const size_t length = strlen(text);
    for (const char *word = choices;; word++) {
        const size_t extent = strcspn(word, "|");
        if (extent == length && strncmp(word, text, length) == 0) return 1;
        word += extent;
        if (*word == '\0') return 0;
    }
}

static scalay_status read_choice(const scalay_option *option, const char *text, const char **choice)
{
    *choice = text;
    if (is_choice(option->choices, text)) return SCALAY_SUCCESS;
    return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "--%s is '%s'; it must be one of %s", option->name, text,
                       option->choices);
}

static scalay_status read_text(const scalay_option *option, const char *text, const char **value)
{
    *value = text;
    if (text[0] == '\0')
        return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "--%s is empty; it must be %s", option->name, option->argument);
    if (option->kind == SCALAY_OPTION_INPUT && strcmp(text, "-") == 0) *value = "/dev/stdin";
    return SCALAY_SUCCESS;
}

static scalay_status read_list(const scalay_option *option, const char *text, scalay_option_list *list)
{
    if (list->count == SCALAY_OPTION_LIST_MAX)
        return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "--%s is given more than %d times", option->name,
                           SCALAY_OPTION_LIST_MAX);
    return read_text(option, text, &list->text[list->count++]);
}

static scalay_status read_argument(const scalay_option *option, const char *text, void *options)
{
    void *member = (char *)options + option->offset;
    switch (option->kind) {
    case SCALAY_OPTION_COUNT:
        return read_count(option, text, member);
    case SCALAY_OPTION_SIZE:
        return read_size(option, text, member);
    case SCALAY_OPTION_BYTES:
        return read_bytes(option, text, member);
    case SCALAY_OPTION_NUMBER:
        return read_number(option, text, member);
    case SCALAY_OPTION_SHARE:
        return read_share(option, text, member);
    case SCALAY_OPTION_GRID:
        return read_grid(option, text, member);
    case SCALAY_OPTION_LIST:
        return read_list(option, text, member);
    case SCALAY_OPTION_CHOICE:
        return read_choice(option, text, member);
    case SCALAY_OPTION_TEXT:
    case SCALAY_OPTION_INPUT:
    case SCALAY_OPTION_OUTPUT:
        return read_text(option, text, member);
    case SCALAY_OPTION_FLAG:
    case SCALAY_OPTION_GROUP:
        break;
    }
    *(int *)member = 1;
    return SCALAY_SUCCESS;
}

/* ------------------------------------------------------------------------------------------- command line */

/* Rows of getopt_long. Groups get a name that no command line has. */
static scalay_status make_getopt_table(const scalay_subcommand *subcommand, struct option **table)
{
    const int count = option_count(subcommand);
    struct option *rows = NULL;
    const scalay_status status = SCALAY_NEW(rows, count + 2);
    if (status != SCALAY_SUCCESS) return status;
    for (int k = 0; k < count; k++) {
        const scalay_option *option = &subcommand->table[k];
        rows[k].name = option->kind == SCALAY_OPTION_GROUP ? "\n" : option->name;
        rows[k].has_arg = option->kind == SCALAY_OPTION_FLAG ? no_argument : required_argument;
        rows[k].val = FIRST_CODE + k;
    }
    rows[count].name = "help";
    rows[count].val = HELP_CODE;
    *table = rows;
    return SCALAY_SUCCESS;
}

static scalay_status read_operands(const scalay_subcommand *subcommand, int argc, char **argv,
                                   scalay_common_options *common)
{
    const int given = argc - optind;
    const int expected = (subcommand->operand[0] != NULL) + (subcommand->operand[1] != NULL);
    if (given > expected)
        return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "'%s' is one argument too many; use: scalay %s %s",
                           argv[optind + expected], subcommand->name, subcommand->usage[0]);
    if (given < expected)
        return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "%s is missing; use: scalay %s %s", subcommand->operand[given],
                           subcommand->name, subcommand->usage[0]);
    for (int k = 0; k < expected; k++) common->operand[k] = argv[optind + k];
    return SCALAY_SUCCESS;
}

static scalay_status refuse_option(const scalay_subcommand *subcommand, int code, const char *given)
{
    if (code == ':')
        return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "option %s needs an argument; see scalay %s --help", given,
                           subcommand->name);
    if (optopt >= FIRST_CODE || optopt == HELP_CODE)
        return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "option %s takes no argument; leave '=...' away", given);
    return unknown_option(subcommand, given);
}

static scalay_status take_option(const scalay_option *option, int *count, const char *text, void *options)
{
    if ((*count)++ > 0 && option->kind != SCALAY_OPTION_LIST)
        return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "option --%s is given twice; leave one of them away", option->name);
    return read_argument(option, text, options);
}

/* Reads a command line into a zeroed option struct. */
static scalay_status read_options(const scalay_subcommand *subcommand, int argc, char **argv, void *options)
{
    scalay_status status = SCALAY_SUCCESS;
    struct option *table = NULL;
    int *count = NULL; /* how often each option was given */
    SCALAY_TRY(make_getopt_table(subcommand, &table));
    SCALAY_TRY(SCALAY_NEW(count, option_count(subcommand) + 1));
    opterr = 0;
    optind = 1;
    for (;;) {
        const int before = optind;
        const int code = getopt_long(argc, argv, ":h", table, NULL);
        const int row = code - FIRST_CODE;
        if (code == -1) break;
        if (code == HELP_CODE || code == 'h') {
            ((scalay_common_options *)options)->help = 1;
            goto cleanup;
        }
        /* A short option inside a cluster leaves optind unchanged. */
        if (code == '?' || code == ':')
            SCALAY_TRY(refuse_option(subcommand, code, argv[optind > before ? optind - 1 : optind]));
        else
            SCALAY_TRY(take_option(&subcommand->table[row], &count[row], optarg, options));
    }
    SCALAY_TRY(read_operands(subcommand, argc, argv, options));
cleanup:
    scalay_release(count);
    scalay_release(table);
    return status;
}

/* mpirun can start ranks with different command lines, which would wait for each other in different calls. */
static scalay_status agree_on_arguments(scalay_comm *comm, const char *name, int argc, char **argv)
{
    uint64_t print = scalay_fingerprint_add(scalay_fingerprint_start(), argc);
    for (int k = 1; k < argc; k++)
        for (size_t at = 0; at <= strlen(argv[k]); at++) print = scalay_fingerprint_add(print, argv[k][at]);
    return scalay_comm_agree_value(comm, print, name, "the command line");
}

static scalay_status run_with_options(const scalay_subcommand *subcommand, int argc, char **argv, scalay_comm *comm,
                                      void *options)
{
    const int prints = comm == NULL || scalay_comm_rank(comm) == 0;
    const scalay_common_options *common = options;
    scalay_status status = SCALAY_SUCCESS;
    status = read_options(subcommand, argc, argv, options);
    if (comm != NULL) status = scalay_comm_agree(comm, status);
    if (comm != NULL && status == SCALAY_SUCCESS) status = agree_on_arguments(comm, subcommand->name, argc, argv);
    if (status != SCALAY_SUCCESS) return status;
    if (common->help) {
        if (prints) scalay_subcommand_print_help(subcommand, stdout);
        return SCALAY_SUCCESS;
    }
    scalay_progress_start(subcommand->name, prints && !common->quiet);
    status = subcommand->run(options, comm);
    scalay_progress_stop();
    return status;
}

scalay_status scalay_subcommand_execute(const scalay_subcommand *subcommand, int argc, char **argv, scalay_comm *comm)
{
    void *options = scalay_allocate(1, subcommand->options_size);
    scalay_status status =
        options != NULL ? SCALAY_SUCCESS : scalay_no_memory(__func__, "the options", 1, subcommand->options_size);
    if (comm != NULL) status = scalay_comm_agree(comm, status);
    if (status == SCALAY_SUCCESS) status = run_with_options(subcommand, argc, argv, comm, options);
    scalay_release(options);
    return status;
}

/* ------------------------------------------------------------------------------------------- subcommands */

const scalay_subcommand *scalay_subcommand_at(int k)
{
    static const scalay_subcommand *const subcommands[] = {
        &scalay_subcommand_calibrate, &scalay_subcommand_profile, &scalay_subcommand_workload,
        &scalay_subcommand_partition, &scalay_subcommand_pattern, &scalay_subcommand_map,
        &scalay_subcommand_advise,    &scalay_subcommand_qr,      &scalay_subcommand_lu,
        &scalay_subcommand_cholesky,  &scalay_subcommand_gemm,    &scalay_subcommand_redistribute,
        &scalay_subcommand_show,
    };
    return k >= 0 && k < (int)(sizeof subcommands / sizeof *subcommands) ? subcommands[k] : NULL;
}

const scalay_subcommand *scalay_subcommand_find(const char *name)
{
    for (int k = 0; scalay_subcommand_at(k) != NULL; k++)
        if (strcmp(scalay_subcommand_at(k)->name, name) == 0) return scalay_subcommand_at(k);
    return NULL;
}

/* Options may be abbreviated. */
int scalay_subcommand_needs_mpi(const scalay_subcommand *subcommand, int argc, char **argv)
{
    if (subcommand->needs_mpi || subcommand->mpi_options == NULL) return subcommand->needs_mpi;
    for (int k = 1; k < argc; k++) {
        const size_t length = strlen(argv[k]);
        if (length < 3 || strncmp(argv[k], "--", 2) != 0) continue;
        for (const char *const *name = subcommand->mpi_options; *name != NULL; name++)
            if (strncmp(argv[k] + 2, *name, length - 2) == 0) return 1;
    }
    return 0;
}

/* --------------------------------------------------------------------------------------------------- help */

enum { HELP_COLUMN = 26, HELP_SIZE = 512, SYNOPSIS_SIZE = 80 };

const char *scalay_option_describe(const scalay_option *option, char *text, size_t size)
{
    scalay_text out = {text, size, 0};
    scalay_text_append(&out, "%s", option->help);
    for (const char *word = option->choices; word != NULL;) {
        const int length = (int)strcspn(word, "|");
        scalay_text_append(&out, "%s%.*s", word == option->choices ? ": " : ", ", length, word);
        word = word[length] == '|' ? word + length + 1 : NULL;
    }
    if (option->default_text != NULL) scalay_text_append(&out, " (default: %s)", option->default_text);
    return text;
}

static void print_option(const char *name, const char *argument, const char *help, FILE *stream)
{
    char synopsis[SYNOPSIS_SIZE];
    (void)snprintf(synopsis, sizeof synopsis, "  --%s%s%s", name, argument[0] != '\0' ? " " : "", argument);
    if (strlen(synopsis) < HELP_COLUMN)
        fprintf(stream, "%-*s", HELP_COLUMN, synopsis);
    else
        fprintf(stream, "%s\n%*s", synopsis, HELP_COLUMN, "");
    scalay_print_wrapped(help, HELP_COLUMN, 1, stream);
}

static void print_usage(const scalay_subcommand *subcommand, FILE *stream)
{
    for (int k = 0; k < 3 && subcommand->usage[k] != NULL; k++)
        fprintf(stream, "%s%sscalay %s %s\n", k == 0 ? "Usage: " : "       ",
                subcommand->needs_mpi ? "mpirun -n P " : "", subcommand->name, subcommand->usage[k]);
}

void scalay_subcommand_print_options(const scalay_subcommand *subcommand, FILE *stream)
{
    char help[HELP_SIZE];
    for (const scalay_option *option = subcommand->table; option->name != NULL; option++) {
        if (option->kind == SCALAY_OPTION_GROUP)
            fprintf(stream, "%s%s:\n", option == subcommand->table ? "" : "\n", option->name);
        else
            print_option(option->name, option->argument, scalay_option_describe(option, help, sizeof help), stream);
    }
    print_option("help", "", "print this help", stream);
}

void scalay_subcommand_print_help(const scalay_subcommand *subcommand, FILE *stream)
{
    print_usage(subcommand, stream);
    fprintf(stream, "\n");
    scalay_print_paragraphs(subcommand->description, stream);
    fprintf(stream, "\n");
    scalay_subcommand_print_options(subcommand, stream);
    fprintf(stream, "\nExample:\n%s", subcommand->example);
    fprintf(stream, "\nExit codes: 0 done, 1 no solution, 2 invalid input, 3 system failure.\n");
}
