/*
 * Patterns: tables of owners that are repeated over a matrix.
 *
 * The owner of a tile is found in O(1). A pattern with k copies that differ has a period of r k x c k tiles. Owner maps
 * and layouts of patterns have one class for each tile row and tile column of the period.
 */
#include "partition/pattern.h"

#include <math.h>
#include <string.h>

#include "base/integer.h"
#include "base/memory.h"
#include "partition/owner_map.h"
#include "partition/speeds.h"

/* --------------------------------------------------------------------------------------------------------- creation */

static scalay_status check_extents(const char *function, const scalay_pattern_table *table)
{
    scalay_status status = SCALAY_SUCCESS;
    int period;
    SCALAY_TRY(scalay_check_not_null(table->owner, function, "table->owner"));
    SCALAY_TRY(scalay_check_at_least(table->parts, 1, function, "table->parts"));
    SCALAY_TRY(scalay_check_at_least(table->rows, 1, function, "table->rows"));
    SCALAY_TRY(scalay_check_at_least(table->cols, 1, function, "table->cols"));
    SCALAY_TRY(scalay_check_at_least(table->copies, 0, function, "table->copies"));
    SCALAY_TRY(scalay_check_range(table->row_offset, 0, table->rows - 1, function, "table->row_offset"));
    SCALAY_TRY(scalay_check_range(table->col_offset, 0, table->cols - 1, function, "table->col_offset"));
    const int64_t copies = scalay_max_int64(1, table->copies);
    SCALAY_TRY(scalay_to_int(table->rows * copies, function, "table->rows * table->copies", &period));
    SCALAY_TRY(scalay_to_int(table->cols * copies, function, "table->cols * table->copies", &period));
    SCALAY_TRY(scalay_to_int(table->parts * copies, function, "table->parts * table->copies", &period));
cleanup:
    return status;
}

/* Checks the owners. A table with -1 must be square and symmetric, with -1 on its diagonal only. */
static scalay_status check_owners(const char *function, const scalay_pattern_table *table, int *has_rule)
{
    *has_rule = 0;
    for (int a = 0; a < table->rows; a++)
        for (int b = 0; b < table->cols; b++) {
            const int owner = table->owner[(int64_t)a * table->cols + b];
            if (owner < -1 || owner >= table->parts || (owner == -1 && a != b))
                return scalay_fail(SCALAY_ERROR_ARGUMENT, function,
                                   "table->owner[%d][%d] is %d; it must be in [0, %d], or -1 on the diagonal", a, b,
                                   owner, table->parts - 1);
            *has_rule |= owner == -1;
        }
    if (*has_rule && table->rows != table->cols)
        return scalay_fail(SCALAY_ERROR_ARGUMENT, function,
                           "table->owner has -1, and the table has %d x %d tiles; a table with -1 must be square",
                           table->rows, table->cols);
    for (int a = 0; *has_rule && a < table->rows; a++)
        for (int b = 0; b < a; b++)
            if (table->owner[(int64_t)a * table->cols + b] != table->owner[(int64_t)b * table->cols + a])
                return scalay_fail(SCALAY_ERROR_ARGUMENT, function,
                                   "table->owner has -1, and its entries [%d][%d] and [%d][%d] are %d and %d; a table "
                                   "with -1 must be symmetric",
                                   a, b, b, a, table->owner[(int64_t)a * table->cols + b],
                                   table->owner[(int64_t)b * table->cols + a]);
    return SCALAY_SUCCESS;
}

static scalay_status check_permutation(const char *function, const scalay_pattern_table *table, int *seen)
{
    for (int t = 0; t < table->copies; t++)
        for (int x = 0; x < table->parts; x++) {
            const int to = table->permutation[(int64_t)t * table->parts + x];
            if (to < 0 || to >= table->parts || seen[to] == t + 1)
                return scalay_fail(SCALAY_ERROR_ARGUMENT, function,
                                   "table->permutation[%d][%d] is %d; each copy must have each of 0 .. %d once", t, x,
                                   to, table->parts - 1);
            seen[to] = t + 1;
        }
    return SCALAY_SUCCESS;
}

