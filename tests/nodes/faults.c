/* Calls of MPI that fail: each call that creation and execution of a plan, a product or a factorisation make returns an
   error in turn, on one rank or on all (PMPI). That rank returns SCALAY_ERROR_MPI with a message that names the call;
   destroying the objects afterwards makes no call of MPI that waits for other ranks, and leaves no memory.

   After the first error, the other ranks get errors too instead of waiting for a rank that will not come: a call that
   waits becomes one that polls a flag in shared memory. All ranks are on one machine.

   Arguments: the stride from one call to the next that fails (default 1: each), and the kinds (default: all). */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS, ftruncate */
#include <fcntl.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "nodes/calls.h"
#include "support/check.h"

/* ------------------------------------------------------------------------------------------------ injection */

enum { MAX_RANKS = 8 };

/* Memory of all ranks. No rank arrives after a call has failed, so all members of a communicator agree on whether all
   of them have arrived. */
typedef struct {
    _Atomic int lock;                               /* 1: held, to arrive or to let a call fail */
    _Atomic int broken;                             /* 1: a call has failed */
    _Atomic int arrived[1 << MAX_RANKS][MAX_RANKS]; /* by set of ranks: calls that each has arrived at */
} shared_state;

static shared_state *shared;
static int is_counting;        /* 1: the library runs */
static int64_t made, fails_at; /* calls so far; the one that fails on this rank, -1: none */
static const char *failed;     /* the first call that failed on this rank */
static int is_destroying, waited;
static MPI_Comm meeting; /* of all ranks in one run */

/* Calls that fall back to something else if they fail. */
static int is_optional(const char *name)
{
    return strcmp(name, "MPI_Win_allocate_shared") == 0;
}

static void lock_shared(void)
{
    while (atomic_exchange(&shared->lock, 1)) (void)sched_yield();
}

static void unlock_shared(void)
{
    atomic_store(&shared->lock, 0);
}

static void break_all(void)
{
    lock_shared();
    atomic_store(&shared->broken, 1);
    unlock_shared();
}

/* Returns the ranks of a communicator as bits. */
static int members_of(MPI_Comm comm)
{
    MPI_Group world, group;
    int size = 0, members = 0;
    PMPI_Comm_group(MPI_COMM_WORLD, &world);
    PMPI_Comm_group(comm, &group);
    PMPI_Group_size(group, &size);
    for (int k = 0; k < size; k++) {
        int rank = 0;
        PMPI_Group_translate_ranks(group, 1, &k, world, &rank);
        members |= 1 << rank;
    }
    PMPI_Group_free(&group);
    PMPI_Group_free(&world);
    return members;
}

/* Arrives. Returns the number of arrivals of this rank; 0: a call has failed before. */
static int count_arrival(int members)
{
    lock_shared();
    const int count =
        atomic_load(&shared->broken) ? 0 : atomic_fetch_add(&shared->arrived[members][check_rank()], 1) + 1;
    unlock_shared();
    return count;
}

static int all_arrived(int members, int count)
{
    for (int rank = 0; rank < MAX_RANKS; rank++)
        if (members >> rank & 1 && atomic_load(&shared->arrived[members][rank]) < count) return 0;
    return 1;
}

/* Returns 1 if another rank has failed, and records that this call fails therefore. */
static int is_broken(const char *name)
{
    if (!is_counting || !atomic_load(&shared->broken)) return 0;
    if (failed == NULL && !is_destroying) failed = name; /* NULL: optional */
    return 1;
}

/* Returns 1 if a call fails: it is its turn, or another has failed before, here or on another rank. */
static int fails(const char *name)
{
    if (!is_counting) return 0;
    if (is_destroying) return atomic_load(&shared->broken);
    const int is_next = made++ == fails_at;
    if (is_optional(name)) return is_next;
    if (is_next) break_all();
    return is_broken(name);
}

/* Waits for all ranks of a communicator. Returns 0 on all of them if a call has failed before all had arrived. */
static int arrive(const char *name, MPI_Comm comm)
{
    const int members = members_of(comm), count = count_arrival(members);
    for (;;) {
        const int is_final = count == 0 || atomic_load(&shared->broken); /* no other rank arrives afterwards */
        if (count > 0 && all_arrived(members, count)) return 1;
        if (is_final) break;
        (void)sched_yield();
    }
    (void)is_broken(name);
    return 0;
}

