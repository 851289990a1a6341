#ifndef SCALAY_FACTOR_QR_OBJECT_H
#define SCALAY_FACTOR_QR_OBJECT_H

/** @file What a factorisation holds, and what its files share. */

#include "factor/qr_operations.h"
#include "parallel/agree.h"
#include "parallel/blacs.h"
#include "parallel/comm.h"
#include "scalay/factor.h"
#include "scalay/redist.h"

struct scalay_qr {
    scalay_comm *comm;
    scalay_type type;
    const scalay_qr_operations *operations;
    scalay_qr_choice *choice;
    scalay_layout *first_columns; /* where the matrix was: its first k columns */
    int is_source;                /* this rank holds elements there */
    scalay_layout *target;        /* the grid, on the processes that the mapping chose */
    scalay_plan *plan;            /* from where the matrix was to the target */
    char transport[32];           /* asked for, of plans */
    scalay_objective objective;   /* of the mapping */
    scalay_proof proof;
    int m, n, k;
    int nprow, npcol, nb;
    int ctxt; /* -1 on idle ranks */
    int desc[DLEN_];
    int row, col; /* of this rank on the grid; -1 when idle */
    int local_rows, local_cols;
    int local_reflectors; /* entries of tau */
    int64_t local_size;   /* local_rows * local_cols */
    void *local;
    void *tau;
    scalay_qr_statistics statistics;
};

/** 1 on the ranks of the grid. */
int scalay_qr_is_member(const scalay_qr *qr);

/**
 * Chooses the grid and the mapping and works out the sizes; qr has its communicator, type and operations. Not
 * collective. What was made is in qr, also on failure.
 */
scalay_status scalay_qr_prepare(scalay_qr *qr, const scalay_layout *layout, const scalay_qr_options *options);

/** Fails in the name of `function` when ScaLAPACK's `routine` returned an info that is not 0. */
scalay_status scalay_qr_check_info(const char *function, const char *routine, int info);

/**
 * The factors as the operations take them, with a new workspace; on idle ranks there is none. Not collective.
 * Release factors->work with scalay_release().
 */
scalay_status scalay_qr_factors_create(const scalay_qr *qr, scalay_qr_factors *factors);

/** A zeroed array of elements of the type. Not collective; released with scalay_release(). */
scalay_status scalay_qr_new_local(const scalay_qr *qr, int64_t count, void **array);

/** Gathers tau on every rank; some or all may pass NULL. Collective. */
scalay_status scalay_qr_collect_tau(scalay_qr *qr, void *tau);

/** Fails in the name of `function` on all ranks when one that needs an array passes NULL. Collective. */
scalay_status scalay_qr_agree_on_array(const scalay_qr *qr, const char *function, const char *name, const void *array);

/** Elapsed seconds of the slowest rank since `began`. Collective. */
scalay_status scalay_qr_elapsed(scalay_comm *comm, double began, double *seconds);

#endif
