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

#include "dropin/compute.h"
#include "dropin/plan_cache.h"
#include "parallel/blacs.h"
#include "scalay/context.h"
#include "scalay/factor.h"
#include "scalay/layout.h"
#include "scalay/model.h"
#include "scalay/multiply.h"
#include "scalay/scalapack.h"

enum { MAX_MATRICES = 3 };

/* A submatrix of a call. */
typedef struct {
    int m, n;
    const int *i, *j;
    const int *desc;
} submatrix;

/* A call that is computed here. */
typedef struct {
    scalay_call call;
    int is_done;                         /* 1: libscalay has computed it */
    scalay_comm *comm;                   /* owned by the cache of the context */
    scalay_layout *layout[MAX_MATRICES]; /* the matrix that is written comes first */
    scalay_one_call_options options;
    scalay_machine machine;
    scalay_one_call_statistics statistics;
} computation;

static int local_rows(const int *desc, int nprow, int myrow)
{
    const int blocks = desc[M_] / desc[MB_], distance = (myrow - desc[RSRC_] + nprow) % nprow;
    int rows = blocks / nprow * desc[MB_];
    if (distance < blocks % nprow) rows += desc[MB_];
    if (distance == blocks % nprow) rows += desc[M_] % desc[MB_];
    return rows;
}

/* Whether this process sees a submatrix that ScaLAPACK and this library accept. */
static int is_valid(const submatrix *s, int ctxt)
{
    int nprow = -1, npcol = -1, myrow = -1, mycol = -1;
    const int *desc = s->desc;
    Cblacs_gridinfo(ctxt, &nprow, &npcol, &myrow, &mycol);
    if (desc[DTYPE_] != 1 || desc[CTXT_] != ctxt || s->m < 0 || s->n < 0 || *s->i < 1 || *s->j < 1) return 0;
    if (desc[MB_] < 1 || desc[NB_] < 1 || desc[RSRC_] < 0 || desc[RSRC_] >= nprow || desc[CSRC_] < 0) return 0;
    if (desc[CSRC_] >= npcol || *s->i - 1 > desc[M_] - s->m || *s->j - 1 > desc[N_] - s->n) return 0;
    const int rows = local_rows(desc, nprow, myrow);
    return desc[LLD_] >= (rows > 1 ? rows : 1);
}

/* Whether all processes see the same valid submatrices. *plans: the least number of plans that a process keeps. */
static int agree(int count, const submatrix *s, int ctxt, MPI_Comm mpi, int *plans)
{
    enum { FACTS = 4 * MAX_MATRICES };
    int mine[2 * FACTS + 2] = {0}, least[2 * FACTS + 2];
    mine[2 * FACTS] = 1;
    mine[2 * FACTS + 1] = scalay_call_settings()->plans;
    for (int k = 0; k < count; k++) {
        const int facts[4] = {s[k].m, s[k].n, *s[k].i, *s[k].j};
        for (int f = 0; f < 4; f++) {
            mine[4 * k + f] = facts[f];
            mine[FACTS + 4 * k + f] = -facts[f];
        }
        if (!is_valid(&s[k], ctxt)) mine[2 * FACTS] = 0;
    }
    MPI_Allreduce(mine, least, 2 * FACTS + 2, MPI_INT, MPI_MIN, mpi);
    *plans = least[2 * FACTS + 1];
    int same = least[2 * FACTS];
    for (int f = 0; f < FACTS; f++) same = same && least[f] == -least[FACTS + f];
    return same;
}

static scalay_status create_layout(scalay_comm *comm, const submatrix *s, scalay_layout **layout)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_layout *whole = NULL;
    SCALAY_TRY(scalay_layout_from_desc(comm, s->desc, &whole));
    SCALAY_TRY(scalay_layout_submatrix(whole, *s->i - 1, *s->j - 1, s->m, s->n, layout));
cleanup:
    scalay_layout_destroy(&whole);
    return status;
}

