/*
 * Balance of trailing submatrices. What is permuted are tiles: a class of lines is spread over the extent such that
 * from the end on each class always has what is due to it, give or take less than one tile.
 *
 * Source of the rule: R. Tijdeman, The chairman assignment problem, Discrete Mathematics 32 (1980): whoever is allowed
 * to be next and whose turn ends first. With C classes no share is ever missed by more than 1 - 1 / (2 C - 2).
 */
#include <math.h>

#include "base/integer.h"
#include "base/memory.h"
#include "partition/map_axis.h"
#include "partition/queue.h"

/* A hair, in turns: what rounding may do to times that are whole numbers. */
static const double hair = 1e-9;

/* The turns of classes with given numbers of tiles. */
typedef struct {
    int64_t classes, turns;
    const int64_t *tiles; /* shape [classes] */
    int64_t *placed;      /* shape [classes] */
    double slack;         /* 1 / (2 C - 2) */
    scalay_queue waiting; /* by the turn from which on they are allowed */
    scalay_queue allowed; /* by the turn that is their last */
} schedule;

static void wait_for_turn(schedule *s, int64_t class)
{
    if (s->placed[class] == s->tiles[class]) return;
    const double pace = (double)s->turns / (double)s->tiles[class];
    scalay_queue_put(&s->waiting, ((double)s->placed[class] + s->slack) * pace, class);
}

static void allow(schedule *s)
{
    const int64_t class = scalay_queue_take(&s->waiting).number;
    const double pace = (double)s->turns / (double)s->tiles[class];
    scalay_queue_put(&s->allowed, ceil(((double)s->placed[class] + 1 - s->slack) * pace - hair), class);
}

/* The class of each turn. */
static void take_turns(schedule *s, int64_t *class)
{
    for (int64_t k = 0; k < s->classes; k++) wait_for_turn(s, k);
    for (int64_t turn = 0; turn < s->turns; turn++) {
        while (s->waiting.count > 0 && s->waiting.entry[0].due <= (double)(turn + 1) + hair) allow(s);
        if (s->allowed.count == 0) allow(s);
        class[turn] = scalay_queue_take(&s->allowed).number;
        s->placed[class[turn]]++;
        wait_for_turn(s, class[turn]);
    }
}

static scalay_status spread(int64_t classes, const int64_t *tiles, int64_t turns, int64_t *class)
{
    scalay_status status = SCALAY_SUCCESS;
    schedule s = {.classes = classes, .turns = turns, .tiles = tiles};
    s.slack = classes > 1 ? 1 / (2 * (double)classes - 2) : 0.5;
    SCALAY_TRY(SCALAY_NEW(s.placed, classes));
    SCALAY_TRY(SCALAY_NEW(s.waiting.entry, classes));
    SCALAY_TRY(SCALAY_NEW(s.allowed.entry, classes));
    take_turns(&s, class);
cleanup:
    scalay_release(s.placed);
    scalay_release(s.waiting.entry);
    scalay_release(s.allowed.entry);
    return status;
}

/* ----------------------------------------------------------------------------------------- the same map */

static scalay_status check_cuts(const char *function, const char *what, const scalay_map_axis *axis, int64_t nb)
{
    for (int64_t r = 0; r + 1 < axis->runs; r++)
        if (axis->end[r] % nb != 0)
            return scalay_fail(SCALAY_ERROR_ARGUMENT, function,
                               "the owners change at %s %lld, which is no multiple of nb = %lld; make the map with "
                               "that tile, or pass 1",
                               what, (long long)axis->end[r], (long long)nb);
    return SCALAY_SUCCESS;
}

/* The axis with its whole tiles spread; a last tile that is cut stays where it is. */
static scalay_status spread_axis(const scalay_map_axis *from, int64_t nb, scalay_map_axis_maker *maker)
{
    scalay_status status = SCALAY_SUCCESS;
    const int64_t whole = from->extent / nb;
    int64_t *tiles = NULL, *class = NULL;
    maker->axis.classes = from->classes;
    SCALAY_TRY(SCALAY_NEW(tiles, from->classes));
    SCALAY_TRY(SCALAY_NEW(class, whole));
    for (int64_t c = 0; c < from->classes; c++) tiles[c] = from->lines[c] / nb;
    SCALAY_TRY(spread(from->classes, tiles, whole, class));
    for (int64_t k = 0; k < whole; k++) SCALAY_TRY(scalay_map_axis_add(maker, (k + 1) * nb, class[whole - 1 - k]));
    if (from->runs > 0) SCALAY_TRY(scalay_map_axis_add(maker, from->extent, from->run_class[from->runs - 1]));
cleanup:
    scalay_release(tiles);
    scalay_release(class);
    return status;
}

