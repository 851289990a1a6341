/*
 * Advice: scalay_advice_create() compares candidates for running a kernel on a matrix, and ranks them by predicted
 * time.
 *
 * Candidates are staying, process grids with several mappings (advice_grids.c), and distributions for the stencil
 * (advice_stencil.c).
 */
#include "model/advice.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "model/owner.h"
#include "model/shapes.h"

/* --------------------------------------------------------------------------------------------------------- creation */

/* Failures go by the public name. */
static const char advise_name[] = "scalay_advice_create";

const char *scalay_kernel_name(scalay_kernel kernel)
{
    static const char *const names[] = {"qr", "gemm", "stencil", "other"};
    return kernel >= SCALAY_KERNEL_QR && kernel <= SCALAY_KERNEL_OTHER ? names[kernel] : "unknown";
}

scalay_advice_options scalay_advice_options_default(void)
{
    return (scalay_advice_options){.kernel = SCALAY_KERNEL_QR, .type = SCALAY_DOUBLE, .times = 1};
}

/* --------------------------------------------------------------------------------------------- arguments */

static scalay_status check_kernel(const scalay_advice *advice)
{
    const scalay_advice_options *options = &advice->options;
    if (options->kernel < SCALAY_KERNEL_QR || options->kernel > SCALAY_KERNEL_OTHER)
        return scalay_fail(SCALAY_ERROR_ARGUMENT, advise_name, "options has kernel %d; pass one of scalay_kernel",
                           (int)options->kernel);
    if (options->kernel == SCALAY_KERNEL_OTHER && options->cost == NULL)
        return scalay_fail(SCALAY_ERROR_ARGUMENT, advise_name,
                           "options has no cost; SCALAY_KERNEL_OTHER needs a function that tells it");
    if (options->kernel == SCALAY_KERNEL_GEMM && advice->m != advice->n)
        return scalay_fail(SCALAY_ERROR_ARGUMENT, advise_name,
                           "the matrix is %lld x %lld; A, B and C of a multiplication are placed alike, hence square",
                           (long long)advice->m, (long long)advice->n);
    if (options->kernel == SCALAY_KERNEL_STENCIL && (advice->m != 1 && advice->n != 1))
        return scalay_fail(SCALAY_ERROR_ARGUMENT, advise_name,
                           "the matrix is %lld x %lld; a stencil takes one row or one column", (long long)advice->m,
                           (long long)advice->n);
    if (options->kernel == SCALAY_KERNEL_OTHER && scalay_type_size(options->type) == 0)
        return scalay_fail(SCALAY_ERROR_ARGUMENT, advise_name, "options has type %d, which is none", options->type);
    if (options->kernel == SCALAY_KERNEL_OTHER)
        return scalay_machine_check(&advice->machine, SCALAY_DOUBLE, advise_name);
    return scalay_machine_check(&advice->machine, options->type, advise_name);
}

static scalay_status check_options(const scalay_advice *advice)
{
    const scalay_advice_options *options = &advice->options;
    const scalay_qr_limits limits = {options->processes, options->nprow, options->npcol, options->nb};
    const int holders = scalay_layout_processes(advice->source);
    if (options->times < 0)
        return scalay_fail(SCALAY_ERROR_ARGUMENT, advise_name, "options has times %lld; at least 0",
                           (long long)options->times);
    if (options->processes < holders)
        return scalay_fail(SCALAY_ERROR_ARGUMENT, advise_name,
                           "options has %d processes, but the matrix is on %d; pass at least that, or 0",
                           options->processes, holders);
    for (int p = 0; options->core != NULL && p < options->processes; p++)
        if (options->core[p] < 0 || options->core[p] >= options->processes)
            return scalay_fail(SCALAY_ERROR_ARGUMENT, advise_name,
                               "options has core[%d] = %d; cores are numbered from 0, below the %d processes", p,
                               options->core[p], options->processes);
    return scalay_shapes_check(&limits, advise_name);
}

