#include "measure/meter.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "measure/wait.h"

static const scalay_meter_kind *const kinds[] = {&scalay_meter_none, &scalay_meter_papi, &scalay_meter_command,
                                                 &scalay_meter_power, &scalay_meter_model};

enum { KINDS = (int)(sizeof kinds / sizeof kinds[0]) };
#define LONGEST_SLEEP 86400.0

static scalay_status open_none(const char *argument, scalay_meter *meter)
{
    if (argument != NULL)
        return scalay_fail(SCALAY_ERROR_ARGUMENT, "scalay_meter_create", "\"none\" takes nothing after it");
    (void)strcpy(meter->about, "nothing is read: time only");
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
    scalay_meter *made = NULL;
    scalay_status status = SCALAY_NEW(made, 1);
    if (status != SCALAY_SUCCESS) return status;
    made->kind = kind;
    made->clocks = clocks;
    status = kind->open(argument, made);
    if (status == SCALAY_SUCCESS)
        *meter = made;
    else
        scalay_release(made);
    return status;
}

static const scalay_meter_kind *find_kind(const char *spec, size_t length)
{
    for (int k = 0; k < KINDS; k++)
        if (strlen(kinds[k]->name) == length && strncmp(kinds[k]->name, spec, length) == 0) return kinds[k];
    return NULL;
}

static scalay_status no_such_meter(const char *spec)
{
    char list[SCALAY_METER_TEXT];
    char shown[64];
    scalay_text text = {list, sizeof list, 0};
    for (int k = 0; k < KINDS; k++) scalay_text_append(&text, "%s%s", k > 0 ? ", " : "", kinds[k]->name);
    return scalay_fail(SCALAY_ERROR_ARGUMENT, "scalay_meter_create", "there is no meter \"%s\"; there are auto, %s",
                       scalay_text_clean(spec, shown, sizeof shown), list);
}

scalay_status scalay_meter_create(const char *spec, scalay_meter **meter)
{
    if (meter == NULL) return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "meter is NULL");
    *meter = NULL;
    if (spec == NULL) return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "spec is NULL; pass a text such as \"none\"");
    /* What measures, and needs not be told where. */
    if (strcmp(spec, "auto") == 0) spec = scalay_meter_papi.name;
    const size_t length = strcspn(spec, ":");
    const scalay_meter_kind *kind = find_kind(spec, length);
    if (kind == NULL) return no_such_meter(spec);
    return scalay_meter_open(kind, spec[length] == ':' ? spec + length + 1 : NULL, &scalay_clocks_system, meter);
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
    if (meter == NULL || joules == NULL)
        return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "%s is NULL", meter == NULL ? "meter" : "joules");
    if (!scalay_meter_measures(meter))
        return SCALAY_FAIL(SCALAY_ERROR_UNSUPPORTED, "the meter \"%s\" measures nothing; make another",
                           meter->kind->name);
    const scalay_status status = meter->kind->read(meter, joules);
    if (status == SCALAY_SUCCESS && !isfinite(*joules))
        return SCALAY_FAIL(SCALAY_ERROR_UNSUPPORTED, "the meter \"%s\" says %g J, which is no energy",
                           meter->kind->name, *joules);
    return status;
}

scalay_status scalay_meter_work(scalay_meter *meter, double flops, double bytes)
{
    if (!(flops >= 0.0 && isfinite(flops) && bytes >= 0.0 && isfinite(bytes)))
        return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "flops is %g and bytes is %g; both are finite and at least 0", flops,
                           bytes);
    if (meter != NULL && meter->kind->work != NULL) meter->kind->work(meter, flops, bytes);
    return SCALAY_SUCCESS;
}

/* Joules over seconds while the process sleeps. */
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
        return scalay_fail(SCALAY_ERROR_UNSUPPORTED, "scalay_meter_static_power",
                           "the meter went from %g to %g J in %g s; measure again, or give the power yourself", before,
                           after, slept);
    *watts = (after - before) / slept;
cleanup:
    return status;
}

scalay_status scalay_meter_check_sleep(double seconds, const char *function)
{
    if (seconds > 0.0 && seconds <= LONGEST_SLEEP) return SCALAY_SUCCESS;
    return scalay_fail(SCALAY_ERROR_ARGUMENT, function, "seconds is %g; it is above 0 and at most %g", seconds,
                       LONGEST_SLEEP);
}

scalay_status scalay_meter_static_power(scalay_meter *meter, double seconds, double *watts)
{
    if (meter == NULL || watts == NULL)
        return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "%s is NULL", meter == NULL ? "meter" : "watts");
    const scalay_status status = scalay_meter_check_sleep(seconds, __func__);
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