/* Begins a call. Returns 0 if ScaLAPACK's routine is to be called. caller: NULL for names with the prefix. */
static int begin(scalay_compute_routine *routine, const void *caller, const submatrix *s, double work, computation *c)
{
    *c = (computation){.options = scalay_one_call_options_default()};
    if (scalay_call_settings()->is_reproducible) {
        c->machine = scalay_machine_typical();
        c->options.machine = &c->machine;
    }
    if (!scalay_compute_begin(routine)) return 0;
    return caller == NULL || scalay_compute_may_answer(routine, work, s->desc[CTXT_], caller);
}

/* Ends a call whose result is the first submatrix. */
static void end(scalay_compute_routine *routine, const submatrix *s, const computation *c)
{
    const scalay_one_call_statistics *t = &c->statistics;
    const scalay_compute_decision decision = {.answered = !t->stays,
                                              .predicted_seconds =
                                                  t->stays ? t->predicted_stay_seconds
                                                           : t->predicted_move_seconds + t->predicted_kernel_seconds,
                                              .predicted_stay = t->predicted_stay_seconds};
    scalay_compute_end(routine, s->m, s->n, c->is_done ? &decision : NULL);
}

/* Reads a call. Returns 0 if ScaLAPACK's routine is to be called instead; the same on all processes of the context. */
static int start(const char *routine, int count, const submatrix *s, computation *c)
{
    scalay_context_record *record = NULL;
    int plans = 0, nprow = -1, npcol = -1, myrow = -1, mycol = -1;
    c->call = (scalay_call){.routine = routine, .ctxt = s[0].desc[CTXT_]};
    if (c->call.ctxt >= 0) Cblacs_gridinfo(c->call.ctxt, &nprow, &npcol, &myrow, &mycol);
    if (nprow < 1 || myrow < 0) return 0;
    if (scalay_context_find(&c->call, &record) != SCALAY_SUCCESS) scalay_call_abort(&c->call);
    if (!agree(count, s, c->call.ctxt, record->mpi, &plans)) return 0;
    if (record->cache == NULL && scalay_plan_cache_create(&c->call, record, plans) != SCALAY_SUCCESS)
        scalay_call_abort(&c->call);
    c->comm = record->cache->comm;
    for (int k = 0; k < count; k++)
        scalay_call_need_all(&c->call, scalay_comm_handle(c->comm), create_layout(c->comm, &s[k], &c->layout[k]));
    return 1;
}

/* Ends a call. Returns 0 if ScaLAPACK's routine is to be called instead. Other errors end the program. */
static int finish(computation *c, scalay_status status)
{
    for (int k = 0; k < MAX_MATRICES; k++) scalay_layout_destroy(&c->layout[k]);
    if (status == SCALAY_ERROR_UNSUPPORTED || status == SCALAY_ERROR_RANGE) return 0;
    scalay_call_need_all(&c->call, scalay_comm_handle(c->comm), status);
    c->is_done = 1;
    return 1;
}

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

#define JOIN3(a, b, c) a##b##c
#define JOIN(a, b, c) JOIN3(a, b, c)
#define TEXT2(a) #a
#define TEXT(a) TEXT2(a)

#define LETTER s
#define REAL float
#define SCALAR(x) (*(x))
#define IS_ZERO(x) (*(x) == 0)
#include "dropin/computations_worker.h"

#define LETTER d
#define REAL double
#define SCALAR(x) (*(x))
#define IS_ZERO(x) (*(x) == 0)
#include "dropin/computations_worker.h"

#define LETTER c
#define REAL float
#define SCALAR(x) (x)
#define IS_ZERO(x) ((x)[0] == 0 && (x)[1] == 0)
#include "dropin/computations_worker.h"

#define LETTER z
#define REAL double
#define SCALAR(x) (x)
#define IS_ZERO(x) ((x)[0] == 0 && (x)[1] == 0)
#include "dropin/computations_worker.h"
