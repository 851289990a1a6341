#define _GNU_SOURCE /* process_vm_readv */
#include "parallel/node.h"

#include <sched.h>
#include <stdio.h>
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

enum { SLOTS = 64, BOARD_BYTES = SLOTS * SCALAY_RECORD_BYTES, POOL_BYTES = 262144, POOL_BYTES_PER_RANK = 8192 };

static scalay_node_limits limits;

void scalay_node_limit(scalay_node_limits wanted)
{
    limits = wanted;
}

scalay_node_limits scalay_node_get_limits(void)
{
    return limits;
}

static int64_t process_token;

int64_t scalay_process_token(void)
{
    struct timespec now;
    if (process_token != 0) return process_token;
    (void)clock_gettime(CLOCK_REALTIME, &now);
    uint64_t token = scalay_fingerprint_add(scalay_fingerprint_start(), (int64_t)getpid());
    token = scalay_fingerprint_add(token, (int64_t)now.tv_sec);
    token = scalay_fingerprint_add(token, (int64_t)now.tv_nsec);
    token = scalay_fingerprint_add(token, (int64_t)(uintptr_t)&now);
    process_token = (int64_t)(token | 1);
    return process_token;
}

/* ------------------------------------------------------------------------------------------------ reading */

#if defined(__linux__)
/* Where only a parent may read, a process can permit it to others. */
static void permit_reading(void)
{
    FILE *file = fopen("/proc/sys/kernel/yama/ptrace_scope", "r");
    if (file == NULL) return;
    if (fgetc(file) == '1') (void)prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0);
    (void)fclose(file);
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

/* What is left of vectors behind their first bytes. */
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

static int read_extents(int64_t pid, const scalay_extent *far, int count, const scalay_extent *near, int near_count)
{
    struct iovec remote[SCALAY_EXTENTS_MOST], local[SCALAY_EXTENTS_MOST];
    struct iovec *from = remote, *to = local;
    size_t left = list_vectors(far, count, remote);
    (void)list_vectors(near, near_count, local);
    while (left > 0) { /* the kernel stops early in front of what it cannot read, and after 2^31 bytes */
        const ssize_t got = process_vm_readv((pid_t)pid, to, (unsigned long)(local + near_count - to), from,
                                             (unsigned long)(remote + count - from), 0);
        if (got <= 0) return 0;
        left -= (size_t)got;
        from = skip(from, (size_t)got);
        to = skip(to, (size_t)got);
    }
    return 1;
}
#else
static void permit_reading(void)
{
}

static int read_extents(int64_t pid, const scalay_extent *far, int count, const scalay_extent *near, int near_count)
{
    (void)pid, (void)far, (void)count, (void)near, (void)near_count;
    return 0;
}
#endif

scalay_status scalay_node_scatter(const scalay_node *node, int place, const scalay_extent *far, int count,
                                  const scalay_extent *near, int near_count)
{
    if (read_extents(node->members[place].pid, far, count, near, near_count)) return SCALAY_SUCCESS;
    return SCALAY_FAIL(SCALAY_ERROR_MPI,
                       "rank %d's memory cannot be read any more; choose a transport that sends messages, or use "
                       "arrays of scalay_alloc",
                       node->ranks[place]);
}

scalay_status scalay_node_read(const scalay_node *node, int place, const scalay_extent *far, int count, char *near)
{
    scalay_extent all = {near, 0};
    for (int k = 0; k < count; k++) all.bytes += far[k].bytes;
    return scalay_node_scatter(node, place, far, count, &all, 1);
}

/* Whether this rank can read every member's token where it says it is. */
static int reads_all(const scalay_node *node)
{
    if (limits.no_reading) return 0;
    for (int k = 0; k < node->size; k++) {
        const scalay_member *member = &node->members[k];
        const scalay_extent far = {(char *)(uintptr_t)member->token_address, sizeof member->token};
        int64_t found = 0;
        const scalay_extent near = {(char *)&found, sizeof found};
        if (!read_extents(member->pid, &far, 1, &near, 1) || found != member->token) return 0;
    }
    return 1;
}

/* --------------------------------------------------------------------------------------------- processors */

