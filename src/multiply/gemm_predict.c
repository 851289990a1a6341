/*
 * Predicted times of a planned product, and its description.
 *
 * The prediction of SUMMA is scalay_model_multiply() with the segments and copies of the plan. That of p?gemm is
 * scalay_model_gemm(). Moves are predicted by scalay_model_move().
 */

#include "base/integer.h"
#include "base/memory.h"
#include "base/text.h"
#include "layout/layout.h"
#include "model/machine.h"
#include "model/move.h"
#include "model/product.h"
#include "multiply/gemm.h"
#include "multiply/move_time.h"
#include "multiply/summa.h"
#include "parallel/comm.h"
#include "parallel/node.h"
#include "redist/plan.h"

int64_t scalay_move_segments(const scalay_layout *source, const scalay_layout *target, scalay_op op)
{
    return op == SCALAY_NO_TRANSPOSE ? scalay_layout_segments(source, target) : 0;
}

/* Adds the channels of one side of a plan to those within nodes and between nodes. */
static void add_channels(const scalay_channel_list *list, const int *node, int rank, int64_t size, int is_out,
                         scalay_flow *within, scalay_flow *between)
{
    for (int64_t k = 0; k < list->count; k++) {
        scalay_flow *flow = node[list->channel[k].peer] == node[rank] ? within : between;
        *(is_out ? &flow->out : &flow->in) += list->channel[k].bytes / size;
        ++*(is_out ? &flow->messages_out : &flow->messages_in);
    }
}

/* Counts what a plan sends within nodes and between nodes. Collective over comm. */
static scalay_status count_between(scalay_comm *comm, const scalay_plan *plan, int64_t size, scalay_node_move *move)
{
    enum { STEPS, MESSAGES, STEPS_WITHIN, MESSAGES_WITHIN, OF_NODE, MAXIMA };
    scalay_status status = SCALAY_SUCCESS;
    scalay_flow within = {0}, between = {0};
    const int *node = NULL;
    *move = (scalay_node_move){.is_known = 0};
    SCALAY_TRY(scalay_node_of_ranks(comm, &node));
    if (node == NULL) return SCALAY_SUCCESS;
    add_channels(&plan->source, node, comm->rank, size, 1, &within, &between);
    add_channels(&plan->target, node, comm->rank, size, 0, &within, &between);
    int64_t of_node[2] = {between.out, between.in}, volume = between.out;
    SCALAY_TRY_MPI(MPI_Allreduce(MPI_IN_PLACE, of_node, 2, MPI_INT64_T, MPI_SUM, comm->node->mpi));
    int64_t most[MAXIMA] = {
        scalay_max_int64(between.out, between.in), scalay_max_int64(between.messages_out, between.messages_in),
        scalay_max_int64(within.out, within.in), scalay_max_int64(within.messages_out, within.messages_in),
        scalay_max_int64(of_node[0], of_node[1]) / comm->node->size};
    SCALAY_TRY_MPI(MPI_Allreduce(MPI_IN_PLACE, most, MAXIMA, MPI_INT64_T, MPI_MAX, comm->mpi));
    SCALAY_TRY_MPI(MPI_Allreduce(MPI_IN_PLACE, &volume, 1, MPI_INT64_T, MPI_SUM, comm->mpi));
    *move = (scalay_node_move){
        1, volume, most[STEPS], most[MESSAGES], most[STEPS_WITHIN], most[MESSAGES_WITHIN], (double)most[OF_NODE]};
cleanup:
    return status;
}

scalay_status scalay_move_time(scalay_comm *comm, const scalay_plan *plan, int64_t segments, scalay_type type,
                               const scalay_machine *machine, double *seconds)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_plan_statistics plan_statistics;
    if (plan == NULL) return SCALAY_SUCCESS;
    SCALAY_TRY(scalay_plan_get_statistics(plan, &plan_statistics));
    const int64_t size = (int64_t)scalay_type_size(type);
    const int64_t kept = plan_statistics.bytes_kept / size;
    int64_t most[2] = {scalay_max_int64(plan_statistics.messages_sent, plan_statistics.messages_received), kept},
            all_kept = kept;
    SCALAY_TRY_MPI(MPI_Allreduce(MPI_IN_PLACE, most, 2, MPI_INT64_T, MPI_MAX, comm->mpi));
    SCALAY_TRY_MPI(MPI_Allreduce(MPI_IN_PLACE, &all_kept, 1, MPI_INT64_T, MPI_SUM, comm->mpi));
    scalay_move move = {.volume = plan_statistics.volume,
                        .steps = plan_statistics.steps,
                        .messages = most[0],
                        .kept = most[1],
                        .items = plan_statistics.volume + all_kept,
                        .segments = segments,
                        .processes = comm->size};
    if (plan->count == 1 && plan->matrices[0].source.trapezoid.uplo != SCALAY_WHOLE) scalay_move_copy_triangle(&move);
    scalay_node_move between;
    SCALAY_TRY(count_between(comm, plan, size, &between));
    *seconds += scalay_model_move_nodes(machine, type, &move, &between);
