/* Pareto fronts as objects: creation, queries, and the selection of a point. solve_front.c computes the points. */
#include <math.h>

#include "base/memory.h"
#include "profile/profile.h"
#include "workload/workload.h"

static const char AUTO[] = "auto";

/* A point takes 24 bytes. Its distribution is computed on request, unless a published method has found it. */
struct scalay_workload_front {
    scalay_profile *profile;
    int64_t n;
    int64_t below; /* nearest totals that can be distributed */
    int64_t above;
    double base_power; /* watts */
    double units_per_joule;
    const char *method;
    scalay_front_points points;
};

void scalay_front_points_free(scalay_front_points *points)
{
    if (points->distribution != NULL)
        for (int64_t k = 0; k < points->count; k++) scalay_distribution_free(&points->distribution[k]);
    scalay_release(points->distribution);
    scalay_release(points->point);
    *points = (scalay_front_points){0};
}

void scalay_workload_front_destroy(scalay_workload_front **front)
{
    if (front == NULL || *front == NULL) return;
    scalay_workload_front *old = *front;
    scalay_front_points_free(&old->points);
    scalay_profile_destroy(&old->profile);
    scalay_release(old);
    *front = NULL;
}

/* -------------------------------------------------------------------------------------------------------- creating */

scalay_status scalay_front_make(const scalay_problem *problem, int64_t n, double watts, const char *method,
                                scalay_front_points *points, scalay_workload_front **front)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_workload_front *new_front = NULL;
    SCALAY_TRY(SCALAY_NEW(new_front, 1));
    new_front->profile = scalay_profile_retain(problem->profile);
    new_front->n = n;
    new_front->below = n;
    new_front->above = n;
    new_front->base_power = fmax(watts, 0.0);
    new_front->units_per_joule = problem->units_per_joule;
    new_front->method = method;
    if (points->count == 0) SCALAY_TRY(scalay_workload_totals(problem, n, &new_front->below, &new_front->above));
    new_front->points = *points;
    *points = (scalay_front_points){0};
    *front = new_front;
    new_front = NULL;
cleanup:
    scalay_workload_front_destroy(&new_front);
    return status;
}

scalay_status scalay_front_power(const char *function, const scalay_problem *problem, double watts, double *power)
{
    const scalay_profile *profile = problem->profile;
    double longest = 0.0;
    *power = watts * problem->units_per_joule;
    if (watts <= 0.0) return SCALAY_SUCCESS;
    for (int j = 0; j < profile->groups; j++)
        for (int64_t k = 0; k < profile->group[j].points; k++) longest = fmax(longest, profile->group[j].time[k]);
    if (isfinite(2.0 * *power * longest)) return SCALAY_SUCCESS;
    return scalay_fail(
        SCALAY_ERROR_RANGE, function,
        "base_power = %g W: the energy during the longest time of the profile, %g s, is infinite; give a "
        "smaller power",
        watts, longest);
}

static scalay_status check_options(const char *function, const scalay_profile *profile, int64_t n,
                                   const scalay_workload_options *given)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_workload_options options = scalay_workload_options_default();
    SCALAY_TRY(scalay_workload_read_options(function, profile, n, given, &options));
    if (options.communication != NULL)
        return scalay_fail(SCALAY_ERROR_ARGUMENT, function,
                           "communication is given, but fronts have no communication cost: leave it NULL, or ask for "
                           "the least time or energy");
cleanup:
    return status;
}

/* The front with a base power in watts. Negative: the front of dynamic energy. */
static scalay_status solve(const char *function, const scalay_profile *profile, int64_t n, double watts,
                           const scalay_workload_options *options, scalay_workload_front **front)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_problem problem = {0};
    scalay_front_points points = {0};
    double power = 0.0;
    if (front == NULL)
        return scalay_fail(SCALAY_ERROR_ARGUMENT, function, "front is NULL: pass the address of a pointer");
    *front = NULL;
    SCALAY_TRY(check_options(function, profile, n, options));
    SCALAY_TRY(scalay_problem_create(function, profile, n, 1, &problem));
    SCALAY_TRY(scalay_problem_merge(&problem));
    SCALAY_TRY(scalay_front_power(function, &problem, watts, &power));
    SCALAY_TRY(scalay_solve_front(&problem, power, &points.count, &points.point));
    SCALAY_TRY(scalay_front_make(&problem, n, watts, AUTO, &points, front));
cleanup:
    scalay_front_points_free(&points);
    scalay_problem_free(&problem);
    return status;
}

scalay_status scalay_workload_front_create(const scalay_profile *profile, int64_t n,
                                           const scalay_workload_options *options, scalay_workload_front **front)
{
    return solve(__func__, profile, n, -1.0, options, front);
}

scalay_status scalay_workload_front_create_total(const scalay_profile *profile, int64_t n, double base_power,
                                                 const scalay_workload_options *options, scalay_workload_front **front)
{
    if (front != NULL) *front = NULL;
    if (!isfinite(base_power) || base_power < 0.0)
        return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "base_power = %g: give finite watts of at least 0", base_power);
    return solve(__func__, profile, n, base_power, options, front);
}

