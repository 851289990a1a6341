#ifndef SCALAY_MULTIPLY_SUMMA_OBJECT_H
#define SCALAY_MULTIPLY_SUMMA_OBJECT_H

/** @file What a planned multiplication holds, and what its files share. */

#include "multiply/summa_gemm.h"
#include "multiply/summa_side.h"
#include "parallel/agree.h"
#include "parallel/comm.h"
#include "scalay/multiply.h"

/** One gemm for each panel: a dense array of C, or several tiles of it, by an interval of the lines of each panel. */
typedef struct {
    int rows, cols;
    int64_t row; /* its first row's position in panels of A */
    int64_t col; /* its first column's position in panels of B */
    int64_t offset;
    int ld;
    int64_t first_tile; /* they are tiles[first_tile] .. tiles[end_tile - 1]; none: an array, at offset */
    int64_t end_tile;
} scalay_summa_call;

/** A tile of C in a call. */
typedef struct {
    int64_t row, col; /* of its first element, in the call */
    int64_t rows, cols;
    int64_t offset; /* in C */
    int64_t ld;
} scalay_summa_tile;

/** A way for panels to travel. */
typedef struct scalay_summa_transport scalay_summa_transport;

/** What an execution works on. */
typedef struct {
    const char *matrix[2]; /* the local arrays of A and B */
    const void *alpha;
    const void *beta;
    char *c;
} scalay_summa_operands;

/** The sets of owners of C's lines that a rank is in (summa_sets.h). */
typedef struct scalay_summa_sets scalay_summa_sets;

struct scalay_summa {
    scalay_comm *comm;
    scalay_type type;
    scalay_op op[2];
    const scalay_summa_gemm *gemm;
    scalay_summa_options options;
    scalay_summa_side side[2];
    scalay_summa_panels panels;
    scalay_summa_call *calls; /* shape [call_count] */
    int64_t call_count;
    int64_t call_room;
    scalay_summa_tile *tiles; /* shape [tile_count] */
    int64_t tile_count;
    int64_t tile_room;
    int64_t gathered;    /* elements of the largest call that is made of tiles */
    char *gather;        /* shape [gathered] elements: where such calls are made */
    int64_t elements[3]; /* of A, B and C on this rank */
    int64_t volume;
    scalay_summa_sets *sets[2]; /* NULL: nobody has asked for them */
    int is_scattered; /* what is needed lies in short stretches in its owners' memory; the same on every rank */
    const scalay_summa_transport *transport;
    void *transport_state;
    scalay_summa_statistics statistics;
};

/**
 * Finds the order of panel lines and the calls of gemm; fills classes, positions and lines of both sides.
 * @return SCALAY_SUCCESS, SCALAY_ERROR_RANGE, SCALAY_ERROR_MEMORY
 */
scalay_status scalay_summa_find_calls(scalay_summa *summa, const scalay_layout *c);

/** One call of gemm, whose arguments are there but for C's, with its tiles gathered and put back. */
void scalay_summa_multiply_tiles(scalay_summa *summa, const scalay_summa_call *call, scalay_gemm_arguments *gemm,
                                 char *c);

/** Finds the way for panels to travel. Collective: the same status on every rank. */
scalay_status scalay_summa_choose_transport(scalay_summa *summa, const char *name, const scalay_layout *c,
                                            const scalay_summa_panels *classes);

/** Cuts the inner index into panels that fit, given its classes. Collective: the same status on every rank. */
scalay_status scalay_summa_choose_panels(scalay_summa *summa, const scalay_summa_panels *classes);

/* Panels of this width keep gemm at full speed: BLAS libraries work through the inner index in steps of about as many
 * (OpenBLAS: 256 to 384 in double precision), and C is read and written once in each. */
enum { SCALAY_SUMMA_WIDTH = 256 };

struct scalay_summa_transport {
    const char *name;
    int width; /* of panels, unless the caller says */
    /** Finds out what the other two ask for. Collective: the same status on every rank. NULL: nothing. */
    scalay_status (*probe)(scalay_summa *summa, const scalay_layout *c, const scalay_summa_panels *classes);
    /** 1 when it can be used, the same on every rank; otherwise *reason says why not. Does not communicate. */
    int (*applicable)(const scalay_summa *summa, const char **reason);
    /** 1 when "auto" may take it, the same on every rank; NULL: whenever it is applicable. Does not communicate. */
    int (*helps)(const scalay_summa *summa);
    /** The bytes that panels and messages of these panels take on this rank. Does not communicate. */
    int64_t (*workspace)(const scalay_summa *summa, const scalay_summa_panels *panels);
    /** Makes the transport_state, for summa->panels. Collective: ends with the same status on every rank. On failure
     *  `destroy` is called. */
    scalay_status (*create)(scalay_summa *summa);
    /** An execution begins. */
    scalay_status (*begin)(scalay_summa *summa, const scalay_summa_operands *operands);
    /** Starts to move a panel. The panel before it has been taken, but may still be in use. */
    scalay_status (*start)(scalay_summa *summa, const scalay_summa_operands *operands, int64_t panel);
    /** Waits for the panel that was started last; view: shape [2]. */
    scalay_status (*take)(scalay_summa *summa, const scalay_summa_operands *operands, int64_t panel,
                          scalay_summa_view *view);
    /** Lets what is under way go on. NULL: nothing is. */
    scalay_status (*advance)(scalay_summa *summa);
    /** All panels have been multiplied, or an error ends the execution. */
    scalay_status (*end)(scalay_summa *summa);
    /** Releases the transport_state, NULL or half made included. */
    void (*destroy)(scalay_summa *summa);
};

/**
 * What "shared" does on this rank in an execution, without doing it. Not collective.
 * @param[in]  is_seen    shape [2]: 1: A, or B, is in arrays of scalay_alloc()
 * @param[out] stretches  of others' memory that are read
 * @param[out] copied     elements that are read or copied into panels
 * @return SCALAY_SUCCESS
 */
scalay_status scalay_summa_count_reading(const scalay_summa *summa, const int is_seen[2], int64_t *stretches,
                                         int64_t *copied);

extern const scalay_summa_transport scalay_summa_messages;
extern const scalay_summa_transport scalay_summa_shared;
extern const scalay_summa_transport scalay_summa_broadcast;

#endif
