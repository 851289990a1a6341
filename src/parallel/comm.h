#ifndef SCALAY_PARALLEL_COMM_H
#define SCALAY_PARALLEL_COMM_H

/** @file What the library itself needs of a communicator: references, tags and, in agree.h, agreement. */

#include <mpi.h>

#include "base/status.h"
#include "parallel/agree.h"
#include "scalay/context.h"

/** A BLACS context in the cache of a communicator. */
typedef struct scalay_grid scalay_grid;

/** What the ranks of a node share (node.h). */
typedef struct scalay_node scalay_node;

struct scalay_comm {
    MPI_Comm mpi; /* the duplicate; errors return */
    int rank;
    int size;
    int references;     /* the creator's and those of plans */
    int next_tag;       /* of scalay_comm_tag */
    int blacs_handle;   /* of the duplicate; -1 as long as no grid was made */
    int grids_made;     /* so far: the clock of the cache */
    scalay_grid *grids; /* those that this rank is in */
    scalay_node *node;  /* NULL before scalay_node_probe() */
};

/** Keeps a communicator alive for another object, which gives it up with scalay_comm_destroy(). Not collective. */
scalay_comm *scalay_comm_retain(scalay_comm *comm);

/** A message tag for a new object, the same on every rank when all make their objects in the same order. */
int scalay_comm_tag(scalay_comm *comm);

/** SCALAY_SUCCESS, or SCALAY_ERROR_MPI with MPI's own words for a return code; `call` names the MPI function. */
scalay_status scalay_mpi_check(int code, const char *function, const char *call);

/** Evaluates an MPI call and leaves through `cleanup` when it fails. */
#define SCALAY_TRY_MPI(call) SCALAY_TRY(scalay_mpi_check((call), __func__, #call))

/** Frees every grid and the BLACS handle of a communicator that is going. */
void scalay_grids_free(scalay_comm *comm);

/** For tests: communicators that live, and BLACS contexts that live, on this rank. */
int scalay_comms_live(void);
int scalay_grids_live(void);

#endif
