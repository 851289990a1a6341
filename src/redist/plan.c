/* Plans: creation, the table of transports, statistics.

   Each rank checks the arguments and builds its own tables without communication: packages of each matrix, then
   channels. One reduction then agrees on the status, compares a fingerprint of the arguments, and sums volume and
   steps. The transport allocates its buffers: before this reduction if it can, else after it, with a second one. Cost
   per rank: O(n / nb + packages) time and memory, plus O(cells of the rank) for tile maps. */
#include "redist/plan.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "base/fingerprint.h"
#include "base/integer.h"
#include "base/memory.h"
#include "base/option_struct.h"
#include "base/text.h"
#include "parallel/agree.h"
#include "parallel/node.h"
#include "redist/piece_choice.h"
#include "scalay/model.h"

/* The public function, for messages. */
static const char function[] = "scalay_plan_create";

enum {
    MESSAGE_BYTES = 1 << 30, /* MPI counts bytes in an int */
    MAX_MATRICES = 64,
    MIN_MEMORY = 4096,            /* of options.memory_bytes */
    MIN_DEFAULT_MEMORY = 1 << 20, /* of the default */
    ORDINARY_PART = 4,            /* the default is this part of the larger local matrix */
    CONSUMING_PART = 64,          /* likewise, if the plan can consume its source */
    LARGE_IN_PLACE = 1 << 24,     /* bytes of a local matrix that moves in place panel by panel */
};

void scalay_plan_options_init(scalay_plan_options *options, size_t size)
{
    const scalay_plan_options defaults = {.size = sizeof defaults, .transport = "auto"};
    scalay_option_struct_fill(&defaults, sizeof defaults, options, size);
}

/* ------------------------------------------------------------------------------------------ transports */

static const scalay_transport *const transports[] = {&scalay_transport_shared, &scalay_transport_mpi};

enum { TRANSPORTS = sizeof transports / sizeof *transports };

const char *scalay_transport_name(int k)
{
    return k >= 0 && k < TRANSPORTS ? transports[k]->name : NULL;
}

/* The transport of the shortest predicted time; of several, the last. `nanoseconds`: shape [TRANSPORTS]; INT64_MAX: not
   applicable. */
static void choose_transport(scalay_plan *plan, const int64_t *nanoseconds)
{
    int best = 0;
    for (int k = 1; k < TRANSPORTS; k++)
        if (nanoseconds[k] <= nanoseconds[best]) best = k;
    plan->transport = transports[best];
    (void)plan->transport->applicable(plan, &plan->reason);
}

static scalay_status unknown_transport(const char *name)
{
    char names[200];
    scalay_text text = {names, sizeof names, 0};
    for (int k = 0; k < TRANSPORTS; k++) scalay_text_append(&text, ", \"%s\"", transports[k]->name);
    return scalay_fail(SCALAY_ERROR_ARGUMENT, function, "options->transport is \"%s\"; it must be one of \"auto\"%s",
                       name, names);
}

static scalay_status find_transport(scalay_plan *plan, const char *name)
{
    plan->is_auto = name == NULL || strcmp(name, "auto") == 0;
    if (plan->is_auto) return SCALAY_SUCCESS;
    for (int k = 0; k < TRANSPORTS; k++) {
        if (strcmp(transports[k]->name, name) != 0) continue;
        if (!transports[k]->applicable(plan, &plan->reason))
            return scalay_fail(SCALAY_ERROR_UNSUPPORTED, function,
                               "options->transport is \"%s\", which cannot execute this plan: %s. Pass \"auto\".", name,
                               plan->reason);
        plan->transport = transports[k];
        plan->reason = "requested";
        return SCALAY_SUCCESS;
    }
    return unknown_transport(name);
}

/* --------------------------------------------------------------------------------------------- checks */

/* Checks that each part of a layout is on a process that is a rank of the communicator. */
static scalay_status check_layout(const scalay_comm *comm, const scalay_layout *layout, const char *caller,
                                  const char *name)
{
    scalay_status status = scalay_check_not_null(layout, caller, name);
    if (status != SCALAY_SUCCESS) return status;
    if (scalay_layout_processes(layout) <= comm->size) return SCALAY_SUCCESS;
    const int parts = scalay_layout_parts(layout);
    for (int part = 0; part < parts; part++) {
        const int process = scalay_layout_process_of_part(layout, part);
        if (process >= comm->size)
            return scalay_fail(SCALAY_ERROR_ARGUMENT, caller,
                               "part %d of %s is on process %d; it must be in [0, %d), the ranks of comm", part, name,
                               process, comm->size);
    }
    return SCALAY_SUCCESS;
}

