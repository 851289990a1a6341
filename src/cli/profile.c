/*
 * scalay profile: measures the time, and optionally the energy, of each processor for each size. This file reads the
 * options, calls scalay_profiler_run() and prints what was measured.
 */

#include "scalay/profiler.h"

#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "measure/profiler_record.h"
#include "parallel/agree.h"
#include "scalay/context.h"
#include "workload.h"

typedef struct {
    scalay_common_options common;
    const char *kernel;
    const char *sizes;
    scalay_option_number refine; /* fraction */
    int64_t refine_step;         /* 0: not given */
    int64_t threads;             /* 0: not given */
    const char *repetitions;
    scalay_option_number precision;  /* fraction */
    scalay_option_number confidence; /* fraction */
    scalay_option_number max_seconds;
    scalay_option_number timeout; /* seconds */
    const char *meter;
    scalay_option_number static_power; /* watts */
    int shared_meter;
    const char *output;
    int restart;
    int no_group;
} profile_options;

static const scalay_option option_table[] = {
    SCALAY_GROUP_ROW("Problem"),
    SCALAY_ROW(profile_options, kernel, SCALAY_OPTION_TEXT, "kernel", "NAME:..", "kernel to measure (see above)", NULL),
    SCALAY_ROW(profile_options, sizes, SCALAY_OPTION_TEXT, "sizes", "SIZES",
               "sizes to measure: FIRST:LAST:STEP, or a list S,S,..", NULL),
    SCALAY_ROW(profile_options, refine, SCALAY_OPTION_SHARE, "refine", "SHARE",
               "add sizes if a time differs by more than SHARE, such as 10%, from the line between its neighbours",
               NULL),
    SCALAY_ROW(profile_options, refine_step, SCALAY_OPTION_COUNT, "refine-step", "N",
               "minimum distance of sizes that --refine adds", "1/16 of the smallest distance"),
    SCALAY_ROW(profile_options, threads, SCALAY_OPTION_COUNT, "threads", "N", "BLAS and OpenMP threads of each process",
               "as in the environment"),
    SCALAY_GROUP_ROW("Statistics"),
    SCALAY_ROW(profile_options, repetitions, SCALAY_OPTION_TEXT, "repetitions", "MIN[:MAX]",
               "number of executions of each size", "5:1000"),
    SCALAY_ROW(profile_options, precision, SCALAY_OPTION_SHARE, "precision", "SHARE",
               "stop repeating when half the confidence interval is at most SHARE of the mean", "2.5%"),
    SCALAY_ROW(profile_options, confidence, SCALAY_OPTION_SHARE, "confidence", "SHARE",
               "confidence level of the interval", "95%"),
    SCALAY_ROW(profile_options, max_seconds, SCALAY_OPTION_NUMBER, "max-seconds", "S",
               "stop repeating a size after S seconds", "60"),
    SCALAY_ROW(profile_options, timeout, SCALAY_OPTION_NUMBER, "timeout", "S",
               "kill a command after S seconds; its size becomes a hole", "no limit"),
    SCALAY_ROW(profile_options, no_group, SCALAY_OPTION_FLAG, "no-group", "",
               "list each process separately, even if some have the same function", NULL),
    SCALAY_GROUP_ROW("Energy"),
    SCALAY_ROW(profile_options, meter, SCALAY_OPTION_TEXT, "meter", "NAME",
               "energy meter, such as papi, command:.. or model:base=W,flop=J,byte=J", "none"),
    SCALAY_ROW(profile_options, static_power, SCALAY_OPTION_NUMBER, "static-power", "W",
               "static power in watts, which is subtracted", "measured while the processes sleep"),
    SCALAY_ROW(profile_options, shared_meter, SCALAY_OPTION_FLAG, "shared-meter", "",
               "measure energies one process at a time, because the processes of a host share a meter", NULL),
    SCALAY_GROUP_ROW("Output"),
    SCALAY_ROW(profile_options, output, SCALAY_OPTION_OUTPUT, "output", "FILE.csv",
               "profile, rewritten after each size; the same command continues it. -: print it at the end", "-"),
    SCALAY_ROW(profile_options, restart, SCALAY_OPTION_FLAG, "restart", "", "measure again what --output contains",
               NULL),
    SCALAY_PLOT_ROW(profile_options, "draw the functions"),
    SCALAY_JSON_ROW(profile_options),
    SCALAY_QUIET_ROW(profile_options),
    SCALAY_LAST_ROW,
};

