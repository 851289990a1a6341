/* scalay_grid_create(): the BLACS context and the descriptor of a block-cyclic layout after a mapping. */
#include "base/fingerprint.h"
#include "base/integer.h"
#include "base/memory.h"
#include "layout/layout.h"
#include "parallel/agree.h"
#include "parallel/blacs.h"
#include "parallel/comm.h"
#include "redist/plan.h"
#include "scalay/redist.h"

/* The public function, for messages. */
static const char function[] = "scalay_grid_create";

static scalay_status check_target(const scalay_layout *target)
{
    if (!scalay_layout_is_grid(target))
        return scalay_fail(SCALAY_ERROR_UNSUPPORTED, function,
                           "target is a tile map; it must be a block-cyclic layout for ScaLAPACK");
    if (target->row.extent != target->row.whole || target->col.extent != target->col.whole)
        return scalay_fail(SCALAY_ERROR_ARGUMENT, function,
                           "target is a %lld x %lld submatrix of %lld x %lld; it must be the whole matrix. Pass ia and "
                           "ja to ScaLAPACK.",
                           (long long)target->row.extent, (long long)target->col.extent, (long long)target->row.whole,
                           (long long)target->col.whole);
    return SCALAY_SUCCESS;
}

/* Fills the descriptor except for the context. LLD is that of this rank, 1 outside the grid. */
static scalay_status fill_descriptor(const scalay_comm *comm, const scalay_layout *target, int *desc)
{
    scalay_status status = SCALAY_SUCCESS;
    const int part = scalay_layout_part_of_process(target, comm->rank);
    const int64_t lld = part >= 0 ? scalay_layout_cell(target, part, 0).ld : 1;
    desc[DTYPE_] = 1;
    desc[CTXT_] = -1;
    SCALAY_TRY(scalay_to_int(target->row.whole, function, "rows of target", &desc[M_]));
    SCALAY_TRY(scalay_to_int(target->col.whole, function, "columns of target", &desc[N_]));
    SCALAY_TRY(scalay_to_int(target->row.block, function, "mb of target", &desc[MB_]));
    SCALAY_TRY(scalay_to_int(target->col.block, function, "nb of target", &desc[NB_]));
    desc[RSRC_] = (int)target->row.source;
    desc[CSRC_] = (int)target->col.source;
    SCALAY_TRY(scalay_to_int(lld, function, "local leading dimension", &desc[LLD_]));
cleanup:
    return status;
}

static scalay_status list_ranks(const scalay_layout *target, int **ranks)
{
    scalay_status status = SCALAY_SUCCESS;
    const int64_t nprow = target->row.classes, npcol = target->col.classes;
    SCALAY_TRY(SCALAY_NEW(*ranks, nprow * npcol));
    for (int64_t r = 0; r < nprow; r++)
        for (int64_t c = 0; c < npcol; c++)
            (*ranks)[r * npcol + c] = scalay_layout_process_of_part(target, scalay_layout_cell_part(target, r, c));
cleanup:
    return status;
}

static scalay_status prepare(const scalay_comm *comm, const scalay_layout *target, int *desc, int **ranks)
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(check_target(target));
    SCALAY_TRY(fill_descriptor(comm, target, desc));
    SCALAY_TRY(list_ranks(target, ranks));
cleanup:
    return status;
}

scalay_status scalay_grid_create(scalay_comm *comm, const scalay_layout *target, const scalay_mapping *mapping,
                                 int *ctxt, int *desc)
{
    scalay_layout *mapped = NULL;
    int *ranks = NULL;
    int new_desc[DLEN_] = {0};
    scalay_status status = scalay_check_not_null(comm, function, "comm");
    if (status != SCALAY_SUCCESS) return status;
    if (ctxt != NULL) *ctxt = -1;
    status = scalay_check_not_null(ctxt, function, "ctxt");
    if (status == SCALAY_SUCCESS) status = scalay_check_not_null(desc, function, "desc");
    if (status == SCALAY_SUCCESS) status = scalay_target_apply_mapping(comm, target, mapping, function, &mapped);
    const scalay_layout *final_target = mapped != NULL ? mapped : target;
    if (status == SCALAY_SUCCESS) status = prepare(comm, final_target, new_desc, &ranks);
    SCALAY_TRY(scalay_comm_agree(comm, status));
    SCALAY_TRY(scalay_comm_agree_value(comm, scalay_layout_fingerprint(final_target), function, "target or mapping"));
    SCALAY_TRY(scalay_grid_acquire(comm, (int)final_target->row.classes, (int)final_target->col.classes, ranks, ctxt));
    new_desc[CTXT_] = *ctxt;
    for (int k = 0; k < DLEN_; k++) desc[k] = new_desc[k];
cleanup:
    scalay_layout_destroy(&mapped);
    scalay_release(ranks);
    return status;
}
