/*
 * SUMMA plans: creation, choice of transport and panel width, statistics. The algorithm is SUMMA (van de Geijn, Watts
 * 1997) on any layouts: C := beta C + sum over the panels of (columns of op(A)) times (rows of op(B)).
 *
 *   summa_geometry.c        the blocks that each rank needs, and panels
 *   summa_calls.c           the gemm calls of a rank
 *   summa_execute.c         the loop over panels
 *   summa_messages.c, summa_broadcast.c, summa_shared.c   the transports
 *
 * Creation uses O(1) collectives of O(1) numbers and, for "broadcast", one communicator per set of owners.
 */

#include "multiply/summa.h"

#include <limits.h>
#include <string.h>

#include "base/fingerprint.h"
#include "base/integer.h"
#include "base/memory.h"
#include "base/option_struct.h"
#include "base/text.h"
#include "parallel/node.h"
#include "parallel/shared_memory.h"
#include "redist/piece_choice.h"

/* Public name for messages of static functions. */
static const char create_name[] = "scalay_summa_create";

void scalay_summa_options_init(scalay_summa_options *options, size_t size)
{
    const scalay_summa_options defaults = {.size = sizeof defaults};
    scalay_option_struct_fill(&defaults, sizeof defaults, options, size);
}

/* -------------------------------------------------------------------------------------------- transports */

/* In order of preference. */
static const scalay_summa_transport *const transports[] = {&scalay_summa_shared, &scalay_summa_broadcast,
                                                           &scalay_summa_messages};
enum { TRANSPORTS = (int)(sizeof transports / sizeof transports[0]), AUTO = -1 };

/* Sets *index to the position of a transport in the table, or AUTO. */
static scalay_status find_transport(const char *name, int *index)
{
    char names[128];
    scalay_text list = {names, sizeof names, 0};
    *index = AUTO;
    if (name == NULL || strcmp(name, "auto") == 0) return SCALAY_SUCCESS;
    for (int k = 0; k < TRANSPORTS; k++) {
        if (strcmp(name, transports[k]->name) == 0) *index = k;
        scalay_text_append(&list, " or \"%s\"", transports[k]->name);
    }
    if (*index != AUTO) return SCALAY_SUCCESS;
    return scalay_fail(SCALAY_ERROR_ARGUMENT, create_name, "options->transport is \"%.20s\"; it must be \"auto\"%s",
                       name, names);
}

/* Sets the transport to the one at `index`, or for AUTO to the first one from `first` on that helps; NULL: it cannot be
 * used. */
static scalay_status find_usable(scalay_summa *summa, int index, int first, const scalay_layout *c,
                                 const scalay_summa_panels *classes, const char **reason)
{
    scalay_status status = SCALAY_SUCCESS;
    summa->transport = NULL;
    for (int k = first; k < TRANSPORTS && summa->transport == NULL; k++) {
        const scalay_summa_transport *transport = transports[k];
        if (index != AUTO && index != k) continue;
        if (transport->probe != NULL) SCALAY_TRY(transport->probe(summa, c, classes));
        if (!transport->applicable(summa, reason)) continue;
        if (index == k || transport->helps == NULL || transport->helps(summa)) summa->transport = transport;
    }
cleanup:
    return status;
}

static scalay_status choose_transport(scalay_summa *summa, const char *name, const scalay_layout *c,
                                      const scalay_summa_panels *classes)
{
    scalay_status status = SCALAY_SUCCESS;
    const char *reason = "";
    int index = AUTO;
    SCALAY_TRY(scalay_comm_agree(summa->comm, find_transport(name, &index)));
    SCALAY_TRY(scalay_comm_agree_value(summa->comm, (uint64_t)index, create_name, "options->transport"));
    SCALAY_TRY(find_usable(summa, index, 0, c, classes, &reason));
    if (index == AUTO && summa->transport == &scalay_summa_shared &&
        scalay_summa_should_send(summa, SCALAY_SUMMA_ORDINARY))
        SCALAY_TRY(scalay_comm_agree(summa->comm, scalay_layout_copy(c, &summa->undecided)));
    if (summa->transport == NULL)
        status = scalay_fail(SCALAY_ERROR_UNSUPPORTED, create_name,
                             "options->transport \"%.20s\" cannot be used: %s. Use \"auto\"", name, reason);
cleanup:
    return status;
}

/* ------------------------------------------------------------------------------------------------ panels */

/* If calls of gemm have fewer elements of C than this squared, on average, wide panels leave the caches
 * (docs/benchmarks.md). The same holds for calls with fewer rows or columns than NARROW_CALL. */
