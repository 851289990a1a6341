#ifndef SCALAY_CLI_JOB_H
#define SCALAY_CLI_JOB_H

/**
 * @file
 * Jobs under mpirun: a matrix file in its source layout, strategies to move and process it, and their report.
 *
 * Functions are collective over the communicator of the job, and all ranks return the same status, unless they say
 * otherwise.
 */

#include "io/plot.h"
#include "options.h"
#include "output.h"
#include "scalay/context.h"
#include "scalay/io.h"
#include "scalay/layout.h"
#include "scalay/mapping.h"
#include "scalay/measure.h"
#include "scalay/redist.h"

/* ------------------------------------------------------------------------------------------------- options */

/** Options of every job: a member of the option struct. */
typedef struct {
    const char *from;
    const char *type;
    const char *transport;
    const char *machine;
    int64_t repeat; /* 0: not given */
} scalay_job_options;

/** Their rows in an option table. */
#define SCALAY_TRANSPORT_ROW(options, member)                                                                          \
    SCALAY_CHOICE_ROW(options, member.transport, "transport", "NAME", SCALAY_TRANSPORT_CHOICES,                        \
                      "implementation of the data movement", "auto")
#define SCALAY_MACHINE_ROW(options, member)                                                                            \
    SCALAY_ROW(options, member.machine, SCALAY_OPTION_OUTPUT, "machine", "FILE",                                       \
               "read the rates of the machine from FILE; measure and store them if FILE is missing or stale",          \
               "in the cache, for this machine and number of processes")
#define SCALAY_REPEAT_ROW(options, member)                                                                             \
    SCALAY_ROW(options, member.repeat, SCALAY_OPTION_COUNT, "repeat", "N",                                             \
               "number of timed runs of each strategy; medians are reported", "3")

/* --------------------------------------------------------------------------------------------------- matrix */

/** A matrix file in its source layout. A zeroed job is empty. */
typedef struct {
    scalay_comm *comm; /* not owned */
    const char *path;  /* of the file */
    scalay_file_info file;
    scalay_type type; /* of the elements in memory */
    int64_t repeat;
    char *source_text;     /* LAYOUT of the source, with its extents */
    scalay_layout *source; /* NULL before scalay_job_load() */
    void *local;           /* the local array of the source */
} scalay_job;

/**
 * Inspects the matrix file and chooses the element type.
 * @param[in]  comm       the ranks
 * @param[in]  path       of the file
 * @param[in]  options    type and repeat
 * @param[in]  is_kernel  1: the default type is d, or z for a complex file; 0: it is the type of the file
 * @param[out] job        release with scalay_job_close(), also on failure
 */
scalay_status scalay_job_open(scalay_comm *comm, const char *path, const scalay_job_options *options, int is_kernel,
                              scalay_job *job);

/** Reads the rates of the machine from options->machine, or measures them. */
scalay_status scalay_job_find_machine(scalay_comm *comm, const scalay_job_options *options, scalay_machine *machine);

/** Reads the matrix into the layout `from`, its source. */
scalay_status scalay_job_load(scalay_job *job, const char *from);

/** Size of the text of the default source layout. */
#define SCALAY_SOURCE_SIZE 160

/**
 * Prints the default source layout: the skewed set with the blocks and the grid of the target. Its blocks are those of
 * the target, but half of them are on other processes than the target needs. Not collective.
 */
void scalay_job_default_source(int64_t mb, int64_t nb, int nprow, int npcol, char text[SCALAY_SOURCE_SIZE]);

/**
 * Reads a LAYOUT of the matrix, or of op of it, and checks its extents and its number of processes.
 * @param[in]  job     an open job
 * @param[in]  option  for messages, such as "--to"
 * @param[in]  text    the LAYOUT
 * @param[in]  op      SCALAY_NO_TRANSPOSE: of the matrix; otherwise of its transpose
 * @param[out] layout  release with scalay_layout_destroy()
 */
scalay_status scalay_job_read_layout(const scalay_job *job, const char *option, const char *text, scalay_op op,
                                     scalay_layout **layout);

/** Allocates a local array for a layout. Not collective. */
scalay_status scalay_job_new_local(const scalay_job *job, const scalay_layout *layout, void **local);