/* Lists the distinct owners of pattern row a without the diagonal, ascending by first appearance. */
static int list_row(const scalay_pattern *pattern, int a, int *stamp, int *list)
{
    int count = 0;
    for (int b = 0; b < pattern->cols; b++) {
        const int owner = pattern->owner[(int64_t)a * pattern->cols + b];
        if (owner < 0 || stamp[owner] == a + 1) continue;
        stamp[owner] = a + 1;
        list[count++] = owner;
    }
    return count;
}

/* The rule without a table: the owners of a row take its diagonal tiles in turn. */
static scalay_status deal_diagonal(scalay_pattern *pattern, int copies)
{
    scalay_status status = SCALAY_SUCCESS;
    int *stamp = NULL, *list = NULL, max = 1;
    SCALAY_TRY(SCALAY_NEW(stamp, pattern->parts));
    SCALAY_TRY(SCALAY_NEW(list, pattern->parts));
    for (int a = 0; a < pattern->rows; a++) max = (int)scalay_max_int64(max, list_row(pattern, a, stamp, list));
    pattern->copies = copies > 1 ? copies : max;
    memset(stamp, 0, (size_t)pattern->parts * sizeof *stamp);
    SCALAY_TRY(SCALAY_NEW(pattern->diagonal, (int64_t)pattern->rows * pattern->copies));
    for (int a = 0; a < pattern->rows; a++) {
        const int count = list_row(pattern, a, stamp, list);
        for (int t = 0; t < pattern->copies; t++)
            pattern->diagonal[(int64_t)a * pattern->copies + t] = count > 0 ? list[(a + t) % count] : 0;
    }
cleanup:
    scalay_release(stamp);
    scalay_release(list);
    return status;
}

static scalay_status copy_ints(const int *from, int64_t count, int **to)
{
    const scalay_status status = SCALAY_NEW(*to, count);
    if (status == SCALAY_SUCCESS) memcpy(*to, from, (size_t)count * sizeof *from);
    return status;
}

static scalay_status copy_diagonal(const char *function, const scalay_pattern_table *table, scalay_pattern *pattern)
{
    const int64_t count = (int64_t)pattern->rows * pattern->copies;
    for (int64_t k = 0; k < count; k++)
        if (table->diagonal[k] < 0 || table->diagonal[k] >= table->parts)
            return scalay_fail(SCALAY_ERROR_ARGUMENT, function, "table->diagonal[%lld] is %d; it must be in [0, %d]",
                               (long long)k, table->diagonal[k], table->parts - 1);
    return copy_ints(table->diagonal, count, &pattern->diagonal);
}

/* Fails if a process owns no tile of the period. */
static scalay_status check_used(const char *function, const scalay_pattern *pattern, int *used)
{
    memset(used, 0, (size_t)pattern->parts * sizeof *used);
    for (int64_t k = 0; k < (int64_t)pattern->rows * pattern->cols; k++) {
        const int owner = pattern->owner[k];
        for (int t = 0; owner >= 0 && t < (pattern->permutation != NULL ? pattern->copies : 1); t++)
            used[pattern->permutation != NULL ? pattern->permutation[(int64_t)t * pattern->parts + owner] : owner] = 1;
        for (int t = 0; owner < 0 && t < pattern->copies; t++)
            used[pattern->diagonal[k / pattern->cols * pattern->copies + t]] = 1;
    }
    for (int part = 0; part < pattern->parts; part++)
        if (!used[part])
            return scalay_fail(SCALAY_ERROR_ARGUMENT, function,
                               "process %d owns no tile of the pattern; each of the %d processes must own one", part,
                               pattern->parts);
    return SCALAY_SUCCESS;
}

