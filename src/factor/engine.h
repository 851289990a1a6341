#ifndef SCALAY_FACTOR_ENGINE_H
#define SCALAY_FACTOR_ENGINE_H

/**
 * @file
 * Engine for QR, LU and Cholesky factorisations on any tile owner map.
 *
 * The matrix is cut into nb x nb tiles, and each tile has any owner. The engine computes what p?geqrf (Householder
 * reflectors, compact WY), p?getrf (partial pivoting) and p?potrf compute: the same V and tau, the same pivots, the
 * same factors up to rounding, the same info. The algorithms are right-looking with a lookahead of one panel.
 *
 * Classes. A row class is a set of tile rows with the same owner in every tile column; a column class likewise
 * (partition/owner_map.h). All tables are indexed by class. A 1D-1D map of P processes has about sqrt(P) column
 * classes, so a plan takes O(P + tile rows + tile columns) memory, and P = 10,000 is planned in one process.
 *
 * Storage. A process stores the tile columns in which it owns the same tile rows in one column-major array, lines
 * ascending (scalay_engine_class). Therefore everything right of and below a tile is one subarray, and an update of it
 * is one gemm. A 1D-1D map and a block-cyclic map give each process one array. The user's local array is used in place
 * if its subarrays are these arrays; otherwise redistribution plans move the matrix in and out (factorization.c).
 *
 * Step k, for k = 0, 1, ...:
 *   1. Panel k (tile column k from tile row k on) arrives: rows of V or L, then T (QR), or L11 and pivots (LU).
 *   2. Tile column k + 1 is updated, and panel k + 1 starts: its owners send it to the process that factors it, or they
 *      factor it together.
 *   3. All other columns are updated, in intervals of tile columns. Between two gemms the engine makes progress: it
 *      factors panel k + 1 as soon as all its rows have arrived, and it forwards messages.
 * LU swaps the rows left of the panels once, after the last step, with all pivots composed.
 *
 * Panels, by rule (scalay_engine_plan_create() chooses):
 *   - one process factors the panel with LAPACK (geqr2 and larft, getrf, potrf and trsm); best for few processes;
 *   - the owners of the panel factor it together, column by column, with one reduction per column; best for many.
 *
 * Messages of a panel. The receivers of a sender's rows form groups that need the same rows. The sender packs the rows
 * of a group once, and a tree over the group passes them on, to each node once (parallel/relay.h), piece by piece. Each
 * process derives groups and trees from the map, without communication.
 *
 * Exchange within a tile column (engine_exchange.c). QR sums W = A^H V over the owners of a tile column; LU assembles
 * the w rows of U from the rows that the pivots name. Both have the same form: contributions, a combination, a
 * triangular product or solve. In columns with at most 4 owners each owner receives all contributions and combines them
 * itself. In other columns one owner per tile column combines and sends the result to the others (reduce-scatter and
 * gather), so a process sends O(1) times its columns instead of O(owners) times. Contributions are summed in ascending
 * order of processes, so all owners hold the same bits.
 *
 * Cholesky factors the lower triangle; the upper triangle is factored as the lower one of the transpose.
 *
 * Memory. All memory is allocated before the first element moves (scalay_engine_create()): two panels, and buffers of
 * limited size for messages and for intervals of columns. If the buffer of what leaves is full, further streams are
 * packed as soon as those before are complete (scalay_engine_advance()). All streams of a panel are expected at once:
 * if processes expected them in turn, each of them could wait for what another one sends later.
 *
 * Shared memory (engine_shared.c). If all processes are on one node and own whole tile columns, panels are not sent:
 * the others read them in the memory of the process that factors them.
 *
 * Progress. A process makes progress only inside library calls. Every wait also advances panels (engine_messages.c).
 * No call blocks in MPI except the final reduction of pivots, tau and info.
 *
 * Sources: Choi et al., ScaLAPACK's right-looking factorisations (1996); Schreiber, Van Loan (compact WY, 1989);
 * Petitet et al., HPL (lookahead, row swaps); Beaumont et al., Kalinov and Lastovetsky (maps for unequal processes).
 */

#include <mpi.h>

#include "base/status.h"
#include "factor/engine_arithmetic.h"
#include "factor/engine_plan.h"
#include "parallel/comm.h"
#include "parallel/shared_memory.h"
#include "scalay/types.h"

