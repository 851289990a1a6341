/*
 * Predicted time of the engine on an owner map: trailing balance, lookahead, panels and messages (Hockney's model).
 */
#include <math.h>

#include "model/engine.h"

#include "base/integer.h"
#include "base/memory.h"
#include "model/machine.h"
#include "partition/owner_map.h"

/* Rates of OpenBLAS 0.3.21 (AVX-512) against a large gemm, fitted as rate * nb / (nb + columns) to tiles of 32 to 128.
 * A gemm with k = nb, and its counterpart of QR with nb columns: */
static const double gemm_rate[] = {
    [SCALAY_FACTOR_QR] = 1.12, [SCALAY_FACTOR_LU] = 1.14, [SCALAY_FACTOR_CHOLESKY] = 1.19};
static const double gemm_columns[] = {[SCALAY_FACTOR_QR] = 20, [SCALAY_FACTOR_LU] = 14, [SCALAY_FACTOR_CHOLESKY] = 18};

/* A panel (geqr2 on 16 columns and products, getrf, potrf and a product with the inverse): */
static const double panel_rate[] = {
    [SCALAY_FACTOR_QR] = 0.80, [SCALAY_FACTOR_LU] = 0.72, [SCALAY_FACTOR_CHOLESKY] = 0.9};
static const double panel_columns[] = {[SCALAY_FACTOR_QR] = 26, [SCALAY_FACTOR_LU] = 50, [SCALAY_FACTOR_CHOLESKY] = 40};

/* A product of W or U with a triangle: */
static const double triangle_rate = 0.7;

/* Time of the calls of a column of a wide panel, in small calls of the BLAS, if the curves are measured; of a column
 * whose row is exchanged behind the panel; and the width from which on a panel is wide: calls of one owner on fewer
 * columns do less. Fitted to orders 64 to 512 on two processes of an AMD EPYC (docs/benchmarks-onecall.md). */
static const double column_calls[] = {
    [SCALAY_FACTOR_QR] = 4.5, [SCALAY_FACTOR_LU] = 1.9, [SCALAY_FACTOR_CHOLESKY] = 1.3};
static const double exchange_calls[] = {
    [SCALAY_FACTOR_QR] = 0.0, [SCALAY_FACTOR_LU] = 2.0, [SCALAY_FACTOR_CHOLESKY] = 0.0};
static const double wide_panel[] = {
    [SCALAY_FACTOR_QR] = 16.0, [SCALAY_FACTOR_LU] = 16.0, [SCALAY_FACTOR_CHOLESKY] = 96.0};

/* Calls of a factorisation. Fitted to order 64. */
static const double start_calls = 40.0;

/* Cholesky updates each tile column apart: calls of the BLAS for it. */
static const double tile_calls = 2.0;

/* Interchanges of rows over the copy of as many bytes. Fitted likewise. */
static const double interchange = 1.4;

/* QR: a panel of one process has level-2 leaves of so many columns, and products between them. Time of a flop of a leaf
 * (geqr2 with its norms, and larft) over that of dgemv on a matrix of its size; measured with 2048 to 32768 rows. */
#define QR_LEAF 16.0
static const double qr_leaf = 2.5;

/* LU: getrf works on so many columns at the rate of dgemv, and takes so much longer than a large gemm for the others.
 * Fitted to panels of 8 to 128 columns with 256 to 32768 rows. */
static const double lu_leaf = 15, lu_update = 2.1;

/* Time of the calls of one move of the matrix, in small calls of the BLAS. */
static const double move_calls = 10;

/* A panel that its owners factor together is factored column by column, at the rate of dgemv. An update of rank one
 * writes what it reads, and takes so much longer in all caches but the first. Passes that find the largest element, and
 * scale, take so many flops of dgemv for each element. */
static const double rank_one = 1.5, column_passes = 10;

/* A reduction waits for the owner that comes last. Waits in small calls of the BLAS, fitted to orders 512 to 2048 on
 * two processes of an AMD EPYC: for each column of QR and LU, and for each panel of Cholesky. */
