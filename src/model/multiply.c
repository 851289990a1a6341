/*
 * Predicted time of a product on an owner map, part by part: scalay_model_multiply().
 *
 * The elements that each part sends and receives, and its partners, are summed over the overlaps of row and column
 * classes, without a table of all pairs. Messages follow Hockney's model. Parts that read memory share the processors:
 * all progress at the same rate until one of them is done (processor sharing).
 */
#include <math.h>
#include <stdlib.h>

#include "base/compare.h"
#include "base/integer.h"
#include "base/memory.h"
#include "base/option_struct.h"
#include "model/machine.h"
#include "partition/multiply_cost.h"

/* Failures go by the public name. */
static const char function_name[] = "scalay_model_multiply";

enum { DEFAULT_PANEL = 128 };

/* Elements of A and B that a part sends and receives, and its partners, counted for each of the two. */
typedef struct {
    int64_t sent, received;
    int64_t sends_to, receives_from;
} part_load;

/* Seconds of a part's communication. */
typedef struct {
    int64_t messages;
    double latency, transfer; /* of messages, and of bytes that are sent, received or copied */
    double finished;          /* end of all transfers */
} load;

/* A product. */
typedef struct {
    scalay_machine machine;
    const scalay_owner_map *map;
    const scalay_multiply_options *options;
    double flops_per_element;    /* of C */
    double type_weight;          /* seconds of an operation on the type in those on doubles */
    double bytes;                /* of an element */
    double concurrent_transfers; /* elements that move at a time */
    double all;                  /* seconds of the transfers and copies of all parts, each element once */
    double machine_rate;         /* seconds per flop on the type, without rates of the caller */
} problem;

void scalay_multiply_options_init(scalay_multiply_options *options, size_t size)
{
    const scalay_multiply_options defaults = {.size = sizeof defaults, .panel = DEFAULT_PANEL};
    scalay_option_struct_fill(&defaults, sizeof defaults, options, size);
}

static scalay_status check_speeds(const double *seconds_per_flop, int parts)
{
    for (int part = 0; seconds_per_flop != NULL && part < parts; part++)
        if (!isfinite(seconds_per_flop[part]) || seconds_per_flop[part] < 0.0)
            return scalay_fail(SCALAY_ERROR_ARGUMENT, function_name,
                               "seconds_per_flop[%d] is %g; it must be finite and at least 0", part,
                               seconds_per_flop[part]);
    return SCALAY_SUCCESS;
}

static scalay_status check_counts(const char *name, const int64_t *count, int parts)
{
    for (int part = 0; count != NULL && part < parts; part++)
        if (count[part] < 0)
            return scalay_fail(SCALAY_ERROR_ARGUMENT, function_name, "%s[%d] is %lld; it must be at least 0", name,
                               part, (long long)count[part]);
    return SCALAY_SUCCESS;
}

static scalay_status check_parts(const scalay_multiply_options *options, int parts)
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(check_speeds(options->seconds_per_flop, parts));
    SCALAY_TRY(check_counts("messages", options->messages, parts));
    SCALAY_TRY(check_counts("copied", options->copied, parts));
cleanup:
    return status;
}

static scalay_status check_arguments(const scalay_machine *machine, scalay_type type, const scalay_owner_map *map,
                                     int64_t k, const scalay_multiply_options *options,
                                     const scalay_multiply_time *time)
{
    if (time == NULL || map == NULL)
        return scalay_fail(SCALAY_ERROR_ARGUMENT, function_name, "%s is NULL; pass %s", time == NULL ? "time" : "map",
                           time == NULL ? "the address of a scalay_multiply_time" : "the owner map of C");
    if (scalay_type_flop_weight(type) == 0.0)
        return scalay_fail(SCALAY_ERROR_ARGUMENT, function_name,
                           "type is %d; it must be SCALAY_FLOAT, _DOUBLE, _COMPLEX_FLOAT or _COMPLEX_DOUBLE", type);
    if (k < 0 || options->panel < 0 || options->concurrent_transfers < 0)
        return scalay_fail(SCALAY_ERROR_ARGUMENT, function_name,
                           "k, panel, concurrent_transfers are %lld, %lld, %d; they must be at least 0", (long long)k,
                           (long long)options->panel, options->concurrent_transfers);
    if (!scalay_machine_is_valid(machine))
        return scalay_fail(SCALAY_ERROR_ARGUMENT, function_name,
                           "machine has a rate that is not finite and at least 0. Measure it, or pass NULL");
    return check_parts(options, scalay_owner_map_parts(map));
}

