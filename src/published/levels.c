/* The processors as levels of a search tree, with their points in the order in which HPOPTA and HEPOPTA try them. */
#include "published/levels.h"

#include <math.h>
#include <stdlib.h>

#include "base/integer.h"
#include "base/memory.h"

typedef struct {
    double time;
    int64_t energy;
    int64_t size;
} measured_point;

static int compare_by_time(const void *a, const void *b)
{
    const measured_point *x = a;
    const measured_point *y = b;
    if (x->time != y->time) return x->time < y->time ? -1 : 1;
    return (x->size > y->size) - (x->size < y->size);
}

static int compare_by_energy(const void *a, const void *b)
{
    const measured_point *x = a;
    const measured_point *y = b;
    if (x->energy != y->energy) return x->energy < y->energy ? -1 : 1;
    return (x->size > y->size) - (x->size < y->size);
}

static scalay_status sort_group(const scalay_problem_group *group, int by_energy, int64_t *points, int64_t **point)
{
    scalay_status status = SCALAY_SUCCESS;
    measured_point *sorted = NULL;
    int64_t count = 0;
    SCALAY_TRY(SCALAY_NEW(sorted, group->largest));
    for (int64_t x = 1; x <= group->largest; x++)
        if (!isinf(group->time[x]))
            sorted[count++] = (measured_point){group->time[x], by_energy ? group->energy[x] : 0, x};
    qsort(sorted, (size_t)count, sizeof *sorted, by_energy ? compare_by_energy : compare_by_time);
    SCALAY_TRY(SCALAY_NEW(*point, count));
    for (int64_t k = 0; k < count; k++) (*point)[k] = sorted[k].size;
    *points = count;
cleanup:
    scalay_release(sorted);
    return status;
}

scalay_status scalay_levels_create(const char *method, const scalay_problem *problem, int by_energy,
                                   scalay_levels *levels)
{
    scalay_status status = SCALAY_SUCCESS;
    int64_t processors = 0;
    *levels = (scalay_levels){.problem = problem};
    for (int j = 0; j < problem->groups; j++) {
        processors += scalay_min_int64(problem->group[j].multiplicity, problem->n);
        SCALAY_TRY(scalay_published_check_memory(method, processors, 1, sizeof(int64_t)));
    }
    SCALAY_TRY(scalay_published_check_memory(method, processors, problem->n + 1, 1));
    levels->processors = (int)processors;
    SCALAY_TRY(SCALAY_NEW(levels->group, processors));
    SCALAY_TRY(SCALAY_NEW(levels->capacity, processors + 1));
    SCALAY_TRY(SCALAY_NEW(levels->points, problem->groups));
    SCALAY_TRY(SCALAY_NEW(levels->point, problem->groups));
    processors = 0;
    for (int j = 0; j < problem->groups; j++) {
        int64_t end = processors + scalay_min_int64(problem->group[j].multiplicity, problem->n);
        while (processors < end) levels->group[processors++] = j;
        SCALAY_TRY(sort_group(&problem->group[j], by_energy, &levels->points[j], &levels->point[j]));
    }
cleanup:
    return status;
}

void scalay_levels_free(scalay_levels *levels)
{
    if (levels->point != NULL)
        for (int j = 0; j < levels->problem->groups; j++) scalay_release(levels->point[j]);
    scalay_release(levels->point);
    scalay_release(levels->points);
    scalay_release(levels->capacity);
    scalay_release(levels->group);
    *levels = (scalay_levels){0};
}

double scalay_levels_time(const scalay_levels *levels, int processor, int64_t size)
{
    const scalay_problem_group *group = &levels->problem->group[levels->group[processor]];
    if (size == 0) return 0.0;
    return size <= group->largest ? group->time[size] : INFINITY;
}

int64_t scalay_levels_energy(const scalay_levels *levels, int processor, int64_t size)
{
    const scalay_problem_group *group = &levels->problem->group[levels->group[processor]];
    if (size == 0) return 0;
    if (size > group->largest || group->energy[size] == SCALAY_NO_ENERGY) return SCALAY_NO_VALUE;
    return group->energy[size];
}

/* Sums up the largest sizes of the groups from the last processor to the first. */
static void add_up(scalay_levels *levels, int64_t (*largest)(const scalay_levels *, int, const void *),
                   const void *limit)
{
    int64_t each = 0;
    levels->capacity[levels->processors] = 0;
    for (int i = levels->processors - 1; i >= 0; i--) {
        if (i == levels->processors - 1 || levels->group[i] != levels->group[i + 1])
            each = largest(levels, levels->group[i], limit);
        levels->capacity[i] = levels->capacity[i + 1] + each;
    }
}

static int64_t largest_below_time(const scalay_levels *levels, int group, const void *limit)
{
    const scalay_problem_group *of = &levels->problem->group[group];
    const double *time = limit;
    int64_t largest = 0;
    for (int64_t k = 0; k < levels->points[group] && of->time[levels->point[group][k]] < *time; k++)
        largest = scalay_max_int64(largest, levels->point[group][k]);
    return largest;
}

static int64_t largest_within_energy(const scalay_levels *levels, int group, const void *limit)
{
    const scalay_problem_group *of = &levels->problem->group[group];
    const int64_t *energy = limit;
    int64_t largest = 0;
    for (int64_t k = 0; k < levels->points[group] && of->energy[levels->point[group][k]] <= *energy; k++)
        largest = scalay_max_int64(largest, levels->point[group][k]);
    return largest;
}

void scalay_levels_limit_time(scalay_levels *levels, double time)
{
    add_up(levels, largest_below_time, &time);
}

void scalay_levels_limit_energy(scalay_levels *levels, int64_t energy)
{
    add_up(levels, largest_within_energy, &energy);
}
