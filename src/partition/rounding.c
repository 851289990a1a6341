/*
 * From a drawing to an owner map: round the edges, balance the loads, give each part a cell, reach exact counts.
 */
#include "partition/rounding.h"

#include <math.h>
#include <stdlib.h>

#include "base/compare.h"
#include "base/integer.h"
#include "base/memory.h"
#include "partition/exact_counts.h"
#include "partition/push.h"
#include "partition/tiling.h"

/* ----------------------------------------------------------------------------------------------- largest remainders */

typedef struct {
    double key;
    int part;
} ranked_part;

/* Orders by descending key, then by part. */
static int compare_ranks(const void *left, const void *right)
{
    const ranked_part *a = left, *b = right;
    if (a->key != b->key) return scalay_compare_double(b->key, a->key);
    return a->part - b->part;
}

/* For fewer cells than parts: the parts with the largest areas get one each. */
static void one_each(int parts, int64_t total, ranked_part *rank, const double *area, int64_t *target)
{
    for (int part = 0; part < parts; part++) {
        rank[part] = (ranked_part){area[part], part};
        target[part] = 0;
    }
    qsort(rank, (size_t)parts, sizeof *rank, compare_ranks);
    for (int64_t k = 0; k < total; k++) target[rank[k].part] = 1;
}

/* Removes the surplus of the parts that were raised to 1, from the parts that exceed their share most. */
static void take_back(int parts, int64_t surplus, const double *share, int64_t *target)
{
    for (; surplus > 0; surplus--) {
        int chosen = -1;
        for (int part = 0; part < parts; part++)
            if (target[part] > 1 &&
                (chosen < 0 || (double)target[part] - share[part] > (double)target[chosen] - share[chosen]))
                chosen = part;
        target[chosen]--;
    }
}

scalay_status scalay_largest_remainders(int parts, const double *area, int64_t total, int64_t *target)
{
    scalay_status status = SCALAY_SUCCESS;
    ranked_part *rank = NULL;
    double *share = NULL, sum = 0;
    int64_t left = total, wanting = 0;
    SCALAY_TRY(SCALAY_NEW(rank, parts));
    SCALAY_TRY(SCALAY_NEW(share, parts));
    for (int part = 0; part < parts; part++) {
        sum += area[part];
        wanting += area[part] > 0;
    }
    if (wanting > total) {
        one_each(parts, total, rank, area, target);
        goto cleanup;
    }
    for (int part = 0; part < parts; part++) {
        share[part] = area[part] / sum * (double)total;
        target[part] = scalay_max_int64((int64_t)floor(share[part]), area[part] > 0);
        rank[part] = (ranked_part){area[part] > 0 ? share[part] - (double)target[part] : -INFINITY, part};
        left -= target[part];
    }
    qsort(rank, (size_t)parts, sizeof *rank, compare_ranks);
    for (int64_t k = 0; left > 0; k++, left--) target[rank[k % wanting].part]++;
    take_back(parts, -left, share, target);
cleanup:
    scalay_release(rank);
    scalay_release(share);
    return status;
}

/* ------------------------------------------------------------------------------------------ tiling to grid of cells */

static int compare_positions(const void *left, const void *right)
{
    return scalay_compare_int64(*(const int64_t *)left, *(const int64_t *)right);
}

/* Lists the distinct positions of the edges of a direction. */
static scalay_status distinct_positions(const scalay_tiling *tiling, int is_row, int64_t **cut, int64_t *cells)
{
    scalay_status status = SCALAY_SUCCESS;
    int64_t count = 0, kept = 0;
    SCALAY_TRY(SCALAY_NEW(*cut, tiling->edges));
    for (int64_t e = 0; e < tiling->edges; e++)
        if (tiling->edge[e].is_row == is_row) (*cut)[count++] = tiling->edge[e].at;
    qsort(*cut, (size_t)count, sizeof **cut, compare_positions);
    for (int64_t k = 0; k < count; k++)
        if (k == 0 || (*cut)[k] != (*cut)[kept - 1]) (*cut)[kept++] = (*cut)[k];
    *cells = kept - 1;
cleanup:
    return status;
}