cleanup:
    return status;
}

/* ------------------------------------------------------------------------------- transport "shared" */

/* Arrays that are not known are taken for ordinary ones. If the first execution finds such arrays, a plan that waits
 * for it sends panels. */
static int panels_are_read(const scalay_gemm *gemm)
{
    return gemm->summa != NULL && gemm->summa->transport == &scalay_summa_shared && gemm->summa->undecided == NULL;
}

/* Gathers the segments and copies of each part. Copies of moved matrices are visible to the whole node. */
static scalay_status count_reading(scalay_gemm *gemm)
{
    scalay_status status = SCALAY_SUCCESS;
    enum { SEGMENTS, COPIED, COUNTS };
    const int is_visible[2] = {gemm->a.moves, gemm->b.moves};
    const int parts = scalay_owner_map_parts(gemm->map);
    int64_t mine[COUNTS], *all = NULL;
    if (!panels_are_read(gemm)) return SCALAY_SUCCESS;
    status = scalay_summa_count_reading(gemm->summa, is_visible, &mine[SEGMENTS], &mine[COPIED]);
    if (status == SCALAY_SUCCESS) status = SCALAY_NEW(all, COUNTS * (int64_t)gemm->comm->size);
    if (status == SCALAY_SUCCESS) status = SCALAY_NEW(gemm->segments, parts);
    if (status == SCALAY_SUCCESS) status = SCALAY_NEW(gemm->copied, parts);
    SCALAY_TRY(scalay_comm_agree(gemm->comm, status));
    SCALAY_TRY_MPI(MPI_Allgather(mine, COUNTS, MPI_INT64_T, all, COUNTS, MPI_INT64_T, gemm->comm->mpi));
    for (int part = 0; part < parts; part++) {
        gemm->segments[part] = all[COUNTS * gemm->process[part] + SEGMENTS];
        gemm->copied[part] = all[COUNTS * gemm->process[part] + COPIED];
    }
cleanup:
    scalay_release(all);
    return status;
}

/* ---------------------------------------------------------------------------------------------- predictions */

/* Returns the nodes of the ranks; not known if there is one. */
static scalay_nodes nodes_of(const scalay_gemm *gemm)
{
    return (scalay_nodes){.processes = gemm->comm->size, .node = gemm->comm->node->node_of_rank};
}

static int64_t nonempty_parts(const scalay_gemm *gemm)
{
    int64_t nonempty = 0;
    for (int part = 0; part < scalay_owner_map_parts(gemm->map); part++)
        nonempty += scalay_owner_map_elements(gemm->map, part) > 0;
    return nonempty;
}

/* Sets the seconds per flop of each part, from those of its rank; NULL: the model has the rates of the machine. */
static scalay_status seconds_of_parts(const scalay_gemm *gemm, const double *of_ranks, double **of_parts)
{
    scalay_status status = SCALAY_SUCCESS;
    const int parts = scalay_owner_map_parts(gemm->map);
    if (of_ranks == NULL) return SCALAY_SUCCESS;
    SCALAY_TRY(SCALAY_NEW(*of_parts, parts));
    for (int part = 0; part < parts; part++) (*of_parts)[part] = of_ranks[gemm->process[part]];
cleanup:
    return status;
}

/* Returns 1 if part j of the map is part j of the layout in which C is computed. */
static int has_parts_of_map(const scalay_gemm *gemm)
{
    const scalay_layout *layout = gemm->c.target;
    if (scalay_layout_parts(layout) != scalay_owner_map_parts(gemm->map)) return 0;
    for (int part = 0; part < scalay_owner_map_parts(gemm->map); part++)
        if (scalay_layout_process_of_part(layout, part) != gemm->process[part]) return 0;
    return 1;
}

/* Reading takes time of the reader's core: a rate per byte copied, and a cost per segment. The copy rate of the machine
 * is measured with all ranks at work. A rank that is alone on a core is faster by the solo time ratio. */
