#ifndef SCALAY_MULTIPLY_GEMM_H
#define SCALAY_MULTIPLY_GEMM_H

/** @file The plan of a product for any layouts, and what its files share. */

#include "multiply/product.h"
#include "parallel/agree.h"
#include "parallel/blacs.h"
#include "parallel/comm.h"
#include "scalay/multiply.h"
#include "scalay/redist.h"

/** One of A, B and C. */
typedef struct {
    scalay_layout *target; /* layout in which the product uses the matrix; a copy of its own layout if it stays */
    scalay_op op;          /* operation left to the product; a matrix that moves to an owner map is transposed then */
    int moves;
    int64_t elements; /* of this rank, in the layout of the caller */
    void *copy;       /* local array in the target layout, of scalay_alloc(); NULL if the matrix stays */
    int desc[DLEN_];  /* for p?gemm */
    int ctxt;         /* of the descriptor; -1 on idle ranks, and for SUMMA */
    int first[2];     /* 0-based row and column of the matrix in the distributed matrix of the descriptor */
} scalay_gemm_matrix;

struct scalay_gemm {
    scalay_comm *comm;
    scalay_type type;
    int64_t m, n, k;
    scalay_gemm_matrix a, b, c;
    scalay_owner_map *map;     /* of C in its target layout, by parts */
    int *process;              /* shape [parts of the map]: process of each part */
    int grid[2];               /* of p?gemm; 0: SUMMA */
    int in_place;              /* 1: p?gemm in the layouts of the caller */
    int64_t calls;             /* of the product so far */
    int64_t panel;             /* width of the panels of SUMMA; 0: chosen by its transport */
    double calls_before_plan;  /* in one call: calls before the next plan; INFINITY: none pays */
    scalay_plan *operand_plan; /* moves A and B; NULL: neither is moved */
    scalay_plan *result_plan;  /* moves C; NULL: C stays */
    int computes;              /* 0: SUMMA sends panels without multiplying */
    scalay_summa *summa;       /* NULL: p?gemm, or C is empty */
    int64_t *segments;         /* shape [parts of the map]: segments that each part reads; NULL: panels are sent */
    int64_t *copied;           /* shape [parts of the map]: elements that each part reads or copies; NULL: likewise */
    scalay_gemm_statistics statistics;
};

/** Arguments of scalay_gemm_create(). */
typedef struct {
    scalay_op op_a, op_b;
    const scalay_layout *a, *b, *c;
    const scalay_gemm_options *options; /* complete, not NULL */
    const scalay_machine *machine;      /* rates of the communicator, the same on all ranks; NULL: options->machine */
    const int *node;                    /* shape [ranks]: nodes, for the choice of p?gemm in place; NULL: one node */
    int allows_in_place;                /* 1: p?gemm may compute the product in the layouts of the caller */
    double page_seconds;                /* of the first access to a page of 4 KiB, likewise; 0: typical */
    int64_t calls;                      /* of the product so far */
} scalay_gemm_request;

/** Returns the rates for predictions; NULL: not measured. */
static inline const scalay_machine *scalay_gemm_request_machine(const scalay_gemm_request *request)
{
    return request->machine != NULL ? request->machine : request->options->machine;
}

/** Plans a product. Collective over comm; the ranks agree on the status. `status` is that of the checks of this rank.
 */
scalay_status scalay_gemm_plan(scalay_comm *comm, scalay_status status, scalay_type type,
                               const scalay_gemm_request *request, scalay_gemm **gemm);

/**
 * Checks a request and chooses the target layouts, the map and its processes. Not collective. gemm->comm and gemm->type
 * are set before.
 */
scalay_status scalay_gemm_choose_targets(scalay_gemm *gemm, const scalay_gemm_request *request);

/**
 * Returns 1 if the first products of a request are computed by p?gemm in the layouts of the caller: the request is
 * valid, its matrices are on one grid, and the plan of SUMMA takes longer than SUMMA gains. Sets m, n, k and
 * calls_before_plan. Not collective. gemm->comm and gemm->type are set before.
 */
int scalay_gemm_starts_in_place(scalay_gemm *gemm, const scalay_gemm_request *request);

/** Returns the bytes of the workspace of SUMMA on this rank. Not collective. */
int64_t scalay_gemm_workspace(const scalay_gemm *gemm);

/** Calls p?gemm on the ranks of the grid, with the descriptors of the matrices. Collective over the grid.
 * @param[in] beta  NULL: 0 */
void scalay_gemm_multiply_on_grid(const scalay_gemm *gemm, const void *alpha, const void *a, const void *b,
                                  const void *beta, void *c);

/** Sets the predictions in the statistics. Collective over gemm->comm, after planning. */
scalay_status scalay_gemm_predict(scalay_gemm *gemm, const scalay_gemm_request *request);

/**
 * Predicts the planned product by SUMMA. Not collective.
 * @param[in]  seconds_per_flop      shape [ranks]; NULL: the rate of the machine
 * @param[out] compute, communicate  shape [parts of the map]; NULL: not wanted
 * @param[out] time                  maximum over the parts
 */
scalay_status scalay_gemm_model(const scalay_gemm *gemm, const scalay_machine *machine, const double *seconds_per_flop,
                                double *compute, double *communicate, scalay_multiply_time *time);

#endif