scalay_status scalay_target_apply_mapping(const scalay_comm *comm, const scalay_layout *target,
                                          const scalay_mapping *mapping, const char *caller, scalay_layout **mapped)
{
    *mapped = NULL;
    if (target == NULL || mapping == NULL) return check_layout(comm, target, caller, "target");
    scalay_mapping_summary summary;
    scalay_status status = scalay_mapping_get_summary(mapping, &summary);
    if (status != SCALAY_SUCCESS) return status;
    if (summary.parts != scalay_layout_parts(target))
        return scalay_fail(SCALAY_ERROR_MISMATCH, caller,
                           "mapping has %d parts; it must have %d, as target. Create the mapping for this target.",
                           summary.parts, scalay_layout_parts(target));
    status = scalay_layout_relabel(target, summary.processes, scalay_mapping_process(mapping), mapped);
    return status != SCALAY_SUCCESS ? status : check_layout(comm, *mapped, caller, "target after mapping");
}

static scalay_status check_extents(const scalay_plan_matrix *matrix)
{
    const int transposed = matrix->op != SCALAY_NO_TRANSPOSE;
    const int64_t m = scalay_layout_rows(matrix->source), n = scalay_layout_cols(matrix->source);
    const int64_t rows = scalay_layout_rows(matrix->target), cols = scalay_layout_cols(matrix->target);
    if ((transposed ? n : m) == rows && (transposed ? m : n) == cols) return SCALAY_SUCCESS;
    return scalay_fail(SCALAY_ERROR_MISMATCH, function, "target is %lld x %lld; it must be %lld x %lld, as op(A)",
                       (long long)rows, (long long)cols, (long long)(transposed ? n : m),
                       (long long)(transposed ? m : n));
}

static scalay_status check_type(scalay_type type)
{
    if (scalay_type_size(type) > 0) return SCALAY_SUCCESS;
    return scalay_fail(SCALAY_ERROR_ARGUMENT, function,
                       "type is %d; it must be SCALAY_FLOAT to SCALAY_INT, or SCALAY_RAW(bytes) with 1 to %d bytes",
                       type, SCALAY_RAW_MAX);
}