/* Returns 1 if a call that waits for other ranks fails. Otherwise all ranks of the communicator have arrived. */
static int fails_waiting(const char *name, MPI_Comm comm)
{
    if (!is_counting) return 0;
    if (is_destroying) {
        waited += failed != NULL;
        if (atomic_load(&shared->broken)) return 1;
    }
    return fails(name) || !arrive(name, comm);
}

#define LOCAL(name, parameters, arguments)                                                                             \
    SCALAY_API int name parameters                                                                                     \
    {                                                                                                                  \
        return fails(#name) ? MPI_ERR_OTHER : P##name arguments;                                                       \
    }
#define COLLECTIVE(name, parameters, arguments)                                                                        \
    SCALAY_API int name parameters                                                                                     \
    {                                                                                                                  \
        return fails_waiting(#name, comm) ? MPI_ERR_OTHER : P##name arguments;                                         \
    }

COLLECTIVE(MPI_Allreduce, (const void *in, void *out, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm),
           (in, out, count, type, op, comm))
COLLECTIVE(MPI_Bcast, (void *buffer, int count, MPI_Datatype type, int root, MPI_Comm comm),
           (buffer, count, type, root, comm))
COLLECTIVE(MPI_Allgather,
           (const void *in, int in_count, MPI_Datatype in_type, void *out, int out_count, MPI_Datatype out_type,
            MPI_Comm comm),
           (in, in_count, in_type, out, out_count, out_type, comm))
COLLECTIVE(MPI_Barrier, (MPI_Comm comm), (comm))
COLLECTIVE(MPI_Comm_split, (MPI_Comm comm, int color, int key, MPI_Comm *new_comm), (comm, color, key, new_comm))
COLLECTIVE(MPI_Comm_split_type, (MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm *new_comm),
           (comm, type, key, info, new_comm))
COLLECTIVE(MPI_Comm_dup, (MPI_Comm comm, MPI_Comm *new_comm), (comm, new_comm))

LOCAL(MPI_Type_contiguous, (int count, MPI_Datatype type, MPI_Datatype *new_type), (count, type, new_type))
LOCAL(MPI_Type_commit, (MPI_Datatype * type), (type))
LOCAL(MPI_Op_create, (MPI_User_function * function, int commutes, MPI_Op *op), (function, commutes, op))
LOCAL(MPI_Info_create, (MPI_Info * info), (info))
LOCAL(MPI_Comm_group, (MPI_Comm comm, MPI_Group *group), (comm, group))
LOCAL(MPI_Group_incl, (MPI_Group group, int n, const int ranks[], MPI_Group *new_group), (group, n, ranks, new_group))
LOCAL(MPI_Win_shared_query, (MPI_Win win, int rank, MPI_Aint *size, int *unit, void *base),
      (win, rank, size, unit, base))
LOCAL(MPI_Isend,
      (const void *buffer, int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm, MPI_Request *request),
      (buffer, count, type, peer, tag, comm, request))
LOCAL(MPI_Issend,
      (const void *buffer, int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm, MPI_Request *request),
      (buffer, count, type, peer, tag, comm, request))
LOCAL(MPI_Irecv, (void *buffer, int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm, MPI_Request *request),
      (buffer, count, type, peer, tag, comm, request))
LOCAL(MPI_Send_init,
      (const void *buffer, int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm, MPI_Request *request),
      (buffer, count, type, peer, tag, comm, request))
LOCAL(MPI_Recv_init,
      (void *buffer, int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm, MPI_Request *request),
      (buffer, count, type, peer, tag, comm, request))
LOCAL(MPI_Startall, (int count, MPI_Request requests[]), (count, requests))
LOCAL(MPI_Ibcast, (void *buffer, int count, MPI_Datatype type, int root, MPI_Comm comm, MPI_Request *request),
      (buffer, count, type, root, comm, request))
LOCAL(MPI_Iallreduce,
      (const void *in, void *out, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm, MPI_Request *request),
      (in, out, count, type, op, comm, request))
LOCAL(MPI_Iprobe, (int source, int tag, MPI_Comm comm, int *flag, MPI_Status *status),
      (source, tag, comm, flag, status))
LOCAL(MPI_Test, (MPI_Request * request, int *flag, MPI_Status *status), (request, flag, status))
LOCAL(MPI_Testall, (int count, MPI_Request requests[], int *flag, MPI_Status statuses[]),
      (count, requests, flag, statuses))
LOCAL(MPI_Testsome, (int count, MPI_Request requests[], int *done, int indices[], MPI_Status statuses[]),
      (count, requests, done, indices, statuses))

/* A window may be missing on one rank: the library then does without windows. The other ranks create it, so this one
   does, too. */
SCALAY_API int MPI_Win_allocate_shared(MPI_Aint size, int unit, MPI_Info info, MPI_Comm comm, void *base, MPI_Win *win)
{
    const int fault = fails("MPI_Win_allocate_shared");
    if (is_counting && !arrive(NULL, comm)) return MPI_ERR_OTHER;
    const int code = PMPI_Win_allocate_shared(size, unit, info, comm, base, win);
    return fault ? MPI_ERR_OTHER : code;
}

SCALAY_API int MPI_Comm_create_group(MPI_Comm comm, MPI_Group group, int tag, MPI_Comm *new_comm)
{
    return fails_waiting("MPI_Comm_create_group", comm) ? MPI_ERR_OTHER
                                                        : PMPI_Comm_create_group(comm, group, tag, new_comm);
}

/* Calls that release wait for other ranks, or may do so: a rank whose call has failed does not make them. */
static int releases(MPI_Comm comm)
{
    waited += is_counting && failed != NULL;
    return !is_counting || arrive(NULL, comm);
}

SCALAY_API int MPI_Comm_free(MPI_Comm *comm)
{
    return releases(*comm) ? PMPI_Comm_free(comm) : MPI_ERR_OTHER;
}

SCALAY_API int MPI_Win_free(MPI_Win *win)
{
    return releases(meeting) ? PMPI_Win_free(win) : MPI_ERR_OTHER;
}

/* Waiting polls, so that it ends when another rank has failed. */
static int fails_polling(const char *name)
{
    if (is_counting && is_destroying) waited += failed != NULL;
    return fails(name);
}

static int poll(const char *name, int *done, int code)
{
    if (*done || code != MPI_SUCCESS) return code;
    (void)sched_yield();
    return is_broken(name) ? MPI_ERR_OTHER : MPI_SUCCESS;
}

SCALAY_API int MPI_Wait(MPI_Request *request, MPI_Status *status)
{
    int done = 0, code = fails_polling("MPI_Wait") ? MPI_ERR_OTHER : MPI_SUCCESS;
    while (!done && code == MPI_SUCCESS) code = poll("MPI_Wait", &done, PMPI_Test(request, &done, status));
    return code;
}

SCALAY_API int MPI_Waitall(int count, MPI_Request requests[], MPI_Status statuses[])
{
    int done = 0, code = fails_polling("MPI_Waitall") ? MPI_ERR_OTHER : MPI_SUCCESS;
    while (!done && code == MPI_SUCCESS)
        code = poll("MPI_Waitall", &done, PMPI_Testall(count, requests, &done, statuses));
    return code;
}

SCALAY_API int MPI_Waitsome(int count, MPI_Request requests[], int *done, int indices[], MPI_Status statuses[])
{
    int code = fails_polling("MPI_Waitsome") ? MPI_ERR_OTHER : MPI_SUCCESS;
    *done = 0;
    while (*done == 0 && code == MPI_SUCCESS)
        code = poll("MPI_Waitsome", done, PMPI_Testsome(count, requests, done, indices, statuses));
    return code;
}

/* --------------------------------------------------------------------------------------------------- cases */

static void map_shared(void)
{
    char name[64] = "";
    int file = -1;
    if (check_rank() == 0) {
        (void)snprintf(name, sizeof name, "/dev/shm/scalay-faults-%d", (int)getpid());
        file = open(name, O_RDWR | O_CREAT | O_EXCL, 0600);
        if (file < 0 || ftruncate(file, sizeof *shared) != 0) MPI_Abort(MPI_COMM_WORLD, 4);
    }
    PMPI_Bcast(name, sizeof name, MPI_CHAR, 0, MPI_COMM_WORLD);
    if (file < 0) file = open(name, O_RDWR);
    shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (file < 0 || shared == MAP_FAILED) MPI_Abort(MPI_COMM_WORLD, 4);
    (void)close(file);
    PMPI_Barrier(MPI_COMM_WORLD);
    if (check_rank() == 0) (void)unlink(name);
}

/* Creates, executes and destroys. Returns the number of calls of MPI on this rank. `call`: that call of this rank
   fails; -1: none fails; -2: one fails on another rank. */
static int64_t run(calls_kind kind, int64_t call)
{
    MPI_Comm mpi;
    scalay_comm *comm = NULL;
    calls_objects objects;
    char message[SCALAY_MESSAGE_SIZE] = "";
    const int64_t live = scalay_memory_live();
    CHECK_STATUS(calls_prepare(kind, check_rank(), check_size(), &objects), SCALAY_SUCCESS);
    calls_fill(&objects, check_rank(), objects.a);
    PMPI_Comm_dup(MPI_COMM_WORLD, &mpi);
    PMPI_Comm_dup(MPI_COMM_WORLD, &meeting);
    PMPI_Comm_set_errhandler(mpi, MPI_ERRORS_RETURN);
    if (check_rank() == 0) memset(shared, 0, sizeof *shared);
    PMPI_Barrier(MPI_COMM_WORLD);
    made = 0;
    fails_at = call;
    failed = NULL;
    is_counting = 1;
    scalay_status status = scalay_comm_create(mpi, &comm);
    if (status == SCALAY_SUCCESS) status = calls_create(comm, &objects);
    if (status == SCALAY_SUCCESS) status = calls_execute(&objects);
    (void)snprintf(message, sizeof message, "%s", scalay_error_message());
    if (call == -1) {
        CHECK_STATUS(status, SCALAY_SUCCESS);
    } else if (failed != NULL) {
        if (!CHECK(status == SCALAY_ERROR_MPI) || !CHECK(strstr(message, failed) != NULL))
            fprintf(stderr, "  %s, call %lld of rank %d, %s: %s: %s\n", calls_name(kind), (long long)call, check_rank(),
                    failed, scalay_status_name(status), message);
    } else {
        CHECK(status == SCALAY_SUCCESS || status == SCALAY_ERROR_MPI);
    }
    is_destroying = 1;
    waited = 0;
    calls_destroy(&objects);
    scalay_comm_destroy(&comm);
    is_destroying = is_counting = 0;
    if (!CHECK(waited == 0) || !CHECK(scalay_memory_live() == live) || !CHECK(scalay_comms_live() == 0))
        fprintf(stderr, "  %s, call %lld of rank %d, %s, destroyed: %d calls wait, %lld blocks are left\n",
                calls_name(kind), (long long)call, check_rank(), failed != NULL ? failed : "no failure", waited,
                (long long)(scalay_memory_live() - live));
    PMPI_Barrier(MPI_COMM_WORLD);
    if (call == -1) PMPI_Comm_free(&mpi); /* otherwise something may be pending */
    if (call == -1) PMPI_Comm_free(&meeting);
    return made;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    const int stride = argc > 1 ? atoi(argv[1]) : 1, rank = check_rank(), size = check_size();
    if (size > MAX_RANKS) MPI_Abort(MPI_COMM_WORLD, 5);
    map_shared();
    for (int kind = 0; kind < CALLS_KINDS; kind++) {
        if (argc > 2 && strchr(argv[2], '0' + kind) == NULL) continue;
        (void)run((calls_kind)kind, -1); /* later runs do not measure or probe anything new */
        int64_t most = run((calls_kind)kind, -1);
        PMPI_Allreduce(MPI_IN_PLACE, &most, 1, MPI_INT64_T, MPI_MAX, MPI_COMM_WORLD);
        for (int64_t call = 0; call < most; call += stride) {
            (void)run((calls_kind)kind, call / stride % size == rank ? call : -2);
            (void)run((calls_kind)kind, call);
        }
        if (rank == 0) printf("%s: %lld calls\n", calls_name((calls_kind)kind), (long long)most);
    }
    return check_verdict();
}
