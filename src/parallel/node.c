/* What the ranks of one node share: boards and pools in shared memory, and reading each other's memory.

   Probing takes four collective calls, once per communicator: MPI_Comm_split_type, a gather on the node, a shared
   window, and a reduction. The first board and the pools are one window. Ranks read with process_vm_readv. Under Yama's
   ptrace_scope 1, a process must permit this to other processes. The library does so at the first use of a transport
   that reads (scalay_node_enable_reading), unless the environment variable SCALAY_PTRACE is "off". The permission is
   not taken back, because the MPI library may rely on it. */
#define _GNU_SOURCE /* process_vm_readv */
#include "parallel/node.h"

#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#if defined(__linux__)
#include <sys/prctl.h>
#include <sys/uio.h>
#endif

#include "base/fingerprint.h"
#include "base/integer.h"
#include "base/memory.h"

enum { SLOTS = 64, BOARD_BYTES = SLOTS * SCALAY_RECORD_BYTES, POOL_BYTES = 1 << 20, POOL_BYTES_PER_RANK = 1 << 15 };

static scalay_node_limits limits;

void scalay_node_limit(scalay_node_limits new_limits)
{
    limits = new_limits;
}

/* The token at its own address: other processes read it there to test whether they can read this process. */
static _Atomic int64_t process_token;

static int64_t draw_token(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_REALTIME, &now);
    uint64_t token = scalay_fingerprint_add(scalay_fingerprint_start(), (int64_t)getpid());
    token = scalay_fingerprint_add(token, (int64_t)now.tv_sec);
    token = scalay_fingerprint_add(token, (int64_t)now.tv_nsec);
    token = scalay_fingerprint_add(token, (int64_t)(uintptr_t)&now);
    return (int64_t)(token | 1);
}

int64_t scalay_process_token(void)
{
    int64_t none = 0;
    if (atomic_load(&process_token) == 0) (void)atomic_compare_exchange_strong(&process_token, &none, draw_token());
    return atomic_load(&process_token);
}

/* ------------------------------------------------------------------------------------------------ reading */

#if defined(__linux__)
/* The value of Yama's ptrace_scope; 0 without Yama. */
static int read_ptrace_scope(void)
{
    FILE *file = fopen("/proc/sys/kernel/yama/ptrace_scope", "r");
    if (file == NULL) return 0;
    const int digit = fgetc(file);
    (void)fclose(file);
    return digit >= '0' && digit <= '9' ? digit - '0' : 0;
}

static void permit_reading(void)
{
    (void)prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0);
}

static size_t list_vectors(const scalay_extent *extents, int count, struct iovec *vectors)
{
    size_t bytes = 0;
    for (int k = 0; k < count; k++) {
        vectors[k] = (struct iovec){extents[k].start, extents[k].bytes};
        bytes += extents[k].bytes;
    }
    return bytes;
}

/* Removes the first bytes from a list of vectors. */
static struct iovec *skip(struct iovec *first, size_t bytes)
{
    while (bytes > 0) {
        const size_t part = bytes < first->iov_len ? bytes : first->iov_len;
        first->iov_base = (char *)first->iov_base + part;
        first->iov_len -= part;
        bytes -= part;
        if (first->iov_len == 0) first++;
    }
    return first;
}

/* The kernel returns early before memory that it cannot read, and after 2^31 bytes. */
static int read_extents(int64_t pid, const scalay_extent *remote, int count, const scalay_extent *own, int own_count)
{
    struct iovec remote_vectors[SCALAY_MAX_EXTENTS], own_vectors[SCALAY_MAX_EXTENTS];
    struct iovec *from = remote_vectors, *to = own_vectors;
    size_t left = list_vectors(remote, count, remote_vectors);
    (void)list_vectors(own, own_count, own_vectors);
    while (left > 0) {
        const ssize_t bytes = process_vm_readv((pid_t)pid, to, (unsigned long)(own_vectors + own_count - to), from,
                                               (unsigned long)(remote_vectors + count - from), 0);
        if (bytes <= 0) return 0;
        left -= (size_t)bytes;
        from = skip(from, (size_t)bytes);
        to = skip(to, (size_t)bytes);
    }
    return 1;
}
#else
static int read_ptrace_scope(void)
{
    return 3;
}

static void permit_reading(void)
{
}

