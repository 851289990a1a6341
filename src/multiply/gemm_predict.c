#include "base/integer.h"
#include "base/memory.h"
#include "base/text.h"
#include "layout/layout.h"
#include "model/machine.h"
#include "multiply/gemm_object.h"
#include "multiply/moving.h"
#include "multiply/summa_object.h"

/* What a multiplication should take, and what is said about it. */

/* -------------------------------------------------------------------------------------------------- reading */

static int is_read(const scalay_gemm *gemm)
{
    return gemm->summa != NULL && gemm->summa->transport == &scalay_summa_shared;
}

/* What each part reads, on all ranks. Copies of what was moved are seen by the whole node. */
static scalay_status count_reading(scalay_gemm *gemm)
{
    scalay_status status = SCALAY_SUCCESS;
    enum { SEGMENTS, COPIED, COUNTS };
    const int is_seen[2] = {gemm->a.moves, gemm->b.moves};
    const int parts = scalay_owner_map_parts(gemm->map);
    int64_t mine[COUNTS], *all = NULL;
    if (!is_read(gemm)) return SCALAY_SUCCESS;
    status = scalay_summa_count_reading(gemm->summa, is_seen, &mine[SEGMENTS], &mine[COPIED]);
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

/* Of the parts' elements of C. */
typedef struct {
    int64_t active; /* parts that have some */
    int64_t most;   /* of a part */
} shares;

static shares shares_of(const scalay_gemm *gemm)
{
    shares found = {0};
    for (int part = 0; part < scalay_owner_map_parts(gemm->map); part++) {
        const int64_t count = scalay_owner_map_elements(gemm->map, part);
        found.active += count > 0;
        found.most = scalay_max_int64(found.most, count);
    }
    return found;
}

/* Seconds per operation of the parts: those given for their ranks, or the machine's, as the ranks share its cores. */
static scalay_status seconds_of_parts(const scalay_gemm *gemm, const scalay_machine *machine, const double *of_ranks,
                                      double **of_parts)
{
    scalay_status status = SCALAY_SUCCESS;
    const int parts = scalay_owner_map_parts(gemm->map);
    const shares share = shares_of(gemm);
    const double most = (double)share.most, all = (double)gemm->m * (double)gemm->n;
    const double shared = most > 0.0 ? scalay_machine_spread(machine, share.active, 1, most, all) / most : 1.0;
    const double alike = shared * machine->seconds_per_flop * scalay_type_flop_weight(gemm->type);
    SCALAY_TRY(SCALAY_NEW(*of_parts, parts));
    for (int part = 0; part < parts; part++)
        (*of_parts)[part] = of_ranks != NULL ? of_ranks[gemm->process[part]] : alike;
cleanup:
    return status;
}

/* Reading is work of the reader's processor: what is copied, and so much for each stretch. The rate of copying is that
 * of all ranks at work; on a processor of its own, for which others wait in turn, a rank is faster. */
static scalay_machine reading_rates(const scalay_gemm *gemm, scalay_machine rates, scalay_multiply_options *model)
{
    model->reads = 1;
    model->messages = gemm->segments;
    model->copied = gemm->copied;
    model->concurrent_transfers = (int)scalay_machine_concurrent_processes(&rates, shares_of(gemm).active);
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
    scalay_machine rates = scalay_machine_or_typical(machine);
    SCALAY_TRY(scalay_machine_check(&rates, gemm->type, "scalay_gemm_create"));
    SCALAY_TRY(seconds_of_parts(gemm, &rates, seconds_per_flop, &seconds));
    if (gemm->summa != NULL) SCALAY_TRY(scalay_summa_get_statistics(gemm->summa, &summa));
    if (is_read(gemm)) rates = reading_rates(gemm, rates, &model);
    model.panel = summa.panel;
    model.seconds_per_flop = seconds;
    SCALAY_TRY(scalay_model_multiply(&rates, gemm->type, gemm->map, gemm->k, &model, compute, communicate, time));
cleanup:
    scalay_release(seconds);
    return status;
}

/* The speeds of a grid's processes in those of the machine. What they share is in the seconds that are given. */
static scalay_status grid_speeds(const scalay_gemm *gemm, const double *of_ranks, scalay_machine *machine,
                                 double **speed)
{
    scalay_status status = SCALAY_SUCCESS;
    const double usual = machine->seconds_per_flop * scalay_type_flop_weight(gemm->type);
    const int parts = gemm->grid[0] * gemm->grid[1];
    if (of_ranks == NULL || usual == 0.0) return SCALAY_SUCCESS;
    for (int part = 0; part < parts; part++)
        if (of_ranks[gemm->process[part]] <= 0.0) return SCALAY_SUCCESS;
    SCALAY_TRY(SCALAY_NEW(*speed, parts));
    for (int part = 0; part < parts; part++) (*speed)[part] = usual / of_ranks[gemm->process[part]];
    machine->solo_time_ratio = 0.0;
cleanup:
    return status;
}

static scalay_status predict_grid(scalay_gemm *gemm, const scalay_gemm_options *options)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_machine machine = scalay_machine_or_typical(options->machine);
    scalay_gemm_statistics *s = &gemm->statistics;
    scalay_gemm_cost cost;
    double *speed = NULL;
    SCALAY_TRY(grid_speeds(gemm, options->seconds_per_flop, &machine, &speed));
    SCALAY_TRY(scalay_model_gemm(&machine, gemm->type, gemm->m, gemm->n, gemm->k, gemm->grid[0], gemm->grid[1],
                                 (int)gemm->c.target->row.block, speed, &cost));
    s->predicted_compute_seconds = cost.compute_seconds + cost.memory_seconds;
    s->predicted_communicate_seconds = cost.message_seconds;
    s->predicted_multiply_seconds = cost.seconds;
cleanup:
    scalay_release(speed);
    return status;
}

