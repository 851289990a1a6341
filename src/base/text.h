#ifndef SCALAY_BASE_TEXT_H
#define SCALAY_BASE_TEXT_H

/** @file Text in and out: integers read strictly, bytes made fit for messages, copies, text cut where an array ends. */

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

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

/** The bytes, 1 to 4, of the UTF-8 character that a terminated text begins with; 0 at its end and where it has none. */
int scalay_text_character(const char *text);

/** Copies a text of which some bytes may not be UTF-8: those become '?'. Cut between characters where text[size] is
 * full, then ended by "..."; terminated; size is at least 4. Returns copy. */
const char *scalay_text_clean(const char *text, char *copy, size_t size);

/** Makes a copy of a text; to be released with scalay_release(). */
scalay_status scalay_text_copy(const char *text, char **copy);

/** A text under way; start with {text, size, 0}. */
typedef struct {
    char *text;     /* shape [size]; may be NULL when size is 0 */
    size_t size;    /* in bytes */
    int64_t length; /* of all that was appended, whether it fitted or not */
} scalay_text;

/** Appends, as snprintf does: always NUL-terminated, never beyond size. */
void scalay_text_append(scalay_text *text, const char *format, ...) SCALAY_PRINTF(2, 3);

#endif
