/*
 * Test layouts: SkewedSet and ChunkSet.
 *
 * Source: Herrmann et al., Assessing the cost of redistribution followed by a computational kernel, Parallel Computing
 * 52 (2016), section 6.3.2, figure 7. The paper prints the probability of SkewedSet as 2^i / (P (P - 1)), which does
 * not sum to 1, and does not say where the swaths of ChunkSet run. The same seed gives the same map on every machine,
 * because all compared values are integers or results of one correctly rounded operation. Time: O(tiles log tiles) per
 * swath.
 */
#include <limits.h>
#include <math.h>
#include <stdlib.h>

#include "base/compare.h"
#include "base/integer.h"
#include "base/memory.h"
#include "base/random.h"
#include "layout/layout.h"

/* The owners of a tile map. */
typedef struct {
    int64_t rows;
    int64_t cols;
    int *owner; /* shape [rows][cols] */
} owner_table;

static scalay_status check_extents(const char *function, int64_t m, int64_t n, int64_t mb, int64_t nb)
{
    scalay_layout *trial = NULL;
    scalay_axis row = {.extent = m, .whole = m, .block = mb, .classes = 1};
    scalay_axis col = {.extent = n, .whole = n, .block = nb, .classes = 1};
    scalay_status status = scalay_layout_start(function, row, col, 1, &trial);
    scalay_layout_destroy(&trial);
    return status;
}

static scalay_status allocate_owners(const char *function, int64_t m, int64_t n, int64_t mb, int64_t nb,
                                     owner_table *table)
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(check_extents(function, m, n, mb, nb));
    *table = (owner_table){.rows = scalay_ceil_div(m, mb), .cols = scalay_ceil_div(n, nb)};
    SCALAY_TRY(SCALAY_NEW(table->owner, table->rows * table->cols));
cleanup:
    return status;
}

/* ----------------------------------------------------------------------------------------------------------- skewed */

/* Returns process i with probability 2 i / (P (P - 1)): the larger one of two distinct random processes. */
static int random_receiver(scalay_random *random, int processes)
{
    int64_t first = scalay_random_below(random, processes);
    int64_t second = scalay_random_below(random, processes - 1);
    if (second >= first) second++;
    return (int)scalay_max_int64(first, second);
}

/* Gives half of the tiles, drawn without replacement, to random processes. */
static scalay_status scatter_half(const owner_table *table, int processes, scalay_random *random)
{
    scalay_status status = SCALAY_SUCCESS;
    int64_t *deck = NULL;
    int64_t tiles = table->rows * table->cols;
    SCALAY_TRY(SCALAY_NEW(deck, tiles));
    for (int64_t k = 0; k < tiles; k++) deck[k] = k;
    for (int64_t k = 0; k < tiles / 2; k++) {
        int64_t at = k + scalay_random_below(random, tiles - k);
        int64_t drawn = deck[at];
        deck[at] = deck[k];
        table->owner[drawn] = random_receiver(random, processes);
    }
cleanup:
    scalay_release(deck);
    return status;
}

scalay_status scalay_layout_skewed(int64_t m, int64_t n, int64_t mb, int64_t nb, int nprow, int npcol, uint64_t seed,
                                   scalay_layout **layout)
{
    scalay_status status = SCALAY_SUCCESS;
    owner_table table = {0};
    SCALAY_TRY(scalay_check_not_null(layout, __func__, "layout"));
    *layout = NULL;
    if (nprow < 1 || npcol < 1 || (int64_t)nprow * npcol > INT_MAX)
        return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT,
                           "the grid is %d x %d; both extents must be at least 1 and their product at most 2^31 - 1",
                           nprow, npcol);
    int processes = nprow * npcol;
    SCALAY_TRY(allocate_owners(__func__, m, n, mb, nb, &table));
    for (int64_t r = 0; r < table.rows; r++)
        for (int64_t c = 0; c < table.cols; c++)
            table.owner[r * table.cols + c] = (int)((r % nprow * npcol + c % npcol + 1) % processes);
    scalay_random random = scalay_random_seed(seed);
    if (processes > 1) SCALAY_TRY(scatter_half(&table, processes, &random));
    SCALAY_TRY(scalay_layout_tiles(m, n, mb, nb, processes, table.owner, layout));
cleanup:
    scalay_release(table.owner);
    return status;
}

/* ----------------------------------------------------------------------------------------------------------- chunks */

enum { CHUNK = 16, SWATHS_ACROSS = 8, MAX_TILES_ALONG = 1 << 30 };

/* Limits the tiles so that sums of two products of distances stay below 2^61. */
static scalay_status check_tiles_along(const char *function, const char *extent_name, int64_t extent, int64_t block)
{
    if (block < 1 || (extent - 1) / block < MAX_TILES_ALONG) return SCALAY_SUCCESS;
    return scalay_fail(SCALAY_ERROR_RANGE, function,
                       "%s is %lld and the tile extent %lld; there must be at most 2^30 tiles in either direction",
                       extent_name, (long long)extent, (long long)block);
}

/* A tile in a swath. Tiles are ordered line after line, and across the swath within a line. */
typedef struct {
    int64_t line;
    int64_t across;
    int64_t along;
    int64_t tile;
} swath_tile;

