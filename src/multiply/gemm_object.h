#ifndef SCALAY_MULTIPLY_GEMM_OBJECT_H
#define SCALAY_MULTIPLY_GEMM_OBJECT_H

/** @file What a multiplication holds, and what its files share. */

#include "parallel/agree.h"
#include "parallel/blacs.h"
#include "parallel/comm.h"
#include "scalay/multiply.h"
#include "scalay/redist.h"

/** One of A, B and C. */
typedef struct {
    scalay_layout *target; /* where it is multiplied: a copy of where it is when it stays */
    scalay_op op;          /* that is left to the multiplication: what moves to a map is transposed on the way */
    int moves;
    int64_t held;    /* elements that this rank holds where the matrix is */
    void *copy;      /* the local array where it is multiplied, of scalay_alloc(); NULL when it stays */
    int desc[DLEN_]; /* for p?gemm */
    int ctxt;        /* of the descriptor; -1 on idle ranks, and without p?gemm */
} scalay_gemm_matrix;

struct scalay_gemm {
    scalay_comm *comm;
    scalay_type type;
    int64_t m, n, k;
    scalay_gemm_matrix a, b, c;
    scalay_owner_map *map; /* of C where it is multiplied, by parts */
    int *process;          /* shape [parts of the map]: who multiplies each */
    int grid[2];           /* of p?gemm; 0: SUMMA */
    scalay_plan *there;    /* of A and B, those that move; NULL: neither does */
    scalay_plan *back;     /* of C; NULL: it stays */
    int computes;          /* 0: SUMMA moves its panels alone */
    scalay_summa *summa;   /* NULL: p?gemm, or there is nothing to multiply */
    int64_t *segments;     /* shape [parts of the map]: that each reads of others' memory; NULL: panels are not read */
    int64_t *copied;       /* shape [parts of the map]: elements that each reads or copies; NULL: likewise */
    scalay_gemm_statistics statistics;
};

/** What a multiplication was asked to be. */
typedef struct {
    scalay_op op_a, op_b;
    const scalay_layout *a, *b, *c;
    const scalay_gemm_options *options;
} scalay_gemm_request;

/**
 * Checks a request and finds out where A, B and C are multiplied: targets, moves, map. Not collective. gemm has its
 * communicator and type; what was made is in gemm, also on failure.
 */
scalay_status scalay_gemm_prepare(scalay_gemm *gemm, const scalay_gemm_request *request);

/** Parts of the product's owner map on ranks, with A, B and C as they are given. */
typedef struct {
    int parts;
    int ranks;
    const scalay_layout *from[3]; /* A, B and C where they are, of the extents of the next; NULL: does not count */
    const scalay_layout *to[3];   /* their parts */
    const int *group;             /* as in scalay_gemm_options */
    scalay_objective objective;
} scalay_gemm_places;

/** Chooses who takes which part: process, shape [parts]. Not collective. */
scalay_status scalay_gemm_map_parts(const scalay_gemm_places *places, int *process);

/** Fills in the predictions of the statistics once the plans are made. Collective. */
scalay_status scalay_gemm_predict(scalay_gemm *gemm, const scalay_gemm_request *request);

/**
 * The model of SUMMA as it is planned: compute and communicate, shape [parts of the map], may be NULL. Not collective.
 * @param[in] seconds_per_flop  shape [ranks]; NULL: the machine's
 */
scalay_status scalay_gemm_model(const scalay_gemm *gemm, const scalay_machine *machine, const double *seconds_per_flop,
                                double *compute, double *communicate, scalay_multiply_time *time);

/** SCALAY_ERROR_ARGUMENT, in the name of scalay_gemm_execute(), when this rank needs an array and has none. */
scalay_status scalay_gemm_check_arrays(const scalay_gemm *gemm, const void *alpha, const void *a, const void *b,
                                       const void *c);

#endif
