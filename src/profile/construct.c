#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/number.h"
#include "profile/draft.h"

/* ---------------------------------------------------------------------------------------------------- arguments */

static scalay_status check_group(const char *function, const char *name, int64_t count, scalay_profile **profile)
{
    char shown[80];
    if (profile == NULL) return scalay_fail(SCALAY_ERROR_ARGUMENT, function, "profile is NULL; pass where to put it");
    *profile = NULL;
    if (name == NULL) return scalay_fail(SCALAY_ERROR_ARGUMENT, function, "name is NULL; give the group a name");
    const char *remedy = scalay_profile_name_remedy(name);
    if (remedy != NULL)
        return scalay_fail(SCALAY_ERROR_ARGUMENT, function, "name = '%s': %s",
                           scalay_printable(name, (int64_t)strlen(name), shown, sizeof shown), remedy);
    if (count < 1)
        return scalay_fail(SCALAY_ERROR_ARGUMENT, function, "count = %lld; it must be at least 1", (long long)count);
    return SCALAY_SUCCESS;
}

static scalay_status check_lists(const char *function, int64_t points, const int64_t *size, const double *time)
{
    if (points < 1)
        return scalay_fail(SCALAY_ERROR_ARGUMENT, function, "points = %lld; it must be at least 1", (long long)points);
    if (size == NULL || time == NULL)
        return scalay_fail(SCALAY_ERROR_ARGUMENT, function, "%s is NULL; pass %lld of them",
                           size == NULL ? "size" : "time", (long long)points);
    return SCALAY_SUCCESS;
}

static scalay_status check_largest(const char *function, int64_t largest)
{
    if (largest >= 1) return SCALAY_SUCCESS;
    return scalay_fail(SCALAY_ERROR_ARGUMENT, function, "largest = %lld; it must be at least 1", (long long)largest);
}

static scalay_status check_value(const scalay_profile_draft *draft, int column, int64_t origin, double value)
{
    char place[SCALAY_DRAFT_PLACE_SIZE];
    if (isfinite(value) && value >= 0.0) return SCALAY_SUCCESS;
    return scalay_fail(SCALAY_ERROR_ARGUMENT, draft->function, "%s = %g; it must be finite and at least 0",
                       scalay_draft_place(draft, column, origin, place), value);
}

/* Adds a point of the only group, whose numbers are checked. -0 is 0. */
static scalay_status add_point(scalay_profile_draft *draft, int64_t origin, int64_t size, double time, double energy)
{
    scalay_status status = SCALAY_SUCCESS;
    char place[SCALAY_DRAFT_PLACE_SIZE];
    if (size < 1)
        return scalay_fail(SCALAY_ERROR_ARGUMENT, draft->function, "%s = %lld; it must be at least 1",
                           scalay_draft_place(draft, COLUMN_SIZE, origin, place), (long long)size);
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

/* A group whose points come from a function of the index or the size. */
typedef struct {
    const char *function;
    const char *name;
    int64_t count;
    int64_t points; /* 1 .. points are asked for */
    int has_energy;
    scalay_draft_origin origin;
    scalay_status (*add)(scalay_profile_draft *draft, int64_t k, void *context); /* adds the k-th, or none */
    void *context;
} group_source;

/* All points, with decimal energies: in C's locale. */
static scalay_status collect(const group_source *source, scalay_profile_draft *draft)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_locale locale = {0};
    *draft = (scalay_profile_draft){
        .function = source->function, .origin = source->origin, .has_energy = source->has_energy};
    SCALAY_TRY(scalay_locale_enter(&locale));
    /* All at once: what cannot be held fails now, not when the memory is full. */
    SCALAY_TRY(SCALAY_NEW(draft->point, source->points));
    draft->point_room = source->points;
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

/* To a microjoule, as long as a double has them. */
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
        return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "speed = %g; it must be positive and finite", speed);
    if (!isfinite(power))
        return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "power = %g; it must be finite, negative when it is not known",
                           power);
    SCALAY_TRY(build_group(&source, profile));
cleanup:
    return status;
}

/* -------------------------------------------------------------------------------------------- piecewise linear */

/* The corners of a function, by size; `next` is the first at or behind the size at hand. */
typedef struct {
    const scalay_draft_point *corner;
    int64_t next;
} linear_function;

static const scalay_draft_point nothing = {0};

static scalay_status add_linear(scalay_profile_draft *draft, int64_t k, void *context)
{
    linear_function *linear = context;
    while (linear->corner[linear->next].size < k) linear->next++; /* sizes ascend: it goes along */
    const scalay_draft_point *to = &linear->corner[linear->next];
    const scalay_draft_point *from = linear->next > 0 ? to - 1 : &nothing;
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
    const group_source corners = {__func__, name, count, points, energy != NULL, ORIGIN_INDEX, add_listed, &lists};
    scalay_profile_draft draft = {0};
    SCALAY_TRY(check_group(__func__, name, count, profile));
    SCALAY_TRY(check_lists(__func__, points, size, time));
    SCALAY_TRY(collect(&corners, &draft));
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

static scalay_status add_answer(scalay_profile_draft *draft, int64_t k, void *context)
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
    const group_source source = {__func__, name, count, largest, has_energy != 0, ORIGIN_SIZE, add_answer, &pair};
    SCALAY_TRY(check_group(__func__, name, count, profile));
    SCALAY_TRY(check_largest(__func__, largest));
    if (callback == NULL) return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "callback is NULL; pass a function");
    SCALAY_TRY(build_group(&source, profile));
cleanup:
    return status;
}
