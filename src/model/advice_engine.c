/*
 * Candidates of advice for QR, LU and Cholesky by the engine of scalay_factor_create(), and the other way to use
 * processes of different speeds: more ranks on the faster ones.
 *
 * The engine is priced by scalay_engine_predict(), on the owners of any layout. Its own map is the 1D-1D map that
 * scalay_engine_choose_map() chooses.
 */
#include <math.h>

#include "base/integer.h"
#include "base/memory.h"
#include "layout/layout.h"
#include "model/advice.h"
#include "model/engine.h"
#include "model/factorization.h"
#include "model/product.h"
#include "model/shapes.h"
#include "partition/owner_map.h"

/* Most processes, and most steps times processes of a prediction. */
enum { MAX_PROCESSES = 1024 };
static const double MAX_WORK = 5e7;

int scalay_advice_factor_kind(scalay_kernel kernel)
{
    switch (kernel) {
    case SCALAY_KERNEL_QR:
        return SCALAY_FACTOR_QR;
    case SCALAY_KERNEL_LU:
        return SCALAY_FACTOR_LU;
    case SCALAY_KERNEL_CHOLESKY:
        return SCALAY_FACTOR_CHOLESKY;
    default:
        return -1;
    }
}

/* A problem with its arrays. */
typedef struct {
    double *speed; /* shape [processes] */
    scalay_machine machine;
    scalay_engine_problem problem;
} engine_task;

/* Slows a machine down, or speeds it up: the engine takes the rates for those of the mean speed. */
static void scale_rates(double factor, scalay_machine *machine)
{
    machine->seconds_per_flop *= factor;
    for (int k = 0; k < SCALAY_GEMM_CURVE; k++) machine->gemm_curve[k] *= factor;
    for (int k = 0; k < SCALAY_VECTOR_CURVE; k++) machine->vector_curve[k] *= factor;
    machine->seconds_per_call *= factor;
}

/* The speed that is given, or that of the type of the node. */
static double speed_of(const scalay_advice *advice, int process)
{
    const scalay_advice_options *options = &advice->options;
    const scalay_machine *machine = &advice->machine;
    if (options->speed != NULL) return options->speed[process];
    if (options->node_type == NULL || machine->node_types < 2 || machine->seconds_per_flop == 0.0) return 1;
    const double seconds = machine->type_seconds_per_flop[options->node_type[process]];
    return seconds > 0.0 ? machine->seconds_per_flop / seconds : 1;
}

/* Release the speed. */
static scalay_status engine_task_create(const scalay_advice *advice, engine_task *task)
{
    scalay_status status = SCALAY_SUCCESS;
    const int processes = advice->options.processes;
    const scalay_nodes nodes = scalay_advice_nodes(advice);
    double sum = 0;
    SCALAY_TRY(SCALAY_NEW(task->speed, processes));
    for (int p = 0; p < processes; p++) {
        task->speed[p] = speed_of(advice, p);
        sum += task->speed[p];
    }
    SCALAY_TRY(scalay_nodes_machine(&advice->machine, &nodes, &task->machine));
    scale_rates(processes / sum, &task->machine);
    task->problem =
        (scalay_engine_problem){.kind = (scalay_factor_kind)scalay_advice_factor_kind(advice->options.kernel),
                                .type = advice->options.type,
                                .ranks = processes,
                                .speed = task->speed,
                                .machine = &task->machine,
                                .panels_together = -1};
cleanup:
    return status;
}

static int can_run(const scalay_advice *advice)
{
    return scalay_advice_factor_kind(advice->options.kernel) >= 0 && advice->options.processes <= MAX_PROCESSES &&
           advice->m > 0 && advice->n > 0;
}

/* The owners of a layout, with processes as parts. */
static scalay_status find_owners(const scalay_advice *advice, const scalay_layout *layout, scalay_owner_map **map)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_owner_map *parts = NULL;
    int *owner = NULL;
    SCALAY_TRY(scalay_layout_owner_map(layout, &parts));
    const int64_t cells = parts->row.classes * parts->col.classes;
    SCALAY_TRY(SCALAY_NEW(owner, cells));
    for (int64_t c = 0; c < cells; c++) owner[c] = scalay_layout_process_of_part(layout, parts->owner[c]);
    scalay_map_axis row = parts->row, col = parts->col;
    parts->row = parts->col = (scalay_map_axis){0};
    SCALAY_TRY(scalay_owner_map_from_classes(__func__, &row, &col, advice->options.processes, owner, map));
