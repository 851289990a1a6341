#ifndef SCALAY_MEASURE_H
#define SCALAY_MEASURE_H

/**
 * @file
 * Measurement of time and energy on all ranks, and of the machine's parameters.
 *
 * scalay_measure() repeats work until its mean is precise: until the confidence interval of Student's t is narrow
 * enough on every rank, or until a limit is reached. The sample says which. All ranks start each repetition together,
 * so that contention between ranks is included. No value is dropped: outliers are counted, and so are repetitions that
 * were measured again because a clock jumped. Energy comes from a meter (meter.h). Ranks that share a meter use
 * scalay_measure_additive().
 *
 * A scalay_machine (types.h) has the parameters of the models in model.h. scalay_machine_measure() measures them on all
 * ranks at once, so that shared cores, caches and links are included. scalay_machine_typical() (model.h) has default
 * parameters.
 *
 * Source: MeanUsingTtest and CalAccuracy of Lastovetsky, Reddy Manumachu (2017), appendix D; Khaleghzadeh, Reddy
 * Manumachu, Lastovetsky (2018, section 1 of the supplement; 2020, section 10). docs/measuring.md lists the
 * differences.
 */

#include "scalay/context.h"
#include "scalay/meter.h"
#include "scalay/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ----------------------------------------------------------------------------------------------- repetition */

/**
 * Executes the measured work once.
 * @param[in,out] data  argument of scalay_measure()
 * @return SCALAY_SUCCESS. Any other status ends the measurement on all ranks with this status. The message that the
 * work has set (scalay_error_set()) is kept.
 */
typedef scalay_status (*scalay_work)(void *data);

/** When to stop repeating; start from scalay_repeat_options_default(). The same on every rank, except static_power. */
typedef struct {
    size_t size;             /**< set by scalay_repeat_options_default() */
    int64_t warm_up;         /**< repetitions that do not count, at least 0, within max_seconds; default 1 */
    int64_t min_repetitions; /**< at least 1; default 5 */
    int64_t max_repetitions; /**< at least min_repetitions; default 1000 */
    double max_seconds;      /**< limit of the whole measurement, including warm-up and waiting; default 60 */
    double confidence;       /**< of the confidence interval, in (0, 1); default 0.95 */
    double precision;        /**< half the confidence interval over the mean, above 0; default 0.025 */
    double min_interval;     /**< seconds of a repetition. Shorter work is executed several times per repetition. 0
                                  (default): the maximum of 1000 steps of the clock, 20 steps of the meter, and 40 ms for
                                  each rank on a shared processor */
    double static_power;     /**< watts of this rank's meter that are not counted; default 0 */
    int independent;         /**< 1: the work of the ranks does not communicate, and each rank chooses its number of
                                  executions per repetition; 0 (default): all ranks have the same number */
} scalay_repeat_options;

/**
 * Sets options to their defaults. Not collective. C programs call scalay_repeat_options_default().
 * @param[out] options  caller-owned
 * @param[in]  size     sizeof *options as the caller knows it, in bytes
 */
SCALAY_API void scalay_repeat_options_init(scalay_repeat_options *options, size_t size);

/** Returns default options. Not collective. */
static inline scalay_repeat_options scalay_repeat_options_default(void)
{
    scalay_repeat_options options;
    scalay_repeat_options_init(&options, sizeof options);
    return options;
}

/** Statistics of a list of values, in the unit of the values. NaN: too few values. */
typedef struct {
    int64_t count;     /**< number of values */
    double mean;       /**< arithmetic mean */
    double median;     /**< median */
    double deviation;  /**< standard deviation, with count - 1 */
    double minimum;    /**< smallest value */
    double maximum;    /**< largest value */
    double quartile_1; /**< a quarter of the values is at most this */
    double quartile_3; /**< three quarters of the values are at most this; the spread is quartile_3 - quartile_1 */
    double half_width; /**< half the two-sided confidence interval of the mean, by Student's t with count - 1 degrees of
                            freedom */
    double normality;  /**< p-value of Pearson's chi-squared test for a normal distribution; NaN below 20 values */
    int64_t outliers;  /**< values more than 1.5 spreads outside the quartiles; they are counted, never dropped */
    int is_precise;    /**< 1: half_width is at most precision times |mean| */
} scalay_statistics;

