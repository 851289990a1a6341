/*
 * The front of time and energy, from the right: the least energy of all, then the least energy with sizes that take
 * less time than that, and so on until the time is the least one. Each solution starts from the one before: hulls
 * change only where a size is lost, the critical slope moves a little, and the reduced cost of the last solution tells
 * how far to look.
 *
 * Cost: a point costs a look at each group, a walk along each hull edge that has lost a vertex, and the moves.
 */
#include "base/memory.h"
#include "workload/min_energy.h"

enum { MANY_TIES = 8 /* points of the same energy after which we leap */ };

/* Times that are so close together are left to single steps. */
static const double NEAR = 0x1p-20;

/* Makes the hulls right for a limit. Those of several groups are renewed where they are needed when it comes down. */
static scalay_status set_limit(scalay_energy_search *search, double limit)
{
    scalay_status status = SCALAY_SUCCESS;
    const int lower = limit <= search->time_limit;
    search->time_limit = limit;
    if (lower && search->problem->groups > 1) return SCALAY_SUCCESS;
    for (int j = 0; j < search->problem->groups; j++) SCALAY_TRY(scalay_hull_build(search, j));
cleanup:
    return status;
}

/* From a point far to the left, to one of the same energy, halving the time that is left above the least one. */
static scalay_status leap(scalay_energy_search *search, double least_time, scalay_point *point)
{
    scalay_status status = SCALAY_SUCCESS;
    double low = least_time;
    for (;;) {
        int feasible = 0;
        double middle = low + (point->time - low) / 2.0;
        if (!(middle > low && middle < point->time) || point->time - low < NEAR * point->time) break;
        SCALAY_TRY(set_limit(search, middle));
        SCALAY_TRY(scalay_energy_search_solve(search, &feasible));
        scalay_point found = scalay_energy_sum(search);
        if (feasible && found.energy == point->energy)
            *point = found;
        else
            low = middle;
    }
cleanup:
    return status;
}

/* The points from the right; of points that have the same energy the last one is the fastest. */
static scalay_status list_points(scalay_energy_search *search, double least_time, int64_t *count, scalay_point **point)
{
    scalay_status status = SCALAY_SUCCESS;
    int64_t capacity = 0;
    int ties = 0;
    for (int feasible = 0;;) {
        SCALAY_TRY(scalay_energy_search_solve(search, &feasible));
        if (!feasible) break;
        scalay_point found = scalay_energy_sum(search);
        int tie = *count > 0 && (*point)[*count - 1].energy == found.energy;
        ties = tie ? ties + 1 : 0;
        if (tie) --*count;
        if (ties % MANY_TIES == MANY_TIES - 1) SCALAY_TRY(leap(search, least_time, &found));
        SCALAY_TRY(SCALAY_GROW(*point, capacity, *count + 1));
        (*point)[(*count)++] = found;
        if (found.time <= least_time) break;
        SCALAY_TRY(set_limit(search, found.time));
    }
cleanup:
    return status;
}

/* By ascending time, without the points where energy + power * time does not fall. */
static int64_t tidy(int64_t count, scalay_point *point, double power)
{
    for (int64_t k = 0; k < count / 2; k++) {
        scalay_point kept = point[k];
        point[k] = point[count - 1 - k];
        point[count - 1 - k] = kept;
    }
    int64_t left = 0;
    for (int64_t k = 0; k < count; k++) {
        double total = (double)point[k].energy + power * point[k].time;
        if (power < 0.0 || left == 0 || total < (double)point[left - 1].energy + power * point[left - 1].time)
            point[left++] = point[k];
    }
    return left;
}

scalay_status scalay_solve_front(const scalay_problem *problem, double power, int64_t *count, scalay_point **point)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_energy_search search = {0};
    scalay_distribution fastest = {0};
    double least_time = 0.0;
    *count = 0;
    *point = NULL;
    SCALAY_TRY(scalay_solve_min_time(problem, problem->processors, &least_time, &fastest));
    if (!fastest.feasible) goto cleanup;
    SCALAY_TRY(scalay_energy_search_create(problem, problem->n, INFINITY, &search));
    SCALAY_TRY(scalay_energy_search_start(&search));
    SCALAY_TRY(list_points(&search, least_time, count, point));
    *count = tidy(*count, *point, power);
    scalay_point *fitted = scalay_reallocate(*point, *count, sizeof **point);
    if (fitted != NULL) *point = fitted;
cleanup:
    scalay_energy_search_free(&search);
    scalay_distribution_free(&fastest);
    if (status != SCALAY_SUCCESS) {
        scalay_release(*point);
        *point = NULL;
        *count = 0;
    }
    return status;
}
