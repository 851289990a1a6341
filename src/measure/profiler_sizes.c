#include "measure/profiler_sizes.h"

#include <math.h>
#include <stdlib.h>

#include "base/integer.h"
#include "base/memory.h"

/* A range of more sizes than this is a slip: each of them takes repetitions. */
enum { MOST_SIZES = 1000000, FRACTION = 16 };

static scalay_status refuse(const char *what, int64_t value, const char *remedy)
{
    return scalay_fail(SCALAY_ERROR_ARGUMENT, "scalay_profiler_run", "%s = %lld; %s", what, (long long)value, remedy);
}

static scalay_status check_range(const scalay_profiler_options *options)
{
    if (options->first < 1) return refuse("first", options->first, "a size is at least 1");
    if (options->last < options->first) return refuse("last", options->last, "give no less than the first size");
    if (options->step < 1) return refuse("step", options->step, "give at least 1");
    if ((options->last - options->first) / options->step >= MOST_SIZES)
        return refuse("step", options->step, "that makes over a million sizes; give a larger one");
    return SCALAY_SUCCESS;
}

static scalay_status fill_range(const scalay_profiler_options *options, scalay_size_list *list)
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(check_range(options));
    list->count = (options->last - options->first) / options->step + 1;
    SCALAY_TRY(SCALAY_NEW(list->size, list->count));
    for (int64_t k = 0; k < list->count; k++) list->size[k] = options->first + k * options->step;
cleanup:
    return status;
}

static int compare(const void *left, const void *right)
{
    const int64_t a = *(const int64_t *)left, b = *(const int64_t *)right;
    return (a > b) - (a < b);
}

static scalay_status fill_list(const scalay_profiler_options *options, scalay_size_list *list)
{
    scalay_status status = SCALAY_SUCCESS;
    if (options->sizes < 1 || options->sizes > MOST_SIZES)
        return refuse("sizes", options->sizes, "give one to a million sizes");
    if (options->size == NULL) return refuse("size, NULL, with sizes", options->sizes, "pass the list");
    SCALAY_TRY(SCALAY_NEW(list->size, options->sizes));
    for (int64_t k = 0; k < options->sizes; k++) list->size[k] = options->size[k];
    qsort(list->size, (size_t)options->sizes, sizeof *list->size, compare);
    if (list->size[0] < 1) return refuse("the smallest of size", list->size[0], "a size is at least 1");
    for (int64_t k = 0; k < options->sizes; k++)
        if (list->count == 0 || list->size[k] != list->size[list->count - 1]) list->size[list->count++] = list->size[k];
cleanup:
    return status;
}

scalay_status scalay_size_list_create(const scalay_profiler_options *options, scalay_size_list *list)
{
    scalay_status status = SCALAY_SUCCESS;
    *list = (scalay_size_list){.refine = options->refine, .closest = options->refine_step};
    if (!(options->refine >= 0.0 && isfinite(options->refine)))
        return scalay_fail(SCALAY_ERROR_ARGUMENT, "scalay_profiler_run", "refine = %g; give a fraction, or 0",
                           options->refine);
    if (options->refine_step < 0) return refuse("refine_step", options->refine_step, "give at least 1, or 0");
    SCALAY_TRY(options->sizes != 0 ? fill_list(options, list) : fill_range(options, list));
    if (list->closest == 0 && list->count > 1) {
        int64_t gap = INT64_MAX;
        for (int64_t k = 1; k < list->count; k++) gap = scalay_min_int64(gap, list->size[k] - list->size[k - 1]);
        list->closest = gap / FRACTION;
    }
    list->closest = scalay_max_int64(1, list->closest);
cleanup:
    if (status != SCALAY_SUCCESS) scalay_size_list_free(list);
    return status;
}

void scalay_size_list_free(scalay_size_list *list)
{
    scalay_release(list->size);
    *list = (scalay_size_list){0};
}

/* ---------------------------------------------------------------------------------------------- refinement */

/* 1 when the point of a row is off the line between its neighbours' by more than can be chance. */
static int is_off_line(const scalay_size_list *list, const scalay_profile_record *record, int64_t k, int p)
{
    const scalay_profile_point *left = &record->row[k - 1].point[p];
    const scalay_profile_point *here = &record->row[k].point[p];
    const scalay_profile_point *right = &record->row[k + 1].point[p];
    if (left->hole != NULL || here->hole != NULL || right->hole != NULL) return 0;
    double share = (double)(here->size - left->size) / (double)(right->size - left->size);
    double line = (1.0 - share) * left->time + share * right->time;
    const double chance = isnan(here->time_half_width) ? 0.0 : here->time_half_width; /* one execution has none */
    return fabs(here->time - line) - chance > list->refine * line;
}

static int jumps_at(const scalay_size_list *list, const scalay_profile_record *record, int64_t k)
{
    if (k < 1 || k + 1 >= record->sizes) return 0;
    for (int p = 0; p < record->processors; p++)
        if (is_off_line(list, record, k, p)) return 1;
    return 0;
}

/* The middle of an interval next to a jump, the widest first: a jump between two sizes is closed in on from both. */
static int64_t refined(const scalay_size_list *list, const scalay_profile_record *record)
{
    int64_t widest = 0;
    int64_t middle = 0;
    for (int64_t k = 0; k + 1 < record->sizes; k++) {
        int64_t width = record->row[k + 1].size - record->row[k].size;
        if (width / 2 < list->closest || width <= widest) continue;
        if (!jumps_at(list, record, k) && !jumps_at(list, record, k + 1)) continue;
        widest = width;
        middle = record->row[k].size + width / 2;
    }
    return middle;
}

int64_t scalay_size_list_next(const scalay_size_list *list, const scalay_profile_record *record)
{
    for (int64_t k = 0; k < list->count; k++)
        if (scalay_record_find(record, list->size[k]) < 0) return list->size[k];
    return list->refine > 0.0 ? refined(list, record) : 0;
}

int64_t scalay_size_list_left(const scalay_size_list *list, const scalay_profile_record *record, double *sum)
{
    int64_t left = 0;
    *sum = 0.0;
    for (int64_t k = 0; k < list->count; k++)
        if (scalay_record_find(record, list->size[k]) < 0) {
            left++;
            *sum += (double)list->size[k];
        }
    return left;
}
