/*
 * Advice: process grids with several blocks and mappings as candidates. Grids are visited by ascending time of the
 * kernel; the visit ends if no move can make a further grid the best candidate.
 */
#include <math.h>
#include <stdlib.h>

#include "base/integer.h"
#include "base/memory.h"
#include "base/text.h"
#include "layout/layout.h"
#include "model/advice.h"
#include "model/move.h"
#include "model/product.h"
#include "model/shapes.h"

/* Minimum and maximum number of grids that are mapped, and the maximum on more than LARGE processes. */
enum { MIN_GRIDS = 8, MAX_GRIDS = 64, MAX_LARGE_GRIDS = 8, LARGE = 1024 };
/* A time limit that is over before a mapping can be improved, so that the result does not depend on the clock. */
#define NO_TIME 1e-9

/* --------------------------------------------------------------------------------------- processes that share cores */

/* Processes that share cores. A grid uses as few processes of each core as possible. */
typedef struct {
    int processes;
    int are_shared;        /* 1: a core has more than one process */
    int *rank;             /* shape [processes]: number of earlier processes on the same core */
    unsigned char *barred; /* shape [processes]: 1: not used by the current grid */
    int *open;             /* shape [processes]: the processes that are used, ascending */
} core_placement;

static void core_placement_release(core_placement *placement)
{
    scalay_release(placement->rank);
    scalay_release(placement->barred);
    scalay_release(placement->open);
    *placement = (core_placement){0};
}

static scalay_status core_placement_create(const int *core, int processes, core_placement *placement)
{
    scalay_status status = SCALAY_SUCCESS;
    int *taken = NULL;
    core_placement new_placement = {.processes = processes};
    SCALAY_TRY(SCALAY_NEW(taken, processes));
    SCALAY_TRY(SCALAY_NEW(new_placement.rank, processes));
    SCALAY_TRY(SCALAY_NEW(new_placement.barred, processes));
    SCALAY_TRY(SCALAY_NEW(new_placement.open, processes));
    for (int p = 0; p < processes; p++) {
        new_placement.rank[p] = taken[core[p]]++;
        new_placement.are_shared |= new_placement.rank[p] > 0;
    }
    *placement = new_placement;
    new_placement = (core_placement){0};
cleanup:
    core_placement_release(&new_placement);
    scalay_release(taken);
    return status;
}

/* Uses the first processes of every core, as few per core as give `size` processes. */
static void core_placement_use(core_placement *placement, int size)
{
    int found = 0;
    for (int per_core = 1; found < size; per_core++) {
        found = 0;
        for (int p = 0; p < placement->processes; p++) {
            placement->barred[p] = placement->rank[p] >= per_core;
            if (!placement->barred[p]) placement->open[found++] = p;
        }
    }
}

/* ----------------------------------------------------------------------------------------------------------- shapes */

/* A grid with the predicted time of one run of the kernel. */
typedef struct {
    int nprow, npcol, nb;
    scalay_advice_run run;
} shape;

typedef struct {
    const scalay_advice *advice;
    int64_t count, capacity;
    shape *shapes;
} shape_list;

static scalay_status add_shape_of(int nprow, int npcol, int nb, void *context)
{
    scalay_status status = SCALAY_SUCCESS;
    shape_list *list = context;
    const scalay_advice *advice = list->advice;
    scalay_layout *layout = NULL;
    shape found = {nprow, npcol, nb, {-1.0, NULL}};
    SCALAY_TRY(scalay_layout_block_cyclic(advice->m, advice->n, nb, nb, nprow, npcol, 0, 0, SCALAY_ROW_MAJOR, &layout));
    SCALAY_TRY(scalay_advice_predict(advice, layout, &found.run));
    if (advice->options.node != NULL) {
        scalay_advice_run by_columns;
        layout->order = SCALAY_COLUMN_MAJOR;
        SCALAY_TRY(scalay_advice_predict(advice, layout, &by_columns));
        if (by_columns.seconds >= 0.0 && by_columns.seconds < found.run.seconds) found.run = by_columns;
    }
    if (!(found.run.seconds >= 0.0) || isinf(found.run.seconds)) goto cleanup;
    SCALAY_TRY(SCALAY_GROW(list->shapes, list->capacity, list->count + 1));
    list->shapes[list->count++] = found;
cleanup:
    scalay_layout_destroy(&layout);
    return status;
}

