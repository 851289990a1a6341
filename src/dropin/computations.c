/*
 * P?GEQRF, P?GETRF, P?POTRF and P?GEMM, under ScaLAPACK's names and with the prefix scalay_, in ScaLAPACK's argument
 * lists.
 *
 * A program needs no communicator, layout or module: they are made of the descriptors. The communicator is kept with
 * the BLACS context, together with the plans of p?gemr2d. Arguments are checked first. A call that ScaLAPACK would
 * refuse is passed to ScaLAPACK's routine, which reports it in its own way. So is a call that this library does not
 * support: descriptors of other types, matrices that every process row or column holds, products of matrices in
 * different contexts, and k = 0 or alpha = 0. compute.h says which calls under ScaLAPACK's names are answered.
 *
 * Communication: one reduction, and those of the one call in factor.h and multiply.h.
 */
#include <mpi.h>
#include <stdlib.h>

#include "dropin/computation.h"
#include "factor/one_call.h"
#include "parallel/blacs.h"
#include "scalay/multiply.h"
#include "scalay/scalapack.h"

/* The operation of a letter, in either case; -1: none. */
static int read_op(char letter)
{
    switch (letter) {
    case 'N':
    case 'n':
        return SCALAY_NO_TRANSPOSE;
    case 'T':
    case 't':
        return SCALAY_TRANSPOSE;
    case 'C':
    case 'c':
        return SCALAY_CONJUGATE_TRANSPOSE;
    default:
        return -1;
    }
}

/* The triangle of a letter, in either case; -1: none. */
static int read_uplo(char letter)
{
    if (letter == 'U' || letter == 'u') return SCALAY_UPPER;
    return letter == 'L' || letter == 'l' ? SCALAY_LOWER : -1;
}

/* Whether p?getrf and p?potrf of ScaLAPACK accept the blocks: they are square, and the submatrix begins with one. */
static int has_whole_blocks(const scalay_submatrix *s)
{
    const int nb = s->desc[NB_];
    return nb > 0 && s->desc[MB_] == nb && (*s->i - 1) % nb == 0 && (*s->j - 1) % nb == 0;
}

/* Multiply-adds per second of a process that multiplies by p?gemm. */
static const double rate_of_product = 2 * SCALAY_FACTOR_RATE;

#define JOIN3(a, b, c) a##b##c
#define JOIN(a, b, c) JOIN3(a, b, c)
#define TEXT2(a) #a
#define TEXT(a) TEXT2(a)

#define LETTER s
#define TYPE SCALAY_FLOAT
#define REAL float
#define SCALAR(x) (*(x))
#define IS_ZERO(x) (*(x) == 0)
#include "dropin/computations_worker.h"

#define LETTER d
#define TYPE SCALAY_DOUBLE
#define REAL double
#define SCALAR(x) (*(x))
#define IS_ZERO(x) (*(x) == 0)
#include "dropin/computations_worker.h"

#define LETTER c
#define TYPE SCALAY_COMPLEX_FLOAT
#define REAL float
#define SCALAR(x) (x)
#define IS_ZERO(x) ((x)[0] == 0 && (x)[1] == 0)
#include "dropin/computations_worker.h"

#define LETTER z
#define TYPE SCALAY_COMPLEX_DOUBLE
#define REAL double
#define SCALAR(x) (x)
#define IS_ZERO(x) ((x)[0] == 0 && (x)[1] == 0)
#include "dropin/computations_worker.h"
