/*
 * Candidates of advice for products and factorisations: patterns on all processes, if they have a lower cost than the
 * best grid of all processes. The best grid with idle processes is added beside them. Factorisations on patterns, and
 * on that grid, are computed by the engine.
 *
 * A tile has the extent options.nb, or the one with the least predicted time. With given speeds, part j stays on
 * process j, because its share is proportional to the speed of this process.
 */
#include <math.h>
#include <string.h>

#include "model/advice.h"
#include "model/move.h"
#include "scalay/pattern.h"

/* Symmetric patterns of more processes take over a second to find. */
enum { MAX_PROCESSES = 1024, MAX_SYMMETRIC = 400 };

static int kind_of(const scalay_advice *advice)
{
    return scalay_advice_factor_kind(advice->options.kernel);
}

static scalay_pattern_kernel pattern_kernel_of(const scalay_advice *advice)
{
    static const scalay_pattern_kernel kernels[] = {[SCALAY_FACTOR_QR] = SCALAY_PATTERN_QR,
                                                    [SCALAY_FACTOR_LU] = SCALAY_PATTERN_LU,
                                                    [SCALAY_FACTOR_CHOLESKY] = SCALAY_PATTERN_CHOLESKY};
    const int kind = kind_of(advice);
    return kind < 0 ? SCALAY_PATTERN_GEMM : kernels[kind];
}

/* Returns the cost of a p x q grid, p <= q: owners per tile row and column, as in scalay_pattern_summary. */
static double cost_of_grid(scalay_pattern_kernel kernel, int p, int q)
{
    return kernel == SCALAY_PATTERN_QR ? q + 2 * p : kernel == SCALAY_PATTERN_CHOLESKY ? p + q - 1 : p + q;
}

/* Returns 1 if a grid of all processes has at most the cost of the pattern. */
static int has_good_grid(scalay_pattern_kernel kernel, int processes, double cost)
{
    for (int p = 1; p * p <= processes; p++)
        if (processes % p == 0 && cost_of_grid(kernel, p, processes / p) <= cost + 1e-9) return 1;
    return 0;
}

static void name_target(const scalay_advice_target *t, scalay_objective objective, scalay_text *text)
{
    scalay_text_append(text, "%s:", scalay_objective_name(objective));
    if (t->name != NULL) scalay_text_append(text, t->nprow > 0 ? "%s-" : "%s:", t->name);
    if (t->nprow > 0) scalay_text_append(text, "%dx%d:", t->nprow, t->npcol);
    scalay_text_append(text, "%d", t->tile);
}

static scalay_status add_mapping(scalay_advice *advice, scalay_objective objective, const scalay_advice_target *t,
                                 const scalay_traffic *traffic)
{
    scalay_status status = SCALAY_SUCCESS;
    const scalay_advice_options *options = &advice->options;
    scalay_mapping_options mapping_options = scalay_mapping_options_default();
    scalay_mapping *mapping = NULL;
    scalay_layout *mapped = NULL;
    scalay_advice_run run = t->run;
    scalay_move move;
    char name[SCALAY_ADVICE_NAME] = "";
    scalay_text text = {name, sizeof name, 0};
    mapping_options.processes = options->processes;
    SCALAY_TRY(scalay_mapping_from_traffic(traffic, objective, &mapping_options, &mapping));
    SCALAY_TRY(scalay_move_from_traffic(traffic, scalay_mapping_process(mapping), &move));
    move.segments = scalay_layout_segments(advice->source, t->layout);
    SCALAY_TRY(scalay_mapping_apply(mapping, t->layout, &mapped));
    if (strcmp(run.routine, SCALAY_ADVICE_ENGINE) != 0) SCALAY_TRY(scalay_advice_predict(advice, mapped, &run));
    double seconds = 0.0;
    SCALAY_TRY(scalay_advice_predict_move(advice, traffic, scalay_mapping_process(mapping), &move, &seconds));
    const scalay_advice_candidate found = {.nprow = t->nprow,
                                           .npcol = t->npcol,
                                           .mb = t->nprow > 0 ? t->tile : 0,
                                           .nb = t->nprow > 0 ? t->tile : 0,
                                           .volume = move.volume,
                                           .steps = move.steps,
                                           .routine = run.routine,
                                           .move_seconds = seconds,
                                           .kernel_seconds = run.seconds * (double)options->times};
    name_target(t, objective, &text);
    SCALAY_TRY(scalay_advice_add(advice, name, &found, &mapped));
cleanup:
    scalay_layout_destroy(&mapped);
    scalay_mapping_destroy(&mapping);
    return status;
}

