/*
 * Patterns for products, LU and QR: partitions of the unit square into areas in proportion to the speeds, cut into
 * tiles.
 *
 * Let a process own x of r tile rows and y of c tile columns. The cost is the sum of x / r + w y / c, with w = 2 for QR
 * and 1 for products and LU: half perimeters of the areas, one direction weighted. Two families are compared:
 * - columns: the processes, by ascending speed, are cut into consecutive columns by dynamic programming. For equal
 *   speeds the tiles are exact, and G-2DBC (Beaumont et al. 2023) is one of the candidates. Time: O(P^2).
 * - the methods of scalay_partition_create() on a domain of R x w R tiles, for up to 64 processes.
 * The cheapest candidate with an admissible balance is chosen. Its lines are ordered so that trailing matrices are
 * balanced (scalay_owner_map_balance_suffixes()).
 */
#include <math.h>
#include <stdlib.h>

#include "base/compare.h"
#include "base/integer.h"
#include "base/memory.h"
#include "partition/owner_map.h"
#include "partition/pattern.h"

/* A candidate below this balance is used only if there is no other one. */
static const double MIN_BALANCE = 0.98;

enum { MAX_SIDE = 1024, MAX_PARTS_SHAPES = 64 };

/* ---------------------------------------------------------------------------------------------------------- columns */

/* A process and its share. */
typedef struct {
    double share;
    int part;
} ranked_part;

/* Processes by ascending share, cut into columns. */
typedef struct {
    int parts;
    ranked_part *rank; /* shape [parts] */
    int columns;
    int *start; /* shape [columns + 1] */
} column_cut;

static int compare_ranks(const void *left, const void *right)
{
    const ranked_part *a = left, *b = right;
    if (a->share != b->share) return scalay_compare_double(a->share, b->share);
    return scalay_compare_int64(a->part, b->part);
}

static scalay_status rank_parts(const scalay_pattern_request *request, column_cut *cut)
{
    scalay_status status = SCALAY_SUCCESS;
    double all = 0;
    cut->parts = request->parts;
    SCALAY_TRY(SCALAY_NEW(cut->rank, request->parts));
    SCALAY_TRY(SCALAY_NEW(cut->start, (int64_t)request->parts + 1));
    for (int part = 0; part < request->parts; part++) all += request->speed[part];
    for (int part = 0; part < request->parts; part++) cut->rank[part] = (ranked_part){request->speed[part] / all, part};
    qsort(cut->rank, (size_t)request->parts, sizeof *cut->rank, compare_ranks);
cleanup:
    return status;
}

/* Finds the columns with the least a * columns + b * (sum of width * processes), and the cost. */
static scalay_status cut_columns(double a, double b, column_cut *cut, double *cost)
{
    scalay_status status = SCALAY_SUCCESS;
    double *best = NULL, *sum = NULL;
    int *from = NULL;
    const int parts = cut->parts;
    SCALAY_TRY(SCALAY_NEW(best, (int64_t)parts + 1));
    SCALAY_TRY(SCALAY_NEW(sum, (int64_t)parts + 1));
    SCALAY_TRY(SCALAY_NEW(from, (int64_t)parts + 1));
    for (int k = 0; k < parts; k++) sum[k + 1] = sum[k] + cut->rank[k].share;
    for (int end = 1; end <= parts; end++) {
        best[end] = INFINITY;
        for (int begin = 0; begin < end; begin++) {
            const double value = best[begin] + a + b * (end - begin) * (sum[end] - sum[begin]);
            if (value > best[end] - 1e-12) continue;
            best[end] = value;
            from[end] = begin;
        }
    }
    *cost = best[parts];
    cut->columns = 0;
    for (int end = parts; end > 0; end = from[end]) cut->columns++;
    for (int end = parts, k = cut->columns; k >= 0; end = from[end]) cut->start[k--] = end;
cleanup:
    scalay_release(best);
    scalay_release(sum);
    scalay_release(from);
    return status;
}

/* Deals `count` lines from the last one on, each to the receiver that is done first with it. */
static void deal(int64_t count, int receivers, const double *speed, double *held, int *receiver)
{
    for (int x = 0; x < receivers; x++) held[x] = 0;
    for (int64_t k = count - 1; k >= 0; k--) {
        int best = 0;
        for (int x = 1; x < receivers; x++)
            if ((held[x] + 1) / speed[x] < (held[best] + 1) / speed[best] * (1 - 1e-12)) best = x;
        receiver[k] = best;
        held[best]++;
    }
}

/* A table of owners. */
typedef struct {
    int rows, cols;
    int *owner;
    const char *method;
} candidate;

