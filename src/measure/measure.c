#include "scalay/measure.h"

#include <math.h>
#include <string.h>

#include "base/fingerprint.h"
#include "measure/clock.h"
#include "measure/meter.h"
#include "measure/repeat.h"
#include "measure/wait.h"

scalay_repeat_options scalay_repeat_options_default(void)
{
    return (scalay_repeat_options){.warm_up = 1,
                                   .min_repetitions = 5,
                                   .max_repetitions = 1000,
                                   .max_seconds = 60.0,
                                   .confidence = 0.95,
                                   .precision = 0.025};
}

static scalay_status check_counts(const scalay_repeat_options *o, const char *function)
{
    if (o->warm_up < 0)
        return scalay_fail(SCALAY_ERROR_ARGUMENT, function, "warm_up is %lld; it is at least 0", (long long)o->warm_up);
    if (o->min_repetitions < 1 || o->max_repetitions < o->min_repetitions)
        return scalay_fail(SCALAY_ERROR_ARGUMENT, function,
                           "min_repetitions is %lld and max_repetitions %lld; 1 <= min_repetitions <= max_repetitions",
                           (long long)o->min_repetitions, (long long)o->max_repetitions);
    return SCALAY_SUCCESS;
}

static scalay_status check_numbers(const scalay_repeat_options *o, const char *function)
{
    if (!(o->max_seconds > 0.0))
        return scalay_fail(SCALAY_ERROR_ARGUMENT, function, "max_seconds is %g; it is above 0", o->max_seconds);
    if (!(o->confidence > 0.0 && o->confidence < 1.0))
        return scalay_fail(SCALAY_ERROR_ARGUMENT, function, "confidence is %g; it lies between 0 and 1, as in 0.95",
                           o->confidence);
    if (!(o->precision > 0.0))
        return scalay_fail(SCALAY_ERROR_ARGUMENT, function, "precision is %g; it is above 0, as in 0.025",
                           o->precision);
    if (!(o->min_interval >= 0.0 && isfinite(o->min_interval)))
        return scalay_fail(SCALAY_ERROR_ARGUMENT, function, "min_interval is %g; it is finite and at least 0",
                           o->min_interval);
    if (!isfinite(o->static_power))
        return scalay_fail(SCALAY_ERROR_ARGUMENT, function, "static_power is %g; it is finite", o->static_power);
    return SCALAY_SUCCESS;
}

/* static_power belongs to a rank's meter: it may differ. */
static uint64_t fingerprint_of(const scalay_repeat_options *o)
{
    const double number[] = {o->max_seconds, o->confidence, o->precision, o->min_interval};
    uint64_t fingerprint = scalay_fingerprint_start();
    fingerprint = scalay_fingerprint_add(fingerprint, o->warm_up);
    fingerprint = scalay_fingerprint_add(fingerprint, o->min_repetitions);
    fingerprint = scalay_fingerprint_add(fingerprint, o->max_repetitions);
    for (size_t k = 0; k < sizeof number / sizeof number[0]; k++) {
        int64_t bits = 0;
        memcpy(&bits, &number[k], sizeof bits);
        fingerprint = scalay_fingerprint_add(fingerprint, bits);
    }
    return scalay_fingerprint_add(fingerprint, o->independent != 0);
}

scalay_status scalay_repeat_check(scalay_comm *comm, const scalay_repeat_options *options, const char *function)
{
    scalay_status status = check_counts(options, function);
    if (status == SCALAY_SUCCESS) status = check_numbers(options, function);
    SCALAY_TRY(scalay_comm_agree(comm, status));
    SCALAY_TRY(scalay_comm_agree_value(comm, fingerprint_of(options), function, "the options"));
cleanup:
    return status;
}

scalay_status scalay_measure(scalay_comm *comm, scalay_work work, void *data, scalay_meter *meter,
                             const scalay_repeat_options *options, scalay_sample **sample)
{
    scalay_status status = SCALAY_SUCCESS;
    const scalay_repeat_options defaults = scalay_repeat_options_default();
    const scalay_repeat_task task = {.comm = comm,
                                     .work = work,
                                     .data = data,
                                     .meter = meter,
                                     .options = options != NULL ? options : &defaults,
                                     .clocks = &scalay_clocks_system};
    if (sample != NULL) *sample = NULL;
    if (comm == NULL) return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "comm is NULL; make one with scalay_comm_create");
    if (sample == NULL) status = SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "sample is NULL");
    SCALAY_TRY(scalay_comm_agree(comm, status));
    SCALAY_TRY(scalay_repeat_check(comm, task.options, __func__));
    SCALAY_TRY(scalay_repeat_run(&task, sample));
cleanup:
    return status;
}

/* Asleep until all are through: otherwise one rank would agree, in haste, beside a meter that still counts. */
static scalay_status sleep_together(scalay_comm *comm, scalay_meter *meter, double seconds, double *watts)
{
    scalay_status status = SCALAY_SUCCESS, read = SCALAY_SUCCESS;
    double unused[2] = {0.0};
    SCALAY_TRY(scalay_wait_max(comm, &unused[0], &unused[1], 1));
    if (meter != NULL)
        read = scalay_meter_static_power(meter, seconds, watts);
    else
        scalay_sleep(seconds);
    SCALAY_TRY(scalay_wait_max(comm, &unused[0], &unused[1], 1));
    SCALAY_TRY(scalay_comm_agree(comm, read));
cleanup:
    return status;
}

scalay_status scalay_measure_static_power(scalay_comm *comm, scalay_meter *meter, double seconds, double *watts)
{
    scalay_status status = SCALAY_SUCCESS;
    double found = 0.0;
    if (comm == NULL) return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "comm is NULL; make one with scalay_comm_create");
    status = watts != NULL ? scalay_meter_check_sleep(seconds, __func__)
                           : SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "watts is NULL");
    SCALAY_TRY(scalay_comm_agree(comm, status));
    SCALAY_TRY(sleep_together(comm, meter, seconds, &found));
    *watts = found;
cleanup:
    return status;
}
