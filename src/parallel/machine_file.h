#ifndef SCALAY_PARALLEL_MACHINE_FILE_H
#define SCALAY_PARALLEL_MACHINE_FILE_H

/** @file A measured machine: its rates, the conditions under which they are valid, and its file. */

#include "parallel/comm.h"
#include "scalay/types.h"

/** Rates of a scalay_machine that are measured one by one. */
enum {
    SCALAY_RATE_FLOP,
    SCALAY_RATE_FLOP_VECTOR,
    SCALAY_RATE_BYTE_COPIED,
    SCALAY_RATE_BYTE,
    SCALAY_RATE_MESSAGE,
    SCALAY_RATE_BYTE_WITHIN,
    SCALAY_RATE_MESSAGE_WITHIN,
    SCALAY_RATE_LARGE_MESSAGE,
    SCALAY_RATE_BYTE_ALONE,
    SCALAY_RATE_CALL,
    SCALAY_RATES
};

/** How ranks use the cores of a host: a machine with a kernel of its own, which can have several nodes of MPI, such as
 *  containers. The numbers of different hosts are reduced one by one. */
typedef struct {
    int64_t ranks;        /* of the host with the most ranks per core; 0: unknown */
    int64_t cores;        /* of this host, that its ranks may use */
    int64_t threads;      /* most BLAS threads of the ranks of a host with enough cores for its ranks */
    int64_t thread_cores; /* cores of this host */
    int64_t crowded;      /* most ranks of a host that share a core while another core is idle */
    int64_t narrow;       /* ranks that may use fewer cores than their BLAS has threads */
    int64_t shared;       /* most nodes of MPI on a host */
} scalay_core_use;

/** A measured machine, and how well it was measured. */
typedef struct {
    scalay_machine machine;
    double spread[SCALAY_RATES]; /* half the 95% confidence interval of the mean, over the mean */
    double gemm_spread[SCALAY_GEMM_CURVE], vector_spread[SCALAY_VECTOR_CURVE], copy_spread[SCALAY_COPY_CURVE];
    double swap_spread[SCALAY_SWAP_CURVE];
    double busy;          /* largest fraction of a processor that a computing rank did not get; 0: quiet */
    double variation;     /* slowest over fastest take of a rate, minus 1; the largest of all rates */
    double seconds;       /* duration of all measurements */
    int64_t measurements; /* number of measurements that were merged */
    scalay_core_use core_use;
} scalay_machine_sample;

/** All rates that have a spread. */
enum {
    SCALAY_SAMPLE_RATES = SCALAY_RATES + SCALAY_GEMM_CURVE + SCALAY_VECTOR_CURVE + SCALAY_COPY_CURVE + SCALAY_SWAP_CURVE
};

/** A rate of a sample and its spread. */
typedef struct {
    double *seconds, *spread;
} scalay_sample_rate;

/** Lists the rates of a sample, in an order that is the same for all samples. */
void scalay_machine_sample_list_rates(scalay_machine_sample *sample, scalay_sample_rate rate[SCALAY_SAMPLE_RATES]);

/** A rate with a larger spread is imprecise. */
#define SCALAY_IMPRECISE 0.1

/** Returns the largest spread of a rate. */
double scalay_machine_sample_spread(const scalay_machine_sample *sample);

/**
 * Merges an older measurement under the same conditions into a new one, rate by rate. A new rate that is precise
 * replaces the old one, and a new rate that is imprecise does not replace a precise one. Of imprecise rates the mean
 * over the measurements counts, and the faster one of those of types of nodes.
 */
void scalay_machine_sample_merge(const scalay_machine_sample *old, scalay_machine_sample *sample);

/** Makes the curve of dgemm monotone: a product is not slower if its smallest extent is larger. */
void scalay_machine_sample_smooth(scalay_machine_sample *sample);

/** Size of a text, including the NUL. */
enum { SCALAY_CALIBRATION_TEXT = 512 };

/** A type of nodes. */
typedef struct {
    char cpu[SCALAY_CALIBRATION_TEXT];
    char blas[SCALAY_CALIBRATION_TEXT];
    int64_t cores; /* logical processors */
    int64_t threads;
    int64_t nodes; /* number of nodes */
} scalay_node_type;

/** A measurement and its conditions. */
typedef struct {
    char host[SCALAY_CALIBRATION_TEXT];    /* of rank 0 */
    char cpu[SCALAY_CALIBRATION_TEXT];     /* model of rank 0's processor; "unknown" */
    char blas[SCALAY_CALIBRATION_TEXT];    /* file of dgemm; "unknown" */
    char mpi[SCALAY_CALIBRATION_TEXT];     /* version of the MPI library */
    char library[SCALAY_CALIBRATION_TEXT]; /* version of ScaLAY */
    int64_t processes;
    int64_t binding; /* fingerprint of the nodes and of the cores that the ranks share; 0: unknown */
    int64_t layout;  /* scalay_calibration_layout() of the nodes; it is in the name of the file, and not in the file */
    int64_t threads; /* of a BLAS call; 0: unknown */
    int64_t written; /* seconds since 1970 */
    scalay_node_type type[SCALAY_NODE_TYPES]; /* of rank 0; sample.machine.node_types of them */
    scalay_machine_sample sample;
} scalay_calibration;

