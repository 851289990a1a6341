/*
 * Choices of grid jobs: staying or moving, the grid, the mapping.
 *
 * Staying is a candidate if the layout is block-cyclic and meets the routine's requirements. Moving has the grid and
 * block size with the smallest predicted time, on processes that a mapping chooses. The job stays unless moving there
 * and back plus factoring there is predicted to be faster. All choices are made from numbers that are the same on every
 * rank, so every rank makes the same choice.
 */

#include "factor/grid_choice.h"

#include <math.h>

#include "base/change.h"
#include "base/integer.h"
#include "base/memory.h"
#include "layout/layout.h"
#include "model/factorization.h"
#include "model/machine.h"
#include "model/move.h"
#include "model/nodes.h"
#include "multiply/in_place.h"
#include "parallel/machine_numbers.h"

/* Without measured rates, moving must be predicted to be so much faster than staying. */
static const double margin_without_rates = 1.25;

/* Latencies of one execution of a plan besides its messages: the ranks wait for each other twice. Measured on one node
 * (docs/benchmarks.md). */
static const double move_latencies = 5.0;

double scalay_grid_move_start(const scalay_machine *machine)
{
    const scalay_machine rates = scalay_machine_or_typical(machine);
    return fmax(0.0, move_latencies * rates.seconds_per_message - scalay_machine_call_seconds(&rates));
}

/* Seconds that planning a move takes: the mapping, the plan and a BLACS context. Measured likewise. */
static double plan_seconds(const scalay_comm *comm)
{
    return 5e-4 + 1e-4 * log2(comm->size);
}

/* Seconds of a new page of a copy over those of a first access: pages come in batches, or huge. Measured with 2
 * processes, n = 480 to 4096 (docs/benchmarks.md). */
#define PAGE_OF_COPY 0.6

double scalay_grid_job_copy_seconds(const scalay_grid_job *job, const scalay_grid_request *r)
{
    const double bytes = (double)scalay_type_size(job->type) * job->m * job->n / job->comm->size;
    return PAGE_OF_COPY * scalay_grid_request_page_seconds(r, bytes);
}

/* Seconds by which the first call that moves takes longer than later ones. */
double scalay_grid_first_move_seconds(const scalay_grid_job *job, const scalay_grid_request *r)
{
    return plan_seconds(job->comm) + scalay_grid_job_copy_seconds(job, r);
}

/* Limits of a measurement of the machine within a call: seconds, and a fraction of the time of the routine. */
#define MAX_MEASURING_SECONDS 0.5
#define MEASURING_FRACTION 0.1

/* Blocks below this size are slower than a move on any machine, and blocks below twice this size if both extents of the
 * matrix are LARGE_EXTENT. */
enum { NARROW_BLOCK = 8, LARGE_EXTENT = 1024 };

/* ------------------------------------------------------------------------------------------------ staying */

/* Returns NULL if the routine accepts the layout, otherwise the reason. */
static const char *reason_to_move(const scalay_grid_request *r)
{
    const scalay_axis *row = &r->layout->row, *col = &r->layout->col;
    const char *reason = scalay_in_place_reason(r->layout);
    if (reason != NULL) return reason;
    if (r->kind == SCALAY_GEQRF) return NULL;
    if (row->block != col->block) return "the blocks are not square";
    if (row->first % row->block != 0 || col->first % col->block != 0) return "the submatrix does not start at a block";
    return NULL;
}

/* ------------------------------------------------------------------------------------------- predictions */

static scalay_nodes nodes_of(const scalay_grid_job *job)
{
    return (scalay_nodes){job->comm->size, job->node, job->node_type};
}