scalay_status scalay_advice_add_target(scalay_advice *advice, const scalay_advice_target *t)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_traffic *traffic = NULL;
    if (t->layout == NULL) return SCALAY_SUCCESS;
    SCALAY_TRY(scalay_traffic_create(advice->source, t->layout, &traffic));
    SCALAY_TRY(add_mapping(advice, SCALAY_CANONICAL, t, traffic));
    if (advice->options.speed == NULL) SCALAY_TRY(add_mapping(advice, SCALAY_MIN_VOLUME, t, traffic));
cleanup:
    scalay_traffic_destroy(&traffic);
    return status;
}

/* Predicts the kernel on a layout: a factorisation by the engine. The target becomes its owner if it is the best one so
 * far. */
static scalay_status offer(const scalay_advice *advice, const scalay_advice_target *offered, scalay_advice_target *best)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_advice_target t = *offered;
    SCALAY_TRY(kind_of(advice) >= 0 ? scalay_advice_predict_engine(advice, t.layout, &t.run)
                                    : scalay_advice_predict(advice, t.layout, &t.run));
    if (!(t.run.seconds >= 0) || isinf(t.run.seconds) || (best->layout != NULL && t.run.seconds >= best->run.seconds))
        goto cleanup;
    scalay_layout_destroy(&best->layout);
    *best = t;
    t.layout = NULL;
cleanup:
    scalay_layout_destroy(&t.layout);
    return status;
}

static const int tiles[] = {16, 32, 64, 128};
enum { TILES = sizeof tiles / sizeof *tiles };

/* The layout of a pattern. The engine works in place if rows and columns ascend. */
static scalay_status create_layout(const scalay_advice *advice, const scalay_pattern *pattern, int tile,
                                   scalay_layout **layout)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_owner_map *map = NULL;
    const int64_t m = advice->m, n = advice->n;
    if (kind_of(advice) < 0) return scalay_layout_from_pattern(pattern, m, n, tile, tile, layout);
    SCALAY_TRY(scalay_owner_map_from_pattern(pattern, m, n, tile, tile, &map));
    SCALAY_TRY(scalay_layout_from_owner_map_ascending(map, layout));
cleanup:
    scalay_owner_map_destroy(&map);
    return status;
}

static scalay_status add_pattern(scalay_advice *advice, const scalay_pattern *pattern)
{
    scalay_status status = SCALAY_SUCCESS;
    const int given = advice->options.nb;
    scalay_advice_target best = {0};
    for (int k = 0; k < (given > 0 ? 1 : TILES); k++) {
        scalay_advice_target t = {.name = SCALAY_ADVICE_PATTERN, .tile = given > 0 ? given : tiles[k]};
        SCALAY_TRY(create_layout(advice, pattern, t.tile, &t.layout));
        SCALAY_TRY(offer(advice, &t, &best));
    }
    SCALAY_TRY(scalay_advice_add_target(advice, &best));
cleanup:
    scalay_layout_destroy(&best.layout);
    return status;
}

static int is_idle_grid(const scalay_advice *advice, const scalay_advice_entry *entry)
{
    const int64_t used = (int64_t)entry->predicted.nprow * entry->predicted.npcol;
    return used > 0 && used < advice->options.processes;
}