static scalay_status check_enumeration(const char *name, int value, int last, const char *allowed)
{
    if (value >= 0 && value <= last) return SCALAY_SUCCESS;
    return scalay_fail(SCALAY_ERROR_ARGUMENT, function, "%s is %d; it must be %s", name, value, allowed);
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

static int has_links(const scalay_machine *machine)
{
    return isfinite(machine->seconds_per_message) && machine->seconds_per_message >= 0.0 &&
           isfinite(machine->seconds_per_byte) && machine->seconds_per_byte >= 0.0 &&
           isfinite(machine->seconds_per_byte_copied) && machine->seconds_per_byte_copied >= 0.0;
}

/* Checks that a plan can move panel by panel and consume its source. */
static scalay_status check_consume(int count, const scalay_plan_matrix *matrix, const scalay_plan_options *options)
{
    const char *reason = NULL;
    if (count != 1) reason = "the plan has several matrices; it must have one";
    if (matrix->op != SCALAY_NO_TRANSPOSE)
        reason = "op is not SCALAY_NO_TRANSPOSE, and a transposed matrix is not received in columns of the source";
    if (matrix->uplo != SCALAY_WHOLE) reason = "uplo is not SCALAY_WHOLE, and the rest of the matrix would be lost";
    if (options->in_place) reason = "options->in_place is 1, and the target would lose its pages";
    if (!options->consume || reason == NULL) return SCALAY_SUCCESS;
    return scalay_fail(SCALAY_ERROR_UNSUPPORTED, function, "options->consume is 1; it must be 0: %s", reason);
}

static scalay_status check_options(const scalay_plan_options *options, int64_t largest_element)
{
    const int64_t minimum = scalay_max_int64(MIN_MEMORY, 2 * largest_element);
    if (options->memory_bytes < 0 || (options->memory_bytes > 0 && options->memory_bytes < minimum))
        return scalay_fail(SCALAY_ERROR_ARGUMENT, function,
                           "options->memory_bytes is %lld; it must be 0 (default) or at least %lld",
                           (long long)options->memory_bytes, (long long)minimum);
    if (options->threads < 0)
        return scalay_fail(SCALAY_ERROR_ARGUMENT, function,
                           "options->threads is %d; it must be 0 (default) or a number of threads", options->threads);
    if (options->machine != NULL && !has_links(options->machine))
        return scalay_fail(
            SCALAY_ERROR_ARGUMENT, function,
            "options->machine has %g s per message, %g s per byte and %g s per byte copied; they must be "
            "finite and at least 0. Pass NULL or a measured machine.",
            options->machine->seconds_per_message, options->machine->seconds_per_byte,
            options->machine->seconds_per_byte_copied);
    return SCALAY_SUCCESS;
}

static scalay_status check_count(int count, const scalay_plan_matrix *matrices)
{
    if (count < 1 || count > MAX_MATRICES)
        return scalay_fail(SCALAY_ERROR_ARGUMENT, function, "count is %d; it must be in [1, %d]", count, MAX_MATRICES);
    return scalay_check_not_null(matrices, function, "matrices");
}

/* ------------------------------------------------------------------------------------------- channels */

static const scalay_side *side_of(const scalay_planned_matrix *matrix, scalay_side_kind kind)
{
    return kind == SCALAY_SIDE_SOURCE ? &matrix->source : &matrix->target;
}

static int compare_ints(const void *left, const void *right)
{
    return scalay_compare_int64(*(const int *)left, *(const int *)right);
}

/* Lists the peers of all sides, ascending and distinct. Returns their number. */
static int64_t collect_peers(const scalay_plan *plan, scalay_side_kind kind, int *peers)
{
    int64_t count = 0, distinct = 0;
    for (int m = 0; m < plan->count; m++) {
        const scalay_side *side = side_of(&plan->matrices[m], kind);
        for (int64_t k = 0; k < side->package_count; k++) peers[count++] = side->packages[k].peer;
    }
    if (plan->count > 1) qsort(peers, (size_t)count, sizeof *peers, compare_ints);
    for (int64_t k = 0; k < count; k++)
        if (distinct == 0 || peers[k] != peers[distinct - 1]) peers[distinct++] = peers[k];
    return distinct;
}

/* Both the peers and the packages of a side ascend. */
static void add_packages(const scalay_planned_matrix *matrix, int number, scalay_side_kind kind,
                         scalay_channel_list *channels)
{
    const scalay_side *side = side_of(matrix, kind);
    scalay_channel *channel = channels->channel;
    for (int64_t k = 0; k < side->package_count; k++) {
        while (channel->peer != side->packages[k].peer) channel++;
        channel->packages[number] = &side->packages[k];
        channel->bytes += side->packages[k].elements * (int64_t)matrix->size;
    }
}

/* Creates the channels of one side of the plan: the packages of all matrices, by peer. */
static scalay_status create_channels(const scalay_plan *plan, scalay_side_kind kind, scalay_channel_list *channels)
{
    scalay_status status = SCALAY_SUCCESS;
    int *peers = NULL;
    int64_t packages = 0;
    for (int m = 0; m < plan->count; m++) packages += side_of(&plan->matrices[m], kind)->package_count;
    SCALAY_TRY(SCALAY_NEW(peers, packages));
    channels->count = collect_peers(plan, kind, peers);
    SCALAY_TRY(SCALAY_NEW(channels->channel, channels->count));
    SCALAY_TRY(SCALAY_NEW(channels->packages, channels->count * plan->count));
    for (int64_t k = 0; k < channels->count; k++)
        channels->channel[k] = (scalay_channel){.peer = peers[k], .packages = channels->packages + k * plan->count};
    for (int m = 0; m < plan->count; m++) add_packages(&plan->matrices[m], m, kind, channels);
cleanup:
    scalay_release(peers);
    return status;
}

static void free_channels(scalay_channel_list *channels)
{
    scalay_release(channels->channel);
    scalay_release(channels->packages);
}

/* --------------------------------------------------------------------------------------------- create */

static scalay_trapezoid trapezoid_of(const scalay_plan_matrix *matrix)
{
    return scalay_trapezoid_of(matrix->uplo, matrix->diag, scalay_layout_rows(matrix->target),
                               scalay_layout_cols(matrix->target));
}

static scalay_status prepare_matrix(scalay_comm *comm, const scalay_plan_matrix *matrix, scalay_planned_matrix *planned)
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(check_layout(comm, matrix->source, function, "source"));
    SCALAY_TRY(scalay_target_apply_mapping(comm, matrix->target, matrix->mapping, function, &planned->mapped));
    SCALAY_TRY(check_transform(matrix));
    SCALAY_TRY(check_extents(matrix));
    SCALAY_TRY(check_type(matrix->type));
    planned->type = matrix->type;
    planned->size = scalay_type_size(matrix->type);
    planned->op = matrix->op;
    planned->source_layout = matrix->source;
    planned->target_layout = planned->mapped != NULL ? planned->mapped : matrix->target;
cleanup:
    return status;
}

