/*
 * Predicted time of a product C := A B + C on layouts: p?gemm on a grid (scalay_model_gemm()), SUMMA on any layout.
 *
 * Both have the same terms. Local products have the rate of the measured curve at their smallest extent: a panel of 32
 * columns for p?gemm, of 128 for SUMMA, or the extents of a tile. Messages follow Hockney's model. Processes that share
 * cores follow scalay_machine_spread(). multiply.c has the products on owner maps, part by part.
 */
#include "model/product.h"

#include <math.h>

#include "base/integer.h"
#include "base/memory.h"
#include "layout/layout.h"
#include "model/machine.h"
#include "model/move.h"

/* ------------------------------------------------------------------------------------------------ layouts and routines
 */

const char *scalay_scalapack_obstacle(const scalay_layout *layout)
{
    if (!scalay_layout_is_grid(layout)) return "the source is not block-cyclic";
    if (layout->row.block > INT32_MAX || layout->col.block > INT32_MAX)
        return "the blocks of the source are too large for a descriptor";
    return NULL;
}

const char *scalay_owner_obstacle(const scalay_layout *layout)
{
    const char *obstacle = scalay_scalapack_obstacle(layout);
    if (obstacle != NULL) return obstacle;
    if (layout->row.block != layout->col.block) return "the blocks of the source are not square";
    if (layout->row.first != 0 || layout->col.first != 0) return "the source is a submatrix";
    return NULL;
}

int scalay_layout_load_grid(const scalay_layout *layout, scalay_load_grid *grid)
{
    if (scalay_scalapack_obstacle(layout) != NULL) return 0;
    *grid = (scalay_load_grid){.nprow = (int)layout->row.classes,
                               .npcol = (int)layout->col.classes,
                               .mb = (int)layout->row.block,
                               .nb = (int)layout->col.block};
    return 1;
}

/* ------------------------------------------------------------------------------------------------- p?gemm on a grid */

/* Columns of A and rows of B that PBLAS multiplies at a time, for any blocks (pilaenv). */
#define PBLAS_PANEL 32
/* Copies of a panel: into the buffer of the broadcast, and into the order of the blocks. */
#define COPIES 2.0
/* Factor for local arrays whose columns begin at the same offset in a page: they evict each other from the cache.
 * Fitted to bench_advise. */
#define CONFLICTS 1.2
enum { PAGE_BYTES = 4096 };

/* Returns the seconds of the memory traffic of C: what a flop on narrow panels takes longer than seconds_per_flop. */
static double memory_seconds(const scalay_machine *rates, scalay_type type, double elements, double depth,
                             double extent)
{
    const double size = (double)scalay_type_size(type), panels = ceil(depth / PBLAS_PANEL);
    if (rates->gemm_curve[0] == 0.0) return 2.0 * elements * panels * 2.0 * rates->seconds_per_flop_vector * size / 8.0;
    const double longer = scalay_machine_gemm_rate(rates, extent) - rates->seconds_per_flop;
    return 2.0 * elements * depth * scalay_type_flop_weight(type) * fmax(0.0, longer);
}

static void add_panels(const scalay_machine *rates, scalay_type type, int64_t m, int64_t n, int64_t k,
                       const scalay_load_grid *grid, scalay_gemm_cost *cost)
{
    const double size = (double)scalay_type_size(type), weight = scalay_type_flop_weight(type);
    const double rows = (double)scalay_load_maximum(m, grid->mb, grid->nprow);
    const double cols = (double)scalay_load_maximum(n, grid->nb, grid->npcol);
    const double elements = scalay_load_elements(rates, grid, m, n, 0, 0);
    const double panels = (double)scalay_ceil_div(k, PBLAS_PANEL), depth = (double)k;
    const double levels = log2(grid->npcol) + log2(grid->nprow);
    const double conflicts = fmod(rows * size, PAGE_BYTES) == 0.0 ? CONFLICTS : 1.0;
    const double extent = fmin(fmin(rows, cols), fmin(depth, PBLAS_PANEL));
    cost->compute_seconds = conflicts * 2.0 * elements * depth * weight * rates->seconds_per_flop;
    cost->memory_seconds = conflicts * memory_seconds(rates, type, elements, depth, extent);
    /* A rank receives panels of A along its grid row, and panels of B along its grid column. */
    const double sent = (grid->npcol > 1 ? rows * depth : 0.0) + (grid->nprow > 1 ? cols * depth : 0.0);
    cost->message_seconds = panels * levels * rates->seconds_per_message +
                            sent * size * (rates->seconds_per_byte + COPIES * rates->seconds_per_byte_copied);
}

