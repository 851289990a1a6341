/* BLACS frees what contexts are left by their numbers, which may differ between the processes of a context; what is
   kept for them is shared, and goes by agreement. So it goes before. */

#include "dropin/call.h"
#include "dropin/failure.h"
#include "dropin/next.h"
#include "dropin/union.h"
#include "scalay/scalapack.h"

/* The routine that ends BLACS. */
static scalay_routine *blacs_routine(const char *symbol)
{
    scalay_routine *next = scalay_next_routine(symbol);
    scalay_call call = {.routine = "blacs_exit", .ctxt = -1};
    if (next == NULL) {
        (void)scalay_call_refuse(&call, 0, 0, "%s of BLACS was not found; link ScaLAPACK's shared library", symbol);
        scalay_call_abort(&call);
    }
    return next;
}

void blacs_exit_(const int *go_on)
{
    scalay_unions_release();
    ((void (*)(const int *))blacs_routine("blacs_exit_"))(go_on);
}

void Cblacs_exit(int go_on)
{
    scalay_unions_release();
    ((void (*)(int))blacs_routine("Cblacs_exit"))(go_on);
}
