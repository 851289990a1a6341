#include "redist/plan.h"

#include <math.h>
#include <stdio.h>

#include "base/fingerprint.h"
#include "base/integer.h"
#include "base/memory.h"
#include "base/option_struct.h"
#include "parallel/agree.h"
#include "parallel/node.h"
#include "redist/lanes.h"
#include "redist/place.h"

/* Failures of the steps of scalay_plan_create() go by its name. */
static const char create_name[] = "scalay_plan_create";

enum {
    MESSAGE_BYTES = 1 << 30, /* MPI counts bytes in an int */
    MATRICES_MOST = 64,
    MEMORY_LEAST = 4096,            /* that may be asked for */
    MEMORY_LEAST_DEFAULT = 1 << 18, /* that is taken without being asked */
    STARTUP_BYTES = 1 << 14 /* of links of some microseconds and gigabytes per second: latency times bandwidth */
};

void scalay_plan_options_init(scalay_plan_options *options, size_t size)
{
    const scalay_plan_options defaults = {.size = sizeof defaults, .transport = "auto"};
    scalay_option_struct_fill(&defaults, sizeof defaults, options, size);
}

/* ------------------------------------------------------------------------------------------ arguments */

static scalay_status check_extents(const scalay_plan_matrix *matrix, int transposed)
{
    const int64_t m = scalay_layout_rows(matrix->source), n = scalay_layout_cols(matrix->source);
    const int64_t rows = scalay_layout_rows(matrix->target), cols = scalay_layout_cols(matrix->target);
    if ((transposed ? n : m) == rows && (transposed ? m : n) == cols) return SCALAY_SUCCESS;
    return scalay_fail(SCALAY_ERROR_MISMATCH, create_name,
                       "source is %lld x %lld, target %lld x %lld; pass layouts of %s", (long long)m, (long long)n,
                       (long long)rows, (long long)cols,
                       transposed ? "extents that are those of each other's transpose" : "the same extents");
}

static scalay_status check_type(scalay_type type)
{
    if (scalay_type_size(type) > 0) return SCALAY_SUCCESS;
    return scalay_fail(SCALAY_ERROR_ARGUMENT, create_name,
                       "type = %d is none; pass SCALAY_DOUBLE or its like, or SCALAY_RAW(bytes) with 1 to %d bytes",
                       type, SCALAY_RAW_MAX);
}

static scalay_status check_enumeration(const char *name, int value, int last, const char *remedy)
{
    if (value >= 0 && value <= last) return SCALAY_SUCCESS;
    return scalay_fail(SCALAY_ERROR_ARGUMENT, create_name, "%s = %d is none; pass %s", name, value, remedy);
}

static scalay_status check_transform(const scalay_plan_matrix *matrix)
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(check_enumeration("op", (int)matrix->op, SCALAY_CONJUGATE_TRANSPOSE,
                                 "SCALAY_NO_TRANSPOSE, SCALAY_TRANSPOSE or SCALAY_CONJUGATE_TRANSPOSE"));
    SCALAY_TRY(
        check_enumeration("uplo", (int)matrix->uplo, SCALAY_LOWER, "SCALAY_WHOLE, SCALAY_UPPER or SCALAY_LOWER"));
    SCALAY_TRY(check_enumeration("diag", (int)matrix->diag, SCALAY_UNIT, "SCALAY_NON_UNIT or SCALAY_UNIT"));
cleanup:
    return status;
}

static int can_send(const scalay_machine *machine)
{
    return isfinite(machine->seconds_per_message) && machine->seconds_per_message >= 0.0 &&
           isfinite(machine->seconds_per_byte) && machine->seconds_per_byte >= 0.0;
}

