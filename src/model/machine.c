#include "model/machine.h"

#include <math.h>

#include "base/integer.h"
#include "base/status.h"

scalay_machine scalay_machine_typical(void)
{
    /* One core of a present-day server at 20 Gflop/s, memory shared by its neighbours, a 100 Gbit/s network. */
    return (scalay_machine){
        .seconds_per_flop = 5e-11,
        .seconds_per_flop_vector = 5e-10,
        .seconds_per_message = 2e-6,
        .seconds_per_byte = 4e-10,
        .seconds_per_byte_copied = 2.5e-10,
    };
}

scalay_machine scalay_machine_or_typical(const scalay_machine *machine)
{
    return machine != NULL ? *machine : scalay_machine_typical();
}

int scalay_machine_is_valid(const scalay_machine *machine)
{
    const double rates[] = {machine->seconds_per_flop, machine->seconds_per_flop_vector, machine->seconds_per_message,
                            machine->seconds_per_byte, machine->seconds_per_byte_copied, machine->solo_time_ratio,
                            machine->ring_slowdown};
    for (size_t k = 0; k < sizeof rates / sizeof rates[0]; k++)
        if (!isfinite(rates[k]) || rates[k] < 0.0) return 0;
    return machine->solo_time_ratio <= 1.0 && machine->processes >= 0 && machine->concurrent_processes >= 0;
}

/* Processes that take turns on a core find its cache full of each other's data: so many times as long, in
 * bench_advise's situations. */
#define TURNS 1.25

static double at_once(const scalay_machine *machine)
{
    if (machine->concurrent_processes > 0) return (double)machine->concurrent_processes;
    return fmax(1.0, round(machine->solo_time_ratio * (double)machine->processes));
}

static int is_shared(const scalay_machine *machine)
{
    return machine->solo_time_ratio > 0.0 && machine->processes > 0;
}

double scalay_machine_concurrent_processes(const scalay_machine *machine, int64_t active)
{
    if (!is_shared(machine)) return (double)active;
    return at_once(machine) * (double)scalay_max_int64(machine->processes, active) / (double)machine->processes;
}

/* What lockstep costs when a panel goes round `line` of the processes: nothing as long as all of them run at once, all
 * of it when they are as many as there are. */
static double lockstep(double factor, double line, double cores, double processes)
{
    if (factor <= 1.0 || line <= cores || processes <= cores) return 1.0;
    return 1.0 + (factor - 1.0) * (1.0 - cores / line) / (1.0 - cores / processes);
}

double scalay_machine_spread(const scalay_machine *machine, int64_t active, int64_t line, double most, double sum)
{
    if (!is_shared(machine)) return most;
    const double processes = (double)scalay_max_int64(machine->processes, active);
    const double cores = scalay_machine_concurrent_processes(machine, active);
    const double even = lockstep(machine->ring_slowdown, (double)line, cores, processes) *
                        fmax(most * machine->solo_time_ratio, sum / processes);
    if ((double)active <= cores) return even;
    const double turns = ceil((double)active / cores) * machine->solo_time_ratio * sum / (double)active;
    return line > 1 ? fmax(TURNS * even, turns) : fmax(even, turns);
}

double scalay_type_flop_weight(scalay_type type)
{
    static const double weights[] = {
        [SCALAY_FLOAT] = 0.5, [SCALAY_DOUBLE] = 1.0, [SCALAY_COMPLEX_FLOAT] = 2.0, [SCALAY_COMPLEX_DOUBLE] = 4.0};
    return type >= SCALAY_FLOAT && type <= SCALAY_COMPLEX_DOUBLE ? weights[type] : 0.0;
}

scalay_status scalay_machine_check(const scalay_machine *machine, scalay_type type, const char *function)
{
    if (scalay_type_flop_weight(type) == 0.0)
        return scalay_fail(SCALAY_ERROR_ARGUMENT, function,
                           "type is %d; pass SCALAY_FLOAT, _DOUBLE, _COMPLEX_FLOAT or _COMPLEX_DOUBLE", type);
    if (!scalay_machine_is_valid(machine))
        return scalay_fail(SCALAY_ERROR_ARGUMENT, function,
                           "machine has a rate that is negative or not finite, or an alone above 1; measure it with "
                           "scalay_machine_measure");
    return SCALAY_SUCCESS;
}