static const double reduction_wait[] = {
    [SCALAY_FACTOR_QR] = 70, [SCALAY_FACTOR_LU] = 70, [SCALAY_FACTOR_CHOLESKY] = 1700};

int scalay_engine_extent(int k)
{
    static const int extent[] = {32, 48, 64, 96, 128};
    return k >= 0 && k < (int)(sizeof extent / sizeof *extent) ? extent[k] : 0;
}

/* Do several owners factor a panel together? */
static int is_together(const scalay_engine_problem *problem, double owners)
{
    if (problem->panels_together < 0) return owners > SCALAY_ENGINE_ONE_FACTORS;
    return problem->panels_together && owners > 1;
}

/* The greatest common divisor of the cuts, 0 if there are none, and the number of runs. */
static int64_t common_divisor(const scalay_map_axis *axis, int64_t divisor)
{
    for (int64_t r = 0; r + 1 < axis->runs; r++) divisor = scalay_gcd(divisor, axis->end[r]);
    return divisor;
}

int scalay_engine_map_extent(const scalay_owner_map *map, int preferred)
{
    int64_t divisor = common_divisor(&map->row, common_divisor(&map->col, 0));
    if (divisor == 0 || divisor % preferred == 0) return preferred;
    int64_t extent = scalay_min_int64(divisor, preferred);
    while (divisor % extent != 0) extent--;
    const int is_long = map->row.extent >= map->row.runs * preferred && map->col.extent >= map->col.runs * preferred;
    return extent < 16 && is_long ? preferred : (int)extent;
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
    double flop_seconds;     /* of all processes together on a balanced map */
    double own_flop_seconds; /* of a flop of an update of one tile column, by its owners */
    double triangle_seconds; /* of a flop of W T or L^-1 U, which each owner of a column computes */
    double panel_seconds_per_flop;
    double level2, level3; /* flops of a panel for each of its rows, if it is not factored at panel_seconds_per_flop */
    double level2_weight;  /* seconds of a flop of level 2 over those of dgemv, of a process that factors a panel */
    double level3_seconds; /* of a flop of level 3, likewise */
    double strip_bytes;    /* of a row in the columns that level 2 passes over */
    scalay_machine machine;
    double busy; /* the largest share of all panels that a process factors, over its speed relative to the factorer's */
    double copy_seconds;                  /* of an element, packed for its receivers */
    double reduce_seconds;                /* of the reductions of a panel that its owners factor together */
    double byte_seconds, message_seconds; /* of one element; of the messages of a step */
    double call_seconds;                  /* of the calls of a step */
    double exchange_seconds;              /* of the exchanged rows of a step */
    double tile_seconds;                  /* of the calls for an updated tile column */
    double start_seconds;                 /* of the factorisation */
    double owners;                        /* mean owners of a tile column */
    double transfers;                     /* of the rows of a panel: gathered, sent */
    double exchanged; /* W or rows of U on the busiest link, over the elements of nb rows of the trailing matrix */
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
    if (!is_together(problem, owners)) {
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
    if (is_together(problem, panels->owners)) panels->busy = 1 / panels->owners;
cleanup:
    scalay_release(load);
    scalay_release(seen);
    return status;
}

/* Time of the updates of rank nb over that of long ones. */
static double short_updates(const scalay_machine *machine, scalay_factor_kind kind, double nb)
{
    const double loss = (nb + gemm_columns[kind]) / nb / gemm_rate[kind];
    if (machine->gemm_curve[0] == 0.0 || machine->seconds_per_flop == 0.0) return loss;
    return fmax(loss, scalay_machine_gemm_rate(machine, nb) / machine->seconds_per_flop);
}

/* Time of a flop of level 2 of the type over that of a double. */
static double level2_weight(scalay_type type)
{
    return scalay_type_flop_weight(type) / scalay_type_flops_per_byte(type);
}

/* Sets what differs for a panel that its owners factor together. `share`: the mean share of an owner. */
static void set_together(const scalay_engine_problem *problem, double per_flop, double share, step_model *s)
{
    const double levels = ceil(log2(s->owners)), size = (double)scalay_type_size(problem->type);
    const double reductions = s->kind == SCALAY_FACTOR_CHOLESKY ? 1 : s->nb;
    s->reduce_seconds =
        reductions * levels *
        (2 * s->machine.seconds_per_message + reduction_wait[s->kind] * scalay_machine_small_call(&s->machine));
    if (s->kind == SCALAY_FACTOR_CHOLESKY || s->machine.vector_curve[0] == 0.0) return;
    /* LU updates; QR multiplies and updates, and finds V^H V. */
    s->level2 = s->nb * s->nb * (s->kind == SCALAY_FACTOR_QR ? 1 + rank_one : rank_one) + column_passes * s->nb;
    s->level3 = s->kind == SCALAY_FACTOR_QR ? s->nb * s->nb : 0;
    s->level2_weight = share * level2_weight(problem->type);
    s->level3_seconds = share * per_flop;
    s->strip_bytes = size * s->nb * share;
}

/* Sets the leaves and the products of a panel of QR or LU that one process factors. */
static void set_leaves(const scalay_engine_problem *problem, double share, step_model *s)
{
    const double leaf = fmin(QR_LEAF, s->nb), weight = share * scalay_type_flop_weight(problem->type);
    if (s->kind == SCALAY_FACTOR_CHOLESKY || s->machine.vector_curve[0] == 0.0 || s->machine.gemm_curve[0] == 0.0)
        return;
    if (s->kind == SCALAY_FACTOR_QR) {
        s->level2 = qr_leaf * 2 * s->nb * leaf;
        s->level3 = 3 * s->nb * (s->nb - leaf);
        s->level3_seconds =
            weight * scalay_machine_gemm_rate(&s->machine, leaf * scalay_type_flops_per_byte(problem->type));
    } else {
        s->level2 = lu_leaf * s->nb;
        s->level3 = lu_update * s->nb * s->nb;
        s->level3_seconds = weight * s->machine.seconds_per_flop;
    }
    s->level2_weight = share * level2_weight(problem->type);
    s->strip_bytes = (double)scalay_type_size(problem->type) * leaf;
}

/* Returns the part of a panel that the link of a node carries in the busier direction. Owners of a panel on all nodes
 * send at once. In QR and LU, their sums and exchanged rows are on the link besides: as much as is saved. */
static double one_direction(const scalay_engine_problem *problem, int64_t nodes, double owners)
{
    return problem->kind == SCALAY_FACTOR_CHOLESKY && nodes > 1 && owners > 1.0 ? 1.0 - 1.0 / (double)nodes : 1.0;
}

/* Returns what is exchanged within tile columns: a process sends and receives W, or rows of U, of its columns. QR sums
 * W, which each owner sends to each other one: if the owners of a column are on several nodes, as many on each, those
 * of a node send to all others over one link. */
static double exchanged_in_columns(const scalay_engine_problem *problem, double nodes, double owners)
{
    const double of_process = 2 * owners / problem->ranks;
    if (problem->kind == SCALAY_FACTOR_CHOLESKY || owners <= 1) return 0;
    if (problem->kind == SCALAY_FACTOR_LU || nodes < 2) return of_process;
    return fmax(of_process, owners * (owners - owners / fmin(nodes, owners)) / nodes);
}

static scalay_status make_model(const scalay_engine_problem *problem, const scalay_owner_map *map, int nb,
                                double balance, step_model *s)
{
    scalay_status status = SCALAY_SUCCESS;
    const scalay_machine machine = problem->machine != NULL ? *problem->machine : scalay_machine_typical();
    const int is_complex = problem->type == SCALAY_COMPLEX_FLOAT || problem->type == SCALAY_COMPLEX_DOUBLE;
    const int is_single = problem->type == SCALAY_FLOAT || problem->type == SCALAY_COMPLEX_FLOAT;
    const double per_flop = machine.seconds_per_flop * (is_complex ? 4 : 1) * (is_single ? 0.5 : 1);
    const double size = (double)scalay_type_size(problem->type);
    double sum = 0;
    panel_model panels = {.owners = 1, .speed = 1};
    *s = (step_model){.kind = problem->kind, .nb = nb, .owners = 1, .machine = machine};
    for (int p = 0; p < problem->ranks; p++) sum += problem->speed[p];
    const double mean = sum / problem->ranks, rows = (double)map->row.extent;
    const double local = rows * (double)map->col.extent / problem->ranks;
    if (map->col.extent > 0 && map->row.extent > 0) SCALAY_TRY(model_panels(problem, map, &panels));
    s->owners = panels.owners;
    s->busy = panels.busy;
    /* Cholesky's updates are too short to hide the rows that one process gathers, factors and sends. */
    if (problem->kind == SCALAY_FACTOR_CHOLESKY && !is_together(problem, s->owners)) s->busy += fmin(1, s->owners - 1);
    const double extent = nb * scalay_type_flops_per_byte(problem->type);
    const double panel_rate_here = panel_rate[problem->kind] * extent / (extent + panel_columns[problem->kind]);
    s->exchanged = exchanged_in_columns(problem, (double)machine.nodes, s->owners);
    s->transfers = s->owners > 1 && !is_together(problem, s->owners) ? 2 : 1;
    s->flop_seconds = per_flop / (problem->ranks * balance) * short_updates(&machine, problem->kind, extent);
    s->own_flop_seconds = s->flop_seconds * balance * problem->ranks / s->owners;
    s->triangle_seconds = per_flop / problem->ranks * s->owners / triangle_rate;
    s->start_seconds = start_calls * scalay_machine_small_call(&machine);
    const double calls =
        nb * scalay_machine_small_call(&machine) * (s->owners > 1.0 ? 1.0 : fmin(1.0, nb / wide_panel[problem->kind]));
    s->call_seconds = column_calls[problem->kind] * calls;
    s->exchange_seconds = exchange_calls[problem->kind] * calls;
    if (problem->kind == SCALAY_FACTOR_CHOLESKY)
        s->tile_seconds = tile_calls * scalay_machine_small_call(&machine) * s->owners / problem->ranks;
    if (problem->kind == SCALAY_FACTOR_LU)
        s->exchange_seconds += interchange * 2 * size * scalay_machine_copy_rate(&machine, size * local) * nb *
                               (double)map->col.extent * s->owners / problem->ranks;
    s->panel_seconds_per_flop = per_flop * mean / panels.speed / panel_rate_here;
    if (is_together(problem, s->owners))
        set_together(problem, per_flop, mean / panels.speed, s);
    else
        set_leaves(problem, mean / panels.speed, s);
    if (problem->ranks > 1) {
        s->byte_seconds = size * machine.seconds_per_byte * one_direction(problem, machine.nodes, s->owners);
        s->copy_seconds = 2 * size * scalay_machine_copy_rate(&machine, size * rows * nb) * mean / panels.speed;
        s->message_seconds = machine.seconds_per_message * (2 * ceil(log2(problem->ranks)) + 2 * s->owners);
    }
cleanup:
    return status;
}

static double update_flops(const step_model *s, double rows, double cols)
{
    if (s->kind == SCALAY_FACTOR_QR) return 4 * rows * cols * s->nb;
    return (s->kind == SCALAY_FACTOR_LU ? 2 : 1) * rows * cols * s->nb;
}

/* Flops of the update of the next panel, of so many columns. */
static double column_flops(const step_model *s, double rows, double cols)
{
    return (s->kind == SCALAY_FACTOR_QR ? 4 : 2) * rows * cols * s->nb;
}

/* Seconds that its processes work on a panel: the factorisation. */
static double factor_seconds(const step_model *s, double rows)
{
    if (s->level2 > 0)
        return rows * (s->level2 * s->level2_weight * scalay_machine_vector_rate(&s->machine, rows * s->strip_bytes) +
                       s->level3 * s->level3_seconds);
    return (s->kind == SCALAY_FACTOR_QR ? 3 : 1) * rows * s->nb * s->nb * s->panel_seconds_per_flop;
}

/* Seconds until the rows of a panel have arrived: gathered, factored, sent. */
static double panel_seconds(const step_model *s, double rows)
{
    return factor_seconds(s, rows) + s->transfers * rows * s->nb * s->byte_seconds + s->message_seconds +
           s->reduce_seconds;
}

/* A prediction for a map of known trailing balance; *owners is the mean number of owners of a tile column. */
static scalay_status predict(const scalay_engine_problem *problem, const scalay_owner_map *map, int nb, double balance,
                             double *seconds, double *owners)
{
    const double m = (double)scalay_owner_map_rows(map), n = (double)scalay_owner_map_cols(map);
    step_model s;
    const scalay_status status = make_model(problem, map, nb, balance, &s);
    if (status != SCALAY_SUCCESS) return status;
    *owners = s.owners;
    *seconds = s.start_seconds + m * fmin(nb, n) * s.copy_seconds + panel_seconds(&s, m);
    for (double k = 0; k < m && k < n; k += nb) {
        const double rows = m - k, cols = n - k - nb;
        *seconds += s.call_seconds;
        if (cols <= 0) break;
        const double exchange = s.exchanged > 0 ? s.exchanged * cols * nb * s.byte_seconds + s.message_seconds : 0;
        const double triangle = s.kind != SCALAY_FACTOR_CHOLESKY ? cols * nb * nb * s.triangle_seconds : 0;
        const double update =
            update_flops(&s, rows, cols) * s.flop_seconds + triangle + exchange + cols / nb * s.tile_seconds;
        /* A reduction interrupts the updates of all owners. */
        const double own_panels = s.busy * (factor_seconds(&s, rows) + rows * nb * s.copy_seconds) + s.reduce_seconds;
        /* The next panel waits for the update of its column, which only its owners compute, and for its copies. */
        const double own_update = column_flops(&s, rows, fmin(nb, cols)) * s.own_flop_seconds;
        const double next = rows > nb ? own_update + rows * nb * s.copy_seconds + panel_seconds(&s, rows - nb) : 0;
        *seconds += s.exchange_seconds + (update + own_panels > next ? update + own_panels : next);
    }
    return SCALAY_SUCCESS;
}

scalay_status scalay_engine_predict(const scalay_engine_problem *problem, const scalay_owner_map *map, int nb,
                                    double *seconds)
{
    double balance = 1, owners = 1;
    const scalay_status status = scalay_engine_balance(problem, map, nb, &balance);
    return status == SCALAY_SUCCESS ? predict(problem, map, nb, balance, seconds, &owners) : status;
}

double scalay_engine_predict_move(const scalay_engine_problem *problem, const scalay_owner_map *map, int stays)
{
    const scalay_machine machine = problem->machine != NULL ? *problem->machine : scalay_machine_typical();
    /* A triangle has half of the elements, but short columns: it is copied for as long. */
    const double sent = problem->kind == SCALAY_FACTOR_CHOLESKY ? 0.5 : 1.0;
    const double elements = (double)scalay_owner_map_rows(map) * (double)scalay_owner_map_cols(map) / problem->ranks;
    const double bytes = elements * (double)scalay_type_size(problem->type);
    const double moved = stays ? 0.0 : 1 - 1.0 / problem->ranks;
    /* What moves is packed and unpacked; a fraction 1 / ranks stays, as in the mean over all mappings. */
    const double byte = problem->move_byte_seconds > 0.0 ? problem->move_byte_seconds : machine.seconds_per_byte;
    return sent * moved * bytes * byte + (1 + moved) * bytes * scalay_machine_copy_rate(&machine, bytes) +
           problem->ranks * machine.seconds_per_message + move_calls * scalay_machine_small_call(&machine);
}

/* ---------------------------------------------------------------------------------------------------- choice */

enum {
    TYPICAL = 64,   /* tile extent at which numbers of groups are compared */
    MAX_TRIED = 16, /* processes up to which all numbers of groups are tried */
    MAX_COLUMNS =
        4 /* processes up to which each owns whole tile columns: measured to be fastest (docs/benchmarks.md) */
};

/* Larger tiles need more memory: they must be predicted to take at most so much of the time. */
static const double larger_tiles = 0.99;

/* The two panels of a process are large if they take more than this fraction of its part of the matrix: from tiles of
 * 64 on below order 1280 on two processes. Then tiles of `PREFERRED` are better up to so much of the predicted time. */
static const double large_panels = 0.2, smaller_tiles = 1.05;
enum { PREFERRED = 48 };

scalay_status scalay_engine_choose_panels(const scalay_engine_problem *problem, const scalay_owner_map *map, int nb,
                                          scalay_engine_choice *choice)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_engine_problem tried = *problem;
    const int is_free = problem->panels_together < 0;
    if (is_free) tried.panels_together = 0;
    choice->panels_together = tried.panels_together;
    double balance = 1, owners = 1, seconds = 0;
    SCALAY_TRY(scalay_engine_balance(problem, map, nb, &balance));
    SCALAY_TRY(predict(&tried, map, nb, balance, &choice->seconds, &owners));
    if (!is_free || owners <= 1) return SCALAY_SUCCESS;
    tried.panels_together = 1;
    SCALAY_TRY(predict(&tried, map, nb, balance, &seconds, &owners));
    if (seconds >= choice->seconds) return SCALAY_SUCCESS;
    choice->panels_together = 1;
    choice->seconds = seconds;
cleanup:
    return status;
}

