/*
 * Owner maps for factorisations on unequal processes: 1D-1D maps, and generalised blocks.
 *
 * 1D-1D (Beaumont et al.; Lastovetsky, Kalinov). Tile columns are dealt to groups of processes in proportion to their
 * speeds, and tile rows within a group to its processes. Dealing starts at the last tile, and gives each tile to the
 * receiver that is done first with it (greedy), so that every trailing matrix is shared in proportion to the speeds.
 * For the lower triangle, loads are summed along the columns that the group has received, because a tile row counts
 * once for each of them. If each process has whole tile columns, ties go to the process with the least work so far,
 * because no single trailing matrix of few columns is shared evenly, but all of them together can be. The processes of
 * equal rank in speed are spread over the groups, so that groups deal their rows alike. Time: O(tile rows * parts) for
 * each number of groups that is tried.
 *
 * Generalised block (Kalinov, Lastovetsky 2001). A block of tiles is cut by the speeds of a grid and repeated.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "base/integer.h"
#include "base/memory.h"
#include "partition/owner_map.h"
#include "partition/rounding.h"
#include "partition/speeds.h"

/* -------------------------------------------------------------------------------------------------------- arguments */

scalay_status scalay_check_tiled_extents(const char *function, int64_t m, int64_t n, int64_t nb)
{
    scalay_status status = SCALAY_SUCCESS;
    int64_t elements;
    SCALAY_TRY(scalay_check_at_least(m, 0, function, "m"));
    SCALAY_TRY(scalay_check_at_least(n, 0, function, "n"));
    SCALAY_TRY(scalay_check_at_least(nb, 1, function, "nb"));
    if (!scalay_multiply_int64(m, n, &elements))
        status = scalay_fail(SCALAY_ERROR_RANGE, function, "m is %lld and n is %lld; m * n must be at most 2^63 - 1",
                             (long long)m, (long long)n);
cleanup:
    return status;
}

scalay_status scalay_check_speeds(const char *function, int parts, const double *speed, int positive)
{
    scalay_status status = SCALAY_SUCCESS;
    double max = 0;
    SCALAY_TRY(scalay_check_not_null(speed, function, "speed"));
    for (int part = 0; part < parts; part++) {
        if (!isfinite(speed[part]) || speed[part] < 0 || (positive && speed[part] <= 0))
            return scalay_fail(SCALAY_ERROR_ARGUMENT, function, "speed[%d] is %g; it must be finite and %s 0", part,
                               speed[part], positive ? "above" : "at least");
        max = fmax(max, speed[part]);
    }
    if (max <= 0)
        status =
            scalay_fail(SCALAY_ERROR_ARGUMENT, function, "all %d speeds are 0; at least one must be above 0", parts);
cleanup:
    return status;
}

scalay_status scalay_check_trailing(const char *function, scalay_trailing trailing)
{
    return scalay_check_range((int64_t)trailing, SCALAY_TRAILING_FULL, SCALAY_TRAILING_LOWER, function, "trailing");
}

/* ---------------------------------------------------------------------------------------------------- 1D-1D: groups */

/* A process and its speed. */
typedef struct {
    double speed;
    int part;
} ranked_part;

/* The processes with a positive speed, in groups. */
typedef struct {
    int parts;         /* with a positive speed */
    ranked_part *rank; /* shape [parts]: by descending speed, then part */
    int groups;
    int *start;    /* shape [groups + 1]: group g has the members start[g] .. start[g + 1] - 1 */
    int *member;   /* shape [parts]: part */
    double *speed; /* shape [parts]: speed of each member */
    double *sum;   /* shape [groups]: speed of each group */
} grouping;

static int compare_ranks(const void *left, const void *right)
{
    const ranked_part *a = left, *b = right;
    if (a->speed != b->speed) return scalay_compare_double(b->speed, a->speed);
    return scalay_compare_int64(a->part, b->part);
}

static void grouping_free(grouping *in)
{
    scalay_release(in->rank);
    scalay_release(in->start);
    scalay_release(in->member);
    scalay_release(in->speed);
    scalay_release(in->sum);
}

static scalay_status grouping_create(int parts, const double *speed, grouping *in)
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(SCALAY_NEW(in->rank, parts));
    SCALAY_TRY(SCALAY_NEW(in->start, (int64_t)parts + 1));
    SCALAY_TRY(SCALAY_NEW(in->member, parts));
    SCALAY_TRY(SCALAY_NEW(in->speed, parts));
    SCALAY_TRY(SCALAY_NEW(in->sum, parts));
    for (int part = 0; part < parts; part++)
        if (speed[part] > 0) in->rank[in->parts++] = (ranked_part){speed[part], part};
    qsort(in->rank, (size_t)in->parts, sizeof *in->rank, compare_ranks);
