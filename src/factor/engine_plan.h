#ifndef SCALAY_FACTOR_ENGINE_PLAN_H
#define SCALAY_FACTOR_ENGINE_PLAN_H

/**
 * @file
 * Plan of a factorisation for one process: owners, storage, panels, messages, memory. Pure: no MPI.
 *
 * engine.h describes the algorithm. engine_map.c holds tile maps and who needs which rows, engine_plan.c the rest.
 */

#include "base/status.h"
#include "parallel/relay.h"
#include "scalay/factor.h"
#include "scalay/partition.h"

/* ------------------------------------------------------------------------------------------------ tile maps */

/** The tile rows, or the tile columns, of each class, ascending. */
typedef struct {
    int classes;
    int *start; /* shape [classes + 1]: those of class c are line[start[c]] .. line[start[c + 1] - 1] */
    int *line;
    int *class; /* shape [lines]: of each tile row or tile column */
} scalay_engine_axis;

/** The owner of each tile of an m x n matrix. */
typedef struct {
    int m, n;
    int nb; /* tile extent; the last tile row and tile column may be smaller */
    int tile_rows, tile_cols;
    int processes;
    scalay_engine_axis row, col;
    int *owner; /* shape [row.classes][col.classes] */
} scalay_engine_map;

/**
 * Makes a tile map from an owner map: the owner of a tile is the owner of its middle element. Not collective.
 * @param[in]  map        any owner map whose extents fit an int
 * @param[in]  process    shape [parts]: the process of each part; NULL: the same number
 * @param[in]  processes  at least 1
 * @param[in]  nb         tile extent, at least 1
 * @param[in]  transpose  1: the map of the transpose
 * @param[out] tiles      to be released with scalay_engine_map_free(), also on failure
 * @return SCALAY_SUCCESS, SCALAY_ERROR_MEMORY
 */
scalay_status scalay_engine_map_create(const scalay_owner_map *map, const int *process, int processes, int nb,
                                       int transpose, scalay_engine_map *tiles);

/** Releases the arrays of a tile map and zeroes it. */
void scalay_engine_map_free(scalay_engine_map *tiles);

/** Returns the rows of tile row i. */
static inline int scalay_engine_height(const scalay_engine_map *map, int i)
{
    return map->m - i * map->nb < map->nb ? map->m - i * map->nb : map->nb;
}

/** Returns the columns of tile column j. */
static inline int scalay_engine_breadth(const scalay_engine_map *map, int j)
{
    return map->n - j * map->nb < map->nb ? map->n - j * map->nb : map->nb;
}

/** Returns the owner of tile (i, j). */
static inline int scalay_engine_owner(const scalay_engine_map *map, int i, int j)
{
    return map->owner[map->row.class[i] * map -> col.classes + map->col.class[j]];
}

/** Returns the position of the first of `count` ascending numbers that is at least x. */
int scalay_engine_find(const int *number, int count, int x);

/* ------------------------------------------------------------------------------------------------- needs */

/** A process and the last tile row or tile column in which it takes part. */
typedef struct {
    int process;
    int last;
} scalay_engine_reach;

/** The processes that take part in each class, ascending. */
typedef struct {
    int classes;
    int64_t *start;             /* shape [classes + 1] */
    scalay_engine_reach *entry; /* those of class c are entry[start[c]] .. entry[start[c + 1] - 1] */
    int64_t capacity;
} scalay_engine_reaches;

/**
 * Finds the owners of each column class, with the last tile row of each. Cholesky: in the lower triangle.
 * @return SCALAY_SUCCESS, SCALAY_ERROR_MEMORY
 */
scalay_status scalay_engine_find_owners(const scalay_engine_map *map, scalay_factor_kind kind,
                                        scalay_engine_reaches *owners);

/**
 * Finds the processes that need the rows of a panel. Tile rows with the same such processes form a line class: a row
 * class for QR and LU; for Cholesky a pair (row class, column class), because row i of L is needed by the owners of
 * tile row i and of tile column i. `last` is the last step after which the process still needs the rows.
 * @param[out] line_class  shape [tile rows]; to be released with scalay_release()
 * @return SCALAY_SUCCESS, SCALAY_ERROR_MEMORY
 */
scalay_status scalay_engine_find_needs(const scalay_engine_map *map, scalay_factor_kind kind,
                                       const scalay_engine_reaches *owners, int **line_class,
                                       scalay_engine_reaches *needs);

/** Returns the last step of a process in a class; -1 if it has no part in the class. */
int scalay_engine_last(const scalay_engine_reaches *reaches, int class, int process);

