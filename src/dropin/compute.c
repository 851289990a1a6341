/*
 * Calls of compute routines: who is answered, the lines of SCALAY_VERBOSE=2, and the summary at the end of the program.
 */
#include "dropin/compute.h"

#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dropin/last_call.h"
#include "parallel/blacs.h"
#include "scalay/context.h"

/* Multiply-adds per process below which a call goes to ScaLAPACK: at 10^10 per second, the reduction and the search for
 * a kept plan would take more than 2% of it. */
static const double small_work = 4e6;

/* Calls of this thread that have begun. */
static _Thread_local int depth;

static scalay_compute_routine *newest;
static int world_rank = -1, world_size;

/* --------------------------------------------------------------------------------------------- the libraries */

/* The address of the routine that libscalay was linked with; NULL if libscalay is not a shared library. */
static const void *routine_of_libscalay(const char *symbol)
{
    const scalay_loaded_file file = scalay_file_of((const void *)scalay_comm_size);
    if (scalay_is_program(&file) || scalay_is_in_file(&file, (const void *)scalay_compute_begin)) return NULL;
    void *handle = dlopen(file.name, RTLD_LAZY | RTLD_NOLOAD);
    if (handle == NULL) return NULL;
    const void *address = dlsym(handle, symbol);
    (void)dlclose(handle);
    return address;
}

static int is_same_library(const char *symbol)
{
    const void *other = routine_of_libscalay(symbol);
    if (other == NULL) return 1;
    const scalay_loaded_file file = scalay_file_of(other);
    return scalay_is_in_file(&file, (const void *)scalay_next_routine(symbol));
}

/* The file of a function; none if that is the program itself, whose other calls come from there. */
static scalay_loaded_file library_of(const void *function)
{
    const scalay_loaded_file none = {0}, file = scalay_file_of(function);
    return scalay_is_program(&file) ? none : file;
}

/* Files of the routines that compute, and whether the program uses the ScaLAPACK that libscalay uses. */
static scalay_loaded_file scalapack, scalay;
static int is_usable;

/* Looks at the libraries when they are loaded: the first searches of a process take .1 ms, a tenth of a small call. */
__attribute__((constructor)) static void find_libraries(void)
{
    scalapack = library_of((const void *)scalay_next_routine("pdgemm_"));
    scalay = library_of((const void *)scalay_comm_size);
    is_usable = is_same_library("pdgemm_") && is_same_library("blacs_gridinfo_");
}

/* Whether ScaLAPACK or libscalay made a call. */
static int is_inner(const void *caller)
{
    return scalay_is_in_file(&scalapack, caller) || scalay_is_in_file(&scalay, caller);
}

/* Prints once that the program uses a ScaLAPACK other than ScaLAY's. */
static void report_other_library(void)
{
    static int is_reported;
    if (!is_reported && world_rank == 0)
        (void)fprintf(stderr, "ScaLAY: the program uses a ScaLAPACK other than ScaLAY's; it computes everything\n");
    is_reported = 1;
}

/* ----------------------------------------------------------------------------------------------------- calls */

static void add_routine(scalay_compute_routine *routine)
{
    char symbol[32];
    (void)snprintf(symbol, sizeof symbol, "%s_", routine->name);
    routine->next = scalay_next_routine(symbol);
    if (routine->next == NULL) {
        scalay_call call = {.routine = routine->name, .ctxt = -1};
        (void)scalay_call_refuse(&call, 0, 0, "%s of ScaLAPACK was not found; link ScaLAPACK's shared library", symbol);
        scalay_call_abort(&call);
    }
    routine->is_answered = scalay_is_answered(routine->name);
    routine->older = newest;
    newest = routine;
    if (world_rank >= 0) return;
    MPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
    MPI_Comm_size(MPI_COMM_WORLD, &world_size);
}

static int is_small(double work, int ctxt)
{
    int nprow = -1, npcol = -1, myrow = -1, mycol = -1;
    if (scalay_call_settings()->forced) return 0;
    if (work < small_work || ctxt < 0) return 1;
    Cblacs_gridinfo(ctxt, &nprow, &npcol, &myrow, &mycol);
    return nprow < 1 || work < small_work * nprow * npcol;
}

int scalay_compute_begin(scalay_compute_routine *routine, const void *caller)
{
    if (routine->next == NULL) add_routine(routine);
    scalay_last_call_begin(routine->name);
    if (depth++ > 0) return 0;
    routine->is_counted = caller == NULL || !is_inner(caller);
    if (!routine->is_counted) return 0;
    routine->calls++;
    routine->reason = NULL;
    routine->began = MPI_Wtime();
    return 1;
}

int scalay_compute_may_answer(scalay_compute_routine *routine, double work, int ctxt)
{
    if (!routine->is_answered)
        routine->reason = "SCALAY_SCALAPACK";
    else if (is_small(work, ctxt))
        routine->reason = "small";
    else if (!is_usable) {
        routine->reason = "another ScaLAPACK";
        report_other_library();
    }
    return routine->reason == NULL;
}

/* The line of a call with SCALAY_VERBOSE=2. */
static void print_call(const scalay_compute_routine *routine, const scalay_submatrix *s,
                       const scalay_compute_decision *d, double seconds)
{
    (void)fprintf(stderr, "ScaLAY: %s %d x %d: %s (%s)", routine->name, s->m, s->n, d->answered ? "answered" : "stays",
                  d->reason);
    if (d->predicted_seconds > 0.0) (void)fprintf(stderr, ", predicted %.3g s", d->predicted_seconds);
    if (d->predicted_stay > 0.0) (void)fprintf(stderr, ", predicted in place %.3g s", d->predicted_stay);
    (void)fprintf(stderr, ", measured %.3g s", seconds);
    if (d->answered && d->nprow > 0) (void)fprintf(stderr, " on %d x %d, blocks of %d", d->nprow, d->npcol, d->nb);
    if (d->answered && d->kernel_seconds > 0.0)
        (void)fprintf(stderr, " (plan %.2g, moves %.2g, routine %.2g)", d->plan_seconds, d->move_seconds,
                      d->kernel_seconds);
    (void)fprintf(stderr, "\n");
}

void scalay_compute_end(scalay_compute_routine *routine, const scalay_submatrix *s,
                        const scalay_compute_decision *decision)
{
    scalay_last_call_end();
    if (--depth > 0 || !routine->is_counted) return;
    const double seconds = MPI_Wtime() - routine->began;
    routine->seconds += seconds;
    if (scalay_call_settings()->diagnoses) scalay_diagnosis_add(routine->name, s, seconds);
    const scalay_compute_decision left = {.reason = routine->reason != NULL ? routine->reason : "arguments or memory"};
    if (decision == NULL) decision = &left;
    routine->answered += decision->answered;
    if (decision->answered && decision->predicted_stay > decision->predicted_seconds)
        routine->saved_seconds += decision->predicted_stay - decision->predicted_seconds;
    if (scalay_call_settings()->verbosity >= 2 && world_rank == 0) print_call(routine, s, decision, seconds);
}

const scalay_compute_routine *scalay_compute_routines(void)
{
    return newest;
}

int scalay_compute_rank(void)
{
    return world_rank;
}

int scalay_compute_processes(void)
{
    return world_size;
}
