/*
 * Predicted time of a redistribution: scalay_move_from_traffic(), scalay_model_move().
 *
 * The counts of a mapping come from the traffic matrix, or, between grids, from the two factors of it (rows and
 * columns), which need no table of all pairs of processes.
 */
#include "model/move.h"

#include <math.h>

#include "base/integer.h"
#include "base/memory.h"
#include "layout/layout.h"
#include "mapping/product.h"
#include "model/machine.h"

/* ----------------------------------------------------------------------------------------------------- from traffic */

static scalay_status check_processes(const int *process, int parts, int *processes)
{
    for (int part = 0; part < parts; part++) {
        if (process[part] < 0)
            return scalay_fail(SCALAY_ERROR_ARGUMENT, "scalay_move_from_traffic",
                               "process[%d] is %d; it must be at least 0", part, process[part]);
        *processes = (int)scalay_max_int64(*processes, (int64_t)process[part] + 1);
    }
    return SCALAY_SUCCESS;
}

scalay_status scalay_flow_add_row(const scalay_traffic *traffic, const int *process, const int *node, int from,
                                  scalay_flow *within, scalay_flow *between)
{
    scalay_status status = SCALAY_SUCCESS;
    int64_t count = 0;
    const int *part = NULL;
    const int64_t *items = NULL;
    SCALAY_TRY(scalay_traffic_row(traffic, from, &count, &part, &items));
    for (int64_t k = 0; k < count; k++) {
        const int to = process[part[k]];
        scalay_flow *flows = node != NULL && node[to] != node[from] ? between : within;
        if (to == from) {
            flows[from].kept += items[k];
            continue;
        }
        flows[from].out += items[k];
        flows[from].messages_out++;
        flows[to].in += items[k];
        flows[to].messages_in++;
    }
cleanup:
    return status;
}

static void sum_up(const scalay_flow *flows, int processes, scalay_move *move)
{
    move->processes = processes;
    for (int p = 0; p < processes; p++) {
        const scalay_flow *f = &flows[p];
        move->volume += f->out;
        move->items += f->out + f->kept;
        move->steps = scalay_max_int64(move->steps, scalay_max_int64(f->out, f->in));
        move->messages = scalay_max_int64(move->messages, scalay_max_int64(f->messages_out, f->messages_in));
        move->kept = scalay_max_int64(move->kept, f->kept);
    }
}

scalay_status scalay_move_from_traffic(const scalay_traffic *traffic, const int *process, scalay_move *move)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_flow *flows = NULL;
    SCALAY_TRY(scalay_check_not_null(move, __func__, "move"));
    SCALAY_TRY(scalay_check_not_null(traffic, __func__, "traffic"));
    SCALAY_TRY(scalay_check_not_null(process, __func__, "process"));
    scalay_traffic_summary summary;
    SCALAY_TRY(scalay_traffic_get_summary(traffic, &summary));
    int processes = summary.processes;
    SCALAY_TRY(check_processes(process, summary.parts, &processes));
    SCALAY_TRY(SCALAY_NEW(flows, processes));
    for (int from = 0; from < summary.processes; from++)
        SCALAY_TRY(scalay_flow_add_row(traffic, process, NULL, from, flows, NULL));
    scalay_move counted = {0};
    sum_up(flows, processes, &counted);
    *move = counted;
cleanup:
    scalay_release(flows);
    return status;
}

/* -------------------------------------------------------------------------------------------- from factors of grids */

/* Lists row class * columns + column class of each part. */
static scalay_status list_cells(const scalay_layout *grid, int64_t **cell)
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(SCALAY_NEW(*cell, grid->parts));
    for (int64_t r = 0; r < grid->row.classes; r++)
        for (int64_t c = 0; c < grid->col.classes; c++)
            (*cell)[scalay_layout_cell_part(grid, r, c)] = r * grid->col.classes + c;
cleanup:
    return status;
}

/* Number of classes of the other layout that a class has indices in common with. */
static int64_t partners(const scalay_traffic_factor_side *side, int64_t class)
{
    return side->start[class + 1] - side->start[class];
}

/* State of counting between two grids. */
typedef struct {
    const scalay_layout *source, *target;
    scalay_traffic_factor row, col;
    int64_t *from, *to; /* cells of the parts */
    int64_t *stays;     /* shape [parts of source]: elements that their process keeps */
} count;

static void update_maxima(scalay_move *move, int64_t items, int64_t messages)
{
    move->steps = scalay_max_int64(move->steps, items);
    move->messages = scalay_max_int64(move->messages, messages);
}

