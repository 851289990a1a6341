#ifndef SCALAY_PARALLEL_COMM_H
#define SCALAY_PARALLEL_COMM_H

/** @file Communicators inside the library: references, message tags, MPI errors. Agreement is in agree.h. */

#include <mpi.h>
#include <stdatomic.h>
#include <stdint.h>

#include "base/status.h"
#include "parallel/agree.h"
#include "scalay/context.h"

/** A BLACS context in the cache of a communicator (grid.c). */
typedef struct scalay_grid scalay_grid;

/** Plans of the one-call routines (cache.h). */
typedef struct scalay_cache scalay_cache;

/** Memory that the ranks of a node share (node.h). */
typedef struct scalay_node scalay_node;

/** A BLACS context of the program, on all ranks of the communicator, that a descriptor named (grid.c). */
typedef struct {
    int ctxt;
    int64_t number;   /* the attribute of the context's communicator; 0: none */
    uint64_t members; /* fingerprint of the grid: shape and ranks, row by row */
} scalay_named_context;

/** Products in one call that were computed without a plan (multiply/gemm_one_call.c). */
typedef struct {
    uint64_t key;
    uint64_t members; /* fingerprint of the grid, as in scalay_named_context */
    int64_t calls;
    double calls_before_plan; /* before that of SUMMA; INFINITY: none */
} scalay_unplanned_product;

enum { SCALAY_NAMED_CONTEXTS = 4, SCALAY_UNPLANNED_PRODUCTS = 8, SCALAY_WAIT_VALUES = 16 };

struct scalay_comm {
    MPI_Comm mpi;           /* duplicate of the caller's communicator; errors return */
    MPI_Errhandler handler; /* of the caller's communicator; MPI_ERRHANDLER_NULL: not known */
    int rank;
    int size;
    atomic_flag busy; /* held while a thread executes plans of the communicator */
    int references;   /* held by the creator and by plans */
    int next_tag;     /* of scalay_comm_tag() */
    MPI_Op agree_op;  /* of scalay_comm_agree_on() */
    MPI_Datatype agree_type;
    int grids_created;     /* clock of the grid cache */
    scalay_grid *grids;    /* that contain this rank */
    scalay_node *node;     /* NULL before scalay_node_probe() */
    scalay_cache *cache;   /* NULL: empty */
    void *machine_numbers; /* of machine_numbers.h; NULL before the first use */
    double piece_seconds;  /* of pieces.h; 0 before the first use */
    int mpi_failures;      /* of this process when the communicator was created */
    int is_waiting;        /* 1: a reduction of scalay_wait_max() is pending, or was when a call of MPI failed */
    int context_key;       /* of the attribute of named contexts; valid if contexts_named > 0 */
    int contexts_named;    /* number of the newest one */
    int products_met;      /* index of the next entry of `unplanned` */
    scalay_named_context named[SCALAY_NAMED_CONTEXTS];
    scalay_unplanned_product unplanned[SCALAY_UNPLANNED_PRODUCTS];
    double waiting[2][SCALAY_WAIT_VALUES]; /* of scalay_wait_max(): values of this rank, maxima */
};

/** Adds a reference, which scalay_comm_destroy() releases. Not collective. */
scalay_comm *scalay_comm_retain(scalay_comm *comm);

/** Values that scalay_comm_agree_on() reduces. On entry the values of this rank, on return those of all ranks. */
typedef struct {
    int64_t maximum[24];
    int64_t sum[4];
    uint64_t any[4]; /* bitwise or */
} scalay_agreement;

/**
 * Agrees on one status and on values, with one reduction. Collective over comm.
 * @param[in]     status  as in scalay_comm_agree()
 * @param[in,out] values  defined only if SCALAY_SUCCESS is returned
 * @return as scalay_comm_agree()
 */
scalay_status scalay_comm_agree_on(scalay_comm *comm, scalay_status status, scalay_agreement *values);

/**
 * Stores a value in maximum[k] and its complement in maximum[k + 1], so that scalay_agreement_is_equal() can tell
 * whether all ranks passed the same value.
 */
static inline void scalay_agreement_compare(scalay_agreement *values, int k, int64_t value)
{
    values->maximum[k] = value;
    values->maximum[k + 1] = ~value;
}

/** As scalay_agreement_compare(), for a rank that accepts any value. */
static inline void scalay_agreement_accept(scalay_agreement *values, int k)
{
    values->maximum[k] = values->maximum[k + 1] = INT64_MIN;
}

/** Returns 1 if all values of scalay_agreement_compare() were equal; then maximum[k] is that value. */
static inline int scalay_agreement_is_equal(const scalay_agreement *values, int k)
{
    return values->maximum[k] == ~values->maximum[k + 1];
}

/** Returns a message tag for a new object. It is equal on all ranks if they create their objects in the same order. */
int scalay_comm_tag(scalay_comm *comm);

/**
 * Converts an MPI return code to a status. Not collective.
 * @param[in] function  for the message
 * @param[in] call      MPI call, for the message
 * @return SCALAY_SUCCESS, or SCALAY_ERROR_MPI with the message of MPI
 */
scalay_status scalay_mpi_check(int code, const char *function, const char *call);

/**
 * Returns the number of MPI calls of this process that failed. An object that owns communicators or windows stores it
 * at its creation. If it has changed when the object is destroyed, they are not freed: that can wait for ranks that do
 * not come any more. Not collective.
 */
int scalay_mpi_failures(void);

/** Returns 1 if a call of MPI failed since the communicator was created. Not collective. */
static inline int scalay_comm_is_broken(const scalay_comm *comm)
{
    return comm->mpi_failures != scalay_mpi_failures();
}

/** Returns 1 if MPI ends the program after an error in the caller's communicator, the default of MPI. A program that
 *  goes on after errors says so by another error handler. Not collective. */
static inline int scalay_comm_errors_end_program(const scalay_comm *comm)
{
    return comm->handler == MPI_ERRORS_ARE_FATAL;
}

/** Evaluates an MPI call; on failure stores the status and goes to `cleanup`. */
#define SCALAY_TRY_MPI(call) SCALAY_TRY(scalay_mpi_check((call), __func__, #call))

/** Frees all grids of a communicator, and the attributes of the contexts that descriptors named. */
void scalay_grids_free(scalay_comm *comm);

/** For tests: live communicators and live BLACS contexts of this process. */
int scalay_comms_live(void);
int scalay_grids_live(void);

#endif