static scalay_status check_options(const scalay_plan_options *options, int64_t largest)
{
    const int64_t least = scalay_max_int64(MEMORY_LEAST, 2 * largest);
    if (options->memory_bytes < 0 || (options->memory_bytes > 0 && options->memory_bytes < least))
        return scalay_fail(SCALAY_ERROR_ARGUMENT, create_name,
                           "options->memory_bytes = %lld is too little; pass 0 for the default, or at least %lld",
                           (long long)options->memory_bytes, (long long)least);
    if (options->threads < 0)
        return scalay_fail(SCALAY_ERROR_ARGUMENT, create_name,
                           "options->threads = %d is negative; pass 0 for the default, or a number of threads",
                           options->threads);
    if (options->machine != NULL && !can_send(options->machine))
        return scalay_fail(SCALAY_ERROR_ARGUMENT, create_name,
                           "options->machine needs %g s per message and %g s per byte; pass NULL, or what was measured",
                           options->machine->seconds_per_message, options->machine->seconds_per_byte);
    return SCALAY_SUCCESS;
}

/* Latency times bandwidth. */
static int64_t startup_of(const scalay_machine *machine)
{
    if (machine == NULL) return STARTUP_BYTES;
    if (machine->seconds_per_message == 0.0) return 0;
    return (int64_t)fmin(machine->seconds_per_message / machine->seconds_per_byte, MESSAGE_BYTES);
}

/* ------------------------------------------------------------------------------------- what a rank can do alone */

static scalay_status prepare_part(scalay_comm *comm, const scalay_plan_matrix *matrix, scalay_plan_part *part)
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(scalay_place_check(comm, matrix->source, create_name, "source"));
    SCALAY_TRY(scalay_place_target(comm, matrix->target, matrix->mapping, create_name, &part->placed));
    SCALAY_TRY(check_transform(matrix));
    SCALAY_TRY(check_extents(matrix, matrix->op != SCALAY_NO_TRANSPOSE));
    SCALAY_TRY(check_type(matrix->type));
    part->type = matrix->type;
    part->size = scalay_type_size(matrix->type);
    part->op = matrix->op;
    part->source_layout = matrix->source;
    part->target_layout = part->placed != NULL ? part->placed : matrix->target;
cleanup:
    return status;
}

static scalay_status check_count(int count, const scalay_plan_matrix *matrices)
{
    if (count < 1 || count > MATRICES_MOST)
        return scalay_fail(SCALAY_ERROR_ARGUMENT, create_name, "count = %d matrices; pass 1 to %d", count,
                           MATRICES_MOST);
    if (matrices == NULL)
        return scalay_fail(SCALAY_ERROR_ARGUMENT, create_name, "matrices is NULL; pass %d of them", count);
    return SCALAY_SUCCESS;
}

/* An empty plan, its layouts, its transport. */
static scalay_status prepare(scalay_comm *comm, int count, const scalay_plan_matrix *matrices,
                             const scalay_plan_options *given, int64_t message_bytes, scalay_plan **plan)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_plan_options read = scalay_plan_options_default();
    const scalay_plan_options *const options = &read;
    SCALAY_TRY(scalay_option_struct_read(given, &read, sizeof read, create_name));
    SCALAY_TRY(check_count(count, matrices));
    SCALAY_TRY(SCALAY_NEW(*plan, 1));
    scalay_plan *made = *plan;
    made->comm = scalay_comm_retain(comm);
    SCALAY_TRY(SCALAY_NEW(made->parts, count));
    made->count = count;
    SCALAY_TRY(SCALAY_NEW(made->freight, count));
    for (int k = 0; k < count; k++) {
        SCALAY_TRY(prepare_part(comm, &matrices[k], &made->parts[k]));
        made->largest_element = scalay_max_int64(made->largest_element, (int64_t)made->parts[k].size);
    }
    SCALAY_TRY(check_options(options, made->largest_element));
    made->in_place = options->in_place != 0;
    made->threads = options->threads;
    if (options->threads == 0) {
        const int processors = (int)fmax(1.0, scalay_node_share(comm->node)), most = scalay_copier_threads();
        made->threads = processors < most ? processors : most;
    }
    made->startup_bytes = startup_of(options->machine);
    made->memory_bytes = options->memory_bytes;
    made->message_bytes = message_bytes;
    SCALAY_TRY(scalay_transport_find(made, options->transport, &made->transport, &made->reason));
cleanup:
    return status;
}

static scalay_clip clip_of(const scalay_plan_matrix *matrix)
{
    return scalay_clip_of(matrix->uplo, matrix->diag, scalay_layout_rows(matrix->target),
                          scalay_layout_cols(matrix->target));
}

