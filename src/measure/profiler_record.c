#include "measure/profiler_record.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"

scalay_status scalay_record_create(const char *kernel, const char *meter, int modelled, int processors,
                                   scalay_profile_record **record)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_profile_record *made = NULL;
    SCALAY_TRY(SCALAY_NEW(made, 1));
    made->processors = processors;
    made->modelled = modelled;
    SCALAY_TRY(scalay_text_copy(kernel, &made->kernel));
    SCALAY_TRY(scalay_text_copy(meter, &made->meter));
    SCALAY_TRY(SCALAY_NEW(made->processor, processors));
    SCALAY_TRY(SCALAY_NEW(made->leader, processors));
    SCALAY_TRY(SCALAY_NEW(made->name, processors));
    for (int p = 0; p < processors; p++) {
        made->leader[p] = -1;
        (void)snprintf(made->name[p], sizeof made->name[p], "p%d", p);
    }
    *record = made;
    made = NULL;
cleanup:
    scalay_profile_record_destroy(&made);
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

/* The first row whose size is not below. */
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
    scalay_record_row made = {.size = size, .difference = NAN, .uncertainty = NAN};
    int64_t k = lower_bound(record, size);
    if (k == record->sizes || record->row[k].size != size) {
        SCALAY_TRY(SCALAY_GROW(record->row, record->room, record->sizes + 1));
        SCALAY_TRY(SCALAY_NEW(made.point, record->processors));
        for (int p = 0; p < record->processors; p++)
            made.point[p] = (scalay_profile_point){.size = size, .energy = NAN, .energy_half_width = NAN};
        memmove(record->row + k + 1, record->row + k, (size_t)(record->sizes - k) * sizeof *record->row);
        record->row[k] = made;
        record->sizes++;
    }
    *row = &record->row[k];
cleanup:
    return status;
}

/* Fit for a line. */
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

/* Not of a meter that has disappeared, or that has told less than the static power: then the rows have times only. */
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
    if (record == NULL) return scalay_fail(SCALAY_ERROR_ARGUMENT, function, "record is NULL; pass a record");
    if (output == NULL)
        return scalay_fail(SCALAY_ERROR_ARGUMENT, function, "the output is NULL; pass where to put what is known");
    return SCALAY_SUCCESS;
}

static scalay_status check_index(const char *function, const char *what, int64_t value, int64_t count)
{
    if (value >= 0 && value < count) return SCALAY_SUCCESS;
    return scalay_fail(SCALAY_ERROR_ARGUMENT, function, "%s = %lld; the record has %lld", what, (long long)value,
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
                                    .repeat = record->repeat};
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