/* What was measured. */
typedef struct {
    const profile_options *options;
    const scalay_profile_kernel *kernel;
    scalay_profile *profile;
    scalay_profile_record *record;
    scalay_profile_facts facts;
} measurement;

/* ------------------------------------------------------------------------------------------------- options */

/* Reads an integer of at least 1. Returns the character after it, one of `ends` or the NUL; NULL on failure. */
static const char *parse_size(const char *text, const char *ends, int64_t *size)
{
    size_t length = strcspn(text, ends);
    if (text[0] == '-' || scalay_text_to_int64(text, length, size) != SCALAY_NUMBER_VALID || *size < 1) return NULL;
    return text + length;
}

static scalay_status fail_sizes(const char *text)
{
    return SCALAY_FAIL(
        SCALAY_ERROR_ARGUMENT,
        "--sizes is '%.200s'; it must be FIRST:LAST:STEP, such as 64:1024:64, or a list such as 64,100,128", text);
}

static scalay_status read_range(const char *text, scalay_profiler_options *options)
{
    const char *at = parse_size(text, ":", &options->first);
    if (at != NULL && *at == ':') at = parse_size(at + 1, ":", &options->last);
    if (at != NULL && *at == ':') at = parse_size(at + 1, ":", &options->step);
    if (at == NULL || *at != '\0' || options->step == 0) return fail_sizes(text);
    return SCALAY_SUCCESS;
}

static scalay_status read_list(const char *text, scalay_profiler_options *options, int64_t **list)
{
    scalay_status status = SCALAY_SUCCESS;
    int64_t capacity = 0;
    const char *at = text;
    do {
        SCALAY_TRY(SCALAY_GROW(*list, capacity, options->sizes + 1));
        at = parse_size(at, ",", &(*list)[options->sizes++]);
    } while (at != NULL && *at++ == ',');
    if (at == NULL) status = fail_sizes(text);
    options->list = *list;
cleanup:
    return status;
}

static scalay_status read_repetitions(const char *text, scalay_repeat_options *repeat)
{
    const char *at = parse_size(text, ":", &repeat->min_repetitions);
    if (repeat->max_repetitions < repeat->min_repetitions) repeat->max_repetitions = repeat->min_repetitions;
    if (at != NULL && *at == ':') at = parse_size(at + 1, ":", &repeat->max_repetitions);
    if (at == NULL || *at != '\0' || repeat->max_repetitions < repeat->min_repetitions)
        return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "--repetitions is '%.80s'; it must be MIN or MIN:MAX, such as 5:100",
                           text);
    return SCALAY_SUCCESS;
}

/* 1 if --output names a file; - is the standard output. */
static int writes_file(const profile_options *given)
{
    return given->output != NULL && strcmp(given->output, "-") != 0;
}

static scalay_status check_options(const profile_options *given)
{
    if (given->kernel == NULL || given->sizes == NULL)
        return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "%s is missing; give --kernel NAME:... and --sizes",
                           given->kernel == NULL ? "--kernel" : "--sizes");
    if (given->refine_step > 0 && !given->refine.given)
        return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "--refine-step goes with --refine SHARE");
    if (given->timeout.given && strncmp(given->kernel, "command:", 8) != 0)
        return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "--timeout goes with --kernel command:..., not with %.80s",
                           given->kernel);
    if (given->static_power.given && (given->meter == NULL || strcmp(given->meter, "none") == 0))
        return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "--static-power goes with --meter NAME");
    if (given->shared_meter && (given->meter == NULL || strcmp(given->meter, "none") == 0))
        return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "--shared-meter goes with --meter NAME");
    if (given->restart && !writes_file(given))
        return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "--restart goes with --output FILE.csv");
    return scalay_check_picture(given->common.plot);
}

static scalay_status read_options(const profile_options *given, scalay_profiler_options *options,
                                  scalay_repeat_options *repeat, int64_t **list)
{
    scalay_status status = SCALAY_SUCCESS;
    *options = scalay_profiler_options_default();
    SCALAY_TRY(check_options(given));
    SCALAY_TRY(strchr(given->sizes, ':') != NULL ? read_range(given->sizes, options)
                                                 : read_list(given->sizes, options, list));
    if (given->repetitions != NULL) SCALAY_TRY(read_repetitions(given->repetitions, repeat));
    if (given->precision.given) repeat->precision = given->precision.value;
    if (given->confidence.given) repeat->confidence = given->confidence.value;
    if (given->max_seconds.given) repeat->max_seconds = given->max_seconds.value;
    if (given->refine.given) options->refine = given->refine.value;
    if (given->static_power.given) options->static_power = given->static_power.value;
    options->repeat = repeat;
    options->refine_step = given->refine_step;
    options->threads = (int)given->threads;
    options->path = writes_file(given) ? given->output : NULL;
    options->restart = given->restart;
    options->no_groups = given->no_group;
    options->shared_meter = given->shared_meter;
cleanup:
    return status;
}

