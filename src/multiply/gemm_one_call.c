/*
 * p?gemm in one call. The communicator keeps the plans of its last calls, so a repeated call plans nothing and needs
 * one reduction, in which the ranks compare their arguments.
 *
 * The first products of small matrices on one process grid are computed by p?gemm itself, until they have lost more
 * time than the plan of SUMMA takes (gemm_targets.c). The panels of the first plan are narrow, and those of a second
 * one wide. If a BLACS context of the grid is known, nothing is planned or compared: a reduction would take a tenth of
 * the time of the smallest products.
 */

#include <string.h>

#include "base/fingerprint.h"
#include "base/integer.h"
#include "base/memory.h"
#include "base/option_struct.h"
#include "layout/layout.h"
#include "model/machine.h"
#include "multiply/gemm.h"
#include "multiply/in_place.h"
#include "parallel/cache.h"
#include "parallel/grid.h"
#include "parallel/machine_numbers.h"
#include "parallel/node.h"
#include "partition/owner_map.h"

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
    return scalay_fail(SCALAY_ERROR_ARGUMENT, call->function,
                       "%s is NULL, or too short in Fortran; it must have the %lld elements of this rank", name,
                       (long long)elements);
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

/* Options of a kept plan: those that contain no arrays but the owner map. */
static int has_arrays(const scalay_gemm_options *o)
{
    return o->group != NULL || o->seconds_per_flop != NULL;
}

