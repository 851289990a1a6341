/*
 * Records of profiles: points of all sizes and processors, and groups of processors with the same function.
 *
 * Rows are sorted by size. A row is found in O(log sizes). Two processors have the same function if their means agree
 * at every size: within the precision, or, if both are precise, within their confidence intervals. This relation is not
 * transitive, so a member of a group must agree with every other member.
 */
#include "measure/profiler_record.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"

/* -------------------------------------------------------------------------------------------------- rows and points */

scalay_status scalay_record_create(const char *kernel, const char *meter, int modelled, int processors,
                                   scalay_profile_record **record)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_profile_record *new_record = NULL;
    SCALAY_TRY(SCALAY_NEW(new_record, 1));
    new_record->processors = processors;
    new_record->modelled = modelled;
    SCALAY_TRY(scalay_text_copy(kernel, &new_record->kernel));
    SCALAY_TRY(scalay_text_copy(meter, &new_record->meter));
    SCALAY_TRY(SCALAY_NEW(new_record->processor, processors));
    SCALAY_TRY(SCALAY_NEW(new_record->leader, processors));
    SCALAY_TRY(SCALAY_NEW(new_record->name, processors));
    for (int p = 0; p < processors; p++) {
        new_record->leader[p] = -1;
        (void)snprintf(new_record->name[p], sizeof new_record->name[p], "p%d", p);
    }
    *record = new_record;
    new_record = NULL;
cleanup:
    scalay_profile_record_destroy(&new_record);
    return status;
}

void scalay_record_free_row(const scalay_profile_record *record, scalay_record_row *row)
{
    for (int p = 0; p < record->processors; p++) {
        scalay_release((void *)row->point[p].hole);
        scalay_release((void *)row->point[p].meter_failure);
    }
    scalay_release(row->point);
}

void scalay_profile_record_destroy(scalay_profile_record **record)
{
    if (record == NULL || *record == NULL) return;
    for (int64_t k = 0; k < (*record)->sizes; k++) scalay_record_free_row(*record, &(*record)->row[k]);
    scalay_release((*record)->row);
    scalay_release((*record)->name);
    scalay_release((*record)->leader);
    scalay_release((*record)->processor);
    scalay_release((*record)->meter);
    scalay_release((*record)->kernel);
    scalay_release(*record);
    *record = NULL;
}

/* Returns the first row whose size is at least `size`. */
static int64_t lower_bound(const scalay_profile_record *record, int64_t size)
{
    int64_t low = 0;
    int64_t high = record->sizes;
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (record->row[middle].size < size)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

int64_t scalay_record_find(const scalay_profile_record *record, int64_t size)
{
    int64_t k = lower_bound(record, size);
    return k < record->sizes && record->row[k].size == size ? k : -1;
}

scalay_status scalay_record_row_at(scalay_profile_record *record, int64_t size, scalay_record_row **row)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_record_row new_row = {.size = size, .difference = NAN, .uncertainty = NAN};
    int64_t k = lower_bound(record, size);
    if (k == record->sizes || record->row[k].size != size) {
        SCALAY_TRY(SCALAY_GROW(record->row, record->capacity, record->sizes + 1));
        SCALAY_TRY(SCALAY_NEW(new_row.point, record->processors));
        for (int p = 0; p < record->processors; p++)
            new_row.point[p] = (scalay_profile_point){.size = size, .energy = NAN, .energy_half_width = NAN};
        memmove(record->row + k + 1, record->row + k, (size_t)(record->sizes - k) * sizeof *record->row);
        record->row[k] = new_row;
        record->sizes++;
    }
    *row = &record->row[k];
cleanup:
    return status;
}

/* Copies a text, and replaces control characters by blanks. */
static scalay_status copy_reason(const char *reason, char **copy)
{
    const scalay_status status = scalay_text_copy(reason, copy);
    if (status != SCALAY_SUCCESS) return status;
    for (char *byte = *copy; *byte != '\0'; byte++)
        if ((unsigned char)*byte < ' ') *byte = ' ';
    return SCALAY_SUCCESS;
}

scalay_status scalay_record_set_meter_failure(scalay_profile_point *point, const char *reason)
{
    char *copy = NULL;
    const scalay_status status = copy_reason(reason, &copy);
    if (status != SCALAY_SUCCESS) return status;
    scalay_release((void *)point->meter_failure);
    point->meter_failure = copy;
    return SCALAY_SUCCESS;
}

scalay_status scalay_record_set_hole(scalay_profile_point *point, const char *reason)
{
    scalay_status status = SCALAY_SUCCESS;
    char *copy = NULL;
    SCALAY_TRY(copy_reason(reason, &copy));
    scalay_release((void *)point->hole);
    scalay_release((void *)point->meter_failure);
    *point = (scalay_profile_point){.size = point->size, .hole = copy, .energy = NAN, .energy_half_width = NAN};
cleanup:
    return status;
}

int scalay_record_has_points(const scalay_profile_record *record, int processor)
{
    for (int64_t k = 0; k < record->sizes; k++)
        if (record->row[k].point[processor].hole == NULL) return 1;
    return 0;
}

int scalay_record_has_meter(const scalay_profile_record *record)
{
    return strcmp(record->meter, "none") != 0;
}

/* If an energy is missing or negative, the rows of the file have times only. */
int scalay_record_has_energy(const scalay_profile_record *record)
{
    if (!scalay_record_has_meter(record)) return 0;
    for (int64_t k = 0; k < record->sizes; k++)
        for (int p = 0; p < record->processors; p++)
            if (record->row[k].point[p].hole == NULL && !(record->row[k].point[p].energy >= 0.0)) return 0;
    return 1;
}

