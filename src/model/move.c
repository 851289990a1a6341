#include "base/integer.h"
#include "base/memory.h"
#include "model/machine.h"

/* What one process sends, receives and keeps. */
typedef struct {
    int64_t sent, received, kept;
    int64_t messages_out, messages_in;
} tally;

static scalay_status check_processes(const int *process, int parts, int *processes)
{
    for (int part = 0; part < parts; part++) {
        if (process[part] < 0)
            return scalay_fail(SCALAY_ERROR_ARGUMENT, "scalay_move_from_traffic",
                               "process[%d] is %d; a process is 0 or more", part, process[part]);
        *processes = (int)scalay_max_int64(*processes, (int64_t)process[part] + 1);
    }
    return SCALAY_SUCCESS;
}

static scalay_status count_row(const scalay_traffic *traffic, const int *process, int from, tally *tallies)
{
    scalay_status status = SCALAY_SUCCESS;
    int64_t count = 0;
    const int *part = NULL;
    const int64_t *items = NULL;
    SCALAY_TRY(scalay_traffic_row(traffic, from, &count, &part, &items));
    for (int64_t k = 0; k < count; k++) {
        int to = process[part[k]];
        if (to == from) {
            tallies[from].kept += items[k];
            continue;
        }
        tallies[from].sent += items[k];
        tallies[from].messages_out++;
        tallies[to].received += items[k];
        tallies[to].messages_in++;
    }
cleanup:
    return status;
}

static void sum_up(const tally *tallies, int processes, scalay_move *move)
{
    move->processes = processes;
    for (int p = 0; p < processes; p++) {
        const tally *t = &tallies[p];
        move->volume += t->sent;
        move->items += t->sent + t->kept;
        move->steps = scalay_max_int64(move->steps, scalay_max_int64(t->sent, t->received));
        move->messages = scalay_max_int64(move->messages, scalay_max_int64(t->messages_out, t->messages_in));
        move->kept = scalay_max_int64(move->kept, t->kept);
    }
}

scalay_status scalay_move_from_traffic(const scalay_traffic *traffic, const int *process, scalay_move *move)
{
    scalay_status status = SCALAY_SUCCESS;
    tally *tallies = NULL;
    if (move == NULL) return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "move is NULL; pass the address of a scalay_move");
    if (traffic == NULL || process == NULL)
        return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "%s is NULL; pass what is to be moved and who takes which part",
                           traffic == NULL ? "traffic" : "process");
    int processes = scalay_traffic_processes(traffic);
    SCALAY_TRY(check_processes(process, scalay_traffic_parts(traffic), &processes));
    SCALAY_TRY(SCALAY_NEW(tallies, processes));
    for (int from = 0; from < scalay_traffic_processes(traffic); from++)
        SCALAY_TRY(count_row(traffic, process, from, tallies));
    scalay_move counted = {0};
    sum_up(tallies, processes, &counted);
    *move = counted;
cleanup:
    scalay_release(tallies);
    return status;
}

/* The segments of the busiest process: as many of all as it has of the items. */
static double segments_of_busiest(const scalay_machine *rates, const scalay_move *move)
{
    const double items = (double)scalay_max_int64(move->items, move->volume), all = (double)move->segments;
    if (items == 0.0) return 0.0;
    return scalay_machine_spread(rates, move->processes, 1, all * (double)(move->steps + move->kept) / items, all);
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
    double bytes = copied * size + SCALAY_SEGMENT_BYTES * segments_of_busiest(&rates, move);
    return (double)move->messages * rates.seconds_per_message + carried * size * rates.seconds_per_byte +
           bytes * rates.seconds_per_byte_copied;
}