static scalay_status build_matrix(const scalay_plan_matrix *matrix, int rank, scalay_planned_matrix *planned)
{
    scalay_status status = SCALAY_SUCCESS;
    const scalay_side_spec spec = {.source = planned->source_layout,
                                   .target = planned->target_layout,
                                   .transposed = planned->op != SCALAY_NO_TRANSPOSE,
                                   .trapezoid = trapezoid_of(matrix)};
    SCALAY_TRY(scalay_side_create(&spec, SCALAY_SIDE_SOURCE, rank, &planned->source));
    SCALAY_TRY(scalay_side_create(&spec, SCALAY_SIDE_TARGET, rank, &planned->target));
cleanup:
    return status;
}

/* Transfers in the forward direction, for transports that count chunks. */
static void set_forward_transfers(scalay_plan *plan)
{
    for (int k = 0; k < plan->count; k++) {
        const scalay_planned_matrix *planned = &plan->matrices[k];
        plan->transfers[k] = (scalay_transfer){.from = &planned->source,
                                               .to = &planned->target,
                                               .packer = scalay_copier_for(planned->type),
                                               .unpacker = scalay_copier_for(planned->type)};
    }
}

static int default_threads(const scalay_comm *comm)
{
    const int processors = (int)fmax(1.0, scalay_node_share(comm->node)), maximum = scalay_copier_threads();
    return processors < maximum ? processors : maximum;
}

static scalay_status read_options(const scalay_plan_options *given, const scalay_plan_matrix *matrices,
                                  scalay_plan *plan)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_plan_options options = scalay_plan_options_default();
    SCALAY_TRY(scalay_option_struct_read(given, &options, sizeof options, function));
    SCALAY_TRY(check_options(&options, plan->largest_element));
    plan->in_place = options.in_place != 0;
    plan->can_consume = options.consume != 0;
    plan->verifies = options.verify != 0;
    plan->threads = options.threads > 0 ? options.threads : default_threads(plan->comm);
    plan->machine = options.machine != NULL ? *options.machine : scalay_machine_typical();
    plan->memory_bytes = options.memory_bytes;
    SCALAY_TRY(check_consume(plan->count, matrices, &options));
    SCALAY_TRY(find_transport(plan, options.transport));
cleanup:
    return status;
}

/* Returns 1 if a plan in place moves panel by panel: one whole matrix, so large that memory matters more than the time
   for new pages. The same on all ranks. */
static int has_panels_in_place(const scalay_plan *plan, const scalay_plan_matrix *matrix, int panels)
{
    if (!plan->in_place || plan->count != 1 || matrix->op != SCALAY_NO_TRANSPOSE || matrix->uplo != SCALAY_WHOLE)
        return 0;
    const int64_t elements = scalay_layout_rows(matrix->source) * scalay_layout_cols(matrix->source);
    const int64_t average = elements / scalay_layout_parts(matrix->source) * (int64_t)plan->matrices[0].size;
    return panels > 0 || average >= LARGE_IN_PLACE;
}

static int64_t channel_list_bytes(const scalay_channel_list *channels, int count)
{
    return channels->count * (int64_t)(sizeof(scalay_channel) + (size_t)count * sizeof(scalay_package *));
}

