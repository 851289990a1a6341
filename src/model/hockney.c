/*
 * Hockney's model of a message, and the predictions of the PARALEPH paper by it: SUMMA (equations 2a to 2c) and
 * PARALEPH (3a to 3c). They are kept as published. product.c and multiply.c have this library's own model of products.
 */
#include "base/hockney.h"

#include "base/status.h"
#include "model/machine.h"

/* A cell of PARALEPH's table is a double. */
#define CELL_BYTES 8.0

double scalay_model_message(const scalay_machine *machine, int64_t bytes)
{
    const scalay_machine rates = scalay_machine_or_typical(machine);
    if (!scalay_machine_is_valid(&rates) || bytes < 0) return -1.0;
    return rates.seconds_per_message + (double)bytes * rates.seconds_per_byte;
}

int64_t scalay_model_startup(const scalay_machine *machine, scalay_type type)
{
    const scalay_machine rates = scalay_machine_or_typical(machine);
    const double size = (double)scalay_type_size(type);
    if (!scalay_machine_is_valid(&rates) || size == 0.0) return -1;
    if (rates.seconds_per_message == 0.0) return 0;
    const double items = rates.seconds_per_message / (size * rates.seconds_per_byte);
    return items < 0x1p63 ? (int64_t)llround(items) : INT64_MAX;
}

static scalay_hockney_time sum_up(double compute, double message)
{
    return (scalay_hockney_time){.compute_seconds = compute, .message_seconds = message, .seconds = compute + message};
}

scalay_status scalay_model_summa(const scalay_machine *machine, scalay_type type, int64_t n, int64_t processors,
                                 int64_t block, double balance, scalay_hockney_time *time)
{
    scalay_status status = SCALAY_SUCCESS;
    const scalay_machine rates = scalay_machine_or_typical(machine);
    SCALAY_TRY(scalay_check_not_null(time, __func__, "time"));
    if (n < 0 || processors < 1 || block < 1)
        return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT,
                           "n, processors, block are %lld, %lld, %lld; they must be at least 0, 1 and 1", (long long)n,
                           (long long)processors, (long long)block);
    if (!isfinite(balance) || balance < 0.0)
        return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "balance is %g; it must be finite and at least 0", balance);
    SCALAY_TRY(scalay_machine_check(&rates, type, __func__));
    const double extent = (double)n, q = (double)processors;
    const double flops = 2.0 * extent * extent * extent / q;
    const double compute = flops * balance * scalay_type_flop_weight(type) * rates.seconds_per_flop;
    const double latency = scalay_summa_panel_messages(q) * rates.seconds_per_message * extent / (double)block;
    const double bytes = scalay_summa_elements(q) * extent * extent * (double)scalay_type_size(type);
    *time = sum_up(compute, latency + bytes * rates.seconds_per_byte);
cleanup:
    return status;
}

scalay_status scalay_model_paraleph(const scalay_machine *machine, int64_t points, int64_t n, int64_t processors,
                                    scalay_hockney_time *time)
{
    scalay_status status = SCALAY_SUCCESS;
    const scalay_machine rates = scalay_machine_or_typical(machine);
    SCALAY_TRY(scalay_check_not_null(time, __func__, "time"));
    if (points < 0 || n < 0 || processors < 1)
        return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT,
                           "points, n, processors are %lld, %lld, %lld; they must be at least 0, 0 and 1",
                           (long long)points, (long long)n, (long long)processors);
    SCALAY_TRY(scalay_machine_check(&rates, SCALAY_DOUBLE, __func__));
    const double units = (double)n, p = (double)processors;
    const double cell = rates.seconds_per_message + CELL_BYTES * rates.seconds_per_byte;
    *time = sum_up((double)points * (units + p) * rates.seconds_per_flop, cell * units * p);
cleanup:
    return status;
}
