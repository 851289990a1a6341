/*
 * The layout of a ScaLAPACK descriptor. The BLACS grid is read by scalay_descriptor_read(); the layout is pure.
 */
#include "base/memory.h"
#include "layout/layout.h"
#include "parallel/agree.h"
#include "parallel/grid.h"

/* Creates the layout of a descriptor that has been read. */
static scalay_status build(const scalay_descriptor *descriptor, scalay_layout **layout)
{
    static const char function[] = "scalay_layout_from_desc";
    const scalay_descriptor *d = descriptor;
    scalay_status status = SCALAY_SUCCESS;
    scalay_layout *new_layout = NULL;
    scalay_axis row = {.extent = d->m, .whole = d->m, .block = d->mb, .classes = d->nprow, .source = d->rsrc};
    scalay_axis col = {.extent = d->n, .whole = d->n, .block = d->nb, .classes = d->npcol, .source = d->csrc};
    SCALAY_TRY(scalay_layout_start(function, row, col, d->nprow * d->npcol, &new_layout));
    SCALAY_TRY(scalay_layout_set_processes(function, new_layout, d->processes, d->ranks));
    if (d->lld > 0) {
        new_layout->own_process = d->rank;
        new_layout->own_ld = d->lld;
    }
    *layout = new_layout;
    new_layout = NULL;
cleanup:
    scalay_layout_destroy(&new_layout);
    return status;
}

scalay_status scalay_layout_from_desc(scalay_comm *comm, const int *desc, scalay_layout **layout)
{
    scalay_descriptor descriptor = {0};
    if (layout != NULL) *layout = NULL;
    scalay_status status = scalay_check_not_null(comm, __func__, "comm");
    if (status != SCALAY_SUCCESS) return status;
    status = scalay_check_not_null(layout, __func__, "layout");
    SCALAY_TRY(scalay_descriptor_read(comm, status, desc, &descriptor));
    SCALAY_TRY(scalay_comm_agree(comm, build(&descriptor, layout)));
cleanup:
    if (status != SCALAY_SUCCESS) scalay_layout_destroy(layout);
    scalay_release(descriptor.ranks);
    return status;
}