static int compare_places(const shape *a, const shape *b)
{
    int64_t size_a = (int64_t)a->nprow * a->npcol, size_b = (int64_t)b->nprow * b->npcol;
    if (size_a != size_b) return size_a < size_b ? -1 : 1;
    if (a->nb != b->nb) return a->nb < b->nb ? -1 : 1;
    return (a->nprow > b->nprow) - (a->nprow < b->nprow);
}

static int compare_shapes(const void *left, const void *right)
{
    const shape *a = left, *b = right;
    if (a->run.seconds != b->run.seconds) return a->run.seconds < b->run.seconds ? -1 : 1;
    return compare_places(a, b);
}

/* Lists the shapes with the default blocks, and with the blocks of the source: for them less may move. */
static scalay_status list_shapes(shape_list *list)
{
    scalay_status status = SCALAY_SUCCESS;
    const scalay_advice *advice = list->advice;
    const scalay_advice_options *options = &advice->options;
    scalay_qr_limits limits = {
        .processes = options->processes, .nprow = options->nprow, .npcol = options->npcol, .nb = options->nb};
    scalay_load_grid grid = {0};
    SCALAY_TRY(scalay_shapes_visit(&limits, advice->m, advice->n, add_shape_of, list));
    if (options->nb == 0 && scalay_layout_load_grid(advice->source, &grid)) {
        /* The extent of a block does not matter along a single grid row or column. */
        limits.nb = grid.mb;
        if (grid.nprow > 1) SCALAY_TRY(scalay_shapes_visit(&limits, advice->m, advice->n, add_shape_of, list));
        limits.nb = grid.nb;
        if (grid.npcol > 1 && (grid.nb != grid.mb || grid.nprow == 1))
            SCALAY_TRY(scalay_shapes_visit(&limits, advice->m, advice->n, add_shape_of, list));
    }
    if (list->count > 0) qsort(list->shapes, (size_t)list->count, sizeof *list->shapes, compare_shapes);
cleanup:
    return status;
}

/* ---------------------------------------------------------------------------------------------- mappings */

scalay_status scalay_advice_predict_move(const scalay_advice *advice, const scalay_traffic *traffic, const int *process,
                                         const scalay_move *move, double *seconds)
{
    scalay_status status = SCALAY_SUCCESS;
    const scalay_advice_options *options = &advice->options;
    const int there = options->kernel == SCALAY_KERNEL_GEMM ? 3 : 1, back = options->bring_back != 0;
    const scalay_nodes nodes = scalay_advice_nodes(advice);
    scalay_node_move between = {.is_known = 0};
    if (traffic != NULL) SCALAY_TRY(scalay_node_move_count(traffic, process, &nodes, &between));
    *seconds = (there + back) * scalay_model_move_nodes(&advice->machine, options->type, move, &between);
cleanup:
    return status;
}

/* Between grids, a move of volume 0 costs nothing: the local arrays are equal. The local arrays of a submatrix also
 * have other elements. */
static int is_free(const scalay_advice *advice, const scalay_move *move)
{
    const scalay_layout *source = advice->source;
    return move->volume == 0 && scalay_layout_is_grid(source) && source->row.first == 0 && source->col.first == 0;
}

/* Returns 1 if the candidate is the same as staying. On one grid row, the rows of a block do not matter. For a product,
 * blocks do not matter at all if each element stays on its process. */
static int is_owner_again(const scalay_advice *advice, const shape *s, const scalay_layout *mapped,
                          const scalay_move *move)
{
    scalay_load_grid grid = {0};
    const scalay_layout *source = advice->source;
    if (move->volume > 0) return 0;
    if (advice->options.kernel == SCALAY_KERNEL_GEMM && scalay_layout_same_owners(source, mapped)) return 1;
    if (!scalay_layout_load_grid(source, &grid)) return 0;
    return source->row.first == 0 && source->col.first == 0 && grid.nprow == s->nprow && grid.npcol == s->npcol &&
           grid.nb == s->nb && (grid.mb == s->nb || grid.nprow == 1);
}

