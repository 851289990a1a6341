/*
 * Tiles that products, LU, QR and Cholesky factorisations send on an owner map.
 *
 * For each tile, the receivers are the owners in the rest of its row or column. These sets only grow from the last line
 * to the first one, so that a walk that marks owners counts them. Time: O(tile rows * tile columns). Memory: O(tile
 * rows + tile columns + parts): the tiles are not stored.
 */
#include <math.h>
#include <string.h>

#include "base/integer.h"
#include "base/memory.h"
#include "partition/owner_map.h"
#include "partition/speeds.h"
#include "scalay/pattern.h"

/* A map by tiles. */
typedef struct {
    const scalay_owner_map *map;
    int64_t rows, cols; /* in tiles */
    int64_t *row_class; /* shape [rows] */
    int64_t *col_class; /* shape [cols] */
    int64_t mark;       /* a part with this stamp is in the current set */
    int64_t *stamp;     /* shape [parts] */
    int64_t *sent;      /* shape [parts]: tiles sent */
    int64_t along_rows, along_columns;
} tile_map;

static int owner_of(const tile_map *in, int64_t i, int64_t j)
{
    return in->map->owner[in->row_class[i] * in->map->col.classes + in->col_class[j]];
}

static scalay_status list_classes(const scalay_map_axis *axis, int64_t nb, int64_t *tiles, int64_t **class)
{
    *tiles = scalay_ceil_div(axis->extent, nb);
    const scalay_status status = SCALAY_NEW(*class, *tiles);
    for (int64_t k = 0, run = 0; status == SCALAY_SUCCESS && k < *tiles; k++) {
        while (axis->end[run] <= k * nb) run++;
        (*class)[k] = axis->run_class[run];
    }
    return status;
}

/* Adds a part to the current set. Returns 1 if it was not in the set. */
static int add(tile_map *in, int part)
{
    if (in->stamp[part] == in->mark) return 0;
    in->stamp[part] = in->mark;
    return 1;
}

static int has(const tile_map *in, int part)
{
    return in->stamp[part] == in->mark;
}

/* Counts a tile that its owner sends to the `others` members of a set that may contain it. */
static void send(tile_map *in, int owner, int64_t members, int64_t *sum)
{
    const int64_t receivers = members - has(in, owner);
    in->sent[owner] += receivers;
    *sum += receivers;
}

/* The tiles of A are sent along their rows, those of B along their columns. */
static void count_product(tile_map *in)
{
    for (int64_t i = 0; i < in->rows; i++) {
        int64_t members = 0;
        in->mark++;
        for (int64_t j = 0; j < in->cols; j++) members += add(in, owner_of(in, i, j));
        for (int64_t j = 0; j < in->cols; j++) send(in, owner_of(in, i, j), members, &in->along_rows);
    }
    for (int64_t j = 0; j < in->cols; j++) {
        int64_t members = 0;
        in->mark++;
        for (int64_t i = 0; i < in->rows; i++) members += add(in, owner_of(in, i, j));
        for (int64_t i = 0; i < in->rows; i++) send(in, owner_of(in, i, j), members, &in->along_columns);
    }
}

/* Panel tiles (i, k) with i > k, or i >= k, are sent to the owners of row i right of column k. */
static void count_panels(tile_map *in, int64_t steps, int with_diagonal)
{
    for (int64_t i = 0; i < in->rows; i++) {
        const int64_t last = scalay_min_int64(steps - 1, with_diagonal ? i : i - 1);
        int64_t members = 0;
        in->mark++;
        for (int64_t j = in->cols - 1; j >= 0; j--) {
            if (j <= last) send(in, owner_of(in, i, j), members, &in->along_rows);
            members += add(in, owner_of(in, i, j));
        }
    }
}

/* Tiles (k, j) of U, j > k, are sent to the owners of column j below row k. */
static void count_u(tile_map *in, int64_t steps)
{
    for (int64_t j = 0; j < in->cols; j++) {
        int64_t members = 0;
        in->mark++;
        for (int64_t i = in->rows - 1; i >= 0; i--) {
            if (i < j && i < steps) send(in, owner_of(in, i, j), members, &in->along_columns);
            members += add(in, owner_of(in, i, j));
        }
    }
}

/* The diagonal tile is sent to the owners of its column below it, and then to the others of its row. */
static void count_lu_diagonal(tile_map *in, int64_t steps)
{
    for (int64_t k = 0; k < steps; k++) {
        const int owner = owner_of(in, k, k);
        int64_t below = 0, right = 0;
        in->mark++;
        (void)add(in, owner);
        for (int64_t i = k + 1; i < in->rows; i++) below += add(in, owner_of(in, i, k));
        for (int64_t j = k + 1; j < in->cols; j++) right += add(in, owner_of(in, k, j));
        in->sent[owner] += below + right;
        in->along_columns += below;
        in->along_rows += right;
    }
}

/* In step k, column j > k is summed over its owners in rows k and below: one tile each to the owner of (k, j) and back.
 * The members of the set of the row below are counted per part. */
static void count_qr_sums(tile_map *in, int64_t steps, int64_t *first)
{
    for (int64_t j = 1; j < in->cols; j++) {
        int64_t members = 0;
        in->mark++;
        for (int64_t i = in->rows - 1; i >= 0; i--) {
            const int owner = owner_of(in, i, j);
            if (add(in, owner)) {
                members++;
                first[owner] = scalay_min_int64(i, scalay_min_int64(j, steps) - 1); /* steps 0 .. first */
                if (first[owner] >= 0) in->sent[owner] += first[owner] + 1;
            }
            if (i >= j || i >= steps) continue;
            in->sent[owner] += members - 2; /* its own tile is not sent; one to each other one is */
            in->along_columns += 2 * (members - 1);
        }
    }
}

