/*
 * The seeded tile maps of Herrmann et al., Parallel Computing 52 (2016), section 6.3.2. The same seed gives the same
 * map on every machine: whatever is compared is an integer or one correctly rounded operation away from one.
 */
#include <limits.h>
#include <math.h>
#include <stdlib.h>

#include "base/integer.h"
#include "base/memory.h"
#include "base/random.h"
#include "layout/layout.h"

/* The tiles of a map that is being made, row by row. */
typedef struct {
    int64_t rows;
    int64_t cols;
    int *owner; /* shape [rows][cols] */
} tile_sheet;

static scalay_status check_extents(const char *function, int64_t m, int64_t n, int64_t mb, int64_t nb)
{
    scalay_layout *trial = NULL;
    scalay_axis row = {.extent = m, .whole = m, .block = mb, .classes = 1};
    scalay_axis col = {.extent = n, .whole = n, .block = nb, .classes = 1};
    scalay_status status = scalay_layout_start(function, row, col, 1, &trial);
    scalay_layout_destroy(&trial);
    return status;
}

static scalay_status make_sheet(const char *function, int64_t m, int64_t n, int64_t mb, int64_t nb, tile_sheet *sheet)
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(check_extents(function, m, n, mb, nb));
    *sheet = (tile_sheet){.rows = scalay_ceil_div(m, mb), .cols = scalay_ceil_div(n, nb)};
    SCALAY_TRY(SCALAY_NEW(sheet->owner, sheet->rows * sheet->cols));
cleanup:
    return status;
}

/* ------------------------------------------------------------------------------------------------ skewed */

/* Process i with probability 2 i / (P (P - 1)): that is how often i is the greater of two different ones. */
static int random_receiver(scalay_random *random, int processes)
{
    int64_t first = scalay_random_below(random, processes);
    int64_t second = scalay_random_below(random, processes - 1);
    if (second >= first) second++;
    return (int)scalay_max_int64(first, second);
}

/* Half of the tiles, drawn without replacement, go to a random process. */
static scalay_status scatter_half(const tile_sheet *sheet, int processes, scalay_random *random)
{
    scalay_status status = SCALAY_SUCCESS;
    int64_t *deck = NULL;
    int64_t tiles = sheet->rows * sheet->cols;
    SCALAY_TRY(SCALAY_NEW(deck, tiles));
    for (int64_t k = 0; k < tiles; k++) deck[k] = k;
    for (int64_t k = 0; k < tiles / 2; k++) {
        int64_t at = k + scalay_random_below(random, tiles - k);
        int64_t drawn = deck[at];
        deck[at] = deck[k];
        sheet->owner[drawn] = random_receiver(random, processes);
    }
cleanup:
    scalay_release(deck);
    return status;
}

scalay_status scalay_layout_skewed(int64_t m, int64_t n, int64_t mb, int64_t nb, int nprow, int npcol, uint64_t seed,
                                   scalay_layout **layout)
{
    scalay_status status = SCALAY_SUCCESS;
    tile_sheet sheet = {0};
    if (layout == NULL) return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "layout is NULL; pass an address");
    *layout = NULL;
    if (nprow < 1 || npcol < 1 || (int64_t)nprow * npcol > INT_MAX)
        return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "grid %d x %d: both extents are at least 1, their product an int",
                           nprow, npcol);
    int processes = nprow * npcol;
    SCALAY_TRY(make_sheet(__func__, m, n, mb, nb, &sheet));
    for (int64_t r = 0; r < sheet.rows; r++)
        for (int64_t c = 0; c < sheet.cols; c++)
            sheet.owner[r * sheet.cols + c] = (int)((r % nprow * npcol + c % npcol + 1) % processes);
    scalay_random random = scalay_random_seed(seed);
    if (processes > 1) SCALAY_TRY(scatter_half(&sheet, processes, &random));
    SCALAY_TRY(scalay_layout_tiles(m, n, mb, nb, processes, sheet.owner, layout));
cleanup:
    scalay_release(sheet.owner);
    return status;
}

/* ------------------------------------------------------------------------------------------------ chunks */

enum { CHUNK = 16, SWATHS_ACROSS = 8, MOST_TILES_ALONG = 1 << 30 };

/* Swaths are compared by sums of two products of distances: these stay below 2^61. */
static scalay_status check_tiles_along(const char *function, const char *extent_name, int64_t extent, int64_t block)
{
    if (block < 1 || (extent - 1) / block < MOST_TILES_ALONG) return SCALAY_SUCCESS;
    return scalay_fail(SCALAY_ERROR_RANGE, function,
                       "%s = %lld in tiles of %lld are more than 2^30 tiles in one direction; make the tiles larger",
                       extent_name, (long long)extent, (long long)block);
}

/* A tile under a swath, in the order in which the instrument sees it: line after line, across each. */
typedef struct {
    int64_t line;
    int64_t across;
    int64_t along;
    int64_t tile;
} seen_tile;

