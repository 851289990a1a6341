#ifndef SCALAY_FACTOR_GRID_JOB_H
#define SCALAY_FACTOR_GRID_JOB_H

/**
 * @file
 * Grid jobs: one factorisation by a ScaLAPACK routine on a process grid, in the layout of the caller or after a move.
 *
 * A job holds everything that does not depend on the numbers: the choice, the plan of the move, the BLACS context. It
 * can be executed many times. It owns no copy of the matrix.
 */

#include "base/memory.h"
#include "factor/scalapack_kernels.h"
#include "factor/trials.h"
#include "layout/axis.h"
#include "parallel/agree.h"
#include "parallel/blacs.h"
#include "parallel/comm.h"
#include "scalay/factor.h"
#include "scalay/redist.h"

/** What is factored, and how. */
typedef struct {
    const char *function; /* public function, for messages */
    scalay_kernel_kind kind;
    scalay_type type;
    scalay_uplo uplo; /* of p?potrf; otherwise SCALAY_WHOLE */
    const scalay_layout *layout;
    const scalay_one_call_options *options; /* complete, not NULL */
    int is_repeated;               /* 1: the job will be executed often enough that planning a move costs nothing */
    const scalay_machine *machine; /* rates of the communicator, the same on all ranks; NULL: options->machine. If
                                      that is NULL, too, the rates are not measured */
    double page_seconds;           /* of the first access to a page of 4 KiB, the same on all ranks; 0: typical */
    void *work; /* shape [lwork]: of p?geqrf, used if the matrix stays; NULL on all ranks: the caller has none */
    int lwork;
    int keeps_objective; /* 1: the mapping has options->objective, also where another one is predicted to be
                            faster, because ranks are on several nodes */
} scalay_grid_request;

/** The calls of a job so far. */
typedef struct {
    int64_t count;
    int64_t measured; /* number of calls whose time is known */
    int64_t spent;    /* nanoseconds of these */
    int64_t shortest; /* nanoseconds; 0: none was measured */
} scalay_grid_job_calls;

/** A planned factorisation. */
typedef struct {
    scalay_comm *comm;
    const int *node;      /* of scalay_node_of_ranks() */
    const int *node_type; /* of scalay_node_types_of_ranks() */
    scalay_kernel_kind kind;
    scalay_type type;
    scalay_uplo uplo;
    int m, n, k;              /* k = min(m, n) */
    int stays;                /* 1: in the layout of the caller */
    scalay_layout *layout;    /* of the caller */
    scalay_layout *target;    /* on which the routine runs; the layout of the caller if stays */
    scalay_plan *plan;        /* to the target and back; NULL if stays */
    scalay_qr_choice *choice; /* candidate grids; NULL if stays without a prediction */
    char transport[32];
    scalay_objective objective; /* of the mapping */
    scalay_proof proof;
    int nprow, npcol, nb;       /* of the target */
    int ctxt;                   /* -1 on idle ranks */
    int desc[DLEN_];            /* of the target */
    int ia, ja;                 /* 1-based */
    int row, col;               /* of this rank on the grid; -1 on idle ranks */
    int local_rows, local_cols; /* of the target; 0 if stays */
    int64_t local_size;         /* elements of the copy; 0 if stays */
    int64_t vector_size;        /* entries of the local vector on the target, tau or ipiv */
    int lwork;                  /* of p?geqrf */
    int keeps_work;             /* 1: p?geqrf needs little workspace, which the job keeps; the same on every rank */
    void *work;                 /* shape [lwork]; NULL unless kept */
    int64_t gain_nanoseconds;   /* predicted gain of an execution by a move or by the engine, if it is repeated */
    int64_t change_nanoseconds; /* what planning the move, or creating the engine, takes */
    int prefers_engine;         /* 1: the gain is by the engine */
    scalay_grid_job_calls calls;
    int64_t undecided_nanoseconds; /* no way is chosen before the calls took so long together; 0: it is chosen */
    uint64_t members;              /* of an undecided job: scalay_in_place_members() */
    scalay_trials trials;          /* where repeated calls compute */
    scalay_one_call_statistics statistics;
    int by_engine; /* 1: the engine factors (engine_call.h); the job is what it was compared with */
    int64_t canonical_volume, canonical_steps; /* of the move with part j on process j */
} scalay_grid_job;

/** Returns 1 on the ranks of the grid. */
int scalay_grid_job_has_rank(const scalay_grid_job *job);

/** Returns the rates for predictions; NULL: not measured. */
static inline const scalay_machine *scalay_grid_request_machine(const scalay_grid_request *request)
{
    return request->machine != NULL ? request->machine : request->options->machine;
}

/** Returns 1 if the options leave the way and the grid to the library. */
static inline int scalay_grid_request_leaves_choice(const scalay_grid_request *request)
{
    const scalay_one_call_options *o = request->options;
    return o->placement == SCALAY_PLACEMENT_CHOOSE && o->nprow <= 0 && o->npcol <= 0 && o->nb <= 0;
}

/** Checks a request. Not collective. */
scalay_status scalay_grid_request_check(const scalay_comm *comm, const scalay_grid_request *request);

/**
 * Chooses the grid and the mapping, and predicts times. Collective over comm; the ranks agree on the status. The
 * request has been checked.
 * @param[out] job  release with scalay_grid_job_destroy()
 */
scalay_status scalay_grid_job_choose(scalay_comm *comm, const scalay_grid_request *request, scalay_grid_job **job);

/**
 * Creates a job that stays, and chooses nothing, if the first calls are too short for a choice. A choice takes
 * .4 to .9 ms, up to 19 times as long as Cholesky of order 64. Collective; the ranks agree on the status.
 * @param[out] job  NULL: the way is to be chosen now
 */
scalay_status scalay_grid_job_create_undecided(scalay_comm *comm, const scalay_grid_request *request,
                                               scalay_grid_job **job);

/** Returns 1 if an undecided job remains so, and finds its context for the next call. The same on every rank. */
int scalay_grid_job_stays_undecided(scalay_grid_job *job);

/** Plans the move of a job and creates the BLACS context. Collective; the ranks agree on the status. */
scalay_status scalay_grid_job_connect(scalay_grid_job *job, const scalay_grid_request *request);

/** scalay_grid_job_choose() and scalay_grid_job_connect(). */
scalay_status scalay_grid_job_create(scalay_comm *comm, const scalay_grid_request *request, scalay_grid_job **job);

/** Releases a job and sets it to NULL. Collective over its communicator. NULL is allowed. */
void scalay_grid_job_destroy(scalay_grid_job **job);

/** Returns 1 if the job uses the workspace of the request. The same on every rank. */
static inline int scalay_grid_job_borrows(const scalay_grid_job *job, const scalay_grid_request *request)
{
    return job->stays && request->work != NULL;
}

/**
 * Calls the routine of ScaLAPACK on the ranks of the grid. Collective over the grid; other ranks may call it.
 * @param[in,out] a       local array in the target layout
 * @param[out]    vector  local vector: vector_size entries
 * @param         work    shape [lwork]: of p?geqrf
 * @return the info of the routine; 0 on other ranks
 */
int scalay_grid_job_factor(const scalay_grid_job *job, void *a, void *vector, void *work, int lwork);

/** Counts a call. `nanoseconds`: of the slowest rank; 0: not measured. The same on every rank. */
void scalay_grid_job_count(scalay_grid_job *job, int64_t nanoseconds);

/** Returns 1 if the next call is to be the first one by a move or by the engine (base/change.h). The same on every
 * rank. */
int scalay_grid_job_should_change(const scalay_grid_job *job);

#endif
