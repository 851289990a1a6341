/* Communicators: creation, references, message tags, agreement on one status.

   A scalay_comm owns a duplicate of the caller's communicator, so that messages of the library and of the caller cannot
   match each other. Objects hold references; the last reference frees the duplicate.

   Agreement costs one MPI_Allreduce: status and values travel in one struct, reduced by an operation of its own. Only
   after a failure does a broadcast distribute the message. */
#include "parallel/comm.h"

#include <limits.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "base/kept_memory.h"
#include "base/memory.h"
#include "parallel/blacs.h"
#include "parallel/cache.h"
#include "parallel/node.h"
#include "parallel/requests.h"

enum { TAGS = 32000 }; /* MPI guarantees tags up to 32767 */

static _Atomic int comms_live;
static _Atomic int mpi_failures;

int scalay_comms_live(void)
{
    return comms_live;
}

static int mpi_is_active(void)
{
    int initialized = 0, finalized = 0;
    MPI_Initialized(&initialized);
    MPI_Finalized(&finalized);
    return initialized && !finalized;
}

int scalay_mpi_failures(void)
{
    return mpi_failures;
}

scalay_status scalay_mpi_check(int code, const char *function, const char *call)
{
    if (code == MPI_SUCCESS) return SCALAY_SUCCESS;
    mpi_failures++;
    char text[MPI_MAX_ERROR_STRING] = "unknown error";
    int length = 0;
    MPI_Error_string(code, text, &length);
    return scalay_fail(SCALAY_ERROR_MPI, function, "%.60s failed: %.300s", call, text);
}

/* ------------------------------------------------------------------------------------------- agreement */

/* A scalay_agreement in transit. */
typedef struct {
    int64_t failing_rank; /* INT_MAX: none */
    scalay_agreement values;
} ballot;

static void combine_ballots(const ballot *in, ballot *inout)
{
    const scalay_agreement *a = &in->values;
    scalay_agreement *b = &inout->values;
    if (in->failing_rank < inout->failing_rank) inout->failing_rank = in->failing_rank;
    for (size_t k = 0; k < sizeof a->maximum / sizeof *a->maximum; k++)
        if (a->maximum[k] > b->maximum[k]) b->maximum[k] = a->maximum[k];
    for (size_t k = 0; k < sizeof a->sum / sizeof *a->sum; k++) b->sum[k] += a->sum[k];
    for (size_t k = 0; k < sizeof a->any / sizeof *a->any; k++) b->any[k] |= a->any[k];
}

/* An MPI_User_function. */
static void reduce_ballots(void *in, void *inout, int *count, MPI_Datatype *type)
{
    (void)type;
    for (int k = 0; k < *count; k++) combine_ballots((const ballot *)in + k, (ballot *)inout + k);
}

static scalay_status create_reduction(scalay_comm *comm)
{
    scalay_status status = SCALAY_SUCCESS;
    comm->agree_op = MPI_OP_NULL;
    comm->agree_type = MPI_DATATYPE_NULL;
    SCALAY_TRY_MPI(MPI_Type_contiguous((int)sizeof(ballot), MPI_BYTE, &comm->agree_type));
    SCALAY_TRY_MPI(MPI_Type_commit(&comm->agree_type));
    SCALAY_TRY_MPI(MPI_Op_create(reduce_ballots, 1, &comm->agree_op));
cleanup:
    return status;
}

static void free_reduction(scalay_comm *comm)
{
    if (comm->agree_op != MPI_OP_NULL) MPI_Op_free(&comm->agree_op);
    if (comm->agree_type != MPI_DATATYPE_NULL) MPI_Type_free(&comm->agree_type);
}

/* Checks the call by which a rank tells the others its status. A failure before it remains the status of the rank. */
static scalay_status check_agreement(int code, scalay_status own_status, const char *function, const char *call)
{
    if (code == MPI_SUCCESS || own_status == SCALAY_SUCCESS) return scalay_mpi_check(code, function, call);
    mpi_failures++;
    return own_status;
}

