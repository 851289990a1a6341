#ifndef SCALAY_DROPIN_CALL_H
#define SCALAY_DROPIN_CALL_H

/**
 * @file
 * A call of one of ScaLAPACK's routines, read and checked.
 *
 * The library uses libscalay through its public headers only, so that a program that uses both loads libscalay once.
 * Arrays and scalars may differ between two calls with the same plan; they are in the call. All else is in its key.
 */

#include <mpi.h>
#include <stdint.h>

#include "base/status.h"
#include "scalay/redist.h"

/** A matrix of a call, as one process sees it. Only ints: keys are compared byte by byte. */
typedef struct {
    int member; /* 1: the process is in the grid of the matrix; otherwise everything is 0 */
    int nprow, npcol, myrow, mycol;
    int m, n, mb, nb, rsrc, csrc, lld;
    int i, j; /* of the submatrix, 1-based */
} scalay_call_matrix;

/** The arguments that a plan depends on. */
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
    int apart;    /* 1: the elements of the two submatrices lie in disjoint ranges of the memory of this process */
    int is_small; /* 1: ScaLAPACK's routines, which compute offsets as ints, can handle the matrices */
    int code;     /* error code of the program: -position, or -(100 position + entry), as in PBLAS */
    void (*leave)(const void *arguments); /* calls ScaLAPACK's own routine; NULL: there is none */
    const void *arguments;
} scalay_call;

/** Environment variables, read once. */
typedef struct {
    int plans;             /* SCALAY_SCALAPACK_PLANS: plans per cache, 0 to SCALAY_MAX_PLANS */
    int keep;              /* SCALAY_SCALAPACK_KEEP: MiB of moved copies of factors that a process keeps; 0: none */
    int forced;            /* 1: SCALAY_SCALAPACK is "force": no call is left to ScaLAPACK */
    int verbosity;         /* SCALAY_VERBOSE: 0, 1 (summary), 2 (each call of a compute routine) */
    int is_reproducible;   /* SCALAY_REPRODUCIBLE: choices depend on the arguments only */
    int diagnoses;         /* SCALAY_DIAGNOSE: no call is answered, and the end of the program has advice */
    int checks;            /* SCALAY_SCALAPACK_CHECK: the processes compare their arguments in every call */
    int64_t memory;        /* SCALAY_MEMORY: bytes that a call may take on this process; -1: not set */
    const char *report;    /* SCALAY_REPORT: file of the summary; NULL: none */
    const char *transport; /* SCALAY_SCALAPACK_TRANSPORT; NULL: not set */
} scalay_call_settings_values;

/** Returns the settings. Ends the program if a variable has a bad value. */
const scalay_call_settings_values *scalay_call_settings(void);

/** Returns 1 if SCALAY_SCALAPACK lets the library answer the calls of a routine ("pdgemr2d"). */
int scalay_is_answered(const char *routine);

/** Returns the MPI communicator of a BLACS context that contains this process. Rank of process (r, c): r npcol + c. */
MPI_Comm scalay_context_communicator(int ctxt);

/** Sets an error message and code; returns SCALAY_ERROR_ARGUMENT. `entry` is 1-based; 0: not an array. */
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
 * Collective over mpi.
 */
void scalay_call_need_all(const scalay_call *call, MPI_Comm mpi, scalay_status status);

/** A file in memory, from its first address to the one after its last. */
typedef struct {
    uintptr_t begin, end;
    const char *name;
} scalay_loaded_file;

/** Returns the file that contains an address; begin == end: none. */
scalay_loaded_file scalay_file_of(const void *address);

/** Whether a file is the program itself. */
int scalay_is_program(const scalay_loaded_file *file);

/** Whether a file contains an address. */
static inline int scalay_is_in_file(const scalay_loaded_file *file, const void *address)
{
    return (uintptr_t)address >= file->begin && (uintptr_t)address < file->end;
}

/** Any function. The caller converts it to its type. */
typedef void scalay_routine(void);

/**
 * Returns the routine ("pdtran_") of the ScaLAPACK that the program would use without this library: that of the program
 * itself, if it exports one, or of a library before this one; otherwise that of the libraries after this one, and then
 * of any file that is loaded. NULL: there is none. Routines of tools in front of this library are not ScaLAPACK's.
 */
scalay_routine *scalay_next_routine(const char *symbol);

#endif