/* Predicts the routine on a grid with mb x nb blocks. `parts`: as in scalay_nodes_set_links(). */
static scalay_status predict_kernel(const scalay_grid_job *job, const scalay_machine *machine,
                                    const scalay_layout *parts, const scalay_load_grid *grid, double *seconds)
{
    scalay_status status = SCALAY_SUCCESS;
    static const scalay_model_kind kinds[] = {
        [SCALAY_GEQRF] = SCALAY_MODEL_QR, [SCALAY_GETRF] = SCALAY_MODEL_LU, [SCALAY_POTRF] = SCALAY_MODEL_CHOLESKY};
    scalay_load_grid as_lower = *grid;
    scalay_qr_cost cost = {.seconds = 0.0};
    const scalay_nodes nodes = nodes_of(job);
    SCALAY_TRY(scalay_nodes_set_links(machine, &nodes, parts, &as_lower));
    if (job->uplo == SCALAY_UPPER && job->kind == SCALAY_POTRF)
        as_lower = (scalay_load_grid){.nprow = grid->npcol,
                                      .npcol = grid->nprow,
                                      .mb = grid->nb,
                                      .nb = grid->mb,
                                      .is_spread = grid->is_spread,
                                      .has_links = as_lower.has_links,
                                      .row = as_lower.col,
                                      .col = as_lower.row};
    SCALAY_TRY(scalay_factorization_on_grid(machine, kinds[job->kind], job->type, job->m, job->n, &as_lower,
                                            "scalay_grid_job_create", &cost));
    *seconds = cost.seconds;
cleanup:
    return status;
}

static scalay_status predict_stay(scalay_grid_job *job, const scalay_machine *machine)
{
    const scalay_axis *row = &job->layout->row, *col = &job->layout->col;
    const scalay_load_grid grid = {.nprow = (int)row->classes,
                                   .npcol = (int)col->classes,
                                   .mb = (int)scalay_max_int64(1, scalay_min_int64(row->block, job->m)),
                                   .nb = (int)scalay_max_int64(1, scalay_min_int64(col->block, job->n))};
    return predict_kernel(job, machine, job->layout, &grid, &job->statistics.predicted_stay_seconds);
}

/* Chooses the grid with the smallest predicted time of the routine. */
static scalay_status choose_grid(scalay_grid_job *job, const scalay_grid_request *r)
{
    scalay_status status = SCALAY_SUCCESS;
    const scalay_one_call_options *options = r->options;
    const scalay_machine *machine = scalay_grid_request_machine(r);
    scalay_qr_limits limits = scalay_qr_limits_default(job->comm->size);
    double best = 0.0;
    limits.nprow = options->nprow;
    limits.npcol = options->npcol;
    limits.nb = options->nb;
    SCALAY_TRY(scalay_model_qr_choose(machine, job->type, job->m, job->n, &limits, &job->choice));
    for (int k = 0; k < scalay_qr_choice_count(job->choice); k++) {
        scalay_qr_candidate candidate;
        SCALAY_TRY(scalay_qr_choice_get_candidate(job->choice, k, &candidate));
        const scalay_load_grid grid = {
            .nprow = candidate.nprow, .npcol = candidate.npcol, .mb = candidate.nb, .nb = candidate.nb, .is_spread = 1};
        double seconds = 0.0;
        SCALAY_TRY(predict_kernel(job, machine, NULL, &grid, &seconds));
        if (k > 0 && scalay_whole_nanoseconds(seconds) >= scalay_whole_nanoseconds(best)) continue;
        best = seconds;
        job->nprow = candidate.nprow;
        job->npcol = candidate.npcol;
        job->nb = candidate.nb;
    }
    job->statistics.predicted_kernel_seconds = best;
cleanup:
    return status;
}

/* Rows that are contiguous in a layout with so many row classes. */
static int64_t contiguous_rows(int64_t m, int64_t classes, int64_t block)
{
    return scalay_max_int64(1, classes > 1 ? scalay_min_int64(block, m) : m);
}

/* A triangle is half of a matrix. */
static scalay_node_move take_part(const scalay_node_move *whole, int64_t part)
{
    scalay_node_move move = *whole;
    move.volume /= part;
    move.steps /= part;
    move.steps_within /= part;
    move.node_steps /= (double)part;
    return move;
}

