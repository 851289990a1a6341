/*
 * Maps under construction. Each part has a list of the bands in which it owns cells, so that the time of an update
 * depends on these bands. Memory: O(row bands * column bands).
 */
#include "partition/map_builder.h"

#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "base/integer.h"
#include "base/memory.h"

/* --------------------------------------------------------------------------------------------------- grids of cells */

void scalay_cell_grid_free(scalay_cell_grid *grid)
{
    scalay_release(grid->row_cut);
    scalay_release(grid->col_cut);
    scalay_release(grid->owner);
    *grid = (scalay_cell_grid){0};
}

scalay_status scalay_cell_grid_refine(scalay_cell_grid *grid)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_cell_grid fine = {.rows = grid->row_cut[grid->rows], .cols = grid->col_cut[grid->cols]};
    SCALAY_TRY(SCALAY_NEW(fine.row_cut, fine.rows + 1));
    SCALAY_TRY(SCALAY_NEW(fine.col_cut, fine.cols + 1));
    SCALAY_TRY(SCALAY_NEW(fine.owner, fine.rows * fine.cols));
    for (int64_t i = 0; i <= fine.rows; i++) fine.row_cut[i] = i;
    for (int64_t j = 0; j <= fine.cols; j++) fine.col_cut[j] = j;
    for (int64_t r = 0; r < grid->rows; r++)
        for (int64_t c = 0; c < grid->cols; c++)
            for (int64_t i = grid->row_cut[r]; i < grid->row_cut[r + 1]; i++)
                for (int64_t j = grid->col_cut[c]; j < grid->col_cut[c + 1]; j++)
                    fine.owner[i * fine.cols + j] = grid->owner[r * grid->cols + c];
    scalay_cell_grid_free(grid);
    *grid = fine;
    fine = (scalay_cell_grid){0};
cleanup:
    scalay_cell_grid_free(&fine);
    return status;
}

/* ----------------------------------------------------------------------------------------------------------- access */

static int *cell(const scalay_map_builder *builder, int direction, int64_t band, int64_t other)
{
    return direction == SCALAY_BUILDER_ROWS ? &builder->owner[band * builder->across + other]
                                            : &builder->owner[other * builder->across + band];
}

int scalay_map_builder_owner(const scalay_map_builder *builder, int direction, int64_t band, int64_t other)
{
    return *cell(builder, direction, band, other);
}

static scalay_status list_add(scalay_map_builder_list *list, int64_t band)
{
    scalay_status status = SCALAY_GROW(list->band, list->capacity, list->count + 1);
    if (status == SCALAY_SUCCESS) list->band[list->count++] = band;
    return status;
}

static int list_has(const scalay_map_builder_list *list, int64_t band)
{
    for (int64_t k = 0; k < list->count; k++)
        if (list->band[k] == band) return 1;
    return 0;
}

static void list_remove(scalay_map_builder_list *list, int64_t band)
{
    for (int64_t k = 0; k < list->count; k++)
        if (list->band[k] == band) {
            list->band[k] = list->band[--list->count];
            return;
        }
}

/* --------------------------------------------------------------------------------------------------------- creation */

static scalay_status make_bands(int64_t count, const int64_t *cut, scalay_map_builder_bands *bands)
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(SCALAY_GROW(bands->first, bands->first_capacity, count));
    SCALAY_TRY(SCALAY_GROW(bands->lines, bands->lines_capacity, count));
    for (int64_t k = 0; k < count; k++) {
        bands->first[k] = cut[k];
        bands->lines[k] = cut[k + 1] - cut[k];
    }
    bands->count = count;
cleanup:
    return status;
}

/* Adds a band to the lists of all parts that own cells in it. */
static scalay_status list_band(scalay_map_builder *builder, int direction, int64_t band)
{
    scalay_status status = SCALAY_SUCCESS;
    const int64_t others = builder->bands[1 - direction].count;
    builder->stamped++;
    for (int64_t other = 0; other < others; other++) {
        const int part = *cell(builder, direction, band, other);
        if (builder->stamp[part] == builder->stamped) continue;
        builder->stamp[part] = builder->stamped;
        SCALAY_TRY(list_add(&builder->list[direction][part], band));
    }
cleanup:
    return status;
}