/* What the process is bound to. Where that cannot be told, each rank has one. */
static void find_processors(scalay_member *me)
{
    me->processors = 1;
    me->processor_set = (uint64_t)me->token;
#if defined(__linux__)
    cpu_set_t set;
    CPU_ZERO(&set);
    if (sched_getaffinity(0, sizeof set, &set) != 0) return;
    me->processors = CPU_COUNT(&set);
    me->processor_set = scalay_fingerprint_start();
    for (size_t cpu = 0; cpu < CPU_SETSIZE; cpu++)
        if (CPU_ISSET(cpu, &set)) me->processor_set = scalay_fingerprint_add(me->processor_set, (int64_t)cpu);
#endif
}

/* Those that are bound as the calling rank is share what they may run on. */
double scalay_node_share(const scalay_node *node)
{
    const scalay_member *me = &node->members[node->rank];
    int64_t sharers = 0;
    for (int k = 0; k < node->size; k++) sharers += node->members[k].processor_set == me->processor_set;
    return (double)scalay_max_int64(1, me->processors) / (double)sharers;
}

/* ------------------------------------------------------------------------------------------------- boards */

/* One more board, on every node that has windows or on none. */
static scalay_status add_board(scalay_comm *comm, int *added)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_node *node = comm->node;
    scalay_board board = {.used = 0};
    *added = 0;
    SCALAY_TRY(scalay_comm_agree(comm, SCALAY_GROW(node->boards, node->board_capacity, node->board_count + 1)));
    if (node->has_windows) status = scalay_segments_create(node->mpi, BOARD_BYTES, &board.window);
    SCALAY_TRY(scalay_comm_agree(comm, status));
    const int mine = board.window.made || !node->has_windows;
    SCALAY_TRY_MPI(MPI_Allreduce(&mine, added, 1, MPI_INT, MPI_MIN, comm->mpi));
    if (*added) node->boards[node->board_count++] = board;
cleanup:
    if (!*added) scalay_segments_free(&board.window);
    return status;
}

/* Slots that are free on all ranks; *found is less than `count` when the boards are full. */
static scalay_status find_slots(scalay_comm *comm, int count, int *slots, int *found)
{
    scalay_status status = SCALAY_SUCCESS;
    *found = 0;
    for (int64_t b = 0; b < comm->node->board_count && *found < count; b++) {
        uint64_t used = 0;
        SCALAY_TRY_MPI(MPI_Allreduce(&comm->node->boards[b].used, &used, 1, MPI_UINT64_T, MPI_BOR, comm->mpi));
        for (int k = 0; k < SLOTS && *found < count; k++)
            if ((used >> k & 1) == 0) slots[(*found)++] = (int)b * SLOTS + k;
    }
cleanup:
    return status;
}

static void mark(scalay_node *node, int slot, int used)
{
    uint64_t *mask = &node->boards[slot / SLOTS].used;
    const uint64_t bit = (uint64_t)1 << slot % SLOTS;
    *mask = used ? *mask | bit : *mask & ~bit;
}

scalay_status scalay_node_take(scalay_comm *comm, int count, int *slots, int *taken)
{
    scalay_status status = SCALAY_SUCCESS;
    int found = 0, more = comm->node->is_used;
    *taken = 0;
    while (more && !*taken) {
        SCALAY_TRY(find_slots(comm, count, slots, &found));
        *taken = found == count;
        if (!*taken) SCALAY_TRY(add_board(comm, &more));
    }
    for (int k = 0; *taken && k < count; k++) mark(comm->node, slots[k], 1);
cleanup:
    return status;
}

void scalay_node_give_back(scalay_comm *comm, int count, const int *slots)
{
    scalay_node *node = comm->node;
    for (int k = 0; k < count; k++) {
        if (node->has_windows) memset(scalay_node_record(node, slots[k], node->rank), 0, SCALAY_RECORD_BYTES);
        mark(node, slots[k], 0);
    }
}

void *scalay_node_record(const scalay_node *node, int slot, int place)
{
    return node->boards[slot / SLOTS].window.segment[place] + slot % SLOTS * SCALAY_RECORD_BYTES;
}

char *scalay_node_pool(const scalay_node *node, int place)
{
    return node->boards[0].window.segment[place] + BOARD_BYTES;
}

/* -------------------------------------------------------------------------------------------------- nodes */

