#include "redist/plan.h"

#include <stdio.h>

#include "core/agree.h"
#include "core/fingerprint.h"
#include "core/integer.h"
#include "core/memory.h"
#include "redist/place.h"

/* Failures of the steps of scalay_plan_create() go by its name. */
static const char create_name[] = "scalay_plan_create";

/* MPI counts bytes in an int; a power of two keeps the pieces of longer messages aligned. */
enum { MESSAGE_BYTES = 1 << 30 };

scalay_plan_options scalay_plan_options_default(void)
{
    return (scalay_plan_options){.transport = "auto"};
}

/* ------------------------------------------------------------------------------------------ arguments */

static scalay_status check_extents(const scalay_layout *source, const scalay_layout *target)
{
    const int64_t m = scalay_layout_rows(source), n = scalay_layout_cols(source);
    if (m == scalay_layout_rows(target) && n == scalay_layout_cols(target)) return SCALAY_SUCCESS;
    return scalay_fail(SCALAY_ERROR_MISMATCH, create_name,
                       "source is %lld x %lld, target %lld x %lld; pass layouts of the same extents", (long long)m,
                       (long long)n, (long long)scalay_layout_rows(target), (long long)scalay_layout_cols(target));
}

static scalay_status check_type(scalay_type type)
{
    if (scalay_type_size(type) > 0) return SCALAY_SUCCESS;
    return scalay_fail(SCALAY_ERROR_ARGUMENT, create_name,
                       "type = %d is none; pass SCALAY_DOUBLE or its like, or SCALAY_RAW(bytes) with 1 to %d bytes",
                       type, SCALAY_RAW_MAX);
}

/* What a rank can do alone: an empty plan, its two layouts, its transport. */
static scalay_status prepare(scalay_comm *comm, const scalay_layout *source, const scalay_layout *target,
                             const scalay_mapping *mapping, scalay_type type, const scalay_plan_options *options,
                             scalay_plan **plan, scalay_layout **placed)
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(scalay_place_check(comm, source, create_name, "source"));
    SCALAY_TRY(scalay_place_target(comm, target, mapping, create_name, placed));
    SCALAY_TRY(check_extents(source, target));
    SCALAY_TRY(check_type(type));
    SCALAY_TRY(SCALAY_NEW(*plan, 1));
    (*plan)->comm = scalay_comm_retain(comm);
    (*plan)->type = type;
    (*plan)->copier = scalay_copier_for(scalay_type_size(type));
    (*plan)->source_layout = source;
    (*plan)->target_layout = *placed != NULL ? *placed : target;
    SCALAY_TRY(scalay_transport_find(*plan, options != NULL ? options->transport : NULL, &(*plan)->transport,
                                     &(*plan)->reason));
cleanup:
    return status;
}

/* What must be the same on all ranks. */
static uint64_t plan_fingerprint(const scalay_plan *plan)
{
    uint64_t fingerprint = scalay_fingerprint_add(scalay_fingerprint_start(), plan->type);
    fingerprint = scalay_fingerprint_add(fingerprint, (int64_t)scalay_layout_fingerprint(plan->source_layout));
    fingerprint = scalay_fingerprint_add(fingerprint, (int64_t)scalay_layout_fingerprint(plan->target_layout));
    for (const char *c = plan->transport->name; *c != '\0'; c++) fingerprint = scalay_fingerprint_add(fingerprint, *c);
    return fingerprint;
}

/* ----------------------------------------------------------------------------------------------- build */

static scalay_status new_buffer(const scalay_plan *plan, const scalay_side *side, char **buffer)
{
    if (side->elements == 0) return SCALAY_SUCCESS;
    const size_t size = plan->copier.size;
    const int64_t padding = SCALAY_BUFFER_PADDING / (int64_t)size + 1;
    *buffer = scalay_allocate(side->elements + padding, size);
    return *buffer != NULL ? SCALAY_SUCCESS
                           : scalay_no_memory(create_name, "the packed messages", side->elements + padding, size);
}

static scalay_status build_sides(scalay_plan *plan)
{
    scalay_status status = SCALAY_SUCCESS;
    const int rank = plan->comm->rank;
    SCALAY_TRY(scalay_side_create(plan->source_layout, plan->target_layout, SCALAY_SIDE_SOURCE, rank, &plan->source));
    SCALAY_TRY(scalay_side_create(plan->target_layout, plan->source_layout, SCALAY_SIDE_TARGET, rank, &plan->target));
    SCALAY_TRY(new_buffer(plan, &plan->source, &plan->source_buffer));
    SCALAY_TRY(new_buffer(plan, &plan->target, &plan->target_buffer));
cleanup:
    return status;
}

