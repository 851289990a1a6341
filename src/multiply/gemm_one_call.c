/*
 * p?gemm in one call. The communicator keeps the plans of its last calls, so a repeated call plans nothing and needs
 * one reduction, in which the ranks compare their arguments. The first products of small matrices on one process grid
 * are computed by p?gemm itself, until they have lost more time than the plan of SUMMA takes (gemm_targets.c).
 */

#include <string.h>

#include "base/fingerprint.h"
#include "base/option_struct.h"
#include "layout/layout.h"
#include "model/machine.h"
#include "multiply/gemm.h"
#include "parallel/cache.h"
#include "parallel/machine_numbers.h"

typedef struct {
    const void *alpha, *a, *b, *beta;
    void *c;
} one_call_arrays;

/* One call of a routine. */
typedef struct {
    const char *function;
    scalay_type type;
    scalay_gemm_request request;
} one_call;

static scalay_status check_array(const one_call *call, const scalay_comm *comm, const scalay_layout *layout,
                                 const void *array, const char *name)
{
    const int64_t elements = array == NULL ? scalay_layout_elements(layout, comm->rank) : 0;
    if (elements == 0) return SCALAY_SUCCESS;
    return scalay_fail(SCALAY_ERROR_ARGUMENT, call->function, "%s is NULL; it must have the %lld elements of this rank",
                       name, (long long)elements);
}

/* Checks arguments before the call is looked up. Types, operations and extents are checked when a plan is made. */
static scalay_status check_arguments(const one_call *call, const scalay_comm *comm, const one_call_arrays *o)
{
    scalay_status status = SCALAY_SUCCESS;
    const scalay_gemm_request *r = &call->request;
    SCALAY_TRY(scalay_check_not_null(r->a, call->function, "layout_a"));
    SCALAY_TRY(scalay_check_not_null(r->b, call->function, "layout_b"));
    SCALAY_TRY(scalay_check_not_null(r->c, call->function, "layout_c"));
    const int is_empty = scalay_layout_rows(r->c) == 0 || scalay_layout_cols(r->c) == 0;
    if (is_empty) return SCALAY_SUCCESS;
    if (o->alpha == NULL || !scalay_element_is_zero(call->type, o->alpha)) {
        SCALAY_TRY(check_array(call, comm, r->a, o->a, "a"));
        SCALAY_TRY(check_array(call, comm, r->b, o->b, "b"));
    }
    SCALAY_TRY(check_array(call, comm, r->c, o->c, "c"));
cleanup:
    return status;
}

/* -------------------------------------------------------------------------------------------- kept plans */

static uint64_t add_text(uint64_t key, const char *text)
{
    for (const char *c = text; c != NULL && *c != '\0'; c++) key = scalay_fingerprint_add(key, *c);
    return scalay_fingerprint_add(key, -1);
}

/* Options of a kept plan: those that contain no arrays. */
static int has_arrays(const scalay_gemm_options *o)
{
    return o->map != NULL || o->group != NULL || o->machine != NULL || o->seconds_per_flop != NULL;
}

static uint64_t key_of(const one_call *call)
{
    const scalay_gemm_request *r = &call->request;
    const scalay_gemm_options *o = r->options;
    const int numbers[] = {-1,       (int)call->type, (int)r->op_a,      (int)r->op_b,     o->nprow,
                           o->npcol, o->nb,           (int)o->objective, o->summa != NULL, has_arrays(o)};
    uint64_t key = scalay_fingerprint_add_ints(scalay_fingerprint_start(), numbers, sizeof numbers / sizeof *numbers);
    key = scalay_fingerprint_add(key, (int64_t)scalay_layout_fingerprint(r->a));
    key = scalay_fingerprint_add(key, (int64_t)scalay_layout_fingerprint(r->b));
    key = scalay_fingerprint_add(key, (int64_t)scalay_layout_fingerprint(r->c));
    key = add_text(key, o->transport);
    if (o->summa == NULL) return key;
    const int64_t summa[] = {o->summa->panel, o->summa->memory_bytes, o->summa->no_overlap, o->summa->no_computation};
    for (size_t k = 0; k < sizeof summa / sizeof *summa; k++) key = scalay_fingerprint_add(key, summa[k]);
    return add_text(key, o->summa->transport);
}