static int moves_alike(const scalay_move *a, const scalay_move *b)
{
    return a->volume == b->volume && a->steps == b->steps && a->messages == b->messages && a->kept == b->kept;
}

/* Mapping of a grid: by its traffic with the source, or, if that has too many entries, by the factors of the traffic
 * (traffic is NULL). */
typedef struct {
    const scalay_layout *source, *target;
    scalay_traffic *traffic;
    const core_placement *placement; /* NULL: all processes are open */
    scalay_mapping_options options;
} mapping_task;

/* `task`: has the target and the traffic. */
static scalay_status add_mapping(scalay_advice *advice, const shape *s, const char *objective, const mapping_task *task,
                                 const scalay_mapping *mapping, const scalay_move *move)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_layout *mapped = NULL;
    char name[SCALAY_ADVICE_NAME] = "";
    scalay_text text = {name, sizeof name, 0};
    scalay_advice_run run = s->run;
    scalay_advice_candidate found = {
        .nprow = s->nprow, .npcol = s->npcol, .mb = s->nb, .nb = s->nb, .volume = move->volume, .steps = move->steps};
    SCALAY_TRY(scalay_mapping_apply(mapping, task->target, &mapped));
    /* The mapping decides which processes compute. */
    if (advice->options.speed != NULL || advice->options.node != NULL)
        SCALAY_TRY(scalay_advice_predict(advice, mapped, &run));
    found.routine = run.routine;
    if (!is_free(advice, move))
        SCALAY_TRY(scalay_advice_predict_move(advice, task->traffic, scalay_mapping_process(mapping), move,
                                              &found.move_seconds));
    found.kernel_seconds = run.seconds * (double)advice->options.times;
    scalay_text_append(&text, "%s:%dx%d:%d", objective, s->nprow, s->npcol, s->nb);
    if (!is_owner_again(advice, s, mapped, move)) SCALAY_TRY(scalay_advice_add(advice, name, &found, &mapped));
cleanup:
    scalay_layout_destroy(&mapped);
    return status;
}

static scalay_status find_mapping(const mapping_task *task, scalay_objective objective, scalay_mapping **mapping)
{
    if (task->traffic == NULL)
        return scalay_mapping_create(task->source, task->target, objective, &task->options, mapping);
    if (objective == SCALAY_CANONICAL && task->placement != NULL)
        return scalay_mapping_from_processes(task->traffic, task->options.processes, scalay_layout_parts(task->target),
                                             task->placement->open, mapping);
    return scalay_mapping_from_traffic(task->traffic, objective, &task->options, mapping);
}

static scalay_status count_move(const mapping_task *task, const scalay_mapping *mapping, scalay_move *move)
{
    scalay_status status = SCALAY_SUCCESS;
    const int *process = scalay_mapping_process(mapping);
    if (task->traffic == NULL)
        SCALAY_TRY(scalay_move_count_grids(task->source, task->target, process, move));
    else
        SCALAY_TRY(scalay_move_from_traffic(task->traffic, process, move));
    move->segments = scalay_layout_segments(task->source, task->target);
cleanup:
    return status;
}

static scalay_status add_mappings(scalay_advice *advice, const shape *s, const mapping_task *task)
{
    static const scalay_objective objectives[] = {SCALAY_CANONICAL, SCALAY_MIN_VOLUME, SCALAY_MIN_STEPS_THEN_VOLUME};
    enum { OBJECTIVES = 3 };
    scalay_status status = SCALAY_SUCCESS;
    scalay_mapping *mapping = NULL;
    scalay_move moves[OBJECTIVES] = {{0}};
    const int objectives_here = task->traffic != NULL ? OBJECTIVES : OBJECTIVES - 1;
    for (int k = 0; k < objectives_here; k++) {
        int is_new = 1;
        SCALAY_TRY(find_mapping(task, objectives[k], &mapping));
        SCALAY_TRY(count_move(task, mapping, &moves[k]));
        for (int j = 0; j < k; j++) is_new = is_new && !moves_alike(&moves[j], &moves[k]);
        if (is_new || advice->options.node != NULL)
            SCALAY_TRY(add_mapping(advice, s, scalay_objective_name(objectives[k]), task, mapping, &moves[k]));
        scalay_mapping_destroy(&mapping);
    }
cleanup:
    scalay_mapping_destroy(&mapping);
    return status;
}

