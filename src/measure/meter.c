/*
 * Meters: the table of kinds, and the functions of all of them. "none" is the kind that measures nothing.
 */
#include "measure/meter.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"

static const scalay_meter_kind *const kinds[] = {&scalay_meter_none, &scalay_meter_papi, &scalay_meter_command,
                                                 &scalay_meter_power, &scalay_meter_model};

enum { KINDS = (int)(sizeof kinds / sizeof kinds[0]) };
#define MAX_SLEEP_SECONDS 86400.0

static scalay_status open_none(const char *argument, scalay_meter *meter)
{
    if (argument != NULL)
        return scalay_fail(SCALAY_ERROR_ARGUMENT, "scalay_meter_create", "spec is \"none:...\"; it must be \"none\"");
    (void)strcpy(meter->about, "time only");
    return SCALAY_SUCCESS;
}

const scalay_meter_kind scalay_meter_none = {.name = "none", .open = open_none};

int scalay_meter_measures(const scalay_meter *meter)
{
    return meter != NULL && meter->kind->read != NULL;
}

scalay_status scalay_meter_open(const scalay_meter_kind *kind, const char *argument, const scalay_clocks *clocks,
                                scalay_meter **meter)
{
    scalay_meter *new_meter = NULL;
    scalay_status status = SCALAY_NEW(new_meter, 1);
    if (status != SCALAY_SUCCESS) return status;
    new_meter->kind = kind;
    new_meter->clocks = clocks;
    status = kind->open(argument, new_meter);
    if (status == SCALAY_SUCCESS)
        *meter = new_meter;
    else
        scalay_release(new_meter);
    return status;
}

static const scalay_meter_kind *find_kind(const char *spec, size_t length)
{
    for (int k = 0; k < KINDS; k++)
        if (strlen(kinds[k]->name) == length && strncmp(kinds[k]->name, spec, length) == 0) return kinds[k];
    return NULL;
}

static scalay_status refuse_kind(const char *spec)
{
    char list[SCALAY_METER_TEXT];
    char shown[64];
    scalay_text text = {list, sizeof list, 0};
    for (int k = 0; k < KINDS; k++) scalay_text_append(&text, "%s%s", k > 0 ? ", " : "", kinds[k]->name);
    return scalay_fail(SCALAY_ERROR_ARGUMENT, "scalay_meter_create",
                       "spec is \"%s\"; it must start with one of: auto, %s",
                       scalay_text_clean(spec, shown, sizeof shown), list);
}

scalay_status scalay_meter_create(const char *spec, scalay_meter **meter)
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(scalay_check_not_null(meter, __func__, "meter"));
    *meter = NULL;
    SCALAY_TRY(scalay_check_not_null(spec, __func__, "spec"));
    if (strcmp(spec, "auto") == 0) spec = scalay_meter_papi.name;
    const size_t length = strcspn(spec, ":");
    const scalay_meter_kind *kind = find_kind(spec, length);
    if (kind == NULL) return refuse_kind(spec);
    SCALAY_TRY(scalay_meter_open(kind, spec[length] == ':' ? spec + length + 1 : NULL, &scalay_clocks_system, meter));
cleanup:
    return status;
}

const char *scalay_meter_name(const scalay_meter *meter)
{
    return meter != NULL ? meter->kind->name : scalay_meter_none.name;
}

int scalay_meter_is_modelled(const scalay_meter *meter)
{
    return meter != NULL && meter->kind->is_modelled;
}

int scalay_meter_describe(const scalay_meter *meter, char *text, size_t size)
{
    scalay_text out = {text, size, 0};
    if (meter == NULL)
        scalay_text_append(&out, "none");
    else
        scalay_text_append(&out, "%s: %s", meter->kind->name, meter->about);
    return (int)out.length;
}

scalay_status scalay_meter_read(scalay_meter *meter, double *joules)
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(scalay_check_not_null(meter, __func__, "meter"));
    SCALAY_TRY(scalay_check_not_null(joules, __func__, "joules"));
    if (!scalay_meter_measures(meter))
        return SCALAY_FAIL(SCALAY_ERROR_UNSUPPORTED, "the meter is \"%s\", which measures nothing; create another one",
                           meter->kind->name);
    SCALAY_TRY(meter->kind->read(meter, joules));
    if (!isfinite(*joules))
        status = SCALAY_FAIL(SCALAY_ERROR_UNSUPPORTED, "the meter \"%s\" returned %g J; energy must be finite",
                             meter->kind->name, *joules);
cleanup:
    return status;
}

scalay_status scalay_meter_work(scalay_meter *meter, double flops, double bytes)
{
    if (!(flops >= 0.0 && isfinite(flops) && bytes >= 0.0 && isfinite(bytes)))
        return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "flops is %g and bytes is %g; both must be finite and at least 0",
                           flops, bytes);
    if (meter != NULL && meter->kind->work != NULL) meter->kind->work(meter, flops, bytes);
    return SCALAY_SUCCESS;
}

/* Divides energy by duration, while the process sleeps. */
static scalay_status sleep_and_read(scalay_meter *meter, double seconds, double *watts)
{
    scalay_status status = SCALAY_SUCCESS;
    double before = 0.0, after = 0.0, slept = 0.0;
    SCALAY_TRY(scalay_meter_read(meter, &before));
    const scalay_moment begin = scalay_moment_begin(meter->clocks);
    scalay_sleep(seconds);
    SCALAY_TRY(scalay_meter_read(meter, &after));
    (void)scalay_moment_interval(begin, scalay_moment_end(meter->clocks), &slept);
    if (!(after >= before && slept > 0.0))
        return scalay_fail(
            SCALAY_ERROR_UNSUPPORTED, "scalay_meter_static_power",
            "the meter changed from %g to %g J in %g s; energy must not decrease. Measure again, or set the static "
            "power",
            before, after, slept);
    if (!(after > before))
        return scalay_fail(
            SCALAY_ERROR_UNSUPPORTED, "scalay_meter_static_power",
            "the meter \"%s\" stayed at %g J for %g s; energy must increase. Check the meter, or set the "
            "static power if it changes less often",
            meter->kind->name, before, slept);
    *watts = (after - before) / slept;
cleanup:
    return status;
}

scalay_status scalay_meter_check_sleep(double seconds, const char *function)
{
    if (seconds > 0.0 && seconds <= MAX_SLEEP_SECONDS) return SCALAY_SUCCESS;
    return scalay_fail(SCALAY_ERROR_ARGUMENT, function, "seconds is %g; it must be above 0 and at most %g", seconds,
                       MAX_SLEEP_SECONDS);
}

scalay_status scalay_meter_static_power(scalay_meter *meter, double seconds, double *watts)
{
    const scalay_status status = scalay_check_not_null(meter, "scalay_measure_static_power", "meter");
    if (status != SCALAY_SUCCESS) return status;
    if (meter->kind->static_power == NULL) return sleep_and_read(meter, seconds, watts);
    *watts = meter->kind->static_power(meter);
    return SCALAY_SUCCESS;
}

void scalay_meter_destroy(scalay_meter **meter)
{
    if (meter == NULL || *meter == NULL) return;
    if ((*meter)->kind->close != NULL) (*meter)->kind->close(*meter);
    scalay_release(*meter);
    *meter = NULL;
}
