/*
 * Predicted time of the engine on an owner map: trailing balance, lookahead, panels and messages (Hockney's model).
 */
#include <math.h>

#include "base/integer.h"
#include "factor/engine_model.h"
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
    return share < 384 && kind == SCALAY_FACTOR_CHOLESKY ? 48 : 64;
}

double scalay_engine_balance(const scalay_engine_problem *problem, const scalay_owner_map *map, int nb)
{
    double balance = 1;
    const scalay_trailing trailing =
        problem->kind == SCALAY_FACTOR_CHOLESKY ? SCALAY_TRAILING_LOWER : SCALAY_TRAILING_FULL;
    const int is_empty = scalay_owner_map_rows(map) == 0 || scalay_owner_map_cols(map) == 0;
    if (is_empty || scalay_owner_map_trailing_balance(map, nb, problem->speed, trailing, &balance) != SCALAY_SUCCESS)
        return 1;
    return balance > 0 ? balance : 1;
}

/* What does not change from step to step. */
typedef struct {
    scalay_factor_kind kind;
    double flop_seconds; /* of all processes together on a balanced map */
    double panel_seconds_per_flop;
    double byte_seconds, message_seconds; /* of one element; of the messages of a step */
    double owners;                        /* mean owners of a tile column */
    double nb;
} step_model;

/* Mean number of owners of a column. */
static double owners_of_columns(const scalay_owner_map *map)
{
    double sum = 0, lines = 0;
    for (int64_t c = 0; c < map->col.classes; c++) {
        int owners = 0;
        for (int64_t r = 0; r < map->row.classes; r++) {
            int is_new = 1;
            for (int64_t s = 0; s < r && is_new && s < 64; s++)
                is_new = map->owner[s * map->col.classes + c] != map->owner[r * map->col.classes + c];
            owners += is_new;
        }
        const double owning = owners < map->parts ? owners : map->parts;
        sum += owning * (double)map->col.lines[c];
        lines += (double)map->col.lines[c];
    }
    return lines > 0 ? sum / lines : 1;
}

static step_model make_model(const scalay_engine_problem *problem, const scalay_owner_map *map, int nb)
{
    const scalay_machine machine = problem->machine != NULL ? *problem->machine : scalay_machine_typical();
    const int is_complex = problem->type == SCALAY_COMPLEX_FLOAT || problem->type == SCALAY_COMPLEX_DOUBLE;
    const int is_single = problem->type == SCALAY_FLOAT || problem->type == SCALAY_COMPLEX_FLOAT;
    const double per_flop = machine.seconds_per_flop * (is_complex ? 4 : 1) * (is_single ? 0.5 : 1);
    double sum = 0, max = 0;
    for (int p = 0; p < problem->ranks; p++) {
        sum += problem->speed[p];
        if (problem->speed[p] > max) max = problem->speed[p];
    }
    const double mean = sum / problem->ranks, balance = scalay_engine_balance(problem, map, nb);
    step_model s = {.kind = problem->kind, .nb = nb, .owners = owners_of_columns(map)};
    s.flop_seconds = per_flop / (problem->ranks * balance) * (nb + gemm_overhead) / nb;
    s.panel_seconds_per_flop = per_flop * mean / max / panel_rate[problem->kind];
    if (problem->ranks > 1) {
        s.byte_seconds = (double)scalay_type_size(problem->type) * machine.seconds_per_byte;
        s.message_seconds = machine.seconds_per_message * (2 * ceil(log2(problem->ranks)) + 2 * s.owners);
    }
    return s;
}

static double update_flops(const step_model *s, double rows, double cols)
{
    if (s->kind == SCALAY_FACTOR_QR) return 4 * rows * cols * s->nb;
    return (s->kind == SCALAY_FACTOR_LU ? 2 : 1) * rows * cols * s->nb;
}

/* Seconds until the rows of a panel have arrived: gathered, factored, sent. */
static double panel_seconds(const step_model *s, double rows)
{
    const double flops = (s->kind == SCALAY_FACTOR_QR ? 3 : 1) * rows * s->nb * s->nb;
    const double transfers = s->owners > 1 ? 2 : 1;
    return flops * s->panel_seconds_per_flop + transfers * rows * s->nb * s->byte_seconds + s->message_seconds;
}

double scalay_engine_predict(const scalay_engine_problem *problem, const scalay_owner_map *map, int nb)
{
    const double m = (double)scalay_owner_map_rows(map), n = (double)scalay_owner_map_cols(map);
    const step_model s = make_model(problem, map, nb);
    double seconds = panel_seconds(&s, m);
    for (double k = 0; k < m && k < n; k += nb) {
        const double rows = m - k, cols = n - k - nb;
        if (cols <= 0) break;
        /* QR: W, LU: rows of U; they travel within a tile column */
        const double exchange = s.kind != SCALAY_FACTOR_CHOLESKY && s.owners > 1
                                    ? 2 * cols * nb * s.byte_seconds / (problem->ranks / s.owners) + s.message_seconds
                                    : 0;
        const double update = update_flops(&s, rows, cols) * s.flop_seconds + exchange;
        const double next = rows > nb ? panel_seconds(&s, rows - nb) + update * nb / (cols + nb) : 0;
        seconds += update > next ? update : next;
    }
    return seconds;
}

double scalay_engine_predict_move(const scalay_engine_problem *problem, const scalay_owner_map *map)
{
    const scalay_machine machine = problem->machine != NULL ? *problem->machine : scalay_machine_typical();
    const double elements = (double)scalay_owner_map_rows(map) * (double)scalay_owner_map_cols(map) / problem->ranks;
    const double bytes = elements * (double)scalay_type_size(problem->type);
    const double links = problem->ranks > 1 ? bytes * machine.seconds_per_byte : 0;
    return links + 2 * bytes * machine.seconds_per_byte_copied + problem->ranks * machine.seconds_per_message;
}
