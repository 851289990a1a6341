/* Cyclic maps for factorisations, whose matrix shrinks: every trailing part is to be balanced. */
#include <math.h>

#include "base/integer.h"
#include "base/memory.h"
#include "partition/map_axis.h"
#include "partition/queue.h"
#include "partition/rounding.h"

static scalay_status check_extents(const char *function, int64_t m, int64_t n, int64_t nb)
{
    int64_t size;
    if (m < 0 || n < 0)
        return scalay_fail(SCALAY_ERROR_ARGUMENT, function, "m = %lld, n = %lld: neither can be negative", (long long)m,
                           (long long)n);
    if (nb < 1)
        return scalay_fail(SCALAY_ERROR_ARGUMENT, function, "nb = %lld is not a tile extent; pass at least 1",
                           (long long)nb);
    if (!scalay_multiply_int64(m, n, &size))
        return scalay_fail(SCALAY_ERROR_RANGE, function,
                           "m = %lld by n = %lld are more than 2^63 - 1 elements; make the matrix smaller",
                           (long long)m, (long long)n);
    return SCALAY_SUCCESS;
}

/* Speeds are finite and at least 0, or above 0 when they must be; not all are 0. */
static scalay_status check_speeds(const char *function, int parts, const double *speed, int positive)
{
    double most = 0;
    if (speed == NULL)
        return scalay_fail(SCALAY_ERROR_ARGUMENT, function, "speed is NULL; pass the speed of each of %d parts", parts);
    for (int part = 0; part < parts; part++) {
        if (!isfinite(speed[part]) || speed[part] < 0 || (positive && speed[part] <= 0))
            return scalay_fail(SCALAY_ERROR_ARGUMENT, function, "speed[%d] = %g; pass a finite number %s 0", part,
                               speed[part], positive ? "above" : "of at least");
        most = fmax(most, speed[part]);
    }
    if (most <= 0)
        return scalay_fail(SCALAY_ERROR_ARGUMENT, function, "all %d speeds are 0; one part must be able to work",
                           parts);
    return SCALAY_SUCCESS;
}

/* ------------------------------------------------------------------------------------------- columns */

/* Who gets each block column, the last one first: who would be done with it first. */
static scalay_status deal_columns(int64_t blocks, int64_t last, int64_t nb, int parts, const double *speed, int *owner)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_queue queue = {0};
    int64_t *held = NULL, width = last;
    SCALAY_TRY(SCALAY_NEW(held, parts));
    SCALAY_TRY(SCALAY_NEW(queue.entry, parts));
    for (int part = 0; part < parts; part++)
        if (speed[part] > 0) scalay_queue_put(&queue, (double)width / speed[part], part);
    for (int64_t k = blocks - 1; k >= 0; k--) {
        const int part = (int)scalay_queue_take(&queue).number;
        owner[k] = part;
        held[part] += width;
        if (k == blocks - 1 && last != nb) {
            /* from now on blocks have their full width */
            width = nb;
            queue.count = 0;
            for (int other = 0; other < parts; other++)
                if (speed[other] > 0) scalay_queue_put(&queue, (double)(held[other] + width) / speed[other], other);
        } else {
            scalay_queue_put(&queue, (double)(held[part] + width) / speed[part], part);
        }
    }
cleanup:
    scalay_release(held);
    scalay_release(queue.entry);
    return status;
}

static scalay_status columns_axis(int64_t n, int64_t nb, int parts, const double *speed, scalay_map_axis_maker *maker)
{
    scalay_status status = SCALAY_SUCCESS;
    const int64_t blocks = scalay_ceil_div(n, nb);
    int *owner = NULL;
    SCALAY_TRY(SCALAY_NEW(owner, blocks));
    SCALAY_TRY(deal_columns(blocks, n - (blocks - 1) * nb, nb, parts, speed, owner));
    for (int64_t k = 0; k < blocks; k++)
        SCALAY_TRY(scalay_map_axis_add(maker, k + 1 < blocks ? (k + 1) * nb : n, owner[k]));
cleanup:
    scalay_release(owner);
    return status;
}