/** Reason why a measurement ended. */
typedef enum {
    SCALAY_END_PRECISE = 0,     /**< the means of every rank are precise */
    SCALAY_END_REPETITIONS = 1, /**< max_repetitions */
    SCALAY_END_SECONDS = 2,     /**< max_seconds */
    SCALAY_END_INTERRUPTED = 3, /**< scalay_measure_interrupt(), or a signal, on some rank */
    SCALAY_END_FAILED = 4       /**< the work failed on some rank */
} scalay_repeat_end;

/** Measured values of one rank. */
typedef struct scalay_sample scalay_sample;

/**
 * Measures work on all ranks at the same time. Collective over comm.
 *
 * The ranks start each repetition together. A rank that has finished sleeps until all have finished. If no rank has a
 * meter and the work is independent, it continues to work instead, so that the machine stays equally busy. Bind ranks
 * before measuring if they share processors.
 * @param[in]     comm     the ranks
 * @param[in]     work     executed repeatedly; NULL: this rank only takes part
 * @param[in,out] data     argument of work
 * @param[in]     meter    of this rank; NULL: time only. If the meter fails, the energies end, and the measurement of
 *                         time continues
 * @param[in]     options  NULL: defaults
 * @param[out]    sample   to be released with scalay_sample_destroy(). Also returned if the work fails
 * @return SCALAY_SUCCESS (also if a limit or an interrupt ended the measurement), the status of work that failed, with
 *         rank and message on all ranks, SCALAY_ERROR_ARGUMENT, SCALAY_ERROR_MISMATCH (different options),
 *         SCALAY_ERROR_MEMORY, SCALAY_ERROR_UNSUPPORTED (a clock jumped in ten consecutive repetitions),
 *         SCALAY_ERROR_MPI
 */
SCALAY_API scalay_status scalay_measure(scalay_comm *comm, scalay_work work, void *data, scalay_meter *meter,
                                        const scalay_repeat_options *options, scalay_sample **sample);

/** Measured values and statistics of this rank. Arrays are owned by the sample. */
typedef struct {
    scalay_repeat_end end;      /**< the same on all ranks */
    scalay_status meter;        /**< status of reading the meter; SCALAY_SUCCESS without a meter */
    int is_modelled;            /**< 1: the energies come from a model */
    int64_t repetitions;        /**< number of times; 0 on a rank without work */
    int64_t energies;           /**< number of energies; less than repetitions if the meter failed */
    int64_t executions;         /**< executions of the work per repetition; values are per execution */
    int64_t clock_faults;       /**< repetitions measured again because a clock jumped on some rank */
    int64_t negative_energies;  /**< repetitions with less than the static energy */
    double seconds;             /**< duration of the whole measurement */
    double meter_seconds;       /**< mean duration of a reading of the meter; not part of the times */
    const double *time_value;   /**< shape [repetitions]: seconds of an execution, in the order of measurement */
    const double *energy_value; /**< shape [energies]: joules of an execution: readings of the meter minus static_power
                                     times the seconds between them */
    scalay_statistics time;     /**< of time_value, with the confidence and precision of the options */
    scalay_statistics energy;   /**< of energy_value; count 0 without a meter */
} scalay_sample_summary;

/**
 * Returns the values and statistics of a sample. Not collective.
 * @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT, SCALAY_ERROR_MEMORY
 */
SCALAY_API scalay_status scalay_sample_get_summary(const scalay_sample *sample, scalay_sample_summary *summary);

/**
 * Describes the sample of this rank: means, intervals, why the measurement ended, faults of clock and meter. Not
 * collective.
 * @param[in]  sample  NULL: ""
 * @param[out] text    shape [size]: NUL-terminated, truncated to fit; NULL is allowed if size is 0
 * @param[in]  size    in bytes
 * @return length of the whole text in bytes
 */
SCALAY_API int scalay_sample_describe(const scalay_sample *sample, char *text, size_t size);

/** Releases a sample and sets the pointer to NULL. Not collective. NULL is allowed. */
SCALAY_API void scalay_sample_destroy(scalay_sample **sample);

/**
 * Measures the power while all ranks sleep. Collective over comm.
 * @param[in]  comm     the ranks
 * @param[in]  meter    of this rank; NULL: this rank only sleeps
 * @param[in]  seconds  duration, above 0, at most a day, the same on every rank. Use several times the period of the
 *                      meter
 * @param[out] watts    of this rank's meter: energy / duration; the base power of a model; 0 without a meter
 * @return the same on all ranks: SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT, SCALAY_ERROR_UNSUPPORTED (the meter cannot be
 *         read, or its energy decreased), SCALAY_ERROR_MPI
 */
