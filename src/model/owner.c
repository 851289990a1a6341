#include "model/owner.h"

#include "layout/layout.h"

const char *scalay_owner_obstacle(const scalay_layout *layout)
{
    if (!scalay_layout_is_grid(layout)) return "the source is not block-cyclic";
    if (layout->row.block != layout->col.block) return "the blocks of the source are not square";
    if (layout->row.first != 0 || layout->col.first != 0) return "the source is a submatrix";
    if (layout->row.block > INT32_MAX) return "the blocks of the source are too large for a descriptor";
    return NULL;
}

int scalay_owner_grid(const scalay_layout *layout, int *nprow, int *npcol, int *nb)
{
    if (scalay_owner_obstacle(layout) != NULL) return 0;
    *nprow = (int)layout->row.classes;
    *npcol = (int)layout->col.classes;
    *nb = (int)layout->row.block;
    return 1;
}
