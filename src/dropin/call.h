#ifndef SCALAY_DROPIN_CALL_H
#define SCALAY_DROPIN_CALL_H

/**
 * @file
 * A call of one of ScaLAPACK's routines, read and checked.
 *
 * The library talks to libscalay by its public headers only, so that a program that uses both has one of it. What may
 * differ between two calls that one plan can serve (arrays, scalars) is in the call, everything else in its key.
 */

#include <stdint.h>

#include "base/status.h"
#include "scalay/redist.h"

/** Where a matrix of a call is, as one process sees it. Nothing but ints: keys are compared byte by byte. */
typedef struct {
    int member; /* 1: the process is in the grid of the matrix; otherwise everything is 0 */
    int nprow, npcol, myrow, mycol;
    int m, n, mb, nb, rsrc, csrc, lld;
    int i, j; /* of the submatrix, 1-based */
} scalay_call_matrix;

/** What a plan is new_cache for. */
typedef struct {
    int type, op, uplo, diag;
    int m, n; /* of the submatrix that is written */
    scalay_call_matrix a, b;
} scalay_call_key;
_Static_assert(sizeof(scalay_call_key) == 34 * sizeof(int), "a key has no holes between its ints");

/** A matrix as the caller passes it. */
typedef struct {
    const char *name; /* "A" */
    void *array;
    int i, j;
    const int *desc;
    int position; /* of the array among the arguments, 1-based; i, j and the descriptor follow */
} scalay_matrix_argument;

/** A call. */
typedef struct {
    const char *routine; /* "pdgemr2d" */
    int ctxt;            /* that has all processes */
    int m_position;      /* of m among the arguments, 1-based; n follows */
    int ctxt_position;   /* of what ctxt was read from */
    scalay_call_key key;
    int ctxt_a, ctxt_b; /* of the descriptors, where this process is in their grids */
    scalay_operands operands;
    int apart; /* 1: the elements of the two submatrices lie in disjoint stretches of this process' memory */
    int code;  /* what the program is ended with: -position, or -(100 position + entry), as PBLAS has it */
} scalay_call;

/** Leaves a message of the call behind and returns the status; `entry` is 1-based, 0 for an argument that has none. */
scalay_status scalay_call_refuse(scalay_call *call, int position, int entry, const char *format, ...)
    SCALAY_PRINTF(4, 5);

/**
 * Reads the matrices of a call whose key has type, op, uplo, diag, m and n, and checks what a process can check alone.
 * @param[in,out] call  the call
 * @param[in]     a     what is read
 * @param[in]     b     what is written
 * @return SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT
 */
scalay_status scalay_call_read(scalay_call *call, const scalay_matrix_argument *a, const scalay_matrix_argument *b);

/** The part of a submatrix that a process holds: local rows row .. row_end - 1 of columns col .. col_end - 1. */
typedef struct {
    int64_t row, row_end, col, col_end;
} scalay_local_window;

/** The process' window of the m x n submatrix; empty outside the grid. */
scalay_local_window scalay_local_window_of(const scalay_call_matrix *place, int m, int n);

/** 1 when a window has no elements. */
static inline int scalay_local_window_is_empty(const scalay_local_window *window)
{
    return window->row >= window->row_end || window->col >= window->col_end;
}

/** Prints the message of a call that failed on this process, and ends the program by Cblacs_abort(). */
void scalay_call_abort(const scalay_call *call);

/**
 * Ends the program unless the status is SCALAY_SUCCESS on all processes. The lowest failing process prints its message.
 * Collective over comm.
 */
void scalay_call_need_all(const scalay_call *call, const scalay_comm *comm, scalay_status status);

/** Any function. The caller converts it to its type. */
typedef void scalay_routine(void);

/** Returns the routine ("pdtran_") that the program would call without this library; NULL if there is none. */
scalay_routine *scalay_next_routine(const char *symbol);

#endif