cleanup:
    scalay_release(owner);
    scalay_owner_map_destroy(&parts);
    return status;
}

/* Finds the tile extent and the rule for panels with the smallest predicted time on a map. */
static scalay_status find_extent(const scalay_advice *advice, const scalay_engine_problem *problem,
                                 const scalay_owner_map *map, double *seconds)
{
    scalay_status status = SCALAY_SUCCESS;
    const int given = advice->options.nb;
    int last = 0;
    *seconds = -1;
    for (int k = 0; k == 0 || (given == 0 && scalay_engine_extent(k) > 0); k++) {
        scalay_engine_choice tried = {.nb = scalay_engine_map_extent(map, given > 0 ? given : scalay_engine_extent(k))};
        const double steps = (double)scalay_min_int64(advice->m, advice->n) / tried.nb;
        const double classes = (double)(map->row.classes + map->col.classes);
        if (tried.nb == last || steps * (problem->ranks + classes) > MAX_WORK) continue;
        last = tried.nb;
        SCALAY_TRY(scalay_engine_choose_panels(problem, map, tried.nb, &tried));
        if (*seconds < 0 || tried.seconds < *seconds) *seconds = tried.seconds;
    }
cleanup:
    return status;
}

scalay_status scalay_advice_predict_engine(const scalay_advice *advice, const scalay_layout *layout,
                                           scalay_advice_run *run)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_owner_map *map = NULL;
    engine_task task = {0};
    *run = (scalay_advice_run){-1, SCALAY_ADVICE_ENGINE};
    if (!can_run(advice)) return SCALAY_SUCCESS;
    SCALAY_TRY(engine_task_create(advice, &task));
    SCALAY_TRY(find_owners(advice, layout, &map));
    SCALAY_TRY(find_extent(advice, &task.problem, map, &run->seconds));
cleanup:
    scalay_owner_map_destroy(&map);
    scalay_release(task.speed);
    return status;
}

scalay_status scalay_advice_add_engine(scalay_advice *advice)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_engine_choice choice = {0};
    scalay_advice_target target = {.name = "1d1d", .run.routine = SCALAY_ADVICE_ENGINE};
    engine_task task = {0};
    const scalay_advice_options *options = &advice->options;
    if (!can_run(advice) || options->nprow > 0 || options->npcol > 0) return SCALAY_SUCCESS;
    SCALAY_TRY(engine_task_create(advice, &task));
    SCALAY_TRY(scalay_engine_choose_map(&task.problem, advice->m, advice->n, options->nb, &choice));
    target.tile = choice.nb;
    target.run.seconds = choice.seconds;
    SCALAY_TRY(scalay_layout_from_owner_map_ascending(choice.map, &target.layout));
    SCALAY_TRY(scalay_advice_add_target(advice, &target));
cleanup:
    scalay_layout_destroy(&target.layout);
    scalay_owner_map_destroy(&choice.map);
    scalay_release(task.speed);
    return status;
}

/* --------------------------------------------------------------------------------------------------- more ranks */

enum { MAX_RANKS = 256 };

/* Ranks of one speed, and the best grid of them so far. */
typedef struct {
    scalay_advice *advice;
    const double *speed; /* shape [ranks] */
} rank_search;

static scalay_status try_shape(int nprow, int npcol, int nb, void *context)
{
    scalay_status status = SCALAY_SUCCESS;
    const rank_search *search = context;
    scalay_advice *advice = search->advice;
    scalay_advice_ranks *best = &advice->more;
    const scalay_load_grid grid = {.nprow = nprow, .npcol = npcol, .mb = nb, .nb = nb, .speed = search->speed};
    scalay_advice_run run;
    SCALAY_TRY(scalay_advice_predict_scalapack(advice, &grid, &run));
    if (best->run.routine != NULL && run.seconds >= best->run.seconds) goto cleanup;
    best->run = run;
    best->nprow = nprow;
    best->npcol = npcol;
    best->nb = nb;
cleanup:
    return status;
}