/* -------------------------------------------------------------------------------------------- candidates */

scalay_status scalay_advice_add(scalay_advice *advice, const char *name, const scalay_advice_candidate *candidate,
                                scalay_layout **layout)
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(SCALAY_GROW(advice->entries, advice->capacity, advice->count + 1));
    scalay_advice_entry *entry = &advice->entries[advice->count++];
    scalay_text text = {entry->name, sizeof entry->name, 0};
    scalay_text_append(&text, "%s", name);
    entry->told = *candidate;
    entry->told.seconds = candidate->move_seconds + candidate->kernel_seconds;
    entry->layout = *layout;
    *layout = NULL;
cleanup:
    return status;
}

scalay_status scalay_advice_kernel(const scalay_advice *advice, int nprow, int npcol, int nb, double *seconds)
{
    scalay_status status = SCALAY_SUCCESS;
    const scalay_advice_options *options = &advice->options;
    const int64_t m = advice->m, n = advice->n;
    scalay_layout *layout = NULL;
    scalay_qr_cost qr = {0};
    scalay_gemm_cost gemm = {0};
    if (options->kernel == SCALAY_KERNEL_QR) {
        SCALAY_TRY(scalay_model_qr(&advice->machine, options->type, m, n, nprow, npcol, nb, &qr));
        *seconds = qr.seconds;
    } else if (options->kernel == SCALAY_KERNEL_GEMM) {
        SCALAY_TRY(scalay_model_gemm(&advice->machine, options->type, m, n, n, nprow, npcol, nb, NULL, &gemm));
        *seconds = gemm.seconds;
    } else {
        SCALAY_TRY(scalay_layout_block_cyclic(m, n, nb, nb, nprow, npcol, 0, 0, SCALAY_ROW_MAJOR, &layout));
        *seconds = options->cost(layout, options->cost_context);
    }
cleanup:
    scalay_layout_destroy(&layout);
    return status;
}

scalay_status scalay_advice_add_owner(scalay_advice *advice)
{
    scalay_status status = SCALAY_SUCCESS;
    const scalay_advice_options *options = &advice->options;
    const scalay_layout *source = advice->source;
    scalay_layout *copy = NULL;
    scalay_advice_candidate staying = {0};
    double once = -1.0;
    advice->obstacle = options->kernel == SCALAY_KERNEL_OTHER ? NULL : scalay_owner_obstacle(source);
    if (advice->obstacle != NULL && options->kernel == SCALAY_KERNEL_QR) return SCALAY_SUCCESS;
    (void)scalay_owner_grid(source, &staying.nprow, &staying.npcol, &staying.nb);
    if (options->kernel == SCALAY_KERNEL_OTHER)
        once = options->cost(source, options->cost_context);
    else if (advice->obstacle != NULL)
        SCALAY_TRY(scalay_owner_product(&advice->machine, options->type, source, &once));
    else
        SCALAY_TRY(scalay_advice_kernel(advice, staying.nprow, staying.npcol, staying.nb, &once));
    if (!(once >= 0.0) || isinf(once)) {
        advice->obstacle = "the kernel's cost there is not a number of seconds";
        return SCALAY_SUCCESS;
    }
    staying.kernel_seconds = once * (double)options->times;
    SCALAY_TRY(scalay_layout_submatrix(source, 0, 0, advice->m, advice->n, &copy));
    SCALAY_TRY(scalay_advice_add(advice, "owner", &staying, &copy));
cleanup:
    scalay_layout_destroy(&copy);
    return status;
}

/* The fastest first; on a tie the least volume, so that staying wins, then the fewest processes, then by name: the same
 * on every rank. */
