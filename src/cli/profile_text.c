#include <math.h>
#include <stdio.h>
#include <string.h>

#include "profile.h"
#include "report.h"

/* Of longer profiles the file tells the points. */
enum { MOST_ROWS = 200, TEXT = 512 };

/* ------------------------------------------------------------------------------------------------ processors */

static void print_groups(const scalay_measured *measured)
{
    for (int g = 0; g < scalay_profile_groups(measured->profile); g++) {
        const char *name = scalay_profile_name(measured->profile, g);
        if (scalay_profile_count(measured->profile, g) < 2) continue;
        printf("%s stands for %lld processes whose functions are the same within %g%%:", name,
               (long long)scalay_profile_count(measured->profile, g), 100.0 * measured->facts.repeat.precision);
        for (int p = 0; p < measured->facts.processors; p++) {
            scalay_profile_processor processor;
            if (scalay_profile_record_processor(measured->record, p, &processor) == SCALAY_SUCCESS &&
                strcmp(processor.group, name) == 0)
                printf(" %s", processor.name);
        }
        printf("\n");
    }
}

static scalay_status print_processors(const scalay_measured *measured)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_table table = {0};
    SCALAY_TRY(scalay_table_add(&table, "process|host|hardware threads|cores|threads%s",
                                strcmp(measured->facts.meter, "none") != 0 ? "|static W" : ""));
    for (int p = 0; p < measured->facts.processors && p < MOST_ROWS; p++) {
        scalay_profile_processor it;
        char cores[16] = "?", watts[32] = "";
        SCALAY_TRY(scalay_profile_record_processor(measured->record, p, &it));
        if (it.cores > 0) (void)snprintf(cores, sizeof cores, "%d", it.cores);
        if (strcmp(measured->facts.meter, "none") != 0) (void)snprintf(watts, sizeof watts, "|%.4g", it.static_power);
        SCALAY_TRY(scalay_table_add(&table, "%s|%s|%s|%s|%d%s", it.name, it.host,
                                    it.binding[0] != '\0' ? it.binding : "?", cores, it.threads, watts));
    }
    scalay_table_print(&table);
cleanup:
    scalay_table_free(&table);
    return status;
}

/* --------------------------------------------------------------------------------------------------- points */

static scalay_status add_point(scalay_table *table, const scalay_measured *measured, const char *name,
                               const scalay_profile_point *point)
{
    const int energy = strcmp(measured->facts.meter, "none") != 0;
    const scalay_profile_kernel *kernel = measured->kernel;
    char joules[32] = "", rate[32] = "", width[32] = "-";
    if (point->hole != NULL)
        return scalay_table_add(table, "%s|%lld|hole|%s%s||", name, (long long)point->size, energy ? "|" : "",
                                kernel->flops != NULL ? "|" : "");
    if (energy) (void)snprintf(joules, sizeof joules, point->energy >= 0.0 ? "|%.4g" : "|-", point->energy);
    if (kernel->flops != NULL)
        (void)snprintf(rate, sizeof rate, "|%.3f", 1e-9 * kernel->flops(kernel->data, point->size) / point->time);
    if (!isnan(point->time_half_width))
        (void)snprintf(width, sizeof width, "%.1f%%", 100.0 * point->time_half_width / point->time);
    return scalay_table_add(table, "%s|%lld|%.4g|%s%s%s%s|%lld|%lld", name, (long long)point->size, point->time,
                            point->precise ? "" : "! ", width, joules, rate, (long long)point->repetitions,
                            (long long)point->outliers);
}

static scalay_status print_points(const scalay_measured *measured)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_table table = {0};
    SCALAY_TRY(scalay_table_add(&table, "process|size|seconds|+-%s%s|times|outliers",
                                strcmp(measured->facts.meter, "none") != 0 ? "|joules" : "",
                                measured->kernel->flops != NULL ? "|Gflop/s" : ""));
    for (int p = 0; p < measured->facts.processors; p++)
        for (int64_t k = 0; k < measured->facts.sizes; k++) {
            scalay_profile_processor processor;
            scalay_profile_point point;
            SCALAY_TRY(scalay_profile_record_processor(measured->record, p, &processor));
            SCALAY_TRY(scalay_profile_record_point(measured->record, p, k, &point));
            SCALAY_TRY(add_point(&table, measured, processor.name, &point));
        }
    scalay_table_print(&table);
cleanup:
    scalay_table_free(&table);
    return status;
}

/* ------------------------------------------------------------------------------------------------- one meter */

/* A share in percent; "?" when it is not known. */
static const char *percent(const char *format, double share, char *text, size_t size)
{
    if (isnan(share)) return "?";
    (void)snprintf(text, size, format, 100.0 * share);
    return text;
}