scalay_status scalay_map_builder_create(int parts, const scalay_cell_grid *grid, scalay_map_builder *builder)
{
    scalay_status status = SCALAY_SUCCESS;
    const int64_t rows = grid->rows, cols = grid->cols;
    *builder = (scalay_map_builder){
        .parts = parts, .extent = {grid->row_cut[rows], grid->col_cut[cols]}, .down = rows, .across = cols};
    SCALAY_TRY(make_bands(rows, grid->row_cut, &builder->bands[SCALAY_BUILDER_ROWS]));
    SCALAY_TRY(make_bands(cols, grid->col_cut, &builder->bands[SCALAY_BUILDER_COLUMNS]));
    SCALAY_TRY(SCALAY_NEW(builder->owner, rows * cols));
    SCALAY_TRY(SCALAY_NEW(builder->count, parts));
    SCALAY_TRY(SCALAY_NEW(builder->stamp, parts));
    for (int direction = 0; direction < 2; direction++) SCALAY_TRY(SCALAY_NEW(builder->list[direction], parts));
    memcpy(builder->owner, grid->owner, (size_t)(rows * cols) * sizeof *grid->owner);
    for (int64_t r = 0; r < rows; r++)
        for (int64_t c = 0; c < cols; c++)
            builder->count[grid->owner[r * cols + c]] +=
                builder->bands[SCALAY_BUILDER_ROWS].lines[r] * builder->bands[SCALAY_BUILDER_COLUMNS].lines[c];
    for (int direction = 0; direction < 2; direction++)
        for (int64_t band = 0; band < builder->bands[direction].count; band++)
            SCALAY_TRY(list_band(builder, direction, band));
cleanup:
    return status;
}

void scalay_map_builder_free(scalay_map_builder *builder)
{
    for (int direction = 0; direction < 2; direction++) {
        for (int part = 0; builder->list[direction] != NULL && part < builder->parts; part++)
            scalay_release(builder->list[direction][part].band);
        scalay_release(builder->list[direction]);
        scalay_release(builder->bands[direction].first);
        scalay_release(builder->bands[direction].lines);
    }
    scalay_release(builder->owner);
    scalay_release(builder->count);
    scalay_release(builder->stamp);
    *builder = (scalay_map_builder){0};
}

/* ---------------------------------------------------------------------------------------------------------- changes */

/* Reserves memory for one more band, and a quarter more. */
static scalay_status make_capacity(scalay_map_builder *builder, int direction)
{
    scalay_status status = SCALAY_SUCCESS;
    const int64_t rows = builder->bands[SCALAY_BUILDER_ROWS].count, cols = builder->bands[SCALAY_BUILDER_COLUMNS].count;
    int64_t down = builder->down, across = builder->across;
    int *wider = NULL;
    if (direction == SCALAY_BUILDER_ROWS ? rows < down : cols < across) return SCALAY_SUCCESS;
    if (direction == SCALAY_BUILDER_ROWS)
        down += down / 4 + 8;
    else
        across += across / 4 + 8;
    SCALAY_TRY(SCALAY_NEW(wider, down * across));
    for (int64_t r = 0; r < rows; r++)
        memcpy(wider + r * across, builder->owner + r * builder->across, (size_t)cols * sizeof *wider);
    scalay_release(builder->owner);
    builder->owner = wider;
    builder->down = down;
    builder->across = across;
cleanup:
    return status;
}

scalay_status scalay_map_builder_split(scalay_map_builder *builder, int direction, int64_t band, int64_t lines,
                                       int from_front, int64_t *split)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_map_builder_bands *bands = &builder->bands[direction];
    const int64_t added = bands->count, others = builder->bands[1 - direction].count;
    *split = band;
    if (lines == bands->lines[band]) return SCALAY_SUCCESS;
    SCALAY_TRY(make_capacity(builder, direction));
    SCALAY_TRY(SCALAY_GROW(bands->first, bands->first_capacity, added + 1));
    SCALAY_TRY(SCALAY_GROW(bands->lines, bands->lines_capacity, added + 1));
    for (int64_t other = 0; other < others; other++)
        *cell(builder, direction, added, other) = *cell(builder, direction, band, other);
    bands->lines[added] = lines;
    bands->lines[band] -= lines;
    bands->first[added] = from_front ? bands->first[band] : bands->first[band] + bands->lines[band];
    if (from_front) bands->first[band] += lines;
    bands->count++;
    SCALAY_TRY(list_band(builder, direction, added));
    *split = added;
