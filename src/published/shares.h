#ifndef SCALAY_PUBLISHED_SHARES_H
#define SCALAY_PUBLISHED_SHARES_H

/** @file Shares that a baseline wants to give, whether or not the profile lists them. */

#include "published/published.h"

/**
 * As scalay_distribution_add(), but SCALAY_ERROR_UNSUPPORTED when the group does not list the size: a rule that looks
 * at no other size has no answer then, though there may be a distribution.
 */
scalay_status scalay_share_add(const char *method, const scalay_problem *problem, int group, int64_t index,
                               int64_t count, scalay_distribution *distribution);

#endif