/** Releases the arrays of a table and zeroes it. */
void scalay_engine_reaches_free(scalay_engine_reaches *reaches);

/** Returns the index in reaches->entry of the first process of a class that is at least `process`. */
int64_t scalay_engine_reach_index(const scalay_engine_reaches *reaches, int class, int process);

/* ----------------------------------------------------------------------------------------------------- plan */

/** Tile columns in which this process owns the same tile rows: one column-major array. */
typedef struct {
    int rows, cols;       /* tile rows and tile columns */
    int *row, *col;       /* which, ascending */
    int *row_at, *col_at; /* shapes [rows + 1], [cols + 1]: where each begins in the array; the last are its extents */
    int64_t offset;       /* in the local array */
    int ld;
} scalay_engine_class;

/** A column class in which this process owns something. */
typedef struct {
    int class;                        /* index of its scalay_engine_class */
    int owners;                       /* with this process */
    int *peer;                        /* shape [owners]: index of each owner among the peers; -1: this process */
    const scalay_engine_reach *owner; /* shape [owners] */
    int is_scattered; /* 1: one owner per tile column combines contributions; 0: each of the owners does */
} scalay_engine_column_class;

/** Numbers of messages of one kind; owners of a panel that factor it together are at most half as many. */
enum { SCALAY_ENGINE_MAX_NUMBER = 4096 };

/** Rows of a panel on their way from one sender to the group of its receivers that need the same rows. */
typedef struct {
    int sender; /* first sender */
    int number; /* index of the sender among the owners of the tile column; 0 if one process factors the panel */
    scalay_relay relay; /* where they come from, and to whom this process passes them on */
    int member;         /* a receiver: its needs are those of the group */
    int has_r;          /* QR: 1: the message includes R, for a receiver that owns the diagonal tile */
    int rows, ld;
    int64_t elements;
} scalay_engine_stream;

/** How a plan is made. */
typedef struct {
    scalay_factor_kind kind;
    int element_size;    /* bytes */
    int panels_together; /* 1: owners factor panels together; 0: one process does; -1: choose */
    const double *speed; /* shape [processes]: relative speeds; NULL: equal */
    const int *node;     /* shape [processes]: the node of each, while the plan is in use; NULL: one node */
    int64_t buffer;      /* elements that the buffer for a panel's messages may have in any case; 0: 256 KiB of them */
    int64_t piece;       /* elements of the longest message of a panel or an exchange; 0: no limit */
    int shares_memory;   /* 1: scalay_engine_share_panels() follows, and gives panels their memory if it can */
} scalay_engine_settings;

/** A plan for one process. */
typedef struct {
    scalay_engine_settings settings; /* its speed is NULL, its node is the caller's, its piece is at least 1 */
    scalay_engine_map map;           /* owned by the plan */
    int process;
    int steps;
    int *factorer;                /* shape [steps]: process that factors each panel; -1: its owners together */
    scalay_engine_reaches owners; /* by column class */
    scalay_engine_reaches needs;  /* by line class */
    int *line_class;              /* shape [tile rows] */

    int classes;
    scalay_engine_class *class;
    int *class_of, *place_of; /* shape [tile cols]: class of each tile column and index in it; -1: none */
    int own_cols, *own_col;   /* tile columns in which the process owns something, ascending */
    int64_t local_size;       /* elements of an own local array */

    int column_classes;
    scalay_engine_column_class *column_class;
    int *column_class_of; /* shape [map.col.classes]; -1: none */
    int peers, *peer;     /* processes that own tiles in the same tile columns, ascending */
    int has_scattered;    /* 1: some column class on any process is scattered */
    int interval;         /* tile columns of an exchange: those with equal j / interval */

    /* Capacities in elements, unless said otherwise. */
    int64_t panel_capacity;    /* of a panel with its extra elements */
    int64_t packed_capacity;   /* of rows that leave; of rows that arrive at the process that factors the panel */
    int64_t arrival_capacity;  /* of rows that arrive from several senders */
    int64_t gathered_capacity; /* of rows of a panel for a class; 0: those rows are adjacent in all panels */
    int64_t columns_capacity;
    int64_t block_capacity, out_capacity, in_capacity, result_out_capacity, result_in_capacity;
    int exchanges;            /* slots */
    int panel_rows_capacity;  /* tile rows of a panel */
    int stream_capacity;      /* streams of a panel */
    int64_t send_capacity;    /* requests of what is sent of a panel */
    int64_t receive_capacity; /* requests of what arrives of a panel */
    int owner_capacity;       /* owners of a panel */

    /* Scratch of scalay_engine_streams(). */
    struct scalay_engine_scratch *scratch;
} scalay_engine_plan;