static int64_t position_index(const int64_t *cut, int64_t cells, int64_t at)
{
    return (const int64_t *)bsearch(&at, cut, (size_t)cells + 1, sizeof *cut, compare_positions) - cut;
}

static scalay_status grid_of_tiling(const scalay_tiling *tiling, scalay_cell_grid *grid)
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(distinct_positions(tiling, 1, &grid->row_cut, &grid->rows));
    SCALAY_TRY(distinct_positions(tiling, 0, &grid->col_cut, &grid->cols));
    SCALAY_TRY(SCALAY_NEW(grid->owner, grid->rows * grid->cols));
    for (int64_t k = 0; k < tiling->rectangles; k++) {
        const scalay_tiling_rectangle *rectangle = &tiling->rectangle[k];
        int64_t at[SCALAY_SIDES];
        for (int s = 0; s < SCALAY_SIDES; s++) {
            const int64_t position = tiling->edge[rectangle->edge[s]].at;
            at[s] = s <= SCALAY_BOTTOM ? position_index(grid->row_cut, grid->rows, position)
                                       : position_index(grid->col_cut, grid->cols, position);
        }
        for (int64_t r = at[SCALAY_TOP]; r < at[SCALAY_BOTTOM]; r++)
            for (int64_t c = at[SCALAY_LEFT]; c < at[SCALAY_RIGHT]; c++)
                grid->owner[r * grid->cols + c] = rectangle->part;
    }
cleanup:
    return status;
}

/* ----------------------------------------------------------------------------------------------------------- counts */

/* Returns the part with the largest load that can give a cell. */
static int most_loaded(const scalay_rounding_request *request, const int64_t *target)
{
    int chosen = -1;
    for (int part = 0; part < request->parts; part++)
        if (target[part] > 1 &&
            (chosen < 0 || (double)target[part] * request->area[chosen] > (double)target[chosen] * request->area[part]))
            chosen = part;
    return chosen;
}

/* Computes the number of tiles of each part: exact counts; otherwise the present counts, but at least 1. */
static scalay_status choose_targets(const scalay_rounding_request *request, const scalay_map_builder *builder,
                                    int64_t *target)
{
    const int64_t cells = builder->extent[0] * builder->extent[1];
    int64_t wanting = 0;
    for (int part = 0; part < request->parts; part++) wanting += request->area[part] > 0;
    if (request->exact_counts || wanting > cells)
        return scalay_largest_remainders(request->parts, request->area, cells, target);
    for (int part = 0; part < request->parts; part++) target[part] = builder->count[part];
    for (int part = 0; part < request->parts; part++) {
        if (request->area[part] <= 0 || target[part] > 0) continue;
        target[most_loaded(request, target)]--;
        target[part] = 1;
    }
    return SCALAY_SUCCESS;
}

static scalay_status fix_counts(const scalay_rounding_request *request, scalay_map_builder *builder)
{
    scalay_status status = SCALAY_SUCCESS;
    int64_t *target = NULL;
    SCALAY_TRY(SCALAY_NEW(target, request->parts));
    SCALAY_TRY(choose_targets(request, builder, target));
    SCALAY_TRY(scalay_exact_counts(target, builder));
cleanup:
    scalay_release(target);
    return status;
}

/* -------------------------------------------------------------------------------------------------------------- map */

static scalay_status push_cells(const scalay_rounding_request *request, scalay_cell_grid *grid)
{
    const scalay_push_problem problem = {.rows = grid->rows,
                                         .cols = grid->cols,
                                         .row_cut = grid->row_cut,
                                         .col_cut = grid->col_cut,
                                         .parts = request->parts,
                                         .objective = request->objective,
                                         .links = request->links,
                                         .seed = request->seed};
    return scalay_push(&problem, grid->owner);
}

