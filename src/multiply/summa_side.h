#ifndef SCALAY_MULTIPLY_SUMMA_SIDE_H
#define SCALAY_MULTIPLY_SUMMA_SIDE_H

/**
 * @file
 * A side of a multiplication: A or B, whose lines travel to those that own anything of the same lines of C.
 *
 * Lines are the rows of op(A) or the columns of op(B); along them runs the inner index. Both axes of a layout deal
 * indices out to classes (layout/axis.h), and all that travels is made of products: a joint of line classes (lines that
 * are alike both in the matrix and in C) by a segment of a panel (inner indices that are alike both in A and in B).
 * Joints and segments are few whenever the layouts are regular, however small their blocks.
 *
 * A rank knows the joints that it needs, by source, and those that it holds, by audience: the ranks that need the same
 * of them. Both are sorted by classes, so that what travels from one rank to another has the same order at both ends.
 */

#include "layout/layout.h"
#include "multiply/summa_panels.h"

/** A side's index in whatever has one for each. */
enum { SCALAY_SUMMA_A = 0, SCALAY_SUMMA_B = 1 };

/** Lines that lie one after the other in the matrix' memory, and in a panel of the rank that needs them. */
typedef struct {
    int64_t place;    /* in the class of the matrix */
    int64_t position; /* in the panel; only of joints that are needed */
    int64_t count;
} scalay_summa_lines;

/** The lines of a class of the matrix and of a class of C. */
typedef struct {
    int64_t class;  /* of the matrix */
    int64_t target; /* class of C */
    int64_t first;  /* its runs are lines[first] .. lines[end - 1], by ascending index */
    int64_t end;
    int64_t count; /* lines in them */
} scalay_summa_joint;

/** Joints with their runs. */
typedef struct {
    scalay_summa_joint *joint; /* shape [joints], by class and target */
    int64_t joints;
    int64_t joint_room;
    scalay_summa_lines *lines;
    int64_t runs;
    int64_t run_room;
} scalay_summa_joints;

/** Ranks that need the same joints of those that this rank holds. */
typedef struct {
    int64_t first_rank; /* they are audience_rank[first_rank] .. audience_rank[end_rank - 1] */
    int64_t end_rank;
    int64_t first_joint; /* their joints are held.joint[audience_joint[first_joint]] .. */
    int64_t end_joint;
} scalay_summa_audience;

/** A or B. */
typedef struct {
    int which;             /* SCALAY_SUMMA_A or _B */
    scalay_layout *layout; /* owned */
    int lines_are_rows;    /* of the matrix as it is stored, and of panels */
    size_t size;           /* of an element */
    int rank;              /* the calling rank */
    const int64_t *far_ld; /* shape [ranks]: leading dimensions that only their owners know; 0: as the layout says.
                              NULL: nobody's but the own one */
    int64_t lines;         /* that this rank needs: the extent of its panels */
    int64_t classes;       /* of C in which it owns something */
    int64_t *class;        /* shape [classes], ascending */
    int64_t *position;     /* shape [classes]: of the class' first line in panels */
    scalay_summa_joints needed;
    scalay_summa_joints held; /* those that others need */
    scalay_summa_audience *audience;
    int64_t audiences;
    int64_t *audience_joint;
    int *audience_rank;
} scalay_summa_side;

/** The place of one of a side's classes of C among them. */
int64_t scalay_summa_find_class(const scalay_summa_side *side, int64_t class);

/** The axis of a matrix along the lines, and the one across. */
const scalay_axis *scalay_summa_line_axis(const scalay_summa_side *side);
const scalay_axis *scalay_summa_inner_axis(const scalay_summa_side *side);

/**
 * Finds out what a rank needs and holds. The side has its layout, which, lines_are_rows, size, rank, classes and their
 * positions. Not collective.
 * @param[in] c  the layout of C
 * @return SCALAY_SUCCESS, SCALAY_ERROR_MEMORY
 */
scalay_status scalay_summa_side_plan(scalay_summa_side *side, const scalay_layout *c);

/** Finds the audiences of what the side holds. Part of scalay_summa_side_plan(). */
scalay_status scalay_summa_side_find_audiences(scalay_summa_side *side, const scalay_layout *c);