static scalay_status print_differences(const scalay_measured *measured)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_table table = {0};
    SCALAY_TRY(scalay_table_add(&table, "size|joint energy over the sum|+-"));
    for (int64_t k = 0; k < measured->facts.sizes; k++) {
        scalay_profile_point point;
        double difference = 0.0, uncertainty = 0.0;
        char share[32], half[32];
        SCALAY_TRY(scalay_profile_record_point(measured->record, 0, k, &point));
        SCALAY_TRY(scalay_profile_record_additive(measured->record, k, &difference, &uncertainty));
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

/* The size at which the joint energy is farthest from the sum; -1: none is known. */
static int64_t farthest(const scalay_measured *measured, double *difference, double *uncertainty)
{
    int64_t found = -1;
    double known = 0.0, half = 0.0;
    for (int64_t k = 0; k < measured->facts.sizes; k++) {
        if (scalay_profile_record_additive(measured->record, k, &known, &half) != SCALAY_SUCCESS || isnan(known) ||
            (found >= 0 && fabs(known) <= fabs(*difference)))
            continue;
        found = k;
        *difference = known;
        *uncertainty = half;
    }
    return found;
}

static scalay_status print_additive_note(const scalay_measured *measured)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_profile_point point;
    double difference = 0.0, uncertainty = 0.0;
    char half[32];
    const int64_t k = farthest(measured, &difference, &uncertainty);
    printf("joules were measured one process after the other; that of all at once ");
    if (k < 0) {
        printf("is not known\n");
        return SCALAY_SUCCESS;
    }
    SCALAY_TRY(scalay_profile_record_point(measured->record, 0, k, &point));
    printf("differs from their sum by %+.2f%% +- %s at most (size %lld)\n", 100.0 * difference,
           percent("%.2f%%", uncertainty, half, sizeof half), (long long)point.size);
cleanup:
    return status;
}

/* ---------------------------------------------------------------------------------------------------- notes */

typedef struct {
    int64_t holes, imprecise, without_energy, negative;
    char first_hole[TEXT];
} point_counts;

static scalay_status count_points(const scalay_measured *measured, point_counts *counts)
{
    scalay_status status = SCALAY_SUCCESS;
    for (int p = 0; p < measured->facts.processors; p++)
        for (int64_t k = 0; k < measured->facts.sizes; k++) {
            scalay_profile_point point;
            SCALAY_TRY(scalay_profile_record_point(measured->record, p, k, &point));
            if (point.hole != NULL && counts->holes++ == 0)
                (void)snprintf(counts->first_hole, sizeof counts->first_hole, "size %lld on p%d: %.400s",
                               (long long)point.size, p, point.hole);
            if (point.hole == NULL) counts->imprecise += !point.precise;
            if (point.hole == NULL) counts->without_energy += isnan(point.energy);
            if (point.hole == NULL) counts->negative += point.energy < 0.0;
        }
cleanup:
    return status;
}

/* 1 when two processes run on one host. */
static int share_a_host(const scalay_measured *measured)
{
    scalay_profile_processor a, b;
    for (int p = 1; p < measured->facts.processors; p++)
        for (int q = 0; q < p; q++)
            if (scalay_profile_record_processor(measured->record, p, &a) == SCALAY_SUCCESS &&
                scalay_profile_record_processor(measured->record, q, &b) == SCALAY_SUCCESS &&
                strcmp(a.host, b.host) == 0)
                return 1;
    return 0;
}

static scalay_status print_notes(const scalay_measured *measured)
{
    scalay_status status = SCALAY_SUCCESS;
    const scalay_profile_facts *facts = &measured->facts;
    point_counts counts = {.holes = 0};
    SCALAY_TRY(count_points(measured, &counts));
    if (counts.holes > 0)
        printf("%lld hole%s: the kernel failed. The first: %s\n", (long long)counts.holes, counts.holes > 1 ? "s" : "",
               counts.first_hole);
    if (counts.imprecise > 0)
        printf("%lld point%s not as precise as %g%% (marked !): see --max-seconds and --repetitions\n",
               (long long)counts.imprecise, counts.imprecise > 1 ? "s are" : " is", 100.0 * facts->repeat.precision);
    if (strcmp(facts->meter, "none") != 0 && counts.without_energy > 0)
        printf("the meter could not be read at %lld point%s: the profile has times only\n",
               (long long)counts.without_energy, counts.without_energy > 1 ? "s" : "");
    if (counts.negative > 0)
        printf("less was read than the static power explains at %lld point%s: the profile has times only; --restart "
               "with a "
               "lower --static-power, or without one, measures again\n",
               (long long)counts.negative, counts.negative > 1 ? "s" : "");
    if (facts->shared_meter)
        SCALAY_TRY(print_additive_note(measured));
    else if (strcmp(facts->meter, "none") != 0 && !facts->modelled && share_a_host(measured))
        printf("processes of one host read the same meter: each one's joules contain the others'; --shared-meter "
               "measures them one after the other\n");
    if (facts->modelled) printf("the joules are computed by a model, not measured\n");
cleanup:
    return status;
}

scalay_status scalay_measured_print_text(const scalay_measured *measured)
{
    scalay_status status = SCALAY_SUCCESS;
    const scalay_profile_facts *facts = &measured->facts;
    printf("Profile of %s on %d process%s, %lld sizes; meter: %s\n\n", facts->kernel, facts->processors,
           facts->processors > 1 ? "es at the same time" : "", (long long)facts->sizes, facts->meter);
    SCALAY_TRY(print_processors(measured));
    printf("\n");
    if (facts->sizes * facts->processors <= MOST_ROWS) {
        SCALAY_TRY(print_points(measured));
        printf("\n");
        if (facts->shared_meter) SCALAY_TRY(print_differences(measured));
    }
    print_groups(measured);
    SCALAY_TRY(print_notes(measured));
    printf("The profile is in %s\n", measured->options->output);
cleanup:
    return status;
}
