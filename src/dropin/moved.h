#ifndef SCALAY_DROPIN_MOVED_H
#define SCALAY_DROPIN_MOVED_H

/** @file Calls of ScaLAPACK's drivers and solvers whose matrices are moved to a better layout, and back. */

#include "dropin/compute.h"
#include "scalay/types.h"

enum { SCALAY_MAX_MOVED_ARGUMENTS = 40 };

/**
 * A routine. `arguments` has one word per argument, or per group of arguments, in their order:
 *   - "Amn*" a submatrix of m x n: array, row, column, descriptor. `*` read and written, `<` read, `>` written, `+`
 *     written in part: the rest keeps its elements
 *   - "Bnr*" likewise; ScaLAPACK refuses it if it begins on another process row than the first matrix
 *   - "P*"   the pivots of the rows of the first matrix, with `*`, `<` or `>` as above
 *   - "T<"   TAU of the columns of the matrix before, with q entries, which is read
 *   - "W"    workspace of the type of the matrix, and its length; "R" of reals; "I" of ints; with "+": its length also
 *            says how many eigenvectors a process can orthogonalise; with "!": the query says less than is needed
 *   - "u"    U or L: the triangle of the first matrix that is read or written
 *   - "j"    a letter; the next matrix with `>` or `+` is not used unless the letter is V
 *   - "m"    any other small letter: an int that is an extent. "r" is the number of right-hand sides, "q" that
 *            of reflectors
 *   - "."    another argument, which is the same on all layouts; info is the last argument
 * Extents of matrices are m, n, r, q and k = min(m, n), x = max(m, n), o = the order of the triangle of p?trsm and of
 * Q.
 */
typedef struct {
    scalay_compute_routine *record;
    scalay_type type;
    const char *arguments;
    int count;                                              /* of arguments */
    int nb;                                                 /* block size of the target, if the matrix is large */
    void (*call)(scalay_routine *function, void *const *x); /* calls a function with these arguments */
} scalay_moved_routine;

/**
 * Answers a call, or passes it to ScaLAPACK's routine. Collective over the context of the matrices.
 * @param[in] routine  the routine
 * @param[in] x        the arguments of the caller, shape [count]
 * @param[in] caller   the return address
 */
void scalay_moved_call(const scalay_moved_routine *routine, void **x, const void *caller);

#endif
