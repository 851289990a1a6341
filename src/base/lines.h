#ifndef SCALAY_BASE_LINES_H
#define SCALAY_BASE_LINES_H

/** @file A text that grows. It remembers its first failure, so that many additions need one check. */

#include <stdint.h>

#include "base/status.h"

/** A text; zeroed, it is empty. */
typedef struct {
    char *text; /* NUL-terminated; NULL when nothing was added */
    int64_t length;
    int64_t room;
    scalay_status status; /* of everything added so far */
} scalay_lines;

/** Adds what a format makes. */
void scalay_lines_add(scalay_lines *lines, const char *format, ...) SCALAY_PRINTF(2, 3);

/** Releases what a text holds; zeroed is fine. */
void scalay_lines_free(scalay_lines *lines);

#endif
