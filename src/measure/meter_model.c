/*
 * The meter "model:base=W,flop=J,byte=J": energy by a declared model, not measured.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/number.h"
#include "measure/meter.h"

enum { BASE, FLOP, BYTE, KEYS };
static const char *const keys[KEYS] = {"base", "flop", "byte"};
static const char function[] = "scalay_meter_create";

typedef struct {
    double rate[KEYS]; /* watts, joules per operation, joules per byte */
    double start;      /* time of opening, in seconds */
    double flops;
    double bytes;
} declared;

/* Reads one "key=number" of `length` bytes. `given` marks the keys that were read. */
static scalay_status read_pair(const char *pair, size_t length, declared *model, int *given)
{
    const size_t name = strcspn(pair, "=,");
    char number[SCALAY_NUMBER_SIZE] = "";
    int key = 0;
    while (key < KEYS && (strlen(keys[key]) != name || strncmp(keys[key], pair, name) != 0)) key++;
    if (key == KEYS || name >= length || given[key])
        return scalay_fail(
            SCALAY_ERROR_ARGUMENT, function,
            "the text after \"model:\" has \"%.*s\"; it must be base=W, flop=J and byte=J, each at most once, "
            "separated by commas",
            (int)(length < 60 ? length : 60), pair);
    if (length - name - 1 < sizeof number) memcpy(number, pair + name + 1, length - name - 1);
    if (scalay_number_double(number, &model->rate[key]) != SCALAY_NUMBER_VALID || !isfinite(model->rate[key]) ||
        model->rate[key] < 0.0)
        return scalay_fail(SCALAY_ERROR_ARGUMENT, function, "%s is invalid; it must be a finite number, at least 0",
                           keys[key]);
    given[key] = 1;
    return SCALAY_SUCCESS;
}

static scalay_status read_pairs(const char *argument, declared *model)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_locale locale = {0};
    int given[KEYS] = {0};
    SCALAY_TRY(scalay_locale_enter(&locale));
    for (const char *at = argument;; at++) {
        const size_t length = strcspn(at, ",");
        SCALAY_TRY(read_pair(at, length, model, given));
        at += length;
        if (*at == '\0') break;
    }
cleanup:
    scalay_locale_leave(&locale);
    return status;
}

static scalay_status open_model(const char *argument, scalay_meter *meter)
{
    declared *model = NULL;
    scalay_status status = SCALAY_NEW(model, 1);
    if (status == SCALAY_SUCCESS) status = read_pairs(argument != NULL ? argument : "", model);
    if (status != SCALAY_SUCCESS) {
        scalay_release(model);
        return status;
    }
    model->start = meter->clocks->now(meter->clocks->data);
    meter->state = model;
    (void)snprintf(meter->about, sizeof meter->about, "not measured: %g W, %g J per operation, %g J per byte",
                   model->rate[BASE], model->rate[FLOP], model->rate[BYTE]);
    return SCALAY_SUCCESS;
}

static scalay_status read_model(scalay_meter *meter, double *joules)
{
    const declared *model = meter->state;
    *joules = model->rate[BASE] * (meter->clocks->now(meter->clocks->data) - model->start) +
              model->rate[FLOP] * model->flops + model->rate[BYTE] * model->bytes;
    return SCALAY_SUCCESS;
}

static void add_work(scalay_meter *meter, double flops, double bytes)
{
    declared *model = meter->state;
    model->flops += flops;
    model->bytes += bytes;
}

static double base_power(const scalay_meter *meter)
{
    return ((const declared *)meter->state)->rate[BASE];
}

static void close_model(scalay_meter *meter)
{
    scalay_release(meter->state);
}

const scalay_meter_kind scalay_meter_model = {.name = "model",
                                              .is_modelled = 1,
                                              .open = open_model,
                                              .read = read_model,
                                              .work = add_work,
                                              .static_power = base_power,
                                              .close = close_model};
