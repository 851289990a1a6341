/* p?tran, p?tranu and p?tranc. Without alpha, C is scaled in place; else the call is answered by a plan. */
#include <complex.h>
#include <string.h>

#include "dropin/answer.h"
#include "dropin/last_call.h"
#include "parallel/blacs.h"
#include "scalay/scalapack.h"

/* One of the routines. */
typedef struct {
    const char *name;   /* "pdtran" */
    const char *symbol; /* "pdtran_" */
    scalay_type type;
    scalay_op op;
} transposition;

static int is_zero(scalay_type type, const void *scalar)
{
    switch (type) {
    case SCALAY_FLOAT:
        return *(const float *)scalar == 0;
    case SCALAY_DOUBLE:
        return *(const double *)scalar == 0;
    case SCALAY_COMPLEX_FLOAT:
        return *(const float _Complex *)scalar == 0;
    default:
        return *(const double _Complex *)scalar == 0;
    }
}

static int is_one(scalay_type type, const void *scalar)
{
    switch (type) {
    case SCALAY_FLOAT:
        return *(const float *)scalar == 1;
    case SCALAY_DOUBLE:
        return *(const double *)scalar == 1;
    case SCALAY_COMPLEX_FLOAT:
        return *(const float _Complex *)scalar == 1;
    default:
        return *(const double _Complex *)scalar == 1;
    }
}

#define ELEMENT float
#define SCALE_COLUMN scale_float
#include "dropin/scale_worker.h"
#define ELEMENT double
#define SCALE_COLUMN scale_double
#include "dropin/scale_worker.h"
#define ELEMENT float _Complex
#define SCALE_COLUMN scale_complex_float
#include "dropin/scale_worker.h"
#define ELEMENT double _Complex
#define SCALE_COLUMN scale_complex_double
#include "dropin/scale_worker.h"

static void scale_column(scalay_type type, int64_t count, const void *factor, void *column)
{
    switch (type) {
    case SCALAY_FLOAT:
        scale_float(count, factor, column);
        break;
    case SCALAY_DOUBLE:
        scale_double(count, factor, column);
        break;
    case SCALAY_COMPLEX_FLOAT:
        scale_complex_float(count, factor, column);
        break;
    default:
        scale_complex_double(count, factor, column);
        break;
    }
}

static void scale_window(scalay_type type, const scalay_local_window *window, int64_t ld, const void *factor,
                         void *array)
{
    const size_t size = scalay_type_size(type);
    const int64_t rows = window->row_end - window->row;
    const int clears = is_zero(type, factor);
    for (int64_t j = window->col; j < window->col_end; j++) {
        char *column = (char *)array + (size_t)(window->row + j * ld) * size;
        if (clears)
            memset(column, 0, (size_t)rows * size);
        else
            scale_column(type, rows, factor, column);
    }
}

/* ------------------------------------------------------------------------------------------ left to ScaLAPACK */

typedef void pblas_routine(const int *, const int *, const void *, const void *, const int *, const int *, const int *,
                           const void *, void *, const int *, const int *, const int *);

/* PBLAS has descriptors with a first block of its own (type 2), and matrices that are on every process row or column.
 */
static int is_special(const int *desc)
{
    return desc[DTYPE_] == 2 || (desc[DTYPE_] == 1 && (desc[RSRC_] == -1 || desc[CSRC_] == -1));
}

/* Arguments of a call. */
typedef struct {
    const transposition *routine;
    pblas_routine *next; /* the routine that the program would call without this library; NULL: not found */
    const int *m, *n;
    const void *alpha, *a;
    const int *ia, *ja, *desca;
    const void *beta;
    void *c;
    const int *ic, *jc, *descc;
} transpose_arguments;

static void leave(const void *arguments)
{
    const transpose_arguments *x = arguments;
    x->next(x->m, x->n, x->alpha, x->a, x->ia, x->ja, x->desca, x->beta, x->c, x->ic, x->jc, x->descc);
}

static void refuse_special(const transpose_arguments *x)
{
    const int is_a = is_special(x->desca);
    scalay_call call = {.routine = x->routine->name, .ctxt = x->desca[CTXT_]};
    (void)scalay_call_refuse(&call, is_a ? 7 : 12, 0,
                             "DESC%s has a first block of its own, or its matrix is on every process row or column; "
                             "that is left to ScaLAPACK's own %s, which was not found; link ScaLAPACK's shared library",
                             is_a ? "A" : "C", x->routine->name);
    scalay_call_abort(&call);
}

/* ------------------------------------------------------------------------------------------ checks of its own */

static scalay_status check_kind(scalay_call *call, const char *matrix, int position, const int *desc)
{
    if (desc[DTYPE_] == 1) return SCALAY_SUCCESS;
    return scalay_call_refuse(call, position, 1,
                              "DESC%s(1) (DTYPE_) = %d is not a dense matrix' (1 or 2); set it up with descinit",
                              matrix, desc[DTYPE_]);
}

