/*
 * Calling ScaLAPACK in the layout of the caller. The BLACS context is one of the communicator's: a context that the
 * caller made has the same processes in the same order, but may be released before a kept plan is.
 */

#include "multiply/in_place.h"

#include <limits.h>
#include <string.h>

#include "base/fingerprint.h"
#include "base/memory.h"
#include "layout/layout.h"
#include "parallel/grid.h"

const char *scalay_in_place_reason(const scalay_layout *layout)
{
    const scalay_axis *row = &layout->row, *col = &layout->col;
    if (!scalay_layout_is_grid(layout)) return "the layout is not block-cyclic";
    if (row->whole > INT_MAX || col->whole > INT_MAX || row->block > INT_MAX || col->block > INT_MAX)
        return "the distributed matrix or its blocks exceed 32 bits";
    return NULL;
}

int scalay_in_place_same_grid(const scalay_layout *a, const scalay_layout *b)
{
    if (!scalay_layout_is_grid(a) || !scalay_layout_is_grid(b) || a->parts != b->parts) return 0;
    if (a->row.classes != b->row.classes || a->col.classes != b->col.classes || a->order != b->order) return 0;
    for (int part = 0; part < a->parts; part++)
        if (scalay_layout_process_of_part(a, part) != scalay_layout_process_of_part(b, part)) return 0;
    return 1;
}

uint64_t scalay_in_place_members(const scalay_comm *comm, const scalay_layout *layout)
{
    const int nprow = (int)layout->row.classes, npcol = (int)layout->col.classes;
    uint64_t members = scalay_grid_members(nprow, npcol, NULL);
    if (layout->parts != comm->size) return 0;
    for (int r = 0; r < nprow; r++)
        for (int c = 0; c < npcol; c++)
            members = scalay_fingerprint_add(
                members, scalay_layout_process_of_part(layout, scalay_layout_cell_part(layout, r, c)));
    return members;
}

/* Returns the leading dimension of this rank's array; 1 on idle ranks. */
static int64_t leading_dimension(const scalay_comm *comm, const scalay_layout *layout)
{
    const int part = scalay_layout_part_of_process(layout, comm->rank);
    return part >= 0 ? scalay_layout_cell(layout, part, 0).ld : 1;
}

void scalay_in_place_describe(const scalay_comm *comm, const scalay_layout *layout, int ctxt, scalay_in_place *in_place)
{
    const scalay_axis *row = &layout->row, *col = &layout->col;
    const int desc[DLEN_] = {1,
                             ctxt,
                             (int)row->whole,
                             (int)col->whole,
                             (int)row->block,
                             (int)col->block,
                             (int)row->source,
                             (int)col->source,
                             (int)leading_dimension(comm, layout)};
    in_place->ctxt = ctxt;
    memcpy(in_place->desc, desc, sizeof desc);
    in_place->ia = (int)row->first + 1;
    in_place->ja = (int)col->first + 1;
}

scalay_status scalay_in_place_create(scalay_comm *comm, const scalay_layout *layout, scalay_in_place *in_place)
{
    scalay_status status = SCALAY_SUCCESS;
    const int nprow = (int)layout->row.classes, npcol = (int)layout->col.classes;
    int *ranks = NULL;
    in_place->ctxt = -1;
    SCALAY_TRY(scalay_comm_agree(comm, SCALAY_NEW(ranks, (int64_t)nprow * npcol)));
    for (int r = 0; r < nprow; r++)
        for (int c = 0; c < npcol; c++)
            ranks[r * npcol + c] = scalay_layout_process_of_part(layout, scalay_layout_cell_part(layout, r, c));
    SCALAY_TRY(scalay_grid_acquire(comm, nprow, npcol, ranks, &in_place->ctxt));
    scalay_in_place_describe(comm, layout, in_place->ctxt, in_place);
cleanup:
    scalay_release(ranks);
    return status;
}