/** Sets the fields that this process knows: all except the binding, the layout, the processes, the types and the
 * sample.
 */
void scalay_calibration_describe(scalay_calibration *calibration);

/** Returns a fingerprint of processor, BLAS, threads and MPI, above 0. It is part of the file's name. */
int64_t scalay_calibration_key(const scalay_calibration *calibration);

/**
 * Reads a file.
 * @return SCALAY_SUCCESS, SCALAY_ERROR_FILE (it cannot be opened), SCALAY_ERROR_FORMAT (the message names the line)
 */
scalay_status scalay_calibration_read(const char *path, scalay_calibration *calibration);

/** Replaces a file; on failure the old file is unchanged. SCALAY_SUCCESS, SCALAY_ERROR_FILE, SCALAY_ERROR_MEMORY. */
scalay_status scalay_calibration_write(const char *path, const scalay_calibration *calibration);

/**
 * Checks that a measurement is valid under other conditions.
 * @param[in] function  for the message
 * @param[in] path      of the file, for the message
 * @param[in] found     what the file has
 * @param[in] here      the conditions; processes 0 or binding 0: any
 * @param[in] max_age   in seconds
 * @param[in] anywhere  1: processor, BLAS, threads, MPI and binding may differ
 * @return SCALAY_SUCCESS, SCALAY_ERROR_MISMATCH (the message has the difference and the remedy)
 */
scalay_status scalay_calibration_check(const char *function, const char *path, const scalay_calibration *found,
                                       const scalay_calibration *here, double max_age, int anywhere);

/** Returns 1 if rates are imprecise and few measurements were merged: another one is worth its time. */
int scalay_machine_sample_is_doubtful(const scalay_machine_sample *sample);

/** Doubtful rates are measured again after so many seconds. A noisy machine costs each program and command a
 * measurement once in this time, and not in each run. */
#define SCALAY_CALIBRATION_PAUSE 600

/** Returns 1 if the machine should be measured again: rates by size are missing, as in old files, or the rates are
 * doubtful and SCALAY_CALIBRATION_PAUSE old.
 * @param[in] here  the conditions; only the time counts */
int scalay_calibration_needs_renewal(const scalay_calibration *found, const scalay_calibration *here);

/** Default age in seconds from which a measurement is stale: 30 days. */
#define SCALAY_CALIBRATION_MAX_AGE (30.0 * 24.0 * 3600.0)

/** Size of the path of a file, including the NUL. */
enum { SCALAY_CALIBRATION_PATH = 4096 };

/**
 * Returns a fingerprint of the numbers of ranks of several nodes, in any order; 0: one node, or not known.
 * @param[in] node  shape [processes], from 0 to processes - 1: node of each process; NULL: not known
 * @param[out] layout  the fingerprint
 * @return SCALAY_SUCCESS, SCALAY_ERROR_MEMORY
 */
scalay_status scalay_calibration_layout(const int *node, int processes, int64_t *layout);

/** Writes the default path of a file for a key, as snprintf: scalay/machine-KEY-PROCESSES.txt in the cache folder of
 * the user. On several nodes, -LAYOUT is before the dot. */
int scalay_calibration_print_path(int64_t key, int processes, int64_t layout, char *text, size_t size);

/**
 * Sets the path of a file: the given one, or the default for NULL.
 * @param[in] here  the conditions; processes and layout count
 * @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT (too long)
 */
scalay_status scalay_calibration_find_path(const char *function, const char *given, int64_t key,
                                           const scalay_calibration *here, char path[SCALAY_CALIBRATION_PATH]);

/**
 * Sets the path of the default file without MPI. It is the one of here->layout, if it exists or if the layout is not 0.
 * Otherwise it is the newest file of the key and the number of processes on several nodes, if there is one.
 * @return as scalay_calibration_find_path()
 */
scalay_status scalay_calibration_find_known(const char *function, int64_t key, const scalay_calibration *here,
                                            char path[SCALAY_CALIBRATION_PATH]);

/**
 * Describes all ranks, and agrees on a status. Collective over comm: scalay_node_probe() and one reduction; if nodes
 * differ, four more calls for each type.
 * @param[in]  mine  status of this rank
 * @param[out] here  everything except the sample; of the sample, nodes and types are set
 * @param[out] key   of all types of nodes; the same on all ranks
 */
scalay_status scalay_calibration_find_conditions(scalay_comm *comm, scalay_status mine, scalay_calibration *here,
                                                 int64_t *key);

/** Writes a file; if is_cache, in folders that are created, and a file that cannot be written is not an error.
 * @param[out] is_kept  NULL, or 1: the file was written; 0: it was not */
scalay_status scalay_calibration_keep(const char *path, int is_cache, const scalay_calibration *calibration,
                                      int *is_kept);

#endif
