#include "io/file.h"

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
