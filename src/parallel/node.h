#ifndef SCALAY_PARALLEL_NODE_H
#define SCALAY_PARALLEL_NODE_H

/**
 * @file
 * What the ranks of one node share, for each communicator: whether they can have memory in common, whether they can
 * read each other's, and a board in shared memory on which objects (plans) talk without messages.
 *
 * A board has slots; a slot has a record of each rank of the node. An object takes as many slots as it needs, the same
 * ones on all ranks of the communicator. When a board is full there will be another one.
 *
 * Besides, each rank has a pool: memory for what it has packed for others, which one object uses at a time.
 */

#include "parallel/comm.h"
#include "parallel/segments.h"

enum { SCALAY_RECORD_BYTES = 256 };

/** A board: `used` tells the slots that this rank's objects have. */
typedef struct {
    scalay_segments window;
    uint64_t used;
} scalay_board;

/** A process of the node. */
typedef struct {
    int64_t token; /* that no other process has, or had */
    int64_t pid;
    uint64_t token_address; /* in that process */
    int64_t processors;     /* that it may run on */
    uint64_t processor_set; /* equal for those that may run on the same ones */
} scalay_member;

/** A place in the queue for the pool. */
typedef struct scalay_turn scalay_turn;
struct scalay_turn {
    scalay_turn *next;
};

/** The ranks of a communicator that are on the calling rank's node. */
struct scalay_node {
    MPI_Comm mpi; /* in the order of their ranks; errors return */
    int rank;
    int size;
    int *ranks;             /* shape [size], ascending: in the communicator */
    scalay_member *members; /* shape [size] */
    int has_windows;        /* this node can share memory; the boards of one that cannot are empty */
    int is_crowded;         /* it has fewer processors than ranks: who waits leaves them to the others */
    int can_read;           /* each of them can read the others' memory */
    int is_used;            /* has_windows on this node or another one: the same on all ranks of the communicator */
    scalay_board *boards;   /* shape [board_count] */
    int64_t board_count;
    int64_t board_capacity;
    int64_t pool_bytes;      /* of each rank's pool */
    scalay_turn *pool_queue; /* who wants this rank's pool, in the order of beginning; the first uses it */
};

/**
 * Finds out what the ranks of each node can share, once per communicator; afterwards it returns at once. Collective.
 * That there is nothing to share is no failure.
 * @return SCALAY_SUCCESS, SCALAY_ERROR_MEMORY, SCALAY_ERROR_MPI
 */
scalay_status scalay_node_probe(scalay_comm *comm);

/** Releases what scalay_node_probe() made. Collective over comm. */
void scalay_node_free(scalay_comm *comm);

/** The calling rank's share of the processors that it may run on: above 1, it has some for itself; below, it takes
 * turns. */
double scalay_node_share(const scalay_node *node);

/** The place in the node of a rank of the communicator; -1 when it is on another one. */
int scalay_node_place(const scalay_node *node, int rank);

/**
 * Takes slots. Collective over comm, after scalay_node_probe().
 * @param[in]  count  how many
 * @param[out] slots  shape [count]; their records are zeros
 * @param[out] taken  0 when there is no memory to share for so many
 * @return SCALAY_SUCCESS, SCALAY_ERROR_MEMORY, SCALAY_ERROR_MPI
 */
scalay_status scalay_node_take(scalay_comm *comm, int count, int *slots, int *taken);

/** Gives slots back; the records of this rank in them are set to zeros, and nobody must use them any more. */
void scalay_node_give_back(scalay_comm *comm, int count, const int *slots);

/** The record of a place in a slot, aligned to 64 bytes. Only for a node with windows. */
void *scalay_node_record(const scalay_node *node, int slot, int place);

/** The pool of a place, aligned to 64 bytes. Only for a node with windows. */
char *scalay_node_pool(const scalay_node *node, int place);

/** A stretch of memory. */
typedef struct {
    char *start;
    size_t bytes;
} scalay_extent;

/** At most so many extents go into one scalay_node_read(). */
enum { SCALAY_EXTENTS_MOST = 64 };

/**
 * Reads another process' memory, for a node that can. Not collective.
 * @param[in] place    of the process
 * @param[in] far      shape [count]: what to read, in its address space
 * @param[in] count    1 to SCALAY_EXTENTS_MOST
 * @param[in] near     where it goes, one after the other
 * @return SCALAY_SUCCESS, SCALAY_ERROR_MPI (refused all of a sudden)
 */
scalay_status scalay_node_read(const scalay_node *node, int place, const scalay_extent *far, int count, char *near);

/** scalay_node_read() into several extents, of as many bytes in all: near, shape [near_count], likewise. */
scalay_status scalay_node_scatter(const scalay_node *node, int place, const scalay_extent *far, int count,
                                  const scalay_extent *near, int near_count);

/** This process' token. */
int64_t scalay_process_token(void);

/** For tests: nodes of so many ranks (0: as they are), and what the machine forbids, for communicators not probed. */
typedef struct {
    int ranks;
    int no_windows;
    int no_reading;
} scalay_node_limits;

void scalay_node_limit(scalay_node_limits limits);

/** For tests: the limits that hold. */
scalay_node_limits scalay_node_get_limits(void);

#endif