/**
 * Makes the plan of one process. Not collective.
 * @param[in]     function  public function, for messages
 * @param[in]     settings  settings->node must outlive the plan, settings->speed need not outlive the call
 * @param[in,out] map       the plan takes its arrays and zeroes it, also on failure
 * @param[in]     process   in [0, map->processes)
 * @param[out]    plan      to be released with scalay_engine_plan_free(), also on failure
 * @return SCALAY_SUCCESS, SCALAY_ERROR_RANGE (a message exceeds 2^31 - 1 elements), SCALAY_ERROR_MEMORY
 */
scalay_status scalay_engine_plan_create(const char *function, const scalay_engine_settings *settings,
                                        scalay_engine_map *map, int process, scalay_engine_plan *plan);

/** Releases the arrays of a plan and zeroes it. */
void scalay_engine_plan_free(scalay_engine_plan *plan);

/** Returns 1 if the owners of some panel factor it together. */
static inline int scalay_engine_factors_together(const scalay_engine_plan *plan)
{
    for (int k = 0; k < plan->steps; k++)
        if (plan->factorer[k] < 0) return 1;
    return 0;
}

/** Returns 1 if panels are to be in shared memory: all processes own whole tile columns, and one process factors each
 *  panel. */
static inline int scalay_engine_shares_panels(const scalay_engine_plan *plan)
{
    return plan->settings.shares_memory && plan->steps > 0 && plan->map.row.classes == 1 &&
           !scalay_engine_factors_together(plan);
}

/** Returns the elements of the n-th panel that this process factors, n = 0, 1, ...; 0: there are less. */
int64_t scalay_engine_own_panel(const scalay_engine_plan *plan, int n);

/** Returns the columns of panel k. */
static inline int scalay_engine_panel_width(const scalay_engine_plan *plan, int k)
{
    const int width = scalay_engine_breadth(&plan->map, k), height = plan->map.m - k * plan->map.nb;
    return width < height ? width : height;
}

/** Returns 1 if a process needs tile row i of panel k, i >= k. */
static inline int scalay_engine_needs(const scalay_engine_plan *plan, int process, int i, int k)
{
    return scalay_engine_last(&plan->needs, plan->line_class[i], process) >= k + (plan->factorer[k] < 0);
}

/** Returns 1 if this process keeps tile row i of panel k, i >= k: it needs it, factors it, or sends it. */
int scalay_engine_keeps_row(const scalay_engine_plan *plan, int i, int k);

/** Returns the leading dimension of a panel of so many rows. */
int scalay_engine_leading(int rows);

/** Returns the elements behind the rows of a panel: T and R (QR), L11 and the pivots (LU). */
int64_t scalay_engine_extra(const scalay_engine_plan *plan, int k, int has_r);

/**
 * Lists the streams of panel k that a process sends or receives. Not collective. O(tile rows + needs of the senders).
 * @param[in]  capacity  of `stream`; further streams are only counted
 * @param[out] stream    shape [capacity]
 * @return their number
 */
int scalay_engine_streams(const scalay_engine_plan *plan, int k, int process, int capacity,
                          scalay_engine_stream *stream);

/** Returns 1 if the sender of a stream of panel k has tile row i, i >= k. */
int scalay_engine_sends_row(const scalay_engine_plan *plan, int k, int sender, int i);

/** Lists the owners of panel k, ascending; returns their number. @param[out] owner  shape [plan->owner_capacity] */
int scalay_engine_panel_owners(const scalay_engine_plan *plan, int k, int *owner);

/** Returns the rows of tile column k, from tile row k on, that a process owns. */
int scalay_engine_owned_rows(const scalay_engine_plan *plan, int k, int process);

/**
 * Returns the process that combines the contributions for tile column j at step k; -1: each owner does. `class` is the
 * column class of j.
 */
int scalay_engine_combiner(const scalay_engine_plan *plan, const scalay_engine_column_class *class, int j, int k);

/** What a process sends in an execution. */
typedef struct {
    int64_t panel_messages, panel_elements;       /* panels, rows for the process that factors them included */
    int64_t exchange_messages, exchange_elements; /* QR: W; LU: rows of U if pivots name rows evenly */
} scalay_engine_traffic;

/** Counts what this process sends. Not collective. O(steps (tile rows + needs)). */
scalay_engine_traffic scalay_engine_count(const scalay_engine_plan *plan);

/** Returns the bytes that an execution takes besides the local array. */
int64_t scalay_engine_workspace(const scalay_engine_plan *plan);

#endif
