/*
 * A call of a compute routine: its matrices are checked, compared between the processes, and become layouts.
 */
#include "dropin/computation.h"

#include <mpi.h>

#include "dropin/plan_cache.h"
#include "parallel/blacs.h"
#include "scalay/context.h"
#include "scalay/layout.h"
#include "scalay/model.h"

static int local_rows(const int *desc, int nprow, int myrow)
{
    const int blocks = desc[M_] / desc[MB_], distance = (myrow - desc[RSRC_] + nprow) % nprow;
    int rows = blocks / nprow * desc[MB_];
    if (distance < blocks % nprow) rows += desc[MB_];
    if (distance == blocks % nprow) rows += desc[M_] % desc[MB_];
    return rows;
}

/* Whether this process sees a submatrix that ScaLAPACK and this library accept. */
static int is_valid(const scalay_submatrix *s, int ctxt)
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

/* Whether all processes accept the call and see the same valid submatrices. *plans: the least number of plans that a
 * process keeps. */
static int agree(int count, const scalay_submatrix *s, int accepts, int ctxt, MPI_Comm mpi, int *plans)
{
    enum { MATRIX_FACTS = 10, FACTS = MATRIX_FACTS * SCALAY_MAX_MATRICES };
    int mine[2 * FACTS + 2] = {0}, least[2 * FACTS + 2];
    mine[2 * FACTS] = accepts;
    mine[2 * FACTS + 1] = scalay_call_settings()->plans;
    for (int k = 0; k < count; k++) {
        const int *d = s[k].desc;
        const int facts[MATRIX_FACTS] = {s[k].m, s[k].n, *s[k].i, *s[k].j,  d[M_],
                                         d[N_],  d[MB_], d[NB_],  d[RSRC_], d[CSRC_]};
        for (int f = 0; f < MATRIX_FACTS; f++) {
            mine[MATRIX_FACTS * k + f] = facts[f];
            mine[FACTS + MATRIX_FACTS * k + f] = -facts[f];
        }
        if (!is_valid(&s[k], ctxt)) mine[2 * FACTS] = 0;
    }
    MPI_Allreduce(mine, least, 2 * FACTS + 2, MPI_INT, MPI_MIN, mpi);
    *plans = least[2 * FACTS + 1];
    int same = least[2 * FACTS];
    for (int f = 0; f < FACTS; f++) same = same && least[f] == -least[FACTS + f];
    return same;
}

/* Creates the layout of a matrix on the grid of the context, whose processes are the ranks row by row. Local. */
static scalay_status create_layout(scalay_comm *comm, const scalay_submatrix *s, scalay_layout **layout)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_layout *parts = NULL, *whole = NULL;
    const int *d = s->desc;
    int nprow = 0, npcol = 0, myrow = 0, mycol = 0;
    Cblacs_gridinfo(d[CTXT_], &nprow, &npcol, &myrow, &mycol);
    SCALAY_TRY(scalay_layout_block_cyclic(d[M_], d[N_], d[MB_], d[NB_], nprow, npcol, d[RSRC_], d[CSRC_],
                                          SCALAY_ROW_MAJOR, &parts));
    SCALAY_TRY(scalay_layout_with_ld(parts, scalay_comm_rank(comm), d[LLD_], &whole));
    SCALAY_TRY(scalay_layout_submatrix(whole, *s->i - 1, *s->j - 1, s->m, s->n, layout));
cleanup:
    scalay_layout_destroy(&whole);
    scalay_layout_destroy(&parts);
    return status;
}

int scalay_computation_begin(scalay_compute_routine *routine, const void *caller, const scalay_submatrix *s,
                             double work, scalay_computation *c)
{
    *c = (scalay_computation){.options = scalay_one_call_options_default()};
    if (scalay_call_settings()->forced) c->options.placement = SCALAY_PLACEMENT_MOVE;
    if (scalay_call_settings()->is_reproducible) {
        c->machine = scalay_machine_typical();
        c->options.machine = &c->machine;
    }
    if (!scalay_compute_begin(routine, caller)) return 0;
    return caller == NULL || scalay_compute_may_answer(routine, work, s->desc[CTXT_]);
}

void scalay_computation_end(scalay_compute_routine *routine, const scalay_submatrix *s, const scalay_computation *c)
{
    const scalay_one_call_statistics *t = &c->statistics;
    const scalay_compute_decision decision = {.answered = !t->stays,
                                              .predicted_seconds =
                                                  t->stays ? t->predicted_stay_seconds
                                                           : t->predicted_move_seconds + t->predicted_kernel_seconds,
                                              .predicted_stay = t->predicted_stay_seconds};
    scalay_compute_end(routine, s, c->is_done ? &decision : NULL);
}

int scalay_computation_start(const char *routine, int count, const scalay_submatrix *s, int accepts,
                             scalay_computation *c)
{
    scalay_context_record *record = NULL;
    int plans = 0, nprow = -1, npcol = -1, myrow = -1, mycol = -1;
    c->call = (scalay_call){.routine = routine, .ctxt = s[0].desc[CTXT_]};
    if (c->call.ctxt >= 0) Cblacs_gridinfo(c->call.ctxt, &nprow, &npcol, &myrow, &mycol);
    if (nprow < 1 || myrow < 0) return 0;
    if (scalay_context_find(&c->call, &record) != SCALAY_SUCCESS) scalay_call_abort(&c->call);
    if (!agree(count, s, accepts, c->call.ctxt, record->mpi, &plans)) return 0;
    if (record->cache == NULL && scalay_plan_cache_create(&c->call, record, plans) != SCALAY_SUCCESS)
        scalay_call_abort(&c->call);
    c->comm = record->cache->comm;
    for (int k = 0; k < count; k++)
        if (create_layout(c->comm, &s[k], &c->layout[k]) != SCALAY_SUCCESS) scalay_call_abort(&c->call);
    return 1;
}

int scalay_computation_finish(scalay_computation *c, scalay_status status)
{
    for (int k = 0; k < SCALAY_MAX_MATRICES; k++) scalay_layout_destroy(&c->layout[k]);
    if (status == SCALAY_ERROR_UNSUPPORTED || status == SCALAY_ERROR_RANGE || status == SCALAY_ERROR_MEMORY) return 0;
    if (status != SCALAY_SUCCESS) scalay_call_need_all(&c->call, scalay_comm_handle(c->comm), status);
    c->is_done = 1;
    return 1;
}
