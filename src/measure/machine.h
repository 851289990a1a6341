#ifndef SCALAY_MEASURE_MACHINE_H
#define SCALAY_MEASURE_MACHINE_H

/** @file Measurement of the machine's rates: scalay_machine_sample_measure(), declared in parallel/machine_numbers.h.
 */

#include "parallel/machine_numbers.h"

/** Returns the name of a rate in messages and files, such as "seconds_per_flop". */
const char *scalay_rate_name(int rate);

/** A rank is called busy from this fraction on. */
#define SCALAY_BUSY 0.1

/** A measurement of the machine. */
typedef struct {
    scalay_comm *comm;
    double *from, *to;       /* scratch memory and its second half (machine.c) */
    double *vectors;         /* more of it */
    double *small;           /* a matrix that is factored (machine.c) */
    int own_grid;            /* BLACS context of this process; -1: none */
    double oversubscription; /* ranks per processor of this node */
    double together;         /* argument of scalay_begin_together(); 1: windows are too short for fair time slices */
    double rates_seconds;    /* time limit of all rates of a rank */
    double rate_seconds;     /* time limit of one other measurement */
    double window;           /* seconds */
    double used, expected;   /* processor seconds of this rank in all windows, and as many as a quiet machine gives */
    int sends_to_itself;     /* 1: the machine is busy, and each leader of a link sends to itself */
} scalay_measurement;

enum { SCALAY_MAX_WINDOWS = 40 };

/** Values of the windows of one rate; the same on all ranks. */
typedef struct {
    int count;
    double value[SCALAY_MAX_WINDOWS];
} scalay_windows;

/** Returns the rate: the mean of the middle half of the windows. */
double scalay_windows_value(const scalay_windows *w);

/** Returns half the confidence interval of the mean of the middle half, over the mean. */
double scalay_windows_spread(const scalay_windows *w);

/** Returns 1 if no further window is needed. */
int scalay_windows_are_precise(const scalay_windows *w);

enum { SCALAY_MAX_TAKES = 8 };

/**
 * Joins the takes of a measurement: of each rate the mean of the middle half. Takes during which other programs had
 * processors count only if there are no others.
 * @param[in]  take    shape [count]: with the same nodes
 * @param[in]  count   from 1 to SCALAY_MAX_TAKES
 * @param[out] sample  caller-owned
 */
void scalay_machine_sample_join(scalay_machine_sample *take, int count, scalay_machine_sample *sample);

/** Time limits of single measurements that all links may take together. */
enum { SCALAY_LINK_SHARES = 8 };

/**
 * Measures the links: those within nodes at once, then those between nodes, for each pair of types of nodes, then one
 * link of each node. Collective over the ranks. With one node, the rates within it are those of the machine.
 * @param[in,out] sample  rates and spreads of links are set
 * @return SCALAY_SUCCESS, SCALAY_ERROR_MEMORY, SCALAY_ERROR_MPI
 */
scalay_status scalay_measure_links(scalay_measurement *m, scalay_machine_sample *sample);

/**
 * Measures the time of moves between nodes with long messages over that with shorter ones. Collective over the ranks.
 * @param[in]  node     shape [ranks]: first rank of the node of each rank; several nodes
 * @param[in]  seconds  time limit; some rounds are made unless the first one exceeds it
 * @param[out] ratio    the same on all ranks; 0: the first round exceeds the limit
 * @return SCALAY_SUCCESS, SCALAY_ERROR_MPI
 */
scalay_status scalay_measure_messages(const scalay_measurement *m, const int *node, double seconds, double *ratio);

/**
 * Finds out how the ranks use the cores of their hosts. Collective over comm.
 * @return SCALAY_SUCCESS, SCALAY_ERROR_MEMORY, SCALAY_ERROR_MPI
 */
scalay_status scalay_core_use_find(scalay_comm *comm, scalay_core_use *use);

/** Faults in the use of cores. */
typedef enum {
    SCALAY_CORE_USE_OVERSUBSCRIBED, /* more ranks than cores */
    SCALAY_CORE_USE_CROWDED,        /* ranks share a core while another one is idle */
    SCALAY_CORE_USE_NARROW,         /* more BLAS threads than cores that their rank may use */
    SCALAY_CORE_USE_THREADS,        /* more BLAS threads than cores */
    SCALAY_CORE_USE_FAULTS
} scalay_core_use_fault;

/** Returns the name of a fault in JSON, such as "oversubscribed". */
const char *scalay_core_use_fault_name(int fault);

/**
 * Writes a fault and its remedy, as snprintf.
 * @return the length of the whole text; 0: the use of cores does not have this fault, and the text is empty
 */
int scalay_core_use_describe(const scalay_core_use *use, int fault, char *text, size_t size);

/** A host and its ranks, for scalay_core_use_count(). */
typedef struct {
    int ranks;
    int cores;                /* of the host */
    const unsigned char *may; /* shape [ranks][cores]: 1: the rank may use the core */
    const int *threads;       /* shape [ranks]: of BLAS */
    int nodes;                /* of MPI */
} scalay_host_ranks;

/**
 * Counts the faults of one host: ranks that must share a core while another one is idle follow from a maximum matching
 * of ranks and cores. Time: O(ranks^2 cores).
 * @return SCALAY_SUCCESS, SCALAY_ERROR_MEMORY
 */
scalay_status scalay_core_use_count(const scalay_host_ranks *host, scalay_core_use *use);

#endif
