#ifndef SCALAY_MULTIPLY_SUMMA_H
#define SCALAY_MULTIPLY_SUMMA_H

/** @file The SUMMA plan, its gemm calls, and the interface of its transports. */

#include "multiply/product.h"
#include "multiply/summa_geometry.h"
#include "parallel/agree.h"
#include "parallel/comm.h"
#include "scalay/multiply.h"

/** One gemm per panel: on a dense array of C, or on several tiles of C together. */
typedef struct {
    int rows, cols;
    int64_t row; /* position of the first row in panels of A */
    int64_t col; /* position of the first column in panels of B */
    int64_t offset;
    int ld;
    int64_t first_tile; /* the call has tiles[first_tile] .. tiles[end_tile - 1]; none: it has an array, at offset */
    int64_t end_tile;
} scalay_summa_call;

/** A tile of C in a call. */
typedef struct {
    int64_t row, col; /* of its first element, in the call */
    int64_t rows, cols;
    int64_t offset; /* in C */
    int64_t ld;
} scalay_summa_tile;

typedef struct scalay_summa_transport scalay_summa_transport;

/** What is known of the arrays of a matrix when a plan is made. Only arrays of scalay_alloc() are visible to other
 * ranks.
 */
typedef enum { SCALAY_SUMMA_UNKNOWN, SCALAY_SUMMA_ORDINARY, SCALAY_SUMMA_VISIBLE } scalay_summa_arrays;

/** Arguments of an execution. */
typedef struct {
    const char *matrix[2]; /* local arrays of A and B */
    const void *alpha;
    const void *beta;
    char *c;
} scalay_summa_operands;

/** Owner sets of a side (summa_broadcast.c). */
typedef struct scalay_summa_sets scalay_summa_sets;

struct scalay_summa {
    scalay_comm *comm;
    scalay_type type;
    scalay_op op[2];
    const scalay_gemm_operations *gemm;
    scalay_summa_options options;
    scalay_summa_side side[2];
    scalay_summa_panels panels;
    scalay_summa_call *calls; /* shape [call_count] */
    int64_t call_count;
    int64_t call_capacity;
    scalay_summa_tile *tiles; /* shape [tile_count] */
    int64_t tile_count;
    int64_t tile_capacity;
    int64_t gathered;              /* elements of the largest call that consists of tiles */
    char *gather;                  /* shape [gathered] elements: copies of the tiles of one call */
    int64_t elements[3];           /* of A, B and C on this rank */
    scalay_summa_sets *sets[2];    /* NULL: not needed by the transports that were probed */
    scalay_summa_arrays arrays[2]; /* of A and B */
    int64_t segments[2];           /* of A and B, that "shared" would read, all ranks together */
    int64_t incoming[2];           /* elements in them */
    int64_t reading[3]; /* nanoseconds of the busiest rank: to read A and B in ordinary arrays; passes over C */
    int64_t sending[3]; /* likewise, to get them in messages */
    const scalay_machine *rates; /* for these, if they were measured; during the creation of the plan only */
    scalay_layout *undecided;    /* C, until the first execution shows the arrays; NULL: the transport is settled */
    const scalay_summa_transport *transport;
    void *transport_state;
    int64_t piece_bytes;      /* of messages between nodes; INT64_MAX: whole messages */
    int64_t lost_panel;       /* of this execution: this rank could not get this panel and the later ones */
    int64_t first_lost_panel; /* minimum over the ranks, after `end`; panels.panels: nothing was lost */
    scalay_summa_statistics statistics;
};

/**
 * Creates a plan as scalay_summa_create() does.
 * @param[in] arrays  shape [2]: of A and B, for the choice of transport. If it depends on unknown ones, the first
 *                    execution settles it
 * @param[in] rates   for the choice of transport. NULL: those of the communicator, if they were measured. Without a
 *                    curve of copying, the choice depends on the length of segments
 */
scalay_status scalay_summa_create_for(scalay_comm *comm, scalay_type type, const scalay_op op[2],
                                      const scalay_layout *const layout[3], const scalay_summa_options *options,
                                      const scalay_summa_arrays arrays[2], const scalay_machine *rates,
                                      scalay_summa **summa);

