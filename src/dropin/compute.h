#ifndef SCALAY_DROPIN_COMPUTE_H
#define SCALAY_DROPIN_COMPUTE_H

/**
 * @file
 * Which calls of ScaLAPACK's compute routines are answered, and what is reported about them.
 *
 * A call is answered if the program itself makes it. Calls that ScaLAPACK or libscalay make go to ScaLAPACK's routine.
 * So do all calls if the program uses a ScaLAPACK other than that of libscalay, and small problems.
 */

#include "dropin/call.h"

/** What a routine is, for SCALAY_SCALAPACK. */
typedef enum {
    SCALAY_REDIST_ROUTINE = 1, /* moves or transposes a matrix */
    SCALAY_MOVED_ROUTINE = 2,  /* ScaLAPACK's routine after a move of the matrices */
    SCALAY_OWN_ROUTINE = 3     /* computed by libscalay */
} scalay_routine_group;

/** A compute routine. One static object per name; zero but for the name. */
typedef struct scalay_compute_routine scalay_compute_routine;
struct scalay_compute_routine {
    const char *name;              /* "pdgeqrf" */
    scalay_routine *next;          /* of ScaLAPACK; set by scalay_compute_begin() */
    int is_answered;               /* by SCALAY_SCALAPACK */
    int64_t calls;                 /* of the program */
    int64_t answered;              /* of these, by libscalay on another layout or by a kernel of its own */
    double seconds;                /* of all calls */
    double saved_seconds;          /* predicted */
    double began;                  /* the present call */
    int is_counted;                /* 1: the program makes the present call */
    const char *reason;            /* why the present call goes to ScaLAPACK's routine; NULL: its arguments */
    scalay_compute_routine *older; /* routines that were called before */
};

/** A submatrix of a call. */
typedef struct {
    int m, n;
    const int *i, *j; /* 1-based */
    const int *desc;
} scalay_submatrix;

/** Blocks below this size are left, and blocks below twice this size if both extents of the matrix are large
 * (docs/benchmarks-dropin.md). */
enum { SCALAY_NARROW_BLOCK = 8, SCALAY_LARGE_EXTENT = 1024 };

/** Returns 1 if both extents of a submatrix are large. */
static inline int scalay_submatrix_is_large(const scalay_submatrix *s)
{
    return s->m >= SCALAY_LARGE_EXTENT && s->n >= SCALAY_LARGE_EXTENT;
}

/** Returns 1 if blocks of so many rows or columns are too small for a submatrix. */
static inline int scalay_is_narrow_block(const scalay_submatrix *s, int block)
{
    return block < (scalay_submatrix_is_large(s) ? 2 : 1) * SCALAY_NARROW_BLOCK;
}

/** Returns the part of a submatrix that this process has. Local. */
scalay_local_window scalay_submatrix_window(const scalay_submatrix *s);

/** What was done with a call. */
typedef struct {
    int answered;             /* 1: moved or computed by libscalay; 0: ScaLAPACK's routine in the caller's layout */
    const char *reason;       /* why */
    double predicted_seconds; /* 0: not predicted */
    double predicted_stay;    /* of ScaLAPACK's routine in the caller's layout; 0: not predicted */
    double plan_seconds;      /* measured, of an answered call: choosing the layout, plans, contexts */
    double move_seconds;      /* there and back */
    double kernel_seconds;    /* of the routine on the target */
    int nprow, npcol, nb;     /* of the target; 0: not a grid */
} scalay_compute_decision;

/**
 * Begins a call. Local. Every call is ended by scalay_compute_end().
 * @param[in,out] routine  of the call
 * @param[in]     caller   the return address; NULL: the call has a name with the prefix
 * @return 1 if the program makes the call; 0 if ScaLAPACK or libscalay makes it: ScaLAPACK's routine is to be called
 */
int scalay_compute_begin(scalay_compute_routine *routine, const void *caller);

/**
 * Returns 1 if a call under ScaLAPACK's name may be answered; 0 if ScaLAPACK's routine is to be called. Local. If the
 * extents are the same on all processes, so is the result.
 * @param[in,out] routine  of the call, which has begun
 * @param[in]     work     multiply-adds of a real routine
 * @param[in]     ctxt     the context of the matrices
 */
int scalay_compute_may_answer(scalay_compute_routine *routine, double work, int ctxt);

/** Ends a call whose result is the submatrix s. decision: NULL if ScaLAPACK's routine was called at once. */
void scalay_compute_end(scalay_compute_routine *routine, const scalay_submatrix *s,
                        const scalay_compute_decision *decision);

/** Remembers a call for the diagnosis at the end of the program. */
void scalay_diagnosis_add(const char *routine, const scalay_submatrix *s, double seconds);

/** Prints the diagnosis: which matrices are badly placed, and what to change. */
void scalay_diagnosis_print(void);

/** Returns the routines that were called, the last one first; NULL: none. */
const scalay_compute_routine *scalay_compute_routines(void);

/** Returns the rank of this process in MPI_COMM_WORLD; -1 if no routine was called. */
int scalay_compute_rank(void);

/** Returns the number of processes in MPI_COMM_WORLD; 0 if no routine was called. */
int scalay_compute_processes(void);

#endif