scalay_status scalay_gemm_on_grid(const scalay_machine *machine, scalay_type type, int64_t m, int64_t n, int64_t k,
                                  const scalay_load_grid *grid, const char *function, scalay_gemm_cost *cost)
{
    scalay_status status = SCALAY_SUCCESS;
    const scalay_machine rates = scalay_machine_or_typical(machine), dedicated = {0};
    SCALAY_TRY(scalay_check_not_null(cost, function, "cost"));
    if (m < 0 || n < 0 || k < 0)
        return scalay_fail(SCALAY_ERROR_ARGUMENT, function, "m, n, k are %lld, %lld, %lld; they must be at least 0",
                           (long long)m, (long long)n, (long long)k);
    SCALAY_TRY(scalay_load_check(grid, function));
    SCALAY_TRY(scalay_machine_check(&rates, type, function));
    const double complex_factor = type == SCALAY_COMPLEX_FLOAT || type == SCALAY_COMPLEX_DOUBLE ? 4.0 : 1.0;
    const double maximum = scalay_load_elements(&dedicated, grid, m, n, 0, 0);
    scalay_gemm_cost found = {.flops = complex_factor * 2.0 * (double)m * (double)n * (double)k};
    found.balance = maximum > 0.0 ? (double)m * (double)n / scalay_load_speeds(grid) / maximum : 1.0;
    add_panels(&rates, type, m, n, k, grid, &found);
    found.seconds = found.compute_seconds + found.memory_seconds + found.message_seconds;
    *cost = found;
cleanup:
    return status;
}

scalay_status scalay_model_gemm(const scalay_machine *machine, scalay_type type, int64_t m, int64_t n, int64_t k,
                                int nprow, int npcol, int nb, const double *speed, scalay_gemm_cost *cost)
{
    const scalay_load_grid grid = {.nprow = nprow, .npcol = npcol, .mb = nb, .nb = nb, .speed = speed};
    return scalay_gemm_on_grid(machine, type, m, n, k, &grid, __func__, cost);
}

/* ------------------------------------------------------------------------------------------------ SUMMA on any layout
 */

/* Columns of A and rows of B that SUMMA multiplies at a time. */
enum { PANEL = 128 };
/* Factor for tiles that are multiplied one by one, without a measured curve. Fitted to bench_advise. */
#define TILES 1.5

/* Classes of an axis that a part has, and the number of their indices. */
typedef struct {
    const scalay_axis *axis;
    int *mark; /* shape [classes]: the last part that had the class */
    int64_t indices;
} class_set;

static scalay_status create_set(const scalay_axis *axis, class_set *set)
{
    scalay_status status = SCALAY_SUCCESS;
    *set = (class_set){.axis = axis};
    SCALAY_TRY(SCALAY_NEW(set->mark, axis->classes));
    for (int64_t class = 0; class < axis->classes; class ++) set->mark[class] = -1;
cleanup:
    return status;
}

static void add_class(class_set *set, int64_t class, int part)
{
    if (set->mark[class] == part) return;
    set->mark[class] = part;
    set->indices += scalay_axis_count(set->axis, class);
}

