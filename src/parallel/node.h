#ifndef SCALAY_PARALLEL_NODE_H
#define SCALAY_PARALLEL_NODE_H

/**
 * @file
 * Shared memory of the ranks of one node, per communicator.
 *
 *   - Boards: records in shared memory, with which objects (plans) communicate without messages. A board has slots; a
 *     slot has one record per rank of the node. An object acquires slots, the same on all ranks of the communicator.
 *   - Pool: per rank, memory for data that it has packed for other ranks. One object uses the pool at a time.
 *   - Reading: whether ranks can read each other's private memory.
 */

#include "parallel/comm.h"
#include "parallel/shared_memory.h"

enum { SCALAY_RECORD_BYTES = 256 };

/** A board. */
typedef struct {
    scalay_shared_window window;
    uint64_t used; /* bit k: an object of this rank uses slot k */
} scalay_board;

/** A process of the node. */
typedef struct {
    int64_t rank;  /* in the communicator */
    int64_t token; /* unique among all processes, past and present */
    int64_t pid;
    uint64_t token_address;   /* in that process */
    int64_t processors;       /* logical processors in its affinity mask */
    uint64_t processor_set;   /* equal for processes with the same affinity mask */
    int64_t shared_space;     /* available shared memory, in bytes; 0: the process cannot join a window */
    int64_t needs_permission; /* 1: others can read it only after scalay_node_enable_reading() */
} scalay_member;

/** An entry of the queue for the pool. */
typedef struct scalay_pool_request scalay_pool_request;
struct scalay_pool_request {
    scalay_pool_request *next;
};

/** The ranks of a communicator on the node of the calling rank. */
struct scalay_node {
    MPI_Comm mpi; /* ordered by rank in the communicator; errors return */
    int rank;     /* local rank: rank in the node */
    int size;
    int *ranks;             /* shape [size], ascending: ranks in the communicator */
    scalay_member *members; /* shape [size] */
    int window_fits;        /* 1: there is space for the first window */
    int has_windows;        /* 1: shared memory is available on this node */
    int processors;         /* of the node */
    int is_oversubscribed;  /* 1: the node has fewer processors than ranks; waiting ranks yield the processor */
    int is_read_tested;     /* 0: can_read is not known before scalay_node_enable_reading() */
    int can_read;           /* 1: each rank can read the memory of each other rank of the node */
    int is_used;            /* 1: some node of the communicator has windows; the same on all ranks */
    scalay_board *boards;   /* shape [board_count]; empty boards if the node has no windows */
    int64_t board_count;
    int64_t board_capacity;
    int64_t pool_bytes;              /* of the pool of each rank */
    scalay_pool_request *pool_queue; /* requests for the pool of this rank; the first one uses the pool */
    int *node_of_rank;               /* of scalay_node_of_ranks(); NULL: not known, or one node */
    int types;                       /* of nodes (machine_types.h); 0: not known */
    int type;                        /* of this node */
    int *type_of_rank;               /* of scalay_node_types_of_ranks(); NULL: not known, or one type */
};

/**
 * Finds out what the ranks of each node can share. Runs once per communicator and then returns at once. Collective over
 * comm. Missing shared memory is not a failure.
 * @return SCALAY_SUCCESS, SCALAY_ERROR_MEMORY, SCALAY_ERROR_MPI
 */
scalay_status scalay_node_probe(scalay_comm *comm);

/**
 * Permits the other processes of this user to read the memory of this process, if the kernel demands it and if the
 * environment variable SCALAY_PTRACE is not "off", and tests whether reading works. Collective over the node; returns
 * at once if node->can_read is known. Call it before the first use of node->can_read.
 * @return SCALAY_SUCCESS, SCALAY_ERROR_MPI
 */
scalay_status scalay_node_enable_reading(scalay_comm *comm);

/** Releases the node of a communicator. Collective over comm. */
void scalay_node_free(scalay_comm *comm);

