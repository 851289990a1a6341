#include <limits.h>

#include "base/integer.h"
#include "factor/qr_object.h"
#include "parallel/scalapack.h"

/* What one rank works out for itself: the grid, the mapping and the sizes. Nothing here communicates. */

static const char create_name[] = "scalay_qr_create";

static scalay_status choose_grid(scalay_qr *qr, const scalay_qr_options *options)
{
    scalay_status status = SCALAY_SUCCESS;
    const scalay_qr_limits limits = {
        .processes = qr->comm->size, .nprow = options->nprow, .npcol = options->npcol, .nb = options->nb};
    scalay_qr_candidate best = {0};
    SCALAY_TRY(scalay_model_qr_choose(options->machine, qr->type, qr->m, qr->n, &limits, &qr->choice));
    SCALAY_TRY(scalay_qr_choice_get_candidate(qr->choice, 0, &best));
    qr->nprow = qr->statistics.nprow = best.nprow;
    qr->npcol = qr->statistics.npcol = best.npcol;
    qr->nb = qr->statistics.nb = best.nb;
    qr->statistics.processes = qr->comm->size;
    qr->statistics.predicted_kernel_seconds = best.cost.seconds;
cleanup:
    return status;
}

static scalay_status record_costs(scalay_qr *qr, const scalay_layout *layout, const scalay_layout *parts,
                                  const scalay_mapping *mapping)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_mapping *canonical = NULL;
    scalay_qr_statistics *statistics = &qr->statistics;
    SCALAY_TRY(scalay_mapping_create(layout, parts, SCALAY_CANONICAL, NULL, &canonical));
    statistics->canonical_volume = scalay_mapping_volume(canonical);
    statistics->canonical_steps = scalay_mapping_steps(canonical);
    statistics->volume = scalay_mapping_volume(mapping);
    statistics->steps = scalay_mapping_steps(mapping);
    qr->objective = scalay_mapping_objective(mapping);
    qr->proof = scalay_mapping_proof(mapping);
cleanup:
    scalay_mapping_destroy(&canonical);
    return status;
}

/* The target layout, on the processes that have least to move. */
static scalay_status place_grid(scalay_qr *qr, const scalay_layout *layout, const scalay_qr_options *options)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_layout *parts = NULL;
    scalay_mapping *mapping = NULL;
    scalay_mapping_options mapping_options = scalay_mapping_options_default();
    mapping_options.processes = qr->comm->size;
    SCALAY_TRY(
        scalay_layout_block_cyclic(qr->m, qr->n, qr->nb, qr->nb, qr->nprow, qr->npcol, 0, 0, SCALAY_ROW_MAJOR, &parts));
    SCALAY_TRY(scalay_mapping_create(layout, parts, options->objective, &mapping_options, &mapping));
    SCALAY_TRY(scalay_mapping_apply(mapping, parts, &qr->target));
    SCALAY_TRY(record_costs(qr, layout, parts, mapping));
cleanup:
    scalay_mapping_destroy(&mapping);
    scalay_layout_destroy(&parts);
    return status;
}

/* ScaLAPACK counts and addresses in 32 bits. */
static scalay_status check_local_range(const scalay_qr *qr)
{
    if (qr->local_size > INT_MAX)
        return scalay_fail(SCALAY_ERROR_RANGE, create_name,
                           "the local part would be %d x %d, more elements than ScaLAPACK can address; use more ranks",
                           qr->local_rows, qr->local_cols);
    int64_t lwork = scalay_qr_workspace(qr->nb, qr->local_rows, qr->local_cols);
    int64_t last = scalay_max_int64(qr->m, qr->n) + qr->nb;
    if (lwork > INT_MAX || last > INT_MAX)
        return scalay_fail(SCALAY_ERROR_RANGE, create_name,
                           "blocks of %d for a %d x %d matrix need %lld elements of workspace, more than ScaLAPACK can "
                           "count; use a smaller nb",
                           qr->nb, qr->m, qr->n, (long long)lwork);
    return SCALAY_SUCCESS;
}

static scalay_status find_local_part(scalay_qr *qr)
{
    const int zero = 0;
    int part = scalay_layout_part_of_process(qr->target, qr->comm->rank);
    if (part < 0) return SCALAY_SUCCESS;
    qr->row = part / qr->npcol;
    qr->col = part % qr->npcol;
    qr->local_rows = numroc_(&qr->m, &qr->nb, &qr->row, &zero, &qr->nprow);
    qr->local_cols = numroc_(&qr->n, &qr->nb, &qr->col, &zero, &qr->npcol);
    qr->local_reflectors = numroc_(&qr->k, &qr->nb, &qr->col, &zero, &qr->npcol);
    qr->local_size = (int64_t)qr->local_rows * qr->local_cols;
    return check_local_range(qr);
}

scalay_status scalay_qr_prepare(scalay_qr *qr, const scalay_layout *layout, const scalay_qr_options *options)
{
    scalay_status status = SCALAY_SUCCESS;
    if (scalay_layout_processes(layout) > qr->comm->size)
        return scalay_fail(
            SCALAY_ERROR_ARGUMENT, create_name,
            "layout has %d processes, but the communicator only %d ranks; use one that contains them all",
            scalay_layout_processes(layout), qr->comm->size);
    SCALAY_TRY(scalay_to_int(scalay_layout_rows(layout), create_name, "the number of rows", &qr->m));
    SCALAY_TRY(scalay_to_int(scalay_layout_cols(layout), create_name, "the number of columns", &qr->n));
    qr->k = qr->m < qr->n ? qr->m : qr->n;
    qr->is_source = scalay_layout_elements(layout, qr->comm->rank) > 0;
    SCALAY_TRY(scalay_layout_submatrix(layout, 0, 0, qr->m, qr->k, &qr->first_columns));
    SCALAY_TRY(choose_grid(qr, options));
    SCALAY_TRY(place_grid(qr, layout, options));
    SCALAY_TRY(find_local_part(qr));
cleanup:
    return status;
}
