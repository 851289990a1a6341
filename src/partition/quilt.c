#include "partition/quilt.h"

#include <stdlib.h>
#include <string.h>

#include "base/integer.h"
#include "base/memory.h"

/* ------------------------------------------------------------------------------------------------- access */

static int *cell(const scalay_map_builder *quilt, int direction, int64_t band, int64_t other)
{
    return direction == SCALAY_BUILDER_ROWS ? &quilt->owner[band * quilt->across + other]
                                            : &quilt->owner[other * quilt->across + band];
}

int scalay_map_builder_owner(const scalay_map_builder *quilt, int direction, int64_t band, int64_t other)
{
    return *cell(quilt, direction, band, other);
}

static scalay_status list_add(scalay_map_builder_list *list, int64_t band)
{
    scalay_status status = SCALAY_GROW(list->band, list->room, list->count + 1);
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

/* ------------------------------------------------------------------------------------------------ creation */

static scalay_status make_bands(int64_t count, const int64_t *cut, scalay_map_builder_bands *bands)
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(SCALAY_GROW(bands->first, bands->room_first, count));
    SCALAY_TRY(SCALAY_GROW(bands->lines, bands->room_lines, count));
    for (int64_t k = 0; k < count; k++) {
        bands->first[k] = cut[k];
        bands->lines[k] = cut[k + 1] - cut[k];
    }
    bands->count = count;
cleanup:
    return status;
}

/* Notes a band with every part in it. */
static scalay_status list_band(scalay_map_builder *quilt, int direction, int64_t band)
{
    scalay_status status = SCALAY_SUCCESS;
    const int64_t others = quilt->bands[1 - direction].count;
    quilt->stamped++;
    for (int64_t other = 0; other < others; other++) {
        const int part = *cell(quilt, direction, band, other);
        if (quilt->stamp[part] == quilt->stamped) continue;
        quilt->stamp[part] = quilt->stamped;
        SCALAY_TRY(list_add(&quilt->list[direction][part], band));
    }
cleanup:
    return status;
}

scalay_status scalay_map_builder_create(int parts, int64_t rows, const int64_t *row_cut, int64_t cols,
                                        const int64_t *col_cut, const int *owner, scalay_map_builder *quilt)
{
    scalay_status status = SCALAY_SUCCESS;
    *quilt =
        (scalay_map_builder){.parts = parts, .extent = {row_cut[rows], col_cut[cols]}, .down = rows, .across = cols};
    SCALAY_TRY(make_bands(rows, row_cut, &quilt->bands[SCALAY_BUILDER_ROWS]));
    SCALAY_TRY(make_bands(cols, col_cut, &quilt->bands[SCALAY_BUILDER_COLUMNS]));
    SCALAY_TRY(SCALAY_NEW(quilt->owner, rows * cols));
    SCALAY_TRY(SCALAY_NEW(quilt->count, parts));
    SCALAY_TRY(SCALAY_NEW(quilt->stamp, parts));
    for (int direction = 0; direction < 2; direction++) SCALAY_TRY(SCALAY_NEW(quilt->list[direction], parts));
    memcpy(quilt->owner, owner, (size_t)(rows * cols) * sizeof *owner);
    for (int64_t r = 0; r < rows; r++)
        for (int64_t c = 0; c < cols; c++)
            quilt->count[owner[r * cols + c]] +=
                quilt->bands[SCALAY_BUILDER_ROWS].lines[r] * quilt->bands[SCALAY_BUILDER_COLUMNS].lines[c];
    for (int direction = 0; direction < 2; direction++)
        for (int64_t band = 0; band < quilt->bands[direction].count; band++)
            SCALAY_TRY(list_band(quilt, direction, band));
cleanup:
    return status;
}

void scalay_map_builder_free(scalay_map_builder *quilt)
{
    for (int direction = 0; direction < 2; direction++) {
        for (int part = 0; quilt->list[direction] != NULL && part < quilt->parts; part++)
            scalay_release(quilt->list[direction][part].band);
        scalay_release(quilt->list[direction]);
        scalay_release(quilt->bands[direction].first);
        scalay_release(quilt->bands[direction].lines);
    }
    scalay_release(quilt->owner);
    scalay_release(quilt->count);
    scalay_release(quilt->stamp);
    *quilt = (scalay_map_builder){0};
}

/* ------------------------------------------------------------------------------------------------- changes */

/* Makes room for one more band, a quarter more than is needed. */
static scalay_status make_room(scalay_map_builder *quilt, int direction)
{
    scalay_status status = SCALAY_SUCCESS;
    const int64_t rows = quilt->bands[SCALAY_BUILDER_ROWS].count, cols = quilt->bands[SCALAY_BUILDER_COLUMNS].count;
    int64_t down = quilt->down, across = quilt->across;
    int *wider = NULL;
    if (direction == SCALAY_BUILDER_ROWS ? rows < down : cols < across) return SCALAY_SUCCESS;
    if (direction == SCALAY_BUILDER_ROWS)
        down += down / 4 + 8;
    else
        across += across / 4 + 8;
    SCALAY_TRY(SCALAY_NEW(wider, down * across));
    for (int64_t r = 0; r < rows; r++)
        memcpy(wider + r * across, quilt->owner + r * quilt->across, (size_t)cols * sizeof *wider);
    scalay_release(quilt->owner);
    quilt->owner = wider;
    quilt->down = down;
    quilt->across = across;
cleanup:
    return status;
}