/* What must be the same on all ranks. */
static uint64_t plan_fingerprint(const scalay_plan *plan, const scalay_plan_matrix *matrices)
{
    uint64_t fingerprint = scalay_fingerprint_add(scalay_fingerprint_start(), plan->count);
    for (int k = 0; k < plan->count; k++) {
        const scalay_plan_part *part = &plan->parts[k];
        const scalay_clip clip = clip_of(&matrices[k]);
        const int64_t values[] = {part->type,
                                  (int64_t)part->op,
                                  (int64_t)clip.uplo,
                                  clip.shift,
                                  (int64_t)scalay_layout_fingerprint(part->source_layout),
                                  (int64_t)scalay_layout_fingerprint(part->target_layout)};
        for (size_t v = 0; v < sizeof values / sizeof *values; v++)
            fingerprint = scalay_fingerprint_add(fingerprint, values[v]);
    }
    fingerprint = scalay_fingerprint_add(fingerprint, plan->in_place);
    fingerprint = scalay_fingerprint_add(fingerprint, plan->memory_bytes);
    for (const char *c = plan->transport->name; *c != '\0'; c++) fingerprint = scalay_fingerprint_add(fingerprint, *c);
    return fingerprint;
}

/* ----------------------------------------------------------------------------------------------- build */

static scalay_status build_part(const scalay_plan_matrix *matrix, int rank, scalay_plan_part *part)
{
    scalay_status status = SCALAY_SUCCESS;
    const scalay_side_spec spec = {.source = part->source_layout,
                                   .target = part->target_layout,
                                   .transposed = part->op != SCALAY_NO_TRANSPOSE,
                                   .clip = clip_of(matrix)};
    SCALAY_TRY(scalay_side_create(&spec, SCALAY_SIDE_SOURCE, rank, &part->source));
    SCALAY_TRY(scalay_side_create(&spec, SCALAY_SIDE_TARGET, rank, &part->target));
cleanup:
    return status;
}

static scalay_status build(scalay_plan *plan, const scalay_plan_matrix *matrices)
{
    scalay_status status = SCALAY_SUCCESS;
    for (int k = 0; k < plan->count; k++) SCALAY_TRY(build_part(&matrices[k], plan->comm->rank, &plan->parts[k]));
    SCALAY_TRY(scalay_lanes_create(plan->parts, plan->count, SCALAY_SIDE_SOURCE, &plan->source));
    SCALAY_TRY(scalay_lanes_create(plan->parts, plan->count, SCALAY_SIDE_TARGET, &plan->target));
    for (int k = 0; k < plan->count; k++) { /* the way forth, for transports that measure lanes */
        scalay_plan_part *part = &plan->parts[k];
        plan->freight[k] = (scalay_freight){.from = &part->source,
                                            .to = &part->target,
                                            .packer = scalay_copier_for(part->type),
                                            .unpacker = scalay_copier_for(part->type)};
    }
cleanup:
    return status;
}

/* What this rank may take: a quarter of its larger matrices, of all parts together, less what the plan has taken; in
   place, what it needs. */
static int64_t default_memory(const scalay_plan *plan)
{
    int64_t bytes = 0;
    if (plan->in_place || plan->source.count + plan->target.count == 0) return INT64_MAX;
    for (int k = 0; k < plan->count; k++) {
        const scalay_plan_part *part = &plan->parts[k];
        bytes += scalay_max_int64(part->source.local_size, part->target.local_size) * (int64_t)part->size;
    }
    return scalay_max_int64(bytes / 4 - plan->statistics.plan_bytes,
                            scalay_max_int64(MEMORY_LEAST_DEFAULT, 2 * SCALAY_RAW_MAX));
}