enum { SMALL_CALL = 96, NARROW_CALL = 256 };

/* Returns 1 if most of what this rank needs consists of columns, whose segments are as long as a panel is wide. */
static int reads_columns(const scalay_summa *summa, const scalay_summa_panels *classes)
{
    int64_t incoming[2] = {0, 0}; /* columns, rows */
    for (int s = 0; s < 2; s++)
        incoming[summa->side[s].lines_are_rows] += scalay_summa_side_incoming(&summa->side[s], classes);
    return incoming[0] > incoming[1];
}

int64_t scalay_summa_default_width(const scalay_summa *summa, const scalay_summa_transport *transport,
                                   const scalay_summa_panels *classes)
{
    const int64_t width = transport->width;
    double elements = 0.0, rows = 0.0, cols = 0.0;
    for (int64_t k = 0; k < summa->call_count; k++) {
        elements += (double)summa->calls[k].rows * (double)summa->calls[k].cols;
        rows += summa->calls[k].rows;
        cols += summa->calls[k].cols;
    }
    const double calls = (double)summa->call_count;
    const int is_small = elements < calls * SMALL_CALL * SMALL_CALL;
    const int is_narrow = rows < calls * NARROW_CALL || cols < calls * NARROW_CALL;
    return is_small || (is_narrow && !reads_columns(summa, classes)) ? scalay_min_int64(width, SCALAY_SUMMA_WIDTH)
                                                                     : width;
}

/* The elements of a panel, and of each message, must fit an int on every rank. */
static scalay_status find_max_width(const scalay_summa *summa, const scalay_summa_panels *classes, int64_t *max_width)
{
    scalay_status status = SCALAY_SUCCESS;
    const int64_t lines = scalay_max_int64(1, scalay_max_int64(summa->side[0].lines, summa->side[1].lines));
    int64_t width =
        summa->options.panel > 0 ? summa->options.panel : scalay_summa_default_width(summa, summa->transport, classes);
    width = scalay_max_int64(1, scalay_min_int64(width, INT_MAX / lines));
    SCALAY_TRY_MPI(MPI_Allreduce(&width, max_width, 1, MPI_INT64_T, MPI_MIN, summa->comm->mpi));
cleanup:
    return status;
}

/* Sets *fits to 1 if the workspace is within the limit on all ranks. */
static scalay_status check_workspace(scalay_summa *summa, int *fits)
{
    scalay_status status = SCALAY_SUCCESS;
    int64_t max_bytes = 0;
    const int64_t bytes =
        summa->transport->workspace(summa, &summa->panels) + summa->gathered * (int64_t)summa->side[0].size;
    SCALAY_TRY_MPI(MPI_Allreduce(&bytes, &max_bytes, 1, MPI_INT64_T, MPI_MAX, summa->comm->mpi));
    *fits = summa->options.memory_bytes == 0 || max_bytes <= summa->options.memory_bytes;
    summa->statistics.workspace_bytes = bytes;
    if (!*fits && summa->panels.max_width <= 1)
        status = scalay_fail(SCALAY_ERROR_MEMORY, create_name,
                             "options->memory_bytes is %lld; it must be 0 or at least %lld, for panels of width 1",
                             (long long)summa->options.memory_bytes, (long long)max_bytes);
cleanup:
    return status;
}

/* Halves the width until the workspace is within the limit. */
static scalay_status choose_panels(scalay_summa *summa, const scalay_summa_panels *classes)
{
    scalay_status status = SCALAY_SUCCESS;
    int64_t width = 0;
    int fits = 0;
    SCALAY_TRY(scalay_node_probe(summa->comm));
    SCALAY_TRY(scalay_piece_choose(summa->comm, NULL, &summa->piece_bytes));
    SCALAY_TRY(find_max_width(summa, classes, &width));
    const int alternates = summa->comm->node->size < summa->comm->size;
    while (!fits) {
        scalay_summa_panels_free(&summa->panels);
        SCALAY_TRY(
            scalay_comm_agree(summa->comm, scalay_summa_panels_create(classes, width, alternates, &summa->panels)));
        SCALAY_TRY(check_workspace(summa, &fits));
        width = scalay_max_int64(1, summa->panels.max_width / 2);
    }
    summa->statistics.panel = summa->panels.max_width;
    summa->statistics.panels = summa->panels.panels;
cleanup:
    return status;
}

/* ---------------------------------------------------------------------------------------------- arguments */

