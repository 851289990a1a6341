/*
 * Trailing balance of owner maps, and orders of tile rows and tile columns that improve it.
 *
 * Balance: trailing submatrices are evaluated from the smallest to the largest one; a step adds tile rows and tile
 * columns. Loads only grow, and so does their maximum. Time: O((steps + runs) classes + parts).
 *
 * Order: R. Tijdeman, The chairman assignment problem, Discrete Mathematics 32 (1980). From the end on, the next tile
 * is given to the class with the earliest deadline among those that may be next. With C classes, no class ever deviates
 * from its share by more than 1 - 1 / (2 C - 2) tiles. Time: O(tiles log classes) per axis.
 */
#include <math.h>

#include "base/integer.h"
#include "base/memory.h"
#include "partition/owner_map.h"
#include "partition/speeds.h"

/* ------------------------------------------------------------------------------------------------- trailing balance */

/* A trailing submatrix that grows towards the first row and column. */
typedef struct {
    const scalay_owner_map *map;
    scalay_trailing trailing;
    const double *speed; /* shape [parts] */
    int64_t *lines[2];   /* rows and columns of each class that it contains */
    int64_t run[2];      /* run of the next row and of the next column */
    int64_t first[2];    /* its first row and column */
    double *count;       /* shape [parts]: elements of each part */
    double elements;     /* all of them */
    double slowest;      /* max over the parts of count / speed */
} submatrix;

/* Adds rows (axis 0) or columns (axis 1) before the first one; `counted`: with their elements. */
static void grow(submatrix *s, int axis_index, int64_t first, int counted)
{
    const scalay_owner_map *map = s->map;
    const scalay_map_axis *axis = axis_index ? &map->col : &map->row;
    const int64_t others = axis_index ? map->row.classes : map->col.classes;
    while (s->first[axis_index] > first) {
        const int64_t run = s->run[axis_index], class = axis->run_class[run];
        const int64_t start = scalay_max_int64(first, run > 0 ? axis->end[run - 1] : 0);
        const int64_t added = s->first[axis_index] - start;
        for (int64_t k = 0; counted && k < others; k++) {
            const int part = map->owner[axis_index ? k * map->col.classes + class : class * map->col.classes + k];
            s->count[part] += (double)added * (double)s->lines[1 - axis_index][k];
            if (s->count[part] / s->speed[part] > s->slowest) s->slowest = s->count[part] / s->speed[part];
        }
        s->lines[axis_index][class] += added;
        s->first[axis_index] = start;
        if (run > 0 && start == axis->end[run - 1]) s->run[axis_index]--;
    }
}

/* Extends the submatrix by one step. Of the lower triangle, only the new columns from the diagonal tile down count. */
static void grow_step(submatrix *s, int64_t first)
{
    const int lower = s->trailing == SCALAY_TRAILING_LOWER;
    const double rows = (double)(s->map->row.extent - first), cols = (double)(s->map->col.extent - first);
    const double added = (double)(s->first[1] - first);
    grow(s, 0, first, !lower);
    grow(s, 1, first, 1);
    s->elements = lower ? s->elements + rows * added : rows * cols;
}

/* The balance over all steps. step_balance: shape [steps], of each one; NULL: not wanted. */
static double balance_of(submatrix *s, int64_t nb, double *step_balance)
{
    const int64_t m = s->map->row.extent, n = s->map->col.extent;
    double work = 0, time = 0, all = 0;
    for (int part = 0; part < s->map->parts; part++) all += s->speed[part];
    if (m == 0 || n == 0) return 1;
    const int64_t steps = scalay_ceil_div(scalay_min_int64(m, n), nb);
    /* columns right of the last diagonal tile are in no lower triangle */
    if (s->trailing == SCALAY_TRAILING_LOWER) grow(s, 1, scalay_min_int64(n, steps * nb), 0);
    for (int64_t k = steps - 1; k >= 0; k--) {
        grow_step(s, k * nb);
        work += s->elements;
        time += s->slowest;
        if (step_balance != NULL) step_balance[k] = s->elements / (all * s->slowest);
    }
    return work / (all * time);
}

