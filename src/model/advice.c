/*
 * Advice: scalay_advice_create() compares candidates for running a kernel on a matrix, and ranks them by predicted
 * time.
 *
 * Candidates are staying, process grids with several mappings (advice_grids.c), the engine for factorisations
 * (advice_engine.c), patterns (advice_pattern.c), and distributions for the stencil (advice_stencil.c).
 */
#include "model/advice.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "base/memory.h"
#include "base/option_struct.h"
#include "base/text.h"
#include "layout/layout.h"
#include "model/factorization.h"
#include "model/product.h"
#include "model/shapes.h"

/* --------------------------------------------------------------------------------------------------------- creation */

/* Failures go by the public name. */
static const char advise_name[] = "scalay_advice_create";

const char *scalay_kernel_name(scalay_kernel kernel)
{
    static const char *const names[] = {"qr", "gemm", "stencil", "other", "lu", "cholesky"};
    return kernel >= SCALAY_KERNEL_QR && kernel <= SCALAY_KERNEL_CHOLESKY ? names[kernel] : "unknown";
}

void scalay_advice_options_init(scalay_advice_options *options, size_t size)
{
    const scalay_advice_options defaults = {
        .size = sizeof defaults, .kernel = SCALAY_KERNEL_QR, .type = SCALAY_DOUBLE, .times = 1};
    scalay_option_struct_fill(&defaults, sizeof defaults, options, size);
}

/* --------------------------------------------------------------------------------------------- arguments */

static scalay_status check_kernel(const scalay_advice *advice)
{
    const scalay_advice_options *options = &advice->options;
    if (options->kernel < SCALAY_KERNEL_QR || options->kernel > SCALAY_KERNEL_CHOLESKY)
        return scalay_fail(SCALAY_ERROR_ARGUMENT, advise_name, "options->kernel is %d; it must be a scalay_kernel",
                           (int)options->kernel);
    if (options->kernel == SCALAY_KERNEL_OTHER && options->cost == NULL)
        return scalay_fail(SCALAY_ERROR_ARGUMENT, advise_name,
                           "options->cost is NULL; SCALAY_KERNEL_OTHER needs a function that returns its seconds");
    if (options->kernel == SCALAY_KERNEL_GEMM && advice->m != advice->n)
        return scalay_fail(SCALAY_ERROR_ARGUMENT, advise_name,
                           "the matrix is %lld x %lld; it must be square, because A, B and C have the same layout",
                           (long long)advice->m, (long long)advice->n);
    if (options->kernel == SCALAY_KERNEL_CHOLESKY && advice->m != advice->n)
        return scalay_fail(SCALAY_ERROR_ARGUMENT, advise_name,
                           "the matrix is %lld x %lld; for a Cholesky factorisation it must be square",
                           (long long)advice->m, (long long)advice->n);
    if (options->kernel == SCALAY_KERNEL_STENCIL && (advice->m != 1 && advice->n != 1))
        return scalay_fail(SCALAY_ERROR_ARGUMENT, advise_name,
                           "the matrix is %lld x %lld; for a stencil it must have one row or one column",
                           (long long)advice->m, (long long)advice->n);
    if (options->kernel == SCALAY_KERNEL_OTHER && scalay_type_size(options->type) == 0)
        return scalay_fail(SCALAY_ERROR_ARGUMENT, advise_name, "options->type is %d; it must be a scalay_type",
                           options->type);
    if (options->kernel == SCALAY_KERNEL_OTHER)
        return scalay_machine_check(&advice->machine, SCALAY_DOUBLE, advise_name);
    return scalay_machine_check(&advice->machine, options->type, advise_name);
}

static scalay_status check_nodes(const scalay_advice_options *options)
{
    if (options->node_type != NULL && options->node == NULL)
        return scalay_fail(SCALAY_ERROR_ARGUMENT, advise_name,
                           "options->node_type is given and options->node is NULL; give the nodes, too");
    for (int p = 0; options->node != NULL && p < options->processes; p++)
        if (options->node[p] < 0 || options->node[p] >= options->processes)
            return scalay_fail(SCALAY_ERROR_ARGUMENT, advise_name, "options->node[%d] is %d; it must be in [0, %d)", p,
                               options->node[p], options->processes);
    for (int p = 0; options->node_type != NULL && p < options->processes; p++)
        if (options->node_type[p] < 0 || options->node_type[p] >= SCALAY_NODE_TYPES)
            return scalay_fail(SCALAY_ERROR_ARGUMENT, advise_name,
                               "options->node_type[%d] is %d; it must be in [0, %d)", p, options->node_type[p],
                               SCALAY_NODE_TYPES);
    return SCALAY_SUCCESS;
}

