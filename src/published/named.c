/* Public calls of the published methods by name, and the table of the names. */
#include <math.h>
#include <string.h>

#include "base/text.h"
#include "profile/profile.h"
#include "published/published.h"
#include "scalay/published.h"
#include "workload/workload.h"

typedef struct {
    const char *name;
    scalay_published_objective objective;
    int one_group; /* 1: for identical processors only */
    /* a distribution; NULL: the method returns fronts */
    scalay_status (*distribute)(const scalay_problem *problem, scalay_distribution *distribution);
    /* a front; NULL: the method returns distributions */
    scalay_status (*front)(const scalay_problem *problem, double power, int64_t *count, scalay_point **point,
                           scalay_distribution **distribution);
} method;

static const method methods[] = {
    {"popta", SCALAY_OBJECTIVE_TIME, 1, scalay_popta, NULL},
    {"eopta", SCALAY_OBJECTIVE_ENERGY, 1, scalay_eopta, NULL},
    {"eopta-convex", SCALAY_OBJECTIVE_ENERGY, 1, scalay_eopta_convex, NULL},
    {"hpopta", SCALAY_OBJECTIVE_TIME, 0, scalay_hpopta, NULL},
    {"hipopta", SCALAY_OBJECTIVE_TIME, 0, scalay_hipopta, NULL},
    {"hepopta", SCALAY_OBJECTIVE_FRONT, 0, NULL, scalay_hepopta},
    {"htpopta", SCALAY_OBJECTIVE_TOTAL_FRONT, 0, NULL, scalay_htpopta},
    {"aleph", SCALAY_OBJECTIVE_FRONT, 1, NULL, scalay_aleph},
    {"even", SCALAY_OBJECTIVE_TIME, 0, scalay_even, NULL},
    {"cpm", SCALAY_OBJECTIVE_TIME, 0, scalay_cpm, NULL},
    {"fpm", SCALAY_OBJECTIVE_TIME, 0, scalay_fpm, NULL},
};

enum { METHODS = sizeof methods / sizeof *methods };

const char *scalay_published_methods(int k, scalay_published_objective *objective)
{
    if (k < 0 || k >= METHODS) return NULL;
    if (objective != NULL) *objective = methods[k].objective;
    return methods[k].name;
}

/* Fails with the names of the methods that return fronts, or distributions. */
static scalay_status fail_with_names(const char *function, const char *name, int of_fronts)
{
    char names[256] = "";
    char printable[64] = "";
    scalay_text text = {names, sizeof names, 0};
    for (int k = 0; k < METHODS; k++)
        if ((methods[k].front != NULL) == of_fronts)
            scalay_text_append(&text, "%s%s", text.length > 0 ? ", " : "", methods[k].name);
    return scalay_fail(SCALAY_ERROR_ARGUMENT, function, "method is \"%s\"; it must be one of %s",
                       scalay_printable(name, (int64_t)strlen(name), printable, sizeof printable), names);
}

static scalay_status find_method(const char *function, const scalay_profile *profile, const char *name, int of_fronts,
                                 const method **found)
{
    if (name == NULL) return scalay_fail(SCALAY_ERROR_ARGUMENT, function, "method is NULL: pass the name of a method");
    for (int k = 0; k < METHODS; k++) {
        if (strcmp(methods[k].name, name) != 0 || (methods[k].front != NULL) != of_fronts) continue;
        if (methods[k].one_group && profile->groups > 1)
            return scalay_fail(SCALAY_ERROR_UNSUPPORTED, function,
                               "method \"%s\" is for identical processors, but the profile has %d groups: use "
                               "\"auto\", or a profile of one group",
                               name, profile->groups);
        *found = &methods[k];
        return SCALAY_SUCCESS;
    }
    return fail_with_names(function, name, of_fronts);
}

scalay_status scalay_published_distribute(const scalay_profile *profile, int64_t n, const char *method_name,
                                          scalay_workload **workload)
{
    scalay_status status = SCALAY_SUCCESS;
    const method *found = NULL;
    scalay_problem problem = {0};
    scalay_distribution distribution = {0};
    if (workload == NULL) return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "workload is NULL: pass the address of a pointer");
    *workload = NULL;
    SCALAY_TRY(scalay_workload_check(__func__, profile, n));
    SCALAY_TRY(find_method(__func__, profile, method_name, 0, &found));
    const int energies = found->objective == SCALAY_OBJECTIVE_ENERGY;
    SCALAY_TRY(scalay_problem_create(__func__, profile, n, energies, &problem));
    SCALAY_TRY(scalay_published_named(__func__, found->distribute(&problem, &distribution)));
    SCALAY_TRY(scalay_workload_make(&problem, n, &distribution,
                                    energies ? SCALAY_MAKE_ENERGY_SMALL : SCALAY_MAKE_TIME_SMALL, found->name,
                                    workload));
cleanup:
    scalay_distribution_free(&distribution);
    scalay_problem_free(&problem);
    return status;
}

static scalay_status check_power(const char *function, const method *found, double base_power)
{
    if (!isfinite(base_power) || base_power < 0.0)
        return scalay_fail(SCALAY_ERROR_ARGUMENT, function, "base_power = %g: give finite watts of at least 0",
                           base_power);
    if (found->objective != SCALAY_OBJECTIVE_TOTAL_FRONT && base_power > 0.0)
        return scalay_fail(SCALAY_ERROR_ARGUMENT, function,
                           "base_power = %g, but method \"%s\" returns fronts of dynamic energy: give 0", base_power,
                           found->name);
    return SCALAY_SUCCESS;
}

scalay_status scalay_published_front(const scalay_profile *profile, int64_t n, double base_power,
                                     const char *method_name, scalay_workload_front **front)
{
    scalay_status status = SCALAY_SUCCESS;
    const method *found = NULL;
    scalay_problem problem = {0};
    scalay_front_points points = {0};
    double power = 0.0;
    if (front == NULL) return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "front is NULL: pass the address of a pointer");
    *front = NULL;
    SCALAY_TRY(scalay_workload_check(__func__, profile, n));
    SCALAY_TRY(find_method(__func__, profile, method_name, 1, &found));
    SCALAY_TRY(check_power(__func__, found, base_power));
    SCALAY_TRY(scalay_problem_create(__func__, profile, n, 1, &problem));
    if (found->objective == SCALAY_OBJECTIVE_FRONT) base_power = -1.0;
    SCALAY_TRY(scalay_front_power(__func__, &problem, base_power, &power));
    status = found->front(&problem, power, &points.count, &points.point, &points.distribution);
    SCALAY_TRY(scalay_published_named(__func__, status));
    SCALAY_TRY(scalay_front_make(&problem, n, base_power, found->name, &points, front));
cleanup:
    scalay_front_points_free(&points);
    scalay_problem_free(&problem);
    return status;
}