/* Predicts one move to the grid. `volume`, `steps` and `between`: of the whole matrix, also if a triangle moves. */
static double predict_move(const scalay_grid_job *job, const scalay_machine *machine, int64_t volume, int64_t steps,
                           const scalay_node_move *between)
{
    const scalay_layout *layout = job->layout;
    const int64_t part = job->kind == SCALAY_POTRF ? 2 : 1;
    const scalay_node_move taken = take_part(between, part);
    const int64_t elements = (int64_t)job->m * job->n / part, targets = (int64_t)job->nprow * job->npcol;
    const int64_t there = contiguous_rows(job->m, job->nprow, job->nb);
    const int64_t here =
        scalay_layout_is_grid(layout) ? contiguous_rows(job->m, layout->row.classes, layout->row.block) : there;
    scalay_move move = {.volume = volume / part,
                        .steps = steps / part,
                        .messages = scalay_max_int64(targets, layout->parts),
                        .kept = (elements - volume / part) / targets,
                        .items = elements,
                        .segments = elements / scalay_min_int64(here, there),
                        .processes = job->comm->size};
    if (job->kind == SCALAY_POTRF) scalay_move_copy_triangle(&move);
    return scalay_model_move_nodes(machine, job->type, &move, &taken) + scalay_grid_move_start(machine);
}

/* Predicts one move without its mapping. The best mapping keeps at least the mean over the mappings, a fraction
 * 1 / processes of the elements. */
static double bound_move(const scalay_grid_job *job, const scalay_machine *machine)
{
    const int64_t elements = (int64_t)job->m * job->n, targets = (int64_t)job->nprow * job->npcol;
    const int64_t kept = elements / scalay_max_int64(targets, job->layout->parts);
    const scalay_node_move unknown = {.is_known = 0};
    return predict_move(job, machine, elements - kept, scalay_ceil_div(elements - kept, targets), &unknown);
}

/* Returns 1 if an axis gives a process nothing, or each process a single block. */
static int is_uneven(const scalay_axis *axis)
{
    return axis->classes > 1 && scalay_ceil_div(axis->first % axis->block + axis->extent, axis->block) <= axis->classes;
}

/* Without measured rates, a block-cyclic layout is left only if it is bad on any machine: narrow blocks, ranks without
 * elements, or one block per process. */
static int is_bad_layout(const scalay_grid_job *job)
{
    const scalay_axis *row = &job->layout->row, *col = &job->layout->col;
    const int is_large = row->extent >= LARGE_EXTENT && col->extent >= LARGE_EXTENT;
    return col->block < (is_large ? 2 : 1) * NARROW_BLOCK || row->classes * col->classes < job->comm->size ||
           is_uneven(row) || is_uneven(col);
}

/* Predicts the routine after a move, and both moves. */
static double predict_moved(const scalay_grid_job *job, const scalay_machine *machine)
{
    return 2.0 * bound_move(job, machine) + job->statistics.predicted_kernel_seconds;
}

/* Predicted gain of an execution by moving, in whole nanoseconds. */
static scalay_status predict_gain(scalay_grid_job *job, const scalay_grid_request *r, int64_t *gain)
{
    scalay_status status = SCALAY_SUCCESS;
    const scalay_machine *machine = scalay_grid_request_machine(r);
    SCALAY_TRY(predict_stay(job, machine));
    const double moved = predict_moved(job, machine);
    const double margin = machine != NULL ? 1.0 : margin_without_rates;
    scalay_trials_add(&job->trials, SCALAY_WAY_STAY, scalay_whole_nanoseconds(job->statistics.predicted_stay_seconds),
                      0);
    *gain = scalay_whole_nanoseconds(job->statistics.predicted_stay_seconds) -
            scalay_whole_nanoseconds(margin * moved + scalay_least_gain(machine));
    if (machine == NULL && !is_bad_layout(job)) *gain = scalay_min_int64(*gain, 0);
cleanup:
    return status;
}