static scalay_status check_options(const scalay_advice *advice)
{
    scalay_status status = SCALAY_SUCCESS;
    const scalay_advice_options *options = &advice->options;
    const scalay_qr_limits limits = {
        .processes = options->processes, .nprow = options->nprow, .npcol = options->npcol, .nb = options->nb};
    const int holders = scalay_layout_processes(advice->source);
    if (options->times < 0)
        return scalay_fail(SCALAY_ERROR_ARGUMENT, advise_name, "options->times is %lld; it must be at least 0",
                           (long long)options->times);
    if (options->processes < holders)
        return scalay_fail(SCALAY_ERROR_ARGUMENT, advise_name,
                           "options->processes is %d; it must be at least %d, the processes of the matrix, or 0",
                           options->processes, holders);
    for (int p = 0; options->core != NULL && p < options->processes; p++)
        if (options->core[p] < 0 || options->core[p] >= options->processes)
            return scalay_fail(SCALAY_ERROR_ARGUMENT, advise_name, "options->core[%d] is %d; it must be in [0, %d)", p,
                               options->core[p], options->processes);
    for (int p = 0; options->speed != NULL && p < options->processes; p++)
        if (!isfinite(options->speed[p]) || options->speed[p] <= 0.0)
            return scalay_fail(SCALAY_ERROR_ARGUMENT, advise_name,
                               "options->speed[%d] is %g; it must be finite and above 0", p, options->speed[p]);
    SCALAY_TRY(check_nodes(options));
    SCALAY_TRY(scalay_shapes_check(&limits, advise_name));
cleanup:
    return status;
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
    entry->predicted = *candidate;
    entry->predicted.seconds = candidate->move_seconds + candidate->kernel_seconds;
    entry->layout = *layout;
    *layout = NULL;
cleanup:
    return status;
}

scalay_nodes scalay_advice_nodes(const scalay_advice *advice)
{
    return (scalay_nodes){advice->options.processes, advice->options.node, advice->options.node_type};
}

/* Returns the speeds of the parts of a grid, row-major; NULL without speeds, or without memory. */
static scalay_status find_speeds(const scalay_advice *advice, const scalay_layout *layout, double **speed)
{
    scalay_status status = SCALAY_SUCCESS;
    const double *given = advice->options.speed;
    const scalay_nodes nodes = scalay_advice_nodes(advice);
    if (given == NULL) return scalay_nodes_speeds(&advice->machine, &nodes, layout, speed);
    SCALAY_TRY(SCALAY_NEW(*speed, layout->parts));
    for (int part = 0; part < layout->parts; part++)
        (*speed)[part] = given[scalay_layout_process_of_part(layout, part)];
cleanup:
    return status;
}

scalay_status scalay_advice_predict_scalapack(const scalay_advice *advice, const scalay_load_grid *grid,
                                              scalay_advice_run *run)
{
    static const char *const routines[] = {
        [SCALAY_MODEL_QR] = "p?geqrf", [SCALAY_MODEL_LU] = "p?getrf", [SCALAY_MODEL_CHOLESKY] = "p?potrf"};
    scalay_status status = SCALAY_SUCCESS;
    const scalay_type type = advice->options.type;
    const int64_t m = advice->m, n = advice->n;
    scalay_qr_cost qr = {0};
    scalay_gemm_cost gemm = {0};
    const int kind = scalay_advice_factor_kind(advice->options.kernel);
    if (kind >= 0) {
        SCALAY_TRY(scalay_factorization_on_grid(&advice->machine, (scalay_model_kind)kind, type, m, n, grid,
                                                advise_name, &qr));
        *run = (scalay_advice_run){qr.seconds, routines[kind]};
    } else {
        SCALAY_TRY(scalay_gemm_on_grid(&advice->machine, type, m, n, n, grid, advise_name, &gemm));
        *run = (scalay_advice_run){gemm.seconds, "p?gemm"};
    }
cleanup:
    return status;
}

/* Up to this number of processes, SUMMA is compared on grids: its model goes through the parts. */
enum { SUMMA_PROCESSES = 256 };

