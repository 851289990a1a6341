/* Links as the caller describes them: defaults and checks. */
#include "partition/links.h"

#include <math.h>

scalay_links scalay_links_default(void)
{
    return (scalay_links){.mode = SCALAY_LINKS_SERIAL, .broadcast = SCALAY_BROADCAST_DIRECT};
}

static scalay_status check_value(const char *function, const char *name, int from, int to, double value)
{
    if (isfinite(value) && value >= 0.0) return SCALAY_SUCCESS;
    return scalay_fail(SCALAY_ERROR_ARGUMENT, function, "links->%s[%d][%d] = %g; it must be finite and at least 0",
                       name, from, to, value);
}

static scalay_status check_symmetry(const char *function, const char *name, int n, const double *matrix)
{
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < i; j++)
            if (matrix[i * n + j] != matrix[j * n + i])
                return scalay_fail(SCALAY_ERROR_ARGUMENT, function,
                                   "links->%s[%d][%d] = %.17g, but [%d][%d] = %.17g; make them equal, or do not ask "
                                   "for symmetric links or trees",
                                   name, (int)j, (int)i, matrix[j * n + i], (int)i, (int)j, matrix[i * n + j]);
    return SCALAY_SUCCESS;
}

static scalay_status check_matrix(const char *function, const char *name, int n, const double *matrix, int symmetric)
{
    scalay_status status = SCALAY_SUCCESS;
    if (matrix == NULL) return SCALAY_SUCCESS;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            if (i != j) SCALAY_TRY(check_value(function, name, i, j, matrix[(int64_t)i * n + j]));
    if (symmetric) SCALAY_TRY(check_symmetry(function, name, n, matrix));
cleanup:
    return status;
}

static scalay_status check_extent(const char *function, const scalay_links *links, int parts)
{
    int any =
        links->seconds_per_element != NULL || links->seconds_per_message != NULL || links->joules_per_element != NULL;
    if (links->processors < 0 || (links->processors == 0 && any))
        return scalay_fail(SCALAY_ERROR_ARGUMENT, function,
                           "links->processors = %d; it must be the extent of the arrays, or 0 without any",
                           links->processors);
    if (links->processors > 0 && links->processors < parts)
        return scalay_fail(SCALAY_ERROR_ARGUMENT, function,
                           "links->processors = %d for %d parts; there must be a processor for every part",
                           links->processors, parts);
    return SCALAY_SUCCESS;
}

static scalay_status check_choices(const char *function, const scalay_links *links)
{
    int mode = (int)links->mode;
    int broadcast = (int)links->broadcast;
    if (mode < SCALAY_LINKS_SERIAL || mode > SCALAY_LINKS_ONE_PORT)
        return scalay_fail(SCALAY_ERROR_ARGUMENT, function, "links->mode = %d; it must be 0 to %d", mode,
                           SCALAY_LINKS_ONE_PORT);
    if (broadcast < SCALAY_BROADCAST_DIRECT || broadcast > SCALAY_BROADCAST_RELAY)
        return scalay_fail(SCALAY_ERROR_ARGUMENT, function, "links->broadcast = %d; it must be 0 to %d", broadcast,
                           SCALAY_BROADCAST_RELAY);
    return SCALAY_SUCCESS;
}

scalay_status scalay_links_check(const char *function, const scalay_links *links, int parts)
{
    scalay_status status = SCALAY_SUCCESS;
    if (links == NULL) return SCALAY_SUCCESS;
    SCALAY_TRY(check_choices(function, links));
    SCALAY_TRY(check_extent(function, links, parts));
    const int n = links->processors;
    const int trees = links->broadcast != SCALAY_BROADCAST_DIRECT;
    SCALAY_TRY(check_matrix(function, "seconds_per_element", n, links->seconds_per_element, links->symmetric || trees));
    SCALAY_TRY(check_matrix(function, "seconds_per_message", n, links->seconds_per_message, links->symmetric));
    SCALAY_TRY(check_matrix(function, "joules_per_element", n, links->joules_per_element, links->symmetric || trees));
cleanup:
    return status;
}
