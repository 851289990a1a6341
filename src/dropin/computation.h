#ifndef SCALAY_DROPIN_COMPUTATION_H
#define SCALAY_DROPIN_COMPUTATION_H

/** @file A call of a compute routine that libscalay computes, or whose matrices it moves. */

#include "dropin/compute.h"
#include "scalay/factor.h"
#include "scalay/partition.h"

enum { SCALAY_MAX_MATRICES = 3 };

/** The time of a new page of 4 KiB for which numbers of calls that wait are given, in seconds. */
#define SCALAY_PATIENT_PAGE_SECONDS 1e-5

/** Multiply-adds per second of a process in ScaLAPACK's factorisations of order 256 to 1024. */
#define SCALAY_FACTOR_RATE 1e10

/** Calls that wait for something that takes time once: the sum. */
typedef struct {
    double calls;     /* below 0: the first call gains so much */
    double of_pages;  /* for new pages: the part of it that a page takes of SCALAY_PATIENT_PAGE_SECONDS */
    double of_copies; /* for those of copies, which may be huge, likewise */
    double of_first;  /* unless the context has moved or solved before */
} scalay_patience;

/** A call. */
typedef struct {
    scalay_call call;
    int is_done;                                /* 1: libscalay has computed it */
    int keep;                                   /* SCALAY_SCALAPACK_KEEP, the least of all processes */
    scalay_patience patience;                   /* times that it stays before a process is asked */
    double may_lose;                            /* seconds, by its decision, for which it waits; no patience */
    const char *stays;                          /* why it stays without a reduction; NULL: it does not */
    struct scalay_context_record *record;       /* of the context; it has a cache once the call has started */
    uint64_t key;                               /* fingerprint of the routine and its matrices */
    scalay_comm *comm;                          /* owned by the cache of the context */
    scalay_layout *layout[SCALAY_MAX_MATRICES]; /* the matrix that is written comes first */
    scalay_one_call_options options;
    scalay_machine machine;
    scalay_one_call_statistics statistics;
} scalay_computation;

/**
 * Begins a call. Local. Every call is ended by scalay_computation_end().
 * @param[in,out] routine  of the call
 * @param[in]     caller   the return address; NULL: under a name with the prefix, which is always answered
 * @param[in]     count    number of submatrices
 * @param[in]     s        shape [count]; the one that is written comes first
 * @param[in]     work     multiply-adds
 * @param[out]    c        the call
 * @return 0 if ScaLAPACK's routine is to be called
 */
int scalay_computation_begin(scalay_compute_routine *routine, const void *caller, int count, const scalay_submatrix *s,
                             double work, scalay_computation *c);

/**
 * Ends the program if SCALAY_SCALAPACK_CHECK=1 and the processes have passed different submatrices. Collective over the
 * context of the first one, if it is set.
 */
void scalay_computation_check(const char *routine, int count, const scalay_submatrix *s);

/**
 * Reads the matrices and creates their layouts. Collective over the context: one reduction, in which the processes also
 * agree that all have memory for a move. A call that stayed often stays without a reduction.
 * @param[in]     routine  "pdgeqrf"
 * @param[in]     count    number of submatrices
 * @param[in]     s        shape [count]
 * @param[in]     accepts  0: this process wants ScaLAPACK's routine
 * @param[in,out] c        the call
 * @return 0 if ScaLAPACK's routine is to be called; the same on all processes
 */
int scalay_computation_start(const char *routine, int count, const scalay_submatrix *s, int accepts,
                             scalay_computation *c);

/**
 * Returns the seconds that a factorisation may lose by its decision, which takes a part of the time of a short call, so
 * that it waits (base/change.h). 0: it does not wait, because its blocks are narrow. Local.
 * @param[in] seconds            about what it takes one process
 * @param[in] leaves_tall_grids  1: it gains at once on grids with far more rows than columns, and does not wait there
 */
double scalay_computation_may_lose(const scalay_submatrix *s, double seconds, int leaves_tall_grids);

/** Likewise for a product, which gains less and waits in any layout: narrow blocks cost it up to a third. */
double scalay_computation_product_may_lose(int count, const scalay_submatrix *s, double seconds);

/**
 * Returns 1 if a call waits for something that takes time once.
 * @param[in,out] record    of the context, on which one of the calls is collective
 * @param[in]     patience  how many calls wait
 * @param[in]     times     equal calls that have waited, the same on all processes
 */
int scalay_computation_waits(struct scalay_context_record *record, scalay_patience patience, int times);

/**
 * Returns the owner map on which processes of different speeds compute a product; NULL: where the library chooses.
 * Collective over the context in the first call of a product.
 * @param[in,out] c      the call, which has started; its first matrix is C
 * @param[in]     terms  columns of op(A)
 */
const scalay_owner_map *scalay_computation_map(scalay_computation *c, int terms);

/** Returns 1 if this process may take so many bytes: SCALAY_MEMORY, and its share of the free memory. Local. */
int scalay_computation_has_memory(int64_t bytes);

/**
 * Releases the layouts. Collective over the context.
 * @return 0 if ScaLAPACK's routine is to be called: the status says that libscalay does not support the call or has no
 *         memory for it, and nothing was written. Other errors end the program
 */
int scalay_computation_finish(scalay_computation *c, scalay_status status);

/** Ends a call whose result is the submatrix s. Local. */
void scalay_computation_end(scalay_compute_routine *routine, const scalay_submatrix *s, const scalay_computation *c);

#endif
