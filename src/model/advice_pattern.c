/*
 * Candidates of advice for products: patterns on all processes, if the best grid of all processes has more owners per
 * tile row and column than the pattern. Such numbers of processes are often prime. The best grid with idle processes is
 * added beside it.
 *
 * A tile has the extent options.nb, or the one with the least predicted time. With given speeds, part j stays on
 * process j, because its share is proportional to the speed of this process.
 */
#include <math.h>
#include <string.h>

#include "model/advice.h"
#include "model/move.h"
#include "scalay/pattern.h"

enum { MAX_PROCESSES = 1024 };

/* Returns 1 if a grid of all processes has at most as many owners per tile row and column as the pattern. */
static int has_good_grid(int processes, double cost)
{
    for (int p = 1; p * p <= processes; p++)
        if (processes % p == 0 && p + processes / p <= cost + 1e-9) return 1;
    return 0;
}

/* A target layout that is mapped and added. */
typedef struct {
    scalay_layout *layout;
    int nprow, npcol; /* 0: not a grid */
    int tile;
    double seconds; /* of one run of the kernel, with part j on process j */
} target;

static void name_target(const target *t, scalay_objective objective, scalay_text *text)
{
    scalay_text_append(text, "%s:", scalay_objective_name(objective));
    if (t->nprow > 0)
        scalay_text_append(text, "%dx%d:%d", t->nprow, t->npcol, t->tile);
    else
        scalay_text_append(text, "%s:%d", SCALAY_ADVICE_PATTERN, t->tile);
}

static scalay_status add_mapping(scalay_advice *advice, scalay_objective objective, const target *t,
                                 const scalay_traffic *traffic)
{
    scalay_status status = SCALAY_SUCCESS;
    const scalay_advice_options *options = &advice->options;
    scalay_mapping_options mapping_options = scalay_mapping_options_default();
    scalay_mapping *mapping = NULL;
    scalay_layout *mapped = NULL;
    scalay_advice_run run;
    scalay_move move;
    char name[SCALAY_ADVICE_NAME] = "";
    scalay_text text = {name, sizeof name, 0};
    mapping_options.processes = options->processes;
    SCALAY_TRY(scalay_mapping_from_traffic(traffic, objective, &mapping_options, &mapping));
    SCALAY_TRY(scalay_move_from_traffic(traffic, scalay_mapping_process(mapping), &move));
    move.segments = scalay_layout_segments(advice->source, t->layout);
    SCALAY_TRY(scalay_mapping_apply(mapping, t->layout, &mapped));
    SCALAY_TRY(scalay_advice_predict(advice, mapped, &run));
    const scalay_advice_candidate found = {.nprow = t->nprow,
                                           .npcol = t->npcol,
                                           .mb = t->nprow > 0 ? t->tile : 0,
                                           .nb = t->nprow > 0 ? t->tile : 0,
                                           .volume = move.volume,
                                           .steps = move.steps,
                                           .routine = run.routine,
                                           .move_seconds = (3 + (options->bring_back != 0)) *
                                                           scalay_model_move(&advice->machine, options->type, &move),
                                           .kernel_seconds = run.seconds * (double)options->times};
    name_target(t, objective, &text);
    SCALAY_TRY(scalay_advice_add(advice, name, &found, &mapped));
cleanup:
    scalay_layout_destroy(&mapped);
    scalay_mapping_destroy(&mapping);
    return status;
}

static scalay_status add_target(scalay_advice *advice, const target *t)
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

/* Predicts the kernel on a layout. The target becomes its owner if it is the best one so far. */
static scalay_status offer(const scalay_advice *advice, const target *offered, target *best)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_advice_run run;
    target t = *offered;
    SCALAY_TRY(scalay_advice_predict(advice, t.layout, &run));
    if (!(run.seconds >= 0) || isinf(run.seconds) || (best->layout != NULL && run.seconds >= best->seconds))
        goto cleanup;
    scalay_layout_destroy(&best->layout);
    t.seconds = run.seconds;
    *best = t;
    t.layout = NULL;
cleanup:
    scalay_layout_destroy(&t.layout);
    return status;
}

static const int tiles[] = {16, 32, 64, 128};
enum { TILES = sizeof tiles / sizeof *tiles };

static scalay_status add_pattern(scalay_advice *advice, const scalay_pattern *pattern)
{
    scalay_status status = SCALAY_SUCCESS;
    const int given = advice->options.nb;
    target best = {0};
    for (int k = 0; k < (given > 0 ? 1 : TILES); k++) {
        target t = {.tile = given > 0 ? given : tiles[k]};
        SCALAY_TRY(scalay_layout_from_pattern(pattern, advice->m, advice->n, t.tile, t.tile, &t.layout));
        SCALAY_TRY(offer(advice, &t, &best));
    }
    SCALAY_TRY(add_target(advice, &best));
cleanup:
    scalay_layout_destroy(&best.layout);
    return status;
}

static int is_idle_grid(const scalay_advice *advice, const scalay_advice_entry *entry)
{
    const int64_t used = (int64_t)entry->predicted.nprow * entry->predicted.npcol;
    return used > 0 && used < advice->options.processes;
}

/* Adds the best grid with idle processes, if there is none among the candidates. */
static scalay_status add_idle_grid(scalay_advice *advice)
{
    scalay_status status = SCALAY_SUCCESS;
    const int processes = advice->options.processes, given = advice->options.nb;
    target best = {0};
    for (int64_t k = 0; k < advice->count; k++)
        if (is_idle_grid(advice, &advice->entries[k])) return SCALAY_SUCCESS;
    for (int p = 2; p * p < processes; p++)
        for (int k = 0; k < (given > 0 ? 1 : TILES); k++) {
            target t = {.nprow = p, .npcol = processes / p, .tile = given > 0 ? given : tiles[k]};
            if (p * t.npcol == processes) t.npcol--;
            SCALAY_TRY(scalay_layout_block_cyclic(advice->m, advice->n, t.tile, t.tile, t.nprow, t.npcol, 0, 0,
                                                  SCALAY_ROW_MAJOR, &t.layout));
            SCALAY_TRY(offer(advice, &t, &best));
        }
    SCALAY_TRY(add_target(advice, &best));
cleanup:
    scalay_layout_destroy(&best.layout);
    return status;
}

scalay_status scalay_advice_add_patterns(scalay_advice *advice)
{
    scalay_status status = SCALAY_SUCCESS;
    const scalay_advice_options *options = &advice->options;
    scalay_pattern *pattern = NULL;
    scalay_pattern_summary summary;
    const int processes = options->processes;
    const int is_wanted = options->kernel == SCALAY_KERNEL_GEMM && options->nprow == 0 && options->npcol == 0;
    if (!is_wanted || processes < 2 || processes > MAX_PROCESSES || advice->m == 0) return SCALAY_SUCCESS;
    SCALAY_TRY(scalay_pattern_find(SCALAY_PATTERN_GEMM, processes, options->speed, 0, &pattern));
    SCALAY_TRY(scalay_pattern_get_summary(pattern, SCALAY_PATTERN_GEMM, options->speed, &summary));
    if (options->speed == NULL && has_good_grid(processes, summary.cost)) goto cleanup;
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