/** Ranks, each once. */
typedef struct {
    int *rank; /* shape [count] */
    int64_t count;
    int64_t room;
} scalay_summa_ranks;

/**
 * Adds the processes that own anything of a class of C's lines, in any order.
 * @param[in,out] is_met  shape [processes of C], all 0; and so again
 * @return SCALAY_SUCCESS, SCALAY_ERROR_MEMORY
 */
scalay_status scalay_summa_add_owners(int which, const scalay_layout *c, int64_t target, char *is_met,
                                      scalay_summa_ranks *ranks);

/** Releases what a side holds; zeroed is fine. */
void scalay_summa_side_free(scalay_summa_side *side);

/** The elements that this rank needs and does not hold, given the classes of the inner index. */
int64_t scalay_summa_side_incoming(const scalay_summa_side *side, const scalay_summa_panels *classes);

/* ----------------------------------------------------------------------------------------------- blocks */

/** A joint by a segment, in one process' memory. */
typedef struct {
    const scalay_summa_joint *joint;
    const scalay_summa_lines *lines; /* the joint's runs: lines[joint->first] .. */
    const scalay_summa_segment *segment;
    int owner;
} scalay_summa_block;

/** A walk through the blocks of a panel: segment by segment, in each joint by joint. */
typedef struct {
    const scalay_summa_side *side;
    const scalay_summa_joints *joints;
    const int64_t *chosen; /* the joints to walk through; NULL: all */
    int64_t count;         /* of these */
    int64_t segment, end_segment, next;
    const scalay_summa_panels *panels;
} scalay_summa_walk;

/** A walk through what this rank needs of a panel. */
scalay_summa_walk scalay_summa_walk_needed(const scalay_summa_side *side, const scalay_summa_panels *panels,
                                           int64_t panel);

/** A walk through what one of its audiences, and others, may need of a panel; the owner is the caller's to check. */
scalay_summa_walk scalay_summa_walk_held(const scalay_summa_side *side, const scalay_summa_audience *audience,
                                         const scalay_summa_panels *panels, int64_t panel);

/** The next block; 0 at the end. */
int scalay_summa_walk_next(scalay_summa_walk *walk, scalay_summa_block *block);

/** The cell that a block is a part of. */
scalay_cell scalay_summa_block_cell(const scalay_summa_side *side, const scalay_summa_block *block);

/** The elements of a block. */
int64_t scalay_summa_block_elements(const scalay_summa_block *block);

/** Copies a block from its owner's array into a message, in which it is dense. */
void scalay_summa_pack(const scalay_summa_side *side, const scalay_summa_panels *panels,
                       const scalay_summa_block *block, const char *array, char *message);

/** A panel that is made. */
typedef struct {
    char *start;
    int64_t ld;
} scalay_summa_target;

/** Copies a block from a message into a panel. */
void scalay_summa_unpack(const scalay_summa_side *side, const scalay_summa_panels *panels,
                         const scalay_summa_block *block, const char *message, scalay_summa_target panel);

/** Copies a block from its owner's array into a panel. */
void scalay_summa_copy(const scalay_summa_side *side, const scalay_summa_panels *panels,
                       const scalay_summa_block *block, const char *array, scalay_summa_target panel);

/** A panel, or what can be used as one: element (line, inner index) of it as the matrix is stored. */
typedef struct {
    const char *start;
    int64_t ld;
} scalay_summa_view;

/** The leading dimension of a panel that is made. */
int64_t scalay_summa_panel_ld(const scalay_summa_side *side, int64_t width);

/** Where a panel lies in one process' array. */
typedef struct {
    int owner;
    int64_t offset; /* of its first element */
    int64_t ld;
} scalay_summa_origin;

/** 1 when a panel lies in one process' array as it would in one that is made. */
int scalay_summa_panel_is_whole(const scalay_summa_side *side, const scalay_summa_panels *panels, int64_t panel,
                                scalay_summa_origin *origin);

/** The widest panel that does not lie in this rank's array; 0 when all do. */
int64_t scalay_summa_widest_made(const scalay_summa_side *side, const scalay_summa_panels *panels);

/** 1 when a block lies in its owner's array without anything in between. */
int scalay_summa_block_is_dense(const scalay_summa_side *side, const scalay_summa_panels *panels,
                                const scalay_summa_block *block, int64_t *offset);

#endif