/* Counts the elements and bytes of this rank. Until the agreement, volume and steps are those of this rank. */
static void count_own(scalay_plan *plan)
{
    scalay_plan_statistics *statistics = &plan->statistics;
    int64_t sent = 0, received = 0;
    statistics->plan_bytes = (int64_t)sizeof *plan + channel_list_bytes(&plan->source, plan->count) +
                             channel_list_bytes(&plan->target, plan->count) +
                             plan->count * (int64_t)(sizeof(scalay_planned_matrix) + sizeof(scalay_transfer));
    for (int k = 0; k < plan->count; k++) {
        const scalay_planned_matrix *planned = &plan->matrices[k];
        const int64_t size = (int64_t)planned->size;
        sent += planned->source.elements;
        received += planned->target.elements;
        statistics->bytes_sent += planned->source.elements * size;
        statistics->bytes_received += planned->target.elements * size;
        statistics->bytes_kept += planned->source.kept.elements * size;
        statistics->plan_bytes += scalay_side_bytes(&planned->source) + scalay_side_bytes(&planned->target);
    }
    if (plan->panels != NULL) statistics->plan_bytes += scalay_panels_bytes(plan->panels);
    statistics->volume = sent;
    statistics->steps = scalay_max_int64(sent, received);
}

/* Slots on the board that the plan needs, whatever transport is chosen. */
static int most_slots(const scalay_plan *plan)
{
    int most = 0;
    for (int k = 0; k < TRANSPORTS; k++) {
        if (!plan->is_auto || transports[k]->slots_for == NULL) continue;
        const int count = transports[k]->slots_for(plan);
        most = count > most ? count : most;
    }
    if (!plan->is_auto && plan->transport->slots_for != NULL) most = plan->transport->slots_for(plan);
    return most;
}

/* Everything that a rank can do without communication: checks, packages, channels. */
static scalay_status build(scalay_comm *comm, int count, const scalay_plan_matrix *matrices,
                           const scalay_plan_options *options, const scalay_plan_special *special, scalay_plan **plan)
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(check_count(count, matrices));
    SCALAY_TRY(SCALAY_NEW(*plan, 1));
    scalay_plan *new_plan = *plan;
    new_plan->comm = scalay_comm_retain(comm);
    SCALAY_TRY(SCALAY_NEW(new_plan->matrices, count));
    new_plan->count = count;
    SCALAY_TRY(SCALAY_NEW(new_plan->transfers, count));
    for (int k = 0; k < count; k++) {
        SCALAY_TRY(prepare_matrix(comm, &matrices[k], &new_plan->matrices[k]));
        new_plan->largest_element = scalay_max_int64(new_plan->largest_element, (int64_t)new_plan->matrices[k].size);
    }
    SCALAY_TRY(read_options(options, matrices, new_plan));
    new_plan->message_bytes = special->message_bytes;
    new_plan->piece_bytes = special->piece_bytes;
    new_plan->has_long_messages = special->has_long_messages && !new_plan->in_place;
    new_plan->assembly_bytes = special->assembly_bytes;
    if (special->transport != NULL) new_plan->transport = special->transport;
    new_plan->is_auto = new_plan->is_auto && special->transport == NULL;
    SCALAY_TRY(SCALAY_NEW(new_plan->slots, most_slots(new_plan)));
    for (int k = 0; k < count; k++) SCALAY_TRY(build_matrix(&matrices[k], comm->rank, &new_plan->matrices[k]));
    SCALAY_TRY(create_channels(new_plan, SCALAY_SIDE_SOURCE, &new_plan->source));
    SCALAY_TRY(create_channels(new_plan, SCALAY_SIDE_TARGET, &new_plan->target));
    set_forward_transfers(new_plan);
    if (new_plan->can_consume || has_panels_in_place(new_plan, matrices, special->panels))
        SCALAY_TRY(scalay_panels_create(new_plan, special->panels, &new_plan->panels));
    count_own(new_plan);
cleanup:
    return status;
}

/* ------------------------------------------------------------------------------------------- agreement */