/* Loads of the parts: maximum over the parts, and sum. */
typedef struct {
    const scalay_machine *rates;
    const double *speed;       /* shape [parts]; NULL: all 1 */
    int are_tiles;             /* 1: each cell is an array of its own */
    double work, all_work;     /* elements of C, times their seconds per flop */
    double needed, all_needed; /* elements of other parts */
    double all_elements;
    int64_t active;
} product_loads;

/* Returns the seconds per flop of a local product with height x width elements of C. */
static double cell_rate(const product_loads *loads, int64_t height, int64_t width)
{
    const double extent = (double)scalay_min_int64(PANEL, scalay_min_int64(height, width));
    if (loads->rates->gemm_curve[0] > 0.0) return scalay_machine_gemm_rate(loads->rates, extent);
    return (loads->are_tiles ? TILES : 1.0) * loads->rates->seconds_per_flop;
}

static void add_part(const scalay_layout *layout, int part, class_set *rows, class_set *cols, product_loads *loads)
{
    double elements = 0.0, work = 0.0;
    rows->indices = cols->indices = 0;
    for (int64_t k = 0; k < scalay_layout_cells(layout, part); k++) {
        const scalay_cell cell = scalay_layout_cell(layout, part, k);
        const int64_t height = scalay_axis_count(&layout->row, cell.row_class);
        const int64_t width = scalay_axis_count(&layout->col, cell.col_class);
        if (height == 0 || width == 0) continue;
        elements += (double)height * (double)width;
        work += (double)height * (double)width * cell_rate(loads, height, width);
        add_class(rows, cell.row_class, part);
        add_class(cols, cell.col_class, part);
    }
    if (loads->speed != NULL) work /= loads->speed[part];
    const double n = (double)layout->col.extent;
    const double needed = n * ((double)rows->indices + (double)cols->indices) - 2.0 * elements;
    loads->work = fmax(loads->work, work);
    loads->needed = fmax(loads->needed, needed);
    loads->all_work += work;
    loads->all_needed += needed;
    loads->all_elements += elements;
    loads->active += elements > 0.0;
}

/* `height`: mean number of rows that are contiguous in the memory of a process. */
static double summa_seconds(const scalay_machine *rates, scalay_type type, int64_t n, double height,
                            const product_loads *loads)
{
    const double size = (double)scalay_type_size(type), read = size + SCALAY_SEGMENT_BYTES / height;
    const double flops = 2.0 * (double)n * scalay_type_flop_weight(type);
    const double carried = fmax(loads->needed, 2.0 * loads->all_needed / (double)loads->active);
    const double messages = (double)scalay_ceil_div(n, PANEL) * (double)(loads->active - 1);
    return flops * scalay_machine_spread(rates, loads->active, 1, loads->work, loads->all_work) +
           messages * rates->seconds_per_message + carried * size * rates->seconds_per_byte +
           scalay_machine_spread(rates, loads->active, 1, loads->needed, loads->all_needed) * read *
               rates->seconds_per_byte_copied;
}

scalay_status scalay_summa_on_layout(const scalay_machine *machine, scalay_type type, const scalay_layout *layout,
                                     const double *speed, double *seconds)
{
    scalay_status status = SCALAY_SUCCESS;
    class_set rows = {.mark = NULL}, cols = {.mark = NULL};
    product_loads loads = {.rates = machine, .speed = speed, .are_tiles = scalay_layout_is_tile_map(layout)};
    *seconds = 0.0;
    SCALAY_TRY(create_set(&layout->row, &rows));
    SCALAY_TRY(create_set(&layout->col, &cols));
    for (int part = 0; part < layout->parts; part++) add_part(layout, part, &rows, &cols, &loads);
    const double height = loads.all_elements / (double)scalay_layout_segments(layout, layout);
    if (loads.active > 0) *seconds = summa_seconds(machine, type, layout->row.extent, height, &loads);
cleanup:
    scalay_release(cols.mark);
    scalay_release(rows.mark);
    return status;
}
