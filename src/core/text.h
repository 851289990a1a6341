#ifndef SCALAY_CORE_TEXT_H
#define SCALAY_CORE_TEXT_H

/** @file Text in and out: integers read strictly, bytes made fit for messages, text cut where an array ends. */

#include <stddef.h>
#include <stdint.h>

#include "core/status.h"

/** What a text is as a number. */
typedef enum {
    SCALAY_NUMBER_FINE,
    SCALAY_NUMBER_BAD,  /* it is none */
    SCALAY_NUMBER_LARGE /* it does not fit */
} scalay_number_verdict;

/** Reads a whole text of `length` bytes of the form -?[0-9]+; *value is set when it is fine. */
scalay_number_verdict scalay_text_to_int64(const char *text, size_t length, int64_t *value);

/** Up to `length` bytes as printable text, the rest as '?', for messages; NUL-terminated in text[size]. Returns text.
 */
const char *scalay_printable(const char *bytes, int64_t length, char *text, size_t size);

/** A text under way; start with {text, size, 0}. */
typedef struct {
    char *text;     /* shape [size]; may be NULL when size is 0 */
    size_t size;    /* in bytes */
    int64_t length; /* of all that was appended, whether it fitted or not */
} scalay_text;

/** Appends, as snprintf does: always NUL-terminated, never beyond size. */
void scalay_text_append(scalay_text *text, const char *format, ...) SCALAY_PRINTF(2, 3);

#endif