static scalay_status check_options(const scalay_summa_options *options)
{
    if (options->panel < 0)
        return scalay_fail(SCALAY_ERROR_ARGUMENT, create_name,
                           "options->panel is %lld; it must be 0 (chosen by the library) or a width above 0",
                           (long long)options->panel);
    if (options->memory_bytes < 0)
        return scalay_fail(SCALAY_ERROR_ARGUMENT, create_name,
                           "options->memory_bytes is %lld; it must be 0 (no limit) or a number of bytes above 0",
                           (long long)options->memory_bytes);
    return SCALAY_SUCCESS;
}

/* Leading dimensions of this rank's arrays are passed to BLAS if panels are used in place. */
static scalay_status check_leading_dimensions(const scalay_comm *comm, const scalay_layout *const layout[3])
{
    for (int k = 0; k < 3; k++)
        for (int64_t p = 0; p < scalay_layout_subarray_count(layout[k], comm->rank); p++) {
            scalay_subarray subarray;
            int ld = 0;
            scalay_status status = scalay_layout_subarray(layout[k], comm->rank, p, &subarray);
            if (status == SCALAY_SUCCESS) status = scalay_to_int(subarray.ld, create_name, "a leading dimension", &ld);
            if (status != SCALAY_SUCCESS) return status;
        }
    return SCALAY_SUCCESS;
}

static scalay_status check_arguments(const scalay_comm *comm, scalay_type type, const scalay_op op[2],
                                     const scalay_layout *const layout[3], const scalay_summa_options *options,
                                     scalay_summa **summa)
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(scalay_check_not_null(summa, create_name, "summa"));
    SCALAY_TRY(check_options(options));
    SCALAY_TRY(scalay_product_check(create_name, comm, type, op, layout));
    SCALAY_TRY(check_leading_dimensions(comm, layout));
cleanup:
    return status;
}

/* ----------------------------------------------------------------------------------------------- creation */

static scalay_status init_side(scalay_summa *summa, int which, const scalay_layout *layout)
{
    scalay_summa_side *side = &summa->side[which];
    const int is_transposed = summa->op[which] != SCALAY_NO_TRANSPOSE;
    side->which = which;
    side->lines_are_rows = (which == SCALAY_SUMMA_A) != is_transposed;
    side->size = scalay_type_size(summa->type);
    side->rank = summa->comm->rank;
    return scalay_layout_copy(layout, &side->layout);
}

/* Creates a plan that can be destroyed. */
static scalay_status init(scalay_comm *comm, scalay_type type, const scalay_op op[2],
                          const scalay_layout *const layout[3], const scalay_summa_options *options,
                          scalay_summa **summa)
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(SCALAY_NEW(*summa, 1));
    (*summa)->comm = scalay_comm_retain(comm);
    (*summa)->type = type;
    (*summa)->gemm = scalay_gemm_operations_of(type);
    (*summa)->options = *options;
    (*summa)->options.transport = NULL; /* owned by the caller */
    for (int k = 0; k < 2; k++) (*summa)->op[k] = op[k];
    for (int k = 0; k < 3; k++) (*summa)->elements[k] = scalay_layout_elements(layout[k], comm->rank);
    for (int k = 0; k < 2; k++) SCALAY_TRY(init_side(*summa, k, layout[k]));
cleanup:
    return status;
}

/* Does all planning that needs no communication. */
static scalay_status plan_on_rank(scalay_summa *summa, const scalay_layout *c, scalay_summa_panels *classes)
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(scalay_summa_find_calls(summa, c));
    SCALAY_TRY(SCALAY_NEW_UNSET(summa->gather, summa->gathered * (int64_t)summa->side[0].size));
    for (int k = 0; k < 2; k++) SCALAY_TRY(scalay_summa_side_plan(&summa->side[k], c));
    SCALAY_TRY(scalay_summa_classes_create(scalay_summa_inner_axis(&summa->side[0]),
                                           scalay_summa_inner_axis(&summa->side[1]), classes));
cleanup:
    return status;
}

static scalay_status agree_on_problem(const scalay_summa *summa, const scalay_layout *c)
{
    const int choice[] = {(int)summa->type, (int)summa->op[0], (int)summa->op[1], summa->options.no_overlap != 0,
                          summa->options.no_computation != 0};
    uint64_t print = scalay_fingerprint_add_ints(scalay_fingerprint_start(), choice, sizeof choice / sizeof choice[0]);
    print = scalay_fingerprint_add(print, summa->options.panel);
    print = scalay_fingerprint_add(print, summa->options.memory_bytes);
    for (int k = 0; k < 2; k++)
        print = scalay_fingerprint_add(print, (int64_t)scalay_layout_fingerprint(summa->side[k].layout));
    print = scalay_fingerprint_add(print, (int64_t)scalay_layout_fingerprint(c));
    return scalay_comm_agree_value(summa->comm, print, create_name, "type, operations, layouts or options");
}

