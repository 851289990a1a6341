#ifndef SCALAY_LAYOUT_TEXT_H
#define SCALAY_LAYOUT_TEXT_H

/** @file Text that is cut where the caller's array ends, and counted on. */

#include <stddef.h>
#include <stdint.h>

#include "core/status.h"

/** A text under way; start with {text, size, 0}. */
typedef struct {
    char *text;     /* shape [size]; may be NULL when size is 0 */
    size_t size;    /* in bytes */
    int64_t length; /* of all that was appended, whether it fitted or not */
} scalay_text;

/** Appends, as snprintf does: always NUL-terminated, never beyond size. */
void scalay_text_append(scalay_text *text, const char *format, ...) SCALAY_PRINTF(2, 3);

#endif