/* The tiles whose distance from the line through two tiles is at most half the width. */
typedef struct {
    int64_t row, col;   /* a tile on the line */
    int64_t down, over; /* distance to another tile on the line */
    double length;      /* Euclidean length of (down, over) */
    double reach;       /* half the width times length: the largest |across| */
    int64_t tiles;
    int64_t capacity;
    swath_tile *tile; /* shape [capacity] */
} swath;

static void choose_line(const owner_table *table, scalay_random *random, swath *s)
{
    int64_t tiles = table->rows * table->cols;
    int64_t from = scalay_random_below(random, tiles);
    int64_t to = tiles > 1 ? scalay_random_below(random, tiles - 1) : from;
    if (tiles > 1 && to >= from) to++;
    double width = fmax(1.0, (double)scalay_min_int64(table->rows, table->cols) / SWATHS_ACROSS);
    s->row = from / table->cols;
    s->col = from % table->cols;
    s->down = to / table->cols - s->row;
    s->over = tiles > 1 ? to % table->cols - s->col : 1;
    s->length = sqrt((double)(s->down * s->down + s->over * s->over));
    s->reach = width / 2 * s->length;
    s->tiles = 0;
}

/* Adds a tile if it lies in the swath. */
static scalay_status add_if_inside(const owner_table *table, int64_t r, int64_t c, swath *s)
{
    int64_t across = (r - s->row) * s->over - (c - s->col) * s->down;
    int64_t along = (r - s->row) * s->down + (c - s->col) * s->over;
    if ((double)llabs(across) > s->reach) return SCALAY_SUCCESS;
    scalay_status status = SCALAY_GROW(s->tile, s->capacity, s->tiles + 1);
    if (status != SCALAY_SUCCESS) return status;
    int64_t line = (int64_t)floor((double)along / s->length);
    s->tile[s->tiles++] = (swath_tile){line, across, along, r * table->cols + c};
    return SCALAY_SUCCESS;
}

/* Computes a range of columns that contains all columns of a row that lie in the swath. */
static void candidate_columns(const owner_table *table, const swath *s, int64_t r, int64_t *first, int64_t *last)
{
    *first = 0;
    *last = table->cols - 1;
    if (s->down == 0) return;
    double middle = (double)s->col + (double)(r - s->row) * (double)s->over / (double)s->down;
    double half = s->reach / fabs((double)s->down) + 1;
    if (middle - half > 0) *first = (int64_t)fmin(middle - half, (double)table->cols);
    if (middle + half < (double)*last) *last = (int64_t)fmax(middle + half, -1.0);
}

static int compare_tiles(const void *x, const void *y)
{
    const swath_tile *a = x, *b = y;
    if (a->line != b->line) return scalay_compare_int64(a->line, b->line);
    if (a->across != b->across) return scalay_compare_int64(a->across, b->across);
    return scalay_compare_int64(a->along, b->along);
}

static scalay_status collect_tiles(const owner_table *table, swath *s)
{
    for (int64_t r = 0; r < table->rows; r++) {
        int64_t first, last;
        candidate_columns(table, s, r, &first, &last);
        for (int64_t c = first; c <= last; c++) {
            scalay_status status = add_if_inside(table, r, c, s);
            if (status != SCALAY_SUCCESS) return status;
        }
    }
    qsort(s->tile, (size_t)s->tiles, sizeof *s->tile, compare_tiles);
    return SCALAY_SUCCESS;
}

/* Draws swaths until each tile has an owner. A swath contains the two tiles that define it, so that this ends. */
static scalay_status cover(const owner_table *table, int parts, scalay_random *random)
{
    scalay_status status = SCALAY_SUCCESS;
    swath s = {0};
    int64_t left = table->rows * table->cols, chunk = 0;
    for (int64_t k = 0; k < left; k++) table->owner[k] = -1;
    while (left > 0) {
        choose_line(table, random, &s);
        SCALAY_TRY(collect_tiles(table, &s));
        for (int64_t k = 0; k < s.tiles; k++) {
            int *owner = &table->owner[s.tile[k].tile];
            left -= *owner < 0;
            *owner = (int)((chunk + k / CHUNK) % parts);
        }
        chunk += scalay_ceil_div(s.tiles, CHUNK);
    }
cleanup:
    scalay_release(s.tile);
    return status;
}

scalay_status scalay_layout_chunks(int64_t m, int64_t n, int64_t mb, int64_t nb, int parts, uint64_t seed,
                                   scalay_layout **layout)
{
    scalay_status status = SCALAY_SUCCESS;
    owner_table table = {0};
    SCALAY_TRY(scalay_check_not_null(layout, __func__, "layout"));
    *layout = NULL;
    SCALAY_TRY(scalay_check_at_least(parts, 1, __func__, "parts"));
    SCALAY_TRY(check_tiles_along(__func__, "m", m, mb));
    SCALAY_TRY(check_tiles_along(__func__, "n", n, nb));
    SCALAY_TRY(allocate_owners(__func__, m, n, mb, nb, &table));
    scalay_random random = scalay_random_seed(seed);
    SCALAY_TRY(cover(&table, parts, &random));
    SCALAY_TRY(scalay_layout_tiles(m, n, mb, nb, parts, table.owner, layout));
cleanup:
    scalay_release(table.owner);
    return status;
}