/* Sets *stays. Staying is impossible if `reason` is not NULL. */
scalay_status scalay_grid_choose_placement(scalay_grid_job *job, const scalay_grid_request *r, int *stays)
{
    scalay_status status = SCALAY_SUCCESS;
    const scalay_one_call_options *o = r->options;
    const char *reason = reason_to_move(r);
    const int is_grid_given = o->nprow > 0 || o->npcol > 0 || o->nb > 0;
    int64_t gain = 0;
    *stays = o->placement == SCALAY_PLACEMENT_STAY;
    if (*stays && reason != NULL)
        return scalay_fail(SCALAY_ERROR_UNSUPPORTED, r->function,
                           "options->placement is SCALAY_PLACEMENT_STAY, but %s. Use SCALAY_PLACEMENT_CHOOSE", reason);
    if (job->k == 0 && reason == NULL && o->placement != SCALAY_PLACEMENT_MOVE && !is_grid_given) *stays = 1;
    if (*stays) goto cleanup;
    SCALAY_TRY(choose_grid(job, r));
    scalay_trials_add(&job->trials, SCALAY_WAY_MOVE,
                      scalay_whole_nanoseconds(predict_moved(job, scalay_grid_request_machine(r))),
                      scalay_whole_nanoseconds(scalay_grid_first_move_seconds(job, r)));
    if (reason != NULL || o->placement == SCALAY_PLACEMENT_MOVE || is_grid_given) goto cleanup;
    SCALAY_TRY(predict_gain(job, r, &gain));
    *stays = gain <= (r->is_repeated ? 0 : scalay_whole_nanoseconds(scalay_grid_first_move_seconds(job, r)));
    if (*stays) job->gain_nanoseconds = scalay_max_int64(gain, 0);
cleanup:
    if (status == SCALAY_SUCCESS && *stays && reason == NULL) {
        status = predict_stay(job, scalay_grid_request_machine(r));
        job->statistics.predicted_kernel_seconds = job->statistics.predicted_stay_seconds;
    }
    return status;
}

/* Seconds in which a call predicts the ways and, if it is the first one on a communicator, finds the nodes and reads
 * the rates. Measured with 2 processes (docs/benchmarks-onecall.md). */
static double choice_seconds(const scalay_comm *comm)
{
    const double of_communicator = comm->machine_numbers == NULL ? 2e-4 + 1e-4 * log2(comm->size) : 0.0;
    return 2e-4 + of_communicator;
}

int scalay_grid_may_wait(const scalay_grid_request *r)
{
    const scalay_one_call_options *o = r->options;
    return scalay_grid_request_leaves_choice(r) && o->machine == NULL && o->profile == NULL &&
           reason_to_move(r) == NULL;
}

/* The calls lose what they may lose by the choice. Half of the time of a bad layout is assumed to be gained by it.
 * Calls take half of the time of a typical machine, or less (docs/benchmarks-onecall.md). */
scalay_status scalay_grid_wait_for_choice(scalay_grid_job *job)
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(predict_stay(job, NULL));
    const double seconds = 0.5 * job->statistics.predicted_stay_seconds;
    const double gain = is_bad_layout(job) ? 0.5 * seconds : 0.0;
    const double until = seconds * scalay_calls_before_cost(choice_seconds(job->comm), scalay_most_lost(gain, seconds));
    job->statistics.predicted_kernel_seconds = job->statistics.predicted_stay_seconds;
    job->undecided_nanoseconds = job->k > 0 ? scalay_whole_nanoseconds(until) : 0;
cleanup:
    return status;
}

/* ------------------------------------------------------------------------------------------------- moving */

/* Nodes on which a grid is tried, and processes up to which what moves between nodes is counted. */
enum { MAX_NODES = 8, MAX_COUNTED = 1024 };

/* The mapping of a move, among candidates. */
typedef struct {
    scalay_grid_job *job;
    const scalay_machine *machine;
    const scalay_layout *parts;
    scalay_traffic *traffic; /* NULL: what moves between nodes is not counted */
    scalay_mapping *best;
    double seconds; /* both moves and the routine */
    double move_seconds;
    double kernel_seconds;
    double max_kernel_seconds; /* candidates with a slower routine are left out */
} mapping_choice;

/* Predicts the routine on the processes of a mapping. On one node, all mappings are alike. */
static scalay_status predict_mapped(const mapping_choice *c, const scalay_mapping *mapping, double *seconds)
{
    scalay_status status = SCALAY_SUCCESS;
    const scalay_grid_job *job = c->job;
    scalay_layout *target = NULL;
    const scalay_load_grid grid = {
        .nprow = job->nprow, .npcol = job->npcol, .mb = job->nb, .nb = job->nb, .is_spread = 1};
    *seconds = job->statistics.predicted_kernel_seconds;
    if (job->node == NULL) return SCALAY_SUCCESS;
    SCALAY_TRY(scalay_mapping_apply(mapping, c->parts, &target));
    SCALAY_TRY(predict_kernel(job, c->machine, target, &grid, seconds));
cleanup:
    scalay_layout_destroy(&target);
    return status;
}