/* Broadcasts the status and the message of the lowest failing rank. */
static scalay_status broadcast_failure(scalay_comm *comm, int failing_rank, scalay_status own_status)
{
    scalay_status status = SCALAY_SUCCESS;
    struct {
        int status;
        char text[SCALAY_MESSAGE_SIZE];
    } failure = {(int)own_status, ""};
    if (comm->rank == failing_rank) (void)snprintf(failure.text, sizeof failure.text, "%s", scalay_error_message());
    SCALAY_TRY(check_agreement(MPI_Bcast(&failure, (int)sizeof failure, MPI_BYTE, failing_rank, comm->mpi), own_status,
                               __func__, "MPI_Bcast"));
    if (comm->rank != failing_rank) {
        char text[SCALAY_MESSAGE_SIZE];
        (void)snprintf(text, sizeof text, "rank %d: %.480s", failing_rank, failure.text);
        scalay_set_message(text);
    }
    status = (scalay_status)failure.status;
cleanup:
    return status;
}

scalay_status scalay_comm_agree(scalay_comm *comm, scalay_status own_status)
{
    scalay_status status = SCALAY_SUCCESS;
    const int candidate = own_status == SCALAY_SUCCESS ? INT_MAX : comm->rank;
    int failing_rank = INT_MAX;
    SCALAY_TRY(check_agreement(MPI_Allreduce(&candidate, &failing_rank, 1, MPI_INT, MPI_MIN, comm->mpi), own_status,
                               __func__, "MPI_Allreduce"));
    if (failing_rank != INT_MAX) status = broadcast_failure(comm, failing_rank, own_status);
cleanup:
    return status;
}

/* The values are equal if and only if max(value) is the complement of max(complement of value). */
scalay_status scalay_comm_agree_value(scalay_comm *comm, uint64_t value, const char *function, const char *what)
{
    scalay_status status = SCALAY_SUCCESS;
    const uint64_t own[2] = {value, ~value};
    uint64_t maximum[2] = {0, 0};
    SCALAY_TRY_MPI(MPI_Allreduce(own, maximum, 2, MPI_UINT64_T, MPI_MAX, comm->mpi));
    if (maximum[0] != ~maximum[1])
        status =
            scalay_fail(SCALAY_ERROR_MISMATCH, function, "the ranks disagree about %s; it must be equal on all", what);
cleanup:
    return status;
}

scalay_status scalay_comm_agree_on(scalay_comm *comm, scalay_status own_status, scalay_agreement *values)
{
    scalay_status status = SCALAY_SUCCESS;
    ballot own = {own_status == SCALAY_SUCCESS ? INT_MAX : comm->rank, *values}, all;
    SCALAY_TRY(check_agreement(MPI_Allreduce(&own, &all, 1, comm->agree_type, comm->agree_op, comm->mpi), own_status,
                               __func__, "MPI_Allreduce"));
    *values = all.values;
    if (all.failing_rank != INT_MAX) status = broadcast_failure(comm, (int)all.failing_rank, own_status);
cleanup:
    return status;
}

/* ---------------------------------------------------------------------------------------------- create */

static scalay_status check_communicator(MPI_Comm mpi)
{
    static const char function[] = "scalay_comm_create";
    int is_intercommunicator = 0;
    if (!mpi_is_active())
        return scalay_fail(SCALAY_ERROR_ARGUMENT, function,
                           "MPI is not active. Call this function between MPI_Init and MPI_Finalize.");
    if (mpi == MPI_COMM_NULL)
        return scalay_fail(SCALAY_ERROR_ARGUMENT, function,
                           "mpi is MPI_COMM_NULL; it must be a communicator that contains this process");
    MPI_Comm_test_inter(mpi, &is_intercommunicator);
    if (is_intercommunicator)
        return scalay_fail(SCALAY_ERROR_ARGUMENT, function,
                           "mpi is an intercommunicator; it must be an intracommunicator. Use MPI_Intercomm_merge.");
    return SCALAY_SUCCESS;
}

/* Duplicates the communicator and agrees on the status of the ranks with one call: ranks with a failure do not join the
   new communicator, so its size tells the others. */
