/* Checks of the arguments that all questions share, and the table of published methods. */
#include <stddef.h>
#include <string.h>

#include "base/option_struct.h"
#include "base/text.h"
#include "profile/profile.h"
#include "published/published.h"
#include "workload/workload.h"

static const char AUTO[] = "auto";

void scalay_workload_options_init(scalay_workload_options *options, size_t size)
{
    const scalay_workload_options defaults = {.size = sizeof defaults};
    scalay_option_struct_fill(&defaults, sizeof defaults, options, size);
}

const char *scalay_workload_methods(int k)
{
    if (k == 0) return AUTO;
    for (int row = 0; scalay_workload_method_table[row].name != NULL; row++)
        if (row == k - 1) return scalay_workload_method_table[row].name;
    return NULL;
}

/* Fails with the names of the methods that solve this. */
static scalay_status fail_with_names(const char *function, const char *method, int solves)
{
    char names[256] = "";
    char printable[64] = "";
    scalay_text text = {names, sizeof names, 0};
    scalay_text_append(&text, "%s", AUTO);
    for (const scalay_workload_method *row = scalay_workload_method_table; row->name != NULL; row++)
        if (row->solves & solves) scalay_text_append(&text, ", %s", row->name);
    return scalay_fail(SCALAY_ERROR_ARGUMENT, function, "method = \"%s\" is not for this problem: choose one of %s",
                       scalay_printable(method, (int64_t)strlen(method), printable, sizeof printable), names);
}

static scalay_status find_method(const char *function, const scalay_profile *profile, int solves,
                                 scalay_workload_choice *choice)
{
    const char *wanted = choice->options.method;
    choice->method = NULL;
    choice->name = AUTO;
    if (wanted == NULL || strcmp(wanted, AUTO) == 0) return SCALAY_SUCCESS;
    for (const scalay_workload_method *row = scalay_workload_method_table; row->name != NULL; row++) {
        if (strcmp(row->name, wanted) != 0 || (row->solves & solves) == 0) continue;
        if (row->one_group && profile->groups > 1)
            return scalay_fail(SCALAY_ERROR_UNSUPPORTED, function,
                               "method = \"%s\" is for identical processors, but the profile has %d groups: use "
                               "\"auto\", or a profile of one group",
                               row->name, profile->groups);
        choice->method = row;
        choice->name = row->name;
        return SCALAY_SUCCESS;
    }
    return fail_with_names(function, wanted, solves);
}

/* Communication is charged by the exact solvers, to one objective. */
static scalay_status check_communication(const char *function, int solves, const scalay_workload_choice *choice)
{
    if (choice->options.variant != SCALAY_COMMUNICATION_EXACT &&
        choice->options.variant != SCALAY_COMMUNICATION_AT_MOST)
        return scalay_fail(SCALAY_ERROR_ARGUMENT, function,
                           "variant = %d: give SCALAY_COMMUNICATION_EXACT or SCALAY_COMMUNICATION_AT_MOST",
                           (int)choice->options.variant);
    if (choice->options.communication == NULL) return SCALAY_SUCCESS;
    if (solves & (SCALAY_SOLVES_FRONT | SCALAY_SOLVES_TOTAL_FRONT))
        return scalay_fail(SCALAY_ERROR_ARGUMENT, function,
                           "communication is given, but fronts go without: leave it NULL, or ask for the least time or "
                           "energy");
    if (choice->method != NULL)
        return scalay_fail(SCALAY_ERROR_ARGUMENT, function,
                           "communication is given, but method = \"%s\" goes without: use \"auto\"", choice->name);
    return SCALAY_SUCCESS;
}

scalay_status scalay_workload_choose(const char *function, const scalay_profile *profile, int64_t n,
                                     const scalay_workload_options *options, int solves, scalay_workload_choice *choice)
{
    scalay_status status = SCALAY_SUCCESS;
    if (profile == NULL)
        return scalay_fail(SCALAY_ERROR_ARGUMENT, function,
                           "profile is NULL: make one with scalay_profile_table() or "
                           "read it with scalay_profile_read()");
    if (n < 0) return scalay_fail(SCALAY_ERROR_ARGUMENT, function, "n = %lld: give at least 0 units", (long long)n);
    choice->options = scalay_workload_options_default();
    SCALAY_TRY(scalay_option_struct_read(options, &choice->options, sizeof choice->options, function));
    SCALAY_TRY(find_method(function, profile, solves, choice));
    SCALAY_TRY(check_communication(function, solves, choice));
cleanup:
    return status;
}

/* ---------------------------------------------------------------------------------------------------------- methods */

const scalay_workload_method scalay_workload_method_table[] = {
    {"popta", SCALAY_SOLVES_TIME, 1, scalay_popta, NULL},
    {"eopta", SCALAY_SOLVES_ENERGY, 1, scalay_eopta, NULL},
    {"hpopta", SCALAY_SOLVES_TIME, 0, scalay_hpopta, NULL},
    {"hipopta", SCALAY_SOLVES_TIME, 0, scalay_hipopta, NULL},
    {"hepopta", SCALAY_SOLVES_FRONT, 0, NULL, scalay_hepopta},
    {"htpopta", SCALAY_SOLVES_TOTAL_FRONT, 0, NULL, scalay_htpopta},
    {"aleph", SCALAY_SOLVES_FRONT, 1, NULL, scalay_aleph},
    {"even", SCALAY_SOLVES_TIME, 0, scalay_even, NULL},
    {"cpm", SCALAY_SOLVES_TIME, 0, scalay_cpm, NULL},
    {"fpm", SCALAY_SOLVES_TIME, 0, scalay_fpm, NULL},
    {NULL, 0, 0, NULL, NULL},
};