scalay_status scalay_map_builder_split(scalay_map_builder *quilt, int direction, int64_t band, int64_t lines,
                                       int from_front, int64_t *split)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_map_builder_bands *bands = &quilt->bands[direction];
    const int64_t made = bands->count, others = quilt->bands[1 - direction].count;
    *split = band;
    if (lines == bands->lines[band]) return SCALAY_SUCCESS;
    SCALAY_TRY(make_room(quilt, direction));
    SCALAY_TRY(SCALAY_GROW(bands->first, bands->room_first, made + 1));
    SCALAY_TRY(SCALAY_GROW(bands->lines, bands->room_lines, made + 1));
    for (int64_t other = 0; other < others; other++)
        *cell(quilt, direction, made, other) = *cell(quilt, direction, band, other);
    bands->lines[made] = lines;
    bands->lines[band] -= lines;
    bands->first[made] = from_front ? bands->first[band] : bands->first[band] + bands->lines[band];
    if (from_front) bands->first[band] += lines;
    bands->count++;
    SCALAY_TRY(list_band(quilt, direction, made));
    *split = made;
cleanup:
    return status;
}

/* 1 when a part owns anything in a band. */
static int is_in_band(const scalay_map_builder *quilt, int direction, int64_t band, int part)
{
    const scalay_map_builder_list *list = &quilt->list[1 - direction][part];
    for (int64_t k = 0; k < list->count; k++)
        if (*cell(quilt, direction, band, list->band[k]) == part) return 1;
    return 0;
}

scalay_status scalay_map_builder_set_owner(scalay_map_builder *quilt, int direction, int64_t band, int64_t other,
                                           int part)
{
    scalay_status status = SCALAY_SUCCESS;
    int *owner = cell(quilt, direction, band, other);
    const int before = *owner;
    const int64_t cells = quilt->bands[direction].lines[band] * quilt->bands[1 - direction].lines[other];
    const int64_t at[2] = {band, other};
    if (before == part) return SCALAY_SUCCESS;
    *owner = part;
    quilt->count[before] -= cells;
    quilt->count[part] += cells;
    for (int k = 0; k < 2; k++) {
        const int along = k == 0 ? direction : 1 - direction;
        scalay_map_builder_list *gains = &quilt->list[along][part];
        if (!list_has(gains, at[k])) SCALAY_TRY(list_add(gains, at[k]));
    }
    const int left = is_in_band(quilt, direction, band, before),
              right = is_in_band(quilt, 1 - direction, other, before);
    if (!left) list_remove(&quilt->list[direction][before], band);
    if (!right) list_remove(&quilt->list[1 - direction][before], other);
cleanup:
    return status;
}

/* --------------------------------------------------------------------------------------------------- cells */

typedef struct {
    int64_t first;
    int64_t band;
} placed_band;

static int compare_places(const void *left, const void *right)
{
    const placed_band *a = left, *b = right;
    return (a->first > b->first) - (a->first < b->first);
}

static scalay_status order_bands(const scalay_map_builder_bands *bands, placed_band **order, int64_t **cut)
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(SCALAY_NEW(*order, bands->count));
    SCALAY_TRY(SCALAY_NEW(*cut, bands->count + 1));
    for (int64_t k = 0; k < bands->count; k++) (*order)[k] = (placed_band){bands->first[k], k};
    qsort(*order, (size_t)bands->count, sizeof **order, compare_places);
    for (int64_t k = 0; k < bands->count; k++) (*cut)[k + 1] = (*cut)[k] + bands->lines[(*order)[k].band];
cleanup:
    return status;
}

scalay_status scalay_map_builder_cells(const scalay_map_builder *quilt, int64_t **row_cut, int64_t **col_cut,
                                       int **owner)
{
    scalay_status status = SCALAY_SUCCESS;
    placed_band *row = NULL, *col = NULL;
    const int64_t rows = quilt->bands[SCALAY_BUILDER_ROWS].count, cols = quilt->bands[SCALAY_BUILDER_COLUMNS].count;
    SCALAY_TRY(order_bands(&quilt->bands[SCALAY_BUILDER_ROWS], &row, row_cut));
    SCALAY_TRY(order_bands(&quilt->bands[SCALAY_BUILDER_COLUMNS], &col, col_cut));
    SCALAY_TRY(SCALAY_NEW(*owner, rows * cols));
    for (int64_t r = 0; r < rows; r++)
        for (int64_t c = 0; c < cols; c++)
            (*owner)[r * cols + c] = quilt->owner[row[r].band * quilt->across + col[c].band];
cleanup:
    scalay_release(row);
    scalay_release(col);
    return status;
}
