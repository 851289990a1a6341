#include "parallel/comm.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "parallel/node.h"

enum { TAGS = 32000 }; /* MPI promises 32767 */

static int comms_live;

int scalay_comms_live(void)
{
    return comms_live;
}

static int mpi_is_up(void)
{
    int started = 0, finished = 0;
    MPI_Initialized(&started);
    MPI_Finalized(&finished);
    return started && !finished;
}

static scalay_status check_communicator(MPI_Comm mpi)
{
    if (!mpi_is_up())
        return scalay_fail(SCALAY_ERROR_ARGUMENT, "scalay_comm_create",
                           "MPI is not running; call it between MPI_Init and MPI_Finalize");
    if (mpi == MPI_COMM_NULL)
        return scalay_fail(SCALAY_ERROR_ARGUMENT, "scalay_comm_create",
                           "mpi is MPI_COMM_NULL; pass a communicator this rank belongs to");
    int inter = 0;
    MPI_Comm_test_inter(mpi, &inter);
    if (inter)
        return scalay_fail(SCALAY_ERROR_ARGUMENT, "scalay_comm_create",
                           "mpi is an intercommunicator; merge it with MPI_Intercomm_merge first");
    return SCALAY_SUCCESS;
}

scalay_status scalay_comm_create(MPI_Comm mpi, scalay_comm **comm)
{
    scalay_status status = SCALAY_SUCCESS;
    if (comm == NULL) return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "comm is NULL; pass the address of a scalay_comm *");
    *comm = NULL;
    SCALAY_TRY(check_communicator(mpi));

    /* The duplicate comes first: without it there is nothing to agree on. */
    MPI_Comm duplicate;
    SCALAY_TRY_MPI(MPI_Comm_dup(mpi, &duplicate));
    MPI_Comm_set_errhandler(duplicate, MPI_ERRORS_RETURN);
    scalay_comm lonely = {.mpi = duplicate};
    MPI_Comm_rank(duplicate, &lonely.rank);
    MPI_Comm_size(duplicate, &lonely.size);
    lonely.references = 1;
    lonely.blacs_handle = -1;

    scalay_comm *made = NULL;
    status = scalay_comm_agree(&lonely, SCALAY_NEW(made, 1));
    if (status != SCALAY_SUCCESS) {
        scalay_release(made);
        MPI_Comm_free(&duplicate);
        goto cleanup;
    }
    *made = lonely;
    comms_live++;
    *comm = made;
cleanup:
    return status;
}

scalay_status scalay_comm_create_f(MPI_Fint mpi, scalay_comm **comm)
{
    if (!mpi_is_up())
        return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "MPI is not running; call it between MPI_INIT and MPI_FINALIZE");
    return scalay_comm_create(MPI_Comm_f2c(mpi), comm);
}

void scalay_comm_destroy(scalay_comm **comm)
{
    if (comm == NULL || *comm == NULL) return;
    scalay_comm *going = *comm;
    *comm = NULL;
    if (--going->references > 0) return;
    if (mpi_is_up()) {
        scalay_grids_free(going);
        scalay_node_free(going);
        MPI_Comm_free(&going->mpi);
    }
    comms_live--;
    scalay_release(going);
}

scalay_comm *scalay_comm_retain(scalay_comm *comm)
{
    comm->references++;
    return comm;
}

int scalay_comm_rank(const scalay_comm *comm)
{
    return comm != NULL ? comm->rank : -1;
}

int scalay_comm_size(const scalay_comm *comm)
{
    return comm != NULL ? comm->size : 0;
}

MPI_Comm scalay_comm_handle(const scalay_comm *comm)
{
    return comm != NULL ? comm->mpi : MPI_COMM_NULL;
}

MPI_Fint scalay_comm_handle_f(const scalay_comm *comm)
{
    return MPI_Comm_c2f(scalay_comm_handle(comm));
}

int scalay_comm_tag(scalay_comm *comm)
{
    int tag = comm->next_tag;
    comm->next_tag = (tag + 1) % TAGS;
    return tag;
}

scalay_status scalay_mpi_check(int code, const char *function, const char *call)
{
    if (code == MPI_SUCCESS) return SCALAY_SUCCESS;
    char text[MPI_MAX_ERROR_STRING] = "unknown error";
    int length = 0;
    MPI_Error_string(code, text, &length);
    return scalay_fail(SCALAY_ERROR_MPI, function, "%.60s failed: %.300s", call, text);
}

/* The lowest failing rank tells the others what went wrong there. */
static scalay_status share_failure(scalay_comm *comm, int teller, scalay_status mine)
{
    scalay_status status = SCALAY_SUCCESS;
    struct {
        int status;
        char text[SCALAY_MESSAGE_SIZE];
    } said = {(int)mine, ""};
    if (comm->rank == teller) (void)snprintf(said.text, sizeof said.text, "%s", scalay_error_message());
    SCALAY_TRY_MPI(MPI_Bcast(&said, (int)sizeof said, MPI_BYTE, teller, comm->mpi));
    if (comm->rank != teller) {
        char text[SCALAY_MESSAGE_SIZE];
        (void)snprintf(text, sizeof text, "rank %d: %.480s", teller, said.text);
        scalay_set_message(text);
    }
    status = (scalay_status)said.status;
cleanup:
    return status;
}

scalay_status scalay_comm_agree(scalay_comm *comm, scalay_status mine)
{
    scalay_status status = SCALAY_SUCCESS;
    int candidate = mine == SCALAY_SUCCESS ? INT_MAX : comm->rank;
    int teller = INT_MAX;
    SCALAY_TRY_MPI(MPI_Allreduce(&candidate, &teller, 1, MPI_INT, MPI_MIN, comm->mpi));
    if (teller != INT_MAX) status = share_failure(comm, teller, mine);
cleanup:
    return status;
}

scalay_status scalay_comm_agree_value(scalay_comm *comm, uint64_t value, const char *function, const char *what)
{
    scalay_status status = SCALAY_SUCCESS;
    uint64_t mine[2] = {value, ~value};
    uint64_t most[2] = {0, 0};
    SCALAY_TRY_MPI(MPI_Allreduce(mine, most, 2, MPI_UINT64_T, MPI_MAX, comm->mpi));
    if (most[0] != ~most[1])
        status = scalay_fail(SCALAY_ERROR_MISMATCH, function,
                             "the ranks disagree about %s; pass the same on every rank", what);
cleanup:
    return status;
}