cleanup:
    return status;
}

/* Returns the group of the k-th fastest process: dealt in turn, or (snake) back and forth. */
static int group_of(int k, int groups, int snake)
{
    const int column = k % groups;
    return snake && k / groups % 2 == 1 ? groups - 1 - column : column;
}

static void fill_groups(grouping *in, int groups, int snake)
{
    in->groups = groups;
    memset(in->start, 0, ((size_t)groups + 1) * sizeof *in->start);
    for (int k = 0; k < in->parts; k++) in->start[group_of(k, groups, snake) + 1]++;
    for (int g = 0; g < groups; g++) {
        in->start[g + 1] += in->start[g];
        in->sum[g] = 0;
    }
    for (int k = 0; k < in->parts; k++) {
        const int g = group_of(k, groups, snake), at = in->start[g] + k / groups;
        in->member[at] = in->rank[k].part;
        in->speed[at] = in->rank[k].speed;
        in->sum[g] += in->rank[k].speed;
    }
}

/* --------------------------------------------------------------------------------------------------- 1D-1D: dealing */

/* Tiles of an axis. */
typedef struct {
    int64_t extent, nb, count;
} tile_axis;

static tile_axis tiles_of(int64_t extent, int64_t nb)
{
    return (tile_axis){extent, nb, scalay_ceil_div(extent, nb)};
}

static double tile_lines(const tile_axis *axis, int64_t k)
{
    return (double)scalay_min_int64(axis->nb, axis->extent - k * axis->nb);
}

/* The receivers of the tile columns and of the tile rows. */
typedef struct {
    int64_t rows, cols;
    int *group;          /* shape [cols]: group of each tile column */
    int *row;            /* shape [groups][rows]: member, 0-based within the group, of each tile row */
    double *held, *load; /* shape [parts]: temporary */
} dealing;

static void dealing_free(dealing *to)
{
    scalay_release(to->group);
    scalay_release(to->row);
    scalay_release(to->held);
    scalay_release(to->load);
}

static scalay_status dealing_create(const tile_axis *rows, const tile_axis *cols, int groups, int parts, dealing *to)
{
    scalay_status status = SCALAY_SUCCESS;
    *to = (dealing){.rows = rows->count, .cols = cols->count};
    SCALAY_TRY(SCALAY_NEW(to->group, to->cols));
    SCALAY_TRY(SCALAY_NEW(to->row, groups < parts ? groups * to->rows : to->rows));
    SCALAY_TRY(SCALAY_NEW(to->held, parts));
    SCALAY_TRY(SCALAY_NEW(to->load, parts));
cleanup:
    return status;
}

/* Returns the receiver that is done first if it gets `weight` in addition; of equal ones the first. */
static int first_done(int receivers, const double *held, double weight, const double *speed)
{
    int best = 0;
    for (int x = 1; x < receivers; x++)
        if ((held[x] + weight) / speed[x] < (held[best] + weight) / speed[best] * (1 - 1e-12)) best = x;
    return best;
}

/* Processes that own whole tile columns exchange nothing else than panels, and may run ahead of one another by a step.
 * Those that are done within this part of a tile's time on the fastest one count as done at the same time. */
static const double same_time = 0.35;

/* Returns, of the receivers that are done at the same time, the one with the least work in the smaller trailing
 * matrices. Single trailing matrices cannot be shared evenly, but then all of them together are. */
static int least_worked(int receivers, const double *held, const double *work, double weight, const double *speed)
{
    double fastest = 0;
    int best = first_done(receivers, held, weight, speed);
    for (int x = 0; x < receivers; x++) fastest = fmax(fastest, speed[x]);
    const double last = (held[best] + weight) / speed[best] + same_time * weight / fastest;
    for (int x = 0; x < receivers; x++)
        if ((held[x] + weight) / speed[x] <= last && work[x] / speed[x] < work[best] / speed[best] * (1 - 1e-12))
            best = x;
    return best;
}

/* Deals the tile columns to the groups. In the lower triangle, a column has the rows from its diagonal tile down, and
 * single trailing matrices are shared well. */
