/* Process grids and block sizes that a choice compares. */
#include "model/shapes.h"

#include "base/integer.h"
#include "base/status.h"

/* Up to this number of processes, all shapes are visited. */
enum { ALL_SHAPES = 256 };
static const int blocks[] = {8, 16, 24, 32, 48, 64, 96, 128, 192, 256};
enum { BLOCKS = (int)(sizeof blocks / sizeof blocks[0]) };

/* A visit. */
typedef struct {
    const scalay_qr_limits *limits;
    int64_t m, n;
    scalay_shape_visitor visitor;
    void *context;
} visit;

scalay_status scalay_shapes_check(const scalay_qr_limits *limits, const char *function)
{
    if (scalay_check_not_null(limits, function, "limits") != SCALAY_SUCCESS) return SCALAY_ERROR_ARGUMENT;
    if (limits->processes < 1)
        return scalay_fail(SCALAY_ERROR_ARGUMENT, function, "processes is %d; it must be at least 1",
                           limits->processes);
    if (limits->nprow < 0 || limits->npcol < 0 || limits->nb < 0)
        return scalay_fail(SCALAY_ERROR_ARGUMENT, function,
                           "nprow, npcol, nb are %d, %d, %d; they must be at least 0. 0: all are compared",
                           limits->nprow, limits->npcol, limits->nb);
    int64_t least = scalay_max_int64(1, limits->nprow) * scalay_max_int64(1, limits->npcol);
    if (least > limits->processes)
        return scalay_fail(SCALAY_ERROR_INFEASIBLE, function, "the grid is %d x %d; it must have at most %d processes",
                           limits->nprow, limits->npcol, limits->processes);
    return SCALAY_SUCCESS;
}

/* Returns 1 if the grid has more rows or columns than the matrix has blocks: some of them would have no element. */
static int too_long(int64_t extent, int nb, int processes, int wanted)
{
    return wanted == 0 && processes > 1 && processes > scalay_ceil_div(extent, nb);
}

static scalay_status visit_shape(const visit *v, int nprow, int npcol)
{
    scalay_status status = SCALAY_SUCCESS;
    const scalay_qr_limits *limits = v->limits;
    for (int k = 0; k < (limits->nb > 0 ? 1 : BLOCKS); k++) {
        /* A block that holds the matrix: larger ones are the same layout. */
        if (k > 0 && blocks[k - 1] >= v->m && blocks[k - 1] >= v->n) break;
        int nb = limits->nb > 0 ? limits->nb : blocks[k];
        if (too_long(v->m, nb, nprow, limits->nprow) || too_long(v->n, nb, npcol, limits->npcol)) break;
        SCALAY_TRY(v->visitor(nprow, npcol, nb, v->context));
    }
cleanup:
    return status;
}

/* Returns the number of grid rows after nprow; beyond ALL_SHAPES, the largest with the same number of columns. */
static int next_rows(int processes, int nprow)
{
    if (processes <= ALL_SHAPES || nprow >= processes) return nprow + 1;
    return processes / (processes / (nprow + 1));
}

static int next_cols(int processes, int npcol)
{
    return processes <= ALL_SHAPES ? npcol - 1 : npcol / 2;
}

static scalay_status visit_rows(const visit *v, int nprow)
{
    scalay_status status = SCALAY_SUCCESS;
    const scalay_qr_limits *limits = v->limits;
    int most = limits->processes / nprow;
    if (limits->npcol > 0) return limits->npcol <= most ? visit_shape(v, nprow, limits->npcol) : status;
    for (int npcol = most; npcol >= 1; npcol = next_cols(limits->processes, npcol))
        SCALAY_TRY(visit_shape(v, nprow, npcol));
cleanup:
    return status;
}

scalay_status scalay_shapes_visit(const scalay_qr_limits *limits, int64_t m, int64_t n, scalay_shape_visitor visitor,
                                  void *context)
{
    scalay_status status = SCALAY_SUCCESS;
    const visit v = {limits, m, n, visitor, context};
    if (limits->nprow > 0) return visit_rows(&v, limits->nprow);
    for (int nprow = 1; nprow <= limits->processes; nprow = next_rows(limits->processes, nprow))
        SCALAY_TRY(visit_rows(&v, nprow));
cleanup:
    return status;
}