/* Rank 0 writes the file. */
static scalay_status check_output(scalay_comm *comm, const char *path)
{
    return scalay_comm_rank(comm) == 0 ? scalay_check_writable("--output", path) : SCALAY_SUCCESS;
}

/* ---------------------------------------------------------------------------------------------------- text */

/* Points of larger profiles are in the file only. */
enum { MAX_ROWS = 200, TEXT = 1024, NUMBER = 32 };
/* Normality below which the values of a point are probably not normally distributed. */
#define MIN_NORMALITY 0.01

static void print_groups(const measurement *m)
{
    for (int g = 0; g < scalay_profile_groups(m->profile); g++) {
        const char *name = scalay_profile_name(m->profile, g);
        if (scalay_profile_multiplicity(m->profile, g) < 2) continue;
        printf("%s is the group of %lld processes with the same function within %g%%:", name,
               (long long)scalay_profile_multiplicity(m->profile, g), 100.0 * m->facts.repeat->precision);
        for (int p = 0; p < m->facts.processors; p++) {
            scalay_profile_processor processor;
            if (scalay_profile_record_processor(m->record, p, &processor) == SCALAY_SUCCESS &&
                strcmp(processor.group, name) == 0)
                printf(" %s", processor.name);
        }
        printf("\n");
    }
}

static scalay_status print_processors(const measurement *m)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_table table = {0};
    SCALAY_TRY(scalay_table_add(&table, "process|host|hardware threads|cores|threads%s",
                                strcmp(m->facts.meter, "none") != 0 ? "|static W" : ""));
    for (int p = 0; p < m->facts.processors && p < MAX_ROWS; p++) {
        scalay_profile_processor it;
        char cores[16] = "?", watts[32] = "";
        SCALAY_TRY(scalay_profile_record_processor(m->record, p, &it));
        if (it.cores > 0) (void)snprintf(cores, sizeof cores, "%d", it.cores);
        if (strcmp(m->facts.meter, "none") != 0) (void)snprintf(watts, sizeof watts, "|%.4g", it.static_power);
        SCALAY_TRY(scalay_table_add(&table, "%s|%s|%s|%s|%d%s", it.name, it.host,
                                    it.binding[0] != '\0' ? it.binding : "?", cores, it.threads, watts));
    }
    scalay_table_print(&table);
cleanup:
    scalay_table_free(&table);
    return status;
}

/* Prints a number, or "-" for NaN. */
static const char *known(double value, const char *format, char text[NUMBER])
{
    if (isnan(value)) return "-";
    (void)snprintf(text, NUMBER, format, value);
    return text;
}

static scalay_status add_point(scalay_table *table, const measurement *m, const char *name,
                               const scalay_profile_point *point)
{
    const int energy = strcmp(m->facts.meter, "none") != 0;
    const scalay_profile_kernel *kernel = m->kernel;
    char joules[NUMBER] = "", rate[NUMBER] = "", width[NUMBER], spread[NUMBER], normality[NUMBER];
    if (point->hole != NULL)
        return scalay_table_add(table, "%s|%lld|hole|%s%s|||||", name, (long long)point->size, energy ? "|" : "",
                                kernel->flops != NULL ? "|" : "");
    if (energy) (void)snprintf(joules, sizeof joules, point->energy >= 0.0 ? "|%.4g" : "|-", point->energy);
    if (kernel->flops != NULL)
        (void)snprintf(rate, sizeof rate, "|%.3f", 1e-9 * kernel->flops(kernel->data, point->size) / point->time);
    return scalay_table_add(
        table, "%s|%lld|%.4g|%s%s%s%s|%.4g|%s|%s|%lld|%lld", name, (long long)point->size, point->time,
        point->precise ? "" : "! ", known(100.0 * point->time_half_width / point->time, "%.1f%%", width), joules, rate,
        point->median, known(point->spread, "%.2g", spread), known(point->normality, "%.2g", normality),
        (long long)point->repetitions, (long long)point->outliers);
}

