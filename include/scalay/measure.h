#ifndef SCALAY_MEASURE_H
#define SCALAY_MEASURE_H

/**
 * @file
 * Measuring: how long, and with how many joules, a piece of work takes on every rank; and what the machine can do.
 *
 * scalay_measure() repeats work until its mean is known: until the confidence interval of Student's t is narrow
 * enough on every rank, or a limit is reached, and says which. All ranks begin each repetition together, so
 * that what they take from each other is in the numbers. Nothing is dropped: outliers are counted, and so is a
 * repetition that had to be measured again because the clock jumped. Energy comes from a meter (meter.h); ranks that
 * share one use scalay_measure_additive().
 *
 * A scalay_machine (types.h) holds the numbers that the models of model.h need. scalay_machine_measure() finds
 * them in about a second by running the operations themselves on all ranks at once, so that shared cores, caches and
 * links are in the numbers. Without a measurement scalay_machine_typical() (model.h) is a start.
 *
 * Source: MeanUsingTtest and CalAccuracy of Lastovetsky, Reddy Manumachu (2017), appendix D; Khaleghzadeh, Reddy
 * Manumachu, Lastovetsky (2018, section 1 of the supplement; 2020, section 10). What is different, and why:
 * docs/measuring.md.
 */

#include "scalay/context.h"
#include "scalay/meter.h"
#include "scalay/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ----------------------------------------------------------------------------------------------- repetition */

/** Seconds of a clock that never goes back, from some moment in the past. Not collective. */
SCALAY_API double scalay_clock(void);

/**
 * One execution of what is measured.
 * @param[in,out] data  as given to scalay_measure()
 * @return SCALAY_SUCCESS; anything else ends the measurement on all ranks with that status. The message that the work
 *         left (scalay_error_set()) is handed on.
 */
typedef scalay_status (*scalay_work)(void *data);

/** When to stop repeating; start from scalay_repeat_options_default(). The same on every rank, but for static_power. */
typedef struct {
    int64_t warm_up; /**< repetitions before the first one that counts, at least 0, as max_seconds allow; default 1 */
    int64_t min_repetitions; /**< before the precision is looked at, at least 1; default 5 */
    int64_t max_repetitions; /**< at least min_repetitions; default 1000 */
    double max_seconds;      /**< of the whole measurement, warm-up and waiting included; default 60 */
    double confidence;       /**< of the interval, between 0 and 1; default 0.95 */
    double precision;        /**< half the confidence interval over the mean, above 0; default 0.025 */
    double min_interval; /**< seconds; work that is shorter is executed several times in a repetition. 0, the default:
                              1000 steps of the clock, 20 of the meter, 40 ms for each rank on a shared processor */
    double static_power; /**< watts of this rank's meter that are not to be counted; default 0 */
    int independent;     /**< 1: the ranks' work does not communicate, and each rank chooses how many executions
                              make a repetition; 0, the default: the same number on all ranks */
} scalay_repeat_options;

/** The defaults above. Not collective. */
SCALAY_API scalay_repeat_options scalay_repeat_options_default(void);

/** What a sample tells, in the sample's unit. NaN where the sample is too small to tell. */
typedef struct {
    int64_t count;     /**< of the sample */
    double mean;       /**< arithmetic */
    double median;     /**< half of the sample is not larger */
    double deviation;  /**< standard deviation, with count - 1 */
    double least;      /**< smallest */
    double most;       /**< largest */
    double quartile_1; /**< a quarter of the sample is not larger */
    double quartile_3; /**< three quarters are not larger; the spread is quartile_3 - quartile_1 */
    double half_width; /**< half the two-sided confidence interval of the mean: Student's t, count - 1 degrees of
                          freedom */
    double normality;  /**< p-value of Pearson's chi-squared test against a normal distribution; NaN below 20 values */
    int64_t outliers;  /**< more than 1.5 spreads outside the quartiles; counted, never dropped */
    int is_precise;    /**< 1: half_width is at most precision times |mean| */
} scalay_statistics;

/**
 * The statistics of a sample. Not collective.
 * @param[in]  count       at least 0
 * @param[in]  value       shape [count]: finite
 * @param[in]  confidence  of the interval, between 0 and 1
 * @param[in]  precision   above 0
 * @param[out] statistics  caller-owned
 * @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT, SCALAY_ERROR_MEMORY
 */