scalay_status scalay_owner_map_balance_suffixes(const scalay_owner_map *map, int64_t nb, scalay_owner_map **balanced)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_map_axis_maker row = {0}, col = {0};
    if (balanced == NULL) return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "balanced is NULL; pass an address");
    *balanced = NULL;
    if (map == NULL) return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "map is NULL; pass an owner map");
    if (nb < 1)
        return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "nb = %lld is not a tile extent; pass at least 1", (long long)nb);
    SCALAY_TRY(check_cuts(__func__, "row", &map->row, nb));
    SCALAY_TRY(check_cuts(__func__, "column", &map->col, nb));
    SCALAY_TRY(spread_axis(&map->row, nb, &row));
    SCALAY_TRY(spread_axis(&map->col, nb, &col));
    SCALAY_TRY(scalay_owner_map_from_classes(__func__, &row.axis, &col.axis, map->parts, map->owner, balanced));
cleanup:
    scalay_map_axis_maker_free(&row);
    scalay_map_axis_maker_free(&col);
    return status;
}

/* ------------------------------------------------------------------------------------- trailing balance */

/* A trailing submatrix that grows from the end on. */
typedef struct {
    const scalay_owner_map *map;
    int64_t *lines[2]; /* rows, columns of each class that it has */
    int64_t run[2];    /* the run that the next line to come is in */
    int64_t first[2];  /* its first row, its first column */
    double *count;     /* shape [parts]: elements of each part */
} trailing;

/* Lets it begin at an earlier row, or column. */
static void grow(trailing *t, int is_col, int64_t first)
{
    const scalay_owner_map *map = t->map;
    const scalay_map_axis *axis = is_col ? &map->col : &map->row;
    const int64_t others = is_col ? map->row.classes : map->col.classes;
    while (t->first[is_col] > first) {
        const int64_t run = t->run[is_col], class = axis->run_class[run];
        const int64_t start = scalay_max_int64(first, run > 0 ? axis->end[run - 1] : 0);
        const int64_t added = t->first[is_col] - start;
        for (int64_t k = 0; k < others; k++) {
            const int part = map->owner[is_col ? k * map->col.classes + class : class * map->col.classes + k];
            t->count[part] += (double)added * (double)t->lines[1 - is_col][k];
        }
        t->lines[is_col][class] += added;
        t->first[is_col] = start;
        if (run > 0 && start == axis->end[run - 1]) t->run[is_col]--;
    }
}

static double slowest(const trailing *t, const double *speed)
{
    double time = 0;
    for (int part = 0; part < t->map->parts; part++) time = fmax(time, t->count[part] / speed[part]);
    return time;
}

static double balance_of(trailing *t, int64_t nb, const double *speed)
{
    const int64_t m = t->map->row.extent, n = t->map->col.extent, steps = scalay_ceil_div(scalay_min_int64(m, n), nb);
    double work = 0, time = 0, all = 0;
    for (int part = 0; part < t->map->parts; part++) all += speed[part];
    for (int64_t k = steps - 1; k >= 0; k--) {
        grow(t, 0, k * nb);
        grow(t, 1, k * nb);
        work += (double)(m - k * nb) * (double)(n - k * nb);
        time += slowest(t, speed);
    }
    return steps > 0 ? work / (all * time) : 1;
}

static scalay_status check_trailing(const char *function, const scalay_owner_map *map, int64_t nb, const double *speed)
{
    if (map == NULL) return scalay_fail(SCALAY_ERROR_ARGUMENT, function, "map is NULL; pass an owner map");
    if (nb < 1)
        return scalay_fail(SCALAY_ERROR_ARGUMENT, function, "nb = %lld is not a step; pass at least 1", (long long)nb);
    if (speed == NULL)
        return scalay_fail(SCALAY_ERROR_ARGUMENT, function, "speed is NULL; pass the speed of each of %d parts",
                           map->parts);
    for (int part = 0; part < map->parts; part++)
        if (!isfinite(speed[part]) || speed[part] <= 0)
            return scalay_fail(SCALAY_ERROR_ARGUMENT, function, "speed[%d] = %g; pass a finite number above 0", part,
                               speed[part]);
    return SCALAY_SUCCESS;
}

scalay_status scalay_owner_map_trailing_balance(const scalay_owner_map *map, int64_t nb, const double *speed,
                                                double *balance)
{
    scalay_status status = SCALAY_SUCCESS;
    trailing t = {.map = map};
    if (balance == NULL) return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "balance is NULL; pass an address");
    SCALAY_TRY(check_trailing(__func__, map, nb, speed));
    t.run[0] = map->row.runs - 1;
    t.run[1] = map->col.runs - 1;
    t.first[0] = map->row.extent;
    t.first[1] = map->col.extent;
    SCALAY_TRY(SCALAY_NEW(t.lines[0], map->row.classes));
    SCALAY_TRY(SCALAY_NEW(t.lines[1], map->col.classes));
    SCALAY_TRY(SCALAY_NEW(t.count, map->parts));
    *balance = balance_of(&t, nb, speed);
cleanup:
    scalay_release(t.lines[0]);
    scalay_release(t.lines[1]);
    scalay_release(t.count);
    return status;
}
