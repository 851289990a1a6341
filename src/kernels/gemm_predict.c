#include "core/integer.h"
#include "core/memory.h"
#include "core/text.h"
#include "kernels/gemm_object.h"
#include "kernels/moving.h"
#include "kernels/summa_object.h"

/* What a multiplication should take, and what is said about it. */

/* ---------------------------------------------------------------------------------------------- predictions */

/* The speeds of the parts, given those of the ranks. */
static scalay_status speeds_of_parts(const scalay_gemm *gemm, const double *of_ranks, double **of_parts)
{
    scalay_status status = SCALAY_SUCCESS;
    const int parts = scalay_owner_map_parts(gemm->map);
    *of_parts = NULL;
    if (of_ranks == NULL) return SCALAY_SUCCESS;
    SCALAY_TRY(SCALAY_NEW(*of_parts, parts));
    for (int part = 0; part < parts; part++) (*of_parts)[part] = of_ranks[gemm->process[part]];
cleanup:
    return status;
}

/* What the links do, for the way that panels take: on a node they are read, and that is copying. */
static scalay_machine rates_of(const scalay_gemm *gemm, const scalay_machine *given, int *reads)
{
    scalay_machine rates = given != NULL ? *given : scalay_machine_typical();
    *reads = gemm->summa != NULL && gemm->summa->transport == &scalay_summa_shared;
    if (!*reads) return rates;
    rates.seconds_per_message = 0.0;
    rates.seconds_per_byte = rates.seconds_per_byte_copied;
    return rates;
}

scalay_status scalay_gemm_model(const scalay_gemm *gemm, const scalay_machine *machine, const double *seconds_per_flop,
                                double *compute, double *communicate, scalay_multiply_time *time)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_multiply_options model = scalay_multiply_options_default();
    scalay_summa_statistics summa = {.panel = model.panel};
    double *speeds = NULL;
    const scalay_machine rates = rates_of(gemm, machine, &model.reads);
    SCALAY_TRY(speeds_of_parts(gemm, seconds_per_flop, &speeds));
    if (gemm->summa != NULL) SCALAY_TRY(scalay_summa_get_statistics(gemm->summa, &summa));
    model.panel = summa.panel;
    model.seconds_per_flop = speeds;
    SCALAY_TRY(scalay_model_multiply(&rates, gemm->type, gemm->map, gemm->k, &model, compute, communicate, time));
cleanup:
    scalay_release(speeds);
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
cleanup:
    return status;
}

scalay_status scalay_gemm_predict(scalay_gemm *gemm, const scalay_gemm_options *options)
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(scalay_comm_agree(gemm->comm, predict_multiplication(gemm, options)));
    double *moving = &gemm->statistics.predicted_move_seconds;
    SCALAY_TRY(scalay_moving_predict(gemm->comm, gemm->there, gemm->type, options->machine, moving));
    SCALAY_TRY(scalay_moving_predict(gemm->comm, gemm->back, gemm->type, options->machine, moving));
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