scalay_status scalay_advice_predict(const scalay_advice *advice, const scalay_layout *layout, scalay_advice_run *run)
{
    scalay_status status = SCALAY_SUCCESS;
    const scalay_advice_options *options = &advice->options;
    scalay_load_grid grid = {0};
    double *speed = NULL, summa = 0.0;
    *run = (scalay_advice_run){-1.0, NULL};
    if (options->kernel == SCALAY_KERNEL_OTHER) {
        *run = (scalay_advice_run){options->cost(layout, options->cost_context), "other"};
        return SCALAY_SUCCESS;
    }
    const int is_grid = scalay_layout_load_grid(layout, &grid);
    const scalay_nodes nodes = scalay_advice_nodes(advice);
    SCALAY_TRY(find_speeds(advice, layout, &speed));
    grid.speed = speed;
    if (is_grid) SCALAY_TRY(scalay_nodes_set_links(&advice->machine, &nodes, layout, &grid));
    if (is_grid) SCALAY_TRY(scalay_advice_predict_scalapack(advice, &grid, run));
    if (options->kernel == SCALAY_KERNEL_GEMM && !options->scalapack_only &&
        (!is_grid || layout->parts <= SUMMA_PROCESSES)) {
        SCALAY_TRY(scalay_summa_on_layout(&advice->machine, options->type, layout, speed, &nodes, &summa));
        if (!is_grid || summa < run->seconds) *run = (scalay_advice_run){summa, "SUMMA"};
    }
cleanup:
    scalay_release(speed);
    return status;
}

/* Returns why ScaLAPACK's routine cannot run on a layout; NULL if it can. */
static const char *find_obstacle(const scalay_advice *advice, const scalay_layout *layout)
{
    const scalay_kernel kernel = advice->options.kernel;
    const scalay_axis *row = &layout->row, *col = &layout->col;
    if (scalay_advice_factor_kind(kernel) < 0) return NULL;
    const char *obstacle = scalay_scalapack_obstacle(layout);
    if (obstacle != NULL || kernel == SCALAY_KERNEL_QR) return obstacle;
    if (row->block != col->block) return "the blocks of the source are not square";
    if (row->first % row->block != 0 || col->first % col->block != 0)
        return "the source is a submatrix that does not start at a block";
    return NULL;
}

/* The source, with the blocks that are best for the kernel. */
typedef struct {
    scalay_layout *layout;
    scalay_advice_run run;
} stay_choice;

/* Predicts the kernel on the source with mb x nb blocks, which have the same owners, and keeps the better one. */
static scalay_status try_blocks(scalay_advice *advice, int64_t mb, int64_t nb, stay_choice *best)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_layout *layout = NULL;
    scalay_advice_run run;
    SCALAY_TRY(scalay_layout_submatrix(advice->source, 0, 0, advice->m, advice->n, &layout));
    layout->row.block = mb;
    layout->col.block = nb;
    const char *obstacle = find_obstacle(advice, layout);
    if (obstacle != NULL) {
        if (best->layout == NULL) advice->obstacle = obstacle;
        goto cleanup;
    }
    SCALAY_TRY(scalay_advice_predict(advice, layout, &run));
    if (best->layout != NULL && run.seconds >= best->run.seconds) goto cleanup;
    advice->obstacle = NULL;
    scalay_layout_destroy(&best->layout);
    *best = (stay_choice){layout, run};
    layout = NULL;
cleanup:
    scalay_layout_destroy(&layout);
    return status;
}

/* Along a single grid row or column, blocks may have any extent: other descriptors of a factorisation are tried. */
static scalay_status try_all_blocks(scalay_advice *advice, stay_choice *best)
{
    static const int blocks[] = {8, 16, 32, 48, 64, 96, 128, 256};
    scalay_status status = SCALAY_SUCCESS;
    const scalay_axis *row = &advice->source->row, *col = &advice->source->col;
    SCALAY_TRY(try_blocks(advice, row->block, col->block, best));
    const int kind = scalay_advice_factor_kind(advice->options.kernel);
    const int is_whole_grid = scalay_layout_is_grid(advice->source) && row->first == 0 && col->first == 0;
    if (kind < 0 || !is_whole_grid || advice->options.nb > 0) goto cleanup;
    if (row->classes == 1 && col->classes > 1) SCALAY_TRY(try_blocks(advice, col->block, col->block, best));
    if (row->classes > 1 && col->classes == 1) SCALAY_TRY(try_blocks(advice, row->block, row->block, best));
    if (col->classes > 1 || (row->classes > 1 && kind != SCALAY_FACTOR_QR)) goto cleanup;
    for (size_t k = 0; k < sizeof blocks / sizeof *blocks; k++)
        SCALAY_TRY(try_blocks(advice, row->classes == 1 ? blocks[k] : row->block, blocks[k], best));
cleanup:
    return status;
}

/* The engine replaces ScaLAPACK in the same layout if it is predicted to be faster by this factor, with measured rates
 * and without, as in one-call routines. */
static const double margin_with_rates = 1.1, margin_without_rates = 1.25;