SCALAY_API scalay_status scalay_statistics_of(int64_t count, const double *value, double confidence, double precision,
                                              scalay_statistics *statistics);

/** Why a measurement ended. */
typedef enum {
    SCALAY_END_PRECISE = 0,     /**< every rank knows its means as precisely as asked */
    SCALAY_END_REPETITIONS = 1, /**< max_repetitions */
    SCALAY_END_SECONDS = 2,     /**< max_seconds */
    SCALAY_END_INTERRUPTED = 3, /**< scalay_measure_interrupt(), or a signal, on some rank */
    SCALAY_END_FAILED = 4       /**< the work failed on some rank */
} scalay_repeat_end;

/** What was measured on a rank. */
typedef struct scalay_sample scalay_sample;

/**
 * Measures work on all ranks at the same time. Collective over comm.
 *
 * The ranks begin each repetition together. Those that are through wait asleep, not to disturb the others; or, where
 * nobody has a meter and the work is independent, go on with it, so that the others' times are not of a machine that
 * was less busy for a while. Ranks that share processors are really at work at the same time: bind them first.
 * @param[in]     comm     the ranks
 * @param[in]     work     executed again and again; NULL: this rank only takes part
 * @param[in,out] data     handed to work
 * @param[in]     meter    of this rank; NULL: time only. When it fails on the way, its energies end there and the
 *                         measurement of time goes on: scalay_sample_summary
 * @param[in]     options  NULL: the defaults
 * @param[out]    sample   to be released with scalay_sample_destroy(). Also given when the work fails, with what was
 *                         measured before
 * @return SCALAY_SUCCESS (also when a limit ended it, or an interrupt), the status of work that failed, with rank and
 *         reason on all ranks, SCALAY_ERROR_ARGUMENT, SCALAY_ERROR_MISMATCH (different options), SCALAY_ERROR_MEMORY,
 *         SCALAY_ERROR_UNSUPPORTED (the clock jumped in ten repetitions on end), SCALAY_ERROR_MPI
 */
SCALAY_API scalay_status scalay_measure(scalay_comm *comm, scalay_work work, void *data, scalay_meter *meter,
                                        const scalay_repeat_options *options, scalay_sample **sample);

/** How a measurement went on this rank. */
typedef struct {
    scalay_repeat_end end;     /**< the same on all ranks */
    scalay_status meter;       /**< what reading the meter came to; SCALAY_SUCCESS without a meter */
    int is_modelled;           /**< 1: the energies come from a model */
    int64_t repetitions;       /**< values of time; 0 on a rank without work */
    int64_t energies;          /**< values of energy; fewer when the meter failed */
    int64_t executions;        /**< of the work in each repetition: values are per execution */
    int64_t clock_faults;      /**< repetitions measured again because a clock jumped on some rank */
    int64_t negative_energies; /**< repetitions in which less than the static energy was read */
    double seconds;            /**< of the whole measurement */
    double meter_seconds;      /**< of a reading of the meter, on average; not part of the times */
} scalay_sample_summary;

/** How a measurement went. Not collective. @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT */
SCALAY_API scalay_status scalay_sample_get_summary(const scalay_sample *sample, scalay_sample_summary *summary);

/** Seconds of an execution, shape [repetitions], in the order of measurement; the sample's own. NULL for NULL. Not
 *  collective. */
SCALAY_API const double *scalay_sample_seconds(const scalay_sample *sample);

/** Joules of an execution, shape [energies]: what the meter counted less static_power times the time between the
 *  readings; the sample's own. NULL for NULL. Not collective. */
SCALAY_API const double *scalay_sample_joules(const scalay_sample *sample);

/** The statistics of the seconds, with the confidence and precision of the measurement. Not collective.
 *  @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT, SCALAY_ERROR_MEMORY */
SCALAY_API scalay_status scalay_sample_time(const scalay_sample *sample, scalay_statistics *statistics);

/** The statistics of the joules that were measured, likewise; a count of 0 without a meter. Not collective.
 *  @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT, SCALAY_ERROR_MEMORY */
SCALAY_API scalay_status scalay_sample_energy(const scalay_sample *sample, scalay_statistics *statistics);