/* Fingerprint of all arguments that must be equal on all ranks. */
static uint64_t fingerprint_of(const scalay_plan *plan)
{
    uint64_t fingerprint = scalay_fingerprint_add(scalay_fingerprint_start(), plan->count);
    for (int k = 0; k < plan->count; k++) {
        const scalay_planned_matrix *planned = &plan->matrices[k];
        const int64_t values[] = {planned->type,
                                  (int64_t)planned->op,
                                  (int64_t)planned->source.trapezoid.uplo,
                                  planned->source.trapezoid.shift,
                                  (int64_t)scalay_layout_fingerprint(planned->source_layout),
                                  (int64_t)scalay_layout_fingerprint(planned->target_layout)};
        for (size_t v = 0; v < sizeof values / sizeof *values; v++)
            fingerprint = scalay_fingerprint_add(fingerprint, values[v]);
    }
    fingerprint = scalay_fingerprint_add(fingerprint, plan->in_place);
    fingerprint = scalay_fingerprint_add(fingerprint, plan->can_consume);
    fingerprint = scalay_fingerprint_add(fingerprint, plan->verifies);
    fingerprint = scalay_fingerprint_add(fingerprint, plan->memory_bytes);
    const char *name = plan->is_auto ? "auto" : plan->transport->name;
    for (const char *c = name; *c != '\0'; c++) fingerprint = scalay_fingerprint_add(fingerprint, *c);
    return fingerprint;
}

/* Default limit of this rank: a part of its larger local matrices, minus the tables of the plan; in place, no limit. */
static int64_t default_memory(const scalay_plan *plan)
{
    int64_t bytes = 0;
    if (plan->in_place || plan->source.count + plan->target.count == 0) return INT64_MAX;
    for (int k = 0; k < plan->count; k++) {
        const scalay_planned_matrix *planned = &plan->matrices[k];
        bytes += scalay_max_int64(planned->source.local_size, planned->target.local_size) * (int64_t)planned->size;
    }
    const int part = plan->can_consume ? CONSUMING_PART : ORDINARY_PART;
    return scalay_max_int64(MIN_DEFAULT_MEMORY, bytes / part - plan->statistics.plan_bytes);
}

/* Returns 1 if this rank moves elements to or from another rank of its node, and the node has shared memory. */
static int shares_memory(const scalay_plan *plan)
{
    int shares = 0;
    const scalay_node *node = plan->comm->node;
    const scalay_channel_list *lists[] = {&plan->source, &plan->target};
    for (int side = 0; side < 2 && node->has_windows; side++)
        for (int64_t k = 0; k < lists[side]->count && !shares; k++)
            shares = scalay_node_local_rank(node, lists[side]->channel[k].peer) >= 0;
    return shares;
}

/* Predicts the time of each transport on this rank, in whole nanoseconds. A rank that shares no memory with its peers
   does the same by all transports, with other buffers. It leaves the choice to the others. */
static void predict(scalay_plan *plan, int64_t nanoseconds[TRANSPORTS])
{
    const int chooses = shares_memory(plan);
    const char *reason = NULL;
    const int64_t given = plan->memory_bytes;
    if (given == 0) plan->memory_bytes = scalay_min_int64(default_memory(plan), INT64_MAX / 4);
    for (int k = 0; k < TRANSPORTS; k++) {
        nanoseconds[k] = INT64_MAX;
        if (transports[k]->predict == NULL || !transports[k]->applicable(plan, &reason)) continue;
        nanoseconds[k] = chooses ? (int64_t)fmin(1e9 * transports[k]->predict(plan) + 0.5, 0x1p62) : 0;
    }
    plan->memory_bytes = given;
}

enum { FINGERPRINT = 0, STEPS = 2, NEGATIVE_MEMORY = 3, PREDICTED = 4 }; /* in scalay_agreement.maximum */
enum { USED_SLOTS = 0, CREATED = 1 };                                    /* in scalay_agreement.any */

/* Acquires the slots on the board that the transport needs. */
static scalay_status acquire_slots(scalay_plan *plan, uint64_t used)
{
    plan->slot_count = plan->transport->slots_for != NULL ? plan->transport->slots_for(plan) : 0;
    if (plan->slot_count == 0) return SCALAY_SUCCESS;
    return scalay_node_acquire_slots(plan->comm, used, plan->slot_count, plan->slots, &plan->has_slots);
}

/* A transport that was created before the agreement, and the statistics before that. */
typedef struct {
    const scalay_transport *transport; /* NULL: none */
    scalay_plan_statistics statistics;
    int is_everywhere; /* 1: all ranks have created it. Known after the agreement */
} early_transport;