/* A straight swath through two tiles: all tiles whose distance from the line is at most half a width. */
typedef struct {
    int64_t row, col;   /* a tile on the middle line */
    int64_t down, over; /* from there to the other */
    double length;      /* of (down, over) */
    double reach;       /* half a width times length: the largest |across| */
    int64_t tiles;
    int64_t capacity;
    seen_tile *tile; /* shape [capacity] */
} swath;

static void aim(const tile_sheet *sheet, scalay_random *random, swath *s)
{
    int64_t tiles = sheet->rows * sheet->cols;
    int64_t from = scalay_random_below(random, tiles);
    int64_t to = tiles > 1 ? scalay_random_below(random, tiles - 1) : from;
    if (tiles > 1 && to >= from) to++;
    double width = fmax(1.0, (double)scalay_min_int64(sheet->rows, sheet->cols) / SWATHS_ACROSS);
    s->row = from / sheet->cols;
    s->col = from % sheet->cols;
    s->down = to / sheet->cols - s->row;
    s->over = tiles > 1 ? to % sheet->cols - s->col : 1;
    s->length = sqrt((double)(s->down * s->down + s->over * s->over));
    s->reach = width / 2 * s->length;
    s->tiles = 0;
}

/* Adds a tile when it lies under the swath. */
static scalay_status look_at(const tile_sheet *sheet, int64_t r, int64_t c, swath *s)
{
    int64_t across = (r - s->row) * s->over - (c - s->col) * s->down;
    int64_t along = (r - s->row) * s->down + (c - s->col) * s->over;
    if ((double)llabs(across) > s->reach) return SCALAY_SUCCESS;
    scalay_status status = SCALAY_GROW(s->tile, s->capacity, s->tiles + 1);
    if (status != SCALAY_SUCCESS) return status;
    int64_t line = (int64_t)floor((double)along / s->length);
    s->tile[s->tiles++] = (seen_tile){line, across, along, r * sheet->cols + c};
    return SCALAY_SUCCESS;
}

/* The columns of a row that may lie under the swath: a little too many rather than too few. */
static void candidate_columns(const tile_sheet *sheet, const swath *s, int64_t r, int64_t *first, int64_t *last)
{
    *first = 0;
    *last = sheet->cols - 1;
    if (s->down == 0) return;
    double middle = (double)s->col + (double)(r - s->row) * (double)s->over / (double)s->down;
    double half = s->reach / fabs((double)s->down) + 1;
    if (middle - half > 0) *first = (int64_t)fmin(middle - half, (double)sheet->cols);
    if (middle + half < (double)*last) *last = (int64_t)fmax(middle + half, -1.0);
}

static int compare_seen(const void *x, const void *y)
{
    const seen_tile *a = x, *b = y;
    if (a->line != b->line) return a->line < b->line ? -1 : 1;
    if (a->across != b->across) return a->across < b->across ? -1 : 1;
    return (a->along > b->along) - (a->along < b->along);
}

static scalay_status sweep(const tile_sheet *sheet, swath *s)
{
    for (int64_t r = 0; r < sheet->rows; r++) {
        int64_t first, last;
        candidate_columns(sheet, s, r, &first, &last);
        for (int64_t c = first; c <= last; c++) {
            scalay_status status = look_at(sheet, r, c, s);
            if (status != SCALAY_SUCCESS) return status;
        }
    }
    qsort(s->tile, (size_t)s->tiles, sizeof *s->tile, compare_seen);
    return SCALAY_SUCCESS;
}

/* Swath after swath until nothing is left uncovered: each covers the two tiles it goes through. */
static scalay_status cover(const tile_sheet *sheet, int parts, scalay_random *random)
{
    scalay_status status = SCALAY_SUCCESS;
    swath s = {0};
    int64_t left = sheet->rows * sheet->cols, chunk = 0;
    for (int64_t k = 0; k < left; k++) sheet->owner[k] = -1;
    while (left > 0) {
        aim(sheet, random, &s);
        SCALAY_TRY(sweep(sheet, &s));
        for (int64_t k = 0; k < s.tiles; k++) {
            int *owner = &sheet->owner[s.tile[k].tile];
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
    tile_sheet sheet = {0};
    if (layout == NULL) return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "layout is NULL; pass an address");
    *layout = NULL;
    if (parts < 1) return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "parts = %d; pass at least 1", parts);
    SCALAY_TRY(check_tiles_along(__func__, "m", m, mb));
    SCALAY_TRY(check_tiles_along(__func__, "n", n, nb));
    SCALAY_TRY(make_sheet(__func__, m, n, mb, nb, &sheet));
    scalay_random random = scalay_random_seed(seed);
    SCALAY_TRY(cover(&sheet, parts, &random));
    SCALAY_TRY(scalay_layout_tiles(m, n, mb, nb, parts, sheet.owner, layout));
cleanup:
    scalay_release(sheet.owner);
    return status;
}
