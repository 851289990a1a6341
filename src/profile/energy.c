#include "profile/draft.h"

#include <stdio.h>
#include <string.h>

/* "energy[3] = 0.1234567": the place of an energy with its value. */
static const char *describe(const scalay_profile_draft *draft, const scalay_draft_point *point, char *text)
{
    char number[SCALAY_DECIMAL_SIZE];
    (void)scalay_decimal_print((scalay_decimal){point->digits, point->exponent}, number);
    scalay_text whole = {text, SCALAY_DRAFT_PLACE_SIZE, 0};
    whole.length = (int64_t)strlen(scalay_draft_place(draft, COLUMN_ENERGY, point->origin, text));
    scalay_text_append(&whole, "%s%s", draft->origin == ORIGIN_LINE ? " is " : " = ", number);
    return text;
}

/* The same, shorter: the other point of the same file. */
static const char *describe_other(const scalay_profile_draft *draft, const scalay_draft_point *point, char *text)
{
    char number[SCALAY_DECIMAL_SIZE];
    if (draft->origin != ORIGIN_LINE) return describe(draft, point, text);
    (void)scalay_decimal_print((scalay_decimal){point->digits, point->exponent}, number);
    (void)snprintf(text, SCALAY_DRAFT_PLACE_SIZE, "line %lld's %s", (long long)point->origin, number);
    return text;
}

static int places_of(const scalay_draft_point *point)
{
    return scalay_decimal_places((scalay_decimal){point->digits, point->exponent});
}

scalay_status scalay_draft_energy_digits(const scalay_profile_draft *draft, int *digits)
{
    char place[SCALAY_DRAFT_PLACE_SIZE];
    char other[SCALAY_DRAFT_PLACE_SIZE];
    const scalay_draft_point *finest = draft->point;
    int64_t units = 0;
    for (int64_t k = 0; k < draft->points; k++)
        if (places_of(&draft->point[k]) > places_of(finest)) finest = &draft->point[k];
    *digits = places_of(finest);
    if (*digits > SCALAY_PROFILE_MOST_DIGITS)
        return scalay_fail(SCALAY_ERROR_RANGE, draft->function,
                           "%s: it has %d decimal places, and energies at most %d; round it",
                           describe(draft, finest, place), *digits, SCALAY_PROFILE_MOST_DIGITS);
    for (int64_t k = 0; k < draft->points; k++) {
        const scalay_draft_point *point = &draft->point[k];
        if (scalay_decimal_scale((scalay_decimal){point->digits, point->exponent}, *digits, SCALAY_PROFILE_MOST_UNITS,
                                 &units))
            continue;
        return scalay_fail(SCALAY_ERROR_RANGE, draft->function,
                           "%s: more than 2^53 units of 1e-%d J, the unit that %s needs; round the energies, to "
                           "microjoules for instance",
                           describe(draft, point, place), *digits, describe_other(draft, finest, other));
    }
    return SCALAY_SUCCESS;
}