static scalay_status print_points(const measurement *m)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_table table = {0};
    SCALAY_TRY(scalay_table_add(&table, "process|size|seconds|+-%s%s|median|spread|normality|times|outliers",
                                strcmp(m->facts.meter, "none") != 0 ? "|joules" : "",
                                m->kernel->flops != NULL ? "|Gflop/s" : ""));
    for (int p = 0; p < m->facts.processors; p++)
        for (int64_t k = 0; k < m->facts.sizes; k++) {
            scalay_profile_processor processor;
            scalay_profile_point point;
            SCALAY_TRY(scalay_profile_record_processor(m->record, p, &processor));
            SCALAY_TRY(scalay_profile_record_point(m->record, p, k, &point));
            SCALAY_TRY(add_point(&table, m, processor.name, &point));
        }
    scalay_table_print(&table);
cleanup:
    scalay_table_free(&table);
    return status;
}

/* Prints a share in percent, or "?" for NaN. */
static const char *percent(const char *format, double share, char *text, size_t size)
{
    if (isnan(share)) return "?";
    (void)snprintf(text, size, format, 100.0 * share);
    return text;
}

static scalay_status print_differences(const measurement *m)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_table table = {0};
    SCALAY_TRY(scalay_table_add(&table, "size|joint energy - sum|+-"));
    for (int64_t k = 0; k < m->facts.sizes; k++) {
        scalay_profile_point point;
        double difference = 0.0, uncertainty = 0.0;
        char share[32], half[32];
        SCALAY_TRY(scalay_profile_record_point(m->record, 0, k, &point));
        SCALAY_TRY(scalay_profile_record_additive(m->record, k, &difference, &uncertainty));
        SCALAY_TRY(scalay_table_add(&table, "%lld|%s|%s", (long long)point.size,
                                    percent("%+.2f%%", difference, share, sizeof share),
                                    percent("%.2f%%", uncertainty, half, sizeof half)));
    }
    scalay_table_print(&table);
    printf("\n");
cleanup:
    scalay_table_free(&table);
    return status;
}

/* Returns the size with the largest difference of joint energy and sum; -1 if none is known. */
static int64_t find_largest_difference(const measurement *m, double *difference, double *uncertainty)
{
    int64_t found = -1;
    double known = 0.0, half = 0.0;
    for (int64_t k = 0; k < m->facts.sizes; k++) {
        if (scalay_profile_record_additive(m->record, k, &known, &half) != SCALAY_SUCCESS || isnan(known) ||
            (found >= 0 && fabs(known) <= fabs(*difference)))
            continue;
        found = k;
        *difference = known;
        *uncertainty = half;
    }
    return found;
}

static scalay_status print_additive_note(const measurement *m)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_profile_point point;
    double difference = 0.0, uncertainty = 0.0;
    char half[32];
    const int64_t k = find_largest_difference(m, &difference, &uncertainty);
    printf("Energies were measured one process at a time. The energy of all at once ");
    if (k < 0) {
        printf("is not known.\n");
        return SCALAY_SUCCESS;
    }
    SCALAY_TRY(scalay_profile_record_point(m->record, 0, k, &point));
    printf("differs from\ntheir sum by at most %+.2f%% +- %s (size %lld).\n", 100.0 * difference,
           percent("%.2f%%", uncertainty, half, sizeof half), (long long)point.size);
cleanup:
    return status;
}

typedef struct {
    int64_t holes, imprecise, without_energy, negative, tested, not_normal;
    char first_hole[TEXT], first_failure[TEXT];
} point_counts;

static scalay_status count_points(const measurement *m, point_counts *counts)
{
    scalay_status status = SCALAY_SUCCESS;
    for (int p = 0; p < m->facts.processors; p++)
        for (int64_t k = 0; k < m->facts.sizes; k++) {
            scalay_profile_point point;
            SCALAY_TRY(scalay_profile_record_point(m->record, p, k, &point));
            if (point.hole != NULL && counts->holes++ == 0)
                (void)snprintf(counts->first_hole, sizeof counts->first_hole, "size %lld on p%d: %.400s",
                               (long long)point.size, p, point.hole);
            if (point.hole != NULL) continue;
            counts->imprecise += !point.precise;
            if (isnan(point.energy) && counts->without_energy++ == 0)
                (void)snprintf(counts->first_failure, sizeof counts->first_failure, "size %lld on p%d: %.400s",
                               (long long)point.size, p,
                               point.meter_failure != NULL ? point.meter_failure : "not known");
            counts->negative += point.energy < 0.0;
            counts->tested += !isnan(point.normality);
            counts->not_normal += point.normality < MIN_NORMALITY;
        }
cleanup:
    return status;
}