cleanup:
    return status;
}

/* Returns 1 if a part owns cells in a band. */
static int is_in_band(const scalay_map_builder *builder, int direction, int64_t band, int part)
{
    const scalay_map_builder_list *list = &builder->list[1 - direction][part];
    for (int64_t k = 0; k < list->count; k++)
        if (*cell(builder, direction, band, list->band[k]) == part) return 1;
    return 0;
}

scalay_status scalay_map_builder_set_owner(scalay_map_builder *builder, int direction, int64_t band, int64_t other,
                                           int part)
{
    scalay_status status = SCALAY_SUCCESS;
    int *owner = cell(builder, direction, band, other);
    const int before = *owner;
    const int64_t cells = builder->bands[direction].lines[band] * builder->bands[1 - direction].lines[other];
    const int64_t at[2] = {band, other};
    if (before == part) return SCALAY_SUCCESS;
    *owner = part;
    builder->count[before] -= cells;
    builder->count[part] += cells;
    for (int k = 0; k < 2; k++) {
        const int along = k == 0 ? direction : 1 - direction;
        scalay_map_builder_list *gains = &builder->list[along][part];
        if (!list_has(gains, at[k])) SCALAY_TRY(list_add(gains, at[k]));
    }
    const int left = is_in_band(builder, direction, band, before),
              right = is_in_band(builder, 1 - direction, other, before);
    if (!left) list_remove(&builder->list[direction][before], band);
    if (!right) list_remove(&builder->list[1 - direction][before], other);
cleanup:
    return status;
}

/* ------------------------------------------------------------------------------------------------------------ cells */

typedef struct {
    int64_t first;
    int64_t band;
} placed_band;

static int compare_first_lines(const void *left, const void *right)
{
    const placed_band *a = left, *b = right;
    return scalay_compare_int64(a->first, b->first);
}

static scalay_status order_bands(const scalay_map_builder_bands *bands, placed_band **order, int64_t **cut)
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(SCALAY_NEW(*order, bands->count));
    SCALAY_TRY(SCALAY_NEW(*cut, bands->count + 1));
    for (int64_t k = 0; k < bands->count; k++) (*order)[k] = (placed_band){bands->first[k], k};
    qsort(*order, (size_t)bands->count, sizeof **order, compare_first_lines);
    for (int64_t k = 0; k < bands->count; k++) (*cut)[k + 1] = (*cut)[k] + bands->lines[(*order)[k].band];
cleanup:
    return status;
}

scalay_status scalay_map_builder_get_grid(const scalay_map_builder *builder, scalay_cell_grid *grid)
{
    scalay_status status = SCALAY_SUCCESS;
    placed_band *row = NULL, *col = NULL;
    const int64_t rows = builder->bands[SCALAY_BUILDER_ROWS].count, cols = builder->bands[SCALAY_BUILDER_COLUMNS].count;
    *grid = (scalay_cell_grid){.rows = rows, .cols = cols};
    SCALAY_TRY(order_bands(&builder->bands[SCALAY_BUILDER_ROWS], &row, &grid->row_cut));
    SCALAY_TRY(order_bands(&builder->bands[SCALAY_BUILDER_COLUMNS], &col, &grid->col_cut));
    SCALAY_TRY(SCALAY_NEW(grid->owner, rows * cols));
    for (int64_t r = 0; r < rows; r++)
        for (int64_t c = 0; c < cols; c++)
            grid->owner[r * cols + c] = builder->owner[row[r].band * builder->across + col[c].band];
cleanup:
    scalay_release(row);
    scalay_release(col);
    return status;
}
