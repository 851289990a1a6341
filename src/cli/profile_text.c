#include <math.h>
#include <stdio.h>
#include <string.h>

#include "profile.h"
#include "report.h"

/* Of longer profiles the file tells the points. */
enum { MOST_ROWS = 200, TEXT = 512, NUMBER = 32 };
/* Below this probability values are hardly normal ones. */
#define DOUBTFUL 0.01

/* ------------------------------------------------------------------------------------------------ processors */

static void print_groups(const scalay_measured *measured)
{
    for (int g = 0; g < scalay_profile_groups(measured->profile); g++) {
        const char *name = scalay_profile_name(measured->profile, g);
        if (scalay_profile_multiplicity(measured->profile, g) < 2) continue;
        printf("%s stands for %lld processes whose functions are the same within %g%%:", name,
               (long long)scalay_profile_multiplicity(measured->profile, g), 100.0 * measured->facts.repeat->precision);
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

/* A number, or "-" when it is not known. */
static const char *known(double value, const char *format, char text[NUMBER])
{
    (void)snprintf(text, NUMBER, isnan(value) ? "-" : format, value);
    return text;
}

static scalay_status add_point(scalay_table *table, const scalay_measured *measured, const char *name,
                               const scalay_profile_point *point)
{
    const int energy = strcmp(measured->facts.meter, "none") != 0;
    const scalay_profile_kernel *kernel = measured->kernel;
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

static scalay_status print_points(const scalay_measured *measured)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_table table = {0};
    SCALAY_TRY(scalay_table_add(&table, "process|size|seconds|+-%s%s|median|spread|normality|times|outliers",
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
    int64_t holes, imprecise, without_energy, negative, tested, doubtful;
    char first_hole[TEXT], first_failure[TEXT];
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
            if (point.hole != NULL) continue;
            counts->imprecise += !point.precise;
            if (isnan(point.energy) && counts->without_energy++ == 0)
                (void)snprintf(counts->first_failure, sizeof counts->first_failure, "size %lld on p%d: %.400s",
                               (long long)point.size, p,
                               point.meter_failure != NULL ? point.meter_failure : "not known");
            counts->negative += point.energy < 0.0;
            counts->tested += !isnan(point.normality);
            counts->doubtful += point.normality < DOUBTFUL;
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
               (long long)counts.imprecise, counts.imprecise > 1 ? "s are" : " is", 100.0 * facts->repeat->precision);
    if (counts.doubtful > 0)
        printf(
            "%lld of %lld points with 20 values or more are hardly normal (Pearson's chi-squared test, normality below "
            "%g): there median and spread (distance of the quartiles) say more than mean and interval\n",
            (long long)counts.doubtful, (long long)counts.tested, DOUBTFUL);
    if (strcmp(facts->meter, "none") != 0 && counts.without_energy > 0)
        printf("the meter could not be read at %lld point%s: the profile has times only. The first: %s\n",
               (long long)counts.without_energy, counts.without_energy > 1 ? "s" : "", counts.first_failure);
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