/* 1 if two processes run on one host. */
static int share_a_host(const measurement *m)
{
    scalay_profile_processor a, b;
    for (int p = 1; p < m->facts.processors; p++)
        for (int q = 0; q < p; q++)
            if (scalay_profile_record_processor(m->record, p, &a) == SCALAY_SUCCESS &&
                scalay_profile_record_processor(m->record, q, &b) == SCALAY_SUCCESS && strcmp(a.host, b.host) == 0)
                return 1;
    return 0;
}

static const char *plural(int64_t count)
{
    return count == 1 ? "" : "s";
}

static void print_note(const char *format, ...) SCALAY_PRINTF(1, 2);

static void print_note(const char *format, ...)
{
    char text[TEXT];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    scalay_print_wrapped(text, 0, 0, stdout);
}

static void print_point_notes(const measurement *m, const point_counts *counts)
{
    if (counts->holes > 0)
        print_note("%lld hole%s: the kernel failed. First: %s", (long long)counts->holes, plural(counts->holes),
                   counts->first_hole);
    if (counts->imprecise > 0)
        print_note("%lld point%s not as precise as %g%% (marked !). Increase --max-seconds or --repetitions.",
                   (long long)counts->imprecise, counts->imprecise == 1 ? " is" : "s are",
                   100.0 * m->facts.repeat->precision);
    if (counts->not_normal > 0)
        print_note(
            "%lld of %lld points with at least 20 values are probably not normally distributed (chi-squared test, "
            "normality below %g). Use their median and spread (interquartile range).",
            (long long)counts->not_normal, (long long)counts->tested, MIN_NORMALITY);
    if (strcmp(m->facts.meter, "none") != 0 && counts->without_energy > 0)
        print_note("The meter failed at %lld point%s, so the profile has times only. First: %s",
                   (long long)counts->without_energy, plural(counts->without_energy), counts->first_failure);
    if (counts->negative > 0)
        print_note(
            "The energy is below the static energy at %lld point%s, so the profile has times only. Measure again "
            "with --restart and a lower --static-power, or without it.",
            (long long)counts->negative, plural(counts->negative));
}

static scalay_status print_notes(const measurement *m)
{
    scalay_status status = SCALAY_SUCCESS;
    const scalay_profile_facts *facts = &m->facts;
    point_counts counts = {.holes = 0};
    SCALAY_TRY(count_points(m, &counts));
    print_point_notes(m, &counts);
    if (facts->shared_meter)
        SCALAY_TRY(print_additive_note(m));
    else if (strcmp(facts->meter, "none") != 0 && !facts->modelled && share_a_host(m))
        printf("Processes of one host read the same meter: the energy of each process contains that\n"
               "of the others. Use --shared-meter.\n");
    if (facts->modelled) printf("The energies come from a model; they are not measured.\n");
cleanup:
    return status;
}

static scalay_status print_text(const measurement *m)
{
    scalay_status status = SCALAY_SUCCESS;
    const scalay_profile_facts *facts = &m->facts;
    printf("Profile of %s on %d process%s, %lld sizes; meter: %s\n\n", facts->kernel, facts->processors,
           facts->processors > 1 ? "es at the same time" : "", (long long)facts->sizes, facts->meter);
    SCALAY_TRY(print_processors(m));
    printf("\n");
    if (facts->sizes * facts->processors <= MAX_ROWS) {
        SCALAY_TRY(print_points(m));
        printf("\n");
        if (facts->shared_meter) SCALAY_TRY(print_differences(m));
    }
    print_groups(m);
    SCALAY_TRY(print_notes(m));
    printf("The profile is in %s.\n", m->options->output);
cleanup:
    return status;
}

/* ---------------------------------------------------------------------------------------- JSON and picture */

static const char *const states[] = {[SCALAY_PROFILE_MEASURING] = "measuring",
                                     [SCALAY_PROFILE_COMPLETE] = "complete",
                                     [SCALAY_PROFILE_INTERRUPTED] = "interrupted"};