static uint64_t key_of(const one_call *call)
{
    const scalay_gemm_request *r = &call->request;
    const scalay_gemm_options *o = r->options;
    const int numbers[] = {-1,    (int)call->type,   (int)r->op_a,     (int)r->op_b,   o->nprow,     o->npcol,
                           o->nb, (int)o->objective, o->summa != NULL, o->map != NULL, has_arrays(o)};
    uint64_t key = scalay_fingerprint_add_ints(scalay_fingerprint_start(), numbers, sizeof numbers / sizeof *numbers);
    const int64_t a = (int64_t)scalay_layout_fingerprint(r->a);
    const int64_t b = r->b == r->a ? a : (int64_t)scalay_layout_fingerprint(r->b);
    const int64_t c = r->c == r->a ? a : (int64_t)scalay_layout_fingerprint(r->c);
    key = scalay_fingerprint_add(scalay_fingerprint_add(scalay_fingerprint_add(key, a), b), c);
    key = scalay_owner_map_fingerprint(add_text(key, o->transport), o->map);
    key = scalay_machine_fingerprint(key, o->machine);
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

/* ------------------------------------------------------------------------------- small products, unplanned */

/* Larger products per process are planned at once. */
static const double unplanned_multiplications = 512.0 * 512.0 * 512.0;

/* Returns the entry of a product that may be computed without a plan; NULL: it may not. A new entry replaces the oldest
 * one. The checks of a request take longer than the rest of a call, and a known key has passed them. */
static scalay_unplanned_product *find_unplanned(scalay_comm *comm, const one_call *call)
{
    const scalay_gemm_request *r = &call->request;
    const uint64_t key = key_of(call);
    scalay_gemm gemm = {.comm = comm, .type = call->type};
    for (int k = 0; k < SCALAY_UNPLANNED_PRODUCTS; k++)
        if (comm->unplanned[k].key == key && comm->unplanned[k].members != 0) return &comm->unplanned[k];
    if (!scalay_gemm_starts_in_place(&gemm, r) || gemm.m == 0 || gemm.n == 0 || gemm.k == 0) return NULL;
    if ((double)gemm.m * (double)gemm.n * (double)gemm.k >= unplanned_multiplications * comm->size) return NULL;
    const uint64_t members = scalay_in_place_members(comm, r->c);
    if (members == 0 || scalay_grid_find(comm, members) < 0) return NULL;
    scalay_unplanned_product *oldest = &comm->unplanned[comm->products_met++ % SCALAY_UNPLANNED_PRODUCTS];
    *oldest = (scalay_unplanned_product){.key = key, .members = members, .calls_before_plan = gemm.calls_before_plan};
    return oldest;
}

static void describe(scalay_gemm *gemm, scalay_gemm_matrix *matrix, const scalay_layout *layout, scalay_op op, int ctxt)
{
    scalay_in_place in_place;
    scalay_in_place_describe(gemm->comm, layout, ctxt, &in_place);
    memcpy(matrix->desc, in_place.desc, sizeof matrix->desc);
    matrix->first[0] = in_place.ia - 1;
    matrix->first[1] = in_place.ja - 1;
    matrix->ctxt = ctxt;
    matrix->op = op;
}

/* Prepares a product by p?gemm without a plan. Returns 0 if the call needs a plan: it is not small, or it has been
 * repeated often enough. The same on every rank. */
static int prepare_unplanned(scalay_comm *comm, one_call *call, const one_call_arrays *o, scalay_gemm *gemm)
{
    const scalay_gemm_request *r = &call->request;
    if (r->a == NULL || r->b == NULL || r->c == NULL || o->alpha == NULL) return 0;
    if (scalay_element_is_zero(call->type, o->alpha)) return 0;
    scalay_unplanned_product *product = find_unplanned(comm, call);
    const int ctxt = product != NULL ? scalay_grid_find(comm, product->members) : -1;
    if (ctxt < 0) return 0;
    call->request.calls = product->calls++;
    if ((double)call->request.calls >= product->calls_before_plan) return 0;
    *gemm = (scalay_gemm){.comm = comm, .type = call->type};
    gemm->m = r->c->row.extent;
    gemm->n = r->c->col.extent;
    gemm->k = r->op_a == SCALAY_NO_TRANSPOSE ? r->a->col.extent : r->a->row.extent;
    describe(gemm, &gemm->a, r->a, r->op_a, ctxt);
    describe(gemm, &gemm->b, r->b, r->op_b, ctxt);
    describe(gemm, &gemm->c, r->c, SCALAY_NO_TRANSPOSE, ctxt);
    return 1;
}

/* A rank without an array multiplies zeros, so that the others do not wait for it. */
static void join_with_zeros(scalay_gemm *gemm, const one_call *call, const one_call_arrays *o)
{
    const scalay_layout *const layout[] = {call->request.a, call->request.b, call->request.c};
    const void *const given[] = {o->a, o->b, o->c};
    void *zeros[3] = {NULL};
    for (int k = 0; k < 3; k++)
        if (given[k] == NULL)
            zeros[k] =
                scalay_allocate(scalay_layout_local_size(layout[k], gemm->comm->rank), scalay_type_size(call->type));
    scalay_gemm_multiply_on_grid(gemm, o->alpha, o->a != NULL ? o->a : zeros[0], o->b != NULL ? o->b : zeros[1],
                                 o->beta, o->c != NULL ? o->c : zeros[2]);
    for (int k = 0; k < 3; k++) scalay_release(zeros[k]);
}

static scalay_status multiply_unplanned(scalay_gemm *gemm, const one_call *call, const one_call_arrays *o,
                                        scalay_gemm_statistics *statistics)
{
    const scalay_status status = check_arguments(call, gemm->comm, o);
    if (status == SCALAY_ERROR_ARGUMENT) join_with_zeros(gemm, call, o);
    if (status != SCALAY_SUCCESS) return status;
    const double began = statistics != NULL ? MPI_Wtime() : 0.0;
    scalay_gemm_multiply_on_grid(gemm, o->alpha, o->a, o->b, o->beta, o->c);
    if (statistics == NULL) return SCALAY_SUCCESS;
    *statistics = (scalay_gemm_statistics){.processes = gemm->comm->size};
    statistics->multiply_seconds = statistics->compute_seconds = MPI_Wtime() - began;
    return SCALAY_SUCCESS;
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

/* In smaller products per process, the rates do not decide the first call, and reading them takes longer than that. */
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
    if (r->options->machine != NULL || (multiplications < small_multiplications && r->calls == 0))
        return SCALAY_SUCCESS;
    SCALAY_TRY(scalay_machine_numbers_get(
        comm, scalay_whole_nanoseconds(fmin(max_measuring_seconds, measuring_fraction * seconds)), &numbers));
    r->page_seconds = numbers->page_seconds;
    if (numbers->source == SCALAY_NUMBERS_NONE) return SCALAY_SUCCESS;
    r->machine = &numbers->machine;
    SCALAY_TRY(scalay_node_of_ranks(comm, &r->node));
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
    if (object != NULL) call->request.calls = found->gemm->calls;
    const int should_plan = object != NULL && (double)found->gemm->calls >= found->gemm->calls_before_plan;
    if (object != NULL && !should_plan) {
        found->gemm->statistics.plan_seconds = 0.0;
        goto cleanup;
    }
    found->gemm = NULL;
    if (object != NULL) scalay_cache_drop(comm, lookup);
    SCALAY_TRY(find_machine(comm, call));
    const int before = comm->references;
    SCALAY_TRY(scalay_gemm_plan(comm, SCALAY_SUCCESS, call->type, &call->request, &found->gemm));
    found->is_new = 1;
    found->gemm->calls = call->request.calls;
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
    scalay_gemm unplanned;
    SCALAY_TRY(scalay_check_not_null(comm, call->function, "comm"));
    call->request.options = &given;
    lookup.status = scalay_option_struct_read(options, &given, sizeof given, call->function);
    call->request.allows_in_place = given.summa == NULL;
    if (lookup.status == SCALAY_SUCCESS && prepare_unplanned(comm, call, o, &unplanned))
        return multiply_unplanned(&unplanned, call, o, statistics);
    if (lookup.status == SCALAY_SUCCESS) lookup.status = check_arguments(call, comm, o);
    SCALAY_TRY(find_plan(comm, call, &lookup, &found));
    SCALAY_TRY(scalay_gemm_execute(found.gemm, o->alpha, o->a, o->b, o->beta, o->c));
    found.gemm->calls++;
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
