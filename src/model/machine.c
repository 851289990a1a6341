#include "model/machine.h"

#include <math.h>

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
                            machine->seconds_per_byte, machine->seconds_per_byte_copied};
    for (size_t k = 0; k < sizeof rates / sizeof rates[0]; k++)
        if (!isfinite(rates[k]) || rates[k] < 0.0) return 0;
    return 1;
}

double scalay_type_flop_weight(scalay_type type)
{
    static const double weights[] = {
        [SCALAY_FLOAT] = 0.5, [SCALAY_DOUBLE] = 1.0, [SCALAY_COMPLEX_FLOAT] = 2.0, [SCALAY_COMPLEX_DOUBLE] = 4.0};
    return type >= SCALAY_FLOAT && type <= SCALAY_COMPLEX_DOUBLE ? weights[type] : 0.0;
}