static scalay_status find_volume(scalay_summa *summa, const scalay_summa_panels *classes)
{
    scalay_status status = SCALAY_SUCCESS;
    int64_t incoming = 0;
    for (int k = 0; k < 2; k++) incoming += scalay_summa_side_incoming(&summa->side[k], classes);
    SCALAY_TRY_MPI(MPI_Allreduce(&incoming, &summa->statistics.volume, 1, MPI_INT64_T, MPI_SUM, summa->comm->mpi));
cleanup:
    return status;
}

static scalay_status create_on_all(scalay_summa *summa, const scalay_layout *c, const char *transport)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_summa_panels classes = {0};
    SCALAY_TRY(agree_on_problem(summa, c));
    SCALAY_TRY(scalay_comm_agree(summa->comm, plan_on_rank(summa, c, &classes)));
    SCALAY_TRY(find_volume(summa, &classes));
    SCALAY_TRY(choose_transport(summa, transport, c, &classes));
    SCALAY_TRY(choose_panels(summa, &classes));
    SCALAY_TRY(summa->transport->create(summa));
cleanup:
    scalay_summa_panels_free(&classes);
    return status;
}

scalay_status scalay_summa_create_for(scalay_comm *comm, scalay_type type, const scalay_op op[2],
                                      const scalay_layout *const layout[3], const scalay_summa_options *options,
                                      const scalay_summa_arrays arrays[2], const scalay_machine *rates,
                                      scalay_summa **summa)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_summa *new_summa = NULL;
    scalay_summa_options given = scalay_summa_options_default();
    SCALAY_TRY(scalay_check_not_null(comm, create_name, "comm"));
    if (summa != NULL) *summa = NULL;
    status = scalay_option_struct_read(options, &given, sizeof given, create_name);
    if (status == SCALAY_SUCCESS) status = check_arguments(comm, type, op, layout, &given, summa);
    if (status == SCALAY_SUCCESS) status = init(comm, type, op, layout, &given, &new_summa);
    SCALAY_TRY(scalay_comm_agree(comm, status));
    for (int k = 0; k < 2; k++) new_summa->arrays[k] = arrays[k];
    new_summa->rates = rates;
    SCALAY_TRY(create_on_all(new_summa, layout[2], given.transport));
    new_summa->rates = NULL; /* owned by the caller, or by the communicator */
    *summa = new_summa;
    new_summa = NULL;
cleanup:
    scalay_summa_destroy(&new_summa);
    return status;
}

scalay_status scalay_summa_create(scalay_comm *comm, scalay_type type, scalay_op op_a, scalay_op op_b,
                                  const scalay_layout *a, const scalay_layout *b, const scalay_layout *c,
                                  const scalay_summa_options *options, scalay_summa **summa)
{
    const scalay_layout *const layout[] = {a, b, c};
    const scalay_op op[] = {op_a, op_b};
    const scalay_summa_arrays arrays[] = {SCALAY_SUMMA_UNKNOWN, SCALAY_SUMMA_UNKNOWN};
    return scalay_summa_create_for(comm, type, op, layout, options, arrays, NULL, summa);
}

/* ------------------------------------------------------------------------------------------------ settling */

/* Sets what is known of the arrays of A and B on all ranks. Collective. */
static scalay_status look_at_arrays(scalay_summa *summa, const scalay_summa_operands *operands)
{
    scalay_status status = SCALAY_SUCCESS;
    int ordinary[2] = {0, 0};
    for (int s = 0; s < 2; s++) {
        const scalay_summa_side *side = &summa->side[s];
        const int64_t bytes = scalay_layout_local_size(side->layout, side->rank) * (int64_t)side->size;
        if (bytes > 0) ordinary[s] = scalay_array_find(operands->matrix[s], bytes).array == 0;
    }
    SCALAY_TRY_MPI(MPI_Allreduce(MPI_IN_PLACE, ordinary, 2, MPI_INT, MPI_MAX, summa->comm->mpi));
    for (int s = 0; s < 2; s++) summa->arrays[s] = ordinary[s] ? SCALAY_SUMMA_ORDINARY : SCALAY_SUMMA_VISIBLE;
cleanup:
    return status;
}

/* Plans the panels of a transport behind "shared". */
static scalay_status plan_other_transport(scalay_summa *summa, const scalay_layout *c)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_summa_panels classes = {0};
    const char *reason = "";
    SCALAY_TRY(scalay_comm_agree(summa->comm,
                                 scalay_summa_classes_create(scalay_summa_inner_axis(&summa->side[0]),
                                                             scalay_summa_inner_axis(&summa->side[1]), &classes)));
    SCALAY_TRY(find_usable(summa, AUTO, 1, c, &classes, &reason));
    SCALAY_TRY(choose_panels(summa, &classes));
    SCALAY_TRY(summa->transport->create(summa));
