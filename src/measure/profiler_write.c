#include <math.h>
#include <stdio.h>

#include "base/memory.h"
#include "base/number.h"
#include "base/replacement.h"
#include "measure/profiler_file.h"

/* Joules in a profile are multiples of one unit: of a nanojoule, or of as many as 2^53 of them need. */
enum { MOST_PLACES = 9 };
#define MOST_UNITS 9007199254740992.0

/* ---------------------------------------------------------------------------------------------------- facts */

static void print_facts(const scalay_profile_record *record, scalay_string *lines)
{
    static const char *const states[] = {"measuring", "complete", "interrupted"};
    const scalay_repeat_options *repeat = &record->repeat;
    scalay_string_append(lines, "# scalay profile 1\n# kernel %s\n# meter %s\n", record->kernel, record->meter);
    if (record->modelled) scalay_string_append(lines, "# modelled: joules are computed, not measured\n");
    if (record->shared_meter)
        scalay_string_append(lines, "# shared meter: joules are measured one processor after the other\n");
    scalay_string_append(
        lines, "# repeat warm_up=%lld min=%lld max=%lld seconds=%.17g confidence=%.17g precision=%.17g\n",
        (long long)repeat->warm_up, (long long)repeat->min_repetitions, (long long)repeat->max_repetitions,
        repeat->max_seconds, repeat->confidence, repeat->precision);
    scalay_string_append(lines, "# state %s\n# processors %d\n", states[record->state], record->processors);
    for (int p = 0; p < record->processors; p++) {
        const scalay_record_processor *facts = &record->processor[p];
        int leader = record->leader[p];
        scalay_string_append(lines,
                             "# processor %s group=%s threads=%d cores=%d binding=%s static_power=%.17g host=%s\n",
                             record->name[p], leader >= 0 ? record->name[leader] : "", facts->threads, facts->cores,
                             facts->binding, facts->static_power, facts->host);
    }
}

/* --------------------------------------------------------------------------------------------------- points */

static void print_point(const char *name, const scalay_profile_point *point, scalay_string *lines)
{
    if (point->hole != NULL)
        scalay_string_append(lines, "# hole %s size=%lld %s\n", name, (long long)point->size, point->hole);
    else
        scalay_string_append(
            lines,
            "# point %s size=%lld time=%.17g time_half_width=%.17g median=%.17g deviation=%.17g "
            "spread=%.17g normality=%.17g energy=%.17g energy_half_width=%.17g repetitions=%lld outliers=%lld "
            "precise=%d\n",
            name, (long long)point->size, point->time, point->time_half_width, point->median, point->deviation,
            point->spread, point->normality, point->energy, point->energy_half_width, (long long)point->repetitions,
            (long long)point->outliers, point->precise);
}

static void print_additive(const scalay_record_row *row, scalay_string *lines)
{
    if (row->compared)
        scalay_string_append(lines, "# additive size=%lld difference=%.17g uncertainty=%.17g\n", (long long)row->size,
                             row->difference, row->uncertainty);
}

/* Why there are no joules in the rows. */
static void print_no_energy(const char *name, const scalay_profile_point *point, scalay_string *lines)
{
    if (point->hole == NULL && point->energy < 0.0)
        scalay_string_append(lines, "# no energy %s size=%lld less was read than the static power explains\n", name,
                             (long long)point->size);
    if (point->hole == NULL && point->meter_failure != NULL)
        scalay_string_append(lines, "# no energy %s size=%lld %s\n", name, (long long)point->size,
                             point->meter_failure);
}

static void print_points(const scalay_profile_record *record, scalay_string *lines)
{
    for (int64_t k = 0; k < record->sizes; k++) {
        for (int p = 0; p < record->processors; p++) {
            print_point(record->name[p], &record->row[k].point[p], lines);
            print_no_energy(record->name[p], &record->row[k].point[p], lines);
        }
        print_additive(&record->row[k], lines);
    }
}

/* ----------------------------------------------------------------------------------------------------- rows */

/* Decimal places for joules, so that the largest has no more units than profiles hold. */
static int energy_places(const scalay_profile_record *record)
{
    double most = 0.0;
    int places = MOST_PLACES;
    for (int64_t k = 0; k < record->sizes; k++)
        for (int p = 0; p < record->processors; p++) most = fmax(most, record->row[k].point[p].energy);
    while (places > 0 && most * pow(10.0, places) > MOST_UNITS) places -= 3;
    return places;
}

/* places is negative when joules are not known. */
static void print_row(const scalay_profile_record *record, int leader, int64_t k, int places, int counts,
                      scalay_string *lines)
{
    double time = 0.0;
    double energy = 0.0;
    char seconds[SCALAY_DECIMAL_SIZE];
    if (!scalay_record_mean(record, leader, k, &time, &energy)) return;
    (void)scalay_decimal_print(scalay_decimal_shortest(time), seconds);
    scalay_string_append(lines, "%s,%lld,%s", record->name[leader], (long long)record->row[k].size, seconds);
    if (places >= 0) scalay_string_append(lines, ",%.*f", places, energy);
    if (counts) scalay_string_append(lines, ",%d", scalay_record_members(record, leader));
    scalay_string_append(lines, "\n");
}

static void print_rows(const scalay_profile_record *record, scalay_string *lines)
{
    const int places = scalay_record_has_energy(record) ? energy_places(record) : -1;
    int counts = 0;
    for (int p = 0; p < record->processors; p++) counts |= record->leader[p] >= 0 && record->leader[p] != p;
    scalay_string_append(lines, "processor,size,time%s%s\n", places >= 0 ? ",energy" : "", counts ? ",count" : "");
    for (int p = 0; p < record->processors; p++)
        for (int64_t k = 0; record->leader[p] == p && k < record->sizes; k++)
            print_row(record, p, k, places, counts, lines);
}

scalay_status scalay_record_print(const scalay_profile_record *record, scalay_string *lines)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_locale locale = {0};
    SCALAY_TRY(scalay_locale_enter(&locale));
    print_facts(record, lines);
    print_points(record, lines);
    print_rows(record, lines);
    status = lines->status;
cleanup:
    scalay_locale_leave(&locale);
    return status;
}

/* ----------------------------------------------------------------------------------------------------- file */

scalay_status scalay_record_write(const char *path, const scalay_string *lines)
{
    return scalay_replacement_write(path, lines->text, lines->length);
}

scalay_status scalay_record_check_path(const char *path)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_replacement names = {0};
    SCALAY_TRY(scalay_replacement_allocate(path, &names));
    SCALAY_TRY(scalay_replacement_begin(&names));
cleanup:
    scalay_replacement_remove(&names);
    scalay_replacement_release(&names);
    return status;
}