/* PBLAS works within one context. */
static scalay_status check_contexts(scalay_call *call, const int *desca, const int *descc)
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(check_kind(call, "A", 7, desca));
    SCALAY_TRY(check_kind(call, "C", 12, descc));
    if (descc[CTXT_] != desca[CTXT_])
        status = scalay_call_refuse(call, 12, 2,
                                    "DESCC(2) (CTXT_) = %d, but A is on context %d; p?tran works within one, p?gemr2d "
                                    "moves between two",
                                    descc[CTXT_], desca[CTXT_]);
cleanup:
    return status;
}

/* There is no context to agree in, so the process speaks for itself. */
static void refuse_context(scalay_call *call)
{
    (void)scalay_call_refuse(call, 7, 2, "DESCA(2) (CTXT_) = %d is not a BLACS context that this process is in",
                             call->ctxt);
    scalay_call_abort(call);
}

/* Without alpha A is not read, and C stays where it is. */
static void scale_only(scalay_call *call, scalay_status status, const void *beta, const int *descc)
{
    if (status != SCALAY_SUCCESS) scalay_call_abort(call);
    const scalay_local_window window = scalay_local_window_of(&call->key.b, call->key.m, call->key.n);
    if (!scalay_local_window_is_empty(&window))
        scale_window(call->key.type, &window, descc[LLD_], beta, call->operands.b);
}

static void answer(const transpose_arguments *x)
{
    const scalay_type type = x->routine->type;
    if (*x->m == 0 || *x->n == 0 || (is_zero(type, x->alpha) && is_one(type, x->beta))) return;
    scalay_call call = {.routine = x->routine->name, .ctxt = x->desca[CTXT_], .m_position = 1, .ctxt_position = 7};
    call.key = (scalay_call_key){.type = type, .op = (int)x->routine->op, .m = *x->m, .n = *x->n};
    const scalay_matrix_argument from = {"A", (void *)x->a, *x->ia, *x->ja, x->desca, 4},
                                 to = {"C", x->c, *x->ic, *x->jc, x->descc, 9};
    scalay_status status = check_contexts(&call, x->desca, x->descc);
    if (status == SCALAY_SUCCESS) status = scalay_call_read(&call, &from, &to);
    if (status == SCALAY_SUCCESS && !call.key.a.member) refuse_context(&call);
    call.operands.alpha = x->alpha;
    call.operands.beta = x->beta;
    if (x->next != NULL) {
        call.leave = leave;
        call.arguments = x;
    }
    if (is_zero(type, x->alpha))
        scale_only(&call, status, x->beta, x->descc);
    else
        scalay_call_answer(&call, status);
}

/* `next` caches the routine of ScaLAPACK. */
static void transpose(const transpose_arguments *arguments, scalay_routine **next, int is_prefixed)
{
    transpose_arguments x = *arguments;
    if (*next == NULL) *next = scalay_next_routine(x.routine->symbol);
    x.next = (pblas_routine *)*next;
    const int special = is_special(x.desca) || is_special(x.descc);
    const int leaves = special || (!is_prefixed && !scalay_is_answered(x.routine->name));
    scalay_last_call_begin(x.routine->name);
    if (leaves && x.next != NULL)
        leave(&x);
    else if (special)
        refuse_special(&x);
    else
        answer(&x);
    scalay_last_call_end();
}

/* p?tran, p?tranu and p?tranc, under PBLAS' names and with the prefix scalay_. */

#define ELEMENT float
#define TYPE SCALAY_FLOAT
#define OP SCALAY_TRANSPOSE
#define NAME pstran
#include "dropin/transposes_worker.h"

#define ELEMENT double
#define TYPE SCALAY_DOUBLE
#define OP SCALAY_TRANSPOSE
#define NAME pdtran
#include "dropin/transposes_worker.h"

#define ELEMENT float
#define TYPE SCALAY_COMPLEX_FLOAT
#define OP SCALAY_TRANSPOSE
#define NAME pctranu
#include "dropin/transposes_worker.h"

#define ELEMENT double
#define TYPE SCALAY_COMPLEX_DOUBLE
#define OP SCALAY_TRANSPOSE
#define NAME pztranu
#include "dropin/transposes_worker.h"

#define ELEMENT float
#define TYPE SCALAY_COMPLEX_FLOAT
#define OP SCALAY_CONJUGATE_TRANSPOSE
#define NAME pctranc
#include "dropin/transposes_worker.h"

#define ELEMENT double
#define TYPE SCALAY_COMPLEX_DOUBLE
#define OP SCALAY_CONJUGATE_TRANSPOSE
#define NAME pztranc
#include "dropin/transposes_worker.h"
