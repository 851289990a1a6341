#include "model/owner.h"

#include <math.h>

#include "base/integer.h"
#include "base/memory.h"
#include "layout/layout.h"
#include "model/machine.h"
#include "model/move.h"

/* Columns of A and rows of B that SUMMA reads at a time, at least. */
enum { PANEL = 128 };
/* Tiles of 32 to 128 lines are multiplied one by one where they lie scattered: so many times as long, in bench_advise's
 * situations. */
#define TILES 1.5

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

/* Which classes of an axis a part has met: those marked with its number, and how many indices they have. */
typedef struct {
    const scalay_axis *axis;
    int *mark; /* shape [classes] */
    int64_t indices;
} lines;

static scalay_status mark_none(const scalay_axis *axis, lines *met)
{
    scalay_status status = SCALAY_SUCCESS;
    *met = (lines){.axis = axis};
    SCALAY_TRY(SCALAY_NEW(met->mark, axis->classes));
    for (int64_t class = 0; class < axis->classes; class ++) met->mark[class] = -1;
cleanup:
    return status;
}

static void meet(lines *met, int64_t class, int part)
{
    if (met->mark[class] == part) return;
    met->mark[class] = part;
    met->indices += scalay_axis_count(met->axis, class);
}

/* What the parts have to do: the most of one, and of all. */
typedef struct {
    double elements, all_elements;
    double needed, all_needed; /* elements of others' */
    int64_t active;
    int are_tiles; /* 1: each cell is an array of its own */
} loads;

static void add_part(const scalay_layout *layout, int part, lines *rows, lines *cols, loads *found)
{
    double elements = 0.0;
    rows->indices = cols->indices = 0;
    for (int64_t k = 0; k < scalay_layout_cells(layout, part); k++) {
        const scalay_cell cell = scalay_layout_cell(layout, part, k);
        const int64_t height = scalay_axis_count(&layout->row, cell.row_class);
        const int64_t width = scalay_axis_count(&layout->col, cell.col_class);
        if (height == 0 || width == 0) continue;
        elements += (double)height * (double)width;
        meet(rows, cell.row_class, part);
        meet(cols, cell.col_class, part);
    }
    const double n = (double)layout->col.extent;
    const double needed = n * ((double)rows->indices + (double)cols->indices) - 2.0 * elements;
    found->elements = fmax(found->elements, elements);
    found->needed = fmax(found->needed, needed);
    found->all_elements += elements;
    found->all_needed += needed;
    found->active += elements > 0.0;
}

/* `stretch`: rows that are side by side in the memory of a process. */
static double product_seconds(const scalay_machine *rates, scalay_type type, int64_t n, double stretch,
                              const loads *found)
{
    const double size = (double)scalay_type_size(type), read = size + SCALAY_SEGMENT_BYTES / stretch;
    const double flop =
        (found->are_tiles ? TILES : 1.0) * 2.0 * (double)n * scalay_type_flop_weight(type) * rates->seconds_per_flop;
    const double carried = fmax(found->needed, 2.0 * found->all_needed / (double)found->active);
    const double messages = (double)scalay_ceil_div(n, PANEL) * (double)(found->active - 1);
    return flop * scalay_machine_spread(rates, found->active, 1, found->elements, found->all_elements) +
           messages * rates->seconds_per_message + carried * size * rates->seconds_per_byte +
           scalay_machine_spread(rates, found->active, 1, found->needed, found->all_needed) * read *
               rates->seconds_per_byte_copied;
}

scalay_status scalay_owner_product(const scalay_machine *machine, scalay_type type, const scalay_layout *layout,
                                   double *seconds)
{
    scalay_status status = SCALAY_SUCCESS;
    lines rows = {.mark = NULL}, cols = {.mark = NULL};
    loads found = {.are_tiles = scalay_layout_is_tile_map(layout)};
    *seconds = 0.0;
    SCALAY_TRY(mark_none(&layout->row, &rows));
    SCALAY_TRY(mark_none(&layout->col, &cols));
    for (int part = 0; part < layout->parts; part++) add_part(layout, part, &rows, &cols, &found);
    const double stretch = found.all_elements / (double)scalay_layout_segments(layout, layout);
    if (found.active > 0) *seconds = product_seconds(machine, type, layout->row.extent, stretch, &found);
cleanup:
    scalay_release(cols.mark);
    scalay_release(rows.mark);
    return status;
}