/* Fills a table of rows x cols tiles from columns; with `transposed`, columns are rows. */
static scalay_status fill_columns(const column_cut *cut, int64_t rows, int64_t cols, int transposed, candidate *to)
{
    scalay_status status = SCALAY_SUCCESS;
    double *speed = NULL, *held = NULL;
    int *column = NULL, *member = NULL;
    SCALAY_TRY(SCALAY_NEW(speed, cut->parts));
    SCALAY_TRY(SCALAY_NEW(held, cut->parts));
    SCALAY_TRY(SCALAY_NEW(column, cols));
    SCALAY_TRY(SCALAY_NEW(member, rows));
    SCALAY_TRY(SCALAY_NEW(to->owner, rows * cols));
    to->rows = (int)(transposed ? cols : rows);
    to->cols = (int)(transposed ? rows : cols);
    for (int g = 0; g < cut->columns; g++) {
        speed[g] = 0;
        for (int k = cut->start[g]; k < cut->start[g + 1]; k++) speed[g] += cut->rank[k].share;
    }
    deal(cols, cut->columns, speed, held, column);
    for (int g = 0; g < cut->columns; g++) {
        const ranked_part *rank = cut->rank + cut->start[g];
        const int members = cut->start[g + 1] - cut->start[g];
        for (int x = 0; x < members; x++) speed[x] = rank[x].share;
        deal(rows, members, speed, held, member);
        for (int64_t i = 0; i < rows; i++)
            for (int64_t j = 0; j < cols; j++)
                if (column[j] == g) to->owner[transposed ? j * rows + i : i * cols + j] = rank[member[i]].part;
    }
cleanup:
    scalay_release(speed);
    scalay_release(held);
    scalay_release(column);
    scalay_release(member);
    return status;
}

/* Finds exact extents for equal shares: the rows are a multiple of all column sizes; 0: too large. */
static void exact_extents(const column_cut *cut, int64_t *rows, int64_t *cols)
{
    int64_t common = cut->parts;
    *rows = 1;
    for (int g = 0; g < cut->columns; g++) {
        const int64_t members = cut->start[g + 1] - cut->start[g];
        common = scalay_gcd(common, members);
        *rows = *rows / scalay_gcd(*rows, members) * members;
        if (*rows > 4 * MAX_SIDE) {
            *rows = 0;
            return;
        }
    }
    *cols = cut->parts / common;
}

/* ------------------------------------------------------------------------------------------------------- comparison */

/* The best pattern so far. */
typedef struct {
    const scalay_pattern_request *request;
    scalay_pattern *pattern;
    double cost, balance;
} selection;

static int is_better(const selection *best, double cost, double balance)
{
    if (best->pattern == NULL) return 1;
    const int admissible = balance >= MIN_BALANCE, was_admissible = best->balance >= MIN_BALANCE;
    if (admissible != was_admissible) return admissible;
    if (!admissible) return balance > best->balance;
    if (fabs(cost - best->cost) > 1e-9) return cost < best->cost;
    return balance > best->balance + 1e-9;
}

/* Consumes a candidate. */
static scalay_status offer(selection *best, candidate *from)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_pattern *pattern = NULL;
    scalay_pattern_summary summary;
    int *used = NULL, count = 0;
    const int parts = best->request->parts;
    SCALAY_TRY(SCALAY_NEW(used, parts));
    for (int64_t k = 0; k < (int64_t)from->rows * from->cols; k++) count += used[from->owner[k]]++ == 0;
    if (count < parts) goto cleanup; /* too few tiles for all processes */
    const scalay_pattern_table table = {.parts = parts, .rows = from->rows, .cols = from->cols, .owner = from->owner};
    SCALAY_TRY(scalay_pattern_new("scalay_pattern_find", &table, from->method, &pattern));
    SCALAY_TRY(scalay_pattern_evaluate(pattern, best->request->kernel, best->request->speed, &summary));
    if (!is_better(best, summary.cost, summary.balance)) goto cleanup;
    scalay_pattern_destroy(&best->pattern);
    best->pattern = pattern;
    best->cost = summary.cost;
    best->balance = summary.balance;
    pattern = NULL;
cleanup:
    scalay_release(used);
    scalay_release(from->owner);
    from->owner = NULL;
    scalay_pattern_destroy(&pattern);
    return status;
}