static void deal_columns(const grouping *in, const tile_axis *rows, const tile_axis *cols, scalay_trailing trailing,
                         dealing *to)
{
    const int is_lower = trailing == SCALAY_TRAILING_LOWER, is_whole = !is_lower && in->groups == in->parts;
    memset(to->held, 0, (size_t)in->groups * sizeof *to->held);
    memset(to->load, 0, (size_t)in->groups * sizeof *to->load);
    for (int64_t k = cols->count - 1; k >= 0; k--) {
        const double height = fmax(0, (double)(rows->extent - k * rows->nb));
        const double weight = tile_lines(cols, k) * (is_lower ? fmax(1, height) : 1);
        const int group = is_whole ? least_worked(in->groups, to->held, to->load, weight, in->sum)
                                   : first_done(in->groups, to->held, weight, in->sum);
        to->group[k] = group;
        to->held[group] += weight;
        for (int g = 0; g < in->groups; g++) to->load[g] += to->held[g] * height;
    }
}

/* Deals the tile rows of a full trailing matrix to the members of a group. */
static void deal_rows_full(int members, const double *speed, const tile_axis *rows, dealing *to, int *row)
{
    memset(to->held, 0, (size_t)members * sizeof *to->held);
    for (int64_t k = rows->count - 1; k >= 0; k--) {
        const double weight = tile_lines(rows, k);
        row[k] = first_done(members, to->held, weight, speed);
        to->held[row[k]] += weight;
    }
}

/* Deals the tile rows of a lower triangle. load[] has the elements so far. A row also counts for the columns to come:
 * the foresight is their number, in which it is compared. */
static void deal_rows_lower(int group, int members, const double *speed, const tile_axis *rows, double foresight,
                            dealing *to, int *row)
{
    memset(to->held, 0, (size_t)members * sizeof *to->held);
    memset(to->load, 0, (size_t)members * sizeof *to->load);
    for (int64_t k = rows->count - 1; k >= 0; k--) {
        const int is_own = k < to->cols && to->group[k] == group;
        const double weight = tile_lines(rows, k), columns = is_own + foresight;
        int best = 0;
        double least = INFINITY;
        for (int x = 0; x < members; x++) {
            const double time = (to->load[x] + (to->held[x] + weight) * columns) / speed[x];
            if (time >= least * (1 - 1e-12)) continue;
            best = x;
            least = time;
        }
        row[k] = best;
        to->held[best] += weight;
        for (int x = 0; is_own && x < members; x++) to->load[x] += to->held[x];
    }
}

/* Groups with the speeds of the group before deal their rows alike. With one member per group nothing is dealt. */
static void deal(const grouping *in, const tile_axis *rows, const tile_axis *cols, scalay_trailing trailing,
                 double foresight, dealing *to)
{
    deal_columns(in, rows, cols, trailing, to);
    if (in->groups == in->parts) {
        memset(to->row, 0, (size_t)rows->count * sizeof *to->row);
        return;
    }
    for (int g = 0; g < in->groups; g++) {
        const int members = in->start[g + 1] - in->start[g];
        int *row = to->row + g * rows->count;
        if (trailing == SCALAY_TRAILING_LOWER)
            deal_rows_lower(g, members, in->speed + in->start[g], rows, foresight, to, row);
        else if (g > 0 && members == in->start[g] - in->start[g - 1] &&
                 memcmp(in->speed + in->start[g], in->speed + in->start[g - 1], (size_t)members * sizeof *in->speed) ==
                     0)
            memcpy(row, row - rows->count, (size_t)rows->count * sizeof *row);
        else
            deal_rows_full(members, in->speed + in->start[g], rows, to, row);
    }
}

static scalay_status create_map(const char *function, const grouping *in, const dealing *to, const tile_axis *rows,
                                const tile_axis *cols, int parts, scalay_owner_map **map)
{
    scalay_status status = SCALAY_SUCCESS;
    const int one_each = in->groups == in->parts;
    scalay_map_axis row = {.classes = one_each ? 1 : rows->count}, col = {.classes = in->groups};
    int *owner = NULL;
    SCALAY_TRY(SCALAY_NEW(owner, row.classes * in->groups));
    for (int64_t i = 0; i < row.classes; i++)
        for (int g = 0; g < in->groups; g++)
            owner[i * in->groups + g] = in->member[in->start[g] + (one_each ? 0 : to->row[g * rows->count + i])];
    for (int64_t i = 0; i < rows->count; i++)
        SCALAY_TRY(scalay_map_axis_add(&row, scalay_min_int64((i + 1) * rows->nb, rows->extent), one_each ? 0 : i));
    for (int64_t j = 0; j < cols->count; j++)
        SCALAY_TRY(scalay_map_axis_add(&col, scalay_min_int64((j + 1) * cols->nb, cols->extent), to->group[j]));
    SCALAY_TRY(scalay_owner_map_from_classes(function, &row, &col, parts, owner, map));
cleanup:
    scalay_map_axis_free(&row);
    scalay_map_axis_free(&col);
    scalay_release(owner);
    return status;
}