/**
 * The measurement of this rank in words: means, intervals, why it ended, what happened to clock and meter. Not
 * collective.
 * @param[in]  sample  NULL: ""
 * @param[out] text    shape [size]: NUL-terminated, cut where it is full; may be NULL when size is 0
 * @param[in]  size    in bytes
 * @return the length of the whole text
 */
SCALAY_API int scalay_sample_describe(const scalay_sample *sample, char *text, size_t size);

/** Releases a sample and sets it to NULL; NULL is fine. Not collective. */
SCALAY_API void scalay_sample_destroy(scalay_sample **sample);

/**
 * The power that is drawn while all ranks sleep. Collective over comm.
 * @param[in]  comm     the ranks
 * @param[in]  meter    of this rank; NULL: it only sleeps
 * @param[in]  seconds  how long, the same on every rank
 * @param[out] watts    of this rank's meter; 0 without
 * @return as scalay_meter_static_power(), on all ranks alike, SCALAY_ERROR_MPI
 */
SCALAY_API scalay_status scalay_measure_static_power(scalay_comm *comm, scalay_meter *meter, double seconds,
                                                     double *watts);

/** What the additive method found; the same on all ranks. */
typedef struct {
    double sum;         /**< joules: the means of all ranks' energies, each measured while the others slept, added up */
    double joint;       /**< joules: the mean energy of one execution on all ranks at once */
    double difference;  /**< (joint - sum) / sum: 0 when the energies are additive; NaN when the sum is 0 */
    double uncertainty; /**< of the difference, from the confidence intervals of all means; NaN below 2 values of any */
    int experiments;    /**< measurements made: one for each rank with work, and the joint one */
} scalay_additive;

/**
 * Measures ranks that share one meter, by the additive method. Collective over comm, whose ranks are those that share.
 *
 * First all ranks work at once: that gives their times, with all that they take from each other, and the joint energy,
 * read by the lowest rank that has a meter. Then one after the other works while the rest sleeps: that gives
 * each rank's energy. p ranks take p + 1 measurements instead of one for each of the 2^p - 1 sets of ranks. The
 * hypothesis behind it, that the energies add up to the joint one, is checked. Work is done as often in each
 * measurement as the options say.
 * @param[in]     comm      the ranks that share the meter: those of a node, for instance
 * @param[in]     work      of this rank; it must not communicate; NULL: this rank only takes part
 * @param[in,out] data      handed to work
 * @param[in]     meter     of this rank: its own way to read what all share; NULL: this rank has no energies. Modelled
 *                          meters are each rank's own, and added up
 * @param[in]     options   NULL: the defaults; with the meter's static power, as what is shared would be counted once
 * for each rank otherwise
 * @param[out]    sample    as in scalay_measure(): the times of the joint measurement, the energies of this rank's own;
 * it ended as the one that ended worst
 * @param[out]    additive  caller-owned; NaN where there were no energies
 * @return as scalay_measure()
 * @par Source
 * Khaleghzadeh, Reddy Manumachu, Lastovetsky (2020), section 7.
 */
SCALAY_API scalay_status scalay_measure_additive(scalay_comm *comm, scalay_work work, void *data, scalay_meter *meter,
                                                 const scalay_repeat_options *options, scalay_sample **sample,
                                                 scalay_additive *additive);

/* ------------------------------------------------------------------------------------------------ interrupts */

/** From the beginning to the end of a scope, interrupts of this process end measurements, not the program. */
typedef struct scalay_interrupt_scope scalay_interrupt_scope;

/**
 * Lets the measurement that is under way on this process, or the next one, end between two repetitions, on all ranks,
 * with what was measured. Not collective; may be called from a signal handler.
 */
SCALAY_API void scalay_measure_interrupt(void);

/**
 * Lets SIGINT and SIGTERM call scalay_measure_interrupt() from now on. Not collective. A second signal before a
 * measurement has obeyed the first goes where it would have gone without the scope. Scopes do not nest.
 * @param[out] scope  to be ended with scalay_interrupt_end()
 * @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT (there is a scope), SCALAY_ERROR_MEMORY, SCALAY_ERROR_UNSUPPORTED
 */
SCALAY_API scalay_status scalay_interrupt_begin(scalay_interrupt_scope **scope);

/** Restores the handlers that were there before, forgets an interrupt that no measurement has obeyed, and sets the
 * scope to NULL; NULL is fine. Not collective. */
