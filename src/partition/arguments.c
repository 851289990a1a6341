/* What scalay_partition_create() may be given. */
#include <math.h>
#include <string.h>

#include "base/integer.h"
#include "base/text.h"
#include "partition/links.h"
#include "partition/partition.h"

#define REFUSE(status, ...) scalay_fail((status), "scalay_partition_create", __VA_ARGS__)

static scalay_status check_extents(int64_t m, int64_t n, int parts)
{
    int64_t elements;
    if (m < 1) return REFUSE(SCALAY_ERROR_ARGUMENT, "m = %lld; it must be at least 1", (long long)m);
    if (n < 1) return REFUSE(SCALAY_ERROR_ARGUMENT, "n = %lld; it must be at least 1", (long long)n);
    if (parts < 1) return REFUSE(SCALAY_ERROR_ARGUMENT, "parts = %d; it must be at least 1", parts);
    if (!scalay_multiply_int64(m, n, &elements))
        return REFUSE(SCALAY_ERROR_RANGE, "m = %lld, n = %lld: m * n exceeds 2^63 - 1; use larger units, such as tiles",
                      (long long)m, (long long)n);
    return SCALAY_SUCCESS;
}

static scalay_status check_areas(int64_t m, int64_t n, int parts, const double *area)
{
    int64_t positive = 0;
    if (area == NULL) return REFUSE(SCALAY_ERROR_ARGUMENT, "area is NULL; pass one area per part");
    for (int k = 0; k < parts; k++) {
        if (!isfinite(area[k]) || area[k] < 0.0)
            return REFUSE(SCALAY_ERROR_ARGUMENT, "area[%d] = %g; it must be finite and at least 0", k, area[k]);
        positive += area[k] > 0.0;
    }
    if (positive == 0) return REFUSE(SCALAY_ERROR_ARGUMENT, "all %d areas are 0; at least one must be positive", parts);
    if (positive > m * n)
        return REFUSE(SCALAY_ERROR_ARGUMENT,
                      "%lld parts have areas, but the %lld x %lld matrix has %lld elements; use fewer parts",
                      (long long)positive, (long long)m, (long long)n, (long long)(m * n));
    return SCALAY_SUCCESS;
}

static scalay_status check_numbers(const scalay_partition_options *options)
{
    if (options->tile < 1)
        return REFUSE(SCALAY_ERROR_ARGUMENT, "options->tile = %lld; it must be at least 1", (long long)options->tile);
    if (!isfinite(options->tolerance) || options->tolerance < 0.0)
        return REFUSE(SCALAY_ERROR_ARGUMENT, "options->tolerance = %g; it must be finite and at least 0",
                      options->tolerance);
    if (!isfinite(options->budget) || options->budget < 0.0)
        return REFUSE(SCALAY_ERROR_ARGUMENT, "options->budget = %g; it must be finite and at least 0 seconds",
                      options->budget);
    if (options->exact_counts != 0 && options->exact_counts != 1)
        return REFUSE(SCALAY_ERROR_ARGUMENT, "options->exact_counts = %d; it must be 0 or 1", options->exact_counts);
    return SCALAY_SUCCESS;
}

static scalay_status check_shape(const char *shape)
{
    char shown[40];
    if (shape == NULL) return SCALAY_SUCCESS;
    for (int k = 0; scalay_partition_shapes(k) != NULL; k++)
        if (strcmp(shape, scalay_partition_shapes(k)) == 0) return SCALAY_SUCCESS;
    return REFUSE(SCALAY_ERROR_ARGUMENT,
                  "options->shape = \"%s\" is none; use \"auto\" or another one that scalay_partition_shapes() names",
                  scalay_printable(shape, (int64_t)strlen(shape), shown, sizeof shown));
}

static scalay_status check_objective(const scalay_partition_options *options)
{
    const scalay_links *links = options->links;
    const int known = links != NULL && links->processors > 0;
    switch (options->objective) {
    case SCALAY_PARTITION_VOLUME:
        return SCALAY_SUCCESS;
    case SCALAY_PARTITION_TIME:
        if (known && links->seconds_per_element != NULL) return SCALAY_SUCCESS;
        return REFUSE(SCALAY_ERROR_ARGUMENT, "the objective is time, but options->links have no seconds_per_element");
    case SCALAY_PARTITION_ENERGY:
        if (known && links->joules_per_element != NULL) return SCALAY_SUCCESS;
        return REFUSE(SCALAY_ERROR_ARGUMENT, "the objective is energy, but options->links have no joules_per_element");
    }
    return REFUSE(SCALAY_ERROR_ARGUMENT, "options->objective = %d; use one of scalay_partition_objective",
                  (int)options->objective);
}

scalay_status scalay_partition_check(int64_t m, int64_t n, int parts, const double *area,
                                     const scalay_partition_options *options)
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(check_extents(m, n, parts));
    SCALAY_TRY(check_areas(m, n, parts, area));
    SCALAY_TRY(check_numbers(options));
    SCALAY_TRY(check_shape(options->shape));
    SCALAY_TRY(check_objective(options));
    SCALAY_TRY(scalay_links_check("scalay_partition_create", options->links, parts));
cleanup:
    return status;
}

void scalay_partition_scale(int64_t m, int64_t n, int parts, const double *area, double *scaled)
{
    const double elements = (double)m * (double)n;
    double largest = 0.0;
    double total = 0.0;
    int exponent;
    for (int k = 0; k < parts; k++) largest = fmax(largest, area[k]);
    (void)frexp(largest, &exponent);
    for (int k = 0; k < parts; k++) scaled[k] = ldexp(area[k], -exponent); /* the sum could overflow otherwise */
    for (int k = 0; k < parts; k++) total += scaled[k];
    int as_given = ldexp(total, exponent) == elements;
    for (int k = 0; k < parts; k++) scaled[k] = as_given ? area[k] : scaled[k] / total * elements;
}