/* -------------------------------------------------------------------------------------------------- queries */

static scalay_status check(const char *function, const scalay_profile_record *record, const void *output)
{
    const scalay_status status = scalay_check_not_null(record, function, "record");
    return status == SCALAY_SUCCESS ? scalay_check_not_null(output, function, "output") : status;
}

static scalay_status check_index(const char *function, const char *name, int64_t value, int64_t count)
{
    if (value >= 0 && value < count) return SCALAY_SUCCESS;
    return scalay_fail(SCALAY_ERROR_ARGUMENT, function, "%s is %lld; it must be in [0, %lld)", name, (long long)value,
                       (long long)count);
}

scalay_status scalay_profile_record_get(const scalay_profile_record *record, scalay_profile_facts *facts)
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(check(__func__, record, facts));
    *facts = (scalay_profile_facts){.kernel = record->kernel,
                                    .meter = record->meter,
                                    .modelled = record->modelled,
                                    .shared_meter = record->shared_meter,
                                    .processors = record->processors,
                                    .sizes = record->sizes,
                                    .state = record->state,
                                    .repeat = &record->repeat};
cleanup:
    return status;
}

scalay_status scalay_profile_record_processor(const scalay_profile_record *record, int processor,
                                              scalay_profile_processor *facts)
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(check(__func__, record, facts));
    SCALAY_TRY(check_index(__func__, "processor", processor, record->processors));
    const scalay_record_processor *known = &record->processor[processor];
    int leader = record->leader[processor];
    *facts = (scalay_profile_processor){.name = record->name[processor],
                                        .group = leader >= 0 ? record->name[leader] : "",
                                        .host = known->host,
                                        .binding = known->binding,
                                        .cores = known->cores,
                                        .threads = known->threads,
                                        .static_power = known->static_power};
cleanup:
    return status;
}

scalay_status scalay_profile_record_point(const scalay_profile_record *record, int processor, int64_t index,
                                          scalay_profile_point *point)
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(check(__func__, record, point));
    SCALAY_TRY(check_index(__func__, "processor", processor, record->processors));
    SCALAY_TRY(check_index(__func__, "index", index, record->sizes));
    *point = record->row[index].point[processor];
cleanup:
    return status;
}

scalay_status scalay_profile_record_additive(const scalay_profile_record *record, int64_t index, double *difference,
                                             double *uncertainty)
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(check(__func__, record, difference));
    SCALAY_TRY(check(__func__, record, uncertainty));
    SCALAY_TRY(check_index(__func__, "index", index, record->sizes));
    *difference = record->row[index].difference;
    *uncertainty = record->row[index].uncertainty;
cleanup:
    return status;
}

/* ----------------------------------------------------------------------------------------------------------- groups */

/* Two means agree within the precision, or, if both are precise, if their confidence intervals overlap. */
static int same_value(double a, double a_half, double b, double b_half, double precision, int both_precise)
{
    double tolerance = precision * fmax(fabs(a), fabs(b));
    if (both_precise) tolerance = fmax(tolerance, a_half + b_half);
    return fabs(a - b) <= tolerance;
}

static int same_point(const scalay_profile_point *a, const scalay_profile_point *b, double precision)
{
    if (a->hole != NULL || b->hole != NULL) return a->hole != NULL && b->hole != NULL;
    int both_precise = a->precise && b->precise;
    if (!same_value(a->time, a->time_half_width, b->time, b->time_half_width, precision, both_precise)) return 0;
    if (isnan(a->energy) || isnan(b->energy)) return 1;
    return same_value(a->energy, a->energy_half_width, b->energy, b->energy_half_width, precision, both_precise);
}

static int same_function(const scalay_profile_record *record, int a, int b)
{
    for (int64_t k = 0; k < record->sizes; k++)
        if (!same_point(&record->row[k].point[a], &record->row[k].point[b], record->repeat.precision)) return 0;
    return 1;
}

/* A processor must agree with all members of the group so far. */
static int belongs_to(const scalay_profile_record *record, int processor, int leader)
{
    for (int p = leader; p < processor; p++)
        if (record->leader[p] == leader && !same_function(record, p, processor)) return 0;
    return 1;
}

void scalay_record_group(scalay_profile_record *record, int merge)
{
    for (int p = 0; p < record->processors; p++) {
        record->leader[p] = scalay_record_has_points(record, p) ? p : -1;
        for (int leader = 0; merge && record->leader[p] == p && leader < p; leader++)
            if (record->leader[leader] == leader && belongs_to(record, p, leader)) record->leader[p] = leader;
    }
}

int scalay_record_members(const scalay_profile_record *record, int leader)
{
    int members = 0;
    for (int p = leader; p < record->processors; p++) members += record->leader[p] == leader;
    return members;
}

int scalay_record_mean(const scalay_profile_record *record, int leader, int64_t row, double *time, double *energy)
{
    const scalay_profile_point *point = record->row[row].point;
    const int members = scalay_record_members(record, leader);
    *time = 0.0;
    *energy = 0.0;
    if (point[leader].hole != NULL) return 0;
    for (int p = leader; p < record->processors; p++) {
        if (record->leader[p] != leader) continue;
        *time += point[p].time / members;
        *energy += isnan(point[p].energy) ? 0.0 : point[p].energy / members;
    }
    return 1;
}