static json_t *processor_as_json(const void *context, int64_t p)
{
    const measurement *m = context;
    scalay_profile_processor it;
    char host[TEXT];
    if (scalay_profile_record_processor(m->record, (int)p, &it) != SCALAY_SUCCESS) return NULL;
    return json_pack("{s:s, s:s, s:s, s:s, s:i, s:i, s:o}", "name", it.name, "group", it.group, "host",
                     scalay_text_clean(it.host, host, sizeof host), "binding", it.binding, "cores", it.cores, "threads",
                     it.threads, "static_power", scalay_json_number(it.static_power));
}

static json_t *group_as_json(const void *context, int64_t g)
{
    const measurement *m = context;
    const char *name = scalay_profile_name(m->profile, (int)g);
    json_t *ranks = json_array();
    for (int p = 0; p < m->facts.processors; p++) {
        scalay_profile_processor it;
        if (scalay_profile_record_processor(m->record, p, &it) == SCALAY_SUCCESS && strcmp(it.group, name) == 0)
            ranks = scalay_json_append(ranks, json_integer(p));
    }
    return json_pack("{s:s, s:I, s:o}", "name", name, "count",
                     (json_int_t)scalay_profile_multiplicity(m->profile, (int)g), "ranks", ranks);
}

static json_t *point_as_json(const void *context, int64_t index)
{
    const measurement *m = context;
    const int p = (int)(index / m->facts.sizes);
    scalay_profile_processor processor;
    scalay_profile_point it;
    char hole[TEXT], failure[TEXT];
    if (scalay_profile_record_processor(m->record, p, &processor) != SCALAY_SUCCESS ||
        scalay_profile_record_point(m->record, p, index % m->facts.sizes, &it) != SCALAY_SUCCESS)
        return NULL;
    if (it.hole != NULL)
        return json_pack("{s:s, s:I, s:s}", "processor", processor.name, "size", (json_int_t)it.size, "hole",
                         scalay_text_clean(it.hole, hole, sizeof hole));
    return json_pack(
        "{s:s, s:I, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:I, s:I, s:b, s:o}", "processor", processor.name, "size",
        (json_int_t)it.size, "time", scalay_json_number(it.time), "time_half_width",
        scalay_json_number(it.time_half_width), "median", scalay_json_number(it.median), "deviation",
        scalay_json_number(it.deviation), "spread", scalay_json_number(it.spread), "normality",
        scalay_json_number(it.normality), "energy", scalay_json_number(it.energy), "energy_half_width",
        scalay_json_number(it.energy_half_width), "repetitions", (json_int_t)it.repetitions, "outliers",
        (json_int_t)it.outliers, "precise", it.precise, "meter_failure",
        it.meter_failure != NULL ? json_string(scalay_text_clean(it.meter_failure, failure, sizeof failure))
                                 : json_null());
}

static json_t *additive_as_json(const void *context, int64_t index)
{
    const measurement *m = context;
    scalay_profile_point it;
    double difference = 0.0, uncertainty = 0.0;
    if (scalay_profile_record_point(m->record, 0, index, &it) != SCALAY_SUCCESS ||
        scalay_profile_record_additive(m->record, index, &difference, &uncertainty) != SCALAY_SUCCESS)
        return NULL;
    return json_pack("{s:I, s:o, s:o}", "size", (json_int_t)it.size, "difference", scalay_json_number(difference),
                     "uncertainty", scalay_json_number(uncertainty));
}

static scalay_status print_json(const measurement *m)
{
    const scalay_profile_facts *facts = &m->facts;
    char kernel[TEXT], meter[TEXT]; /* JSON is UTF-8, commands may be any bytes */
    json_t *processors = scalay_json_list(facts->processors, processor_as_json, m);
    json_t *groups = scalay_json_list(scalay_profile_groups(m->profile), group_as_json, m);
    json_t *points = scalay_json_list(facts->processors * facts->sizes, point_as_json, m);
    json_t *additive = scalay_json_list(facts->shared_meter ? facts->sizes : 0, additive_as_json, m);
    return scalay_json_print(json_pack(
        "{s:s, s:s, s:b, s:b, s:s, s:o, s:o, s:o, s:o, s:o, s:o}", "kernel",
        scalay_text_clean(facts->kernel, kernel, sizeof kernel), "meter",
        scalay_text_clean(facts->meter, meter, sizeof meter), "modelled", facts->modelled, "shared_meter",
        facts->shared_meter, "state", states[facts->state], "confidence", scalay_json_number(facts->repeat->confidence),
        "precision", scalay_json_number(facts->repeat->precision), "processors", processors, "groups", groups, "points",
        points, "additive", additive));
}

