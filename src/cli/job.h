#ifndef SCALAY_CLI_JOB_H
#define SCALAY_CLI_JOB_H

/** @file What the subcommands under mpirun have in common: a matrix file in a source layout, on all ranks. */

#include "options.h"
#include "scalay/context.h"
#include "scalay/io.h"
#include "scalay/layout.h"
#include "scalay/measure.h"
#include "scalay/redist.h"

/** The row of --machine in the options of a subcommand under mpirun. */
#define SCALAY_MACHINE_ROW                                                                                             \
    SCALAY_OPTION_ROW("machine", SCALAY_OPTION_TEXT, machine, "FILE",                                                  \
                      "predicts with the machine's numbers in FILE; where there are none, or stale ones, they are "    \
                      "measured and kept there (default: measured each time)")

/** A matrix on its processes. Zeroed, it is nothing. */
typedef struct {
    scalay_comm *comm;     /* not owned */
    const char *path;      /* of the file */
    scalay_file_info file; /* what the file says */
    scalay_type type;      /* of the elements in memory */
    int64_t repeat;
    char *source_text;     /* LAYOUT of the source, with its extents; owned */
    scalay_layout *source; /* where the matrix is put */
    void *a;               /* its local part there */
} scalay_job;

/**
 * Inspects the file and settles the type. Collective; the ranks agree.
 * @param[in]  comm     the ranks
 * @param[in]  options  operand, type, repeat
 * @param[in]  kernel   non-zero: type defaults to d, or z for a complex file; zero: to the file's own
 * @param[out] job      to be released with scalay_job_close(), also on failure
 */
scalay_status scalay_job_open(scalay_comm *comm, const scalay_options *options, int kernel, scalay_job *job);

/**
 * What predictions are made with: the numbers in the file of --machine, or measured ones, which are kept there when it
 * has none, or stale ones. Collective; the ranks agree.
 * @param[in]  comm     the ranks
 * @param[in]  options  machine
 * @param[out] machine  the numbers
 */
scalay_status scalay_job_find_machine(scalay_comm *comm, const scalay_options *options, scalay_machine *machine);

/**
 * Reads the matrix into its source layout. Collective; the ranks agree.
 * @param[in,out] job   an open job
 * @param[in]     from  LAYOUT
 */
scalay_status scalay_job_place(scalay_job *job, const char *from);

/** A default for --from has room in this many bytes. */
#define SCALAY_SOURCE_SIZE 160

/**
 * The source for when the user names none: the skewed set over blocks and grid of the target, that is, data that is
 * already cut as the target wants it but sits on the wrong processes: shifted by one, and half of it anywhere.
 */
void scalay_job_default_source(int64_t mb, int64_t nb, int nprow, int npcol, char text[SCALAY_SOURCE_SIZE]);

/**
 * Reads a LAYOUT argument on all ranks and checks that they are enough for it. Collective.
 * @param[in]  op  of what the layout is: of the matrix in the file or of its transpose
 */
scalay_status scalay_job_layout(const scalay_job *job, const char *option, const char *text, scalay_op op,
                                scalay_layout **layout);

/** A local array for a layout. Not collective: agree on the status. */
scalay_status scalay_job_new_local(const scalay_job *job, const scalay_layout *layout, void **local);

/** SCALAY_ERROR_ARGUMENT when a matrix cannot be written under a name, before any work; NULL is fine. */
scalay_status scalay_job_check_output(const char *option, const char *path);

/**
 * Ends the job when a rank fails where the others may be waiting for it: prints the message and aborts all of them
 * with exit code 3. Does nothing for SCALAY_SUCCESS.
 */
void scalay_job_must(const scalay_job *job, const char *subcommand, scalay_status status);

/** The larger of a number over all ranks. Collective. */
scalay_status scalay_job_maximum(const scalay_job *job, double mine, double *maximum);

/** Releases what a job holds. */
void scalay_job_close(scalay_job *job);

#endif