static int read_extents(int64_t pid, const scalay_extent *remote, int count, const scalay_extent *own, int own_count)
{
    (void)pid, (void)remote, (void)count, (void)own, (void)own_count;
    return 0;
}
#endif

scalay_status scalay_node_scatter(const scalay_node *node, int local_rank, const scalay_extent *remote, int count,
                                  const scalay_extent *own, int own_count)
{
    if (read_extents(node->members[local_rank].pid, remote, count, own, own_count)) return SCALAY_SUCCESS;
    return SCALAY_FAIL(SCALAY_ERROR_MPI,
                       "the memory of rank %d can no longer be read. Choose a transport that sends messages, or use "
                       "arrays of scalay_alloc.",
                       node->ranks[local_rank]);
}

scalay_status scalay_node_read(const scalay_node *node, int local_rank, const scalay_extent *remote, int count,
                               char *own)
{
    scalay_extent all = {own, 0};
    for (int k = 0; k < count; k++) all.bytes += remote[k].bytes;
    return scalay_node_scatter(node, local_rank, remote, count, &all, 1);
}

/* Tests whether this rank reads the token of each member at the address that the member told. */
static int can_read_all(const scalay_node *node)
{
    if (limits.no_reading) return 0;
    for (int k = 0; k < node->size; k++) {
        const scalay_member *member = &node->members[k];
        const scalay_extent remote = {(char *)(uintptr_t)member->token_address, sizeof member->token};
        int64_t found = 0;
        const scalay_extent own = {(char *)&found, sizeof found};
        if (!read_extents(member->pid, &remote, 1, &own, 1) || found != member->token) return 0;
    }
    return 1;
}

/* Under ptrace_scope 1, the other processes of the user may read a process that permits it. */
static int needs_permission(void)
{
    const char *text = getenv("SCALAY_PTRACE");
    return read_ptrace_scope() == 1 && !(text != NULL && strcmp(text, "off") == 0);
}

static int all_members_read(const scalay_node *node)
{
    int all = 1;
    for (int k = 0; k < node->size; k++) all = all && node->members[k].needs_permission == 0;
    return all;
}

scalay_status scalay_node_enable_reading(scalay_comm *comm)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_node *node = comm->node;
    if (node->is_read_tested) return SCALAY_SUCCESS;
    permit_reading();
    SCALAY_TRY_MPI(MPI_Barrier(node->mpi));
    const int own = can_read_all(node);
    SCALAY_TRY_MPI(MPI_Allreduce(&own, &node->can_read, 1, MPI_INT, MPI_MIN, node->mpi));
    node->is_read_tested = 1;
cleanup:
    return status;
}

/* --------------------------------------------------------------------------------------------- processors */

/* Reads the affinity mask. If it is not available, each rank counts as one processor of its own. */
static void find_processors(scalay_member *self)
{
    self->processors = 1;
    self->processor_set = (uint64_t)self->token;
#if defined(__linux__)
    cpu_set_t set;
    CPU_ZERO(&set);
    if (sched_getaffinity(0, sizeof set, &set) != 0) return;
    self->processors = CPU_COUNT(&set);
    self->processor_set = scalay_fingerprint_start();
    for (size_t cpu = 0; cpu < CPU_SETSIZE; cpu++)
        if (CPU_ISSET(cpu, &set)) self->processor_set = scalay_fingerprint_add(self->processor_set, (int64_t)cpu);
#endif
}

double scalay_node_share(const scalay_node *node)
{
    const scalay_member *self = &node->members[node->rank];
    int64_t sharers = 0;
    for (int k = 0; k < node->size; k++) sharers += node->members[k].processor_set == self->processor_set;
    return (double)scalay_max_int64(1, self->processors) / (double)sharers;
}

int scalay_node_launched_processes(void)
{
    static const char *const names[] = {"OMPI_COMM_WORLD_LOCAL_SIZE", "MPI_LOCALNRANKS", "SLURM_NTASKS_PER_NODE"};
    int size = 1;
    for (int k = 0; k < 3; k++)
        if (getenv(names[k]) != NULL && atoi(getenv(names[k])) > 0) return atoi(getenv(names[k]));
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    return size;
}

