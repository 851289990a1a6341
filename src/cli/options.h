#ifndef SCALAY_CLI_OPTIONS_H
#define SCALAY_CLI_OPTIONS_H

/** @file Subcommands, their options, and the reading of a command line into a scalay_options. */

#include <stddef.h>
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

/** An option that may be given several times. */
typedef struct {
    int count;
    const char *text[16];
} scalay_option_list;

/** What the options of all subcommands leave behind; what was not given is NULL or 0, or what the subcommand set. */
typedef struct {
    const char *operand; /* the FILE or LAYOUT without a name */
    const char *second_operand;
    const char *from;
    const char *to;
    const char *traffic;
    const char *mapping;
    const char *link_cost;
    const char *objective;
    const char *transport;
    const char *op;
    scalay_option_integer memory; /* bytes */
    const char *type;
    const char *output;
    const char *output_r;
    const char *plot;
    int64_t nb;
    int64_t repeat;
    int64_t grid_rows; /* 0: not given */
    int64_t grid_cols;
    scalay_option_list from_list; /* of map, which takes several */
    scalay_option_list to_list;
    const char *distance;
    const char *bar;
    int64_t ranks_per_node; /* 0: not given */
    const char *nodes;      /* a list or a file */
    const char *cores;      /* likewise */
    int64_t processes;      /* 0: not given */
    const char *profile;
    const char *method;
    int published;
    const char *comm;
    const char *comm_variant;
    scalay_option_integer size;
    scalay_option_number base_power;
    scalay_option_number within_time;   /* a fraction: 5% is 0.05 */
    scalay_option_number within_energy; /* likewise */
    int knee;
    const char *extents;
    const char *speeds;
    const char *areas;
    const char *from_workload;
    const char *shape;
    const char *link_time;
    const char *link_energy;
    const char *link_mode;
    const char *broadcast;
    const char *evaluate;
    int64_t tile; /* 0: not given */
    scalay_option_integer slice;
    scalay_option_integer startup;
    scalay_option_integer seed;
    scalay_option_integer inner;
    scalay_option_number tolerance; /* a fraction */
    scalay_option_number budget;    /* seconds */
    const char *kernel;
    const char *machine; /* a file */
    int64_t times;       /* 0: not given */
    int64_t top;         /* 0: not given */
    int back;
    int any_host;
    int calibrate;
    int measure;
    const char *sizes;
    const char *repetitions;
    const char *meter;
    scalay_option_number refine;     /* a fraction */
    int64_t refine_step;             /* 0: not given */
    int64_t threads;                 /* likewise */
    scalay_option_number precision;  /* a fraction */
    scalay_option_number confidence; /* likewise */
    scalay_option_number max_seconds;
    scalay_option_number timeout;
    scalay_option_number static_power;
    int shared_meter;
    int no_group;
    int restart;
    int exact_counts;
    int schedule;
    int preemptive;
    int check;
    int compare;
    int verify;
    int json;
    int help;
} scalay_options;

/** How the argument of an option is read. */
typedef enum {
    SCALAY_OPTION_TEXT,   /* any text that is not empty, into a const char * */
    SCALAY_OPTION_TEXTS,  /* likewise, several times, into a scalay_option_list */
    SCALAY_OPTION_CHOICE, /* one of the words of `argument`, separated by '|', into a const char * */
    SCALAY_OPTION_COUNT,  /* 1 to 2^31 - 1, into an int64_t */
    SCALAY_OPTION_SIZE,   /* 0 to 2^63 - 1, into a scalay_option_integer */
    SCALAY_OPTION_BYTES,  /* such a number, or one with K, M or G for 2^10, 2^20, 2^30, likewise */
    SCALAY_OPTION_NUMBER, /* a finite decimal number that is not negative, into a scalay_option_number */
    SCALAY_OPTION_SHARE,  /* such a number, or a percentage such as 5%, into a scalay_option_number as a fraction */
    SCALAY_OPTION_GRID,   /* PxQ, each as a count, into two int64_t */
    SCALAY_OPTION_FLAG    /* no argument; an int becomes 1 */
} scalay_option_kind;

/** A row in the table of a subcommand's options. */
typedef struct {
    const char *name; /* without the dashes; NULL ends the table */
    scalay_option_kind kind;
    size_t place; /* offset in scalay_options */
    const char *argument;
    const char *help;
} scalay_option;

/** A subcommand. */
typedef struct {
    const char *name;
    const char *summary;          /* a line for `scalay --help` */
    const char *usage;            /* what follows the name */
    const char *description;      /* for `--help`; lines end with a newline */
    const char *example;          /* likewise */
    const char *operand;          /* its name, or NULL when there is none */
    const char *second_operand;   /* likewise */
    const scalay_option *options; /* --help is understood without a row */
    int needs_mpi;
    const char *const *mpi_options; /* without dashes, ended by NULL: those with which it needs MPI; NULL: none */
    scalay_status (*run)(const scalay_options *options, scalay_comm *comm); /* comm is NULL unless it needs MPI */
} scalay_command;

extern const scalay_command scalay_command_advise;
extern const scalay_command scalay_command_gemm;
extern const scalay_command scalay_command_map;
extern const scalay_command scalay_command_partition;
extern const scalay_command scalay_command_profile;
extern const scalay_command scalay_command_qr;
extern const scalay_command scalay_command_redistribute;
extern const scalay_command scalay_command_show;
extern const scalay_command scalay_command_workload;

/** The ways to move, for the subcommands that do. */
#define SCALAY_TRANSPORT_CHOICES "auto|shared|mpi|blacs|alltoallv"

/** How the rows that several subcommands share are written. */
#define SCALAY_OPTION_ROW(name, kind, member, argument, help)                                                          \
    {                                                                                                                  \
        name, kind, offsetof(scalay_options, member), argument, help                                                   \
    }

/**
 * Reads a command line. An option that is given twice is refused.
 * @param[in]     command  whose table says what is understood
 * @param[in]     argc     of argv
 * @param[in]     argv     argv[0] is the subcommand's name; reordered as getopt_long does
 * @param[in,out] options  defaults in, what was given out; points into argv
 * @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT (the message names the option and the remedy), SCALAY_ERROR_MEMORY
 */
scalay_status scalay_options_read(const scalay_command *command, int argc, char **argv, scalay_options *options);

/** Reads a finite decimal number that is not negative, up to one of `ends` (a string; the end of the text is always
 * one); returns what follows it, or NULL when there is none. */
const char *scalay_parse_number(const char *text, const char *ends, double *number);

/** Prints a subcommand's help. */
void scalay_command_print_help(const scalay_command *command, FILE *stream);

/** The index of the name most like a word, for hints; -1 when none is like it. names[count], NULL entries are skipped.
 */
int scalay_nearest_name(const char *word, const char *const *names, int count);

#endif