static void count_received(count *c, int part, int process, scalay_move *move)
{
    const int64_t cols_a = c->source->col.classes, cols_b = c->target->col.classes;
    const int64_t row = c->to[part] / cols_b, col = c->to[part] % cols_b;
    const int64_t items = scalay_axis_count(&c->target->row, row) * scalay_axis_count(&c->target->col, col);
    const int held =
        process < scalay_layout_processes(c->source) ? scalay_layout_part_of_process(c->source, process) : -1;
    int64_t kept = 0;
    if (held >= 0)
        kept = scalay_traffic_factor_weight(&c->row, (int)(c->from[held] / cols_a), (int)row) *
               scalay_traffic_factor_weight(&c->col, (int)(c->from[held] % cols_a), (int)col);
    if (held >= 0) c->stays[held] = kept;
    move->volume += items - kept;
    move->items += items;
    move->kept = scalay_max_int64(move->kept, kept);
    move->processes = (int)scalay_max_int64(move->processes, (int64_t)process + 1);
    update_maxima(move, items - kept, partners(&c->row.target, row) * partners(&c->col.target, col) - (kept > 0));
}

static void count_sent(const count *c, int part, scalay_move *move)
{
    const int64_t cols = c->source->col.classes, row = c->from[part] / cols, col = c->from[part] % cols;
    const int64_t items = scalay_axis_count(&c->source->row, row) * scalay_axis_count(&c->source->col, col);
    update_maxima(move, items - c->stays[part],
                  partners(&c->row.source, row) * partners(&c->col.source, col) - (c->stays[part] > 0));
}

scalay_status scalay_move_count_grids(const scalay_layout *source, const scalay_layout *target, const int *process,
                                      scalay_move *move)
{
    scalay_status status = SCALAY_SUCCESS;
    count c = {.source = source, .target = target};
    *move = (scalay_move){.processes = scalay_layout_processes(source)};
    SCALAY_TRY(scalay_traffic_factor_create(&source->row, &target->row, &c.row));
    SCALAY_TRY(scalay_traffic_factor_create(&source->col, &target->col, &c.col));
    SCALAY_TRY(list_cells(source, &c.from));
    SCALAY_TRY(list_cells(target, &c.to));
    SCALAY_TRY(SCALAY_NEW(c.stays, source->parts));
    for (int part = 0; part < target->parts; part++) count_received(&c, part, process[part], move);
    for (int part = 0; part < source->parts; part++) count_sent(&c, part, move);
cleanup:
    scalay_release(c.stays);
    scalay_release(c.to);
    scalay_release(c.from);
    scalay_traffic_factor_free(&c.col);
    scalay_traffic_factor_free(&c.row);
    return status;
}

/* ---------------------------------------------------------------------------------------------------------- seconds */

/* The busiest process has the same fraction of all segments as of all elements. */
static double segments_of_busiest(const scalay_machine *rates, const scalay_move *move)
{
    const double items = (double)scalay_max_int64(move->items, move->volume), all = (double)move->segments;
    if (items == 0.0) return 0.0;
    return scalay_machine_spread(rates, move->processes, 1, all * (double)(move->steps + move->kept) / items, all);
}

/* A plan copies regular segments in one loop: a step to another segment takes as long as the segment, at most as long
 * as a cache line. */

static double step_bytes(const scalay_move *move, double size)
{
    const double items = (double)scalay_max_int64(move->items, move->volume);
    return move->segments > 0 ? fmin(SCALAY_LINE_BYTES, items * size / (double)move->segments) : 0.0;
}

double scalay_model_move(const scalay_machine *machine, scalay_type type, const scalay_move *move)
{
    const scalay_machine rates = scalay_machine_or_typical(machine);
    const double size = (double)scalay_type_size(type);
    if (move == NULL || size == 0.0 || !scalay_machine_is_valid(&rates) || move->processes < 1 || move->volume < 0 ||
        move->steps < 0 || move->messages < 0 || move->kept < 0 || move->segments < 0)
        return -1.0;
    double busiest = (double)move->steps;
    double shared = 2.0 * (double)move->volume / move->processes;
    double carried = busiest > shared ? busiest : shared;
    double items = (double)scalay_max_int64(move->items, move->volume);
    double copied = scalay_machine_spread(&rates, move->processes, 1, 2.0 * busiest + (double)move->kept,
                                          items + (double)move->volume);
    double bytes = copied * size + step_bytes(move, size) * segments_of_busiest(&rates, move);
    const double plan = items > 0.0 ? scalay_machine_call_seconds(&rates) : 0.0;
    return plan + (double)move->messages * rates.seconds_per_message + carried * size * rates.seconds_per_byte +
           bytes * scalay_machine_copy_rate(&rates, items * size / move->processes);
}