scalay_status scalay_cyclic_columns(int64_t m, int64_t n, int64_t nb, int parts, const double *speed,
                                    scalay_owner_map **map)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_map_axis_maker row = {.axis.classes = 1}, col = {.axis.classes = parts};
    int *owner = NULL;
    if (map == NULL) return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "map is NULL; pass an address");
    *map = NULL;
    if (parts < 1) return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "parts = %d; pass at least 1", parts);
    SCALAY_TRY(check_extents(__func__, m, n, nb));
    SCALAY_TRY(check_speeds(__func__, parts, speed, 0));
    SCALAY_TRY(scalay_map_axis_add(&row, m, 0));
    SCALAY_TRY(columns_axis(n, nb, parts, speed, &col));
    SCALAY_TRY(SCALAY_NEW(owner, parts));
    for (int part = 0; part < parts; part++) owner[part] = part;
    SCALAY_TRY(scalay_owner_map_from_classes(__func__, &row.axis, &col.axis, parts, owner, map));
cleanup:
    scalay_map_axis_maker_free(&row);
    scalay_map_axis_maker_free(&col);
    scalay_release(owner);
    return status;
}

/* --------------------------------------------------------------------------------- generalised blocks */

/* A generalised block: in tiles. */
typedef struct {
    int64_t block;
    int nprow, npcol;
    int64_t *width;    /* shape [npcol] */
    int64_t *end;      /* shape [npcol][nprow]: in column c, row r of the grid ends at tile row end[c * nprow + r] */
    int64_t bands;     /* of tile rows with the same owners */
    int64_t *band_end; /* shape [nprow * npcol] */
} generalised_block;

/* Widths by the columns' speeds, heights by the speeds in each column. */
static scalay_status cut_block(const double *speed, generalised_block *cut)
{
    scalay_status status = SCALAY_SUCCESS;
    double *sum = NULL, *in_column = NULL;
    SCALAY_TRY(SCALAY_NEW(sum, cut->npcol));
    SCALAY_TRY(SCALAY_NEW(in_column, cut->nprow));
    SCALAY_TRY(SCALAY_NEW(cut->width, cut->npcol));
    SCALAY_TRY(SCALAY_NEW(cut->end, (int64_t)cut->nprow * cut->npcol));
    for (int64_t k = 0; k < (int64_t)cut->nprow * cut->npcol; k++) sum[k % cut->npcol] += speed[k];
    SCALAY_TRY(scalay_largest_remainders(cut->npcol, sum, cut->block, cut->width));
    for (int c = 0; c < cut->npcol; c++) {
        int64_t *end = cut->end + (int64_t)c * cut->nprow;
        for (int r = 0; r < cut->nprow; r++) in_column[r] = speed[(int64_t)r * cut->npcol + c];
        SCALAY_TRY(scalay_largest_remainders(cut->nprow, in_column, cut->block, end));
        for (int r = 1; r < cut->nprow; r++) end[r] += end[r - 1];
    }
cleanup:
    scalay_release(sum);
    scalay_release(in_column);
    return status;
}

/* The bands end where a grid row ends in any column: what is due next, again and again. */
static scalay_status find_bands(generalised_block *cut)
{
    scalay_status status = SCALAY_SUCCESS;
    const int64_t ends = (int64_t)cut->nprow * cut->npcol;
    scalay_queue queue = {0};
    SCALAY_TRY(SCALAY_NEW(queue.entry, ends));
    SCALAY_TRY(SCALAY_NEW(cut->band_end, ends));
    for (int64_t k = 0; k < ends; k++) scalay_queue_put(&queue, (double)cut->end[k], k);
    while (queue.count > 0) {
        const int64_t end = cut->end[scalay_queue_take(&queue).number];
        if (cut->bands == 0 || end > cut->band_end[cut->bands - 1]) cut->band_end[cut->bands++] = end;
    }
cleanup:
    scalay_release(queue.entry);
    return status;
}