/* Volume and steps need every rank's sums and nothing else. */
static scalay_status sum_up(scalay_plan *plan)
{
    scalay_status status = SCALAY_SUCCESS;
    const int64_t size = (int64_t)plan->copier.size;
    const int64_t busiest = scalay_max_int64(plan->source.elements, plan->target.elements);
    scalay_plan_statistics *statistics = &plan->statistics;
    statistics->bytes_sent = plan->source.elements * size;
    statistics->bytes_received = plan->target.elements * size;
    statistics->bytes_kept = plan->source.kept.elements * size;
    statistics->extra_bytes = (plan->source.elements + plan->target.elements) * size;
    statistics->plan_bytes =
        (int64_t)sizeof *plan + scalay_side_bytes(&plan->source) + scalay_side_bytes(&plan->target);
    SCALAY_TRY_MPI(
        MPI_Allreduce(&plan->source.elements, &statistics->volume, 1, MPI_INT64_T, MPI_SUM, plan->comm->mpi));
    SCALAY_TRY_MPI(MPI_Allreduce(&busiest, &statistics->steps, 1, MPI_INT64_T, MPI_MAX, plan->comm->mpi));
cleanup:
    return status;
}

scalay_status scalay_plan_create_split(scalay_comm *comm, const scalay_layout *source, const scalay_layout *target,
                                       const scalay_mapping *mapping, scalay_type type,
                                       const scalay_plan_options *options, int64_t message_bytes, scalay_plan **plan)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_plan *made = NULL;
    scalay_layout *placed = NULL;
    if (plan != NULL) *plan = NULL;
    if (comm == NULL)
        return scalay_fail(SCALAY_ERROR_ARGUMENT, create_name, "comm is NULL; make one with scalay_comm_create");
    SCALAY_TRY(scalay_comm_agree(
        comm, plan == NULL ? scalay_fail(SCALAY_ERROR_ARGUMENT, create_name, "plan is NULL; pass where it shall go")
                           : prepare(comm, source, target, mapping, type, options, &made, &placed)));
    SCALAY_TRY(scalay_comm_agree_value(comm, plan_fingerprint(made), create_name,
                                       "source, target, mapping, type or transport"));
    made->tag = scalay_comm_tag(comm);
    made->message_bytes = message_bytes;
    SCALAY_TRY(scalay_comm_agree(comm, build_sides(made)));
    SCALAY_TRY(sum_up(made));
    SCALAY_TRY(made->transport->create(made));
    made->source_layout = made->target_layout = NULL;
    *plan = made;
    made = NULL;
cleanup:
    scalay_plan_destroy(&made);
    scalay_layout_destroy(&placed);
    return status;
}

scalay_status scalay_plan_create(scalay_comm *comm, const scalay_layout *source, const scalay_layout *target,
                                 const scalay_mapping *mapping, scalay_type type, const scalay_plan_options *options,
                                 scalay_plan **plan)
{
    return scalay_plan_create_split(comm, source, target, mapping, type, options, MESSAGE_BYTES, plan);
}

void scalay_plan_destroy(scalay_plan **plan)
{
    if (plan == NULL || *plan == NULL) return;
    scalay_plan *going = *plan;
    *plan = NULL;
    if (going->under_way) (void)scalay_plan_end(going);
    if (going->transport != NULL) going->transport->destroy(going);
    scalay_side_free(&going->source);
    scalay_side_free(&going->target);
    scalay_release(going->source_buffer);
    scalay_release(going->target_buffer);
    scalay_comm_destroy(&going->comm);
    scalay_release(going);
}

/* ------------------------------------------------------------------------------------------- questions */

scalay_status scalay_plan_get_statistics(const scalay_plan *plan, scalay_plan_statistics *statistics)
{
    if (plan == NULL) return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "plan is NULL; make one with scalay_plan_create");
    if (statistics == NULL) return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "statistics is NULL; pass where they shall go");
    *statistics = plan->statistics;
    return SCALAY_SUCCESS;
}

int scalay_plan_describe(const scalay_plan *plan, char *text, size_t size)
{
    char how[200];
    if (plan == NULL) return snprintf(text, size, "no plan");
    const scalay_plan_statistics *statistics = &plan->statistics;
    (void)plan->transport->describe(plan, how, sizeof how);
    return snprintf(text, size,
                    "transport \"%s\" (%s), %s: %lld elements change process in %lld one-port steps; this rank sends "
                    "%lld bytes, receives %lld, keeps %lld, and needs %lld bytes of buffers",
                    plan->transport->name, plan->reason, how, (long long)statistics->volume,
                    (long long)statistics->steps, (long long)statistics->bytes_sent,
                    (long long)statistics->bytes_received, (long long)statistics->bytes_kept,
                    (long long)statistics->extra_bytes);
}