/* Leading dimensions of this rank's arrays. */
static uint64_t local_key_of(const scalay_comm *comm, const scalay_gemm_request *r)
{
    const scalay_layout *const layout[] = {r->a, r->b, r->c};
    uint64_t key = scalay_fingerprint_start();
    for (int k = 0; k < 3; k++) {
        const int part = scalay_layout_part_of_process(layout[k], comm->rank);
        if (part >= 0 && scalay_layout_is_grid(layout[k]))
            key = scalay_fingerprint_add(key, scalay_layout_cell(layout[k], part, 0).ld);
    }
    return key;
}

static void destroy_plan(void **object)
{
    scalay_gemm *gemm = *object;
    *object = NULL;
    scalay_gemm_destroy(&gemm);
}

/* A plan for the call: a kept one, or a new one. */
typedef struct {
    scalay_gemm *gemm;
    int references; /* of the communicator, held by a new plan */
    int is_new;
    int64_t bytes; /* of a new plan, the maximum over the ranks */
} found_plan;

/* Limits of a measurement of the machine within a call: seconds, and a fraction of the time of the product. */
static const double max_measuring_seconds = 0.5, measuring_fraction = 0.1;

/* In smaller products per process, the rates do not decide, and reading them takes longer than the product. */
static const double small_multiplications = 256.0 * 256.0 * 256.0;

/* Sets the rates to those of the communicator for a new plan, unless the caller gives rates. Collective. */
static scalay_status find_machine(scalay_comm *comm, one_call *call)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_gemm_request *r = &call->request;
    const scalay_machine_numbers *numbers = NULL;
    const double m = (double)scalay_layout_rows(r->c), n = (double)scalay_layout_cols(r->c);
    const double k = (double)(r->op_a == SCALAY_NO_TRANSPOSE ? scalay_layout_cols(r->a) : scalay_layout_rows(r->a));
    const double multiplications = m * n * k / comm->size;
    const double seconds =
        2.0 * multiplications * scalay_type_flop_weight(call->type) * scalay_machine_typical().seconds_per_flop;
    if (r->options->machine != NULL || multiplications < small_multiplications) return SCALAY_SUCCESS;
    SCALAY_TRY(scalay_machine_numbers_get(
        comm, scalay_whole_nanoseconds(fmin(max_measuring_seconds, measuring_fraction * seconds)), &numbers));
    if (numbers->source != SCALAY_NUMBERS_NONE) r->machine = &numbers->machine;
cleanup:
    return status;
}

static scalay_status find_plan(scalay_comm *comm, one_call *call, scalay_cache_call *lookup, found_plan *found)
{
    scalay_status status = SCALAY_SUCCESS;
    void *object = NULL;
    if (lookup->status == SCALAY_SUCCESS) {
        lookup->key = key_of(call);
        lookup->local_key = local_key_of(comm, &call->request);
    }
    SCALAY_TRY(scalay_cache_find(comm, lookup, &object));
    found->gemm = object;
    call->request.is_repeated = object != NULL && scalay_gemm_should_plan_summa(object);
    if (object != NULL && !call->request.is_repeated) {
        found->gemm->statistics.plan_seconds = 0.0;
        goto cleanup;
    }
    found->gemm = NULL;
    if (object != NULL) scalay_cache_drop(comm, lookup);
    SCALAY_TRY(find_machine(comm, call));
    const int before = comm->references;
    SCALAY_TRY(scalay_gemm_plan(comm, SCALAY_SUCCESS, call->type, &call->request, &found->gemm));
    found->is_new = 1;
    found->references = comm->references - before;
    found->bytes = found->gemm->statistics.copy_bytes + scalay_gemm_workspace(found->gemm);
    if (found->gemm->in_place) goto cleanup; /* no copies and no workspace on any rank */
    SCALAY_TRY_MPI(MPI_Allreduce(MPI_IN_PLACE, &found->bytes, 1, MPI_INT64_T, MPI_MAX, comm->mpi));
cleanup:
    return status;
}

