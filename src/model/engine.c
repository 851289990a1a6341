/*
 * Predicted time of the engine on an owner map: trailing balance, lookahead, panels and messages (Hockney's model).
 */
#include <math.h>

#include "model/engine.h"

#include "base/integer.h"
#include "base/memory.h"
#include "partition/owner_map.h"

/* Loss of a gemm with k = nb against a long one, in columns: its time is that of nb + GEMM_OVERHEAD columns. */
static const double gemm_overhead = 6;

/* Rate of a panel against gemm: reflectors are bound by memory. */
static const double panel_rate[] = {
    [SCALAY_FACTOR_QR] = 0.25, [SCALAY_FACTOR_LU] = 0.4, [SCALAY_FACTOR_CHOLESKY] = 0.6};

int scalay_engine_preferred_extent(scalay_factor_kind kind, int64_t m, int64_t n, int ranks)
{
    const int64_t share = scalay_min_int64(m, n) / (ranks > 0 ? ranks : 1);
    if (share < 128) return 32;
    if (share >= 600) return 96;
    return share < 384 && kind == SCALAY_FACTOR_CHOLESKY ? 48 : 64;
}

scalay_status scalay_engine_balance(const scalay_engine_problem *problem, const scalay_owner_map *map, int nb,
                                    double *balance)
{
    scalay_status status = SCALAY_SUCCESS;
    const scalay_trailing trailing =
        problem->kind == SCALAY_FACTOR_CHOLESKY ? SCALAY_TRAILING_LOWER : SCALAY_TRAILING_FULL;
    *balance = 1;
    if (scalay_owner_map_rows(map) == 0 || scalay_owner_map_cols(map) == 0) return SCALAY_SUCCESS;
    SCALAY_TRY(scalay_owner_map_trailing_balance(map, nb, problem->speed, trailing, balance));
    if (*balance <= 0) *balance = 1;
cleanup:
    return status;
}

/* What does not change from step to step. */
typedef struct {
    scalay_factor_kind kind;
    double flop_seconds; /* of all processes together on a balanced map */
    double panel_seconds_per_flop;
    double busy; /* the largest share of all panels that a process factors, over its speed relative to the factorer's */
    double copy_seconds;                  /* of an element, packed for its receivers */
    double reduce_seconds;                /* of the reductions of a panel that its owners factor together */
    double byte_seconds, message_seconds; /* of one element; of the messages of a step */
    double owners;                        /* mean owners of a tile column */
    double nb;
} step_model;

/* Who works on the panels. */
typedef struct {
    double owners; /* mean owners of a column */
    double speed;  /* mean speed that panels are factored with */
    double busy;   /* max over the processes of (share of the panels / speed), times `speed` */
} panel_model;

/* The owners of a class of columns: their number, and the fastest one. `seen` has the last class of each process. */
static int scan_class(const scalay_engine_problem *problem, const scalay_owner_map *map, int64_t class, int64_t *seen,
                      int *fastest, double *speed)
{
    int owners = 0;
    *fastest = -1;
    *speed = 0;
    for (int64_t r = 0; r < map->row.classes; r++) {
        const int owner = map->owner[r * map->col.classes + class];
        if (seen[owner] == class + 1) continue;
        seen[owner] = class + 1;
        owners++;
        *speed += problem->speed[owner];
        if (*fastest < 0 || problem->speed[owner] > problem->speed[*fastest]) *fastest = owner;
    }
    return owners;
}

/* Adds the panels of a class of columns to the loads of their factorers. */
static void add_class(const scalay_engine_problem *problem, const scalay_owner_map *map, int64_t class, int64_t *seen,
                      double *load, panel_model *panels)
{
    int fastest = -1;
    double speed = 0;
    const double share = (double)map->col.lines[class] / (double)map->col.extent;
    const int owners = scan_class(problem, map, class, seen, &fastest, &speed);
    panels->owners += share * owners;
    if (owners <= SCALAY_ENGINE_ONE_FACTORS) {
        speed = problem->speed[fastest];
        load[fastest] += share / speed;
    }
    panels->speed += share * speed;
}

static scalay_status model_panels(const scalay_engine_problem *problem, const scalay_owner_map *map,
                                  panel_model *panels)
{
    scalay_status status = SCALAY_SUCCESS;
    int64_t *seen = NULL;
    double *load = NULL;
    *panels = (panel_model){0};
    SCALAY_TRY(SCALAY_NEW(seen, map->parts));
    SCALAY_TRY(SCALAY_NEW(load, map->parts));
    for (int64_t class = 0; class < map->col.classes; class ++) add_class(problem, map, class, seen, load, panels);
    for (int p = 0; p < map->parts; p++)
        if (load[p] * panels->speed > panels->busy) panels->busy = load[p] * panels->speed;
    if (panels->owners > SCALAY_ENGINE_ONE_FACTORS) panels->busy = 1 / panels->owners;
cleanup:
    scalay_release(load);
    scalay_release(seen);
    return status;
}