SCALAY_API scalay_status scalay_measure_static_power(scalay_comm *comm, scalay_meter *meter, double seconds,
                                                     double *watts);

/** Result of the additive method; the same on all ranks. */
typedef struct {
    double sum;         /**< joules: sum of the mean energies of all ranks, each measured while the others slept */
    double joint;       /**< joules: mean energy of one execution on all ranks at once */
    double difference;  /**< (joint - sum) / sum: 0 if the energies are additive; NaN if the sum is 0 */
    double uncertainty; /**< of the difference, from the confidence intervals of all means; NaN below 2 values */
    int experiments;    /**< number of measurements: one joint, and one for each rank with work */
} scalay_additive;

/**
 * Measures ranks that share one meter, by the additive method. Collective over comm.
 *
 * First all ranks work at once. This measurement gives the times, including contention, and the joint energy, which is
 * read by the lowest rank that has a meter. Then one rank after the other works while the others sleep. These
 * measurements give the energy of each rank. p ranks need p + 1 measurements instead of one for each of the 2^p - 1
 * sets of ranks. The assumption that the energies add up to the joint energy is checked.
 * @param[in]     comm      ranks that share the meter, for example those of a node
 * @param[in]     work      of this rank; it must not communicate; NULL: this rank only takes part
 * @param[in,out] data      argument of work
 * @param[in]     meter     of this rank, which reads the shared hardware; NULL: this rank has no energies. Modelled
 *                          meters belong to their rank, and are added
 * @param[in]     options   NULL: defaults. Set static_power, because the shared static power would otherwise be counted
 *                          once per rank
 * @param[out]    sample    as in scalay_measure(): times of the joint measurement, energies of this rank's own
 *                          measurement. `end` is the maximum of all measurements
 * @param[out]    additive  caller-owned; NaN without energies
 * @return as scalay_measure()
 * @par Source
 * Khaleghzadeh, Reddy Manumachu, Lastovetsky (2020), section 7.
 */
SCALAY_API scalay_status scalay_measure_additive(scalay_comm *comm, scalay_work work, void *data, scalay_meter *meter,
                                                 const scalay_repeat_options *options, scalay_sample **sample,
                                                 scalay_additive *additive);

/* ------------------------------------------------------------------------------------------------ interrupts */

/** Scope in which signals end measurements instead of the program. */
typedef struct scalay_interrupt_scope scalay_interrupt_scope;

/**
 * Ends the current or next measurement of this process between two repetitions, on all ranks, with the values so far.
 * Not collective. May be called from a signal handler.
 */
SCALAY_API void scalay_measure_interrupt(void);

/**
 * Makes SIGINT and SIGTERM call scalay_measure_interrupt(). Not collective. If a second signal arrives before the
 * measurement has ended, it is delivered to the previous handler. Scopes cannot be nested.
 * @param[out] scope  to be released with scalay_interrupt_end()
 * @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT (another scope is active), SCALAY_ERROR_MEMORY,
 * SCALAY_ERROR_UNSUPPORTED
 */
SCALAY_API scalay_status scalay_interrupt_begin(scalay_interrupt_scope **scope);

/** Restores the previous signal handlers, clears a pending interrupt, and sets the scope to NULL. Not collective. NULL
 *  is allowed. */
SCALAY_API void scalay_interrupt_end(scalay_interrupt_scope **scope);

/* ------------------------------------------------------------------------------------------------ the machine */

/**
 * Measures the rates of the machine. Collective over comm. Takes about two seconds.
 *
 * - Rates of BLAS and of copying: mean of the ranks, with all ranks active.
 * - Ranks that share cores: solo_time_ratio, ring_slowdown (a panel of 256 KiB is passed through all ranks before each
 *   piece of work) and concurrent_processes.
 * - Links: messages between rank k and rank k + P / 2, all pairs at once. A communicator of one rank sends to itself.
 *   The latency is that of the smallest message, or of a message of a sum over all ranks if that is larger.
 *
 * Each rate is measured repeatedly until half the 95% confidence interval of the mean is at most 2.5% of the mean, or
 * until its share of the time limit is over.
 * @param[in]  comm     the ranks to measure
 * @param[out] machine  caller-owned, the same on all ranks; every entry is positive
 * @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT, SCALAY_ERROR_MEMORY, SCALAY_ERROR_MPI
 */
SCALAY_API scalay_status scalay_machine_measure(scalay_comm *comm, scalay_machine *machine);