/**
 * Finds the order of the lines in panels and the gemm calls. Sets classes, positions and lines of both sides. Not
 * collective.
 * @return SCALAY_SUCCESS, SCALAY_ERROR_RANGE, SCALAY_ERROR_MEMORY
 */
scalay_status scalay_summa_find_calls(scalay_summa *summa, const scalay_layout *c);

/**
 * Width of panels at which gemm runs at full speed. BLAS libraries block the inner index at about this width (OpenBLAS:
 * 256 to 384 in double precision), and read and write C once per block.
 */
enum { SCALAY_SUMMA_WIDTH = 256 };

/**
 * Settles the transport of a plan that waits for the arrays of its first execution: ordinary arrays are sent if that is
 * predicted to be faster. Collective, once for each plan; nothing is done if the transport is settled. If the other
 * transport has not enough memory, the plan continues to read.
 * @return SCALAY_SUCCESS, SCALAY_ERROR_MPI
 */
scalay_status scalay_summa_settle(scalay_summa *summa, const scalay_summa_operands *operands);

/** Returns the default width of the panels of a transport. Not collective. */
int64_t scalay_summa_default_width(const scalay_summa *summa, const scalay_summa_transport *transport,
                                   const scalay_summa_panels *classes);

/** Returns 1 if messages are predicted to be faster than "shared", with arrays that are not known taken for `unknown`.
 * The same on every rank. Not collective. */
int scalay_summa_should_send(const scalay_summa *summa, scalay_summa_arrays unknown);

/** A transport of panels. */
struct scalay_summa_transport {
    const char *name;
    int width; /* default width of panels */
    /** Determines what the next two functions use. Collective, with the same status on every rank. NULL: nothing. */
    scalay_status (*probe)(scalay_summa *summa, const scalay_layout *c, const scalay_summa_panels *classes);
    /** Returns 1 if the transport can be used, the same on every rank. Otherwise sets *reason. Not collective. */
    int (*applicable)(const scalay_summa *summa, const char **reason);
    /** Returns 1 if "auto" may choose the transport, the same on every rank. NULL: if applicable. Not collective. */
    int (*helps)(const scalay_summa *summa);
    /** Returns the bytes of panels and messages on this rank. Not collective. */
    int64_t (*workspace)(const scalay_summa *summa, const scalay_summa_panels *panels);
    /** Creates transport_state for summa->panels. Collective, with the same status on every rank. After a failure,
     *  `destroy` is called. */
    scalay_status (*create)(scalay_summa *summa);
    /** Begins an execution. */
    scalay_status (*begin)(scalay_summa *summa, const scalay_summa_operands *operands);
    /** Starts to move a panel. The panel before it has been taken, but may still be in use. */
    scalay_status (*start)(scalay_summa *summa, const scalay_summa_operands *operands, int64_t panel);
    /** Waits for the panel that was started last. Sets view, shape [2]. A transport that can no longer get panels sets
     *  summa->lost_panel instead, and summa->first_lost_panel in `end`. The execution then gets them by messages. */
    scalay_status (*take)(scalay_summa *summa, const scalay_summa_operands *operands, int64_t panel,
                          scalay_summa_view *view);
    /** Makes progress on pending operations. NULL: there are none. */
    scalay_status (*advance)(scalay_summa *summa);
    /** Ends an execution, after the last panel or after an error. */
    scalay_status (*end)(scalay_summa *summa);
    /** Releases transport_state, which may be NULL or incomplete. */
    void (*destroy)(scalay_summa *summa);
};

extern const scalay_summa_transport scalay_summa_messages;
extern const scalay_summa_transport scalay_summa_shared;
extern const scalay_summa_transport scalay_summa_broadcast;

/**
 * Counts what the transport "shared" does on this rank in one execution. Not collective.
 * @param[in]  is_visible  shape [2]: 1 if A, or B, is in arrays of scalay_alloc()
 * @param[out] segments    read from the memory of other ranks
 * @param[out] copied      elements read or copied into panel buffers
 * @return SCALAY_SUCCESS
 */
scalay_status scalay_summa_count_reading(const scalay_summa *summa, const int is_visible[2], int64_t *segments,
                                         int64_t *copied);

/** Releases the owner sets of a side with their communicators; NULL is allowed. */
void scalay_summa_sets_destroy(scalay_summa_sets **sets);

#endif
