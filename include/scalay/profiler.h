#ifndef SCALAY_PROFILER_H
#define SCALAY_PROFILER_H

/**
 * @file
 * Building profiles (profile.h): how long every processor takes for every size, measured.
 *
 * A rank with its threads is one processor. All of them work on the same size at the same time, so that what they share
 * (caches, memory, cores) is in the numbers; a size is repeated until every one of them is known precisely
 * (scalay_measure(), measure.h). scalay_profiler_run() goes through a list of sizes, adds others where a function
 * jumps, and keeps a file that scalay_profile_read() can read after each of them. Whatever ends a run (a signal, a full
 * disk, power), the next one goes on with what the file holds.
 *
 * The file is a profile with facts in lines that start with #: the kernel, the processors with their threads and the
 * cores that they are bound to, the meter and whether its joules are modelled, each point with its statistics, and each
 * hole with its reason. scalay_profile_record_read() gives them back. Ranks whose functions are the same within the
 * precision become one group with a count; the facts say which ranks they are.
 *
 * What is measured is a kernel: one of the library's, an external command, or the program's own.
 */

#include "scalay/context.h"
#include "scalay/measure.h"
#include "scalay/meter.h"
#include "scalay/profile.h"

#ifdef __cplusplus
extern "C" {
#endif

/* -------------------------------------------------------------------------------------------- what is measured */

/**
 * A kernel; what it is called with is `data`. A status other than SCALAY_SUCCESS makes the size a hole of the calling
 * rank's profile, and scalay_error_message() (set it with scalay_error_set()) its reason; the others go on. Nothing
 * in a kernel may communicate over the profiler's communicator.
 */
typedef struct {
    const char *name; /**< what it is, such as "dgemm n=4096": a run goes on only with what was measured of the same */
    scalay_status (*prepare)(void *data, int64_t size); /**< before the first execution of a size; NULL: nothing */
    scalay_status (*run)(void *data, int64_t size);     /**< one execution, which is what is timed */
    void (*release)(void *data);                        /**< after the last one, also when prepare failed; or NULL */
    double (*flops)(void *data, int64_t size);          /**< operations of an execution; NULL: not known */
    double (*bytes)(void *data, int64_t size);          /**< memory traffic of an execution; NULL: not known */
    void *data;                                         /**< handed to all of them */
} scalay_profile_kernel;

/**
 * A kernel of the library, or an external command. Not collective.
 *
 * | text | an execution of size s |
 * |---|---|
 * | `dgemm:n=N` | C := A B + C with A of s x N and B of N x N |
 * | `dgemv:n=N` | y := A x with A of s x N |
 * | `fft:n=N,library=FILE` | the complex 2D transform of s x N, by a library with FFTW 3's interface |
 * | `stencil:n=N` | a step of the heat equation on s bars of N points |
 * | `command:TEXT` | `/bin/sh -c TEXT`, in which %s is s and %% a percent sign; its standard output is dropped |
 *
 * The library of `fft` is loaded when it is asked for and never before: FFTW is free under the GNU General Public
 * License, which this library is not.
 * @param[in]  text     see above
 * @param[in]  timeout  seconds after which a command is ended, and has failed; 0: never
 * @param[out] kernel   to be released with scalay_profile_kernel_destroy()
 * @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT, SCALAY_ERROR_UNSUPPORTED (no such library for `fft`),
 *         SCALAY_ERROR_MEMORY
 */
SCALAY_API scalay_status scalay_profile_kernel_create(const char *text, double timeout, scalay_profile_kernel **kernel);

/** Releases a kernel of scalay_profile_kernel_create() and sets it to NULL; NULL is fine. Not collective. */
SCALAY_API void scalay_profile_kernel_destroy(scalay_profile_kernel **kernel);

/* ----------------------------------------------------------------------------------------------------- measuring */

/** How far a run has come. */
typedef struct {
    int64_t size;   /**< about to be measured */
    int64_t done;   /**< sizes that are finished, those of the file included */
    int64_t total;  /**< sizes as far as they are known now */
    double elapsed; /**< seconds since the start */
    double left;    /**< seconds that the sizes known now may take; negative: not known yet */
} scalay_profiler_step;

/** Told before each size, on rank 0. */
typedef void (*scalay_profiler_progress)(const scalay_profiler_step *step, void *data);

/**
 * How to build a profile; start from scalay_profiler_options_default(). Rank 0's count, but for meter, static_power,
 * threads and shared_meter, which are each rank's own.
 */
typedef struct {
    int64_t first;                     /**< sizes first, first + step, ... up to last, when there is no list */
    int64_t last;                      /**< see first */
    int64_t step;                      /**< see first */
    int64_t sizes;                     /**< length of the list; 0: none */
    const int64_t *size;               /**< shape [sizes]: at least 1, in any order */
    double refine;                     /**< adds sizes where a time is off the line between its neighbours by more than
                                            this fraction of it, in the middle to either side; 0 (default): does not */
    int64_t refine_step;               /**< no closer than this; 0 (default): a sixteenth of the smallest distance */
    scalay_repeat_options repeat;      /**< how often each size is executed; its static_power and independent are set
                                            by the run */
    const char *path;                  /**< the file, rewritten as a whole after each size; NULL (default): none */
    int restart;                       /**< non-zero: what the file holds is measured again; 0 (default): goes on */
    int no_groups;                     /**< non-zero: a group for each rank; 0 (default): identical ones are merged */
    int threads;                       /**< that BLAS and OpenMP should use on this rank; 0 (default): leaves them */
    scalay_meter *meter;               /**< of this rank, with one on all ranks or none; NULL (default): time only */
    double static_power;               /**< watts of this rank's meter when idle, not counted; negative on all ranks
                                            (default): measured before the first size */
    int shared_meter;                  /**< non-zero, on all ranks: those of a host read one meter, see
                                            scalay_profiler_run(); 0 (default): each rank has its own. Without effect
                                            on times only, and on modelled joules, which are each rank's own in any
                                            case */
    scalay_profiler_progress progress; /**< NULL (default): nobody is told */
    void *progress_data;               /**< handed to it */
} scalay_profiler_options;

/** No sizes, no file, no meter; everything else as said above. Not collective. */
SCALAY_API scalay_profiler_options scalay_profiler_options_default(void);

/** What a measured profile knows besides its functions. */
typedef struct scalay_profile_record scalay_profile_record;

/**
 * Builds a profile. Collective.
 *
 * Ranks that read one meter (shared_meter) are measured by the additive method of scalay_measure_additive(): first all
 * of them at once, which gives their times, as otherwise, and their joint energy; then one after the other while the
 * rest sleep, which gives each rank's energy. A size takes a measurement more for each rank. What the joint energy
 * differs from the sum by is kept for each size: scalay_profile_record_additive(). Each host has a meter of its own:
 * ranks of several hosts take their turns at the same time, one of each host, and joint energies are added up.
 *
 * An interruption (scalay_measure_interrupt()) ends the run after the size at hand is given up: the sizes before it are
 * kept, and the record says so.
 * @param[in]  comm     each rank is a processor; it is called p0, p1, ... after its rank
 * @param[in]  kernel   may differ between ranks, but for its name
 * @param[in]  options  not NULL: it says the sizes
 * @param[out] profile  the same on every rank, to be released with scalay_profile_destroy(). A rank without any point
 * has no group. NULL: not wanted
 * @param[out] record   the same on every rank, to be released with scalay_profile_record_destroy(); NULL: not wanted
 * @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT, SCALAY_ERROR_MISMATCH (the file holds another kernel, other
 *         processors, another meter, or joules of a meter that was shared and now is not: the message says which; or
 *         the ranks differ in what they must agree on), SCALAY_ERROR_FORMAT (it holds something else),
 * SCALAY_ERROR_FILE, SCALAY_ERROR_INFEASIBLE (no rank has any point: the kernel failed everywhere, or it was
 * interrupted before), SCALAY_ERROR_MEMORY, SCALAY_ERROR_MPI, or what the meter fails with; what the file holds stays
 */
SCALAY_API scalay_status scalay_profiler_run(scalay_comm *comm, const scalay_profile_kernel *kernel,
                                             const scalay_profiler_options *options, scalay_profile **profile,
                                             scalay_profile_record **record);

/* -------------------------------------------------------------------------------------------------- what is known */

/** How far a record goes. */
typedef enum {
    SCALAY_PROFILE_MEASURING,  /**< the run has not ended, or was killed */
    SCALAY_PROFILE_COMPLETE,   /**< all sizes were measured */
    SCALAY_PROFILE_INTERRUPTED /**< it was asked to end before */
} scalay_profile_state;

/** What holds for all of a record; the texts are the record's. */
typedef struct {
    const char *kernel;           /**< its name */
    const char *meter;            /**< what joules come from; "none": times only */
    int modelled;                 /**< non-zero: the joules are computed, not measured */
    int shared_meter;             /**< non-zero: the joules were measured one rank after the other */
    int processors;               /**< ranks */
    int64_t sizes;                /**< that were tried, on every processor */
    scalay_profile_state state;   /**< how far it goes */
    scalay_repeat_options repeat; /**< how often each size was executed */
} scalay_profile_facts;

/** A rank; the texts are the record's. */
typedef struct {
    const char *name;    /**< "p0" for rank 0 */
    const char *group;   /**< the name of its group; "": it has no point */
    const char *host;    /**< the machine it runs on */
    const char *binding; /**< numbers of the hardware threads that it may run on, such as "0-3,8"; "": not known */
    int cores;           /**< that these belong to; 0: not known */
    int threads;         /**< of BLAS or OpenMP */
    double static_power; /**< watts that its joules do not count; 0 without a meter */
} scalay_profile_processor;

/** A size on a processor; the texts are the record's. */
typedef struct {
    int64_t size;              /**< in workload units */
    const char *hole;          /**< why there is no time; NULL: there is one */
    double time;               /**< mean, in seconds */
    double time_half_width;    /**< of its confidence interval */
    double median;             /**< in seconds */
    double deviation;          /**< standard deviation */
    double spread;             /**< distance of the quartiles, in seconds; NaN: a file from before this was kept */
    double normality;          /**< p-value of Pearson's chi-squared test against a normal distribution; NaN: below 20
                                  repetitions */
    double energy;             /**< mean dynamic energy in joules; NaN: not known */
    double energy_half_width;  /**< of its confidence interval; NaN: not known */
    int64_t repetitions;       /**< that count, each of one execution or more */
    int64_t outliers;          /**< among them; they count */
    int precise;               /**< zero: the precision was not met */
    const char *meter_failure; /**< why the meter could not be read; NULL: it could, or there is none */
} scalay_profile_point;

/**
 * Reads the facts of a file that scalay_profiler_run() has written. Not collective.
 * @param[in]  path    the file
 * @param[out] record  to be released with scalay_profile_record_destroy()
 * @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT, SCALAY_ERROR_FILE, SCALAY_ERROR_FORMAT (it has no such facts, or
 *         damaged ones: the message has the line), SCALAY_ERROR_MEMORY
 */
SCALAY_API scalay_status scalay_profile_record_read(const char *path, scalay_profile_record **record);

/** Releases a record and sets it to NULL; NULL is fine. Not collective. */
SCALAY_API void scalay_profile_record_destroy(scalay_profile_record **record);

/**
 * What holds for all of a record. Not collective.
 * @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT
 */
SCALAY_API scalay_status scalay_profile_record_get(const scalay_profile_record *record, scalay_profile_facts *facts);

/**
 * A rank. Not collective.
 * @param[in]  record     a record
 * @param[in]  processor  0 <= processor < processors
 * @param[out] facts      caller-owned
 * @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT
 */
SCALAY_API scalay_status scalay_profile_record_processor(const scalay_profile_record *record, int processor,
                                                         scalay_profile_processor *facts);

/**
 * A size on a rank. Not collective.
 * @param[in]  record     a record
 * @param[in]  processor  0 <= processor < processors
 * @param[in]  index      0 <= index < sizes; sizes ascend
 * @param[out] point      caller-owned
 * @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT
 */
SCALAY_API scalay_status scalay_profile_record_point(const scalay_profile_record *record, int processor, int64_t index,
                                                     scalay_profile_point *point);

/**
 * Whether the joules of ranks that share a meter add up at a size. Not collective.
 * @param[in]  record       a record
 * @param[in]  index        0 <= index < sizes; sizes ascend
 * @param[out] difference   (joint - sum) / sum, of the energy of all ranks at once and the sum of those measured one
 *                          after the other: 0 when they are additive; NaN when the meter was not shared, or was gone
 * @param[out] uncertainty  of the difference, from the confidence intervals of all energies; NaN: not known
 * @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT
 */
SCALAY_API scalay_status scalay_profile_record_additive(const scalay_profile_record *record, int64_t index,
                                                        double *difference, double *uncertainty);

#ifdef __cplusplus
}
#endif

#endif
