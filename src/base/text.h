#ifndef SCALAY_BASE_TEXT_H
#define SCALAY_BASE_TEXT_H

/** @file Text: integers, UTF-8, copies, a buffer of fixed size, and a string that grows. */

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

/** Result of reading a number from text. */
typedef enum {
    SCALAY_NUMBER_VALID,
    SCALAY_NUMBER_INVALID,  /* the text is not a number */
    SCALAY_NUMBER_TOO_LARGE /* the number does not fit its type */
} scalay_number_verdict;

/** Reads a whole text of `length` bytes of the form -?[0-9]+. Sets *value if the text is valid. */
scalay_number_verdict scalay_text_to_int64(const char *text, size_t length, int64_t *value);

/** Copies up to `length` bytes into text[size] for a message. Replaces bytes that are not printable ASCII by '?'. The
 *  copy is NUL-terminated. Returns text. */
const char *scalay_printable(const char *bytes, int64_t length, char *text, size_t size);

/** Returns the length, 1 to 4 bytes, of the UTF-8 character at the start of a NUL-terminated text. Returns 0 at the end
 *  of the text and for an invalid sequence. */
int scalay_text_character(const char *text);

/**
 * Copies a text as valid UTF-8. Replaces each invalid byte by '?'. If the copy does not fit, it is cut between two
 * characters and ends in "...".
 * @param[in]  text  NUL-terminated
 * @param[out] copy  shape [size], NUL-terminated
 * @param[in]  size  in bytes, at least 4
 * @return copy
 */
const char *scalay_text_clean(const char *text, char *copy, size_t size);

/** Allocates a copy of a text. Release it with scalay_release(). SCALAY_SUCCESS, SCALAY_ERROR_MEMORY. */
scalay_status scalay_text_copy(const char *text, char **copy);

/** A text in a buffer of fixed size. Initialise it as {text, size, 0}. */
typedef struct {
    char *text;     /* shape [size]; may be NULL if size is 0 */
    size_t size;    /* in bytes */
    int64_t length; /* of everything appended, including the part that did not fit */
} scalay_text;

/** Appends formatted text, like snprintf: the result is NUL-terminated and never exceeds the size. */
void scalay_text_append(scalay_text *text, const char *format, ...) SCALAY_PRINTF(2, 3);

/** A string that grows. A zeroed one is empty. It keeps its first failure, so that many calls need one check. */
typedef struct {
    char *text; /* NUL-terminated; NULL if nothing was appended */
    int64_t length;
    int64_t capacity;
    scalay_status status; /* the first failure */
} scalay_string;

/** Appends formatted text. Does nothing if an earlier call has failed. */
void scalay_string_append(scalay_string *string, const char *format, ...) SCALAY_PRINTF(2, 3);

/** Releases the memory of a string and empties it. A zeroed string is allowed. */
void scalay_string_free(scalay_string *string);

#endif