static scalay_machine reading_rates(const scalay_gemm *gemm, scalay_machine rates, scalay_multiply_options *model)
{
    model->reads = 1;
    model->messages = gemm->segments;
    model->copied = gemm->copied;
    model->concurrent_transfers = (int)scalay_machine_concurrent_processes(&rates, nonempty_parts(gemm));
    if (rates.solo_time_ratio > 0.0) rates.seconds_per_byte_copied *= rates.solo_time_ratio;
    rates.seconds_per_message = SCALAY_SEGMENT_BYTES * rates.seconds_per_byte_copied;
    rates.seconds_per_byte = 0.0;
    return rates;
}

scalay_status scalay_gemm_model(const scalay_gemm *gemm, const scalay_machine *machine, const double *seconds_per_flop,
                                double *compute, double *communicate, scalay_multiply_time *time)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_multiply_options model = scalay_multiply_options_default();
    scalay_summa_statistics summa = {.panel = model.panel};
    double *seconds = NULL;
    const scalay_nodes nodes = nodes_of(gemm);
    scalay_machine rates = scalay_machine_or_typical(machine);
    SCALAY_TRY(scalay_machine_check(&rates, gemm->type, "scalay_gemm_create"));
    SCALAY_TRY(seconds_of_parts(gemm, seconds_per_flop, &seconds));
    if (gemm->summa != NULL) SCALAY_TRY(scalay_summa_get_statistics(gemm->summa, &summa));
    if (panels_are_read(gemm)) rates = reading_rates(gemm, rates, &model);
    model.panel = summa.panel;
    model.seconds_per_flop = seconds;
    const scalay_summa_problem problem = {.c = has_parts_of_map(gemm) ? gemm->c.target : NULL,
                                          .map = gemm->map,
                                          .k = gemm->k,
                                          .nodes = &nodes,
                                          .process = gemm->process,
                                          .compute = compute,
                                          .communicate = communicate};
    SCALAY_TRY(scalay_summa_predict(&rates, gemm->type, &problem, &model, time));
cleanup:
    scalay_release(seconds);
    return status;
}

/* Sets the speeds of the grid's processes relative to the machine. The given rates include the sharing of cores. */
static scalay_status grid_speeds(const scalay_gemm *gemm, const double *of_ranks, scalay_machine *machine,
                                 double **speed)
{
    scalay_status status = SCALAY_SUCCESS;
    const double machine_rate = machine->seconds_per_flop * scalay_type_flop_weight(gemm->type);
    const int parts = gemm->grid[0] * gemm->grid[1];
    if (of_ranks == NULL || machine_rate == 0.0) return SCALAY_SUCCESS;
    for (int part = 0; part < parts; part++)
        if (of_ranks[gemm->process[part]] <= 0.0) return SCALAY_SUCCESS;
    SCALAY_TRY(SCALAY_NEW(*speed, parts));
    for (int part = 0; part < parts; part++) (*speed)[part] = machine_rate / of_ranks[gemm->process[part]];
    machine->solo_time_ratio = 0.0;
cleanup:
    return status;
}

static scalay_status predict_grid(scalay_gemm *gemm, const scalay_gemm_request *r)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_machine machine = scalay_machine_or_typical(scalay_gemm_request_machine(r));
    scalay_gemm_statistics *s = &gemm->statistics;
    const scalay_nodes nodes = nodes_of(gemm);
    scalay_gemm_cost cost;
    double *speed = NULL;
    SCALAY_TRY(grid_speeds(gemm, r->options->seconds_per_flop, &machine, &speed));
    const int nb = (int)gemm->c.target->row.block;
    scalay_load_grid grid = {.nprow = gemm->grid[0], .npcol = gemm->grid[1], .mb = nb, .nb = nb, .speed = speed};
    SCALAY_TRY(scalay_nodes_set_links(&machine, &nodes, gemm->c.target, &grid));
    SCALAY_TRY(scalay_gemm_on_grid(&machine, gemm->type, gemm->m, gemm->n, gemm->k, &grid, "scalay_model_gemm", &cost));
    s->predicted_compute_seconds = cost.compute_seconds + cost.memory_seconds;
    s->predicted_communicate_seconds = cost.message_seconds;
    s->predicted_multiply_seconds = cost.seconds;
cleanup:
    scalay_release(speed);
    return status;
}

static scalay_status predict_multiplication(scalay_gemm *gemm, const scalay_gemm_request *r)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_gemm_statistics *s = &gemm->statistics;
    scalay_multiply_time time = {0};
    SCALAY_TRY(
        scalay_gemm_model(gemm, scalay_gemm_request_machine(r), r->options->seconds_per_flop, NULL, NULL, &time));
    s->multiply_volume = gemm->summa != NULL ? gemm->summa->statistics.volume : time.volume;
    s->predicted_compute_seconds = time.compute_seconds;
    s->predicted_communicate_seconds = time.communicate_seconds;
    s->predicted_multiply_seconds = time.seconds;
    if (gemm->grid[0] > 0) SCALAY_TRY(predict_grid(gemm, r));