static int has_large_panels(const scalay_engine_problem *problem, int64_t n, int nb)
{
    return 2.0 * nb * problem->ranks > large_panels * (double)n;
}

/* The seconds below which tiles of extent nb are better than those of the choice. */
static double least_needed(const scalay_engine_problem *problem, int64_t n, int nb, const scalay_engine_choice *choice)
{
    const int is_preferred = choice->nb >= PREFERRED && choice->nb < TYPICAL;
    double factor = 1.0;
    if (nb > choice->nb) factor = is_preferred && has_large_panels(problem, n, nb) ? 1.0 / smaller_tiles : larger_tiles;
    if (nb < choice->nb && nb >= PREFERRED && has_large_panels(problem, n, choice->nb)) factor = smaller_tiles;
    return factor * choice->seconds;
}

/* Takes the map of so many groups if it is predicted to be faster than that of the choice. */
static scalay_status try_map(const scalay_engine_problem *problem, int64_t m, int64_t n, int nb, int groups,
                             scalay_engine_choice *choice, int *chosen_groups)
{
    scalay_status status = SCALAY_SUCCESS;
    const scalay_trailing trailing =
        problem->kind == SCALAY_FACTOR_CHOLESKY ? SCALAY_TRAILING_LOWER : SCALAY_TRAILING_FULL;
    scalay_engine_choice tried = {.nb = nb};
    SCALAY_TRY(scalay_owner_map_1d1d(m, n, nb, problem->ranks, problem->speed, trailing, groups, &tried.map));
    SCALAY_TRY(scalay_engine_choose_panels(problem, tried.map, nb, &tried));
    if (choice->map != NULL && tried.seconds >= least_needed(problem, n, nb, choice)) goto cleanup;
    scalay_owner_map_destroy(&choice->map);
    *choice = tried;
    *chosen_groups = groups;
    tried.map = NULL;
cleanup:
    scalay_owner_map_destroy(&tried.map);
    return status;
}

scalay_status scalay_engine_choose_map(const scalay_engine_problem *problem, int64_t m, int64_t n, int nb,
                                       scalay_engine_choice *choice)
{
    scalay_status status = SCALAY_SUCCESS;
    const int ranks = problem->ranks, last = ranks <= MAX_TRIED ? ranks : 0;
    const int first = ranks <= MAX_COLUMNS ? ranks : last > 0;
    int groups = 0;
    *choice = (scalay_engine_choice){0};
    for (int g = last; g >= first; g--) SCALAY_TRY(try_map(problem, m, n, nb > 0 ? nb : TYPICAL, g, choice, &groups));
    for (int k = 0, best = groups; nb == 0 && scalay_engine_extent(k) > 0; k++)
        if (scalay_engine_extent(k) != TYPICAL)
            SCALAY_TRY(try_map(problem, m, n, scalay_engine_extent(k), best, choice, &groups));
cleanup:
    if (status != SCALAY_SUCCESS) scalay_owner_map_destroy(&choice->map);
    return status;
}