static uint64_t bit_of(const scalay_transport *transport)
{
    uint64_t bit = 0;
    for (int k = 0; k < TRANSPORTS; k++)
        if (transports[k] == transport) bit = (uint64_t)1 << k;
    return bit;
}

/* Agrees on the status, on the arguments, on the transport, and on the numbers of all ranks. */
static scalay_status agree(scalay_comm *comm, scalay_status status, scalay_plan *plan, early_transport *early)
{
    scalay_agreement values = {{0}, {0}, {0}};
    if (status == SCALAY_SUCCESS) {
        scalay_agreement_compare(&values, FINGERPRINT, (int64_t)fingerprint_of(plan));
        values.maximum[STEPS] = plan->statistics.steps;
        values.maximum[NEGATIVE_MEMORY] = -default_memory(plan);
        if (plan->is_auto) predict(plan, &values.maximum[PREDICTED]);
        values.sum[0] = plan->statistics.volume;
        values.any[USED_SLOTS] = scalay_node_used_slots(comm->node);
        values.any[CREATED] = bit_of(early->transport);
    }
    SCALAY_TRY(scalay_comm_agree_on(comm, status, &values));
    if (!scalay_agreement_is_equal(&values, FINGERPRINT))
        return scalay_fail(SCALAY_ERROR_MISMATCH, function,
                           "the ranks disagree about source, target, mapping, type, op, uplo, diag or options; they "
                           "must be equal on all");
    plan->statistics.volume = early->statistics.volume = values.sum[0];
    plan->statistics.steps = early->statistics.steps = values.maximum[STEPS];
    if (plan->memory_bytes == 0) plan->memory_bytes = -values.maximum[NEGATIVE_MEMORY];
    if (plan->is_auto) choose_transport(plan, &values.maximum[PREDICTED]);
    early->is_everywhere = early->transport == plan->transport && values.any[CREATED] == bit_of(plan->transport);
    SCALAY_TRY(acquire_slots(plan, values.any[USED_SLOTS]));
cleanup:
    return status;
}

/* With a memory limit from the caller, a local transport is created before the agreement, which then covers its status.
   Slots are acquired in the agreement: until then, the transport expects to get them. With "auto", it is the transport
   that this rank would choose. */
static scalay_status create_early(scalay_plan *plan, early_transport *early)
{
    int64_t nanoseconds[TRANSPORTS];
    early->statistics = plan->statistics;
    if (plan->memory_bytes == 0 || plan->in_place) return SCALAY_SUCCESS;
    if (plan->is_auto) {
        predict(plan, nanoseconds);
        choose_transport(plan, nanoseconds);
    }
    if (!plan->transport->is_local) return SCALAY_SUCCESS;
    early->transport = plan->transport;
    plan->slot_count = plan->transport->slots_for != NULL ? plan->transport->slots_for(plan) : 0;
    plan->has_slots = plan->slot_count > 0 && plan->comm->node->is_used;
    const scalay_status status = plan->transport->create(plan);
    plan->has_slots = 0;
    return status;
}

/* Creates the transport of a plan that the ranks have agreed upon, if it was not created early. */
static scalay_status create_transport(scalay_plan *plan, early_transport *early)
{
    if (early->is_everywhere && (plan->has_slots || plan->slot_count == 0 || !plan->comm->node->is_used))
        return SCALAY_SUCCESS;
    if (early->transport != NULL) early->transport->destroy(plan);
    early->transport = NULL;
    plan->statistics = early->statistics;
    return scalay_comm_agree(plan->comm, plan->transport->create(plan));
}