static scalay_status make_model(const scalay_engine_problem *problem, const scalay_owner_map *map, int nb,
                                step_model *s)
{
    scalay_status status = SCALAY_SUCCESS;
    const scalay_machine machine = problem->machine != NULL ? *problem->machine : scalay_machine_typical();
    const int is_complex = problem->type == SCALAY_COMPLEX_FLOAT || problem->type == SCALAY_COMPLEX_DOUBLE;
    const int is_single = problem->type == SCALAY_FLOAT || problem->type == SCALAY_COMPLEX_FLOAT;
    const double per_flop = machine.seconds_per_flop * (is_complex ? 4 : 1) * (is_single ? 0.5 : 1);
    const double size = (double)scalay_type_size(problem->type);
    double sum = 0, balance = 1;
    panel_model panels = {.owners = 1, .speed = 1};
    *s = (step_model){.kind = problem->kind, .nb = nb, .owners = 1};
    for (int p = 0; p < problem->ranks; p++) sum += problem->speed[p];
    const double mean = sum / problem->ranks;
    SCALAY_TRY(scalay_engine_balance(problem, map, nb, &balance));
    if (map->col.extent > 0 && map->row.extent > 0) SCALAY_TRY(model_panels(problem, map, &panels));
    s->owners = panels.owners;
    s->busy = panels.busy;
    s->flop_seconds = per_flop / (problem->ranks * balance) * (nb + gemm_overhead) / nb;
    s->panel_seconds_per_flop = per_flop * mean / panels.speed / panel_rate[problem->kind];
    if (problem->ranks > 1) {
        s->byte_seconds = size * machine.seconds_per_byte;
        s->copy_seconds = 2 * size * machine.seconds_per_byte_copied * mean / panels.speed;
        s->message_seconds = machine.seconds_per_message * (2 * ceil(log2(problem->ranks)) + 2 * s->owners);
        if (s->owners > SCALAY_ENGINE_ONE_FACTORS)
            s->reduce_seconds = nb * 2 * ceil(log2(s->owners)) * machine.seconds_per_message;
    }
cleanup:
    return status;
}

static double update_flops(const step_model *s, double rows, double cols)
{
    if (s->kind == SCALAY_FACTOR_QR) return 4 * rows * cols * s->nb;
    return (s->kind == SCALAY_FACTOR_LU ? 2 : 1) * rows * cols * s->nb;
}

/* Seconds that its processes work on a panel: the factorisation. */
static double factor_seconds(const step_model *s, double rows)
{
    return (s->kind == SCALAY_FACTOR_QR ? 3 : 1) * rows * s->nb * s->nb * s->panel_seconds_per_flop;
}

/* Seconds until the rows of a panel have arrived: gathered, factored, sent. */
static double panel_seconds(const step_model *s, double rows)
{
    const double transfers = s->owners > 1 ? 2 : 1;
    return factor_seconds(s, rows) + transfers * rows * s->nb * s->byte_seconds + s->message_seconds +
           s->reduce_seconds;
}

scalay_status scalay_engine_predict(const scalay_engine_problem *problem, const scalay_owner_map *map, int nb,
                                    double *seconds)
{
    const double m = (double)scalay_owner_map_rows(map), n = (double)scalay_owner_map_cols(map);
    step_model s;
    const scalay_status status = make_model(problem, map, nb, &s);
    if (status != SCALAY_SUCCESS) return status;
    *seconds = panel_seconds(&s, m);
    for (double k = 0; k < m && k < n; k += nb) {
        const double rows = m - k, cols = n - k - nb;
        if (cols <= 0) break;
        /* QR: W, LU: rows of U; they travel within a tile column */
        const double exchange = s.kind != SCALAY_FACTOR_CHOLESKY && s.owners > 1
                                    ? 2 * cols * nb * s.byte_seconds / (problem->ranks / s.owners) + s.message_seconds
                                    : 0;
        const double update = update_flops(&s, rows, cols) * s.flop_seconds + exchange;
        const double own_panels = s.busy * (factor_seconds(&s, rows) + rows * nb * s.copy_seconds);
        const double next = rows > nb ? panel_seconds(&s, rows - nb) + update * nb / (cols + nb) : 0;
        *seconds += update + own_panels > next ? update + own_panels : next;
    }
    return SCALAY_SUCCESS;
}

double scalay_engine_predict_move(const scalay_engine_problem *problem, const scalay_owner_map *map)
{
    const scalay_machine machine = problem->machine != NULL ? *problem->machine : scalay_machine_typical();
    const double elements = (double)scalay_owner_map_rows(map) * (double)scalay_owner_map_cols(map) / problem->ranks;
    const double bytes = elements * (double)scalay_type_size(problem->type);
    const double links = problem->ranks > 1 ? bytes * machine.seconds_per_byte : 0;
    return links + 2 * bytes * machine.seconds_per_byte_copied + problem->ranks * machine.seconds_per_message;
}

/* ---------------------------------------------------------------------------------------------------- choice */

enum {
    MAX_TRIED = 16, /* processes up to which all numbers of groups are tried */
    MAX_COLUMNS =
        4 /* processes up to which each owns whole tile columns: measured to be fastest (docs/benchmarks.md) */
};

scalay_status scalay_engine_choose_map(const scalay_engine_problem *problem, int64_t m, int64_t n, int nb,
                                       scalay_owner_map **map, double *seconds)
{
    scalay_status status = SCALAY_SUCCESS;
    const scalay_trailing trailing =
        problem->kind == SCALAY_FACTOR_CHOLESKY ? SCALAY_TRAILING_LOWER : SCALAY_TRAILING_FULL;
    const int ranks = problem->ranks, last = ranks <= MAX_TRIED ? ranks : 0;
    const int first = ranks <= MAX_COLUMNS ? ranks : last > 0;
    scalay_owner_map *tried = NULL;
    *map = NULL;
    for (int groups = last; groups >= first; groups--) {
        double time = 0;
        SCALAY_TRY(scalay_owner_map_1d1d(m, n, nb, problem->ranks, problem->speed, trailing, groups, &tried));
        SCALAY_TRY(scalay_engine_predict(problem, tried, nb, &time));
        if (*map == NULL || time < *seconds) {
            scalay_owner_map_destroy(map);
            *map = tried;
            *seconds = time;
            tried = NULL;
        }
        scalay_owner_map_destroy(&tried);
    }
cleanup:
    scalay_owner_map_destroy(&tried);
    if (status != SCALAY_SUCCESS) scalay_owner_map_destroy(map);
    return status;
}