SCALAY_API void scalay_interrupt_end(scalay_interrupt_scope **scope);

/* ------------------------------------------------------------------------------------------------ the machine */

/**
 * Measures the machine. Collective over comm; all ranks work for about a second and get the same numbers.
 *
 * The rates of BLAS and of copying are those of the mean rank while all are at work. For ranks that share cores three
 * numbers more are found: how many run at once, how much faster one is while the others wait, and how much longer all
 * take when a panel of 256 KiB goes round all ranks, another one first each time, before each piece of work. Messages
 * go to and fro between rank k and rank k + P / 2, all pairs at once; the smallest message tells the latency, or a sum
 * over all ranks when it takes longer for each of its 2 log2(P) messages; the line through the times of several sizes
 * tells the time per byte: medians over the rounds and means over the pairs. A communicator of one rank sends to
 * itself.
 * @param[in]  comm     the ranks to measure
 * @param[out] machine  caller-owned; every entry is positive
 * @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT, SCALAY_ERROR_MEMORY, SCALAY_ERROR_MPI
 */
SCALAY_API scalay_status scalay_machine_measure(scalay_comm *comm, scalay_machine *machine);

/**
 * Which ranks have to share a core: what scalay_advice_create() needs to know of ranks that are bound. Collective over
 * comm.
 * @param[in]  comm  the ranks
 * @param[out] core  shape [size of comm], caller-owned, the same on every rank: the first rank that is bound to the
 *                   same single processor of the same node; of a rank that may run on several, its own number
 * @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT, SCALAY_ERROR_MEMORY, SCALAY_ERROR_MPI
 */
SCALAY_API scalay_status scalay_machine_cores(scalay_comm *comm, int *core);

/* ---------------------------------------------------------------------------------------------- calibration */

/** Which file keeps a measured machine, and when it is too old; start from scalay_calibration_options_default(). */
typedef struct {
    const char *path;       /**< of the file; NULL: scalay_calibration_path() */
    double max_age_seconds; /**< older ones are stale; default 30 days */
    int refresh;            /**< non-zero: measure even when the file would do */
    int anywhere;           /**< non-zero: host, BLAS, threads and binding may be others */
} scalay_calibration_options;

/** Options that suit most callers. */
SCALAY_API scalay_calibration_options scalay_calibration_options_default(void);

/**
 * Where measurements are kept unless the caller says: scalay/machine-HOST-PROCESSES.txt in $XDG_CACHE_HOME, or in
 * ~/.cache. Not collective.
 * @param[in]  processes  number of ranks
 * @param[out] text       caller-owned, terminated; NULL when size is 0
 * @param[in]  size       in bytes
 * @return the length of the whole text, as snprintf
 */
SCALAY_API int scalay_calibration_path(int processes, char *text, size_t size);

/**
 * The machine at hand, from a file when it holds one that is not stale, otherwise measured and written to it.
 * Collective over comm; all ranks get the same numbers. Stale is a measurement with another number of ranks, on other
 * hosts or cores, with another BLAS or number of its threads, by another version of the library, from the future, or
 * one that is too old. The file appears whole or not at all; rank 0 reads and writes it.
 * @param[in]  comm     the ranks
 * @param[in]  options  NULL: the default
 * @param[out] machine  caller-owned
 * @return as scalay_machine_measure(); SCALAY_ERROR_FORMAT (the file is no calibration; it is left alone),
 *         SCALAY_ERROR_FILE (it cannot be written)
 */
SCALAY_API scalay_status scalay_machine_calibrate(scalay_comm *comm, const scalay_calibration_options *options,
                                                  scalay_machine *machine);

/**
 * A machine that was measured before, for planning without MPI. Not collective. The binding is not compared.
 * @param[in]  processes  that are planned for, at least 1; with a path, 0 takes a machine measured with any number
 * @param[in]  options    NULL: the default
 * @param[out] machine    caller-owned
 * @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT, SCALAY_ERROR_FILE (there is none), SCALAY_ERROR_FORMAT (it is no
 *         calibration), SCALAY_ERROR_MISMATCH (it is stale: the message says why)
 */
SCALAY_API scalay_status scalay_machine_read(int processes, const scalay_calibration_options *options,
                                             scalay_machine *machine);

#ifdef __cplusplus
}
#endif

#endif