/* Predicts staying, by ScaLAPACK, SUMMA or the engine. Without a layout, there is an obstacle. */
static scalay_status predict_staying(scalay_advice *advice, stay_choice *best)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_advice_run by_engine;
    const double margin = advice->machine.gemm_curve[0] > 0.0 ? margin_with_rates : margin_without_rates;
    SCALAY_TRY(try_all_blocks(advice, best));
    if (advice->options.scalapack_only) goto cleanup;
    SCALAY_TRY(scalay_advice_predict_engine(advice, advice->source, &by_engine));
    if (by_engine.seconds < 0.0 || (best->layout != NULL && best->run.seconds <= margin * by_engine.seconds))
        goto cleanup;
    scalay_layout_destroy(&best->layout);
    SCALAY_TRY(scalay_layout_submatrix(advice->source, 0, 0, advice->m, advice->n, &best->layout));
    best->run = by_engine;
    advice->obstacle = NULL;
cleanup:
    return status;
}

scalay_status scalay_advice_add_owner(scalay_advice *advice)
{
    scalay_status status = SCALAY_SUCCESS;
    const scalay_advice_options *options = &advice->options;
    scalay_load_grid grid = {0};
    stay_choice best = {0};
    SCALAY_TRY(predict_staying(advice, &best));
    if (advice->obstacle != NULL) goto cleanup;
    if (!(best.run.seconds >= 0.0) || isinf(best.run.seconds)) {
        advice->obstacle = "the cost of the kernel is not a number of seconds";
        goto cleanup;
    }
    (void)scalay_layout_load_grid(best.layout, &grid);
    const scalay_advice_candidate staying = {.nprow = grid.nprow,
                                             .npcol = grid.npcol,
                                             .mb = grid.mb,
                                             .nb = grid.nb,
                                             .routine = best.run.routine,
                                             .kernel_seconds = best.run.seconds * (double)options->times};
    SCALAY_TRY(scalay_advice_add(advice, "owner", &staying, &best.layout));
cleanup:
    scalay_layout_destroy(&best.layout);
    return status;
}

/* By time, then volume, so that staying wins, then processes, then name. The order is the same on every rank. */
static int compare_entries(const void *left, const void *right)
{
    const scalay_advice_entry *x = left, *y = right;
    const scalay_advice_candidate *a = &x->predicted, *b = &y->predicted;
    if (a->seconds != b->seconds) return a->seconds < b->seconds ? -1 : 1;
    if (a->volume != b->volume) return a->volume < b->volume ? -1 : 1;
    int64_t size_a = (int64_t)a->nprow * a->npcol, size_b = (int64_t)b->nprow * b->npcol;
    if (size_a != size_b) return size_a < size_b ? -1 : 1;
    return strcmp(x->name, y->name);
}

static scalay_status fill_in(scalay_advice *advice, const scalay_layout *source, const scalay_advice_options *options)
{
    scalay_status status = SCALAY_SUCCESS;
    advice->options = scalay_advice_options_default();
    SCALAY_TRY(scalay_option_struct_read(options, &advice->options, sizeof advice->options, advise_name));
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
    const int has_own = !advice->options.scalapack_only;
    if (status == SCALAY_SUCCESS && has_own) status = scalay_advice_add_engine(advice);
    if (status == SCALAY_SUCCESS) status = scalay_advice_add_grids(advice);
    if (status == SCALAY_SUCCESS && has_own) status = scalay_advice_add_patterns(advice);
    return status == SCALAY_SUCCESS ? scalay_advice_find_more_ranks(advice) : status;
}

scalay_status scalay_advice_create(const scalay_layout *source, const scalay_advice_options *options,
                                   scalay_advice **advice)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_advice *new_advice = NULL;
    SCALAY_TRY(scalay_check_not_null(advice, __func__, "advice"));
    *advice = NULL;
    SCALAY_TRY(scalay_check_not_null(source, __func__, "source"));
    SCALAY_TRY(SCALAY_NEW(new_advice, 1));
    SCALAY_TRY(fill_in(new_advice, source, options));
    SCALAY_TRY(add_candidates(new_advice));
    if (new_advice->count == 0) {
        status = SCALAY_FAIL(SCALAY_ERROR_INFEASIBLE,
                             "the kernel can run neither on the layout of the matrix nor on any grid");
        goto cleanup;
    }
    qsort(new_advice->entries, (size_t)new_advice->count, sizeof *new_advice->entries, compare_entries);
    new_advice->source = NULL;
    new_advice->options.core = NULL;
    new_advice->options.speed = NULL;
    new_advice->options.node = NULL;
    new_advice->options.node_type = NULL;
    *advice = new_advice;
    new_advice = NULL;