/* The engine on a 1D-1D map of the ranks. */
static scalay_status try_engine(scalay_advice *advice, int ranks, const double *speed)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_engine_choice choice = {0};
    scalay_advice_ranks *best = &advice->more;
    scalay_machine machine = advice->machine;
    scale_rates(1 / speed[0], &machine);
    if (!can_run(advice)) return SCALAY_SUCCESS;
    const scalay_engine_problem problem = {.kind =
                                               (scalay_factor_kind)scalay_advice_factor_kind(advice->options.kernel),
                                           .type = advice->options.type,
                                           .ranks = ranks,
                                           .speed = speed,
                                           .machine = &machine,
                                           .panels_together = -1};
    SCALAY_TRY(scalay_engine_choose_map(&problem, advice->m, advice->n, advice->options.nb, &choice));
    if (best->run.routine == NULL || choice.seconds < best->run.seconds)
        *best = (scalay_advice_ranks){.nb = choice.nb, .run = {choice.seconds, SCALAY_ADVICE_ENGINE}};
cleanup:
    scalay_owner_map_destroy(&choice.map);
    return status;
}

/* Returns how many ranks make a process out of processes of the smallest speed. */
static int ranks_of(double speed, double smallest)
{
    return (int)fmin(MAX_RANKS + 1, fmax(1, floor(speed / smallest + 0.5)));
}

scalay_status scalay_advice_find_more_ranks(scalay_advice *advice)
{
    scalay_status status = SCALAY_SUCCESS;
    const scalay_advice_options *options = &advice->options;
    const double *speed = options->speed;
    double smallest = INFINITY, slowest = INFINITY, *equal = NULL;
    int64_t ranks = 0;
    const int is_wanted = scalay_advice_factor_kind(options->kernel) >= 0 || options->kernel == SCALAY_KERNEL_GEMM;
    if (speed == NULL || !is_wanted || advice->m == 0 || advice->n == 0) return SCALAY_SUCCESS;
    for (int p = 0; p < options->processes; p++) smallest = fmin(smallest, speed[p]);
    for (int p = 0; p < options->processes; p++) {
        ranks += ranks_of(speed[p], smallest);
        slowest = fmin(slowest, speed[p] / ranks_of(speed[p], smallest));
    }
    if (ranks == options->processes || ranks > MAX_RANKS) return SCALAY_SUCCESS;
    SCALAY_TRY(SCALAY_NEW(equal, ranks));
    for (int64_t r = 0; r < ranks; r++) equal[r] = slowest;
    rank_search search = {advice, equal};
    scalay_qr_limits limits = {.processes = (int)ranks, .nb = options->nb};
    SCALAY_TRY(scalay_shapes_visit(&limits, advice->m, advice->n, try_shape, &search));
    SCALAY_TRY(try_engine(advice, (int)ranks, equal));
    advice->more.ranks = (int)ranks;
cleanup:
    scalay_release(equal);
    return status;
}

/* More ranks count as good up to this factor of the advised candidate. */
static const double AS_GOOD = 1.05;

void scalay_advice_append_more_ranks(scalay_text *text, const scalay_advice *advice)
{
    const scalay_advice_ranks *more = &advice->more;
    const double seconds = more->run.seconds * (double)advice->options.times;
    if (more->ranks == 0 || more->run.routine == NULL ||
        seconds > AS_GOOD * advice->entries[0].predicted.kernel_seconds)
        return;
    scalay_text_append(text,
                       " More ranks on the faster processors are as good: %d ranks of equal speed take %.3g s for ",
                       more->ranks, seconds);
    if (more->nprow > 0)
        scalay_text_append(text, "%s on a %d x %d grid with blocks of %d.", more->run.routine, more->nprow, more->npcol,
                           more->nb);
    else
        scalay_text_append(text, "the engine on a 1D-1D map with tiles of %d.", more->nb);
}
