#ifndef SCALAY_IO_SCRIPT_H
#define SCALAY_IO_SCRIPT_H

/** @file A growing text. It remembers its first failure, so that many additions need one check. */

#include <stdint.h>

#include "core/status.h"

/** A text; zeroed at the start. */
typedef struct {
    char *text; /* NUL-terminated; NULL when nothing was added */
    int64_t length;
    int64_t capacity;
    scalay_status status; /* of everything added so far */
} scalay_script;

/** Adds as printf does. */
void scalay_script_add(scalay_script *script, const char *format, ...) SCALAY_PRINTF(2, 3);

/** Adds a text as a gnuplot string, in single quotes: whatever is in it is shown as it is, but for control characters
 * (blanks) and bytes that are not UTF-8 (question marks). */
void scalay_script_quote(scalay_script *script, const char *text);

/** Releases what a script holds; a zeroed one is fine. */
void scalay_script_free(scalay_script *script);

#endif