/* Offers tables of columns; for unequal shares, larger ones until the balance is admissible. */
static scalay_status offer_columns(selection *best, column_cut *cut, int transposed)
{
    scalay_status status = SCALAY_SUCCESS;
    const double weight = best->request->kernel == SCALAY_PATTERN_QR ? 2 : 1;
    double cost;
    int64_t rows = 0, cols = 0, longest = 1;
    candidate from = {.method = "columns"};
    SCALAY_TRY(cut_columns(transposed ? weight : 1, transposed ? 1 : weight, cut, &cost));
    if (best->request->is_uniform) exact_extents(cut, &rows, &cols);
    if (rows > 0) {
        SCALAY_TRY(fill_columns(cut, rows, cols, transposed, &from));
        return offer(best, &from);
    }
    for (int g = 0; g < cut->columns; g++) longest = scalay_max_int64(longest, cut->start[g + 1] - cut->start[g]);
    for (int64_t scale = 1; scale <= 64; scale *= 2) {
        rows = scale * longest;
        cols = scale * cut->columns;
        if (scale > 1 && (rows > MAX_SIDE || cols > MAX_SIDE)) break;
        SCALAY_TRY(fill_columns(cut, rows, cols, transposed, &from));
        SCALAY_TRY(offer(best, &from));
        if (best->balance >= MIN_BALANCE) break;
    }
cleanup:
    scalay_release(from.owner);
    return status;
}

/* ----------------------------------------------------------------------------------------------------------- shapes */

static scalay_status table_of_map(const scalay_owner_map *map, candidate *to)
{
    scalay_status status = SCALAY_SUCCESS;
    to->rows = (int)map->row.extent;
    to->cols = (int)map->col.extent;
    SCALAY_TRY(SCALAY_NEW(to->owner, map->row.extent * map->col.extent));
    for (int i = 0; i < to->rows; i++) {
        const int64_t row = map->row.run_class[scalay_map_axis_run(&map->row, i)];
        for (int64_t r = 0, j = 0; r < map->col.runs; r++)
            for (; j < map->col.end[r]; j++)
                to->owner[(int64_t)i * to->cols + j] = map->owner[row * map->col.classes + map->col.run_class[r]];
    }
cleanup:
    return status;
}

/* Offers the partition of a domain by a method. A method that cannot draw the areas is left out. */
static scalay_status offer_shape(selection *best, const char *shape, int64_t rows, int64_t cols)
{
    scalay_status status = SCALAY_SUCCESS;
    const scalay_pattern_request *request = best->request;
    scalay_partition *partition = NULL;
    scalay_owner_map *ordered = NULL;
    scalay_partition_options options = scalay_partition_options_default();
    candidate from = {.method = shape};
    options.shape = shape;
    options.budget = request->budget;
    status = scalay_partition_create(rows, cols, request->parts, request->speed, &options, &partition);
    if (status != SCALAY_SUCCESS) return status == SCALAY_ERROR_MEMORY ? status : SCALAY_SUCCESS;
    SCALAY_TRY(scalay_owner_map_balance_suffixes(scalay_partition_map(partition), 1, request->speed,
                                                 SCALAY_TRAILING_FULL, &ordered));
    SCALAY_TRY(table_of_map(ordered, &from));
    SCALAY_TRY(offer(best, &from));
cleanup:
    scalay_release(from.owner);
    scalay_owner_map_destroy(&ordered);
    scalay_partition_destroy(&partition);
    return status;
}

/* Domains with a multiple of `parts` lines first: many cuts are exact there. */
static scalay_status offer_shapes(selection *best)
{
    scalay_status status = SCALAY_SUCCESS;
    const int parts = best->request->parts;
    const int64_t weight = best->request->kernel == SCALAY_PATTERN_QR ? 2 : 1;
    const int64_t sides[] = {parts, 2 * parts, 4 * parts, 60, 120};
    for (size_t k = 0; k < sizeof sides / sizeof *sides; k++) {
        if (sides[k] * sides[k] < 4 * parts || sides[k] > 256) continue;
        SCALAY_TRY(offer_shape(best, "recursive-best", sides[k], weight * sides[k]));
        if (best->request->budget > 0) SCALAY_TRY(offer_shape(best, "slicing", sides[k], weight * sides[k]));
    }
cleanup:
    return status;
}

scalay_status scalay_pattern_find_unsymmetric(const scalay_pattern_request *request, scalay_pattern **pattern)
{
    scalay_status status = SCALAY_SUCCESS;
    selection best = {.request = request};
    column_cut cut = {0};
    SCALAY_TRY(rank_parts(request, &cut));
    SCALAY_TRY(offer_columns(&best, &cut, 0));
    SCALAY_TRY(offer_columns(&best, &cut, 1));
    if (request->parts > 1 && request->parts <= MAX_PARTS_SHAPES) SCALAY_TRY(offer_shapes(&best));
    *pattern = best.pattern;
    best.pattern = NULL;
cleanup:
    scalay_pattern_destroy(&best.pattern);
    scalay_release(cut.rank);
    scalay_release(cut.start);
    return status;
}