/**
 * Finds the ranks that share a core. scalay_advice_create() needs them if ranks are bound. Collective over comm.
 * @param[in]  comm  the ranks
 * @param[out] core  shape [size of comm], caller-owned, the same on every rank. For a rank that is bound to one
 *                   processor: the first rank that is bound to it. For any other rank: its own number
 * @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT, SCALAY_ERROR_MEMORY, SCALAY_ERROR_MPI
 */
SCALAY_API scalay_status scalay_machine_cores(scalay_comm *comm, int *core);

/* ---------------------------------------------------------------------------------------------- calibration */

/** File and age of a measured machine; start from scalay_calibration_options_default(). */
typedef struct {
    size_t size;            /**< set by scalay_calibration_options_default() */
    const char *path;       /**< of the file; NULL (default): scalay_calibration_path() */
    double max_age_seconds; /**< older files are stale, at least 0; default 30 days */
    int refresh;            /**< 1: measure even if the file is valid, and merge; default 0 */
    int anywhere;           /**< 1: accept another processor, BLAS, MPI, number of threads and binding; default 0 */
    double max_seconds;     /**< time limit of a measurement in seconds, above 0; default 2 */
} scalay_calibration_options;

/**
 * Sets options to their defaults. Not collective. C programs call scalay_calibration_options_default().
 * @param[out] options  caller-owned
 * @param[in]  size     of the caller's struct, in bytes
 */
SCALAY_API void scalay_calibration_options_init(scalay_calibration_options *options, size_t size);

/** Returns the default options. Not collective. */
static inline scalay_calibration_options scalay_calibration_options_default(void)
{
    scalay_calibration_options options;
    scalay_calibration_options_init(&options, sizeof options);
    return options;
}

/**
 * Returns the default file of a calibration on one node: scalay/machine-KEY-PROCESSES.txt in $XDG_CACHE_HOME, or in
 * ~/.cache. KEY is a fingerprint of the processor model, the BLAS library, its threads, and the MPI library. On several
 * nodes, the name is machine-KEY-PROCESSES-LAYOUT.txt. LAYOUT is a fingerprint of the numbers of ranks of the nodes.
 * Not collective.
 * @param[in]  processes  number of ranks
 * @param[out] text       caller-owned, terminated; NULL if size is 0
 * @param[in]  size       in bytes
 * @return the length of the whole text, as snprintf
 */
SCALAY_API int scalay_calibration_path(int processes, char *text, size_t size);

/**
 * Returns the rates of the machine from a file. If there is no file, or if it is stale, the machine is measured and the
 * file is written. Collective over comm.
 *
 * A file is stale if one of these differs: number of ranks, ranks per node and per core, processor model, BLAS library,
 * number of BLAS threads, MPI library, version of ScaLAY. It is also stale if it is too old. Rank 0 reads and writes
 * the file; it is replaced as a whole.
 *
 * Rates whose 95% confidence interval is wider than 10% each way, because the machine was busy for example, are
 * measured again by up to 8 calls. A measurement is merged with that of a valid file: a precise rate replaces the old
 * one, and of imprecise rates the mean over the measurements is kept.
 * @param[in]  comm     the ranks
 * @param[in]  options  NULL: defaults
 * @param[out] machine  caller-owned, the same on all ranks
 * @return as scalay_machine_measure(); SCALAY_ERROR_FORMAT (the file is not a calibration; it is not changed),
 *         SCALAY_ERROR_FILE (options->path cannot be written; for the default file, that is not an error)
 */
SCALAY_API scalay_status scalay_machine_calibrate(scalay_comm *comm, const scalay_calibration_options *options,
                                                  scalay_machine *machine);

/**
 * Reads a machine that was measured before, for planning without MPI. Not collective. The binding is not compared. The
 * default file is that of one node. If there is none, it is the newest file of so many ranks on several nodes.
 * @param[in]  processes  of the plan, at least 1. With options->path, 0 accepts any number of processes
 * @param[in]  options    NULL: defaults
 * @param[out] machine    caller-owned
 * @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT, SCALAY_ERROR_FILE (no such file), SCALAY_ERROR_FORMAT (not a
 *         calibration), SCALAY_ERROR_MISMATCH (stale; the message has the reason)
 */
SCALAY_API scalay_status scalay_machine_read(int processes, const scalay_calibration_options *options,
                                             scalay_machine *machine);

#ifdef __cplusplus
}
#endif

#endif