int scalay_node_launched_on_several(int processes)
{
    static _Atomic int on_several; /* the processes of the program if they are on several nodes, otherwise -1 */
    if (on_several == 0) {
        int size = 1;
        MPI_Comm_size(MPI_COMM_WORLD, &size);
        on_several = scalay_node_launched_processes() < size ? size : -1;
    }
    return processes == on_several;
}

/* ------------------------------------------------------------------------------------------------- boards */

/* The start of each segment of a window. */
typedef struct {
    _Alignas(64) int64_t can_read; /* 1: this rank can read all members */
} segment_header;

/* Adds a board on each node that has windows, or on none. */
static scalay_status add_board(scalay_comm *comm, int *added)
{
    scalay_node *node = comm->node;
    scalay_board board = {.used = 0};
    const int64_t board_bytes = (int64_t)sizeof(segment_header) + BOARD_BYTES;
    scalay_agreement values = {{0}, {0}, {0}};
    scalay_status status = SCALAY_GROW(node->boards, node->board_capacity, node->board_count + 1);
    *added = 0;
    SCALAY_TRY(scalay_comm_agree(comm, status));
    if (node->has_windows) status = scalay_shared_window_create(node->mpi, board_bytes, board_bytes, &board.window);
    values.maximum[0] = node->has_windows && !board.window.exists;
    SCALAY_TRY(scalay_comm_agree_on(comm, status, &values));
    *added = values.maximum[0] == 0;
    if (*added) node->boards[node->board_count++] = board;
cleanup:
    if (!*added) scalay_shared_window_free(&board.window);
    return status;
}

uint64_t scalay_node_used_slots(const scalay_node *node)
{
    return node->boards[0].used;
}

static void mark(scalay_node *node, int slot, int used)
{
    uint64_t *mask = &node->boards[slot / SLOTS].used;
    const uint64_t bit = (uint64_t)1 << slot % SLOTS;
    *mask = used ? *mask | bit : *mask & ~bit;
}

/* Adds the slots of a board that are free on all ranks to the list. */
static void collect_free(int64_t board, uint64_t used, int count, int *slots, int *found)
{
    for (int k = 0; k < SLOTS && *found < count; k++)
        if ((used >> k & 1) == 0) slots[(*found)++] = (int)board * SLOTS + k;
}

scalay_status scalay_node_acquire_slots(scalay_comm *comm, uint64_t used, int count, int *slots, int *acquired)
{
    scalay_status status = SCALAY_SUCCESS;
    int found = 0, added = 1;
    *acquired = 0;
    if (!comm->node->is_used) return SCALAY_SUCCESS;
    collect_free(0, used, count, slots, &found);
    for (int64_t b = 1; found < count; b++) {
        if (b == comm->node->board_count) SCALAY_TRY(add_board(comm, &added));
        if (!added) return SCALAY_SUCCESS;
        SCALAY_TRY_MPI(MPI_Allreduce(&comm->node->boards[b].used, &used, 1, MPI_UINT64_T, MPI_BOR, comm->mpi));
        collect_free(b, used, count, slots, &found);
    }
    for (int k = 0; k < count; k++) mark(comm->node, slots[k], 1);
    *acquired = 1;
cleanup:
    return status;
}

void scalay_node_release_slots(scalay_comm *comm, int count, const int *slots)
{
    scalay_node *node = comm->node;
    if (scalay_comm_is_broken(comm)) return;
    for (int k = 0; k < count; k++) {
        if (node->has_windows) memset(scalay_node_record(node, slots[k], node->rank), 0, SCALAY_RECORD_BYTES);
        mark(node, slots[k], 0);
    }
}

void *scalay_node_record(const scalay_node *node, int slot, int local_rank)
{
    char *segment = node->boards[slot / SLOTS].window.segment[local_rank];
    return segment + sizeof(segment_header) + slot % SLOTS * SCALAY_RECORD_BYTES;
}

char *scalay_node_pool(const scalay_node *node, int local_rank)
{
    return node->boards[0].window.segment[local_rank] + sizeof(segment_header) + BOARD_BYTES;
}

/* -------------------------------------------------------------------------------------------------- nodes */

/* Ranks per node for which tables are allocated before the number is known. */
enum { EXPECTED_RANKS = 1024 };

