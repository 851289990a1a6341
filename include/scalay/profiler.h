#ifndef SCALAY_PROFILER_H
#define SCALAY_PROFILER_H

/**
 * @file
 * Measuring profiles (profile.h): the execution time, and optionally the dynamic energy, of each processor at each
 * size.
 *
 * A processor is a rank with its threads. All ranks work on the same size at the same time, so that contention for
 * caches, memory and cores is included. A size is repeated until the mean of every rank is precise (scalay_measure(),
 * measure.h). scalay_profiler_run() measures a list of sizes, adds sizes next to jumps of a function, and rewrites a
 * file after each size. scalay_profile_read() reads this file. If a run ends early (signal, full disk, power failure),
 * the next run resumes from the file.
 *
 * The file is a profile with facts in lines that start with #: the kernel; the processors with their threads and
 * bindings; the meter; the statistics of each point; the reason of each hole. scalay_profile_record_read() returns
 * them. Ranks whose functions agree within the precision are merged into one group with a count.
 *
 * The kernel is one of the library, an external command, or a set of functions of the program.
 */

#include "scalay/context.h"
#include "scalay/measure.h"
#include "scalay/meter.h"
#include "scalay/profile.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---------------------------------------------------------------------------------------------------- kernels */

/**
 * A kernel. All functions get `data`. If a function returns another status than SCALAY_SUCCESS, the size becomes a hole
 * of the calling rank. The reason of the hole is scalay_error_message(), which scalay_error_set() sets. The other ranks
 * continue. A kernel must not communicate over the communicator of the profiler.
 */
typedef struct {
    const char *name; /**< such as "dgemm n=4096". A run resumes only from a file with the same name */
    scalay_status (*prepare)(void *data, int64_t size); /**< called before the first execution of a size; NULL: none */
    scalay_status (*run)(void *data, int64_t size);     /**< one execution; this is measured */
    void (*release)(void *data); /**< called after the last execution, also if prepare failed; NULL: none */
    double (*flops)(void *data, int64_t size); /**< operations of an execution; NULL: not known */
    double (*bytes)(void *data, int64_t size); /**< memory traffic of an execution; NULL: not known */
    void *data;                                /**< argument of all functions */
} scalay_profile_kernel;

/**
 * Creates a kernel of the library, or of an external command. Not collective.
 *
 * | text | an execution of size s |
 * |---|---|
 * | `dgemm:n=N` | C := A B + C with A of s x N and B of N x N |
 * | `dgemv:n=N` | y := A x with A of s x N |
 * | `fft:n=N,library=FILE` | complex 2D transform of s x N, by a library with FFTW 3's interface |
 * | `stencil:n=N` | a step of the heat equation on s bars of N points |
 * | `command:TEXT` | `/bin/sh -c TEXT`; %s is replaced by s, %% by a percent sign; standard output is discarded |
 *
 * The library of `fft` is loaded only if this kernel is created. FFTW has the GNU General Public License, and this
 * library does not contain or link it.
 * @param[in]  text     see above
 * @param[in]  timeout  time limit of a command in seconds; a command that exceeds it is killed, and fails; 0: no limit
 * @param[out] kernel   to be released with scalay_profile_kernel_destroy()
 * @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT, SCALAY_ERROR_UNSUPPORTED (the library of `fft` cannot be loaded),
 *         SCALAY_ERROR_MEMORY
 */
SCALAY_API scalay_status scalay_profile_kernel_create(const char *text, double timeout, scalay_profile_kernel **kernel);

/** Releases a kernel of scalay_profile_kernel_create() and sets the pointer to NULL. Not collective. NULL is allowed.
 */
SCALAY_API void scalay_profile_kernel_destroy(scalay_profile_kernel **kernel);

/* ----------------------------------------------------------------------------------------------------- measuring */

/** Progress of a run. */
typedef struct {
    int64_t size;   /**< next size to be measured */
    int64_t done;   /**< number of finished sizes, including those of the file */
    int64_t total;  /**< number of sizes known so far */
    double elapsed; /**< seconds since the start */
    double left;    /**< estimated seconds for the sizes known so far; negative: not known yet */
} scalay_profiler_step;

/** Callback before each size, on rank 0. */
typedef void (*scalay_profiler_progress)(const scalay_profiler_step *step, void *data);

/**
 * How to measure a profile; start from scalay_profiler_options_default(). The options of rank 0 are used, except meter,
 * static_power, threads and shared_meter, which belong to each rank.
 */