/* Finds the point of a processor at a size by bisection. Returns 0 if there is none. */
static int find_point(const measurement *m, int p, int64_t size, scalay_profile_point *point)
{
    int64_t low = 0, high = m->facts.sizes - 1;
    while (low <= high) {
        const int64_t middle = low + (high - low) / 2;
        if (scalay_profile_record_point(m->record, p, middle, point) != SCALAY_SUCCESS) return 0;
        if (point->size == size) return point->hole == NULL;
        if (point->size < size)
            low = middle + 1;
        else
            high = middle - 1;
    }
    return 0;
}

static int is_in_group(const measurement *m, int p, const char *group)
{
    scalay_profile_processor it;
    return scalay_profile_record_processor(m->record, p, &it) == SCALAY_SUCCESS && strcmp(it.group, group) == 0;
}

/* The maximum over the processors of the group. */
static double half_width(const void *context, const char *group, int64_t size, int of_energy)
{
    const measurement *m = context;
    double width = 0.0;
    for (int p = 0; p < m->facts.processors; p++) {
        scalay_profile_point point;
        if (!is_in_group(m, p, group) || !find_point(m, p, size, &point)) continue;
        const double own = of_energy ? point.energy_half_width : point.time_half_width;
        if (isfinite(own)) width = fmax(width, own);
    }
    return width;
}

static int is_not_normal(const void *context, const char *group, int64_t size)
{
    const measurement *m = context;
    for (int p = 0; p < m->facts.processors; p++) {
        scalay_profile_point point;
        if (is_in_group(m, p, group) && find_point(m, p, size, &point) && point.normality < MIN_NORMALITY) return 1;
    }
    return 0;
}

static scalay_status draw(const measurement *m)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_plot *plot = NULL;
    const scalay_profile_spread spread = {m, half_width, is_not_normal};
    char title[TEXT];
    (void)snprintf(title, sizeof title, "%.100s on %d process%s", m->facts.kernel, m->facts.processors,
                   m->facts.processors > 1 ? "es" : "");
    SCALAY_TRY(scalay_plot_create(title, &plot));
    SCALAY_TRY(scalay_plot_add_profile(plot, m->profile, NULL, &spread, 0));
    if (scalay_profile_has_energy(m->profile)) SCALAY_TRY(scalay_plot_add_profile(plot, m->profile, NULL, &spread, 1));
    SCALAY_TRY(scalay_plot_save(plot, m->options->common.plot));
cleanup:
    scalay_plot_destroy(&plot);
    return status;
}

/* ----------------------------------------------------------------------------------------------- measuring */

static void show_progress(const scalay_profiler_step *step, void *unused)
{
    (void)unused;
    scalay_progress_say("size %lld, %lld of %lld done", (long long)step->size, (long long)step->done,
                        (long long)step->total);
    scalay_progress_set_left((double)step->done / (double)step->total, step->left);
}

/* Prints the profile as CSV, for a pipeline. */
static scalay_status print_profile(const measurement *m)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_string lines = {0};
    SCALAY_TRY(scalay_record_print(m->record, &lines));
    (void)fwrite(lines.text, 1, (size_t)lines.length, stdout);
cleanup:
    scalay_string_free(&lines);
    return status;
}

/* Refuses energies of a meter that has not changed at any size. Modelled energies are 0 if the user says so. */
static scalay_status check_meter(const measurement *m)
{
    int64_t energies = 0;
    scalay_status status = SCALAY_SUCCESS;
    if (m->facts.modelled) return SCALAY_SUCCESS;
    for (int p = 0; p < m->facts.processors; p++) {
        scalay_profile_processor it;
        SCALAY_TRY(scalay_profile_record_processor(m->record, p, &it));
        for (int64_t k = 0; k < m->facts.sizes; k++) {
            scalay_profile_point point;
            SCALAY_TRY(scalay_profile_record_point(m->record, p, k, &point));
            if (point.hole != NULL || isnan(point.energy)) continue;
            const double static_energy = it.static_power * point.time;
            if (point.energy + static_energy > 1e-9 * static_energy) return SCALAY_SUCCESS;
            energies++;
        }
    }
    if (energies > 0)
        status =
            SCALAY_FAIL(SCALAY_ERROR_UNSUPPORTED,
                        "--meter %s: the meter did not change at any size; energies must increase. Check the meter",
                        m->options->meter);
cleanup:
    return status;
}

