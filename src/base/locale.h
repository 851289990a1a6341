#ifndef SCALAY_BASE_LOCALE_H
#define SCALAY_BASE_LOCALE_H

/** @file Numbers in files have a decimal point, whatever the program's locale says; for the calling thread only. */

#include "base/status.h"

/** What the thread's locale was. */
typedef struct {
    void *before;
    void *c;
} scalay_locale;

/** Switches the calling thread to C's numbers. */
scalay_status scalay_locale_enter(scalay_locale *locale);

/** Switches back; a zeroed locale is fine. */
void scalay_locale_leave(scalay_locale *locale);

#endif
