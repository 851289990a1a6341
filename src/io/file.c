/*
 * A file that all ranks have open (MPI-IO), and a temporary file that replaces its target when it is complete.
 */
#define _XOPEN_SOURCE 700
#include "io/file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

scalay_status scalay_file_check_readable(const char *path, int64_t *bytes)
{
    /* Opened, not asked with access(): what counts is whether it can be read now, by this user. O_NONBLOCK: a pipe
     * without a writer would block. */
    struct stat facts;
    int descriptor = open(path, O_RDONLY | O_NONBLOCK);
    if (descriptor < 0)
        return SCALAY_FAIL(SCALAY_ERROR_FILE, "cannot open '%.200s': %s; check the name and its permissions", path,
                           strerror(errno));
    int failed = fstat(descriptor, &facts) != 0;
    close(descriptor);
    if (failed || !S_ISREG(facts.st_mode))
        return SCALAY_FAIL(SCALAY_ERROR_FILE, "'%.200s' is %s; name a regular file", path,
                           !failed && S_ISDIR(facts.st_mode) ? "a folder" : "not a regular file");
    *bytes = (int64_t)facts.st_size;
    return SCALAY_SUCCESS;
}

scalay_status scalay_file_check_same(const char *path, int64_t bytes)
{
    int64_t here = 0;
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(scalay_file_check_readable(path, &here));
    if (here != bytes)
        status = SCALAY_FAIL(SCALAY_ERROR_FILE,
                             "'%.200s' has %lld bytes here and %lld on rank 0; put it where all nodes see the same "
                             "file, and do not change it meanwhile",
                             path, (long long)here, (long long)bytes);
cleanup:
    return status;
}

scalay_status scalay_file_check(int code, const char *path, const char *what)
{
    if (code == MPI_SUCCESS) return SCALAY_SUCCESS;
    char text[MPI_MAX_ERROR_STRING] = "unknown error";
    int length = 0;
    MPI_Error_string(code, text, &length);
    for (char *at = text; *at != '\0'; at++)
        if (*at == '\n') *at = ' ';
    return SCALAY_FAIL(SCALAY_ERROR_FILE, "cannot %s '%.200s': %.150s; check room, quota and permissions", what, path,
                       text);
}

scalay_status scalay_file_open(scalay_comm *comm, const char *path, int64_t bytes, scalay_file *file)
{
    scalay_status status = SCALAY_SUCCESS;
    *file =
        (scalay_file){.comm = comm, .path = path, .handle = MPI_FILE_NULL, .bytes = bytes, .chunk = SCALAY_FILE_CHUNK};
    SCALAY_TRY(scalay_comm_agree(comm, scalay_file_check_same(path, bytes)));
    int code = MPI_File_open(comm->mpi, path, MPI_MODE_RDONLY, MPI_INFO_NULL, &file->handle);
    status = scalay_comm_agree(comm, scalay_file_check(code, path, "open"));
cleanup:
    /* Closing is collective: a rank that could open what another could not lets the handle go. */
    if (status != SCALAY_SUCCESS) file->handle = MPI_FILE_NULL;
    return status;
}

static scalay_status check_count(const scalay_file *file, MPI_Status *done, int64_t wanted, const char *what)
{
    int count = 0;
    MPI_Get_count(done, MPI_BYTE, &count);
    if (count == (int)wanted) return SCALAY_SUCCESS;
    return SCALAY_FAIL(SCALAY_ERROR_FILE,
                       "cannot %s '%.200s': only %d of %lld bytes went through; check room, quota and the disk", what,
                       file->path, count, (long long)wanted);
}

scalay_status scalay_file_read_all(const scalay_file *file, int64_t offset, int64_t count, void *buffer)
{
    MPI_Status done;
    scalay_status status =
        scalay_file_check(MPI_File_read_at_all(file->handle, (MPI_Offset)offset, buffer, (int)count, MPI_BYTE, &done),
                          file->path, "read");
    return status != SCALAY_SUCCESS || count == 0 ? status : check_count(file, &done, count, "read");
}

scalay_status scalay_file_read(const scalay_file *file, int64_t offset, int64_t count, void *buffer)
{
    MPI_Status done;
    if (count == 0) return SCALAY_SUCCESS;
    scalay_status status = scalay_file_check(
        MPI_File_read_at(file->handle, (MPI_Offset)offset, buffer, (int)count, MPI_BYTE, &done), file->path, "read");
    return status != SCALAY_SUCCESS ? status : check_count(file, &done, count, "read");
}

scalay_status scalay_file_write(const scalay_file *file, int64_t offset, int64_t count, const void *buffer)
{
    MPI_Status done;
    if (count == 0) return SCALAY_SUCCESS;
    scalay_status status = scalay_file_check(
        MPI_File_write_at(file->handle, (MPI_Offset)offset, buffer, (int)count, MPI_BYTE, &done), file->path, "write");
    return status != SCALAY_SUCCESS ? status : check_count(file, &done, count, "write");
}

scalay_status scalay_file_close(scalay_file *file)
{
    if (file->handle == MPI_FILE_NULL) return SCALAY_SUCCESS;
    int code = MPI_File_close(&file->handle);
    file->handle = MPI_FILE_NULL;
    return scalay_file_check(code, file->path, "close");
}

/* ------------------------------------------------------------------------------------- files that are written */

/* By rank 0, which alone names and renames. */
static scalay_status name_output(scalay_output *output)
{
    return output->file.comm->rank == 0 ? scalay_replacement_begin(&output->names) : SCALAY_SUCCESS;
}

static void abandon(scalay_output *output)
{
    if (output->file.comm->rank == 0) scalay_replacement_remove(&output->names);
    scalay_replacement_release(&output->names);
}

scalay_status scalay_output_begin(scalay_comm *comm, const char *path, scalay_output *output)
{
    scalay_status status = SCALAY_SUCCESS;
    *output = (scalay_output){
        .file = {.comm = comm, .path = path, .handle = MPI_FILE_NULL, .bytes = 0, .chunk = SCALAY_FILE_CHUNK}};
    SCALAY_TRY(scalay_comm_agree(comm, scalay_replacement_allocate(path, &output->names)));
    SCALAY_TRY(scalay_comm_agree(comm, name_output(output)));
    SCALAY_TRY_MPI(MPI_Bcast(output->names.temporary, SCALAY_REPLACEMENT_NAME_SIZE, MPI_CHAR, 0, comm->mpi));
    int code = MPI_File_open(comm->mpi, output->names.temporary, MPI_MODE_WRONLY, MPI_INFO_NULL, &output->file.handle);
    status = scalay_comm_agree(comm, scalay_file_check(code, path, "open the temporary file of"));
cleanup:
    if (status != SCALAY_SUCCESS) {
        output->file.handle = MPI_FILE_NULL; /* as in scalay_file_open() */
        abandon(output);
    }
    return status;
}

/* Everything is on disk, as far as the system tells: only now does the name change. */
static scalay_status take_name(scalay_output *output, int64_t bytes)
{
    return output->file.comm->rank == 0 ? scalay_replacement_commit(&output->names, bytes) : SCALAY_SUCCESS;
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