cleanup:
    scalay_advice_destroy(&new_advice);
    return status;
}

/* ---------------------------------------------------------------------------------------------------------- queries */

int scalay_advice_count(const scalay_advice *advice)
{
    return advice != NULL ? (int)advice->count : 0;
}

static scalay_status check_index(const scalay_advice *advice, int k, const char *function)
{
    const scalay_status status = scalay_check_not_null(advice, function, "advice");
    if (status != SCALAY_SUCCESS || (k >= 0 && k < advice->count)) return status;
    return scalay_fail(SCALAY_ERROR_ARGUMENT, function, "k is %d; it must be in [0, %d)", k, (int)advice->count);
}

scalay_status scalay_advice_get_candidate(const scalay_advice *advice, int k, scalay_advice_candidate *candidate)
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(scalay_check_not_null(candidate, __func__, "candidate"));
    SCALAY_TRY(check_index(advice, k, __func__));
    *candidate = advice->entries[k].predicted;
    candidate->name = advice->entries[k].name;
cleanup:
    return status;
}

scalay_status scalay_advice_layout(const scalay_advice *advice, int k, scalay_layout **layout)
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(scalay_check_not_null(layout, __func__, "layout"));
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
    if (advice == NULL) return 0;
    const scalay_advice_candidate *best = &advice->entries[0].predicted;
    return best->volume > 0 || best->move_seconds > 0.0;
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

static void append_costs(scalay_text *s, const scalay_advice_candidate *c)
{
    scalay_text_append(s, "%.3g s (%.3g s to move %lld elements, %.3g s for %s)", c->seconds, c->move_seconds,
                       (long long)c->volume, c->kernel_seconds, c->routine);
}

static void append_owner(scalay_text *s, const scalay_advice *advice)
{
    const scalay_advice_entry *owner = NULL;
    for (int64_t k = 0; k < advice->count; k++)
        if (is_owner(&advice->entries[k])) owner = &advice->entries[k];
    if (owner == NULL) {
        if (advice->obstacle != NULL) scalay_text_append(s, " It cannot stay: %s.", advice->obstacle);
        return;
    }
    if (owner != &advice->entries[0])
        scalay_text_append(s, " Staying would take %.3g s (%s).", owner->predicted.seconds, owner->predicted.routine);
}

/* Returns the best candidate with another grid (same_grid 0), or with another mapping to the advised grid. */
static const scalay_advice_entry *find_other(const scalay_advice *advice, int same_grid)
{
    const scalay_advice_candidate *first = &advice->entries[0].predicted;
    for (int64_t k = 1; k < advice->count; k++) {
        const scalay_advice_candidate *c = &advice->entries[k].predicted;
        int same = first->nprow > 0 && c->nprow == first->nprow && c->npcol == first->npcol && c->nb == first->nb;
        if (same == same_grid && !is_owner(&advice->entries[k])) return &advice->entries[k];
    }
    return NULL;
}

/* If the engine is advised: the best candidate of ScaLAPACK. */
static void append_scalapack(scalay_text *s, const scalay_advice *advice)
{
    if (strcmp(advice->entries[0].predicted.routine, SCALAY_ADVICE_ENGINE) != 0) return;
    for (int64_t k = 1; k < advice->count; k++) {
        const scalay_advice_entry *entry = &advice->entries[k];
        if (strcmp(entry->predicted.routine, SCALAY_ADVICE_ENGINE) == 0) continue;
        scalay_text_append(s, " With ScaLAPACK, %s: ", entry->name);
        append_costs(s, &entry->predicted);
        scalay_text_append(s, ".");
        return;
    }
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
        (long long)advice->n, scalay_advice_should_move(advice) ? "move it" : "leave it where it is", best->name);
    append_costs(&s, &best->predicted);
    scalay_text_append(&s, ".");
    append_owner(&s, advice);
    if (mapping != NULL && scalay_advice_should_move(advice)) {
        scalay_text_append(&s, " The same grid by %s: ", mapping->name);
        append_costs(&s, &mapping->predicted);
        scalay_text_append(&s, ".");
    }
    if (grid != NULL) {
        scalay_text_append(&s, " The next %s, %s: ", grid->predicted.nprow > 0 ? "grid" : "distribution", grid->name);
        append_costs(&s, &grid->predicted);
        scalay_text_append(&s, ".");
    }
    append_scalapack(&s, advice);
    scalay_advice_append_idle(&s, advice);
    scalay_advice_append_more_ranks(&s, advice);
    return (int)s.length;
}
