#ifndef SCALAY_BASE_REPLACEMENT_H
#define SCALAY_BASE_REPLACEMENT_H

/** @file Atomic replacement of a file: it is written under a temporary name and renamed when it is complete. */

#include <stdint.h>

#include "base/status.h"

/** Size of a file name, including the NUL. */
#define SCALAY_REPLACEMENT_NAME_SIZE (4096 + 64)

/** Names of a file that is being replaced. */
typedef struct {
    const char *path; /* as given by the caller, for messages */
    char *target;     /* shape [SCALAY_REPLACEMENT_NAME_SIZE]: the path with symbolic links resolved */
    char *temporary;  /* shape [SCALAY_REPLACEMENT_NAME_SIZE]: in the folder of the target; "": no such file */
} scalay_replacement;

/** Allocates the names for `path`. Release them with scalay_replacement_release(), also on failure. */
scalay_status scalay_replacement_allocate(const char *path, scalay_replacement *replacement);

/** Creates an empty temporary file. The path must name a regular file that may be written, or no file. */
scalay_status scalay_replacement_begin(scalay_replacement *replacement);

/** Renames the temporary file to its target. Fails if its length is not `bytes`. */
scalay_status scalay_replacement_commit(scalay_replacement *replacement, int64_t bytes);

/** Removes the temporary file, if it exists. */
void scalay_replacement_remove(const scalay_replacement *replacement);

/** Releases the names. A zeroed replacement is allowed. */
void scalay_replacement_release(scalay_replacement *replacement);

/** Replaces a file by a text of `bytes` bytes, synchronised to disk. On failure the old file is unchanged. */
scalay_status scalay_replacement_write(const char *path, const char *text, int64_t bytes);

/** Checks that scalay_replacement_begin() would succeed, and leaves no file behind. */
scalay_status scalay_replacement_check(const char *path);

/** Fails with SCALAY_ERROR_FILE, the reason in errno and a remedy. */
scalay_status scalay_replacement_fail(const scalay_replacement *replacement, const char *remedy);

#endif