static int compare_entries(const void *left, const void *right)
{
    const scalay_advice_entry *x = left, *y = right;
    const scalay_advice_candidate *a = &x->told, *b = &y->told;
    if (a->seconds != b->seconds) return a->seconds < b->seconds ? -1 : 1;
    if (a->volume != b->volume) return a->volume < b->volume ? -1 : 1;
    int64_t size_a = (int64_t)a->nprow * a->npcol, size_b = (int64_t)b->nprow * b->npcol;
    if (size_a != size_b) return size_a < size_b ? -1 : 1;
    return strcmp(x->name, y->name);
}

static scalay_status fill_in(scalay_advice *advice, const scalay_layout *source, const scalay_advice_options *options)
{
    scalay_status status = SCALAY_SUCCESS;
    advice->options = options != NULL ? *options : scalay_advice_options_default();
    advice->machine = scalay_machine_or_typical(advice->options.machine);
    advice->options.machine = NULL;
    advice->source = source;
    advice->m = scalay_layout_rows(source);
    advice->n = scalay_layout_cols(source);
    if (advice->options.processes == 0) advice->options.processes = scalay_layout_processes(source);
    SCALAY_TRY(check_options(advice));
    SCALAY_TRY(check_kernel(advice));
cleanup:
    return status;
}

static scalay_status add_candidates(scalay_advice *advice)
{
    if (advice->options.kernel == SCALAY_KERNEL_STENCIL) return scalay_advice_add_stencils(advice);
    scalay_status status = scalay_advice_add_owner(advice);
    return status == SCALAY_SUCCESS ? scalay_advice_add_grids(advice) : status;
}

scalay_status scalay_advice_create(const scalay_layout *source, const scalay_advice_options *options,
                                   scalay_advice **advice)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_advice *made = NULL;
    if (advice == NULL)
        return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "advice is NULL; pass the address of a scalay_advice *");
    *advice = NULL;
    if (source == NULL) return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "source is NULL; say where the matrix is");
    SCALAY_TRY(SCALAY_NEW(made, 1));
    SCALAY_TRY(fill_in(made, source, options));
    SCALAY_TRY(add_candidates(made));
    if (made->count == 0) {
        status = SCALAY_FAIL(SCALAY_ERROR_INFEASIBLE, "the kernel can run neither where the matrix is nor on any grid");
        goto cleanup;
    }
    qsort(made->entries, (size_t)made->count, sizeof *made->entries, compare_entries);
    made->source = NULL;
    made->options.core = NULL;
    *advice = made;
    made = NULL;
cleanup:
    scalay_advice_destroy(&made);
    return status;
}

/* ---------------------------------------------------------------------------------------------------------- queries */

int scalay_advice_count(const scalay_advice *advice)
{
    return advice != NULL ? (int)advice->count : 0;
}

static scalay_status check_index(const scalay_advice *advice, int k, const char *function)
{
    if (advice == NULL)
        return scalay_fail(SCALAY_ERROR_ARGUMENT, function, "advice is NULL; make it with scalay_advice_create");
    if (k >= 0 && k < advice->count) return SCALAY_SUCCESS;
    return scalay_fail(SCALAY_ERROR_ARGUMENT, function, "candidate %d was asked for; there are 0 .. %d", k,
                       (int)advice->count - 1);
}

scalay_status scalay_advice_get_candidate(const scalay_advice *advice, int k, scalay_advice_candidate *candidate)
{
    scalay_status status = SCALAY_SUCCESS;
    if (candidate == NULL)
        return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "candidate is NULL; pass the address of a scalay_advice_candidate");
    SCALAY_TRY(check_index(advice, k, __func__));
    *candidate = advice->entries[k].told;
    candidate->name = advice->entries[k].name;
cleanup:
    return status;
}

scalay_status scalay_advice_layout(const scalay_advice *advice, int k, scalay_layout **layout)
{
    scalay_status status = SCALAY_SUCCESS;
    if (layout == NULL)
        return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "layout is NULL; pass the address of a scalay_layout *");
    *layout = NULL;
    SCALAY_TRY(check_index(advice, k, __func__));
    SCALAY_TRY(scalay_layout_submatrix(advice->entries[k].layout, 0, 0, advice->m, advice->n, layout));
