/*
 * Execution of a SUMMA plan: for each panel, take it from the transport, start the next one, and add its product to C
 * by the gemm calls of this rank. The product with beta is part of the first panel.
 *
 * If a rank can no longer read the memory of another one, it keeps what it has added to C. The remaining panels, and
 * all later executions of the plan, use messages.
 */

/* For clock_gettime. */
#define _POSIX_C_SOURCE 200809L

#include <string.h>
#include <time.h>

#include "base/integer.h"
#include "multiply/summa.h"
#include "parallel/node.h"

/* Progress is made on pending messages every so many flops, which take about 30 ms. Each part of a gemm packs all of A
 * again, so parts must not be short. */
static const double flops_between_advances = 1e9;
/* A gemm is not split into parts of fewer columns. */
enum { MIN_COLUMNS = 256 };

static const char execute_name[] = "scalay_summa_execute";

static int is_multiplied(const scalay_summa *summa)
{
    return !summa->options.no_computation;
}

/* ----------------------------------------------------------------------------------------- gathered tiles */

static void copy_columns(const char *from, int64_t from_ld, char *to, int64_t to_ld, const scalay_summa_tile *tile,
                         size_t size)
{
    for (int64_t k = 0; k < tile->cols; k++)
        memcpy(to + (size_t)(k * to_ld) * size, from + (size_t)(k * from_ld) * size, (size_t)tile->rows * size);
}

static char *gathered_at(const scalay_summa *summa, const scalay_summa_call *call, const scalay_summa_tile *tile)
{
    return summa->gather + (size_t)(tile->row + tile->col * call->ld) * summa->side[0].size;
}

/* Copies the tiles of a call to one array, multiplies, and copies them back. */
static void multiply_tiles(scalay_summa *summa, const scalay_summa_call *call, scalay_gemm_arguments *gemm, char *c)
{
    const size_t size = summa->side[0].size;
    const int is_read = !scalay_element_is_zero(summa->type, gemm->beta);
    gemm->c = summa->gather;
    gemm->ldc = call->ld;
    for (int64_t k = call->first_tile; is_read && k < call->end_tile; k++) {
        const scalay_summa_tile *tile = &summa->tiles[k];
        copy_columns(c + (size_t)tile->offset * size, tile->ld, gathered_at(summa, call, tile), call->ld, tile, size);
    }
    summa->gemm->multiply(gemm);
    for (int64_t k = call->first_tile; k < call->end_tile; k++) {
        const scalay_summa_tile *tile = &summa->tiles[k];
        copy_columns(gathered_at(summa, call, tile), call->ld, c + (size_t)tile->offset * size, tile->ld, tile, size);
    }
}

/* -------------------------------------------------------------------------------------------- multiplying */