cleanup:
    return status;
}

/* Returns the segments of an operand that moves. */
static int64_t operand_segments(const scalay_layout *where, scalay_op op, const scalay_gemm_matrix *matrix)
{
    if (!matrix->moves) return 0;
    return scalay_move_segments(where, matrix->target, op == matrix->op ? SCALAY_NO_TRANSPOSE : op);
}

scalay_status scalay_gemm_predict(scalay_gemm *gemm, const scalay_gemm_request *r)
{
    scalay_status status = SCALAY_SUCCESS;
    const scalay_machine *machine = scalay_gemm_request_machine(r);
    double *moving = &gemm->statistics.predicted_move_seconds;
    const int64_t there = operand_segments(r->a, r->op_a, &gemm->a) + operand_segments(r->b, r->op_b, &gemm->b);
    const int *node = NULL; /* collective; the predictions read it from the communicator */
    const int64_t back = gemm->c.moves ? scalay_layout_segments(gemm->c.target, r->c) : 0;
    SCALAY_TRY(scalay_node_of_ranks(gemm->comm, &node));
    SCALAY_TRY(count_reading(gemm));
    SCALAY_TRY(scalay_comm_agree(gemm->comm, predict_multiplication(gemm, r)));
    SCALAY_TRY(scalay_move_time(gemm->comm, gemm->operand_plan, there, gemm->type, machine, moving));
    SCALAY_TRY(scalay_move_time(gemm->comm, gemm->result_plan, back, gemm->type, machine, moving));
cleanup:
    return status;
}

/* ---------------------------------------------------------------------------------------------- description */

static void describe_moves(const scalay_gemm *gemm, scalay_text *text)
{
    const scalay_gemm_statistics *s = &gemm->statistics;
    if (gemm->a.moves || gemm->b.moves)
        scalay_text_append(text, "%s moved before the product: %lld elements change process, in %lld one-port steps. ",
                           !gemm->b.moves   ? "A is"
                           : !gemm->a.moves ? "B is"
                                            : "A and B are",
                           (long long)s->move_volume, (long long)s->move_steps);
    if (gemm->c.moves)
        scalay_text_append(text, "The result is moved to C: %lld elements change process. ", (long long)s->back_volume);
    if (!gemm->a.moves && !gemm->b.moves && !gemm->c.moves) scalay_text_append(text, "Nothing is moved. ");
}

static void describe_multiplication(const scalay_gemm *gemm, scalay_text *text)
{
    const scalay_gemm_statistics *s = &gemm->statistics;
    if (gemm->grid[0] > 0)
        scalay_text_append(text, "p?gemm on a %d x %d grid, with a volume of at least %lld elements. ", gemm->grid[0],
                           gemm->grid[1], (long long)s->multiply_volume);
    else
        scalay_text_append(text, "SUMMA on an owner map of %d parts, with a volume of %lld elements. ",
                           scalay_owner_map_parts(gemm->map), (long long)s->multiply_volume);
    scalay_text_append(text, "Predicted: moves %.3g s, product %.3g s (computation %.3g s, communication %.3g s).",
                       s->predicted_move_seconds, s->predicted_multiply_seconds, s->predicted_compute_seconds,
                       s->predicted_communicate_seconds);
    if (s->multiply_seconds > 0.0)
        scalay_text_append(text, " Measured on this rank: moves %.3g s, product %.3g s (computation %.3g s).",
                           s->move_seconds + s->back_seconds, s->multiply_seconds, s->compute_seconds);
}

int scalay_gemm_describe(const scalay_gemm *gemm, char *text, size_t size)
{
    scalay_text all = {text, text != NULL ? size : 0, 0};
    if (gemm == NULL) {
        scalay_text_append(&all, "no product");
        return (int)all.length;
    }
    scalay_text_append(&all, "C (%lld x %lld) := op(A) op(B), k = %lld, on %d processes. ", (long long)gemm->m,
                       (long long)gemm->n, (long long)gemm->k, gemm->comm->size);
    if (gemm->map == NULL) {
        scalay_text_append(&all, "C has no elements.");
        return (int)all.length;
    }
    describe_moves(gemm, &all);
    describe_multiplication(gemm, &all);
    return (int)all.length;
}