/** Kinds of messages. */
typedef enum {
    SCALAY_ENGINE_ROWS,         /* of owners of a panel to the process that factors it */
    SCALAY_ENGINE_PANEL,        /* a factored panel */
    SCALAY_ENGINE_REDUCTION,    /* in a panel that its owners factor together */
    SCALAY_ENGINE_CONTRIBUTION, /* to W or U */
    SCALAY_ENGINE_RESULT,       /* combined columns of W or U */
    SCALAY_ENGINE_SWAP,         /* rows left of the panels */
    SCALAY_ENGINE_TAGS = 8
} scalay_engine_message;

/** States of a panel on this process. */
typedef enum {
    SCALAY_PANEL_EMPTY,     /* nothing is expected */
    SCALAY_PANEL_GATHERING, /* this process factors it, and rows of the owners are pending */
    SCALAY_PANEL_RECEIVING, /* factored rows are pending */
    SCALAY_PANEL_READY      /* all rows have arrived */
} scalay_engine_panel_state;

/** A panel: rows of V or L that this process needs, followed by T and R (QR) or by L11 and pivots (LU). */
typedef struct {
    int k;         /* step */
    int width;     /* columns */
    int tile_rows; /* tile rows in the panel */
    int *row;      /* shape [tile_rows]: ascending */
    int *row_at;   /* shape [tile_rows + 1]: where each begins, in rows */
    int ld;
    char *v;        /* shape [width][ld] */
    char *extra;    /* the extra elements, behind the rows of the process that factors the panel */
    char *packed;   /* rows that leave; rows that arrive at the process that factors the panel */
    char *arrivals; /* rows that arrive from several senders */
    scalay_engine_panel_state state;
    scalay_engine_stream *stream; /* shape [streams], of capacity plan.stream_capacity */
    int streams;
    char **arrival;              /* shape [streams]: where each stream arrives; NULL: this process sends it */
    MPI_Request *receive;        /* of capacity plan.receive_capacity; of owners' rows: shape [receives] */
    int *receive_at;             /* shape [streams + 1]: where the requests of each stream begin */
    int *passed;                 /* shape [streams]: pieces of each stream that have arrived and been passed on */
    int first_owner, next_owner; /* owners whose rows are expected, if this process factors the panel */
    int receives;                /* requests of owners' rows */
    int is_factored;             /* 1: this process sends rows */
    int sent;                    /* streams that are sent, or that this process receives */
    int64_t packed_at;           /* elements of `packed` in use */
    MPI_Request *send;           /* shape [sends], of capacity plan.send_capacity */
    int sends;
} scalay_engine_panel;

/** Panels in shared memory. */
typedef struct {
    scalay_shared_window window; /* exists: panels are read where they are factored; segments by process */
    int64_t executions;          /* so far */
    int slot;                    /* of the last panel that this process has factored */
} scalay_engine_shared;

/** Columns of tile columns first .. last, without the first `skip` columns. */
typedef struct {
    int first, last;
    int skip;
} scalay_engine_range;

/** A pending exchange about a range (engine_exchange.c). */
typedef struct {
    scalay_engine_range range;
    char *block;                           /* W (columns x width) or U (width x columns), class after class */
    int64_t *block_at;                     /* shape [classes + 1]: where each class begins, in columns */
    char *out, *in;                        /* contributions */
    char *result_out, *result_in;          /* combined columns, if one owner combines a column */
    int64_t *in_at, *result_in_at;         /* shape [peers + 1]: where those of each peer begin */
    MPI_Request *request, *result_request; /* of capacity exchange_requests() (engine_run.c) */
    int requests, result_requests;
} scalay_engine_exchange;

/** The swaps of one step, composed: row from[i] becomes row i of the top; row top[d] of the top becomes row to[d]. */
typedef struct {
    int width, displaced;
    int *from;    /* shape [nb]: global rows */
    int *to;      /* shape [nb]: global rows below the top */
    int *top;     /* shape [nb]: indices in the top */
    int *touched; /* shape [m]: scratch, identity between uses */
    /* Of each class of this process, shapes [classes][nb] and [classes]. */
    int *own_index, *own_place, *own_count;  /* rows of U from this process, and where they are in its array */
    int *local_to, *local_top, *local_count; /* displaced rows whose both ends are in its array */
} scalay_engine_moves;

/** Seconds, messages and bytes of one execution on this process. */
typedef struct {
    double seconds;
    double panel_seconds; /* factoring panels */
    double wait_seconds;  /* waiting for messages */
    int64_t messages;     /* sent */
    int64_t bytes;        /* sent */
} scalay_engine_statistics;

