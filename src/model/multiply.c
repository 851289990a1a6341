#include <math.h>
#include <stdlib.h>

#include "base/integer.h"
#include "base/memory.h"
#include "model/machine.h"
#include "model/multiply_load.h"

/* Failures go by the public name. */
static const char function_name[] = "scalay_model_multiply";

enum { USUAL_PANEL = 128 };

/* What of a part's communication takes time. */
typedef struct {
    int64_t messages;
    double latency, transfer; /* seconds: of messages, and of bytes that are carried or copied */
    double finished;          /* when it has all that it needs */
} load;

/* What every part is judged by. */
typedef struct {
    scalay_machine machine;
    const scalay_owner_map *map;
    const scalay_multiply_options *options;
    double flops_per_element;    /* of C */
    double type_weight;          /* seconds of an operation on the type in those on doubles */
    double bytes;                /* of an element */
    double concurrent_transfers; /* elements that move at a time */
    double all;                  /* seconds of what all parts carry and copy, each element once */
} problem;

scalay_multiply_options scalay_multiply_options_default(void)
{
    return (scalay_multiply_options){.panel = USUAL_PANEL};
}

static scalay_status check_speeds(const double *seconds_per_flop, int parts)
{
    for (int part = 0; seconds_per_flop != NULL && part < parts; part++)
        if (!isfinite(seconds_per_flop[part]) || seconds_per_flop[part] < 0.0)
            return scalay_fail(SCALAY_ERROR_ARGUMENT, function_name,
                               "seconds_per_flop[%d] is %g; give finite seconds that are not negative", part,
                               seconds_per_flop[part]);
    return SCALAY_SUCCESS;
}

static scalay_status check_counts(const char *name, const int64_t *count, int parts)
{
    for (int part = 0; count != NULL && part < parts; part++)
        if (count[part] < 0)
            return scalay_fail(SCALAY_ERROR_ARGUMENT, function_name, "%s[%d] is %lld; give at least 0", name, part,
                               (long long)count[part]);
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
                           "type is %d; pass SCALAY_FLOAT, _DOUBLE, _COMPLEX_FLOAT or _COMPLEX_DOUBLE", type);
    if (k < 0 || options->panel < 0 || options->concurrent_transfers < 0)
        return scalay_fail(SCALAY_ERROR_ARGUMENT, function_name, "k is %lld, panel %lld, lanes %d; give at least 0",
                           (long long)k, (long long)options->panel, options->concurrent_transfers);
    if (!scalay_machine_is_valid(machine))
        return scalay_fail(SCALAY_ERROR_ARGUMENT, function_name,
                           "machine has a rate that is negative or not finite; measure it, or pass NULL");
    return check_parts(options, scalay_owner_map_parts(map));
}

/* What a part's messages, bytes and copies take, and those of all parts. */
static void find_seconds(problem *p, const scalay_product_load *moved, int64_t panels, load *loads)
{
    const scalay_multiply_options *options = p->options;
    for (int part = 0; part < scalay_owner_map_parts(p->map); part++) {
        const scalay_product_load *m = &moved[part];
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
    const double rate = given != NULL ? given[part] : p->machine.seconds_per_flop * p->type_weight;
    return (double)scalay_owner_map_elements(p->map, part) * p->flops_per_element * rate;
}

/* Messages: a part is as fast as its own transfers, and as those of all on the lanes. */
static void share_links(const problem *p, load *loads)
{
    for (int part = 0; part < scalay_owner_map_parts(p->map); part++) {
        load *l = &loads[part];
        if (l->messages > 0 || l->transfer > 0.0)
            l->finished = l->latency + fmax(l->transfer, p->all / p->concurrent_transfers);
    }
}

/* A part that works. */
typedef struct {
    load *load;
    double seconds;
} reader;

static int compare_readers(const void *a, const void *b)
{
    const reader *x = a, *y = b;
    return (x->seconds > y->seconds) - (x->seconds < y->seconds);
}

/* Parts that read by themselves take turns on the processors: all of them get on equally fast until one is done, and
 * the others faster from then on. */
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

static void predict(const problem *p, const scalay_product_load *moved, const load *loads, double *compute,
                    double *communicate, scalay_multiply_time *time)
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

static double count_lanes(const scalay_owner_map *map, int given)
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
    const scalay_multiply_options wanted = options != NULL ? *options : scalay_multiply_options_default();
    const scalay_machine rates = scalay_machine_or_typical(machine);
    scalay_product_load *moved = NULL;
    load *loads = NULL;
    int64_t volume = 0;
    SCALAY_TRY(check_arguments(&rates, type, map, k, &wanted, time));
    SCALAY_TRY(SCALAY_NEW(moved, scalay_owner_map_parts(map)));
    SCALAY_TRY(SCALAY_NEW(loads, scalay_owner_map_parts(map)));
    /* An axis without lines cannot be stretched, and then nothing travels. */
    if (scalay_owner_map_rows(map) > 0 && scalay_owner_map_cols(map) > 0)
        SCALAY_TRY(scalay_product_loads(map, k, &volume, moved));
    const int complex_factor = type == SCALAY_COMPLEX_FLOAT || type == SCALAY_COMPLEX_DOUBLE ? 4 : 1;
    const double elements = (double)scalay_owner_map_rows(map) * (double)scalay_owner_map_cols(map);
    problem p = {.machine = rates,
                 .map = map,
                 .options = &wanted,
                 .flops_per_element = 2.0 * (double)k,
                 .type_weight = scalay_type_flop_weight(type),
                 .bytes = (double)scalay_type_size(type),
                 .concurrent_transfers = count_lanes(map, wanted.concurrent_transfers)};
    *time = (scalay_multiply_time){.flops = p.flops_per_element * elements * complex_factor,
                                   .volume = volume,
                                   .panels = scalay_ceil_div(k, wanted.panel > 0 ? wanted.panel : USUAL_PANEL)};
    find_seconds(&p, moved, time->panels, loads);
    if (wanted.reads)
        SCALAY_TRY(share_processors(&p, loads));
    else
        share_links(&p, loads);
    predict(&p, moved, loads, compute, communicate, time);
cleanup:
    scalay_release(loads);
    scalay_release(moved);
    return status;
}