/* With nodes: numbers the processes column by column, so that the neighbours in a column share a node. */
static scalay_status add_columns(scalay_advice *advice, const shape *s, const mapping_task *task)
{
    scalay_status status = SCALAY_SUCCESS;
    int *process = NULL;
    scalay_mapping *mapping = NULL;
    scalay_move move = {0};
    if (advice->options.node == NULL || task->traffic == NULL || task->placement != NULL || s->nprow == 1 ||
        s->npcol == 1)
        return SCALAY_SUCCESS;
    SCALAY_TRY(SCALAY_NEW(process, (int64_t)s->nprow * s->npcol));
    for (int row = 0; row < s->nprow; row++)
        for (int col = 0; col < s->npcol; col++) process[row * s->npcol + col] = col * s->nprow + row;
    SCALAY_TRY(
        scalay_mapping_from_processes(task->traffic, task->options.processes, s->nprow * s->npcol, process, &mapping));
    SCALAY_TRY(count_move(task, mapping, &move));
    SCALAY_TRY(add_mapping(advice, s, "columns", task, mapping, &move));
cleanup:
    scalay_mapping_destroy(&mapping);
    scalay_release(process);
    return status;
}

static scalay_status add_shape(scalay_advice *advice, const shape *s, core_placement *placement)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_layout *target = NULL;
    mapping_task task = {.source = advice->source, .placement = placement, .options = scalay_mapping_options_default()};
    task.options.processes = advice->options.processes;
    if (task.options.processes > LARGE) task.options.budget_seconds = NO_TIME;
    if (placement != NULL) {
        core_placement_use(placement, s->nprow * s->npcol);
        task.options.barred = placement->barred;
    }
    SCALAY_TRY(scalay_layout_block_cyclic(advice->m, advice->n, s->nb, s->nb, s->nprow, s->npcol, 0, 0,
                                          SCALAY_ROW_MAJOR, &target));
    task.target = target;
    if (placement != NULL || task.options.processes <= LARGE || !scalay_layout_is_grid(advice->source))
        SCALAY_TRY(scalay_traffic_create(advice->source, target, &task.traffic));
    SCALAY_TRY(add_mappings(advice, s, &task));
    SCALAY_TRY(add_columns(advice, s, &task));
cleanup:
    scalay_traffic_destroy(&task.traffic);
    scalay_layout_destroy(&target);
    return status;
}

static double best_seconds(const scalay_advice *advice)
{
    double best = INFINITY;
    for (int64_t k = 0; k < advice->count; k++) best = fmin(best, advice->entries[k].predicted.seconds);
    return best;
}

scalay_status scalay_advice_add_grids(scalay_advice *advice)
{
    scalay_status status = SCALAY_SUCCESS;
    shape_list list = {.advice = advice};
    const int64_t maximum = advice->options.processes > LARGE ? MAX_LARGE_GRIDS : MAX_GRIDS;
    core_placement placement = {0};
    int64_t mapped = 0;
    SCALAY_TRY(list_shapes(&list));
    if (advice->options.core != NULL)
        SCALAY_TRY(core_placement_create(advice->options.core, advice->options.processes, &placement));
    for (int64_t k = 0; k < list.count && mapped < maximum; k++) {
        const shape *s = &list.shapes[k];
        if (k > 0 && compare_places(s, &list.shapes[k - 1]) == 0) continue;
        if (mapped >= MIN_GRIDS && s->run.seconds * (double)advice->options.times >= best_seconds(advice)) break;
        SCALAY_TRY(add_shape(advice, s, placement.are_shared ? &placement : NULL));
        mapped++;
    }
cleanup:
    core_placement_release(&placement);
    scalay_release(list.shapes);
    return status;
}