static scalay_status multiply(scalay_comm *comm, one_call *call, const scalay_gemm_options *options,
                              const one_call_arrays *o, scalay_gemm_statistics *statistics)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_gemm_options given = scalay_gemm_options_default();
    scalay_cache_call lookup = {.function = call->function};
    found_plan found = {0};
    SCALAY_TRY(scalay_check_not_null(comm, call->function, "comm"));
    call->request.options = &given;
    lookup.status = scalay_option_struct_read(options, &given, sizeof given, call->function);
    if (lookup.status == SCALAY_SUCCESS) lookup.status = check_arguments(call, comm, o);
    call->request.allows_in_place = given.summa == NULL;
    SCALAY_TRY(find_plan(comm, call, &lookup, &found));
    SCALAY_TRY(scalay_gemm_execute(found.gemm, o->alpha, o->a, o->b, o->beta, o->c));
    found.gemm->lost_nanoseconds += found.gemm->gain_nanoseconds;
    if (statistics != NULL) SCALAY_TRY(scalay_gemm_get_statistics(found.gemm, statistics));
cleanup:
    if (found.is_new && has_arrays(&given)) scalay_gemm_destroy(&found.gemm);
    if (found.is_new && found.gemm != NULL)
        scalay_cache_keep(comm, &lookup, found.gemm, destroy_plan, found.bytes, found.references);
    return status;
}

/* --------------------------------------------------------------------------------------------- routines */

scalay_status scalay_psgemm(scalay_comm *comm, scalay_op op_a, scalay_op op_b, float alpha,
                            const scalay_layout *layout_a, const float *a, const scalay_layout *layout_b,
                            const float *b, float beta, const scalay_layout *layout_c, float *c,
                            const scalay_gemm_options *options, scalay_gemm_statistics *statistics)
{
    one_call call = {__func__, SCALAY_FLOAT, {.op_a = op_a, .op_b = op_b, .a = layout_a, .b = layout_b, .c = layout_c}};
    const one_call_arrays o = {.alpha = &alpha, .a = a, .b = b, .beta = &beta, .c = c};
    return multiply(comm, &call, options, &o, statistics);
}

scalay_status scalay_pdgemm(scalay_comm *comm, scalay_op op_a, scalay_op op_b, double alpha,
                            const scalay_layout *layout_a, const double *a, const scalay_layout *layout_b,
                            const double *b, double beta, const scalay_layout *layout_c, double *c,
                            const scalay_gemm_options *options, scalay_gemm_statistics *statistics)
{
    one_call call = {
        __func__, SCALAY_DOUBLE, {.op_a = op_a, .op_b = op_b, .a = layout_a, .b = layout_b, .c = layout_c}};
    const one_call_arrays o = {.alpha = &alpha, .a = a, .b = b, .beta = &beta, .c = c};
    return multiply(comm, &call, options, &o, statistics);
}

scalay_status scalay_pcgemm(scalay_comm *comm, scalay_op op_a, scalay_op op_b, const void *alpha,
                            const scalay_layout *layout_a, const void *a, const scalay_layout *layout_b, const void *b,
                            const void *beta, const scalay_layout *layout_c, void *c,
                            const scalay_gemm_options *options, scalay_gemm_statistics *statistics)
{
    one_call call = {
        __func__, SCALAY_COMPLEX_FLOAT, {.op_a = op_a, .op_b = op_b, .a = layout_a, .b = layout_b, .c = layout_c}};
    const one_call_arrays o = {.alpha = alpha, .a = a, .b = b, .beta = beta, .c = c};
    return multiply(comm, &call, options, &o, statistics);
}

scalay_status scalay_pzgemm(scalay_comm *comm, scalay_op op_a, scalay_op op_b, const void *alpha,
                            const scalay_layout *layout_a, const void *a, const scalay_layout *layout_b, const void *b,
                            const void *beta, const scalay_layout *layout_c, void *c,
                            const scalay_gemm_options *options, scalay_gemm_statistics *statistics)
{
    one_call call = {
        __func__, SCALAY_COMPLEX_DOUBLE, {.op_a = op_a, .op_b = op_b, .a = layout_a, .b = layout_b, .c = layout_c}};
    const one_call_arrays o = {.alpha = alpha, .a = a, .b = b, .beta = beta, .c = c};
    return multiply(comm, &call, options, &o, statistics);
}