/* Volume, steps and memory need every rank's sums and nothing else. */
static scalay_status sum_up(scalay_plan *plan)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_plan_statistics *statistics = &plan->statistics;
    int64_t sent = 0, received = 0;
    statistics->plan_bytes = (int64_t)sizeof *plan + scalay_lanes_bytes(&plan->source, plan->count) +
                             scalay_lanes_bytes(&plan->target, plan->count) +
                             plan->count * (int64_t)(sizeof(scalay_plan_part) + sizeof(scalay_freight));
    for (int k = 0; k < plan->count; k++) {
        const scalay_plan_part *part = &plan->parts[k];
        const int64_t size = (int64_t)part->size;
        sent += part->source.elements;
        received += part->target.elements;
        statistics->bytes_sent += part->source.elements * size;
        statistics->bytes_received += part->target.elements * size;
        statistics->bytes_kept += part->source.kept.elements * size;
        statistics->plan_bytes += scalay_side_bytes(&part->source) + scalay_side_bytes(&part->target);
    }
    SCALAY_TRY_MPI(MPI_Allreduce(&sent, &statistics->volume, 1, MPI_INT64_T, MPI_SUM, plan->comm->mpi));
    int64_t most[2] = {scalay_max_int64(sent, received), -default_memory(plan)};
    SCALAY_TRY_MPI(MPI_Allreduce(MPI_IN_PLACE, most, 2, MPI_INT64_T, MPI_MAX, plan->comm->mpi));
    statistics->steps = most[0];
    if (plan->memory_bytes == 0) plan->memory_bytes = -most[1];
cleanup:
    return status;
}

scalay_status scalay_plan_create_split(scalay_comm *comm, int count, const scalay_plan_matrix *matrices,
                                       const scalay_plan_options *options, int64_t message_bytes, scalay_plan **plan)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_plan *made = NULL;
    if (plan != NULL) *plan = NULL;
    if (comm == NULL)
        return scalay_fail(SCALAY_ERROR_ARGUMENT, create_name, "comm is NULL; make one with scalay_comm_create");
    SCALAY_TRY(scalay_node_probe(comm));
    SCALAY_TRY(scalay_comm_agree(
        comm, plan == NULL ? scalay_fail(SCALAY_ERROR_ARGUMENT, create_name, "plan is NULL; pass where it shall go")
                           : prepare(comm, count, matrices, options, message_bytes, &made)));
    SCALAY_TRY(scalay_comm_agree_value(comm, plan_fingerprint(made, matrices), create_name,
                                       "source, target, mapping, type, op, uplo, diag or options"));
    made->tag = scalay_comm_tag(comm);
    SCALAY_TRY(scalay_comm_agree(comm, build(made, matrices)));
    SCALAY_TRY(sum_up(made));
    SCALAY_TRY(made->transport->create(made));
    for (int k = 0; k < count; k++) {
        scalay_layout_destroy(&made->parts[k].placed);
        made->parts[k].source_layout = made->parts[k].target_layout = NULL;
    }
    *plan = made;
    made = NULL;
cleanup:
    scalay_plan_destroy(&made);
    return status;
}

scalay_status scalay_plan_create_many(scalay_comm *comm, int count, const scalay_plan_matrix *matrices,
                                      const scalay_plan_options *options, scalay_plan **plan)
{
    return scalay_plan_create_split(comm, count, matrices, options, MESSAGE_BYTES, plan);
}

scalay_status scalay_plan_create(scalay_comm *comm, const scalay_layout *source, const scalay_layout *target,
                                 const scalay_mapping *mapping, scalay_type type, const scalay_plan_options *options,
                                 scalay_plan **plan)
{
    const scalay_plan_matrix matrix = {.source = source, .target = target, .mapping = mapping, .type = type};
    return scalay_plan_create_many(comm, 1, &matrix, options, plan);
}

static void free_part(scalay_plan_part *part)
{
    scalay_side_free(&part->source);
    scalay_side_free(&part->target);
    scalay_layout_destroy(&part->placed);
}

void scalay_plan_destroy(scalay_plan **plan)
{
    if (plan == NULL || *plan == NULL) return;
    scalay_plan *going = *plan;
    *plan = NULL;
    if (going->under_way) (void)scalay_plan_end(going);
    if (going->transport != NULL) going->transport->destroy(going);
    scalay_lanes_free(&going->source);
    scalay_lanes_free(&going->target);
    for (int k = 0; k < going->count; k++) free_part(&going->parts[k]);
    scalay_release(going->parts);
    scalay_release(going->freight);
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
