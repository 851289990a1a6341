#ifndef SCALAY_FACTOR_SOLVE_PLAN_H
#define SCALAY_FACTOR_SOLVE_PLAN_H

/** @file Data of solves with triangles; see solve.c. */

#include <stdatomic.h>

#include "factor/engine_arithmetic.h"
#include "factor/solve.h"
#include "layout/axis.h"
#include "parallel/comm.h"
#include "parallel/shared_memory.h"

/** How the indices of a matrix are divided, in panels of consecutive indices. */
typedef struct {
    int classes;
    int64_t first; /* local index of the first index of the own class */
    int *count;    /* shape [classes][panels + 1]: indices of a class before a panel */
    int *position; /* shape [n]: positions in the panel, those of class 0 first, then class 1, ... */
} scalay_solve_axis;

/** A triangle, and who does what. */
typedef struct {
    scalay_triangle triangle;
    int is_forward; /* 1: index 0 is solved for first */
    const scalay_solve_axis *out, *in;
    int own_out, own_in; /* classes of this rank */
    int transposed;      /* 1: op is not N */
} scalay_sweep;

/** A part of an array of B that has consecutive indices on one axis. */
typedef struct {
    int count;
    int *index;    /* shape [count]: in the matrix, ascending */
    int64_t first; /* local */
} scalay_solve_indices;

/** Operations of one element type besides those of the engine. */
typedef struct {
    void (*load)(int rows, int cols, const void *alpha, const void *b, int64_t ldb, scalay_op op, const int *row,
                 const int *col, void *x, int64_t ldx);
    void (*store)(int rows, int cols, void *b, int64_t ldb, scalay_op op, const int *row, const int *col, const void *x,
                  int64_t ldx);
    void (*add_rows)(int rows, int cols, const int *to, const void *s, int64_t lds, void *t, int ldt);
    void (*solve)(const scalay_triangle *triangle, int m, int n, const void *d, int ldd, void *t, int ldt);
} scalay_solve_arithmetic;

/** What the processes tell each other. Steps are numbered through all executions, from 1. */
typedef struct {
    _Alignas(64) _Atomic int64_t solved; /* last step whose part of X this process has computed */
    _Alignas(64) _Atomic int64_t summed; /* the sums of this process for this step are complete */
    _Alignas(64) _Atomic int64_t copied; /* this process has copied its elements of the panel of this step */
    _Alignas(64) _Atomic int64_t passed; /* barriers */
} scalay_solve_board;

/** Panels that are in shared memory at a time. */
enum { SCALAY_SOLVE_PLACES = 2 };

/** A range of indices. */
typedef struct {
    int begin, end;
} scalay_solve_range;

/** A part of a triangle that the process which has it lends to the other one. */
typedef struct {
    scalay_solve_range rows, cols;
    char *copy; /* shared, shape [ld] x [cols] */
    int ld;
} scalay_solve_loan;

/** How two processes with a slab each divide a triangle; see solve_slabs.c. The process of slab 0 is number 0 here. */
typedef struct {
    int axis;                  /* that is divided: 0: rows, 1: columns */
    int process[2];            /* rank of the process of each slab */
    int own;                   /* slab of this process */
    int second, split;         /* first index of slab 1; first index of the part of slab 1 that process 0 works on */
    int panels;                /* of slab 0 */
    scalay_solve_loan loan[2]; /* of the lower and of the upper triangle */
    char *sum;                 /* shared, shape [longer slab] x columns */
} scalay_solve_slabs;

struct scalay_solve {
    scalay_comm *comm;
    const scalay_engine_arithmetic *arithmetic;
    const scalay_solve_arithmetic *own;
    size_t size; /* of an element */
    int processes, process;
    int n, columns;    /* of X */
    int width, panels; /* indices of a panel */
    int chunk;         /* columns that are solved for at a time */
    scalay_op op_b;
    int spins; /* of a wait before the core is yielded */
    scalay_solve_way way;
    scalay_layout *a, *b; /* owned copies */
    int64_t lda, ldb;
    scalay_solve_axis axis[2];       /* rows and columns of A */
    scalay_solve_indices rows, cols; /* of B */
    int sweeps;
    scalay_sweep sweep[2];
    int64_t bytes; /* of the window */
    scalay_shared_window window;
    scalay_solve_board *board;        /* shape [processes] */
    char *x;                          /* shared: X, shape [n] x chunk */
    int slots;                        /* of `sums` and `d`, in place: step k uses slot k modulo slots */
    char *sums;                       /* shared: sums for a panel, shape [processes][slots][width] x chunk */
    char *d;                          /* shared: diagonal blocks, shape [slots][width] x width */
    char *panel[SCALAY_SOLVE_PLACES]; /* shared, of shares: panels of A, shape [ldp] x [width] */
    int ldp;
    scalay_solve_slabs slabs;
    int *target;            /* rows of X for rows of op(B), shape [n] */
    int *source;            /* rows of op(B) for rows of X, shape [n] */
    int *row_map, *col_map; /* of X, for the rows and columns of B of this rank */
    char *sum;              /* in place: sums of this rank, shape [rows of the class of `out`] x chunk */
    char *block, *inner;    /* in place: parts of X, shape [width] x chunk */
    int64_t barriers, step; /* passed; of the executions before */
};

/** A run of the steps for some columns of X. */
typedef struct {
    scalay_solve *s;
    const char *a;
    int columns;   /* of X */
    int is_first;  /* 1: the first run of a call */
    int64_t first; /* number of the step before the first one */
} scalay_solve_pass;

const scalay_solve_arithmetic *scalay_solve_arithmetic_of(scalay_type type);

/** Waits until a number on a board is at least `least`. */
void scalay_solve_wait(const scalay_solve *s, const _Atomic int64_t *value, int64_t least);

/** Sets `slabs` but for its shared arrays. Returns 0 if A has no slabs of two processes that can be balanced. */
int scalay_solve_find_slabs(scalay_solve *s);

/** The bytes of the copy of a loan, which solves with this triangle use. */
int64_t scalay_solve_loan_bytes(const scalay_solve *s, scalay_uplo uplo);

/** Solves for the columns of a pass, in X. */
void scalay_solve_run_slabs(const scalay_solve_pass *p);

/** The number of a step on the boards. */
static inline int64_t scalay_solve_number(const scalay_solve_pass *p, int sweep, int step)
{
    return p->first + (int64_t)sweep * p->s->panels + step + 1;
}

/** Indices of a class in a panel. */
static inline int scalay_solve_count(const scalay_solve *s, const scalay_solve_axis *axis, int class, int panel)
{
    const int *count = axis->count + class * (s->panels + 1);
    return count[panel + 1] - count[panel];
}

/** Where the indices of a class begin among the positions of a panel. */
static inline int scalay_solve_begin(const scalay_solve *s, const scalay_solve_axis *axis, int class, int panel)
{
    int begin = 0;
    for (int c = 0; c < class; c++) begin += scalay_solve_count(s, axis, c, panel);
    return begin;
}

static inline int scalay_solve_panel_width(const scalay_solve *s, int panel)
{
    return panel + 1 < s->panels ? s->width : s->n - panel * s->width;
}

/** Class of a process on the out (or in) axis of a sweep. */
int scalay_solve_class(const scalay_solve *s, const scalay_solve_axis *axis, int process);

#endif