static scalay_status allocate(scalay_node *node, int size)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_release(node->ranks);
    scalay_release(node->members);
    node->members = NULL;
    SCALAY_TRY(SCALAY_NEW(node->ranks, size));
    SCALAY_TRY(SCALAY_NEW(node->members, size));
    SCALAY_TRY(SCALAY_GROW(node->boards, node->board_capacity, 1));
    node->boards[0] = (scalay_board){.used = 0};
cleanup:
    return status;
}

/* Ranks with a failure do not join a node. */
static scalay_status split(scalay_comm *comm, scalay_status own_status, scalay_node *node)
{
    scalay_status status = SCALAY_SUCCESS;
    MPI_Comm mpi = MPI_COMM_NULL;
    const int type = own_status == SCALAY_SUCCESS ? MPI_COMM_TYPE_SHARED : MPI_UNDEFINED;
    SCALAY_TRY_MPI(MPI_Comm_split_type(comm->mpi, type, comm->rank, MPI_INFO_NULL, &mpi));
    if (mpi == MPI_COMM_NULL) return own_status;
    if (limits.ranks > 0) {
        MPI_Comm whole = mpi;
        MPI_Comm_rank(whole, &node->rank);
        const int code = MPI_Comm_split(whole, node->rank / limits.ranks, comm->rank, &mpi);
        MPI_Comm_free(&whole);
        SCALAY_TRY_MPI(code);
    }
    node->mpi = mpi;
    MPI_Comm_set_errhandler(mpi, MPI_ERRORS_RETURN);
    MPI_Comm_rank(mpi, &node->rank);
    MPI_Comm_size(mpi, &node->size);
    node->processors = (int)scalay_max_int64(1, sysconf(_SC_NPROCESSORS_ONLN));
    node->is_oversubscribed = node->processors < node->size;
    if (node->size > EXPECTED_RANKS) SCALAY_TRY(allocate(node, node->size));
cleanup:
    return status;
}

static scalay_status gather_members(const scalay_comm *comm, scalay_node *node, int64_t is_ready)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_member self = {.rank = comm->rank,
                          .token = scalay_process_token(),
                          .pid = (int64_t)getpid(),
                          .token_address = (uint64_t)(uintptr_t)&process_token,
                          .needs_permission = needs_permission(),
                          .shared_space = is_ready && !limits.no_windows ? scalay_shared_space() : 0};
    find_processors(&self);
    SCALAY_TRY_MPI(
        MPI_Allgather(&self, (int)sizeof self, MPI_BYTE, node->members, (int)sizeof self, MPI_BYTE, node->mpi));
    for (int k = 0; k < node->size; k++) node->ranks[k] = (int)node->members[k].rank;
cleanup:
    return status;
}

static int64_t segment_bytes(const scalay_node *node)
{
    return (int64_t)sizeof(segment_header) + BOARD_BYTES + node->pool_bytes;
}

/* Returns 1 on all ranks of the node, or 0 on all. */
static int has_space(const scalay_node *node, int64_t bytes)
{
    int fits = node->size > 1;
    for (int k = 0; k < node->size; k++) fits = fits && node->members[k].shared_space / 2 / node->size > bytes;
    return fits;
}

enum { POOL_CLEARED = 256 }; /* bytes per rank of the node at the start of a pool that are zero */

/* Creates the first window: headers, the first board, the pools. */
static scalay_status create_first_window(scalay_node *node, scalay_status prepared)
{
    scalay_status status = prepared;
    scalay_shared_window *window = &node->boards[0].window;
    node->pool_bytes = scalay_max_int64(POOL_BYTES, (int64_t)POOL_BYTES_PER_RANK * node->size);
    const int64_t cleared =
        segment_bytes(node) - node->pool_bytes + scalay_min_int64(node->pool_bytes, POOL_CLEARED * (int64_t)node->size);
    node->window_fits = has_space(node, segment_bytes(node));
    if (!node->window_fits) return status;
    SCALAY_TRY(scalay_shared_window_allocate(node->mpi, segment_bytes(node), cleared, window));
    node->is_read_tested = all_members_read(node); /* the same on all ranks of the node */
    if (!window->exists) return SCALAY_SUCCESS;
    segment_header *header = (segment_header *)(void *)window->segment[node->rank];
    header->can_read = node->is_read_tested && can_read_all(node);
cleanup:
    return status;
}