typedef struct {
    size_t size;                         /**< set by scalay_profiler_options_default() */
    int64_t first;                       /**< without a list: sizes first, first + step, ... up to last */
    int64_t last;                        /**< see first */
    int64_t step;                        /**< see first */
    int64_t sizes;                       /**< length of the list; 0 (default): no list */
    const int64_t *list;                 /**< shape [sizes]: at least 1, in any order */
    double refine;                       /**< a point is a jump if its time is off the line between its neighbours by
                                              more than this fraction. The middles of the intervals next to a jump are
                                              added. 0 (default): none are added */
    int64_t refine_step;                 /**< minimum distance of sizes that are added; 0 (default): a sixteenth of the
                                              smallest distance */
    const scalay_repeat_options *repeat; /**< repetitions of each size; static_power and independent are ignored; NULL
                                              (default): defaults */
    const char *path;                    /**< file, rewritten after each size; NULL (default): none */
    int restart;                         /**< 1: measure again all that the file has; 0 (default): resume */
    int no_groups;       /**< 1: one group per rank; 0 (default): ranks with the same function are merged */
    int threads;         /**< of BLAS and OpenMP on this rank; 0 (default): unchanged */
    scalay_meter *meter; /**< of this rank; either all ranks have one or none; NULL (default): time only */
    double static_power; /**< watts of this rank's meter that are not counted; negative on all ranks
                              (default): measured before the first size */
    int shared_meter;    /**< 1, on all ranks: the ranks of a host read one meter, see
                              scalay_profiler_run(); 0 (default): each rank has its own. No effect without
                              a meter and on modelled energies */
    scalay_profiler_progress progress; /**< NULL (default): none */
    void *progress_data;               /**< argument of progress */
} scalay_profiler_options;

/**
 * Sets options to their defaults: no sizes, no file, no meter. Not collective. C programs call
 * scalay_profiler_options_default().
 * @param[out] options  caller-owned
 * @param[in]  size     sizeof *options as the caller knows it, in bytes
 */
SCALAY_API void scalay_profiler_options_init(scalay_profiler_options *options, size_t size);

/** Returns default options. Not collective. */
static inline scalay_profiler_options scalay_profiler_options_default(void)
{
    scalay_profiler_options options;
    scalay_profiler_options_init(&options, sizeof options);
    return options;
}

/** All measured values and facts of a profile. */
typedef struct scalay_profile_record scalay_profile_record;

/**
 * Measures a profile. Collective over comm.
 *
 * With shared_meter, the ranks of a host are measured by the additive method of scalay_measure_additive(): first all at
 * once, which gives the times and the joint energy; then one after the other while the others sleep, which gives the
 * energy of each rank. A size takes one more measurement per rank. scalay_profile_record_additive() returns the
 * relative difference of joint energy and sum. Hosts are measured at the same time, one rank of each host, and joint
 * energies of the hosts are added.
 *
 * An interrupt (scalay_measure_interrupt()) ends the run without the current size. Earlier sizes are kept, and the
 * state of the record is SCALAY_PROFILE_INTERRUPTED.
 * @param[in]  comm     each rank is a processor; rank k is called pk
 * @param[in]  kernel   may differ between ranks, except its name
 * @param[in]  options  not NULL, because it has the sizes
 * @param[out] profile  the same on every rank, to be released with scalay_profile_destroy(). A rank without points has
 *                      no group. NULL: not wanted
 * @param[out] record   the same on every rank, to be released with scalay_profile_record_destroy(); NULL: not wanted
 * @return SCALAY_SUCCESS; SCALAY_ERROR_ARGUMENT; SCALAY_ERROR_MISMATCH (the ranks or the file have another kernel,
 * other processors or another meter; the message names the difference); SCALAY_ERROR_FORMAT (the file is not a record);
 * SCALAY_ERROR_FILE; SCALAY_ERROR_INFEASIBLE (no rank has a point); SCALAY_ERROR_MEMORY; SCALAY_ERROR_MPI; or the
 * status of the meter. After a failure the file keeps all finished sizes
 */
SCALAY_API scalay_status scalay_profiler_run(scalay_comm *comm, const scalay_profile_kernel *kernel,
                                             const scalay_profiler_options *options, scalay_profile **profile,
                                             scalay_profile_record **record);

/* ------------------------------------------------------------------------------------------------------ records */

/** State of a record. */
typedef enum {
    SCALAY_PROFILE_MEASURING,  /**< the run has not ended, or was killed */
    SCALAY_PROFILE_COMPLETE,   /**< all sizes were measured */
    SCALAY_PROFILE_INTERRUPTED /**< an interrupt ended the run */
} scalay_profile_state;

