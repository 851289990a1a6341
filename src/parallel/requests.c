/* Requests that are pending when a call of MPI has failed. */
#include "parallel/requests.h"

#include "base/memory.h"

scalay_status scalay_requests_create(int64_t count, MPI_Request **requests)
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(SCALAY_NEW(*requests, count));
    for (int64_t k = 0; k < count; k++) (*requests)[k] = MPI_REQUEST_NULL;
cleanup:
    return status;
}

/* Returns 1 if a request is complete. Persistent requests and those of failed calls are freed. */
static int is_complete(MPI_Request *request)
{
    int done = 0;
    const int code = MPI_Test(request, &done, MPI_STATUS_IGNORE);
    if (*request == MPI_REQUEST_NULL) return 1;
    if (code != MPI_SUCCESS || !done) return 0;
    (void)MPI_Request_free(request);
    return 1;
}

int scalay_requests_abandon(int64_t count, int64_t receives, MPI_Request *requests)
{
    int are_complete = 1;
    for (int64_t k = 0; k < count && requests != NULL; k++) {
        if (requests[k] == MPI_REQUEST_NULL || is_complete(&requests[k])) continue;
        if (k < receives) (void)MPI_Cancel(&requests[k]);
        if (k >= receives || !is_complete(&requests[k])) are_complete = 0;
    }
    return are_complete;
}

void scalay_requests_release(int is_unused, void *memory)
{
    if (is_unused)
        scalay_release(memory);
    else
        scalay_memory_leave(memory);
}
