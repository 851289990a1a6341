#include <limits.h>

#include "layout/layout.h"

static scalay_status check_grid(const char *function, int nprow, int npcol, int rsrc, int csrc, scalay_order order)
{
    if (nprow < 1 || npcol < 1)
        return scalay_fail(SCALAY_ERROR_ARGUMENT, function, "grid %d x %d: both extents are at least 1", nprow, npcol);
    if ((int64_t)nprow * npcol > INT_MAX)
        return scalay_fail(SCALAY_ERROR_RANGE, function,
                           "grid %d x %d has more than 2^31 - 1 positions; pass a smaller one", nprow, npcol);
    if (rsrc < 0 || rsrc >= nprow)
        return scalay_fail(SCALAY_ERROR_ARGUMENT, function, "rsrc = %d is not a grid row; pass 0 to %d", rsrc,
                           nprow - 1);
    if (csrc < 0 || csrc >= npcol)
        return scalay_fail(SCALAY_ERROR_ARGUMENT, function, "csrc = %d is not a grid column; pass 0 to %d", csrc,
                           npcol - 1);
    if (order != SCALAY_ROW_MAJOR && order != SCALAY_COLUMN_MAJOR)
        return scalay_fail(SCALAY_ERROR_ARGUMENT, function,
                           "order = %d is none; pass SCALAY_ROW_MAJOR or SCALAY_COLUMN_MAJOR", (int)order);
    return SCALAY_SUCCESS;
}

scalay_status scalay_layout_block_cyclic(int64_t m, int64_t n, int64_t mb, int64_t nb, int nprow, int npcol, int rsrc,
                                         int csrc, scalay_order order, scalay_layout **layout)
{
    scalay_status status = SCALAY_SUCCESS;
    if (layout == NULL) return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "layout is NULL; pass an address");
    *layout = NULL;
    SCALAY_TRY(check_grid(__func__, nprow, npcol, rsrc, csrc, order));
    scalay_axis row = {.extent = m, .whole = m, .block = mb, .classes = nprow, .source = rsrc};
    scalay_axis col = {.extent = n, .whole = n, .block = nb, .classes = npcol, .source = csrc};
    SCALAY_TRY(scalay_layout_start(__func__, row, col, nprow * npcol, layout));
    (*layout)->order = order;
cleanup:
    return status;
}