/* ---------------------------------------------------------------------------------------------------- 1D-1D: choice */

enum { MAX_PARTS_COMPARED = 256, MAX_TILES_COMPARED = 96, MAX_PARTS_COLUMNS = 4 };

/* Differences of balance below this one are outweighed by fewer owners per row and column. */
static const double balance_tolerance = 0.02;

/* A way of grouping and dealing. */
typedef struct {
    int groups, snake;
    double foresight;
    double balance; /* of a matrix with at most MAX_TILES_COMPARED tiles */
    double owners;  /* per tile row plus per tile column, on average */
} choice;

static double owners_of(const grouping *in)
{
    double cols = 0, sum = 0;
    for (int g = 0; g < in->groups; g++) {
        cols += in->sum[g] * (in->start[g + 1] - in->start[g]);
        sum += in->sum[g];
    }
    return in->groups + cols / sum;
}

/* The load of each member in all trailing matrices. */
static double balance_of(const grouping *in, const dealing *to, scalay_trailing trailing, double *cols, double *rows,
                         double *load)
{
    double work = 0, time = 0, all = 0;
    memset(cols, 0, (size_t)in->groups * sizeof *cols);
    memset(rows, 0, (size_t)in->parts * sizeof *rows);
    memset(load, 0, (size_t)in->parts * sizeof *load);
    for (int g = 0; g < in->groups; g++) all += in->sum[g];
    for (int64_t k = scalay_min_int64(to->rows, to->cols) - 1; k >= 0; k--) {
        double slowest = 0;
        cols[to->group[k]]++;
        for (int g = 0; g < in->groups; g++) {
            rows[in->start[g] + (in->groups == in->parts ? 0 : to->row[g * to->rows + k])]++;
            for (int x = in->start[g]; x < in->start[g + 1]; x++) {
                if (trailing == SCALAY_TRAILING_FULL)
                    load[x] = rows[x] * cols[g];
                else if (to->group[k] == g)
                    load[x] += rows[x];
                work += trailing == SCALAY_TRAILING_FULL ? 0 : load[x];
                slowest = fmax(slowest, load[x] / in->speed[x]);
            }
        }
        const double tiles = (double)(scalay_min_int64(to->rows, to->cols) - k);
        if (trailing == SCALAY_TRAILING_FULL) work += tiles * tiles;
        time += slowest;
    }
    return time > 0 ? work / (all * time) : 1;
}

static int is_better(const choice *a, const choice *b, double best_balance)
{
    const int a_counts = a->balance >= best_balance - balance_tolerance;
    const int b_counts = b->balance >= best_balance - balance_tolerance;
    if (a_counts != b_counts) return a_counts;
    if (fabs(a->owners - b->owners) > 1e-9) return a->owners < b->owners;
    return a->balance > b->balance + 1e-12;
}

/* Evaluates a number of groups in all ways, and appends them. */
static scalay_status evaluate_groups(grouping *in, int groups, scalay_trailing trailing, int64_t tiles, choice *list,
                                     int *count)
{
    static const double foresights[] = {1, 2, 4};
    scalay_status status = SCALAY_SUCCESS;
    const tile_axis axis = tiles_of(tiles, 1);
    dealing to = {0};
    double *memory = NULL;
    SCALAY_TRY(dealing_create(&axis, &axis, groups, in->parts, &to));
    SCALAY_TRY(SCALAY_NEW(memory, 3 * (int64_t)in->parts));
    for (int snake = 0; snake < 2; snake++)
        for (int f = 0; f < (trailing == SCALAY_TRAILING_LOWER ? 3 : 1); f++) {
            fill_groups(in, groups, snake);
            deal(in, &axis, &axis, trailing, foresights[f], &to);
            const double balance =
                balance_of(in, &to, trailing, memory, memory + in->parts, memory + 2 * (int64_t)in->parts);
            list[(*count)++] = (choice){groups, snake, foresights[f], balance, owners_of(in)};
        }
cleanup:
    dealing_free(&to);
    scalay_release(memory);
    return status;
}

