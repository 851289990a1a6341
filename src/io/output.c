#define _XOPEN_SOURCE 700
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/memory.h"
#include "io/file.h"

enum { NAME_SIZE = PATH_MAX + 64, ATTEMPTS = 100 };

static scalay_status cannot_write(const char *path, const char *remedy)
{
    return SCALAY_FAIL(SCALAY_ERROR_FILE, "cannot write '%.200s': %s; %s", path, strerror(errno), remedy);
}

/* What the file will replace: nothing, or a regular file that may be written; symbolic links are followed. */
static scalay_status find_target(const char *path, char *target, mode_t *mode)
{
    struct stat facts;
    *mode = 0;
    if (strlen(path) >= PATH_MAX)
        return SCALAY_FAIL(SCALAY_ERROR_FILE, "the name '%.100s...' has %zu bytes; use at most %d", path, strlen(path),
                           PATH_MAX - 1);
    (void)snprintf(target, NAME_SIZE, "%s", path);
    if (stat(path, &facts) != 0) {
        if (errno != ENOENT) return cannot_write(path, "check the name and its permissions");
        if (lstat(path, &facts) != 0) return SCALAY_SUCCESS;
        return SCALAY_FAIL(SCALAY_ERROR_FILE,
                           "cannot write '%.200s': it is a symbolic link to a file that is not there; remove the link",
                           path);
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

/* Makes an empty file of a name of its own beside the target, with the target's permissions. */
static scalay_status make_temporary(const char *path, const char *target, mode_t mode, char *temporary)
{
    int descriptor = -1;
    for (int attempt = 0; attempt < ATTEMPTS && descriptor < 0; attempt++) {
        (void)snprintf(temporary, NAME_SIZE, "%s.%ld-%d.tmp", target, (long)getpid(), attempt);
        descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL, 0666);
        if (descriptor < 0 && errno != EEXIST) break;
    }
    if (descriptor < 0) {
        temporary[0] = '\0';
        return cannot_write(path, "check that its folder exists and that you may write there");
    }
    if (mode != 0) (void)fchmod(descriptor, mode);
    close(descriptor);
    return SCALAY_SUCCESS;
}

/* Both names by rank 0. */
static scalay_status name_output(scalay_output *output, const char *path)
{
    mode_t mode = 0;
    scalay_status status = SCALAY_SUCCESS;
    if (output->file.comm->rank != 0) return SCALAY_SUCCESS;
    SCALAY_TRY(find_target(path, output->target, &mode));
    status = make_temporary(path, output->target, mode, output->temporary);
cleanup:
    return status;
}

static void abandon(scalay_output *output)
{
    int removes = output->file.comm->rank == 0 && output->temporary != NULL && output->temporary[0] != '\0';
    if (removes) (void)unlink(output->temporary);
    scalay_release(output->target);
    scalay_release(output->temporary);
    output->target = NULL;
    output->temporary = NULL;
}

static scalay_status allocate_names(scalay_output *output)
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(SCALAY_NEW(output->target, NAME_SIZE));
    SCALAY_TRY(SCALAY_NEW(output->temporary, NAME_SIZE));
cleanup:
    return status;
}

scalay_status scalay_output_begin(scalay_comm *comm, const char *path, scalay_output *output)
{
    scalay_status status = SCALAY_SUCCESS;
    *output = (scalay_output){
        .file = {.comm = comm, .path = path, .handle = MPI_FILE_NULL, .bytes = 0, .chunk = SCALAY_FILE_CHUNK}};
    SCALAY_TRY(scalay_comm_agree(comm, allocate_names(output)));
    SCALAY_TRY(scalay_comm_agree(comm, name_output(output, path)));
    SCALAY_TRY_MPI(MPI_Bcast(output->temporary, NAME_SIZE, MPI_CHAR, 0, comm->mpi));
    int code = MPI_File_open(comm->mpi, output->temporary, MPI_MODE_WRONLY, MPI_INFO_NULL, &output->file.handle);
    status = scalay_comm_agree(comm, scalay_file_check(code, path, "open the temporary file of"));
cleanup:
    if (status != SCALAY_SUCCESS) {
        output->file.handle = MPI_FILE_NULL; /* as in scalay_file_open() */
        abandon(output);
    }
    return status;
}

/* Everything is on disk, as far as the system tells: only now does the name change. */
static scalay_status take_name(const scalay_output *output, int64_t bytes)
{
    struct stat facts;
    const char *path = output->file.path;
    if (output->file.comm->rank != 0) return SCALAY_SUCCESS;
    if (stat(output->temporary, &facts) != 0) return cannot_write(path, "its temporary file has gone; write again");
    if ((int64_t)facts.st_size != bytes)
        return SCALAY_FAIL(SCALAY_ERROR_FILE,
                           "cannot write '%.200s': %lld of %lld bytes have reached the disk; check room and quota",
                           path, (long long)facts.st_size, (long long)bytes);
    if (rename(output->temporary, output->target) != 0)
        return cannot_write(path, "check that you may write to its folder");
    output->temporary[0] = '\0';
    return SCALAY_SUCCESS;
}

scalay_status scalay_output_end(scalay_output *output, scalay_status mine, int64_t bytes)
{
    scalay_comm *comm = output->file.comm;
    scalay_status status = scalay_comm_agree(comm, mine);
    if (status == SCALAY_SUCCESS) {
        int code = MPI_File_sync(output->file.handle);
        status = scalay_comm_agree(comm, scalay_file_check(code, output->file.path, "write"));
    }
    scalay_status closed = scalay_file_close(&output->file);
    if (status == SCALAY_SUCCESS) status = scalay_comm_agree(comm, closed);
    if (status == SCALAY_SUCCESS) status = scalay_comm_agree(comm, take_name(output, bytes));
    abandon(output);
    return status;
}
