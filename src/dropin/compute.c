/*
 * Calls of compute routines: who is answered, the lines of SCALAY_VERBOSE=2, and the summary at the end of the program.
 */
#include "dropin/compute.h"

#include <dlfcn.h>
#include <link.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>

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
    Dl_info info;
    const void *const own = (const void *)scalay_comm_size;
    if (scalay_file_of(own) == scalay_file_of((const void *)scalay_compute_begin) || dladdr(own, &info) == 0)
        return NULL;
    void *handle = dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
    if (handle == NULL) return NULL;
    const void *address = dlsym(handle, symbol);
    (void)dlclose(handle);
    return address;
}

static int is_same_library(const char *symbol)
{
    const void *other = routine_of_libscalay(symbol);
    return other == NULL || scalay_file_of((const void *)scalay_next_routine(symbol)) == scalay_file_of(other);
}

/* Whether the program uses the ScaLAPACK that libscalay uses. Prints a line otherwise. */
static int is_usable(void)
{
    static int known, usable;
    if (known) return usable;
    known = 1;
    usable = is_same_library("pdgemm_") && is_same_library("blacs_gridinfo_");
    if (!usable && world_rank == 0)
        (void)fprintf(stderr, "ScaLAY: the program uses a ScaLAPACK other than ScaLAY's; it computes everything\n");
    return usable;
}

/* Addresses of a file in memory. */
typedef struct {
    const void *inside; /* an address of the file; NULL: none */
    uintptr_t begin, end;
} address_range;

/* Sets the range of the file that contains range->inside. */
static int find_range(struct dl_phdr_info *file, size_t size, void *range_of)
{
    address_range *range = range_of;
    uintptr_t begin = UINTPTR_MAX, end = 0;
    (void)size;
    for (int k = 0; k < file->dlpi_phnum; k++) {
        if (file->dlpi_phdr[k].p_type != PT_LOAD) continue;
        const uintptr_t at = file->dlpi_addr + file->dlpi_phdr[k].p_vaddr, after = at + file->dlpi_phdr[k].p_memsz;
        if (at < begin) begin = at;
        if (after > end) end = after;
    }
    if ((uintptr_t)range->inside < begin || (uintptr_t)range->inside >= end) return 0;
    range->begin = begin;
    range->end = end;
    return 1;
}

static int is_in(const address_range *range, const void *address)
{
    return (uintptr_t)address >= range->begin && (uintptr_t)address < range->end;
}

/* The addresses of the file of a function; none if that is the program itself, whose other calls come from there. */
static address_range range_of_library(const void *function)
{
    address_range range = {.inside = function};
    const void *const program = (const void *)getauxval(AT_ENTRY); // NOLINT(performance-no-int-to-ptr)
    if (function != NULL && scalay_file_of(function) != scalay_file_of(program))
        (void)dl_iterate_phdr(find_range, &range);
    return range;
}

/* Whether ScaLAPACK or libscalay made a call. dladdr() takes microseconds, because it searches the symbols. */
static int is_inner(const void *caller)
{
    static address_range scalapack, scalay;
    static int is_known;
    if (!is_known) {
        is_known = 1;
        scalapack = range_of_library((const void *)scalay_next_routine("pdgemm_"));
        scalay = range_of_library((const void *)scalay_comm_size);
    }
    return is_in(&scalapack, caller) || is_in(&scalay, caller);
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
    else if (!is_usable())
        routine->reason = "another ScaLAPACK";
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