static scalay_status fill(const char *function, const scalay_pattern_table *table, scalay_pattern *pattern)
{
    scalay_status status = SCALAY_SUCCESS;
    int *seen = NULL, has_rule;
    SCALAY_TRY(check_owners(function, table, &has_rule));
    SCALAY_TRY(SCALAY_NEW(seen, table->parts));
    SCALAY_TRY(copy_ints(table->owner, (int64_t)table->rows * table->cols, &pattern->owner));
    if (table->permutation != NULL && table->copies > 0) {
        SCALAY_TRY(check_permutation(function, table, seen));
        SCALAY_TRY(copy_ints(table->permutation, (int64_t)table->copies * table->parts, &pattern->permutation));
    }
    if (has_rule && table->diagonal != NULL)
        SCALAY_TRY(copy_diagonal(function, table, pattern));
    else if (has_rule)
        SCALAY_TRY(deal_diagonal(pattern, table->copies));
    else if (table->permutation == NULL)
        pattern->copies = 1; /* all copies are alike */
    SCALAY_TRY(check_used(function, pattern, seen));
cleanup:
    scalay_release(seen);
    return status;
}

scalay_status scalay_pattern_new(const char *function, const scalay_pattern_table *table, const char *method,
                                 scalay_pattern **pattern)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_pattern *new_pattern = NULL;
    SCALAY_TRY(check_extents(function, table));
    SCALAY_TRY(SCALAY_NEW(new_pattern, 1));
    *new_pattern = (scalay_pattern){.parts = table->parts,
                                    .rows = table->rows,
                                    .cols = table->cols,
                                    .row_offset = table->row_offset,
                                    .col_offset = table->col_offset,
                                    .copies = table->copies > 1 ? table->copies : 1,
                                    .method = method};
    SCALAY_TRY(fill(function, table, new_pattern));
    *pattern = new_pattern;
    new_pattern = NULL;
cleanup:
    scalay_pattern_destroy(&new_pattern);
    return status;
}

scalay_status scalay_pattern_create(const scalay_pattern_table *table, scalay_pattern **pattern)
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(scalay_check_not_null(pattern, __func__, "pattern"));
    *pattern = NULL;
    SCALAY_TRY(scalay_check_not_null(table, __func__, "table"));
    SCALAY_TRY(scalay_pattern_new(__func__, table, "given", pattern));
cleanup:
    return status;
}

void scalay_pattern_destroy(scalay_pattern **pattern)
{
    if (pattern == NULL || *pattern == NULL) return;
    scalay_release((*pattern)->owner);
    scalay_release((*pattern)->permutation);
    scalay_release((*pattern)->diagonal);
    scalay_release(*pattern);
    *pattern = NULL;
}

/* ---------------------------------------------------------------------------------------------------------- queries */

scalay_status scalay_pattern_get_table(const scalay_pattern *pattern, scalay_pattern_table *table)
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(scalay_check_not_null(table, __func__, "table"));
    memset(table, 0, sizeof *table);
    SCALAY_TRY(scalay_check_not_null(pattern, __func__, "pattern"));
    *table = (scalay_pattern_table){.parts = pattern->parts,
                                    .rows = pattern->rows,
                                    .cols = pattern->cols,
                                    .owner = pattern->owner,
                                    .row_offset = pattern->row_offset,
                                    .col_offset = pattern->col_offset,
                                    .copies = pattern->copies,
                                    .permutation = pattern->permutation,
                                    .diagonal = pattern->diagonal};
cleanup:
    return status;
}

int scalay_pattern_owner(const scalay_pattern *pattern, int64_t i, int64_t j)
{
    if (pattern == NULL || i < 0 || j < 0) return -1;
    const int64_t period_rows = (int64_t)pattern->rows * pattern->copies;
    const int64_t period_cols = (int64_t)pattern->cols * pattern->copies;
    const int64_t row = i % period_rows + pattern->row_offset, col = j % period_cols + pattern->col_offset;
    const int64_t a = row % pattern->rows, b = col % pattern->cols;
    const int64_t t = (row / pattern->rows + col / pattern->cols) % pattern->copies;
    const int owner = pattern->owner[a * pattern->cols + b];
    if (owner < 0) return pattern->diagonal[a * pattern->copies + t];
    return pattern->permutation != NULL ? pattern->permutation[t * pattern->parts + owner] : owner;
}

