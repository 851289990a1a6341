/*
 * Profiles from tables and functions: scalay_profile_table(), _constant_speed(), _piecewise_linear(), _function().
 *
 * Each of them adds the points of one group to a draft, which checks and sorts them (draft.c).
 */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/number.h"
#include "profile/draft.h"

/* ---------------------------------------------------------------------------------------------------- arguments */

static scalay_status check_group(const char *function, const char *name, int64_t count, scalay_profile **profile)
{
    char shown[80];
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(scalay_check_not_null(profile, function, "profile"));
    *profile = NULL;
    SCALAY_TRY(scalay_check_not_null(name, function, "name"));
    const char *remedy = scalay_profile_name_remedy(name);
    if (remedy != NULL)
        return scalay_fail(SCALAY_ERROR_ARGUMENT, function, "name is '%s'; %s",
                           scalay_printable(name, (int64_t)strlen(name), shown, sizeof shown), remedy);
    if (count < 1)
        return scalay_fail(SCALAY_ERROR_ARGUMENT, function, "count is %lld; it must be at least 1", (long long)count);
cleanup:
    return status;
}

static scalay_status check_lists(const char *function, int64_t points, const int64_t *size, const double *time)
{
    if (points < 1)
        return scalay_fail(SCALAY_ERROR_ARGUMENT, function, "points is %lld; it must be at least 1", (long long)points);
    const scalay_status status = scalay_check_not_null(size, function, "size");
    return status == SCALAY_SUCCESS ? scalay_check_not_null(time, function, "time") : status;
}

static scalay_status check_largest(const char *function, int64_t largest)
{
    if (largest >= 1) return SCALAY_SUCCESS;
    return scalay_fail(SCALAY_ERROR_ARGUMENT, function, "largest is %lld; it must be at least 1", (long long)largest);
}

static scalay_status check_value(const scalay_profile_draft *draft, int column, int64_t origin, double value)
{
    char text[SCALAY_DRAFT_ORIGIN_SIZE];
    if (isfinite(value) && value >= 0.0) return SCALAY_SUCCESS;
    return scalay_fail(SCALAY_ERROR_ARGUMENT, draft->function, "%s is %g; it must be finite and at least 0",
                       scalay_draft_origin_text(draft, column, origin, text), value);
}

/* Checks a point and adds it to the only group. -0 becomes 0. */
static scalay_status add_point(scalay_profile_draft *draft, int64_t origin, int64_t size, double time, double energy)
{
    scalay_status status = SCALAY_SUCCESS;
    char text[SCALAY_DRAFT_ORIGIN_SIZE];
    if (size < 1)
        return scalay_fail(SCALAY_ERROR_ARGUMENT, draft->function, "%s is %lld; it must be at least 1",
                           scalay_draft_origin_text(draft, COLUMN_SIZE, origin, text), (long long)size);
    scalay_draft_point point = {.size = size, .time = fabs(time), .energy = fabs(energy), .origin = origin};
    SCALAY_TRY(check_value(draft, COLUMN_TIME, origin, time));
    if (draft->has_energy) {
        SCALAY_TRY(check_value(draft, COLUMN_ENERGY, origin, energy));
        scalay_decimal joules = scalay_decimal_shortest(point.energy);
        point.digits = joules.digits;
        point.exponent = joules.exponent;
    }
    SCALAY_TRY(scalay_draft_add_point(draft, &point));
cleanup:
    return status;
}

/* --------------------------------------------------------------------------------------------------- functions */

/* A group whose points come from a function of the index or of the size. */
typedef struct {
    const char *function;
    const char *name;
    int64_t count;
    int64_t points; /* number of calls of `add` */
    int has_energy;
    scalay_draft_origin origin;
    scalay_status (*add)(scalay_profile_draft *draft, int64_t k, void *context); /* k = 1 .. points */
    void *context;
} group_source;

/* Adds all points to a draft. Decimal energies need C's locale. */
static scalay_status collect(const group_source *source, scalay_profile_draft *draft)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_locale locale = {0};
    *draft = (scalay_profile_draft){
        .function = source->function, .origin = source->origin, .has_energy = source->has_energy};
    SCALAY_TRY(scalay_locale_enter(&locale));
    /* Reserves all memory first, so that a size that is too large fails at once. */
    SCALAY_TRY(SCALAY_NEW(draft->point, source->points));
    draft->point_capacity = source->points;
    SCALAY_TRY(scalay_draft_add_group(draft, source->name, source->count));
    for (int64_t k = 1; k <= source->points; k++) SCALAY_TRY(source->add(draft, k, source->context));
cleanup:
    scalay_locale_leave(&locale);
    return status;
}

static scalay_status build_group(const group_source *source, scalay_profile **profile)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_profile_draft draft;
    SCALAY_TRY(collect(source, &draft));
    SCALAY_TRY(scalay_draft_build(&draft, profile));
cleanup:
    scalay_draft_free(&draft);
    return status;
}

typedef struct {
    int64_t points;
    const int64_t *size;
    const double *time;
    const double *energy;
} point_lists;

static scalay_status add_listed(scalay_profile_draft *draft, int64_t k, void *context)
{
    const point_lists *lists = context;
    double energy = lists->energy != NULL ? lists->energy[k - 1] : 0.0;
    return add_point(draft, k - 1, lists->size[k - 1], lists->time[k - 1], energy);
}