/* Turns positions in tiles into lines. */
static void scale_cuts(const scalay_tiling *tiling, scalay_cell_grid *grid)
{
    for (int64_t r = 0; r <= grid->rows; r++) grid->row_cut[r] = scalay_tiling_line(tiling, 1, grid->row_cut[r]);
    for (int64_t c = 0; c <= grid->cols; c++) grid->col_cut[c] = scalay_tiling_line(tiling, 0, grid->col_cut[c]);
}

static scalay_status make_map(const scalay_rounding_request *request, const scalay_tiling *tiling,
                              const scalay_map_builder *builder, scalay_owner_map **map)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_cell_grid grid = {0};
    SCALAY_TRY(scalay_map_builder_get_grid(builder, &grid));
    const int push =
        request->exact_counts && scalay_push_is_feasible(builder->extent[SCALAY_BUILDER_ROWS],
                                                         builder->extent[SCALAY_BUILDER_COLUMNS], request->parts);
    if (push) SCALAY_TRY(scalay_cell_grid_refine(&grid));
    scale_cuts(tiling, &grid);
    if (push) SCALAY_TRY(push_cells(request, &grid));
    SCALAY_TRY(
        scalay_owner_map_create(grid.rows, grid.cols, grid.row_cut, grid.col_cut, request->parts, grid.owner, map));
cleanup:
    scalay_cell_grid_free(&grid);
    return status;
}

/* ------------------------------------------------------------------------------------------------------- load error */

static scalay_status check_load(const char *function, const scalay_rounding_request *request, scalay_rounding *rounding)
{
    scalay_status status = SCALAY_SUCCESS;
    int worst = 0;
    SCALAY_TRY(SCALAY_NEW(rounding->empty, request->parts));
    for (int part = 0; part < request->parts; part++) {
        const int64_t count = scalay_owner_map_elements(rounding->map, part);
        const double area = request->area[part], error = area > 0 ? fabs((double)count / area - 1) : 0;
        if (error > rounding->load_error) {
            rounding->load_error = error;
            worst = part;
        }
        if (count == 0)
            rounding->empty[rounding->empty_parts++] =
                (scalay_empty_part){part, area > 0 ? SCALAY_EMPTY_TOO_FEW_TILES : SCALAY_EMPTY_NO_AREA};
    }
    if (request->exact_counts || request->tolerance <= 0 || rounding->load_error <= request->tolerance)
        return SCALAY_SUCCESS;
    status = scalay_fail(SCALAY_ERROR_INFEASIBLE, function,
                         "options->tolerance is %g; part %d gets %lld instead of %g elements, so it must be at least "
                         "%g. Use a smaller tile or exact_counts",
                         request->tolerance, worst, (long long)scalay_owner_map_elements(rounding->map, worst),
                         request->area[worst], rounding->load_error);
cleanup:
    return status;
}

scalay_status scalay_rounding_create(const char *function, const scalay_drawing *drawing,
                                     const scalay_rounding_request *request, scalay_rounding *rounding)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_tiling tiling = {0};
    scalay_cell_grid grid = {0};
    scalay_map_builder builder = {0};
    *rounding = (scalay_rounding){0};
    SCALAY_TRY(
        scalay_tiling_create(drawing, request->m, request->n, request->parts, request->area, request->tile, &tiling));
    scalay_tiling_round(&tiling);
    SCALAY_TRY(scalay_tiling_balance(request->parts, request->area, &tiling));
    SCALAY_TRY(grid_of_tiling(&tiling, &grid));
    SCALAY_TRY(scalay_map_builder_create(request->parts, &grid, &builder));
    SCALAY_TRY(fix_counts(request, &builder));
    SCALAY_TRY(make_map(request, &tiling, &builder, &rounding->map));
    SCALAY_TRY(check_load(function, request, rounding));
cleanup:
    scalay_tiling_free(&tiling);
    scalay_cell_grid_free(&grid);
    scalay_map_builder_free(&builder);
    if (status != SCALAY_SUCCESS) scalay_rounding_free(rounding);
    return status;
}

void scalay_rounding_free(scalay_rounding *rounding)
{
    scalay_owner_map_destroy(&rounding->map);
    scalay_release(rounding->empty);
    *rounding = (scalay_rounding){0};
}