/** An engine: a plan with its memory and its communicator. */
typedef struct {
    scalay_engine_plan plan;
    const scalay_engine_arithmetic *op;
    int64_t size;          /* bytes of an element */
    MPI_Datatype datatype; /* of an element */
    MPI_Comm mpi;          /* private */
    int mpi_failures;      /* of this process when `mpi` was created */
    int is_unsafe;         /* 1: a reduction failed, and MPI may still use its memory */
    char *a;               /* the local array of an execution */
    scalay_engine_panel panel[2];
    scalay_engine_shared shared;
    scalay_engine_exchange exchange[3];
    char *gathered;       /* rows of a panel by the rows of a class */
    char *columns;        /* Cholesky: rows of a panel by the columns of a class */
    char *work;           /* panels that their owners factor together; Cholesky: inverse of L11 */
    char *received;       /* reductions */
    int *owner;           /* shape [plan.owner_capacity]: owners of a panel */
    int *line;            /* global rows of a panel; shape [rows of the highest class] */
    int *list[2];         /* shape [nb]: scratch of exchanges */
    int *panel_pivot;     /* shape [nb] */
    int *pivot;           /* LU: shape [steps * nb]: 0-based; -1: not known to this process */
    char *tau;            /* QR: shape [steps * nb]; 0: not known to this process */
    int *source, *target; /* LU: composed swaps, shape [m] */
    int *source_row;      /* shape [rows of the highest class]: scratch */
    scalay_engine_moves moves;
    int info; /* 0, or the least that this process knows */
    scalay_engine_statistics statistics;
} scalay_engine;

/* ----------------------------------------------------------------------------------------------- life cycle */

/**
 * Allocates all memory of an execution. Not collective; no communication.
 * @param[in]     type    element type
 * @param[in,out] plan    taken over and zeroed, also on failure
 * @param[out]    engine  to be released with scalay_engine_free(), also on failure
 * @return SCALAY_SUCCESS, SCALAY_ERROR_MEMORY
 */
scalay_status scalay_engine_create(scalay_type type, scalay_engine_plan *plan, scalay_engine *engine);

/** Allocates panels in the memory of the process. @return SCALAY_SUCCESS, SCALAY_ERROR_MEMORY */
scalay_status scalay_engine_allocate_panels(scalay_engine *engine);

/** Makes the private communicator of an engine. Collective over mpi. @return SCALAY_SUCCESS, SCALAY_ERROR_MPI */
scalay_status scalay_engine_connect(scalay_engine *engine, MPI_Comm mpi);

/**
 * Lets the processes read panels in shared memory if they can (engine_shared.c). Collective over comm, whose ranks are
 * the processes.
 * @return SCALAY_SUCCESS; SCALAY_ERROR_MEMORY (also on some ranks only), SCALAY_ERROR_MPI
 */
scalay_status scalay_engine_share_panels(scalay_engine *engine, scalay_comm *comm);

/** Releases the memory and the communicator of an engine. Collective if it is connected. */
void scalay_engine_free(scalay_engine *engine);

/**
 * Factors the matrix in the local array `a`, in the arrays of plan.class. Collective. Allocates nothing. Afterwards tau
 * and pivots are complete on every process, and `info` is LAPACK's.
 * @return SCALAY_SUCCESS, SCALAY_ERROR_MPI
 */
scalay_status scalay_engine_execute(scalay_engine *engine, void *a);

/* -------------------------------------------------------------------------------- messages (engine_messages.c) */

/**
 * Starts to send elements to a process. Messages of one kind and number between two processes are sent and received in
 * the same order. The number is the step; SCALAY_ENGINE_PANEL: twice the index of the first sender among the owners of
 * the tile column, plus 1 if the step is odd. Streams of several senders, and of two steps, may take the same edge of
 * two trees in any order. The message is sent in pieces (parallel/pieces.h), whose requests are added to a list.
 */
scalay_status scalay_engine_send(scalay_engine *engine, const void *data, int64_t elements, int to,
                                 scalay_engine_message kind, int number, MPI_Request *request, int *requests);

/** Starts to receive elements from a process, likewise. */
scalay_status scalay_engine_receive(scalay_engine *engine, void *data, int64_t elements, int from,
                                    scalay_engine_message kind, int number, MPI_Request *request, int *requests);

/** Leaves the core to other processes. */
void scalay_engine_yield(void);

/** Waits for requests, and makes progress with panels meanwhile. */
scalay_status scalay_engine_wait(scalay_engine *engine, int count, MPI_Request *request);

/** What a reduction over the owners of panel k needs. */
typedef struct {
    scalay_engine *engine;
    int k;
    int owners; /* engine->owner[0 .. owners - 1] */
    int index;  /* of this process among them */
} scalay_engine_reduction;