scalay_status scalay_profile_table(const char *name, int64_t count, int64_t points, const int64_t *size,
                                   const double *time, const double *energy, scalay_profile **profile)
{
    scalay_status status = SCALAY_SUCCESS;
    point_lists lists = {points, size, time, energy};
    const group_source source = {__func__, name, count, points, energy != NULL, ORIGIN_INDEX, add_listed, &lists};
    SCALAY_TRY(check_group(__func__, name, count, profile));
    SCALAY_TRY(check_lists(__func__, points, size, time));
    SCALAY_TRY(build_group(&source, profile));
cleanup:
    return status;
}

/* Rounds to a microjoule if a double can represent microjoules of this magnitude. */
static double round_energy(double joules)
{
    return fabs(joules) < 9e9 ? nearbyint(joules * 1e6) / 1e6 : joules;
}

typedef struct {
    double speed;
    double power;
} constant_rates;

static scalay_status add_constant(scalay_profile_draft *draft, int64_t k, void *context)
{
    const constant_rates *rates = context;
    double time = (double)k / rates->speed;
    return add_point(draft, k, k, time, draft->has_energy ? round_energy(rates->power * time) : 0.0);
}

scalay_status scalay_profile_constant_speed(const char *name, int64_t count, int64_t largest, double speed,
                                            double power, scalay_profile **profile)
{
    scalay_status status = SCALAY_SUCCESS;
    constant_rates rates = {speed, power};
    const group_source source = {__func__, name, count, largest, power >= 0.0, ORIGIN_SIZE, add_constant, &rates};
    SCALAY_TRY(check_group(__func__, name, count, profile));
    SCALAY_TRY(check_largest(__func__, largest));
    if (!(speed > 0.0) || !isfinite(speed))
        return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "speed is %g; it must be positive and finite", speed);
    if (!isfinite(power))
        return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "power is %g; it must be finite. Negative: energies are not known",
                           power);
    SCALAY_TRY(build_group(&source, profile));
cleanup:
    return status;
}

/* -------------------------------------------------------------------------------------------- piecewise linear */

/* A piecewise linear function. */
typedef struct {
    const scalay_draft_point *node; /* sorted by size */
    int64_t next;                   /* the first node that is at least the current size */
} linear_function;

static const scalay_draft_point origin_point = {0};

static scalay_status add_linear(scalay_profile_draft *draft, int64_t k, void *context)
{
    linear_function *linear = context;
    while (linear->node[linear->next].size < k) linear->next++;
    const scalay_draft_point *to = &linear->node[linear->next];
    const scalay_draft_point *from = linear->next > 0 ? to - 1 : &origin_point;
    if (k == to->size) return add_point(draft, k, k, to->time, round_energy(to->energy));
    double share = (double)(k - from->size) / (double)(to->size - from->size);
    double energy = from->energy + (to->energy - from->energy) * share;
    return add_point(draft, k, k, from->time + (to->time - from->time) * share, round_energy(energy));
}

scalay_status scalay_profile_piecewise_linear(const char *name, int64_t count, int64_t points, const int64_t *size,
                                              const double *time, const double *energy, scalay_profile **profile)
{
    scalay_status status = SCALAY_SUCCESS;
    point_lists lists = {points, size, time, energy};
    const group_source nodes = {__func__, name, count, points, energy != NULL, ORIGIN_INDEX, add_listed, &lists};
    scalay_profile_draft draft = {0};
    SCALAY_TRY(check_group(__func__, name, count, profile));
    SCALAY_TRY(check_lists(__func__, points, size, time));
    SCALAY_TRY(collect(&nodes, &draft));
    SCALAY_TRY(scalay_draft_sort(&draft));
    linear_function linear = {draft.point, 0};
    const group_source source = {__func__,       name,        count,      draft.point[points - 1].size,
                                 energy != NULL, ORIGIN_SIZE, add_linear, &linear};
    SCALAY_TRY(build_group(&source, profile));
cleanup:
    scalay_draft_free(&draft);
    return status;
}

/* ------------------------------------------------------------------------------------------------- callbacks */

typedef struct {
    scalay_profile_callback call;
    void *context;
} callback_pair;

static scalay_status add_result(scalay_profile_draft *draft, int64_t k, void *context)
{
    const callback_pair *callback = context;
    double time = 0.0;
    double energy = 0.0;
    if (callback->call(k, &time, &energy, callback->context) == 0) return SCALAY_SUCCESS;
    return add_point(draft, k, k, time, draft->has_energy ? energy : 0.0);
}

scalay_status scalay_profile_function(const char *name, int64_t count, int64_t largest,
                                      scalay_profile_callback callback, void *context, int has_energy,
                                      scalay_profile **profile)
{
    scalay_status status = SCALAY_SUCCESS;
    callback_pair pair = {callback, context};
    const group_source source = {__func__, name, count, largest, has_energy != 0, ORIGIN_SIZE, add_result, &pair};
    SCALAY_TRY(check_group(__func__, name, count, profile));
    SCALAY_TRY(check_largest(__func__, largest));
    if (callback == NULL) return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "callback is NULL; it must be a function");
    SCALAY_TRY(build_group(&source, profile));
cleanup:
    return status;
}