static scalay_status predict_multiplication(scalay_gemm *gemm, const scalay_gemm_options *options)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_gemm_statistics *s = &gemm->statistics;
    scalay_multiply_time time = {0};
    SCALAY_TRY(scalay_gemm_model(gemm, options->machine, options->seconds_per_flop, NULL, NULL, &time));
    s->multiply_volume = gemm->summa != NULL ? scalay_summa_volume(gemm->summa) : time.volume;
    s->predicted_compute_seconds = time.compute_seconds;
    s->predicted_communicate_seconds = time.communicate_seconds;
    s->predicted_multiply_seconds = time.seconds;
    if (gemm->grid[0] > 0) SCALAY_TRY(predict_grid(gemm, options));
cleanup:
    return status;
}

/* What moves there, or stays, as a plan has it. */
static int64_t segments_there(const scalay_layout *where, scalay_op op, const scalay_gemm_matrix *matrix)
{
    if (!matrix->moves) return 0;
    return scalay_moving_segments(where, matrix->target, op == matrix->op ? SCALAY_NO_TRANSPOSE : op);
}

scalay_status scalay_gemm_predict(scalay_gemm *gemm, const scalay_gemm_request *r)
{
    scalay_status status = SCALAY_SUCCESS;
    double *moving = &gemm->statistics.predicted_move_seconds;
    const int64_t there = segments_there(r->a, r->op_a, &gemm->a) + segments_there(r->b, r->op_b, &gemm->b);
    const int64_t back = gemm->c.moves ? scalay_layout_segments(gemm->c.target, r->c) : 0;
    SCALAY_TRY(count_reading(gemm));
    SCALAY_TRY(scalay_comm_agree(gemm->comm, predict_multiplication(gemm, r->options)));
    SCALAY_TRY(scalay_moving_predict(gemm->comm, gemm->there, there, gemm->type, r->options->machine, moving));
    SCALAY_TRY(scalay_moving_predict(gemm->comm, gemm->back, back, gemm->type, r->options->machine, moving));
cleanup:
    return status;
}

/* ---------------------------------------------------------------------------------------------- description */

static void describe_moves(const scalay_gemm *gemm, scalay_text *text)
{
    const scalay_gemm_statistics *s = &gemm->statistics;
    if (gemm->a.moves || gemm->b.moves)
        scalay_text_append(text, "%s moved first: %lld elements change process in %lld one-port steps. ",
                           !gemm->b.moves   ? "A is"
                           : !gemm->a.moves ? "B is"
                                            : "A and B are",
                           (long long)s->move_volume, (long long)s->move_steps);
    if (gemm->c.moves)
        scalay_text_append(text, "The product is brought back: %lld elements change process. ",
                           (long long)s->back_volume);
    if (!gemm->a.moves && !gemm->b.moves && !gemm->c.moves) scalay_text_append(text, "Nothing is moved. ");
}

static void describe_multiplication(const scalay_gemm *gemm, scalay_text *text)
{
    const scalay_gemm_statistics *s = &gemm->statistics;
    if (gemm->grid[0] > 0)
        scalay_text_append(text, "p?gemm on a %d x %d grid, in which at least %lld elements travel. ", gemm->grid[0],
                           gemm->grid[1], (long long)s->multiply_volume);
    else
        scalay_text_append(text, "SUMMA on an owner map of %d parts, in which %lld elements travel. ",
                           scalay_owner_map_parts(gemm->map), (long long)s->multiply_volume);
    scalay_text_append(text, "Predicted: moving %.3g s, multiplying %.3g s (computing %.3g s, communicating %.3g s).",
                       s->predicted_move_seconds, s->predicted_multiply_seconds, s->predicted_compute_seconds,
                       s->predicted_communicate_seconds);
    if (s->multiply_seconds > 0.0)
        scalay_text_append(text, " Measured on this rank: moving %.3g s, multiplying %.3g s (computing %.3g s).",
                           s->move_seconds + s->back_seconds, s->multiply_seconds, s->compute_seconds);
}

int scalay_gemm_describe(const scalay_gemm *gemm, char *text, size_t size)
{
    scalay_text all = {text, text != NULL ? size : 0, 0};
    if (gemm == NULL) {
        scalay_text_append(&all, "no multiplication");
        return (int)all.length;
    }
    scalay_text_append(&all, "C (%lld x %lld) := op(A) op(B), k = %lld, on %d processes. ", (long long)gemm->m,
                       (long long)gemm->n, (long long)gemm->k, gemm->comm->size);
    if (gemm->map == NULL) {
        scalay_text_append(&all, "C has no elements: there is nothing to do.");
        return (int)all.length;
    }
    describe_moves(gemm, &all);
    describe_multiplication(gemm, &all);
    return (int)all.length;
}