/** Reduces over the owners of a panel by recursive doubling (a scalay_engine_reduce). */
scalay_status scalay_engine_reduce_panel(void *reduction, void *data, int64_t bytes, scalay_engine_combine combine);

/* ----------------------------------------------------------------------------------- panels (engine_panels.c) */

/** Starts panel k, whose columns have all updates of the steps before. */
scalay_status scalay_engine_start_panel(scalay_engine *engine, int k);

/** Waits for panel k; writes factored rows into the matrix; pivots and tau become known. */
scalay_status scalay_engine_finish_panel(scalay_engine *engine, int k);

/** Waits until all messages that this process sends of a panel have left, and makes progress meanwhile. */
scalay_status scalay_engine_empty_panel(scalay_engine *engine, scalay_engine_panel *panel);

/** Makes progress with the panels without waiting. */
scalay_status scalay_engine_advance(scalay_engine *engine);

/** Returns for how many rows, from tile row `first` of a class on, the right half of V is zero and is left out of
 *  products: those of the upper half of the triangle at the top of panel k; 0: the class does not have it, or the panel
 *  is narrow. */
int scalay_engine_half_top(const scalay_engine_class *class, int first, int k, int width);

/** Returns the rows of a panel that match the rows of a class from its tile row `first` on, with leading dimension. */
const char *scalay_engine_panel_rows(scalay_engine *engine, const scalay_engine_panel *panel,
                                     const scalay_engine_class *class, int first, int *ld);

/* ------------------------------------------------------------------- panels in shared memory (engine_shared.c) */

/** Makes the slots of this process its panels again. */
void scalay_engine_return_slots(scalay_engine *engine);

/**
 * Waits until the next slot of this process may be used, and makes it the panel.
 * @return SCALAY_SUCCESS, SCALAY_ERROR_MPI (another process has given up)
 */
scalay_status scalay_engine_take_slot(scalay_engine *engine, scalay_engine_panel *panel);

/** Tells the other processes that this process has factored a panel. */
void scalay_engine_publish(scalay_engine *engine, const scalay_engine_panel *panel);

/** Makes a panel ready if the process that factors it has done so. @return as scalay_engine_take_slot() */
scalay_status scalay_engine_find_shared(scalay_engine *engine, scalay_engine_panel *panel);

/** Tells the other processes that this process no longer needs the panel of step k. */
void scalay_engine_finish_step(scalay_engine *engine, int k);

/** Tells the other processes that this process does not go on, so that none waits for it. */
void scalay_engine_give_up(scalay_engine *engine);

/* --------------------------------------------------------- updates (engine_update.c and engine_exchange.c) */

/** Composes the swaps of panel k (LU). */
void scalay_engine_find_moves(scalay_engine *engine, int k);

/** Applies panel k to the columns of a range. */
scalay_status scalay_engine_update(scalay_engine *engine, int k, scalay_engine_range range);

/** Starts an exchange: contributions to W or U are computed and sent. */
scalay_status scalay_engine_exchange_begin(scalay_engine *engine, int k, scalay_engine_range range,
                                           scalay_engine_exchange *exchange);

/** Waits for contributions, combines them, and sends combined columns. */
scalay_status scalay_engine_exchange_combine(scalay_engine *engine, int k, scalay_engine_exchange *exchange);

/** Waits for combined columns: the block is complete, and rows of U are in the matrix. */
scalay_status scalay_engine_exchange_finish(scalay_engine *engine, int k, scalay_engine_exchange *exchange);

/** Swaps the rows left of the panels after the last step (LU). */
scalay_status scalay_engine_swap_left(scalay_engine *engine);

/** The columns of a class in a range: tile columns class->col[from .. to - 1], columns at .. at + width - 1. */
typedef struct {
    int from, to, at, width;
} scalay_engine_columns;

scalay_engine_columns scalay_engine_columns_of(const scalay_engine_class *class, scalay_engine_range range);

/* ------------------------------------------------------------------------------------------------- elements */

/** Returns the address of an element of a class's array. */
static inline char *scalay_engine_element(const scalay_engine *engine, const scalay_engine_class *class, int row,
                                          int col)
{
    return engine->a + engine->size * (class->offset + row + (int64_t)col * class->ld);
}

/** Copies a rows x cols block; leading dimensions count elements of `size` bytes. */
void scalay_engine_copy(int64_t size, int rows, int cols, const void *from, int64_t ld_from, void *to, int64_t ld_to);

#endif
