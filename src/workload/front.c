#include <math.h>

#include "base/memory.h"
#include "profile/profile.h"
#include "published/published.h"
#include "workload/workload.h"

/* Points take 24 bytes; their distributions are made when they are asked for, unless a published method found them. */
struct scalay_workload_front {
    scalay_profile *profile;
    int64_t n;
    int64_t below; /* the totals next to n */
    int64_t above;
    double base_power; /* watts */
    double units_per_joule;
    const char *method;
    int64_t count;
    scalay_point *point;               /* shape [count]: times ascending */
    scalay_distribution *distribution; /* shape [count]; NULL: to be made */
};

void scalay_workload_front_destroy(scalay_workload_front **front)
{
    if (front == NULL || *front == NULL) return;
    scalay_workload_front *old = *front;
    if (old->distribution != NULL)
        for (int64_t k = 0; k < old->count; k++) scalay_distribution_free(&old->distribution[k]);
    scalay_release(old->distribution);
    scalay_release(old->point);
    scalay_profile_destroy(&old->profile);
    scalay_release(old);
    *front = NULL;
}

/* ---------------------------------------------------------------------------------------------------------- making */

/* The front of a problem; power as in scalay_solve_front(). */
static scalay_status make(const scalay_problem *problem, int64_t n, const scalay_workload_choice *choice, double power,
                          scalay_workload_front **front)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_workload_front *new_front = NULL;
    SCALAY_TRY(SCALAY_NEW(new_front, 1));
    new_front->profile = scalay_profile_retain(problem->profile);
    new_front->n = n;
    new_front->below = n;
    new_front->above = n;
    new_front->units_per_joule = problem->units_per_joule;
    new_front->method = choice->name;
    if (choice->method != NULL)
        SCALAY_TRY(choice->method->front(problem, power, &choice->options, &new_front->count, &new_front->point,
                                         &new_front->distribution));
    else
        SCALAY_TRY(scalay_solve_front(problem, power, &new_front->count, &new_front->point));
    if (new_front->count == 0) SCALAY_TRY(scalay_workload_totals(problem, n, &new_front->below, &new_front->above));
    *front = new_front;
    new_front = NULL;
cleanup:
    scalay_workload_front_destroy(&new_front);
    return status;
}

/* Total energies must be numbers. */
static scalay_status check_power(const char *function, const scalay_profile *profile, double base_power,
                                 double units_per_joule)
{
    double longest = 0.0;
    if (base_power <= 0.0) return SCALAY_SUCCESS;
    for (int j = 0; j < profile->groups; j++)
        for (int64_t k = 0; k < profile->group[j].points; k++) longest = fmax(longest, profile->group[j].time[k]);
    if (isfinite(2.0 * base_power * units_per_joule * longest)) return SCALAY_SUCCESS;
    return scalay_fail(SCALAY_ERROR_RANGE, function,
                       "base_power = %g: with the profile's longest time, %g s, it is an energy beyond all numbers; "
                       "give watts",
                       base_power, longest);
}

/* The front with a base power in watts; negative: of dynamic energy. */
static scalay_status solve(const char *function, const scalay_profile *profile, int64_t n, double base_power,
                           const scalay_workload_options *options, int solves, scalay_workload_front **front)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_workload_choice choice = {0};
    scalay_problem problem = {0};
    if (front == NULL)
        return scalay_fail(SCALAY_ERROR_ARGUMENT, function, "front is NULL: pass the address of a pointer");
    *front = NULL;
    SCALAY_TRY(scalay_workload_choose(function, profile, n, options, solves, &choice));
    SCALAY_TRY(scalay_problem_create(function, profile, n, 1, &problem));
    if (choice.method == NULL) SCALAY_TRY(scalay_problem_merge(&problem));
    SCALAY_TRY(check_power(function, profile, base_power, problem.units_per_joule));
    SCALAY_TRY(
        scalay_published_named(function, make(&problem, n, &choice, base_power * problem.units_per_joule, front)));
    (*front)->base_power = fmax(base_power, 0.0);