static scalay_status measure(const scalay_owner_map *map, int64_t nb, const double *speed, scalay_trailing trailing,
                             double *step_balance, double *balance)
{
    scalay_status status = SCALAY_SUCCESS;
    submatrix s = {.map = map, .trailing = trailing, .speed = speed};
    s.run[0] = map->row.runs - 1;
    s.run[1] = map->col.runs - 1;
    s.first[0] = map->row.extent;
    s.first[1] = map->col.extent;
    SCALAY_TRY(SCALAY_NEW(s.lines[0], map->row.classes));
    SCALAY_TRY(SCALAY_NEW(s.lines[1], map->col.classes));
    SCALAY_TRY(SCALAY_NEW(s.count, map->parts));
    *balance = balance_of(&s, nb, step_balance);
cleanup:
    scalay_release(s.lines[0]);
    scalay_release(s.lines[1]);
    scalay_release(s.count);
    return status;
}

static scalay_status check(const char *function, const scalay_owner_map *map, int64_t nb, const double *speed,
                           scalay_trailing trailing)
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(scalay_check_not_null(map, function, "map"));
    SCALAY_TRY(scalay_check_at_least(nb, 1, function, "nb"));
    SCALAY_TRY(scalay_check_speeds(function, map->parts, speed, 1));
    SCALAY_TRY(scalay_check_trailing(function, trailing));
cleanup:
    return status;
}

scalay_status scalay_owner_map_trailing_balance(const scalay_owner_map *map, int64_t nb, const double *speed,
                                                scalay_trailing trailing, double *balance)
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(scalay_check_not_null(balance, __func__, "balance"));
    SCALAY_TRY(check(__func__, map, nb, speed, trailing));
    SCALAY_TRY(measure(map, nb, speed, trailing, NULL, balance));
cleanup:
    return status;
}

scalay_status scalay_trailing_steps(const scalay_owner_map *map, int64_t nb, const double *speed,
                                    scalay_trailing trailing, double *step_balance)
{
    double balance = 0;
    return measure(map, nb, speed, trailing, step_balance, &balance);
}

/* -------------------------------------------------------------------------------------------------- orders of tiles */

/* Tolerance, in tiles, for deadlines that are integers except for rounding. */
static const double tolerance = 1e-9;

typedef struct {
    double due;
    int64_t class;
} queue_entry;

#define BINARY_HEAP_NAME queue
#define BINARY_HEAP_ENTRY queue_entry
#define BINARY_HEAP_OWNER void
#define BINARY_HEAP_BEFORE(owner, a, b) ((a).due < (b).due || (!((a).due > (b).due) && (a).class < (b).class))
#include "base/binary_heap_worker.h"

/* The classes of the tiles of an axis, from the end on. */
typedef struct {
    int64_t classes, tiles;
    const int64_t *class_tiles; /* shape [classes] */
    int64_t *placed;            /* shape [classes] */
    double slack;               /* 1 / (2 C - 2) */
    int64_t waiting, allowed;
    queue_entry *waiting_queue; /* by the first tile that the class may get */
    queue_entry *allowed_queue; /* by the deadline */
} schedule;

static void wait_for_tile(schedule *s, int64_t class)
{
    if (s->placed[class] == s->class_tiles[class]) return;
    const double interval = (double)s->tiles / (double)s->class_tiles[class];
    const queue_entry entry = {((double)s->placed[class] + s->slack) * interval, class};
    queue_sift_up(NULL, s->waiting_queue, s->waiting++, entry);
}

static void allow(schedule *s)
{
    const int64_t class = queue_pop(NULL, s->waiting_queue, &s->waiting).class;
    const double interval = (double)s->tiles / (double)s->class_tiles[class];
    const queue_entry entry = {ceil(((double)s->placed[class] + 1 - s->slack) * interval - tolerance), class};
    queue_sift_up(NULL, s->allowed_queue, s->allowed++, entry);
}

static void assign_tiles(schedule *s, int64_t *class)
{
    for (int64_t k = 0; k < s->classes; k++) wait_for_tile(s, k);
    for (int64_t tile = 0; tile < s->tiles; tile++) {
        while (s->waiting > 0 && s->waiting_queue[0].due <= (double)(tile + 1) + tolerance) allow(s);
        if (s->allowed == 0) allow(s);
        class[tile] = queue_pop(NULL, s->allowed_queue, &s->allowed).class;
        s->placed[class[tile]]++;
        wait_for_tile(s, class[tile]);
    }
}