/* ------------------------------------------------------------------------------------------------ loads of the parts
 */

static int64_t owners_of(const scalay_line_owners *owners, int64_t line_class)
{
    return owners->start[line_class + 1] - owners->start[line_class];
}

/* Each part that needs a line receives the elements of the line that it does not have. */
static void add_moved(const scalay_cost_side *side, int64_t length, part_load *loads)
{
    const scalay_line_owners *source = &side->source, *target = &side->target;
    for (int64_t j = 0; j < side->overlaps; j++) {
        const scalay_overlap_lines *overlap = &side->overlap[j];
        const int64_t targets = owners_of(target, overlap->target_class);
        for (int64_t e = target->start[overlap->target_class]; e < target->start[overlap->target_class + 1]; e++)
            loads[target->owner[e]].received += overlap->lines * length;
        for (int64_t e = source->start[overlap->source_class]; e < source->start[overlap->source_class + 1]; e++) {
            part_load *l = &loads[source->owner[e]];
            const int64_t held = overlap->lines * source->held[e];
            const int is_target = scalay_line_owners_has(target, overlap->target_class, source->owner[e]);
            l->sent += held * (targets - is_target);
            l->received -= is_target ? held : 0;
        }
    }
}

/* Returns the number of other parts that own elements of the target classes that overlap the source classes of a part.
 * visited: shape [parts], below part + 1 for a part that was not visited. */
static int64_t count_partners(const scalay_cost_side *side, int part, int *visited)
{
    const scalay_line_owners *target = &side->target;
    const int64_t first = side->part_start[part], end = side->part_start[part + 1];
    int64_t count = 0;
    for (int64_t p = first; p < end; p++) {
        const int64_t class = side->part_class[p];
        for (int64_t j = side->overlap_start[class]; j < side->overlap_start[class + 1]; j++) {
            const int64_t other = side->overlap[j].target_class;
            /* All lines are alike, as on a grid: no part is visited twice. */
            if (end - first == 1 && side->overlap_start[class + 1] - side->overlap_start[class] == 1)
                return owners_of(target, other) - scalay_line_owners_has(target, other, part);
            for (int64_t e = target->start[other]; e < target->start[other + 1]; e++) {
                if (target->owner[e] == part || visited[target->owner[e]] == part + 1) continue;
                visited[target->owner[e]] = part + 1;
                count++;
            }
        }
    }
    return count;
}

static scalay_status add_partners(const scalay_cost_side *side, int parts, int receives, part_load *loads)
{
    int *visited = NULL;
    const scalay_status status = SCALAY_NEW(visited, parts);
    for (int part = 0; status == SCALAY_SUCCESS && part < parts; part++) {
        const int64_t partners = count_partners(side, part, visited);
        loads[part].sends_to += receives ? 0 : partners;
        loads[part].receives_from += receives ? partners : 0;
    }
    scalay_release(visited);
    return status;
}

/* A or B. The receivers of the exchanged maps are the senders. */
static scalay_status add_side(const scalay_cost_side *side, const scalay_owner_map *sent, const scalay_owner_map *c,
                              scalay_lines_way way, int64_t length, part_load *loads)
{
    scalay_status status = SCALAY_SUCCESS;
    const int parts = scalay_owner_map_parts(c);
    scalay_cost_side exchanged = {0};
    add_moved(side, length, loads);
    SCALAY_TRY(add_partners(side, parts, 0, loads));
    SCALAY_TRY(scalay_cost_side_create(c, sent, way, &exchanged));
    SCALAY_TRY(add_partners(&exchanged, parts, 1, loads));
cleanup:
    scalay_cost_side_free(&exchanged);
    return status;
}