/* Adds the best grid with idle processes, if there is none among the candidates. Factorisations: by the engine. */
static scalay_status add_idle_grid(scalay_advice *advice)
{
    scalay_status status = SCALAY_SUCCESS;
    const int processes = advice->options.processes, given = advice->options.nb, by_engine = kind_of(advice) >= 0;
    scalay_advice_target best = {0};
    for (int64_t k = 0; k < advice->count && !by_engine; k++)
        if (is_idle_grid(advice, &advice->entries[k])) return SCALAY_SUCCESS;
    for (int p = 2; p * p < processes; p++)
        for (int k = 0; k < (given > 0 ? 1 : TILES); k++) {
            scalay_advice_target t = {.name = by_engine ? SCALAY_ADVICE_ENGINE : NULL,
                                      .nprow = p,
                                      .npcol = processes / p,
                                      .tile = given > 0 ? given : tiles[k]};
            if (p * t.npcol == processes) t.npcol--;
            SCALAY_TRY(scalay_layout_block_cyclic(advice->m, advice->n, t.tile, t.tile, t.nprow, t.npcol, 0, 0,
                                                  SCALAY_ROW_MAJOR, &t.layout));
            SCALAY_TRY(offer(advice, &t, &best));
        }
    SCALAY_TRY(scalay_advice_add_target(advice, &best));
cleanup:
    scalay_layout_destroy(&best.layout);
    return status;
}

scalay_status scalay_advice_add_patterns(scalay_advice *advice)
{
    scalay_status status = SCALAY_SUCCESS;
    const scalay_advice_options *options = &advice->options;
    const scalay_pattern_kernel kernel = pattern_kernel_of(advice);
    scalay_pattern *pattern = NULL;
    scalay_pattern_summary summary;
    const int processes = options->processes, kind = kind_of(advice);
    const int is_wanted = (kind >= 0 || options->kernel == SCALAY_KERNEL_GEMM) && options->nprow == 0 &&
                          options->npcol == 0 && advice->m > 0 && advice->n > 0;
    if (!is_wanted || processes < 2 || processes > (kernel == SCALAY_PATTERN_CHOLESKY ? MAX_SYMMETRIC : MAX_PROCESSES))
        return SCALAY_SUCCESS;
    SCALAY_TRY(scalay_pattern_find(kernel, processes, options->speed, 0, &pattern));
    SCALAY_TRY(scalay_pattern_get_summary(pattern, kernel, options->speed, &summary));
    if (options->speed == NULL && has_good_grid(kernel, processes, summary.cost)) goto cleanup;
    SCALAY_TRY(add_pattern(advice, pattern));
    SCALAY_TRY(add_idle_grid(advice));
cleanup:
    scalay_pattern_destroy(&pattern);
    return status;
}

static int is_pattern(const scalay_advice_entry *entry)
{
    return strstr(entry->name, ":" SCALAY_ADVICE_PATTERN ":") != NULL;
}

void scalay_advice_append_idle(scalay_text *text, const scalay_advice *advice)
{
    const scalay_advice_entry *pattern = NULL, *idle = NULL;
    for (int64_t k = 0; k < advice->count; k++) {
        const scalay_advice_entry *entry = &advice->entries[k];
        if (pattern == NULL && is_pattern(entry)) pattern = entry;
        if (idle == NULL && is_idle_grid(advice, entry)) idle = entry;
    }
    if (pattern == NULL || idle == NULL) return;
    const int used = idle->predicted.nprow * idle->predicted.npcol;
    scalay_text_append(text,
                       " A pattern on all %d processes (%s) takes %.3g s; the best grid with idle processes (%s, %d "
                       "idle) takes %.3g s.",
                       advice->options.processes, pattern->name, pattern->predicted.seconds, idle->name,
                       advice->options.processes - used, idle->predicted.seconds);
}