cleanup:
    return status;
}

static int is_owner(const scalay_advice_entry *entry)
{
    return strcmp(entry->name, "owner") == 0;
}

int scalay_advice_should_move(const scalay_advice *advice)
{
    return advice != NULL && !is_owner(&advice->entries[0]);
}

void scalay_advice_destroy(scalay_advice **advice)
{
    if (advice == NULL || *advice == NULL) return;
    for (int64_t k = 0; k < (*advice)->count; k++) scalay_layout_destroy(&(*advice)->entries[k].layout);
    scalay_release((*advice)->entries);
    scalay_release(*advice);
    *advice = NULL;
}

/* ------------------------------------------------------------------------------------------- explanation */

static void say_costs(scalay_text *s, const scalay_advice_candidate *c)
{
    scalay_text_append(s, "%.3g s (%.3g s moving %lld elements, %.3g s computing)", c->seconds, c->move_seconds,
                       (long long)c->volume, c->kernel_seconds);
}

static void say_owner(scalay_text *s, const scalay_advice *advice)
{
    const scalay_advice_entry *owner = NULL;
    for (int64_t k = 0; k < advice->count; k++)
        if (is_owner(&advice->entries[k])) owner = &advice->entries[k];
    if (owner == NULL) {
        if (advice->obstacle != NULL) scalay_text_append(s, " It cannot stay: %s.", advice->obstacle);
        return;
    }
    if (advice->obstacle != NULL) scalay_text_append(s, " There, %s: the product is SUMMA's.", advice->obstacle);
    if (owner != &advice->entries[0]) scalay_text_append(s, " Staying would take %.3g s.", owner->told.seconds);
}

/* The best of those with another grid (same_grid 0), or with another mapping to the grid chosen. */
static const scalay_advice_entry *find_other(const scalay_advice *advice, int same_grid)
{
    const scalay_advice_candidate *first = &advice->entries[0].told;
    for (int64_t k = 1; k < advice->count; k++) {
        const scalay_advice_candidate *c = &advice->entries[k].told;
        int same = first->nprow > 0 && c->nprow == first->nprow && c->npcol == first->npcol && c->nb == first->nb;
        if (same == same_grid && !is_owner(&advice->entries[k])) return &advice->entries[k];
    }
    return NULL;
}

int scalay_advice_describe(const scalay_advice *advice, char *text, size_t size)
{
    scalay_text s = {text, text != NULL ? size : 0, 0};
    if (s.size > 0) text[0] = '\0';
    if (advice == NULL) return 0;
    const scalay_advice_entry *best = &advice->entries[0], *mapping = find_other(advice, 1);
    const scalay_advice_entry *grid = find_other(advice, 0);
    scalay_text_append(
        &s, "To run %s %lld time%s on the %lld x %lld matrix, %s (%s): ", scalay_kernel_name(advice->options.kernel),
        (long long)advice->options.times, advice->options.times == 1 ? "" : "s", (long long)advice->m,
        (long long)advice->n, is_owner(best) ? "leave it where it is" : "move it", best->name);
    say_costs(&s, &best->told);
    scalay_text_append(&s, ".");
    say_owner(&s, advice);
    if (mapping != NULL && scalay_advice_should_move(advice)) {
        scalay_text_append(&s, " The same grid by %s: ", mapping->name);
        say_costs(&s, &mapping->told);
        scalay_text_append(&s, ".");
    }
    if (grid != NULL) {
        scalay_text_append(&s, " The next %s, %s: ", best->told.nprow > 0 ? "grid" : "distribution", grid->name);
        say_costs(&s, &grid->told);
        scalay_text_append(&s, ".");
    }
    return (int)s.length;
}