static double cpu_seconds(void)
{
    struct timespec now = {0};
    (void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* The clock of a thread is read by a system call, which takes as long as 1e5 flops. Calls of fewer flops than this are
 * shorter than a time slice, and count with their duration. */
static const double min_flops_of_cpu_time = 1e7;

/* Calls gemm for columns `done` and following of a call, and records its time. */
static void call_gemm(scalay_summa *summa, const scalay_summa_call *call, int64_t done, scalay_gemm_arguments *gemm,
                      char *c)
{
    scalay_summa_statistics *statistics = &summa->statistics;
    const double flops = summa->gemm->flops * (double)gemm->m * (double)gemm->n * (double)gemm->k;
    const int is_short = flops < min_flops_of_cpu_time;
    const double cpu_began = is_short ? 0.0 : cpu_seconds(), began = MPI_Wtime();
    if (call->end_tile > call->first_tile) {
        multiply_tiles(summa, call, gemm, c);
    } else {
        gemm->c = c + (size_t)(call->offset + done * call->ld) * summa->side[0].size;
        gemm->ldc = call->ld;
        summa->gemm->multiply(gemm);
    }
    statistics->gemm_calls++;
    const double seconds = MPI_Wtime() - began;
    statistics->cpu_seconds += is_short ? seconds : cpu_seconds() - cpu_began;
    statistics->compute_seconds += seconds;
}

/* Returns the columns of C to multiply between two calls of advance(). */
static int columns_per_part(const scalay_summa *summa, const scalay_summa_call *call, int64_t width)
{
    if (summa->transport->advance == NULL || summa->statistics.volume == 0 || call->end_tile > call->first_tile)
        return call->cols;
    const double wanted = flops_between_advances / (summa->gemm->flops * (double)call->rows * (double)width);
    const int64_t parts = scalay_max_int64(1, (int64_t)((double)call->cols / (wanted + 1.0)));
    return (int)scalay_min_int64(call->cols, scalay_max_int64(MIN_COLUMNS, scalay_ceil_div(call->cols, parts)));
}

/* Returns the address of element (line, 0) of a panel. */
static const char *panel_line(const scalay_summa_side *side, const scalay_summa_view *view, int64_t line)
{
    return view->start + (size_t)(side->lines_are_rows ? line : line * view->ld) * side->size;
}

/* A panel of one column can continue from tile to tile with any ld. gemm requires ld >= rows. */
static int leading_dimension(const scalay_summa_side *side, const scalay_summa_view *view, int64_t width, int lines)
{
    return (int)scalay_max_int64(view->ld, side->lines_are_rows ? lines : width);
}

static scalay_status multiply_call(scalay_summa *summa, const scalay_summa_operands *operands,
                                   const scalay_summa_call *call, int64_t panel, const scalay_summa_view *view)
{
    scalay_status status = SCALAY_SUCCESS;
    const int64_t width = summa->panels.panel[panel].width;
    const int step = columns_per_part(summa, call, width);
    scalay_gemm_arguments gemm = {.op_a = scalay_op_letter(summa->op[0]),
                                  .op_b = scalay_op_letter(summa->op[1]),
                                  .m = call->rows,
                                  .k = (int)width,
                                  .alpha = operands->alpha,
                                  .a = panel_line(&summa->side[0], &view[0], call->row),
                                  .lda = leading_dimension(&summa->side[0], &view[0], width, call->rows),
                                  .ldb = leading_dimension(&summa->side[1], &view[1], width, call->cols),
                                  .beta = panel == 0 ? operands->beta : summa->gemm->one};
    for (int64_t done = 0; done < call->cols; done += step) {
        gemm.n = (int)scalay_min_int64(step, call->cols - done);
        gemm.b = panel_line(&summa->side[1], &view[1], call->col + done);
        call_gemm(summa, call, done, &gemm, operands->c);
        if (summa->transport->advance != NULL) SCALAY_TRY(summa->transport->advance(summa));
    }
cleanup:
    return status;
}

static scalay_status multiply(scalay_summa *summa, const scalay_summa_operands *operands, int64_t panel,
                              const scalay_summa_view *view)
{
    scalay_status status = SCALAY_SUCCESS;
    for (int64_t k = 0; is_multiplied(summa) && k < summa->call_count; k++)
        SCALAY_TRY(multiply_call(summa, operands, &summa->calls[k], panel, view));
cleanup:
    return status;
}

/* C := beta C, by gemm with k = 0. */
static void scale(scalay_summa *summa, const scalay_summa_operands *operands)
{
    for (int64_t k = 0; is_multiplied(summa) && k < summa->call_count; k++) {
        const scalay_summa_call *call = &summa->calls[k];
        scalay_gemm_arguments gemm = {.op_a = 'N',
                                      .op_b = 'N',
                                      .m = call->rows,
                                      .n = call->cols,
                                      .alpha = operands->alpha,
                                      .a = summa->gemm->one,
                                      .lda = call->rows,
                                      .b = summa->gemm->one,
                                      .ldb = 1,
                                      .beta = operands->beta};
        call_gemm(summa, call, 0, &gemm, operands->c);
    }
}

/* ------------------------------------------------------------------------------------------------ panels */

static scalay_status timed_start(scalay_summa *summa, const scalay_summa_operands *operands, int64_t panel)
{
    if (panel == summa->panels.panels) return SCALAY_SUCCESS;
    const double began = MPI_Wtime();
    const scalay_status status = summa->transport->start(summa, operands, panel);
    summa->statistics.communicate_seconds += MPI_Wtime() - began;
    return status;
}

static scalay_status timed_take(scalay_summa *summa, const scalay_summa_operands *operands, int64_t panel,
                                scalay_summa_view *view)
{
    const double began = MPI_Wtime();
    const scalay_status status = summa->transport->take(summa, operands, panel, view);
    summa->statistics.communicate_seconds += MPI_Wtime() - began;
    return status;
}

/* Moves the panels from `first` on, and multiplies those from `own` on. With overlap, panel p + 1 is pending while
   panel p is multiplied. */
static scalay_status move_panels(scalay_summa *summa, const scalay_summa_operands *operands, int64_t first, int64_t own)
{
    scalay_status status = SCALAY_SUCCESS;
    const int overlaps = !summa->options.no_overlap;
    scalay_summa_view view[2];
    SCALAY_TRY(timed_start(summa, operands, first));
    for (int64_t p = first; p < summa->panels.panels; p++) {
        SCALAY_TRY(timed_take(summa, operands, p, view));
        if (summa->lost_panel == p) break;
        if (overlaps) SCALAY_TRY(timed_start(summa, operands, p + 1));
        if (p >= own) SCALAY_TRY(multiply(summa, operands, p, view));
        if (!overlaps) SCALAY_TRY(timed_start(summa, operands, p + 1));
    }
cleanup:
    return status;
}

/* Executes the panels from `first` on by the transport of the plan. */
static scalay_status run_from(scalay_summa *summa, const scalay_summa_operands *operands, int64_t first, int64_t own)
{
    double began = MPI_Wtime();
    summa->lost_panel = summa->first_lost_panel = summa->panels.panels;
    scalay_status status = summa->transport->begin(summa, operands);
    summa->statistics.communicate_seconds += MPI_Wtime() - began;
    if (status == SCALAY_SUCCESS) status = move_panels(summa, operands, first, own);
    if (status != SCALAY_SUCCESS && scalay_comm_is_broken(summa->comm)) return status; /* `end` would wait */
    began = MPI_Wtime();
    const scalay_status ended = summa->transport->end(summa);
    summa->statistics.communicate_seconds += MPI_Wtime() - began;
    return status != SCALAY_SUCCESS ? status : ended;
}

/* Changes to messages. The next plans of the communicator do not read, either. Collective. */
static scalay_status change_to_messages(scalay_summa *summa)
{
    summa->transport->destroy(summa);
    summa->transport = &scalay_summa_messages;
    summa->comm->node->can_read = 0;
    summa->statistics.workspace_bytes = summa->transport->workspace(summa, &summa->panels);
    return summa->transport->create(summa);
}

static scalay_status run(scalay_summa *summa, const scalay_summa_operands *operands)
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(scalay_summa_settle(summa, operands));
    SCALAY_TRY(run_from(summa, operands, 0, 0));
    if (summa->first_lost_panel == summa->panels.panels) goto cleanup;
    const int64_t first = summa->first_lost_panel, own = summa->lost_panel;
    SCALAY_TRY(change_to_messages(summa));
    SCALAY_TRY(run_from(summa, operands, first, own));
cleanup:
    return status;
}

/* ---------------------------------------------------------------------------------------------- arguments */

static scalay_status check_array(const scalay_summa *summa, int which, const void *array)
{
    static const char *const names[] = {"a", "b", "c"};
    if (array != NULL || summa->elements[which] == 0) return SCALAY_SUCCESS;
    return scalay_fail(SCALAY_ERROR_ARGUMENT, execute_name,
                       "%s is NULL, or too short in Fortran; it must have the %lld elements of this rank", names[which],
                       (long long)summa->elements[which]);
}

static scalay_status check(const scalay_summa *summa, const void *alpha, const void *a, const void *b, const void *beta,
                           const void *c)
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(scalay_check_not_null(summa, execute_name, "summa"));
    SCALAY_TRY(scalay_check_not_null(alpha, execute_name, "alpha"));
    SCALAY_TRY(scalay_check_not_null(beta, execute_name, "beta"));
    const int reads = !scalay_element_is_zero(summa->type, alpha);
    if (reads) SCALAY_TRY(check_array(summa, 0, a));
    if (reads) SCALAY_TRY(check_array(summa, 1, b));
    SCALAY_TRY(check_array(summa, 2, c));
cleanup:
    return status;
}

/* Clears the results of the last execution; those of planning remain. */
static void reset(scalay_summa_statistics *statistics)
{
    *statistics = (scalay_summa_statistics){.volume = statistics->volume,
                                            .panel = statistics->panel,
                                            .panels = statistics->panels,
                                            .workspace_bytes = statistics->workspace_bytes};
}

scalay_status scalay_summa_execute(scalay_summa *summa, const void *alpha, const void *a, const void *b,
                                   const void *beta, void *c)
{
    scalay_status status = check(summa, alpha, a, b, beta, c);
    if (status != SCALAY_SUCCESS) return status;
    const double began = MPI_Wtime();
    const scalay_summa_operands operands = {.matrix = {a, b}, .alpha = alpha, .beta = beta, .c = c};
    reset(&summa->statistics);
    if (summa->panels.panels == 0 || scalay_element_is_zero(summa->type, alpha))
        scale(summa, &operands);
    else
        status = run(summa, &operands);
    summa->statistics.seconds = MPI_Wtime() - began;
    return status;
}