/* Repeats runs of tiles, class k up to tile end[k] of each block, until the extent is covered. */
static scalay_status repeat_runs(int64_t extent, int64_t nb, int64_t block, int64_t classes, const int64_t *end,
                                 scalay_map_axis_maker *maker)
{
    scalay_status status = SCALAY_SUCCESS;
    const int64_t tiles = scalay_ceil_div(extent, nb);
    maker->axis.classes = classes;
    for (int64_t start = 0; start < tiles; start += scalay_min_int64(block, tiles - start))
        for (int64_t k = 0; k < classes && maker->axis.extent < extent; k++)
            SCALAY_TRY(scalay_map_axis_add(maker, end[k] < tiles - start ? (start + end[k]) * nb : extent, k));
cleanup:
    return status;
}

/* Who has each band of each column. */
static scalay_status fill_owners(const generalised_block *cut, int **owner)
{
    const scalay_status status = SCALAY_NEW(*owner, cut->bands * cut->npcol);
    for (int c = 0; status == SCALAY_SUCCESS && c < cut->npcol; c++) {
        const int64_t *end = cut->end + (int64_t)c * cut->nprow;
        int grid_row = 0;
        for (int64_t band = 0; band < cut->bands; band++) {
            while (end[grid_row] < cut->band_end[band]) grid_row++;
            (*owner)[band * cut->npcol + c] = grid_row * cut->npcol + c;
        }
    }
    return status;
}

static scalay_status check_grid(const char *function, int64_t block, int nprow, int npcol)
{
    int64_t parts;
    int fits;
    if (nprow < 1 || npcol < 1)
        return scalay_fail(SCALAY_ERROR_ARGUMENT, function, "grid %d x %d: both extents are at least 1", nprow, npcol);
    if (block < nprow || block < npcol)
        return scalay_fail(SCALAY_ERROR_ARGUMENT, function,
                           "block = %lld tiles do not hold a grid of %d x %d; pass at least the larger extent",
                           (long long)block, nprow, npcol);
    parts = (int64_t)nprow * npcol;
    return scalay_to_int(parts, function, "nprow * npcol", &fits);
}

scalay_status scalay_cyclic_generalised_block(int64_t m, int64_t n, int64_t nb, int64_t block, int nprow, int npcol,
                                              const double *speed, scalay_owner_map **map)
{
    scalay_status status = SCALAY_SUCCESS;
    generalised_block cut = {.block = block, .nprow = nprow, .npcol = npcol};
    scalay_map_axis_maker row = {0}, col = {0};
    int *owner = NULL;
    if (map == NULL) return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "map is NULL; pass an address");
    *map = NULL;
    SCALAY_TRY(check_extents(__func__, m, n, nb));
    SCALAY_TRY(check_grid(__func__, block, nprow, npcol));
    SCALAY_TRY(check_speeds(__func__, nprow * npcol, speed, 1));
    SCALAY_TRY(cut_block(speed, &cut));
    SCALAY_TRY(find_bands(&cut));
    for (int c = 1; c < npcol; c++) cut.width[c] += cut.width[c - 1];
    SCALAY_TRY(repeat_runs(m, nb, block, cut.bands, cut.band_end, &row));
    SCALAY_TRY(repeat_runs(n, nb, block, npcol, cut.width, &col));
    SCALAY_TRY(fill_owners(&cut, &owner));
    SCALAY_TRY(scalay_owner_map_from_classes(__func__, &row.axis, &col.axis, nprow * npcol, owner, map));
cleanup:
    scalay_map_axis_maker_free(&row);
    scalay_map_axis_maker_free(&col);
    scalay_release(cut.width);
    scalay_release(cut.end);
    scalay_release(cut.band_end);
    scalay_release(owner);
    return status;
}
