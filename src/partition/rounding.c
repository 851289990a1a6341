#include "partition/rounding.h"

#include <math.h>
#include <stdlib.h>

#include "base/integer.h"
#include "base/memory.h"
#include "partition/edge_moves.h"
#include "partition/exact_counts.h"
#include "partition/push.h"

/* --------------------------------------------------------------------------------------- largest remainders */

typedef struct {
    double key;
    int part;
} ranked_part;

/* Larger keys first, then lower parts. */
static int compare_ranks(const void *left, const void *right)
{
    const ranked_part *a = left, *b = right;
    if (a->key != b->key) return a->key > b->key ? -1 : 1;
    return a->part - b->part;
}

/* The room is less than the parts that want some: the largest get one each. */
static void one_each(int parts, int64_t total, ranked_part *rank, const double *area, int64_t *target)
{
    for (int part = 0; part < parts; part++) {
        rank[part] = (ranked_part){area[part], part};
        target[part] = 0;
    }
    qsort(rank, (size_t)parts, sizeof *rank, compare_ranks);
    for (int64_t k = 0; k < total; k++) target[rank[k].part] = 1;
}

/* Takes back what the parts that were lifted to 1 have too much, from who is furthest above its share. */
static void take_back(int parts, int64_t surplus, const double *share, int64_t *target)
{
    for (; surplus > 0; surplus--) {
        int most = -1;
        for (int part = 0; part < parts; part++)
            if (target[part] > 1 &&
                (most < 0 || (double)target[part] - share[part] > (double)target[most] - share[most]))
                most = part;
        target[most]--;
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

/* ------------------------------------------------------------------------------------- tiling to quilt */

static int compare_places(const void *left, const void *right)
{
    const int64_t a = *(const int64_t *)left, b = *(const int64_t *)right;
    return (a > b) - (a < b);
}

/* The distinct places of the edges of a direction. */
static scalay_status distinct_places(const scalay_tiling *tiling, int is_row, int64_t **cut, int64_t *cells)
{
    scalay_status status = SCALAY_SUCCESS;
    int64_t count = 0, kept = 0;
    SCALAY_TRY(SCALAY_NEW(*cut, tiling->edges));
    for (int64_t e = 0; e < tiling->edges; e++)
        if (tiling->edge[e].is_row == is_row) (*cut)[count++] = tiling->edge[e].at;
    qsort(*cut, (size_t)count, sizeof **cut, compare_places);
    for (int64_t k = 0; k < count; k++)
        if (k == 0 || (*cut)[k] != (*cut)[kept - 1]) (*cut)[kept++] = (*cut)[k];
    *cells = kept - 1;
cleanup:
    return status;
}

static int64_t place_index(const int64_t *cut, int64_t cells, int64_t at)
{
    return (const int64_t *)bsearch(&at, cut, (size_t)cells + 1, sizeof *cut, compare_places) - cut;
}

static scalay_status quilt_of_tiling(const scalay_tiling *tiling, int parts, scalay_map_builder *quilt)
{
    scalay_status status = SCALAY_SUCCESS;
    int64_t *row_cut = NULL, *col_cut = NULL, rows = 0, cols = 0;
    int *owner = NULL;
    SCALAY_TRY(distinct_places(tiling, 1, &row_cut, &rows));
    SCALAY_TRY(distinct_places(tiling, 0, &col_cut, &cols));
    SCALAY_TRY(SCALAY_NEW(owner, rows * cols));
    for (int64_t k = 0; k < tiling->rectangles; k++) {
        const scalay_tiling_rectangle *rectangle = &tiling->rectangle[k];
        int64_t at[SCALAY_SIDES];
        for (int s = 0; s < SCALAY_SIDES; s++)
            at[s] = s <= SCALAY_BOTTOM ? place_index(row_cut, rows, tiling->edge[rectangle->edge[s]].at)
                                       : place_index(col_cut, cols, tiling->edge[rectangle->edge[s]].at);
        for (int64_t r = at[SCALAY_TOP]; r < at[SCALAY_BOTTOM]; r++)
            for (int64_t c = at[SCALAY_LEFT]; c < at[SCALAY_RIGHT]; c++) owner[r * cols + c] = rectangle->part;
    }
    SCALAY_TRY(scalay_map_builder_create(parts, rows, row_cut, cols, col_cut, owner, quilt));
cleanup:
    scalay_release(row_cut);
    scalay_release(col_cut);
    scalay_release(owner);
    return status;
}

/* ---------------------------------------------------------------------------------------------- counts */

/* The part that has most for its area and can spare a cell. */
static int most_loaded(const scalay_rounding_request *request, const int64_t *target)
{
    int most = -1;
    for (int part = 0; part < request->parts; part++)
        if (target[part] > 1 &&
            (most < 0 || (double)target[part] * request->area[most] > (double)target[most] * request->area[part]))
            most = part;
    return most;
}

/* What every part should have, in tiles: exact counts, or what it has, but something. */
static scalay_status choose_targets(const scalay_rounding_request *request, const scalay_map_builder *quilt,
                                    int64_t *target)
{
    const int64_t cells = quilt->extent[0] * quilt->extent[1];
    int64_t wanting = 0;
    for (int part = 0; part < request->parts; part++) wanting += request->area[part] > 0;
    if (request->exact_counts || wanting > cells)
        return scalay_largest_remainders(request->parts, request->area, cells, target);
    for (int part = 0; part < request->parts; part++) target[part] = quilt->count[part];
    for (int part = 0; part < request->parts; part++) {
        if (request->area[part] <= 0 || target[part] > 0) continue;
        target[most_loaded(request, target)]--;
        target[part] = 1;
    }
    return SCALAY_SUCCESS;
}

static scalay_status fix_counts(const scalay_rounding_request *request, scalay_map_builder *quilt)
{
    scalay_status status = SCALAY_SUCCESS;
    int64_t *target = NULL;
    SCALAY_TRY(SCALAY_NEW(target, request->parts));
    SCALAY_TRY(choose_targets(request, quilt, target));
    SCALAY_TRY(scalay_exact_counts(target, quilt));
cleanup:
    scalay_release(target);
    return status;
}

/* ------------------------------------------------------------------------------------------------- map */

/* Cell by cell, for Push. */
static scalay_status push_cells(const scalay_rounding_request *request, int64_t **row_cut, int64_t *rows,
                                int64_t **col_cut, int64_t *cols, int **owner)
{
    scalay_status status = SCALAY_SUCCESS;
    const int64_t down = (*row_cut)[*rows], across = (*col_cut)[*cols];
    int64_t *row = NULL, *col = NULL;
    int *fine = NULL;
    SCALAY_TRY(SCALAY_NEW(row, down + 1));
    SCALAY_TRY(SCALAY_NEW(col, across + 1));
    SCALAY_TRY(SCALAY_NEW(fine, down * across));
    for (int64_t r = 0; r < *rows; r++)
        for (int64_t c = 0; c < *cols; c++)
            for (int64_t i = (*row_cut)[r]; i < (*row_cut)[r + 1]; i++)
                for (int64_t j = (*col_cut)[c]; j < (*col_cut)[c + 1]; j++)
                    fine[i * across + j] = (*owner)[r * *cols + c];
    for (int64_t i = 0; i <= down; i++) row[i] = i;
    for (int64_t j = 0; j <= across; j++) col[j] = j;
    SCALAY_TRY(scalay_push(down, across, request->parts, request->seed, fine));
    scalay_release(*row_cut);
    scalay_release(*col_cut);
    scalay_release(*owner);
    *row_cut = row;
    *col_cut = col;
    *owner = fine;
    *rows = down;
    *cols = across;
    row = col = NULL;
    fine = NULL;
cleanup:
    scalay_release(row);
    scalay_release(col);
    scalay_release(fine);
    return status;
}

static scalay_status make_map(const scalay_rounding_request *request, const scalay_tiling *tiling,
                              const scalay_map_builder *quilt, scalay_owner_map **map)
{
    scalay_status status = SCALAY_SUCCESS;
    int64_t *row_cut = NULL, *col_cut = NULL;
    int *owner = NULL;
    int64_t rows = quilt->bands[SCALAY_BUILDER_ROWS].count, cols = quilt->bands[SCALAY_BUILDER_COLUMNS].count;
    SCALAY_TRY(scalay_map_builder_cells(quilt, &row_cut, &col_cut, &owner));
    if (request->exact_counts && scalay_push_is_for(row_cut[rows], col_cut[cols], request->parts))
        SCALAY_TRY(push_cells(request, &row_cut, &rows, &col_cut, &cols, &owner));
    for (int64_t r = 0; r <= rows; r++) row_cut[r] = scalay_tiling_line(tiling, 1, row_cut[r]);
    for (int64_t c = 0; c <= cols; c++) col_cut[c] = scalay_tiling_line(tiling, 0, col_cut[c]);
    SCALAY_TRY(scalay_owner_map_create(rows, cols, row_cut, col_cut, request->parts, owner, map));
cleanup:
    scalay_release(row_cut);
    scalay_release(col_cut);
    scalay_release(owner);
    return status;
}

/* --------------------------------------------------------------------------------------------- verdict */

static scalay_status judge(const char *function, const scalay_rounding_request *request, scalay_rounding *rounding)
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
                (scalay_empty_part){part, area > 0 ? SCALAY_EMPTY_NO_ROOM : SCALAY_EMPTY_NO_AREA};
    }
    if (request->exact_counts || request->tolerance <= 0 || rounding->load_error <= request->tolerance)
        return SCALAY_SUCCESS;
    status = scalay_fail(SCALAY_ERROR_INFEASIBLE, function,
                         "tolerance = %g cannot be kept by whole edges: part %d gets %lld of %g elements, a load error "
                         "of %g; pass that tolerance, a smaller tile, or exact_counts",
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
    scalay_map_builder quilt = {0};
    *rounding = (scalay_rounding){0};
    SCALAY_TRY(
        scalay_tiling_create(drawing, request->m, request->n, request->parts, request->area, request->tile, &tiling));
    scalay_tiling_round(&tiling);
    SCALAY_TRY(scalay_edge_moves(request->parts, request->area, &tiling));
    SCALAY_TRY(quilt_of_tiling(&tiling, request->parts, &quilt));
    SCALAY_TRY(fix_counts(request, &quilt));
    SCALAY_TRY(make_map(request, &tiling, &quilt, &rounding->map));
    SCALAY_TRY(judge(function, request, rounding));
cleanup:
    scalay_tiling_free(&tiling);
    scalay_map_builder_free(&quilt);
    if (status != SCALAY_SUCCESS) scalay_rounding_free(rounding);
    return status;
}

void scalay_rounding_free(scalay_rounding *rounding)
{
    scalay_owner_map_destroy(&rounding->map);
    scalay_release(rounding->empty);
    *rounding = (scalay_rounding){0};
}