/* Chooses among the numbers of groups first .. last. For many parts, balance is not evaluated. */
static scalay_status choose(grouping *in, int first, int last, scalay_trailing trailing, int64_t tiles, choice *chosen)
{
    scalay_status status = SCALAY_SUCCESS;
    choice *list = NULL;
    int count = 0;
    double best_balance = 0;
    *chosen = (choice){.groups = first < last ? (int)lround(sqrt(in->parts)) : first, .foresight = 2};
    if (in->parts > MAX_PARTS_COMPARED || tiles == 0) return SCALAY_SUCCESS;
    SCALAY_TRY(SCALAY_NEW(list, 6 * ((int64_t)last - first + 1)));
    for (int groups = first; groups <= last; groups++)
        SCALAY_TRY(evaluate_groups(in, groups, trailing, scalay_min_int64(tiles, MAX_TILES_COMPARED), list, &count));
    for (int k = 0; k < count; k++) best_balance = fmax(best_balance, list[k].balance);
    *chosen = list[0];
    for (int k = 1; k < count; k++)
        if (is_better(&list[k], chosen, best_balance)) *chosen = list[k];
cleanup:
    scalay_release(list);
    return status;
}

/* The numbers of groups to compare. For few processes, tile columns with one owner each are best for LU and QR. */
static void group_range(int parts, scalay_trailing trailing, int groups, int *first, int *last)
{
    const int root = (int)lround(sqrt(parts));
    if (groups > 0)
        *first = *last = (int)scalay_min_int64(groups, parts);
    else if (parts <= MAX_PARTS_COLUMNS) {
        *first = trailing == SCALAY_TRAILING_FULL ? parts : 1;
        *last = parts;
    } else {
        *first = (root + 1) / 2;
        *last = 2 * root;
    }
}

scalay_status scalay_owner_map_1d1d(int64_t m, int64_t n, int64_t nb, int parts, const double *speed,
                                    scalay_trailing trailing, int groups, scalay_owner_map **map)
{
    scalay_status status = SCALAY_SUCCESS;
    const tile_axis rows = tiles_of(m, nb > 0 ? nb : 1), cols = tiles_of(n, nb > 0 ? nb : 1);
    grouping in = {0};
    dealing to = {0};
    choice chosen;
    int first, last;
    SCALAY_TRY(scalay_check_not_null(map, __func__, "map"));
    *map = NULL;
    SCALAY_TRY(scalay_check_tiled_extents(__func__, m, n, nb));
    SCALAY_TRY(scalay_check_at_least(parts, 1, __func__, "parts"));
    SCALAY_TRY(scalay_check_speeds(__func__, parts, speed, 0));
    SCALAY_TRY(scalay_check_trailing(__func__, trailing));
    SCALAY_TRY(scalay_check_range(groups, 0, parts, __func__, "groups"));
    SCALAY_TRY(grouping_create(parts, speed, &in));
    group_range(in.parts, trailing, groups, &first, &last);
    SCALAY_TRY(choose(&in, first, last, trailing, scalay_min_int64(rows.count, cols.count), &chosen));
    fill_groups(&in, chosen.groups, chosen.snake);
    SCALAY_TRY(dealing_create(&rows, &cols, chosen.groups, in.parts, &to));
    deal(&in, &rows, &cols, trailing, chosen.foresight, &to);
    SCALAY_TRY(create_map(__func__, &in, &to, &rows, &cols, parts, map));
cleanup:
    grouping_free(&in);
    dealing_free(&to);
    return status;
}

/* ----------------------------------------------------------------------------------------------- generalised blocks */

/* A generalised block, in tiles. */
typedef struct {
    int64_t block;
    int nprow, npcol;
    int64_t *col_end;  /* shape [npcol]: end of each grid column */
    int64_t *end;      /* shape [npcol][nprow]: end of grid row r in grid column c: end[c * nprow + r] */
    int64_t bands;     /* ranges of tile rows with the same owners */
    int64_t *band_end; /* shape [nprow * npcol] */
} generalised_block;