static scalay_status split_off(MPI_Comm mpi, scalay_status own_status, scalay_comm *comm)
{
    scalay_status status = SCALAY_SUCCESS;
    int rank = 0, size = 0;
    MPI_Comm duplicate = MPI_COMM_NULL;
    SCALAY_TRY_MPI(MPI_Comm_rank(mpi, &rank));
    SCALAY_TRY_MPI(MPI_Comm_size(mpi, &size));
    SCALAY_TRY(check_agreement(MPI_Comm_split(mpi, own_status == SCALAY_SUCCESS ? 0 : MPI_UNDEFINED, rank, &duplicate),
                               own_status, __func__, "MPI_Comm_split"));
    if (own_status != SCALAY_SUCCESS) return own_status;
    MPI_Comm_set_errhandler(duplicate, MPI_ERRORS_RETURN);
    MPI_Comm_size(duplicate, &comm->size);
    if (comm->size < size) {
        MPI_Comm_free(&duplicate);
        return scalay_fail(SCALAY_ERROR_MEMORY, "scalay_comm_create", "another rank has no memory");
    }
    comm->mpi = duplicate;
    comm->rank = rank;
    comm->references = 1;
    comm->mpi_failures = mpi_failures;
    if (MPI_Comm_get_errhandler(mpi, &comm->handler) != MPI_SUCCESS) comm->handler = MPI_ERRHANDLER_NULL;
    atomic_flag_clear(&comm->busy);
cleanup:
    return status;
}

scalay_status scalay_comm_create(MPI_Comm mpi, scalay_comm **comm)
{
    scalay_status status = scalay_check_not_null(comm, __func__, "comm");
    if (status != SCALAY_SUCCESS) return status;
    *comm = NULL;
    status = check_communicator(mpi);
    if (status != SCALAY_SUCCESS) return status;
    scalay_comm *new_comm = NULL;
    status = SCALAY_NEW(new_comm, 1);
    if (status == SCALAY_SUCCESS) status = create_reduction(new_comm);
    SCALAY_TRY(split_off(mpi, status, new_comm));
    comms_live++;
    *comm = new_comm;
    new_comm = NULL;
cleanup:
    if (new_comm != NULL) free_reduction(new_comm);
    scalay_release(new_comm);
    return status;
}

scalay_status scalay_comm_create_f(MPI_Fint mpi, scalay_comm **comm)
{
    if (!mpi_is_active())
        return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT,
                           "MPI is not active. Call this function between MPI_INIT and MPI_FINALIZE.");
    return scalay_comm_create(MPI_Comm_f2c(mpi), comm);
}

scalay_status scalay_comm_create_blacs(int ctxt, scalay_comm **comm)
{
    const int what = BLACS_CONTEXT_COMMUNICATOR;
    int nprow = -1, npcol = -1, myrow = -1, mycol = -1, handle = 0;
    scalay_status status = scalay_check_not_null(comm, __func__, "comm");
    if (status != SCALAY_SUCCESS) return status;
    *comm = NULL;
    if (!mpi_is_active())
        return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT,
                           "MPI is not active. Call this function between MPI_Init and MPI_Finalize.");
    if (ctxt == -1) return SCALAY_SUCCESS;
    if (ctxt >= 0) Cblacs_gridinfo(ctxt, &nprow, &npcol, &myrow, &mycol);
    if (nprow < 1)
        return SCALAY_FAIL(SCALAY_ERROR_ARGUMENT, "ctxt is %d; it must be a BLACS context, or -1 outside the context",
                           ctxt);
    blacs_get_(&ctxt, &what, &handle);
    return scalay_comm_create(MPI_Comm_f2c((MPI_Fint)handle), comm);
}

void scalay_comm_destroy(scalay_comm **comm)
{
    if (comm == NULL || *comm == NULL) return;
    scalay_comm *old_comm = *comm;
    *comm = NULL;
    if (old_comm->references - 1 > scalay_cache_references(old_comm)) {
        old_comm->references--;
        return;
    }
    const int is_whole = mpi_is_active() && !scalay_comm_is_broken(old_comm);
    if (mpi_is_active()) scalay_cache_free(old_comm);
    if (--old_comm->references > 0) return;
    if (is_whole) {
        scalay_grids_free(old_comm);
        scalay_node_free(old_comm);
        free_reduction(old_comm);
        if (old_comm->handler != MPI_ERRHANDLER_NULL) (void)MPI_Errhandler_free(&old_comm->handler);
        MPI_Comm_free(&old_comm->mpi);
    } else { /* the objects of MPI are lost; local memory is released */
        scalay_node_abandon(old_comm);
    }
    if (--comms_live == 0) scalay_kept_memory_release();
    scalay_release(old_comm->machine_numbers);
    scalay_requests_release(!old_comm->is_waiting, old_comm);
}

scalay_comm *scalay_comm_retain(scalay_comm *comm)
{
    comm->references++;
    return comm;
}

/* --------------------------------------------------------------------------------------------- queries */

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