/* Takes over a mapping if it is predicted to be faster than the best one so far; otherwise destroys it. */
static scalay_status weigh_mapping(mapping_choice *c, scalay_mapping **mapping)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_mapping_summary summary;
    scalay_node_move between = {.is_known = 0};
    const scalay_nodes nodes = nodes_of(c->job);
    double kernel = 0.0;
    SCALAY_TRY(scalay_mapping_get_summary(*mapping, &summary));
    SCALAY_TRY(predict_mapped(c, *mapping, &kernel));
    if (c->traffic != NULL)
        SCALAY_TRY(scalay_node_move_count(c->traffic, scalay_mapping_process(*mapping), &nodes, &between));
    const double moves = 2.0 * predict_move(c->job, c->machine, summary.volume, summary.steps, &between);
    const double seconds = kernel + moves;
    const int is_better = scalay_whole_nanoseconds(seconds) < scalay_whole_nanoseconds(c->seconds);
    if (c->best != NULL && (!is_better || kernel > c->max_kernel_seconds)) goto cleanup;
    scalay_mapping_destroy(&c->best);
    c->best = *mapping;
    *mapping = NULL;
    c->seconds = seconds;
    c->move_seconds = moves;
    c->kernel_seconds = kernel;
cleanup:
    scalay_mapping_destroy(mapping);
    return status;
}

/* Weighs the best mapping onto each node on which the grid fits. */
static scalay_status weigh_nodes(mapping_choice *c, scalay_objective objective)
{
    scalay_status status = SCALAY_SUCCESS;
    unsigned char *barred = NULL;
    scalay_mapping *mapping = NULL;
    const int size = c->job->comm->size, *node = c->job->node, positions = c->job->nprow * c->job->npcol;
    scalay_mapping_options options = scalay_mapping_options_default();
    SCALAY_TRY(SCALAY_NEW(barred, size));
    options.processes = size;
    options.barred = barred;
    for (int rank = 0, tried = 0; rank < size && tried < MAX_NODES; rank++) {
        if (node[rank] != rank || scalay_nodes_bar_others(node, size, rank, barred) < positions) continue;
        SCALAY_TRY(scalay_mapping_create(c->job->layout, c->parts, objective, &options, &mapping));
        SCALAY_TRY(weigh_mapping(c, &mapping));
        tried++;
    }
cleanup:
    scalay_mapping_destroy(&mapping);
    scalay_release(barred);
    return status;
}

/* Weighs the grid whose columns follow the numbers of the processes: their neighbours share a node. The canonical
 * mapping has rows of such neighbours. */
static scalay_status weigh_columns(mapping_choice *c)
{
    scalay_status status = SCALAY_SUCCESS;
    const scalay_grid_job *job = c->job;
    int *process = NULL;
    scalay_mapping *mapping = NULL;
    if (c->traffic == NULL || job->nprow == 1 || job->npcol == 1) return SCALAY_SUCCESS;
    SCALAY_TRY(SCALAY_NEW(process, (int64_t)job->nprow * job->npcol));
    for (int row = 0; row < job->nprow; row++)
        for (int col = 0; col < job->npcol; col++) process[row * job->npcol + col] = col * job->nprow + row;
    SCALAY_TRY(scalay_mapping_from_processes(c->traffic, job->comm->size, job->nprow * job->npcol, process, &mapping));
    SCALAY_TRY(weigh_mapping(c, &mapping));
cleanup:
    scalay_mapping_destroy(&mapping);
    scalay_release(process);
    return status;
}

/* On several nodes, what a mapping saves in moving can be lost in the routine, whose neighbours it puts on different
 * nodes. So the mapping of the objective is weighed against the canonical one, that by columns, and those onto one
 * node. The rates of links are needed for that: without them, the routine must not become slower than with the
 * canonical mapping.
 */