static scalay_status find_loads(const scalay_owner_map *map, int64_t k, int64_t *volume, part_load *loads)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_owner_map *a = NULL;
    scalay_owner_map *b = NULL;
    scalay_multiply_cost *cost = NULL;
    scalay_multiply_cost_summary summary;
    SCALAY_TRY(scalay_owner_map_resize(map, scalay_owner_map_rows(map), k, &a));
    SCALAY_TRY(scalay_owner_map_resize(map, k, scalay_owner_map_cols(map), &b));
    SCALAY_TRY(scalay_multiply_cost_create(a, b, map, NULL, &cost));
    SCALAY_TRY(scalay_multiply_cost_get_summary(cost, &summary));
    *volume = summary.volume;
    SCALAY_TRY(add_side(&cost->rows, a, map, SCALAY_LINES_ROWS, k, loads));
    SCALAY_TRY(add_side(&cost->cols, b, map, SCALAY_LINES_COLUMNS, k, loads));
cleanup:
    scalay_multiply_cost_destroy(&cost);
    scalay_owner_map_destroy(&b);
    scalay_owner_map_destroy(&a);
    return status;
}

/* ----------------------------------------------------------------------------------------------------------- seconds
 */

/* Sets the seconds of messages, transfers and copies. */
static void find_seconds(problem *p, const part_load *moved, int64_t panels, load *loads)
{
    const scalay_multiply_options *options = p->options;
    for (int part = 0; part < scalay_owner_map_parts(p->map); part++) {
        const part_load *m = &moved[part];
        load *l = &loads[part];
        const int64_t partners = options->reads ? m->receives_from : scalay_max_int64(m->sends_to, m->receives_from);
        const int64_t carried = options->reads ? m->received : scalay_max_int64(m->sent, m->received);
        const int64_t copied = options->copied != NULL ? options->copied[part] : 0;
        const double copying = (double)copied * p->bytes * p->machine.seconds_per_byte_copied;
        l->messages = options->messages != NULL ? options->messages[part] : partners * panels;
        l->latency = (double)l->messages * p->machine.seconds_per_message;
        l->transfer = (double)carried * p->bytes * p->machine.seconds_per_byte + copying;
        p->all += (double)m->received * p->bytes * p->machine.seconds_per_byte + copying;
    }
}

static double compute_seconds(const problem *p, int part)
{
    const double *given = p->options->seconds_per_flop;
    const double rate = given != NULL ? given[part] : p->machine_rate;
    return (double)scalay_owner_map_elements(p->map, part) * p->flops_per_element * rate;
}

/* Messages: a part takes as long as its own transfers, and at least as all transfers over the concurrent ones. */
static void share_links(const problem *p, load *loads)
{
    for (int part = 0; part < scalay_owner_map_parts(p->map); part++) {
        load *l = &loads[part];
        if (l->messages > 0 || l->transfer > 0.0)
            l->finished = l->latency + fmax(l->transfer, p->all / p->concurrent_transfers);
    }
}

/* A part that reads. */
typedef struct {
    load *load;
    double seconds;
} reader;

static int compare_readers(const void *a, const void *b)
{
    const reader *x = a, *y = b;
    return scalay_compare_double(x->seconds, y->seconds);
}

/* Processor sharing of parts that read memory. */
static scalay_status share_processors(const problem *p, load *loads)
{
    scalay_status status = SCALAY_SUCCESS;
    const int parts = scalay_owner_map_parts(p->map);
    reader *readers = NULL;
    double now = 0.0, done = 0.0;
    SCALAY_TRY(SCALAY_NEW(readers, parts));
    for (int k = 0; k < parts; k++) readers[k] = (reader){&loads[k], loads[k].latency + loads[k].transfer};
    qsort(readers, (size_t)parts, sizeof *readers, compare_readers);
    for (int k = 0; k < parts; k++) {
        now += (readers[k].seconds - done) * fmax(1.0, (parts - k) / p->concurrent_transfers);
        done = readers[k].seconds;
        readers[k].load->finished = now;
    }
cleanup:
    scalay_release(readers);
    return status;
}

