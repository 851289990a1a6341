#ifndef SCALAY_BASE_REPLACEMENT_H
#define SCALAY_BASE_REPLACEMENT_H

/** @file A file that is written under a temporary name and takes its own when it is complete, or never appears. */

#include <stdint.h>

#include "base/status.h"

/** Room for the names, their NUL included. */
#define SCALAY_REPLACEMENT_NAME_SIZE (4096 + 64)

/** The names of a file in the making. */
typedef struct {
    const char *path; /* as the caller named it: for messages */
    char *target;     /* shape [SCALAY_REPLACEMENT_NAME_SIZE]: where it goes, symbolic links followed */
    char *temporary;  /* shape [SCALAY_REPLACEMENT_NAME_SIZE]: what it is called meanwhile; "": there is none */
} scalay_replacement;

/** Makes room for the names of a file that is to be `path`; to be released with scalay_replacement_release(). */
scalay_status scalay_replacement_allocate(const char *path, scalay_replacement *replacement);

/** Makes an empty temporary file beside what path names: nothing yet, or a regular file that may be written. */
scalay_status scalay_replacement_begin(scalay_replacement *replacement);

/** Gives the temporary file, which must have `bytes` bytes, its target's name. */
scalay_status scalay_replacement_commit(scalay_replacement *replacement, int64_t bytes);

/** Removes the temporary file, if there is one. */
void scalay_replacement_remove(const scalay_replacement *replacement);

/** Releases the names; zeroed is fine. */
void scalay_replacement_release(scalay_replacement *replacement);

/** Writes a text of `bytes` bytes so that the file has all of it, on the disk, or stays as it was. */
scalay_status scalay_replacement_write(const char *path, const char *text, int64_t bytes);

/** Fails with SCALAY_ERROR_FILE and the system's reason (errno). */
scalay_status scalay_replacement_fail(const scalay_replacement *replacement, const char *remedy);

#endif