scalay_status scalay_pattern_owners(const scalay_pattern *pattern, int64_t tile_rows, int64_t tile_cols, int64_t *rows,
                                    int64_t *cols, int **owner)
{
    scalay_status status = SCALAY_SUCCESS;
    *rows = scalay_min_int64((int64_t)pattern->rows * pattern->copies, tile_rows);
    *cols = scalay_min_int64((int64_t)pattern->cols * pattern->copies, tile_cols);
    SCALAY_TRY(SCALAY_NEW(*owner, *rows * *cols));
    for (int64_t i = 0; i < *rows; i++)
        for (int64_t j = 0; j < *cols; j++) (*owner)[i * *cols + j] = scalay_pattern_owner(pattern, i, j);
cleanup:
    return status;
}

/* -------------------------------------------------------------------------------------------------------- owner map */

static scalay_status repeat_classes(int64_t extent, int64_t nb, int64_t classes, scalay_map_axis *axis)
{
    scalay_status status = SCALAY_SUCCESS;
    const int64_t tiles = scalay_ceil_div(extent, nb);
    axis->classes = classes;
    for (int64_t k = 0; k < tiles; k++)
        SCALAY_TRY(scalay_map_axis_add(axis, k + 1 < tiles ? (k + 1) * nb : extent, k % classes));
cleanup:
    return status;
}

scalay_status scalay_owner_map_from_pattern(const scalay_pattern *pattern, int64_t m, int64_t n, int64_t mb, int64_t nb,
                                            scalay_owner_map **map)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_map_axis row = {0}, col = {0};
    int64_t rows, cols;
    int *owner = NULL;
    SCALAY_TRY(scalay_check_not_null(map, __func__, "map"));
    *map = NULL;
    SCALAY_TRY(scalay_check_not_null(pattern, __func__, "pattern"));
    SCALAY_TRY(scalay_check_at_least(mb, 1, __func__, "mb"));
    SCALAY_TRY(scalay_check_tiled_extents(__func__, m, n, nb));
    SCALAY_TRY(scalay_pattern_owners(pattern, scalay_ceil_div(m, mb), scalay_ceil_div(n, nb), &rows, &cols, &owner));
    SCALAY_TRY(repeat_classes(m, mb, rows, &row));
    SCALAY_TRY(repeat_classes(n, nb, cols, &col));
    SCALAY_TRY(scalay_owner_map_from_classes(__func__, &row, &col, pattern->parts, owner, map));
cleanup:
    scalay_map_axis_free(&row);
    scalay_map_axis_free(&col);
    scalay_release(owner);
    return status;
}

/* ------------------------------------------------------------------------------------------------------------- cost */

/* Counts of distinct owners in the period. */
typedef struct {
    int64_t size;              /* of the square in which rows and columns of equal index meet */
    double row, col, together; /* sums */
    int64_t *tiles;            /* shape [parts] */
    int64_t *stamp;            /* shape [parts] */
} owner_count;

/* Counts the owners of lines that are not marked with `mark`, and marks them. */
static int mark_line(const scalay_pattern *pattern, int64_t line, int is_row, int64_t length, int64_t mark,
                     owner_count *count)
{
    int fresh = 0;
    for (int64_t k = 0; k < length; k++) {
        const int owner = is_row ? scalay_pattern_owner(pattern, line, k) : scalay_pattern_owner(pattern, k, line);
        if (count->stamp[owner] == mark) continue;
        count->stamp[owner] = mark;
        fresh++;
    }
    return fresh;
}

enum { MAX_TOGETHER = 1 << 12 }; /* rows of which z is counted; more are sampled from the first ones */

enum { COPIES = SCALAY_PATTERN_COPIES };