/* What a rank does before the agreement. */
static scalay_status join_node(scalay_comm *comm, scalay_status own_status)
{
    scalay_status status = own_status, prepared = SCALAY_SUCCESS;
    scalay_node *node = comm->node;
    SCALAY_TRY(split(comm, own_status, node));
    prepared = scalay_shared_window_prepare(node->mpi, &node->boards[0].window);
    SCALAY_TRY(gather_members(comm, node, prepared == SCALAY_SUCCESS));
    SCALAY_TRY(create_first_window(node, prepared));
cleanup:
    return status;
}

static void read_headers(scalay_node *node)
{
    node->board_count = 1;
    node->has_windows = node->boards[0].window.exists;
    node->can_read = node->is_read_tested;
    for (int k = 0; k < node->size && node->has_windows; k++)
        node->can_read &= ((segment_header *)(void *)node->boards[0].window.segment[k])->can_read != 0;
    if (!node->has_windows) node->can_read = 0;
}

scalay_status scalay_node_probe(scalay_comm *comm)
{
    enum { HAS_WINDOWS, LOST_WINDOW };
    scalay_node *node = NULL;
    scalay_agreement values = {{0}, {0}, {0}};
    if (comm->node != NULL) return SCALAY_SUCCESS;
    scalay_status status = SCALAY_NEW(node, 1);
    if (status == SCALAY_SUCCESS) {
        node->mpi = MPI_COMM_NULL;
        status = allocate(node, comm->size < EXPECTED_RANKS ? comm->size : EXPECTED_RANKS);
    }
    comm->node = node;
    status = join_node(comm, status);
    if (status == SCALAY_SUCCESS) {
        values.maximum[HAS_WINDOWS] = node->boards[0].window.exists;
        values.maximum[LOST_WINDOW] = node->window_fits && !node->boards[0].window.exists;
    }
    SCALAY_TRY(scalay_comm_agree_on(comm, status, &values));
    node->is_used = values.maximum[HAS_WINDOWS] && !values.maximum[LOST_WINDOW];
    /* A window that exists on some ranks of a node only cannot be freed; all are lost, because nobody knows which. */
    if (values.maximum[LOST_WINDOW]) node->boards[0].window.exists = 0;
    read_headers(node);
cleanup:
    if (status != SCALAY_SUCCESS) scalay_node_free(comm);
    return status;
}

void scalay_node_free(scalay_comm *comm)
{
    scalay_node *node = comm->node;
    if (node == NULL) return;
    for (int64_t b = 0; b < node->board_count || (b == 0 && node->boards != NULL); b++)
        scalay_shared_window_free(&node->boards[b].window);
    if (node->mpi != MPI_COMM_NULL && !scalay_comm_is_broken(comm)) MPI_Comm_free(&node->mpi);
    scalay_node_abandon(comm);
}

void scalay_node_abandon(scalay_comm *comm)
{
    scalay_node *node = comm->node;
    comm->node = NULL;
    if (node == NULL) return;
    for (int64_t b = 0; b < node->board_count; b++) scalay_shared_window_abandon(&node->boards[b].window);
    scalay_release(node->boards);
    scalay_release(node->members);
    scalay_release(node->ranks);
    scalay_release(node->node_of_rank);
    scalay_release(node->type_of_rank);
    scalay_release(node);
}

int scalay_node_local_rank(const scalay_node *node, int rank)
{
    int low = 0, high = node->size;
    while (low < high) {
        const int middle = low + (high - low) / 2;
        if (node->ranks[middle] < rank)
            low = middle + 1;
        else
            high = middle;
    }
    return low < node->size && node->ranks[low] == rank ? low : -1;
}

scalay_status scalay_node_of_ranks(scalay_comm *comm, const int **node)
{
    scalay_status status = SCALAY_SUCCESS;
    int *all = NULL;
    *node = NULL;
    SCALAY_TRY(scalay_node_probe(comm));
    if (comm->node->size < comm->size && comm->node->node_of_rank == NULL) {
        SCALAY_TRY(scalay_comm_agree(comm, SCALAY_NEW(all, comm->size)));
        SCALAY_TRY_MPI(MPI_Allgather(&comm->node->ranks[0], 1, MPI_INT, all, 1, MPI_INT, comm->mpi));
        comm->node->node_of_rank = all;
        all = NULL;
    }
    *node = comm->node->node_of_rank;
cleanup:
    scalay_release(all);
    return status;
}