/** Checks the name of a matrix file to be written, and that it can be written. Not collective. NULL is allowed. */
scalay_status scalay_job_check_output(const char *option, const char *path);

/** Aborts all ranks with exit code 3 if `status` is a failure: for calls after which the other ranks would wait. Not
 *  collective. */
void scalay_job_abort_on_failure(const scalay_job *job, const char *subcommand, scalay_status status);

/** Computes the maximum of a number over all ranks. */
scalay_status scalay_job_maximum(const scalay_job *job, double mine, double *maximum);

/**
 * Compares a distributed matrix with the file, which is read directly into the layout.
 * @param[in]  job         an open job
 * @param[in]  layout      of op of the matrix; block-cyclic unless op is SCALAY_NO_TRANSPOSE
 * @param[in]  op          operation that was applied to the matrix of the file
 * @param[in]  local       the local array
 * @param[out] mismatches  elements that differ, summed over the ranks
 */
scalay_status scalay_job_compare_with_file(const scalay_job *job, const scalay_layout *layout, scalay_op op,
                                           const void *local, int64_t *mismatches);

/** Releases the memory of a job. Not collective. */
void scalay_job_close(scalay_job *job);

/* ----------------------------------------------------------------------------------------------- strategies */

/** Maximum number of strategies. */
#define SCALAY_MAX_STRATEGIES 8

/** A strategy and its costs. A zeroed strategy is empty. */
typedef struct {
    const char *name;
    scalay_objective objective; /* of its mapping */
    int grid[2];                /* 0: the target is not a grid */
    int64_t mb, nb;             /* 0: the target is an owner map without blocks */
    int64_t volume;
    int64_t steps;
    int64_t bytes;       /* sent by all ranks; -1: not known */
    int64_t extra_bytes; /* maximum memory of a rank besides the matrices; set with bytes */
    const char *map;     /* of the engine for factorisations; NULL: of others */
    double balance;      /* with map: trailing balance */
    int64_t messages;    /* with map: sent by all ranks in the kernel; `bytes` likewise */
    int parts;
    int *mapping;   /* shape [parts]: process of each part of the target */
    int64_t runs;   /* number of times below */
    double *move;   /* shape [runs], seconds */
    double *kernel; /* shape [runs], seconds */
    double predicted_seconds;
    double move_seconds;   /* median, set by scalay_strategy_finish() */
    double kernel_seconds; /* median, likewise */
} scalay_strategy;

/* None of the following functions is collective. */

/** Allocates the times of `repeat` runs. */
scalay_status scalay_strategy_start(scalay_strategy *strategy, int64_t repeat);

/** Sets the mapping: the process of each part of a mapped layout. */
scalay_status scalay_strategy_set_mapping(scalay_strategy *strategy, const scalay_layout *mapped);

/** Sets grid and blocks from a target layout. */
void scalay_strategy_set_target(scalay_strategy *strategy, const scalay_layout *target);

/** Adds the times of a run. */
void scalay_strategy_add(scalay_strategy *strategy, double move_seconds, double kernel_seconds);

/** Returns the percentage of the elements that change process. */
double scalay_strategy_moved(const scalay_job *job, const scalay_strategy *strategy);

/** Returns the median of an array, which is sorted in place; 0 for an empty array. */
double scalay_median(double *values, int64_t count);

/** Computes the medians of the times. */
void scalay_strategy_finish(scalay_strategy *strategy);

/** Releases the memory of a strategy. */
void scalay_strategy_free(scalay_strategy *strategy);

/** Prints the table of strategies. `kernel` is the heading of the kernel's column; NULL: no such column. */
scalay_status scalay_strategies_print(const scalay_job *job, const scalay_strategy *strategies, int count, int chosen,
                                      const char *kernel);

/** Returns the common part of the JSON documents of jobs; NULL if memory is exhausted. */
json_t *scalay_strategies_as_json(const scalay_job *job, const scalay_strategy *strategies, int count, int chosen);

/** Adds a panel with the times of the strategies to a picture. */
scalay_status scalay_strategies_plot(scalay_plot *plot, const scalay_strategy *strategies, int count, int chosen);

#endif
