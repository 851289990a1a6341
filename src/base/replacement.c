/*
 * Atomic replacement of a file by rename(2): a reader sees the old file or the complete new one. The temporary file
 * lies in the folder of the target, because rename() does not cross file systems.
 */
#define _XOPEN_SOURCE 700
#include "base/replacement.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/text.h"

enum { NAME_SIZE = SCALAY_REPLACEMENT_NAME_SIZE, ATTEMPTS = 100 };
_Static_assert(NAME_SIZE >= PATH_MAX + 64, "realpath() needs PATH_MAX bytes; the temporary name is longer");

static scalay_status cannot_write(const char *path, const char *remedy)
{
    return scalay_fail(SCALAY_ERROR_FILE, "", "cannot write '%.200s': %s; %s", path, strerror(errno), remedy);
}

scalay_status scalay_replacement_fail(const scalay_replacement *replacement, const char *remedy)
{
    return cannot_write(replacement->path, remedy);
}

scalay_status scalay_replacement_allocate(const char *path, scalay_replacement *replacement)
{
    scalay_status status = SCALAY_SUCCESS;
    *replacement = (scalay_replacement){.path = path};
    SCALAY_TRY(SCALAY_NEW(replacement->target, NAME_SIZE));
    SCALAY_TRY(SCALAY_NEW(replacement->temporary, NAME_SIZE));
cleanup:
    return status;
}

/* Resolves symbolic links. *mode is the mode of the existing file, or 0 if there is none. */
static scalay_status find_target(const char *path, char *target, mode_t *mode)
{
    struct stat facts;
    size_t length = strlen(path);
    *mode = 0;
    if (length >= PATH_MAX)
        return SCALAY_FAIL(SCALAY_ERROR_FILE, "the name '%.100s...' has %zu bytes; it must have at most %d", path,
                           length, PATH_MAX - 1);
    memcpy(target, path, length + 1);
    if (stat(path, &facts) != 0) {
        if (errno != ENOENT) return cannot_write(path, "check the name and its permissions");
        if (lstat(path, &facts) != 0) return SCALAY_SUCCESS;
        return SCALAY_FAIL(SCALAY_ERROR_FILE,
                           "cannot write '%.200s': it is a symbolic link to a missing file; remove the link", path);
    }
    if (!S_ISREG(facts.st_mode))
        return SCALAY_FAIL(SCALAY_ERROR_FILE, "cannot write '%.200s': it is %s; name a regular file", path,
                           S_ISDIR(facts.st_mode) ? "a folder" : "not a regular file");
    int descriptor = open(path, O_WRONLY);
    if (descriptor < 0) return cannot_write(path, "check its permissions");
    close(descriptor);
    *mode = facts.st_mode & 0777;
    if (realpath(path, target) == NULL) return cannot_write(path, "check the name and its permissions");
    return SCALAY_SUCCESS;
}

/* Creates an empty file with a unique name in the folder of the target, with the permissions of the target. */
static scalay_status make_temporary(const char *path, const char *target, mode_t mode, char *temporary)
{
    int descriptor = -1;
    for (int attempt = 0; attempt < ATTEMPTS && descriptor < 0; attempt++) {
        scalay_text text = {temporary, NAME_SIZE, 0};
        scalay_text_append(&text, "%s.%ld-%d.tmp", target, (long)getpid(), attempt);
        descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL, 0666);
        if (descriptor < 0 && errno != EEXIST) break;
    }
    if (descriptor < 0) {
        temporary[0] = '\0';
        return cannot_write(path, "check that its folder exists and may be written");
    }
    if (mode != 0) (void)fchmod(descriptor, mode);
    close(descriptor);
    return SCALAY_SUCCESS;
}

scalay_status scalay_replacement_begin(scalay_replacement *replacement)
{
    mode_t mode = 0;
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(find_target(replacement->path, replacement->target, &mode));
    status = make_temporary(replacement->path, replacement->target, mode, replacement->temporary);
cleanup:
    return status;
}

scalay_status scalay_replacement_commit(scalay_replacement *replacement, int64_t bytes)
{
    struct stat facts;
    const char *path = replacement->path;
    if (stat(replacement->temporary, &facts) != 0)
        return cannot_write(path, "its temporary file has disappeared; write again");
    if ((int64_t)facts.st_size != bytes)
        return scalay_fail(SCALAY_ERROR_FILE, "",
                           "cannot write '%.200s': %lld of %lld bytes were written; check free space and quota", path,
                           (long long)facts.st_size, (long long)bytes);
    if (rename(replacement->temporary, replacement->target) != 0)
        return cannot_write(path, "check the permissions of its folder");
    replacement->temporary[0] = '\0';
    return SCALAY_SUCCESS;
}

void scalay_replacement_remove(const scalay_replacement *replacement)
{
    if (replacement->temporary != NULL && replacement->temporary[0] != '\0') (void)unlink(replacement->temporary);
}

void scalay_replacement_release(scalay_replacement *replacement)
{
    scalay_release(replacement->target);
    scalay_release(replacement->temporary);
    *replacement = (scalay_replacement){0};
}

/* Writes and synchronises the bytes. Without fsync() the renamed file could be empty after a power failure. */
static scalay_status fill(const scalay_replacement *names, const char *text, int64_t bytes)
{
    int file = open(names->temporary, O_WRONLY);
    int64_t written = 0;
    ssize_t step = 1;
    if (file < 0) return scalay_replacement_fail(names, "check its permissions");
    while (written < bytes && step > 0) {
        step = write(file, text + written, (size_t)(bytes - written));
        if (step > 0) written += step;
    }
    int synced = written == bytes && fsync(file) == 0;
    if (!synced) {
        scalay_status status = scalay_replacement_fail(names, "check free space and quota");
        (void)close(file);
        return status;
    }
    return close(file) == 0 ? SCALAY_SUCCESS : scalay_replacement_fail(names, "check free space and quota");
}

scalay_status scalay_replacement_write(const char *path, const char *text, int64_t bytes)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_replacement names = {0};
    SCALAY_TRY(scalay_replacement_allocate(path, &names));
    SCALAY_TRY(scalay_replacement_begin(&names));
    SCALAY_TRY(fill(&names, text, bytes));
    SCALAY_TRY(scalay_replacement_commit(&names, bytes));
cleanup:
    scalay_replacement_remove(&names);
    scalay_replacement_release(&names);
    return status;
}

scalay_status scalay_replacement_check(const char *path)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_replacement names = {0};
    SCALAY_TRY(scalay_replacement_allocate(path, &names));
    SCALAY_TRY(scalay_replacement_begin(&names));
cleanup:
    scalay_replacement_remove(&names);
    scalay_replacement_release(&names);
    return status;
}
