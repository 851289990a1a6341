#ifndef SCALAY_CLI_OPTIONS_H
#define SCALAY_CLI_OPTIONS_H

/**
 * @file
 * Subcommands and their options.
 *
 * A subcommand is a scalay_subcommand: names, texts, a table of options and a function. Its options are read into a
 * struct of its own, whose first member is a scalay_common_options. The table is the only description of the options:
 * the reader, --help, the manual pages, docs/cli.md and the completion files of the shells are made from it.
 */

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/status.h"
#include "scalay/types.h"

/** A number that may be missing. */
typedef struct {
    int given;
    double value;
} scalay_option_number;

/** An integer that may be missing. */
typedef struct {
    int given;
    int64_t value;
} scalay_option_integer;

/** Maximum number of times that an option of kind SCALAY_OPTION_LIST may be given. */
#define SCALAY_OPTION_LIST_MAX 16

/** An option that may be given several times. */
typedef struct {
    int count;
    const char *text[SCALAY_OPTION_LIST_MAX];
} scalay_option_list;

/** Options of every subcommand: the first member of each option struct. A zeroed member was not given. */
typedef struct {
    const char *operand[2]; /* arguments without the name of an option */
    const char *plot;
    int json;
    int quiet;
    int help;
} scalay_common_options;

/** How the argument of an option is read. */
typedef enum {
    SCALAY_OPTION_TEXT,   /* text that is not empty, into a const char * */
    SCALAY_OPTION_INPUT,  /* the name of a file to read, likewise; "-" is the standard input */
    SCALAY_OPTION_OUTPUT, /* the name of a file to write, likewise */
    SCALAY_OPTION_LIST,   /* text, may be given several times, into a scalay_option_list */
    SCALAY_OPTION_CHOICE, /* one of `choices`, into a const char * */
    SCALAY_OPTION_COUNT,  /* 1 to `most`, into an int64_t; 0: not given */
    SCALAY_OPTION_SIZE,   /* 0 to 2^63 - 1, into a scalay_option_integer */
    SCALAY_OPTION_BYTES,  /* like SIZE, with an optional suffix K, M or G for 2^10, 2^20, 2^30 */
    SCALAY_OPTION_NUMBER, /* a finite decimal number of at least 0, into a scalay_option_number */
    SCALAY_OPTION_SHARE,  /* like NUMBER: a percentage (5%), or a fraction below 1 (0.05); the value is a fraction */
    SCALAY_OPTION_GRID,   /* PxQ, each as COUNT, into an int64_t[2] */
    SCALAY_OPTION_FLAG,   /* no argument, into an int, which becomes 1 */
    SCALAY_OPTION_GROUP   /* not an option: the heading of a group of options */
} scalay_option_kind;

/** A row in the table of options of a subcommand. A row without a name ends the table. */
typedef struct {
    const char *name;         /* without dashes; of a group: its heading */
    const char *argument;     /* placeholder in --help; "" for a flag */
    const char *choices;      /* of kind CHOICE: words separated by '|'; NULL for other kinds */
    const char *help;         /* a noun phrase or an imperative, at most 25 words */
    const char *default_text; /* default, as shown; NULL: not shown */
    int64_t most;             /* of kind COUNT: largest value; 0: 2^31 - 1 */
    size_t offset;            /* of the member in the option struct */
    scalay_option_kind kind;
} scalay_option;

/** Rows of a table: `type` is the option struct, `member` a designator such as job.repeat. */
#define SCALAY_ROW(type, member, kind_, name_, argument_, help_, default_)                                             \
    {                                                                                                                  \
        .name = (name_), .argument = (argument_), .help = (help_), .default_text = (default_),                         \
        .offset = offsetof(type, member), .kind = (kind_)                                                              \
    }
#define SCALAY_COUNT_ROW(type, member, name_, argument_, most_, help_, default_)                                       \
    {                                                                                                                  \
        .name = (name_), .argument = (argument_), .most = (most_), .help = (help_), .default_text = (default_),        \
        .offset = offsetof(type, member), .kind = SCALAY_OPTION_COUNT                                                  \
    }
#define SCALAY_CHOICE_ROW(type, member, name_, argument_, choices_, help_, default_)                                   \
    {                                                                                                                  \
        .name = (name_), .argument = (argument_), .choices = (choices_), .help = (help_), .default_text = (default_),  \
        .offset = offsetof(type, member), .kind = SCALAY_OPTION_CHOICE                                                 \
    }
