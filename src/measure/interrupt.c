/* For sigaction. */
#define _POSIX_C_SOURCE 200809L

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

/* Signals belong to the process, and so do these: written by handlers, and by the scope that there may be one of. */
static volatile sig_atomic_t asked;
static scalay_interrupt_scope *scope_at_hand;

int scalay_interrupt_asked(void)
{
    return asked != 0;
}

void scalay_interrupt_obey(void)
{
    asked = 0;
}

void scalay_measure_interrupt(void)
{
    asked = 1;
}

/* Who asks twice does not want to wait for the kernel: the signal goes where it went before. */
static void handle(int signal_number)
{
    if (asked) {
        for (int k = 0; k < SIGNALS; k++)
            if (signals[k] == signal_number) (void)sigaction(signal_number, &scope_at_hand->before[k], NULL);
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
    scalay_interrupt_scope *made = NULL;
    struct sigaction ours;
    if (scope == NULL) return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "scope is NULL");
    *scope = NULL;
    if (scope_at_hand != NULL)
        return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "there is a scope already; end it with scalay_interrupt_end");
    scalay_status status = SCALAY_NEW(made, 1);
    if (status != SCALAY_SUCCESS) return status;

    memset(&ours, 0, sizeof ours);
    ours.sa_handler = handle;
    ours.sa_flags = SA_RESTART;
    (void)sigemptyset(&ours.sa_mask);
    asked = 0;
    scope_at_hand = made;
    for (int k = 0; k < SIGNALS && status == SCALAY_SUCCESS; k++) {
        if (sigaction(signals[k], &ours, &made->before[k]) == 0) continue;
        status = SCALAY_FAIL(SCALAY_ERROR_UNSUPPORTED, "signal %d cannot be handled: %s", signals[k], strerror(errno));
        restore(made, k);
    }
    if (status == SCALAY_SUCCESS) {
        *scope = made;
    } else {
        scope_at_hand = NULL;
        scalay_release(made);
    }
    return status;
}

void scalay_interrupt_end(scalay_interrupt_scope **scope)
{
    if (scope == NULL || *scope == NULL) return;
    restore(*scope, SIGNALS);
    asked = 0;
    scope_at_hand = NULL;
    scalay_release(*scope);
    *scope = NULL;
}