scalay_status scalay_plan_create_special(scalay_comm *comm, int count, const scalay_plan_matrix *matrices,
                                         const scalay_plan_options *options, scalay_plan_special special,
                                         scalay_plan **plan)
{
    scalay_plan *new_plan = NULL;
    early_transport early = {.transport = NULL};
    if (plan != NULL) *plan = NULL;
    scalay_status status = scalay_check_not_null(comm, function, "comm");
    if (status != SCALAY_SUCCESS) return status;
    SCALAY_TRY(scalay_node_probe(comm));
    if (special.piece_bytes <= 0) {
        SCALAY_TRY(scalay_piece_choose(comm, NULL, &special.piece_bytes));
        special.has_long_messages |= special.piece_bytes == INT64_MAX && scalay_has_long_messages(comm);
    }
    status = scalay_check_not_null(plan, function, "plan");
    if (status == SCALAY_SUCCESS) status = build(comm, count, matrices, options, &special, &new_plan);
    if (status == SCALAY_SUCCESS) status = create_early(new_plan, &early);
    SCALAY_TRY(agree(comm, status, new_plan, &early));
    new_plan->tag = scalay_comm_tag(comm);
    SCALAY_TRY(create_transport(new_plan, &early));
    for (int k = 0; k < count; k++) {
        scalay_layout_destroy(&new_plan->matrices[k].mapped);
        new_plan->matrices[k].source_layout = new_plan->matrices[k].target_layout = NULL;
    }
    *plan = new_plan;
    new_plan = NULL;
cleanup:
    if (early.transport != NULL && new_plan != NULL) new_plan->transport = early.transport;
    scalay_plan_destroy(&new_plan);
    return status;
}

scalay_status scalay_plan_create_many(scalay_comm *comm, int count, const scalay_plan_matrix *matrices,
                                      const scalay_plan_options *options, scalay_plan **plan)
{
    const scalay_plan_special special = {.message_bytes = MESSAGE_BYTES};
    return scalay_plan_create_special(comm, count, matrices, options, special, plan);
}

scalay_status scalay_plan_create(scalay_comm *comm, const scalay_layout *source, const scalay_layout *target,
                                 const scalay_mapping *mapping, scalay_type type, const scalay_plan_options *options,
                                 scalay_plan **plan)
{
    const scalay_plan_matrix matrix = {.source = source, .target = target, .mapping = mapping, .type = type};
    return scalay_plan_create_many(comm, 1, &matrix, options, plan);
}

static void free_matrix(scalay_planned_matrix *planned)
{
    scalay_side_free(&planned->source);
    scalay_side_free(&planned->target);
    scalay_layout_destroy(&planned->mapped);
}

void scalay_plan_destroy(scalay_plan **plan)
{
    if (plan == NULL || *plan == NULL) return;
    scalay_plan *old_plan = *plan;
    *plan = NULL;
    if (old_plan->pending && scalay_comm_is_broken(old_plan->comm)) scalay_plan_abandon(old_plan);
    if (old_plan->pending) (void)scalay_plan_end(old_plan);
    if (old_plan->transport != NULL) old_plan->transport->destroy(old_plan);
    if (old_plan->has_slots) scalay_node_release_slots(old_plan->comm, old_plan->slot_count, old_plan->slots);
    scalay_release(old_plan->slots);
    scalay_panels_destroy(&old_plan->panels);
    free_channels(&old_plan->source);
    free_channels(&old_plan->target);
    for (int k = 0; k < old_plan->count; k++) free_matrix(&old_plan->matrices[k]);
    scalay_release(old_plan->matrices);
    scalay_release(old_plan->transfers);
    scalay_comm_destroy(&old_plan->comm);
    scalay_release(old_plan);
}

/* --------------------------------------------------------------------------------------------- queries */

scalay_status scalay_plan_get_statistics(const scalay_plan *plan, scalay_plan_statistics *statistics)
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(scalay_check_not_null(plan, __func__, "plan"));
    SCALAY_TRY(scalay_check_not_null(statistics, __func__, "statistics"));
    *statistics = plan->statistics;
cleanup:
    return status;
}

int scalay_plan_describe(const scalay_plan *plan, char *text, size_t size)
{
    char movement[200], consumption[200] = "";
    if (plan == NULL) return snprintf(text, size, "no plan");
    const scalay_plan_statistics *statistics = &plan->statistics;
    (void)plan->transport->describe(plan, movement, sizeof movement);
    if (plan->panels != NULL) (void)scalay_panels_describe(plan->panels, consumption, sizeof consumption);
    return snprintf(text, size,
                    "transport \"%s\" (%s), %s: %lld elements change process in %lld one-port steps; this rank sends "
                    "%lld bytes, receives %lld, keeps %lld, and needs %lld bytes of buffers%s",
                    plan->transport->name, plan->reason, movement, (long long)statistics->volume,
                    (long long)statistics->steps, (long long)statistics->bytes_sent,
                    (long long)statistics->bytes_received, (long long)statistics->bytes_kept,
                    (long long)statistics->extra_bytes, consumption);
}
