#ifndef SCALAY_MULTIPLY_SUMMA_GEOMETRY_H
#define SCALAY_MULTIPLY_SUMMA_GEOMETRY_H

/**
 * @file
 * Geometry of SUMMA: which blocks of A and B each rank needs, and how the inner index is cut into panels.
 *
 * A "side" is A or B. Its lines are the rows of op(A) or the columns of op(B). The inner index k runs along the lines.
 * Every set of elements that travels is a product of two sets of indices:
 *   - a class overlap: lines of one class of the matrix and one class of C;
 *   - a slice of a panel: inner indices of one class of A and one class of B.
 * Regular layouts have few classes, so the number of overlaps and slices does not depend on the block size.
 *
 * A rank knows the overlaps that it needs, by source, and the overlaps that it holds, by receiver group. Both lists are
 * sorted by classes, so sender and receiver agree on the order of the blocks without communication.
 *
 * The order of summation is free. Inner indices with the same class in A and in B therefore common a panel, also if
 * they are scattered. Then a line of a panel has one owner, and on a block-cyclic grid it is contiguous in the memory
 * of that owner. Panels of different classes alternate, so that the senders alternate. Classes with fewer indices than
 * a panel common one panel.
 */

#include "layout/axis.h"
#include "layout/layout.h"

/** Index of a side in arrays of two. */
enum { SCALAY_SUMMA_A = 0, SCALAY_SUMMA_B = 1 };

/* ----------------------------------------------------------------------------------------------- panels */

/** Inner indices that are consecutive in the local arrays of A and of B. */
typedef struct {
    int64_t local[2]; /* local index of the first within its class of A and of B */
    int64_t count;
} scalay_summa_inner_run;

/** Inner indices of one class of A and one class of B. */
typedef struct {
    int64_t class[2];
    int64_t position; /* of the first index in the panel */
    int64_t width;
    int64_t first; /* its runs are inner[first] .. inner[end - 1] */
    int64_t end;
} scalay_summa_slice;

/** A panel: slice[first] .. slice[end - 1]. */
typedef struct {
    int64_t first;
    int64_t end;
    int64_t width;
} scalay_summa_panel;

/** All panels; the same on every rank. Zeroed is empty. */
typedef struct {
    int64_t extent; /* of the inner index */
    int64_t max_width;
    int64_t panels;
    scalay_summa_panel *panel;
    int64_t panel_capacity;
    int64_t slices;
    scalay_summa_slice *slice;
    int64_t slice_capacity;
    int64_t runs;
    scalay_summa_inner_run *inner;
    int64_t run_capacity;
} scalay_summa_panels;

/**
 * Finds the classes of the inner index: one panel with one slice for each pair of classes. Not collective.
 * @param[in]  a, b     inner axis of A and of B
 * @param[out] classes  release with scalay_summa_panels_free(), also on failure
 * @return SCALAY_SUCCESS, SCALAY_ERROR_MEMORY
 */
scalay_status scalay_summa_classes_create(const scalay_axis *a, const scalay_axis *b, scalay_summa_panels *classes);

/**
 * Cuts the classes into panels. Not collective.
 * @param[in]  max_width   at least 1
 * @param[in]  alternates  1: panels have indices of each quarter of the classes. Nodes often hold adjacent classes, so
 *                         the links of several nodes carry each panel, in both directions at once. 0: panels have as
 *                         few classes as possible, and can be used where they are
 * @param[out] panels      as in scalay_summa_classes_create()
 * @return SCALAY_SUCCESS, SCALAY_ERROR_MEMORY
 */
scalay_status scalay_summa_panels_create(const scalay_summa_panels *classes, int64_t max_width, int alternates,
                                         scalay_summa_panels *panels);

/** Releases the arrays of `panels` and zeroes it. */
void scalay_summa_panels_free(scalay_summa_panels *panels);

/* ------------------------------------------------------------------------------------------------ sides */

/** Lines that are consecutive in the local array of the matrix and in a panel of the rank that needs them. */
typedef struct {
    int64_t local;    /* local index of the first within its class of the matrix */
    int64_t position; /* of the first in the panel; set for needed overlaps only */
    int64_t count;
} scalay_summa_line_run;