/* Adds the updates of the tiles of the lower triangle of 8 x 8 copies: tile (i, j) is updated j + 1 times. */
static void add_updates(const scalay_pattern *pattern, owner_count *count)
{
    const int64_t tiles = COPIES * scalay_max_int64(pattern->rows, pattern->cols);
    for (int64_t i = 0; i < tiles; i++)
        for (int64_t j = 0; j <= i; j++) count->tiles[scalay_pattern_owner(pattern, i, j)] += j + 1;
}

static void count_owners(const scalay_pattern *pattern, int64_t rows, int64_t cols, owner_count *count)
{
    int64_t mark = 1;
    for (int64_t i = 0; i < rows; i++) count->row += mark_line(pattern, i, 1, cols, mark++, count);
    for (int64_t j = 0; j < cols; j++) count->col += mark_line(pattern, j, 0, rows, mark++, count);
    for (int64_t i = 0; i < count->size; i++, mark++)
        count->together +=
            mark_line(pattern, i % rows, 1, cols, mark, count) + mark_line(pattern, i % cols, 0, rows, mark, count);
    if (count->size > 0) {
        add_updates(pattern, count);
        return;
    }
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < cols; j++) count->tiles[scalay_pattern_owner(pattern, i, j)]++;
}

static double load_balance(int parts, const int64_t *tiles, const double *speed)
{
    double sum = 0, all = 0, max = 0;
    for (int part = 0; part < parts; part++) {
        const double own = speed != NULL ? speed[part] : 1;
        sum += (double)tiles[part];
        all += own;
        max = fmax(max, (double)tiles[part] / own);
    }
    return sum / all / max;
}

/* Returns the sum of the square roots of the shares of the processes. */
static double root_sum(int parts, const double *speed)
{
    double all = 0, sum = 0;
    for (int part = 0; part < parts; part++) all += speed != NULL ? speed[part] : 1;
    for (int part = 0; part < parts; part++) sum += sqrt((speed != NULL ? speed[part] : 1) / all);
    return sum;
}

/* A process in x rows and y columns of an r x c table owns at most x y tiles. So x / r + y / c is at least 2 sqrt(s)
 * for a share s, and x / r + 2 y / c at least sqrt(8 s). In a symmetric pattern x tiles rows give at most x^2 tiles. */
static void set_bounds(const scalay_pattern *pattern, scalay_pattern_kernel kernel, const double *speed,
                       scalay_pattern_summary *summary)
{
    const double roots = root_sum(pattern->parts, speed);
    summary->cost = kernel == SCALAY_PATTERN_CHOLESKY ? summary->z
                    : kernel == SCALAY_PATTERN_QR     ? summary->row_owners + 2 * summary->col_owners
                                                      : summary->row_owners + summary->col_owners;
    summary->bound = kernel == SCALAY_PATTERN_CHOLESKY ? roots
                     : kernel == SCALAY_PATTERN_QR     ? sqrt(8) * roots
                                                       : 2 * roots;
    summary->bound_uniform = summary->bound;
    if (kernel != SCALAY_PATTERN_CHOLESKY || speed != NULL) return;
    int64_t k = 1;
    while (k * (k - 1) < pattern->parts - 1) k++;
    summary->bound_uniform = (double)k;
}

static scalay_status find_trailing(const scalay_pattern *pattern, scalay_pattern_kernel kernel, const double *speed,
                                   double *balance)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_owner_map *map = NULL;
    double *equal = NULL;
    const scalay_trailing trailing = kernel == SCALAY_PATTERN_CHOLESKY ? SCALAY_TRAILING_LOWER : SCALAY_TRAILING_FULL;
    SCALAY_TRY(SCALAY_NEW(equal, pattern->parts));
    for (int part = 0; part < pattern->parts; part++) equal[part] = 1;
    const int64_t tiles = COPIES * scalay_max_int64(pattern->rows, pattern->cols);
    SCALAY_TRY(scalay_owner_map_from_pattern(pattern, tiles, tiles, 1, 1, &map));
    SCALAY_TRY(scalay_owner_map_trailing_balance(map, 1, speed != NULL ? speed : equal, trailing, balance));