/* Computes widths from the speeds of the grid columns, and heights from the speeds in each of them. */
static scalay_status cut_block(const double *speed, generalised_block *cut)
{
    scalay_status status = SCALAY_SUCCESS;
    double *sum = NULL, *in_column = NULL;
    SCALAY_TRY(SCALAY_NEW(sum, cut->npcol));
    SCALAY_TRY(SCALAY_NEW(in_column, cut->nprow));
    SCALAY_TRY(SCALAY_NEW(cut->col_end, cut->npcol));
    SCALAY_TRY(SCALAY_NEW(cut->end, (int64_t)cut->nprow * cut->npcol));
    for (int64_t k = 0; k < (int64_t)cut->nprow * cut->npcol; k++) sum[k % cut->npcol] += speed[k];
    SCALAY_TRY(scalay_largest_remainders(cut->npcol, sum, cut->block, cut->col_end));
    for (int c = 1; c < cut->npcol; c++) cut->col_end[c] += cut->col_end[c - 1];
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

static int compare_ends(const void *left, const void *right)
{
    return scalay_compare_int64(*(const int64_t *)left, *(const int64_t *)right);
}

/* A band ends where a grid row ends in any grid column. */
static scalay_status find_bands(generalised_block *cut)
{
    scalay_status status = SCALAY_SUCCESS;
    const int64_t ends = (int64_t)cut->nprow * cut->npcol;
    SCALAY_TRY(SCALAY_NEW(cut->band_end, ends));
    memcpy(cut->band_end, cut->end, (size_t)ends * sizeof *cut->end);
    qsort(cut->band_end, (size_t)ends, sizeof *cut->band_end, compare_ends);
    for (int64_t k = 0; k < ends; k++)
        if (k == 0 || cut->band_end[k] > cut->band_end[cut->bands - 1]) cut->band_end[cut->bands++] = cut->band_end[k];
cleanup:
    return status;
}

/* Adds runs until the extent is covered: class k ends at tile end[k] of each block. */
static scalay_status repeat_runs(int64_t extent, int64_t nb, int64_t block, int64_t classes, const int64_t *end,
                                 scalay_map_axis *axis)
{
    scalay_status status = SCALAY_SUCCESS;
    const int64_t tiles = scalay_ceil_div(extent, nb);
    axis->classes = classes;
    for (int64_t start = 0; start < tiles; start += scalay_min_int64(block, tiles - start))
        for (int64_t k = 0; k < classes && axis->extent < extent; k++)
            SCALAY_TRY(scalay_map_axis_add(axis, end[k] < tiles - start ? (start + end[k]) * nb : extent, k));
cleanup:
    return status;
}

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
    scalay_status status = SCALAY_SUCCESS;
    int parts;
    SCALAY_TRY(scalay_check_at_least(nprow, 1, function, "nprow"));
    SCALAY_TRY(scalay_check_at_least(npcol, 1, function, "npcol"));
    SCALAY_TRY(scalay_check_at_least(block, scalay_max_int64(nprow, npcol), function, "block"));
    SCALAY_TRY(scalay_to_int((int64_t)nprow * npcol, function, "nprow * npcol", &parts));
cleanup:
    return status;
}

scalay_status scalay_owner_map_generalised_block(int64_t m, int64_t n, int64_t nb, int64_t block, int nprow, int npcol,
                                                 const double *speed, scalay_owner_map **map)
{
    scalay_status status = SCALAY_SUCCESS;
    generalised_block cut = {.block = block, .nprow = nprow, .npcol = npcol};
    scalay_map_axis row = {0}, col = {0};
    int *owner = NULL;
    SCALAY_TRY(scalay_check_not_null(map, __func__, "map"));
    *map = NULL;
    SCALAY_TRY(scalay_check_tiled_extents(__func__, m, n, nb));
    SCALAY_TRY(check_grid(__func__, block, nprow, npcol));
    SCALAY_TRY(scalay_check_speeds(__func__, nprow * npcol, speed, 1));
    SCALAY_TRY(cut_block(speed, &cut));
    SCALAY_TRY(find_bands(&cut));
    SCALAY_TRY(repeat_runs(m, nb, block, cut.bands, cut.band_end, &row));
    SCALAY_TRY(repeat_runs(n, nb, block, npcol, cut.col_end, &col));
    SCALAY_TRY(fill_owners(&cut, &owner));
    SCALAY_TRY(scalay_owner_map_from_classes(__func__, &row, &col, nprow * npcol, owner, map));
cleanup:
    scalay_map_axis_free(&row);
    scalay_map_axis_free(&col);
    scalay_release(cut.col_end);
    scalay_release(cut.end);
    scalay_release(cut.band_end);
    scalay_release(owner);
    return status;
}