cleanup:
    scalay_summa_panels_free(&classes);
    return status;
}

/* What belongs to the transport of a plan. */
typedef struct {
    const scalay_summa_transport *transport;
    void *state;
    scalay_summa_panels panels;
    scalay_summa_statistics statistics;
    const int64_t *remote_ld[2];
} transport_part;

/* Exchanges the transport of the plan with another one. */
static void exchange(scalay_summa *summa, transport_part *other)
{
    transport_part own = {.transport = summa->transport,
                          .state = summa->transport_state,
                          .panels = summa->panels,
                          .statistics = summa->statistics};
    for (int s = 0; s < 2; s++) {
        own.remote_ld[s] = summa->side[s].remote_ld;
        summa->side[s].remote_ld = other->remote_ld[s];
    }
    summa->transport = other->transport;
    summa->transport_state = other->state;
    summa->panels = other->panels;
    summa->statistics = other->statistics;
    *other = own;
}

scalay_status scalay_summa_settle(scalay_summa *summa, const scalay_summa_operands *operands)
{
    scalay_status status = SCALAY_SUCCESS;
    transport_part other = {.statistics = summa->statistics};
    scalay_layout *c = summa->undecided;
    if (c == NULL) return SCALAY_SUCCESS;
    summa->undecided = NULL;
    SCALAY_TRY(look_at_arrays(summa, operands));
    if (!scalay_summa_should_send(summa, SCALAY_SUMMA_ORDINARY)) goto cleanup;
    exchange(summa, &other);
    status = plan_other_transport(summa, c);
    if (status != SCALAY_SUCCESS) exchange(summa, &other);
    /* The transport that is not used. */
    exchange(summa, &other);
    if (summa->transport != NULL) summa->transport->destroy(summa);
    scalay_summa_panels_free(&summa->panels);
    exchange(summa, &other);
    if (status != SCALAY_ERROR_MPI) status = SCALAY_SUCCESS;
cleanup:
    scalay_layout_destroy(&c);
    return status;
}

void scalay_summa_destroy(scalay_summa **summa)
{
    if (summa == NULL || *summa == NULL) return;
    scalay_summa *old_summa = *summa;
    *summa = NULL;
    if (old_summa->transport != NULL) old_summa->transport->destroy(old_summa);
    for (int k = 0; k < 2; k++) {
        scalay_summa_side_free(&old_summa->side[k]);
        scalay_summa_sets_destroy(&old_summa->sets[k]);
    }
    scalay_summa_panels_free(&old_summa->panels);
    scalay_layout_destroy(&old_summa->undecided);
    scalay_release(old_summa->gather);
    scalay_release(old_summa->tiles);
    scalay_release(old_summa->calls);
    scalay_comm_destroy(&old_summa->comm);
    scalay_release(old_summa);
}

/* ------------------------------------------------------------------------------------------------ queries */

scalay_status scalay_summa_get_statistics(const scalay_summa *summa, scalay_summa_statistics *statistics)
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(scalay_check_not_null(summa, __func__, "summa"));
    SCALAY_TRY(scalay_check_not_null(statistics, __func__, "statistics"));
    *statistics = summa->statistics;
cleanup:
    return status;
}

int scalay_summa_describe(const scalay_summa *summa, char *text, size_t size)
{
    scalay_text all = {text, text != NULL ? size : 0, 0};
    if (summa == NULL) {
        scalay_text_append(&all, "no multiplication");
        return (int)all.length;
    }
    const scalay_summa_statistics *s = &summa->statistics;
    scalay_text_append(&all, "SUMMA, transport %s: %lld panels of width at most %lld, volume %lld elements",
                       summa->transport->name, (long long)s->panels, (long long)s->panel, (long long)s->volume);
    scalay_text_append(&all,
                       "; on this rank, panels of %lld and %lld lines, %lld gemm calls per panel, %lld bytes of "
                       "workspace",
                       (long long)summa->side[0].lines, (long long)summa->side[1].lines, (long long)summa->call_count,
                       (long long)s->workspace_bytes);
    if (s->seconds > 0.0)
        scalay_text_append(&all, ". Measured: %.3g s (gemm %.3g s, communication %.3g s)", s->seconds,
                           s->compute_seconds, s->communicate_seconds);
    scalay_text_append(&all, ".");
    return (int)all.length;
}
