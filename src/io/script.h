#ifndef SCALAY_IO_SCRIPT_H
#define SCALAY_IO_SCRIPT_H

/** @file Scripts for gnuplot. */

#include "base/text.h"

/** Adds a text as a gnuplot string, in single quotes: whatever is in it is shown as it is, but for control characters
 * (blanks) and bytes that are not UTF-8 (question marks). */
void scalay_script_quote(scalay_string *script, const char *text);

#endif
