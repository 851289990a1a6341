#include "base/fingerprint.h"
#include "base/integer.h"
#include "base/memory.h"
#include "layout/layout.h"
#include "parallel/agree.h"
#include "parallel/blacs.h"
#include "parallel/comm.h"
#include "redist/place.h"
#include "scalay/redist.h"

/* Failures go by the public name. */
static const char create_name[] = "scalay_grid_create";

static scalay_status check_kind(const scalay_layout *target)
{
    if (!scalay_layout_is_grid(target))
        return scalay_fail(SCALAY_ERROR_UNSUPPORTED, create_name,
                           "target is a tile map; ScaLAPACK needs a block-cyclic layout");
    if (target->row.extent != target->row.whole || target->col.extent != target->col.whole)
        return scalay_fail(SCALAY_ERROR_ARGUMENT, create_name,
                           "target is a %lld x %lld submatrix of %lld x %lld; pass the whole matrix and give "
                           "ScaLAPACK ia and ja",
                           (long long)target->row.extent, (long long)target->col.extent, (long long)target->row.whole,
                           (long long)target->col.whole);
    return SCALAY_SUCCESS;
}

/* The descriptor but for its context; the leading dimension is that of the calling rank, 1 outside the grid. */
static scalay_status fill_descriptor(const scalay_comm *comm, const scalay_layout *target, int *desc)
{
    scalay_status status = SCALAY_SUCCESS;
    const int part = scalay_layout_part_of_process(target, comm->rank);
    const int64_t lld = part >= 0 ? scalay_layout_cell(target, part, 0).ld : 1;
    desc[DTYPE_] = 1;
    desc[CTXT_] = -1;
    SCALAY_TRY(scalay_to_int(target->row.whole, create_name, "target's rows", &desc[M_]));
    SCALAY_TRY(scalay_to_int(target->col.whole, create_name, "target's columns", &desc[N_]));
    SCALAY_TRY(scalay_to_int(target->row.block, create_name, "target's mb", &desc[MB_]));
    SCALAY_TRY(scalay_to_int(target->col.block, create_name, "target's nb", &desc[NB_]));
    desc[RSRC_] = (int)target->row.source;
    desc[CSRC_] = (int)target->col.source;
    SCALAY_TRY(scalay_to_int(lld, create_name, "the local leading dimension", &desc[LLD_]));
cleanup:
    return status;
}

static scalay_status read_ranks(const scalay_layout *target, int **ranks)
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

/* What a rank can do alone; target is what the mapping made of the caller's. */
static scalay_status prepare(const scalay_comm *comm, const scalay_layout *target, int *desc, int **ranks)
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(check_kind(target));
    SCALAY_TRY(fill_descriptor(comm, target, desc));
    SCALAY_TRY(read_ranks(target, ranks));
cleanup:
    return status;
}

static scalay_status check_outputs(const int *ctxt, const int *desc)
{
    if (ctxt == NULL || desc == NULL)
        return scalay_fail(SCALAY_ERROR_ARGUMENT, create_name, "%s is NULL; pass where it shall go",
                           ctxt == NULL ? "ctxt" : "desc");
    return SCALAY_SUCCESS;
}

scalay_status scalay_grid_create(scalay_comm *comm, const scalay_layout *target, const scalay_mapping *mapping,
                                 int *ctxt, int *desc)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_layout *placed = NULL;
    int *ranks = NULL;
    int made[DLEN_] = {0};
    if (comm == NULL)
        return scalay_fail(SCALAY_ERROR_ARGUMENT, create_name, "comm is NULL; make one with scalay_comm_create");
    if (ctxt != NULL) *ctxt = -1;
    status = check_outputs(ctxt, desc);
    if (status == SCALAY_SUCCESS) status = scalay_place_target(comm, target, mapping, create_name, &placed);
    const scalay_layout *final = placed != NULL ? placed : target;
    if (status == SCALAY_SUCCESS) status = prepare(comm, final, made, &ranks);
    SCALAY_TRY(scalay_comm_agree(comm, status));
    SCALAY_TRY(scalay_comm_agree_value(comm, scalay_layout_fingerprint(final), create_name, "target or mapping"));
    SCALAY_TRY(scalay_grid_acquire(comm, (int) final->row.classes, (int) final->col.classes, ranks, ctxt));
    made[CTXT_] = *ctxt;
    for (int k = 0; k < DLEN_; k++) desc[k] = made[k];
cleanup:
    scalay_layout_destroy(&placed);
    scalay_release(ranks);
    return status;
}