/** Releases the local memory of the node of a communicator after MPI_Finalize. Not collective. */
void scalay_node_abandon(scalay_comm *comm);

/** Returns processors per rank: processors in the affinity mask / ranks of the node with the same mask. */
double scalay_node_share(const scalay_node *node);

/** Returns the processes of the program on this node, as the launcher says; those of the program if it says nothing.
 *  Not collective. */
SCALAY_API int scalay_node_launched_processes(void);

/** Returns 1 if `processes` are all processes of the program, and the launcher says that they are on several nodes. The
 *  same on every rank; not collective. */
SCALAY_API int scalay_node_launched_on_several(int processes);

/** Returns the local rank of a rank of the communicator; -1 if it is on another node. */
int scalay_node_local_rank(const scalay_node *node, int rank);

/**
 * Returns the node of each rank. Collective over comm. Only the first call communicates, and only if there are several
 * nodes.
 * @param[out] node  shape [ranks of comm], owned by the communicator: the first rank of the node of each rank. NULL:
 * all ranks are on one node
 * @return SCALAY_SUCCESS, SCALAY_ERROR_MEMORY, SCALAY_ERROR_MPI
 */
scalay_status scalay_node_of_ranks(scalay_comm *comm, const int **node);

/** Returns the slots of the first board that this rank uses, one bit each. */
uint64_t scalay_node_used_slots(const scalay_node *node);

/**
 * Acquires slots. Collective over comm, after scalay_node_probe(). Communicates only if the first board is full.
 * @param[in]  used      bitwise or of scalay_node_used_slots() over all ranks of comm
 * @param[in]  count     number of slots
 * @param[out] slots     shape [count]; their records are zero
 * @param[out] acquired  0: not enough shared memory
 * @return SCALAY_SUCCESS, SCALAY_ERROR_MEMORY, SCALAY_ERROR_MPI
 */
scalay_status scalay_node_acquire_slots(scalay_comm *comm, uint64_t used, int count, int *slots, int *acquired);

/** Releases slots, and sets the records of this rank to zero. No rank may use the slots any more. After a failed call
 * of MPI they stay as they are and are not given again: peers may still read them. */
void scalay_node_release_slots(scalay_comm *comm, int count, const int *slots);

/** Returns the record of a local rank in a slot, aligned to 64 bytes. Only for a node with windows. */
void *scalay_node_record(const scalay_node *node, int slot, int local_rank);

/** Returns the pool of a local rank, aligned to 64 bytes; its first 256 bytes per rank of the node were set to zero.
 * Only for a node with windows. */
char *scalay_node_pool(const scalay_node *node, int local_rank);

/** A segment of memory. */
typedef struct {
    char *start;
    size_t bytes;
} scalay_extent;

/** Maximum number of extents of one read. */
enum { SCALAY_MAX_EXTENTS = 64 };

/**
 * Reads the memory of another process. Requires node->can_read. Not collective.
 * @param[in] remote  shape [count]: segments in the address space of the process
 * @param[in] count   1 to SCALAY_MAX_EXTENTS
 * @param[in] own     receives the segments one after the other
 * @return SCALAY_SUCCESS, SCALAY_ERROR_MPI (reading is no longer possible)
 */
scalay_status scalay_node_read(const scalay_node *node, int local_rank, const scalay_extent *remote, int count,
                               char *own);

/** As scalay_node_read(), into several segments of the same total length: own, shape [own_count]. */
scalay_status scalay_node_scatter(const scalay_node *node, int local_rank, const scalay_extent *remote, int count,
                                  const scalay_extent *own, int own_count);

/** Returns the token of this process. */
int64_t scalay_process_token(void);

/** For tests: restrictions for communicators that are not probed yet. */
typedef struct {
    int ranks; /* ranks per node; 0: as they are */
    int no_windows;
    int no_reading;
} scalay_node_limits;

void scalay_node_limit(scalay_node_limits limits);

#endif