static scalay_status choose_mapping(mapping_choice *c, const scalay_grid_request *r, scalay_mapping **canonical)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_mapping *mapping = NULL;
    scalay_mapping_options options = scalay_mapping_options_default();
    double kernel = 0.0;
    options.processes = c->job->comm->size;
    if (c->job->node != NULL && c->job->comm->size <= MAX_COUNTED)
        SCALAY_TRY(scalay_traffic_create(c->job->layout, c->parts, &c->traffic));
    SCALAY_TRY(scalay_mapping_create(c->job->layout, c->parts, r->options->objective, &options, &mapping));
    SCALAY_TRY(weigh_mapping(c, &mapping));
    if (c->job->node == NULL || r->keeps_objective) goto cleanup;
    SCALAY_TRY(predict_mapped(c, *canonical, &kernel));
    if (c->machine == NULL && c->kernel_seconds > kernel) c->seconds = INFINITY;
    if (c->machine == NULL) c->max_kernel_seconds = kernel;
    SCALAY_TRY(scalay_mapping_create(c->job->layout, c->parts, SCALAY_CANONICAL, &options, &mapping));
    SCALAY_TRY(weigh_mapping(c, &mapping));
    SCALAY_TRY(weigh_columns(c));
    SCALAY_TRY(weigh_nodes(c, r->options->objective));
cleanup:
    scalay_mapping_destroy(&mapping);
    return status;
}

static void record_mapping(const mapping_choice *c, const scalay_mapping_summary *chosen,
                           const scalay_mapping_summary *canonical)
{
    scalay_grid_job *job = c->job;
    job->canonical_volume = canonical->volume;
    job->canonical_steps = canonical->steps;
    job->statistics.volume = chosen->volume;
    job->statistics.steps = chosen->steps;
    job->statistics.predicted_kernel_seconds = c->kernel_seconds;
    job->statistics.predicted_move_seconds = c->move_seconds;
    job->objective = chosen->objective;
    job->proof = chosen->proof;
}

/* Sets the target layout, on the processes that the mapping chooses. */
scalay_status scalay_grid_choose_processes(scalay_grid_job *job, const scalay_grid_request *r)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_layout *parts = NULL;
    scalay_mapping *canonical = NULL;
    scalay_mapping_summary chosen, numbered;
    mapping_choice choice = {
        .job = job, .machine = scalay_grid_request_machine(r), .seconds = INFINITY, .max_kernel_seconds = INFINITY};
    SCALAY_TRY(scalay_layout_block_cyclic(job->m, job->n, job->nb, job->nb, job->nprow, job->npcol, 0, 0,
                                          SCALAY_ROW_MAJOR, &parts));
    choice.parts = parts;
    SCALAY_TRY(scalay_mapping_create(job->layout, parts, SCALAY_CANONICAL, NULL, &canonical));
    SCALAY_TRY(scalay_mapping_get_summary(canonical, &numbered));
    SCALAY_TRY(choose_mapping(&choice, r, &canonical));
    SCALAY_TRY(scalay_mapping_apply(choice.best, parts, &job->target));
    SCALAY_TRY(scalay_mapping_get_summary(choice.best, &chosen));
    record_mapping(&choice, &chosen, &numbered);
cleanup:
    scalay_mapping_destroy(&canonical);
    scalay_mapping_destroy(&choice.best);
    scalay_traffic_destroy(&choice.traffic);
    scalay_layout_destroy(&parts);
    return status;
}

/* --------------------------------------------------------------------------------------- time for measuring */

int64_t scalay_grid_request_time_limit(const scalay_comm *comm, const scalay_grid_request *r)
{
    static const double flops_over_qr[] = {[SCALAY_GEQRF] = 1.0, [SCALAY_GETRF] = 0.5, [SCALAY_POTRF] = 0.25};
    const scalay_machine typical = scalay_machine_typical();
    const double m = (double)scalay_layout_rows(r->layout), n = (double)scalay_layout_cols(r->layout), k = fmin(m, n);
    const double flops = 2.0 * k * k * (fmax(m, n) - k / 3.0) * flops_over_qr[r->kind];
    const double seconds = flops * scalay_type_flop_weight(r->type) * typical.seconds_per_flop / comm->size;
    if (r->options->placement != SCALAY_PLACEMENT_CHOOSE) return 0;
    return scalay_whole_nanoseconds(fmin(MAX_MEASURING_SECONDS, MEASURING_FRACTION * seconds));
}
