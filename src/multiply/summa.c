#include <string.h>

#include "base/fingerprint.h"
#include "base/integer.h"
#include "base/memory.h"
#include "multiply/product.h"
#include "multiply/summa_object.h"
#include "multiply/summa_sets.h"

/* Failures go by the public name. */
static const char create_name[] = "scalay_summa_create";

scalay_summa_options scalay_summa_options_default(void)
{
    return (scalay_summa_options){.panel = 0};
}

/* ---------------------------------------------------------------------------------------------- arguments */

static scalay_status check_options(const scalay_summa_options *options)
{
    if (options->panel < 0)
        return scalay_fail(SCALAY_ERROR_ARGUMENT, create_name,
                           "options->panel = %lld; pass 0 to have it chosen, or a width", (long long)options->panel);
    if (options->memory_bytes < 0)
        return scalay_fail(SCALAY_ERROR_ARGUMENT, create_name,
                           "options->memory_bytes = %lld; pass 0 for no limit, or bytes",
                           (long long)options->memory_bytes);
    return SCALAY_SUCCESS;
}

/* The leading dimensions of what this rank holds, which go to BLAS where panels are used in place. */
static scalay_status check_own(const scalay_comm *comm, const scalay_layout *const layout[3])
{
    for (int k = 0; k < 3; k++)
        for (int64_t p = 0; p < scalay_layout_subarray_count(layout[k], comm->rank); p++) {
            scalay_subarray piece;
            int ld = 0;
            scalay_status status = scalay_layout_subarray(layout[k], comm->rank, p, &piece);
            if (status == SCALAY_SUCCESS) status = scalay_to_int(piece.ld, create_name, "a leading dimension", &ld);
            if (status != SCALAY_SUCCESS) return status;
        }
    return SCALAY_SUCCESS;
}

static scalay_status check_arguments(const scalay_comm *comm, scalay_type type, const scalay_op op[2],
                                     const scalay_layout *const layout[3], const scalay_summa_options *options,
                                     scalay_summa **summa)
{
    scalay_status status = SCALAY_SUCCESS;
    if (summa == NULL)
        return scalay_fail(SCALAY_ERROR_ARGUMENT, create_name, "summa is NULL; pass the address of a scalay_summa *");
    SCALAY_TRY(check_options(options));
    SCALAY_TRY(scalay_product_check(create_name, comm, type, op, layout));
    SCALAY_TRY(check_own(comm, layout));
cleanup:
    return status;
}

/* ----------------------------------------------------------------------------------------------- creation */

static scalay_status make_side(scalay_summa *summa, int which, const scalay_layout *layout)
{
    scalay_summa_side *side = &summa->side[which];
    const int is_turned = summa->op[which] != SCALAY_NO_TRANSPOSE;
    side->which = which;
    side->lines_are_rows = (which == SCALAY_SUMMA_A) != is_turned;
    side->size = scalay_type_size(summa->type);
    side->rank = summa->comm->rank;
    return scalay_layout_copy(layout, &side->layout);
}

static scalay_status start(scalay_comm *comm, scalay_type type, const scalay_op op[2],
                           const scalay_layout *const layout[3], const scalay_summa_options *options,
                           scalay_summa **summa)
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(SCALAY_NEW(*summa, 1));
    (*summa)->comm = scalay_comm_retain(comm);
    (*summa)->type = type;
    (*summa)->gemm = scalay_summa_gemm_of(type);
    (*summa)->options = *options;
    (*summa)->options.transport = NULL; /* the caller's */
    for (int k = 0; k < 2; k++) (*summa)->op[k] = op[k];
    for (int k = 0; k < 3; k++) (*summa)->elements[k] = scalay_layout_elements(layout[k], comm->rank);
    for (int k = 0; k < 2; k++) SCALAY_TRY(make_side(*summa, k, layout[k]));
cleanup:
    return status;
}

/* What this rank can find out for itself. */
static scalay_status prepare(scalay_summa *summa, const scalay_layout *c, scalay_summa_panels *classes)
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(scalay_summa_find_calls(summa, c));
    SCALAY_TRY(SCALAY_NEW(summa->gather, summa->gathered * (int64_t)summa->side[0].size));
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
    int64_t mine = 0;
    for (int k = 0; k < 2; k++) mine += scalay_summa_side_incoming(&summa->side[k], classes);
    SCALAY_TRY_MPI(MPI_Allreduce(&mine, &summa->volume, 1, MPI_INT64_T, MPI_SUM, summa->comm->mpi));
cleanup:
    return status;
}

static scalay_status create_on_all(scalay_summa *summa, const scalay_layout *c, const char *transport)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_summa_panels classes = {0};
    SCALAY_TRY(agree_on_problem(summa, c));
    SCALAY_TRY(scalay_comm_agree(summa->comm, prepare(summa, c, &classes)));
    SCALAY_TRY(find_volume(summa, &classes));
    SCALAY_TRY(scalay_summa_choose_transport(summa, transport, c, &classes));
    SCALAY_TRY(scalay_summa_choose_panels(summa, &classes));
    SCALAY_TRY(summa->transport->create(summa));
cleanup:
    scalay_summa_panels_free(&classes);
    return status;
}

scalay_status scalay_summa_create(scalay_comm *comm, scalay_type type, scalay_op op_a, scalay_op op_b,
                                  const scalay_layout *a, const scalay_layout *b, const scalay_layout *c,
                                  const scalay_summa_options *options, scalay_summa **summa)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_summa *made = NULL;
    const scalay_summa_options wanted = options != NULL ? *options : scalay_summa_options_default();
    const scalay_layout *const layout[] = {a, b, c};
    const scalay_op op[] = {op_a, op_b};
    if (comm == NULL) return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "comm is NULL; make one with scalay_comm_create");
    if (summa != NULL) *summa = NULL;
    status = check_arguments(comm, type, op, layout, &wanted, summa);
    if (status == SCALAY_SUCCESS) status = start(comm, type, op, layout, &wanted, &made);
    SCALAY_TRY(scalay_comm_agree(comm, status));
    SCALAY_TRY(create_on_all(made, c, wanted.transport));
    *summa = made;
    made = NULL;
cleanup:
    scalay_summa_destroy(&made);
    return status;
}

void scalay_summa_destroy(scalay_summa **summa)
{
    if (summa == NULL || *summa == NULL) return;
    scalay_summa *going = *summa;
    *summa = NULL;
    if (going->transport != NULL) going->transport->destroy(going);
    for (int k = 0; k < 2; k++) {
        scalay_summa_side_free(&going->side[k]);
        scalay_summa_sets_destroy(&going->sets[k]);
    }
    scalay_summa_panels_free(&going->panels);
    scalay_release(going->gather);
    scalay_release(going->tiles);
    scalay_release(going->calls);
    scalay_comm_destroy(&going->comm);
    scalay_release(going);
}

/* ---------------------------------------------------------------------------------------------- questions */

scalay_status scalay_summa_get_statistics(const scalay_summa *summa, scalay_summa_statistics *statistics)
{
    if (summa == NULL) return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "summa is NULL; make one with scalay_summa_create");
    if (statistics == NULL) return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "statistics is NULL; pass an address");
    *statistics = summa->statistics;
    return SCALAY_SUCCESS;
}

int64_t scalay_summa_volume(const scalay_summa *summa)
{
    return summa != NULL ? summa->volume : 0;
}
