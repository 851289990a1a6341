#ifndef SCALAY_FACTOR_SOLVE_H
#define SCALAY_FACTOR_SOLVE_H

/**
 * @file
 * Solves with triangles that stay where they are: op(A) X = B, or two triangles of A one after the other.
 *
 * ScaLAPACK's p?trsm takes time for each block: narrow blocks have many steps, and with wide ones few processes work.
 * Here a step has a fixed number of consecutive indices whatever the blocks are. All processes are on one node. X and
 * what others need of a step are in memory that they share, so that no messages are sent. See solve.c.
 *
 * The library scalay_scalapack calls these functions; they are no part of the public interface.
 */

#include "base/status.h"
#include "scalay/context.h"
#include "scalay/export.h"
#include "scalay/layout.h"
#include "scalay/types.h"

/** A triangle that is solved with. */
typedef struct {
    scalay_uplo uplo; /* the triangle of A */
    scalay_op op;     /* of A */
    int is_unit;      /* 1: the diagonal is 1 and not read */
} scalay_triangle;

/** What is solved. */
typedef struct {
    scalay_type type;
    const scalay_layout *a, *b;  /* block-cyclic, part p on rank p of the communicator; the same number of parts */
    int triangles;               /* 1 or 2, solved one after the other */
    scalay_triangle triangle[2]; /* of A */
    scalay_op op_b;              /* op(B), which X replaces, has the columns that are solved for */
    int may_share_cores;         /* 1: supported if there are fewer cores than ranks, too */
    int64_t most_bytes;          /* of shared memory per rank that this rank accepts; -1: any number */
} scalay_solve_request;

typedef struct scalay_solve scalay_solve;

/**
 * Creates a solve. Collective over comm; the ranks agree on the status.
 * @param[out] solve  to be released with scalay_solve_destroy(); NULL on failure
 * @return SCALAY_SUCCESS; SCALAY_ERROR_UNSUPPORTED: the ranks do not share memory, or share cores;
 *         SCALAY_ERROR_MEMORY, SCALAY_ERROR_MPI
 */
SCALAY_API scalay_status scalay_solve_create(scalay_comm *comm, const scalay_solve_request *request,
                                             scalay_solve **solve);

/**
 * Solves. Collective over comm.
 * @param[in]     alpha   op(B) is multiplied by it first; an element
 * @param[in]     a       local array
 * @param[in]     pivots  of all rows, 1-based, shape [rows of A]: row k was exchanged with row pivots[k]. NULL: none
 * @param[in]     after   1: the rows of X are exchanged back; 0: those of B are exchanged first
 * @param[in,out] b       local array
 */
SCALAY_API scalay_status scalay_solve_execute(scalay_solve *solve, const void *alpha, const void *a, const int *pivots,
                                              int after, void *b);

/** How a solve is computed. */
typedef enum {
    SCALAY_SOLVE_IN_PLACE = 0, /* with the panels of A where they are */
    SCALAY_SOLVE_SHARES = 1,   /* each rank solves for columns of its own, with panels of A that all copy */
    SCALAY_SOLVE_SLABS = 2     /* two ranks with a slab each: the one that has more of a triangle lends a part of it */
} scalay_solve_way;

/** Returns how a solve is computed. Not collective. */
SCALAY_API scalay_solve_way scalay_solve_way_of(const scalay_solve *solve);

/** Releases a solve. Collective. NULL is allowed. */
SCALAY_API void scalay_solve_destroy(scalay_solve **solve);

#endif
