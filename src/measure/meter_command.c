/*
 * The meters "command:SHELL COMMAND", which prints joules, and "power:SHELL COMMAND", which prints watts.
 * Use them for wall-plug meters, management controllers and batch systems.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/child.h"
#include "base/memory.h"
#include "base/number.h"
#include "measure/integrator.h"
#include "measure/interrupt.h"
#include "measure/meter.h"
#include "scalay/measure.h"

/* Time limit of a command in seconds. After a timeout the limit is a tenth, until the command answers again. */
#ifndef SCALAY_METER_TIMEOUT /* a test sets a shorter one */
#define SCALAY_METER_TIMEOUT 10.0
#endif
#define TIMEOUT SCALAY_METER_TIMEOUT
#define SECOND_TIMEOUT (TIMEOUT / 10.0)
/* Seconds between two runs of a power meter's command. Wall-plug meters have one value per second. */
#define PERIOD 0.25

static const char create[] = "scalay_meter_create";
static const char read[] = "scalay_meter_read";

typedef struct {
    double last; /* joules */
    int hung;    /* consecutive timeouts */
    scalay_integrator *integrator;
    char text[]; /* the command */
} command;

/* Runs the command. After two consecutive timeouts it is not run again. */
static scalay_status run_command(command *c, const char *function, char *output, size_t size)
{
    if (c->hung > 1)
        return scalay_fail(SCALAY_ERROR_UNSUPPORTED, function,
                           "the command took more than %g s, and then more than %g s; it is not run again", TIMEOUT,
                           SECOND_TIMEOUT);
    const double timeout = c->hung > 0 ? SECOND_TIMEOUT : TIMEOUT;
    const double begin = scalay_clock();
    const scalay_status status =
        scalay_command_run(c->text, timeout, scalay_interrupt_requested, function, output, size);
    const int has_hung = status != SCALAY_SUCCESS && scalay_clock() - begin >= timeout;
    c->hung = has_hung ? c->hung + 1 : 0;
    return status;
}

/* Runs the command and reads its output: one number, optionally with blanks around. */
static scalay_status read_number(command *c, const char *function, double *value)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_locale locale = {0};
    char output[SCALAY_NUMBER_SIZE] = "", shown[64];
    SCALAY_TRY(run_command(c, function, output, sizeof output));
    SCALAY_TRY(scalay_locale_enter(&locale));
    size_t length = strlen(output);
    while (length > 0 && strchr(" \t\r\n", output[length - 1]) != NULL) output[--length] = '\0';
    char *number = output + strspn(output, " \t\r\n");
    (void)scalay_text_clean(number, shown, sizeof shown);
    if (scalay_number_double(number, value) != SCALAY_NUMBER_VALID || !isfinite(*value))
        status = scalay_fail(SCALAY_ERROR_UNSUPPORTED, function, "the command printed \"%s\"; it must print one number",
                             shown);
cleanup:
    scalay_locale_leave(&locale);
    return status;
}

static scalay_status keep_command(const char *argument, scalay_meter *meter, const char *unit)
{
    char shown[SCALAY_METER_TEXT / 2];
    if (argument == NULL || argument[strspn(argument, " \t")] == '\0')
        return scalay_fail(SCALAY_ERROR_ARGUMENT, create,
                           "spec is \"%s:\"; it must be followed by a shell command that prints %s", meter->kind->name,
                           unit);
    const size_t size = sizeof(command) + strlen(argument) + 1;
    command *c = scalay_allocate(1, size);
    if (c == NULL) return scalay_no_memory(create, "the command", 1, size);
    memcpy(c->text, argument, strlen(argument) + 1);
    meter->state = c;
    (void)snprintf(meter->about, sizeof meter->about, "%s as printed by \"%s\"", unit,
                   scalay_text_clean(argument, shown, sizeof shown));
    return SCALAY_SUCCESS;
}

static void close_command(scalay_meter *meter)
{
    command *c = meter->state;
    scalay_integrator_destroy(&c->integrator);
    scalay_release(c);
}

/* The command is run once to check it. */
static scalay_status open_command(const char *argument, scalay_meter *meter)
{
    scalay_status status = keep_command(argument, meter, "joules");
    if (status != SCALAY_SUCCESS) return status;
    command *c = meter->state;
    status = read_number(c, create, &c->last);
    if (status != SCALAY_SUCCESS) close_command(meter);
    return status;
}

static scalay_status read_command(scalay_meter *meter, double *joules)
{
    command *c = meter->state;
    const double last = c->last;
    const scalay_status status = read_number(c, read, &c->last);
    if (status == SCALAY_SUCCESS && c->last < last)
        return scalay_fail(SCALAY_ERROR_UNSUPPORTED, read,
                           "the command printed %.17g after %.17g; its joules must not decrease", c->last, last);
    *joules = c->last;
    return status;
}

static scalay_status open_nothing(void *data)
{
    (void)data;
    return SCALAY_SUCCESS;
}

static scalay_status read_watts(void *data, double *watts)
{
    return read_number(data, read, watts);
}

static void close_nothing(void *data)
{
    (void)data;
}

static scalay_status open_power(const char *argument, scalay_meter *meter)
{
    scalay_status status = keep_command(argument, meter, "watts");
    if (status != SCALAY_SUCCESS) return status;
    command *c = meter->state;
    const scalay_power_source source = {.open = open_nothing, .watts = read_watts, .close = close_nothing, .data = c};
    status = scalay_integrator_create(&source, PERIOD, meter->clocks, &c->integrator);
    if (status != SCALAY_SUCCESS) close_command(meter);
    meter->step = PERIOD;
    return status;
}

static scalay_status read_power(scalay_meter *meter, double *joules)
{
    return scalay_integrator_read(((command *)meter->state)->integrator, joules);
}

const scalay_meter_kind scalay_meter_command = {
    .name = "command", .open = open_command, .read = read_command, .close = close_command};

const scalay_meter_kind scalay_meter_power = {
    .name = "power", .open = open_power, .read = read_power, .close = close_command};
