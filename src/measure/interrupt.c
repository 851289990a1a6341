/*
 * Interrupts of measurements: SIGINT and SIGTERM end a measurement between two repetitions, with the values so far.
 */
#define _POSIX_C_SOURCE 200809L /* sigaction */

#include "measure/interrupt.h"

#include <errno.h>
#include <signal.h>
#include <string.h>

#include "base/memory.h"
#include "scalay/measure.h"

enum { SIGNALS = 2 };
static const int signals[SIGNALS] = {SIGINT, SIGTERM};

struct scalay_interrupt_scope {
    struct sigaction before[SIGNALS];
};

/* Signals belong to the process, so these are global. Handlers write `requested`. There is at most one scope. */
static volatile sig_atomic_t requested;
static scalay_interrupt_scope *current_scope;

int scalay_interrupt_requested(void)
{
    return requested != 0;
}

void scalay_interrupt_clear(void)
{
    requested = 0;
}

void scalay_measure_interrupt(void)
{
    requested = 1;
}

/* The second signal is delivered to the previous handler, because the user does not want to wait for the work. */
static void handle(int signal_number)
{
    if (requested) {
        for (int k = 0; k < SIGNALS; k++)
            if (signals[k] == signal_number) (void)sigaction(signal_number, &current_scope->before[k], NULL);
        (void)raise(signal_number);
    }
    scalay_measure_interrupt();
}

static void restore(const scalay_interrupt_scope *scope, int count)
{
    for (int k = 0; k < count; k++) (void)sigaction(signals[k], &scope->before[k], NULL);
}

scalay_status scalay_interrupt_begin(scalay_interrupt_scope **scope)
{
    scalay_interrupt_scope *new_scope = NULL;
    struct sigaction action;
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(scalay_check_not_null(scope, __func__, "scope"));
    *scope = NULL;
    if (current_scope != NULL)
        return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "another scope is active; end it with scalay_interrupt_end");
    SCALAY_TRY(SCALAY_NEW(new_scope, 1));

    memset(&action, 0, sizeof action);
    action.sa_handler = handle;
    action.sa_flags = SA_RESTART;
    (void)sigemptyset(&action.sa_mask);
    requested = 0;
    current_scope = new_scope;
    for (int k = 0; k < SIGNALS && status == SCALAY_SUCCESS; k++) {
        if (sigaction(signals[k], &action, &new_scope->before[k]) == 0) continue;
        status = SCALAY_FAIL(SCALAY_ERROR_UNSUPPORTED, "signal %d cannot be handled: %s", signals[k], strerror(errno));
        restore(new_scope, k);
    }
    if (status == SCALAY_SUCCESS) {
        *scope = new_scope;
    } else {
        current_scope = NULL;
        scalay_release(new_scope);
    }
cleanup:
    return status;
}

void scalay_interrupt_end(scalay_interrupt_scope **scope)
{
    if (scope == NULL || *scope == NULL) return;
    restore(*scope, SIGNALS);
    requested = 0;
    current_scope = NULL;
    scalay_release(*scope);
    *scope = NULL;
}