/* --------------------------------------------------------------------------------------------------------- queries */

int64_t scalay_workload_front_count(const scalay_workload_front *front)
{
    return front == NULL ? 0 : front->points.count;
}

scalay_status scalay_workload_front_nearest(const scalay_workload_front *front, int64_t *below, int64_t *above)
{
    if (front == NULL) return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "front is NULL: solve a problem first");
    if (below == NULL || above == NULL)
        return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "%s is NULL: pass the address of a number",
                           below == NULL ? "below" : "above");
    *below = front->below;
    *above = front->above;
    return SCALAY_SUCCESS;
}

static scalay_status check_point(const char *function, const scalay_workload_front *front, int64_t k)
{
    if (front == NULL) return scalay_fail(SCALAY_ERROR_ARGUMENT, function, "front is NULL: solve a problem first");
    if (k < 0 || k >= front->points.count)
        return scalay_fail(SCALAY_ERROR_ARGUMENT, function, "k = %lld: give a point from 0 to %lld", (long long)k,
                           (long long)front->points.count - 1);
    return SCALAY_SUCCESS;
}

static double total_energy(const scalay_workload_front *front, int64_t k)
{
    return (double)front->points.point[k].energy / front->units_per_joule +
           front->base_power * front->points.point[k].time;
}

scalay_status scalay_workload_front_get_point(const scalay_workload_front *front, int64_t k,
                                              scalay_workload_front_point *point)
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(check_point(__func__, front, k));
    if (point == NULL) SCALAY_TRY(SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "point is NULL: pass the address of one"));
    *point = (scalay_workload_front_point){front->points.point[k].time,
                                           (double)front->points.point[k].energy / front->units_per_joule,
                                           total_energy(front, k), front->points.point[k].active};
cleanup:
    return status;
}

/* The least energy within the time of a point is the point's. */
static scalay_status solve_point(const scalay_workload_front *front, const scalay_problem *problem, int64_t k,
                                 scalay_workload **workload)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_distribution distribution = {0};
    int64_t energy = 0;
    int64_t active = 0;
    if (front->points.distribution == NULL)
        SCALAY_TRY(scalay_solve_min_energy(problem, nextafter(front->points.point[k].time, INFINITY), &energy, &active,
                                           &distribution));
    SCALAY_TRY(scalay_problem_split(problem, &distribution));
    SCALAY_TRY(scalay_workload_make(problem, front->n,
                                    front->points.distribution == NULL ? &distribution : &front->points.distribution[k],
                                    SCALAY_MAKE_TIME_SMALL, front->method, workload));
cleanup:
    scalay_distribution_free(&distribution);
    return status;
}

scalay_status scalay_workload_front_get_workload(const scalay_workload_front *front, int64_t k,
                                                 scalay_workload **workload)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_problem problem = {0};
    if (workload == NULL) return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "workload is NULL: pass the address of a pointer");
    *workload = NULL;
    SCALAY_TRY(check_point(__func__, front, k));
    SCALAY_TRY(scalay_problem_create(__func__, front->profile, front->n, 1, &problem));
    if (front->points.distribution == NULL) SCALAY_TRY(scalay_problem_merge(&problem));
    SCALAY_TRY(solve_point(front, &problem, k, workload));
cleanup:
    scalay_problem_free(&problem);
    return status;
}

/* ------------------------------------------------------------------------------------------------------ selecting */

int64_t scalay_workload_front_within_time(const scalay_workload_front *front, double fraction)
{
    if (front == NULL || front->points.count == 0 || !(fraction >= 0.0)) return -1;
    const double limit = front->points.point[0].time * (1.0 + fraction);
    int64_t low = 0;
    int64_t high = front->points.count - 1;
    while (low < high) {
        const int64_t middle = high - (high - low) / 2;
        if (front->points.point[middle].time <= limit)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

int64_t scalay_workload_front_within_energy(const scalay_workload_front *front, double fraction)
{
    if (front == NULL || front->points.count == 0 || !(fraction >= 0.0)) return -1;
    const double limit = total_energy(front, front->points.count - 1) * (1.0 + fraction);
    int64_t low = 0;
    int64_t high = front->points.count - 1;
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (total_energy(front, middle) <= limit)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

int64_t scalay_workload_front_knee(const scalay_workload_front *front)
{
    if (front == NULL || front->points.count == 0) return -1;
    const int64_t last = front->points.count - 1;
    const double time = front->points.point[0].time;
    const double energy = total_energy(front, last);
    const double width = front->points.point[last].time - time;
    const double height = total_energy(front, 0) - energy;
    int64_t knee = 0;
    double furthest = 0.0;
    for (int64_t k = 1; k < last; k++) {
        const double below =
            1.0 - (front->points.point[k].time - time) / width - (total_energy(front, k) - energy) / height;
        if (below <= furthest) continue;
        furthest = below;
        knee = k;
    }
    return knee;
}