/** Facts of a whole record. Pointers are owned by the record. */
typedef struct {
    const char *kernel;                  /**< name of the kernel */
    const char *meter;                   /**< description of the meter; "none": times only */
    int modelled;                        /**< 1: the energies come from a model */
    int shared_meter;                    /**< 1: the energies were measured one rank after the other */
    int processors;                      /**< number of ranks */
    int64_t sizes;                       /**< number of sizes that were tried */
    scalay_profile_state state;          /**< state of the run */
    const scalay_repeat_options *repeat; /**< repetitions of each size */
} scalay_profile_facts;

/** A rank. The texts are owned by the record. */
typedef struct {
    const char *name;    /**< "p0" for rank 0 */
    const char *group;   /**< name of its group; "": it has no point */
    const char *host;    /**< name of its host */
    const char *binding; /**< hardware threads that it may run on, such as "0-3,8"; "": not known */
    int cores;           /**< number of cores of these hardware threads; 0: not known */
    int threads;         /**< threads of BLAS or OpenMP */
    double static_power; /**< watts that its energies do not include; 0 without a meter */
} scalay_profile_processor;

/** A size on a rank. The texts are owned by the record. */
typedef struct {
    int64_t size;              /**< in workload units */
    const char *hole;          /**< reason why there is no time; NULL: there is a time */
    double time;               /**< mean, in seconds */
    double time_half_width;    /**< half the confidence interval of the mean */
    double median;             /**< in seconds */
    double deviation;          /**< standard deviation, in seconds */
    double spread;             /**< distance of the quartiles, in seconds; NaN: in files of version 0.1 */
    double normality;          /**< p-value of Pearson's chi-squared test for a normal distribution; NaN: below 20
                                    repetitions */
    double energy;             /**< mean dynamic energy in joules; NaN: not known */
    double energy_half_width;  /**< half the confidence interval of the mean; NaN: not known */
    int64_t repetitions;       /**< number of repetitions that count */
    int64_t outliers;          /**< number of outliers among them */
    int precise;               /**< 0: the precision was not reached */
    const char *meter_failure; /**< reason why the meter failed; NULL: it did not fail, or there is none */
} scalay_profile_point;

/**
 * Reads the record from a file of scalay_profiler_run(). Not collective.
 * @param[in]  path    path of the file
 * @param[out] record  to be released with scalay_profile_record_destroy()
 * @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT, SCALAY_ERROR_FILE, SCALAY_ERROR_FORMAT (facts are missing or damaged;
 *         the message has the line), SCALAY_ERROR_MEMORY
 */
SCALAY_API scalay_status scalay_profile_record_read(const char *path, scalay_profile_record **record);

/** Releases a record and sets the pointer to NULL. Not collective. NULL is allowed. */
SCALAY_API void scalay_profile_record_destroy(scalay_profile_record **record);

/**
 * Returns the facts of a whole record. Not collective.
 * @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT
 */
SCALAY_API scalay_status scalay_profile_record_get(const scalay_profile_record *record, scalay_profile_facts *facts);

/**
 * Returns a rank of a record. Not collective.
 * @param[in]  record     a record
 * @param[in]  processor  0 <= processor < processors
 * @param[out] facts      caller-owned
 * @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT
 */
SCALAY_API scalay_status scalay_profile_record_processor(const scalay_profile_record *record, int processor,
                                                         scalay_profile_processor *facts);

/**
 * Returns a size on a rank. Not collective.
 * @param[in]  record     a record
 * @param[in]  processor  0 <= processor < processors
 * @param[in]  index      0 <= index < sizes; sizes ascend
 * @param[out] point      caller-owned
 * @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT
 */
SCALAY_API scalay_status scalay_profile_record_point(const scalay_profile_record *record, int processor, int64_t index,
                                                     scalay_profile_point *point);

/**
 * Returns whether the energies of ranks that share a meter are additive at a size. Not collective.
 * @param[in]  record       a record
 * @param[in]  index        0 <= index < sizes; sizes ascend
 * @param[out] difference   (joint - sum) / sum; joint is the energy of all ranks at once, sum that of the single ranks.
 *                          NaN: the meter was not shared, or failed
 * @param[out] uncertainty  of the difference, from the confidence intervals of all energies; NaN: not known
 * @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT
 */
SCALAY_API scalay_status scalay_profile_record_additive(const scalay_profile_record *record, int64_t index,
                                                        double *difference, double *uncertainty);

#ifdef __cplusplus
}
#endif

#endif