static scalay_status spread(int64_t classes, const int64_t *class_tiles, int64_t tiles, int64_t *class)
{
    scalay_status status = SCALAY_SUCCESS;
    schedule s = {.classes = classes, .tiles = tiles, .class_tiles = class_tiles};
    s.slack = classes > 1 ? 1 / (2 * (double)classes - 2) : 0.5;
    SCALAY_TRY(SCALAY_NEW(s.placed, classes));
    SCALAY_TRY(SCALAY_NEW(s.waiting_queue, classes));
    SCALAY_TRY(SCALAY_NEW(s.allowed_queue, classes));
    assign_tiles(&s, class);
cleanup:
    scalay_release(s.placed);
    scalay_release(s.waiting_queue);
    scalay_release(s.allowed_queue);
    return status;
}

static scalay_status check_cuts(const char *function, const char *line, const scalay_map_axis *axis, int64_t nb)
{
    for (int64_t r = 0; r + 1 < axis->runs; r++)
        if (axis->end[r] % nb != 0)
            return scalay_fail(SCALAY_ERROR_ARGUMENT, function,
                               "nb is %lld, but the owners change at %s %lld; nb must divide all such %ss",
                               (long long)nb, line, (long long)axis->end[r], line);
    return SCALAY_SUCCESS;
}

/* Creates an axis with the full tiles in the new order. A last tile with fewer lines stays last. */
static scalay_status spread_axis(const scalay_map_axis *from, int64_t nb, scalay_map_axis *axis)
{
    scalay_status status = SCALAY_SUCCESS;
    const int64_t full = from->extent / nb;
    int64_t *tiles = NULL, *class = NULL;
    axis->classes = from->classes;
    SCALAY_TRY(SCALAY_NEW(tiles, from->classes));
    SCALAY_TRY(SCALAY_NEW(class, full));
    for (int64_t c = 0; c < from->classes; c++) tiles[c] = from->lines[c] / nb;
    SCALAY_TRY(spread(from->classes, tiles, full, class));
    for (int64_t k = 0; k < full; k++) SCALAY_TRY(scalay_map_axis_add(axis, (k + 1) * nb, class[full - 1 - k]));
    if (from->runs > 0) SCALAY_TRY(scalay_map_axis_add(axis, from->extent, from->run_class[from->runs - 1]));
cleanup:
    scalay_release(tiles);
    scalay_release(class);
    return status;
}

static scalay_status copy_axis(const scalay_map_axis *from, scalay_map_axis *axis)
{
    scalay_status status = SCALAY_SUCCESS;
    axis->classes = from->classes;
    for (int64_t r = 0; r < from->runs; r++) SCALAY_TRY(scalay_map_axis_add(axis, from->end[r], from->run_class[r]));
cleanup:
    return status;
}

static scalay_status create_ordered(const char *function, const scalay_owner_map *map, int64_t nb, int spreads,
                                    scalay_owner_map **ordered)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_map_axis row = {0}, col = {0};
    SCALAY_TRY(spreads ? spread_axis(&map->row, nb, &row) : copy_axis(&map->row, &row));
    SCALAY_TRY(spreads ? spread_axis(&map->col, nb, &col) : copy_axis(&map->col, &col));
    SCALAY_TRY(scalay_owner_map_from_classes(function, &row, &col, map->parts, map->owner, ordered));
cleanup:
    scalay_map_axis_free(&row);
    scalay_map_axis_free(&col);
    return status;
}

scalay_status scalay_owner_map_balance_suffixes(const scalay_owner_map *map, int64_t nb, const double *speed,
                                                scalay_trailing trailing, scalay_owner_map **balanced)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_owner_map *spread_map = NULL;
    double before, after;
    SCALAY_TRY(scalay_check_not_null(balanced, __func__, "balanced"));
    *balanced = NULL;
    SCALAY_TRY(check(__func__, map, nb, speed, trailing));
    SCALAY_TRY(check_cuts(__func__, "row", &map->row, nb));
    SCALAY_TRY(check_cuts(__func__, "column", &map->col, nb));
    SCALAY_TRY(create_ordered(__func__, map, nb, 1, &spread_map));
    SCALAY_TRY(measure(map, nb, speed, trailing, NULL, &before));
    SCALAY_TRY(measure(spread_map, nb, speed, trailing, NULL, &after));
    if (after > before) {
        *balanced = spread_map;
        spread_map = NULL;
    } else {
        SCALAY_TRY(create_ordered(__func__, map, nb, 0, balanced));
    }
cleanup:
    scalay_owner_map_destroy(&spread_map);
    return status;
}
