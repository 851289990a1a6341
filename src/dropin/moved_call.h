#ifndef SCALAY_DROPIN_MOVED_CALL_H
#define SCALAY_DROPIN_MOVED_CALL_H

/** @file A call of moved.h, for moved.c, moved_choice.c and moved_solve.c. */

#include "dropin/computation.h"
#include "dropin/kept_factors.h"
#include "dropin/moved.h"
#include "dropin/moved_target.h"

enum { MAX_ARGUMENTS = SCALAY_MAX_MOVED_ARGUMENTS, MAX_WORKSPACES = 4 };

/* A matrix of a call, and its copy on the target. */
typedef struct {
    int position;          /* of the array among the arguments */
    char use;              /* of moved.h: '*', '<', '>' or '+' */
    int is_absent;         /* 1: a matrix that is written only if a job letter is V, and is not */
    int has_rows_of_first; /* 1: begins on the process row of the first matrix, or ScaLAPACK refuses it */
    scalay_submatrix s;
    void *copy;
    int is_kept;  /* 1: the copy was kept, and has the elements of the matrix */
    size_t bytes; /* of the copy */
} moved_matrix;

/* An array of workspace and its length. */
typedef struct {
    int position; /* the length follows */
    int is_int;
    int holds_vectors; /* 1: its length limits what is orthogonalised */
    int is_short;      /* 1: the length of the query lacks what p?ormtr needs */
    size_t size;       /* of an entry */
    double first[2];   /* entry with the length that the query of the caller's arguments returns */
    int length;        /* on the target */
    void *array;
} workspace;

typedef struct {
    const scalay_moved_routine *routine;
    void **x;                     /* the arguments of the caller */
    void *changed[MAX_ARGUMENTS]; /* those of the call on the target */
    int matrices, workspaces;
    moved_matrix matrix[SCALAY_MAX_MATRICES];
    workspace work[MAX_WORKSPACES];
    scalay_uplo uplo; /* part of the first matrix that is moved */
    int pivots;       /* position; -1: none */
    char pivots_use;
    int *all_pivots; /* of the submatrix, 1-based within it, shape [rows]; 0: not known to this process */
    int *new_pivots; /* of this process on the target */
    int tau;         /* position; -1: none */
    int tau_matrix;
    char *all_tau;    /* shape [q] */
    char *new_tau;    /* of this process on the target */
    int extents[128]; /* by letter */
    scalay_computation computation;
    int nprow, npcol, nb; /* of the target */
    scalay_moved_target *target;
    scalay_compute_decision decision;
    int64_t bytes;          /* of the copies and workspaces of this process */
    scalay_kept_key key;    /* of the first matrix */
    int may_keep;           /* 1: the copy of the first matrix is kept */
    int moves;              /* 0: the call stays if it is not solved in place */
    int moves_before_solve; /* equal calls that move before they are solved in place; INT_MAX: all */
} moved_call;

/* An argument that is an int. */
static inline int scalay_moved_value(const moved_call *c, int position)
{
    return *(const int *)c->x[position];
}

/* Whether an argument is a letter, in either case. */
static inline int scalay_moved_is_letter(const void *argument, char letter)
{
    const char c = *(const char *)argument;
    return c == letter || c == letter - 'A' + 'a';
}

/** Whether the call solves with a triangle or a factor from one side. From the left, columns of B are independent. */
int scalay_moved_solves(const moved_call *c);

/**
 * Whether the call may be worth a move, or a solve in place. Local; the same on all processes for equal arguments. Sets
 * the target, the reason, and whether the call moves as far as descriptors say.
 */
int scalay_moved_should_move(moved_call *c);

/** Sets whether and where to a driver, or a call that descriptors find well placed, moves by predicted times, if the
 *  machine was measured. Collective; the call has started. */
void scalay_moved_weigh(moved_call *c);

/** Predicts the call for the reports of process 0, once for each target. */
void scalay_moved_predict(moved_call *c);

/** What is reported of a call that stays where its matrices are; NULL: its reason alone. */
const scalay_compute_decision *scalay_moved_decision_to_stay(moved_call *c);

/** Returns 1 if all processes have succeeded. Collective. */
int scalay_moved_all_succeed(const moved_call *c, scalay_status status);

/** Sets the pivots of all rows, shape [rows of the first matrix]; 1-based. Returns 0 if one of them is no row, on all
 *  processes. Collective. */
int scalay_moved_read_pivots(const moved_call *c, int *all);

/** Returns 0 for a solve with a letter that ScaLAPACK refuses, or with alpha = 0, which does not read A. */
int scalay_moved_is_regular(const moved_call *c);

/**
 * Solves with triangles where they are, if libscalay's kernel supports it. Collective; the call has started.
 * @return 1 if the call is done
 */
int scalay_moved_solve(moved_call *c);

#endif
