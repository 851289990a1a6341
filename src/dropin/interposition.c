#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dropin/answer.h"
#include "dropin/call.h"
#include "dropin/plan_cache.h"
#include "scalay/context.h"
#include "scalay/scalapack.h"

/* The program's order of libraries is asked: RTLD_DEFAULT would begin with this one, because of -Bsymbolic. */
int scalay_scalapack_active(void)
{
    void *program = dlopen(NULL, RTLD_LAZY);
    if (program == NULL) return 0;
    const int is_first = dlsym(program, "pdgemr2d_") == (void *)pdgemr2d_;
    (void)dlclose(program);
    return is_first;
}

int scalay_scalapack_active_(void)
{
    return scalay_scalapack_active();
}

static int is_verbose(void)
{
    const char *text = getenv("SCALAY_VERBOSE");
    return text != NULL && *text != '\0' && strcmp(text, "0") != 0;
}

void scalay_announce(const scalay_call *call, const scalay_comm *comm, const scalay_plan *plan)
{
    static int announced;
    if (announced++ || scalay_comm_rank(comm) != 0 || !is_verbose()) return;
    char about[400];
    Dl_info file = {0};
    (void)dladdr((void *)scalay_announce, &file);
    (void)scalay_plan_describe(plan, about, sizeof about);
    (void)fprintf(stderr, "ScaLAY " SCALAY_VERSION ": %s is answered by %s; %s\n", call->routine,
                  file.dli_fname != NULL ? file.dli_fname : "scalay_scalapack", about);
}

/* BLACS frees what contexts are left by their numbers, which may differ between the processes of a context; what is
   kept for them is shared, and goes by agreement. So it goes before. */

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
    scalay_plan_caches_release();
    ((void (*)(const int *))blacs_routine("blacs_exit_"))(go_on);
}

void Cblacs_exit(int go_on)
{
    scalay_plan_caches_release();
    ((void (*)(int))blacs_routine("Cblacs_exit"))(go_on);
}