cleanup:
    scalay_owner_map_destroy(&map);
    scalay_release(equal);
    return status;
}

scalay_status scalay_pattern_evaluate(const scalay_pattern *pattern, scalay_pattern_kernel kernel, const double *speed,
                                      scalay_pattern_summary *summary)
{
    scalay_status status = SCALAY_SUCCESS;
    owner_count count = {0};
    const int64_t rows = (int64_t)pattern->rows * pattern->copies, cols = (int64_t)pattern->cols * pattern->copies;
    *summary = (scalay_pattern_summary){.method = pattern->method};
    SCALAY_TRY(SCALAY_NEW(count.tiles, pattern->parts));
    SCALAY_TRY(SCALAY_NEW(count.stamp, pattern->parts));
    if (kernel == SCALAY_PATTERN_CHOLESKY)
        count.size = scalay_min_int64(MAX_TOGETHER, rows / scalay_gcd(rows, cols) * cols);
    count_owners(pattern, rows, cols, &count);
    summary->row_owners = count.row / (double)rows;
    summary->col_owners = count.col / (double)cols;
    summary->z = count.size > 0 ? count.together / (double)count.size : 0;
    summary->balance = load_balance(pattern->parts, count.tiles, speed);
    set_bounds(pattern, kernel, speed, summary);
cleanup:
    scalay_release(count.tiles);
    scalay_release(count.stamp);
    return status;
}

scalay_status scalay_pattern_get_summary(const scalay_pattern *pattern, scalay_pattern_kernel kernel,
                                         const double *speed, scalay_pattern_summary *summary)
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(scalay_check_not_null(summary, __func__, "summary"));
    memset(summary, 0, sizeof *summary);
    SCALAY_TRY(scalay_check_not_null(pattern, __func__, "pattern"));
    SCALAY_TRY(scalay_check_range((int64_t)kernel, SCALAY_PATTERN_GEMM, SCALAY_PATTERN_CHOLESKY, __func__, "kernel"));
    if (speed != NULL) SCALAY_TRY(scalay_check_speeds(__func__, pattern->parts, speed, 1));
    SCALAY_TRY(scalay_pattern_evaluate(pattern, kernel, speed, summary));
    SCALAY_TRY(find_trailing(pattern, kernel, speed, &summary->trailing));
cleanup:
    return status;
}

/* ----------------------------------------------------------------------------------------------------------- search */

enum { MAX_PARTS = 4096 };

scalay_status scalay_pattern_find(scalay_pattern_kernel kernel, int parts, const double *speed, double budget,
                                  scalay_pattern **pattern)
{
    scalay_status status = SCALAY_SUCCESS;
    double *equal = NULL;
    scalay_pattern_request request = {.kernel = kernel, .parts = parts, .budget = budget, .is_uniform = 1};
    SCALAY_TRY(scalay_check_not_null(pattern, __func__, "pattern"));
    *pattern = NULL;
    SCALAY_TRY(scalay_check_range((int64_t)kernel, SCALAY_PATTERN_GEMM, SCALAY_PATTERN_CHOLESKY, __func__, "kernel"));
    SCALAY_TRY(scalay_check_range(parts, 1, MAX_PARTS, __func__, "parts"));
    if (!isfinite(budget) || budget < 0)
        return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "budget is %g; it must be finite and at least 0", budget);
    if (speed != NULL) SCALAY_TRY(scalay_check_speeds(__func__, parts, speed, 1));
    SCALAY_TRY(SCALAY_NEW(equal, parts));
    for (int part = 0; part < parts; part++) {
        equal[part] = speed != NULL ? speed[part] : 1;
        if (equal[part] != equal[0]) request.is_uniform = 0;
    }
    request.speed = equal;
    SCALAY_TRY(kernel == SCALAY_PATTERN_CHOLESKY ? scalay_pattern_find_symmetric(&request, pattern)
                                                 : scalay_pattern_find_unsymmetric(&request, pattern));
cleanup:
    scalay_release(equal);
    return status;
}