cleanup:
    scalay_problem_free(&problem);
    return status;
}

scalay_status scalay_workload_front_create(const scalay_profile *profile, int64_t n,
                                           const scalay_workload_options *options, scalay_workload_front **front)
{
    return solve(__func__, profile, n, -1.0, options, SCALAY_SOLVES_FRONT, front);
}

scalay_status scalay_workload_front_create_total(const scalay_profile *profile, int64_t n, double base_power,
                                                 const scalay_workload_options *options, scalay_workload_front **front)
{
    if (front != NULL) *front = NULL;
    if (!isfinite(base_power) || base_power < 0.0)
        return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "base_power = %g: give finite watts of at least 0", base_power);
    return solve(__func__, profile, n, base_power, options, SCALAY_SOLVES_TOTAL_FRONT, front);
}

/* --------------------------------------------------------------------------------------------------------- queries */

int64_t scalay_workload_front_count(const scalay_workload_front *front)
{
    return front == NULL ? 0 : front->count;
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
    if (k < 0 || k >= front->count)
        return scalay_fail(SCALAY_ERROR_ARGUMENT, function, "k = %lld: give a point from 0 to %lld", (long long)k,
                           (long long)front->count - 1);
    return SCALAY_SUCCESS;
}

static double total_energy(const scalay_workload_front *front, int64_t k)
{
    return (double)front->point[k].energy / front->units_per_joule + front->base_power * front->point[k].time;
}

scalay_status scalay_workload_front_get_point(const scalay_workload_front *front, int64_t k,
                                              scalay_workload_front_point *point)
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(check_point(__func__, front, k));
    if (point == NULL) SCALAY_TRY(SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "point is NULL: pass the address of one"));
    *point =
        (scalay_workload_front_point){front->point[k].time, (double)front->point[k].energy / front->units_per_joule,
                                      total_energy(front, k), front->point[k].active};
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
    if (front->distribution == NULL)
        SCALAY_TRY(scalay_solve_min_energy(problem, nextafter(front->point[k].time, INFINITY), &energy, &active,
                                           &distribution));
    SCALAY_TRY(scalay_problem_split(problem, &distribution));
    SCALAY_TRY(scalay_workload_make(problem, front->n,
                                    front->distribution == NULL ? &distribution : &front->distribution[k],
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
    if (front->distribution == NULL) SCALAY_TRY(scalay_problem_merge(&problem));
    SCALAY_TRY(solve_point(front, &problem, k, workload));
cleanup:
    scalay_problem_free(&problem);
    return status;
}

/* ------------------------------------------------------------------------------------------------------ selecting */

int64_t scalay_workload_front_within_time(const scalay_workload_front *front, double fraction)
{
    if (front == NULL || front->count == 0 || !(fraction >= 0.0)) return -1;
    const double limit = front->point[0].time * (1.0 + fraction);
    int64_t low = 0;
    int64_t high = front->count - 1;
    while (low < high) {
        const int64_t middle = high - (high - low) / 2;
        if (front->point[middle].time <= limit)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

int64_t scalay_workload_front_within_energy(const scalay_workload_front *front, double fraction)
{
    if (front == NULL || front->count == 0 || !(fraction >= 0.0)) return -1;
    const double limit = total_energy(front, front->count - 1) * (1.0 + fraction);
    int64_t low = 0;
    int64_t high = front->count - 1;
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
    if (front == NULL || front->count == 0) return -1;
    const int64_t last = front->count - 1;
    const double time = front->point[0].time;
    const double energy = total_energy(front, last);
    const double width = front->point[last].time - time;
    const double height = total_energy(front, 0) - energy;
    int64_t knee = 0;
    double furthest = 0.0;
    for (int64_t k = 1; k < last; k++) {
        const double below = 1.0 - (front->point[k].time - time) / width - (total_energy(front, k) - energy) / height;
        if (below <= furthest) continue;
        furthest = below;
        knee = k;
    }
    return knee;
}
