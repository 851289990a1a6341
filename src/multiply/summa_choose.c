#include <limits.h>
#include <string.h>

#include "base/integer.h"
#include "multiply/summa_object.h"

/* How panels travel, and how wide they are: the same on all ranks. */

static const char create_name[] = "scalay_summa_create";

/* By preference. */
static const scalay_summa_transport *const transports[] = {&scalay_summa_shared, &scalay_summa_broadcast,
                                                           &scalay_summa_messages};
enum { TRANSPORTS = (int)(sizeof transports / sizeof transports[0]) };

/* -------------------------------------------------------------------------------------------- transports */

enum { ANY = -1 };

/* The place in the table of the one that is wanted, or ANY. */
static scalay_status find_name(const char *name, int *wanted)
{
    *wanted = ANY;
    if (name == NULL || strcmp(name, "auto") == 0) return SCALAY_SUCCESS;
    for (int k = 0; k < TRANSPORTS; k++)
        if (strcmp(name, transports[k]->name) == 0) *wanted = k;
    if (*wanted != ANY) return SCALAY_SUCCESS;
    return scalay_fail(SCALAY_ERROR_ARGUMENT, create_name,
                       "options->transport is \"%.20s\"; pass \"auto\", \"messages\", \"broadcast\" or \"shared\"",
                       name);
}

scalay_status scalay_summa_choose_transport(scalay_summa *summa, const char *name, const scalay_layout *c,
                                            const scalay_summa_panels *classes)
{
    scalay_status status = SCALAY_SUCCESS;
    const char *reason = "";
    int wanted = ANY;
    SCALAY_TRY(scalay_comm_agree(summa->comm, find_name(name, &wanted)));
    SCALAY_TRY(scalay_comm_agree_value(summa->comm, (uint64_t)wanted, create_name, "options->transport"));
    for (int k = 0; k < TRANSPORTS && summa->transport == NULL; k++) {
        const scalay_summa_transport *way = transports[k];
        if (wanted != ANY && wanted != k) continue;
        if (way->probe != NULL) SCALAY_TRY(way->probe(summa, c, classes));
        if (!way->applicable(summa, &reason)) continue;
        if (wanted == k || way->helps == NULL || way->helps(summa)) summa->transport = way;
    }
    if (summa->transport == NULL)
        status = scalay_fail(SCALAY_ERROR_UNSUPPORTED, create_name,
                             "options->transport \"%.20s\" cannot be used: %s; pass \"auto\"", name, reason);
cleanup:
    return status;
}

/* ------------------------------------------------------------------------------------------------ panels */

/* Calls of gemm with fewer elements of C than this square, on the average, want narrow panels, whose factors stay in
 * the caches: docs/multiply.md has figures. */
enum { SMALL_CALL = 96 };

static int64_t usual_width(const scalay_summa *summa)
{
    const int64_t width = summa->transport->width;
    double elements = 0.0;
    for (int64_t k = 0; k < summa->call_count; k++)
        elements += (double)summa->calls[k].rows * (double)summa->calls[k].cols;
    return elements < (double)summa->call_count * SMALL_CALL * SMALL_CALL ? scalay_min_int64(width, SCALAY_SUMMA_WIDTH)
                                                                          : width;
}

/* The widest panel that was asked for whose elements, and with them messages', can be counted in an int on all ranks.
 */
static scalay_status widest_panel(const scalay_summa *summa, int64_t *widest)
{
    scalay_status status = SCALAY_SUCCESS;
    const int64_t lines = scalay_max_int64(1, scalay_max_int64(summa->side[0].lines, summa->side[1].lines));
    int64_t mine = summa->options.panel > 0 ? summa->options.panel : usual_width(summa);
    mine = scalay_max_int64(1, scalay_min_int64(mine, INT_MAX / lines));
    SCALAY_TRY_MPI(MPI_Allreduce(&mine, widest, 1, MPI_INT64_T, MPI_MIN, summa->comm->mpi));
cleanup:
    return status;
}

/* 1 when the panels fit on all ranks. */
static scalay_status find_workspace(scalay_summa *summa, int *fits)
{
    scalay_status status = SCALAY_SUCCESS;
    int64_t most = 0;
    const int64_t mine =
        summa->transport->workspace(summa, &summa->panels) + summa->gathered * (int64_t)summa->side[0].size;
    SCALAY_TRY_MPI(MPI_Allreduce(&mine, &most, 1, MPI_INT64_T, MPI_MAX, summa->comm->mpi));
    *fits = summa->options.memory_bytes == 0 || most <= summa->options.memory_bytes;
    summa->statistics.workspace_bytes = mine;
    if (!*fits && summa->panels.widest <= 1)
        status = scalay_fail(SCALAY_ERROR_MEMORY, create_name,
                             "options->memory_bytes = %lld, but panels of width 1 need %lld bytes on one of the ranks; "
                             "allow as many",
                             (long long)summa->options.memory_bytes, (long long)most);
cleanup:
    return status;
}

scalay_status scalay_summa_choose_panels(scalay_summa *summa, const scalay_summa_panels *classes)
{
    scalay_status status = SCALAY_SUCCESS;
    int64_t width = 0;
    int fits = 0;
    SCALAY_TRY(widest_panel(summa, &width));
    while (!fits) {
        scalay_summa_panels_free(&summa->panels);
        SCALAY_TRY(scalay_comm_agree(summa->comm, scalay_summa_panels_create(classes, width, &summa->panels)));
        SCALAY_TRY(find_workspace(summa, &fits));
        width = scalay_max_int64(1, summa->panels.widest / 2);
    }
    summa->statistics.panel = summa->panels.widest;
    summa->statistics.panels = summa->panels.panels;
cleanup:
    return status;
}