/** Class overlap: the lines of a class of the matrix that are in a class of C. */
typedef struct {
    int64_t class;   /* of the matrix */
    int64_t c_class; /* of C */
    int64_t first;   /* its runs are lines[first] .. lines[end - 1], ascending */
    int64_t end;
    int64_t count; /* lines in them */
} scalay_summa_overlap;

/** Overlaps with their runs. */
typedef struct {
    scalay_summa_overlap *overlap; /* shape [overlaps], by class and c_class */
    int64_t overlaps;
    int64_t overlap_capacity;
    scalay_summa_line_run *lines;
    int64_t runs;
    int64_t run_capacity;
} scalay_summa_overlaps;

/** Receiver group: ranks that need the same overlaps of those that this rank holds. */
typedef struct {
    int64_t first_rank; /* they are receiver_rank[first_rank] .. receiver_rank[end_rank - 1] */
    int64_t end_rank;
    int64_t first_overlap; /* their overlaps are held.overlap[receiver_overlap[first_overlap]] .. */
    int64_t end_overlap;
} scalay_summa_receivers;

/** A or B. */
typedef struct {
    int which;                /* SCALAY_SUMMA_A or _B */
    scalay_layout *layout;    /* owned */
    int lines_are_rows;       /* 1: lines are rows of the stored matrix and of panels */
    size_t size;              /* of an element, in bytes */
    int rank;                 /* calling rank */
    const int64_t *remote_ld; /* shape [ranks]: leading dimensions known to their owners only; 0: as in the layout.
                                 NULL: only this rank's array is addressed */
    int64_t lines;            /* that this rank needs: the extent of its panels */
    int64_t classes;          /* of C in which this rank owns elements */
    int64_t *class;           /* shape [classes], ascending */
    int64_t *position;        /* shape [classes]: of the first line of the class in panels */
    scalay_summa_overlaps needed;
    scalay_summa_overlaps held;        /* of those, the ones that other ranks need */
    scalay_summa_receivers *receivers; /* shape [receiver_groups] */
    int64_t receiver_groups;
    int64_t *receiver_overlap;
    int *receiver_rank;
} scalay_summa_side;

/** Returns the index of a class of C in side->class. */
int64_t scalay_summa_find_class(const scalay_summa_side *side, int64_t class);

/** Returns the axis of the stored matrix along which the inner index runs. */
const scalay_axis *scalay_summa_inner_axis(const scalay_summa_side *side);

/**
 * Finds the overlaps that a rank needs and holds, and the receiver groups. Not collective. Set before: layout, which,
 * lines_are_rows, size, rank, class and position.
 * @param[in] c  layout of C
 * @return SCALAY_SUCCESS, SCALAY_ERROR_MEMORY
 */
scalay_status scalay_summa_side_plan(scalay_summa_side *side, const scalay_layout *c);

/** Releases the arrays of a side and zeroes it. */
void scalay_summa_side_free(scalay_summa_side *side);

/** Returns the elements that this rank needs and does not hold. */
int64_t scalay_summa_side_incoming(const scalay_summa_side *side, const scalay_summa_panels *classes);

/** A list of distinct ranks. */
typedef struct {
    int *rank; /* shape [count] */
    int64_t count;
    int64_t capacity;
} scalay_summa_ranks;

/**
 * Appends the processes that own elements of a class of C's lines, in any order. Not collective.
 * @param[in]     which    SCALAY_SUMMA_A: rows of C; SCALAY_SUMMA_B: columns
 * @param[in,out] visited  shape [processes of C], zero before and after
 * @return SCALAY_SUCCESS, SCALAY_ERROR_MEMORY
 */
scalay_status scalay_summa_add_owners(int which, const scalay_layout *c, int64_t c_class, char *visited,
                                      scalay_summa_ranks *ranks);

/* ----------------------------------------------------------------------------------------------- blocks */

