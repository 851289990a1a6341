#define _XOPEN_SOURCE 700
#include "base/locale.h"

#include <locale.h>

scalay_status scalay_locale_enter(scalay_locale *locale)
{
    locale_t c = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (c == (locale_t)0)
        return SCALAY_FAIL(SCALAY_ERROR_MEMORY,
                           "no memory for the locale \"C\", in which numbers are read and written");
    locale->c = (void *)c;
    locale->before = (void *)uselocale(c);
    return SCALAY_SUCCESS;
}

void scalay_locale_leave(scalay_locale *locale)
{
    if (locale->c == NULL) return;
    uselocale((locale_t)locale->before);
    freelocale((locale_t)locale->c);
    locale->c = NULL;
}
