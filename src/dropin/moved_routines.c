/*
 * Entry points of the routines of moved_routines.h. All arguments of Fortran are addresses. The hidden lengths of
 * characters follow them, and no routine of ScaLAPACK reads these.
 */
#include "dropin/moved_routines.h"

#include "dropin/moved.h"
#include "scalay/scalapack.h"

/* Parameters, and elements of an array x, for a number of arguments. */
#define P4(a) void *a##0, void *a##1, void *a##2, void *a##3
#define N4(a) a##0, a##1, a##2, a##3
#define X4(n) x[n], x[(n) + 1], x[(n) + 2], x[(n) + 3]

#define PARAMETERS_7 P4(a), void *b0, void *b1, void *b2
#define NAMES_7 N4(a), b0, b1, b2
#define ELEMENTS_7 X4(0), x[4], x[5], x[6]
#define PARAMETERS_11 P4(a), P4(b), void *c0, void *c1, void *c2
#define NAMES_11 N4(a), N4(b), c0, c1, c2
#define ELEMENTS_11 X4(0), X4(4), x[8], x[9], x[10]
#define PARAMETERS_12 P4(a), P4(b), P4(c)
#define NAMES_12 N4(a), N4(b), N4(c)
#define ELEMENTS_12 X4(0), X4(4), X4(8)
#define PARAMETERS_13 PARAMETERS_12, void *d0
#define NAMES_13 NAMES_12, d0
#define ELEMENTS_13 ELEMENTS_12, x[12]
#define PARAMETERS_15 PARAMETERS_12, void *d0, void *d1, void *d2
#define NAMES_15 NAMES_12, d0, d1, d2
#define ELEMENTS_15 ELEMENTS_12, x[12], x[13], x[14]
#define PARAMETERS_17 PARAMETERS_12, P4(d), void *e0
#define NAMES_17 NAMES_12, N4(d), e0
#define ELEMENTS_17 ELEMENTS_12, X4(12), x[16]
#define PARAMETERS_19 PARAMETERS_17, void *e1, void *e2
#define NAMES_19 NAMES_17, e1, e2
#define ELEMENTS_19 ELEMENTS_17, x[17], x[18]
#define PARAMETERS_20 PARAMETERS_12, P4(d), P4(e)
#define NAMES_20 NAMES_12, N4(d), N4(e)
#define ELEMENTS_20 ELEMENTS_12, X4(12), X4(16)
#define PARAMETERS_21 PARAMETERS_20, void *f0
#define NAMES_21 NAMES_20, f0
#define ELEMENTS_21 ELEMENTS_20, x[20]
#define PARAMETERS_24 PARAMETERS_20, P4(f)
#define NAMES_24 NAMES_20, N4(f)
#define ELEMENTS_24 ELEMENTS_20, X4(20)
#define PARAMETERS_26 PARAMETERS_24, void *g0, void *g1
#define NAMES_26 NAMES_24, g0, g1
#define ELEMENTS_26 ELEMENTS_24, x[24], x[25]
#define PARAMETERS_29 PARAMETERS_24, P4(g), void *h0
#define NAMES_29 NAMES_24, N4(g), h0
#define ELEMENTS_29 ELEMENTS_24, X4(24), x[28]
#define PARAMETERS_31 PARAMETERS_29, void *h1, void *h2
#define NAMES_31 NAMES_29, h1, h2
#define ELEMENTS_31 ELEMENTS_29, x[29], x[30]
#define PARAMETERS_34 PARAMETERS_31, void *h3, void *i0, void *i1
#define NAMES_34 NAMES_31, h3, i0, i1
#define ELEMENTS_34 ELEMENTS_31, x[31], x[32], x[33]
#define PARAMETERS_36 PARAMETERS_34, void *i2, void *i3
#define NAMES_36 NAMES_34, i2, i3
#define ELEMENTS_36 ELEMENTS_34, x[34], x[35]

/* Calls a function with an array of arguments. */
#define CALLER(count)                                                                                                  \
    static void call_##count(scalay_routine *function, void *const *x)                                                 \
    {                                                                                                                  \
        ((void (*)(PARAMETERS_##count))function)(ELEMENTS_##count);                                                    \
    }

CALLER(7)
CALLER(11)
CALLER(12)
CALLER(13)
CALLER(15)
CALLER(17)
CALLER(19)
CALLER(20)
CALLER(21)
CALLER(24)
CALLER(26)
CALLER(29)
CALLER(31)
CALLER(34)
CALLER(36)

/* Defines the routine NAME of a type. */
#define ROUTINE(NAME, TYPE, COUNT, NB, WORDS)                                                                          \
    static scalay_compute_routine NAME##_record = {.name = #NAME};                                                     \
    static const scalay_moved_routine NAME##_routine = {&NAME##_record, TYPE, WORDS, COUNT, NB, call_##COUNT};         \
    SCALAY_SCALAPACK_API void NAME##_(PARAMETERS_##COUNT);                                                             \
    void NAME##_(PARAMETERS_##COUNT)                                                                                   \
    {                                                                                                                  \
        void *x[SCALAY_MAX_MOVED_ARGUMENTS] = {NAMES_##COUNT};                                                         \
        scalay_moved_call(&NAME##_routine, x, __builtin_return_address(0));                                            \
    }
#define REAL(NAME, ...)                                                                                                \
    ROUTINE(ps##NAME, SCALAY_FLOAT, __VA_ARGS__)                                                                       \
    ROUTINE(pd##NAME, SCALAY_DOUBLE, __VA_ARGS__)
#define COMPLEX(NAME, ...)                                                                                             \
    ROUTINE(pc##NAME, SCALAY_COMPLEX_FLOAT, __VA_ARGS__)                                                               \
    ROUTINE(pz##NAME, SCALAY_COMPLEX_DOUBLE, __VA_ARGS__)
#define BOTH(NAME, ...) REAL(NAME, __VA_ARGS__) COMPLEX(NAME, __VA_ARGS__)

SCALAY_MOVED_ROUTINES(BOTH, REAL, COMPLEX)