#define SCALAY_GROUP_ROW(heading)                                                                                      \
    {                                                                                                                  \
        .name = (heading), .kind = SCALAY_OPTION_GROUP                                                                 \
    }
#define SCALAY_PLOT_ROW(type, help_)                                                                                   \
    SCALAY_ROW(type, common.plot, SCALAY_OPTION_OUTPUT, "plot", "FILE", help_ "; FILE ends in .svg, .png or .pdf", NULL)
#define SCALAY_JSON_ROW(type)                                                                                          \
    SCALAY_ROW(type, common.json, SCALAY_OPTION_FLAG, "json", "", "print one JSON document instead of text", NULL)
#define SCALAY_QUIET_ROW(type)                                                                                         \
    SCALAY_ROW(type, common.quiet, SCALAY_OPTION_FLAG, "quiet", "", "print errors only, and JSON with --json", NULL)
#define SCALAY_LAST_ROW                                                                                                \
    {                                                                                                                  \
        .name = NULL                                                                                                   \
    }

/** Transports of the subcommands that move matrices. */
#define SCALAY_TRANSPORT_CHOICES "auto|shared|mpi"

/** A subcommand. Texts are plain ASCII; lines end with a newline. */
typedef struct {
    const char *name;
    const char *summary;  /* one line, imperative */
    const char *usage[3]; /* what follows the name; unused entries are NULL */
    /* Paragraphs, separated by empty lines. A line that starts with a blank is printed unchanged. */
    const char *description;
    const char *example;            /* indented lines */
    const char *operand[2];         /* names of the arguments without an option; NULL: none */
    const scalay_option *table;     /* the options, without --help */
    size_t options_size;            /* of the option struct */
    int needs_mpi;                  /* 1: always */
    const char *const *mpi_options; /* names of options with which it needs MPI, ended by NULL; NULL: none */
    scalay_status (*run)(const void *options, scalay_comm *comm); /* comm is NULL without MPI */
} scalay_subcommand;

/** The subcommands, in the order of the work. */
extern const scalay_subcommand scalay_subcommand_profile, scalay_subcommand_workload, scalay_subcommand_partition,
    scalay_subcommand_pattern, scalay_subcommand_map, scalay_subcommand_advise, scalay_subcommand_redistribute,
    scalay_subcommand_qr, scalay_subcommand_lu, scalay_subcommand_cholesky, scalay_subcommand_gemm,
    scalay_subcommand_show, scalay_subcommand_calibrate;

/** Returns subcommand k; NULL after the last one. */
const scalay_subcommand *scalay_subcommand_at(int k);

/** Returns the subcommand with a name; NULL if there is none. */
const scalay_subcommand *scalay_subcommand_find(const char *name);

/** Returns 1 if a command line needs MPI. */
int scalay_subcommand_needs_mpi(const scalay_subcommand *subcommand, int argc, char **argv);

/**
 * Reads the options and runs a subcommand. Collective over comm, if it is given.
 * @param[in] subcommand  the subcommand
 * @param[in] argc        length of argv
 * @param[in] argv        argv[0] is the name of the subcommand; reordered as by getopt_long
 * @param[in] comm        NULL: without MPI
 * @return the status of the subcommand; SCALAY_ERROR_ARGUMENT (the message names the option and the remedy),
 *         SCALAY_ERROR_MISMATCH (the ranks have different command lines), SCALAY_ERROR_MEMORY
 */
scalay_status scalay_subcommand_execute(const scalay_subcommand *subcommand, int argc, char **argv, scalay_comm *comm);

/** Prints the help of a subcommand in lines of at most 80 columns. */
void scalay_subcommand_print_help(const scalay_subcommand *subcommand, FILE *stream);

/** Prints the options of a subcommand, in groups, as --help does. */
void scalay_subcommand_print_options(const scalay_subcommand *subcommand, FILE *stream);

/** Appends the help of an option to a buffer: its text, its choices and its default. Returns the buffer. */
const char *scalay_option_describe(const scalay_option *option, char *text, size_t size);

/**
 * Reads a finite decimal number of at least 0.
 * @param[in]  text    starts with the number
 * @param[in]  ends    characters that may follow the number; the end of the text may always follow
 * @param[out] number  set on success
 * @return the character after the number; NULL if there is no such number
 */
const char *scalay_parse_number(const char *text, const char *ends, double *number);

/** Returns the index of the name with the smallest edit distance to a word, at most 2; -1 if there is none. Entries of
 *  names[count] may be NULL. */
int scalay_nearest_name(const char *word, const char *const *names, int count);

#endif