static void predict(const problem *p, const part_load *moved, const load *loads, double *compute, double *communicate,
                    scalay_multiply_time *time)
{
    for (int part = 0; part < scalay_owner_map_parts(p->map); part++) {
        const load *l = &loads[part];
        const double computing = compute_seconds(p, part);
        const double moving = l->finished;
        time->busiest = scalay_max_int64(time->busiest, scalay_max_int64(moved[part].sent, moved[part].received));
        time->messages = scalay_max_int64(time->messages, l->messages);
        time->compute_seconds = fmax(time->compute_seconds, computing);
        time->communicate_seconds = fmax(time->communicate_seconds, moving);
        time->seconds = fmax(time->seconds, p->options->overlap ? fmax(computing, moving) : computing + moving);
        if (compute != NULL) compute[part] = computing;
        if (communicate != NULL) communicate[part] = moving;
    }
}

static double concurrent_transfers_of(const scalay_owner_map *map, int given)
{
    int active = 0;
    if (given > 0) return given;
    for (int part = 0; part < scalay_owner_map_parts(map); part++) active += scalay_owner_map_elements(map, part) > 0;
    return active > 0 ? 0.5 * active : 1.0;
}

scalay_status scalay_model_multiply(const scalay_machine *machine, scalay_type type, const scalay_owner_map *map,
                                    int64_t k, const scalay_multiply_options *options, double *compute,
                                    double *communicate, scalay_multiply_time *time)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_multiply_options read = scalay_multiply_options_default();
    const scalay_machine rates = scalay_machine_or_typical(machine);
    part_load *moved = NULL;
    load *loads = NULL;
    int64_t volume = 0;
    SCALAY_TRY(scalay_option_struct_read(options, &read, sizeof read, function_name));
    SCALAY_TRY(check_arguments(&rates, type, map, k, &read, time));
    SCALAY_TRY(SCALAY_NEW(moved, scalay_owner_map_parts(map)));
    SCALAY_TRY(SCALAY_NEW(loads, scalay_owner_map_parts(map)));
    /* An axis without lines cannot be stretched, and then nothing travels. */
    if (scalay_owner_map_rows(map) > 0 && scalay_owner_map_cols(map) > 0)
        SCALAY_TRY(find_loads(map, k, &volume, moved));
    const int complex_factor = type == SCALAY_COMPLEX_FLOAT || type == SCALAY_COMPLEX_DOUBLE ? 4 : 1;
    const double elements = (double)scalay_owner_map_rows(map) * (double)scalay_owner_map_cols(map);
    problem p = {.machine = rates,
                 .map = map,
                 .options = &read,
                 .flops_per_element = 2.0 * (double)k,
                 .type_weight = scalay_type_flop_weight(type),
                 .bytes = (double)scalay_type_size(type),
                 .concurrent_transfers = concurrent_transfers_of(map, read.concurrent_transfers)};
    const double extent = (double)scalay_min_int64(k, read.panel > 0 ? read.panel : DEFAULT_PANEL);
    p.machine_rate =
        p.type_weight * (rates.gemm_curve[0] > 0.0 ? scalay_machine_gemm_rate(&rates, extent) : rates.seconds_per_flop);
    *time = (scalay_multiply_time){.flops = p.flops_per_element * elements * complex_factor,
                                   .volume = volume,
                                   .panels = scalay_ceil_div(k, read.panel > 0 ? read.panel : DEFAULT_PANEL)};
    find_seconds(&p, moved, time->panels, loads);
    if (read.reads)
        SCALAY_TRY(share_processors(&p, loads));
    else
        share_links(&p, loads);
    predict(&p, moved, loads, compute, communicate, time);
cleanup:
    scalay_release(loads);
    scalay_release(moved);
    return status;
}