/* Tile (i, k), k < i, is sent to the owners of (i, j), k < j <= i, and (l, i), l > i; the diagonal tile to the owners
 * of its column. */
static void count_cholesky(tile_map *in, int64_t steps)
{
    for (int64_t i = 0; i < in->rows && i < in->cols; i++) {
        int64_t members = 0;
        in->mark++;
        for (int64_t l = i + 1; l < in->rows; l++) members += add(in, owner_of(in, l, i));
        for (int64_t k = i; k >= 0; k--) {
            if (k < steps) send(in, owner_of(in, i, k), members, &in->along_rows);
            members += add(in, owner_of(in, i, k));
        }
    }
}

static scalay_status find_balance(const scalay_owner_map *map, int64_t nb, scalay_pattern_kernel kernel,
                                  const double *speed, double *balance)
{
    double sum = 0, all = 0, max = 0;
    if (kernel != SCALAY_PATTERN_GEMM)
        return scalay_owner_map_trailing_balance(
            map, nb, speed, kernel == SCALAY_PATTERN_CHOLESKY ? SCALAY_TRAILING_LOWER : SCALAY_TRAILING_FULL, balance);
    for (int part = 0; part < map->parts; part++) {
        sum += (double)map->count[part];
        all += speed[part];
        max = fmax(max, (double)map->count[part] / speed[part]);
    }
    *balance = max > 0 ? sum / all / max : 1;
    return SCALAY_SUCCESS;
}

static scalay_status check(const char *function, const scalay_owner_map *map, int64_t nb, scalay_pattern_kernel kernel)
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(scalay_check_not_null(map, function, "map"));
    SCALAY_TRY(scalay_check_at_least(nb, 1, function, "nb"));
    SCALAY_TRY(scalay_check_range((int64_t)kernel, SCALAY_PATTERN_GEMM, SCALAY_PATTERN_CHOLESKY, function, "kernel"));
    for (int axis = 0; axis < 2; axis++) {
        const scalay_map_axis *lines = axis ? &map->col : &map->row;
        for (int64_t r = 0; r + 1 < lines->runs; r++)
            if (lines->end[r] % nb != 0)
                return scalay_fail(SCALAY_ERROR_ARGUMENT, function,
                                   "nb is %lld, but the owners change at %s %lld; nb must divide all such indices",
                                   (long long)nb, axis ? "column" : "row", (long long)lines->end[r]);
    }
cleanup:
    return status;
}

static scalay_status count_tiles(tile_map *in, scalay_pattern_kernel kernel)
{
    scalay_status status = SCALAY_SUCCESS;
    const int64_t steps = scalay_min_int64(in->rows, in->cols);
    int64_t *first = NULL;
    if (kernel == SCALAY_PATTERN_GEMM) {
        count_product(in);
    } else if (kernel == SCALAY_PATTERN_LU) {
        count_panels(in, steps, 0);
        count_u(in, steps);
        count_lu_diagonal(in, steps);
    } else if (kernel == SCALAY_PATTERN_QR) {
        SCALAY_TRY(SCALAY_NEW(first, in->map->parts));
        count_panels(in, steps, 1);
        count_qr_sums(in, steps, first);
    } else {
        count_cholesky(in, steps);
    }
cleanup:
    scalay_release(first);
    return status;
}

scalay_status scalay_owner_map_tile_traffic(const scalay_owner_map *map, int64_t nb, scalay_pattern_kernel kernel,
                                            const double *speed, scalay_tile_traffic *traffic)
{
    scalay_status status = SCALAY_SUCCESS;
    tile_map in = {.map = map};
    double *equal = NULL;
    SCALAY_TRY(scalay_check_not_null(traffic, __func__, "traffic"));
    memset(traffic, 0, sizeof *traffic);
    SCALAY_TRY(check(__func__, map, nb, kernel));
    if (speed != NULL) SCALAY_TRY(scalay_check_speeds(__func__, map->parts, speed, 1));
    SCALAY_TRY(SCALAY_NEW(equal, map->parts));
    for (int part = 0; part < map->parts; part++) equal[part] = speed != NULL ? speed[part] : 1;
    SCALAY_TRY(list_classes(&map->row, nb, &in.rows, &in.row_class));
    SCALAY_TRY(list_classes(&map->col, nb, &in.cols, &in.col_class));
    SCALAY_TRY(SCALAY_NEW(in.stamp, map->parts));
    SCALAY_TRY(SCALAY_NEW(in.sent, map->parts));
    SCALAY_TRY(count_tiles(&in, kernel));
    traffic->tiles = in.along_rows + in.along_columns;
    traffic->along_columns = in.along_columns;
    for (int part = 0; part < map->parts; part++)
        traffic->max_sent = scalay_max_int64(traffic->max_sent, in.sent[part]);
    SCALAY_TRY(find_balance(map, nb, kernel, equal, &traffic->balance));
cleanup:
    scalay_release(in.row_class);
    scalay_release(in.col_class);
    scalay_release(in.stamp);
    scalay_release(in.sent);
    scalay_release(equal);
    return status;
}