static scalay_status report(measurement *m)
{
    scalay_status status = SCALAY_SUCCESS;
    const profile_options *options = m->options;
    scalay_progress_stop();
    if (options->common.json)
        SCALAY_TRY(print_json(m));
    else if (!writes_file(options))
        SCALAY_TRY(print_profile(m));
    else if (!options->common.quiet)
        SCALAY_TRY(print_text(m));
    if (options->common.plot != NULL) SCALAY_TRY(draw(m));
    if (m->facts.state == SCALAY_PROFILE_INTERRUPTED)
        status =
            SCALAY_FAIL(SCALAY_ERROR_INFEASIBLE, "interrupted after %lld sizes; %s%.200s", (long long)m->facts.sizes,
                        writes_file(options) ? "the same command continues with " : "they were printed",
                        writes_file(options) ? options->output : "");
    else
        status = check_meter(m);
cleanup:
    return status;
}

/* Each rank has its own kernel and meter. A failure on one rank becomes a failure of all. */
static scalay_status measure(const profile_options *given, scalay_comm *comm, scalay_profiler_options *options,
                             measurement *m)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_profile_kernel *kernel = NULL;
    scalay_meter *meter = NULL;
    scalay_interrupt_scope *scope = NULL;
    SCALAY_TRY(scalay_comm_agree(comm, scalay_profile_kernel_create(given->kernel, given->timeout.value, &kernel)));
    SCALAY_TRY(
        scalay_comm_agree(comm, given->meter != NULL ? scalay_meter_create(given->meter, &meter) : SCALAY_SUCCESS));
    SCALAY_TRY(scalay_comm_agree(comm, scalay_interrupt_begin(&scope)));
    options->meter = meter;
    options->progress = show_progress;
    m->kernel = kernel;
    SCALAY_TRY(scalay_profiler_run(comm, kernel, options, &m->profile, &m->record));
    SCALAY_TRY(scalay_profile_record_get(m->record, &m->facts));
    status = scalay_comm_agree(comm, scalay_comm_rank(comm) == 0 ? report(m) : SCALAY_SUCCESS);
cleanup:
    scalay_interrupt_end(&scope);
    scalay_meter_destroy(&meter);
    scalay_profile_kernel_destroy(&kernel);
    return status;
}

static scalay_status run_profile(const void *options_of_run, scalay_comm *comm)
{
    const profile_options *given = options_of_run;
    scalay_status status = SCALAY_SUCCESS;
    scalay_profiler_options options;
    scalay_repeat_options repeat = scalay_repeat_options_default();
    int64_t *list = NULL;
    measurement m = {.options = given};
    SCALAY_TRY(scalay_comm_agree(comm, read_options(given, &options, &repeat, &list)));
    if (writes_file(given)) SCALAY_TRY(scalay_comm_agree(comm, check_output(comm, given->output)));
    SCALAY_TRY(measure(given, comm, &options, &m));
cleanup:
    scalay_profile_record_destroy(&m.record);
    scalay_profile_destroy(&m.profile);
    scalay_release(list);
    return status;
}

const scalay_subcommand scalay_subcommand_profile = {
    .name = "profile",
    .summary = "measure the time and energy of each process for each size",
    .usage = {"--kernel NAME:.. --sizes SIZES [OPTIONS]"},
    .description =
        "Measures a kernel for many sizes on all processes at the same time. Each process, with its threads, is a "
        "processor of the profile. A size is repeated until the mean time is known to the required precision on every "
        "process. Without mpirun there is one processor.\n"
        "\n"
        "Kernels:\n"
        "  dgemm:n=N                size x N by N x N\n"
        "  dgemv:n=N                size x N by N\n"
        "  stencil:n=N              size lines of N points\n"
        "  fft:n=N,library=FILE     with FILE such as libfftw3.so.3\n"
        "  command:TEXT             a shell command, in which %s is the size\n",
    .example = "  mpirun -n 2 scalay profile --kernel dgemm:n=512 --sizes 64:512:64 \\\n"
               "              --output node.csv\n"
               "  scalay profile --kernel 'command:./run %s' --sizes 100,200,400 \\\n"
               "                 --timeout 60 --output run.csv\n",
    .table = option_table,
    .options_size = sizeof(profile_options),
    .needs_mpi = 1,
    .run = run_profile,
};