/** A class overlap times a slice, in the memory of one process. */
typedef struct {
    const scalay_summa_overlap *overlap;
    const scalay_summa_line_run *lines; /* the runs of the overlap: lines[overlap->first] .. */
    const scalay_summa_slice *slice;
    int owner;
} scalay_summa_block;

/** Iterator over the blocks of a panel, slice by slice, overlap by overlap. */
typedef struct {
    const scalay_summa_side *side;
    const scalay_summa_overlaps *overlaps;
    const int64_t *chosen; /* overlaps to visit; NULL: all */
    int64_t count;         /* of these */
    int64_t slice, end_slice, next;
    const scalay_summa_panels *panels;
} scalay_summa_walk;

/** Returns an iterator over the blocks that this rank needs of a panel. */
scalay_summa_walk scalay_summa_walk_needed(const scalay_summa_side *side, const scalay_summa_panels *panels,
                                           int64_t panel);

/** Returns an iterator over the blocks of a panel that a receiver group needs, of every owner. The caller skips blocks
 *  whose owner is another rank. */
scalay_summa_walk scalay_summa_walk_held(const scalay_summa_side *side, const scalay_summa_receivers *receivers,
                                         const scalay_summa_panels *panels, int64_t panel);

/** Sets *block to the next block. Returns 0 at the end. */
int scalay_summa_walk_next(scalay_summa_walk *walk, scalay_summa_block *block);

/** Returns the cell of the layout that contains a block. */
scalay_cell scalay_summa_block_cell(const scalay_summa_side *side, const scalay_summa_block *block);

/** Returns the number of elements of a block. */
int64_t scalay_summa_block_elements(const scalay_summa_block *block);

/**
 * Joins the inner runs that follow one another in the matrix of a side, from run `first` on. Other sides may have other
 * runs between them.
 * @param[out] joined  the position in the matrix of the other side is that of the first run
 * @return the run behind them, at most `end`
 */
int64_t scalay_summa_join_inner(const scalay_summa_side *side, const scalay_summa_panels *panels, int64_t first,
                                int64_t end, scalay_summa_inner_run *joined);

/** Copies a block from the local array of its owner into a message, densely. */
void scalay_summa_pack(const scalay_summa_side *side, const scalay_summa_panels *panels,
                       const scalay_summa_block *block, const char *array, char *message);

/** A panel buffer. */
typedef struct {
    char *start;
    int64_t ld;
} scalay_summa_target;

/** Copies a block from a message into a panel buffer. */
void scalay_summa_unpack(const scalay_summa_side *side, const scalay_summa_panels *panels,
                         const scalay_summa_block *block, const char *message, scalay_summa_target panel);

/** Copies a block from the local array of its owner into a panel buffer. */
void scalay_summa_copy(const scalay_summa_side *side, const scalay_summa_panels *panels,
                       const scalay_summa_block *block, const char *array, scalay_summa_target panel);

/** A panel for reading: a buffer, or part of a local array that has the order of a panel. */
typedef struct {
    const char *start;
    int64_t ld;
} scalay_summa_view;

/** Returns the leading dimension of a panel buffer. */
int64_t scalay_summa_panel_ld(const scalay_summa_side *side, int64_t width);

/** Position of a panel in the local array of one process. */
typedef struct {
    int owner;
    int64_t offset; /* of its first element */
    int64_t ld;
} scalay_summa_origin;

/** Returns 1 if a panel is part of one local array, in the order of a panel buffer; sets *origin. Columns may be at
 * equal distances: their ld is a multiple of that of the array. */
int scalay_summa_panel_is_in_place(const scalay_summa_side *side, const scalay_summa_panels *panels, int64_t panel,
                                   scalay_summa_origin *origin);

/** Returns the width of the widest panel that needs a buffer on this rank; 0 if none does. */
int64_t scalay_summa_max_buffered_width(const scalay_summa_side *side, const scalay_summa_panels *panels);

/** Returns 1 if a block is contiguous in the local array of its owner; sets *offset, in elements. */
int scalay_summa_block_is_contiguous(const scalay_summa_side *side, const scalay_summa_panels *panels,
                                     const scalay_summa_block *block, int64_t *offset);

#endif