static scalay_status split(scalay_comm *comm, scalay_node *node)
{
    scalay_status status = SCALAY_SUCCESS;
    MPI_Comm whole = MPI_COMM_NULL;
    SCALAY_TRY_MPI(MPI_Comm_split_type(comm->mpi, MPI_COMM_TYPE_SHARED, comm->rank, MPI_INFO_NULL, &whole));
    MPI_Comm_set_errhandler(whole, MPI_ERRORS_RETURN);
    node->mpi = whole;
    if (limits.ranks > 0) {
        MPI_Comm_rank(whole, &node->rank);
        SCALAY_TRY_MPI(MPI_Comm_split(whole, node->rank / limits.ranks, comm->rank, &node->mpi));
        MPI_Comm_set_errhandler(node->mpi, MPI_ERRORS_RETURN);
        MPI_Comm_free(&whole);
    }
    MPI_Comm_rank(node->mpi, &node->rank);
    MPI_Comm_size(node->mpi, &node->size);
    node->is_crowded = sysconf(_SC_NPROCESSORS_ONLN) < (long)node->size;
cleanup:
    return status;
}

static scalay_status allocate(scalay_node *node)
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY(SCALAY_NEW(node->ranks, node->size));
    SCALAY_TRY(SCALAY_NEW(node->members, node->size));
    SCALAY_TRY(SCALAY_GROW(node->boards, node->board_capacity, 1));
cleanup:
    return status;
}

static scalay_status meet(scalay_comm *comm, scalay_node *node)
{
    scalay_status status = SCALAY_SUCCESS;
    permit_reading();
    scalay_member me = {.token = scalay_process_token(),
                        .pid = (int64_t)getpid(),
                        .token_address = (uint64_t)(uintptr_t)&process_token};
    find_processors(&me);
    SCALAY_TRY_MPI(MPI_Allgather(&comm->rank, 1, MPI_INT, node->ranks, 1, MPI_INT, node->mpi));
    SCALAY_TRY_MPI(MPI_Allgather(&me, (int)sizeof me, MPI_BYTE, node->members, (int)sizeof me, MPI_BYTE, node->mpi));
    const int mine = reads_all(node);
    SCALAY_TRY_MPI(MPI_Allreduce(&mine, &node->can_read, 1, MPI_INT, MPI_MIN, node->mpi));
cleanup:
    return status;
}

/* The first board, with the pool behind it, tells whether a node has memory to share. */
static scalay_status find_windows(scalay_comm *comm)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_node *node = comm->node;
    scalay_segments window = {0};
    node->pool_bytes = scalay_max_int64(POOL_BYTES, (int64_t)POOL_BYTES_PER_RANK * node->size);
    if (!limits.no_windows) status = scalay_segments_create(node->mpi, BOARD_BYTES + node->pool_bytes, &window);
    SCALAY_TRY(scalay_comm_agree(comm, status));
    node->has_windows = window.made;
    SCALAY_TRY_MPI(MPI_Allreduce(&node->has_windows, &node->is_used, 1, MPI_INT, MPI_MAX, comm->mpi));
    node->boards[node->board_count++] = (scalay_board){.window = window};
cleanup:
    if (status != SCALAY_SUCCESS) scalay_segments_free(&window);
    return status;
}

scalay_status scalay_node_probe(scalay_comm *comm)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_node *node = NULL;
    if (comm->node != NULL) return SCALAY_SUCCESS;
    status = SCALAY_NEW(node, 1);
    if (node != NULL) node->mpi = MPI_COMM_NULL;
    comm->node = node;
    SCALAY_TRY(scalay_comm_agree(comm, status));
    SCALAY_TRY(split(comm, node));
    SCALAY_TRY(scalay_comm_agree(comm, allocate(node)));
    SCALAY_TRY(meet(comm, node));
    SCALAY_TRY(find_windows(comm));
cleanup:
    if (status != SCALAY_SUCCESS) scalay_node_free(comm);
    return status;
}

void scalay_node_free(scalay_comm *comm)
{
    scalay_node *node = comm->node;
    comm->node = NULL;
    if (node == NULL) return;
    for (int64_t b = 0; b < node->board_count; b++) scalay_segments_free(&node->boards[b].window);
    if (node->mpi != MPI_COMM_NULL) MPI_Comm_free(&node->mpi);
    scalay_release(node->boards);
    scalay_release(node->members);
    scalay_release(node->ranks);
    scalay_release(node);
}

int scalay_node_place(const scalay_node *node, int rank)
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
